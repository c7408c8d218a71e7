"""The chain rule forwards: the tangent of an expression, from the tangents of the names in it."""
from __future__ import annotations

import copy
import functools
import re
from collections.abc import Iterable
from typing import Any

import gast

from s2sgrad.compiler.algebra import add, is_number, is_trivial, simplify, template
from s2sgrad.compiler.chain import Chain
from s2sgrad.compiler.cotangents import Cotangent
from s2sgrad.compiler.facts import Applied, Facts, Version
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import Names, attribute, call, constant, name, names_in, subscript, tuple_of
from s2sgrad.compiler.program import Assign, Augment
from s2sgrad.compiler.results import uses_of_cotangent
from s2sgrad.compiler.structures import made_of, structure
from s2sgrad.compiler.unparse import unparse
from s2sgrad.compiler.values import Values
from s2sgrad.errors import Location, UnsupportedError, place_of
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import (
    ANY,
    FLOAT,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    is_a_number,
    is_complex,
    is_real,
    known_value,
    may_be_complex,
    may_go_round,
    passive,
)
from s2sgrad.rules.dims import broadcast
from s2sgrad.rules.table import ZERO, Formula, NeedsValue, Operation, Rule, refuse_complex, refuse_layout

LONG = 48
"""Tangents of more characters get a name before they go into a formula."""
OWN_TANGENT = re.compile(r"'[^']*'|\b(t)\b")
"""A text in a formula, in which nothing has a name (``np.einsum('it,t->i', ...)``), or an operand's tangent."""


@frozen(eq=False)
class Tangent:
    expression: gast.AST
    full: bool = True
    """It has its value's shape; else it only broadcasts to that."""


class Tangents:
    """The tangents of one statement's expressions.

    ``needed`` are the versions of names that have tangents; with ``careful`` a tangent shares memory with no other
    unless their values do.
    """

    def __init__(self, facts: Facts, values: Values, helpers: Helpers, names: Names, needed: set[Version],
                 careful: bool):
        self.facts = facts
        self.values = values
        self.helpers = helpers
        self.names = names
        self.needed = needed
        self.careful = careful
        self.dots: dict[str, str] = {}
        self.chain = Chain(facts, values, self, helpers)  # type: ignore[arg-type]
        self.steps: list = []
        """What comes before the tangent: steps of formulas, tangents that are read twice."""
        self.made: set[str] = set()
        """The names that steps have bound."""
        self.statement: Any = None

    def start(self, statement: Any, made: dict[Version, str], result: str | None = None) -> None:
        self.statement = statement
        self.steps = []
        self.values.start(made, result)
        self.values.location = statement.location

    def dot(self, label: str) -> str:
        """The variable that holds a name's tangent."""
        if label not in self.dots:
            self.dots[label] = self.names.fresh(f"{label}_dot", pin=True)
        return self.dots[label]

    def assign(self, target: str, value: gast.AST, location: Location) -> None:
        self.steps.append(Assign(target, value, location))
        self.made.add(target)
        self.values.remember(target, self.values.evaluate(value))

    # ---- tangents that leave the expression

    def whole(self, node: gast.AST, value: Abstract | None = None) -> gast.AST:
        """The tangent of an expression as a name or a container may hold it: in full shape, of the value's dtype, in
        memory of its own where the value has its own; zeros where there is none."""
        value = self.facts.values[id(node)] if value is None else value
        tangent = self.of(node)
        if tangent is None:
            if isinstance(value, Items) and value.items and (
                    id(node) in self.facts.displays or isinstance(node, (gast.Tuple, gast.List))):
                return self.display(node, value)
            return self.values.zero(self.values.value(node, self.statement), passive(value))
        return self.own(node, self.cast(self.filled(node, tangent), value), self.facts.values[id(node)])

    def filled(self, node: Any, tangent: Tangent) -> gast.AST:
        if tangent.full:
            return tangent.expression
        return call(self.helpers.numpy("broadcast_to"), tangent.expression,
                    self.chain.value_shape(self.statement, node))

    def cast(self, expression: gast.AST, value: Abstract) -> gast.AST:
        """The tangent in its value's dtype: a Python float stays one, for others widen single precision, and one of
        NumPy's numbers, which have methods."""
        if not isinstance(value, Numeric) or value.dtype is None or is_number(expression):
            return expression
        found = self.values.evaluate(expression)
        known = isinstance(found, Numeric) and found.dtype is not None
        if known and found.dtype == value.dtype and found.kind == "python" and value.kind == "scalar":
            return call(self.helpers.numpy(value.dtype.name), expression)
        if self.facts.uniform or known and found.dtype == value.dtype and (
                value.kind != "python" or found.kind == "python"):
            return expression
        if is_real(value) and self.facts.has_complex and not is_real(found):
            expression = call(self.helpers.numpy("real"), expression)
        if value.kind == "python":
            return call(self.helpers.builtin("complex" if is_complex(value) else "float"), expression)
        if value.is_number:
            return call(self.helpers.numpy(value.dtype.name), expression)
        return call(self.helpers.numpy("asarray"), expression, self.helpers.numpy(value.dtype.name))

    def own(self, node: Any, expression: gast.AST, given: Abstract) -> gast.AST:
        """The tangent in memory of its own, where the value that is ``given`` is in new memory and something may be
        written into: that of a number, ``p * 1.0`` of an array without axes, as one that nothing else changes, and that
        of such an array as one."""
        node = self.facts.instead.get(id(node), node)
        applied = self.facts.applied.get(id(node))
        value = self.values.evaluate(expression)
        if isinstance(value, Numeric) and value.kind == "array" and value.shape == () and is_a_number(given):
            return subscript(expression, tuple_of([]))
        if self.careful and is_a_number(value) and isinstance(given, Numeric) and given.kind == "array" \
                and given.shape == ():
            return call(self.helpers.numpy("asarray"), expression)
        if not self.careful or applied is None or applied.operation.sharing != "fresh" \
                or self.values.is_fresh(expression) or isinstance(value, Numeric) and value.is_number:
            return expression
        if isinstance(value, Numeric) and value.kind == "array":
            return call(attribute(expression, "copy"))
        return call(self.helpers.helper("held"), expression)

    def viewed(self, node: Any, expression: gast.AST, rule: Rule | None = None) -> gast.AST:
        """The same of an operand of which the value of the whole, ``np.ravel(p * 1.0)``, may be a view."""
        return expression if not self.careful or rule is not None and rule.sharing == "fresh" else self.own(
            node, expression, self.facts.values[id(node)])

    # ---- expressions

    def of(self, node: gast.AST) -> Tangent | None:
        """The tangent of an expression; None where it is zero."""
        value = self.facts.values[id(node)]
        if not value.active:
            return None
        if isinstance(node, gast.Name):
            version = self.facts.before[self.statement].get(node.id)
            if version is None or version not in self.needed:
                return None
            self.values.remember(self.dot(node.id), passive(version.value))
            return Tangent(name(self.dot(node.id)))
        if isinstance(node, (gast.Subscript, gast.Attribute)) and isinstance(
                self.facts.values.get(id(node.value)), Items):
            return self.item(node)
        if id(node) in self.facts.instead:
            inner = self.of(self.facts.instead[id(node)])
            if inner is None or not isinstance(value, Items) or value.items is not None:
                return inner
            return Tangent(made_of(value, inner.expression, self.helpers))  # list(xs): another list
        if isinstance(node, gast.BinOp) and isinstance(value, Items):
            sides = [self.whole(side) if isinstance(self.facts.values[id(side)], Items) else self.values.value(
                side, self.statement) for side in (node.left, node.right)]  # a list may come several times
            return Tangent(gast.BinOp(sides[0], node.op, sides[1]))
        if id(node) in self.facts.displays or isinstance(node, (gast.Tuple, gast.List)):
            assert isinstance(value, Items)
            return Tangent(self.display(node, value))
        if id(node) in self.facts.applied:
            return self.apply(node, self.facts.applied[id(node)])
        if isinstance(node, gast.Subscript):
            base = self.of(node.value)
            if base is None:
                return None
            whole = self.viewed(node.value, self.filled(node.value, base))
            return Tangent(simplify(subscript(whole, self.values.value(node.slice, self.statement))))
        raise UnsupportedError(f"{type(node).__name__} expressions of differentiated values are not supported yet",
                               "write it as a statement", place_of(node, self.statement.location))

    def item(self, node: Any) -> Tangent | None:
        """A part of a container."""
        index = self.index_of_result(node)
        if index is not None:
            return self.part(node.value, index, self.steps_of_several(node.value))
        base = self.of(node.value)
        if base is None:
            return None
        if isinstance(node, gast.Attribute):
            return Tangent(attribute(base.expression, node.attr))
        return Tangent(subscript(base.expression, self.values.value(node.slice, self.statement)))

    def display(self, node: Any, value: Items) -> gast.AST:
        """A container of tangents, for one that is written out."""
        parts = self.facts.displays[id(node)] if id(node) in self.facts.displays else node.elts  # noqa: SIM401
        tangents = [self.default(item) if part is None else self.whole(part, item)
                    for part, item in zip(parts, value.items or ())]
        return structure(value, tangents, self.helpers)

    def default(self, value: Abstract) -> gast.AST:
        """The tangent of a field that is left to its default."""
        return constant(0.0 if isinstance(value, Numeric) and value.is_number else None)

    # ---- rules

    def apply(self, node: Any, applied: Applied) -> Tangent | None:
        """The sum of what the tangent of each active operand adds to the result's."""
        operation, rule = applied.operation, applied.operation.rule
        if self.has_parts(node):
            results = self.facts.values[id(node)]
            assert isinstance(results, Items)
            return Tangent(structure(results, self.parts(node, range(len(results.steps))), self.helpers))
        terms: list[tuple[gast.AST, set[str]]] = []
        for group in rule.linear_groups:
            if any(operation[parameter].active for parameter in group):
                self.refuse(node, applied)
                terms.append(self.same_call(node, applied, group))
        told = {parameter for group in rule.linear_groups for parameter in group}
        for parameter, path, operand, value in applied.active_operands():
            if parameter in told or rule.partials.get(parameter, ZERO) is ZERO:
                continue
            text = self.formula(node, applied, parameter, path, value)
            tangent = self.of(operand) if text != ZERO else None
            if tangent is not None:
                terms.append(self.term(node, applied, parameter, operand, text, tangent))
        if not terms:
            return None
        total = functools.reduce(added, [term for term, _ in terms])
        covered = set().union(*(names for _, names in terms))
        return Tangent(total, not rule.elementwise or self.is_full(applied, covered))

    # ---- functions with several results

    def has_parts(self, node: Any) -> bool:
        """Whether an expression gives several results of which each has a formula for its tangent."""
        applied = self.facts.applied.get(id(node))
        return applied is not None and isinstance(applied.operation.result, Items) \
            and bool(parts := applied.operation.parts) and not isinstance(parts, range)

    def index_of_result(self, node: Any) -> int | None:
        """Which of several results ``np.linalg.eigh(a)[0]`` or ``np.linalg.eigh(a).eigenvalues`` is."""
        if not self.has_parts(node.value):
            return None
        results = self.facts.values[id(node.value)]
        assert isinstance(results, Items)
        if isinstance(node, gast.Attribute):
            return results.steps.index(node.attr)
        index = known_value(self.facts.values.get(id(node.slice), ANY))
        return index % len(results.steps) if isinstance(index, int) else None

    def steps_of_several(self, node: Any) -> dict[tuple[str, tuple], tuple[gast.AST, dict]]:
        """For each active operand of a function with several results, its parameter and its place in a list: its
        tangent, and the steps that have been made of it."""
        applied = self.facts.applied[id(node)]
        self.refuse(node, applied)
        found: dict[tuple[str, tuple], tuple[gast.AST, dict]] = {}
        for parameter, path, operand, _ in applied.active_operands():
            if applied.operation.rule.partials.get(parameter, ZERO) is ZERO:
                continue
            if parameter not in applied.operation.rule.tangent:
                raise self.without_tangent(node, applied, f"in {parameter}")
            tangent = self.of(operand)
            if tangent is not None:
                found[parameter, path] = self.under_a_name(operand, self.filled(operand, tangent)), {}
        return found

    def part(self, node: Any, index: int, operands: dict[tuple[str, tuple], tuple[gast.AST, dict]]) -> Tangent | None:
        """The tangent of one of several results."""
        applied = self.facts.applied[id(node)]
        terms = []
        for (parameter, path), (tangent, made) in operands.items():
            texts = self.located(node, applied.operation.rule.tangent[parameter], applied.operation.reaching((index,)),
                                 path)
            terms += [self.chain.instantiate(self.statement, node, applied, text, {"t": tangent}, made)
                      for text in texts]
        if not terms:
            return None
        results = self.facts.values[id(node)]
        assert isinstance(results, Items) and results.items is not None
        return Tangent(self.own(node, functools.reduce(added, terms), results.items[index]))

    def parts(self, node: Any, wanted: Iterable[int]) -> list[gast.AST]:
        """The tangents of some of several results, zeros where there are none."""
        results = self.facts.values[id(node)]
        assert isinstance(results, Items) and results.items is not None
        operands, found = self.steps_of_several(node), []
        for index in wanted:
            item = results.items[index]
            tangent = self.part(node, index, operands) if item.active else None
            found.append(self.cast(tangent.expression, item) if tangent is not None else self.values.zero(
                self.chain.part_of_result(self.statement, node, index), passive(item)))
        return found

    def without_tangent(self, node: Any, applied: Applied, how: str) -> UnsupportedError:
        return UnsupportedError(f"{applied.operation.rule.title} has no derivative forwards {how}",
                                "differentiate in reverse, with s2sgrad.vjp", place_of(node, self.statement.location))

    def refuse(self, node: Any, applied: Applied) -> None:
        """What every formula refuses is refused where there is none."""
        try:
            refuse_complex(applied.operation)
            refuse_layout(applied.operation)
        except UnsupportedError as error:
            error.location = error.location or place_of(node, self.statement.location)
            raise

    def formula(self, node: Any, applied: Applied, parameter: str, path: tuple, value: Abstract) -> str:
        """The text of what an operand's tangent, ``g`` in it, adds to the result's; of a reduction, the factor that
        comes before it in the sum."""
        operation, rule = applied.operation, applied.operation.rule
        formula = rule.tangent.get(parameter)
        told = formula is not None
        if not told and (rule.elementwise or rule.spreads):
            formula = rule.partials[parameter]
        spread_another = rule.spreads and not told and (
            parameter != rule.parameters[0].name or "axis" not in [item.name for item in rule.parameters])
        if formula is None or rule.parts and isinstance(operation.result, Items) or spread_another:
            raise self.without_tangent(node, applied, f"in {parameter}")
        if not isinstance(formula, Formula):
            return str(formula)
        several = isinstance(operation[parameter], Items) and not isinstance(value, Items)
        text = self.located(node, formula, operation, path if several else ())
        assert isinstance(text, str), "only functions with several results have formulas in parts"
        if told:
            return OWN_TANGENT.sub(lambda found: found[0] if found[1] is None else "g", text)
        return text if not rule.elementwise or uses_of_cotangent(text) or text == ZERO else f"g * ({text})"

    def located(self, node: Any, formula: Formula, operation: Operation, path: tuple = ()) -> Any:
        """A formula's text; what is refused there is refused at the expression."""
        try:
            return formula(operation, path)
        except (UnsupportedError, NeedsValue) as error:
            error.location = error.location or place_of(node, self.statement.location)
            raise

    def term(self, node: Any, applied: Applied, parameter: str, operand: gast.AST, text: str, tangent: Tangent
             ) -> tuple[gast.AST, set[str]]:
        """One operand's term, and the operands whose shapes it has at least; ``y`` stands for the result."""
        rule = applied.operation.rule
        if rule.spreads and parameter not in rule.tangent:
            expression = self.filled(operand, tangent)
            return self.reduced(node, applied, text, self.under_a_name(operand, expression)), set()
        full = tangent.full or not rule.elementwise
        expression = tangent.expression if rule.elementwise else self.filled(operand, tangent)
        expression = self.viewed(operand, expression, rule)
        if uses_of_cotangent(text) > 1 or text != "g" and len(unparse(expression)) > LONG:
            expression = self.under_a_name(operand, expression)
        g = Cotangent(expression, self.values.evaluate(expression))
        covered = {*mentioned(text), *([parameter] if full else [])}
        made = self.chain.instantiate(self.statement, node, applied, text, g, {})
        return self.real_part(applied, parameter, made), covered

    def real_part(self, applied: Applied, parameter: str, term: gast.AST) -> gast.AST:
        """What a formula that is made for cotangents gives of a real result of complex operands is its real part. A
        rule that is for real numbers must give some of operands of which it is not known whether they are."""
        operation = applied.operation
        if is_real(self.values.evaluate(term)):
            return term
        if not operation.rule.complex:
            uncertain = isinstance(operation[parameter], Numeric) and may_be_complex(operation[parameter])
            return call(self.helpers.helper("real_only"), term) if uncertain else term
        if parameter in operation.rule.tangent or not is_real(operation.result):
            return term
        uncertain = any(isinstance(value, Numeric) and may_be_complex(value) for value in operation.operands.values())
        return call(self.helpers.numpy("real"), term) if uncertain else term

    def under_a_name(self, operand: gast.AST, expression: gast.AST) -> gast.AST:
        """A tangent that is read twice, or would make a long line."""
        if is_trivial(expression):
            return expression
        variable = self.names.fresh(f"{self.values.wanted(operand)}_dot")
        self.assign(variable, expression, self.statement.location)
        return name(variable)

    def reduced(self, node: Any, applied: Applied, slope: str, tangent: gast.AST) -> gast.AST:
        """The sum of a reduction's derivatives times the tangents, over the same axes."""
        one = Cotangent(constant(1.0), FLOAT, False)
        factor = self.chain.instantiate(self.statement, node, applied, slope, one, {})
        parameter = applied.operation.rule.parameters[0].name
        product = self.real_part(applied, parameter, simplify(gast.BinOp(factor, gast.Mult(), tangent)))
        arguments = {key: self.values.value(part, self.statement) for key, part in applied.nodes.items()
                     if key in ("axis", "keepdims")}
        default = next(item.default for item in applied.operation.rule.parameters if item.name == "axis")
        if "axis" not in arguments and default is not None:  # of ufunc.reduce it is 0
            arguments["axis"] = constant(default)
        return self.values.sum(product, **arguments)

    def is_full(self, applied: Applied, covered: set[str]) -> bool:
        """Whether the operands that a sum of terms mentions are enough to give it the result's shape."""
        operation = applied.operation
        result = operation.result
        if "y" in covered or isinstance(result, Numeric) and result.shape == ():
            return True
        shapes = {key: operation.shape(key) for key in applied.nodes if not isinstance(operation[key], Known)}
        if all(key in covered or shape == () for key, shape in shapes.items()):
            return True
        reached = broadcast(*(None if shape and may_be_a_number(operation[key]) else shape
                              for key, shape in shapes.items() if key in covered))
        return isinstance(result, Numeric) and reached is not None and None not in reached \
            and reached == result.shape

    # ---- maps that are their own tangents

    def same_call(self, node: Any, applied: Applied, group: list[str]) -> tuple[gast.AST, set[str]]:
        """The user's own call with the tangents of some operands in their place, and the operands whose shapes it
        has at least."""
        rule = applied.operation.rule
        covered = set(applied.nodes)

        def new(parameter: str, part: gast.AST) -> gast.AST:
            value = self.facts.values[id(part)]
            if parameter not in group:
                return self.values.value(part, self.statement)
            if value.active:
                tangent = self.of(part)
                if tangent is not None:
                    given = self.viewed(part, self.cast(self.filled(part, tangent), value), rule)
                    return self.or_zero(part, given) if isinstance(value, Opaque) and value.besides is None else given
            if isinstance(value, Numeric) and (value.is_number or rule.elementwise):
                covered.discard(parameter)
                return constant(0.0)
            return self.whole(part)

        if isinstance(node, (gast.BinOp, Augment)):
            sides = (node.left, node.right) if isinstance(node, gast.BinOp) else (node.target, node.value)
            operator = node.op if isinstance(node, gast.BinOp) else node.operator
            left, right = new("x1", sides[0]), new("x2", sides[1])
            if isinstance(operator, gast.Mult) and "x1" not in group and may_go_round(self.facts.values[id(sides[0])]):
                left, right = right, left  # a minus sign goes to what stands first
            return simplify(gast.BinOp(left, operator, right)), covered
        if isinstance(node, gast.UnaryOp):
            return simplify(gast.UnaryOp(node.op, new(rule.parameters[0].name, node.operand))), covered
        if isinstance(node, gast.Subscript):  # np.r_[a, b]
            return subscript(node.value, new(rule.parameters[0].name, node.slice)), covered
        if isinstance(node, gast.Attribute):
            return attribute(new(rule.parameters[0].name, node.value), node.attr), covered
        places = positional_parameters(rule)
        function = node.func
        given = list(node.args)
        if isinstance(function, gast.Attribute) and not isinstance(self.facts.values.get(id(function)), Known):
            function = attribute(new(places(0), function.value), function.attr)
            arguments = [new(places(index + 1), part) for index, part in enumerate(given)]
        else:
            arguments = [new(places(index), part) for index, part in enumerate(given)]
        keywords = [gast.keyword(item.arg, new(item.arg, item.value)) for item in node.keywords]
        return gast.Call(function, arguments, keywords), covered

    def or_zero(self, operand: gast.AST, tangent: gast.AST) -> gast.AST:
        """The tangent of a number that is made of what may be a text, which has none."""
        tangent = self.under_a_name(operand, tangent)
        return gast.IfExp(gast.Compare(tangent, [gast.Is()], [constant(None)]), constant(0.0), tangent)


def added(left: gast.AST, right: gast.AST) -> gast.AST:
    """The sum of two sums, term by term."""
    if isinstance(right, gast.BinOp) and isinstance(right.op, gast.Add):
        return added(added(left, right.left), right.right)
    if isinstance(right, gast.BinOp) and isinstance(right.op, gast.Sub):
        return gast.BinOp(added(left, right.left), right.op, right.right)
    return add(left, right)


def positional_parameters(rule: Rule) -> Any:
    """What gives the parameter that a positional argument of a call goes to."""
    labels = [parameter.name for parameter in rule.parameters if not parameter.keyword_only]
    gathering = len(labels) if rule.gathers_from is None else rule.gathers_from
    return lambda index: labels[min(index, gathering)]


@functools.lru_cache(maxsize=4096)
def mentioned(formula: str) -> frozenset[str]:
    """The names whose values, and not only shapes, a formula mentions."""
    steps, last = template(formula)
    found: set[str] = set()
    for expression in (last, *(expression for _, expression, _ in steps)):
        found.update(names_in(_Measured().visit(copy.deepcopy(expression))))
    return frozenset(found)


class _Measured(gast.NodeTransformer):
    def visit_Attribute(self, node: gast.Attribute) -> gast.AST:
        return constant(None) if isinstance(node.value, gast.Name) and node.attr in (
            "shape", "size", "dtype") else self.generic_visit(node)


def may_be_a_number(value: Abstract) -> bool:
    """Whether a value is not known to be an array: what a list of arrays adds up to is 0 if there are none."""
    return not isinstance(value, Numeric) or value.kind == "any"


__all__ = ["Tangent", "Tangents"]
