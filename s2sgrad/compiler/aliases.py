"""Program x Facts -> which names may share memory, and whether every write is one that cotangents kept by name survive.

Two names that may share memory are no harm as long as nothing is written through one of them while the other is still
to be read: the reversal then finds the cotangent of each value under the name that the value had. A swap renames, a
join keeps what either way allows. Arrays that are arguments may be written into, for the caller sees to it, at each
call, that they share memory with nothing else (``facts.written``); what other code has besides may not.
"""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.bound_memory import is_memory, is_steady, is_steady_number, joined
from s2sgrad.compiler.facts import Facts, Version, origins
from s2sgrad.compiler.flows import BY_PLACE, CHOSEN, Flow, SharesMemory, Sharing, copied
from s2sgrad.compiler.leading_back import note_called, note_met, stays_under
from s2sgrad.compiler.liveness import Reads
from s2sgrad.compiler.nodes import holder, names_in
from s2sgrad.compiler.pairs import Numbering, Pairs
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Evaluate,
    Import,
    Leave,
    Loop,
    Program,
    Remove,
    Store,
    pattern_names,
    statements,
    written_name,
)
from s2sgrad.compiler.sharing import bound_beside, comes_from_outside, later, makes_container, put_by, shared
from s2sgrad.compiler.unparse import BINARY
from s2sgrad.compiler.write_checks import WriteChecks
from s2sgrad.errors import place_of
from s2sgrad.rules.abstract import Items, Numeric, Opaque, items_of


def check_writes(program: Program, facts: Facts, own: frozenset[str], mirrored: bool = False) -> None:
    """Find out which versions are written into after they were made (``facts.rewritten``), and where arguments are.

    Raises UnsupportedError at a write that another name would see, unless the program is to be ``mirrored``; ``own``
    are the names that the user knows.
    """
    changed = any(isinstance(statement, Assign) and statement.writes for statement in statements(program.body))
    if facts.in_place or changed or isinstance(facts.result, Items):
        _Walk(facts, program, own, mirrored).run()


class _Walk(WriteChecks):
    def run(self) -> None:
        note_called(self.facts)
        Reads(self.facts, self.read_after).block(self.program.body, frozenset())
        # what containers hold may be the same array twice
        containers = frozenset(label for label, version in self.facts.parameters.items()
                               if is_memory(version) and not isinstance(version.value, Numeric))
        self.objects = {label for label in containers if any(
            old.name == label and self.is_given(old) for old, _ in self.facts.in_place.values())}
        checked = containers - self.objects
        pairs = self.crossed(Pairs(Numbering(), {}), checked, checked)
        self.block(self.program.body, Sharing(pairs, pairs, containers))
        elsewhere: dict[frozenset[Version], int] = {}
        changed_elsewhere: dict[frozenset[Version], int] = {}
        put_back = {(self.facts.before[store][store.value.id], holder(store.target))  # what a call wrote into
                    for store in self.facts.in_place if isinstance(store, Store) and store.back}
        for statement, (old, new) in self.facts.in_place.items():
            location = (statement[0] if isinstance(statement, tuple) else statement).location
            root, prefix = self.program.inner.get(old.name, ("", ()))
            if isinstance(old.value, Items) and root in self.objects:
                self.facts.stored.setdefault(root, set()).update(
                    place if place is None else (*prefix, *place) for place in self.places(statement))
            if isinstance(old.value, Items):
                changed = self.made_of(old, (Items, Opaque))
                self.facts.reshaped |= changed
                note_elsewhere(changed_elsewhere, changed, old, new)
                if self.is_given(old):
                    self.facts.written.setdefault(old.name, location)
                    stored = self.facts.stored.setdefault(old.name, set())
                    stored.update(self.places(statement))
                if None not in self.places(statement):
                    continue
            own = self.own_inside(statement, old)
            arrays = self.made_of(old, object) if own is None else set().union(*(
                found.arrays | found.containers for found in own))
            self.facts.rewritten |= arrays.union(*(
                found.containers for found in map(self.traced.get, arrays) if found is not None))
            note_elsewhere(elsewhere, arrays, old, new)
            for version in arrays:
                if version.origin == "parameter" and is_memory(version):
                    self.facts.written.setdefault(version.name, location)
                    if version.name in self.objects:
                        self.facts.stored.setdefault(version.name, set()).add(None)
                        self.facts.inside.setdefault(version.name, set()).update(
                            self.arrays_inside(statement, old, version.name))
                    elif version.name != old.name and (new, version.name) not in put_back or self.is_lost(statement):
                        self.facts.hidden.add(version.name)
        for others, last in elsewhere.items():
            self.facts.rewritten |= self.joined_before(others, last)
        for others, last in changed_elsewhere.items():
            self.facts.reshaped |= self.joined_before(others, last)
        self.find_contiguous()

    def joined_before(self, memory: frozenset[Version], last: int) -> set[Version]:
        """The joins that may be memory which is changed under another name, and be read before that: by a change
        that follows (``last``: the number of what the last one makes), or that a later turn comes to. Under the name
        that is changed by, a join is changed itself, or comes after the change."""
        found = set(memory)
        if found:
            later(found, self.facts, lambda found, facts: None)
        return {version for version in found if version.loop is not None or version.index < last}

    def of_one_order(self, pairs: Pairs, among: Collection[str]) -> Pairs:
        """Those of some pairs that may share memory: a value and a tangent do not. ``among``: a name of each of those
        that are new is among these."""
        orders = self.program.orders
        return pairs.without(lambda one, other: one in orders and other in orders and orders[one] != orders[other],
                             among) if orders else pairs

    def crossed(self, pairs: Pairs, some: Collection[str], others: Collection[str]) -> Pairs:
        """The pairs with those of each of ``some`` with each of the ``others``, where they may share memory."""
        return pairs | self.of_one_order(pairs.crossed(some, others), some)

    def find_contiguous(self) -> None:
        """The arguments that must be contiguous, for something is written through what is a view of them only then."""
        facts = self.facts
        through = [(statement.target, statement.location) for statement in facts.in_place
                   if isinstance(statement, (Store, Augment))]
        through += [(view, place_of(view, self.program.location)) for view in facts.respelled.values()]
        for node, location in through:
            for part in gast.walk(node):
                facts.contiguous.update(dict.fromkeys(facts.flattened.get(id(part), ()), location))
    # ---- statements

    def block(self, body: tuple, sharing: Sharing | None) -> Sharing | None:
        for place, statement in enumerate(body):
            if sharing is None or statement not in self.facts.before:
                return None
            if place + 1 < len(body) and self.is_taken_out(statement, body[place + 1]):
                self.taken_out.add(id(statement.value))
            self.midway = [sharing.join(other) for other in self.midway]
            sharing = self.statement(statement, sharing)
        return sharing

    def statement(self, statement: Any, sharing: Sharing) -> Sharing | None:
        if isinstance(statement, Assign):
            if id(statement.value) in self.facts.calls:
                self.check_call(statement, sharing)
                sharing = self.after_call(statement, sharing)
            else:
                self.check_changed(statement, sharing)
            flows = self.flows(statement, statement.target, statement.value, sharing)
            return self.bind(statement, list(flows), sharing)
        if isinstance(statement, (Augment, Store, Append)):
            if statement in self.facts.in_place:
                label = written_name(statement)
                remedy = CHOSEN if sharing.is_one_of_several(label) else copied(label)
                value = self.facts.in_place[statement][0].value
                if self.writes_into_item(statement):
                    remedy = f"put a copy of the array into {label}, or make a new one in its place: u[i] = u[i] + v"
                elif self.writes_into_inner(statement):
                    remedy = copied(label, "copy.deepcopy({})")
                if isinstance(value, Items) and value.is_object:
                    remedy = BY_PLACE
                if isinstance(statement, Augment) and isinstance(statement.target, gast.Name):
                    remedy = f"write {label} = {label}{BINARY[type(statement.operator)][0]}... to make a new array"
                self.check(statement, label, remedy, sharing)
                holds = isinstance(self.facts.in_place[statement][0].value, Items)
                inner = self.replaces_container(statement)
                if isinstance(statement, Store) and statement.replaces and not (
                        self.apart if inner else self.arrays_apart).holds(self.facts.before[statement][label]) and (
                        inner or not self.stands_alone(statement.target, self.facts.before[statement])):
                    what, new = ("a container", "container") if inner else ("an array", "array")
                    self.refuse(self.named(SharesMemory(
                        f"{self.as_written(label)} may hold {what} that this line writes into in more than one place, "
                        "or one that the caller has too", f"put a new {new} into each place, a copy for example",
                        statement.location), {label}))
                if holds and statement not in self.facts.places:
                    self.check_inner(statement, statement.target if isinstance(statement, Append)
                                     else statement.target.value)  # type: ignore[attr-defined]
                return self.put_into(statement, sharing) if holds else sharing
            if isinstance(statement, Append):
                return sharing
            return self.bind(statement, [Flow(written_name(statement))], sharing)
        if isinstance(statement, Branch):
            if isinstance(statement, Attempt):
                return self.attempt(statement, sharing)
            then, orelse = self.block(statement.then, sharing), self.block(statement.orelse, sharing)
            return joined(then, orelse)
        if isinstance(statement, Loop):
            return self.loop(statement, sharing)
        if isinstance(statement, Context):
            bound = [Flow(label, seen="visible") for _, pattern in statement.items if pattern is not None
                     for label in pattern_names(pattern)]
            return self.block(statement.final, self.block(statement.body, self.bind(statement, bound, sharing)))
        if isinstance(statement, (Import, Remove)):
            return self.bind(statement, [Flow(label) for label in statement.targets], sharing)
        if isinstance(statement, Evaluate):
            self.check_changed(statement, sharing)
        if isinstance(statement, Leave):
            if statement.kind == "return" and statement.value is not None:
                self.facts.tangled |= not (sharing.knots | sharing.doubled).isdisjoint(names_in(
                    statement.value)) or self.is_tangled(statement.value, statement, sharing)
            if statement.kind in ("break", "continue"):
                self.leaving[-1][statement.kind] = joined(self.leaving[-1].get(statement.kind), sharing)
            return None
        return sharing

    def attempt(self, statement: Attempt, sharing: Sharing) -> Sharing | None:
        """The handlers start with what any place in the body allows."""
        self.midway.append(sharing)
        end = self.block(statement.then[:1], sharing)
        caught = joined(self.midway.pop(), end)
        return joined(self.block(statement.then[1:], end), self.block(statement.orelse, caught))

    def loop(self, statement: Loop, sharing: Sharing) -> Sharing | None:
        before, found = self.heads_before.get(statement, (sharing, sharing))
        head = sharing.join(found) if sharing.join(before) == sharing else sharing
        broken: Sharing | None = None
        while True:
            self.leaving.append({})
            turn = head
            if statement.target is not None:
                turn = self.bind(statement, list(self.flows(statement, statement.target, statement.iterable, head)),
                                 head)
            self.run_over.append([] if statement.target is None else [*self.containers_in(statement.iterable)])
            end = self.block(statement.body, turn)
            self.run_over.pop()
            left = self.leaving.pop()
            broken = joined(broken, left.get("break"))
            grown = joined(head, joined(end, left.get("continue")))
            assert grown is not None
            if grown == head:
                self.heads_before[statement] = sharing, head
                return joined(head, broken)
            head = grown

    def is_only_filled(self, label: str) -> bool:
        """Whether a name stands for an object that the function makes, which nothing can hold before it is returned."""
        made = [value for version, (_, value) in self.apart.made.items() if version.name == label]
        return bool(made) and label not in self.facts.parameters and all(
            makes_container(value, self.facts) for value in made) and stays_under(label, self.program, self.facts)

    def put_into(self, statement: Any, sharing: Sharing) -> Sharing:
        """A container has got a value: it shares its memory from here on."""
        label = written_name(statement)
        sources = shared(statement.value, self.facts, self.facts.before[statement])
        self.links.setdefault(self.facts.in_place[statement][1], set()).update(sources)
        if getattr(statement, "paired", "") == label or getattr(statement, "back", False) or getattr(
                statement, "exchanged", False):  # it was there before
            return sharing
        if isinstance(getattr(getattr(statement, "target", None), "slice", None), gast.Slice) and all(
                map(is_steady_number, items_of(self.facts.values[id(statement.value)]))):
            return sharing
        labels = {source.name for source in sources if source.origin != "captured"}
        again = self.holds(label, sources)
        reach = set().union(*map(sharing.with_name, labels)) - {label} if labels else set()
        pairs = self.crossed(sharing.pairs, sharing.with_name(label), reach)
        steady = is_steady(self.facts.values.get(id(statement.value)))
        inner = set() if steady else self.containers(statement, labels) - self.arrays_of(
            statement.value, statement, sources)
        twice = label in set().union(*map(sharing.with_name, labels))
        if twice and not steady and not self.is_only_filled(label):
            environment = self.facts.before[statement]
            note_met(self.facts, [environment[each].value for each in (*reversed(self.around(label)), label)],
                     self.facts.value(statement.value))
        held = set().union(*map(sharing.with_box, inner)) - {label}
        boxes = self.crossed(sharing.boxes, sharing.with_box(label), held)
        seen = not labels.isdisjoint(sharing.visible | sharing.holding) or comes_from_outside(
            statement.value, self.facts, sources)
        tangled = self.is_tangled(statement.value, statement, sharing) or not labels.isdisjoint(
            sharing.knots | sharing.doubled)
        before, sharing = sharing, replace(sharing, pairs=pairs, boxes=boxes)
        if not seen and not twice and not tangled:
            return sharing
        around = [label, *self.around(label)]
        root = around[-1]
        own = {other for other in labels if other not in self.facts.parameters}
        outside = comes_from_outside(statement.value, self.facts, sources) or not own.isdisjoint(
            sharing.visible | sharing.holding)
        if not (again or outside or tangled) and labels.isdisjoint(around) and label not in set().union(
                *map(sharing.with_name, own)):
            # only arguments, each once: whoever calls this sees what they share
            if steady:
                return replace(sharing, doubled=sharing.doubled | {root})
            return replace(sharing, holding=sharing.holding | {label, root})
        sharing = replace(sharing, knots=sharing.knots | {label, root})
        if steady or self.holds_arrays(statement, before):
            return self.knotted(replace(sharing, doubled=sharing.doubled | {label}), label, True)
        self.facts.knotted.add(label)
        return self.knotted(replace(sharing, holding=sharing.holding | {label}), label, False)

    def holds_arrays(self, statement: Any, sharing: Sharing) -> bool:
        """Whether what is put into a container is a new one, of which others may have only the arrays in it."""
        node, environment = statement.value, self.facts.before[statement]
        if not isinstance(node, gast.Name):
            return makes_container(node, self.facts) and self.apart.holds_new(
                node, self.facts.in_place[statement][1], environment)
        if node.id not in environment:  # nor anywhere else: this raises
            return False
        version = environment[node.id]
        return written_name(statement) not in sharing.with_box(node.id) and all(
            made in self.apart.unpacked or made in self.apart.made and makes_container(
                self.apart.made[made][1], self.facts)
            for made in origins(version)) and self.apart.holds(version)

    def knotted(self, sharing: Sharing, label: str, steady: bool) -> Sharing:
        """An array (``steady``), or a container, may be in two places of the object that a name is a part of."""
        root = [label, *self.around(label)][-1]
        if steady:
            self.facts.doubled.add(root)
            return replace(sharing, doubled=sharing.doubled | {root})
        self.facts.knotted.add(root)
        return replace(sharing, holding=sharing.holding | {root})

    def holds(self, label: str, sources: set[Version]) -> bool:
        """Note the arguments whose memory goes into an object; whether one of them may have been there before."""
        root = self.program.inner.get(label, (label,))[0]
        found = {version.name for source in sources for version in self.made_of(source, object)
                 if version.origin == "parameter" and version.name != root}
        held = self.facts.holds.setdefault(root, set())
        again = not found.isdisjoint(held)
        held |= found
        return again

    def bind(self, statement: Any, flows: list[Flow], sharing: Sharing) -> Sharing:
        bound = {flow.label for flow in flows}
        reach = {flow.label: self.without_others(flow.label, statement, flow.partners(
            flow.sources, sharing.with_name)) for flow in flows}
        boxes = {} if self.makes_box(statement) else {
            flow.label: flow.partners(self.containers(statement, flow.boxes), sharing.with_box) for flow in flows}
        visible = {flow.label for flow in flows if flow.seen == "visible"}
        holding = {flow.label for flow in flows if flow.seen == "holding"}
        doubled = {flow.label for flow in flows
                   if flow.seen == "doubled" or not sharing.doubled.isdisjoint(flow.sources)}
        knots = {flow.label for flow in flows if not sharing.knots.isdisjoint(flow.sources)}
        if isinstance(statement, Assign) and self.is_tangled(statement.value, statement, sharing):
            knots |= bound
            if not isinstance(statement.value, (gast.Tuple, gast.List)):  # each may be bound to what another is
                beside = bound_beside(statement, bound, self.facts)
                reach = {label: others | beside[label] if self.binds_memory(statement, label) else others
                         for label, others in reach.items()}
                inside = bound - {flow.label for flow in flows if self.binds_steady(statement, flow.label)}
                boxes.update({label: boxes.get(label, set()) | inside & beside[label] for label in inside})
        pairs = sharing.pairs.rebound(bound, reach)
        if len(bound) > 1:
            pairs = pairs.without(lambda one, other: other in bound and self.are_others(statement, one, other), bound)
        return Sharing(
            self.of_one_order(pairs, bound), self.of_one_order(sharing.boxes.rebound(bound, boxes), bound),
            frozenset(sharing.visible - bound | visible), frozenset(sharing.holding - bound | holding),
            frozenset(sharing.doubled - bound | doubled), frozenset(sharing.knots - bound | knots))

    # ---- writes

    def after_call(self, statement: Assign, sharing: Sharing) -> Sharing:
        """The objects in which a call stores something hold what it gets besides, from here on."""
        called = self.facts.calls[id(statement.value)]
        for parameter, label in called.written.items():
            facts = called.derivative.facts
            if parameter not in facts.stored or (statement, label) not in self.facts.in_place:  # it always raises
                continue
            others = [node for node in put_by(called, parameter) if node is not None]
            sources = {source for node in others for source in shared(node, self.facts, self.facts.before[statement])}
            self.links.setdefault(self.facts.in_place[statement, label][1], set()).update(sources)
            self.holds(label, sources)
            labels = {source.name for source in sources}
            reach = set().union(*map(sharing.with_name, labels))
            boxes = set().union(*map(sharing.with_box, self.containers(statement, labels)))
            twice = label in reach or not labels.isdisjoint(sharing.visible | sharing.holding) \
                or len(others) > 1 and self.meet(others, statement, sharing)
            steady = all(is_steady(self.facts.values.get(id(node))) for node in others)
            knotted = parameter in facts.knotted or twice and not steady
            sharing = replace(
                sharing, pairs=self.crossed(sharing.pairs, sharing.with_name(label), reach - {label}),
                boxes=self.crossed(sharing.boxes, sharing.with_box(label), boxes - {label}),
                holding=sharing.holding | {label} if knotted else sharing.holding,
                knots=sharing.knots | {label} if knotted else sharing.knots)
            if knotted:
                self.facts.knotted.add(label)
                sharing = self.knotted(sharing, label, False)
            elif parameter in facts.doubled or twice:
                sharing = self.knotted(sharing, label, True)
        return sharing


def note_elsewhere(changes: dict[frozenset[Version], int], memory: set[Version], old: Version, new: Version) -> None:
    """Note a change of this memory, of which other names than the one that it is changed by may be names, too."""
    others = frozenset([version for version in memory if version.name != old.name])
    changes[others] = max(new.index, changes.get(others, 0))
