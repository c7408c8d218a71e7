"""Tensors against PyTorch's, on one thread: ``python tests/benchmarks/tensors.py [--quick] [--markdown FILE]``.

Small ones forward and backward, eagerly and in decorated functions; large ones in a decorated function against the
adjoint by hand. PyTorch must be installed.
"""
from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # a script finds only what lies beside it, not the package that it belongs to
    sys.path[0] = str(Path(__file__).resolve().parents[2])

# the package comes before NumPy, whose threads it limits
from tests.benchmarks import measure
from tests.benchmarks.measure import Effort
from tests.benchmarks.run import duration, ratio, surroundings, table

HEADINGS = ("forward and backward of", "PyTorch", "eager / PyTorch", "decorated / PyTorch", "arithmetic / PyTorch")
LARGE = 1_000_000


@dataclass(frozen=True)
class Case:
    """A function of tensors, and what makes its arguments of PyTorch or its like."""

    title: str
    function: Callable
    arguments: Callable[[Any], tuple]


def product(x: Any, y: Any) -> Any:
    return (x * y).sum()


def polynomial(x: Any) -> Any:
    return ((x * 2 + 1) * x).sum()


def network(inputs: Any, first: Any, second: Any) -> Any:
    return (((inputs @ first).tanh() @ second) ** 2).mean()


def recurrent(weights: Any, state: Any) -> Any:
    for _ in range(50):
        state = (weights @ state).tanh()
    return state.sum()


def loop(x: Any) -> Any:
    result = 1
    for item in x:
        if item.item() > 0:
            result = item * result
    return result


def absolute(x: Any) -> Any:
    if x.data[0] > 0:
        return x
    return -x


def smooth(x: Any, w: Any) -> Any:
    return ((x * w).tanh() ** 2).sum()


def weights(torch: Any, *shape: int) -> Any:
    return torch.full(shape, 0.1).requires_grad_()


CASES = (
    Case("product of 3 numbers, summed", product, lambda torch: (weights(torch, 3), torch.ones(3))),
    Case("(x * 2 + 1) * x of 3 numbers", polynomial, lambda torch: (weights(torch, 3),)),
    Case("network 16-16-1, batch 4", network, lambda torch: (
        torch.ones(4, 16), weights(torch, 16, 16), weights(torch, 16, 1))),
    Case("recurrent network, 50 steps of 8", recurrent, lambda torch: (weights(torch, 8, 8), torch.ones(8))),
    Case("loop over 6 numbers with a branch", loop, lambda torch: (
        torch.arange(-2, 4, dtype=torch.float32).requires_grad_(),)),
    Case("abs of 1 number, by a branch", absolute, lambda torch: (torch.full((1,), -1.0).requires_grad_(),)),
)


def step(function: Callable, arguments: tuple) -> Callable[[], Any]:
    return lambda: function(*arguments).backward()


def arithmetic(function: Callable, arguments: tuple) -> Callable[[], Any]:
    """What a decorated function runs, on arrays: its primal, and the adjoint of the path that it took."""
    node = function(*arguments).grad_fn
    way, arrays = node.way, node.arguments
    primal, adjoint = way.compiled.primal, way.compiled.adjoint_of_one(way.path_id)
    seed = () if adjoint else (importlib.import_module("numpy").ones(*node.outputs[0]),)
    adjoint = adjoint or way.record.adjoint

    def run() -> None:
        _, _, saved = primal(*arrays)
        adjoint(saved, *seed)

    return run


def row_of(case: Case, effort: Effort) -> list[str]:
    torch, s2sgrad = (importlib.import_module(name) for name in ("torch", "s2sgrad"))
    decorated = s2sgrad.differentiable(case.function)
    times = measure.interleaved({
        "PyTorch": step(case.function, case.arguments(torch)),
        "eager": step(case.function, case.arguments(s2sgrad)),
        "decorated": step(decorated, case.arguments(s2sgrad)),
        "arithmetic": arithmetic(decorated, case.arguments(s2sgrad))}, effort)
    return [case.title, duration(times.seconds("PyTorch")),
            *(ratio(times.ratio(name, "PyTorch")) for name in ("eager", "decorated", "arithmetic"))]


def large(effort: Effort) -> str:
    """What a decorated function of large arrays costs, and its adjoint by hand."""
    np, s2sgrad = (importlib.import_module(name) for name in ("numpy", "s2sgrad"))
    x, w = (s2sgrad.linspace(low, 1, LARGE).requires_grad_() for low in (-1, 0))
    function = s2sgrad.differentiable(smooth)

    def by_hand() -> Any:
        a, b = x._array, w._array
        y = np.tanh(a * b)
        np.sum(y ** 2)
        bar = 2 * y * (1 - y ** 2)
        return bar * b, bar * a

    times = measure.interleaved({"ours": lambda: s2sgrad.autograd.grad(function(x, w), (x, w)), "by hand": by_hand},
                                effort)
    return (f"- sum(tanh(x * w) ** 2) of {LARGE:,} numbers, decorated, with both gradients: "
            f"{duration(times.seconds('ours'))}, {ratio(times.ratio('ours', 'by hand'))} times NumPy's cost of the "
            "function and its adjoint by hand.")


def main(command_line: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tensors", description="Compares s2sgrad's tensors with PyTorch's.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, for a first look")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to this file too")
    options = parser.parse_args(command_line)
    effort = measure.QUICK if options.quick else measure.THOROUGH
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    rows = [row_of(case, effort) for case in CASES]
    lines = [*table(HEADINGS, rows), "", large(effort), "", f"PyTorch {torch.__version__}. {surroundings()[0]}"]
    report = "\n".join(lines) + "\n"
    print(report, end="")
    if options.markdown:
        options.markdown.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
