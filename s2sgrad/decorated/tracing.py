"""What one eager operation does in NumPy's terms: it is run on examples, and the NumPy calls that it makes are noted.

So compiled functions have each operation as eager tensors have it: its promotion, its arguments, its derivative.
"""
from __future__ import annotations

import ast
import math
import operator
import types
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES
from s2sgrad.shim import arithmetic, indexing, joining, products, reductions, shapes
from s2sgrad.shim.operations import OPERATIONS
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor

BINARY: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.truediv: ast.Div,
    operator.pow: ast.Pow, operator.floordiv: ast.FloorDiv, operator.and_: ast.BitAnd, operator.or_: ast.BitOr,
    operator.xor: ast.BitXor, operator.lshift: ast.LShift, operator.rshift: ast.RShift, np.matmul: ast.MatMult}
COMPARED: dict[Any, type[ast.cmpop]] = {
    operator.lt: ast.Lt, operator.le: ast.LtE, operator.gt: ast.Gt, operator.ge: ast.GtE, operator.eq: ast.Eq,
    operator.ne: ast.NotEq}
AS_IN_NUMPY = {joining.cat_of.function: np.concatenate, joining.stack_of.function: np.stack, reductions.sum_of: np.sum}
"""What tensors have with arguments in a list, as NumPy has it."""
INDEXING = {item.function for item in (indexing.SELECT, indexing.SLICE, indexing.UNSQUEEZE, indexing.ALIAS)}


OWN = "s2sgrad.shim", "s2sgrad.autograd", "s2sgrad.nn"


class Untold(Exception):
    """An operation whose text would depend on more than is known of its operands."""


class Symbol(float):
    """A number that the text must not hold. It notes whether Python computed with it, or decided by it: no text of
    NumPy's calls tells that."""

    asked = False


def asking(name: str) -> Any:
    operation = getattr(float, name)

    def asked(self: Symbol, *others: Any) -> Any:
        found = operation(self, *others)
        self.asked |= found is not NotImplemented  # else it is for the other operand, a tensor, to say
        return found

    return asked


for name in ("eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float", "hash", "neg", "abs", "round", "trunc",
             "floor", "ceil", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv",
             "rfloordiv", "mod", "rmod", "divmod", "rdivmod", "pow", "rpow"):
    setattr(Symbol, f"__{name}__", asking(f"__{name}__"))


def plain(value: Any) -> Any:
    """A number as NumPy takes Python's own, which don't widen an array."""
    return float.__pos__(value) if value.__class__ is Symbol else value


@dataclass(eq=False)
class Made:
    """A result of a NumPy call: which one, and which of its results."""

    function: Callable
    arguments: tuple
    keywords: dict[str, Any]
    part: int | None


class Tracer:
    """Stands for the context in which NumPy's functions are run."""

    def __init__(self, quiet: Any):
        self.quiet = quiet
        self.made: dict[int, Made] = {}
        self.kept: list[Any] = []

    def run(self, function: Callable, *arguments: Any, **keywords: Any) -> Any:
        value = self.quiet.run(function, *map(plain, arguments), **{
            label: plain(item) for label, item in keywords.items()})
        several = isinstance(value, tuple)
        results = [np.asarray(part) if isinstance(part, np.generic) else part
                   for part in (value if several else (value,))]
        for place, part in enumerate(results):
            if isinstance(part, np.ndarray):
                if any(part is argument for argument in arguments):
                    part = results[place] = part[...]
                self.made[id(part)] = Made(function, arguments, keywords, place if several else None)
        self.kept += [arguments, keywords, results]  # lest an id is used again
        return tuple(results) if several else results[0]


@contextmanager
def traced() -> Any:
    """A context in which this thread's operations are noted."""
    tracer = Tracer(state.now.quiet)
    state.now.quiet = tracer  # type: ignore[assignment]
    try:
        yield tracer
    finally:
        state.now.quiet = tracer.quiet


def is_own(function: Any) -> bool:
    """Whether a function is one of this package for tensors."""
    return str(getattr(function, "__module__", None) or "").startswith(OWN)


class Spelling:
    """The expression that computes what a traced operation gave.

    ``leaves`` has the operands: each example array or symbol and its expression. ``given(wanted, value)`` finds a name
    for an object.
    """

    def __init__(self, tracer: Tracer, leaves: list[tuple[Any, ast.expr]], given: Callable[[str, Any], ast.expr]):
        self.tracer = tracer
        self.leaves = leaves
        self.given = given
        self.used: set[int] = set()

    def result(self, value: Any) -> ast.expr:
        """Raises Untold for what the text can't tell."""
        if isinstance(value, Tensor):
            return self.operand(value._array)
        if isinstance(value, tuple) and value and all(isinstance(part, Tensor) for part in value):
            made = [self.tracer.made.get(id(part._array)) for part in value]
            if any(one is None or one.part != place or one.arguments is not made[0].arguments  # type: ignore[union-attr]
                   for place, one in enumerate(made)):
                raise Untold
            return self.called(made[0])  # type: ignore[arg-type]
        raise Untold

    def operand(self, value: Any) -> ast.expr:
        for leaf, node in self.leaves:
            if leaf is value:
                if id(leaf) in self.used and not isinstance(node, (ast.Name, ast.Constant)):
                    raise Untold
                self.used.add(id(leaf))
                return node
        if isinstance(value, Symbol):
            raise Untold
        if isinstance(value, np.ndarray):
            made = self.tracer.made.get(id(value))
            if made is None:
                if value.ndim:
                    raise Untold
                return ast.Constant(value.item())  # of a constant
            if id(value) in self.used or made.part is not None:
                raise Untold
            self.used.add(id(value))
            return self.called(made)
        if isinstance(value, list):
            return ast.List([self.operand(item) for item in value], ast.Load())
        return self.literal(value)

    def literal(self, value: Any) -> ast.expr:
        if isinstance(value, np.dtype):
            return ast.Attribute(self.given("np", np), value.name if value.kind != "b" else "bool_", ast.Load())
        if isinstance(value, slice):
            return ast.Call(ast.Name("slice", ast.Load()),
                            [self.literal(part) for part in (value.start, value.stop, value.step)], [])
        if isinstance(value, (tuple, list)):
            return ast.Tuple([self.literal(part) for part in value], ast.Load())
        if isinstance(value, Symbol):
            return self.operand(value)
        if isinstance(value, float) and not math.isfinite(value):
            return ast.Call(ast.Name("float", ast.Load()), [ast.Constant(str(value))], [])
        if value is None or value is ... or type(value) in (bool, int, float, str):
            return ast.Constant(value)
        raise Untold

    def called(self, made: Made) -> ast.expr:
        function = made.function
        if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, np.ndarray) \
                and function.__name__ == "astype":
            return ast.Call(ast.Attribute(self.operand(function.__self__), "astype", ast.Load()),
                            [self.literal(np.dtype(made.arguments[0]))], [])
        operands = [self.operand(item) for item in made.arguments]
        if function is np.where and all(isinstance(node, ast.Constant) for node in operands[1:]):
            # else nothing would tell the dtype
            operands[1:] = [ast.Call(self.literal(item.dtype), [node], [])
                            for item, node in zip(made.arguments[1:], operands[1:])]
        if function in BINARY:
            return ast.BinOp(operands[0], BINARY[function](), operands[1])
        if function in COMPARED:
            return ast.Compare(operands[0], [COMPARED[function]()], [operands[1]])
        if function is arithmetic.rsub_of.function:
            return ast.BinOp(operands[1], ast.Sub(), operands[0])
        if function is np.ndarray.dot:
            return ast.Call(ast.Attribute(operands[0], "dot", ast.Load()), [operands[1]], [])
        if function is np.negative:
            return ast.UnaryOp(ast.USub(), operands[0])
        if "sizes" in made.keywords or any(size not in (-1, 1) for size in made.keywords.get("shape", ())):
            raise Untold
        if function in INDEXING:
            return ast.Subscript(operands[0], self.index(made.keywords["index"]), ast.Load())
        if function is shapes.cast_of.function:
            return ast.Call(ast.Attribute(operands[0], "astype", ast.Load()),
                            [self.literal(np.dtype(made.keywords["dtype"]))], [])
        if function is products.addmm_of.function:
            return ast.BinOp(self.scaled(made.keywords["beta"], operands[0]), ast.Add(), self.scaled(
                made.keywords["alpha"], ast.BinOp(operands[1], ast.MatMult(), operands[2])))
        keywords = [ast.keyword(label, self.operand(value)) for label, value in made.keywords.items()]
        if function is products.einsum_of.function:
            assert isinstance(operands[0], ast.List)
            return ast.Call(self.numpy_name("einsum"), [keywords[0].value, *operands[0].elts], [])
        return ast.Call(self.callee(AS_IN_NUMPY.get(function, function)), operands, keywords)

    def scaled(self, factor: Any, node: ast.expr) -> ast.expr:
        if factor.__class__ is not Symbol and factor == 1:
            return node
        return ast.BinOp(self.operand(factor), ast.Mult(), node)

    def index(self, parts: tuple) -> ast.expr:
        nodes = [ast.Slice(*(None if bound is None else self.literal(bound)
                             for bound in (part.start, part.stop, part.step)))
                 if isinstance(part, slice) else self.literal(part) for part in parts]
        if parts[-1:] == (...,) and len(parts) > 1:
            nodes.pop()
        return nodes[0] if len(nodes) == 1 else ast.Tuple(nodes, ast.Load())

    def numpy_name(self, name: str) -> ast.expr:
        return ast.Attribute(self.given("np", np), name, ast.Load())

    def callee(self, function: Any) -> ast.expr:
        name = getattr(function, "__name__", "")
        if getattr(np, name, None) is function:
            return self.numpy_name(name)
        if getattr(np.linalg, name, None) is function:
            return ast.Attribute(self.numpy_name("linalg"), name, ast.Load())
        operation = OPERATIONS.get(function)
        if operation is None and function in RULES and is_own(function):
            return self.given(RULES[function].name, function)
        if operation is None:
            raise Untold
        if function not in RULES:
            RULES[function] = replace(operation.rule, function=function, name=operation.name,
                                      sharing="view" if operation.view else "fresh")
        return self.given(operation.name, function)
