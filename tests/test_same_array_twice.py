"""Containers that hold an array in two places, or arrays that share memory, one of which is written into: the gradient
is that of finite differences, or the program is refused; those that hold each array once are right."""
from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import compare

HEAD = """\
import copy
import itertools

import numpy as np


class Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second


class State:
    def __init__(self, parts=None):
        self.parts = parts

    def mix(self):
        first = self.parts[0]
        first += self.parts[2]
        self.parts[2][0] = 5.0

    def double(self):
        for p in EACH(self.parts):
            p *= 2.0


def itself(a):
    return a


def turned(a):
    return np.flip(a)


def two(a):
    return a, a


def listed(a, b):
    return [a, b]


def picked(ps, k):
    return ps[k]


def f(x):
    u, v = np.sin(x), np.cos(x)
    ps = [u, v]
"""
LISTS = (
    "[u, v, u]", "[u for _ in range(3)]", "[u] * 3", "list([u, v, u])", "[u, v] + [u]", "[*[u, v], u]", "[*ps, ps[0]]",
    "ps + ps", "ps + [ps[0]]", "list(two(u)) + [u]", "listed(u, u) + [v]", "[itself(u), v, u]",
    "[u, v, picked([u, v], 0)]", "list(map(itself, [u, v, u]))", "[u, v, u[:]]", "[u, v, u.T]",
    "ps[:1] + ps[1:] + ps[:1]", "[a for a, b in zip([u, v, u], range(3))]", "list(itertools.chain([u, v], [u]))",
    "[u, v, u if x[0] > -9 else v]", "[u, v, np.asarray(u)]", "copy.copy([u, v, u])", "list(itertools.repeat(u, 3))",
    "sorted([u, v, u], key=lambda q: 0.0)", "[q for _, q in enumerate((u, v, u))]",
    "list(filter(lambda q: True, [u, v, u]))", "[u, v, turned(u)]", "[u, v, {'k': u}['k']]", "[(w := u), v, w]",
    "(lambda a, b: [a, b, a])(u, v)", "[Pair(u, v).first, v, u]", "[p for p in ps for _ in range(2)]",
)
DICTS = ("{k: u for k in (0, 1, 2)}", "{0: u, 1: v, 2: u}", "dict([(0, u), (1, v), (2, u)])", "{**{0: u, 1: v}, 2: u}",
         "dict.fromkeys((0, 1, 2), u)")
NESTED = ("[[u], [v], [u]]", "[(u, 1), (v, 2), (u, 3)]", "[{0: u}, {0: v}, {0: u}]")
OBJECTS = ("[State(u), State(v), State(u)]", "[State(p) for p in (u, v, u)]", "[State(u) for _ in range(3)]")
HOLDERS = ("parts = {}", "state = State({})\n    parts = state.parts", "state = State()\n    state.parts = {}\n"
           "    parts = state.parts", "made = {}\n    state = State(made)\n    parts = state.parts",
           "table = {{'k': {}}}\n    parts = table['k']")
WRITES = ("parts[0]{at} += parts[2]{at}\n    parts[2]{at}[0] = 5.0", "parts[2]{at} *= 3.0",
          "for p in parts{each}:\n        p{at} *= 2.0")
METHODS = ("state.mix()\n    parts = state.parts", "state.double()\n    parts = state.parts")
ONCE = ("[np.sin(x), np.cos(x), np.tanh(x)]", "[np.sin(k * x) for k in range(3)]", "[1.0 * u, v + 0.0, u * v]",
        "{k: np.sin(k * x) for k in (0, 1, 2)}")


def programs(made: tuple[str, ...], at: str = "", each: str = "") -> Iterator[str]:
    for parts, holder in itertools.product(made, HOLDERS):
        for write in (*WRITES, *METHODS) if "state" in holder and not at else WRITES:
            head = HEAD.replace("EACH(self.parts)", f"self.parts{each}")
            total = f"sum(np.sum(p{at} ** 2) for p in parts{each})"
            yield f"{head}    {holder.format(parts)}\n    {write.format(at=at, each=each)}\n    " \
                  f"return {total} + parts[0]{at}[0]\n"


TAKEN = ("u = parts[0]\n    parts[0] = u", "u = parts[0]\n    parts[0] = u[::-1]",
         "u = parts[0]\n    parts[0] = parts[0]", "u = parts[0]\n    parts[0] = 2.0 * u",
         "w = parts[0]\n    u = parts[0]\n    parts[0] = w",
         "u = parts[0]\n    parts[0] = parts[1]", "u = parts.pop(0)\n    parts.append(u)",
         "numbers = iter([0, 2])\n    u = parts[next(numbers)]\n    parts[next(numbers)] = x ** 2")
"""What is in a container gets a name, and something else takes its place, or it comes back."""


TWICE = [*programs(LISTS), *programs(DICTS, each=".values()"), *programs(NESTED, at="[0]"),
         *programs(OBJECTS, at=".parts"), *(
             f"{HEAD}    parts = [np.sin(x), np.cos(x), 2.0 * x]\n    {taken}\n    u *= 3.0\n    "
             "return sum(k * np.sum(p ** 2) for k, p in enumerate(parts)) + u[1]\n" for taken in TAKEN)]


def examine(text: str) -> None:
    """Raises UnsupportedError, or AssertionError where the value or the gradient is wrong."""
    x = np.arange(3.0) / 3.0 + 0.1
    with compiled(text) as function:
        value, gradient = s2sgrad.value_and_grad(function)(x)
        assert value == function(x)
        compare((gradient,), function, (x,), (0,), 1.0)


@pytest.mark.parametrize("start", range(20))
def test_twice(start: int) -> None:
    """Many at a time: all of the last, and of each kind of container every third."""
    for text in (*TWICE[start:-len(TAKEN):60], *TWICE[len(TWICE) - len(TAKEN) + start::20]):
        try:
            examine(text)
        except UnsupportedError:
            continue
        except AssertionError as error:
            raise AssertionError(f"{error}\n{text}") from error


def test_a_shape_by_its_name() -> None:
    examine(f"{HEAD}    w = np.reshape(u, shape=(-1,))\n    w *= 3.0\n    return np.sum(u * x) + u[0] * v[1]\n")


@pytest.mark.parametrize("write", ["flag = bool(x[0] > -9.0)\n    rows[flag] *= 3.0",
                                   "rows[0] *= 3.0\n    u = sum(rows[flag] for flag in (True, False))",
                                   "same = sum([], m)\n    same *= 3.0"])
def test_other_ways_to_parts_of_an_array(write: str) -> None:
    """A list takes a flag for a number, an array for a mask; the sum of nothing is what it starts with."""
    text = f"{HEAD}    m = np.outer(x, x)\n    rows = list(m)\n    {write}\n    return np.sum(m ** 2) + u[0]\n"
    with contextlib.suppress(UnsupportedError):
        examine(text)


@pytest.mark.parametrize("text", [
    text for made in ONCE for text in programs((made,), each=".values()" if made[0] == "{" else "")])
def test_once(text: str) -> None:
    examine(text)
