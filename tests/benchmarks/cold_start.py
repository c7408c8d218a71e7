"""Times, in the fresh process that it's run in, importing NumPy and compiling functions, whose names it gets, of the
benchmarks' cases; prints them as JSON. Nothing is set for NumPy: its import costs what it costs everybody."""
from __future__ import annotations

import json
import sys
from time import process_time
from typing import Any


def measure(names: list[str]) -> dict[str, float]:
    times = {}

    start = process_time()
    import numpy  # noqa: F401

    times["import numpy"] = process_time() - start

    start = process_time()
    import s2sgrad

    times["import s2sgrad"] = process_time() - start

    from tests.benchmarks import cases

    def compiling(function: Any, arguments: tuple[Any, ...]) -> float:
        start = process_time()
        value_and_gradient = s2sgrad.value_and_grad(function, argnums=(0, 1))
        value_and_gradient(*arguments)
        first_call = process_time() - start

        start = process_time()
        value_and_gradient(*arguments)
        return first_call - (process_time() - start)

    for place, name in enumerate(names):
        spent = compiling(getattr(cases, name), getattr(cases, f"{name}_arguments")())
        times[f"{name}, {'next' if place else 'first'}"] = spent
    return times


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1:])))
