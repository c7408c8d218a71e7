"""Functions that give back what they get: ``p = relax(p, n)``, where ``relax`` writes into ``p`` and returns it, is the
statement ``relax(p, n)``, and ``q = relax(p, n)`` is that with another name for ``p``. So it is known which names stand
for one array, and an argument whose name is bound to what it was before is not bound anew.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.facts import Called, Facts, same_array
from s2sgrad.compiler.nodes import located_at, name, tuple_of
from s2sgrad.compiler.program import Assign, Evaluate, Leave, Program, always_leaves, read_names, statements


def argument_given_back(called: Called) -> gast.AST | None:
    """The argument that a call gives back, as ``acc.add(v)`` does that returns ``self``."""
    given = _returned(called)
    return None if given is None else _the_same(called, given)


def arguments_given_back(called: Called, count: int) -> list[gast.AST | None]:
    """Of a function that returns a tuple of so many parts, the arguments that these are, None for others."""
    returned = _returned(called)
    if not returned or not all(isinstance(node, gast.Tuple) and len(node.elts) == count for _, node in returned):
        return [None] * count
    return [_the_same(called, [(leaves, node.elts[place]) for leaves, node in returned])  # type: ignore[attr-defined]
            for place in range(count)]


def _returned(called: Called) -> list[tuple[Leave, Any]] | None:
    """The statements that a function returns with, and what they return; None where it may return nothing, or is not
    known well enough."""
    derivative = called.derivative
    if not derivative.settled or not always_leaves(derivative.program.body):
        return None
    return [(statement, statement.value) for statement in statements(derivative.program.body)
            if isinstance(statement, Leave) and statement.kind == "return" and statement in derivative.facts.before]


def _the_same(called: Called, returned: list[tuple[Leave, Any]]) -> gast.AST | None:
    """The argument for the parameter that all of these expressions are."""
    facts, parameters = called.derivative.facts, called.derivative.parameters
    found = {node.id if isinstance(node, gast.Name) and node.id in parameters
             and same_array(facts.parameters[node.id], facts.before[statement][node.id]) else None
             for statement, node in returned}
    label = found.pop() if len(found) == 1 else None
    return None if label is None else called.arguments[parameters.index(label)]


def without_what_is_given_back(statement: Assign, called: Called, program: Program, facts: Facts,
                               temporary: Callable[[Any, str], str]) -> list | None:
    """The statements for one that binds names, which the program reads, to arrays that a call has written into and
    gives back, or to containers that have these names already; None where there are none of those.
    ``temporary``: gives a statement's name for what nobody reads."""
    if not called.written:
        return None
    single = isinstance(statement.target, str)
    targets: Any = (statement.target,) if single else statement.target
    if not all(isinstance(part, str) for part in targets):
        return None
    parts = [argument_given_back(called)] if single else arguments_given_back(called, len(targets))
    if not any(_is_written(part, label, called) for label, part in zip(targets, parts)):
        return None
    read = read_names(program.body)
    given = [part.id if isinstance(part, gast.Name) and label in read else None for label, part in zip(targets, parts)]
    inside = facts.inner.keys() | program.inner.keys()
    if not any(given) or not inside.isdisjoint(given) or any(
            part is None and label in given for label, part in zip(targets, given)):
        return None
    if all(label not in read or part is not None for label, part in zip(targets, given)):
        alone: Any = Evaluate(statement.value, statement.location)
    else:
        alone = replace(statement, target=tuple(
            label if part is None else temporary(statement, label) for label, part in zip(targets, given)))
    bound = [(label, part) for label, part in zip(targets, given) if part is not None and label != part]
    if not bound:
        return [alone]
    labels, values = zip(*bound)
    names = Assign(labels[0], name(values[0]), statement.location) if len(bound) == 1 else Assign(
        labels, located_at(tuple_of(list(map(name, values))), statement.value), statement.location)
    return [alone, names]


def _is_written(node: gast.AST | None, label: str, called: Called) -> bool:
    """Whether an argument is an array into which the call writes, or what the name is that it is bound to."""
    if not isinstance(node, gast.Name):
        return False
    written = [parameter for parameter, given in called.written.items() if given == node.id]
    return bool(written) and (node.id == label or called.derivative.facts.stored.keys().isdisjoint(written))
