"""Statements over dicts whose keys are not known before the call: stores under such keys, ``pop``, ``setdefault``, and
loops over values and items.

A store needs no decision for its reversal: the dict's cotangent may have keys that the dict has not got yet. What the
methods do depends on whether a key is there: they become branches.
"""
from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.changes import gives_iterator
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.kinds_of_dicts import KindsOfDicts
from s2sgrad.compiler.nodes import (
    attribute,
    call,
    constant,
    holder,
    located_at,
    name,
    names_in,
    root_of,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Delete,
    Evaluate,
    Leave,
    Loop,
    Store,
    assigned_names,
    pattern_names,
)
from s2sgrad.compiler.structures import item_there, key_expression
from s2sgrad.rules.abstract import MISSING, NEVER, Abstract, Items, Numeric, known_value


class OpenDicts(KindsOfDicts):
    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.by_key: dict[Loop, Loop] = {}
        self.popped_keys: dict[Assign | Evaluate, Any] = {}
        """By the statement, the key that ``popitem`` takes out, as far as it was known the last time."""

    # ---- stores

    def replace_item(self, statement: Store | Augment, before: Items, part: Abstract, value: Abstract,
                     environment: dict) -> dict:
        target: Any = statement.target
        if before.is_dict and isinstance(statement, Store) and known_value(
                self.facts.value(target.slice)) is MISSING:
            self.check_key(target, environment)
        return super().replace_item(statement, before, part, value, environment)

    def check_key(self, target: Any, environment: dict) -> None:
        """Raises UnsupportedError where the key that a dict may get or lose is differentiated."""
        key = self.evaluate(target.slice, environment)
        if key.active or self.closes_over_active([key], environment):
            place = self.node_location(target)
            decorated = place.text().startswith("@")  # by lru_cache, whose dict this is
            remedy = [f"leave {place.words()} out"] if decorated else []
            raise self.differentiated_key(target.slice, target, *remedy)
        self.passively(target.slice, environment)

    def note_new_key(self, statement: Branch) -> None:
        """Note a store at the start of an arm where a test has found nothing under its key: ``if k not in d:``."""
        test: Any = statement.test
        if not isinstance(test, gast.Compare) or len(test.ops) > 1 or not isinstance(
                test.ops[0], (gast.In, gast.NotIn)):
            return
        arm = statement.then if isinstance(test.ops[0], gast.NotIn) else statement.orelse
        first: Any = arm[0] if arm else None
        if isinstance(first, Store) and isinstance(first.target, gast.Subscript) and same(
                first.target.value, test.comparators[0]) and same(first.target.slice, test.left) \
                and self.may_be_repeated(test.left) and not has_effect(first.value, self.facts):
            self.facts.new_keys.add(first)

    # ---- methods

    def with_operands_named(self, statement: Assign | Evaluate, node: Any, environment: dict) -> dict | None:
        """What is known behind ``d.pop(label(k), f(x))`` and ``d.setdefault(label(k), f(x))``, of which Python
        evaluates both, needed or not; None where neither does more than to make a container."""
        if not node.args or node.keywords:
            return None
        self.passively(node.args[0], environment)
        if has_effect(node.args[0], self.facts):
            return self.with_name_for(statement, node.args[0], "key", "value", environment)
        if len(node.args) != 2 or not isinstance(self.evaluate(node.args[1], environment), Numeric) or not has_effect(
                node.args[1], self.facts):
            return None
        return self.with_name_for(statement, node.args[1], "default", "value", environment)

    def dict_pop(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        named = self.with_operands_named(statement, node, environment)
        if named is not None:
            return named
        if not self.is_unknown(node, held, environment) or len(node.args) > 2:
            return super().dict_pop(statement, node, held, environment)
        place = gast.copy_location(subscript(node.func.value, node.args[0]), node)
        if len(node.args) == 1:
            self.check_key(place, environment)
            item = NEVER if held.items == () else self.one_of(held.any_item, id(node))
            return self.taken_out(statement, node, item, MISSING, environment)
        plain = gast.copy_location(gast.Call(node.func, node.args[:1], []), node)
        default: tuple = () if isinstance(statement, Evaluate) else (
            replace(statement, value=node.args[1], writes=()),)
        return self.if_there(statement, node, (replace(statement, value=plain),), default, environment)

    def dict_setdefault(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        named = self.with_operands_named(statement, node, environment)
        if named is not None:
            return named
        if not self.is_unknown(node, held, environment) or len(node.args) != 2:
            return super().dict_setdefault(statement, node, held, environment)
        place = gast.copy_location(item_there(node.func.value, node.args[0]), node)
        if isinstance(statement, Assign) and self.may_be_repeated(node.args[0]) and isinstance(
                self.evaluate(node.args[1], environment), Items):  # of which the name stands for the place
            return self.expand(statement, [Evaluate(node, statement.location, statement.writes), replace(
                statement, value=place, writes=())], environment)

        def read() -> tuple:  # in each arm a line of its own
            return () if isinstance(statement, Evaluate) else (
                replace(statement, value=copy.deepcopy(place), writes=()),)

        return self.if_there(statement, node, read(), (Store(place, node.args[1], statement.location), *read()),
                             environment)

    def dict_update(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if len(node.args) == 1 and self.gives_pairs(node.args[0], environment):
            made = gast.Call(node.func, [call(self.given(dict), *node.args)], node.keywords)
            after = self.expand(statement, [replace(statement, value=located_at(made, node))], environment)
            label = root_of(node.func.value).id
            if self.comes_by_and_by(node.args[0], label) and label in self.read_late(node.args[0]):
                raise self.refusal(f"this reads {label} from turn to turn, and {label} changes meanwhile",
                                   "make a dict of it on a line before", node.args[0])
            return after
        given = [self.evaluate(item, environment) for item in node.args]
        if not (held.is_open or any(isinstance(value, Items) and value.is_open for value in given)):
            return super().dict_update(statement, node, held, environment)
        if len(given) > 1 or isinstance(statement, Assign) or any(item.arg is None for item in node.keywords) \
                or not all(isinstance(value, Items) and value.is_dict for value in given):
            return None
        whole, named, simpler = node.func.value, [], []
        for item in node.args:
            label, key = self.temporary(statement, "items"), self.temporary((statement, "key"), "key")
            store = Store(subscript(whole, name(key)), item_there(name(label), name(key)), statement.location)
            located_at(store.target, node)
            located_at(store.value, node)
            named.append(Assign(label, item, statement.location))
            simpler.append(Loop(key, located_at(name(label), node), (store,), statement.location))
        for item in node.keywords:  # all values are there before the first is stored
            value = item.value
            if len(given) + len(node.keywords) > 1 and not isinstance(value, (gast.Name, gast.Constant)):
                label = self.temporary((statement, item.arg), "part")
                named.append(Assign(label, value, statement.location))
                value = located_at(name(label), value)
            simpler.append(Store(located_at(subscript(whole, constant(item.arg)), node), value, statement.location))
        return self.expand(statement, [*named, *simpler], environment)

    def gives_pairs(self, node: gast.AST, environment: dict) -> bool:
        """Whether this is no dict, but pairs of keys and values, of which one can be made."""
        if isinstance(node, gast.GeneratorExp) or isinstance(node, gast.Call) and gives_iterator(
                self.evaluate(node.func, environment)):  # they are run through where the dict is made
            return True
        value = self.evaluate(node, environment)
        return isinstance(value, Items) and value.has_places

    def dict_popitem(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if node.args or node.keywords:
            return None
        return self.popped_item(statement, node, held, True, "popitem(): dictionary is empty", environment)

    def popped_item(self, statement: Assign | Evaluate, node: Any, held: Items, last: bool, complaint: str,
                    environment: dict) -> dict | None:
        """``k, v = d.popitem()`` as ``k = list(d)[-1]; v = d.pop(k)``."""
        whole = node.func.value
        if held.items == ():  # an error, unless no turn of a loop comes here before there is something in it
            return self.taken_out(statement, node, NEVER, MISSING, environment)
        if has_effect(whole, self.facts):
            return None
        key, value = self.temporary(statement, "key"), self.temporary((statement, "item"), "item")
        end = gast.UnaryOp(gast.USub(), constant(1)) if last else constant(0)
        empty = Branch(located_at(gast.UnaryOp(gast.Not(), whole), node), (Leave("raise", located_at(call(
            self.given(KeyError), constant(complaint)), node), statement.location),), (),
            statement.location)
        simpler: list = [Assign(key, located_at(subscript(call(self.given(list), whole), end), node),
                                statement.location), empty][::-1]
        known = held.keys[-1 if last else 0] if held.keys else MISSING
        another = self.popped_keys.get(statement, known) != known  # in a later turn of a loop
        self.popped_keys[statement] = known
        if known is not MISSING:
            simpler = [Assign(key, located_at(key_expression(known), node), statement.location)]
        taken = located_at(call(attribute(whole, "pop"), name(key)), node)
        simpler.append(Assign(value, taken, statement.location, (root_of(whole).id,)))
        if isinstance(statement, Assign):
            simpler.append(replace(statement, value=located_at(tuple_of([name(key), name(value)]), node), writes=()))
        return self.expand(statement, simpler, environment, another)

    def dict_clear(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        whole = node.func.value
        if not held.is_open or node.args or node.keywords or isinstance(statement, Assign) \
                or not isinstance(whole, gast.Name) or not self.stays(whole, held, environment):
            return super().dict_clear(statement, node, held, environment)
        key = self.temporary(statement, "key")
        taken = Delete(located_at(subscript(whole, name(key)), node), statement.location)
        keys = located_at(call(self.given(list), whole), node)
        return self.expand(statement, [Loop(key, keys, (taken,), statement.location)], environment)

    def is_unknown(self, node: Any, held: Items, environment: dict) -> bool:
        """Whether it is not known if a dict has the key that one of its methods is called with."""
        return bool(node.args) and not node.keywords and (
            held.is_open or known_value(self.passively(node.args[0], environment)) is MISSING)

    def if_there(self, statement: Any, node: Any, there: tuple, other: tuple, environment: dict) -> dict:
        """Statements for a call of a dict's method, by whether the dict has its key."""
        for item in node.args:
            self.refuse_to_repeat(item)
        if statement not in self.branches:
            test = located_at(gast.Compare(node.args[0], [gast.In()], [node.func.value]), node)
            self.branches[statement] = Branch(test, there, other, statement.location)
        return self.expand(statement, [self.branches[statement]], environment)

    def put_under_key(self, statement: Evaluate | Store | Augment, environment: dict) -> dict | None:
        """``groups.setdefault(key, []).append(value)`` and ``groups.setdefault(key, {})[label] = value`` as two
        statements, and such updates; None for all others."""
        node: Any = statement.value if isinstance(statement, Evaluate) else statement.target
        inner: Any = None
        if isinstance(statement, (Store, Augment)):
            inner = node.value if isinstance(node, gast.Subscript) else None
        elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "append" \
                and len(node.args) == 1 and not node.keywords:
            inner = node.func.value
        before: list = []
        if is_setdefault(inner) and is_setdefault(inner.func.value):  # groups.setdefault(a, {}).setdefault(b, [])
            outer = inner.func.value
            if holder(outer.func.value) not in environment:
                return None
            self.refuse_to_repeat(outer.args[0])
            before.append(Evaluate(outer, statement.location, (root_of(outer.func.value).id,)))
            place = gast.copy_location(item_there(outer.func.value, outer.args[0]), outer)
            inner = gast.copy_location(gast.Call(gast.copy_location(attribute(place, "setdefault"), inner.func),
                                                 inner.args, []), inner)
            rest = gast.Call(gast.copy_location(attribute(inner, "append"), node.func), node.args, []) if isinstance(
                statement, Evaluate) else gast.Subscript(inner, node.slice, node.ctx)
            field = "value" if isinstance(statement, Evaluate) else "target"
            return self.expand(statement, [*before, replace(statement, **{field: gast.copy_location(rest, node)})],
                               environment)
        if not is_setdefault(inner) or holder(inner.func.value) not in environment:
            return None
        held = self.evaluate(inner.func.value, environment)
        self.passively(inner.args[0], environment)
        if not isinstance(held, Items) or not held.is_dict:
            return None
        self.refuse_to_repeat(inner.args[0])
        place = gast.copy_location(item_there(inner.func.value, inner.args[0]), inner)
        label = root_of(inner.func.value).id
        made = Evaluate(inner, statement.location, (label,))
        if isinstance(statement, Evaluate):
            return self.expand(statement, [made, Append(place, node.args[0], statement.location)], environment)
        value = statement.value
        if isinstance(statement, Store) and (
                label in names_in(value) or has_effect(value, self.facts)):  # it is evaluated before there is the key
            known = self.temporary(statement, "value")
            before, value = [Assign(known, value, statement.location)], gast.copy_location(name(known), value)
        target = gast.copy_location(gast.Subscript(place, node.slice, node.ctx), node)
        return self.expand(statement, [*before, made, replace(statement, target=target, value=value)], environment)

    # ---- loops

    def by_keys(self, statement: Loop, environment: dict) -> list | None:
        """``for k, v in d.items()`` as ``for k in d`` with ``v = d[k]`` as its first line; None for other loops."""
        node: Any = statement.iterable
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute) or node.args \
                or node.func.attr not in ("items", "values") or has_effect(node.func.value, self.facts):
            return None
        whole = node.func.value
        held = self.evaluate(whole, environment)
        bound = {*pattern_names(statement.target or ()), *assigned_names(statement.body, written=False)}
        if not isinstance(held, Items) or not held.is_open or not held.active or holder(whole) in bound:
            return None
        if statement not in self.by_key:
            key, first = self.first_line(statement, node.func.attr == "items", whole)
            self.by_key[statement] = Loop(key, whole, (first, *statement.body), statement.location)
        return [self.by_key[statement]]

    def first_line(self, statement: Loop, with_keys: bool, whole: gast.AST) -> tuple[str, Assign]:
        """The key's name in a loop over what a dict holds, and the statement that binds the loop's target."""
        target: Any = statement.target
        paired = with_keys and isinstance(target, tuple) and len(target) == 2 and isinstance(target[0], str) \
            and target[0] not in pattern_names(target[1])
        key = target[0] if paired else self.temporary(statement, "key")
        value = item_there(whole, name(key))
        if with_keys and not paired:
            value = tuple_of([name(key), value])
        return key, Assign(target[1] if paired else target, located_at(value, statement.iterable),
                           statement.location)


def is_setdefault(node: Any) -> bool:
    """Whether this is ``d.setdefault(key, default)``."""
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "setdefault" \
        and len(node.args) == 2 and not node.keywords
