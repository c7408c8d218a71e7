"""What a ``try`` block has done when control leaves it, by an exception that is caught or past a ``finally``."""
# ruff: noqa: PERF203, RET503, RET505, SIM105, SIM117, TRY003, TRY300, TRY301
from __future__ import annotations

import contextlib
import math

import numpy as np

from corpus.registry import program

X = np.array([0.4, 1.3, -2.5, 0.6])
"""Roots of the third raise."""


def given():
    return (X.copy(),)


def root(v):
    if v < 0.0:
        raise ValueError("negative")
    return math.sqrt(v)


# ---- what was done before the exception came

@program(given)
def two_statements(x):
    total, last = 0.0, 1.0
    for v in x:
        with contextlib.suppress(ValueError, ZeroDivisionError):
            found = root(v)
            total += found * last
            last = found
            total += root(v - 0.5)
    return total * last


class Declined(Exception):
    """Nothing but a ``raise`` raises it."""


class Ledger:
    def __init__(self, balance):
        self.balance, self.fees = balance, 0.0

    def book(self, value):
        if value < -1.0:
            raise Declined("too much")
        self.balance = self.balance * 1.1 + value
        self.fees = self.fees + 0.1 * self.balance
        return self.balance / value

    def move(self, value):
        self.fees = self.fees + value * value
        if value > 5.0:
            raise Declined("never")


class Level:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        if self.value < 0.5:
            raise Declined("too low")
        return bool(self.value > 1.0)

    def __lt__(self, other):
        if self.value < -1.0:
            raise Declined("far too low")
        return self.value < other.value


@program(given)
def raised_by_tests_of_objects(x):
    total, refused = 1.0, 0
    for v in x:
        level = Level(v)
        try:
            total = total + v * v
            if level < Level(0.5):
                total = total * 1.5
            total = total + v
            if level:
                total = total * 2.0
        except Declined:
            refused += 1
    return total * refused


@program(given)
def only_what_is_raised(x):
    ledger = Ledger(x[0])
    ratios, refused = 0.0, 0
    for v in x:
        try:
            ratios = ratios * 0.5 + ledger.book(v)
            ratios = ratios * ledger.balance
        except Declined:
            refused += 1
    return ledger.balance * ratios + ledger.fees * refused


@program(given, needs="shapes")
def tests_that_raise(x):
    total = 1.0
    for k, v in enumerate(x):
        try:
            total += 1.0
            if k % 2 == 0:
                total *= 2.0
                total += root(v)
            elif root(v) > 1.0:
                total -= v
                total /= v
            total += v
        except (ValueError, ZeroDivisionError):
            total += 0.5 * v
        else:
            total *= 1.5
        finally:
            total += 0.1
    return total


@program(given)
def handlers_that_leave(x):
    total, k = 1.0, 0
    for i, v in enumerate(x):
        try:
            total += v
            if i == 1:
                raise KeyError("a")
            total *= 2.0
            total += root(v)
            k = {0: 1, 2: 3}[i]
            total += k
        except KeyError as error:
            total -= 1.0 * len(str(error))
            continue
        except ValueError:
            total *= 3.0
            if i == 2:
                break
        total += 100.0
    return total * (k + 1)


@program(given)
def a_loop(x):
    total, count = 1.0, 0
    try:
        for v in x:
            count += 1
            total += v
            total *= root(v)
    except ValueError:
        total *= 7.0
    else:
        total *= 11.0
    return total * count


@program(given, needs="shapes")
def a_loop_without_end(x):
    k, total = 0, 1.0
    try:
        while True:
            total += x[k]
            total = total * root(x[k])
            k += 1
    except ValueError:
        total += k
    finally:
        total *= k
    return total


@program(given, needs="shapes")
def one_inside_another(x):
    total = 0.0
    for v in x:
        try:
            total += 1.0
            try:
                total += root(v)
            finally:
                total *= 1.1
            total += 0.25
        except ValueError:
            total += v * v
    return total


@program(given)
def items_of_a_dict(x):
    d = {"a": x[0]}
    try:
        d["b"] = x[1] * d["a"]
        d["a"] = root(x[2])
        d["c"] = 2.0
    except ValueError:
        d["a"] = d["b"] * 2.0
    return d["a"] * d["b"]


class Cell:
    def __init__(self, v):
        self.v = v
        self.n = 0


@program(given, needs="shapes")
def attributes(x):
    cell = Cell(x[0])
    for v in x:
        try:
            cell.n += 1
            cell.v += v
            cell.v *= root(v)
        except ValueError:
            cell.v -= 1.0
    return cell.v * cell.n


@program(given)
def a_list(x):
    out = []
    for v in x:
        try:
            out.append(v)
            out.append(root(v))
        except ValueError:
            out.pop()
    return sum(v * v for v in out)


# ---- ways out past a finally

@program(given, needs="shapes")
def ways_out(x):
    log = []

    def searched(limit):
        total = 0.0
        try:
            for v in x:
                for w in x:
                    total += v * w
                    if w > limit:
                        return total
                    if v > limit:
                        break
                if total > 100.0:
                    continue
                total += 1.0
        finally:
            log.append(limit)
        return -total

    return searched(1.0) + searched(2.0) * len(log) + searched(10.0)


@program(given)
def a_turn_left_out(x):
    total, count = 0.0, 0
    for v in x:
        try:
            if v < 0.0:
                continue
            if v > 1.2:
                break
            total += v * v
        finally:
            total *= 2.0
            count += 1
    return total * count


class Solver:
    def __init__(self, w):
        self.w = w
        self.busy = False

    def run(self, v):
        self.busy = True
        try:
            if v < 0.0:
                return self.w * v
            return self.w * root(v)
        finally:
            self.busy = False

    def with_another(self, w, v):
        before, self.w = self.w, w
        try:
            return self.run(v)
        finally:
            self.w = before


@program(given)
def attributes_put_back(x):
    solver = Solver(x[0])
    return sum(solver.run(v) for v in x) + solver.with_another(x[1], x[3]) + solver.w


# ---- managers that swallow exceptions, or write

class Calm:
    def __init__(self):
        self.n = 0

    def __enter__(self):
        self.n += 1
        return self

    def __exit__(self, kind, error, trace):
        self.n += 10
        return kind is ValueError


class Lent:
    def __init__(self, holder, w):
        self.holder = holder
        self.w = w

    def __enter__(self):
        self.before = self.holder["w"]
        self.holder["w"] = self.w
        return self.holder

    def __exit__(self, *told):
        self.holder["w"] = self.before


@contextlib.contextmanager
def calmed(log):
    try:
        yield
    except ValueError as error:
        log.append(str(error))


@contextlib.contextmanager
def scaled(holder, k):
    before = holder["w"]
    holder["w"] = before * k
    try:
        yield holder
    finally:
        holder["w"] = before


@program(given, needs="shapes")
def managers_that_swallow(x):
    y = x[0]
    with Calm() as calm, Calm() as inner:
        y = root(x[0]) * calm.n
    with calm:
        y *= 2.0
        y *= root(x[2])
    return y * calm.n * inner.n * x[1]


@program(given)
def generators_that_swallow(x):
    total, log = 0.0, []
    for v in x:
        with calmed(log):
            total += v
            total += root(v)
    return total * len(log)


@program(given)
def managers_that_lend(x):
    holder = {"w": x[0]}
    with Lent(holder, x[1]) as lent:
        y = lent["w"] * holder["w"]
    return y * holder["w"]


@program(given)
def blocks_that_are_left(x):
    holder = {"w": x[1]}

    def found(v):
        with scaled(holder, 2.0) as lent:
            if v < 0.0:
                return v * lent["w"]
            return v * v * lent["w"]

    return sum(found(v) for v in x) * holder["w"]


# ---- exceptions that are kept

def of_class(error, v):
    return v * 2.0 if isinstance(error, ValueError) else v


@program(given)
def kept_exceptions(x):
    total, first, errors = 0.0, None, []
    for v in x:
        try:
            total += root(v)
        except ValueError as error:
            first = first or error
            errors.append(error)
            total += of_class(error, v)
    return total * (len(errors) + 1) if type(first).__name__ == "ValueError" else total


@program(given)
def the_last_one_is_raised(x):
    def first_root(values):
        last = None
        for v in values:
            try:
                return root(v) * 3.0
            except ValueError as error:
                last = error
        raise last

    total = first_root(x[2:])
    try:
        total += first_root(x[2:3])
    except ValueError:
        total *= x[0]
    return total


@program(given)
def causes(x):
    def wrapped(v):
        try:
            return root(v)
        except ValueError as error:
            raise RuntimeError("no root") from error

    total = 0.0
    for v in x:
        try:
            total = total + wrapped(v)
        except RuntimeError as error:
            total = total + v * v * (2.0 if isinstance(error.__cause__, ValueError) else 1.0)
    return total


@program(lambda: (X.copy(),))
def left_out_of_three_loops(x):
    total, count = 0.0, 0
    try:
        for i in range(3):
            total = total + x[i]
            for j in range(3):
                for k in range(2):
                    count += 1
                    total = total + x[j] * k
                    if total > 1.5:
                        raise OverflowError
    except OverflowError:
        total = total * 2.0
    return total * count


class Refused(Exception):
    pass


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.calls = 0
        self.history = []

    def withdraw(self, amount):
        if amount > self.balance:
            raise Refused(f"{amount:.1f} is too much")
        self.balance -= amount
        self.calls += 1
        self.history.append(-amount)

    def last(self):
        return self.history.pop()


@program(given)
def methods_that_raise_before_they_change_anything(x):
    account, total = Account(x[1] ** 2), 0.0
    for v in x:
        try:
            account.withdraw(v ** 2)
            account.withdraw(0.1 * x[0])
        except Refused as error:
            print(error)
        else:
            total += account.balance
    for _ in range(9):
        try:
            value = account.last()
        except IndexError:
            break
        total += value ** 2 * account.calls
    return total * account.balance


def limited(most):
    calls = 0

    def step(v):
        nonlocal calls
        calls += 1
        if calls > most:
            raise RuntimeError(f"{calls} calls")
        return v * 0.9 + calls
    return step


@program(given)
def names_that_get_what_a_call_gives_once_it_is_done(x):
    step, v, w = limited(3), x[0], x[1]
    for k in range(5):
        try:
            v, w = step(v), v * w
        except RuntimeError as error:
            print(error)
            v = v * w * k
    return v ** 2


class Scheme:
    def __init__(self, rate):
        self.rate = rate
        self.steps, self.rejected, self.status = 0, 0, "new"

    def step(self, y, h):
        self.steps += 1
        self.status = "running"
        if h * self.rate > 1.0:
            self.rejected += 1
            self.status = "rejected"
            raise ValueError("unstable")
        self.status = "done"
        new = y - h * self.rate * y
        self.rate = self.rate * 0.9
        return new

    def slope(self, y):
        self.steps += 1
        if y == 0.0:
            raise ZeroDivisionError("flat")
        return self.rate / y


@program(given)
def methods_that_count_before_they_raise(x):
    scheme, y, h = Scheme(x[1] ** 2 + 1.0), x[0], 0.9
    for v in (*x, 0.0):
        try:
            y = scheme.step(y, h)
        except ValueError as error:
            h /= 2
            print(error, scheme.status)
        try:
            y = y + 0.1 * scheme.slope(v)
        except ZeroDivisionError:
            y = y * 2.0
        if scheme.status == "done":
            y = y * 1.1
    return y * scheme.steps * scheme.rate + scheme.rejected


@program(given)
def attributes_that_a_finally_is_the_first_to_set(x):
    scheme = Scheme(x[1] ** 2)
    try:
        y = scheme.rate * x[0]
    finally:
        scheme.closed, scheme.share = True, 0.5
    return y * scheme.share * scheme.rate if scheme.closed else y


class Changing:
    def __init__(self, v):
        self.v, self.n = v, 0

    def test(self):
        self.v = self.v * 2.0
        self.n += 1
        return self.v > 1.0

    def limited(self, x):
        self.n += 1
        if x > 1.0:
            raise Declined("too large")
        return x * self.v


@program(given)
def what_was_done_before_a_method_that_only_counts(x):
    """A call that came to its end has changed more than one that raises."""
    changing, y = Changing(x[0]), 0.1
    for v in (0.2, x[1], 0.7):
        try:
            if changing.test():
                y = y + changing.limited(v)
        except Declined:
            y = y * 2.0
    return y * changing.n * changing.v
