"""Tensors against PyTorch's, small ones, on one thread, eager and in decorated functions; large ones in a decorated
function against NumPy's own cost of the hand-written adjoint: ``python tests/benchmarks/tensors.py``."""
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # a script finds only what lies beside it, not the package that it belongs to
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tests.benchmarks.measure import THOROUGH, interleaved

Step = Callable[[], Any]


def product(torch: Any) -> Step:
    x, y = torch.ones(3, requires_grad=True), torch.ones(3)
    return lambda: (x * y).sum().backward()


def polynomial(torch: Any) -> Step:
    x = torch.ones(3, requires_grad=True)
    return lambda: ((x * 2 + 1) * x).sum().backward()


def network(torch: Any) -> Step:
    inputs = torch.ones(4, 16)
    first, second = (torch.full((16, size), 0.1).requires_grad_() for size in (16, 1))
    return lambda: (((inputs @ first).tanh() @ second) ** 2).mean().backward()


def recurrent(torch: Any) -> Step:
    weights, start = torch.full((8, 8), 0.1).requires_grad_(), torch.ones(8)

    def step() -> None:
        state = start
        for _ in range(50):
            state = (weights @ state).tanh()
        state.sum().backward()

    return step


def loop(torch: Any) -> Step:
    x = torch.arange(-2, 4, dtype=torch.float32).requires_grad_()

    def step() -> None:
        result = 1
        for item in x:
            if item.item() > 0:
                result = item * result
        result.backward()  # type: ignore[attr-defined]

    return step


CASES = (product, polynomial, network, recurrent, loop)

# ---- the same in decorated functions


def marked(torch: Any) -> Callable:
    return getattr(torch, "differentiable", lambda function: function)


def decorated_polynomial(torch: Any) -> Step:
    @marked(torch)
    def f(x: Any) -> Any:
        return ((x * 2 + 1) * x).sum()

    x = torch.ones(3, requires_grad=True)
    return lambda: f(x).backward()


def decorated_network(torch: Any) -> Step:
    @marked(torch)
    def f(inputs: Any, first: Any, second: Any) -> Any:
        return (((inputs @ first).tanh() @ second) ** 2).mean()

    inputs = torch.ones(4, 16)
    first, second = (torch.full((16, size), 0.1).requires_grad_() for size in (16, 1))
    return lambda: f(inputs, first, second).backward()


def decorated_recurrent(torch: Any) -> Step:
    @marked(torch)
    def f(weights: Any, state: Any) -> Any:
        for _ in range(50):
            state = (weights @ state).tanh()
        return state.sum()

    weights, start = torch.full((8, 8), 0.1).requires_grad_(), torch.ones(8)
    return lambda: f(weights, start).backward()


def decorated_loop(torch: Any) -> Step:
    @marked(torch)
    def f(x: Any) -> Any:
        result = 1
        for item in x:
            if item.item() > 0:
                result = item * result
        return result

    x = torch.arange(-2, 4, dtype=torch.float32).requires_grad_()
    return lambda: f(x).backward()


def decorated_abs(torch: Any) -> Step:
    @marked(torch)
    def f(x: Any) -> Any:
        if x.data[0] > 0:
            return x
        return -x

    x = torch.full((1,), -1.0).requires_grad_()
    return lambda: f(x).backward()


DECORATED = (decorated_polynomial, decorated_network, decorated_recurrent, decorated_loop, decorated_abs)
LARGE = 1_000_000


def large(torch: Any) -> dict[str, Step]:
    """A decorated function of large arrays, and its adjoint by hand."""
    import numpy as np

    @marked(torch)
    def f(x: Any, w: Any) -> Any:
        return (torch.tanh(x * w) ** 2).sum()

    x, w = (torch.linspace(low, 1, LARGE).requires_grad_() for low in (-1, 0))
    seed = torch.tensor(1.0)

    def by_hand() -> None:
        a, b = x._array, w._array
        y = np.tanh(a * b)
        np.sum(y ** 2)
        bar = 2 * y * (1 - y ** 2)
        a_bar, b_bar = bar * b, bar * a  # noqa: F841

    return {"s2sgrad": lambda: torch.autograd.grad(f(x, w), (x, w), seed), "by hand": by_hand}


def main() -> None:
    import torch

    import s2sgrad

    torch.set_num_threads(1)
    print(f"{'forward and backward':24}{'s2sgrad':>12}{'PyTorch':>12}{'ratio':>8}")
    for case in (*CASES, *DECORATED):
        times = interleaved({"s2sgrad": case(s2sgrad), "PyTorch": case(torch)}, THOROUGH)
        ours, theirs = (times.seconds(name) or 0.0 for name in ("s2sgrad", "PyTorch"))
        print(f"{case.__name__:24}{ours * 1e6:9.1f} µs{theirs * 1e6:9.1f} µs{times.ratio('s2sgrad', 'PyTorch'):8.2f}")
    times = interleaved(large(s2sgrad), THOROUGH)
    ours, theirs = (times.seconds(name) or 0.0 for name in ("s2sgrad", "by hand"))
    ratio = times.ratio("s2sgrad", "by hand")
    print(f"{'large, against NumPy':24}{ours * 1e3:9.2f} ms{theirs * 1e3:9.2f} ms{ratio:8.2f}")


if __name__ == "__main__":
    main()
