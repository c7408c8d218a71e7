"""How far to go in a direction: to a point that satisfies the strong Wolfe conditions, between ends of a bracket."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

DECREASE, CURVATURE = 1e-4, 0.9


class Point(NamedTuple):
    """A point on the line: how far away, and the loss, its gradient and its slope there."""

    length: float
    loss: float
    gradient: np.ndarray
    slope: float


def search(at: Callable[[float], Point], length: float, start: Point, reach: float, least: float, most: int
           ) -> tuple[Point, int]:
    """The point to go to, and how many were tried.

    Parameters
    ----------
    at
        Gives the point at a distance; its loss and gradient are computed there.
    length
        The distance to try first.
    reach
        The direction's largest element; steps of which no element is larger than ``least`` are not worth the while.
    most
        So many points are tried after the first.
    """
    before, point, tried = start, at(length), 1
    while tried <= most:
        if too_high(point, start) or tried > 2 and point.loss >= before.loss or not is_flat(point, start) \
                and point.slope >= 0:
            return zoomed(at, [before, point], start, reach, least, most, tried)
        if is_flat(point, start):
            return point, tried
        step = point.length - before.length
        length = lowest(before, point, point.length + 0.01 * step, 10 * point.length)
        before, point, tried = point, at(length), tried + 1
    return min(start, point, key=lambda item: item.loss), tried


def zoomed(at: Callable[[float], Point], bracket: list[Point], start: Point, reach: float, least: float, most: int,
           tried: int) -> tuple[Point, int]:
    """A point between the two ends of a bracket; if none is found, the lower end."""
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    is_stuck = False
    while tried <= most:
        left, right = sorted(point.length for point in bracket)
        if (right - left) * reach < least:
            break
        length = lowest(bracket[0], bracket[1], left, right)
        margin = 0.1 * (right - left)
        is_near_an_end = min(right - length, length - left) < margin
        if is_near_an_end and (is_stuck or not left < length < right):
            length = right - margin if right - length < length - left else left + margin
            is_near_an_end = False
        is_stuck = is_near_an_end
        point, tried = at(length), tried + 1
        if too_high(point, start) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        if is_flat(point, start):
            return point, tried
        if point.slope * (bracket[high].length - bracket[low].length) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
    return bracket[low], tried


def too_high(point: Point, start: Point) -> bool:
    """Whether the loss fell too little for the way."""
    return point.loss > start.loss + DECREASE * point.length * start.slope


def is_flat(point: Point, start: Point) -> bool:
    return abs(point.slope) <= -CURVATURE * start.slope


def lowest(first: Point, second: Point, least: float, most: float) -> float:
    """Where the cubic through two points with these slopes is lowest, within bounds; their middle if it has no
    minimum."""
    if first.length > second.length:
        first, second = second, first
    width = second.length - first.length
    mean = first.slope + second.slope - 3 * (second.loss - first.loss) / width
    square = mean ** 2 - first.slope * second.slope
    if not square >= 0:
        return (least + most) / 2
    root = math.sqrt(square)
    length = second.length - width * (second.slope + root - mean) / (second.slope - first.slope + 2 * root)
    return min(max(length, least), most)
