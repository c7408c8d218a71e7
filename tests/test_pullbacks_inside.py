"""Calls of ``vjp`` and ``jvp`` inside of functions that are differentiated themselves."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from along_tangents import judged_along

from s2sgrad import elementwise_grad, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from s2sgrad.errors import ArgumentError

W = np.random.default_rng(0).normal(size=(3, 2))
X = np.random.default_rng(1).normal(size=2)
ONES = np.ones(3)


def net(w, x):
    return np.tanh(w @ x)


def energy(w, x):
    return np.sum(np.tanh(w @ x) * np.array([1.0, 2.0, -1.0]))


@dataclass
class Model:
    w: Any

    def energy(self, x):
        return energy(self.w, x)

    def net(self, x):
        return net(self.w, x)


# ---- tangents

def tangent(w, x):
    value, dot = jvp(net, (w, x), (w, x))
    return np.sum(value * dot)


def tangent_alone(w, x):
    return np.sum(jvp(net, (w, x), (None, x))[1] ** 2)


def tangent_by_keyword(w, x):
    return np.sum(jvp(net, tangents=[None, x], primals=[w, x])[1] ** 2)


def tangent_along_several(w, x):
    rest, still = (x,), (None,)
    return np.sum(jvp(net, (w, *rest), (w, *still))[1] ** 2) + np.sum(jvp(net, [*(w, x)], [None, *rest])[1])


def tangent_of_a_lambda(w, x):
    _, dot = jvp(lambda t: net(w, t) * x[0], (x,), (x**2,))
    return np.sum(dot**2)


def tangent_of_an_inner_function(w, x):
    def inside(t, k=2.0):
        return np.sin(net(w, t)) * k
    pairs = (x,), (np.ones(2),)
    value, dot = jvp(inside, *pairs)
    return value @ dot


def tangent_of_a_method(w, x):
    model = Model(w)
    value, dot = jvp(model.net, (x,), (x,))
    return value @ dot


def tangent_of_a_method_of_an_argument(w, x):
    def inner(model, x):
        return np.sum(jvp(model.net, (x,), (x,))[1] ** 2)
    return inner(Model(w), x)


def tangent_of_a_tangent(w, x):
    def once(t):
        return jvp(lambda s: net(w, s), (t,), (x,))[1]
    return np.sum(jvp(once, (x * 2,), (x,))[1] ** 2)


def tangent_of_a_gradient(w, x):
    _, dot = jvp(grad(lambda t: energy(w, t)), (x,), (x,))
    return np.sum(dot**2)


def gradient_of_a_tangent(w, x):
    return np.sum(grad(lambda t: jvp(lambda s: energy(w, s), (t,), (x,))[1])(x) ** 2)


def looping(w, x, n):
    for k in range(n):
        if x[0] > k:
            x = np.tanh(w[:2] @ x)
        else:
            x = np.sin(w[1:] @ x)
    return x


def tangent_of_a_loop(w, x):
    value, dot = jvp(looping, (w, x, 3), (None, x, None))
    return np.sum(value * dot)


def tangents_in_a_loop(w, x):
    total = 0.0
    for k in range(3):
        x, dot = jvp(lambda t: np.tanh(w[:2] @ t) * (k + 1), (x,), (x,))  # noqa: B023
        total = total + np.sum(dot**2)
    return total


def in_parts(w, state):
    x, more = state["x"], state["more"]
    return {"sum": w @ x + more[0], "parts": (np.sin(x), more[1] ** 2), "name": "text"}


def tangent_of_containers(w, x):
    value, dot = jvp(in_parts, (w, {"x": x, "more": [x[0], x[1]]}), (None, {"x": x, "more": [1.0, x[0]]}))
    return np.sum(dot["sum"] ** 2) + np.sum(dot["parts"][0] * value["parts"][0]) + dot["parts"][1]


def tangent_of_what_does_not_move(w, x):
    value, dot = jvp(lambda t: w @ x, (x,), (x,))
    return np.sum(value**2) + np.sum(dot)


def power(x, n):
    return x if n == 0 else x * power(np.sin(x), n - 1)


def tangent_of_a_recursion(w, x):
    return np.sum(jvp(power, (x, 3), (x, None))[1] ** 2) + w[0, 0]


def scaled_in_place(u, w):
    u *= w[0, 0]
    u[1] = u[0] * u[1]
    return u.sum()


def tangent_of_a_writer(w, x):
    u = x * 2
    value, dot = jvp(scaled_in_place, (u, w), (x, None))
    return value * dot + np.sum(u**2)


def tangent_of_numpys_function(w, x):
    return np.sum(jvp(np.sin, (w @ x,), (ONES,))[1] ** 2)


def tangent_of_an_integer_direction(w, x):
    return jvp(lambda t: np.sum(w * t), (x[0],), (1,))[1]


def newton_by_tangents(w, x):
    t = x[0]
    for _ in range(3):
        value, slope = jvp(lambda s: s**3 + w[0, 0] * s + 5.0, (t,), (1.0,))
        t = t - value / slope
    return t


# ---- pullbacks

def pullback_(w, x):
    value, pull = vjp(net, w, x)
    w_bar, x_bar = pull(value)
    return np.sum(w_bar**2) + np.sum(x_bar**2)


def pullback_of_a_lambda(w, x):
    value, pull = vjp(lambda t: net(w, t) * x[0], x)
    x_bar, = pull(value * 2)
    return np.sum(x_bar**2)


def pullback_at_once(w, x):
    return np.sum(vjp(lambda t: net(w, t), x)[1](ONES)[0] ** 2)


def pullback_called_twice(w, x):
    def inside(t):
        return net(w, t)
    _, pull = vjp(inside, x)
    return pull(ONES)[0] @ pull(np.array([1.0, 0.0, x[0]]))[0]


def pullbacks_in_a_list(w, x):
    pulls = [vjp(lambda t: net(w, t), x * k)[1] for k in range(3)]
    total = 0.0
    for pull in pulls:
        total = total + np.sum(pull(ONES)[0] ** 2)
    return total


def pullbacks_in_a_loop(w, x):
    total = 0.0
    for k in range(2):
        value, pull = vjp(lambda t: net(w, t) * (k + 1), x)  # noqa: B023
        x = pull(value)[0]
        total = total + np.sum(x**3)
    return total


def pullback_of_a_method(w, x):
    model = Model(w)
    _, pull = vjp(model.net, x)
    return np.sum(pull(ONES)[0] ** 2)


def pullback_handed_on(w, x):
    def apply(pull, bar):
        return pull(bar)[1]
    _, pull = vjp(net, w, x)
    return np.sum(apply(pull, ONES) ** 2)


def pullback_of_containers(w, x):
    def parts(t, pair):
        return {"a": w @ t, "b": (t[0] * pair[0], [pair[1]])}
    value, pull = vjp(parts, x, (x[0], x[1]))
    x_bar, pair_bar = pull({"a": value["a"], "b": (1.0, [x[1]])})
    return np.sum(x_bar**2) + pair_bar[0] * pair_bar[1]


def pullbacks_of_what_is_bound_anew(w, x):
    pulls = []
    for k in range(2):
        _, pull = vjp(lambda t: net(w, t) * (k + 1), x)  # noqa: B023
        pulls.append(pull)
    return np.sum(pulls[0](ONES)[0] * x)


class Layer:
    def __init__(self, w, label):
        self.w, self.label = w, label


BAR = Layer(W * 2, "a cotangent")


def pullback_of_an_object(w, x):
    def made(w, x):
        return Layer(np.sin(w) * x, "made")
    _, pull = vjp(made, w, x)
    return np.sum(pull(BAR)[0] * w) + pull(BAR)[1] @ x


def pullback_with_integers(w, x):
    value, pull = vjp(looping, w, x, 3)
    w_bar, x_bar, none = pull(value)
    return np.sum(w_bar**2) + np.sum(x_bar) + (none is None)


def pullback_of_a_gradient(w, x):
    def slope(t):
        return grad(energy, 1)(w, t)
    _, pull = vjp(slope, x)
    return np.sum(pull(x)[0] ** 2)


def gradient_of_a_pullback(w, x):
    return np.sum(grad(lambda t: np.sum(vjp(lambda s: net(w, s), t)[1](ONES)[0] ** 2))(x) ** 2)


def pullback_of_a_pullback(w, x):
    def once(t):
        return vjp(lambda s: net(w, s), t)[1](ONES)[0]
    return np.sum(vjp(once, x)[1](x)[0] ** 2)


def arguments_written_into_before(w, x):
    u = x * 2
    _, pull = vjp(net, w, u)
    u[0] = 7.0
    return np.sum(pull(ONES)[1] ** 2) + np.sum(u * x)


def closed_over_and_written_into(w, x):
    v = w * 2
    _, pull = vjp(lambda t: net(v, t), x)
    v[0] = 7.0
    return np.sum(pull(ONES)[0] ** 2) + np.sum(v @ x)


def closed_over_and_written_into_in_a_list(w, x):
    layers = [w * 2, w * 3]
    _, pull = vjp(lambda t: net(layers[0], t) + net(layers[1], t), x)
    layers[0][0] = x
    layers[1] = w
    return np.sum(pull(ONES)[0] ** 2) + np.sum(layers[0] @ x)


def object_changed_before(w, x):
    model = Model(w * 2)
    _, pull = vjp(lambda t: model.net(t), x)
    model.w = w * 3
    return np.sum(pull(ONES)[0] ** 2) + np.sum(model.w)


def name_bound_anew_before(w, x):
    def inside(t):
        return net(w, t)
    _, pull = vjp(inside, x)
    x = x * 3
    return np.sum(pull(ONES)[0] ** 2) + np.sum(x)


def gauss_newton_by_hand(w, x):
    value, dot = jvp(lambda t: net(w, t), (x,), (x,))
    _, pull = vjp(lambda t: net(w, t), x)
    return np.sum(pull(dot * value)[0] ** 2)


def pullback_of_a_number(w, x):
    _, pull = vjp(lambda t: w[0, 0] * t**3, x[0])
    return pull(1.0)[0] + pull(x[1])[0]


def complex_pullback(w, x):
    _, pull = vjp(lambda z: z**3 * w[0, 0], x[0] + 1j * x[1])
    return np.abs(pull(1.0 + 2.0j)[0]) ** 2


def complex_tangent(w, x):
    _, dot = jvp(lambda z: z**3 * w[0, 0], (x + 1j * x**2,), (x * 1j,))
    return np.sum(np.abs(dot) ** 2)


def value_and_slope(w, x):
    value, slope = value_and_grad(lambda t: energy(w, t))(x)
    return value * np.sum(slope**2)


def everything(w, x):
    product = hvp(lambda t: energy(w, t))(x, jvp(lambda t: t**2, (x,), (x,))[1])
    return product @ np.sum(jacobian(lambda t: vjp(lambda s: net(w, s), t)[1](ONES)[0])(x), axis=0) + np.sum(
        elementwise_grad(lambda t: np.sin(t) * w[0])(x))


TANGENTS = [
    tangent, tangent_alone, tangent_by_keyword, tangent_along_several, tangent_of_a_lambda,
    tangent_of_an_inner_function, tangent_of_a_method,
    tangent_of_a_method_of_an_argument, tangent_of_a_tangent, tangent_of_a_gradient, gradient_of_a_tangent,
    tangent_of_a_loop, tangents_in_a_loop, tangent_of_containers, tangent_of_what_does_not_move, tangent_of_a_recursion,
    tangent_of_a_writer, tangent_of_numpys_function, tangent_of_an_integer_direction, newton_by_tangents,
    complex_tangent]
PULLBACKS = [
    pullback_, pullback_of_a_lambda, pullback_at_once, pullback_called_twice, pullbacks_in_a_list, pullbacks_in_a_loop,
    pullback_of_a_method, pullback_handed_on, pullback_of_containers, pullback_of_an_object,
    pullbacks_of_what_is_bound_anew, pullback_with_integers, pullback_of_a_gradient,
    gradient_of_a_pullback, pullback_of_a_pullback, arguments_written_into_before, closed_over_and_written_into,
    closed_over_and_written_into_in_a_list, object_changed_before, name_bound_anew_before, gauss_newton_by_hand,
    pullback_of_a_number, complex_pullback, value_and_slope, everything]


@pytest.mark.parametrize("function", [*TANGENTS, *PULLBACKS])
def test_tangents_and_pullbacks_inside(function: Callable[..., Any]) -> None:
    plain = function(W.copy(), X.copy())
    value, slopes = value_and_grad(function, (0, 1))(W, X)
    np.testing.assert_allclose(value, plain)
    judged_along(function, (W, X), slopes)
    _, dot = jvp(function, (W, X), (W, X))
    np.testing.assert_allclose(dot, np.sum(slopes[0] * W) + np.sum(slopes[1] * X))
    for argnum, point in enumerate((W, X)):  # with the other one known not to move
        np.testing.assert_allclose(grad(function, argnum)(W, X), slopes[argnum])
        assert slopes[argnum].shape == point.shape
    if function not in (everything, tangent_of_containers):  # whose third derivatives take long, or are refused
        np.testing.assert_allclose(hvp(function, 1)(W, X, X), hessian(function, 1)(W, X) @ X)


def test_shapes_are_checked() -> None:
    def with_another_cotangent(x):
        return np.sum(vjp(lambda t: W @ t, x)[1](x)[0])

    def with_another_tangent(x):
        return np.sum(jvp(lambda t: W @ t, (x,), (W @ x,))[1])

    for function in with_another_cotangent, with_another_tangent:
        for call in function, grad(function):
            with pytest.raises(ArgumentError, match="shape"):
                call(X)


def test_side_effects_of_a_tangent_happen_once(capsys: pytest.CaptureFixture) -> None:
    def telling(x):
        print("told")
        return x**2

    grad(lambda x: jvp(telling, (x,), (1.0,))[1])(2.0)
    assert capsys.readouterr().out == "told\n"


def test_a_tangent_of_single_precision() -> None:
    def function(x):
        value, dot = jvp(lambda t: t**3, (x,), (np.ones(2),))
        assert dot.dtype == np.float32
        return np.sum(value * dot)

    assert grad(function)(X.astype(np.float32)).dtype == np.float32


def test_what_a_pullback_gives_is_returned_at_once() -> None:
    def curved(x):
        return vjp(grad(lambda t: np.sum(t**3 * np.roll(t, 1))), x)[1](x)

    def curved_by_name(x):
        _, pull = vjp(grad(lambda t: np.sum(t**3 * np.roll(t, 1))), x)
        return pull(x)

    point = X.copy()
    assert np.array_equal(vjp(curved, point)[1]((point,))[0], vjp(curved_by_name, point)[1]((point,))[0])


def test_a_pullback_of_constants_is_linear_in_its_cotangent() -> None:
    def pulled(bar):
        return vjp(net, W, X)[1](bar)[1]

    np.testing.assert_allclose(jacobian(pulled)(ONES), jacobian(net, 1)(W, X).T, rtol=1e-12)
