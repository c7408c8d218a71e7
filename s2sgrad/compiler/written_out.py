"""Calls of functions and methods that get several objects, written out where they stand.

``a.attract(b)`` with two objects of one list, and ``swarm.step()`` where ``swarm.leader`` is one of
``swarm.particles``, write under one name what another function reads under a second. With the text of the method in the
place of the call, and a name for each attribute of an object that the function makes once (``single_objects.py``), all
such names are in one function, where ``by_place.py`` has numbers for them. That is what Python does, but for the frame
of the call. It is tried only once a program was refused as it stands.

Which method a call means is guessed from the text (``kinds_of_names.py``), and found out about once the new text is
analysed: ``are_so`` says whether the guesses were right.
"""
from __future__ import annotations

import copy
import inspect
import types
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.array_flows import Unfit
from s2sgrad.compiler.definitions import Definition, alike, own_derivative
from s2sgrad.compiler.dissolved import LITERALS
from s2sgrad.compiler.dotted import is_dotted
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.initializers import with_text
from s2sgrad.compiler.inlined import PLAIN, rewritten
from s2sgrad.compiler.kinds_of_names import Kinds
from s2sgrad.compiler.leaving import contains, marked, without
from s2sgrad.compiler.nodes import (
    Names,
    attribute,
    change,
    constant,
    is_starred,
    located_at,
    name,
    names_in,
    ordered_children,
    rebuilt,
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
    Program,
    Store,
    assigned_names,
    expressions_in,
    statements,
    with_blocks,
)
from s2sgrad.compiler.scopes import COMPREHENSIONS
from s2sgrad.compiler.single_objects import apart, initializer_of, singles_in
from s2sgrad.compiler.written_texts import (
    RETURNED,
    assigned_one_by_one,
    inner_variables,
    names_from_outside,
    variables_of,
    with_expressions,
    with_results,
    with_spelled,
)
from s2sgrad.containers import in_library
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import NEVER, Abstract, Items, Known, known_value

MOST_CALLS, MOST_LINES = 48, 600
"""So many calls are written out at most, and so long may the program become."""
NO_VALUES = (gast.FormattedValue, gast.Slice, gast.Starred)
"""Parts of expressions that mean nothing without what is around."""


def written_out(program: Program, arguments: dict[str, Abstract], outer: Callable[[Any], Callable[..., Abstract]],
                program_of: Callable[[Definition], Program], inferred: Callable[[Program], Facts]) -> Program | None:
    """The program with calls that get several objects written out; None where there are none, no list of objects is
    among them, or it can't be done."""
    if program.outer or program.is_generated:
        return None
    whole = set(program.parameters)
    """The objects that something needs as a whole, and those that the caller gives."""
    while True:
        try:
            work = WrittenOut(program, arguments, outer, program_of, whole)
            made = work.run()
        except (Unfit, UnsupportedError, RecursionError):
            return None
        if work.whole == whole:
            fits = work.count and any(work.kinds.items.values())
            return made if fits and work.are_so(made, inferred(made)) else None
        whole = whole | work.whole


class WrittenOut:
    def __init__(self, program: Program, arguments: dict[str, Abstract], outer: Callable, program_of: Callable,
                 whole: set[str]):
        self.program = program
        self.arguments = arguments
        self.outer_of = outer
        self.outer = outer(program.owner)
        self.program_of = program_of
        self.names = Names(program.names)
        self.given = dict(program.given)
        self.free = set(program.free)
        self.local = {*program.parameters, *assigned_names(program.body, written=False)}
        self.whole = set(whole)
        self.count = 0
        self.running: list[Any] = []
        """The functions that are being written out."""
        self.singles: dict[str, type] = {}
        self.kinds: Any = None
        self.guessed: list[tuple[str, type, str]] = []
        """Names for the objects whose methods were written out, each with its class and the method."""
        self.shadowed: set[str] = set()
        """The variables of the comprehensions and lambdas around."""

    def run(self) -> Program:
        body = tuple(part for statement in self.program.body for part in assigned_one_by_one(statement))
        while True:
            before, count = body, self.count
            self.singles = singles_in(body, self.whole, self.function_named)
            self.kinds = Kinds(body, self.arguments, self.function_named, self.text_of)
            body = self.block(body)
            for label in list(self.singles):
                made = apart(body, label, self.singles[label], self.names, self.class_constant)
                if made is None:
                    self.whole.add(label)
                else:
                    body = made
            if len(statements(body)) > MOST_LINES:
                raise Unfit
            if self.count == count or before is body:
                break
        return replace(self.program, body=body, names=self.program.names | self.names.taken, given=self.given,
                       free=tuple(dict.fromkeys((*self.program.free, *sorted(self.free)))))

    def are_so(self, program: Program, facts: Facts) -> bool:
        """Whether the objects whose methods were written out are of the classes that they were taken for."""
        wanted: dict[str, set] = {}
        for label, kind, method in self.guessed:
            wanted.setdefault(label, set()).add((kind, method))
        seen = set()
        for statement in statements(program.body):
            for expression in expressions_in(statement):
                for node in gast.walk(expression):
                    value = facts.values.get(id(node)) if isinstance(node, gast.Name) and node.id in wanted else None
                    if value is None or known_value(value) is None or value is NEVER:
                        continue
                    seen.add(node.id)
                    if not isinstance(value, Items) or any(
                            value.kind is not kind or method in value.steps for kind, method in wanted[node.id]):
                        return False
        return seen == wanted.keys()

    # ---- what is called

    def function_named(self, label: str) -> Any:
        """The function or class that a name stands for; None where that is not known."""
        if label in self.given:
            return self.given[label]
        if label in self.local or label not in self.free:
            return None
        known = self.outer(label)
        return objects.unmarked(known.value) if isinstance(known, Known) else None

    def text_of(self, function: types.FunctionType) -> tuple[tuple, Callable[[str], Any]] | None:
        """The statements of a function of the user's, and what gives what its outer names stand for."""
        if in_library(function.__module__ or "") or inspect.isgeneratorfunction(function):
            return None
        try:
            program = self.program_of(Definition(function))
        except UnsupportedError:
            return None

        def named(label: str) -> Any:
            known = self.outer_of(function)(label) if label in program.free else None
            return objects.unmarked(known.value) if isinstance(known, Known) else program.given.get(label)

        return program.body, named

    def called(self, node: Any) -> tuple[types.FunctionType, list, dict[str, Any], tuple | None] | None:
        """The function that is to be written out in the place of a call, with its arguments, and of a method the class
        and the name by which it was found, where that is a guess; None of other calls."""
        if isinstance(node, gast.Attribute) and getattr(node.value, "id", None) in self.singles:
            single = self.singles[node.value.id]  # type: ignore[attr-defined]
            getter = getattr(objects.found_in(single, node.attr), "fget", None)
            if not isinstance(getter, types.FunctionType) or getter in self.running:
                return None
            self.outer(node.attr, single)
            return getter, [node.value], {}, None
        if not isinstance(node, gast.Call) or is_starred(node):
            return None
        function: Any = None
        kind: Any = None
        receiver: list = []
        if isinstance(node.func, gast.Name):
            function = self.function_named(node.func.id)
        elif isinstance(node.func, gast.Attribute):
            kind = self.kinds.of(node.func.value)
            found = None if kind is None else objects.found_in(kind, node.func.attr)
            if kind is None or isinstance(found, classmethod) or not objects.is_method(kind, node.func.attr):
                return None
            self.outer(node.func.attr, kind)
            function = objects.function_of(found)
            receiver = [] if isinstance(found, staticmethod) else [node.func.value]
        if not isinstance(function, types.FunctionType) or in_library(function.__module__ or "") \
                or own_derivative(function) is not None or alike(function) is not None or function in self.running:
            return None
        given = [*receiver, *node.args]
        keywords = {item.arg: item.value for item in node.keywords}
        told = [part for part in (*given, *keywords.values()) if self.kinds.of(part) or self.kinds.items_of(part)]
        if len(told) < 2 and not any(isinstance(part, gast.Name) and part.id in self.singles for part in told):
            return None
        guess = kind if receiver and getattr(receiver[0], "id", None) not in self.singles else None
        return function, given, keywords, guess and (guess, node.func.attr)  # type: ignore[attr-defined]

    # ---- statements

    def block(self, body: tuple) -> tuple:
        return tuple(made for statement in body for made in self.statement(statement))

    def statement(self, statement: Any) -> list:
        out: list = []
        if isinstance(statement, Assign) and statement.target in self.singles:
            return self.made(statement)
        if isinstance(statement, Loop) and statement.target is None:
            if self.mentions_call(statement.iterable):
                test = self.names.fresh("going_on")
                first = self.block((Assign(test, statement.iterable, statement.location),))
                stop = Branch(gast.UnaryOp(gast.Not(), name(test)), (Leave("break", None, statement.location),), (),
                              statement.location)
                located_at(stop.test, statement.iterable)
                endless = located_at(constant(True), statement.iterable)
                return [replace(statement, iterable=endless, body=(*first, stop, *self.block(statement.body)))]
            return [replace(statement, body=self.block(statement.body))]
        if isinstance(statement, Evaluate) and (found := self.called(statement.value)) is not None:
            value = self.call(found, statement.value, out, statement.location, used=False)
            return out if value is None else [*out, replace(statement, value=value)]
        if isinstance(statement, (Augment, Store)):
            return self.write(statement)
        labels = ["target", "place", "value"] if isinstance(statement, Append) else [
            part.name for part in fields(statement) if part.name != "node"]
        parts = {label: part for label in labels if isinstance(part := getattr(statement, label), gast.AST)}
        made = self.in_order(list(parts.values()), out, statement.location)
        statement = replace(statement, **{label: new for (label, old), new in zip(parts.items(), made)
                                          if new is not old})
        return [*out, with_blocks(statement, self.block)]

    def write(self, statement: Augment | Store) -> list:
        """The same of ``target = value`` and ``target += value``, which read what is before the place first in the
        second case, and last in the first."""
        out: list = []
        target, location = statement.target, statement.location
        inside = ordered_children(target)
        nodes = [part for _, _, part in inside]
        if isinstance(statement, Store):
            value, *nodes = self.in_order([statement.value, *nodes], out, location)
        else:
            *nodes, value = self.in_order([*nodes, statement.value], out, location)
        changes: dict[str, Any] = {}
        for (part, place, old), new in zip(inside, nodes):
            if new is not old:
                change(target, part, place, new, changes)
        target = rebuilt(target, changes)
        if isinstance(statement, Store) or isinstance(target, gast.Name) or self.is_steady(target, out):
            return [*out, replace(statement, target=target, value=value)]
        before: list = []
        if not is_place(target):
            raise Unfit
        old = self.kept(target, getattr(target, "attr", "item"), before, location)
        return [*before, *out, replace(statement, target=old, value=value), Store(target, old, location)]

    def made(self, statement: Assign) -> list:
        """The statements that fill a new object of which each attribute gets a name."""
        kind, node = self.singles[statement.target], statement.value  # type: ignore[index]
        self.outer("__init__", kind)
        self.count += 1
        if objects.found_in(kind, "__init__") is object.__init__:
            return []
        function = initializer_of(kind, node)
        out: list = []
        receiver = located_at(name(statement.target), node)  # type: ignore[arg-type]
        keywords = {item.arg: item.value for item in node.keywords}  # type: ignore[attr-defined]
        found = function, [receiver, *node.args], keywords, None  # type: ignore[attr-defined]
        self.call(found, node, out, statement.location, used=False)
        return out

    # ---- expressions

    def mentions_call(self, node: Any) -> bool:
        return any(self.called(part) is not None for part in gast.walk(node))

    def expression(self, node: Any, out: list, location: Any) -> Any:
        """An expression without such calls; to ``out`` come the statements that go before it."""
        if not self.mentions_call(node):
            return node
        found = self.called(node)
        if found is not None:
            return self.call(found, node, out, location)
        if isinstance(node, (gast.BoolOp, gast.IfExp, gast.Lambda, *COMPREHENSIONS)) or isinstance(
                node, gast.Compare) and len(node.ops) > 1:
            try:
                return self.unconditional(node)
            except Unfit:
                if not isinstance(node, (gast.BoolOp, gast.IfExp)):
                    raise
            return self.branching(node, out, location)
        changes: dict[str, Any] = {}
        inside = ordered_children(node)
        for (part, place, _), new in zip(inside, self.in_order([child for _, _, child in inside], out, location)):
            change(node, part, place, new, changes)
        return rebuilt(node, changes)

    def in_order(self, nodes: list, out: list, location: Any) -> list:
        """The same of expressions that are evaluated one after another."""
        done: list = []
        for node in nodes:
            before = len(out)
            new = self.expression(node, out, location)
            if len(out) > before:  # what was evaluated before stays so
                added, out[before:] = out[before:], []
                done = [earlier if self.is_steady(earlier, added) else self.kept(earlier, "part", out, location)
                        for earlier in done]
                out += added
            done.append(new)
        return done

    def is_steady(self, node: Any, added: list) -> bool:
        """Whether an expression means the same before some statements and behind them."""
        if isinstance(node, (gast.Name, gast.Constant)) or not added:
            return True
        if isinstance(node, NO_VALUES):
            raise Unfit  # it can't be given a name
        if not is_place(node):
            return False
        read = {part.attr if isinstance(part, gast.Attribute) else None for part in gast.walk(node)
                if isinstance(part, (gast.Attribute, gast.Subscript))}
        between = statements(tuple(added))
        return read.isdisjoint(getattr(statement.target, "attr", None) for statement in between
                               if isinstance(statement, (Append, Augment, Delete, Store))) and not any(
            self.may_do_more(part) for statement in between for expression in expressions_in(statement)
            for part in gast.walk(expression))

    def may_do_more(self, node: Any) -> bool:
        """Whether code of the user's runs where an expression is evaluated: a call, or a property."""
        if isinstance(node, gast.Attribute):
            kinds = set(self.singles.values()).union(*self.kinds.ones.values(), *self.kinds.items.values())
            return any(isinstance(objects.found_in(kind, node.attr), property) for kind in kinds)
        if not isinstance(node, gast.Call):
            return False
        function = node.func
        while isinstance(function, gast.Attribute):
            function = function.value
        known = self.function_named(function.id) if isinstance(function, gast.Name) else None
        return not in_library(getattr(known, "__module__", None) or getattr(known, "__name__", None) or "")

    def branching(self, node: Any, out: list, location: Any) -> Any:
        """The same of an expression of which one part tells whether another is evaluated, with a branch for it."""
        if isinstance(node, gast.BoolOp):
            first, *rest = node.values
            found = self.kept(self.expression(first, out, location), "found", out, location)
            more = rest[0] if len(rest) == 1 else gast.copy_location(gast.BoolOp(node.op, rest), node)
            arms = [self.arm(found.id, more, location), ()]  # type: ignore[attr-defined]
            then, orelse = arms if isinstance(node.op, gast.And) else arms[::-1]
            out.append(Branch(found, then, orelse, location))
        else:
            test = self.expression(node.test, out, location)
            found = located_at(name(self.names.fresh("found")), node)
            self.local.add(found.id)  # type: ignore[attr-defined]
            out.append(Branch(test, self.arm(found.id, node.body, location),  # type: ignore[attr-defined]
                              self.arm(found.id, node.orelse, location), location))  # type: ignore[attr-defined]
        return located_at(name(found.id), node)  # type: ignore[attr-defined]

    def arm(self, label: str, node: Any, location: Any) -> tuple:
        out: list = []
        value = self.expression(node, out, location)
        return (*out, Assign(label, value, location))

    def unconditional(self, node: Any) -> Any:
        """The same of an expression of which parts are evaluated perhaps never, or more than once."""
        if isinstance(node, gast.Call) and (found := self.called(node)) is not None:
            out: list = []
            made = self.call(found, node, out, self.program.location)
            if out:
                raise Unfit
            return made
        if not isinstance(node, gast.AST) or not self.mentions_call(node):
            return node
        parts, around = [], set(self.shadowed)
        self.shadowed |= {label for part in gast.walk(node) for label in variables_of(part)}
        for label in node._fields:
            part = getattr(node, label, None)
            parts.append(list(map(self.unconditional, part)) if isinstance(part, list) else self.unconditional(part))
        self.shadowed = around
        return gast.copy_location(type(node)(*parts), node)

    def kept(self, node: Any, label: str, out: list, location: Any) -> gast.AST:
        fresh = self.names.fresh(label)
        self.local.add(fresh)
        out.append(Assign(fresh, node, location))
        return located_at(name(fresh), node)

    # ---- calls

    def call(self, found: tuple, node: Any, out: list, location: Any, used: bool = True) -> Any:
        """What a call gives; to ``out`` come the statements of the function. None where that is not ``used`` and does
        nothing."""
        function, positional, named, guess = found
        self.count += 1
        if named and sum(not isinstance(item, (gast.Name, gast.Constant)) for item in (
                *positional, *named.values())) > 1 and any(isinstance(part, gast.Call) for item in (
                    *positional, *named.values()) for part in gast.walk(item)):
            raise Unfit  # they are bound in another order than they are computed
        if self.count > MOST_CALLS or inspect.isgeneratorfunction(function):
            raise Unfit
        try:
            definition, bound = Definition(function).fitting(positional, named)
        except TypeError:
            raise Unfit from None
        program = self.program_of(definition)
        body = program.body
        if program.outer or not body or not all(isinstance(part, PLAIN) for part in statements(body)):
            raise Unfit
        one = isinstance(body[0], Leave) and body[0].kind == "return" and body[0].value is not None and not any(
            map(self.may_do_more, gast.walk(body[0].value)))
        plain = not any(isinstance(inner, gast.Call) for part in bound if part is not None for inner in gast.walk(part))
        rebound = assigned_names(body, written=False)
        inside = inner_variables(body)
        meaning: dict[str, str] = {}
        spelled: dict[str, Any] = {}
        for label, part, default in zip(program.parameters, bound, definition.defaults()):
            if part is None:
                if type(default) not in LITERALS:
                    raise Unfit
                part = gast.copy_location(constant(default), node)
            part = self.expression(part, out, location)
            simple = label not in rebound and label not in inside and not inside.intersection(names_in(part))
            if simple and isinstance(part, gast.Name):
                meaning[label] = part.id
            elif simple and (isinstance(part, gast.Constant) or one and plain and is_place(part) and not (
                    guess and label == program.parameters[0])):
                spelled[label] = part
            else:
                fresh = self.kept(part, label, out, location)
                meaning[label] = fresh.id  # type: ignore[attr-defined]
        if guess is not None:
            if program.parameters[0] in rebound:
                raise Unfit
            self.guessed.append((meaning[program.parameters[0]], *guess))
        for label in sorted(rebound - set(meaning)):
            meaning[label] = self.names.fresh(label)
        self.local.update(meaning.values())
        for label in sorted(names_from_outside(body) - set(meaning) - set(spelled) - program.given.keys()):
            meaning[label] = self.outer_name(label, function)
        for label, value in program.given.items():
            meaning[label] = self.given_name(label, value)
        text = rewritten(self.without_super(body, program, function, meaning), "", meaning, list)  # type: ignore[arg-type]
        text = tuple(with_spelled(part, spelled) for part in text)
        self.running.append(function)
        try:
            return self.put(text, function, node, out, location, used)
        finally:
            self.running.pop()

    def put(self, text: tuple, function: Any, node: Any, out: list, location: Any, used: bool) -> Any:
        """The statements of a function, and what it returns."""
        kinds = self.kinds
        self.kinds = kinds.with_more(text)
        try:
            last = text[-1]
            plain = isinstance(last, Leave) and last.kind == "return" and not contains(text[:-1], "return")
            if plain or not contains(text, "return"):
                out += self.block(text[:-1] if plain else text)
                value = last.value if plain else None
                if value is None:
                    return located_at(constant(None), node) if used else None
                value = self.expression(value, out, location)
                return value if used or any(isinstance(part, gast.Call) for part in gast.walk(value)) else None
            result = self.names.fresh(function.__name__.strip("_") + "_result" if used else "nothing")
            self.local.add(result)
            text = marked(text, "return", RETURNED)
            text = without(with_results(text, result if used else None), RETURNED, self.names.fresh("returned"))
            if used:
                nothing = located_at(constant(None), node)
                text = (Assign(result, nothing, location), *text)
            self.kinds = kinds.with_more(text)
            out += self.block(text)
            return located_at(name(result), node) if used else None
        finally:
            self.kinds = kinds.with_more(tuple(out))

    def outer_name(self, label: str, function: Any) -> str:
        """What a function's outer name is called here."""
        owner = self.program.owner
        known = self.outer_of(function)(label)
        if label in self.shadowed:
            raise Unfit
        same = function is owner or function.__globals__ is owner.__globals__ and not {label}.intersection(
            (*function.__code__.co_freevars, *owner.__code__.co_freevars))
        if same and label not in self.local and (label in self.free or label not in self.names.taken):
            self.free.add(label)
            self.names.taken.add(label)
            return label
        if not isinstance(known, Known) or type(known.value) in LITERALS:
            raise Unfit
        return self.given_name(label, known.value)

    def class_constant(self, kind: type, label: str) -> gast.AST | None:
        """What an object has of its class; None where that is not a plain value."""
        if isinstance(self.outer(label, kind), Known):
            return None
        return attribute(name(self.given_name(kind.__name__, kind)), label)

    def given_name(self, label: str, value: Any) -> str:
        if self.function_named(label) is value:
            return label
        found = next((known for known, other in self.given.items() if other is value), None)
        if found is None:
            found = self.names.fresh(label)
            self.given[found] = value
        return found

    def without_super(self, body: tuple, program: Program, function: Any, meaning: dict[str, str]) -> tuple:
        """A method's text with the functions that ``super().method`` means."""
        if not any(isinstance(part, gast.Name) and part.id == "super" for statement in statements(body)
                   for field in vars(statement).values() if isinstance(field, gast.AST) for part in gast.walk(field)):
            return body
        receiver = program.parameters[0]
        kind, within = self.kinds.of(name(meaning.get(receiver, receiver))), objects.class_of(function)
        if kind is None or within not in kind.__mro__:
            raise Unfit
        after = kind.__mro__[kind.__mro__.index(within) + 1:]
        return tuple(with_expressions(statement, lambda node: _Super(self, after, receiver, meaning).visit(
            copy.deepcopy(node))) for statement in body)


class _Super(gast.NodeTransformer):
    def __init__(self, work: WrittenOut, after: Iterable[type], receiver: str, meaning: dict[str, str]):
        self.work = work
        self.after = after
        self.receiver = receiver
        self.meaning = meaning

    def visit_Call(self, node: Any) -> Any:
        node = self.generic_visit(node)
        method = node.func
        if not isinstance(method, gast.Attribute) or not isinstance(method.value, gast.Call) or getattr(
                method.value.func, "id", "") != "super":
            return node
        kind = next((kind for kind in self.after if method.attr in vars(kind)), object)
        function = with_text(objects.unmarked(vars(kind).get(method.attr)), kind, node)
        if method.value.args or not isinstance(function, types.FunctionType):
            raise Unfit
        self.work.outer(method.attr, kind)
        label = self.work.given_name(method.attr.strip("_"), function)
        self.meaning[label] = label
        return located_at(gast.Call(name(label), [name(self.receiver), *node.args], node.keywords), node)


def is_place(node: Any) -> bool:
    """Whether an expression may be evaluated more than once: a name, an attribute of one, an item under a name."""
    return is_dotted(node) or isinstance(node, gast.Subscript) and is_dotted(node.value) and isinstance(
        node.slice, (gast.Name, gast.Constant))
