"""Python's statements, each as those of a Program. What is not supported is refused here."""
from __future__ import annotations

import contextlib
import copy
import functools
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.cases import Match
from s2sgrad.compiler.cells import bound_outside
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.made_functions import called
from s2sgrad.compiler.nodes import attribute, constant, holder, is_exchange, name, root_of, walk
from s2sgrad.compiler.parsing_blocks import Blocks
from s2sgrad.compiler.parsing_targets import taken_apart
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Declare,
    Define,
    Delete,
    Evaluate,
    Handler,
    Import,
    Leave,
    Loop,
    Pattern,
    Remove,
    Store,
    Verbatim,
    always_leaves,
    leaves,
    pattern_names,
    statements,
)
from s2sgrad.compiler.records import record
from s2sgrad.compiler.remembered import remembers, with_memory
from s2sgrad.compiler.scopes import free_names, yields
from s2sgrad.compiler.shadows import as_loop
from s2sgrad.compiler.surgery import block_of, called_instead, opened_by
from s2sgrad.compiler.walrus import bound_in, walruses
from s2sgrad.containers import in_library
from s2sgrad.errors import Location

PUTTING = {"append": 1, "insert": 2}
"""The methods that put a value into a list, with the number of their arguments."""
TAKING = ("pop", "popleft", "popitem", "setdefault")
"""Methods that change a container and give something of it."""


class Statements(Blocks):
    """What becomes of a statement; a method for each kind."""

    def parse_Global(self, node: gast.AST, location: Location) -> list:
        return [Verbatim(node, location)] if self.outer.intersection(node.names) else []

    parse_Nonlocal = parse_Global

    def parse_Assign(self, node: gast.Assign, location: Location) -> list:
        node = taken_apart(node)
        if len(node.targets) == 1 and (self.is_outer(node.targets[0]) or self.is_in_outer(node.targets[0])):
            return [Verbatim(node, location)]
        if len(node.targets) == 1 and isinstance(node.targets[0], (gast.Subscript, gast.Attribute)):
            return self.stored(node.targets[0], node.value, location)
        if len(node.targets) > 1 and is_literal(node.value) and not any(
                isinstance(target, (gast.Tuple, gast.List)) for target in node.targets):
            each = [gast.copy_location(gast.Assign([target], node.value, None), node) for target in node.targets]
            return [statement for part in each for statement in self.parse_Assign(part, location)]
        after: list = []
        targets = [self.pattern(target, after) for target in node.targets]
        if len(node.targets) == 1 and len(after) > 1 and all(isinstance(store, Store) for store in after) \
                and len(after) == len(getattr(node.targets[0], "elts", ())):
            places = tuple(store.target for store in after)
            if is_exchange(places, node.value):
                after = [replace(store, exchanged=True) for store in after]
            return [Assign(targets[0], node.value, location, self.changed_by(node.value), places), *after]
        return [*self.assignments(targets, node, location), *after]

    def assignments(self, targets: list[Pattern], node: gast.Assign, location: Location) -> list:
        if len(targets) == 1:
            return [Assign(targets[0], node.value, location, self.changed_by(node.value))]
        # a = b = value: one name takes the value, the others follow it
        bound = {found for target in targets for found in pattern_names(target)}
        if isinstance(node.value, gast.Name) and node.value.id not in bound:
            return [Assign(target, self.load(node.value.id, node.value), location) for target in targets]
        plain = next((target for target in targets if isinstance(target, str)), None)
        if plain is None or any(plain in pattern_names(target) for target in targets if target is not plain):
            plain = self.fresh("value")
            targets.append(plain)
        rest = [target for target in targets if target is not plain]
        first = Assign(plain, node.value, location)
        return [first, *(Assign(target, self.load(plain, node), location) for target in rest)]

    def parse_AnnAssign(self, node: gast.AnnAssign, location: Location) -> list:
        if node.value is None:
            return [Declare(node.target.id, node.annotation, location)] if isinstance(node.target, gast.Name) else []
        if self.is_in_outer(node.target):
            return [self.assigned_outside(node.target, node.value, location)]
        if isinstance(node.target, (gast.Subscript, gast.Attribute)):
            return self.stored(node.target, node.value, location)
        return [Assign(self.pattern(node.target), node.value, location)]

    def parse_AugAssign(self, node: gast.AugAssign, location: Location) -> list:
        if self.is_outer(node.target) or self.is_in_outer(node.target):
            return [Verbatim(node, location)]
        if self.is_chosen(node.target):
            return self.statement(self.by_arms(node.target, lambda place: gast.AugAssign(
                place, node.op, copy.deepcopy(node.value))))
        if isinstance(node.target, (gast.Subscript, gast.Attribute)):
            return [Augment(self.element(node.target), node.op, node.value, location, put_back=True)]
        target = self.pattern(node.target)
        return [Augment(self.load(target, node.target), node.op, node.value, location)]

    def parse_Expr(self, node: gast.Expr, location: Location) -> list:
        if isinstance(node.value, gast.Constant):  # a docstring
            return []
        if isinstance(node.value, (gast.ListComp, gast.SetComp)):  # which nobody reads
            return self.statement(as_loop(node.value, gast.Expr, self.variable))
        value = by_receiver(node.value)
        if isinstance(value, gast.IfExp):
            arms = [[gast.copy_location(gast.Expr(part), part)] for part in (value.body, value.orelse)]
            return self.parse_If(gast.copy_location(gast.If(value.test, *arms), value), location)
        if self.is_record(value):
            return [Verbatim(node, location)]
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            self.name_class(value.func.value)
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) \
                and holder(value.func.value) in self.local \
                and len(value.args) == PUTTING.get(value.func.attr) and not value.keywords \
                and not any(isinstance(item, gast.Starred) for item in value.args):
            place = value.args[0] if len(value.args) > 1 else None
            return [Append(value.func.value, value.args[-1], location, place)]
        for item in value.keywords if id(value) in self.outputs else ():
            if item.arg == "where" and not isinstance(item.value, gast.Name):
                mask = self.variable("mask")
                self.named.append(Assign(mask, item.value, location))
                item.value = self.load(mask, item.value)
        return [Evaluate(value, location, self.changed_by(value))]

    def name_class(self, node: Any) -> None:
        """Give an object's class a name in what a method is called of: ``self.__class__.log``, ``type(self).log``."""
        around, part = None, node
        while isinstance(part, (gast.Attribute, gast.Subscript)) and getattr(part, "attr", "") != "__class__":
            around, part = part, part.value
        of_type = isinstance(part, gast.Call) and len(part.args) == 1 and held(
            part.func, self.definition.function) is type
        if around is not None and (of_type or isinstance(part, gast.Attribute)):
            label = self.variable("kind")
            self.named.append(Assign(label, part, self.location(part)))
            around.value = self.load(label, part)

    def is_record(self, value: gast.AST) -> bool:
        """Whether an expression changes a container or an array outside, which is then no input."""
        found = record(value, self.definition.function)
        if found is None or root_of(found[0]).id in self.local:
            return False
        self.outer.add(root_of(found[0]).id)
        return True

    def returned(self, value: gast.AST | None, location: Location) -> list:
        """``return value``; of a call that changes a container outside, and gives None, that call and ``return``."""
        if isinstance(value, gast.Call) and getattr(value.func, "attr", "") not in TAKING and self.is_record(value):
            return [Verbatim(gast.copy_location(gast.Expr(value), value), location), Leave("return", None, location)]
        return [Leave("return", value, location)]

    def parse_If(self, node: gast.If, location: Location) -> list:
        head = Location(location.filename, node.lineno, node.col_offset, node.test.end_lineno,
                        node.test.end_col_offset, location.function)
        return [Branch(node.test, self.block(node.body), self.block(node.orelse), head)]

    def parse_For(self, node: gast.For, location: Location) -> list:
        head = Location(location.filename, node.lineno, node.col_offset, node.iter.end_lineno,
                        node.iter.end_col_offset, location.function)
        if not any(isinstance(part, gast.Starred) for part in walk(node.target)):
            return self.loop(self.pattern(node.target), node.iter, node, head)
        unpacked: list = []  # each turn takes apart what it gets: ``for first, *rest in rows``
        target = self.inner_pattern(node.target, unpacked)
        return self.loop(target, node.iter, node, head, tuple(unpacked))

    def parse_While(self, node: gast.While, location: Location) -> list:
        head = Location(location.filename, node.lineno, node.col_offset, node.test.end_lineno,
                        node.test.end_col_offset, location.function)
        if not bound_in(node.test, self.outputs):
            return self.loop(None, node.test, node, head)
        # a walrus is assigned, and something popped, in every turn: the test moves into the body
        together = isinstance(node.test, gast.BoolOp) and isinstance(node.test.op, gast.And)
        turn: list = []
        for part in node.test.values if together else [node.test]:
            before, test = self.taken_out(part, head)
            done = Leave("break", None, head)
            turn += [*before, Branch(gast.UnaryOp(gast.Not(), test), (done,), (), head)]
        return self.loop(None, constant(True), node, head, tuple(turn))

    def loop(self, target: Pattern | None, iterable: gast.AST, node: gast.AST, head: Location,
             before: tuple = ()) -> list:
        """A loop, and its ``else`` as what it is: statements behind the loop, skipped where it was broken off.

        ``before``: what each turn starts with.
        """
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        if not node.orelse:
            return [Loop(target, iterable, (*before, *body), head)]
        if "break" not in leaves(body):
            return [Loop(target, iterable, (*before, *body), head), *self.block(node.orelse)]
        flag = self.fresh(f"broken_{head.line}")
        untouched = gast.UnaryOp(gast.Not(), name(flag))
        return [Assign(flag, constant(False), head), Loop(target, iterable, (*before, *flagged(body, flag)), head),
                Branch(untouched, self.block(node.orelse), (), head)]

    def parse_Return(self, node: gast.Return, location: Location) -> list:
        if self.definition.made is not None:
            return [Leave("return", self.load(self.receiver, node), location)]
        return self.returned(node.value, location)

    def parse_Break(self, node: gast.Break, location: Location) -> list:
        return [Leave("break", None, location)]

    def parse_Continue(self, node: gast.Continue, location: Location) -> list:
        return [Leave("continue", None, location)]

    def parse_Pass(self, node: gast.Pass, location: Location) -> list:
        return []

    def parse_Assert(self, node: gast.Assert, location: Location) -> list:
        return [Verbatim(node, location)]

    def parse_Import(self, node: gast.AST, location: Location) -> list:
        self.refuse_outer(node, set(map(bound_by, node.names)))
        return [Import(node, tuple(map(bound_by, node.names)), location)]

    parse_ImportFrom = parse_Import

    def parse_FunctionDef(self, node: gast.FunctionDef, location: Location) -> list:
        if node.decorator_list:
            return self.decorated(node, location)
        elsewhere = bound_outside(node)
        for inner in gast.walk(node):
            if isinstance(inner, gast.Global) or isinstance(inner, gast.Nonlocal) and not elsewhere.isdisjoint(
                    inner.names):
                raise self.refusal(inner, "a function defined inside binds an outer variable, which is not supported",
                                   "return the value instead")
        return [Define(node, (node.name,), self.location(node))]

    def decorated(self, node: gast.FunctionDef, location: Location) -> list:
        """A decorated function as the call of its decorators that Python makes, under another name."""
        plain = copy.copy(node)
        plain.decorator_list = []
        wrappers = [item for item in node.decorator_list if not (isinstance(item, gast.Call) and held(
            item.func, self.knowing) is functools.wraps)]
        called(plain, node.name if wrappers == node.decorator_list else None)
        if not wrappers:
            return self.parse_FunctionDef(plain, location)
        remembering = self.remembering(node, wrappers)
        if remembering is not None:
            return [new for part in remembering for new in self.statement(part)]
        if node.name in free_names(node) or any(map(self.is_of_library, wrappers)):
            raise self.refusal(node, "a decorator of a function defined inside which calls itself, or one that a "
                               "library has, is not supported yet", "define the function at module level")
        plain.name = self.fresh(node.name)
        made: gast.AST = gast.copy_location(name(plain.name), node)
        for item in reversed(wrappers):
            made = gast.copy_location(gast.Call(item, [made], []), item)
        target = gast.copy_location(gast.Name(node.name, gast.Store(), None, None), node)
        return [*self.parse_FunctionDef(plain, location),
                *self.statement(gast.copy_location(gast.Assign([target], made, None), node))]

    def remembering(self, node: gast.FunctionDef, wrappers: list) -> list | None:
        """The definitions that stand for that of a function that remembers what it gave, and of which nothing else is
        asked; None for any other."""
        asked = any(isinstance(part, gast.Attribute) and getattr(part.value, "id", "") == node.name
                    for part in self.inside)
        if asked or len(wrappers) > 1 or yields(node) or not remembers(
                wrappers[0], self.knowing, self.local - self.imported):
            return None
        return with_memory(node, self.fresh)

    def is_of_library(self, decorator: Any) -> bool:
        """Whether nobody looks into a decorator."""
        called = decorator.func if isinstance(decorator, gast.Call) else decorator
        found = held(called, self.knowing) if holder(called) not in self.local - self.imported else None
        return found is not None and in_library(getattr(found, "__module__", None))

    def parse_Raise(self, node: gast.Raise, location: Location) -> list:
        return [Leave("raise", node.exc, location, node.cause)]

    def parse_Delete(self, node: gast.Delete, location: Location) -> list:
        if len(node.targets) > 1 and not all(isinstance(target, gast.Name) for target in node.targets):
            alone = [gast.copy_location(gast.Delete([target]), node) for target in node.targets]
            return [statement for part in alone for statement in self.parse_Delete(part, location)]
        names = [target for target in node.targets if isinstance(target, gast.Name)]
        self.refuse_outer(node, {target.id for target in names})
        if len(node.targets) == 1 and self.is_in_outer(node.targets[0]):
            return [Verbatim(node, location)]
        if len(names) == len(node.targets):
            return [Remove(tuple(target.id for target in names), location)]
        if not isinstance(node.targets[0], gast.Subscript) or len(node.targets) > 1 or holder(
                node.targets[0]) not in self.local:
            raise self.refusal(node, "del of anything but names or one item is not supported yet",
                               "build a new object; of an attribute, set it to None")
        return [Delete(node.targets[0], location)]

    def parse_With(self, node: gast.With, location: Location) -> list:
        last = node.items[-1]
        end = last.context_expr if last.optional_vars is None else last.optional_vars
        head = Location(location.filename, node.lineno, node.col_offset, end.end_lineno, end.end_col_offset,
                        location.function)
        made_of = opened_by(node, self.definition.function)
        if made_of is not None:
            block = block_of(node, self.inside, self.local, head, self.definition.function, self.refusal)
            function = made_of(block)
            return [Assign(block.value, called_instead(self.give(function.__name__, function), block, node), head)]
        items = tuple((item.context_expr, None if item.optional_vars is None else self.pattern(item.optional_vars))
                      for item in node.items)
        body = self.block(node.body)
        if not any(isinstance(manager, gast.Call) and held(manager.func, self.knowing)
                   is contextlib.suppress for manager, _ in items):
            return [Context(items, body, head)]
        for item in reversed(items):  # each for itself, for that one becomes a try statement
            body = (Context((item,), body, head),)
        return list(body)

    def parse_Try(self, node: gast.Try, location: Location) -> list:
        head = replace(location, end_line=node.lineno, end_column=node.col_offset + len("try:"))
        body = self.block(node.body)
        if node.handlers:
            orelse: tuple = (Leave("raise", None, head),)
            for handler in reversed(node.handlers):
                orelse = (self.handler(handler, orelse),)
            body = (Attempt(constant(True), (Context((), body, head), *self.block(node.orelse)), orelse, head),)
        final = self.block(node.finalbody)
        if not final:
            return list(body)
        if leaves(final) or always_leaves(final):
            raise self.refusal(node.finalbody[0], "a finally block that control may leave is not supported",
                               "leave behind the try statement")
        last = body[-1] if body else None
        if isinstance(last, Leave) and last.kind == "return" and last.value is not None and not leaves(body[:-1]) \
                and any(isinstance(item, (Store, Append, Augment, Assign)) for item in statements(final)):
            value = self.variable("value")  # it is evaluated before what the block changes
            given = Assign(value, last.value, last.location)
            return [Context((), (*body[:-1], given), head, final),
                    replace(last, value=self.load(value, last.value))]
        return [Context((), body, head, final)]

    def handler(self, node: gast.ExceptHandler, others: tuple) -> Handler:
        end = (node.lineno, node.col_offset + len("except:")) if node.type is None else (
            node.type.end_lineno, node.type.end_col_offset)
        head = replace(self.location(node), end_line=end[0], end_column=end[1])
        for walrus in walruses(node.type) if node.type is not None else ():
            raise self.refusal(walrus, "a walrus is not supported in this place", "assign on a line of its own")
        if node.name is not None:
            self.refuse_outer(node, {node.name.id})
        return Handler(constant(None) if node.type is None else node.type, self.block(node.body), others, head,
                       None if node.name is None else node.name.id)

    def parse_Match(self, node: gast.Match, location: Location) -> list:
        bound = {part.rest if isinstance(part, gast.MatchMapping) else part.name for case in node.cases
                 for part in walk(case.pattern)
                 if isinstance(part, (gast.MatchAs, gast.MatchStar, gast.MatchMapping))}
        self.refuse_outer(node.subject, bound)
        if isinstance(node.subject, gast.Name) and node.subject.id not in bound and node.subject.id in self.local:
            return Match(self, node.subject.id, self.location).branches(node.cases)
        subject = self.fresh("subject")
        head = self.location(node.subject)
        return [Assign(subject, node.subject, head), *Match(self, subject, self.location).branches(node.cases)]


def is_literal(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) or isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant)


def by_receiver(node: gast.AST) -> gast.AST:
    """``(xs if test else ys).append(v)`` as ``xs.append(v) if test else ys.append(v)``; anything else as it is."""
    if not (isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
            and isinstance(node.func.value, gast.IfExp)):
        return node
    method, chosen = node.func, node.func.value
    calls = [gast.copy_location(gast.Call(
        gast.copy_location(attribute(receiver, method.attr), method), *copy.deepcopy((node.args, node.keywords))), node)
        for receiver in (chosen.body, chosen.orelse)]
    return gast.copy_location(gast.IfExp(chosen.test, *calls), node)


def bound_by(alias: gast.alias) -> str:
    """The name that a part of an import statement binds."""
    return alias.asname or alias.name.partition(".")[0]


def flagged(body: tuple, flag: str) -> tuple:
    """A loop's body that raises a flag before it breaks."""
    result: list = []
    for statement in body:
        if isinstance(statement, Leave) and statement.kind == "break":
            result.append(Assign(flag, constant(True), statement.location))
        if isinstance(statement, Branch):
            statement = replace(statement, then=flagged(statement.then, flag), orelse=flagged(statement.orelse, flag))
        elif isinstance(statement, Context):
            statement = replace(statement, body=flagged(statement.body, flag))
        result.append(statement)
    return tuple(result)
