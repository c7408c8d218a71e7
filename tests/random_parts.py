"""Random functions over arrays in objects, lists and dicts, for ``test_random_parts.py``: under names of their own, as
rows of others, in loops over them, exchanged, replaced and written into.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable

from random_memory import FUNCTIONS, MemoryWriter

CLASSES = """class Space:
    def __init__(self, u, v):
        self.u = u
        self.v = v
        self.both = [u * 0.5, np.cos(u)]

    def step(self, rate):
        u, v = self.u, self.v
        u[1:] -= rate * u[:-1]
        v[0] *= u[0]
        for part in self.both:
            part *= 1.0 - rate

    def first(self):
        return self.u[0] * self.v[0, 0]

    def swing(self, rate):
        u = self.u
        u *= 1.0 - rate * u[0]
        return np.sum(u ** 3)


def stir(d, rate):
    a = d['a']
    a[1:] += rate * a[:-1] ** 2
    d['b'][0] *= a[1]
    return np.sum(np.sin(a)) + d['b'][0] @ d['b'][1]


def shake(ps, i, rate):
    p = ps[i]
    p *= 1.0 + rate * p[0]
    return p @ p


def damp(array, rate):
    array *= rate
    array[0] = 0.5
"""
PLACES = {"s.u": (6,), "s.v": (3, 4), "s.both[0]": (6,), "s.both[1]": (6,), "ps[0]": (6,), "ps[1]": (6,),
          "d['a']": (6,), "d['b']": (3, 4)}


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(x, m)`` of six numbers and a matrix of 3 x 4."""
    return _Writer(choose).text()


class _Writer(MemoryWriter):
    def text(self) -> str:
        self.line("total = 0.0")
        self.line("x, m = x * 1.0, m * 1.0")
        self.line("s = Space(np.sin(x), m * 0.8)")
        self.line("ps = [np.cos(x), x * 0.5]")
        self.line("d = {'a': np.tanh(x), 'b': np.sin(m)}")
        self.shapes.update(PLACES)
        self.statements(10, 2)
        self.line(f"return total + {self.number()} + {self.number()}")
        return "\n".join([FUNCTIONS, "", CLASSES, "", "def f(x, m):", *self.lines, ""])

    def kinds(self) -> list[Callable[[int], None]]:
        return [*super().kinds(), self.named, self.named, self.called, self.run_over]

    def named(self, deep: int) -> None:
        """An array in a container gets a name, or the rows of one; or another array comes into its place."""
        self.count += 1
        label = self.pick(*PLACES)
        kind = self.choose(4)
        if kind == 0 and PLACES[label] == (3, 4):
            rows = [f"r_{self.count}_{index}" for index in range(3)]
            self.line(f"{', '.join(rows)} = {label}")
            self.shapes.update(dict.fromkeys(rows, (4,)))
        elif kind == 1:
            self.line(f"{label} = np.sin({label})")
        elif kind == 2:
            self.line(self.pick("s.u, ps[0] = ps[0], s.u", "ps.reverse()", "ps[0], ps[1] = ps[1], ps[0]",
                                "d['a'] = s.both[0] * 1.0", "s.both.append(ps[0] * 0.5)"))
        else:
            self.line(f"n_{self.count} = {label}")
            self.shapes[f"n_{self.count}"] = PLACES[label]

    def called(self, deep: int) -> None:
        self.line(self.pick("s.step(0.1)", f"damp({self.name()}, 0.9)", "total += s.first()", "total += s.swing(0.1)",
                            "total += stir(d, 0.1)", f"total += shake(ps, {self.choose(2)}, 0.1)"))

    def run_over(self, deep: int) -> None:
        self.count += 1
        part, other = f"p_{self.count}", f"q_{self.count}"
        head, bound = [
            (f"for {part} in ps:", {part: (6,)}),
            (f"for {part} in s.both:", {part: (6,)}),
            (f"for {part}, {other} in zip(ps, s.both):", {part: (6,), other: (6,)}),
            (f"for {part} in d.values():", {}),
            (f"for {part} in s.v:", {part: (4,)}),
            (f"for {part}, {other} in zip(d['b'], m):", {part: (4,), other: (4,)}),
        ][self.choose(6)]
        with self.inside(head):
            self.shapes.update(bound)
            if not bound:
                self.line(f"{part} *= 0.9")
            self.statements(2, 0)
