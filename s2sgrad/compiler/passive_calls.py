"""Calls that stay as they are, as nothing differentiated goes into them: what they give, and what they may change."""
from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.arguments import Arguments
from s2sgrad.compiler.changing_functions import (
    calls_changing_method,
    calls_unknown,
    changes_one_of,
    inside_of,
    is_unknown,
    kinds_inside,
    made_may_change,
    makes_keepers,
    may_change,
    mentioned,
)
from s2sgrad.compiler.closed import holds_made_functions, makes_under_other_names
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.effects import (
    CHANGEABLE,
    EQUIVALENTS,
    MUTATING_METHODS,
    calls_untold,
    functions_in,
    is_library,
    may_write,
    writes_besides_object,
    writes_inside,
)
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.facts import Called
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.kinds import decides_by_class, is_class, is_of_none, may_be_complex_root, type_of
from s2sgrad.compiler.made_functions import functions_reached, reads_active
from s2sgrad.compiler.nested import GRADIENT, is_transform
from s2sgrad.compiler.nodes import constant, holder, names_in, walk
from s2sgrad.compiler.outer_changes import bound_to
from s2sgrad.compiler.scopes import stores
from s2sgrad.compiler.sharing import is_from_outside, may_be_written
from s2sgrad.compiler.targets import CACHED
from s2sgrad.compiler.telling import is_told, reads_number
from s2sgrad.compiler.texts import result_of_method
from s2sgrad.errors import S2SGradError, UnsupportedError
from s2sgrad.gradients import Derived
from s2sgrad.rules.abstract import (
    ANY,
    INTEGER,
    MISSING,
    RANGE,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    is_key,
    is_whole,
    known_value,
    number,
    passive,
)
from s2sgrad.rules.draws import drawn, draws, kind_made
from s2sgrad.rules.refused import like_its_object, made_sparse, makes_other_arrays
from s2sgrad.rules.table import NeedsValue
from s2sgrad.runtime import shuffled_places

OF_A_MASK = "write u[mask] = values, as many as the mask has places, or u[...] = np.where(mask, values, u)"
WRITTEN_OUT: tuple[tuple[Any, str], ...] = (
    (np.put, "index the array itself, u[i, j] = values, as many as there are places"),
    (np.put_along_axis, "index the array itself, u[rows, places] = values"),
    (np.fill_diagonal, "index the array itself, u[i, i] = values, with i = np.arange(n)"),
    (np.place, OF_A_MASK), (np.putmask, OF_A_MASK), (np.copyto, "write u[...] = values"),
    (setattr, 'write the attribute with a dot, in a branch for each: if side == "left": node.left = v'))
"""What to write where NumPy would repeat values, or leave some out, or finds the places by rules of its own."""

OF_FORM = ("len", "type", "isinstance")
"""Functions that tell nothing of what is in their arguments."""
MEASURES = ("shape", "size", "ndim", "dtype")
"""What an array has that is the same whatever is in it."""


class NeedsLoop(NeedsName):
    """A generator that does more than to give values must stand in the header of a loop, and a comprehension that does
    must be one."""


class PassiveCalls(Arguments):
    """The evaluation of calls that get nothing differentiated."""

    made_keepers = False
    """Whether a call that was not looked into has made functions that keep what they are told."""

    def passive_call(self, node: gast.Call, function: Any, arguments: list, environment: dict) -> Abstract:
        """What a call gives that stays as it is: of a user's function as much as reading it tells."""
        if function is isinstance and len(arguments) == 2:
            kind, classes = type_of(arguments[0]), known_value(arguments[1])
            checks = [] if classes is MISSING else objects.own_checks(classes)
            self.note_disturbed(node, *checks)
            if any(map(may_write, checks)):
                raise self.writing_call(node)
            if not checks and decides_by_class(classes):
                if kind is not None and not may_be_complex_root(arguments[0], classes):
                    return number(issubclass(kind, classes))
                if is_of_none(arguments[0], classes):
                    return number(False)
        if function is issubclass and len(arguments) == 2:
            kind, classes = map(known_value, arguments)
            if is_class(kind) and decides_by_class(classes):
                return number(issubclass(kind, classes))
        if function is callable and len(arguments) == 1:
            if isinstance(arguments[0], Known):
                return number(callable(arguments[0].value))
            kind = type_of(arguments[0])
            if kind is not None:
                return number(issubclass(kind, Callable))
        if function is ord:
            return INTEGER
        if function is range:
            return RANGE
        if function is sorted and arguments and holds_keys(arguments[0]):
            return Items(list, None, arguments[0].any_item)
        if function is shuffled_places:
            return Numeric("array", np.dtype(int), (None,))
        if reads_number(function, arguments):
            self.facts.numbers_read.append(self.node_location(node))
        if is_transform(function):
            return Known(GRADIENT)
        if isinstance(function, types.FunctionType) and self.derivative_of is not None and (
                not is_library(function) or function.__module__ == EQUIVALENTS):
            if any(map(self.is_changing_method, given_to(node))) or made_may_change(arguments, environment):
                raise self.changing_function(node)
            self.note_called_inside(node, arguments, environment, mentions_active(
                node, environment) or self.closes_over_active(arguments, environment))
            run_through = function.__name__ == "__iter__" and id(node) in self.facts.consumed
            found = self.passive_result(node, Definition(function, collected=run_through), environment)
            self.made_keepers = self.made_keepers or any(
                map(is_unknown, inside_of([found]))) and makes_keepers(function)
            return found
        if makes_other_arrays(function) and not self.passive_context:
            raise self.refusal(f"{function.__name__} makes an array whose arithmetic is its own", "use plain arrays",
                               node)
        made = made_sparse(function)
        if made is not None:
            return Opaque(kind=made)
        made = kind_made(function)
        if made is not None:
            return Opaque(kind=made)
        if isinstance(node.func, gast.Attribute) and draws(function, self.facts.value(node.func.value)):
            keywords = {item.arg: self.facts.value(item.value) for item in node.keywords if item.arg is not None}
            label = node.func.attr if function is MISSING else function.__name__
            kind = getattr(self.facts.value(node.func.value), "kind", None) if function is MISSING else function
            found = drawn(label, kind, arguments, keywords) if len(keywords) == len(node.keywords) else Opaque()
            return self.with_sizes(id(node), found)
        by_method = isinstance(node.func, gast.Attribute)
        self.refuse_telling(node, self.facts.value(node.func.value if by_method else node.func), any(
            mentions_active(item, environment) for item in given_to(node)))
        if by_method:
            if node.func.attr == "format_map" and arguments:
                self.refuse_to_fill(node.args[0], arguments[0])
            told = result_of_method(self.facts.values.get(id(node.func.value)), node.func.attr)
            return told if told is not None else like_its_object(
                self.facts.values.get(id(node.func.value)), node.func.attr, len(node.args) + len(node.keywords))
        return Opaque()

    def refuse_telling(self, node: gast.Call, function: Abstract, told: bool) -> None:
        """What a call that was not looked into has made may keep what it is ``told``; so may what is found
        outside and changes meanwhile, and what nobody knows, by a method that puts something in."""
        label = getattr(node.func, "attr", None)
        root = holder(node.func)
        changes = label in MUTATING_METHODS or root is not None and root not in self.local and not any(
            hasattr(kind, str(label)) for kind in CHANGEABLE)
        if told and is_unknown(function) and (self.made_keepers or changes):
            raise self.refusal("what is called here is not known before the call, and may keep what it is told",
                               "write a class, with what it keeps in attributes, and a method", node)

    def refuse_changing_functions(self, node: gast.Call, values: list[Abstract], environment: dict) -> None:
        """A function that is handed to code that nobody looks into may write, or call methods of objects around it."""
        called = known_value(self.facts.values.get(id(node.func), ANY))
        if called is not super and not is_ours(called) and (may_change(values, environment) or any(
                map(self.is_changing_method, given_to(node)))):
            raise self.changing_function(node)
        self.refuse_keepers(node, values, environment)
        self.note_called_inside(node, values, environment, any(
            version.value.active for version in environment.values()))

    def refuse_keepers(self, node: gast.Call, functions: list[Abstract], environment: dict) -> None:
        """Functions that a call which was not looked into has made may keep what others tell them."""
        if self.made_keepers and calls_unknown(functions, environment):
            raise self.changing_function(node)

    def note_called_inside(self, node: gast.Call, values: list[Abstract], environment: dict, told: bool) -> None:
        """Note the functions from outside that those made here among values may call."""
        for found, around in functions_reached(values, environment):
            self.note_disturbed(node, *mentioned(found, around), told=told)

    def is_changing_method(self, node: gast.AST) -> bool:
        """Whether an expression that was looked at is a method of an object, which may change that."""
        return isinstance(node, gast.Attribute) and changes_one_of(
            kinds_inside([self.facts.values.get(id(node.value), Opaque())]), {node.attr})

    def changes_objects(self, node: gast.Call, function: Any, environment: dict) -> bool:
        """Whether a function of the user's that nothing differentiated goes into may store something in an object that
        it gets: its text alone does not tell, for it calls methods."""
        if not self.is_looked_into(function):
            return False
        changed = self.found_written(node, function, environment)
        if changed is None or changed and inspect.isgeneratorfunction(function):  # as it is run through, not as called
            raise self.writing_call(node)
        return bool(changed)

    def found_written(self, node: gast.Call, function: Any, environment: dict) -> set[str] | None:
        """The parameters that a function of the user's, looked into, writes into; None where it can't be."""
        definition = Definition(function, collected=inspect.isgeneratorfunction(function))
        try:
            definition, _, values = self.bound(self.spread(node, environment), definition, (), environment)
            derivative, _ = self.derivative_of(definition, values)
        except (S2SGradError, NeedsValue):
            return None
        return set(derivative.facts.written) if derivative.settled else set()

    def may_write_into(self, node: gast.Call, function: Any, values: list[Abstract], environment: dict) -> bool:
        """Whether a function of the user's may write into what it gets: by its text, by functions among the values that
        it gets, or by what its text does not tell, as a function that is a default, or in a table."""
        if not self.is_looked_into(function):
            return False
        if may_write(function) or may_change(values, environment):
            return True
        if not any(map(may_be_written, values)):
            return False
        found = self.found_written(node, function, environment)
        return calls_untold(function) if found is None else bool(found)

    def refuse_other_names(self, node: gast.Call, derivative: Any, result: Abstract, values: list) -> None:
        """A call that stays as it is makes no function that holds what it closes over under other names."""
        if makes_under_other_names(result, values):
            raise self.refusal(f"{derivative.name} makes a function of its *args, and gets nothing differentiated",
                               "give it the functions one by one", node)

    def passive_result(self, node: gast.Call, definition: Definition, environment: dict) -> Abstract:
        """What is known of the result of a call that stays as it is."""
        try:
            definition, nodes, values = self.bound(node, definition, (), environment)
            derivative, result = self.derivative_of(definition, values)
            self.refuse_other_names(node, derivative, result, values)
            self.facts.callees[id(node)] = Called(derivative, nodes, [], self.node_location(node),
                                                  remembered=self.is_remembered(node))
            self.facts.tells = self.facts.tells or is_told(result)
            return passive(result)
        except (S2SGradError, NeedsValue):  # nobody asks for its derivative: it may be written as it likes
            if any(holds_made_functions(self.facts.values.get(id(part))) for part in walk(node)):
                raise
            self.facts.callees.pop(id(node), None)
            return Opaque()

    def changes_outside(self, node: gast.Call, function: Any, values: list[Abstract], environment: dict) -> bool:
        """Whether a function first gets an object from outside, like a method, and writes into nothing else that it
        gets: what it changes is changed outside."""
        return isinstance(function, types.FunctionType) and bool(values) and is_from_outside(values[0]) \
            and function.__code__.co_argcount > 0 and not any(map(functions_in, values)) and (
                not any(map(may_be_written, values[1:])) or not writes_besides_object(function) and not (
                    self.found_written(node, function, environment) or set()) - {function.__code__.co_varnames[0]})

    def refuse_writes(self, node: gast.Call, function: Any, values: list[Abstract], writes: bool = False,
                      told: bool = False) -> None:
        """A passive call stays as it is; but what it writes into may have been saved by reference."""
        first = known_value(values[0]) if values else MISSING
        of_class = isinstance(function, types.FunctionType) and isinstance(first, type)  # whose attributes it may store
        self.note_disturbed(node, types.MethodType(function, first) if of_class else function,
                            *map(known_value, values), told=told)
        writable = any(map(may_be_written, values))
        inner = [found for value in values for found in functions_in(value)]
        if writable and (writes or self.writes(node, function)):
            raise self.writing_call(node)
        if any(stores(found.syntax) and writes_inside(found) for found in inner):
            raise self.changing_function(node)

    def of_other(self, node: gast.AST, environment: dict) -> Abstract:
        self.refuse_hidden_writes(node, environment)
        return super().of_other(node, environment)

    def of_JoinedStr(self, node: gast.JoinedStr, environment: dict) -> Abstract:
        self.refuse_hidden_writes(node, environment)
        return super().of_JoinedStr(node, environment)

    def refuse_hidden_writes(self, node: gast.AST, environment: dict) -> None:
        """What is kept whole may hold calls that write, too: ``[row.fill(0.0) for row in parts]``."""
        inside = {part.id for part in gast.walk(node) if isinstance(part, gast.Name)
                  and not isinstance(part.ctx, gast.Load)}
        called: set[int] = set()
        told = mentions_active(node, environment)
        if self.changes_by_methods(node, environment):
            raise NeedsLoop(node, self.writing_call(node))
        for call_ in [part for part in gast.walk(node) if isinstance(part, gast.Call)]:
            function = call_.func
            outer = isinstance(function, (gast.Name, gast.Attribute, gast.Subscript)) \
                and inside.isdisjoint(names_in(function))
            found = self.passively(function, environment) if outer else Opaque()
            known = known_value(found)
            self.note_disturbed(call_, known, told=told)
            if getattr(function, "attr", "") in MUTATING_METHODS or self.writes(call_, known) or made_may_change(
                    [found], environment):
                raise self.writing_call(call_)
            if outer or any(map(is_unknown, inside_of(around(node, environment).values()))):  # it may be a part of one
                self.refuse_telling(call_, found, told and bool(given_to(call_)))
            called.add(id(function))
            if is_ours(known):
                called.update(map(id, call_.args))
        for part in gast.walk(node):
            if isinstance(part, (gast.Name, gast.Attribute)) and id(part) not in called \
                    and holder(part) not in inside | self.local \
                    and may_write(held(part, self.program.owner)):  # for write in (np.copyto, clear)
                raise self.writing_call(node)

    def changes_by_methods(self, node: gast.AST, environment: dict) -> bool:
        """Whether an expression mentions objects and methods that may change these, or that Python calls unnamed."""
        return calls_changing_method([], [(Function(self.program.owner, node, ()), around(node, environment))])

    def note_disturbed(self, node: gast.Call, *functions: Any, told: bool = False) -> None:
        """Note functions that a passive call may call: what they change outside is looked for in the end. They may put
        there what they are ``told`` of differentiated values, though nobody asks for a derivative of what they give."""
        for function in functions:
            if callable(function) and (not isinstance(function, types.BuiltinFunctionType) or bound_to(function)):
                self.facts.disturbing[id(function), told] = function, self.node_location(node)
                if told:
                    self.facts.kept.append((function, self.node_location(node)))

    def writes(self, node: gast.Call, function: Any) -> bool:
        """Whether a call may change one of its arguments."""
        out = next((item.value for item in node.keywords if item.arg == "out"), constant(None))
        return not (isinstance(out, gast.Constant) and out.value is None) or may_write(function) \
            or isinstance(node.func, gast.Attribute) and node.func.attr == "at" or bool(bound_to(function))

    def writing_call(self, node: gast.AST) -> UnsupportedError:
        function = known_value(self.facts.values.get(id(getattr(node, "func", None)), ANY))
        written_out = next((remedy for known, remedy in WRITTEN_OUT if function is known), None)
        return self.refusal("this call may write into its arguments, which is not supported yet",
                            written_out or "call it on a line of its own, or let it return a new array", node)

    def changing_function(self, node: gast.AST) -> UnsupportedError:
        return self.refusal("a function that this call gets may change what it gets or what is around it, which is not "
                            "followed here", "call it in a loop before, and let this use what it gave", node)

    def is_remembered(self, node: gast.Call) -> bool:
        """Whether a call is of a function that remembers what it gave."""
        function: Any = node.func
        while isinstance(function, gast.Attribute):
            function = function.value
            if type(known_value(self.facts.values.get(id(function), ANY))) is CACHED:
                return True
        return False

    def is_looked_into(self, function: Any) -> bool:
        """Whether something is a function of the user's, whose source is looked into."""
        return isinstance(function, types.FunctionType) and self.derivative_of is not None and not is_library(function)


def holds_keys(value: Abstract) -> bool:
    """Whether a value is a list or tuple of texts or integers, into which nothing can be put."""
    return isinstance(value, Items) and value.has_places and (is_key(value.any_item) or is_whole(value.any_item))


def around(node: gast.AST, environment: dict) -> dict[str, Abstract]:
    """What the names in an expression stand for."""
    return {label: environment[label].value for label in names_in(node) if label in environment}


def given_to(node: gast.Call) -> list[gast.AST]:
    return [*node.args, *(item.value for item in node.keywords)]


def is_ours(function: Any) -> bool:
    """Whether a function is of this package, or a derivative: such look into what they get."""
    return isinstance(function, Derived) or function is not MISSING and str(
        getattr(function, "__module__", "")).startswith("s2sgrad")


def mentions_active(node: gast.AST, environment: dict) -> bool:
    """Whether an expression mentions anything differentiated, be it for more than its form."""
    if isinstance(node, gast.Name):
        return reads_active(node, environment)
    if isinstance(node, gast.Call) and getattr(node.func, "id", "") in OF_FORM and node.func.id not in environment:
        return False
    base = environment.get(getattr(getattr(node, "value", None), "id", None))
    if isinstance(node, gast.Attribute) and base is not None and (
            node.attr == "__class__" or node.attr in MEASURES and isinstance(base.value, Numeric)):
        return False
    return any(mentions_active(child, environment) for child in gast.iter_child_nodes(node))
