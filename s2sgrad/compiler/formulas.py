"""Formulas of the rule table, filled in with saved values and cotangents."""
from __future__ import annotations

import builtins
import functools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.algebra import is_number, simplify, substitute, summed, template, without_ones
from s2sgrad.compiler.costs import TURNS, turns_back
from s2sgrad.compiler.cotangents import Cotangent
from s2sgrad.compiler.facts import Applied
from s2sgrad.compiler.helpers import MODULES
from s2sgrad.compiler.nodes import attribute, call, constant, name, names_in, subscript, tuple_of
from s2sgrad.compiler.program import Augment
from s2sgrad.compiler.results import Results, Step, uses_of_cotangent
from s2sgrad.errors import UnsupportedError, place_of
from s2sgrad.rules.abstract import (
    MISSING,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    as_numeric,
    known_value,
    may_be_whole,
    shape_of,
)
from s2sgrad.rules.dims import Shape, broadcast, not_one
from s2sgrad.rules.results import FLOAT64, the_same
from s2sgrad.rules.table import ZERO, NeedsValue, Operation, Rule

VARIANCES = np.var, np.std
ITEM = re.compile(r"(_\d+)+$")
"""What comes behind a parameter's name where a formula means an item of a list: ``arrays_0``."""


class Formulas(Results):
    """The part of the chain rule that is one operation: its derivatives, in the shapes of its operands."""

    products: dict[frozenset, tuple[gast.AST, Any]]

    def gives_each_the_same(self, expression: gast.AST) -> bool:
        """Whether the cotangents in a list may all be one array."""
        return self.operands.is_of_terms(expression)

    def is_new(self, expression: gast.AST, made: dict[str, Step], bare: list[str]) -> bool:
        """Whether an operand's cotangent is new memory that a step has made, and no other operand's is (``bare``)."""
        for key, step in made.items():
            if isinstance(expression, gast.Name) and step.variable == expression.id:
                return bare.count(key.partition(" = ")[0]) == 1 and step.fresh
        return False

    def formulas(self, statement: Any, node: Any, applied: Applied, operation: Operation
                 ) -> list[tuple[gast.AST, Abstract, str]]:
        """Expression, value and formula of each active operand that has influence."""
        rule, found = operation.rule, []
        for parameter, path, operand, value in applied.active_operands():
            several = isinstance(value, Items)  # a list of any number of them
            formula = (rule.each if several and not path else rule.partials).get(parameter, ZERO)
            if callable(formula):
                try:
                    formula = formula(operation, path) if isinstance(operation[parameter], Items) and (
                        path or not several) else formula(operation)
                    if several and path:
                        formula = f"taken_apart({formula}, {'_'.join([parameter, *map(str, path)])})"
                except (UnsupportedError, NeedsValue) as error:  # formulas know nothing of places
                    error.location = error.location or place_of(node, statement.location)
                    raise
            for text in formula if isinstance(formula, tuple) else (formula,):
                if text == ZERO:
                    continue
                scales = rule.elementwise and not rule.parts and not uses_of_cotangent(text)
                found.append((operand, value, f"g * ({text})" if scales else text))
        return found

    def maybe_spread(self, value: Abstract, new: Cotangent) -> Cotangent:
        """Whether a reduction's formula has its operand's shape is seen from the shapes."""
        shape = value.shape if isinstance(value, Numeric) else None
        found = new.value.shape if isinstance(new.value, Numeric) else None
        if shape is not None and shape == found and None not in shape:
            return new
        if found is None or None in found:  # it can't be kept unspread if nobody knows its shape
            return Cotangent(new.expression, Numeric("any", None, None), False)
        return Cotangent(new.expression, new.value, False)

    def fill(self, statement: Any, node: Any, value: Abstract, cotangent: Cotangent) -> Cotangent:
        """The cotangent of an expression's value, spread to the value's shape."""
        shape = self.value_shape(statement, node)
        expression = self.operands.over(self.operands.widened(cotangent.expression, value), value, shape)
        return Cotangent(expression, self.operands.evaluate(expression), True)

    def value_shape(self, statement: Any, node: Any) -> gast.AST:
        """The shape of an expression's value, taken from an operand that has the same where there is one."""
        if isinstance(node, Augment):
            return self.updated_shape(statement, node)
        applied = self.facts.applied.get(id(node))
        value = self.facts.values.get(id(node))
        if applied is not None and applied.operation.rule.elementwise and isinstance(value, Numeric) \
                and value.shape is not None and None not in value.shape:
            for operand in applied.nodes.values():
                known = self.facts.values.get(id(operand))
                if isinstance(known, Numeric) and known.shape == value.shape:
                    return self.value_shape(statement, operand)
        return self.operands.shape(node, statement)

    def updated_shape(self, statement: Any, node: Augment) -> gast.AST:
        """The shape of what an in-place operator gives: an array keeps its own, a number takes that of an array."""
        changed = self.facts.values[id(node.target)]
        if isinstance(changed, Numeric) and changed.is_number:
            return self.operands.shape(node.value, statement)
        if isinstance(changed, Numeric) and changed.kind == "array" or not isinstance(node.target, gast.Name):
            return self.operands.shape(node.target, statement)
        return call(self.helpers.numpy("shape"), self.result(statement, node))

    def fit(self, statement: Any, node: Any, applied: Applied, operand: gast.AST, value: Abstract,
            new: Cotangent) -> Cotangent:
        """Sum a cotangent in an elementwise result's shape back to an operand that was broadcast."""
        result = self.facts.values[id(node.target)] if isinstance(node, Augment) else applied.operation.result
        if not (isinstance(result, Numeric) and result.kind == "array"):  # else an array keeps its shape
            result = applied.operation.result
        target = value.cotangent_shape if isinstance(value, Numeric) else shape_of(value)
        whole = result.cotangent_shape if isinstance(result, Numeric) else None
        axes = axes_to_sum(whole, target)
        if axes == ((), ()):
            if new.full and isinstance(new.value, Numeric) and new.value.shape is None and isinstance(value, Numeric) \
                    and value.kind == "array" and value.shape:  # which also the cotangent of what grew has here
                new.value = replace(new.value, kind="array", shape=value.shape)
            return new
        if not new.full:
            counted = self.counted(statement, node, operand, value, axes, new)
            if counted is not None:
                return counted
            new = self.fill(statement, node, result, new)
        if target == ():
            expression = self.summed(statement, operand, target, new.expression, self.total)
        elif axes is None or axes[0] and axes[1]:
            shape = self.operands.shape(operand, statement)
            expression = call(self.helpers.helper("unbroadcast"), new.expression, shape)
        elif axes[0]:
            expression = self.summed(statement, operand, target, new.expression, lambda part: self.operands.sum(
                part, axis=axes_literal(axes[0])))
        else:
            expression = self.summed(statement, operand, target, new.expression, lambda part: self.operands.sum(
                part, axis=axes_literal(axes[1]), keepdims=constant(True)))
        found = self.operands.evaluate(expression)
        if isinstance(found, Numeric) and found.shape is None and isinstance(value, Numeric):
            found = Numeric(value.kind, found.dtype, value.shape)
        return Cotangent(expression, found, True)

    def summed(self, statement: Any, operand: gast.AST, target: Shape, node: gast.AST,
               total: Callable[[gast.AST], gast.AST]) -> gast.AST:
        """The sum of a cotangent back to an operand's shape: signs, and last factors and divisors that have no more
        elements than the sum has, wait for it."""
        if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
            value, left, right = map(self.operands.evaluate, (node, node.left, node.right))
            if isinstance(value, Numeric) and isinstance(left, Numeric) and isinstance(right, Numeric) \
                    and left.kind == "array" and left.dtype == value.dtype is not None and (
                        right.shape == () or right.shape == target and None not in (target or ())
                        or self.is_operand(node.right, operand, statement)):
                first = self.summed(statement, operand, target, node.left, total)
                return simplify(gast.BinOp(first, node.op, node.right))
        return summed(node, total)

    def is_operand(self, node: gast.AST, operand: gast.AST, statement: Any) -> bool:
        """Whether an expression is the name of what is saved of an operand."""
        kind, subject = self.operands.key(operand, statement)
        capture = self.operands.captures.table.get((kind, subject))
        return isinstance(node, gast.Name) and capture is not None and capture.name == node.id

    def counted(self, statement: Any, node: Any, operand: gast.AST, value: Abstract, axes: Any, new: Cotangent
                ) -> Cotangent | None:
        """The sum over axes that an operand lacks, and its cotangent does, too, as the product with their sizes; None
        where it is something else that is summed."""
        if isinstance(node, Augment) or axes is None or axes[1] or not isinstance(value, Numeric) \
                or value.dtype != np.float64 or not isinstance(new.value, Numeric):
            return None
        alike = bool(value.shape) and None not in (value.shape or ()) and new.value.shape == value.shape
        if not alike and not (scalar(new) and self.operands.is_double(new.expression)):
            return None
        shape = self.value_shape(statement, node)
        if not (isinstance(shape, gast.Attribute) and shape.attr == "shape"):
            return None
        if value.shape == ():
            expression: gast.AST = gast.BinOp(new.expression, gast.Mult(), attribute(shape.value, "size"))
            return Cotangent(expression, self.operands.evaluate(expression), True)
        sizes = [subscript(shape, constant(axis)) for axis in axes[0]]
        number = functools.reduce(lambda left, right: gast.BinOp(left, gast.Mult(), right), sizes, new.expression)
        if alike:
            return Cotangent(number, self.operands.evaluate(number), True)
        expression = call(self.helpers.numpy("full"), self.operands.shape(operand, statement), number)
        return Cotangent(expression, self.operands.evaluate(expression), True)

    def total(self, node: gast.AST) -> gast.AST:
        """The sum of all elements; of a product, without making the product, and times its numbers."""
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
            left, numbers = self.without_numbers(node.left)
            parts = [self.operands.evaluate(part) for part in (left, node.right)]
            if all(isinstance(part, Numeric) and part.kind == "array" and part.shape == parts[0].shape and part.shape
                   and None not in part.shape and part.dtype is not None and part.dtype.kind == "f" for part in parts):
                found = call(self.helpers.numpy("vdot"), left, node.right)
                for operator, number in numbers:
                    found = simplify(gast.BinOp(found, operator, number))
                return found
        return self.operands.sum(node)

    def without_numbers(self, node: gast.AST) -> tuple[gast.AST, list[tuple[gast.AST, gast.AST]]]:
        """A product of arrays, and the numbers by which it is multiplied and divided behind the first of them."""
        if not (isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div))):
            return node, []
        left, numbers = self.without_numbers(node.left)
        factor = self.operands.evaluate(node.right)
        if isinstance(factor, Numeric) and factor.is_number and factor.dtype is not None and factor.dtype.kind in "if":
            return left, [*numbers, (node.op, node.right)]
        return gast.BinOp(left, node.op, node.right) if numbers else node, numbers

    def instantiate(self, statement: Any, node: Any, applied: Applied, formula: str, g: Cotangent | dict,
                    made: dict[str, Step]) -> gast.AST:
        """A formula's expression over saved values; its steps are emitted before, those that several operands' formulas
        have (``made``) once. ``g``: the result's cotangent, or the names and expressions of those of several results.
        """
        steps, last = template(formula)
        local: dict[str, gast.AST] = dict(g) if isinstance(g, dict) else {}
        rule = applied.operation.rule
        bare = floats = isinstance(g, Cotangent) and is_number(g.expression)
        whole = False  # whether there are integers that are taken as they are

        def resolve(part: gast.AST) -> gast.AST | None:
            if isinstance(part, gast.Name):
                return meaning(part.id)
            if isinstance(part, gast.Attribute) and isinstance(part.value, gast.Name):
                return attribute_of(part.value.id, part.attr)
            if rule.spreads and isinstance(g, Cotangent) and scalar(g) and puts_axes_back(part):
                return g.expression  # which a number does not need
            if rule.elementwise and isinstance(part, gast.Call) and len(part.args) == 1 and isinstance(
                    part.args[0], gast.Name) and not part.keywords:
                return already(part.func, part.args[0].id)
            if rule.function in VARIANCES and isinstance(part, (gast.BinOp, gast.Call)):
                return about_mean(part)
            return None

        def about_mean(part: gast.AST) -> gast.AST | None:
            """What the primal has of ``np.mean(a)``, or of ``a - np.mean(a)``."""
            mean = part.right if isinstance(part, gast.BinOp) and isinstance(part.op, gast.Sub) else part
            if not (isinstance(mean, gast.Call) and isinstance(mean.func, gast.Attribute) and mean.func.attr == "mean"):
                return None
            if applied.operation.if_known("where") is not True:
                return None
            return (self.operands.mean if mean is part else self.operands.deviations)(applied, statement)

        def already(function: gast.AST, identifier: str) -> gast.AST | None:
            operand = self.operand_node(applied, identifier)
            if operand is None or not isinstance(function, gast.Attribute) or not isinstance(
                    function.value, gast.Name) or function.value.id not in MODULES or identifier in local:
                return None
            found = getattr(MODULES[function.value.id], function.attr)
            return self.operands.computed(found, operand, statement)

        def attribute_of(identifier: str, wanted: str) -> gast.AST | None:
            if wanted in ("shape", "size") and identifier not in local:
                operand = node if identifier == "y" else self.operand_node(applied, identifier)
                if operand is not None:
                    measure = self.operands.shape if wanted == "shape" else self.operands.size
                    return measure(operand, statement)
            if wanted in TURNS and identifier == "g" and isinstance(g, Cotangent):
                if is_number(g.expression) or isinstance(g.value, Numeric) and g.value.shape == ():
                    return g.expression  # there is one order of no axes
                return self.operands.turned(g.expression, wanted)
            operand = self.operand_node(applied, identifier) if wanted in TURNS and identifier not in local else None
            if isinstance(operand, gast.Attribute) and turns_back(
                    operand, self.facts.values.get(id(operand.value)), wanted):
                found = meaning(identifier)
                return found.value if isinstance(found, gast.Attribute) and found.attr in TURNS else None
            return None

        def meaning(identifier: str) -> gast.AST | None:
            nonlocal whole
            if identifier in local:
                return local[identifier]
            if identifier == "g" and isinstance(g, Cotangent):
                return g.expression
            if isinstance(g, dict) and re.fullmatch(r"y_\d+", identifier):
                return self.part_of_result(statement, node, int(identifier[2:]))
            if identifier == "y":
                return self.result(statement, node)
            operand = self.operand_node(applied, identifier)
            if operand is not None:
                value = self.array(self.operands.value(operand, statement), operand, rule, identifier)
                if bare and not floats:
                    whole = whole or self.as_floats(value, operand, rule, identifier, bare) is not value
                return self.as_floats(value, operand, rule, identifier, floats)
            for parameter in rule.parameters:
                if parameter.name == identifier:
                    return constant(parameter.default)
            if identifier in rule.names:
                return self.helpers.named(identifier, rule.names[identifier])
            if identifier in MODULES:
                return self.helpers.module(identifier)
            if identifier in runtime.__all__:
                return self.helpers.helper(identifier)
            if not hasattr(builtins, identifier):
                raise UnsupportedError(f"the rule of {rule.title} mentions {identifier}, which is not defined",
                                       "give it to s2sgrad.rule in names", place_of(node, statement.location))
            return self.helpers.builtin(identifier)

        for identifier, expression, key in steps:
            mask = self.mask(statement, node, applied, identifier, expression)
            if mask is not None:
                local[identifier] = mask
                continue
            if key not in made:
                value = substitute(expression, resolve)
                made[key] = Step(self.cotangents.names.fresh(identifier), self.operands.is_fresh(value))
                self.cotangents.assign(made[key].variable, value, statement.location)
            local[identifier] = name(made[key].variable)
        floats = False
        found = substitute(last, resolve)
        if whole and may_be_whole(self.operands.evaluate(found)):
            floats = True
            found = substitute(last, resolve)
        found = without_ones(self.without_defaults(found), self.operands.dtype_and_shape)
        return self.known_product(self.sign_first(found))

    def sign_first(self, node: gast.AST) -> gast.AST:
        """``-a * b`` for ``a * -b`` where these are floats, which have one number for each sign, and a is no array."""
        if not (isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult) and isinstance(
                node.right, gast.UnaryOp) and isinstance(node.right.op, gast.USub)):
            return node
        (_, shape), (dtype, _) = map(self.operands.dtype_and_shape, (node.left, node.right.operand))
        if shape != () or dtype is None or dtype.kind != "f":
            return node
        return gast.BinOp(simplify(gast.UnaryOp(gast.USub(), node.left)), node.op, node.right.operand)

    def without_defaults(self, node: gast.AST) -> gast.AST:
        """A call of a helper without last arguments that are its defaults."""
        if not (isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.args and isinstance(
                node.args[-1], (gast.Constant, gast.UnaryOp)) and not node.keywords):
            return node
        function = known_value(self.operands.evaluate(node.func))
        defaults = list(getattr(function, "__defaults__", None) or ())
        given = len(node.args)
        first = function.__code__.co_argcount - len(defaults) if defaults else given
        while given > first and literal_value(node.args[given - 1]) == defaults[given - first - 1:given - first]:
            given -= 1
        return node if given == len(node.args) else call(node.func, *node.args[:given])

    def array(self, expression: gast.AST, operand: gast.AST, rule: Rule, parameter: str) -> gast.AST:
        """An operand's value as a formula means it: a list that NumPy takes for an array as one."""
        known = self.facts.values.get(id(operand))
        listed = known.besides is None if isinstance(known, Opaque) else \
            isinstance(known, Items) and known.has_places
        taken = rule.takes_array(parameter) or whole_parameter(rule, parameter) != parameter
        return call(self.helpers.numpy("asarray"), expression) if listed and taken else expression

    def as_floats(self, expression: gast.AST, operand: gast.AST, rule: Rule, parameter: str, bare: bool) -> gast.AST:
        """Integers and truth values as floats, where a formula may give them as they are (``bare``: what
        they are multiplied by is a number that is written out, and may be 1), or compute with them, which goes round in
        a few bits: a cotangent is written into, and gets signs and factors."""
        known = as_numeric(self.facts.values[id(operand)]) if id(operand) in self.facts.values else None
        if isinstance(known, Items):  # a list, of which NumPy makes an array
            known = self.operands.evaluate(expression)
        partial = rule.partials.get(whole_parameter(rule, parameter), ZERO)
        if not isinstance(known, Numeric) or not may_be_whole(known) or partial is ZERO:
            return expression
        dtype = known.dtype
        exact = dtype is not None and dtype.kind == "i" and (dtype.itemsize >= 8 or known.kind == "python")
        factor = {label for group in rule.linear_groups for label in group} >= {*rule.partials}
        if not bare and (exact or factor or known.kind == "python"):
            return expression
        if isinstance(expression, gast.Constant):
            return constant(1.0 * expression.value)
        return gast.BinOp(constant(1.0), gast.Mult(), expression)

    def mask(self, statement: Any, node: Any, applied: Applied, identifier: str, expression: gast.AST
             ) -> gast.AST | None:
        """A comparison of a formula, made by the primal: what it compares need not be saved then.

        None where the adjoint can as well make it itself, of what it has anyway.
        """
        if not isinstance(expression, gast.Compare) or isinstance(node, Augment):
            return None
        named = {found: node if found == "y" else self.operand_node(applied, found) for found in names_in(expression)}
        operands = {found: operand for found, operand in named.items() if operand is not None}
        values = [self.facts.values[id(operand)] for operand in operands.values()]
        shape = broadcast(*(value.shape for found, value in zip(operands, values)
                            if isinstance(value, Numeric) and found != "y"))
        if "g" in named or not shape or None in shape or not all(isinstance(value, Numeric) for value in values):
            return None
        return self.operands.mask(node, identifier, (expression, operands), shape, statement)

    def known_product(self, expression: gast.AST) -> gast.AST:
        """The primal's own product where it multiplied the same two values."""
        if not (isinstance(expression, gast.BinOp) and isinstance(expression.op, gast.Mult) and isinstance(
                expression.left, gast.Name) and isinstance(expression.right, gast.Name)) or not self.products:
            return expression
        found = self.products.get(frozenset(self.operands.captures.keys(
            (expression.left.id, expression.right.id), self.operands.loops)))
        if found is None:
            return expression
        node, statement = found
        first = self.operands.met_first(node, statement)  # under whose name it is saved
        if self.operands.captures.saved is not None and not self.operands.captures.has(
                *self.operands.key(first, statement)):
            return expression
        return self.operands.value(node, statement)

    def operand_node(self, applied: Applied, identifier: str) -> gast.AST | None:
        """The operand that a name in a formula stands for: a parameter, or an item of a list (``arrays_0``)."""
        if identifier in applied.nodes:
            return applied.nodes[identifier]
        for parameter, node in applied.nodes.items():
            if identifier.startswith(parameter + "_") and isinstance(node, (gast.Tuple, gast.List)):
                for index in identifier[len(parameter) + 1:].split("_"):
                    if not index.isdigit():
                        return None
                    node = node.elts[int(index)]
                return node
        return None

    def result(self, statement: Any, node: Any) -> gast.AST:
        """The value of the expression that a formula belongs to."""
        if isinstance(node, Augment) and isinstance(node.target, gast.Name):
            return self.operands.version(self.facts.defined[node, node.target.id], statement.location)
        if isinstance(node, Augment):  # what the update made of a part of an array
            return gast.BinOp(self.operands.value(node.target, statement), node.operator,
                              self.operands.value(node.value, statement))
        return self.operands.value(node, statement)


def literal_value(node: gast.AST) -> list:
    """The value of a literal number, in a list; an empty one for anything else."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and is_number(node.operand):
        return [-node.operand.value]
    return [node.value] if isinstance(node, gast.Constant) else []


def scalar(cotangent: Cotangent) -> bool:
    """Whether a cotangent is one number that stands for an array of it."""
    return not cotangent.full and isinstance(cotangent.value, Numeric) and cotangent.value.shape == ()


def puts_axes_back(part: gast.AST) -> bool:
    """Whether a part of a formula is the cotangent with its lost axes: ``g[:, None]``, ``np.expand_dims(g, -1)``."""
    if isinstance(part, gast.Call) and isinstance(part.func, gast.Attribute) and part.func.attr == "expand_dims":
        part = part.args[0]
    elif isinstance(part, gast.Subscript):
        part = part.value
    else:
        return False
    return isinstance(part, gast.Name) and part.id == "g"


def of_doubles(operation: Operation, bar: Abstract, full: bool, value: Abstract, formula: str) -> Numeric | None:
    """What a formula gives where all is in double precision, and its form is known without a look at it: elementwise
    that of the cotangent, ``bar``, in ``full``, and the operand's where nothing is spread out afterwards. Of functions
    that the rule brings along, as the user's own may, nothing is taken for granted."""
    rule, result = operation.rule, operation.result
    if rule.names or not isinstance(bar, Numeric) or not isinstance(result, Numeric) or not all(map(
            in_doubles, (bar, result, *operation.operands.values()))):
        return None
    if not rule.elementwise:
        whole = not rule.spreads and isinstance(value, Numeric) and value.dtype is FLOAT64
        return array_of_doubles(value) if whole else None
    if not full or bar.shape != result.shape:
        return None
    if bar.kind == "scalar":  # what is multiplied by 1.0 may be given as it is, and must be no array or Python's number
        numbers = all(type(operand) is Known or operand.kind == "scalar" for operand in operation.operands.values())
        return bar if bar.value is MISSING and numbers and multiplies_cotangent(formula) else None
    return array_of_doubles(bar)


def in_doubles(value: Abstract) -> bool:
    """Whether something is of floats in double precision, and else at most a number or an option of Python's."""
    if type(value) is not Numeric:
        return type(value) is Known
    return not value.mixed and (value.dtype is FLOAT64 or value.kind == "python" and value.dtype is not None
                                and value.dtype.kind in "bi")


def whole_parameter(rule: Rule, parameter: str) -> str:
    """The parameter for any number of arrays of which a formula means one; every other itself, for what is in a pair,
    as the pivots beside a factor, may have to stay whole."""
    variadic = rule.variadic.lstrip("*")
    return variadic if ITEM.sub("", parameter) == variadic else parameter


def array_of_doubles(like: Numeric) -> Numeric | None:
    """An array of that shape, where that is known and there are axes."""
    known = like.kind == "array" and like.shape and None not in like.shape
    return the_same("array", FLOAT64, like.shape) if known else None


@functools.lru_cache(maxsize=4096)
def multiplies_cotangent(formula: str) -> bool:
    """Whether a formula does arithmetic on the cotangent, before all else: ``-g * np.sin(x)``."""
    node = template(formula)[1]
    while isinstance(node, (gast.BinOp, gast.UnaryOp)):
        node = node.left if isinstance(node, gast.BinOp) else node.operand
    return isinstance(node, gast.Name) and node.id == "g"


def formed_like(found: Abstract, value: Abstract) -> Abstract:
    """What is known of a cotangent in full whose formula nobody looked into: its shape is the operand's."""
    if isinstance(found, Numeric) and found.shape is None and isinstance(value, Numeric) and value.kind == "array" \
            and value.shape:
        return replace(found, kind="array", shape=value.shape)
    return found


def axes_to_sum(whole: Shape, target: Shape) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Leading axes that the operand lacks, and axes (counted from the right, negative) along which it was stretched.

    None where the shapes don't tell.
    """
    if target == () and whole != ():
        return ((0,), ()) if whole else None
    if whole is None or target is None or len(target) > len(whole):  # longer where control never comes
        return None
    leading = tuple(range(len(whole) - len(target)))
    stretched = []
    for place in range(1, len(target) + 1):
        mine, full = target[-place], whole[-place]
        if mine == 1 and full != 1:
            stretched.append(-place)
        elif mine != full or mine is None:
            if not (not_one(mine) and not_one(full)):
                return None
    return leading, tuple(reversed(stretched))


def axes_literal(axes: tuple[int, ...]) -> gast.AST:
    return constant(axes[0]) if len(axes) == 1 else tuple_of([constant(axis) for axis in axes])
