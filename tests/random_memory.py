"""Random functions over arrays under several names, for ``test_random_memory.py``: views, views of views and names
made, written through, read and bound anew, in loops and branches.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

from random_text import Writer

Shape = tuple[int, ...]


FUNCTIONS = """import numpy as np


def grown(u):
    return np.tanh(u)


def turned(u):
    v = np.tanh(u)
    return v[::-1]


def both(u):
    v = np.tanh(u)
    return {"a": v, "b": np.exp(-v * v)}
"""
"""Functions whose adjoints read what they give back."""


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(x, m)`` of six numbers and a matrix of 3 x 4."""
    return MemoryWriter(choose).text()


class MemoryWriter(Writer):
    def __init__(self, choose: Callable[[int], int]):
        super().__init__(choose)
        self.loops: list[str] = []
        self.shapes: dict[str, Shape] = {"x": (6,), "m": (3, 4)}
        """Names that are bound on every way to here."""

    def text(self) -> str:
        self.line("total = 0.0")
        for label in ("x", "m"):
            if self.choose(3):
                self.line(f"{label} = {label} * 1.0")
        self.statements(12, 2)
        self.line(f"return total + {self.number()} + {self.number()}")
        return "\n".join([FUNCTIONS, "", "def f(x, m):", *self.lines, ""])

    def name(self) -> str:
        return self.pick(*self.shapes)

    # ---- expressions

    def view(self, label: str) -> tuple[str, Shape]:
        """An expression for a view of an array, and its shape."""
        shape = self.shapes[label]
        if len(shape) == 2:
            rows, columns = shape
            kind = self.choose(6)
            if kind == 0:
                return f"{label}.T", (columns, rows)
            if kind == 1:
                return f"{label}[{self.index(rows)}]", (columns,)
            if kind == 2:
                return f"{label}[:, {self.index(columns)}]", (rows,)
            part, size = self.part(rows if kind == 3 else columns)
            if kind == 3:
                return f"{label}[{part}]", (size, columns)
            return (f"{label}[:, {part}]", (rows, size)) if kind == 4 else (f"{label}.T[{part}]", (size, rows))
        part, size = self.part(shape[0])
        return f"{label}[{part}]", (size,)

    def part(self, size: int) -> tuple[str, int]:
        options = ["1:", ":-1", "::-1", ":"] if size > 1 else [":"]
        part = self.pick(*options)
        return part, len(range(size)[eval(f"slice({', '.join(item or 'None' for item in part.split(':'))})")])

    def index(self, size: int) -> str:
        return self.pick("0", "-1", *(f"{label} % {size}" for label in self.loops))

    def number(self) -> str:
        label = self.name()
        if self.choose(3):
            return self.pick(f"({label} ** 2).sum() * 0.3", f"({label} ** 2).sum() * 0.3",
                             f"np.ravel({label}).sum() * len({label})", f"np.transpose({label}).sum() * {label}.ndim")
        return f"{label}[{', '.join(self.index(size) for size in self.shapes[label])}]"

    def value(self, shape: Shape) -> str:
        """An expression that fits into a part of that shape."""
        same = [label for label, other in self.shapes.items() if other == shape]
        views = [text for text, other in (self.view(self.name()) for _ in range(2)) if other == shape]
        options = [self.number, lambda: "0.5"]
        if same or views:
            options += [lambda: self.pick(*same, *views), lambda: f"np.sin({self.pick(*same, *views)})",
                        lambda: f"{self.pick(*same, *views)} * {self.pick(*same, *views)} * 0.5"]
        return options[self.choose(len(options))]()

    # ---- statements

    def statements(self, most: int, deep: int) -> None:
        for _ in range(1 + self.choose(most)):
            options = [*self.kinds(), self.block] if deep else self.kinds()
            options[self.choose(len(options))](deep)

    def kinds(self) -> list[Callable[[int], None]]:
        return [self.binding, self.binding, self.write, self.write, self.write, self.sum]

    def binding(self, deep: int) -> None:
        kind = self.choose(10)
        label = self.name()
        self.count += 1
        new = f"a_{self.count}"
        if kind > 5:
            self.unnamed(new, label, kind)
        elif kind == 0:
            self.line(f"{new} = {label}")
            self.shapes[new] = self.shapes[label]
        elif kind == 1:
            self.line(f"{new} = {label} * 0.7")
            self.shapes[new] = self.shapes[label]
        elif kind == 2:
            self.line(f"{label} = {label} * 0.9")
        elif kind == 3:
            other = self.pick(*(found for found, shape in self.shapes.items() if shape == self.shapes[label]))
            self.line(f"{label}, {other} = {other}, {label}")
        else:
            text, shape = self.view(label)
            self.line(f"{new} = {text}")
            self.shapes[new] = shape

    def unnamed(self, new: str, label: str, kind: int) -> None:
        """A name for memory of what has none: a view of it, one of several at once, what a function gives."""
        shape = self.shapes[label]
        if kind == 6:
            text, shape = self.view(label)
            self.line(f"{new} = {text.replace(label, f'np.tanh({label})', 1)}")
        elif kind == 7:
            self.line(f"{new}, {new}_other = np.tanh({label}), np.cos({label})")
            self.shapes[f"{new}_other"] = shape
        elif kind == 8:
            self.line(f"{new} = {self.pick('grown', 'turned')}({label})")
        else:
            key = self.pick("a", "b")
            self.line(f"{new} = both({label})[{key!r}]")
        self.shapes[new] = shape

    def write(self, deep: int) -> None:
        label = self.name()
        shape = self.shapes[label]
        kind = self.choose(9)
        operator = self.pick("=", "+=", "-=", "*=")
        if kind < 2:
            self.line(f"{label} {operator if operator != '=' else '+='} {self.value(shape)}")
        elif kind == 2:
            self.line(f"{label}[{', '.join(self.index(size) for size in shape)}] {operator} {self.number()}")
        elif kind == 3:
            self.line(f"{label}[...] = {self.value(shape)}")
        elif kind == 4 and len(shape) == 1:
            self.line(f"np.add.at({label}, [0, 0, -1], {self.number()})")
        elif kind == 5:
            self.line(f"{label}.sort()")
        elif kind == 6:
            self.line(f"{label}[{label} > 0.4] *= 0.5")
        else:
            text, part = self.view(label)
            self.line(f"{text}{'[...]' if text.endswith('.T') else ''} {operator} {self.value(part)}")

    def sum(self, deep: int) -> None:
        self.line(f"total += {self.number()}")

    def block(self, deep: int) -> None:
        kind = self.choose(4)
        if kind == 0:
            with self.inside(f"if {self.number()} > 0.4:"):
                self.statements(3, deep - 1)
        elif kind == 1 and self.loops:
            self.line(f"if {self.number()} > 0.9:")
            self.line(f"    {self.pick('break', 'continue')}")
        else:
            self.count += 1
            with self.inside(f"for k_{self.count} in range({self.pick('2', '3')}):", f"k_{self.count}"):
                self.statements(5, deep - 1)

    @contextmanager
    def inside(self, head: str, counter: str = ""):
        """A block; what is bound in it may not be there behind it."""
        outer = dict(self.shapes)
        self.line(head)
        self.depth += 1
        self.loops += [counter] if counter else []
        yield
        self.loops = self.loops[:-1] if counter else self.loops
        self.shapes = outer
        self.depth -= 1
