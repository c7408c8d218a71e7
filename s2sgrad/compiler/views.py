"""Writes through views: ``row = m[i]; row[0] = v``, ``for row in m: row *= 2.0``.

A view and the array that it is a view of are reversed as two arrays: after a write into the view, its contents are
stored back into the array, ``m[i] = row``. As they are there already, the primal leaves that out. A loop over the rows
of an array becomes one over their numbers.
"""
from __future__ import annotations

import gast

from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.facts import Version, View, same_array
from s2sgrad.compiler.indexing import BASIC
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Loop,
    Store,
    assigned_names,
    call,
    name,
    names_in,
    statements,
    subscript,
    written_name,
)
from s2sgrad.rules.abstract import Numeric, known_value


class Views(Calls):
    def view(self, node: gast.AST | None, environment: dict) -> View | None:
        """What an expression is a view of: ``u[1:]``, ``m[i]``, with names and literals in the index."""
        if not isinstance(node, gast.Subscript) or not isinstance(node.value, gast.Name) \
                or self.facts.index_kinds.get(id(node)) != BASIC:
            return None
        value = self.facts.values[id(node)]
        if not isinstance(value, Numeric) or value.kind != "array":  # an element is none, nor what may be one
            return None
        base = environment.get(node.value.id)
        if base is None or not isinstance(base.value, Numeric) or base.value.kind != "array" \
                or any(isinstance(part, (gast.Call, gast.Attribute, gast.Subscript)) for part in gast.walk(node.slice)):
            return None
        return View(base, node.slice, tuple((label, environment.get(label)) for label in names_in(node.slice)))

    def written_back(self, statement: Store | Augment, environment: dict) -> Store | None:
        """What follows a write into a view: the store of its contents into the array that it is a view of."""
        label = written_name(statement)
        version = environment.get(label)
        view = version.view if version is not None else None
        if view is None or statement.paired:
            return None
        base = environment.get(view.base.name)
        if base is None or not same_array(base, view.base) or any(
                environment.get(part) is not before for part, before in view.index):
            return None
        place = gast.copy_location(subscript(name(view.base.name), view.place), statement.target)
        self.facts.made.append(place)
        back = Store(place, gast.copy_location(name(label), statement.target), statement.location, back=True)
        self.facts.before[back] = environment
        self.facts.backs[statement] = back
        self.untold = True
        return back

    untold = False
    """Whether desugaring will write a statement anew, so that what it writes into can't be told yet."""

    def keeps_view(self, old: Version | None, new: Version) -> Version:
        """A view that was written into is the same view still."""
        new.view = old.view if old is not None else None
        return new

    def rows(self, loop: Loop, environment: dict) -> tuple[str, str, str | None] | None:
        """Of a loop over the rows of an array that writes into them: the array, the row, and what counts the rows."""
        node, target, counted = loop.iterable, loop.target, None
        if isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords and isinstance(target, tuple) \
                and len(target) == 2 and known_value(self.passively(node.func, environment)) is enumerate:
            (node,), (counted, target) = node.args, target
        if not isinstance(target, str) or not isinstance(node, gast.Name) or not isinstance(counted, str | None):
            return None
        array = environment.get(node.id)
        if array is None or not isinstance(array.value, Numeric) or array.value.kind != "array" \
                or (array.value.rank or 0) < 2:
            return None
        written = {written_name(part) for part in statements(loop.body) if isinstance(part, (Store, Augment))}
        bound = assigned_names(loop.body, written=False)
        if target not in written or node.id in bound or counted in bound or not self.local.isdisjoint(BUILTINS) or any(
                known_value(self.captured(label).value) is not builtin for label, builtin in BUILTINS.items()):
            return None
        return node.id, target, counted


BUILTINS = {"range": range, "len": len}


def numbered(loop: Loop, array: str, row: str, index: str) -> Loop:
    """The loop over rows as one over their numbers."""
    turns = gast.copy_location(call("range", call("len", name(array))), loop.iterable)
    first = Assign(row, subscript(name(array), name(index)), loop.location)
    return Loop(index, turns, (first, *loop.body), loop.location)
