"""Heaps of differentiated values: events in their order, the nearest first."""
from __future__ import annotations

import bisect
import heapq
from heapq import heappop
from heapq import heappush as push

import numpy as np

from corpus.registry import normal, positive, program


def three():
    return (positive(1, 3),)


@program(three)
def the_smallest_first(x):
    heap = []
    for value in x:
        heapq.heappush(heap, value)
    return heapq.heappop(heap) ** 2 * 3 + heap[0]


@program(three)
def places_in_the_heap(x):
    heap = [(value, i) for i, value in enumerate(x)]
    heapq.heapify(heap)
    value, i = heappop(heap)
    push(heap, (value + 1, i))
    return sum(a * (b + 1) * k for k, (a, b) in enumerate(heap))


@program(three)
def events(x):
    heap = [(value, i) for i, value in enumerate(x)]
    heapq.heapify(heap)
    total = 0.0
    while heap:
        time, i = heappop(heap)
        total += np.sin(time) * np.exp(-total) * (i + 1)
        if time < 1:
            push(heap, (time + 1 + total**2, i))
    return total


@program(three)
def dijkstra(x):
    roads = {"s": [("a", x[0]), ("b", x[1])], "a": [("b", x[2] * 0.1), ("t", 5.0)], "b": [("t", x[0] * x[2])], "t": []}
    heap, distance = [(0.0, "s")], {}
    while heap:
        here, town = heapq.heappop(heap)
        if town in distance:
            continue
        distance[town] = here
        for other, length in roads[town]:
            heapq.heappush(heap, (here + length, other))
    return distance["t"] ** 2


@program(three)
def exchanged(x):
    heap = list(x)
    heapq.heapify(heap)
    first = heapq.heapreplace(heap, x[0] * 3)
    second = heapq.heappushpop(heap, x[1] * 0.1)
    return first * second**2 + heap[0] * heap[1]


@program(three)
def largest_and_smallest(x):
    return sum(heapq.nlargest(2, x)) * heapq.nsmallest(1, [value**2 for value in x])[0]


@program(three)
def of_what_is_not_differentiated(x):
    order = [3, 1, 2]
    heapq.heapify(order)
    first = heapq.heappop(order)
    return x[first] ** 2 * heapq.heappop(order) + x[0] * heapq.heappop(order) ** 2 * len(order) + x[2]


class Agenda:
    def __init__(self):
        self.heap, self.time = [], 0.0

    def at(self, time, what):
        push(self.heap, (time, what))

    def run(self):
        total = 0.0
        while self.heap:
            self.time, what = heappop(self.heap)
            total += np.sin(self.time) * (what + 1)
            if self.time < 1:
                self.at(self.time + 1.0, what)
        return total


@program(three)
def of_an_object(x):
    agenda = Agenda()
    for i, value in enumerate(x):
        agenda.at(value, i)
    return agenda.run() + agenda.time


@program(lambda: (normal(1, 4),))
def numbers_in_the_middle(x):
    heap = [3, 1, 2]
    heapq.heapify(heap)
    total = 0.0
    while heap:
        total = total * x[0] + x[heapq.heappop(heap)]
    return total


def counted(state):
    state["k"] += 1
    return state["k"]


@program(lambda: (normal(1, 4),))
def counted_in_an_index(x):
    state = {"k": 0}
    return np.prod([x[counted(state)] for _ in range(2)]) * x[counted(state)]


class Median:
    def __init__(self):
        self.values = []

    def add(self, v):
        bisect.insort(self.values, v)
        return self.values[len(self.values) // 2]


@program(three)
def put_in_order(x):
    median, pairs = Median(), []
    for place, v in enumerate(x):
        bisect.insort_left(pairs, (-v, place))
    return sum(median.add(v) ** 2 for v in x) * pairs[0][0] * pairs[1][1]


@program(lambda: ({"a": [[1.0, "b"], [3.0, "c"]], "b": [[1.0, "a"], [1.5, "c"]], "c": [[3.0, "a"], [1.5, "b"]]},))
def lists_in_a_heap(edges):
    queue, seen, total = [[0.0, "a"]], set(), 0.0
    while queue:
        length, node = heapq.heappop(queue)
        if node not in seen:
            seen.add(node)
            total += length ** 2
            for step, other in edges[node]:
                heapq.heappush(queue, [step, other])
    return total


@program(three)
def by_lambdas(x):
    heap = list(x)
    heapq.heapify(heap)
    put = lambda v: push(heap, v)  # noqa: E731
    smallest = lambda values: sum(heapq.nsmallest(2, values))  # noqa: E731
    put(x[0] * 0.5)
    return heap[0] * smallest(heap) + sum(map(lambda values: heapq.nlargest(1, values)[0] ** 2, [heap, list(x)]))


@program(three)
def emptied_until_it_raises(x):
    heap, total = list(x), 1.0
    heapq.heapify(heap)
    while True:
        try:
            total = total * 0.5 + heapq.heappop(heap)
        except IndexError as error:
            return total ** 2 * len(str(error))
