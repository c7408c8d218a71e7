"""Arrays made from sizes: constant, unless what they are filled with is not."""
from __future__ import annotations

from s2sgrad.rules.abstract import INTEGER, MISSING, Abstract, Items, Numeric, known_value
from s2sgrad.rules.table import Operation, Rule, by_example, constant, general


def dims_of(value: Abstract) -> tuple | None:
    """The dimensions that a shape argument means."""
    parts = [value]
    if isinstance(value, Items):
        if value.items is None:
            return None
        parts = list(value.items)
    dims = []
    for part in parts:
        if not isinstance(part, Numeric):
            return None
        known = known_value(part)
        dims.append(known if type(known) is int else part.dim)
    return tuple(dims)


def sized(parameter: str):
    """The result of a function whose shape argument is ``parameter``: its dtype does not depend on the sizes."""
    def result(op: Operation) -> Abstract:
        rule: Rule = op.rule
        small = {name: value for name, value in op.operands.items() if name != parameter}
        small[parameter] = Numeric(INTEGER.kind, INTEGER.dtype, (), value=2)
        found = by_example(rule.function, small, rule.parameters)
        dtype = found.dtype if isinstance(found, Numeric) else None
        return Numeric("array", dtype, dims_of(op[parameter]))
    return result


constant("np.zeros(shape, dtype=None, order='C')", result=sized("shape"))
constant("np.ones(shape, dtype=None, order='C')", result=sized("shape"))
constant("np.empty(shape, dtype=None, order='C')", result=sized("shape"))
general("np.full(shape, fill_value, dtype=None)", fill_value="unbroadcast(g, fill_value)", result=sized("shape"))


def square(op: Operation) -> Abstract:
    rows = dims_of(op["N"]) or (None,)
    columns = rows if known_value(op["M"]) is None else dims_of(op["M"]) or (None,)
    return Numeric("array", by_example(op.rule.function, {"N": Numeric("python", INTEGER.dtype, (), value=2), **{
        name: value for name, value in op.operands.items() if name == "dtype"}}, op.rule.parameters).dtype,
        (rows[0], columns[0]))


constant("np.eye(N, M=None, k=0, dtype=float)".replace("float", "None"), result=square)
constant("np.identity(n, dtype=None)", result=lambda op: Numeric("array", None, (dims_of(op["n"]) or (None,)) * 2))


def counted(op: Operation) -> Abstract:
    """``arange(n)`` has n elements; with more arguments nobody knows before the call."""
    sizes = None
    if set(op.operands) <= {"start", "dtype"}:
        sizes = dims_of(op["start"])
    found = by_example(op.rule.function, {name: value if known_value(value) is not MISSING else
                                          Numeric("python", value.dtype, (), value=value.dtype.type(2).item())
                                          for name, value in op.operands.items()
                                          if isinstance(value, Numeric) and value.dtype is not None
                                          or known_value(value) is not MISSING}, op.rule.parameters)
    return Numeric("array", found.dtype if isinstance(found, Numeric) else None, sizes if sizes else (None,))


constant("np.arange(start, stop=None, step=None, dtype=None)", result=counted)


def spaced(op: Operation) -> Abstract:
    number = dims_of(op["num"]) or (None,)
    return Numeric("array", None, number) if op.rank("start") == 0 and op.rank("stop") == 0 else Numeric()


general("np.linspace(start, stop, num=50, endpoint=True)", result=spaced,
        start="unbroadcast(np.sum(ramp(g, endpoint, True) * g, axis=0), start)",
        stop="unbroadcast(np.sum(ramp(g, endpoint, False) * g, axis=0), stop)")
for like in ("zeros_like(a, dtype=None)", "ones_like(a, dtype=None)", "empty_like(a, dtype=None)"):
    constant(f"np.{like}")
general("np.full_like(a, fill_value, dtype=None)", a="0", fill_value="unbroadcast(g, fill_value)")
