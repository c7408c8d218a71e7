"""What the analysis finds out about a Program: tables keyed by statement and by ``id`` of an expression."""
from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sgrad.compiler.indexing import BASIC, MASK
from s2sgrad.compiler.nodes import is_everything, is_plain
from s2sgrad.compiler.program import Assign, Attempt, Augment, Loop, Store, assigned_names, rebound_names
from s2sgrad.compiler.structures import static_leaves
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import (
    MISSING,
    NEVER,
    Abstract,
    Items,
    Numeric,
    is_complex,
    item_at,
    items_of,
    join,
    known_value,
    may_be_complex,
)
from s2sgrad.rules.table import Operation
from s2sgrad.signature import Place


class Version:
    """One value that a name has in turn: bound by a statement, joined where paths meet, or given from outside.

    Attributes
    ----------
    loop
        The innermost loop whose turns each make this value anew; None for the function itself.
    sources
        The versions that a join chooses from; the version that an in-place update changes.
    origin
        ``"parameter"``, ``"captured"``, ``"bound"``, ``"joined"``, or ``"caught"`` for an exception.
    """

    __slots__ = ("name", "loop", "value", "origin", "index", "sources", "unbound", "view", "layout", "places",
                 "count")

    def __init__(self, name: str, loop: Any, value: Abstract, origin: str, index: int, sources: tuple = (),
                 unbound: bool = False):
        self.name = name
        self.loop = loop
        self.value = value
        self.origin = origin
        self.index = index
        self.sources = list(sources)
        self.unbound = unbound
        self.view: View | None = None
        self.layout: frozenset[str] | None = None
        """Of an array that an expression gave: the parameters that must be contiguous for it to be; None: not known."""

        self.count: int | None = None
        """Of a list that an expression gave: how many items it has; None: not known, or more than are written out."""
        self.places: set[tuple] | None = None
        """Of a container in which a statement has put something else: where that may be."""

    def __repr__(self) -> str:
        return f"{self.name}.{self.index}"


Environment = "dict[str, Version]"


@frozen
class End:
    """In place of a step into a function's result: the array of a parameter when the function ends."""

    parameter: str


@dataclass(eq=False)
class View:
    """An array that a version is a view of, or a second name of: the array then, the expression of the view, and the
    versions of the other names in that."""

    base: Version
    node: gast.AST
    index: tuple[tuple[str, Version | None], ...]

    @property
    def whole(self) -> bool:
        """Whether it is all of the array, under a second name."""
        return isinstance(self.node, gast.Name)

    def holds(self, environment: dict[str, Version]) -> bool:
        """Whether the expression gives the same view here."""
        base = environment.get(self.base.name)
        return base is not None and not base.unbound and is_still(base, self.base) and all(
            environment.get(label) is before for label, before in self.index)


@dataclass
class Applied:
    """A rule applied at an expression: the operation, and the expression of each operand."""

    operation: Operation
    nodes: dict[str, gast.AST]

    def active_operands(self) -> Iterator[tuple[str, tuple[int, ...], gast.AST, Abstract]]:
        """Parameter, place inside a list or tuple, expression and value of each active operand."""
        operation = self.operation
        for name, node in self.nodes.items():
            value = operation.operands[name] if name in operation.operands else operation[name]
            if not value.active:
                continue
            if isinstance(node, (gast.Tuple, gast.List)):
                yield from _active_items(name, (), node, value)
            else:
                yield name, (), node, value


def _active_items(name: str, path: tuple, node: gast.AST, value: Any) -> Iterator:
    if not value.active:
        return
    if isinstance(node, (gast.Tuple, gast.List)):
        for index, item in enumerate(node.elts):
            yield from _active_items(name, (*path, index), item, value.items[index])
    else:
        yield name, path, node, value


CONTENTS = "..."
"""In place of a step: any item of a list or a dict."""


def open_path(node: Any, facts: Facts) -> tuple:
    """The steps from a name to a part of what is under it, with ``CONTENTS`` for those that are not known."""
    found: list = []
    while not isinstance(node, gast.Name):
        base = facts.values.get(id(node.value))
        step = MISSING
        if isinstance(base, Items) and not isinstance(getattr(node, "slice", None), gast.Slice):
            step = base.step(node.attr if isinstance(node, gast.Attribute) else known_value(facts.value(node.slice)))
        found.append(CONTENTS if step is MISSING else step)
        node = node.value
    return tuple(found[::-1])


def is_around(place: tuple | None, path: tuple) -> bool:
    """Whether a store in a place may put something else where a path leads."""
    return place is not None and len(place) <= len(path) and all(
        step == other or CONTENTS in (step, other) for step, other in zip(place, path))


@dataclass
class Called:
    """A call of a function that has its own primal and adjoint."""

    derivative: Any
    arguments: list[gast.AST | None]
    """In the order of the callee's parameters; None where the default serves."""
    active: list[int]
    location: Location
    written: dict[str, str] = field(default_factory=dict)
    """The callee's parameters that it writes into, each with the name of the caller's array."""
    remembered: bool = False
    """Whether what it gives is given again to whoever calls it with the same arguments (``functools.lru_cache``)."""


def is_folded(applied: Applied) -> bool:
    """Whether a vector gets another shape, which is a view of it whatever its layout."""
    return applied.operation.rule.name == "reshape" and applied.operation.rank("a") == 1


def same_array(first: Version, second: Version) -> bool:
    """Whether two versions are one array, before and after writes into it, so that they have one shape."""
    made = origins(first)
    return len(made) == 1 and made == origins(second)


def made_from(version: Version, until: Version | None = None) -> list[Version]:
    """A version and all that it was made of by changes and joins, back to the versions that are made of none; what is
    made of ``until`` only, and that one, left out."""
    found: list[Version] = []
    seen, pending = {until}, [version]
    while pending:
        version = pending.pop()
        if version not in seen:
            seen.add(version)
            found.append(version)
            pending.extend(version.sources)
    return found


def changed_within(version: Version, path: tuple) -> set[tuple] | None:
    """Where something else is in a container that has got a name to be changed, and goes back to where a path leads
    (None: an array that is there still is written into); None where nobody knows."""
    changes = [each.places for each in made_from(version) if each.sources and each.origin != "joined"]
    if not isinstance(version.value, Items):  # an array that is written into is there still
        return set()
    return None if None in changes else {
        place if place is None else (*path, *place) for places in changes for place in places or ()}


def with_joins(versions: Iterable[Version]) -> set[Version]:
    """Versions, and the joins that were joined to make them: what the ends of a loop's turns have in common is in no
    environment."""
    found = set(versions)
    pending = list(found)
    for version in pending:
        new = [source for source in version.sources if source.origin == "joined" and source not in found]
        found.update(new)
        pending += new
    return found


def is_still(version: Version, before: Version) -> bool:
    """Whether a version is what an earlier one was, but for writes into it."""
    return all(found.sources for found in made_from(version, before))


def is_array(version: Version | None) -> bool:
    """Whether a version is known to be an array, no number."""
    return version is not None and is_array_value(version.value)


def is_array_value(value: Abstract | None) -> bool:
    return isinstance(value, Numeric) and value.kind == "array"


def numbers_in(value: Abstract | None) -> Iterator[Numeric]:
    """What is known of the numbers and arrays in a container."""
    if isinstance(value, Items):
        for part in value.items if value.items is not None else (value.element,):
            yield from numbers_in(part)
    elif isinstance(value, Numeric):
        yield value


def origins(version: Version) -> set[Version]:
    """The versions that one was made of by changes and joins."""
    return {found for found in made_from(version) if not found.sources}


def written_arrays(loop: Loop, environment: dict[str, Version]) -> dict[str, Version]:
    """The arrays that a loop writes into and does not bind anew: they are the same arrays throughout."""
    return {label: environment[label] for label in assigned_names(loop.body) - rebound_names(loop)
            if label in environment and not (
                isinstance(environment[label].value, Items)
                or isinstance(environment[label].value, Numeric) and environment[label].value.is_number)}


@dataclass
class Facts:
    values: dict[int, Abstract] = field(default_factory=dict)
    applied: dict[int, Applied] = field(default_factory=dict)
    calls: dict[int, Called] = field(default_factory=dict)
    callees: dict[int, Called] = field(default_factory=dict)
    """Besides those, the calls that stay as they are, of functions whose text was read."""
    used: dict[str, Any] = field(default_factory=dict)
    """How parameters are used, where that was asked (see ``used_parts.py``)."""
    told_of: list[gast.AST] = field(default_factory=list)
    """The expressions that were looked at, of which tables know by ``id``: were one freed that was made on the way,
    what is known of it would be told of the next one in its place."""
    tells: bool = False
    """Whether some value may be made of a text of differentiated ones (see ``telling.py``)."""
    told_away: bool = False
    """Whether such a text goes where nobody sees it any more: into a file, or what a library's method keeps."""
    numbers_read: list[Location] = field(default_factory=list)
    """Where numbers are made of what may be a text."""
    spelled: dict[int, gast.AST] = field(default_factory=dict)
    """For a call of a callable object, or with ``*`` arguments, or of ``functools.reduce``, what it does in the end."""
    displays: dict[int, list[gast.AST | None]] = field(default_factory=dict)
    """The expressions of the parts of a container that an expression makes; None for a default."""
    acting_unnamed: set[int] = field(default_factory=set)
    """Expressions for which Python calls, unnamed, a special method of the user's that may be noticed."""
    instead: dict[int, gast.AST] = field(default_factory=dict)
    """An expression with the same value, over the same names, that is reversed in an expression's place."""
    listed: dict[int, list[gast.AST] | None] = field(default_factory=dict)
    """For comprehensions whose items are arguments of a call, ``f(*(...))``, these items, if they are known one by
    one; for those that run over objects, and for ``*v`` of an object, the same over a list of what that gives."""
    counts: dict[int, int] = field(default_factory=dict)
    """For lists of which a call gets the items, ``f(*sorted(xs))``, how many these are."""
    choices: set[int] = field(default_factory=set)
    """Ternaries, ``and`` and ``or``."""
    chosen_from: set[int] = field(default_factory=set)
    """Displays of which one item is taken, and it is not known before the call which, and other new lists of any length
    of which one is: each gets a name."""
    open_displays: set[int] = field(default_factory=set)
    """Displays of dicts with keys that are not known before the call."""
    comprehensions: set[int] = field(default_factory=set)
    """Those that give differentiated values."""
    index_kinds: dict[int, str] = field(default_factory=dict)
    before: dict[Any, dict[str, Version]] = field(default_factory=dict)
    defined: dict[tuple[Any, str], Version] = field(default_factory=dict)
    heads: dict[Any, dict[str, Version]] = field(default_factory=dict)
    catches_late: set[Any] = field(default_factory=set)
    """The ``try`` statements that may catch what NumPy raises of a write into an array once that is done."""
    turn_ends: dict[Any, dict[str, Version] | None] = field(default_factory=dict)
    after: dict[Any, dict[str, Version]] = field(default_factory=dict)
    beyond: dict[Any, dict[str, Version]] = field(default_factory=dict)
    """Behind a loop that is only left by ``return``: where its reversal starts."""
    taken: dict[Any, bool] = field(default_factory=dict)
    captured: dict[str, Version] = field(default_factory=dict)
    parameters: dict[str, Version] = field(default_factory=dict)
    in_place: dict[Any, tuple[Version, Version]] = field(default_factory=dict)
    """For each in-place update, and each call with an array that it writes into: the version before and after."""
    rewritten: set[Version] = field(default_factory=set)
    """Versions whose memory some in-place update writes into after they were made."""
    written: dict[str, Location] = field(default_factory=dict)
    """The parameters whose arrays are written into, each with the place of the first write."""
    flattened: dict[int, frozenset[str]] = field(default_factory=dict)
    """Calls that make a vector of an array, by ``id``, each with the parameters that must be contiguous for it to be a
    view."""
    contiguous: dict[str, Location] = field(default_factory=dict)
    """The parameters of which the caller sees to it that they are contiguous, each with the place that needs it."""
    hidden: set[str] = field(default_factory=set)
    """Those that are written into under another name than their own, or by a call that leaves them lost."""
    ends: dict[str, dict[Version, None]] = field(default_factory=dict)
    """What each parameter's name may stand for where control leaves the function."""
    places: dict[Any, tuple] = field(default_factory=dict)
    """Stores into attributes, each with the steps that lead to what is stored."""
    inner: dict[str, tuple[str, tuple]] = field(default_factory=dict)
    """Names that the analysis gave to what is in an object: the object's name, and the place in it."""
    stored: dict[str, set] = field(default_factory=dict)
    """The parameters that are objects into which something is stored, and the places in each; None among them where an
    array in it is written into."""
    inside: dict[str, set] = field(default_factory=dict)
    """For those in which an array is written into, where these arrays are; None among the places where that is not
    known of one."""
    called: bool = False
    """Whether another function calls this one, and goes on with the objects that both have."""
    holds: dict[str, set[str]] = field(default_factory=dict)
    """The parameters whose memory a function may put into the object that another is."""
    knotted: set[str] = field(default_factory=set)
    """Names of containers in which an array may be twice, or what others have too."""
    doubled: set[str] = field(default_factory=set)
    """Names of objects in which an array may be in two places."""
    led_back: set[type] = field(default_factory=set)
    """The classes of objects that may hold themselves (``leading_back.py``)."""
    tangled: bool = False
    """Whether an array may be in the result twice."""
    changing: bool = True
    """Whether functions that have objects together with this one may put something else into these."""
    exposed: bool = False
    """Whether another function then writes into arrays in the containers and objects that this one gets."""
    given_back: bool = False
    """Whether another function changes what this one gives it, or writes into that."""
    lent: set[str] = field(default_factory=set)
    """The parameters whose memory the function hands on, and another then writes into; or whose memory whoever called
    the outermost function may write into before the adjoint runs."""
    managing: list[tuple[Any, gast.AST]] = field(default_factory=list)
    """The managers that may write into what they gave where their blocks end, behind their ``with`` statements."""
    kept: list[tuple[Any, Location]] = field(default_factory=list)
    """Functions that may put differentiated values into outer variables, each with the place where they are called."""
    disturbing: dict[tuple[int, bool], tuple[Any, Location]] = field(default_factory=dict)
    """Functions that may be called by what stays as it is, by ``id`` and whether they are told of differentiated values
    there, each with the place of the call."""
    read_back: dict[str, Location] = field(default_factory=dict)
    """Outer variables that the function itself binds or changes, each with the first place that reads it."""
    passing: dict[int, str] = field(default_factory=dict)
    """Expressions, by ``id``, that read what may have changed when they are evaluated again, each with what kind of
    thing that is."""
    noted: dict[Place, tuple[Location, bool]] = field(default_factory=dict)
    """Outer variables into which something is put, each with the place of a line that does it, and whether that tells
    of differentiated values, so that nobody may read it."""
    noted_inside: set[Place] = field(default_factory=set)
    """Those of them in whose items or attributes something is put."""
    noted_of: dict[Place, tuple[Location, set[Place]]] = field(default_factory=dict)
    """Those that get what is computed of outer variables, each with the place of such a line, and with these."""
    reshaped: set[Version] = field(default_factory=set)
    """Versions of containers of which some statement changes what they hold after they were made."""
    backs: dict[Any, Store] = field(default_factory=dict)
    """Writes into views, each with the store into the array that they are views of."""
    rows: dict[Any, tuple[str, str, str | None]] = field(default_factory=dict)
    """Loops that write into the rows of an array: the array, the row, and what counts the rows, if it has a name."""
    attempts: dict[Any, Attempt] = field(default_factory=dict)
    """``with`` statements that swallow exceptions, as the ``try`` statements that they are."""
    turns: dict[Any, list[gast.AST]] = field(default_factory=dict)
    """Loops over functions, which are written out turn by turn: what the target is bound to in each."""
    stores: dict[Any, Store | Augment | Assign] = field(default_factory=dict)
    """Statements that write into an array in another form (``u.fill(0.0)``, ``m[i][j] = v``), or add to an object, each
    with the store or assignment that does the same."""
    extended: dict[Any, tuple[str, gast.AST]] = field(default_factory=dict)
    """Statements that append to a list all that another has: the list's name, and the expression for the other."""
    written_out: dict[Any, list] = field(default_factory=dict)
    """Statements that change a container, or what is in an object, each with the simpler ones that do the same."""
    tests: dict[Assign, dict[tuple[str, int], gast.AST]] = field(default_factory=dict)
    """Calls that write into an array under a name and get others besides, which a test before it tells apart."""
    consumed: set[int] = field(default_factory=set)
    """The expressions that are run through once, where they stand."""
    exhausted: set[int] = field(default_factory=set)
    """Those of them of which all is asked for that they give."""
    simpler: dict[Any, Any] = field(default_factory=dict)
    """For calls, the expressions that they stand for; None where there is none."""
    new_keys: set[Store] = field(default_factory=set)
    """The stores in dicts under keys of which a test has just told that they are not there."""
    unsure_stores: dict[Any, tuple[str, bool]] = field(default_factory=dict)
    """The stores of differentiated values into arrays of which it is not known that they hold floats, each with the
    name of the array, and whether the value is known to be real."""
    popped: set[int] = field(default_factory=set)
    """The calls that take something out of a container."""
    given: dict[str, Any] = field(default_factory=dict)
    """Functions that the analysis put into the program, by their names there."""
    reserved: set[str] = field(default_factory=set)
    """Other names that the analysis gave out."""
    statements: list = field(default_factory=list)
    """Statements that the analysis made itself; they are kept for the same reason as those expressions."""
    made: list[gast.AST] = field(default_factory=list)
    """Expressions that the analysis made itself; they are kept, so that no other object gets their ``id``."""
    inlined: list = field(default_factory=list)
    """Generators whose text the analysis put into the program."""
    result: Abstract | None = None
    handed_on: dict[bool | tuple[bool, int], frozenset[str] | None] = field(default_factory=dict)
    """The parameters whose memory the result may be, and (under True) of which it may have a container, once somebody
    asked for them (``sharing.handed_on``); the same of items of a tuple, with their places."""
    meeting: dict[tuple[int, int, bool], bool] = field(default_factory=dict)
    """Whether two items of the result, by their places, may share memory, or a container, once somebody asked
    (``items_meet``)."""

    read: dict[int, tuple[gast.Name, Version, dict[str, Version]]] = field(default_factory=dict)
    """By ``id``: the names that views, and what may be one of several, are read under, with version and environment."""
    taken_along: set[int] = field(default_factory=set)
    """Names that functions take from around them, where these are called or handed on."""
    names_read: set[str] = field(default_factory=set)
    """The names that are read, here or by functions that take them from here."""
    respelled: dict[int, gast.AST] = field(default_factory=dict)
    """For names of views of arrays that are written into, the expressions of the views."""
    conflict: UnsupportedError | None = None
    """The refusal for where these names can't be spelled otherwise."""
    gives_view: bool = False
    """The result is, or has in it, a view of a dict, which becomes a list."""
    entangled: bool = False
    """What is written into may have names and places of which nothing is known (``Options.mirrored``)."""

    def value(self, node: gast.AST) -> Abstract:
        return self.values[id(node)]

    def spelled_out(self, node: Any) -> Any:
        """What an expression is in the end, by the analysis."""
        while id(node) in self.spelled:
            node = self.spelled[id(node)]
        return node

    def decided(self, node: Any) -> Any:
        """The arm of a ternary, where it is known which is taken; any other expression itself."""
        while isinstance(node, gast.IfExp) and id(node) in self.taken:
            node = node.body if self.taken[id(node)] else node.orelse
        return node

    def call_of(self, node: gast.AST | None) -> Called | None:
        """The call of a function with an adjoint of its own that an expression is in the end."""
        return self.calls.get(id(self.spelled_out(node)))

    def callee_of(self, node: gast.AST) -> Called | None:
        """The same, or a call that stays as it is, of a function whose text was read."""
        return self.callees.get(id(self.spelled_out(node)))

    def end(self, parameter: str) -> Abstract:
        """What is known of the object that a parameter is when the function ends."""
        return functools.reduce(join, [version.value for version in self.ends.get(parameter, ())], NEVER)

    def exits(self) -> list[tuple]:
        """The places of arguments that have cotangents when the function ends, because it writes into them."""
        found: list[tuple] = []
        for name in self.written:
            if name in self.stored:
                found += [(End(name), *leaf) for leaf in static_leaves(self.end(name)) if self.is_stored(name, leaf)]
            elif any(version.value.active for version in self.ends.get(name, ())) and not self.is_lost(name):
                found.append((End(name),))
        return found

    def is_lost(self, parameter: str) -> bool:
        """Whether a function writes into the array that it gets as a parameter, and at its end that array has no name,
        or another: what it holds then is not known to whoever calls the function."""
        return parameter in self.written and parameter not in self.stored and (parameter in self.hidden or not all(
            same_array(self.parameters[parameter], version) for version in self.ends.get(parameter, ())))

    def written_display(self, node: gast.AST) -> gast.AST:
        """For a comprehension that makes a dict of known keys, that dict written out; any other expression itself."""
        return self.instead.get(id(node), node) if isinstance(node, gast.DictComp) else node

    def is_stored(self, parameter: str, path: tuple) -> bool:
        """Whether a function may store something in that place of an object, around it, or in a list there."""
        return any(place is not None and all(step in (other, CONTENTS) for step, other in zip(place, path))
                   for place in self.stored[parameter])

    def is_written_inside(self, parameter: str, path: tuple) -> bool:
        """Whether a function writes into the array that it is given in that place of an object."""
        return path in self.inside.get(parameter, ())

    def array_viewed(self, node: gast.AST) -> gast.Name | None:
        """The name of the array that an expression is a view of: ``u`` of ``u[1:].T``, with names and literals in its
        indices; of itself a name is one."""
        flat = self.array_flattened(node)
        return self.array_cut(node if flat is None else flat)

    def array_flattened(self, node: gast.AST) -> gast.AST | None:
        """``u`` of ``u.ravel()``, ``u.reshape(-1)``, ``u.flat``, where that is all of its elements in a row, and no
        copies; an array of any layout has them under ``u.flat``, by one index."""
        if isinstance(node, gast.Attribute):
            return node.value if node.attr == "flat" and id(node) in self.applied else None
        return node.func.value if isinstance(node, gast.Call) and id(node) in self.flattened and isinstance(
            node.func, gast.Attribute) else None

    def is_without_axes(self, node: gast.Subscript) -> bool:
        """Whether an index takes all of an array that has no axes: ``s[()]``, ``s[...]``."""
        value = self.values.get(id(node.value))
        return isinstance(value, Numeric) and value.shape == () and is_everything(node.slice)

    def is_picked(self, node: gast.AST) -> bool:
        """Whether an index gives copies of an array's elements: ``u[mask]``, ``u[places]``, ``u.flat[1:3]``."""
        if not isinstance(node, gast.Subscript) or id(node) not in self.index_kinds:
            return False
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        values = [self.values.get(id(part)) for part in parts]
        if len(values) == 1 and isinstance(values[0], Items) and values[0].kind is tuple:  # u[np.triu_indices(n)]
            values = list(items_of(values[0]))
        return self.index_kinds[id(node)] == MASK or any(
            isinstance(value, Numeric) and value.kind == "array" and value.rank != 0
            or isinstance(value, Items) and value.kind is list for value in values) or isinstance(
            node.value, gast.Attribute) and self.array_flattened(node.value) is not None

    def is_place(self, node: Any) -> bool:
        """Whether an expression is a part of what is under a name, or a view of an array there, and no copy."""
        if not isinstance(node, (gast.Attribute, gast.Subscript)):
            return False
        base = self.values.get(id(node.value))
        if isinstance(base, Items):
            inside = not isinstance(getattr(node, "slice", None), gast.Slice)  # a part of a list is another list
        elif isinstance(node, gast.Subscript):
            inside = self.index_kinds.get(id(node)) == BASIC
        else:
            applied = self.applied.get(id(node))
            inside = applied is not None and applied.operation.sharing == "view"
        return inside and (isinstance(node.value, gast.Name) or self.is_place(node.value))

    def array_cut(self, node: gast.AST) -> gast.Name | None:
        """The same of views that have views of their own."""
        if isinstance(node, gast.Name):
            return node
        if isinstance(node, gast.Subscript):
            plain = self.index_kinds.get(id(node)) == BASIC and is_plain(node.slice)
            return self.array_cut(node.value) if plain else None
        applied = self.applied.get(id(node))
        if applied is None or not applied.operation.rule.gives_view and not is_folded(applied):
            return None
        if isinstance(node, gast.Attribute):
            return self.array_cut(node.value)
        method = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
        plain = method and all(map(is_plain, (*node.args, *(item.value for item in node.keywords))))
        return self.array_cut(node.func.value) if plain else None

    def is_read_only(self, node: Any) -> bool:
        """Whether nothing can be written through a view: ``u.diagonal()[1:]``."""
        while not isinstance(node, gast.Name):
            applied = self.applied.get(id(node))
            if applied is not None and applied.operation.sharing == "read-only":
                return True
            node = node.func if isinstance(node, gast.Call) else node.value
        return False

    @functools.cached_property
    def uniform(self) -> bool:
        """Whether all floating-point values have one dtype, so that no cotangent can have another: that of the numbers
        which adjoints start with."""
        return len(self.dtypes) <= 1 and None not in self.dtypes and not self.has_single

    @functools.cached_property
    def one_precision(self) -> bool:
        """Whether all floating-point values, but for being complex or not, have that dtype."""
        return bool(self.dtypes) and None not in self.dtypes and not self.has_single

    @functools.cached_property
    def has_single(self) -> bool:
        """Whether some value is known not to be in double precision: cotangents may be then in one or the other."""
        given = {part.dtype for version in self.parameters.values() for part in numbers_in(version.value)}
        return any(dtype.kind in "fc" and dtype not in (float, complex)
                   for dtype in self.dtypes | given if dtype is not None)

    @functools.cached_property
    def dtypes(self) -> set:
        """The dtypes of all floating-point values, but for literals, which take the dtype of what they meet."""
        return {dtype for dtype, is_literal, *_ in self.numbers
                if not is_literal and (dtype is None or dtype.kind in "fc")}

    @functools.cached_property
    def numbers(self) -> set[tuple]:
        """Of all numbers and arrays the dtype, and whether it is a literal, differentiated, and known to be real."""
        return {(value.dtype, value.kind == "python" and value.value is not MISSING, value.active, value.real)
                for value in self.values.values() if type(value) is Numeric}

    @functools.cached_property
    def has_complex(self) -> bool:
        """Whether some value is complex, so that a cotangent may be, too, where what it belongs to is real."""
        return any(dtype is not None and dtype.kind == "c" for dtype, *_ in self.numbers) or any(
            is_complex(version.value) for version in self.parameters.values())

    def gives_loose(self, parameter: str, path: tuple) -> bool:
        """Whether the list or dict of cotangents for what is in a place of a parameter needs no cast before a caller
        goes on with it, and is read by numbers or keys, as what it belongs to."""
        value = item_at(self.parameters[parameter].value, path)
        return self.uniform and not self.has_complex and not self.gets_uncertain and (
            not isinstance(value, Items) or value.has_places or value.is_dict)

    @functools.cached_property
    def has_uncertain(self) -> bool:
        """Whether some differentiated value may be complex for all that is known, as one that was multiplied with what
        an unknown function gave, and no cotangent that comes from outside may be."""
        return not self.gets_uncertain and any(
            active and (not real if dtype is None else dtype.kind == "c") for dtype, _, active, real in self.numbers)

    @functools.cached_property
    def gets_uncertain(self) -> bool:
        """Whether a caller may have complex cotangents of results of which nobody knows whether they are real."""
        return self.called and any(map(may_be_complex, numbers_in(self.result)))
