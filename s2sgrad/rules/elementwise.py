"""NumPy's functions that work element by element.

Where a function is not smooth the convention is PyTorch's: the derivative of ``abs`` at 0 is 0, of ``maximum`` where
both are equal one half for each, of ``sqrt`` at 0 infinite, of ``clip`` at its bounds 1.
"""
from __future__ import annotations

import operator
from collections.abc import Callable

from s2sgrad.rules.abstract import MISSING, Known, Numeric, known_value, rank_of
from s2sgrad.rules.table import ZERO, Operation, conjugated, constant, elementwise


def share_of(mine: str, other: str) -> Callable[[Operation], str]:
    """d logaddexp(0, x)/dx = 1 - exp(-y) asks for the result alone. Elsewhere the difference counts, which has a value
    where one of the two is infinite."""
    def formula(op: Operation) -> str:
        return "-g * np.expm1(-y)" if op.if_known(other) == 0 else f"sigmoid({mine} - {other})"
    return formula


# exponentials and logarithms
elementwise("np.exp(x)", x="y", complex=True)
elementwise("np.exp2(x)", x="math.log(2) * y", complex=True)
elementwise("np.expm1(x)", x="y + 1.0", complex=True)
elementwise("np.log(x)", x="g / x", complex=True)
elementwise("np.log2(x)", x="g / (math.log(2) * x)", complex=True)
elementwise("np.log10(x)", x="g / (math.log(10) * x)", complex=True)
elementwise("np.log1p(x)", x="g / (1.0 + x)", complex=True)
elementwise("np.logaddexp(x1, x2)", x1=share_of("x1", "x2"), x2=share_of("x2", "x1"))
elementwise("np.logaddexp2(x1, x2)", x1="sigmoid(math.log(2) * (x1 - x2))",
            x2="sigmoid(math.log(2) * (x2 - x1))")

# roots and powers
elementwise("np.sqrt(x)", x="g / (2.0 * y)", complex=True)
elementwise("np.cbrt(x)", x="g / (3.0 * y ** 2)")
elementwise("np.square(x)", x="g * 2.0 * x", complex=True)
elementwise("np.reciprocal(x)", x="-g * y ** 2", complex=True)
# at the origin 0, as the norm's
elementwise("np.hypot(x1, x2)", x1="g * divide_or_zero(x1, y)", x2="g * divide_or_zero(x2, y)")

# trigonometry
elementwise("np.sin(x)", x="np.cos(x)", complex=True)
elementwise("np.cos(x)", x="-g * np.sin(x)", complex=True)
elementwise("np.tan(x)", x="1.0 + y ** 2", complex=True)
elementwise("np.arcsin(x)", x="g / np.sqrt(1.0 - x ** 2)", complex=True)
elementwise("np.arccos(x)", x="-g / np.sqrt(1.0 - x ** 2)", complex=True)
elementwise("np.arctan(x)", x="g / (1.0 + x ** 2)", complex=True)
# at the origin 0, as PyTorch has it, and as the angle's
elementwise("np.arctan2(x1, x2)", x1="g * divide_or_zero(x2, x1 ** 2 + x2 ** 2)",
            x2="-g * divide_or_zero(x1, x1 ** 2 + x2 ** 2)")
elementwise("np.sinh(x)", x="np.cosh(x)", complex=True)
elementwise("np.cosh(x)", x="np.sinh(x)", complex=True)
elementwise("np.tanh(x)", x="1.0 - y ** 2", complex=True)
elementwise("np.arcsinh(x)", x="g / np.sqrt(x ** 2 + 1.0)", complex=True)
elementwise("np.arccosh(x)", x=lambda op: "g / np.sqrt(x ** 2 - 1.0)" if op.is_real("x") else
            "g / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0))", complex=True)  # the root of the product has other cuts
elementwise("np.arctanh(x)", x="g / (1.0 - x ** 2)", complex=True)
elementwise("np.degrees(x)", x="g * (180.0 / math.pi)")
elementwise("np.rad2deg(x)", x="g * (180.0 / math.pi)")
elementwise("np.radians(x)", x="g * (math.pi / 180)")
elementwise("np.deg2rad(x)", x="g * (math.pi / 180)")
elementwise("np.sinc(x)", x="g * sinc_slope(x)", complex=True)


def where(condition: str, chosen: str, other: str) -> Callable[[Operation], str]:
    """``np.where``, which makes arrays without axes of numbers, and a ternary where they are known to be numbers."""
    def formula(op: Operation) -> str:
        if all_numbers(op):
            return f"{chosen} if {condition} else {other}"
        return f"np.where({condition}, {chosen}, {other}){as_it_came(op)}"
    return formula


def all_numbers(op: Operation) -> bool:
    """Whether Python's own numbers do: NumPy's of other widths are left to NumPy."""
    return op.is_double("y") and all(isinstance(value, Known) or isinstance(value, Numeric) and value.is_number
               for value in op.operands.values())


def as_it_came(op: Operation) -> str:
    """What makes a number of an array without axes, where nobody knows which of them there is."""
    return "" if rank_of(op.result) else "[()]"


def half_at_ties(passed_over: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        if all_numbers(op):
            return f"0.0 if {passed_over} else 0.5 * g if x1 == x2 else g"
        tie = "x1 == x2" if known_value(op["x1"]) is MISSING else "x2 == x1"
        return (f"lost = {passed_over}; tie = {tie}; "
                f"np.where(lost, 0.0, np.where(tie, 0.5 * g, g)){as_it_came(op)}")
    return formula


# kinks: a NaN is given on by maximum and minimum, and so is its cotangent; fmax and fmin give ties to the first
elementwise("np.absolute(x)", x=lambda op: "np.sign(x)" if op.is_real("x") else
            "g * divide_or_zero(np.conj(x), y)", aliases=(operator.abs,), complex=True)
elementwise("np.fabs(x)", x="np.sign(x)")
elementwise("np.maximum(x1, x2)", name="larger", x1=half_at_ties("x1 < x2"), x2=half_at_ties("x2 < x1"))
elementwise("np.minimum(x1, x2)", name="smaller", x1=half_at_ties("x1 > x2"), x2=half_at_ties("x2 > x1"))
elementwise("np.fmax(x1, x2)", name="larger", x1=where("(x1 >= x2) | np.isnan(x2)", "g", "0.0"),
            x2=where("(x1 >= x2) | np.isnan(x2)", "0.0", "g"))
elementwise("np.fmin(x1, x2)", name="smaller", x1=where("(x1 <= x2) | np.isnan(x2)", "g", "0.0"),
            x2=where("(x1 <= x2) | np.isnan(x2)", "0.0", "g"))
elementwise("np.copysign(x1, x2)", x1="g * np.sign(x1) * np.sign(y)", x2=ZERO)
elementwise("np.fmod(x1, x2)", x1="g", x2="-g * np.rint((x1 - y) / x2)", name="rest")
elementwise("np.heaviside(x1, x2)", x1=ZERO, x2=where("x1 == 0.0", "g", "0.0"))
elementwise("np.where(condition, x1, x2)", condition=ZERO, x1=where("condition", "g", "0.0"),
            x2=where("condition", "0.0", "g"), linear="x1+x2", name="chosen", complex=True)
elementwise("np.nan_to_num(x, *, nan=0.0, posinf=None, neginf=None)", x=where("np.isfinite(x)", "g", "0.0"),
            nan=where("np.isnan(x)", "g", "0.0"), posinf=where("np.isposinf(x)", "g", "0.0"),
            neginf=where("np.isneginf(x)", "g", "0.0"))


def clipped(low: str, high: str):
    """The formulas of clip; where the bounds cross, the result is the upper one."""
    def inside(op: Operation) -> str:
        kept = [f"a >= {low}"] * op.given(low) + [f"a <= {high}"] * op.given(high)
        if len(kept) == 2:
            return where(f"({kept[0]}) & ({kept[1]})", "g", "0.0")(op)
        return where(kept[0], "g", "0.0")(op) if kept else "g"

    def below(op: Operation) -> str:
        hit = f"(a < {low}) & ({low} <= {high})" if op.given(high) else f"a < {low}"
        return where(hit, "g", "0.0")(op)

    def above(op: Operation) -> str:
        hit = f"(a > {high}) | ({high} < {low})" if op.given(low) else f"a > {high}"
        return where(hit, "g", "0.0")(op)

    return {"a": inside, low: below, high: above}


elementwise("np.clip(a, a_min=None, a_max=None, *, dtype=None, casting='same_kind')", name="clipped",
            **clipped("a_min", "a_max"))
elementwise("ndarray.clip(a, min=None, max=None, *, dtype=None, casting='same_kind')", name="clipped",
            **clipped("min", "max"))


def turned(text: str) -> Callable[[Operation], str]:
    """What a real number has none of: its imaginary part is 0, and its angle a step."""
    def formula(op: Operation) -> str:
        of = op.rule.parameters[0].name
        if op.is_real(of):
            return ZERO
        return text if op.is_complex(of) else f"as_real_as({text}, {of})"
    formula.of_complex_alone = True  # type: ignore[attr-defined]
    return formula


def conjugate_bar(op: Operation) -> str:
    return conjugated(op, "g", "x")


# parts of complex numbers
elementwise("np.conjugate(x)", x=conjugate_bar, complex=True)
elementwise("ndarray.conjugate(x)", x=conjugate_bar, linear="x", sharing="maybe", complex=True)
elementwise("ndarray.conj(x)", x=conjugate_bar, linear="x", sharing="maybe", complex=True)
elementwise("np.real(val)", val="g", linear="val", sharing="maybe", complex=True)
elementwise("ndarray.real(val)", val="g", linear="val", sharing="maybe", attribute=True, complex=True)
elementwise("np.imag(val)", val=turned("-1j * g"), linear="val", sharing="maybe", complex=True)
elementwise("ndarray.imag(val)", val=turned("-1j * g"), linear="val", sharing="maybe", attribute=True, complex=True)
elementwise("np.angle(z, deg=False)", z=lambda op: turned("divide_or_zero(-1j * g, z)" if op.known("deg") is False else
            "divide_or_zero(-1j * g * (180.0 / math.pi), z)")(op), complex=True)
elementwise("np.sign(x)", complex=True,  # of complex numbers x / abs(x), of which the angle alone moves
            x=turned("divide_or_zero(1j * np.imag(g * y) * np.conj(y), np.abs(x))"),
            tangent={"x": turned("divide_or_zero(1j * np.imag(np.conj(y) * t) * y, np.abs(x))")})
elementwise("np.ldexp(x1, x2)", x1="np.ldexp(g, x2)")

# steps: no derivative anywhere
for line in ("floor(x)", "ceil(x)", "trunc(x)", "rint(x)", "signbit(x)", "spacing(x)"):
    constant(f"np.{line}")
constant("np.round(a, decimals=0)", method=True)
constant("np.around(a, decimals=0)")
