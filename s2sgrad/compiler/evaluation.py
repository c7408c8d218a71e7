"""The state of an analysis, and what every evaluation of an expression goes through.

What a comparison, a printed text or a shape reads is *passive context*: nothing there is differentiated, so nothing
there has to be understood.
"""
from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects, telling
from s2sgrad.compiler.effects import functions_in
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.flows import Mixed, mixture
from s2sgrad.compiler.nodes import Names, attribute, holder, names_in
from s2sgrad.compiler.nodes import name as variable
from s2sgrad.compiler.outer_changes import kept_in, may_reach
from s2sgrad.compiler.program import Handler, Loop, Program, Remove, assigned_names, statements
from s2sgrad.compiler.running_again import is_changeless
from s2sgrad.compiler.structures import item_there, key_expression
from s2sgrad.containers import is_instance
from s2sgrad.errors import Location, UnsupportedError, place_of
from s2sgrad.rules.abstract import (
    INTEGER,
    KEY,
    MISSING,
    NEVER,
    RANGE,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    as_numeric,
    is_key,
    join,
    known_value,
    number,
    passive,
    with_dims,
)
from s2sgrad.rules.dims import Dim


class NeedsName(Exception):
    """Part of a statement must have a name before it: a call that stores something in an object, or such an object.

    ``first``: a statement that must come before it instead.
    """

    def __init__(self, node: gast.AST, refusal: UnsupportedError, first: Any = None):
        super().__init__()
        self.node = node
        self.refusal = refusal
        """What its user reads where it can't have one."""
        self.first = first


class NeedsKey(NeedsName):
    """An item of a defaultdict is asked for that it may not have."""


class ComesFirst(NeedsName):
    """What is evaluated before something else, and only read."""


class NeedsSizes(Exception):
    """How many items something has must be known: the sizes of inputs that these letters stand for, and of ``lists``
    in them; of all inputs, where neither tells on what it depends."""

    def __init__(self, letters: set[str], lists: bool, refusal: UnsupportedError):
        super().__init__()
        self.letters = letters
        self.lists = lists
        self.refusal = refusal
        """What its user reads where they can't be known."""


MOST_ARGUMENTS = 64
"""So many items of an array are written out at most, as those that ``*array`` gives."""
SIMPLE = {int, str}
"""What stands for a size that is known, or that is one of an argument."""

CHANGING = {kind: Opaque() for kind in ("number", "numbers", "vector", "memory")}
"""The values of what is read outside of the function and changes while it runs: a number, a container of numbers, an
array of one axis, anything else."""
KINDS = {id(value): kind for kind, value in CHANGING.items()}

TURNS = "loops turn by turn"
"""Demanded: loops over objects, or with calls that ``**options`` give keywords, are written out, so that each turn may
be of a form of its own."""
COMPLETES = "new attributes"
"""Demanded: one of several objects in a list may get an attribute that they do not have yet."""
VIEWS = "attributes as views"
"""Attributes that may be views of others are read as these, by an analysis of its own."""


def is_unreached(statement: Any, facts: Facts) -> bool:
    """Whether the analysis found that control never comes to a statement, which would else compute with what is
    differentiated: as in a loop over a list that is always empty."""
    node = getattr(statement, "value", None)
    environment = facts.before.get(statement, {})
    if not isinstance(node, gast.AST) or facts.values.get(id(node)) is not NEVER:
        return False
    mentioned = [environment[label].value for label in names_in(node) if label in environment]
    around = [environment[home].value for value in mentioned if isinstance(value, Function)
              for _, home in value.homes if home in environment]
    return any(value.active for value in (*mentioned, *around))


def plain_truth(value: Abstract) -> Any:
    """What is known of the truth of a value: MISSING for an object whose class has a say in it."""
    known = known_value(value)
    asks = is_instance(known) and any(objects.found_in(type(known), special) is not MISSING
                                      for special in objects.TRUTH)
    return MISSING if asks else known


class Evaluation:
    """The state of one analysis; the evaluation of names and literals.

    ``outer(name)`` gives the abstract value of a name from outside (a global, a closure cell, a builtin),
    ``outer(name, holder)`` of a name in a module's dictionary, or of an object's attribute, which may be ``computed``;
    ``derivative_of(definition, arguments)`` the derivative of a user's function for such arguments,
    ``program_of(definition)`` its text.
    """

    def __init__(self, program: Program, arguments: dict[str, Abstract], outer: Callable[..., Abstract],
                 derivative_of: Callable[..., Any], assume_active: bool = False, named_sizes: bool = True,
                 program_of: Any = None, demanded: frozenset[str] = frozenset(), missed: set[str] | None = None,
                 noting: frozenset[int] = frozenset()):
        self.demanded = demanded
        """What is done on demand only: ``TURNS``, ``COMPLETES``, and the names of what went into containers, to be
        spelled out as places there."""
        self.missed = set() if missed is None else missed
        """What of that was not demanded, and would have made a difference; ``VIEWS`` where another analysis would make
        one."""
        self.factories: set[Any] = set()
        """What makes the items of the defaultdicts that this function makes."""
        self.noting = noting
        """The objects outside, by identity, that are no arguments: what is stored in them is noted down there."""
        self.program = program
        self.outer = outer
        self.derivative_of = derivative_of
        self.program_of = program_of
        self.assume_active = assume_active
        self.facts = Facts()
        self.local = assigned_names(program.body, written=False) | set(program.parameters)
        self.deleted = {name for statement in statements(program.body) if isinstance(statement, Remove)
                        for name in statement.targets}
        self.deleted |= {statement.target for statement in statements(program.body)
                         if isinstance(statement, Handler) and statement.target is not None}
        self.loops: list[Loop] = []
        self.breaks: list[list[dict]] = []
        self.continues: list[list[dict]] = []
        self.count = 0
        self.versions: list[Version] = []
        self.location: Location = program.location
        self.passive_context = 0
        self.used_at_once: set[int] = set()
        """Callables in the program that nobody has when the statement is over in which they stand."""
        self.functions: dict[tuple[str, str], Known] = {}
        """Of functions that calls name in modules from outside, ``np.exp``, what they are: the same all the time."""
        self.without_value: dict[int, UnsupportedError] = {}
        """By ``id``: calls of functions that read what has no value there, as far as is known yet, with the refusals.
        """
        self.outer_reads = 0
        """In a place where outer variables that the function binds may be read: no adjoint reads these again."""
        self.symbols: dict[tuple, tuple[Loop, ...]] = {}
        """Sizes named by this analysis, each with the loops around the place where it was named."""
        self.named_sizes = named_sizes
        for name in program.parameters:
            self.facts.parameters[name] = self.version(name, arguments[name], "parameter")
            self.facts.tells = self.facts.tells or telling.is_told(arguments[name])

    def version(self, name: str, value: Abstract, origin: str, sources: tuple = (), unbound: bool = False) -> Version:
        self.count += 1
        version = Version(name, self.loops[-1] if self.loops else None, value, origin, self.count, sources, unbound)
        if origin == "joined" and sources and all(source.view is sources[0].view for source in sources):
            version.view = sources[0].view
        self.versions.append(version)
        return version

    @contextmanager
    def outer_names_read(self) -> Iterator[None]:
        self.outer_reads += 1
        try:
            yield
        finally:
            self.outer_reads -= 1

    def demands(self, what: str) -> bool:
        """Whether something is to be done that is done on demand only; it is asked where there is something to do."""
        if what not in self.demanded:
            self.missed.add(what)
        return what in self.demanded

    def passively(self, node: gast.AST, environment: dict) -> Abstract:
        """The value of an expression of which no derivative will be asked."""
        self.passive_context += 1
        try:
            return passive(self.evaluate(node, environment))
        finally:
            self.passive_context -= 1

    def function_of(self, node: Any, environment: dict) -> Any:
        """What an expression is a call of, before that is looked at as one; MISSING where it is none, or where other
        calls come first, which a look ahead must leave alone."""
        if not isinstance(node, gast.Call) or holder(node.func) is None:
            return MISSING
        known = self.imported(node.func, environment)
        return known_value(self.passively(node.func, environment) if known is None else known)

    def imported(self, node: gast.AST, environment: dict) -> Known | None:
        """The function that an expression names in a module which has its name from outside; None for any other."""
        if type(node) is not gast.Attribute or type(node.value) is not gast.Name:
            return None
        label = node.value.id
        known = self.functions.get((label, node.attr))
        if known is not None:
            self.facts.values[id(node.value)] = self.facts.captured[label].value
            self.facts.values[id(node)] = known
            return known
        if label in environment or label in self.local or label in self.program.outer or not isinstance(
                known_value(self.captured(label).value), types.ModuleType):
            return None
        value = self.evaluate(node, environment)
        if type(value) is Known and callable(value.value):
            self.functions[label, node.attr] = value
            return value
        return None

    def evaluate(self, node: gast.AST, environment: dict) -> Abstract:
        self.facts.told_of.append(node)
        if type(node) is gast.Name:
            value = self.of_Name(node, environment)
            if id(value) in KINDS and node.id not in environment:
                self.facts.passing[id(node)] = KINDS[id(value)]
            if self.assume_active:
                value = self.assumed(node, value)
            self.facts.values[id(node)] = value
            return value
        facts, key = self.facts, id(node)
        if key in facts.displays or key in facts.instead or key in facts.comprehensions or key in facts.spelled:
            facts.spelled.pop(key, None)  # of an earlier turn of a loop, when less was known
            facts.displays.pop(key, None)
            facts.instead.pop(key, None)
            facts.comprehensions.discard(key)
        value = method_for(type(self), type(node))(self, node, environment)
        if facts.tells:
            value = self.told(node, value, environment)
        if id(value) in KINDS:
            facts.passing[key] = KINDS[id(value)]
        if self.assume_active:
            value = self.assumed(node, value)
        if type(value) is Numeric and value.shape and not SIMPLE.issuperset(map(type, value.shape)):
            value = self.with_sizes(key, value)
        if key in facts.applied:
            facts.applied[key].operation.result = value
        facts.values[key] = value
        return value

    def text_of(self, node: gast.AST, environment: dict) -> Abstract:
        """What is known of the text, or the hash, that an expression gives."""
        told = telling.tells(node, self.facts, environment)
        self.facts.tells = self.facts.tells or told
        return telling.TOLD_TEXT if told else KEY

    def told(self, node: gast.AST, value: Abstract, environment: dict) -> Abstract:
        """The value of an expression, which may be made of texts of differentiated values."""
        self.facts.told_away = self.facts.told_away or telling.goes_away(node, self.facts)
        if value is NEVER or not telling.is_made_of_told(node, value, self.facts, environment):
            return value
        marked = telling.marked(value)
        if marked is None and not self.passive_context:
            raise self.refusal(telling.REASON, telling.REMEDY, node)
        return telling.TOLD if marked is None else marked

    def assumed(self, node: gast.AST, value: Abstract) -> Abstract:
        """The value as if everything that may be differentiated were."""
        computed = isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind in "fc" \
            and value.value is MISSING and not self.passive_context and not self.is_from_outside(node)
        return value.with_activity(True) if computed else value  # type: ignore[union-attr]

    def is_from_outside(self, node: gast.AST) -> bool:
        """Whether an expression gives what was not computed here: a passive call, an attribute of an object."""
        if isinstance(node, gast.Subscript):
            return not self.facts.values[id(node.value)].active
        return isinstance(node, (gast.Call, gast.Attribute)) and id(node) not in self.facts.applied \
            and id(node) not in self.facts.calls

    def with_sizes(self, tag: Any, value: Abstract) -> Abstract:
        """An array's unknown sizes named after the expression that makes it, so that they equal themselves."""
        if not isinstance(value, Numeric) or not value.shape or not any(map(unnamed, value.shape)):
            return value
        if not self.named_sizes:
            return replace(value, shape=tuple(None if unnamed(dim) else dim for dim in value.shape))
        shape = []
        for axis, dim in enumerate(value.shape):
            if unnamed(dim):
                dim = ("size", tag, axis)
                self.symbols[dim] = tuple(self.loops)
            shape.append(dim)
        return replace(value, shape=tuple(shape))

    def of_Constant(self, node: gast.Constant, environment: dict) -> Abstract:
        return literal(node.value)

    def of_Name(self, node: gast.Name, environment: dict) -> Abstract:
        if id(node) not in self.facts.taken_along:
            self.facts.names_read.add(node.id)
        if node.id in environment:
            version = environment[node.id]
            if version.unbound and node.id in self.deleted:
                raise self.refusal(f"{node.id} may have been deleted on the way to this line",
                                   "leave the name alone: it ends with the function", node)
            return version.value
        if node.id in self.local:
            return NEVER  # not bound yet on any path that reaches this place
        if node.id in self.program.outer and not self.outer_reads:
            self.facts.read_back.setdefault(node.id, self.node_location(node))
        return self.captured(node.id).value

    def captured(self, name: str) -> Version:
        if name not in self.facts.captured:
            loops, self.loops = self.loops, []
            given = self.facts.given if name in self.facts.given else self.program.given
            value = Known(given[name]) if name in given else \
                self.outer(name, changing=True) if name in self.program.outer else self.outer(name)
            self.facts.captured[name] = self.version(name, value, "captured")
            self.loops = loops
        return self.facts.captured[name]

    def given(self, function: Any) -> gast.Name:
        """A name for a function that the analysis itself puts into the program."""
        named = getattr(function, "__name__", getattr(function, "name", ""))  # a partial has none
        label = named if named.isidentifier() and named.strip("_") else "function"
        if label in self.program.names and label not in self.local and self.captured(label).value == Known(function):
            return variable(label)
        known = {**self.program.given, **self.facts.given}
        found = next((identifier for identifier, value in known.items() if value is function), None)
        if found is None:
            found = Names(self.program.names | set(known) | self.facts.reserved).fresh(label)
            self.facts.given[found] = function
        return variable(found)

    def respelled(self, node: gast.AST, other: gast.AST, environment: dict) -> Abstract:
        """The value of what an expression does in the end, which is reversed in its place."""
        self.stands_for(node, other)
        if node is self.whole_call:
            self.whole_call = other
        return self.evaluate(other, environment)

    def stands_for(self, node: gast.AST, other: gast.AST) -> None:
        self.facts.spelled[id(node)] = other
        for table in (self.facts.consumed, self.facts.exhausted):
            table.update([id(other)] if id(node) in table else [])

    whole_call: gast.AST | None = None
    """The expression that a statement consists of: there a function may write into its arguments."""

    def calmly(self, node: gast.AST, value: Abstract, names: tuple[str, ...] | None = None) -> Abstract:
        """The value, of which methods of these names (None: all with a meaning of their own) may be called unnamed:
        raises UnsupportedError where one of them may store something in it."""
        if names is objects.TEXT:
            self.refuse_view(node, value)
            self.ask_made(node, value, str)  # type: ignore[attr-defined]
        for found in objects.objects_in(value):
            for name in objects.special_names(found.kind) if names is None else names:
                if objects.may_change(found.kind, name):
                    raise self.storing(node, found.kind, name)
        for kind in objects.kinds_in(value) if type(value) is not Numeric else ():
            methods = [objects.found_in(kind, name) for name in (names or objects.special_names(kind))]
            if not all(is_changeless(method, frozenset()) for method in methods if objects.is_users(method)):
                self.facts.acting_unnamed.add(id(node))
        return value

    def as_key(self, node: gast.AST, value: Abstract, names: tuple[str, ...] = objects.KEYS) -> None:
        """The same of what is not used as often here as in plain Python, like a key or an index, which adjoints
        evaluate again: what is outside must stay as well."""
        for kind in objects.kinds_in(value) if type(value) is not Numeric else ():
            for name in names:
                if objects.may_change(kind, name):
                    raise self.storing(node, kind, name)
                method = objects.found_in(kind, name)
                if objects.is_users(method) and may_reach(method) and kept_in(method):
                    raise self.refusal(f"{name} of {kind.__name__} changes what is outside of it, and may be called "
                                       "more or less often here than in plain Python",
                                       "let a method do it that is called by its name, on a line of its own", node)

    def storing(self, node: gast.AST, kind: type, name: str) -> UnsupportedError:
        return self.refusal(f"{name} of {kind.__name__} may store something in the object, and is called here unnamed",
                            "call a method that does it, on a line of its own", node)

    def refuse_view(self, node: gast.AST, value: Abstract) -> None:
        """Raises UnsupportedError for a view of a dict, which is a list here, where that would be noticed."""
        if isinstance(value, Items) and value.view is not None:
            raise self.refusal(f"what .{value.view}() gives is a list here, and no view of the dict, which this line "
                               "would tell", f"make a list of it, list(d.{value.view}())", node)

    def test(self, node: gast.AST, environment: dict) -> Any:
        """The value of a test, where it is known; an object whose class says nothing about that is true."""
        value = self.calmly(node, self.passively(node, environment), objects.TRUTH)
        if isinstance(value, Items) and value.is_object and not value.optional and all(
                objects.found_in(value.kind, special) is MISSING for special in objects.TRUTH):
            return True
        return plain_truth(value)

    def of_other(self, node: gast.AST, environment: dict) -> Abstract:
        """A comprehension, lambda, dict, ...: kept whole where it is passive."""
        self.facts.told_away = self.facts.told_away or telling.writes_texts(node, environment)
        self.facts.numbers_read += map(self.node_location, telling.numbers_read_in(node))
        if not self.passive_context:
            for name in names_in(node):
                if name in environment and (environment[name].value.active or functions_in(environment[name].value)):
                    what = "comprehension" if "Comp" in type(node).__name__ or isinstance(node, gast.GeneratorExp) \
                        else type(node).__name__.lower()
                    raise self.refusal(f"a {what} over {name}, which is differentiated, is not supported yet",
                                       "write a loop, or whole-array operations", node)
        return Opaque()

    def part(self, node: gast.AST, value: Items, step: Any) -> gast.AST:
        """An expression for a part of what an expression gives."""
        if value.has_field(step):
            part: Any = attribute(node, step)
        else:
            index = key_expression(step)
            for inner in gast.walk(index):
                self.facts.values[id(inner)] = literal(step)
            part = item_there(node, index)
        self.facts.values[id(part)] = value.at(step)
        self.facts.made.append(part)
        return gast.copy_location(part, node)

    def refuse_mixture(self, value: Abstract, node: Any = None, key: Any = MISSING, called: bool = False) -> None:
        """Raises UnsupportedError where a part is read, under this key, of what may be a container of differentiated
        values, and may be something else, or where that is called: there is no telling what its cotangent is."""
        written = self.program.is_generated and type(key) is not str  # whose saved values are looked at later
        if isinstance(value, Opaque) and value.holding and not self.passive_context and not written:
            what = node.id if isinstance(node, gast.Name) else "this"
            remedy = {"attribute": "set it on all of them, to None for example: in __init__, by its name",
                      "key": "set it on all of them, to what it is to begin with: where the dict is made",
                      "value": "ask for it on all of them"}.get((value.lacking or "").split(" ")[0])
            if remedy is not None:
                raise self.refusal(f"{what} has the {value.lacking} on some ways to this line only",
                                   f"{remedy}, or before the loop", node)
            reason, remedy = mixture(value, node, called)
            mixed = Mixed(f"{what} may be {reason}", remedy,
                          self.location if node is None else self.node_location(node))
            mixed.labels, mixed.facts = frozenset({what}), self.facts
            raise mixed

    def element(self, value: Abstract, index: int, pattern: Any) -> Abstract:
        """What a part of a target, a tuple of several, is bound to."""
        value = with_known_items(value)
        if isinstance(value, Items) and value.items is not None and not value.is_object:
            if len(value.items) != len(pattern):
                return NEVER
            if value.is_dict and value.keys is not None:
                return literal(value.keys[index])
            return self.one_of(value.items[index], (id(pattern), index))
        return self.one_of(self.element_of(value), (id(pattern), index))

    def one_of(self, value: Abstract, tag: Any, steps: tuple = ()) -> Abstract:
        """An item of a list of any number of them, with names for its sizes that no other item has; those of which
        nothing is known are others in each of its parts, too (``steps`` lead to this one)."""
        if isinstance(value, Items) and value.items is not None:
            return replace(value, items=tuple(self.one_of(item, tag, (*steps, index))
                                              for index, item in enumerate(value.items)))
        if not isinstance(value, Numeric) or not value.shape:
            return value
        shape = tuple(("size", ((tag, *steps), None), axis) if dim is None else ("size", (tag, dim), 0) if unnamed(dim)
                      else dim for axis, dim in enumerate(value.shape))
        self.note_sizes(shape)
        return replace(value, shape=shape)

    def apart(self, value: Abstract, tag: Any) -> Abstract:
        """An item of a list, so that it is not taken for the item of the same list that another expression gives."""
        if isinstance(value, Items) and value.items is not None:
            return replace(value, items=tuple(self.apart(item, tag) for item in value.items))
        if not isinstance(value, Numeric) or not value.shape:
            return value
        return replace(value, shape=tuple(("each", tag, dim) if unnamed(dim) and dim is not None else dim
                                          for dim in value.shape))

    def given_by(self, node: gast.AST, value: Abstract, got: Iterable[Abstract], kind: str = "size") -> Abstract:
        """What an expression gives that computes other sizes each time than those that it got: they have names of
        their own, as what one call of a function gives; or are unlike in each item (``kind``)."""
        known: set[Dim] = set()

        def note(dim: Dim) -> Dim:
            known.add(dim)
            return dim

        def named(dim: Dim) -> Dim:
            if not isinstance(dim, tuple) or dim in known:
                return dim
            if dim[0] == "less":
                return ("less", named(dim[1]), *dim[2:])
            renamed = ("each" if dim[0] == "each" else kind, (id(node), dim), 0)
            self.note_sizes((renamed,))
            return renamed

        for each in got:
            with_dims(each, note)
        return with_dims(value, named)

    def note_sizes(self, shape: Iterable[Dim]) -> None:
        """Remember where sizes got their names."""
        for dim in shape:
            if isinstance(dim, tuple) and dim[0] == "size":
                self.symbols.setdefault(dim, tuple(self.loops))

    def joined(self, value: Items) -> Abstract:
        """What is known of any item of a container."""
        return value.element if value.items is None else functools.reduce(join, value.items, NEVER)

    def element_of(self, value: Abstract) -> Abstract:
        """What is known of what a loop over a value gives."""
        if value is NEVER:
            return NEVER
        self.refuse_mixture(value)
        value = with_known_items(value)
        if isinstance(value, Items) and value.is_object:
            if value.active and not self.passive_context:
                raise self.refusal(f"what is in a {value.kind.__name__} is not known", "read its attributes")
            return Opaque()
        if isinstance(value, Items):
            if value.is_open:
                return telling.TOLD_TEXT if self.facts.tells else KEY
            if value.is_dict:
                return functools.reduce(join, map(known_key, value.keys or ()), NEVER)
            return self.joined(value)
        if isinstance(value, Numeric):
            if value.shape:
                rest = value.shape[1:]
                return value.part("array" if rest else "scalar", rest).with_activity(value.active)
            return value.part("any", None).with_activity(value.active)
        if is_key(value):  # a letter of a text, an item of a key
            return telling.TOLD_TEXT if telling.is_told(value) else KEY
        if value == RANGE:
            return INTEGER
        return self.element_of(as_numeric(value)) if isinstance(value, Opaque) and value.besides is not None \
            else Opaque(value.active, told=telling.is_told(value))

    def node_location(self, node: Any) -> Location:
        return place_of(node, self.location)

    def refusal(self, reason: str, remedy: str, node: Any = None) -> UnsupportedError:
        return UnsupportedError(reason, remedy, self.location if node is None else self.node_location(node))


@functools.cache
def method_for(kind: type[Evaluation], node: type) -> Callable[[Any, Any, dict], Abstract]:
    """What evaluates nodes of a class."""
    found: Callable[[Any, Any, dict], Abstract] = getattr(kind, f"of_{node.__name__}", kind.of_other)
    return found


def unnamed(dim: Any) -> bool:
    """Whether a size is unknown, or has a name that is shared by unlike sizes."""
    return dim is None or isinstance(dim, tuple) and dim[0] == "each"


def literal(value: Any) -> Abstract:
    """The abstract value of something that is known now."""
    return number(value) if type(value) in (bool, int, float, complex) else Known(value)


def with_known_items(value: Abstract) -> Abstract:
    """A tuple of numbers, texts and None that is known, as a container of which each item is."""
    plain = isinstance(value, Known) and type(value.value) is tuple and all(
        item is None or type(item) in (bool, int, float, complex, str) for item in value.value)
    return Items(tuple, tuple(map(literal, value.value))) if plain else value  # type: ignore[union-attr]


def known_key(key: Any) -> Abstract:
    """A key of a dict, as one of several: of tuples each item is known."""
    return with_known_items(literal(key))


COUNTING = (gast.Add, gast.Sub, gast.Mult, gast.FloorDiv)


def integer_key(node: gast.AST, facts: Facts, environment: dict[str, Version]) -> Any:
    """What integers have in common that are equal whenever the program runs; None where nothing tells."""
    value = facts.value(node)
    if not isinstance(value, Numeric) or not value.is_number or value.dtype is None or value.dtype.kind not in "iu":
        return None
    if value.value is not MISSING:
        return value.value
    if value.dim is not None:
        return ("dim", value.dim)
    if isinstance(node, gast.Name):
        version = environment.get(node.id)
        return None if version is None else ("name", version.name, version.index)
    if isinstance(node, gast.BinOp) and isinstance(node.op, COUNTING):
        operands = [integer_key(part, facts, environment) for part in (node.left, node.right)]
        return None if None in operands else (type(node.op).__name__, *operands)
    return None


def number_or_none(node: gast.AST | None, facts: Facts) -> Any:
    return None if node is None else known_value(facts.value(node))


def number_of_items(value: Abstract) -> int | None:
    """How many arguments ``*value`` gives; None where that is not known, or too many to be written out."""
    if isinstance(value, Items):
        return None if value.items is None or value.is_object else len(value.items)
    count = value.shape[0] if isinstance(value, Numeric) and value.shape else None
    return count if isinstance(count, int) and count <= MOST_ARGUMENTS else None
