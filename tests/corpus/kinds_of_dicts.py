"""Defaultdicts, OrderedDicts and Counters: as arguments, in objects, in other containers, as results, changed by
functions that get them; what is made when it is asked for, and the order of keys."""
from __future__ import annotations

import copy
from collections import Counter, OrderedDict, defaultdict

import numpy as np

from corpus.registry import normal, program


def amounts():
    return defaultdict(float, a=0.4, b=-0.3)


def layers():
    return OrderedDict(w=normal(1, 2), b=0.2, c=0.7)


def in_order(d, x):
    total = 0.0
    for v in d.values():
        total = total * x + np.sum(v) ** 2
    return total


class Ledger:
    """Sums by name, and the last entries of each, in the order in which they came."""

    def __init__(self, rate=0.5):
        self.rate = rate
        self.sums = defaultdict(float, start=rate)
        self.last = OrderedDict(start=rate)

    def add(self, key, value):
        self.sums[key] += self.rate * value
        self.last[key] = value * value
        self.last.move_to_end(key)
        if len(self.last) > 2:
            self.last.popitem(last=False)


@program(lambda: (amounts(), 0.7))
def read_where_there_is_nothing(d, x):
    return d["a"] * x + d["none"] + len(d)


@program(lambda: (amounts(), 0.7))
def updated_where_there_is_nothing(d, x):
    d["new"] += x * d["a"]
    d["a"] *= 2.0
    d.setdefault("b", 5.0)
    d.setdefault("c", x * x)
    return d["new"] * d["a"] * d["c"] + d["b"] * len(d) + d.get("d", x)


@program(lambda: (defaultdict(list, a=[0.3, 0.4]), 0.7))
def lists_in_a_defaultdict(d, x):
    d["b"].append(x * x)
    d["a"].append(x)
    d["c"] += [x, len(d) * x]
    return d


@program(lambda: (normal(1, 6), 0.7))
def ledger_made_inside(x, w):
    ledger = Ledger(w)
    for i in range(len(x)):
        ledger.add(i % 4, x[i])
    return in_order(ledger.last, w) + ledger.sums[0] * ledger.sums[1] + ledger.sums["none"]


@program(lambda: (Ledger(), normal(1, 4)))
def ledger_of_the_caller(ledger, x):
    for i, v in enumerate(x):
        ledger.add("ab"[i % 2], v)
    return ledger.sums["a"] * ledger.last["b"]


@program(lambda: (layers(), 0.7))
def order_of_an_ordered_dict(p, x):
    p.move_to_end("w")
    first = in_order(p, x)
    p.move_to_end("c", last=False)
    key, value = p.popitem(last=False)
    p["again"] = value * x
    return first + in_order(p, x) * (2.0 if key == "c" else 1.0)


@program(lambda: (normal(1, 5), 3))
def order_by_numbers_known_at_the_call(x, n):
    p = OrderedDict([(i, v) for i, v in enumerate(x)])
    p.move_to_end(n, last=False)
    p.move_to_end(1)
    last, value = p.popitem()
    return in_order(p, 0.5) + value * last


@program(lambda: (normal(1, 4),))
def all_kinds_as_results(x):
    sums, parts, nested = defaultdict(float), OrderedDict(a=x[0] * x[1]), defaultdict(lambda: defaultdict(float))
    for i, v in enumerate(x):
        sums[i % 2] += v * v
        nested[i % 2][i] += v * x[0]
    parts["b"] = np.exp(x)
    return sums, parts, nested, Counter({"a": x[2] * x[3]})


def tally(d, x):
    d["t"] += x * x
    return d["t"] * d["u"]


def looked_up(d, key):
    return d[key] + 1.0


@program(lambda: (normal(1, 3), 0.7))
def handed_to_functions(x, w):
    d, counts = defaultdict(float, u=w), defaultdict(int)
    first = tally(d, x[0])
    counts["q"] += 1
    n = looked_up(counts, "none") + len(counts)
    return first * tally(d, x[1]) + looked_up(d, "other") * len(d) + n * d["t"]


@program(lambda: ({"m": amounts(), "o": layers()}, [amounts()], 0.7))
def in_other_containers(p, rows, x):
    rows[0]["n"] += p["m"]["a"] * x
    rows.append(defaultdict(float))
    rows[1]["k"] += x
    p["o"].move_to_end("w")
    return np.sum(p["o"]["w"]) * p["o"]["b"] + p["m"]["none"] + rows[0]["n"] * rows[1]["k"]


@program(lambda: (amounts(), layers(), 0.7))
def copies_of_kinds_of_dicts(d, p, x):
    e, q, plain, deep = d.copy(), copy.copy(p), dict(d), copy.deepcopy(d)
    e["a"] += x
    q["b"] *= x
    plain["a"] = x
    deep["none"] += d["a"]
    d.clear()
    d["none"] += x
    made = defaultdict(float, plain, k=x)
    made["l"] -= x
    return e, q, plain, deep, made, OrderedDict(plain)


@program(lambda: (amounts(), OrderedDict(b=0.5, c=1.5), {"a": 0.2}))
def merged_kinds_of_dicts(d, p, q):
    p.update(d)
    first = p | q
    d |= q
    return first, q | p, d | p


@program(lambda: (Counter(a=0.5, b=0.2), Counter(b=0.3, c=-0.4, d=0.1), 0.7))
def arithmetic_of_counters(c, d, x):
    c["z"] += x
    c["a"] *= c["none"] + x
    return c + d, c - d, c | d, c & d, len(c)


@program(lambda: (Counter(a=0.5, b=0.9, c=0.2), 0.7))
def what_counters_count(c, x):
    c.update({"a": x, "z": x * x})
    c.update(b=x)
    c.subtract({"c": x})
    (first, v), (_, w) = c.most_common(2)
    words = Counter("abracadabra")
    words.update(["a", "r"])
    words["a"] += x
    return v * w + c.total() * x + words["a"] * words["b"] + words["none"], first, len(c.most_common())


@program(lambda: (normal(1, 6),))
def counted_and_grouped_without_derivatives(x):
    counts, groups = defaultdict(int), defaultdict(list)
    for i in range(6):
        counts[i % 2] += 1
        groups[i % 4].append(i)
    total = counts["none"] * 1.0
    for key, n in counts.items():
        total += x[key if key != "none" else 5] * n
    return sum([np.sum(x[places]) * x[key] for key, places in groups.items()]) * len(counts) * total


@program(lambda: (normal(1, 4), 0.7))
def when_keys_are_made(x, w):
    d = defaultdict(float)
    d["n"] = d["m"] + x[0]
    d["p"] = len(d) * x[1]
    d["q"] += d["r"] + len(d) * x[2]
    y = d["s"] if x[0] > 0 else d["t"]
    for i in range(4):
        if d["u"] < 3.0:
            d["u"] += x[i] ** 2 + w
    del d["p"]
    return d, y + d.pop("q") + d["q"]


@program(lambda: (normal(1, 5), 0.7))
def keys_asked_for_in_comprehensions(x, w):
    d, arrays = defaultdict(float), defaultdict(lambda: np.zeros(2))
    for i, v in enumerate(x):
        d[i % 3] += v * v
        arrays[i % 2][0] += v * w
        arrays[i % 2] = arrays[i % 2] + v
    squares = [d[k] ** 2 for k in (0, 1, 7)]
    return sum(squares) + sum(d[k] * w for k in sorted(d)) * len(d), arrays[0] @ arrays[1] + arrays[5]


@program(lambda: (amounts(), defaultdict(None, a=0.4), 0.7))
def what_python_says_of_kinds_of_dicts(d, plain, x):
    known = isinstance(d, defaultdict) and type(d) is defaultdict and d.default_factory is float \
        and plain.default_factory is None and not isinstance(d, OrderedDict) and d == {"a": d["a"], "b": d["b"]}
    plain["b"] = x
    return {k: v * x for k, v in d.items()} if known and "a" in d else plain


def in_some_order(values, n):
    return {i * 7 % 5: values[i] ** 2 for i in range(n)}


@program(lambda: ({"b": 0.3, "a": 0.7, "c": -0.2}, 0.7))
def loops_over_copies_of_a_dict_that_changes(d, x):
    for k, v in sorted(d.items()):
        d[k] = v * x + d["a"]
        d[k + "s"] = v
    for k, v in reversed(list(d.items())):
        d[k] = v * x + d["b"]
    for i, (k, v) in enumerate(sorted(d.items(), key=lambda pair: pair[1])):
        d[k + "e"] = v * i
    for (k, v), w in zip(list(d.items())[1:], [x, x ** 2]):
        d[k + "z"] = v * w
    for k in sorted(d.keys(), reverse=True):
        if d[k] < 0.0:
            del d[k]
    return d


@program(lambda: (normal(1, 4), 3))
def loops_over_copies_of_a_dict_with_keys_known_at_the_call(x, n):
    d = in_some_order(x, n)
    for k, v in reversed(list(d.items())):
        d[k + 10] = v * x[0]
    for i, (k, v) in enumerate(sorted(d.items())):
        d[k + 20] = v * x[i % 4]
    for k, v in [(k, v) for k, v in d.items() if k < 20]:
        d[k + 40] = v * v
    for k in sorted(d):
        if k % 3 == 1:
            d[k + 80] = d.pop(k) * x[1]
    return d


@program(lambda: (OrderedDict(b=0.3, a=0.2), amounts(), 0.7))
def loops_over_copies_of_kinds_of_dicts(p, d, x):
    for k, v in sorted(p.items()):
        p[k + "2"] = v * x
        p.move_to_end(k)
    for k in reversed(list(p)):
        p[k] *= x
    for k, v in sorted(d.items()):
        d[k + "2"] += v * x
    for k in list(d):
        d[k + "q"] -= d[k] * d["none"] + x
    return p, d


@program(lambda: ({"a": 0.7, "b": 0.2, "c": 0.9}, 0.4))
def kept_in_order(d, x):
    total = 0.0
    for i in range(3):
        d = dict(sorted(d.items(), key=lambda pair: pair[1]))
        d[f"k{i}"] = x * (i + 1)
        e = {}
        for place, (key, value) in enumerate(sorted(d.items(), reverse=True)):
            e[key] = value * 0.9
            total += value * place * x
        d = e
    return total * sum(value * place for place, value in enumerate(d.values()))


@program(lambda: (normal(1, 4),))
def unpacked_dicts_give_their_keys(x):
    (a, b), (c, *rest) = {0.5: x[0], 1.5: x[1]}, {0: x[2], 1: x[3]}
    for v in x:
        a, b, c = a + b * v, b + v, c * v + rest[0]
    return a * b * c
