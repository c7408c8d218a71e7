"""Calls of functions that have a rule: their arguments under the names that the rule has for them, and what the rule
makes of these."""
from __future__ import annotations

import math
import types
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.construct import Constructions
from s2sgrad.compiler.defaults import by_name, is_default
from s2sgrad.compiler.effects import may_write
from s2sgrad.compiler.equivalents import OF_TWO, SUMS, WITH
from s2sgrad.compiler.functional import Functional, is_ufunc_method
from s2sgrad.compiler.nested import Nested
from s2sgrad.compiler.nodes import call, is_starred, tuple_of
from s2sgrad.compiler.reading import Reading
from s2sgrad.compiler.without_rule import WithoutRule
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, Opaque, known_value
from s2sgrad.rules.refused import is_refused
from s2sgrad.rules.table import Rule, rule_for

DISPATCHER: Any = type(np.sum)
"""The class of most of NumPy's functions."""
KINDS = (types.FunctionType, types.BuiltinFunctionType, DISPATCHER, np.ufunc)
"""The classes of functions that libraries have."""
PLAIN = (type(None), str)
"""What they get besides numbers and arrays, such as an axis or an order that is left out."""
OTHER_NAMES: tuple[tuple[Any, dict[str, str]], ...] = (
    *((function, {"correction": "ddof"}) for function in (np.var, np.std, np.nanvar, np.nanstd)),
    (np.clip, {"min": "a_min", "max": "a_max"}))
"""Functions that have two names for one argument, and which of them the rule knows."""
SPELLED = (np.apply_along_axis, np.piecewise, np.fromiter, np.kaiser, math.fsum, math.prod, *OF_TWO)
"""NumPy's functions that may be spelled out: those that get functions or iterators, and those of one or two arrays."""


class RuleCalls(WithoutRule, Constructions, Functional, Nested, Reading):
    """The evaluation of calls by rules."""

    def by_its_names(self, node: gast.Call, function: Any, environment: dict) -> Abstract | None:
        """A call of a library's function whose arguments are put where its rule has them, under the rule's names."""
        if (len(node.args) > 1 or node.keywords) and (
                isinstance(function, KINDS) or type(function).__module__ == "uarray"):  # those of scipy.fft
            others = ("dtype",) if is_ufunc_method(function) else WITH.get(function, ())
            named = by_name(node, function, rule_for(function), others)
            if named is not None:
                return self.respelled(node, self.one_for(node, named), environment)
        if function is np.where and len(node.args) == 1 and not node.keywords and not is_starred(node):
            return self.respelled(node, self.one_for(node, call(self.given(np.nonzero), *node.args)), environment)
        labels = [item.arg for item in node.keywords]
        names = next((names for one, names in OTHER_NAMES if function is one), {}) if labels else {}
        if not names.keys().isdisjoint(labels) and set(names.values()).isdisjoint(labels):
            return self.respelled(node, self.by_known_names(node, names), environment)
        return None

    def by_class(self, node: gast.Call, function: Any, values: list[Abstract]) -> gast.AST | None:
        """A sum of objects, or ``operator.add(v, w)`` of such, as the operators that the user's class defines; None of
        other functions."""
        if is_starred(node) or node.keywords or not node.args:
            return None
        if self.facts.simpler.get(id(node)) is not None:
            return self.facts.simpler[id(node)]
        kind = objects.operator_of(function)
        made: gast.AST | None = None
        if function is sum and len(values) in SUMS and isinstance(values[0], Items) and not values[0].is_object \
                and objects.has_operator(values[0].any_item, gast.Add):
            items: Any = node.args[0]
            if isinstance(items, gast.GeneratorExp):
                items = gast.copy_location(gast.ListComp(items.elt, items.generators), items)
            made = gast.Call(self.given(SUMS[len(values)]), [items, *node.args[1:]], [])
        elif kind is not None and len(values) == 2 and any(objects.has_operator(value, kind) for value in values):
            made = gast.BinOp(node.args[0], kind(), node.args[1])
        elif kind is not None and len(values) == 1 and objects.has_operator(values[0], kind):
            made = gast.UnaryOp(kind(), node.args[0])
        comparison = objects.comparison_of(function) if len(values) == 2 else None
        if comparison is not None:
            made = gast.Compare(node.args[0], [comparison()], [node.args[1]])
        if made is not None:
            self.facts.simpler[id(node)] = gast.copy_location(made, node)
        return made

    def apply_call(self, node: gast.Call, rule: Rule, nodes: list, values: list, keyword_nodes: list,
                   keywords: dict) -> Abstract:
        pairs = list(zip(nodes, values))
        given = {item.arg: (item.value, keywords[item.arg]) for item in keyword_nodes}
        if given and not given.keys() <= rule.names_taken:
            given = {label: pair for label, pair in given.items()
                     if label in rule.names_taken or not is_default(rule.function, label, known_value(pair[1]))}
        try:
            bound = rule.bind(pairs, given)
        except TypeError as error:
            if "out" in keywords or any(value.active for value in (*values, *keywords.values())) \
                    and not self.passive_context:
                remedy = "leave that argument out, or add a rule with s2sgrad.rule"
                if "where" in given and isinstance(rule.function, np.ufunc):  # what is not computed is arbitrary then
                    remedy = "say what the other elements are, out=, or choose with np.where"
                if " take" not in str(error):  # missing, or there twice
                    remedy = "give each argument once"
                if rule.title == "view":
                    raise self.refusal("an array's bits, or its memory as another class, have no derivative",
                                       "look at those of s2sgrad.stop_gradient(...)", node) from None
                raise self.refusal(f"{rule.title} can't be differentiated here: {error}", remedy, node) from None
            if any(not (isinstance(value, Known) or isinstance(value, Numeric) and value.is_number)
                   for value in values[rule.places_taken:]):  # among the arguments that no rule takes may be ``out``
                raise self.writing_call(node) from None
            return Opaque()
        operand_nodes, operands = {}, {}
        for name, pair in bound.items():
            if isinstance(pair, list):  # several positional arguments gathered under one parameter
                operand_nodes[name] = tuple_of([item for item, _ in pair])
                operands[name] = Items(tuple, tuple(value for _, value in pair))
                self.facts.values[id(operand_nodes[name])] = operands[name]
            else:
                operand_nodes[name], operands[name] = pair
        return self.apply(node, rule, operand_nodes, operands)


def written_in_python(function: Any) -> Any:
    """The Python function around which one of NumPy's is put that has no rule; others as they are."""
    plain = function.__wrapped__ if type(function) is DISPATCHER and not may_write(function) else None
    return plain if isinstance(plain, types.FunctionType) and not is_refused(function) else function


def is_own(function: types.FunctionType) -> bool:
    """Whether a function is a helper of generated code."""
    return str(function.__globals__.get("__name__")).startswith(("s2sgrad.runtime", "s2sgrad.containers"))


def is_spelled_out(function: Any, rule: Rule | None) -> bool:
    """Whether the source of a helper of generated code tells its derivative: one that computes, and has no formulas."""
    return isinstance(function, types.FunctionType) and is_own(function) and (
        rule is None or not rule.partials and not rule.constant) and not function.__module__.endswith(
            ("runtime.structures", "runtime.custom", "s2sgrad.containers"))


def is_numerical(function: Any) -> bool:
    """Whether a function is one of a library's that computes with numbers and arrays, and is a call of its own."""
    if not isinstance(function, KINDS):
        return False
    return isinstance(function, np.ufunc) or function not in SPELLED and (
        function.__module__ or "").partition(".")[0] in ("numpy", "math", "scipy")


def is_numerical_argument(value: Abstract) -> bool:
    return type(value) is Numeric or type(value) is Known and type(value.value) in PLAIN
