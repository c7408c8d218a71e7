"""Random functions made of lines that people write every day, for ``test_random_idioms.py``: one behind another, in
loops and branches, over the same few names, so that what one leaves behind is what the next begins with.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

import re
from collections.abc import Callable

from random_text import Writer

VECTORS = ("u", "v", "u * v", "np.sin(u)", "u + s", "u if {test} else v", "np.array([w * s for w in u])",
           "np.cumsum(u)", "np.where(u > v, u, v)", "u[::-1]", "(z := u * s) + z", "np.array([*u[1:], s])",
           "u / np.linalg.norm(u)")
NUMBERS = ("s", "t", "u[0]", "v[-1]", "x[{place}]", "u @ v", "s * y", "0.7", "sum(w * w for w in u)", "max(s, t)",
           "s if {test} else t", "(q := s * t) + q", "sum(a * b for a, b in zip(u, v))", "np.linalg.norm(u)",
           "next((w for w in u if w > 0.2), s)", "first_above(u, 0.3)[1]", "np.median(v)")
PLACES = ("0", "1", "-1", "i % 3", "int(s > 0)", "first_above(u, 0.3)[0]")
TESTS = ("s > 0.4", "u[0] > v[0]", "0 < s < 1", "i == 1", "all(w > -1 for w in u)", "not t > 0.5", "s < t or i")
LINES = (
    "u = {vector}", "v = {vector}", "s = {number}", "t = {number}", "s += {number}", "u[{place}] = {number}",
    "u[{place}] *= s", "u[u > {number}] = {number}", "v[1:] += u[:-1]", "s, t = t, s", "u, v = v, u", "i += 1",
    "w = u\nw = w * s\nu = w + u", "a, *b = u\ns = s + a * sum(b)", "for w in u: pass\ns = s + w",
    "for k, w in enumerate(u):\n    if w > 0.3:\n        break\nelse:\n    k = 3\ns = s + k * w",
    "l = [s, t]\nl.append({number})\nl[{place}] = {number}\nl.remove(max(l))\ns = sum(l)",
    "best = None\nfor w in u:\n    if best is None or w > best:\n        best = w\ns = s + best",
    "d = {{'a': s}}\nd['b'] = {number}\nd.pop('c', None)\nfor k in d: d[k] *= t\nt = sum(d.values())",
    "if {test}:\n    r = {number}\nelse:\n    r = t\ns = s + r", "w = v[1:]\nw *= 0.5",
    "try:\n    s = s + u[i + 1]\nexcept IndexError:\n    t = t * 0.5",
    "match i:\n    case 0:\n        s = s * 1.5\n    case 1 | 2:\n        s = s + u[1]",
    "g = lambda w, k=s: w * k + t\ns = g(u[0])", "m = np.outer(u, v)\nfor w in m:\n    w -= w.mean()\ns = s + m[1, 2]",
    "while s > 2.0:\n    s = s * 0.6", "if {test}: v = v + s\nelif s > 1: v = u * 1.0",
)
BLOCKS = ("if {test}:", "for i in range(3):", "for w in u:\n    s = s + w * 0.1",
          "for i in range(4):\n    if {test}: continue", "for i in range(3):\n    if {test}: break")
RESULTS = ("s + np.sum(u * v)", "t * 0.3 + np.sum(np.sin(u))", "s * t + u[0]")
HEAD = """import numpy as np


def first_above(values, limit):
    for place, value in enumerate(values):
        if value > limit:
            return place, value
    return -1, values[-1]


def f(x, y):
    u, v = x * 1.0, np.cos(x)
    s, t, i = y * 0.5 + 0.2, x[1], 0
"""
KINDS = {"vector": VECTORS, "number": NUMBERS, "place": PLACES, "test": TESTS}


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(x, y)`` of three numbers and one."""
    writer = IdiomsWriter(choose)
    writer.statements(2 + choose(3), 1)
    return "\n".join([HEAD + "\n".join(writer.lines), f"    return {writer.filled(writer.pick(*RESULTS))}", ""])


class IdiomsWriter(Writer):
    def statements(self, count: int, deep: int) -> None:
        for _ in range(count):
            if deep and not self.choose(3):
                self.put(self.pick(*BLOCKS))
                self.depth += 1
                self.statements(1 + self.choose(2), deep - 1)
                self.depth -= 1
            else:
                self.put(self.pick(*LINES))

    def put(self, text: str) -> None:
        for line in self.filled(text).split("\n"):
            self.line(line)

    def filled(self, text: str) -> str:
        """A pattern with something in each of its gaps."""
        whole = re.sub(r"(?<!\{)\{(\w+)\}", lambda gap: self.filled(self.pick(*KINDS[gap[1]])), text)
        return whole.replace("{{", "{").replace("}}", "}")
