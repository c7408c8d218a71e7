"""Times, in the fresh process that it's run in, importing NumPy and compiling two functions; prints them as JSON."""
from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time
from typing import Any


def measure() -> dict[str, float]:
    times = {}

    start = process_time()
    import numpy  # noqa: F401

    times["import numpy"] = process_time() - start

    start = process_time()
    import s2sgrad

    times["import s2sgrad"] = process_time() - start

    from tests.benchmarks import cases

    def compiling(function: Callable[..., float], arguments: tuple[Any, ...]) -> float:
        start = process_time()
        value_and_gradient = s2sgrad.value_and_grad(function, argnums=(0, 1))
        value_and_gradient(*arguments)
        first_call = process_time() - start

        start = process_time()
        value_and_gradient(*arguments)
        return first_call - (process_time() - start)

    times["compile first"] = compiling(cases.other_lines, cases.other_lines_arguments())
    times["compile next"] = compiling(cases.thirty_lines, cases.thirty_lines_arguments())
    return times


if __name__ == "__main__":
    print(json.dumps(measure()))
