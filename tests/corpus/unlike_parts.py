"""Loops over a few parts of unlike forms, which are written out: parameters in dicts, tuples and lists, layers whose
parts are found by their names. What the loops' targets stand for may change on the way, or be read after the loop."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from corpus.registry import normal, positive, program

P = {"depth": 2}


def parameters():
    return {"w": normal(1, 3, 2), "b": normal(2, 2), "s": 0.7}, 1.3


def parts():
    return normal(3, 3, 2), normal(4, 2), 0.4


def head():
    layer = {"q": normal(5, 3, 3), "k": normal(6, 3, 3), "v": normal(7, 3, 3), "scale": normal(8, 3), "shift": 0.3}
    return layer, normal(9, 4, 3)


@program(parameters)
def decay_of_values(params, k):
    return k * sum(np.sum(v ** 2) for v in params.values())


@program(parameters)
def decay_of_items(params, k):
    total = 0.0
    for name, value in params.items():
        if name != "b":
            total += k * np.sum(value ** 3)
    return total


@program(parameters)
def decay_by_keys(params, k):
    total = k
    for name in params:
        total = total * 0.5 + np.sum(params[name] ** 2)
    return total


@program(parameters)
def norms_by_keys(params, k):
    return max([np.sqrt(np.sum(params[name] ** 2) + k) for name in ("w", "b", "s")])


@program(parts)
def decay_of_a_display(w, b, s):
    total = 0.0
    for p in (w, b, s):
        total += np.sum(np.sin(p) * p)
    return total


@program(parts)
def weighted(w, b, s):
    return sum(c * np.sum(p ** 2) for c, p in zip((1.0, s, 3.0), (w, b, s)))


@program(parts)
def counted_backwards(w, b, s):
    total = 1.0
    for i, p in enumerate(reversed((w, b, s))):
        total = total * (i + 1) + np.sum(np.tanh(p) * total)
    return total


@program(parts)
def until_one_is_large(w, b, s):
    total = 0.0
    for p in (s, b, w):
        total = total + np.sum(p ** 2)
        if total > 0.5:
            break
    return total * s


@program(parts)
def read_afterwards(w, b, s):
    total = 0.0
    for p in (w, b, s):
        total += np.sum(p ** 2)
    return total * p


@program(parts)
def written_on_the_way(w, b, s):
    w, b, total = w.copy(), b.copy(), 0.0
    for p in (w, b):
        total += np.sum(p ** 2)
        p[0] = s
        total += np.sum(p ** 3)
    return total + np.sum(w) * np.sum(b)


@program(parts)
def bound_on_the_way(w, b, s):
    total = 0.0
    for p in (w, b, s):
        w = p * 2.0
        total += np.sum(w * p)
    return total + np.sum(w)


@program(parts)
def changed_under_another_name(w, b, s):
    params = {"w": w, "b": b, "s": s}
    same = params
    total = 0.0
    for _, p in list(params.items()):
        same["s"] = total
        total = total + np.sum(p ** 2) * params["s"] + 1.0
    return total


@program(parameters)
def changed_by_a_function(params, k):
    params, total = dict(params), 0.0

    def grow():
        params["s"] = params["s"] * k
        return 0.0

    for name in ("w", "s", "b"):
        total = total + np.sum(params[name] ** 2) + grow()
    return total


@program(parameters)
def set_as_attributes(params, k):
    model = SimpleNamespace()
    for name, value in params.items():
        setattr(model, name, value * k)
    return np.sum(model.w @ model.b) * model.s


@program(parameters)
def functions_of_them(params, k):
    made = []
    for p in (params["w"], params["b"]):
        made.append(lambda c, p=p: c * np.sum(p ** 2))
    return made[0](k) * made[1](k)


@program(parameters)
def in_each_turn(params, k):
    total = 0.0
    for i in range(3):
        for _, value in params.items():
            total = total + np.sum(value ** 2) * k ** i
        k = k * total
    return total


@program(parameters)
def within_comprehensions(params, k):
    return sum(sum(np.sum(p[name] ** 2) for name in ("w", "s")) * k for p in (params, params))


@program(parameters)
def all_of_them(params, k):
    return k if all(np.sum(p ** 2) > 0.0 for p in params.values()) else k ** 2


@program(head)
def attends(layer, x):
    q, k, v = (x @ layer[name] for name in ("q", "k", "v"))
    weights = np.exp(q @ k.T)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.sum((weights @ v * layer["scale"] + layer["shift"]) ** 2)


@program(lambda: ([head()[0], head()[0]], head()[1]))
def layers_that_attend(layers, x):
    for layer in layers:
        q, k, v = [x @ layer[name] for name in ("q", "k", "v")]
        x = np.tanh(q * k + v) * layer["scale"] + layer["shift"]
    return np.sum(x ** 2)


@program(head)
def projected_in_turn(layer, x):
    out = 0.0
    for name in ("q", "k", "v"):
        h = x @ layer[name]
        out = out + np.sum(h ** 2 * layer["shift"])
    return out


@program(lambda: ([normal(1, 3, 2), normal(2, 2)], 0.3))
def steps_of_a_list(params, rate):
    params = [p - rate * p ** 3 for p in params]
    return sum(np.sum(p ** 2) for p in params)


@program(lambda: ((positive(1, 3), positive(2, 2, 3), np.float32(0.5)), 0.3))
def logarithms(params, k):
    return sum(np.sum(np.log(p) ** 2) * k for p in params)


@program(lambda: ({"inner": {"w": normal(1, 2), "s": 0.4}, "outer": normal(2, 3)}, 0.3))
def nested_ones(tree, k):
    total = 0.0
    for name in ("w", "s"):
        total = total + np.sum(tree["inner"][name] ** 2)
    for part in (tree["inner"]["w"], tree["outer"]):
        total = total + k * np.sum(part ** 3)
    return total


@program(parameters)
def as_deep_as_is_said(params, k):
    total = 0.0
    for name in ("w", "b", "s")[:P["depth"]]:
        total = total + np.sum(params[name] ** 2)
    return total * k


@program(parts)
def last_of_them_read_behind(w, b, s):
    for p in (s, w, b):
        q = p * p
    for last in {"b": b, "w": w}.values():
        if last[0].sum() > 9.0:
            break
    return np.sum(p * q) + np.sum(last ** 2)


@program(parts)
def one_more_each_turn(w, b, s):
    found = [s, w]
    total = 0.0
    for _ in range(2):
        found.append(b * s)
        total += sum(np.sum(p) for p in found)
    return total
