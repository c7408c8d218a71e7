"""Of which classes the objects are that names stand for, as far as a program's text tells without its values."""
from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.dissolved import is_users
from s2sgrad.compiler.numbered_values import pattern_of
from s2sgrad.compiler.program import Append, Assign, Leave, Loop, pattern_names, statements
from s2sgrad.compiler.respell import assigned
from s2sgrad.rules.abstract import Abstract, Items, items_of

COMBINED = (itertools.combinations, itertools.permutations, itertools.pairwise, itertools.product)
SAME_ITEMS = (list, tuple, sorted, reversed)
CHOSEN = (min, max, next)


class Kinds:
    """For names the classes of what they stand for, and of the items of that: as far as it can be seen, for what is not
    seen is left out. Whoever builds on that has to see that it is so."""

    def __init__(self, body: tuple, arguments: dict[str, Abstract], named: Callable[[str], Any],
                 text: Callable[[Any], tuple[tuple, Callable[[str], Any]] | None], given: dict | None = None):
        self.body = body
        self.arguments = arguments
        self.named = named
        self.text = text
        """Gives the statements of a Python function, and what the names in them stand for outside of it."""
        self.given = {} if given is None else given
        """By function the classes of what it returns, and of the items of that."""
        self.ones: dict[str, set] = {}
        self.items: dict[str, set] = {}
        for label, value in arguments.items():
            if isinstance(value, Items) and value.is_object:
                self.ones[label] = {value.kind}
            elif isinstance(value, Items) and value.kind in (list, tuple):
                held = list(items_of(value))
                if held and all(isinstance(item, Items) and item.is_object for item in held):
                    self.items[label] = {item.kind for item in held}  # type: ignore[union-attr]
        self.find()

    def with_more(self, text: tuple) -> Kinds:
        return Kinds((*self.body, *text), self.arguments, self.named, self.text, self.given)

    def find(self) -> None:
        while True:
            before = {label: set(kinds) for label, kinds in self.ones.items()}, {
                label: set(kinds) for label, kinds in self.items.items()}
            for statement in statements(self.body):
                self.note(statement)
            if (self.ones, self.items) == before:
                return

    def note(self, statement: Any) -> None:
        if isinstance(statement, Assign):
            for target, value in assigned(statement.target, statement.value):
                if isinstance(target, str):
                    self.bind(target, value, {})
        elif isinstance(statement, Loop) and statement.target is not None:
            for label, kinds in self.turns(statement.target, statement.iterable, {}):
                self.ones.setdefault(label, set()).update(kinds)
        elif isinstance(statement, Append) and isinstance(statement.target, gast.Name):
            self.items.setdefault(statement.target.id, set()).update(self.all_of(statement.value, {}))

    def bind(self, label: str, value: Any, local: dict) -> None:
        self.ones.setdefault(label, set()).update(self.all_of(value, local))
        self.items.setdefault(label, set()).update(self.all_items(value, local))

    # ---- what is asked

    def of(self, node: Any) -> Any:
        """The one class of the object that an expression gives; None where that is not known."""
        kinds = self.all_of(node, {})
        return next(iter(kinds)) if len(kinds) == 1 else None

    def items_of(self, node: Any) -> Any:
        kinds = self.all_items(node, {})
        return next(iter(kinds)) if len(kinds) == 1 else None

    # ---- expressions

    def all_of(self, node: Any, local: dict) -> set:
        if isinstance(node, gast.Name):
            return set(local.get(node.id, self.ones.get(node.id, ())))
        if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
            return self.all_items(node.value, local)
        if isinstance(node, gast.IfExp):
            return self.all_of(node.body, local) | self.all_of(node.orelse, local)
        function = self.called(node)
        if is_one_of(function, CHOSEN) and node.args:
            return self.all_items(node.args[0], local)
        if is_users(function):
            return {function}
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in (
                "pop", "popleft"):
            return self.all_items(node.func.value, local)
        return self.returned(function)[0]

    def all_items(self, node: Any, local: dict) -> set:
        if isinstance(node, gast.Name):
            return set(self.items.get(node.id, ()))
        if isinstance(node, (gast.List, gast.Tuple)):
            return set().union(*(self.all_of(part, local) for part in node.elts))
        if isinstance(node, (gast.ListComp, gast.GeneratorExp)):
            own = dict(local)
            for each in node.generators:
                own.update(self.turns(pattern_of(each.target), each.iter, own))
            return self.all_of(node.elt, own)
        if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice):
            return self.all_items(node.value, local)
        if isinstance(node, gast.IfExp):
            return self.all_items(node.body, local) | self.all_items(node.orelse, local)
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add):
            return self.all_items(node.left, local) | self.all_items(node.right, local)
        function = self.called(node)
        if is_one_of(function, SAME_ITEMS) and node.args:
            return self.all_items(node.args[0], local)
        return self.returned(function)[1]

    def returned(self, function: Any) -> tuple[set, set]:
        """The classes of what a function of the user's returns, and of the items of that."""
        if not isinstance(function, types.FunctionType):
            return set(), set()
        if function not in self.given:
            self.given[function] = set(), set()
            found = self.text(function)
            if found is not None:
                inside = Kinds(found[0], {}, found[1], self.text, self.given)
                values = [part.value for part in statements(found[0]) if isinstance(part, Leave)
                          and part.kind == "return" and part.value is not None]
                self.given[function] = (set().union(*(inside.all_of(value, {}) for value in values)),
                                        set().union(*(inside.all_items(value, {}) for value in values)))
        return self.given[function]

    def called(self, node: Any) -> Any:
        if not isinstance(node, gast.Call):
            return None
        if isinstance(node.func, gast.Name):
            return self.named(node.func.id)
        if isinstance(node.func, gast.Attribute) and isinstance(node.func.value, gast.Name):
            return getattr(self.named(node.func.value.id), node.func.attr, None) if self.named(
                node.func.value.id) is itertools else None
        return None

    def turns(self, pattern: Any, node: Any, local: dict) -> Iterator[tuple[str, set]]:
        """The variables that run over what an expression gives, each with the classes of that."""
        function = self.called(node)
        if isinstance(pattern, tuple) and is_one_of(function, (enumerate, zip)) and not any(
                isinstance(item, gast.Starred) for item in node.args):
            inner = node.args if function is zip else [None, *node.args[:1]]
            for part, item in zip(pattern, inner):
                if item is not None:
                    yield from self.turns(part, item, local)
        elif isinstance(pattern, tuple) and is_one_of(function, COMBINED) and node.args:
            kinds = self.all_items(node.args[0], local)
            yield from ((label, kinds) for label in pattern_names(pattern))
        elif isinstance(pattern, str):
            yield pattern, self.all_items(node, local)


def is_one_of(function: Any, known: tuple) -> bool:
    return any(function is each for each in known)
