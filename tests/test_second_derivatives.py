"""Gradients of gradients: known ones, and those of functions that call ``grad`` themselves; tests/checked_again.py has
the programs of the corpus."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from corpus import PROGRAMS, assert_same

import s2sgrad
from s2sgrad import grad, value_and_grad
from s2sgrad.errors import ArgumentTypeError, UnsupportedError

# ---- known derivatives

def bump(x):
    return x ** 3 * math.exp(x)


def stencil(x):
    u = x.copy()
    for _ in range(3):
        u[1:-1] += 0.1 * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u ** 3)


SHARED = np.array([0.3, -0.2, 0.8])


def turned_in_place(x):
    x[:] = np.cos(x) * x[::-1]
    return np.sum(x)


def test_that_the_module_has_the_array_is_no_sharing() -> None:
    gradient = grad(turned_in_place)
    expected = s2sgrad.vjp(gradient, SHARED.copy())[1](np.ones(3))
    found = s2sgrad.vjp(gradient, SHARED)[1](np.ones(3))
    np.testing.assert_array_equal(found, expected)


def alternating(x, n):
    total, y = 0.0, x
    for i in range(n):
        y = y * x if i % 2 else np.sin(y) * x
        total = total + y ** 2
    return total


def test_third_derivatives_through_loops() -> None:
    s2sgrad.check_grad(grad(grad(alternating)), 0.7, 3, argnums=0)
    v = np.array([0.3, -1.0, 0.5, 0.2, 1.1])

    def curvature(x):
        return np.sum(grad(lambda y: np.sum(grad(stencil)(y) * v))(x) * v)

    s2sgrad.check_grad(curvature, np.array([0.5, -0.2, 1.3, 0.4, -0.7]))


def parts_scaled_in_place(x):
    parts = [np.full(n, 0.3 * n) for n in (2, 3, 4)]
    for k, part in enumerate(parts):
        part[:2] *= x[k:k + 2]
    return sum(np.sum(v ** 3) for v in parts)


def test_third_derivatives_of_arrays_in_a_list() -> None:
    def squared(x):
        return np.sum(grad(parts_scaled_in_place)(x) ** 2)

    s2sgrad.check_grad(lambda x: np.sum(grad(squared)(x) ** 2), np.array([0.3, -1.0, 0.5, 0.8]))


def weighted(params, xs):
    total = 0.0
    for w, x in zip(params["w"], xs):
        total = total + np.tanh(w * x) ** 2
    return total + sum([w ** 3 for w in params["w"]])


def test_of_lists_of_any_length() -> None:
    def slope(w, xs):
        bars = grad(weighted)({"w": w}, xs)["w"]
        return sum([bar ** 2 for bar in bars])

    s2sgrad.check_grad(slope, [0.3, -0.7, 1.1], [1.0, 2.0, 0.5])


def sometimes_an_array(x, times):
    total = 0.0
    for _ in range(times):
        total = total * x if times > 5 else np.sum(x ** 3)
    return total


def one_product_three_times(x, y):
    total = x * y
    total += x * y
    total += x * y
    return x * total


def test_of_one_product_that_is_added_again_and_again() -> None:
    np.testing.assert_allclose(s2sgrad.hessian(one_product_three_times)(1.2, -0.4), -2.4)


def test_that_the_result_is_a_number_is_looked_at_in_the_call() -> None:
    def slope(x, times):
        return np.sum(grad(sometimes_an_array)(x, times) ** 2)

    x = np.array([0.5, -1.0])
    s2sgrad.check_grad(slope, x, 3, argnums=0)
    with pytest.raises(ArgumentTypeError, match="sometimes_an_array returned an array"):
        grad(slope)(x, 6)


def test_to_any_order() -> None:
    x, derivative = 1.3, bump
    polynomials = ((0, 0, 0, 1), (0, 0, 3, 1), (0, 6, 6, 1), (6, 18, 9, 1), (24, 36, 12, 1))
    for polynomial in polynomials:
        expected = sum(factor * x ** power for power, factor in enumerate(polynomial)) * math.exp(x)
        assert derivative(x) == pytest.approx(expected, rel=1e-12)
        derivative = grad(derivative)


def in_a_while_loop(x):
    y, count = x, 0
    while count < 4:
        y = y * x
        count += 1
    return y


def in_place_in_a_loop(x):
    u = np.zeros(5)
    u[0] = x
    for i in range(1, 5):
        if i == 3:
            u[i] = u[i - 1]
            u[i] *= x
        else:
            u[i] = u[i - 1] * x
    return u[4]


def in_a_list_until_a_break(x):
    xs = [x]
    for i in range(9):
        if i > 3:
            break
        xs.append(xs[-1] * x)
    return xs[-1]


class Power:
    def __init__(self, value):
        self.value = value

    def raise_by(self, x):
        self.value = self.value * x


def in_an_object(x):
    power = Power(x)
    for _ in range(4):
        power.raise_by(x)
    return power.value


@s2sgrad.checkpoint
def squared(x):
    return x ** 2


def by_functions_inside(x):
    def twice(y):
        return squared(x) * y
    return twice(twice(x))


def by_a_product_of_matrices(x):
    v = x ** 2 * np.array([0.6, 0.8])
    return v @ v * x


FIFTH_POWERS = (in_a_while_loop, in_place_in_a_loop, in_a_list_until_a_break, in_an_object, by_functions_inside,
                by_a_product_of_matrices)


@pytest.mark.parametrize("function", FIFTH_POWERS)
def test_fifth_powers_to_the_fourth_order(function) -> None:
    derivative = function
    for order, factor in enumerate((1.0, 5.0, 20.0, 60.0, 120.0)):
        assert derivative(1.3) == pytest.approx(factor * 1.3 ** (5 - order), rel=1e-12)
        derivative = grad(derivative)


def quartic(x, a):
    return np.sum((x @ a @ x) ** 2)


def test_a_hessian_row_by_row() -> None:
    rng = np.random.default_rng(3)
    x, a = rng.normal(size=3), rng.normal(size=(3, 3))
    s = a + a.T
    expected = 2 * np.outer(s @ x, s @ x) + 2 * (x @ a @ x) * s
    rows = [grad(lambda x, k=k: grad(quartic)(x, a)[k])(x) for k in range(3)]
    np.testing.assert_allclose(rows, expected, rtol=1e-12)


# ---- grad inside functions

def fit(w, x, y):
    return np.mean((np.tanh(x @ w) - y) ** 2)


def after_steps(w, x, y, rate):
    """The loss after steps of gradient descent, which are differentiated through."""
    for _ in range(4):
        w = w - rate * grad(fit)(w, x, y)
    return fit(w, x, y)


def penalised(w, x, y):
    value, gradient = value_and_grad(fit)(w, x, y)
    return value + 0.1 * np.sum(gradient ** 2)


both = grad(fit, argnums=(0, 1))


def by_keywords(w, x, y):
    w_bar, x_bar = both(w=w, x=x, y=y)
    return np.sum(w_bar) * np.sum(x_bar ** 2)


def with_aux(w, x):
    y = np.sin(x @ w)
    return np.sum(y ** 2), (y, "note")


def through_aux(w, x):
    gradient, (y, _) = grad(with_aux, has_aux=True)(w, x)
    return np.sum(gradient) * np.sum(y)


def branchy(x):
    if x.sum() > 0:
        return np.sum(x ** 3)
    total = 0.0
    for v in x:
        if v < -1.0:
            return total * v
        total += np.sin(v)
    return total


def through_branches(x):
    return np.sum(np.cos(grad(branchy)(x)))


class Model:
    scale = 2.0

    def __init__(self, rate):
        self.rate = rate

    def energy(self, x):
        return self.scale * np.sum(np.exp(-self.rate * x ** 2))


MODEL = Model(0.7)
force = grad(MODEL.energy)


def work(x):
    return np.sum(force(x) ** 2)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def slope_length(x):
    return np.sum(grad(rosenbrock)(x) ** 2)


def third_derivatives(x):
    return np.sum(grad(slope_length)(x) * x)


def of_a_lambda(x, w):
    k = np.sum(w)
    slope = grad(lambda t: np.sum(np.tanh(t * w) * k))(x)
    k = 100.0
    return np.sum(slope ** 2) * k


def of_an_inner_function(x, w):
    def energy(t, power=2):
        return np.sum(np.sin(t) ** power * w)

    force_of = value_and_grad(energy)
    total = 0.0
    for power in (2, 3):
        value, slope = force_of(x, power)
        total += value * np.sum(slope * w)
    w = w * 2.0
    return total + np.sum(grad(energy)(x) ** 2)


def in_both_of_an_inner_function(x, w):
    x_bar, w_bar = grad(lambda a, b: np.sum(np.exp(a * b) * x), argnums=(0, 1))(x, w)
    return np.sum(x_bar * w_bar)


def twice_inside(x, w):
    return np.sum(grad(lambda t: np.sum(grad(lambda s: np.sum(s ** 3 * w))(t) ** 2))(x))


def bowl(z, slopes):
    return 0.5 * np.sum(z ** 2) + np.sum(np.exp(z * slopes)) - np.sum(z)


def of_what_is_not_known(slopes):
    """After the first turn nothing is known of z, not even its dtype."""
    z = np.zeros(2)
    for _ in range(3):
        z = z - 0.1 * np.stack([grad(bowl)(z, slopes)[i] for i in range(2)])
    return np.sum(z ** 2)


@pytest.mark.parametrize(("function", "args"), [
    (of_what_is_not_known, (2,)),
    (of_a_lambda, (3, 3)), (of_an_inner_function, (3, 3)), (in_both_of_an_inner_function, (3, 3)),
    (twice_inside, (3, 3)),
    (after_steps, (3, (5, 3), 5, 0.3)), (penalised, (3, (5, 3), 5)), (by_keywords, (3, (5, 3), 5)),
    (through_aux, (3, (5, 3))), (work, (4,)), (third_derivatives, (4,)),
], ids=lambda item: getattr(item, "__name__", ""))
def test_functions_that_call_grad(function, args) -> None:
    rng = np.random.default_rng(11)
    values = [rng.normal(size=item) if not isinstance(item, float) else item for item in args]
    s2sgrad.check_grad(function, *values)


@pytest.mark.parametrize("x", [[0.5, 1.0, -0.2], [-0.5, -0.2, 0.1], [-0.5, -1.2, 0.1], [-1.5, -0.2, 0.1]])
def test_every_path_of_the_inner_function(x) -> None:
    s2sgrad.check_grad(through_branches, np.array(x))


def test_what_is_passive_stays_plain() -> None:
    def scaled(x, start):
        return np.sum(x * grad(rosenbrock)(start))

    start = np.array([0.3, 1.2])
    np.testing.assert_array_equal(grad(scaled)(np.ones(2), start), grad(rosenbrock)(start))


def test_what_is_saved_of_a_turn_is_saved_once() -> None:
    """By the text of the gradient, and for a derivative of it."""
    text = s2sgrad.source(lambda w, xs: np.sum(grad(states_of_cells)(w, xs) ** 2), np.eye(2), np.ones((3, 2)))
    assert sum(line.endswith(".append((h_before_1, h))") and "#" not in line for line in text.splitlines()) == 1
    assert "h_before_2 = " not in text


def states_of_cells(w, xs):
    h = xs[0]
    for x in xs:
        h = np.tanh(w @ h + x)
    return np.sum(h ** 2)


def test_single_precision_stays() -> None:
    x = np.array([0.5, -1.0, 2.0], dtype=np.float32)
    found = grad(lambda x: np.sum(grad(rosenbrock)(x) ** 2))(x)
    assert found.dtype == np.float32


def test_arguments_are_left_alone() -> None:
    x = np.array([0.5, -1.0, 2.0])
    before = x.copy()
    s2sgrad.check_grad(third_derivatives, x)
    np.testing.assert_array_equal(x, before)


def test_sizes_do_not_compile_anew() -> None:
    derivative = grad(work)
    for size in (3, 5, 8, 13):
        derivative(np.ones(size))
    assert len(derivative.__s2sgrad__.patterns) == 1


def test_an_attribute_that_changes_is_seen() -> None:
    model = Model(0.5)

    def pull(x):
        return np.sum(grad(model.energy)(x) ** 2)

    for rate in (0.5, 0.25):
        model.rate = rate
        s2sgrad.check_grad(pull, np.array([0.3, -0.4]))


def noisy(x, n):
    return x if n == 0 else noisy(x * np.random.normal(), n - 1)


def told(x, n):
    print(n)
    return x if n == 0 else told(x, n - 1) * x


def from_an_iterator(x, factors, n):
    y = x
    for factor in factors:
        y = x * factor
        break
    return y if n == 0 else from_an_iterator(y, factors, n - 1)


def counted(x, n):
    calls.append(n)
    return x if n == 0 else counted(x, n - 1) * x * len(calls)


calls: list[int] = []


@pytest.mark.parametrize(("function", "line"), [
    (lambda x, n: np.sum(noisy(x, n) ** 2), "return x if n == 0 else noisy(x * np.random.normal(), n - 1)"),
    (lambda x, n: np.sum(told(x, n) ** 2), "print(n)"),
    (lambda x, n: np.sum(from_an_iterator(x, iter([1.0, 2.0, 3.0]), n) ** 2), "def from_an_iterator(x, factors, n):"),
    (lambda x, n: np.sum(counted(x, n) ** 2), "calls"),
])
def test_what_is_not_the_same_when_run_again_is_refused(function, line) -> None:
    """A recursion's values are computed anew for gradients of gradients, and nobody may notice."""
    with pytest.raises(UnsupportedError) as refused:
        s2sgrad.vjp(grad(function), np.array([0.5, -0.2]), 2)
    assert line in str(refused.value)


@pytest.mark.parametrize("name", ["in_expressions.distance_of_two_series"])
def test_products_where_gradients_have_no_text(name: str) -> None:
    program = next(program for program in PROGRAMS if program.name == name)
    argnum = program.argnums[0]
    gradient = grad(program.function, argnum)
    vector = np.random.default_rng(2).normal(size=np.shape(program.args()[argnum]))
    step = 1e-5

    def moved(size: float) -> Any:
        args = list(program.args())
        args[argnum] = args[argnum] + size * vector
        return gradient(*args)
    expected = (moved(step) - moved(-step)) / (2 * step)
    args = program.args()
    np.testing.assert_allclose(s2sgrad.hvp(program.function, argnum)(*args, vector), expected, rtol=1e-5, atol=1e-6)
    assert_same(args, program.args())
    columns = s2sgrad.hessian(program.function, argnum)(*args)
    np.testing.assert_allclose(np.tensordot(columns, vector, vector.ndim), expected, rtol=1e-5, atol=1e-6)


def each_row(x: Any) -> tuple:
    return tuple(row * 2.0 for row in x)


def of_two_rows(x: Any) -> Any:
    first, second = each_row(x.reshape(2, 2))
    return np.sum(first * second ** 2)


def test_tuples_of_any_length_from_calls_in_calls() -> None:
    s2sgrad.check_grads(of_two_rows, (np.array([0.5, 1.3, -0.7, 2.1]),), order=2)


def left_by_return_in_try(x):
    total = 0.0
    for v in x:
        try:
            if v > 1.0:
                return total * v ** 3
            total = total + math.log(v) * v
        except ValueError:
            total = total * 2.0
    return total


def taken_apart(x):
    first, *rest, last = [v * v for v in x] + [x[0]]
    rest = rest[::-1]
    a, *others = rest
    return first * a ** 2 + sum(others) * last * sum(rest[::2])


def remembered(x):
    seen = {}

    def value(k):
        if k < 2:
            return x[k]
        if k not in seen:
            seen[k] = value(k - 1) * x[2] + value(k - 2) ** 2
        return seen[k]
    return value(4) * value(3)


def filled_down(u, n, k):
    u[n] = u[n] * u[0] * k
    if n > 1:
        return filled_down(u, n - 1, k) + u[n]
    return u[0] * k


def filled_by_a_recursion(x):
    y = x * 2.0
    return filled_down(y, 2, x[1]) * y.sum()


def handed_to(function, v):
    return function(v)


def changed_by_closures(x):
    store = {"a": x[0], "n": 1.0}

    def grow(v):
        store["a"] = store["a"] * v
        return store["a"]

    def twice(function, v):
        return handed_to(function, v) * function(v + store["n"])
    total = twice(grow, x[1])
    store["n"] = x[2]
    return total * grow(x[2]) * twice(grow, x[1])


def one_row_twice(x):
    row = x * 2.0
    rows = [row, row]
    total = 0.0
    for item in rows:
        total = total + np.sum(item ** 3)
    rows[0] = rows[0] * x
    return total + np.sum(rows[0] * rows[1])


@pytest.mark.parametrize(("function", "order"), [
    (left_by_return_in_try, 2), (remembered, 2), (changed_by_closures, 2), (one_row_twice, 2),
    (taken_apart, 2), (filled_by_a_recursion, 3)], ids=lambda item: getattr(item, "__name__", ""))
def test_what_changes_on_the_way(function, order) -> None:
    s2sgrad.check_grads(function, (np.array([0.7, 1.3, 0.4]),), order=order)


def scaled_by_passive_elements(x, v):
    return np.sum(x ** 3) * np.sum(np.vectorize(lambda a: a ** 2)(v))


def test_what_stays_plain_in_the_gradient_has_names_of_its_own() -> None:
    """The function that stands for ``np.vectorize`` is not named in the gradient's text, which is read again."""
    x, v = np.array([0.5, -1.0]), np.array([1.0, 2.0, 0.3])
    product = s2sgrad.vjp(grad(scaled_by_passive_elements), x, v)[1](np.ones(2))
    np.testing.assert_allclose(product[0], 6 * x * np.sum(v ** 2), rtol=1e-12)
    np.testing.assert_allclose(product[1], np.sum(3 * x ** 2) * 2 * v, rtol=1e-12)


def found_in_a_tree(tree, x):
    node = tree
    while not node["leaf"]:
        node = node["left"] if x[node["feature"]] < node["threshold"] else node["right"]
    return node["value"] * x.sum()


def test_keys_of_dicts_that_are_not_alike_are_refused() -> None:
    """Also in the text of a gradient, in which other things that may be this or that are looked at later."""
    leaves = [{"leaf": True, "value": value} for value in (2.0, 3.0)]
    tree = {"leaf": False, "feature": 0, "threshold": 0.5, "left": leaves[0], "right": leaves[1]}
    slope = grad(found_in_a_tree, argnums=1)
    x = np.array([1.0, 0.7])
    np.testing.assert_array_equal(slope(tree, x), [3.0, 3.0])
    with pytest.raises(UnsupportedError, match="node has the key 'feature' on some ways to this line only"):
        s2sgrad.vjp(slope, tree, x)


def pulled_back_behind_a_dict(x):
    parts = {"x": x}
    parts["x"] = parts["x"] + 1.0
    y = x * parts["x"]
    return np.sum(s2sgrad.vjp(lambda w: np.sum((np.sin(w) + np.cos(w)) * y), y)[1](1.0)[0])


def test_what_is_found_out_late_about_memory() -> None:
    """That others have it, too, after an adjoint was written that reads it: it is saved as a copy."""
    s2sgrad.check_grad(grad(pulled_back_behind_a_dict), np.array([0.5, -1.0]))


def test_a_gradient_that_reads_what_is_not_saved_is_refused_and_hvp_goes_another_way() -> None:
    def f(x: Any, m: Any) -> Any:
        x[:-1] -= x[1:]
        chosen = np.select([m], [x], 0)
        chosen[0] = x[0]
        return np.sum(x) + np.sum(np.cos(chosen))

    x, m, v = np.array([0.3, 0.7, 1.0]), np.array([True, True, False]), np.array([1.0, 0.5, -1.0])
    expected = (grad(f)(x + 1e-5 * v, m) - grad(f)(x - 1e-5 * v, m)) / 2e-5
    np.testing.assert_allclose(s2sgrad.hvp(f)(x.copy(), m, v), expected, rtol=1e-6)
    with pytest.raises(UnsupportedError, match="gradient's text reads m"):
        s2sgrad.jvp(grad(f), (x, m), (v, None))
