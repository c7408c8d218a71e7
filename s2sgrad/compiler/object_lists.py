"""The lists of objects, or of dicts, that a program has, and names for them that never stand for another list."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.dotted import is_dotted, spelled
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import Names, name
from s2sgrad.compiler.program import Assign, Program, expressions_in, pattern_names, statements
from s2sgrad.compiler.sharing import makes_container
from s2sgrad.rules.abstract import Items, items_of


def lists_of_objects(program: Program, facts: Facts) -> list[gast.AST]:
    """The names, and attributes of names, of lists of objects in a program."""
    found: dict[str, gast.AST] = {}
    for statement in statements(program.body):
        for expression in expressions_in(statement):
            for node in gast.walk(expression):
                if is_dotted(node) and holds_objects(facts.values.get(id(node))):
                    found.setdefault(spelled(node), node)
    return list(found.values())


def holds_objects(value: Any) -> bool:
    """Whether a value is a list or tuple of objects, or of dicts."""
    if not isinstance(value, Items) or value.kind not in (list, tuple) or value.optional:
        return False
    found = list(items_of(value))
    return bool(found) and all(
        isinstance(item, Items) and (item.is_object or item.is_dict) and not item.optional for item in found)


def with_first_list_apart(program: Program, facts: Facts, home: Any) -> tuple[Program, gast.AST]:
    """The program with another name for the list that is made where a name is bound first, if the name gets lists made
    of that later, ``parts = [p for p in parts if p.mass > 0]``; and what is the list's name then."""
    makers = [statement for statement in statements(program.body) if isinstance(home, gast.Name)
              and isinstance(statement, Assign) and home.id in pattern_names(statement.target)]
    first = makers[0] if len(makers) > 1 else None
    if first is None or first not in program.body or first.target != home.id or not makes_container(
            first.value, facts):
        return program, home
    own = Names(program.names | set(facts.given) | facts.reserved).fresh(home.id)
    place = program.body.index(first)
    again = replace(first, value=gast.copy_location(name(own), first.value))
    body = (*program.body[:place], replace(first, target=own), again, *program.body[place + 1:])
    return replace(program, body=body, names=program.names | {own}), name(own)
