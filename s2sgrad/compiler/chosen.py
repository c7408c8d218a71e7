"""Calls of functions of which one is chosen while the function runs: ``f = np.sin if x > 0 else np.cos; f(x)`` becomes
``np.sin(x) if f is np.sin else np.cos(x)``, and ``OPS[token](a, b)``, of a dict with known keys, becomes
``OPS["+"](a, b) if token == "+" else OPS["*"](a, b)``."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.closed import is_closed
from s2sgrad.compiler.effects import functions_in, has_effect
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.facts import Version, made_from
from s2sgrad.compiler.inlined import Inlined
from s2sgrad.compiler.nodes import call, constant, located_at, subscript
from s2sgrad.compiler.program import Assign
from s2sgrad.compiler.rule_calls import KINDS
from s2sgrad.compiler.structures import key_expression
from s2sgrad.compiler.unlike import holds_functions, is_function
from s2sgrad.compiler.without_rule import BY_NAME
from s2sgrad.containers import is_member
from s2sgrad.rules.abstract import MISSING, Abstract, Function, Items, Known, Opaque, known_value
from s2sgrad.runtime import key_among

MOST_FUNCTIONS = 8
MOST_KEYS = 24


class Chosen(Inlined):
    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        version = environment.get(node.func.id) if isinstance(node.func, gast.Name) else None
        if version is not None and isinstance(version.value, Opaque):
            functions = self.functions_of(version)
            if 1 < len(functions) <= MOST_FUNCTIONS:
                return self.respelled(node, self.by_cases(node, functions), environment)
        if isinstance(node.func, gast.Subscript) and not self.passive_context:
            by_table = self.by_table(node, node.func, environment)
            if by_table is not None:
                return self.respelled(node, by_table, environment)
        return super().of_Call(node, environment)

    def by_table(self, node: gast.Call, chosen: gast.Subscript, environment: dict) -> gast.AST | None:
        """A call of what is in a dict under a key that is not known before it: one for each key; None for others."""
        if id(node) in self.tables:
            return self.tables[id(node)]
        if isinstance(chosen.slice, gast.Slice) or known_value(
                self.passively(chosen.slice, environment)) is not MISSING:
            return None
        unnamed = NeedsName(chosen.value, self.refusal("the function called here is not known before the call", BY_NAME,
                                                       node))
        if isinstance(chosen.value, gast.Dict):  # made once, not for each key
            raise unnamed
        table = self.evaluate(chosen.value, environment)
        if isinstance(table, Items) and holds_functions(table) and has_effect(chosen.slice, self.facts):
            raise NeedsName(chosen.slice, unnamed.refusal)
        if isinstance(table, Items) and table.kind in (list, tuple) and table.items and not has_effect(
                chosen, self.facts):
            functions = [item.value for item in table.items
                         if isinstance(item, Known) and isinstance(item.value, KINDS)]
            if len(table.items) > MOST_KEYS:
                return None
            if len(functions) == len(table.items):
                self.tables[id(node)] = self.by_cases(node, list(dict.fromkeys(functions)))
            elif all(is_function(item) or isinstance(item, Items) and is_closed(item.kind) for item in table.items):
                if isinstance(chosen.value, (gast.List, gast.Tuple)):
                    raise unnamed
                self.tables[id(node)] = self.one_for_each(node, chosen.slice, [
                    gast.Call(subscript(chosen.value, constant(place)), node.args, node.keywords)
                    for place in range(len(table.items))])
            return self.tables.get(id(node))
        held = table.value if isinstance(table, Known) else None
        keys = tuple(held) if type(held) is dict else table.keys or () if isinstance(table, Items) \
            and table.is_dict and table.items is not None else ()
        if not 2 <= len(keys) <= MOST_KEYS or not all(type(key) in (str, int) or is_member(key) for key in keys) \
                or has_effect(chosen, self.facts):
            return None
        called = held.values() if type(held) is dict else table.items
        if not all(callable(item) or isinstance(item, (Function, Known, Items)) for item in called):
            return None
        given = [self.evaluate(item.value if isinstance(item, gast.Starred) else item, environment)
                 for item in (*node.args, *(item.value for item in node.keywords))]
        if not (table.active or functions_in(table) or any(value.active for value in given)):
            return None
        found = call(self.given(key_among), chosen.slice, *([chosen.value] if isinstance(table, Known) else [
            constant(None)]), *map(self.key, keys))
        cases = [gast.Call(subscript(chosen.value, self.key(key)), node.args, node.keywords) for key in keys]
        made: gast.AST = cases[-1]
        for key, case in reversed(list(zip(keys[:-1], cases))):
            one = found if key == keys[0] else chosen.slice
            made = gast.IfExp(gast.Compare(one, [gast.Eq()], [self.key(key)]), case, made)
        self.tables[id(node)] = located_at(made, node)
        return self.tables[id(node)]

    def one_for_each(self, node: gast.AST, place: gast.AST, cases: list) -> gast.AST:
        """What an expression gives of the item at a place of a list, of the cases for all of them."""
        *others, made = cases
        # counted from the end, too, and an IndexError where there is none
        counted = subscript(call(self.given(range), constant(len(cases))), place)
        for number, case in reversed(list(enumerate(others))):
            made = gast.IfExp(gast.Compare(counted, [gast.Eq()], [constant(number)]), case, made)
        return located_at(made, node)

    def key(self, key: Any) -> gast.AST:
        return self.given(key) if is_member(key) else key_expression(key)

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.tables: dict[int, gast.AST] = {}
        """The calls that one of a function in a dict stands for, by ``id``."""

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
                if not isinstance(function, KINDS):
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
        elif isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
            table = self.facts.values.get(id(node.value))
            return [version.value] if not isinstance(table, Items) or not table.items else [*table.items]
        elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "get" and len(
                node.args) == 2:
            table = self.facts.values.get(id(node.func.value))
            return [version.value] if not isinstance(table, Items) or not table.items or not table.is_dict else [
                *table.items, self.facts.values.get(id(node.args[1]))]
        return [self.facts.values.get(id(part)) for part in parts] or [version.value]
