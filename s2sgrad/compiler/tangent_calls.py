"""Tangents of what calls of functions with tangent functions of their own give and change."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.facts import CONTENTS
from s2sgrad.compiler.nodes import attribute, call, constant, name, subscript, tuple_of
from s2sgrad.compiler.program import Assign, Evaluate, Store, assigned_names, pattern_names
from s2sgrad.compiler.tangent_stores import TangentStores, all_replaced
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Numeric, passive


class TangentCalls(TangentStores):
    """The part of forward mode that is calls."""

    def call(self, statement: Assign, out: list) -> None:
        called = self.facts.calls[id(statement.value)]
        derivative = called.derivative
        location = statement.location
        if derivative.tangent_header is self.header:  # a recursion
            self.helpers.objects[self.header.name] = derivative.tangent_cell
            function = name(self.header.name)
        else:
            function = self.helpers.inject(("tangent", id(derivative)), derivative.tangent_header.name,
                                           derivative.tangent_cell)
        self.tangents.start(statement, {})
        nodes = [node for node in called.arguments if node is not None]
        tangents = {}
        for parameter, node in zip(derivative.parameters, called.arguments):
            if parameter in derivative.tangent_header.parameters:
                tangents[parameter] = self.argument(statement, parameter, node, called)
        parts: Any = self.values.taken_apart(tuple_of(nodes), out, location)
        if derivative.tangent_raises:
            self.shelter.called.add(function.id)
        if self.caught and not self.shelter.are_quiet(tangents.values(), self.tangents.steps, self.caught):
            parts = tuple_of([self.shelter.named(part, out, location) for part in parts.elts])
            for parameter, tangent in tangents.items():
                tangents[parameter] = self.shelter.named(tangent, self.tangents.steps, location, "dot")
            self.tangents.made |= assigned_names(tuple(self.tangents.steps))
        values = iter(parts.elts)
        arguments: list[gast.AST] = []
        keywords: dict[str, gast.AST] = {}
        for index, (parameter, node) in enumerate(zip(derivative.parameters, called.arguments)):
            if node is None:
                continue
            if len(arguments) == index and parameter not in derivative.keyword_only:
                arguments.append(next(values))
            else:
                keywords[parameter] = next(values)
        for parameter, tangent in tangents.items():
            if derivative.tangent_header.by_keyword:
                keywords[derivative.tangent_header.parameters[parameter]] = tangent
            else:
                arguments.append(tangent)
        out.extend(self.tangents.steps)
        dots = self.dotted(statement, statement.target)
        made = call(function, *arguments, **keywords)
        if dots == self.unused and self.read.isdisjoint(pattern_names(statement.target)):
            out.append(Evaluate(made, location))
        else:
            out.append(Assign((statement.target, dots), made, location))
        self.refresh(statement, called, out)

    def refresh(self, statement: Assign, called: Any, out: list) -> None:
        """After a call that stored only passive values in an object: their tangents are zero, within the object's own,
        which others may have too."""
        for parameter, node in zip(called.derivative.parameters, called.arguments):
            value = None if node is None else self.facts.values[id(node)]
            if parameter in called.written and parameter not in called.derivative.tangent_header.parameters \
                    and isinstance(value, Items) and self.has_tangent(statement, called.written[parameter]):
                label = called.written[parameter]
                version = self.facts.defined[statement, label]
                if self.facts.before[statement][label] not in self.needed:
                    self.clear(label, version, out, statement.location)
                    continue
                for place in sorted(called.derivative.facts.stored[parameter] - {None}, key=repr):
                    self.refresh_place(self.dotted_place(node, statement), self.values.value(node, statement),
                                       version.value, place, statement.location, out)

    def refresh_place(self, dots: gast.AST, whole: gast.AST, value: Abstract, place: tuple, location: Location,
                      out: list) -> None:
        """The same for one of the places in a container."""
        step, *rest = place
        if not isinstance(value, Items) or step == CONTENTS or value.keys is None and value.items is None:
            zero = self.values.zero(whole, passive(value))
            out += all_replaced(value, dots, zero, location) if isinstance(value, Items) else [
                Store(subscript(dots, gast.Slice(None, None, None)), zero, location)]
            return
        by_name = value.keys is not None and not value.is_dict
        parts = [attribute(part, step) if by_name else subscript(part, constant(step)) for part in (dots, whole)]
        if not rest and issubclass(value.kind, tuple):  # what is in there has changed, be it an array or a list
            rest = [] if isinstance(value.at(step), Numeric) else [CONTENTS]
        elif not rest:
            out.append(Store(parts[0], self.values.zero(parts[1], passive(value.at(step))), location))  # type: ignore[arg-type]
        if rest:
            self.refresh_place(parts[0], parts[1], value.at(step), tuple(rest), location, out)

    def argument(self, statement: Assign, parameter: str, node: gast.AST | None, called: Any) -> gast.AST:
        """The tangent that a call gives with an argument."""
        if node is None:
            return self.tangents.default(called.derivative.facts.parameters[parameter].value)
        if parameter in called.written:
            label = called.written[parameter]
            version = self.facts.before[statement][label]
            self.values.remember(self.tangents.dot(label), passive(version.value))
            return name(self.tangents.dot(label))
        return self.tangents.whole(node)
