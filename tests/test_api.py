"""The public functions as their users call them."""
from __future__ import annotations

import inspect
import linecache
import re
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

import s2sgrad
from s2sgrad import siblings
from s2sgrad.compiler import comprehensions
from s2sgrad.derivative import derivative, path_table
from s2sgrad.entries import entries_of
from s2sgrad.errors import ArgumentError, ArgumentTypeError, S2SGradError, UnsupportedError

X = np.array([0.5, -1.0, 2.0])


def model(x, w=2.0, *, power=2):
    """A docstring."""
    return ((x * w) ** power).sum()


def test_argnums() -> None:
    np.testing.assert_allclose(s2sgrad.grad(model)(X), 8 * X)
    x_bar, w_bar = s2sgrad.grad(model, (0, 1))(X, 3.0)
    np.testing.assert_allclose(x_bar, 18 * X)
    np.testing.assert_allclose(w_bar, 6 * (X ** 2).sum())
    assert isinstance(s2sgrad.grad(model, -1)(X, 3.0), float)
    assert isinstance(s2sgrad.grad(model, (1,))(X, 3.0), tuple)


def test_gradients_come_in_the_order_of_argnums() -> None:
    def quotient(x, *divisors):
        return x / divisors[0] / divisors[1]

    slopes = s2sgrad.grad(quotient, (0, 1, 2))(2.0, 4.0, 5.0)
    assert s2sgrad.grad(quotient, (2, 0, -2))(2.0, 4.0, 5.0) == (slopes[2], slopes[0], slopes[1])
    value, (w_bar, x_bar) = s2sgrad.value_and_grad(model, (1, 0))(X, 3.0)
    assert isinstance(w_bar, float) and x_bar.shape == X.shape
    assert s2sgrad.grad(lambda x: s2sgrad.grad(quotient, (1, 0))(x, x, 5.0)[0])(2.0) == 0.05
    assert s2sgrad.vjp(quotient, 2.0, 4.0, 5.0)[1](1.0) == slopes


def test_keywords_and_defaults_pass_through() -> None:
    gradient = s2sgrad.grad(model)
    np.testing.assert_allclose(gradient(X, w=1.0), 2 * X)
    np.testing.assert_allclose(gradient(x=X, power=3), 24 * X ** 2)
    np.testing.assert_allclose(gradient(X), 8 * X)


def test_the_callable_looks_like_the_function() -> None:
    gradient = s2sgrad.grad(model)
    assert gradient.__name__ == "model"
    assert gradient.__doc__ == "A docstring."
    assert inspect.signature(gradient) == inspect.signature(model)
    with pytest.raises(TypeError, match=r"model\(\) takes from 1 to 2 positional arguments"):
        gradient(X, 1.0, 2.0)


def test_value_and_grad_and_aux() -> None:
    def with_aux(x):
        y = x ** 2
        return y.sum(), y

    value, gradient = s2sgrad.value_and_grad(lambda x: (x ** 2).sum())(X)
    assert value == (X ** 2).sum()
    np.testing.assert_allclose(gradient, 2 * X)
    (value, aux), gradient = s2sgrad.value_and_grad(with_aux, has_aux=True)(X)
    np.testing.assert_array_equal(aux, X ** 2)
    np.testing.assert_allclose(gradient, 2 * X)
    gradient, aux = s2sgrad.grad(with_aux, has_aux=True)(X)
    np.testing.assert_allclose(gradient, 2 * X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_have_the_dtype_and_shape_of_their_argument(dtype) -> None:
    def mixed(x, scale):
        return (np.tanh(x) * scale + x ** 2 * np.float64(3.0)).sum() / x.size

    for shape in ((), (0,), (3,), (2, 1, 3)):
        x = np.full(shape, 0.5, dtype)
        if x.size:
            found = s2sgrad.grad(mixed)(x, np.arange(3.0) if shape[-1:] == (3,) else 2.0)
            assert isinstance(found, np.ndarray)
            assert (found.shape, found.dtype) == (x.shape, x.dtype)
    assert type(s2sgrad.grad(lambda x: np.sin(x) * x)(dtype(0.5))) is dtype


def test_floats_give_floats() -> None:
    assert isinstance(s2sgrad.grad(lambda x: x * x)(3.0), float)
    assert s2sgrad.grad(lambda x: -x)(3.0) == -1.0
    assert s2sgrad.grad(lambda x: 3.0)(2.0) == 0.0
    np.testing.assert_array_equal(s2sgrad.grad(lambda x, y: y * y, (0, 1))(X, 3.0)[0], np.zeros(3))


def test_gradients_share_no_memory() -> None:
    x, w = X.copy(), X.copy()
    first, second = s2sgrad.grad(lambda x, w: (x * w).sum(), (0, 1))(x, w)
    for one, other in ((first, w), (second, x), (first, second)):
        assert not np.shares_memory(one, other)


def test_arguments_that_are_not_differentiated_may_be_anything() -> None:
    def f(x, options, mode, function, items, nothing):
        assert nothing is None
        scale = options["scale"] if mode == "scaled" else 1.0
        return (function(x) * scale).sum() + sum(items)

    gradient = s2sgrad.grad(f)
    np.testing.assert_allclose(gradient(X, {"scale": 2.0}, "scaled", np.sin, [1, 2], None), 2 * np.cos(X))
    np.testing.assert_allclose(gradient(X, {}, "plain", np.exp, [], None), np.exp(X))


def test_vjp() -> None:
    x = X.copy()
    value, pullback = s2sgrad.vjp(lambda a, k, b: (a * b, (a ** k).sum()), x, 2, 3.0)
    x[:] = 0.0  # what the pullback reads is its own
    cotangent = (np.ones(3), 1.0)
    for _ in range(2):
        a_bar, k_bar, b_bar = pullback(cotangent)
        np.testing.assert_allclose(a_bar, 3.0 + 2 * X)
        assert k_bar is None
        np.testing.assert_allclose(b_bar, X.sum())
    with pytest.raises(ValueError, match="the result has shape"):
        pullback((np.ones(4), 1.0))
    with pytest.raises(TypeError, match="the result has 2 parts"):
        pullback(np.ones(3))


def described_by_keys(xs):
    found = {"size": len(xs), "places": np.arange(len(xs)), "unit": "m"}
    for i, x in enumerate(xs):
        found[f"x{i}"] = x ** 2
    return found


def test_integers_beside_floats_under_keys_have_no_cotangent() -> None:
    pullback = s2sgrad.vjp(described_by_keys, [1.0, 3.0])[1]
    assert pullback({"size": None, "places": None, "unit": None, "x0": 1.0, "x1": 2.0}) == ([2.0, 12.0],)
    with pytest.raises(TypeError, match="the cotangent is None"):
        pullback({"size": None, "places": None, "unit": None, "x0": 1.0, "x1": None})


@pytest.mark.parametrize("call, kind, words", [
    (lambda: s2sgrad.grad(model)(3), TypeError, "is an int, and only floats have a gradient"),
    (lambda: s2sgrad.grad(model)(np.arange(3)), TypeError, "pass a float, or an array with dtype=float"),
    (lambda: s2sgrad.grad(model)(True), TypeError, "is a bool"),
    (lambda: s2sgrad.grad(lambda z: z * z)(1j), TypeError, "a gradient is of a real number"),
    (lambda: s2sgrad.grad(model)(np.array([None])), TypeError, "array of dtype object"),
    (lambda: s2sgrad.grad(model)("x"), TypeError, "is a str"),
    (lambda: s2sgrad.grad(model, 2), ValueError, "argnums 2 is out of range: model has 2 positional parameters"),
    (lambda: s2sgrad.grad(model, (0, 0)), ValueError, "names a parameter twice"),
    (lambda: s2sgrad.grad(model, ()), ValueError, "argnums is empty"),
    (lambda: s2sgrad.grad(model, 1.0), TypeError, "argnums is 1.0"),
    (lambda: s2sgrad.grad(3), TypeError, "an int can't be differentiated"),
    (lambda: s2sgrad.grad(len), TypeError, "not a plain Python function"),
    (lambda: s2sgrad.grad(lambda x: x * 2)(X), TypeError, "returned an array of shape"),
    (lambda: s2sgrad.grad(lambda x: None)(X), TypeError, "returned"),
    (lambda: s2sgrad.rule(np.sin), ValueError, "without formulas"),
    (lambda: s2sgrad.rule(np.sin, x="("), ValueError, "not an expression"),
])
def test_mistakes_get_a_sentence(call, kind, words) -> None:
    with pytest.raises(kind) as mistake:
        call()
    assert isinstance(mistake.value, S2SGradError)
    assert words in str(mistake.value)
    assert mistake.value.remedy


@pytest.mark.parametrize("report", [s2sgrad.source, s2sgrad.saved])
def test_reports_name_the_function_whose_argument_is_missing(report) -> None:
    with pytest.raises(TypeError, match=r"model\(\): missing a required argument: 'x'"):
        report(model)


def test_differentiable_leaves_the_function_itself() -> None:
    def f(x):
        return x * x if x > 0 else -x

    same = s2sgrad.differentiable(f)
    assert same.__wrapped__ is f and (same.__name__, same.__doc__, repr(same)) == (f.__name__, f.__doc__, repr(f))
    assert same(3.0) == 9.0
    gradient = s2sgrad.grad(f)
    gradient(2.0), gradient(3.0), gradient(-1.0)
    frequent, rare = f.paths()
    assert (frequent.calls, frequent.hits, frequent.misses) == (2, 1, 1)
    assert rare.calls == 1
    assert frequent.conditions[0][1:] == ("return x * x if x > 0 else -x", "true")
    assert rare.conditions[0][2] == "false"
    assert "path" in str(f.paths())


def count_compilations(monkeypatch) -> list:
    compiled = []
    compile_text = derivative.compile_text

    def counting(text, name, *rest):
        compiled.append(name)
        return compile_text(text, name, *rest)

    monkeypatch.setattr(derivative, "compile_text", counting)
    return compiled


def test_sizes_and_trip_counts_never_recompile(monkeypatch) -> None:
    def f(x, w, steps):
        for _ in range(steps):
            x = np.tanh(x * w)
        return x.sum()

    compiled = count_compilations(monkeypatch)
    gradient = s2sgrad.grad(f, (0, 1))
    for size, steps in ((3, 1), (3, 7), (5, 2), (4, 0), (80, 3)):
        gradient(np.ones((2 * size, size)), np.ones(size), steps)
    assert compiled == ["f_primal", "f_adjoint"]
    gradient(np.ones((4, 1)), np.ones(3), 2)  # a size of 1 is broadcast: other code
    assert len(compiled) == 4
    for size in (150, 300):  # the memory of large arrays is used again: other code
        gradient(np.ones((2 * size, size)), np.ones(size), 2)
    assert len(compiled) == 6


def test_a_size_that_decides_how_many_arguments_a_call_has(monkeypatch) -> None:
    def squares(*values):
        return sum(value**2 for value in values)

    def f(p, x, others):
        return squares(*p) + x.sum() * squares(*others)

    compiled = count_compilations(monkeypatch)
    gradient = s2sgrad.grad(f, (0, 1, 2))
    for count, size, length in ((2, 5, 1), (3, 5, 1), (2, 7, 1), (2, 9, 3), (2, 2, 3), (3, 5, 1), (40, 5, 30)):
        before = len(compiled)
        p, x, others = np.arange(1.0, count + 1), np.ones(size), [2.0] * length
        gradients = gradient(p, x, others)
        np.testing.assert_allclose(gradients[0], 2.0 * p)
        np.testing.assert_allclose(gradients[1], np.full(size, 4.0 * length))
        np.testing.assert_allclose(gradients[2], np.full(length, 4.0 * size))
        if (count, size, length) in ((2, 7, 1), (3, 5, 1)) and before > 8:
            assert len(compiled) == before  # other sizes lead to no new code, nor does what was met before
    with pytest.raises(UnsupportedError, match="how many arguments"):
        gradient(np.ones(65), np.ones(2), [1.0])
    assert gradient(np.ones(2), np.ones(2), [1.0])[0].shape == (2,)


def test_beyond_the_bound_one_warning_and_the_general_adjoint(monkeypatch) -> None:
    monkeypatch.setattr(path_table, "PATH_BOUND", 3)

    def f(x, a, b, c):
        y = x * x if a else x
        y = y * x if b else np.sin(y)
        return y + x if c else y * 2.0

    def g(x, a, b, c):
        y = x * x if a > 0 else x
        y = y * x if b > 0 else np.sin(y)
        return y + x if c > 0 else y * 2.0

    gradient = s2sgrad.grad(g)
    exact = s2sgrad.grad(f)
    with pytest.warns(UserWarning, match="more than 3 branch paths") as warnings:
        for a in (1.0, -1.0):
            for b in (1.0, -1.0):
                for c in (1.0, -1.0):
                    np.testing.assert_allclose(gradient(0.7, a, b, c), exact(0.7, a > 0, b > 0, c > 0))
    assert len(warnings) == 1


SCALE = 2.0


def test_captured_inputs_that_change_are_seen(monkeypatch) -> None:
    gradient = s2sgrad.grad(lambda x: (SCALE * x).sum())
    np.testing.assert_allclose(gradient(X), 2.0)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    np.testing.assert_allclose(gradient(X), 5.0)
    monkeypatch.setitem(globals(), "SCALE", np.arange(3.0))
    np.testing.assert_allclose(gradient(X), np.arange(3.0))
    monkeypatch.setitem(globals(), "SCALE", np.arange(6.0).reshape(2, 3))
    np.testing.assert_allclose(gradient(X), [3.0, 5.0, 7.0])

    turns, inner = 2, np.sin

    def closure(x):
        for _ in range(turns):
            x = inner(x)
        return x

    gradient = s2sgrad.grad(closure)
    np.testing.assert_allclose(gradient(0.5), np.cos(0.5) * np.cos(np.sin(0.5)))
    turns, inner = 1, np.exp
    np.testing.assert_allclose(gradient(0.5), np.exp(0.5))


def test_threads_that_call_and_compile_at_once() -> None:
    def f(x, a, b):
        y = x ** 2 if a > 0 else np.sin(x)
        for _ in range(3):
            y = y * x if b > 0 else y + x
        return y.sum()

    gradient = s2sgrad.grad(f)
    expected = {(a, b): s2sgrad.grad(f)(X, a, b) for a in (-1.0, 1.0) for b in (-1.0, 1.0)}
    wrong = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(50):
            a, b = rng.choice([-1.0, 1.0], 2)
            if not np.allclose(gradient(X, float(a), float(b)), expected[float(a), float(b)]):
                wrong.append((a, b))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_saved_buffers_are_listed() -> None:
    def f(x, n):
        for _ in range(n):
            x = np.sin(x)
        return x.sum()

    report = s2sgrad.saved(f, X, 4)
    (row,) = [row for row in report if row.shape == (4,)]
    assert row.name.startswith("loop_")
    assert row.text == "x = np.sin(x)"
    assert row.bytes == 3 * X.nbytes  # the first turn saves the argument itself
    assert "needed by" in str(report)


def test_numbers_of_a_class_that_computes_as_floats_do() -> None:
    number = type("Metres", (float,), {})
    assert s2sgrad.grad(lambda x: x * x)(number(1.5)) == 3.0


def test_generated_code_is_seen_by_inspect_and_in_tracebacks() -> None:
    def f(x):
        return check(x) * x

    source = s2sgrad.source(f, 2.0)
    assert "def f_primal(x):" in source
    gradient = s2sgrad.grad(f)
    with pytest.raises(IndexError) as failure:
        gradient(0.5)
    if hasattr(failure.value, "__notes__"):
        assert any("return check(x) * x" in note for note in failure.value.__notes__)
    gradient(2.0)
    (record,) = gradient.__s2sgrad__.patterns.values()
    assert inspect.getsource(record.primal) == str(record.derivative.primal_text)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
@pytest.mark.parametrize("run, doing", [
    (lambda f, x: s2sgrad.grad(f)(x), "running"), (lambda f, x: s2sgrad.vjp(f, x), "running"),
    (lambda f, x: s2sgrad.jvp(f, (x,), (x,)), "running")])
def test_an_exception_of_the_function_names_the_users_lines(run: Callable, doing: str) -> None:
    def inner(x):
        if x > 1.0:
            raise ValueError("too large")
        return x * x

    def outer(x):
        y = x + 1.0
        return inner(y) * y

    assert s2sgrad.grad(outer)(-1.5) > 0.0
    with pytest.raises(ValueError, match="too large") as failure:
        run(outer, 0.5)
    file, first = inspect.getsourcefile(outer), inspect.getsourcelines(inner)[1]
    assert failure.value.__notes__ == [f"while {doing} {file}:{first + 7}: return inner(y) * y",
                                       f'while {doing} {file}:{first + 2}: raise ValueError("too large")']


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_an_exception_of_the_adjoint_of_a_helper_names_the_helpers_line() -> None:
    def root(x):
        return np.sqrt(x)

    def total(x):
        return root(x).sum() * 2.0

    value, pullback = s2sgrad.vjp(total, np.zeros(2))
    for fails in (lambda: s2sgrad.grad(total)(np.zeros(2)), lambda: pullback(1.0)):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError) as failure:
            fails()
        assert [note.partition(": ")[2] for note in failure.value.__notes__] == [
            "return root(x).sum() * 2.0", "return np.sqrt(x)"]


@s2sgrad.rule(x="g * (1.0,)[int(x < 1)]")
def check(x):
    return x


def test_a_rule_and_the_judge_that_finds_it_wrong() -> None:
    s2sgrad.check_grad(lambda x: np.tanh(x) * x, X)

    @s2sgrad.rule(x="2 * x ** 2")
    def cube(x):
        return x ** 3

    with pytest.raises(AssertionError, match="numerically"):
        s2sgrad.check_grad(lambda x: cube(x).sum(), X)
    s2sgrad.rule(cube, x="3 * x ** 2")
    s2sgrad.check_grad(lambda x: cube(x).sum(), X)


# ---------------------------------------------------------------------------- the primal stays the user's function

DRAWN: list[int] = []
RATE = [1.0]


def draw(number):
    DRAWN.append(number)
    RATE[0] = number
    return float(number)


def drawing_operands(x):
    return draw(1) * 2.0 + np.exp(x * draw(2)) * draw(3)


def drawing_items(x):
    y = [draw(1), np.exp(x * draw(2)) * draw(3)]
    return y[0] * y[1]


def drawing_arguments(x):
    return np.maximum(x * draw(1), draw(2)) * draw(3) + (x * draw(4)) ** draw(5)


@pytest.mark.parametrize("function", [drawing_operands, drawing_items, drawing_arguments])
def test_effects_inside_an_expression_keep_their_order(function):
    def run(call):
        DRAWN.clear()
        RATE[0] = 1.0
        return call(0.3), tuple(DRAWN)

    value, order = run(function)
    (found, _), drawn = run(s2sgrad.value_and_grad(function))
    assert drawn == order
    assert found == value


# ---------------------------------------------------------------------------- what a pullback holds

FACTORS = np.array([[1.0, 2.0], [3.0, 4.0]])


def with_its_result_saved(x, data):
    return np.tanh(x)


def with_pair_saved(x, data):
    y = np.exp(x)
    return y, y * 2.0


def with_captured_array(x, data):
    return x * FACTORS


def with_rows_of_a_captured_array(x, data):
    total = 0.0
    rest = FACTORS[1:]
    for row in FACTORS:
        total = total + np.sum(x * row * x) + np.sum(x * FACTORS[1:]) + np.sum(np.sin(x * rest))
    return total


def with_arrays_in_a_list(x, data):
    total = 0.0
    for item in data:
        total = total + np.sum(np.sin(x * item))
    return total + np.sum(x * data[0])


def with_argument(x, data):
    return np.sin(x * x[1:])


@pytest.mark.parametrize("function", [with_its_result_saved, with_pair_saved, with_captured_array,
                                      with_rows_of_a_captured_array, with_arrays_in_a_list, with_argument])
def test_a_pullback_does_not_see_what_is_written_after_the_call(function):
    x, data = np.array([0.3, -0.4]), [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    value, pullback = s2sgrad.vjp(function, x, data)
    cotangent = tuple(map(np.ones_like, value)) if isinstance(value, tuple) else np.ones_like(value)
    expected = pullback(cotangent)[0].copy()
    before = FACTORS.copy()
    try:
        for array in (x, *data, FACTORS, *(value if isinstance(value, tuple) else [value])):
            if isinstance(array, np.ndarray):
                array *= 7.0
        np.testing.assert_array_equal(pullback(cotangent)[0], expected)
    finally:
        FACTORS[:] = before


SOMETHING = np.sin


def weight(something):
    return float(len(repr(something)))


def of_something(x):
    return np.sum(x * weight(SOMETHING))


def test_a_global_function_that_becomes_a_value(monkeypatch) -> None:
    """1, 1.0 and True are equal, but have patterns of their own."""
    gradient = s2sgrad.grad(of_something)
    for something in (np.sin, 1, 1.0, True, np.float64(1), np.ones(3), [1], np.cos):
        monkeypatch.setitem(globals(), "SOMETHING", something)
        for _ in range(2):
            np.testing.assert_array_equal(gradient(X), np.full(3, weight(something)))
    monkeypatch.delitem(globals(), "SOMETHING")
    with pytest.raises(NameError, match="SOMETHING"):
        gradient(X)
    monkeypatch.setitem(globals(), "SOMETHING", np.sin)
    np.testing.assert_array_equal(gradient(X), np.full(3, weight(np.sin)))


AXIS = 0
AXES: tuple = (0,)


def test_captured_integers_are_read_at_call_time(monkeypatch) -> None:
    x = np.arange(4.0).reshape(2, 2)
    gradient = s2sgrad.grad(over_captured_axes)
    for axis in (0, 1, 0):
        monkeypatch.setitem(globals(), "AXIS", axis)
        for axes in ((0,), (1,)):
            monkeypatch.setitem(globals(), "AXES", axes)
            one, other = (2.0 * np.broadcast_to(np.sum(x, axis=k, keepdims=True), (2, 2)) for k in (axis, *axes))
            np.testing.assert_array_equal(gradient(x), one - other)


def over_captured_axes(x):
    return np.sum(np.sum(x, axis=AXIS) ** 2) - np.sum(np.sum(x, axis=AXES) ** 2)


def bound_anew_in_another_shape(x, m):
    for v in m:
        v = np.maximum(np.ones(2), x)
    return v[0]


def test_a_loop_target_bound_anew_in_another_shape():
    assert s2sgrad.grad(bound_anew_in_another_shape)(1.3, np.ones((3, 3))) == 1.0


def halved(x):
    return x / 2.0 if x > 0.0 else -x


def sum_of_halves(x):
    total = 0.0
    for item in x:
        total += halved(item) ** 2
    return total


def test_source_shows_the_adjoints_of_functions_that_are_called():
    for shown in (sum_of_halves, lambda x: x * sum_of_halves(x)):
        text = s2sgrad.source(shown, np.array([1.0, -2.0]))
        assert "def halved_adjoint_0(" in text and "def halved_adjoint_1(" in text


def scaled_sum(x, *more, scale=1.0):
    total = x * scale
    for item in more:
        total = total + item * scale
    return total


def test_source_tells_functions_that_are_compiled_several_times_apart() -> None:
    def both(x, y):
        return scaled_sum(x, y, scale=y) * scaled_sum(x, scale=2.0) + scaled_sum(x, y, x)

    text = s2sgrad.source(both, 0.5, 2.0)
    defined = re.findall(r"def (\w+)\(", text)
    assert len(defined) == len(set(defined)) == 8
    called = re.findall(r" = (\w+_(?:primal|adjoint))[\[(]", text)
    assert set(called) == set(defined) - {"both_primal", "both_adjoint"}
    tangent = s2sgrad.source(both, 0.5, 2.0, mode="forward")
    defined = re.findall(r"def (\w+)\(", tangent)
    assert len(defined) == len(set(defined)) == 4


def test_source_shows_defaults_that_are_literals() -> None:
    def shifted(x, by=-1.5, scale=X, *, flag=None):
        return (x * scale).sum() + by if flag is None else x.sum()

    assert "def shifted_primal(x, by=-1.5, scale=..., *, flag=None):" in s2sgrad.source(shifted, X)
    np.testing.assert_allclose(s2sgrad.grad(shifted)(X), X)


def test_a_line_that_is_taken_for_one_never_reached_is_no_lost_derivative(monkeypatch) -> None:
    """The net below the analysis: were a comprehension over an empty list thought to give nothing ever."""
    def orthogonalised(a):
        found = []
        for v in a.T:
            w = v - sum([(q @ v) * q for q in found])
            found.append(w)
        return sum(np.sum(q ** 2) for q in found)

    a = np.arange(6.0).reshape(3, 2)
    s2sgrad.check_grad(orthogonalised, a)
    monkeypatch.setattr(comprehensions, "EMPTY", comprehensions.NEVER)
    for differentiated in (s2sgrad.grad(orthogonalised), lambda a: s2sgrad.jvp(orthogonalised, (a,), (a,))):
        with pytest.raises(s2sgrad.errors.S2SGradError, match="taken for one that is never reached"):
            differentiated(a)


def test_a_loop_that_never_runs_may_hold_anything() -> None:
    def f(x, extras=()):
        total = x.sum()
        for extra in extras:
            total = total + (extra * x).sum()
        return total

    s2sgrad.check_grad(f, np.ones(3))


SCALES = [2.0, 3.0]


@pytest.mark.parametrize("args", [
    (np.ones(3), np.ones(3)), (np.ones(3), 2.0), (0.5, 2.0), (0.5, 2), (np.float32(0.5), np.ones((2, 1))),
    (np.ones(2), {"w": 1.0, "n": 3}),
], ids=str)
@pytest.mark.parametrize("keyword", [False, True])
def test_a_second_call_finds_what_the_first_compiled(args, keyword, monkeypatch) -> None:
    """Without a look at anything but the key, whatever kinds of arguments and captured inputs make it up."""
    monkeypatch.setattr(siblings, "ALONE", 1000)
    scale = np.array(1.5)

    def f(x, y=0.0, *, power=2):
        total = y["w"] if isinstance(y, dict) else np.sum(y)
        return np.sum(x ** power) * total * scale * SCALES[0]

    gradient = s2sgrad.grad(f)
    given = {"power": 3} if keyword else {}
    first = gradient(*args, **given)
    (entry,) = entries_of(f).met
    entry.objects["specialise"] = None
    assert np.array_equal(gradient(*args, **given), first)


def total(tree):
    s = np.sin(tree["value"])
    for child in tree["children"]:
        s = s + total(child)
    return s


def test_a_tree_some_of_whose_lists_are_empty():
    """An empty list says nothing of what others hold in its place; like all that holds no floats it has None."""
    tree = {"value": 1.2, "children": [{"value": 0.7, "children": []}, {"value": 0.4, "children": [
        {"value": 2.0, "children": []}]}]}
    gradient = s2sgrad.grad(total)(tree)
    assert [gradient["value"], *(child["value"] for child in gradient["children"])] == pytest.approx(
        np.cos([1.2, 0.7, 0.4]))
    assert gradient["children"][0]["children"] is None
    assert gradient["children"][1]["children"][0]["value"] == pytest.approx(np.cos(2.0))


def squares(x):
    return np.sum(x ** 2)


def gives_nothing(x):
    np.sum(x ** 2)


@pytest.mark.parametrize("mistake, words", [
    (lambda x: s2sgrad.vjp(gives_nothing, x)[1](1.0), "the result is None, which has no cotangent"),
    (lambda x: s2sgrad.check_grad(gives_nothing, x), "gives_nothing returned None, which has no derivative"),
    (lambda x: s2sgrad.check_grads(gives_nothing, (x,)), "gives_nothing returned None, which has no derivative"),
    (lambda x: s2sgrad.jacobian(gives_nothing)(x), "gives_nothing returned None, which has no Jacobian"),
    (lambda x: s2sgrad.jacfwd(gives_nothing)(x), "gives_nothing returned None, which has no Jacobian"),
    (lambda x: s2sgrad.jacobian(squares)(3), "argument x of squares is an int, and a Jacobian is in a float"),
    (lambda x: s2sgrad.hessian(squares)("x"), "argument x of squares is a str, and a Jacobian is in a float"),
    (lambda x: s2sgrad.jacfwd(squares)(), "squares got no argument x: pass its arguments$"),
    (lambda x: s2sgrad.hvp(squares)(x), "squares got no argument x: pass its arguments, and the vector behind them"),
    (lambda x: s2sgrad.hvp(squares)(), "squares got no argument x: pass its arguments, and the vector behind them"),
    (lambda x: s2sgrad.check_grads(squares, x), "args is an array .*: pass a tuple"),
    (lambda x: s2sgrad.check_grads(squares, (x,), modes="rev"), "modes is 'rev': pass a tuple of modes"),
    (lambda x: s2sgrad.check_grads(squares, (x,), modes=()), r"modes is \(\): pass a tuple of modes"),
    (lambda x: s2sgrad.check_grads(squares, (x,), order=1.5), "check_grads got order 1.5"),
    (lambda x: s2sgrad.differentiable(classmethod(squares)), "write @classmethod above @differentiable"),
    (lambda x: s2sgrad.differentiable(property(squares)), "write @property above @differentiable"),
])
def test_mistakes_are_told_in_a_sentence(mistake, words):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        mistake(np.ones(3))


@pytest.mark.parametrize("function", [lambda x: x > 0.0, lambda x: np.sum(x) > 0.0, lambda x: True])
def test_what_is_true_or_false_has_no_gradient(function) -> None:
    for made in (s2sgrad.grad, s2sgrad.value_and_grad, s2sgrad.jacobian, s2sgrad.jacfwd, s2sgrad.hessian):
        with pytest.raises(ArgumentTypeError, match="a bool"):
            made(function)(0.5)
    value, pullback = s2sgrad.vjp(function, 0.5)
    assert value and pullback(1.0) == (0.0,)
    assert s2sgrad.jvp(function, (0.5,), (1.0,))[1] is None


@pytest.mark.parametrize("function", [lambda x: x ** 2 if x > 1.0 else 0, lambda x: 3, lambda x: int(x)])
def test_an_integer_result_depends_on_nothing(function) -> None:
    assert s2sgrad.grad(function)(0.5) == 0.0
    for made in (s2sgrad.jacobian, s2sgrad.jacfwd, s2sgrad.jacrev):
        assert made(function)(0.5) == 0.0


@pytest.mark.parametrize("text", ["return " + " + ".join(["x"] * 900), "return x" + ".clip(-9.0)" * 450 + ".sum()",
                                  "y = " + "(" * 150 + "-x" + ")" * 150 + "\n    return len(" + " + ".join(
                                      ["'a'"] * 900) + ") * y"])
def test_expressions_that_are_nested_too_deep(text: str) -> None:
    name = f"<nested {len(text)}>"
    linecache.cache[name] = len(text), None, f"def nested(x):\n    {text}\n".splitlines(True), name
    space: dict = {"__name__": "nested"}
    exec(compile("".join(linecache.cache[name][2]), name, "exec"), space)
    for made in (lambda f: s2sgrad.grad(f)(0.5), lambda f: s2sgrad.jvp(f, (0.5,), (1.0,)),
                       lambda f: s2sgrad.grad(lambda x: f(x) ** 2)(0.5)):
        with pytest.raises(UnsupportedError, match=r"(?s)<nested \d+>.*an expression here is nested \d+ deep.*a loop"):
            made(space["nested"])
