"""What may not be written into, for something that is read later may be of the same memory."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.apart import Apart
from s2sgrad.compiler.bound_memory import BoundMemory, attributes_used, is_steady, may_be_same, may_hold_container
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import CONTENTS, Called, Version, is_array, is_array_value, made_from, open_path
from s2sgrad.compiler.flows import BY_NUMBER, BY_PLACE, NeedsPlaces, SharesMemory, Sharing, copied
from s2sgrad.compiler.leading_back import leads_back
from s2sgrad.compiler.nodes import holder, name, names_in
from s2sgrad.compiler.objects import found_in
from s2sgrad.compiler.program import Append, Assign, Augment, Evaluate, Store, pattern_names
from s2sgrad.compiler.respell import can_be_spelled, views_in
from s2sgrad.compiler.sharing import makes_container, shared
from s2sgrad.compiler.tested import are_apart
from s2sgrad.errors import UnsupportedError, place_of
from s2sgrad.rules.abstract import MISSING, NEVER, Items, Numeric, besides_none, items_of


class WriteChecks(BoundMemory):
    """The part of the walk that checks writes."""

    def refuse(self, refusal: UnsupportedError) -> None:
        """Raise it, or note that what is written into may have names and places that nobody knows of."""
        if not self.mirrored:
            raise refusal
        self.facts.entangled = True

    def is_lost(self, statement: Any) -> bool:
        """Whether what a name stands for that comes with a call is not known after it."""
        called = self.facts.call_of(statement[0].value) if isinstance(statement, tuple) else None
        return called is not None and any(label == statement[1] and called.derivative.facts.is_lost(parameter)
                                          for parameter, label in called.written.items())

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
                        tests = self.facts.tests.setdefault(statement, {})
                        if (getattr(node, "id", ""), label) not in [
                                (one, getattr(two, "id", None)) for (one, _), two in tests.items()]:
                            tests[label, id(node)] = node
                        continue
                    self.refuse(UnsupportedError(
                        f"{self.as_written(min(met))} may share memory with {self.as_written(label)}, into which this "
                        "call writes, and is given to it too", "give it a copy of one", statement.location))

    def check_lost(self, statement: Assign, called: Called, parameter: str, label: str) -> None:
        """What a function leaves in an array that it writes into must be known, if that is read afterwards: also where
        an object has the array, or whoever calls this function."""
        if not called.derivative.facts.is_lost(parameter) or label in pattern_names(statement.target):
            return
        if label in self.read_after[statement] or label in self.program.inner:
            function = called.derivative.name
            self.refuse(UnsupportedError(
                f"{function} writes into {parameter} under another name, or binds {parameter} anew, and "
                f"{self.as_written(label)}, which it gets, is read after this call",
                f"let {parameter} be the name of that array throughout {function}",
                place_of(statement.value, statement.location)))

    def holds_no_other(self, node: gast.AST) -> bool:
        """Whether what an expression gives is a number, an array, None, or a new container of these: nothing that
        changes where something else is put into another container."""
        value = self.facts.values[id(node)]
        return besides_none(value) is not None or isinstance(value, Items) and makes_container(node, self.facts) \
            and all(map(is_steady, items_of(value)))

    def lie_apart(self, label: str, node: gast.AST, statement: Assign) -> bool:
        """Whether an array in a container that got a name, and another part of that container, are not the same; nor
        two views of one array."""
        if statement.apart:
            return True
        environment = self.facts.before[statement]
        if are_apart(spelled_out(name(label), environment), spelled_out(node, environment)):
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

    def check_changed(self, statement: Assign | Evaluate, sharing: Sharing) -> None:
        """A container that a statement changes, or puts another in the place of, must be seen by nobody else."""
        if self.facts.values.get(id(statement.value)) is NEVER:
            return  # it raises: what it would take out is not there, as in the first turn of a loop
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
            self.refuse(self.named(SharesMemory(
                f"{self.as_written(label)} may hold a container that this line writes into in more than one place, or "
                "one that the caller has too", "put a new container into each place, a copy for example",
                statement.location), {label}))

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
            self.refuse(UnsupportedError(f"this loop changes {self.as_written(label)}, over which it runs",
                                         "run over a copy: list(...)", statement.location))

    def is_cotangent(self, label: str) -> bool:
        """Whether a name is an adjoint's for a cotangent, or for a part of one: that was written so that it writes into
        none of which another name that it reads afterwards has the memory."""
        return [label, *self.around(label)][-1] in self.program.cotangents

    def check_leading_back(self, statement: Any, label: str) -> None:
        environment = self.facts.before[statement]
        for each in (label, *self.around(label)):
            if leads_back(self.facts, environment[each].value):
                shown = self.as_written(label)
                self.refuse(self.named(SharesMemory(
                    f"{shown} may hold itself, or what holds it, and this line changes it",
                    "set its attributes before, or hand it on to what needs it, child.value(self, x), in place of "
                    "keeping it there", statement.location), {label}))

    def check(self, statement: Any, label: str, remedy: str, sharing: Sharing) -> None:
        self.check_turns(statement, label, sharing)
        if self.is_cotangent(label):
            return
        old = self.facts.before[statement][label]
        container = isinstance(old.value, Items)
        if container and not getattr(statement, "back", False):
            self.check_leading_back(statement, label)
        places = self.places((statement, label) if isinstance(statement, Assign) else statement)
        inside = isinstance(statement, Assign) and None in places
        told_apart = statement in self.facts.in_place and statement not in self.facts.places  # by ``check_inner``
        deep = not told_apart and not all(self.is_made_there(old, place, sharing) for place in places)
        doubled = None in places and label in sharing.doubled and not (
            inside and self.each_once((statement, label), old))
        if (label in sharing.visible or deep and label in sharing.holding or doubled) and not self.is_own(
                statement, label, old, sharing):
            holds = isinstance(statement, Assign) and not doubled and label not in sharing.visible
            what = "may hold" if holds else "is" if old is self.facts.parameters.get(label) else "may be"
            kind = "a container" if container else "an array"
            shown, remedy = self.as_written(label), self.remedy(label, remedy, statement)
            if holds:
                remedy = f"{BY_NUMBER}; or make it of copies of what the caller has"
            if label not in self.own and shown == label:  # o.grow(x).grow(y), of which the first call has got a name
                shown, remedy = "what this line changes", "give it a name before, or let the call be one of a name"
            self.refuse(self.named(self.conflict(label, container)(
                f"{shown} {what} {kind} that the caller has too, and this line writes into it", remedy,
                statement.location), {label}))
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
        told = {label, getattr(statement, "paired", ""), *self.around(label), *self.written_together(statement)}
        read = self.read_after[statement] | self.objects  # the caller reads what it has
        seen = {other for other in (others & read) - told if not self.is_kept(other, statement, container)}
        if isinstance(statement, Append) and self.changes_itself(statement) and label in self.program.kept:
            return  # what a primal saves by turns, which is in no other place before the last of them
        if container and seen and all(place is None or len(place) == 1 for place in places) and not getattr(
                statement, "replaces", False):  # nothing changes but this container, and arrays in it
            seen = {other for other in seen if None in places and other not in self.program.kept
                    or self.may_see(other, label, statement)}
        if seen and isinstance(statement, (Append, Store)) and self.writes_into_inner(statement) \
                and not self.writes_into_item(statement):
            seen = {other for other in seen if not self.is_apart_inside(other, label, statement)}
        versions = [self.facts.before[statement].get(other) for other in (label, *seen)]
        views = {version.view for version in versions if version is not None and version.view is not None}
        if not seen:  # a function that calls this one reads the array, too
            views = {view for view in views if isinstance(view.node, (gast.Name, gast.Subscript)) and any(
                version.origin == "parameter" for version in made_from(view.base))}
        names = can_be_spelled(views, self.program, self.facts) if views else {}
        self.facts.respelled.update(names)
        if seen:
            other, shown = min(seen & self.own, default=""), self.as_written(label)
            remedy = self.remedy(label, remedy, statement)
            if not other:  # what reads it has no name that the user knows
                other = "what a loop runs over, or an expression began with,"
                remedy = f"{BY_NUMBER}; give an expression lines of its own"
            refusal = self.conflict(label, container or any(
                version is not None and isinstance(version.value, Items) for version in versions))(
                f"{other} may share memory with {shown}, into which this line writes, and is read after it", remedy,
                statement.location)
            self.named(refusal, {label, *seen})
            if isinstance(refusal, NeedsPlaces):
                refusal.parts = refusal.labels
            if not names:
                self.refuse(refusal)
            elif not self.mirrored:
                self.facts.conflict = refusal

    def written_together(self, statement: Any) -> list[str]:
        """The names of the arrays into which one call writes, of which ``check_call`` sees to it that they are apart:
        nor does one of them change where another goes back to where it is."""
        if isinstance(statement, Assign):
            called, environment = self.facts.call_of(statement.value), self.facts.before[statement]
            return [] if called is None else [
                other for other in called.written.values() if isinstance(environment[other].value, Numeric)]
        if not (isinstance(statement, Store) and statement.back):
            return []
        environment, changed_by = self.facts.before[statement], self.apart.changed_by
        label = statement.value.id  # type: ignore[attr-defined]
        changed = changed_by.get(environment[label])
        call = changed[0] if isinstance(changed, tuple) else None
        return [label, *(other for other in self.written_together(call)
                         if changed_by.get(environment[other]) == (call, other))]

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
        turns = isinstance(version.value, Items) and version.value.is_list
        return is_steady(version.value.any_item if turns else version.value)  # type: ignore[union-attr]

    def may_see(self, other: str, label: str, statement: Any) -> bool:
        """Whether the container under a name may be, or be in, that which another name stands for."""
        version, changed = self.facts.before[statement].get(other), self.facts.before[statement][label]
        return version is None or self.holding.may_hold(version, changed, statement) and not (
            self.apart.is_flat(version.value) and self.are_made_apart(version, changed))

    def is_made_there(self, whole: Version, place: tuple | None, sharing: Sharing) -> bool:
        """Whether what a write into a place of a container changes is that container, or one in it that the function
        made itself, and that is in no other place."""
        if place is None or len(place) == 1 or whole.name in sharing.knots:
            return place is not None and len(place) == 1
        found = self.own_arrays.part_of(whole, place[:-1])
        return found is not None and not found.given

    def are_made_apart(self, version: Version, own: Version) -> bool:
        """Whether a container is one that the function made itself, and the other is known to be another one."""
        found, made = (self.own_arrays.part_of(each, ()) for each in (version, own))
        return found is not None and made is not None and not made.given and not found.meets(made)

    def is_apart_inside(self, other: str, label: str, statement: Append | Store) -> bool:
        """Whether the container in another that a statement changes is known not to be in what a name stands for."""
        environment, target = self.facts.before[statement], statement.target
        changed = self.facts.values[id(target if isinstance(statement, Append) else target.value)]
        return other in environment and self.holding.has_own(
            environment[label], changed.kind, environment[other])  # type: ignore[union-attr]

    def may_hold_changed(self, other: str, statement: Store | Append) -> bool:
        """Whether the container that a statement changes may be what a name stands for, or in it."""
        target: Any = statement.target
        whole = isinstance(statement, Append) or self.replaces_container(statement)
        changed = self.facts.values.get(id(target if whole else target.value))
        version = self.facts.before[statement].get(other)
        return version is None or not isinstance(changed, Items) or may_hold_container(version.value, changed)


def spelled_out(node: gast.AST, environment: dict[str, Version]) -> gast.AST:
    """The part of an array that a name stands for; anything else itself."""
    view = environment[node.id].view if isinstance(node, gast.Name) and node.id in environment else None
    return view.node if view is not None and view.holds(environment) else node
