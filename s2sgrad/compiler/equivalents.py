"""Builtins and functions of ``functools`` and ``itertools`` over differentiated values, as Python that does the same.

They are compiled like functions of the user's. Those that stand for iterators give lists; ``functional.py`` takes them
only where what they give is run through once, at once.
"""
from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections import Counter, OrderedDict, deque
from typing import Any

import gast
import numpy as np


def sorted_by(items: Any, *, key: Any = None, reverse: Any = False) -> list:
    if key is None:
        order = sorted(range(len(items)), key=lambda place: items[place], reverse=reverse)
    else:
        order = sorted(range(len(items)), key=lambda place: key(items[place]), reverse=reverse)
    return [items[place] for place in order]


def smallest_by(items: Any, *, key: Any) -> Any:
    return items[min(range(len(items)), key=lambda place: key(items[place]))]


def largest_by(items: Any, *, key: Any) -> Any:
    return items[max(range(len(items)), key=lambda place: key(items[place]))]


def smallest_by_or(items: Any, *, key: Any, default: Any) -> Any:
    return smallest_by(items, key=key) if len(items) > 0 else default


def largest_by_or(items: Any, *, key: Any, default: Any) -> Any:
    return largest_by(items, key=key) if len(items) > 0 else default


def itself(item: Any) -> Any:
    return item


def in_order(items: Any, steady: Any) -> Any:
    """A sequence, which is run through by counting: the analysis refuses everything else. ``steady``: nothing is put
    into it, if it is a list: an iterator that came to its end stays there. What is not differentiated may be the view
    of a dict, which has no items by number."""
    return items if hasattr(items, "__getitem__") else list(items)


def rest_of(items: Any, place: Any) -> Any:
    """What comes yet of a sequence."""
    return items[place:]


def reduced(function: Any, items: Any) -> Any:
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for item in items[1:]:
        total = function(total, item)
    return total


def reduced_from(function: Any, items: Any, total: Any) -> Any:
    for item in items:
        total = function(total, item)
    return total


def grouped(items: Any, key: Any = None) -> list:
    """What ``itertools.groupby`` gives, with a list for each group."""
    keys: list = []
    groups: list = []
    for item in items:
        this = item if key is None else key(item)
        if len(keys) == 0 or keys[-1] != this:
            keys.append(this)
            groups.append([])
        groups[-1].append(item)
    return [(each, group) for each, group in zip(keys, groups)]


def summed(items: Any) -> Any:
    """The sum of objects, whose class says how they are added to 0 and to one another."""
    if len(items) == 0:
        raise ValueError("the sum of no objects is the number 0, and no object: give sum a start, sum(items, start)")
    total = 0 + items[0]
    for item in items[1:]:
        total = total + item
    return total


def summed_from(items: Any, total: Any) -> Any:
    for item in items:
        total = total + item
    return total


def accumulated(items: Any, func: Any) -> list:
    totals: list = []
    for item in items:
        totals.append(func(totals[-1], item) if totals else item)
    return totals


def pairs(items: Any) -> list:
    return [(first, second) for first, second in zip(items, items[1:])]


def pairs_of_equal_length(first: Any, second: Any) -> list:
    if len(first) != len(second):
        raise ValueError("zip() argument 2 is shorter than argument 1" if len(second) < len(first) else
                         "zip() argument 2 is longer than argument 1")
    return [(one, other) for one, other in zip(first, second)]


def transposed(rows: Any) -> list:
    count = min([len(row) for row in rows]) if len(rows) > 0 else 0
    return [tuple([rows[i][place] for i in range(len(rows))]) for place in range(count)]


def products(first: Any, second: Any) -> list:
    return [(left, right) for left in first for right in second]


def first_items(items: Any, stop: Any) -> list:
    if stop is not None and stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    return list(items[:stop])


def products_of_three(first: Any, second: Any, third: Any) -> list:
    return [(one, two, three) for one in first for two in second for three in third]


def items_between(items: Any, start: Any, stop: Any, step: Any = None) -> list:
    if any(bound is not None and bound < 0 for bound in (start, stop)) or step is not None and step < 1:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    return list(items[start:stop:step])


def accumulated_from(items: Any, func: Any, *, initial: Any) -> list:
    totals: list = [initial]
    for item in items:
        totals.append(func(totals[-1], item))
    return totals


def chosen_pairs(items: Any, places: Any) -> list:
    return [(items[i], items[j]) for i, j in places(range(len(items)), 2)]


def chosen_triples(items: Any, places: Any) -> list:
    return [(items[i], items[j], items[k]) for i, j, k in places(range(len(items)), 3)]


def applied_to_each(function: Any, items: Any) -> list:
    return [function(*item) for item in items]


def taken_while(test: Any, items: Any) -> list:
    taken: list = []
    for item in items:
        if not test(item):
            break
        taken.append(item)
    return taken


def left_over(test: Any, items: Any) -> list:
    return [item for item in items if not (item if test is None else test(item))]


def product_from(items: Any, *, start: Any) -> Any:
    total = start
    for item in items:
        total = total * item
    return total


def dropped_while(test: Any, items: Any) -> list:
    kept: list = []
    for item in items:
        if len(kept) > 0 or not test(item):
            kept.append(item)
    return kept


def the_same(item: Any, times: Any) -> list:
    return [item for _ in range(times)]


def cycled(items: Any, times: Any) -> list:
    return [items[place % len(items)] for place in range(times if len(items) > 0 else 0)]


def flattened(lists: Any) -> list:
    return [item for items in lists for item in items]


def joined_lists(lists: Any, start: Any) -> list:
    return [*start, *[item for items in lists for item in items]]


def joined_tuples(tuples: Any, start: Any) -> tuple:
    return (*start, *[item for items in tuples for item in items])


def chosen_by(items: Any, selectors: Any) -> list:
    return [item for item, wanted in zip(items, selectors) if wanted]


def together_longest(first: Any, second: Any, *, fillvalue: Any = None) -> list:
    return [(first[place] if place < len(first) else fillvalue, second[place] if place < len(second) else fillvalue)
            for place in range(max(len(first), len(second)))]


def smallest_or(items: Any, default: Any) -> Any:
    return min(items) if len(items) > 0 else default


def largest_or(items: Any, default: Any) -> Any:
    return max(items) if len(items) > 0 else default


def middle(items: Any) -> Any:
    """What ``statistics.median`` gives."""
    if len(items) == 0:
        raise statistics.StatisticsError("no median for empty data")
    ordered = sorted_by(items)
    half = len(items) // 2
    return ordered[half] if len(items) % 2 == 1 else (ordered[half - 1] + ordered[half]) / 2


def along_axis(function: Any, axis: Any, array: Any) -> Any:
    rows = np.moveaxis(array, axis, -1)
    count = math.prod(rows.shape[:-1])
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = np.stack([function(row) for row in rows.reshape(count, rows.shape[-1])])
    if results.ndim == 1:
        return results.reshape(rows.shape[:-1])
    if results.ndim > 2:
        raise NotImplementedError("np.apply_along_axis of a function that gives more than numbers and vectors")
    return np.moveaxis(results.reshape(rows.shape[:-1] + results.shape[1:]), -1, axis)


DOUBLE = (float, complex, int)
"""The dtypes of numbers that are computed with as Python's are."""


def each_element(function: Any, array: Any, otype: Any = None) -> Any:
    wide = np.asarray(array).dtype in DOUBLE
    return of_one_type([function(item.item()) for item in np.ravel(array)], np.shape(array), wide, otype)


def each_pair(function: Any, first: Any, second: Any, otype: Any = None) -> Any:
    wide = np.asarray(first).dtype in DOUBLE and np.asarray(second).dtype in DOUBLE
    left, right = np.broadcast_arrays(first, second)
    return of_one_type([function(one.item(), two.item()) for one, two in zip(left.ravel(), right.ravel())], left.shape,
                       wide, otype)


def each_triple(function: Any, first: Any, second: Any, third: Any, otype: Any = None) -> Any:
    wide = np.asarray(first).dtype in DOUBLE and np.asarray(second).dtype in DOUBLE \
        and np.asarray(third).dtype in DOUBLE
    one, two, three = np.broadcast_arrays(first, second, third)
    return of_one_type([function(a.item(), b.item(), c.item()) for a, b, c in zip(
        one.ravel(), two.ravel(), three.ravel())], one.shape, wide, otype)


def of_one_type(results: list, shape: Any, wide: bool, otype: Any) -> Any:
    if len(results) == 0 and otype is None:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    if not wide:
        raise TypeError("np.vectorize computes with Python's numbers, and gives others of the array's precision: "
                        "pass arrays of double precision")
    joined = np.array(results, dtype=otype)
    if otype is None and joined.dtype != np.asarray(results[0]).dtype:
        raise TypeError("np.vectorize makes all results of the first one's type, and others don't fit into that: "
                        "return floats throughout")
    return np.reshape(joined, shape)


def from_items(items: Any, dtype: Any, count: Any = -1) -> Any:
    """What ``np.fromiter`` gives."""
    made = np.array(list(items), dtype=dtype)
    if len(made) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(made)} items.")
    return made if count < 0 else made[:count]


def with_piece(y: Any, x: Any, condition: Any, function: Any) -> Any:
    y = y.copy()
    y[condition] = function(np.asarray(x)[condition])
    return y


def with_number(y: Any, condition: Any, number: Any) -> Any:
    y = y.copy()
    y[condition] = number
    return y


def numbered(array: Any) -> list:
    return [(index, item) for index, item in zip(np.ndindex(np.shape(array)), np.ravel(array))]


def nested_list(array: Any) -> list:
    """What ``array.tolist()`` gives."""
    if np.ndim(array) > 1:
        return [nested_list(row) for row in array]
    return [item.item() for item in array]


def repeated(items: Any, times: Any) -> list:
    return [item for _ in range(times) for item in items]


def covariances(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, *, dtype: Any = None
                ) -> Any:
    return np.cov(variables(m, y, rowvar), bias=bias, ddof=ddof, dtype=dtype)


def reduced_along(ufunc: Any, a: Any, axis: Any = 0, *, keepdims: Any = False, initial: Any = None) -> Any:
    rows = np.moveaxis(np.asarray(a), axis, 0)
    total = rows[0] if initial is None else ufunc(initial, rows[0])
    for row in rows[1:]:
        total = ufunc(total, row)
    return np.expand_dims(total, axis) if keepdims else total


def accumulated_along(ufunc: Any, a: Any, axis: Any = 0) -> Any:
    rows = np.moveaxis(np.asarray(a), axis, 0)
    totals = [rows[0]]
    for row in rows[1:]:
        totals.append(ufunc(totals[-1], row))
    return np.moveaxis(np.stack(totals), 0, axis)


def reduced_in_parts(ufunc: Any, a: Any, indices: Any, axis: Any = 0) -> Any:
    rows = np.moveaxis(np.asarray(a), axis, 0)
    totals = []
    for start, stop in zip(indices, [*indices[1:], len(rows)]):
        total = rows[start]
        for row in rows[start + 1:stop]:
            total = ufunc(total, row)
        totals.append(total)
    return np.moveaxis(np.stack(totals), 0, axis)


def changed_at(ufunc: Any, array: Any, places: Any, values: Any) -> Any:
    changed = np.array(np.ravel(array))
    numbers = np.arange(np.size(array)).reshape(np.shape(array))[places]
    for number, value in zip(np.ravel(numbers), np.ravel(np.broadcast_to(values, np.shape(numbers)))):
        changed[number] = ufunc(changed[number], value)
    return np.reshape(changed, np.shape(array))


def changed_alone(ufunc: Any, array: Any, places: Any) -> Any:
    changed = np.array(np.ravel(array))
    for number in np.ravel(np.arange(np.size(array)).reshape(np.shape(array))[places]):
        changed[number] = ufunc(changed[number])
    return np.reshape(changed, np.shape(array))


def bell(M: Any, beta: Any) -> Any:
    if M == 1:
        return np.ones(1)
    middle, wide = (M - 1) / 2.0, np.array([0.0, beta])[1]  # which is in double precision at least
    return np.i0(wide * np.sqrt(1 - ((np.arange(0, M) - middle) / middle) ** 2.0)) / np.i0(wide)


def with_axes(array: Any, count: Any) -> Any:
    return np.reshape(array, (1,) * max(0, count - np.ndim(array)) + np.shape(array))


def weighed_covariances(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
                        fweights: Any = None, aweights: Any = None) -> Any:
    rows = variables(m, y, rowvar)
    freedom = (0 if bias else 1) if ddof is None else ddof
    counts = np.ones(rows.shape[1]) if fweights is None else weights_of(rows, fweights, "fweights")
    shares = np.ones(rows.shape[1]) if aweights is None else weights_of(rows, aweights, "aweights")
    weights = counts * shares
    means, totals = np.average(rows, axis=1, weights=weights, returned=True)
    centred = rows - means[:, None]
    freed = freedom if aweights is None else freedom * np.sum(weights * shares) / totals[0]
    return np.squeeze(np.dot(centred, np.conj(centred * weights).T) * np.divide(1, totals[0] - freed))


def weights_of(rows: Any, given: Any, label: Any) -> Any:
    weights = np.asarray(given, float)
    if np.ndim(weights) > 1:
        raise RuntimeError(f"cannot handle multidimensional {label}")
    if len(weights) != rows.shape[1]:
        raise RuntimeError(f"incompatible numbers of samples and {label}")
    if np.any(weights < 0):
        raise ValueError(f"{label} cannot be negative")
    return weights


def spaced_with_step(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, axis: Any = 0) -> Any:
    count = num - 1 if endpoint else num
    step = np.subtract(stop, start) / count if count > 0 else np.nan
    return np.linspace(start, stop, num, endpoint, axis=axis), step


def padded_with_medians(array: Any, pad_width: Any, *, mode: Any, stat_length: Any = None) -> Any:
    padded = np.asarray(array)
    widths = np.broadcast_to(pad_width, (np.ndim(array), 2)).tolist()
    lengths = np.broadcast_to(np.size(array) if stat_length is None else stat_length, (np.ndim(array), 2)).tolist()
    for width, length in zip(widths, lengths):  # each axis comes to be the first one in turn
        size = len(padded)
        if size == 0 and sum(width) > 0:
            raise ValueError("can't extend an empty axis by its median")
        start = np.median(padded[:length[0]], axis=0, keepdims=True)
        stop = np.median(padded[max(size - length[1], 0):], axis=0, keepdims=True)
        whole = np.concatenate([np.repeat(start, width[0], 0), padded, np.repeat(stop, width[1], 0)])
        padded = np.moveaxis(whole, 0, -1)
    return padded


def weighed_fit(x: Any, y: Any, deg: Any, *, rcond: Any = None, w: Any = None) -> Any:
    return told_fit(x, y, deg, rcond=rcond, w=w)[0]


def told_fit(x: Any, y: Any, deg: Any, *, full: Any = True, rcond: Any = None, w: Any = None) -> Any:
    powers, right = np.vander(np.asarray(x) + 0.0, deg + 1), np.asarray(y) + 0.0
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    least = len(x) * np.finfo(powers.dtype).eps if rcond is None else rcond
    if w is not None:
        if np.ndim(w) != 1:
            raise TypeError("expected a 1-d array for weights")
        if len(w) != len(y):
            raise TypeError("expected w and y to have the same length")
        weights = np.asarray(w) + 0.0
        powers = (powers * weights[:, None]).astype(powers.dtype)  # as if they were multiplied in place
        right = (right.T * weights).T.astype(right.dtype)
    sizes = np.sqrt(np.sum(powers * powers, axis=0))
    found, rests, rank, values = np.linalg.lstsq(powers / sizes, right, least)
    return (found.T / sizes).T, rests, rank, values, least


def fit_and_covariance(x: Any, y: Any, deg: Any, *, cov: Any, rcond: Any = None, w: Any = None) -> Any:
    found, rests = told_fit(x, y, deg, rcond=rcond, w=w)[:2]
    powers = np.vander(np.asarray(x) + 0.0, deg + 1)
    if w is not None:
        powers = (powers * (np.asarray(w) + 0.0)[:, None]).astype(powers.dtype)
    sizes = np.sqrt(np.sum(powers * powers, axis=0))
    scaled = powers / sizes
    spread = np.linalg.inv(np.dot(scaled.T, scaled)) / np.outer(sizes, sizes)
    if cov != "unscaled":
        if len(x) <= deg + 1:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        spread = spread * (rests / (len(x) - deg - 1))
    return found, spread


def shares_by_width(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, *, density: Any) -> Any:
    counts, edges = np.histogram(a, bins, range, weights=weights)
    if not density:
        return counts, edges
    return counts / np.array(np.diff(edges), float) / counts.sum(), edges


def symmetric_parts(a: Any, full_matrices: Any = True, compute_uv: Any = True, *, hermitian: Any) -> Any:
    if not hermitian:
        return np.linalg.svd(a, full_matrices, compute_uv)
    if not compute_uv:
        return np.sort(np.abs(np.linalg.eigvalsh(a)))[..., ::-1]
    values, vectors = np.linalg.eigh(a)
    order = np.argsort(np.abs(values))[..., ::-1]
    signs = np.take_along_axis(np.sign(values), order, axis=-1)
    left = np.take_along_axis(vectors, order[..., None, :], axis=-1)
    right = np.conj(np.swapaxes(left * signs[..., None, :], -1, -2))
    return Parts(left, np.take_along_axis(np.abs(values), order, axis=-1), right)


Parts = type(np.linalg.svd(np.eye(1)))


def solved_along(a: Any, b: Any, *, axes: Any) -> Any:
    if axes is None:
        return np.linalg.tensorsolve(a, b)
    return np.linalg.tensorsolve(np.moveaxis(a, axes, [place - len(axes) for place in range(len(axes))]), b)


def interpolated_round(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if period is None:
        return np.interp(x, xp, fp, left, right)
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length")
    places = np.mod(np.asarray(xp, dtype=np.float64), abs(period))
    order = np.argsort(places)
    places, values = places[order], np.asarray(fp)[order]
    around = np.concatenate([places[-1:] - abs(period), places, places[:1] + abs(period)])
    found = np.mod(np.asarray(x, dtype=np.float64), abs(period))
    return np.interp(found, around, np.concatenate([values[-1:], values, values[:1]]))


def correlations(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    return np.corrcoef(variables(x, y, rowvar), dtype=dtype)


def variables(first: Any, second: Any, rowvar: Any) -> Any:
    if second is None:
        return in_rows(first, rowvar)
    return np.concatenate([in_rows(first, rowvar), in_rows(second, rowvar)])


def in_rows(variables: Any, rowvar: Any) -> Any:
    values = np.asarray(variables)
    return np.atleast_2d(values.T if np.ndim(values) == 2 and not rowvar else values)


FROM_ITERABLE = itertools.chain.from_iterable
"""Each time that it is read it is another object."""
ENDLESS = {itertools.cycle: cycled, itertools.repeat: the_same}
"""What never ends, with what gives as many items as are asked for."""
RUN_ALONG = (zip, map, itertools.islice)
"""What asks these for no more than there is of something else."""
EQUIVALENTS: dict[tuple[Any, int], Any] = {
    (sorted, 1): sorted_by, (functools.reduce, 2): reduced, (functools.reduce, 3): reduced_from,
    (itertools.accumulate, 2): accumulated, (itertools.product, 2): products,
    (itertools.islice, 2): first_items, (itertools.islice, 3): items_between, (itertools.islice, 4): items_between,
    (itertools.product, 3): products_of_three, (itertools.starmap, 2): applied_to_each,
    (itertools.takewhile, 2): taken_while, (itertools.dropwhile, 2): dropped_while, (itertools.repeat, 2): the_same,
    (itertools.filterfalse, 2): left_over,
    (itertools.compress, 2): chosen_by, (FROM_ITERABLE, 1): flattened, (itertools.zip_longest, 2): together_longest,
    (np.apply_along_axis, 3): along_axis, (np.kaiser, 2): bell, (np.ndenumerate, 1): numbered,
    (statistics.median, 1): middle,
    **({(itertools.pairwise, 1): pairs} if hasattr(itertools, "pairwise") else {}),
}
"""By function and number of positional arguments."""
OF_TWO = {np.cov: covariances, np.corrcoef: correlations}
"""What takes the variables of two arrays for those of one."""
WITH: dict[Any, dict[str, Any]] = {
    np.linspace: {"retstep": spaced_with_step}, np.interp: {"period": interpolated_round},
    np.polyfit: {"rcond": weighed_fit, "w": weighed_fit, "cov": {True: fit_and_covariance,
                 "unscaled": fit_and_covariance}, "full": {True: told_fit}},
    np.histogram: {"density": shares_by_width}, np.pad: {"mode": {"median": padded_with_medians}},
    np.linalg.svd: {"hermitian": symmetric_parts}, np.linalg.tensorsolve: {"axes": solved_along},
    np.cov: dict.fromkeys(("fweights", "aweights"), weighed_covariances), np.array: {"copy": None, "ndmin": None},
    math.prod: {"start": product_from}}
"""What takes this keyword, or some values of it, the last of them first; that of ``np.array`` depends on its value."""
VECTORIZED = {1: each_element, 2: each_pair, 3: each_triple}
"""What ``np.vectorize`` does, by the number of arguments."""
CHOOSERS = (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement)
CHOSEN = {2: chosen_pairs, 3: chosen_triples}
"""What these give, by how many are chosen."""
MAKE_LISTS = (sorted_by, accumulated, pairs, pairs_of_equal_length, products, first_items, repeated,
              products_of_three, items_between, accumulated_from, chosen_pairs, chosen_triples, applied_to_each,
              taken_while, left_over, dropped_while, the_same, cycled, flattened, chosen_by, together_longest,
              transposed, numbered, nested_list, grouped, joined_lists)
"""Those that give new lists."""
BY_PAIRS = {"reduce": reduced_along, "accumulate": accumulated_along, "reduceat": reduced_in_parts}
"""The methods of ufuncs, by pairs of rows."""
SUMS = {1: summed, 2: summed_from}
"""``sum`` of objects, by the number of arguments."""
JOINED: dict[type, tuple[Any, Any]] = {list: (gast.List, joined_lists), tuple: (gast.Tuple, joined_tuples)}
"""``sum`` of these, by the display with which it has to start."""
OR_DEFAULT = {min: smallest_or, max: largest_or}
BY_KEY = {min: smallest_by, max: largest_by}
BY_KEY_OR_DEFAULT = {min: smallest_by_or, max: largest_by_or}
ITERATORS = (map, filter, zip, reversed, enumerate, itertools.accumulate, itertools.product, itertools.islice,
             itertools.chain, itertools.starmap, itertools.takewhile, itertools.dropwhile, itertools.filterfalse,
             itertools.repeat, itertools.compress, itertools.zip_longest, itertools.cycle, FROM_ITERABLE,
             np.ndenumerate, getattr(itertools, "pairwise", map), *CHOOSERS)
"""What gives iterators, which can be run through once."""
ONE_BY_ONE = {functools.reduce, sum, *ITERATORS} - {map, filter, zip, reversed, enumerate}
"""Those that are asked of a dict for its keys by their places, or are added up."""
CONSUMERS = {list, tuple, set, frozenset, deque, dict, OrderedDict, Counter, sum, min, max, sorted, any, all,
             functools.reduce, math.fsum, math.prod, statistics.mean, statistics.fmean, statistics.variance,
             statistics.pvariance, statistics.stdev, statistics.pstdev, statistics.median, statistics.geometric_mean,
             statistics.harmonic_mean, getattr(math, "sumprod", math.fsum), np.fromiter, *ITERATORS}
"""What runs through its arguments once, before it gives anything or as far as that is asked for."""


def makes_iterator(function: Any) -> bool:
    """Whether a function of Python's or NumPy's gives what can be run through once only."""
    return any(function is one for one in ITERATORS)
