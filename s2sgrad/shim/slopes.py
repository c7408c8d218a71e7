"""The slopes of sampled functions, by differences."""
from __future__ import annotations

from typing import Any

from s2sgrad.shim.joining import cat
from s2sgrad.shim.names import exported
from s2sgrad.shim.reductions import axes_of
from s2sgrad.shim.tensor import Tensor


@exported
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The slopes of a function along dimensions, from its values at points that are ``spacing`` apart, or lie at such
    coordinates. At the edges they are those of lines through two points, or with ``edge_order=2`` of parabolas through
    three."""
    if not isinstance(input, Tensor):
        raise TypeError(f"gradient(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    array = input._array
    found = axes_of(dim, array.ndim)
    axes = range(array.ndim) if found is None else found if isinstance(found, tuple) else (found,)
    listed = isinstance(spacing, (tuple, list))
    spacings = list(spacing) if listed else [spacing] * len(axes)
    if len(spacings) != len(axes):
        raise RuntimeError(f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
                           f"{len(axes)}, but got a list of length {len(spacings)}")
    if listed and any(isinstance(item, Tensor) and not item._array.ndim for item in spacings):
        raise RuntimeError("torch.gradient expected each element of spacing to have one dimension, but got an element "
                           "with 0 dimensions!")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if any(array.shape[axis] <= edge_order for axis in axes):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([slopes(input, width, axis, edge_order) for axis, width in zip(axes, spacings)])


def slopes(values: Any, width: Any, axis: int, edge_order: int) -> Tensor:
    """The slopes along one dimension."""
    ahead = [slice(None)] * axis

    def part(start: int | None, stop: int | None) -> Any:
        index = (*ahead, slice(start, stop))
        return values[index]

    if isinstance(width, Tensor) and width._array.ndim:
        if width._array.shape != (values._array.shape[axis],):
            raise RuntimeError(f"torch.gradient expected each element of spacing to have one coordinate for each "
                               f"element along dimension {axis}")
        widths: Any = width.diff().reshape(-1, *[1] * (values._array.ndim - axis - 1))
        before, after = widths[:-1], widths[1:]
        first, last = widths[:1], widths[-1:]
        inner = (part(1, -1) - part(None, -2)) * (after / (before * (before + after))) \
            + (part(2, None) - part(1, -1)) * (before / (after * (before + after)))
    else:
        first = last = before = after = width
        inner = (part(2, None) - part(None, -2)) / (2 * width)
    start, end = (part(1, 2) - part(None, 1)) / first, (part(-1, None) - part(-2, -1)) / last
    if edge_order == 2:  # the parabola's slope in the middle of its first and of its last piece, led on to their ends
        second, former = (after[:1], before[-1:]) if before is not first else (width, width)
        start = start - ((part(2, 3) - part(1, 2)) / second - start) * (first / (first + second))
        end = end + (end - (part(-2, -1) - part(-3, -2)) / former) * (last / (last + former))
    return cat([start, inner, end], axis)
