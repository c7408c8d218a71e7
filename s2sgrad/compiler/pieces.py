"""``left, right = np.split(u, 2)`` as the views that the pieces are: ``left, right = u[:cut], u[cut:]``; and what is
done with each of some values, ``a, b = map(np.array, (a, b))``, written out: ``a, b = np.array(a), np.array(b)``.
And which indices of views must have names: ``order[0]`` of ``row = m[order[0]]``, which is then ``m[i]``."""
from __future__ import annotations

import copy
from typing import Any

import gast

from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import Applied, Facts
from s2sgrad.compiler.nodes import Names, attribute, call, constant, is_plain, name, names_in, subscript, tuple_of
from s2sgrad.compiler.program import Assign
from s2sgrad.compiler.scopes import COMPREHENSIONS, FUNCTIONS
from s2sgrad.compiler.writers import is_of
from s2sgrad.rules.abstract import Items, Numeric
from s2sgrad.rules.parts import AXIS_CUT


def one_by_one(node: Any, function: Any, count: int) -> gast.AST | None:
    """A tuple of what a comprehension, or a call of ``map``, makes of each of so many values that are written out; None
    for everything else. ``function``: what the expression is a call of."""
    if isinstance(node, (gast.ListComp, gast.GeneratorExp)):
        each = node.generators[0]
        if len(node.generators) > 1 or each.ifs or not isinstance(each.target, gast.Name) or any(
                isinstance(part, (gast.NamedExpr, *FUNCTIONS, *COMPREHENSIONS)) for part in gast.walk(node.elt)):
            return None
        items, label, made = each.iter, each.target.id, node.elt
    elif function is map and len(node.args) == 2 and isinstance(node.args[0], (gast.Name, gast.Attribute)):
        items, label = node.args[1], Names(set(names_in(node))).fresh("item")
        made = gast.copy_location(call(node.args[0], name(label)), node)
    else:
        return None
    if not isinstance(items, (gast.Tuple, gast.List)) or len(items.elts) != count or not all(
            isinstance(item, (gast.Name, gast.Constant)) for item in items.elts):
        return None
    return tuple_of([_Put(label, item).visit(copy.deepcopy(made)) for item in items.elts])


class _Put(gast.NodeTransformer):
    """An expression in the place of a name."""

    def __init__(self, label: str, item: gast.AST):
        self.label = label
        self.item = item

    def visit_Name(self, node: gast.Name) -> gast.AST:
        return copy.deepcopy(self.item) if node.id == self.label else node


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


def computed_indices(node: Any, facts: Facts) -> list[gast.AST]:
    """What is computed among the indices of views, as an expression gives them to names: whole numbers."""
    found: list[gast.AST] = []
    if has_effect(node, facts):
        return found
    for view in node.elts if isinstance(node, (gast.Tuple, gast.List)) else [node]:
        while isinstance(view, (gast.Subscript, gast.Attribute)) and facts.is_place(view):
            index = getattr(view, "slice", None)
            for part in index.elts if isinstance(index, gast.Tuple) else [index]:
                bounds = [part.lower, part.upper, part.step] if isinstance(part, gast.Slice) else [part]
                found += [bound for bound in bounds if bound is not None and not is_plain(bound)
                          and isinstance(facts.values[id(view.value)], Numeric) and is_count(facts.value(bound))]
            view = view.value
    return found


def is_count(value: Any) -> bool:
    return isinstance(value, Numeric) and value.is_number and is_of(value, "iu")
