"""Discrete Fourier transforms: linear maps whose matrices are symmetric, so that each is its own adjoint."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Items, Numeric, is_complex
from s2sgrad.rules.dims import Dim
from s2sgrad.rules.results import example_of
from s2sgrad.rules.shapes import dims_of
from s2sgrad.rules.table import Operation, general

Formula = Callable[[Operation], str]
BOTH = (-2, -1)


def dtype_of(op: Operation) -> np.dtype | None:
    """The result's dtype; of operands of unknown precision it counts as double where it is complex throughout."""
    given = op.dtype("a")
    found = [example_of(op.rule, {"a": Numeric("array", dtype, (2, 2))})
             for dtype in ([np.dtype(float), np.dtype(complex)] if given is None else [given])]
    dtypes = {value.dtype for value in found if isinstance(value, Numeric) and value.dtype is not None}
    return dtypes.pop() if len(dtypes) == 1 and (given is not None or is_complex(found[0])) else None


def axes_of(op: Operation) -> tuple[int, ...] | None:
    """The axes along which a transform goes, in the order in which they are given; None where nobody knows, or where
    one comes twice."""
    rank = op.rank("a")
    if "axis" in [parameter.name for parameter in op.rule.parameters]:
        axis = op.if_known("axis")
        found: Any = (axis,) if isinstance(axis, int) else None
    else:
        found, sizes = op.if_known("axes"), op["s"]
        if found is None and rank is not None and op.if_known("s") is None:
            found = tuple(range(rank))
        elif found is None and isinstance(sizes, Items) and sizes.items is not None:
            found = tuple(range(-len(sizes.items), 0))
    if not isinstance(found, tuple) or rank is None or not all(-rank <= axis < rank for axis in found):
        return None
    places = tuple(axis % rank for axis in found)
    return places if len({*places}) == len(places) else None


def sizes_of(op: Operation) -> tuple[Dim, ...] | None:
    """The sizes that a call asks for, -1 for the operand's own; None where it asks for none."""
    name = "n" if "axis" in [parameter.name for parameter in op.rule.parameters] else "s"
    return dims_of(op[name]) if op.given(name) else None


def transformed(last: Callable[[Dim, bool], Dim]) -> Callable[[Operation], Abstract]:
    """The result of a transform. ``last`` gives the size along its last axis, of the operand's or the size that was
    asked for (True)."""
    def result(op: Operation) -> Abstract:
        shape, axes = op.shape("a"), axes_of(op)
        asked = op.if_known("n" if "n" in op.operands else "s") if {"n", "s"} & set(op.operands) else None
        given = None if asked is None else sizes_of(op)
        if shape is None or axes is None or asked is not None and (given is None or len(given) != len(axes)):
            return Numeric("array", dtype_of(op), None if shape is None else (None,) * len(shape))
        sizes = list(shape)
        for place, axis in enumerate(axes):
            size = sizes[axis] if given is None or given[place] == -1 else given[place]
            sizes[axis] = last(size, given is not None) if place == len(axes) - 1 else size
        return Numeric("array", dtype_of(op), tuple(sizes))
    return result


def half(size: Dim, asked: bool) -> Dim:
    return size // 2 + 1 if isinstance(size, int) else None


def mirrored(size: Dim, asked: bool) -> Dim:
    return size if asked else 2 * (size - 1) if isinstance(size, int) else None


def along_axis(op: Operation) -> str:
    """The arguments of another transform along the same axis."""
    return "".join(f", {name}={name}" for name in ("axis", "axes", "norm") if name in op.operands)


def own_adjoint(name: str, sizes: str) -> Formula:
    def formula(op: Operation) -> str:
        text = f"np.fft.{name}(g{along_axis(op)})"
        if not op.given(sizes):
            return text
        if sizes == "s":
            refuse_twice(op)
        if not op.given("axes" if sizes == "s" else "axis"):
            text = f"np.fft.{name}(g, axes=tuple(range(-len(s), 0)){along_axis(op)})"
        return f"cut_or_padded({text}, a.shape)"
    return formula


def own_adjoints(name: str, suffix: str) -> Formula:
    return own_adjoint(f"{name}{suffix}", "s")


def real_input_bar(op: Operation) -> str:
    """The frequencies that are left out have the cotangent 0."""
    if op.given("n"):
        return f"cut_or_padded(np.real(np.fft.fft(g, n{along_axis(op)})), a.shape)"
    axis = op.known("axis")
    return f"np.real(np.fft.fft(g, a.shape[{axis}]{along_axis(op)}))"


def refuse_twice(op: Operation) -> None:
    """What is cut or padded between two transforms along one axis, the cotangent's formulas don't undo."""
    axes = op.known("axes")
    rank = op.rank("a")
    places = {axis if rank is None else axis % rank for axis in axes or ()}
    if axes is not None and len(places) < len(axes):
        raise UnsupportedError(f"{op.rule.function.__name__} goes along one axis twice, and cuts or pads it in between",
                               "transform along one axis after the other, with two calls")


def real_inputs_bar(op: Operation) -> str:
    refuse_twice(op)
    axes = f", {axes_text(op)}{', norm=norm' if 'norm' in op.operands else ''}"
    if op.given("s"):
        return f"cut_or_padded(np.real(np.fft.fftn(g, {whole_sizes(op)}{axes})), a.shape)"
    given = op.known("axes")
    sizes = "a.shape" if given is None else f"({''.join(f'a.shape[{axis}], ' for axis in given)})"
    return f"np.real(np.fft.fftn(g, {sizes}{axes}))"


def whole_sizes(op: Operation) -> str:
    """The sizes that are asked for; the operand's for a last one of -1, as the cotangent has half of it."""
    sizes, axes = sizes_of(op), op.known("axes")
    last = None if sizes is None else sizes[-1]
    if last is not None and last != -1:
        return "s"
    whole = f"a.shape[{-1 if axes is None else axes[-1]}]"
    return f"(*s[:-1], {whole if last == -1 else f'{whole} if s[-1] == -1 else s[-1]'})"


def axes_text(op: Operation) -> str:
    """All axes of a transform, also where a call leaves them out: then there are as many as sizes, or all."""
    axes, rank = op.known("axes"), op.rank("a")
    if axes is not None:
        return repr(tuple(axes))
    if op.given("s") or rank is None:
        return f"tuple(range(-{'len(s)' if op.given('s') else 'np.ndim(g)'}, 0))"
    return repr(tuple(range(-rank, 0)))


def spectrum(op: Operation) -> str:
    rank, axis = op.rank("a"), op.known("axis")
    place = "axis % np.ndim(g)" if rank is None else repr(axis % rank)
    return of_spectrum(op, f"spectrum_bar(g, a.shape, {place}, norm)")


def spectra(op: Operation) -> str:
    refuse_twice(op)
    return of_spectrum(op, f"spectra_bar(g, a.shape, {axes_text(op)}, norm)")


def of_spectrum(op: Operation, text: str) -> str:
    """A spectrum may be real, and nothing else around it complex."""
    return f"np.real({text})" if op.is_real("a") else text


def lines_of(room: str) -> None:
    """The transforms of a module: NumPy's, or SciPy's, which are the same but for the name of what is transformed; that
    goes by position."""
    def line(name: str, formula: Formula, last: Callable[[Dim, bool], Dim]) -> None:
        general(f"{room}.{name}(a, n=None, axis=-1, norm=None)", a=formula, result=transformed(last), linear="a",
                complex=True)

    def lines(name: str, formula: Callable[[str], Formula], last: Callable[[Dim, bool], Dim]) -> None:
        for suffix, axes in (("2", BOTH), ("n", None)):
            general(f"{room}.{name}{suffix}(a, s=None, axes={axes}, norm=None)", a=formula(suffix),
                    result=transformed(last), linear="a", complex=True)

    for direction in ("fft", "ifft"):
        line(direction, own_adjoint(direction, "n"), lambda size, asked: size)
        lines(direction, functools.partial(own_adjoints, direction), lambda size, asked: size)
    line("rfft", real_input_bar, half)
    lines("rfft", lambda suffix: real_inputs_bar, half)
    line("irfft", spectrum, mirrored)
    lines("irfft", lambda suffix: spectra, mirrored)


BY_SPACING: dict[str, Any] = {"d": "unbroadcast(-g * y / d, d.shape)", "tangent": {"d": "-t * y / d"}}
"""Frequencies are whole numbers over the spacing."""
lines_of("np.fft")
for frequencies in ("fftfreq", "rfftfreq"):
    general(f"np.fft.{frequencies}(n, d=1.0)", **BY_SPACING)
