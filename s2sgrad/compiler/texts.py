"""What the methods of texts give: other texts, which may be keys, lists of them, and numbers; where something is in a
list; and texts that are put together of known ones."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from s2sgrad.compiler.nodes import constant
from s2sgrad.rules.abstract import (
    BOOLEAN,
    INTEGER,
    KEY,
    MISSING,
    Abstract,
    Items,
    Known,
    is_key,
    known_value,
    slice_bounds,
)

ONLY_OF_TEXTS = ("lower", "upper", "casefold", "capitalize", "swapcase", "title", "strip", "lstrip", "rstrip")
"""Methods that other keys don't have."""

TEXTS = (*ONLY_OF_TEXTS, "replace", "removeprefix", "removesuffix", "join", "format", "zfill", "center", "ljust",
         "rjust", "translate", "expandtabs")
LISTS = ("split", "rsplit", "splitlines")
TUPLES = ("partition", "rpartition")
NUMBERS = ("index", "rindex", "find", "rfind", "count")
TESTS = ("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isdecimal", "isnumeric", "isspace", "islower",
         "isupper", "isidentifier")


def result_of_method(value: Abstract | None, method: str) -> Abstract | None:
    """What a method of a text gives, or one that counts in a list or tuple; None for all others."""
    if isinstance(value, Items) and value.kind in (list, tuple) and method in ("index", "count"):
        return INTEGER
    if not isinstance(value, Known) or not isinstance(value.value, str):
        return KEY if value is not None and is_key(value) and method in ONLY_OF_TEXTS else None
    if method in TEXTS:
        return KEY
    if method in LISTS:
        return Items(list, None, KEY)
    if method in TUPLES:
        return Items(tuple, (KEY, KEY, KEY))
    return INTEGER if method in NUMBERS else BOOLEAN if method in TESTS else None


def known_result(text: str, method: str, arguments: Sequence[Abstract]) -> Any:
    """What a method of a known text gives where its arguments are known as well: a text, number or truth value, or
    several texts; None where it is not known, or the call fails."""
    values = [known_value(item) for item in arguments]
    if type(text) is not str or method not in (*TEXTS, *NUMBERS, *TESTS, *LISTS, *TUPLES):
        return None
    if not all(map(is_plain, values)):
        return None
    try:
        return getattr(text, method)(*values)
    except (TypeError, ValueError, LookupError):
        return None  # Python raises it when the line runs


def known_letters(text: Any, index: Abstract) -> str | None:
    """A letter or slice of a text; None where the text is not known, nor which, or there is none."""
    if type(text) is not str:
        return None
    place: Any = known_value(index)
    if type(place) is not int:
        bounds = slice_bounds(index)
        if bounds is None or MISSING in bounds or bounds[2] == 0:
            return None
        place = slice(*bounds)
    elif not -len(text) <= place < len(text):
        return None
    return text[place]


def filled_in(template: str, value: Any) -> str | None:
    """What ``template % value`` gives; None where the value is not known, or does not fit."""
    if type(template) is not str or not is_plain(value):
        return None
    try:
        return template % value
    except (TypeError, ValueError):
        return None


def literal_spec(node: Any) -> Any:
    """The format that is written behind a value in a text, MISSING where it is computed."""
    parts: Any = getattr(node, "values", ())
    return getattr(parts[0], "value", MISSING) if len(parts) == 1 else MISSING


def shown(part: Any, value: Any) -> Any:
    """What an f-string has of a value that is known, in the place of one of its parts; MISSING where that is no text or
    integer, or the format is computed, or none for it."""
    if type(value) not in (str, int):
        return MISSING
    if getattr(part, "format_spec", None) is None and getattr(part, "conversion", -1) == -1:
        return str(value)
    spec = literal_spec(part.format_spec)
    try:
        return format(value, spec) if part.conversion == -1 and type(spec) is str else MISSING
    except ValueError:
        return MISSING


def is_plain(value: Any) -> bool:
    """Whether something is a text or an integer, or a tuple or list of such."""
    return all(map(is_plain, value)) if type(value) in (tuple, list) else type(value) in (str, int)


def is_in(item: Abstract, whole: Abstract) -> bool | None:
    """Whether a text or an integer is part of a text, an item of a list or tuple, or a key of a dict, all of which are
    known; None where that is not known."""
    value, inside = known_value(item), known_value(whole)
    if isinstance(whole, Items) and whole.is_dict and not whole.optional:
        inside = whole.keys
    if not is_plain(value) or type(inside) not in (str, tuple, list) or type(inside) is str and type(
            value) is not str:
        return None
    if not isinstance(inside, str) and not all(other is None or is_plain(other) for other in inside):
        return None
    return value in inside


def written_text(node: Any) -> gast.AST | None:
    """A text that is put together of literals, as one: ``"w0"`` for ``f"w{0}"``; None for all else."""
    if isinstance(node, gast.JoinedStr):
        parts = [part.value if isinstance(part, gast.FormattedValue) and part.conversion == -1
                 and part.format_spec is None else part for part in node.values]
        plain = len(parts) > 1 and all(isinstance(part, gast.Constant) for part in parts)  # a lone one may be a format
        return gast.copy_location(constant("".join(str(part.value) for part in parts)), node) if plain else None
    if isinstance(node, gast.BinOp) and isinstance(node.left, gast.Constant) and type(node.left.value) is str \
            and isinstance(node.right, gast.Constant):
        text = filled_in(node.left.value, node.right.value) if isinstance(node.op, gast.Mod) else \
            node.left.value + node.right.value if isinstance(node.op, gast.Add) and type(
                node.right.value) is str else None
        return None if text is None else gast.copy_location(constant(text), node)
    return None
