"""What memory an expression's value may be of, and what names get of it."""
from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import gast

from s2sgrad.compiler.apart import Apart
from s2sgrad.compiler.equivalents import ITERATORS
from s2sgrad.compiler.facts import CONTENTS, Called, Facts, Version, open_path, same_array
from s2sgrad.compiler.flows import Flow, NeedsPlaces, SharesMemory, Sharing
from s2sgrad.compiler.holding import Holding
from s2sgrad.compiler.nodes import holder, root, walk
from s2sgrad.compiler.own_arrays import Origin, OwnArrays
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Loop,
    Pattern,
    Program,
    Rest,
    Store,
    expressions_in,
    pattern_names,
    read_names,
    statements,
)
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names
from s2sgrad.compiler.sharing import (
    comes_from_outside,
    gives_tuple,
    handed_through,
    holds_memory,
    makes_container,
    shared,
    whole_parts,
)
from s2sgrad.rules.abstract import (
    ANY,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    besides_none,
    is_key,
    item_at,
    items_of,
    known_value,
    may_hold,
)


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


class BoundMemory:
    """The part of the walk that knows what is bound to names."""

    def __init__(self, facts: Facts, program: Program, own: frozenset[str], mirrored: bool):
        self.facts = facts
        self.program = program
        self.own = own
        self.mirrored = mirrored
        """Nothing is refused: see ``Options.mirrored``."""
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
        self.heads_before: dict[Loop, tuple[Sharing, Sharing]] = {}
        """What was found before loops, and at the start of their turns, when they were last looked at: where no less is
        found before one in a later turn of the loop around it, its own turns start from there."""
        self.run_over: list[list[tuple[str, Any]]] = []
        """For each loop around, the names of the containers over which it runs, or that hold them, with these."""

    def arrays_inside(self, statement: Any, old: Version, parameter: str) -> set:
        """Where in an object that a parameter is the arrays are that a statement writes into, as it was given; None
        among the places where that is not known of one."""
        places = {()} if besides_none(old.value) is not None else self.inside_call(statement)
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

    def containers_in(self, node: Any) -> Iterator[tuple[str, Any]]:
        """The names of the containers, or of what holds them, of which an iterable asks for the next item in each turn,
        and their values: ``xs`` and ``d`` of ``zip(xs, enumerate(d["rows"]))``, none of ``list(xs)`` and ``xs[1:]``."""
        method = node.func if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) else None
        if method is not None and method.attr in ("items", "keys", "values"):
            yield from self.containers_in(method.value)
        elif method is not None and method.attr == "get":
            yield from ((label, self.facts.value(node)) for label, _ in self.containers_in(method.value))
        elif isinstance(node, gast.Call) and known_value(self.facts.value(node.func)) in (iter, *ITERATORS):
            for part in node.args:
                yield from self.containers_in(part)
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
            own = self.own_memory(version, node, statement)
            array = isinstance(version.value, Numeric)
            self.links.setdefault(version, set()).update(own.arrays if own is not None and array else sources)
            labels = {source.name for source in sources if source.origin != "captured"}
            taken_out = id(node) in self.facts.popped | self.taken_out and self.is_apart(node, statement)
            if taken_out:
                # it is in there no more
                inside = {part for part in labels if part == root(container_of(node))}
                labels = set().union(*map(sharing.with_name, labels), *map(sharing.with_box, labels)) - inside
                labels -= {label} if isinstance(pattern, str) else set()  # whatever that is, the name is another's now
            alone = own is not None and labels.isdisjoint(sharing.knots | sharing.doubled)
            if taken_out or alone and array:
                seen = ""
            elif isinstance(node, gast.Name) and isinstance(pattern, str) and isinstance(statement, Assign) \
                    and node.id in labels:
                seen = "visible" if node.id in sharing.visible else "holding" if node.id in sharing.holding else ""
            else:
                lent = sharing.doubled if is_steady(version.value) else frozenset[str]()
                seen = "visible" if not labels.isdisjoint(sharing.visible | sharing.holding | lent) \
                    or comes_from_outside(node, self.facts, sources, place) or own is None and self.is_in_argument(
                        node, sources, label in self.program.inner and not is_steady(version.value)) else ""
                made = not array and (alone or own is not None and self.is_unpacked_state(version)
                                      or self.binds_container(statement, pattern, node, label))
                if seen and made or not seen and self.is_tangled(node, statement, sharing):
                    new = isinstance(statement, Assign) and (
                        self.apart.gives_new_part(*self.apart.unpacked[version]) if version in self.apart.unpacked
                        else self.apart.holds_new(node, version, self.facts.before[statement]))
                    seen = "doubled" if new else "holding"
            boxes = set() if is_steady(version.value) else labels - self.arrays_of(node, statement, sources, place)
            yield Flow(label, labels, seen, boxes, taken_out)

    def binds_container(self, statement: Any, pattern: Pattern, node: Any, label: str) -> bool:
        """Whether what a statement binds a name to, out of what an expression gives, is a new container."""
        if not isinstance(statement, Loop):
            return Rest(label) in pattern if isinstance(pattern, tuple) else makes_container(node, self.facts)
        items = node.elts if isinstance(node, (gast.Tuple, gast.List)) else [node.elt] if isinstance(
            node, gast.ListComp) else []
        return isinstance(pattern, str) and bool(items) and all(makes_container(item, self.facts) for item in items)

    def runs_over_each(self, pattern: Pattern, node: Any) -> bool:
        """Whether each part of a loop's target is an item of one of several iterables: ``for u, v in zip(us, vs)``."""
        return isinstance(pattern, tuple) and isinstance(node, gast.Call) and len(pattern) == len(node.args) \
            and known_value(self.facts.values.get(id(node.func), Opaque())) is zip and not any(
                isinstance(part, (Rest, gast.Starred)) for part in (*pattern, *node.args))

    def arrays_of(self, node: gast.AST, statement: Any, sources: set[Version], place: int | None = None) -> set[str]:
        """The names of those whose memory an expression's value may be of which it has arrays at most."""
        boxes = shared(node, self.facts, self.facts.before[statement], True, place) if sources else set()
        return {source.name for source in sources} - {source.name for source in boxes}

    def own_memory(self, version: Version, node: gast.AST, statement: Any) -> Origin | None:
        """What an array, list or dict in a container that gets a name may be, if the function made all of these
        itself."""
        unpacked = self.is_unpacked_state(version)
        if not isinstance(statement, Assign) or not unpacked and not self.facts.is_place(node):
            return None
        if version not in self.traced:
            found = self.own_arrays.part_of(version, ()) if unpacked else self.own_arrays.of(
                node, self.facts.before[statement])
            self.traced[version] = None if found is None or found.given else found
        return self.traced[version]

    def is_unpacked_state(self, version: Version) -> bool:
        """Whether a name got a list or dict out of a tuple: of an object its functions may have more than is seen."""
        return isinstance(version.value, Items) and version.value.is_changeable and version in self.own_arrays.unpacked

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
        return called is not None and called.derivative.program.gives_back is None and self.apart.put_in_order(
            node) is None and (not called.derivative.settled or called.derivative.facts.tangled)

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
        version = self.facts.before[statement].get(label)
        origin = self.own_arrays.part_of(version, ()) if version is not None and isinstance(
            version.value, Numeric) else None
        return origin is None or any(map(origin.meets, own))

    def are_others(self, statement: Any, one: str, other: str) -> bool:
        """Whether two names that are bound together are known to be bound to arrays that are not the same."""
        found = [self.traced.get(self.facts.defined.get((statement, label))) for label in (one, other)]  # type: ignore[arg-type]
        return None not in found and not found[0].meets(found[1])  # type: ignore[union-attr,arg-type]

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

    def stands_steady(self, label: str, statement: Any) -> bool:
        """Whether a name stands for what doesn't change with a container that holds it."""
        version = self.facts.before[statement].get(label)
        return version is not None and is_steady(version.value)

    @functools.cached_property
    def apart(self) -> Apart:
        return Apart(self.program, self.facts, self.objects)

    def is_apart(self, node: Any, statement: Any) -> bool:
        """Whether what is popped was in one place only."""
        version = self.facts.before[statement].get(root(container_of(node)))
        return version is not None and self.arrays_apart.holds(version)

    @functools.cached_property
    def arrays_apart(self) -> Apart:
        return Apart(self.program, self.facts, self.objects, arrays=True)

    @functools.cached_property
    def holding(self) -> Holding:
        return Holding(self.program, self.facts)

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
        whole, path = self.program.inner[label]
        versions = (*self.facts.parameters.values(), *self.facts.defined.values())
        held: Abstract = next((version.value for version in versions if version.name == whole), ANY)
        written = self.as_written(whole)
        for step in path:
            in_dict = isinstance(held, Items) and held.is_dict
            written += "[...]" if step == CONTENTS else f".{step}" if isinstance(step, str) and not in_dict \
                else f"[{step!r}]"
            held = item_at(held, (step,))
        return written


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


def may_hold_container(value: Any, container: Items) -> bool:
    """Whether a value may be a container, or hold it: a row, a list of numbers, is not the list of rows."""
    if not isinstance(value, Items):
        return may_hold(value, container.kind)
    inside = items_of(value), items_of(container)
    apart = any(holds_containers_only(one) and other and all(map(is_number_or_key, other))
                for one, other in (inside, inside[::-1]))
    return issubclass(value.kind, container.kind) and not apart or any(
        may_hold_container(item, container) for item in inside[0])


def holds_containers_only(items: tuple) -> bool:
    return len(items) > 0 and all(isinstance(item, Items) for item in items)


def is_number_or_key(value: Any) -> bool:
    return isinstance(value, (Numeric, Known)) or is_key(value)


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
