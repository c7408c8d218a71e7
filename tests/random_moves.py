"""Random functions in which names move, for ``test_random_moves.py``: from array to array, between lists, dicts and
objects, in loops with arms that are left early, and what they stand for is written into under any other name.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

from random_text import Writer

FUNCTIONS = """import numpy as np

K = np.array([0.9, -0.4, 0.7])


class Pair:
    def __init__(self, u, v):
        self.u = u
        self.v = v

    def scale(self, rate):
        self.u *= rate
        return self.u

    def turn(self):
        self.u, self.v = self.v, self.u


def bump(u, rate):
    u[0] += rate * u[1]
    return u


def larger(u, v):
    return u if u[0] > v[0] else v


def crossed(u, v):
    return v, u


def put(items, u):
    items[0] = u
    return items


def fade(u, k):
    u[k] *= 0.8
    if k == 0:
        return u
    return fade(u, k - 1)


def renewed(u, v=None, rate=0.5):
    if v is None:
        v = u
    v[1] *= rate
    u = u * 1.1
    u[2] = v[1]
    return u
"""
INDICES = "0", "1", "2", "-1"
VIEWS = ("{a}[:]", "{a}.reshape(3)", "{a}.ravel()", "np.asarray({a})", "{a}[::-1]", "{a}.T", "{a}.reshape(3, 1)[:, 0]",
         "np.squeeze({a}[None])", "{a}.real", "m[{i}]", "m[:, {i}]", "m.T[{i}]", "m.reshape(9)[3:6]",
         "np.ravel(m)[::4]")
COPIES = ("np.copy({a})", "np.array({a})", "{a} * 1.0", "+{a}", "{a}.flatten()", "np.where({a} > 0, {a}, 0.3 * {a})")
VALUES = ("{a} * 0.9", "np.sin({a})", "{a} + {a}", "{a} * {a}", "{a} * {n}", "{a} - 0.5 * x", "m @ {a} * 0.4")
NUMBERS = ("{s}", "{s}", "{a}[{i}]", "{a}[{i}]", "{a} @ K", "x[{i}]", "0.7", "np.sin({s})", "{s} * {a}[{i}]",
           "m[{i}, 0]", "np.sum({a})", "np.sum(z)")
ARRAY_MOVES = ("{t} = {p}", "{t} = {p}", "{t} = {w}", "{t} = {v}", "{t}, {t} = {p}, {p}", "{t}, {t} = {p}, {v}",
               "{t} = {t} = {p}", "{t} = {t} = {v}", "{t} = {v}; {t} = {t} + {t}; {t} = {p}",
               "{t}, *_ = {p}, {p}", "*_, {t} = [{p}, {v}]", "({t}, {t}), {s} = ({p}, {p}), {n}",
               "{t} = larger({p}, {p})", "{t}, {t} = crossed({p}, {p})", "{t} = bump({p}, 0.3)", "{t} = fade({p}, 2)",
               "{t} = {p} if {c} else {p}", "{t} = {p} if {c} else {v}")
NUMBER_MOVES = ("{s} = {n}", "{s} += {n}", "{s} *= {n}", "{s} = {s} + 0.5 * {n}", "{s}, {s} = {s}, {s}",
                "{s}, {s} = {n}, {s} + {n}", "{s} = {s}; {s} += {n}", "{s} = {s} = {n}", "z = {n}", "z = {p}",
                "z = l", "{s} = float({n})")
WRITES = ("{p}[{i}] {o} {n}", "{p}[{i}] {o} {n}", "{p}[{i}] {o} {p}[{i}]", "{p} {u} {v}", "{p} {u} {n}",
          "{p}[1:] {o} {n}", "{p}[:2] {o} ({v})[1:]", "{p}[...] = {v}", "{p}[:] = {p}[::-1]",
          "{p}[{i}], {p}[{i}] = {p}[{i}], {p}[{i}]",
          "np.add({p}, {v}, out={p})", "np.sin({p}, out={p})", "np.add.at({p}, [0, 0, 2], {n})", "np.copyto({p}, {v})",
          "{p}.flat[1] = {n}", "{p}[{p} > 0.3] *= 0.5", "{p}[[0, 2]] = {p}[[2, 0]]", "{p}.sort()", "{p}.fill({n})",
          "bump({p}, {n})", "fade({p}, 1)", "{w}[{i}] {o} {n}", "{w}[...] {o} {v}")
MATRIX_WRITES = ("m[[0, 1]] = m[[1, 0]]", "m[0], m[1] = m[1], m[0]", "m[{i}] = {p}", "m[{i}], {t}[0] = {p}, {n}",
                 "m[{i}] {u} {v}", "m[:, {i}] = {v}", "m *= 0.9", "m = m * 0.9", "m = m.T", "m[:2] = m[1:]",
                 "m[{i}, {i}] {o} {n}", "m = np.stack([{p}, {p}, {p}])", "m[{i}][1] {o} {n}")
LIST_CHANGES = ("l.append({p})", "l.append({v})", "l[0], l[-1] = l[-1], l[0]", "l[0], {t} = {p}, l[0]",
                "l = [w * 0.9 for w in l]", "l = l[::-1]", "l = [*l]", "l = list(l)", "k = l", "l = k", "l, k = k, l",
                "l = l + [{p}]", "l += [{p}]", "l = [{p}, {p}]", "k = [{p}, {v}]", "l.reverse()", "l[:] = [{p}, {p}]",
                "put(l, {p})", "k = put(l, {v})", "{t}, {t} = l[:2]", "{t}, *k = l", "l.insert(0, l.pop())")
DICT_CHANGES = ("d['a'], d['b'] = d['b'], d['a']", "d['a'] = {p}", "d['b'] = {v}", "d = dict(d)", "d.update(a={p})",
                "{t} = d.pop('a'); d['a'] = {p}", "d['a'] {u} {n}")
OBJECT_CHANGES = ("g.turn()", "g.u, g.v = g.v, g.u", "g.u = {p}", "g.v = {v}", "{t} = g.scale(0.9)", "g.scale({n})",
                  "g.u {u} {n}", "g.u[{i}] {o} {n}", "g = Pair({p}, {p})", "h = g", "h.u = {p}",
                  "h.v[{i}] {o} {n}", "{t} = h.u")
CONDITIONS = ("{n} > 0.3", "{n} > {n}", "{p}[{i}] > 0.2 or {s} < 0.1", "({s} := {n}) > 0.1", "np.sum({p}) > 0.5",
              "{j} % 2", "{j} == 1")
LOOPS = (("for j in range(3):", ""), ("for j in range(2):", ""), ("for {s} in {p}:", ""),
         ("for j, {s} in enumerate({p}):", ""), ("for j, {s} in enumerate({p}[1:]):", ""),
         ("for {s}, {s} in zip({p}, {p}):", ""), ("for {r} in m:", ""), ("for {r} in m.T:", ""),
         ("for j, {r} in enumerate(m[1:]):", ""), ("for {r} in l:", "l"), ("for {r} in [{p}, {p}]:", ""),
         ("for j, {r} in enumerate(l):", "l"), ("for {r}, {r} in zip(l, k):", "l"),
         ("for {r} in d.values():", "d"), ("for _, {r} in d.items():", "d"),
         ("for {r}, {s} in zip(m, {p}):", ""), ("for {s} in {p}[::-1]:", ""))
"""Heads of loops, and the container, if any, that must not grow in them."""


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(x, m)`` of three numbers and a matrix of 3 x 3 that returns a number."""
    return _Writer(choose).text()


class _Writer(Writer):
    """All vectors have three elements, but those of lists, whose number is at least two in the beginning."""

    def __init__(self, choose: Callable[[int], int]):
        super().__init__(choose)
        self.arrays = ["a", "b", "c", "e"][:2 + choose(3)]
        self.parts: list[str] = []
        self.kinds: list[tuple[str, ...]] = [ARRAY_MOVES, ARRAY_MOVES, NUMBER_MOVES, WRITES, WRITES]
        self.fresh = choose(4)
        """How often of four times what is moved is a new array rather than one that has a name already."""
        self.moving = False
        """Whether the line now written moves names."""
        self.loops = 0
        self.run_over: list[str] = []
        """Containers that a loop around here runs over: they must not grow there."""

    def text(self) -> str:
        self.line("s, t, z, j = x[0] * 0.5, 0.3, 0.5, 0")
        for label in ("m", "x"):
            if self.choose(4):
                self.line(f"{label} = {label} * 1.0")
        for number, label in enumerate(self.arrays):
            made = ["x * 1.0", "np.sin(x)", "np.cos(x)", "np.zeros(3)"]
            made += [] if self.choose(4) < self.fresh else ["x", "m[0]", *self.arrays[:number]]
            self.line(f"{label} = {made[self.choose(len(made))]}")
        if self.choose(3) == 0:
            self.kinds.append(MATRIX_WRITES)
            self.parts += ["m[0]", "m[1]"]
        has = self.choose(12)
        if has in (0, 1, 2):
            self.kinds.append(LIST_CHANGES)
            self.line(self.filled("l = [{p}, {p}]"))
            self.line(self.filled(self.pick("k = l", "k = [{v}, {p}]")))
            self.parts += ["l[0]", "l[1]", "l[-1]", "k[0]"]
        if has in (0, 3):
            self.kinds.append(DICT_CHANGES)
            self.line(self.filled("d = {'a': {p}, 'b': {p}}"))
            self.parts += ["d['a']", "d['b']"]
        if has in (0, 4):
            self.kinds.append(OBJECT_CHANGES)
            self.line(self.filled("g = Pair({p}, {p})"))
            self.line(self.filled(self.pick("h = g", "h = Pair({v}, {p})")))
            self.parts += ["g.u", "g.v", "h.u"]
        self.statements(2, 2)
        self.block(2)
        self.statements(2, 1)
        ends = [f"{label} @ K * {weight}" for weight, label in enumerate(self.arrays + self.parts, 1) if self.choose(3)]
        ends += [self.filled(self.pick("s", "t", "s * t", "np.sum(z)", "np.sum(m * m)", "{a} @ {a}"))]
        self.line(f"return {' + '.join(ends)}")
        return "\n".join([FUNCTIONS, "", "def f(x, m):", *self.lines, ""])

    # ---- text filled in

    def filled(self, pattern: str) -> str:
        """A pattern with another choice for each name in braces."""
        made = ""
        while "{" in pattern:
            before, _, pattern = pattern.partition("{")
            label, closing, rest = pattern.partition("}")
            if len(label) > 1:  # a dict
                made += before + "{"
                continue
            made += before + self.choice(label)
            pattern = rest
        return made + pattern

    def choice(self, label: str) -> str:
        if label == "i":
            return self.pick(*INDICES, *["j % 3"] * (2 * bool(self.loops)))
        if label == "o":
            return self.pick("=", "=", "+=", "*=", "-=")
        if label == "u":
            return self.pick("+=", "*=", "-=")
        if label == "s":
            return self.pick("s", "t")
        if label == "j":
            return "j"
        if label == "r":
            return self.pick(*self.arrays)
        if label == "a":  # an array to read
            return self.pick(*self.arrays, *self.arrays, *self.parts, "x")
        if label == "p" and self.moving and self.choose(4) < self.fresh:
            return self.filled(self.pick(*COPIES))
        if label == "p":  # one that there is, maybe to write into
            return self.pick(*self.arrays, *self.arrays, *self.arrays, *self.parts, "x")
        if label == "t":  # a place for one
            places = [part for part in self.parts if not part.startswith("m")]
            return self.pick(*self.arrays, *self.arrays, *self.arrays, *places, *["x"] * (self.choose(8) == 0))
        if label == "w" and self.choose(4) < self.fresh:
            return self.choice("a")
        moving, self.moving = self.moving, self.moving and label != "c"
        patterns = {"w": VIEWS, "v": VALUES if self.choose(5) else COPIES, "n": NUMBERS, "c": CONDITIONS}[label]
        made = self.filled(self.pick(*patterns))
        self.moving = moving
        return made

    # ---- statements

    def statements(self, most: int, deep: int) -> None:
        for _ in range(1 + self.choose(most)):
            if deep and not self.choose(4):
                self.block(deep)
            else:
                self.simple()

    def simple(self) -> None:
        patterns = self.kinds[self.choose(len(self.kinds))]
        if patterns is LIST_CHANGES and "l" in self.run_over or patterns is DICT_CHANGES and "d" in self.run_over:
            patterns = WRITES
        self.moving = patterns is not WRITES
        self.line(self.filled(self.pick(*patterns)))
        self.moving = False

    def block(self, deep: int) -> None:
        kind = self.choose(10)
        if kind < 2:
            self.arms(deep)
        elif kind == 2 and self.loops:
            self.line(self.filled("if {c}: ") + self.pick("break", "continue"))
        elif kind == 3:
            with self.inside("try:"):
                self.statements(2, 0)
            with self.inside("finally:"):
                self.statements(1, 0)
        elif kind == 4:
            self.count += 1
            with self.inside(f"def inner_{self.count}(u):"):
                outer, self.arrays = self.arrays, ["u"]
                parts, self.parts = self.parts, [*outer, *self.parts]
                kinds, self.kinds = self.kinds, [WRITES]
                if self.choose(2):
                    self.line(f"nonlocal {outer[0]}")
                    self.line(self.filled(f"{outer[0]} = {{v}}"))
                loops, self.loops = self.loops, 0
                self.simple()
                self.line(self.filled("return {p}"))
                self.arrays, self.parts, self.kinds, self.loops = outer, parts, kinds, loops
            self.line(self.filled(f"{{t}} = inner_{self.count}({{p}})"))
        else:
            self.loop(deep)

    def arms(self, deep: int) -> None:
        with self.inside(self.filled("if {c}:")):
            self.statements(2, deep - 1)
        if self.choose(2):
            with self.inside(self.filled(self.pick("else:", "elif {c}:"))):
                self.statements(2, deep - 1)

    def loop(self, deep: int) -> None:
        heads = [loop for loop in LOOPS if not loop[1] or any(part.startswith(loop[1]) for part in self.parts)]
        head, running = heads[self.choose(len(heads))]
        if self.choose(8) == 0:
            self.count += 1
            counter = f"n_{self.count}"
            self.line(f"{counter} = 0")
            head = self.filled(f"while {counter} < 3 and ({{c}}):")
        else:
            counter = ""
        with self.inside(self.filled(head), running):
            if counter:
                self.line(f"{counter} += 1")
            self.statements(3, deep - 1)
            if self.choose(3) == 0:
                self.line(self.filled("if {c}: ") + self.pick("break", "continue"))
                self.statements(2, 0)
        if self.choose(6) == 0:
            with self.inside("else:"):
                self.statements(1, 0)

    @contextmanager
    def inside(self, head: str, running: str | None = None):
        self.line(head)
        self.depth += 1
        self.loops += running is not None
        outer = self.run_over
        self.run_over = [*outer, running or ""]
        yield
        self.depth -= 1
        self.loops -= running is not None
        self.run_over = outer
