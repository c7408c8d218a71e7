"""SciPy's signals: convolutions over all axes, and filters."""
from __future__ import annotations

import functools
from collections.abc import Callable

from scipy import signal

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.linalg import common_dtype, joined_dtype
from s2sgrad.rules.selecting import in_floats
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names={"signal": signal})


def convolved(op: Operation) -> Abstract:
    first, second = op.shape("in1"), op.shape("in2")
    shape = None
    if first is not None and second is not None and len(first) == len(second):
        shape = first if op.if_known("mode") == "same" else (None,) * len(first)
    return Numeric("array", common_dtype(op["in1"], op["in2"]), shape)


def convolution_bar(mine: str, adjoint: str, turns: bool) -> Callable[[Operation], str]:
    """The cotangent where all elements would have put it, convolved with the other signal backwards; a correlation is a
    convolution with the second signal backwards."""
    def formula(op: Operation) -> str:
        if op.known("mode") not in ("full", "same", "valid"):
            raise UnsupportedError(f"signals with mode={op.known('mode')!r} have no derivative rule",
                                   "use mode 'full', 'same' or 'valid'")
        other = "in2" if mine == "in1" else "in1"
        backwards = other if turns and other == "in2" else f"np.flip({other})"
        later = ", True" if op.rule.function is signal.correlate2d else ""
        frame = "g" if op.known("mode") == "full" else f"in_frame(g, in1.shape, in2.shape, {op.known('mode')!r}{later})"
        step, name = ("", "g") if frame == "g" else (f"whole_bar = {frame}; ", "whole_bar")
        text = f"signal.{adjoint}({name}, {backwards}, 'valid')"
        return f"{step}np.flip({text})" if turns and mine == "in2" else step + text
    return formula


for name, adjoint in {"convolve": "convolve", "fftconvolve": "fftconvolve", "oaconvolve": "oaconvolve",
                      "correlate": "convolve", "convolve2d": "convolve2d", "correlate2d": "convolve2d"}.items():
    turns = "correlate" in name
    more = ", method='auto'" if name in ("convolve", "correlate") else ""
    general(f"scipy.signal.{name}(in1, in2, mode='full'{more})", result=convolved, linear="in1 in2",
            in1=convolution_bar("in1", adjoint, turns), in2=convolution_bar("in2", adjoint, turns), complex=not turns)


# ---- filters: a[0] y[n] + a[1] y[n - 1] + ... = b[0] x[n] + b[1] x[n - 1] + ...

def filtered_bar(name: str, text: str) -> Callable[[Operation], str]:
    """The cotangent is filtered backwards."""
    taps = "b" if name == "x" else "np.ones_like(a, shape=1)"
    step = f"filtered = np.flip(signal.lfilter({taps}, a, np.flip(g, axis), axis), axis); "
    return lambda op: step + text


def taps_bar(name: str, text: str) -> Callable[[Operation], str]:
    """A single tap may be a number."""
    def formula(op: Operation) -> str:
        count, form = {0: ("1", "[0]"), 1: (f"len({name})", "")}.get(
            op.rank(name), (f"np.size({name})", f".reshape(np.shape({name}))"))  # type: ignore[arg-type]
        return filtered_bar(name, f"{text.format(count)}{form}")(op)
    return formula


def filtered(op: Operation) -> Abstract:
    return Numeric("array", in_floats(joined_dtype(op["b"], op["a"], op["x"])), op.shape("x"))


general("scipy.signal.lfilter(b, a, x, axis=-1)", linear="b x", result=filtered,
        x=filtered_bar("x", "filtered"), b=taps_bar("b", "lagged_sums(filtered, x, {}, axis)"),
        a=taps_bar("a", "-lagged_sums(filtered, y, {}, axis)"),
        tangent={"a": "first = np.ones_like(a, shape=1); "
                      "-signal.lfilter(first, a, signal.lfilter(t, first, y, axis), axis)"}, complex=True)
