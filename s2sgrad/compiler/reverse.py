"""Program x known decisions -> adjoint: the statements of the primal reversed, last to first.

``known`` holds the decisions that a branch path fixes; with none known this is the general adjoint, which serves every
path and takes the decisions as arguments. Both come from the same code. Expressions are reversed in ``chain.py``, the
cotangents themselves are kept in ``cotangents.py``; here is the control flow.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import is_number, mentions, same
from s2sgrad.compiler.beginnings import Beginning, beginning_of
from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.chain import Chain
from s2sgrad.compiler.cotangents import Contribution, Cotangent, Cotangents, is_a_number, subject_value
from s2sgrad.compiler.facts import End, Facts, written_arrays
from s2sgrad.compiler.lists import Lists
from s2sgrad.compiler.loops import Header, header_of
from s2sgrad.compiler.measures import read_elsewhere
from s2sgrad.compiler.operands import Helpers, Operands
from s2sgrad.compiler.ownership import own_names
from s2sgrad.compiler.paths import RETURNED, ways_out
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Evaluate,
    Handler,
    Leave,
    Loop,
    Names,
    Program,
    Store,
    always_leaves,
    assigned_names,
    attribute,
    call,
    constant,
    leaves,
    name,
    names_in,
    only_raises,
    opened,
    pattern_names,
    read_names,
    statements,
)
from s2sgrad.compiler.stores import Stores
from s2sgrad.compiler.structures import accessed, label, static_leaves, structure
from s2sgrad.compiler.turns import Start, Turns
from s2sgrad.errors import UnsupportedError, ensure
from s2sgrad.rules.abstract import (
    ANY,
    BOOLEAN,
    Abstract,
    Items,
    Numeric,
    Opaque,
    is_complex,
    item_at,
    passive,
    with_dims,
)

OPPOSITES = {gast.Eq: gast.NotEq, gast.NotEq: gast.Eq}
"""The comparisons of numbers of which just one holds: of ``a < b`` and ``a >= b`` none does where one is NaN."""


def bound_by(statement: Assign) -> list[tuple[str, gast.AST]]:
    """The names that an assignment binds to expressions of its own, ``a, b = x @ y, x + y``, each with its own."""
    target, value = statement.target, statement.value
    if isinstance(target, str):
        return [(target, value)]
    if not isinstance(value, gast.Tuple) or len(value.elts) != len(target) or any(
            isinstance(item, gast.Starred) for item in value.elts):
        return []
    labels = list(pattern_names(target))
    return [(part, item) for part, item in zip(target, value.elts)
            if isinstance(part, str) and labels.count(part) == 1 and not isinstance(item, (gast.Name, gast.Constant))]


def is_exit(path: tuple) -> bool:
    """Whether a place is not one in the result, but the array of a parameter when the function ends."""
    return path != () and isinstance(path[0], End)


class Reverse:
    """One adjoint being written."""

    def __init__(self, program: Program, facts: Facts, captures: Captures, helpers: Helpers, names: Names,
                 known: dict[Any, Any] | None, wanted: tuple[str, ...], seeds: tuple[tuple, ...], ones: bool,
                 turns: Turns):
        self.program = program
        self.facts = facts
        self.captures = captures
        self.helpers = helpers
        self.known = known
        self.wanted = wanted
        self.seeds = seeds
        self.ones = ones
        self.turns = turns
        self.operands = Operands(program, facts, captures, helpers)
        self.cotangents = Cotangents(names, self.operands)
        self.chain = Chain(facts, self.operands, self.cotangents, helpers)
        self.stores = Stores(self.chain)
        self.lists = Lists(self.chain)
        self.entries: list[dict] = []
        self.headers: list[Header] = []
        self.never_returns: set[Loop] = set()
        self.owned: tuple[int, set[str]] = 0, set()
        """After so many statements, the names of arrays that are this adjoint's own."""
        self.decisions: dict[str, Any] = {}
        self.foreign = frozenset(names.taken)
        """The names that others have."""
        self.undecided = known is None and turns.shared
        if known is not None and turns.shared:
            self.chain.passages = turns.passages
        self.beginning: Beginning | None = None
        """How far it got by the first decision, if other adjoints may go on from there."""
        ends = [statement for statement in statements(program.body)
                if isinstance(statement, Leave) and statement.kind == "return"]
        self.one_end = len(ends) + (not always_leaves(program.body)) == 1
        self.seed_names = [] if ones else [self.seed_name(path) for path in seeds]
        for statement in statements(program.body):
            if isinstance(statement, Assign):
                self.operands.whole.update((id(value), (statement, label)) for label, value in bound_by(statement))

    def seed_name(self, path: tuple) -> str:
        """The adjoint's parameter for a cotangent of the result, or (a path of a name) of an array at the end."""
        if is_exit(path):
            if self.one_end:
                return self.cotangents.bar((path[0].parameter, path[1:]))
            return self.cotangents.names.fresh("_".join([path[0].parameter, *map(label, path[1:]), "end_bar"]))
        return self.cotangents.names.fresh("_".join(["result", *map(label, path), "bar"]))

    def at(self, path: tuple, value: Abstract) -> Abstract:
        """What is known of the value at a place in the result, or of an array at the end."""
        if not is_exit(path):
            return item_at(value, path)
        parameter = path[0].parameter
        return item_at(self.facts.end(parameter), path[1:]) if len(path) > 1 else self.facts.parameters[parameter].value

    def run(self, name_: Callable[[], str], saved: str, beginning: Beginning | None = None) -> Program:
        """The adjoint as a Program: takes the saved tuple and the result's cotangent, returns the parameters'.
        ``beginning``: that of another one, to go on from."""
        if beginning is not None:
            beginning.adopt(self)
            self.undecided = False
            self.backwards(beginning.rest)
        else:
            for variable, path in zip(self.seed_names, self.seeds):
                self.operands.remember(variable, self.operands.cotangents_of(passive(self.at(path, self.facts.result))))
            self.operands.location = self.program.location
            if not always_leaves(self.program.body):
                self.start_from_exits()
            self.block(self.program.body)
            self.decides(self.program.body, ())
        last = self.results()
        body = read_elsewhere((*self.cotangents.out, last), self.captures, self.program, self.facts)
        used = read_names(body)
        self.captures.finish(used)
        body = (*self.unpack(self.captures.layout(None), name(saved), used), *body)
        parameters = (saved, *(() if self.ones else self.seed_names), *self.decisions)
        return Program(name_(), parameters, body, self.program.location)

    def unpack(self, slots: list, saved: gast.AST, used: set[str]) -> list:
        """``x, w, y = saved``, with ``_`` for what this adjoint does not read."""
        if not any(slot.name in used for slot in slots):
            return []
        targets = tuple(slot.name if slot.name in used else self.captures.unused for slot in slots)
        return [Assign(targets, saved, self.program.location)]

    def results(self) -> Leave:
        environment = self.facts.parameters
        location = self.program.location
        self.operands.location = location
        items: list[gast.AST] = []
        returned: set[str] = set()
        for parameter, path in list(self.cotangents.state):  # of what a way to the end did not store anything in
            if parameter in environment and not item_at(environment[parameter].value, path).active:
                del self.cotangents.state[parameter, path]
        for parameter in self.wanted:
            items.append(self.result((parameter, ()), environment[parameter], returned))
        ensure(all(cotangent.zero for key, cotangent in self.cotangents.state.items() if key[0] in self.wanted),
               "a cotangent is left behind")
        return Leave("return", gast.Tuple(items, gast.Load()), location)

    def result(self, key: Any, version: Any, returned: set[str]) -> gast.AST:
        """A parameter's cotangent as it leaves the adjoint, structured like the parameter."""
        parameter, path = key
        value = item_at(version.value, path)
        if not value.active:
            return constant(None)
        if isinstance(value, Items) and value.items is None:
            return self.list_result(key, version)
        if isinstance(value, Items):
            self.share_out(key, version, value)
            parts = [self.result((parameter, (*path, step)), version, returned) for step in value.steps]
            return structure(value, parts, self.operands.helpers)
        found, operands = self.leaf(key, version, value, returned), self.operands
        if not operands.is_uncertain(value) or is_number(found):
            return found
        # real where that is: the caller may know, and add it to what is real
        return call(operands.helpers.helper("as_real_as"), found, operands.item(version, path, self.program.location))

    def share_out(self, key: Any, version: Any, value: Items) -> None:
        """Add to the cotangents of a container's parts what came for all of it, through a running index."""
        whole = self.cotangents.take(key)
        if whole is None:
            return
        parameter, path = key
        known = self.operands.cotangents_of(passive(value))
        parts = {leaf: Cotangent(accessed(whole.expression, value, leaf), item_at(known, leaf), True, whole.owned)
                 for leaf in static_leaves(value)}
        if self.facts.has_complex:
            parts = {leaf: self.chain.matched(part, item_at(value, leaf)) for leaf, part in parts.items()}
        contributions = [Contribution((parameter, (*path, *leaf)), part) for leaf, part in parts.items()]
        self.cotangents.contribute(contributions, self.program.location, self.facts.parameters)

    def list_result(self, key: Any, version: Any) -> gast.AST:
        """The cotangent of a list of any number of values."""
        operands = self.operands
        subject = operands.item(version, key[1], self.program.location)
        cotangent = self.cotangents.take(key)
        bar = operands.zeros_of(subject, item_at(version.value, key[1])) if cotangent is None else cotangent.expression
        if (End(key[0]),) in self.seeds and key[1] == ():  # the caller's own, which it goes on with
            return bar
        return call(operands.helpers.helper("handed_back" if self.facts.called else "structured"), bar, subject)

    def leaf(self, key: Any, version: Any, value: Abstract, returned: set[str]) -> gast.AST:
        """The cotangent of a number or an array: its shape and dtype, and memory of its own."""
        operands = self.operands
        if isinstance(value, Opaque) and value.holding:
            raise UnsupportedError(f"{key[0]} may be a container of differentiated values, or something else",
                                   "start with a container of the same form, of zeros", self.program.location)
        cotangent = self.cotangents.take(key)
        if cotangent is None:
            return self.literal(0.0, value) if is_a_number(value) else operands.zeros(version, key[1])
        if self.facts.has_complex or self.facts.gets_uncertain:
            cotangent = self.chain.matched(cotangent, value)
        if isinstance(value, Opaque) or value.kind == "any":
            if cotangent.full and self.is_widened(cotangent.expression, value):
                return call(operands.helpers.numpy(value.dtype.name), cotangent.expression)
            if cotangent.full and self.is_given_away(cotangent, returned):
                return cotangent.expression
            return call(operands.helpers.helper("held"), cotangent.expression if cotangent.full else operands.spread(
                cotangent.expression, version, key[1]))
        found = operands.evaluate(cotangent.expression)
        known = isinstance(found, Numeric) and found.dtype is not None
        same = found.dtype == value.dtype if known else self.facts.uniform
        if value.is_number:
            expression = cotangent.expression
            if is_number(expression):
                return self.literal(expression.value, value)
            number = is_a_number(found) and is_a_number(cotangent.value)  # np.where makes an array of rank 0 of one
            if (self.facts.has_single or not (known and same and number)) and value.dtype is not None:
                if value.kind == "python":
                    return call(operands.helpers.builtin("complex" if is_complex(value) else "float"), expression)
                return call(operands.helpers.numpy(value.dtype.name), expression)
            return expression
        if not cotangent.full and value.shape != ():
            return operands.spread(cotangent.expression, version, key[1], owned=True)
        if value.shape == ():  # arithmetic on arrays without axes gives numbers
            saved = operands.item(version, key[1], self.program.location)
            return call(operands.helpers.numpy("full_like"), saved, cotangent.expression)
        if not same and value.dtype is not None and not self.has_steady_dtype(cotangent.expression, value.dtype):
            return call(attribute(cotangent.expression, "astype"), operands.helpers.numpy(value.dtype.name))
        if self.is_given_away(cotangent, returned):
            return cotangent.expression
        return operands.copy(cotangent.expression)

    def is_widened(self, expression: gast.AST, value: Any) -> bool:
        """Whether a cotangent in double precision may be that of a complex number or array in single precision, which
        whoever called for it takes for one in single precision."""
        if not (self.facts.has_single and is_complex(value) and value.dtype is not None):
            return False
        found = self.operands.evaluate(expression)
        return not isinstance(found, Numeric) or found.dtype != value.dtype

    def has_steady_dtype(self, expression: gast.AST, dtype: Any) -> bool:
        """Whether a name only ever stands for arrays that this adjoint made in a dtype: what is added into them does
        not widen it."""
        if not isinstance(expression, gast.Name):
            return False
        bindings = [statement for statement in statements(tuple(self.cotangents.out)) if isinstance(
            statement, (Assign, Loop)) and statement.target is not None
            and expression.id in pattern_names(statement.target)]
        made = [self.operands.evaluate(statement.value) for statement in bindings
                if isinstance(statement, Assign) and isinstance(statement.value, gast.Call)
                and self.operands.is_fresh(statement.value)]
        return 0 < len(bindings) == len(made) and all(
            isinstance(found, Numeric) and found.kind == "array" and found.dtype == dtype for found in made)

    def literal(self, number: complex, like: Numeric) -> gast.AST:
        """A number that is written out, of a value's dtype."""
        found = constant((complex if is_complex(like) else float)(number))
        single = like.kind != "python" and like.dtype is not None and like.dtype not in (float, complex)
        return call(self.operands.helpers.numpy(like.dtype.name), found) if single else found

    def is_given_away(self, cotangent: Any, returned: set[str]) -> bool:
        """Whether a cotangent is memory of this adjoint's own that is returned nowhere else; it is from here on."""
        if not isinstance(cotangent.expression, gast.Name):
            return self.operands.is_fresh(cotangent.expression)
        variable = cotangent.expression.id
        given = variable not in returned and (cotangent.owned or variable in self.own_names())
        returned.add(variable)
        return given

    def own_names(self) -> set[str]:
        """The names of arrays that this adjoint, as far as it is written, made and has under no other name."""
        out = self.cotangents.out
        if self.owned[0] != len(out):
            self.owned = len(out), own_names(tuple(out), self.operands, self.seed_names, set())
        return self.owned[1]

    # ---- blocks

    def block(self, body: tuple) -> None:
        """Reverse a block; what follows a statement that may leave is reversed only where control stayed."""
        body = opened(body)
        for place, statement in enumerate(body):
            if isinstance(statement, Leave):
                self.leave(statement)
                self.backwards(body[:place])
                return
            if isinstance(statement, Branch) and leaves((statement,)):
                self.leaving_branch(statement, body[place + 1:])
                self.backwards(body[:place])
                return
            if isinstance(statement, Loop) and RETURNED in ways_out(statement):
                self.leaving_loop(statement, body[place + 1:])
                self.backwards(body[:place])
                return
        self.backwards(body)

    def backwards(self, body: tuple) -> None:
        for place in range(len(body) - 1, -1, -1):
            statement = body[place]
            if isinstance(statement, Branch):
                self.decides(body[place + 1:], body[:place + 1])
            self.statement(statement)
            if self.facts.has_complex and isinstance(statement, (Loop, Branch)):
                self.match(self.cotangents.state, self.facts.before[statement])

    def match(self, state: dict, environment: dict, alone: Collection = ()) -> None:
        """Let the cotangents of real values be real: behind a loop or a branch the values may be complex, before it
        they were not. Those left ``alone`` there are what they were."""
        for key, cotangent in state.items():
            if key[0] in environment and key not in alone:
                state[key] = self.chain.matched(cotangent, item_at(environment[key[0]].value, key[1]))

    def statement(self, statement: Any) -> None:
        self.operands.location = statement.location
        if isinstance(statement, (Assign, Evaluate)) and statement in self.facts.in_place:
            self.lists.pop(statement)
        elif isinstance(statement, Assign):
            self.chain.assign(statement)
        elif isinstance(statement, Augment) and isinstance(statement.target, gast.Name):
            self.chain.augment(statement)
        elif isinstance(statement, (Augment, Store)):
            changed = self.facts.in_place.get(statement)
            if changed is not None:
                (self.lists.store if isinstance(changed[0].value, Items) else self.stores.reverse)(statement)
        elif isinstance(statement, Append):
            if statement in self.facts.in_place:
                self.lists.append(statement)
        elif isinstance(statement, Branch):
            outcome = self.outcome(statement)
            if outcome is None:
                self.two_arms(statement, statement.then, statement.orelse)
            else:
                self.block(statement.then if outcome else statement.orelse)
        elif isinstance(statement, Loop):
            self.loop(statement)

    def leave(self, statement: Leave) -> None:
        """Where control left, the sweep starts with the cotangents of the place that control went to.

        No sweep comes by where an exception was raised: any will do there.
        """
        self.operands.location = statement.location
        entry = self.entries[-1] if self.entries else {}
        current = self.cotangents.state if self.guarded else entry
        returns = statement.kind in ("return", "raise")
        self.cotangents.state = {key: replace(cotangent, zero=True) if returns or key not in entry else cotangent
                                 for key, cotangent in current.items()}
        if statement.kind == "return":
            self.start_from_exits()
            self.return_value(statement)

    def start_from_exits(self) -> None:
        """Where the function ends, its caller has handed over cotangents of the arrays that were written into."""
        for variable, path in zip(self.seed_names, self.seeds):
            if is_exit(path):
                key = (path[0].parameter, path[1:])
                # what is stored in an object may be the caller's
                owned = len(path) == 1 and variable not in self.left_alone
                self.cotangents.state[key] = Cotangent(name(variable), passive(self.at(path, ANY)), True, owned)

    guarded = False
    left_alone: frozenset[str] = frozenset()
    """The cotangents of arrays at the end that this adjoint does not write into: it starts with copies of them."""
    again = False
    """Whether the adjoint is differentiated again: then it changes no list of its caller's."""

    def return_value(self, statement: Leave) -> None:
        if statement.value is None:
            return
        cotangents = {}
        seeds = [constant(1.0)] if self.ones else [name(variable) for variable in self.seed_names]
        for expression, path in zip(seeds, self.seeds):
            if not is_exit(path):
                value = item_at(self.facts.values[id(statement.value)], path)
                if self.again and isinstance(value, Items):
                    expression = call(self.helpers.helper("held"), expression)
                cotangents[path] = Cotangent(expression, passive(value))
        self.chain.reverse(statement, statement.value, cotangents)

    # ---- decisions

    def decides(self, done: tuple = (), rest: tuple | None = None) -> None:
        """A decision comes: the first outside loops is where the adjoints of the paths may go on, if they come there
        with nothing but the ``rest`` of the function before them."""
        if self.undecided and not self.operands.loops:
            self.undecided = False
            self.chain.passages = self.turns.passages  # what comes before is shared as a whole
            if rest is not None:
                self.beginning = beginning_of(self, done, rest)

    def outcome(self, branch: Branch, rest: tuple = ()) -> bool | None:
        """Which arm was taken, where the path or the way out of the loop fixes it, or the other one (with the ``rest``
        of the block) ends with an exception."""
        if self.known is not None and branch in self.known:
            return self.known[branch]
        for arm, other in ((branch.then, False), (branch.orelse, True)):
            if only_raises((*arm, *rest)):
                return other
        if self.entries and self.operands.loops and self.operands.loops[0] in self.never_returns:
            if only_returns(branch.then):
                return False
            if only_returns(branch.orelse):
                return True
        return None

    def taken(self, branch: Branch) -> gast.AST:
        if self.operands.block is None:
            return self.decision_argument(branch, f"taken_{branch.location.line}")
        again = None if isinstance(branch, (Attempt, Handler)) else self.operands.test(branch.test, branch)
        return again if again is not None else name(self.captures.decision(branch, self.operands.block, BOOLEAN))

    def decision_argument(self, subject: Any, wanted: str) -> gast.AST:
        """A decision outside loops is an argument of the general adjoint, decoded from the path id."""
        for variable, decision in self.decisions.items():
            if decision == subject:
                return name(variable)
        variable = self.captures.names.fresh(wanted)
        self.decisions[variable] = subject
        return name(variable)

    def returned(self, loop: Loop) -> gast.AST:
        """Whether the function returned from inside a loop."""
        if self.operands.block is None:
            return self.decision_argument(loop, f"returned_{loop.location.line}")
        return name(self.captures.returned(loop, self.operands.block, BOOLEAN))

    # ---- branches

    def arm(self, state: dict, work: Any) -> tuple[list, dict, dict]:
        """Run ``work`` on its own copy of the state; what it emitted, the state it left, and what is known there of
        the variables."""
        outer_out, outer_state = self.cotangents.out, self.cotangents.state
        outer_products, outer_known = self.chain.products, self.operands.known
        self.cotangents.out, self.cotangents.state = [], dict(state)
        self.chain.products, self.operands.known = {}, dict(outer_known)
        work()
        result = self.cotangents.out, self.cotangents.state, self.operands.known
        self.cotangents.out, self.cotangents.state = outer_out, outer_state
        self.chain.products = outer_products
        self.operands.know(outer_known)
        return result

    def two_arms(self, branch: Branch, then: tuple, orelse: tuple) -> None:
        self.join(branch, lambda: self.taken(branch), lambda: self.block(then), lambda: self.block(orelse),
                  self.facts.before[branch])

    def join(self, statement: Any, test: Any, then: Any, orelse: Any, environment: dict, perhaps: bool = False) -> None:
        """``if test: then else: orelse`` in the adjoint, with the same cotangents bound behind both arms.

        ``perhaps``: where control left before, some names of the environment have no value.
        """
        state = self.cotangents.state
        outer_direct = self.chain.direct
        if self.headers:
            self.chain.direct = self.headers[-1].direct
        arms = [self.arm(state, then), self.arm(state, orelse)]
        self.chain.direct = outer_direct
        if self.facts.has_complex:
            alone = {key for key in state if all(left.get(key) is state[key] for _, left, _ in arms)}
            for _, left, _ in arms:
                self.match(left, environment, alone)
        keys = []
        for key in dict.fromkeys([*arms[0][1], *arms[1][1]]):
            if key[0] not in environment:
                for _, left, _ in arms:
                    left.pop(key, None)
            elif arms[0][1].get(key) is not arms[1][1].get(key):
                keys.append(key)
        self.add_displaced(keys, [left for _, left, _ in arms])
        self.operands.location = statement.location
        hoisted: list = []
        settled, ends = [], []
        for out, left, known in arms:
            self.operands.know(known)
            self.cotangents.out, outer_out = out, self.cotangents.out
            self.cotangents.state, outer_state = left, self.cotangents.state
            unsettled = [key for key in keys if not self.is_settled(key, left)]
            if not out and all(key not in left and not self.referred_to(key, state) for key in unsettled):
                self.cotangents.out = hoisted  # this arm only sets zeros: better set before the branch
            self.operands.perhaps = perhaps
            self.cotangents.settle(keys, statement.location, environment)
            self.operands.perhaps = False
            settled.append(self.cotangents.state)
            ends.append(self.operands.known)
            self.cotangents.out, self.cotangents.state = outer_out, outer_state
        self.operands.know_either(*ends)
        merged = {}
        for key in dict.fromkeys([*settled[0], *settled[1]]):
            first, second = settled[0].get(key), settled[1].get(key)
            if first is None or second is None:
                continue
            value = subject_value(environment[key[0]], key[1]) if self.facts.uniform \
                else self.operands.settled(environment[key[0]], key[1])
            if is_a_number(value) and not (is_a_number(first.value) and is_a_number(second.value)):
                value = Numeric()  # zeros like a number that was an array elsewhere are an array of rank 0
            ensure(same(first.expression, second.expression), "the arms bind a cotangent differently")
            merged[key] = first if first is second else Cotangent(
                first.expression, value, first.full and second.full, first.owned and second.owned,
                first.zero and second.zero)
        self.cotangents.state = merged
        self.cotangents.out.extend(hoisted)
        then_out, orelse_out = arms[0][0], arms[1][0]
        if then_out or orelse_out:
            condition = test()
            if not then_out:
                condition, then_out, orelse_out = self.opposite(condition), orelse_out, []
            self.cotangents.out.append(Branch(condition, tuple(then_out), tuple(orelse_out), statement.location))

    def opposite(self, condition: gast.AST) -> gast.AST:
        """A test the other way round: ``a != b`` for ``a == b``, where these are numbers."""
        if isinstance(condition, gast.Compare) and len(condition.ops) == 1:
            opposite = OPPOSITES.get(type(condition.ops[0]))
            sides = condition.left, *condition.comparators
            if opposite is not None and all(is_a_number(self.operands.evaluate(side)) for side in sides):
                return gast.Compare(condition.left, [opposite()], condition.comparators)
        return gast.UnaryOp(gast.Not(), condition)

    def add_displaced(self, keys: list, states: list[dict]) -> None:
        """Add the cotangents that both arms left alone, but that refer to a variable which one of them binds anew now:
        they move, which they must in both."""
        size = -1
        while size < len(keys):
            size = len(keys)
            bound = {self.cotangents.bar(key) for key in keys for left in states if not self.is_settled(key, left)}
            keys += [key for key, cotangent in states[0].items() if key not in keys and any(
                mentions(cotangent.expression, variable) for variable in bound)]

    def referred_to(self, key: Any, state: dict) -> bool:
        """Whether some cotangent is still an expression over the variable of this one."""
        variable = self.cotangents.bar(key)
        return any(mentions(cotangent.expression, variable) for cotangent in state.values())

    def is_settled(self, key: Any, state: dict) -> bool:
        return key in state and state[key].full and self.cotangents.is_bound(key, state[key])

    def leaving_branch(self, branch: Branch, rest: tuple) -> None:
        self.decides()
        outcome = self.outcome(branch, rest)
        if outcome is not None:
            arm = branch.then if outcome else branch.orelse
            self.block(arm if always_leaves(arm) else (*arm, *rest))
            return
        then = branch.then if always_leaves(branch.then) else None
        orelse = branch.orelse if always_leaves(branch.orelse) else None
        if then is not None or orelse is not None:
            self.two_arms(branch, then if then is not None else (*branch.then, *rest),
                          orelse if orelse is not None else (*branch.orelse, *rest))
            return
        # an arm may leave or not: what follows stands once, under a condition of its own
        if rest:
            environment = self.facts.before[rest[0]]
            self.join(branch, lambda: gast.UnaryOp(gast.Not(), self.left(branch)), lambda: self.block(rest),
                      lambda: None, environment, True)
        outer, self.guarded = self.guarded, True
        self.two_arms(branch, branch.then, branch.orelse)
        self.guarded = outer

    def left(self, branch: Branch) -> gast.AST:
        """The condition, over decisions of this turn, that control left the block at this branch."""
        return self.left_block((branch,))

    def left_block(self, body: tuple) -> gast.AST:
        parts: list[gast.AST] = []
        for statement in opened(body):
            if isinstance(statement, Leave):
                parts.append(gast.Constant(True, None))
            elif isinstance(statement, Branch) and leaves((statement,)):
                arms = []
                for block, other, negated in ((statement.then, statement.orelse, False),
                                              (statement.orelse, statement.then, True)):
                    if not leaves(block):
                        continue
                    if only_raises(other):
                        arms.append(self.left_block(block))
                        continue
                    test: gast.AST = self.taken(statement)
                    if negated:
                        test = gast.UnaryOp(gast.Not(), test)
                    inner = self.left_block(block)
                    arms.append(test if isinstance(inner, gast.Constant) else gast.BoolOp(gast.And(), [test, inner]))
                parts.append(arms[0] if len(arms) == 1 else gast.BoolOp(gast.Or(), arms))
            elif isinstance(statement, Loop) and RETURNED in ways_out(statement):
                parts.append(self.returned(statement))
        return parts[0] if len(parts) == 1 else gast.BoolOp(gast.Or(), parts)

    # ---- loops

    def leaving_loop(self, loop: Loop, rest: tuple) -> None:
        """A loop that may return: what follows it ran only if it didn't."""
        self.decides()
        way = self.known.get(loop) if self.known is not None else None
        inner = self.operands.loops and self.operands.loops[0] in self.never_returns
        if way == RETURNED or not self.operands.loops and only_raises(rest):
            self.cotangents.state = {}
            self.loop(loop)
            return
        if way is not None or inner:
            self.never_returns.add(loop)
            self.block(rest)
            self.loop(loop)
            self.never_returns.discard(loop)
            return
        if rest:
            self.join(loop, lambda: gast.UnaryOp(gast.Not(), self.returned(loop)), lambda: self.block(rest),
                      lambda: None, self.facts.before[rest[0]], True)
        self.loop(loop)

    def loop(self, loop: Loop) -> None:
        self.operands.location = loop.location
        header = header_of(loop, self.facts, self.operands)
        # an array that is only written into has its shape from before the loop, however control leaves that
        after = {**(self.facts.after.get(loop) or self.facts.beyond[loop]),
                 **written_arrays(loop, self.facts.before[loop])}
        changing = assigned_names(loop.body) | set(pattern_names(loop.target or ()))
        state = self.cotangents.state
        # a list is made the adjoint's own with all that is in it only where it is added into
        owned = {key: self.is_array(key, after) and (item.owned or not isinstance(item.value, Items))
                 for key, item in state.items() if key[0] in changing}
        added_into: set = set()
        situation = (loop, frozenset((key, item.full, item.owned, item.zero) for key, item in state.items()))
        shared = self.turns.shared and not self.operands.loops and RETURNED not in ways_out(loop)
        guessed: dict[Any, bool] = {}
        if situation in self.turns.carried:  # another turn around this loop, or another adjoint, found them out
            owned = self.turns.carried[situation]
        else:
            guessed = {key: self.is_array(key, after) for key in self.accumulated(loop, header, changing)
                       if key not in owned}
        for _ in range(20):
            carried = {**owned, **guessed}
            undo = self.attempt()
            self.enter(loop, self.cotangents.state, carried, after)
            entry = self.entry(loop, self.cotangents.state, carried, after)
            self.cotangents.state = entry
            found = self.turns.written.get(loop) if shared else None
            if found is not None and found.fits(self, entry):
                header, body, left = found.adopt(self, entry)
                break
            start = Start(self) if shared else None
            body, left, known = self.arm(entry, functools.partial(self.turn, loop, header, entry, list(carried)))
            more = [key for key in left if left[key] is not entry.get(key) and key not in carried
                    and key[0] in self.facts.heads[loop]]
            less = [key for key in carried if carried[key] and key in left and not left[key].owned]
            lists = [key for key in carried if not carried[key] and key in left and left[key].owned
                     and isinstance(left[key].value, Items) and key not in added_into]
            idle = [key for key in guessed if left.get(key) is entry[key]]
            if not more and not less and not lists and not idle:
                self.operands.know(known)
                if start is not None:
                    self.turns.written[loop] = start.turn(entry, left, header, body)
                break
            undo()
            added_into.update(lists)
            owned = {**owned, **{key: self.is_array(key, after) for key in more}}
            guessed = {key: owns for key, owns in guessed.items() if key not in idle}
            for key in (*lists, *less):
                (guessed if key in guessed else owned)[key] = key in lists
        self.turns.carried[situation] = carried
        if body:
            self.emit_loop(loop, header, body)
        before = self.facts.before[loop]
        # where there was no turn, it is what it was before
        left = {key: replace(cotangent, owned=False) if cotangent.owned and not carried.get(key, True) else cotangent
                for key, cotangent in left.items()}
        self.cotangents.state = {
            key: left.get(key, cotangent) for key, cotangent in {**entry, **left}.items() if key[0] in before
            and (key in left or key not in carried)}
        for key in carried:  # a name that the loop first bound has no cotangent before it
            if key[0] not in before:
                self.cotangents.state.pop(key, None)

    def is_array(self, key: Any, environment: dict) -> bool:
        """Whether a cotangent is of what may be an array, so that a loop can own it; a number has no memory to own."""
        return not is_a_number(subject_value(environment[key[0]], key[1]))

    def accumulated(self, loop: Loop, header: Header, changing: set[str]) -> Iterator[tuple]:
        """The cotangents that the turns of a loop probably add to: of values that are read in it and not changed.

        A turn can't hand on such a cotangent but by adding to it, so that a wrong guess is noticed.
        """
        read = [(identifier, self.facts.before[statement]) for statement in reversed(list(statements(loop.body)))
                for identifier in reversed(names_in(getattr(statement, "value", None)))]
        read += [(sequence, self.facts.before[loop]) for _, sequence, *_ in header.elements]
        for identifier, environment in read:
            known = identifier in environment and identifier not in changing
            value = environment[identifier].value if known else None
            if isinstance(value, Numeric) and value.active:
                yield identifier, ()

    def attempt(self) -> Callable[[], None]:
        """Mark where an attempt to reverse a loop starts; the function returned takes it back."""
        captures, cotangents, operands = self.captures, self.cotangents, self.operands
        snapshot, emitted, state = captures.snapshot(), len(cotangents.out), dict(cotangents.state)
        known = dict(operands.known)

        def undo() -> None:
            captures.restore(snapshot)
            del cotangents.out[emitted:]
            cotangents.state = state
            operands.know(known)
        return undo

    def entry(self, loop: Loop, state: dict, carried: dict, environment: dict) -> dict:
        """The state at the end of every turn: the carried cotangents in their variables, the others as they are."""
        result = {key: cotangent for key, cotangent in state.items() if key not in carried}
        for key, owned in carried.items():
            variable = self.cotangents.bar(key)
            version = environment.get(key[0])
            value = self.operands.settled(version, key[1]) if version is not None else Numeric()
            value = self.in_this_turn(value, key, loop)
            self.operands.remember(variable, value)
            result[key] = Cotangent(name(variable), value, True, owned)
        return result

    def in_this_turn(self, value: Abstract, key: tuple, loop: Loop) -> Abstract:
        """What is known of a carried cotangent at the end of a turn: the sizes that are named where a turn begins are
        then those of the next turn."""
        end = (self.facts.turn_ends.get(loop) or {}).get(key[0]) if "break" not in leaves(loop.body) else None
        there = item_at(end.value, key[1]) if end is not None else None
        if isinstance(value, Numeric) and isinstance(there, Numeric) and value.shape and there.shape and len(
                value.shape) == len(there.shape):
            shape = tuple([own if belongs_to(dim, loop) else dim for dim, own in zip(value.shape, there.shape)])
            return value if shape == value.shape else replace(value, shape=shape)
        return with_dims(value, lambda dim: None if belongs_to(dim, loop) else dim)

    def enter(self, loop: Loop, state: dict, carried: dict, environment: dict) -> None:
        """Bind the carried cotangents before the reversed loop starts."""
        self.operands.location = loop.location
        arrays = []
        # where the function returned from inside, what the loop was still to bind has no value
        self.operands.perhaps = RETURNED in ways_out(loop)
        for key, owned in carried.items():
            cotangent = state.get(key)
            if cotangent is None or not owned:
                continue
            if not (cotangent.full and (cotangent.owned or self.operands.is_fresh(cotangent.expression))):
                arrays.append(key)
        self.cotangents.settle([key for key in carried if key not in arrays], loop.location, environment)
        for key in arrays:
            self.cotangents.own(key, loop.location, environment)
        self.operands.perhaps = False

    def turn(self, loop: Loop, header: Header, entry: dict, keys: list) -> None:
        """Reverse one turn: its body, then the binding of its target."""
        self.operands.loops.append(loop)
        self.entries.append(entry)
        self.headers.append(header)
        if header.counted is not None:
            self.operands.counted.add(header.counted_target())
        outer_direct, self.chain.direct = self.chain.direct, {}
        outer, self.guarded = self.guarded, False
        outer_known, self.known = self.known, None
        self.block(loop.body)
        self.known = outer_known
        self.guarded = outer
        self.operands.location = loop.location
        environment = self.facts.heads[loop]
        contributions = []
        for target, sequence, index, inside in header.elements:
            for key in [key for key in self.cotangents.state if key[0] == target]:
                cotangent = self.cotangents.take(key)
                if cotangent is not None and sequence in environment:  # not one from around the function
                    contributions.append(Contribution((sequence, ()), cotangent, index(), inside=(*inside, *key[1])))
        for target in header.targets:
            for key in [key for key in self.cotangents.state if key[0] == target]:
                self.cotangents.state.pop(key)
        self.cotangents.contribute(contributions, loop.location, environment)
        self.operands.loops.pop()
        self.entries.pop()
        self.headers.pop()
        self.chain.direct = outer_direct
        # the turn before this one finds each carried cotangent in its variable
        self.cotangents.settle([key for key in keys if not self.is_settled(key, self.cotangents.state)],
                               loop.location, environment)

    def emit_loop(self, loop: Loop, header: Header, body: list) -> None:
        used = read_names(tuple(body))
        self.captures.prune(loop, used)
        slots = self.captures.layout(loop)
        self.cotangents.out.append(header.reversed_loop(slots, used, tuple(body), self))

    def buffer(self, loop: Loop) -> gast.AST:
        return name(self.captures.buffer(loop, self.operands.block, Items(list, None, Opaque())))


def belongs_to(dim: Any, loop: Loop) -> bool:
    """Whether a size is named by a loop, as what something has where a turn begins."""
    while isinstance(dim, tuple):
        if isinstance(dim[1], tuple) and dim[1][0] == id(loop):
            return True
        dim = dim[1]
    return False


def only_returns(block: tuple) -> bool:
    """Whether control always leaves the block by returning from the function."""
    return always_leaves(block) and leaves(block) == {"return"}
