"""What the methods of texts give: other texts, which may be keys, lists of them, and numbers; and where something is
in a list."""
from __future__ import annotations

from s2sgrad.rules.abstract import BOOLEAN, INTEGER, KEY, Abstract, Items, Known, is_key

ONLY_OF_TEXTS = ("lower", "upper", "casefold", "capitalize", "swapcase", "title", "strip", "lstrip", "rstrip")
"""Methods that other keys don't have."""

TEXTS = (*ONLY_OF_TEXTS, "replace", "removeprefix", "removesuffix", "join", "format", "zfill", "center", "ljust",
         "rjust", "translate", "expandtabs")
LISTS = ("split", "rsplit", "splitlines")
NUMBERS = ("index", "rindex", "find", "rfind", "count")
TESTS = ("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isdecimal", "isnumeric", "isspace", "islower",
         "isupper", "isidentifier")


def result_of_method(value: Abstract | None, method: str, alone: bool = False) -> Abstract | None:
    """What a method of a text gives, or one that counts in a list or tuple; None for all others. ``alone``: it gets no
    arguments."""
    if isinstance(value, Items) and value.kind in (list, tuple) and method in ("index", "count"):
        return INTEGER
    if not isinstance(value, Known) or not isinstance(value.value, str):
        return KEY if value is not None and is_key(value) and method in ONLY_OF_TEXTS else None
    if method in TEXTS:
        return Known(getattr(value.value, method)()) if alone and method in ONLY_OF_TEXTS else KEY
    if method in LISTS:
        return Items(list, None, KEY)
    return INTEGER if method in NUMBERS else BOOLEAN if method in TESTS else None
