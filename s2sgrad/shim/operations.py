"""From an operation on tensors to its value and its node.

An :class:`Operation` has a NumPy function and the line of the rule table that gives its derivative. Its adjoint is
written when it is first recorded, once for each kind of call.
"""
from __future__ import annotations

import functools
import itertools
import re
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.compiler.emit import define
from s2sgrad.compiling import COMPILING
from s2sgrad.rules.table import RULES, Rule, parse_signature
from s2sgrad.shim.adjoints import OneRule, one_rule
from s2sgrad.shim.nodes import node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import SEVERAL, UNRECORDED, Tensor, current_node, new_tensor, requires, source_of
from s2sgrad.shim.versions import users_line

NOTHING: dict[str, Any] = {}
BOUND = 1000
"""So many kinds of calls of one operation are remembered."""
RANKS = 65
"""More dimensions than arrays may have."""
MOST_WRITTEN = 3
"""For up to so many operands there is code of its own."""
OPERATIONS: dict[Callable, Operation] = {}
"""By the NumPy function that computes their result, those that have one of their own."""


def torch_rule(line: str, function: Callable, **given: Any) -> Rule:
    """A line in the table's language for what has none there, or where PyTorch's convention differs."""
    properties = {name: given.pop(name) for name in ("elementwise", "names", "parts") if name in given}
    name, parameters = parse_signature(line)
    return Rule(name, function, parameters, given, **properties)


class Operation:
    """One eager operation.

    Attributes
    ----------
    operands
        The parameters of the rule that are tensors, if not all that have a derivative, or of a reduction the first; a
        single ``"*name"``: any number of them, in a list.
    view
        The result is a view of the first operand.
    several
        The function gives several results.
    opaque
        The parameters whose values formulas are not told: they are saved, and may be anything.
    constant
        The positions of results without derivative (indices).
    shown
        The operands that the node shows edges of, where these are not all: PyTorch's has none for a plain number.
    """

    def __init__(self, name: str, function: Callable | None = None, rule: Rule | None = None, *,
                 operands: str = "", view: bool = False, several: bool = False, constant: tuple[int, ...] = (),
                 opaque: str = "", node: str = "", shown: tuple[int | None, ...] | None = None):
        self.rule = rule if rule is not None else RULES[function]
        self.name = name
        self.function: Callable = function if function is not None else self.rule.function
        self.operands = tuple(operands.split()) or tuple(self.rule.partials)[:1 if self.rule.spreads else None]
        self.view = view
        self.several = several
        self.constant = constant
        self.opaque = frozenset(opaque.split())
        self.listed = self.operands[0].startswith("*")
        node = node or "".join(part.capitalize() for part in name.split("_")) + "Backward0"
        self.node_class = node_class(node, shown=shown)
        self.variants: dict[Any, OneRule] = {}
        self.told = not self.rule.elementwise
        """Whether formulas are told the numbers of axes."""
        if not (several or constant or self.listed) and len(self.operands) <= MOST_WRITTEN:
            self.run = types.MethodType(written_run(len(self.operands), view), self)  # type: ignore[method-assign]
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
        sources = tuple([source_of(item) if item.__class__ is Tensor else None for item in operands])
        key: Any = 0
        for item, source in zip(operands, sources):
            key = key * 4 + (3 if source is not None else 1 if item.__class__ is Tensor else 0)
            if self.told and item.__class__ is Tensor:
                key = key * RANKS + item._array.ndim
        outputs = []
        for result in results:
            array = result._array
            outputs.append((array.shape, array.dtype))
            if self.told:
                key = key * RANKS + array.ndim
        if statics and self.told:
            key = key, *[item for item in statics.items() if item[0] not in self.opaque]
        rule = self.variants.get(key) or self.specialise(key, arrays, sources, results, statics)
        saved, versions = rule.save(operands, results, statics)
        node = self.node_class(sources, tuple(outputs), rule, saved, versions, users_line())
        for place, result in enumerate(results):
            if place not in self.constant:
                result._node = node
                result._number = place
                result._requires = True
        if state.now.packing is not None or state.now.anomaly:
            node.watch()

    def specialise(self, key: Any, arrays: Sequence[Any], sources: tuple, results: tuple, statics: dict[str, Any]
                   ) -> OneRule:
        names = self.operands
        if self.listed:
            names = tuple(f"{names[0][1:]}_{place}" for place in range(len(arrays)))
        if len(self.variants) > BOUND:
            self.variants.clear()
        with COMPILING:  # ast.parse in two threads at once may fail before Python 3.12
            rule = self.variants[key] = one_rule(
                self.rule, self.name, names, [type(item) is np.ndarray for item in arrays],
                [source is not None for source in sources],
                [np.ndim(item) if self.told else None for item in arrays],
                [result._array.ndim if self.told else None for result in results], statics, self.opaque, self.view)
        return rule


@functools.lru_cache
def written_run(count: int, view: bool) -> Callable:
    """:meth:`Operation.run` written for so many operands, and a single result, which is a view or not: most have one
    or two, and to go round them takes as long as to do something with them."""
    places = range(count)
    sources = "".join(f"source_{place}, " for place in places)
    arrays = "".join(f"array_{place}, " for place in places)
    lines = [
        "def run(self, operands, statics=NOTHING):",
        f"    {''.join(f'x_{place}, ' for place in places)} = operands",
        *(f"    array_{place} = x_{place}._array if x_{place}.__class__ is Tensor else x_{place}" for place in places),
        "    now = state.now",
        "    try:",
        f"        value = now.quiet.run(self.function, {arrays}**statics) if statics else now.quiet.run(self.function, "
        f"{arrays})",
        "    except (ValueError, TypeError) as error:",
        "        raise broadcast_error(operands) or translated_error(error, self.name) from None",
        "    result = new(Tensor)",
        "    result._array = array = value if value.__class__ is ndarray else asarray(value)",
        *(["    self.share(x_0, (result,), statics)"] if view else []),
        "    if not now.recording:",
        "        return result",
        "    told = self.told",
        "    key = 0",
    ]
    for place in places:
        lines += [
            f"    source_{place} = None",
            f"    if x_{place}.__class__ is not Tensor:",
            "        key *= 4",
            "    else:",
            f"        if x_{place}._base is not None:",
            f"            current_node(x_{place})",
            f"        if x_{place}._requires:",
            f"            node = x_{place}._node",
            f"            source_{place} = (node, x_{place}._number) if node is not None else x_{place} if "
            f"x_{place}._accumulator is None else source_of(x_{place})",
            "            key = key * 4 + 3",
            "        else:",
            "            key = key * 4 + 1",
            "        if told:",
            f"            key = key * RANKS + array_{place}.ndim",
        ]
    lines += [
        f"    if {' and '.join(f'source_{place} is None' for place in places)}:",
        "        return result",
        "    if told:",
        "        key = key * RANKS + array.ndim",
        "        if statics:",
        "            key = key, *[item for item in statics.items() if item[0] not in self.opaque]",
        f"    rule = self.variants.get(key) or self.specialise(key, ({arrays}), ({sources}), (result,), statics)",
        "    saved, versions = rule.save(operands, (result,), statics)",
        f"    node = self.node_class(({sources}), ((array.shape, array.dtype),), rule, saved, versions, users_line(3))",
        "    result._node = node",
        "    result._requires = True",
        "    if now.packing is not None or now.anomaly:",
        "        node.watch()",
        "    return result",
        "",
    ]
    return define("\n".join(lines), "run", {
        "NOTHING": NOTHING, "Tensor": Tensor, "state": state, "broadcast_error": broadcast_error,
        "translated_error": translated_error, "new": object.__new__, "ndarray": np.ndarray, "asarray": np.asarray,
        "current_node": current_node, "source_of": source_of, "RANKS": RANKS, "users_line": users_line})


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


OF_VALUES = {
    "The truth value of an array with more than one element": "Boolean value of Tensor with more than one value is "
                                                              "ambiguous",
    "The truth value of an empty array": "Boolean value of Tensor with no values is ambiguous"}


def translated_error(error: Exception, name: str = "") -> Exception:
    """What NumPy raises, as PyTorch does: of its type."""
    text = str(error)
    if isinstance(error, TypeError):
        said = next((said for part, said in OF_BOOLEANS.items() if part in text), None)
        return error if said is None else RuntimeError(said)
    for start, said in OF_VALUES.items():
        if text.startswith(start):
            return RuntimeError(said)
    shapes = [tuple(map(int, re.findall(r"\d+", found))) for found in re.findall(r"\(([\d,]*)\)", text)]
    if text.startswith("shape mismatch: indexing arrays"):
        return IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                          f"{', '.join(str(list(shape)) for shape in shapes)}")
    if text.startswith("operands could not be broadcast"):
        return unequal_sizes(shapes) or RuntimeError(text)
    if text.startswith("zero-size array to reduction"):
        return RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                            "reduction dim with the 'dim' argument.")
    if isinstance(error, np.linalg.LinAlgError):
        label = "torch.linalg.solve" if name == "solve" else f"linalg.{name}"
        if name == "inv" and text in SINGULAR:
            text = "The inversion could not be completed because the input matrix is singular."
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
