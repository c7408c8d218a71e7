"""Objects, lists and arrays that are one thing under two names, or in two places: right, or refused."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import compare, cotangent_like


class Particle:
    def __init__(self, x: Any, v: Any):
        self.x, self.v = x, v

    def step(self, dt: float) -> None:
        self.x = self.x + dt * self.v

    def scale(self) -> None:
        self.x *= 2.0

    def set_place(self, y: Any) -> None:
        self.x = y

    def share(self, other: Particle) -> None:
        self.x = other.x


class Registered:
    def __init__(self, x: Any, registry: Any):
        self.x = x
        self.register(registry)

    def register(self, registry: Any) -> None:
        registry.append(self)

    def bump(self) -> None:
        self.x = self.x * 3.0


class Layer:
    def __init__(self, w: Any):
        self.w = w

    def __call__(self, x: Any) -> Any:
        self.x = x
        self.out = x * self.w
        return self.out


class Node:
    def __init__(self, value: Any, next: Any = None):
        self.value, self.next = value, next


def vector(seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=2)


def particles() -> list:
    return [Particle(vector(1), vector(2)), Particle(vector(3), vector(4))]


CASES: list = []


def case(args: Callable[[], tuple]) -> Callable:
    def enter(function: Callable) -> Callable:
        CASES.append(pytest.param(function, args, id=function.__name__))
        return function
    return enter


def total(ps: Any) -> Any:
    return sum(np.sum(p.x ** 2 * p.v) for p in ps)


@case(lambda: (particles(), vector(5)))
def one_array_for_two_scaled(ps: Any, y: Any) -> Any:
    ps[0].set_place(y)
    ps[1].set_place(y)
    ps[1].scale()
    return total(ps)


@case(lambda: (particles(), vector(5)))
def one_array_for_all_scaled(ps: Any, y: Any) -> Any:
    for p in ps:
        p.set_place(y)
    for p in ps:
        p.scale()
    return total(ps)


@case(lambda: (particles(),))
def shared_and_scaled(ps: Any) -> Any:
    ps[0].share(ps[1])
    ps[0].x *= 2.0
    return total(ps)


@case(lambda: (vector(1), vector(2)))
def one_array_in_two_made_here(x: Any, v: Any) -> Any:
    ps = [Particle(x, v), Particle(x, v)]
    for p in ps:
        p.step(0.1)
    ps[0].v[0] = 3.0
    return total(ps)


@case(lambda: (vector(1), vector(2)))
def one_object_twice(x: Any, v: Any) -> Any:
    p = Particle(x, v)
    ps = [p, p]
    for q in ps:
        q.step(0.1)
    return total(ps)


@case(lambda: (vector(1), vector(2)))
def one_object_appended_twice(x: Any, v: Any) -> Any:
    ps: list = []
    p = Particle(x, v)
    for _ in range(2):
        ps.append(p)
    for q in ps:
        q.step(0.1)
    return total(ps)


@case(lambda: (vector(1), vector(2)))
def one_object_in_two_lists(x: Any, v: Any) -> Any:
    p = Particle(x, v)
    first: list = []
    second: list = []
    first.append(p)
    second.append(p)
    for q in first:
        q.step(0.1)
    return total(second)


@case(lambda: (vector(1), vector(2)))
def appended_and_changed(x: Any, v: Any) -> Any:
    ps: list = []
    for k in range(3):
        p = Particle(x, v)
        ps.append(p)
        p.step(0.1 * k)
    return total(ps)


@case(lambda: ([vector(1), vector(2)], vector(3)))
def made_of_arrays_that_are_scaled(xs: Any, v: Any) -> Any:
    ps = [Particle(x, v) for x in xs]
    for p in ps:
        p.scale()
    return total(ps) + np.sum(xs[0])


@case(lambda: ([vector(1), vector(2)], vector(3)))
def made_of_arrays_that_are_written_into(xs: Any, v: Any) -> Any:
    ps = [Particle(x, v) for x in xs]
    xs[0][0] = 5.0 * v[0]
    return total(ps)


@case(lambda: (particles(),))
def another_list_of_the_same(ps: Any) -> Any:
    qs = [p for p in ps]  # noqa: C416
    for q in qs:
        q.step(0.1)
    return total(ps)


def put_and_returned(log: Any, x: Any) -> Any:
    y = x * 2.0
    log.append(y)
    return y


@case(lambda: (vector(1), vector(2)))
def array_that_is_logged(x: Any, v: Any) -> Any:
    log: list = []
    r = put_and_returned(log, x)
    r *= 3.0 * v
    return np.sum(log[0] ** 2 * v)


@case(lambda: (vector(1), vector(2)))
def object_that_registers_itself(x: Any, v: Any) -> Any:
    registry: list = []
    p = Registered(x, registry)
    p.bump()
    return np.sum(registry[0].x * v)


@case(lambda: (vector(1), vector(2)))
def objects_changed_by_their_registry(x: Any, v: Any) -> Any:
    registry: list = []
    p = Registered(x, registry)
    q = Registered(v, registry)
    for r in registry:
        r.bump()
    return np.sum(p.x * q.x)


def kept(ps: Any, x: Any) -> Any:
    p = Particle(x, x * 2.0)
    ps.append(p)
    return p


@case(lambda: (vector(1), vector(2), particles()))
def object_that_a_function_keeps(x: Any, v: Any, ps: Any) -> Any:
    p = kept(ps, x)
    p.step(0.1)
    return np.sum(ps[2].x * v)


@case(lambda: ([Layer(vector(1)), Layer(vector(2))], vector(3)))
def output_of_a_layer_is_scaled(layers: Any, x: Any) -> Any:
    for layer in layers:
        x = layer(x)
    layers[0].out *= 2.0
    return np.sum(x ** 2) + np.sum(layers[1].x ** 2)


@case(lambda: ([Layer(vector(1)), Layer(vector(2))], vector(3)))
def inputs_of_layers_are_scaled(layers: Any, x: Any) -> Any:
    y = x
    for layer in layers:
        y = layer(y)
    for layer in layers:
        layer.x *= 2.0
    return np.sum(y ** 2) + np.sum(x ** 2)


@case(lambda: (Node(1.5, Node(2.5, Node(0.5))), 1.5, 2))
def some_nodes_scaled(node: Any, k: Any, n: int) -> Any:
    here = node
    while here is not None and n > 0:
        here.value = here.value * k
        n = n - 1
        here = here.next
    return node.value * node.next.value


@case(lambda: (Node(1.5, Node(2.5, Node(0.5))), 2.0))
def turns_without_a_step(node: Any, x: Any) -> Any:
    result, first = 0.0, True
    while node is not None:
        result += node.value * x
        if first:
            first = False
            continue
        node = node.next
    return result


class Ball:
    def __init__(self, place: Any):
        self.place, self.speed = place, np.zeros(2)

    def fall(self, pull: Any = np.array([0.0, -9.81])) -> None:  # noqa: B008
        self.speed = self.speed + 0.1 * pull
        self.place = self.place + self.speed


class Room:
    def __init__(self) -> None:
        self.balls: list = []

    def add(self, ball: Any) -> Any:
        self.balls.append(ball)
        return self


@case(lambda: (vector(1), vector(2)))
def array_as_a_default(p: Any, q: Any) -> Any:
    room = Room().add(Ball(p)).add(Ball(q))
    for ball in room.balls:
        ball.fall()
        ball.place[0] *= 2.0
    return room.balls[0].place @ room.balls[1].place


class Crowd:
    def __init__(self, people: list):
        self.people = list(people)


@case(lambda: (Crowd([Particle(0.4, 0.1), Particle(0.7, 0.2)]), 1.3))
def another_under_the_name_of_an_argument(crowd: Any, t: float) -> Any:
    crowd.people = [p for p in crowd.people if p.x > 0.5]
    first = crowd.people[0]
    total = first.x * t
    crowd = Crowd([Particle(p.x * t, 0.0) for p in crowd.people])
    return total + sum(p.x for p in crowd.people)


class Weights:
    def __init__(self, numbers: Any):
        self.numbers = numbers

    def put(self, place: Any, x: Any) -> None:
        self.numbers[place] = x * self.numbers[place]


@case(lambda: ([0.2, 0.3, 0.5], 0.7))
def written_into_while_asked_backwards(numbers: Any, x: Any) -> Any:
    weights, own = Weights(numbers), Weights([x, x])
    for weight, factor in zip(reversed(numbers), own.numbers):
        x = x * weight + factor
        weights.put(-2, x)
        own.put(1, x)
    return x + sum(numbers)


@case(lambda: ({"a": 0.2, "b": 0.3}, 0.7))
def written_into_while_asked_for_its_values(numbers: Any, x: Any) -> Any:
    weights = Weights(numbers)
    for function, (key, weight) in zip([np.sin, np.cos], numbers.items()):
        x = function(x) * weight + len(key)
        weights.put("b", x)
    return x + sum(numbers.values())


@pytest.mark.parametrize(("function", "args"), CASES)
def test_right_or_refused(function: Callable, args: Callable[[], tuple]) -> None:
    try:
        value, pullback = s2sgrad.vjp(function, *args())
    except UnsupportedError:
        return
    plain = function(*args())
    np.testing.assert_array_equal(value, plain)
    cotangent = cotangent_like(plain)
    wanted = tuple(index for index, part in enumerate(args()) if not isinstance(part, int))
    pulled = pullback(cotangent)
    compare(tuple(pulled[index] for index in wanted), function, args(), wanted, cotangent)


class Place:
    def __index__(self) -> int:
        return 0


def test_axis_that_is_an_object_of_known_attributes() -> None:
    """What NumPy does with it is not known: no gradient is dropped."""
    def f(x: Any, p: Any) -> Any:
        p.set_place(1.0)
        return np.sum(np.max(x, axis=p.axis) * p.x)
    p = Particle(0.0, 0.0)
    p.axis = Place()  # type: ignore[attr-defined]
    with pytest.raises(UnsupportedError, match="must be known|is not known"):
        s2sgrad.grad(f)(np.ones((2, 2)), p)
