"""What tells of values what has no derivative: texts, identities, classes; and plain copies."""
# ruff: noqa: E721, T201, UP030, UP031, UP032
from __future__ import annotations

import copy
import io
import logging

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 4),))
def text_of_an_array(x):
    label = str(x.shape) + repr(x[0]) + format(x[1], ".3f") + np.array2string(x, precision=2) + ascii(x[2])
    y = x * len(str(x.ndim))
    return np.sum(y ** 2) if label else 0.0


@program(lambda: (normal(1, 3),))
def text_before_the_array_changes(x):
    u = x * 2.0
    before = np.array_repr(u)
    u[0] = x[1] ** 2
    return np.sum(u ** 2) * (2.0 if before != np.array_repr(u) else 1.0)


@program(lambda: (normal(1, 3), 0.7))
def types_of_values(x, a):
    kind = type(x)
    y = x * 3.0 if kind is np.ndarray else x
    if type(a) is float and type(x[0]) != int and type(y) == kind and callable(np.sin):
        y = y + a
    return np.sum(y ** 2)


@program(lambda: (normal(1, 3),))
def the_same_object(x):
    y = x
    z = x * 1.0
    return np.sum(y * z) * (2.0 if id(y) == id(x) else 1.0) * (3.0 if id(z) == id(x) else 1.0)


@program(lambda: (normal(1, 4),))
def shared_memory(x):
    u = x * 2.0
    v = u[1:]
    together = np.shares_memory(u, v) and np.may_share_memory(v, u)
    return np.sum(u * x) * (2.0 if together and np.can_cast(x.dtype, float) else 1.0) + np.sum(v)


@program(lambda: (normal(1, 4),))
def text_goes_elsewhere(x):
    out = io.StringIO()
    out.write(f"{x[0]:.2f}")
    out.write("%.3f" % x[1] + " " + str(x[2]))
    out.write("{} {}".format(x[3], 1))
    logging.getLogger(__name__).debug("%s", x)
    return np.sum(x ** 2) * len(out.getvalue()[:4])


@program(lambda: (normal(1, 3),))
def copied_plainly(x):
    y = copy.copy(x)
    y[0] = x[1] ** 2
    return np.sum(y * x)


@program(lambda: (normal(1, 3),))
def lists_copied_plainly(x):
    made = []
    for value in x:
        made.append(value * 2.0)
    again = copy.copy(made)
    again[0] = x[1] ** 2
    known = copy.copy([x, x * 2.0])
    known.append(x ** 2)
    return sum(made) * sum(again) + sum(part.sum() for part in known)


@program(lambda: (normal(1, 4),))
def tuple_of_an_array(x):
    parts = tuple(x)
    total = parts[0] * parts[-1]
    for part in parts:
        total = total + part ** 2
    return total * len(parts)


@program(lambda: (normal(1, 2, 3),))
def numbered_elements(m):
    total = 0.0
    for (i, j), value in np.ndenumerate(m):
        total += value ** 2 * (i - 2.0 * j)
    for place, value in np.ndenumerate(np.sin(m)):
        total = total + value * m[place]
    return total


@program(lambda: (normal(1, 3, 3),))
def indices_from_an_array(m):
    rows, columns = np.triu_indices_from(m, k=1)
    u = m * 1.0
    u[np.diag_indices_from(m)] += 3.0
    u[np.tril_indices_from(u)] *= m[0, 1]
    return np.sum(m[rows, columns] ** 2) + np.sum(u ** 2)


@program(lambda: (positive(1, 5),))
def members(x):
    kept = np.isin(x, x[:2])
    best = np.nanargmax(x)
    return np.sum(x[kept] ** 2) + x[best] * x[np.nanargmin(x)] + np.sum(x[np.isreal(x)]) + np.sum(x[np.iscomplex(x)])
