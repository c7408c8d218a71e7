"""Dicts of lists, arrays and dicts under keys that only the call tells; dicts of numbers that are zipped."""
from __future__ import annotations

import collections
from collections import OrderedDict

import numpy as np

from corpus.registry import program


def labelled():
    return np.array([0.3, -0.4, 1.2, 0.7]), ["a", "b", "a", "b"]


def vector():
    return (np.array([0.3, -0.4, 1.2, 0.7]),)


# ---- lists

@program(vector)
def lists_under_texts(x):
    groups = {}
    for i in range(3):
        groups[str(i)] = []
    for i, v in enumerate(x):
        groups[str(i % 3)].append(v ** 2)
    return sum(sum(values) ** 2 for values in groups.values())


@program(labelled)
def lists_made_first(x, labels):
    groups = {label: [] for label in labels}
    for label, v in zip(labels, x):
        groups[label].append(v ** 2)
    return sum(sum(values) ** 2 for values in groups.values())


@program(labelled)
def the_last_of_each(x, labels):
    series = {label: [0.0] for label in labels}
    for label, v in zip(labels, x):
        series[label].append(series[label][-1] * v + v)
    return series["a"][-1] * series["b"][-1]


@program(labelled)
def lists_made_longer(x, labels):
    groups = {}
    for label, v in zip(labels, x):
        if label not in groups:
            groups[label] = []
        groups[label] += [v, v ** 2]
    return sum(sum(values) ** 2 for values in groups.values())


@program(vector)
def a_history(x):
    history = {"loss": [], "norm": []}
    w = x
    for _ in range(3):
        loss = np.sum(w ** 2)
        history["loss"] += [loss]
        history["norm"] += [np.sqrt(loss)]
        w = w - 0.2 * w
    return sum(history["loss"]) + history["norm"][-1]


@program(vector)
def rows_made_longer(x):
    rows = [[], []]
    for i, v in enumerate(x):
        rows[i % 2] += [v]
    rows[0] += (x[1], x[2])
    return sum(sum(row) ** 2 for row in rows)


# ---- arrays

@program(labelled)
def arrays_added_to(x, labels):
    sums = {label: np.zeros(4) for label in labels}
    for label, v in zip(labels, x):
        sums[label] += v * x
    return sum(np.sum(s ** 2) for s in sums.values())


@program(labelled)
def places_of_arrays(x, labels):
    moments = {label: np.zeros(2) for label in labels}
    for label, v in zip(labels, x):
        moments[label][0] += v
        moments[label][1] += v ** 2
    return sum(np.prod(m) for m in moments.values())


@program(labelled)
def arrays_put_where_missing(x, labels):
    found = {}
    for label, v in zip(labels, x):
        if label not in found:
            found[label] = np.zeros(2)
        found[label] += v ** 2
        found[label][0] *= v
    return sum(np.sum(a ** 2) for a in found.values())


# ---- dicts

@program(labelled)
def dicts_of_numbers(x, labels):
    by_label = {label: {} for label in labels}
    for i, (label, v) in enumerate(zip(labels, x)):
        by_label[label][i] = v ** 2
    return sum(sum(row.values()) ** 2 for row in by_label.values())


@program(labelled)
def counts_and_sums(x, labels):
    rows = {label: {"count": 0, "sum": 0.0} for label in labels}
    for label, v in zip(labels, x):
        rows[label]["count"] += 1
        rows[label]["sum"] += v ** 2
    return sum(row["sum"] ** 2 / row["count"] for row in rows.values())


# ---- zipped

@program(labelled)
def zeros_by_key(x, labels):
    totals = dict(zip(labels, [0.0] * len(labels)))
    for label, v in zip(labels, x):
        totals[label] += v ** 2
    return sum(v ** 2 for v in totals.values())


@program(labelled, needs=("activity", "shapes"))
def zeros_of_an_array_by_key(x, labels):
    totals = dict(zip(labels, np.zeros(len(labels))))
    for label, v in zip(labels, x):
        totals[label] += v ** 2
    return sum(v ** 2 for v in totals.values())


@program(labelled, needs="shapes")
def numbered(x, labels):
    places = {label: i for i, label in enumerate(labels)}
    factors = dict(enumerate([1.0, 2.0, 3.0, 4.0]))
    for label, v in zip(labels, x):
        factors[places[label]] *= v
    return factors[0] + factors[2] * factors[3]


# ---- in objects that share what stays as it is

class Layer:
    def __init__(self, w, options):
        self.w = w.copy()
        self.options = options


@program(vector)
def objects_with_the_same_options(x):
    options = {"rate": 0.5}
    layers = [Layer(np.zeros(2), options) for _ in range(3)]
    layers[0].w[0] += x[0]
    layers[1].w[0] += x[1] * layers[0].w[0] * layers[2].options["rate"]
    return np.sum(layers[1].w) ** 2


# ---- of pairs, ordered, item by item

@program(vector)
def of_pairs_written_out(x):
    d = dict([("w", x[0]), ["b", x[1] * 2]])
    d["c"] = x[2]
    return sum(v ** 2 for v in d.values()) + d["w"]


@program(vector)
def of_pairs_in_a_list(x):
    pairs = []
    for i, v in enumerate(x):
        pairs.append((i, v * v))
    d = dict(pairs)
    numbered_squares = dict(enumerate(x ** 2))
    return d[0] * d[3] + numbered_squares[1]


@program(vector)
def functions_in_order(x):
    layers = OrderedDict([("first", lambda z: z * 2.0), ("second", np.tanh), ("third", lambda z: z ** 2)])
    for function in layers.values():
        x = function(x)
    return np.sum(x)


@program(vector)
def moved_to_the_end(x):
    d = OrderedDict(a=x[0], b=x[1], c=x[2])
    d.move_to_end("a")
    d.update(b=x[3] ** 2)
    total = 0.0
    for i, (key, v) in enumerate(d.items()):
        total += v ** 2 * (i + 1) * len(key)
    return total * d.pop("c")


@program(labelled)
def ordered_by_arrival(x, labels):
    totals = collections.OrderedDict()
    for label, v in zip(labels, x):
        if label not in totals:
            totals[label] = 0.0
        totals[label] += v ** 2
    result = 1.0
    for label in totals:
        result = result * totals[label] + totals[label]
    return result


@program(vector)
def the_last_ones_first(x):
    waiting = {i: v * 1.5 for i, v in enumerate(x)}
    total = 1.0
    while waiting:
        i, v = waiting.popitem()
        total = total * 0.5 + v ** 2 * (i + 1)
    return total


@program(vector)
def last_items_of_known_keys(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    d.popitem()
    key, v = d.popitem()
    return v * d["a"] * len(key)


@program(lambda: (np.array([0.4, 1.3, 2.5]),))
def the_first_thrown_out(x):
    kept = collections.OrderedDict(a=x[0], b=x[1])
    for k, v in enumerate(x):
        kept[k] = v * kept["b"]
        if len(kept) > 3:
            kept.popitem(last=False)
        kept.move_to_end("b")
    return kept["b"] * kept[2] + len(kept) * kept[1]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def emptied_from_the_end_in_a_loop(x):
    d, total = {"a": x[0], "b": x[1], "c": x[0] * x[2]}, 0.0
    while d:
        key, value = d.popitem()
        total = 0.5 * total + value * value * len(key)
    return total
