"""Functions that read from outside what other code changes while they run: properties, special methods, helpers,
counters. Value, state and derivatives are those of plain Python, in both modes and of second order, or the program is
refused."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from test_random_programs import compiled

import s2sgrad
from s2sgrad import entry
from s2sgrad.errors import UnsupportedError

CLASS = "class Thing:\n    def __init__(self):\n        self.n = 1\n\n    {}\n\n\nthing = Thing()\n"
COUNTS = "        self.n += 1\n        return 2.0"


def method(header: str, result: str = "2.0") -> str:
    return CLASS.format(f"def {header}:\n        self.n += 1\n        return {result}")


DEVICES = {
    "property": (CLASS.format(f"@property\n    def ticks(self):\n{COUNTS}"), "thing.n", "thing.ticks"),
    "property that gives what it counts": (
        CLASS.format("@property\n    def ticks(self):\n        self.n += 1\n        return self.n"),
        "thing.n", "thing.ticks"),
    "property by a method": (
        CLASS.format("def advance(self):\n        self.n = 2 * self.n\n\n    @property\n    def ticks(self):\n"
                     "        self.advance()\n        return 2.0"), "thing.n", "thing.ticks"),
    "cached property": (
        "import functools\n" + CLASS.format(f"@functools.cached_property\n    def ticks(self):\n{COUNTS}"),
        "thing.n", "thing.ticks"),
    "descriptor": (
        "class Ticks:\n    def __get__(self, thing, kind=None):\n        thing.n += 1\n        return 2.0\n\n\n"
        + CLASS.format("ticks = Ticks()"), "thing.n", "thing.ticks"),
    "attribute that is missing": (method("__getattr__(self, name)"), "thing.n", "thing.ticks"),
    "attribute of what is called": (
        CLASS.format(f"def __getattr__(self, name):\n{COUNTS}\n\n    def __call__(self):\n        return 2.0"),
        "thing.n", "thing()"),
    "property that changes a global": (
        "N = 1\n"
        + CLASS.format("@property\n    def ticks(self):\n        global N\n        N += 1\n        return 2.0"),
        "N", "thing.ticks"),
    "property of a global that a helper reads": (
        CLASS.format(f"@property\n    def ticks(self):\n{COUNTS}") + "def ticks():\n    return thing.ticks\n",
        "thing.n", "ticks()"),
    "length": (method("__len__(self)", "2"), "thing.n", "len(thing)"),
    "hash of a key": (method("__hash__(self)", "1") + "TABLE = {thing: 2.0}\n", "thing.n", "TABLE.get(thing, 3.0)"),
    "hash of a key in a tuple": (method("__hash__(self)", "1") + "TABLE = {(1, thing): 2.0}\n", "thing.n",
                                 "TABLE.get((1, thing), 3.0)"),
    "hash of what is called": (
        CLASS.format("def __hash__(self):\n        self.n += 1\n        return 1\n\n    def __call__(self):\n"
                     f"{COUNTS}"), "thing.n", "thing()"),
    "truth": (method("__bool__(self)", "True"), "thing.n", "(2.0 if thing else 3.0)"),
    "membership": (method("__contains__(self, item)", "True"), "thing.n", "(2.0 if 3 in thing else 3.0)"),
    "item": (method("__getitem__(self, index)"), "thing.n", "thing[0]"),
    "iteration": (method("__iter__(self)", "iter([1.0, 2.0])"), "thing.n", "sum(v for v in thing)"),
    "comparison": (method("__lt__(self, other)", "True"), "thing.n", "(2.0 if thing < 3 else 3.0)"),
    "operator": (method("__neg__(self)"), "thing.n", "-thing"),
    "operator of the other side": (method("__rmul__(self, other)"), "thing.n", "(3.0 * thing)"),
    "conversion": (method("__float__(self)"), "thing.n", "float(thing)"),
    "text": (method("__str__(self)", "'four'"), "thing.n", "len(f'{thing}')"),
    "method in a helper": (CLASS.format(f"def advance(self):\n{COUNTS}") + "def tick():\n    return thing.advance()\n",
                           "thing.n", "tick()"),
    "iteration by a function": (method("__iter__(self)", "iter([1.0, 2.0])"), "thing.n", "sum(thing)"),
    "array of an object": (method("__array__(self, dtype=None, copy=None)", "np.array(2.0)"), "thing.n",
                           "np.sin(thing)"),
    "object made in the call": ("N = [1]\n\n\nclass Thing:\n    def __bool__(self):\n        N[0] += 1\n"
                                "        return True\n", "N[0]", "(2.0 if Thing() else 3.0)"),
    "object that is made": ("N = [1]\n\n\nclass Thing:\n    def __new__(cls):\n        N[0] += 1\n"
                            "        return object.__new__(cls)\n", "N[0]", "(2.0 if Thing() else 3.0)"),
    "cached property of one made in a helper": (
        "import functools\n\nN = [1]\n\n\nclass Thing:\n    @functools.cached_property\n    def ticks(self):\n"
        "        N[0] += 1\n        return 2.0\n\n\nclass Other(Thing):\n    pass\n\n\ndef tick():\n"
        "    return Other().ticks\n", "N[0]", "tick()"),
    "object in an object": (
        CLASS.format("pass") + "class Other:\n    def __init__(self):\n        self.thing = thing\n\n"
        "    def go(self):\n        self.thing.n += 1\n\n\nother = Other()\n\n\n"
        "def tick():\n    other.go()\n    return 2.0\n", "other.thing.n", "tick()"),
    "attribute of a class": ("class Thing:\n    n = 1\n\n\nthing = Thing()\n\n\n"
                             "def tick():\n    Thing.n += 1\n    return 2.0\n", "thing.n", "tick()"),
    "attribute of a module": ("import types\n\nconfig = types.ModuleType('config')\nconfig.n = 1\n\n\n"
                              "def tick():\n    config.n += 1\n    return 2.0\n", "config.n", "tick()"),
    "attribute of a function": ("def tick():\n    tick.n += 1\n    return 2.0\n\n\ntick.n = 1\n", "tick.n", "tick()"),
    "list": ("N = [1]\n\n\ndef tick():\n    N[0] += 1\n    return 2.0\n", "N[0]", "tick()"),
    "length of a list": ("N = [1]\n\n\ndef tick():\n    N.append(1)\n    return 2.0\n", "len(N)", "tick()"),
    "dict": ("N = {'n': 1}\n\n\ndef tick():\n    N['n'] += 1\n    return 2.0\n", "N['n']", "tick()"),
    "list by another name": ("N = [1]\nM = N\n\n\ndef tick():\n    n = M\n    n[0] += 1\n    return 2.0\n", "N[0]",
                             "tick()"),
    "list that a function gives": ("N = [1]\n\n\ndef get():\n    return N\n\n\n"
                                   "def tick():\n    get()[0] += 1\n    return 2.0\n", "N[0]", "tick()"),
    "default": ("N = [1]\n\n\ndef tick(n=N):\n    n[0] += 1\n    return 2.0\n", "N[0]", "tick()"),
    "default by name": ("N = [1]\n\n\ndef tick(*, n=N):\n    n[0] += 1\n    return 2.0\n", "N[0]", "tick()"),
    "array": ("N = np.array([1.0, 2.0])\n\n\ndef tick():\n    N[0] += 1\n    return 2.0\n", "N[0]", "tick()"),
    "whole array": ("N = np.array([1.0, 2.0])\n\n\ndef tick():\n    N[:] = 2 * N\n    return 2.0\n", "np.sum(N)",
                    "tick()"),
    "view": ("N = np.array([1.0, 2.0])\nM = N[:1]\n\n\ndef tick():\n    M[0] += 1\n    return 2.0\n", "N[0]", "tick()"),
    "global": ("N = 1\n\n\ndef tick():\n    global N\n    N += 1\n    return 2.0\n", "N", "tick()"),
    "global by its dict": ("N = 1\n\n\ndef tick():\n    globals()['N'] = N + 1\n    return 2.0\n", "N", "tick()"),
    "global that another reads": ("N = 1\n\n\ndef tick():\n    global N\n    N += 1\n    return 2.0\n\n\n"
                                  "def get():\n    return N + 1\n", "get()", "tick()"),
    "array that another gives": ("N = np.array([1.0, 2.0])\n\n\ndef tick():\n    N[:] = 2 * N\n    return 2.0\n\n\n"
                                 "def get():\n    return N * 1.0\n", "np.sum(get())", "tick()"),
    "generator": ("N = 1\n\n\ndef ticks():\n    global N\n    while True:\n        N += 1\n        yield 2.0\n\n\n"
                  "ticking = ticks()\n", "N", "next(ticking)"),
    "key of sorted": ("N = [1]\n\n\ndef key(v):\n    N[0] += 1\n    return -v\n", "N[0]",
                      "sorted([1.0, 2.0], key=key)[0]"),
    "gradient": ("N = [1]\n\n\ndef cube(v):\n    N[0] += 1\n    return v ** 3\n\n\nimport s2sgrad\n"
                 "slope = s2sgrad.grad(cube)\n", "N[0]", "slope(2.0)"),
    "comprehension": ("N = [1]\n\n\ndef tick(k):\n    N[0] += k\n    return 2.0 * k\n", "N[0]",
                      "sum([tick(k) for k in (1, 2)])"),
    "decorator": ("def counted(function):\n    def call(*args):\n        call.n += 1\n        return function(*args)\n"
                  "    call.n = 1\n    return call\n\n\n@counted\ndef tick():\n    return 2.0\n", "tick.n", "tick()"),
}
"""What reads something, and what else changes that: definitions, an expression that reads it, one that changes it."""
BODIES = (
    "a = READ * x[0]\n    k = CALL\n    return np.sin(a + x[1]) * k + READ * x[1] ** 2",
    "return np.sin(x[0] * READ) * CALL * READ * x[1] + READ",
    "y = x[0]\n    for _ in range(3):\n        y = np.sin(y * READ) + CALL * x[1]\n    return y * READ",
    "y = x[0] * READ * x[1]\n    if CALL > 1.0:\n        y = np.sin(y * x[0])\n    return y * READ * x[0]",
    "a = READ\n    y = a * x[0]\n    CALL\n    b = READ\n    return np.sin(y * a) * b * x[1] ** 2 + CALL * a",
)
PROGRAMS = {f"{label}, {index}": (setup, read, body.replace("READ", read).replace("CALL", call))
            for (label, (setup, read, call)), (index, body) in itertools.product(DEVICES.items(), enumerate(BODIES))}
REFUSED = {"object in an object, 4", "default, 0", "default, 4", "default by name, 0", "default by name, 4"}
POINT, DIRECTION = np.array([0.5, 1.2]), np.array([0.7, -0.4])


def run(label: str, call: Any) -> Any:
    """What a call with the program gives, in a module of its own, and the state that it leaves."""
    setup, read, body = PROGRAMS[label]
    text = f"import numpy as np\n\n\n{setup}\n\ndef f(x):\n    {body}\n\n\ndef state():\n    return {read}\n"
    with compiled(text) as f:
        return call(f), f.__globals__["state"]()


@pytest.mark.parametrize("label", PROGRAMS)
def test_changed_outside(label: str) -> None:
    value, state = run(label, lambda f: f(POINT))
    ends = [run(label, lambda f, step=step: f(POINT + step))[0] for step in (1e-6 * np.array(
        [[1, 0], [-1, 0], [0, 1], [0, -1], DIRECTION, -DIRECTION]))]
    expected = [(ends[0] - ends[1]) / 2e-6, (ends[2] - ends[3]) / 2e-6]
    try:
        (same, gradient), after = run(label, lambda f: s2sgrad.value_and_grad(f)(POINT))
    except UnsupportedError:
        assert label in REFUSED
        return
    assert (same, after) == (value, state)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)
    (same, tangent), after = run(label, lambda f: s2sgrad.jvp(f, (POINT,), (DIRECTION,)))
    assert (same, after) == (value, state)
    np.testing.assert_allclose(tangent, (ends[4] - ends[5]) / 2e-6, rtol=1e-5, atol=1e-6)
    kept, after = run(label, lambda f: s2sgrad.vjp(f, POINT)[1](1.0)[0])
    np.testing.assert_allclose(kept, gradient)
    slopes = [run(label, lambda f, end=end: s2sgrad.grad(f)(end))[0] for end in (
        POINT + 1e-5 * DIRECTION, POINT - 1e-5 * DIRECTION)]
    try:
        (_, second), after = run(label, lambda f: s2sgrad.jvp(s2sgrad.grad(f), (POINT,), (DIRECTION,)))
    except UnsupportedError:
        assert "default" in label
        return
    assert after == state
    np.testing.assert_allclose(second, (slopes[0] - slopes[1]) / 2e-5, rtol=1e-4, atol=1e-5)


N = [1]


class Ticking:
    """An object that a call is given, and of which nobody knows what it does."""

    def __bool__(self):
        N[0] += 1
        return True

    @s2sgrad.differentiable
    def tick(self):
        N[0] += 1
        return 2.0


class Holder:
    def __init__(self, x, ticking):
        self.x = x
        self.ticking = ticking


def asks_of_one(holder):
    return asks_first(holder.x, [holder])


def asks_of_items(items):
    return asks_first(items["x"], [items["clock"]])


@pytest.mark.parametrize("function, given, gradient_of", [
    (asks_of_one, lambda: Holder(POINT, Ticking()), lambda found: found.x),
    (asks_of_items, lambda: {"x": POINT, "clock": Clock()}, lambda found: found["x"])])
def test_objects_beside_what_is_differentiated_change_what_is_outside(
        function: Any, given: Any, gradient_of: Any) -> None:
    N[0] = 1
    np.testing.assert_array_equal(gradient_of(s2sgrad.grad(function)(given())), [7.0, 7.0])
    assert N[0] == 3


class Clock:
    __slots__ = ("ticking",)

    def __init__(self):
        self.ticking = Ticking()


def asks(x, ticking):
    y = np.sum(x * N[0])
    return y * (2.0 if ticking else 3.0) * ticking.tick() + np.sum(x * N[0])


def asks_clock(x, clock):
    return asks(x, clock.ticking)


def asks_first(x, clocks):
    return asks_clock(x, clocks[0])


@pytest.mark.parametrize("function, given", [
    (asks, Ticking()), (asks_clock, Clock()), (asks_first, [Clock(), Clock()])])
def test_objects_that_are_given_change_what_is_outside(function: Any, given: Any) -> None:
    N[0] = 1
    expected = function(POINT, given), N[0]
    N[0] = 1
    value, gradient = s2sgrad.value_and_grad(function)(POINT, given)
    assert (value, N[0]) == expected
    np.testing.assert_array_equal(gradient, [7.0, 7.0])


class Counted:
    n = 1.0


def counting() -> float:
    Counted.n += 1.0
    return 2.0


def test_what_a_statement_writes_twice_and_changes_between() -> None:
    def function(x):
        return (Counted.n * x[0]) * counting() * (Counted.n * x[0]) + np.exp(Counted.n * x[1]) * counting() * np.exp(
            Counted.n * x[1])

    def at(x):
        Counted.n = 1.0
        return function(x)

    x = np.array([0.3, 0.2])
    steps = 1e-6 * np.eye(2)
    expected = [(at(x + step) - at(x - step)) / 2e-6 for step in steps]
    Counted.n = 1.0
    np.testing.assert_allclose(s2sgrad.grad(function)(x), expected, rtol=1e-5)


WRITES = (
    "np.copyto(TABLE, VALUE)", "np.sin(VALUE, out=TABLE)", "np.add(TABLE, VALUE, TABLE)",
    "np.cumsum(VALUE, 0, None, TABLE)", "TABLE.fill(np.sum(VALUE))", "TABLE.sort()",
    "np.add.at(TABLE, [0, 0], np.sum(VALUE))", "TABLE.put([0], np.sum(VALUE))",
    "TABLE.__setitem__(0, np.sum(VALUE))", "operator.iadd(TABLE, VALUE)", "np.ndarray.fill(TABLE, np.sum(VALUE))",
    "put(VALUE)", "fill(np.sum(VALUE))", "def write(v):\n        np.copyto(TABLE, v)\n    write(VALUE)",
    "def write():\n        TABLE[0] = np.sum(VALUE)\n    write()", "for table in (TABLE,):\n        table += VALUE",
    "for table in [TABLE]:\n        table[0] = np.sum(VALUE)", "(lambda: TABLE)()[0] = np.sum(VALUE)",
    "table = [TABLE] * 2\n    table[0] += VALUE", "list(map(lambda v: TABLE.fill(v), VALUE))",
    "[fill(v) for v in VALUE]", "functools.reduce(operator.iadd, [TABLE, VALUE])",
    "write = np.copyto\n    write(TABLE, VALUE)", "(lambda table=TABLE: table.fill(np.sum(VALUE)))()",
    "np.trace(np.diag(VALUE), out=TABLE[:1].reshape(()))", "import numpy\n    numpy.copyto(TABLE, VALUE)",
    "np.copyto(**dict(dst=TABLE, src=VALUE))", "[write(TABLE, VALUE) for write in (np.copyto,)]",
    "[write(TABLE, VALUE) for write in (operator.iadd,)]",
)
"""Writes into an array outside."""
ROUND_WRITES = """import bisect
import functools
import heapq
import operator

import numpy as np

TABLE = np.array([0.5, 0.4])
RATES = np.array([0.3, 0.7])
put = functools.partial(np.copyto, TABLE)
fill = TABLE.fill


def change(x=None):
    CHANGE


def f(x):
    y = np.sum(np.sin(x) * TABLE)
    WRITE
    return y * np.sum(x * TABLE)
"""


WRITES_TO_LISTS = (
    "for table in (TABLE,):\n        table[0] = VALUE[0]", "for table in [TABLE] * 1:\n        table[0] = VALUE[0]",
    "for table in [TABLE for _ in (1,)]:\n        table.append(VALUE[0])", "heapq.heappush(TABLE, VALUE[0])",
    "for table, _ in [(TABLE, 1)]:\n        table.append(VALUE[0])", "bisect.insort(TABLE, VALUE[0])",
    "def write(v):\n        TABLE.append(v)\n    [write(v) for v in VALUE]", "list.append(TABLE, VALUE[0])",
)
"""Writes into a list outside."""


@pytest.mark.parametrize("inside", [False, True], ids=["there", "in a helper"])
@pytest.mark.parametrize("value", ["RATES", "x"])
def test_arrays_outside_that_are_written_into(value: str, inside: bool) -> None:
    refused = 0
    for write in (*WRITES, *WRITES_TO_LISTS):
        text = ROUND_WRITES if write in WRITES else ROUND_WRITES.replace("np.array([0.5, 0.4])", "[0.5, 0.4]").replace(
            "* TABLE", "* TABLE[0] * TABLE[-1]").replace("fill =", "fill = None  # ").replace("put =", "put = None  # ")
        write = write.replace("VALUE", value)
        text = text.replace("CHANGE", write if inside else "pass").replace(
            "WRITE", f"change({value.replace('RATES', '')})" if inside else write)
        with compiled(text) as f:
            def begun(call: Any) -> Any:
                f.__globals__["TABLE"][:] = [0.5, 0.4]
                return call(), list(f.__globals__["TABLE"])
            value_and_state = begun(lambda: f(POINT))
            ends = [begun(lambda step=step: f(POINT + step * DIRECTION))[0] for step in (1e-6, -1e-6)]
            try:
                (found, gradient), state = begun(lambda: s2sgrad.value_and_grad(f)(POINT))
                (_, tangent), _ = begun(lambda: s2sgrad.jvp(f, (POINT,), (DIRECTION,)))
            except UnsupportedError:
                refused += 1
                continue
        assert (found, state) == value_and_state, write
        expected = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose((gradient @ DIRECTION, tangent), expected, rtol=1e-5, err_msg=write)
    assert refused < len(WRITES) + len(WRITES_TO_LISTS) or value == "x"


NOT_THERE_BEFORE = {
    "method of an object": ("MODEL = Model()", "MODEL.keep(x)", "MODEL.last"),
    "method of an object in another": ("MODEL = Model()\nMODEL.inner = Model()", "MODEL.inner.keep(x)",
                                       "MODEL.inner.last"),
    "under another name": ("MODEL = Model()", "m = MODEL; m.keep(x)", "m.last"),
    "asked for by its name": ("MODEL = Model()", "MODEL.keep(x)", "getattr(MODEL, 'last', 1.0)"),
    "attribute of a class": ("", "Model.last = x", "Model.last"),
    "attribute of a class that is derived": ("class Other(Model):\n    pass", "Model.last = x", "Other.last"),
    "attribute of a namespace": ("import types\nSPACE = types.SimpleNamespace()", "SPACE.last = x", "SPACE.last"),
    "member of an enumeration": ("import enum\nclass Kind(enum.Enum):\n    A = 1\n    keep = Model.keep",
                                 "Kind.A.keep(x)", "Kind.A.last"),
    "global of a module": ("import types\nSETTINGS = types.ModuleType('settings')", "SETTINGS.last = x",
                           "SETTINGS.last"),
    "global": ("def keep(x):\n    global last\n    last = x", "keep(x)", "last"),
}


@pytest.mark.parametrize("device", NOT_THERE_BEFORE)
def test_what_is_stored_where_nothing_was_before_is_seen(device: str) -> None:
    before, store, read = NOT_THERE_BEFORE[device]
    text = f"class Model:\n    def keep(self, x):\n        self.last = x\n\n\n{before}\n\n\ndef f(x):\n    {store}\n" \
           f"    return {read} * x\n"
    with compiled(text) as f:
        for derivative in (s2sgrad.grad(f), lambda x: s2sgrad.jvp(f, (x,), (1.0,))[1]):
            try:
                assert derivative(3.0) == 6.0, device
            except UnsupportedError as error:
                assert error.location is not None, device


class Counter:
    def __init__(self) -> None:
        self.count = 1

    def up(self) -> None:
        self.count += 1


def counted_by(counter: Any, v: Any) -> Any:
    counter.up()
    return v * v * counter.count


def read_around_a_call(x: Any, counter: Any) -> Any:
    first = x[0] * counter.count - 2.0 * counted_by(counter, x[1]) + x[2] * counter.count
    listed = [x[0] * counter.count, counted_by(counter, x[1]), x[2] * counter.count]
    return first + sum(listed) * (2.0 if x[0] * counter.count < counted_by(counter, x[1]) else x[1])


def test_what_an_argument_holds_is_read_before_a_call_in_the_same_expression_that_changes_it() -> None:
    x, tangent = np.array([1.0, 3.0, 2.5]), np.array([0.3, -0.2, 0.5])
    counter = Counter()
    value, slopes = s2sgrad.value_and_grad(read_around_a_call)(x, counter)
    assert counter.count == 4 and value == read_around_a_call(x, Counter())
    steps = [read_around_a_call(x + step * tangent, Counter()) for step in (1e-5, -1e-5)]
    assert slopes @ tangent == pytest.approx((steps[0] - steps[1]) / 2e-5)
    assert s2sgrad.jvp(read_around_a_call, (x, Counter()), (tangent, None)) == pytest.approx((value, slopes @ tangent))


def test_outer_variables_bound_to_what_is_differentiated() -> None:
    """They hold what plain Python leaves there, and nothing of the gradient depends on them."""
    text = ("BEST, TOTAL, WHERE = 9.0, 1.0, None\n\n\ndef f(x):\n    global BEST, TOTAL, WHERE\n"
            "    loss = (x ** 2).sum()\n    if loss < BEST:\n        BEST = loss\n        WHERE = x.copy()\n"
            "    TOTAL = 0.9 * TOTAL + 0.1 * float(loss)\n    TOTAL += loss\n    return loss * x[0]\n")
    x = np.array([0.5, -1.0, 2.0])
    with compiled(text) as f, compiled(text) as plain:
        value, gradient = s2sgrad.value_and_grad(f)(x)
        assert value == plain(x)
        found, expected = ([function.__globals__[name] for name in ("BEST", "TOTAL")] for function in (f, plain))
        assert found == expected
        np.testing.assert_array_equal(f.__globals__["WHERE"], x)
        np.testing.assert_allclose(gradient, 2 * x * x[0] + np.array([(x ** 2).sum(), 0.0, 0.0]))


def test_a_name_that_is_not_there_beside_what_may_change_any() -> None:
    with compiled("def count():\n    return eval('1 + 1')\n\n\ndef f(x):\n"
                  "    return x ** count() if x > 0.0 else x * unheard_of\n") as f:
        assert s2sgrad.grad(f)(3.0) == 6.0
        with pytest.raises(NameError):
            s2sgrad.grad(f)(-3.0)


def test_the_methods_of_arguments_are_read_once_for_all_that_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a large module that reads the texts of many functions."""
    times = []
    monkeypatch.setattr(entry, "changing_methods", lambda *given: times.append(given) or frozenset())
    text = ("import numpy as np\n\n\ndef f(counter, x):\n"
            "    return np.sum(np.frompyfunc(lambda v: v, 1, 1)(x * counter.n))\n")
    with compiled(text) as f, pytest.raises(UnsupportedError):
        s2sgrad.grad(f, 1)(Counter(), np.ones(3))
    assert len(times) == 1


@pytest.mark.parametrize("body", ["S.log.clear()\n    note(float(x))\n    return sum(S.log) * x",
                                  "S.log.clear()\n    note(x)\n    return Reader().total * x",
                                  "note(x)\n    return total() * x"])
@pytest.mark.parametrize("holder", ["import types\nS = types.ModuleType('settings')\nS.log = []",
                                    "class S:\n    log = []"], ids=["module", "class"])
def test_lists_of_modules_and_classes_that_helpers_put_what_is_differentiated_into(holder: str, body: str) -> None:
    text = (f"{holder}\n\n\ndef note(v):\n    S.log.append(v ** 2)\n\n\ndef total():\n    return sum(S.log)\n\n\n"
            "class Reader:\n    @property\n    def total(self):\n        return total()\n\n\n"
            f"def f(x):\n    {body}\n")
    with compiled(text) as f, pytest.raises(UnsupportedError):
        s2sgrad.grad(f)(1.5)


def test_what_a_lambda_that_is_handed_on_puts_outside_is_followed() -> None:
    text = ("ROWS = {}\n\n\ndef note(v):\n    ROWS.setdefault('a', []).append(v ** 2)\n\n\n"
            "def each(call, items):\n    for v in items:\n        call(v)\n\n\n"
            "def f(x):\n    ROWS.clear()\n    each(lambda v: note(v * 3), [x])\n"
            "    return sum(ROWS.get('a', [0.0])) * x\n")
    with compiled(text) as f:
        assert s2sgrad.grad(f)(2.0) == pytest.approx(108.0)
