"""What only OrderedDicts and Counters do, as statements of the kinds that change any dict."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.deques import Deques
from s2sgrad.compiler.nodes import attribute, call, constant, located_at, name, root_of, subscript
from s2sgrad.compiler.program import Assign, Evaluate, Loop, Store
from s2sgrad.compiler.structures import item_there
from s2sgrad.rules.abstract import Items, Numeric, known_value


class KindsOfDicts(Deques):
    popped_item: Callable[..., dict | None]

    def ordereddict_popitem(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict
                            ) -> dict | None:
        last = self.is_at_end(node, node.args, environment)
        return None if last is None else self.popped_item(
            statement, node, held, last, "dictionary is empty", environment)

    def ordereddict_move_to_end(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        """``d[key] = d.pop(key)``; for the other end all others have to make room."""
        last = self.is_at_end(node, node.args[1:], environment)
        if last is None or not node.args:
            return None
        whole, key = node.func.value, node.args[0]
        self.refuse_to_repeat(key)
        simpler = self.moved(statement, whole, key, "item")
        if not last:
            others, other = self.temporary((statement, "others"), "others"), self.temporary((statement, "key"), "key")
            keys = Assign(others, located_at(call(self.given(list), copy.deepcopy(whole)), node), statement.location)
            one_by_one = Loop(other, located_at(name(others), node), tuple(self.moved(
                statement, whole, located_at(name(other), node), "other")), statement.location)
            simpler = [simpler[0], keys, simpler[1], one_by_one]
        return self.expand(statement, simpler, environment)

    def moved(self, statement: Any, whole: gast.AST, key: gast.AST, wanted: str) -> list:
        label = self.temporary((statement, wanted), "item")
        taken = call(attribute(copy.deepcopy(whole), "pop"), copy.deepcopy(key))
        place = subscript(copy.deepcopy(whole), copy.deepcopy(key))
        return [Assign(label, located_at(taken, key), statement.location, (root_of(whole).id,)),
                Store(located_at(place, key), located_at(name(label), key), statement.location)]

    def is_at_end(self, node: Any, args: list, environment: dict) -> bool | None:
        """Whether a method looks at the end of a dict, and not at its start; None of other calls."""
        given = [*args, *(item.value for item in node.keywords)]
        if len(given) > 1 or any(item.arg != "last" for item in node.keywords):
            return None
        last = known_value(self.passively(given[0], environment)) if given else True
        if type(last) is not bool:
            raise self.refusal("at which end of the dict this is done is not known before the call",
                               "write last=True or last=False", node)
        return last

    def counter_update(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        return self.counted_up(statement, node, gast.Add(), environment)

    def counter_subtract(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        return self.counted_up(statement, node, gast.Sub(), environment)

    def counted_up(self, statement: Evaluate, node: Any, operator: Any, environment: dict) -> dict | None:
        """``for key in counts: c[key] = c.get(key, 0) + counts[key]``; of each item of what is no dict there is 1."""
        if len(node.args) > 1 or any(item.arg is None for item in node.keywords):
            return None
        before: list = []
        loops: list = []
        named = gast.Dict([constant(item.arg) for item in node.keywords], [item.value for item in node.keywords])
        for place, given in enumerate([*node.args, *([located_at(named, node)] if node.keywords else [])]):
            value = self.evaluate(given, environment)
            counts = isinstance(value, Items) and value.is_dict
            if counts and value.items != () and not (isinstance(value.any_item, Numeric) and value.any_item.is_number):
                raise self.refusal("these counts are not known to be numbers", "add them one by one: c[key] += v",
                                   given)
            label, key = (self.temporary((statement, wanted, place), wanted) for wanted in ("counts", "key"))
            more = item_there(name(label), name(key)) if counts else constant(1)
            count = call(attribute(copy.deepcopy(node.func.value), "get"), name(key), constant(0))
            both = [more, operator, count] if isinstance(operator, gast.Add) and counts else [count, operator, more]
            target = subscript(copy.deepcopy(node.func.value), name(key))
            store = Store(located_at(target, node), located_at(gast.BinOp(*both), node), statement.location)
            before.append(Assign(label, given, statement.location))
            loops.append(Loop(key, located_at(name(label), node), (store,), statement.location))
        return self.expand(statement, [*before, *loops], environment)
