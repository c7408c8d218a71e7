"""Managers of ``with`` blocks that are methods, that change their objects, and that write into what they gave when they
leave."""
from __future__ import annotations

import contextlib

import numpy as np

from corpus.registry import normal, program


class Stopwatch:
    def __init__(self):
        self.calls = 0
        self.names = []

    @contextlib.contextmanager
    def measured(self, name):
        self.calls += 1
        yield
        self.names.append(name)


class Model:
    def __init__(self, w):
        self.w = w
        self.watch = Stopwatch()
        self.mode = "training"

    @contextlib.contextmanager
    def evaluating(self):
        before, self.mode = self.mode, "evaluation"
        try:
            yield self
        finally:
            self.mode = before

    def __call__(self, x):
        with self.watch.measured("call"):
            y = self.w * x if self.mode == "training" else self.w * x * 0.5
        return y.sum()


class Scaled:
    def __init__(self, w):
        self.w = w
        self.factor = 2.0

    @contextlib.contextmanager
    def by(self, factor):
        before, self.factor = self.factor, factor
        yield self
        self.factor = before


WATCH = Stopwatch()


@program(lambda: (normal(1, 3), normal(2, 3)))
def methods_that_change_their_object(w, x):
    model = Model(w)
    before = model(x)
    with model.evaluating():
        inside = model(x)
    return before * inside ** 2 * model(x ** 2) * model.watch.calls


@program(lambda: (normal(3, 3), Scaled(np.array([1.0, 2.0, 3.0]))), argnums=(0,))
def a_method_of_an_argument(x, scaled):
    with scaled.by(5.0) as same:
        inside = same.w * x * scaled.factor
    return np.sum(inside * scaled.w * x * scaled.factor)


@program(lambda: (normal(4, 3),))
def a_method_of_what_is_outside(x):
    with WATCH.measured("product"), np.errstate(all="ignore"):
        y = x ** 2
    return y.sum()


@contextlib.contextmanager
def noted(log, word):
    log.append(word)
    yield len(log)
    log.append(word.upper())


@program(lambda: (normal(10, 3),))
def a_list_that_is_read_afterwards(x):
    log = []
    with noted(log, "in") as first:
        y = x ** 2 * first
        with noted(log, "again") as second:
            y = y * x ** second
    return y.sum() * len(log)


class Workspace:
    def __init__(self, n):
        self.room = np.arange(1.0, n + 1.0)
        self.scale = np.full(n, 2.0)

    def __enter__(self):
        self.scale *= 2.0
        return self

    def __exit__(self, *error):
        self.room[:] = 0.0
        self.scale /= 8.0


class Lent(Workspace):
    def __enter__(self):
        return self.room


@contextlib.contextmanager
def scratch(n):
    room = np.full(n, 3.0)
    yield room
    room[:] = 0.0


@contextlib.contextmanager
def shelves(n):
    held = {"a": np.full(n, 3.0), "b": [np.full(n, 2.0)]}
    yield held
    held["a"][:] = 0.0
    held["b"][0] *= 0.0


TABLE = np.array([1.0, 2.0, 3.0])


@contextlib.contextmanager
def tripled():
    TABLE[:] *= 3.0
    yield TABLE
    TABLE[:] /= 3.0


@program(lambda: (normal(5, 3),))
def an_object_emptied_at_the_end(x):
    with Workspace(3) as work:
        room = work.room
        return (x * x * room).sum() + (x ** 3 * work.scale).sum()


@program(lambda: (normal(6, 3),))
def an_array_emptied_at_the_end(x):
    with Lent(3) as room:
        y = (x * x * room).sum()
    return y ** 2


@program(lambda: (normal(7, 3),))
def a_generator_empties_what_it_gave(x):
    total = 0.0
    for k in range(3):
        with scratch(3) as room:
            row = room[1:]
            total += (x[1:] ** k * row).sum() * (x * room).sum()
    return total


@program(lambda: (normal(8, 3),))
def containers_emptied_at_the_end(x):
    with shelves(3) as held:
        y = (x * x * held["a"]).sum() * (x ** 3 * held["b"][0]).sum()
    return y


@program(lambda: (normal(9, 3),))
def what_is_outside_changed_and_back(x):
    with tripled() as table:
        y = (x * x * table).sum()
    return y * x[0]


class Nested:
    def __init__(self):
        self.depth = 0
        self.scale = np.array([2.0, 0.5, 1.5])

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, kind, error, trace):
        self.depth -= 1
        return kind is KeyError


NESTED = Nested()


@program(lambda: (normal(10, 3), {"a": 0.5}, "b"))
def a_global_that_changes_when_it_is_entered(x, table, key):
    y = x[0]
    with NESTED:
        y = (x * NESTED.scale).sum() * NESTED.depth
        with NESTED as inner:
            y = y * inner.depth
            y = y * table[key]
    return y * x[1] + NESTED.depth


@program(lambda: (normal(23, 4), True))
def a_manager_and_a_place_that_are_chosen(x, quiet):
    low, high = {"count": 0, "sum": 0.0}, {"count": 0, "sum": 1.0}
    with np.errstate(all="ignore") if quiet else contextlib.nullcontext():
        for v in x:
            (low if v < 0.0 else high)["sum"] += np.log(v * v)
            (low if v < 0.0 else high)["last"] = v ** 2
    (low if quiet else high)["scale"], k = x[0], 2.0
    return low["sum"] * high["last"] + k * low.get("scale", 0.5)


class Dimmed:
    def __init__(self, v):
        self.v = v
        self.asked = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.v = self.v * 0.9
        return False

    @property
    def level(self):
        self.asked += 1
        return self.v * 2.0


def multiples(v):
    for i in range(3):
        yield v * (i + 1)


@program(lambda: (normal(1, 3),))
def named_parts_behind_a_manager(x):
    """A part that gets a name in front of a loop, and one in it."""
    total, count = 0.0, 1.0
    lamp = Dimmed(x[0])

    def counted(v):
        nonlocal count
        count = count * 2.0
        return v

    with lamp:
        pass
    for v in multiples(lamp.level):
        total = total + v * counted(0.4)
    return total * count * x[1]


@program(lambda: (normal(1, 2), 1))
def what_is_given_under_a_name_that_stands_for_something_else(x, k):
    scale, shift = x
    if k:
        with contextlib.nullcontext((2.0, 3.0)) as (scale, first), contextlib.nullcontext(first * scale) as shift:
            shift = shift * scale + x[0]
    return scale * x[1] + shift


class Ledger:
    def __init__(self):
        self.total = 0.0
        self.seen = []

    def __enter__(self):
        print("opened")
        return self

    def __exit__(self, *error):
        print("closed", len(self.seen))

    def update(self):
        """Has a name as the methods that change lists and dicts have."""
        print("up to date")

    def add(self, v):
        self.seen.append(v)


@program(lambda: (normal(1, 3),))
def what_a_block_puts_into_the_object_that_it_entered(x):
    with Ledger() as ledger, Ledger() as other:
        ledger.update()
        for v in x:
            ledger.total += v ** 2
            ledger.add(ledger.total * v)
        other.total = ledger.total * x[0]
    return other.total * ledger.total + ledger.seen[1]
