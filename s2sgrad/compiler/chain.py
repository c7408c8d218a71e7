"""The chain rule for one statement: its cotangents sent on through its expressions, and through calls."""
from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import is_trivial, simplify, template
from s2sgrad.compiler.cotangents import Contribution, Cotangent, Cotangents
from s2sgrad.compiler.facts import Applied, Called, End, Facts, Version
from s2sgrad.compiler.formulas import formed_like, of_doubles, scalar
from s2sgrad.compiler.freed import free_memory, stays_own
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import call, name, subscript
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.passages import Passage, Recorder
from s2sgrad.compiler.program import Assign, Augment, Evaluate, Store
from s2sgrad.compiler.results import Step, uses_of_cotangent
from s2sgrad.compiler.structures import accessed, label, static_leaves
from s2sgrad.compiler.taking import Taking
from s2sgrad.errors import UnsupportedError, ensure, place_of
from s2sgrad.rules.abstract import (
    INTEGER,
    Abstract,
    Items,
    Numeric,
    is_real,
    item_at,
    known_value,
    may_be_complex,
    passive,
    shape_of,
)
from s2sgrad.rules.table import Member, Operation


class Chain(Taking):
    def __init__(self, facts: Facts, operands: Operands, cotangents: Cotangents, helpers: Helpers):
        self.facts = facts
        self.operands = operands
        self.cotangents = cotangents
        self.helpers = helpers
        self.pending: list[Contribution] = []
        self.consumed: Collection[Cotangent] = ()
        self.began = 0
        self.staying: gast.AST | None = None
        """An expression with a cotangent that stays where it is."""
        self.products: dict[frozenset, tuple[gast.AST, Any]] = {}
        """Products of the primal in this block, by what they multiply, with their statements."""
        self.direct: dict[Version, tuple[tuple[str, tuple], Callable[[], gast.AST], tuple]] = {}
        """Inside a branch in a loop over an array: where the element under the loop's target has its cotangent."""
        self.passages: dict[Any, Passage] | None = None
        """What adjoints have for assignments outside loops, where they share it."""

    # ---- statements

    def assign(self, statement: Assign) -> None:
        called = self.facts.calls.get(id(statement.value))
        written = self.take_written(statement, called) if called is not None else {}
        taken = {**self.take_pattern(statement, statement.target, ()), **written}
        if not taken:
            return
        if called is not None:
            self.user_call(statement, called, taken)
            return
        taken = self.put_together(statement, taken)
        if self.passages is None or self.operands.loops:
            self.reverse(statement, statement.value, taken)
        else:
            self.reverse_again(statement, taken, self.passages)

    def reverse_again(self, statement: Assign, taken: dict, passages: dict[Any, Passage]) -> None:
        """Reverse an assignment that other adjoints come to as well, and may have come to."""
        found = passages.get(statement)
        self.start(taken)
        if found is not None and found.fits(self, taken):
            found.adopt(self)
        else:
            recorder = Recorder(self, dict(taken))
            self.expression(statement, statement.value, taken)
            new = recorder.passage()
            if new is not None:
                passages[statement] = new
        self.finish(statement)

    def augment(self, statement: Augment) -> None:
        cotangent = self.cotangents.take((statement.target.id, ()))
        applied = self.facts.applied.get(id(statement))
        if cotangent is None or applied is None:
            return
        self.start({(): cotangent})
        self.apply(statement, statement, applied, cotangent)
        self.finish(statement)

    def reverse(self, statement: Any, node: gast.AST, cotangents: dict) -> None:
        """Reverse one expression of a statement, whole."""
        self.start(cotangents)
        self.expression(statement, node, cotangents)
        self.finish(statement)

    def start(self, consumed: Mapping[Any, Cotangent] | None = None) -> None:
        """Begin with a statement, which ended what had the cotangents that it ``consumed``."""
        self.pending = []
        self.consumed = () if consumed is None else consumed.values()
        self.began = len(self.cotangents.out)

    def finish(self, statement: Any) -> None:
        free = free_memory(self.consumed, self.pending, self.cotangents.out[self.began:], self.operands)
        pending = [stays_own(new, free) for new in self.pending] if free else self.pending
        self.cotangents.contribute(pending, statement.location, self.facts.before[statement], free)

    # ---- expressions

    def expression(self, statement: Any, node: gast.AST, cotangents: dict) -> None:
        """Send cotangents, given by place in the value, from an expression's value to what it was made of."""
        value = self.facts.values[id(node)]
        if not value.active or not cotangents or node is self.staying:
            return
        if self.facts.has_complex or self.facts.gets_uncertain:
            cotangents = {path: self.matched(cotangent, item_at(value, path), node)
                          for path, cotangent in cotangents.items()}
        elif self.facts.has_uncertain:
            cotangents = {path: self.seen_to(cotangent) if is_real(item_at(value, path)) else cotangent
                          for path, cotangent in cotangents.items()}
        if isinstance(node, gast.Name):
            environment = self.facts.before[statement]
            version = environment.get(node.id)
            if version is None or version in self.direct and self.direct[version][0][0] not in environment:
                return  # a captured input: not differentiated
            for path, cotangent in self.by_leaves(cotangents, value).items():
                if version in self.direct and (node.id, path) not in self.cotangents.state and (
                        not path or isinstance(value, Items)):
                    sequence, place, inside = self.direct[version]
                    self.pending.append(Contribution(sequence, cotangent, place(), inside=(*inside, *path)))
                elif not ends_in_nothing(value, path):
                    self.pending.append(self.to_part(statement, node, path, cotangent))
        elif id(node) in self.facts.instead:
            self.expression(statement, self.facts.instead[id(node)], cotangents)
        elif isinstance(node, (gast.Tuple, gast.List)) or id(node) in self.facts.displays:
            cotangents = self.by_items(cotangents, value)
            ensure(all(path[0] in value.steps for path in cotangents), "a cotangent goes to no item")
            items = self.facts.displays[id(node)] if id(node) in self.facts.displays else node.elts  # noqa: SIM401
            for step, item in zip(value.steps, items):
                inner = {path[1:]: cotangent for path, cotangent in cotangents.items() if path[0] == step}
                if item is not None:
                    self.expression(statement, item, inner)
        elif id(node) in self.facts.applied:
            if isinstance(value, Items):
                self.several(statement, node, self.facts.applied[id(node)], self.by_items(cotangents, value))
            elif () in cotangents:
                self.apply(statement, node, self.facts.applied[id(node)], cotangents[()])
            else:
                self.elements(statement, node, cotangents)
        elif isinstance(node, gast.Subscript):
            self.index(statement, node, cotangents)
        elif isinstance(node, gast.BinOp) and isinstance(value, Items):
            self.joined_lists(statement, node, cotangents[()])
        elif isinstance(node, gast.Attribute):
            self.expression(statement, node.value, {(node.attr, *path): cotangent
                                                    for path, cotangent in cotangents.items()})
        else:
            raise UnsupportedError(f"{type(node).__name__} expressions of differentiated values are not supported yet",
                                   "write it as a statement", place_of(node, statement.location))

    def matched(self, cotangent: Cotangent, value: Abstract, node: gast.AST | None = None) -> Cotangent:
        """A cotangent as complex as its value: of a real one the real part; and a complex array, into which others may
        be added, for that of one, where more than its product with something is made of it."""
        expression = cotangent.expression
        applied = self.facts.applied.get(id(node))
        passing = applied is not None and applied.operation.rule.elementwise
        if is_real(value) and may_be_complex(cotangent.value) and not is_real_part(expression):
            expression = call(self.helpers.numpy("real"), expression)
        elif cotangent.full and isinstance(value, Numeric) and not value.is_number and not passing:
            expression = self.operands.widened(expression, value)
        if expression is cotangent.expression:
            return cotangent
        return Cotangent(expression, self.operands.evaluate(expression), cotangent.full, zero=cotangent.zero)

    def seen_to(self, cotangent: Cotangent) -> Cotangent:
        """A cotangent that must be real, and is not known to be: a complex one comes from numbers that were not known
        to be complex, and what they met is reversed wrongly."""
        if not may_be_complex(cotangent.value) or isinstance(cotangent.expression, gast.Constant):
            return cotangent
        expression = call(self.helpers.helper("real_only"), cotangent.expression)
        return Cotangent(expression, self.operands.evaluate(expression), cotangent.full, cotangent.owned,
                         cotangent.zero)

    def apply(self, statement: Any, node: Any, applied: Applied, cotangent: Cotangent) -> None:
        """The product of a cotangent with a rule's derivatives, one for each active operand."""
        operation, rule = applied.operation, applied.operation.rule
        if rule.function in (np.multiply, operator.mul) and not isinstance(node, Augment):
            factors = frozenset(self.operands.key(item, statement) for item in applied.nodes.values())
            self.products[factors] = node, statement
        parts = self.formulas(statement, node, applied, operation)
        if not rule.complex and self.facts.has_complex:
            for operand, value, _ in parts:
                if isinstance(value, Numeric) and may_be_complex(value):  # the rule is for real numbers
                    seen = call(self.helpers.helper("real_only"), self.operands.value(operand, statement))
                    self.cotangents.out.append(Evaluate(seen, statement.location))
        if scalar(cotangent) and moves(operation) and not self.facts.has_complex and all(
                isinstance(value, Numeric) for _, value, _ in parts):
            for operand, value, _ in parts:
                self.expression(statement, operand, {(): replace(cotangent, full=value.shape == (), owned=False)})
            return
        uses = sum([uses_of_cotangent(formula) for *_, formula in parts])
        if not cotangent.full and not (rule.elementwise and operation.result.shape is not None
                                       if isinstance(operation.result, Numeric) else False) \
                and not (rule.spreads and (scalar(cotangent) or all(formula.strip() == "g" for *_, formula in parts))):
            cotangent = self.fill(statement, node, operation.result, cotangent)
        signed = uses == len(parts) and self.sign_is_free(cotangent, parts)
        if uses > 1 and not signed and not is_trivial(cotangent.expression):
            variable = self.cotangents.names.fresh(f"{rule.name}_bar")
            self.cotangents.assign(variable, cotangent.expression, statement.location, cotangent.value)
            cotangent = Cotangent(name(variable), cotangent.value, cotangent.full, False)
        made: dict[str, Step] = {}
        # the sign of what a function is linear in may meet another one behind it
        minus = cotangent.expression.operand if (signed or len(parts) == 1) and not (
            rule.elementwise or rule.spreads) and isinstance(cotangent.expression, gast.UnaryOp) and all(
                isinstance(value, Numeric) for _, value, _ in parts) else None
        if minus is not None:
            cotangent = replace(cotangent, expression=minus, owned=False)
        # all of them first: of an operand whose value another's formula reads the shape need not be saved as well
        expressions = [self.instantiate(statement, node, applied, formula, cotangent, made) for *_, formula in parts]
        if minus is not None:
            expressions = [simplify(gast.UnaryOp(gast.USub(), expression)) for expression in expressions]
        bare = [last.id for last in (template(formula)[1] for *_, formula in parts) if isinstance(last, gast.Name)] \
            if made else []
        bar = cotangent.value if not isinstance(cotangent.expression, gast.Name) else self.operands.evaluate(
            cotangent.expression)
        for (operand, value, formula), expression in zip(parts, expressions):
            if isinstance(value, Items):
                own = cotangent.owned and len(parts) == 1 and not self.gives_each_the_same(expression)
                self.expression(statement, operand, {(): Cotangent(expression, passive(value), True, own)})
                continue
            known = of_doubles(operation, bar, cotangent.full, value, formula)
            found = self.operands.evaluate(expression) if known is None else self.operands.note(expression, known)
            if not rule.elementwise and isinstance(found, Numeric) and found.shape and shape_of(value) == ():
                expression = self.operands.sum(expression)  # of a number NumPy makes an array, as in np.cumsum(s)
                found = self.operands.evaluate(expression)
            if not rule.elementwise and not rule.spreads:
                found = formed_like(found, value)
            full = cotangent.full if rule.elementwise else True
            result = operation.result
            if rule.elementwise and not full and isinstance(found, Numeric) and isinstance(result, Numeric):
                full = found.shape is not None and found.shape == result.shape and None not in found.shape
            alone = len(parts) == 1 and expression is cotangent.expression and isinstance(value, Numeric) \
                and isinstance(found, Numeric) and found.dtype is not None and found.dtype == value.dtype
            new = Cotangent(expression, found, full, cotangent.owned and alone or self.is_new(expression, made, bare))
            if rule.elementwise:
                new = self.fit(statement, node, applied, operand, value, new)
            elif rule.spreads:
                new = self.maybe_spread(value, new)
            self.expression(statement, operand, {(): new})

    def sign_is_free(self, cotangent: Cotangent, parts: list[tuple[gast.AST, Abstract, str]]) -> bool:
        """Whether ``-x_bar`` needs no name to go into several products: a number's sign costs nothing, nor does that of
        what is taken off a cotangent that is there, ``a_bar -= x_bar * b``, or summed up to a number."""
        node = cotangent.expression
        if not (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and isinstance(
                node.operand, gast.Name) and isinstance(cotangent.value, Numeric)):
            return False
        return cotangent.value.shape == () or sum(
            not (isinstance(value, Numeric) and value.shape == ()) and not (
                isinstance(operand, gast.Name) and self.cotangents.is_nonzero((operand.id, ())))
            for operand, value, _ in parts) < 2

    # ---- calls of functions with adjoints of their own

    def user_call(self, statement: Assign, called: Called, cotangents: dict) -> None:
        self.start()
        ends = {place: cotangent for place, cotangent in cotangents.items() if place and isinstance(place[0], End)}
        cotangents = {**self.by_leaves({place: cotangent for place, cotangent in cotangents.items()
                                        if place not in ends}, called.derivative.facts.result), **ends}
        handed_in = self.handed_in(statement, called, cotangents.values())
        cotangents.update(handed_in)
        places = tuple(place for place in (*called.derivative.leaves, *called.derivative.facts.exits(), *handed_in)
                       if place in cotangents)
        ensure(not any(item_at(called.derivative.facts.result, place).active for place in cotangents
                       if place not in places and place not in ends), "a cotangent of a call's result goes nowhere")
        seeds = [cotangents[place] for place in places]
        wanted = called.derivative.name
        table = called.derivative.adjoints(tuple(called.active), places)
        again = called.derivative.session.again
        nodes = {called.derivative.parameters[index]: called.arguments[index] for index in called.active}
        handed = None if again else table.handed_on
        if handed is not None:
            self.handed_on(statement, nodes, zip(table.wanted, (seeds[number] for number in handed)))
            return
        single = not again and table.of_one_path
        found = table.by_name() if again else table.only() if single else table
        adjoint = self.helpers.inject(("adjoint", id(called.derivative), tuple(called.active), places),
                                      f"{called.derivative.label}_adjoint", found)
        self.helpers.adjoints[adjoint.id] = table
        if not again:
            table.called = table.called or adjoint.id
        block = self.operands.block
        if not single:
            path_id = name(self.operands.captures.callee(statement, "path", wanted, block, INTEGER))
        saved = name(self.operands.captures.callee(statement, "saved", wanted, block, Numeric()))
        arguments = []
        for place, seed in zip(places, seeds):
            seed = self.filled_result(statement, place, seed)
            inside = called.derivative.facts
            known = item_at(inside.end(place[0].parameter), place[1:]) if place and isinstance(place[0], End) \
                else item_at(inside.result, place)
            if self.facts.has_complex or self.facts.gets_uncertain:
                seed = self.matched(seed, known)
            arguments.append(self.operands.cast(seed.expression, known))
        values = list(nodes.values())
        parts: list[str] = []
        put_back: list[Store] = []
        received: dict[str, dict[tuple, str]] = {}
        loose = called.derivative.facts.gives_loose
        with self.cotangents.reading(*arguments):
            for parameter, path in ((item, ()) if isinstance(item, str) else item for item in table.wanted):
                node = nodes[parameter]
                end = (End(parameter), *path)
                if end in handed_in:
                    there = handed_in[end].expression
                    if isinstance(there, gast.Name):
                        parts.append(there.id)
                    else:
                        parts.append(self.part_name(statement, node, path, values, True))
                        put_back.append(Store(there, name(parts[-1]), statement.location))
                    continue
                if (End(parameter),) in cotangents:  # its array's cotangent, it is again
                    parts.append(self.cotangents.bar((node.id, ())))
                    self.cotangents.rescue(parts[-1], statement.location, written=True)
                else:
                    parts.append(self.part_name(statement, node, path, values, loose(parameter, path)))
                received.setdefault(parameter, {})[path] = parts[-1]
        given = [path_id, saved, *arguments] if again else [saved, *arguments]
        run = call(adjoint if again or single else subscript(adjoint, path_id), *given)
        self.cotangents.out += [Assign(tuple(parts), run, statement.location), *put_back]
        for parameter, found in received.items():
            node, leaves = nodes[parameter], {}
            for path, part in found.items():
                value = item_at(self.facts.values[id(node)], path)
                self.operands.remember(part, self.operands.handed_over(passive(value)))
                found_in = self.whole(name(part), value, (parameter, path) in table.wanted and loose(
                    parameter, path))
                leaves.update({(*path, *leaf): cotangent for leaf, cotangent in found_in.items()})
            self.expression(statement, node, leaves)
        self.finish(statement)

    def handed_on(self, statement: Assign, nodes: dict[str, gast.AST], cotangents: Iterable[tuple[Any, Cotangent]]
                  ) -> None:
        """A call of a constructor that only keeps what it gets: the cotangents of its attributes are those of its
        arguments."""
        received: dict[str, dict[tuple, Cotangent]] = {}
        for wanted, cotangent in cotangents:
            parameter, path = (wanted, ()) if isinstance(wanted, str) else wanted
            received.setdefault(parameter, {})[path] = cotangent
        for parameter, found in received.items():
            self.expression(statement, nodes[parameter], found)
        self.finish(statement)

    def part_name(self, statement: Assign, node: gast.AST, path: tuple, arguments: list[gast.AST], loose: bool) -> str:
        """The variable for what a callee's adjoint gives for an argument, or for a part of one: that of its cotangent,
        where this is all that there is of it so far. ``loose``: of a list, too."""
        if not isinstance(node, gast.Name):
            return self.cotangents.names.fresh("_".join([self.operands.wanted(node), *map(label, path), "bar"]))
        version, key = self.facts.before[statement].get(node.id), (node.id, path)
        known = None if version is None else item_at(version.value, path)
        alone = isinstance(known, Numeric) or loose and path and isinstance(known, Items) and known.items is None
        if version is None or version in self.direct or not alone \
                or id(node) in self.facts.passing or key in self.cotangents.state \
                or sum(isinstance(other, gast.Name) and other.id == node.id for other in arguments) > 1:
            return self.cotangents.names.fresh("_".join([node.id, *map(label, path), "part"]))
        variable = self.cotangents.bar(key)
        self.cotangents.rescue(variable, statement.location)
        return variable

    def whole(self, expression: gast.AST, value: Abstract, loose: bool) -> dict:
        """The cotangents in what has the structure of a value and is owned by this adjoint. ``loose``: as it is, all of
        it can be added to."""
        found = {}
        for path in static_leaves(value):
            item, part = item_at(value, path), accessed(expression, value, path)
            if is_rigid(item) and not loose:
                part = call(self.helpers.helper("loosened"), part)
            found[path] = Cotangent(part, passive(item), True, True)
        return found

def is_real_part(node: gast.AST) -> bool:
    """Whether an expression is the real part of something, or real numbers times that."""
    if isinstance(node, gast.BinOp):
        return is_real_part(node.left) and is_real_part(node.right)
    if isinstance(node, gast.UnaryOp):
        return is_real_part(node.operand)
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Attribute) and node.func.attr == "real"
    return isinstance(node, gast.Constant) and isinstance(node.value, (int, float)) \
        or isinstance(node, gast.Attribute) and node.attr == "size"


def ends_in_nothing(value: Abstract, path: tuple) -> bool:
    """Whether there is None on the way to a place, as at the end of what is linked: only in other turns of a loop
    is there something beyond."""
    return any(known_value(item_at(value, path[:count])) is None for count in range(len(path)))


def is_rigid(value: Abstract) -> bool:
    """Whether a container is, or holds, a tuple, dataclass or object: to its parts nothing can be added in place."""
    if not isinstance(value, Items):
        return False
    parts = value.items if value.items is not None else [value.element]
    return not (value.kind is list or value.is_dict) or any(map(is_rigid, parts))


MOVING = frozenset((
    np.reshape, np.ravel, np.squeeze, np.expand_dims, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.roll,
    np.matrix_transpose, np.flip, np.fliplr, np.flipud, np.rot90, np.concatenate, np.stack, np.vstack, np.hstack,
    np.dstack, np.column_stack, np.atleast_1d, np.atleast_2d, np.atleast_3d))
MOVING_MEMBERS = ("T", "mT", "reshape", "flatten")
"""Of arrays, those that do so."""


def moves(operation: Operation) -> bool:
    """Whether a result has each element of the operands in one place, so that all have one cotangent where the result's
    elements have. (Other views may have some in several places, or not at all.)"""
    function = operation.rule.function
    if function in (np.array, np.asarray):
        return not operation.given("dtype")
    return function in MOVING or isinstance(function, Member) and function.name in MOVING_MEMBERS
