"""The cotangents of a list's items, put into it as they come: ``params_bar[i] = [w_bar, b_bar]``.

Where each turn of a loop over a list gives its item all the cotangents that the item gets there, the list need not be
made of zeros first, to which they are added. And where nothing else is done with the list, it is returned as it is.
Likewise zeros are not put into the place of an item that gets its cotangents in the lines behind.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard

import gast
import numpy as np

from s2sgrad.compiler.algebra import same, substitute
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import call, constant, name, names_in, root_of
from s2sgrad.compiler.one_name import is_copy, renamed
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Leave,
    Loop,
    Program,
    Store,
    assigned_names,
    blocks_of,
    mentioned,
    statements,
    with_blocks,
)
from s2sgrad.compiler.structures import formed, structure
from s2sgrad.rules.abstract import Abstract, Function, Items, Known, Numeric, item_at

FLOATS = (float, complex, np.inexact, np.ndarray)


def with_first_items(program: Program, operands: Operands) -> Program:
    """An adjoint whose lists of cotangents are filled item by item, where they can be."""
    if not any(map(adds_to_item, statements(program.body))):
        return program
    filling = _Filling(operands.helpers)
    return replace(program, body=filling.block(program.body, True))


def with_first_parts(body: list, helpers: Helpers) -> list:
    """A block in which no item is made of zeros to which all its cotangents are added behind."""
    if not any(map(adds_to_item, body)):
        return body
    filling, lines = _Filling(helpers), list(body)
    for line in body:
        if type(line) is Store and (is_call_of(line.value, filling.zeros_of) and len(line.value.args) == 1
                                    or has_zeros_alone(line.value)):
            lines = filling.put_later(lines, lines.index(line))
    return lines


class _Filling:
    def __init__(self, helpers: Helpers):
        self.helpers = helpers
        self.zeros_of, self.structured = (self.helpers.by_key.get(("helper", label)) for label in (
            "zeros_of", "structured"))

    def block(self, body: tuple, outermost: bool = False) -> tuple:
        lines = [with_blocks(line, self.block) if blocks_of(line) else line for line in body]
        for number, line in enumerate(lines):
            if isinstance(line, Assign) and isinstance(line.target, str) and is_call_of(line.value, self.zeros_of) \
                    and len(line.value.args) == 1:
                self.fill(lines, number, outermost)
        return tuple(lines)

    def fill(self, lines: list, number: int, outermost: bool) -> None:
        """Fill the list of zeros that a line makes in the loop that is the next to mention it."""
        bars: str = lines[number].target
        at = next((place for place in range(number + 1, len(lines)) if is_mentioned(bars, lines[place])), number)
        loop = lines[at]
        if not isinstance(loop, Loop):
            return
        added = [line for line in loop.body if adds_to_item(line) and line.item[2]
                 and root_of(line.target).id == bars]
        first = loop.body.index(added[0]) if added else 0
        rest = (*loop.body[:first], *loop.body[first + len(added):])
        if not added or loop.body[first:first + len(added)] != tuple(added) or bars in names_in(
                loop.iterable, *map(addend, added)) or any(is_mentioned(bars, line) for line in rest):
            return
        end: Any = lines[-1]
        as_it_is = outermost and self.returns(end, bars) and has_arrays_alone(added[0].item[0]) and not any(
            is_mentioned(bars, line) for line in lines[at + 1:-1])
        parts = {line.item[1]: line for line in added}
        item = self.together(parts, added[0].item[0], structure if as_it_is else formed)
        if item is None or len(parts) < len(added):
            return
        store = Store(item_of(added[0]), item, added[0].location)
        lines[at] = replace(loop, body=(*loop.body[:first], store, *loop.body[first + len(added):]))
        empty = gast.BinOp(gast.List([constant(None)], gast.Load()), gast.Mult(), call(
            self.helpers.builtin("len"), lines[number].value.args[0]))
        lines[number] = replace(lines[number], value=empty)
        if as_it_is:
            lines[-1] = replace(end, value=substitute(
                end.value, lambda node: name(bars) if self.is_structured(node, bars) else None, plainly=True))

    def put_later(self, lines: list, number: int) -> list:
        """The same lines with the item where its parts are added, in place of the zeros that the line of this number
        puts into a list."""
        store, target = lines[number], lines[number].target
        names, fixed = {root_of(target).id}, {*names_in(target)}
        added: dict[tuple, Any] = {}
        known: Abstract = Numeric()
        start = end = len(lines)
        for place in range(number + 1, len(lines)):
            line = lines[place]
            adds = is_addition(line) and root_of(line.target).id in names and names.isdisjoint(names_in(addend(line)))
            path = path_inside(line, target) if adds and line.item is not None else None
            if path is not None:
                if path in added and self.together(added, known, formed) is not None:
                    break  # all of the item is there
                added[path] = line
                known = item_at(line.item[0], line.item[1][:len(line.item[1]) - len(path)])
                start, end = min(start, place), place
            elif adds:  # to this item or another
                start = min(start, place)
            elif start == len(lines) and is_copy(line) and line.value.id in names:  # another name for the list
                names.add(line.target)
                target = renamed(store, line.value.id, line.target).target
            elif any(is_mentioned(label, line) for label in names) or not fixed.isdisjoint(assigned_names((line,))):
                break
        chosen = [line for line in lines if line in added.values()]
        item = self.together(added, known, formed) if chosen else None
        read = {label for line in chosen for label in names_in(addend(line))}
        rest = [line for line in lines[start:end] if line not in chosen]
        if item is None or any(is_mentioned(label, line) for label in read for line in rest) or not read.isdisjoint(
                assigned_names(tuple(rest))):
            return lines
        put = replace(store, target=target, value=item, location=chosen[0].location)
        return [*lines[:number], *lines[number + 1:start], put,
                *(line for line in lines[start:] if line not in chosen)]

    def together(self, added: dict[tuple, Any], known: Abstract, made: Any) -> gast.AST | None:
        """The item of which lines add these parts, None where others have a cotangent, too."""
        parts = {path: addend(line) for path, line in added.items()}
        item = self.item(known, (), parts, made)
        return None if parts else item

    def item(self, value: Abstract, path: tuple, parts: dict, made: Any) -> gast.AST | None:
        """The expression that makes an item's cotangent of those of its parts; None where something else is in it."""
        if path in parts:
            return parts.pop(path)
        if isinstance(value, Items) and value.items is not None and not (value.optional or value.late or value.views):
            items = [self.item(item, (*path, step), parts, made) for step, item in zip(value.steps, value.items)]
            return None if None in items else made(value, items, self.helpers)
        if isinstance(value, Numeric) and value.is_number and value.dtype is not None:
            known = value.kind == "python" and value.dtype == float  # for an integer stands None
            return constant(0.0) if known else constant(None) if value.dtype.kind in "iub" else None
        has_none = isinstance(value, Function) or isinstance(value, Known) and not isinstance(value.value, FLOATS)
        return constant(None) if has_none else None

    def returns(self, end: Any, bars: str) -> bool:
        """Whether the last line returns the list in its subject's form, and mentions it nowhere else."""
        return isinstance(end, Leave) and end.value is not None and names_in(end.value).count(bars) == 1 \
            and any(self.is_structured(node, bars) for node in gast.walk(end.value))

    def is_structured(self, node: Any, bars: str) -> bool:
        return is_call_of(node, self.structured) and isinstance(node.args[0], gast.Name) and node.args[0].id == bars


def is_addition(line: Any) -> bool:
    """Whether a line adds to an item of a list, or to a part of one."""
    return adds_to_item(line) or type(line) is Augment and isinstance(line.operator, (gast.Add, gast.Sub))


def adds_to_item(line: Any) -> TypeGuard[Any]:
    """Whether a line adds a whole cotangent to a part of an item."""
    return type(line) in (Augment, Store) and line.item is not None


def addend(line: Any) -> Any:
    """What such a line adds."""
    if isinstance(line, Store):  # place = added(place, more)
        return line.value.args[1]
    return line.value if isinstance(line.operator, gast.Add) else gast.UnaryOp(gast.USub(), line.value)


def item_of(line: Any) -> Any:
    """The item that a line adds to a part of."""
    target = line.target
    for _ in line.item[1]:
        target = target.value
    return target


def path_inside(line: Any, place: gast.AST) -> tuple | None:
    """The steps from a place in an item to the part that a line adds to; None where the part is not in it."""
    target, path = line.target, line.item[1]
    for count in range(len(path) + 1):
        if same(target, place):
            return path[len(path) - count:]  # type: ignore[no-any-return]
        target = getattr(target, "value", None)
    return None


def is_call_of(node: Any, label: Any) -> bool:
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == label


def has_zeros_alone(node: Any) -> bool:
    """Whether an expression makes a container or an object of zeros."""
    if isinstance(node, gast.Call) and node.keywords and not node.args:
        parts = [keyword.value for keyword in node.keywords]
    else:
        parts = getattr(node, "elts", None) or getattr(node, "values", None) or []
    return bool(parts) and all(has_zeros_alone(part) or isinstance(part, gast.Constant) and (
        part.value is None or type(part.value) is float and part.value == 0.0) for part in parts)


def is_mentioned(label: str, line: Any) -> bool:
    """Whether a statement mentions a name, or a block in it."""
    return any(label in mentioned(statement) for statement in statements((line,)))


def has_arrays_alone(value: Abstract) -> bool:
    """Whether all that has a cotangent in a value is an array."""
    if isinstance(value, Items):
        return value.items is not None and all(map(has_arrays_alone, value.items))
    return not value.active or isinstance(value, Numeric) and value.kind == "array"
