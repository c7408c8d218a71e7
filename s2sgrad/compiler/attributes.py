"""Writes into attributes of objects: ``self.h = v``, ``state.steps += 1``, ``self.cell.h = v``, ``self.buffer[i] = v``.

An object is a container whose parts are its attributes, so that a store into one gives its name another version. An
array in an attribute that is written into gets a name first, under which it is reversed like any other, and from which
it is stored back: ``buffer = self.buffer; buffer[i] = v; self.buffer = buffer``.
"""
from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.displays import displayed
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.evaluation import VIEWS
from s2sgrad.compiler.facts import Version, changed_within, is_array_value, open_path
from s2sgrad.compiler.handed_back import argument_given_back
from s2sgrad.compiler.late import with_attribute
from s2sgrad.compiler.leading_back import Found, Holders, has_place
from s2sgrad.compiler.named_before import NamedBefore, with_each, with_part
from s2sgrad.compiler.nodes import (
    call,
    constant,
    holder,
    name,
    root,
    root_of,
    subscript,
    walk,
)
from s2sgrad.compiler.program import Append, Assign, Augment, Evaluate, Store, operation_of
from s2sgrad.compiler.sharing import is_of_its_class
from s2sgrad.containers import in_library, is_computed, is_instance
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.rules.abstract import (
    MISSING,
    NEVER,
    UNSET,
    Abstract,
    Function,
    Items,
    Numeric,
    Opaque,
    as_numeric,
    known_value,
)

PLAIN_SETTERS = (object.__setattr__, types.SimpleNamespace.__setattr__)


class NeedsParts(Exception):
    """The attributes of an argument must be known: start again with them.

    Attributes
    ----------
    origin, value
        The name of the argument, or the object that it is.
    """

    def __init__(self, origin: str | None, value: Any, location: Location):
        super().__init__(origin)
        self.origin = origin
        self.value = value
        self.location = location


class Attributes(NamedBefore):
    note_held: Any
    key_made_before: Any
    key_before: Any

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.holders = Holders()

    def is_attribute(self, target: Any, environment: dict) -> bool:
        """Whether a target is an attribute of an object, or in one."""
        version = environment.get(root_of(target).id)
        if version is not None and isinstance(version.value, Numeric):  # one of an array is a view of it
            if isinstance(target, gast.Attribute):
                if target.attr == "flat":
                    raise self.refusal("a write into .flat of an array takes some values more than once, or leaves "
                                       "some out, where they do not fit, and is not supported",
                                       "write u[...] = np.reshape(v, u.shape)", target)
                remedy = "write into the array itself, u[:] = x + 1j * y" if target.attr in ("real", "imag") \
                    else "make a new array, with reshape or astype"
                raise self.refusal(f"a write into .{target.attr} of an array is not supported", remedy, target)
            return False
        while not isinstance(target, gast.Name):
            if isinstance(target, gast.Attribute):
                return True
            target = target.func if isinstance(target, gast.Call) else target.value
        return False

    def by_method(self, statement: Store | Augment, environment: dict) -> dict | None:
        """A store that a method of the user's class does, ``__setitem__`` or the setter of a property, as the call that
        it is; None for any other."""
        target: Any = statement.target
        base = self.evaluate(target.value, environment)
        if not isinstance(base, Items) or not base.is_object:
            return None
        label = target.attr if isinstance(target, gast.Attribute) else "__setitem__"
        found = objects.found_in(base.kind, label)
        setter = found.fset if type(found) is property else found if isinstance(target, gast.Subscript) else None
        if not isinstance(setter, types.FunctionType) or in_library(setter.__module__ or "") or any(
                isinstance(part, gast.Slice) for part in walk(target)):
            return None
        value = statement.value
        if isinstance(statement, Store):  # whose value is there before its place
            named = self.with_value_and_place_named(statement, environment)  # type: ignore[attr-defined]
            if named is not None:
                return named  # type: ignore[no-any-return]
        else:
            part = self.evaluate(target, environment)
            if not (isinstance(part, Numeric) and part.is_number) or isinstance(target, gast.Subscript) and has_effect(
                    target.slice, self.facts):
                return None
            value = gast.copy_location(gast.BinOp(target, statement.operator, value), target)
        self.outer(label, base.kind)
        index = [target.slice] if isinstance(target, gast.Subscript) else []
        made = gast.copy_location(call(self.given(setter), target.value, *index, value), target)
        return self.expand(statement, [Evaluate(made, statement.location)], environment)

    def may_be_view(self, statement: Store, base: Abstract, value: Abstract) -> bool:
        """Whether an attribute that an object has not yet may get a view of another one."""
        target: Any = statement.target
        if not is_array_value(value) or not isinstance(target, gast.Attribute) or not isinstance(base, Items) \
                or base.has_field(target.attr):
            return False
        part = self.facts.spelled_out(statement.value)
        while isinstance(part, (gast.Subscript, gast.Attribute)) and not same(part.value, target.value):
            part = self.facts.spelled_out(part.value)
        return isinstance(part, (gast.Subscript, gast.Attribute))

    def set_attribute(self, statement: Store | Augment, environment: dict) -> dict:
        target: Any = statement.target
        label = root_of(target).id
        old = environment.get(label)
        value = self.evaluate(statement.value, environment)
        base = self.evaluate(target.value, environment)
        self.refuse_outer(label, target)  # type: ignore[attr-defined]
        if old is None or NEVER in (base, value, old.value):
            return environment
        if not isinstance(old.value, Items):
            self.refuse_mixture(old.value, target.value)
            raise self.parts_needed(old.value, target)
        self.refuse_shared_by_class(target.value)
        if isinstance(statement, Store) and self.may_be_view(statement, base, value):
            self.missed.add(VIEWS)
        given = self.method_called(target.value)
        if given is not None:
            return self.written_into_given(  # type: ignore[attr-defined,no-any-return]
                statement, given, environment)
        if isinstance(base, Numeric) and isinstance(target, gast.Subscript):
            part = self.array_of(target.value)
            if isinstance(statement, Store):
                done = self.with_value_and_place_named(statement, environment)  # type: ignore[attr-defined]
                if done is not None:
                    return done  # type: ignore[no-any-return]
            whole = self.attribute_of(part)
            has_name = isinstance(whole, gast.Name) or self.has_path(part)
            return self.through_a_name(statement, part if has_name else whole, environment)
        if isinstance(target, gast.Subscript) and isinstance(base, Items) and not base.is_object \
                and self.step_in(target, base, environment) is MISSING:
            return self.through_a_name(statement, self.attribute_of(target), environment)
        if isinstance(statement, Augment):
            part = self.evaluate(target, environment)
            if part is NEVER:
                return environment
            if isinstance(part, Items) and part.is_object and not objects.updates_in_place(
                    part.kind, type(statement.operator)) or is_of_its_class(target, self.facts) and isinstance(
                        part, Numeric) and part.is_number:
                return self.expand(statement, [Store(target, operation_of(statement), statement.location)], environment)
            known = as_numeric(part)  # where it is None or not there the update fails
            if not (isinstance(known, Numeric) and known.is_number):
                if isinstance(target, gast.Attribute) and isinstance(base, Items):
                    self.last_step(target, base, environment, False)  # it is set as well, which may do more, or fail
                return self.through_a_name(statement, target, environment)
            value = self.augmented(statement, environment)
        back = isinstance(statement, Store) and statement.back
        last = self.last_step(target, base, environment, back)
        if last in base.steps:
            self.evaluate(target, environment)  # what its cotangent is like before
        if not self.has_path(target.value):
            return self.set_in_item(statement, base, last, value, environment)
        path = (*self.path(target.value), last)
        if isinstance(statement, Store) and not back and self.went_back(
                statement.value, (label, path), old, environment):
            for table in (self.facts.in_place, self.facts.places):
                table.pop(statement, None)  # of an earlier turn of a loop
            self.facts.defined.pop((statement, label), None)
            return self.expand(statement, [], environment, True)
        is_late = isinstance(statement, Store) and statement.late
        value = UNSET if is_late and known_value(value) is None else value
        for inner in [*self.met_inside(statement.value, old, path, environment)] if isinstance(
                statement, Store) else ():
            if has_place(value, (*inner, last)):
                value = replaced(value, (*inner, last), Opaque(value.active, holding=True))
        version = self.version(label, with_attribute(replaced(old.value, path, value), path, is_late), "bound", (old,))
        version.places = changed_within(environment[statement.value.id], path) if back else {path}
        if isinstance(statement, Store) and not back:
            self.note_held(version, statement.value, environment, path)
        self.facts.in_place[statement] = (old, version)
        self.facts.places[statement] = path
        self.facts.defined[statement, label] = version
        return {**environment, label: version}

    def met_inside(self, node: gast.AST, whole: Version, path: tuple, environment: dict, within: int = 1
                   ) -> Iterator[tuple]:
        """Where in what gets to a place that is which has the place, if anywhere: what is known of it there is from
        before. ``within``: so many steps inside of what gets there."""
        value, parts, label = self.facts.values.get(id(node)), displayed(node, self.facts), holder(node)
        if not isinstance(value, Items):
            return
        if parts and len(parts) == len(value.steps):
            for step, part in zip(value.steps, parts):
                if part is not None:
                    yield from ((step, *inner) for inner in self.met_inside(
                        part, whole, (*path, step), environment, within + 1))
        elif label in environment and self.has_path(node):
            found = Found.under(environment[label], self.path(node))
            self.holders.note(Found.under(whole, path), found)
            yield from self.holders.places(found, Found.under(whole, path[:-within]))

    def method_called(self, node: Any) -> gast.Call | gast.Subscript | None:
        """The call of a method of an object or container that gives what an expression is part of, ``__getitem__`` of
        one of the user's among them: those of arrays give views."""
        while not isinstance(node, gast.Name):
            given = self.facts.value(node.func.value if isinstance(node, gast.Call) else node.value)
            if isinstance(given, Items) and (isinstance(node, gast.Call) or isinstance(
                    node, gast.Subscript) and given.is_object):
                return node
            node = node.func if isinstance(node, gast.Call) else node.value
        return None

    def went_back(self, node: gast.AST, place: tuple[str, tuple], whole: Version, environment: dict) -> bool:
        """Whether a name is bound to the array in a place of an object, to which it has just gone back from the name
        that it got to be written into: ``self.u = self.smooth(self.u)``, where ``smooth`` gives it back."""
        if whole.places != set() or not isinstance(node, gast.Name):  # as what goes back leaves it
            return False
        version = environment.get(node.id)
        made = next((statement for (statement, _), found in self.facts.defined.items() if found is version), None)
        called = self.facts.call_of(made.value) if isinstance(made, Assign) and made.target == version.name else None
        label = getattr(None if called is None else argument_given_back(called), "id", "")
        return (self.facts.inner.get(label) or self.program.inner.get(label)) == place and any(
            after is whole and isinstance(statement, Store) and statement.back
            and getattr(statement.value, "id", None) == label
            for statement, (_, after) in self.facts.in_place.items())

    def set_in_item(self, statement: Store | Augment, base: Items, step: Any, value: Abstract, environment: dict
                    ) -> dict:
        """A store into an attribute of an object in a list, of which nobody knows the place."""
        target: Any = statement.target
        if step not in base.steps:
            raise self.refusal(f"this gives one of several objects an attribute {step}, which they do not have yet",
                               f"set it in __init__, for all of them and by its name: self.{step} = None", target)
        return self.changed(  # type: ignore[attr-defined,no-any-return]
            statement, target.value, lambda held: replaced(held, (step,), value), environment)

    def set_by_name(self, statement: Evaluate, environment: dict) -> dict | None:
        """``setattr(model, "w", value)`` as the store that it is; None for every other statement."""
        node: Any = statement.value
        if not isinstance(node, gast.Call) or len(node.args) != 3 or known_value(
                self.passively(node.func, environment)) is not setattr:
            return None
        label = known_value(self.passively(node.args[1], environment))
        if not isinstance(label, str) or holder(node.args[0]) not in environment:
            return None
        self.name_acting(node.args[1])
        target = gast.copy_location(gast.Attribute(node.args[0], label, gast.Load()), node)
        return self.expand(statement, [Store(target, node.args[2], statement.location)], environment)

    def parts_needed(self, value: Abstract, node: gast.AST) -> Exception:
        if isinstance(value, Function):
            return self.refusal("attributes of a function that is made here are not followed",
                                "keep it in a variable, with nonlocal, or in an object", node)
        held = known_value(value)
        return NeedsParts(getattr(value, "origin", None), held if is_instance(held) else MISSING,
                          self.node_location(node))

    def has_path(self, node: Any) -> bool:
        """Whether it is known where in a container a part is."""
        try:
            self.path(node)
        except UnsupportedError:
            return False
        return True

    def in_container(self, statement: Any, environment: dict) -> dict | None:
        """A store into an array in a list or dict, ``params["w"][0] = v``: under a name. None for any other."""
        target: Any = statement.target
        label = root(target)
        version = environment.get(label or "")
        if version is None or not isinstance(version.value, Items) or version.value.is_object \
                or not isinstance(target.value, gast.Subscript) \
                or not isinstance(self.evaluate(target.value, environment), Numeric):
            return None
        part = self.array_of(target.value)
        if not isinstance(part, gast.Subscript) or not self.facts.is_place(part) or has_effect(part, self.facts):
            return None
        return self.through_a_name(statement, part, environment)

    def path(self, node: Any) -> tuple:
        """The steps from a name to a part of what is under it."""
        if isinstance(node, gast.Name):
            return ()
        base = self.facts.value(node.value)
        step = node.attr if isinstance(node, gast.Attribute) else MISSING
        if isinstance(base, Items) and isinstance(node, gast.Subscript):
            step = base.indexed(known_value(self.facts.value(node.slice)))
        if not isinstance(base, Items) or step is MISSING or step not in base.steps:
            raise self.part_of_a_part(node)
        return (*self.path(node.value), step)

    def part_of_a_part(self, node: Any) -> Exception:
        return self.refusal("a write into a part of a part is not supported yet",
                            "write into an array under a name of its own, with one index: u[i, j] = ...", node)

    def last_step(self, target: Any, base: Abstract, environment: dict, back: bool) -> Any:
        """Where in its container a value is stored; ``back``: it is there already, be that a tuple's field."""
        if back and isinstance(base, Items) and isinstance(target, gast.Attribute) and base.has_field(target.attr):
            return target.attr
        if isinstance(base, Items) and isinstance(target, gast.Attribute) and base.is_object:
            if objects.found_in(base.kind, "__setattr__") not in PLAIN_SETTERS \
                    or is_computed(base.kind, target.attr):
                raise self.refusal(f"what {base.kind.__name__} does when .{target.attr} is set is not known",
                                   "call a method that does it", target)
            return target.attr
        step = self.step_in(target, base, environment) if isinstance(target, gast.Subscript) else MISSING
        if step is MISSING:
            raise self.part_of_a_part(target)
        return step

    def step_in(self, target: Any, base: Abstract, environment: dict) -> Any:
        """What leads to an item of a list or dict; MISSING where that is not known."""
        if not isinstance(base, Items) or base.is_object or base.kind is tuple or isinstance(target.slice, gast.Slice):
            return MISSING
        key = known_value(self.passively(target.slice, environment))
        return MISSING if base.is_open else key if base.is_dict else base.indexed(key)

    # ---- through names

    def attribute_of(self, node: Any) -> Any:
        """The attribute of which something is a part: ``self.rows`` of ``self.rows[0][1]``."""
        while isinstance(node, gast.Subscript):
            node = node.value
        return node

    def in_attribute(self, statement: Any, node: gast.AST, environment: dict, field: str = "") -> dict | None:
        """A list or dict in an attribute, or in what that is, changes: under a name. None for any other."""
        part = self.attribute_of(node)
        version = environment.get(holder(part) or "")
        if not isinstance(part, gast.Attribute) or version is None or not isinstance(version.value, Items):
            return None
        held = self.evaluate(part, environment)
        return self.through_a_name(statement, part, environment, field) if isinstance(held, Items) \
            and held.is_changeable else None

    def array_of(self, node: Any) -> Any:
        """The part of an object of which an expression is a view: ``self.x`` of ``self.x.T[1:]``."""
        while True:
            base = node.func if isinstance(node, gast.Call) else node.value
            if not isinstance(node, gast.Call) and isinstance(self.facts.value(base), Items):
                return node
            node = base

    def refuse_shared_by_class(self, node: Any) -> None:
        """Raises UnsupportedError where what is written into is in an array, a list or a dict that a class has."""
        while not isinstance(node, gast.Name):
            held = self.facts.values.get(id(node))
            if is_of_its_class(node, self.facts) and (held.is_changeable if isinstance(held, Items) else isinstance(
                    held, Numeric) and not held.is_number):
                kind = self.facts.value(node.value).kind.__name__  # type: ignore[union-attr]
                what, remedy = (
                    f"a {held.kind.__name__}", "make it in __init__, so that each has its own, or put numbers and "
                    f"copies into {kind}.{node.attr}, which nothing else in the call reads"
                ) if isinstance(held, Items) else (
                        "an array", f"give each its own in __init__: self.{node.attr} = self.{node.attr}.copy()")
                raise self.refusal(
                    f"this writes into {node.attr}, {what} that all objects of {kind} share", remedy, node)
            node = node.func if isinstance(node, gast.Call) else node.value

    def through_a_name(self, statement: Any, part: Any, environment: dict, field: str = "") -> dict:
        """An array or an object in an attribute is written into: under a name. ``field``: by a call that is all that
        there is in this field of the statement."""
        label = root_of(part).id
        held = self.evaluate(part, environment)
        self.refuse_shared_by_class(part)
        variable = self.temporary(statement, part.attr if isinstance(part, gast.Attribute) else "part")
        turned = field and isinstance(part, gast.Attribute) and isinstance(self.facts.value(part.value), Numeric)
        place = gast.copy_location(subscript(part, constant(...)), part) if turned else part  # m.T[...] for m.T
        self.facts.inner[variable] = label, open_path(place, self.facts)
        own, after = (gast.copy_location(name(variable), part) for _ in range(2))  # what it is has changed then
        if field:
            named = replace(statement, **{field: with_part(getattr(statement, field), part, own)})
            if isinstance(named, (Assign, Evaluate)) and named.writes:
                named = replace(named, writes=(variable,))
            return self.expand(statement, [
                Assign(variable, place, statement.location),
                named,
                Store(place, after, statement.location, paired=label, back=True)], environment)
        inside = part is not statement.target or isinstance(statement, Append) or isinstance(
            held, Numeric) and held.kind == "array"
        changed = replace(statement, target=with_part(statement.target, part, own))
        if isinstance(held, Numeric) and not has_effect(statement.value, self.facts):  # one cotangent will do for both
            changed = replace(changed, value=with_each(statement.value, part, own))
        return self.expand(statement, [
            Assign(variable, part, statement.location),
            replace(changed, paired=label) if isinstance(statement, (Augment, Store)) else changed,
            Store(part, after, statement.location, paired=label, back=inside,
                  replaces=root(part) is not None)], environment)


def replaced(value: Abstract, path: tuple, new: Abstract) -> Abstract:
    """What is known of a container in which there is something else at a place."""
    if not path:
        return new
    assert isinstance(value, Items) and value.items is not None
    step = path[0]
    if step not in value.steps:
        return replace(value, items=(*value.items, new), keys=(*value.steps, step))
    return replace(value, items=tuple(replaced(item, path[1:], new) if other == step else item
                                      for other, item in zip(value.steps, value.items)))


