"""``left, right = np.split(u, 2)`` as the views that the pieces are: ``left, right = u[:cut], u[cut:]``."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.facts import Applied
from s2sgrad.compiler.program import Assign, attribute, constant, name, subscript, tuple_of
from s2sgrad.compiler.writers import is_of
from s2sgrad.rules.abstract import Items, Numeric
from s2sgrad.rules.parts import AXIS_CUT


def cut(statement: Assign, applied: Applied, labels: list[str]) -> list[Assign] | None:
    """The statements that do what one does which takes an array apart; None where it does something else.

    ``labels``: names for the pieces, as the function gives them, and for the places between them, if it is not told
    these.
    """
    operation, count = applied.operation, len(statement.target)
    array, places = applied.nodes.get("ary"), operation.rule.function in AXIS_CUT and operation["indices_or_sections"]
    axis = AXIS_CUT[operation.rule.function](operation) if places else None
    rank = operation.rank("ary") if places else None
    if not isinstance(array, gast.Name) or axis is None or rank is None or not -rank <= axis < rank or not all(
            isinstance(part, str) and part != array.id for part in statement.target):
        return None
    before: list[Assign] = []
    if isinstance(places, Items):
        cuts: list[gast.AST] = getattr(applied.nodes["indices_or_sections"], "elts", [])
        if len(cuts) != count - 1 or not all(
                isinstance(node, gast.Name | gast.Constant) and isinstance(place, Numeric) and place.is_number
                and is_of(place, "iu") for node, place in zip(cuts, places.items or ())):
            return None
    else:
        pieces, *rest = labels
        before.append(Assign(pieces, statement.value, statement.location))
        for number, label in enumerate(rest):
            size: Any = subscript(attribute(subscript(name(pieces), constant(number)), "shape"), constant(axis))
            before.append(Assign(label, gast.BinOp(name(rest[number - 1]), gast.Add(), size) if number else size,
                                 statement.location))
        cuts = [name(label) for label in rest]
    ahead = [gast.Slice(None, None, None)] * (axis % rank)
    parts = [subscript(array, tuple_of([*ahead, gast.Slice(first, last, None)]) if ahead else gast.Slice(
        first, last, None)) for first, last in zip([None, *cuts], [*cuts, None])]
    return [*before, Assign(statement.target, tuple_of(parts), statement.location)]
