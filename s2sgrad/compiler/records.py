"""What a function notes down in outer variables: ``COUNT["calls"] += 1``, ``LOG.append(float(x))``, ``f.calls += 1``,
``np.copyto(TABLE, 0.0)``.

Such a statement is kept whole, as one that binds a global is: nothing else in the call may read the variable, so that
nothing differentiated depends on what is in it. What is put there is nobody else's memory: numbers, arrays of its own.
"""
from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.dotted import dotted_in
from s2sgrad.compiler.effects import MUTATING_METHODS, is_data, may_write
from s2sgrad.compiler.held_outside import NONE, has_plain, held
from s2sgrad.compiler.made_functions import reads_active
from s2sgrad.compiler.nodes import attribute, call, holder, ordered_children, root_of, walk
from s2sgrad.compiler.outer_changes import CONTAINERS
from s2sgrad.compiler.program import Append, Augment, Store, Verbatim
from s2sgrad.compiler.sharing import is_from_outside, may_be_written, shared
from s2sgrad.rules.abstract import (
    MISSING,
    Abstract,
    known_value,
)
from s2sgrad.signature import Place, attribute_of, place_of

CHANGING = {"append", "appendleft", "extend", "extendleft", "rotate", "insert", "add", "discard", "remove", "pop",
            "popleft", "popitem", "move_to_end", "clear", "update", "subtract", "setdefault", "sort", "reverse"}
DETACHING = (float, int, bool, str, repr, len)
"""What gives a plain number or text of a differentiated value; nobody asks for its derivative."""
DETACHED = {"item", "tolist", "shape", "ndim", "size", "dtype"}
"""Methods and attributes that do the same."""


def record(node: Any, function: types.FunctionType, known: Mapping[str, Any] = NONE
           ) -> tuple[gast.AST, list[gast.AST]] | None:
    """The container or array outside that a call changes, as an expression, and those of what the call gets besides.
    ``known``: objects from outside that have names in the function."""
    if not isinstance(node, gast.Call):
        return None
    method, receiver = (node.func.attr, node.func.value) if isinstance(node.func, gast.Attribute) else (None, None)
    given = [*node.args, *(item.value for item in node.keywords)]
    outputs = [item.value for item in node.keywords if item.arg in ("out", "dst")]
    if method in CHANGING and type(held(receiver, function, known)) in CONTAINERS \
            or method in MUTATING_METHODS and type(held(receiver, function, known)) is np.ndarray:
        return receiver, given
    if outputs or given and writes_first(node.func, function):
        changed = [*outputs, *given][0]
        if type(held(changed, function, known)) is np.ndarray:
            computed_of = [receiver] if outputs and method is not None else []
            return changed, [part for part in (*given, *computed_of) if part is not changed]
    return None


def writes_first(called: Any, function: types.FunctionType) -> bool:
    """Whether what is called is a function from a library that writes into the first thing that it gets."""
    if isinstance(called, gast.Attribute) and called.attr in ("at", "shuffle"):
        owner = held(called.value, function)
        return isinstance(owner, np.ufunc) if called.attr == "at" else may_write(getattr(owner, "shuffle", None))
    known = held(called, function)
    return not isinstance(known, types.FunctionType) and may_write(known)


class Records(Calls):
    """The check of a statement that changes what an outer variable holds."""

    def check_record(self, statement: Verbatim, environment: dict) -> None:
        node: Any = statement.node
        given = {**self.program.given, **{label: version.value.value for label, version in environment.items()
                                          if self.is_noted_in(version.value)}}
        if isinstance(node, gast.Expr):  # x.append(value)
            found = record(node.value, self.program.owner, given)
            target, values = (node.value.func.value, []) if found is None else found
            outer, plain = held(target, self.program.owner, given), found is not None
        else:
            target = node.target if isinstance(node, gast.AugAssign) else node.targets[0]
            values = [] if isinstance(node, gast.Delete) else [node.value]
            outer = held(target.value, self.program.owner, given)
            plain = has_plain(outer, target.attr, "__setattr__") if isinstance(target, gast.Attribute) else type(
                outer) in (*CONTAINERS, np.ndarray)
        label = root_of(target).id
        place = self.place_in(target, given) if label in given else self.place_outside(target)
        told = self.facts.noted.get(place, (None, False))[1] or any(
            reads_active(value, environment) for value in values)
        self.facts.noted[place] = statement.location, told
        changed = held(target if isinstance(node, gast.Expr) else target.value, self.program.owner, given)
        if changed is MISSING or attribute_of(changed, place.name) != place and changed is not place.read():
            self.facts.noted_inside.add(place)
        self.note_sources(place, statement, values, given, environment)
        if not plain:
            raise self.refusal(f"this writes into {label}, which is not the function's own", "return the value instead",
                               target)
        with self.outer_names_read():
            for part in [*values, *(inner.slice for inner in walk(target) if isinstance(inner, gast.Subscript))]:
                self.refuse_hidden_writes(part, environment)
                self.passively(part, environment)
        copied = type(outer) is np.ndarray and isinstance(target if isinstance(node, (gast.Assign, gast.AugAssign))
                                                          else node, (gast.Subscript, gast.Expr))
        for value in values:
            self.check_put(label, value, copied, environment)

    def note_bound(self, statement: Verbatim, target: gast.Name, value: Abstract, environment: dict) -> None:
        """An outer variable is bound: where it gets something differentiated, that is a note, which nothing else in the
        call may read."""
        place = place_of(self.program.owner, target.id)
        self.note_sources(place, statement, [statement.node.value], {}, environment)
        if isinstance(statement.node, gast.AugAssign) and isinstance(
                held(target, self.program.owner), (np.ndarray, *CONTAINERS)):  # which is written into
            self.facts.noted[place] = statement.location, value.active
        if not (value.active or self.closes_over_active([value], environment)):
            return
        self.facts.noted[place] = statement.location, True
        if isinstance(statement.node, gast.AugAssign):
            self.refuse_own_memory(statement.node, target)
        self.check_put(target.id, statement.node.value, False, environment)

    def note_sources(self, place: Place, statement: Verbatim, values: list, given: dict, environment: dict) -> None:
        """Of which outer variables that is computed which another one gets."""
        read = self.facts.noted_of.get(place, (None, set()))[1]
        for path in (path for value in values for path in dotted_in(value)):
            label = root_of(path).id
            owner = held(path.value, self.program.owner, given) if isinstance(path, gast.Attribute) else MISSING
            if label in given and owner is not MISSING:
                read.add(Place(owner, path.attr))
            elif label not in environment:
                read.add(self.place_outside(path))
        if read:
            self.facts.noted_of[place] = statement.location, read

    def refuse_own_memory(self, node: gast.AugAssign, target: gast.Name) -> None:
        """Raises UnsupportedError where ``TOTAL += x`` may write into an array or a list that others have."""
        if type(held(target, self.program.owner)) not in (int, float, complex) and not isinstance(
                held(target, self.program.owner), np.number):
            raise self.refusal(f"this writes into {target.id}, which is not the function's own",
                               f"write {target.id} = {target.id} + ...", node)

    def check_put(self, label: str, value: Any, copied: bool, environment: dict) -> None:
        """Raises UnsupportedError where others may have what is put into an outer variable, and is no copy."""
        if not is_data(self.facts.value(value)) and not self.is_detached(value, environment):
            raise self.refusal(f"what is differentiated in this object or function is put into {label}, which is "
                               "an outer variable", "put numbers and arrays there, or return it", value)
        self.refuse_view(value, self.facts.value(value))
        if not copied and not isinstance(value, gast.JoinedStr) and any(
                may_be_written(version.value) for version in shared(value, self.facts, environment)):
            raise self.refusal(f"what is put into {label} here has another name, too, and may be written into",
                               "put a copy there", value)

    def noted_down(self, statement: Store | Augment | Append, environment: dict) -> dict | None:
        """A store in an object from outside that has a name here, which is kept whole; None for any other."""
        owner = environment.get(holder(statement.target) or "")
        if owner is None or not self.is_noted_in(owner.value):
            return None
        return self.expand(  # type: ignore[attr-defined,no-any-return]
            statement, [kept_whole(statement)], environment)

    def is_noted_in(self, value: Abstract) -> bool:
        """Whether a value is a class, or an object from outside that is no argument."""
        return is_from_outside(value) and id(known_value(value)) in self.noting or isinstance(known_value(value), type)

    def place_in(self, target: Any, given: dict[str, Any]) -> Place:
        """The attribute, of an object from outside that has a name here, that a statement changes or that holds what it
        changes."""
        while isinstance(target, gast.Subscript):
            target = target.value
        owner = held(target.value, self.program.owner, given)
        if owner is MISSING:
            raise self.refusal("what this writes into is not known before the call",
                               "give the object to the function as an argument", target)
        return Place(owner, target.attr)

    def place_outside(self, target: Any) -> Place:
        """The outer variable that a statement changes, or the attribute of a function, a class or a module."""
        part = target
        while isinstance(part, (gast.Subscript, gast.Attribute)):
            owner = held(part.value, self.program.owner)
            if isinstance(part, gast.Attribute) and isinstance(owner, (types.FunctionType, types.ModuleType, type)):
                return attribute_of(owner, part.attr)
            part = part.value
        return place_of(self.program.owner, part.id)

    def is_detached(self, node: Any, environment: dict) -> bool:
        """Whether all that is differentiated in an expression becomes a plain number or a text."""
        if isinstance(node, gast.Name):
            value = environment[node.id].value if node.id in environment else None
            return value is None or not value.active and not self.closes_over_active([value], environment)
        if isinstance(node, (gast.Compare, gast.JoinedStr)) or isinstance(node, gast.Attribute) \
                and node.attr in DETACHED:
            return True
        if isinstance(node, gast.Call):
            function = known_value(self.facts.values.get(id(node.func)))
            if any(function is known for known in DETACHING) or getattr(node.func, "attr", "") in DETACHED:
                return True
        return all(self.is_detached(part, environment) for _, _, part in ordered_children(node))


def kept_whole(statement: Store | Augment | Append) -> Verbatim:
    """A store as the statement that the user wrote."""
    target: Any = statement.target
    node: Any
    if isinstance(statement, Append):
        given = [statement.value] if statement.place is None else [statement.place, statement.value]
        node = gast.Expr(gast.copy_location(call(attribute(
            target, "append" if statement.place is None else "insert"), *given), target))
    elif isinstance(statement, Augment):
        node = gast.AugAssign(target, statement.operator, statement.value)
    else:
        node = gast.Assign([target], statement.value, None)
    return Verbatim(gast.copy_location(node, target), statement.location)
