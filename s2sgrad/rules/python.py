"""Python's own functions on numbers."""
from __future__ import annotations

import operator
from dataclasses import replace

from s2sgrad.rules.abstract import (
    BOOLEAN,
    COMPLEX,
    FLOAT,
    INTEGER,
    MISSING,
    Abstract,
    Items,
    Numeric,
    Opaque,
    as_numeric,
    join,
    known_value,
    number,
    rank_of,
)
from s2sgrad.rules.results import example_of, result_of
from s2sgrad.rules.table import RULES, Operation, constant, elementwise, general


def sign(op: Operation) -> str:
    value = op["x"]
    if isinstance(value, Numeric) and value.kind == "python" and not op.is_complex("x"):
        return "g * float((x > 0) - (x < 0))"
    return "g * np.sign(x)" if op.is_real("x") else "g * divide_or_zero(np.conj(x), y)"


def float_bar(op: Operation) -> str:
    return "g" if op.rank("x") == 0 else "np.reshape(g, x.shape)"


def integer(op: Operation) -> Abstract:
    known = known_value(op["x"])
    try:
        return INTEGER if known is MISSING else number(int(known))
    except (TypeError, ValueError, OverflowError):  # as the call itself will say
        return INTEGER


def rounded(op: Operation) -> Abstract:
    value = op["number"]
    if isinstance(value, Numeric) and value.kind == "python":
        return Numeric("python", value.dtype, ()) if op.given("ndigits") else INTEGER
    return Numeric()


elementwise("builtins.abs(x)", x=sign, complex=True)
general("builtins.float(x)", x=float_bar, result=FLOAT, linear="x")
general("builtins.complex(real=0, imag=0)", real="g", imag="1j * g", result=COMPLEX, linear="real+imag", complex=True)
# steps: their derivative is 0 wherever there is one
constant("builtins.round(number, ndigits=None)", result=rounded)
constant("builtins.int(x)", result=integer)
constant("builtins.bool(x)", result=BOOLEAN)


# ---- of several values

def one_of(op: Operation) -> Abstract:
    """The join of what is chosen from; of several, which are compared, none is None."""
    value = op["items"]
    if isinstance(value, Items) and len(value.items or ()) > 1:
        value = replace(value, items=tuple(
            as_numeric(item) if isinstance(item, Opaque) and item.besides is not None else item
            for item in value.items or ()))
    found = one_among(value)  # the number beside arrays may be a differentiated one
    return replace(found, grown=None) if isinstance(found, Numeric) else found


def one_among(value: Abstract) -> Abstract:
    """The join of the items of a list or a vector."""
    if not isinstance(value, Items):
        if isinstance(value, Numeric) and value.shape is not None and len(value.shape) == 1:
            return value.part("scalar", ())
        return Numeric()
    if not value.items:
        return value.element if value.element is not None else Numeric()
    result = value.items[0]
    for item in value.items[1:]:
        result = join(result, item)
    return result


def chosen(op: Operation, path: tuple[int, ...] = ()) -> str:
    """The first one that equals the result takes it all, as Python chooses it."""
    if not path:
        return "g * first_equal(items, y)"
    (index,) = path
    zeros = "0.0" if rank_of(op.item("items", path)) == 0 else f"zeros_of(items_{index})"
    return f"g if {is_chosen(index)} else {zeros}"


def chosen_dot(op: Operation, path: tuple[int, ...] = ()) -> str:
    return f"g if {is_chosen(path[0])} else 0.0" if path else "chosen_dot(t, items, y)"


def is_chosen(index: int) -> str:
    return " and ".join([f"items_{index} == y", *[f"items_{place} != y" for place in range(index)]])


def summed(op: Operation) -> Abstract:
    """Of the rows of an array what adding one of them to the start gives."""
    value = op["items"]
    if isinstance(value, Numeric):
        if not value.shape:
            return Numeric()
        rest = value.shape[1:]
        row = value.part("array" if rest else "scalar", rest)
        return result_of(Operation(RULES[operator.add], {"x1": op["start"], "x2": row}))
    result = example_of(op.rule, op.operands)
    if isinstance(value, Items) and value.items is None and isinstance(result, Numeric) and result.shape:
        return replace(result, kind="any")  # of nothing it is the number to start with
    return result


def start_bar(op: Operation) -> str:
    number = isinstance(op.result, Numeric) and op.result.is_number
    return "g" if number and op.rank("start") == 0 else "unbroadcast(g, start.shape)"


def sum_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    if not path:
        one = "g" if op.rank("start") == 0 else "unbroadcast(g, items.shape[1:])"  # the start may have more axes
        return f"np.broadcast_to({one}, items.shape)"
    item = op.item("items", path)
    both = isinstance(item, Numeric) and isinstance(op.result, Numeric)
    if both and item.shape == op.result.shape and item.shape is not None and None not in item.shape:
        return "g"
    return f"unbroadcast(g, items_{path[0]}.shape)"


general("builtins.max(items)", items=chosen, result=one_of, variadic="items", name="largest",
        sharing="maybe", each={"items": "chosen_bars(g, items, y)"}, tangent={"items": chosen_dot})
general("builtins.min(items)", items=chosen, result=one_of, variadic="items", name="smallest",
        sharing="maybe", each={"items": "chosen_bars(g, items, y)"}, tangent={"items": chosen_dot})
general("builtins.sum(items, start=0)", items=sum_bar, start=start_bar, result=summed, name="total",
        sharing="start", each={"items": "summed_bars(g, items)"}, linear="items+start", complex=True)
