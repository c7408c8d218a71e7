"""Expressions of a function that tensors are given to, written in NumPy's terms."""
from __future__ import annotations

import ast
import builtins
import math
import operator
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.compiler.targets import target_of
from s2sgrad.decorated import spoken
from s2sgrad.decorated.meanings import (
    ITEMS,
    LIST,
    MIXED,
    NUMBER,
    OTHER,
    TENSOR,
    UNCLEAR,
    Meaning,
    Path,
    constant,
    join,
    list_of,
    meaning_of,
    steps_of,
)
from s2sgrad.decorated.spoken import ATTRIBUTES, DENIED, METHODS, OF_THE_GRAPH, SPOKEN_FUNCTIONS, Call
from s2sgrad.decorated.tracing import Spelling, Symbol, Untold, traced
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.extending import stop_gradient
from s2sgrad.marking import Marked
from s2sgrad.shim.tensor import Tensor, new_tensor

Spoken = tuple[Any, Meaning]
OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.USub: operator.neg,
    ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other, ast.LShift: operator.lshift, ast.RShift: operator.rshift}
PURE = {len, float, int, bool, abs, min, max, sum, round, isinstance, tuple, list, dict, range, str, type, divmod, pow,
        hasattr, getattr, callable, sorted, any, all}
"""Builtins that give the same for the same, and change nothing."""
OWN = "s2sgrad.shim", "s2sgrad.autograd"


class NeedsNumber(Exception):
    """The value of an integer input must be known: start again with it in the key."""

    def __init__(self, path: Path):
        super().__init__(path.label)
        self.path = path


class NeedsRead(Exception):
    """A value from outside was met that the key doesn't hold yet: start again with it."""

    def __init__(self, path: Path):
        super().__init__(path.label)
        self.path = path


class Expressions:
    """The part of a translation that expressions need.

    Attributes
    ----------
    recording
        Whether what is computed here is recorded: not inside ``no_grad``.
    objects
        The objects that the text has names for.
    """

    location: Location
    recording = True

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.taken: set[str] = set()

    # ---- for the operations spoken by hand

    def refusal(self, reason: str, remedy: str, node: Any = None) -> UnsupportedError:
        line = getattr(node, "lineno", None)
        at = self.location if line is None else replace(
            self.location, line=line, column=node.col_offset, end_line=node.end_lineno, end_column=node.end_col_offset)
        return UnsupportedError(reason, remedy, at)

    def given(self, wanted: str, value: Any) -> ast.expr:
        """A name for an object."""
        for label, other in self.objects.items():
            if other is value:
                return ast.Name(label, ast.Load())
        label = self.fresh(wanted)
        self.objects[label] = value
        return ast.Name(label, ast.Load())

    def fresh(self, wanted: str) -> str:
        """A name that nothing else has."""
        label, number = wanted, 0
        while label in self.taken or label in self.objects:
            number += 1
            label = f"{wanted}_{number}"
        self.taken.add(label)
        return label

    def numpy(self, name: str) -> ast.expr:
        return ast.Attribute(self.given("np", np), name, ast.Load())

    def calls(self, function: Any, *nodes: Any) -> ast.expr:
        return ast.Call(self.given(function.__name__, function), list(nodes), [])

    def example(self, compute: Callable[[], Any], node: Any) -> Any:
        """What an operation gives for examples. Raises UnsupportedError where it raises."""
        try:
            return compute()
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            raise self.refusal(f"with these arguments this raises {type(error).__name__}: {str(error).splitlines()[0]}",
                               "leave the decorator off to see where", node) from None

    def living(self, value: Meaning) -> Tensor:
        """An example that requires a gradient where the value may."""
        example = new_tensor(value.example._array[...])
        example._requires = value.live is not False and example._array.dtype.kind == "f"
        return example

    def made(self, compute: Callable[[], Tensor], live: bool | None, node: Any = None) -> Meaning:
        """The meaning of what an operation gives for examples."""
        return self.part(self.example(compute, node), live)

    def any_live(self, values: Any) -> bool | None:
        found = [value.live for value in values]
        return True if True in found else None if None in found else False

    def known(self, call: Call, place: int, label: str) -> Any:
        """The value of an argument, which decides what the text says."""
        found = call.given(place, label)
        if found is None:
            raise self.refusal(f"this call gives no {label}", "give it", call.node)
        return self.value_of(found[1], call.node)

    def value_of(self, value: Meaning, node: Any) -> Any:
        if value.known:
            return value.example
        if value.kind == ITEMS and not value.holds_tensors:
            parts = iter([self.value_of(part, node) for part in value.parts])
            return type(value.example)(parts) if isinstance(value.example, (tuple, list)) else value.example
        if value.kind == NUMBER and value.path is not None:
            raise NeedsNumber(value.path)
        raise self.refusal("the value of this argument must be known before the call",
                           "write it as a literal, or pass an int as an argument of its own", node)

    # ---- expressions

    def expression(self, node: Any, env: dict[str, Meaning]) -> Spoken:
        found = getattr(self, f"of_{type(node).__name__}", self.of_other)
        made, value = found(node, env)
        if made is not node and getattr(made, "lineno", None) is None:
            for part in ast.walk(made):
                if isinstance(part, (ast.expr, ast.keyword)) and getattr(part, "lineno", None) is None:
                    ast.copy_location(part, node)
        return made, value

    def plain(self, node: Any, env: dict[str, Meaning]) -> Spoken:
        """An expression that operations on tensors can be told about."""
        made, value = self.expression(node, env)
        if value.kind == UNCLEAR:
            raise self.refusal("what this is depends on the way that the call took",
                               "give it one dtype and number of dimensions on all ways", node)
        return made, value

    def of_Constant(self, node: ast.Constant, env: dict) -> Spoken:
        return node, constant(node.value)

    def of_Name(self, node: ast.Name, env: dict) -> Spoken:
        if node.id in env:
            value = env[node.id]
            return self.placed(node, value)
        return self.from_outside(node, self.outer(node.id))

    def outer(self, name: str) -> Path:
        raise NotImplementedError

    def read(self, path: Path) -> Any:
        raise NotImplementedError

    def lifted(self, path: Path) -> ast.expr:
        raise NotImplementedError

    def from_outside(self, node: Any, path: Path) -> Spoken:
        """A value from outside: tensors become parameters."""
        value = self.read(path)
        return self.placed(node, value)

    def placed(self, node: Any, value: Meaning) -> Spoken:
        path = value.path
        if path is None:
            return node, value
        if value.kind in (TENSOR, NUMBER) or value.kind == ITEMS or value.is_array:
            return self.lifted(path), value
        if value.known and not isinstance(path.root, str) and not path.steps and isinstance(
                path.root.holder, dict) and self.sees(path):
            return node, value
        if value.known:
            if value.example is None or type(value.example) in (bool, str):
                return ast.Constant(value.example), value
            return self.given(path.label, value.example), value
        return self.lifted(path), value

    def sees(self, path: Path) -> bool:
        """Whether a global is one of the function that is written."""
        raise NotImplementedError

    def of_Attribute(self, node: ast.Attribute, env: dict) -> Spoken:
        base, value = self.plain(node.value, env)
        if value.kind in (TENSOR, MIXED):
            return self.tensor_attribute(node, base, value)
        fields = getattr(value.form or type(value.example), "_fields", ())
        if value.kind == ITEMS and node.attr in fields:
            place = fields.index(node.attr)
            part = base.elts[place] if isinstance(base, ast.Tuple) else \
                ast.Attribute(base, node.attr, ast.Load()) if value.form is None else \
                ast.Subscript(base, ast.Constant(place), ast.Load())
            return part, value.parts[place]
        if value.path is not None and value.known and not isinstance(value.example, types.ModuleType):
            found = getattr(type(value.example), node.attr, None)
            if isinstance(found, property):
                raise self.refusal(f"{node.attr} is computed where it is read", "call a method that computes it", node)
            return self.from_outside(ast.Attribute(base, node.attr, ast.Load()), value.path.to(True, node.attr))
        if value.known and hasattr(value.example, node.attr):
            return ast.Attribute(base, node.attr, ast.Load()), constant(getattr(value.example, node.attr))
        if value.holds_tensors:
            raise self.refusal(f".{node.attr} of a container of tensors is not supported here", "name its parts", node)
        return ast.Attribute(base, node.attr, ast.Load()), Meaning(OTHER)

    def tensor_attribute(self, node: ast.Attribute, base: Any, value: Meaning) -> Spoken:
        if node.attr in OF_THE_GRAPH:
            raise self.refusal(f".{node.attr} belongs to the graph, and this function is one node of it",
                               "ask for it outside", node)
        if value.kind == TENSOR and node.attr in ATTRIBUTES:
            return ATTRIBUTES[node.attr](self, base, value)
        if value.kind == TENSOR and isinstance(getattr(Tensor, node.attr, None), property):
            return self.traced(node, lambda tensor: getattr(tensor, node.attr), [base], [value])
        raise self.refusal(f"the attribute .{node.attr} of a tensor is not supported here", "use a function of tensors",
                           node)

    # ---- operators

    def of_BinOp(self, node: ast.BinOp, env: dict) -> Spoken:
        pairs = [self.plain(side, env) for side in (node.left, node.right)]
        return self.operator(node, type(node.op), pairs, lambda *nodes: ast.BinOp(nodes[0], node.op, nodes[1]))

    def of_UnaryOp(self, node: ast.UnaryOp, env: dict) -> Spoken:
        pair = self.plain(node.operand, env)
        if isinstance(node.op, ast.Not):
            value = pair[1]
            known = value.known and not value.holds_tensors
            return ast.UnaryOp(node.op, pair[0]), constant(not value.example) if known else spoken.number(False)
        return self.operator(node, type(node.op), [pair], lambda operand: ast.UnaryOp(node.op, operand))

    def of_Compare(self, node: ast.Compare, env: dict) -> Spoken:
        pairs = [self.plain(side, env) for side in (node.left, *node.comparators)]
        values = [value for _, value in pairs]
        if len(node.ops) > 1:
            if any(value.holds_tensors for value in values):
                raise self.refusal("a chain of comparisons of tensors is not supported here",
                                   "write it as two, with and between", node)
            return ast.Compare(pairs[0][0], node.ops, [part for part, _ in pairs[1:]]), spoken.number(False)
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self.identity(node, pairs)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and any(value.holds_tensors for value in values):
            raise self.refusal("a search for tensors is not supported here", "compare one by one", node)
        return self.operator(node, type(node.ops[0]), pairs,
                             lambda first, second: ast.Compare(first, node.ops, [second]))

    def identity(self, node: ast.Compare, pairs: list[Spoken]) -> Spoken:
        (first, one), (second, other) = pairs
        if one.holds_tensors or other.holds_tensors:
            sides = [value for value in (one, other) if not value.holds_tensors]
            if len(sides) != 1 or MIXED in (one.kind, other.kind):
                raise self.refusal("whether two tensors are the same object is not known here", "compare their values",
                                   node)
            found = isinstance(node.ops[0], ast.IsNot)
            return ast.Constant(found), constant(found)
        made = ast.Compare(first, node.ops, [second])
        if one.known and other.known:
            found = (one.example is other.example) is isinstance(node.ops[0], ast.Is)
            return ast.Constant(found), constant(found)
        return made, spoken.number(False)

    def operator(self, node: Any, kind: type, pairs: list[Spoken], rebuild: Callable) -> Spoken:
        nodes, values = [part for part, _ in pairs], [value for _, value in pairs]
        function = OPERATORS[kind]
        if not any(value.kind in (TENSOR, MIXED) for value in values):
            if any(value.holds_tensors for value in values):
                return self.containers(node, kind, values, rebuild(*nodes))
            return rebuild(*nodes), self.evaluated(function, values)
        if kind is ast.Invert and values[0].kind == TENSOR:
            return rebuild(*nodes), self.made(lambda: ~values[0].example, False, node)
        if kind is ast.FloorDiv and self.any_live(values) is not False and self.recording:
            raise self.refusal("x // y has no derivative", "detach its operands", node)
        return self.traced(node, function, nodes, values)

    def containers(self, node: Any, kind: type, values: list[Meaning], made: Any) -> Spoken:
        """``[x] + [y]`` and ``[x] * n``."""
        first, *rest = values
        if kind is ast.Add and {value.kind for value in values} <= {ITEMS, LIST}:
            second = rest[0]
            if first.kind == second.kind == ITEMS and type(first.example) is type(second.example):
                parts = (*first.parts, *second.parts)
                return made, Meaning(ITEMS, first.example + second.example, live=self.any_live(parts), parts=parts)
            return made, list_of((*first.parts, *second.parts))
        raise self.refusal("what this does with a container of tensors is not supported here",
                           "build the container one item after another", node)

    def evaluated(self, function: Callable, values: list[Meaning]) -> Meaning:
        """What a function without side effects gives for what is no tensor."""
        if any(value.kind in (LIST, UNCLEAR) or value.kind == OTHER and value.example is None and not value.known
               for value in values):
            return Meaning(OTHER)
        try:
            found = function(*(value.example for value in values))
        except Exception:
            return Meaning(OTHER)
        return replace(meaning_of(found), known=all(value.known for value in values))

    # ---- operations

    def traced(self, node: Any, function: Callable, nodes: list[Any], values: list[Meaning],
               keywords: dict[str, tuple[Any, Meaning]] | None = None) -> Spoken:
        """An operation as eager tensors have it. Where an operand may be a number or a tensor, both must be written
        alike."""
        mixed = next((place for place, value in enumerate(values) if value.kind == MIXED), None)
        if mixed is None:
            return self.traced_one(node, function, nodes, values, keywords or {})
        found = []
        for part in values[mixed].parts:
            found.append(self.traced(node, function, nodes, [*values[:mixed], part, *values[mixed + 1:]], keywords)
                         if part.kind == TENSOR or any(value.kind in (TENSOR, MIXED) for place, value in enumerate(values)
                                                       if place != mixed) else None)
        first, second = found
        if second is None:
            raise AssertionError("a tensor is among the operands")
        if first is None:  # of numbers alone: Python's own operator
            number = self.evaluated(function, [values[mixed].parts[0] if place == mixed else value
                                               for place, value in enumerate(values)])
            plain = self.plain_operator(node, nodes)
            if plain is None or ast.dump(plain) != ast.dump(second[0]):
                raise self.refusal("this may be a number or a tensor, which this tells apart",
                                   "start with a tensor: torch.tensor(1.0)", node)
            return second[0], join(replace(number, known=False), second[1])
        if ast.dump(first[0]) != ast.dump(second[0]):
            raise self.refusal("this may be a number or a tensor, which this tells apart",
                               "start with a tensor: torch.tensor(1.0)", node)
        return second[0], join(first[1], second[1])

    def plain_operator(self, node: Any, nodes: list[Any]) -> Any:
        if isinstance(node, ast.BinOp):
            return ast.BinOp(nodes[0], node.op, nodes[1])
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, nodes[0])
        return ast.Compare(nodes[0], node.ops, [nodes[1]]) if isinstance(node, ast.Compare) else None

    def traced_one(self, node: Any, function: Callable, nodes: list[Any], values: list[Meaning],
                   keywords: dict[str, tuple[Any, Meaning]]) -> Spoken:
        leaves: list[tuple[Any, Any]] = []
        floats = isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)) and all(
            value.kind != TENSOR or value.example._array.dtype.kind == "f" for value in values)
        examples = [self.operand(part, value, leaves, floats, node) for part, value in zip(nodes, values)]
        named = {label: self.operand(part, value, leaves, False, node) for label, (part, value) in keywords.items()}
        everything = [*values, *(value for _, value in keywords.values())]
        with traced() as tracer:
            result = self.example(lambda: function(*examples, **named), node)
        try:
            made = Spelling(tracer, leaves, self.given).result(result)
        except Untold:
            raise self.refusal("what this does depends on the sizes or the values of its tensors",
                               "compute it outside of the decorated function", node) from None
        return self.recorded(made, result, self.any_live(everything))

    def recorded(self, made: Any, result: Any, live: bool | None) -> Spoken:
        """What an operation gives, as it is known from here on; outside of the graph where nothing is recorded."""
        several = result if isinstance(result, tuple) else (result,)
        if not self.recording and live is not False:
            made, live = self.calls(stop_gradient, made) if not isinstance(result, tuple) else made, False
            if isinstance(result, tuple):
                raise self.refusal("an operation with several results is not supported under no_grad here",
                                   "detach its operands")
        parts = tuple(self.part(part, live) for part in several)
        if not isinstance(result, tuple):
            return made, parts[0]
        form = type(result) if type(result) is not tuple else None
        return made, Meaning(ITEMS, tuple(part.example for part in parts), live=live, parts=parts, form=form)

    def part(self, result: Tensor, live: bool | None) -> Meaning:
        floats = result._array.dtype.kind == "f"
        node = result._node.name() if result._node is not None else None
        return Meaning(TENSOR, new_tensor(result._array), live=live if floats else False, node=node)

    def operand(self, node: Any, value: Meaning, leaves: list, floats: bool, whole: Any) -> Any:
        """An example to run an operation on; where the text may name it, its expression goes into ``leaves``.

        ``floats``: it is an operator's, whose tensors are of floats.
        """
        if value.kind == TENSOR or value.is_array:
            example = new_tensor((value.example if value.is_array else value.example._array)[...])
            example._requires = value.live is not False and example._array.dtype.kind == "f" and value.kind == TENSOR
            leaves.append((example._array, node))
            return example
        if value.kind == ITEMS and value.holds_tensors:
            parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [
                ast.Subscript(node, ast.Constant(step), ast.Load()) for step in steps_of(value)]
            return [self.operand(part, item, leaves, False, whole) for part, item in zip(parts, value.parts)]
        if value.holds_tensors:
            raise self.refusal("what this does with a list of tensors of any length is not supported here",
                               "use torch.stack or torch.cat", whole)
        if value.kind == NUMBER and not value.known and type(value.example) is float:
            leaves.append((Symbol(value.example), node))
            return leaves[-1][0]
        if value.kind == NUMBER and type(value.example) in (int, float) and floats and not isinstance(node, ast.Constant):
            # whether it is an integer makes no difference to a float tensor
            leaves.append((Symbol(value.example), node))
            return leaves[-1][0]
        return self.value_of(value, node)

    # ---- calls

    def of_Call(self, node: ast.Call, env: dict) -> Spoken:
        if any(isinstance(item, ast.Starred) for item in node.args) or any(item.arg is None for item in node.keywords):
            return self.of_other(node, env)
        if isinstance(node.func, ast.Attribute):
            base, value = self.plain(node.func.value, env)
            if value.kind in (TENSOR, MIXED):
                return self.method_call(node, base, value, env)
            if value.kind in (ITEMS, LIST) and value.path is None or value.kind == LIST:
                return self.container_call(node, base, value, env)
            if value.kind == ITEMS:
                return self.container_call(node, base, value, env)
        func, callee = self.expression(node.func, env)
        pairs = [self.plain(item, env) for item in node.args]
        keywords = {str(item.arg): self.plain(item.value, env) for item in node.keywords}
        nodes, values = [part for part, _ in pairs], [value for _, value in pairs]
        everything = [*values, *(value for _, value in keywords.values())]
        touched = any(value.holds_tensors for value in everything)
        rebuilt = ast.Call(func, nodes, [ast.keyword(label, part) for label, (part, _) in keywords.items()])
        if not callee.known:
            if touched:
                raise self.refusal("the function called here is not known before the call", "call it by its name", node)
            return rebuilt, Meaning(OTHER)
        function = callee.example
        if touched and function in SPOKEN_FUNCTIONS:
            return self.spoken(SPOKEN_FUNCTIONS[function], node, Call(node, nodes, values, keywords))
        if function is isinstance and len(values) == 2 and values[1].known and values[0].kind == TENSOR:
            found = isinstance(values[0].example, values[1].example)
            return ast.Constant(found), constant(found)
        if function is sum and touched and values[0].kind in (ITEMS, LIST):
            return self.summed(node, rebuilt, values)
        if function is abs and touched:
            return self.traced(node, abs, nodes, values)
        if function in (list, tuple) and touched and values[0].kind == TENSOR:
            return rebuilt, replace(list_of((self.element(node, values[0]),)), example=function())
        if function in (list, tuple) and touched and values[0].kind in (ITEMS, LIST):
            kind = list if function is list else tuple
            return rebuilt, replace(values[0], path=None, example=kind(values[0].example))
        if is_own(function):
            return self.own_function(node, function, rebuilt, nodes, values, keywords, touched)
        plain = getattr(function, "__module__", None) or ""
        if touched and (isinstance(function, np.ufunc) or plain.partition(".")[0] == "numpy"):
            return self.numpy_call(node, function, rebuilt, values, keywords)
        target = target_of(function).function
        if isinstance(target, Marked):
            target = target.__wrapped__
        if isinstance(target, types.FunctionType) and plain.partition(".")[0] not in ("numpy", "s2sgrad", "builtins"):
            found_call = self.user_call(node, function, nodes, values, keywords)
            if found_call is not None:
                return found_call
        if touched:
            label = getattr(function, "__name__", type(function).__name__)
            raise self.refusal(f"{label} gets a tensor here, and nothing is known of what it does with it",
                               "give it x.item(), or call it outside", node)
        pure = function in PURE if isinstance(function, types.BuiltinFunctionType | type) else False
        if (pure or getattr(math, getattr(function, "__name__", ""), None) is function
                or plain == "numpy") and not keywords:
            return rebuilt, self.evaluated(function, values)
        return rebuilt, Meaning(OTHER)

    def spoken(self, function: Callable, node: Any, call: Call) -> Spoken:
        if any(value.kind == MIXED for value in call.values):
            raise self.refusal("this may be a number or a tensor, which this tells apart",
                               "start with a tensor: torch.tensor(1.0)", node)
        made, value = function(self, call)
        if value.kind == TENSOR and value.live is not False and not self.recording:
            return self.calls(stop_gradient, made), replace(value, live=False, node=None)
        return made, value

    def summed(self, node: Any, made: Any, values: list[Meaning]) -> Spoken:
        parts = values[0].parts
        if len(values) > 1 or any(part.kind != TENSOR for part in parts) or len(
                {part.signature()[1] for part in parts}) > 1 or not self.recording:
            raise self.refusal("these tensors are not known to be of one dtype and number of dimensions",
                               "put tensors together that are", node)
        live = self.any_live(parts)
        tensor = Meaning(TENSOR, parts[0].example, live=live, node="AddBackward0")
        return made, tensor if values[0].kind == ITEMS else join(tensor, constant(0))

    def method_call(self, node: ast.Call, base: Any, value: Meaning, env: dict) -> Spoken:
        assert isinstance(node.func, ast.Attribute)
        label = node.func.attr
        pairs = [self.plain(item, env) for item in node.args]
        keywords = {str(item.arg): self.plain(item.value, env) for item in node.keywords}
        call = Call(node, [base, *(part for part, _ in pairs)], [value, *(part for _, part in pairs)], keywords)
        if label in OF_THE_GRAPH:
            raise self.refusal(f".{label} belongs to the graph, and this function is one node of it",
                               "ask for it outside", node)
        if label in METHODS:
            return self.spoken(METHODS[label], node, call)
        if label in DENIED:
            raise self.refusal(f"what .{label}() does depends on sizes", DENIED[label], node)
        function = getattr(Tensor, label, None)
        if function is None:
            raise self.refusal(f"tensors have no method {label}", "see dir(Tensor)", node)
        if label.endswith("_") and not label.startswith("_"):
            raise self.refusal(f".{label}() writes into a tensor, which is not supported here",
                               "write x += y, x[i] = y, or use the method that gives a new tensor", node)
        return self.traced(node, function, call.nodes, call.values, keywords)

    def own_function(self, node: ast.Call, function: Any, made: Any, nodes: list, values: list[Meaning],
                     keywords: dict, touched: bool) -> Spoken:
        """A function of this package: of tensors, or one that makes tensors."""
        label = getattr(function, "__name__", "")
        if touched and label in METHODS and values[0].kind == TENSOR:
            return self.spoken(METHODS[label], node, Call(node, nodes, values, keywords))
        if label in DENIED:
            raise self.refusal(f"what {label} does depends on sizes", DENIED[label], node)
        if isinstance(function, type) or label in ("set_grad_enabled", "manual_seed", "backward", "grad", "apply"):
            raise self.refusal(f"{label} is not supported in a decorated function", "call it outside", node)
        if touched and not label.endswith("_like"):
            return self.traced(node, function, nodes, values, keywords)
        if "requires_grad" in keywords:
            raise self.refusal("a leaf made in a decorated function could never be asked for its gradient",
                               "make it outside", node)
        return self.creation(node, function, made, nodes, values, keywords)

    def creation(self, node: ast.Call, function: Any, made: Any, nodes: list, values: list[Meaning],
                 keywords: dict) -> Spoken:
        """A new tensor: it is made as ever, and its array taken."""
        from s2sgrad.shim.creation import default_generator

        if any(value.holds_tensors for value in values[1:]) or values and values[0].holds_tensors \
                and values[0].kind != TENSOR:
            raise self.refusal("a tensor made of tensors is not supported here", "use torch.stack", node)
        if values and values[0].kind == TENSOR:
            made = ast.Call(made.func, [self.calls(new_tensor, self.calls(stop_gradient, nodes[0])), *nodes[1:]],
                            made.keywords)
        before = default_generator.numpy.bit_generator.state
        try:
            found = self.example(lambda: function(*(value.example for value in values), **{
                label: value.example for label, (_, value) in keywords.items()}), node)
        finally:
            default_generator.numpy.bit_generator.state = before
        if not isinstance(found, Tensor):
            return made, replace(meaning_of(found), known=False)
        unknown = [value for value in (*values, *(value for _, value in keywords.values()))
                   if value.kind == OTHER and not value.known and not value.is_array]
        if unknown:
            raise self.refusal("what this makes is not known before the call", "write its sizes and dtype out", node)
        spelled = spoken.new(self, Call(node, nodes, values, keywords), function, found)
        return spelled or ast.Attribute(made, "_array", ast.Load()), Meaning(TENSOR, new_tensor(found._array))

    def numpy_call(self, node: ast.Call, function: Any, made: Any, values: list[Meaning], keywords: dict) -> Spoken:
        """A function of NumPy's, as it is: what it gives of arrays is a tensor."""
        if any(value.kind not in (TENSOR, NUMBER, OTHER, ITEMS) for value in values) or not self.recording:
            raise self.refusal("what this does with tensors is not known", "use a function of tensors", node)

        def array(value: Meaning) -> Any:
            if value.kind == TENSOR:
                return value.example._array
            return [array(part) for part in value.parts] if value.kind == ITEMS else value.example

        found = self.example(lambda: function(*map(array, values), **{
            label: array(value) for label, (_, value) in keywords.items()}), node)
        if not isinstance(found, (np.ndarray, np.generic)):
            raise self.refusal("what this does with tensors is not known", "use a function of tensors", node)
        found = np.asarray(found)
        live = self.any_live(values) if found.dtype.kind == "f" else False
        label = getattr(function, "__name__", "numpy")
        return made, Meaning(TENSOR, new_tensor(found), live=live, node=f"{label.capitalize()}Backward0")

    def user_call(self, node: ast.Call, function: Any, nodes: list, values: list[Meaning], keywords: dict
                  ) -> Spoken | None:
        raise NotImplementedError

    def container_call(self, node: ast.Call, base: Any, value: Meaning, env: dict) -> Spoken:
        """A method of a container."""
        assert isinstance(node.func, ast.Attribute)
        label = node.func.attr
        if value.kind == ITEMS and isinstance(value.example, dict) and label in ("items", "keys", "values") \
                and not node.args:
            made = ast.Call(ast.Attribute(base, label, ast.Load()), [], [])
            steps = [constant(step) for step in steps_of(value)]
            parts = {"values": value.parts, "keys": tuple(steps), "items": tuple(
                Meaning(ITEMS, (step.example, part.example), live=part.live, parts=(step, part))
                for step, part in zip(steps, value.parts))}[label]
            return made, Meaning(ITEMS, tuple(part.example for part in parts), live=value.live, parts=parts)
        if not value.holds_tensors:
            return self.of_other(node, env)
        raise self.refusal(f".{label}() of a container of tensors is not supported here",
                           "append on a line of its own, or build a new container", node)

    # ---- containers

    def of_Tuple(self, node: Any, env: dict) -> Spoken:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return self.of_other(node, env)
        pairs = [self.expression(item, env) for item in node.elts]
        parts = tuple(value for _, value in pairs)
        kind = tuple if isinstance(node, ast.Tuple) else list
        known = all(part.known for part in parts)
        made = ast.copy_location(type(node)([part for part, _ in pairs], ast.Load()), node)
        return made, Meaning(ITEMS, kind(part.example for part in parts), known, self.any_live(parts), parts)

    of_List = of_Tuple

    def of_Dict(self, node: ast.Dict, env: dict) -> Spoken:
        if any(key is None for key in node.keys):
            return self.of_other(node, env)
        keys = [self.expression(key, env) for key in node.keys]
        pairs = [self.expression(item, env) for item in node.values]
        made = ast.Dict([key for key, _ in keys], [part for part, _ in pairs])
        parts = tuple(value for _, value in pairs)
        if not all(key.known for _, key in keys):
            return self.of_other(node, env)
        return made, Meaning(ITEMS, dict(zip([key.example for _, key in keys], [part.example for part in parts])),
                             live=self.any_live(parts), parts=parts)

    def of_Subscript(self, node: ast.Subscript, env: dict) -> Spoken:
        base, value = self.plain(node.value, env)
        index, place = self.index(node.slice, env)
        made = ast.Subscript(base, index, ast.Load())
        if value.kind == TENSOR:
            return self.tensor_item(node, made, value, place)
        if value.kind == ITEMS:
            return self.container_item(node, made, value, place)
        if value.kind == LIST and value.parts:
            return made, value if isinstance(node.slice, ast.Slice) else value.parts[0]
        if value.kind == MIXED:
            raise self.refusal("this may be a number or a tensor, which this tells apart",
                               "start with a tensor: torch.tensor(1.0)", node)
        if place.holds_tensors:
            raise self.refusal("a tensor chooses an item here", "use x.item()", node)
        return made, self.evaluated(operator.getitem, [value, place])

    def index(self, node: Any, env: dict) -> Spoken:
        """An index: of a slice the bounds."""
        if isinstance(node, ast.Slice):
            bounds = [None if part is None else self.plain(part, env) for part in (node.lower, node.upper, node.step)]
            values = [None if bound is None else bound[1] for bound in bounds]
            if any(value is not None and value.holds_tensors for value in values):
                raise self.refusal("a tensor bounds a slice here", "use x.item()", node)
            known = all(value is None or value.known for value in values)
            example = slice(*(None if value is None else value.example for value in values))
            return ast.Slice(*(None if bound is None else bound[0] for bound in bounds)), Meaning(OTHER, example, known)
        if isinstance(node, ast.List):
            listed, value = self.plain(node, env)
            return ast.Call(self.numpy("array"), [listed], []), value
        if isinstance(node, ast.Tuple):
            pairs = [self.index(part, env) for part in node.elts]
            parts = tuple(value for _, value in pairs)
            return ast.Tuple([part for part, _ in pairs], ast.Load()), Meaning(
                ITEMS, tuple(part.example for part in parts), all(part.known for part in parts), parts=parts)
        return self.plain(node, env)

    def tensor_item(self, node: Any, made: Any, value: Meaning, place: Meaning) -> Spoken:
        parts = place.parts if isinstance(node.slice, ast.Tuple) else (place,)
        for part in parts:
            if part.kind == OTHER and isinstance(part.example, slice) and (part.example.step or 1) < 0:
                raise self.refusal("a tensor has no slices with negative steps", "use flip", node)
            if part.kind == MIXED or part.kind == OTHER and not part.known and not isinstance(part.example, slice):
                raise self.refusal("what this index is, is not known before the call", "use an int, a slice or a tensor",
                                   node)
        made_value = self.made(lambda: self.living(value)[place.example], value.live, node)
        if not self.recording and value.live is not False:
            return self.calls(stop_gradient, made), replace(made_value, live=False, node=None)
        return made, made_value

    def container_item(self, node: Any, made: Any, value: Meaning, place: Meaning) -> Spoken:
        if isinstance(node.slice, ast.Slice) and place.known and not isinstance(value.example, dict):
            parts = value.parts[place.example]
            return made, Meaning(ITEMS, value.example[place.example], live=self.any_live(parts), parts=parts)
        if place.kind == NUMBER and not place.known and value.path is not None and place.path is not None:
            raise NeedsNumber(place.path)
        if not place.known:
            if isinstance(node.slice, ast.Slice) or not value.parts:
                raise self.refusal("which part this is, is not known before the call", "write the index out", node)
            found = value.parts[0]
            for part in value.parts[1:]:
                found = join(found, replace(part, path=None))
            return made, replace(found, path=None)
        steps = steps_of(value)
        key = place.example
        if type(key) is int and not isinstance(value.example, dict):
            key = key % len(steps) if steps and -len(steps) <= key < len(steps) else key
        if key not in steps:
            raise self.refusal("there is no such part", "look for it with in", node)
        if isinstance(made.value, ast.Tuple) and value.form is not None:
            made = made.value.elts[steps.index(key)]
        return made, replace(value.parts[steps.index(key)], path=None)

    # ---- what decides

    def test(self, node: Any, env: dict) -> tuple[Any, bool | None]:
        """A test, and its outcome where that is known."""
        made, value = self.plain(node, env)
        if value.known and not value.holds_tensors:
            return made, bool(value.example)
        return made, None

    def of_IfExp(self, node: ast.IfExp, env: dict) -> Spoken:
        test, outcome = self.test(node.test, env)
        if outcome is not None:
            return self.expression(node.body if outcome else node.orelse, env)
        (first, one), (second, other) = (self.expression(part, env) for part in (node.body, node.orelse))
        return ast.IfExp(test, first, second), replace(join(one, other), path=None)

    def of_BoolOp(self, node: ast.BoolOp, env: dict) -> Spoken:
        stop = isinstance(node.op, ast.Or)
        kept: list[Spoken] = []
        for part in node.values:
            made, value = self.plain(part, env)
            if value.known and not value.holds_tensors:
                if bool(value.example) is stop:
                    kept.append((made, value))
                    break
                if part is not node.values[-1]:
                    continue
            kept.append((made, value))
        found = kept[0][1]
        for _, value in kept[1:]:
            found = join(found, value)
        return (kept[0] if len(kept) == 1 else (
            ast.BoolOp(node.op, [part for part, _ in kept]), replace(found, path=None, known=False)))

    def of_ListComp(self, node: ast.ListComp, env: dict) -> Spoken:
        inner = dict(env)
        generators = []
        for item in node.generators:
            iterable, element = self.iterated(item.iter, inner)
            self.bind(item.target, element, inner)
            tests = [self.plain(test, inner)[0] for test in item.ifs]
            generators.append(ast.comprehension(item.target, iterable, tests, 0))
        made, value = self.plain(node.elt, inner)
        return ast.ListComp(made, generators), list_of((replace(value, path=None, known=False),))

    def iterated(self, node: Any, env: dict) -> Spoken:
        """What a loop runs over, and what its target is bound to."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in env \
                and not node.keywords and node.args:
            function = getattr(builtins, node.func.id, None)
            if function in (enumerate, zip, reversed):
                pairs = [self.iterated(item, env) for item in node.args]
                values = tuple(value for _, value in pairs)
                made = ast.Call(node.func, [part for part, _ in pairs], [])
                ast.fix_missing_locations(ast.copy_location(made, node))
                if function is reversed:
                    return made, values[0]
                parts = (spoken.number(0), values[0]) if function is enumerate else values
                return made, Meaning(ITEMS, tuple(part.example for part in parts), live=self.any_live(parts),
                                     parts=parts)
            if function is range:
                return self.expression(node, env)[0], spoken.number(0)
        made, value = self.plain(node, env)
        return made, self.element(node, value)

    def element(self, node: Any, value: Meaning) -> Meaning:
        if value.kind == TENSOR:
            array = value.example._array
            if not array.ndim:
                raise self.refusal("a tensor without dimensions can't be run through", "reshape it to one", node)
            example = new_tensor(array[0, ...] if len(array) else np.zeros(array.shape[1:], array.dtype))
            return Meaning(TENSOR, example, live=value.live, node="UnbindBackward0" if value.live is not False else None)
        if value.kind in (ITEMS, LIST):
            parts = value.parts if not isinstance(value.example, dict) else tuple(map(constant, steps_of(value)))
            if not parts:
                return Meaning(OTHER)
            found = replace(parts[0], path=None)
            for part in parts[1:]:
                found = join(found, replace(part, path=None))
            return found
        if value.kind == OTHER and isinstance(value.example, range):
            return spoken.number(0)
        if value.kind == MIXED:
            raise self.refusal("this may be a number or a tensor, which this tells apart",
                               "start with a tensor: torch.tensor(1.0)", node)
        return Meaning(OTHER)

    def bind(self, target: Any, value: Meaning, env: dict) -> None:
        if isinstance(target, ast.Name):
            env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and not any(
                isinstance(part, ast.Starred) for part in target.elts):
            if value.kind == ITEMS and len(value.parts) == len(target.elts):
                for part, item in zip(target.elts, value.parts):
                    self.bind(part, replace(item, path=None), env)
            elif value.kind in (TENSOR, LIST):
                element = self.element(target, value)
                for part in target.elts:
                    self.bind(part, element, env)
            else:
                for part in target.elts:
                    self.bind(part, Meaning(OTHER), env)
        else:
            raise self.refusal("this target is not supported in a decorated function", "assign to names", target)

    def of_other(self, node: Any, env: dict) -> Spoken:
        """Anything else: it stays as it is, where it has nothing to do with tensors."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        for name in sorted(names & env.keys()):
            if env[name].holds_tensors or env[name].path is not None and env[name].kind != OTHER:
                raise self.refusal(f"{name} is a tensor, and this is not supported of tensors",
                                   "write it with plain operations", node)
        for name in sorted(names - env.keys()):
            path = self.outer_or_none(name)
            if path is not None and (self.read(path).holds_tensors or not self.sees(path)):
                raise self.refusal(f"{name} is from outside, and this is not supported of it",
                                   "give it a name of the function's own", node)
        return node, Meaning(OTHER)

    def outer_or_none(self, name: str) -> Path | None:
        raise NotImplementedError


def is_own(function: Any) -> bool:
    """Whether a function is one of this package for tensors."""
    module = getattr(function, "__module__", None) or ""
    return module.startswith(OWN)
