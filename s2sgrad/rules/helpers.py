"""The rules of :mod:`s2sgrad.runtime`'s helpers: what is known of their results, so that code around them can be exact,
and their derivatives, for adjoints that are differentiated again.

Most are linear in the cotangent that they get, here called ``bar``: what they do to it is undone by the operation that
they come from. A helper without formulas is differentiated like a function of the user's, by its own source.
"""
from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad import runtime
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import INTEGER, MISSING, Abstract, Items, Known, Numeric, Opaque, is_real, passive
from s2sgrad.rules.decompositions import diagonal, kind_of, perhaps_complex, same, values_bar
from s2sgrad.rules.shapes import dims_of
from s2sgrad.rules.statistics import IN_Q
from s2sgrad.rules.table import RULES, ZERO, Operation, Parameter, Rule, conjugated
from s2sgrad.runtime.custom import fitted, of_shape


def parameters_of(function: Callable) -> tuple[Parameter, ...]:
    """The parameters; ``g`` goes by another name, as formulas call the result's cotangent so."""
    return tuple(Parameter("bar" if item.name == "g" else item.name, item.default if item.default is not item.empty
                           else Parameter(item.name).default)
                 for item in inspect.signature(function).parameters.values())


def real_bar(op: Operation) -> Abstract:
    """A cotangent that is known not to be complex."""
    bar = op["bar"]
    return replace(bar, real=True) if isinstance(bar, Numeric) and bar.dtype is None else bar


def of_both(op: Operation) -> Abstract:
    """Like a matrix, but as precise as its determinant, which SciPy computes in double, where that is more."""
    dtypes = op.dtype("a"), op.dtype("y")
    return Numeric("array", None if any(dtype is None for dtype in dtypes) else np.result_type(*dtypes), op.shape("a"))


def shaped_like(name: str) -> Callable[[Operation], Abstract]:
    """The result has the shape of an operand; its dtype is known where all that it is computed from agree."""
    def result(op: Operation) -> Abstract:
        operand = op[name]
        if not isinstance(operand, Numeric):
            return operand
        dtypes = {getattr(value, "dtype", None) for value in op.operands.values() if not isinstance(value, Known)}
        agreed = all(dtype is not None and (dtype == operand.dtype or dtype.kind not in "fc") for dtype in dtypes)
        return replace(operand, dtype=operand.dtype if agreed else None)
    return result


def summed_back(op: Operation) -> Abstract:
    """An array of the shape that an operand had; of one without axes a number, if the cotangent is one or has axes."""
    bar, shape = op["bar"], dims_of(op["shape"])
    if not isinstance(bar, Numeric):
        return Numeric()
    if shape:
        return Numeric("array", bar.dtype, shape, real=bar.real)
    kind = "number" if shape == () and (bar.is_number or bar.shape) else "any"
    return Numeric(kind, bar.dtype, shape, real=bar.real)


def spread_again(op: Operation) -> str:
    """The cotangent of what was summed; nothing is summed of a number."""
    return "g" if op.is_number("bar") else "np.broadcast_to(g, bar.shape)"


def of_floats_like(name: str) -> Callable[[Operation], Abstract]:
    """The result has the shape of an operand, and its dtype if that is one of floats."""
    def result(op: Operation) -> Abstract:
        operand = op[name]
        if not isinstance(operand, Numeric) or operand.dtype is None or operand.dtype.kind not in "fc":
            return Numeric("any", None, operand.shape) if isinstance(operand, Numeric) else Numeric()
        return Numeric(operand.kind, operand.dtype, operand.shape)
    return result


PROPERTIES = ("result", "sharing", "elementwise", "constant", "linear", "tangent", "complex", "parts", "names")


def helper(function: Callable, **given: Any) -> None:
    properties = {name: given.pop(name) for name in PROPERTIES if name in given}
    properties.setdefault("complex", properties.get("constant", False))
    RULES[function] = Rule(function.__name__, function, parameters_of(function), given, **properties)


def same_as(name: str) -> Callable[[Operation], Abstract]:
    """The result is what an operand is."""
    return lambda op: op[name]


def in_lists(value: Abstract, optional: bool = True, missing: bool = False) -> Abstract:
    """The form of cotangents that can be added to: lists for tuples, attributes that can be set.

    Unless it may be ``optional`` none of it is None; where the value may be (all of it, ``missing``), there are numbers
    in place of arrays.
    """
    missing = missing or not optional and isinstance(value, Items) and value.optional
    if not isinstance(value, Items):
        return Numeric("any", value.dtype) if missing and isinstance(value, Numeric) and not value.is_number else value
    kind: type = dict if value.is_dict else list if value.keys is None else types.SimpleNamespace
    items = None if value.items is None else tuple(in_lists(item, optional, missing) for item in value.items)
    element = None if value.element is None else in_lists(value.element, optional, missing)
    return replace(value, kind=kind, items=items, element=element, optional=value.optional and optional, views=())


def is_of_floats(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind in "fc"


def formed_like(handed_back: bool) -> Callable[[Operation], Abstract]:
    """The cotangents of a container in its own form; what there is beside those of floats is not known."""
    def result(value: Abstract) -> Abstract:
        if isinstance(value, Items) and not (value.optional and handed_back) and not value.late:
            items = None if value.items is None else tuple(map(result, value.items))
            return replace(value, items=items, element=None if value.element is None else result(value.element),
                           views=())
        return passive(value) if is_of_floats(value) else Opaque()
    return lambda op: passive(op["like"]) if is_unknown_number(op) else result(op["like"])


def is_unknown_number(op: Operation) -> bool:
    """Whether a cotangent that is put in form is that of one number or array, of which too little is known to spell the
    form out."""
    return isinstance(op["like"], Numeric) and isinstance(op["bar"], Numeric) and op["like"].dtype is None


def back_in_form(op: Operation) -> str:
    moving = "bar"
    if not is_unknown_number(op):
        raise UnsupportedError(f"{op.rule.title} has no derivative with respect to {moving}",
                               "let each place of a container hold one kind of value")
    return "g" if is_real(op[moving]) else "as_real_as(g, bar)"


def zeros_like(value: Abstract) -> Abstract:
    """What a tangent function takes as the tangent of a value: of what is no float it is a number, too."""
    if isinstance(value, Items):
        items = None if value.items is None else tuple(map(zeros_like, value.items))
        element = None if value.element is None else zeros_like(value.element)
        return replace(value, items=items, element=element, views=())
    if isinstance(value, Known) and not isinstance(value.value, (int, float, complex, np.number, np.ndarray)):
        return Known(None)
    return replace(passive(value), value=MISSING, origin=None) if is_of_floats(value) else Numeric()


def rows_of(factor: str) -> Callable[[Operation], Abstract]:
    """The product of a matrix has as many axes as its other factor; double precision stays that."""
    def result(op: Operation) -> Abstract:
        shape, dtype = op.shape(factor), op.dtype(factor)
        return Numeric("array", dtype if dtype in (np.dtype(float), np.dtype(complex)) else None,
                       (None, *shape[1:]) if shape else None)
    return result


helper(runtime.zeros_of, constant=True, result=lambda op: in_lists(op["value"], not op.given("form")))
helper(runtime.zero_tangent, constant=True, result=lambda op: zeros_like(op["value"]))
helper(runtime.check_result, constant=True, result=lambda op: Known(None))
# of cotangents of containers that move these are unfolded
for put_in_form, known_of_it in ((runtime.structured, formed_like(handed_back=False)),
                                 (runtime.handed_back, formed_like(handed_back=True)),
                                 (runtime.taken_along, lambda op: zeros_like(op["like"]))):
    helper(put_in_form, result=known_of_it, bar=back_in_form, like=ZERO, linear="bar", complex=True)
helper(runtime.added, result=same_as("first"))
helper(runtime.loosened, result=same_as("bar"))
helper(runtime.real_parts, result=same_as("bar"))
helper(runtime.position, constant=True, result=lambda op: INTEGER)
helper(runtime.real_only, result=real_bar, bar="g", linear="bar", sharing="maybe", complex=True)
helper(runtime.held, result=same_as("value"), value="g", shared=ZERO, linear="value", complex=True)
helper(runtime.as_real_as, result=same_as("bar"), bar="g", subject=ZERO, linear="bar", complex=True)
helper(of_shape, result=same_as("bar"), bar="g", shape=ZERO, linear="bar", sharing="maybe", complex=True)
helper(fitted, result=same_as("value"), given="g", value=ZERO, linear="given", complex=True)

# what is elementwise, and 0 or finite where the plain formula has no value
helper(runtime.divide_or_zero, elementwise=True,
       numerator="divide_or_zero(g, denominator)", denominator="-g * divide_or_zero(y, denominator)", complex=True)
helper(runtime.sigmoid, elementwise=True, x="y * (1.0 - y)")
helper(runtime.log_or_zero, elementwise=True, base="divide_or_zero(g, base)", exponent=ZERO, complex=True)
helper(runtime.power_slope, elementwise=True, complex=True,
       base="g * power_slope(base, exponent, order + 1)",
       exponent="g * (falling(exponent, order, 1) * np.power(base, exponent - order) "
                "+ y * log_or_zero(base, exponent - order))")
helper(runtime.falling, elementwise=True, complex=True, n="g * falling(n, order, times + 1)")
helper(runtime.sinc_slope, elementwise=True, x="g * sinc_slope(x, order + 1)", complex=True)
helper(runtime.digamma_slope, elementwise=True, z="g * digamma_slope(z, order + 1)", complex=True)
helper(runtime.i0_slope, elementwise=True, x="g * i0_slope(x, order + 1)")

helper(runtime.product_of_others, result=of_floats_like("a"))

# cotangents of products: linear in the cotangent and in the other factor
helper(runtime.spread_over, result=lambda op: Numeric("any", op.dtype("bar")), sharing="read-only",
       bar="unbroadcast(g, bar.shape)", shape=ZERO, linear="bar", complex=True)
helper(runtime.unbroadcast, result=summed_back, sharing="maybe", bar=spread_again, shape=ZERO,
       linear="bar", complex=True)
helper(runtime.matmul_left, result=shaped_like("x1"),
       bar="np.matmul(g, x2)", x1=ZERO, x2="matmul_right(bar, g, x2)", linear="bar x2", complex=True)
helper(runtime.matmul_right, result=shaped_like("x2"),
       bar="np.matmul(x1, g)", x1="matmul_left(bar, x1, g)", x2=ZERO, linear="bar x1", complex=True)
helper(runtime.sparse_product, x="sparse_bar(matrix, g)", linear="x", complex=True, result=rows_of("x"))
helper(runtime.sparse_bar, bar="sparse_product(matrix, g)", linear="bar", complex=True,
       result=rows_of("bar"))
helper(runtime.dot_left, result=shaped_like("a"), bar="np.dot(g, b)", a=ZERO, b="dot_right(bar, g, b)", linear="bar b",
       complex=True)
helper(runtime.dot_right, result=shaped_like("b"), bar="np.dot(a, g)", a="dot_left(bar, a, g)", b=ZERO, linear="bar a",
       complex=True)
helper(runtime.inner_left, result=shaped_like("a"),
       bar="np.inner(g, b)", a=ZERO, b="inner_right(bar, g, b)", linear="bar b", complex=True)
helper(runtime.inner_right, result=shaped_like("b"),
       bar="np.inner(a, g)", a="inner_left(bar, a, g)", b=ZERO, linear="bar a", complex=True)
helper(runtime.tensordot_left, sharing="maybe", bar="np.tensordot(g, b, axes)", a=ZERO,
       b="tensordot_right(bar, g, b, axes)", linear="bar b", complex=True)
helper(runtime.tensordot_right, sharing="maybe", bar="np.tensordot(a, g, axes)", a="tensordot_left(bar, a, g, axes)",
       b=ZERO, linear="bar a", complex=True)
helper(runtime.unsolve, result=shaped_like("a"))
helper(runtime.solve_right)

def spectrum(op: Operation) -> Abstract:
    dtype = op.dtype("bar")
    return Numeric("array", None if dtype is None else np.result_type(dtype, np.complex64), dims_of(op["shape"]))


def along_axes(op: Operation) -> str:
    sizes = "".join(f"bar.shape[{axis}], " for axis in op.known("axes"))
    return f"np.fft.irfftn(g, ({sizes}), axes, norm)"


def in_shape(op: Operation) -> Abstract:
    """The result has the shape that the helper is given, and the cotangent's dtype."""
    return Numeric("array", op.dtype("bar"), dims_of(op["shape"]))


def real_row(op: Operation) -> Abstract:
    """A real number for each of the vectors ``v``."""
    v = op["v"]
    if not isinstance(v, Numeric) or v.dtype is None or v.shape is None:
        return Numeric("array", real=True)
    return Numeric("array", v.dtype.type(0).real.dtype, (*v.shape[:-2], 1, v.shape[-1]))


# what moves elements back
helper(runtime.cut_or_padded, bar="cut_or_padded(g, bar.shape)", linear="bar", complex=True, sharing="maybe",
       result=in_shape)
helper(runtime.spectrum_bar, result=spectrum, bar="np.fft.irfft(g, bar.shape[axis], axis, norm)", linear="bar",
       complex=True)
helper(runtime.spectra_bar, result=spectrum, bar=along_axes, linear="bar", complex=True)
helper(runtime.edges_scaled, result=same_as("bar"), bar="edges_scaled(g, axis, first, last)", linear="bar")
helper(runtime.undiff, bar="np.diff(g, n, axis)", linear="bar", result=in_shape, complex=True)
helper(runtime.undiag, bar="np.diag(g, k)", sharing="maybe", linear="bar", result=in_shape, complex=True)
helper(runtime.undiagonal, bar="np.diagonal(g, offset, axis1, axis2)", linear="bar", result=in_shape, complex=True)
helper(runtime.untrace, bar="np.trace(g, offset, axis1, axis2)", linear="bar", result=in_shape, complex=True)
helper(runtime.unrepeat, bar="np.repeat(g, repeats, axis)", linear="bar", result=in_shape, complex=True)
helper(runtime.unsort, bar="np.take_along_axis(g, np.argsort(a, axis), axis).reshape(bar.shape)", a=ZERO, linear="bar",
       complex=True)
helper(runtime.untake, bar="np.take(g, indices, axis)", linear="bar", result=in_shape, complex=True)
helper(runtime.untile, bar="np.tile(g, reps)", linear="bar", result=in_shape, complex=True)

# decompositions and functions of matrices
helper(runtime.in_reals, result=same_as("m"), m="g", sharing="view", linear="m")
helper(runtime.halved, result=same_as("m"), m="halved(g)", linear="m", complex=True)
helper(runtime.to_lower, result=same_as("m"), linear="m", complex=True,
       m=lambda op: f"halved(g) + {conjugated(op, 'halved(g).mT', 'm')}")
helper(runtime.to_upper, result=same_as("m"), linear="m", complex=True, m=lambda op:
       f"half = halved({conjugated(op, 'g.mT', 'm')}); half + {conjugated(op, 'half.mT', 'm')}")
for divided in (runtime.over_differences, runtime.over_gaps):
    again = divided.__name__
    helper(divided, result=same_as("m"), m=f"{again}(g, values)", linear="m", complex=True,
           values=f"slopes = {again}(g * y, values); np.sum(slopes, axis=-1) - np.sum(slopes, axis=-2)",
           tangent={"values": f"{again}(y * (t[..., :, None] - t[..., None, :]), values)"})
helper(runtime.turned_eigenvectors, result=same_as("vectors"), vectors=ZERO, values=ZERO, sharing="view", complex=True,
       a=lambda op: f"to_{'lower' if op.known('lower') else 'upper'}("
                    "np.conj(y) @ over_gaps(y.mT @ g, values) @ y.mT)",
       tangent={"a": "y @ over_differences(np.conj(y.mT) @ mirrored(t, lower) @ y, values)"})
helper(runtime.turned_singular_vectors, parts=(0, 1), u=ZERO, vh=ZERO, s=ZERO, sharing="view", complex=True,
       result=lambda op: Items(tuple, (op["u"], op["vh"])),
       a=("svd_bar(g_0, y_0, s, y_1)", "svd_bar(g_1.mT, y_1.mT, s, y_0.mT).mT"),
       tangent={"a": ("svd_dot(t, y_0, s, y_1)", "svd_dot(t.mT, y_1.mT, s, y_0.mT).mT")})
helper(runtime.scaled_eigenvectors, result=same_as("vectors"), vectors=ZERO, values=ZERO, sharing="view", complex=True,
       a="np.linalg.solve(y.mT, over_gaps(y.mT @ g, values) @ y.mT)",
       tangent={"a": "y @ over_differences(np.linalg.solve(y, t @ y), values)"})
helper(runtime.eigen, parts=(0, 1), complex=True, result=perhaps_complex(diagonal, same, kind=kind_of(np.linalg.eig)),
       a=(values_bar("y_1"), "np.linalg.solve(y_1.mT, over_gaps(y_1.mT @ g_1, y_0) @ y_1.mT)"),
       tangent={"a": ("inner = np.linalg.solve(y_1, t @ y_1); np.diagonal(inner, axis1=-2, axis2=-1)",
                      "inner = np.linalg.solve(y_1, t @ y_1); y_1 @ over_differences(inner, y_0)")})
helper(runtime.eigenvectors_bar, result=same_as("vectors"))
helper(runtime.real_row, constant=True)
helper(runtime.real_of_largest, constant=True)
helper(runtime.turns, result=real_row, complex=True, at=ZERO, linear="m", m="as_real_as(-1j * shares(g, g, v, at), m)",
       v="-shares(g * y, g, v, at)",
       tangent={"v": "-y * np.sum(at * np.real(t), axis=-2, keepdims=True) / pivots(v, at)"})
helper(runtime.phases_bar, result=same_as("v"), complex=True, at=ZERO, linear="bar", bar="with_phases(g, v, at)",
       v="turn = turns(g, v, at); as_real_as(-turn * (1j * bar + np.imag(bar - y)), v)",
       tangent={"v": "turning = np.imag(np.sum(bar * t, axis=-2, keepdims=True)); "
                     "as_real_as(-1j * (shares(turning, bar, v, at) - np.imag(bar - y) * np.sum(at * np.real(t), "
                     "axis=-2, keepdims=True) / pivots(v, at)), v)"})
helper(runtime.kron_left, bar="np.kron(g, b)", a=ZERO, b="kron_right(bar, g, b)", linear="bar b")
helper(runtime.kron_right, bar="np.kron(a, g)", a="kron_left(bar, a, g)", b=ZERO, linear="bar a")
helper(runtime.symmetric_sylvester, result=same_as("q"), q="symmetric_sylvester(p.mT, g)", linear="q", complex=True,
       p="inner = symmetric_sylvester(p.mT, g); -(y.mT @ inner + inner @ y.mT)",
       tangent={"p": "-symmetric_sylvester(p, y @ t + t @ y)"})
helper(runtime.for_lapack, result=lambda op: Numeric("array", None, op.shape("a")), a="g", linear="a",
       sharing="maybe", complex=True)
helper(runtime.cofactors, result=of_both,
       a="cofactors_dot(g, a)", y=ZERO, tangent={"a": "cofactors_dot(t, a)"}, complex=True)
for name, operand in {
    "eig_bar": "vectors", "eigvals_bar": "a", "cofactors_dot": "a", "power_bar": "a", "cond_slope": "x",
    "norm_cond_slope": "x", "least_squares_matrix": "a", "residuals_bar": "b", "singular_values_bar": "a",
    "tensorsolve_bar": "b", "as_kept": "m",
}.items():
    helper(getattr(runtime, name), result=shaped_like(operand))
for name in ("svd_bar", "pairs_bar", "determined_bars", "determined_vectors", "qr_bar", "multi_dot_bar",
             "tensorinv_bar", "residuals_matrix"):
    helper(getattr(runtime, name))

# what was chosen goes back
helper(runtime.numbered, constant=True)
helper(runtime.margins, constant=True)
helper(runtime.last_stored, constant=True, result=lambda op: Numeric("array", np.dtype(bool)))
helper(runtime.put_back, bar="np.reshape(g, -1)[places] if np.size(g) else np.zeros(np.shape(places))", linear="bar",
       result=in_shape, complex=True)
helper(runtime.unpad_means, linear="bar", result=in_shape, complex=True,
       bar="np.pad(g, pad_width, 'mean', stat_length=stat_length)")
helper(runtime.unpad_ramps, bar="np.pad(g, pad_width, 'linear_ramp')", linear="bar", result=in_shape, complex=True)
helper(runtime.unpad_turned, bar="np.pad(g, pad_width, mode, reflect_type='odd')", linear="bar", result=in_shape,
       complex=True)
helper(runtime.ramp_ends, bar="np.pad(np.zeros(shape, g.dtype), pad_width, 'linear_ramp', end_values=g)", linear="bar",
       complex=True)
helper(runtime.extreme_places, constant=True)
helper(runtime.part_of_joined, bar="put_back(g, bar.shape, places_of_joined(join, shapes, path))", linear="bar",
       complex=True)
helper(runtime.places_of_joined, constant=True)
helper(runtime.places_joined, constant=True, result=lambda op: Items(list, None, Numeric("array", np.dtype(int))))
helper(runtime.unreduce, bar="np.add.reduceat(g, indices, axis)", linear="bar", result=in_shape)

# samples: what is linear in the cotangent is undone by the function that it comes from
helper(runtime.quantile_bar, bar="quantile_dot(g, a, bar, q, axis, keepdims, method, skips_nan, weights)", a=ZERO,
       weights=ZERO, linear="bar", **IN_Q["quantile_bar"])
helper(runtime.quantile_dot, t="quantile_bar(g, a, q, axis, keepdims, method, skips_nan, weights)", a=ZERO, y=ZERO,
       weights=ZERO, linear="t", **IN_Q["quantile_dot"])
helper(runtime.quantile_rise, t="quantile_rise_bar(g, a, q, axis, keepdims, method, further)", a=ZERO, q=ZERO,
       linear="t")
helper(runtime.quantile_rise_bar, bar="quantile_rise(g, a, q, axis, keepdims, method, further)", a=ZERO, q=ZERO,
       linear="bar", result=shaped_like("a"))
helper(runtime.ungradient, bar="np.gradient(g, spacing, axis=axis, edge_order=edge_order)", linear="bar", complex=True)
helper(runtime.trapezoid_bar, bar="np.trapezoid(g, x, dx, axis)", x="trapezoid_points(bar, g, x, axis)",
       dx=lambda op: ZERO if op.given("x") else "np.sum(bar * np.trapezoid(g, None, 1.0, axis))", linear="bar x",
       tangent={"dx": lambda op: ZERO if op.given("x") else "trapezoid_bar(bar, shape, None, t, axis)"})
helper(runtime.trapezoid_points, bar="np.trapezoid(values, g, axis=axis)", x=ZERO,
       values="trapezoid_bar(bar, values.shape, g, 1.0, axis)", linear="bar values")
helper(runtime.spread_weights, a=ZERO, weights="weights_bar(g, weights, axis)", linear="weights")
helper(runtime.weights_bar, full="np.broadcast_to(spread_weights(g, full, axis), full.shape)", weights=ZERO,
       linear="full")
