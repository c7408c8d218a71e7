"""What a function notes down in outer variables happens as often as plain Python does it."""
from __future__ import annotations

import types

import numpy as np
import pytest

from s2sgrad import grad, hvp, jvp, value_and_grad, vjp
from s2sgrad.errors import UnsupportedError

COUNT = {"calls": 0}
LOG: list = []
SAME = COUNT
HELD = types.SimpleNamespace(count=COUNT)
ARRAY = np.zeros(4)
PART = ARRAY[1:]


def noting(x):
    COUNT["calls"] += 1
    for turn in range(2):
        x = x * x
        LOG.append((turn, float(x)))
    return x


def reset():
    COUNT["calls"] = 0
    LOG.clear()


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


@pytest.mark.parametrize("function", [reads_a_second_name, reads_an_attribute, reads_a_view, calls_what_reads])
def test_what_is_read_under_another_name_is_refused(function):
    with pytest.raises(UnsupportedError, match="binds or changes"):
        grad(function)(0.5)


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
