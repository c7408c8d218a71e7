"""Lists and dicts that are in others and have names besides, and change as a whole: turned round, sorted, emptied,
filled; all their names stand for the same container after that."""
from __future__ import annotations

import numpy as np

from corpus.registry import program


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def emptied_and_filled(x):
    d = {"k": [np.sin(x), np.cos(x)]}
    ys = d["k"]
    a = ys[1]
    ys.clear()
    ys.append(a * 2)
    a += 1.0
    return np.sum(d["k"][0] ** 2) + np.sum(a ** 2)


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def turned_round_in_a_loop(x):
    d = {"k": [x[0], x[1]]}
    ys = d["k"]
    for i in range(3):
        ys.append(x[2] * i)
        ys.reverse()
        if i == 1:
            ys[:] = ys[:2]
    return d["k"][0] * 2 + d["k"][1] * ys[2]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def three_names(x):
    d = {"k": [x[0], x[1]], "m": [x[2]]}
    ys = d["k"]
    zs = d["k"]
    ys.reverse()
    zs.append(x[2])
    ys.reverse()
    return ys[0] * 2 + d["k"][1] * zs[2]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def updated_under_another_name(x):
    d = {"k": {"a": x[0], "b": x[1]}}
    e = d["k"]
    e.update(a=x[2], c=x[0] ** 2)
    e["b"] *= 2
    return d["k"]["a"] * d["k"]["b"] + e["c"] * len(d["k"])


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def dict_emptied_under_another_name(x):
    d = {"k": {"a": x[0], "b": x[1]}}
    e = d["k"]
    e.clear()
    e["z"] = x[1]
    return d["k"]["z"] * len(d["k"])


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def rows_with_names(x):
    xs = [[x[0], x[1]], [x[2], x[1]]]
    a, b = xs[0], xs[1]
    a.reverse()
    b.sort(key=lambda v: -v)
    a[0] = a[0] * b[0]
    return xs[0][0] + 2 * xs[1][0] * xs[0][1]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def rows_in_turn(x):
    xs = [[x[0], x[1]], [x[2], x[1]]]
    for r in xs:
        r.reverse()
        r[0] *= 3
        r.append(x[0])
    return xs[0][0] + 2 * xs[1][0] * xs[0][1] + xs[1][-1]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def turned_round_twice(x):
    d = {"k": [np.sin(x), np.cos(x)]}
    ys = d["k"]
    ys.reverse()
    u = ys[0]
    u *= 3
    ys.reverse()
    return np.sum(d["k"][1] * x) + np.sum(u) * ys[0][0]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def turned_round_in_a_dict(x):
    ys = [x[0], x[1] * 3, x[2] ** 2]
    d = {"k": ys}
    d["k"].reverse()
    return d["k"][0] * 2 + ys[1] + 3 * ys[0]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def sorted_outside_of_a_dict(x):
    ys = [x[0], x[1] * 3, x[2] ** 2]
    d = {"k": ys}
    ys.sort(key=lambda v: -v)
    return d["k"][0] * 2 + ys[1]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def filled_outside_of_a_dict(x):
    ys = [x[0], x[1] * 3]
    d = {"k": ys}
    ys[:] = [x[2], x[0], x[1]]
    return d["k"][0] * 2 + x[1] * len(d["k"]) + ys[1]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def shortened_in_a_dict(x):
    ys = [x[0], x[1], x[2] * 2]
    zs = {"q": ys}
    del zs["q"][:2]
    return ys[-1] * zs["q"][0] + len(ys)


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def filled_by_a_comprehension(x):
    ys = [x[0], x[1] * 3, x[2] ** 2]
    d = {"k": ys}
    ys[:] = [2 * v for v in x]
    return d["k"][0] * 2 + ys[1]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def joined_in_a_list(x):
    d = {"a": x[0], "b": x[1]}
    e = [d]
    d |= {"a": x[2]}
    return e[0]["a"] * x[0]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def item_with_a_name_for_a_turn(x):
    ys = {"a": [x[0], x[1]], "b": [x[2], x[0]]}
    for k in ys:
        r = ys[k]
        r.reverse()
        r[0] = r[0] ** 2
    return ys["a"][0] + ys["b"][0] * 3
