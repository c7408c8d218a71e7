"""The corpus as a whole: tests/checked_programs.py has what must hold of each program before it is differentiated."""
from __future__ import annotations

import numpy as np
from corpus import PROGRAMS


def test_names_are_unique() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == len(names) >= 170


def test_results_of_all_kinds() -> None:
    results = [program.function(*program.args()) for program in PROGRAMS]
    assert sum(isinstance(result, (tuple, np.ndarray)) for result in results) >= 40
    assert sum(isinstance(result, float) for result in results) >= 100
