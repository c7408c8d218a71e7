"""SciPy's filters along an axis that are linear in what they filter.

An adjoint is the filter itself, where that is its own transpose or so backwards; else the product with what the filter
makes of the unit vectors: as many as there are places along the axis, squared.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from scipy import ndimage, signal

from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.linalg import common_dtype
from s2sgrad.rules.selecting import in_floats
from s2sgrad.rules.shapes import of_shape
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names={"ndimage": ndimage, "signal": signal})


def filtered(op: Operation, data: str, instead: str, axis: object) -> str:
    """The user's call of other data along an axis."""
    library = "ndimage" if "ndimage" in op.rule.function.__module__ else "signal"
    rest = [f"{name}={name}" for name in op.operands if name not in (data, "axis")]
    return f"{library}.{op.rule.title}({', '.join([f'{data}={instead}', *rest])}, axis={axis!r})"


def by_units(data: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        axis, rank = op.known("axis"), op.rank(data)
        step = f"units = {filtered(op, data, f'np.eye({data}.shape[{axis!r}], dtype=g.dtype)', -1)}; "
        if rank == 1:
            return f"{step}units @ g"
        if axis in (-1, None if rank is None else rank - 1):
            return f"{step}g @ units.T"
        return f"{step}np.moveaxis(np.moveaxis(g, {axis!r}, -1) @ units.T, -1, {axis!r})"
    return formula


def like(*names: str) -> Callable[[Operation], Numeric]:
    """The result has the shape of the data, the last of these, and a dtype that holds all of them, as floats."""
    return lambda op: Numeric("array", in_floats(common_dtype(*(op[name] for name in names))), op.shape(names[-1]))


def resampled(op: Operation) -> Abstract:
    """The result has a size of its own along the axis."""
    found, axis = like("x")(op), op.if_known("axis")
    if found.shape is None or not isinstance(axis, int):
        return replace(found, shape=None)
    place = axis % len(found.shape)
    return replace(found, shape=(*found.shape[:place], None, *found.shape[place + 1:]))


general("scipy.signal.savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode='interp')",
        x=by_units("x"), linear="x", result=like("x"))
general("scipy.signal.filtfilt(b, a, x, axis=-1, padtype='odd', padlen=None, method='pad', irlen=None)",
        x=by_units("x"), linear="x", result=like("b", "a", "x"))
general("scipy.signal.sosfiltfilt(sos, x, axis=-1, padtype='odd', padlen=None)", x=by_units("x"), linear="x",
        result=like("sos", "x"))
general("scipy.signal.resample(x, num, *, axis=0)", x=by_units("x"), linear="x", result=resampled)
for name in ("convolve1d", "correlate1d"):
    general(f"scipy.ndimage.{name}(input, weights, axis=-1, *, mode='reflect', origin=0)", input=by_units("input"),
            linear="input", result=lambda op: of_shape(op, op.shape("input"), "input"))

# what is left is what a least squares fit can't tell, an orthogonal projection
general("scipy.signal.detrend(data, axis=-1, type='linear', bp=0)", linear="data", result=like("data"),
        data=lambda op: filtered(op, "data", "g", op.known("axis")))


def backwards(op: Operation) -> str:
    axis = op.known("axis")
    return f"np.flip({filtered(op, 'x', f'np.flip(g, {axis!r})', axis)}, {axis!r})"


general("scipy.signal.sosfilt(sos, x, axis=-1)", linear="x", result=like("sos", "x"), x=backwards)
