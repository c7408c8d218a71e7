"""Which names of an adjoint may stand for the same memory, and which statements write into that."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.ownership import gives_new_memory, memory
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Branch,
    Leave,
    Loop,
    Program,
    Store,
    assigned_names,
    mentioned,
    pattern_names,
    statements,
    written_name,
)
from s2sgrad.rules.abstract import Numeric


class MemoryGroups:
    def __init__(self, program: Program, operands: Operands):
        self.operands = operands
        self.outside = {*operands.helpers.by_key.values(), *operands.helpers.objects}
        self.groups: dict[str, set[str]] = {}
        """For each name those that may stand for the same memory, itself included."""
        self.writers: dict[str, list] = {}
        """For each name the statements that write into its memory, or hand it to who knows whom."""
        for statement in statements(program.body):
            self.note_sharing(statement)

    def note_sharing(self, statement: Any) -> None:
        written: Iterable[str] = ()
        if isinstance(statement, Assign) and gives_new_memory(statement, self.operands):
            return
        if isinstance(statement, (Assign, Loop)):
            value = statement.value if isinstance(statement, Assign) else statement.iterable
            labels = memory(value, self.operands) - self.outside
            if labels and isinstance(value, gast.Call) and isinstance(statement, Assign) \
                    and self.operands.rule(value) is None:
                written = labels
            if labels:
                self.join(labels | set(pattern_names(statement.target or ())))
        elif isinstance(statement, (Augment, Store)):
            written = written_name(statement),
            if isinstance(statement, Store) and not isinstance(self.operands.evaluate(statement.target.value), Numeric):
                self.join({*written, *memory(statement.value, self.operands)} - self.outside)
        elif not isinstance(statement, (Branch, Leave)):
            written = mentioned(statement) | assigned_names((statement,))
        for label in written:
            self.writers.setdefault(label, []).append(statement)

    def join(self, labels: set[str]) -> None:
        group = self.shared(labels)
        self.groups.update(dict.fromkeys(group, group))

    def shared(self, labels: set[str]) -> set[str]:
        """All names for the memory that has these."""
        return labels.union(*[self.groups[label] for label in labels if label in self.groups])

    def writing(self, labels: Iterable[str]) -> list:
        """The statements that write into the memory that has one of these names."""
        return [statement for label in labels for statement in self.writers.get(label, ())]
