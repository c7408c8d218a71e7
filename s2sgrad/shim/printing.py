"""Tensors as PyTorch prints them."""
from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from s2sgrad.shim.dtypes import Default, bool_, int64, of_numpy
from s2sgrad.shim.names import exported
from s2sgrad.shim.tensor import Tensor

PREFIX = "tensor("


@dataclass
class Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


OPTIONS = Options()
PROFILES = {"default": Options(), "short": Options(precision=2, edgeitems=2), "full": Options(threshold=math.inf)}


@exported
def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """How tensors are printed: digits, from how many elements on they are summarised, how many are shown then, the
    width of a line, and whether in scientific notation (None: as the values suggest)."""
    if profile is not None:
        vars(OPTIONS).update(asdict(PROFILES[profile]) if profile in PROFILES else {})
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    vars(OPTIONS).update({name: value for name, value in given.items() if value is not None})
    OPTIONS.sci_mode = sci_mode


@exported
def get_printoptions() -> dict[str, Any]:
    return asdict(OPTIONS)


@exported
@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """``set_printoptions`` for the length of a ``with`` block."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


class Style:
    """How the elements of one tensor are written, so that all have the same width."""

    def __init__(self, array: np.ndarray):
        self.floats = array.dtype.kind == "f"
        self.whole = True
        self.scientific = False
        self.width = 1
        if not self.floats:
            self.width = max((len(str(value)) for value in array.ravel().tolist()), default=1)
            return
        telling = array[np.isfinite(array) & (array != 0)]
        if not telling.size:
            return
        sizes = np.abs(telling).astype(np.float64)
        largest, smallest = sizes.max(), sizes.min()
        self.whole = bool((telling == np.ceil(telling)).all())
        self.scientific = bool(largest / smallest > 1000 or largest > 1e8 or smallest < 1e-4) \
            if OPTIONS.sci_mode is None else OPTIONS.sci_mode
        self.width = max(len(self.text(value)) for value in telling.tolist())

    def text(self, value: Any) -> str:
        if not self.floats:
            return str(value)
        if self.scientific:
            return f"{value:.{OPTIONS.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{OPTIONS.precision}f}"

    def padded(self, value: Any) -> str:
        return self.text(value).rjust(self.width)


def edges(array: np.ndarray) -> np.ndarray:
    """The elements that a summary shows."""
    count = OPTIONS.edgeitems
    for axis, size in enumerate(array.shape):
        if size > 2 * count:
            array = np.take(array, [*range(count), *range(size - count, size)], axis)
    return array


def block(array: np.ndarray, indent: int, short: bool, style: Style) -> str:
    """The text of an array; ``indent``: how far its first bracket stands from the margin."""
    if not array.ndim:
        return style.padded(array.item())
    count = OPTIONS.edgeitems
    cut = short and len(array) > 2 * count
    shown = [array[:count], array[len(array) - count:]] if cut else [array]
    if array.ndim == 1:
        parts = [[style.padded(value) for value in part.tolist()] for part in shown]
        texts = [*parts[0], *([" ...", *parts[1]] if cut else [])]
        fitting = max(1, (OPTIONS.linewidth - indent) // (style.width + 2))
        lines = [", ".join(texts[start:start + fitting]) for start in range(0, len(texts), fitting)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    rows = [[block(row, indent + 1, short, style) for row in part] for part in shown]
    texts = [*rows[0], *(["...", *rows[1]] if cut else [])]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(texts) + "]"


def contents(array: np.ndarray) -> str:
    if not array.size:
        return "[]"
    short = array.size > OPTIONS.threshold
    return block(array, len(PREFIX), short, Style(edges(array) if short else array))


def in_graph(tensor: Tensor) -> list[str]:
    """The note about a tensor's place in the graph, if it has one."""
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view of which nobody can tell what it is after a write
        return ["grad_fn=<Invalid>"]
    if node is not None:
        return [f"grad_fn=<{type(node).__name__}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []


def shown(tensor: Tensor) -> str:
    array = tensor._array
    kind = of_numpy(array.dtype)
    notes = []
    if not array.size and array.ndim != 1:
        notes.append(f"size={array.shape}")
    usual = (Default.numpy,) if not array.size else (Default.numpy, int64.numpy, bool_.numpy)
    if array.dtype not in usual:
        notes.append(f"dtype={kind}")
    notes += in_graph(tensor)
    text = PREFIX + contents(array)
    used = len(text) - text.rfind("\n") + 1
    for note in notes:
        if used + len(note) + 2 > OPTIONS.linewidth:
            text += ",\n" + " " * len(PREFIX) + note
            used = len(PREFIX) + len(note)
        else:
            text += ", " + note
            used += len(note) + 2
    return text + ")"
