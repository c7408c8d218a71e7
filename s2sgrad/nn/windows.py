"""Looking at arrays through windows along their last axes, and the adjoint of that."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def per_axis(value: Any, count: int) -> tuple[int, ...]:
    """A number for each axis; a single one is that of all."""
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return tuple(map(int, given * count if len(given) == 1 else given))


def windows(x: Any, kernel: tuple, counts: tuple, stride: tuple, before: tuple, dilation: tuple, fill: Any = 0) -> Any:
    """A view of an array with ``counts`` windows along its last axes, and the elements in each of them along as many
    new ones. The first window begins ``before`` the first element; what lies beyond the edges is ``fill``."""
    lead, sizes = x.ndim - len(kernel), x.shape[x.ndim - len(kernel):]
    reach = [(number - 1) * step + (size - 1) * width + 1
             for number, step, size, width in zip(counts, stride, kernel, dilation)]
    more = [(0, 0)] * lead + [(front, max(end - size - front, 0)) for end, size, front in zip(reach, sizes, before)]
    whole = np.pad(x, more, constant_values=fill) if any(map(any, more)) else x
    steps = whole.strides[lead:]
    return np.lib.stride_tricks.as_strided(
        whole, (*whole.shape[:lead], *counts, *kernel),
        (*whole.strides[:lead], *(step * by for step, by in zip(steps, stride)),
         *(step * by for step, by in zip(steps, dilation))), writeable=False)


def put_windows(g: Any, sizes: tuple, kernel: tuple, stride: tuple, before: tuple, dilation: tuple) -> Any:
    """The adjoint: all that windows hold added up where it came from."""
    count = len(kernel)
    counts, lead = g.shape[-2 * count:-count], g.shape[:-2 * count]
    reach = [max((number - 1) * step + (width - 1) * by + 1, front + size) for number, step, width, by, front, size
             in zip(counts, stride, kernel, dilation, before, sizes)]
    whole = np.zeros((*lead, *reach), g.dtype)
    for place in itertools.product(*map(range, kernel)):
        at: Any = (..., *(slice(number * by, number * by + (many - 1) * step + 1, step)
                          for number, by, many, step in zip(place, dilation, counts, stride)))
        element: Any = (..., *place)
        whole[at] += g[element]
    inside: Any = (..., *(slice(front, front + size) for front, size in zip(before, sizes)))
    return whole[inside]
