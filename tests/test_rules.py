"""The rule table, line by line: formulas against the judge, facts and memory of results against NumPy itself."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rule_cases import CASES

from s2sgrad import runtime
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import numerical_gradient
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, Opaque, number, passive
from s2sgrad.rules.table import ATTRIBUTES, METHODS, RULES, ZERO, Member, NeedsValue, Operation, Rule, result_of

DTYPES = (np.float64, np.float32)
FACTS = ("known", "ranks", "unknown")


def label(rule: Rule) -> str:
    """What a rule is called in the table of cases."""
    for names in (METHODS, ATTRIBUTES):
        for name, other in names.items():
            if other is rule and rule not in RULES.values():
                return f".{name}"
    function = rule.function
    if isinstance(function, np.ufunc):
        return f"np.{function.__name__}"
    return PREFIXES[function.__module__] + function.__name__


PREFIXES = {"numpy": "np.", "numpy.linalg": "np.linalg.", "builtins": "", "math": "math."}


def is_of_the_table(rule: Rule) -> bool:
    """Not what a user or another test has added, nor what is known of the runtime's helpers."""
    function = rule.function
    return isinstance(function, (np.ufunc, Member)) or getattr(function, "__module__", None) in PREFIXES


# aliases share their line's formulas
LINES = {
    id(rule.partials): rule
    for rule in reversed([*RULES.values(), *METHODS.values(), *ATTRIBUTES.values()])
    if is_of_the_table(rule)
}
BY_LABEL = {label(rule): rule for rule in reversed(LINES.values())}
DIFFERENTIABLE = {name: rule for name, rule in BY_LABEL.items() if rule.partials}


def builders(dtype: type) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {
        "np": np,
        "n": lambda *shape: np.asarray(rng.normal(size=shape), dtype),
        "p": lambda *shape: np.asarray(rng.uniform(0.2, 0.9, size=shape), dtype),
        "m": lambda *shape: np.asarray(rng.normal(size=(*shape, shape[-1])) + 3 * np.eye(shape[-1]), dtype),
        "b": lambda *shape: rng.uniform(size=shape) < 0.5,
        "i": lambda *shape: rng.integers(0, 3, size=shape),
        "c": dtype,
        "call": lambda *args, **kwargs: (args, kwargs),
    }


class Call:
    """One call of a rule's function: its operands, and its result."""

    def __init__(self, name: str, arguments: str, dtype: type = np.float64):
        self.rule = BY_LABEL[name]
        self.args, self.kwargs = eval(f"call({arguments})", builders(dtype))
        self.bound = self.rule.bind(list(self.args), self.kwargs)
        places = [parameter.name for parameter in self.rule.parameters]
        self.gathered = bool(self.rule.variadic) and len(self.args) > places.index(self.rule.variadic) + 1
        self.y = self.value(self.bound)
        size = np.shape(self.y)
        weights = np.random.default_rng(8).normal(size=size) + 2
        self.g: Any = weights.astype(self.y.dtype)[()] if isinstance(self.y, (np.ndarray, np.generic)) else 1.5
        if isinstance(self.y, np.ndarray):
            self.g = np.asarray(self.g)

    def value(self, bound: dict[str, Any]) -> Any:
        """The function at other operands."""
        args: list[Any] = []
        kwargs = {}
        for index, parameter in enumerate(self.rule.parameters):
            if parameter.name not in bound:
                continue
            operand = bound[parameter.name]
            if parameter.name == self.rule.variadic and self.gathered:
                args += operand
            elif parameter.keyword_only or index > len(args):
                kwargs[parameter.name] = operand
            else:
                args.append(operand)
        return self.rule.function(*args, **kwargs)

    def leaves(self) -> Iterator[tuple[str, tuple[int, ...], Any]]:
        """Parameter, place and value of each operand to differentiate."""
        for parameter, formula in self.rule.partials.items():
            if parameter in self.bound and formula is not ZERO:
                yield from floats(parameter, (), self.bound[parameter])

    def moved(self, parameter: str, path: tuple[int, ...], leaf: Any) -> Any:
        """The function where one leaf has another value."""
        return self.value({**self.bound, parameter: replaced(self.bound[parameter], path, leaf)})

    def operation(self, facts: str) -> Operation:
        letters: dict[int, str] = {}
        operands = {
            name: abstract(value, facts, letters, name in self.rule.partials) for name, value in self.bound.items()
        }
        operation = Operation(self.rule, {name: passive(value) for name, value in operands.items()})
        result = result_of(operation)
        operation.operands, operation.result = operands, result
        self.sizes = {letter: size for size, letter in letters.items()}
        return operation

    def cotangent(self, parameter: str, path: tuple[int, ...], leaf: Any, facts: str = "known") -> Any:
        """The formula's text, run."""
        formula = self.rule.partials[parameter]
        text = formula(self.operation(facts), path)
        if text == ZERO:
            return np.zeros_like(leaf)
        found = self.run(text)
        if self.rule.elementwise:
            found = runtime.unbroadcast(np.broadcast_to(found, np.shape(self.y)), leaf)
        elif self.rule.spreads:
            found = np.broadcast_to(found, np.shape(leaf))
        return found

    def run(self, text: str) -> Any:
        names: dict[str, Any] = {name: getattr(runtime, name) for name in dir(runtime) if not name.startswith("_")}
        names.update(np=np, math=math, shape_of=np.shape, g=self.g, y=self.y, **self.rule.names)
        for parameter in self.rule.parameters:
            names[parameter.name] = self.bound.get(parameter.name, parameter.default)
            names.update(places(parameter.name, names[parameter.name]))
        tree = ShapesOfNumbers().visit(ast.parse("\n".join(part.strip() for part in text.split(";"))))
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        mentioned |= {node.id for node in ast.walk(last) if isinstance(node, ast.Name)}
        exec(compile(ast.fix_missing_locations(tree), "formula", "exec"), names)
        value = eval(compile(ast.fix_missing_locations(ast.Expression(last.value)), "formula", "eval"), names)
        return self.g * value if self.rule.elementwise and "g" not in mentioned else value


class ShapesOfNumbers(ast.NodeTransformer):
    """``a.shape`` of Python numbers too, as the compiler gives it."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == "shape" and isinstance(node.value, ast.Name):
            return ast.Call(ast.Name("shape_of", ast.Load()), [node.value], [])
        return node


def floats(name: str, path: tuple[int, ...], value: Any) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from floats(name, (*path, index), item)
    elif isinstance(value, (float, np.floating)) or isinstance(value, np.ndarray) and value.dtype.kind == "f":
        yield name, path, value


def places(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The names of the items of a list: ``arrays_0``."""
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield f"{name}_{index}", item
            yield from places(f"{name}_{index}", item)


def replaced(value: Any, path: tuple[int, ...], leaf: Any) -> Any:
    if not path:
        return leaf
    return type(value)(replaced(item, path[1:], leaf) if index == path[0] else item for index, item in enumerate(value))


def abstract(value: Any, facts: str, letters: dict[int, str], active: bool) -> Abstract:
    """What the compiler would know of an operand."""
    if isinstance(value, (list, tuple)):
        return Items(type(value), tuple(abstract(item, facts, letters, active) for item in value))
    if isinstance(value, float) and not active:
        return number(value)
    if isinstance(value, (float, np.ndarray, np.generic)):
        array = np.asarray(value)
        active = active and array.dtype.kind == "f"
        if facts == "unknown":
            return Numeric(active=active)
        shape = (
            tuple(size if size == 1 else letters.setdefault(size, "abcdefgh"[len(letters)]) for size in array.shape)
            if facts == "known"
            else (None,) * array.ndim
        )
        kind = "array" if isinstance(value, np.ndarray) else "scalar" if isinstance(value, np.generic) else "python"
        return Numeric(kind, array.dtype, shape, active)
    return number(value) if isinstance(value, (bool, int)) else Known(value)


ALL = [
    pytest.param(name, case, id=f"{name}({case})")
    for name, cases in CASES.items()
    for case in cases
    if name in BY_LABEL
]
each_call = pytest.mark.parametrize(("name", "case"), ALL)


def test_every_rule_has_cases() -> None:
    without = {"np.arange", ".tolist"}  # lines that are there to refuse
    assert set(DIFFERENTIABLE) - set(CASES) == set()
    assert {name for name, rule in BY_LABEL.items() if not rule.partials and not rule.constant} == without


def test_every_case_has_a_rule() -> None:
    newer = {"math.exp2", "math.cbrt"} - set(dir(math)) if not hasattr(math, "exp2") else set()
    assert set(CASES) - set(BY_LABEL) == newer


@each_call
def test_formulas_are_right(name: str, case: str) -> None:
    call = Call(name, case)
    for parameter, path, leaf in call.leaves():

        def function(moved: Any, parameter: str = parameter, path: tuple = path) -> Any:
            with np.errstate(all="ignore"):
                return call.moved(parameter, path, moved)

        estimate = numerical_gradient(function, (leaf,), 0, call.g)
        for facts in FACTS:
            found = call.cotangent(parameter, path, leaf, facts)
            assert np.shape(found) == np.shape(leaf)
            np.testing.assert_allclose(
                found, estimate.value, rtol=1e-6, atol=1e-7 + 4 * np.max(estimate.error, initial=0)
            )


@each_call
def test_formulas_keep_single_precision(name: str, case: str) -> None:
    """A float32 operand's cotangent is float32 wherever the result is, and right to its digits."""
    call, double = Call(name, case, np.float32), Call(name, case)
    double.g = call.g
    for (parameter, path, leaf), (_, _, exact) in zip(call.leaves(), double.leaves()):
        for facts in FACTS:
            found = call.cotangent(parameter, path, leaf, facts)
            np.testing.assert_allclose(found, double.cotangent(parameter, path, exact), rtol=2e-3, atol=1e-4)
            if isinstance(leaf, (np.ndarray, np.generic)) and np.asarray(call.y).dtype == np.float32:
                assert np.result_type(found) == np.float32


NOT_FORESEEN = {("np.vdot", "n(2, 3), n(6)")}
"""Where nothing is known of the result even if everything is known of the operands."""


@each_call
def test_results_are_foreseen(name: str, case: str) -> None:
    for dtype in DTYPES:
        call = Call(name, case, dtype)
        for facts in FACTS:
            result = call.operation(facts).result
            assert isinstance(result, Numeric)
            check_result(result, call.y, call.sizes)
            if facts == "known" and dtype is np.float64 and (name, case) not in NOT_FORESEEN:
                assert result.dtype is not None and result.shape is not None


def check_result(result: Numeric, value: Any, sizes: dict[str, int]) -> None:
    kinds = {
        "python": (bool, int, float),
        "scalar": np.generic,
        "number": (bool, int, float, np.generic),
        "array": np.ndarray,
        "any": object,
    }
    assert isinstance(value, kinds[result.kind])
    assert not isinstance(value, np.generic) or result.kind != "python"
    assert result.dtype in (None, np.asarray(value).dtype)
    if result.shape is not None:
        assert len(result.shape) == np.ndim(value)
        for dim, size in zip(result.shape, np.shape(value)):
            assert dim is None or isinstance(dim, tuple) or sizes.get(dim, dim) == size


@each_call
def test_sharing_is_as_said(name: str, case: str) -> None:
    call = Call(name, case)
    if not isinstance(call.y, np.ndarray) or not call.y.size:
        return
    arrays = [
        leaf
        for name, value in call.bound.items()
        for *_, leaf in floats(name, (), value)
        if isinstance(leaf, np.ndarray)
    ]
    shared = any(np.shares_memory(call.y, array) for array in arrays)
    if call.rule.sharing == "fresh":
        assert not shared
    if call.rule.sharing == "view" and arrays:
        assert shared


@each_call
def test_methods_mean_the_same(name: str, case: str) -> None:
    call = Call(name, case)
    for method, rule in METHODS.items():
        if rule is call.rule and isinstance(call.args[0], np.ndarray):
            value = getattr(call.args[0], method)(*call.args[1:], **call.kwargs)
            np.testing.assert_array_equal(value, call.y)
            assert type(value) is type(call.y)


# ---- where functions are not smooth

nan, inf = math.nan, math.inf
KINKS = {
    "np.absolute(np.array([-1.0, 0.0, 2.0]))": ([-1, 0, 1],),
    "abs(0.0)": (0,),
    "math.fabs(0.0)": (0,),
    "np.sqrt(np.zeros(1))": ([inf],),
    "np.cbrt(np.zeros(1))": ([inf],),
    "np.maximum(np.array([1.0, 2.0, 3.0]), np.full(3, 2.0))": ([0, 0.5, 1], [1, 0.5, 0]),
    "np.minimum(np.array([1.0, 2.0, 3.0]), np.full(3, 2.0))": ([1, 0.5, 0], [0, 0.5, 1]),
    "np.maximum(np.array([nan, 1.0]), np.array([1.0, nan]))": ([1, 1], [1, 1]),
    "np.fmax(np.array([nan, 1.0, 2.0]), np.array([1.0, nan, 2.0]))": ([0, 1, 1], [1, 0, 0]),
    "np.fmin(np.array([nan, 1.0, 2.0]), np.array([1.0, nan, 2.0]))": ([0, 1, 1], [1, 0, 0]),
    "np.clip(np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), -1.0, 1.0)": ([0, 1, 1, 1, 0], 1, 1),
    "np.clip(np.zeros(1), 2.0, 1.0)": ([0], 0, 1),
    "np.copysign(np.array([0.0, -1.0]), np.array([1.0, 1.0]))": ([0, -1],),
    "np.hypot(0.0, 0.0)": (0, 0),
    "math.hypot(0.0, 0.0)": (0, 0),
    "math.dist([1.0], [1.0])": (0, 0),
    "np.sinc(np.zeros(1))": ([0],),
    "np.power(np.zeros(3), np.array([0.0, 1.0, 2.0]))": ([0, 1, 0], [0, 0, 0]),
    "np.power(np.zeros(1), 0)": ([0],),
    "np.power(0.0, 0.0)": (0, 0),
    "np.nan_to_num(np.array([nan, inf, 1.0]))": ([0, 0, 1],),
    "np.where(True, 1.0, nan)": (1, 0),
    "np.heaviside(np.array([-1.0, 0.0, 1.0]), np.full(3, 0.5))": ([0, 1, 0],),
    "np.max(np.array([1.0, 2.0, 2.0]))": ([0, 0.5, 0.5],),
    "np.min(np.array([[1.0, 1.0], [1.0, 2.0]]), axis=1)": ([[0.5, 0.5], [1, 0]],),
    "np.ptp(np.array([1.0, 2.0, 2.0]))": ([-1, 0.5, 0.5],),
    "max(1.0, 1.0)": (1, 0),
    "min(np.array([1.0, 1.0]))": ([1, 0],),
    "np.prod(np.array([2.0, 0.0, 3.0]))": ([0, 6, 0],),
    "np.prod(np.array([0.0, 0.0, 3.0]))": ([0, 0, 0],),
    "np.cumprod(np.array([2.0, 0.0, 3.0]))": ([1, 8, 0],),
    "np.std(np.ones(3))": ([0, 0, 0],),
    "np.linalg.norm(np.zeros(3))": ([0, 0, 0],),
    "np.linalg.norm(np.zeros((2, 2)), 2)": ([[0, 0], [0, 0]],),
    "np.linalg.norm(np.array([0.0, -1.0]), 1)": ([0, -1],),
    "np.linalg.norm(np.array([1.0, -1.0]), np.inf)": ([0.5, -0.5],),
    "np.linalg.norm(np.zeros(2), 3)": ([0, 0],),
    "np.sort(np.array([2.0, 1.0, 2.0]))": ([1, 1, 1],),
}


@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("text", KINKS)
def test_conventions(text: str, facts: str) -> None:
    name, _, arguments = text.partition("(")
    with np.errstate(all="ignore"):
        call = Call(
            name, arguments.rstrip()[:-1].replace("nan", "np.nan").replace("inf", "np.inf").replace("np.np.", "np.")
        )
        call.g = np.ones_like(call.y)[()]
        found = [call.cotangent(*leaf, facts) for leaf in call.leaves()]
    for cotangent, expected in zip(found, KINKS[text], strict=True):
        np.testing.assert_array_equal(cotangent, expected)


# ---- what people will read


@pytest.mark.parametrize(
    ("name", "case", "text"),
    [
        ("np.power", "n(3), 2", "g * 2 * x1"),
        ("np.power", "n(3), 3", "g * 3 * x1 ** 2"),
        ("np.sum", "n(3, 4), axis=0", "g"),
        ("np.sum", "n(3, 4), axis=1", "g[:, None]"),
        ("np.sum", "n(2, 3, 4), axis=1", "g[:, None]"),
        ("np.sum", "n(2, 3, 4), axis=(-1, 0)", "g[None, :, None]"),
        ("np.mean", "n(3, 4)", "g / a.size"),
        ("np.mean", "n(3, 4), axis=-1", "g[:, None] / a.shape[1]"),
        ("np.max", "n(3, 4)", "hit = a == y; g * hit / np.sum(hit)"),
        ("np.linalg.norm", "n(3)", "g * divide_or_zero(x, y)"),
        ("np.matmul", "n(3, 4), n(4, 2)", "g @ x2.T"),
        ("np.matmul", "n(5, 3, 4), n(4, 2)", "g @ x2.T"),
        ("np.matmul", "n(5, 3, 4), n(5, 4, 2)", "g @ np.swapaxes(x2, -1, -2)"),
        ("np.dot", "n(3, 4), n(4)", "np.outer(g, b)"),
        ("np.transpose", "n(2, 3), (1, 0)", "g.T"),
        ("np.concatenate", "[n(2), n(3)]", "g[:arrays_0.shape[0]]"),
        ("np.concatenate", "[n(1, 3), n(2, 3)]", "g[:1]"),
        ("np.clip", "n(3), 0, None", "g * (a >= a_min)"),
        ("np.diff", "n(3)", "-np.diff(g, prepend=0.0, append=0.0)"),
        ("np.einsum", "'ij,jk', n(2, 3), n(3, 4)", "np.einsum('ik,jk->ij', g, operands_1)"),
        ("np.array", "[[0.5, 0.25], [0.1, 0.2]]", "g[0, 0]"),
        ("np.trace", "n(3, 3)", "g * np.eye(*a.shape)"),
    ],
)
def test_texts(name: str, case: str, text: str) -> None:
    call = Call(name, case)
    parameter, path, _ = next(call.leaves())
    assert call.rule.partials[parameter](call.operation("known"), path) == text


# ---- what is refused, and what is never differentiated


def test_what_a_line_does_not_list_is_refused() -> None:
    with pytest.raises(TypeError, match="does not take where="):
        Call("np.sum", "n(3), where=b(3)")
    with pytest.raises(TypeError, match="at most 3 positional"):
        Call("np.sum", "n(3), 0, None, n(3)")


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("np.exp", "[0.5, 0.25]"),
        ("np.sum", "[0.5, 0.25]"),
        ("np.linalg.inv", "[[0.5]]"),
        ("np.linalg.norm", "n(3, 3), 'nuc'"),
        ("np.linalg.norm", "n(3), 0.5"),
        ("np.ravel", "n(3, 3), 'K'"),
        ("np.einsum", "'ii->i', n(3, 3)"),
        ("np.einsum", "'...i->...', n(2, 3)"),
        ("np.exp", "1j * n(3)"),
    ],
)
def test_wrong_gradients_are_refused(name: str, case: str) -> None:
    call = Call(name, case)
    parameter = next(iter(call.rule.partials))
    path = (0, 0) if case.startswith("[[") else (0,) if case.startswith("[") else ()
    with pytest.raises(UnsupportedError):
        call.rule.partials[parameter](call.operation("known"), path)


def test_an_axis_must_be_known() -> None:
    rule = BY_LABEL["np.sum"]
    operation = Operation(
        rule, {"a": Numeric("array", np.dtype(float), ("a", "b")), "axis": Numeric("python", np.dtype(int), ())}
    )
    assert result_of(operation) == Numeric()
    with pytest.raises(NeedsValue):
        rule.partials["a"](operation)


CONSTANT_CASES = SimpleNamespace(
    one=("n(3)", "n(2, 3)", "n()", "c(0.5)"), two=("n(3), n(3)", "n(2, 3), n(3)", "0.5, n(3)")
)
SPECIAL = {
    "np.ndim": ("n(2, 3)",),
    "np.zeros": ("3", "(2, 3)", "(2, 3), int"),
    "np.ones": ("(2,)",),
    "np.empty": ("(2, 3)",),
    "np.eye": ("3", "2, 3", "2, k=1"),
    "np.identity": ("3",),
    "np.searchsorted": ("n(3), n(2)", "n(3), 0.5"),
    ".searchsorted": ("n(3), n(2)",),
    "np.digitize": ("n(3), np.sort(n(2))",),
    "len": ("n(3)", "n(2, 3)", "[0.5]"),
    "np.count_nonzero": ("n(3)", "n(2, 3), 0"),
    "np.linalg.matrix_rank": ("n(3, 3)",),
    "round": ("0.5", "0.5, 1"),
    "np.array_equal": ("n(3), n(3)", "n(3), n(2)"),
    "np.array_equiv": ("n(3), n(3)",),
    "int": ("1.5", "c(0.5)"),
    "bool": ("0.5", "True"),
    "np.round": ("n(3)", "n(2, 3), 1"),
    "np.around": ("n(3), 1",),
    "np.nonzero": ("n(2, 3)",),
    "np.argwhere": ("n(2, 3)",),
    "np.shape": ("n(2, 3)", "n()"),
    "np.flatnonzero": ("n(3)",),
    "np.size": ("n(2, 3)", "n(3)", "n(2, 3), 1", "n(1, 1)"),
    ".dtype": ("n(3)",),
    ".size": ("n(2, 3)", "n(3)"),
    "np.isscalar": ("0.5", "n(3)"),
    ".itemsize": ("n(3)",),
    ".nbytes": ("n(3)",),
    "np.result_type": ("n(3)",),
    "np.isclose": ("n(3), n(3)",),
    "np.allclose": ("n(3), n(3)",),
    "math.isclose": ("0.5, 0.25",),
}
CONSTANTS = [
    pytest.param(name, case, id=f"{name}({case})")
    for name, rule in BY_LABEL.items()
    if rule.constant
    for case in SPECIAL.get(
        name,
        ("0.5",)
        if name.startswith("math.")
        else getattr(CONSTANT_CASES, "two" if len(rule.parameters) == 2 and rule.elementwise else "one"),
    )
]


@pytest.mark.parametrize(("name", "case"), CONSTANTS)
def test_results_of_constants_are_foreseen(name: str, case: str) -> None:
    rule = BY_LABEL[name]
    args, kwargs = eval(f"call({case})", builders(np.float64))
    bound = rule.bind(list(args), kwargs)
    letters: dict[int, str] = {}
    value = rule.function(*args, **kwargs)
    for facts in FACTS:
        operands = {key: passive(abstract(operand, facts, letters, False)) for key, operand in bound.items()}
        result = result_of(Operation(rule, operands))
        sizes = {letter: size for size, letter in letters.items()}
        for found, true in zip(result.items or (), value) if isinstance(result, Items) else ((result, value),):
            if isinstance(found, Numeric):
                check_result(found, true, sizes)
                assert found.value is MISSING or found.value == true
                assert found.dim is None or isinstance(found.dim, tuple) or sizes[found.dim] == true
            else:
                assert isinstance(found, Opaque) or isinstance(found, Known) and found.value == true


@pytest.mark.parametrize(
    "function",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.truediv,
        operator.pow,
        operator.mod,
        operator.floordiv,
        operator.lt,
        operator.eq,
    ],
)
def test_operators_leave_python_numbers_python_numbers(function: Any) -> None:
    rule = RULES[function]
    operands = {parameter.name: Numeric("python", np.dtype(float), ()) for parameter in rule.parameters}
    result = result_of(Operation(rule, dict(operands)))
    assert isinstance(result, Numeric) and result.kind == "python"


def test_sizes_of_new_arrays_are_those_of_their_arguments() -> None:
    rows = Numeric("python", np.dtype(int), (), dim="a")
    shape = Items(tuple, (rows, number(2)))
    assert result_of(Operation(RULES[np.zeros], {"shape": shape})) == Numeric("array", np.dtype(float), ("a", 2))
    assert result_of(Operation(RULES[np.arange], {"start": rows})) == Numeric("array", np.dtype(int), ("a",))
    table = Numeric("array", np.dtype(float), ("a", "b"))
    rest = result_of(Operation(RULES[np.reshape], {"a": table, "shape": Items(tuple, (rows, number(-1)))}))
    assert rest == table
    flat = [
        result_of(Operation(RULES[np.reshape], {"a": table, "shape": number(-1)})),
        result_of(Operation(RULES[np.ravel], {"a": table})),
    ]
    assert flat[0] == flat[1] and flat[0].rank == 1


def test_a_computed_size_may_be_one() -> None:
    part = Numeric("array", np.dtype(float), ("a", ("computed", 1)))
    assert result_of(Operation(RULES[np.squeeze], {"a": part})).shape is None


def test_nothing_warns_at_import() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(isinstance(rule, Rule) for rule in RULES.values())
