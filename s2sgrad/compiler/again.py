"""Gradients as functions with a text, so that they can be differentiated like any other."""
from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.emit import compile_text
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.origins import behind, is_generated
from s2sgrad.compiler.targets import target_of
from s2sgrad.containers import contents, is_instance
from s2sgrad.entries import entries_of
from s2sgrad.errors import ArgumentError, Location, UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import MISSING, NEVER, Abstract, Items, Known, Numeric, Opaque
from s2sgrad.signature import written_arguments, written_header

GRADIENT = "__s2sgrad_gradient__"
"""The attribute of a function that makes one call of what ``grad`` made: the entry behind that."""
BY_GRADIENT = "__s2sgrad_by_gradient__"
"""The attribute of such a function that gives a tangent: it makes one that does so out of a gradient."""
GIVEN = "__s2sgrad_given__"
"""The attribute of a generated function that holds what its text mentions besides the user's own names; of what is in a
cell, the cell."""
KEPT = "__s2sgrad_kept__"
"""The attribute of a generated function that holds the names of what it saves for an adjoint, by turns and by calls."""
COTANGENTS = "__s2sgrad_cotangents__"
"""The attribute of a generated function that holds its names for cotangents: what it adds to in place, or takes out of
a container of them, is in no other."""
ORDERS = "__s2sgrad_orders__"
"""The attribute of a tangent function that holds of which order its names are: 0 of values, 1 of their tangents. No two
of different orders share memory."""
GIVES_BACK = "__s2sgrad_gives_back__"
"""The attribute of a generated adjoint that holds the names of the arguments whose memory its result may be: each a
cotangent of what an array, or something in an object, is in the end."""


class ClosedObject(UnsupportedError):
    """Something is stored in an object of which it is not known what attributes it has."""


@frozen
class Differentiated:
    """What a gradient is of."""

    definition: Definition
    label: str
    wanted: tuple[str, ...]
    mode: Mode


def differentiated(definition: Definition, parameters: tuple[str, ...]) -> Differentiated:
    """What is behind a function that makes one call of a gradient, or a gradient of a function defined inside, which
    has these parameters."""
    if not definition.gradient:
        entry = getattr(definition.function, GRADIENT)
        original = replace(entry.definition, hidden=definition.hidden,  # what the call's arguments take along
                           outer=definition.outer)
        return Differentiated(original, entry.subject.name, entry.wanted, entry.mode)
    *inner, (maker, argnums, has_aux, holomorphic) = definition.gradient
    names = parameters[:definition.extra + sum(item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)
                                               for item in definition.signature().parameters.values())]
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    if not all(type(number) is int and -len(names) <= number < len(names) for number in numbers):
        raise ArgumentError(f"argnums {argnums} is out of range: there are {len(names)} positional parameters",
                            "count from 0")
    mode = Mode("first" if has_aux else "one", maker.__name__ == "value_and_grad", not isinstance(argnums, tuple),
                holomorphic)
    label = getattr(definition.syntax, "name", "the lambda")
    wanted = tuple(names[number] for number in numbers)
    return Differentiated(replace(definition, gradient=tuple(inner)), label, wanted, mode)


def in_parts(value: Abstract, read: Callable[[str, Any], Abstract], location: Location | None) -> Abstract:
    """What is known of something in which a derivative is found that is differentiated again: of objects from outside
    by their attributes, which ``read`` gives, and of floats that they are some: a text with their digits would not
    depend on them. Raises UnsupportedError where nothing tells whether it is an object: what arguments hold is looked
    into then."""
    if isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind in "fc":
        return replace(value, value=MISSING)
    if isinstance(value, Items):
        return replace(value, items=value.items and tuple(in_parts(item, read, location) for item in value.items),
                       element=value.element and in_parts(value.element, read, location))
    if isinstance(value, Opaque) and value is not NEVER and not value.steady and value.besides is None \
            and value.kind is None and value.bounds is None:
        raise UnsupportedError("a derivative in this is differentiated again, and nothing tells what numbers it holds",
                               "differentiate in an object that the function gets as an argument, and in no copy of "
                               "it; leave sets out of what is differentiated in", location)
    held = contents(value.value) if isinstance(value, Known) and is_instance(value.value) else None
    return value if held is None else Items(
        held.kind, tuple(in_parts(read(label, value.value), read, location) for label in held.steps), keys=held.keys)


def given_to(function: types.FunctionType) -> dict[str, Any]:
    """What a generated function's text mentions besides the user's own names; nothing for the user's functions."""
    return {label: value.cell_contents if isinstance(value, types.CellType) else value
            for label, value in getattr(function, GIVEN, {}).items()}


def at_the_users(refusal: UnsupportedError) -> UnsupportedError:
    """A refusal of a generated line, told of the user's line that it comes from."""
    place, line = refusal.location, ""
    while place is not None and is_generated(place):
        line = line or place.text().partition("  # ")[0].strip()
        place = behind(place)
    if place is refusal.location:
        return UnsupportedError(refusal.reason, refusal.remedy, place)  # less what a kind of it tells the compiler
    remedy = refusal.remedy
    if isinstance(refusal, ClosedObject):
        remedy = "let its __init__ set all attributes that it ever has, to None those that come later"
    elif not comes_from_a_rule(refusal):
        remedy = ("make new arrays, lists and objects here, in place of changing what has another name, let __init__ "
                  "set all attributes, or have fewer kinds of values under one name")
    return UnsupportedError(f"the gradient of this can't be differentiated again, for in {line}, {refusal.reason}",
                            remedy, place)


def comes_from_a_rule(refusal: UnsupportedError) -> bool:
    """Whether a formula's own conditions are not met, which its remedy tells how to meet."""
    trace, module = refusal.__traceback__, ""
    while trace is not None:
        module, trace = trace.tb_frame.f_globals.get("__name__", ""), trace.tb_next
    return module.startswith("s2sgrad.rules.")


def written_gradient(gradient: Any, entry: Any) -> types.FunctionType:
    """A Python function that makes one call of what ``grad`` made. ``entry``: the one that such a call runs.

    Where the callable that was differentiated adds arguments of its own, it is a call of the gradient of the function
    behind that, with those arguments read where the callable has them.
    """
    made: types.FunctionType = entries_of(gradient).once(("written", entry), lambda: _written(gradient, entry))
    return made


def _written(gradient: Any, entry: Any) -> types.FunctionType:
    items = entry.signature.parameters.values()
    subject = entry.subject
    label = f"{subject.name}_gradient" if subject.name.isidentifier() else "gradient"
    names = Names({label, *entry.signature.parameters})
    callee, around = names.fresh("gradient"), names.fresh("around")
    added = [reached(around, steps) for steps, _ in target_of(subject.given.value).positional] if subject.added else []
    plain = subject.added or subject.keywords
    passed = ", ".join(filter(None, [*added, written_arguments(items)]))
    outside = {callee: of_the_function_behind(gradient, entry) if plain else gradient, around: subject.given.value}
    made = compile_text(f"def {label}({written_header(items)}):\n    return {callee}({passed})\n", label,
                        {"__name__": "s2sgrad.written", "__builtins__": builtins, **outside}, {}, *entry.defaults())
    if not plain:
        setattr(made, GRADIENT, entry)
    return made


def reached(label: str, steps: tuple) -> str:
    """The text of what these steps lead to, from what has a name."""
    return label + "".join(f".{step}" if isinstance(step, str) else f"[{step[0]!r}]" for step in steps)


def of_the_function_behind(gradient: Any, entry: Any) -> Any:
    """The same gradient as that of a callable, of the function that it calls."""
    make, (_, argnums, *rest) = gradient.making
    numbers = tuple(entry.parameters.index(label) for label in entry.wanted)
    return make(entry.function, numbers if isinstance(argnums, tuple) else numbers[0], *rest)
