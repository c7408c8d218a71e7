"""What the parser knows of a function while it goes through it: its names, names for what is new, places; what it
refuses wherever it stands."""
from __future__ import annotations

import ast
import types
from typing import Any

import gast

from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.factories import Factories
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.locate import Located
from s2sgrad.compiler.nodes import Names, holder, name
from s2sgrad.compiler.program import Assign, Pattern
from s2sgrad.errors import Location, UnsupportedError

REFUSED_STATEMENTS = {
    "ClassDef": ("a class cannot be defined inside a differentiated function", "define it at module level"),
    "AsyncWith": ("async code has no derivative", "write a plain function"),
    "AsyncFor": ("async code has no derivative", "write a plain function"),
    "AsyncFunctionDef": ("async code has no derivative", "write a plain function"),
    "TryStar": ("except* is not supported", "catch single exceptions, with except"),
}
REFUSED_EXPRESSIONS = {
    "Yield": ("a generator has no derivative", "return the values instead"),
    "YieldFrom": ("a generator has no derivative", "return the values instead"),
    "Await": ("async code has no derivative", "write a plain function"),
}


class Parsing:
    """The state of a parser."""

    factories: Factories

    def __init__(self, located: Located, tree: gast.AST, definition: Definition, given: dict[str, object],
                 knowing: types.FunctionType, imported: frozenset[str]):
        self.located = located
        self.definition = definition
        self.tree = tree
        self.names: set[str] = set()
        self.local: set[str] = set()
        self.outer: set[str] = set()
        """Names of outer variables that the function binds, or changes what they hold."""
        self.bound: frozenset[str] = frozenset()
        """The former."""
        self.given = given
        """The functions that are not the user's, by name."""
        self.knowing = knowing
        """The function, with what is imported in it among its outer variables."""
        self.imported = imported
        """The names of the latter."""
        self.takes_out = False
        """Whether there is something that has to be taken out of the expressions that it stands in."""
        self.depth = 0
        """The number of loops around a statement."""
        self.receiver = ""
        """In a method, the name of the object."""
        self.inside: list = []
        """All nodes of the body."""
        self.outputs: set[int] = set()
        """The calls that write what they give into an array."""
        self.named: list[Assign] = []
        """What must be bound before the statement at hand: what a call gives into which that writes."""

    def location(self, node: gast.AST) -> Location:
        return Location(self.located.filename, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
                        self.located.name)

    def refusal(self, node: gast.AST, reason: str, remedy: str) -> UnsupportedError:
        return UnsupportedError(reason, remedy, self.location(node))

    def fresh(self, wanted: str) -> str:
        found = Names(self.names).fresh(wanted)
        self.names.add(found)
        return found

    def variable(self, wanted: str) -> str:
        """A free name for what the function binds."""
        found = self.fresh(wanted)
        self.local.add(found)
        return found

    def outer_value(self, node: Any) -> Any:
        """What an outer name means now; it is looked up again at each call."""
        if holder(node) in self.imported:
            return held(node, self.knowing)
        found = held(node, self.definition.function) if holder(node) not in self.local else None
        self.factories.makers.append((node, found))
        return found

    def give(self, wanted: str, function: object) -> str:
        """The name of a function that is not the user's."""
        for known, value in self.given.items():
            if value is function:
                return known
        found = self.fresh(wanted)
        self.given[found] = function
        return found

    def load(self, target: Pattern, node: gast.AST) -> gast.Name:
        assert isinstance(target, str)
        return ast.copy_location(name(target), node)
