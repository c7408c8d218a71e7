"""SciPy's linear algebra, of single matrices: what it does with stacks differs with its versions.

Of a symmetric matrix one triangle is read; its cotangent is that triangle's.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, number
from s2sgrad.rules.decompositions import cholesky_bar, cholesky_dot, matrices, same
from s2sgrad.rules.linalg import common_dtype, inverse_bar
from s2sgrad.rules.reductions import norm_bar
from s2sgrad.rules.table import Operation, example_of

NAMES = {"linalg": linalg}
general = functools.partial(table.general, names=NAMES)
reduction = functools.partial(table.reduction, names=NAMES)


RANKS: dict[str, tuple[int, ...]] = {"a": (2,), "A": (2,), "ab": (2,), "b": (1, 2), "q": (2,), "c": (1,), "r": (1,)}
"""Of the parameters that are matrices or vectors."""


def no_stacks(op: Operation) -> UnsupportedError:
    return UnsupportedError(f"{op.rule.title} is differentiated for single matrices only",
                            "take the matrices of a stack one by one")


def single(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula that is right where matrices are no stacks, and a right-hand side is a vector or a matrix."""
    @functools.wraps(formula)
    def checked(op: Operation, *path: tuple[int, ...]) -> Any:
        for name, ranks in RANKS.items():
            if name in op.operands and isinstance(op[name], Numeric) and op.rank(name) not in ranks:
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


@single
def solve_dot(op: Operation) -> str:
    kind, lower = op.known("assume_a"), op.known("lower")
    if kind in SYMMETRIC:
        return f"-linalg.solve(a, mirrored(t, {lower!r}) @ y, lower={lower!r}, assume_a={kind!r})"
    right_side(op)  # refuses the rest
    return "-linalg.solve(a, t @ y)"


@single
def triangular_dot(op: Operation) -> str:
    lower, unit, trans = op.known("lower"), op.known("unit_diagonal"), op.known("trans")
    past = (", -1" if lower else ", 1") if unit else ""
    moved = f"np.{'tril' if lower else 'triu'}(t{past}){'' if trans in (0, 'N') else '.T'} @ y"
    more = f"trans={trans!r}, lower={lower!r}{', unit_diagonal=True' if unit else ''}"
    return f"-linalg.solve_triangular(a, {moved}, {more})"


general("scipy.linalg.solve(a, b, *, lower=False, check_finite=True, assume_a=None)", a=solve_matrix, b=solve_right,
        result=solution, linear="b", tangent={"a": solve_dot})
general("scipy.linalg.solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, *, check_finite=True)",
        a=triangular_matrix, b=single(lambda op: f"{triangular_right(op)}right_bar"), linear="b",
        tangent={"a": triangular_dot})
general("scipy.linalg.solve_sylvester(a, b, q)", linear="q",
        tangent={"a": "-linalg.solve_sylvester(a, b, t @ y)", "b": "-linalg.solve_sylvester(a, b, y @ t)"},
        a=single(lambda op: "sum_bar = linalg.solve_sylvester(a.T, b.T, g); -sum_bar @ y.T"),
        b=single(lambda op: "sum_bar = linalg.solve_sylvester(a.T, b.T, g); -y.T @ sum_bar"),
        q=single(lambda op: "sum_bar = linalg.solve_sylvester(a.T, b.T, g); sum_bar"))


# ---- functions of a matrix

def of_blocks(function: str) -> Callable[[Operation], str]:
    """Mathias, A chain rule for matrix functions (1996): the derivative is a block of the function of blocks."""
    return single(lambda op: "size = len({0}); blocks = np.block([[{0}.T, g], [np.zeros_like({0}), {0}.T]]); "
                             "in_reals(linalg.{1}(blocks)[:size, size:])".format(op.rule.parameters[0].name, function))


def of_blocks_dot(function: str) -> Callable[[Operation], str]:
    return single(lambda op: "size = len({0}); blocks = np.block([[{0}, t], [np.zeros_like({0}), {0}]]); "
                             "in_reals(linalg.{1}(blocks)[:size, size:])".format(op.rule.parameters[0].name, function))


general("scipy.linalg.inv(a, *, check_finite=True)", a=single(inverse_bar), result=matrices("a", same),
        tangent={"a": single(lambda op: "-y @ t @ y")})
general("scipy.linalg.det(a, *, check_finite=True)", a=single(lambda op: "g * cofactors(a, y)"),
        tangent={"a": single(lambda op: "np.sum(cofactors(a, y) * t)")})
general("scipy.linalg.expm(a)", name="exponential", a=of_blocks("expm"), result=matrices("a", same),
        tangent={"a": of_blocks_dot("expm")})


# ---- Cholesky's factors

FACTOR, LOWER = linalg.cho_factor(np.array([[1.0, 0.5], [0.5, 1.0]]))
OTHER_TRIANGLE = bool(FACTOR[1, 0])
"""Whether the other triangle of cho_factor's is that of the matrix, and not 0, as from SciPy 1.18 on."""


def factor_result(op: Operation) -> Abstract:
    lower = op.if_known("lower")
    known = number(lower) if lower is not MISSING else Numeric()
    if isinstance(LOWER, np.ndarray) and lower is not MISSING:  # from SciPy 1.18 on
        known = Numeric("array", np.dtype(bool), (), value=lower)
    return Items(tuple, (matrices("a", same)(op), known))


@single
def factor_bar(op: Operation) -> tuple[str, ...]:
    lower = op.known("lower")
    mine, other = ("np.tril({})", "np.triu({}, 1)") if lower else ("np.triu({})", "np.tril({}, -1)")
    rest = f" + {other.format('g_0')}" if OTHER_TRIANGLE else ""
    return (f"factor = {mine.format('y_0')}; factor_bar = {mine.format('g_0')}; "
            f"{cholesky_bar(op, not lower, 'factor', 'factor_bar')}{rest}", table.ZERO)


@single
def factor_dot(op: Operation) -> tuple[str, ...]:
    lower = op.known("lower")
    mine, other = ("np.tril({})", "np.triu({}, 1)") if lower else ("np.triu({})", "np.tril({}, -1)")
    rest = f" + {other.format('t')}" if OTHER_TRIANGLE else ""
    return f"factor = {mine.format('y_0')}; {cholesky_dot(op, not lower, 'factor')}{rest}", table.ZERO


general("scipy.linalg.cholesky(a, lower=False, *, check_finite=True)", result=matrices("a", same),
        a=single(lambda op: cholesky_bar(op, not op.known("lower"))),
        tangent={"a": single(lambda op: cholesky_dot(op, not op.known("lower")))})
general("scipy.linalg.cho_factor(a, lower=False, *, check_finite=True)", parts=(0,), result=factor_result, a=factor_bar,
        tangent={"a": factor_dot})


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


general("scipy.linalg.block_diag(arrs)", arrs=block_bar, variadic="*arrs", result=blocks_result, linear="arrs")
reduction("scipy.linalg.norm(x, ord=None, axis=None, keepdims=False, *, check_finite=True)", x=norm_bar)
