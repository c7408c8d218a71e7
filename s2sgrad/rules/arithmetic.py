"""Operators and the ufuncs behind them."""
from __future__ import annotations

import operator

from s2sgrad.rules.abstract import MISSING
from s2sgrad.rules.table import ZERO, Operation, elementwise


def power_base(op: Operation) -> str:
    """d(a ** n)/da = n a ** (n - 1), written as a person would for small literal exponents."""
    exponent = op.if_known("x2")
    if exponent is MISSING:
        return "g * x2 * x1 ** (x2 - 1)"
    if exponent == 0:
        return "g * 0 * x1"
    if exponent == 1:
        return "g"
    if exponent == 2:
        return "g * 2 * x1"
    return f"g * {exponent!r} * x1 ** {exponent - 1!r}"


elementwise("np.add(x1, x2)", x1="g", x2="g", aliases=(operator.add,), name="total")
elementwise("np.subtract(x1, x2)", x1="g", x2="-g", aliases=(operator.sub,), name="difference")
elementwise("np.multiply(x1, x2)", x1="g * x2", x2="g * x1", aliases=(operator.mul,), name="product")
elementwise("np.divide(x1, x2)", x1="g / x2", x2="-g * y / x2", aliases=(operator.truediv,), name="quotient")
# 0 ** n has no derivative in n where n < 0; PyTorch's convention is 0 where the base is 0 and n >= 0
elementwise("np.power(x1, x2)", x1=power_base, x2="g * y * log_or_zero(x1, x2)", aliases=(operator.pow,))
elementwise("np.negative(x)", x="-g", aliases=(operator.neg,), name="negative")
elementwise("np.positive(x)", x="g", aliases=(operator.pos,))
# the quotient is a step function: its derivative is 0 wherever there is one
elementwise("np.floor_divide(x1, x2)", x1=ZERO, x2=ZERO, aliases=(operator.floordiv,), name="quotient")
elementwise("np.remainder(x1, x2)", x1="g", x2="-g * np.floor_divide(x1, x2)", aliases=(operator.mod,), name="rest")
