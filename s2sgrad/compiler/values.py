"""The values of the primal as its tangent function has them: under the user's own names.

What a formula mentions besides, a part of an expression, gets a name before the statement that it stands in.
"""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.indexing import BASIC
from s2sgrad.compiler.nodes import Names, attribute, call, name, walk
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.order import takes_any_call, with_operands
from s2sgrad.compiler.program import Assign, Program
from s2sgrad.compiler.structures import structure
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, passive


class Parts(Captures):
    """The parts of one statement's expressions that get names."""

    def __init__(self, names: Names):
        super().__init__(names, names.taken)
        self.asked: dict[int, tuple[str, gast.AST]] = {}

    def part(self, node: gast.AST, wanted: str, block: Any, value: Abstract, statement: Any) -> str:
        if id(node) not in self.asked:
            self.asked[id(node)] = self.names.fresh(wanted), node
        return self.asked[id(node)][0]


class Values(Operands):
    captures: Parts
    has_run = False

    def __init__(self, program: Program, facts: Facts, helpers: Helpers, names: Names):
        super().__init__(program, facts, Parts(names), helpers)
        self.names = names
        self.choosing = 0
        """How many indices there are around what is looked at, of which nobody asks a derivative."""
        self.start({}, None)

    def start(self, made: dict[Version, str], result: str | None) -> None:
        """Another statement is looked at: the versions that it binds, and the name that its value has before."""
        self.made = made
        self.result = result
        self.uses_result = False
        """Whether a formula mentions the value that the statement binds."""
        self.read: set[str] = set()
        """The names that are mentioned as what they were before the statement."""
        self.captures.asked = {}
        self.captures.same = {}

    # ---- values

    def before_and_behind(self, node: gast.AST, statement: Any, written: tuple) -> gast.AST:
        """A tangent function keeps values for one statement alone."""
        return node

    def has(self, version: Version) -> bool:
        """In another order the name is still what it was before."""
        return version in self.made

    def version(self, version: Version, location: Location) -> gast.AST:
        label = version.name
        if version in self.made:
            self.uses_result = True
            label = self.result or label
        else:
            self.read.add(label)
        self.remember(label, passive(version.value))
        return name(label)

    def value(self, node: gast.AST, statement: Any) -> gast.AST:
        if isinstance(node, gast.Name) and node.id in self.facts.before[statement]:  # also where it is known
            return self.version(self.facts.before[statement][node.id], statement.location)
        return self.rebuild(node, statement) if self.is_view(node) else super().value(node, statement)

    def is_view(self, node: gast.AST) -> bool:
        """Whether an expression only looks at what has a name: ``u[1:]``, ``w.T``."""
        if isinstance(node, gast.Subscript):
            return self.facts.index_kinds.get(id(node)) == BASIC and self.is_plain(node.value) \
                and all(self.is_cheap(part) for part in (
                    node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]))
        applied = self.facts.applied.get(id(node))
        return isinstance(node, gast.Attribute) and applied is not None \
            and applied.operation.sharing == "view" and self.is_plain(node.value)

    def is_plain(self, node: gast.AST) -> bool:
        named = isinstance(node, gast.Name) and id(node) not in self.facts.passing
        return named or self.is_item(node) or self.is_view(node)

    def is_lasting_item(self, node: gast.AST, statement: Any) -> bool:
        return self.is_item(node)

    def filled_element(self, node: gast.AST, statement: Any) -> gast.AST | None:
        return None  # what a statement stores is not there yet

    def shape(self, node: gast.AST, statement: Any) -> gast.AST:
        known = self.facts.values.get(id(node))
        if isinstance(known, Numeric) and known.shape == ():
            return gast.Tuple([], gast.Load())
        value = self.value(node, statement)
        array = isinstance(known, Numeric) and known.kind == "array"
        return attribute(value, "shape") if array else call(self.helpers.numpy("shape"), value)

    def size(self, node: gast.AST, statement: Any) -> gast.AST:
        return attribute(self.value(node, statement), "size")

    def mask(self, node: gast.AST, wanted: str, formula: tuple, shape: Any, statement: Any) -> gast.AST | None:
        return None

    def computed(self, function: Any, operand: gast.AST, statement: Any) -> gast.AST | None:
        return None  # it may come later

    def found(self, found: tuple[gast.AST, Any] | None, statement: Any) -> gast.AST | None:
        """The value of an expression of another statement, where that is still at hand."""
        version = None if found is None else self.subject(*found)
        at_hand = version is None or self.has(version) or self.facts.before[statement].get(version.name) is version
        return super().found(found, statement) if at_hand else None

    # ---- the user's expressions, with names for their parts

    def taken_apart(self, node: gast.AST, out: list, location: Location) -> gast.AST:
        """The user's expression with the parts that were asked for bound to names before it."""
        if not self.captures.asked:
            return node
        inside = {id(part) for part in walk(node)}
        for key, (variable, part) in self.captures.asked.items():
            if key not in inside:  # which the analysis has put in the place of others: ``pair[0]`` in ``sum(pair)``
                out.append(Assign(variable, part, location))
        return self.named(node, out, location)

    def named(self, node: gast.AST, out: list, location: Location) -> gast.AST:
        def visit(child: gast.AST, before: list) -> gast.AST:
            chooses = isinstance(node, gast.Subscript) and child is node.slice
            self.choosing += chooses
            new = self.named(child, before, location)
            self.choosing -= chooses
            return new

        result = with_operands(node, self.facts, visit, self.may_wait,
                               lambda child: self.names.fresh(self.wanted(child)), out, location)
        if id(node) not in self.captures.asked:
            return result
        variable, _ = self.captures.asked[id(node)]
        if self.choosing and takes_any_call(node, self.facts):
            result = call(self.helpers.helper("stop_gradient"), result)
        out.append(Assign(variable, result, location))
        return name(variable)

    def may_wait(self, child: gast.AST, new: gast.AST) -> bool:
        """Whether an operand may need a name, for what is to its right is evaluated before it."""
        return not isinstance(new, (gast.Constant, gast.Slice)) and not (
            isinstance(new, gast.Name) and new.id not in self.facts.captured)

    # ---- tangents of what is not differentiated

    def zero(self, expression: gast.AST, value: Abstract) -> gast.AST:
        """The tangent of a passive value."""
        if isinstance(value, Numeric) and value.is_number:
            return gast.Constant(0.0, None)
        if isinstance(value, Known):
            return gast.Constant(None, None)
        if isinstance(value, Items) and value.items == () and (value.is_list or value.is_object):
            return structure(value, [], self.helpers)
        if isinstance(value, Numeric) and value.kind == "array" and value.dtype is not None:
            if value.dtype.kind == "c" or value.dtype.kind == "f" and value.dtype.itemsize != 8:
                return call(self.helpers.numpy("zeros_like"), expression)
            return call(self.helpers.numpy("zeros"), attribute(expression, "shape"))
        return call(self.helpers.helper("zero_tangent"), expression)
