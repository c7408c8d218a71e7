"""Whether the containers in a container are each in one place only.

Where ``rows[0]`` and ``rows[1]`` may be the same list, a write into one changes the other; their cotangents, which are
kept by place, would not know.
"""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.facts import Facts, Version, origins
from s2sgrad.compiler.program import Append, Assign, Program, Store, statements
from s2sgrad.compiler.sharing import makes_container
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric


class Apart:
    def __init__(self, program: Program, facts: Facts):
        self.facts = facts
        self.puts = [statement.value for statement in statements(program.body)
                     if isinstance(statement, (Assign, Append, Store)) and not (
                         isinstance(statement, Assign) and isinstance(statement.value, gast.Name))]
        self.made: dict[Version, tuple[Any, gast.AST]] = {}
        for (statement, label), version in facts.defined.items():
            if isinstance(statement, Assign) and statement.target == label:
                self.made[version] = statement, statement.value
        self.changed_by = {version: statement for statement, (_, version) in facts.in_place.items()}

    def holds(self, version: Version) -> bool:
        """Whether it holds of the container that a name stands for."""
        seen: set[Version] = set()
        pending = [version]
        while pending:
            version = pending.pop()
            if version in seen:
                continue
            seen.add(version)
            if version.sources:
                pending.extend(version.sources)
                put = self.changed_by.get(version)
                if isinstance(put, (Append, Store)) and not self.is_new(put.value, version, self.facts.before[put]):
                    return False
            elif version not in self.made:
                return False
            else:
                statement, value = self.made[version]
                if not self.holds_new(value, version, self.facts.before[statement]):
                    return False
        return True

    def holds_new(self, node: Any, place: Version, environment: dict) -> bool:
        """Whether the containers in what an expression makes are in no other place."""
        if flat(self.facts.values[id(node)]):
            return True
        if isinstance(node, (gast.List, gast.Tuple)):
            return all(self.is_new(item, place, environment) for item in node.elts)
        if isinstance(node, gast.Dict):
            return all(self.is_new(item, place, environment) for item in node.values)
        return isinstance(node, gast.ListComp) and self.is_new(node.elt, place, environment)

    def is_new(self, node: Any, place: Version, environment: dict) -> bool:
        """Whether what is put into a container is in no other place, nor what it holds."""
        if isinstance(self.facts.values[id(node)], (Numeric, Known)):
            return True
        if not isinstance(node, gast.Name):
            return makes_container(node, self.facts) and self.holds_new(node, place, environment)
        made = origins(environment[node.id]) if node.id in environment else set()
        put = sum(isinstance(part, gast.Name) and part.id == node.id
                  for value in self.puts for part in gast.walk(value))
        if len(made) != 1 or not made <= self.made.keys() or put > 1:
            return False
        (version,) = made
        statement, value = self.made[version]
        return version.loop is place.loop and makes_container(
            value, self.facts) and self.holds(environment[node.id])


def flat(value: Abstract) -> bool:
    """Whether a container holds no others."""
    if not isinstance(value, Items):
        return False
    return all(isinstance(item, (Numeric, Known)) for item in (value.items if value.items is not None
                                                               else [value.element]))
