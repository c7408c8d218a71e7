"""Forward mode's public functions: what they take, what they give, what they leave alone."""
from __future__ import annotations

import functools
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.entry import tangent_entry
from s2sgrad.errors import ArgumentTypeError
from s2sgrad.subjects import subject_of

X = np.array([0.5, -1.0, 2.0])
T = np.array([1.0, 0.0, -2.0])


def weighted(x: Any, w: Any, n: int = 2) -> Any:
    return (x ** n * w).sum()


def test_value_and_tangent() -> None:
    value, tangent = s2sgrad.jvp(weighted, (X, 2.0), (T, 0.5))
    assert value == weighted(X, 2.0)
    np.testing.assert_allclose(tangent, (2 * X * 2.0 * T).sum() + 0.5 * (X ** 2).sum())


def test_no_tangent_keeps_an_argument_constant() -> None:
    assert s2sgrad.jvp(weighted, (X, 2.0), (None, 0.5))[1] == 0.5 * (X ** 2).sum()
    assert s2sgrad.jvp(weighted, (X, 2.0, 3), (None, 0.5, None))[1] == 0.5 * (X ** 3).sum()
    assert s2sgrad.jvp(weighted, (X, 2.0), (None, None))[1] == 0.0


def test_what_is_no_float_has_no_tangent() -> None:
    def f(p: dict) -> tuple:
        return p["x"] * p["n"], p["n"], "text", {"one": 1.0, "array": np.ones(2), "flags": np.array([True])}

    value, tangent = s2sgrad.jvp(f, ({"x": X, "n": 3},), ({"x": T, "n": None},))
    np.testing.assert_array_equal(tangent[0], 3 * T)
    assert tangent[1:3] == (None, None) and tangent[3]["one"] == 0.0 and tangent[3]["flags"] is None
    np.testing.assert_array_equal(tangent[3]["array"], np.zeros(2))
    assert value[3]["one"] == 1.0


def test_numbers_stay_what_they_are() -> None:
    value, tangent = s2sgrad.jvp(lambda x: math.sin(x) * 2.0, (0.5,), (1,))
    assert type(value) is type(tangent) is float
    value, tangent = s2sgrad.jvp(lambda x: np.sin(x), (np.float32(0.5),), (1.0,))
    assert type(value) is type(tangent) is np.float32
    value, tangent = s2sgrad.jvp(lambda x: x * 2.0, (X.astype(np.float32),), (T,))
    assert value.dtype == tangent.dtype == np.float32


def same(x: Any) -> Any:
    return x


def paired(x: Any) -> Any:
    return x, [x]


def cut(x: Any) -> Any:
    return x[:2]


def moved(x: Any) -> Any:
    return x + 1.0


def test_memory_is_its_own() -> None:
    tangent = T.copy()
    for function in (same, paired, cut, moved):
        _, found = s2sgrad.jvp(function, (X,), (tangent,))
        parts = [found, found[0], found[1][0]] if isinstance(found, tuple) else [found]
        arrays = [part for part in parts if isinstance(part, np.ndarray)]
        assert not any(np.shares_memory(part, tangent) for part in arrays)
        assert all(part.flags.writeable for part in arrays)


def test_arguments_are_changed_as_the_function_changes_them() -> None:
    def f(u: Any, x: Any) -> Any:
        u[0] = x[0]
        u *= x
        return u.sum()

    u, tangent = np.ones(3), np.zeros(3)
    value, found = s2sgrad.jvp(f, (u, X), (tangent, T))
    plain = np.ones(3)
    assert value == f(plain, X)
    np.testing.assert_array_equal(u, plain)
    np.testing.assert_array_equal(tangent, np.zeros(3))
    assert s2sgrad.jvp(f, (np.ones(3), X), (None, T))[1] == found
    with pytest.raises(s2sgrad.errors.UnsupportedError, match="share memory"):
        s2sgrad.jvp(f, (u, u), (T, T))


class Model:
    def __init__(self, scale: float):
        self.scale = scale

    def __call__(self, x: Any) -> Any:
        return x * self.scale

    def twice(self, x: Any) -> Any:
        return self(x) + x * self.scale


def total(*parts: Any, scale: Any = 1.0) -> Any:
    return sum(parts) * scale


def test_callables() -> None:
    assert s2sgrad.jvp(np.sin, (0.5,), (2.0,))[1] == 2.0 * np.cos(0.5)
    np.testing.assert_array_equal(s2sgrad.jvp(np.sort, (X,), (T,))[1], T[[1, 0, 2]])
    np.testing.assert_array_equal(s2sgrad.jvp(Model(3.0), (X,), (T,))[1], 3.0 * T)
    np.testing.assert_array_equal(s2sgrad.jvp(Model(3.0).twice, (X,), (T,))[1], 6.0 * T)
    assert s2sgrad.jvp(functools.partial(weighted, n=3), (X, 2.0), (None, 1.0))[1] == (X ** 3).sum()
    assert s2sgrad.jvp(functools.partial(weighted, X), (2.0, 3), (1.0, None))[1] == (X ** 3).sum()
    np.testing.assert_array_equal(s2sgrad.jvp(functools.partial(total, scale=2.0), (X, X), (T, T))[1], 4.0 * T)
    with pytest.raises(TypeError):
        s2sgrad.jvp(weighted, (X,), (T,))
    with pytest.raises(ArgumentTypeError):
        s2sgrad.jvp(3, (X,), (T,))


@s2sgrad.rule(x="2.0 * x")
def square(x: Any) -> Any:
    return np.asarray(x) ** 2


def test_a_rule_of_the_users_that_works_element_by_element() -> None:
    np.testing.assert_array_equal(s2sgrad.jvp(lambda x: square(x) * 3.0, (X,), (T,))[1], 6.0 * X * T)


def test_sizes_and_trip_counts_lead_to_no_new_code() -> None:
    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.sin(x) if x[0] > 0 else x * 2.0
        return x

    for size, turns in ((3, 2), (4, 0), (5, 7), (3, 1)):
        s2sgrad.jvp(f, (np.ones(size), turns), (np.ones(size), None))
    assert len(tangent_entry(subject_of(f), ("x",), s2sgrad.derivative.ALL_ON).patterns) == 1


def test_jacobians() -> None:
    def f(x: Any, c: float) -> Any:
        return np.outer(x, x) * c

    jacobian = s2sgrad.jacfwd(f)(X, 2.0)
    expected = 2.0 * (np.einsum("ik,j->ijk", np.eye(3), X) + np.einsum("jk,i->ijk", np.eye(3), X))
    np.testing.assert_allclose(jacobian, expected)
    np.testing.assert_array_equal(s2sgrad.jacfwd(f, 1)(X, 2.0), np.outer(X, X))
    assert s2sgrad.jacfwd(lambda x: x ** 3)(2.0) == 12.0
    assert s2sgrad.jacfwd(f)(np.ones(0), 2.0).shape == (0, 0, 0)
    assert s2sgrad.jacfwd(f).__name__ == "f"


def test_the_text_is_what_runs(tmp_path: Path) -> None:
    text = s2sgrad.source(weighted, X, 2.0, mode="forward")
    assert text == ("def weighted_tangent(x, w, n=2, *, x_dot, w_dot):\n"
                    "    power = x ** n\n"
                    "    return (power * w).sum(), (x_dot * n * x ** (n - 1 if n else 0) * w + power * w_dot).sum()\n")
    file = tmp_path / "model.py"
    file.write_text("def f(x, y):\n    return x * y\n", encoding="utf-8")
    expected = "def f_tangent(x, y, x_dot, y_dot):\n    return x * y, x_dot * y + x * y_dot\n"
    for arguments in (["2.0", "3.0"], ["--shape", "x=float64[n]", "--shape", "y=float64[n]"]):
        command = [sys.executable, "-m", "s2sgrad", "show", f"{file}:f", *arguments, "--forward"]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == expected


def put(d: Any, key: Any, value: Any) -> None:
    d[key] = value


def renamed(thing: Any, value: Any) -> None:
    thing.a = value


def longer(items: list, value: Any) -> None:
    items.append(value)


class Thing:
    pass


def stored_in_an_object(x: Any) -> Any:
    def both(thing, value):
        renamed(thing, 3.0)
        thing.b = value

    thing = Thing()
    thing.a, thing.b = 1.0, 2.0
    both(thing, x[0])
    return thing.a * thing.b * x[1]


def stored_in_a_list(x: Any) -> Any:
    def both(items, value):
        longer(items, 3.0)
        items[0] = value

    items = [1.0, 2.0]
    both(items, x[0])
    return items[0] * items[1] * items[2] * x[1]


def stored_in_a_dict(x: Any) -> Any:
    def both(d, value, key):
        put(d, key, 3.0)
        if value > 0.0:
            d[key] = value
        d["z" + key] = value * 2.0

    d = {"a": 1.0}
    both(d, x[0], "u")
    both(d, x[1], "v")
    return sum(d[key] ** 2 * (i + 1) for i, key in enumerate(sorted(d)))


def remembered(x: Any) -> Any:
    def steps(n, memo):
        if n not in memo:
            memo[n] = 1.0 if n == 0 else x[0] if n == 1 else steps(n - 1, memo) * x[1] + steps(n - 2, memo)
        return memo[n]
    return steps(5, {})


@pytest.mark.parametrize("function", [stored_in_an_object, stored_in_a_list, stored_in_a_dict, remembered])
def test_what_holds_no_tangents_until_a_called_function_has_changed_it(function: Any) -> None:
    """The function that was called first gets the container without a tangent; the caller's has to follow."""
    point, direction = np.array([0.5, 1.5]), np.array([1.0, 2.0])
    _, tangent = s2sgrad.jvp(function, (point,), (direction,))
    assert tangent == pytest.approx(s2sgrad.grad(function)(point) @ direction)
    step = 1e-6 * direction
    assert tangent == pytest.approx((function(point + step) - function(point - step)) / 2e-6)


def test_results_under_keys_of_other_kinds() -> None:
    """Both modes take the result's structure, whatever a dict's keys are."""
    def by_key(x):
        return [{np.int64(3): np.sin(x), frozenset("ab"): (x * 2.0, None), math.sin: "text"}]

    (value,), (tangent,) = s2sgrad.jvp(by_key, (X,), (T,))
    assert list(tangent) == list(value) and tangent[math.sin] is None
    np.testing.assert_allclose(tangent[3], np.cos(X) * T)
    np.testing.assert_allclose(tangent[frozenset("ab")][0], 2.0 * T)
    _, pullback = s2sgrad.vjp(by_key, X)
    np.testing.assert_allclose(pullback([{**tangent, 3: X}])[0], np.cos(X) * X + 4.0 * T)


class Node:
    def __init__(self, value, parent=None):
        self.value = value
        self.parent = parent or self


def test_results_that_lead_back_to_themselves_are_refused() -> None:
    def rooted(x):
        return Node(np.sin(x), Node(x))

    with pytest.raises(ArgumentTypeError, match="the result is or holds a Node, which leads back to itself"):
        s2sgrad.jvp(rooted, (X,), (T,))
    value, pullback = s2sgrad.vjp(rooted, X)
    with pytest.raises(ArgumentTypeError, match="the result is or holds a Node, which leads back to itself"):
        pullback(value)


def test_a_name_for_a_function_that_stands_for_another_on_some_ways() -> None:
    def f(x):
        def key(v):
            return v * x[0]
        if x[0] > 9.0:
            key = (lambda w: lambda v: v * w)(x[1])
        return sorted(x, key=key)[0] * x[2]

    x, along = np.array([0.5, 1.2, -0.7]), np.array([1.0, 0.5, 2.0])
    assert s2sgrad.jvp(f, (x,), (along,))[1] == 2 * x[2] * along[2]
