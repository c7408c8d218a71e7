"""Loops over views of dicts, ``for w in d.values()``: whether the dict changes while they run, under whatever name, so
that a list of what was in it would give something else."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.equivalents import in_order
from s2sgrad.compiler.facts import is_around, made_from, open_path
from s2sgrad.compiler.nodes import holder, names_in, walk
from s2sgrad.compiler.open_dicts import OpenDicts
from s2sgrad.compiler.program import Append, Assign, Evaluate, Leave, Loop, Store, assigned_names, statements
from s2sgrad.compiler.scopes import COMPREHENSIONS
from s2sgrad.compiler.second_names import changed_by, changed_under_another_name, may_share
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import ANY, Items, items_of, known_value, may_hold

VIEWS = ("keys", "values", "items")


class ViewsOfDicts(OpenDicts):
    """Whether what a loop, or a name, has of a dict may change with it."""

    unrolled: dict[Loop, tuple[list[str], list]]

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.asked_for_views: dict[gast.AST, list[gast.AST]] = {}
        """By the expressions that loops run over, what methods are called of in them that give views of dicts."""

    def is_moved(self, viewed: gast.AST, statement: Loop, before: dict, after: dict | None) -> bool:
        """Whether a loop that was written out may have put something else where an expression leads to, or bound the
        name that it starts from: a turn after that would read what is there then."""
        place = self.place_of_dict(viewed, before)
        label, path = holder(place), open_path(place, self.facts)
        if label not in before:
            return False  # it has its name from outside, where nothing binds it while this runs
        turns = [self.facts.before[part] for part in statements(tuple(self.unrolled[statement][1]))
                 if part in self.facts.before]
        pending = [environment.get(label) for environment in (*turns, *([after] if after else []))]
        makers = {version: part for (part, bound), version in self.facts.defined.items() if bound == label}
        seen = {before[label]}
        while pending:
            version = pending.pop()
            if version is None:
                return True
            if version in seen:
                continue
            seen.add(version)
            pending.extend(version.sources)
            maker = makers.get(version)
            if not version.sources and not path and isinstance(maker, Assign) and label in maker.writes \
                    and isinstance(maker.value, gast.Dict):  # ``d.update(...)``, as another dict
                pending.append(self.facts.before[maker][label])
            elif version.origin == "bound" and (not version.sources or version.places is None or any(
                    is_around(place, path) for place in version.places)):
                return True
        return False

    def check_views(self, statement: Loop, environment: dict, changing: set[str]) -> None:
        """Raises UnsupportedError where a loop changes the dict over whose values it runs."""
        for viewed in self.viewed(statement.iterable, environment):
            if self.is_changed(viewed, changing, statement, environment):
                raise self.changed_dict(statement, holder(self.place_of_dict(viewed, environment)))

    def check_kept_views(self) -> None:
        """Raises UnsupportedError where a view of a dict has a name, or is in a container, and may change later."""
        for statement in statements(self.program.body):
            others = self.facts.written_out.get(statement, [statement])  # of which the same is asked later
            if statement not in self.facts.before or statement not in others:
                continue
            if isinstance(statement, Leave) and statement.value is not None:
                self.facts.gives_view = self.facts.gives_view or self.is_view(statement.value, statement)
            elif isinstance(statement, (Assign, Store, Append, Evaluate)):
                self.check_given_views(statement)
                node, before = statement.value, self.facts.before[statement]
                if isinstance(node, gast.Call) and known_value(self.facts.values.get(id(node.func), ANY)) is in_order:
                    node = node.args[0]  # an iterator over it
                for viewed in self.kept_views(statement, node):
                    if self.may_change_later(viewed, statement):
                        raise view_that_changes(holder(self.place_of_dict(viewed, before)), statement)
                if self.is_given_view(node):
                    for label in self.changed_later(names_in(node), statement):
                        raise view_that_changes(f"what is in {label}", statement)

    def kept_views(self, statement: Assign | Store | Append | Evaluate, node: gast.AST) -> list[gast.AST]:
        """The dicts of which a name, or something in a container, is a view behind a statement: of what it gets."""
        if isinstance(getattr(statement, "target", None), tuple):  # a, b = d.values()
            return self.viewed(node, self.facts.before[statement]) if self.holds_view(node, inside=True) else []
        added = isinstance(statement, Evaluate) and isinstance(node, gast.Call) and (  # vs.extend([d.values()])
            any(self.holds_view(part, inside=True) for part in node.args)
            or any(self.holds_view(part.value) for part in node.keywords))
        return self.viewed(node, self.facts.before[statement]) if added or self.holds_view(node) else kept_views(node)

    def holds_view(self, node: gast.AST, inside: bool = False) -> bool:
        return is_view(self.facts.values.get(id(node)), inside)

    def check_given_views(self, statement: Assign | Store | Append | Evaluate) -> None:
        """Raises UnsupportedError where a call gets a view of a dict that it changes."""
        node: Any = statement.value
        called = self.facts.callee_of(node)
        if called is None or not isinstance(node, gast.Call):
            return
        views = list(filter(self.holds_view, [*node.args, *(item.value for item in node.keywords)]))
        for label in called.written.values():
            if any(label in names_in(part) for part in views):
                raise view_that_changes(label, statement)

    def is_view(self, node: gast.AST, statement: Leave) -> bool:
        viewed = self.viewed(node, self.facts.before[statement])
        return any(part in viewed for part in kept_views(node)) or self.is_given_view(node)

    def is_given_view(self, node: Any) -> bool:
        """Whether an expression calls a function of the user's that gives a view of a dict, or is a comprehension of
        views."""
        if isinstance(node, COMPREHENSIONS):
            item = node.value if isinstance(node, gast.DictComp) else node.elt
            return bool(kept_views(item)) or self.is_given_view(item)
        called = self.facts.callee_of(node)
        return called is not None and called.derivative.gives_view

    def changed_later(self, labels: Iterable[str], statement: Any) -> Iterator[str]:
        """Those of these names whose dicts, or dicts inside of what they have, change behind a statement."""
        before = self.facts.before[statement]
        for old, _ in self.facts.in_place.values():
            if old.name in labels and before.get(old.name) in made_from(old) and may_hold(old.value, dict):
                yield old.name

    def may_change_later(self, whole: Any, statement: Assign | Store | Append) -> bool:
        """Whether the dict of which a statement keeps a view may change. In an attribute others find the view."""
        before = self.facts.before[statement]
        place = self.place_of_dict(whole, before)
        label = holder(place) or ""
        version = before.get(label)
        changed = [old for old, _ in self.facts.in_place.values()]
        if place is whole:
            others = may_share(label, {old.name for old in changed if old.name != label and may_hold(
                old.value, dict)}, self.facts)
        else:
            kind = getattr(self.facts.values.get(id(place)), "kind", object)
            others = any(may_hold(old.value, kind) for old in changed)
        later = others or any(old.name == label and version in made_from(old) for old in changed) or isinstance(
            statement, Store) and isinstance(statement.target, gast.Attribute)
        return later and whole in self.viewed(statement.value, before)

    def changed_dict(self, statement: Loop, label: Any) -> Exception:
        return UnsupportedError(f"this loop changes {label}, over which it runs",
                                "loop over a list of what is in it, made on a line before: items = list(d.items())",
                                statement.location)

    def is_dict(self, node: gast.AST, environment: dict) -> bool:
        if holder(node) not in environment:
            return False
        value = self.passively(node, environment)
        return isinstance(value, Items) and value.is_dict and value.keys is not None

    def changes_its_dict(self, statement: Loop, environment: dict) -> bool:
        """Whether a loop runs over values of a dict that its body changes: it sees them change."""
        changing = assigned_names(statement.body)
        return any(self.is_changed(viewed, changing, statement, environment)
                   for viewed in self.viewed(statement.iterable, environment))

    def is_changed(self, viewed: gast.AST, changing: set[str], statement: Loop, environment: dict) -> bool:
        place = self.place_of_dict(viewed, environment)
        label = holder(place)
        if label is None or label in changing:
            return label is not None
        if place is viewed:
            return changed_under_another_name(label, statement, environment, self.facts)
        kind = getattr(self.passively(place, environment), "kind", None)  # whose attributes are stored under any name
        return any(kind is None or may_hold(environment[other].value, kind) for part in statements(statement.body)
                   for other in changed_by(part) if other in environment)

    def place_of_dict(self, viewed: Any, environment: dict) -> Any:
        """Where a dict is: of ``vars(model)`` and ``model.__dict__`` the object, whose attributes change with it."""
        if isinstance(viewed, gast.Attribute) and viewed.attr == "__dict__":
            return viewed.value
        own = isinstance(viewed, gast.Call) and len(viewed.args) == 1 and self.function_of(viewed, environment) is vars
        return viewed.args[0] if own else viewed

    def viewed(self, node: gast.AST, environment: dict) -> list[gast.AST]:
        """The dicts of which an expression gives the values as they are when they are asked for."""
        if node not in self.asked_for_views:
            self.asked_for_views[node] = [
                part.func.value for part in walk(node) if isinstance(part, gast.Call) and isinstance(
                    part.func, gast.Attribute) and part.func.attr in VIEWS[1:] and not part.args]
        return [part for part in self.asked_for_views[node] if isinstance(
            self.facts.values.get(id(part)) or self.passively(part, environment), Items)]


def view_that_changes(label: str | None, statement: Any) -> UnsupportedError:
    return UnsupportedError(f"this is a view of {label}, which changes", "make a list of it: list(d.values())",
                            statement.location)


def is_view(value: Any, inside: bool = False) -> bool:
    """Whether a value is a view of a dict that gives what is in it, or holds one; ``inside``: whether it holds one."""
    return isinstance(value, Items) and (value.view in VIEWS[1:] and not inside or any(map(is_view, items_of(value))))


def kept_views(node: Any) -> list[gast.AST]:
    """The expressions whose views are what an expression gives, or are in the container that it gives."""
    if isinstance(node, gast.Call):
        return [node.func.value] if isinstance(node.func, gast.Attribute) and node.func.attr in VIEWS[1:] else []
    if isinstance(node, (gast.Tuple, gast.List)):
        return [viewed for item in node.elts for viewed in kept_views(item)]
    return [viewed for item in node.values for viewed in kept_views(item)] if isinstance(node, gast.Dict) else []
