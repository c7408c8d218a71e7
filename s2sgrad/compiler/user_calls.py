"""Calls of functions of the user's that get something differentiated: each gets a primal and an adjoint of its own."""
from __future__ import annotations

import heapq
import types
from typing import Any

import gast

from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.effects import HEAPS, has_effect
from s2sgrad.compiler.evaluation import ComesFirst, NeedsName
from s2sgrad.compiler.facts import Called, same_array
from s2sgrad.compiler.handed_out import hands_out
from s2sgrad.compiler.layouts import layout
from s2sgrad.compiler.nodes import constant, is_starred, walk
from s2sgrad.compiler.order import may_raise
from s2sgrad.compiler.outer_changes import is_noticed
from s2sgrad.compiler.passive_calls import PassiveCalls
from s2sgrad.compiler.running_again import involved, runs_alike
from s2sgrad.compiler.scopes import stores, yields
from s2sgrad.compiler.short_circuits import reads_in_any_case
from s2sgrad.compiler.telling import is_told
from s2sgrad.containers import in_library
from s2sgrad.errors import SourceError, UnsupportedError
from s2sgrad.rules.abstract import (
    NEVER,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    items_of,
    known_value,
    passive,
)
from s2sgrad.rules.refused import public_name, remedy_for


class UserCalls(PassiveCalls):
    """The evaluation of calls of functions whose source is looked into."""

    def inner_call(self, node: gast.Call, callee: Function, environment: dict) -> Abstract:
        """A call of a function that is defined inside: what it takes from around it is as good as an argument."""
        if is_starred(node):
            raise self.of_open_stars(node)
        is_generator = yields(callee.syntax) or id(node) in self.facts.consumed and hands_out(
            callee.syntax, callee.owner)
        inner = Definition(callee.owner, syntax=callee.syntax, gradient=callee.gradient, collected=is_generator)
        if self.derivative_of is None:
            return Opaque()
        definition, nodes, values = self.bound(node, inner, callee.homes, environment)
        if any(value is NEVER for value in values[:len(values) - len(definition.hidden)]):
            return NEVER
        derivative, result = self.given_what_it_reads(node, definition, nodes, values, environment)
        if id(node) in self.without_value:
            return NEVER
        writes = self.must_be_followed(derivative, callee.syntax, values)
        if writes and node is not self.whole_call:
            raise NeedsName(node, self.part_of_an_expression(node))
        if writes or any(value.active for value in values) and not self.passive_context:
            called = self.generated if is_generator else self.user_call  # type: ignore[attr-defined]
            return called(node, inner, callee.homes, environment)
        self.facts.tells = self.facts.tells or is_told(result)
        return Opaque(told=is_told(result)) if is_generator else self.given_by(
            node, passive(result), filter(None, values))

    def must_be_followed(self, derivative: Any, syntax: Any, values: list) -> bool:
        """Whether a function that is made here changes what it gets, or puts something differentiated outside."""
        if not derivative.settled:
            return stores(syntax)
        return bool(derivative.facts.written) or any(
            value is not None and value.active for value in values) and tells_outside(derivative)

    def given_what_it_reads(self, node: gast.Call, definition: Definition, nodes: list, values: list,
                            environment: dict) -> tuple[Any, Abstract]:
        """The function of a call, and its result. What may have no value yet of that which the function takes from
        around it is None among its arguments (``nodes``, ``values``) where it is not read; where it is, Python raises
        what it does for a name without a value, and what never has one there is noted. Where it is read on some ways
        only, and perhaps not on the one taken when it has no value, there is nothing to hand on."""
        derivative, result = self.derivative_of(definition, values)  # type: ignore[misc]
        self.without_value.pop(id(node), None)
        unread = []
        for index, label in enumerate(definition.hidden, len(values) - len(definition.hidden)):
            taken = nodes[index]
            if id(taken) not in self.facts.taken_along:
                continue
            reads = label in derivative.facts.names_read if derivative.settled else \
                derivative.program is not self.program
            if reads:
                self.facts.names_read.add(taken.id)
            if taken.id in environment and not environment[taken.id].unbound:
                continue
            if not reads:
                unread.append(index)
            elif taken.id not in environment and taken.id in self.local:
                self.without_value[id(node)] = self.refusal(
                    f"{taken.id}, which the function reads that is called here, has no value yet",
                    "give it one before", node)
            elif taken.id in environment and derivative.settled and not reads_in_any_case(
                    derivative.program.body, label):
                raise self.of_no_value(node, taken, environment)
        for index in unread:
            nodes[index], values[index] = gast.copy_location(constant(None), node), Known(None)
            self.facts.made.append(nodes[index])
            self.facts.values[id(nodes[index])] = values[index]
        return self.derivative_of(definition, values) if unread else (derivative, result)  # type: ignore[misc]

    def of_no_value(self, node: gast.Call, taken: gast.Name, environment: dict) -> UnsupportedError:
        if isinstance(environment[taken.id].value, Function):  # which may have a name that is not the user's
            return self.refusal("the function that is called here reads another one, which is there on some ways only",
                                "define that in any case, before the branch", node)
        return self.refusal(
            f"{taken.id} may have no value yet, and the function that is called here reads it on some ways only",
            f"give it one in any case: {taken.id} = 0.0", node)

    def need_contiguous(self, derivative: Any, arguments: list, environment: dict) -> None:
        """What a function writes through views that are views of contiguous arrays only must get these."""
        for parameter, node in zip(derivative.parameters, arguments):
            if node is None or parameter not in derivative.facts.contiguous:
                continue
            needs = layout(node, self.facts, environment)
            if needs is None:
                raise self.refusal(f"{derivative.name} writes through a reshaped {parameter}, and whether what it gets "
                                   "here is contiguous is not known before the call", "give it a copy", node)
            self.facts.contiguous.update(dict.fromkeys(needs, self.node_location(node)))

    def user_call(self, node: gast.Call, definition: Definition, homes: tuple, environment: dict) -> Abstract:
        """A call of a function of the user's with active arguments: it gets a primal and an adjoint of its own."""
        definition, nodes, values = self.bound(node, definition, homes, environment)
        try:
            derivative, result = self.given_what_it_reads(node, definition, nodes, values, environment)
        except SourceError as error:  # what has no source is the callee, and this is where it is called
            error.location = error.location or self.node_location(node)
            raise
        except UnsupportedError as error:
            function = definition.function
            inside = isinstance(function, types.FunctionType) and in_library(function.__module__) and getattr(
                error.location, "filename", "") == function.__code__.co_filename
            if inside and function.__module__ == HEAPS and function.__name__ in heapq.__all__:
                raise self.refusal(f"heapq.{function.__name__} is not followed here: {error.reason}",
                                   "keep numbers in the heap, or tuples with them", node) from None
            if inside and str(function.__module__).startswith("s2sgrad."):  # whose source means nothing to the user
                error.location = self.node_location(node)
            elif inside:
                raise self.refusal(f"{public_name(function)} has no derivative rule, and in its source {error.reason}",
                                   remedy_for(function), node) from None
            raise
        if hasattr(definition.function, "runs_again") and derivative.is_known:
            self.check_runs(node, derivative, known_value(values[0]))
        if not any(value is not None and value.active for value in values):
            self.refuse_other_names(node, derivative, result, values)
        return self.noted(node, derivative, result, nodes, values, environment)

    def check_runs(self, node: gast.Call, derivative: Any, function: Any) -> None:
        """Raises UnsupportedError where the function of a Jacobian may do something else in the next run, or change
        what it was given."""
        what = "a Jacobian that is differentiated runs its function again and again"
        if derivative.facts.written:
            raise self.refusal(f"{what}, and this one writes into its arguments", "write into a copy", node)
        if is_noticed(function) if callable(function) else runs_alike(derivative) is not None:
            raise self.refusal(f"{what}: this one may do something else then", "let it print, draw and store nothing",
                               node)

    def noted(self, node: gast.Call, derivative: Any, result: Abstract, nodes: list, values: list,
              environment: dict) -> Abstract:
        """The result of a call of a function that gets a primal and an adjoint, which the tables know from here on."""
        early = self.early_by_name(node, nodes)
        if early is not None:
            raise ComesFirst(early, self.refusal("this argument does something, and stands before others whose "
                                                "parameters come first", "give it a name on a line before", early))
        derivative.called = True
        self.facts.tells = self.facts.tells or derivative.is_known and derivative.facts.tells
        if isinstance(node.func, gast.Name):
            derivative.called_by(node.func.id)
        active = [index for index, value in enumerate(values) if value is not None and value.active]
        called = Called(derivative, nodes, active, self.node_location(node), remembered=self.is_remembered(node))
        self.facts.calls[id(node)] = self.facts.callees[id(node)] = called
        if called.remembered and active and any(map(is_told_by_identity, values)):
            raise self.refusal(f"{derivative.name} remembers what it gave for a function or an object, which may "
                               "change meanwhile, and is run anew for differentiated values",
                               "leave functools.lru_cache out; give it numbers and texts", node)
        if derivative.settled:
            self.need_contiguous(derivative, nodes, environment)
            if called.remembered and active and runs_alike(derivative) is not None:
                raise self.refusal(f"{derivative.name} remembers what it gave, is run anew for differentiated values, "
                                   "and may do something else then", "let it print, draw and change nothing, and read "
                                   "nothing that changes; leave functools.lru_cache out", node)
        if derivative.is_known and derivative.facts.written:
            if node is not self.whole_call:
                raise NeedsName(node, self.part_of_an_expression(node))
            called.written = {parameter: self.written_argument(node, derivative, parameter, argument, value)
                              for parameter, argument, value in zip(derivative.parameters, nodes, values)
                              if parameter in derivative.facts.written}
            if len(set(called.written.values())) < len(called.written):
                raise self.refusal(f"{derivative.name} changes by two names what it gets here",
                                   "let it have that by one: as an argument, or from around it", node)
        return self.given_by(node, result, filter(None, values))

    def early_by_name(self, node: gast.Call, nodes: list) -> gast.AST | None:
        """The first argument of a call that does something, or may raise something, where such ones stand in another
        order than the parameters, in whose order they are handed on, and not all are calls that get names anyway; None
        elsewhere."""
        written = [*node.args, *(item.value for item in node.keywords)]
        acting = [part for part in written if has_effect(part, self.facts)] if node.keywords else []
        acting = [part for part in written if part in acting or may_raise(part, self.facts)] if acting else []
        in_turn = [part for part in nodes if any(part is other for other in acting)]
        if len(acting) < 2 or in_turn == acting or all(self.facts.call_of(part) is not None for part in acting):
            return None
        return acting[0]

    def part_of_an_expression(self, node: gast.AST) -> UnsupportedError:
        return self.refusal("this call writes into its arguments, and is part of an expression",
                            "write it on a line of its own", node)

    def written_argument(self, node: gast.Call, derivative: Any, parameter: str, argument: gast.AST | None,
                         value: Abstract | None) -> str:
        """The name of the array that a call writes into."""
        facts = derivative.facts
        if isinstance(value, Items) and parameter in facts.stored:
            return self.written_object(node, derivative, parameter, argument)
        known = isinstance(value, Numeric) and value.kind == "array"
        if not known or not isinstance(argument, gast.Name) or argument.id not in self.local:
            unlike = not known and isinstance(argument, gast.Name)
            refusal = self.of_what_is_around(node, derivative, argument) or self.refusal(
                f"{derivative.name} writes into {parameter}, and what it gets here has no name of its own, or may be a "
                "number", f"begin with an array that this function makes: {argument.id} = {argument.id}.copy()"
                if unlike else "give it a whole array that has a name in this function", node)
            named = known and argument is not None and not isinstance(argument, gast.Name)
            raise NeedsName(argument, refusal) if named else refusal
        return argument.id

    def written_object(self, node: gast.Call, derivative: Any, parameter: str, argument: gast.AST | None) -> str:
        """The name of the object in which a call stores something; one that always raises leaves none."""
        ends = derivative.facts.ends.get(parameter, ())
        first = derivative.facts.parameters[parameter]
        if ends and not isinstance(derivative.facts.end(parameter), Items):
            raise self.refusal(f"{derivative.name} leaves {parameter} with other attributes on some ways than on "
                               "others", f"set all attributes of {parameter} before", node)
        if not all(same_array(first, version) for version in ends):
            raise self.refusal(f"{derivative.name} changes {parameter}, and binds it to something else as well",
                               f"give that another name than {parameter}", node)
        if not isinstance(argument, gast.Name) or argument.id not in self.local:
            around = self.of_what_is_around(node, derivative, argument)
            if around is not None:
                raise around
            refusal = self.part_of_an_expression(node)
            raise refusal if argument is None else NeedsName(argument, refusal)
        return argument.id

    def of_what_is_around(self, node: gast.Call, derivative: Any, argument: gast.AST | None
                          ) -> UnsupportedError | None:
        """Why a call can't write into an argument that is not written there: a function made here has it."""
        if argument is None or any(part is argument for part in walk(node)):
            return None
        return self.refusal(f"{derivative.name} changes what it has from around it, and was made here",
                            "keep that in an object, and let a method change it", node)


def is_told_by_identity(value: Abstract | None) -> bool:
    """Whether a function or an object is the same key of a dict, whatever it reads or holds by then."""
    return isinstance(value, Function) and bool(value.homes) or isinstance(value, Items) and (
        value.is_object and value.kind.__hash__ is object.__hash__
        or value.kind is tuple and any(map(is_told_by_identity, items_of(value))))


def tells_outside(derivative: Any) -> bool:
    """Whether a function, or one that it calls, puts something differentiated into an outer variable."""
    found = [inner.facts for inner in involved(derivative) if inner.is_known]
    return any(facts.kept or any(told for _, told in facts.noted.values()) for facts in found)
