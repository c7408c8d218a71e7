"""Attributes that an object gets later than elsewhere: in the turns of a loop, in one arm of a branch.

``mom = Momentum(0.9)`` has no ``velocity`` before the loop in which ``mom.update(g)`` stores the first one, and it may
have none behind it. So that the object has one form throughout, a statement before the loop tells what is known there:
that it has none *yet*. Nothing is stored by it (``Store.late``); what is known of such an attribute is that it is None,
or what the class holds under that name, and ``Items.late`` notes that it may not be there.
"""
from __future__ import annotations

import copy
import dataclasses
import types
from collections.abc import Iterator
from typing import Any

from s2sgrad.compiler.nodes import attribute, constant, name
from s2sgrad.compiler.objects import found_in, is_constant_of
from s2sgrad.compiler.program import Store
from s2sgrad.compiler.structures import accessed
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import MISSING, Abstract, Items, item_at


def late_stores(environment: dict, reached: list[dict | None], location: Location) -> list[Store]:
    """The statements to put before a loop or a branch: for each attribute that an object of the ``environment`` has in
    some of those that are ``reached``, but not before."""
    stores = []
    for label, version in environment.items():
        if not isinstance(version.value, Items):
            continue
        later = [found[label].value for found in reached
                 if found is not None and found.get(label, version) is not version]
        for path, attr in dict.fromkeys(place for value in later for place in got_later(version.value, value)):
            if any(attr not in item_at(found[label].value, path).steps for found in reached  # type: ignore[union-attr]
                   if found is not None and label in found and isinstance(item_at(found[label].value, path), Items)):
                place: Any = attribute(accessed(name(label), version.value, path), attr)
                held = item_at(version.value, path)
                from_class = is_constant_of(held.kind, attr)  # type: ignore[union-attr]
                value = copy.deepcopy(place) if from_class else constant(None)
                stores.append(Store(place, value, location, late=True))
    return stores


def got_later(before: Abstract, after: Abstract, path: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """Where in a container an object has attributes that it had not before, and which."""
    if before is after or not isinstance(before, Items) or not isinstance(after, Items) \
            or before.kind is not after.kind or before.items is None or after.items is None:
        return
    if can_get(before):
        for label in after.steps:
            if label not in before.steps and comes_of_nothing(before.kind, label):
                yield path, label
    elif before.keys != after.keys or len(before.items) != len(after.items):
        return
    for step in before.steps:
        if step in after.steps:
            yield from got_later(before.at(step), after.at(step), (*path, step))


def can_get(value: Items) -> bool:
    """Whether an object may get attributes in the course of the function."""
    return value.is_object and not dataclasses.is_dataclass(value.kind) and not getattr(
        value.kind, "is_function", False)


def comes_of_nothing(kind: type, label: str) -> bool:
    """Whether reading an attribute that an object has not yet only fails, or gives what its class has."""
    found = found_in(kind, label)
    if found is MISSING or isinstance(found, types.MemberDescriptorType):
        return found_in(kind, "__getattr__") is MISSING
    return is_constant_of(kind, label) and (found is None or isinstance(found, (int, float)))


def with_attribute(value: Abstract, path: tuple, is_late: bool) -> Abstract:
    """A container in which the attribute at a place is there now, or is known not to be there yet."""
    if not isinstance(value, Items) or value.items is None:
        return value
    if len(path) > 1:
        return dataclasses.replace(value, items=tuple(
            with_attribute(item, path[1:], is_late) if step == path[0] else item
            for step, item in zip(value.steps, value.items)))
    late = value.late | {path[0]} if is_late else value.late - {path[0]}
    return value if late == value.late else dataclasses.replace(value, late=late)
