"""What is read of an object otherwise than with a dot, or is not in the object itself: ``getattr(model, "w")``,
``hasattr``, ``vars(model)``, ``super().size``, what a ``functools.cached_property`` gives, what is in an object with
``__iter__``. Each is looked at as the plain expression that does the same."""
from __future__ import annotations

import copy
import dataclasses
import functools
import types
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.acting import Acting
from s2sgrad.compiler.effects import MUTATING_METHODS, has_effect
from s2sgrad.compiler.equivalents import ONE_BY_ONE
from s2sgrad.compiler.evaluation import KINDS, NeedsName
from s2sgrad.compiler.kinds import indexed_attribute, type_of
from s2sgrad.compiler.nodes import attribute, call, constant, holder, located_at, name
from s2sgrad.compiler.program import Loop, Store, statements
from s2sgrad.containers import in_library
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, Opaque, known_value, number

GIVES_OBJECTS = (gast.Name, gast.Attribute, gast.Call, gast.Subscript, gast.BinOp, gast.UnaryOp)
"""Expressions that may give an object to be run through."""
USED_UP = ("dict", "list", "tuple", "set", "sorted", "len", "sum", "min", "max", "enumerate", "zip")
"""Built-in functions that give nothing of what they are given."""


class Reading(Acting):
    def of_Attribute(self, node: gast.Attribute, environment: dict) -> Abstract:
        if objects.is_parent(node.value):
            parent = self.parent_of(node.value, environment)
            if parent is not None:
                return self.parent_attribute(node, *parent, environment)
        elif node.attr == "__dict__" and self.has_dict(self.evaluate(node.value, environment), node):
            return self.dict_of(node, node.value, environment)
        if node.attr in MUTATING_METHODS and id(node) in self.kept:
            held = self.evaluate(node.value, environment)
            if isinstance(held, Items) and held.is_changeable and isinstance(node.value, gast.Name) \
                    and node.value.id in environment and not self.passive_context:
                return self.called_later(node, node.value, environment)  # type: ignore[attr-defined,no-any-return]
            if isinstance(held, Items) and not held.is_object or isinstance(held, Numeric) and not held.is_number:
                raise self.refusal(f"a method that writes into {holder(node.value) or 'something'} is handed on here",
                                   f"call it where it stands: .{node.attr}(...)", node)
        self.cached(node, environment)
        return super().of_Attribute(node, environment)

    @functools.cached_property
    def kept(self) -> set[int]:
        """The attributes and calls in the program that are not used up where they stand, but may get another name."""
        parts = [part for statement in statements(self.program.body) for field in vars(statement).values()
                 if isinstance(field, gast.AST) for part in gast.walk(field)]
        used = {id(statement.iterable) for statement in statements(self.program.body) if isinstance(statement, Loop)}
        for part in parts:
            if isinstance(part, gast.Call):
                used.add(id(part.func))
                if isinstance(part.func, gast.Name) and part.func.id in USED_UP:
                    used.update(map(id, part.args))
                used.update(id(item.value) for item in part.keywords if item.arg is None)
            elif isinstance(part, (gast.Subscript, gast.Attribute)):
                used.add(id(part.value))
            elif isinstance(part, gast.comprehension):
                used.add(id(part.iter))
            elif isinstance(part, gast.Compare):
                used.update(map(id, part.comparators))
            elif isinstance(part, gast.Dict):
                used.update(id(item) for key, item in zip(part.keys, part.values) if key is None)
        return {id(part) for part in parts if isinstance(part, (gast.Attribute, gast.Call))} - used

    # ---- super()

    def parent_of(self, node: gast.Call, environment: dict) -> tuple[type | None, str, Abstract] | None:
        """The class behind which ``super()`` looks, and name and value of the object; None for another function."""
        if self.function_of(node, environment) is not super:
            return None
        label = node.args[1].id if node.args else self.program.receiver
        if label not in environment:
            return None
        self.facts.values[id(node)] = Known(None)
        within = known_value(self.passively(node.args[0], environment)) if node.args else objects.class_of(
            self.program.owner)
        return within if isinstance(within, type) else None, label, environment[label].value

    def parent_attribute(self, node: gast.Attribute, within: type | None, label: str, value: Abstract,
                         environment: dict) -> Abstract:
        holder, found = objects.behind(within, value, node.attr)
        receiver = gast.copy_location(name(label), node)
        if type(found) is property and isinstance(found.fget, types.FunctionType) \
                and not in_library(found.fget.__module__ or ""):
            self.outer(node.attr, holder)
            return self.respelled(node, objects.called(node, found.fget, receiver), environment)
        if found is not MISSING and not hasattr(type(found), "__get__"):
            return self.outer(node.attr, holder)
        if value.active and not self.passive_context:
            raise self.refusal(f"what super().{node.attr} is can't be told here",
                               f"call the method where it is looked up, super().{node.attr}(...)", node)
        return super().of_Attribute(node, environment)

    # ---- by names

    def read_by_name(self, node: gast.Call, function: Any, environment: dict) -> Abstract | None:
        """The value of a call of ``getattr`` and its kin; None for other functions, and where nothing is known."""
        if function is vars and len(node.args) == 1 and self.has_dict(self.evaluate(node.args[0], environment), node):
            return self.dict_of(node, node.args[0], environment)
        if function not in (getattr, hasattr) or len(node.args) < 2 or node.keywords:
            return None
        label = known_value(self.passively(node.args[1], environment))
        self.name_acting(node.args[1])
        held = self.evaluate(node.args[0], environment)
        if not isinstance(label, str):
            if held.active and function is getattr and not self.passive_context:
                raise self.refusal("which attribute getattr reads is not known before the call",
                                   'write it with a dot, or loop over the names: for name in ("w", "b")', node)
            return None
        there = self.has(held, label)
        if function is hasattr:
            return None if there is None else number(there)
        if there or isinstance(held, Numeric) or isinstance(held, Known) and len(node.args) == 2:
            made = gast.copy_location(attribute(node.args[0], label), node)
            if id(node) in self.used_at_once:  # getattr(u, "sum")()
                self.used_at_once.add(id(made))
            return self.respelled(node, made, environment)
        if isinstance(held, Known):
            found = self.evaluate(gast.copy_location(attribute(node.args[0], label), node), environment)
            return found if id(found) in KINDS else None  # that it is read is known now
        if len(node.args) == 3 and not has_effect(node.args[0], self.facts):
            if there is False:
                return self.respelled(node, node.args[2], environment)
            if isinstance(held, Items) and label in held.late:
                test = gast.Call(self.given(hasattr), [node.args[0], constant(label)], [])
                made = gast.IfExp(test, attribute(copy.deepcopy(node.args[0]), label), node.args[2])
                return self.respelled(node, located_at(made, node), environment)
        return None

    def has(self, value: Abstract, label: str) -> bool | None:
        """Whether an object has an attribute; None where that is not known."""
        module = known_value(value)
        if isinstance(module, types.ModuleType) and in_library(module.__name__):
            return hasattr(module, label)
        if not isinstance(value, Items) or not value.is_object:
            kind = type_of(value) if isinstance(value, (Items, Numeric)) else None
            return None if kind is None else hasattr(kind, label)  # such have no attributes but those of their class
        if label in value.late and not objects.is_constant_of(value.kind, label):
            return None
        if value.has_field(label) or objects.found_in(value.kind, label) is not MISSING:
            return True
        computed = objects.found_in(value.kind, "__getattr__") is not MISSING
        return None if computed or dataclasses.is_dataclass(value.kind) else False

    def has_dict(self, value: Abstract, node: gast.AST) -> bool:
        """Whether all attributes of an object are known, and are in its ``__dict__``."""
        if not isinstance(value, Items) or not value.is_object or value.late:
            return False
        if dataclasses.is_dataclass(value.kind) and not self.passive_context:
            raise self.refusal(f"a {value.kind.__name__} may have more attributes than its fields, of all of which "
                               "this is a dict", "write dataclasses.asdict(...), a dict of the fields", node)
        return not dataclasses.is_dataclass(value.kind) and not any(
            "__slots__" in vars(kind) for kind in value.kind.__mro__)

    def dict_of(self, node: gast.AST, holder: gast.AST, environment: dict) -> Abstract:
        """``{"w": model.w, "b": model.b}`` for ``vars(model)``."""
        value = self.evaluate(holder, environment)
        assert isinstance(value, Items)
        if id(node) in self.kept:
            raise self.refusal("the attributes of an object are kept here in the dict in which it has them itself",
                               "make another: dict(vars(model))", node)
        if has_effect(holder, self.facts):
            raise self.refusal("the object whose attributes are asked for here has no name",
                               "give it one on a line before", node)
        made = gast.Dict([constant(label) for label in value.steps],
                         [attribute(copy.deepcopy(holder), label) for label in value.steps])
        for part in (*made.keys, *made.values, made):
            gast.copy_location(part, node)
        return self.respelled(node, made, environment)

    # ---- what is in an object

    def iterated(self, node: gast.AST, value: Abstract) -> gast.AST | None:
        """The call of ``__iter__`` that a loop over an object makes; None for what is no object."""
        if not isinstance(value, Items) or objects.gives_iterator(node):
            return None
        calls = objects.special_calls(node, value, "__iter__", [node], self.outer)
        if not calls:
            return self.run_through_for(node, value)
        asked, own = calls[0], copy.deepcopy(node)
        if value.active:
            asked.args = [own]
        else:  # which stays a call in the text
            asked = located_at(call(attribute(own, "__iter__")), node)
        self.facts.consumed.add(id(asked))
        return asked

    def run_through_for(self, node: gast.AST, value: Items) -> gast.AST | None:
        """The list, tuple or array of whose items an object consists that has a ``__getitem__`` and no ``__iter__``:
        Python asks it for one after the other."""
        getter = objects.found_in(value.kind, "__getitem__")
        if not isinstance(getter, types.FunctionType) or objects.found_in(value.kind, "__iter__") is not MISSING \
                or not value.is_object or not isinstance(node, (gast.Name, gast.Attribute)):
            return None
        label = indexed_attribute(getter)
        if label is None or not value.has_field(label) or type_of(value.at(label)) not in (list, tuple, np.ndarray):
            return None
        self.outer("__getitem__", value.kind)
        return gast.copy_location(attribute(copy.deepcopy(node), label), node)

    def over_objects(self, node: gast.Call, environment: dict) -> gast.Call | None:
        """A call that runs through objects, as one that runs through what their ``__iter__`` gives; through dicts, as
        one that gets a list of the keys."""
        self.run_through(node)  # type: ignore[attr-defined]
        function = known_value(self.facts.value(node.func))
        run_through = node.args[:1] if function is sum else node.args  # not its start
        if function in (min, max) and len(node.args) > 1:  # which compares them
            return None
        values = [self.evaluate(item, environment) if item in run_through and isinstance(item, GIVES_OBJECTS)
                  else Opaque() for item in node.args]
        iterated = [self.iterated(item, value) for item, value in zip(node.args, values)]
        for item, asked in zip(node.args, iterated):
            if asked is not None:
                self.stands_for(item, asked)
        args = [asked or self.keys_listed(item, value, function)
                for asked, item, value in zip(iterated, node.args, values)]
        if not any(args):
            return None
        return gast.copy_location(gast.Call(node.func, [new or old for new, old in zip(args, node.args)],
                                            node.keywords), node)

    def keys_listed(self, node: gast.AST, value: Abstract, function: Any) -> gast.AST | None:
        """``list(d)`` for a dict whose keys such a function runs through; None for others."""
        if not (isinstance(value, Items) and value.is_dict and value.active) or function not in ONE_BY_ONE:
            return None
        return located_at(call(self.given(list), node), node)

    # ---- cached properties

    def cached(self, node: gast.Attribute, environment: dict) -> None:
        """What a cached property gives is stored in the object before the statement that first asks for it."""
        if not isinstance(node.value, (gast.Name, gast.Attribute)):
            return
        if isinstance(node.value, gast.Name) and node.value.id not in environment:
            return  # a module most often; what is captured is not stored into
        base = self.evaluate(node.value, environment)
        if not isinstance(base, Items) or not base.is_object or base.has_field(node.attr) or not base.active:
            return
        found = objects.found_in(base.kind, node.attr)
        if type(found) is not functools.cached_property or not isinstance(found.func, types.FunctionType):
            return
        self.outer(node.attr, base.kind)
        computed = gast.copy_location(gast.Call(self.given(found.func), [copy.deepcopy(node.value)], []), node)
        place = gast.copy_location(attribute(copy.deepcopy(node.value), node.attr), node)
        raise NeedsName(node, self.refusal(
            f"the cached property .{node.attr} may be asked for here for the first time",
            f"ask for it on a line of its own before: value = obj.{node.attr}", node),
            Store(place, computed, self.location))
