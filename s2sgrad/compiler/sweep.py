"""The state of an adjoint that is being written, and what it returns."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gast

from s2sgrad.compiler.algebra import is_number
from s2sgrad.compiler.beginnings import Beginning
from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.chain import Chain
from s2sgrad.compiler.cotangents import Contribution, Cotangent, Cotangents
from s2sgrad.compiler.facts import End, Facts
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.lists import Lists
from s2sgrad.compiler.loops import Header
from s2sgrad.compiler.nodes import Names, attribute, call, constant
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.ownership import own_names
from s2sgrad.compiler.program import Assign, Leave, Loop, Program, always_leaves, pattern_names, statements
from s2sgrad.compiler.saved_values import optional_holders
from s2sgrad.compiler.stores import Stores
from s2sgrad.compiler.structures import accessed, label, static_leaves, structure
from s2sgrad.compiler.turns import Turns
from s2sgrad.errors import UnsupportedError, ensure
from s2sgrad.rules.abstract import Abstract, Items, Numeric, Opaque, is_a_number, is_complex, item_at, passive


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


Wanted = str | tuple[str, tuple]
"""A parameter of which an adjoint returns the cotangent, in the parameter's own form, or (for a caller that is
generated, too) a place in one: of a number, an array, or a list that is given as it was added up."""


def is_exit(path: tuple) -> bool:
    """Whether a place is not one in the result, but the array of a parameter when the function ends."""
    return path != () and isinstance(path[0], End)


class Sweep:
    """The part of the sweep that knows its state, and gives the parameters' cotangents."""

    def __init__(self, program: Program, facts: Facts, captures: Captures, helpers: Helpers, names: Names,
                 known: dict[Any, Any] | None, wanted: tuple[Wanted, ...], seeds: tuple[tuple, ...], ones: bool,
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
        self.chain.element_places = lambda: self.headers[-1].direct if self.headers else {}
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
            if parameter in environment and not (has_place(environment[parameter].value, path) and item_at(
                    environment[parameter].value, path).active):
                del self.cotangents.state[parameter, path]
        places = [(item, ()) if isinstance(item, str) else item for item in self.wanted]
        for parameter, path in places:
            version = environment[parameter]
            for prefix in (path[:count] for count in range(len(path))):
                self.share_out((parameter, prefix), version, item_at(version.value, prefix))
            items.append(self.result((parameter, path), version, returned))
        parameters = {parameter for parameter, _ in places}
        ensure(all(cotangent.zero for key, cotangent in self.cotangents.state.items() if key[0] in parameters),
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
        if key in self.wanted and self.facts.gives_loose(*key):
            return bar if cotangent is None or cotangent.owned else call(operands.helpers.helper("held"), bar)
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
            expression = cotangent.expression
            dtype = operands.helpers.numpy(value.dtype.name)
            if known:
                return call(attribute(expression, "astype"), dtype)
            if not is_complex(value):  # it may be complex, as may be what NumPy gives of eigenvalues
                expression = call(operands.helpers.numpy("real"), expression)
            return call(operands.helpers.numpy("array"), expression, dtype)  # where that has no axes, a number
        if self.is_given_away(cotangent, returned):
            return cotangent.expression
        if optional_holders(version.value, key[1]):  # of what is not there it is a number
            return call(operands.helpers.helper("held"), cotangent.expression)
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
            isinstance(found, Numeric) and found.kind == "array" and found.dtype is not None and found.dtype == dtype
            for found in made)  # None equals float64 in NumPy's eyes

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

    def match(self, state: dict, environment: dict, alone: Collection = ()) -> None:
        """Let the cotangents of real values be real: behind a loop or a branch the values may be complex, before it
        they were not. Those left ``alone`` there are what they were."""
        for key, cotangent in state.items():
            if key[0] in environment and key not in alone:
                state[key] = self.chain.matched(cotangent, item_at(environment[key[0]].value, key[1]))


def has_place(value: Abstract, path: tuple) -> bool:
    """Whether a container may have something at a place: not where its keys are known, and others."""
    held = [item_at(value, path[:depth]) for depth in range(len(path))]
    return not any(isinstance(found, Items) and found.items is not None and step not in found.steps
                   for found, step in zip(held, path))
