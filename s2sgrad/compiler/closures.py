"""Functions inside functions: what they take from around them is handed to them as further arguments.

Python reads a closed-over name when the inner function is called. So does the call that stands for it here: in the
function that defines it each name is what it is at the call; what is handed on with a function as an argument stays as
it is, because the function around it waits until that call is over. A function that outlives the call is refused.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.effects import functions_in
from s2sgrad.compiler.evaluate import Evaluator
from s2sgrad.compiler.kinds import type_of
from s2sgrad.compiler.made_functions import close_over_active, in_place_of
from s2sgrad.compiler.nodes import Names, handed_on, name, names_in, open_parameters
from s2sgrad.compiler.program import Define
from s2sgrad.compiler.scopes import free_names, stores
from s2sgrad.rules.abstract import Abstract, Function, Items


class Closures(Evaluator):
    """The definition of inner functions, and what calls hand on with them."""

    def do_Define(self, statement: Define, environment: dict) -> dict:
        label, = statement.targets
        value = self.function(statement.node, environment)
        version = self.version(label, value, "bound")
        self.facts.defined[statement, label] = version
        return {**environment, label: version}

    def of_Lambda(self, node: gast.Lambda, environment: dict) -> Abstract:
        return self.function(node, environment)

    def function(self, node: Any, environment: dict) -> Function:
        """The abstract value of a function defined here; a comprehension around it binds names, too."""
        return Function(self.program.owner, node, tuple((label, label) for label in free_names(node)
                                                        if label in self.local or label in environment))

    # ---- callables that are no functions

    def called_later(self, node: gast.AST, receiver: gast.AST, environment: dict) -> Abstract:
        """What a bound method (of a ``receiver``) or a callable object is good for, as a lambda that calls it.

        Python has the object since the method was bound, the lambda since it is called; so it must be the same then.
        """
        if id(node) not in self.used_at_once:
            if not isinstance(receiver, gast.Name):
                raise self.refusal("a method is kept of an object that has no name of its own",
                                   "give the object a name, and take the method from that", node)
            if receiver.id in self.rebound_later(node, None):  # type: ignore[attr-defined]
                raise self.refusal(f"{receiver.id} is bound anew behind a method of it that is kept",
                                   "give the other object another name", node)
        key = "called later", id(node)
        if key not in self.facts.simpler:
            names = Names(set(names_in(node)))
            spec = open_parameters(names.fresh("args"), names.fresh("kwargs"))
            kind: Any = type_of(self.evaluate(receiver, environment))
            kind = kind if node is receiver else objects.class_of_method(kind, node.attr)  # type: ignore[attr-defined]
            made: Any = in_place_of(kind, gast.Lambda(spec, handed_on(node, [], [], spec)), node)
            made.stands_for = node
            self.facts.simpler[key] = made
        return self.respelled(node, self.facts.simpler[key], environment)

    # ---- what is handed on

    def closes_over_active(self, values: list[Abstract], environment: dict) -> bool:
        """Whether a function among the values reads a differentiated value from around it."""
        return close_over_active(values, environment)

    def refuse_function(self, node: gast.AST, value: Abstract, place: str, environment: dict) -> None:
        """Raises UnsupportedError where a function that reads a differentiated value from around it goes where nobody
        follows it."""
        if not self.passive_context and self.closes_over_active([value], environment):
            raise self.refusal(f"a function that reads a differentiated value is put into {place}",
                               "keep functions in a list, a tuple or a dict", node)

    def handed_on(self, definition: Definition, homes: tuple, values: list, names: Any, environment: dict,
                  node: gast.AST) -> tuple[Definition, list, list]:
        """A definition with a parameter for each name that the functions among its arguments, and it itself
        (``homes``), take from around them; the expressions for those, and the values of all arguments."""
        free = Names(names)
        there: dict[str, str] = {}
        hidden: list[tuple[str, str]] = []
        for label, home in homes:
            there.setdefault(home, label)
            hidden.append((label, home))

        def settle(value: Abstract) -> Abstract:
            if isinstance(value, Items) and value.items is not None and not value.is_object and any(
                    stores(found.syntax) for found in functions_in(value)):  # an object would hold what it writes into
                return replace(value, items=tuple(map(settle, value.items)))
            if not isinstance(value, Function):
                if functions_in(value):
                    self.let_outlive(functions_in(value), "these functions can't be handed on in a list or tuple",  # type: ignore[attr-defined]
                                     "hand each on as an argument of its own", node)
                return value
            for _, home in value.homes:
                if home not in there:
                    there[home] = free.fresh(home)
                    hidden.append((there[home], home))
            return replace(value, homes=tuple((label, there[home]) for label, home in value.homes))

        settled = [None if value is None else settle(value) for value in values]
        nodes: list[gast.AST] = []
        for _, home in hidden:  # which grows: functions close over functions
            nodes.append(gast.copy_location(name(home), node))
            self.facts.taken_along.add(id(nodes[-1]))
            self.facts.made.append(nodes[-1])
            settled.append(settle(self.evaluate(nodes[-1], environment)))
        if not hidden:
            return definition, [], settled
        return definition.with_hidden(tuple(label for label, _ in hidden)), nodes, settled
