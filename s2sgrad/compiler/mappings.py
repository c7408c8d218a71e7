"""Dicts whose keys are not known before the call: what is read of them, as expressions that read items by their keys.

``d.get(k, 0.0)`` stands for ``d[k] if k in d else 0.0``, ``d.values()`` for ``[d[key] for key in d]``. The cotangent of
such a dict is a dict, which has its keys and may have those that the dict gets later: what is there nobody reads.
"""
from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.effects import has_effect, special_call
from s2sgrad.compiler.evaluate import Evaluator
from s2sgrad.compiler.evaluation import ComesFirst, NeedsName, literal
from s2sgrad.compiler.nodes import Names, constant, located_at, name, names_in, tuple_of, walk
from s2sgrad.compiler.order import may_raise
from s2sgrad.compiler.structures import item_there
from s2sgrad.compiler.texts import result_of_method
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import KEY, Abstract, Items, Known, Numeric, Opaque, known_value

OF_KEYS = (list, tuple, sorted, set, frozenset, min, max)
"""Functions of which those give keys that get a dict."""

COMPUTING = (str, int, float, bool, len, abs, round, min, max, ord, chr, divmod)
"""Functions that give the same for the same numbers and texts."""


class Mappings(Evaluator):
    def keys_of(self, node: gast.Call, function: Any, environment: dict) -> Abstract | None:
        """What a function that runs through the keys of a differentiated dict makes of these; None for others."""
        if len(node.args) != 1 or not any(function is known for known in OF_KEYS):
            return None
        keys = without_keys(node.args[0])
        if keys is not node.args[0]:
            self.evaluate(node.args[0], environment)
        if not isinstance(keys, (gast.Name, gast.Attribute, gast.Subscript)):
            return None
        held = self.evaluate(keys, environment)
        if not isinstance(held, Items) or not held.is_dict or not held.active:
            return None
        given = [self.passively(item.value, environment) for item in node.keywords]
        self.refuse_changing_functions(node, given, environment)  # type: ignore[attr-defined]
        if function in (min, max):
            return KEY
        if function in (set, frozenset):
            return Opaque()
        kind = tuple if function is tuple else list
        if function is sorted or held.is_open:
            return Items(kind, None, KEY)
        return Items(kind, tuple(map(literal, held.keys or ())))

    def from_keys(self, node: gast.Call, environment: dict) -> Abstract | None:
        """``dict.fromkeys(keys, 0.0)`` and ``dict.fromkeys(keys)``; None for other calls."""
        function = node.func
        if not isinstance(function, gast.Attribute) or function.attr != "fromkeys" or len(node.args) not in (1, 2) \
                or node.keywords or known_value(self.passively(function.value, environment)) is not dict:
            return None
        if len(node.args) == 1 and self.evaluate(node.args[0], environment).active:
            return None
        value = node.args[1] if len(node.args) == 2 else constant(None)
        if not isinstance(value, (gast.Constant, gast.Name)) and type(known_value(
                self.passively(value, environment))) not in (int, float):  # one thing under all keys, made once
            return None
        if self.facts.simpler.get(id(node)) is None:
            key = Names(set(names_in(node))).fresh("key")
            self.facts.simpler[id(node)] = located_at(gast.DictComp(name(key), value, [gast.comprehension(
                gast.Name(key, gast.Store(), None, None), node.args[0], [], 0)]), node)
        return self.respelled(node, self.facts.simpler[id(node)], environment)

    def method_of_open(self, node: gast.Call, held: Items, environment: dict) -> Abstract | None:
        """What a method gives that reads a dict whose keys are not known; None for others."""
        method, count = node.func.attr, len(node.args)
        if method == "keys" and not count:
            return Items(list, None, KEY, view=method)
        if method == "get" and 1 <= count <= 2:
            return self.read_or_default(node, environment)
        if method in ("values", "items") and not count and not has_effect(node.func.value, self.facts):
            return self.read_all(node, environment)
        return None

    def read_or_default(self, node: gast.Call, environment: dict) -> Abstract:
        """``d.get(k, default)``."""
        for item in (node.func.value, *node.args):
            self.refuse_to_repeat(item)
        self.name_default(node)
        if self.facts.simpler.get(id(node)) is None:
            held, key = node.func.value, node.args[0]
            default = node.args[1] if len(node.args) > 1 else gast.Constant(None, None)
            there = gast.Compare(copy.deepcopy(key), [gast.In()], [copy.deepcopy(held)])
            self.facts.simpler[id(node)] = located_at(gast.IfExp(there, item_there(held, key), default), node)
        simpler = self.facts.simpler[id(node)]
        value = self.evaluate(simpler, environment)
        return self.respelled(node, simpler, environment) if value.active and not self.passive_context else value

    def name_default(self, node: gast.Call) -> None:
        """Let the default of ``d.get(k, default)`` have a name where computing it may raise something, which Python
        does in any case."""
        for default in node.args[1:]:
            if may_raise(default, self.facts):
                raise ComesFirst(default, self.looked_up_first(default))

    def refuse_to_repeat(self, node: gast.AST) -> None:
        """A key or a default gets a name before the lookup, unless it may be evaluated twice."""
        if not self.may_be_repeated(node):
            raise NeedsName(node, self.looked_up_first(node))

    def looked_up_first(self, node: gast.AST) -> UnsupportedError:
        return self.refusal("whether there is something under this key is looked up first",
                            "give the key and the default names on lines before", node)

    def may_be_repeated(self, node: gast.AST) -> bool:
        """Whether an expression gives the same when it is evaluated again: ``str(i)`` of a number."""
        return all(id(part) in self.facts.displays or self.only_computes(part) if isinstance(part, gast.Call)
                   else special_call(part, self.facts) is None for part in walk(node))

    def only_computes(self, node: gast.Call) -> bool:
        if isinstance(node.func, gast.Attribute) and result_of_method(
                self.facts.values.get(id(node.func.value)), node.func.attr) == KEY:
            return True
        function = known_value(self.facts.values.get(id(node.func), Opaque()))
        if id(node) not in self.facts.applied and not any(function is known for known in COMPUTING):
            return False
        values = [self.facts.values.get(id(item)) for item in node.args]
        return not node.keywords and all(isinstance(value, (Numeric, Known)) or isinstance(
            value, Opaque) and value.steady for value in values)

    def read_all(self, node: gast.Call, environment: dict) -> Abstract:
        """``d.values()`` and ``d.items()``."""
        if self.facts.simpler.get(id(node)) is None:
            self.facts.simpler[id(node)] = located_at(all_items(node.func.value, node.func.attr == "items"), node)
        simpler = self.facts.simpler[id(node)]
        value = self.evaluate(simpler, environment)
        if value.active and not self.passive_context:
            self.respelled(node, simpler, environment)
        return replace(value, view=node.func.attr) if isinstance(value, Items) else value


def without_keys(node: gast.AST) -> gast.AST:
    """``d`` for ``d.keys()``: what runs through a dict runs through its keys."""
    keys = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "keys"
    return node.func.value if keys and not node.args else node  # type: ignore[attr-defined]


def all_items(held: gast.AST, with_keys: bool) -> gast.AST:
    """The list of a dict's values, or of its keys and values."""
    key = Names(set(names_in(held))).fresh("key")
    item = item_there(copy.deepcopy(held), name(key))
    target = gast.Name(key, gast.Store(), None, None)
    return gast.ListComp(tuple_of([name(key), item]) if with_keys else item,
                         [gast.comprehension(target, held, [], 0)])
