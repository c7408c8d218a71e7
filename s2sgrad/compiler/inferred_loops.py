"""What a loop makes known, whose turns are analysed until nothing new comes."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.evaluation import NeedsKey, plain_truth
from s2sgrad.compiler.facts import Version, written_arrays
from s2sgrad.compiler.inferred_stores import Stores
from s2sgrad.compiler.late import late_stores
from s2sgrad.compiler.layouts import layout_of
from s2sgrad.compiler.nodes import Names, is_starred, located_at, tuple_of
from s2sgrad.compiler.nodes import name as variable
from s2sgrad.compiler.program import (
    Assign,
    Leave,
    Loop,
    Pattern,
    Rest,
    assigned_names,
    leaves,
    rebound_names,
    statements,
)
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import MISSING, NEVER, Abstract, Items, Numeric, join, levels

MOST_DEEPER = 5
"""So often the containers that a loop makes may turn out to be nested deeper than its turns before had it."""


def deepest(environment: dict[str, Version], names: set[str]) -> int:
    """How deep containers are nested under these names."""
    return max((levels(environment[name].value) for name in names), default=0)


def form_of(pattern: Pattern) -> tuple | None:
    """How many names a target has, in tuples of which form."""
    return tuple(map(form_of, pattern)) if isinstance(pattern, tuple) else None


class Loops(Stores):
    """The part of the analysis that is loops.

    Attributes
    ----------
    heads_before
        Of loops inside others what was known before them when they were last looked at, and in the end of the names
        that their turns change, at the start of a turn.
    """

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.heads_before: dict[Loop, tuple[dict[str, Abstract], dict[str, tuple[Abstract, bool]]]] = {}

    def do_Loop(self, statement: Loop, environment: dict) -> dict | None:
        for table in (self.facts.rows, self.facts.turns):  # of an earlier turn of a loop around this one
            table.pop(statement, None)
        rows = self.rows(statement, environment)
        if rows is not None:
            self.facts.rows[statement] = rows
        in_place = self.in_place_of_yield(statement, environment)
        if in_place is not None:
            return self.expand(statement, in_place, environment)
        linked = self.along_links(statement, environment)
        if linked is not None:
            return self.expand(statement, linked, environment, True)
        listed = self.over_a_view(statement, environment)
        if listed is not None:
            return self.expand(statement, listed, environment, True)
        try:
            by_names = self.by_names(statement, environment)
        except NeedsKey:  # a turn makes it
            by_names = None
        copied = self.over_a_copy(statement, environment)
        try:
            if by_names is not None:
                return self.all_turns_done(statement, environment, self.expand(
                    statement, by_names, environment, True))
        except UnsupportedError:
            if copied is None:
                raise
        if copied is not None:
            return self.expand(statement, copied, environment, True)
        by_keys = self.by_keys(statement, environment)
        if by_keys is not None:
            return self.expand(statement, by_keys, environment, True)
        by_numbers = self.by_numbers(statement, environment)
        if by_numbers is not None:
            return self.expand(statement, by_numbers, environment, True)
        items = self.written_out_turns(statement, environment)
        if items is not None:
            self.facts.turns[statement] = items
            reached: dict | None = environment
            for item in items:
                if reached is not None:
                    value = self.evaluate(item, reached)
                    reached = self.block(statement.body, self.bind(statement, statement.target, value, item, reached))
            return reached
        unpacked = self.unpacked_in_header(statement, environment)
        if unpacked is not statement:
            return self.expand(statement, [unpacked], environment, True)
        changing = assigned_names(statement.body)
        if statement.target is not None:
            changing |= assigned_names((Assign(statement.target, statement.iterable, statement.location),))
        outer_loops = list(self.loops)
        self.loops.append(statement)
        head = dict(environment)
        found_before = self.found_before(statement, environment) if outer_loops else {}
        changing |= found_before.keys()
        for name in sorted(changing):
            head[name] = self.at_start(name, environment)
        for name, (value, unbound) in found_before.items():
            head[name].value, head[name].unbound = join(head[name].value, value), head[name].unbound or unbound
        settled = False
        depths = [deepest(head, changing)]
        for _ in range(20):
            if len(depths) > MOST_DEEPER:
                raise self.ever_deeper()
            self.breaks.append([])
            self.continues.append([])
            self.facts.heads[statement] = head
            turn = head
            self.location = statement.location
            if statement.target is None:
                with self.outer_names_read():
                    self.test(statement.iterable, turn)
            else:
                self.loops = outer_loops
                if leaves(statement.body).isdisjoint(("break", "return")) and not any(
                        isinstance(part, Leave) and part.kind == "raise" for part in statements(statement.body)):
                    self.run_to_the_end(statement.iterable)
                sequence = self.iterate(statement.iterable, {
                    **environment, **written_arrays(statement, head), **self.grown_lists(statement, environment, head)})
                self.loops = [*outer_loops, statement]
                turn = self.bind(statement, statement.target, self.one_of(sequence, id(statement)), None, turn)
            end = self.block(statement.body, turn)
            continued, broken = self.continues.pop(), self.breaks.pop()
            late = late_stores(environment, [head, *continued, end, *broken], statement.location)
            if late:
                self.loops = outer_loops
                return self.expand(statement, [*late, replace(statement)], environment, True)
            end = self.join_environments([*continued, end])
            self.facts.turn_ends[statement] = end
            found = self.changed_besides(environment, end, head) - changing
            for name in sorted(found):
                head[name] = self.at_start(name, environment)
            changing |= found
            if end is None or not self.widen(head, end, changing) and not found:
                # names may have been spelled out that stand for something else in a later turn
                if settled or not self.has_respelled(statement.body):
                    break
                settled = True
            depth = deepest(head, changing)
            depths += [depth] * (depth > depths[-1])
        else:
            raise self.ever_deeper()
        self.loops = outer_loops
        if outer_loops:
            self.heads_before[statement] = ({name: version.value for name, version in environment.items()},
                                      {name: (head[name].value, head[name].unbound) for name in changing})
        for name in changing:  # what earlier rounds met at the end of a turn is of no meaning any more
            head[name].sources[:] = [each[name] for each in (environment, end or {})
                                     if each.get(name, head[name]) is not head[name]]
        if statement.target is not None:
            self.check_grown(statement, environment, head)
            self.check_turns(statement, environment)
            self.check_iterators(statement, environment)
            self.check_views(statement, environment, changing)
        done = dict(head)
        for name in changing:  # what a name is after the loop belongs to the block that the loop stands in
            version = head[name]
            done[name] = self.version(name, version.value, "joined", (version,), unbound=version.unbound)
        always = statement.target is None and plain_truth(self.facts.value(statement.iterable))
        endless = always is not MISSING and not isinstance(always, np.ndarray) and bool(always)
        finished = None if endless else done
        result = self.join_environments([finished, *broken])
        if result is not None:
            result = {name: self.outside(version, statement) for name, version in result.items()}
            self.facts.after[statement] = result
        else:
            self.facts.beyond[statement] = done
        return result

    def unpacked_in_header(self, statement: Loop, environment: dict) -> Loop:
        """``for x, y in zip(xs, ys): pair = x, y; ...`` for a loop whose target stands for several differentiated
        values; any other as it is."""
        before = self.unpacking.get(statement)
        if before is statement or not isinstance(statement.iterable, gast.Call) or statement.target is None:
            return statement
        names = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
        gathered: list[Assign] = []
        target = self.unpacked_target(statement, statement.target, statement.iterable, environment, names, gathered)
        if before is not None:
            if form_of(target) != form_of(before.target or ()):
                self.unpacking[statement] = statement  # in each turn of a loop around it there are others
            return self.unpacking[statement]
        if not gathered:
            return statement
        loop = replace(statement, target=target, body=(*gathered, *statement.body))
        made = assigned_names((loop,)) - self.program.names
        self.facts.reserved |= made
        self.local |= made
        self.unpacking[statement] = loop
        return loop

    def unpacked_target(self, statement: Loop, pattern: Pattern, node: Any, environment: dict, names: Names,
                        gathered: list[Assign]) -> Pattern:
        """The target with a name for each of the several values, and what gathers them under the names that it had."""
        function = self.function_of(node, environment)
        if function is zip and is_starred(node):
            node = self.spread(node, environment)
        if isinstance(pattern, Rest) or not (function is zip or function is enumerate) or is_starred(node):
            return pattern
        parts = [None, node.args[0]] if function is enumerate else node.args
        inside: list[Pattern] = list(pattern) if isinstance(pattern, tuple) else [pattern]
        several = next((part for part in inside if isinstance(part, Rest) or not isinstance(pattern, tuple)), None)
        if several is not None:
            count, place = len(parts) - len(inside) + 1, inside.index(several)
            if count < 0 or not any(part is not None and self.evaluate(part, environment).active for part in parts):
                return pattern
            label = several.name if isinstance(several, Rest) else several
            labels = [names.fresh(f"{label}_{index}") for index in range(count)]
            inside[place:place + 1] = labels
        if len(inside) != len(parts):
            return pattern
        target = tuple(self.unpacked_target(statement, part, item, environment, names, gathered)
                       for part, item in zip(inside, parts))
        if several is not None:
            items = [variable(label) for label in labels]
            made = gast.List(items, gast.Load()) if isinstance(several, Rest) else tuple_of(items)
            gathered.append(Assign(label, located_at(made, node), statement.location))
        return target

    def ever_deeper(self) -> UnsupportedError:
        return self.refusal("each turn of this loop puts containers into others, deeper than the turn before",
                            "put them side by side, into a list")

    def grown_lists(self, statement: Loop, environment: dict, head: dict) -> dict[str, Version]:
        """The lists that a loop runs over and its turns change, as the turns know them: it comes to what they add."""
        names = {node.id for node in self.run_along(statement.iterable, environment) if isinstance(node, gast.Name)}
        return {name: head[name] for name in names & (assigned_names(statement.body) - rebound_names(statement))
                if name in head and isinstance(head[name].value, Items) and head[name].value.is_list}

    def check_grown(self, statement: Loop, environment: dict, head: dict) -> None:
        """The list that a loop runs over is looked at before its turns, which may put differentiated values there."""
        rebound = rebound_names(statement)
        for node in self.run_along(statement.iterable, environment):
            if not isinstance(node, gast.Name) or node.id not in assigned_names(statement.body) - rebound:
                continue
            before, turn = environment.get(node.id), head.get(node.id)
            if before is not None and turn is not None and isinstance(turn.value, Items) and turn.value.active \
                    and not before.value.active:
                raise self.refusal(f"the turns of this loop put differentiated values into {node.id}, over "
                                   "which it runs",
                                   "count the turns in a while loop, with an index into the list", node)

    def run_along(self, node: Any, environment: dict) -> list:
        """What a loop over ``zip``, ``enumerate`` and ``reversed`` runs along."""
        if isinstance(node, gast.Call) and any(
                self.function_of(node, environment) is one for one in (enumerate, reversed, zip)):
            return [part for item in node.args for part in self.run_along(item, environment)]
        return [node]

    def at_start(self, name: str, environment: dict) -> Version:
        """What a name is at the start of a turn, as far as what was before the loop tells."""
        before = environment.get(name)
        value = NEVER if before is None else before.value
        version: Version = self.version(name, value, "joined", (before,) if before is not None else (),
                                        unbound=before is None or before.unbound)
        return version

    def found_before(self, statement: Loop, environment: dict) -> dict[str, tuple[Abstract, bool]]:
        """What an earlier turn of the loop around this one found of the names that turns change, where all that was
        known then is still so, or less is known now: what was possible then still is. Starting from there, nested loops
        are looked at as often as they are deep, and not twice as often with each."""
        before, found = self.heads_before.pop(statement, ({}, {}))
        for name, value in before.items():
            now = environment[name].value if name in environment else NEVER
            if now is not value and join(value, now) != now:
                return {}
        return found

    def changed_besides(self, environment: dict, end: dict | None, head: dict) -> set[str]:
        """The names of what a turn changes: objects by their methods, too, and what functions write into."""
        return {name for name, version in (end or {}).items() if name in environment and version is not head[name]}

    def at_head(self, value: Abstract, name: str, kind: str = "size") -> Abstract:
        """A loop-carried value with its unknown sizes named: unknown, but the same throughout a turn.

        A size that was named inside the loop is another one in each turn, so it can't be carried over; and where the
        turns put the items into a list, it is another one in each of them (``kind``).
        """
        loop = self.loops[-1]
        if isinstance(value, Items):
            return replace(value, items=None if value.items is None else tuple(
                self.at_head(item, f"{name}.{index}", kind) for index, item in enumerate(value.items)),
                element=None if value.element is None else self.at_head(value.element, f"{name}.*", "each"))
        if not isinstance(value, Numeric):
            return value
        shape = value.shape
        if shape is not None:
            shape = tuple((kind, (id(loop), name), axis) if dim is None or self.made_in(dim, loop) else dim
                          for axis, dim in enumerate(shape))
            self.note_sizes(shape)
        kept = None if value.dim is not None and self.made_in(value.dim, loop) else value.dim
        return value if shape == value.shape and kept == value.dim else replace(value, shape=shape, dim=kept)

    def made_in(self, dim: Any, loop: Loop) -> bool:
        """Whether a size was named inside a loop."""
        while isinstance(dim, tuple):
            if dim[0] == "size":
                return loop in self.symbols.get(dim, ())
            dim = dim[1]
        return False

    def outside(self, version: Version, loop: Loop) -> Version:
        """The version, or one that stands for it outside the loop that makes it."""
        if version.loop is not loop:
            return version
        return self.version(version.name, version.value, "joined", (version,), unbound=version.unbound)

    def widen(self, head: dict, end: dict, changing: set[str]) -> bool:
        """Join what the end of a turn knows into the head; whether that changed anything."""
        changed = False
        for name in changing:
            if (name not in end or end[name].unbound) and not head[name].unbound:  # deleted in this turn
                head[name].unbound = changed = True
            if name not in end or end[name] is head[name]:
                continue
            if head[name].view is not None and end[name].view is not head[name].view:
                head[name].view = None
                changed = True
            value = self.at_head(join(head[name].value, end[name].value), name)
            if value != head[name].value:
                head[name].value = value
                changed = True
            if end[name] not in head[name].sources:
                before = layout_of(head[name], set())
                head[name].sources.append(end[name])
                changed = changed or layout_of(head[name], set()) != before
        return changed
