"""Operators, comparisons, and what takes two operands element by element."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.shim.dtypes import kind_name, result_dtype
from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import both, exported, method, named
from s2sgrad.shim.operations import NOTHING, Operation, broadcast_error, torch_rule
from s2sgrad.shim.promotion import floating, is_number, promoted
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor

TWO = "x1 x2"
PLAIN = (float, int)


def binary(operation: Operation, floats: bool = False, check: Callable | None = None) -> Callable:
    """The operation on two tensors, or a tensor and a number, on either side. ``check``: what refuses operands that
    are not all floats."""
    def prepared(first: Any, second: Any) -> Any:
        if check is not None:
            check(first, second)
        return promoted((first, second), floats)

    def call(first: Any, second: Any, statics: dict[str, Any] = NOTHING) -> Any:
        operands: Any = first, second
        if second.__class__ is Tensor:  # most often both are, of one dtype
            if first.__class__ is not Tensor or first._array.dtype is not second._array.dtype or (
                    (floats or check is not None) and first._array.dtype.kind != "f"):
                operands = prepared(first, second)
        elif second.__class__ not in PLAIN or first.__class__ is not Tensor or first._array.dtype.kind != "f":
            operands = prepared(first, second)
        return operation.run(operands, statics)

    return call


def is_operand(value: Any) -> bool:
    return isinstance(value, Tensor) or is_number(value)


def operators(name: str, call: Callable, reflected: Callable | None = None, inplace: bool = True) -> None:
    """``a + b``, ``1 + a`` and ``a += b`` of an operation."""
    def forward(self: Tensor, other: Any) -> Any:
        if other.__class__ is Tensor or other.__class__ in PLAIN:
            return call(self, other)
        return call(self, other) if is_operand(other) or hasattr(other, "__array__") else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        return call(other, self) if reflected is None else reflected(self, other)

    method(named(forward, f"__{name}__"))
    method(named(backward, f"__r{name}__"))
    if inplace:
        def write(self: Tensor, other: Any) -> Any:
            return in_place(self, lambda alias: call(alias, other)) if is_operand(other) else NotImplemented

        method(named(write, f"__i{name}__"))


def functions(name: str, call: Callable, *aliases: str) -> None:
    """``torch.mul(a, b)``, ``a.mul(b)`` and ``a.mul_(b)``."""
    def function(input: Tensor, other: Any) -> Any:
        return call(input, as_operand(other, name))

    def write(self: Tensor, other: Any) -> Tensor:
        return in_place(self, lambda alias: call(alias, as_operand(other, name)))

    for label in (name, *aliases):
        both(named(lambda input, other: function(input, other), label))
        method(named(lambda self, other: write(self, other), f"{label}_"))


def as_operand(value: Any, name: str) -> Any:
    if not is_operand(value):
        raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type(value).__name__}")
    return value


def is_boolean(value: Any) -> bool:
    return value._array.dtype.kind == "b" if isinstance(value, Tensor) else isinstance(value, (bool, np.bool_))


def one_boolean(first: Any, second: Any) -> None:
    """Of two, which NumPy refuses itself, the message is another."""
    if is_boolean(first) != is_boolean(second):
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")


def booleans(name: str) -> Callable:
    """Refuses two booleans."""
    def check(first: Any, second: Any) -> None:
        if is_boolean(first) and is_boolean(second):
            raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")

    return check


# ---- the operations

add = binary(Operation("add", operator.add, operands=TWO))
sub = binary(Operation("sub", operator.sub, operands=TWO), check=one_boolean)
mul = binary(Operation("mul", operator.mul, operands=TWO))
div = binary(Operation("div", operator.truediv, operands=TWO), floats=True)
RSUB = torch_rule("rsub(x1, x2)", lambda x1, x2: x2 - x1, x1="-g", x2="g", elementwise=True)
rsub_of = Operation("rsub", rule=RSUB, operands=TWO, node="RsubBackward1", shown=(0,))
rsub = binary(rsub_of, check=one_boolean)
rsub_of_tensors = binary(Operation("rsub", rule=RSUB, operands=TWO), check=one_boolean)
reciprocal = Operation("reciprocal", np.reciprocal)
power_of_numbers = Operation("pow", operator.pow, operands=TWO, shown=(0,))
power_of_tensors = Operation("pow", operator.pow, operands=TWO, node="PowBackward1")
power_to_tensors = Operation("pow", operator.pow, operands=TWO, node="PowBackward2", shown=(1,))
remainder_of_numbers = Operation("remainder", np.remainder, operands=TWO, shown=(0,))
remainder_of_tensors = Operation("remainder", np.remainder, operands=TWO, node="RemainderBackward1")
fmod_of_numbers = Operation("fmod", np.fmod, operands=TWO, shown=(0,))
fmod_of_tensors = Operation("fmod", np.fmod, operands=TWO, node="FmodBackward1")


def divides(call: Callable, name: str) -> Callable:
    """NumPy gives 0 for integers divided by 0, and divides booleans."""
    check = booleans(name)

    def checked(first: Any, second: Any) -> Any:
        check(first, second)
        divisor = second._array if isinstance(second, Tensor) else np.asarray(second)
        if divisor.dtype.kind in "iub" and not divisor.all() and not any(
                isinstance(item, float) or isinstance(item, Tensor) and item._array.dtype.kind == "f"
                for item in (first, second)):
            raise RuntimeError("ZeroDivisionError")
        return call(first, second)

    return checked


def by_operands(numbers: Operation, tensors: Operation, to_tensors: Operation | None = None,
                check: Callable | None = None) -> Callable:
    """PyTorch numbers the node's name by what the operands are."""
    with_number, with_tensor = binary(numbers), binary(tensors, check=check)
    of_number = with_tensor if to_tensors is None else binary(to_tensors, check=check)

    def call(first: Any, second: Any) -> Any:
        if not isinstance(first, Tensor):
            return of_number(first, second)
        return with_tensor(first, second) if isinstance(second, Tensor) else with_number(first, second)

    return call


power = by_operands(power_of_numbers, power_of_tensors, power_to_tensors, booleans("pow"))


def pow_(first: Any, second: Any) -> Any:
    """NumPy makes integers of booleans to the power of one."""
    if isinstance(first, Tensor) and not isinstance(second, Tensor) and is_boolean(first) and is_boolean(second):
        return either(first, not second)
    return power(first, second)


remainder = divides(by_operands(remainder_of_numbers, remainder_of_tensors), "remainder_cpu")
fmod = divides(by_operands(fmod_of_numbers, fmod_of_tensors), "fmod_cpu")


def divided(number: Any, tensor: Tensor) -> Any:
    """``2 / x``, as PyTorch computes it."""
    return mul(reciprocal.run((floating(tensor),)), number)


operators("add", add, lambda self, other: add(self, other))
operators("sub", sub, lambda self, other: rsub(self, other))
operators("mul", mul, lambda self, other: mul(self, other))
operators("truediv", div, lambda self, other: divided(other, self))
operators("pow", pow_)
operators("mod", remainder)


def scaled(call: Callable, name: str, sign: str, *aliases: str) -> None:
    """``add`` and ``sub`` take a factor of their second operand."""
    step = operator.add if sign == "+" else operator.sub
    whole = binary(Operation(name, rule=torch_rule(
        f"{name}(x1, x2, alpha)", lambda x1, x2, alpha: step(x1, alpha * x2), x1="g", x2=f"{sign.strip('+')}alpha * g",
        elementwise=True), operands=TWO, opaque="alpha"))

    def function(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
        other = as_operand(other, name)
        if alpha == 1:
            return call(input, other)
        check_factor(alpha, input, other)
        return whole(input, other, {"alpha": alpha})

    def write(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
        return in_place(self, lambda alias: function(alias, other, alpha=alpha))

    for label in (name, *aliases):
        both(named(lambda input, other, *, alpha=1: function(input, other, alpha=alpha), label))
        method(named(lambda self, other, *, alpha=1: write(self, other, alpha=alpha), f"{label}_"))


def check_factor(alpha: Any, *operands: Any) -> None:
    """Raises RuntimeError for a fraction, or a boolean, where the operands are not such."""
    kinds = {item._array.dtype.kind if isinstance(item, Tensor) else np.asarray(item).dtype.kind for item in operands}
    if isinstance(alpha, bool) and kinds != {"b"}:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and "f" not in kinds:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


scaled(add, "add", "+")
scaled(sub, "sub", "-", "subtract")
exported(named(lambda input, other, *, alpha=1: sub(other, input if alpha == 1 else mul(input, alpha))
               if alpha != 1 else (rsub_of_tensors if isinstance(other, Tensor) else rsub)(input, other), "rsub"))
functions("mul", mul, "multiply")
functions("true_divide", div)
functions("pow", pow_)
functions("remainder", remainder)
functions("fmod", fmod)


# ---- division that rounds: a step function

def no_derivative(name: str) -> Callable:
    def formula(op: Any) -> str:
        return f"no_derivative('{name}')"
    return formula


def refuse_derivative(name: str) -> Any:
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


def undifferentiated(name: str, function: Callable) -> Operation:
    rule = torch_rule(f"{name}(x1, x2)", function, x1=no_derivative(name), x2=no_derivative(name),
                      names={"no_derivative": refuse_derivative}, elementwise=True)
    return Operation(name, rule=rule, operands=TWO, node="NotImplemented")


floor_divide = divides(binary(undifferentiated("floor_divide", operator.floordiv)), "div_floor_cpu")
operators("floordiv", floor_divide)
functions("floor_divide", floor_divide)
functions("heaviside", binary(undifferentiated("heaviside", np.heaviside)))


def truncated(x1: Any, x2: Any) -> Any:
    """The quotient without its fraction: of integers one itself."""
    if np.result_type(x1, x2).kind == "f":
        return np.trunc(x1 / x2)
    below = x1 // x2
    return below + ((below < 0) & (below * x2 != x1))


def rounded(function: Callable, name: str) -> Callable:
    return divides(binary(Operation("div", rule=torch_rule(
        "div(x1, x2)", lambda x1, x2: function(x1, x2), x1="np.zeros_like(g)", x2="np.zeros_like(g)",
        elementwise=True), operands=TWO, node="DivBackward2")), name)


ROUNDED = {"floor": rounded(operator.floordiv, "div_floor_cpu"), "trunc": rounded(truncated, "div_trunc_cpu")}


def divide(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Any:
    if rounding_mode is None:
        return div(input, as_operand(other, "div"))
    if rounding_mode not in ROUNDED:
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{rounding_mode}'")
    return ROUNDED[rounding_mode](input, as_operand(other, "div"))


def divide_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    return in_place(self, lambda alias: divide(alias, other, rounding_mode=rounding_mode))


for label in ("div", "divide"):
    both(named(lambda input, other, *, rounding_mode=None: divide(input, other, rounding_mode=rounding_mode), label))
    method(named(lambda self, other, *, rounding_mode=None: divide_(self, other, rounding_mode=rounding_mode),
                 f"{label}_"))

# ---- comparisons: no derivative, and no node


def constant(function: Callable) -> Callable:
    """What has no derivative: a result that requires no gradient."""
    def call(first: Any, second: Any) -> Any:
        operands = promoted((first, second))
        arrays = [item._array if isinstance(item, Tensor) else item for item in operands]
        try:
            return new_tensor(np.asarray(state.now.quiet.run(function, *arrays)))
        except ValueError as error:
            raise broadcast_error(operands) or RuntimeError(str(error)) from None

    return call


def comparison(name: str, function: Callable, *aliases: str) -> None:
    call = constant(function)
    functions(name, call, *aliases)
    method(named(lambda self, other: call(self, other) if is_operand(other) else NotImplemented, f"__{name}__"))


for label, function, *more in (
        ("lt", operator.lt, "less"), ("le", operator.le, "less_equal"), ("gt", operator.gt, "greater"),
        ("ge", operator.ge, "greater_equal"), ("eq", operator.eq), ("ne", operator.ne, "not_equal")):
    comparison(label, function, *more)


def of_bits(function: Callable, name: str) -> Callable:
    """What floats don't have."""
    call = constant(function)

    def checked(first: Any, second: Any) -> Any:
        first, second = (item.item() if isinstance(item, np.generic) else item for item in (first, second))
        kind = result_dtype([item._array if isinstance(item, Tensor) else item for item in (first, second)])
        if kind.kind == "f":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind_name(kind)}'")
        return call(first, second)

    return checked


either = of_bits(operator.or_, "bitwise_or")
for label, function in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
    call = either if label == "or" else of_bits(function, f"bitwise_{label}")
    operators(label, call)
    functions(f"bitwise_{label}", call)
    functions(f"logical_{label}", constant(getattr(np, f"logical_{label}")))
for label, name, function in (("lshift", "left", operator.lshift), ("rshift", "right", operator.rshift)):
    call = of_bits(function, label)
    operators(label, call)
    functions(f"bitwise_{name}_shift", call)


@both
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    return bool(np.array_equal(input._array, other._array))


def of_one_kind(first: Tensor, second: Tensor) -> None:
    if first._array.dtype != second._array.dtype:
        raise RuntimeError(f"{kind_name(first._array.dtype)} did not match {kind_name(second._array.dtype)}")


@both
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    of_one_kind(input, other)
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))

