"""Statements that raise, whose old values are read afterwards: neither a cotangent nor a tangent may have changed."""
# ruff: noqa: E722, PERF203, SIM105
from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, program

ALTERNATING = np.array([0.4, -1.3, 2.5, -0.6])
"""Logarithms and roots of every other one raise."""


@program(lambda: (ALTERNATING.copy(),), needs="shapes")
def products_that_stay(xs):
    total = xs[2]
    for x in xs:
        try:
            total *= math.log(x)
        except ValueError:
            pass
        total += x
    return total


@program(lambda: (ALTERNATING.copy(), 0.7))
def powers_that_stay(xs, w):
    y = xs[2] * w
    for x in xs:
        with contextlib.suppress(ValueError, TypeError):
            y **= math.sqrt(x) + w
        y = y * 1.1
    return y


@program(lambda: (ALTERNATING.copy(),))
def two_names_at_once(xs):
    a, b = xs[0], xs[1]
    for x in xs:
        try:
            a, b = b * math.log(x), a + x
        except:
            a = a * 0.5
    return a * b


@program(lambda: (ALTERNATING.copy(), np.array([1.0, 2.0, 3.0])))
def elements_that_stay(xs, u):
    v = u * 2.0
    for k in range(4):
        try:
            v[k % 3] *= math.sqrt(xs[k]) * v[1]
        except ValueError:
            v[k % 3] += xs[k]
    return (v * v).sum()


@program(lambda: (ALTERNATING.copy(),))
def places_out_of_range(xs):
    v = xs * 2.0
    for k in range(2, 7):
        try:
            v[k] += xs[k - 2] * v[0]
        except IndexError:
            v[0] = v[0] * xs[k % 4]
    return (v * v).sum()


@program(lambda: ({"a": np.array([1.0, 2.0]), "b": np.array([0.5, 3.0])}, 1.5))
def keys_that_are_there(d, w):
    total = {"a": d["a"] * w, "c": d["b"] * 2.0}
    for key in ("a", "b", "c"):
        try:
            total[key] = total[key] * d[key] + total["a"]
        except KeyError:
            total["a"] = total["a"] * 0.5
    return (total["a"] * total["c"]).sum()


@dataclass
class Account:
    value: float
    rate: float


@program(lambda: (1.2, ALTERNATING.copy()))
def attributes_that_stay(start, xs):
    account = Account(start, start * 0.1)
    for x in xs:
        try:
            account.value *= math.log(x) + account.rate
        except ValueError:
            account.rate = account.rate * x
    return account.value * account.rate


def slope_of_the_root(x):
    return math.sqrt(x) * x


@program(lambda: (ALTERNATING.copy(), 0.8))
def arguments_that_raise(xs, w):
    total = w
    for x in xs:
        try:
            total = total + slope_of_the_root(math.log(x + 1.0) * total * x)
        except (ValueError, OverflowError):
            total = total * x
    return total


@program(lambda: (ALTERNATING.copy(),))
def any_arithmetic(xs):
    total = np.sum(xs)
    with np.errstate(invalid="raise"):
        for x in xs:
            try:
                root = np.sqrt(x)
                scaled = root * total
                total = scaled / (1.0 + root)
            except ArithmeticError:
                total = total * x
    return total


@program(lambda: (normal(3, 3), normal(3)))
def returned_after_a_loop(a, b):
    for shift in (0.0, 1.0):
        try:
            lower = np.linalg.cholesky(a + shift * a.T)
            return np.sum(np.linalg.solve(lower, b))
        except np.linalg.LinAlgError:
            b = b * 2.0 + np.diag(a)
    try:
        return np.sum(np.tanh(b) * np.linalg.inv(a @ a.T + np.eye(3)))
    except:
        return 0.0
