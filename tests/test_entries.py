"""What was made of a function: once, as long as it is there, and for all that one ``def`` makes in a loop."""
from __future__ import annotations

import functools
import gc
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

import s2sgrad
from s2sgrad.derivative import derivative
from s2sgrad.entries import ATTRIBUTE, BOUND, entries_of
from s2sgrad.entry import PATTERN_BOUND, Entry
from s2sgrad.errors import ArgumentError, ArgumentTypeError

X = np.array([0.5, -1.0, 2.0])
ROWS = np.arange(12.0).reshape(4, 3)


def energy(x, k=2.0):
    return (k * x * x).sum()


def scaled(x, row):
    return (x * row).sum() ** 2


@contextmanager
def compilations() -> Iterator[list[str]]:
    """The names of what is compiled meanwhile."""
    made: list[str] = []
    plain = derivative.compile_text

    def counting(text: str, name: str, *rest: Any) -> Any:
        made.append(name)
        return plain(text, name, *rest)

    derivative.compile_text = counting
    try:
        yield made
    finally:
        derivative.compile_text = plain


def test_a_gradient_is_made_once() -> None:
    assert s2sgrad.grad(energy) is s2sgrad.grad(energy)
    assert s2sgrad.grad(energy, 1) is s2sgrad.grad(energy, argnums=1)
    different = [s2sgrad.grad(energy), s2sgrad.grad(energy, 1), s2sgrad.grad(energy, (0,)),
                 s2sgrad.grad(energy, (0, 1)), s2sgrad.grad(energy, has_aux=True),
                 s2sgrad.grad(energy, holomorphic=True), s2sgrad.value_and_grad(energy),
                 s2sgrad.grad(s2sgrad.grad(energy))]
    assert len(set(map(id, different))) == len(different)
    for _ in range(2):
        for wrong in (True, 1.0, [0], "x", ([0],), np.array([0, 1])):
            with pytest.raises(ArgumentTypeError):
                s2sgrad.grad(energy, wrong)
        with pytest.raises(ArgumentError):
            s2sgrad.grad(energy, 2)


@pytest.mark.parametrize("derive", [
    lambda function: s2sgrad.grad(function)(X), lambda function: s2sgrad.vjp(function, X)[1](1.0),
    lambda function: s2sgrad.jvp(function, (X,), (X,)), lambda function: s2sgrad.hessian(function)(X),
    lambda function: s2sgrad.jacobian(s2sgrad.grad(function))(X)])
def test_a_lambda_in_a_loop_is_compiled_once(derive: Callable) -> None:
    row = ROWS[0]
    found, counts = [], []
    with compilations() as made:
        for row in ROWS:
            found.append(derive(lambda x: scaled(x, row)))  # noqa: B023
            counts.append(len(made))
    assert len(set(counts)) == 1
    expected = [derive(functools.partial(lambda row, x: scaled(x, row), row)) for row in ROWS]
    for one, other in zip(found, expected):
        np.testing.assert_allclose(np.hstack(one), np.hstack(other))


def made(scale: float) -> Callable:
    def inner(x):
        return (x * scale).sum()
    return inner


def test_closures_of_their_own_are_told_apart() -> None:
    first, second = made(2.0), made(3.0)
    for _ in range(2):
        np.testing.assert_array_equal(s2sgrad.grad(first)(X), np.full(3, 2.0))
        np.testing.assert_array_equal(s2sgrad.grad(second)(X), np.full(3, 3.0))


def test_defaults_are_told_apart() -> None:
    found = []
    for scale in (2.0, 2, 0.0, -0.0, True, ROWS[1]):
        found.append(s2sgrad.grad(lambda x, s=scale: (x * s).sum())(X))
        found.append(s2sgrad.grad(lambda x, *, s=scale: (x * s).sum())(X))
    expected = [np.full(3, 2.0)] * 4 + [np.zeros(3)] * 4 + [np.ones(3)] * 2 + [ROWS[1]] * 2
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(np.array(found)[:, 0]), [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0])


def test_attributes_and_rules_are_told_apart() -> None:
    def make() -> Callable:
        def cube(x):
            return x ** 3
        return cube

    plain, ruled, named = make(), make(), make()
    s2sgrad.rule(ruled, x="g * 100.0")
    named.__name__ = "third"
    for _ in range(2):
        assert [s2sgrad.grad(function)(2.0) for function in (plain, ruled, plain, named)] == [12.0, 100.0, 12.0, 12.0]
    assert s2sgrad.grad(named).__name__ == "third"


def let_closures_go() -> int:
    """How many of those made by turns are still there in the end."""
    class Data(dict):
        """Can be referred to weakly."""

    alive = []

    def work(index: int) -> None:
        data = Data(x=np.full(3, float(index)))
        alive.append(weakref.ref(data))

        def loss(w, data=data):
            return (w * data["x"]).sum()

        def other(w):
            return loss(w) ** 2

        s2sgrad.grad(loss)(X)
        s2sgrad.vjp(loss, X)
        s2sgrad.jvp(other, (X,), (X,))
        s2sgrad.hessian(other)(X)
        s2sgrad.differentiable(loss)(s2sgrad.tensor(X, requires_grad=True)).backward()

    for index in range(6):
        work(index)
    gc.collect()
    return sum(reference() is not None for reference in alive)


def test_what_a_closure_holds_goes_with_it() -> None:
    """In a process of its own: collecting all that was compiled for other tests takes a while."""
    ran = subprocess.run([sys.executable, "-c", "import test_entries; print(test_entries.let_closures_go())"],
                         cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    assert int(ran.stdout) <= 1  # the last, which is there should the next be made in the same loop


def test_of_one_function_so_many_are_kept() -> None:
    for count in range(2 * BOUND):
        s2sgrad.grad(functools.partial(energy, k=float(count)))(X)
    assert len(entries_of(energy).kept) <= BOUND


def test_wrappers_have_their_own() -> None:
    np.testing.assert_array_equal(s2sgrad.grad(energy)(X), 4.0 * X)

    @functools.wraps(energy)
    def wrapper(x):
        return 3.0 * energy(x)

    np.testing.assert_array_equal(s2sgrad.grad(wrapper)(X), 12.0 * X)
    np.testing.assert_array_equal(s2sgrad.grad(energy)(X), 4.0 * X)
    assert entries_of(wrapper) is not entries_of(energy)


def test_functions_are_pickled_without() -> None:
    np.testing.assert_array_equal(s2sgrad.grad(energy)(X), 4.0 * X)
    assert pickle.loads(pickle.dumps(energy)) is energy

    def local(x):
        return (x ** 2).sum()

    s2sgrad.grad(local)(X)
    copied = pickle.loads(cloudpickle.dumps(local))
    assert not vars(copied)[ATTRIBUTE].kept
    np.testing.assert_array_equal(s2sgrad.grad(copied)(X), 2.0 * X)


# ---- captured integers that are ever others

NUMBER = 0
TABLE = {0: 0.5, 1: 2.0, 2: -1.0, 3: 3.0, 4: 1.5, 5: 0.25}
LAYERS = [np.full(3, 0.1 * count) for count in range(1, 7)]


def repeated(x):
    for _ in range(NUMBER):
        x = np.sin(x) * 1.1
    return x.sum()


def powered(x):
    return (x ** NUMBER).sum() / (NUMBER + 1)


def row_taken(x):
    return (x * LAYERS[NUMBER]).sum() ** 2


def looked_up(x):
    return (x * TABLE[NUMBER]).sum() ** 2


def by_kind(x):
    return (x ** 2).sum() if NUMBER % 3 == 1 else np.exp(x).sum() * NUMBER


def along_an_axis(x):
    return (np.outer(x, x).reshape(3, 1, 1, 3, 1, 1).max(axis=NUMBER) ** 2).sum()


def cut(x):
    return (x[:NUMBER] ** 3).sum() + x[NUMBER % 3]


def rows_made(x):
    return (np.outer(x, np.arange(0.5, 3 * (NUMBER + 1))).reshape(-1, NUMBER + 1)[0] ** 2).sum()


def called_with_another(x, NUMBER=2):  # noqa: N803
    return by_kind(x) * NUMBER


def written_to(x):
    y = x * x
    y[NUMBER % 3] *= 3.0
    return y.sum()


def in_a_closure(x):
    def inner(v):
        return v ** NUMBER + NUMBER
    return inner(x).sum()


@pytest.mark.parametrize("function", [
    repeated, powered, row_taken, looked_up, by_kind, along_an_axis, cut, rows_made, called_with_another, written_to,
    in_a_closure])
def test_integers_that_vary(function: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    point = np.array([0.5, 1.5, 0.7])
    monkeypatch.setattr(f"{__name__}.NUMBER", 0)
    pullbacks = []
    for number in [*range(6), 3, 0, 5]:
        monkeypatch.setattr(f"{__name__}.NUMBER", number)
        found = s2sgrad.grad(function)(point)
        s2sgrad.judge.compare(found, function, (point,), 0, 1.0)
        value, pullback = s2sgrad.vjp(function, point)
        assert value == function(point)
        pullbacks.append((pullback, found))
        _, tangent = s2sgrad.jvp(function, (point,), (np.ones(3),))
        np.testing.assert_allclose(tangent, found.sum())
    for pullback, found in pullbacks:  # which belong to the numbers of then
        np.testing.assert_allclose(pullback(1.0)[0], found)


@pytest.mark.parametrize(("function", "most"), [
    (repeated, 3), (powered, 3), (row_taken, 3), (by_kind, 3), (cut, 3), (in_a_closure, 4), (along_an_axis, 6)])
def test_code_for_integers_that_vary(function: Callable, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    point = np.array([0.5, 1.5, 0.7])
    with compilations() as names:
        for number in [*range(6), *range(6)]:
            monkeypatch.setattr(f"{__name__}.NUMBER", number)
            s2sgrad.value_and_grad(function)(point)
    assert names.count(f"{function.__name__}_primal") <= most


TEXT = ""


def spelled(x):
    total = 0.0
    for first, second in zip(TEXT, TEXT[1:]):
        total += x[ord(first) - 97] * x[ord(second) - 97]
    return total * len(TEXT)


def named(x):
    return np.linalg.norm(np.outer(x, x), ord="fro" if "a" in TEXT else "nuc") + (x[0] if TEXT > "b" else x[1])


def under_a_key(x):
    parts = {"a": x[0], "b": x[1] ** 2, "c": x[2]}
    return sum(parts[letter] for letter in TEXT) ** 2


def chosen(x):
    if TEXT.startswith("a"):
        return (x ** 2).sum()
    return np.sum(x, axis=0 if TEXT[-1] == "c" else -1)


@pytest.mark.parametrize(("function", "most"), [(spelled, 5), (named, 10), (under_a_key, 5), (chosen, 10)])
def test_texts_that_vary(function: Callable, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    point = np.array([0.5, 1.5, 0.7])
    monkeypatch.setattr(f"{__name__}.TEXT", "a")
    with compilations() as names:
        for text in ["abc", "ab", "cab", "bb", "ca", "aabb", "bc", "c", "abc", "bacca"]:
            monkeypatch.setattr(f"{__name__}.TEXT", text)
            s2sgrad.judge.compare(s2sgrad.grad(function)(point), function, (point,), 0, 1.0)
    assert names.count(f"{function.__name__}_primal") <= most


def test_texts_given_that_vary() -> None:
    def scored(x, text, mode="sum"):
        total = x[2]
        for letter in text:
            total = total * 2.0 + x[ord(letter) - 97] ** 2
        return total if mode == "sum" else total / len(text)

    point = np.array([0.5, 1.5, 0.7])
    with compilations() as names:
        for text in ["abc", "ab", "cab", "bb", "ca", "aabb", "bc", "c", "abc", "bacca"]:
            for mode in ("sum", "mean"):
                found = s2sgrad.grad(scored)(point, text, mode)
                s2sgrad.judge.compare(found, scored, (point, text, mode), 0, 1.0)
                _, tangent = s2sgrad.jvp(scored, (point, text, mode), (np.ones(3), None, None))
                np.testing.assert_allclose(tangent, found.sum())
    assert names.count("scored_primal") <= 16


def test_texts_that_must_be_known() -> None:
    def scaled(x, kind):
        return np.linalg.norm(x, kind)

    matrix = np.array([[0.5, 1.5], [0.7, -0.2]])
    for kind in ["fro", "nuc", "fro", "nuc"]:
        s2sgrad.judge.compare(s2sgrad.grad(scaled)(matrix, kind), scaled, (matrix, kind), 0, 1.0)

    def under(params, label):
        return np.sum(params[label] ** 2) + np.sum(params.get(label + "_bias", 0.0))

    params = {**{f"w{i}": np.full(i + 1, 1.0 + i) for i in range(7)}, "w3_bias": np.ones(2), "w6_bias": 0.5}
    for i in [0, 1, 2, 3, 4, 5, 6, 3]:
        found = s2sgrad.grad(under)(params, f"w{i}")
        for label, value in params.items():
            expected = 2.0 * value if label == f"w{i}" else np.ones(np.shape(value)) * (label == f"w{i}_bias")
            np.testing.assert_allclose(found[label], expected)


def test_a_step_counter_of_an_object() -> None:
    class Schedule:
        def __init__(self) -> None:
            self.step = 0

        def loss(self, x):
            return (x ** 2).sum() / (1 + self.step)

    schedule = Schedule()
    with compilations() as names:
        for step in range(8):
            schedule.step = step
            np.testing.assert_allclose(s2sgrad.grad(schedule.loss)(X), 2.0 * X / (1 + step))
    assert names.count("loss_primal") <= 3


def test_an_object_that_is_made_for_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    class Filter:
        def __init__(self) -> None:
            self.state = np.zeros(3)
            self.invert = np.linalg.inv

        def predict(self) -> None:
            self.state = 0.5 * self.state

        def update(self, z: Any) -> None:
            self.state = self.state + self.invert(np.eye(3)) @ z

    def loss(zs: Any, filter_: Filter) -> float:
        total = 0.0
        for z in zs:
            filter_.predict()
            filter_.update(z)
            total += (filter_.state ** 2).sum()
        return total

    specialised = []
    specialise = Entry.specialise
    monkeypatch.setattr(Entry, "specialise", lambda *asked: specialised.append(asked) or specialise(*asked))
    for _ in range(8):
        found = s2sgrad.grad(loss)(ROWS, Filter())
        s2sgrad.judge.compare(found, lambda zs: loss(zs, Filter()), (ROWS,), 0, 1.0)
    assert len(specialised) == 1


def test_helpers_that_are_defined_again_and_again() -> None:
    """Past so many patterns only ranks are known, of which too little follows here: then sizes are."""
    for turn in range(PATTERN_BOUND + 3):
        def gram(x: Any) -> Any:
            y = x @ x.T
            y[0] = y[1] * x[0, 1]
            return y

        def loss(x: Any) -> float:
            return np.sum(gram(x) ** 2)

        s2sgrad.check_grad(loss, ROWS[:2] + turn)
