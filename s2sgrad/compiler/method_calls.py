"""Calls of methods: of arrays, texts and containers, of objects and of ``super()``, and of
``singledispatch`` functions, as the calls of functions that they are."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.defaults import by_name
from s2sgrad.compiler.dispatched import chosen, registered
from s2sgrad.compiler.effects import MUTATING_METHODS
from s2sgrad.compiler.equivalents import nested_list
from s2sgrad.compiler.evaluation import NeedsName, literal
from s2sgrad.compiler.kinds import type_of
from s2sgrad.compiler.nodes import call, is_starred, located_at, subscript, tuple_of
from s2sgrad.compiler.passive_calls import WRITTEN_OUT
from s2sgrad.compiler.rule_calls import RuleCalls
from s2sgrad.compiler.targets import lacking, not_found
from s2sgrad.compiler.texts import known_result, result_of_method
from s2sgrad.rules.abstract import (
    ANY,
    KEY,
    MISSING,
    NEVER,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    as_numeric,
    known_value,
)
from s2sgrad.rules.refused import do_otherwise, is_sparse
from s2sgrad.rules.table import METHODS


class MethodCalls(RuleCalls):
    """The evaluation of calls of what is in something."""

    def of_method(self, node: gast.Call, environment: dict) -> Abstract | None:
        """A call of a method: of ``super()``, of an array, of a string, of a container."""
        assert isinstance(node.func, gast.Attribute)
        label = node.func.attr
        parent = self.of_parent(node, environment)
        if parent is not None:
            return self.respelled(node, parent, environment)
        from_keys = self.from_keys(node, environment)
        if from_keys is not None:
            return from_keys
        receiver = self.evaluate(node.func.value, environment)
        if receiver is NEVER:
            return NEVER
        if isinstance(receiver, Opaque) and receiver.active:
            self.refuse_mixture(receiver, node.func.value)
            receiver = as_numeric(receiver)
        if label == "__getitem__" and len(node.args) == 1 and not node.keywords and not is_starred(node) and (
                isinstance(receiver, Numeric) or isinstance(receiver, Items) and not receiver.is_object):
            return self.respelled(node, self.one_for(node, subscript(node.func.value, node.args[0])), environment)
        if isinstance(receiver, Numeric):
            return self.method(node, receiver, environment)
        if is_sparse(receiver) and label == "dot" and len(node.args) == 1 and not node.keywords:
            product = gast.BinOp(node.func.value, gast.MatMult(), node.args[0])
            return self.respelled(node, self.one_for(node, product), environment)
        if isinstance(receiver, Known) and isinstance(receiver.value, str):  # "...".format(x)
            arguments = [self.passively(item.value if isinstance(item, gast.Starred) else item, environment)
                         for item in (*node.args, *(item.value for item in node.keywords))]
            if label in ("format", "format_map"):
                for value in arguments:
                    self.refuse_to_fill(node, value)
            positional = not node.keywords and not any(isinstance(item, gast.Starred) for item in node.args)
            known = known_result(receiver.value, label, arguments) if positional else None
            if known is not None:
                several = type(known) in (list, tuple)
                return Items(type(known), tuple(map(literal, known))) if several else literal(known)
            text = result_of_method(receiver, label) or Opaque()
            return self.text_of(node, environment) if text == KEY else text
        if isinstance(receiver, Items) and not receiver.is_object and label in MUTATING_METHODS:
            held = isinstance(node.func.value, gast.Attribute)
            raise self.refusal(f".{label}() writes into the container, which is not supported here",
                               "store a new one in the attribute: self.xs = self.xs + [x]" if held else
                               "write a loop: for k, v in ...: d[k] = v" if label == "update" else
                               "call it on a line of its own, or build a new container", node)
        method = self.method_of_container(node, receiver)
        dispatcher = objects.dispatcher_of(receiver, label) if method is None and node.args else None
        if dispatcher is not None:
            self.outer(label, receiver.kind)  # type: ignore[union-attr]
            method = self.dispatched(node, dispatcher, registered(dispatcher) or {}, environment, node.func.value)
        if method is not None:
            return self.respelled(node, method, environment)
        if isinstance(receiver, Items):
            result = self.container_method(node, receiver, environment)
            if result is not None:
                return result
        is_field = isinstance(receiver, Items) and (
            receiver.has_field(label) or receiver.is_object and label == "__class__")
        if receiver.active and not self.passive_context and not is_field:
            if receiver.is_object:  # type: ignore[union-attr]
                raise not_found(receiver.kind, label, self.node_location(node))  # type: ignore[union-attr]
            remedy = "compare the items in a loop" if label in ("index", "count") else \
                "make an array of it with np.array"
            refusal = self.refusal(
                f".{label}() of a list or tuple of differentiated values is not supported yet", remedy, node)
            unnamed = isinstance(node.func.value, (gast.Dict, gast.DictComp, gast.Call))
            raise NeedsName(node.func.value, refusal) if unnamed else refusal
        return None

    def dispatched(self, node: gast.Call, function: Any, registry: dict, environment: dict, *receiver: gast.AST
                   ) -> gast.AST:
        """The call of the registered function that a call of a ``singledispatch`` function is, or of a method."""
        value = self.evaluate(node.args[0], environment)
        kind = type(value.value) if isinstance(value, Known) else type_of(value)
        lacking.add(function)
        meant = None if kind is None else chosen(function, registry, kind)
        implementation = MISSING if meant is None else known_value(self.outer(meant, registry))
        if implementation is MISSING:
            raise self.refusal(f"which of its functions {function.__name__} calls here is not known before the call",
                               "call that one itself, or let all that it may get be of one class", node)
        if id(node) not in self.facts.simpler:
            called = gast.Call(self.given(implementation), [*receiver, *node.args], node.keywords)
            self.facts.simpler[id(node)] = located_at(called, node)
        return self.facts.simpler[id(node)]

    def method_of_container(self, node: gast.Call, receiver: Abstract) -> gast.Call | None:
        """A call of a method that a named tuple's or an object's class defines, as one of the function that it is."""
        assert isinstance(node.func, gast.Attribute)
        if not isinstance(receiver, Items) or receiver.items is None or receiver.keys is None \
                or receiver.is_dict or receiver.has_field(node.func.attr):
            return None
        return objects.method_call(node, node.func.value, receiver.kind, node.func.attr, self.outer)

    def method_found(self, node: gast.Call, environment: dict) -> Any:
        """The call of a function that a call of an object, of a method of one or of ``super()`` is; None for others."""
        callee = self.passively(node.func, environment)
        if isinstance(callee, Items):
            return objects.method_call(node, node.func, callee.kind, "__call__", self.outer)
        if not isinstance(node.func, gast.Attribute):
            return None
        parent = self.of_parent(node, environment)
        return parent if parent is not None else self.method_of_container(
            node, self.passively(node.func.value, environment))

    def of_parent(self, node: gast.Call, environment: dict) -> gast.AST | None:
        """What a call of a method of ``super()`` is in the end."""
        assert isinstance(node.func, gast.Attribute)
        inner = node.func.value
        parent = self.parent_of(inner, environment) if objects.is_parent(inner) else None
        if parent is None:
            return None
        within, label, value = parent
        return objects.parent_call(node, label, within, value, self.outer)

    def element_at(self, node: Any, receiver: Numeric, arguments: list) -> gast.AST | None:
        """``m[1, 2].item()`` for ``m.item(1, 2)`` and ``m.item((1, 2))``, ``m.flat[2].item()`` for ``m.item(2)``; None
        where what is asked for is not known."""
        if receiver.rank is None or any(isinstance(item, gast.Starred) for item in node.args):
            return None
        single = len(arguments) == 1
        pair = isinstance(arguments[0], Items) and arguments[0].kind is tuple
        indices = arguments[0].items if single and pair else arguments
        if indices is None or not all(isinstance(index, Numeric) and index.is_number for index in indices):
            return None
        if len(indices) == receiver.rank:
            element = subscript(node.func.value, node.args[0] if single else tuple_of(node.args))
        elif single and not pair:
            element = subscript(gast.Attribute(node.func.value, "flat", gast.Load()), node.args[0])
        else:
            return None
        return call(gast.Attribute(element, "item", gast.Load()))

    def given_together(self, node: gast.Call, environment: dict) -> gast.AST | None:
        """``x.reshape(shape)`` for ``x.reshape(*shape)``, ``x.reshape((n, *rest))`` for ``x.reshape(n, *rest)``; None
        for what is given otherwise, or may be nothing at all."""
        if node.keywords or node.func.attr not in ("reshape", "transpose"):  # type: ignore[attr-defined]
            return None
        whole: Any = node.args[0].value if len(node.args) == 1 else gast.Tuple(node.args, gast.Load())
        given = self.evaluate(node.args[0].value, environment) if len(node.args) == 1 else None
        if given is not None and not (isinstance(given, Items) and given.kind in (tuple, list) and given.items):
            return None
        return gast.copy_location(gast.Call(node.func, [gast.copy_location(whole, node)], []), node)

    def method(self, node: gast.Call, receiver: Numeric, environment: dict) -> Abstract:
        attribute = node.func.attr
        if any(isinstance(item, gast.Starred) for item in node.args):
            together = self.given_together(node, environment)
            if together is not None:
                return self.respelled(node, self.one_for(node, together), environment)
        rule = METHODS.get(attribute)
        arguments = [self.evaluate(item, environment) for item in node.args]
        keywords = {item.arg or "**": self.evaluate(item.value, environment) for item in node.keywords}
        values = [receiver, *arguments, *keywords.values()]
        if any(value is NEVER for value in values):
            return NEVER
        if attribute in MUTATING_METHODS and not receiver.is_number:
            function = getattr(np, attribute, None)
            raise self.refusal(f".{attribute}() may write into the array, which is not supported yet",
                               next((remedy for known, remedy in WRITTEN_OUT if known is function),
                                    "use the NumPy function that returns a new array"), node)
        if attribute == "astype" and receiver.kind == "array" and known_value(keywords.get("copy", ANY)) is False:
            return self.respelled(node, self.cast_where_needed(node), environment)
        if attribute == "tolist" and receiver.active and not self.passive_context and receiver.rank is not None:
            listed = call(self.given(nested_list), node.func.value) if receiver.rank else call(
                gast.Attribute(node.func.value, "item", gast.Load()))
            return self.respelled(node, self.one_for(node, listed), environment)
        if attribute == "item" and arguments and receiver.active and not keywords and not self.passive_context:
            element = self.element_at(node, receiver, arguments)
            if element is not None:
                return self.respelled(node, self.one_for(node, element), environment)
        named = None if rule is None else by_name(node, rule.function, rule, bound=1)
        if named is not None:
            return self.respelled(node, self.one_for(node, named), environment)
        if rule is None or "**" in keywords or any(isinstance(item, gast.Starred) for item in node.args):
            if any(value.active for value in values) and not self.passive_context:
                raise self.refusal(f"the method .{attribute}() has no derivative rule", do_otherwise(attribute), node)
            return Opaque()
        return self.apply_call(node, rule, [node.func.value, *node.args], [receiver, *arguments], node.keywords,
                               keywords)

    def cast_where_needed(self, node: gast.Call) -> gast.AST:
        """``np.asarray(u, dtype)`` for ``u.astype(dtype, copy=False)``."""
        if id(node) not in self.facts.simpler:
            others = [item for item in node.keywords if item.arg != "copy"]
            self.facts.simpler[id(node)] = gast.copy_location(
                gast.Call(self.given(np.asarray), [node.func.value, *node.args], others), node)
        return self.facts.simpler[id(node)]
