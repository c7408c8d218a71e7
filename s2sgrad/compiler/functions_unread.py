"""Functions that generated primals only hand on to one another, for each primal calls what was made of them.

Where a primal is differentiated again nothing is given in their place: a function is taken for all that it closes over,
and that is handed on beside it already.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.program import Define, constant, expressions_in, names_in, statements, walk
from s2sgrad.compiler.respell import changed
from s2sgrad.rules.abstract import Function

Place = tuple[int, str]
"""A derivative, by its number, and a name in its primal."""


class Handed:
    """What primals do with functions. ``cells``: in which each of the derivatives' primals is."""

    def __init__(self, derivatives: list[Any], cells: dict[int, int]):
        self.derivatives = derivatives
        self.cells = cells
        self.given: dict[Place, list[tuple[gast.Name, Place]]] = {}
        """To which parameters of primals a name is handed on, each with the expression."""
        self.within: dict[Place, set[Place]] = {}
        """The names that a function defined inside reads."""
        self.needed: set[Place] = set()
        for number, derivative in enumerate(derivatives):
            self.look_at(number, derivative)
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

    def look_at(self, number: int, derivative: Any) -> None:
        reads: Counter[str] = Counter()
        handed: Counter[str] = Counter()
        for statement in statements(derivative.primal_program.body):
            if does_nothing_else(statement):
                for label in statement.targets:
                    self.within.setdefault((number, label), set()).update(
                        (number, inner) for inner in names_in(statement.node))
                continue
            for node in expressions_in(statement):
                reads.update(names_in(node))
                for call_ in walk(node):
                    for part, parameter in self.arguments(derivative, call_):
                        handed[part.id] += 1
                        self.given.setdefault((number, part.id), []).append((part, parameter))
        self.needed.update((number, label) for label, count in reads.items() if count > handed[label])

    def arguments(self, derivative: Any, node: Any) -> list[tuple[gast.Name, Place]]:
        """The arguments that are names, of a call of a primal, each with the parameter that it is given to."""
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
            return []
        callee = self.cells.get(id(derivative.helpers.objects.get(node.func.id)))
        if callee is None or any(isinstance(item, gast.Starred) for item in node.args):
            return []
        program = self.derivatives[callee].primal_program
        positional = [label for label in program.parameters if label not in program.keyword_only]
        pairs = [*zip(node.args, positional), *((item.value, item.arg) for item in node.keywords)]
        return [(part, (callee, label)) for part, label in pairs if isinstance(part, gast.Name)]

    def without_functions(self, number: int) -> Any:
        """The primal with nothing in the place of the functions that nobody calls; None where there is none."""
        derivative = self.derivatives[number]
        program, parameters = derivative.primal_program, derivative.facts.parameters
        defined = {label for owner, label in self.within if owner == number and (number, label) not in self.needed}
        unread = defined | {label for label, version in parameters.items() if isinstance(version.value, Function)
                            and (number, label) not in self.needed}
        uses = [part for label in unread for part, _ in self.given.get((number, label), ())]
        if not uses and not defined:
            return None
        body = changed(program.body, {id(part): constant(None) for part in uses})
        return replace(program, body=tuple(statement for statement in body if not (
            does_nothing_else(statement) and defined.issuperset(statement.targets))))


def does_nothing_else(statement: Any) -> bool:
    """Whether all that a statement does is to define a function."""
    node = getattr(statement, "node", None)
    return isinstance(statement, Define) and isinstance(node, gast.FunctionDef) and not node.decorator_list \
        and not any(isinstance(part, gast.Call) for default in (*node.args.defaults, *node.args.kw_defaults)
                    if default is not None for part in walk(default))


def without_functions(derivatives: list[Any], cells: dict[int, int]) -> dict[int, Any]:
    """By their numbers the primals in which nothing stands for some functions."""
    handed = Handed(derivatives, cells)
    found = {number: handed.without_functions(number) for number in range(len(derivatives))}
    return {number: program for number, program in found.items() if program is not None}
