"""Random programs: plain functions over numbers and arrays, with all the control flow that is taken.

:func:`program` writes one, of the choices that it is given: hypothesis makes them in the tests, and shrinks them, so
that choice 0 is the plainest everywhere. Shapes are tracked, so that most programs run; values stay small by themselves
(bounded functions, divisors that are not near zero), so that finite differences can judge them.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

Shape = tuple[int, ...]
T = TypeVar("T")

VECTOR, MATRIX = (3,), (2, 3)
"""The shapes of the arguments u and m."""
NUMBER_NAMES = ("a", "b", "c", "d")
ARRAY_NAMES = ("v", "w", "z", "g")
CONSTANTS = ("1.0", "0.5", "-0.7", "2.0", "0.0", "1.3")
LONGEST = 4
MOST_STATEMENTS = 14
CHECKED = """class Stop(Exception):
    pass


def checked(value, limit):
    if np.max(value) > limit:
        raise Stop
    return value
"""
IDENTIFIER = re.compile(r"\b[a-z_][a-z0-9_]*\b")


@dataclass(frozen=True)
class Program:
    """The text of a module, and the parameters of the function ``f`` in it."""

    text: str
    parameters: tuple[str, ...]


@dataclass
class Scope:
    """What a place in a function knows of its names.

    Attributes
    ----------
    shapes
        Of the names that are bound for certain.
    maybe
        Of the names that are bound on some paths only.
    own
        The arrays that have just the one name, and may be written into.
    counters
        Integers: the targets of loops.
    """

    shapes: dict[str, Shape] = field(default_factory=dict)
    maybe: dict[str, Shape] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    counters: tuple[str, ...] = ()

    def copy(self) -> Scope:
        return Scope(dict(self.shapes), dict(self.maybe), set(self.own), self.counters)


@dataclass(frozen=True)
class Helper:
    """A function that the program may call; ``results`` are the shapes of what it returns."""

    name: str
    parameters: tuple[Shape, ...]
    results: tuple[Shape, ...]
    recursive: bool = False


def program(below: Callable[[int], int]) -> Program:
    """One program; ``below(n)`` chooses a number from 0 to n - 1."""
    choose = Choices(below)
    helpers: list[Helper] = []
    texts = ["import math\n\nimport numpy as np\n", CHECKED]
    for name in ("h", "k")[:choose.one_of((0, 0, 1, 2))]:
        helper, text = _helper(choose, name, helpers)
        helpers.append(helper)
        texts.append(text)
    parameters = choose.one_of((("x", "y"), ("x", "y", "u"), ("x", "y", "u", "m"), ("x", "u"), ("u", "m")))
    known = {"x": (), "y": (), "u": VECTOR, "m": MATRIX}
    function = Function(choose, {name: known[name] for name in parameters}, helpers, (((),)), MOST_STATEMENTS)
    function.scope.own.update(name for name in parameters if known[name])
    texts.append(function.text("f"))
    return Program("\n\n".join(texts), parameters)


def _helper(choose: Choices, name: str, helpers: list[Helper]) -> tuple[Helper, str]:
    shapes = choose.one_of((((),), ((), ()), (VECTOR,), ((), VECTOR), ((2,), ())))
    if choose.once_in(4):
        helper = Helper(name, ((),), ((),), recursive=True)
        return helper, Function(choose, {"p": ()}, helpers, ((),), 3, recursive=True).text(name)
    results = choose.one_of((((),), ((),), (VECTOR,), ((), (2,))))
    parameters = dict(zip("pqr", shapes))
    function = Function(choose, parameters, helpers, results, 5)
    if choose.once_in(3):  # it may write into its arguments
        function.scope.own.update(name for name, shape in parameters.items() if shape)
    return Helper(name, shapes, results), function.text(name)


class Choices:
    """Choices of several kinds, all made of one."""

    def __init__(self, below: Callable[[int], int]):
        self.below = below

    def one_of(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def once_in(self, times: int) -> bool:
        return self.below(times) == times - 1


class Function:
    """One function being written."""

    def __init__(self, choose: Choices, parameters: dict[str, Shape], helpers: list[Helper],
                 results: tuple[Shape, ...], statements: int, recursive: bool = False):
        self.choose = choose
        self.parameters = parameters
        self.helpers = helpers
        self.results = results
        self.recursive = recursive
        self.statements = statements
        """So many statements may still be written."""
        self.lines: list[str] = []
        self.depth = 1
        self.scope = Scope(dict(parameters))
        self.fixed: frozenset[str] = frozenset()
        """Names that keep their shape: those that a loop carries."""
        self.loops = 0
        self.counted = 0

    def text(self, name: str) -> str:
        parameters = [*self.parameters, *(["n"] if self.recursive else [])]
        self.lines.append(f"def {name}({', '.join(parameters)}):")
        if self.recursive:
            self.scope.counters = ("n",)
            self.line("if n <= 0:")
            with self.deeper():
                self.line(f"return {self.result()}")
        self.block(top=True)
        if self.recursive:
            own = Helper(name, tuple(self.parameters.values()), self.results)
            call = f"{name}({self.number(1)}, n - 1)"
            called = call, f"{call} * {self.number(1)}", f"{self.number(1)} - {call}"
            self.line(f"return {self.choose.one_of(called)}")
            assert own.results == ((),)
        else:
            self.line(f"return {self.result()}")
        return "\n".join(self.lines) + "\n"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    # ---------------------------------------------------------------------------- statements

    def block(self, top: bool = False) -> bool:
        """Some statements; whether control goes on behind them."""
        start = len(self.lines)
        while self.statements > 0 and (top and self.choose.below(8) or not top and self.choose.below(3)):
            self.statements -= 1
            if not self.statement():
                return False
        if len(self.lines) == start and not top:
            self.simple()
        return True

    def statement(self) -> bool:
        kinds = [self.simple] * 10 + [self.branch] * 4
        if self.depth < 4:
            kinds += [self.count, self.count, self.iterate, self.iterate, self.repeat, self.attempt, self.attempt]
        if self.depth > 1:
            kinds += [self.leave] * (3 if self.loops else 1)
        return self.choose.one_of(kinds)() is not False

    def simple(self) -> None:
        self.choose.one_of([self.assign] * 4 + [self.make] * 3 + [self.augment] * 4 + [self.write] * 5
                           + [self.unpack, self.swap, self.call, self.alias, self.accumulate, self.effect])()

    def bind(self, name: str, shape: Shape, own: bool = False) -> None:
        self.scope.shapes[name] = shape
        self.scope.maybe.pop(name, None)
        self.scope.own.discard(name)
        if own:
            self.scope.own.add(name)

    def target(self, shape: Shape) -> str:
        """A name for a value: a new one, or one that has the shape already where a loop carries it."""
        pool = (NUMBER_NAMES if shape == () else ARRAY_NAMES) + tuple(self.parameters)
        taken = {**self.scope.maybe, **self.scope.shapes}
        free = [name for name in pool if name not in self.fixed or taken.get(name) == shape]
        return self.choose.one_of(free) if free else f"t{len(taken)}"

    def assign(self) -> None:
        shape = self.choose.one_of(((), (), (), VECTOR, VECTOR, MATRIX, (2,)))
        value = self.value(shape, 2)
        name = self.target(shape)
        self.shared(value)
        self.line(f"{name} = {value}")
        self.bind(name, shape)

    def make(self) -> None:
        """An array that is the function's own."""
        shape = self.choose.one_of((VECTOR, VECTOR, MATRIX, (2,)))
        value = self.fresh(shape)
        name = self.target(shape)
        self.line(f"{name} = {value}")
        self.bind(name, shape, own=True)
        if name not in self.fixed and self.choose.below(2):  # read, and then written into
            total = self.target(())
            if total != name:
                self.line(f"{total} = np.sum({name} * {name})")
                self.bind(total, ())
                self.line(self.choose.one_of((f"{name} *= {self.number(0)}", f"{name}[0] = {name}[-1]",
                                              f"{name}[...] = np.cos({name})", f"{name} -= {total}")))

    def alias(self) -> None:
        """A second name for an array, or a name for a part of one."""
        arrays = [name for name, shape in self.scope.shapes.items() if shape]
        if not arrays:
            return self.assign()
        old = self.choose.one_of(arrays)
        shape = self.scope.shapes[old]
        views: list[tuple[str, Shape]] = [(old, shape), (f"{old}[::-1]", shape)]
        if shape[0] > 1:
            views += [(f"{old}[1:]", (shape[0] - 1, *shape[1:])), (f"{old}[0]", shape[1:]), (f"{old}[-1]", shape[1:])]
        if len(shape) == 2:
            views += [(f"{old}.T", shape[::-1]), (f"{old}[:, 1]", shape[:1])]
        text, part = self.choose.one_of(views)
        name = self.target(part)
        if part:
            self.scope.own.discard(old)
        self.line(f"{name} = {text}")
        self.bind(name, part)
        return None

    def augment(self) -> None:
        """``a += ...`` on a number."""
        numbers = [name for name, shape in self.scope.shapes.items() if shape == ()]
        if not numbers:
            return self.assign()
        name = self.choose.one_of(numbers)
        operator, operand = self.choose.one_of(("+", "-", "*", "/")), self.number(2)
        if operator == "/":
            operand = f"(1.5 + {operand} ** 2)"
        self.line(f"{name} {operator}= {operand}")
        return None

    def write(self) -> None:
        """``v += ...`` on an array of the function's own, or an argument."""
        own = sorted(self.scope.own)
        if not own:
            return self.make()
        name = self.choose.one_of(own)
        shape = self.scope.shapes[name]
        operator = self.choose.one_of(("+", "-", "*", "/", "**"))
        if self.choose.below(2):
            index, shape = self.part(shape)
            name += index
            operator = self.choose.one_of(("", "", operator))
        operand = self.value(self.choose.one_of((shape, shape, (), shape[-1:])), 2)
        if operator == "/":
            operand = f"(1.5 + {operand} ** 2)"
        elif operator == "**":
            operand = self.choose.one_of(("2", "3", "2.0"))
        self.line(f"{name} {operator}= {operand}")
        return None

    def part(self, shape: Shape) -> tuple[str, Shape]:
        """An index into an array, and the shape of what it picks."""
        size, rest = shape[0], shape[1:]
        parts = [("[0]", rest), ("[-1]", rest), ("[:]", shape), ("[::-1]", shape), ("[1:]", (size - 1, *rest)),
                 ("[:-1]", (size - 1, *rest)), *((f"[{counter} % {size}]", rest) for counter in self.scope.counters)]
        if rest:
            parts += [("[:, 0]", (size,)), ("[1, 1:]", (rest[0] - 1,)), ("[0, -1]", ())]
        return self.choose.one_of(parts)

    def accumulate(self) -> None:
        """A sum that starts as a number and becomes an array."""
        shape = self.choose.one_of((VECTOR, (2,)))
        name = self.target(shape)
        if name in self.fixed:
            return self.assign()
        self.line(f"{name} = {self.choose.one_of(('0.0', '0', '1.0'))}")
        self.scope.shapes.pop(name, None)
        self.scope.maybe.pop(name, None)
        counter = self.counter()
        self.line(f"for {counter} in range({self.choose.one_of((2, 3))}):")
        with self.deeper():
            outer = self.scope
            self.scope = outer.copy()
            self.scope.counters += (counter,)
            self.line(f"{name} {self.choose.one_of(('+=', '-=', f'= {name} +'))} {self.fresh(shape)}")
            self.scope = outer
        self.bind(name, shape)
        return None

    def unpack(self) -> None:
        shapes = [self.choose.one_of(((), (), VECTOR)) for _ in range(2)]
        values = [self.value(shape, 2) for shape in shapes]
        names = [self.target(shape) for shape in shapes]
        for value in values:
            self.shared(value)
        if names[0] == names[1]:
            return self.assign()
        self.line(f"{', '.join(names)} = {', '.join(values)}")
        for name, shape in zip(names, shapes):
            self.bind(name, shape)
        return None

    def swap(self) -> None:
        shape = self.choose.one_of(((), VECTOR))
        names = [name for name, found in self.scope.shapes.items() if found == shape]
        if len(names) < 2:
            return self.assign()
        first = self.choose.one_of(names)
        second = self.choose.one_of([name for name in names if name != first])
        self.scope.own -= {first, second}
        self.line(f"{first}, {second} = {second}, {first}")
        return None

    def call(self) -> None:
        several = [helper for helper in self.helpers if len(helper.results) > 1]
        if not several:
            return self.assign()
        helper = self.choose.one_of(several)
        text = self.call_of(helper, 1)
        names = [self.target(shape) for shape in helper.results]
        if len(set(names)) < len(names):
            return self.assign()
        self.shared(text)
        self.line(f"{', '.join(names)} = {text}")
        for name, shape in zip(names, helper.results):
            self.bind(name, shape)
        return None

    def effect(self) -> None:
        """A call on a line of its own, with arrays that have names."""
        if not self.helpers:
            return self.write()
        helper = self.choose.one_of(self.helpers)
        arguments = [self.value(shape, 1) if shape == () else self.atom(shape) or self.plain_array(shape)
                     for shape in helper.parameters]
        if helper.recursive:
            arguments.append("2")
        text = f"{helper.name}({', '.join(arguments)})"
        if self.choose.below(2) and len(helper.results) == 1:
            name = self.target(helper.results[0])
            self.shared(text)
            self.bind(name, helper.results[0])
            text = f"{name} = {text}"
        self.line(text)
        return None

    def shared(self, value: str) -> None:
        """An assigned expression may be (a view of) each array that it mentions."""
        self.scope.own -= set(IDENTIFIER.findall(value))

    def leave(self) -> bool:
        """``break``, ``continue`` or ``return``, most often under a test."""
        kinds = ["return"] + (["break", "continue"] * 2 if self.loops else [])
        kind = self.choose.one_of(kinds)
        text = f"return {self.result()}" if kind == "return" else kind
        if self.choose.once_in(6):
            self.line(text)
            return False
        self.line(f"if {self.test(1)}:")
        with self.deeper():
            self.line(text)
        return True

    def branch(self) -> bool:
        before = self.scope
        ends = []
        test = self.test(2)
        arms = self.choose.one_of((1, 2, 2, 3))
        for arm in range(arms):
            if arm == 0:
                self.line(f"if {test}:")
            elif arm == arms - 1:
                self.line("else:")
            else:
                self.line(f"elif {self.test(1)}:")
            self.scope = before.copy()
            with self.deeper():
                if self.block():
                    ends.append(self.scope)
        if arms == 1:
            ends.append(before)
        self.scope = _join(ends) if ends else before
        return bool(ends)

    def attempt(self) -> bool:
        """A ``try`` statement whose handler reads, most often, what the body does not change."""
        before, start = self.scope, len(self.lines)
        self.line("try:")
        self.scope = before.copy()
        with self.deeper():
            goes_on = self.choose.once_in(3) or self.block()
            if goes_on:
                shape = self.choose.one_of(((), (), VECTOR))
                value = f"checked({self.value(shape, 1)}, {self.choose.one_of(('0.3', '0.0', '1.0', '-0.4'))})"
                name = self.target(shape)
                self.shared(value)
                last = len(self.lines)
                self.line(f"{name} = {value}")
                self.bind(name, shape)
                if self.choose.once_in(3):
                    goes_on, last = self.block(), len(self.lines)
        body = self.lines[start:last if goes_on else len(self.lines)]
        after, ends = self.scope, []
        self.scope = before.copy()
        if self.choose.below(10):  # else it may be refused
            for identifier in {found for text in body for found in changed(text)}:
                self.scope.shapes.pop(identifier, None)
                self.scope.maybe.pop(identifier, None)
                self.scope.own.discard(identifier)
        self.scope.own.clear()  # there may be views of them now
        self.line(self.choose.one_of(("except Stop:", "except (Stop, KeyError) as error:", "except Exception:")))
        with self.deeper():
            if self.block():
                ends.append(self.scope)
        self.scope = after
        if goes_on and self.choose.once_in(3):
            self.line("else:")
            with self.deeper():
                goes_on = self.block()
        if goes_on:
            ends.append(self.scope)
        if self.choose.once_in(4):
            self.line("finally:")
            with self.deeper():
                self.line(self.choose.one_of(("pass", "math.sqrt(2.0)", "count = 1")))
        self.scope = _join(ends) if ends else before
        return bool(ends)

    def turns(self, bound: dict[str, Shape], counters: tuple[str, ...]) -> None:
        """The body of a loop whose targets are these, and what follows the loop."""
        before, fixed = self.scope, self.fixed
        inside = before.copy()
        self.fixed = fixed | set(before.shapes) | set(before.maybe)
        self.scope = inside
        for name, shape in bound.items():
            self.bind(name, shape)
        inside.counters += counters
        self.loops += 1
        with self.deeper():
            goes_on = self.block()
        self.loops -= 1
        self.fixed = fixed
        end = self.scope if goes_on else inside
        self.scope = _join([before, end])
        self.scope.counters = before.counters
        if self.choose.once_in(8):
            self.line("else:")
            with self.deeper():
                end = self.scope
                self.scope = end.copy()
                self.block()
                self.scope = _join([end, self.scope])

    def counter(self) -> str:
        self.counted += 1
        return f"i{self.counted}"

    def count(self) -> None:
        counter = self.counter()
        numbers = self.choose.one_of(("range(2)", "range(3)", "range(1, 4)", "reversed(range(3))", "range(2, 0, -1)",
                                      "range(0)"))
        self.line(f"for {counter} in {numbers}:")
        self.turns({}, (counter,))

    def iterate(self) -> None:
        """A loop over the items of arrays."""
        kind = self.choose.one_of(("vector", "rows", "enumerate", "zip", "reversed", "enumerated zip", "literal"))
        names = [name for name in (*NUMBER_NAMES, "e") if name not in self.fixed and name not in self.scope.shapes
                 and name not in self.scope.maybe]
        rows = [name for name in (*ARRAY_NAMES, "row") if name not in self.fixed and name not in self.scope.shapes
                and name not in self.scope.maybe]
        if len(names) < 2 or not rows:
            return self.assign()
        first, second, row, counter = names[0], names[1], rows[0], self.counter()
        if kind == "vector":
            self.line(f"for {first} in {self.array(VECTOR, 1)}:")
            self.turns({first: ()}, ())
        elif kind == "rows":
            self.line(f"for {row} in {self.array(MATRIX, 1)}:")
            self.turns({row: VECTOR}, ())
        elif kind == "enumerate":
            self.line(f"for {counter}, {first} in enumerate({self.array(VECTOR, 1)}):")
            self.turns({first: ()}, (counter,))
        elif kind == "zip":
            self.line(f"for {first}, {row} in zip({self.array((2,), 1)}, {self.array(MATRIX, 1)}):")
            self.turns({first: (), row: VECTOR}, ())
        elif kind == "reversed":
            self.line(f"for {first} in reversed({self.array(VECTOR, 1)}):")
            self.turns({first: ()}, ())
        elif kind == "enumerated zip":
            self.line(f"for {counter}, ({first}, {second}) in enumerate(zip({self.array(VECTOR, 1)}, "
                      f"{self.array(VECTOR, 1)})):")
            self.turns({first: (), second: ()}, (counter,))
        else:
            self.line(f"for {first} in ({self.number(1)}, {self.number(1)}):")
            self.turns({first: ()}, ())
        return None

    def repeat(self) -> None:
        """A ``while`` that ends by its counter at the latest."""
        counter = self.counter()
        bound = self.choose.one_of((2, 3, 4))
        self.line(f"{counter} = 0")
        kind = self.choose.below(3)
        if kind == 0:
            self.line(f"while {counter} < {bound}:")
        elif kind == 1:
            self.line(f"while {counter} < {bound} and {self.test(1)}:")
        else:
            self.line("while True:")
        with self.deeper():
            self.line(f"{counter} += 1")
            if kind == 2:
                self.line(f"if {counter} > {bound}:")
                with self.deeper():
                    self.line(self.choose.one_of(("break", f"return {self.result()}")))
        self.turns({}, (counter,))

    def result(self) -> str:
        if self.results == ((),):
            return " + ".join(self.term() for _ in range(self.choose.one_of((1, 2, 3))))
        return ", ".join(self.value(shape, 2) for shape in self.results)

    def term(self) -> str:
        """A part of a result: most often of a name, so that what a program computes matters."""
        names = list(self.scope.shapes)
        if not names or self.choose.once_in(3):
            return f"1.0 * {self.number(2)}"  # a number may be an integer, or a constant
        name = self.choose.one_of(names[::-1])
        if self.scope.shapes[name]:
            return self.choose.one_of((f"{name}.sum()", f"({name} * {name}).sum()", f"np.sin({name}).sum()"))
        return f"1.0 * {name}"

    # ---------------------------------------------------------------------------- expressions

    def test(self, depth: int) -> str:
        kind = self.choose.below(10)
        if kind < 4 or depth <= 0:
            return f"{self.number(1)} {self.choose.one_of(('<', '>', '<=', '>='))} {self.number(0)}"
        if kind == 4 and self.scope.counters:
            relation = self.choose.one_of(("== 1", "> 0", "% 2 == 0", "!= 2"))
            return f"{self.choose.one_of(self.scope.counters)} {relation}"
        if kind == 5:
            return f"not {self.test(0)}"
        if kind == 6:
            return f"({self.array(VECTOR, 0)} > {self.number(0)}).{self.choose.one_of(('any', 'all'))}()"
        if kind == 7:
            return f"{self.number(0)} < {self.number(0)} < {self.number(0)}"
        return f"({self.test(depth - 1)} {self.choose.one_of(('and', 'or'))} {self.test(depth - 1)})"

    def value(self, shape: Shape, depth: int) -> str:
        return self.number(depth) if shape == () else self.array(shape, depth)

    def atom(self, shape: Shape) -> str | None:
        """A name of that shape; seldom one that may be unbound."""
        names = [name for name, found in self.scope.shapes.items() if found == shape]
        unsure = [name for name, found in self.scope.maybe.items() if found == shape]
        if unsure and (not names or self.choose.once_in(4)):
            names = unsure
        return self.choose.one_of(names[::-1]) if names else None

    def number(self, depth: int) -> str:
        if depth <= 0:
            kind = self.choose.below(6)
            if kind == 4:
                return self.choose.one_of(CONSTANTS)
            if kind == 5:
                return self.element()
            return self.atom(()) or self.element()
        kind = self.choose.below(16)
        if kind < 4:
            return self.number(0)
        if kind < 7:
            first, second = self.number(depth - 1), self.number(depth - 1)
            return self.binary(first, second)
        if kind == 7:
            function = self.choose.one_of(("np.sin", "np.tanh", "math.sin", "np.cos", "abs", "math.atan", "np.arctan"))
            return f"{function}({self.number(depth - 1)})"
        if kind == 8:
            return f"({self.number(depth - 1)} if {self.test(0)} else {self.number(depth - 1)})"
        if kind == 9:
            function = self.choose.one_of(("max", "min", "np.maximum", "np.minimum", "np.arctan2", "math.hypot"))
            second = self.number(depth - 1)
            if function in ("np.arctan2", "math.hypot"):
                second = f"(1.5 + {second} ** 2)"
            return f"{function}({self.number(depth - 1)}, {second})"
        if kind in (10, 11):
            array = self.array(self.choose.one_of((VECTOR, MATRIX, (2,))), depth - 1)
            return self.choose.one_of((f"{array}.sum()", f"np.sum({array})", f"{array}.mean()", f"np.max({array})",
                                       f"{array}.min()", f"np.prod({array})", f"np.var({array})",
                                       f"np.linalg.norm({array} + 2.0)"))
        if kind == 12:
            shape = self.choose.one_of((VECTOR, (2,)))
            first, second = self.array(shape, depth - 1), self.array(shape, depth - 1)
            return self.choose.one_of((f"({first} @ {second})", f"np.dot({first}, {second})"))
        if kind == 13:
            return self.call_for(((),), depth) or self.element()
        if kind == 14:
            first, second = self.number(depth - 1), self.number(depth - 1)
            return f"({first} {self.choose.one_of(('and', 'or'))} {second})"
        return self.power(self.number(depth - 1))

    def element(self) -> str:
        shape = self.choose.one_of((VECTOR, MATRIX, (2,)))
        name = self.atom(shape)
        if name is None:
            return self.atom(()) or self.choose.one_of(CONSTANTS)
        if len(shape) == 2:
            return f"{name}[{self.choose.one_of(('0', '1', '-1'))}, {self.choose.one_of(('0', '-1'))}]"
        places = ["0", "1", "-1", *self.scope.counters]
        return f"{name}[{self.choose.one_of(places)}]"

    def power(self, base: str) -> str:
        return f"{base if base.isidentifier() else f'({base})'} ** {self.choose.one_of(('2', '3', '2.0'))}"

    def binary(self, first: str, second: str) -> str:
        operator = self.choose.one_of(("*", "+", "-", "*", "/", "counter"))
        if operator == "/":
            return f"({first} / (1.5 + {second} ** 2))" if self.choose.below(2) else f"({first} / 1.7)"
        if operator == "counter" and self.scope.counters:
            return f"({first} * {self.choose.one_of(self.scope.counters)})"
        return f"({first} {'*' if operator == 'counter' else operator} {second})"

    def call_for(self, results: tuple[Shape, ...], depth: int) -> str | None:
        fitting = [helper for helper in self.helpers if helper.results == results]
        return self.call_of(self.choose.one_of(fitting), depth - 1) if fitting else None

    def call_of(self, helper: Helper, depth: int) -> str:
        arguments = [self.value(shape, depth) for shape in helper.parameters]
        if helper.recursive:
            arguments.append(self.choose.one_of(("2", "1", "3", *self.scope.counters)))
        return f"{helper.name}({', '.join(arguments)})"

    def fresh(self, shape: Shape) -> str:
        """An expression that makes a new array."""
        kind = self.choose.below(12)
        old = self.array(shape, 1)
        if kind > 7:  # what the adjoint reads of these is their own value
            value = (kind == 11 and self.call_for((shape,), 1)) or f"np.tanh({old})"
            return self.choose.one_of((value, f"{value}[:]", f"np.asarray({value})", f"{value}.T.T"))
        if kind < 3:
            return f"{old} * {self.choose.one_of(('1.0', self.number(0)))}"
        if kind == 3:
            return f"{old} + {self.value(self.choose.one_of((shape, ())), 1)}"
        if kind == 4:
            return f"np.zeros({shape if len(shape) > 1 else shape[0]})"
        if kind == 5:
            return f"np.sin({old})"
        if kind == 6:
            return f"{old}.copy()"
        return f"np.ones({shape if len(shape) > 1 else shape[0]}) * {self.number(0)}"

    def array(self, shape: Shape, depth: int) -> str:
        """An array of one or two axes."""
        if depth <= 0:
            return self.atom(shape) or self.plain_array(shape)
        kind = self.choose.below(14)
        if kind < 4:
            return self.array(shape, 0)
        if kind < 7:
            other = self.choose.one_of((shape, (), shape[-1:]))
            first, second = self.array(shape, depth - 1), self.value(other, depth - 1)
            return self.binary(first, second) if self.choose.below(3) else self.binary(second, first)
        if kind == 7:
            function = self.choose.one_of(("np.sin", "np.tanh", "np.abs", "np.cos", "-", "np.square"))
            return f"{function}({self.array(shape, depth - 1)})"
        if kind == 8:
            first, second = self.array(shape, depth - 1), self.value(self.choose.one_of((shape, ())), depth - 1)
            test = f"{self.array(shape, 0)} > {self.number(0)}"
            return self.choose.one_of((f"np.where({test}, {first}, {second})", f"np.maximum({first}, {second})",
                                       f"np.minimum({first}, {second})"))
        if kind == 9:
            return f"({self.array(shape, depth - 1)} if {self.test(0)} else {self.array(shape, depth - 1)})"
        if kind == 10:
            return self.call_for((shape,), depth) or self.plain_array(shape)
        return self.vector(shape[0], depth) if len(shape) == 1 else self.matrix(shape, depth)

    def vector(self, length: int, depth: int) -> str:
        """A vector made of something that is not of its shape."""
        kind = self.choose.below(11)
        shape = (length,)
        if kind < 2 and length < LONGEST:
            return f"{self.array((length + 1,), depth - 1)}{self.choose.one_of(('[1:]', '[:-1]'))}"
        if kind == 2:
            return f"{self.array(shape, depth - 1)}[::-1]"
        if kind == 3:
            first = self.array((length - 1,), depth - 1) if length > 1 else "np.zeros(0)"
            return f"np.concatenate(({first}, np.array([{self.number(depth - 1)}])))"
        if kind == 4:
            return f"np.stack([{', '.join(self.number(depth - 1) for _ in range(length))}])"
        if kind == 5:
            rows = self.choose.one_of((2, 3))
            part = self.choose.one_of(("[0]", "[1]", ".sum(axis=0)", "[-1]"))
            return f"{self.array((rows, length), depth - 1)}{part}"
        if kind == 6:
            columns = self.choose.one_of((2, 3))
            matrix = self.array((length, columns), depth - 1)
            return self.choose.one_of((f"({matrix} @ {self.array((columns,), depth - 1)})", f"{matrix}.mean(axis=1)",
                                       f"{matrix}[:, 1]", f"np.max({matrix}, axis=1)"))
        if kind == 7:
            rows = self.choose.one_of((2, 3))
            return f"({self.array((rows,), depth - 1)} @ {self.array((rows, length), depth - 1)})"
        if kind == 8:
            return f"np.cumsum({self.array(shape, depth - 1)})"
        if kind == 9 and length % 2 == 0:
            return f"np.ravel({self.array((2, length // 2), depth - 1)})"
        return self.plain_array(shape)

    def matrix(self, shape: Shape, depth: int) -> str:
        kind = self.choose.below(8)
        rows, columns = shape
        if kind < 2:
            return f"({self.array((rows,), depth - 1)}[:, None] * {self.array((columns,), depth - 1)})"
        if kind == 2:
            return f"{self.array((columns, rows), depth - 1)}.T"
        if kind == 3:
            return f"np.outer({self.array((rows,), depth - 1)}, {self.array((columns,), depth - 1)})"
        if kind == 4:
            inner = self.choose.one_of((2, 3))
            return f"({self.array((rows, inner), depth - 1)} @ {self.array((inner, columns), depth - 1)})"
        if kind == 5:
            return f"np.stack([{', '.join(self.array((columns,), depth - 1) for _ in range(rows))}])"
        if kind == 6 and rows * columns <= LONGEST:
            return f"{self.array((rows * columns,), depth - 1)}.reshape({rows}, {columns})"
        return f"({self.array((columns,), depth - 1)} + {self.array((rows,), depth - 1)}[:, None])"

    def plain_array(self, shape: Shape) -> str:
        """An array of numbers."""
        if len(shape) == 2:
            return f"np.outer({self.array(shape[:1], 0)}, {self.array(shape[1:], 0)})"
        if self.choose.once_in(3):
            return f"({self.number(0)} * np.ones({shape[0]}))"
        return f"np.array([{', '.join(self.number(0) for _ in range(shape[0]))}])"


def changed(line: str) -> set[str]:
    """The names that a line may bind, or into whose arrays it may write."""
    targets, equals, value = line.partition(" = ")
    if not equals:
        targets, equals, value = line.partition("= ")
    return set(IDENTIFIER.findall(targets if equals and not re.search(r"\b[hk]\(", value) else line))


def _join(scopes: list[Scope]) -> Scope:
    """What is known behind branches that end with these scopes."""
    first, *rest = scopes
    known: dict[str, list[Shape]] = {}
    for scope in scopes:
        for name, shape in (*scope.maybe.items(), *scope.shapes.items()):
            known.setdefault(name, []).append(shape)
    result = Scope(counters=first.counters)
    for name, shapes in known.items():
        if len(set(shapes)) > 1:
            continue  # of another shape on each path
        if all(name in scope.shapes for scope in scopes):
            result.shapes[name] = shapes[0]
        else:
            result.maybe[name] = shapes[0]
    result.own = set.intersection(first.own, *(scope.own for scope in rest)) & set(result.shapes)
    return result
