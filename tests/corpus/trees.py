"""Functions that walk through trees of dicts, lists and tuples, each branch of a form of its own."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


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
