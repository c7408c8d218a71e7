"""Calls of functions of which one is chosen while the function runs: ``f = np.sin if x > 0 else np.cos; f(x)`` becomes
``np.sin(x) if f is np.sin else np.cos(x)``."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.calls import KINDS
from s2sgrad.compiler.facts import Version, made_from
from s2sgrad.compiler.inlined import Inlined
from s2sgrad.compiler.program import Assign, located_at
from s2sgrad.rules.abstract import Abstract, Known, Opaque

MOST_FUNCTIONS = 8


class Chosen(Inlined):
    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        version = environment.get(node.func.id) if isinstance(node.func, gast.Name) else None
        if version is not None and isinstance(version.value, Opaque):
            functions = self.functions_of(version)
            if 1 < len(functions) <= MOST_FUNCTIONS:
                return self.respelled(node, self.by_cases(node, functions), environment)
        return super().of_Call(node, environment)

    def by_cases(self, node: gast.Call, functions: list) -> gast.AST:
        *others, last = functions
        chosen: gast.AST = gast.Call(self.given(last), node.args, node.keywords)
        for function in reversed(others):
            test = gast.Compare(node.func, [gast.Is()], [self.given(function)])
            chosen = gast.IfExp(test, gast.Call(self.given(function), node.args, node.keywords), chosen)
        return located_at(chosen, node)

    def functions_of(self, version: Version) -> list:
        """The functions that a name may stand for; none where it may be something else."""
        found: list = []
        for made in made_from(version):
            if made.sources:
                continue
            for value in self.chosen_from(made):
                function = value.value if isinstance(value, Known) else None
                if not isinstance(function, KINDS) or not function.__name__.isidentifier():
                    return []
                if not any(function is known for known in found):
                    found.append(function)
        return found

    def chosen_from(self, version: Version) -> list[Any]:
        """What is known of the values of which a statement binds a name to one."""
        if not isinstance(version.value, Opaque):
            return [version.value]
        node = next((statement.value for (statement, label), defined in self.facts.defined.items()
                     if defined is version and isinstance(statement, Assign) and statement.target == label), None)
        parts: list = []
        if isinstance(node, gast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, gast.Subscript) and isinstance(node.value, (gast.Tuple, gast.List, gast.Dict)):
            parts = node.value.values if isinstance(node.value, gast.Dict) else node.value.elts
        return [self.facts.values.get(id(part)) for part in parts] or [version.value]
