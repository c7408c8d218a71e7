"""The ``__init__`` of a dataclass as a function with source: its fields filled in turn, new lists made where the class
has factories for them, ``__post_init__`` called. The one that Python generates has no text to be read."""
from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import linecache
import types
from typing import Any

from s2sgrad.containers import HEAP_TYPE, in_library, is_open

EMPTY: dict[Any, str] = {list: "[]", dict: "{}"}
_serial = itertools.count(1)


def written_init(kind: Any, given: frozenset[str]) -> types.FunctionType | None:
    """The ``__init__`` of a dataclass for calls that give these fields; None where it is another's, or the class has a
    say in how its objects are made or their attributes are set."""
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__flags__ & HEAP_TYPE):
        return None
    init = vars(kind).get("__init__")
    generated = isinstance(init, types.FunctionType) and init.__code__.co_filename.startswith("<")
    plain = kind.__new__ is object.__new__ and kind.__setattr__ is object.__setattr__ and is_open(kind)
    if not generated or not plain or in_library(kind.__module__) or any(
            item.type is dataclasses.InitVar or isinstance(item.type, dataclasses.InitVar)
            for item in vars(kind)["__dataclass_fields__"].values()):
        return None
    return _written(kind, given)


@functools.lru_cache(maxsize=256)
def _written(kind: type, given: frozenset[str]) -> types.FunctionType:
    parameters = inspect.signature(kind).parameters
    names: dict[str, Any] = {"__name__": kind.__module__}
    header, lines = ["self"], []
    for item in dataclasses.fields(kind):
        value = item.name
        if item.init and (item.name in given or item.default_factory is dataclasses.MISSING):
            if parameters[item.name].kind is inspect.Parameter.KEYWORD_ONLY and "*" not in header:
                header.append("*")
            if item.default is not dataclasses.MISSING or item.default_factory is not dataclasses.MISSING:
                names[f"default_{item.name}"] = item.default
                value = f"{item.name}=default_{item.name}"
            header.append(value)
            lines.append(f"self.{item.name} = {item.name}")
        elif item.default_factory in EMPTY:
            lines.append(f"self.{item.name} = {EMPTY[item.default_factory]}")
        elif item.default_factory is not dataclasses.MISSING:
            names[f"make_{item.name}"] = item.default_factory
            lines.append(f"self.{item.name} = make_{item.name}()")
        elif item.default is not dataclasses.MISSING:
            names[f"default_{item.name}"] = item.default
            lines.append(f"self.{item.name} = default_{item.name}")
    if hasattr(kind, "__post_init__"):
        lines.append("self.__post_init__()")
    text = "\n    ".join([f"def __init__({', '.join(header)}):", *(lines or ["pass"])]) + "\n"
    filename = f"<dataclass {kind.__name__} {next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), names)
    function: types.FunctionType = names["__init__"]
    function.__qualname__ = f"{kind.__qualname__}.__init__"
    return function
