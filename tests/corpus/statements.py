"""raise, del, with, the walrus, match, imports, unpacking of every form, printing."""
# ruff: noqa: B007, B018, F841, PIE790, UP031, UP032, I001
from __future__ import annotations

import contextlib
import enum
import logging
import math
import threading
import types
import typing
import warnings

import numpy as np

from corpus.registry import normal, positive, program, spread

LOCK = threading.Lock()
LOG = logging.getLogger(__name__)


# ---- raise

@program(lambda: (normal(1, 4),))
def raise_is_not_reached(x):
    if x.size == 0:
        raise ValueError("empty")
    y = np.sin(x)
    if not np.all(np.isfinite(y)):
        raise FloatingPointError(f"{y} is not finite") from None
    return np.sum(y * x)


@program(lambda: (0.4, 6))
def raise_in_a_loop(x, n):
    y = x
    for k in range(n):
        if y > 1e6:
            raise OverflowError(f"turn {k}: {y}")
        y = y * (1.5 - y)
        if y < 0.0:
            raise ValueError("left the interval")
    return y * x


@program(lambda: (normal(2, 5), "cubes"))
def raise_for_all_other_modes(x, mode):
    if mode == "squares":
        y = x**2
    elif mode == "cubes":
        y = x**3
    else:
        raise ValueError(f"unknown mode {mode!r}")
    return np.sum(y)


@program(lambda: (np.array([0.2, 0.4, 0.9, 1.7]), 0.8))
def search_or_raise(x, limit):
    for element in x:
        if element > limit:
            return element**2 * limit
    raise LookupError("none is that large")


@program(lambda: (spread(3, 3, 3), 0.1))
def raise_in_nested_arms(a, limit):
    total = 0.0
    for row in a:
        for element in row:
            if element > limit:
                if element > 100.0:
                    raise ValueError("too large")
                else:
                    total = total + element**2
            elif element < -100.0:
                raise ValueError("too small")
            else:
                continue
            if total > 1.2:
                return total * element
    if total == 0.0:
        raise ValueError("nothing found")
    return total


@program(lambda: (1.4, 3))
def raise_after_a_branch_that_returns(x, n):
    y = x * x
    if n > 2:
        if x > 1.0:
            return y * x
    raise ArithmeticError(n)


def checked(x, low):
    if x < low:
        raise ValueError(f"{x} is below {low}")
    return math.sqrt(x - low)


def check_all(x):
    if np.any(x < -100.0):
        raise ValueError("too small")


@program(lambda: (1.7, 0.3))
def raise_in_a_helper(x, y):
    return checked(x, y) * checked(x * y, 0.1)


@program(lambda: (normal(4, 3),))
def helper_that_only_checks(x):
    check_all(x)
    y = x * x
    check_all(y)
    return np.sum(y * x)


def refuse(x):
    raise ValueError(f"{x} is refused")


@program(lambda: (0.8, 1.1))
def helper_that_always_raises(x, y):
    if x > 10.0:
        z = refuse(x)
    else:
        z = x * y
    return z * z


@program(lambda: (0.8, 4))
def endless_until_raise(x, n):
    k = 0
    while True:
        x = x * 1.3
        k += 1
        if k > 50:
            raise RuntimeError("no convergence")
        if x > 2.0:
            break
    return x * x / k


# ---- del

@program(lambda: (normal(5, 3), 1.2))
def deleted_names(x, scale):
    y = x * scale
    z = y * y
    del y
    total = np.sum(z * x)
    del z, scale
    return total


@program(lambda: (0.6, 4))
def deleted_in_every_turn(x, n):
    total = 0.0
    for k in range(n):
        square = x * x
        total = total + square * k
        del square
        x = x * 1.1
    return total * x


@program(lambda: (0.6, 1.4))
def deleted_and_bound_again(x, y):
    z = x * y
    total = z * z
    del z
    z = total * x
    return z * y


@program(lambda: (0.6, 1.4))
def deleted_on_one_path(x, y):
    z = x * y
    if x > 0.0:
        y = z * z
        del z
    return y * x


# ---- with

@program(lambda: (positive(6, 4),))
def errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x) * x
    return np.sum(y * y)


@program(lambda: (positive(7, 4), 0.3))
def return_from_a_with_block(x, limit):
    with np.errstate(all="raise"), warnings.catch_warnings():
        total = np.sum(x * x)
        if total > limit:
            return total * limit
    return total


@program(lambda: (spread(8, 6), 0.7))
def with_in_a_loop(x, limit):
    total = 0.0
    for element in x:
        with LOCK:
            if element < -1.0:
                continue
            square = element * element
            if square > 0.7:
                break
            total = total + square * limit
        total = total * 1.5
    else:
        total = total * limit
    return total


@contextlib.contextmanager
def scaled_by(number):
    before = np.geterr()
    try:
        yield number * 2
    finally:
        np.seterr(**before)


class Section:
    """A manager of the user's own."""

    def __init__(self, depth):
        self.depth = depth

    def __enter__(self):
        return self.depth, self.depth + 1.0

    def __exit__(self, kind, error, trace):
        self.depth = 0


@program(lambda: (normal(9, 3), 2))
def what_managers_give(x, n):
    with scaled_by(n) as number, Section(n + 1) as (low, high):
        with contextlib.nullcontext():
            y = x * number
            if high > 1.0:
                y = y * low + x
    return np.sum(y * y) * high


@program(lambda: (0.7, 5))
def loop_in_a_with_block(x, n):
    y = x
    with Section(n):
        for k in range(n):
            y = y * (1.0 + x)
            if y > 3.0:
                return y * x
        y = y * y
    return y


@program(lambda: (0.7, 1.9))
def every_way_out_of_a_with_block(x, y):
    with LOCK:
        if x > y:
            raise ValueError("out of order")
        elif x * y > 1.0:
            return x * y * y
        else:
            return x + y * y


# ---- the walrus

@program(lambda: (normal(10, 4), 0.5))
def walrus_in_a_test(x, limit):
    if (total := np.sum(x * x)) > limit:
        return total * limit
    elif (mean := np.mean(x)) > limit:
        return mean
    return total * mean


@program(lambda: (1.3, 0.4))
def walrus_in_an_expression(x, y):
    z = (w := x * y) * x + (v := w * w) * y
    return z * w * v


@program(lambda: (1.3, 0.4))
def walrus_over_a_name_in_use(x, y):
    z = x * (x := x * y) + x
    x += (y := y * 2.0)
    return z * x * y


@program(lambda: (0.9, 8.0))
def walrus_in_a_while_test(x, limit):
    total = x
    k = 0
    while (square := total * total) < limit and (k := k + 1) < 20:
        total = total + square * 0.5 + x
    return total * square


@program(lambda: (0.9, 3.0))
def walrus_in_a_while_test_with_else(x, limit):
    while (y := x * x) < limit:
        if y > 100.0:
            break
        x = x * 1.3
        if x < 0.0:
            continue
    else:
        y = y * x
    return y * x


@program(lambda: (0.9, 0.2))
def walrus_evaluated_sometimes(x, y):
    a = 1.0
    z = (a := x * x) if x > y else y
    if x < y and (a := x * y) > 0.0 or (b := a * x) < 100.0:
        z = z * b
    return z * a if y < (c := x * 0.5) < (d := x * 2.0) else c * d


@program(lambda: (normal(11, 5),))
def walrus_in_calls_and_indices(x):
    y = np.sin(z := x * x)[1:(k := 4)] * np.sum(x[(j := 1) + 1:])
    return np.sum(y * z[j:k])


def recorded(x, seen):
    return x * len(seen)


@program(lambda: (0.9, 0.2))
def walrus_in_arguments(x, y):
    return recorded(x * y, (seen := (1, 2))) + recorded(w := x * x, seen) * w


walrus_in_a_lambda = program(lambda: (0.9, 1.2))(lambda x, y: (z := x * y) * z + y)


# ---- match

@program(lambda: (normal(12, 4), "mean"))
def match_on_a_flag(x, reduction):
    match reduction:
        case "sum":
            return np.sum(x * x)
        case "mean" | "average":
            return np.mean(x * x)
        case None:
            return x
        case _:
            raise ValueError(reduction)


@program(lambda: (0.7, 3))
def match_in_a_loop(x, n):
    total = 0.0
    for k in range(n + 4):
        match k % n:
            case 0:
                total = total + x
            case 1 if total > 2.0:
                total = total * x
            case rest if rest > 1:
                total = total + x**2 * rest
            case -1 | 7:
                return x
            case _:
                continue
        if total > 50.0:
            break
    return total * x


@program(lambda: (normal(13, 3, 2),))
def match_on_a_shape(x):
    match x.shape:
        case (n,):
            return np.sum(x) * n
        case (rows, columns) if rows > 10:
            return x
        case (rows, 2 as columns):
            return np.sum(x * x) * rows / columns
        case [*_]:
            return x


@program(lambda: (0.7, 1.8))
def match_on_values(x, y):
    match (x * y, x, y):
        case (p, a, b) if p > 100.0:
            return a
        case (_, 2.0, b):
            return b
        case (p, *rest):
            return p * rest[0] * rest[1] ** 2


@program(lambda: (0.7, 1.8))
def match_rebinds_its_subject(x, y):
    x = (x, x * y)
    match x:
        case y, x:
            return x * y * y


@program(lambda: (normal(14, 3),))
def match_on_an_array(x):
    # whether an array is a sequence depends on the version of NumPy
    match x:
        case [a, b, c]:
            return a
        case y:
            return np.sum(y * x)


# ---- imports

@program(lambda: (normal(15, 3),))
def imports_inside(x):
    import numpy as xp
    y = xp.sin(x) * xp.pi
    return xp.sum(xp.where(y > 0.0, y * y, xp.exp(y)))


@program(lambda: (0.8, 3))
def imports_on_the_way(x, n):
    y = x * x
    if n > 2:
        from math import pi, sin as sine
        import os.path as path
        import numpy.linalg

        y = sine(y) * pi + numpy.linalg.norm(np.stack([x, y]))
        if path.sep == "":
            return x
    return y * x


@program(lambda: (0.8, 1.2))
def imports_its_own_helper(x, y):
    from corpus.statements import checked as root

    return root(x * y, 0.1) * root(y, x)


# ---- unpacking

@program(lambda: (0.6, 1.3, 0.8))
def starred_targets(x, y, z):
    first, *rest = x * y, y * z, z * x
    *start, last = (first, rest[0], rest[1])
    a, *none, b = start
    total = 0.0
    for part in rest:
        total = total + part * part
    return total * last * a * b * (len(none) + 1.0)


def several(x, y):
    return x * y, x + y, x * x, y * y


@program(lambda: (0.6, 1.3))
def starred_results(x, y):
    a, *(rest), d = several(x, y)
    [b, c] = rest
    return a * b * c * d


@program(lambda: (0.6, 1.3))
def starred_inside(x, y):
    a, (b, *c), *d = x, (y, x * y, y * y), x + y
    return a * b * c[0] * c[1] + d[0]


@program(lambda: (normal(16, 3),))
def chained_unpacking(x):
    (a, b, c) = (d, *e) = (p, q, r) = x[0] * x, x[1] * x, x[2]
    f, g = h = (a, b)
    return np.sum(a * b * d) * c * r + np.sum(p * q * e[0]) * e[1] + np.sum(f * g * h[0])


@program(lambda: (0.6, 1.3))
def chained_over_its_own_name(x, y):
    a, b = a = (x * y, y)
    return a[0] * a[1] * b


@program(lambda: (0.6, 1.3))
def annotated(x, y):
    """Annotations, docstrings, ``pass`` and ``...`` mean nothing."""
    z: float
    w: float = x * y
    z = v = w * w
    ...
    if x > y:
        pass
    "no docstring"
    return z * w * v


@program(lambda: (normal(17, 3, 2), normal(18, 3), normal(19, 3)))
def nested_loop_targets(a, x, y):
    total = 0.0
    for k, ((p, q), r) in enumerate(zip(zip(x, y), y)):
        total = total + p * q * k + r
    for k, (u, v) in enumerate(a):
        total = total + u * v * k
    for (left, right), z in zip(a, x):
        total = total * 0.9 + left * right * z
    return total


# ---- printing

@program(lambda: (normal(20, 3), 0.3))
def printed_and_logged(x, y):
    z = x * y
    LOG.debug("%s, %s", z, np.sum(z))
    print(end=f"{z.size}"[:0])
    text = "%s" % z + "{}".format(x) + f"{y:.3f}"
    warnings.filterwarnings  # a bare name
    logging.debug(text, x)
    assert len(text) > 3, f"{z} has no text"
    return np.sum(z * z)


@program(lambda: (normal(90, 3),))
def expressions_alone_on_a_line(x):
    y = x * 2.0
    y.sum()
    y  # noqa: B018
    x[0] * y  # noqa: B018
    np.sin(y)
    len(x)
    x.shape  # noqa: B018
    (x, [y])  # noqa: B018
    return (y * x).sum()


CALLS = 0
LIMIT = 1.5


@program(lambda: (normal(91, 3),))
def global_that_is_only_read(x):
    global LIMIT
    return (x * LIMIT).sum() * x[0]


@program(lambda: (normal(92, 3), 1.5))
def global_that_is_bound(x, w):
    global CALLS
    for k in range(3):
        CALLS = CALLS + 1 if CALLS < 100 else 0
        x = x * w + k
    CALLS -= x.size
    if CALLS > 1000:
        x = x * 2.0
    print(CALLS, end="")
    return (x * x).sum()


def counting():
    turns = 0

    def counted(x):
        nonlocal turns
        while turns < 2:
            turns += 1
            x = np.sin(x) * x
        turns = 0
        return x.sum()
    return counted


program(lambda: (normal(93, 3),))(counting())


@program(lambda: (normal(94, 2, 3), np.int64(0), np.int32(1)))
def axes_of_numpy(x, k, m):
    y = np.sum(x * x, axis=k) * x[m]
    return np.max(y, axis=k) * x[k, m] + np.cumsum(x, axis=m)[k, -k - 1]


@program(lambda: (normal(95, 3).astype(np.float32), np.int64(2)))
def integers_of_numpy_are_no_literals(x, k):
    return np.sum(x ** k * (k + 1)) / k


@program(lambda: (normal(96, 3), 2.0, np.float64(3.0)))
def types_that_are_asked_for(x, w, v):
    if isinstance(w, float) and not isinstance(w, np.floating):
        w = w * 3.0
    if isinstance(v, np.float64):
        v = v * 5.0
    if type(v) is float or isinstance(v, int):
        v = v * 7.0
    if isinstance(x[0], np.generic) and not isinstance(x, (list, tuple)) and isinstance(x.sum(), float):
        x = x * 11.0
    assert isinstance(x, np.ndarray) and type(w) is float, "never"
    return (x * w * v).sum()


@typing.runtime_checkable
class HasWeight(typing.Protocol):
    weight: float


class Kind(enum.Enum):
    FLAT = 1


def kernel(x, how):
    if isinstance(how, (int, float)):
        return x * (5.0 if isinstance(how, HasWeight) else how)  # which looks at the value, not at its class alone
    if isinstance(how, str):
        return getattr(np, how)(x)
    if isinstance(how, Kind) and not isinstance(how, (np.ufunc, types.FunctionType)):
        return x + how.value
    return how(x) if callable(how) else x[how] if isinstance(how, slice) else x if how is None else np.sum(x * how)


@program(lambda: (positive(97, 3),))
def one_argument_of_many_kinds(x):
    values = (kernel(x, 2.0), kernel(x, "sin"), kernel(x, np.exp), kernel(x, lambda v: v ** 3.0),
              kernel(x, Kind.FLAT), kernel(x, slice(1, None)), kernel(x, None), kernel(x, np.ones(3)))
    return sum(np.sum(value) * (place + 1.0) for place, value in enumerate(values))


@program(lambda: (positive(97, 3),))
def numbers_taken_out_of_arrays(x):
    k = int(x[0] * 3.0 + 1.0)
    big = bool(x[1] > 0.1)
    y = float(x[0]) * k + x[2].item() * x.max().item() + (1.0 if big else 2.0) * x[1]
    print(x.tolist(), end="")
    return y * y


def layer(spec, h):
    match spec:
        case {"kind": "dense", "w": w, "b": b}:
            return h @ w + b
        case {"kind": "dense", "w": w}:
            return h @ w
        case {"kind": "tanh" | "sigmoid" as name}:
            return np.tanh(h) if name == "tanh" else 1.0 / (1.0 + np.exp(-h))
        case {"kind": "scale", "by": {"factor": factor}}:
            return h * factor
        case {}:
            return h + 1.0
    return h * 3.0


@program(lambda: (normal(1, 3),))
def patterns_of_keys(x):
    w = np.outer(x, x)
    h = layer({"kind": "dense", "w": w, "b": x * 2.0}, x)
    h = layer({"kind": "tanh"}, layer({"other": 1}, h))
    h = layer({"kind": "sigmoid"}, layer({"kind": "scale", "by": {"factor": x[0]}}, h))
    return layer({"kind": "dense", "w": w.T}, h).sum() + layer(x, x)[0]


@program(lambda: (normal(1, 3),))
def patterns_of_keys_that_may_be_there(x):
    found = {}
    for i, value in enumerate(x):
        if value > 0:
            found[str(i)] = value * 2.0
    match found:
        case {"0": first, "2": last}:
            return first * last
        case {"1": second} if second > 0.1:
            return second**2
    return x.sum()


@contextlib.contextmanager
def scaled(x, k=2.0):
    y = x * k
    yield y
    y *= 0.0


@contextlib.contextmanager
def exchanged(model, value):
    old = model.w
    model.w = value * old
    yield model
    model.w = old


@contextlib.contextmanager
def seen_to(x):
    noted = []
    try:
        yield x * 2.0
    finally:
        noted.append("done")


class Weighted:
    def __init__(self, w):
        self.w = w


@program(lambda: (normal(1, 3),))
def managers_of_differentiated_values(x):
    with scaled(x) as y:
        z = np.sin(y).sum()
    with scaled(x * x, k=x[0]) as y, scaled(y) as q:
        z += (y * q).sum()
    for v in x:
        with scaled(v) as u:
            if u > 0.0:
                z += u * u
            else:
                for _ in range(3):
                    if z > 1e3:
                        break
                    z += 0.1 * u
    return z


@program(lambda: (normal(1, 3), normal(2, 3)))
def manager_that_changes_an_object(x, w):
    model = Weighted(w * 1.0)
    with exchanged(model, x) as same:
        z = (same.w * model.w).sum()
    return z + (model.w * x).sum()


@program(lambda: (normal(1, 3),))
def block_that_an_exception_leaves(x):
    try:
        with seen_to(x) as y:
            z = y.sum() * x[0]
            if z < 100.0:
                raise ValueError("small")
    except ValueError:
        z = x[1] * 3.0
    with seen_to(x * z) as y:
        z += np.sum(y ** 2)
    return z


@contextlib.contextmanager
def without_warnings():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def quietly():
    with without_warnings():
        try:
            yield
        finally:
            pass


@program(lambda: (normal(1, 4),))
def managers_inside_managers(x):
    with quietly():
        ratios = np.where(x > 0.0, np.log(np.abs(x)), x)
    return (ratios ** 2).sum()


class Mode:
    doubled = False


class Doubling:
    def __enter__(self):
        Mode.doubled = True

    def __exit__(self, *caught):
        Mode.doubled = False


def half_or_whole(x):
    return x * 2.0 if Mode.doubled else x


@program(lambda: ({"a": 0.5, "b": 2.0}, 0.7))
def match_of_a_dict(d, x):
    match d:
        case [_, _]:
            return x * 3.0
        case {"b": b}:
            return x * d["a"] * b
    return x


@program(lambda: (0.7,))
def match_of_a_dict_made_here(x):
    match {"a": x, "b": x * 2.0}:
        case [a, b]:
            return a * 3.0
        case {"a": a, **rest}:
            return a * rest["b"]
    return x


@program(lambda: (np.array([1.5, -2.5]),))
def read_in_another_mode(x):
    with Doubling():
        y = half_or_whole(x[0])
    return y * half_or_whole(x[1]) ** 2
