"""A rule applied to operands: its result, whether that is active, and what is refused."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler import objects
from s2sgrad.compiler.evaluation import Evaluation, NeedsName
from s2sgrad.compiler.facts import Applied
from s2sgrad.compiler.nodes import tuple_of
from s2sgrad.compiler.telling import reads_number
from s2sgrad.containers import in_library
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import (
    ANY,
    MISSING,
    Abstract,
    Items,
    Numeric,
    Opaque,
    as_numeric,
    can_be_active,
    grown,
    holds_names,
    is_not_complex,
    known_value,
    passive,
)
from s2sgrad.rules.dims import broadcast
from s2sgrad.rules.results import result_of
from s2sgrad.rules.table import STRUCTURE, ZERO, NeedsValue, Operation, Rule, refuse_complex

NUMBERS = {Numeric}
KEEP_NONE = {runtime.held, runtime.zero_tangent}
"""Helpers that give None for None, and else what has the form of what they get."""
_of_numbers: dict[tuple, tuple[Numeric, Numeric]] = {}
"""What rules give for numbers and arrays, which is the same wherever they are applied: the passive result, and what it
is where it is differentiated."""


class Applying(Evaluation):
    """Operations with a rule."""

    def apply(self, node: Any, rule: Rule, nodes: dict[str, gast.AST], operands: dict[str, Abstract]) -> Abstract:
        """The result of a rule: passive if the rule is constant or none of its operands is active."""
        if not NUMBERS.issuperset(map(type, operands.values())):
            return self.looked_into(node, rule, nodes, operands)
        key = (rule, *operands.items())
        known = _of_numbers.get(key)
        if known is not None:
            self.facts.applied[id(node)] = Applied(Operation(rule, operands, known[0]), nodes)
            return known[self.passive_context == 0]
        found = self.looked_into(node, rule, nodes, operands)
        if type(found) is Numeric and not self.passive_context:
            if len(_of_numbers) > 10_000:
                _of_numbers.clear()
            _of_numbers[key] = self.facts.applied[id(node)].operation.result, found  # type: ignore[assignment]
        return found

    def may_be_of_integers(self, node: gast.AST) -> bool:
        """Whether an expression gives a dtype, or one of several, that is not known, or not of floats."""
        if isinstance(node, gast.IfExp):
            return self.may_be_of_integers(node.body) or self.may_be_of_integers(node.orelse)
        known = known_value(self.facts.values.get(id(node), ANY))
        return known is MISSING or known is not None and np.dtype(known).kind not in "fc"

    def looked_into(self, node: Any, rule: Rule, nodes: dict[str, gast.AST], operands: dict[str, Abstract]) -> Abstract:
        """The same, of operands of any kind."""
        numbers = NUMBERS.issuperset(map(type, operands.values()))
        active = True in [value.active for value in operands.values()]
        operation, given = Operation(rule, operands), operands
        if not numbers:
            if not self.program.is_generated and reads_number(rule.function, operands.values()):
                self.facts.numbers_read.append(self.node_location(node))
            if rule.constant or is_helper(rule.function):  # some of those take None as it is
                operands = {name: replace(value, besides=None) if isinstance(value, Opaque) else value
                            for name, value in operands.items()}
            for name, value in operands.items():
                if active and isinstance(value, Opaque) and value.kind not in (None, range) \
                        and not self.passive_context and rule.takes_array(name):
                    raise self.refusal(f"what arithmetic does with a {value.kind.__name__} is not known",
                                       "make a number or an array of it first", nodes[name])
                if active and not rule.constant and not self.passive_context:
                    self.refuse_own_arrays(nodes[name], value)
                if not is_helper(rule.function) and self.is_object(rule, value, nodes[name], active):
                    return Opaque()
            operation.operands = {name: as_numeric(passive(value)) for name, value in operands.items()}
        elif active:
            operation.operands = {name: value.with_activity(False)  # type: ignore[union-attr]
                                  for name, value in operands.items()}
        if rule.check is not None:
            self.at_node(node, rule.check, operation)
        result = result_of(operation)
        if active and "dtype" in operands and not rule.constant and not self.program.is_generated \
                and not self.passive_context and isinstance(result, Numeric) and result.dtype is None \
                and not in_library(self.program.owner.__module__) and self.may_be_of_integers(nodes["dtype"]):
            raise self.refusal(
                "nothing tells before the call of which dtype this is, and one of whole numbers would have no "
                "derivative",
                "write the dtype out, or take that of an array: dtype=x.dtype", node)
        perhaps_none = next((value for value in given.values() if isinstance(value, Opaque)), None) \
            if rule.function in KEEP_NONE else None
        if numbers and rule.elementwise and isinstance(result, Numeric) and result.shape is None:
            result = with_grown(result, list(operands.values()))  # type: ignore[arg-type]
        if isinstance(result, Items) and result.items is not None:
            parts = [self.with_sizes((id(node), index), item) for index, item in enumerate(result.items)]
            result = replace(result, items=tuple(parts))
        operation.result = result
        if active:
            operation.operands = operands if numbers else {name: as_numeric(value) for name, value in operands.items()}
            if rule.constant and not self.passive_context:
                self.at_node(node, refuse_complex, operation)
        applied = Applied(operation, nodes)
        self.facts.applied[id(node)] = applied
        if not active or rule.constant or self.passive_context:
            return result if perhaps_none is None else passive(perhaps_none)
        if isinstance(result, Numeric) and result.dtype is not None and result.dtype.kind not in "biufc":
            raise self.refusal(f"this gives an array of dtype {result.dtype}, which carries no derivative",
                               "make one of floats, or keep the values in a list", node)
        if not numbers:
            for name, value in operands.items() if isinstance(node, gast.Call) else ():  # operators fail on containers
                self.refuse_mixture(value, nodes[name])
            applied.nodes = {name: self.operand(rule, operand, operands[name]) for name, operand in nodes.items()}
        smooth = self.is_smooth(node, applied)
        if perhaps_none is not None:
            return perhaps_none
        if isinstance(result, Items):
            return self.several(node, operation, smooth)
        if isinstance(result, Numeric):
            return result.with_activity(smooth and can_be_active(result))
        return Opaque(smooth)

    def is_smooth(self, node: Any, applied: Applied) -> bool:
        """Whether the result of a rule depends smoothly on an operand, or on an item of one. Raises UnsupportedError
        for those in which the rule has no derivative."""
        rule, smooth = applied.operation.rule, False
        for name, path, operand, value in applied.active_operands():
            if isinstance(value, Opaque):  # an item of a list: a number, or None
                if path and isinstance(node, gast.Call):
                    self.refuse_mixture(value, operand)
                value = as_numeric(value)
            formula = rule.partials.get(name)
            if formula is ZERO or formula is not None and formula.of_complex_alone and is_not_complex(value):
                continue
            if isinstance(value, Items) and name not in rule.each:
                raise self.refusal(f"{rule.title} takes a list of differentiated values only where it is written out",
                                   "write the list in the call", operand)
            if holds_names(value) and not rule.partials[name].takes_nested:
                raise self.refusal(f"{rule.title} is not differentiated in a named tuple here",
                                   "make a list of its fields: [pair.first, pair.second]", operand)
            if name not in rule.partials and can_be_active(value):
                raise self.refusal(f"{rule.title} has no derivative with respect to {name}",
                                   "keep that argument constant, or add a rule with s2sgrad.rule", operand)
            smooth = smooth or can_be_active(value) or isinstance(value, Items)
        return smooth

    def is_object(self, rule: Rule, value: Abstract, node: gast.AST, active: bool) -> bool:
        """Whether a function gets an object of the user's, or a dict for an array, of which nothing is known then; that
        is refused where something that it gets is differentiated (``active``)."""
        makes_array = getattr(rule.function, "__module__", None) != "builtins"
        for found in objects.objects_in(value, dicts=makes_array):
            if active and not rule.constant and not self.passive_context:
                chooses = any(rule.function is one for one in (max, min, sorted))
                remedy = "tell what it compares: key=lambda item: item.x" if chooses else \
                    "make a number or an array of it first"
                raise self.refusal(f"what {rule.title} does with a {found.kind.__name__} is not known", remedy, node)
            return True
        return False

    def refuse_own_arrays(self, node: gast.AST, value: Abstract) -> None:
        """Raises UnsupportedError for an object from outside that says itself what NumPy makes of it: adjoints would
        ask it again."""
        for kind in objects.kinds_outside(value):
            if any(objects.is_users(objects.found_in(kind, label)) for label in objects.OF_ARRAYS):
                raise self.refusal(f"what arithmetic does with a {kind.__name__} is not known",
                                   "make a number or an array of it first", node)

    def at_node(self, node: Any, check: Callable[[Operation], None], operation: Operation) -> None:
        """Run a check that knows nothing of places."""
        try:
            check(operation)
        except UnsupportedError as error:
            error.location = self.node_location(node)
            raise

    def several(self, node: Any, operation: Operation, smooth: bool) -> Abstract:
        """The results of a function with several: those that its rule has a derivative for carry one."""
        rule, result = operation.rule, operation.result
        assert isinstance(result, Items)
        if result.items is None:
            if rule.parts:
                for name in STRUCTURE & set(operation.operands):
                    try:
                        operation.known(name)
                    except NeedsValue as need:
                        need.location = self.node_location(node)
                        raise
                raise self.refusal(f"how many results {rule.title} gives is not known before the call",
                                   "give it what decides that as a literal, or in an argument", node)
        elif rule.parts:
            parts = operation.parts
            items = [passive(item) if index not in parts or not isinstance(item, Numeric) else
                     item.with_activity(smooth and can_be_active(item)) for index, item in enumerate(result.items)]
            return replace(result, items=tuple(items))
        if smooth and any(can_be_active(item) for item in result.items or (result.element,)):
            raise self.refusal(f"{rule.title} gives several results", "use the parts' own functions", node)
        return result

    def operand(self, rule: Rule, node: gast.AST, value: Abstract) -> gast.AST:
        """The expression of an operand as formulas refer to it."""
        if not rule.each and value.active and isinstance(node, gast.Call) and isinstance(value, Items) \
                and value.items is not None:  # formulas ask for its parts, as of cho_solve(cho_factor(a), b)
            raise NeedsName(node, self.refusal(
                f"{rule.title} takes a list of differentiated values only where it is written out",
                "write the list in the call", node))
        return self.written_out(node, value)

    def written_out(self, node: gast.AST, value: Abstract) -> gast.AST:
        """A list under a name as the list of its items, ``[name[0], name[1]]``, where their number is known."""
        if isinstance(node, (gast.List, gast.Tuple)):  # [*xs, y]
            display: Any = self.facts.spelled.get(id(node), node)
            if not holds_names(value):
                return display
            return self.display(node, [self.written_out(item, self.facts.value(item)) for item in display.elts])
        if not (isinstance(value, Items) and value.items is not None and value.active):
            return node
        items: list | None = None
        if is_place(node):
            items = [self.part(node, value, step) for step in value.steps]
        elif value.is_named:
            items = self.facts.displays.get(id(node))
        if items is None or None in items:
            return node
        return self.display(node, [self.written_out(item, self.facts.value(item)) for item in items])

    def display(self, node: gast.AST, items: list[gast.AST]) -> gast.AST:
        """A tuple of expressions, in the place of another expression."""
        made = gast.copy_location(tuple_of(items), node)
        self.facts.values[id(made)] = Items(tuple, tuple(map(self.facts.value, items)))
        return made


def is_place(node: Any) -> bool:
    """Whether an expression is a name, or an item of one at a place that is written out: ``table[0][1]``."""
    while isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant):
        node = node.value
    return isinstance(node, gast.Name)


def is_helper(function: Any) -> bool:
    """Whether this is a function that adjoints call, which are differentiated again: those know objects."""
    return str(getattr(function, "__module__", "")).startswith("s2sgrad.runtime")


def with_grown(result: Numeric, operands: list[Numeric]) -> Numeric:
    """The result of an elementwise operation, with what the shapes that constant numbers grow to tell of its shape."""
    if all(value.grown is None for value in operands):
        return result
    shapes = [value.cotangent_shape for value in operands]
    sure = [value for value in operands if value.shape is not None]
    whole = None if None in shapes else broadcast(*shapes)
    if whole and None not in whole and whole == broadcast(*(value.shape for value in sure)):  # the others fit into it
        kind = "array" if any(value.shape and value.kind == "array" for value in sure) else "any"
        return replace(result, kind=kind, shape=whole)
    return replace(result, grown=grown(*operands))
