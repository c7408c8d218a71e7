"""Functions that generated primals, or tangent functions, only hand on to one another, for each calls what was made of
them.

Where one is differentiated again nothing is given in their place: a function is taken for all that it closes over, and
that is handed on beside it already.
"""
from __future__ import annotations

import operator
from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import gast

from s2sgrad.compiler.facts import Version
from s2sgrad.compiler.nodes import constant, names_in, walk
from s2sgrad.compiler.program import Assign, Define, Program, blocks_of, expressions_in, statements, with_blocks
from s2sgrad.compiler.respell import changed
from s2sgrad.compiler.scopes import defaults
from s2sgrad.rules.abstract import Abstract, Function, Items

Place = tuple[int, str]
"""A generated function, by its number, and a name in it."""


class Generated(NamedTuple):
    """A generated function, what its text mentions besides the user's own names, and what is known of the parameters
    that it has of the user's."""

    program: Program
    objects: dict[str, Any]
    parameters: dict[str, Version]


class Handed:
    """What generated functions do with functions. ``cells``: in which each of them is."""

    def __init__(self, generated: list[Generated], cells: dict[int, int]):
        self.generated = generated
        self.cells = cells
        self.given: dict[Place, list[tuple[gast.Name, Place]]] = {}
        """To which parameters of others a name is handed on, each with the expression."""
        self.unnamed: dict[int, list[tuple[gast.AST, Place]]] = {}
        """By number, what one hands on of functions without a name: lambdas, methods, lists of functions."""
        self.within: dict[Place, set[Place]] = {}
        """The names that a function defined inside reads."""
        self.needed: set[Place] = set()
        for number, function in enumerate(generated):
            self.look_at(number, function)
        pending = list(self.needed)
        sources: dict[Place, set[Place]] = {}
        for place, uses in self.given.items():
            for _, parameter in uses:
                sources.setdefault(parameter, set()).add(place)
        while pending:
            place = pending.pop()
            more = (sources.get(place, set()) | self.within.get(place, set())) - self.needed
            self.needed |= more
            pending += more

    def look_at(self, number: int, function: Generated) -> None:
        reads: Counter[str] = Counter()
        handed: Counter[str] = Counter()
        for statement in statements(function.program.body):
            if self.names_a_function(function, statement):
                for label in bound_by(statement):
                    self.within.setdefault((number, label), set()).update(
                        (number, inner) for inner in names_in(read_by(statement)))
                continue
            for node in expressions_in(statement):
                reads.update(names_in(node))
                for call_ in walk(node):
                    for part, parameter in self.arguments(function, call_):
                        made_here = self.made_where_given(part, parameter)
                        if made_here is not None:
                            self.unnamed.setdefault(number, []).append((part, parameter))
                        for label in [part] if isinstance(part, gast.Name) else made_here or ():
                            handed[label.id] += 1
                            self.given.setdefault((number, label.id), []).append((label, parameter))
        self.needed.update((number, label) for label, count in reads.items() if count > handed[label])

    def made_where_given(self, node: Any, parameter: Place) -> list[gast.Name] | None:
        """The names in an argument that is a function, or a list of such, made where it is handed on, for which nothing
        is evaluated; None for every other argument."""
        number, label = parameter
        version = self.generated[number].parameters.get(label)
        if version is None or not holds_functions_alone(version.value):
            return None
        parts = node.elts if isinstance(node, (gast.List, gast.Tuple)) else [node]
        plain = not isinstance(node, gast.Name) and all(
            isinstance(part, gast.Name) or isinstance(part, gast.Lambda) and not defaults(part.args)
            or isinstance(part, gast.Attribute) and isinstance(part.value, gast.Name) for part in parts)
        return [part for part in parts if isinstance(part, gast.Name)] if plain else None

    def arguments(self, function: Generated, node: Any) -> list[tuple[Any, Place]]:
        """The arguments of a call of one of them, each with the parameter that it is given to."""
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
            return []
        callee = self.cells.get(id(function.objects.get(node.func.id)))
        if callee is None or any(isinstance(item, gast.Starred) for item in node.args):
            return []
        program = self.generated[callee].program
        positional = [label for label in program.parameters if label not in program.keyword_only]
        pairs = [*zip(node.args, positional), *((item.value, item.arg) for item in node.keywords)]
        return [(part, (callee, label)) for part, label in pairs]

    def without_functions(self, number: int) -> Any:
        """The Program with nothing in the place of the functions that nobody calls; None where there is none."""
        program, _, parameters = function = self.generated[number]
        defined = {label for owner, label in self.within if owner == number and (number, label) not in self.needed}
        unread = defined | {label for label, version in parameters.items() if isinstance(version.value, Function)
                            and (number, label) not in self.needed}
        uses = [part for label in unread for part, _ in self.given.get((number, label), ())]
        uses += [part for part, parameter in self.unnamed.get(number, ()) if parameter not in self.needed]
        if not uses and not defined:
            return None
        body = changed(program.body, {id(part): constant(None) for part in uses})
        return replace(program, body=self.without(function, body, defined))

    def without(self, function: Generated, body: tuple, defined: set[str]) -> tuple:
        """Statements without those that do nothing but to give functions names that nobody reads."""
        kept = tuple(self.inside(function, statement, defined) for statement in body if not (
            self.names_a_function(function, statement) and defined.issuperset(bound_by(statement))))
        return body if len(kept) == len(body) and all(map(operator.is_, kept, body)) else kept

    def inside(self, function: Generated, statement: Any, defined: set[str]) -> Any:
        made = with_blocks(statement, lambda block: self.without(function, block, defined))
        return statement if all(map(operator.is_, blocks_of(made), blocks_of(statement))) else made

    def names_a_function(self, function: Generated, statement: Any) -> bool:
        """Whether all that a statement does is to define a function, or to name one of a list that was handed on."""
        if not isinstance(statement, Assign):
            return does_nothing_else(statement)
        item = statement.value
        if not isinstance(statement.target, str) or not isinstance(item, gast.Subscript) or not isinstance(
                item.slice, gast.Constant) or not isinstance(item.value, gast.Name):
            return False
        given = function.parameters.get(item.value.id)
        return given is not None and holds_functions_alone(given.value) and isinstance(given.value, Items)


def holds_functions_alone(value: Abstract) -> bool:
    """Whether this is a function that is handed on, or a list or tuple of nothing else."""
    if isinstance(value, Items):
        return value.items is not None and not value.is_object and all(map(holds_functions_alone, value.items))
    return isinstance(value, Function)


def bound_by(statement: Define | Assign) -> tuple:
    return statement.targets if isinstance(statement, Define) else (statement.target,)


def read_by(statement: Define | Assign) -> Any:
    return statement.node if isinstance(statement, Define) else statement.value


def does_nothing_else(statement: Any) -> bool:
    """Whether all that a statement does is to define a function."""
    node = getattr(statement, "node", None)
    return isinstance(statement, Define) and isinstance(node, gast.FunctionDef) and not node.decorator_list \
        and not any(isinstance(part, gast.Call) for default in (*node.args.defaults, *node.args.kw_defaults)
                    if default is not None for part in walk(default))


def without_functions(generated: list[Generated], cells: dict[int, int]) -> dict[int, Any]:
    """By their numbers the Programs in which nothing stands for some functions."""
    handed = Handed(generated, cells)
    found = {number: handed.without_functions(number) for number in range(len(generated))}
    return {number: program for number, program in found.items() if program is not None}
