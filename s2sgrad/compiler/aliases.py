"""Program x Facts -> which names may share memory, and whether every write is one that cotangents kept by name survive.

Two names that may share memory are no harm as long as nothing is written through one of them while the other is still
to be read: the reversal then finds the cotangent of each value under the name that the value had. A swap renames, a
join keeps what either way allows. Arrays that are arguments may be written into, for the caller sees to it, at each
call, that they share memory with nothing else (``facts.written``); what other code has besides may not.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import gast

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.apart import Apart
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.equivalents import ITERATORS
from s2sgrad.compiler.facts import (
    CONTENTS,
    Called,
    Facts,
    Version,
    is_array,
    is_array_value,
    made_from,
    open_path,
    origins,
    same_array,
)
from s2sgrad.compiler.holding import Holding
from s2sgrad.compiler.liveness import Reads
from s2sgrad.compiler.objects import found_in
from s2sgrad.compiler.own_arrays import Origin, OwnArrays
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
    Pattern,
    Program,
    Remove,
    Rest,
    Store,
    expressions_in,
    holder,
    name,
    names_in,
    pattern_names,
    read_names,
    root,
    statements,
    walk,
    written_name,
)
from s2sgrad.compiler.respell import can_be_spelled, views_in
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names
from s2sgrad.compiler.sharing import (
    comes_from_outside,
    gives_tuple,
    handed_through,
    holds_memory,
    items_meet,
    makes_container,
    put_by,
    shared,
    whole_parts,
)
from s2sgrad.compiler.tested import are_apart
from s2sgrad.compiler.unparse import BINARY
from s2sgrad.errors import UnsupportedError, place_of
from s2sgrad.rules.abstract import MISSING, Items, Known, Numeric, Opaque, is_key, items_of, known_value, may_hold


class SharesMemory(UnsupportedError):
    """What some names stand for may be one array, or in one container, and is written into."""

    labels: frozenset[str] = frozenset()
    """These names, as far as they are known."""


class NeedsPlaces(SharesMemory):
    """Two names may stand for one container, of which it is told apart only what is written out as a place; or one
    of the names ``parts`` stands for something in a container."""

    parts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Sharing:
    """What may share memory at a point: pairs of names, and the names of what code may have that nobody checks."""

    pairs: frozenset[frozenset[str]] = frozenset()
    visible: frozenset[str] = frozenset()
    holding: frozenset[str] = frozenset()
    """Names of containers that the function made itself, but of what the caller can see."""
    boxes: frozenset[frozenset[str]] = frozenset()
    """Pairs of names of which one may be the other's container, or hold it: both see what is put into it."""
    doubled: frozenset[str] = frozenset()
    """Names of objects in which an array may be in two places."""
    knots: frozenset[str] = frozenset()
    """Names of containers in which something may be in two places, or what the function has from elsewhere than its
    arguments."""

    def with_name(self, label: str) -> set[str]:
        """The name and those that may share its memory."""
        return with_partners(label, self.pairs)

    def with_box(self, label: str) -> set[str]:
        return with_partners(label, self.boxes)

    def join(self, other: Sharing) -> Sharing:
        return Sharing(self.pairs | other.pairs, self.visible | other.visible, self.holding | other.holding,
                       self.boxes | other.boxes, self.doubled | other.doubled, self.knots | other.knots)


class Flow(NamedTuple):
    """What a name that is bound may get.

    Attributes
    ----------
    sources
        The names whose memory that may be.
    seen
        Whether it is ``"visible"`` to the caller or a container of the function's own ``"holding"`` what is
        (``"doubled"``: arrays at most).
    boxes
        The ``sources`` that it may have a container of.
    taken_out
        It was in a container, and is there no more: what else may be there it shares nothing with.
    """

    label: str
    sources: set[str] = set()
    seen: str = ""
    boxes: set[str] = set()
    taken_out: bool = False

    def partners(self, labels: set[str], of: Callable[[str], set[str]]) -> set[str]:
        """The ``sources``, or those among them, and what these may be."""
        return labels if self.taken_out else set().union(*map(of, labels))


def with_partners(label: str, pairs: frozenset[frozenset[str]]) -> set[str]:
    return {label, *(other for pair in pairs if label in pair for other in pair)}


def crossed(some: set[str], others: set[str]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset((one, other)) for one in some for other in others if one != other)


def paired(bound: set[str], reach: dict[str, set[str]], pairs: frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
    """The pairs once names are bound, each to what all names in its ``reach`` may be: all at once, as in
    ``u, v = v, u``."""
    result = {pair for pair in pairs if bound.isdisjoint(pair)}
    for label, others in reach.items():
        result.update(frozenset((label, other)) for other in others if other not in bound)
        result.update(frozenset((label, second)) for second, theirs in reach.items()
                      if second != label and not others.isdisjoint(theirs))
    return frozenset(result)


def attributes_used(called: Called, parameter: str, around: tuple = ()) -> set[str] | None:
    """The attributes of an object that a function mentions, and those that it calls with the object; None where the
    object may be anything there, and in a recursion. ``around``: the functions on the way to this one."""
    derivative = called.derivative
    if derivative in around or not derivative.settled:
        return None
    calls = derivative.facts.calls
    found: set[str] = set()
    looked_into: set[int] = set()
    for statement in statements(derivative.program.body):
        for part in (part for node in expressions_in(statement) for part in walk(node)):
            inner = calls.get(id(part))
            for label, given in zip(inner.derivative.parameters, inner.arguments) if inner is not None else ():
                if getattr(given, "id", None) == parameter:
                    used = attributes_used(inner, label, (*around, derivative))
                    if used is None:
                        return None
                    found |= used
                    looked_into.add(id(given))
            if isinstance(part, gast.Attribute) and getattr(part.value, "id", None) == parameter:
                found.add(part.attr)
                looked_into.add(id(part.value))
            elif getattr(part, "id", None) == parameter and id(part) not in looked_into:
                return None
    return found


BY_PLACE = "use one name for the object: its place in one list, objects[i].h = v, with a number that tells which"


def copied(label: str, how: str = "{}.copy()") -> str:
    """What to do about a write into what has two names: they are to differ, or are the same thing."""
    return f"write {label} = {how.format(label)} before it, or use one name for both if the other is to change as well"


def check_writes(program: Program, facts: Facts, own: frozenset[str]) -> None:
    """Find out which versions are written into after they were made (``facts.rewritten``), and where arguments are.

    Raises UnsupportedError at a write that another name would see; ``own`` are the names that the user knows.
    """
    changed = any(isinstance(statement, Assign) and statement.writes for statement in statements(program.body))
    if facts.in_place or changed or isinstance(facts.result, Items):
        _Walk(facts, program, own).run()


class _Walk:
    def __init__(self, facts: Facts, program: Program, own: frozenset[str]):
        self.facts = facts
        self.program = program
        self.own = own
        self.read = read_names(program.body).union(*(
            statement.writes for statement in statements(program.body) if isinstance(statement, Assign)))
        """The names that are read anywhere, or bound to another container in place of a change of the one that they
        stand for: what others stand for nobody sees."""
        self.read_after: dict[Any, frozenset[str]] = {}
        self.links: dict[Version, set[Version]] = {}
        self.traced: dict[Version, Origin | None] = {}
        """For arrays in containers that got names what they may be, as far as that was asked."""
        self.leaving: list[dict[str, Sharing | None]] = []
        self.objects: set[str] = set()
        """The arguments that are objects into which something is stored."""
        self.taken_out: set[int] = set()
        """The expressions for items of containers whose places something else takes at once."""
        self.midway: list[Sharing] = []
        """For each ``try`` block that is being walked through, what it met until here."""
        self.run_over: list[list[tuple[str, Any]]] = []
        """For each loop around, the names of the containers over which it runs, or that hold them, with these."""

    def run(self) -> None:
        Reads(self.facts, self.read_after).block(self.program.body, frozenset())
        # what containers hold may be the same array twice
        containers = frozenset(label for label, version in self.facts.parameters.items()
                               if is_memory(version) and not isinstance(version.value, Numeric))
        self.objects = {label for label in containers if any(
            old.name == label and self.is_given(old) for old, _ in self.facts.in_place.values())}
        checked = containers - self.objects
        pairs = self.of_one_order(crossed(checked, checked))
        self.block(self.program.body, Sharing(pairs, containers, boxes=pairs))
        for statement, (old, _) in self.facts.in_place.items():
            location = (statement[0] if isinstance(statement, tuple) else statement).location
            root, prefix = self.program.inner.get(old.name, ("", ()))
            if isinstance(old.value, Items) and root in self.objects:
                self.facts.stored.setdefault(root, set()).update(
                    place if place is None else (*prefix, *place) for place in self.places(statement))
            if isinstance(old.value, Items):
                self.facts.reshaped |= self.made_of(old, (Items, Opaque))
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
            for version in arrays:
                if version.origin == "parameter" and is_memory(version):
                    self.facts.written.setdefault(version.name, location)
                    if version.name in self.objects:
                        self.facts.stored.setdefault(version.name, set()).add(None)
                        self.facts.inside.setdefault(version.name, set()).update(
                            self.arrays_inside(statement, old, version.name))
                    elif version.name != old.name or self.is_lost(statement):
                        self.facts.hidden.add(version.name)
        self.find_contiguous()

    def is_lost(self, statement: Any) -> bool:
        """Whether what a name stands for that comes with a call is not known after it."""
        called = self.facts.call_of(statement[0].value) if isinstance(statement, tuple) else None
        return called is not None and any(label == statement[1] and called.derivative.facts.is_lost(parameter)
                                          for parameter, label in called.written.items())

    def of_one_order(self, pairs: frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
        """Those of some pairs of names that may share memory: a value and a tangent do not."""
        orders = self.program.orders
        return frozenset(pair for pair in pairs if len({orders[label] for label in pair if label in orders}) < 2) \
            if orders else pairs

    def arrays_inside(self, statement: Any, old: Version, parameter: str) -> set:
        """Where in an object that a parameter is the arrays are that a statement writes into, as it was given; None
        among the places where that is not known of one."""
        places = {()} if isinstance(old.value, Numeric) else self.inside_call(statement)
        found = [None if place is None else self.own_arrays.part_of(old, place) for place in places]
        return {None} if None in found else {
            path for origin in found for version, path in origin.given  # type: ignore[union-attr]
            if version.name == parameter}

    def inside_call(self, statement: Any) -> set:
        """The same of the object under the name with which a statement that is a call comes."""
        called = self.facts.call_of(statement[0].value) if isinstance(statement, tuple) else None
        return {None} if called is None else set().union(*(
            called.derivative.facts.inside.get(parameter, {None}) for parameter, label in called.written.items()
            if label == statement[1] and None in called.derivative.facts.stored.get(parameter, {None})))

    def own_inside(self, statement: Any, old: Version) -> list[Origin] | None:
        """What the arrays in an object may be that a call writes into; None where not all of them are the function's
        own, or in arguments of which the caller sees to it that nothing in them is anything else."""
        if not isinstance(old.value, Items):
            return None
        places = self.inside_call(statement)
        if None in places:
            return None
        found = [self.own_arrays.part_of(old, place) for place in places]
        return None if any(own is None or any(version.name not in self.objects for version, _ in own.given)
                           for own in found) else found  # type: ignore[return-value]

    def each_once(self, statement: Any, old: Version) -> bool:
        """Whether each of the arrays in an object that a call writes into is in one place only, of the object and of
        what that is in."""
        whole, path = self.program.inner.get(old.name, (old.name, ()))
        written = {(*path, *place) for place in self.inside_call(statement)} if self.own_inside(
            statement, old) is not None else {(CONTENTS,)}
        if whole in self.program.inner or any(CONTENTS in place for place in written):
            return False
        around = self.facts.before[statement[0]][whole]
        places = list(array_places(around.value))
        found = {place: None if place is None else self.own_arrays.part_of(around, place)
                 for place in (*places, *written)}
        return None not in found.values() and all(
            place == other or not found[place].meets(found[other])  # type: ignore[union-attr,arg-type]
            for place in written for other in places)

    def find_contiguous(self) -> None:
        """The arguments that must be contiguous, for something is written through what is a view of them only then."""
        facts = self.facts
        through = [(statement.target, statement.location) for statement in facts.in_place
                   if isinstance(statement, (Store, Augment))]
        through += [(view, place_of(view, self.program.location)) for view in facts.respelled.values()]
        for node, location in through:
            for part in gast.walk(node):
                facts.contiguous.update(dict.fromkeys(facts.flattened.get(id(part), ()), location))
    def is_given(self, version: Version) -> bool:
        """Whether a version is a container that an argument is, under its own name, after whatever was stored in it."""
        first = self.facts.parameters.get(version.name)
        return first is not None and isinstance(first.value, Items) and same_array(first, version)

    def places(self, statement: Any) -> set[tuple]:
        """Where in its container a statement stores something."""
        if not isinstance(statement, tuple):
            if statement in self.facts.places:
                return {self.facts.places[statement]}
            if statement not in self.facts.in_place or not isinstance(self.facts.in_place[statement][0].value, Items):
                return set()
            if isinstance(statement, (Store, Augment)) and not isinstance(statement.target, gast.Name):
                return {open_path(statement.target, self.facts)}
            whole = statement.target if isinstance(statement, (Append, Augment)) else statement.value.func.value
            return {(*open_path(whole, self.facts), CONTENTS)}
        called = self.facts.call_of(statement[0].value)
        return set() if called is None else set().union(*(
            called.derivative.facts.stored.get(parameter, ()) for parameter, label in called.written.items()
            if label == statement[1]))

    def made_of(self, version: Version, kinds: Any) -> set[Version]:
        """A version and those that it was made of."""
        found: set[Version] = set()
        pending = [version]
        while pending:
            version = pending.pop()
            if version not in found and isinstance(version.value, kinds):
                found.add(version)
                pending.extend((*version.sources, *self.links.get(version, ())))
        return found

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
                remedy = copied(label)
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
                    raise self.named(SharesMemory(
                        f"{self.as_written(label)} may hold {what} that this line writes into in more than one place, "
                        "or one that the caller has too", f"put a new {new} into each place, a copy for example",
                        statement.location), {label})
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
        head = sharing
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
                return joined(head, broken)
            head = grown

    def containers_in(self, node: Any) -> Iterator[tuple[str, Any]]:
        """The names of the containers, or of what holds them, of which an iterable asks for the next item in each turn,
        and their values: ``xs`` and ``d`` of ``zip(xs, enumerate(d["rows"]))``, none of ``list(xs)`` and ``xs[1:]``."""
        if isinstance(node, gast.Call) and known_value(self.facts.value(node.func)) in (iter, *ITERATORS):
            for part in node.args:
                yield from self.containers_in(part)
        elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in (
                "items", "keys", "values"):
            yield from self.containers_in(node.func.value)
        elif not (isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice)):
            label = holder(node)
            if label is not None:
                yield label, self.facts.value(node)

    def flows(self, statement: Any, pattern: Pattern, node: gast.AST, sharing: Sharing) -> Iterator[Flow]:
        """What each name that is bound may get."""
        if isinstance(pattern, tuple) and isinstance(node, (gast.Tuple, gast.List)) and isinstance(statement, Assign) \
                and len(node.elts) == len(pattern) and not any(isinstance(part, Rest) for part in pattern):
            for part, item in zip(pattern, node.elts):
                yield from self.flows(statement, part, item, sharing)
            return
        if isinstance(statement, Loop) and self.runs_over_each(pattern, node):
            for part, item in zip(pattern, node.args):  # type: ignore[attr-defined]
                yield from self.flows(statement, part, item, sharing)
            return
        called = self.facts.callee_of(node)
        if isinstance(pattern, tuple) and isinstance(statement, Assign) and called is not None \
                and gives_tuple(called, len(pattern)) and not any(isinstance(part, Rest) for part in pattern):
            for place, part in enumerate(pattern):
                yield from self.flows_of(statement, part, node, sharing, place)
            return
        yield from self.flows_of(statement, pattern, node, sharing)

    def flows_of(self, statement: Any, pattern: Pattern, node: gast.AST, sharing: Sharing, place: int | None = None
                 ) -> Iterator[Flow]:
        """The same where a pattern is bound to what one expression gives, or to the item in a ``place`` of that."""
        sources = shared(node, self.facts, self.facts.before[statement], place=place)
        for label in pattern_names(pattern):
            version = self.facts.defined.get((statement, label))
            if version is None or not is_memory(version) or label not in self.read:
                yield Flow(label)
                continue
            own = self.own_array(version, node, statement)
            self.links.setdefault(version, set()).update(sources if own is None else own.arrays)
            labels = {source.name for source in sources if source.origin != "captured"}
            taken_out = id(node) in self.facts.popped | self.taken_out and self.is_apart(node, statement)
            if taken_out:
                # it is in there no more
                inside = {part for part in labels if part == root(container_of(node))}
                labels = set().union(*map(sharing.with_name, labels), *map(sharing.with_box, labels)) - inside
                labels -= {label} if isinstance(pattern, str) else set()  # whatever that is, the name is another's now
            if taken_out:
                seen = ""
            elif isinstance(node, gast.Name) and isinstance(statement, Assign) and node.id in labels:
                seen = "visible" if node.id in sharing.visible else "holding" if node.id in sharing.holding else ""
            else:
                lent = sharing.doubled if is_steady(version.value) else frozenset[str]()
                seen = "visible" if not labels.isdisjoint(sharing.visible | sharing.holding | lent) \
                    or comes_from_outside(node, self.facts, sources, place) or own is None and self.is_in_argument(
                        node, sources, label in self.program.inner and not is_steady(version.value)) else ""
                if seen and makes_container(node, self.facts) or not seen and self.is_tangled(node, statement, sharing):
                    new = isinstance(statement, Assign) and (
                        self.apart.gives_new_part(*self.apart.unpacked[version]) if version in self.apart.unpacked
                        else self.apart.holds_new(node, version, self.facts.before[statement]))
                    seen = "doubled" if new else "holding"
            boxes = set() if is_steady(version.value) else labels - self.arrays_of(node, statement, sources, place)
            yield Flow(label, labels, seen, boxes, taken_out)

    def runs_over_each(self, pattern: Pattern, node: Any) -> bool:
        """Whether each part of a loop's target is an item of one of several iterables: ``for u, v in zip(us, vs)``."""
        return isinstance(pattern, tuple) and isinstance(node, gast.Call) and len(pattern) == len(node.args) \
            and known_value(self.facts.values.get(id(node.func), Opaque())) is zip and not any(
                isinstance(part, (Rest, gast.Starred)) for part in (*pattern, *node.args))

    def arrays_of(self, node: gast.AST, statement: Any, sources: set[Version], place: int | None = None) -> set[str]:
        """The names of those whose memory an expression's value may be of which it has arrays at most."""
        boxes = shared(node, self.facts, self.facts.before[statement], True, place) if sources else set()
        return {source.name for source in sources} - {source.name for source in boxes}

    def own_array(self, version: Version, node: gast.AST, statement: Any) -> Origin | None:
        """What an array in a container that gets a name may be, if the function made all of these itself."""
        if not isinstance(version.value, Numeric) or not self.facts.is_place(node) or not isinstance(statement, Assign):
            return None
        if version not in self.traced:
            found = self.own_arrays.of(node, self.facts.before[statement])
            self.traced[version] = None if found is None or found.given else found
        return self.traced[version]

    def stands_alone(self, place: Any, environment: dict) -> bool:
        """Whether the array in a place of a container is the function's own, and no other part is the same one."""
        own = self.own_arrays.of(place, environment)
        whole = environment[holder(place)]
        path = open_path(place, self.facts)
        others = [step for step in whole.value.steps if step != path[0]] if len(path) == 1 else None
        if own is None or own.given or others is None or CONTENTS in path:
            return False
        found = [self.own_arrays.part_of(whole, (step,)) for step in others]
        return all(origin is not None and not origin.meets(own) for origin in found)

    @functools.cached_property
    def own_arrays(self) -> OwnArrays:
        return OwnArrays(self.program, self.facts, self.arrays_apart)

    def is_in_argument(self, node: gast.AST, sources: set[Version], container: bool) -> bool:
        """Whether an attribute may be of an object that an argument is, or went into; ``container``: it is known to be
        a list or dict, and so no array."""
        return isinstance(node, gast.Attribute) and any(
            version.origin == "parameter" and not (container and is_steady(version.value))
            for source in sources for version in self.made_of(source, object))

    def is_tangled(self, node: gast.AST, statement: Any, sharing: Sharing) -> bool:
        """Whether an array may be in what an expression makes twice."""
        return isinstance(self.facts.values.get(id(node)), Items) and any(
            self.makes_tangle(part, statement, sharing) for part in whole_parts(node, self.facts))

    def makes_tangle(self, node: gast.AST, statement: Any, sharing: Sharing) -> bool:
        """The same of an expression whose parts are looked at each for itself."""
        if not isinstance(self.facts.values.get(id(node)), Items):
            return False
        if isinstance(node, COMPREHENSIONS):
            return self.repeats(node, statement)
        called = self.facts.callees.get(id(node))
        given = handed_through(called) if called is not None else []
        parts = self.facts.displays.get(id(node)) or (called.arguments if given is None else given)
        if isinstance(node, (gast.Tuple, gast.List)):
            parts = node.elts
        elif isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):  # [v] * 2
            return holds_memory(self.facts.values[id(node)])
        if self.meet(parts, statement, sharing):
            return True
        return called is not None and called.derivative.program.gives_back is None and (
            not called.derivative.settled or called.derivative.facts.tangled)

    def repeats(self, node: Any, statement: Any) -> bool:
        """Whether a comprehension may put an array or container into several of its items: one that has a name
        outside, or that of a variable around the innermost loop."""
        part = node.value if isinstance(node, gast.DictComp) else node.elt
        for generator in reversed(node.generators):
            inside = {label for inner in walk(part) if isinstance(inner, COMPREHENSIONS)
                      for label in bound_names(inner)}
            found = {inner.id for inner in whole_parts(part, self.facts) if isinstance(inner, gast.Name)
                     and not self.stays_constant(inner, statement)} - inside
            if not found <= {*bound_names(generator.target)}:
                return True
            if not found:
                break
            part = generator.iter
        return False

    def stays_constant(self, node: gast.Name, statement: Any) -> bool:
        """Whether what a name stands for is nothing to be written into, or holds numbers that are not differentiated
        and that nothing else takes the place of in what a statement binds."""
        value = self.facts.values.get(id(node), Opaque())
        return is_steady_number(value) or isinstance(statement, Assign) and is_of_numbers(value) and all(
            self.apart.stays_constant(value, label) for label in pattern_names(statement.target))

    def meet(self, parts: list, statement: Any, sharing: Sharing) -> bool:
        """Whether two expressions may share memory."""
        seen: set[str] = set()
        for part in parts:
            sources = set() if part is None else shared(part, self.facts, self.facts.before[statement])
            reach = set().union(*(sharing.with_name(source.name) for source in sources))
            if not seen.isdisjoint(reach):
                return True
            seen |= reach
        return False

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
        pairs = self.of_one_order(crossed(sharing.with_name(label), reach))
        steady = is_steady(self.facts.values.get(id(statement.value)))
        inner = set() if steady else self.containers(statement, labels) - self.arrays_of(
            statement.value, statement, sources)
        twice = label in set().union(*map(sharing.with_name, labels))
        held = set().union(*map(sharing.with_box, inner)) - {label}
        boxes = self.of_one_order(crossed(sharing.with_box(label), held))
        seen = not labels.isdisjoint(sharing.visible | sharing.holding) or comes_from_outside(
            statement.value, self.facts, sources)
        tangled = self.is_tangled(statement.value, statement, sharing) or not labels.isdisjoint(
            sharing.knots | sharing.doubled)
        before, sharing = sharing, replace(sharing, pairs=sharing.pairs | pairs, boxes=sharing.boxes | boxes)
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
                beside = self.beside(statement, bound)
                reach = {label: others | beside[label] if self.binds_memory(statement, label) else others
                         for label, others in reach.items()}
                inside = bound - {flow.label for flow in flows if self.binds_steady(statement, flow.label)}
                boxes.update({label: boxes.get(label, set()) | inside & beside[label] for label in inside})
        pairs = frozenset(pair for pair in paired(bound, reach, sharing.pairs) if not self.are_others(statement, pair))
        return Sharing(self.of_one_order(pairs), frozenset(sharing.visible - bound | visible), frozenset(
            sharing.holding - bound | holding), self.of_one_order(paired(bound, boxes, sharing.boxes)),
                       frozenset(sharing.doubled - bound | doubled), frozenset(sharing.knots - bound | knots))

    def beside(self, statement: Assign, bound: set[str]) -> dict[str, set[str]]:
        """For each of the names that are bound together to what may be in it twice, which others may be the same: of
        the items of the tuple that a call gives, those that may share memory."""
        called = self.facts.callee_of(statement.value)
        target = statement.target if isinstance(statement.target, tuple) else ()
        names = [part for part in target if isinstance(part, str)]
        if called is None or len(names) < len(target) or not gives_tuple(called, len(names)):
            return dict.fromkeys(bound, bound)
        return {label: {other for place, other in enumerate(names) if label == other or items_meet(
            called, names.index(label), place)} for label in bound}

    def binds_memory(self, statement: Any, label: str) -> bool:
        """Whether a statement binds a name to what can be written into."""
        version = self.facts.defined.get((statement, label))
        return version is not None and is_memory(version)

    def without_others(self, label: str, statement: Any, reach: set[str]) -> set[str]:
        """Without the arrays that what a name is bound to is known not to be."""
        own = self.traced.get(self.facts.defined.get((statement, label)))  # type: ignore[arg-type]
        if own is None:
            return reach
        return {other for other in reach if self.may_be_one(other, [own], statement)}

    def may_be_one(self, label: str, own: list[Origin], statement: Any) -> bool:
        """Whether a name may stand for one of some arrays, or for what holds it."""
        environment = self.facts.before[statement]
        version = environment.get(label)
        origin = self.own_arrays.of(name(label), environment) if version is not None and isinstance(
            version.value, Numeric) else None
        return origin is None or any(map(origin.meets, own))

    def are_others(self, statement: Any, pair: frozenset[str]) -> bool:
        """Whether two names that are bound together are known to be bound to arrays that are not the same."""
        found = [self.traced.get(self.facts.defined.get((statement, label))) for label in pair]  # type: ignore[arg-type]
        return len(found) == 2 and None not in found and not found[0].meets(found[1])  # type: ignore[union-attr,arg-type]

    def makes_box(self, statement: Any) -> bool:
        """Whether a statement binds a new container that holds no other, only numbers and arrays."""
        if not isinstance(statement, Assign) or not isinstance(statement.target, str) \
                or not makes_container(statement.value, self.facts):
            return False
        value = self.facts.values[id(statement.value)]
        items = value.items if isinstance(value, Items) and value.items is not None else [getattr(
            value, "element", value)]
        return all(map(is_steady, items))

    def containers(self, statement: Any, labels: set[str]) -> set[str]:
        return {label for label in labels if not self.stands_steady(label, statement)}

    def binds_steady(self, statement: Any, label: str) -> bool:
        version = self.facts.defined.get((statement, label))
        return version is not None and is_steady(version.value)

    # ---- writes

    def stands_steady(self, label: str, statement: Any) -> bool:
        """Whether a name stands for what doesn't change with a container that holds it."""
        version = self.facts.before[statement].get(label)
        return version is not None and is_steady(version.value)

    def check_call(self, statement: Assign, sharing: Sharing) -> None:
        """The arrays that a call writes into must share memory with nothing else that it gets."""
        called = self.facts.calls[id(statement.value)]
        for parameter, label in called.written.items():
            remedy = BY_PLACE if parameter in called.derivative.facts.stored else copied(label)
            self.check(statement, label, remedy, sharing)
            self.check_lost(statement, called, parameter, label)
            rebinds = None not in called.derivative.facts.stored.get(parameter, {None})
            for other, node in zip(called.derivative.parameters, called.arguments):
                if other == parameter or node is None or rebinds and self.holds_no_other(node):
                    continue
                sources = shared(node, self.facts, self.facts.before[statement])
                met = sharing.with_name(label) & {source.name for source in sources}
                own = self.own_inside((statement, label), self.facts.before[statement][label]) if met else None
                if own is not None and isinstance(self.facts.values[id(node)], Numeric):
                    met = {other for other in met if self.may_be_one(other, own, statement)}
                if met and not self.lie_apart(label, node, statement) and not self.leaves_alone(
                        called, other, node, label, sharing):
                    if self.can_be_tested(label, node, statement):
                        self.facts.tests.setdefault(statement, {})[label, id(node)] = node
                        continue
                    raise UnsupportedError(f"{min(met)} may share memory with {self.as_written(label)}, into which "
                                           "this call writes, and is given to it too", "give it a copy of one",
                                           statement.location)

    def check_lost(self, statement: Assign, called: Called, parameter: str, label: str) -> None:
        """What a function leaves in an array that it writes into must be known, if that is read afterwards: also where
        an object has the array, or whoever calls this function."""
        if not called.derivative.facts.is_lost(parameter) or label in pattern_names(statement.target):
            return
        if label in self.read_after[statement] or label in self.program.inner:
            name = called.derivative.name
            raise UnsupportedError(
                f"{name} writes into {parameter} under another name, or binds {parameter} anew, and "
                f"{self.as_written(label)}, which it gets, is read after this call",
                f"let {parameter} be the name of that array throughout {name}",
                place_of(statement.value, statement.location))

    def holds_no_other(self, node: gast.AST) -> bool:
        """Whether what an expression gives is a number, an array, or a new container of these: nothing that changes
        where something else is put into another container."""
        value = self.facts.values[id(node)]
        return isinstance(value, Numeric) or isinstance(value, Items) and makes_container(node, self.facts) \
            and all(map(is_steady, items_of(value)))

    def lie_apart(self, label: str, node: gast.AST, statement: Assign) -> bool:
        """Whether an array in a container that got a name, and another part of that container, are not the same; nor
        two views of one array."""
        if statement.apart:
            return True
        view = self.facts.before[statement][label].view
        if view is not None and view.holds(self.facts.before[statement]) and are_apart(view.node, node):
            return True
        whole, path = self.program.inner.get(label, ("", ()))
        version = self.facts.before[statement].get(whole)
        return version is not None and holder(node) == whole and any(
            CONTENTS not in (step, other) and step != other for step, other in zip(path, open_path(node, self.facts))
        ) and self.arrays_apart.holds(version)

    def leaves_alone(self, called: Called, parameter: str, node: gast.AST, label: str, sharing: Sharing) -> bool:
        """Whether what a function does with an object has nothing to do with the array under a name, which is in an
        attribute of it that the function does not mention, and in no other: ``self.smooth(self.u)``."""
        whole, path = self.program.inner.get(label, ("", ()))
        alone = getattr(node, "id", None) == whole and whole not in sharing.doubled
        used = attributes_used(called, parameter) if alone else None
        return used is not None and isinstance(path[0], str) and path[0] not in used

    def remedy(self, label: str, otherwise: str, statement: Any) -> str:
        """What the user can do about a write: through a view no copy would do."""
        version = self.facts.before[statement][label]
        base = next((view.base.name for view in views_in(version) if not view.whole), None)
        if base is None or base not in self.own:
            return otherwise.replace(label, self.as_written(label))
        return f"hand on {base} and an index" if isinstance(statement, Assign) else \
            f"write into {base} itself, by an index"

    def can_be_tested(self, label: str, node: gast.AST, statement: Assign) -> bool:
        """Whether two arrays of which a call gets both are parts of others, which a test before it may tell apart."""
        environment = self.facts.before[statement]
        view = environment[label].view
        other = environment[node.id].view if isinstance(node, gast.Name) and node.id in environment else None
        return (view is not None and not view.whole or label in self.program.inner) and is_array(
            environment[label]) and is_array_value(self.facts.values[id(node)]) and (
            self.facts.is_place(node) or other is not None and not other.whole)

    def is_own(self, statement: Any, label: str, old: Version, sharing: Sharing) -> bool:
        """Whether what is written into is the object of an argument, or an array in it, of which the caller sees to it
        that it is nothing else; nothing of others has been put into it since, as far as that is written into."""
        places = self.places((statement, label) if isinstance(statement, Assign) else statement)
        if label not in self.objects:
            label = ["", *self.around(label)][-1] or getattr(statement, "paired", "")
            doubled = (is_steady(old.value) or None in places) and label in sharing.doubled
            return label in self.objects and label not in sharing.holding and not doubled and self.is_given(
                self.facts.before[statement][label])
        shallow = all(place is not None and len(place) == 1 for place in places)
        return self.is_given(old) and (shallow or label not in sharing.holding) and not (
            None in places and label in sharing.doubled)

    def after_call(self, statement: Assign, sharing: Sharing) -> Sharing:
        """The objects in which a call stores something hold what it gets besides, from here on."""
        called = self.facts.calls[id(statement.value)]
        for parameter, label in called.written.items():
            facts = called.derivative.facts
            if parameter not in facts.stored:
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
                sharing, pairs=sharing.pairs | self.of_one_order(crossed(sharing.with_name(label), reach - {label})),
                boxes=sharing.boxes | self.of_one_order(crossed(sharing.with_box(label), boxes - {label})),
                holding=sharing.holding | {label} if knotted else sharing.holding,
                knots=sharing.knots | {label} if knotted else sharing.knots)
            if knotted:
                self.facts.knotted.add(label)
                sharing = self.knotted(sharing, label, False)
            elif parameter in facts.doubled or twice:
                sharing = self.knotted(sharing, label, True)
        return sharing

    def check_changed(self, statement: Assign | Evaluate, sharing: Sharing) -> None:
        """A container that a statement changes, or puts another in the place of, must be seen by nobody else."""
        for label in statement.writes:
            version = self.facts.before[statement].get(label)
            if version is not None and isinstance(version.value, Items):
                self.check(statement, label, copied(label), sharing)
                if statement in self.facts.in_place:
                    self.check_inner(statement, statement.value.func.value)  # type: ignore[attr-defined]

    def check_inner(self, statement: Any, container: gast.AST) -> None:
        """A container that is in another changes: it must not be in a second place there."""
        label = holder(container)
        if isinstance(container, gast.Name) or label is None:
            return
        whole, changed = self.facts.before[statement][label], self.facts.value(container)
        if not self.apart.holds(whole) and not (isinstance(changed, Items) and Apart(
                self.program, self.facts, self.objects, written=changed.kind).holds(whole)):
            raise UnsupportedError(f"{self.as_written(label)} may hold a container that this line writes into in more "
                                   "than one place",
                                   "put a new container into each place, a copy for example", statement.location)

    def changes_itself(self, statement: Any) -> bool:
        """Whether a statement changes the container under a name, not one in it."""
        if isinstance(statement, Append):
            return isinstance(statement.target, gast.Name)
        if isinstance(statement, (Store, Augment)):
            return isinstance(statement.target, gast.Subscript) and isinstance(statement.target.value, gast.Name)
        method = getattr(statement.value, "func", None)
        return statement in self.facts.in_place and isinstance(getattr(method, "value", None), gast.Name)

    def replaces_container(self, statement: Any) -> bool:
        """Whether a store stands for a change of a container that is in another."""
        return isinstance(statement, Store) and statement.replaces and isinstance(
            self.facts.values.get(id(statement.target)), Items)

    def writes_into_item(self, statement: Any) -> bool:
        """Whether a store stands for a change of an array that is in a container: ``xs[0] *= 2.0``."""
        return isinstance(statement, Store) and statement.replaces and not self.replaces_container(statement)

    def writes_into_inner(self, statement: Any) -> bool:
        """Whether a statement changes a container that is in another: ``d["rows"][0] = x``."""
        changed = statement.target if isinstance(statement, Append) else getattr(statement.target, "value", None)
        return isinstance(changed, (gast.Subscript, gast.Attribute)) and isinstance(self.facts.values.get(
            id(changed)), Items)

    @functools.cached_property
    def apart(self) -> Apart:
        return Apart(self.program, self.facts, self.objects)

    def is_taken_out(self, statement: Any, following: Any) -> bool:
        """Whether an item of a container gets a name, and then another takes its place: ``x = xs[i]; xs[i] = y``."""
        if not (isinstance(statement, Assign) and isinstance(following, Store)
                and not following.replaces and isinstance(statement.value, (gast.Subscript, gast.Attribute))
                and same(statement.value, following.target)
                and not has_effect(following.target, self.facts)):  # which may be another place the second time
            return False
        container = self.facts.values.get(id(statement.value.value))
        if following not in self.facts.before or not isinstance(container, Items):
            return False
        if isinstance(statement.value, gast.Attribute) and found_in(
                container.kind, statement.value.attr) is not MISSING:  # what all objects of the class may have
            return False
        stored = {version.name for version in shared(following.value, self.facts, self.facts.before[following])}
        bound = set(pattern_names(statement.target))
        return bound.isdisjoint(names_in(following.target)) and stored.isdisjoint({*bound, holder(following.target)})

    def is_apart(self, node: Any, statement: Any) -> bool:
        """Whether what is popped was in one place only."""
        version = self.facts.before[statement].get(root(container_of(node)))
        return version is not None and self.arrays_apart.holds(version)

    @functools.cached_property
    def arrays_apart(self) -> Apart:
        return Apart(self.program, self.facts, self.objects, arrays=True)

    def check_turns(self, statement: Any, label: str, sharing: Sharing) -> None:
        """A loop must not put another container in the place of the one that it asks for its items."""
        if self.replaces_container(statement):
            changed = self.facts.value(statement.target)
        elif isinstance(statement, Assign) and statement.target == label and statement not in self.facts.in_place \
                and id(statement.value) not in self.facts.calls:
            changed = self.facts.before[statement][label].value
        else:
            return
        names = {label, *sharing.with_box(label)}
        if any(other in names and may_be_same(value, changed) for over in self.run_over for other, value in over):
            raise UnsupportedError(f"this loop changes {self.as_written(label)}, over which it runs",
                                   "run over a copy: list(...)", statement.location)

    def is_cotangent(self, label: str) -> bool:
        """Whether a name is an adjoint's for a cotangent, or for a part of one: that was written so that it writes into
        none of which another name that it reads afterwards has the memory."""
        return [label, *self.around(label)][-1] in self.program.cotangents

    def check(self, statement: Any, label: str, remedy: str, sharing: Sharing) -> None:
        self.check_turns(statement, label, sharing)
        if self.is_cotangent(label):
            return
        old = self.facts.before[statement][label]
        container = isinstance(old.value, Items)
        places = self.places((statement, label) if isinstance(statement, Assign) else statement)
        inside = isinstance(statement, Assign) and None in places
        told_apart = statement in self.facts.in_place and statement not in self.facts.places  # by ``check_inner``
        deep = not told_apart and any(place is None or len(place) > 1 for place in places)
        doubled = None in places and label in sharing.doubled and not (
            inside and self.each_once((statement, label), old))
        if (label in sharing.visible or deep and label in sharing.holding or doubled) and not self.is_own(
                statement, label, old, sharing):
            what = "is" if old is self.facts.parameters.get(label) else "may be"
            kind = "a container" if container else "an array"
            shown = self.as_written(label)
            raise self.named(self.conflict(label, container)(
                f"{shown} {what} {kind} that the caller has too, and this line writes into it",
                self.remedy(label, remedy, statement), statement.location), {label})
        others = sharing.with_name(label)
        if self.replaces_container(statement):
            others = sharing.with_box(label)
        elif container and not getattr(statement, "replaces", False):
            others = {label} if self.changes_itself(statement) and self.apart.is_private(label) else \
                sharing.with_box(label)
        if self.writes_into_item(statement):
            made = self.own_arrays.of(statement.target, self.facts.before[statement])  # an array that is in the place
            others = others if made is None else {
                other for other in others if self.may_be_one(other, [made], statement)}
        elif container and isinstance(statement, (Store, Append)):
            others = {other for other in others if self.may_hold_changed(other, statement)}
        if inside:
            own = self.own_inside((statement, label), old)
            others = others | (sharing.with_name(label) if own is None else {
                other for other in sharing.with_name(label) if self.may_be_one(other, own, statement)})
        # of a view and its array each follows the other
        told = {label, getattr(statement, "paired", ""), *self.around(label)}
        if isinstance(statement, Store) and statement.back:
            told.add(statement.value.id)  # type: ignore[attr-defined]
        read = self.read_after[statement] | self.objects  # the caller reads what it has
        seen = {other for other in (others & read) - told if not self.is_kept(other, statement, container)}
        if isinstance(statement, Append) and self.changes_itself(statement) and label in self.program.kept:
            return  # what a primal saves by turns, which is in no other place before the last of them
        if container and seen and all(place is None or len(place) == 1 for place in places) and not getattr(
                statement, "replaces", False):  # nothing changes but this container, and arrays in it
            seen = {other for other in seen if None in places and other not in self.program.kept
                    or self.may_see(other, label, statement)}
        versions = [self.facts.before[statement].get(other) for other in (label, *seen)]
        views = {version.view for version in versions if version is not None and version.view is not None}
        if not seen:  # a function that calls this one reads the array, too
            views = {view for view in views if isinstance(view.node, (gast.Name, gast.Subscript)) and any(
                version.origin == "parameter" for version in made_from(view.base))}
        names = can_be_spelled(views, self.program, self.facts) if views else {}
        self.facts.respelled.update(names)
        if seen:
            other = min(seen & self.own, default="another value")
            shown = self.as_written(label)
            refusal = self.conflict(label, container or any(
                version is not None and isinstance(version.value, Items) for version in versions))(
                f"{other} may share memory with {shown}, into which this line writes, and is read after it",
                self.remedy(label, remedy, statement), statement.location)
            self.named(refusal, {label, *seen})
            if isinstance(refusal, NeedsPlaces):
                refusal.parts = refusal.labels
            if not names:
                raise refusal
            self.facts.conflict = refusal

    def named(self, refusal: SharesMemory, labels: set[str]) -> SharesMemory:
        """A refusal that knows what it is about."""
        refusal.labels = frozenset(part for each in labels for part in (each, *self.around(each)))
        return refusal

    def is_kept(self, other: str, statement: Any, container: bool) -> bool:
        """Whether a name stands for what a primal saves for its adjoint, of which this line changes nothing that is
        read: an array, or (``container``) a container where arrays and numbers are saved."""
        version = self.facts.before[statement].get(other) if other in self.program.kept else None
        if version is None or not container:
            return version is not None
        turns = isinstance(version.value, Items) and version.value.kind is list
        return is_steady(version.value.any_item if turns else version.value)  # type: ignore[union-attr]

    @functools.cached_property
    def holding(self) -> Holding:
        return Holding(self.program, self.facts)

    def may_see(self, other: str, label: str, statement: Any) -> bool:
        """Whether the container under a name may be, or be in, that which another name stands for."""
        version = self.facts.before[statement].get(other)
        return version is None or self.holding.may_hold(
            version, self.facts.before[statement][label], statement)

    def may_hold_changed(self, other: str, statement: Store | Append) -> bool:
        """Whether the container that a statement changes may be what a name stands for, or in it."""
        target: Any = statement.target
        whole = isinstance(statement, Append) or self.replaces_container(statement)
        changed = self.facts.values.get(id(target if whole else target.value))
        version = self.facts.before[statement].get(other)
        return version is None or not isinstance(changed, Items) or may_hold(version.value, changed.kind)

    def conflict(self, label: str, container: bool) -> type[SharesMemory]:
        return NeedsPlaces if container or label in self.program.inner else SharesMemory

    def around(self, label: str) -> list[str]:
        """The names of what a part is in that got a name, from the inside out."""
        found: list[str] = []
        while label in self.program.inner:
            label = self.program.inner[label][0]
            found.append(label)
        return found

    def as_written(self, label: str) -> str:
        """The user's own words for a name: of a part of an object that got one."""
        if label not in self.program.inner:
            return label
        root, path = self.program.inner[label]
        return self.as_written(root) + "".join(
            "[...]" if step == CONTENTS else f".{step}" if isinstance(step, str) else f"[{step!r}]" for step in path)


def array_places(value: Any) -> Iterator[tuple | None]:
    """Where the arrays in a container are; None among the places where that is not known of one."""
    if isinstance(value, Items) and value.items is not None:
        for step, item in zip(value.steps, value.items):
            yield from (None if place is None else (step, *place) for place in array_places(item))
    elif not is_steady_number(value):
        yield () if isinstance(value, Numeric) else None


def container_of(node: Any) -> gast.AST:
    """``xs`` of ``xs.pop()`` or ``xs[0]``."""
    container: gast.AST = node.func.value if isinstance(node, gast.Call) else node.value
    return container


def may_be_same(first: Any, second: Any) -> bool:
    """Whether two values may be one container: both are of one kind, and other containers are in both or in none."""
    if not isinstance(first, Items) or not isinstance(second, Items):
        return True
    return first.kind is second.kind and isinstance(first.any_item, Items) == isinstance(second.any_item, Items)


def is_memory(version: Version) -> bool:
    return not is_steady_number(version.value)


def is_steady(value: Any) -> bool:
    """Whether nothing can be put into a value, nor into what it holds: numbers, arrays, tuples of these."""
    if isinstance(value, Items) and issubclass(value.kind, tuple):
        return all(map(is_steady, value.items if value.items is not None else [value.element]))
    return isinstance(value, (Numeric, Known)) or is_key(value) or isinstance(
        value, Opaque) and value.besides is not None


def is_steady_number(value: Any) -> bool:
    """Whether a value is a number, a key, or a tuple of such, which nobody can change."""
    if isinstance(value, Items) and issubclass(value.kind, tuple):
        return all(map(is_steady_number, items_of(value)))
    if isinstance(value, Opaque) and value.besides is not None:
        value = value.besides
    return isinstance(value, Known) or isinstance(value, Numeric) and value.is_number or is_key(value)


def is_of_numbers(value: Any) -> bool:
    """Whether a value is such, or a container of such."""
    return is_steady_number(value) or isinstance(value, Items) and all(map(is_of_numbers, items_of(value)))


def joined(first: Sharing | None, second: Sharing | None) -> Sharing | None:
    if first is None or second is None:
        return second if first is None else first
    return first.join(second)
