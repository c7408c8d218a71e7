"""Algorithms in place, as textbooks have them."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program, spread


@program(lambda: (spread(1, 4, 4), normal(2, 4)), needs="shapes")
def elimination_with_pivots(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n - 1):
        p = int(np.argmax(np.abs(a[k:, k]))) + k
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[k], b[p] = b[p], b[k]
        m = a[k + 1:, k] / a[k, k]
        a[k + 1:] -= np.outer(m, a[k])
        b[k + 1:] -= m * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return (x ** 2).sum()


@program(lambda: (normal(1, 8), normal(2, 8)), needs="shapes")
def butterflies(re, im):
    re, im = re.copy(), im.copy()
    n, j = len(re), 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    length = 2
    while length <= n:
        half = length // 2
        for i in range(0, n, length):
            for k in range(half):
                c, s = np.cos(-2 * np.pi * k / length), np.sin(-2 * np.pi * k / length)
                a, b = i + k, i + k + half
                tr, ti = re[b] * c - im[b] * s, re[b] * s + im[b] * c
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a] += tr
                im[a] += ti
        length <<= 1
    return (re ** 2 * np.arange(8.0)).sum() + (im ** 2).sum()


@program(lambda: (spread(1, 6),), needs="shapes")
def sorted_by_insertion(x):
    a = x.copy()
    for i in range(1, len(a)):
        key, j = a[i], i - 1
        while j >= 0 and a[j] > key:
            a[j + 1], j = a[j], j - 1
        a[j + 1] = key
    return (a * np.arange(6.0)).sum() + a[0] * a[5]


@program(lambda: (normal(1, 8),))
def scanned_up_and_down(x):
    a, d = x * 1.0, 1
    while d < 8:
        a[2 * d - 1::2 * d] += a[d - 1::2 * d]
        d *= 2
    a[7] = 0.0
    while d > 1:
        d //= 2
        t = a[d - 1::2 * d].copy()
        a[d - 1::2 * d] = a[2 * d - 1::2 * d]
        a[2 * d - 1::2 * d] += t
    return (a ** 2).sum()


@program(lambda: (normal(1, 4, 3),))
def reflected(a):
    r = a.copy()
    for k in range(3):
        v = r[k:, k].copy()
        v[0] += np.sign(v[0]) * np.linalg.norm(v)
        v /= np.linalg.norm(v)
        r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
    return (r ** 3).sum()


def scaled_and_added(y, a, x):
    y += a * x
    return y


@program(lambda: (normal(1, 4), normal(2, 4)))
def buffer_handed_over_and_back(x, y):
    work = np.zeros(4)
    work = scaled_and_added(work, 2.0, x)
    out = scaled_and_added(work, y[0], y)
    out[1] *= 3.0
    return (out ** 2).sum()


def shortest(graph, start, lengths):
    distance, todo = {start: 0.0}, [start]
    while todo:
        todo.sort(key=lambda node: distance[node])
        node = todo.pop(0)
        for other, road in graph.get(node, {}).items():
            through = distance[node] + lengths[road]
            if other not in distance or through < distance[other]:
                distance[other] = through
                todo.append(other)
    return sum(distance.values()) + max(distance.values())


@program(lambda: ({1: {2: "a", 3: "b"}, 2: {3: "c"}, 4: {}}, 1, {"a": 0.3, "b": 0.9, "c": 0.4}))
def shortest_by_numbers(graph, start, lengths):
    return shortest(graph, start, lengths)


@program(lambda: ({"x": {"y": 0, "z": 1}, "y": {"z": 2}}, "x", np.array([0.3, 0.9, 0.4])))
def shortest_by_names(graph, start, lengths):
    return shortest(graph, start, lengths)


@program(lambda: ({1: [2, 3], 2: [4], 3: [4]}, {1: 0.5, 2: 1.5, 3: 0.8, 4: 0.3}))
def breadth_first(neighbours, weights):
    total, level, seen = 0.0, [1], {1}
    while level:
        total = total * 0.9 + sum(weights[node] for node in sorted(level, reverse=True)) ** 2
        found = []
        for node in level:
            for other in neighbours.get(node, []):
                if other not in seen:
                    seen.add(other)
                    found.append(other)
        level = sorted(found)
    return total * len(seen)


@program(lambda: (positive(1, 5),))
def nearest_by_a_method_of_the_distances(x):
    edges = {0: [(1, x[0]), (2, x[1])], 1: [(2, x[2]), (3, x[3])], 2: [(3, x[4])], 3: []}
    distance = {0: 0.0, 1: np.inf, 2: np.inf, 3: np.inf}
    left = set(edges)
    while left:
        node = min(left, key=distance.get)
        left.remove(node)
        for other, length in edges[node]:
            if distance[node] + length < distance[other]:
                distance[other] = distance[node] + length
    order = list(distance)
    order.sort(key=distance.get)
    return sum(distance[node] * i for i, node in enumerate(order))
