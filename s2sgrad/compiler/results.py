"""The chain rule for a function with several results, ``w, v = np.linalg.eigh(a)``: some may have no cotangent."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.algebra import is_trivial, mentions, template
from s2sgrad.compiler.cotangents import Cotangent, Cotangents
from s2sgrad.compiler.facts import Applied, Facts
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import call, constant, name, subscript, tuple_of
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.program import Assign, Store, pattern_names
from s2sgrad.compiler.structures import accessed
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Items


@frozen
class Step:
    """What a step of a formula is assigned to, and whether that is new memory."""

    variable: str
    fresh: bool


class Results:
    """The part of :class:`~s2sgrad.compiler.chain.Chain` that knows of several results."""

    facts: Facts
    operands: Operands
    cotangents: Cotangents
    helpers: Helpers
    formulas: Callable[..., Any]
    instantiate: Callable[..., Any]
    expression: Callable[..., Any]
    result: Callable[..., Any]

    def several(self, statement: Any, node: gast.AST, applied: Applied, cotangents: dict) -> None:
        """The product of the cotangents of several results with a rule's derivatives, one for each active operand."""
        results = self.facts.values[id(node)]
        assert isinstance(results, Items)
        seeds: dict[int, Cotangent] = {}
        for index, step in enumerate(results.steps):
            inner = {path[1:]: cotangent for path, cotangent in cotangents.items() if path[0] == step}
            if inner:
                seeds[index] = self.whole_part(statement, node, index, inner)
        formulas = self.formulas(statement, node, applied, applied.operation.reaching(tuple(seeds)))
        mine: dict[str, gast.AST] = {}
        for index, seed in seeds.items():
            mine[f"g_{index}"] = seed.expression
            uses = sum(uses_of_cotangent(formula, f"g_{index}") for *_, formula in formulas)
            if uses > 1 and not is_trivial(seed.expression):
                variable = self.cotangents.names.fresh(f"{applied.operation.rule.name}_bar")
                self.cotangents.assign(variable, seed.expression, statement.location)
                mine[f"g_{index}"] = name(variable)
        made: dict[str, Step] = {}
        for operand, _, formula in formulas:
            expression = self.instantiate(statement, node, applied, formula, mine, made)
            self.expression(statement, operand, {(): Cotangent(expression, self.operands.evaluate(expression), True)})

    def whole_part(self, statement: Any, node: gast.AST, index: int, cotangents: dict) -> Cotangent:
        """The cotangent of one of several results, in its shape, also where that was unpacked into names."""
        if () in cotangents and cotangents[()].full:
            return cotangents[()]
        shape = call(self.helpers.numpy("shape"), self.part_of_result(statement, node, index))
        if () in cotangents:
            expression = call(self.helpers.numpy("broadcast_to"), cotangents[()].expression, shape)
            return Cotangent(expression, self.operands.evaluate(expression), True)
        variable = self.cotangents.names.fresh("part_bar")
        results = self.facts.values[id(node)]
        assert isinstance(results, Items) and results.items is not None
        self.cotangents.assign(variable, self.operands.zeros_of_shape(shape, results.items[index]), statement.location)
        for path, cotangent in cotangents.items():
            place = tuple_of([constant(step) for step in path]) if len(path) > 1 else constant(path[0])
            self.cotangents.out.append(Store(subscript(name(variable), place), cotangent.expression,
                                             statement.location))
        return Cotangent(name(variable), self.operands.evaluate(name(variable)), True, True)

    def part_of_result(self, statement: Any, node: gast.AST, index: int) -> gast.AST:
        """One of several results: under the name that it is bound to, if it is."""
        results = self.facts.values[id(node)]
        assert isinstance(results, Items)
        target = statement.target if isinstance(statement, Assign) and statement.value is node else None
        if isinstance(target, tuple) and len(target) == len(results.steps):
            label = target[index]
            if isinstance(label, str) and list(pattern_names(target)).count(label) == 1:
                version = self.facts.defined[statement, label]
                if self.operands.has(version):
                    return self.operands.version(version, statement.location)
        return accessed(self.result(statement, node), results, (results.steps[index],))


@functools.lru_cache(maxsize=4096)
def uses_of_cotangent(formula: str, identifier: str = "g") -> int:
    """How often a formula mentions ``g``, or the cotangent of one of several results."""
    steps, last = template(formula)
    return mentions(last, identifier) + sum(mentions(expression, identifier) for _, expression, _ in steps)
