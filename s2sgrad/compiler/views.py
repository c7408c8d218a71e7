"""Writes through views: ``row = m[i]; row[0] = v``, ``for row in m: row *= 2.0``.

A view and the array that it is a view of are reversed as two arrays: after a write into the view, its contents are
stored back into the array, ``m[i] = row``. As they are there already, the primal leaves that out. A loop over the rows
of an array becomes one over their numbers.
"""
from __future__ import annotations

import copy
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.axes import by_axes
from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.effects import MUTATING_METHODS
from s2sgrad.compiler.facts import Version, View, is_array
from s2sgrad.compiler.indexing import BASIC, MASK
from s2sgrad.compiler.layouts import flattened
from s2sgrad.compiler.nodes import attribute, call, constant, name, names_in, subscript
from s2sgrad.compiler.program import Assign, Augment, Loop, Store, assigned_names, statements, written_name
from s2sgrad.rules.abstract import ANY, Abstract, Numeric, known_value


class Views(Calls):
    def of_Name(self, node: gast.Name, environment: dict) -> Abstract:
        version = environment.get(node.id)
        if version is not None and (version.view is not None or version.origin == "joined"):
            self.facts.read[id(node)] = node, version, environment
        else:
            self.facts.read.pop(id(node), None)
        return super().of_Name(node, environment)

    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        value = super().of_Call(node, environment)
        needs = flattened(node, self.facts, environment)
        if needs is not None:
            self.facts.flattened[id(node)] = needs
        else:
            self.facts.flattened.pop(id(node), None)
        return value

    def check_flat_store(self, statement: Store | Augment, part: Abstract) -> None:
        """Raises UnsupportedError at a store into the elements of an array in a row that is more than one by an index:
        ``u.flat`` repeats what is too short, and leaves out what is too long."""
        target: Any = statement.target
        if self.facts.array_flattened(target.value) is None:
            return
        if self.facts.index_kinds[id(target)] not in (BASIC, MASK):
            raise self.refusal("which elements are written through .flat, .ravel() or .reshape(-1) is not known before "
                               "the call, nor whether one comes twice", "index the array itself: u[i, j] = ...", target)
        parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
        if len(parts) != 1 or isinstance(part, Numeric) and (part.rank or 0) > 1:  # u.flat takes neither () nor None
            raise self.refusal("elements are written through .flat, .ravel() or .reshape(-1) by one number, slice or "
                               "mask", "index the array itself: u[i, j] = ...", target)
        value = self.facts.value(statement.value)
        shape = value.shape if isinstance(value, Numeric) else None
        fits = self.program.is_generated or shape == () or shape is not None and None not in shape and isinstance(
            part, Numeric) and shape == part.shape
        if isinstance(target.value, gast.Attribute) and not fits:
            raise self.refusal(".flat repeats values, or leaves some out, until they fit, and whether these fit is not "
                               "known before the call", "write into u.reshape(-1), or one number", target)

    def view(self, node: gast.AST | None, environment: dict) -> View | None:
        """What an array is a view of, or a second name of: ``u[1:]``, ``m[i].T``, ``u``."""
        node = self.facts.decided(node)
        node = self.as_place(node, environment) if isinstance(node, gast.Call) else node
        root = self.facts.array_viewed(node) if node is not None else None
        base = environment.get(root.id) if root is not None else None
        if base is None or not is_array(base):
            return None
        labels = names_in(node)
        labels.remove(base.name)
        return None if base.name in labels else View(base, node, tuple(
            (label, environment.get(label)) for label in labels))

    def as_place(self, node: gast.Call, environment: dict) -> gast.AST:
        """What a function makes of an array as an expression that can be written into, where that may be a view of it:
        ``u.ravel()`` for ``np.ravel(u)``, ``u[::-1]`` for ``np.flip(u, 0)``."""
        applied = self.facts.applied.get(id(node))
        function = known_value(self.facts.values.get(id(node.func), ANY))
        label = getattr(function, "__name__", "")
        if applied is None or applied.operation.sharing == "fresh" or getattr(np, label, None) is not function \
                or not node.args or node.args[0] is not next(iter(applied.nodes.values())):
            return node
        array = copy.deepcopy(node.args[0])
        place = by_axes(array, applied.operation) if applied.operation.sharing == "view" else None
        if place is None and hasattr(np.ndarray, label) and label not in MUTATING_METHODS:
            shape = [item.value for item in node.keywords if item.arg == "shape"]  # a method takes it by its place
            others = [item for item in node.keywords if item.arg != "shape"]
            place = gast.Call(attribute(array, label), [*node.args[1:], *shape], others)
        if place is None:
            return node
        for part in gast.walk(place):
            gast.copy_location(part, node)
        self.facts.made.append(place)
        self.passively(place, environment)
        return place

    def rows_of(self, node: gast.AST | None, value: Abstract, count: int, environment: dict) -> list[gast.AST] | None:
        """Expressions for the rows of an array that is unpacked, which are views of it: ``m[0]``, ``m[1]`` of
        ``a, b = m``."""
        base: Any = node
        while isinstance(base, (gast.Attribute, gast.Subscript, gast.Call)):
            base = base.func if isinstance(base, gast.Call) else base.value
        if not isinstance(base, gast.Name) or not isinstance(value, Numeric) or value.kind != "array" \
                or (value.rank or 0) < 2:  # of anything else there are no other names
            return None
        rows: list[gast.AST] = []
        for index in range(count):
            row = gast.copy_location(subscript(copy.deepcopy(node), constant(index)), node)
            gast.copy_location(row.slice, node)
            self.passively(row, environment)
            self.facts.made.append(row)
            rows.append(row)
        return rows

    def written_back(self, statement: Store | Augment, environment: dict) -> Store | None:
        """What follows a write into a view: the store of its contents into the array that it is a view of."""
        self.facts.backs.pop(statement, None)  # of an earlier turn of a loop, when less was known
        label = written_name(statement)
        version = environment.get(label)
        view = version.view if version is not None else None
        if view is None or view.whole or statement.paired or not view.holds(environment):
            return None
        if isinstance(statement.target, gast.Name) and not is_array(version):  # what may be a number is bound anew
            return None
        place: Any = copy.deepcopy(view.node)
        if not isinstance(place, gast.Subscript):
            place = subscript(place, constant(...))
        gast.copy_location(place, statement.target)
        self.facts.made.append(place)
        back = Store(place, gast.copy_location(name(label), statement.target), statement.location, back=True)
        self.facts.before[back] = environment
        self.facts.backs[statement] = back
        return back

    def keeps_view(self, old: Version | None, new: Version) -> Version:
        """A view that was written into is the same view still."""
        new.view = old.view if old is not None else None
        return new

    def rows(self, loop: Loop, environment: dict) -> tuple[str, str, str | None] | None:
        """Of a loop over the rows of an array that writes into them: the array, the row, and what counts the rows."""
        node, target, counted = loop.iterable, loop.target, None
        if isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords and isinstance(target, tuple) \
                and len(target) == 2 and self.function_of(node, environment) is enumerate:
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
