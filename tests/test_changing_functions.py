"""Functions that change something and are handed to code which nobody looks into: refused, by whatever way they do."""
from __future__ import annotations

import array
import functools
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from s2sgrad import check_grad, grad
from s2sgrad.errors import UnsupportedError

X = np.array([0.7, -0.4, 1.3])


class Sum:
    def __init__(self) -> None:
        self.total = 0.0

    def push(self, v: Any) -> Any:
        self.total += v ** 2
        return self.total


class Added(Sum):
    def __add__(self, v: Any) -> Any:
        return self.push(v)


class Holder:
    counted = 0.0

    def __init__(self, held: Any) -> None:
        self.held = held

    def __call__(self, v: Any) -> Any:
        return self.held(v)

    def pushes(self, v: Any) -> Any:
        return self.held.push(v)


def pushed(seen: Any, v: Any) -> Any:
    return seen.push(v)


def composed(outer: Callable[[Any], Any], inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda v: outer(inner(v))


def largest(x: Any, key: Callable[[Any], Any]) -> Any:
    return max(x, key=key)


def by_another_function(x: Any, seen: Sum) -> Any:
    return max(x, key=lambda v: pushed(seen, v))


def by_a_name(x: Any, seen: Sum) -> Any:
    return sorted(x, key=lambda v: getattr(seen, "push")(v))[0]  # noqa: B009


def by_an_operator(x: Any, seen: Sum) -> Any:
    added = Added()
    return max(x, key=lambda v: added + v) * added.total


def in_a_dict(x: Any, seen: Sum) -> Any:
    table = {"push": seen.push}
    return min(x, key=lambda v: table["push"](v))


def in_an_object(x: Any, seen: Sum) -> Any:
    holder = Holder(lambda v: pushed(seen, v))
    return max(x, key=lambda v: holder.held(v))


def of_an_object_inside(x: Any, seen: Sum) -> Any:
    holder = Holder(seen)
    return max(x, key=lambda v: holder.pushes(v))


def an_object_that_is_called(x: Any, seen: Sum) -> Any:
    return max(x, key=Holder(seen.push))


def a_default(x: Any, seen: Sum) -> Any:
    return max(x, key=lambda v, seen=seen: seen.push(v))


def a_partial_one(x: Any, seen: Sum) -> Any:
    def change(v: Any) -> Any:
        return pushed(seen, v)

    return max(x, key=functools.partial(change))


def a_partial_one_of_an_object(x: Any, seen: Sum) -> Any:
    return max([1.0, 2.0], key=functools.partial(pushed, seen))


def the_first_that_is_left(x: Any, seen: Sum) -> Any:
    return next(filter(lambda v: pushed(seen, v) > 0.0, [1.0, 2.0]), 0.0)


def in_a_thread(x: Any, seen: Sum) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return x[0] + list(pool.map(seen.push, [1.0, 2.0]))[0]


def two_functions(x: Any, seen: Sum) -> Any:
    return max(x, key=composed(lambda v: seen.push(v), lambda v: v * 2.0))


def handed_on(x: Any, seen: Sum) -> Any:
    return largest(x, lambda v: pushed(seen, v))


def over_keys(x: Any, seen: Sum) -> Any:
    table = dict(zip("abc", x))
    return table[max(table, key=lambda k: seen.push(table[k]))]


def over_objects(x: Any, seen: Sum) -> Any:
    return max([seen], key=lambda each: pushed(each, x[0])).total


def of_a_class(x: Any, seen: Sum) -> Any:
    def count(v: Any) -> Any:
        Holder.counted = v
        return v

    return max(x, key=count)


def handed_to_a_library(x: Any, seen: Sum) -> Any:
    return x[0] + np.fromfunction(lambda i: pushed(seen, i.sum()), (3,))


def vectorized(x: Any, seen: Sum) -> Any:
    return x[0] + np.vectorize(lambda v: pushed(seen, v))(np.ones(3)).sum()


@pytest.mark.parametrize("change", [
    by_another_function, by_a_name, by_an_operator, in_a_dict, in_an_object, of_an_object_inside,
    an_object_that_is_called, a_default, a_partial_one, two_functions, handed_on, over_keys, over_objects, of_a_class,
    handed_to_a_library, vectorized, a_partial_one_of_an_object, the_first_that_is_left, in_a_thread])
def test_refused(change: Callable[..., Any]) -> None:
    def f(x: Any) -> Any:
        seen = Sum()
        return change(x, seen) * seen.total

    with pytest.raises(UnsupportedError, match="a function that this call gets may change"):
        grad(f)(X)


SEEN: list = []


def in_a_comprehension(x: Any) -> Any:
    seen = Sum()
    [seen.push(v) for v in [x[0]]]
    return seen.total * x[1]


def in_a_comprehension_of_another(x: Any) -> Any:
    seen = Sum()
    [pushed(seen, v) for v in [x[0]]]
    return seen.total * x[1]


def in_a_test(x: Any) -> Any:
    SEEN.clear()

    def noted(v: Any) -> Any:
        SEEN.append(v ** 2)
        return v

    return x[1] * sum(SEEN) if x[1] < 3.0 and noted(x[0]) > 0.0 else 0.0


def made_elsewhere(x: Any) -> Any:
    seen = Sum()

    def make(scale: Any) -> Any:
        return lambda v: pushed(seen, v * scale)

    scaled = make(2.0)
    return x[int(scaled(x[0]) > 9.0)] * seen.total


def counts() -> Any:
    count = 0.0
    while True:
        yield count
        count += 1.0


def sent_in_a_display(x: Any) -> Any:
    counter = counts()
    next(counter)
    sent = lambda v: (counter.send(v), v * 1.5)[1]  # noqa: E731
    return x[int(sent(x[0]) > 9.0)] * counter.send(0.0)


def tally() -> Any:
    total = 0.0

    def add(v: Any) -> Any:
        nonlocal total
        total = total + v
        return v

    return add, lambda: total


def each(function: Callable[[Any], Any], values: Any) -> None:
    for v in values:
        function(v)


def kept_by_what_was_made_elsewhere(x: Any) -> Any:
    add, get = tally()
    each(add, x)
    each(lambda v: add(v * v), x)
    for v in x:
        if add(v) > 0.5:
            str(add(v * 0.5))
    return x[0] * get() ** 2


def kept_by_a_key(x: Any) -> Any:
    add, get = tally()
    return max(x, key=lambda v: add(v)) * get() ** 2


def kept_by_what_filters(x: Any) -> Any:
    add, get = tally()
    return list(filter(lambda v: add(v) > 0.0, x))[0] * get() ** 2


def handed_out() -> Any:
    seen = Sum()
    kept: list = []
    return seen.push, seen, kept.append, kept


def kept_by_a_method_handed_out(x: Any) -> Any:
    push, seen, _, _ = handed_out()
    return (x[1] if push(x[0]) > 0.0 else x[2]) * seen.total


def kept_by_a_lists_method_handed_out(x: Any) -> Any:
    _, _, append, kept = handed_out()
    return (x[1] if append(x[0]) is None else x[2]) * kept[0]


def kept_by_a_generator_handed_out(x: Any) -> Any:
    sent, kept = started()
    return (x[1] if sent.send(x[0]) > 0.0 else x[2]) * kept[0]


def started() -> Any:
    kept: list = []
    sent = keeping(kept)
    next(sent)
    return sent, kept


def keeping(kept: list) -> Any:
    while True:
        kept.append((yield 1.0))


def kept_by_a_librarys_container(x: Any) -> Any:
    kept = array.array("d")
    return (x[1] if kept.append(x[0]) is None else x[2]) * kept[0]  # type: ignore[func-returns-value]


def kept_by_what_all_asks(x: Any) -> Any:
    add, get = tally()
    return (x[0] if all(add(v) < 9.0 for v in x) else x[1]) * get()


def kept_by_what_is_joined(x: Any) -> Any:
    add, get = tally()
    return x[0] * len(",".join(str(add(v)) for v in x)[:1]) * get()


class Shared:
    total = 0.0

    @classmethod
    def add(cls, v: Any) -> Any:
        cls.total = cls.total + v
        return v


def kept_by_a_class(x: Any) -> Any:
    Shared.total = 0.0
    return (x[1] if Shared.add(x[0]) > 0.0 else x[2]) * Shared.total


def noted(v: Any, kept: list = []) -> Any:  # noqa: B006
    if v is None:
        kept.clear()
    elif v == "sum":
        return sum(kept)
    else:
        kept.append(v * v)
    return 1.0


def kept_by_a_default(x: Any) -> Any:
    noted(None)
    return (x[1] if noted(x[0]) > 0.0 else x[2]) * noted("sum")


def noted_outside(v: Any) -> Any:
    if v is None:
        SEEN.clear()
    elif v == "sum":
        return sum(SEEN)
    else:
        SEEN.append(v * v)
    return 1.0


def kept_outside(x: Any) -> Any:
    noted_outside(None)
    return (x[1] if noted_outside(x[0]) > 0.0 else x[2]) * noted_outside("sum")


def recording(function: Callable[[Any], Any]) -> Any:
    seen: list = []

    @functools.wraps(function)
    def recorded(v: Any) -> Any:
        seen.append(v * v)
        return function(v)

    recorded.seen = seen  # type: ignore[attr-defined]
    return recorded


@recording
def doubled(v: Any) -> Any:
    return v * 2.0


def kept_by_a_decorated_function(x: Any) -> Any:
    doubled.seen.clear()
    return (x[1] if doubled(x[0]) > 0.0 else x[2]) * sum(doubled.seen)


TOTAL = Sum()


def kept_by_an_object_outside(x: Any) -> Any:
    TOTAL.total = 0.0
    return (x[1] if TOTAL.push(x[0]) > 0.0 else x[2]) * TOTAL.total


@pytest.mark.parametrize("f", [
    in_a_comprehension, in_a_comprehension_of_another, in_a_test, made_elsewhere, sent_in_a_display,
    kept_by_what_was_made_elsewhere, kept_by_a_key, kept_by_what_filters, kept_by_a_method_handed_out,
    kept_by_a_lists_method_handed_out, kept_by_a_generator_handed_out, kept_by_a_librarys_container,
    kept_by_what_all_asks, kept_by_what_is_joined, kept_by_a_class, kept_by_a_default, kept_outside,
    kept_by_a_decorated_function, kept_by_an_object_outside])
def test_right_or_refused(f: Callable[..., Any]) -> None:
    try:
        check_grad(f, X)
    except UnsupportedError as error:
        assert "writ" in str(error) or "may change" in str(error) or "may keep" in str(
            error) or "may put" in str(error)


def reads(x: Any) -> Any:
    seen = Sum()
    seen.push(x[0])
    holder = Holder(seen)
    best = max(x, key=lambda v: score(seen, v)) + min(x, key=lambda v, holder=holder: score(holder.held, -v))
    return best * sorted(x, key=composed(lambda v: v * seen.total, abs))[0] * seen.total


def score(seen: Any, v: Any) -> Any:
    parts = {"total": seen.total}
    parts["value"] = v
    return parts["value"] * parts["total"]


class Counting:
    def __init__(self, w: Any) -> None:
        self.w, self.calls = w, 0

    def __call__(self, v: Any) -> Any:
        self.calls += 1
        return self.w * v

    def score(self, v: Any) -> Any:
        return self.w * v


def chooses_objects(x: Any) -> Any:
    each = [Counting(v) for v in x]
    table = {"a": Counting(x[0] * 3.0), "b": Counting(x[1])}
    each.sort(key=lambda one: one.w)
    return max(each, key=lambda one: one.score(2.0)).w ** 2 * table[max(table, key=lambda k: table[k].w)].w * each[0].w


def asked(limit: float) -> Any:
    hits = 0

    def over(v: Any) -> Any:
        nonlocal hits
        hits += 1
        return v > limit

    return over


def told_what_is_not_kept(x: Any) -> Any:
    over, add, settings = asked(0.5), tally()[0], json.loads('{"scale": 2.0}')
    add(1.0)
    _, _, names, kept_names = handed_out()
    names("start")
    print({k: v.item() for k, v in zip("abc", x)}, ",".join(str(v.item()) for v in x))
    return sum(v ** 2 if over(v) else v * settings["scale"] for v in x) * len(kept_names)


@pytest.mark.parametrize("f", [reads, chooses_objects, told_what_is_not_kept])
def test_what_only_reads_is_right(f: Callable[..., Any]) -> None:
    check_grad(f, X)


def gathered(u):
    np.ufunc.at(np.add, u, [0, 0], 2.0)
    return 1


def test_a_ufunc_named_as_an_argument() -> None:
    def f(x):
        u = x * 2.0
        squares = (u * u).sum()
        gathered(u)
        return squares

    with pytest.raises(UnsupportedError, match="may write into its arguments"):
        grad(f)(np.ones(2))
