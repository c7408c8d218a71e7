"""Variables with names that generated code would like for itself."""
# ruff: noqa: RET504, A001, B007
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, program


@program(lambda: (1.2, 0.7))
def cotangents(x, y):
    x_bar = x * y
    y_bar = math.sin(x_bar)
    result_bar = x_bar * y_bar
    return result_bar + y_bar


@program(lambda: (1.2, 0.7))
def letters_of_rules(g, d):
    y = g * d
    a = math.exp(y)
    b = g / d
    g = a * b
    d = g - y
    return d * y


@program(lambda: (1.2, 3))
def names_of_the_tape(x, n):
    saved = x * x
    path = 0.5
    for i in range(n):
        loop_1 = saved * path
        taken = loop_1 > 1.0
        if taken:
            saved = math.sqrt(loop_1)
        else:
            saved = saved + loop_1
        path = path * x
    return saved * path


@program(lambda: (normal(1, 3),))
def names_of_helpers(unbroadcast):
    zeros_like = np.exp(unbroadcast)
    runtime = zeros_like * unbroadcast
    s2sgrad = np.sum(runtime)
    return s2sgrad


def adjoint(x):
    return x * x


def primal(x):
    return adjoint(x) * 3.0


@program(lambda: (0.9,))
def names_of_functions(value):
    return primal(value) * adjoint(value)


@program(lambda: (0.9, 1.4))
def builtin_names_as_variables(sum, len):
    list = sum * len
    float = list**2
    range = float - sum
    return range * len


@program(lambda: (0.9,))
def names_with_underscores(_):
    __ = _ * _
    _x = __ * _
    x_ = _x + __
    result = x_ * _x
    return result


@program(lambda: (normal(2, 2), 0.4))
def numbered_names(x1, x2):
    x1_1 = x1 * x2
    x2_1 = np.sum(x1_1)
    x1_bar_1 = x1_1 * x2_1
    t = x1_bar_1 + x1
    t1 = t * t
    return t1


@program(lambda: (0.4, 0.3))
def same_name_as_its_function(same_name_as_its_function, y):
    same_name_as_its_function = same_name_as_its_function * y
    return same_name_as_its_function * y


@program(lambda: (1.1, 0.4))
def größe(α, β):
    Δ = α * β
    return Δ**2 + math.sin(α)


@program(lambda: (normal(1, 3), -1.0), argnums=(0,))
def bound_where_control_never_comes(x, y):
    a = 1.0
    if a > 1.3:
        c = 2.0
    z = np.sin(x)
    if y > 0.0:
        z *= c
        z[0] = c
    return z.sum()


@program(lambda: ([normal(1, 3, 3), normal(2, 3, 3)], normal(3, 3), normal(4, 3), 3), argnums=(1,))
def helper_named_before_captures_are_dropped(ms, h, g, n):
    a = h * 1.0
    b = g + 0.2
    hs = [h * 0.5]
    for _ in range(n):
        if b[0] > 0.2:
            h = hs[-1] + b
        else:
            h[:] = np.dot(ms[-1], np.cos(a))
    a = a[[0, 2, 0]]
    return np.sum(h * b) + np.sum(np.stack(hs)) + np.sum(a)


@program(lambda: (normal(9, 3), 2))
def bound_in_some_turns_and_in_comprehensions(u, k):
    """What a comprehension binds is its own, whatever has the same name around it."""
    s = u[0]
    for i in range(4):
        if all(w > -1 for w in u) and i < k:
            continue
        s = s + sum([w * w for w in u if w < 2.0])
        for w in u:
            s = s * w
        if i > 1:
            s = s + w * max(u, key=lambda w: w * w)
    return s
