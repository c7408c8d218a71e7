"""Tangents of what statements store in arrays and containers."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.facts import origins
from s2sgrad.compiler.nodes import attribute, call, constant, name, root, root_of, subscript, tuple_of
from s2sgrad.compiler.program import Append, Assign, Augment, Evaluate, Store, written_name
from s2sgrad.compiler.saved_values import updated_at
from s2sgrad.compiler.structures import accessed, structure
from s2sgrad.compiler.tangent_state import TangentState
from s2sgrad.compiler.tangents import Tangent
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.rules.abstract import NEVER, Abstract, Items, Numeric, is_a_number, known_value, passive


class TangentStores(TangentState):
    """The part of forward mode that is stores and updates."""

    assign: Callable[..., Any]

    def pop(self, statement: Assign | Evaluate, out: list) -> None:
        node: Any = statement.value
        label = root_of(node.func.value).id
        if not self.has_tangent(statement, label):
            self.assign(statement, out) if isinstance(statement, Assign) else out.append(statement)
            return
        self.tangents.start(statement, {})
        given = [self.values.value(item, statement) for item in node.args[:1]]
        taken = call(attribute(self.dotted_place(node.func.value, statement), node.func.attr), *given)
        parts: Any = self.values.taken_apart(tuple_of(node.args), out, statement.location)
        plain = replace(statement, value=gast.copy_location(call(node.func, *parts.elts), node))
        dots = self.dotted(statement, statement.target) if isinstance(statement, Assign) else self.unused
        out += [*self.tangents.steps, Evaluate(taken, statement.location) if dots == self.unused else Assign(
            dots, taken, statement.location), plain]

    def augment(self, statement: Augment, out: list) -> None:
        label = written_name(statement)
        version = self.facts.defined.get((statement, label))
        if version is None or version not in self.needed or self.facts.values[id(statement.value)] is NEVER:
            out.append(self.spelled(statement))
            return
        target: Any = statement.target
        if isinstance(target, gast.Attribute) and not any(
                self.facts.values[id(part)].active for part in (target, statement.value)) and is_a_number(
                    self.facts.values[id(statement.value)]):  # a count: its tangent stays zero
            out.append(statement)
            return
        rebinds = isinstance(target, (gast.Name, gast.Attribute))
        old = self.facts.before[statement].get(label)
        made = {version: label} if rebinds else {}
        self.tangents.start(statement, made)
        update = self.update(statement, old in self.needed)
        if self.values.uses_result and (label in self.values.read or not is_a_number(self.facts.values[id(target)])):
            # what the name was is read, too, or views of the array that it is
            result = self.names.fresh(label)
            self.tangents.start(statement, made, result)
            update = self.update(statement, old in self.needed)
            self.values.value(statement.value, statement)  # which is read twice
        nodes = [statement.value] if rebinds else [target.slice, statement.value]
        parts: Any = self.values.taken_apart(tuple_of(nodes), out, statement.location)
        value, index = parts.elts[-1], parts.elts[0]
        if self.values.result is not None:
            out.append(Assign(self.values.result, gast.BinOp(target, statement.operator, value), statement.location))
        plain = statement
        if value is not statement.value or not rebinds and index is not target.slice:
            plain = replace(statement, value=value, target=target if rebinds else gast.Subscript(
                target.value, index, target.ctx))
        plain = self.spelled(plain)
        if update is None:
            out.append(plain)
            self.clear(label, version, out, statement.location)
            return
        after = self.values.uses_result and self.values.result is None
        update = self.spelled(update)
        out.extend([plain, *self.tangents.steps, update] if after else [*self.tangents.steps, update, plain])

    def spelled(self, statement: Any) -> Any:
        """``np.add.at`` as the call that it is."""
        counted = isinstance(statement, Augment) and statement.counted
        return updated_at(statement, self.helpers) if counted else statement

    def update(self, statement: Augment, there: bool) -> Any:
        """What an in-place operator does to the tangent of what it updates (if one is ``there``); None where the name
        has a passive value behind it."""
        target: Any = statement.target
        tangents, values, location = self.tangents, self.values, statement.location
        label = written_name(statement)
        dot: gast.AST = name(tangents.dot(label))
        if isinstance(target, gast.Attribute):
            dot = self.dotted_place(target, statement)
        if isinstance(target, gast.Subscript):
            dot = subscript(self.dotted_place(target.value, statement), values.value(target.slice, statement))
        changed, operand = self.facts.values[id(target)], self.facts.values[id(statement.value)]
        array = isinstance(changed, Numeric) and changed.kind == "array" or isinstance(
            target, gast.Subscript) and isinstance(self.facts.values[id(target.value)], Numeric)
        if there and (array or is_a_number(changed) and is_a_number(operand)):  # else a number may become an array
            if isinstance(statement.operator, (gast.Add, gast.Sub)):
                tangent = tangents.of(statement.value)
                added = constant(0.0) if tangent is None else tangent.expression
                return Augment(dot, statement.operator, added, location, counted=statement.counted)
            if isinstance(statement.operator, (gast.Mult, gast.Div)) and not operand.active:
                factor = values.value(statement.value, statement)
                return Augment(dot, statement.operator, factor, location, counted=statement.counted)
        if statement.counted:
            raise AssertionError("only sums are updated at places that may be the same")
        applied = self.facts.applied.get(id(statement))
        tangent = None if applied is None else tangents.apply(statement, applied)
        if isinstance(target, gast.Attribute):
            if tangent is None:
                raise UnsupportedError("a change of this is not differentiated forwards yet",
                                       "write it as an assignment, a.b = a.b + c", location)
            return Store(dot, self.filled(statement, tangent), location)  # type: ignore[arg-type]
        if array and there or isinstance(target, gast.Subscript):
            place = dot if isinstance(target, gast.Subscript) else subscript(dot, constant(...))
            return Store(place, constant(0.0) if tangent is None else self.filled(statement, tangent), location)
        if tangent is None:
            return None
        value = self.facts.defined[statement, label].value
        values.remember(tangents.dot(label), passive(value))
        found = tangents.own(statement, tangents.cast(self.filled(statement, tangent), value), value)
        return Assign(tangents.dot(label), found, location)

    def filled(self, statement: Augment, tangent: Tangent) -> gast.AST:
        """The tangent of what an update gives, in its shape."""
        changed = self.facts.values[id(statement.target)]
        if isinstance(changed, Numeric) and changed.kind == "array":  # which keeps its shape
            return tangent.expression
        return self.tangents.filled(statement, tangent)

    def store(self, statement: Store, out: list) -> None:
        label = written_name(statement)
        version = self.facts.defined.get((statement, label))
        if version is None or version not in self.needed:
            if not statement.late:
                out.append(statement)
            return
        target: Any = statement.target
        self.tangents.start(statement, {})
        if statement.late:
            self.put(self.dotted_place(target, statement), constant(0.0), statement, out)
            return
        if isinstance(target, gast.Attribute):
            tangent = self.tangents.whole(statement.value)
            place: Any = self.dotted_place(target, statement)
            part: Any = self.values.taken_apart(statement.value, out, statement.location)
            out.extend([*self.tangents.steps, Store(place, tangent, statement.location),
                        statement if part is statement.value else replace(statement, value=part)])
            return
        if isinstance(version.value, Items):
            tangent = self.tangents.whole(statement.value)
        else:
            found = self.tangents.of(statement.value)
            tangent = constant(0.0) if found is None else found.expression
        place = subscript(self.dotted_place(target.value, statement), self.values.value(target.slice, statement))
        parts: Any = self.values.taken_apart(tuple_of([statement.value, target.slice]), out, statement.location)
        value, index = parts.elts
        plain = statement if value is statement.value and index is target.slice else replace(
            statement, target=gast.Subscript(target.value, index, target.ctx), value=value)
        out.extend([*self.tangents.steps, Store(place, tangent, statement.location), plain])

    def put_into_tuple(self, statement: Store, made: gast.AST, out: list) -> None:
        """What is in a tuple has changed, and has another tangent than was there: that goes into the memory of the one
        that was there where others have the tuple, too; else there is another tuple of tangents, in the place of that
        one."""
        node: Any = statement.target
        value = self.facts.value(node)
        if isinstance(value, Items) and value.is_list or root(node) in self.program.parameters:
            self.put_into_memory(self.dotted_place(node, statement), self.facts.value(statement.value), made, statement,
                                 out)
            return
        while not isinstance(node, gast.Name):
            held = self.facts.value(node.value)
            if not isinstance(held, Items) or not issubclass(held.kind, tuple):
                self.put(self.dotted_place(node, statement), made, statement, out)
                return
            step = node.attr if isinstance(node, gast.Attribute) else known_value(self.facts.value(node.slice))
            place = held.steps.index(held.step(step))
            whole: Any = self.dotted_place(node.value, statement)
            made = structure(held, [made if index == place else subscript(whole, constant(index))
                                    for index in range(len(held.steps))], self.helpers)
            node = node.value
        out.append(Assign(whole.id, made, statement.location))

    def put_into_memory(self, place: Any, value: Abstract, made: gast.AST, statement: Store, out: list) -> None:
        """Tangents put into the lists, arrays, dicts and objects that a place holds, be it in tuples."""
        if isinstance(value, Items) and value.items is not None and not value.is_list:
            for step, item in zip(value.steps, value.items):
                if item.active:
                    inner, new = accessed(place, value, (step,)), accessed(made, value, (step,))
                    if issubclass(value.kind, tuple):
                        self.put_into_memory(inner, item, new, statement, out)
                    else:
                        self.put(inner, new, statement, out)
            return
        if isinstance(value, Items):
            self.values.taken_apart(statement.value, out, statement.location)
            out += all_replaced(value, place, made, statement.location)
            return
        assert isinstance(value, Numeric), "only containers and arrays change in tuples"
        if not value.is_number:
            self.put(subscript(place, constant(...)), made, statement, out)

    def store_back(self, statement: Store, out: list) -> None:
        """After a write into a view: its tangent is a view of the array's, unless it came into being as zeros."""
        view: Any = statement.value
        version = self.facts.before[statement].get(view.id)
        base = self.facts.defined.get((statement, written_name(statement)))
        if base is None or base not in self.needed or version is None:
            return
        known = version in self.needed
        held = self.facts.value(statement.target.value)
        in_tuple = isinstance(held, Items) and issubclass(held.kind, tuple)
        if known and in_tuple and all(origin.value.active for origin in origins(version)):
            return  # the tangent is there already
        if isinstance(statement.target, gast.Attribute) or in_tuple or not known:
            if not known and isinstance(version.value, Numeric):  # what was written into it has no tangent either
                return
            self.tangents.start(statement, {})  # a list or a dict may have new items
            tangent = name(self.tangents.dot(view.id)) if known else self.values.zero(view, passive(version.value))
            if in_tuple:
                self.put_into_tuple(statement, tangent, out)
                return
            self.put(self.dotted_place(statement.target, statement), tangent, statement, out)
            return
        made = origins(version)
        flat = self.facts.array_flattened(statement.target.value) is not None  # type: ignore[attr-defined]
        if not flat and all(origin.value.active and isinstance(origin.value, Numeric) and origin.value.kind == "array"
                            for origin in made):
            return
        self.tangents.start(statement, {})
        place = subscript(self.dotted_place(statement.target.value, statement),
                          self.values.value(statement.target.slice, statement))
        self.put(place, name(self.tangents.dot(view.id)), statement, out)

    def put(self, place: Any, tangent: gast.AST, statement: Store, out: list) -> None:
        """Store a tangent, behind what its place mentions."""
        self.values.taken_apart(statement.value, out, statement.location)
        out.append(Store(place, tangent, statement.location))

    def append(self, statement: Append, out: list) -> None:
        version = self.facts.defined.get((statement, written_name(statement)))
        if version is None or version not in self.needed:
            out.append(statement)
            return
        self.tangents.start(statement, {})
        tangent = self.tangents.whole(statement.value)
        dots: Any = self.dotted_place(statement.target, statement)
        places = [] if statement.place is None else [statement.place]
        place = None if statement.place is None else self.values.value(statement.place, statement)
        parts: Any = self.values.taken_apart(tuple_of([*places, statement.value]), out, statement.location)
        plain = replace(statement, place=parts.elts[0] if places else None, value=parts.elts[-1])
        out.extend([*self.tangents.steps, Append(
            dots, tangent, statement.location, place, statement.fits), plain])


def all_replaced(value: Items, place: Any, made: Any, location: Location) -> list[Store | Evaluate]:
    """The statements that put all that is in a new list, deque or dict in the place of what is in one."""
    if value.is_dict or value.is_deque:  # which have no slices
        return [Evaluate(call(attribute(place, method), *given), location)
                for method, given in (("clear", ()), ("update" if value.is_dict else "extend", (made,)))]
    return [Store(subscript(place, gast.Slice(None, None, None)), made, location)]
