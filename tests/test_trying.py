"""try statements as one notices them: the way taken, the exception, the effects, the primal's text."""
from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

import numpy as np
import pytest

import s2sgrad

X = np.array([0.5, 1.5, 2.5])
EVENTS: list = []


class Stop(Exception):
    pass


def note(event):
    EVENTS.append(event)
    return 2.0


def outcome(function, *args):
    """What a call gives or raises, with its effects."""
    EVENTS.clear()
    try:
        result: object = function(*args)
    except BaseException as error:
        result = type(error), str(error), type(error.__cause__), type(error.__context__)
    return result, list(EVENTS)


def in_order(x):
    y = x
    try:
        note("body")
        if x < 0.0:
            raise Stop(note("raised"))
        if x < 1.0:
            return x * x * note("returned")
        y = math.log(x - 2.0) * note("logarithm")
    except Stop as error:
        note(str(error))
        y = x * 3.0
    except ValueError:
        note("negative")
        if x > 1.5:
            raise RuntimeError("no way on") from None
        y = x * 5.0
    else:
        note("else")
        y = y * y
    finally:
        note("finally")
    return y * note("behind")


@pytest.mark.parametrize("x", [-1.0, 0.5, 1.2, 1.7, 3.5])
def test_every_way(x) -> None:
    expected = outcome(in_order, x)
    derivative = s2sgrad.value_and_grad(in_order)
    for _ in range(2):
        found = outcome(derivative, x)
        if isinstance(found[0][0], type):
            assert found == expected
        else:
            (value, _), events = found
            assert (value, events) == expected
            s2sgrad.check_grad(in_order, x)


def interrupted(x):
    try:
        y = x * note("body")
        if x > 1.0:
            raise KeyboardInterrupt
        return y
    except Exception:
        return x


def raised_while_handling(x):
    try:
        return math.log(x)
    except ValueError:
        return x / (x - x)
    finally:
        note("finally")


def raised_in_else(x):
    try:
        y = x * x
    except ValueError:
        y = x
    else:
        y = y * math.log(x)
    return y


def raises_again(x):
    try:
        return math.log(x)
    except ValueError:
        note("seen")
        raise


def catches_what_is_no_exception(x):
    try:
        return math.log(x)
    except x:
        return x


def noted(v):
    return v * note("called")


def operand_before_a_call(x):
    return noted(x) / (x - x) * noted(x)


def item_before_a_call(x):
    totals = {"a": x}
    try:
        totals["b"] += noted(x)
    except KeyError:
        note("no such key")
        raise Stop(x * X[3] + noted(x)) from None
    return totals["b"]


@pytest.mark.parametrize("function, x", [
    (interrupted, 2.0), (raised_while_handling, -1.0), (raised_in_else, -1.0), (raises_again, -1.0),
    (catches_what_is_no_exception, -1.0), (operand_before_a_call, 2.0), (item_before_a_call, 2.0),
], ids=lambda item: getattr(item, "__name__", None))
def test_exceptions_that_are_not_caught(function, x) -> None:
    expected = outcome(function, x)
    assert issubclass(expected[0][0], BaseException)
    derivative = s2sgrad.grad(function)
    for _ in range(2):
        assert outcome(derivative, x) == expected


def turns(xs):
    total = 0.0
    for k, x in enumerate(xs):
        try:
            note(k)
            total = total + math.log(x) * note("logarithm")
        except ValueError as error:
            note(f"{error}")
            if k == 3:
                break
            continue
        finally:
            note("finally")
        total *= x
    return total


@pytest.mark.parametrize("signs", [(1, 1, 1, 1), (-1, 1, 1, -1), (1, -1, -1, 1), (-1, -1, -1, -1), (1, 1, -1, -1)])
def test_turns_that_go_either_way(signs) -> None:
    xs = np.array([1.5, 2.0, 0.3, 0.7]) * signs
    expected = outcome(turns, xs)
    (value, _), events = outcome(s2sgrad.value_and_grad(turns), xs)
    assert (value, events) == expected
    s2sgrad.check_grad(turns, xs)


def translated(x):
    """The handler only raises: there is one path."""
    try:
        y = x * math.log(x)
    except (ValueError, OverflowError) as error:
        raise Stop("no logarithm") from error
    finally:
        print(end="")
    return y * y


def test_the_users_own_statements_stay() -> None:
    text = s2sgrad.source(translated, 0.5)
    for line in ("try:", "except (ValueError, OverflowError) as error:", "raise Stop('no logarithm') from error",
                 "finally:", "print(end='')"):
        assert line in text
    assert "path" not in text and "else" not in text


def test_names_are_unbound_as_in_the_function() -> None:
    def first_use(x):
        try:
            return total * x  # noqa: F821
        except NameError:
            total = x
        return total * x * 3.0
    s2sgrad.check_grad(first_use, 2.0)


def catches_all(x):
    try:
        return helper(x)
    except:  # noqa: E722
        return x * 3.0


def helper(x):
    if x < 0.0:
        raise SystemExit
    return x * x


def test_bare_except() -> None:
    assert s2sgrad.grad(catches_all)(2.0) == 4.0
    assert s2sgrad.grad(catches_all)(-2.0) == 3.0


def test_the_handlers_of_one_call_do_not_see_another() -> None:
    gradient = s2sgrad.grad(raises_again)
    with pytest.raises(ValueError):
        gradient(-1.0)
    assert gradient(2.0) == 0.5


def pulled(x):
    try:
        return x * math.sqrt(x)
    except ValueError:
        return x * x


def test_a_pullback_runs_twice() -> None:
    for x, slope in ((4.0, 3.0), (-3.0, -6.0)):
        _, pullback = s2sgrad.vjp(pulled, x)
        assert pullback(1.0) == (slope,)
        assert pullback(2.0) == (2.0 * slope,)


# ---- forwards

@pytest.mark.parametrize("x", [-1.0, 0.5, 1.2, 1.7, 3.5])
def test_every_way_forwards(x) -> None:
    expected = outcome(in_order, x)
    found = outcome(lambda x: s2sgrad.jvp(in_order, (x,), (1.5,)), x)
    if isinstance(found[0][0], type):
        assert found == expected
    else:
        (value, tangent), events = found
        assert (value, events) == expected
        assert tangent == pytest.approx(1.5 * s2sgrad.grad(in_order)(x))


def root_or(x, kinds):
    y = x * 3.0
    try:
        y = math.sqrt(x) * y
    except kinds:
        y = y * 2.0
    return y


def root_or_any(x):
    try:
        total = 1.0
        for _ in range(2):
            total = total + math.sqrt(x)
        return total
    except:  # noqa: E722
        return x * 2.0


def suppressed_root(x):
    y = x * 3.0
    with contextlib.suppress(ZeroDivisionError):
        y = math.sqrt(x)
    return y


def root(x):
    return math.sqrt(x)


def called_root(x):
    try:
        y = root(x) + x
    except Exception:
        y = x * 2.0
    return y


def root_of_positive(x):
    try:
        return math.sqrt(x)
    except ValueError as error:
        raise ArithmeticError from error


def called_with_a_handler(x):
    try:
        return root_of_positive(x)
    except ArithmeticError:
        return x * 2.0


@s2sgrad.custom_rule(reverse=lambda g, y, x: g / 0.0, tangent=lambda dots, y, x: dots[0] / 0.0)
def ruled(x):
    return x


def called_rule(x):
    try:
        return ruled(x) * 2.0
    except ArithmeticError:
        return x * 2.0


def handled_twice(x):
    try:
        try:
            y = math.sqrt(x)
        except ArithmeticError:
            y = x * 3.0
        y = y + 1.0
    except Exception:
        y = x * 2.0
    return y


@pytest.mark.parametrize("function", [
    lambda x: root_or(x, ZeroDivisionError), lambda x: root_or(x, (ValueError, ArithmeticError)), root_or_any,
    suppressed_root, called_root, called_with_a_handler, called_rule, handled_twice])
def test_handlers_do_not_catch_what_derivatives_raise(function) -> None:
    """The slope of a root at 0 is a division by zero, which the function itself never sees: an adjoint divides as NumPy
    does, unless the rule is the user's."""
    if function is called_rule:
        with pytest.raises(ZeroDivisionError):
            s2sgrad.grad(function)(0.0)
    else:
        with np.errstate(all="ignore"):
            assert not np.isfinite(s2sgrad.grad(function)(0.0))
    with pytest.raises(ZeroDivisionError):
        s2sgrad.jvp(function, (0.0,), (1.0,))


def test_infinite_slopes_of_numpy_are_none_of_the_program_s() -> None:
    def f(x):
        with np.errstate(divide="raise"):
            try:
                y = np.sqrt(x)
                total = y.sum()
            except FloatingPointError:
                total = 7.0 * x.sum()
        return total

    x = np.array([0.0, 4.0])
    with np.errstate(divide="ignore"):
        assert s2sgrad.grad(f)(x)[1] == 0.25
    with pytest.raises(FloatingPointError):
        s2sgrad.jvp(f, (x,), (np.ones(2),))


def test_an_error_that_went_on_is_caught_outside() -> None:
    def careful(x):
        try:
            return s2sgrad.jvp(called_root, (x,), (1.0,))[1]
        except ZeroDivisionError:
            return 5.0

    assert careful(0.0) == 5.0
    assert careful(4.0) == 1.25


@pytest.mark.parametrize("transform", [s2sgrad.value_and_grad, lambda f: lambda x: s2sgrad.jvp(f, (x,), (x,))])
def test_what_a_finally_changes_is_seen_by_who_catches(transform: Callable) -> None:
    def f(x):
        try:
            x[0] *= 2.0
            if x[0] > 5.0:
                raise ValueError(f"too large: {x[0]}")
            y = (x ** 2).sum()
        finally:
            x[1] = x[0] ** 2
        return y * x[1]

    x = np.array([3.0, 1.0])
    with pytest.raises(ValueError, match="too large: 6.0"):
        transform(f)(x)
    np.testing.assert_array_equal(x, [6.0, 36.0])
    s2sgrad.check_grad(f, np.array([2.0, 1.0]))
