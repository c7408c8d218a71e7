"""Functions defined inside that remember what they gave (``functools.lru_cache``, ``functools.cache``), as two
functions and the dict that they share: what is in a dict is differentiated, and is computed once."""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.nodes import located_at, name, subscript, tuple_of
from s2sgrad.compiler.scopes import parameters


def remembers(decorator: Any, function: Any, local: set[str]) -> bool:
    """Whether a decorator is one of those, with any size: what was forgotten would come out the same again."""
    made_by = decorator.func if isinstance(decorator, gast.Call) else decorator
    root: Any = made_by.value if isinstance(made_by, gast.Attribute) else made_by
    return isinstance(root, gast.Name) and root.id not in local and held(made_by, function) in (
        functools.lru_cache, functools.cache)


def with_memory(node: Any, fresh: Callable[[str], str]) -> list | None:
    """The definitions that stand for that of a function that remembers; None where its arguments are no key."""
    if node.args.vararg is not None or node.args.kwarg is not None:
        return None
    memory, once = fresh(f"{node.name}_memory"), fresh(f"{node.name}_once")
    labels = [item.id for item in parameters(node.args)]
    key = name(labels[0]) if len(labels) == 1 else tuple_of([name(label) for label in labels])
    only = {item.id for item in node.args.kwonlyargs}
    value = gast.Call(name(once), [name(label) for label in labels if label not in only],
                      [gast.keyword(label, name(label)) for label in labels if label in only])
    plain, remembering = copy.copy(node), copy.copy(node)
    plain.name, plain.decorator_list, remembering.decorator_list = once, [], []
    remembering.args = copy.deepcopy(node.args)
    item = subscript(name(memory), key)
    store = subscript(name(memory), copy.deepcopy(key))
    store.ctx = gast.Store()
    is_new = gast.Compare(copy.deepcopy(key), [gast.NotIn()], [name(memory)])
    remembering.body = [gast.If(is_new, [gast.Assign([store], value, None)], []), gast.Return(item)]
    goal = gast.Name(memory, gast.Store(), None, None)
    made = gast.Assign([goal], gast.Dict([], []), None)
    place = node.decorator_list[0]
    return [located_at(made, place), plain, located_at(remembering, place)]
