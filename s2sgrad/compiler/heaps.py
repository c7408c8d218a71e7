"""The functions of ``heapq``, and ``bisect.insort``, in Python: the same places in the list at every step, so that
whoever looks into a heap sees what is there otherwise.

A function that calls one of these is compiled as if it called ours, which are compiled like functions of the user's.
The algorithm is that of binary heaps (J. W. J. Williams, Algorithm 232, 1964), with the way down to a leaf and back up
that heapq takes.
"""
from __future__ import annotations

import bisect
import heapq
import types
from collections.abc import Iterable
from typing import Any

from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.nodes import holder


def risen(heap: Any, top: Any, place: Any) -> None:
    item = heap[place]
    while place > top:
        above = (place - 1) >> 1
        other = heap[above]
        if not item < other:
            break
        heap[place] = other
        place = above
    heap[place] = item


def sunk(heap: Any, place: Any) -> None:
    end = len(heap)
    top = place
    item = heap[place]
    below = 2 * place + 1
    while below < end:
        beside = below + 1
        if beside < end and not heap[below] < heap[beside]:
            below = beside
        heap[place] = heap[below]
        place = below
        below = 2 * place + 1
    heap[place] = item
    risen(heap, top, place)


def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    risen(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) > 0:
        first = heap[0]
        heap[0] = last
        sunk(heap, 0)
        return first
    return last


def heapreplace(heap: Any, item: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    sunk(heap, 0)
    return first


def heappushpop(heap: Any, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        sunk(heap, 0)
        return first
    return item


def heapify(heap: Any) -> None:
    for place in reversed(range(len(heap) // 2)):
        sunk(heap, place)


def nsmallest(n: Any, iterable: Any) -> list:
    return sorted(iterable)[:max(n, 0)]


def nlargest(n: Any, iterable: Any) -> list:
    return sorted(iterable, reverse=True)[:max(n, 0)]


def insort_right(a: Any, x: Any) -> None:
    a.insert(bisect.bisect_right(a, x), x)


def insort_left(a: Any, x: Any) -> None:
    a.insert(bisect.bisect_left(a, x), x)


MODULES = (heapq, bisect)
FUNCTIONS = (types.BuiltinFunctionType, types.FunctionType)
OURS: dict[Any, Any] = {
    getattr(heapq, function.__name__): function
    for function in (heappush, heappop, heapreplace, heappushpop, heapify, nsmallest, nlargest)}
OURS.update({getattr(bisect, function.__name__): function for function in (insort_right, insort_left)})


def calls_of_heapq(calls: Iterable[Any], function: types.FunctionType, local: set[str]) -> list[tuple[Any, Any]]:
    """The calls of these functions, each with the function that does the same. Cheap where there is nothing of their
    modules around."""
    known = function.__globals__
    labels = names_of(function.__code__)
    values = [known.get(label) for label in labels]
    values += [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
    if all(module.__name__ not in labels for module in MODULES) and not any(
            value is heapq or value is bisect or isinstance(value, FUNCTIONS) and value in OURS for value in values):
        return []
    found = []
    for node in calls:
        meant = held(node.func, function) if holder(node.func) not in local else None
        if isinstance(meant, FUNCTIONS) and meant in OURS and len(node.args) == OURS[meant].__code__.co_argcount \
                and not node.keywords:
            found.append((node, OURS[meant]))
    return found


def names_of(code: types.CodeType) -> list[str]:
    """The outer names and attributes that a function, and those defined in it, read; and what they import."""
    return [*code.co_names, *(label for inner in code.co_consts if isinstance(inner, types.CodeType)
                              for label in names_of(inner))]
