"""Sums, products, extrema over axes."""
from __future__ import annotations

from s2sgrad.rules.table import Operation, reduction


def restore_axes(op: Operation, name: str = "g", of: str = "a") -> str:
    """The text of a reduced value with its lost axes put back as axes of length one."""
    axes = op.axes(of=of)
    if axes is None or op.known("keepdims"):
        return name
    rank = op.rank(of)
    if rank is None or rank - len(axes) == 0:
        return f"np.expand_dims({name}, {op.known('axis')!r})" if rank is None else name
    if axes == tuple(range(len(axes))):
        return name  # leading axes come back by broadcasting
    index = ", ".join("None" if axis in axes else ":" for axis in range(max(axes) + 1))
    return f"{name}[{index}]" if max(axes) == rank - 1 else f"{name}[{index}, ...]"


reduction("np.sum(a, axis=None, dtype=None, *, keepdims=False)", a=restore_axes, method=True)
