"""Calls that are refused as nothing tells their derivative: why that is so, and what helps."""
from __future__ import annotations

import types
from collections import namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.nested import is_checkpoint
from s2sgrad.compiler.program import Assign, statements
from s2sgrad.compiler.user_calls import UserCalls
from s2sgrad.containers import in_library
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import ANY, MISSING, Opaque, known_value
from s2sgrad.rules.draws import draws
from s2sgrad.rules.refused import is_refused, public_name, remedy_for
from s2sgrad.signature import has_value, place_of

BY_NAME = "call it by its name; one of several where it is chosen, f(x) if first else g(x)"


class WithoutRule(UserCalls):
    """What is said of a function that has no rule, or is not known."""

    def no_rule(self, node: gast.Call, function: Any) -> UnsupportedError:
        root = node.func
        while isinstance(root, gast.Attribute):
            root = root.value
        captured = self.facts.captured.get(getattr(root, "id", ""))
        if captured is not None and captured.value == Opaque():  # what is defined has an origin or a value, or changes
            if not has_value(place_of(self.program.owner, captured.name)):
                return self.refusal(f"{captured.name} is not defined", "define or import it at module level", node)
            return self.refusal(f"what {captured.name} does is not known, as this function changes it",
                                f"change {captured.name} before the call, or make it an argument", node)
        of_part = isinstance(node.func, gast.Attribute)
        owner = known_value(self.facts.values.get(id(node.func.value), ANY)) if of_part else MISSING
        if isinstance(owner, types.ModuleType) and not hasattr(owner, node.func.attr):
            return self.refusal(f"{owner.__name__} has no {node.func.attr}", "look for another spelling of the name",
                                node)
        if of_part and draws(function, self.facts.values.get(id(node.func.value), ANY)):
            label = node.func.attr if function is MISSING else function.__name__
            return self.refusal(f"what .{label}() draws depends on differentiated values otherwise than by a "
                                "move and a scale, and has no derivative here",
                                "give it constants, s2sgrad.stop_gradient(p), or draw standard numbers and compute "
                                "with these", node)
        if function is MISSING and owner is not MISSING and in_library(type(owner).__module__):
            label = f"{getattr(owner, 'name', None) or type(owner).__name__}.{node.func.attr}"
            return self.refusal(f"{label} has no derivative rule", "add one with s2sgrad.rule", node)
        receiver = self.facts.values.get(id(node.func.value)) if function is MISSING and of_part else None
        kind = receiver.kind if isinstance(receiver, Opaque) else None
        if kind is not None and in_library(kind.__module__):
            return self.refusal(f"{kind.__name__}.{node.func.attr} has no derivative rule",
                                "do the same with NumPy's functions, on arrays", node)
        if isinstance(getattr(node.func, "value", None), gast.Name) and receiver == Opaque() \
                and node.func.value.id in self.local:
            label = node.func.value.id
            if node.func.attr == "send":
                return self.refusal("what a generator makes of what is sent to it is not followed",
                                    "write a class, with what the generator keeps in attributes, and a method", node)
            return self.refusal(f"what {label} is, and what its .{node.func.attr}() does, is not known before the call",
                                f"make {label} before, and give it as an argument, or take one of several objects by "
                                f"its place in a list: objects[i].{node.func.attr}()", node)
        if function is MISSING:
            remedy = "call np.vectorize(f)(x) where it is needed, or make it outside of the function" \
                if self.is_made_by(lambda maker: maker in (np.vectorize, np.frompyfunc), node.func) else \
                "give checkpoint a function of the module, or use it as a decorator, @s2sgrad.checkpoint" \
                if self.is_made_by(is_checkpoint, node.func) else "define the class at module level" \
                if self.is_made_by(lambda maker: maker in (namedtuple, make_dataclass), node.func) else BY_NAME
            if of_part and remedy is BY_NAME:
                return self.refusal(f"of what object this is the method {node.func.attr} is not known before the call",
                                    "give the object as an argument, or do the same with NumPy's functions", node)
            return self.refusal("the function called here is not known before the call", remedy, node)
        if function is iter:
            return self.refusal("how far an iterator has come is not followed",
                                "write a loop over what it runs through, or count: items[i]; i += 1", node)
        derived = [kind for kind in (tuple, list, dict) if isinstance(function, type) and issubclass(function, kind)]
        if derived and not in_library(function.__module__):
            return self.refusal(f"{function.__name__} is derived from {derived[0].__name__}, and what it changes is "
                                "not looked into", "make it a class of its own, with what it holds in attributes", node)
        if function is zip:
            return self.refusal("zip with strict= is not supported in this place", "write it into a statement of its "
                                "own, or a loop, or compare the lengths before: assert len(a) == len(b)", node)
        if function in (list, tuple, any, all):
            item = "v" if function in (list, tuple) else "v != 0"
            return self.refusal(f"what {function.__name__} runs through is not known before the call: an array, or "
                                "something else", f"write {function.__name__}([{item} for v in values])", node)
        if isinstance(function, type) and not in_library(function.__module__):
            return self.refusal(
                f"objects of {function.__name__} are made by more than an __init__, which is not followed",
                "do it in __init__, without __new__ and a metaclass, or let a function make them", node)
        label = public_name(function)
        lacks = "derivative rule" if is_refused(function) else "derivative rule and no Python source"
        return self.refusal(f"{label} has no {lacks}", remedy_for(function), node)

    def is_made_by(self, is_maker: Callable[[Any], bool], node: gast.AST) -> bool:
        """Whether what is called is made here, and has perhaps a name, by such a function."""
        made = [statement.value for statement in statements(self.program.body)
                if isinstance(statement, Assign) and statement.target == getattr(node, "id", None)]
        return any(isinstance(value, gast.Call) and is_maker(known_value(self.facts.values.get(id(value.func))))
                   for value in (node, *made))
