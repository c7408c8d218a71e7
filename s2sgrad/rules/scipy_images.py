"""SciPy's filters of images: linear in the image, and in the weights.

What lies beyond an edge follows from the mode. With zeros there, or the image once more, a filter's transpose is the
filter turned round; else what went beyond an edge is added where it was taken from.
"""
from __future__ import annotations

import functools

import numpy as np
from scipy import ndimage, signal

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract
from s2sgrad.rules.shapes import of_shape
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names={"ndimage": ndimage, "signal": signal})

TURNED = {"correlate": "convolve", "convolve": "correlate"}
PADDING = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge"}
"""The modes by NumPy's names."""
CLOSED = ("constant", "wrap", "grid-constant", "grid-wrap")
"""Those in which nothing is repeated beside an edge."""


def mode_of(op: Operation) -> str:
    mode = op.known("mode")
    if not isinstance(mode, str) or mode not in PADDING and mode not in CLOSED:
        raise UnsupportedError(f"{op.rule.title} with mode={mode!r} has no derivative rule",
                               f"use one mode for all axes, one of {', '.join((*PADDING, *CLOSED))}")
    return mode


def image_bar(op: Operation) -> str:
    mode, name = mode_of(op), op.rule.title
    if mode in CLOSED:  # of what np.broadcast_to gives SciPy reads other elements than there are
        return f"ndimage.{TURNED[name]}(np.ascontiguousarray(g), weights, mode=mode)"
    whole = f"signal.convolve(g, {'weights' if name == 'correlate' else 'np.flip(weights)'})"
    return (f"beyond = margins(weights.shape, {name == 'convolve'}); put_back({whole}, input.shape, "
            f"np.pad(numbered(input.shape), beyond, {PADDING[mode]!r}))")


def weights_bar(op: Operation) -> str:
    mode, name = mode_of(op), op.rule.title
    padding = {"constant": "constant", "grid-constant": "constant"}.get(mode) or PADDING.get(mode, "wrap")
    text = (f"wide = np.pad(input, margins(weights.shape, {name == 'convolve'}), {padding!r}); "
            "{}signal.correlate(wide, g, 'valid')")
    return text.format("") if name == "correlate" else text.format("np.flip(").replace("'valid')", "'valid'))")


def alike(op: Operation) -> Abstract:
    return of_shape(op, op.shape("input"), "input")


for name in TURNED:
    general(f"scipy.ndimage.{name}(input, weights, *, mode='reflect')", input=image_bar, weights=weights_bar,
            result=alike, linear="input weights")


# ---- weights that are the same from both sides: the filter is its own transpose

def symmetric_bar(op: Operation) -> str:
    if mode_of(op) in ("mirror", "nearest"):
        raise UnsupportedError(f"{op.rule.title} with mode={op.known('mode')!r} has no derivative rule",
                               "use mode='reflect', 'constant' or 'wrap'")
    if "size" in op.operands and not np.all(np.remainder(op.known("size"), 2)):  # one for all axes, or one for each
        raise UnsupportedError(f"{op.rule.title} of an even size has no derivative rule", "use an odd size")
    given = [f", {name}={name}" for name in op.operands if name != "input"]
    return f"ndimage.{op.rule.title}(g{''.join(given)})"


for line in ("gaussian_filter(input, sigma, *, mode='reflect', truncate=4.0, radius=None, axes=None)",
             "gaussian_filter1d(input, sigma, axis=-1, *, mode='reflect', truncate=4.0, radius=None)",
             "uniform_filter1d(input, size, axis=-1, *, mode='reflect')",
             "uniform_filter(input, size=3, *, mode='reflect')", "laplace(input, *, mode='reflect')"):
    general(f"scipy.ndimage.{line}", input=symmetric_bar, result=alike, linear="input")
