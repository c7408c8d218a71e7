"""Methods and attributes of one of several objects of unlike classes, which is chosen while the function runs.

``shapes[k].area()`` becomes ``shapes[0].area() if range(2)[k] == 0 else shapes[1].area()``, one case for each object.
"""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.chosen import Chosen
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.nodes import constant, subscript
from s2sgrad.compiler.unlike import MOST_UNLIKE, holds_unlike
from s2sgrad.rules.abstract import MISSING, Abstract, Items, known_value


class OneOfSeveral(Chosen):
    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        cases = self.case_of_each(node, node.func.value, environment) if isinstance(node.func, gast.Attribute) else None
        return super().of_Call(node, environment) if cases is None else self.respelled(node, cases, environment)

    def of_Attribute(self, node: gast.Attribute, environment: dict) -> Abstract:
        cases = self.case_of_each(node, node.value, environment)
        return super().of_Attribute(node, environment) if cases is None else self.respelled(node, cases, environment)

    def case_of_each(self, node: Any, chosen: Any, environment: dict) -> gast.AST | None:
        """What an expression does with each of the objects of a list, where it is not known which of them it takes;
        None of others."""
        if not isinstance(chosen, gast.Subscript) or isinstance(chosen.slice, (gast.Slice, gast.Constant)):
            return None
        if id(node) in self.tables:
            return self.tables[id(node)]
        held = self.evaluate(chosen.value, environment)
        if not isinstance(held, Items) or not holds_unlike(held) or held.kind not in (list, tuple) \
                or len(held.items or ()) > MOST_UNLIKE or has_effect(chosen, self.facts) or known_value(
                    self.passively(chosen.slice, environment)) is not MISSING:
            return None
        self.tables[id(node)] = self.one_for_each(node, chosen.slice, [
            self.with_object(node, subscript(chosen.value, constant(place))) for place in range(len(held.items or ()))])
        return self.tables[id(node)]

    def with_object(self, node: Any, found: gast.AST) -> gast.AST:
        if isinstance(node, gast.Call):
            return gast.Call(gast.Attribute(found, node.func.attr, gast.Load()), node.args, node.keywords)
        return gast.Attribute(found, node.attr, node.ctx)
