"""Functions that choose elements, put some in between, or tell where they are.

What a function makes of the elements' numbers tells where they came from: there their cotangents go back.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import ANY, MISSING, SEVERAL, Abstract, Items, Numeric, shape_of
from s2sgrad.rules.dims import Shape, add_dims, broadcast
from s2sgrad.rules.shapes import as_given, dims_of, of_shape
from s2sgrad.rules.table import ZERO, Operation, constant, general


def put_back(call: str, of: str) -> str:
    """The adjoint of a function of an array, given as it is called with the array's elements' numbers."""
    return f"put_back(g, {of}.shape, {call.format(f'numbered({of}.shape)')})"


def along(of: str = "a", axis: str = "axis", *, flat: bool = True) -> Callable[[Operation], Abstract]:
    """A result with as many elements along the axis as the values tell; of an array that is flattened first where the
    axis is None."""
    def sizes(op: Operation) -> Shape:
        place, shape = op.if_known(axis), op.shape(of)
        if place is None and flat:
            return (None,)
        if shape is None or not isinstance(place, int) or not -len(shape) <= place < len(shape):
            return None
        return tuple(None if index == place % len(shape) else dim for index, dim in enumerate(shape))

    def result(op: Operation) -> Abstract:
        found = of_shape(op, sizes(op), of)
        return replace(found, dtype=as_given(op, found.dtype)) if "dtype" in op.operands and isinstance(
            found, Numeric) else found
    return result


def flat(of: str) -> Callable[[Operation], Abstract]:
    """A result with one axis, of which only the values tell the size."""
    return lambda op: of_shape(op, (None,), of)


def common(values: Iterable[Abstract | None], weak: bool = False) -> np.dtype | None:
    """The dtype of an array of several values, if they are known; of Python numbers NumPy takes the kind alone where
    they are ``weak``."""
    strong: list = []
    weaker: list = []
    for value in values:
        if not isinstance(value, Numeric) or value.dtype is None:
            return None
        strong.append(value.dtype if value.kind != "python" or not weak else value.dtype.type(0).item())
        weaker.append(value.dtype.type(0).item() if weak and value.kind in ("number", "any") else strong[-1])
    found = np.result_type(*strong)
    return found if weaker == strong or found == np.result_type(*weaker) else None


def in_floats(dtype: np.dtype | None) -> np.dtype | None:
    """What becomes of a dtype where numbers are divided, or multiplied by such."""
    return dtype if dtype is None or dtype.kind in "fc" else np.dtype(float)


def taken_along(op: Operation) -> Abstract:
    """The indices' shape, broadcast in the axes that are not indexed."""
    whole, mine, axis = op.shape("arr"), op.shape("indices"), op.if_known("axis")
    if axis is None:
        return of_shape(op, mine, "arr")
    if whole is None or mine is None or not isinstance(axis, int) or len(whole) != len(mine):
        return of_shape(op, None, "arr")
    return of_shape(op, tuple(dim if place == axis % len(whole) or dim == other else None
                              for place, (dim, other) in enumerate(zip(mine, whole))), "arr")


# ---- chosen elements

general("np.take_along_axis(arr, indices, axis=-1)", result=taken_along,
        arr=put_back("np.take_along_axis({}, indices, axis)", "arr"), linear="arr", complex=True)
general("np.compress(condition, a, axis=None)", a=put_back("np.compress(condition, {}, axis)", "a"), result=along(),
        linear="a", complex=True)
general("ndarray.compress(a, condition, axis=None)", a=put_back("np.compress(condition, {}, axis)", "a"),
        result=along(), linear="a", complex=True)
general("np.extract(condition, arr)", arr=put_back("np.extract(condition, {})", "arr"), result=flat("arr"),
        linear="arr", complex=True)
general("np.delete(arr, obj, axis=None)", arr=put_back("np.delete({}, obj, axis)", "arr"), result=along("arr"),
        linear="arr", complex=True)
general("np.resize(a, new_shape)", a=put_back("np.resize({}, new_shape)", "a"), sharing="maybe",
        result=lambda op: of_shape(op, dims_of(op["new_shape"])), linear="a", complex=True)


def windowed(op: Operation) -> Abstract:
    """Fewer elements along each axis that a window slides along, and the window's axes behind all."""
    shape, window, axis = op.shape("x"), dims_of(op["window_shape"]), op.if_known("axis")
    if shape is None or window is None or axis is MISSING:
        return of_shape(op, None, "x")
    axes = [place % len(shape) for place in (range(len(shape)) if axis is None else np.atleast_1d(axis))]
    rest = tuple(None if place in axes else dim for place, dim in enumerate(shape))
    return of_shape(op, (*rest, *window), "x")


general("np.lib.stride_tricks.sliding_window_view(x, window_shape, axis=None)", result=windowed, sharing="maybe",
        x=put_back("np.lib.stride_tricks.sliding_window_view({}, window_shape, axis)", "x"), linear="x", complex=True)


def parts_of(value: Abstract) -> list[Abstract]:
    """The items of a list, or the rows of an array in its stead."""
    if isinstance(value, Items):
        return list(value.items) if value.items else [ANY]
    shape = shape_of(value)
    return [value.part("array", shape[1:]) if isinstance(value, Numeric) and shape else ANY]


def among(values: list[Abstract], others: Iterable[Abstract]) -> Abstract:
    """What several values broadcast to with what says which are taken; the dtype is that of the values alone."""
    shape = broadcast(*map(shape_of, (*values, *others)))
    return Numeric("array" if shape else "any", common(values, weak=True), shape)


def selected_among(op: Operation) -> Abstract:
    return among([*parts_of(op["choicelist"]), op["default"]], parts_of(op["condlist"]))


def chosen_among(op: Operation) -> Abstract:
    return among(parts_of(op["choices"]), (op["a"],))


def listed(op: Operation, name: str, index: int, text: str) -> str:
    """A list in which one item is the text and all others are 0."""
    value = op[name]
    assert isinstance(value, Items) and value.items is not None
    return f"[{', '.join(text if place == index else '0.0' for place in range(len(value.items)))}]"


def selected(op: Operation, path: tuple[int, ...] = ()) -> str:
    if not path:  # the rows of an array; one more place is for what the default fills
        places = "np.select(condlist, numbered(choicelist.shape), choicelist.size)"
        return f"put_back(g, (choicelist.size + 1,), {places})[:-1].reshape(choicelist.shape)"
    (index,) = path
    return f"unbroadcast(np.select(condlist, {listed(op, 'choicelist', index, 'g')}), choicelist_{index}.shape)"


def remaining(op: Operation) -> str:
    value = op["choicelist"]
    count = len(value.items) if isinstance(value, Items) and value.items is not None else "len(choicelist)"
    return f"unbroadcast(np.select(condlist, [0.0] * {count}, g), default.shape)"


def choice(op: Operation, path: tuple[int, ...] = ()) -> str:
    if not path:
        return put_back(f"np.choose(a, {{}}{', mode=mode' * (op.known('mode') != 'raise')})", "choices")
    (index,) = path
    value = op["choices"]
    assert isinstance(value, Items) and value.items is not None
    count = len(value.items)
    places = {"wrap": f"np.mod(a, {count})", "clip": f"np.clip(a, 0, {count - 1})"}.get(str(op.known("mode")), "a")
    return f"unbroadcast(np.where(np.equal({places}, {index}), g, 0.0), choices_{index}.shape)"


general("np.select(condlist, choicelist, default=0)", choicelist=selected, default=remaining, result=selected_among,
        linear="choicelist+default", complex=True)
general("np.choose(a, choices, *, mode='raise')", choices=choice, result=chosen_among, linear="choices", complex=True,
        method=True)


# ---- elements put in between

def appended(op: Operation) -> Abstract:
    """``np.append`` flattens where it is given no axis, and joins otherwise."""
    axis, shapes = op.if_known("axis"), [op.shape("arr"), op.shape("values")]
    dtype = common((op["arr"], op["values"]))
    if axis is None:
        return Numeric("array", dtype, (None,))
    if None in shapes or not isinstance(axis, int):
        return Numeric("array", dtype, None)
    first, second = shapes
    assert first is not None and second is not None
    return Numeric("array", dtype, tuple(add_dims((one, other)) if place == axis % len(first) else one
                                         for place, (one, other) in enumerate(zip(first, second))))


def appended_bar(name: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        if op.known("axis") is None:
            return f"np.reshape(g[{':arr.size' if name == 'arr' else 'arr.size:'}], {name}.shape)"
        return f"np.split(g, [arr.shape[axis]], axis)[{int(name == 'values')}]"
    return formula


def padding(op: Operation) -> tuple[str, str]:
    """The mode, and the arguments of ``np.pad`` that it needs. Raises UnsupportedError for another."""
    mode = str(op.known("mode"))
    if mode in ("constant", "empty"):
        return "constant", ""
    if mode in ("reflect", "symmetric") and op.known("reflect_type") == "odd":
        return "odd", f", {mode!r}, reflect_type='odd'"
    if mode in ("mean", "maximum", "minimum") and op.given("stat_length"):
        return mode, f", {mode!r}, stat_length=stat_length"
    if mode not in ("edge", "wrap", "reflect", "symmetric", "linear_ramp", "mean", "maximum", "minimum"):
        raise UnsupportedError(f"pad with {mode!r} has no derivative rule",
                               "write 'median' in the call, or use another mode, as 'mean'")
    return mode, f", {mode!r}"


def extremes(op: Operation) -> str:
    return f"extreme_places(array, pad_width, {op.known('mode')!r}, stat_length)"


def padded_bar(op: Operation) -> str:
    mode, arguments = padding(op)
    texts = {"constant": "unpad(g, array.shape, pad_width)",
             "linear_ramp": "unpad_ramps(g, array.shape, pad_width)",
             "mean": "unpad_means(g, array.shape, pad_width, stat_length)",
             "odd": f"unpad_turned(g, array.shape, pad_width, {op.known('mode')!r})",
             **dict.fromkeys(("maximum", "minimum"), f"put_back(g, array.shape, {extremes(op)})")}
    return texts[mode] if mode in texts else put_back(f"np.pad({{}}, pad_width{arguments})", "array")


def padded_dot(op: Operation) -> str:
    mode, arguments = padding(op)
    return f"np.ravel(t)[{extremes(op)}]" if mode in ("maximum", "minimum") else f"np.pad(t, pad_width{arguments})"


def in_mode(wanted: str, text: str) -> Callable[[Operation], str]:
    """What counts in one mode alone."""
    return lambda op: text if padding(op)[0] == wanted else ZERO


def padded(op: Operation) -> Abstract:
    shape = op.shape("array")
    return of_shape(op, None if shape is None else (None,) * len(shape), "array")


general("np.insert(arr, obj, values, axis=None)", result=along("arr"),
        arr="inserted(g, arr.shape, values, obj, axis, False)",
        values="inserted(g, arr.shape, values, obj, axis, True)", linear="arr+values", complex=True)
general("np.append(arr, values, axis=None)", arr=appended_bar("arr"), values=appended_bar("values"), result=appended,
        linear="arr+values", complex=True)
general("np.pad(array, pad_width, mode='constant', *, constant_values=0, end_values=0, stat_length=None, "
        "reflect_type='even')", array=padded_bar, result=padded, complex=True,
        constant_values=in_mode("constant", "around(g, array.shape, pad_width, constant_values)"),
        end_values=in_mode("linear_ramp", "ramp_ends(g, array.shape, pad_width, end_values.shape)"),
        tangent={"array": padded_dot, "constant_values": in_mode(
                     "constant", "np.pad(np.zeros_like(array), pad_width, constant_values=t)"),
                 "end_values": in_mode(
                     "linear_ramp", "np.pad(np.zeros_like(array), pad_width, 'linear_ramp', end_values=t)")})


# ---- order

def unique_result(op: Operation) -> Abstract:
    """The values, and indices for each flag that is set."""
    axis, shape = op.if_known("axis"), op.shape("ar")
    values = of_shape(op, (None,), "ar")
    if axis is not None:
        known = isinstance(axis, int) and shape is not None and -len(shape) <= axis < len(shape)
        values = of_shape(op, tuple(None if place == axis % len(shape) else dim for place, dim in enumerate(shape))
                          if known else None, "ar")  # type: ignore[arg-type]
    flags = [op.if_known(f"return_{what}") for what in ("index", "inverse", "counts")]
    if not all(isinstance(flag, bool) for flag in flags):
        return SEVERAL
    indices = Numeric("array", np.dtype(np.intp), (None,))
    shapes = {0: indices, 1: Numeric("array", np.dtype(np.intp), shape if axis is None else None), 2: indices}
    more = [shapes[place] for place, flag in enumerate(flags) if flag]
    return Items(tuple, (values, *more)) if more else values


def first_places(op: Operation) -> str:
    more = "" if op.if_known("equal_nan") is True else ", equal_nan=equal_nan"
    return f"np.unique(ar, return_index=True{more}{', axis=axis' if op.known('axis') is not None else ''})[1]"


def unique_bar(op: Operation) -> str:
    """Of equal elements, or rows, the first gets the cotangent."""
    g = "g_0" if op.reached else "g"
    if op.known("axis") is None:
        return f"put_back({g}, ar.shape, {first_places(op)})"
    return f"untake({g}, ar.shape, {first_places(op)}, axis)"


def unique_dot(op: Operation) -> str | tuple[str, ...]:
    text = f"np.take(t, {first_places(op)}, axis)"
    return (text, *[ZERO] * (len(op.results) - 1)) if isinstance(op.result, Items) else text


general("np.partition(a, kth, axis=-1, kind='introselect')", a="unorder(g, a, y, axis)",
        tangent={"a": "reorder(t, a, y, axis)"}, result=lambda op: of_shape(
    op, op.shape("a") if op.if_known("axis") is not None else (None,)), complex=True)
general("np.unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True)",
        parts=(0,), ar=unique_bar, tangent={"ar": unique_dot}, result=unique_result, complex=True)
constant("np.argpartition(a, kth, axis=-1, kind='introselect')", method=True)
constant("np.lexsort(keys, axis=-1)", result=lambda op: Numeric("any", np.dtype(np.intp), None))


# ---- histograms: how many elements there are has no derivative, their weights and the edges have

def edges(formula: str) -> Callable[[Operation], tuple[str, str]]:
    """The outer edges are the extrema where nobody says what they are."""
    def of_elements(op: Operation) -> tuple[str, str]:
        own = not op.given("range") and not isinstance(op["bins"], Items) and op.rank("bins") != 1
        return ZERO, formula if own else ZERO
    return of_elements


def histogram_result(op: Operation) -> Abstract:
    counts: np.dtype | None = np.dtype(np.intp)
    edges, bins = op.dtype("a"), op["bins"]
    if op.given("weights") or op.if_known("density") not in (None, False):
        counts = op.dtype("weights")
    if isinstance(bins, Items):
        edges = common(bins.items or (None,))
    elif op.rank("bins") == 1:
        edges = op.dtype("bins")
    elif op.rank("bins") is None or edges is None or edges.kind != "f":
        edges = None
    return Items(tuple, (Numeric("array", counts, (None,)), Numeric("array", edges, (None,))))


general("np.histogram(a, bins=10, range=None, density=None, weights=None)", parts=(0, 1), result=histogram_result,
        a=edges("histogram_edges(g_1, a, bins)"), bins=(ZERO, "g_1"), sharing="maybe",
        weights=("histogram_weights(g_0, a, y_1)", ZERO),
        tangent={"a": edges("histogram_edges_dot(t, a, bins, y_1)"), "bins": (ZERO, "t"),  # floats are edges
                 "weights": ("np.histogram(a, y_1, weights=t)[0]", ZERO)})
def counted_bar(op: Operation) -> str:
    """Flags count as 0 and 1, and would select as an index."""
    dtype = op.dtype("x")
    return "g[x]" if dtype is not None and dtype.kind in "iu" else "np.take(g, x)"


general("np.bincount(x, /, weights=None, minlength=0)", weights=counted_bar, result=lambda op: Numeric(
    "array", np.dtype(float if op.given("weights") else np.intp), (None,)), linear="weights")
