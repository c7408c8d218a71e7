"""Comprehensions over differentiated values: what they give, and the loops that they stand for.

``[f(x) for x in xs if test]`` becomes ``items = []``, a loop over ``xs``, and ``items.append(f(x))`` in it. A generator
expression is taken for the list of what it generates.
"""
from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import gast

from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.effects import functions_in
from s2sgrad.compiler.evaluate import NEVER
from s2sgrad.compiler.program import Append, Assign, Branch, Loop, Names, Pattern, name, names_in
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items


class Comprehensions(Calls):
    def of_ListComp(self, node: Any, environment: dict) -> Abstract:
        if self.passive_context or not any(
                label in environment and (environment[label].value.active or functions_in(environment[label].value))
                for label in names_in(node)):
            return self.of_other(node, environment)
        inside = environment
        for generator in node.generators:
            value = self.one_of(self.iterate(generator.iter, inside), id(generator))
            inside = self.with_target(generator.target, value, inside)
            for test in generator.ifs:
                self.passively(test, inside)
        element = self.evaluate(node.elt, inside)
        if element is NEVER:
            return NEVER
        if element.active:
            self.facts.comprehensions.add(id(node))
        else:
            for inner in gast.walk(node):
                self.facts.calls.pop(id(inner), None)
        return Items(list, None, element)

    of_GeneratorExp = of_ListComp

    def with_target(self, target: gast.AST, value: Abstract, environment: dict) -> dict:
        """What is known inside a comprehension whose target is bound to a value."""
        if isinstance(target, gast.Name):
            return {**environment, target.id: self.version(target.id, value, "bound")}
        if not isinstance(target, (gast.Tuple, gast.List)) or any(
                isinstance(item, gast.Starred) for item in target.elts):
            raise self.refusal("this target of a comprehension is not supported", "write a loop", target)
        for index, item in enumerate(target.elts):
            environment = self.with_target(item, self.element(value, index, target.elts), environment)
        return environment


def as_loops(node: Any, target: str, names: Names, taken: set[str], location: Location) -> list:
    """The statements that put what a comprehension gives into a list of this name.

    The comprehension's variables are its own: those that are ``taken`` get other names.
    """
    bound = {label for generator in node.generators for label in names_in(generator.target)}
    renamed = {label: names.fresh(label) for label in sorted(bound & taken)}
    if renamed:
        node = copy.deepcopy(node)
        for inner in inner_names(node):
            inner.id = renamed.get(inner.id, inner.id)
    body: tuple = (Append(name(target), node.elt, location),)
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = (Branch(test, body, (), location),)
        body = (Loop(pattern_of(generator.target), generator.iter, body, location),)
    return [Assign(target, gast.List([], gast.Load()), location), *body]


def inner_names(node: Any) -> Iterator[gast.Name]:
    """The names in a comprehension that mean its own variables: not those in its first iterable."""
    first = node.generators[0]
    for part in (node.elt, first.target, *first.ifs, *node.generators[1:]):
        yield from (inner for inner in gast.walk(part) if isinstance(inner, gast.Name))


def pattern_of(target: Any) -> Pattern:
    if isinstance(target, gast.Name):
        return target.id
    return tuple(map(pattern_of, target.elts))
