"""How many items there are in lists that are made of others, as far as their text tells."""
from __future__ import annotations

import itertools
from typing import Any

import gast

from s2sgrad.compiler.evaluation import MOST_ARGUMENTS, number_of_items
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.rules.abstract import ANY, known_value

SAME_ITEMS = (list, tuple, sorted, reversed, enumerate, itertools.accumulate)
"""What gives as many items as its first argument has."""


def count_given(node: Any, facts: Facts, environment: dict[str, Version]) -> int | None:
    """How many items an expression gives; None where that is not known, or too many to be written out."""
    count = number_of_items(facts.values.get(id(node), ANY))
    if count is not None:
        return count
    if isinstance(node, gast.Name):
        return environment[node.id].count if node.id in environment else None
    if isinstance(node, (gast.ListComp, gast.GeneratorExp)):
        generator = node.generators[0]
        return None if len(node.generators) > 1 or generator.ifs else count_given(generator.iter, facts, environment)
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice):
        return count_cut(node, facts, environment)
    function = called(node, facts)
    if function is range:
        bounds = [count_given(item.args[0], facts, environment) if called(item, facts) is len else known_value(
            facts.values.get(id(item), ANY)) for item in node.args]
        count = len(range(*bounds)) if all(type(bound) is int for bound in bounds) else MOST_ARGUMENTS + 1
        return count if count <= MOST_ARGUMENTS else None
    sources = node.args if function is zip else node.args[1:] if function is map else node.args[:1] if any(
        function is one for one in SAME_ITEMS) else []
    counts = [count_given(item, facts, environment) for item in sources]
    return None if None in counts else min(counts, default=None)  # type: ignore[type-var]


def called(node: Any, facts: Facts) -> Any:
    """The function that an expression calls."""
    return known_value(facts.values.get(id(node.func), ANY)) if isinstance(node, gast.Call) else None


def count_cut(node: Any, facts: Facts, environment: dict[str, Version]) -> int | None:
    """The same of ``xs[1:]``, with literals for its bounds."""
    count = count_given(node.value, facts, environment)
    bounds = [None if part is None else known_value(facts.values.get(id(part), ANY))
              for part in (node.slice.lower, node.slice.upper, node.slice.step)]
    plain = all(bound is None or type(bound) is int for bound in bounds) and bounds[2] != 0
    return len(range(count)[slice(*bounds)]) if plain and count is not None else None
