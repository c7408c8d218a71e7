"""Callables that are made again and again and differ in what they hold: closures, bound methods, partials."""
from __future__ import annotations

import functools
import gc
import threading
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad import entry, judge
from s2sgrad.entry import Entry
from s2sgrad.errors import UnsupportedError


def squares(w, x, y, power=2):
    return np.mean((x @ w - y) ** power)


class Model:
    offset = 0.5

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def loss(self, w):
        return squares(w, self.x, self.y) + self.offset * np.sum(w ** 2)

    def __call__(self, w):
        return np.sum(np.sin(self.x @ w) * self.y)


def bound_method(x, y):
    return Model(x, y).loss


def callable_object(x, y):
    return Model(x, y)


def partial_by_name(x, y):
    return functools.partial(squares, x=x, y=y, power=4)


def partial_in_order(x, y):
    return functools.partial(lambda y, x, w: squares(w, x, y), y, x)


def from_a_lambda(x, y):
    return lambda w: squares(w, x, y)


def from_a_def(x, y):
    scale = float(len(y))

    def objective(w):
        total = 0.0
        for row, target in zip(x, y):
            if row @ w > target:
                total += (row @ w - target) ** 2
            else:
                total -= np.sin(row @ w)
        return total / scale
    return objective


def with_defaults(x, y):
    return lambda w, x=x, y=y: squares(w, x, y)


def over_an_object(x, y):
    model = Model(x, y)
    return lambda w: model.loss(w)


def over_containers(x, y):
    data = {"x": x, "targets": [y, 2.0 * y]}
    return lambda w: squares(w, data["x"], data["targets"][1])


def read_further_inside(x, y):
    def objective(w):
        def residual(v):
            return x @ v - y
        return np.sum(residual(w) ** 2)
    return objective


def over_a_function(x, y):
    shape = np.tanh
    return lambda w: squares(shape(w), x, y)


MAKERS = [bound_method, callable_object, partial_by_name, partial_in_order, from_a_lambda, from_a_def, with_defaults,
          over_an_object, over_containers, read_further_inside, over_a_function]
"""Each makes a function of three numbers."""


def data(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    count = 2 + seed % 3
    return random.normal(size=3), random.normal(size=(count, 3)), random.normal(size=count)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list:
    """What has been compiled."""
    found: list = []
    compile_ = Entry.compile

    def noted(self, *args, **kwargs):
        found.append(self)
        return compile_(self, *args, **kwargs)
    monkeypatch.setattr(Entry, "compile", noted)
    return found


@pytest.mark.parametrize("make", MAKERS)
def test_each_has_its_own_gradient(make: Callable) -> None:
    for seed in range(7):
        w, x, y = data(seed)
        function = make(x, y)
        gradient = s2sgrad.grad(function)(w)
        judge.compare((gradient,), function, (w,), (0,), 1.0)
        value, again = s2sgrad.value_and_grad(function)(w)
        np.testing.assert_allclose(value, function(w), rtol=1e-12)
        np.testing.assert_allclose(again, gradient, rtol=1e-12)
        value, pullback = s2sgrad.vjp(function, w)
        x *= 2.0  # no pullback sees that
        np.testing.assert_allclose(pullback(1.0)[0], gradient, rtol=1e-12)
        x /= 2.0
        tangent = np.array([1.0, -2.0, 0.5])
        np.testing.assert_allclose(s2sgrad.jvp(function, (w,), (tangent,))[1], gradient @ tangent, rtol=1e-12)


@pytest.mark.parametrize("make", MAKERS)
def test_they_share_what_was_compiled(make: Callable, compiled: list) -> None:
    counts = []
    for seed in range(30, 50):
        w, x, y = data(seed)
        s2sgrad.grad(make(x, y))(w)
        counts.append(len(compiled))
    assert counts[-1] == counts[8] < 12, "the last were compiled for themselves"


@pytest.mark.parametrize("make", MAKERS)
def test_second_derivatives(make: Callable) -> None:
    for seed in range(4):
        w, x, y = data(seed)
        function = make(x, y)
        gradient = s2sgrad.grad(function)
        hessian = s2sgrad.hessian(function)(w)
        for row, step in zip(hessian, np.eye(3)):
            slope = (gradient(w + 1e-6 * step) - gradient(w - 1e-6 * step)) / 2e-6
            np.testing.assert_allclose(row, slope, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(s2sgrad.hvp(function)(w, step), row, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(s2sgrad.jacobian(gradient)(w), hessian, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(s2sgrad.jacobian(function, holomorphic=False)(w), gradient(w), rtol=1e-9)


def test_derivatives_of_their_derivatives() -> None:
    for seed in range(4):
        w, x, y = data(seed)
        function = from_a_lambda(x, y)
        hessian = s2sgrad.hessian(function)(w)
        np.testing.assert_allclose(s2sgrad.hessian_diagonal(function, -1)(w), np.diagonal(hessian), atol=1e-12)
        for jacobian in (s2sgrad.jacobian, s2sgrad.jacfwd, s2sgrad.jacrev):
            np.testing.assert_allclose(s2sgrad.jacobian(jacobian(function))(w), hessian, rtol=1e-9, atol=1e-12)


def test_names_that_are_bound_anew_between_calls() -> None:
    def make(scale):
        def function(x):
            return scale * x ** 2

        def set_scale(other):
            frame[:] = [other]
            return other
        frame = [scale]
        return function, set_scale

    functions = []
    for turn in range(5):
        factor = float(turn)
        functions.append(s2sgrad.grad(lambda x: factor * x ** 2))  # noqa: B023
        assert functions[-1](3.0) == 6.0 * turn
    factor = np.array([2.0])
    functions[-1] = s2sgrad.grad(lambda x: np.sum(factor * x ** 2))
    for each in functions[:-1]:
        with pytest.raises(TypeError, match="a gradient is of a single float"):
            each(3.0)
    factor = 10
    assert [each(3.0) for each in functions] == [60.0] * 5


def test_a_name_that_has_no_value_any_more() -> None:
    def make(there):
        if there:
            factor = 3.0
        return lambda x: factor * x

    for turn in range(4):
        assert s2sgrad.grad(make(True))(float(turn)) == 3.0
    for each in [s2sgrad.grad(make(False)) for _ in range(4)]:
        with pytest.raises((NameError, UnsupportedError), match="factor"):
            each(3.0)


def test_other_kinds_of_values() -> None:
    def make(held):
        return lambda x: np.sum(x * held) if held is not None else np.sum(x ** 2)

    x = np.array([1.0, 2.0])
    values = [2.0, 3, np.float32(2), x, None, np.ones((3, 2)), np.arange(2), 1 + 0j, None, x.astype("f4"), True, 5.0]
    for held in values * 2:
        function = make(held)
        expected = 2 * x if held is None else np.broadcast_to(np.real(held), np.broadcast_shapes(
            np.shape(held), (2,))).reshape(-1, 2).sum(0)
        if isinstance(held, complex):
            with pytest.raises(TypeError):
                s2sgrad.grad(function)(x)
        else:
            np.testing.assert_allclose(s2sgrad.grad(function)(x), expected)


def test_a_name_that_another_function_binds() -> None:
    def make(start):
        def step():
            nonlocal counted
            counted = counted * 2.0
            return 1.0

        def function(x):
            first = counted * x
            return first * step() * counted
        counted = start
        return function

    for start in (1.0, 2.0, 3.0, 4.0, 5.0):
        function = make(start)
        try:
            gradient = s2sgrad.grad(function)(3.0)
        except UnsupportedError:
            continue
        assert gradient == 2.0 * start ** 2


def test_what_a_function_writes_into_is_its_owners() -> None:
    def make(state, log):
        def function(x):
            state[0] += 1.0
            log.append(len(log))
            return np.sum(x * state)
        return function

    for turn in range(6):
        state, log = np.full(3, float(turn)), ["before"]
        gradient = s2sgrad.grad(make(state, log))(np.ones(3))
        np.testing.assert_array_equal(gradient, [turn + 1.0, turn, turn])
        np.testing.assert_array_equal(state, [turn + 1.0, turn, turn])
        assert log == ["before", 1]


def test_wrong_arguments_are_the_functions_own() -> None:
    for _ in range(5):
        w, x, y = data(0)
        gradient = s2sgrad.grad(from_a_lambda(x, y))
        with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
            gradient(w, x=x)
        with pytest.raises(TypeError, match="missing"):
            gradient()
        with pytest.raises(TypeError, match="takes 1 positional argument|too many"):
            gradient(w, x)
        with pytest.raises(TypeError, match="only floats have a gradient"):
            gradient(np.arange(3))
        with pytest.raises(TypeError):
            s2sgrad.grad(with_defaults(x, y))(w, v=1)
        np.testing.assert_allclose(s2sgrad.grad(with_defaults(x, y))(w, y=2 * y),
                                   s2sgrad.grad(from_a_lambda(x, 2 * y))(w))
        np.testing.assert_allclose(s2sgrad.grad(partial_by_name(x, y))(w, power=2), gradient(w))


def test_what_is_refused_of_all_is_refused_of_each() -> None:
    def make(k):
        return lambda x: np.sum(x * k) + len((x * k).tobytes())

    for turn in range(5):
        with pytest.raises(UnsupportedError, match="tobytes"):
            s2sgrad.grad(make(float(turn)))(np.ones(2))


def test_they_keep_nothing_alive() -> None:
    kept: list[weakref.ref] = []
    for turn in range(100):
        settings = SimpleNamespace(scale=np.full(3, float(turn)))
        array = np.ones(3) * turn
        kept += [weakref.ref(array), weakref.ref(settings.scale)]
        gradient = s2sgrad.grad(lambda x, settings=settings: np.sum(x * settings.scale))
        gradient(np.ones(3))
        s2sgrad.grad(from_a_lambda(array.reshape(1, 3), np.ones(1)))(np.ones(3))
    del array, settings, gradient
    gc.collect()
    assert sum(each() is not None for each in kept) < 20


def test_functions_that_are_others_in_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "PATTERNS_KEPT", 8)
    kept: list[weakref.ref] = []

    def loss(w, model):
        return np.sum(model(w) ** 2)

    def scaled_by(scale):
        return lambda w: w * scale

    for turn in range(25):
        scale = np.full(2, 1.0 + turn)
        kept.append(weakref.ref(scale))
        gradient = s2sgrad.grad(loss)(np.array([1.0, -2.0]), scaled_by(scale))
        np.testing.assert_allclose(gradient, 2 * scale ** 2 * [1.0, -2.0])
    del scale, gradient
    gc.collect()
    assert sum(each() is not None for each in kept) < 10


def test_objects_that_are_others_in_each_call(compiled: list) -> None:
    def loss(w, model, settings):
        return model.loss(w) * settings.rate

    counts = []
    for seed in range(12):
        w, x, y = data(seed)
        model, settings = Model(x, y), SimpleNamespace(rate=0.5 + seed)
        gradient = s2sgrad.grad(loss)(w, model, settings)
        judge.compare((gradient,), loss, (w, model, settings), (0,), 1.0)
        counts.append(len(compiled))
    assert counts[-1] == counts[8] < 12


def test_objects_known_by_what_they_are() -> None:
    """What an object is, and not only what it holds, may decide."""
    first, second = Model(np.ones((1, 2)), np.ones(1)), Model(np.ones((1, 2)), np.ones(1))

    def loss(w, model):
        return (2.0 if model is first else 3.0) * model(w)

    w = np.array([0.25, 0.5])
    for model in [first, second, Model(np.ones((1, 2)), np.ones(1)), Model(np.ones((1, 2)), np.ones(1)), first] * 3:
        gradient = s2sgrad.grad(loss)(w, model)
        np.testing.assert_allclose(gradient, (2.0 if model is first else 3.0) * np.cos(0.75) * np.ones(2))


class Fitted:
    def __init__(self, rate):
        self.rate, self.scaled = rate, None

    def fit(self, x):
        self.scaled = x * self.rate
        return np.sum(self.scaled ** 2)


def test_objects_that_are_stored_into_and_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def loss(x, model):
        return model.fit(x)

    gradient, x = s2sgrad.grad(loss), np.array([0.25, 0.5])
    gradient(x, Fitted(1.0))
    matched: list[int] = []
    match = entry.Entry.match
    monkeypatch.setattr(entry.Entry, "match", lambda *arguments: matched.append(1) or match(*arguments))
    for rate in (2.0, 3.0):
        np.testing.assert_allclose(gradient(x, Fitted(rate)), 2.0 * rate ** 2 * x)
    assert not matched


def test_threads() -> None:
    wrong: list[Any] = []

    def work(number: int) -> None:
        for seed in range(number, number + 40):
            w, x, y = data(seed)
            gradient = s2sgrad.grad(from_a_lambda(x, y))(w)
            if not np.allclose(gradient, 2 * x.T @ (x @ w - y) / len(y)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_paths_are_those_of_all() -> None:
    for seed in range(6):
        w, x, y = data(seed)
        function = from_a_def(x, y)
        gradient = s2sgrad.grad(function)
        gradient(w)
    assert sum(path.calls for path in s2sgrad.paths(gradient)) >= 4
    assert s2sgrad.paths(function)


def test_texts_that_they_hold() -> None:
    point = np.array([0.5, 1.5, 0.7])

    def scored(x, text):
        return sum(x[ord(letter) - 97] ** 2 * (place + 1) for place, letter in enumerate(text))

    def gradient(text: str, kind: str) -> Any:
        return s2sgrad.grad(lambda x: scored(x, text) if kind == "plain" else scored(2.0 * x, text))(point)

    for text in ["abc", "ab", "cab", "bb", "ca", "aabb", "bc", "c", "abc", "bacca"]:
        for kind in ("plain", "scaled"):
            expected = np.zeros_like(point)
            for place, letter in enumerate(text):
                expected[ord(letter) - 97] += (place + 1) * 2.0 * point[ord(letter) - 97] * (
                    1.0 if kind == "plain" else 4.0)
            np.testing.assert_allclose(gradient(text, kind), expected)
