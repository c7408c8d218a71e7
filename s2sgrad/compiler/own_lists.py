"""Whether functions change containers that others may have: lists of a function's own that it fills are none."""
from __future__ import annotations

import gast

from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.program import Append, Assign, Leave, Loop, Program, expressions_in, statements
from s2sgrad.rules.abstract import Items, Numeric, items_of


def changes_containers(program: Program, facts: Facts) -> bool:
    """Whether a function puts something else into containers that others may have, too."""
    return any(not is_own_list(label, program, facts) for label in {version.name for version in facts.reshaped}) \
        or not all(isinstance(version.value, Items) and version.value.kind is list and all(
            isinstance(item, Numeric) for item in items_of(version.value)) for version in facts.reshaped)


def is_own_list(label: str, program: Program, facts: Facts) -> bool:
    """Whether a name stands for a list that the function makes and appends to, and that goes nowhere before it is
    returned: its items are read, a loop runs over it, a rule is applied to it."""
    makers = [statement for statement, defined in facts.defined if defined == label]
    made = [isinstance(maker, Assign) and maker.target == label and isinstance(maker.value, gast.List)
            for maker in makers]
    if not any(made) or label in facts.parameters or label in facts.captured or not all(
            mine or isinstance(maker, Append) for mine, maker in zip(made, makers)):
        return False
    for statement in statements(program.body):
        for part in expressions_in(statement):
            mentioned = names_in(part).count(label)
            whole = isinstance(part, gast.Name) and (
                isinstance(statement, (Leave, Loop)) or isinstance(statement, Append) and part is statement.target)
            if mentioned and not whole and mentioned != sum(reads(node, label, facts) for node in gast.walk(part)):
                return False
    return True


def reads(node: gast.AST, label: str, facts: Facts) -> int:
    """How often an expression itself reads items of what has a name, or applies a rule to it."""
    if isinstance(node, gast.Subscript):
        inside = [node.value]
    else:
        inside = node.args if isinstance(node, gast.Call) and id(node) in facts.applied else []
    return sum(isinstance(part, gast.Name) and part.id == label for part in inside)
