"""Operators and the ufuncs behind them.

The functions in :mod:`operator` are the operators themselves: unlike the ufuncs they leave Python numbers as they are.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, shape_of
from s2sgrad.rules.dims import broadcast
from s2sgrad.rules.results import example_of
from s2sgrad.rules.table import ZERO, Operation, constant, elementwise, general


def power_base(op: Operation) -> str:
    """d(a ** n)/da = n a ** (n - 1), written as a person would for small literal exponents, and 0 where n is 0."""
    exponent = op.if_known("x2")
    if exponent is MISSING or isinstance(exponent, (list, tuple)):
        dtype = op.dtype("x2")
        if op.is_number("x2") and dtype is not None and dtype.kind in "biu":
            return "g * x2 * x1 ** (x2 - 1 if x2 else 0)"
        if op.is_number("x1") and op.is_number("x2"):  # that of the slope in n is 1 / a where n is 0
            return "g * x2 * x1 ** (x2 - 1 if x2 or x1 else 0)"
        return "g * power_slope(x1, x2)"
    if exponent == 0:
        return ZERO
    if exponent == 1:
        return "g"
    if exponent == 2:
        return "g * 2.0 * x1"
    return f"g * {float(exponent)!r} * x1 ** {exponent - 1!r}"


def power_exponent(op: Operation) -> str:
    """PyTorch's convention: 0 where the base is 0 and the exponent isn't negative."""
    base: Any = op.if_known("x1")
    if isinstance(base, (int, float)) and base > 0:
        return "g * y * math.log(x1)"
    if op.is_complex("y") and not op.is_complex("x1"):  # of a negative base
        return "g * y * log_or_zero(x1 + 0j, x2)"
    return "g * y * log_or_zero(x1, x2)"


def is_root(op: Operation) -> bool:
    """Whether this is a power of Python's floats that may be complex: of a negative one, and no whole number."""
    if op.rule.function not in (operator.pow, pow) or op.is_complex("y") or not any(
            value.active for value in op.operands.values()):
        return False
    base, exponent = op["x1"], op["x2"]
    if not all(isinstance(value, Numeric) and value.kind in ("python", "number") and (
            value.dtype is None or value.dtype.kind == "f") for value in (base, exponent)):
        return False
    return (base.value is MISSING or base.value < 0) and (
        exponent.value is MISSING or not float(exponent.value).is_integer())


elementwise("np.add(x1, x2)", x1="g", x2="g", aliases=(operator.add,), name="total", complex=True)
elementwise("np.subtract(x1, x2)", x1="g", x2="-g", aliases=(operator.sub,), name="difference", complex=True)
elementwise("np.multiply(x1, x2)", x1="g * x2", x2="g * x1", linear="x1 x2", aliases=(operator.mul,),
            name="product", complex=True)
def divisor_bar(op: Operation) -> str:
    """Of ``1 / x`` the quotient is all that is needed."""
    return "-g * y ** 2" if op.if_known("x1") == 1 else "-g * y / x2"


elementwise("np.divide(x1, x2)", x1="g / x2", x2=divisor_bar, aliases=(operator.truediv,), name="quotient",
        complex=True)
elementwise("np.power(x1, x2)", x1=power_base, x2=power_exponent, aliases=(operator.pow, pow), complex=True)
elementwise("np.float_power(x1, x2)", x1=power_base, x2=power_exponent, complex=True)
elementwise("np.negative(x)", x="-g", aliases=(operator.neg,), name="negative", complex=True)
elementwise("np.positive(x)", x="g", aliases=(operator.pos,), complex=True)
# the quotient is a step function: its derivative is 0 wherever there is one
elementwise("np.floor_divide(x1, x2)", x1=ZERO, x2=ZERO, aliases=(operator.floordiv,), name="quotient")
elementwise("np.remainder(x1, x2)", x1="g", x2="-g * (x1 // x2)", aliases=(operator.mod,), name="rest")


def restored(op: Operation, text: str, name: str) -> str:
    """A text in the broadcast shape, summed back to an operand that may have been stretched."""
    return text if alike(op) else f"unbroadcast({text}, {name}.shape)"


def alike(op: Operation) -> bool:
    """Whether both operands are known to be of one shape."""
    shapes = [op.shape("x1"), op.shape("x2")]
    return shapes[0] == shapes[1] and shapes[0] is not None and None not in shapes[0]


def is_as_long(op: Operation) -> bool:
    """Whether the first operand is known to be of the results' shape."""
    shape = op.shape("x1")
    return shape is not None and None not in shape and shape == shape_of(op.results[1])


def several(count: int) -> Callable[[Operation], Abstract]:
    """So many results in the shape of what the operands broadcast to."""
    def result(op: Operation) -> Abstract:
        found = example_of(op.rule, op.operands)
        if isinstance(found, Items):
            return found
        shape = broadcast(*map(shape_of, op.operands.values()))
        return Items(tuple, (Numeric("array" if shape else "any", None, shape),) * count)
    return result


general("np.divmod(x1, x2)", parts=(1,), result=several(2), x1=lambda op: restored(op, "g_1", "x1"),
        x2=lambda op: restored(op, "-g_1 * y_0", "x2"), aliases=(divmod,),
        tangent={"x1": lambda op: (ZERO, "t" if is_as_long(op) else "t + np.zeros_like(y_1)"),
                 "x2": (ZERO, "-t * y_0")})
# halves of a number: the whole one is a step function, and so is the exponent
general("np.modf(x)", parts=(0,), result=several(2), x="g_0", tangent={"x": ("t", ZERO)})
general("np.frexp(x)", parts=(0,), result=several(2), x="np.ldexp(g_0, -y_1)",
        tangent={"x": ("np.ldexp(t, -y_1)", ZERO)})

for comparison, same in {
    "greater": operator.gt, "greater_equal": operator.ge, "less": operator.lt, "less_equal": operator.le,
    "equal": operator.eq, "not_equal": operator.ne,
}.items():
    constant(f"np.{comparison}(x1, x2)", name="condition", aliases=(same,))
