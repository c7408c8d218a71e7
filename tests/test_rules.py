"""The rule table, line by line: formulas against the judge, facts and memory of results against NumPy itself."""

from __future__ import annotations

import copy
import itertools
import math
import operator
import statistics
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from checks import Checks
from rule_calls import BY_LABEL, DIFFERENTIABLE, FACTS, abstract, builders, called, floats
from rule_cases import CASES as CASES_OF_NUMPY
from scipy_cases import SCIPY_CASES

from s2sgrad.judge import numerical_gradient
from s2sgrad.rules.abstract import MISSING, Items, Known, Numeric, Opaque, number, passive
from s2sgrad.rules.results import ARITHMETIC, _of_doubles, _sampled_kinds, result_of
from s2sgrad.rules.table import METHODS, RULES, NeedsValue, Operation

CASES = {**CASES_OF_NUMPY, **SCIPY_CASES}
DTYPES = (np.float64, np.float32)
def test_every_rule_has_cases() -> None:
    windows = {f"np.{name}" for name in ("hanning", "hamming", "blackman", "bartlett", "kaiser")}
    without = {"np.arange", ".tolist", *windows}  # lines that are there to refuse
    assert set(DIFFERENTIABLE) - set(CASES) == {".flat"}  # which gives no array: tests/corpus/in_a_row.py
    assert {name for name, rule in BY_LABEL.items() if not rule.partials and not rule.constant} == without


def test_every_case_of_scipy_has_a_rule() -> None:
    if not any(name.startswith("scipy.") for name in BY_LABEL):
        pytest.skip("SciPy is not installed")
    newer = {"scipy.special.softplus"}
    assert set(SCIPY_CASES) - set(BY_LABEL) <= newer  # functions that not every SciPy has


def test_every_case_has_a_rule() -> None:
    modules = {"np": np, "math": math, "statistics": statistics}
    elsewhere = {name for name in CASES_OF_NUMPY if "." in name[1:] and name.count(".") == 1 and not hasattr(
        modules[name.partition(".")[0]], name.partition(".")[2])}
    assert set(CASES_OF_NUMPY) - set(BY_LABEL) == elsewhere  # what came or went with versions


def formulas_are_right(name: str, case: str) -> None:
    call = called(name, case)
    for parameter, path, leaf in call.leaves():

        def function(moved: Any, parameter: str = parameter, path: tuple = path) -> Any:
            with np.errstate(all="ignore"):
                return call.weighed(call.moved(parameter, path, moved))

        estimate = numerical_gradient(function, (leaf,), 0, call.weight)
        for facts in call.facts():
            found = call.cotangent(parameter, path, leaf, facts)
            assert np.shape(found) == np.shape(leaf)
            # what is NaN is passed over
            value, error = (np.where(np.isnan(leaf), 0, part) for part in (estimate.value, estimate.error))
            np.testing.assert_allclose(found, value, rtol=1e-6, atol=1e-7 + 4 * np.max(error, initial=0))


def widened(y: Any) -> Any:
    dtype = getattr(y, "dtype", None)
    return y.astype(np.result_type(dtype, np.float64)) if dtype in (np.float32, np.complex64) else y


def formulas_keep_single_precision(name: str, case: str) -> None:
    """A float32 operand's cotangent is float32 wherever the result is, and right to its digits."""
    call, double = called(name, case, np.float32), copy.copy(called(name, case))
    double.g = call.g
    if call.several and not all(np.allclose(*parts, rtol=1e-3, atol=1e-3) for parts in zip(call.y, double.y)):
        double.y = tuple(map(widened, call.y))  # of eigenvectors of opposite signs the same ones
    for (parameter, path, leaf), (_, _, exact) in zip(call.leaves(), double.leaves()):
        for facts in call.facts():
            found = call.cotangent(parameter, path, leaf, facts)
            np.testing.assert_allclose(found, double.cotangent(parameter, path, exact), rtol=2e-3, atol=1e-4)
            single = [np.asarray(y).dtype == np.float32 for y in ([call.y[i] for i in call.parts] or [call.y])]
            if isinstance(leaf, (np.ndarray, np.generic)) and all(single):
                assert np.result_type(found) == np.float32


NOT_FORESEEN = {("np.vdot", "n(2, 3), n(6)"), ("np.cross", "n(3, 2, 4), n(3, 4), axis=0")} | {
    (name, case) for name in ("np.linalg.eig", "np.linalg.eigvals", "scipy.linalg.logm", "scipy.linalg.sqrtm",
                              "scipy.linalg.lstsq", "scipy.integrate.simpson", *(
                                  name for name in CASES if name.startswith(("scipy.stats.multi", "scipy.stats.diri"))))
    for case in CASES[name]
}
"""Where something is not known of the result even if everything is known of the operands."""


def results_are_foreseen(name: str, case: str) -> None:
    for dtype in DTYPES:
        call = called(name, case, dtype)
        for facts in call.facts():
            operation = call.operation(facts)
            known = facts == "known" and dtype is np.float64 and (name, case) not in NOT_FORESEEN
            assert isinstance(operation.result, Items) is call.several or facts == "unknown"
            for result, y in zip(operation.results, call.y if call.several else (call.y,)):
                assert isinstance(result, Numeric)
                if facts == "unknown" and np.result_type(y) == np.complex64 and ".fft." in name:
                    y = y.astype(complex)  # of unknown precision it counts as double
                check_result(result, y, call.sizes)
                if known:
                    assert result.dtype is not None and result.shape is not None


def results_of_unlike_dtypes_are_foreseen(name: str, case: str) -> None:
    """A result that is taken for one of integers has no derivative, and one in single precision makes it that."""
    for changed in (np.float32, np.int64):
        base = called(name, case, np.float64 if changed is np.float32 else np.float32)
        for parameter, path, leaf in [found for key, value in base.bound.items() for found in floats(key, (), value)]:
            if not isinstance(leaf, np.ndarray):
                continue
            other = leaf.astype(np.float32) if changed is np.float32 else 1 + np.arange(leaf.size).reshape(leaf.shape)
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call = base.with_operand(parameter, path, other)
            except (ValueError, TypeError, np.linalg.LinAlgError):
                continue  # of such numbers the function knows nothing
            operation = call.operation("known")
            for result, y in zip(operation.results, call.y if call.several else (call.y,)):
                if isinstance(result, Numeric):
                    check_result(result, y, call.sizes)


def check_result(result: Numeric, value: Any, sizes: dict[str, int]) -> None:
    kinds = {
        "python": (bool, int, float, complex),
        "scalar": np.generic,
        "number": (bool, int, float, complex, np.generic),
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


def sharing_is_as_said(name: str, case: str) -> None:
    call = called(name, case)
    results = [y for y in (call.y if call.several else [call.y]) if isinstance(y, np.ndarray) and y.size]
    if not results:
        return
    arrays = [
        leaf
        for name, value in call.bound.items()
        for *_, leaf in floats(name, (), value)
        if isinstance(leaf, np.ndarray)
    ]
    shared = any(np.shares_memory(y, array) for y in results for array in arrays)
    sharing = call.operation("known").sharing
    if sharing == "fresh":
        assert not shared
    if sharing == "view" and arrays:
        assert shared


def methods_mean_the_same(name: str, case: str) -> None:
    call = called(name, case)
    for method, rule in METHODS.items():
        if rule is call.rule and isinstance(call.args[0], np.ndarray):
            value = getattr(call.args[0], method)(*call.args[1:], **call.kwargs)
            np.testing.assert_array_equal(value, call.y)
            assert type(value) is type(call.y)


CHECKS = (formulas_are_right, formulas_keep_single_precision, results_are_foreseen,
          results_of_unlike_dtypes_are_foreseen, sharing_is_as_said, methods_mean_the_same)


@pytest.mark.parametrize("name", [name for name in CASES if name in BY_LABEL])
def test_line(name: str) -> None:
    with Checks() as checks:
        for case in CASES[name]:
            for check in CHECKS:
                checks.run(f"{check.__name__}: {name}({case})", check, name, case)


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
    "np.dtype": ("float", "'f4'", "np.int64"),
    "np.zeros": ("3", "(2, 3)", "(2, 3), int"),
    "np.ones": ("(2,)",),
    "np.empty": ("(2, 3)",),
    "np.eye": ("3", "2, 3", "2, k=1"),
    "np.identity": ("3",),
    "np.tri": ("3", "2, 3", "3, k=-1"),
    "np.indices": ("(2, 3)", "(3,)", "(2, 3), float"),
    "np.searchsorted": ("n(3), n(2)", "n(3), 0.5"),
    ".searchsorted": ("n(3), n(2)",),
    "np.argpartition": ("n(5), 2", "n(2, 4), [1, 2]"),
    "np.lexsort": ("(n(3), n(3))",),
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
    "np.isin": ("n(3), n(2)", "n(2, 3), n(2)"),
    **dict.fromkeys(("np.diag_indices_from", "np.triu_indices_from", "np.tril_indices_from"), ("n(3, 3)",)),
    **dict.fromkeys(("np.nanargmax", "np.nanargmin"), ("n(3)", "n(2, 3), 0", "n(2, 3), 1")),
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
    "np.diag_indices": ("3", "2, 3"),
    **dict.fromkeys(("np.triu_indices", "np.tril_indices"), ("3", "3, 1", "2, -1, 4")),
    "np.unravel_index": ("4, (2, 3)", "np.argmax(n(2, 3)), n(2, 3).shape", "np.array([1, 5]), (2, 3)", "[4, 0], (2, 3)",
                         "np.array([[1, 2], [0, 3]]), n(2, 2).shape", "np.array(2), (5,)"),
    **{name: ("n(3), n(2, 4)",) for name in BY_LABEL if name.endswith(".outer")},
    "np.allclose": ("n(3), n(3)",),
    "math.isclose": ("0.5, 0.25",),
    **dict.fromkeys(("bisect.bisect_left", "bisect.bisect_right"), ("[0.1, 0.4, 0.8], 0.5", "n(3), 0.5")),
}
CONSTANTS = [
    pytest.param(name, case, id=f"{name}({case})")
    for name, rule in BY_LABEL.items()
    if rule.constant
    for case in SPECIAL.get(
        name,
        ("0.5",)
        if name.startswith("math.")
        else getattr(CONSTANT_CASES, "two" if "x2" in rule.names_taken else "one"),
    )
]


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated")
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
    operands = {parameter.name: Numeric("python", np.dtype(float), ()) for parameter in rule.parameters
                if not parameter.keyword_only}
    result = result_of(Operation(rule, dict(operands)))
    assert isinstance(result, Numeric) and result.kind == "python"


@pytest.mark.parametrize("function", ARITHMETIC)
def test_what_arithmetic_gives_is_foreseen_as_samples_tell(function: Any) -> None:
    rule, foreseen = RULES[function], 0
    labels = [parameter.name for parameter in rule.parameters if not parameter.keyword_only]
    known = [Numeric(kind, np.dtype(dtype), shape) for dtype in (float, np.float32, int) for kind, shape in (
        ("python", ()), ("scalar", ()), ("number", ()), ("array", ()), ("array", (2,)), ("any", ()))]
    for values in itertools.product(known, repeat=len(labels)):
        operands = dict(zip(labels, values))
        found = _of_doubles(rule, list(values))
        foreseen += found is not None
        assert found in (None, _sampled_kinds(rule, operands, True)), values
    assert foreseen == (4 if len(labels) == 1 else 20)


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


def test_whatever_a_real_array_is_filled_with_it_stays_real() -> None:
    real = Numeric("array", None, (None,), real=True)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")  # an error would be taken for a sample that tells nothing
        found = result_of(Operation(RULES[np.full_like], {"a": real, "fill_value": Numeric()}))
    assert isinstance(found, Numeric) and found.real and not warned
