"""Attributes that are views of another one: after ``self.inner = self.u[1:-1]``, ``grid.inner[:] = e`` becomes
``grid.u[1:-1][:] = e``.

What an attribute is a view of belongs to what is known of its object (``Items.views``), and comes with it from
``__init__`` to whoever reads the attribute. That has no cotangent of its own then: the array has one name. The object
itself gets the view, as in plain Python. It is tried only once a program was refused as it stands.
"""
from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.attributes import PLAIN_SETTERS
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.facts import Called, Version, is_array_value
from s2sgrad.compiler.infer import Infer
from s2sgrad.compiler.nodes import name, walk
from s2sgrad.compiler.program import Assign, Augment, Evaluate, Store, Verbatim
from s2sgrad.compiler.respell import expression, located
from s2sgrad.containers import is_computed
from s2sgrad.rules.abstract import Abstract, Items, Viewed

OBJECT = "self"
"""The name of the object in the expressions of views."""


class InferViews(Infer):
    """One run of the analysis, with attributes read as the views that they are."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.spells_out = True
        self.rewritten: dict[Any, tuple[str, Any]] = {}
        """Statements with views spelled out, each with what was spelled out in it."""

    # ---- reading

    def of_Attribute(self, node: gast.Attribute, environment: dict) -> Abstract:
        held = self.evaluate(node.value, environment)
        found = self.view_read(node, held)
        if found is None:
            return super().of_Attribute(node, environment)
        if is_read_twice(node.attr, held) and has_effect(node.value, self.facts):
            raise NeedsName(node.value, self.refusal(
                f"{node.attr} is a view of another attribute, and the object has no name here",
                "give it one on a line before", node))
        return self.respelled(node, found, environment)

    def view_read(self, node: gast.Attribute, held: Abstract) -> gast.AST | None:
        """The expression of the view that an attribute is; the same each time that it is looked at."""
        view = next((view for view in held.views if view.label == node.attr), None) if isinstance(held, Items) else None
        if view is None:
            return None
        form = id(node), view
        if form not in self.facts.simpler:
            made = copy.deepcopy(view.node)
            named = {id(part): node.value for part in gast.walk(made)
                     if isinstance(part, gast.Name) and part.id == OBJECT}
            self.facts.simpler[form] = located(expression(made, named), node)
        found: gast.AST = self.facts.simpler[form]
        return found

    def spelled_out(self, statement: Any, environment: dict) -> Any:
        """Also with views for attributes, where something is written into them."""
        found: dict[int, gast.AST] = {}
        stores = isinstance(statement, (Store, Augment))
        if stores:
            self.find_views(statement.target.value if isinstance(statement, Store) else statement.target, environment,
                            found)
        elif isinstance(statement, (Assign, Evaluate)) and isinstance(statement.value, gast.Call):
            for part in walk(statement.value):
                self.find_views(part, environment, found)
        if not found:
            return super().spelled_out(statement, environment) if self.places else None
        text = " ".join(map(gast.dump, found.values()))
        if self.rewritten.get(statement, ("",))[0] != text:
            first: list = []
            if stores:
                found = {key: self.with_plain_indices(view, statement, first) for key, view in found.items()}
            self.rewritten[statement] = text, [*first, replace(statement, **{
                field: expression(part, found) for field, part in vars(statement).items()
                if isinstance(part, gast.AST)})]
        return self.rewritten[statement][1]

    def with_plain_indices(self, view: gast.AST, statement: Any, first: list) -> Any:
        """The expression of a view with names for the attributes among its indices; to ``first`` come their
        assignments."""
        named: dict[int, gast.AST] = {}
        for part in walk(view):
            for inner in walk(part.slice) if isinstance(part, gast.Subscript) else ():
                if isinstance(inner, gast.Attribute):
                    label = self.temporary((statement, gast.dump(inner)), inner.attr)
                    first.append(Assign(label, inner, statement.location))
                    named[id(inner)] = name(label)
        return expression(view, named) if named else view

    def after_call(self, statement: Any, called: Called, environment: dict) -> dict:
        """Also with the views that a method has given its object."""
        after = super().after_call(statement, called, environment)
        for parameter, node in zip(called.derivative.parameters, called.arguments):
            facts = called.derivative.facts if called.derivative.is_known else None
            old = after.get(getattr(node, "id", ""))
            if facts is None or parameter in facts.written or old is None or not isinstance(old.value, Items) \
                    or not facts.ends.get(parameter):
                continue
            end = facts.end(parameter)
            if isinstance(end, Items) and end.views != old.value.views:
                after = {**after, old.name: self.with_views(old, end.views)}
        return after

    def with_views(self, old: Version, views: tuple[Viewed, ...]) -> Version:
        """An object that is what it was, but for having views in some attributes."""
        version: Version = self.version(old.name, replace(old.value, views=views), "joined", (old,))
        return version

    def find_views(self, node: Any, environment: dict, found: dict[int, gast.AST]) -> None:
        """Note the attributes on the way from a name to a part of what is under it that are views of others."""
        while isinstance(node, (gast.Attribute, gast.Subscript)):
            held = self.held_by_path(node.value, environment) if isinstance(node, gast.Attribute) else None
            view = self.view_read(node, held) if held is not None else None
            if view is not None:
                found[id(node)] = view
            node = node.value

    def held_by_path(self, node: Any, environment: dict) -> Abstract | None:
        """What is known of a part of what is under a name."""
        if isinstance(node, gast.Name):
            return environment[node.id].value if node.id in environment else None
        if not isinstance(node, (gast.Attribute, gast.Subscript)):
            return None
        held = self.held_by_path(node.value, environment)
        if not isinstance(held, Items):
            return None
        if isinstance(node, gast.Attribute):
            return held.at(node.attr) if held.is_object and held.has_field(node.attr) else None
        return self.evaluate(node, environment)

    def has(self, value: Abstract, label: str) -> bool | None:
        return isinstance(value, Items) and any(view.label == label for view in value.views) or super().has(
            value, label)

    def has_dict(self, value: Abstract, node: gast.AST) -> bool:
        return super().has_dict(value, node) and not value.views  # type: ignore[attr-defined]

    # ---- storing

    def set_attribute(self, statement: Store | Augment, environment: dict) -> dict:
        if isinstance(statement, Store) and self.view_stored(
                statement.target, statement.value, environment) is not None:
            node = gast.copy_location(gast.Assign([statement.target], statement.value, None), statement.target)
            return self.expand(statement, [Verbatim(node, statement.location)], environment)
        if not getattr(statement, "back", False):
            self.check_bound_anew(statement, environment)
        return super().set_attribute(statement, environment)

    def check_bound_anew(self, statement: Store | Augment, environment: dict) -> None:
        """Raises UnsupportedError where an attribute gets another array that is a view, or of which one is."""
        target: Any = statement.target
        held = self.evaluate(target.value, environment) if isinstance(target, gast.Attribute) else None
        for view in held.views if isinstance(held, Items) else ():
            if target.attr == view.label or target.attr in view.reads and not (
                    isinstance(statement, Augment) and is_array_value(self.evaluate(target, environment))):
                raise self.refusal(f"{view.label} is a view of {view.reads[-1]}, and {target.attr} gets something else "
                                   "here", f"write into it: {target.attr}[:] = ...", target)

    def do_Verbatim(self, statement: Verbatim, environment: dict) -> dict:
        """Also what is known after an attribute has got a view."""
        node: Any = statement.node
        target = node.targets[0] if isinstance(node, gast.Assign) else None
        view = self.view_stored(target, node.value, environment) if isinstance(target, gast.Attribute) else None
        if view is None:
            return super().do_Verbatim(statement, environment)
        old = environment[target.value.id]
        views = tuple(sorted({*old.value.views, view}, key=lambda view: view.label))
        return {**environment, old.name: self.with_views(old, views)}

    def view_stored(self, target: Any, value: Any, environment: dict) -> Viewed | None:
        """The view of another attribute that one gets which the object has not yet; None for everything else."""
        version = environment.get(getattr(getattr(target, "value", None), "id", ""))
        held = version.value if version is not None else None
        if not isinstance(held, Items) or not held.is_object or held.items is None or held.has_field(target.attr) \
                or objects.found_in(held.kind, "__setattr__") not in PLAIN_SETTERS or is_computed(
                    held.kind, target.attr):
            return None
        self.evaluate(value, environment)
        part, reads = self.facts.spelled_out(value), []
        while isinstance(part, (gast.Subscript, gast.Attribute)) and not same(part.value, target.value):
            if not self.facts.is_place(part) or not is_literal(getattr(part, "slice", None), target.value.id):
                return None
            reads += [inner.attr for inner in walk(getattr(part, "slice", None)) if isinstance(inner, gast.Attribute)]
            part = self.facts.spelled_out(part.value)
        if not isinstance(part, gast.Attribute) or part is self.facts.spelled_out(value) or not held.has_field(
                part.attr) or not all(is_array_value(self.facts.value(node)) for node in (part, value)):
            return None
        reads.append(part.attr)
        spelled = expression(self.facts.spelled_out(value), {id(node): name(OBJECT) for node in gast.walk(
            self.facts.spelled_out(value)) if isinstance(node, gast.Name)})
        view = Viewed(target.attr, gast.dump(spelled), tuple(dict.fromkeys(reads)), spelled)
        return view if all(view == other for other in held.views if other.label == view.label) else None


def is_read_twice(label: str, held: Any) -> bool:
    """Whether the expression of a view reads its object more than once."""
    return any(view.label == label and len(view.reads) > 1 for view in held.views)


def is_literal(index: Any, label: str) -> bool:
    """Whether an index is written out, but for attributes of the object under a name."""
    if isinstance(index, gast.Attribute):
        return isinstance(index.value, gast.Name) and index.value.id == label
    return not isinstance(index, (gast.Name, gast.Call, gast.Subscript)) and all(
        is_literal(part, label) for part in gast.iter_child_nodes(index)) if isinstance(index, gast.AST) else True
