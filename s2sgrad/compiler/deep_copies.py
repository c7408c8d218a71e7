"""``copy.deepcopy`` of containers of differentiated values, as copies of all arrays in them.

In a deep copy one array that is in two places stays one. Nothing tells before the call whether there is such an array:
a test before the copy does.
"""
from __future__ import annotations

import copy
from typing import Any

import gast

from s2sgrad import runtime
from s2sgrad.compiler.construct import holds_one_at_most, is_copied_by_parts
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.generators import Generators
from s2sgrad.compiler.nodes import call, constant, located_at
from s2sgrad.compiler.program import Assign, Branch, Leave
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Items

SHARED = ("an array, list or object is in there twice, and is one in the copy, too",
          "copy the parts: {name: part.copy() for name, part in params.items()}")


class DeepCopies(Generators):
    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.copies: dict[Assign, list] = {}

    def deep_copy(self, node: gast.Call, value: Items, environment: dict) -> Abstract:
        if not is_copied_by_parts(value):
            return super().deep_copy(node, value, environment)
        if not holds_one_at_most(value):
            raise NeedsName(node, self.looked_up_before(node))
        return self.respelled(node, self.copy_by_parts(node), environment)

    def looked_up_before(self, node: gast.Call) -> UnsupportedError:
        return self.refusal("whether an array is in there twice is looked up before this",
                            "copy what has a name, and give the copy one, on lines before", node)

    def copy_by_parts(self, node: gast.Call) -> gast.AST:
        form = id(node), runtime.held
        if form not in self.facts.simpler:
            self.facts.simpler[form] = located_at(call(self.given(runtime.held), node.args[0]), node)
        made: Any = self.facts.simpler[form]
        return made

    def checked_copy(self, statement: Assign, environment: dict) -> list | None:
        """The statements for ``best = copy.deepcopy(params)``; None for all others."""
        node: Any = statement.value
        if self.function_of(node, environment) is not copy.deepcopy or len(node.args) != 1 or node.keywords:
            return None
        value = self.evaluate(node.args[0], environment)
        if not isinstance(value, Items) or not value.active or not is_copied_by_parts(value) \
                or holds_one_at_most(value):
            return None
        if not isinstance(node.args[0], gast.Name) and not self.facts.is_place(node.args[0]):
            raise NeedsName(node.args[0], self.looked_up_before(node))
        if statement not in self.copies:
            location = statement.location
            twice = located_at(call(self.given(runtime.holds_twice), node.args[0]), node)
            error = located_at(call(self.given(UnsupportedError), *map(constant, SHARED)), node)
            self.copies[statement] = [
                Branch(twice, (Leave("raise", error, location),), (), location),
                Assign(statement.target, self.copy_by_parts(node), location)]
        return self.copies[statement]
