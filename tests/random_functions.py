"""Random functions that make others, hand them on and differentiate them, for ``test_random_functions.py``.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

from random_text import Writer

IMPORT = "from s2sgrad import grad, value_and_grad\n"
PRELUDE = f"import functools\n\nimport numpy as np\n\n{IMPORT}" + '''

def called(function, v):
    return function(v)


def twice(function, v, scale=1.0):
    k = v * 0.5
    return called(lambda w: function(w) + np.sum(k * w), v) * scale


def slope(function, x):
    return grad(function)(x)


def slope_of_sum(w, function):
    return grad(called, 1)(function, w) + grad(twice, 1)(function, w, scale=0.5)


def descended(function, x, steps=2):
    g = grad(function)
    for _ in range(steps):
        x = x - 0.1 * g(x)
    return x


def make(w):
    def energy(v):
        return np.sum(np.sin(w * v))
    return energy


def made_of(function, other):
    return lambda v: function(v * other(v))


def chosen(w, k):
    if k > 0.0:
        return lambda v: np.sum(w * v) * k
    return lambda v, p=2: np.sum(w * v ** p)


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2.0 * function(*args, **kwargs)
    return wrapper


def pair(v, w, scale=0.5):
    return np.sum(np.tanh(v * w)) * scale


class Model:
    def __init__(self, w):
        self.w = w

    def energy(self, v):
        return np.sum(np.cos(self.w * v))

    def moved(self, v):
        return v - 0.2 * grad(self.energy)(v)

    def __call__(self, v):
        return np.sum(self.w * v ** 2)


of_pair = grad(pair, (1, 0))
of_called = grad(called, 1)
of_model = grad(Model(np.array([0.5, -1.0, 1.5])).energy)
of_partial = grad(functools.partial(pair, np.array([0.5, -1.0, 1.5]), scale=2.0))


'''


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(w, x)`` of two vectors that returns a number."""
    return _Writer(choose).text()


class _Writer(Writer):
    def __init__(self, choose: Callable[[int], int]):
        super().__init__(choose)
        self.names: dict[str, list[str]] = {"vector": ["w", "x"], "energy": [], "field": [], "own": [], "model": [],
                                            "number": []}
        """Names that are bound on every way to here: energies make a number of a vector, fields a vector; ``own`` are
        arrays that the function made."""
        self.gradients = 0

    def text(self) -> str:
        self.line("total = 0.0")
        self.energy_made(2)
        self.statements(7, 2)
        self.line(f"return total + {self.number()} + np.sum({self.gradient(self.energy())})")
        return PRELUDE + "\n".join(["def f(w, x):", *self.lines, ""])

    def name(self, kind: str) -> str:
        return self.pick(*self.names[kind])

    def new(self, kind: str, value: str) -> str:
        """A name, most often a new one."""
        old = [label for label in self.names[kind] if label not in ("w", "x") and f" {label}(" not in f" {value}"]
        if old and self.choose(4) == 0:
            label = self.pick(*old)
        else:
            self.count += 1
            label = f"{kind}_{self.count}"
            self.names[kind].append(label)
        self.line(f"{label} = {value}")
        if label in self.names["own"] and kind != "own":
            self.names["own"].remove(label)
        return label

    # ---- expressions

    def vector(self) -> str:
        kind = self.choose(12)
        if kind == 0:
            return f"({self.name('vector')} * {self.name('vector')})"
        if kind == 1:
            return f"np.sin({self.name('vector')})"
        if kind == 2:
            return f"({self.name('vector')} + {self.factor()})"
        if kind == 3 and self.names["field"]:
            return f"{self.name('field')}({self.name('vector')})"
        if kind == 4 and self.gradients < 3:
            return self.gradient(self.energy())
        return self.name("vector")

    def factor(self) -> str:
        return self.pick("0.5", "-0.7", "1.5", f"{self.name('vector')}[{self.pick('0', '1', '-1')}]",
                         *self.names["number"])

    def gradient(self, energy: str) -> str:
        """The gradient of an energy somewhere, as an expression."""
        self.gradients += 1
        v = self.name("vector")
        return self.pick(
            f"grad({energy})({v})", f"slope({energy}, {v})", f"slope_of_sum({v}, {energy})",
            f"of_called({energy}, {v})", f"descended({energy}, {v})", f"value_and_grad({energy})({v})[1]",
            f"grad(twice, 1)({energy}, {v})", f"grad(lambda q, *, k: {energy}(q) * k)({v}, k={self.factor()})",
            f"grad(lambda q, r: {energy}(q) * {energy}(r), (1, 0))({v}, {self.name('vector')})[0]",
            f"grad(lambda q, r=2.0: {energy}(q * r))({v})", f"grad(lambda q: ({energy}(q), q), has_aux=True)({v})[0]",
            f"functools.partial(grad(pair, 1), {v}, scale={self.factor()})({self.name('vector')})",
            f"of_pair({v}, {self.name('vector')})[0]", f"of_model({v})", f"of_partial({v})",
            f"grad(doubled({energy}))({v})", f"grad(made_of({energy}, np.cos))({v})",
            f"sum([grad({energy})(q) for q in (w, {v})])")

    def energy(self) -> str:
        """Something that makes a number of a vector; most often a name."""
        kind = self.choose(10)
        if kind == 0:
            return f"(lambda q: np.sum({self.name('vector')} * q ** 2))"
        if kind == 1 and self.names["model"]:
            return self.name("model") + self.pick("", ".energy")
        if kind == 2:
            return f"functools.partial(pair, {self.name('vector')})"
        if kind == 3:
            return f"make({self.name('vector')})"
        return self.name("energy")

    def number(self) -> str:
        kind = self.choose(7)
        if kind == 0:
            return f"np.sum({self.vector()})"
        if kind == 1:
            return f"twice({self.energy()}, {self.name('vector')})"
        if kind == 2:
            one, other = self.name("energy"), self.name("energy")
            return self.pick(f"sum(e({self.name('vector')}) for e in ({one}, {other}))",
                             f"sum([{one}(w) * w[0] for w in ({self.name('vector')}, x)])",
                             f"sum(map({one}, [{self.name('vector')}, w]))",
                             f"max([{self.name('vector')}, x], key={one})[0]")
        return f"{self.name('energy')}({self.vector()})"

    # ---- statements

    def statements(self, most: int, deep: int) -> None:
        for _ in range(1 + self.choose(most)):
            kinds = [self.vector_bound, self.sum, self.change, self.energy_made, self.field_made]
            kind = (kinds if not deep else [*kinds, self.block])[self.choose(6 if deep else 5)]
            before = len(self.lines)
            kind(deep)
            if len(self.lines) == before:
                self.line(f"total += {self.number()}")

    def vector_bound(self, deep: int) -> None:
        if self.choose(3) == 0:
            label = self.new("own", f"{self.vector()} * 1.0")
            self.names["vector"].append(label)
        elif self.choose(3) == 0:
            self.new("number", f"{self.number()} * 0.3")
        else:
            self.new("vector", self.vector())

    def sum(self, deep: int) -> None:
        self.line(f"total += {self.pick(self.number(), f'np.sum({self.vector()} * {self.vector()})')}")

    def change(self, deep: int) -> None:
        kind = self.choose(4)
        if kind == 0 and self.names["own"]:
            self.line(f"{self.name('own')}[{self.pick('0', '1:', '-1')}] {self.pick('=', '+=', '*=')} {self.factor()}")
        elif kind == 1 and self.names["model"]:
            self.line(f"{self.name('model')}.w = {self.vector()}")
        elif kind == 2:
            self.new("model", f"Model({self.vector()})")
        elif kind == 3 and self.names["model"]:
            self.new("vector", f"{self.name('model')}.moved({self.name('vector')})")

    def energy_made(self, deep: int) -> None:
        kind = self.choose(12) if self.names["energy"] else 0
        if kind in (0, 1, 2):
            self.defined(deep)
        elif kind in (3, 4):
            self.new("energy", f"lambda v: {self.body('v')}")
        elif kind == 5:
            self.new("energy", f"make({self.vector()})")
        elif kind == 6:
            self.new("energy", f"made_of({self.name('energy')}, {self.pick('np.cos', *self.names['energy'])})")
        elif kind == 7:
            self.new("energy", f"chosen({self.vector()}, {self.factor()})")
        elif kind == 8:
            self.new("energy", self.pick(f"functools.partial(pair, {self.name('vector')}, scale={self.factor()})",
                                         f"functools.partial(twice, {self.name('energy')})"))
        elif kind == 9:
            self.new("energy", f"doubled({self.name('energy')})")
        elif kind == 10 and self.names["model"]:
            self.new("energy", self.name("model") + self.pick("", ".energy"))
        else:
            self.new("energy", self.name("energy"))

    def field_made(self, deep: int) -> None:
        if not self.names["energy"]:
            return
        energy = self.name("energy")
        self.gradients += 1
        self.new("field", self.pick(
            f"grad({energy})", f"grad({energy})", f"lambda v: slope({energy}, v) * {self.name('vector')}",
            f"functools.partial(slope, {energy})", f"lambda v: descended({energy}, v)",
            *[f"grad({model}.energy)" for model in self.names["model"]]))

    def body(self, v: str) -> str:
        """What an energy makes of a vector, in one expression."""
        w = self.name("vector")
        others = [f"{energy}({v} * {w})" for energy in self.names["energy"]]
        return self.pick(f"np.sum({w} * {v} ** 2)", f"np.sum(np.sin({w} + {v})) * {self.factor()}", f"{v} @ {w}",
                         f"sum(a * np.sin(b) for a, b in zip({w}, {v}))", *others[-2:])

    def defined(self, deep: int) -> None:
        self.count += 1
        label = self.pick(*self.names["energy"], f"energy_{self.count}", f"energy_{self.count}")
        v = self.pick("v", "w", "x", "v")
        outer = {kind: list(labels) for kind, labels in self.names.items()}
        self.line(f"def {label}({v}{self.pick('', ', k=0.5', ', *, k=0.5')}):")
        self.depth += 1
        self.names["energy"] = [each for each in outer["energy"] if each != label]  # nothing calls itself
        self.names["own"], self.names["field"] = [], []
        kind = self.choose(6)
        if kind == 0:
            self.line(f"u = {v} * 1.0")
            self.line(f"u[{self.pick('0', '1:')}] {self.pick('=', '*=', '+=')} {self.factor()}")
            self.line(f"return {self.body('u')}")
        elif kind == 1:
            self.line("t = 0.0")
            self.line(f"for a, b in zip({v}, {self.name('vector')}):")
            self.line(f"    t = t + a * b if a > {self.pick('0.0', 'b')} else t - a ** 2")
            self.line("return t")
        elif kind == 2:
            self.line(f"if {v}[0] > {self.factor()}:")
            self.line(f"    return {self.body(v)}")
            self.line(f"return {self.body(v)}")
        elif kind == 3:
            self.line(f"inner = lambda u: {self.body('u')}")
            self.line(f"{v} = {v} * {self.name('vector')}")
            self.line(f"return inner({v}) + inner({self.name('vector')})")
        elif kind == 4 and self.names["energy"] and self.gradients < 3:
            self.gradients += 1
            self.line(f"return np.sum({self.pick('grad', 'grad', 'functools.partial(slope, ')}"
                      .replace("slope, ", f"slope, {self.name('energy')})")
                      .replace("grad", f"grad({self.name('energy')})") + f"({v}) * {v})")
        else:
            self.line(f"return {self.body(v)}")
        self.depth -= 1
        self.names = outer
        if label not in self.names["energy"]:
            self.names["energy"].append(label)

    def block(self, deep: int) -> None:
        kind = self.choose(4)
        self.count += 1
        if kind == 0:
            with self.inside(f"if {self.factor()} > {self.factor()}:"):
                self.statements(3, deep - 1)
        elif kind == 1:
            with self.inside(f"for q_{self.count} in ({self.name('vector')}, x):", f"q_{self.count}"):
                self.statements(3, deep - 1)
        elif kind == 2:
            self.line(f"if {self.factor()} > 1.2:")
            self.line(f"    return total + {self.number()}")
        else:
            with self.inside(f"for k_{self.count} in range(2):"):
                self.statements(3, deep - 1)

    @contextmanager
    def inside(self, head: str, vector: str = ""):
        """A block; what is bound in it may not be there behind it."""
        outer = {kind: list(labels) for kind, labels in self.names.items()}
        self.line(head)
        self.depth += 1
        self.names["vector"] += [vector] if vector else []
        yield
        self.names = outer
        self.depth -= 1
