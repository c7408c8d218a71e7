"""The data that the passes hand on: a Program, its few statements, and its printer.

Primal and adjoint are both Programs. Statements are frozen and compared by identity, so that an analysis can keep its
facts in tables keyed by statement; expressions inside them are gast expressions, keyed by ``id``. Every statement
knows the place in the user's source that it comes from.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields, replace
from typing import Any, Union

import gast

from s2sgrad.compiler.nodes import (
    name,
    names_in,
    ordered_children,
    root_of,
    tuple_of,
    walk,
)
from s2sgrad.errors import GENERATED, Location
from s2sgrad.frozen import frozen


@frozen
class Rest:
    """``*name`` in an unpacking: the list of what the targets around it leave."""

    name: str


Pattern = Union[str, Rest, "tuple[Pattern, ...]"]
"""Assignment target: a name, or a tuple of patterns."""


@frozen(eq=False)
class Assign:
    """``target = value``; a tuple target unpacks."""

    target: Pattern
    value: gast.AST
    location: Location
    writes: tuple[str, ...] = ()
    """The arrays that the function called writes into; the container that the method called changes."""
    places: tuple[gast.AST, ...] = ()
    """Where the statements behind it store what its targets get, in their order: ``s.u, s.v = v, u``."""
    apart: bool = False
    """A test has told before that the arrays that the function called writes into share no memory with the others that
    it gets."""


@frozen(eq=False)
class Augment:
    """``target += value`` and its kin: rebinds a number, writes into an array; ``name[index] += value`` into a part."""

    target: gast.AST
    operator: gast.AST
    value: gast.AST
    location: Location
    paired: str = ""
    """The array of which the target is a view, and into which the next statement stores it back."""
    counted: bool = False
    """``np.add.at``: what comes more than once among the elements is changed as often."""
    outer: bool = False
    """Of an adjoint: what it adds to a matrix in a loop is the outer product of two vectors."""
    item: tuple | None = None
    """Of an adjoint that adds a whole cotangent, in memory of its own, to a part of an item of a list: what is known of
    the items, the steps to that part, and whether a loop over what is a list or a tuple adds to this item in this turn
    alone."""
    put_back: bool = False
    """The user wrote a place as the target: Python puts there what it changed in place, too, and a tuple takes
    nothing."""


@frozen(eq=False)
class Store:
    """``name[index] = value``, ``name.attribute = value``."""

    target: gast.Subscript | gast.Attribute
    value: gast.AST
    location: Location
    paired: str = ""
    back: bool = False
    """What is stored is a view of the place, so that nothing is to be done but for the reversal."""
    replaces: bool = False
    """What is stored takes the place of an array or a container that the user's code writes into, which nobody else may
    have."""
    exchanged: bool = False
    """What is stored was in another place of the same container, which gets what was here, or in a third:
    ``xs[0], xs[1] = xs[1], xs[0]``."""
    late: bool = False
    """Nothing is stored: the object has no such attribute yet (``late.py``)."""
    item: tuple | None = None
    """Of an adjoint that adds a whole list of cotangents to a part of an item of a list: what ``Augment`` has there."""


@frozen(eq=False)
class Append:
    """``name.append(value)`` and, with a place, ``name.insert(place, value)``."""

    target: gast.Name
    value: gast.AST
    location: Location
    place: gast.AST | None = None
    fits: bool = False
    """Of a deque: there is room for the value, be it at the left end."""


@frozen(eq=False)
class Evaluate:
    """An expression evaluated for its effect: ``print(x)``."""

    value: gast.AST
    location: Location
    writes: tuple[str, ...] = ()
    """The container that the method called may change."""


@frozen(eq=False)
class Verbatim:
    """A passive statement that the compiler keeps whole: ``assert``, ``global``, what binds a global; a primal's
    exchange of items, ``xs[0], xs[1] = xs[1], xs[0]``."""

    node: gast.AST
    location: Location


@frozen(eq=False)
class Declare:
    """``target: annotation``, which makes a name local and binds nothing."""

    target: str
    annotation: gast.AST
    location: Location


@frozen(eq=False)
class Import:
    """``import module as name``, kept whole, with the names that it binds."""

    node: gast.AST
    targets: tuple[str, ...]
    location: Location


@frozen(eq=False)
class Define(Import):
    """A function defined inside: kept whole, too."""


@frozen(eq=False)
class Remove:
    """``del name``."""

    targets: tuple[str, ...]
    location: Location


@frozen(eq=False)
class Delete:
    """``del name[index]``."""

    target: gast.Subscript
    location: Location


@frozen(eq=False)
class Context:
    """``with manager as target``: a manager that swallows no exception, so that the body is a part of its block.

    With no manager the body of a ``try``; ``final`` is what its ``finally`` holds.
    """

    items: tuple[tuple[gast.AST, Pattern | None], ...]
    body: tuple[Statement, ...]
    location: Location
    final: tuple[Statement, ...] = ()


@frozen(eq=False)
class Branch:
    test: gast.AST
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...]
    location: Location


@frozen(eq=False)
class Attempt(Branch):
    """``try``: a branch on whether control left its body otherwise than by an exception that is caught.

    ``then`` is the body, a Context, with what the ``else`` holds behind it; ``orelse`` starts with the first Handler.
    """

    collected: bool = False
    """All items come before the turns of a loop inside, where Python asks for each in its turn: of an exception that
    comes with one of them nothing tells how many turns were done."""

    @property
    def body(self) -> tuple[Statement, ...]:
        return self.then[0].body  # type: ignore[union-attr]


@frozen(eq=False)
class Handler(Branch):
    """``except test as target``: a branch on whether it catches the exception; ``orelse`` holds the next Handler, or
    raises again."""

    target: str | None = None


@frozen(eq=False)
class Loop:
    """``for target in iterable`` or, with no target, ``while iterable``."""

    target: Pattern | None
    iterable: gast.AST
    body: tuple[Statement, ...]
    location: Location


@frozen(eq=False)
class Leave:
    """``return value``, ``break``, ``continue`` or ``raise value``: always the last statement of its block."""

    kind: str
    value: gast.AST | None
    location: Location
    cause: gast.AST | None = None
    """``raise value from cause``."""


Statement = (Assign | Augment | Store | Append | Evaluate | Verbatim | Declare | Import | Remove | Delete | Context
             | Branch | Loop | Leave)


@frozen(eq=False)
class Program:
    """A function's body, with every name that occurs in it (so that generated names can keep clear of them)."""

    name: str
    parameters: tuple[str, ...]
    body: tuple
    location: Location
    names: frozenset[str] = field(default=frozenset())
    free: tuple[str, ...] = ()
    """Names that the function reads from outside."""
    header: gast.AST | None = None
    """The parameters as the user wrote them (defaults and kinds), for the primal."""
    outer: frozenset[str] = frozenset()
    """Names of outer variables that the function binds, or changes what they hold."""
    bound: frozenset[str] = frozenset()
    """The former."""
    given: dict[str, Any] = field(default_factory=dict)
    """Functions that the parser put into the program, by their names there."""
    owner: Any = None
    """The function whose globals and closure cells the program reads."""
    inner: dict[str, tuple[str, tuple]] = field(default_factory=dict)
    """Names for what is in objects, each with the object's name and the place in it."""
    makers: tuple[tuple[gast.AST, Any], ...] = ()
    """The functions whose text is written out in the program, or that are known to write into an array, each with the
    expression that means it outside."""
    collected: frozenset[str] = frozenset()
    """Names for the lists of what generators give."""
    written_out: tuple = ()
    """Generators whose text was put into the program."""
    kept: frozenset[str] = frozenset()
    """Names for what a generated primal saves for its adjoint: what is written into later it has copied, or nothing
    reads it."""
    cotangents: frozenset[str] = frozenset()
    """Names in generated code for cotangents: what is written into in them, no other name reads afterwards, and in a
    container of them it is in one place only."""
    orders: Mapping[str, int] = field(default_factory=dict)
    """Of a tangent function's names: 0 for the user's values, 1 for their tangents, and so on. What is of another order
    is other memory; what has none may be of any."""
    gives_back: frozenset[str] | None = None
    """Of a generated adjoint, the parameters whose arrays its result may have: each once, as all other memory in it,
    which nobody else has."""
    stands_in: bool = False
    """There are lists and dicts in it in the place of others that do the same."""
    receiver: str = ""
    """The name of its first argument, in a method that of the object."""

    @property
    def is_generated(self) -> bool:
        """Whether this is a gradient's text, or a primal's or an adjoint's, that is differentiated again."""
        return self.location.filename.startswith(GENERATED)

    @property
    def keyword_only(self) -> set[str]:
        """The parameters that a call must name."""
        header: Any = self.header
        return {item.id for item in header.kwonlyargs}


@functools.lru_cache(maxsize=512)
def statements(block: tuple) -> tuple[Statement, ...]:
    """Every statement of a block and of the blocks inside it, in source order."""
    found: list = []
    for statement in block:
        found.append(statement)
        for part in _BLOCKS.get(type(statement), ()):
            found += statements(getattr(statement, part))
    return tuple(found)


_BLOCKS = {Branch: ("then", "orelse"), Attempt: ("then", "orelse"), Handler: ("then", "orelse"),
           Context: ("body", "final"), Loop: ("body",)}


def blocks_of(statement: Statement) -> tuple[tuple, ...]:
    return tuple(getattr(statement, part) for part in _BLOCKS.get(type(statement), ()))


def without_blocks(statement: Any) -> Any:
    """A statement with nothing in the blocks inside it."""
    if isinstance(statement, Branch):
        return replace(statement, then=(), orelse=())
    return replace(statement, body=()) if isinstance(statement, (Loop, Context)) else statement


def with_blocks(statement: Any, made: Callable[[tuple], tuple]) -> Any:
    """The statement with its blocks made anew."""
    parts = _BLOCKS.get(type(statement), ())
    return replace(statement, **{part: made(getattr(statement, part)) for part in parts}) if parts else statement


def opened(block: tuple) -> tuple:
    """A block with the bodies of its ``with`` and ``try`` statements as what they are to the flow of control: parts of
    it. What a ``finally`` holds comes behind: the ways that don't lead there change nothing in it."""
    if not any(isinstance(statement, Context) for statement in block):
        return block
    return tuple(inner for statement in block for inner in (
        opened((*statement.body, *statement.final)) if isinstance(statement, Context) else (statement,)))


def pattern_names(pattern: Pattern) -> Iterator[str]:
    if isinstance(pattern, str):
        yield pattern
    elif isinstance(pattern, Rest):
        yield pattern.name
    else:
        for part in pattern:
            yield from pattern_names(part)


def part_for(statement: Any, label: str, given: gast.AST) -> gast.AST:
    """The expression in ``u, (v, w) = np.exp(x), pair`` that a name is bound to, or to an item of; ``given`` is the
    whole."""
    target: Any = statement.target if getattr(statement, "value", None) is given else None
    while isinstance(target, tuple) and isinstance(given, (gast.Tuple, gast.List)) and len(target) == len(given.elts) \
            and not any(isinstance(item, gast.Starred) for item in given.elts):
        places = [place for place, part in enumerate(target) if label in pattern_names(part)]
        if len(places) != 1:
            break
        target, given = target[places[0]], given.elts[places[0]]
    return given


def assigned_names(block: tuple, written: bool = True) -> set[str]:
    """Names that a block may bind, the blocks inside it included; with ``written`` those of arrays it writes into."""
    return set(_assigned_names(block, written))


@functools.lru_cache(maxsize=512)
def _assigned_names(block: tuple, written: bool) -> frozenset[str]:
    names: set[str] = set()
    for statement in statements(block):
        if isinstance(statement, (Assign, Loop)) and statement.target is not None:
            names.update((statement.target,) if type(statement.target) is str else pattern_names(statement.target))
            if written and isinstance(statement, Assign):
                names.update(statement.writes)
        elif isinstance(statement, (Augment, Store, Append, Delete)) and (
                written or isinstance(statement, Augment) and isinstance(statement.target, gast.Name)):
            names.add(written_name(statement))
        elif isinstance(statement, Evaluate) and written:
            names.update(statement.writes)
        elif isinstance(statement, (Import, Remove)):
            names.update(statement.targets)
        elif isinstance(statement, (Declare, Handler)):
            names.update(pattern_names(statement.target or ()))
        elif isinstance(statement, Context):
            names.update(target for _, pattern in statement.items if pattern is not None
                         for target in pattern_names(pattern))
    return frozenset(names)


def rebound_names(loop: Loop) -> set[str]:
    """Names that a loop gives another object, in its header or its body."""
    names = set(pattern_names(loop.target or ()))
    for statement in statements(loop.body):
        if isinstance(statement, (Assign, Loop, Handler)):
            names.update(pattern_names(statement.target or ()))
        elif isinstance(statement, (Import, Context)):
            names.update(assigned_names((statement,)) if isinstance(statement, Import) else (
                label for _, pattern in statement.items if pattern is not None for label in pattern_names(pattern)))
    return names


def operation_of(statement: Augment) -> gast.AST:
    """What an update gives where it is none in place: ``x + y`` of ``x += y``."""
    return gast.copy_location(gast.BinOp(statement.target, statement.operator, statement.value), statement.target)


def written_name(statement: Augment | Store | Append | Delete) -> str:
    """The name whose value an in-place update, a store, an ``append`` or a ``del`` changes."""
    return root_of(statement.target).id


def read_names(block: tuple) -> set[str]:
    """Names that the expressions of a block mention, the blocks inside it included."""
    return set().union(*map(mentioned, statements(block)))


@functools.lru_cache(maxsize=1024)
def mentioned(statement: Statement) -> frozenset[str]:
    """Names that the expressions of a statement mention, without those of the blocks inside it."""
    return frozenset(names_in(*expressions_in(statement)))


def share_expressions(one: tuple, other: tuple) -> bool:
    """Whether an expression of a block, or a part of it, is in another block, too: the very node."""
    parts = [{id(part) for statement in statements(block) for node in expressions_in(statement) for part in walk(node)}
             for block in (one, other)]
    return not parts[0].isdisjoint(parts[1])


def expressions_in(statement: Statement) -> list[gast.AST]:
    """The expressions of a statement, without those of the blocks inside it."""
    if isinstance(statement, Context):
        return [manager for manager, _ in statement.items]
    parts = [getattr(statement, label) for label in _FIELDS[type(statement)]]
    return parts if None not in parts else [part for part in parts if part is not None]


class _Fields(dict):
    """The fields of each class of statements in which there is an expression, or may be."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        self[kind] = found = tuple(part.name for part in fields(kind) if str(part.type).startswith("gast."))
        return found


_FIELDS = _Fields()


def in_turn(node: Any) -> list:
    """The parts of an expression, each behind its own parts, as they are evaluated."""
    return [*(inner for _, _, child in ordered_children(node) for inner in in_turn(child)), node]


@functools.lru_cache(maxsize=512)
def leaves(block: tuple) -> frozenset[str]:
    """The ways in which control may leave a block other than by its end: ``return``, ``break``, ``continue``."""
    return frozenset([statement.kind for statement in leaving(block)])


def leaving(block: tuple, inside_loop: bool = False) -> list[Leave]:
    """The statements by which control may leave a block.

    ``raise`` is none: nothing is reversed of a run that ends with an exception.
    """
    found: list[Leave] = []
    for statement in opened(block):
        if isinstance(statement, Leave):
            if statement.kind == "return" or statement.kind != "raise" and not inside_loop:
                found.append(statement)
        elif isinstance(statement, Branch):
            found += leaving(statement.then, inside_loop) + leaving(statement.orelse, inside_loop)
        elif isinstance(statement, Loop):
            found += leaving(statement.body, True)
    return found


def always_leaves(block: tuple) -> bool:
    """Whether control never reaches the end of a block."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, Leave):
        return True
    if isinstance(last, Context):
        return always_leaves(last.body)
    return isinstance(last, Branch) and always_leaves(last.then) and always_leaves(last.orelse)


def only_raises(block: tuple) -> bool:
    """Whether a block ends with an exception whatever way control takes."""
    return always_leaves(block) and not leaves(block)


# the commonest nodes, made in the shortest time


def pattern_expression(pattern: Pattern) -> gast.AST:
    if isinstance(pattern, str):
        return name(pattern)
    if isinstance(pattern, Rest):
        return gast.Starred(name(pattern.name), gast.Store())
    return tuple_of([pattern_expression(part) for part in pattern])


