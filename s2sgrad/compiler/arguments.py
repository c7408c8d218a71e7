"""The arguments of a call: written out where they are given with ``*`` and ``**``, in the form that a rule takes, and
bound to the parameters of a function of the user's."""
from __future__ import annotations

import inspect
import itertools
import types
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.closed import Outliving, is_closed
from s2sgrad.compiler.counts import called, count_given
from s2sgrad.compiler.definitions import Definition, written_signature
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.equivalents import makes_iterator
from s2sgrad.compiler.evaluation import NeedsName, NeedsSizes, number_of_items
from s2sgrad.compiler.facts import numbers_in
from s2sgrad.compiler.nodes import attribute, call, constant, located_at, subscript, walk
from s2sgrad.compiler.outer_changes import is_noticed
from s2sgrad.compiler.scopes import late_defaults
from s2sgrad.compiler.structures import key_expression
from s2sgrad.compiler.targets import target_of
from s2sgrad.containers import in_library
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Function, Items, Numeric, Opaque, known_value
from s2sgrad.rules.table import Rule


class NeedsItems(NeedsName):
    """What ``*values`` gives must have names, as many as the call's function takes."""

    def __init__(self, node: gast.AST, refusal: UnsupportedError, count: int):
        super().__init__(node, refusal)
        self.count = count


class Arguments(Outliving):
    """The evaluation of what calls are given."""

    def known_of_arguments(self, node: gast.Call, environment: dict) -> tuple[list[Abstract], dict[str, Abstract]]:
        """What is known of the arguments of a call."""
        return [self.evaluate(item.value if isinstance(item, gast.Starred) else item, environment)
                for item in node.args], {
            item.arg or "**": self.evaluate(item.value, environment) for item in node.keywords}

    def spread(self, node: gast.Call, environment: dict) -> gast.Call:
        """The call that a call makes in the end, with the arguments that a callable object adds, and those that are
        given with ``*`` and ``**``, written out as far as they are known; the node itself where it is that call."""
        target = target_of(known_value(self.facts.values[id(node.func)]))
        args = [part for item in node.args for part in self.unpacked(item, environment)]
        keywords = [part for item in node.keywords for part in self.unpacked_keywords(item, environment)]
        if not target.steps:
            same = args == node.args and keywords == node.keywords
            return node if same else gast.copy_location(gast.Call(node.func, args, keywords), node)
        named = {item.arg for item in keywords}
        bound = [self.reached(node, steps, value) for steps, value in target.positional]
        more = [gast.keyword(key, self.reached(node, steps, value)) for key, (steps, value) in target.keywords.items()
                if key not in named]
        function = gast.copy_location(attribute(node.func, *target.steps), node.func)
        return gast.copy_location(gast.Call(function, [*bound, *args], [*keywords, *more]), node)

    def reached(self, node: gast.Call, steps: tuple, value: Any) -> gast.AST:
        """The expression of an argument that a callable adds."""
        found = node.func
        if steps == ("__self__",) and isinstance(found, gast.Attribute) \
                and known_value(self.facts.values.get(id(found.value), Opaque())) is value:
            return found.value
        for step in steps:
            found = attribute(found, step) if isinstance(step, str) else subscript(found, constant(*step))
            gast.copy_location(found, node.func)
        return found

    def unpacked(self, node: gast.AST, environment: dict) -> list[gast.AST]:
        """The arguments that ``*pair`` gives, where it is known how many."""
        if not isinstance(node, gast.Starred):
            return [node]
        if isinstance(node.value, (gast.GeneratorExp, gast.ListComp)):
            self.facts.consumed.add(id(node.value))
            items = self.list_written_out(node.value, environment)  # type: ignore[attr-defined]
            if items:
                return items  # type: ignore[no-any-return]
        if isinstance(node.value, gast.Call) and self.function_of(node.value, environment) is map and isinstance(
                node.value.args[0], (gast.Name, gast.Attribute, gast.Lambda)):
            made = self.simpler(node.value, map)  # type: ignore[attr-defined]
            items = isinstance(made, gast.ListComp) and self.list_written_out(  # type: ignore[attr-defined]
                made, environment)
            if items:
                self.facts.listed[id(node.value)] = items
                return items
        if isinstance(node.value, gast.Call) and makes_iterator(self.function_of(node.value, environment)):
            node = self.with_list(node)
        value = self.evaluate(node.value, environment)
        if isinstance(value, Items) and value.is_dict:
            known = not value.is_open and not has_effect(node.value, self.facts)
            return [located_at(key_expression(key), node) for key in value.steps] if known else [node]
        function = called(node.value, self.facts)
        if (function is list or function is tuple) and len(node.value.args) == 1 and not makes_iterator(
                self.function_of(node.value.args[0], environment)):
            return self.unpacked(gast.copy_location(gast.Starred(node.value.args[0], gast.Load()), node), environment)
        over = self.iterated(node.value, value)  # type: ignore[attr-defined]
        if isinstance(over, gast.Attribute):  # what it runs through
            return self.unpacked(gast.copy_location(gast.Starred(over, gast.Load()), node), environment)
        if over is not None or isinstance(value, Items) and value.view is not None and not value.active:
            node = self.with_list(node)
            value = self.evaluate(node.value, environment)
        count = count_given(node.value, self.facts, environment) if value.active else number_of_items(value)
        if count is None:
            return [node]
        self.facts.counts[id(node.value)] = count
        if isinstance(node.value, (gast.Tuple, gast.List)):
            return node.value.elts
        return [gast.copy_location(subscript(node.value, constant(index)), node) for index in range(count)]

    def with_list(self, node: gast.Starred) -> gast.Starred:
        """``*list(d.values())`` for ``*d.values()``, so that its items can be asked for one by one."""
        items = gast.copy_location(gast.Call(self.given(list), [node.value], []), node)
        star = gast.copy_location(gast.Starred(items, gast.Load()), node)
        self.facts.listed[id(node.value)] = [star]
        return star

    def of_Starred(self, node: gast.Starred, environment: dict) -> Abstract:
        if self.evaluate(node.value, environment).active and not self.passive_context:
            raise self.of_open_stars(node)
        return Opaque()

    def of_open_stars(self, node: gast.Call | gast.Starred) -> Exception:
        """What is raised at ``*values`` in a call where their number is not known: what decides it, or the sizes of
        the arguments, must be."""
        refusal = self.refusal("how many arguments * or ** gives this call is not known before it",
                               "write the arguments out, or hand on the list or dict itself: f(values)", node)
        items = [*node.args, *node.keywords] if isinstance(node, gast.Call) else [node]
        stars = [item.value for item in items if isinstance(item, gast.Starred) or getattr(item, "arg", "") is None
                 and self.may_have_sized_keys(item.value)]
        parts = [part for star in stars for part in walk(star)]
        if not parts:
            return refusal
        given = [self.facts.values.get(id(part)) for part in parts]
        count = self.items_taken(node) if isinstance(node, gast.Call) and not letters_of(given) else None
        if count is not None:
            return NeedsItems(stars[0], refusal, count)
        inputs = [version.value for version in self.facts.parameters.values()]
        lists = any(map(holds_open_list, (*given, *inputs)))
        return NeedsSizes(letters_of(given) or letters_of(inputs), lists, refusal)

    def may_have_sized_keys(self, node: gast.AST) -> bool:
        """Whether it may take the sizes of the arguments to know the keys of a dict: ``dict(zip(names, theta))``."""
        return self.facts.value(node).active and not isinstance(self.facts.written_display(node), gast.Dict)

    def items_taken(self, node: gast.Call) -> int | None:
        """How many items ``*values`` must give in a call of a user's function; None where it takes several numbers of
        them, or somebody else's decides."""
        callee = self.facts.value(node.func)
        function = target_of(known_value(callee)).function
        named = {item.arg for item in node.keywords}
        if self.passive_context or None in named or sum(isinstance(item, gast.Starred) for item in node.args) != 1:
            return None
        if isinstance(callee, Function):
            signature = written_signature(callee.syntax.args)
        elif isinstance(function, (types.FunctionType, type)) and not in_library(function.__module__):
            signature = inspect.signature(function)
        else:
            return None
        taken = [item for item in signature.parameters.values() if item.name not in named
                 and item.kind not in (item.KEYWORD_ONLY, item.VAR_KEYWORD)]
        certain = all(item.default is item.empty and item.kind is not item.VAR_POSITIONAL for item in taken)
        return len(taken) - len(node.args) + 1 if certain else None

    def unpacked_keywords(self, item: Any, environment: dict) -> list:
        """The keywords that ``**options`` gives, where the keys are known."""
        if item.arg is not None:
            return [item]
        value = self.evaluate(item.value, environment)
        node = self.facts.written_display(item.value)
        if not isinstance(value, Items) or not value.is_dict or value.is_open or value.items is None \
                or not all(isinstance(key, str) for key in value.steps):
            return [item]
        displayed = self.facts.displays.get(id(node))
        is_written_out = isinstance(node, gast.Dict) and displayed is not None and not any(
            part is not None and part not in displayed and has_effect(part, self.facts)
            for part in (*node.keys, *node.values))
        if not is_written_out and not isinstance(node, gast.Name) and not self.facts.is_place(node):
            raise NeedsName(item.value, self.refusal("this is made in the middle of an expression",
                                                     "give it a name before", item.value))
        parts = displayed or [self.part(node, value, step) for step in value.steps]
        return [gast.copy_location(gast.keyword(key, part), item) for key, part in zip(value.steps, parts)]

    def by_known_names(self, node: gast.Call, names: dict[str, str]) -> gast.AST:
        """``np.var(x, ddof=1)`` for ``np.var(x, correction=1)``, ``np.clip(x, a_min=0, a_max=None)`` for
        ``np.clip(x, min=0)``, which by these names takes both."""
        if self.facts.simpler.get(id(node)) is None:
            renamed = [gast.keyword(names.get(item.arg, item.arg), item.value) for item in node.keywords]
            renamed += [gast.keyword(label, constant(None)) for label in names.values() if label not in [
                item.arg for item in renamed]]
            self.facts.simpler[id(node)] = located_at(gast.Call(node.func, node.args, renamed), node)
        return self.facts.simpler[id(node)]

    def with_arrays(self, node: gast.Call, rule: Rule, values: list[Abstract], keywords: dict) -> gast.AST | None:
        """``np.var(np.array(xs))`` for ``np.var(xs)`` of lists of differentiated values, as they take them."""
        if not takes_lists(rule.function) or not any(
                isinstance(value, Items) for value in (*values, *keywords.values())):
            return None
        names = itertools.chain((parameter.name for parameter in rule.parameters if not parameter.keyword_only),
                                itertools.repeat(rule.variadic.lstrip("*")))
        args = [self.as_array(item, value, rule, label) for item, value, label in zip(node.args, values, names)]
        others = [gast.keyword(item.arg, self.as_array(item.value, keywords[item.arg], rule, item.arg))
                  for item in node.keywords]
        if args == node.args and all(other.value is item.value for other, item in zip(others, node.keywords)):
            return None
        if self.facts.simpler.get(id(node)) is None:
            self.facts.simpler[id(node)] = located_at(gast.Call(node.func, args, others), node)
        return self.facts.simpler[id(node)]

    def as_array(self, item: gast.AST, value: Abstract, rule: Rule, label: str) -> gast.AST:
        """What a call gets, or an array of it where it is a list and the rule knows nothing of its items; where it is a
        list of arrays that is written out, each item likewise."""
        if not isinstance(value, Items) or rule.each and value.items is None:
            return item
        if is_array_to_be(value) and (rule.takes_array(label) or label == rule.variadic.lstrip("*")
                                      or not (rule.takes_items or value.items)):
            return gast.copy_location(call(self.given(np.array), item), item)
        if value.items is None or not isinstance(item, (gast.List, gast.Tuple)) or not rule.takes_items \
                or rule.takes_nested(label):
            return item
        elements = [gast.copy_location(call(self.given(np.array), element), element) if is_array_to_be(part)
                    else element for element, part in zip(item.elts, value.items)]
        return item if elements == item.elts else gast.copy_location(type(item)(elements, gast.Load()), item)

    def bound(self, node: gast.Call, definition: Definition, homes: tuple, environment: dict
              ) -> tuple[Definition, list, list]:
        """A function for this call; for each of its parameters the expression and the value that the call gives it
        (None: the default)."""
        try:
            definition, nodes = definition.fitting(node.args, {item.arg: item.value for item in node.keywords})
        except TypeError as error:
            raise self.refusal(f"this call does not fit the function's parameters: {error}",
                               "call it with those that it has", node) from None
        if definition.syntax is not None:
            late = set(map(id, late_defaults(definition.syntax.args).values()))
            if any(id(part) in late for part in nodes):
                self.let_outlive([Function(definition.function, definition.syntax, homes)])
        values = [None if part is None else self.evaluate(part, environment) for part in nodes]
        if definition.own is not None and definition.own.ruled:
            return definition, nodes, [self.as_it_is(definition, part, value, environment)
                                       for part, value in zip(nodes, values)]
        if not homes and not any(isinstance(value, (Function, Items)) for value in values):
            return definition, nodes, values
        names = self.program_of(definition).names
        definition, more, values = self.handed_on(definition, homes, values, names, environment, node)
        return definition, [*nodes, *more], values

    def as_it_is(self, definition: Definition, node: gast.AST | None, value: Any, environment: dict) -> Any:
        """An argument of a function with a custom rule, to which a function is an object like others."""
        made = isinstance(value, Items) and is_closed(value.kind)
        if isinstance(value, Function) or made:
            if made and value.active or self.closes_over_active([value], environment):
                label = definition.function.__name__
                raise self.refusal(f"this function reads differentiated values, of which the rule of {label} knows "
                                   "nothing", "pass them as arguments, too", node)
            return Opaque()
        known = known_value(value)
        if callable(known) and in_library(definition.function.__module__) and is_noticed(known):
            raise self.refusal("the derivative of this runs its function again, which changes, prints or draws "
                               "something", "let it do nothing but compute what it returns", node)
        return value


def takes_lists(function: Any) -> bool:
    """Whether a function is NumPy's or SciPy's, or a ufunc or a method of one: what makes arrays of the lists that it
    gets."""
    return isinstance(getattr(function, "__self__", function), np.ufunc) or (
        getattr(function, "__module__", None) or "").partition(".")[0] in ("numpy", "scipy")


def is_array_to_be(value: Abstract) -> bool:
    """Whether something is a list of differentiated values of which NumPy can make an array of numbers."""
    return isinstance(value, Items) and value.active and value.has_places and (
        value.items is None or all(isinstance(item, Numeric) or is_array_to_be(item) or isinstance(
            item, Items) and item.kind in (list, tuple) and not item.active for item in value.items))


def letters_of(values: Iterable[Abstract | None]) -> set[str]:
    """The letters that stand for sizes of inputs in what is known of some values."""
    return {dim for value in values for part in numbers_in(value) for dim in part.shape or () if isinstance(dim, str)}


def holds_open_list(value: Abstract | None) -> bool:
    """Whether there is a list of any number of items in a value."""
    return isinstance(value, Items) and (value.items is None or any(map(holds_open_list, value.items)))
