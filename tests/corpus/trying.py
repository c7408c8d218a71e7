"""try with except, else and finally: every program goes both ways, in turns of a loop or in calls of a helper."""
# ruff: noqa: B007, B904, E722, PERF203, RET503, RET505, SIM105, SIM108, TRY002, TRY203, TRY300, TRY301
from __future__ import annotations

import contextlib
import functools
import logging
import math
import threading

import numpy as np

from corpus.registry import normal, program

LOCK = threading.Lock()
LOG = logging.getLogger(__name__)
BOTH = np.array([0.4, -1.3, 2.5, -0.6])
"""Logarithms and roots of every other one raise."""


class Stop(Exception):
    pass


def positive_part(x, limit=0.0):
    if np.min(x) < limit:
        raise Stop(f"{np.min(x)} is too small")
    return x * x


def both_ways(function, x, *rest):
    """A helper at x, where it raises nothing, and at -x."""
    return function(x, *rest) * 2.0 + function(-x, *rest) * 3.0


# ---- one statement, or names that nobody reads afterwards

def log_or_square(x):
    try:
        y = math.log(x)
    except ValueError:
        y = x * x
    return y * x


@program(lambda: (1.7,))
def rebound_in_the_handler(x):
    return both_ways(log_or_square, x)


def bound_before(x, start):
    y = start * x
    try:
        y = math.log(x) * y
    except ValueError:
        y = y * y
    return y


@program(lambda: (1.7, 0.6))
def the_old_value_in_the_handler(x, start):
    return both_ways(bound_before, x, start)


def passed_over(x, start):
    y = start
    try:
        y = y * math.sqrt(x)
    except ValueError:
        pass
    return y * y * x


@program(lambda: (0.9, 1.6))
def nothing_in_the_handler(x, start):
    return both_ways(passed_over, x, start)


def several_statements(x, w):
    try:
        a = np.sin(x) * w
        b = positive_part(a)
        c = a * b
    except Stop:
        c = w * w
    return np.sum(c * x)


@program(lambda: (np.array([0.3, 0.8, 1.2]), 1.1))
def several_statements_in_the_body(x, w):
    return both_ways(several_statements, x, w)


def in_order(x):
    try:
        a = math.log(x + 2.0)
        b = math.sqrt(x)
    except ValueError:
        a = x * 3.0
        b = a * x
    else:
        b = b * a
        a = a + b
    return a * b


@program(lambda: (1.4,))
def else_after_the_body(x):
    return both_ways(in_order, x)


def by_kind(x, n):
    try:
        if n == 0:
            return math.log(x)
        y = positive_part(x, 0.5)
    except ValueError:
        return x * x
    except (Stop, ZeroDivisionError):
        y = x * x * x
    return y * n


@program(lambda: (1.4,))
def several_handlers(x):
    return (both_ways(by_kind, x, 0) + both_ways(by_kind, x, 2)) * by_kind(x, 1)


def with_any(x):
    try:
        y = positive_part(x)
    except:
        y = x**3
    return np.sum(y)


@program(lambda: (np.array([0.5, 1.5]),))
def bare_except(x):
    return both_ways(with_any, x)


# ---- leaving from inside

def returns_from_both(x):
    try:
        return positive_part(x).sum() * 2.0
    except Stop:
        return (x * x * x).sum()


@program(lambda: (np.array([0.5, 1.5]),))
def return_in_body_and_handler(x):
    return both_ways(returns_from_both, x)


@program(lambda: (BOTH.copy(),))
def continue_in_the_handler(xs):
    total = 1.0
    for x in xs:
        try:
            total = total + math.log(x) * x
        except ValueError:
            continue
        total = total * x
    return total


@program(lambda: (BOTH.copy(),))
def continue_in_the_body(xs):
    total = 1.0
    for x in xs:
        try:
            if x > 2.0:
                total = total * x
                continue
            total = total + math.sqrt(x)
        except ValueError:
            total = total * total + x
        else:
            total = total * 1.5
        total = total - 0.1 * x * total
    return total


@program(lambda: (BOTH.copy(),))
def break_in_the_handler(xs):
    total = 1.0
    for x in xs[::-1] * xs[0]:
        try:
            total = total * math.sqrt(x + 0.5)
        except ValueError:
            total = total * x
            break
        total = total + x
    else:
        total = 0.0
    return total


def solved(a, b, jitter):
    if jitter < 0.25:
        raise np.linalg.LinAlgError("nearly singular")
    return np.linalg.solve(a + jitter * np.eye(2), b)


@program(lambda: (normal(1, 2, 2), normal(2, 2), 0.03))
def attempts_with_break(a, b, jitter):
    for _ in range(5):
        try:
            y = solved(a, b, jitter)
            break
        except np.linalg.LinAlgError:
            jitter = jitter * 3.0
            a = a * 1.1
    return (y * y).sum() * jitter


@program(lambda: (normal(3, 2, 2), normal(4, 2), 0.03))
def attempts_with_return(a, b, jitter):
    attempts = 0
    while True:
        try:
            y = solved(a, b, jitter)
            return (y * y).sum() * jitter + attempts
        except np.linalg.LinAlgError as error:
            attempts += 1
            jitter *= 10.0
            message = f"{error}: attempt {attempts}"
            if attempts > 4:
                raise RuntimeError(message) from error


@program(lambda: (BOTH.copy(),))
def value_of_return_raises(xs):
    """The value of ``return`` is evaluated before the turn is saved, for it may raise."""
    product = 1.0
    for x in xs[1:]:
        product = product * x
        try:
            if x < 2.6:
                return math.log(x) * product
        except ValueError:
            product = product * x + 1.0
        product = product * 0.5
    return product


@program(lambda: (BOTH.copy(),))
def flag_in_the_body(xs):
    total = 1.0
    for x in xs:
        try:
            y = math.sqrt(x) * total
            found = True
        except ValueError:
            found = False
        if found:
            total = total + y * x
    return total


# ---- nested

def inner_and_outer(x, w):
    try:
        try:
            y = positive_part(x, 0.5) * w
        except Stop:
            y = math.log(np.max(x)) * w
        z = y * x
    except ValueError:
        z = w * w * x
    return np.sum(z * z)


@program(lambda: (np.array([0.2, 1.5]), 1.2))
def nested_bodies(x, w):
    return both_ways(inner_and_outer, x, w) + inner_and_outer(x + 1.0, w)


def handler_that_tries(x):
    try:
        return math.log(x)
    except ValueError:
        try:
            return math.sqrt(x + 1.0) * x
        except ValueError:
            return x * x


@program(lambda: (np.array([1.2, -0.4, -3.0]),))
def nested_handlers(x):
    return handler_that_tries(x[0]) * handler_that_tries(x[1]) * handler_that_tries(x[2])


@program(lambda: (BOTH.copy(),))
def raised_again(xs):
    total = 1.0
    for x in xs:
        try:
            try:
                y = math.log(x)
            except ValueError:
                y = total
                raise
            total = total + y
        except ValueError:
            total = total - x * x * 0.1
    return total * xs[0]


@program(lambda: (np.array([0.5, -1.0, 2.0, 0.1]), 0.8))
def loop_in_the_body(x, w):
    total = w
    for k in range(3):
        try:
            partial = 1.0
            for element in x[k:]:
                if element * (k + 1) > 3.0:
                    raise Stop
                partial = partial * element + w
            total = total + partial * w
        except Stop:
            total = total * x[k]
    return total


@program(lambda: (np.array([0.5, -1.0, 2.0, 0.1]), 0.8))
def loop_in_the_handler(x, w):
    total = w
    for k in range(4):
        try:
            total = total * math.sqrt(x[k])
        except ValueError:
            for j in range(4):
                if j == k:
                    continue
                total = total + x[j] * w
    return np.array([total, w])


@program(lambda: (np.array([0.5, -1.0, 2.0]),))
def branches_in_all_arms(x):
    total = 1.0
    for v in x:
        for w in x:
            try:
                if v * w > 0.9:
                    y = v * total
                elif v > 0.0:
                    y = math.sqrt(w) * total
                else:
                    y = math.log(v)
            except ValueError:
                if w > 0.0:
                    total = total * 0.9
                    continue
                y = w * w
            else:
                if w > 1.0:
                    y = y * 1.1
            total = total + 0.1 * y
    return total


# ---- finally

def with_finally(x):
    try:
        y = math.log(x)
    except ValueError:
        y = x * x
    finally:
        LOG.debug("tried %s", x)
    return y * x


@program(lambda: (1.3,))
def finally_after_all(x):
    return both_ways(with_finally, x)


@program(lambda: (np.array([0.5, 1.5]),))
def only_finally(x):
    LOCK.acquire()
    try:
        y = x * x
        z = np.sin(y) * x
    finally:
        LOCK.release()
    return np.sum(z * y)


@program(lambda: (BOTH.copy(),))
def counts_in_finally(xs):
    total, count = 1.0, 0
    for x in xs:
        try:
            y = math.log(x)
        except ValueError:
            y = x * total
        finally:
            count = count + 1
        total = total + y * count
    return total / count


@program(lambda: (BOTH.copy(),))
def leaves_through_finally(xs):
    total = 1.0
    for x in xs:
        try:
            if x > 2.0:
                return total * x
            if x < -1.0:
                continue
            total = total * x
        finally:
            print(end="")
    return total


@program(lambda: (BOTH.copy(),))
def tries_in_finally(xs):
    total, smallest = 1.0, xs[0] * 1.0
    for x in xs:
        try:
            y = math.log(x) * total
        except ValueError:
            y = x * total
        finally:
            try:
                smallest = smallest * math.sqrt(1.5 - x)
            except ValueError:
                total = total * 0.5
        total = total + y
    return total * smallest


def slope(u):
    if u[0] > 1.0:
        raise ValueError
    return np.sin(u)


@program(lambda: (np.array([0.5, 0.7, 0.9]),))
def in_place_until_it_fails(x):
    u = x * 1.0
    for _ in range(5):
        try:
            u += slope(u)
            u[1:] *= u[0] * x[1:]
        except (ValueError, KeyError):
            u *= 0.5
    return np.sum(u * u)


@program(lambda: (np.array([0.5, 0.7, 0.9]),))
def in_place_until_it_is_suppressed(x):
    u = x * 1.0
    with contextlib.suppress((KeyError, ValueError)):
        u *= 2.0
        u *= slope(u * 3.0)
    return np.sum(u * u)


@program(lambda: (BOTH.copy(),))
def raises_in_finally(xs):
    u = xs * 1.0
    for i, x in enumerate(xs):
        try:
            try:
                u[i] = math.log(x)
            finally:
                u[0] *= 1.1
                if u[i] > 0.5:
                    raise KeyError(i)
        except (KeyError, ValueError) as error:
            u[i] = x * u[0] if isinstance(error, KeyError) else u[-1]
    return np.sum(u * xs)


# ---- what a callee, a manager, a container does

@program(lambda: (np.array([2.0, 0.5, 0.0]),))
def floating_point_errors(x):
    total = 1.0
    for k in range(3):
        try:
            with np.errstate(divide="raise"):
                y = x[0] / np.float64(k)
        except FloatingPointError:
            y = x[1] * x[1]
        total = total * y + x[2]
    return total


@program(lambda: ({"w": 0.7, "b": -0.2}, 1.5))
def missing_keys(params, x):
    y = x
    for key in ("w", "c", "b"):
        try:
            y = y * params[key] + 1.0
        except KeyError:
            y = y * y
    return y


@program(lambda: ({"w": 0.7}, 1.5))
def a_key_known_to_be_missing(params, x):
    try:
        scale = params["scale"]
    except KeyError:
        scale = 2.0 * x
    try:
        w = params["w"]
    except KeyError:
        w = 1.0
    return scale * w * x


@program(lambda: (np.array([1.5, 2.0]), "three"))
def what_is_no_number(x, text):
    try:
        power = int(text)
    except ValueError:
        power = 3
    return np.sum(x**power)


@program(lambda: (BOTH.copy(),))
def appended_or_not(xs):
    roots = []
    for x in xs:
        try:
            roots.append(math.sqrt(x) * x)
        except ValueError:
            roots.append(x * x)
    total = 0.0
    for root in roots:
        total = total + root * root
    return total


@program(lambda: (BOTH.copy(),))
def stored_or_not(xs):
    y = np.ones(4)
    for k in range(4):
        try:
            y[k] = math.log(xs[k]) * xs[0]
        except ValueError:
            y[k] *= xs[k]
    return np.sum(y * y)


@program(lambda: (BOTH.copy(),))
def written_in_the_handler(xs):
    y = xs * 2.0
    for k in range(4):
        try:
            v = math.sqrt(y[k])
        except ValueError:
            y[1:] *= 0.5
            v = y[k] * y[0]
        y[0] += v
    return np.sum(y * xs)


def fill(u, x):
    u[0] = x[0]
    if x[1] > 0.0:
        raise Stop
    u[1] = x[1] * x[0]


def half_filled(x):
    u = np.zeros(2)
    try:
        fill(u, x)
        y = np.sum(u * u)
    except Stop:
        y = x[0] * x[1]
    return y


@program(lambda: (np.array([0.6, -1.4]),))
def a_callee_that_leaves_an_array_half_done(x):
    return both_ways(half_filled, x)


def deep(x, n):
    if n == 0:
        return math.log(x)
    try:
        return deep(x - 1.0, n - 1) * x
    except ValueError:
        return x * x * n


@program(lambda: (1.5,))
def recursion(x):
    return deep(x, 1) + deep(x, 3)


@contextlib.contextmanager
def scope():
    try:
        yield 2.0
    finally:
        print(end="")


@program(lambda: (BOTH.copy(),))
def managers_inside_and_around(xs):
    total = 1.0
    with scope() as factor:
        for x in xs:
            try:
                with scope(), np.errstate(all="ignore"):
                    y = math.log(x)
            except ValueError:
                with scope():
                    y = x * total
            total = total + y * factor
    return total


@program(lambda: (BOTH.copy(),))
def translated(xs):
    total = 0.0
    for x in xs * xs:
        try:
            y = math.log(x)
        except ValueError as error:
            raise Stop("no logarithm") from error
        total = total + y * x
    return total


def validated(x):
    try:
        if x < 0.0:
            raise Stop(f"{x} is negative")
        if x > 2.0:
            raise OverflowError
        y = x * x
    except (Stop, OverflowError) as error:
        y = x * len(f"{type(error).__name__}{error.args[1:]}")
    return y


@program(lambda: (np.array([0.6, -1.4, 2.5]),))
def raised_in_the_body(x):
    return validated(x[0]) * validated(x[1]) * validated(x[2])


# ---- managers that swallow exceptions, decorated helpers

@program(lambda: (BOTH.copy(),))
def suppressed(xs):
    total = 1.0
    for x in xs:
        with contextlib.suppress(ValueError, ZeroDivisionError):
            if x > 2.0:
                continue
            total = total + math.log(x) * x
        total = total * 1.1
    return total


@program(lambda: (1.7,))
def leaves_what_is_suppressed(x):
    y = x * x
    with contextlib.suppress(ValueError):
        return math.sqrt(-x)
    return y * x


@program(lambda: (np.array([0.8, 1.5, -0.8, -1.2]),))
def what_is_told_of_failures(x):
    messages = []
    total = 0.0
    for value in x:
        try:
            total = total + positive_part(value)
        except Stop as error:
            LOG.debug("failed: %s", error)
            message = str(error)
            messages.append(message)
            LOG.debug(f"{type(error).__name__} {message}", exc_info=error)
            total = total * value
    return total * len(messages)


@functools.lru_cache(maxsize=8)
def coefficients(n):
    return np.arange(1.0, n + 1.0) / n


def limited(attempts):
    def decorate(function):
        @functools.wraps(function)
        def retry(x, *args, **kwargs):
            for _ in range(attempts):
                try:
                    return function(x, *args, **kwargs)
                except Stop:
                    x = x * -0.5
            raise RuntimeError
        return retry
    return decorate


@limited(3)
def retried(x, scale=1.0):
    return positive_part(x) * scale


@program(lambda: (np.array([0.5, 1.5, 0.7]),))
def decorated_helpers(x):
    return np.sum(retried(x, scale=2.0) * coefficients(3)) + np.sum(retried(-x) * coefficients(3))


def waited_for(x):
    if x < 0.0:
        raise ValueError("negative")
    return math.sin(x)


def scaled_where_it_failed(x, y):
    named = {"u": x * 1.0}
    u = named["u"]
    u[0] = y
    total = 1.0
    try:
        total = waited_for(y)
    except ValueError:
        scales = [lambda v, k=k: v * k for k in (y, x[1])]
        total = sum(scale(y) for scale in scales)
    return total * named["u"][0] * u[1]


@program(lambda: (normal(5, 4), 0.7), needs="shapes")
def functions_made_in_a_handler_beside_arrays_under_two_names(x, y):
    return scaled_where_it_failed(x, y) + scaled_where_it_failed(x, -y)


# ---- finally that changes what is differentiated

@program(lambda: (normal(1, 4),))
def reset_in_finally(x):
    u = x.copy()
    try:
        y = np.sin(u)
    finally:
        u[0] = 0.0
    return (y * u).sum()


@contextlib.contextmanager
def perturbed(u, i, eps):
    u[i] += eps
    try:
        yield u
    finally:
        u[i] -= eps ** 2


@program(lambda: (normal(1, 4),))
def perturbed_for_a_block(x):
    u = x * 2.0
    with perturbed(u, 1, x[0]):
        y = (u ** 2).sum()
    return y * u[1]


@program(lambda: (normal(1, 4),))
def scaled_in_each_turn(x):
    total = 0.0
    for k in range(3):
        try:
            total = total + x[k] ** 2
        finally:
            total = total * x[0]
    return total


class Weighted:
    def __init__(self, w):
        self.w = w


@contextlib.contextmanager
def exchanged(model, w):
    old = model.w
    model.w = w
    try:
        yield model
    finally:
        model.w = old


@program(lambda: (normal(1, 4),))
def weights_exchanged(x):
    model = Weighted(x * 2)
    with exchanged(model, x ** 2) as same:
        y = (same.w * x).sum()
    return y * (model.w ** 2).sum()


def left_in_the_handler(x):
    u = np.array([x, x])
    try:
        u[0] = x * x
        raise Stop
    except Stop:
        return np.sum(u) * u[1]
    u[1] = 1.0
    return np.sum(u)


@program(lambda: (1.5,))
def lines_that_are_never_reached_behind(x):
    return left_in_the_handler(x) * x
