"""Random functions over arrays that are in containers and have other names too, for ``test_random_held.py``: arrays and
views of them in lists, tuples, dicts and objects, written into under any of their names, in loops, branches, callees.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

from random_text import Writer

HEAD = """import numpy as np
from held_functions import *


def f(x, y):"""
KEYS = ('"a"', '"b"')
PLACES = ("0", "1", "-1")


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(x, y)`` of two vectors of four elements that returns a number."""
    return _Writer(choose).text()


class _Writer(Writer):
    """All arrays have four elements, but for one matrix; lists keep two items and more."""

    def __init__(self, choose: Callable[[int], int]):
        super().__init__(choose)
        self.loops = 0
        self.run_over = 0
        """How many loops over what a list holds are around here: it must not grow there."""
        self.fresh = choose(4)
        """How often of four times an array is a new one rather than another name."""
        self.names: dict[str, list[str]] = {"array": ["x", "y"], "list": [], "tuple": [], "dict": [], "object": [],
                                             "nest": [], "matrix": [], "number": []}
        """Names that are bound on every way to here."""

    def text(self) -> str:
        for label in ("x", "y"):
            if self.choose(3):
                self.line(f"{label} = np.sin({label})")
        self.new("array", f"{self.pick('np.cos', 'np.tanh')}({self.pick('x', 'y')})")
        self.new("list", f"[{self.array()}, {self.array()}]")
        self.line("total = 0.0")
        self.statements(8, 2)
        self.line(f"return total + {self.number()} + {self.number()}")
        return "\n".join([HEAD, *self.lines, ""])

    def new(self, kind: str, value: str) -> str:
        self.count += 1
        label = f"{kind}_{self.count}"
        self.line(f"{label} = {value}")
        self.names[kind].append(label)
        return label

    def has(self, kind: str) -> bool:
        return bool(self.names[kind])

    def name(self, kind: str) -> str:
        return self.pick(*self.names[kind])

    # ---- expressions

    def place(self) -> str:
        """Where an array is: under a name or in a container."""
        options = [lambda: self.name("array")]
        if self.has("list"):
            options += [lambda: f"{self.name('list')}[{self.pick(*PLACES, *self.names['number'])}]"] * 2
        if self.has("dict"):
            options += [lambda: f"{self.name('dict')}[{self.pick(*KEYS)}]"] * 2
        if self.has("object"):
            options += [lambda: f"{self.name('object')}.{self.pick('p', 'q')}"] * 2
        if self.has("nest"):
            options += [lambda: f"{self.name('nest')}[{self.pick('0', '1')}][{self.pick(*PLACES)}]"]
        return options[self.choose(len(options))]()

    def array(self) -> str:
        """An array that is somewhere already, or a view of one; or a new one."""
        if self.choose(4) < self.fresh:
            return f"{self.pick('np.sin', 'np.cos', '0.6 *', 'np.copy')}({self.place()})"
        kind = self.choose(10)
        if kind == 0 and self.has("tuple"):
            return f"{self.name('tuple')}[{self.pick('0', '1')}]"
        if kind == 1 and self.has("matrix"):
            return self.pick("{m}[0]", "{m}[1]", "{m}[:, 1]", "{m}.T[0]", "np.diag({m})").format(m=self.name("matrix"))
        if kind == 2:
            return f"{self.place()}[{self.pick(':', '::-1')}]"
        if kind == 3:
            return f"{self.pick('same', 'reversed_view')}({self.place()})"
        if kind == 4 and self.has("list"):
            return f"first_of({self.name('list')})"
        if kind == 5:
            return f"{self.place()}{self.pick('.ravel()', '.reshape(4)', '.T', '.copy()')}"
        return self.place()

    def value(self) -> str:
        """An array, made for it or not."""
        kind = self.choose(6)
        if kind == 0:
            return f"np.sin({self.array()})"
        if kind == 1:
            return f"{self.array()} * {self.array()}"
        if kind == 2:
            return f"{self.array()} * 0.7"
        if kind == 3 and self.has("object"):  # what a function keeps of what it is given in an object
            return self.pick("{o}.products()", "squares_of({o})").format(o=self.name("object"))
        if kind == 4 and (self.has("list") or self.has("tuple")):
            return f"product_of({self.name(self.pick(*(kind for kind in ('list', 'tuple') if self.has(kind))))})"
        return self.array()

    def number(self) -> str:
        kind = self.choose(6)
        if kind == 0:
            return f"{self.place()}[{self.pick(*PLACES)}]"
        if kind == 1 and self.has("list"):
            label = self.name("list")
            return self.pick(f"(np.array({label}) ** 2).sum() * 0.3", f"np.sum({label}) * 0.3",
                             f"np.sum({label}[0] * {label}[1])", f"sum([np.sum(v * v) for v in {label}]) * 0.3")
        if kind == 2 and self.has("nest"):
            return f"np.sum({self.name('nest')}[{self.pick('0', '1')}])"
        if kind == 3 and self.has("matrix"):
            return f"np.sum({self.name('matrix')} ** 2) * 0.3"
        if kind == 4:
            return f"np.sum({self.value()}) * 0.3"
        return f"np.sum({self.array()} ** 2) * 0.3"

    # ---- statements

    def statements(self, most: int, deep: int) -> None:
        for _ in range(1 + self.choose(most)):
            kinds = [self.binding, self.binding, self.write, self.write, self.write, self.change, self.sum]
            kinds += [self.each, self.each, self.block] if deep else []
            kinds[self.choose(len(kinds))](deep)

    def binding(self, deep: int) -> None:
        kind = self.choose(9)
        if kind == 0:
            self.new("array", self.array())
        elif kind == 1:
            self.new("array", self.value())
        elif kind == 2:
            self.list_bound()
        elif kind == 3:
            self.new("tuple", f"({self.array()}, {self.value()})")
        elif kind == 4:
            made = self.pick("{{'a': {}, 'b': {}}}", "dict(a={}, b={})", "keyed({}, {})").format(
                self.array(), self.value())
            self.new("dict", self.pick(f"dict({self.name('dict')})", f"{self.name('dict')}.copy()",
                                       f"{{**{self.name('dict')}, 'a': {self.array()}}}", made, self.name("dict"))
                     if self.has("dict") else made)
        elif kind == 5:
            self.new("object", f"{self.pick('Holder', 'Pair')}({self.array()}, {self.value()})"
                     if self.choose(4) or not self.has("object") else self.name("object"))
        elif kind == 6:
            self.new("matrix", f"np.outer({self.array()}, {self.array()})")
        elif kind == 7 and self.has("list"):
            self.new("nest", self.pick("[{}, {}]", "({}, {})", "[{}[:], {}]", "[list({}), [*{}]]").format(
                self.name("list"), self.name("list")))
        elif kind == 8 and self.has("list"):
            self.count += 1
            self.line(f"array_{self.count}, array_{self.count}_other = {self.name('list')}[:2]")
            self.names["array"] += [f"array_{self.count}", f"array_{self.count}_other"]

    def list_bound(self) -> None:
        options = ["[{a}, {v}]", "[{a}, {a}]", "listed({a}, {a})", "[{a}] * 2", "list(({a}, {a}))"]
        if self.has("list"):
            options += ["{l}[:]", "list({l})", "[*{l}]", "{l} + [{a}]", "[v for v in {l}]", "[v[:] for v in {l}]",
                        "kept({l})", "{l}", "{l}[::-1]", "sorted({l}, key=np.sum)",
                        "[u for u, v in zip({l}, {l})]", "[same(v) for v in {l}]", "{l}.copy()",
                        "list(reversed({l}))", "[{l}[i] for i in range(2)]"]
            options += [] if self.run_over else ["longer({l}, {a})"]
        if self.has("matrix"):
            options += ["[{m}[i] for i in range(2)]", "list({m})", "[*{m}]", "[r for r in {m}.T]"]
        if self.has("dict"):
            options += ["list({d}.values())", "[{d}[k] for k in {d}]"]
        if self.has("object"):
            options += ["[{o}.p, {o}.q]"]
        self.new("list", options[self.choose(len(options))].format_map(_Lazily(self)))

    def write(self, deep: int) -> None:
        kind = self.choose(12)
        place = self.place()
        operator = self.pick("+=", "-=", "*=")
        if kind < 3:
            self.line(f"{place} {operator} {self.value()}")
        elif kind == 3:
            self.line(f"{place} {operator} {self.number()}")
        elif kind == 4:
            part = self.pick("1:", ":-1", "::2", "...", ":")
            self.line(f"{place}[{part}] {self.pick('=', operator)} {self.number()}")
        elif kind == 5:
            self.line(f"{place}[{self.pick(*PLACES)}] {self.pick('=', operator)} {self.number()}")
        elif kind == 6:
            self.line(f"{place}[1:] = {self.array()}[:-1]")
        elif kind == 7:
            self.line(f"np.{self.pick('add', 'multiply')}({place}, {self.value()}, out={place})")
        elif kind == 8:
            self.line(self.pick(f"np.copyto({place}, {self.value()})", f"{place}.fill({self.number()})",
                                f"np.add.at({place}, [0, 0, 2], {self.number()})", f"np.sin({place}, out={place})"))
        elif kind == 9 and self.has("tuple"):
            self.line(f"{self.name('tuple')}[{self.pick('0', '1')}][{self.pick('...', '1:', '0')}] "
                      f"{self.pick('=', operator)} {self.number()}")
        elif kind == 10 and self.has("matrix"):
            self.line(f"{self.name('matrix')}[{self.pick('0', ':, 1', '0, 1', '1:')}] {self.pick('=', operator)} "
                      f"{self.number()}")
        else:
            self.called()

    def called(self) -> None:
        options = ["doubled({a})"]
        if self.has("list"):
            options += ["change_first({l}, {a})", "change_each({l})", "put_first({l}, {a})"]
        if self.has("dict"):
            options += ["change_at_a({d}, {a})"]
        if self.has("object"):
            options += ["change_held({o}, {a})", "{o}.scale(0.5)", "{o}.exchange()", "{o}.part()[0] = 0.5",
                        "{o}.part()[:] *= 2.0"]
        self.line(options[self.choose(len(options))].format_map(_Lazily(self)))

    def change(self, deep: int) -> None:
        """Another array in a place, which has other names perhaps."""
        options = ["{array} = {v}", "{array}, {array} = {a}, {a}"]
        if self.has("list"):
            options += ["{l}[{i}] = {v}", "{l}.reverse()", "{l}[:1] = [{a}]", "{l}[0], {l}[1] = {l}[1], {l}[0]",
                        "{l}[0], {l}[1] = {l}[0], {l}[0]", "{array} = {l}[0]", "{l}[0], {array} = {a}, {l}[0]"]
            options += [] if self.run_over else [
                "{l}.append({a})", "{l}.append({v})", "{l}.insert(0, {a})", "{l}.extend({l}[:2])", "{l} += [{a}]",
                "{l}[1:] = [{a}, {a}]", "{l}.append({l}.pop(0))"]
        if self.has("dict"):
            options += ["{d}[{k}] = {a}", "{d}[{k}] = {v}", "{d}.update(a={a})",
                        "{d}['a'], {d}['b'] = {d}['b'], {d}['a']", "{array} = {d}['a']", "{d}.setdefault('a', {a})"]
        if self.has("object"):
            options += ["{o}.p = {a}", "{o}.q = {v}", "{o}.p, {o}.q = {o}.q, {o}.p", "{array} = {o}.q"]
        if self.has("nest"):
            options += [] if self.run_over else ["{nest}[1].append({a})"]
            options += ["{nest}[0][0] = {a}", "{nest}[0][1] *= 0.5", "{array} = {nest}[1][0]"]
        self.line(options[self.choose(len(options))].format_map(_Lazily(self)))

    def sum(self, deep: int) -> None:
        self.line(f"total += {self.number()}")

    def each(self, deep: int) -> None:
        """A loop over what a container holds, which its turns change."""
        if not self.has("list"):
            return
        self.count += 1
        u, v = f"u_{self.count}", f"v_{self.count}"
        heads = [(f"for {u} in {self.name('list')}:", [u]),
                 (f"for {u}, {v} in zip({self.name('list')}, {self.name('list')}):", [u, v]),
                 (f"for k_{self.count}, {u} in enumerate({self.name('list')}):", [u]),
                 (f"for {u} in ({self.array()}, {self.array()}):", [u])]
        if self.has("dict"):
            heads += [(f"for k_{self.count}, {u} in {self.name('dict')}.items():", [u]),
                      (f"for {u} in {self.name('dict')}.values():", [u])]
        if self.has("matrix"):
            heads += [(f"for {u} in {self.name('matrix')}:", [u])]
        head, bound = heads[self.choose(len(heads))]
        with self.inside(head):
            self.run_over += 1
            self.names["array"] += bound
            if self.choose(2):
                self.line(f"{u} {self.pick('+=', '*=')} {self.pick(self.array(), '0.5', self.number())}")
            self.statements(2, 0)
            self.run_over -= 1

    def block(self, deep: int) -> None:
        kind = self.choose(4)
        if kind == 0:
            with self.inside(f"if {self.number()} > 0.4:"):
                self.statements(3, deep - 1)
        elif kind == 1 and self.loops:
            self.line(f"if {self.number()} > 0.9:")
            self.line(f"    {self.pick('break', 'continue')}")
        elif kind == 2:
            self.line(f"if {self.number()} > 2.5:")
            self.line(f"    return total + {self.number()}")
        else:
            self.count += 1
            with self.inside(f"for k_{self.count} in range(2):", True):
                self.names["number"].append(f"k_{self.count}")
                self.statements(4, deep - 1)

    @contextmanager
    def inside(self, head: str, loop: bool = False):
        """A block; what is bound in it may not be there behind it."""
        outer = {kind: list(labels) for kind, labels in self.names.items()}
        self.line(head)
        self.depth += 1
        self.loops += loop
        yield
        self.names = outer
        self.depth -= 1
        self.loops -= loop


class _Lazily(dict):
    """What patterns are filled in with: another choice each time that a name stands in one."""

    def __init__(self, writer: _Writer):
        kinds = {"l": "list", "d": "dict", "o": "object", "m": "matrix"}
        super().__init__()
        self.made = {label: lambda kind=kind: writer.name(kind) for label, kind in kinds.items()}
        self.made |= {"a": writer.array, "v": writer.value, "i": lambda: writer.pick(*PLACES),
                      "k": lambda: writer.pick(*KEYS), "array": lambda: writer.name("array"),
                      "nest": lambda: writer.name("nest")}

    def __getitem__(self, label: str) -> str:
        return self.made[label]()
