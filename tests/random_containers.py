"""Random functions over a list, a dict and an array, for ``test_random_containers.py``: containers read, changed and
made anew in loops and branches, arrays that are written into, also through views.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

from random_text import Writer

PARAMETERS = ("xs", "d", "x")
"""A list of vectors, a dict with the vectors ``"a"`` and ``"b"``, a vector; all of three elements."""
KEYS = ('"a"', '"b"')
PLACES = ("0", "1", "-1")


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(xs, d, x)`` that returns a number."""
    return _Writer(choose).text()


class _Writer(Writer):
    def __init__(self, choose: Callable[[int], int]):
        super().__init__(choose)
        self.loops = 0
        self.names: dict[str, list[str]] = {"list": ["xs"], "dict": ["d"], "array": ["x"], "own": [], "index": [],
                                             "group": []}
        """Names that are bound on every way to here; ``own`` are arrays that the function made."""

    def text(self) -> str:
        self.line("total = 0.0")
        self.statements(10, 2)
        self.line(f"return total + np.sum({self.vector()}) + np.sum({self.vector()})")
        return "\n".join(["import numpy as np", "", "", "def f(xs, d, x):", *self.lines, ""])

    def name(self, kind: str) -> str:
        return self.pick(*self.names[kind])

    def new(self, kind: str, value: str) -> str:
        self.count += 1
        label = f"{kind}_{self.count}"
        self.line(f"{label} = {value}")
        self.names[kind].append(label)
        return label

    # ---- expressions

    def vector(self) -> str:
        kind = self.choose(9)
        if kind == 0:
            return f"{self.name('list')}[{self.pick(*PLACES)}]"
        if kind == 1:
            return f"{self.name('dict')}[{self.pick(*KEYS)}]"
        if kind == 2:
            return f"np.sin({self.vector()})"
        if kind == 3:
            return f"({self.vector()} * {self.vector()}) * 0.5"
        if kind == 4:
            return f"({self.vector()} + {self.number()})"
        if kind == 5:
            return f"sum({self.name('list')}) * 0.3"
        if kind == 6:
            return f"np.stack({self.name('list')}).mean(axis=0)"
        if kind == 7:
            return f"sum(np.cos(v) for v in {self.name('dict')}.values())"
        return self.name("array")

    def number(self) -> str:
        kind = self.choose(6)
        if kind == 0:
            return f"np.sum({self.vector()}) * 0.2"
        if kind == 1:
            return f"{self.name('array')}[{self.pick(*PLACES, *self.names['index'])}]"
        if kind == 2:
            return f"len({self.name('list')}) * 0.1"
        return self.pick("0.5", "1.5", "-0.7")

    # ---- statements

    def statements(self, most: int, deep: int) -> None:
        before = len(self.lines)
        for _ in range(1 + self.choose(most)):
            kinds = [self.binding, self.binding, self.change, self.change, self.sum]
            self.pick_from(kinds if not deep else [*kinds, self.block, self.filled], deep)
        if len(self.lines) == before:
            self.line("pass")

    def pick_from(self, kinds: list[Callable[[int], None]], deep: int) -> None:
        kinds[self.choose(len(kinds))](deep)

    def binding(self, deep: int) -> None:
        kind = self.choose(9)
        if kind == 6:
            self.new("list", f"sorted({self.name('list')}, key=np.sum)")
        elif kind == 7:
            self.new("group", f"[[{self.vector()}], [{self.vector()}]]")
        elif kind == 8:
            self.new("list", self.pick(f"[*{self.name('list')}, {self.vector()}]", f"[{self.vector()}] * 2",
                                       f"list(map(np.sin, {self.name('list')}))"))
        elif kind == 0:
            self.new("array", self.vector())
        elif kind == 1:
            label = self.new("own", f"{self.vector()} * 1.0")
            self.names["array"].append(label)
        elif kind == 2:
            self.new("list", f"[{self.vector()}, {self.vector()}]")
        elif kind == 3:
            self.new("dict", f"{{\"a\": {self.vector()}, \"b\": {self.vector()}}}")
        elif kind == 4:
            self.new("list", f"[{self.pick('np.tanh(q)', 'q * 0.5', f'q * {self.number()}')} for q in "
                             f"{self.name('list')}]")
        else:
            self.new("list", f"{self.name('list')} + [{self.vector()}]")

    def change(self, deep: int) -> None:
        """Of what the function made itself: the names that it got are the first of their kinds."""
        kind = self.choose(13)
        lists, dicts, own = self.names["list"][1:], self.names["dict"][1:], self.names["own"]
        if kind == 0 and lists:
            self.line(f"{self.pick(*lists)}.append({self.vector()})")
        elif kind == 1 and lists:
            self.line(f"{self.pick(*lists)}[{self.pick(*PLACES)}] = {self.vector()}")
        elif kind == 2 and dicts:
            self.line(f"{self.pick(*dicts)}[{self.pick(*KEYS)}] = {self.vector()}")
        elif kind == 3 and own:
            self.line(f"{self.pick(*own)}[{self.pick('1:', ':2', *PLACES, *self.names['index'])}] "
                      f"{self.pick('=', '+=', '*=')} {self.number()}")
        elif kind == 4 and own:
            self.count += 1
            self.line(f"view_{self.count} = {self.pick(*own)}[{self.pick('1:', ':2', ':')}]")
            self.line(f"view_{self.count}[{self.pick('0', '-1')}] {self.pick('=', '+=', '*=')} {self.number()}")
        elif kind == 5 and len(lists) > 1:
            first, second = self.pick(*lists), self.pick(*lists)
            self.line(f"{first}, {second} = {second}, {first}")
        elif kind == 7 and lists:
            self.line(f"{self.pick(*lists)}.insert({self.pick(*PLACES, '5')}, {self.vector()})")
        elif kind == 8 and lists:
            self.taken(self.pick(*lists))
        elif kind == 9 and lists:
            label = self.pick(*lists)
            self.line(self.pick(f"{label}.reverse()", f"{label}.sort(key=np.sum)", f"{label}[:1] = [{self.vector()}]",
                                f"{label}[1:] = {self.name('list')}", f"{label}.extend({self.name('list')})"))
        elif kind == 10 and dicts:
            label = self.pick(*dicts)
            self.line(self.pick(f"{label}.update(b={self.vector()})", f"{label} |= {{'a': {self.vector()}}}",
                                f"{label} = {{**{self.name('dict')}, 'a': {self.vector()}}}"))
        elif kind == 11 and self.names["group"]:
            label = f"{self.name('group')}[{self.pick('0', '1', *self.names['index'])} % 2]"
            self.line(self.pick(f"{label}.append({self.vector()})", f"{label}[0] = {self.vector()}",
                                f"{label}.insert(0, {self.vector()})", f"total += np.sum({label}[-1])"))
        elif kind == 12 and lists:
            self.line(f"{self.pick(*lists)}[{self.pick('0', '-1')}] {self.pick('+=', '*=')} {self.number()}")
        elif kind == 6 and self.names["array"][1:]:
            self.line(f"{self.pick(*self.names['array'][1:])} = {self.vector()} * 1.0")

    def taken(self, label: str) -> None:
        """Something is popped and, as lists are read at places that must be there, something put back."""
        self.count += 1
        place = self.pick("", "0", "-1")
        self.line(f"popped_{self.count} = {label}.pop({place})")
        popped = f"popped_{self.count}"
        if self.choose(2):
            self.line(f"total += np.sum({popped})")
        others = self.names["list"]
        self.names["list"] = [other for other in others if other != label]
        self.line(self.pick(f"{label}.append({popped} * 0.9)", f"{label}.insert(0, {self.vector()})",
                            f"{label}.append({self.vector()} + {label}[0])"))
        self.names["list"] = others

    def sum(self, deep: int) -> None:
        self.line(f"total += {self.pick(self.number(), f'np.sum({self.vector()})')}")

    def filled(self, deep: int) -> None:
        """A list that is empty at first, and read by the turns of the loop that fills it."""
        self.count += 1
        label, row = f"filled_{self.count}", f"row_{self.count}"
        self.line(f"{label} = []")
        with self.inside(f"for k_{self.count} in range({self.pick('2', '3')}):", index=f"k_{self.count}"):
            self.line(f"{row} = {self.vector()} + {self.read_of(label)}")
            self.names["array"].append(row)
            if deep > 1 and self.choose(2):
                self.statements(2, 0)
            self.line(f"{label}.append({self.pick(row, f'{row} * 0.9', f'np.tanh({row})')})")
        self.names["list"].append(label)

    def read_of(self, label: str) -> str:
        """A vector or number made of what a list holds, which may be nothing."""
        other = self.name("array")
        return self.pick(
            f"sum([(q @ {other}) * q * 0.2 for q in {label}])", f"sum(q * {other} for q in {label}) * 0.3",
            f"sum(map(lambda q: np.sin(q * {other}), {label}))", f"max((q @ {other} for q in {label}), default=0.5)",
            f"({label}[-1] * {other} if {label} else {other})", f"sum(q * p for q, p in zip({label}, xs)) * 0.4",
            f"((np.array({label}) * {other}).sum(axis=0) if {label} else {other})",
            f"sum(q * n * 0.2 for n, q in enumerate({label}))", f"len({label}) * {other}", f"sum({label}) * 0.3")

    def block(self, deep: int) -> None:
        kind = self.choose(5)
        if kind == 0:
            with self.inside(f"if {self.number()} > {self.number()}:"):
                self.statements(4, deep - 1)
        elif kind == 1:
            self.line(f"if {self.number()} > 1.4:")
            self.line(f"    return total + np.sum({self.vector()})")
        elif kind == 2 and self.loops:
            self.line(f"if {self.number()} > 0.9:")
            self.line(f"    {self.pick('break', 'continue')}")
        elif kind == 3:
            self.count += 1
            with self.inside(f"for k_{self.count} in range({self.pick('2', '3')}):", index=f"k_{self.count}"):
                self.statements(4, deep - 1)
        else:
            self.count += 1
            run_over = self.name("list")
            with self.inside(f"for q_{self.count} in {run_over}:", array=f"q_{self.count}"):
                if run_over != "xs":  # it would never end if something was appended to it
                    self.names["list"].remove(run_over)
                self.statements(4, deep - 1)

    @contextmanager
    def inside(self, head: str, **bound: str):
        """A block; what is bound in it may not be there behind it."""
        outer = {kind: list(labels) for kind, labels in self.names.items()}
        self.line(head)
        self.depth += 1
        self.loops += bool(bound)
        for kind, label in bound.items():
            self.names[kind].append(label)
        yield
        self.names = outer
        self.depth -= 1
        self.loops -= bool(bound)
