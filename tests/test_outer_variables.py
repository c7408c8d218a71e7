"""State outside of a function that it changes by what is differentiated, and reads again: running means, memos, caches.

Each program is a module of its own, so that the judge can start anew: what it gives, what is outside afterwards, and
its derivatives, of several calls in a row, are those of plain Python.
"""
from __future__ import annotations

import contextlib
import itertools
import linecache
import types

import numpy as np
import pytest

import s2sgrad
from s2sgrad import grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from s2sgrad.errors import UnsupportedError

COUNT = itertools.count()
PROGRAMS = {
    "running_mean": """
        STATS = {"mean": np.zeros(3), "n": 0}
        def f(x):
            STATS["n"] += 1
            STATS["mean"] = 0.9 * STATS["mean"] + 0.1 * x
            return np.sum((x - STATS["mean"]) ** 2) / STATS["n"]""",
    "detached_mean": """
        STATS = {"mean": 0.0}
        def f(x):
            y = np.sum((x - STATS["mean"]) ** 2)
            STATS["mean"] = 0.9 * STATS["mean"] + 0.1 * float(np.mean(x))
            return y""",
    "array_in_place": """
        MEAN = np.zeros(3)
        def f(x):
            global MEAN
            y = np.sum((x - MEAN) ** 2)
            MEAN *= 0.9
            MEAN += 0.1 * x
            return y * np.sum(MEAN)""",
    "by_functions_defined_inside": """
        LOG, CACHE, WORK, LAST = [0.0], {"k": 0.0}, np.zeros(2), 0.0
        def noted(v):
            global LAST
            LAST = v
        def f(x):
            force = lambda k: k * np.sum(x ** 2)
            LOG[:] = [force(k) for k in (1.0, 2.0)]
            LOG.append(force(0.5))
            CACHE["k"] = force(3.0)
            WORK[0] = force(0.7)
            noted(force(1.5))
            return sum(LOG) * CACHE["k"] + WORK[0] * LAST""",
    "bound_anew_by_a_helper": """
        LAST = None
        def smoothed(v, rate=0.1):
            global LAST
            LAST = v if LAST is None else (1 - rate) * LAST + rate * v
            return LAST
        def f(x):
            return np.sum(smoothed(x) * smoothed(2.0 * x, rate=0.5))""",
    "changed_in_tests": """
        TOTAL, ROWS = 0.5, [0.1, 0.2]
        def bump(v):
            global TOTAL
            TOTAL = TOTAL * 2.0 + v
            ROWS[0] = ROWS[0] * 0.5 + v
            return TOTAL
        def f(x):
            n = 0
            for v in x:
                if bump(v) > 1.0:
                    n += 1
            while bump(x[0]) < 3.0 and n < 4:
                n += 1
            return n * TOTAL + ROWS[0]""",
    "emptied_and_filled_by_helpers": """
        import types
        STATE, SEEN, TOTAL = {"n": 1.0}, [], 0.0
        METER = types.SimpleNamespace(last=0.0)
        def note(v):
            global TOTAL
            STATE["n"] = STATE["n"] * 0.5 + v
            SEEN.append(v * v)
            TOTAL += v ** 3
            METER.last = METER.last + v ** 2
        def f(x):
            global TOTAL
            STATE["n"] = TOTAL = METER.last = 0.0
            SEEN.clear()
            for v in x:
                note(v)
            return STATE["n"] ** 2 + sum(SEEN) * TOTAL + METER.last""",
    "history": """
        HISTORY = []
        def f(x):
            HISTORY.append(x.copy())
            if len(HISTORY) > 2:
                del HISTORY[0]
            return np.sum((x - np.mean(HISTORY, axis=0)) ** 2) + len(HISTORY)""",
    "memo": """
        MEMO = {}
        def fibonacci(n, x):
            if n in MEMO:
                return MEMO[n]
            r = x if n < 2 else fibonacci(n - 1, x) * fibonacci(n - 2, x) * 0.5 + x
            MEMO[n] = r
            return r
        def f(x):
            MEMO.clear()
            return np.sum(fibonacci(3, x))""",
    "default_that_is_read_by_its_name": """
        LOG = []
        def noted(v, log=LOG):
            log.append(1)
            return v * len(log)
        def f(x):
            return np.sum(noted(x) * noted(x)) * len(LOG)""",
    "property_that_counts_its_reads": """
        class Counter:
            def __init__(self):
                self.count = 0
            @property
            def n(self):
                self.count += 1
                return self.count
            @n.setter
            def n(self, count):
                self.count = count
        COUNTER = Counter()
        def f(x):
            y = np.sum(x ** 2 * COUNTER.n)
            COUNTER.n = 10
            return y""",
    "warm_start": """
        class Solver:
            def __init__(self):
                self.y = np.ones(3)
            def solve(self, x):
                y = self.y
                for _ in range(5):
                    y = 0.5 * (y + x ** 2 / y)
                self.y = y
                return y
        solver = Solver()
        def f(x):
            return np.sum(solver.solve(x) ** 3)""",
    "cache_of_a_layer": """
        class Dense:
            def __init__(self, w):
                self.w, self.cache = w, None
            def forward(self, x):
                self.cache = x
                return np.tanh(self.w * x)
        layer = Dense(np.array([1.0, 2.0, 0.5]))
        def f(x):
            return np.sum(layer.forward(x)) + np.sum(layer.cache ** 2)""",
    "batch_norm": """
        class BatchNorm:
            def __init__(self):
                self.mean, self.var = np.zeros(3), np.ones(3)
            def __call__(self, x):
                m, v = x - x.mean(), x.var() * np.ones(3)
                self.mean = 0.9 * self.mean + 0.1 * m
                self.var[:] = 0.9 * self.var + 0.1 * v
                return (x - self.mean) / np.sqrt(self.var + 1e-5)
        class Net:
            def __init__(self):
                self.norm = BatchNorm()
            def __call__(self, x):
                return self.norm(np.sin(x))
        net = Net()
        def f(x):
            return np.sum(net(x) ** 3)""",
    "closure": """
        def make():
            mean, n = 0.0, 0
            def f(x):
                nonlocal mean, n
                n += 1
                mean = mean + (x - mean) / n
                return np.sum((x - 0.5 * mean) ** 2)
            return f
        f = make()""",
    "calls_itself": """
        TOTAL = 0.0
        def f(x, deep=True):
            global TOTAL
            TOTAL = TOTAL + np.sum(x)
            return f(0.5 * x, False) if deep else TOTAL * np.sum(x)""",
    "given_as_a_float": """
        STATS = {"mean": np.zeros(3)}
        def f(x):
            STATS["mean"] = STATS["mean"] + x ** 2
            return float(np.sum(STATS["mean"] ** 2))""",
    "half_way": """
        STATS = {"mean": np.zeros(3), "n": 0}
        def f(x):
            STATS["mean"] = STATS["mean"] + x
            STATS["n"] += 1
            if STATS["n"] == 2:
                raise ValueError("half way")
            return np.sum(STATS["mean"] ** 2)""",
    "weights_for_a_while": """
        class Model:
            def __init__(self, w):
                self.w = w
            def __call__(self, x):
                return np.sum(np.tanh(self.w * x))
        @contextlib.contextmanager
        def weights(model, w):
            old = model.w
            model.w = w
            try:
                yield model
            finally:
                model.w = old
        model = Model(np.ones(3))
        def f(w):
            with weights(model, w) as m:
                y = m(np.array([1.0, 2.0, 3.0]))
            return y * model(w)""",
    "momentum": """
        V, STEP = np.zeros(3), 0
        def f(x):
            global V, STEP
            STEP += 1
            V = 0.9 * V + 2.0 * x
            return np.sum((x - 0.1 * V / STEP) ** 2)""",
}


def module(text: str) -> types.ModuleType:
    made = types.ModuleType(f"outer_{next(COUNT)}")
    text = "\n".join(line[8:] for line in text.splitlines())
    made.__file__ = filename = f"/{made.__name__}.py"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    vars(made).update(np=np, contextlib=contextlib)
    exec(compile(text, filename, "exec"), vars(made))
    return made


def state(made: types.ModuleType) -> str:
    def shown(value):
        if isinstance(value, dict):
            return {key: shown(item) for key, item in value.items() if "s2sgrad" not in str(key)}
        if isinstance(value, list):
            return list(map(shown, value))
        if isinstance(value, types.FunctionType) and value.__closure__:
            return [shown(cell.cell_contents) for cell in value.__closure__]
        if type(value).__module__.startswith("outer_"):
            return shown(vars(value))
        return None if callable(value) or isinstance(value, types.ModuleType) else repr(value)
    return str(shown({key: value for key, value in vars(made).items() if not key.startswith("__")}))


def outcome(call):
    try:
        return call()
    except ValueError as error:
        return repr(error)


def after(text: str, calls: int, x: np.ndarray) -> float:
    plain = module(text)
    for turn in range(calls):
        outcome(lambda: plain.f(points(turn)))  # noqa: B023
    return plain.f(x)


def points(turn: int) -> np.ndarray:
    return np.array([0.3, 0.7, 1.1]) + 0.1 * turn


@pytest.mark.parametrize("name", PROGRAMS)
def test_state_outside_is_as_plain_pythons_and_followed(name):
    text, d = PROGRAMS[name], np.array([0.3, -1.0, 0.5])
    plain, *others = (module(text) for _ in range(4))
    gradient = value_and_grad(others[0].f)
    for turn in range(3):
        x = points(turn)
        expected = outcome(lambda: plain.f(x))  # noqa: B023
        found = [outcome(lambda: gradient(x)),  # noqa: B023
                 outcome(lambda: jvp(others[1].f, (x,), (d,))),  # noqa: B023
                 outcome(lambda: pulled(others[2].f, x))]  # noqa: B023
        assert [state(other) for other in others] == [state(plain)] * 3
        if isinstance(expected, str):
            assert found == [expected] * 3
            continue
        slope = (after(text, turn, x + 1e-6 * d) - after(text, turn, x - 1e-6 * d)) / 2e-6
        assert [value for value, _ in found] == [expected] * 3
        np.testing.assert_allclose([found[0][1] @ d, found[1][1], found[2][1] @ d], slope, rtol=1e-5, atol=1e-8)
    x = points(0)
    curved = hvp(module(text).f)(x, d)
    slopes = [grad(module(text).f)(x + step * d) for step in (1e-5, -1e-5)]
    np.testing.assert_allclose(curved, (slopes[0] - slopes[1]) / 2e-5, rtol=1e-4, atol=1e-6)


def pulled(function, x):
    value, pullback = vjp(function, x)
    return value, pullback(1.0)[0]


def test_a_helper_that_gets_another_body_or_place_is_not_confused():
    made = module(PROGRAMS["bound_anew_by_a_helper"])
    gradient = grad(made.f)
    gradient(points(0))
    made.smoothed = lambda v, rate=1.0: v * rate
    np.testing.assert_allclose(gradient(points(0)), 4.0 * points(0) * 0.5)


def test_what_is_outside_is_no_argument_as_well():
    made = module(PROGRAMS["array_in_place"])
    with pytest.raises(UnsupportedError, match="share memory"):
        grad(made.f)(made.MEAN)
    made = module("""
        M = np.array([0.2, 0.4])
        def f(x):
            global M
            y = np.sum(x * x)
            M *= 0.5
            return y + np.sum(np.sin(x))""")
    for call in (grad(made.f), lambda x: jvp(made.f, (x,), (x,)), lambda x: vjp(made.f, x)):
        with pytest.raises(UnsupportedError, match="x is also found outside, as M"):
            call(made.M)
    grad(made.f)(np.ones(2))
    assert made.M.tolist() == [0.1, 0.2]


MATRICES = """
        N, M, LOG = 0, np.zeros(3), []
        def counted(x):
            global N
            N += 1
            return np.sin(x) * N
        def meant(x):
            global M
            M = 0.5 * M + x
            return np.sin(x) * M
        def total(x):
            return np.sum(meant(x))
        def noisy(x):
            return x * np.random.normal(size=x.shape)
        def drawn(x, normal=np.random.normal):
            return np.sum(normal(x, 0.1) ** 3)
        def of_a_helper(x, rng=np.random):
            return standard(rng, x)
        def standard(rng, x):
            return np.sum((x + rng.standard_normal(3)) ** 3)
        def shuffled(x):
            places = list(x)
            np.random.shuffle(places)
            return places[0] ** 3
        def noted(x):
            LOG.append(len(x))
            return x * x"""


@pytest.mark.parametrize("make", [jacfwd, jacrev, jacobian])
def test_matrices_are_of_one_run(make):
    """A function that changes something would be another in each run."""
    made, x = module(MATRICES), points(0)
    for turn in (1, 2):
        np.testing.assert_allclose(make(made.counted)(x), np.diag(np.cos(x) * turn))
        assert turn == made.N
    np.testing.assert_allclose(make(made.meant)(x), np.diag(np.cos(x) * x + np.sin(x)))
    np.testing.assert_allclose(made.M, x)
    long = np.linspace(0.1, 1.0, 150)
    make(made.noted)(long)
    assert made.LOG == [150]
    np.random.seed(1)
    np.testing.assert_array_equal(make(made.noisy)(long), np.diag(np.random.RandomState(1).normal(size=150)))


def test_second_derivatives_of_what_has_two_names_are_refused():
    """A helper that counts in a closure cell has it by its own name, and its caller, which writes there, by another."""
    def made():
        rows, count = [np.ones(3), np.zeros(3)], 0

        def noted():
            nonlocal count
            count += 1

        def halved(x):
            noted()
            rows[1] = x * 0.5
            return x * rows[0]

        def f(x):
            x = halved(x)
            noted()
            return x.sum() * count
        return f

    with pytest.raises(UnsupportedError, match="rows is an outer variable that this function changes"):
        jvp(grad(made()), (np.ones(3),), (np.ones(3),))


def test_second_derivatives_are_of_one_run():
    made, x = module(MATRICES), points(0)
    np.testing.assert_allclose(hessian(made.total)(x), np.diag(2 * np.cos(x) - np.sin(x) * x))
    np.testing.assert_allclose(made.M, x)
    np.testing.assert_allclose(s2sgrad.hessian_diagonal(made.total)(x), 2 * np.cos(x) - np.sin(x) * 1.5 * x)


@pytest.mark.parametrize("name", ["drawn", "of_a_helper", "shuffled"])
def test_second_derivatives_draw_once(name):
    function, x, d = getattr(module(MATRICES), name), points(0), np.array([0.3, -1.0, 0.5])
    curved, drawn_next = seeded(lambda: hessian(function)(x))
    slopes = [seeded(lambda: grad(function)(x + step * d))[0] for step in (1e-5, -1e-5)]  # noqa: B023
    np.testing.assert_allclose(curved @ d, (slopes[0] - slopes[1]) / 2e-5, rtol=1e-5, atol=1e-6)
    assert drawn_next == seeded(lambda: function(x))[1]


def seeded(call):
    np.random.seed(1)
    return call(), np.random.random()


def test_what_a_pullback_stores_is_the_callers_own():
    def keep(x, store, params):
        store["x"], store["w"], store["tail"] = x, params["w"], x[1:]
        return np.sum(np.sin(x) * params["w"] * np.sum(store["tail"]))

    x, store, params = points(0), {}, {"w": np.ones(3)}
    expected = grad(keep)(x, {}, params)
    _, pullback = vjp(keep, x, store, params)
    assert store["x"] is x and store["w"] is params["w"] and store["tail"].base is x
    x[:] = params["w"][:] = 0.0
    np.testing.assert_allclose(pullback(1.0)[0], expected)


@pytest.mark.parametrize("name", ["array_in_place", "closure", "momentum", "warm_start", "batch_norm"])
def test_pullbacks_know_what_was_there(name):
    """What the call puts outside is the caller's, who may write into it before the pullback is called."""
    made, d = module(PROGRAMS[name]), np.array([0.3, -1.0, 0.5])
    grad(made.f)(points(0))
    _, pullback = vjp(made.f, points(1))
    for array in arrays_in(made, set()):
        array[:] = 7.0
    slope = (after(PROGRAMS[name], 1, points(1) + 1e-6 * d) - after(PROGRAMS[name], 1, points(1) - 1e-6 * d)) / 2e-6
    np.testing.assert_allclose(pullback(1.0)[0] @ d, slope, rtol=1e-5)


def arrays_in(value, seen):
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            yield from arrays_in(cell.cell_contents, seen)
    elif type(value) is dict or str(getattr(value, "__name__", type(value).__module__)).startswith("outer_"):
        for key, part in (value if type(value) is dict else vars(value)).items():
            if not str(key).startswith("__"):
                yield from arrays_in(part, seen)


DRAWS = """
        RNG = np.random.RandomState(1)
        class Run:
            def __init__(self, settings):
                self.settings, self.seen, self.at = settings, dict(settings), 0.0
            def step(self, by):
                self.seen["size"] += RNG.normal()
                self.at = self.at + by * self.seen["size"] * RNG.uniform(0, 1, 2).sum()
        def both(x, settings):
            first, second = Run(settings), Run(settings)
            for run in (first, second, first):
                run.step(x)
            return first.at * second.at * settings["size"]"""


def test_runs_of_the_same_settings_draw_from_one_generator_of_the_module():
    made = module(DRAWS)
    drawn = []
    for x, call in ((2.0, grad(made.both)), (2.0 + 1e-6, made.both), (2.0 - 1e-6, made.both)):
        made.RNG.seed(1)
        drawn.append((call(x, {"size": 3.0}), made.RNG.normal()))
    (slope, after), (above, _), (below, after_plain) = drawn
    np.testing.assert_allclose(slope, (above - below) / 2e-6)
    assert after == after_plain
