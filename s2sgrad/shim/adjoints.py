"""One-rule programs: from a line of the rule table to the adjoint of one eager operation.

The adjoint is Python text, ``def mul_adjoint(g, x1, x2): return g * x2, g * x1``. Its parameters after ``g`` are what
the formulas mention, and that is what the operation saves. The same function serves the backward pass on arrays and,
differentiated by the compiler like any user's function, the backward pass that is itself recorded.

A cotangent may come out in the broadcast shape, or in one that broadcasts to its operand's: who delivers it makes it
fit. So one adjoint serves all shapes of an elementwise operation.
"""
from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sgrad import rules, runtime
from s2sgrad.compiler.emit import compile_text
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, Opaque, number
from s2sgrad.rules.table import ZERO, Operation, Rule

assert rules  # importing the tables fills them
SHAPE_ONLY = ("shape", "size", "ndim", "dtype")
TESTS = ("np.isnan", "np.isfinite")
FLOAT = np.dtype(float)
LAST = {ast.Mult: "MulBackward0", ast.Div: "DivBackward0", ast.USub: "NegBackward0", ast.Sub: "SubBackward0"}


@dataclass(frozen=True)
class OneRule:
    """The derivative of one operation, for one choice of active operands.

    Attributes
    ----------
    adjoint
        ``adjoint(g, *saved)`` gives a cotangent for each operand, None where it is not active.
    save
        ``save(operands, results, statics)`` gives what the adjoint takes, and the versions to check before it does.
    sources
        For each saved value the number of the operand that it is, counted from -1 downwards for a result; None for
        what has no derivative.
    smooth
        For each saved value whether the cotangents depend on it otherwise than through comparisons.
    passed_on
        The operands whose cotangent is the result's own.
    vanishing
        The operands whose cotangent is 0, whatever the result's is.
    last
        What the adjoint does last: the name of its node where it is recorded itself.
    is_freed
        Operands or results are saved, which a backward pass forgets, and not only their shapes.
    """

    adjoint: Callable
    save: Callable
    text: str
    sources: tuple[int | None, ...]
    smooth: tuple[bool, ...]
    passed_on: frozenset[int]
    vanishing: frozenset[int]
    last: str
    is_freed: bool


def abstract(value: Any) -> Abstract:
    """What formulas are told of an operand that has no derivative."""
    if isinstance(value, (bool, int, float)):
        return number(value)
    if isinstance(value, (tuple, list)):
        return Items(type(value), tuple(map(abstract, value)))
    return Known(value)


def one_rule(rule: Rule, name: str, operands: Sequence[str], arrays: Sequence[bool], active: Sequence[bool],
             ranks: Sequence[int | None], result_ranks: Sequence[int | None], statics: dict[str, Any],
             opaque: frozenset[str] = frozenset(), view: bool = False) -> OneRule:
    """Write the adjoint of one operation.

    Parameters
    ----------
    operands
        The rule's names for the operands; ``"arrays_0"`` for those in a list.
    arrays
        Which are tensors; the others are Python numbers.
    ranks, result_ranks
        The number of axes of each, where formulas are told.
    statics
        The values of the rule's other parameters, where they were given.
    opaque
        Those of them that formulas are not told.
    view
        The result is a view of the first operand.
    """
    return _Writer(rule, name, operands, arrays, active, ranks, result_ranks, statics, opaque, view).run()


class _Writer:
    def __init__(self, rule: Rule, name: str, operands: Sequence[str], arrays: Sequence[bool], active: Sequence[bool],
                 ranks: Sequence[int | None], result_ranks: Sequence[int | None], statics: dict[str, Any],
                 opaque: frozenset[str], view: bool):
        self.rule, self.name, self.operands, self.arrays, self.active = rule, name, operands, arrays, active
        self.statics = {item.name: item.default for item in rule.parameters if item.name not in operands}
        self.statics.update(statics)
        self.opaque = opaque
        self.view = view
        self.results = ["y"] if len(result_ranks) == 1 else [f"y_{place}" for place in range(len(result_ranks))]
        self.cotangents = ["g" + label[1:] for label in self.results]
        self.needed: dict[str, tuple[str, str]] = {}
        """By the name of a parameter of the adjoint, the value that it is or that it tells something of, and what."""
        self.smooth: set[str] = set()
        self.outside: dict[str, Any] = {"__builtins__": builtins, "__name__": "s2sgrad.eager"}
        self.operation = self.described(ranks, result_ranks)

    def described(self, ranks: Sequence[int | None], result_ranks: Sequence[int | None]) -> Operation:
        def value(rank: int | None, array: bool, active: bool) -> Numeric:
            if not array:
                return Numeric("python", FLOAT, ())
            return Numeric("array", None, None if rank is None else (None,) * rank, active, real=True)

        found: dict[str, Abstract] = {}
        listed: dict[str, list] = {}
        for label, rank, array, active in zip(self.operands, ranks, self.arrays, self.active):
            parameter = self.parameter(label)
            if parameter == label:
                found[label] = value(rank, array, active)
            else:
                listed.setdefault(parameter, []).append(value(rank, array, active))
        found.update((parameter, Items(list, tuple(items))) for parameter, items in listed.items())
        found.update((label, Opaque() if label in self.opaque else abstract(value))
                     for label, value in self.statics.items() if label not in listed)
        results = tuple(value(rank, True, True) for rank in result_ranks)
        return Operation(self.rule, found, results[0] if len(results) == 1 else Items(tuple, results),
                         tuple(range(len(results))))

    def parameter(self, operand: str) -> str:
        """The rule's parameter that an operand is, or is an item of."""
        names = [item.name for item in self.rule.parameters]
        return operand if operand in names else operand.rpartition("_")[0]

    def run(self) -> OneRule:
        lines, bars, passed_on, vanishing, last_step = [], [], set(), set(), ""
        for place, (label, active) in enumerate(zip(self.operands, self.active)):
            if not active:
                bars.append("None")
                continue
            *steps, last = self.formula(label)
            last_step = last_step or LAST.get(type(getattr(last, "op", None)), "")
            lines += [ast.unparse(step) for step in steps]
            text = ast.unparse(last)
            if text.startswith("np.zeros_like("):
                vanishing.add(place)
            if text == "g":
                passed_on.add(place)
                bars.append("g")
            elif len([item for item in self.active if item]) == 1:
                bars.append(text)
            else:
                lines.append(f"{label}_bar = {text}")
                bars.append(f"{label}_bar")
        lines.append(f"return {', '.join(bars)}{',' * (len(bars) == 1)}")
        header = ", ".join([*self.cotangents, *self.needed])
        label = f"{self.name}_adjoint"
        text = f"def {label}({header}):\n" + "".join(f"    {line}\n" for line in lines)
        return OneRule(compile_text(text, label, self.outside, {}), self.saver(), text,
                       tuple(self.source(value) if what == "" else None for value, what in self.needed.values()),
                       tuple(label in self.smooth for label in self.needed), frozenset(passed_on),
                       frozenset(vanishing), last_step,
                       any(what == "" and value not in self.statics for value, what in self.needed.values()))

    def source(self, value: str) -> int | None:
        if value in self.results:
            number = self.results.index(value)
            parts = self.operation.parts
            return None if parts and number not in parts else -1 - number
        place = self.operands.index(value) if value in self.operands else None
        return place if place is not None and self.arrays[place] else None

    def formula(self, operand: str) -> list[Any]:
        """The statements of an operand's cotangent, the last one an expression."""
        parameter = self.parameter(operand)
        partial = self.rule.partials[parameter]
        if partial is ZERO:
            text: Any = ZERO
        elif parameter == operand:
            text = partial(self.operation)
        else:
            text = partial(self.operation, (int(operand.rpartition("_")[2]),))
        if not isinstance(text, str):
            text = " + ".join(f"({part})" for part in text)
        if text == ZERO:
            text = f"np.zeros_like({operand})"
        tree = ast.parse(text)
        mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if self.rule.elementwise and mentioned.isdisjoint(self.cotangents):
            tree = ast.parse(f"g * ({text})")
            mentioned.add("g")
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        made = _Mentions(self, bound | set(self.cotangents)).visit(tree)
        body = list(ast.fix_missing_locations(made).body)
        body[-1] = body[-1].value
        return body

    def needs(self, value: str, what: str) -> str:
        label = f"{value}_{what}" if what else value
        self.needed[label] = value, what
        return label

    def saver(self) -> Callable:
        """What takes the values to save, and their versions, from the operands and results."""
        parts, guarded = [], []
        for value, what in self.needed.values():
            tensor = value in self.results or value in self.operands and self.arrays[self.operands.index(value)]
            found = f"statics[{value!r}]"
            if value in self.results:
                found = f"results[{self.results.index(value)}]"
            elif value in self.operands:
                found = f"operands[{self.operands.index(value)}]"
            elif not self.view:  # no index of a view is an array
                found = f"own({found})"
            if tensor and not what:
                guarded.append(found)
            parts.append((f"{found}._array" if tensor else found) + (f".{what}" if what else ""))
        versions = "".join(f"((v := {found}._memory or {found}._written), v.count), " for found in guarded)
        text = f"def save(operands, results, statics):\n    return ({''.join(part + ', ' for part in parts)}), " \
               f"({versions})\n"
        namespace: dict[str, Any] = {}
        exec(text, {"own": own}, namespace)
        return namespace["save"]


def own(value: Any) -> Any:
    """What is no operand, to be saved: arrays in it, as indices are, may be the user's, and have no version."""
    kind = value.__class__
    if kind is np.ndarray:
        return value.copy()
    return kind(map(own, value)) if kind is tuple or kind is list else value


class _Mentions(ast.NodeTransformer):
    """Finds out what a formula mentions: of an array perhaps only its shape."""

    def __init__(self, writer: _Writer, bound: set[str]):
        self.writer = writer
        self.bound = bound
        self.values = {*writer.operands, *writer.results}
        self.compared = False

    def is_array(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.values and (
            node.id in self.writer.results or self.writer.arrays[self.writer.operands.index(node.id)])

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in SHAPE_ONLY and isinstance(node.value, ast.Name) and self.is_array(node.value):
            return ast.Name(self.writer.needs(node.value.id, node.attr), ast.Load())
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.AST) -> ast.AST:
        """What is only compared has no influence to first order."""
        before, self.compared = self.compared, True
        try:
            return self.generic_visit(node)
        finally:
            self.compared = before

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) in TESTS:
            return self.visit_Compare(node)
        asked = ast.unparse(node.func).removeprefix("np.")
        if asked in SHAPE_ONLY[:3] and len(node.args) == 1 and self.is_array(node.args[0]):
            return self.visit_Attribute(ast.Attribute(node.args[0], asked, ast.Load()))
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        label, writer = node.id, self.writer
        if label in self.bound:
            return node
        if label in self.values:
            if not self.compared:
                writer.smooth.add(label)
            return ast.Name(writer.needs(label, ""), ast.Load())
        if label in writer.statics:
            value = writer.statics[label]
            if label not in writer.opaque and is_literal(value):
                return ast.parse(repr(value), mode="eval").body
            return ast.Name(writer.needs(label, ""), ast.Load())
        found = {"np": np, "math": math, **writer.rule.names}.get(label)
        if found is None:
            found = getattr(runtime, label, None)
        if found is not None:
            writer.outside[label] = found
        return node


def is_literal(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(is_literal, value))
    return value is None or type(value) in (bool, int, str) or type(value) is float and math.isfinite(value)
