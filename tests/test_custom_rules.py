"""Derivatives that users give, and functions that are run again in place of saving."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sgrad

RNG = np.random.default_rng(3)
MATRIX = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
VECTOR = RNG.normal(size=3)
Array = Any


def solved_reverse(x_bar: Array, x: Array, a: Array, b: Array, scale: float) -> tuple:
    b_bar = np.linalg.solve(a.T, scale * x_bar)
    return -np.outer(b_bar, x) / scale, b_bar, x_bar @ x / scale


def solved_tangent(dots: tuple, x: Array, a: Array, b: Array, scale: float) -> Array:
    a_dot, b_dot, scale_dot = dots
    total = np.zeros_like(b)
    if b_dot is not None:
        total = total + scale * b_dot
    if a_dot is not None:
        total = total - a_dot @ x
    if scale_dot is not None:
        total = total + scale_dot * b
    return np.linalg.solve(a, total)


@s2sgrad.custom_rule(reverse=solved_reverse, tangent=solved_tangent)
def solved(a: Array, b: Array, scale: float = 2.0) -> Array:
    return scale * np.linalg.solve(a, b)


def quadratic(a: Array, b: Array, scale: float) -> float:
    y = solved(a, b, scale)
    if y[0] > 0.0:
        y = y * 2.0
    y[1] = y[0] * y[2]
    return float(np.sum(y ** 2)) + solved(a, y).sum()


def test_a_rule_is_used_in_reverse() -> None:
    s2sgrad.check_grad(quadratic, MATRIX, VECTOR, 1.5)
    assert "solved_reverse(result_bar, value, a, b, scale)" in s2sgrad.source(quadratic, MATRIX, VECTOR, 1.5)


def test_a_rule_is_used_forwards() -> None:
    dots = RNG.normal(size=(3, 3)), RNG.normal(size=3), 0.3
    _, tangent = s2sgrad.jvp(quadratic, (MATRIX, VECTOR, 1.5), dots)
    bars = s2sgrad.grad(quadratic, argnums=(0, 1, 2))(MATRIX, VECTOR, 1.5)
    assert tangent == pytest.approx(sum(np.vdot(bar, dot) for bar, dot in zip(bars, dots)))


def test_the_gradient_of_the_function_itself() -> None:
    value, pullback = s2sgrad.vjp(solved, MATRIX, VECTOR)
    assert np.allclose(value, 2.0 * np.linalg.solve(MATRIX, VECTOR))
    a_bar, b_bar, scale_bar = pullback(np.ones(3))
    expected = solved_reverse(np.ones(3), value, MATRIX, VECTOR, 2.0)
    assert np.allclose(a_bar, expected[0]) and np.allclose(b_bar, expected[1]) and scale_bar == pytest.approx(
        expected[2])


def softened(x: Array) -> tuple:
    powers = np.exp(x - x.max())
    return np.log(powers.sum()) + x.max(), powers / powers.sum()


@s2sgrad.custom_rule(saving=softened, reverse=lambda g, shares: g * shares)
def log_sum_exp(x: Array) -> float:
    return np.log(np.exp(x).sum())


def test_what_saving_gives_goes_to_reverse() -> None:
    def f(x: Array) -> float:
        return log_sum_exp(x) * x[0] + log_sum_exp(2.0 * x)

    s2sgrad.check_grad(f, VECTOR)
    assert np.isfinite(s2sgrad.grad(log_sum_exp)(np.array([1000.0, 0.0]))).all()


def test_the_body_is_not_looked_at() -> None:
    @s2sgrad.custom_rule(reverse=lambda g, y, x, power: (g * power * x ** (power - 1), None))
    def odd(x: Array, power: int) -> Array:
        return eval("x ** power", {}, {"x": x, "power": power})

    def f(x: Array) -> float:
        return np.sum(np.sin(odd(x, 3)))

    s2sgrad.check_grad(f, VECTOR)


def test_a_rule_gets_and_gives_memory_of_its_own() -> None:
    kept = np.zeros(3)

    def reverse(g: Array, y: Array, x: Array) -> Array:
        kept[:] = 2.0 * g * np.sqrt(y)
        return kept

    @s2sgrad.custom_rule(reverse=reverse)
    def square(x: Array) -> Array:
        return x ** 2

    def f(x: Array) -> float:
        y = square(x)
        total = y.sum()
        y[0] = 5.0
        z = square(np.abs(x) + y)
        return total + z.sum()

    s2sgrad.check_grad(f, np.abs(VECTOR) + 1.0)


def test_a_rule_may_write_into_the_cotangent_and_nothing_else() -> None:
    def reverse(g: Array, y: Array, x: Array) -> Array:
        g *= 3.0 * x ** 2
        return g

    def tangent(dots: tuple, y: Array, x: Array) -> Array:
        dot = dots[0]
        dot *= 3.0 * x ** 2
        return dot

    @s2sgrad.custom_rule(reverse=reverse, tangent=tangent)
    def cube(x: Array) -> Array:
        return x ** 3

    def f(x: Array) -> float:
        y = cube(x)
        return np.sum((y + x) ** 2) + np.sum(cube(y) * x)

    s2sgrad.check_grads(f, (VECTOR,), order=1)
    for spoilt in ("y", "x"):
        def spoils(g: Array, y: Array, x: Array, spoilt: str = spoilt) -> Array:
            array = y if spoilt == "y" else x
            array *= 2.0
            return g * array

        rule = s2sgrad.custom_rule(lambda x: x ** 2, reverse=spoils)
        x = VECTOR.copy()
        with pytest.raises(ValueError, match="read-only"):
            s2sgrad.grad(lambda x, rule=rule: rule(x).sum())(x)
        assert np.array_equal(x, VECTOR)


def test_a_tangent_is_differentiated_in_reverse() -> None:
    def f(x: Array) -> float:
        return np.sum(tripled(x) * x)

    def along(x: Array) -> float:
        return s2sgrad.jvp(f, (x,), (np.ones(3),))[1]

    s2sgrad.check_grad(along, VECTOR)


@s2sgrad.custom_rule(tangent=lambda dots, y, x: 3.0 * x ** 2 * dots[0], reverse=lambda g, y, x: 3.0 * x ** 2 * g)
def tripled(x: Array) -> Array:
    return x ** 3


@s2sgrad.rule(x="2.0 * g * x", elementwise=False)
def summed_squares(x: Array) -> float:
    return np.sum(x ** 2)


@s2sgrad.rule(a="g @ b.T", b="a.T @ g", elementwise=False)
def multiplied(a: Array, b: Array) -> Array:
    return a @ b


@s2sgrad.rule(x="total = g; total", elementwise=False)
def totalled(x: Array) -> float:
    return np.sum(x)


def test_formulas_that_are_not_elementwise() -> None:
    def f(x: Array, a: Array) -> float:
        return np.sum(summed_squares(x) * x) + np.sum(multiplied(a, a) @ x)

    s2sgrad.check_grads(f, (VECTOR, MATRIX), order=2, modes=("rev",))
    with pytest.raises(s2sgrad.errors.ArgumentError, match=r"of shape \(\) for an argument of shape \(3,\)"):
        s2sgrad.grad(lambda x: totalled(x) * 2.0)(VECTOR)


@s2sgrad.rule(x="np.bincount(np.flatnonzero(x > 0), g, x.size)", elementwise=False)
def positive(x: Array) -> Array:
    return x[x > 0]


@s2sgrad.rule(x="g * np.ones_like(x) if np.ndim(g) == 0 else g", elementwise=False)
def whole_or_total(x: Array) -> Array:
    return x if x[0] > 2.0 else x.sum()


@s2sgrad.custom_rule(reverse=lambda g, y, x: np.where(x > 0, g, 0.0))
def total_or_each(x: Array) -> Array:
    return x[x > 0].sum() if x[0] > 1.0 else np.maximum(x, 0.0)


@s2sgrad.rule(constant=True)
def how_many(x: Array) -> float:
    return float(np.sum(x > 0))


@pytest.mark.parametrize("x", [[0.5, -1.0, -2.0], [0.5, 1.0, 2.0], [3.0, -1.0, 1.0]])
def test_results_whose_shape_depends_on_values(x: list) -> None:
    def f(x: Array, w: Array, t: float) -> float:
        total = np.sum(whole_or_total(x) * w) + np.sum(t * how_many(x) * w)
        part = positive(x)
        total += np.sum(total_or_each(x) * x) + np.sum(total_or_each(x * w) * w)
        return total + np.sum(part * w if len(part) in (1, 3) else part)

    s2sgrad.check_grad(f, np.array(x), VECTOR, 0.7)


@pytest.mark.parametrize("function", [
    lambda x: np.sum(x), lambda x: x[::-1], lambda x: x - x.mean(), lambda x: x * x[0], lambda x: np.sort(x),
    lambda x: x @ x, lambda x: x[:, None], lambda x: np.cumsum(x), lambda x: x.T @ x])
def test_functions_that_are_not_elementwise(function: Callable) -> None:
    s2sgrad.rule(function, x="1.0")
    with pytest.raises(s2sgrad.errors.UnsupportedError, match="does not work element by element"):
        s2sgrad.grad(lambda x: np.sum(function(x) * 2.0))(VECTOR)


@pytest.mark.parametrize("shape", [(), (4,), (2, 4)])
def test_functions_that_are_elementwise(shape: tuple) -> None:
    @s2sgrad.rule(x="np.where(x > w, w, 1.0)", w="np.where(x > w, x, 0.0)")
    def bent(x: Array, w: Array) -> Array:
        return np.where(x > w, w * x, x)

    s2sgrad.check_grads(lambda x, w: np.sum(bent(x, w) ** 2), (RNG.normal(size=shape), np.array([0.1, 0.5, 2.0, -3.0])))
    s2sgrad.check_grads(lambda x: bent(x, 0.3) ** 2, (0.7,))


class Model:
    def __init__(self, w: Array, scale: float):
        self.w = w
        self.scale = scale

    @s2sgrad.checkpoint
    def predict(self, x: Array) -> Array:
        return np.tanh(self.w * x) * self.scale


def predicted_reverse(g: Array, y: Array, model: Model, x: Array) -> tuple:
    return Model(g * x * model.scale, (g * model.w * x).sum()), g * model.w * model.scale


@s2sgrad.custom_rule(reverse=predicted_reverse)
def predicted(model: Model, x: Array) -> Array:
    return model.w * x * model.scale


def first_and_second(model: Model, x: Array) -> Array:
    return model.predict(predicted(model, x))


def bound_anew(model: Model, x: Array) -> float:
    y = model.predict(x)
    model.w = y * 2.0
    z = predicted(model, y)
    model.scale = z[0]
    y = first_and_second(model, z)
    model.w = model.w + y
    return np.sum(first_and_second(model, y))


def written_into(model: Model, x: Array) -> float:
    total = 0.0
    for _ in range(2):
        x = predicted(model, x) + model.predict(x) * first_and_second(model, x)
        model.w[1:] *= x[:2]
        total += x.sum()
    return total


@pytest.mark.parametrize("function", [bound_anew, written_into])
def test_an_object_may_be_changed_behind_a_call_that_saves_it(function: Callable) -> None:
    def of_parts(w: Array, scale: float, x: Array) -> float:
        return function(Model(w.copy(), scale), x)

    s2sgrad.check_grad(of_parts, VECTOR, 1.5, VECTOR + 0.3)
    bars = s2sgrad.grad(of_parts, argnums=(0, 1, 2))(VECTOR, 1.5, VECTOR + 0.3)
    model_bar, x_bar = s2sgrad.grad(function, argnums=(0, 1))(Model(VECTOR.copy(), 1.5), VECTOR + 0.3)
    np.testing.assert_allclose(model_bar.w, bars[0])
    assert model_bar.scale == pytest.approx(bars[1])
    np.testing.assert_allclose(x_bar, bars[2])


def test_single_precision_stays() -> None:
    @s2sgrad.custom_rule(reverse=lambda g, y, x: np.float64(2.0) * x.astype(float) * g)
    def square(x: Array) -> Array:
        return x ** 2

    found = s2sgrad.grad(lambda x: square(x).sum())(VECTOR.astype(np.float32))
    assert found.dtype == np.float32


@pytest.mark.parametrize("reverse, words", [
    (lambda g, y, x, w: g, "gives a float for 2 arguments"),
    (lambda g, y, x, w: (g,), "gives 1 values for 2 arguments"),
    (lambda g, y, x, w: (g * np.ones((3, 1)), w), r"of shape \(3, 1\) for argument 0 of dot, which has shape \(3,\)"),
])
def test_what_reverse_gives_is_checked(reverse: Any, words: str) -> None:
    @s2sgrad.custom_rule(reverse=reverse)
    def dot(x: Array, w: Array) -> float:
        return x @ w

    slopes = s2sgrad.grad(lambda x, w: dot(x, w) * 2.0, argnums=(0, 1))
    for call in (slopes, lambda *args: s2sgrad.vjp(slopes, *args)[1](args)):
        with pytest.raises(s2sgrad.errors.ArgumentError, match=words):
            call(VECTOR, VECTOR)


def test_a_container_needs_a_cotangent() -> None:
    @s2sgrad.custom_rule(reverse=lambda g, y, x, params: (g * params["w"], None))
    def dot(x: Array, params: dict) -> float:
        return x @ params["w"]

    params = {"w": VECTOR}
    slope = s2sgrad.grad(lambda x, params: dot(x, params), argnums=1)
    for call in (slope, lambda *args: s2sgrad.vjp(slope, *args)[1](params)):
        with pytest.raises(s2sgrad.errors.ArgumentError, match="gives None for argument 1 of dot, a dict"):
            call(VECTOR, params)


def test_none_stands_for_zeros() -> None:
    @s2sgrad.custom_rule(reverse=lambda g, y, x, w: (g * w, None))
    def dot(x: Array, w: Array) -> float:
        return x @ w

    assert np.array_equal(s2sgrad.grad(lambda x, w: dot(x, w), argnums=1)(VECTOR, VECTOR), np.zeros(3))


# ---- differentiated again

@s2sgrad.custom_rule(reverse=lambda g, y, x: 2.0 * g * x, tangent=lambda dots, y, x: 2.0 * x * dots[0])
def squared(x: Array) -> Array:
    return x ** 2


@s2sgrad.custom_rule(reverse=lambda g, y, x: (2.0 * g * x,))
def sum_of_squares(x: Array) -> float:
    return np.sum(x ** 2)


@s2sgrad.custom_rule(reverse=lambda g, y, x, params: (g * params["w"], {"w": g * x}))
def weighted(x: Array, params: dict) -> float:
    return x @ params["w"]


@s2sgrad.custom_rule(reverse=lambda g, y, x, n: (g * n * y / x, None))
def power(x: Array, n: int) -> Array:
    return eval("x ** n", {}, {"x": x, "n": n})


def of_squares(x: Array) -> float:
    return np.sum(np.sin(squared(x))) * sum_of_squares(x)


def solved_twice(a: Array, b: Array, scale: float) -> float:
    y = solved(a, b, scale)
    if y[0] > 0.0:
        y = y * 2.0
    return np.sum(y ** 2) + solved(a, y).sum()


def in_turns(x: Array) -> float:
    total = 0.0
    for k in range(2, 4):
        y = squared(x) * 0.5
        if k > 2:
            x = y
        total = total + np.sum(power(x, k) * squared(x)) + log_sum_exp(x)
    return total


@pytest.mark.parametrize(("function", "args"), [
    (of_squares, (VECTOR,)), (sum_of_squares, (VECTOR,)), (in_turns, (VECTOR,)), (log_sum_exp, (VECTOR,)),
    (solved_twice, (MATRIX, VECTOR, 1.5)), (lambda x, w: np.exp(weighted(x, {"w": w})), (VECTOR, VECTOR + 1.0))])
def test_rules_are_differentiated_again(function: Callable, args: tuple) -> None:
    """The derivative of the rule's own functions; the function itself keeps the rule."""
    gradient = s2sgrad.grad(function, argnums=tuple(range(len(args))))

    def length(*args: Any) -> Any:
        total = 0.0
        for part in gradient(*args):
            total = total + np.sum(part ** 2)
        return total

    s2sgrad.check_grad(length, *args)


def test_third_derivatives_of_a_rule() -> None:
    cube = s2sgrad.custom_rule(reverse=lambda g, y, x: 3.0 * g * x ** 2)(lambda x: x ** 3)
    third = s2sgrad.grad(s2sgrad.grad(s2sgrad.grad(cube)))
    assert third(2.0) == pytest.approx(6.0)


def test_second_derivatives_are_the_rule_s() -> None:
    """A rule that does not tell the truth shows: its derivative is that of what it says."""
    lied = s2sgrad.custom_rule(reverse=lambda g, y, x: g * np.sin(x))(lambda x: x ** 2)
    assert s2sgrad.grad(s2sgrad.grad(lied))(0.3) == pytest.approx(np.cos(0.3))
    by_result = s2sgrad.custom_rule(reverse=lambda g, y, x: g * y)(lambda x: x ** 2)
    assert s2sgrad.grad(s2sgrad.grad(by_result))(0.3) == pytest.approx(0.3 ** 2)


def test_hessians_with_rules_of_one_mode() -> None:
    assert np.allclose(s2sgrad.hessian(sum_of_squares)(VECTOR), 2.0 * np.eye(3))
    assert np.allclose(s2sgrad.hvp(sum_of_squares)(VECTOR, MATRIX[0]), 2.0 * MATRIX[0])
    both = s2sgrad.hessian(of_squares)(VECTOR)
    assert np.allclose(both, s2sgrad.jacrev(s2sgrad.grad(of_squares))(VECTOR))
    forward = s2sgrad.jacfwd(s2sgrad.grad(lambda x: np.sum(squared(x) ** 2)))(VECTOR)
    assert np.allclose(forward, 12.0 * np.diag(VECTOR ** 2))


def test_a_rule_that_is_a_builtin_is_refused_the_second_time() -> None:
    @s2sgrad.custom_rule(reverse=eval("lambda g, y, x: 2.0 * g * x"))
    def square(x: Array) -> Array:
        return x ** 2

    gradient = s2sgrad.grad(lambda x: square(x).sum())
    assert np.allclose(gradient(VECTOR), 2.0 * VECTOR)
    with pytest.raises(s2sgrad.errors.SourceError, match="can't be read"):
        s2sgrad.jacrev(gradient)(VECTOR)


def test_what_a_function_with_a_rule_hands_on_is_its_argument_s_memory() -> None:
    @s2sgrad.custom_rule(reverse=lambda g, y, x: -g, tangent=lambda dots, y, x: -dots[0])
    def negative_slope(x: Array) -> Array:
        return x

    def f(x: Array) -> Array:
        z = x * 2.0
        y = negative_slope(z)
        return y * np.sin(z)

    z = VECTOR * 2.0
    expected = 2.0 * (z * np.cos(z) - np.sin(z))
    assert np.allclose(s2sgrad.elementwise_grad(f)(VECTOR), expected)
    assert np.allclose(s2sgrad.jvp(f, (VECTOR,), (np.ones(3),))[1], expected)


def test_mistakes() -> None:
    with pytest.raises(s2sgrad.errors.ArgumentTypeError, match="is not a Python function"):
        s2sgrad.custom_rule(np.sum, reverse=len)
    with pytest.raises(s2sgrad.errors.ArgumentTypeError, match="tangent= of the rule of result is 'x': pass a func"):
        s2sgrad.custom_rule(lambda x: x, tangent="x")
    with pytest.raises(s2sgrad.errors.ArgumentError, match=r"take 3 arguments: write it as reverse\(g, result, x\)"):
        s2sgrad.custom_rule(lambda x: x, reverse=lambda g: g)
    with pytest.raises(s2sgrad.errors.ArgumentError, match=r"not take 2 arguments: write it as reverse\(g, kept\)"):
        s2sgrad.custom_rule(lambda x: x, reverse=lambda g, y, x: g, saving=lambda x: (x, x))
    with pytest.raises(s2sgrad.errors.ArgumentError, match="without reverse="):
        s2sgrad.custom_rule(lambda x: x)
    with pytest.raises(s2sgrad.errors.ArgumentTypeError, match="is not a Python function"):
        s2sgrad.checkpoint(np.sum)


@s2sgrad.checkpoint
def layer(x: Array, weights: dict, *, slope: float = 2.0) -> tuple:
    for _ in range(3):
        x = np.tanh(x @ weights["w"]) * slope if x[0] > 0.0 else np.sin(x) + weights["b"]
    return x, x.sum()


def network(x: Array, layers: list) -> float:
    total = 0.0
    for weights in layers:
        x, part = layer(x, weights, slope=1.5)
        total += part
    return total + np.sum(x ** 2)


LAYERS = [{"w": RNG.normal(size=(3, 3)), "b": RNG.normal(size=3)} for _ in range(3)]


def test_a_checkpoint_saves_its_arguments_alone() -> None:
    s2sgrad.check_grad(network, VECTOR, LAYERS)
    text = s2sgrad.source(network, VECTOR, LAYERS)
    assert "return layer(x, weights, slope=slope), 0, (x, weights, slope)" in text
    assert "layer_saving(x, weights, slope=slope)" in text


def test_a_checkpoint_alone_and_in_both_modes() -> None:
    value, pullback = s2sgrad.vjp(layer, VECTOR, LAYERS[0])
    plain_value, plain = s2sgrad.vjp(layer.__wrapped__, VECTOR, LAYERS[0])
    assert np.array_equal(value[0], plain_value[0])
    cotangent = (np.ones(3), 2.0)
    assert np.allclose(pullback(cotangent)[1]["w"], plain(cotangent)[1]["w"])

    def f(x: Array) -> float:
        return layer(x, LAYERS[0])[1]

    _, tangent = s2sgrad.jvp(f, (VECTOR,), (np.ones(3),))
    assert tangent == pytest.approx(s2sgrad.grad(f)(VECTOR).sum())


def test_a_checkpoint_that_is_made_inside() -> None:
    def f(x: Array) -> float:
        for _ in range(2):
            x = s2sgrad.checkpoint(halved)(x) + x
        again = s2sgrad.checkpoint(halved)
        return np.sum(again(x))

    s2sgrad.check_grads(f, (VECTOR,))
    assert "halved_saving" in s2sgrad.source(f, VECTOR)
    with pytest.raises(s2sgrad.errors.UnsupportedError, match="defined inside: define it at module level"):
        s2sgrad.grad(lambda x: np.sum(s2sgrad.checkpoint(lambda h: h * x)(x)))(VECTOR)


def halved(x: Array) -> Array:
    return np.sin(x) / 2.0


def test_a_checkpoint_is_differentiated_again() -> None:
    @s2sgrad.checkpoint
    def wave(x: Array) -> Array:
        return np.sin(x) * x

    def f(x: Array) -> float:
        return np.sum(wave(x) ** 2)

    def slope(x: Array) -> float:
        return s2sgrad.grad(f)(x).sum()

    s2sgrad.check_grad(slope, VECTOR)


def test_checkpointed_and_plain_in_one_function() -> None:
    def wave(x: Array) -> Array:
        return np.sin(x) * x

    again = s2sgrad.checkpoint(wave)

    def f(x: Array) -> float:
        y = again(x)
        y[0] = 2.0 * y[1]
        return np.sum(wave(y) * again(wave(x)))

    s2sgrad.check_grad(f, VECTOR)


@s2sgrad.checkpoint
def doubled(function: Callable, x: Array) -> Array:
    return function(x) * 2.0


def sent_through_reverse(result_bar: Array, value: Array, function: Callable, x: Array) -> tuple:
    return None, result_bar * s2sgrad.elementwise_grad(function)(x)


@s2sgrad.custom_rule(reverse=sent_through_reverse)
def sent_through(function: Callable, x: Array) -> Array:
    return function(x)


def powered(k: float, x: Array) -> Array:
    return k * x ** 3


def test_a_checkpoint_gets_functions_that_read_differentiated_values() -> None:
    def f(x: Array, w: float) -> float:
        def scaled(s: Array) -> Array:
            return (w * s) ** 2

        y = doubled(scaled, x)
        for _ in range(2):
            y = doubled(lambda s: s * w + 1.0, y)
        return np.sum(doubled(functools.partial(powered, w), y) * doubled(np.sin, x))

    s2sgrad.check_grad(f, VECTOR, 0.3)


def test_a_custom_rule_gets_functions_as_they_are() -> None:
    def f(x: Array) -> float:
        def squared(s: Array) -> Array:
            return s ** 2 * 3.0

        return np.sum(sent_through(squared, x) * sent_through(np.sin, x) + sent_through(lambda s: s ** 3, x)
                      + sent_through(functools.partial(powered, 2.0), x))

    s2sgrad.check_grad(f, VECTOR)


def test_stop_gradient() -> None:
    def f(x: Array, params: dict) -> float:
        scale = s2sgrad.stop_gradient(np.sum(x ** 2))
        fixed = s2sgrad.stop_gradient(params)
        return np.sum(x * scale * fixed["w"] * params["w"])

    params = {"w": VECTOR + 1.0}
    x_bar, params_bar = s2sgrad.grad(f, argnums=(0, 1))(VECTOR, params)
    scale = np.sum(VECTOR ** 2)
    assert np.allclose(x_bar, scale * params["w"] ** 2)
    assert np.allclose(params_bar["w"], VECTOR * scale * params["w"])
    assert s2sgrad.stop_gradient(VECTOR) is VECTOR


def test_what_is_stopped_may_come_from_functions_without_rules() -> None:
    unread = eval("lambda x: 2.0 * x")
    with pytest.raises(s2sgrad.errors.SourceError):
        s2sgrad.grad(lambda x: np.sum(x * unread(x)))(VECTOR)
    function = s2sgrad.hessian_diagonal(lambda x: np.sum(x ** 2 * s2sgrad.stop_gradient(unread(x))))
    assert np.allclose(function(VECTOR), 4.0 * VECTOR)


def tripled_in_place(g, y, x):
    g *= 3
    g *= x
    g *= x
    return g


@s2sgrad.custom_rule(reverse=tripled_in_place)
def cubed_in_place(x):
    return x ** 3


def product_with_its_argument(x):
    """The cotangent that the rule writes into is the argument itself."""
    return np.sum(cubed_in_place(x * x) * x)


def test_a_rule_that_writes_into_its_cotangent_is_differentiated_again() -> None:
    x = np.array([0.5, 1.5])
    gradient = s2sgrad.grad(product_with_its_argument)
    value, pullback = s2sgrad.vjp(gradient, x)
    np.testing.assert_allclose(value, 7 * x ** 6, rtol=1e-12)
    np.testing.assert_allclose(pullback(np.ones(2))[0], 42 * x ** 5, rtol=1e-12)
    np.testing.assert_allclose(s2sgrad.hessian(product_with_its_argument)(x), np.diag(42 * x ** 5), rtol=1e-12)
    np.testing.assert_array_equal(x, [0.5, 1.5])


class Bent:
    def __init__(self, factor: Any) -> None:
        self.factor = factor

    @staticmethod
    @s2sgrad.rule(x="1 - y ** 2")
    def bend(x: Any) -> Any:
        return np.tanh(x)

    def __call__(self, x: Any) -> Any:
        bend = self.bend
        return self.bend(self.factor * x) + bend(x)


def test_a_rule_of_a_static_method() -> None:
    s2sgrad.check_grads(lambda x: np.sum(Bent(x[0])(x)), (np.array([0.5, -1.2]),))
