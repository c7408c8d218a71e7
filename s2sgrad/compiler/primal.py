"""Program x Captures -> the saving primal: the user's own statements, changed only where something must be saved.

Each block saves one tuple: the function when it returns, a loop at each turn. A turn is saved once, whatever its exit,
at the first point behind which nothing that must be saved is made; where the last such thing is the outcome of a
branch, in both of its arms, where the outcome is a literal. Values overwritten before their block is saved are kept
under a second name from where they are made.
"""
from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.helpers import guards
from s2sgrad.compiler.kept import EXPRESSIONS, Needs, Point, decided, in_place, is_guarded
from s2sgrad.compiler.nodes import call, constant, is_exchange, name
from s2sgrad.compiler.order import in_order, is_noticed
from s2sgrad.compiler.paths import RETURNED
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Evaluate,
    Handler,
    Import,
    Leave,
    Loop,
    Program,
    Statement,
    Store,
    Verbatim,
    always_leaves,
    assigned_names,
    leaves,
    only_raises,
    pattern_names,
    read_names,
    statements,
    with_blocks,
)
from s2sgrad.compiler.saved_values import updated_at
from s2sgrad.compiler.saving import Saving
from s2sgrad.compiler.sharing import is_from_outside
from s2sgrad.errors import ensure
from s2sgrad.rules.abstract import Items


class Primal(Saving):
    def run(self, name_: str) -> Program:
        self.foresee()
        while True:
            size = self.needs.size()
            self.copied_from.clear()
            body = self.function()
            copies = self.needs.copies
            vain = copies.keys() - self.copied_from
            if vain:  # what else this look found out it may have found out of these
                self.names.taken.difference_update([copies.pop(version) for version in vain])
                self.needs = Needs(copies)
            elif self.needs.size() == size:
                break
        bound = assigned_names(tuple(body))
        ensure(all(capture.name in bound for block in {capture.block for capture in self.captures.table.values()}
                   for capture in self.slots(block) if capture.kind in EXPRESSIONS), "what is saved is not made")
        read = read_names(tuple(body)) if any(map(self.makes_function, statements(tuple(body)))) else None
        return Program(name_, self.program.parameters, tuple(body) if read is None else self.without_unread(body, read),
                       self.program.location, header=self.program.header)

    def without_unread(self, body: Iterable, read: set[str]) -> tuple:
        """A block without the functions that nothing reads: of these only the primals are called."""
        return tuple(with_blocks(statement, lambda block: self.without_unread(block, read)) for statement in body
                     if not (self.makes_function(statement) and read.isdisjoint(assigned_names((statement,)))))

    def foresee(self) -> None:
        """Guess which values are saved under names of their own, for their own ones stand for others by then, and which
        may not be there: where that is right, the first look is the last one."""
        buffered = [statement for statement in statements(self.program.body)
                    if isinstance(statement, Loop) and self.saves(statement)]
        for loop, body in (*((loop, loop.body[:self.last_maker(loop.body, loop) + 1]) for loop in reversed(buffered)),
                           (None, self.program.body)):
            if not body:
                continue
            end = self.facts.before[body[-1]] if isinstance(body[-1], Leave) else self.environment_after(body[-1])
            inside = {None, *statements(body)}
            for capture in self.slots(loop):
                version = capture.subject
                if capture.kind == "version" and version.origin != "captured" and not self.is_there(version, end) \
                        and self.makers.get(version) in inside:
                    self.copy_for(capture)
                elif capture.kind == "part" and self.loop_around(capture.statement) is not loop:
                    self.needs.nones.add(capture.name)

    def loop_around(self, statement: Any) -> Loop | None:
        """The innermost loop around a statement."""
        parent = self.parents.get(statement)
        while parent is not None and not isinstance(parent, Loop):
            parent = self.parents[parent]
        return parent

    def function(self) -> list:
        out: list = []
        location = self.program.location
        nones = sorted(self.needs.nones)
        if self.again:
            out += [Assign(variable, self.nothing(variable), location) for variable in nones]
        elif nones:
            targets = [gast.Name(variable, gast.Store(), None, None) for variable in nones]
            out.append(Verbatim(gast.Assign(targets, constant(None), None), location))
        point = Point()
        for version in self.facts.parameters.values():
            point = self.keep(version, out, point, location)
        self.stack: list[Loop] = []
        self.pending: dict[Loop, bool] = {}
        self.target_copies: dict[Loop, dict[str, str]] = {}
        """Of loops, by their targets: the names that keep what each was before its turn bound it."""
        end = self.block(self.program.body, out, point, False)
        if end is not None:
            out.append(self.returned(constant(None), location, end, self.end_environment(self.program.body)))
        return out if self.again else self.raising_unbound(out)

    # ---- blocks

    def block(self, body: tuple, out: list, point: Point | None, save: bool) -> Point | None:
        """Emit a block. ``save``: the innermost loop's turn must be saved before control reaches the block's end."""
        last = self.last_maker(body, self.stack[-1]) if save else -1
        if save and body and is_guarded(body[0]):
            last = max(last, 0)
        loop = self.stack[-1] if self.stack else None
        if save and last < 0:
            assert loop is not None and point is not None
            self.save(loop, out, point, self.start_environment(body, loop))
            self.pending[loop] = False
        for index, statement in enumerate(body):
            if point is None:
                break
            here = save and index == last
            if not here or loop is None:
                point = self.checked(statement, out, point)
            elif isinstance(statement, Branch) and not self.made_by_join(statement, loop):
                point = self.branch(statement, out, point, True)
                self.pending[loop] = False
            elif isinstance(statement, Context) and statement.items:
                point = self.context(statement, out, point, True)
            else:
                point = self.checked(statement, out, point)
                if point is not None:
                    self.save(loop, out, point, self.environment_after(statement))
                    self.pending[loop] = False
        return point

    def start_environment(self, body: tuple, loop: Loop | None) -> dict:
        """What names stand for where a block starts, a turn of a loop behind the binding of its target."""
        environment = self.facts.before[body[0]] if body else self.facts.turn_ends[loop]
        assert environment is not None  # control comes to the end of what is empty
        return environment

    def end_environment(self, body: tuple) -> dict:
        return self.environment_after(body[-1]) if body else self.facts.parameters

    def environment_after(self, statement: Any) -> dict:
        if statement in self.facts.after:
            return self.facts.after[statement]
        environment = self.facts.before[statement]
        simple = isinstance(statement, (Assign, Augment, Store, Append, Evaluate, Import))
        return {**environment, **self.made_by.get(statement, {})} if simple else environment

    # ---- statements

    def checked(self, statement: Statement, out: list, point: Point) -> Point | None:
        """Emit a statement, and what tells if something is not as it was taken to be."""
        before, behind = guards(statement, self.facts, self.helpers, lambda: self.names_for(statement.value))
        out += before
        after = self.statement(statement, out, point)
        out += behind
        return after

    def statement(self, statement: Statement, out: list, point: Point) -> Point | None:
        self.environment = self.facts.before[statement]
        for capture in self.written_out.get(statement, ()):
            value = capture.subject
            if capture.kind != "part":
                value = self.measure(capture, capture.subject, value)
            out.append(Assign(capture.name, self.lasting(capture.subject, value) if capture.kind == "part" else value,
                              statement.location))
            point = point.bind(capture.name)
        if isinstance(statement, Branch):
            return self.branch(statement, out, point, False)
        if isinstance(statement, Loop):
            return self.loop(statement, out, point)
        if isinstance(statement, Context):
            return self.context(statement, out, point, False)
        if isinstance(statement, Leave):
            self.leave(statement, out, point)
            return None
        if isinstance(statement, Assign):
            if ("saved", statement) in self.captures.table:
                point = self.call(statement, out, point)
            else:
                if statement not in self.assignments:
                    lines: list = []
                    after = self.assign(statement, lines, point)
                    self.assignments[statement] = lines, after.certain - point.certain
                lines, bound = self.assignments[statement]
                out += lines
                point = point.bind(*bound)
            return self.keep_made(statement, out, point)
        if isinstance(statement, Append):
            place, value = statement.place, statement.value
            container, point = self.expression(statement.target, out, point, statement)
            if place is not None:
                place, point = self.expression(place, out, point, statement)
            value, point = self.expression(value, out, point, statement)
            if statement in self.stored_back:
                container = in_place(container, self.stored_back[statement])
            as_it_was = container is statement.target and place is statement.place and value is statement.value
            out.append(statement if as_it_was else replace(statement, target=container, place=place, value=value))
            return self.keep_made(statement, out, point)
        if isinstance(statement, Evaluate):
            value, point = self.expression(statement.value, out, point, statement)
            out.append(statement if value is statement.value else replace(statement, value=value))
            return self.keep_made(statement, out, point)
        if isinstance(statement, Store) and statement.late:
            return self.keep_made(statement, out, point)
        if isinstance(statement, Store) and statement.back:
            _, point = self.placed(statement.target, out, point, statement)
            return self.keep_made(statement, out, point)
        if isinstance(statement, (Augment, Store)):
            target: Any = statement.target
            read = getattr(statement.value, "left", None) is target  # and so has its name by the value
            if id(target) in self.parts and not read:  # what is there before the update
                before: list = []
                _, point = self.expression(target, before, point, statement)
                missing = isinstance(statement, Store) and self.may_be_missing(target)
                out += [self.perhaps_there(new, target) for new in before] if missing else before
            value, point = self.expression(statement.value, out, point, statement)
            places: list = []
            target, point = self.placed(target, places, point, statement)
            if places and isinstance(statement, Store) and self.may_wait(statement.value, value) and is_noticed(
                    statement.value, has_effect(statement.target, self.facts), self.facts):
                out.append(Assign(self.names_for(statement.value), value, statement.location))
                value = name(self.names_for(statement.value))
            out += places
            if statement in self.stored_back:  # for the next analysis, which gives it a name of its own
                target = in_place(target, self.stored_back[statement])
            if isinstance(statement, Augment) and statement.counted:
                out.append(updated_at(replace(statement, target=target, value=value), self.helpers))
                return self.keep_made(statement, out, point)
            out.append(statement if value is statement.value and target is statement.target
                       else replace(statement, target=target, value=value))
            if isinstance(statement, Store) and statement.exchanged:
                self.exchange(out)
            return self.keep_made(statement, out, point)
        out.append(statement)
        return self.keep_made(statement, out, point) if isinstance(statement, Import) else point

    def placed(self, target: Any, out: list, point: Point, statement: Statement) -> tuple[Any, Point]:
        """Where something is stored, with what is kept of the indices on the way to it."""
        if not isinstance(target, (gast.Subscript, gast.Attribute)):
            return target, point
        around, point = self.placed(target.value, out, point, statement)
        if isinstance(target, gast.Attribute):
            return target if around is target.value else gast.Attribute(around, target.attr, target.ctx), point
        index, point = self.expression(target.slice, out, point, statement)
        if around is target.value and index is target.slice:
            return target, point
        return gast.Subscript(around, index, target.ctx), point

    def exchange(self, out: list) -> None:
        """Items or attributes that have been moved about in a container, as the one line that the user wrote."""
        stores = list(itertools.takewhile(lambda part: isinstance(part, Store) and part.exchanged, reversed(out)))[::-1]
        first = out[-len(stores) - 1] if len(stores) < len(out) else None
        if not isinstance(first, Assign) or len(first.places) != len(stores) or not is_exchange(
                tuple(store.target for store in stores), first.value):
            return
        if any(version in self.saved_versions or version in self.needs.copies
               for version in self.made_by.get(first, {}).values()):
            return
        targets = gast.Tuple([store.target for store in stores], gast.Store())
        out[-len(stores) - 1:] = [Verbatim(gast.Assign([targets], first.value, None), first.location)]

    def assign(self, statement: Assign, out: list, point: Point) -> Point:
        """Emit an assignment, and before it what must be saved of its parts."""
        value, point = self.expression(statement.value, out, point, statement)
        value = self.helpers.callable(value)
        if statement in self.stored_back and isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            value = gast.Call(in_place(value.func, self.stored_back[statement]), value.args, value.keywords)
        bound = statement.target
        compares = isinstance(bound, str) and self.compares(statement.value, bound)
        if compares:  # the name still stands for what the result is compared with
            bound = self.names_for(statement.value)
        out.append(statement if value is statement.value and bound is statement.target
                   else replace(statement, target=bound, value=value))
        if isinstance(bound, str):
            self.operands[id(statement.value)] = name(bound)
            point = self.make_masks(statement.value, True, out, point, statement.location)
        if compares:
            assert isinstance(bound, str)
            out.append(Assign(statement.target, name(bound), statement.location))
        return point

    def call(self, statement: Assign, out: list, point: Point) -> Point:
        """A call of a function with an adjoint of its own: its primal, which also gives its path and saved tuple."""
        called = self.facts.calls[id(statement.value)]
        derivative = called.derivative
        primal = self.helpers.inject(("primal", id(derivative)), f"{derivative.label}_primal",
                                     derivative.primal_cell)
        arguments: list[gast.AST] = []
        keywords: dict[str, gast.AST] = {}

        def visit(node: gast.AST, before: list) -> gast.AST:
            nonlocal point
            value, point = self.expression(node, before, point, statement)
            return value

        given_nodes = [node for node in called.arguments if node is not None]
        values = iter(in_order(given_nodes, self.facts, visit, self.may_wait, self.names_for, out, statement.location))
        for parameter, node in zip(derivative.parameters, called.arguments):
            if node is None:
                continue
            value = next(values)
            known = self.facts.values.get(id(node))
            given = parameter in called.written or parameter in derivative.facts.lent
            if not given and not (isinstance(known, Items) or is_from_outside(known)) and derivative.keeps(parameter):
                value = self.lasting(node, value)  # of a container the callee copies what it saves
            if statement in self.stored_back and isinstance(value, gast.Name):
                value = in_place(value, self.stored_back[statement])
            if len(arguments) == derivative.parameters.index(parameter) and parameter not in derivative.keyword_only:
                arguments.append(value)
            else:
                keywords[parameter] = value
        path = self.captures.table.get(("path", statement))  # of a function with one path nobody asks for it
        slots = [self.captures.unused if path is None else path.name, self.captures.table["saved", statement].name]
        out.append(Assign((statement.target, *slots), call(primal, *arguments, **keywords), statement.location))
        for slot in slots if path is not None else slots[1:]:
            point = point.bind(slot)
        return point

    # ---- control flow

    def branch(self, statement: Branch, out: list, point: Point, save: bool) -> Point | None:
        if isinstance(statement, Attempt):
            return self.attempt(statement, out, point, save)
        test, point = self.expression(statement.test, out, point, statement)
        arms: list[list] = []
        ends: list[Point | None] = []
        for outcome, body in ((True, statement.then), (False, statement.orelse)):
            arms.append([])
            inside = self.decided(statement, outcome, arms[-1], point)
            ends.append(self.arm(statement, body, arms[-1], inside, save))
        joined = self.join(ends, arms, point, statement)
        out.append(replace(statement, test=test, then=tuple(arms[0]), orelse=tuple(arms[1])))
        return self.keep_joined(statement, out, joined)

    def decided(self, statement: Branch, outcome: bool, out: list, point: Point) -> Point:
        """An arm of a branch starts: emit what tells that it was taken."""
        body = statement.then if outcome else statement.orelse
        variable = self.captures.table.get(("decision", statement))
        inside = point.decide(statement, outcome)
        if variable is not None:
            inside = inside.bind(decided(variable.name))
        if (statement, True) in self.paths.offsets and not only_raises(body):
            inside = self.advance(inside, self.paths.offsets[statement, outcome], out, statement.location)
        if variable is not None and statement in self.needs.variables:
            out.append(Assign(variable.name, constant(outcome), statement.location))
            inside = inside.bind(variable.name)
        return inside

    def arm(self, statement: Branch, body: tuple, out: list, point: Point, save: bool) -> Point | None:
        """Emit the body of an arm, which saves the turn if it always leaves: not where a handler may run afterwards."""
        loop = self.stack[-1] if self.stack else None
        pending = dict(self.pending)
        leaving = loop is not None and pending.get(loop) and always_leaves(body) and leaves(body) \
            and self.saves(loop) and self.guarded != len(self.stack)
        end: Point | None = point
        if not body and save:
            assert loop is not None
            self.save(loop, out, point, self.facts.before[statement])
        else:
            end = self.block(body, out, point, not only_raises(body) and (save or bool(leaving)))
        self.pending = pending
        return end

    def attempt(self, statement: Attempt, out: list, point: Point, save: bool) -> Point | None:
        """A ``try`` statement: what tells that its body did not raise comes behind that, what is saved as well."""
        first: list = []
        if point.path is None and any((inner, True) in self.paths.offsets for inner in statements(statement.body)):
            path = self.path_copies.setdefault(statement, self.names.fresh(f"{self.path_name}_before"))
            out.append(Assign(path, name(self.path_name), statement.location))
            first.append(Assign(self.path_name, name(path), statement.location))
        marks: list = []
        arms: list[list] = [[]]
        ends = [self.arm(statement, statement.then, arms[0], self.decided(statement, True, marks, point), save)]
        if not always_leaves(statement.body):
            arms[0][1:1] = marks
        inside = self.keep_made(statement, first, self.decided(statement, False, first, point))
        if self.again:  # what the body may have left half done has no value from here on
            half_done = assigned_names((arms[0][0],)) & self.needs.nones - assigned_names(self.program.body)
            first += [Assign(variable, self.nothing(variable), statement.location) for variable in sorted(half_done)]
        handlers: list[Handler] = []
        rest = statement.orelse
        while isinstance(rest[0], Handler):
            handlers.append(rest[0])
            arms.append(list(first))
            taken = self.decided(rest[0], True, arms[-1], inside)
            ends.append(self.arm(rest[0], rest[0].then, arms[-1], taken, save))
            inside = self.decided(rest[0], False, first, inside)
            rest = rest[0].orelse
        joined = self.join(ends, arms, point, statement)
        for handler, arm in zip(reversed(handlers), reversed(arms)):
            rest = (replace(handler, then=tuple(arm), orelse=rest),)
        out.append(replace(statement, then=tuple(arms[0]), orelse=rest))
        return self.keep_joined(statement, out, joined)

    def context(self, statement: Context, out: list, point: Point, save: bool) -> Point | None:
        """A ``with`` block: what is behind it runs exactly where the end of its body was reached."""
        body: list = []
        final: list = []
        outer = self.guarded
        if is_guarded(statement):
            self.guarded = len(self.stack)
        point = self.keep_made(statement, body, point)
        end = self.block(statement.body, body, point, save)
        self.guarded = outer
        after = self.block(statement.final, final, point if end is None else end, False)
        out.append(replace(statement, body=tuple(body), final=tuple(final)))
        return None if end is None else after

    def join(self, ends: list, arms: list, before: Point, statement: Any) -> Point | None:
        reached = [(end, arm) for end, arm in zip(ends, arms) if end is not None]
        if not reached:
            return None
        path = reached[0][0].path
        if any(end.path != path for end, _ in reached):
            for end, arm in reached:
                if end.path is not None:
                    arm.append(Assign(self.path_name, constant(end.path), statement.location))
            path = None
        certain = frozenset.intersection(*(end.certain for end, _ in reached))
        possible = frozenset.union(*(end.possible for end, _ in reached))
        decisions = reached[0][0].decisions if len(reached) == 1 else before.decisions
        return Point(certain, possible, decisions, path)

    def loop(self, statement: Loop, out: list, point: Point) -> Point | None:
        iterable = statement.iterable
        if statement.target is not None:
            iterable, point = self.expression(iterable, out, point, statement)
        buffer = self.captures.table.get(("buffer", statement))
        if buffer is not None:
            out.append(Assign(buffer.name, gast.List([], gast.Load()), statement.location))
            point = point.bind(buffer.name)
        body: list = []
        outer_pending = dict(self.pending)
        self.stack.append(statement)
        self.pending[statement] = buffer is not None
        inside = replace(point, possible=point.possible.union(  # by a turn before, saved by none of them
            capture.name for capture in self.captures.table.values() if capture.kind == "part" and self.within(
                capture.statement, statement) and not self.within(capture.block, statement)))
        targets = set(pattern_names(statement.target or ()))
        for identifier, version in self.facts.heads[statement].items():
            if self.facts.before[statement].get(identifier) is not version and version.loop is statement:
                if identifier in targets and version in self.needs.copies:
                    inside = self.keep(version, out, inside, statement.location)
                    self.target_copies.setdefault(statement, {})[identifier] = self.needs.copies[version]
                else:
                    inside = self.keep(version, body, inside, statement.location)
        inside = self.keep_made(statement, body, inside)
        end = self.block(statement.body, body, inside, buffer is not None)
        if end is not None:
            self.hand_on_targets(statement, body)
        self.stack.pop()
        self.pending = outer_pending
        possible = point.possible | (end.possible if end is not None else frozenset())
        possible |= {capture.name for capture in self.captures.table.values()
                     if capture.statement is not None and self.within(capture.statement, statement)}
        after = replace(point, possible=possible)
        out.append(Loop(statement.target, iterable, tuple(body), statement.location))
        if statement not in self.facts.after:
            return None
        result = after
        for identifier, version in self.facts.after[statement].items():
            if self.facts.before[statement].get(identifier) is not version and self.makers.get(version) is statement:
                result = self.keep(version, out, result, statement.location)
        return result

    def leave(self, statement: Leave, out: list, point: Point) -> None:
        environment = self.facts.before[statement]
        location = statement.location
        if statement.kind == "raise":
            out.append(statement)
            return
        if statement.kind != "return":
            loop = self.stack[-1]
            if self.pending.get(loop):
                self.save(loop, out, point, environment)
            if statement.kind == "continue":
                self.hand_on_targets(loop, out)
            out.append(statement)
            return
        value: gast.AST = constant(None) if statement.value is None else statement.value
        self.returning = True
        value, point = self.expression(value, out, point, statement)
        self.returning = False
        if self.stack and self.guarded >= 0 and not isinstance(value, gast.Constant):
            result = self.names_for(statement)  # once it is there, nothing raises
            out.append(Assign(result, value, location))
            value = name(result)
        for loop in reversed(self.stack):
            point = point.decide(loop, True)
            if self.pending.get(loop):
                self.save(loop, out, point, environment)
        for loop in self.stack[:1]:
            point = self.advance(point, self.paths.offsets.get((loop, RETURNED), 0), out, location)
        out.append(self.returned(value, location, point, environment))
