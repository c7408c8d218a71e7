"""The functions in :mod:`math`, which take numbers and give Python numbers, and places in sorted lists."""
from __future__ import annotations

import bisect  # noqa: F401  # which the table finds by its name
import math
import re
import statistics  # noqa: F401  # likewise
from collections.abc import Callable
from functools import partial

from s2sgrad.rules.abstract import BOOLEAN, FLOAT, INTEGER, Abstract, Items, Numeric
from s2sgrad.rules.python import one_among, sign
from s2sgrad.rules.table import ZERO, Operation, constant, elementwise, general

for name, formula in {
    "exp": "y", "expm1": "y + 1.0", "exp2": "math.log(2) * y", "log1p": "g / (1.0 + x)",
    "log2": "g / (math.log(2) * x)", "log10": "g / (math.log(10) * x)", "sqrt": "g / (2.0 * y)",
    "cbrt": "g / (3.0 * y ** 2)", "sin": "math.cos(x)", "cos": "-g * math.sin(x)", "tan": "1.0 + y ** 2",
    "asin": "g / math.sqrt(1.0 - x ** 2)", "acos": "-g / math.sqrt(1.0 - x ** 2)", "atan": "g / (1.0 + x ** 2)",
    "sinh": "math.cosh(x)", "cosh": "math.sinh(x)", "tanh": "1.0 - y ** 2", "asinh": "g / math.sqrt(x ** 2 + 1.0)",
    "acosh": "g / math.sqrt(x ** 2 - 1.0)", "atanh": "g / (1.0 - x ** 2)", "fabs": sign,
    "degrees": "g * (180.0 / math.pi)", "radians": "g * (math.pi / 180)",
    "erf": "g * (2.0 / math.sqrt(math.pi)) * math.exp(-x ** 2)",
    "erfc": "-g * (2.0 / math.sqrt(math.pi)) * math.exp(-x ** 2)",
}.items():
    if hasattr(math, name):  # exp2 and cbrt came with Python 3.11
        elementwise(f"math.{name}(x)", x=formula, result=FLOAT)


def log_bar(op: Operation) -> str:
    return "g / (x * math.log(base))" if op.given("base") else "g / x"


elementwise("math.log(x, base=None)", x=log_bar, base="-g * y / (base * math.log(base))", result=FLOAT)
elementwise("math.pow(x1, x2)", x1="g * x2 * x1 ** (x2 - 1 if x2 or x1 else 0)", x2="g * y * log_or_zero(x1, x2)",
            result=FLOAT)
elementwise("math.atan2(x1, x2)", x1="g * x2 / (x1 ** 2 + x2 ** 2) if x1 or x2 else 0.0",
            x2="-g * x1 / (x1 ** 2 + x2 ** 2) if x1 or x2 else 0.0", result=FLOAT)
elementwise("math.copysign(x1, x2)", x1="g * y / x1 if x1 else 0.0", x2=ZERO, result=FLOAT)
elementwise("math.fmod(x1, x2)", x1="g", x2="-g * np.rint((x1 - y) / x2)", result=FLOAT)
elementwise("math.remainder(x1, x2)", x1="g", x2="-g * np.rint((x1 - y) / x2)", result=FLOAT)
elementwise("math.ldexp(x1, x2)", x1="math.ldexp(g, x2)", result=FLOAT)


# ---- of several numbers

def hypot_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    name = f"items_{path[0]}" if path else "items"
    return f"g * {name} / y if y else 0.0"


def item_text(op: Operation, name: str, index: int) -> str:
    """A number of one of several lists: under a name of its own where that list is written out."""
    value = op[name]
    return f"{name}_{index}" if isinstance(value, Items) and value.items is not None else f"{name}[{index}]"


def vector_text(op: Operation, name: str, dtype: str = "") -> str:
    return f"np.array({name}{dtype})" if isinstance(op[name], Items) else name


def distance_bar(op: Operation, path: tuple[int, ...], mine: str, other: str) -> str:
    """The derivative at distance 0 is 0."""
    if not path:
        return f"g * divide_or_zero({vector_text(op, mine)} - {vector_text(op, other)}, y)"
    (index,) = path
    return f"g * ({item_text(op, mine, index)} - {item_text(op, other, index)}) / y if y else 0.0"


def products_bar(op: Operation, path: tuple[int, ...], mine: str, other: str) -> str:
    if path:
        return f"g * {item_text(op, other, *path)}"
    return f"g * {vector_text(op, other, '' if isinstance(op[mine], Items) else f', {mine}.dtype')}"


def of_two_lists(line: str, bar: Callable[..., str], **properties: Numeric) -> None:
    """A function of two lists ``p`` and ``q`` of one length that treats both alike."""
    def first(op: Operation, path: tuple[int, ...] = ()) -> str:
        return bar(op, path, "p", "q")

    def second(op: Operation, path: tuple[int, ...] = ()) -> str:
        return bar(op, path, "q", "p")

    each = {name: partial(listed, formula) for name, formula in (("p", first), ("q", second))}
    general(line, p=first, q=second, each=each, **properties,
            tangent={"p": of_numbers(first), "q": of_numbers(second)})


def listed(bar: Callable[..., str], op: Operation) -> str:
    return f"list({bar(op)})"


def of_numbers(bar: Callable[..., str]) -> Callable[..., str]:
    """The tangent of one number made of several, from the formula of the cotangent: of one of them they are the same,
    for an array or a list of them the products are summed."""
    def formula(op: Operation, path: tuple[int, ...] = ()) -> str:
        if path:
            return bar(op, path)
        slopes = re.sub(r"\bg\b", "1.0", bar(op))
        return f"np.dot({slopes}, t)"
    return formula


def sum_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    return "g" if path else "np.broadcast_to(g, seq.shape)"


def product_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    if not path:
        return "g * product_of_others(iterable, None)"
    value = op["iterable"]
    assert isinstance(value, Items) and value.items is not None
    return " * ".join(["g", *(f"iterable_{place}" for place in range(len(value.items)) if place != path[0])])


general("math.hypot(items)", items=hypot_bar, tangent={"items": of_numbers(hypot_bar)}, variadic="items", result=FLOAT)
of_two_lists("math.dist(p, q)", distance_bar, result=FLOAT)
if hasattr(math, "sumprod"):  # came with Python 3.12
    of_two_lists("math.sumprod(p, q)", products_bar)
general("math.fsum(seq)", seq=sum_bar, result=FLOAT, each={"seq": "[g] * len(seq)"}, linear="seq")
general("math.prod(iterable)", iterable=product_bar, each={"iterable": "list(g * product_of_others(iterable, None))"},
        tangent={"iterable": of_numbers(product_bar)})


def of_their_type(op: Operation) -> Abstract:
    """One number of the type that the numbers have."""
    one = one_among(op["data"])
    return one if isinstance(one, Numeric) and one.dtype is not None and one.dtype.kind == "f" else Numeric()


def mean_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    return f"g / {number_of_them(op)}" if path else "np.broadcast_to(g / len(data), data.shape)"


def number_of_them(op: Operation) -> str:
    value = op["data"]
    assert isinstance(value, Items) and value.items is not None
    return f"{len(value.items)}.0"


for name, result in ("fmean", FLOAT), ("mean", of_their_type):
    general(f"statistics.{name}(data)", data=mean_bar, each={"data": "[g / len(data)] * len(data)"}, result=result,
            linear="data")


def spread_bars(slope: str) -> tuple[Callable[..., str], str]:
    """The formulas of what measures how numbers differ from their mean, from the slope in one of these differences: for
    one number or a vector, and for a list."""
    def formula(op: Operation, path: tuple[int, ...] = ()) -> str:
        return f"g * {slope} * ({f'data_{path[0]}' if path else 'data'} - np.mean(data))"
    return formula, f"list(g * {slope} * (np.array(data) - np.mean(data)))"


for name, slope, result in (
        ("variance", "2.0 / (len(data) - 1)", of_their_type), ("pvariance", "2.0 / len(data)", of_their_type),
        ("stdev", "divide_or_zero(1.0, y * (len(data) - 1))", FLOAT),
        ("pstdev", "divide_or_zero(1.0, y * len(data))", FLOAT)):
    bar, each = spread_bars(slope)
    general(f"statistics.{name}(data)", data=bar, each={"data": each}, tangent={"data": of_numbers(bar)}, result=result)


def other_mean_bar(power: str) -> Callable[..., str]:
    """The formula of a mean whose slope in each number is such a power of the quotient of mean and number."""
    def formula(op: Operation, path: tuple[int, ...] = ()) -> str:
        if path:
            return f"g * (y / data_{path[0]}){power} / {number_of_them(op)}"
        return f"g * (y / {vector_text(op, 'data')}){power} / len(data)"
    return formula


for name, power, result in ("geometric_mean", "", FLOAT), ("harmonic_mean", " ** 2", of_their_type):
    bar = other_mean_bar(power)
    general(f"statistics.{name}(data)", data=bar, each={"data": partial(listed, bar)},
            tangent={"data": of_numbers(bar)}, result=result)

for line in ("floor(x)", "ceil(x)", "trunc(x)"):
    constant(f"math.{line}", result=INTEGER)
for name in ("bisect_left", "bisect_right"):
    constant(f"bisect.{name}(a, x, lo=0, hi=None, *, key=None)", result=INTEGER)
for line in ("isnan(x)", "isinf(x)", "isfinite(x)", "isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)"):
    constant(f"math.{line}", result=BOOLEAN)
