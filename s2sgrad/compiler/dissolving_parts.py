"""Attributes and items of what ``dissolve.py`` knows: of objects that a function makes, of those that were there
before, of modules, classes and containers."""
from __future__ import annotations

import enum
import operator
import types
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.bindings import is_logging
from s2sgrad.compiler.dissolved import (
    LITERALS,
    UNBOUND,
    Bound,
    Box,
    CannotDissolve,
    Fixed,
    Given,
    Leaf,
    Value,
    has_method,
    is_named,
    is_object,
    kind_of,
    worked_out,
)
from s2sgrad.compiler.dissolving_values import Values
from s2sgrad.compiler.nodes import attribute, constant, subscript
from s2sgrad.containers import HEAP_TYPE, in_library
from s2sgrad.rules.abstract import MISSING, Items, Known, Numeric

SEQUENCES = (list, tuple)


def attributes_of(box: Box) -> Box:
    """The dict that has an object's attributes, and changes these."""
    if any(value is UNBOUND or isinstance(value, Leaf) and value.late for value in box.content.values()) \
            or objects.found_in(box.kind, "__dict__") is MISSING:
        raise CannotDissolve("attributes")
    return Box(dict, box.content, label=box.label, own=box.own, views=(box,))


class Parts(Values):
    """What is in something under a name, an index or a key, and what it gives one by one."""

    def special(self, value: Value, label: str, *others: Value) -> Value:
        if not has_method(value, label):
            raise CannotDissolve(label)
        return self.call(self.attribute(value, label), list(others), {})

    def of_Attribute(self, node: gast.Attribute) -> Value:
        if isinstance(node.value, gast.Call) and isinstance(node.value.func, gast.Name) \
                and node.value.func.id == "super":
            return self.of_parent(node)
        return self.attribute(self.value(node.value), node.attr, node)

    def of_parent(self, node: Any) -> Value:
        frame: Any = self.frame
        within, receiver = frame.within, frame.content.get(frame.program.receiver)
        named = [getattr(item, "id", "") for item in node.value.args]  # as in what makes objects
        if named not in ([], ["__class__", frame.program.receiver]) or within is None \
                or self.lookup("super") is None or not (isinstance(receiver, (Box, Given)) or isinstance(
                    receiver, Fixed) and isinstance(receiver.value, type)):
            raise CannotDissolve("super")
        kind = receiver.value if isinstance(receiver, Fixed) else kind_of(receiver)
        later = kind.__mro__[kind.__mro__.index(within) + 1:] if within in kind.__mro__ else ()
        holder = next((base for base in later if node.attr in vars(base)), None)
        if holder is None:
            raise CannotDissolve("super")
        if holder is object:
            return Bound(Fixed(vars(object)[node.attr]), (receiver,))
        self.outer(node.attr, holder)
        return self.bound(objects.unmarked(vars(holder)[node.attr]), receiver, kind, node.attr)

    def attribute(self, base: Value, label: str, node: Any = None) -> Value:
        if isinstance(base, Box) and base.kind not in (list, tuple, dict, set):
            return self.of_object(base, base.kind, label)
        if isinstance(base, Given) and isinstance(base.known, Items) and (base.known.is_object or base.known.is_named):
            return self.of_given(base, label)
        if isinstance(base, (Box, Given)):
            return Bound(Fixed(label), (base,))  # a method of a list or dict
        if isinstance(base, Fixed):
            return self.of_fixed(base, label)
        if isinstance(base, Bound) and label == "__self__" and base.arguments:
            return base.arguments[0]
        if not isinstance(base, Leaf):
            raise CannotDissolve("an attribute of a function")
        return Leaf(attribute(base.node, label), base.plain)

    def of_object(self, base: Value, kind: Any, label: str) -> Value:
        if is_named(kind) and label in kind._fields:
            return base.content[kind._fields.index(label)]
        if is_named(kind) and label in ("_replace", "_asdict"):
            return Bound(Fixed(label), (base,))
        found = objects.found_in(kind, label)
        if type(found) is property:
            self.outer(label, kind)
            return self.call_function(found.fget, [base], {})
        if isinstance(base, Box) and label in base.content and not is_named(kind):
            if base.content[label] is UNBOUND:
                raise CannotDissolve(f"what .{label} is")
            return base.content[label]
        if label == "__class__":
            return Fixed(kind)
        if label == "__dict__" and isinstance(base, Box) and not is_named(kind):
            return attributes_of(base)
        if found is MISSING or isinstance(found, types.MemberDescriptorType):
            fallback = objects.found_in(kind, "__getattr__")
            if isinstance(fallback, types.FunctionType):
                self.outer("__getattr__", kind)
                return self.call_function(fallback, [base, Fixed(label)], {})
            raise CannotDissolve(f"there is no .{label}")
        self.outer(label, kind)
        return self.bound(found, base, kind, label)

    def bound(self, found: Any, receiver: Value, kind: type, label: str) -> Value:
        """What is found in a class, as an object gives it."""
        if isinstance(found, staticmethod):
            return self.fixed(objects.function_of(found))
        if isinstance(found, classmethod):
            return Bound(Fixed(objects.function_of(found)), (Fixed(kind),))
        if isinstance(found, types.FunctionType):
            return Bound(Fixed(found), (receiver,))
        if hasattr(type(found), "__get__"):
            raise CannotDissolve("a descriptor")
        if type(found) in LITERALS and label in self.stored:
            return Leaf(attribute(self.node_of_fixed(Fixed(kind)), label), False)
        if isinstance(found, types.BuiltinFunctionType) or type(found) in LITERALS or isinstance(found, type):
            return self.fixed(found)
        return self.from_known(attribute(self.node_of_fixed(Fixed(kind)), label), self.outer(label, kind))

    def of_given(self, base: Given, label: str) -> Value:
        known: Any = base.known
        if known.has_field(label) and not known.is_named and type(objects.found_in(known.kind, label)) is not property:
            node = attribute(base.node, label)
            if label in self.stored:
                return Leaf(node, False)
            self.read.add(label)
            return self.from_known(node, known.at(label))
        if known.is_named and label in known.keys:
            return self.from_known(attribute(base.node, label), known.at(label))
        if label in self.stored:
            return Leaf(attribute(base.node, label), False)
        return self.of_object(base, known.kind, label)

    read: set[str]
    """Attributes of objects that were there before of which something is taken for known."""

    def of_fixed(self, base: Fixed, label: str) -> Value:
        held = base.value
        if isinstance(held, types.ModuleType):
            found = getattr(held, label, MISSING)
            if found is MISSING:
                raise CannotDissolve(label)
            node = attribute(self.node_of_fixed(base), label)
            if label in vars(held) and not in_library(held.__name__):
                known = self.outer(label, vars(held))
                return Fixed(known.value, node) if isinstance(known, Known) else self.from_known(node, known)
            if callable(found) or isinstance(found, types.ModuleType):
                return Fixed(found, node)
            return Fixed(found) if type(found) in (float, int) else Leaf(node)
        if isinstance(held, type) and held.__flags__ & HEAP_TYPE and not in_library(held.__module__):
            found = objects.found_in(held, label)
            if label == "__name__":
                return Fixed(held.__name__)
            if is_named(held) and label == "_make":
                return Bound(Fixed(label), (base,))
            if found is MISSING or type(held) is not type and objects.found_in(type(held), label) is not MISSING \
                    and label not in dir(held):
                raise CannotDissolve(label)
            self.outer(label, held)
            if isinstance(found, (types.FunctionType, staticmethod)):
                return self.fixed(objects.function_of(found))
            return self.bound(found, base, held, label)
        if type(held) in (str, bytes) or type(held) is tuple:
            return Bound(Fixed(label), (base,))
        if held is object or isinstance(held, (type, np.ufunc, types.BuiltinFunctionType, types.FunctionType)):
            found = getattr(held, label, MISSING)
            if found is MISSING or type(found) in LITERALS:
                return Fixed(found) if found is not MISSING else self.absent(label)
            return Fixed(found, attribute(self.node_of_fixed(base), label))
        if isinstance(held, enum.Enum) and label in ("name", "value") and objects.found_in(
                type(held), label) is vars(enum.Enum)[label]:
            return self.fixed_default(getattr(held, label))
        if is_logging(type(held)):
            return Fixed(getattr(held, label, MISSING), attribute(self.node_of_fixed(base), label))
        raise CannotDissolve(f"what .{label} is")

    @staticmethod
    def absent(label: str) -> Any:
        raise CannotDissolve(f"there is no .{label}")

    def of_Slice(self, node: gast.Slice) -> Value:
        parts = self.values([node.lower, node.upper, node.step])
        if all(part is None or isinstance(part, Fixed) for part in parts):
            return Fixed(slice(*(None if part is None else part.value for part in parts)), gast.Slice(
                *(None if part is None else self.node(part) for part in parts)))
        return Leaf(gast.Slice(*(None if part is None else self.node(part) for part in parts)))

    def of_Subscript(self, node: gast.Subscript) -> Value:
        base, index = self.values([node.value, node.slice])
        return self.item(self.called_now(base), index)

    def item(self, base: Value, index: Value) -> Value:
        if isinstance(base, Box) and (base.kind in SEQUENCES or is_named(base.kind)):
            if not isinstance(index, Fixed):
                raise CannotDissolve("an index that is computed")
            parts = list(base.content.values())
            if isinstance(index.value, slice):
                return self.made(base.kind, parts[index.value])
            return self.bound_part(worked_out(operator.getitem, parts, index.value))
        if isinstance(base, Box) and base.kind is dict:
            key = self.key(index)
            if key not in base.content:
                raise CannotDissolve("a key that is not there")
            return self.bound_part(base.content[key])
        if is_object(base):
            return self.special(base, "__getitem__", index)
        if isinstance(base, Given):
            known: Any = base.known
            if isinstance(index, Fixed) and isinstance(index.value, slice) and known.kind in SEQUENCES \
                    and any(objects.objects_in(known)):
                return self.made(known.kind, self.items(base)[index.value])
            step = known.indexed(index.value) if isinstance(index, Fixed) and not isinstance(
                index.value, slice) else MISSING
            if step is MISSING and known.is_default:
                raise CannotDissolve("an item that a defaultdict may make")
            node = subscript(base.node, self.node(index))
            return Leaf(node, False) if step is MISSING else self.part_of(base, node, step)
        if isinstance(base, Fixed):
            if type(base.value) in (str, tuple) and isinstance(index, Fixed):
                return self.fixed(worked_out(operator.getitem, base.value, index.value))
            if type(base.value) is dict and isinstance(index, Fixed) and index.value in base.value:
                node = subscript(self.node_of_fixed(base), self.node(index))
                return self.from_known(node, self.outer(index.value, base.value))
            raise CannotDissolve("an item")
        if not isinstance(base, Leaf):
            raise CannotDissolve("an item")
        if base.length is list and isinstance(index, Fixed):
            self.state.uncounted.add(list)
        return Leaf(subscript(base.node, self.node(index)), base.plain, length=self.length_of_slice(base, index))

    def length_of_slice(self, base: Leaf, index: Value) -> Any:
        """How many rows a slice of an array has; what it is of a list is asked for with the list."""
        if not isinstance(index, Fixed) or not isinstance(index.value, slice) or base.length is None:
            return None
        return len(range(base.length)[index.value]) if isinstance(base.length, int) else base.length

    @staticmethod
    def bound_part(value: Value) -> Value:
        if value is UNBOUND:
            raise CannotDissolve("what an item is")
        return value

    def items(self, value: Value) -> list[Value]:
        """What a value gives one by one."""
        if isinstance(value, Box) and (value.kind in SEQUENCES or is_named(value.kind)):
            return list(map(self.bound_part, value.content.values()))
        if isinstance(value, Box) and value.kind in (dict, set):
            return [self.key_value(key) for key in value.content]
        if isinstance(value, Fixed) and type(value.value) in (str, tuple, range):
            return [self.fixed(part) for part in value.value]
        if isinstance(value, Fixed) and type(value.value) is enum.EnumMeta:
            return list(map(Fixed, value.value))
        if is_object(value) and has_method(value, "__iter__"):
            return self.items(self.call(self.attribute(value, "__iter__"), [], {}))
        known: Any = getattr(value, "known", None)
        if isinstance(value, Given) and not known.is_object and known.kind in (list, tuple, dict):
            if known.kind is dict:
                return [Fixed(step) for step in known.steps]
            return [self.part_of(value, subscript(value.node, constant(step)), step)
                    for step in range(len(known.items))]
        if isinstance(value, Leaf) and value.parts is not None:
            return self.items(value.parts())
        if isinstance(value, Leaf) and isinstance(value.node, gast.Name):
            if isinstance(value.length, int):
                return [Leaf(subscript(value.node, constant(row))) for row in range(value.length)]
            if value.length is not None:
                self.state.uncounted.add(value.length)
        raise CannotDissolve("what this gives one by one")

    def by_key(self, value: Value) -> dict[Any, Value]:
        """What a dict holds."""
        if isinstance(value, Box) and value.kind is dict:
            return value.content
        known: Any = getattr(value, "known", None)
        if not isinstance(value, Given) or known.kind is not dict or known.items is None:
            raise CannotDissolve("what a dict holds")
        return {step: self.part_of(value, subscript(value.node, constant(step)), step) for step in known.steps}

    def part_of(self, base: Given, node: Any, step: Any) -> Value:
        """An item of a list or dict that was there before."""
        known: Any = base.known
        part = known.at(step)
        return Leaf(node, isinstance(part, Numeric)) if self.filled and not any(objects.objects_in(known)) \
            else self.from_known(node, part)
