"""Operations on tensors in NumPy's terms, as eager tensors have them."""
from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.decorated import spoken
from s2sgrad.decorated.eager import DRAWS, eager_call
from s2sgrad.decorated.meanings import (
    ITEMS,
    LIST,
    MIXED,
    NUMBER,
    OTHER,
    SHAPELESS,
    TENSOR,
    UNCLEAR,
    Meaning,
    Path,
    constant,
    join,
    meaning_of,
    steps_of,
)
from s2sgrad.decorated.spoken import Call, Spoken
from s2sgrad.decorated.tracing import Spelling, Symbol, Untold, traced
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.extending import stop_gradient
from s2sgrad.shim.creation import default_generator
from s2sgrad.shim.tensor import Tensor, new_tensor

CLASSES = (isinstance, type)
"""Functions that look at the class of a value alone."""
ALWAYS: dict[Callable, Any] = {len: 0, int: 0, float: 0.0, bool: False, callable: False, any: False, all: False}
"""What kind of number a function gives, whatever it gets."""


class NeedsNumber(Exception):
    """The value of an integer input must be known: start again with it in the key."""

    def __init__(self, path: Path):
        super().__init__(path.label)
        self.path = path


@functools.cache
def failed(kind: type[Exception]) -> type[UnsupportedError]:
    """A refusal that can be caught as an exception of a kind."""
    if issubclass(UnsupportedError, kind):
        return UnsupportedError
    return type(kind.__name__, (UnsupportedError, kind), {"__module__": UnsupportedError.__module__})


class NeedsRead(Exception):
    """A value from outside was met that the key doesn't hold yet: start again with it."""

    def __init__(self, path: Path):
        super().__init__(path.label)
        self.path = path


class Operating:
    """The part of a translation that expressions need.

    Attributes
    ----------
    recording
        Whether what is computed here is recorded: not inside ``no_grad``.
    unsure
        Whether loops or branches came before, so that the sizes of examples need not go together: those of the first
        turn of a loop, or of an arm that is not taken.
    size
        The size that all dimensions of examples are taken to have; None for their own.
    objects
        The objects that the text has names for.
    """

    location: Location
    recording = True
    unsure = False
    size: int | None = None

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.taken: set[str] = set()

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

    def example(self, compute: Callable[[], Any], node: Any, size: int = 2) -> Any:
        """What an operation gives for examples. Where it raises, an exception is raised that is of the same type, and a
        refusal too. Sizes that need not be those that come here are no reason for it: all are taken to be ``size``
        then, and what becomes of the true ones shows when the text runs."""
        try:
            return compute()
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            if self.unsure and self.size is None:
                self.size = size
                try:
                    return compute()
                except (RuntimeError, ValueError, TypeError, IndexError):
                    pass
                finally:
                    self.size = None
            refused = self.refusal(
                f"with these arguments this raises {type(error).__name__}: {str(error).splitlines()[0]}",
                "correct them, or leave the decorator off if control never comes here", node)
            raise failed(type(error))(refused.reason, refused.remedy, refused.location) from None

    def living(self, value: Meaning) -> Tensor:
        """An example that requires a gradient where the value may."""
        example = new_tensor(self.sized(value.example._array))
        example._requires = value.live is not False and example._array.dtype.kind == "f"
        return example

    def sized(self, array: np.ndarray) -> np.ndarray:
        """An example's array, of the size that is asked for."""
        return array[...] if self.size is None else np.resize(array, (self.size,) * array.ndim)

    def made(self, compute: Callable[[], Tensor], live: bool | None, node: Any = None, size: int = 2) -> Meaning:
        """The meaning of what an operation gives for examples."""
        return self.part(self.example(compute, node, size), live)

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

    def outer(self, name: str) -> Path:
        raise NotImplementedError

    def from_outside(self, node: Any, path: Path) -> Spoken:
        raise NotImplementedError

    def read(self, path: Path) -> Any:
        raise NotImplementedError

    def lifted(self, path: Path) -> ast.expr:
        raise NotImplementedError

    def sees(self, path: Path) -> bool:
        """Whether a global is one of the function that is written."""
        raise NotImplementedError

    def expression(self, node: Any, env: dict[str, Meaning]) -> Spoken:
        found: Callable = getattr(self, f"of_{type(node).__name__}", self.of_other)
        made, value = found(node, env)
        if made is not node and getattr(made, "lineno", None) is None:
            for part in ast.walk(made):
                if isinstance(part, (ast.expr, ast.keyword)) and getattr(part, "lineno", None) is None:
                    ast.copy_location(part, node)
        return made, value

    def of_other(self, node: Any, env: dict) -> Spoken:
        raise NotImplementedError

    def element(self, node: Any, value: Meaning) -> Meaning:
        raise NotImplementedError

    def plain(self, node: Any, env: dict[str, Meaning]) -> Spoken:
        """An expression that operations on tensors can be told about."""
        made, value = self.expression(node, env)
        if value.kind in (SHAPELESS, UNCLEAR):
            raise self.refusal("what this is depends on the way that the call took",
                               "give it one dtype and number of dimensions on all ways", node)
        return made, value

    def evaluated(self, function: Callable, values: list[Meaning]) -> Meaning:
        """What a function without side effects gives for what is no tensor. An object of a user's class computes it
        itself, in its own way, whenever it is asked."""
        if function in CLASSES and all(value.known for value in values):
            return constant(function(*(value.example for value in values)))
        if any(value.asks_objects for value in values):
            return spoken.number(ALWAYS[function]) if function in ALWAYS else Meaning(OTHER)
        if any(value.kind in (LIST, UNCLEAR) or value.kind == OTHER and value.example is None and not value.known
               for value in values):
            return Meaning(OTHER)
        try:
            found = function(*(value.example for value in values))
        except Exception:
            return Meaning(OTHER)
        return replace(meaning_of(found), known=all(value.is_fixed for value in values))

    def traced(self, node: Any, function: Callable, nodes: list[Any], values: list[Meaning],
               keywords: dict[str, tuple[Any, Meaning]] | None = None) -> Spoken:
        """An operation as eager tensors have it. Where an operand may be a number or a tensor, both must be written
        alike."""
        mixed = next((place for place, value in enumerate(values) if value.kind == MIXED), None)
        if mixed is None:
            return self.traced_one(node, function, nodes, values, keywords or {})
        found = []
        others = any(value.kind in (TENSOR, MIXED) for place, value in enumerate(values) if place != mixed)
        for part in values[mixed].parts:
            found.append(self.traced(node, function, nodes, [*values[:mixed], part, *values[mixed + 1:]], keywords)
                         if part.kind == TENSOR or others else None)
        first, second = found
        if second is None:
            raise AssertionError("a tensor is among the operands")
        if first is None:  # of numbers alone: Python's own operator
            number = self.evaluated(function, [values[mixed].parts[0] if place == mixed else value
                                               for place, value in enumerate(values)])
            if number.kind != NUMBER:  # the examples are no good, as in 0 / 0
                number = spoken.number(1.0)
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
        floats = isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)) and all(
            value.kind != TENSOR or value.example._array.dtype.kind == "f" for value in values)
        everything = [*values, *(value for _, value in keywords.values())]
        drawn = default_generator.numpy.bit_generator.state

        def run() -> tuple:
            leaves: list[tuple[Any, Any]] = []
            examples = [self.operand(part, value, leaves, floats, node) for part, value in zip(nodes, values)]
            named = {label: self.operand(part, value, leaves, False, node)
                     for label, (part, value) in keywords.items()}
            with traced() as tracer:
                return function(*examples, **named), tracer, leaves, examples, named

        result, tracer, leaves, examples, named = self.example(run, node)
        if default_generator.numpy.bit_generator.state != drawn:
            default_generator.numpy.bit_generator.state = drawn
            raise self.refusal(*DRAWS, node)
        try:
            if any(leaf.asked for leaf, _ in leaves if isinstance(leaf, Symbol)):
                raise Untold
            made = Spelling(tracer, leaves, self.given).result(result)
        except Untold:
            made = self.done_eagerly(node, function, examples, named, leaves, result)
            if self.recording and isinstance(result, Tensor) and not result._requires:
                return self.calls(stop_gradient, made), self.part(result, False)
        if isinstance(made, ast.BinOp) and isinstance(made.op, (ast.Add, ast.Mult)) and nodes == [
                made.right, made.left]:
            made = ast.BinOp(nodes[0], made.op, nodes[1])  # as the user wrote it
        return self.recorded(made, result, self.any_live(everything))

    def done_eagerly(self, node: Any, function: Callable, arguments: list, keywords: dict[str, Any], leaves: list,
                     result: Any) -> Any:
        """A call of an operation that can't be told in NumPy's terms. Of one with several results it must be known how
        many: where they are a plain tuple, that may depend on sizes."""
        several = isinstance(result, tuple)
        if several and type(result) is tuple or not all(
                isinstance(item, Tensor) for item in (result if several else (result,))):
            raise self.refusal("what this gives depends on the sizes or the values of its tensors",
                               "compute it outside of the decorated function", node)
        label = getattr(function, "__name__", "operation").strip("_")
        call = eager_call(label if label.isidentifier() else "operation", function, arguments, keywords, leaves, result)
        return ast.Call(self.given(call.__name__, call), [part for _, part in leaves], [])

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
            example = new_tensor(self.sized(value.example if value.is_array else value.example._array))
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
        if value.kind == NUMBER and type(value.example) in (int, float) and floats and not isinstance(
                node, ast.Constant):
            # whether it is an integer makes no difference to a float tensor
            leaves.append((Symbol(value.example), node))
            return leaves[-1][0]
        return self.value_of(value, node)
