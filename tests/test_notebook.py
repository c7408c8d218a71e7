"""Functions that are defined in the cells of a real IPython."""
from __future__ import annotations

import contextlib
import io
import math
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from s2sgrad.errors import SourceError, UnsupportedError

pytest.importorskip("IPython")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

X = np.array([0.5, -1.0, 2.0])
Run = Callable[[str], Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a cell, as a notebook does; gives its last value or raises; ``run.printed`` is what it showed."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # a shell puts its own there
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))

    def run(text: str) -> Any:
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            outcome = shell.run_cell(text, store_history=True)
        run.printed = re.sub(r"\x1b\[[\d;]*m", "", shown.getvalue())  # type: ignore[attr-defined]
        outcome.raise_error()
        return outcome.result

    run("import pickle, copy, numpy as np, s2sgrad\nX = np.array([0.5, -1.0, 2.0])")
    yield run
    shell.run_line_magic("reset", "-f")


def test_decorated_functions_and_lambdas(run: Run) -> None:
    run("@s2sgrad.value_and_grad\ndef loss(x):\n    return (x ** 2).sum()")
    value, gradient = run("loss(X)")
    assert value == (X ** 2).sum()
    np.testing.assert_array_equal(gradient, 2 * X)
    run("double, triple = s2sgrad.grad(lambda x: 2.0 * x), s2sgrad.grad(lambda x: 3.0 * x)")
    assert run("double(1.0), triple(1.0)") == (2.0, 3.0)
    assert run("s2sgrad.differentiable(lambda x: x * 4.0)(2.0)") == 8.0


def test_a_function_that_is_defined_again(run: Run) -> None:
    run("def f(x):\n    return 2.0 * x * x\nold = s2sgrad.grad(f)")
    assert run("old(3.0)") == 12.0
    run("def f(x):\n    return 5.0 * x * x\nnew = s2sgrad.grad(f)")
    assert run("old(3.0), new(3.0), s2sgrad.vjp(f, 3.0)[1](1.0)") == (12.0, 30.0, (30.0,))
    run("def f(x):\n    return 2.0 * x * x\nthird = s2sgrad.grad(f)")  # the first text again
    assert run("third(3.0), new(3.0), [path.calls for path in s2sgrad.paths(f)]") == (12.0, 30.0, [1])


def test_a_helper_that_is_defined_again(run: Run) -> None:
    run("def helper(x, k):\n    return k * x\ndef f(x):\n    return helper(x, 2.0) * x\ngradient = s2sgrad.grad(f)")
    assert run("gradient(3.0)") == 12.0
    run("def helper(x, k):\n    return x * x * k")
    assert run("gradient(3.0)") == 54.0
    run("helper = lambda x, k: 7.0")
    assert run("gradient(3.0)") == 7.0
    run("def helper(x, k):\n    return k * x")
    assert run("gradient(3.0)") == 12.0


def test_an_interrupted_cell_is_run_again(run: Run) -> None:
    text = "def f(x):\n    if stop:\n        raise KeyboardInterrupt\n    return x * x\ngradient = s2sgrad.grad(f)\n"
    run("stop = True")
    with pytest.raises(KeyboardInterrupt):
        run(text + "gradient(3.0)")
    run("stop = False")
    assert run("gradient(3.0)") == 6.0
    assert run(text + "gradient(4.0)") == 8.0


def test_tracebacks_show_the_generated_lines(run: Run) -> None:
    run("@s2sgrad.rule(x='g * (1.0,)[int(x < 1)]')\ndef steep(x):\n    return x")
    run("def f(x):\n    y = x * x\n    return steep(y) * x")
    with pytest.raises(IndexError):
        run("s2sgrad.grad(f)(0.5)")
    assert "y_bar = x * (1.0,)[int(y < 1)]" in run.printed  # type: ignore[attr-defined]
    assert "return steep(y) * x" in run.printed  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError):
        run("def f(x):\n    y = x * 1.0\n    return y + 1 / 0\ns2sgrad.grad(f)(0.5)")
    assert "f_primal" in run.printed and "1 / 0" in run.printed  # type: ignore[attr-defined]


def test_refusals_point_into_the_cell(run: Run) -> None:
    with pytest.raises(UnsupportedError) as refusal:
        run("def f(x):\n    y = eval('x * 2.0')\n    return y\ns2sgrad.grad(f)(0.5)")
    assert "    y = eval('x * 2.0')\n        ^^^^^^^^^^^^^^^" in str(refusal.value)
    assert ":2: in f" in str(refusal.value)


def test_timing(run: Run) -> None:
    run("gradient = s2sgrad.grad(lambda x: np.sin(x).sum())")
    run("%%timeit -n 20 -r 2 x = X.copy()\ngradient(x)")
    assert "per loop" in run.printed  # type: ignore[attr-defined]
    assert run("[path.calls for path in s2sgrad.paths(gradient.__wrapped__)]") == [40]
    with pytest.raises(SourceError, match="put the function in a file or a notebook cell"):  # timeit keeps no text
        run("%%timeit -n 1 -r 1\nh = lambda x: x * 2.0\ns2sgrad.grad(h)(1.0)")


def test_one_cell_after_another_in_a_loop(run: Run) -> None:
    for number in range(20):
        assert run(f"def f(x):\n    return x ** 2 * {number}.0\ns2sgrad.grad(f)(1.5)") == 3.0 * number
    assert run("def g(x):\n    return np.exp(f(x)) * x\ns2sgrad.grad(g)(0.0)") == math.exp(0.0)


def test_copies_and_cloudpickle(run: Run) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    run("@s2sgrad.grad\ndef slope(x):\n    return (X * x).sum() * K\nK = 2.0")
    assert run("copy.deepcopy(slope) is slope and copy.copy(slope) is slope")
    np.testing.assert_array_equal(run("slope(X)"), 2 * X)
    sent = cloudpickle.dumps(run("slope"))
    run("K = 100.0")
    np.testing.assert_array_equal(cloudpickle.loads(sent)(X), 2 * X)
