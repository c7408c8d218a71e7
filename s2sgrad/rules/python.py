"""Python's own functions, and those of :mod:`math`, on numbers."""
from __future__ import annotations

import math

import numpy as np

from s2sgrad.rules.abstract import BOOLEAN, INTEGER, MISSING, Abstract, Items, Numeric, join, known_value, number
from s2sgrad.rules.table import RULES, ZERO, Operation, constant, elementwise, general


def same_kind(op: Operation) -> Abstract:
    """abs, pow and their like give what the operator gives."""
    value = op["x"]
    return Numeric(value.kind, value.dtype, value.shape) if isinstance(value, Numeric) else Numeric()


elementwise("builtins.abs(x)", x=lambda op: "math.copysign(1, x) * (x != 0)" if op["x"].kind == "python"
            else "np.sign(x)", result=same_kind)
RULES[pow] = RULES[np.power]
constant("builtins.round(number, ndigits=None)", result=lambda op: Numeric())
elementwise("builtins.float(x)", x="g", result=lambda op: Numeric("python", np.dtype(float), ()))


def integer(op: Operation) -> Abstract:
    known = known_value(op["x"])
    return INTEGER if known is MISSING else number(int(known))


constant("builtins.int(x)", result=integer)
constant("builtins.bool(x)", result=lambda op: BOOLEAN)


def one_of(op: Operation) -> Abstract:
    """The join of what is chosen from."""
    value = op["items"]
    if not isinstance(value, Items):
        if isinstance(value, Numeric) and value.shape is not None and len(value.shape) == 1:
            return Numeric("scalar", value.dtype, ())
        return Numeric()
    if value.items is None:
        return value.element
    result = value.items[0]
    for item in value.items[1:]:
        result = join(result, item)
    return result


def chosen(op: Operation, path: tuple[int, ...] = ()) -> str:
    """The first one that equals the result takes it all, as Python chooses it."""
    if not path:
        return "g * first_equal(items, y)"
    (index,) = path
    earlier = "".join(f" and items_{place} != y" for place in range(index))
    return f"g if items_{index} == y{earlier} else 0.0"


def summed(op: Operation) -> Abstract:
    value = op["items"]
    if isinstance(value, Numeric) and value.shape is not None and value.shape:
        rest = value.shape[1:]
        return Numeric("array" if rest else "scalar", value.dtype, rest)
    return Numeric()


def sum_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    if not path:
        return "np.broadcast_to(g, np.shape(items))"
    return f"unbroadcast(g, items_{path[0]})"


general("builtins.max(items)", items=chosen, result=one_of, variadic="items", name="largest")
general("builtins.min(items)", items=chosen, result=one_of, variadic="items", name="smallest")
general("builtins.sum(items, start=0)", items=sum_bar, start="unbroadcast(g, start)", result=summed, name="total")


# math, on Python numbers
for name, formula in {
    "exp": "y", "expm1": "y + 1", "exp2": "math.log(2) * y", "log1p": "g / (1 + x)", "log2": "g / (math.log(2) * x)",
    "log10": "g / (math.log(10) * x)", "sqrt": "g / (2 * y)", "cbrt": "g / (3 * y ** 2)", "sin": "math.cos(x)",
    "cos": "-g * math.sin(x)", "tan": "1 + y ** 2", "asin": "g / math.sqrt(1 - x ** 2)",
    "acos": "-g / math.sqrt(1 - x ** 2)", "atan": "g / (1 + x ** 2)", "sinh": "math.cosh(x)", "cosh": "math.sinh(x)",
    "tanh": "1 - y ** 2", "asinh": "g / math.sqrt(x ** 2 + 1)", "acosh": "g / math.sqrt(x ** 2 - 1)",
    "atanh": "g / (1 - x ** 2)", "fabs": "math.copysign(1, x) * (x != 0)", "degrees": "g * (180 / math.pi)",
    "radians": "g * (math.pi / 180)", "erf": "g * (2 / math.sqrt(math.pi)) * math.exp(-x ** 2)",
    "erfc": "-g * (2 / math.sqrt(math.pi)) * math.exp(-x ** 2)",
}.items():
    if hasattr(math, name):
        elementwise(f"math.{name}(x)", x=formula)


def log_bar(op: Operation) -> str:
    return "g / x" if "base" not in op.operands else "g / (x * math.log(base))"


elementwise("math.log(x, base=None)", x=log_bar, base="-g * y / (base * math.log(base))")
elementwise("math.pow(x1, x2)", x1="g * x2 * x1 ** (x2 - 1)", x2="g * y * log_or_zero(x1, x2)")
elementwise("math.atan2(x1, x2)", x1="g * x2 / (x1 ** 2 + x2 ** 2)", x2="-g * x1 / (x1 ** 2 + x2 ** 2)")
elementwise("math.copysign(x1, x2)", x1="g * math.copysign(1, x1) * math.copysign(1, x2)", x2=ZERO)
elementwise("math.fmod(x1, x2)", x1="g", x2="-g * math.trunc(x1 / x2)")
general("math.hypot(items)", items=lambda op, path=(): f"g * divide_or_zero(items_{path[0]}, y)" if path
        else "g * divide_or_zero(items, y)", variadic="items", result=lambda op: Numeric("python", np.dtype(float), ()))
for line in ("floor(x)", "ceil(x)", "trunc(x)", "isnan(x)", "isinf(x)", "isfinite(x)"):
    constant(f"math.{line}")
constant("math.isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)")
