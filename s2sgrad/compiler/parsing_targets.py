"""Targets of statements, as the parser takes them apart: names, places in arrays, containers and objects, patterns of
these, and what belongs to a variable from outside."""
from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.held_outside import is_function_or_class
from s2sgrad.compiler.nodes import holder, name, tuple_of, walk
from s2sgrad.compiler.parsing import Parsing
from s2sgrad.compiler.program import Assign, Pattern, Rest, Store, Verbatim, assigned_names, read_names
from s2sgrad.errors import Location


class Targets(Parsing):
    """What a statement binds, or writes into."""

    def refuse_outer(self, node: gast.AST, bound: set[str]) -> None:
        if not self.outer.isdisjoint(bound):
            raise self.refusal(node, "an outer variable is bound here with others, or by a loop, an import or del",
                               "assign it on a line of its own")

    def is_outer(self, target: gast.AST) -> bool:
        return isinstance(target, gast.Name) and target.id in self.outer

    def is_in_outer(self, target: Any) -> bool:
        """Whether a target is an item or an attribute of what an outer variable holds, which is then no input."""
        while isinstance(target, (gast.Subscript, gast.Attribute)):
            target = target.value
            if isinstance(target, gast.Name) and target.id not in self.local:
                self.outer.update([] if is_function_or_class(target, self.definition.function) else [target.id])
                return True
        return False

    def assigned_outside(self, target: Any, value: gast.AST, location: Location) -> Verbatim:
        return Verbatim(ast.copy_location(gast.Assign([target], value, None), target), location)

    def element(self, node: Any) -> Any:
        """``name[index]``, ``name.attribute``, or an element of a view or of what is in an object, as a store's target:
        ``name[index][index]``, ``name.T[index]``, ``name.attribute[index]``."""
        if isinstance(node, gast.Attribute):
            return self.viewed(node, node)
        return ast.copy_location(gast.Subscript(self.viewed(node.value, node), node.slice, gast.Load()), node)

    def stored(self, target: gast.AST, value: gast.AST, location: Location) -> list:
        """The store of a value, which is there before a call gives what it goes into: ``heights(state)[0] = f(x)``."""
        if self.is_chosen(target):
            label = self.fresh("value")
            arms = self.by_arms(target, lambda place: gast.Assign([place], self.load(label, value), None))
            return [Assign(label, value, location), *self.statement(arms)]  # type: ignore[attr-defined]
        place, named = self.element(target), self.named
        if not named or not any(isinstance(part, gast.Call) for part in walk(value)):
            return [Store(place, value, location)]
        label = self.fresh("value")
        self.named = []
        return [Assign(label, value, location), *named, Store(place, self.load(label, value), location)]

    def is_chosen(self, target: Any) -> bool:
        return isinstance(target, (gast.Subscript, gast.Attribute)) and isinstance(target.value, gast.IfExp)

    def by_arms(self, target: Any, store: Callable[[Any], gast.AST]) -> gast.AST:
        """``(d if first else e)[k] = v`` as the statement with two branches that it is."""
        arms = []
        for whole in (target.value.body, target.value.orelse):
            place = copy.deepcopy(target)
            place.value = whole
            arms.append([ast.copy_location(store(place), target)])
        return ast.copy_location(gast.If(target.value.test, *arms), target)

    def with_named(self, parsed: list) -> list:
        """A statement behind the names that its targets need."""
        named, self.named = self.named, []
        return [*named, *parsed]

    def viewed(self, node: gast.AST, target: gast.AST) -> gast.AST:
        if isinstance(node, gast.Name):
            return ast.copy_location(name(node.id), node)
        if isinstance(node, gast.Subscript):
            return self.element(node)
        if isinstance(node, gast.Attribute) and node.attr != "__class__":
            return ast.copy_location(gast.Attribute(self.viewed(node.value, target), node.attr, gast.Load()), node)
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and holder(
                node.func.value) in self.local | {None}:
            return ast.copy_location(gast.Call(self.viewed(node.func, target), node.args, node.keywords), node)
        if isinstance(node, (gast.Call, gast.Attribute)):  # of a function: ``np.ravel(u)[0] = v``; a class
            label = self.fresh("view")
            self.local.add(label)
            self.named.append(Assign(label, node, self.location(node)))
            return self.load(label, node)
        raise self.refusal(target, "a write into a part of what is computed here is not supported yet",
                           "give what this writes into a name before")

    def pattern(self, node: gast.AST, after: list | None = None) -> Pattern:
        """``after`` takes what is to be done once the values are unpacked: the stores of ``u[0], y = pair``, a
        ``*rest`` inside of the pattern, and the bindings of names that stores before them read, as in
        ``u[i], i = pair``."""
        if isinstance(node, gast.Name):
            self.refuse_outer(node, {node.id})
            return self.bound_after(node.id, node, after)
        if isinstance(node, (gast.Tuple, gast.List)):
            return tuple(self.inner_pattern(item, after) for item in node.elts)
        if isinstance(node, (gast.Subscript, gast.Attribute)) and after is not None:
            variable = self.fresh("item")
            own = ast.copy_location(name(variable), node)
            after += [self.assigned_outside(node, own, self.location(node))] if self.is_in_outer(node) else \
                self.with_named(self.stored(node, own, self.location(node)))
            return variable
        if isinstance(node, gast.Starred) and isinstance(node.value, gast.Name):
            return Rest(self.bound_after(node.value.id, node, after))
        if isinstance(node, gast.Subscript):
            raise self.refusal(node, "a loop that writes into an array's elements is not supported yet",
                               "loop over a name, and store it in the body")
        if isinstance(node, gast.Attribute):
            raise self.refusal(node, "a loop that binds an attribute is not supported yet",
                               "loop over a name, and store it in the body")
        raise self.refusal(node, "this assignment target is not supported yet", "unpack by index instead")

    def inner_pattern(self, node: gast.AST, after: list | None) -> Pattern:
        """A part of a pattern: ``first, (second, *rest) = pair`` becomes ``first, items = pair`` and
        ``second, *rest = items``."""
        starred = isinstance(node, (gast.Tuple, gast.List)) and any(
            isinstance(item, gast.Starred) for item in node.elts)
        if after is None or not starred:
            return self.pattern(node, after)
        variable = self.fresh("items")
        behind: list = []
        after.append(Assign(self.pattern(node, behind), self.load(variable, node), self.location(node)))
        after += behind
        return variable

    def bound_after(self, label: str, node: gast.AST, after: list | None) -> str:
        """What an unpacking binds for a name: another one, where what comes first reads or binds the name."""
        if not after or label not in read_names(tuple(after)) | assigned_names(tuple(after)):
            return label
        variable = self.fresh(label)
        after.append(Assign(label, self.load(variable, node), self.location(node)))
        return variable


def taken_apart(node: gast.Assign) -> gast.Assign:
    """``(a, b), c = (x, y), z`` as ``a, b, c = x, y, z``, and ``[a] = [x]`` as ``a = x``."""
    pairs = list(written_pairs(node.targets[0], node.value))
    if not pairs or len(node.targets) > 1 or len(pairs) == len(getattr(node.targets[0], "elts", ())) > 1:
        return node
    targets, values = zip(*pairs)
    target, value = pairs[0] if len(pairs) == 1 else (
        gast.copy_location(gast.Tuple([*targets], gast.Store()), node.targets[0]),
        gast.copy_location(tuple_of([*values]), node.value))
    return gast.copy_location(gast.Assign([target], value, None), node)


def written_pairs(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a target, however deep, each with the expression that it is bound to, as far as that is written."""
    parts, items = (node.elts if isinstance(node, (gast.Tuple, gast.List)) else None for node in (target, value))
    if parts is None or items is None or len(parts) != len(items) or any(
            isinstance(item, gast.Starred) for item in (*parts, *items)):
        yield target, value
        return
    for part, item in zip(parts, items):
        yield from written_pairs(part, item)
