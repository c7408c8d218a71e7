"""Random functions over an object with arrays, lists, a dict and other objects in its attributes, for
``test_random_objects.py``: its methods, and functions that get it or a part, read, replace and write into all of these.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable

from random_text import Writer

CLASSES = """import numpy as np

K = np.array([1.0, -0.7, 0.4])


class Part:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    @property
    def size(self):
        return np.sum(self.a ** 2)

    def go(self, t):
        return np.sin(t * self.a) + self.b

    def move(self, t):
        self.a = self.a + 0.3 * t
        self.b = self.b * 0.5

    def poke(self, t):
        self.a[1:] += 0.2 * t[1:]

    def both(self, t):
        return self.a * t, self.b + 0.1 * t.sum()


def mixed(part, t):
    part.b = part.b + 0.2 * t[2]
    return part.go(t) * 0.5


def helped(whole, t):
    whole.v = whole.v * 0.5 + t
    whole.part.a = whole.part.a * t
    return t * whole.v + whole.ws[0]


def changed(held, t):
    if isinstance(held, dict):
        held["q"] = held["q"] + 0.5 * t
    else:
        held[0][1:] *= t[1:]
        held[1] = held[0] * t


def total(held):
    found = 0.0
    for each in held:
        found = found + (each.a.sum() if isinstance(each, Part) else each.sum())
    return found


class Whole:
    def __init__(self, w, v, k, ws, d, part, parts):
        self.w, self.v, self.k = w, v, k
        self.ws = ws
        self.d = d
        self.part = part
        self.parts = parts
"""
ARRAYS = ("t", "t", "self.w", "self.v", "self.ws[0]", "self.ws[1]", "self.ws[-1]", "self.d['p']", "self.d['q']",
          "self.part.a", "self.parts[0].a", "self.parts[1].a", "self.part.go(t)", "self.parts[1].go(t)",
          "self.part.both(t)[0]", "sum(w * 0.3 for w in self.ws)", "sum(w * t for w in self.ws)")
NUMBERS = ("self.k", "self.part.b", "self.parts[1].b", "0.7", "t[0]", "np.mean(t)", "self.part.size * 0.1",
           "sum(part.b for part in self.parts)", "len(self.ws)")
LINES = ("t = {a}", "t = {a}", "t = {a}", "self.w = {a}", "self.ws[0] = {a}", "self.ws[1] = {a}",
         "self.ws[0] = self.ws[0] + {a}", "self.ws[0] += {a}", "self.d['p'] = {a}", "self.d['q'] *= {a}",
         "self.part.move({a})", "self.part.poke({a})", "self.part.a = {a}", "self.k = {n} * 0.9 + 0.1",
         "self.w, self.v = self.v, self.w", "self.part = self.parts[0]", "self.part = Part(t * 0.5, self.k)",
         "self.parts[0], self.parts[1] = self.parts[1], self.parts[0]", "t = helped(self, t)",
         "t = mixed(self.part, t)", "t = mixed(self.parts[-1], t)", "a, b = self.parts[0].both(t); t = a + b",
         "t = t.copy(); t[1:] *= self.w[1:]", "self.ws.append(0.5 * t); t = t + self.ws.pop()",
         "other = self.part; other.a = other.a * 0.5 + t; t = t + self.part.a", "changed(self.ws, t)",
         "changed(self.d, t)", "t = t + total(self.ws)", "t = t + total(self.parts)",
         "w = self.ws[0]; t = t * w; self.v = w", "w = self.w; w = w + t; t = t * w")
OVER_PARTS = ("t = t + part.go(t)", "part.move(t)", "part.b = part.b + 0.1 * t[0]", "t = t * 0.5 + part.a",
              "part.a = part.a * 0.5 + t", "part.a[0] = 0.3 * t[1]")
OVER_ARRAYS = ("t = t * 0.3 + w", "self.ws[i] = w * 0.5 + t", "t = t + np.sin(w)")
TESTS = ("t[0] > 0.1", "self.k > 0.5", "np.sum(t) > -0.3", "self.w[1] > 0.1")
RESULTS = ("self.k * 0.3", "np.sum(self.w * self.v)", "np.sum(self.ws[0] ** 2)", "self.part.b * self.part.size",
           "total(self.parts)")


class _Writer(Writer):
    def __init__(self, choose: Callable[[int], int]):
        super().__init__(choose)
        self.methods: list[str] = []

    def array(self, depth: int = 0) -> str:
        kind = self.choose(7) if depth < 2 else 0
        if kind < 3:
            return self.pick(*ARRAYS)
        if kind == 3:
            return f"np.{self.pick('sin', 'tanh', 'cos')}({self.array(depth + 1)})"
        if kind == 4:
            return f"{self.pick(*NUMBERS)} * {self.array(2)}"
        return f"({self.array(depth + 1)} {self.pick('*', '+', '-')} {self.array(depth + 1)})"

    def block(self, depth: int, inside: bool = False) -> list[str]:
        lines = [line for _ in range(1 + self.choose(3)) for line in self.statement(depth, inside)]
        return [f"    {line}" for line in lines]

    def statement(self, depth: int, inside: bool) -> list[str]:
        kind = self.choose(12) if depth < 2 else 5
        if kind == 0:
            return ["for part in self.parts:", f"    {self.pick(*OVER_PARTS)}", *self.block(depth + 1, True)]
        if kind == 1:
            return ["for i, w in enumerate(self.ws):", f"    {self.pick(*OVER_ARRAYS)}"]
        if kind == 2:
            other = ["else:", *self.block(depth + 1, inside)] if self.choose(2) else []
            return [f"if {self.pick(*TESTS)}:", *self.block(depth + 1, inside), *other]
        if kind == 3 and inside:
            return [f"if {self.pick(*TESTS)}:", f"    {self.pick('break', 'continue')}"]
        if kind == 4 and self.methods:
            return [f"t = t + self.{self.pick(*self.methods)}({self.array(1)})"]
        return self.pick(*LINES).format(a=self.array(), n=self.pick(*NUMBERS)).split("; ")


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with the function ``f(self, t)`` of a ``Whole`` and an array of 3."""
    writer = _Writer(choose)
    lines = [CLASSES.rstrip()]
    for number in range(1 + choose(3)):
        body = [f"    {line}" for line in writer.block(0)]
        lines += ["", f"    def m{number}(self, t):", *body, f"        return {writer.array()}"]
        writer.methods.append(f"m{number}")
    lines += ["", "", "def f(self, t):", *(f"    t = 0.5 * t + self.{label}(t)" for label in writer.methods[-2:]),
              *writer.block(1), f"    return np.sum(t * K) + {writer.pick(*RESULTS)}", ""]
    return "\n".join(lines)
