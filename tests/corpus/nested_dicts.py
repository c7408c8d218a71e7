"""Dicts in lists, tuples and dicts, empty at first: the tables of dynamic programs, trees of totals."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


def labelled():
    return positive(1, 6), ["b", "a", "b", "c", "a", "b"]


def chains():
    return np.log(positive(2, 3, 3)), np.log(positive(3, 3, 4)), [0, 3, 2, 1]


@program(chains)
def most_likely_path(transitions, emissions, observed):
    table = [{}]
    for s in range(3):
        table[0][s] = emissions[s, observed[0]]
    for t in range(1, len(observed)):
        table.append({})
        for s in range(3):
            best = max(table[t - 1][p] + transitions[p, s] for p in range(3))
            table[t][s] = best + emissions[s, observed[t]]
    return max(table[-1].values())


@program(labelled)
def states_under_names(x, labels):
    trellis = [{}]
    for s in "ab":
        trellis[0][s] = {"value": x[0] * 2.0, "from": None}
    for t in range(1, len(x)):
        trellis.append({})
        for s in "ab":
            best = sum(trellis[t - 1][p]["value"] * x[t] for p in "ab")
            trellis[-1][s] = {"value": best + x[t] ** 2, "from": labels[t]}
    return sum(v["value"] for v in trellis[-1].values())


@program(labelled)
def one_of_two(x, labels):
    tables = ({}, [{}, {}])
    for i, (label, v) in enumerate(zip(labels, x)):
        tables[0][label] = v * v
        tables[1][i % 2][label] = tables[1][i % 2].get(label, 1.0) * v
    return sum(tables[0].values()) * sum(tables[1][0].values()) * tables[1][1]["c"]


@program(labelled)
def a_tree_of_totals(x, labels):
    tree = {}
    for i, (label, v) in enumerate(zip(labels, x)):
        tree.setdefault(label, {})[i % 2] = v * v
    return sum(sum(branch.values()) ** 2 for branch in tree.values())


class Levels:
    def __init__(self):
        self.levels = [{}]

    def put(self, label, v):
        self.levels[-1][label] = v * v

    def deeper(self):
        self.levels.append({})


@program(labelled)
def levels_of_an_object(x, labels):
    scopes = Levels()
    for label, v in zip(labels, x):
        scopes.put(label, v)
        scopes.deeper()
    return sum(sum(level.values()) for level in scopes.levels) * scopes.levels[2]["b"]


@program(lambda: ([{}], normal(4, 3)), argnums=(1,))
def the_callers(tables, x):
    for i, v in enumerate(x):
        tables.append({})
        tables[i][str(i)] = v * v
    return tables[1]["1"] * x[2]


@program(lambda: (normal(1, 3), normal(2, 3), ("k", "l")))
def dicts_with_more_keys(a, b, labels):
    more = {"m": b}
    p = dict(k=a, **more)
    for _ in labels:
        q = dict(p, l=p["k"] * b)
        more = {"k": q["l"] + a}
        p = dict(q, **more, rate=np.sum(q["m"]))
    return p[labels[0]] * p["rate"]


@program(lambda: (0.3, -0.7, 1.2))
def board_copied_row_by_row(x, y, z):
    rows = [[x, y], [x * y, z]]
    copies = [row[:] for row in rows]
    others = [rows[1].copy(), list(rows[0])]
    copies[0][1] = rows[1][0] * 3.0
    others[0][0] = copies[0][1] * y
    rows[0][0] = others[1][0] * z
    return np.array(rows) * np.array(copies) + np.array(others)
