"""SciPy's linear algebra, of single matrices: what it does with stacks differs with its versions.

Of a symmetric matrix one triangle is read; its cotangent is that triangle's.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from scipy import linalg

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, number
from s2sgrad.rules.decompositions import cholesky_bar, matrices, same
from s2sgrad.rules.linalg import common_dtype, inverse_bar
from s2sgrad.rules.reductions import norm_bar
from s2sgrad.rules.table import Operation, example_of

NAMES = {"linalg": linalg}
general = functools.partial(table.general, names=NAMES)
reduction = functools.partial(table.reduction, names=NAMES)


def no_stacks(op: Operation) -> UnsupportedError:
    return UnsupportedError(f"{op.rule.title} is differentiated for single matrices only",
                            "take the matrices of a stack one by one")


def single(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula that is right where matrices are no stacks, and a right-hand side is a vector or a matrix."""
    @functools.wraps(formula)
    def checked(op: Operation, *path: tuple[int, ...]) -> Any:
        for name, ranks in (("a", (2,)), ("b", (1, 2)), ("q", (2,))):
            if name in op.operands and op.rank(name) not in ranks:
                raise no_stacks(op)
        return formula(op, *path)
    return checked


def times_solution(op: Operation, text: str) -> str:
    """The product of the right-hand side's cotangent with the solution, as the matrix has it."""
    return f"-np.outer({text}, y)" if op.rank("b") == 1 else f"-{text} @ y.T"


# ---- systems

SYMMETRIC = ("sym", "symmetric", "her", "hermitian", "pos", "positive definite")


def right_side(op: Operation) -> str:
    kind = op.known("assume_a")
    if kind in (None, "gen", "general"):
        return "linalg.solve(a.T, g)"
    if kind in SYMMETRIC:
        return f"linalg.solve(a, g, lower={op.known('lower')!r}, assume_a={kind!r})"
    raise UnsupportedError(f"solve with assume_a={kind!r} has no derivative rule",
                           "use assume_a='gen', 'sym' or 'pos', or solve_triangular")


@single
def solve_matrix(op: Operation) -> str:
    text = f"right_bar = {right_side(op)}; "
    product = times_solution(op, "right_bar")
    if op.known("assume_a") in SYMMETRIC:
        product = f"{'to_lower' if op.known('lower') else 'to_upper'}({product})"
    return text + product


@single
def solve_right(op: Operation) -> str:
    return f"right_bar = {right_side(op)}; right_bar"


def solution(op: Operation) -> Abstract:
    """Samples are not positive definite."""
    return example_of(op.rule, {name: op[name] for name in ("a", "b")})


def triangular_right(op: Operation) -> str:
    turned = 1 if op.known("trans") in (0, "N") else 0
    unit = ", unit_diagonal=True" if op.known("unit_diagonal") else ""
    return f"right_bar = linalg.solve_triangular(a, g, trans={turned}, lower={op.known('lower')!r}{unit}); "


@single
def triangular_matrix(op: Operation) -> str:
    lower, unit = op.known("lower"), op.known("unit_diagonal")
    product = times_solution(op, "right_bar")
    if op.known("trans") not in (0, "N"):
        product = f"({product}).T"
    past = (", -1" if lower else ", 1") if unit else ""
    return f"{triangular_right(op)}np.{'tril' if lower else 'triu'}({product}{past})"


general("scipy.linalg.solve(a, b, *, lower=False, check_finite=True, assume_a=None)", a=solve_matrix, b=solve_right,
        result=solution)
general("scipy.linalg.solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, *, check_finite=True)",
        a=triangular_matrix, b=single(lambda op: f"{triangular_right(op)}right_bar"))
general("scipy.linalg.solve_sylvester(a, b, q)",
        a=single(lambda op: "sum_bar = linalg.solve_sylvester(a.T, b.T, g); -sum_bar @ y.T"),
        b=single(lambda op: "sum_bar = linalg.solve_sylvester(a.T, b.T, g); -y.T @ sum_bar"),
        q=single(lambda op: "sum_bar = linalg.solve_sylvester(a.T, b.T, g); sum_bar"))


# ---- functions of a matrix

def exponential_bar(op: Operation) -> str:
    """Mathias, A chain rule for matrix functions (1996): the derivative is a block of the exponential of blocks."""
    return ("blocks = np.block([[a.T, g], [np.zeros_like(a), a.T]]); "
            "linalg.expm(blocks)[:a.shape[0], a.shape[0]:]")


general("scipy.linalg.inv(a, *, check_finite=True)", a=single(inverse_bar), result=matrices("a", same))
general("scipy.linalg.det(a, *, check_finite=True)", a=single(lambda op: "g * cofactors(a, y)"))
general("scipy.linalg.expm(a)", name="exponential", a=single(exponential_bar), result=matrices("a", same))


# ---- Cholesky's factors: the other triangle of cho_factor's is that of the matrix

def factor_result(op: Operation) -> Abstract:
    lower = op.if_known("lower")
    return Items(tuple, (matrices("a", same)(op), number(lower) if lower is not MISSING else Numeric()))


@single
def factor_bar(op: Operation) -> tuple[str, ...]:
    lower = op.known("lower")
    mine, other = ("np.tril({})", "np.triu({}, 1)") if lower else ("np.triu({})", "np.tril({}, -1)")
    return (f"factor = {mine.format('y_0')}; factor_bar = {mine.format('g_0')}; "
            f"{cholesky_bar(not lower, 'factor', 'factor_bar')} + {other.format('g_0')}", table.ZERO)


general("scipy.linalg.cholesky(a, lower=False, *, check_finite=True)", result=matrices("a", same),
        a=single(lambda op: cholesky_bar(not op.known("lower"))))
general("scipy.linalg.cho_factor(a, lower=False, *, check_finite=True)", parts=(0,), result=factor_result, a=factor_bar)


# ---- norms and blocks

def block_bar(op: Operation, path: tuple[int, ...]) -> str:
    (index,) = path
    if any(not isinstance(item, Numeric) or item.rank != 2 for item in op["arrs"].items):
        raise no_stacks(op)
    places = []
    for axis in (0, 1):
        start = " + ".join(f"arrs_{place}.shape[{axis}]" for place in range(index))
        size = f"arrs_{index}.shape[{axis}]"
        places.append(f"{start}:{start} + {size}" if start else f":{size}")
    return f"g[{', '.join(places)}]"


def blocks_result(op: Operation) -> Abstract:
    return Numeric("array", common_dtype(*op["arrs"].items or ()), (None, None))


general("scipy.linalg.block_diag(arrs)", arrs=block_bar, variadic="*arrs", result=blocks_result)
reduction("scipy.linalg.norm(x, ord=None, axis=None, keepdims=False, *, check_finite=True)", x=norm_bar)
