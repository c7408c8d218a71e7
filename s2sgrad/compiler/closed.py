"""Functions that outlive the call which makes them, as objects: what such a function takes from around it is in their
attributes, and a call of one hands these on.

``def make(a): return lambda x: a * x`` makes ``instance(lambda_object, a=a)``, and ``f = make(a); f(x)`` is a call of
the lambda with ``f.a`` as a further argument. So such functions may be kept, handed on, made in loops and be
differentiated in what they hold, like any object. What Python reads when the function is called, the object has since
the function was made; so it must be the same then. A default that is no literal Python evaluates when it makes the
function, too: ``lambda x, a=a: a * x`` is such an object whatever becomes of it.
"""
from __future__ import annotations

import contextlib
import copy
import functools
import types
from typing import Any

import gast

from s2sgrad.compiler.closures import Closures
from s2sgrad.compiler.definitions import Definition, written_signature
from s2sgrad.compiler.emit import define
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.made_functions import functions_reached, made_kinds, name_of
from s2sgrad.compiler.nodes import attribute, call, constant, is_starred, located_at, name, walk
from s2sgrad.compiler.objects import changes_when_read
from s2sgrad.compiler.program import Assign, Define, Loop, assigned_names, statements
from s2sgrad.compiler.scopes import late_defaults, yields
from s2sgrad.compiler.unparse import unparse
from s2sgrad.containers import instance
from s2sgrad.rules.abstract import Abstract, Function, Items, passive

RETURNED = "a function that reads names from around it is returned, which is not supported yet"
CALLED_HERE = "call it here, or define it where it is called"
OUTLIVING: set[tuple] = set()
"""The functions that are returned by what defines them: that function's code, and the place in the source."""


class Outlives(Exception):
    """A function is returned by the one that defines it: start again with it as an object."""


class Closed:
    """An object that is such a function; each has a class of its own.

    Attributes
    ----------
    owner, syntax
        As of ``Function``; parameters whose default is no literal have the attribute of their name for one.
    labels
        The names of what it takes from around it.
    defaults
        Those parameters.
    """

    owner: Any
    syntax: Any
    labels: tuple[str, ...]
    defaults: tuple[str, ...]
    is_function = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        owner = type(self).owner
        cells = dict(zip(owner.__code__.co_freevars, owner.__closure__ or ()))
        outer = {label: cell.cell_contents for label, cell in cells.items()
                 if not hasattr(self, label) and cell != types.CellType()}
        return maker(type(self), (*vars(self), *outer))(**vars(self), **outer)(*args, **kwargs)


def enclosed(function: Any, label: str) -> Any:
    """What a function takes from around it under a name, or has for that parameter's default: of one that was made by
    code which stays as it is, too."""
    if isinstance(function, Closed):
        return getattr(function, label)
    if isinstance(function, types.MethodType):  # of an object with this name
        return function.__self__
    if not hasattr(function, "__code__"):  # an object with this name
        return function
    code = function.__code__
    if label in code.co_freevars:
        return function.__closure__[code.co_freevars.index(label)].cell_contents
    if label in code.co_varnames[:code.co_argcount]:
        return function.__defaults__[code.co_varnames.index(label) - code.co_argcount]
    return function.__kwdefaults__[label]


@functools.lru_cache(maxsize=256)
def maker(kind: type[Closed], labels: tuple[str, ...]) -> types.FunctionType:
    """A function that makes the plain function which an object is, of what that holds."""
    if isinstance(kind.syntax, gast.Lambda):
        body = [f"return {unparse(kind.syntax)}"]
    else:
        body = [*unparse(kind.syntax).splitlines(), f"return {kind.syntax.name}"]
    text = "\n    ".join([f"def make({', '.join(labels)}):", *body]) + "\n"
    return types.FunctionType(define(text, "make", {}).__code__, kind.owner.__globals__)


class Outliving(Closures):
    """The making and the calls of functions that are objects."""

    def let_outlive(self, functions: list[Function], what: str = RETURNED, remedy: str = CALLED_HERE,
                    node: gast.AST | None = None) -> None:
        """Raises Outlives; UnsupportedError where one of the functions can't be an object."""
        places = {place_in_source(found.owner, found.syntax) for found in functions}
        if not all(map(can_outlive, functions)) or places <= OUTLIVING:
            raise self.refusal(what, remedy, node)
        OUTLIVING.update(places)
        raise Outlives

    def outlives(self, syntax: Any) -> bool:
        return place_in_source(self.program.owner, syntax) in OUTLIVING

    def do_Define(self, statement: Define, environment: dict) -> dict:
        late = late_defaults(statement.node.args)
        if not late and not self.outlives(statement.node):
            return super().do_Define(statement, environment)
        label, = statement.targets
        function = self.function(statement.node, environment)
        if not late and not function.homes:
            return super().do_Define(statement, environment)
        return self.expand(statement, [Assign(label, self.as_object(  # type: ignore[attr-defined,no-any-return]
            function, statement), statement.location)], environment)

    def of_Lambda(self, node: gast.Lambda, environment: dict) -> Abstract:
        function = self.function(node, environment)
        late = [self.evaluate(item, environment) for item in late_defaults(node.args).values()]
        outlives = self.outlives(node) or not self.passive_context and (
            hasattr(node, "of_this_moment") or any(value.active or changes_when_read(value) for value in late)
            or any(True for _ in functions_reached(late, environment)))
        if not outlives or not function.homes and not late:
            return function
        if id(node) not in self.facts.simpler:
            self.facts.simpler[id(node)] = self.as_object(function, None)
        return self.respelled(node, self.facts.simpler[id(node)], environment)

    def as_object(self, function: Function, statement: Any) -> gast.AST:
        """The expression that makes the object."""
        if not can_outlive(function):
            raise self.refusal("a default that is not a literal is not supported here: in a generator, a function that "
                               "calls itself, or for a positional-only parameter",
                               "leave the default out, and give the value at each call", function.syntax)
        labels = tuple(label for label, _ in function.homes)
        made_of = getattr(function.syntax, "stands_for", function.syntax)
        rebound = set() if hasattr(function.syntax, "of_this_moment") else \
            self.rebound_later(made_of, statement) & set(labels)
        if rebound:
            raise self.refusal(
                f"{min(rebound)} is bound anew behind a function that reads it, and is returned, kept or handed on",
                f"let it get {min(rebound)} as an argument where it is called", function.syntax)
        kind: Any = class_of(function.syntax, function.owner, labels)
        held = {**{label: name(label) for label in labels}, **late_defaults(function.syntax.args)}
        return located_at(call(self.given(instance), self.given(kind), **held), function.syntax)

    def rebound_later(self, syntax: Any, statement: Any) -> set[str]:
        """The names that may be bound anew once a function is made."""
        owner = self.program.owner
        made = place_in_source(owner, syntax)  # it may have been copied to where it is evaluated
        place = next((index for index, part in enumerate(self.program.body) if any(
            inner is statement or any(isinstance(node, type(syntax)) and place_in_source(owner, node) == made
                                      for field in vars(inner).values() if isinstance(field, gast.AST)
                                      for node in walk(field))
            for inner in statements((part,)))), 0)
        around = self.program.body[place]
        later = self.program.body[place if isinstance(around, Loop) or around is not statement else place + 1:]
        found = assigned_names(later, written=False)
        return found - {syntax.name} if hasattr(syntax, "name") else found

    def closed_call(self, node: gast.Call, callee: Items, environment: dict) -> Abstract:
        """A call of such an object."""
        if not isinstance(node.func, (gast.Name, gast.Attribute, gast.Subscript)):
            raise NeedsName(node.func, self.refusal(
                "a function that is made here is called in the middle of an expression", "give it a name before",
                node.func))
        if is_starred(node):
            raise self.of_open_stars(node)  # type: ignore[attr-defined]
        kind: Any = callee.kind
        held: dict[str, gast.AST] = {}
        for label in callee.keys or ():
            part = attribute(node.func, label) if callee.active else call(
                self.given(enclosed), node.func, constant(label))
            held[label] = located_at(part, node)
            self.facts.made.append(held[label])
            self.facts.values.setdefault(id(held[label]), callee.at(label))
        definition, nodes, values = self.bound(  # type: ignore[attr-defined]
            with_defaults(node, kind, held), Definition(kind.owner, syntax=kind.syntax), (), environment)
        hidden = [label for label in held if label not in kind.defaults]
        nodes += [held[label] for label in hidden]
        values += [self.facts.values[id(held[label])] for label in hidden]
        definition = definition.with_hidden((*definition.hidden, *hidden))
        derivative, result = self.derivative_of(definition, values)
        writes = self.must_be_followed(derivative, kind.syntax, values)  # type: ignore[attr-defined]
        if writes and node is not self.whole_call:
            raise NeedsName(node, self.part_of_an_expression(node))  # type: ignore[attr-defined]
        if not writes and not any(value is not None and value.active for value in values) or self.passive_context:
            return passive(result)
        return self.noted(node, derivative, result, nodes, values, environment)  # type: ignore[attr-defined,no-any-return]


def can_outlive(function: Function) -> bool:
    """Whether a function can be an object: where defaults are attributes, they are given by name."""
    syntax = function.syntax
    return not function.gradient and not yields(syntax) and getattr(syntax, "name", "") not in dict(function.homes) \
        and {item.id for item in syntax.args.posonlyargs}.isdisjoint(late_defaults(syntax.args))


def with_defaults(node: gast.Call, kind: Any, held: dict[str, gast.AST]) -> gast.Call:
    """A call of such an object with what that has for the parameters that the call leaves out."""
    if not kind.defaults:
        return node
    named = {item.arg: item.value for item in node.keywords}
    with contextlib.suppress(TypeError):  # of which ``bound`` tells
        named.update((label, held[label]) for label in set(kind.defaults).difference(
            written_signature(kind.syntax.args).bind(*node.args, **named).arguments))
    keywords = [gast.keyword(label, value) for label, value in named.items()]
    return gast.copy_location(gast.Call(node.func, node.args, keywords), node)


def place_in_source(owner: Any, syntax: Any) -> tuple:
    return owner.__code__, syntax.lineno, syntax.col_offset


def is_closed(kind: type) -> bool:
    return issubclass(kind, Closed)


def holds_made_functions(value: Any) -> bool:
    """Whether a value is such an object, or holds one."""
    return bool(made_kinds(value))


def makes_under_other_names(result: Any, values: list) -> bool:
    """Whether a call makes functions that hold under other names, or in other parts, what they take from around them,
    where the code that makes them stays as it is: ``functions_0`` is an item of ``functions`` there."""
    kinds: Any = made_kinds(result).difference(*map(made_kinds, values))
    return any(not set(kind.labels) <= {*kind.owner.__code__.co_cellvars, *kind.owner.__code__.co_freevars}
               for kind in kinds)


def with_defaults_by_name(spec: Any) -> Any:
    """Parameters with their own names for the defaults that are no literals."""
    late = {id(item): label for label, item in late_defaults(spec).items()}
    made = copy.copy(spec)
    made.defaults, made.kw_defaults = (
        [located_at(name(late[id(item)]), item) if id(item) in late else item for item in part]
        for part in (spec.defaults, spec.kw_defaults))
    return made


def class_of(syntax: Any, owner: Any, labels: tuple[str, ...]) -> type:
    """The class of the objects that a function is; copies of its text have the same."""
    classes = vars(syntax).setdefault("classes", {})
    if (owner, labels) not in classes:
        label = getattr(syntax, "name", "lambda")
        plain, late = copy.copy(syntax), tuple(late_defaults(syntax.args))
        plain.args = with_defaults_by_name(syntax.args)
        classes[owner, labels] = type(f"{label}_object", (Closed,), {
            "owner": owner, "syntax": plain, "labels": labels, "defaults": late, "__name__": name_of(syntax),
            "__module__": "functions"})  # no library's: objects are looked into
    found: type = classes[owner, labels]
    return found
