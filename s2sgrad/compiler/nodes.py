"""Expressions as syntax nodes: looking through them, making them, and making them anew with other parts."""
from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast


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


def with_statements(node: gast.Lambda, before: Iterable[gast.stmt] = ()) -> gast.FunctionDef:
    """A lambda as a function with statements, of which the last returns what it gives."""
    whole = located_at(gast.Return(node.body), node.body)
    made = gast.FunctionDef("function", node.args, [*before, whole], [], None, None)
    return located_at(made, node)  # type: ignore[no-any-return]


LOAD = gast.Load()


def node_of(kind: Any, *parts: Any) -> Any:
    """A node with these fields, all of them: gast's own constructors take three times as long."""
    node = kind.__new__(kind)
    vars(node).update(zip(kind._fields, parts))
    return node


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


def is_plain(node: gast.AST) -> bool:
    """Whether an expression reads only names and literals."""
    return not any(isinstance(part, (gast.Call, gast.Attribute, gast.Subscript, gast.Starred))
                   for part in walk(node))


def tuple_of(items: list) -> gast.Tuple:
    return gast.Tuple(list(items), LOAD)


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
