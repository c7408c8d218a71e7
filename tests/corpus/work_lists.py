"""Lists that recursion and stacks fill and empty, as textbooks have them."""
from __future__ import annotations

from corpus.registry import program

CHILDREN = {0: [1, 2], 1: [2, 3], 2: [], 3: [2]}


def preorder(node, values, depth, out):
    out.append((depth, values[node]))
    for child in CHILDREN[node]:
        preorder(child, values, depth + 1, out)


@program(lambda: ([0.4, 0.9, 1.3, 0.2],))
def list_that_recursion_appends_to(values):
    out = []
    preorder(0, values, 1, out)
    return sum(v * v * (i + depth) for i, (depth, v) in enumerate(out))


class Visitor:
    def __init__(self):
        self.out = []

    def visit(self, node, values, path=()):
        path += (values[node],)
        self.out.append(sum(path))
        for child in CHILDREN[node]:
            self.visit(child, values, path)


@program(lambda: ([0.4, 0.9, 1.3, 0.2],))
def attribute_that_recursion_appends_to(values):
    visitor = Visitor()
    visitor.visit(0, values)
    return sum(v * v * (i + 1) for i, v in enumerate(visitor.out))


def total(tree, weight):
    if isinstance(tree, list):
        return sum(total(part, weight) for part in tree)
    return tree * tree * weight


@program(lambda: (0.7,))
def longer_lists_of_unlike_items(x):
    return total([x, [2.0, 3.0, [4.0, x, 1.0, [2.0, x, x, x, 1.0]]]], x)


@program(lambda: ({"x": 1.3, "y": 0.4, "z": 0.7},))
def shunting_yard(env):
    values, pending = [], []

    def reduce():
        operator = pending.pop()
        right, left = values.pop(), values.pop()
        values.append(left * right if operator == "*" else left - right)
    for token in "x*y-z*x-y*z":
        if token in env:
            values.append(env[token])
            continue
        while pending and not (pending[-1] == "-" and token == "*"):  # empty in the first turn
            reduce()
        pending.append(token)
    while pending:
        reduce()
    return values[0]


@program(lambda: (1.3,))
def halves_from_a_stack(end):
    work, area = [(0.0, end)], 0.0
    while work:
        low, high = work.pop()
        middle = (low + high) / 2
        if high - low < 0.7:
            area += middle ** 2 * (high - low)
        else:
            work.extend([(low, middle), (middle, high)])
    return area


@program(lambda: (1.3,))
def halves_that_a_loop_adds_to_its_list(end):
    work, area = [(0.0, end)], 0.0
    for place, (low, high) in enumerate(work):  # the first ones start at a constant
        middle = (low + high) / 2
        if high - low < 0.7:
            area += middle ** 2 * (high - low) * place
        else:
            work.append((low, middle))
            work.append((middle, high))
    return area
