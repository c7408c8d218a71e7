"""Times, in the fresh process that it's run in, importing NumPy and compiling functions, whose names it gets, of the
benchmarks' cases; prints them as JSON. Nothing is set for NumPy: its import costs what it costs everybody. Only the
thread's own time counts: that of those which NumPy's linear algebra starts beside, nobody waits for."""
from __future__ import annotations

import json
import sys
from time import thread_time
from typing import Any


def measure(names: list[str]) -> dict[str, float]:
    times = {}

    start = thread_time()
    import numpy  # noqa: F401

    times["import numpy"] = thread_time() - start

    start = thread_time()
    import s2sgrad

    times["import s2sgrad"] = thread_time() - start

    from tests.benchmarks import cases

    def compiling(function: Any, arguments: tuple[Any, ...]) -> float:
        start = thread_time()
        value_and_gradient = s2sgrad.value_and_grad(function, argnums=(0, 1))
        value_and_gradient(*arguments)
        first_call = thread_time() - start

        start = thread_time()
        value_and_gradient(*arguments)
        return first_call - (thread_time() - start)

    for place, name in enumerate(names):
        spent = compiling(getattr(cases, name), getattr(cases, f"{name}_arguments")())
        times[f"{name}, {'next' if place else 'first'}"] = spent
    return times


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1:])))
