"""One name for a cotangent that has two in an adjoint, the other one for a while: ``part_bar = u_bar``, some lines with
``part_bar``, and ``u_bar = part_bar``."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import substitute
from s2sgrad.compiler.nodes import name
from s2sgrad.compiler.program import Assign, Program, assigned_names, blocks_of, mentioned, statements, with_blocks


def with_one_name(program: Program) -> Program:
    """An adjoint without such lines."""
    copies = [line for line in statements(program.body) if is_copy(line)]
    if len({frozenset((line.target, line.value.id)) for line in copies}) == len(copies):
        return program
    return replace(program, body=_OneName(program).block(program.body))


class _OneName:
    def __init__(self, program: Program):
        self.program = program

    def block(self, body: tuple) -> tuple:
        lines = [with_blocks(line, self.block) if blocks_of(line) else line for line in body]
        for copy in [line for line in lines if is_copy(line)]:
            start = lines.index(copy) if copy in lines else len(lines)
            end = next((place for place in range(start + 1, len(lines)) if is_copy(lines[place])
                        and (lines[place].target, lines[place].value.id) == (copy.value.id, copy.target)), None)
            if end is not None and self.may_have_one(copy.target, copy.value.id, lines[start + 1:end]):
                lines[start:end + 1] = [renamed(line, copy.target, copy.value.id) for line in lines[start + 1:end]]
        return tuple(lines)

    def may_have_one(self, label: str, other: str, between: list) -> bool:
        """Whether a name stands in these lines alone, always for the same, and the other one does not."""
        inside = statements(tuple(between))
        if any(label in getattr(line, "writes", ()) or other in mentioned(line) for line in inside) or not {
                label, other}.isdisjoint(assigned_names(tuple(between), False)):
            return False
        count = sum(label in mentioned(line) or label in assigned_names((with_blocks(line, lambda block: ()),), False)
                    for line in statements(self.program.body))
        return count == sum(label in mentioned(line) for line in inside) + 2


def is_copy(line: Any) -> bool:
    """Whether a line gives a name to what has one."""
    return type(line) is Assign and isinstance(line.target, str) and isinstance(line.value, gast.Name)


def renamed(line: Any, label: str, other: str) -> Any:
    """A line with another name in the place of one."""
    changed = with_blocks(line, lambda block: tuple(renamed(inner, label, other) for inner in block))
    if label not in mentioned(line):
        return changed
    return replace(changed, **{field: substitute(part, lambda node: name(other) if isinstance(
        node, gast.Name) and node.id == label else None, plainly=True)
        for field, part in vars(changed).items() if isinstance(part, gast.AST)})
