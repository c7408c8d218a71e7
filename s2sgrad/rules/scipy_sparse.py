"""Linear systems with sparse matrices, in their right sides; the products are Python's own operators."""
from __future__ import annotations

import numpy as np
from scipy.sparse import linalg

from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.table import Operation, general


def solution(op: Operation) -> Abstract:
    """A single column comes back as a vector."""
    double = op.dtype("b") == np.dtype(float)
    return Numeric("array", np.dtype(float) if double else None, op.shape("b") if op.rank("b") == 1 else None)


general("scipy.sparse.linalg.spsolve(A, b)", linear="b", result=solution, names={"spsolve": linalg.spsolve},
        b=lambda op: "spsolve(A.T, g)" if op.rank("b") == 1 else "np.reshape(spsolve(A.T, g), b.shape)")
