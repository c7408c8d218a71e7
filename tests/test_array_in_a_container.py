"""An array that is in a container and has another name, written into through the one and read under the other: both are
one array to Python. Each program is right, in value and gradient, or refused."""
from __future__ import annotations

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import UnsupportedError

X = np.array([0.7, -0.4, 1.3])
BED = np.array([0.3, 0.2, -0.5])
PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


class Holder:
    def __init__(self, w):
        self.w = w

    def scale(self, k):
        self.w *= k

    def part(self):
        return self.w[1:]


def double_first(xs):
    xs[0] *= 2


def double_each(xs):
    for i in range(len(xs)):
        xs[i] *= 2


def first_of(xs):
    return xs[0]


def same(v):
    return v


def with_another(v):
    return [v, v * 1]


def get_a(d):
    return d["a"]


def push(xs, v):
    xs.append(v)


def push_twice(xs, v):
    xs.append(v)
    xs.append(v)


def push_first(xs):
    xs.append(xs[0])


def store_first(xs):
    xs[1] = xs[0]


def put_at_b(d):
    d["b"] = d["a"]


def put_at_both(d, x):
    v = np.cos(x)
    d["b"] = v
    d["c"] = v


@program
def attribute(x):
    a = np.sin(x)
    p = Holder(a)
    p.w *= 2
    return a.sum() + p.w.sum()


@program
def by_a_method(x):
    a = np.sin(x)
    p = Holder(a)
    p.scale(2.0)
    return a.sum() + p.w.sum()


@program
def two_lists(x):
    a = np.sin(x)
    xs = [a]
    ys = [a]
    xs[0] *= 2
    return ys[0].sum() + xs[0].sum()


@program
def twice_in_a_list(x):
    a = np.sin(x)
    xs = [a, a]
    xs[0] *= 2
    return xs[1].sum()


@program
def list_in_a_list(x):
    a = np.sin(x)
    xs = [[a], [x]]
    xs[0][0] *= 2
    return a.sum()


@program
def list_in_a_dict(x):
    a = np.sin(x)
    d = {"l": [a]}
    d["l"][0] += x
    return a.sum()


@program
def by_a_function(x):
    a = np.sin(x)
    xs = [a]
    double_first(xs)
    return a.sum()


@program
def by_a_loop_of_a_function(x):
    a = np.sin(x)
    xs = [a, np.cos(x)]
    double_each(xs)
    return a.sum()


@program
def by_a_loop(x):
    a = np.sin(x)
    xs = [a, np.cos(x)]
    for i in range(2):
        xs[i] *= 2
    return a.sum()


@program
def tuple(x):
    a = np.sin(x)
    xs = (a, np.cos(x))
    b = xs[0]
    b *= 2
    return a.sum() + xs[0].sum()


@program
def two_objects(x):
    a = np.sin(x)
    p = Holder(a)
    q = Holder(p.w)
    q.w *= 2
    return p.w.sum() + a.sum()


@program
def by_keys(x):
    a = np.sin(x)
    d = {"a": a, "b": x * 1}
    for k in d:
        d[k] *= 2
    return a.sum() + d["b"].sum()


@program
def a_view(x):
    a = np.sin(x)
    xs = [a[1:], x]
    xs[0] *= 2
    return a.sum()


@program
def part_of_an_item(x):
    a = np.sin(x)
    xs = [a]
    xs[0][1:] *= 2
    return a.sum()


@program
def element_of_an_item(x):
    a = np.sin(x)
    xs = [a]
    xs[0][0] = 5.0
    return a.sum() * x[0]


@program
def comprehension(x):
    a = np.sin(x)
    xs = [v for v in (a, x * 2) if v is not None]
    xs[0] -= 1
    return (a ** 2).sum()


@program
def appended(x):
    a = np.sin(x)
    xs = []
    xs.append(a)
    xs[-1] *= 3
    return (a ** 2).sum()


@program
def list_in_an_object(x):
    a = np.sin(x)
    p = Holder([a])
    p.w[0] *= 3
    return (a ** 2).sum()


@program
def two_names_of_a_dict(x):
    a = np.sin(x)
    d = {"k": a}
    e = d
    e["k"] *= 3
    return (a ** 2).sum() + d["k"].sum()


@program
def two_names(x):
    a = np.sin(x)
    xs = [a]
    b = a
    xs[0] *= 3
    return (b ** 2).sum()


@program
def rows(x):
    m = np.outer(x, x)
    rows = [m[0], m[1]]
    rows[0] *= 3
    return (m ** 2).sum()


@program
def power(x):
    a = np.sin(x)
    s = [a, 1.0]
    s[0] **= 2
    t = a.copy()
    return t.sum()


@program
def matrix_product(x):
    a = np.sin(x)
    xs = [a]
    xs[0] @= np.eye(len(x))
    return a.sum()


@program
def in_a_branch(x):
    a = np.sin(x)
    xs = [a]
    if x[0] > 0:
        xs[0] *= 2
    return a.sum()


@program
def in_a_while_loop(x):
    a = np.sin(x)
    xs = [a]
    n = 0
    while n < 2:
        xs[0] *= 2
        n += 1
    return a.sum()


@program
def an_argument(x, bed=BED):
    f = [bed]
    f[0] *= 2
    return bed.sum() * x.sum()


@program
def beside_an_argument(x, bed=BED):
    f = [bed * 1, x]
    f[0] *= 2
    return bed.sum() * x.sum() + f[0].sum()


@program
def item_with_a_name(x, bed=BED):
    f = [x.copy(), bed]
    g = f[0]
    f[0] *= 2
    return g.sum() * bed.sum()


@program
def value_with_a_name(x, bed=BED):
    f = {"a": x * 1}
    v = f["a"]
    f["a"] += bed
    return (v ** 2).sum()


@program
def exchanged(x, bed=BED):
    a = x * 1
    f = [a, bed * 1]
    f[0], f[1] = f[1], f[0]
    f[1] *= 2
    return a.sum() + f[0].sum()


@program
def stored_anew(x, bed=BED):
    a = x * 1
    f = [bed * 1]
    f[0] = a
    f[0] *= 2
    return a.sum()


@program
def stored_anew_in_a_loop(x, bed=BED):
    a = x * 1
    f = [bed * 1]
    for k in range(2):
        f[0] = a if k else f[0]
        f[0] *= 2
    return a.sum()


@program
def two_items_in_a_loop(x, bed=BED):
    a = x * 1
    f = [bed * 1, a]
    for k in range(2):
        f[k] += 1
    return (a ** 2).sum()


@program
def list_extended(x):
    d = {"l": [x[0]]}
    v = d["l"]
    d["l"] += [x[1]]
    return sum(v)


@program
def list_appended_to(x):
    d = {"l": [x[0]]}
    v = d["l"]
    d["l"].append(x[1])
    return sum(v)


@program
def item_of_a_list(x):
    xs = [[x[0], x[1]], [x[2]]]
    v = xs[0]
    xs[0][0] = x[2] * 2
    return sum(v)


@program
def lists_joined(x):
    xs = [[x[0], x[1]], [x[2]]]
    v = xs[0]
    xs[0] += xs[1]
    return sum(v) * len(v)


@program
def dict_in_a_dict(x):
    d = {"l": {"a": x[0]}}
    v = d["l"]
    d["l"]["b"] = x[1]
    d["l"]["a"] *= 2
    return sum(v.values())


@program
def dict_merged(x):
    d = {"l": {"a": x[0]}}
    v = d["l"]
    d["l"] |= {"b": x[1]}
    return sum(v.values())


@program
def list_made_anew(x):
    d = {"l": [x[0]]}
    v = d["l"]
    d["l"] = d["l"] + [x[1]]
    return sum(v)


@program
def list_in_a_list_extended(x):
    a = [x[0]]
    d = [a]
    d[0] += [x[1]]
    return sum(a)


@program
def popped_and_inserted(x):
    a = [x[0], x[1]]
    d = {"k": a}
    d["k"].pop()
    d["k"].insert(0, x[2])
    return sum(v * i for i, v in enumerate(a))


@program
def handed_back_and_appended(x):
    xs = [np.sin(x), np.cos(x)]
    xs.append(first_of(xs))
    xs[-1] -= 1.0
    return (xs[0] ** 2).sum()


@program
def handed_back_and_stored(x):
    xs = [np.sin(x), np.cos(x)]
    xs[1] = first_of(xs)
    xs[-1] -= 1.0
    return (xs[0] ** 2).sum()


@program
def handed_back_by_name_and_appended(x):
    xs = [np.sin(x), np.cos(x)]
    v = first_of(xs)
    xs.append(v)
    xs[-1] -= 1.0
    return (xs[0] ** 2).sum()


@program
def handed_back_again_and_again(x):
    xs = [np.sin(x), np.cos(x)]
    ys = [first_of(xs) for i in range(2)]
    ys[0] *= 2
    return (ys[1] ** 2).sum()


@program
def given_back_in_a_comprehension(x):
    v = np.sin(x)
    ys = [same(v) for i in range(2)]
    ys[0] *= 2
    return (ys[1] ** 2).sum()


@program
def lists_made_of_one_array(x):
    v = np.sin(x)
    ys = [with_another(v) for i in range(2)]
    ys[0][0] *= 2
    return (ys[1][0] ** 2).sum()


@program
def list_handed_back_and_appended(x):
    xs = [[np.sin(x)], [np.cos(x)]]
    xs.append(first_of(xs))
    xs[-1].append(x)
    return sum([v.sum() for v in xs[0]])


@program
def handed_back_under_another_key(x):
    d = {'a': np.sin(x), 'b': x * 1}
    d['b'] = get_a(d)
    d['b'] *= 2
    return (d['a'] ** 2).sum()


@program
def handed_back_under_another_name(x):
    xs = [np.sin(x), np.cos(x)]
    ys = xs
    ys.append(first_of(xs))
    ys[-1] *= 2
    return (ys[0] ** 2).sum() + xs[0].sum()


@program
def largest_appended(x):
    xs = [np.sin(x), np.cos(x)]
    v = max(xs, key=np.sum)
    xs.append(v)
    xs[-1] *= 2
    return (xs[0] ** 2).sum() + (xs[1] ** 2).sum()


@program
def largest_appended_at_once(x):
    xs = [np.sin(x), np.cos(x)]
    xs.append(max(xs, key=lambda v: v.sum()))
    xs[-1] *= 2
    return (xs[0] ** 2).sum() + (xs[1] ** 2).sum()


@program
def appended_by_an_inner_function(x):
    xs = [np.sin(x), np.cos(x)]

    def put():
        xs.append(xs[0])
    put()
    xs[-1] *= 2
    return (xs[0] ** 2).sum() + (xs[1] ** 2).sum()


@program
def appended_twice_by_a_function(x):
    xs = [np.sin(x), np.cos(x)]
    v = np.tanh(x)
    push(xs, v)
    push(xs, v)
    xs[-1] *= 2
    return (xs[2] ** 2).sum()


@program
def item_appended_by_a_function(x):
    xs = [np.sin(x), np.cos(x)]
    push(xs, xs[0])
    xs[-1] *= 2
    return (xs[0] ** 2).sum()


@program
def handed_back_and_appended_by_a_function(x):
    xs = [np.sin(x), np.cos(x)]
    push(xs, first_of(xs))
    xs[-1] *= 2
    return (xs[0] ** 2).sum()


@program
def appended_in_a_loop_by_a_function(x):
    xs = [np.sin(x), np.cos(x)]
    v = np.tanh(x)
    for _ in range(2):
        push(xs, v)
    xs[-1] *= 2
    return (xs[2] ** 2).sum()


@program
def appended_twice_at_once(x):
    xs = [np.sin(x), np.cos(x)]
    push_twice(xs, np.tanh(x))
    xs[-1] *= 2
    return (xs[2] ** 2).sum()


@program
def appended_by_a_function_again(x):
    xs = [np.sin(x), np.cos(x)]
    push_first(xs)
    xs[-1] *= 2
    return (xs[0] ** 2).sum()


@program
def stored_by_a_function_again(x):
    xs = [np.sin(x), np.cos(x)]
    store_first(xs)
    xs[-1] *= 2
    return (xs[0] ** 2).sum()


@program
def under_another_key_by_a_function(x):
    d = {'a': np.sin(x)}
    put_at_b(d)
    d['b'] *= 2
    return (d['a'] ** 2).sum()


@program
def under_two_keys_by_a_function(x):
    d = {'a': np.sin(x)}
    put_at_both(d, x)
    d['b'] *= 2
    return (d['c'] ** 2).sum()


@program
def appended_twice_by_an_inner_function(x):
    xs = [np.sin(x), np.cos(x)]

    def put(v):
        xs.append(v)
    v = np.tanh(x)
    put(v)
    put(v)
    xs[-1] *= 2
    return (xs[2] ** 2).sum()


@program
def list_appended_by_a_function_again(x):
    xs = [[x[0]], [x[1]]]
    push_first(xs)
    xs[-1].append(x[2])
    return sum(xs[0])


@program
def list_appended_by_an_inner_function(x):
    xs = [[x[0]], [x[1]]]

    def put():
        xs.append(xs[0])
    put()
    xs[-1].append(x[2])
    return sum(xs[0])


@program
def as_a_method_gives_it(x):
    p = Holder(np.sin(x))
    p.part()[0] = 0.5
    return (p.w ** 2).sum()


@program
def in_dicts_that_are_sorted(x):
    records = []
    for i in range(3):
        records.append({"weight": x[i], "values": x * i})
    records.sort(key=lambda record: record["weight"])
    for record in records:
        record["values"][0] = x[1] ** 2
    return sum(np.sum(record["values"] * record["weight"]) for record in records)


def slopes(function):
    steps = 1e-6 * np.eye(len(X))
    return np.array([(of_copies(function, X + step) - of_copies(function, X - step)) / 2e-6 for step in steps])


def of_copies(function, x):
    return function(x, BED.copy()) if function.__defaults__ else function(x.copy())


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_right_or_refused(function) -> None:
    others = (BED.copy(),) if function.__defaults__ else ()
    try:
        value, gradient = s2sgrad.value_and_grad(function)(X.copy(), *others)
    except UnsupportedError:
        return
    np.testing.assert_allclose(value, of_copies(function, X))
    np.testing.assert_allclose(gradient, slopes(function), atol=1e-5)
    _, slope = s2sgrad.jvp(function, (X.copy(), *others), (np.ones(3), *(None for _ in others)))
    np.testing.assert_allclose(slope, slopes(function).sum(), atol=1e-5)
