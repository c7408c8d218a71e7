"""Callables that are made again and again and differ only in what they hold: the closures of one ``def`` or ``lambda``,
the bound methods of one function, its partials.

``grad(lambda w: loss(w, batch))`` in a loop makes a function in each turn. The first ones are compiled each for itself.
Those that follow share what was compiled: of the function behind them all, which takes what each of them holds as
arguments. Where that is refused, each goes its own way.
"""
from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import linecache
import re
import sys
import threading
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.locate import FUTURE, LOCATED, Located, locate
from s2sgrad.compiler.mode import Mode
from s2sgrad.containers import LEAVES, holds_floats, is_instance
from s2sgrad.derivative import Options
from s2sgrad.entries import ATTRIBUTE, defaults_of, entries_of, is_generated
from s2sgrad.entry import Entry, once
from s2sgrad.errors import Naming, UnsupportedError
from s2sgrad.marking import Marked
from s2sgrad.subjects import Subject, subject_of, wanted_parameters

ALONE = 2
"""So many are compiled each for itself: a third shows that there will be more."""
CODES_KEPT = 256

NUMBERS = (int, float, complex, np.number)
TEXTS = (bool, str, type(None))
LASTING = (types.ModuleType, types.BuiltinFunctionType, np.ufunc, type(np.sum))

_lock = threading.Lock()
_counts: OrderedDict[tuple, tuple[types.CodeType, int, tuple]] = OrderedDict()
"""By code object and what is made of it, how many callables there were, and what tells the last from others; the code
is kept lest another gets its identity."""
_twins: OrderedDict[tuple, tuple[types.CodeType, types.FunctionType | None]] = OrderedDict()
"""By code object and what they hold, the functions behind closures."""


class NotShared(Exception):
    """What is refused to all siblings together may be possible for each."""


class SharedEntry(Entry):
    """The entry of the function behind siblings.

    Attributes
    ----------
    held
        The parameters that get what each of them holds in its cells.
    serves
        Whether nothing has been refused so far.
    """

    def __init__(self, subject: Subject, wanted: tuple[str, ...], mode: Mode, options: Options, held: tuple[str, ...]):
        self.held = held
        self.serves = True
        super().__init__(subject, wanted, mode, options)

    def specialise(self, values: tuple) -> Compiled:
        try:
            compiled = super().specialise(values)
        except UnsupportedError as refusal:
            self.serves = False
            raise NotShared from refusal
        facts = compiled.derivative.facts
        if any(name in facts.written or name in facts.stored for name in self.held):
            self.serves = False  # they are their owner's, and what may be written there is another question
            raise NotShared
        return compiled


class Holding:
    """One of them: what it gives to the function behind it.

    Attributes
    ----------
    subject
        The callable.
    behind
        The function that all share, as a subject.
    names
        The parameters of that for what is in the callable's cells.
    """

    def __init__(self, subject: Subject, behind: types.FunctionType, names: tuple[str, ...]):
        self.subject = subject
        self.behind = subject_of(behind)
        self.names = names
        self.visible = subject.parameters()
        self.signature = inspect.Signature(sorted(self.visible.values(), key=lambda item: item.kind))
        self.binds = bool(subject.keywords) or any(
            item.default is not item.empty for item in self.visible.values())  # each has its own defaults
        self.most = sum(item.kind is not item.KEYWORD_ONLY for item in self.visible.values())
        function = subject.function
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        kept = dict(zip(behind.__code__.co_freevars, behind.__closure__ or ()))
        self.cells = {name: cells[name] for name in names}
        self.others = [(cells[name], cell.cell_contents) for name, cell in kept.items() if cell is not cells[name]]

    def handed(self, args: tuple, kwargs: dict, more: int = 0) -> tuple[tuple, dict] | None:
        """What the function behind gets in a call with these arguments, of which the last ``more`` are none of the
        function's; None where it must not be called."""
        try:
            held = {name: cell.cell_contents for name, cell in self.cells.items()}
            same = all(is_same(cell.cell_contents, value) for cell, value in self.others)
        except ValueError:  # of a name without a value
            return None
        own, behind = args[:len(args) - more], args[len(args) - more:]
        fits = len(own) <= self.most and held.keys().isdisjoint(kwargs)  # else Python has something to say
        if not (fits and same and all(map(is_given, held.values()))):
            return None
        if self.binds:
            bound = self.bound(own, kwargs)
            own, kwargs = bound.args, bound.kwargs
        return (*self.subject.added, *own, *behind), {**kwargs, **held}

    def bound(self, args: tuple, kwargs: dict) -> inspect.BoundArguments:
        """The arguments of a call by their parameters."""
        with Naming(self.subject.name):
            found = self.signature.bind(*args, **kwargs)
        found.apply_defaults()
        return found


class Sibling:
    """The entry of one of them. What looks into the function, rather than calling it, finds an entry of its own.

    Attributes
    ----------
    holding
        The callable, and what it holds.
    wanted
        The parameters to differentiate in; None: those that get floats in a call.
    """

    def __init__(self, holding: Holding, wanted: tuple[str, ...] | None, mode: Mode, options: Options,
                 own: Callable[[], Any]):
        self.holding = holding
        self.visible = holding.visible
        self.wanted = wanted
        self.mode = mode
        self.options = options
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
        behind = self.holding.behind
        found: SharedEntry = once(behind, ("siblings", wanted, self.mode, self.options), lambda: SharedEntry(
            behind, wanted, self.mode, self.options, self.holding.names))
        return found

    def serving(self, args: tuple, kwargs: dict) -> SharedEntry | None:
        """The entry that serves a call with these arguments, if one does."""
        found = self.shared
        if found is None:
            bound = self.holding.bound(args, kwargs)
            found = self.shared_for(tuple(name for name, item in self.visible.items()
                                          if holds_floats(bound.arguments[item.name])))
        return found if found.serves else None

    def fitting(self, args: tuple, kwargs: dict) -> Sibling:
        return self

    def call(self, *args: Any, **kwargs: Any) -> Any:
        shared, handed = self.serving(args, kwargs), self.holding.handed(args, kwargs)
        if shared is not None and handed is not None:
            with contextlib.suppress(NotShared):
                return shared.call(*handed[0], **handed[1])
        return self.own.call(*args, **kwargs)

    def push(self, args: tuple, tangents: dict[str, Any]) -> tuple:
        """The value and the tangent of a call with these arguments, and tangents for parameters."""
        shared, handed = self.serving(args, {}), self.holding.handed(args, {})
        if shared is not None and handed is not None:
            with contextlib.suppress(NotShared):
                return shared.push(handed[0], tangents, handed[1])
        result: tuple = self.own.push(args, tangents)
        return result


def sibling(subject: Subject, wanted: tuple[str, ...] | None, mode: Mode, options: Options, own: Callable[[], Any]
            ) -> Any:
    """The entry of a callable: one that shares what was compiled for others like it, or else its ``own``."""
    holding = held_by(subject, wanted, mode, options)
    return own() if holding is None else Sibling(holding, wanted, mode, options, own)


def shared_derivative(function: Any, argnums: int, make: Callable[[Any, int], Callable], *what: Any, more: int = 0
                      ) -> Callable | None:
    """What ``make`` makes of a function that has siblings: made once, of the function behind all of them. None for
    others. ``what`` tells it from what others make; it takes the function's arguments, and ``more`` behind them."""
    subject = subject_of(function)
    holding = held_by(subject, argnums, *what) if type(argnums) is int else None
    if holding is None or any(item.kind is item.KEYWORD_ONLY for item in holding.behind.parameters().values()):
        return None
    name, = wanted_parameters(subject, argnums)
    place = list(holding.behind.parameters()).index(name)
    shared = once(holding.behind, ("derivative", place, *what), lambda: make(holding.behind.function, place))
    own = functools.cache(lambda: make(function, argnums))
    serves = True

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal serves
        handed = holding.handed(args, kwargs, more) if serves else None
        if handed is not None:
            try:
                return shared(*handed[0], **handed[1])
            except UnsupportedError:
                serves = False
        return own()(*args, **kwargs)
    return call


def held_by(subject: Subject, *what: Any) -> Holding | None:
    """What a callable holds, of which something is made that is told from others by ``what``; None where it is to be
    compiled for itself."""
    function, definition = subject.function, subject.definition
    if definition is None or not isinstance(function, types.FunctionType) or definition != Definition(function) \
            or is_generated(function.__code__):
        return None
    given = (*subject.added, *subject.keywords.values(), *defaults_of(function))
    if not (given or function.__closure__) or count(function, given, *what) <= ALONE:
        return None
    behind, names = twin(function)
    if behind is None or not (names or subject.added or subject.keywords or behind is not function) or not all(
            is_given(value) or is_lasting(value) for value in given):
        return None
    return Holding(subject, behind, names)


def count(function: types.FunctionType, given: tuple, *what: Any) -> int:
    """How many callables with this function's code there have been that this was made of, one after the other, with
    this one, which gives these arguments itself."""
    key, this = (id(function.__code__), *what), (id(function), *map(id, given))
    with _lock:
        _, number, last = _counts.pop(key, (None, 0, ()))
        number += this != last
        _counts[key] = function.__code__, number, this
        if len(_counts) > CODES_KEPT:
            _counts.popitem(last=False)
    return number


@functools.lru_cache(maxsize=CODES_KEPT)
def bound_from_inside(filename: str, code: types.CodeType) -> frozenset[str] | None:
    """The names that some function in the file of a code object declares nonlocal; None where there is no text."""
    text = "".join(linecache.getlines(filename))
    found = re.findall(r"\bnonlocal\b([^;\n]*)", text)
    return frozenset(name for names in found for name in re.findall(r"\w+", names)) if text else None


def twin(function: types.FunctionType) -> tuple[types.FunctionType | None, tuple[str, ...]]:
    """The function that stands for all closures like this one, and the names of what these hold each for itself, which
    it takes as further arguments. It is None where a closure holds what may be neither an argument nor the same in all,
    or where some function may bind the names while it runs; a function of a module or a class stands for itself."""
    code = function.__code__
    try:
        values = {name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or ())}
    except ValueError:  # a name without a value
        return None, ()
    names = tuple(name for name in values if is_given(values[name]))
    others = {name: value for name, value in values.items() if name not in names}
    bound = bound_from_inside(code.co_filename, code)
    if bound is None or not bound.isdisjoint(names) or not all(map(is_lasting, others.values())):
        return None, ()
    if not names and "<locals>" not in function.__qualname__:
        return function, ()
    if "__class__" in values or not vars(function).keys() <= {ATTRIBUTE}:
        return None, ()
    others_known = tuple((type(value), value) if type(value) in TEXTS else id(value) for value in others.values())
    key = id(code), id(function.__globals__), names, others_known, function.__qualname__, function.__module__
    with _lock:
        found = _twins.pop(key, None)
    if found is None:
        found = code, written_twin(function, names, others)
    with _lock:
        _, made = _twins[key] = found  # in which the code, its globals and the others keep their identities
        if len(_twins) > CODES_KEPT:
            _twins.popitem(last=False)
    return made, names


def written_twin(function: types.FunctionType, names: tuple[str, ...], others: dict[str, Any]
                 ) -> types.FunctionType | None:
    """A function with the same text, parameters for the ``names``, and these others in its cells; None where that is no
    other text for the same."""
    located = locate(function)
    node, spec = located.node, located.node.args
    if any(is_private(part) for part in ast.walk(node)):
        return None
    further = [ast.arg(name) for name in names]
    ordered, by_name = (spec.args, [*spec.kwonlyargs, *further]) if spec.kwonlyargs else ([*spec.args, *further], [])
    arguments = ast.arguments(spec.posonlyargs, ordered, None, by_name, [None] * len(by_name), None, [])
    body = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
    label = "function" if isinstance(node, ast.Lambda) else node.name
    types_: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}
    tree = ast.copy_location(ast.FunctionDef(label, arguments, body, [], None, None, **types_), node)
    around = ast.arguments([], [ast.arg(name) for name in others], None, [], [], None, [])
    factory = ast.FunctionDef("factory", around, [tree, ast.Return(ast.Name(label, ast.Load()))], [], None, None,
                              **types_)
    text = ast.fix_missing_locations(ast.Module([factory], []))
    space: dict[str, Any] = {}
    exec(compile(text, located.filename, "exec", function.__code__.co_flags & FUTURE, dont_inherit=True),
         function.__globals__, space)
    made: types.FunctionType = space["factory"](*others.values())
    made.__name__, made.__qualname__, made.__module__ = (
        function.__name__, function.__qualname__, function.__module__)
    setattr(made, LOCATED, Located(tree, located.filename, located.name))
    return made


def is_private(node: ast.AST) -> bool:
    """Whether a name in a text is read as another one inside a class."""
    label = getattr(node, "attr", None) or getattr(node, "id", "")
    return label.startswith("__") and not label.endswith("__")


def is_given(value: Any) -> bool:
    """Whether a value may be an argument as well: an array, a number, a text, an object, or a container of such."""
    kind = type(value)
    if kind in (tuple, list, dict):
        parts = value.values() if kind is dict else value
        return LEAVES.issuperset(map(type, parts)) or all(map(is_given, parts))
    return kind is np.ndarray or kind is str or isinstance(value, NUMBERS) and kind is not bool or is_instance(
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
