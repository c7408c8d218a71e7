"""Parts of the user's expressions that must be saved, bound to names before these."""
from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import mentions, same, substitute
from s2sgrad.compiler.captures import Capture
from s2sgrad.compiler.kept import Kept, Point, named
from s2sgrad.compiler.nodes import attribute, call, name, walk
from s2sgrad.compiler.order import takes_any_call, with_operands
from s2sgrad.compiler.program import Assign, Statement
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import MISSING, Items, Known, Numeric, known_value
from s2sgrad.rules.table import METHODS


class KeptParts(Kept):
    """The part of the primal that takes expressions apart."""

    def expression(self, node: gast.AST, out: list, point: Point, statement: Statement) -> tuple[gast.AST, Point]:
        """The user's expression with the parts that must be saved bound to names before it."""
        if not self.returning and (statement not in self.taken_apart or not self.is_taken_apart(node)):
            return node, point
        location = statement.location

        def visit(child: gast.AST, before: list) -> gast.AST:
            nonlocal point
            indexes = isinstance(node, gast.Subscript) and child is node.slice
            chosen_of = self.facts.values.get(id(node.value)) if indexes else None
            again = self.computed_before(child, point, isinstance(chosen_of, Numeric))
            if again is not None:
                return again
            chooses = self.again and indexes
            self.choosing += chooses
            new, point = self.expression(child, before, point, statement)
            self.choosing -= chooses
            return new

        result = with_operands(node, self.facts, visit, self.may_wait, self.names_for, out, location)
        changed = result is not node
        point = self.make_masks(node, False, out, point, location)
        captures = self.parts.get(id(node), [])
        compared = id(node) in self.operands and id(node) not in self.whole and not isinstance(
            node, (gast.Name, gast.Constant))
        if self.returning or changed or captures or compared:
            result = self.reduced(node, result)
        if captures or compared:
            part = next((capture.name for capture in captures if capture.kind == "part"), None)
            if part is None and isinstance(result, gast.Name):
                variable = result.id
            elif part is not None and id(node) in self.overwritten:
                variable = self.names_for(node)
                copy = self.copied(name(variable), self.facts.values.get(id(node)))
                out += [Assign(variable, result, location), Assign(part, copy, location)]
                point = point.bind(variable, part)
            else:
                variable = part or self.names_for(captures[0] if captures else node)
                if self.choosing and takes_any_call(node, self.facts):
                    result = call(self.helpers.helper("stop_gradient"), result)
                kept = self.lasting(node, result) if part else result
                if kept is result:
                    self.as_computed.add(variable)
                out.append(Assign(variable, kept, location))
                point = point.bind(variable)
            for capture in captures:
                if capture.kind != "part":
                    out.append(Assign(capture.name, self.measure(capture, node, name(variable)), location))
                    point = point.bind(capture.name)
            result = name(variable)
        if compared:
            self.operands[id(node)] = result
            point = self.make_masks(node, True, out, point, location)
        return result, point

    def computed_before(self, node: gast.AST, point: Point, indexes: bool) -> gast.AST | None:
        """The name of what is written alike and was kept before, for an operand of what hands on no memory of it.
        ``indexes``: it chooses elements of an array."""
        first = self.captures.again.get(id(node))
        if first is None or id(first) in self.overwritten or any(
                id(part) in self.operands or id(part) in self.parts or id(part) in self.masks for part in walk(node)):
            return None  # something in it has a name of its own
        capture = self.captures.table.get(("part", id(first)))
        if capture is None or capture.name not in point.certain or not indexes and id(node) not in self.only_read:
            return None
        value = self.facts.values[id(first)]
        flat = isinstance(value, Numeric) and value.shape is not None and len(value.shape) < 2
        # a copy's memory may be in another order
        return name(capture.name) if flat or capture.name in self.as_computed else None

    @functools.cached_property
    def only_read(self) -> set[int]:
        """The operands of operations that give new memory."""
        return {id(node) for applied in self.facts.applied.values() if applied.operation.sharing == "fresh"
                and isinstance(applied.operation.result, Numeric) for node in applied.nodes.values()}

    def may_be_missing(self, target: Any) -> bool:
        """Whether there may be nothing in a dict where something is stored."""
        whole = self.facts.values.get(id(getattr(target, "value", None)))
        return isinstance(target, gast.Subscript) and isinstance(whole, Items) and whole.is_dict and (
            whole.is_open or known_value(self.facts.values[id(target.slice)]) is MISSING)

    def perhaps_there(self, statement: Assign, target: Any) -> Assign:
        """``d.get(key)`` for ``d[key]``, before something is stored there; or a copy of it; or the shape of what has a
        name by then. What leads to the dict, ``rows[i]`` of ``rows[i][key]``, is there, and so is what the key is
        made of."""
        value: Any = statement.value
        if isinstance(value, gast.Attribute) and value.attr in ("shape", "size"):
            return replace(statement, value=call(self.helpers.numpy(value.attr), value.value))
        whole = value
        while isinstance(whole, gast.Call):
            whole = whole.args[0] if whole.args else whole.func.value
        if not isinstance(whole, gast.Subscript) or any(
                same(whole, part) for around in (target.value, target.slice) for part in gast.walk(around)):
            return statement
        found = call(attribute(whole.value, "get"), whole.slice)
        return replace(statement, value=found if whole is value else call(self.helpers.helper("held"), found))

    def reduced(self, node: gast.AST, result: Any) -> gast.AST:
        """``x.sum()`` for ``np.sum(x)`` of a differentiated array, which does the same in half the time; only where the
        line is written anew."""
        applied = self.facts.applied.get(id(node))
        if applied is None or not applied.operation.rule.spreads or not isinstance(node, gast.Call):
            return result
        rule = applied.operation.rule
        first = self.facts.values.get(id(node.args[0])) if node.args else None
        if METHODS.get(rule.name) is not rule or not isinstance(self.facts.values.get(id(node.func)), Known) \
                or not (isinstance(first, Numeric) and first.kind == "array" and first.active):
            return result
        method = attribute(result.args[0], rule.name)
        return gast.copy_location(gast.Call(method, result.args[1:], result.keywords), node)

    def may_wait(self, child: gast.AST, new: gast.AST) -> bool:
        """Whether an operand may need a name, for what is to its right is evaluated before it."""
        return not (isinstance(new, gast.Constant) or isinstance(new, gast.Name) and new.id not in self.facts.captured)

    def make_masks(self, node: gast.AST, of_result: bool, out: list, point: Point, location: Location) -> Point:
        """The masks that compare an expression's operands; those of its result come once that has a name."""
        for capture in self.masks.get(id(node), ()):
            assert capture.formula is not None
            expression, operands, _ = capture.formula
            if ("y" in operands) is of_result:
                values = {found: self.operands[id(operand)] for found, operand in operands.items()}
                out.append(Assign(capture.name, substitute(expression, functools.partial(named, values)), location))
                point = point.bind(capture.name)
        return point

    def compares(self, node: gast.AST, label: str) -> bool:
        """Whether a mask compares an expression's value with what a name has stood for."""
        return any(mentions(self.operands[id(operand)], label) for capture in self.masks.get(id(node), ())
                   if capture.formula is not None and "y" in capture.formula[1]
                   for operand in capture.formula[1].values() if operand is not node)

    def measure(self, capture: Capture, node: gast.AST, expression: gast.AST) -> gast.AST:
        """The length, shape or size of a value."""
        if capture.kind == "len":
            return call(self.helpers.builtin("len"), expression)
        value = self.facts.values.get(id(node))
        if isinstance(value, Numeric) and value.kind == "array":
            return attribute(expression, capture.kind)
        return call(self.helpers.numpy(capture.kind), expression)

    def names_for(self, subject: Any) -> str:
        """A variable for an expression that is not saved itself, but its shape, its size or a mask of it."""
        if subject not in self.measured:
            wanted = re.sub(rf"_{subject.kind}(_\d+)?$", "", subject.name) if isinstance(subject, Capture) \
                else self.wanted.get(subject, "value")
            self.measured[subject] = self.names.fresh(wanted)
        return self.measured[subject]
