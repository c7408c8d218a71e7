"""Arguments by their place or by their name as the libraries take them, and methods of ufuncs of any kind."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 3, 4), 0.3))
def by_their_places(a, start):
    rows = np.sum(a, 1, None, None, True) * np.std(a, 1, None, None, 1, True) + np.max(a, 1, None, True, start)
    columns = a.sum(0, None, None, False, start, a > -0.5) + a.min(0, None, False, start) * a.var(0, None, None, 1)
    return np.sum(rows * columns) + np.sum(np.nanprod(a, 1, None, None, False, start)) + np.ptp(a, 0, None, True)[0, 1]


@program(lambda: (normal(2, 5), positive(3, 5), normal(4, 5)))
def by_their_names(x, places, values):
    ends = np.cumsum(places)
    area = np.trapezoid(y=x, x=np.cumsum(places)) * np.trapezoid(x=ends, y=values)
    line = np.polyfit(y=values, x=x, deg=1)
    middle = np.pad(x, 2, "median", stat_length=3) + np.pad(x, 2, "constant", constant_values=area)
    around = np.interp(x, ends, values, None, None, 3.0)
    return area + line @ line + np.sum(middle ** 2) + around @ around + np.take(x, [7, 1], None, None, "wrap")[0]


@program(lambda: (normal(5, 6), normal(6, 6), positive(7, 6)))
def fits_and_what_they_tell(x, y, weights):
    found, rests, rank, values, least = np.polyfit(x, y, 2, None, True)
    again, spread = np.polyfit(x, y, 1, None, False, weights, True)
    plain, other = np.polyfit(x, y, 1, cov="unscaled")
    short = np.polyfit(x, y, 1, 1e-12, False)
    return found @ found + rests[0] + values[1] + np.sum(spread ** 2) + other[0, 1] + again[0] + plain @ short


@program(lambda: (normal(8, 4, 3), positive(9, 4)))
def spreads_by_their_places(a, weights):
    chosen = np.cov(a, None, False, False, 0) + np.cov(a.T, None, True, False, None, None, weights)
    both = np.cov(a[0], a[1], True, True, dtype=float)
    return np.sum(chosen ** 2) + both[0, 1] + np.corrcoef(a, a ** 2, True, dtype=float)[0, 5]


@program(lambda: (normal(10, 6), positive(11, 6), 0.7))
def densities(x, weights, factor):
    shares, edges = np.histogram(factor * x, 3, None, True, weights)
    others, _ = np.histogram(x, 4, (-3.0, 3.0), density=True, weights=weights)
    return shares @ shares + edges[0] + others @ others


@program(lambda: (positive(12, 3, 4), 0.3))
def from_row_to_row(p, start):
    reduced = np.subtract.reduce(p, 1, None, None, True) * np.divide.reduce(p, initial=start)
    running = np.subtract.accumulate(p, 1) + np.float_power.accumulate(p) + np.fmax.accumulate(p, 1, None)
    parts = np.divide.reduceat(p, [0, 2], 1) * np.logaddexp2.reduceat(p, [2, 0], axis=1)
    return np.sum(reduced) + np.sum(running ** 2) + np.sum(parts) + np.logaddexp.reduce(p, 1, None, None, True)[1, 0]


@program(lambda: (positive(13, 4), positive(14, 3)))
def changed_in_places(p, factors):
    """What comes several times is changed as often."""
    table = p * np.ones((2, 4))
    np.multiply.at(table, (slice(None), [0, 2, 0]), factors)
    np.maximum.at(table, ([0, 1], 3), 0.5)
    np.divide.at(table[0], [1, 1], p[0])
    line = table[1] ** 2
    np.exp.at(line, [3, 3])
    return np.sum(table ** 2) + line[3] * line[0]


@program(lambda: (0.4, 1.7))
def spacings_and_windows(spacing, shape):
    tones = np.fft.fftfreq(6, spacing) ** 2 + np.fft.rfftfreq(10, d=spacing)
    window = np.kaiser(7, shape)
    return np.sum(tones) + window @ np.arange(7.0) + np.sum(np.atleast_1d(spacing, shape)[1] * np.hanning(5))
