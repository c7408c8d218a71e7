"""Callables of all kinds, given to the public functions; and what becomes of objects that change between calls."""
from __future__ import annotations

import functools
import inspect
import linecache
import math
import operator

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import UnsupportedError

X = np.array([0.5, -1.0, 2.0])


def affine(x, w, b=0.0, *, scale=1.0):
    """A docstring."""
    return (x * w + b) * scale


class Model:
    gain = 2.0

    def __init__(self, w):
        self.w = w
        self.activation = np.tanh

    def __call__(self, x):
        return np.sum(self.activation(x * self.w)) * self.gain

    def loss(self, x, target):
        return np.sum((x * self.w - target) ** 2)


def with_model(x, model):
    return model(x) + model.loss(x, 1.0)


def variadic(x, *args, scale=1.0, **options):
    for value in args:
        x = x + value * x
    return x * scale * options.get("factor", 1.0)


def with_more(x, y=2.0, *more, scale=1.0):
    return np.sum(x * y) * scale + sum(more)


def only_by_place(x, y=2.0, /, z=1.0, *more, **options):
    return np.sum(x * y) * z + sum(more) * options.get("factor", 1.0)


def test_defaults_before_more_arguments() -> None:
    for given, slope in (((), 2.0), ((3.0,), 3.0), ((3.0, 4.0, 5.0), 3.0)):
        np.testing.assert_array_equal(s2sgrad.grad(with_more)(X, *given), slope)
        np.testing.assert_array_equal(s2sgrad.grad(with_more)(X, *given, scale=2.0), 2.0 * slope)
        np.testing.assert_array_equal(s2sgrad.grad(only_by_place)(X, *given), slope * (4.0 if len(given) == 3 else 1.0))
    assert s2sgrad.grad(with_more, (2, 3))(X, 3.0, 4.0, 5.0) == (1.0, 1.0)
    assert s2sgrad.grad(only_by_place, 3)(X, 3.0, 4.0, 5.0, factor=7.0) == 7.0
    assert s2sgrad.jvp(with_more, (X, 3.0, 4.0), (X, None, 2.0))[1] == np.sum(3.0 * X) + 2.0
    np.testing.assert_array_equal(s2sgrad.vjp(functools.partial(with_more, X), 3.0, 4.0)[1](1.0)[1], 1.0)
    for function, given in ((with_more, {"y": 3.0}), (functools.partial(with_more, y=3.0), {})):
        with pytest.raises(TypeError, match="multiple values for argument 'y'"):
            s2sgrad.grad(function)(X, 1.0, 2.0, **given)


def test_functions_with_a_rule() -> None:
    assert s2sgrad.grad(np.sin)(0.5) == np.cos(0.5)
    assert s2sgrad.grad(math.exp)(0.5) == math.exp(0.5)
    assert s2sgrad.grad(operator.mul, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    np.testing.assert_allclose(s2sgrad.grad(np.linalg.norm)(X), X / np.linalg.norm(X))
    np.testing.assert_allclose(s2sgrad.vjp(np.sum, np.ones((2, 3)), axis=0)[1](X)[0], np.tile(X, (2, 1)))
    np.testing.assert_allclose(s2sgrad.vjp(np.sum, np.ones((2, 3)), 1)[1](X[:2])[0], np.tile(X[:2, None], (1, 3)))
    assert s2sgrad.differentiable(np.sin) is np.sin
    assert "np.cos(x)" in s2sgrad.source(np.sin, 0.5)
    s2sgrad.check_grad(np.hypot, 2.0, 3.0)


def test_partials() -> None:
    half = functools.partial(affine, 3.0, scale=0.5)
    assert s2sgrad.grad(half)(2.0) == 1.5
    assert s2sgrad.grad(half, (0, 1))(2.0, 1.0) == (1.5, 0.5)
    assert s2sgrad.grad(half)(2.0, scale=2.0) == 6.0
    assert str(inspect.signature(s2sgrad.grad(functools.partial(affine, w=2.0)))) == "(x, *, w=2.0, b=0.0, scale=1.0)"
    with pytest.raises(ValueError, match="affine has 1 positional parameter"):
        s2sgrad.grad(functools.partial(affine, w=2.0), 1)
    with pytest.raises(TypeError, match="positional argument"):
        s2sgrad.grad(functools.partial(affine, w=2.0))(1.0, 2.0)
    assert s2sgrad.grad(functools.partial(np.power, 2.0))(3.0) == 8.0 * math.log(2.0)
    _, pullback = s2sgrad.vjp(half, 2.0, 1.0)
    assert pullback(1.0) == (1.5, 0.5, 3.0 * 2.0 + 1.0)


def test_methods_and_callable_objects() -> None:
    model = Model(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(s2sgrad.grad(model.loss)(X, 1.0), 2.0 * (X * model.w - 1.0) * model.w)
    assert s2sgrad.grad(model.loss, 1)(X, 1.0) == pytest.approx(-2.0 * np.sum(X * model.w - 1.0))
    expected = (1.0 - np.tanh(X * model.w) ** 2) * model.w * 2.0
    np.testing.assert_allclose(s2sgrad.grad(model)(X), expected)
    np.testing.assert_allclose(s2sgrad.grad(Model.__call__, 1)(model, X), expected)
    assert str(inspect.signature(s2sgrad.grad(model.loss))) == "(x, target)"
    value, pullback = s2sgrad.vjp(model, X)
    model.w *= 5.0  # the pullback has the array as it was
    np.testing.assert_allclose(pullback(1.0)[0], expected)
    s2sgrad.check_grad(model, X)
    assert [path.calls for path in s2sgrad.paths(model.loss)] == [1, 1]
    assert "x_bar" in s2sgrad.source(model, X)
    assert s2sgrad.saved(model, X)


def with_default(x, w=X.copy()):  # noqa: B008
    return np.sum(x * w)


@pytest.mark.parametrize("make", [lambda w: functools.partial(affine, w), lambda w: functools.partial(affine, w=w),
                                  lambda w: functools.partial(np.multiply, w), lambda w: Model(w).loss,
                                  lambda w: with_default])
def test_a_pullback_does_not_see_what_is_written_into_held_arrays(make) -> None:
    w = X.copy()
    args = (X, 1.0) if hasattr(make(w), "__self__") else (X,)
    value, pullback = s2sgrad.vjp(make(w), *args)
    expected = pullback(np.ones_like(value))[0].copy()
    w *= 5.0
    with_default.__defaults__[0][:] *= 2.0
    np.testing.assert_array_equal(pullback(np.ones_like(value))[0], expected)


class Decorated:
    def __init__(self, w):
        self.w = w

    @s2sgrad.differentiable
    def loss(self, x):
        return np.sum(self.w * x) ** 2

    @staticmethod
    @s2sgrad.differentiable
    def size(x):
        return np.sum(x ** 2)

    @s2sgrad.differentiable
    def __add__(self, other):
        return Decorated(self.w + other.w)

    @property
    @s2sgrad.differentiable
    def length(self):
        return np.sum(self.w ** 2)

    @length.setter
    @s2sgrad.differentiable
    def length(self, wanted):
        self.w = self.w * (wanted / np.sum(self.w ** 2))

    @functools.cached_property
    @s2sgrad.differentiable
    def twice(self):
        return self.w * 2.0

    def both(self, x):
        return self.loss(x) * self.size(x)

    def slope(self, x):
        return np.sum(s2sgrad.grad(self.loss)(x))


class Inherited(Decorated):
    def loss(self, x):
        return super().loss(x) + Decorated.loss(self, 2.0 * x)


def made_inside(x):
    return (Decorated(x) + Inherited(x * x)).both(x) * Inherited(x).both(x)


def properties(x, wanted):
    model = Decorated(x)
    model.length = wanted
    return model.length * np.sum(model.twice * x)


def property_of(model):
    return model.length * model.length


def test_decorated_properties() -> None:
    s2sgrad.check_grad(properties, X, 2.0, argnums=(0, 1))
    np.testing.assert_allclose(s2sgrad.grad(property_of)(Decorated(X)).w, 4.0 * X * np.sum(X ** 2))
    model = Decorated(X)
    np.testing.assert_allclose(s2sgrad.grad(lambda x: x * model.length)(1.0), np.sum(X ** 2))


COUNTED = np.ones(3)


class Counting:
    @property
    @s2sgrad.differentiable
    def size(self):
        COUNTED[0] += 1.0
        return 2.0


def counted(x):
    counting, other = Counting(), COUNTED
    y = np.sum(x * COUNTED)
    return y * counting.size + np.sum(x * other)


def test_decorated_properties_that_change_what_is_outside() -> None:
    with pytest.raises(UnsupportedError, match="this call changes COUNTED"):
        s2sgrad.grad(counted)(X)


def test_decorated_methods() -> None:
    for model in (Decorated(X), Inherited(np.cos(X))):
        for function in (model.both, model.slope, lambda x, model=model: model.loss(x), made_inside):
            s2sgrad.check_grad(function, X)
        s2sgrad.check_grad(type(model).both, model, X)


def test_decorated_methods_that_are_replaced_are_seen(monkeypatch) -> None:
    gradient = s2sgrad.grad(Decorated(X).both)
    first = gradient(X)
    monkeypatch.setattr(Decorated, "loss", s2sgrad.differentiable(lambda self, x: 3.0 * np.sum(x)))
    np.testing.assert_allclose(gradient(X), 3.0 * (np.sum(X ** 2) + 2.0 * X * np.sum(X)))
    monkeypatch.undo()
    np.testing.assert_array_equal(gradient(X), first)


def test_objects_that_change_are_seen() -> None:
    model = Model(np.array([1.0, 2.0, 3.0]))
    gradient = s2sgrad.grad(model)
    other = s2sgrad.grad(with_model)
    for weights, activation, gain in ((2.0, np.sin, 1.0), (np.ones((2, 3)), np.exp, 3.0), (X, np.tanh, np.ones(3)[0]),
                                      (np.ones((4, 1)), functools.partial(np.multiply, 2.0), 0.5)):
        model.w, model.activation, model.gain = weights, activation, gain
        derivative = s2sgrad.grad(lambda x, activation=activation: np.sum(activation(x)))
        expected = derivative(X * model.w) * weights * gain
        expected = expected if expected.ndim == 1 else expected.sum(axis=0)
        np.testing.assert_allclose(gradient(X), expected)
        loss = 2.0 * (X * model.w - 1.0) * model.w
        np.testing.assert_allclose(other(X, model), expected + (loss if loss.ndim == 1 else loss.sum(axis=0)))


def test_methods_that_are_replaced_are_seen(monkeypatch) -> None:
    model = Model(X)
    gradient = s2sgrad.grad(with_model)
    first = gradient(X, model)
    monkeypatch.setattr(Model, "loss", lambda self, x, target: 3.0 * np.sum(x))
    np.testing.assert_allclose(gradient(X, model), s2sgrad.grad(model)(X) + 3.0)
    monkeypatch.undo()
    np.testing.assert_array_equal(gradient(X, model), first)


def test_each_object_has_code_of_its_own() -> None:
    gradient = s2sgrad.grad(with_model)
    models = [Model(np.full(shape, float(size))) for size, shape in enumerate([(), (3,), (2, 3), (4, 1)], 1)]
    for model in (*models, *models):
        s2sgrad.judge.compare((gradient(X, model),), with_model, (X, model), (0,), 1.0)


def test_many_objects_do_not_pile_up() -> None:
    gradient = s2sgrad.grad(with_model)
    for _ in range(300):
        gradient(X, Model(X))
    entry = gradient.__s2sgrad__
    assert len(entry.places) < 300
    assert len(entry.patterns) < 300


def test_decorated_functions() -> None:
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return 2.0 * function(*args, **kwargs)
        return wrapper

    decorated = twice(affine)
    assert s2sgrad.grad(decorated)(2.0, 3.0) == 6.0
    assert s2sgrad.grad(decorated, (1, 2))(2.0, 3.0, 1.0, scale=2.0) == (8.0, 4.0)
    assert s2sgrad.grad(functools.lru_cache(affine))(2.0, 3.0) == 3.0

    @functools.wraps(affine)
    def renamed(y):
        return affine(y, y)

    assert s2sgrad.grad(renamed)(2.0) == 4.0


def test_variadic_functions() -> None:
    assert s2sgrad.grad(variadic)(2.0) == 1.0
    assert s2sgrad.grad(variadic, (0, 1, 2))(2.0, 3.0, 4.0) == (20.0, 10.0, 8.0)
    assert s2sgrad.grad(variadic, -1)(2.0, 3.0, factor=2.0) == 4.0
    value, pullback = s2sgrad.vjp(variadic, 2.0, 3.0, scale=2.0, factor=0.5)
    assert (value, pullback(1.0)) == (8.0, (4.0, 2.0, 4.0, 16.0))
    with pytest.raises(ValueError, match="argnums 2 is out of range"):
        s2sgrad.grad(variadic, 2)(2.0, 3.0)
    with pytest.raises(TypeError, match=r"variadic\(\) missing a required argument: 'x'"):
        s2sgrad.grad(variadic)()
    second = s2sgrad.grad(s2sgrad.grad(variadic))(2.0, 3.0)
    assert second == pytest.approx(s2sgrad.grad(lambda x: s2sgrad.grad(variadic)(x, 3.0))(2.0))


class Dispatcher:
    """Like Numba's."""

    def __init__(self, function):
        self.py_func = function
        functools.update_wrapper(self, function)


Dispatcher.__module__ = "numba.core.dispatcher"


def test_compiled_functions_are_read_through() -> None:
    compiled = Dispatcher(affine)
    Dispatcher.__call__ = lambda self, *args, **kwargs: self.py_func(*args, **kwargs)
    assert s2sgrad.grad(compiled)(2.0, 3.0) == 3.0
    assert s2sgrad.grad(lambda x: compiled(x, x))(2.0) == 4.0


def test_inner_functions_read_their_names_when_called() -> None:
    seen = []

    def watched(x):
        def inner(t):
            seen.append(t)
            return t * factor
        factor = 2.0
        first = inner(x)
        factor = x
        return first + inner(3.0)

    assert s2sgrad.value_and_grad(watched)(2.0) == (10.0, 5.0) and seen == [2.0, 3.0]

    def plain(x):
        def inner(t):
            return t * factor
        factor = 2.0
        first = inner(x)
        factor = x
        return first + inner(3.0)

    assert s2sgrad.value_and_grad(plain)(2.0) == (10.0, 5.0)
    assert "(3.0, factor=factor)" in s2sgrad.source(plain, 2.0)


def test_what_wraps_a_gradient_is_no_gradient() -> None:
    slope = s2sgrad.grad(lambda x: x ** 3)

    @functools.wraps(slope)
    def twice(x):
        return 2.0 * slope(x)

    assert s2sgrad.grad(twice)(3.0) == 36.0
    assert s2sgrad.grad(lambda x: x * twice(x))(3.0) == pytest.approx(3 * 36.0 + 54.0)


@s2sgrad.checkpoint
def squares(x):
    return np.sum(x ** 2)


@pytest.mark.parametrize(("around", "slope"), [
    (squares, 6.0 * X), (s2sgrad.hessian_diagonal(lambda x: np.sum(x ** 4)), 3.0 * 24.0 * X)])
def test_what_wraps_is_not_what_it_wraps(around, slope) -> None:
    @functools.wraps(around)
    def wrapper(x):
        return 3.0 * np.sum(around(x))

    np.testing.assert_allclose(s2sgrad.grad(wrapper)(X), slope)
    np.testing.assert_allclose(s2sgrad.grad(lambda x: wrapper(x) * 2.0)(X), 2.0 * slope)


@pytest.mark.parametrize("inner", [s2sgrad.jacfwd, s2sgrad.jacrev, s2sgrad.elementwise_grad])
def test_what_is_made_of_a_gradient_is_no_gradient(inner) -> None:
    jacobian = inner(s2sgrad.grad(lambda x: np.sum(x ** 4)))
    expected = np.zeros((3, 3, 3))
    expected[range(3), range(3), range(3)] = 24.0 * X
    if inner is s2sgrad.elementwise_grad:
        expected = np.diag(24.0 * X)
    np.testing.assert_allclose(s2sgrad.jacfwd(jacobian)(X), expected)
    np.testing.assert_allclose(s2sgrad.jacrev(jacobian)(X), expected)
    np.testing.assert_allclose(s2sgrad.jvp(jacobian, (X,), (X,))[1], expected @ X)



def test_a_factory_that_is_defined_anew() -> None:
    names: dict = {"__name__": "anew"}

    def define(text: str) -> None:
        file = f"<anew {len(text)}>"
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        exec(compile(text, file, "exec"), names)

    define("def make(w):\n    return lambda x: w * x\n")
    define("def f(x):\n    return make(x)(x)\n")
    gradient = s2sgrad.grad(names["f"])
    assert gradient(2.0) == 4.0
    define("def make(w):\n    return lambda x: w * w * x\n")
    assert gradient(2.0) == 12.0
    assert s2sgrad.grad(names["f"])(2.0) == 12.0


def closes_over_a_view(x, w):
    u = x * 2.0
    v = u[:2]

    def f(z):
        return v * z

    u[0] = 5.0
    return f(w).sum()


def test_what_a_function_closes_over_is_read_when_it_is_called() -> None:
    value, gradients = s2sgrad.value_and_grad(closes_over_a_view, (0, 1))(np.ones(3), 3.0)
    assert value == 21.0
    np.testing.assert_equal(gradients, (np.array([0.0, 6.0, 0.0]), 7.0))


class Ridge:
    def __init__(self, w, b, strength):
        self.w, self.b, self.strength = w, b, strength

    def loss(self, x):
        h = np.tanh(self.w @ x + self.b)
        return (h ** 2).sum() + self.strength * (x ** 2).sum()


def test_of_the_object_of_a_bound_method_the_attributes_are_known() -> None:
    ridge = Ridge(np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]]), np.zeros(3), 0.1)
    x = np.array([0.3, -0.2])
    text = s2sgrad.source(ridge.loss, x)
    assert "h_bar = 2.0 * h " in text and "unbroadcast" not in text and "held" not in text
    gradient = s2sgrad.grad(ridge.loss)
    for w, b, strength in ((ridge.w, ridge.b, 0.1), (ridge.w, 1.0, 2), (np.ones((1, 2)), np.ones(4), np.float32(0.5)),
                           (np.eye(2), np.ones((3, 2)), np.array([1.0, 2.0]).sum())):
        ridge.w, ridge.b, ridge.strength = w, b, strength
        h = np.tanh(w @ x + b)
        slope = np.broadcast_to(2.0 * h * (1.0 - h ** 2), np.broadcast_shapes(h.shape, (len(w),)))
        rows = np.broadcast_to(w, (slope.shape[-1], 2)) if len(w) == 1 else w
        expected = slope.reshape(-1, len(rows)).sum(axis=0) @ rows + 2.0 * strength * x
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6)


def test_a_keyword_by_the_name_of_a_parameter_that_goes_by_its_place() -> None:
    def scaled(x, /, **options):
        return (x ** 2).sum() * options["x"]

    x = np.array([0.5, -1.2])
    np.testing.assert_allclose(s2sgrad.grad(scaled)(x, x=3.0), 6.0 * x)
    bars = s2sgrad.vjp(scaled, x, x=3.0)[1](1.0)
    np.testing.assert_allclose(bars[0], 6.0 * x)
    assert bars[1] == pytest.approx((x ** 2).sum())


def carried_down(x, low, high, n):
    if n == 0:
        return low, high
    return carried_down(x, x[0] * low * high, x[1] * low + high, n - 1)


def low_or_both(x, n):
    low, high = carried_down(x, x[0], x[1], n)
    return low * 2.0 if n > 2 else low * high


def test_a_function_that_calls_itself_and_of_which_a_later_path_uses_a_part():
    gradient = s2sgrad.grad(low_or_both)
    for n in (1, 3):
        fresh = s2sgrad.grad(lambda x, n=n: low_or_both(x, n))
        np.testing.assert_allclose(gradient(X, n), fresh(X), rtol=1e-12)


def turned(a, b, c, n):
    if n == 0:
        return a * a, b * a, c * b
    u, v, w = turned(a * 1.1, b * 0.9, c * a, n - 1)
    return v, w, u


def one_or_all(x, n):
    u, v, w = turned(x[0], x[1], x[2], n)
    return u * 2.0 if n > 3 else u * v + w


def test_of_a_function_that_calls_itself_each_adjoint_calls_the_one_that_it_asked_for():
    gradient = s2sgrad.grad(one_or_all)
    for n in (1, 4, 5, 6):
        np.testing.assert_allclose(gradient(X, n), s2sgrad.jacfwd(one_or_all)(X, n), rtol=1e-12, atol=1e-12)


class Branching:
    def __init__(self, value, *parts):
        self.value, self.parts = value, parts

    def walk(self):
        yield self
        for part in self.parts:
            yield from part.walk()


def test_walks_through_trees_and_leaves():
    def size(tree):
        return sum(node.value ** 2 for node in tree.walk())

    gradient = s2sgrad.grad(size)
    assert gradient(Branching(0.5)).value == 1.0
    assert gradient(Branching(0.5, Branching(2.0))).parts[0].value == 4.0
