"""Times, in the fresh process that it's run in, importing NumPy and compiling one function; prints them as JSON."""
from __future__ import annotations

import json
from time import perf_counter


def measure() -> dict[str, float]:
    times = {}

    start = perf_counter()
    import numpy  # noqa: F401

    times["import numpy"] = perf_counter() - start

    start = perf_counter()
    import s2sgrad

    times["import s2sgrad"] = perf_counter() - start

    from tests.benchmarks.cases import thirty_lines, thirty_lines_arguments

    arguments = thirty_lines_arguments()
    start = perf_counter()
    value_and_gradient = s2sgrad.value_and_grad(thirty_lines, argnums=(0, 1))
    value_and_gradient(*arguments)
    first_call = perf_counter() - start

    start = perf_counter()
    value_and_gradient(*arguments)
    times["compile"] = first_call - (perf_counter() - start)
    return times


if __name__ == "__main__":
    print(json.dumps(measure()))
