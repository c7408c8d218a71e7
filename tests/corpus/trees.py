"""Functions that walk through trees of dicts, lists and tuples, each branch of a form of its own."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, positive, program


def parameters():
    return {"encoder": [normal(1, 2), normal(2, 3)], "scale": (0.5, {"bias": normal(3, 2)})}


def flat(tree):
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in flat(tree[key])]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in flat(part)]
    return [tree]


@program(lambda: (parameters(),), needs="shapes")
def norm_of_leaves(tree):
    return np.sqrt(sum(np.sum(leaf ** 2) for leaf in flat(tree)))


def squares(tree):
    if isinstance(tree, dict):
        return sum(squares(part) for part in tree.values())
    if isinstance(tree, (list, tuple)):
        return sum(squares(part) for part in tree)
    return np.sum(tree ** 2)


@program(lambda: (parameters(),), needs="shapes")
def sum_over_values(tree):
    return squares(tree)


def mapped(f, tree):
    if isinstance(tree, dict):
        return {key: mapped(f, part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(mapped(f, part) for part in tree)
    return f(tree)


@program(lambda: (parameters(),), needs="shapes")
def the_same_form(tree):
    return mapped(lambda leaf: leaf * np.tanh(leaf), tree)


def mapped_together(f, *trees):
    first = trees[0]
    if isinstance(first, dict):
        return {key: mapped_together(f, *[tree[key] for tree in trees]) for key in first}
    if isinstance(first, (list, tuple)):
        return type(first)(mapped_together(f, *parts) for parts in zip(*trees))
    return f(*trees)


@program(lambda: (parameters(), parameters()), needs="shapes")
def one_step_down(tree, slopes):
    return mapped_together(lambda leaf, slope: leaf - 0.1 * slope * leaf, tree, slopes)


def node(value, *children):
    return {"value": value, "children": list(children)}


def total(tree, depth=0):
    s = np.sin(tree["value"]) * 0.5 ** depth
    for child in tree["children"]:
        s = s + total(child, depth + 1)
    return s


@program(lambda: (normal(1, 5),))
def children_in_lists(x):
    return total(node(x[0], node(x[1]), node(x[2], node(x[3]), node(x[4] * 0.5, node(x[1])))))


class Body:
    def __init__(self, mass, place, parts=()):
        self.mass, self.place, self.parts = mass, place, parts

    @classmethod
    def of(cls, places, masses):
        if len(places) == 1:
            return cls(masses[0], places[0])
        half = len(places) // 2
        left, right = cls.of(places[:half], masses[:half]), cls.of(places[half:], masses[half:])
        mass = left.mass + right.mass
        return cls(mass, (left.mass * left.place + right.mass * right.place) / mass, (left, right))

    def pull(self, place):
        away = self.place - place
        if not self.parts or abs(away) > 2.0:
            return self.mass * away / (abs(away) ** 3 + 0.1)
        return sum(part.pull(place) for part in self.parts)


@program(lambda: (np.array([-1.0, 0.5, 1.5, 2.5]), np.array([1.0, 2.0, 0.5, 3.0]), 0.3))
def made_by_a_method_of_the_class(places, masses, place):
    return Body.of(places, masses).pull(place)


@dataclass
class Fork:
    v: float
    left: Fork | None = None
    right: Fork | None = None
    w: np.ndarray | None = None

    def total(self, depth=0):
        both = (self.left, self.right)
        return self.v * 0.5 ** depth + sum(fork.total(depth + 1) * self.v for fork in both if fork is not None)

    def weighed(self):
        total = self.v if self.w is None else self.v * self.w.sum()
        for fork in (self.left, self.right):
            if fork is not None:
                total += fork.weighed() * self.v
        return total


def forked():
    return Fork(1.1, Fork(2.0, w=positive(1, 2)), Fork(0.7, Fork(1.3, w=positive(2, 3)), Fork(0.4, None, Fork(0.9))))


@program(lambda: (forked(),))
def unlike_branches_of_a_binary_tree(tree):
    return tree.total() * tree.weighed()


@program(lambda: (1.3, 0.7))
def unlike_branches_made_inside(x, y):
    tree = Fork(x, Fork(y * x), Fork(y, Fork(x * x, None, Fork(y, w=np.array([x, y])))))
    return tree.total() + tree.weighed() ** 2
