"""What a function notes down in outer variables happens as often as plain Python does it."""
from __future__ import annotations

import functools
import types

import numpy as np
import pytest

from s2sgrad import check_grads, grad, hvp, jvp, memory, value_and_grad, vjp
from s2sgrad.errors import UnsupportedError

COUNT = {"calls": 0}
LOG: list = []
SAME = COUNT
HELD = types.SimpleNamespace(count=COUNT)
ARRAY = np.zeros(4)
PART = ARRAY[1:]


class Square:
    def __init__(self):
        self.calls, self.last = 0, None

    def __call__(self, x):
        self.calls += 1
        self.last = x * x
        return x * x


SQUARE = Square()


def noting(x):
    COUNT["calls"] += 1
    for turn in range(2):
        x = SQUARE(x)
        LOG.append((turn, float(x), x))
    return x


def reset():
    COUNT["calls"] = 0
    LOG.clear()
    SQUARE.__init__()


@pytest.mark.parametrize("call", [
    lambda: grad(noting)(0.5), lambda: value_and_grad(noting)(0.5), lambda: vjp(noting, 0.5)[1](1.0),
    lambda: jvp(noting, (0.5,), (1.0,)), lambda: grad(grad(noting))(0.5), lambda: hvp(noting)(0.5, 1.0),
])
def test_once(call):
    reset()
    noting(0.5)
    expected = list(LOG)
    for _ in range(2):
        reset()
        call()
        assert COUNT["calls"] == 1
        assert expected == LOG
        assert vars(SQUARE) == {"calls": 2, "last": LOG[-1][2]}


def reads_a_second_name(x):
    COUNT["calls"] += 1
    return x * SAME["calls"]


def reads_an_attribute(x):
    COUNT["calls"] += 1
    return x * HELD.count["calls"]


def reads_a_view(x):
    ARRAY[1] = 3.0
    return x * PART[0]


def helper(x):
    return x * COUNT["calls"]


def calls_what_reads(x):
    for _ in range(2):
        COUNT["calls"] += 1
        x = helper(x)
    return x


@pytest.mark.parametrize("function, expected", [(reads_a_second_name, 1.0), (reads_an_attribute, 1.0),
                                                (reads_a_view, 3.0), (calls_what_reads, 2.0)])
def test_what_is_read_under_another_name_is_read_when_it_is(function, expected):
    reset()
    assert grad(function)(0.5) == expected


class Recorder:
    def __init__(self):
        self.__dict__["values"] = {}

    def __setattr__(self, name, value):
        self.values[name] = value


RECORDER = Recorder()


def sets_by_a_method(x):
    RECORDER.last = 1.0
    return x * x


def test_attributes_with_a_will_of_their_own():
    with pytest.raises(UnsupportedError, match="not the function's own"):
        grad(sets_by_a_method)(0.5)


def checked(x):
    LOG.append("checked")
    return True


def is_number(x):
    return isinstance(x, float)


def noting_in_tests(x):
    if checked(x) and is_number(x):
        x = x * 2.0
    return x * x if checked(x) else x


def test_tests_that_are_known_run_all_the_same():
    reset()
    value, gradient = value_and_grad(noting_in_tests)(0.5)
    assert (value, gradient, LOG) == (1.0, 4.0, ["checked", "checked"])


SCALES = [1.0]


def grown(n):
    SCALES[0] *= n
    return n


def through_another(n):
    return grown(n)


@functools.lru_cache
def once(n):
    SCALES[0] *= n
    return n


def twice_read(x):
    return x * SCALES[0] * grown(3) * SCALES[0] * x


def by_another(x):
    y = x * SCALES[0]
    return y * through_another(3) * SCALES[0] * x


def on_a_line_of_its_own(x):
    y = x * SCALES[0]
    grown(3)
    return y * SCALES[0] * x


def in_a_test(x):
    y = x * SCALES[0]
    if grown(3) > 2:
        y = y * x
    return y * SCALES[0]


def in_a_comprehension(x):
    y = x * SCALES[0]
    counts = [grown(k) for k in (1, 2)]
    return y * SCALES[0] * len(counts)


def in_a_text(x):
    y = x * SCALES[0]
    return y * SCALES[0] * len(f"{grown(3)}")


def handed_on(x):
    y = x * SCALES[0]
    counts = list(map(grown, [2, 3]))
    return y * SCALES[0] * len(counts)


def remembered(x):
    once.cache_clear()
    y = x * SCALES[0]
    return y * once(3) * SCALES[0] * x


def under_another_name(x):
    scales = SCALES
    y = x * scales[0]
    grown(3)
    return y * scales[0] * x


@pytest.mark.parametrize("function", [twice_read, by_another, on_a_line_of_its_own, in_a_test, in_a_comprehension,
                                      in_a_text, handed_on, remembered, under_another_name])
@pytest.mark.parametrize("call", [lambda f: grad(f)(2.0), lambda f: vjp(f, 2.0)[1](1.0)[0],
                                  lambda f: jvp(f, (2.0,), (1.0,))[1]])
def test_what_a_call_that_stays_as_it_is_changes_is_read_when_it_is(function, call):
    """Adjoints would read what the last call left."""
    ends = []
    for end in (2.0 + 1e-6, 2.0 - 1e-6):
        SCALES[0] = 1.0
        ends.append(function(end))
    SCALES[0] = 1.0
    np.testing.assert_allclose(call(function), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


NODES: dict = {}
FACTORIALS = [1]


def nodes(n):
    if n not in NODES:
        NODES[n] = np.polynomial.legendre.leggauss(n)
    return NODES[n]


def factorial(n):
    while len(FACTORIALS) <= n:
        FACTORIALS.append(FACTORIALS[-1] * len(FACTORIALS))
    return FACTORIALS[n]


def integral(a, b, n):
    x, w = nodes(n)
    t = a + (b - a) * (x + 1) / 2
    return (b - a) / 2 * np.sum(w * np.exp(-t ** 2)) / factorial(n - 2)


def test_tables_that_are_filled_while_the_function_runs():
    for n in (5, 4, 5):
        check_grads(integral, (0.7, 1.3, n))
    assert sorted(NODES) == [4, 5]
    assert FACTORIALS == [1, 1, 2, 6]


HISTORY: list = [{"x": np.zeros(2)}]


def appended(x):
    HISTORY.append({"x": x.copy()})
    return np.sum(x ** 2)


def written_inside(x):
    HISTORY[0]["x"][0] = 1.0
    return np.sum(x ** 2)


def test_a_history_that_only_grows_is_not_gone_through(monkeypatch: pytest.MonkeyPatch):
    """An array that is in it may be an argument; each call would take longer."""
    given = HISTORY[0]["x"]
    assert grad(appended)(given).tolist() == [0.0, 0.0]
    with pytest.raises(UnsupportedError, match="share memory"):
        grad(written_inside)(given)
    monkeypatch.setattr(memory, "contents_of", lambda place, most: [None] * most)
    assert grad(appended)(np.ones(2)).tolist() == [2.0, 2.0]
    assert len(HISTORY) == 3
