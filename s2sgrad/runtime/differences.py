"""Adjoints of differences and sums over neighbours, and of what is sampled at points: all linear in the samples."""
from __future__ import annotations

from typing import Any

import numpy as np


def ungradient(g: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """The adjoint of ``np.gradient`` along one axis; ``spacing``: the distance of the points, or where they are."""
    g = np.moveaxis(g, axis, 0)
    count = len(g)
    steps = np.full(count - 1, spacing, g.dtype) if np.ndim(spacing) == 0 else np.diff(spacing).astype(g.dtype)
    steps = steps.reshape(-1, *(1,) * (g.ndim - 1))
    before, behind = steps[:-1], steps[1:]
    inner = g[1:-1]
    result = np.zeros_like(g)
    result[:-2] -= inner * behind / (before * (before + behind))
    result[1:-1] += inner * (behind - before) / (before * behind)
    result[2:] += inner * before / (behind * (before + behind))
    result[:2] += g[0] / steps[0] * np.array([-1, 1], g.dtype).reshape(-1, *(1,) * (g.ndim - 1))
    result[-2:] += g[-1] / steps[-1] * np.array([-1, 1], g.dtype).reshape(-1, *(1,) * (g.ndim - 1))
    if edge_order == 2:  # the slope at an edge lies as far beyond that of the first step as the second difference tells
        for sign, edge, near, far, place in ((-1, g[0], steps[0], steps[1], slice(0, 3)),
                                             (1, g[-1], steps[-1], steps[-2], slice(-1, -4, -1))):
            bend = sign * edge / (near + far)
            result[place] += np.stack([bend, -bend * (near + far) / far, bend * near / far])
    return np.moveaxis(result, 0, axis)
