"""``zip(a, b, strict=True)`` as ``zip(a, b)``, and a statement that raises what Python would raise where the lengths
differ: behind a loop, which has run its turns by then, and before any other statement.

Where it cannot be told before a statement that, or when, it comes to the call, the call stays as it is: that of two
sequences compares their lengths itself (``equivalents.py``), others are refused.
"""
from __future__ import annotations

import copy
import types
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.nodes import Names, call, constant, holder, located_at, name, names_in, walk
from s2sgrad.compiler.order import IN_ORDER
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names
from s2sgrad.rules.abstract import MISSING

SIMPLE = (gast.Name, gast.Attribute, gast.Subscript, gast.Slice, gast.Constant, gast.UnaryOp, gast.BinOp)
"""What an operand is made of that may as well be evaluated twice, as long as nothing is bound in between."""
SIZED = ("items", "keys", "values")
"""Methods whose results have lengths."""
USED = ("len", "list", "ValueError")
"""The names that the statements mention."""
VALUES = {gast.Assign: "value", gast.AnnAssign: "value", gast.AugAssign: "value", gast.Expr: "value",
          gast.Return: "value", gast.If: "test", gast.For: "iter"}
"""The expression of a statement that is evaluated before all else in it."""


def with_lengths_checked(tree: Any, function: types.FunctionType) -> Any:
    """The function, and those in it, with such statements."""
    if mentions_strict(function.__code__):
        checks = _Checks(tree, function)
        if checks.bound.isdisjoint(USED):
            checks.block_of(tree)
    return tree


def mentions_strict(code: types.CodeType) -> bool:
    """Whether a function has a call with a keyword of that name."""
    return any("strict" in part if isinstance(part, tuple) else isinstance(part, types.CodeType) and mentions_strict(
        part) for part in code.co_consts)


class _Checks:
    def __init__(self, tree: Any, function: types.FunctionType):
        self.function = function
        self.names = Names({node.id for node in gast.walk(tree) if isinstance(node, gast.Name)})
        self.bound = set(bound_names(tree))

    def block_of(self, node: Any) -> None:
        """Put the statements into the blocks of a statement."""
        for _, value in gast.iter_fields(node):
            if not isinstance(value, list):
                continue
            if value and isinstance(value[0], gast.stmt):
                value[:] = [new for part in value for new in self.statement(part)]
            else:  # cases and handlers
                for part in value:
                    if isinstance(part, (gast.match_case, gast.ExceptHandler)):
                        self.block_of(part)

    def statement(self, node: Any) -> list:
        self.block_of(node)
        field = VALUES.get(type(node))
        value = getattr(node, field) if field is not None else None
        if value is None:
            return [node]
        if isinstance(node, gast.For):
            strict = value.args[0] if self.is_call_of(value, enumerate) and value.args else value
            if self.is_strict(strict):
                changed = set(bound_names(node))
                before = self.named(strict, changed)
                node.orelse = [*self.checks(strict), *node.orelse]
                return [*before, node]
        result: list = []
        for strict, first in self.reached(value, True):
            if first or all(map(is_simple, strict.args)):
                result += [*self.named(strict, set()), *self.checks(strict)]
        return [*result, node]

    def reached(self, node: Any, first: bool) -> Iterator[tuple[Any, bool]]:
        """The strict calls that an expression comes to whatever its values are, and whether nothing that might
        notice is evaluated before them."""
        if self.is_strict(node):
            yield node, first
        elif isinstance(node, COMPREHENSIONS):  # whose first iterable is evaluated outside
            yield from self.reached(node.generators[0].iter, first)
        elif isinstance(node, IN_ORDER):
            for part in gast.iter_child_nodes(node):
                yield from self.reached(part, first)
                first = first and is_simple(part)

    def is_call_of(self, node: Any, wanted: Any) -> bool:
        return isinstance(node, gast.Call) and holder(node.func) not in self.bound \
            and held(node.func, self.function) is wanted

    def is_strict(self, node: Any) -> bool:
        return self.is_call_of(node, zip) and len(node.keywords) == 1 and node.keywords[0].arg == "strict" \
            and getattr(node.keywords[0].value, "value", None) is True \
            and not any(isinstance(part, gast.Starred) for part in node.args)

    def named(self, strict: Any, changed: set[str]) -> list:
        """The assignments that give names to the operands of a call which cannot be evaluated twice, or bind a name
        that is ``changed`` before their lengths are compared."""
        before = []
        for place, operand in enumerate(strict.args):
            if not is_simple(operand) or not changed.isdisjoint(names_in(operand)):
                label = self.names.fresh("sequence")
                value = located_at(call("list", operand), operand) if self.is_lazy(operand) else operand
                target = gast.Name(label, gast.Store(), None, None)
                before.append(located_at(gast.Assign([target], value, None), operand))
                strict.args[place] = located_at(name(label), operand)
        return before

    def is_lazy(self, node: Any) -> bool:
        """Whether what an operand gives may have no length."""
        if not isinstance(node, gast.Call):
            return isinstance(node, gast.GeneratorExp)
        function = held(node.func, self.function) if holder(node.func) not in self.bound else MISSING
        of_numpy = str(getattr(function, "__module__", "")).startswith("numpy") or isinstance(function, np.ufunc)
        return not of_numpy and not (isinstance(node.func, gast.Attribute) and node.func.attr in SIZED)

    def checks(self, strict: Any) -> list:
        """The statements that compare the lengths of a call's operands, with Python's words for what differs; the
        call is no longer strict."""
        strict.keywords = []
        result = []
        for number, operand in enumerate(strict.args[1:], start=2):
            others = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
            for operator, word in ((gast.Lt(), "shorter"), (gast.Gt(), "longer")):
                lengths = [call("len", copy.deepcopy(part)) for part in (operand, strict.args[0])]
                error = call("ValueError", constant(f"zip() argument {number} is {word} than {others}"))
                test = gast.Compare(lengths[0], [operator], lengths[1:])
                result.append(located_at(gast.If(test, [gast.Raise(error, None)], []), strict))
        return result


def is_simple(node: Any) -> bool:
    return all(isinstance(part, SIMPLE) for part in walk(node))
