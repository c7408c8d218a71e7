"""Callables that are made again and again and differ only in what they hold: the closures of one ``def`` or ``lambda``,
the bound methods of one function, its partials.

``grad(lambda w: loss(w, batch))`` in a loop makes a function in each turn. The first ones are compiled each for itself.
Those that follow share what was compiled: of the function behind them all, which takes what each of them holds as
arguments. Where that is refused, each goes its own way.
"""
from __future__ import annotations

import functools
import inspect
import linecache
import re
import threading
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.mode import Mode
from s2sgrad.containers import LEAVES, holds_floats, is_instance
from s2sgrad.derivative import Options
from s2sgrad.entries import ATTRIBUTE, defaults_of, entries_of
from s2sgrad.entry import Entry, once
from s2sgrad.errors import UnsupportedError
from s2sgrad.marking import Marked
from s2sgrad.rules.abstract import Known
from s2sgrad.subjects import Subject

ALONE = 2
"""So many are compiled each for itself: a third shows that there will be more."""
CODES_KEPT = 256

NUMBERS = (int, float, complex, np.number)
TEXTS = (bool, str, type(None))
LASTING = (types.ModuleType, types.BuiltinFunctionType, np.ufunc, type(np.sum))

_lock = threading.Lock()
_counts: OrderedDict[tuple, tuple[types.CodeType, int]] = OrderedDict()
"""By code object and what is made of it, how many callables there were; the code is kept lest another gets its
identity."""
_twins: OrderedDict[tuple, types.FunctionType] = OrderedDict()
"""By code object and what they hold, the functions behind closures."""


class NotShared(Exception):
    """What is refused to all siblings together may be possible for each."""


class SharedEntry(Entry):
    """The entry of the function behind siblings.

    Attributes
    ----------
    serves
        Whether nothing has been refused so far.
    """

    serves = True

    def specialise(self, values: tuple) -> Compiled:
        try:
            compiled = super().specialise(values)
        except UnsupportedError as refusal:
            self.serves = False
            raise NotShared from refusal
        facts = compiled.derivative.facts
        if any(name in facts.written or name in facts.stored for name in self.definition.hidden):
            self.serves = False  # they are their owner's, and what may be written there is another question
            raise NotShared
        return compiled


class Sibling:
    """The entry of one of them. What looks into the function, rather than calling it, finds an entry of its own.

    Attributes
    ----------
    subject
        The callable.
    behind
        The function that all share.
    wanted
        The parameters to differentiate in; None: those that get floats in a call.
    """

    def __init__(self, subject: Subject, behind: Subject, wanted: tuple[str, ...] | None, mode: Mode, options: Options,
                 own: Callable[[], Any]):
        self.subject = subject
        self.behind = behind
        self.wanted = wanted
        self.mode = mode
        self.options = options
        self.visible = subject.parameters()
        self.signature = inspect.Signature(sorted(self.visible.values(), key=lambda item: item.kind))
        self.handed_cells, self.other_cells = cells_of(subject.function, behind)
        self.binds = bool(subject.keywords) or any(
            item.default is not item.empty for item in self.visible.values())  # each has its own defaults
        self.made = own
        self.shared = None if wanted is None else self.shared_for(wanted)

    @functools.cached_property
    def own(self) -> Any:
        return self.made()

    def __getattr__(self, label: str) -> Any:
        return getattr(self.own, label)

    @property
    def patterns(self) -> dict:
        """What all siblings share."""
        return {} if self.shared is None else self.shared.patterns

    def shared_for(self, wanted: tuple[str, ...]) -> SharedEntry:
        found: SharedEntry = once(self.behind, ("siblings", wanted, self.mode, self.options), lambda: SharedEntry(
            self.behind, wanted, self.mode, self.options))
        return found

    def fitting(self, args: tuple, kwargs: dict) -> Sibling:
        return self

    def call(self, *args: Any, **kwargs: Any) -> Any:
        handed = self.handed(args, kwargs)
        if handed is not None:
            shared, args_, kwargs_ = handed
            try:
                return shared.call(*args_, **kwargs_)
            except NotShared:
                pass
        return self.own.call(*args, **kwargs)

    def push(self, args: tuple, tangents: dict[str, Any]) -> tuple:
        """The value and the tangent of a call with these arguments, and tangents for parameters."""
        handed = self.handed(args, {})
        if handed is not None:
            shared, args_, kwargs_ = handed
            try:
                return shared.push(args_, tangents, kwargs_)
            except NotShared:
                pass
        result: tuple = self.own.push(args, tangents)
        return result

    def handed(self, args: tuple, kwargs: dict) -> tuple[SharedEntry, tuple, dict] | None:
        """The entry that serves a call with these arguments, and what it gets; None where it must not."""
        try:
            held = {name: cell.cell_contents for name, cell in self.handed_cells.items()}
            same = all(is_same(cell.cell_contents, value) for cell, value in self.other_cells)
        except ValueError:  # of a name without a value
            return None
        if not held.keys().isdisjoint(kwargs):
            unexpected = (held.keys() & kwargs).pop()
            raise TypeError(f"{self.subject.name}() got an unexpected keyword argument {unexpected!r}")
        if not (same and all(map(is_given, held.values()))):
            return None
        shared = self.shared
        if shared is None or self.binds:
            try:
                bound = self.signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{self.subject.name}() {error}") from None
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
            if shared is None:
                shared = self.shared_for(tuple(name for name, item in self.visible.items()
                                               if holds_floats(bound.arguments[item.name])))
        return (shared, (*self.subject.added, *args), {**kwargs, **held}) if shared.serves else None


def sibling(subject: Subject, wanted: tuple[str, ...] | None, mode: Mode, options: Options, own: Callable[[], Any]
            ) -> Any:
    """The entry of a callable: one that shares what was compiled for others like it, or else its ``own``."""
    function, definition = subject.function, subject.definition
    if definition is None or not isinstance(function, types.FunctionType) or definition != Definition(function):
        return own()
    given = (*subject.added, *subject.keywords.values(), *defaults_of(function))
    if not (given or function.__closure__) or count(function.__code__, wanted, mode, options) <= ALONE:
        return own()
    behind, names = twin(function)
    if behind is None or not (names or subject.added or subject.keywords or behind is not function) or not all(
            is_given(value) or is_lasting(value) for value in given):
        return own()
    return Sibling(subject, Subject(Known(behind), behind, (), {}, Definition(behind, hidden=names)), wanted, mode,
                   options, own)


def count(code: types.CodeType, *what: Any) -> int:
    """How many callables of this code there have been that this was made of, with this one."""
    key = (id(code), *what)
    with _lock:
        _, number = _counts.pop(key, (code, 0))
        _counts[key] = code, number + 1
        if len(_counts) > CODES_KEPT:
            _counts.popitem(last=False)
    return number + 1


@functools.lru_cache(maxsize=CODES_KEPT)
def bound_from_inside(filename: str, code: types.CodeType) -> frozenset[str] | None:
    """The names that some function in the file of a code object declares nonlocal; None where there is no text."""
    text = "".join(linecache.getlines(filename))
    found = re.findall(r"\bnonlocal\b([^;\n]*)", text)
    return frozenset(name for names in found for name in re.findall(r"\w+", names)) if text else None


def twin(function: types.FunctionType) -> tuple[types.FunctionType | None, tuple[str, ...]]:
    """The function with the same code that stands for all closures like this one, and the names of what these hold each
    for itself, which it gets as arguments. It is None where a closure holds what may be neither an argument nor the
    same in all, or where some function may bind the names while it runs; a function of a module or a class stands for
    itself."""
    code = function.__code__
    held = dict(zip(code.co_freevars, function.__closure__ or ()))
    try:
        values = {name: cell.cell_contents for name, cell in held.items()}
    except ValueError:  # a name without a value
        return None, ()
    names = tuple(name for name in values if is_given(values[name]))
    others = {name: value for name, value in values.items() if name not in names}
    bound = bound_from_inside(code.co_filename, code)
    if bound is None or not bound.isdisjoint(names) or not all(map(is_lasting, others.values())):
        return None, ()
    if not names and "<locals>" not in function.__qualname__:
        return function, ()
    if not vars(function).keys() <= {ATTRIBUTE}:
        return None, ()
    others_known = tuple((type(value), value) if type(value) in TEXTS else id(value) for value in others.values())
    key = id(code), id(function.__globals__), names, others_known, function.__qualname__, function.__module__
    with _lock:
        found = _twins.pop(key, None)
        if found is None:  # what it holds, its code and its globals keep their identities as long as it is there
            found = types.FunctionType(code, function.__globals__, function.__name__, None, tuple(
                types.CellType(None) if name in names else types.CellType(value) for name, value in values.items()))
            found.__qualname__, found.__module__ = function.__qualname__, function.__module__
        _twins[key] = found
        if len(_twins) > CODES_KEPT:
            _twins.popitem(last=False)
    return found, names


def cells_of(function: types.FunctionType, behind: Subject) -> tuple[dict[str, types.CellType], list]:
    """The cells of a closure whose contents the function behind it gets as arguments, by name; the others, each with
    what the function behind it has there."""
    assert behind.definition is not None
    handed: dict[str, types.CellType] = {}
    others = []
    for name, cell, kept in zip(function.__code__.co_freevars, function.__closure__ or (),
                                behind.function.__closure__ or ()):
        if name in behind.definition.hidden:
            handed[name] = cell
        elif cell is not kept:
            others.append((cell, kept.cell_contents))
    return handed, others


def is_given(value: Any) -> bool:
    """Whether a value may be an argument as well: an array, a number, an object, or a container of such."""
    kind = type(value)
    if kind in (tuple, list, dict):
        parts = value.values() if kind is dict else value
        return LEAVES.issuperset(map(type, parts)) or all(map(is_given, parts))
    return kind is np.ndarray or isinstance(value, NUMBERS) and kind is not bool or is_instance(
        value) and is_lasting(kind)


def is_lasting(value: Any) -> bool:
    """Whether a value is likely to be the same in every call: a text, a module, a function or class that is not made
    anew inside another function."""
    if isinstance(value, Marked):
        value = value.__wrapped__
    if isinstance(value, types.FunctionType):
        return value.__closure__ is None and "<locals>" not in value.__qualname__
    if isinstance(value, type):
        return "<locals>" not in value.__qualname__
    return type(value) in TEXTS or isinstance(value, LASTING)


def is_same(value: Any, other: Any) -> bool:
    return value is other or type(value) is type(other) and type(value) in TEXTS and value == other


def shared_by(subject: Subject) -> list[Entry]:
    """The entries that a callable shares with its siblings."""
    function = subject.function
    if not isinstance(function, types.FunctionType):
        return []
    behind = twin(function)[0] if function.__closure__ else function
    return [] if behind is None else [entry for entry in entries_of(behind).met if isinstance(entry, SharedEntry)]
