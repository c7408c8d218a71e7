"""Texts of functions that are sent by value, as ``cloudpickle`` sends those of a session.

Such a function arrives without the name of its file. What was made of it (see ``entries.py``) takes the text of that
file along, and those of the functions that it reaches.
"""
from __future__ import annotations

import linecache
import threading
import types
from collections import OrderedDict
from collections.abc import Iterator

from s2sgrad.containers import in_library

KEPT = 64
_texts: OrderedDict[str, str] = OrderedDict()
"""By the name of its file, what came along; what came last is last."""
_lock = threading.Lock()


def texts_for(function: types.FunctionType) -> tuple[tuple[str, str], ...]:
    """The files that a function and those that it reaches are read from, each with its text."""
    found: dict[str, str] = {}
    pending: list[object] = [function]
    seen: set[int] = set()
    while pending:
        inner = pending.pop()
        if not isinstance(inner, types.FunctionType) or id(inner) in seen or in_library(inner.__module__):
            continue
        seen.add(id(inner))
        text = "".join(linecache.getlines(inner.__code__.co_filename, inner.__globals__))
        found.update({inner.__code__.co_filename: text} if text else arrived())
        pending += reached(inner)
    return tuple(found.items())


def reached(function: types.FunctionType) -> Iterator[object]:
    """What the names in a function's code stand for outside of it."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue
    codes = [function.__code__]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        yield from (function.__globals__[name] for name in code.co_names if name in function.__globals__)


def bring(texts: tuple[tuple[str, str], ...]) -> None:
    """Keep texts that arrive, and show them in tracebacks where there is no such file."""
    with _lock:
        for filename, text in texts:
            _texts[filename] = text
            _texts.move_to_end(filename)
            if not linecache.getlines(filename):
                linecache.cache[filename] = len(text), None, text.splitlines(True), filename
        while len(_texts) > KEPT:
            _texts.popitem(last=False)


def arrived() -> dict[str, str]:
    """What came along, the last first."""
    with _lock:
        return dict(reversed(_texts.items()))
