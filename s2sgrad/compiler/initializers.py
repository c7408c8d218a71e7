"""The ``__init__`` of a dataclass as a function with source: its fields filled in turn, new lists made where the class
has factories for them, ``__post_init__`` called. The one that Python generates has no text to be read. Of a frozen
one, whose attributes can't be set, it is a function that makes the object."""
from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import linecache
import types
from typing import Any

from s2sgrad.containers import HEAP_TYPE, in_library, instance, is_open

EMPTY: dict[Any, str] = {list: "[]", dict: "{}"}
_serial = itertools.count(1)


def written_init(kind: Any, given: frozenset[str]) -> types.FunctionType | None:
    """The ``__init__`` of a dataclass, or of a class that inherits it, for calls that give these fields; None where it
    is another's, or the class has a say in how its objects are made or their attributes are set."""
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__flags__ & HEAP_TYPE):
        return None
    writer = writer_of_init(kind)
    setter = vars(kind).get("__setattr__") if is_frozen(kind) else kind.__setattr__
    plain = kind.__new__ is object.__new__ and (setter is object.__setattr__ or is_generated(setter)) and is_open(kind)
    if not plain or writer is None or in_library(writer.__module__):
        return None
    return _written(writer, given)


def init_for(kind: Any, node: Any) -> types.FunctionType | None:
    """The same for the fields that a call gives; None where these are no arguments of it, too."""
    try:
        given = inspect.signature(kind).bind(*node.args, **{item.arg: item.value for item in node.keywords})
    except TypeError:
        return None
    return written_init(kind, frozenset(given.arguments))


def with_text(method: Any, kind: type, node: Any) -> Any:
    """What a class has for a method; in place of an ``__init__`` that ``dataclass`` wrote, one for this call."""
    return init_for(kind, node) if method is kind.__init__ and writer_of_init(kind) else method  # type: ignore[misc]


def writer_of_init(kind: type) -> type | None:
    """The dataclass for which the ``__init__`` of a class was written, it or a base; None where that is the user's."""
    owner = next(base for base in kind.__mro__ if "__init__" in vars(base))
    written = dataclasses.is_dataclass(owner) and is_generated(vars(owner)["__init__"])
    return owner if written else None


def is_frozen(kind: Any) -> bool:
    """Whether a class is a dataclass whose fields can't be set."""
    return bool(getattr(getattr(kind, "__dataclass_params__", None), "frozen", False))


def is_generated(function: Any) -> bool:
    """Whether a method is one that ``dataclass`` wrote."""
    return isinstance(function, types.FunctionType) and function.__code__.co_filename.startswith("<")


@functools.lru_cache(maxsize=256)
def _written(kind: type, given: frozenset[str]) -> types.FunctionType:
    parameters = inspect.signature(kind).parameters
    names: dict[str, Any] = {"__name__": kind.__module__}
    taken: dict[str, str] = {}
    filled: dict[str, str] = {}
    own = [item.name for item in dataclasses.fields(kind)]
    handed_on = [label for label in vars(kind)["__dataclass_fields__"] if label in parameters and label not in own]
    for item in [item for label, item in vars(kind)["__dataclass_fields__"].items() if label in (*own, *handed_on)]:
        value = item.name
        if item.init and (item.name in given or item.default_factory is dataclasses.MISSING):
            if item.default is not dataclasses.MISSING or item.default_factory is not dataclasses.MISSING:
                names[f"default_{item.name}"] = item.default
                value = f"{item.name}=default_{item.name}"
            taken[item.name] = value
            if item.name in own:
                filled[item.name] = item.name
        elif item.default_factory in EMPTY:
            filled[item.name] = EMPTY[item.default_factory]
        elif item.default_factory is not dataclasses.MISSING:
            names[f"make_{item.name}"] = item.default_factory
            filled[item.name] = f"make_{item.name}()"
        elif item.default is not dataclasses.MISSING:
            names[f"default_{item.name}"] = item.default
            filled[item.name] = f"default_{item.name}"
    frozen, title = is_frozen(kind), "__init__"
    if frozen:
        title, make = (label if label not in filled else f"{label}_of_class" for label in (kind.__name__, "instance"))
        given_parts = [f"{label}={value}" for label, value in filled.items()]
        lines = [f"self = {make}({', '.join([title, *given_parts])})"]
        names[make] = instance
    else:
        lines = [f"self.{label} = {value}" for label, value in filled.items()]
    if hasattr(kind, "__post_init__"):
        lines.append(f"self.__post_init__({', '.join(handed_on)})")  # what is of type InitVar
    if frozen:
        lines.append("return self")
    header = [] if frozen else ["self"]
    for label in [label for label in parameters if label in taken]:
        if parameters[label].kind is inspect.Parameter.KEYWORD_ONLY and "*" not in header:
            header.append("*")
        header.append(taken[label])
    text = "\n    ".join([f"def {title}({', '.join(header)}):", *(lines or ["pass"])]) + "\n"
    filename = f"<dataclass {kind.__name__} {next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), names)
    function: types.FunctionType = names[title]
    if frozen:
        names[title] = kind
    else:
        function.__qualname__ = f"{kind.__qualname__}.__init__"
    return function
