"""SciPy's linear algebra, of single matrices and of stacks.

Of a symmetric matrix one triangle is read; its cotangent is that triangle's. With stacks SciPy does what it does from
1.18 on; before, single matrices alone are taken.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy import linalg

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, item_at, number, shape_of
from s2sgrad.rules.decompositions import cholesky_bar, cholesky_dot, matrices, same
from s2sgrad.rules.dims import Shape, broadcast
from s2sgrad.rules.linalg import common_dtype, inverse_bar, joined_dtype, widened
from s2sgrad.rules.reductions import norm_bar
from s2sgrad.rules.table import Operation

NAMES = {"linalg": linalg}
general = functools.partial(table.general, names=NAMES)
reduction = functools.partial(table.reduction, names=NAMES)

STACKS = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
"""Whether SciPy takes a stack of matrices for one, everywhere, and a vector for the right-hand side of all of them."""
RANKS: dict[str, tuple[int, ...]] = {"a": (2,), "A": (2,), "ab": (2,), "b": (1, 2), "q": (2,), "c": (1,), "r": (1,)}
"""Of the parameters that are matrices or vectors."""


def refuse_stacks(op: Operation) -> None:
    for name, ranks in RANKS.items():
        if name in op.operands and isinstance(op[name], Numeric) and op.rank(name) not in ranks:
            raise no_stacks(op)


def no_stacks(op: Operation) -> UnsupportedError:
    newer = "" if STACKS else ", or use SciPy 1.18"
    return UnsupportedError(f"{op.rule.title} is differentiated for single matrices only",
                            f"take the matrices of a stack one by one{newer}")


def single(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula that is right where matrices are no stacks, and a right-hand side is a vector or a matrix."""
    @functools.wraps(formula)
    def checked(op: Operation, *path: tuple[int, ...]) -> Any:
        refuse_stacks(op)
        return formula(op, *path)
    return checked


def stacked(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula that is right of stacks, too, if SciPy takes them."""
    return formula if STACKS else single(formula)


# ---- systems: a right-hand side with one axis is a vector, with more a matrix or a stack of them

def is_alone(op: Operation, matrix: int | None) -> bool:
    """Whether there is a single matrix, of so many axes, and a single right-hand side."""
    return matrix == 2 and op.rank("b") in (1, 2)


def columns(op: Operation, text: str) -> str:
    """What has the right-hand side's form, or the solution's, as matrices."""
    rank = op.rank("b")
    return f"as_columns({text}, b)" if rank is None else f"{text}[..., None]" if rank == 1 else text


def from_columns(op: Operation, text: str) -> str:
    rank = op.rank("b")
    if rank == 1:
        return f"{text}[..., 0]" if text.isidentifier() else f"({text})[..., 0]"
    return f"from_columns({text}, b)" if rank is None else text


def solved(op: Operation, matrix: int | None, call: str, right: str = "g") -> str:
    """A step for the right-hand side's cotangent: as that has its form, or as matrices where there are stacks."""
    return f"right_bar = {call.format(right if is_alone(op, matrix) else columns(op, right))}; "


def times_solution(op: Operation, matrix: int | None) -> str:
    """The product of the right-hand side's cotangent with the solution, as the matrix has it, for each of a stack."""
    if is_alone(op, matrix):
        return "-np.outer(right_bar, y)" if op.rank("b") == 1 else "-right_bar @ y.T"
    return f"-right_bar @ {columns(op, 'y')}.mT"


def of_system(op: Operation) -> Abstract:
    """The system's matrix, or its bands, or its first factor."""
    first = op["ab"] if "ab" in op.operands else op[op.rule.parameters[0].name]
    return item_at(first, (0,)) if isinstance(first, Items) else first


def as_many(op: Operation) -> bool:
    """Whether there are known to be as many matrices as right-hand sides."""
    matrix, right = shape_of(of_system(op)), op.shape("b")
    return matrix is not None and right is not None and len(right) > 1 and None not in matrix[:-2] and \
        matrix[:-2] == right[:-2]


def fitted(op: Operation, matrix: int | None, text: str, name: str = "a") -> str:
    """One matrix may serve many right-hand sides."""
    plain = is_alone(op, matrix) or op.rank("b") == 1 or as_many(op)
    return text if plain else f"unbroadcast({text}, {name}.shape)"


def right_bar(op: Operation, matrix: int | None) -> str:
    """The right-hand side's cotangent from that step; one may serve many matrices."""
    return "right_bar" if is_alone(op, matrix) else of_right_side(op, matrix)


def of_right_side(op: Operation, matrix: int | None) -> str:
    """The same from columns."""
    text = from_columns(op, "right_bar")
    return text if is_alone(op, matrix) or as_many(op) else f"unbroadcast({text}, b.shape)"


def solved_dot(op: Operation, matrix: int | None, call: str, moved: str) -> str:
    """The tangent of the solution from that of the matrix, ``moved``."""
    if is_alone(op, matrix):
        return f"-{call.format(f'{moved} @ y')}"
    return from_columns(op, f"-{call.format(f'{moved} @ {columns(op, chr(121))}')}")


SYMMETRIC_ALONE = ("sym", "symmetric")
"""Of complex numbers: their matrix is the transposed one, and not its conjugate."""
SYMMETRIC = (*SYMMETRIC_ALONE, "her", "hermitian", "pos", "positive definite")


def right_side(op: Operation) -> str:
    kind = op.known("assume_a")
    if kind in (None, "gen", "general"):
        return f"linalg.solve(a.{'T' if op.rank('a') == 2 else 'mT'}, {{}})"
    if kind in SYMMETRIC:
        call = f"linalg.solve(a, {{}}, lower={op.known('lower')!r}, assume_a={kind!r})"
        if kind in SYMMETRIC_ALONE or op.is_real("a"):
            return call
        return f"np.conj({call.format('np.conj({})')})"
    raise UnsupportedError(f"solve with assume_a={kind!r} has no derivative rule",
                           "use assume_a='gen', 'sym' or 'pos', or solve_triangular")


@stacked
def solve_matrix(op: Operation) -> str:
    step, product = solved(op, op.rank("a"), right_side(op)), times_solution(op, op.rank("a"))
    if op.known("assume_a") in SYMMETRIC_ALONE and not op.is_real("a"):
        step += f"product = {product}; "
        product = f"halved(product + product.mT){'' if op.known('lower') else '.mT'}"
    elif op.known("assume_a") in SYMMETRIC:
        product = f"{'to_lower' if op.known('lower') else 'to_upper'}({product})"
    return step + fitted(op, op.rank("a"), product)


@stacked
def solve_right(op: Operation) -> str:
    return solved(op, op.rank("a"), right_side(op)) + right_bar(op, op.rank("a"))


def solution(op: Operation) -> Abstract:
    return solved_for(op["a"], op["b"])


def solved_for(matrix: Abstract, right: Abstract) -> Abstract:
    """What is known of a system's solution. Samples would be badly conditioned, or not positive definite."""
    dtype = common_dtype(matrix, right)
    return Numeric("array", None if dtype is None else np.result_type(dtype, np.float32),
                   solution_shape(shape_of(matrix), shape_of(right)))


def solution_shape(matrix: Shape, right: Shape) -> Shape:
    if matrix is None or not right:
        return None
    stack = matrix[:-2]
    if len(right) == 1:
        return *stack, *right
    both = broadcast(stack, right[:-2])
    return None if both is None else (*both, *right[-2:])


@stacked
def solve_dot(op: Operation) -> str:
    right_side(op)  # refuses what has no rule
    kind, lower = op.known("assume_a"), op.known("lower")
    if kind not in SYMMETRIC:
        return solved_dot(op, op.rank("a"), "linalg.solve(a, {})", "t")
    step, moved = "", f"mirrored(t, {lower!r})"
    if kind in SYMMETRIC_ALONE and not op.is_real("a"):
        step, moved = f"half = halved(t{'' if lower else '.mT'}); ", "(half + half.mT)"
    return step + solved_dot(op, op.rank("a"), f"linalg.solve(a, {{}}, lower={lower!r}, assume_a={kind!r})", moved)


def is_turned(op: Operation) -> bool:
    if op.known("trans") in (2, "C") and op.is_complex("a"):
        raise UnsupportedError("solve_triangular with trans='C' has no derivative rule for complex numbers",
                               "give it np.conj(a), and trans='T'")
    return op.known("trans") not in (0, "N")


def triangular_step(op: Operation) -> str:
    unit = ", unit_diagonal=True" if op.known("unit_diagonal") else ""
    return solved(op, op.rank("a"), f"linalg.solve_triangular(a, {{}}, trans={0 if is_turned(op) else 1}, "
                                    f"lower={op.known('lower')!r}{unit})")


def one_triangle(op: Operation, text: str) -> str:
    past = (", -1" if op.known("lower") else ", 1") if op.known("unit_diagonal") else ""
    return f"np.{'tril' if op.known('lower') else 'triu'}({text}{past})"


@stacked
def triangular_matrix(op: Operation) -> str:
    product = times_solution(op, op.rank("a"))
    if is_turned(op):
        product = f"({product}).mT"
    return triangular_step(op) + fitted(op, op.rank("a"), one_triangle(op, product))


@stacked
def triangular_right(op: Operation) -> str:
    return triangular_step(op) + right_bar(op, op.rank("a"))


@stacked
def triangular_dot(op: Operation) -> str:
    lower, unit, trans = op.known("lower"), op.known("unit_diagonal"), op.known("trans")
    more = f"trans={trans!r}, lower={lower!r}{', unit_diagonal=True' if unit else ''}"
    return solved_dot(op, op.rank("a"), f"linalg.solve_triangular(a, {{}}, {more})",
                      one_triangle(op, "t") + (".mT" if is_turned(op) else ""))


general("scipy.linalg.solve(a, b, *, lower=False, check_finite=True, assume_a=None)", a=solve_matrix, b=solve_right,
        result=solution, linear="b", tangent={"a": solve_dot}, complex=True)
general("scipy.linalg.solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, *, check_finite=True)",
        a=triangular_matrix, b=triangular_right, result=solution, linear="b", tangent={"a": triangular_dot},
        complex=True)


def sylvester_bar(name: str, text: str) -> Callable[[Operation], str]:
    """Each of the three may be a stack, or one matrix for all of the others'."""
    @stacked
    def formula(op: Operation) -> str:
        refuse_mixed(op)
        alone = op.rank("a") == op.rank("b") == op.rank("q") == 2
        return ("sum_bar = linalg.solve_sylvester(a.mT, b.mT, g); "
                + (text if alone else f"unbroadcast({text}, {name}.shape)"))
    return formula


def sylvester_dot(text: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        refuse_mixed(op)
        return text
    return formula


def refuse_mixed(op: Operation) -> None:
    """Of a real matrix SciPy takes the real Schur form, and beside complex numbers solves with it what is another
    equation where the matrix has complex eigenvalues."""
    if any(map(op.is_complex, "abq")) and not (op.is_complex("a") and op.is_complex("b")):
        raise UnsupportedError("solve_sylvester of real matrices beside complex numbers has no derivative rule: "
                               "SciPy's result is wrong where they have complex eigenvalues",
                               "make both matrices complex: np.asarray(a, dtype=complex)")


general("scipy.linalg.solve_sylvester(a, b, q)", linear="q", complex=True, tangent={
            "a": sylvester_dot("-linalg.solve_sylvester(a, b, t @ y)"),
            "b": sylvester_dot("-linalg.solve_sylvester(a, b, y @ t)")},
        a=sylvester_bar("a", "-sum_bar @ y.mT"), b=sylvester_bar("b", "-y.mT @ sum_bar"),
        q=sylvester_bar("q", "sum_bar"))


# ---- functions of a matrix

def seen_to(op: Operation, text: str) -> str:
    """What may be complex where the matrix is real: that it is not is seen to when the text runs."""
    name = op.rule.parameters[0].name
    if op.is_complex(name):
        return text
    return f"in_reals({text})" if op.is_real(name) else f"in_reals({text}, np.iscomplexobj({name}))"


def of_blocks(function: str, forwards: bool = False, known: bool = True) -> Callable[[Operation], str]:
    """Mathias, A chain rule for matrix functions (1996): the derivative is a block of the function of blocks.
    ``known``: that of a real matrix is real."""
    def formula(op: Operation) -> str:
        name = op.rule.parameters[0].name
        if op.rank(name) in (0, 1):  # which SciPy takes if there is one element
            raise UnsupportedError(f"{op.rule.title} is differentiated for matrices only",
                                   "use the function of the number itself, as np.exp for expm")
        matrix, beside = (name, "t") if forwards else (f"{name}.mT", "g")
        block = f"linalg.{function}(blocks)[..., :size, size:]"
        return (f"size = {name}.shape[-1]; "
                f"blocks = np.block([[{matrix}, {beside}], [np.zeros_like({name}), {matrix}]]); "
                f"{block if known else seen_to(op, block)}")
    return stacked(formula)


general("scipy.linalg.inv(a, *, check_finite=True)", a=stacked(inverse_bar), result=matrices("a", same),
        tangent={"a": stacked(lambda op: "-y @ t @ y")}, complex=True)
general("scipy.linalg.det(a, *, check_finite=True)", complex=True,
        a=stacked(lambda op: f"{widened(op, 'g')} * cofactors(a, y)"),
        tangent={"a": stacked(lambda op: "np.sum(cofactors(a, y) * t, axis=(-2, -1))")})
general("scipy.linalg.expm(a)", name="exponential", a=of_blocks("expm"), result=matrices("a", same),
        tangent={"a": of_blocks("expm", True)}, complex=True)


# ---- Cholesky's factors

FACTOR, LOWER = linalg.cho_factor(np.array([[1.0, 0.5], [0.5, 1.0]]))
OTHER_TRIANGLE = bool(FACTOR[1, 0])
"""Whether the other triangle of cho_factor's is that of the matrix, and not 0, as from SciPy 1.18 on."""


def factor_result(op: Operation) -> Abstract:
    """Of a stack there is a flag for each of the matrices."""
    lower = op.if_known("lower")
    known = number(lower) if lower is not MISSING else Numeric()
    if isinstance(LOWER, np.ndarray) and lower is not MISSING:  # from SciPy 1.18 on
        shape = op.shape("a")
        known = Numeric("array", np.dtype(bool), (), value=lower) if op.rank("a") == 2 else Numeric(
            "array", np.dtype(bool), None if shape is None else shape[:-2])
    return Items(tuple, (matrices("a", same)(op), known))


@stacked
def factor_bar(op: Operation) -> tuple[str, ...]:
    lower = op.known("lower")
    mine, other = ("np.tril({})", "np.triu({}, 1)") if lower else ("np.triu({})", "np.tril({}, -1)")
    rest = f" + {other.format('g_0')}" if OTHER_TRIANGLE else ""
    return (f"factor = {mine.format('y_0')}; factor_bar = {mine.format('g_0')}; "
            f"{cholesky_bar(op, not lower, 'factor', 'factor_bar')}{rest}", table.ZERO)


@stacked
def factor_dot(op: Operation) -> tuple[str, ...]:
    lower = op.known("lower")
    mine, other = ("np.tril({})", "np.triu({}, 1)") if lower else ("np.triu({})", "np.tril({}, -1)")
    rest = f" + {other.format('t')}" if OTHER_TRIANGLE else ""
    return f"factor = {mine.format('y_0')}; {cholesky_dot(op, not lower, 'factor')}{rest}", table.ZERO


general("scipy.linalg.cholesky(a, lower=False, *, check_finite=True)", result=matrices("a", same), complex=True,
        a=stacked(lambda op: cholesky_bar(op, not op.known("lower"))),
        tangent={"a": stacked(lambda op: cholesky_dot(op, not op.known("lower")))})
general("scipy.linalg.cho_factor(a, lower=False, *, check_finite=True)", parts=(0,), result=factor_result, a=factor_bar,
        tangent={"a": factor_dot}, complex=True)


# ---- norms and blocks

def block_bar(op: Operation, path: tuple[int, ...]) -> str:
    """The block's place; a vector is one row, and a number one element."""
    (index,) = path
    ranks = [getattr(item, "rank", None) for item in op["arrs"].items or ()]
    single = all(rank in (0, 1, 2) for rank in ranks)
    if not single and not (STACKS and all(isinstance(rank, int) and rank > 1 for rank in ranks)):
        raise no_stacks(op)

    def size(place: int, axis: int) -> str:
        if not single:
            return f"arrs_{place}.shape[{axis - 2}]"
        axis -= 2 - ranks[place]  # type: ignore[operator]
        return f"arrs_{place}.shape[{axis}]" if axis >= 0 else "1"

    places = []
    for axis in (0, 1):
        start = " + ".join(size(place, axis) for place in range(index))
        along = size(index, axis)
        places.append((start or "0") if along == "1" else f"{start}:{start} + {along}" if start else f":{along}")
    if single:
        return f"g[{', '.join(places)}]"
    return f"unbroadcast(g[..., {', '.join(places)}], arrs_{index}.shape)"


def blocks_result(op: Operation) -> Abstract:
    items = op["arrs"].items or ()
    shapes = [shape_of(item) for item in items]
    stack = None if None in shapes else broadcast(*(shape[:-2] for shape in shapes if shape))
    return Numeric("array", joined_dtype(*items), None if stack is None else (*stack, None, None))


general("scipy.linalg.block_diag(arrs)", arrs=block_bar, variadic="*arrs", result=blocks_result, linear="arrs",
        complex=True)
reduction("scipy.linalg.norm(x, ord=None, axis=None, keepdims=False, *, check_finite=True)", x=norm_bar,
          complex=True)
