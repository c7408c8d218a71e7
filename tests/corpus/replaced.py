"""Dicts in whose place another one is put while a loop runs over what they hold, or that change under a second name."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Holder:
    def __init__(self, parts):
        self.parts = parts
        self.total = 0.0

    def renew(self, v):
        self.parts = {"a": v, "b": v * 2.0}


@program(lambda: (normal(1, 3),))
def its_name(x):
    d, other, total = {"a": x[0], "b": x[1]}, {"a": x[2], "b": x[0] * x[1]}, 0.0
    for _, v in d.items():
        total = total * 0.5 + v * x[2]
        d = {**d, "a": total, "b": total * v}
    for i, v in enumerate(d.values()):
        total = total + v * (i + 1)
        d, other = other, d
    for v in d.values():
        total = total * v
        d.update(a=v * 0.5, b=total)
    return total + d["b"] * other["a"]


@program(lambda: (normal(1, 3),))
def its_place(x):
    d, rows, total = {"m": {"a": x[0], "b": x[1]}, "n": {"a": x[2], "b": x[0]}}, [{"a": x[0], "b": x[2]}], 0.0
    for v in d["m"].values():
        total = total * 0.5 + v
        d["m"], d["n"] = d["n"], d["m"]
    for v in rows[0].values():
        total = total + v * x[1]
        if total > -5.0:
            rows[0] = {"a": total, "b": x[0]}
    return total * d["m"]["a"] + rows[0]["b"]


@program(lambda: (normal(1, 3),))
def its_attribute(x):
    holder, total = Holder({"a": x[0], "b": x[1]}), 0.0
    for v in holder.parts.values():
        total = total * 0.5 + v * x[2]
        holder.renew(total)
    return total * holder.parts["b"]


@program(lambda: (normal(1, 3),))
def until_it_is_left(x):
    d, total = {"a": x[0], "b": x[1]}, 0.0
    for key, v in d.items():
        total = total + v * v + 0.1
        d = {"a": x[2], "b": x[2] * 2.0}
        if key == "b":
            return total * d["b"]
    return total


@program(lambda: (normal(1, 3),))
def under_a_second_name(x):
    d = {"a": x[0], "b": x[1]}
    again, total = d, 0.0
    for _, v in d.items():
        total = total * x[2] + v
        again["b"] = total
    return total


@program(lambda: (normal(1, 3),))
def in_another_container(x):
    d, total = {"a": x[0], "b": x[1]}, 0.0
    around = [d]
    for v in d.values():
        total = total + v * x[0]
        around[0]["b"] = total * total
    return total


@program(lambda: (normal(1, 3),))
def stored_at_a_length(x):
    rows, holders = [{"a": x * 1.0, "b": x[0]}, {"a": x * x, "b": x[1]}], [Holder(x * 1.0), Holder(x * x)]
    for i in range(2):
        rows[len(rows) - 2]["b"] = x[0] * x[1]
        rows[len(rows) - 1].update(b=x[2] * i)
        holders[len(rows) - 2].parts = x * holders[len(rows) - 1].parts
        held = holders[len(holders) - 2]
        held.total = held.total * x[0] + x[i]
    total = sum(np.sum(row["a"] * x) * row["b"] for row in rows)
    return total + sum(np.sum(held.parts * x) + held.total for held in holders)


@program(lambda: (1.3,))
def dicts_without_a_name(x):
    def same(held):
        return held

    d, total = {"a": x, "b": 2.0 * x}, 0.1
    for _, v in (d if x > 0 else {}).items():
        total = total * 0.5 + v
        d = {**d, "b": total + v}
    for k, v in dict(d).items():
        total = total * 0.5 + v * d["a"]
        d[k] = total
    for k, v in d.copy().items():
        total += v
        d.update({k: total})
    for k, v in same(d).items():
        total = total * 0.5 + v
        d[k] = d["b"] + total
    return total + d["a"] * d["b"]


@program(lambda: (normal(1, 2),))
def tables_from_outside_in_turn(x):
    for label, weight in WEIGHTS.items():
        x = x * weight + len(label)
    return np.sum(x)


WEIGHTS = {"a": 2.0, "bc": np.array([0.5, -1.0])}
