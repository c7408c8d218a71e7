"""Copies that indices of several arrays give, written into; what they were taken from is read later."""
from __future__ import annotations

import numpy as np

from corpus.registry import positive, program


@program(lambda: (positive(1, 4, 4),))
def upper_triangle(m):
    upper = m[np.triu_indices(4)]
    upper *= 2.0
    rows, columns = np.tril_indices(4, -1)
    lower = m[rows, columns]
    lower += upper[:6]
    return (m ** 2).sum() + upper.sum() + (lower ** 2).sum()


@program(lambda: (positive(1, 4, 4),))
def where_it_is_large(m):
    places = np.where(m > 1.0)
    large = m[places]
    large -= 1.0
    small = m[(m <= 1.0).nonzero()]
    small *= 3.0
    return (m ** 2).sum() + (large ** 2).sum() + small.sum()


@program(lambda: (positive(1, 4, 4),))
def block_and_diagonal(m):
    block = m[np.ix_([0, 1], [1, 3])]
    block *= m[0, 0]
    diagonal = m[np.diag_indices(4)]
    diagonal += block[0, 0]
    return (m ** 2).sum() + block.sum() + (diagonal ** 2).sum()
