"""The parts of an argument that a function uses: of an object with many arrays a method often reads a few, and its
adjoint gives cotangents of these alone."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.facts import End, Facts, same_array
from s2sgrad.compiler.nodes import holder, walk
from s2sgrad.compiler.program import Loop, Program, expressions_in, statements
from s2sgrad.compiler.structures import static_leaves
from s2sgrad.rules.abstract import MISSING, Abstract, Items, is_a_number, item_at, known_value


def used_parts(parameter: str, program: Program, facts: Facts) -> list[tuple]:
    """The places in a parameter of numbers, arrays and lists that have cotangents and may be used by the function."""
    value = facts.parameters[parameter].value
    leaves = static_leaves(value)
    if parameter not in facts.used:
        found = facts.used[parameter] = Uses(parameter, value, facts)
        found.used = leaves  # inside itself, until it is known
        found.look_through(program)
        stored = {place[1:] for place in facts.exits() if place[0].parameter == parameter}
        found.used = [leaf for leaf in leaves if leaf in stored or any(
            leaf[:len(place)] == place[:len(leaf)] for place in found.places)]
    if leaves == [()] or not isinstance(value, Items) or (End(parameter),) in facts.exits():
        return [()]  # the cotangents of a list that is changed come and go as a whole
    return facts.used[parameter].used


def read_in_parts(parameter: str, derivative: Any) -> list[tuple]:
    """The places in a parameter of arrays and lists of which a function reads elements, and into which it puts
    nothing."""
    facts, used = derivative.facts, derivative.used_parts(parameter)
    stays = all(same_array(facts.parameters[parameter], version) for version in facts.ends.get(parameter, ()))
    if parameter not in facts.used or not stays:  # of what has a derivative of its own nothing is told
        return []
    return [place for place in facts.used[parameter].read if place in used and (
        End(parameter), *place) not in facts.exits()]


def known_place(node: Any, environment: dict, facts: Facts) -> tuple[str, tuple] | None:
    """The name that an expression starts with, and the place in what it stands for, as of ``s.grid``."""
    label = holder(node)
    if label is None or label not in environment:
        return None
    found = Uses(label, environment[label].value, facts).place(node)
    return (label, found[0]) if found is not None and found[1] else None


class Uses:
    """Looks for the places in one parameter that expressions lead to."""

    def __init__(self, parameter: str, value: Abstract, facts: Facts):
        self.parameter = parameter
        self.value = value
        self.facts = facts
        self.used: list[tuple] = []
        """The leaves that have cotangents, and of which something may be used."""
        self.places: set[tuple] = set()
        self.read: dict[tuple, None] = {}
        """Those of which elements are read, in order."""
        self.inside: set[int] = set()
        """The expressions that are spelled otherwise, being looked at."""

    def look_through(self, program: Program) -> None:
        for statement in statements(program.body):
            for node in expressions_in(statement):
                self.look_at(node)
            if isinstance(statement, Loop):
                self.read.update((found[0], None) for found in map(self.place, walk(statement.iterable))
                                 if found is not None and self.holds_containers(found[0]))

    def holds_containers(self, place: tuple) -> bool:
        """Whether there is a list of what has parts itself, of which a loop's turns read some each."""
        value = item_at(self.value, place)
        return isinstance(value, Items) and value.is_list and value.items is None and not is_a_number(value.any_item)

    def look_at(self, node: Any) -> None:
        if id(node) in self.facts.spelled and id(node) not in self.inside:  # what it does may have it as a part
            self.inside.add(id(node))
            self.look_at(self.facts.spelled[id(node)])
            self.inside.remove(id(node))
            return
        called = self.facts.calls.get(id(node))
        if called is not None:
            for parameter, argument in zip(called.derivative.parameters, called.arguments):
                self.hand_on(called.derivative, parameter, argument)
            return
        if isinstance(node, gast.Compare) and all(isinstance(op, (gast.Is, gast.IsNot)) for op in node.ops):
            for part in (node.left, *node.comparators):
                if not isinstance(part, gast.Name):  # to ask which object it is tells nothing of what is in it
                    self.look_at(part)
            return
        found = self.place(node)
        if found is not None:
            self.places.add(found[0])
            if isinstance(node, gast.Subscript) and not found[1]:
                self.read[found[0]] = None
        elif isinstance(node, list):
            for part in node:
                self.look_at(part)
        elif isinstance(node, gast.AST):
            for label in node._fields:
                self.look_at(getattr(node, label, None))

    def hand_on(self, derivative: Any, parameter: str, argument: Any) -> None:
        """What a function that is called does with an argument."""
        found = None if argument is None else self.place(argument)
        if found is None:
            self.look_at(argument)
            return
        place, is_all = found
        self.places.update((*place, *part) for part in (derivative.used_parts(parameter) if is_all else [()]))
        self.read.update(((*place, *part), None) for part in (read_in_parts(parameter, derivative) if is_all else []))

    def place(self, node: Any) -> tuple[tuple, bool] | None:
        """The place in the parameter that an expression leads to as far as its steps are known, and whether these are
        all; None of others."""
        steps: list[Any] = []
        while isinstance(node, (gast.Attribute, gast.Subscript)):
            steps.append(node.attr if isinstance(node, gast.Attribute) else known_value(
                self.facts.values.get(id(node.slice))))
            node = node.value
        if not isinstance(node, gast.Name) or node.id != self.parameter:
            return None
        place: tuple = ()
        value: Any = self.value
        for part in reversed(steps):
            step = value.step(part) if isinstance(value, Items) and value.items is not None else MISSING
            if step is MISSING:
                return place, False
            place, value = (*place, step), value.at(step)
        return place, True
