"""Statements whose point is not a value: exceptions as they are raised, effects once and in order, names unbound."""
from __future__ import annotations

import contextlib
import logging
import sys
import threading
import types
from collections import deque

import numpy as np
import pytest

import s2sgrad

X = np.array([0.5, -1.0, 2.0])
LOCK = threading.Lock()
LOG = logging.getLogger(__name__)
EVENTS: list = []


class Refused(Exception):
    def __init__(self, value: object, cause: str):
        super().__init__(value, cause)
        self.value = value


def note(event: object) -> float:
    EVENTS.append(event)
    return 2.0


def outcome(function, *args):
    """What a call gives or raises, with its effects."""
    EVENTS.clear()
    try:
        result: object = function(*args)
    except Exception as error:
        result = type(error), error.args, type(error.__cause__), error.__suppress_context__
    return result, list(EVENTS)


# ---- raise

def only_raises(x):
    note("before")
    raise Refused(np.sum(x), "always") from KeyError("cause")


def raises_both_ways(x):
    if x[0] > 0.0:
        raise ValueError(f"{x[0]:.2f} is positive")
    for _ in range(2):
        raise LookupError


def helper(x, limit):
    if np.max(x) > limit:
        raise Refused(x.tolist(), "large")
    return np.sum(x * x)


def raises_in_a_helper(x):
    with LOCK:
        return helper(x, 1.0) * note("after")


def raises_in_a_late_turn(x):
    total = 0.0
    for k in range(4):
        total = total + x[k] * note(k)
        if k == 2:
            raise StopIteration(k)
    return total


def helper_that_always_raises(x):
    y = only_raises(x)
    return y * x


class Checked:
    def __init__(self, x):
        self.x = x
        self.found = ""

    def check(self, wanted):
        self.found = f"{self.x.ndim} axes"
        self.x = self.x * 2.0
        if self.x.ndim != wanted:
            self.refuse()
        return self.x

    def refuse(self):
        self.found += " found"
        raise Refused(note(self.found), "wrong")


def raises_in_a_method_that_stores(x):
    checked = Checked(x)
    return checked.check(2).sum() * len(checked.found)


def raises_without_a_handler(x):
    if x[0] > 0.0:
        raise
    return x.sum()


def fails_while_raising(x):
    if x[0] > 0.0:
        raise Refused(1 / 0, "never there")
    return x.sum()


# ---- names that are not bound

def read_after_del(x):
    y = x * 2.0
    del y
    return (x * y).sum()  # noqa: F821


def deleted_twice(x):
    y = x * 2.0
    del y
    del y  # noqa: F821
    return x.sum()


def deleted_parameter(x):
    del x
    return x.sum()  # noqa: F821


def bound_by_no_case(x):
    match x.ndim:
        case 2:
            LOG = x  # also a global
    return LOG.sum()


def declared_only(x):
    X: np.ndarray  # also a global
    return X.sum() + x.sum()  # noqa: F821


def unpacks_too_few(x):
    a, b, *c, d = x[0], x[1]  # noqa: F841
    return a * b


def unpacks_fewer_than_have_names(x):
    first, *_, last = list(x[2:])
    return first * last


class Counted:
    calls = 0

    def step(self, x):
        note("step")
        self.calls += 1
        return x


def counts_under_no_such_key(x):
    counted, totals = Counted(), {"all": {"seen": 0.0}}
    for key in ("seen", "missed"):
        totals["all"][key] += counted.step(x[0])
    return totals["all"]["seen"] * counted.calls


def imports_what_is_not_there(x):
    note("before")
    import no_such_module_anywhere
    return x.sum() * no_such_module_anywhere.scale


def imports_no_such_name(x):
    from math import no_such_name
    return x.sum() * no_such_name


def reads_the_place_of_no_turn(x):
    for i in range(len(x) - 3):
        x = x * x[i]
    return x[i] * 1.0


def reads_what_no_turn_bound(x):
    for i in range(len(x) - 3):
        k = x[i] * x[i]
    found = [k, x[0]]
    if x[0] > 0.0:
        y = x[i] if found else k * 2.0
    else:
        y = k * x[1]
    return y * k


# ---- managers

@contextlib.contextmanager
def noted(name):
    note(f"enter {name}")
    try:
        yield name
    finally:
        note(f"leave {name}")


def raises_in_a_with_block(x):
    with noted("a"), noted("b") as name:
        if x[0] > 0.0:
            raise Refused(name, "inside")
    return x.sum()


def grows_in_its_own_loop(x):
    q = deque(x)
    for v in q:
        q.append(v)
    return q[0]


@pytest.mark.parametrize("function", [
    only_raises, raises_both_ways, raises_in_a_helper, raises_in_a_late_turn, helper_that_always_raises,
    raises_in_a_method_that_stores, raises_without_a_handler, fails_while_raising, read_after_del, deleted_twice,
    deleted_parameter, bound_by_no_case, declared_only, unpacks_too_few, imports_what_is_not_there,
    imports_no_such_name, grows_in_its_own_loop, raises_in_a_with_block, reads_the_place_of_no_turn,
    reads_what_no_turn_bound, unpacks_fewer_than_have_names, counts_under_no_such_key,
], ids=lambda function: function.__name__)
def test_raises_what_the_function_raises(function) -> None:
    expected = outcome(function, X)
    assert isinstance(expected[0], tuple)
    for derivative in (s2sgrad.grad(function), s2sgrad.value_and_grad(function), lambda x: s2sgrad.vjp(function, x)):
        assert outcome(derivative, X) == expected
        assert outcome(derivative, X) == expected
    np.testing.assert_array_equal(X, [0.5, -1.0, 2.0])
    assert not LOCK.locked()


def test_what_was_done_to_an_argument_before_an_exception() -> None:
    def changed(values, x):
        values.append(x)
        raise ValueError("in any case")

    def through(values, x):
        changed(values, x)
        return x

    for function in (changed, through):
        for values in ([1.0, 2.0], deque([1.0, 2.0], 2)):
            with pytest.raises(ValueError, match="in any case"):
                s2sgrad.grad(function, argnums=1)(values, 0.5)
            assert list(values)[-2:] == [2.0, 0.5]


def test_a_call_after_an_exception() -> None:
    gradient = s2sgrad.grad(raises_in_a_helper)
    with pytest.raises(Refused) as caught:
        gradient(X)
    assert caught.value.value == X.tolist()
    np.testing.assert_array_equal(gradient(-X / 4.0), -X)
    with pytest.raises(Refused):
        gradient(X)


# ---- effects

def managers_in_order(x):
    total = 0.0
    for k in range(3):
        with noted(k) as depth, noted("inner"):
            note("body")
            if k == 1:
                continue
            total = total + x[k] ** 2
            if k == 2:
                return total * depth
    return total


def walrus_in_order(x):
    y = note("a") * x + (scale := note("b")) * note(scale) * x
    if (a := note("c")) > 5.0 and (b := note("never")) > 0.0 or (b := note("d")) > 0.0:
        y = y * a * b
    while note("test") < 3.0 and (k := note("k")) > 3.0:
        y = y * k
    return np.sum(y) * (note("e") if (c := note("f")) > 3.0 else (c := note("g"))) * c


def match_in_order(x):
    match (note("subject"), x):
        case (3.0, _):
            return x
        case (2.0, y) if note("guard") > 2.0:
            return y
        case (2.0 | 4.0, y) if (z := note("second guard")) > 1.0:
            return np.sum(y) * z


def prints(x):
    y = x * x
    print("y =", y, f"{np.sum(y):.2f}", end=";\n")
    LOG.warning("%s and %s", x[0], note("logged"))
    note(y.tolist())
    return np.sum(y)


def parts_of(x):
    print("made once")
    return {"w": x * 2.0, "b": np.sum(x)}


def runs_over_what_is_made(x):
    scaled = {k: v * v for k, v in parts_of(x).items()}
    named = {k: scaled[k] * v for k, v in zip(("b", "w"), (np.prod(parts_of(x)["w"]), note("a")))}
    counted = {k: x[0] for k in parts_of(x) if k != "w"}
    total = sum(map(np.sum, parts_of(x).values())) + parts_of(x).get("b", note("unread")) * parts_of(x).get(
        "c", np.sum(parts_of(x)["w"]))
    scaled["w"][int(note("place")) - 6:] *= note("factor") * x
    return np.sum(scaled["w"]) + named["b"] * named["w"].sum() * counted["b"] * total


def told(value):
    print("told", value if isinstance(value, str) else type(value).__name__)
    return value


class Chooser:
    def __init__(self):
        self.functions, self.rate = [np.sin, np.cosh], 2.0

    def pick(self, place):
        print("picked", place)
        return self.functions[place]

    @property
    def last(self):
        print("last")
        return self.functions[-1]

    @property
    def label(self):
        print("label")
        return "rate"


def functions_that_calls_give(x):
    """Generated code calls them by their names: that is no reason not to ask for them."""
    chooser = Chooser()
    chosen = [np.sin, np.cosh][told(1)](x) + (np.exp if x[0] > 9.0 else told(np.tanh))(told(2.0) * x)
    chosen = chosen + chooser.pick(0)(x) * chooser.last(x) * told(np.sqrt)(x ** 2)
    setattr(chooser, told("rate"), chooser.pick(1)(x))
    rate = getattr(chooser, chooser.label) + sum(map(told(np.square), [x, chosen]))
    return np.sum(rate) * s2sgrad.grad(told(np.cos))(told(x[0])) + max(
        list(filter(told(lambda v: v > -9.0), list(x))), key=told(lambda v: v * v))


def what_calls_write_into(x):
    both = {told("a"): told(x[1]), told("b"): told(x[2])}
    told(both)["a"] = told(x[0])
    order = told(1.0) * {key: told(value) * x[1] for key, value in both.items()}["b"]
    return both["a"] * order * {told("c"): (told(x[1]) > 0) * x[0]}["c"]


@pytest.mark.parametrize("function", [managers_in_order, walrus_in_order, match_in_order, prints,
                                      runs_over_what_is_made, functions_that_calls_give, what_calls_write_into],
                         ids=lambda function: function.__name__)
def test_effects_once_and_in_order(function, capsys, caplog) -> None:
    expected = outcome(function, X), capsys.readouterr().out, caplog.messages
    caplog.clear()
    derivative = s2sgrad.value_and_grad(function)
    for _ in range(2):
        (value, gradient), events = outcome(derivative, X)
        assert ((value, events), capsys.readouterr().out, caplog.messages) == expected
        caplog.clear()
    s2sgrad.check_grad(function, X)


def test_a_value_that_is_known_by_its_flag_only() -> None:
    """A case that is decided before the call leaves one arm, with the user's own statements in it."""
    text = s2sgrad.source(choose, X, "square")
    assert "match" not in text and "if" not in text and "y = x * x" in text


def choose(x, kind):
    match kind:
        case "cube":
            y = x**3
        case "square":
            y = x * x
        case _:
            raise ValueError(kind)
    return y.sum()


def test_the_users_own_statements_stay() -> None:
    text = s2sgrad.source(kept, X)
    for line in ('with np.errstate(divide="ignore"):', "del z", 'raise ValueError(f"{y} is empty")',
                 'raise KeyError(1) from None', "from math import pi as tau", "a, *rest = y, x, x"):
        assert line.replace('"', "'") in text


def kept(x):
    from math import pi as tau
    with np.errstate(divide="ignore"):
        y = np.log(x * x)
    z = y * tau
    if x.shape[0] == 100:
        raise ValueError(f"{y} is empty")
    if y[0] > 100.0:
        raise KeyError(1) from None
    del z
    a, *rest = y, x, x
    return np.sum(a * rest[1])


# ---- what is not seen: exceptions that a manager might swallow

def test_managers_that_are_read() -> None:
    from s2sgrad.compiler.contexts import may_swallow

    class Quiet:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            return True

    @contextlib.contextmanager
    def loops():
        for _ in range(1):
            try:
                yield
            finally:
                continue  # noqa: B012

    @contextlib.contextmanager
    def plain():
        yield

    @contextlib.contextmanager
    def inside():
        with contextlib.suppress(ValueError):
            yield

    for maker in (contextlib.suppress, contextlib.ExitStack, pytest.raises, Quiet, loops, inside, int, None, lambda: 1):
        assert may_swallow(maker, True), maker
    for maker in (np.errstate, contextlib.nullcontext, contextlib.closing, contextlib.redirect_stdout, open, plain,
                  noted, threading.Lock):
        assert not may_swallow(maker, True), maker
    assert not may_swallow(LOCK, False)
    assert may_swallow(Quiet(), False)


# ---- imports

def imported_helper(x):
    from a_module_of_helpers import power
    return power(x).sum()


def attribute_of_an_import(x):
    import a_module_of_helpers as helpers
    return helpers.power(x).sum() * helpers.SCALE


@pytest.mark.parametrize("function", [imported_helper, attribute_of_an_import], ids=lambda function: function.__name__)
def test_what_a_module_holds_is_read_at_call_time(function, monkeypatch) -> None:
    module = types.ModuleType("a_module_of_helpers")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.SCALE = 1.0
    gradient = s2sgrad.grad(function)
    module.power = square
    np.testing.assert_array_equal(gradient(X), 2.0 * X)
    module.power = np.sin
    np.testing.assert_array_equal(gradient(X), np.cos(X))


def square(x):
    return x * x


def test_a_module_that_is_not_imported_yet(tmp_path, monkeypatch) -> None:
    (tmp_path / "imported_late.py").write_text("def cube(x):\n    return x * x * x\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    s2sgrad.check_grad(imports_late, X)


def imports_late(x):
    import imported_late
    return imported_late.cube(x).sum()


def test_numbers_have_no_axes_to_ask_for() -> None:
    def summed(x):
        if x.ndim:
            return np.sum(x * x)
        return x * x

    for form in (X[:2], np.float64(2.0)):
        s2sgrad.check_grads(summed, (form,), order=1)
    for derivative in (s2sgrad.grad(summed), lambda x: s2sgrad.jvp(summed, (x,), (x,))):
        with pytest.raises(AttributeError, match="ndim"):
            derivative(2.0)


def test_a_given_list_is_put_in_order() -> None:
    """Nothing is known of it then but that it is a list."""
    def through(x, held):
        for _ in range(2):
            held.sort()
            held.append(0.1)
            x = x * held[0]
        held[:] = sorted(held, key=lambda value: -value)
        held[1:] = sorted(held)[:2]
        return x * held[1] * sum(held)

    left, given = [0.3, 0.2], [0.3, 0.2]
    value = through(0.5, left)
    found, gradient = s2sgrad.value_and_grad(through)(0.5, given)
    assert found == value and given == left
    np.testing.assert_allclose(gradient, value / 0.5)
    np.testing.assert_allclose(s2sgrad.jvp(through, (0.5, [0.3, 0.2]), (1.0, [0.0, 0.0]))[1], value / 0.5)


def counts_and_tells(x):
    n = 0
    while True:
        n += 1
        try:
            if n == 3:
                return x[0] ** n
        finally:
            note(n)


def test_what_a_finally_block_sees_behind_a_return() -> None:
    """What the adjoint binds comes later."""
    found = outcome(lambda: s2sgrad.jvp(s2sgrad.grad(counts_and_tells), (X,), (X,))[1][0])
    assert found == (6.0 * X[0] ** 2, [1, 2, 3])


def always_noted(held):
    held["last"] = 3.0
    raise LookupError


def noted_where_wrong(held, wrong):
    if wrong:
        held["why"] = 1.0
        raise LookupError
    held["n"] = 2.0


def reads_what_an_exception_left(x, held):
    for check in (0, 1):
        try:
            if check:
                always_noted(held)
            else:
                noted_where_wrong(held, x[0] > 0.0)
        except LookupError:
            x = x * len(held)
    return np.sum(x)


@pytest.mark.parametrize("x", [X, -X])
def test_the_form_that_an_exception_leaves(x) -> None:
    """Other keys than where the function that raises ends."""
    left, given = {"n": 1.0}, {"n": 1.0}
    value = reads_what_an_exception_left(x, left)
    found, gradient = s2sgrad.value_and_grad(reads_what_an_exception_left)(x, given)
    assert found == value and given == left
    np.testing.assert_allclose(gradient, value / np.sum(x))
