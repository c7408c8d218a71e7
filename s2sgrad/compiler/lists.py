"""The reversal of what changes a list or a dict: ``xs.append(value)``, ``xs[index] = value``, ``params["w"] = value``.

A container's cotangent is one for each part where it is known which part is meant; besides, or instead, it may be a
list of cotangents, made for reads by a running index. That list mirrors what happens to the container: ``append``
takes an item off it, a store takes one out and leaves zeros.
"""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.algebra import add
from s2sgrad.compiler.chain import Chain
from s2sgrad.compiler.cotangents import Cotangent
from s2sgrad.compiler.program import Append, Augment, Evaluate, Store, attribute, call, name, subscript, written_name
from s2sgrad.compiler.structures import accessed, static_leaves
from s2sgrad.rules.abstract import MISSING, Items, Numeric, item_at, known_value, passive


class Lists:
    def __init__(self, chain: Chain):
        self.chain = chain
        self.facts = chain.facts
        self.operands = chain.operands
        self.cotangents = chain.cotangents

    def append(self, statement: Append) -> None:
        label = statement.target.id
        before, after = (version.value for version in self.facts.in_place[statement])
        taken = self.taken(label, (len(after.items) - 1,)) if after.items is not None else {}
        if self.has_list((label, ())):
            bar, owned = self.own_list(statement, (label, ()))
            item = call(attribute(bar, "pop"))
            if self.facts.values[id(statement.value)].active:
                self.hand_on(statement, taken, item, owned)
            else:
                self.cotangents.out.append(Evaluate(item, statement.location))
            self.cotangents.state[label, ()] = Cotangent(bar, passive(before), True, owned)
            if before.items == ():  # all are taken off
                del self.cotangents.state[label, ()]
        self.chain.reverse(statement, statement.value, taken)

    def store(self, statement: Store | Augment) -> None:
        label = written_name(statement)
        target: Any = statement.target
        before, after = (version.value for version in self.facts.in_place[statement])
        path = self.path(statement, target, after)
        taken = self.taken(label, path) if path else {}
        for prefix in [path[:count] for count in range(max(len(path), 1)) if self.has_list((label, path[:count]))]:
            bar, owned = self.own_list(statement, (label, prefix))
            outer = accessed(bar, item_at(before, prefix), path[len(prefix):-1])
            place: Any = attribute(outer, target.attr) if isinstance(target, gast.Attribute) else subscript(
                outer, self.operands.value(target.slice, statement))
            self.hand_on(statement, taken, place, owned)
            self.cotangents.out.append(Store(place, self.zeros(statement), statement.location))
            self.cotangents.state[label, prefix] = Cotangent(bar, passive(item_at(before, prefix)), True, owned)
        if isinstance(statement, Store):
            self.chain.reverse(statement, statement.value, taken)
        elif () in taken and id(statement) in self.facts.applied:
            self.chain.start()
            self.chain.apply(statement, statement, self.facts.applied[id(statement)], taken[()])
            self.chain.finish(statement)

    def path(self, statement: Store | Augment, target: Any, after: Items) -> tuple:
        """The steps to where a value is stored; none where it is not known before the call."""
        if statement in self.facts.places:
            return self.facts.places[statement]
        step = after.indexed(known_value(self.facts.values[id(target.slice)])) if after.items is not None else MISSING
        return () if step is MISSING else (step,)

    def taken(self, label: str, path: tuple) -> dict:
        """The cotangents of one part, consumed."""
        keys = [key for key in self.cotangents.state if key[0] == label and key[1][:len(path)] == path]
        found = {key[1][len(path):]: self.cotangents.take(key) for key in keys}
        return {path: cotangent for path, cotangent in found.items() if cotangent is not None}

    def has_list(self, key: Any) -> bool:
        cotangent = self.cotangents.state.get(key)
        return cotangent is not None and (not cotangent.zero or cotangent.owned)

    def own_list(self, statement: Any, key: Any) -> tuple[gast.AST, bool]:
        """The list of cotangents of the container as the statement leaves it, and whether what is in it is owned: the
        list itself always is, for nothing hands on a list of another's."""
        cotangent, variable = self.cotangents.state.pop(key), self.cotangents.bar(key)
        if not self.cotangents.is_bound(key, cotangent):
            after = passive(item_at(self.facts.in_place[statement][1].value, key[1]))
            self.cotangents.assign(variable, cotangent.expression, statement.location, after)
        return name(variable), cotangent.owned

    def hand_on(self, statement: Any, taken: dict, item: gast.AST, owned: bool) -> None:
        """Take an item's cotangent out of the list, and add it to what else there is."""
        node = statement.value
        value = passive(self.facts.values[id(node)]) if not isinstance(statement, Augment) else \
            passive(self.facts.in_place[statement][1].value.any_item)
        plain = isinstance(node, gast.Name) and (node.id, ()) not in self.cotangents.state \
            and isinstance(value, Numeric) and not isinstance(statement, Augment)
        names = self.cotangents.names
        variable = self.cotangents.bar((node.id, ())) if plain else names.fresh(f"{written_name(statement)}_item_bar")
        self.cotangents.assign(variable, item, statement.location, value)
        active = self.facts.values[id(node)]
        for path in static_leaves(active) if isinstance(active, Items) else [()]:
            expression = accessed(name(variable), value, path)
            alone = path not in taken
            if not alone:
                expression = add(taken[path].expression, expression)
            taken[path] = Cotangent(expression, item_at(value, path), True, owned and alone)

    def zeros(self, statement: Store | Augment) -> gast.AST:
        """What a part's cotangent is before the part was stored: none, of the shape of what was there."""
        old = self.facts.values[id(statement.target)]
        if isinstance(old, Numeric) and old.is_number:
            return gast.Constant(0.0, None)
        return call(self.operands.helpers.helper("zeros_of"), self.operands.value(statement.target, statement))
