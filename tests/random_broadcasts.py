"""Random programs in which numbers, vectors and matrices meet: in arms of branches, in turns of loops, in vain.

A cotangent need not have the shape of what it belongs to, as long as it broadcasts to it; what is known of it is
another thing in each arm, and in each attempt to write a loop.
"""
from __future__ import annotations

from collections.abc import Callable

from random_programs import MATRIX, VECTOR, Choices, Program, Shape

COLUMN = (2, 1)
SHAPES: tuple[Shape, ...] = (MATRIX, VECTOR, COLUMN, ())
NAMES = {MATRIX: ("m", "p", "q"), VECTOR: ("u", "v", "w"), COLUMN: ("c",), (): ("x", "s", "t")}
PARAMETERS = ("x", "u", "m")


def program(below: Callable[[int], int], of_complex: bool = False) -> Program:
    """One program; ``below(n)`` chooses a number from 0 to n - 1. ``of_complex``: one that takes complex ones, too."""
    return Program("import numpy as np\n\n\n" + Writer(Choices(below), of_complex).text(), PARAMETERS)


def broadcast(first: Shape, second: Shape) -> Shape:
    """The shape in which two meet."""
    if len(first) < len(second):
        first, second = second, first
    padded = (1,) * (len(first) - len(second)) + second
    return tuple(max(one, other) for one, other in zip(first, padded))


class Writer:
    """One function being written."""

    def __init__(self, choose: Choices, of_complex: bool):
        self.choose = choose
        self.test = "np.real({}) > {}" if of_complex else "{} > {}"
        self.dtype = ", complex" if of_complex else ""
        self.largest = "mean" if of_complex else "max"
        self.result = "abs({})" if of_complex else "{}"
        self.lines: list[str] = []
        self.statements = 9

    def text(self) -> str:
        self.helper()
        self.line(0, "def f(x, u, m):")
        self.line(1, self.choose.one_of(("c = m[:, :1] * 0.5", "c = m.sum(axis=1, keepdims=True)",
                                         "c = np.outer(m[:, 0], x)")))
        self.line(1, "p, q = m * x, m + u")
        self.line(1, "v, w = u * x, np.sin(u)")
        self.line(1, "s, t = x * 2.0, 0.5")
        self.block(1, "")
        results = [self.total(shape) for shape in (MATRIX, VECTOR, COLUMN, ()) if self.choose.below(3)]
        self.line(1, f"return {self.result.format(' + '.join([self.total(MATRIX), *results]))}")
        return "\n".join(self.lines) + "\n"

    def helper(self) -> None:
        """A function that takes and gives whatever meets in it."""
        self.line(0, "def h(a, b):")
        for _ in range(1 + self.choose.below(3)):
            change = self.choose.one_of(("a = a * b", "a = np.sin(a) + b", "b = b * 0.5", "a = a - np.mean(b)",
                                         "b = a + b", "a, b = b, a"))
            kind = self.choose.below(4)
            if kind == 0:
                self.line(1, f"if {self.test.format('np.sum(a)', 0.2)}:\n        {change}")
            elif kind == 1:
                self.line(1, f"for _ in range(2):\n        {change}")
            else:
                self.line(1, change)
        self.line(1, self.choose.one_of(("return a * b", "return a - b", "return b + 0.5 * a", "return (a + 1.0) * b")))
        self.lines += ["", ""]

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self, shape: Shape) -> str:
        return self.choose.one_of(NAMES[shape])

    def total(self, shape: Shape) -> str:
        """A number made of all of an array."""
        found = self.name(shape)
        if not shape:
            return found
        return self.choose.one_of((f"{found}.sum()", f"{self.name(())} * {found}.sum()", f"2.0 * np.mean({found})",
                                   f"np.sum({found} * {found})", f"{found}.sum() * {found}.mean()"))

    def block(self, depth: int, counter: str) -> None:
        start = self.statements
        while self.statements > 0 and (start == self.statements or self.choose.below(4)):
            self.statements -= 1
            kind = self.choose.below(10) if depth < 4 else 0
            if kind < 5:
                self.simple(depth, counter)
            elif kind == 9 and counter:
                way = self.choose.one_of(("break", "continue", f"return {self.result.format(self.total(MATRIX))}"))
                self.line(depth, f"if {self.test.format(self.name(()), self.choose.one_of((0.3, 1.5, -0.4)))}:")
                self.line(depth + 1, way)
            elif kind < 7:
                test = f"{counter} % 2" if counter and self.choose.below(2) else self.test.format(self.name(()), 0.3)
                self.line(depth, f"if {test}:")
                self.block(depth + 1, counter)
                if self.choose.below(3):
                    self.line(depth, "else:")
                    self.block(depth + 1, counter)
                if not self.statements and self.lines[-1].endswith(":"):
                    self.line(depth + 1, "pass")
            else:
                inner = f"k{depth}"
                self.line(depth, f"for {inner} in range({self.choose.one_of(('3', '2', 'len(u)'))}):")
                self.block(depth + 1, inner)
        if self.lines[-1].endswith(":"):
            self.line(depth, "pass")

    def simple(self, depth: int, counter: str) -> None:
        if not self.choose.below(6):
            row = self.choose.one_of(("p[0]", "q[-1]", "p[:, 1:]", "q[:, 0]"))
            self.line(depth, f"p, q = p + 0.0, q * 1.0\n{'    ' * depth}{row} = {self.name(())}")
            return
        first, second = self.choose.one_of(SHAPES), self.choose.one_of(SHAPES)
        shape = broadcast(first, second)
        left, right = self.name(first), self.name(second) if second or not counter else counter
        symbol = self.choose.one_of(("+", "-", "*"))
        value = f"{left} {symbol} {right}" if self.choose.below(3) else f"h({left}, {right})"
        if self.choose.below(2):
            value = f"{value} * {self.choose.one_of(('0.5', self.name(()), 'np.tanh(' + self.name(()) + ')'))}"
        if self.choose.below(2) and shape:
            value, shape = self.choose.one_of((
                (f"np.sin({value})", shape), (f"np.sum({value})", ()), (f"np.mean({value}, axis=0)", shape[1:]),
                (f"({value}).{self.largest}()", ()), (f"-({value})", shape)))
        elif self.choose.below(2) and shape == MATRIX:
            value = self.choose.one_of((f"(({value}) @ u).reshape(-1, 1)", f"({value}).sum(axis=1, keepdims=True)"))
            shape = COLUMN
        if shape == (1,):
            value, shape = f"np.sum({value})", ()
        self.line(depth, f"{self.name(shape)} = {value}" if self.choose.below(3) else self.spread(shape, value))

    def spread(self, shape: Shape, value: str) -> str:
        """A value that takes a larger place, by an assignment that broadcasts it."""
        larger = self.choose.one_of([one for one in SHAPES if broadcast(one, shape) == one])
        like = {MATRIX: "m.shape", VECTOR: "len(u)", COLUMN: "(len(m), 1)"}
        zeros = f" + np.zeros({like[larger]}{self.dtype})" if larger else ""
        return f"{self.name(larger)} = {value}{zeros}"
