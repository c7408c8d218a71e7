"""The rule tables, one for each area; importing the package fills the registry.

:mod:`~s2sgrad.rules.table` is the language that the tables are written in, :mod:`~s2sgrad.rules.abstract` what can be
known of a value before the function runs, :mod:`~s2sgrad.rules.dims` of its shape, :mod:`~s2sgrad.rules.samples` how a
result's shape and dtype are found out.
"""
from s2sgrad.rules import (
    arithmetic,
    constants,
    creation,
    decompositions,
    elementwise,
    fourier,
    helpers,
    linalg,
    mathematics,
    parts,
    python,
    reductions,
    sampled,
    selecting,
    shapes,
    statistics,
    universal,
)

__all__ = [
    "arithmetic",
    "constants",
    "creation",
    "decompositions",
    "elementwise",
    "fourier",
    "helpers",
    "linalg",
    "mathematics",
    "parts",
    "python",
    "reductions",
    "sampled",
    "selecting",
    "shapes",
    "statistics",
    "universal",
]
