"""What is linked: lists whose nodes know the next one, walked by loops; trees, walked by recursive functions."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next


class Weighted(Node):
    def __init__(self, value, next=None, weight=1.5):
        super().__init__(value, next)
        self.weight = weight


class Chain:
    def __init__(self, head):
        self.head = head

    def total(self):
        total = 0.0
        node = self.head
        while node is not None:
            total = total + node.value ** 2
            node = node.next
        return total

    def push(self, value):
        self.head = Node(value, self.head)

    def append(self, value):
        if self.head is None:
            self.head = Node(value)
            return
        node = self.head
        while node.next is not None:
            node = node.next
        node.next = Node(value)

    def scale(self, k):
        node = self.head
        while node:
            node.value = node.value * k
            node = node.next


def nodes():
    return Node(1.5, Node(2.5, Node(0.5)))


@program(lambda: (nodes(),))
def walked(node):
    total = 0.0
    while node is not None:
        total += node.value ** 2
        node = node.next
    return total


@program(lambda: (nodes(), 2.0))
def walked_with_continue_and_break(node, x):
    total = 0.0
    while node:
        if node.value > 10.0:
            break
        here = node
        node = node.next
        if here.value < 1.0:
            continue
        total += here.value * x
    return total


@program(lambda: (nodes(), 2.0))
def left_from_within(node, x):
    while node is not None:
        if node.value > 2.0:
            return node.value * x
        node = node.next
    return x


@program(lambda: (nodes(), 2.0))
def the_last_one(node, x):
    while node.next is not None:
        node = node.next
    return node.value * x


@program(lambda: (nodes(), nodes()))
def two_walks_at_once(first, second):
    total = 0.0
    while first is not None and second is not None:
        total += first.value * second.value ** 2
        first = first.next
        second = second.next
    return total


@program(lambda: (nodes(), 2.0))
def neighbours(node, x):
    total = 0.0
    before = None
    while node is not None:
        if before is not None:
            total += before.value * node.value * x
        before = node
        node = node.next
    return total


@program(lambda: (nodes(), 3))
def walked_again_and_again(node, n):
    total = 0.0
    for k in range(n):
        here = node
        while here is not None:
            total += here.value ** 2 * k
            here = here.next
    return total


@program(lambda: (Node(normal(1, 2), Weighted(normal(2, 2), Node(normal(3, 2)))), normal(4, 2)))
def nodes_of_several_classes(node, x):
    while node is not None:
        x = np.tanh(x * node.value)
        node = node.next
    return np.sum(x)


@program(lambda: ({"value": 1.5, "next": {"value": 2.5, "next": None}}, 2.0))
def linked_dicts(entry, x):
    total = 0.0
    while entry is not None:
        total += entry["value"] ** 2 * x
        entry = entry["next"]
    return total


@program(lambda: (nodes(),))
def changed_on_the_way(node):
    here = node
    while here is not None:
        here.value = here.value * 2.0
        here = here.next
    return node.value * node.next.value


@program(lambda: (Chain(nodes()), 1.5))
def chain_that_changes(chain, a):
    chain.scale(a)
    return chain.total()


@program(lambda: (Chain(nodes()), 1.5))
def chain_with_another_head(chain, a):
    chain.push(a)
    return chain.total()


@program(lambda: (Chain(nodes()), 1.5))
def chain_that_grows(chain, a):
    chain.append(a)
    return chain.total()


@program(lambda: (1.5, 2.0))
def chain_made_here(a, b):
    chain = Chain(None)
    chain.append(a)
    chain.push(b)
    chain.push(a * b)
    return chain.total() + chain.head.value


class Tree:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right

    def total(self):
        total = self.v ** 2
        if self.left:
            total = total + self.left.total()
        if self.right is not None:
            total = total + self.right.total()
        return total


def walk(node):
    if node is None:
        return 0.0
    return node.v ** 2 + walk(node.left) * walk(node.right) + walk(node.right)


@program(lambda: (Tree(1.5, Tree(0.5, None, Tree(2.0)), Tree(0.7)),))
def tree(node):
    return walk(node) + node.total()


@program(lambda: (1.5, 2.5))
def tree_made_here(a, b):
    node = Tree(a, Tree(b), Tree(a * b, None, Tree(2.0 * b)))
    return walk(node) + node.total()


@program(lambda: (nodes(), 2.0))
def steps_that_depend_on_values(node, x):
    total = 0.0
    while node is not None:
        total += node.value ** 2 * x
        if node.value < 2.0:
            node = node.next
        else:
            node = node.next.next
    return total


@program(lambda: ((1.0, (2.5, (1.5, (0.5, None)))), 2.0))
def nested_pairs(pair, x):
    total = 0.0
    while pair is not None:
        value, pair = pair
        total = total * 0.5 + value ** 2 * x
    return total


@program(lambda: ((1.0, (2.5, (1.5, (0.5, None)))), 2.0))
def nested_pairs_left_early(pair, x):
    largest = pair[0]
    while pair is not None:
        value, rest = pair
        if value * x > 4.0:
            break
        largest = largest + value * x
        pair = rest
    return largest * pair[0]


class Linked:
    def __init__(self, v):
        self.v = v
        self.next = None
        self.parts = []
        self.whole = None


@program(lambda: (0.3, 0.7))
def a_ring_gone_round_more_than_once(x, y):
    a, b, c = Linked(x), Linked(y), Linked(x * y)
    a.next, b.next, c.next = b, c, a
    node, total = a, 0.0
    for k in range(7):
        total += node.v ** 2 * k
        node = node.next
    return total * b.next.next.next.v


@program(lambda: (0.3, 0.7))
def parts_that_know_their_whole(x, y):
    whole, part = Linked(x), Linked(y)
    whole.parts.append(part)
    part.whole = whole
    return whole.parts[0].whole.parts[0].v * part.whole.parts[0].whole.v


@program(lambda: (0.3, 0.7))
def no_ring_once_the_name_stands_for_another(x, y):
    whole, part = {"v": x}, {"v": y}
    whole["part"] = part
    part = {"v": x * y}
    part["part"] = whole
    parts, item = [whole], [x]
    parts.append(item)
    item = [y]
    item.append(parts)
    return part["part"]["part"]["v"] * item[1][1][0] * part["v"]
