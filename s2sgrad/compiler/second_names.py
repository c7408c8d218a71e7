"""Whether two names may lead to one container, as far as a function's text tells: for loops over what dicts hold, which
see what is put into these under any name."""
from __future__ import annotations

import gast

from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import holder, names_in
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Delete,
    Evaluate,
    Loop,
    Statement,
    Store,
    pattern_names,
    statements,
    written_name,
)
from s2sgrad.compiler.sharing import bound_beside, makes_container
from s2sgrad.rules.abstract import Items, items_of, may_hold


def changed_under_another_name(label: str, loop: Loop, environment: dict, facts: Facts) -> bool:
    """Whether the body of a loop may change a dict that a name leads to under another one."""
    changed = {other for part in statements(loop.body) for other in changed_by(part)
               if other != label and other in environment and may_hold(environment[other].value, dict)}
    return may_share(label, changed, facts)


def may_share(label: str, others: set[str], facts: Facts) -> bool:
    """Whether a name may lead to a dict that one of others leads to."""
    if not others:
        return False
    leads = leading(facts)
    whole = reached(label, leads)
    return any(not whole.isdisjoint(reached(other, leads)) for other in others)


def changed_by(part: Statement) -> set[str]:
    """The names under which a statement may change a container."""
    if isinstance(part, (Store, Augment, Append)):
        return {written_name(part)}
    if isinstance(part, Delete):
        return {holder(part.target) or ""}
    calls = isinstance(part, (Assign, Evaluate)) and isinstance(part.value, gast.Call)
    return set(names_in(part.value)) if calls else set()


def leading(facts: Facts) -> dict[str, set[str]]:
    """For names of what may hold dicts, the others of these in what they are bound to; of new containers that hold no
    dicts none."""
    held = {(None, label): version for label, version in facts.parameters.items()} | facts.defined
    held = {key: version for key, version in held.items() if may_hold(version.value, dict)}
    labels = {label for _, label in held}
    found: dict[str, set[str]] = {}
    for (statement, label), version in held.items():
        node = getattr(statement, "iterable" if isinstance(statement, Loop) else "value", None)
        new = isinstance(getattr(statement, "target", None), str) and isinstance(statement, Assign) \
            and isinstance(version.value, Items) and makes_container(statement.value, facts)
        if node is not None and not (new and not any(may_hold(item, dict) for item in items_of(version.value))):
            found.setdefault(label, set()).update(labels.intersection(names_in(node)))
        if isinstance(statement, Assign) and facts.callee_of(statement.value) is not None:
            together = labels.intersection(pattern_names(statement.target))  # a call may give one dict twice
            beside = bound_beside(statement, together, facts, boxes=True)
            found.setdefault(label, set()).update(beside.get(label, ()))  # it may have been changed, not given
    return found


def reached(label: str, leads: dict[str, set[str]]) -> set[str]:
    """A name, and those that it leads to."""
    found: set[str] = set()
    pending = [label]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(leads.get(name, ()))
    return found
