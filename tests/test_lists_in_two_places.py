"""Lists and dicts that have two names, are in two places, or are run through, and change by methods for which the
compiler puts another container in their place: right or refused, whoever looks at them."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import UnsupportedError

X = np.array([0.5, 1.2, 0.7])


def in_a_dict_and_reversed(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    d = {"k": xs}
    d["k"].reverse()
    return d["k"][0] * 2 + xs[1] + 3 * xs[0]


def in_a_dict_and_sorted(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    d = {"k": xs}
    xs.sort(key=lambda v: -v)
    return d["k"][0] * 2 + xs[1]


def constants_in_a_dict_and_sorted(x):
    xs = [3.0, 2.0, 1.0]
    d = {"k": xs}
    d["k"].sort()
    return x[0] * d["k"][0] + x[1] * xs[0]


def in_a_dict_and_filled(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    d = {"k": xs}
    xs[:] = [x[2], x[0], x[1]]
    return d["k"][0] * 2 + x[1] * len(d["k"]) + xs[1]


def in_a_dict_and_shortened(x):
    xs = [x[0], x[1], x[2] * 2]
    d = {"k": xs}
    del d["k"][:2]
    return xs[-1] * d["k"][0] + len(xs)


def arrays_in_a_dict_and_reversed(x):
    xs = [np.sin(x), np.cos(x)]
    d = {"k": xs}
    d["k"][0] *= 2
    d["k"].reverse()
    return np.sum(xs[0]) + 2 * np.sum(d["k"][0] * x)


def two_names_and_sorted(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    ys = xs
    xs.sort(key=lambda v: -v)
    return ys[0] * 2 + xs[1]


def two_names_and_filled_by_a_comprehension(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    ys = xs
    xs[:] = [2 * v for v in x]
    return ys[0] * 2 + xs[1]


def three_of(x):
    return [x[0] * 5, x[1], x[2]]


def two_names_and_filled_by_a_call(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    ys = xs
    xs[:] = three_of(x)
    return ys[0] * 2 + xs[1]


def two_names_and_filled_by_one_of_two_calls(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    ys = xs
    xs[:] = three_of(x) if x[0] > 0 else three_of(2 * x)
    return ys[0] * 2 + xs[1]


def two_names_and_updated(x):
    d = {"a": x[0], "b": x[1]}
    e = d
    e.update({key: 2 * v for key, v in d.items()})
    return d["a"] * e["b"]


def emptied_under_both_names(x):
    xs = [x[0], x[1]]
    ys = xs
    ys.clear()
    ys.append(x[2] ** 2)
    xs.clear()
    return sum(xs) + len(ys) * x[0] + x[1]


def a_dict_emptied_twice_under_one_of_two_names(x):
    d = {"a": x[0]}
    e = d
    e.clear()
    d["b"] = x[1]
    e.clear()
    return len(d) * x[0] + x[1]


def reversed_while_it_is_run_through(x):
    xs = [np.sin(x), np.cos(x)]
    total = 0.0
    for u in xs:
        total += np.sum(u) * np.sum(xs[1])
        xs.reverse()
    return np.sum(xs[0] ** 2) + 3 * np.sum(xs[1] ** 3) + total


def written_and_reversed_while_it_is_run_through(x):
    xs = [np.sin(x), np.cos(x)]
    for u in xs:
        u += xs[0][0]
        xs.reverse()
    return sum([np.sum(v * v) for v in xs]) * 0.3


def constants_sorted_while_they_are_run_through(x):
    ys = [1.0, 2.0, 3.0]
    total = 0.0
    for y in ys:
        total = total * 2 + x[0] * y
        ys.sort(reverse=True)
    return total


def constants_cleared_while_they_are_run_through(x):
    ys = [3, 0, 1]
    total = 0.0
    for place, y in enumerate(ys):
        total = total * 2 + x[0] * y + place
        ys.clear()
    return total


def constants_filled_while_they_are_run_through(x):
    ys = [3, 0, 1]
    total = 0.0
    for y, v in zip(ys, x):
        total = total * 2 + v * y
        ys[:] = [5, 6, 7, 8]
    return total


def reversed_in_a_dict_while_it_is_run_through(x):
    d = {"xs": [x[0], x[1] * 2, x[2], x[0] * 7]}
    total = 0.0
    for u in d["xs"]:
        total = total * 2 + u
        d["xs"].reverse()
    return total


def a_dict_in_a_list_and_joined(x):
    d = {"a": x[0], "b": x[1]}
    e = [d]
    d |= {"a": x[2]}
    return e[0]["a"] * x[0] + d["b"]


def items_with_a_name_for_a_turn(x):
    d = {"a": [x[0], x[1]], "b": [x[2], x[0]]}
    for key in d:
        xs = d[key]
        xs.reverse()
        xs[0] = xs[0] ** 2
    return d["a"][0] + d["b"][0] * 3


def turn(xs):
    xs.reverse()


def reversed_by_another_while_it_is_run_through(x):
    xs = [x[0], x[1] * 2, x[2], x[0] * 7]
    total = 0.0
    for u in xs:
        total = total * 2 + u
        turn(xs)
    return total


class Box:
    def __init__(self, x):
        self.x = x


def picked_under_two_names_one_of_which_grows(x):
    boxes = [Box(v) for v in x]
    small = [box for box in boxes if box.x < 1.0]
    other = small
    other.append(Box(x[0] * 2))
    for box in small:
        box.x *= x[1]
    return sum(box.x for box in small) + sum(box.x ** 2 for box in boxes)


def dict_twice(x):
    d = {"a": x[0], "b": x[1]}
    return d, d


def given_twice_and_changed_while_a_loop_runs_over_it(x):
    d, again = dict_twice(x)
    total = 0.0
    for _, value in d.items():
        total = total * x[2] + value
        again["b"] = total
    return total


def item_of_a_slice_that_changes(x):
    rows = [[x[0], 1.0], [x[1], 2.0], [x[2], 3.0]]
    row, _ = rows[1:]
    row[0] *= x[1]
    return sum(rows[1])


PROGRAMS = [function for function in (*globals().values(),) if getattr(function, "__module__", "") == __name__ and
            function not in (three_of, turn, Box, dict_twice)]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_right_or_refused(function) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value, gradient = s2sgrad.value_and_grad(function)(X)
        except UnsupportedError as refusal:
            assert "may share memory with" in refusal.reason or "over which it runs" in refusal.reason
            return
        assert value == function(X)
        s2sgrad.check_grad(function, X)


def copied_and_sorted(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    ys = list(xs)
    xs.sort(key=lambda v: -v)
    return ys[0] * 2 + xs[1]


def sorted_and_filled_in_turns(x):
    xs = [x[0], x[1] * 3, x[2] ** 2]
    for k in range(2):
        xs.sort(key=lambda v: -v * (1 - 2 * k))
        xs[:] = [v * (k + 1) for v in xs]
    return xs[0] * 2 + xs[1] * xs[0]


def a_copy_is_run_through(x):
    xs = [x[0], x[1] * 2, x[2], x[0] * 7]
    total = 0.0
    for u in list(xs):
        total = total * 2 + u * xs[0]
        xs.reverse()
    return total


def exchanged_while_they_are_run_through(x):
    xs = [np.sin(x), np.cos(x)]
    total = 0.0
    for u in xs:
        total += np.sum(u) * np.sum(xs[1])
        xs[0], xs[1] = xs[1], xs[0]
    return np.sum(xs[0] ** 2) + 3 * np.sum(xs[1] ** 3) + total


def grown_while_it_is_run_through(x):
    xs = [x[0], x[1] * 2, x[2]]
    total = 0.0
    for u in xs:
        total = total * 2 + u
        if len(xs) < 5:
            xs.append(u * 2)
    return total + xs[-1]


def array_of_a_list_that_is_turned_round(x):
    d = {"k": [np.sin(x), np.cos(x)]}
    a = d["k"][0]
    d["k"].reverse()
    a *= 2
    return np.sum(d["k"][0]) + 2 * np.sum(d["k"][1] * x) + np.sum(a ** 2)


def turned_round_and_written_into(x):
    d = {"k": [np.sin(x), np.cos(x)]}
    ys = d["k"]
    a = ys[0]
    ys.reverse()
    ys[0] *= 2
    return np.sum(d["k"][0]) + 2 * np.sum(d["k"][1] * x) + np.sum(a ** 2)


@pytest.mark.parametrize("function", [
    array_of_a_list_that_is_turned_round, turned_round_and_written_into, copied_and_sorted,
    sorted_and_filled_in_turns, a_copy_is_run_through, exchanged_while_they_are_run_through,
    grown_while_it_is_run_through], ids=lambda function: function.__name__)
def test_right(function) -> None:
    assert s2sgrad.value_and_grad(function)(X)[0] == function(X)
    s2sgrad.check_grad(function, X)
