"""The data that the passes hand on: a Program, its few statements, and its printer.

Primal and adjoint are both Programs. Statements are frozen and compared by identity, so that an analysis can keep its
facts in tables keyed by statement; expressions inside them are gast expressions, keyed by ``id``. Every statement
knows the place in the user's source that it comes from.
"""
from __future__ import annotations

import functools
import keyword
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, Union

import gast

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
    vectors: tuple[gast.AST, gast.AST] | None = None
    """Of an adjoint that adds the outer product of two vectors to a matrix in a loop: these."""
    item: tuple | None = None
    """Of an adjoint that adds a whole cotangent, in memory of its own, to a part of an item of a list: what is known of
    the items, the steps to that part, and whether a loop over what is a list or a tuple adds to this item in this turn
    alone."""


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


def written_name(statement: Augment | Store | Append | Delete) -> str:
    """The name whose value an in-place update, a store, an ``append`` or a ``del`` changes."""
    return root_of(statement.target).id


def root_of(node: Any) -> gast.Name:
    """The name that an expression starts with: ``u`` of ``u[1:].T``."""
    while not isinstance(node, gast.Name):
        node = node.func if isinstance(node, gast.Call) else node.value
    return node


def root(node: Any) -> str | None:
    """The name of what an expression is a part of: ``rows`` of ``rows[0][1]``; None where it has none."""
    while isinstance(node, gast.Subscript):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None


def holder(node: Any) -> str | None:
    """The name of what an expression is in: ``net`` of ``net.rows[0].log``; None where it has none."""
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None


def steps_to(node: Any) -> list[Any]:
    """What leads from a name to a part of what is under it: names of attributes, expressions of indices."""
    found: list = []
    while not isinstance(node, gast.Name):
        found.append(node.attr if isinstance(node, gast.Attribute) else node.slice)
        node = node.value
    return found[::-1]


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


class _Parts(dict):
    """The fields of each class of nodes in which there may be expressions: neither operators nor plain text."""

    NONE = {"op", "ops", "ctx", "id", "attr", "arg", "kind", "type_comment"}

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields_: tuple[str, ...] = getattr(kind, "_fields", ())
        self[kind] = found = () if kind is gast.Constant else tuple(part for part in fields_ if part not in self.NONE)
        return found


PARTS = _Parts()


class _Inside(dict):
    """For each class of nodes what gives the nodes right inside one that may hold expressions, in their order."""

    PLAIN = (gast.BinOp, gast.UnaryOp, gast.Attribute, gast.Subscript, gast.IfExp, gast.Starred, gast.keyword)
    """Most of all nodes, but for names: each part of these is one expression."""
    LISTED = {
        gast.Name: lambda node: () if node.annotation is None else (node.annotation,),
        gast.Call: lambda node: [node.func, *node.args, *node.keywords],
        gast.Tuple: lambda node: node.elts,
        gast.Slice: lambda node: [part for part in (node.lower, node.upper, node.step) if part is not None],
        gast.Compare: lambda node: [node.left, *node.comparators],
        gast.Assign: lambda node: [*node.targets, node.value],
    }
    """Most of the others."""

    def __missing__(self, kind: Any) -> Callable[[Any], Sequence[Any]]:
        parts = PARTS[kind]
        if kind in self.PLAIN and len(parts) > 1:
            self[kind] = operator.attrgetter(*parts)
        elif kind in self.PLAIN:
            self[kind] = lambda node, only=parts[0]: (getattr(node, only),)
        elif kind in self.LISTED:
            self[kind] = self.LISTED[kind]
        else:
            self[kind] = self.looked_for if parts else lambda node: ()
        return self[kind]

    @staticmethod
    def looked_for(node: gast.AST) -> list[gast.AST]:
        found: list[Any] = []
        for part in PARTS[type(node)]:
            value = getattr(node, part, None)
            found += value if type(value) is list else (value,)
        return [inner for inner in found if isinstance(inner, gast.AST) and inner._fields]


INSIDE = _Inside()


def names_in(*nodes: gast.AST) -> list[str]:
    """The names that expressions mention, repeated as often as they do."""
    found: list[str] = []
    pending: list = [*nodes]
    while pending:
        inner = pending.pop()
        if type(inner) is gast.Name:
            found.append(inner.id)
            if inner.annotation is not None:  # of a parameter
                pending.append(inner.annotation)
        else:
            pending += INSIDE[type(inner)](inner)
    return found


def is_exchange(places: tuple, value: gast.AST) -> bool:
    """Whether a tuple of values that is stored in places only moves about what is in a container: its items or
    attributes."""
    if not isinstance(value, (gast.Tuple, gast.List)) or any(
            isinstance(part, gast.Call) for place in places for part in walk(place)):
        return False
    texts = list(map(gast.dump, places))
    return len({gast.dump(place.value) for place in places}) == 1 and len({*texts}) == len(texts) \
        and sorted(texts) == sorted(map(gast.dump, value.elts))


def walk(node: gast.AST) -> list[gast.AST]:
    """A node and all inside it that have parts themselves (an operator has none), from the outside in."""
    found = [node]
    for outer in found:
        found += INSIDE[type(outer)](outer)
    return found


def ordered_children(node: gast.AST) -> list[tuple[str, int | None, gast.AST]]:
    """Operands in the order in which Python evaluates them: field, place in the field's list, expression."""
    result: list[tuple[str, int | None, gast.AST]] = []
    for part in PARTS[type(node)]:
        value = getattr(node, part, None)
        if type(value) is not list:
            if value is not None and isinstance(value, gast.AST):
                result.append((part, None, value))
        elif part == "keywords":
            result += [(part, index, item.value) for index, item in enumerate(value)]
        else:
            result += [(part, index, item) for index, item in enumerate(value) if isinstance(item, gast.AST)]
    if isinstance(node, gast.Dict):
        result.sort(key=operator.itemgetter(1))  # each key before its own value, not before those of others
    return result


def in_turn(node: Any) -> list:
    """The parts of an expression, each behind its own parts, as they are evaluated."""
    return [*(inner for _, _, child in ordered_children(node) for inner in in_turn(child)), node]


def change(node: gast.AST, part: str, place: int | None, new: gast.AST, changes: dict[str, Any]) -> None:
    """Note a new operand of an expression."""
    if place is None:
        changes[part] = new
        return
    items = changes.setdefault(part, list(getattr(node, part)))
    items[place] = gast.keyword(items[place].arg, new) if part == "keywords" else new


def rebuilt(node: gast.AST, changes: dict[str, Any]) -> gast.AST:
    """An expression with the operands that :func:`change` noted; itself where there are none."""
    if not changes:
        return node
    copy = node.__new__(type(node))
    vars(copy).update(vars(node), **changes)
    return copy


@functools.lru_cache(maxsize=512)
def leaves(block: tuple, inside_loop: bool = False) -> frozenset[str]:
    """The ways in which control may leave a block other than by its end: ``return``, ``break``, ``continue``.

    ``raise`` is none: nothing is reversed of a run that ends with an exception.
    """
    kinds: set[str] = set()
    for statement in opened(block):
        if isinstance(statement, Leave):
            if statement.kind == "return" or statement.kind != "raise" and not inside_loop:
                kinds.add(statement.kind)
        elif isinstance(statement, Branch):
            kinds |= leaves(statement.then, inside_loop) | leaves(statement.orelse, inside_loop)
        elif isinstance(statement, Loop):
            kinds |= leaves(statement.body, True)
    return frozenset(kinds)


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


def is_starred(node: gast.Call) -> bool:
    """Whether a call has arguments of which it is not written how many there are."""
    for item in node.args:
        if type(item) is gast.Starred:
            return True
    return bool(node.keywords) and any(item.arg is None for item in node.keywords)


def located_at(made: Any, place: gast.AST) -> Any:
    """An expression whose new parts have another's place in the source."""
    for part in gast.walk(made):
        if not hasattr(part, "lineno"):
            gast.copy_location(part, place)
    return made


LOAD = gast.Load()


def node_of(kind: Any, *parts: Any) -> Any:
    """A node with these fields, all of them: gast's own constructors take three times as long."""
    node = kind.__new__(kind)
    vars(node).update(zip(kind._fields, parts))
    return node


# the commonest nodes, made in the shortest time


def name(identifier: str) -> gast.Name:
    node = gast.Name.__new__(gast.Name)
    node.__dict__ = {"id": identifier, "ctx": LOAD, "annotation": None, "type_comment": None}
    return node


def constant(value: object) -> gast.Constant:
    node = gast.Constant.__new__(gast.Constant)
    node.__dict__ = {"value": value, "kind": None}
    return node


def binary(left: gast.AST, operator: gast.AST, right: gast.AST) -> gast.BinOp:
    node = gast.BinOp.__new__(gast.BinOp)
    node.__dict__ = {"left": left, "op": operator, "right": right}
    return node


def call(function: gast.AST | str, /, *arguments: gast.AST, **keywords: gast.AST) -> gast.Call:
    callee = name(function) if isinstance(function, str) else function
    return gast.Call(callee, list(arguments), [gast.keyword(key, value) for key, value in keywords.items()])


def open_parameters(args: str, kwargs: str) -> gast.arguments:
    """``*args, **kwargs``, under these names."""
    return gast.arguments([], [], gast.Name(args, gast.Param(), None, None), [], [],
                          gast.Name(kwargs, gast.Param(), None, None), [])


def handed_on(callee: gast.AST, args: list, keywords: list, spec: gast.arguments) -> gast.Call:
    """A call with these arguments and, behind them, those that a function with the parameters ``spec`` gets itself."""
    args = [*args, *(name(item.id) for item in (*spec.posonlyargs, *spec.args))]
    keywords = [*keywords, *(gast.keyword(item.id, name(item.id)) for item in spec.kwonlyargs)]
    if spec.vararg is not None:
        args.append(gast.Starred(name(spec.vararg.id), gast.Load()))
    if spec.kwarg is not None:
        keywords.append(gast.keyword(None, name(spec.kwarg.id)))
    return gast.Call(callee, args, keywords)


def attribute(value: gast.AST, *path: str) -> gast.AST:
    for part in path:
        value = node_of(gast.Attribute, value, part, LOAD)
    return value


def is_everything(index: gast.AST) -> bool:
    """Whether an index takes all of an array: ``u[...]``, ``u[:]``, ``u[()]``."""
    return isinstance(index, gast.Constant) and index.value is ... or isinstance(
        index, gast.Tuple) and not index.elts or isinstance(
        index, gast.Slice) and index.lower is index.upper is index.step is None


def subscript(value: gast.AST, index: gast.AST) -> gast.Subscript:
    return gast.Subscript(value, index, LOAD)


def tuple_of(items: list) -> gast.Tuple:
    return gast.Tuple(list(items), LOAD)


def pattern_expression(pattern: Pattern) -> gast.AST:
    if isinstance(pattern, str):
        return name(pattern)
    if isinstance(pattern, Rest):
        return gast.Starred(name(pattern.name), gast.Store())
    return tuple_of([pattern_expression(part) for part in pattern])


KEYWORDS = frozenset(keyword.kwlist)
"""Which would be the names of what ``__and__``, ``__or__`` or ``d["lambda"]`` give."""


class Names:
    """Hands out names that nothing in a Program uses yet."""

    def __init__(self, taken: set[str] | frozenset[str]):
        self.taken = set(taken)
        self.pinned: set[str] = set()
        """Names that stay taken also when a trial is undone."""
        self.handed: list[tuple[str, str]] = []
        """All names handed out, each with the one that was asked for."""

    def fresh(self, wanted: str, pin: bool = False) -> str:
        """``wanted`` itself where it is free, else the first free of ``wanted_1``, ``wanted_2``, ..."""
        candidate, count = wanted, 0
        while candidate in self.taken or candidate in self.pinned or candidate in KEYWORDS:
            count += 1
            candidate = f"{wanted}_{count}"
        (self.pinned if pin else self.taken).add(candidate)
        self.handed.append((candidate, wanted))
        return candidate
