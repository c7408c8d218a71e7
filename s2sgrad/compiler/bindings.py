"""Abstract interpretation of ``import``, ``del``, ``with``, ``*rest``, and expressions evaluated for their effect."""
from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import importlib
import importlib.util
import sys
import types
import warnings
from typing import Any

import gast

from s2sgrad.compiler.attempts import Attempts, Managed
from s2sgrad.compiler.attributes import NeedsParts
from s2sgrad.compiler.changing_functions import made_may_change
from s2sgrad.compiler.closed import is_closed
from s2sgrad.compiler.comprehensions import Comprehensions
from s2sgrad.compiler.contexts import gives_itself, is_harmless, may_swallow, may_write_at_end, ways_of
from s2sgrad.compiler.effects import MUTATING_METHODS, NEW, TELLING, functions_in, is_library, may_write
from s2sgrad.compiler.made_functions import reads_active
from s2sgrad.compiler.missing_keys import MissingKeys
from s2sgrad.compiler.nodes import names_in, walk
from s2sgrad.compiler.objects import changes_when_read, is_parent
from s2sgrad.compiler.passive_calls import given_to
from s2sgrad.compiler.program import (
    Assign,
    Branch,
    Context,
    Evaluate,
    Import,
    Leave,
    Loop,
    Remove,
    Rest,
    assigned_names,
    pattern_names,
    statements,
)
from s2sgrad.compiler.records import Records
from s2sgrad.compiler.respell import assigned
from s2sgrad.compiler.sharing import may_be_written
from s2sgrad.compiler.targets import target_of
from s2sgrad.compiler.views import Views
from s2sgrad.compiler.writers import Writers
from s2sgrad.containers import DICTS
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import MISSING, NEVER, Abstract, Function, Items, Known, Numeric, Opaque, known_value
from s2sgrad.runtime import check_floats, is_mapping, is_sequence

NOTEBOOKS = (list, set, collections.deque, *DICTS)
"""What makes a container for managers to note something in."""


class Bindings(MissingKeys, Comprehensions, Records, Writers, Views, Attempts):
    """The statements that hold no formula."""

    # ---- import and del

    def do_Import(self, statement: Import, environment: dict) -> dict:
        node = statement.node
        environment = dict(environment)
        for alias, target in zip(node.names, statement.targets):
            if isinstance(node, gast.ImportFrom):
                value = self.imported_from(node, alias.name)
            else:
                module = module_named(alias.name)
                value = module if alias.asname else module_named(target)
            version = self.version(target, value, "bound")
            self.facts.defined[statement, target] = environment[target] = version
        return environment

    def imported_from(self, node: gast.ImportFrom, wanted: str) -> Abstract:
        label = node.module or ""
        if node.level:
            package = known_value(self.captured("__package__").value)
            if not isinstance(package, str):
                return Opaque()
            label = importlib.util.resolve_name("." * node.level + label, package)
        module = known_value(module_named(label))
        if not isinstance(module, types.ModuleType):
            return Opaque()
        return self.module_attribute(module, wanted) if hasattr(module, wanted) else module_named(f"{label}.{wanted}")

    def do_Remove(self, statement: Remove, environment: dict) -> dict:
        return {name: version for name, version in environment.items() if name not in statement.targets}

    # ---- with

    def do_Context(self, statement: Context, environment: dict) -> dict | None:
        attempt = self.suppressed(statement, environment)
        if attempt is not None:
            return self.do_Attempt(attempt, environment)
        for manager, target in statement.items:
            environment = self.enter(statement, manager, environment)
            if target is not None:
                environment = self.bind(statement, target, Opaque(), None, environment)  # type: ignore[attr-defined]
        end: dict | None
        if statement.final and statement in self.expanded:  # its body is among the statements that it stands for
            end = self.expand(statement, self.expanded[statement], environment)
        else:
            end = self.within(statement, environment)
            if statement.final:
                end = self.finish(statement, environment, end)
        if end is not None:
            self.facts.after[statement] = end
        return end

    def within(self, statement: Context, environment: dict) -> dict | None:
        """The block of a ``with`` statement. Where it is refused, the manager may be an object that it makes and the
        block writes into: it is an object as any other where the statement is written out."""
        try:
            return self.block(statement.body, environment)  # type: ignore[no-any-return]
        except (UnsupportedError, NeedsParts) as problem:
            entered = next((manager for manager, target in statement.items
                            if isinstance(target, str) and gives_itself(self.maker_of(manager))), None)
            of_an_argument = isinstance(problem, NeedsParts) and (problem.origin or problem.value is not MISSING)
            if entered is None or of_an_argument or type(problem) not in (UnsupportedError, NeedsParts):
                raise
            raise self.managed(statement, entered, problem if isinstance(problem, UnsupportedError) else self.refusal(
                "what this block writes into the object that it enters is not followed",
                "let control leave the block by its end, and return behind it", entered)) from None

    def maker_of(self, manager: Any) -> Any:
        """What makes a manager, which a call gives."""
        return known_value(self.facts.values.get(id(getattr(manager, "func", None)), Opaque()))

    def enter(self, statement: Context, manager: Any, environment: dict) -> dict:
        """A context manager, of which must be known that it hands on every exception: else control may come out of the
        block without having reached its end. What it may note its times and the like in is not known any more."""
        if isinstance(manager, gast.IfExp):
            return self.enter_chosen(statement, manager, environment)
        made = isinstance(manager, gast.Call)
        for part in [*manager.args, *(item.value for item in manager.keywords)] if made else [manager]:
            if self.evaluate(part.value if isinstance(part, gast.Starred) else part, environment).active:
                self.passively(manager, environment)
                raise self.managed(statement, manager, self.refusal(
                    "a context manager that gets a differentiated value is not supported", "give it constants; or let "
                    "it be a @contextmanager function with one yield that gets all that it changes as arguments, and "
                    "return behind the block", part))
        self.passively(manager, environment)
        known = known_value(self.facts.values.get(id(manager.func if made else manager), Opaque()))
        given = [*manager.args, *(item.value for item in manager.keywords)] if made else [manager]
        if isinstance(known, types.MethodType):
            given.append(getattr(manager.func, "value", manager.func))
        self.facts.told_away = self.facts.told_away or known in (contextlib.redirect_stdout, contextlib.redirect_stderr)
        ways = ways_of(known, made, self.facts.value(manager))
        self.note_disturbed(manager, *ways)  # type: ignore[attr-defined]
        if any(map(may_write_at_end, ways)):
            self.facts.managing.append((statement, manager))
        if any(map(may_write, ways)):
            for part in given:
                inner = part.value if isinstance(part, (gast.Starred, gast.keyword)) else part
                if not may_be_written(self.facts.values[id(inner)]):
                    continue
                if not isinstance(inner, gast.Name) or not self.is_only_noted(inner.id, environment):
                    raise self.managed(statement, manager, self.refusal(
                        "this context manager may write into what it gets, which is not supported",
                        "do that on lines of its own, before and behind the block; or give it a list or dict that this "
                        "function makes, and only prints or returns", manager))
                if inner.id in environment:
                    version = self.version(inner.id, Opaque(), "bound")
                    self.facts.defined[statement, inner.id] = version
                    environment = {**environment, inner.id: version}
        if may_swallow(known, made):
            opens = made and isinstance(manager.func, gast.Attribute) and manager.func.attr == "open"
            raise self.managed(statement, manager, self.refusal(
                "this context manager may swallow exceptions, which is not supported",
                f"call the function open: open({self.node_location(manager.func.value).words()}, ...)" if opens else
                "catch them with try and except; write managers that catch none into the with statement, as calls of "
                "what makes them", manager))
        return environment

    def enter_chosen(self, statement: Context, manager: gast.IfExp, environment: dict) -> dict:
        """One of two managers that change nothing that the function knows of."""
        self.passively(manager, environment)
        for arm in (manager.body, manager.orelse):
            self.passively(arm, environment)
            maker = known_value(self.facts.values.get(id(getattr(arm, "func", None)), Opaque()))
            if maker is not contextlib.nullcontext and not is_harmless(maker, isinstance(arm, gast.Call)):
                raise self.refusal("which context manager this is, is not known before the call",
                                   "write a with statement into each branch of an if", manager)
            environment = self.enter(statement, arm, environment)
        return environment

    def managed(self, statement: Context, manager: Any, refusal: UnsupportedError) -> UnsupportedError:
        """The refusal of a ``with`` statement, of which it may be possible to write out what it does."""
        value = self.facts.value(manager)
        maker = self.maker_of(manager) if isinstance(manager, gast.Call) else type(known_value(value))
        found = Managed(refusal.reason, refusal.remedy, refusal.location)
        found.statement = statement
        found.maker = value.kind if isinstance(value, Items) else maker
        return found

    def is_only_noted(self, label: str, environment: dict) -> bool:
        """Whether a name stands for a new list or dict, or for a global, and is read nowhere but where managers get it,
        and where it is printed or returned: nothing differentiated depends on what is in it."""
        if label in self.facts.parameters:
            return False
        for statement in statements(self.program.body):
            if label in assigned_names((statement,)) and not isinstance(statement, (Context, Loop, Branch)) and not (
                    isinstance(statement, Assign) and all(
                        self.makes_empty(value) for target, value in assigned(statement.target, statement.value)
                        if label in pattern_names(target))):
                return False
            for node in own_expressions(statement):
                if any(isinstance(part, gast.Name) and part.id == label for part in walk(node)) and not (
                        isinstance(statement, Context) or isinstance(statement, Leave) and label not in inside(node)
                        or isinstance(statement, Evaluate) and self.is_print(node, environment)):
                    return False
        return True

    def makes_empty(self, node: gast.AST) -> bool:
        """Whether an expression is a new list, dict or the like."""
        if isinstance(node, gast.Call):
            return any(known_value(self.facts.values.get(id(node.func), Opaque())) is kind for kind in NOTEBOOKS)
        return isinstance(node, (gast.List, gast.Dict))

    def is_print(self, node: gast.AST, environment: dict) -> bool:
        return self.function_of(node, environment) is print

    # ---- unpacking

    def with_rest(self, statement: Any, pattern: tuple, value: Abstract) -> Abstract:
        """What a pattern with a ``*rest`` in it takes apart, as the tuple of what its targets get."""
        if isinstance(value, Numeric) and value.shape and isinstance(value.shape[0], int):
            value = Items(list, (self.element_of(value),) * value.shape[0])
        if isinstance(value, Items) and value.is_object:
            value = self.element_of(value)
        place = next(index for index, part in enumerate(pattern) if isinstance(part, Rest))
        if value.active and not (isinstance(value, Items) and value.items is not None and hasattr(statement, "value")):
            raise self.refusal("a starred target takes apart differentiated values, and how many is not known",
                               "unpack by index instead")
        if not isinstance(value, Items) or value.items is None:
            items = [self.element_of(value)] * len(pattern)
            items[place] = Items(list, None, items[place]) if value is not NEVER else NEVER
            return Items(tuple, tuple(items))
        count = len(value.items) - len(pattern) + 1
        if count < 0:
            return NEVER
        rest = Items(list, value.items[place:place + count])
        return Items(tuple, (*value.items[:place], rest, *value.items[place + count:]))

    # ---- expressions for their effect

    def may_be_writer(self, node: gast.Call, environment: dict) -> bool:
        """Whether a call may write into its arguments, or into what the function takes from around it."""
        with self.outer_names_read():
            return self.is_writing(node, environment)

    def is_writing(self, node: gast.Call, environment: dict) -> bool:
        function = self.passively(node.func, environment)
        method = self.method_found(node, environment)
        if isinstance(method, gast.Constant):  # super().__init__() of what has nothing behind it
            return False
        if method is not None:
            function = self.passively(method.func, environment)
        elif known_value(function) is MISSING and not (
                isinstance(node.func, gast.Attribute) and self.is_logger(node.func.value)) and any(self.evaluate(
                item.value if isinstance(item, gast.Starred) else item, environment).active for item in node.args):
            self.wish(node.func)  # it may be stored somewhere
        called = target_of(known_value(function)).function
        given = given_to(node)
        if (isinstance(function, Function) or self.is_looked_into(called)) and any(
                self.hands_on_writer(item, environment) for item in given):
            return True
        values = [self.passively(item, environment) for item in given]
        touches = method is not None or any(map(changes_when_read, values))
        return isinstance(function, Function) or self.is_made(node.func, environment) \
            or touches and self.is_looked_into(called) or self.may_write_into(node, called, values, environment)

    def is_made(self, node: gast.AST, environment: dict) -> bool:
        """Whether what is called is an object that stands for a function made here."""
        function = self.passively(node, environment)
        return isinstance(function, Items) and is_closed(function.kind)

    def hands_on_writer(self, node: gast.AST, environment: dict) -> bool:
        """Whether an argument is a function that writes into what is around it, be it by way of others: ``log.append``,
        ``record``."""
        if isinstance(node, gast.Attribute):
            if node.attr in MUTATING_METHODS:
                return True
            self.passively(node.value, environment)
            return self.is_changing_method(node)
        if isinstance(node, (gast.List, gast.Tuple)):
            return any(self.hands_on_writer(item, environment) for item in node.elts)
        if isinstance(node, gast.Call) and self.function_of(node, environment) is functools.partial:
            functions = [known_value(self.passively(item, environment)) for item in node.args]
            return any(self.is_looked_into(known) and may_write(known) for known in functions) or any(
                self.hands_on_writer(item, environment) for item in node.args)
        return isinstance(node, (gast.Name, gast.Lambda)) and made_may_change(
            [self.passively(node, environment)], environment)

    def do_Evaluate(self, statement: Evaluate, environment: dict) -> dict:
        node = statement.value
        if isinstance(node, gast.Call) and not (node.args or node.keywords) and isinstance(
                node.func, gast.Attribute) and is_parent(node.func.value) and isinstance(
                self.method_found(node, environment), gast.Constant):  # which does nothing, and needs the object
            return self.expand(statement, [], environment)
        if isinstance(node, gast.Call) and (
                isinstance(node.func, (gast.Name, gast.Attribute, gast.Subscript))
                or self.is_made(node.func, environment)) and self.may_be_writer(node, environment):
            self.whole(node, environment)  # type: ignore[attr-defined]
            called = self.facts.call_of(node)
            return environment if called is None else self.after_call(  # type: ignore[attr-defined]
                statement, called, environment)
        with self.outer_names_read():
            self.passively(node, environment)
        if not isinstance(node, gast.Call):
            return environment
        callee = self.facts.values.get(id(node.func))
        if isinstance(callee, Opaque) and callee.active or isinstance(node.func, gast.Subscript) and self.finds_writer(
                node.func, environment):
            raise self.refusal("which function is called here is not known before the call, and what it may write into "
                               "is not followed", "choose by if which to call, by its name", node)
        receiver = node.func.value if isinstance(node.func, gast.Attribute) else None
        made = node.func if isinstance(node.func, gast.Call) else None  # getattr(u, "sort")()
        touched = [part for part in (*given_to(node), made, receiver)
                   if part is not None and not self.is_text(part)]
        values = [self.facts.values.get(id(part), Opaque()) for part in touched]
        function = known_value(self.facts.values.get(id(node.func), Opaque()))
        ruled = id(node) in self.facts.applied and not self.writes(node, function)  # type: ignore[attr-defined]
        reads = ruled or only_reads(function) or receiver is not None and self.is_logger(receiver)
        active = any(reads_active(part, environment) for part in touched) or self.closes_over_active(
            values, environment)
        by_library = not isinstance(function, types.FunctionType) and may_write(function) or receiver is not None \
            and node.func.attr in MUTATING_METHODS and known_value(values[-1]) in (dict, list, set)
        if not reads and (by_library and not active or any(item.arg == "out" for item in node.keywords) or any(
                isinstance(value, Items) and value.is_list
                or isinstance(value, Numeric) and not value.is_number for value in values)):
            raise self.refusal("a call on a line of its own may write into its arguments, which is not supported "
                               "yet", "use what the call returns", node)
        if active and not reads and receiver is None and function is MISSING:
            raise self.refusal("the function called here is not known before the call, and may put a differentiated "
                               "value where nobody follows it", "call it by its name", node)
        if active and not reads:
            raise self.refusal("a call on a line of its own may put a differentiated value where nobody follows it",
                               "make it outside the function, of what has_aux=True returns", node)
        if active:
            self.facts.kept.append((function, statement.location))
            self.facts.told_away = self.facts.told_away or isinstance(function, types.FunctionType)
        return environment

    def finds_writer(self, node: gast.Subscript, environment: dict) -> bool:
        """Whether what is called is an item of a container in which there are functions of this one, or methods of
        what is differentiated, which may write into what is around them."""
        held = self.passively(node.value, environment)
        return bool(functions_in(held)) or held.active or any(
            isinstance(version.value, Items) and version.value.is_object and version.value.active
            for version in environment.values()) and not isinstance(held, (Known, Items))

    def is_logger(self, node: gast.AST) -> bool:
        """``LOGGER``, ``logging.getLogger(__name__)``"""
        if isinstance(node, gast.Call):
            return is_logging(known_value(self.facts.values.get(id(node.func), Opaque())))
        return is_logging(type(known_value(self.facts.values[id(node)])))

    def is_text(self, node: gast.AST) -> bool:
        """Whether an expression is a text as it stands: ``f"{x}"``, ``"%g" % x``, ``"{}".format(x)``, ``str(x)``."""
        if isinstance(node, gast.BinOp):
            return self.is_text(node.left)
        if isinstance(node, gast.Call):
            function = known_value(self.facts.values.get(id(node.func), Opaque()))
            return any(function is known for known in TELLING) or isinstance(
                node.func, gast.Attribute) and self.is_text(node.func.value)
        return isinstance(node, gast.JoinedStr) or isinstance(node, gast.Constant) and isinstance(node.value, str)


def only_reads(function: Any) -> bool:
    """Whether a function that is called for its effect is known to leave its arguments alone."""
    harmless = (*NEW, warnings.warn, is_sequence, is_mapping, check_floats)
    if any(function is known for known in harmless) or is_logging(function) or is_of_tests(function):
        return True
    return isinstance(function, types.FunctionType) and not is_library(function) and not may_write(function)


def is_of_tests(function: Any) -> bool:
    """Whether it is one of NumPy's assertions: ``np.testing.assert_allclose``."""
    return isinstance(function, types.FunctionType) and f"{function.__module__}.{function.__name__}".startswith(
        ("numpy.testing.assert_", "numpy.testing._private.utils.assert_"))


def is_logging(thing: Any) -> bool:
    return getattr(thing, "__module__", None) == "logging"


def module_named(name: str) -> Abstract:
    """The module that an import statement gives; where there is none, the statement itself says so when it is run."""
    try:
        return Known(sys.modules.get(name) or importlib.import_module(name))
    except Exception:
        return Opaque()


def own_expressions(statement: Any) -> list[gast.AST]:
    """The expressions of a statement, without those of the statements in it."""
    found: list = []
    for item in dataclasses.fields(statement):
        value = getattr(statement, item.name)
        if isinstance(value, gast.AST):
            found.append(value)
        elif isinstance(statement, Context) and item.name == "items":
            found += [manager for manager, _ in value]
    return found


def inside(node: gast.AST) -> set[str]:
    """The names in what is returned that are not returned as they are."""
    parts = node.elts if isinstance(node, (gast.Tuple, gast.List)) else [node]
    return {label for part in parts if not isinstance(part, gast.Name) for label in names_in(part)}
