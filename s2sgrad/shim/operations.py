"""From an operation on tensors to its value and its node.

An :class:`Operation` has a NumPy function and the line of the rule table that gives its derivative. Its adjoint is
written when it is first recorded, once for each kind of call.
"""
from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.compiling import COMPILING
from s2sgrad.rules.table import RULES, Rule, parse_signature
from s2sgrad.shim.adjoints import OneRule, one_rule
from s2sgrad.shim.nodes import NO_EDGE, node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import SEVERAL, UNRECORDED, Tensor, accumulator, current_node, new_tensor, requires

NOTHING: dict[str, Any] = {}
BOUND = 1000
"""So many kinds of calls of one operation are remembered."""
RANKS = 65
"""More dimensions than arrays may have."""
OPERATIONS: dict[Callable, Operation] = {}
"""By the NumPy function that computes their result, those that have one of their own."""


def torch_rule(line: str, function: Callable, **given: Any) -> Rule:
    """A line in the table's language for what has none there, or where PyTorch's convention differs."""
    properties = {name: given.pop(name) for name in ("elementwise", "names") if name in given}
    name, parameters = parse_signature(line)
    return Rule(name, function, parameters, given, **properties)


class Operation:
    """One eager operation.

    Attributes
    ----------
    operands
        The parameters of the rule that are tensors; a single ``"*name"``: any number of them, in a list.
    view
        The result is a view of the first operand.
    several
        The function gives several results.
    opaque
        The parameters whose values formulas are not told: they are saved, and may be anything.
    constant
        The positions of results without derivative (indices).
    """

    def __init__(self, name: str, function: Callable | None = None, rule: Rule | None = None, *,
                 operands: str = "", view: bool = False, several: bool = False, constant: tuple[int, ...] = (),
                 opaque: str = "", node: str = ""):
        self.rule = rule if rule is not None else RULES[function]
        self.name = name
        self.function: Callable = function if function is not None else self.rule.function
        self.operands = tuple(operands.split()) or tuple(self.rule.partials)
        self.view = view
        self.several = several
        self.constant = constant
        self.opaque = frozenset(opaque.split())
        self.listed = self.operands[0].startswith("*")
        node = node or "".join(part.capitalize() for part in name.split("_")) + "Backward0"
        self.node_class = node_class(node)
        self.variants: dict[Any, OneRule] = {}
        OPERATIONS[self.function] = self

    def __call__(self, *operands: Any, **statics: Any) -> Any:
        return self.run(operands, statics)

    def run(self, operands: Sequence[Any], statics: dict[str, Any] = NOTHING) -> Any:
        """The result on tensors and Python numbers, promoted already; recorded if any of them requires a gradient."""
        arrays: list[Any] = []
        active = False
        for item in operands:
            if item.__class__ is Tensor:
                arrays.append(item._array)
                active = active or item._requires or item._base is not None and requires(item)
            else:
                arrays.append(item)
        try:
            value = state.now.quiet.run(self.function, *([arrays] if self.listed else arrays), **statics)
        except (ValueError, TypeError) as error:
            raise broadcast_error(operands) or translated_error(error, self.name) from None
        if self.several:
            results = tuple([new_tensor(part if part.__class__ is np.ndarray else np.asarray(part)) for part in value])
        else:
            results = (new_tensor(value if value.__class__ is np.ndarray else np.asarray(value)),)
        if self.view:
            self.share(operands[0], results, statics)
        if active and state.now.recording:
            self.record(operands, results, arrays, statics)
        return results if self.several else results[0]

    def share(self, operand: Any, results: tuple, statics: dict[str, Any]) -> None:
        """Views share memory, and so its version."""
        base = operand._base
        written = operand._written
        for place, result in enumerate(results):
            result._memory = written
            result._base = operand if base is None else base
            result._replay = (*operand._replay, (self, statics, place))
            result._stamp = written.count
            result._origin = UNRECORDED if not state.now.recording else SEVERAL if self.several else operand._origin

    def record(self, operands: Sequence[Any], results: tuple, arrays: list, statics: dict[str, Any]) -> None:
        edges = []
        key: Any = 0
        told = not self.rule.elementwise
        for item in operands:  # what edge_of gives, without the call
            key *= 4
            if item.__class__ is not Tensor:
                edges.append(NO_EDGE)
                continue
            if item._base is not None:
                current_node(item)
            if item._requires:
                source = item._node
                edges.append((source, item._number) if source is not None else (accumulator(item), 0))
                key += 3
            else:
                edges.append(NO_EDGE)
                key += 1
            if told:
                key = key * RANKS + item._array.ndim
        outputs = []
        for result in results:
            array = result._array
            outputs.append((array.shape, array.dtype))
            if told:
                key = key * RANKS + array.ndim
        if statics and told:
            key = key, *[item for item in statics.items() if item[0] not in self.opaque]
        rule = self.variants.get(key)
        if rule is None:
            rule = self.specialise(key, arrays, edges, results, statics)
        saved, versions = rule.save(operands, results, statics)
        node = self.node_class(tuple(edges), tuple(outputs), rule, saved, versions)
        for place, result in enumerate(results):
            if place not in self.constant:
                result._node = node
                result._number = place
                result._requires = True
        if state.now.packing is not None and saved:
            node.pack(state.now.packing)

    def specialise(self, key: Any, arrays: list, edges: list, results: tuple, statics: dict[str, Any]) -> OneRule:
        names = self.operands
        if self.listed:
            names = tuple(f"{names[0][1:]}_{place}" for place in range(len(arrays)))
        told = not self.rule.elementwise
        if len(self.variants) > BOUND:
            self.variants.clear()
        with COMPILING:  # ast.parse in two threads at once may fail before Python 3.12
            rule = self.variants[key] = one_rule(
                self.rule, self.name, names, [type(item) is np.ndarray for item in arrays],
                [edge is not NO_EDGE for edge in edges],
                [np.ndim(item) if told else None for item in arrays],
                [result._array.ndim if told else None for result in results], statics, self.opaque)
        return rule


class _LinAlgError(RuntimeError):
    """A matrix without what was asked of it."""


SINGULAR = {
    "Singular matrix": "The solver failed because the input matrix is singular.",
    "Matrix is not positive definite": "The factorization could not be completed because the input is not "
                                       "positive-definite."}


OF_BOOLEANS = {
    "boolean negative": "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                        "mask, use the `~` or `logical_not()` operator instead.",
    "boolean subtract": "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                        "`logical_xor()` operator instead."}


def translated_error(error: Exception, name: str = "") -> Exception:
    """What NumPy raises, as PyTorch does: of its type."""
    text = str(error)
    if isinstance(error, TypeError):
        said = next((said for part, said in OF_BOOLEANS.items() if part in text), None)
        return error if said is None else RuntimeError(said)
    if text.startswith("operands could not be broadcast"):
        shapes = [tuple(map(int, re.findall(r"\d+", found))) for found in re.findall(r"\(([\d,]*)\)", text)]
        return unequal_sizes(shapes) or RuntimeError(text)
    if text.startswith("zero-size array to reduction"):
        return RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                            "reduction dim with the 'dim' argument.")
    if isinstance(error, np.linalg.LinAlgError):
        label = "torch.linalg.solve" if name == "solve" else f"linalg.{name}"
        return _LinAlgError(f"{label}: {SINGULAR.get(text, text)}")
    return IndexError(text.replace("for axis", "for dimension")) if isinstance(error, IndexError) else \
        RuntimeError(text)


def broadcast_error(operands: Sequence[Any]) -> RuntimeError | None:
    """What PyTorch says of two tensors that don't broadcast."""
    return unequal_sizes([item._array.shape for item in operands if isinstance(item, Tensor)])


def unequal_sizes(shapes: list[tuple[int, ...]]) -> RuntimeError | None:
    for first, second in itertools.combinations(shapes, 2):
        for back in range(1, min(len(first), len(second)) + 1):
            sizes = first[-back], second[-back]
            if sizes[0] != sizes[1] and 1 not in sizes:
                axis = max(len(first), len(second)) - back
                return RuntimeError(f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({sizes[1]}) "
                                    f"at non-singleton dimension {axis}")
    return None
