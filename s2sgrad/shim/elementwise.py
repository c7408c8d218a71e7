"""Functions of each element: a line for each."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES
from s2sgrad.runtime import divide_or_zero, sigmoid
from s2sgrad.shim.dtypes import kind_name, result_dtype
from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import attached, both, exported, method, named
from s2sgrad.shim.operations import Operation, broadcast_error, torch_rule
from s2sgrad.shim.promotion import floating, promoted
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor


def unary(name: str, operation: Operation, floats: bool = True, *aliases: str, refused: str = "") -> None:
    """``torch.exp(x)``, ``x.exp()`` and ``x.exp_()``. ``floats``: integers are made floats first. ``refused``: the
    kinds of dtypes that it is not for."""
    for label in (name, *aliases):
        function = both(named(unary_function(name, operation, floats, refused), label), True)
        method(named(lambda self, function=function: in_place(self, function), f"{label}_"))


def unary_function(name: str, operation: Operation, floats: bool, refused: str) -> Callable:
    def function(input: Tensor) -> Tensor:
        if input.__class__ is not Tensor:
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        if input._array.dtype.kind in refused:
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind_name(input._array.dtype)}'")
        if floats and input._array.dtype.kind != "f":
            input = floating(input)
        return operation.run((input,))

    return function


def own(name: str, function: Callable, formula: str, **names: Any) -> Operation:
    """An operation with a formula of its own, in the table's language."""
    return Operation(name, rule=torch_rule(f"{name}(x)", function, x=formula, elementwise=True, names=names),
                     operands="x")


def own_function(function: Callable) -> Callable:
    """A function of its own, for a derivative that NumPy's table does not give it: zeros that stay in the graph."""
    return lambda x: function(x)


NODES = {"log1p": "Log1PBackward0", "deg2rad": "Deg2RadBackward0", "rad2deg": "Rad2DegBackward0"}
for name, numpy_function, *more in (
        ("exp", np.exp), ("exp2", np.exp2), ("expm1", np.expm1), ("log", np.log), ("log2", np.log2),
        ("log10", np.log10), ("log1p", np.log1p), ("sqrt", np.sqrt), ("reciprocal", np.reciprocal),
        ("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("asin", np.arcsin, "arcsin"), ("acos", np.arccos, "arccos"),
        ("atan", np.arctan, "arctan"), ("sinh", np.sinh), ("cosh", np.cosh), ("tanh", np.tanh),
        ("asinh", np.arcsinh, "arcsinh"), ("acosh", np.arccosh, "arccosh"), ("atanh", np.arctanh, "arctanh"),
        ("deg2rad", np.deg2rad), ("rad2deg", np.rad2deg), ("sinc", np.sinc)):
    unary(name, Operation(name, numpy_function, operands="x", node=NODES.get(name, "")), True, *more)

STEP = "np.zeros_like(g)"
unary("rsqrt", own("rsqrt", lambda x: 1 / np.sqrt(x), "-0.5 * g * y ** 3"))
sigmoid_of = sigmoid
"""Other formulas mention it."""
unary("sigmoid", own("sigmoid", own_function(sigmoid), "g * (1 - y) * y"))
unary("relu", own("relu", lambda x: np.maximum(x, 0), "np.where(y <= 0, 0 * y, g)"), False, refused="b")
unary("neg", Operation("neg", np.negative), False, "negative")
unary("abs", own("abs", np.absolute, "g * np.sign(x)"), False, "absolute", refused="b")
# the table's reads the result, too
unary("square", Operation("square", lambda x: np.square(x, dtype=np.int64 if x.dtype.kind == "b" else None),
                          RULES[np.square], node="PowBackward0"), False)
def sign_of(x: Any) -> Any:
    return np.sign(x) if x.dtype.kind != "b" else x.copy()


for name, function, *more in (("sign", sign_of), ("sgn", sign_of), ("floor", np.floor), ("ceil", np.ceil),
                              ("trunc", np.trunc, "fix")):
    unary(name, own(name, own_function(function), STEP), False, *more, refused="" if function is sign_of else "b")
unary("frac", own("frac", lambda x: x - np.trunc(x), "g"), refused="iub")



def error_function(x: Any) -> Any:
    try:
        from scipy.special import erf
    except ImportError:
        return np.asarray(np.vectorize(math.erf, otypes=[float])(x), x.dtype)
    return erf(x)


def complementary_error_function(x: Any) -> Any:
    """Not 1 less the other one: far out nothing would be left of it."""
    try:
        from scipy.special import erfc
    except ImportError:
        return np.asarray(np.vectorize(math.erfc, otypes=[float])(x), x.dtype)
    return erfc(x)


BELL = f"g * np.exp(-x * x) * {2 / math.sqrt(math.pi)!r}"
unary("erf", own("erf", error_function, BELL))
unary("erfc", own("erfc", complementary_error_function, f"-{BELL}"))

attached("__neg__", lambda self: self.neg())
attached("__abs__", lambda self: self.abs())


@both
def positive(input: Tensor) -> Tensor:
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


attached("__pos__", positive)

logit_of = Operation("logit", rule=torch_rule(
    "logit(x)", lambda x: np.log(x / (1 - x)), x="np.where((x < 0) | (x > 1), math.nan, g / (x * (1 - x)))",
    elementwise=True), operands="x")
finite_of = Operation("nan_to_num", rule=torch_rule(
    "nan_to_num(x, nan, posinf, neginf)", lambda x, nan, posinf, neginf: np.nan_to_num(
        x, nan=nan, posinf=posinf, neginf=neginf), x="np.where(np.isfinite(x), g, 0)", elementwise=True), operands="x",
    opaque="nan posinf neginf")


@both
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """``log(input / (1 - input))``, of what is kept ``eps`` away from 0 and 1."""
    return logit_of.run((floating(input if eps is None else input.clamp(eps, 1 - eps)),))


@both
def nan_to_num(input: Tensor, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None
               ) -> Tensor:
    """Numbers in place of NaN and infinities, the largest that there are for these if nothing else is said."""
    return finite_of.run((input,), {"nan": nan or 0.0, "posinf": posinf, "neginf": neginf})

round_rule = torch_rule("round(x, decimals=0)", lambda x, decimals=0: np.round(x, decimals), x=STEP, elementwise=True)
round_of = Operation("round", rule=round_rule, operands="x")
round_to = Operation("round", rule=round_rule, operands="x", node="RoundBackward1")


@both
def round(input: Tensor, *, decimals: int = 0) -> Tensor:  # noqa: A001 - PyTorch's name
    if input._array.dtype.kind == "b":
        raise NotImplementedError("\"round_cpu\" not implemented for 'Bool'")
    return round_to.run((input,), {"decimals": decimals}) if decimals else round_of.run((input,))


@method
def round_(self: Tensor, *, decimals: int = 0) -> Tensor:
    return in_place(self, lambda old: round(old, decimals=decimals))


# ---- of two, where they tie

def binary(name: str, operation: Operation, integers: str, *aliases: str) -> None:
    """Of two tensors. ``integers``: what becomes of them, "kept", "floats" or "refused"."""
    def function(input: Tensor, other: Tensor) -> Tensor:
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        if not isinstance(other, Tensor):
            raise TypeError(f"{name}(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
        operands = promoted((input, other), integers == "floats")
        kind = operands[0]._array.dtype
        if integers == "refused" and kind.kind != "f":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind_name(kind)}'")
        return operation.run(operands)

    for label in (name, *aliases):
        both(named(lambda input, other: function(input, other), label), True)
        method(named(lambda self, other: in_place(self, lambda old: function(old, other)), f"{label}_"))


def xlogy_values(x1: Any, x2: Any) -> Any:
    kind = np.result_type(x1, x2)
    first, second = np.asarray(x1, kind), np.asarray(x2, kind)
    return np.where(first == 0, first * 0, first * np.log(np.where(first == 0, kind.type(1), second)))


XLOGY = torch_rule("xlogy(x1, x2)", lambda x1, x2: xlogy_values(x1, x2), elementwise=True,
                   x1="g * np.log(np.where((x1 == 0) & (x2 <= 0), 1, x2))", x2="g * x1 / x2")
xlogy_of, xlogy_of_number, xlogy_with_number = (Operation("xlogy", rule=XLOGY, operands="x1 x2", node=node, shown=shown)
                                                for node, shown in (("XlogyBackward0", None), (
                                                    "XlogyBackward1", (1,)), ("XlogyBackward2", (0,))))


@both
def xlogy(input: Any, other: Any) -> Tensor:
    """``input * log(other)``, 0 where ``input`` is."""
    operation = xlogy_of_number if not isinstance(input, Tensor) else \
        xlogy_of if isinstance(other, Tensor) else xlogy_with_number
    return operation.run(promoted((input, other), True))


for name, ufunc, integers in (
        ("maximum", np.maximum, "kept"), ("minimum", np.minimum, "kept"), ("fmax", np.fmax, "kept"),
        ("fmin", np.fmin, "kept"), ("hypot", np.hypot, "refused"), ("logaddexp", np.logaddexp, "refused"),
        ("logaddexp2", np.logaddexp2, "refused")):
    binary(name, Operation(name, ufunc, operands="x1 x2"), integers)
binary("atan2", Operation("atan2", rule=torch_rule(  # at the origin 0, where NumPy's table has NaN
    "atan2(x1, x2)", lambda x1, x2: np.arctan2(x1, x2), x1="g * divide_or_zero(x2, x1 ** 2 + x2 ** 2)",
    x2="-g * divide_or_zero(x1, x1 ** 2 + x2 ** 2)", elementwise=True, names={"divide_or_zero": divide_or_zero}),
    operands="x1 x2"), "floats", "arctan2")


COPYSIGN = torch_rule("copysign(x1, x2)", np.copysign, x1="np.where(x1 == 0, 0, g * y / x1)", x2="np.zeros_like(g)",
                      elementwise=True)
copysign_of, copysign_of_number = (Operation("copysign", lambda x1, x2: np.copysign(x1, x2), COPYSIGN, node=node,
                                             operands="x1 x2", shown=shown)
                                   for node, shown in (("CopysignBackward0", None), ("CopysignBackward1", (0,))))
LDEXP = Operation("ldexp", rule=torch_rule(
    "ldexp(x1, x2)", lambda x1, x2: x1 * np.exp2(x2), x1="g * np.exp2(x2)", x2=f"g * y * {math.log(2)!r}",
    elementwise=True), operands="x1 x2")


@both
def copysign(input: Tensor, other: Any) -> Tensor:
    """``input`` with the signs of ``other``."""
    return (copysign_of if isinstance(other, Tensor) else copysign_of_number).run(promoted((input, other), True))


@both
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """``input * 2 ** other``."""
    return LDEXP.run(promoted((input, floating(other))))


# ---- bounds

def clamp_rule(line: str, function: Callable, inside: str) -> Any:
    return torch_rule(line, function, x=f"np.where({inside}, g, 0)", elementwise=True)


clamp_both = Operation("clamp", rule=clamp_rule("clamp(x, min, max)", lambda x, min, max: np.minimum(
    np.maximum(x, min), max), "(x >= min) & (x <= max)"), operands="x", opaque="min max", node="ClampBackward1")
clamp_low = Operation("clamp", rule=clamp_rule("clamp(x, min)", lambda x, min: np.maximum(x, min), "x >= min"),
                      operands="x", opaque="min", node="ClampBackward1")
clamp_high = Operation("clamp", rule=clamp_rule("clamp(x, max)", lambda x, max: np.minimum(x, max), "x <= max"),
                       operands="x", opaque="max", node="ClampBackward1")


above = Operation("clamp", rule=torch_rule(
    "clamp(x1, x2)", lambda x1, x2: np.maximum(x1, x2), x1="np.where(x1 >= x2, g, 0)", x2="np.where(x1 < x2, g, 0)",
    elementwise=True),
    operands="x1 x2", shown=(0, 1, None))
below = Operation("clamp", rule=torch_rule(
    "clamp(x1, x2)", lambda x1, x2: np.minimum(x1, x2), x1="np.where(x1 <= x2, g, 0)", x2="np.where(x1 > x2, g, 0)",
    elementwise=True),
    operands="x1 x2", shown=(0, None, 1))


def clamped(input: Tensor, min: Any, max: Any) -> Tensor:
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        result = input if min is None else above.run(promoted((input, min)))
        return result if max is None else below.run(promoted((result, max)))
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounds = {name: value for name, value in (("min", min), ("max", max)) if value is not None}
    operation = clamp_both if len(bounds) == 2 else clamp_low if "min" in bounds else clamp_high
    if any(isinstance(value, float) for value in bounds.values()):
        input = floating(input)
    return operation.run((input,), bounds)


for name in ("clamp", "clip"):
    both(named(lambda input, min=None, max=None: clamped(input, min, max), name))
    method(named(lambda self, min=None, max=None: in_place(self, lambda old: clamped(old, min, max)), f"{name}_"))
def one_sided(name: str, bound: str, rule: Any) -> None:
    operation = Operation(name, rule=rule, operands="x", opaque=bound)

    def function(input: Tensor, limit: Any) -> Tensor:
        if isinstance(limit, Tensor):
            return clamped(input, **{"min": None, "max": None, bound: limit})
        return operation.run((floating(input) if isinstance(limit, float) else input,), {bound: limit})

    both(named(function, name))
    method(named(lambda self, limit: in_place(self, lambda old: function(old, limit)), f"{name}_"))


one_sided("clamp_min", "min", clamp_low.rule)
one_sided("clamp_max", "max", clamp_high.rule)

# ---- one or the other

where_of = Operation("where", rule=torch_rule(
    "where(condition, x1, x2)", np.where, x1="np.where(condition, g, 0)", x2="np.where(condition, 0, g)",
    condition=lambda op: "None", elementwise=True), operands="condition x1 x2", shown=(1, 2))


@exported
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Elements of ``input`` where the condition holds, of ``other`` elsewhere; alone, the places where it holds."""
    if input is None and other is None:
        return tuple(new_tensor(part) for part in np.nonzero(condition._array))
    if input is None or other is None or not isinstance(condition, Tensor):
        given = ", ".join(type(item).__name__ for item in (condition, input, other) if item is not None)
        raise TypeError(f"where() received an invalid combination of arguments - got ({given}), but expected (Tensor "
                        "condition, Tensor input, Tensor other)")
    if condition._array.dtype.name not in ("bool", "uint8"):
        raise broadcast_error((condition, input, other)) or RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{kind_name(condition._array.dtype)}")
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        kind = result_dtype((input, other))
        input, other = (new_tensor(np.asarray(item, kind)) for item in (input, other))
    return where_of.run((condition, *promoted((input, other))))


attached("where", lambda self, condition, other: where(condition, self, other))

SPELLED = {"int64": "long int", "uint8": "unsigned char", "int16": "short int", "int8": "signed char"}
"""What C calls some dtypes."""
fill_of = Operation("masked_fill", rule=torch_rule(
    "masked_fill(x, mask, value)", lambda x, mask, value: np.where(mask, np.asarray(value, x.dtype), x),
    x="np.where(mask, 0, g)", elementwise=True), operands="x mask", opaque="value", shown=(0,))


fill_with = Operation("masked_fill", rule=where_of.rule, operands="condition x1 x2", node="MaskedFillBackward1",
                      shown=(2, 1))


@both
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{SPELLED.get(mask.dtype.name, mask.dtype.spelled)}")
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{value._array.ndim} dimension(s).")
        return fill_with.run((mask, *promoted((value, input))))
    return fill_of.run((input, mask), {"value": value})


@method
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    return in_place(self, lambda old: masked_fill(old, mask, value))


# ---- tests: no derivative

def test(name: str, function: Callable) -> None:
    both(named(lambda input: new_tensor(np.asarray(state.now.quiet.run(function, input._array))), name))


for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "signbit", "logical_not"):
    test(name, getattr(np, name))


@both
def bitwise_not(input: Tensor) -> Tensor:
    if input._array.dtype.kind == "f":
        raise NotImplementedError(f"\"bitwise_not_cpu\" not implemented for '{kind_name(input._array.dtype)}'")
    return new_tensor(np.asarray(state.now.quiet.run(np.invert, input._array)))


@method
def __invert__(self: Tensor) -> Tensor:
    if self._array.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(self)
