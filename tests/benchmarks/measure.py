"""Times of contestants as ratios: all of them run in turn, many short rounds long, and the median round counts.

A round takes tens of milliseconds, so that whatever slows the computer for longer slows all contestants alike and
leaves the ratios alone; what strikes a single one falls out with the median. The process's own time counts, not that in
which others had the processor.
"""
from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from tests.benchmarks import THREADS

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Effort:
    """How much to measure: rounds per case, how long one contestant's turn is, fresh processes for the cold start."""

    rounds: int
    seconds_per_turn: float
    processes: int


THOROUGH = Effort(rounds=41, seconds_per_turn=0.01, processes=11)
QUICK = Effort(rounds=7, seconds_per_turn=0.004, processes=3)


@dataclass(frozen=True)
class Times:
    """Seconds per call of each contestant, one entry per round."""

    rounds: dict[str, list[float]]

    def seconds(self, contestant: str) -> float | None:
        return median(self.rounds[contestant]) if contestant in self.rounds else None

    def ratio(self, numerator: str, denominator: str) -> float | None:
        """The median of the rounds' ratios; None if one of the two didn't take part."""
        if numerator not in self.rounds or denominator not in self.rounds:
            return None
        return median(a / b for a, b in zip(self.rounds[numerator], self.rounds[denominator], strict=True))


def interleaved(contestants: dict[str, Callable[[], Any]], effort: Effort) -> Times:
    """Calls all contestants in turn, as often per turn as fills it; what a first call sets up isn't counted."""
    repetitions = {}
    for name, call in contestants.items():
        call()
        repetitions[name] = max(1, round(effort.seconds_per_turn / seconds_per_call(call, 1)))
        # the first estimate may be far off, for a single short call is mostly a cold one
        repetitions[name] = max(1, round(effort.seconds_per_turn / seconds_per_call(call, repetitions[name])))
    order = list(contestants)
    times: dict[str, list[float]] = {name: [] for name in order}
    dice = Random(0)
    for _ in range(effort.rounds):
        dice.shuffle(order)  # else one would always find the caches as the same other one leaves them
        with no_garbage_collection():
            for name in order:
                times[name].append(seconds_per_call(contestants[name], repetitions[name]))
    return Times(times)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Collects beforehand what a contestant would otherwise have to collect for another."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def seconds_per_call(call: Callable[[], Any], repetitions: int) -> float:
    turns = range(repetitions)
    start = process_time()
    for _ in turns:
        call()
    return (process_time() - start) / repetitions


# ---------------------------------------------------------------------------- what doesn't depend on the function


def passed_through(x: float, unused: Any) -> float:
    """Computes nothing, nor does its gradient: what a call of that costs, every call costs."""
    return x


def fixed_cost(effort: Effort) -> Times:
    """A cached call with nothing to compute ("ours") and three additions of small arrays ("three operations")."""
    import s2sgrad

    x, y = np.arange(3.0), np.ones(3)
    value_and_gradient = s2sgrad.value_and_grad(passed_through)

    def cached_call() -> None:
        value_and_gradient(1.0, x)

    def three_operations() -> None:
        x + y
        x + y
        x + y

    return interleaved({"ours": cached_call, "three operations": three_operations}, effort)


def cold_start(effort: Effort) -> Times:
    """In fresh processes: "import numpy", "import s2sgrad" after it, and compiling each of two functions of thirty
    lines and a path of it, "first" in its process, where the interpreter has still to warm up, and "next"."""
    script = str(ROOT / "tests" / "benchmarks" / "cold_start.py")
    orders = [("thirty_lines", "other_lines"), ("other_lines", "thirty_lines")]
    rounds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:  # bytecode is kept, as it is for an installed package
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder,
                       "PYTHONPATH": str(ROOT)}
        for variable in THREADS:
            environment.pop(variable, None)
        for turn in range(effort.processes + 1):
            times: dict[str, list[float]] = {}
            for order in orders:
                process = subprocess.run([sys.executable, script, *order], cwd=ROOT, capture_output=True, text=True,
                                         env=environment)
                if process.returncode != 0:
                    raise RuntimeError(process.stderr.strip().splitlines()[-1])
                for name, seconds in json.loads(process.stdout).items():
                    times.setdefault(name, []).append(seconds)
            if turn == 0:
                continue  # it has read the files from the disk and written the bytecode for the others
            for name, found in times.items():
                rounds.setdefault(name, []).append(sum(found) / len(found))
    return Times(rounds)
