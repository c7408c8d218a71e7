"""What memory an expression's value may be: that of names, of arguments, of code that nobody looks into."""
from __future__ import annotations

import copy
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.effects import NEW, may_give
from s2sgrad.compiler.equivalents import MAKE_LISTS
from s2sgrad.compiler.facts import Applied, Called, Facts, Version, made_from, with_joins
from s2sgrad.compiler.leading_back import objects_of
from s2sgrad.compiler.nodes import name, root_of
from s2sgrad.compiler.objects import is_constant_of
from s2sgrad.compiler.program import Append, Assign, Augment, Context, Leave, Loop, Program, Store, part_for, statements
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names
from s2sgrad.containers import DICTS, in_library, is_instance, is_member, plainly
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import (
    ANY,
    NEVER,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    is_key,
    items_of,
    known_value,
)
from s2sgrad.rules.draws import draws as of_generator
from s2sgrad.rules.draws import is_generator


def shared(node: gast.AST, facts: Facts, environment: dict[str, Version], boxes: bool = False,
           place: int | None = None, namespaces: bool = False) -> set[Version]:
    """The versions of names whose memory an expression's value may be; of which it may have a container (``boxes``).
    ``place``: not all of the value is meant, but this item of the tuple that a call gives. ``namespaces``: modules and
    classes count, whose attributes it may be."""
    found = (environment.get(part.id) or facts.captured.get(part.id)
             for part in whole_parts(node, facts, boxes, place) if isinstance(part, gast.Name))
    return {version for version in found if version is not None and (
        not isinstance(version.value, Known) or is_changeable(version.value.value)
        or namespaces and is_a_namespace(version.value))}


def whole_parts(node: gast.AST, facts: Facts, boxes: bool = False, place: int | None = None) -> Iterator[gast.AST]:
    """The expressions in one, and it itself, whose memory its value may be, or hold: ``boxes``, without those of which
    that is true of arrays only; ``place``, of this item of the tuple that a call gives. A function has nothing: what it
    reads from around it is handed on beside it; but what is made of it for later, a pullback, has that."""
    node = facts.written_display(node)
    value = facts.values.get(id(node))
    if isinstance(value, Numeric) and value.is_number or is_key(value) or isinstance(value, Function) or isinstance(
            node, (gast.Constant, gast.Compare, gast.JoinedStr)) or boxes and holds_arrays_at_most(value):
        return
    if value is NEVER:  # control does not come here, as far as is known yet of functions that call themselves
        return
    yield node
    if isinstance(node, gast.Name) or isinstance(value, Items) and not holds_memory(value) \
            and makes_container(node, facts):
        return
    if isinstance(node, COMPREHENSIONS):
        yield from parts_of_items(node, facts, boxes)
        return
    applied = facts.applied.get(id(node))
    if applied is not None and applied.operation.sharing == "fresh" or facts.is_picked(node) \
            or gives_nothing_of_its_arguments(node, facts) \
            or isinstance(value, Known) and not is_changeable(value.value):
        return
    called = facts.callee_of(node)
    parts: Iterable[gast.AST | None] | None = handed_through(called, boxes, place) if called is not None else None
    if facts.decided(node) is not node:
        parts = [facts.decided(node)]
    if parts is None:  # of ``replace(p, x=v)`` its parts, not p
        parts = lenders(applied) if applied is not None else facts.displays.get(id(node)) or may_give(node, facts)
    for part in parts:
        given = facts.values.get(id(part))
        if called is None and isinstance(given, Function):
            yield from (name(home) for _, home in given.homes)
        elif part is not None:
            yield from whole_parts(part, facts, boxes)


def parts_of_items(node: Any, facts: Facts, boxes: bool) -> Iterator[gast.AST]:
    """The same of what a comprehension gives: those of its items, and of what it runs over where these are of that."""
    items = node.value if isinstance(node, gast.DictComp) else node.elt
    found = list(whole_parts(items, facts, boxes))
    for generator in reversed(node.generators):
        labels = {part.id for part in found if isinstance(part, gast.Name)}
        if not labels.isdisjoint(bound_names(generator.target)):
            found += whole_parts(generator.iter, facts, boxes)
    yield from found


def lenders(applied: Applied) -> list[gast.AST]:
    """The operands of a rule whose memory its result may be."""
    return [node for label, node in applied.nodes.items() if applied.operation.lends(label)]


PICKING = ("choice", "shuffle", "permuted")
"""Methods of generators of random numbers that give, or change, what they get."""


def gives_nothing_of_its_arguments(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression is a call of such a function: ``str(u)``, ``id(u)``, ``rng.normal(size=3)``."""
    if not isinstance(node, gast.Call):
        return False
    function = facts.values.get(id(node.func))
    if known_value(function or ANY) is copy.deepcopy:  # which may give all of it, where less is known of the result
        return not isinstance(facts.values.get(id(node)), Opaque)
    return isinstance(function, Known) and any(function.value is known for known in NEW) or draws(node, facts)


def draws(node: gast.Call, facts: Facts) -> bool:
    """Whether a call makes a new array of random numbers."""
    if not isinstance(node.func, gast.Attribute) or any(item.arg in ("out", None) for item in node.keywords):
        return False
    function = known_value(facts.values.get(id(node.func), ANY))
    label = plainly(function, "__name__", node.func.attr)
    if isinstance(function, type) or not of_generator(function, facts.values.get(id(node.func.value), ANY)):
        return False
    value = facts.values.get(id(node))
    copies = label == "choice" and isinstance(value, Numeric) and bool(value.rank)  # of numbers, or a vector's elements
    return copies or label not in PICKING


def fragile(program: Program, facts: Facts, kept: bool, called: bool) -> tuple[set[Version], set[Version]]:
    """The versions whose memory may be written into between primal and adjoint, and the containers of which may change
    what they hold: by a later statement, by the managers that gave them, by the caller of a function that is ``called``
    and itself writes into them or gives them back to be written into, or, if the saved values are ``kept`` for a
    pullback, by the user who has them too (captured arrays, what is in objects, arguments that are written into and so
    no copies)."""
    seen: set[Version] = set()
    if called or kept:
        seen.update(facts.parameters[name] for name in facts.written if kept or name not in facts.stored)
    seen.update(facts.parameters[name] for name in facts.lent)
    if facts.given_back:
        seen.update(result_memory(program, facts)[0])
    if kept:
        seen.update(version for version in facts.captured.values()
                    if may_be_written(version.value) or is_a_namespace(version.value))
        seen.update(version for version in facts.parameters.values() if isinstance(version.value, (Opaque, Known)) and (
            may_be_written(version.value) or is_a_namespace(version.value)))
    seen.update(version for (statement, _), version in facts.defined.items()
                if isinstance(statement, Context))  # what a manager gives: it may write into that when it leaves
    later_contents(seen, facts)
    written, changed = seen | facts.rewritten, set(facts.reshaped)
    if called and (facts.changing or facts.exposed):
        held = [version for version in facts.parameters.values() if isinstance(version.value, Items)] + [
            version for version in facts.defined.values() if holds_objects(version.value)]
        theirs = {*held, *(version for version in (*facts.parameters.values(), *facts.defined.values())
                           if version.name in facts.stored)}  # the caller may go on with it, and change it again
        later_containers(theirs, facts)
        changed |= theirs
        if facts.exposed:
            put = [version for container, values in put_into(facts) if container in theirs for version in values]
            written |= theirs | memory_behind(put, facts)[0]
    while written or changed:  # most functions write into nothing
        size = len(written) + len(changed)
        views(written, facts)
        inner_containers(changed, facts)
        changed |= holders(changed, facts)
        # a join of written versions is written itself, or it comes after the write
        joins(written, written - (facts.rewritten - seen), facts)
        joins(changed, changed - facts.reshaped, facts)
        if len(written) + len(changed) == size:
            break
    return written, changed


def reads_passing(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression's value may be memory that changes where nobody looks."""
    items: set[int] = set()
    for part in whole_parts(node, facts):
        kind = facts.passing.get(id(part))
        if isinstance(part, gast.Subscript):  # whose items are numbers
            base = facts.passing.get(id(part.value))
            if base == "numbers" or base == "vector" and isinstance(part.slice, gast.Constant):
                items.add(id(part.value))
        if kind is not None and kind != "number" and id(part) not in items:
            return True
    return False


def extends(statement: Augment, facts: Facts) -> bool:
    """Whether ``+=`` puts what it adds into a container."""
    version = facts.before.get(statement, {}).get(root_of(statement.target).id)
    return version is None or not isinstance(version.value, Numeric)


def keeps_passing(program: Program, facts: Facts) -> Location | None:
    """The place of a statement that gives memory which changes where nobody looks another name, puts it somewhere or
    hands it on; None where there is none."""
    if "memory" not in facts.passing.values() and {"numbers", "vector"}.isdisjoint(facts.passing.values()):
        return None
    for called in facts.calls.values():
        if any(part is not None and reads_passing(part, facts) for part in called.arguments):
            return called.location
    for statement in (*statements(program.body), *(statement for statement, _ in facts.defined)):
        if isinstance(statement, Loop) and statement.target is not None:
            if reads_passing(statement.iterable, facts) and facts.passing.get(id(statement.iterable)) not in (
                    "numbers", "vector"):
                return statement.location
        elif isinstance(statement, (Assign, Store, Append)) or isinstance(
                statement, Augment) and extends(statement, facts) or isinstance(
                    statement, Leave) and statement.kind == "return" and facts.called:
            if statement.value is not None and reads_passing(statement.value, facts):
                return statement.location
    return None


def later_contents(found: set[Version], facts: Facts) -> None:
    """Add the versions that may be the same memory: views, joins, and what it holds after it was written into."""
    later(found, facts, views)


def later_containers(found: set[Version], facts: Facts) -> None:
    """Add the containers that these may be or hold, or get, and what they are after they were changed."""
    put = list(put_into(facts))

    def spread(found: set[Version], facts: Facts) -> None:
        inner_containers(found, facts)
        found.update(version for container, values in put if container in found
                     for version in values if not isinstance(version.value, Numeric))

    later(found, facts, spread)


def later(found: set[Version], facts: Facts, spread: Callable[[set[Version], Facts], None]) -> None:
    """Add to versions what they ``spread`` to, what they are after they were changed, and joins of all that."""
    size = 0
    while size < len(found):
        size = len(found)
        spread(found, facts)
        found.update(new for old, new in facts.in_place.values() if old in found)
        joins(found, set(found), facts)


def inner_containers(found: set[Version], facts: Facts) -> None:
    """Add the versions that are bound to one of these containers, or to one in it."""
    for source, version, sources in bindings(facts):
        if not found.isdisjoint(sources) and not isinstance(version.value, Numeric) and (
                not makes_container(source, facts) or holds_containers(version.value)):
            found.add(version)


def holders(changed: set[Version], facts: Facts) -> set[Version]:
    """The containers into which some of these containers were put, from there on."""
    put = [(container, values) for container, values in puts(facts) if holds_containers(container.value)]

    def spread(found: set[Version], facts: Facts) -> None:
        found.update([container for container, values in put
                      if any(not isinstance(version.value, Numeric) for version in values & (changed | found))])

    found: set[Version] = set()
    spread(found, facts)
    later(found, facts, spread)
    return found


def bindings(facts: Facts) -> Iterator[tuple[gast.AST, Version, set[Version]]]:
    """What versions that may be written into are bound to: expressions, and the versions whose memory that may be,
    those after the writes of a call for what it gives."""
    for (statement, label), version in facts.defined.items():
        if isinstance(statement, (Assign, Loop)) and may_be_written(version.value) \
                and facts.in_place.get((statement, label), (None, None))[1] is not version:
            source = statement.iterable if isinstance(statement, Loop) else statement.value
            sources = shared(source, facts, facts.before.get(statement, {}), namespaces=True)
            called = facts.call_of(source)
            written = dict(facts.in_place[statement, name] for name in called.written.values()
                           if (statement, name) in facts.in_place) if called is not None else {}
            yield source, version, {written.get(memory, memory) for memory in sources} if written else sources


def views(found: set[Version], facts: Facts) -> None:
    """Add the versions that are bound to memory of these, or that are containers into which it was put."""
    found.update([version for _, version, sources in bindings(facts) if not found.isdisjoint(sources)])
    found.update([container for container, values in puts(facts) if not found.isdisjoint(values)])
    found.update([new for old, new in facts.in_place.values() if old in found and isinstance(old.value, Items)])
    # what a view is, once it was written into
    found.update([facts.before[statement][statement.value.id] for statement, (_, new) in facts.in_place.items()
                  if isinstance(statement, Store) and statement.back and new in found
                  and isinstance(statement.value, gast.Name)])


def joins(found: set[Version], of: set[Version], facts: Facts) -> None:
    """Add the versions that may be one ``of`` these where paths meet."""
    met: set[Version] = set().union(*(each.values() for each in (*facts.after.values(), *facts.heads.values())))
    found.update([version for version in with_joins(met) if not of.isdisjoint(version.sources)])


def makes_container(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression makes a container, so that nobody else puts anything into it."""
    node = facts.spelled_out(node)
    called = facts.callees.get(id(node))
    if called is not None and called.derivative.definition.made is not None and not called.derivative.facts.written:
        return True
    if isinstance(node, gast.Call) and isinstance(facts.values.get(id(node)), Items):
        function = facts.values.get(id(node.func))
        if isinstance(function, Known) and any(
                function.value is kind for kind in (list, tuple, deque, *DICTS, sorted, copy.deepcopy, *MAKE_LISTS)):
            return True
        receiver = facts.values.get(id(getattr(node.func, "value", None)))
        if isinstance(receiver, Items) and getattr(node.func, "attr", "") == "copy":
            return True
        if receiver is not None and is_key(receiver):  # the words of a text
            return True
    displays = (gast.Tuple, gast.List, gast.Dict, gast.ListComp, gast.DictComp)
    return isinstance(node, displays) or id(node) in facts.displays or (
        isinstance(facts.values.get(id(node)), Items)
        and (isinstance(node, gast.BinOp) or isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice)))


def holds_containers(value: Abstract) -> bool:
    """Whether there are containers in a container, which may be others' too."""
    return isinstance(value, Items) and any(isinstance(part, (Items, Opaque)) for part in (
        value.items if value.items is not None else [value.element]))


def holds_memory(value: Abstract) -> bool:
    """Whether there are arrays or containers in a container or object, into which others may write."""
    return isinstance(value, Items) and any(map(may_be_written, items_of(value)))


def may_be_written(value: Abstract) -> bool:
    """Whether something can be written into a value, or into what it holds."""
    if isinstance(value, Items) and issubclass(value.kind, tuple):
        return holds_memory(value)
    if isinstance(value, Opaque) and value.besides is not None:
        value = value.besides
    return isinstance(value, (Items, Opaque)) and not is_key(value) \
        or isinstance(value, Numeric) and not value.is_number \
        or isinstance(value, Known) and is_changeable(value.value)


def is_changeable(value: Any) -> bool:
    """Whether a value is an object into which something may be put: no member of an enumeration."""
    return is_instance(value) and not is_member(value)


def has_no_memory(value: Any) -> bool:
    """Whether nothing is found in a value that could be written into: it is a member of an enumeration, or a function
    that is bound to nothing, be it one that is called with brackets."""
    if isinstance(value, types.FunctionType):
        return not (value.__closure__ or value.__defaults__ or value.__kwdefaults__)
    if isinstance(value, types.BuiltinFunctionType):
        return isinstance(value.__self__, (types.ModuleType, type(None)))
    return is_member(value) or type(value) in (np.ufunc, type(np.sum)) or value is np.mgrid


def is_from_outside(value: Abstract | None) -> bool:
    """Whether a value is an object that was found outside, be it under a name of the function."""
    return isinstance(value, Known) and value.origin is None and is_instance(value.value)


def holds_objects(value: Abstract | None) -> bool:
    """Whether a value is an object or has one in it: a copy would not be the same for who asks which one it is."""
    return value is not None and next(objects_of(value), None) is not None


def is_a_namespace(value: Abstract) -> bool:
    """Whether a value is a module or a class, whose attributes may be arrays."""
    return isinstance(value, Known) and isinstance(value.value, (types.ModuleType, type)) \
        and not in_library(getattr(value.value, "__module__", value.value.__name__))


def holds_arrays_at_most(value: Abstract | None) -> bool:
    """Whether a value is a number or an array, or a tuple of such: no container that others could change."""
    if isinstance(value, Items) and issubclass(value.kind, tuple):
        return all(map(holds_arrays_at_most, items_of(value)))
    return isinstance(value, Numeric) or isinstance(value, Opaque) and value.besides is not None


def is_of_its_class(node: Any, facts: Facts) -> bool:
    """Whether an attribute of an object is what its class has for all of them."""
    base = facts.values.get(id(node.value)) if isinstance(node, gast.Attribute) else None
    return isinstance(base, Items) and base.is_object and not base.has_field(node.attr) and is_constant_of(
        base.kind, node.attr)


def comes_from_outside(node: gast.AST, facts: Facts, sources: set[Version], place: int | None = None) -> bool:
    """Whether a value may be memory that other code has: a captured array, what an unknown call returns. ``place``: the
    item in that of the tuple that a call gives."""
    if any(source.origin == "captured" for source in sources):
        return True
    node = facts.spelled_out(facts.decided(facts.written_display(node)))
    value = facts.values.get(id(node))
    if isinstance(value, Numeric) and value.is_number or value is NEVER or isinstance(
            value, Opaque) and is_generator(value.kind) or isinstance(value, Known) and has_no_memory(value.value):
        return False
    applied = facts.applied.get(id(node))
    if applied is not None:
        return any(comes_from_outside(item, facts, set()) for item in lenders(applied))
    if isinstance(node, (gast.Name, gast.Constant, gast.Compare, gast.JoinedStr)):
        return False
    if id(node) in facts.displays:
        return any(part is not None and comes_from_outside(part, facts, set()) for part in facts.displays[id(node)])
    if isinstance(node, gast.Subscript) or isinstance(node, gast.Attribute) and isinstance(
            facts.values.get(id(node.value)), Items):
        return is_of_its_class(node, facts) or comes_from_outside(node.value, facts, set())
    parts = None
    if isinstance(node, (gast.Tuple, gast.List)) or isinstance(node, gast.BinOp) and isinstance(value, Items):
        parts = may_give(node, facts)
    elif isinstance(node, gast.ListComp):
        parts = [node.elt, *(generator.iter for generator in node.generators)]
    elif isinstance(node, gast.DictComp):
        parts = [node.value, *(generator.iter for generator in node.generators)]
    elif isinstance(node, gast.BoolOp):
        parts = node.values
    elif isinstance(node, gast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, gast.Call):
        function = facts.values.get(id(node.func))
        if id(node) in facts.popped:
            parts = [node.func.value]
        elif gives_nothing_of_its_arguments(node, facts):
            parts = []
        elif isinstance(function, Known) and function.value in (
                range, enumerate, zip, reversed, len, list, tuple, deque):
            parts = node.args
        else:
            called = facts.callee_of(node)
            parts = None if called is None else handed_through(called, place=place)
    return parts is None or any(part is None or comes_from_outside(part, facts, set()) for part in parts)


def handed_through(called: Called, boxes: bool = False, place: int | None = None) -> list[gast.AST | None] | None:
    """The arguments of a call (None: a default) whose memory its result may be; None: what other code has, too.
    ``boxes``: of which it may have a container; ``place``: the item of its result that is meant, else all of that."""
    derivative = called.derivative
    names = None if called.remembered else derivative.program.gives_back
    if derivative.settled and not called.remembered:
        known, key = derivative.facts.handed_on, boxes if place is None else (boxes, place)
        if key not in known:
            known[key] = names  # while it is looked into: of what calls itself nothing more is known
            known[key] = handed_on(derivative.program, derivative.facts, boxes, place)
        names = known[key]
    if names is None:
        return None
    return [node for name, node in zip(derivative.parameters, called.arguments) if name in names and (
        node is not None or not derivative.settled or may_be_written(derivative.facts.parameters[name].value))]


def gives_tuple(called: Called, count: int) -> bool:
    """Whether what a call gives is a tuple of so many items, written out wherever the function returns."""
    result = called.derivative.facts.result if called.derivative.settled else None
    return isinstance(result, Items) and result.kind is tuple and all(
        isinstance(statement.value, gast.Tuple) and len(statement.value.elts) == count
        and not any(isinstance(part, gast.Starred) for part in statement.value.elts)
        for statement in statements(called.derivative.program.body)
        if isinstance(statement, Leave) and statement.kind == "return")


def bound_beside(statement: Assign, bound: set[str], facts: Facts, boxes: bool = False) -> dict[str, set[str]]:
    """For each of the names that are bound together to what may be in it twice, which others may be the same: of the
    items of the tuple that a call gives, those that may share memory, or with ``boxes`` a container."""
    called = facts.callee_of(statement.value)
    target = statement.target if isinstance(statement.target, tuple) else ()
    names = [part for part in target if isinstance(part, str)]
    if called is None or len(names) < len(target) or not gives_tuple(called, len(names)):
        return dict.fromkeys(bound, bound)
    return {label: {other for place, other in enumerate(names) if label == other or items_meet(
        called, names.index(label), place, boxes)} for label in bound}


def items_meet(called: Called, first: int, second: int, boxes: bool) -> bool:
    """Whether two items of the tuple that a call gives may share memory, or with ``boxes`` a container."""
    derivative = called.derivative
    if not derivative.settled or called.remembered:
        return True
    known, places = derivative.facts.meeting, (min(first, second), max(first, second))
    key = *places, boxes
    if key not in known:
        known[key] = True  # while it is looked into
        one, other = (result_memory(derivative.program, derivative.facts, boxes, place) for place in places)
        known[key] = not one[0].isdisjoint(other[0]) or one[1] and other[1]
    return known[key]


def hands_on(called: Called, parameter: str) -> bool:
    """Whether a parameter's memory may be in what a call gives, or in the object that another argument is."""
    handed_through(called)
    facts = called.derivative.facts
    names = facts.handed_on.get(False)
    return names is None or parameter in names or any(parameter in held for held in facts.holds.values())


def put_by(called: Called, parameter: str) -> list[gast.AST | None]:
    """The arguments of a call (None: a default) that it may put into the container that another is."""
    held = called.derivative.facts.holds.get(parameter, ())
    return [node for other, node in zip(called.derivative.parameters, called.arguments) if other in held]


def put_into(facts: Facts) -> Iterator[tuple[Version, set[Version]]]:
    """The containers that get something, each with the versions whose memory that may be, and what these were made
    of."""
    for container, values in puts(facts):
        yield container, {made for version in values for made in made_from(version)}


def puts(facts: Facts) -> Iterator[tuple[Version, set[Version]]]:
    """The containers that get something, each with the versions whose memory that may be."""
    given: list[tuple[Any, Version, gast.AST]] = [
        (statement, container, node) for statement, container, node in put_by_calls(facts) if node is not None]
    for statement, (_, container) in facts.in_place.items():
        if isinstance(container.value, Items) and isinstance(statement, (Append, Augment, Store)) and not (
                getattr(statement, "back", False) or getattr(statement, "exchanged", False)):
            given.append((statement, container, statement.value))
    for statement, container, node in given:
        yield container, shared(node, facts, facts.before[statement])


def put_by_calls(facts: Facts) -> Iterator[tuple[Assign, Version, gast.AST | None]]:
    """The containers that calls put something into, with the statement and that argument (None: a default)."""
    for key, (_, container) in facts.in_place.items():
        called = facts.call_of(key[0].value) if isinstance(key, tuple) and isinstance(container.value, Items) else None
        for parameter, label in called.written.items() if called is not None else ():
            for node in put_by(called, parameter) if label == key[1] else ():  # type: ignore[arg-type, index]
                yield key[0], container, node  # type: ignore[index]


def handed_on(program: Program, facts: Facts, boxes: bool = False, place: int | None = None) -> frozenset[str] | None:
    """The parameters whose memory a function's result, or the item in a place of that, may be; None: what other code
    has, too."""
    found, outside = result_memory(program, facts, boxes, place)
    labels = frozenset(version.name for version in found if version.origin == "parameter")
    if program.gives_back is not None:
        return labels & program.gives_back
    return None if outside else labels


def result_memory(program: Program, facts: Facts, boxes: bool = False, place: int | None = None
                  ) -> tuple[set[Version], bool]:
    """The versions whose memory a function's result, or the item in a place of that, may be, and whether it may be
    memory that other code has, too."""
    pending: list[Version] = []
    outside = False
    for statement in statements(program.body):
        if isinstance(statement, Leave) and statement.kind == "return" and statement.value is not None \
                and statement in facts.before:
            given = statement.value if place is None else statement.value.elts[place]  # type: ignore[attr-defined]
            sources = shared(given, facts, facts.before[statement], boxes)
            outside = outside or comes_from_outside(given, facts, sources)
            pending.extend(sources)
    seen, others = memory_behind(pending, facts, boxes)
    return seen, outside or others


def memory_behind(pending: list[Version], facts: Facts, boxes: bool = False) -> tuple[set[Version], bool]:
    """The versions whose memory these may be, or have in them, and whether it may be what other code has, too."""
    outside = False
    bound: dict[Version, list[tuple[gast.AST | None, dict]]] = {}
    for statement, version, given in (*holdings(facts), *put_by_calls(facts)):
        part = given and part_for(statement, version.name, given)
        bound.setdefault(version, []).append((part, facts.before.get(statement, {})))
    put = list(put_into(facts))
    seen: set[Version] = set()
    while pending:
        version = pending.pop()
        if version in seen or not may_be_written(version.value) or boxes and holds_arrays_at_most(version.value):
            continue
        pending += [container for container, values in put if version in values]
        seen.add(version)
        pending.extend(version.sources)
        for source, environment in bound.get(version, ()):
            sources = shared(source, facts, environment, boxes) if source is not None else set()
            outside = outside or source is None or comes_from_outside(source, facts, sources)
            pending.extend(sources)
        if version not in bound and not version.sources and version.origin != "parameter":
            outside = True
    return seen, outside


def holdings(facts: Facts) -> Iterator[tuple[Any, Version, gast.AST]]:
    """The statements that bind versions or put something into them, each with the version and the expression."""
    for (statement, _), version in facts.defined.items():
        if isinstance(statement, (Assign, Loop)):
            yield statement, version, statement.iterable if isinstance(statement, Loop) else statement.value
        elif isinstance(statement, (Append, Store, Augment)) and isinstance(version.value, Items):  # it gets a part
            yield statement, version, statement.value


def overwritten(program: Program, facts: Facts, written: set[Version]) -> set[int]:
    """The expressions without a name, by ``id``, whose memory is written into, or which are changed, after they were
    evaluated: what they are bound to, or put into, is among the ``written``, or the caller changes what it is given
    back."""
    found: set[int] = set()
    for statement, version, given in (*holdings(facts), *put_by_calls(facts)) if written else ():
        if version in written and given is not None:
            found.update(id(part) for part in whole_parts(part_for(statement, version.name, given), facts))
    if facts.given_back:
        for statement in statements(program.body):
            if isinstance(statement, Leave) and statement.kind == "return" and statement.value is not None:
                found.update(id(part) for part in whole_parts(statement.value, facts))
    return found
