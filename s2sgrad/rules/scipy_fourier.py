"""SciPy's Fourier transforms, and those with cosines or sines alone."""
from __future__ import annotations

import functools
from collections.abc import Callable

from scipy import fft, fftpack  # noqa: F401 (the table's lines mean it)

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.fourier import BY_SPACING, lines_of, transformed
from s2sgrad.rules.selecting import in_floats
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names={"fft": fft})
INVERSE = {"dct": "idct", "idct": "dct", "dst": "idst", "idst": "dst"}

lines_of("scipy.fft")
for name, other in (("fftshift", "ifftshift"), ("ifftshift", "fftshift")):
    general(f"scipy.fft.{name}(x, axes=None)", x=f"np.fft.{other}(g, axes)", linear="x", complex=True)
for frequencies in ("fftfreq", "rfftfreq"):
    general(f"scipy.fft.{frequencies}(n, d=1.0)", **BY_SPACING)


# ---- cosines and sines: types 2 and 3 are each other's transposes, but for the elements at an edge that count twice

def transposed(name: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        kind = op.known("type")
        if op.known("norm") == "ortho":
            text = f"fft.{INVERSE[name]}(g, {kind}, axis=axis, norm='ortho')"
        else:
            text = unscaled(name, kind)
        return f"cut_or_padded({text}, a.shape)" if op.given("n") else text
    return formula


def unscaled(name: str, kind: int) -> str:
    other = {2: 3, 3: 2}.get(kind, kind)
    text = f"fft.{name}({{}}, {other}, axis=axis, norm=norm)"
    forwards = kind if name in ("dct", "dst") else other
    if forwards == 1 and "dct" in name:
        return f"edges_scaled({text.format('edges_scaled(g, axis, 2.0, 2.0)')}, axis, 0.5, 0.5)"
    if forwards in (1, 4):
        return text.format("g")
    first, last = (2.0, 1.0) if "dct" in name else (1.0, 2.0)
    if forwards == 2:
        return text.format(f"edges_scaled(g, axis, {first}, {last})")
    return f"edges_scaled({text.format('g')}, axis, {1 / first}, {1 / last})"


def over_axes(name: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        if op.known("norm") != "ortho":
            raise UnsupportedError(f"{name}n is differentiated with norm='ortho' only",
                                   f"pass norm='ortho', or use scipy.fft.{name} along one axis after another")
        return f"fft.{INVERSE[name]}n(g, {op.known('type')}, axes=axes, norm='ortho')"
    return formula


def as_it_is(op: Operation) -> Abstract:
    return Numeric("array", in_floats(op.dtype("a")), op.shape("a"))


for name in INVERSE:
    general(f"scipy.fft.{name}(a, type=2, n=None, axis=-1, norm=None)", a=transposed(name), linear="a",
            result=transformed(lambda size, asked: size))
    if not name.startswith("i"):  # the inverse ones are not scaled there
        general(f"scipy.fftpack.{name}(a, type=2, n=None, axis=-1, norm=None)", a=transposed(name), linear="a",
                result=transformed(lambda size, asked: size))
    general(f"scipy.fft.{name}n(a, type=2, *, axes=None, norm=None)", a=over_axes(name), linear="a", result=as_it_is)
