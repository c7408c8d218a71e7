"""Calls on lines of their own that write into an array, as the stores that they are: ``u.fill(0.0)``,
``np.copyto(u, v)``, ``np.multiply(a, b, out=u)`` become ``u[...] = value``."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.program import Store, constant, subscript
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Numeric, known_value


class Writers(Calls):
    def as_store(self, node: gast.Call, location: Location, environment: dict) -> Store | None:
        """The store that does the same; None where there is none, or it would not fail where the call does."""
        if any(isinstance(item, gast.Starred) for item in node.args) or any(item.arg is None for item in node.keywords):
            return None
        target, value = self.target_and_value(node, environment)
        if not isinstance(target, gast.Name) or not isinstance(value, gast.AST):
            return None
        array, stored = (self.passively(part, environment) for part in (target, value))
        if not (isinstance(array, Numeric) and array.kind == "array" and is_of(array, "f")
                and isinstance(stored, Numeric) and is_of(stored, "biuf")):
            return None
        if getattr(node.func, "attr", "") == "fill" and stored.shape != ():
            return None
        place = gast.copy_location(subscript(target, constant(...)), node)
        return Store(place, value, location)

    def target_and_value(self, node: gast.Call, environment: dict) -> tuple[Any, Any]:
        """What is written into, and the expression for what it gets."""
        keywords = {item.arg: item.value for item in node.keywords}
        if isinstance(node.func, gast.Attribute) and node.func.attr == "fill" and len(node.args) == 1 and not keywords \
                and isinstance(self.passively(node.func.value, environment), Numeric):
            return node.func.value, node.args[0]
        function = known_value(self.passively(node.func, environment))
        if function is np.copyto and len(node.args) == 2 and not keywords:
            return node.args[0], node.args[1]
        if isinstance(function, np.ufunc) and len(node.args) == function.nin and keywords.keys() == {"out"}:
            return keywords["out"], gast.copy_location(gast.Call(node.func, node.args, []), node)
        return None, None


def is_of(value: Abstract, kinds: str) -> bool:
    return isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind in kinds
