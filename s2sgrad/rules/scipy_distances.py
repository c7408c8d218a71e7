"""SciPy's distances between the rows of matrices. Where two rows are the same, a distance with a kink there has the
derivative 0, as norms have."""
from __future__ import annotations

import functools

import numpy as np
from scipy import spatial

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names={"spatial": spatial})

DOUBLE = np.dtype(float)
"""The dtype of distances, whatever floats the rows hold."""

REVERSE = {"euclidean": "divide_or_zero({g}, {y})[..., None] * apart", "sqeuclidean": "2.0 * {g}[..., None] * apart",
           "cityblock": "{g}[..., None] * np.sign(apart)"}
"""By metric the cotangent of the difference of two rows, ``apart``."""
FORWARDS = {"euclidean": "divide_or_zero(np.sum(apart * {t}, axis=-1), y)",
            "sqeuclidean": "2.0 * np.sum(apart * {t}, axis=-1)", "cityblock": "np.sum(np.sign(apart) * {t}, axis=-1)"}
"""By metric the tangent of a distance, from that of the difference."""


def by_metric(op: Operation, texts: dict[str, str]) -> str:
    metric = op.known("metric")
    if metric not in texts:
        raise UnsupportedError(f"{op.rule.title} with metric={metric!r} has no derivative rule",
                               f"use one of {', '.join(texts)}, or write the distance out")
    return texts[metric]


def between(op: Operation) -> Abstract:
    first, second = op.shape("XA"), op.shape("XB")
    return Numeric("array", DOUBLE, (first[0] if first else None, second[0] if second else None))


APART = "apart = XA[:, None] - XB; "
general("scipy.spatial.distance.cdist(XA, XB, metric='euclidean')", result=between,
        XA=lambda op: f"{APART}np.sum({by_metric(op, REVERSE).format(g='g', y='y')}, axis=1)",
        XB=lambda op: f"{APART}-np.sum({by_metric(op, REVERSE).format(g='g', y='y')}, axis=0)",
        tangent={"XA": lambda op: APART + by_metric(op, FORWARDS).format(t="t[:, None]"),
                 "XB": lambda op: f"{APART}-{by_metric(op, FORWARDS).format(t='t')}"})

SQUARE = "spatial.distance.squareform({})"
PAIRS = "rows = np.triu_indices(len(X), 1); apart = X[rows[0]] - X[rows[1]]; "
general("scipy.spatial.distance.pdist(X, metric='euclidean')",
        result=lambda op: Numeric("array", DOUBLE, (None,)),
        X=lambda op: "apart = X[:, None] - X; np.sum({}, axis=1)".format(
            by_metric(op, REVERSE).format(g=SQUARE.format("g"), y=SQUARE.format("y"))),
        tangent={"X": lambda op: PAIRS + by_metric(op, FORWARDS).format(t="(t[rows[0]] - t[rows[1]])")})


def squareform_bar(op: Operation) -> str:
    """Of a matrix SciPy reads the upper triangle."""
    vector, matrix = "(g + g.T)[np.triu_indices(len(g), 1)]", f"np.triu({SQUARE.format('g')})"
    rank = op.rank("X")
    return f"{vector} if np.ndim(X) == 1 else {matrix}" if rank is None else vector if rank == 1 else matrix


def squared(op: Operation) -> Abstract:
    rank = op.rank("X")
    return Numeric("array", op.dtype("X"), None if rank is None else (None,) * (3 - rank))


general("scipy.spatial.distance.squareform(X, force='no', checks=True)", X=squareform_bar, result=squared, linear="X")
