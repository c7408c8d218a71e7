"""What gives values without end: ``itertools.count()``, and what runs along it, item by item.

Generated code has lists in the place of iterators over differentiated values, and there is no list of these.
"""
from __future__ import annotations

import itertools
from typing import Any

import gast

from s2sgrad.compiler.closed import Outliving
from s2sgrad.compiler.facts import made_from
from s2sgrad.compiler.program import Assign

ENDS = (itertools.islice, itertools.takewhile)
"""What ends on its own account."""


class Endless(Outliving):
    def refuse_endless(self, node: gast.AST, environment: dict) -> None:
        """Raises UnsupportedError where an expression gives differentiated values without end."""
        if self.is_endless(node, environment):
            raise self.refusal("this may give values without end, and not all of them are asked for here",
                               "let it count with range, or write a loop that computes them", node)

    def is_endless(self, node: Any, environment: dict) -> bool:
        """Whether what an expression gives never ends, as far as that can be seen."""
        if isinstance(node, gast.Name):
            return node.id in environment and self.is_named_endless(node.id, environment)
        if isinstance(node, gast.GeneratorExp):
            return any(self.is_endless(each.iter, environment) for each in node.generators)
        if not isinstance(node, gast.Call):
            return False
        function = self.function_of(node, environment)
        if function is itertools.count or function is itertools.cycle:
            return True
        if function is itertools.repeat:
            return len(node.args) + len(node.keywords) == 1
        if function in (zip, map):
            along = node.args[function is map:]
            return bool(along) and all(self.is_endless(item, environment) for item in along)
        return not any(function is one for one in ENDS) and any(
            self.is_endless(item, environment) for item in node.args)

    def is_named_endless(self, label: str, environment: dict) -> bool:
        """Whether a name may stand for ``itertools.count()``."""
        bound = set(made_from(environment[label]))
        return any(version in bound and isinstance(statement, Assign) and self.function_of(
            statement.value, self.facts.before[statement]) is itertools.count
            for (statement, _), version in list(self.facts.defined.items()))
