"""Functions that read what they got or made, and callers that change it behind their backs: lists that grow or shrink,
arrays that are written into, in objects, dicts, lists and tuples. Value and gradient are right in both modes, or the
program is refused."""
from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import compare
from s2sgrad.transforms import push_forward

CLASSES = """\
import numpy as np


class One:
    def __init__(self, v=None):
        self.v = v


class Two:
    def __init__(self, v=None):
        self.one = One(v)

"""
HOLDERS = {"One({})": "h.v", "Two({})": "h.one.v", "{{'v': {}}}": "h['v']", "[{}, 1.0]": "h[0]", "({}, 2.0)": "h[0]",
           "{{'a': {{'v': {}}}}}": "h['a']['v']"}
"""What holds a list or an array, and how to get there."""

PUSHES = ("P.append(x)", "w = P\n    w.append(x)", "w = P\n    w.insert(0, x)")
TAKES = ("return P.pop()", "w = P\n    return w.pop(0)", "w = P\n    r = w[0]\n    w[0] = 2.0\n    return r",
         "w = P\n    r = w[0] * w[1]\n    del w[0]\n    return r",
         "w = P\n    r = w[0] * w[1]\n    w.clear()\n    w.append(r)\n    w.append(r * r)\n    return r",
         "w = P\n    s = 0.0\n    for a in w:\n        s = s + a * a\n    return s")
STACKED = ("a = take(h)\n    b = take(h)\n    for i in range(3):\n        push(h, 1.0 + i)\n    return a * b",
           "a = take(h)\n    for i in range(3):\n        push(h, x[i] ** 2)\n    b = take(h)\n    return a * b",
           "t = 0.0\n    for i in range(3):\n        t = t * x[i] + take(h)\n        push(h, t)\n        push(h, 3.0)\n"
           "    return t * P[0]",
           "a = take(h)\n    P.append(4.0)\n    P.append(5.0)\n    b = take(h)\n    P[0] = 1.0\n    del P[-1]\n"
           "    return a * b")

STEPS = ("w = P\n    w += x\n    return np.sum(w ** 3)",
         "w = P\n    w[1:] = w[:-1] * x\n    return np.sum(np.exp(0.1 * w))",
         "w = P\n    a = w[0]\n    w[0] = a * x\n    b = w[0] * w[1]\n    w[1] = b * a\n    return b",
         "P[0] *= x\n    r = np.sum(P ** 2)\n    P[1:] += 0.1 * r\n    return np.sin(r)",
         "w = P\n    np.multiply(w, x, out=w)\n    np.sin(w, out=w)\n    return np.sum(w ** 2)",
         "w = P\n    t = 0.0\n    for i in range(3):\n        w[i] = w[i] * x + w[i - 1]\n        t += w[i] ** 2\n"
         "    return t")
WRITTEN = ("a = step(h, x[0])\n    b = step(h, x[1])\n    return a * b + np.sum(P ** 2)",
           "t = 0.0\n    for i in range(3):\n        t = t * 0.5 + step(h, x[i])\n    return t + np.sum(P ** 2)",
           "a = step(h, x[0])\n    w = P\n    w *= 0.5\n    b = step(h, a * 0.1)\n    P[0] = 1.0\n    P[2] *= b\n"
           "    return a * b + np.sum(P ** 3)",
           "a = step(h, 0.7)\n    b = step(h, 1.1) if a > 0.0 else step(h, x[1])\n    return a * b + P[1]")

MADE = ("xs = [x[0], x[1] ** 2, x[2]]", "xs = []\n    for i in range(3):\n        xs.append(x[i] * x[i])",
        "xs = [a * x[0] for a in x]", "xs = sorted(x)")
FULL = ("u = np.exp(x)\n    xs = [u, x ** 2, np.exp(0.5 * x)]", "xs = [np.exp(a * x) for a in x]",
        "a = np.sin(x)\n    xs = [a, a * x, np.tanh(x)]")
USES = ("t = sum(np.sum(a * a) for a in xs)",
        "t = 0.0\n    for i in range(3):\n        t = t + np.sum(xs[i] * xs[i - 1])",
        "t = 0.0\n    for a, b in zip(xs, xs[1:]):\n        t = t + np.sum(a * b)",
        "t = np.sum(np.array(xs) ** 3)", "t = np.sum(xs[int(x[1] < 9.0)] * xs[-1])")
WAYS = {"return xs, t": "xs, t = make(x)", "return {'xs': xs, 't': t}": "d = make(x)\n    xs, t = d['xs'], d['t']",
        "into['xs'] = xs\n    return t": "d = {}\n    t = make(x, d)\n    xs = d['xs']",
        "into.v = xs\n    return t": "o = One()\n    t = make(x, o)\n    xs = o.v"}
"""How a function hands over what it made, and how its caller gets it."""
CHANGES = ("xs.append(2.0 * x[0])", "xs.pop()", "xs[0] = 2.0 * xs[1]", "xs.reverse()", "xs.insert(0, x[2] * 2.0)",
           "xs.clear()\n    xs.append(x[0] * 1.0)\n    xs.append(x[1] * 1.0)")
WRITES = ("xs[0] *= 2.0", "xs[1][0] = x[1]", "w = xs[0]\n    w[1:] = w[:-1] * x[0]",
          "u, v = xs[0], xs[1]\n    u += v * x\n    v[0] = u[1]")


def stacks() -> Iterator[str]:
    for (holder, place), push, take, body in itertools.product(HOLDERS.items(), PUSHES, TAKES, STACKED):
        yield (f"{CLASSES}\ndef push(h, x):\n    {push}\n\n\ndef take(h):\n    {take}\n\n\ndef f(x):\n    "
               f"h = {holder.format('[]')}\n    for i in range(5):\n        push(h, x[i % 3] * x[0])\n    {body}\n"
               ).replace("P", place)


def steps() -> Iterator[str]:
    for (holder, place), step, body in itertools.product(HOLDERS.items(), STEPS, WRITTEN):
        yield (f"{CLASSES}\ndef step(h, x):\n    {step}\n\n\ndef f(x):\n    h = {holder.format('x * 1.0')}\n"
               f"    {body}\n").replace("P", place)


def handed_over(made: tuple[str, ...], changes: tuple[str, ...]) -> Iterator[str]:
    for make, use, (way, call), change in itertools.product(made, USES, WAYS.items(), changes):
        yield (f"{CLASSES}\ndef make(x, into=None):\n    {make}\n    {use}\n    {way}\n\n\ndef f(x):\n    {call}\n"
               f"    {change}\n    return t * np.sum(xs[0]) + t ** 2 + np.sum(xs[1])\n")


PROGRAMS = {"stacks": [*stacks()], "steps": [*steps()], "lists": [*handed_over(MADE, CHANGES)],
            "arrays": [*handed_over(FULL, WRITES)]}
POINT = np.array([0.5, 1.2, -0.7])


def examine(text: str) -> bool:
    """Whether a program is taken. Raises AssertionError where the value or a derivative is wrong."""
    with compiled(text) as function:
        try:
            value, gradient = s2sgrad.value_and_grad(function)(POINT)
            same, tangent = push_forward(function, (POINT,), (np.cos(POINT),))
        except UnsupportedError:
            return False
        expected = function(POINT.copy())
        try:
            np.testing.assert_allclose([value, same], expected)
            compare((gradient,), function, (POINT,), (0,), 1.0)
            np.testing.assert_allclose(tangent, gradient @ np.cos(POINT), rtol=1e-7, atol=1e-9)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{text}") from error
    return True


@pytest.mark.parametrize("start", range(8))
@pytest.mark.parametrize("kind", PROGRAMS)
def test_changed_behind(kind: str, start: int) -> None:
    """Some programs of each kind, spread over all that there are."""
    taken = [examine(text) for text in PROGRAMS[kind][start::37]]
    assert any(taken)
