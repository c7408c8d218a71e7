"""Dimensions and shapes, as far as they are known before a function runs.

A *dimension* is

- an ``int``: the dimension is exactly that (1 for input dimensions of size one, literals elsewhere);
- a ``str`` (``"a"``): a dimension of an input; equal letters are equal sizes, and a letter is at least 2;
- a ``tuple``: a computed dimension; equal tuples are equal sizes, but the size may be anything, also 0 or 1; of those
  that start with ``"each"`` this holds within one item of a list: it is another size in each of them;
- ``None``: unknown.

A *shape* is a tuple of dimensions, or None where not even the rank is known. Unknown is always right, only less
pretty; inequality of two dimensions is never a fact.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Union

Dim = Union[int, str, tuple, None]
Shape = Union["tuple[Dim, ...]", None]


def lasting(shape: Shape) -> Shape:
    """A shape of inputs' sizes and literals, which is the same throughout a function; None for others."""
    return shape if shape and all(isinstance(dim, (int, str)) for dim in shape) else None


def not_one(dim: Dim) -> bool:
    """Whether the dimension is known to differ from 1, so that nothing is broadcast along it."""
    return isinstance(dim, str) or (isinstance(dim, int) and dim != 1)


def add_dims(dims: Iterable[Dim]) -> Dim:
    """The sum of sizes, where it has a name: at most one of them is not a literal, cuts cancel additions."""
    literal: int = 0
    base: str | None = None
    for dim in dims:
        if isinstance(dim, int):
            literal += dim
        elif base is not None:
            return None
        elif isinstance(dim, str):
            base = dim
        elif isinstance(dim, tuple) and dim[0] == "less" and isinstance(dim[1], str) and dim[2] <= 2:
            base, literal = dim[1], literal - dim[2]
        else:
            return None
    if base is None:
        return literal
    return base if literal == 0 else ("less", base, -literal)


def less(dim: Dim, count: int) -> Dim:
    """A size less so many elements, or 0 where there are not as many."""
    if dim is None or isinstance(dim, int):
        return None if dim is None else max(dim - count, 0)
    base, cut = (dim[1], dim[2]) if isinstance(dim, tuple) and dim[0] == "less" else (dim, 0)
    return "less", base, cut + count


def broadcast_dims(first: Dim, second: Dim) -> Dim:
    if first == second:
        return first
    if first == 1:
        return second
    if second == 1:
        return first
    # two different sizes broadcast only if one of them is 1: one that is not 1 is the result
    if not_one(first):
        return first
    if not_one(second):
        return second
    return None


def broadcast(*shapes: Shape) -> Shape:
    """The shape of an elementwise result of operands of these shapes, as NumPy broadcasts them."""
    found = {*shapes} - {()}
    if len(found) < 2:
        return found.pop() if found else ()
    result: tuple = ()
    for shape in shapes:
        if shape is None:
            return None
        longer, shorter = (result, shape) if len(result) >= len(shape) else (shape, result)
        offset = len(longer) - len(shorter)
        result = longer[:offset] + tuple(map(broadcast_dims, longer[offset:], shorter))
    return result


def join_dims(first: Dim, second: Dim) -> Dim:
    return first if first == second else None
