"""Values put into groups: by ``itertools.groupby``, ``setdefault``, dicts that make what is asked for; deques that
turn."""
from __future__ import annotations

import itertools
from collections import defaultdict, deque

import numpy as np

from corpus.registry import normal, program

LABELS = ("a", "b", "a", "c", "b", "a")
YEARS = (1, 1, 2, 2, 1, 2)


@program(lambda: (normal(1, 8),))
def runs_of_one_sign(x):
    total = 0.0
    for positive, run in itertools.groupby(x, key=lambda v: v > 0):
        values = list(run)
        total += values[0] * values[-1] * len(values) if positive else -sum(values)
    for _, run in itertools.groupby(x, lambda v: v > 0.5):
        total += max(run)
    return total


@program(lambda: ([("a", 1.0), ("a", 2.0), ("b", 0.5), ("c", 1.5), ("c", 0.1)],))
def sums_by_key(rows):
    return sum(sum(v for _, v in group) ** 2 for _, group in itertools.groupby(rows, key=lambda row: row[0]))


@program(lambda: (normal(1, 8),))
def first_of_each_run(x):
    total = 0.0
    for _, run in itertools.groupby(x, key=lambda v: v > 0):
        total += next(run) ** 2
    return total


@program(lambda: (normal(1, 8),))
def dict_of_runs(x):
    runs = {sign: [v * v for v in run] for sign, run in itertools.groupby(sorted(x), key=lambda v: v > 0)}
    return sum(runs[True]) - 2.0 * sum(runs[False])


@program(lambda: (normal(1, 6),))
def a_name_for_the_group(x):
    groups = {}
    for v, label in zip(x, LABELS):
        group = groups.setdefault(label, [])
        group.append(v * v)
    return max(sum(group) for group in groups.values())


@program(lambda: (normal(1, 6),))
def a_name_for_the_record(x):
    records = {}
    for v, label in zip(x, LABELS):
        record = records.setdefault(label, {"sum": 0.0, "count": 0})
        record["sum"] += v * v
        record["count"] += 1
    return sum(record["sum"] / record["count"] for record in records.values())


@program(lambda: (normal(1, 6),))
def groups_of_groups(x):
    table = {}
    for v, label, year in zip(x, LABELS, YEARS):
        table.setdefault(label, {}).setdefault(year, []).append(v)
    return sum(sum(group) ** 2 for years in table.values() for group in years.values())


@program(lambda: (normal(1, 6),))
def sums_of_sums(x):
    table = defaultdict(lambda: defaultdict(float))
    for v, label, year in zip(x, LABELS, YEARS):
        table[label][year] += v * v
    return sum(np.sqrt(s + 1.0) * len(years) for years in table.values() for s in years.values())


@program(lambda: (normal(1, 6),))
def lists_of_lists(x):
    table = defaultdict(lambda: defaultdict(list))
    for v, label, year in zip(x, LABELS, YEARS):
        table[label][year].append(v)
    total = 0.0
    for label in sorted(table):
        for year in sorted(table[label]):
            total += sum(table[label][year]) ** 2 * year
    return total


@program(lambda: (normal(1, 5),))
def edges_of_a_graph(weights):
    edges = defaultdict(list)
    for (i, j), weight in zip([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)], weights):
        edges[i].append((j, weight))
        edges[j].append((i, weight))
    return sum(weight ** 2 * (i + 1) for i in edges for _, weight in edges[i])


@program(lambda: (normal(1, 5),))
def paths_of_a_graph(weights):
    edges = defaultdict(list)
    for (i, j), weight in zip([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)], weights):
        edges[i].append((j, weight))
    def from_node(i):
        return 1.0 if i == 4 else sum(weight * from_node(j) for j, weight in edges[i])
    return from_node(0)


@program(lambda: (normal(1, 6),))
def asked_for_in_vain(x):
    sums = defaultdict(float)
    for v, label in zip(x, LABELS):
        sums[label] += v
    return sum(sums[label] ** 2 * (i + 1) for i, label in enumerate(("a", "none", "c")))


@program(lambda: (normal(1, 6),))
def summed_by_a_function(x):
    sums = defaultdict(float)
    def add(label, v):
        sums[label] += v
    for v, label in zip(x, LABELS):
        add(label, v * v)
    return sum(np.sqrt(s) for s in sums.values())


@program(lambda: (normal(1, 5), 2))
def a_deque_that_turns(x, steps):
    ring = deque(x)
    total = 0.0
    for i in range(3):
        ring.rotate(1)
        total += ring[0] * ring[-1] * (i + 1)
    ring.rotate(-1)
    total += ring[0] * ring[2]
    ring.rotate(steps)
    return total * ring[0]


@program(lambda: ([3.0, 7.0, 9.0],))
def a_dict_that_grows_while_its_items_are_gone_through(values):
    best = {0: 0.0}
    for weight, value in zip((1, 2, 5), values):
        for load, worth in list(best.items()):
            key = load + weight
            if key <= 7 and best.get(key, -1.0) < worth + value * weight:
                best[key] = worth + value * weight
    return max(best.values()) + best[3]


@program(lambda: ([[0.3, 1.2], [0.7, 0.4], [1.1, 0.5]],))
def rows_changed_once_they_are_picked(rows):
    """What ``large`` holds is read before the rows change, which are in two places by then."""
    rows, total = [list(row) for row in rows], 0.0
    for _ in range(2):
        large, last = [], [None]
        for row in rows:
            if row[0] > 0.5:
                large.append(row)
                last[0] = row
        for row in large:
            total += row[0] * row[1]
        total += large[0][0] * large[0][1] ** 2 * last[0][1]
        for row in rows:
            row[0] *= total
    return total


@program(lambda: (normal(1, 4),))
def dicts_in_groups_and_in_a_list(x):
    """The lists of the groups were made where they went in: what else holds the dicts is not changed with them."""
    items = [{"w": v, "kind": i % 2} for i, v in enumerate(x)]
    groups, halves = defaultdict(list), {0: [], 1: []}
    for i, item in enumerate(items):
        groups[item["kind"]].append(item)
        halves[i // 2].append(item)
    return sum(sum(item["w"] for item in group) ** 2 for group in groups.values()) + items[0]["w"] * sum(
        item["w"] for half in halves.values() for item in half[1:])


@program(lambda: (normal(1, 5),))
def groups_asked_for_twice_in_a_line(x):
    groups = defaultdict(list)
    for i, v in enumerate(x):
        groups[i % 2].append(v)
    return sum(sum(groups[key]) * (key + 1) for key in range(3)) * x[0] + len(groups[0]) * x[1] + len(groups)
