"""The walrus in comprehensions: kept for the next test, for what comes behind, in ``any`` and ``sum``."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def soft(v):
    return np.log1p(np.exp(v)) - 0.7


@program(lambda: (normal(1, 6),))
def kept_for_the_item(x):
    v = 2.0
    found = [y * v for v in x if (y := soft(v)) > 0.0]
    return sum(found) * y * v


@program(lambda: (normal(1, 6),))
def summed_at_once(x):
    return x[0] * sum(y * y for v in x if (y := soft(v)) > 0.0) + y


@program(lambda: (normal(1, 6),))
def running_total(x):
    total = 0.0
    parts = [(total := total + a * b) for a in x for b in x if a > b]
    return sum(parts) + total


@program(lambda: (normal(1, 6),))
def first_hit(x):
    if any((hit := v) > 0.3 for v in x) and not all((last := v) < 0.5 for v in x):
        return hit * last + max([w := v * v for v in x]) * w
    return x[0]


@program(lambda: (normal(1, 3, 4),))
def one_in_another(m):
    rows = [[(top := v) * v for v in row] for row in m]
    return sum(sum(row) for row in rows) * top


@program(lambda: (normal(1, 4),))
def in_an_assertion(x):
    assert (n := len(x)) > 1 and np.all((y := soft(x)) > -9.0), f"{n}"
    return n * np.sum(y * y)
