"""``copy.deepcopy`` of containers of arrays: the best parameters so far, snapshots, models."""
from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.registry import normal, positive, program


def parameters():
    return {"w": positive(1, 3), "b": 0.5, "layers": [positive(2, 3), positive(3, 2)], "name": "net"}, positive(4, 3)


@program(parameters)
def the_best_so_far(params, x):
    best, least = None, np.inf
    now = copy.deepcopy(params)
    for _ in range(4):
        now["w"] -= 0.3 * x * now["w"]
        now["b"] = now["b"] * 0.9
        loss = ((now["w"] - 0.4) ** 2).sum() + now["b"] ** 2
        if loss < least:
            best, least = copy.deepcopy(now), loss
    return (best["w"] ** 2).sum() * best["b"] + best["layers"][1].sum()


@program(parameters)
def before_and_after(params, x):
    deep = copy.deepcopy(params)
    state = {"u": x * 2.0, "history": [x * 1.0]}
    old = copy.deepcopy(state)
    state["u"] *= 3.0
    state["history"][0][1] = x[0]
    return (old["u"] * state["u"]).sum() + (old["history"][0] * state["history"][0]).sum() * deep["w"][1]


@dataclass
class Body:
    r: Any
    v: Any
    m: float


@program(lambda: ([Body(normal(1, 2), normal(2, 2), 1.0), Body(normal(3, 2), normal(4, 2), 2.0)],))
def bodies(given):
    moved = copy.deepcopy(given)
    for body in moved:
        body.r += 0.1 * body.v
        body.m = body.m * 2.0
    return sum((body.r * old.r).sum() * body.m * old.m for body, old in zip(moved, given))


class Model:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(self.w * x + self.b)

    def clone(self):
        return copy.deepcopy(self)


@program(lambda: (Model(positive(1, 3), positive(2, 3)), positive(3, 3)))
def a_clone(model, x):
    other = model.clone()
    other.w *= 2.0
    other.b -= 0.1 * x
    return (model(x) * other(x)).sum()


@program(lambda: ([positive(1, 3), positive(2, 3)], positive(3, 3)))
def snapshots(params, x):
    history = []
    now = [p * x for p in params]
    for _ in range(3):
        history.append(copy.deepcopy(now))
        now[0] = now[0] * now[1]
    return sum((h[0] * h[1]).sum() for h in history)


# ---- containers that a loop makes anew in each turn, and that are read behind it

@program(lambda: (positive(1, 3), positive(2, 3)))
def the_last_turns(a, b):
    for _ in range(2):
        last = [a * 1.0, {"k": b * 1.0}]
        last[0][0] = 3.0
        a = a * last[1]["k"]
    return a.sum() * last[0].sum() * last[1]["k"].sum()


@program(lambda: (positive(1, 3), positive(2, 3)))
def the_last_of_many(a, b):
    count = 0
    while True:
        last = {"both": [a * 1.0, b * 1.0], "each": [v * 2.0 for v in (a, b)], "model": Model(a * b, b)}
        a = a * last["both"][1] * last["model"].w
        count += 1
        if count > 2:
            break
    return a.sum() * last["both"][0].sum() * sum(v.sum() for v in last["each"]) * last["model"].b[1]


@program(lambda: (np.array([0.5, -0.3]),))
def copies_of_what_is_not_differentiated_yet(x):
    params, u, row = {"w": np.ones(2), "b": 0.5}, np.zeros(2), [np.ones(2), 1.0]
    best, kept, first, lowest = copy.deepcopy(params), copy.deepcopy(u), copy.deepcopy(row), np.inf
    for turn in range(3):
        error = x * params["w"] + params["b"] - turn
        params["w"] = params["w"] - 0.1 * error
        u += error
        row[0] -= 0.1 * x
        if error @ error < lowest:
            best, lowest = copy.deepcopy(params), error @ error
            kept = copy.deepcopy(u)
            first = copy.deepcopy(row)
    return best["w"] @ u + kept @ params["w"] + first[0] @ row[0]
