"""Dicts whose keys are known only when the function runs: totals, groups, tables, memos."""
from __future__ import annotations

import collections
import enum
import heapq
import math
import types
from collections import Counter, defaultdict, deque

import numpy as np

from corpus.registry import normal, program


def labelled() -> tuple:
    return np.array([0.3, -0.4, 1.2, 0.7, 2.0, 0.9]), ["b", "a", "b", "c", "a", "b"]


def numbered() -> tuple:
    return np.array([0.3, -0.4, 1.2, 0.7, 2.0]), np.array([3, 1, 3, 7, 1])


def two_series() -> tuple:
    return np.array([0.3, -0.4, 1.2, 0.7]), np.array([0.5, 0.9, -0.2])


def named() -> tuple:
    return {"w": np.array([0.3, -0.4]), "b": 0.7, "c": np.array([[1.0, 2.0]])}, ["b", "w", "b"]


# ---- totals

@program(labelled)
def totals_of_squares(xs, labels):
    totals = {}
    for label, x in zip(labels, xs):
        totals[label] = totals.get(label, 0.0) + x ** 2
    return sum(v ** 2 for v in totals.values())


@program(labelled)
def totals_by_items(xs, labels):
    totals = {}
    for label, x in zip(labels, xs):
        totals[label] = totals.get(label, 0.0) + x ** 2
    s = 0.0
    for k, v in totals.items():
        s = s * v + v ** 3 * len(k)
    return s + len(totals)


@program(labelled, needs="shapes")
def totals_where_there(xs, labels):
    totals = {}
    for label, x in zip(labels, xs):
        if label in totals:
            totals[label] += x * x
        else:
            totals[label] = x
    out = 0.0
    for k in totals:
        out += totals[k] ** 2
    if "a" in totals:
        out *= totals["a"]
    return out


@program(labelled)
def totals_started_at_zero(xs, labels):
    totals = {}
    for label, x in zip(labels, xs):
        if label not in totals:
            totals[label] = 0.0
        totals[label] = totals[label] * 0.5 + np.sin(x)
    return np.prod(np.array(list(totals.values())))


@program(labelled)
def totals_under_known_keys(xs, labels):
    totals = {"a": 0.0, "b": 1.0, "c": 2.0}
    for label, x in zip(labels, xs):
        totals[label] += x * totals["a"] + x
    return totals["a"] * totals["b"] - totals["c"]


@program(labelled)
def known_keys_and_others(xs, labels):
    totals = {"a": xs[0], "z": xs[1] * 2.0}
    for label, x in zip(labels, xs):
        totals[label] = totals.get(label, 1.0) * x
    totals["z"] = totals["z"] * totals["a"]
    totals["y"] = totals["b"] ** 2
    return totals["z"] + totals["y"] + totals["c"]


@program(labelled)
def totals_from_zeros(xs, labels):
    totals = {label: 0.0 for label in labels}
    for label, x in zip(labels, xs):
        totals[label] += x ** 2
    return max(totals.values()) * min(totals.values())


@program(numbered)
def numbers_as_keys(xs, places):
    totals = {}
    for place, x in zip(places, xs):
        totals[place] = totals.get(place, 0.0) + x ** 2 * place
    return sum(k * v ** 2 for k, v in totals.items())


@program(labelled)
def overwritten_values(xs, labels):
    last = {}
    t = 0.0
    for label, x in zip(labels, xs):
        if label in last:
            t += last[label] * x
        last[label] = np.exp(x)
    return t + sum(last.values())


@program(labelled)
def values_that_feed_others(xs, labels):
    state = {}
    for label, x in zip(labels, xs):
        for k in state:
            state[k] = state[k] * x + 1.0
        state[label] = state.get(label, x) * x
    return state["a"] * state["b"] + state["c"]


@program(labelled)
def values_changed_while_run_through(xs, labels):
    d = dict(zip(labels, xs))
    for k, v in d.items():
        d[k] = v * v + d["a"]
    return d["a"] * d["b"] * d["c"]


@program(labelled)
def normalised(xs, labels):
    weights = {}
    for label, x in zip(labels, xs):
        weights[label] = weights.get(label, 0.0) + np.exp(x)
    total = sum(weights.values())
    p = {k: w / total for k, w in weights.items()}
    return -sum(v * np.log(v) for v in p.values())


@program(labelled)
def left_early(xs, labels):
    totals = {}
    for label, x in zip(labels, xs):
        if label == "c":
            break
        if label in totals:
            continue
        totals[label] = x ** 3
    return totals["a"] * totals["b"]


@program(labelled)
def returned_from_the_loop(xs, labels):
    seen = {}
    for label, x in zip(labels, xs):
        if label in seen:
            return seen[label] * x
        seen[label] = x * x
    return 0.0


@program(labelled)
def in_a_while_loop(xs, labels):
    table = {}
    i = 0
    while i < len(labels):
        key = labels[i] + str(i % 2)
        table[key] = table.get(key, 1.0) * xs[i]
        i += 1
    t = 0.0
    for key in sorted(table):
        t = t * 0.7 + table[key]
    return t


@program(labelled)
def by_the_largest(xs, labels):
    totals = {}
    for label, x in zip(labels, xs):
        totals[label] = totals.get(label, 0.0) + x
    best = max(totals, key=totals.get)
    worst = min(totals, key=lambda k: totals[k])
    return totals[best] ** 2 * totals[worst]


@program(labelled)
def looked_up_or_none(xs, labels):
    last = {}
    t = 0.0
    for label, x in zip(labels, xs):
        found = last.get(label)
        if found is not None:
            t += found * x
        last[label] = x * x
    return t


@program(labelled)
def enumerated_values(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        d[label] = d.get(label, 0.0) + x
    return sum((i + 1) * v ** 2 for i, v in enumerate(d.values())) + sum(
        v * w for v, w in zip(d.values(), xs))


@program(labelled)
def items_as_pairs(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        d[label] = d.get(label, 0.0) + x
    t = 0.0
    for item in sorted(d.items()):
        t = t * item[1] + item[1] ** 2
    for i, (k, v) in enumerate(d.items()):
        t += i * v * len(k)
    return t


@program(labelled)
def read_between_writes(xs, labels):
    d = {}
    t = 0.0
    for label, x in zip(labels, xs):
        d[label] = x * x
        t += sum(d.values()) * x
    return t


@program(labelled)
def a_table_of_a_turn(xs, labels):
    t = 0.0
    for i in range(3):
        d = {}
        for label, x in zip(labels, xs):
            d[label] = d.get(label, t) + x * i
        t += sum(v ** 2 for v in d.values()) * 0.1
    return t


# ---- keys that go

@program(labelled)
def popped_and_deleted(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        d[label] = d.get(label, 1.0) * x
    a = d.pop("b")
    del d[labels[1]]
    return a ** 2 + sum(d.values())


@program(labelled)
def come_and_gone(xs, labels):
    d = {}
    t = 0.0
    for label, x in zip(labels, xs):
        if label in d:
            t += d.pop(label) * x
        else:
            d[label] = x * x
    return t + sum(v ** 3 for v in d.values())


@program(labelled)
def popped_or_default(xs, labels):
    d = {}
    t = 1.0
    for label, x in zip(labels, xs):
        t = t * 0.5 + d.pop(label, x) * x
        d[label] = t
    d.pop("nothing", None)
    return t * d["a"]


@program(labelled)
def read_and_then_deleted(xs, labels):
    d = {}
    t = 0.0
    for label, x in zip(labels, xs):
        d[label] = x ** 2
        t += d[label] * x
        if label == "b":
            del d[label]
    return t + len(d)


@program(labelled)
def emptied(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        d[label] = d.get(label, 0.0) + x * x
    t = 0.0
    for k in list(d):
        t = t * 0.5 + d.pop(k)
    for label, x in zip(labels, xs):
        d[label] = x * t
    return t + d["a"]


@program(labelled)
def cleared(xs, labels):
    d = {}
    t = 0.0
    for label, x in zip(labels, xs):
        d[label] = d.get(label, 1.0) * x
        if label == "c":
            t += sum(d.values())
            d.clear()
    return t * sum(d.values())


# ---- setdefault, comprehensions, copies

@program(labelled, needs="shapes")
def set_by_default(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        first = d.setdefault(label, x)
        d[label] *= 2.0 * first
    return max(d.values()) + d["c"] ** 2


@program(labelled)
def zipped(xs, labels):
    d = dict(zip(labels, xs))
    return d["a"] * d["b"] + sum(v ** 2 for v in d.values())


@program(labelled)
def a_comprehension(xs, labels):
    d = {k: np.sin(v) for k, v in zip(labels, xs) if k != "c"}
    t = 0.0
    for k in labels:
        t += d.get(k, 0.5) ** 2
    return t


@program(labelled)
def a_comprehension_of_numbers(xs, labels):
    d = {i: x ** 2 for i, x in enumerate(xs)}
    return d[0] * d[len(xs) - 1] + d.get(17, 2.0)


@program(labelled)
def nested_comprehensions(xs, labels):
    d = {(k, i): v * i for k, v in zip(labels, xs) for i in range(3)}
    e = {i: sum(d[k, i] for k in labels) for i in range(3)}
    return e[1] * e[2] + d["a", 2]


@program(labelled)
def copied(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        d[label] = d.get(label, 0.0) + x
    e = d.copy()
    for label, x in zip(labels, xs):
        e[label] = e[label] * x
        e[label + "2"] = e[label]
    return sum(v ** 2 for v in d.values()) + e["a2"] * e["b"]


@program(labelled)
def under_another_name(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        d[label] = d.get(label, 0.0) + x
    e = d
    t = d["a"]
    e[labels[0] + "x"] = xs[0]
    return t * e["b"] + sum(v ** 2 for v in e.values())


# ---- groups

@program(labelled)
def groups_by_test(xs, labels):
    groups = {}
    for label, x in zip(labels, xs):
        if label not in groups:
            groups[label] = []
        groups[label].append(x * x)
    return sum(np.var(np.array(g)) + g[0] ** 2 for g in groups.values())


@program(labelled)
def groups_by_default(xs, labels):
    groups = {}
    for label, x in zip(labels, xs):
        groups.setdefault(label, []).append(x)
    t = 0.0
    for k, g in groups.items():
        t += sum(g) ** 2 / len(g) * len(k)
    return t


@program(labelled)
def groups_started_anew(xs, labels):
    groups = {}
    t = 0.0
    for label, x in zip(labels, xs):
        if label == "b":
            groups[label] = [x, 1.0]
        else:
            groups.setdefault(label, []).append(x)
        t += sum(groups[label]) ** 2
    return t


# ---- values that are arrays

@program(labelled)
def arrays_as_values(xs, labels):
    sums = {}
    for label, x in zip(labels, xs):
        v = np.array([x, x ** 2])
        if label in sums:
            sums[label] = sums[label] + v
        else:
            sums[label] = v
    return sum(np.prod(v) for v in sums.values())


@program(labelled)
def arrays_or_zero(xs, labels):
    sums = {}
    for label, x in zip(labels, xs):
        sums[label] = sums.get(label, 0.0) + x * xs[:2]
    t = 0.0
    for v in sums.values():
        t += (v ** 2).sum()
    return t


@program(labelled)
def arrays_overwritten(xs, labels):
    last = {}
    t = 0.0
    for label, x in zip(labels, xs):
        if label in last:
            t += (last[label] * x).sum()
        last[label] = xs * x
    return t + last["a"][1]


# ---- tables

@program(two_series)
def time_warping(x, y):
    cost = {}
    cost[0, 0] = 0.0
    for i in range(1, len(x) + 1):
        cost[i, 0] = cost[i - 1, 0] + x[i - 1] ** 2
    for j in range(1, len(y) + 1):
        cost[0, j] = cost[0, j - 1] + y[j - 1] ** 2
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost[i, j] = min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]) + (x[i - 1] - y[j - 1]) ** 2
    return cost[len(x), len(y)]


@program(two_series)
def all_paths(x, y):
    p = {(0, 0): 1.0}
    for i in range(len(x)):
        for j in range(len(y)):
            if (i, j) not in p:
                p[i, j] = p.get((i - 1, j), 0.0) * x[i] + p.get((i, j - 1), 0.0) * y[j]
    return p[len(x) - 1, len(y) - 1]


@program(two_series)
def forward_algorithm(x, y):
    states = ["rain", "sun", "fog"]
    alpha = {s: np.exp(y[i]) for i, s in enumerate(states)}
    for v in x:
        new = {}
        for s in states:
            new[s] = sum(alpha[r] * np.exp(-0.1 * len(r) * len(s) * v) for r in states)
        alpha = new
    return np.log(sum(alpha.values()))


@program(two_series)
def a_table_of_powers(x, y):
    table = {}
    for i, v in enumerate(x):
        table[i, 0] = 1.0
        for j in range(1, 4):
            table[i, j] = table[i, j - 1] * v
    return sum(table[i, 3] for i in range(len(x))) + sum(v for (i, j), v in table.items() if j == 2)


@program(two_series)
def tables_of_tables(x, y):
    table = {}
    for i, v in enumerate(x):
        table[i] = {"v": v, "w": v * y[0]}
    return sum(row["v"] * row["w"] for row in table.values())


# ---- read under run-time keys

@program(named)
def parameters_by_name(p, names):
    t = 0.0
    for name in names:
        t += np.sum(p[name] ** 2) * (1.0 + t)
    return t


@program(named)
def parameters_or_default(p, names):
    t = 0.0
    for name in [*names, "z"]:
        t += np.sum(p.get(name, 2.0)) ** 2
    return t


@program(two_series)
def a_display_in_a_loop(x, y):
    t = 0.0
    for kind in ["relu", "tanh", "relu"]:
        t = t + {"relu": np.maximum(x, 0.0).sum(), "tanh": np.tanh(x).sum() * t}[kind] * y[0]
    return t


@program(two_series)
def handed_to_a_function(x, y):
    d = {}
    for i, v in enumerate(x):
        d[i % 3] = d.get(i % 3, 0.0) + v
    return weighed(d, y) * d[0]


def weighed(d, y):
    t = 0.0
    for k, v in d.items():
        t += v * y[k]
    return t ** 2


@program(two_series)
def made_by_a_function(x, y):
    d = counted(x, 2)
    e = counted(y, 3)
    return sum(v * e[k] for k, v in d.items())


def counted(x, n):
    d = {}
    for i, v in enumerate(x):
        d[i % n] = d.get(i % n, 0.0) + v ** 2
    return d


@program(two_series)
def given_back(x, y):
    d = {}
    for i, v in enumerate(x):
        d[i % 3] = d.get(i % 3, 0.0) + v ** 2
    d["y"] = y[0] * d[0]
    return sum(d.values()) + one_of(d, 1)


def one_of(d, k):
    return d[k] ** 2 if k in d else 0.0


@program(two_series)
def perhaps_filled(x, y):
    d = {}
    if y[0] > 0.0:
        for i, v in enumerate(x):
            d[i] = v * v
    if x[0] > 10.0:
        d = {}
    return sum(d.values()) * y[1]


# ---- keys that are there on some ways only

@program(lambda: (np.array([1.0, 2.0, 3.0]), True))
def other_keys_in_each_arm(x, flag):
    d = {"a": x[0]}
    if flag:
        d["b"] = x[1] * d["a"]
    else:
        d["c"] = x[2]
    return sum(d.values()) * d["a"] + d.get("b", 1.0)


@program(lambda: (np.array([1.0, 2.0, 3.0]),))
def a_key_of_the_first_turn(x):
    d = {}
    for v in x:
        d["t"] = d.get("t", 0.0) * v + v ** 2
    return d["t"]


@program(lambda: ({"a": 2.0, "b": 3.0}, 4.0))
def a_key_more_in_an_argument(p, y):
    if y > 3.0:
        p["n"] = p["a"] * p["b"] * y
    return sum(p.values()) * p["a"]


@program(lambda: ({"a": 2.0, "b": 3.0}, 4.0))
def a_key_more_by_a_function(p, y):
    add_key(p, y)
    return p["a"] * p["b"] + p["n"] * y


def add_key(p, y):
    if y > 3.0:
        p["n"] = p["a"] * p["b"]
    p["a"] = p["a"] * y


@program(lambda: (np.array([1.0, 2.0, 3.0]), 0.5))
def one_of_two_dicts(x, y):
    d = {"a": x, "b": x * y} if y > 0.0 else {"a": x * x}
    return sum(v.sum() for v in d.values()) * d["a"][0]


# ---- deque, defaultdict, Counter

@program(labelled)
def sums_by_default(xs, labels):
    d = defaultdict(float)
    for label, x in zip(labels, xs):
        d[label] += x ** 2
    t = d["z"]
    for i, (k, v) in enumerate(d.items()):
        t = t * 0.5 + v ** 2 * len(k) * i
    return t + len(d)


@program(labelled)
def lists_by_default(xs, labels):
    d = collections.defaultdict(list)
    for label, x in zip(labels, xs):
        d[label].append(x)
    d["b"].append(xs[0] * len(d["z"]))
    t = sum(np.sum(np.array(v)) ** 2 for v in d.values())
    return t * len(d["b"])


@program(labelled)
def keys_that_are_asked_for(xs, labels):
    d = defaultdict(lambda: 1.0)
    for label, x in zip(labels, xs):
        d[label + "2"] = np.sin(d[label] * x) + d[label * 2]
        d[label] *= x
        if d["q"] > 0.5:
            d[label] += 1.0
    t = 0.0
    for k in d:
        t = t * 0.7 + d[k]
    return t + (d.get("nothing", 3.0) if "nothing" in d else 0.0)


@program(two_series)
def transitions(x, y):
    p = defaultdict(float)
    p[0] = 1.0
    for v in x:
        q = defaultdict(float)
        for s in p:
            q[s + 1] += p[s] * v
            q[s] += p[s] * (1.0 - v)
        p = q
    return p[1] * y[0] + p[2] * p[3]


@program(labelled)
def a_counter_of_sums(xs, labels):
    d = Counter()
    for label, x in zip(labels, xs):
        d[label] += x ** 2
        d[label] -= d["nothing"]
    return sum(v ** 2 for v in d.values()) * d["a"]


@program(labelled)
def a_window(xs, labels):
    window = deque(maxlen=3)
    t = 0.0
    for x in xs:
        window.append(x * x)
        t += (sum(window) / len(window)) ** 2
    return t * window[0] * window[-1]


@program(lambda: (np.array([0.3, -0.4, 1.2, 0.7, 2.0, 0.9]), 2))
def a_window_of_given_length(xs, n):
    window = collections.deque(maxlen=n)
    t = 0.0
    for x in xs:
        window.appendleft(x)
        t += np.prod(np.array(window))
    return t


@program(labelled)
def a_queue(xs, labels):
    queue = deque([xs[0], xs[1]])
    t = 0.0
    while queue:
        v = queue.popleft()
        t += v * v * xs[2]
        if len(queue) < 2 and t < 3.0:
            queue.append(v * 1.5)
            queue.append(v * 1.7)
    return t


@program(labelled)
def a_queue_from_both_ends(xs, labels):
    queue = deque(xs[:3], maxlen=4)
    for x in xs[3:]:
        queue.appendleft(x * queue.pop())
        queue.append(x)
        if queue and x in queue:
            queue.append(queue.popleft() + 1.0)
    return sum(v * (i + 1) for i, v in enumerate(queue))


@program(two_series, needs="shapes")
def breadth_first(x, y):
    edges = {0: [1, 2], 1: [3], 2: [3], 3: []}
    value = {0: y[0]}
    queue = deque([0])
    while queue:
        node = queue.popleft()
        for other in edges[node]:
            if other not in value:
                queue.append(other)
                value[other] = 0.0
            value[other] += value[node] * x[other] + np.sin(x[node])
    return value[3] * value[1]


# ---- rows and columns

def rows() -> tuple:
    return [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.array([[0.3, 0.7], [1.1, -0.4], [0.2, 0.5]])


@program(rows)
def columns(m, a):
    return sum(np.prod(np.array(column)) for column in zip(*m)) * sum(p * q * r for p, q, r in zip(*a))


@program(rows)
def columns_unpacked(m, a):
    t = 0.0
    for i, (p, q) in enumerate(zip(*m)):
        t += p * q * i
    return t * a[0, 0]


@program(rows, argnums=(1,))
def columns_of_what_is_given(m, a):
    t = 0.0
    for i, (p, q) in enumerate(zip(*m)):
        t += p * q * i * a[0, 0]
    for (p, q), row in zip(zip(*m), a):
        t = t * q + row[0] * p
    return t * sum(p * q for p, q in zip(*m))


@program(rows)
def a_list_of_columns(m, a):
    both = list(zip(*m))
    changed = [list(column) for column in zip(*m)]
    changed[0][1] = changed[0][1] * 2.0
    return both[0][0] * both[1][1] + sum(both[2]) * changed[0][1] * a[1, 1]


@program(rows)
def columns_of_rows_that_are_made(m, a):
    made = [[v * i for v in row] for i, row in enumerate(m)]
    t = 0.0
    for column in zip(*made):
        t += sum(column) ** 2 if type(column) is tuple else 0.0
    return t * sum(max(row) * min(row) for row in zip(*a))


@program(lambda: ([("b", 1.5, 2), ("ab", 0.4, 3), ("c", 0.7, 1)],))
def columns_of_unlike_kinds(records):
    names, values, counts = zip(*sorted(records, key=lambda record: record[1]))
    t = 0.0
    for record in records:
        for i in range(len(record)):
            part = record[i]
            if i == 1:
                t += part ** 2
    return t * sum(values[:2]) + sum(v * len(name) * n for v, name, n in zip(values, names, counts))


@program(rows)
def no_columns(m, a):
    empty = [[v for v in row if v > 100.0] for row in m]
    t = a[0, 0]
    for p, q in zip(*empty):
        t += p * q
    return t * len(list(zip(*m)))


@program(rows)
def a_tuple_of_a_comprehension(m, a):
    t = tuple([v * v for v in a[0]])
    return sum(t) * (2.0 if isinstance(t, tuple) else 3.0)


# ---- displays and updates

@program(labelled)
def displays_in_a_list(xs, labels):
    found = []
    for label, x in zip(labels, xs):
        found.append({label: x, "k": x * 2.0})
    return sum(d["k"] ** 2 for d in found) + sum(found[0].values()) * found[1]["a"]


@program(labelled)
def updated(xs, labels):
    d = dict(zip(labels, xs))
    e = {"a": xs[0] * xs[1], "z": xs[2]}
    d.update(e)
    d.update(q=xs[3])
    d.update({label + "1": x * x for label, x in zip(labels, xs)})
    d |= {"a1": d["a1"] * 2.0}
    return d["a"] * d["z"] + d["q"] * d["b1"] + d["b"] * d["a1"]


@program(labelled)
def updated_with_pairs(xs, labels):
    d, given = {"z": xs[0]}, {labels[0]: xs[1]}
    d.update(zip(labels, xs))
    d.update(((key, value * xs[2]) for key, value in given.items()), extra=xs[3])
    given.update([("a", xs[0] * xs[1]), ("q", d["z"])])
    pairs = [(key, value ** 2) for key, value in given.items()]
    for _ in range(2):
        d.update(pairs)
        given.update((key, value * 0.9) for key, value in d.items() if key not in labels)
    return sum(value * len(key) for key, value in d.items()) * given["q"]


@program(labelled)
def merged(xs, labels):
    d = dict(zip(labels, xs))
    e = {**d, "a": xs[0] * 3.0, labels[3]: d["c"] * d["a"]}
    f = d | {"b": xs[1]}
    return e["a"] * e["b"] * e["c"] + f["b"] * f["a"] + sum(d.values())


@program(labelled)
def from_keys(xs, labels):
    d = dict.fromkeys(labels, 0.0)
    for label, x in zip(labels, xs):
        d[label] = d[label] + x * x
    e = dict.fromkeys(sorted(d), 1.0)
    return d["a"] * d["b"] + e["c"] * sum(e.values()) * xs[1]


@program(labelled)
def named_views(xs, labels):
    d = dict(zip(labels, xs))
    values = d.values()
    first, second, third = values
    (key, value), *rest = d.items()
    return first * second + third * value * rest[0][1] * len(key) + sum(values)


@program(labelled)
def an_array_under_the_first_key(xs, labels):
    d = {}
    d[labels[0]] = xs * 2.0
    if labels[1] not in d:
        d[labels[1]] = xs[:2] * xs[0]
    d[labels[0]] = d[labels[0]] * xs
    return d["a"].sum() * d["b"].sum()


@program(labelled)
def tables_in_a_table(xs, labels):
    d = {}
    for i, (label, x) in enumerate(zip(labels, xs)):
        if label not in d:
            d[label] = {}
        d[label][i] = x * x
    t = 0.0
    for inner in d.values():
        for i, v in inner.items():
            t += v * i
    return t * d["b"][0]


@program(labelled)
def in_a_try_block(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        try:
            d[label] = d[label] + x * x
        except KeyError:
            d[label] = x
    return sum(v ** 2 for v in d.values())


# ---- dicts that others have, too

@program(lambda: ({"a": 2.0, "b": 3.0}, "b", 0.5))
def an_argument_under_a_key(p, key, y):
    p[key] = p["a"] * p["b"] * y
    p["a"] = p["a"] * 3.0
    return sum(p.values()) * p[key]


@program(lambda: ({"a": 2.0, "b": 3.0}, "n", 0.5))
def an_argument_under_a_new_key(p, key, y):
    p[key] = p["a"] * p["b"] * y
    p["a"] = p["a"] * p[key]
    return sum(p.values()) * p[key]


@program(lambda: ({"a": 2.0, "b": 3.0, "c": 0.7}, ["b", "c"], 0.5))
def keys_taken_out_of_an_argument(p, keys, y):
    t = y
    for key in keys:
        t = t * p.pop(key) + p["a"]
    p["t" + keys[0]] = t
    return t * p["a"]


@program(labelled)
def totals_by_a_function(xs, labels):
    d = {}
    for label, x in zip(labels, xs):
        add_to(d, label, x)
        if label == "c":
            add_to(d, "a", d["b"] * x)
    return d["a"] * d["b"] + sum(d.values())


def add_to(d, key, x):
    d[key] = d.get(key, 0.0) + x * x


@program(labelled)
def taken_out_by_a_function(xs, labels):
    d = dict(zip(labels, xs))
    t = without(d, labels[1]) * d["b"]
    add_to(d, labels[1], t)
    return t * sum(d.values())


def without(d, key):
    return d.pop(key) * 2.0


@program(labelled)
def totals_by_a_closure(xs, labels):
    d = {}

    def add(key, x):
        d[key] = d.get(key, 1.0) * x

    for label, x in zip(labels, xs):
        add(label, x)
        add(label + "2", d[label])
    return d["a2"] * d["b"] + d["c"]


class Memo:
    def __init__(self, scale):
        self.scale = scale
        self.cache = {}

    def squared(self, key, x):
        if key not in self.cache:
            self.cache[key] = x * x * self.scale
        return self.cache[key]


@program(labelled)
def a_memo_of_an_object(xs, labels):
    memo = Memo(xs[0])
    t = 0.0
    for label, x in zip(labels, xs):
        t = t * 0.5 + memo.squared(label, x)
    return t * memo.cache["a"]


@program(lambda: (types.SimpleNamespace(cache={"a": 0.5}, w=1.5), np.array([0.3, -0.4, 1.2]), ["b", "a", "b"]))
def a_memo_of_an_argument(state, xs, labels):
    for label, x in zip(labels, xs):
        state.cache[label] = state.cache.get(label, 1.0) * x * state.w
    return sum(state.cache.values()) * state.cache["a"]


@program(lambda: (np.array([0.3, 0.4, 1.2]), [("s", "a"), ("a", "t"), ("s", "t")]))
def shortest_ways(lengths, edges):
    nodes = sorted({node for edge in edges for node in edge})
    distance = {node: math.inf for node in nodes}
    before = dict.fromkeys(nodes, -1.0)
    distance["s"] = 0.0
    for _ in nodes:
        for (u, v), length in zip(edges, lengths):
            if distance[u] + length < distance[v]:
                distance[v] = distance[u] + length
                before[v] = length
    return distance["t"] ** 2 + before["a"]


# ---- emptied

def let_go(d):
    d.clear()


@program(labelled)
def emptied_by_a_function(xs, labels):
    kept = {}
    for label, x in zip(labels, xs):
        kept[label] = kept.get(label, 1.0) * x
    total = sum(v ** 2 for v in kept.values())
    let_go(kept)
    kept["b"] = xs[1]
    return total * sum(v ** 2 for v in kept.values())


# ---- objects as keys

class Kind(enum.Enum):
    FIRST = 1
    SECOND = 2


@program(lambda: (normal(1, 3),))
def members_as_keys(x):
    parts = {Kind.FIRST: x, Kind.SECOND: x * 2.0}
    return sum((v * v).sum() * kind.value for kind, v in parts.items())


@program(lambda: (normal(1, 3), [Kind.FIRST, Kind.SECOND, Kind.FIRST]))
def sums_by_members(x, kinds):
    sums = {kind: 0.0 for kind in Kind}
    for kind, v in zip(kinds, x):
        sums[kind] += v ** 2
    parts = {}
    parts[Kind.FIRST] = x
    parts[Kind.SECOND] = x * 2.0
    return sums[Kind.FIRST] * sums[Kind.SECOND] + (parts[Kind.FIRST] * parts[Kind.SECOND]).sum()


ROADS = {0: {1: 1.0, 2: 4.0}, 1: {2: 1.5, 3: 5.0}, 2: {3: 1.2}, 3: {0: 9.0}}


@program(lambda: (ROADS, 0, 3), argnums=(0,))
def nearest_first_with_numbered_places(roads, source, target):
    nearest = {source: 0.0}
    heap = [(0.0, source)]
    while heap:
        way, place = heapq.heappop(heap)
        if place == target:
            return way ** 2
        for other, length in roads[place].items():
            if way + length < nearest.get(other, math.inf):
                nearest[other] = way + length
                heapq.heappush(heap, (way + length, other))
    return math.inf


@program(lambda: ({0: [1, 2], 1: [3], 2: [3], 3: []}, normal(21, 4)))
def spread_from_a_numbered_place(neighbours, w, root=0):
    seen = {root: 1.0}
    waiting = deque([root])
    while waiting:
        place = waiting.popleft()
        for other in neighbours[place]:
            if other not in seen:
                seen[other] = seen[place] * w[other]
                waiting.append(other)
    return sum(seen.values())


@program(lambda: ({0: {0: 0.5, 1: 0.5}, 1: {0: 0.3, 1: 0.7}}, 0, 3), argnums=(0,))
def a_chain_of_numbered_states(moves, start, n):
    chances = {start: 1.0}
    for _ in range(n):
        after = {}
        for state, chance in chances.items():
            for other, share in moves[state].items():
                after[other] = after.get(other, 0.0) + chance * share
        chances = after
    return chances[start]
