"""Abstract values of calls that make containers and of containers' methods: ``dict(w=w)``, ``Params(w, b)``,
``list(pair)``, ``params.items()``.

Each is reversed as the display that it stands for: ``facts.displays`` has the parts of what a constructor makes,
``facts.instead`` another expression with the same value.
"""
from __future__ import annotations

import dataclasses
import inspect
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.evaluate import Evaluator, literal
from s2sgrad.compiler.program import call, name, tuple_of
from s2sgrad.compiler.structures import key_expression
from s2sgrad.containers import field_names, is_named_tuple
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, known_value


class Constructions(Evaluator):
    def constructed(self, node: gast.Call, kind: Any, arguments: list[Abstract], keywords: dict[str, Abstract]
                    ) -> Abstract | None:
        """What a call of a container's class gives; None where it is something else."""
        if kind is dict and not arguments:
            self.facts.displays[id(node)] = [item.value for item in node.keywords]
            return Items(dict, tuple(keywords.values()), keys=tuple(keywords))
        if kind in (dict, list, tuple) and len(arguments) == 1 and not keywords:
            return self.copied(node, kind, node.args[0], arguments[0])
        if not has_plain_constructor(kind):
            return None
        given = dict(zip(field_names(kind), zip(node.args, arguments)))
        given.update((item.arg, (item.value, keywords[item.arg])) for item in node.keywords)
        signature = inspect.signature(kind)
        try:
            signature.bind(*node.args, **keywords)
        except TypeError as error:
            raise self.refusal(f"this call does not fit the fields of {kind.__name__}: {error}",
                               "call it with those that it has", node) from None
        parts = [given.get(name, (None, literal(signature.parameters[name].default))) for name in field_names(kind)]
        self.facts.displays[id(node)] = [part for part, _ in parts]
        return Items(kind, tuple(value for _, value in parts), keys=field_names(kind))

    def instance(self, node: gast.Call, kind: type, fields: dict[str, Abstract]) -> Abstract:
        """What generated code makes without a constructor: an object of a class with these fields."""
        self.facts.displays[id(node)] = [item.value for item in node.keywords]
        return Items(kind, tuple(fields.values()), keys=tuple(fields))

    def copied(self, node: gast.AST, kind: type, original: gast.AST, value: Abstract) -> Abstract | None:
        """``list(pair)``, ``tuple(parts)``, ``dict(params)``, ``params.copy()``: other containers of the same parts."""
        if kind is list and isinstance(value, Numeric) and not value.is_number and value.active:
            item = gast.comprehension(gast.Name("item", gast.Store(), None, None), original, [], 0)
            self.facts.instead[id(node)] = gast.copy_location(gast.ListComp(name("item"), [item]), node)
            return Items(list, None, self.element_of(value))
        if not isinstance(value, Items) or (kind is dict) is not (value.kind is dict) or (
                not issubclass(value.kind, (tuple, list, dict))):
            return None
        if value.items is None:
            self.facts.instead[id(node)] = original
            return replace(value, kind=kind)
        keys = value.keys if kind is dict else None
        parts = [self.part(original, value, step) for step in value.steps]
        self.facts.displays[id(node)] = parts  # type: ignore[assignment]
        return Items(kind, value.items, keys=keys)

    def container_method(self, node: gast.Call, receiver: Items, environment: dict) -> Abstract | None:
        """What a method of a container gives; None where it is not known."""
        method, original = node.func.attr, node.func.value
        if node.keywords or any(isinstance(item, gast.Starred) for item in node.args):
            return None
        arguments = [self.evaluate(item, environment) for item in node.args]
        if method == "copy" and not arguments and receiver.items is None and receiver.kind in (dict, list):
            if id(node) not in self.facts.simpler:
                self.facts.simpler[id(node)] = gast.copy_location(call(self.given(receiver.kind), original), node)
            self.facts.spelled[id(node)] = self.facts.simpler[id(node)]
            return self.evaluate(self.facts.simpler[id(node)], environment)
        if method == "copy" and not arguments and receiver.kind in (dict, list):
            return self.copied(node, receiver.kind, original, receiver)
        if receiver.kind is not dict or receiver.keys is None:
            return None
        if method == "get" and 1 <= len(arguments) <= 2:
            key = known_value(arguments[0])
            if key is MISSING:
                return None
            if key in receiver.steps:
                return self.stand_in(node, self.part(original, receiver, key))
            return self.stand_in(node, node.args[1]) if len(arguments) == 2 else literal(None)
        if method in ("values", "items") and not arguments:
            parts = [self.part(original, receiver, step) for step in receiver.steps]
            if method == "items":
                parts = [self.pair(step, part) for step, part in zip(receiver.steps, parts)]
            display = gast.copy_location(gast.List(parts, gast.Load()), node)
            self.facts.values[id(display)] = Items(list, tuple(self.facts.values[id(part)] for part in parts))
            return self.stand_in(node, display)
        return None

    def pair(self, key: Any, part: gast.AST) -> gast.AST:
        first = key_expression(key)
        self.facts.values[id(first)] = literal(key)
        pair = gast.copy_location(tuple_of([first, part]), part)
        self.facts.values[id(pair)] = Items(tuple, (literal(key), self.facts.values[id(part)]))
        return pair

    def stand_in(self, node: gast.AST, other: gast.AST) -> Abstract:
        self.facts.instead[id(node)] = other
        return self.facts.values[id(other)]


def has_plain_constructor(kind: Any) -> bool:
    """Whether a class is a named tuple or a dataclass whose constructor does nothing but fill the fields."""
    if not isinstance(kind, type):
        return False
    if is_named_tuple(kind):
        return "_fields" in vars(kind)
    return dataclasses.is_dataclass(kind) and not hasattr(kind, "__post_init__") and all(
        item.init and item.default_factory is dataclasses.MISSING for item in dataclasses.fields(kind)) \
        and getattr(vars(kind).get("__init__"), "__code__", None) is not None \
        and vars(kind)["__init__"].__code__.co_filename.startswith("<")
