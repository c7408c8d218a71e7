"""Differentiated functions in a program that lives: sent elsewhere, interrupted, called from threads, over inputs that
change."""
from __future__ import annotations

import copy
import functools
import gc
import inspect
import multiprocessing
import pickle
import subprocess
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad import entry
from s2sgrad.compiler import effects, infer
from s2sgrad.derivative import derivative, path_table, understood
from s2sgrad.errors import S2SGradError, UnsupportedError

X = np.array([0.5, -1.0, 2.0])


def energy(x, k=2.0):
    return (k * x * x).sum()


@s2sgrad.value_and_grad
def decorated(x):
    return (x ** 3).sum()


@functools.partial(s2sgrad.grad, argnums=(0, 1), has_aux=True)
def decorated_with_options(x, w):
    return (x * w).sum(), x


@s2sgrad.differentiable
def marked(x):
    return (x ** 2).sum()


SLOPE = s2sgrad.grad(energy)

# ---------------------------------------------------------------------------- sent and copied


@pytest.mark.parametrize("function, args", [
    (s2sgrad.grad(energy), (X,)), (s2sgrad.value_and_grad(energy, (0, 1)), (X, 3.0)), (decorated, (X,)), (SLOPE, (X,)),
    (decorated_with_options, (X, X)), (marked, (X,)), (marked.paths, ()), (s2sgrad.jacobian(energy), (X,)),
    (s2sgrad.jacfwd(energy), (X,)), (s2sgrad.jacrev(energy), (X,)), (s2sgrad.hessian(marked), (X,)),
    (s2sgrad.hvp(energy), (X, X)), (s2sgrad.hessian_diagonal(energy), (X,)),
    (s2sgrad.elementwise_grad(energy, 1), (X, 3.0)), (s2sgrad.gauss_newton_product(energy, marked), (X, X)),
])
def test_what_is_pickled_is_the_function_and_its_options(function: Callable, args: tuple) -> None:
    function(*args)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        sent = pickle.dumps(function, protocol)
        assert len(sent) < 400
        found = pickle.loads(sent)
        np.testing.assert_equal(found(*args), function(*args))
        assert pickle.dumps(found, protocol) == sent
    if function is not marked.paths:
        assert inspect.signature(found) == inspect.signature(function)
        assert copy.copy(function) is function
        assert copy.deepcopy({"f": function})["f"] is function


def test_a_decorated_function_is_itself_elsewhere() -> None:
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert pickle.loads(pickle.dumps(marked)) is marked


def test_what_cannot_be_found_by_name_is_told_of_by_pickle() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda|local object"):
        pickle.dumps(s2sgrad.grad(lambda x: x * x))


def test_spawned_processes() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for function, args in ((s2sgrad.grad(energy), (X,)), (decorated, (X,)), (decorated_with_options, (X, 2 * X))):
            np.testing.assert_equal(pool.apply(function, args), function(*args))


def test_a_script_whose_functions_are_sent(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text("""
import multiprocessing
import numpy as np
import s2sgrad

@s2sgrad.grad
def slope(x):
    return (x ** 2).sum()

def f(x):
    return (3.0 * x).sum()

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(slope, [np.ones(1), 2 * np.ones(1)]), pool.apply(s2sgrad.grad(f), (np.ones(2),)))
""")
    assert output(str(file)) == "[array([2.]), array([4.])] [3. 3.]"


def output(*arguments: str, given: str | None = None) -> str:
    """What Python prints, errors included."""
    done = subprocess.run([sys.executable, *arguments], cwd=Path(s2sgrad.__file__).parents[1], text=True, input=given,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return done.stdout.strip()


def test_cloudpickle() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    k = 3.0
    gradient = s2sgrad.grad(lambda x: (k * x * x).sum())
    gradient(X)
    marked_here = s2sgrad.differentiable(lambda x: k * x)
    sent = cloudpickle.dumps({"gradient": gradient, "again": gradient, "marked": marked_here})
    k = 5.0
    found = pickle.loads(sent)
    np.testing.assert_array_equal(found["gradient"](X), 6.0 * X)
    np.testing.assert_array_equal(gradient(X), 10.0 * X)
    assert found["again"] is found["gradient"]
    assert found["marked"](2.0) == 6.0
    assert not found["marked"].paths()


def test_sent_without_its_file(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    file, sent = tmp_path / "script.py", tmp_path / "sent"
    file.write_text(f"""
import cloudpickle
import numpy as np
import s2sgrad

def helper(x):
    return x ** 2 if x.sum() > 0 else -x

def f(x):
    tripled = lambda v: 3.0 * v
    return np.sum(helper(tripled(x)))

with open({str(sent)!r}, "wb") as target:
    cloudpickle.dump((s2sgrad.grad(f), f), target)
""")
    assert output(str(file)) == ""
    file.unlink()
    assert output("-c", f"""if True:
        import pickle, numpy as np, s2sgrad
        with open({str(sent)!r}, "rb") as source:
            gradient, f = pickle.load(source)
        print(gradient(np.ones(2)), s2sgrad.grad(f)(-np.ones(2)))
        print("# 11: return np.sum(helper(tripled(x)))" in s2sgrad.source(f, np.ones(2)))
        """) == "[18. 18.] [-3. -3.]\nTrue"


def test_methods() -> None:
    class Model:
        k = 3.0

        def __deepcopy__(self, memo: dict) -> Model:
            raise AssertionError

        scaled = s2sgrad.grad(lambda self, x: x * x * 2.0, argnums=1)

    assert Model().scaled(3.0) == 12.0
    assert Model.scaled(None, 3.0) == 12.0
    assert "gradient of" in repr(Model.scaled)


class Holding:
    def __init__(self, w: Any) -> None:
        self.w = w
        self.held = [s2sgrad.grad(self.loss), s2sgrad.grad(functools.partial(self.loss, k=3.0)),
                     s2sgrad.hvp(self.loss), s2sgrad.differentiable(self.loss)]

    def loss(self, x, *_, k=1.0):
        return np.sum(self.w * x ** 2) * k


def test_an_object_that_keeps_gradients_of_its_methods_is_copied_with_them() -> None:
    model = Holding(X)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        copied.w = X + 1.0
        for found, function in zip(copied.held, Holding(X + 1.0).held):
            np.testing.assert_equal(found(X, X), function(X, X))


# ---------------------------------------------------------------------------- interrupted

def helper(x, n):
    for _ in range(n):
        x = np.sin(x) if x.sum() > 0 else x * x
    return x


def compiled_much(x, axis, n):
    y = helper(x, n) * np.cumsum(x, axis=axis)
    for _ in range(n):
        y = y * FACTOR + x if y.sum() > 0 else y * 2.0
    return y.sum()


FACTOR = 1.5
PASSES = {
    "infer": (infer.Infer, "run"), "desugar": (understood, "desugar"), "reverse": (derivative.Reverse, "run"),
    "primal": (derivative.Primal, "run"), "emit": (derivative, "compile_text"), "text": (derivative.Text, "__init__"),
    "key": (entry.Entry, "read_captured"), "path": (derivative.PathTable, "of_path"), "rule": (infer.Infer, "apply"),
    "captures": (derivative.Captures, "freeze"), "finished": (derivative.Captures, "finish"),
}


@pytest.mark.parametrize("name", PASSES)
def test_an_interrupt_in_the_middle_of_a_compilation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    holder, attribute = PASSES[name]
    run = getattr(holder, attribute)
    matrix = np.arange(6.0).reshape(2, 3) / 5 + 0.1
    calls = [(matrix, axis, n) for n in (2, 3) for axis in (0, 1)] + [(-matrix, 0, 2)]
    expected = [s2sgrad.grad(compiled_much)(*args) for args in calls]
    for place in range(4):
        for after in (False, True):
            left = place

            def interrupted(*args: Any, after: bool = after, **kwargs: Any) -> Any:
                nonlocal left
                left -= 1
                result = run(*args, **kwargs) if left != -1 or after else None
                if left == -1:
                    raise KeyboardInterrupt
                return result

            gradient = s2sgrad.grad(compiled_much)
            with monkeypatch.context() as patch:
                patch.setattr(holder, attribute, interrupted)
                for args, right in zip(calls, expected):
                    try:
                        found = gradient(*args)
                    except KeyboardInterrupt:
                        found = gradient(*args)
                    np.testing.assert_array_equal(found, right)
            for args, right in zip(calls, expected):
                np.testing.assert_array_equal(gradient(*args), right)


def test_an_interrupt_while_a_value_becomes_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting(set):
        def add(self, item: Any) -> None:
            if armed:
                armed.pop()
                raise KeyboardInterrupt
            super().add(item)

    gradient = s2sgrad.grad(compiled_much)
    gradient.__s2sgrad__.by_value = Interrupting()
    armed, matrix = [True], np.ones((2, 2))
    with pytest.raises(KeyboardInterrupt):
        gradient(matrix, 0, 1)
    for axis in (0, 1):
        np.testing.assert_array_equal(gradient(matrix, axis, 1), s2sgrad.grad(compiled_much)(matrix, axis, 1))


def writes(m):
    m[0] = 5.0
    return 0.0


def reads_or(m, n):
    return 1.0 * (writes_or(m, n - 1) if n > 0 else 0.0)


def writes_or(m, n):
    if n > 0:
        reads_or(m, n - 1)
    return writes(m)


def test_an_interrupt_while_a_function_is_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    def loss(x):
        m = np.ones(3, int)
        y = (x * m).sum()
        return y if writes(m) < 1 else x[0]

    def interrupted(function: Any) -> Any:
        raise KeyboardInterrupt

    effects._known.clear()
    with monkeypatch.context() as patch:
        patch.setattr(effects, "_writes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            s2sgrad.grad(loss)(X)
    np.testing.assert_array_equal(s2sgrad.grad(loss)(X), np.ones(3))  # m as it was before the call that writes into it


def test_functions_that_call_each_other_and_write() -> None:
    def first(x):
        m = np.ones(3)
        return (x * m).sum() + writes_or(m, 0)

    def second(x):
        m = np.ones(3)
        return (x * m).sum() + reads_or(m, 1)

    effects._known.clear()
    for function in (first, second):  # what is found of one function holds of the other
        np.testing.assert_array_equal(s2sgrad.grad(function)(X), np.ones(3))


def test_an_interrupt_in_the_middle_of_a_call() -> None:
    stops = [True]

    def f(x):
        total = 0.0
        for value in x:
            total = total + value ** 2
            wait(stops)
        return total

    gradient = s2sgrad.value_and_grad(f)
    for _ in range(2):
        stops.append(True)
        with pytest.raises(KeyboardInterrupt):
            gradient(X)
        stops.clear()
        value, found = gradient(X)
        assert value == (X ** 2).sum()
        np.testing.assert_array_equal(found, 2 * X)


def wait(stops):
    if stops:
        raise KeyboardInterrupt


# ---------------------------------------------------------------------------- reentered

def test_a_function_whose_gradient_is_taken_while_it_runs() -> None:
    def f(x, depth):
        slope = inner(depth)
        return (x ** 2).sum() * slope if x.sum() > 0 else x.sum() * slope

    def inner(depth):
        return 1.0 if depth == 0 else float(gradient(-X if depth == 2 else X, depth - 1)[0])

    gradient = s2sgrad.grad(f)
    np.testing.assert_allclose(gradient(X, 0), 2 * X)
    np.testing.assert_allclose(gradient(X, 1), 2 * X * 2 * X[0])
    np.testing.assert_allclose(gradient(X, 2), 2 * X * 2 * X[0])


@pytest.mark.parametrize("collecting", [True, False])
def test_compiling_leaves_the_collection_of_garbage_as_it_was(collecting: bool) -> None:
    def unsupported(x):
        async def later():
            return x
        return later()

    def cubed(x):
        return x ** 3

    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        assert s2sgrad.grad(cubed)(2.0) == 12.0
        assert gc.isenabled() is collecting
        with pytest.raises(UnsupportedError):
            s2sgrad.grad(unsupported)(2.0)
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()


# ---------------------------------------------------------------------------- threads

def together(works: list[Callable[[], Any]]) -> list[Any]:
    """The results of these, all started at once, each in a thread of its own; the exceptions, too."""
    barrier = threading.Barrier(len(works))
    results: list[Any] = [None] * len(works)

    def run(place: int) -> None:
        barrier.wait()
        try:
            results[place] = works[place]()
        except BaseException as error:
            results[place] = error

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    return results


def of_its_own(function: types.FunctionType) -> types.FunctionType:
    """The same function, but none that a ``def`` made again, for which the same compiled code would serve."""
    return types.FunctionType(function.__code__.replace(), function.__globals__, function.__name__,
                              function.__defaults__)


def test_one_compilation_however_many_threads_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_text = derivative.compile_text

    def counting(text: str, name: str, *rest: Any) -> Any:
        compiled.append(name)
        return compile_text(text, name, *rest)

    monkeypatch.setattr(derivative, "compile_text", counting)
    for _ in range(5):
        compiled.clear()
        function = of_its_own(energy)
        gradient = s2sgrad.grad(function)
        for found in together([lambda gradient=gradient: [gradient(X) for _ in range(20)]] * 8):
            np.testing.assert_array_equal(found, [4.0 * X] * 20)
        assert compiled == ["energy_primal", "energy_adjoint"]
        assert sum(path.calls for path in s2sgrad.paths(function)) == 160


def several_paths(x, a, b, n):
    y = x * SHARED if a > 0 else np.sin(x)
    for k in range(n):
        y = helper(y, 1) * x if b > k else y + x
    return y.sum()


SHARED = 2.0


def other(x, w):
    return np.tanh(x * w * SHARED).sum() + (helper(x, 2) * w).sum()


def test_threads_with_the_same_and_with_different_functions_and_paths() -> None:
    calls = [(s2sgrad.grad, several_paths, (X[:size] + 0.1, a, b, n)) for size in (2, 3) for a in (-1.0, 1.0)
             for b in (-1.0, 1.5) for n in (0, 2)]
    calls += [(s2sgrad.value_and_grad, other, (x, w)) for x in (X, X[:2], 0.5 * np.ones((2, 3))) for w in (1.0, X[:1])]
    expected = [make(f)(*args) for make, f, args in calls]
    shared = {(make, f): make(f) for make, f, _ in calls}

    def work(seed: int) -> list[int]:
        wrong = []
        for place in np.random.default_rng(seed).permutation(len(calls)):
            make, f, args = calls[place]
            gradient = shared[make, f] if seed % 2 else make(f)
            try:
                np.testing.assert_equal(gradient(*args), expected[place])
            except AssertionError:
                wrong.append(place)
        return wrong

    assert together([functools.partial(work, seed) for seed in range(8)]) == [[]] * 8


def test_threads_with_pullbacks_and_reports() -> None:
    def work() -> Any:
        value, pullback = s2sgrad.vjp(several_paths, X, 1.0, 0.5, 2)
        text = s2sgrad.source(several_paths, X, 1.0, 0.0, 1)
        return value, pullback(1.0)[0], len(s2sgrad.paths(several_paths)) > 0, text

    first, *others = together([work] * 6)
    for found in others:
        np.testing.assert_equal(found, first)


# ---------------------------------------------------------------------------- captured inputs that change

CHANGING: Any = 1.0
HOLDER = types.ModuleType("holder")
HOLDER.value = 1.0  # type: ignore[attr-defined]


def with_global(x):
    return (x * x * CHANGING).sum()


def with_attribute(x):
    return (x * x * HOLDER.value).sum()


def with_helper_of_a_module(x):
    return HOLDER.helper(x).sum()


NESTED = types.ModuleType("nested")
NESTED.inner = HOLDER  # type: ignore[attr-defined]


def with_attribute_of_an_attribute(x):
    return (x * x * NESTED.inner.value).sum()


VALUES = [2.0, 3, True, np.float64(0.5), np.array(2.0), np.array([1.0, 2.0, 3.0]), np.arange(3), 2.0, np.ones((2, 1)),
          np.ones((2, 3)), np.float32(2.0), np.ones(3, np.float32), -1, False, np.zeros((0, 3)), 7.5]


@pytest.mark.parametrize("function, holder, name", [
    (with_global, sys.modules[__name__], "CHANGING"), (with_attribute, HOLDER, "value"),
    (with_attribute_of_an_attribute, HOLDER, "value"),
])
def test_captured_values_bound_to_other_types_and_shapes(function: Callable, holder: Any, name: str,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = s2sgrad.value_and_grad(function)
    for value in (*VALUES, *reversed(VALUES)):
        monkeypatch.setattr(holder, name, value)
        found, slope = gradient(X)
        np.testing.assert_allclose(found, function(X), strict=True)
        factors = np.broadcast_to(value, np.broadcast_shapes(np.shape(value), (3,)))
        np.testing.assert_allclose(slope, 2 * X * (factors if factors.ndim == 1 else factors.sum(axis=0)))
    monkeypatch.setattr(holder, name, "text")
    with pytest.raises((S2SGradError, TypeError)):
        gradient(X)
    monkeypatch.setattr(holder, name, 2.0)
    np.testing.assert_array_equal(gradient(X)[1], 4.0 * X)


def test_captured_cells_and_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    cell: Any = 1.0

    def f(x):
        return (x * cell).sum() if flag else (x * x).sum()

    flag: Any = True
    gradient = s2sgrad.grad(f)
    for cell in (2.0, X, 3, np.float32(2.0)):
        np.testing.assert_allclose(gradient(X), np.broadcast_to(cell, 3))
    for flag in (False, None, "yes", [], [0]):
        right = np.full(3, 2.0) if flag else 2 * X
        np.testing.assert_allclose(gradient(X), right)
    gradient = s2sgrad.grad(with_helper_of_a_module)
    for helper_, right in ((np.sin, np.cos(X)), (lambda x: x * 3.0, np.full(3, 3.0)), (np.exp, np.exp(X)),
                           (lambda x: x * cell, np.full(3, 2.0))):
        monkeypatch.setattr(HOLDER, "helper", helper_, raising=False)
        np.testing.assert_allclose(gradient(X), right)


def test_functions_whose_code_is_replaced() -> None:
    """As tools do that reload the modules in use."""
    def helper(x):
        return x * x

    def f(x):
        return helper(x) * 2.0

    def other(x):
        return helper(x) * 3.0

    gradient = s2sgrad.grad(f)
    assert gradient(5.0) == 20.0
    helper.__code__ = (lambda x: x * x * x).__code__
    assert gradient(5.0) == 150.0
    f.__code__ = other.__code__
    assert gradient(5.0) == 225.0


class Reloaded:
    def act(self, x):
        return x * x

    @property
    def slope(self):
        return 2.0

    def run(self, x):
        return self.act(x) * self.slope


def test_functions_that_are_not_called_by_their_names_and_whose_code_is_replaced() -> None:
    def helper(x, power=2):
        return x ** power

    def f(x, other=helper):
        return table["helper"](x) + bound(x) + other(x) + model.run(x)

    table, bound, model = {"helper": helper}, functools.partial(helper, power=1), Reloaded()
    gradients = s2sgrad.grad(f), s2sgrad.grad(lambda model, x: model.run(x), argnums=1), s2sgrad.grad(model.run)

    def all_of_them() -> list[float]:
        pulled, _ = s2sgrad.vjp(f, 3.0)[1](1.0)
        pushed = s2sgrad.jvp(f, (3.0,), (1.0,))[1]
        whole, of_argument, of_method = (gradient(*args) for gradient, args in zip(
            gradients, ((3.0,), (model, 3.0), (3.0,))))
        assert whole == pulled == pushed and of_argument == of_method
        return [whole, of_method]

    assert all_of_them() == [25.0, 12.0]
    act, slope, code, defaults = Reloaded.act.__code__, Reloaded.slope.fget.__code__, helper.__code__, (2,)
    try:
        helper.__defaults__ = (3,)
        assert all_of_them() == [67.0, 12.0]
        helper.__code__ = (lambda x, power: 5.0 * x ** power).__code__
        assert all_of_them() == [287.0, 12.0]
        helper.__code__, helper.__defaults__ = code.replace(), defaults
        assert all_of_them() == [25.0, 12.0]
        Reloaded.act.__code__ = (lambda self, x: 4.0 * x).__code__
        assert all_of_them() == [21.0, 8.0]
        Reloaded.slope.fget.__code__ = (lambda self: 3.0).__code__
        assert all_of_them() == [25.0, 12.0]
    finally:
        Reloaded.act.__code__, Reloaded.slope.fget.__code__ = act, slope


def test_defaults_that_are_replaced() -> None:
    def f(x, rate=2.0, *, scale=1.0):
        return x * rate * scale

    gradient = s2sgrad.value_and_grad(f)
    assert gradient(3.0) == (6.0, 2.0)
    f.__code__, f.__defaults__ = f.__code__.replace(), (float("2"),)
    assert gradient(3.0) == (6.0, 2.0)
    f.__code__, f.__defaults__ = f.__code__.replace(), (5.0,)
    for _ in range(2):
        with pytest.raises(S2SGradError, match="f has got other parameters or defaults since"):
            gradient(3.0)
    assert s2sgrad.value_and_grad(f)(3.0) == (15.0, 5.0)
    assert s2sgrad.vjp(f, 3.0)[1](1.0)[0] == s2sgrad.jvp(f, (3.0,), (1.0,))[1] == 5.0
    assert f(3.0) == 15.0


def test_defaults_by_name_that_are_replaced() -> None:
    def helper(x, *, scale=1.0):
        return x * scale

    def f(x, *, rate=2.0):
        return helper(x) * rate

    ways = [s2sgrad.grad(f), lambda x: s2sgrad.vjp(f, x)[1](1.0)[0], lambda x: s2sgrad.jvp(f, (x,), (1.0,))[1]]
    assert [way(3.0) for way in ways] == [2.0] * 3
    helper.__kwdefaults__ = {"scale": 4.0}
    assert [way(3.0) for way in ways] == [8.0] * 3
    f.__kwdefaults__ = {"rate": 3.0}
    for _ in range(2):
        with pytest.raises(S2SGradError, match="f has got other parameters or defaults since"):
            ways[0](3.0)
    assert [way(3.0) for way in ways[1:]] == [12.0] * 2 == [s2sgrad.grad(f)(3.0)] * 2


def test_a_captured_name_that_comes_and_goes() -> None:
    def f(x):
        return x * late

    gradient = s2sgrad.grad(f)
    with pytest.raises((NameError, S2SGradError)):
        gradient(2.0)
    late = 3.0
    assert gradient(2.0) == 3.0
    del late
    with pytest.raises((NameError, S2SGradError), match="late"):
        gradient(2.0)
    late = X
    with pytest.raises(S2SGradError, match="returned an array"):
        gradient(2.0)


def test_an_attribute_of_a_callable_object_that_comes_and_goes() -> None:
    class Layer:
        def __call__(self, x):
            return x * getattr(self, "scale", 1.0)

    def outside(x):
        return layer(x)

    def given(x, layer):
        return layer(x)

    layer = Layer()
    calls = [functools.partial(s2sgrad.grad(outside), 2.0), functools.partial(s2sgrad.grad(given), 2.0, layer)]
    for scale in (None, 3.0, None, 4.0):
        if scale is not None:
            layer.scale = scale
        assert [call() for call in calls for _ in range(2)] == [scale or 1.0] * 4
        if scale is not None:
            del layer.scale


def test_arrays_and_lists_that_are_written_into_between_calls() -> None:
    weights, items = np.ones(3), [1.0, 2.0]

    def f(x):
        total = (x * weights).sum()
        for item in items:
            total = total + (x * item).sum()
        return total

    gradient = s2sgrad.grad(f)
    np.testing.assert_array_equal(gradient(X), [4.0, 4.0, 4.0])
    weights[1] = 5.0
    items.append(10.0)
    np.testing.assert_array_equal(gradient(X), [14.0, 18.0, 14.0])
    items[0] = X  # type: ignore[call-overload]
    np.testing.assert_array_equal(gradient(X), X + [13.0, 17.0, 13.0])


# ---------------------------------------------------------------------------- reports on paths

def three_ways(x, limit):
    if x > limit:
        return x * x
    for k in range(3):
        if x * k < -limit:
            return -x
    y = x if x > 0 else 2 * x
    return y * 3.0


def test_paths_count_hits_and_quote_the_users_lines() -> None:
    s2sgrad.differentiable(three_ways)
    assert str(three_ways.paths()) == "no path was taken yet"
    gradient = s2sgrad.grad(three_ways)
    for x in (5.0, 0.5, 6.0, -3.0, 7.0, -0.1, 0.6):
        gradient(x, 1.0)
    lines, first = inspect.getsourcelines(three_ways)
    report = three_ways.paths()
    assert [(path.calls, path.hits, path.misses) for path in report] == [(3, 2, 1), (2, 1, 1), (1, 0, 1), (1, 0, 1)]
    assert len({path.id for path in report}) == 4
    assert report[0].conditions == ((first + 1, "if x > limit:", "true"),)
    assert report[1].conditions == (
        (first + 1, "if x > limit:", "false"), (first + 3, "for k in range(3):", "not left by return"),
        (first + 6, "y = x if x > 0 else 2 * x", "true"))
    assert sorted(path.conditions[-1][1:] for path in report[2:]) == [
        ("for k in range(3):", "left by return"), ("y = x if x > 0 else 2 * x", "false")]
    for path in report:
        for line, text, _ in path.conditions:
            assert lines[line - first].strip() == text
    assert str(report).startswith(
        f"path {report[0].id}: 3 calls (2 from the cache)\n    {first + 1}: if x > limit:  -> true")


def test_paths_of_a_gradient_are_those_of_its_own_calls() -> None:
    def f(x):
        return x if x > 0.0 else -x

    gradient = s2sgrad.grad(f)
    for x in (1.0, -1.0, 2.0):
        gradient(x)
    s2sgrad.vjp(f, 3.0)[1](1.0)
    assert [path.calls for path in s2sgrad.paths(gradient)] == [2, 1]
    assert sum(path.calls for path in s2sgrad.paths(f)) == 4

    def spread(*xs):
        return xs[0] if xs[0] > 0.0 else -xs[0]

    gradient = s2sgrad.grad(spread)
    gradient(1.0, 2.0)
    gradient(-1.0)
    assert sum(path.calls for path in s2sgrad.paths(gradient)) == 2


def test_sizes_share_paths_and_patterns_have_their_own() -> None:
    def f(x):
        return x.sum() if x[0] > 0 else -x.sum()

    gradient = s2sgrad.grad(f)
    for size in (2, 3, 4, 1):
        gradient(np.ones(size))
    assert sorted(path.calls for path in s2sgrad.paths(f)) == [1, 3]  # a size of 1 is another pattern
    s2sgrad.vjp(f, np.ones(2))[1](1.0)
    assert sorted(path.calls for path in s2sgrad.paths(f)) == [1, 1, 3]


def many_ways(x, bits):
    y = x
    y = y * x if bits[0] > 0 else y + x
    y = np.sin(y) if bits[1] > 0 else y * 2.0
    y = y * x if bits[2] > 0 else np.tanh(y)
    y = y + x if bits[3] > 0 else y * y
    y = np.cos(y) if bits[4] > 0 else y + 1.0
    y = y * x if bits[5] > 0 else y - x
    return y * y if bits[6] > 0 else y * 3.0


def all_ways(k: int) -> np.ndarray:
    return np.array([float(k >> bit & 1) for bit in range(7)])


def numerical(x: float, bits: np.ndarray) -> float:
    step = 1e-6
    return (many_ways(x + step, bits) - many_ways(x - step, bits)) / (2 * step)


@pytest.mark.parametrize("threads", [1, 4])
def test_past_64_paths_one_warning_and_right_gradients(threads: int) -> None:
    function = of_its_own(many_ways)
    gradient = s2sgrad.grad(function)

    def work(seed: int) -> None:
        for k in np.random.default_rng(seed).permutation(128):
            np.testing.assert_allclose(gradient(0.7, all_ways(k)), numerical(0.7, all_ways(k)), rtol=1e-6, atol=1e-8)

    with pytest.warns(UserWarning, match="many_ways took more than 64 branch paths") as warned:
        assert together([functools.partial(work, seed) for seed in range(threads)]) == [None] * threads
        for k in range(128):
            work(k) if k < 2 else None
    assert len(warned) == 1
    (compiled,) = gradient.__s2sgrad__.patterns.values()
    assert len(compiled.table.texts) == 65  # with the general one
    report = s2sgrad.paths(function)
    assert len(report) == 128
    assert all(path.calls == threads + 2 and len(path.conditions) == 7 for path in report)


def test_a_thousand_paths_leave_a_bounded_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_table, "PATH_BOUND", 1)
    gradient = s2sgrad.grad(of_its_own(many_ways))
    with pytest.warns(UserWarning, match="more than 1 branch paths"):
        for k in [*range(128), *range(128)]:
            np.testing.assert_allclose(gradient(0.7, all_ways(k)), numerical(0.7, all_ways(k)), rtol=1e-6, atol=1e-8)
    (compiled,) = gradient.__s2sgrad__.patterns.values()
    assert len(compiled.records) <= 101


# ---------------------------------------------------------------------------- sources that cannot be had

NO_SOURCE = "can't be read (<string>): put the function in a file or a notebook cell"
TEXT = """
import s2sgrad
names = {}
exec("def f(x):\\n    return x * 3.0\\n", names)
for function in (names["f"], eval("lambda x: x * 2.0")):
    try:
        s2sgrad.grad(function)
    except s2sgrad.errors.SourceError as error:
        print(error)
"""


@pytest.mark.parametrize("way", ["command", "pipe", "file"])
def test_functions_without_a_text(way: str, tmp_path: Path) -> None:
    if way == "command":
        found = output("-c", TEXT)
    elif way == "pipe":
        found = output("-", given=TEXT)
    else:
        (tmp_path / "program.py").write_text(TEXT)
        found = output(str(tmp_path / "program.py"))
    assert found.splitlines() == [f"the source of f {NO_SOURCE}", f"the source of <lambda> {NO_SOURCE}"]


def test_a_function_on_the_command_line() -> None:
    found = output("-c", "import s2sgrad\ndef f(x):\n    return x * x\nprint(s2sgrad.grad(f)(3.0))")
    assert found == "6.0" if sys.version_info >= (3, 13) else found.endswith(f"the source of f {NO_SOURCE}")


def with_inner_function(w):
    def outer(x):
        def inner(t):
            return t * w
        return inner(x)
    return outer


@pytest.mark.parametrize("make", [with_inner_function, lambda w: lambda x: (lambda t: t * w)(x),
                                  lambda w: lambda x: s2sgrad.grad(lambda t: w * t * x)(x)])
def test_functions_of_one_code_and_other_closures(make) -> None:
    assert [s2sgrad.grad(make(w))(3.0) for w in (2.0, 5.0, 7.0)] == [2.0, 5.0, 7.0]


POINTS = [(0.1 * k, 1.0 + k) for k in range(6)]
PLACES = [{"at": k, "weight": [1.0, 0.5 * k]} for k in range(6)]


def through_points(slope, x):
    loss = sum((slope * t - y) ** 2 for t, y in POINTS)
    return loss + sum(place["weight"][1] * x[place["at"] % 3] ** 2 for place in PLACES)


def test_a_table_outside_that_changes() -> None:
    """Long lists are looked at as a whole: of whatever kind an item becomes, it is seen."""
    x = np.array([0.5, -1.0, 2.0])
    gradient = s2sgrad.grad(through_points, (0, 1))

    def check(slope: Any = 1.5) -> None:
        gradients = gradient(slope, x)
        fresh = s2sgrad.grad(types.FunctionType(through_points.__code__, globals()), (0, 1))(slope, x)
        for ours, theirs in zip(gradients, fresh):
            np.testing.assert_array_equal(ours, theirs)

    check()
    for change in (lambda: POINTS.append((2, 3.0)), lambda: POINTS.__setitem__(1, (0.5, np.float32(2.0))),
                   lambda: POINTS.pop(0), lambda: PLACES[2]["weight"].append(3.0),
                   lambda: PLACES[1].update(weight=[2, 3]), lambda: PLACES[3].update(at=np.int64(1)),
                   lambda: POINTS.clear(), lambda: POINTS.extend([(1.0, 2.0)] * 7)):
        change()
        check()


class Pair:
    def __init__(self, x):
        self.x = x


def test_a_list_of_arrays_of_other_sizes_is_told_apart() -> None:
    def overlap(pairs):
        return sum(np.sum(one.x * other.x) for k, one in enumerate(pairs) for other in pairs[k + 1:])

    gradient = s2sgrad.grad(overlap)
    for sizes in ((3, 3, 3), (3, 1, 3), (2, 2), (1, 1, 1), (1, 4), (3, 3, 3, 3), (3,)):
        pairs = [Pair(np.arange(1.0, size + 1)) for size in sizes]
        for found, k in zip(gradient(pairs), range(len(sizes))):
            expected = sum((np.sum(np.broadcast_to(pairs[j].x, np.broadcast_shapes((sizes[j],), (sizes[k],))).reshape(
                -1, sizes[k]), axis=0) for j in range(len(sizes)) if j != k), np.zeros(sizes[k]))
            np.testing.assert_allclose(found.x, expected)
