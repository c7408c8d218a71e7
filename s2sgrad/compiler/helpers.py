"""What generated code calls besides the user's own functions, under names that collide with nothing."""
from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.evaluation import is_unreached
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import attribute, call, constant, name
from s2sgrad.compiler.program import Assign, Evaluate, Leave
from s2sgrad.rules.abstract import MISSING, Abstract, Known

MODULES = {"np": np, "math": math}


class Helpers:
    """Names of what generated code uses from outside: NumPy, the runtime's helpers, callees' primals and adjoints.

    Each gets a name that collides with nothing in the program; NumPy has the user's alias where there is one.
    """

    def __init__(self, names: Any, outer: Any, local: set[str]):
        self.names = names
        self.local = local
        self.outer_value = outer
        self.objects: dict[str, Any] = {}
        """Generated name -> what it stands for."""
        self.by_key: dict[Any, str] = {}
        self.adjoints: dict[str, Any] = {}
        """The names of callees' adjoints, each with the table of these."""

    def outer(self, identifier: str) -> gast.Name:
        return name(identifier)

    def inject(self, key: Any, wanted: str, value: Any) -> gast.Name:
        if key not in self.by_key:
            there = self.objects.get(wanted, MISSING) is value  # a generated text that is differentiated again has it
            self.by_key[key] = wanted if there else self.names.fresh(wanted, pin=True)
            self.objects[self.by_key[key]] = value
        return name(self.by_key[key])

    def alias(self, identifier: str, module: Any) -> None:
        """The user's own name for a module or a class."""
        self.by_key.setdefault(id(module), identifier)

    def imported(self, identifier: str, module: Any) -> None:
        """The same, of a module that the function begins with importing: its adjoints have it too."""
        self.alias(identifier, module)
        self.objects[identifier] = module

    def is_hidden(self, identifier: str) -> bool:
        """Whether a name means something in the function alone."""
        return identifier in self.local and identifier not in self.objects

    def module(self, label: str) -> gast.Name:
        module = MODULES[label]
        if id(module) not in self.by_key and label in self.names.taken and label not in self.local:
            found = self.outer_value(label)  # functions defined inside may read it where this one does not
            if isinstance(found, Known) and found.value is module:
                self.alias(label, module)
        return self.inject(id(module), label, module)

    def named(self, identifier: str, value: Any) -> gast.Name:
        """What a rule gives its formulas; a module by the user's own name for it."""
        return self.inject(id(value) if isinstance(value, types.ModuleType) else ("name", id(value)), identifier, value)

    def numpy(self, *path: str) -> gast.AST:
        return attribute(self.module("np"), *path)

    def helper(self, label: str) -> gast.Name:
        return self.inject(("helper", label), label, getattr(runtime, label))

    def callable(self, node: gast.AST) -> gast.AST:
        """A call of a method's function, of which nothing is saved, under the function's name."""
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Constant):
            return node
        function = node.func.value
        injected = self.inject(("object", id(function)), function.__name__, function)
        return gast.copy_location(gast.Call(injected, node.args, node.keywords), node)

    def object(self, value: Any) -> gast.Name:
        """A name for a class or a function."""
        label = getattr(value, "__name__", "")
        if getattr(builtins, label, None) is value:
            return self.builtin(label)
        return self.inject((id(value),), label if label.isidentifier() else "factory", value)

    def builtin(self, label: str) -> gast.Name:
        """A builtin, under another name where the user's code has taken its own."""
        key = ("builtin", label)
        if key not in self.by_key:
            free = label not in self.local and self.objects.get(label, getattr(builtins, label)) is getattr(
                builtins, label)
            self.by_key[key] = label if free else self.names.fresh(f"builtin_{label}", pin=True)
            self.names.pinned.add(label)
            self.objects[self.by_key[key]] = getattr(builtins, label)
        return name(self.by_key[key])

    def value(self, identifier: str, holder: dict | None = None) -> Abstract:
        """What a name in generated code stands for (the evaluator's view)."""
        if holder is None and identifier in self.objects:
            return Known(self.objects[identifier])
        return self.outer_value(identifier, holder)


def guards(statement: Any, facts: Facts, helpers: Helpers, variable: Callable[[], str]) -> tuple[list, list]:
    """What stands before and behind a statement to tell if something is not as it was taken to be: that an array holds
    floats into which it stores them; that control never reaches it: a result that is returned is computed first, under
    the name ``variable``."""
    if statement in facts.unsure_stores:
        label, is_real = facts.unsure_stores[statement]
        kinds = "fc" if is_real or not facts.has_complex else "c"
        place = statement.location
        told = map(constant, (label, kinds, place.filename, place.line, place.function))
        return [Evaluate(call(helpers.helper("check_floats"), name(label), *told), place)], []
    if not is_unreached(statement, facts):
        return [], []
    place = f"{statement.location.filename}:{statement.location.line}"
    tells = Evaluate(call(helpers.helper("unreached"), constant(place)), statement.location)
    if isinstance(statement, Leave):
        return [Assign(variable(), statement.value, statement.location), tells], []
    return [], [tells]
