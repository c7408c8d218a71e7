"""Loops that are written out turn by turn: over functions, over a few things of unlike forms, over names of attributes
or keys of a dict whose body stores something under them, along what is linked. In each turn it is known then which
function, thing, attribute, key or object is meant.
"""
from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.comprehensions import MOST_TURNS, is_key_of, spreads
from s2sgrad.compiler.effects import MUTATING_METHODS, has_effect, may_write
from s2sgrad.compiler.evaluation import TURNS
from s2sgrad.compiler.leaving import contains, marked, without
from s2sgrad.compiler.mappings import without_keys
from s2sgrad.compiler.nodes import Names, call, constant, holder, located_at, name, names_in, tuple_of, walk
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Define,
    Delete,
    Evaluate,
    Leave,
    Loop,
    Store,
    assigned_names,
    expressions_in,
    leaves,
    mentioned,
    pattern_names,
    statements,
    written_name,
)
from s2sgrad.compiler.respell import changed, expression
from s2sgrad.compiler.scopes import COMPREHENSIONS, FUNCTIONS, defaults, free_names
from s2sgrad.compiler.structures import key_expression
from s2sgrad.compiler.texts import written_text
from s2sgrad.compiler.unlike import holds_functions, holds_unlike, holds_unlike_keys
from s2sgrad.compiler.views_of_dicts import VIEWS, ViewsOfDicts
from s2sgrad.compiler.written_items import is_read_only, unpacked
from s2sgrad.containers import in_library
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, known_value, may_hold
from s2sgrad.rules.table import NeedsValue, rule_for

MOST_STATEMENTS = 64
"""A loop over things of unlike forms stays one where all its turns together have more."""
SCOPES = (gast.Lambda, *COMPREHENSIONS)
BY_NAME = ("getattr", "setattr", "hasattr")


class Unrolled(ViewsOfDicts):
    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.unrolled: dict[Loop, tuple[list[str], list]] = {}
        """Loops that were written out before, each with its turns and the statements for them."""
        self.named_lists: dict[Loop, list] = {}
        """Loops for whose lists names were made before."""
        self.named_dicts: dict[Loop, list] = {}
        """Loops for whose dicts names were made before: their bodies put others in the places of these."""
        self.changing: set[str] = set()
        """Names that the loop which is looked at binds, or whose values it changes."""
        self.finds_functions = False
        """Whether it runs over functions, or over what they are found by."""
        self.short: list[gast.AST] = []
        """What else it runs over that may have fewer items."""

    def written_out_turns(self, statement: Loop, environment: dict) -> list[gast.AST] | None:
        """What a loop over functions, or one that writes into each of several arrays, binds its target to in each turn;
        None for every other loop."""
        node = statement.iterable
        if statement.target is None or leaves(statement.body) & {"break", "continue"} \
                or not isinstance(node, (gast.Name, gast.Tuple, gast.List)):
            return None
        value = self.evaluate(node, environment)
        if not isinstance(value, Items) or value.items is None or value.is_object or len(value.items) > MOST_TURNS:
            return None
        arrays = not isinstance(node, gast.Name) and all(self.view(item, environment) for item in node.elts)
        writes = arrays and statement.target in self.written_in(statement.body, environment)
        if not holds_functions(value) and not writes and not self.picks_functions(statement, environment):
            return None
        if isinstance(node, gast.Name):
            self.changing = assigned_names(statement.body)
            return self.turns_over(node, value)
        bound = {*pattern_names(statement.target), *assigned_names(statement.body, written=False)}
        plain = bound.isdisjoint(names_in(node)) and not any(
            isinstance(item, gast.Starred) or has_effect(item, self.facts) for item in node.elts)
        return node.elts if plain else None

    def picks_functions(self, statement: Loop, environment: dict) -> bool:
        """Whether a loop's target is, or holds, the key under which its body finds functions in a dict."""
        bound = set(pattern_names(statement.target or ()))
        return any(isinstance(part, gast.Subscript) and isinstance(part.slice, gast.Name)
                   and part.slice.id in bound and isinstance(part.value, gast.Name)
                   and (part.value.id in environment or part.value.id not in self.local)
                   and holds_functions(self.passively(part.value, environment)) for part in read_in(statement.body))

    # ---- what is linked

    def along_links(self, statement: Loop, environment: dict) -> list | None:
        """The statements for all turns of ``while node is not None: ...; node = node.next`` over what is known one by
        one, each another thing than the one before; None for every other loop."""
        if statement.target is not None:
            return None
        bound = assigned_names(statement.body, written=False)
        walked = {label for label in names_in(statement.iterable) if label in bound}
        steps = {part.target: place for place, part in enumerate(statement.body) if isinstance(part, Assign)
                 and isinstance(part.target, str) and part.target in walked and is_step(part)}
        if not walked or walked != set(steps) or not all(label in environment for label in walked):
            return None
        others = tuple(part for place, part in enumerate(statement.body) if place not in steps.values())
        if not walked.isdisjoint(assigned_names(others, written=False)) or "continue" in leaves(
                statement.body[:max(steps.values())]):  # else some turns may take no step, or several
            return None
        turns, now = 0, environment
        while turns <= MOST_TURNS and all(isinstance(now[label].value, Items) for label in walked):
            goes_on = self.test(statement.iterable, now)
            if goes_on is MISSING or not goes_on:
                break
            turns += 1
            nodes: Any = [(label, statement.body[place].value) for label, place in steps.items()]
            now = {**now, **{label: self.version(label, self.evaluate(node, now), "bound") for label, node in nodes}}
        if not 0 < turns <= MOST_TURNS or self.test(statement.iterable, now) not in (False, None):
            return None
        if statement not in self.unrolled:
            made = self.all_turns(statement, [((), {})] * turns)
            if made is None:
                return None
            self.unrolled[statement] = [], made
        return self.unrolled[statement][1]

    # ---- names and keys

    def by_names(self, statement: Loop, environment: dict) -> list | None:
        """The statements for all turns of a loop over names, keys or the items of a dict, where its body must know
        them; None for every other loop."""
        if statement.target is None:
            return None
        unnamed = [] if statement in self.named_dicts else [
            part for part in self.viewed(statement.iterable, environment)
            if holder(self.place_of_dict(part, environment)) is None]
        if unnamed:  # what comes of it, ``dict(d)`` or ``d if x > 0 else e``, is that of before the first turn
            bare: dict[int, gast.AST] = {id(part): constant(None) for part in walk(statement.iterable) if isinstance(
                part, gast.Call) and isinstance(part.func, gast.Attribute) and part.func.value in unnamed}
            if has_effect(expression(statement.iterable, bare), self.facts):
                raise self.refusal("this loop runs over a dict without a name, beside a call that changes something",
                                   "give the dict a name before the loop", unnamed[0])
            self.named_dicts[statement] = self.named_first(statement, unnamed)
        if statement in self.named_dicts:
            return self.named_dicts[statement]
        left = bool(leaves(statement.body) & {"break", "continue"})
        self.finds_functions = self.runs_over_functions(statement.iterable, environment, left) or (
            left or isinstance(statement.target, tuple)) and self.picks_functions(statement, environment)
        inside = [] if self.finds_functions else read_in(statement.body)
        most = MOST_TURNS
        if not (self.finds_functions or self.needs_names(statement, inside, environment)
                or self.spreads_unlike_keys(statement, inside, environment)
                or self.changes_its_dict(statement, environment)
                or self.writes_into_several(statement, statement.target, statement.iterable, environment)):
            if not self.runs_over_unlike_forms(statement, inside, environment):
                return None
            most = min(most, MOST_STATEMENTS // max(1, len(list(statements(statement.body)))))
        self.changing = assigned_names(statement.body) | set(pattern_names(statement.target))
        first = [part for part in self.run_over(statement.iterable, environment)
                 if self.computes(part, environment) or self.changes_elsewhere(part, statement, environment)]
        if first:
            if statement not in self.unrolled:
                self.unrolled[statement] = [], self.named_first(statement, first)
            return self.unrolled[statement][1]
        self.short = []
        turns = self.turns_of(statement.iterable, environment)
        if turns is None and isinstance(statement.iterable, gast.Call):
            return self.over_a_list(statement, environment)
        if turns is None or len(turns) > most:
            return None
        texts = [gast.dump(item) for item in (*turns, *self.short)]
        if self.unrolled.get(statement, (None,))[0] != texts:
            starts = [self.start_of_turn(statement, item, environment) for item in turns]
            made = self.all_turns(statement, [((*self.ends_before(statement, place), *first), meaning)
                                              for place, (first, meaning) in enumerate(starts)])
            if made is None:
                return None
            self.unrolled[statement] = texts, made
        return self.unrolled[statement][1]

    def ends_before(self, statement: Loop, place: int) -> Iterator[Branch]:
        """What ends a loop before a turn for which not all that it runs over has an item."""
        for node in self.short:
            count = located_at(call(self.given(len), node), node)
            yield Branch(located_at(gast.Compare(count, [gast.LtE()], [constant(place)]), node),
                         (Leave("break", None, statement.location),), (), statement.location)

    def start_of_turn(self, statement: Loop, item: gast.AST, environment: dict) -> tuple[tuple, dict[str, gast.AST]]:
        """What binds a loop's target at the start of a turn; and the names of it that only stand for a literal, or what
        stays where it is, and are read in the loop's body alone, each with what it stands for."""
        bound = dict(unpacked(statement.target, item))
        if None in bound:
            return (Assign(statement.target, item, statement.location),), {}
        texts = {label for label, value in bound.items() if isinstance(value, gast.Constant)}
        steady = self.leaves_places_alone(statement, texts, environment)
        inside = {statement, *statements(statement.body)}
        taken = assigned_names(statement.body).union(*(
            mentioned(part) for part in statements(self.program.body) if part not in inside))
        taken.update(label for part in read_in(statement.body) if isinstance(part, SCOPES) for label in names_in(part))
        taken |= self.program.outer
        words = {label: value for label, value in bound.items() if label is not None and label not in taken and (
            isinstance(value, gast.Constant) or steady and is_place(value) and holder(value) not in self.changing)}
        return tuple(Assign(label, value, statement.location) for label, value in bound.items()
                     if label is not None and label not in words), words

    def leaves_places_alone(self, statement: Loop, texts: set, environment: dict) -> bool:
        """Whether a loop's body surely puts nothing else into containers, nor under names of others: it changes arrays
        at most, and calls functions of libraries with a rule, and methods of arrays and of names for literals."""
        def is_array(node: gast.AST) -> bool:
            return holder(node) in environment and isinstance(self.passively(node, environment), Numeric)

        def is_harmless(node: Any) -> bool:
            if isinstance(node, gast.Attribute) and holder(node) in environment:
                return is_array(node.value)
            if holder(node) is None or holder(node) in self.local:
                return isinstance(node, gast.Attribute) and holder(node) in texts
            function = known_value(self.passively(node, environment))
            return rule_for(function) is not None and in_library(getattr(function, "__module__", None))

        def is_quiet(part: Any) -> bool:
            if isinstance(part, (Store, Augment)):
                return isinstance(part.target, gast.Name) or is_array(part.target.value)
            return isinstance(part, (Assign, Branch))

        return all(map(is_quiet, statements(statement.body))) and all(
            is_harmless(part.func) for part in read_in(statement.body) if isinstance(part, gast.Call))

    def run_over(self, node: Any, environment: dict) -> list[gast.AST]:
        """What a loop runs over, side by side; of lists and tuples that are written out the items."""
        if isinstance(node, gast.Call) and self.function_of(node, environment) in (
                enumerate, zip, reversed):
            return [part for item in node.args for part in self.run_over(item, environment)]
        if not isinstance(node, (gast.Tuple, gast.List)):
            return [node] if isinstance(node, (gast.Attribute, gast.Subscript)) else []
        return [part for item in node.elts for part in (
            self.run_over(item, environment) if isinstance(item, (gast.Tuple, gast.List)) else [item])]

    def computes(self, node: gast.AST, environment: dict) -> bool:
        """Whether an expression makes something new of what is in arrays or containers, and not at each turn again."""
        if isinstance(node, (gast.Name, gast.Constant, gast.Starred)):
            return False
        value: Any = self.passively(node, environment)
        if not isinstance(value, (Numeric, Items)) or has_effect(node, self.facts):
            return False
        element = isinstance(value, Numeric) and value.is_number and isinstance(node, gast.Subscript) and isinstance(
            self.facts.value(node.value), Numeric)
        if self.facts.is_place(node) and not element:
            return False
        held = [environment[part.id].value for part in walk(node)
                if isinstance(part, gast.Name) and part.id in environment]
        return any(isinstance(item, Items) or isinstance(item, Numeric) and not item.is_number for item in held)

    def changes_elsewhere(self, node: gast.AST, loop: Loop, environment: dict) -> bool:
        """Whether the body of a loop may put something else where an expression leads to, under another name."""
        label = holder(node)
        whole = environment[label].value if label in environment else None
        if isinstance(node, gast.Name) or not isinstance(whole, Items):
            return False
        changed: set[str] = set()
        for part in statements(loop.body):
            if isinstance(part, (Store, Augment, Append, Delete)):
                changed.add(written_name(part) if not isinstance(part, Delete) else holder(part.target) or "")
            elif isinstance(part, (Assign, Evaluate)) and isinstance(part.value, gast.Call):
                changed.update(names_in(part.value))
        return any(other != label and other in environment and may_hold(environment[other].value, whole.kind)
                   for other in changed)

    def named_first(self, statement: Loop, parts: list[gast.AST]) -> list:
        """A loop with names for parts of what it runs over, which are assigned before it."""
        fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved)
        labels = {id(part): fresh.fresh("item") for part in parts}
        self.facts.reserved.update(labels.values())
        self.local.update(labels.values())
        first = [Assign(labels[id(part)], part, statement.location) for part in parts]
        own: dict[int, gast.AST] = {id(part): name(labels[id(part)]) for part in parts}
        return [*first, replace(statement, iterable=expression(statement.iterable, own))]

    def over_a_list(self, statement: Loop, environment: dict) -> list | None:
        """``for item in list(items)`` with a name for the list."""
        node: Any = statement.iterable
        held = self.evaluate(node, environment) if self.function_of(node, environment) in (
            list, tuple, sorted) else None
        if not isinstance(held, Items) or held.items is None:
            return None
        return self.over_a_name(statement)

    def over_a_view(self, statement: Loop, environment: dict) -> list | None:
        """A loop over the list of a view of a dict with functions in it that has a name: a view has no places."""
        node = statement.iterable
        value = self.evaluate(node, environment) if isinstance(node, gast.Name) else None
        if not isinstance(value, Items) or value.view is None or not holds_functions(value):
            return None
        return self.over_a_name(replace(statement, iterable=self.placed(call(self.given(list), node), node)))

    def over_a_name(self, statement: Loop) -> list:
        """A loop with a name for what it runs over."""
        if statement not in self.named_lists:
            label = Names(self.program.names | set(self.facts.given) | self.facts.reserved).fresh("items")
            self.facts.reserved.add(label)
            self.local.add(label)
            own = gast.copy_location(name(label), statement.iterable)
            self.named_lists[statement] = [Assign(label, statement.iterable, statement.location),
                                           replace(statement, iterable=own)]
        return self.named_lists[statement]

    def over_a_copy(self, statement: Loop, environment: dict) -> list | None:
        """``for k, v in list(d.items()): d[k] = e`` with a name for the list, which is made before, and so for one that
        is turned around or numbered; None for loops over anything else than what is in a dict that they change."""
        changed = assigned_names(statement.body)
        copies = [part for part in self.copies_in(statement.iterable, environment) if any(
            self.is_changed(view.func.value, changed, statement, environment) for view in walk(part)
            if isinstance(view, gast.Call) and isinstance(view.func, gast.Attribute) and view.func.attr in VIEWS)]
        if not copies or copies == [statement.iterable]:
            return self.over_a_name(statement) if copies else None
        if statement not in self.named_lists:
            self.named_lists[statement] = self.named_first(statement, copies)
        return self.named_lists[statement]

    def copies_in(self, node: Any, environment: dict) -> list[gast.AST]:
        """The lists, made where they stand, whose items what a loop runs over gives, and before which nothing happens.
        """
        function = self.function_of(node, environment) if isinstance(node, gast.Call) else None
        part = isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice) and self.copies_in(
            node.value, environment)
        if part or isinstance(node, (gast.List, gast.ListComp)) or function in (list, tuple, sorted):
            return [node]
        found: list[gast.AST] = []
        for item in node.args if function in (reversed, enumerate, zip) else ():
            inner = self.copies_in(item, environment)
            if not inner and has_effect(item, self.facts):
                break
            found += inner
        return found

    def all_turns_done(self, statement: Loop, before: dict, after: dict | None) -> dict | None:
        """The environment behind a loop that was written out; it must not have given its dict other keys. Where it has
        put another dict or list in the place of that, it is written out anew, with a name for the one that it runs
        over."""
        places = [part for part in self.run_over(statement.iterable, before) if self.facts.is_place(part)]
        moved = [part for part in (*self.viewed(statement.iterable, before), *places)
                 if statement in self.unrolled and self.is_moved(part, statement, before, after)]
        if moved:
            del self.unrolled[statement]
            self.named_dicts[statement] = self.named_first(statement, moved)
            return self.expand(statement, self.named_dicts[statement], before, True)
        for viewed in (statement.iterable, *self.viewed(statement.iterable, before)):
            label = holder(self.place_of_dict(viewed, before))
            if after is None or label not in before or label not in after:
                continue
            values = [self.passively(viewed, environment) for environment in (before, after)]
            if isinstance(values[0], Items) and values[0].is_dict and (
                    not isinstance(values[1], Items) or values[0].keys != values[1].keys):
                raise self.changed_dict(statement, label)
        return after

    def all_turns(self, statement: Loop, turns: list[tuple[tuple, dict]]) -> list | None:
        """The statements of a loop for each turn, with those that it starts with, and what is said for some names."""
        fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved)
        own = marked(statement.body, "continue", "next turn")
        blocks: list = []
        for first, meaning in turns:
            body = copy.deepcopy(own)
            body = changed(body, {id(node): meaning[node.id] for node in names_read(body) if node.id in meaning})
            body = changed(body, {id(node): text for node in read_in(body) if (text := written_text(node)) is not None})
            blocks += [*first, *without(body, "next turn", fresh.fresh("skipped"))]
        left = marked(tuple(blocks), "break", "last turn")
        if contains(left, "last turn"):
            blocks = list(without(left, "last turn", fresh.fresh("left")))
        self.facts.reserved |= assigned_names(tuple(blocks)) - self.program.names
        self.local |= assigned_names(tuple(blocks))
        return blocks

    def needs_names(self, statement: Loop, inside: list, environment: dict) -> bool:
        """Whether a loop's target is the name of an attribute, or the key of what is stored in a dict, in its body."""
        bound = set(pattern_names(statement.target or ()))
        if any(isinstance(part, gast.Call) and isinstance(part.func, gast.Name) and part.func.id in BY_NAME
               and len(part.args) > 1 and not bound.isdisjoint(names_in(part.args[1]))
               for part in inside):
            return True
        return any(isinstance(part, gast.Subscript) and not bound.isdisjoint(names_in(part.slice))
                   and self.is_dict(part.value, environment) for inner in statements(statement.body)
                   if isinstance(inner, (Store, Augment, Delete)) for part in walk(inner.target))

    def spreads_unlike_keys(self, statement: Loop, inside: list, environment: dict) -> bool:
        """Whether a loop's body calls something with ``**options``, which have other keys from turn to turn; with
        ``TURNS``: which perhaps have."""
        return spreads(inside) and self.demands(TURNS) or spreads(
            inside, pattern_names(statement.target or ())) and self.gives_unlike_forms(
                statement.iterable, environment, holds_unlike_keys)

    def runs_over_unlike_forms(self, statement: Loop, inside: list, environment: dict) -> bool:
        """Whether a loop, which makes no functions, runs over differentiated things of unlike forms, or their keys, or
        numbers of which its body makes their keys: ``for i in range(n): x = x @ p[f"w{i}"]``. How many numbers is
        part of what the dict is like then, and no size."""
        if any(isinstance(part, Define) for part in statements(statement.body)) or any(
                isinstance(part, gast.Lambda) for part in inside):
            return False
        if self.gives_unlike_forms(statement.iterable, environment):
            return True
        labels = set(pattern_names(statement.target or ()))
        labels.update(label for part in statement.body if isinstance(part, Assign) and is_key_of(part.value, labels)
                      for label in pattern_names(part.target))
        if not self.picks_unlike_forms(labels, inside, environment):
            return False
        if isinstance(statement.iterable, gast.Call) and self.function_of(statement.iterable, environment) is range:
            for label in names_in(statement.iterable):
                value = environment[label].value if label in environment else None
                if isinstance(value, Numeric) and value.value is MISSING and value.origin is not None:
                    raise NeedsValue(label, value)
        return True

    def runs_over_functions(self, node: Any, environment: dict, left: bool = False) -> bool:
        """Whether a loop runs over an attribute or item that holds functions, or over objects of several classes (with
        ``TURNS``: over any), or, where its turns may be ``left`` early, over any list of functions."""
        if isinstance(node, gast.Call) and self.function_of(node, environment) in (
                enumerate, zip, reversed):
            return any(self.runs_over_functions(item, environment) or self.gives_functions(  # type: ignore
                item, environment) for item in node.args)
        if isinstance(node, (gast.Tuple, gast.List)) and self.runs_over_unlike(node, environment):
            raise self.in_need(node, node)
        if not isinstance(node, (gast.Name, gast.Attribute, gast.Subscript)) and not (
                left and isinstance(node, (gast.Tuple, gast.List))):
            return False
        value = self.evaluate(node, environment)
        if not isinstance(value, Items) or value.is_object or value.items is None:
            return False
        objects = any(isinstance(item, Items) and item.is_object for item in value.items) and self.demands(TURNS)
        return objects or holds_unlike(value) or holds_functions(value) and (
            left or not isinstance(node, gast.Name))

    def writes_into_several(self, statement: Loop, pattern: Any, node: Any, environment: dict) -> bool:
        """Whether a loop writes into each of several arrays that are written out beside something else that it runs
        over: ``for p, g in zip([w, b], gradients): p -= g``, ``for p, g in [(w, w_grad), (b, b_grad)]: p -= g``."""
        rows = getattr(node, "elts", None)
        if rows and isinstance(pattern, tuple) and all(
                isinstance(row, gast.Tuple) and len(row.elts) == len(pattern) for row in rows):
            columns = [gast.Tuple(list(column), gast.Load()) for column in zip(*(row.elts for row in rows))]
            return self.writes_into_several(statement, pattern, self.placed(
                gast.Call(self.given(zip), columns, []), node), environment)
        if not isinstance(node, gast.Call) or not isinstance(pattern, tuple) or node.keywords or any(
                isinstance(item, gast.Starred) for item in node.args):
            return False
        function = self.function_of(node, environment)
        if function is not zip and function is not enumerate:
            return False
        written = self.written_in(statement.body, environment)
        return any(
            self.writes_into_several(statement, part, item, environment) or isinstance(item, (gast.Tuple, gast.List))
            and part in written and all(self.view(each, environment) for each in item.elts)
            for part, item in zip(pattern[1:] if function is enumerate else pattern, node.args))

    def written_in(self, body: tuple, environment: dict) -> set[str]:
        """The names of arrays that stores in a loop's body write into, and calls on lines of their own."""
        return {label for part in statements(body) for label in (
            [written_name(part)] if isinstance(part, (Store, Augment)) else
            self.written_by(part.value, environment) if isinstance(part, Evaluate) else ())}

    def written_by(self, node: gast.AST, environment: dict) -> list[str]:
        """The names of which a call gets, as ``out=``, an argument or the array whose method it is, what it may write
        into."""
        if not isinstance(node, gast.Call):
            return []
        places: list = [item.value for item in node.keywords if item.arg == "out"]
        if isinstance(node.func, gast.Attribute) and node.func.attr in MUTATING_METHODS:
            places.append(node.func.value)
        elif may_write(self.function_of(node, environment)):
            places += [*node.args, *(item.value for item in node.keywords)]
        return [place.id for place in places if isinstance(place, gast.Name)]

    def turns_of(self, node: Any, environment: dict) -> list[gast.AST] | None:
        """What a loop over an expression gives in each of its turns; None where that is not known."""
        if isinstance(node, gast.Call) and not node.keywords and node.args:
            function = self.function_of(node, environment)
            if function is enumerate and len(node.args) == 1:
                counted = self.turns_of(node.args[0], environment)
                return None if counted is None else [
                    self.together(node, [gast.copy_location(constant(index), node), item])
                    for index, item in enumerate(counted)]
            if function is range:
                bounds = [known_value(self.passively(item, environment)) for item in node.args]
                plain = all(type(bound) is int for bound in bounds) and len(range(*bounds)) <= MOST_TURNS
                return [self.placed(constant(index), node) for index in range(*bounds)] if plain else None
            if function is zip:
                parts: list = [self.turns_of(item, environment) for item in node.args]
                if self.finds_functions and all(
                        isinstance(item, (gast.Name, gast.Attribute)) and holder(item) not in self.changing
                        for item, part in zip(node.args, parts) if part is None):
                    parts = self.first_of_each(  # type: ignore[attr-defined]
                        node.args, parts, environment, self.short)
                return None if None in parts else [self.together(node, list(items)) for items in zip(*parts)]
            if function is reversed and len(node.args) == 1 and known_value(self.passively(getattr(
                    node.args[0], "func", node.args[0]), environment)) not in (enumerate, zip, reversed):
                backwards = self.turns_of(node.args[0], environment)
                return None if backwards is None else backwards[::-1]
            if function in (list, tuple, sorted) and len(node.args) == 1:
                held = self.passively(without_keys(node.args[0]), environment)
                keys = isinstance(held, Items) and held.is_dict and held.keys is not None
                if not keys or function is sorted and not all(isinstance(key, str) for key in held.keys or ()):
                    return None
                return [self.placed(key_expression(key), node) for key in (
                    sorted(held.keys or ()) if function is sorted else held.keys or ())]
            return None
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in VIEWS \
                and not node.args and not has_effect(node.func.value, self.facts):
            held, original = self.evaluate(node.func.value, environment), node.func.value
            if not isinstance(held, Items) or not held.is_dict or held.keys is None:
                return None
            keys_ = [self.placed(key_expression(key), node) for key in held.steps]
            parts_ = [self.part(original, held, step) for step in held.steps]
            if node.func.attr == "items":
                return [self.together(node, [key, part]) for key, part in zip(keys_, parts_)]
            return keys_ if node.func.attr == "keys" else parts_
        if isinstance(node, (gast.Tuple, gast.List)):
            plain = self.changing.isdisjoint(names_in(node)) and not any(
                isinstance(item, gast.Starred) or has_effect(item, self.facts) for item in node.elts)
            return node.elts if plain else None
        if isinstance(node, (gast.Name, gast.Attribute, gast.Subscript)) and not has_effect(node, self.facts):
            return self.turns_over(node, self.evaluate(node, environment))
        return None

    def turns_over(self, node: gast.AST, value: Abstract) -> list[gast.AST] | None:
        """The items of a container, the keys of a dict."""
        if not isinstance(value, Items) or value.is_object:
            constants = known_value(value)
            if type(constants) not in (tuple, list):
                return None
            return [self.placed(key_expression(item), node) for item in constants]
        if value.is_dict:
            return None if value.keys is None else [self.placed(key_expression(key), node) for key in value.steps]
        if value.items is None or value.view is not None or not self.changing.isdisjoint(names_in(node)):
            return None
        return [self.part(node, value, step) for step in value.steps]

    def together(self, node: gast.AST, items: list) -> gast.AST:
        return gast.copy_location(tuple_of(items), node)

    def placed(self, made: gast.AST, node: gast.AST) -> gast.AST:
        for part in gast.walk(made):
            gast.copy_location(part, node)
        return made


def is_step(statement: Assign) -> bool:
    """``node = node.next``: something that is in an object takes its name."""
    node = statement.value
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return node is not statement.value and isinstance(node, gast.Name) and node.id == statement.target


def read_in(body: tuple) -> list[Any]:
    """All expressions of a block, and their parts."""
    return [part for inner in statements(body) for whole in expressions_in(inner) for part in walk(whole)]


def names_read(body: tuple) -> list[gast.Name]:
    """The names in all expressions of a block, but for those that functions defined there bind themselves."""
    own: set[int] = set()
    for function in read_in(body):
        if isinstance(function, FUNCTIONS):
            around = {id(part) for default in defaults(function.args) for part in walk(default)}
            free = free_names(function)
            own.update(id(part) for part in walk(function) if isinstance(
                part, gast.Name) and part.id not in free and id(part) not in around)
    return [part for part in read_in(body) if isinstance(part, gast.Name) and id(part) not in own]


def is_place(node: gast.AST) -> bool:
    """Whether an expression is a name, or what stands in a known place of it."""
    return not isinstance(node, (gast.Tuple, gast.List)) and is_read_only(node)
