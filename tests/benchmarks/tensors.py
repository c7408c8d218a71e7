"""Eager tensors against PyTorch's, small ones, on one thread: ``python tests/benchmarks/tensors.py``."""
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


def main() -> None:
    import torch

    import s2sgrad

    torch.set_num_threads(1)
    print(f"{'forward and backward':24}{'s2sgrad':>12}{'PyTorch':>12}{'ratio':>8}")
    for case in CASES:
        times = interleaved({"s2sgrad": case(s2sgrad), "PyTorch": case(torch)}, THOROUGH)
        ours, theirs = (times.seconds(name) or 0.0 for name in ("s2sgrad", "PyTorch"))
        print(f"{case.__name__:24}{ours * 1e6:9.1f} µs{theirs * 1e6:9.1f} µs{times.ratio('s2sgrad', 'PyTorch'):8.2f}")


if __name__ == "__main__":
    main()
