"""Statements that change a container: what it holds afterwards.

``append``, ``insert``, ``pop`` and stores of items are understood as they stand, in containers inside of others, too.
The other methods become simpler statements: ``xs.reverse()`` stands for ``xs = xs[::-1]``, ``del xs[0]`` for
``xs.pop(0)``, and so on. ``aliases.py`` sees to it that nobody else looks at what they change.
"""
from __future__ import annotations

import copy
import inspect
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad import runtime
from s2sgrad.compiler import objects
from s2sgrad.compiler.acting_places import ActingPlaces
from s2sgrad.compiler.closed import holds_made_functions
from s2sgrad.compiler.defaults import of_shared
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.equivalents import makes_iterator
from s2sgrad.compiler.evaluation import COMPLETES
from s2sgrad.compiler.facts import CONTENTS, Version, changed_within, open_path, same_array
from s2sgrad.compiler.nodes import (
    Names,
    attribute,
    call,
    constant,
    holder,
    is_starred,
    located_at,
    name,
    root,
    root_of,
    steps_to,
    subscript,
)
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Delete,
    Evaluate,
    Leave,
    Loop,
    Rest,
    Store,
    operation_of,
    pattern_names,
    written_name,
)
from s2sgrad.compiler.scopes import yields
from s2sgrad.compiler.sharing import is_from_outside, may_be_written
from s2sgrad.compiler.structures import item_there, key_expression
from s2sgrad.containers import class_of, is_key
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import (
    MISSING,
    NEVER,
    Abstract,
    Function,
    Items,
    Numeric,
    Opaque,
    completed,
    is_complex,
    item_at,
    join,
    known_value,
)

IN_PLACE = ("pop", "setdefault", "reverse", "sort", "clear", "update", "appendleft", "extendleft", "popleft", "rotate",
            "popitem", "move_to_end", "subtract")
"""Methods that are understood of a container that has a name."""
GIVING_NOTHING: dict[Any, tuple[str, ...]] = {
    list: ("append", "extend", "insert", "clear", "sort", "reverse", "remove"), dict: ("update", "clear"),
    defaultdict: ("update", "clear"), OrderedDict: ("update", "clear", "move_to_end"),
    Counter: ("update", "clear", "subtract"),
    deque: ("append", "appendleft", "extend", "extendleft", "insert", "clear", "reverse", "remove", "rotate")}
"""By the class of a container, the methods whose value is None."""


class Changes(ActingPlaces):
    may_drop: Callable[..., bool]
    with_cut: Callable[..., gast.AST]
    delete_each: Callable[..., dict]
    with_room: Callable[..., list]
    without_item: Callable[..., list]

    # ---- changes that are understood as they stand

    def changed(self, statement: Any, container: gast.AST, change: Callable[[Items], Items], environment: dict) -> dict:
        """A container changes: the name that it is a part of stands for another version from here on."""
        label = root_of(container).id
        old = environment[label]
        steps = [step if isinstance(step, str) else known_value(self.facts.value(step)) for step in steps_to(container)]
        if not leads_to_container(old.value, steps):  # what a property gives
            raise self.refusal(f"where {label} holds what is changed here is not known", "change it by the place that "
                               f"it has there, as {label}.parts[i]", container)
        version = self.version(label, with_change(old.value, steps, change, self.any_of), "bound", (old,))
        replaces = isinstance(statement, Store) and statement.replaces
        stays = isinstance(statement, Store) and (statement.back or replaces and isinstance(
            self.facts.value(statement.target), Numeric))  # an array that is written into is there still
        place = self.place_changed(statement, container, version)
        # and so is a container, with other items
        inner = replaces and isinstance(self.facts.value(statement.target), Items)
        if isinstance(statement, Store) and statement.back:
            version.places = changed_within(environment[statement.value.id], place)
        else:
            version.places = set() if stays else {(*place, CONTENTS) if inner else place}
        if not stays and isinstance(statement, (Store, Append)):
            self.note_held(version, statement.value, environment, place)
            self.refuse_inside_itself(statement, old, place, environment)
        self.facts.in_place[statement] = (old, version)
        self.facts.defined[statement, label] = version
        return {**environment, label: version}

    def refuse_inside_itself(self, statement: Store | Append, whole: Version, place: tuple, environment: dict) -> None:
        """What holds itself is saved for ever; objects are not saved where they are read by their names."""
        values = whole.value, self.facts.value(statement.value)
        if [*self.met_inside(statement.value, whole, place, environment)] and not any(
                isinstance(value, Items) and value.is_object for value in values):
            raise self.refusal(f"this puts into {whole.name} what {whole.name} is, or is in",
                               "put a copy there, or the place that it has, a number or a key", statement.value)

    def any_of(self, items: Abstract, item: Abstract) -> Abstract:
        """What is known of each item of a list in which one has changed."""
        if isinstance(items, Items) and isinstance(item, Items) and items.is_object and items.steps != item.steps \
                and self.demands(COMPLETES):
            items, item = completed(items, item), completed(item, items)
        return join(items, item)

    def place_changed(self, statement: Any, container: gast.AST, version: Version) -> tuple:
        """Where something else is in a container now: at the end of a list of which is known what it holds."""
        if isinstance(statement, (Store, Augment)):
            return open_path(statement.target, self.facts)
        path = open_path(container, self.facts)
        grown = item_at(version.value, path) if CONTENTS not in path else None
        if isinstance(statement, Append) and statement.place is None and isinstance(grown, Items) and grown.items:
            return (*path, len(grown.items) - 1)
        return (*path, CONTENTS)

    def do_Append(self, statement: Append, environment: dict) -> dict:
        noted = self.noted_down(statement, environment)
        if noted is None:
            noted = self.with_place_named(statement, statement.target, environment)
        if noted is None:
            noted = self.with_number_named(statement, environment)
        if noted is not None:
            return noted
        named = self.in_attribute(statement, statement.target, environment)
        if named is not None:
            return named
        place = None if statement.place is None else known_value(self.passively(statement.place, environment))
        value = self.evaluate(statement.value, environment)
        before = self.evaluate(statement.target, environment)
        label = written_name(statement)
        if NEVER in (before, value):
            return environment
        if isinstance(before, Items):
            self.refuse_made_functions(value, statement.value, before)
        if isinstance(before, Items) and before.is_object:  # a method of the user's own
            method = call(attribute(statement.target, "append"), statement.value)
            return self.expand(statement, [Evaluate(method, statement.location)], environment)
        owner = environment.get(label)
        unknown = owner is not None and not isinstance(owner.value, (Items, Numeric)) and owner.value is not NEVER
        if unknown and (value.active or is_from_outside(owner.value)) and self.is_attribute(
                statement.target, environment):
            raise self.parts_needed(owner.value, statement.target)
        if unknown or not isinstance(before, Items) or not before.is_list:
            if value.active:
                bare = isinstance(statement.target, gast.Name)
                what = label if bare else "this"
                raise self.refusal(*of_shared(self.program, label) or (
                    f"{what} is not known to be a list, and a differentiated value is appended to it",
                    f"make it one in this function, {label} = []" if bare else "make it one, not another container"),
                    statement.value)
            given = [statement.value] if statement.place is None else [statement.place, statement.value]
            method = attribute(statement.target, "append" if statement.place is None else "insert")
            return self.do_Evaluate(Evaluate(call(method, *given), statement.location), environment)
        if self.may_drop(statement, before):
            return self.expand(statement, self.with_room(statement, before), environment)

        def grown(held: Items) -> Items:
            if held.items is not None and (place is None or type(place) is int):
                index = slice(place, None).indices(len(held.items))[0] if place is not None else len(held.items)
                return replace(held, items=(*held.items[:index], value, *held.items[index:]))
            return Items(held.kind, None, value if held.any_item == Opaque() else join(held.any_item, value))

        return self.changed(statement, statement.target, grown, environment)

    def refuse_made_functions(self, value: Abstract, node: gast.AST, held: Items) -> None:
        """A list or dict of functions that are made here holds nothing else."""
        if holds_made_functions(value) and held.any_item != Opaque() and not isinstance(
                join(held.any_item, value), Items):
            raise self.refusal("a function that is made here goes into a list or dict with other values",
                               "give the functions a list of their own", node)

    def replace_item(self, statement: Store | Augment, before: Items, part: Abstract, value: Abstract,
                     environment: dict) -> dict:
        """A value takes a place in a list or a dict."""
        target: Any = statement.target
        key = known_value(self.facts.value(target.slice))
        if before.is_dict and not is_key(key):
            key = MISSING
        if before.items is None:
            self.refuse_made_functions(value, statement.value, before)
        stays = isinstance(statement, Store) and statement.back  # what is in a tuple may change, and is there still
        if not (before.is_changeable or stays) or isinstance(target.slice, gast.Slice):
            raise self.refusal("writes into tuples, into several items at once and into objects are not supported",
                               "build a new container", target)
        if isinstance(statement, Augment) and not (isinstance(part, Numeric) and part.is_number):
            alike = same_form(part, value) or self.is_added_in_place(part, value)
            if may_be_written(part) and not alike or self.is_seen_by_others(target, environment):
                return self.through_a_name(statement, target, environment)
            new = Store(target, operation_of(statement), statement.location, replaces=True)
            return self.instead_of(statement, [new], environment)

        def filled(held: Items) -> Items:
            if held.is_dict and isinstance(statement, Store) and (held.is_open or key is MISSING):
                return Items(held.kind, None, value if held.any_item == Opaque() else join(held.any_item, value))
            if held.is_dict and key is not MISSING and key not in held.steps and not held.is_open:
                held = replace(held, keys=(*held.steps, key))
                if held.items is not None:
                    return replace(held, items=(*held.items, value))
            if held.items is None or held.indexed(key) is MISSING:
                return replace(held, items=None, element=self.any_of(held.any_item, value))
            place = held.steps.index(held.indexed(key))
            return replace(held, items=(*held.items[:place], value, *held.items[place + 1:]))

        return self.changed(statement, target.value, filled, environment)

    def is_added_in_place(self, part: Abstract, value: Abstract) -> bool:
        """Whether generated code adds to what is in a container of cotangents: it keeps its shape, and its dtype unless
        another is known to be added. Where some are complex, one that is not known may be real."""
        if not (self.program.is_generated and isinstance(part, Numeric) and isinstance(value, Numeric)):
            return False
        if part.dtype is None or value.dtype is None:
            return not (is_complex(part) or is_complex(value))
        return part.dtype == value.dtype and (part.kind == "array" or not is_complex(part))

    def container_call(self, statement: Assign | Evaluate, environment: dict) -> dict | None:
        """A call of a method that changes a container; None where it is something else."""
        node: Any = statement.value
        named = self.with_place_named(statement, node.func.value, environment, "value")
        if named is not None:
            return named
        held = self.evaluate(node.func.value, environment)
        if held is NEVER:
            self.facts.values[id(node)] = NEVER
            return self.bound_to(statement, NEVER, environment)
        if not isinstance(held, Items):
            return None
        if held.is_changeable and node.func.attr in IN_PLACE:
            named = self.in_attribute(statement, node.func.value, environment, "value")
            if named is not None:
                return named
        if root(node.func.value) not in environment:
            return None
        if isinstance(statement, Assign) and self.gives_nothing(node, environment):
            nothing = gast.copy_location(constant(None), node)
            return self.instead_of(statement, [called_alone(node, statement.location), replace(
                statement, value=nothing, writes=())], environment)
        method = getattr(self, f"{class_of(held.kind).__name__.lower()}_{node.func.attr}", None)
        if method is None and held.is_dict:
            method = getattr(self, f"dict_{node.func.attr}", None)
        if method is None or any(isinstance(item, gast.Starred) for item in node.args):
            return None
        changed: dict | None = method(statement, node, held, environment)
        return changed

    def bound_to(self, statement: Assign | Evaluate, value: Abstract, environment: dict) -> dict:
        if isinstance(statement, Evaluate):
            return environment
        bound: dict = self.bind(statement, statement.target, value, None, environment)  # type: ignore[attr-defined]
        return bound

    def list_pop(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if len(node.args) > 1 or node.keywords:
            return None
        index = known_value(self.passively(node.args[0], environment)) if node.args else -1
        return self.taken_from(statement, node, held, index, environment)

    def taken_from(self, statement: Assign | Evaluate, node: Any, held: Items, index: Any, environment: dict) -> dict:
        """An item leaves a list or a deque."""
        if held.items is None:
            return self.taken_out(statement, node, self.one_of(held.any_item, id(node)), index, environment)
        step = held.indexed(index)
        item = NEVER if held.lacks(index) else held.at(step) if step is not MISSING else self.joined(held)
        return self.taken_out(statement, node, item, index, environment)

    def dict_pop(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        key = known_value(self.passively(node.args[0], environment)) if node.args else MISSING
        if node.keywords or key is MISSING or len(node.args) > 2 or any(
                has_effect(item, self.facts) for item in node.args[1:]):
            return None
        if key in held.steps or len(node.args) == 1:
            return self.taken_out(statement, node, held.at(key) if key in held.steps else NEVER, key, environment)
        if isinstance(statement, Evaluate):
            return self.unchanged(statement, node.args[1], environment)
        looked_up = gast.copy_location(call(attribute(node.func.value, "get"), *node.args), node)  # so it is read
        return self.instead_of(statement, [replace(statement, value=looked_up, writes=())], environment)

    def taken_out(self, statement: Assign | Evaluate, node: Any, item: Abstract, index: Any, environment: dict
                  ) -> dict:
        """An item leaves a list or a dict."""
        self.facts.values[id(node)] = item
        self.facts.popped.add(id(node))
        if item is NEVER:
            return self.bound_to(statement, item, environment)

        def shrunk(inner: Items) -> Items:
            step = inner.indexed(index)
            if inner.is_list and step is MISSING:
                return Items(inner.kind, None, inner.any_item)
            if inner.is_dict and index is MISSING:
                return Items(inner.kind, None, inner.any_item)
            place = inner.steps.index(index if inner.is_dict else step)
            keys = None if inner.keys is None else (*inner.keys[:place], *inner.keys[place + 1:])
            items = None if inner.items is None else (*inner.items[:place], *inner.items[place + 1:])
            return replace(inner, items=items, keys=keys)

        return self.bound_to(statement, item, self.changed(statement, node.func.value, shrunk, environment))

    def gives_nothing(self, node: Any, environment: dict) -> bool:
        """Whether this is a call of a method that changes a list or dict and whose value is None."""
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute) or not any(
                node.func.attr in known for known in GIVING_NOTHING.values()):
            return False
        held = self.evaluate(node.func.value, environment)
        return isinstance(held, Items) and node.func.attr in GIVING_NOTHING.get(class_of(held.kind), ())

    # ---- changes that stand for simpler statements

    def instead_of(self, statement: Any, simpler: list, environment: dict) -> dict:
        """Other statements that do the same."""
        self.facts.written_out[statement] = simpler
        for part in simpler:
            self.facts.statements.append(part)
            self.facts.before[part] = environment
            environment = getattr(self, f"do_{type(part).__name__}")(part, environment)
            if environment is None:  # an exception is raised
                break
        return environment

    def unchanged(self, statement: Evaluate, operand: gast.AST, environment: dict) -> dict:
        """A call of a method that changes nothing here: all that it does is to evaluate its operand."""
        seen = isinstance(operand, (gast.Name, gast.Constant)) or isinstance(operand, gast.List) and not operand.elts
        called = self.facts.callee_of(operand)
        if called is not None and called.derivative.definition.collected:  # which a call alone does not run through
            operand = located_at(gast.List([gast.Starred(operand, gast.Load())], gast.Load()), operand)
        return self.instead_of(statement, [] if seen else [Evaluate(operand, statement.location)], environment)

    def is_seen_by_others(self, node: Any, environment: dict) -> bool:
        """Whether a container is one, or in one, that the caller has, or that is in an object, too."""
        label = holder(node)
        first = self.facts.parameters.get(label)
        return label in self.facts.inner or label in self.program.inner or first is not None and same_array(
            first, environment[label])

    def rebound(self, statement: Any, container: Any, value: gast.AST, environment: dict) -> dict:
        """Another container takes the place of one that changes, or a list gets what is in another."""
        new: Assign | Store
        if self.is_seen_by_others(container, environment):
            if not isinstance(container, gast.Name):
                field = "" if isinstance(statement, (Store, Delete)) else "value"
                return self.through_a_name(statement, container, environment, field)
            new = Store(gast.copy_location(subscript(container, gast.Slice(None, None, None)), container), value,
                        statement.location)
        elif isinstance(container, gast.Name):
            new = Assign(container.id, value, statement.location, (container.id,))
        else:
            new = Store(container, value, statement.location, replaces=True)
        return self.instead_of(statement, [new], environment)

    def has_open_rest(self, pattern: Any, value: Abstract) -> bool:
        """Whether a pattern with ``*rest`` in it takes differentiated values apart, and how many is not known."""
        if not isinstance(pattern, tuple) or not any(isinstance(part, Rest) for part in pattern) or not value.active:
            return False
        if isinstance(value, Items):
            return value.items is None and not value.is_dict
        return isinstance(value, Numeric) and (
            value.shape is None or value.shape != () and not isinstance(value.shape[0], int))

    def without_rest(self, statement: Assign, environment: dict) -> dict:
        """``first, *rest = xs`` by indices."""
        pattern: Any = statement.target
        held = self.facts.values[id(statement.value)]
        is_deque = isinstance(held, Items) and held.is_deque  # which has no slices
        is_list = is_deque or isinstance(held, Items) and held.kind is list
        location, node = statement.location, statement.value
        simpler: list = []
        if is_deque or not isinstance(node, gast.Name) or node.id in pattern_names(pattern):
            label = Names(self.program.names | set(self.facts.given) | self.facts.reserved).fresh("items")
            self.facts.reserved.add(label)
            if isinstance(node, gast.GeneratorExp):  # which the unpacking runs through
                node = gast.copy_location(gast.ListComp(node.elt, node.generators), node)
            elif is_deque or isinstance(node, gast.Call) and gives_iterator(self.facts.value(node.func)):
                node = gast.copy_location(call(self.given(list), node), node)
            simpler.append(Assign(label, node, location))
            node = name(label)
        before = next(index for index, part in enumerate(pattern) if isinstance(part, Rest))
        after = len(pattern) - before - 1
        reason = gast.BinOp(constant(f"not enough values to unpack (expected at least {before + after}, got %d)"),
                            gast.Mod(), call(self.given(len), node))
        short = gast.Compare(call(self.given(len), node), [gast.Lt()], [constant(before + after)])
        simpler.append(Branch(short, (Leave("raise", call(self.given(ValueError), reason), location),), (), location))
        for index, part in enumerate(pattern):
            place: gast.AST = constant(index if index < before else index - len(pattern))
            if isinstance(part, Rest):
                end = constant(-after) if after else None
                value: gast.AST = subscript(node, gast.Slice(constant(before), end, None))
                if not is_list:
                    value = call(self.given(list), value)
            else:
                value = subscript(node, place)
            simpler.append(Assign(part.name if isinstance(part, Rest) else part, value, location))
        for new in simpler:
            for inner in gast.walk(new.test if isinstance(new, Branch) else new.value):
                if not hasattr(inner, "lineno"):
                    gast.copy_location(inner, statement.value)
        return self.instead_of(statement, simpler, environment)

    def do_Delete(self, statement: Delete, environment: dict) -> dict:
        target = statement.target
        held = self.evaluate(target.value, environment)
        self.as_key(target.slice, self.passively(target.slice, environment))
        if isinstance(held, Items) and held.is_object:
            for own in objects.special_calls(target, held, "__delitem__", [target.value, target.slice], self.outer):
                return self.expand(statement, [Evaluate(own, statement.location)], environment)
        if not isinstance(held, Items) or not held.is_changeable:
            return environment
        named = self.with_place_named(statement, target, environment)
        if named is not None:
            return named
        spelled = self.spelled_index(target, environment)
        if spelled is not None:
            return self.instead_of(statement, [replace(statement, target=spelled)], environment)
        if held.kind is list and isinstance(target.slice, gast.Slice):
            if target.slice.step is not None:
                return self.delete_each(statement, environment)
            return self.rebound(statement, target.value, self.with_cut(target, []), environment)
        if held.is_deque:
            return self.expand(statement, self.without_item(statement, target.value, target.slice), environment)
        method = gast.copy_location(call(attribute(target.value, "pop"), target.slice), target)
        label = written_name(statement)
        return self.instead_of(statement, [Evaluate(method, statement.location, (label,))], environment)

    def items_added(self, statement: Evaluate, environment: dict) -> dict | None:
        """What generated code adds to the items that a slice chooses, as a store into that; None for other calls."""
        node: Any = statement.value
        function = self.function_of(node, environment) if self.program.is_generated else None
        if function is not runtime.add_items:
            return None
        target, place, items = node.args
        if isinstance(place, gast.Call):
            given = [None if isinstance(part, gast.Constant) and part.value is None else part for part in place.args]
            place = gast.Slice(*given)
        held = self.evaluate(target, environment)
        if isinstance(held, Items) and held.items is None and isinstance(place, gast.Slice):
            return self.added_one_by_one(statement, target, place, items, held, environment)
        part = gast.copy_location(subscript(target, place), node)
        total = gast.copy_location(call(self.given(runtime.added), part, items), node)
        return self.instead_of(statement, [Store(part, total, statement.location)], environment)

    def added_one_by_one(self, statement: Evaluate, target: Any, place: gast.Slice, items: gast.AST, held: Items,
                         environment: dict) -> dict:
        """The same for a list of any length, which says little of the items that a slice of it has."""
        index, item = self.temporary((statement, "index"), "i"), self.temporary((statement, "item"), "item")
        numbers = subscript(call(self.given(range), call(self.given(len), copy.deepcopy(target))), place)
        part = subscript(target, name(index))
        total = gast.BinOp(part, gast.Add(), name(item)) if isinstance(held.element, Numeric) else call(
            self.given(runtime.added), part, name(item))
        store = Store(located_at(copy.deepcopy(part), target), located_at(total, target), statement.location)
        loop = Loop((index, item), located_at(call(self.given(zip), numbers, items), target), (store,),
                    statement.location)
        return self.expand(statement, [loop], environment)

    def stays(self, node: gast.AST, held: Items, environment: dict) -> bool:
        """Whether no new dict takes the place of one that changes: others have it, or a display would be of another
        class."""
        return not held.is_dict or self.is_seen_by_others(node, environment)

    def list_reverse(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if node.args or node.keywords or isinstance(statement, Assign):
            return None
        backwards = gast.Slice(None, None, gast.copy_location(constant(-1), node))
        turned = gast.copy_location(subscript(node.func.value, backwards), node)
        return self.rebound(statement, node.func.value, turned, environment)

    def list_remove(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if len(node.args) != 1 or node.keywords or isinstance(statement, Assign) or has_effect(node.func.value,
                                                                                               self.facts):
            return None
        place = call(attribute(node.func.value, "index"), node.args[0])
        taken = located_at(call(attribute(node.func.value, "pop"), place), node)
        return self.instead_of(statement, [replace(statement, value=taken)], environment)

    def list_clear(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if node.args or node.keywords or isinstance(statement, Assign):
            return None
        if held.is_dict and isinstance(node.func.value, gast.Name) and self.stays(node.func.value, held, environment):
            pops = [located_at(call(attribute(node.func.value, "pop"), key_expression(key)), node)
                    for key in held.steps]
            return self.instead_of(statement, [Evaluate(
                pop, statement.location, (node.func.value.id,)) for pop in pops], environment)
        empty = gast.copy_location(gast.List([], gast.Load()) if held.kind is list else gast.Dict([], []), node)
        return self.rebound(statement, node.func.value, empty, environment)

    dict_clear = list_clear

    def dict_update(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if len(node.args) > 1 or isinstance(statement, Assign) or any(item.arg is None for item in node.keywords):
            return None
        keys = [None] * (1 + len(node.args)) + [gast.copy_location(constant(item.arg), item.value)
                                                for item in node.keywords]
        values = [node.func.value, *node.args, *(item.value for item in node.keywords)]
        if isinstance(node.func.value, gast.Name) and self.stays(node.func.value, held, environment):
            return self.put_under_keys(statement, node.func.value, gast.Dict(keys[1:], values[1:]), environment)
        merged = gast.copy_location(gast.Dict(keys, values), node)
        return self.rebound(statement, node.func.value, merged, environment)

    def put_under_keys(self, statement: Any, container: gast.Name, items: gast.Dict, environment: dict) -> dict | None:
        """What another dict holds goes into one that stays what it is."""
        given = self.evaluate(located_at(items, container), environment)
        if not isinstance(given, Items) or not given.is_dict or given.keys is None:
            return None
        label = self.temporary(statement, "items")
        stores = [Store(located_at(subscript(container, key_expression(key)), container), located_at(subscript(
            name(label), key_expression(key)), container), statement.location) for key in given.steps]
        return self.instead_of(statement, [Assign(label, items, statement.location), *stores], environment)

    def dict_setdefault(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        key = known_value(self.passively(node.args[0], environment)) if len(node.args) == 2 else MISSING
        if node.keywords or key is MISSING or has_effect(node.args[1], self.facts):
            return None
        place = gast.copy_location(item_there(node.func.value, node.args[0]), node)
        simpler: list = [] if key in held.steps else [Store(place, node.args[1], statement.location)]
        if isinstance(statement, Assign):
            simpler.append(replace(statement, value=place, writes=()))
        return self.instead_of(statement, simpler, environment)

    def list_sort(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if node.args or isinstance(statement, Assign):
            return None
        ordered = gast.copy_location(gast.Call(self.given(sorted), [node.func.value], node.keywords), node)
        return self.rebound(statement, node.func.value, ordered, environment)


def same_form(first: Abstract, second: Abstract) -> bool:
    """Whether two values are arrays of which is known that they have one shape and dtype."""
    return isinstance(first, Numeric) and isinstance(second, Numeric) and first.kind == second.kind == "array" \
        and first.shape is not None and None not in first.shape and first.shape == second.shape \
        and first.dtype is not None and first.dtype == second.dtype


def leads_to_container(value: Abstract, steps: list) -> bool:
    """Whether attributes and indices lead to a container in one."""
    for step in steps:
        if not isinstance(value, Items):
            return False
        value = value.at(value.step(step)) if value.items is not None and value.step(
            step) is not MISSING else value.any_item
    return isinstance(value, Items)


def with_change(value: Abstract, steps: list, change: Callable[[Items], Items],
                any_of: Callable[[Abstract, Abstract], Abstract]) -> Abstract:
    """A container in which the one that attributes and indices lead to has changed."""
    assert isinstance(value, Items)
    if not steps:
        return change(value)
    step = value.step(steps[0])
    if value.items is None or step is MISSING:
        inner = value.any_item
        return replace(value, items=None, element=any_of(inner, with_change(
            inner, steps[1:], change, any_of)))
    place = value.steps.index(step)
    inner = with_change(value.items[place], steps[1:], change, any_of)
    return replace(value, items=(*value.items[:place], inner, *value.items[place + 1:]))


def called_alone(node: Any, location: Location) -> Append | Evaluate:
    """A call of a method that gives nothing, as a statement."""
    if node.func.attr == "append" and len(node.args) == 1 and not node.keywords and not is_starred(node):
        return Append(node.func.value, node.args[0], location)
    return Evaluate(node, location, (root_of(node.func.value).id,))


def gives_iterator(function: Abstract) -> bool:
    """Whether a function gives what can be run through once only."""
    if isinstance(function, Function):
        return yields(function.syntax)
    known = known_value(function)
    return inspect.isgeneratorfunction(known) or makes_iterator(known)
