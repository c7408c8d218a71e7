"""NumPy's functions that work element by element.

Where a function is not smooth the convention is PyTorch's: the derivative of ``abs`` at 0 is 0, of ``maximum`` where
both are equal one half for each, of ``sqrt`` at 0 infinite, of ``clip`` at its bounds 1.
"""
from __future__ import annotations

from s2sgrad.rules.table import ZERO, constant, elementwise

# exponentials and logarithms
elementwise("np.exp(x)", x="y")
elementwise("np.exp2(x)", x="math.log(2) * y")
elementwise("np.expm1(x)", x="y + 1")
elementwise("np.log(x)", x="g / x")
elementwise("np.log2(x)", x="g / (math.log(2) * x)")
elementwise("np.log10(x)", x="g / (math.log(10) * x)")
elementwise("np.log1p(x)", x="g / (1 + x)")
elementwise("np.logaddexp(x1, x2)", x1="np.exp(x1 - y)", x2="np.exp(x2 - y)")
elementwise("np.logaddexp2(x1, x2)", x1="np.exp2(x1 - y)", x2="np.exp2(x2 - y)")

# roots and powers
elementwise("np.sqrt(x)", x="g / (2 * y)")
elementwise("np.cbrt(x)", x="g / (3 * y ** 2)")
elementwise("np.square(x)", x="g * 2 * x")
elementwise("np.reciprocal(x)", x="-g * y ** 2")
elementwise("np.float_power(x1, x2)", x1="g * x2 * x1 ** (x2 - 1)", x2="g * y * log_or_zero(x1, x2)")
elementwise("np.hypot(x1, x2)", x1="g * divide_or_zero(x1, y)", x2="g * divide_or_zero(x2, y)")

# trigonometry
elementwise("np.sin(x)", x="np.cos(x)")
elementwise("np.cos(x)", x="-g * np.sin(x)")
elementwise("np.tan(x)", x="1 + y ** 2")
elementwise("np.arcsin(x)", x="g / np.sqrt(1 - x ** 2)")
elementwise("np.arccos(x)", x="-g / np.sqrt(1 - x ** 2)")
elementwise("np.arctan(x)", x="g / (1 + x ** 2)")
elementwise("np.arctan2(x1, x2)", x1="g * x2 / (x1 ** 2 + x2 ** 2)", x2="-g * x1 / (x1 ** 2 + x2 ** 2)")
elementwise("np.sinh(x)", x="np.cosh(x)")
elementwise("np.cosh(x)", x="np.sinh(x)")
elementwise("np.tanh(x)", x="1 - y ** 2")
elementwise("np.arcsinh(x)", x="g / np.sqrt(x ** 2 + 1)")
elementwise("np.arccosh(x)", x="g / np.sqrt(x ** 2 - 1)")
elementwise("np.arctanh(x)", x="g / (1 - x ** 2)")
elementwise("np.degrees(x)", x="g * (180 / math.pi)")
elementwise("np.rad2deg(x)", x="g * (180 / math.pi)")
elementwise("np.radians(x)", x="g * (math.pi / 180)")
elementwise("np.deg2rad(x)", x="g * (math.pi / 180)")
elementwise("np.sinc(x)", x="g * sinc_slope(x)")

# kinks
elementwise("np.absolute(x)", x="np.sign(x)")
elementwise("np.fabs(x)", x="np.sign(x)")
elementwise("np.maximum(x1, x2)", x1="g * share(x1, x2)", x2="g * share(x2, x1)")
elementwise("np.minimum(x1, x2)", x1="g * share(x2, x1)", x2="g * share(x1, x2)")
elementwise("np.fmax(x1, x2)", x1="g * share_of_numbers(x1, x2)", x2="g * share_of_numbers(x2, x1)")
elementwise("np.fmin(x1, x2)", x1="g * share_of_numbers(-x1, -x2)", x2="g * share_of_numbers(-x2, -x1)")
elementwise("np.copysign(x1, x2)", x1="g * np.copysign(1, x1) * np.copysign(1, x2)", x2=ZERO)
elementwise("np.fmod(x1, x2)", x1="g", x2="-g * np.trunc(x1 / x2)")
elementwise("np.clip(a, a_min=None, a_max=None)", method=True, a="g * inside(a, a_min, a_max)",
            a_min="g * (a < a_min)", a_max="g * (a > a_max)")
# the arm that is not taken gets the product 0 * g: a NaN in it stays where it is
elementwise("np.where(condition, x1, x2)", condition=ZERO, x1="np.where(condition, g, 0)",
            x2="np.where(condition, 0, g)")
elementwise("np.nan_to_num(x)", x="np.where(np.isfinite(x), g, 0)")

# steps: no derivative anywhere
for line in ("floor(x)", "ceil(x)", "trunc(x)", "rint(x)", "sign(x)", "fix(x)", "signbit(x)", "spacing(x)",
             "heaviside(x1, x2)"):
    constant(f"np.{line}")
constant("np.round(a, decimals=0)", method=True)
