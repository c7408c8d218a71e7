"""Comprehensions over differentiated values: what they give, and the loops that they stand for.

``[f(x) for x in xs if test]`` becomes ``items = []``, a loop over ``xs``, and ``items.append(f(x))`` in it. A generator
expression is taken for the list of what it generates.
"""
from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.algebra import is_number
from s2sgrad.compiler.arguments import holds_open_list, letters_of
from s2sgrad.compiler.deep_copies import DeepCopies
from s2sgrad.compiler.effects import functions_in
from s2sgrad.compiler.evaluation import NeedsName, NeedsSizes, number_of_items
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Branch,
    Loop,
    Names,
    Pattern,
    Store,
    constant,
    holder,
    located_at,
    name,
    names_in,
    rebuilt,
    subscript,
    tuple_of,
    walk,
)
from s2sgrad.compiler.scopes import COMPREHENSIONS, defaults, free_names, late_defaults
from s2sgrad.compiler.shadows import with_variables
from s2sgrad.compiler.structures import key_expression
from s2sgrad.containers import in_library
from s2sgrad.errors import Location, S2SGradError
from s2sgrad.rules.abstract import NEVER, Abstract, Function, Items, Known, Numeric, Opaque, is_key, known_value

MOST_TURNS = 32
"""What makes or calls more functions is not written out."""


def holds_functions(value: Abstract) -> bool:
    """Whether a function is, or is in, an item of a container."""
    return isinstance(value, Items) and any(is_function(item) or holds_functions(item) for item in value.items or ())


def holds_unlike(value: Abstract) -> bool:
    """Whether there are objects of several classes in a container."""
    return isinstance(value, Items) and len({
        item.kind for item in value.items or () if isinstance(item, Items) and item.is_object}) > 1


MOST_UNLIKE = 16
"""Of more parts of unlike forms the loop over them stays one."""


def holds_unlike_forms(value: Abstract) -> bool:
    """Whether there are a few differentiated things in a container, each of a known form and not all of the same: of
    one of them, whichever it is, little is known, and less can be written about it than about each for itself."""
    if not isinstance(value, Items) or not value.active or not 1 < len(value.items or ()) <= MOST_UNLIKE:
        return False
    forms = set(map(form, value.items or ()))
    return len(forms) > 1 and None not in forms


def form(value: Abstract) -> Any:
    """What code for a value depends on: the rank and dtype of an array or number, the forms of what is in a container;
    None where these are not known."""
    if isinstance(value, Numeric):
        return None if value.rank is None or value.dtype is None else (value.rank, value.dtype, value.is_number)
    if isinstance(value, Items) and not value.is_object:
        inside = tuple(map(form, value.items if value.items is not None else [value.any_item]))
        return None if None in inside else (value.kind, value.keys, value.items is None, inside)
    return "constant" if isinstance(value, Known) else None


def holds_unlike_keys(value: Abstract) -> bool:
    """Whether there are dicts with unlike keys in the same place of what is in a container."""
    return isinstance(value, Items) and len(set(map(keys_inside, value.items or ()))) > 1


def keys_inside(value: Abstract) -> Any:
    """The keys of the dicts in a value; None where there is none, or where they are not known."""
    if not isinstance(value, Items) or value.items is None or value.is_object:
        return None
    inside = tuple(map(keys_inside, value.items))
    return (value.keys, inside) if value.kind is dict else inside if any(inside) else None


def spreads(parts: Iterable[Any], labels: Iterable[str] | None = None) -> bool:
    """Whether ``**options`` gives a call its keywords in some of these expressions; with ``labels``: where that is one
    of these names."""
    given = [item.value for part in parts if isinstance(part, gast.Call) for item in part.keywords if item.arg is None]
    return bool(given) if labels is None else not {*labels}.isdisjoint(getattr(value, "id", "") for value in given)


def is_view(node: gast.AST) -> bool:
    """Whether an expression is ``d.values()`` or ``d.items()``."""
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in (
        "values", "items") and not node.args and not node.keywords


def is_key_of(node: gast.AST, labels: Container[str]) -> bool:
    """Whether an expression is one of these names, or a text that is made of nothing else: ``f"w{i}"``."""
    if isinstance(node, (gast.JoinedStr, gast.BinOp)) or isinstance(node, gast.Call) and (
            getattr(node.func, "id", "") == "str" or isinstance(node.func, gast.Attribute)
            and node.func.attr == "format" and isinstance(node.func.value, gast.Constant)):
        held = [label for label in names_in(node) if label != "str"]
        return bool(held) and all(label in labels for label in held)
    return isinstance(node, gast.Name) and node.id in labels


def is_function(value: Abstract) -> bool:
    return isinstance(value, Function) or isinstance(value, Known) and callable(value.value)


EMPTY = Items(list, ())
"""What a comprehension gives over a list that holds nothing so far, as in the first turn of a loop that fills it."""


class Comprehensions(DeepCopies):
    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.written_lists: dict[int, list[gast.AST] | None] = {}
        """For comprehensions that were looked at for their items, these."""

    def of_ListComp(self, node: Any, environment: dict) -> Abstract:
        apart = self.with_parts_named(node, environment)
        if apart is not None:
            return self.respelled(node, apart, environment)
        known = self.list_of_functions(node, environment)
        if known is None:
            known = self.calls_of_functions(node, environment)
        if known is None:
            known = self.of_unlike_parts(node, environment)
        if known is not None:
            return known
        if self.passive_context or not names_active(node, environment):
            made = self.list_of_objects(node, environment)
            if made is not None:
                return made
            value = self.of_other(node, environment)
            return self.passive_list(node, value, environment) if isinstance(node, gast.ListComp) else value
        inside = self.inside(node, environment)
        element = self.evaluate(node.elt, inside)
        if element is NEVER:
            return self.nothing(node)
        self.refuse_escaping(node, element)
        if element.active:
            self.facts.comprehensions.add(id(node))
        else:
            for inner in gast.walk(node):
                self.facts.calls.pop(id(inner), None)
        return self.items_made(list, node, element, environment)

    def of_GeneratorExp(self, node: Any, environment: dict) -> Abstract:
        value = self.of_ListComp(node, environment)
        if value.active and id(node) not in self.facts.consumed and not self.passive_context:
            raise self.refusal("what a generator expression gives can be run through once only, and may be run "
                               "through more often here", "write a list: [...] instead of (...)", node)
        if value.active and not self.passive_context:
            self.refuse_endless(node, environment)
        return value

    def with_parts_named(self, node: Any, environment: dict) -> gast.AST | None:
        """``[f(*pair) for pair in zip(xs, ys)]`` with names for the parts of what ``zip`` gives; None of any other."""
        generator = node.generators[0]
        if self.passive_context or len(node.generators) > 1 or not isinstance(generator.target, gast.Name) \
                or not isinstance(generator.iter, gast.Call) or generator.iter.keywords \
                or self.function_of(generator.iter, environment) is not zip \
                or any(map(has_scopes, (node.elt, *generator.ifs))) or not names_active(generator.iter, environment):
            return None
        if id(node) not in self.facts.simpler:
            args = [part for item in generator.iter.args for part in self.unpacked(item, environment)]  # type: ignore[attr-defined]
            if len(args) < 2 or any(isinstance(item, gast.Starred) for item in args):
                return None
            fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
            labels = [fresh.fresh(generator.target.id) for _ in args]
            meaning = {generator.target.id: gast.Tuple([name(label) for label in labels], gast.Load())}
            target = gast.Tuple([gast.Name(label, gast.Store(), None, None) for label in labels], gast.Store())
            made = type(node)(replaced(node.elt, meaning), [gast.comprehension(target, gast.Call(
                generator.iter.func, args, []), [replaced(test, meaning) for test in generator.ifs], 0)])
            self.facts.simpler[id(node)] = located_at(made, node)
        return self.facts.simpler[id(node)]

    def refuse_escaping(self, node: Any, element: Abstract) -> None:
        """What the functions that a comprehension makes read of its variables nobody can hand to them later."""
        own = {label for generator in node.generators for label in names_in(generator.target)}
        for function in functions_in(element):
            for _, home in function.homes:
                if home in own:
                    raise self.refusal(f"functions that a comprehension makes read {home}, a variable of its own",
                                       "write the functions out, or a function that makes one: [make(1.0), make(2.0)]",
                                       node)

    def list_of_functions(self, node: Any, environment: dict) -> Abstract | None:
        """``[lambda x, k=k: x ** k for k in range(3)]``: the functions with their defaults, where these are known.

        What their bodies read of the comprehension's variable is what it is in the end.
        """
        generator = node.generators[0]
        if not isinstance(node, gast.ListComp) or not isinstance(node.elt, gast.Lambda) or len(node.generators) > 1 \
                or generator.ifs or not isinstance(generator.target, gast.Name) or has_scopes(node.elt.body) \
                or any(map(has_scopes, defaults(node.elt.args))):
            return None
        values = self.known_turns(generator.iter, environment)
        if not values:
            return None
        label, made = generator.target.id, []
        inner = {label: values[-1]} if label in free_names(node.elt) else {}
        for value in values:
            syntax = copy.deepcopy(node.elt)
            syntax.args.defaults, syntax.args.kw_defaults = (
                [None if item is None else replaced(item, {label: value}) for item in part]
                for part in (syntax.args.defaults, syntax.args.kw_defaults))
            syntax.body = replaced(syntax.body, inner)
            self.facts.made.append(syntax)
            made.append(self.of_Lambda(syntax, environment))
        return Items(list, tuple(made)) if all(isinstance(item, Function) for item in made) else None

    def calls_of_functions(self, node: Any, environment: dict) -> Abstract | None:
        """``[f(x) for f in functions]``, ``[c * f(x) for c, f in zip(cs, functions)]``: what it makes, written out."""
        generator = node.generators[0]
        if self.passive_context or len(node.generators) > 1 or has_scopes(node.elt):
            return None
        collected = isinstance(node, gast.ListComp) or id(node) in self.facts.exhausted
        if collected and (generator.ifs or not is_read_only(generator.iter)) and self.runs_over_unlike(
                generator.iter, environment):
            raise self.in_need(node.elt, node)
        if generator.ifs or not is_read_only(generator.iter) or not self.gives_functions(generator.iter, environment):
            return None
        return self.written_as_list(node, environment, MOST_TURNS)

    def of_unlike_parts(self, node: Any, environment: dict) -> Abstract | None:
        """``[np.sum(p ** 2) for p in (w, b)]``, ``[x @ layer[k] for k in ("q", "k", "v")]`` of things of unlike forms:
        written out; ``[v for p in parts for v in leaves(p)]`` as ``[*leaves(parts[0]), *leaves(parts[1])]``."""
        generator, *others = node.generators
        collected = isinstance(node, gast.ListComp) or id(node) in self.facts.exhausted
        inside = [node.elt, *(part for each in others for part in (each.iter, *each.ifs))]
        if self.passive_context or not collected or generator.ifs or any(map(has_scopes, inside)) or not is_read_only(
                in_any_order(generator.iter)):
            return None
        labels = names_in(generator.target)
        parts = [part for each in inside for part in walk(each)]
        unlike = holds_unlike_keys if spreads(parts, labels) else holds_unlike_forms
        if not self.gives_unlike_forms(generator.iter, environment, unlike) and not self.picks_unlike_forms(
                labels, parts, environment):
            return None
        if not {*labels}.isdisjoint(label for each in others for label in names_in(each.target)):
            return None
        return self.written_as_list(node, environment, MOST_UNLIKE)

    def written_as_list(self, node: Any, environment: dict, most: int) -> Abstract | None:
        """What a comprehension gives, as a list that is written out; None where it has no items, or more than that."""
        generator = node.generators[0]
        if id(node) not in self.facts.simpler:
            turns = self.written_parts(generator.iter, environment, counted=True)
            meanings = [dict(unpacked(generator.target, item)) for item in turns or ()]
            if not 0 < len(meanings) <= most or any(None in meaning for meaning in meanings):
                return None
            inner = without_first(node)
            self.facts.simpler[id(node)] = gast.copy_location(gast.List(
                [replaced(inner, meaning) for meaning in meanings], gast.Load()), node)
        return self.respelled(node, self.facts.simpler[id(node)], environment)

    def gives_unlike_forms(self, node: Any, environment: dict,
                           unlike: Callable[[Abstract], bool] = holds_unlike_forms) -> bool:
        """Whether a loop over an expression gives differentiated things of unlike forms."""
        if is_view(node):
            held = self.evaluate(node.func.value, environment)
            return isinstance(held, Items) and held.kind is dict and unlike(held)
        if isinstance(node, gast.Call):
            function = self.function_of(node, environment)
            return not node.keywords and (function is zip or function is enumerate or function is reversed) and any(
                self.gives_unlike_forms(item, environment, unlike) for item in node.args)
        if not isinstance(node, (gast.Name, gast.Attribute, gast.Subscript, gast.Tuple, gast.List)):
            return False
        value = self.evaluate(node, environment)
        return unlike(value) and value.kind is not dict and not value.is_object  # type: ignore[union-attr]

    def picks_unlike_forms(self, labels: Container[str], parts: list, environment: dict) -> bool:
        """Whether one of these names is a key in some of these expressions, under which a dict has things of unlike
        forms."""
        return any(isinstance(part, gast.Subscript) and is_key_of(part.slice, labels)
                   and holder(part.value) in environment and holds_unlike_forms(
                       held := self.evaluate(part.value, environment))
                   and held.kind is dict for part in parts)  # type: ignore[union-attr]

    def gives_functions(self, node: Any, environment: dict) -> bool:
        """Whether a loop over an expression gives functions, or objects of unlike classes, beside other things
        perhaps."""
        if is_view(node):
            held = self.passively(node.func.value, environment)  # type: ignore[attr-defined]
            return isinstance(held, Items) and held.kind is dict and (holds_functions(held) or holds_unlike(held))
        if isinstance(node, gast.Call):
            function = self.function_of(node, environment)
            return not node.keywords and (function is zip or function is enumerate or function is reversed) and any(
                self.gives_functions(item, environment) for item in node.args)
        if isinstance(node, (gast.Tuple, gast.List)):
            return is_read_only(node) and any(
                isinstance(item, gast.Lambda) or is_function(self.passively(item, environment)) for item in node.elts)
        if not isinstance(node, (gast.Name, gast.Attribute, gast.Subscript)):
            return False
        value = self.evaluate(node, environment)
        return (holds_functions(value) or holds_unlike(value)) \
            and value.kind is not dict and not value.is_object  # type: ignore[union-attr]

    def runs_over_unlike(self, node: Any, environment: dict) -> bool:
        """Whether an expression gives objects of unlike classes of which each must be looked at for itself."""
        return isinstance(node, (gast.Name, gast.Attribute, gast.Subscript, gast.Tuple, gast.List)) and holds_unlike(
            self.evaluate(node, environment))

    def in_need(self, part: gast.AST, node: gast.AST) -> NeedsName:
        """What a loop over objects of unlike classes needs: that the list of them has a name, or that it is one."""
        return NeedsName(part, self.refusal("this runs over objects of unlike classes", "write a loop over a list with "
                                            "a name", node))

    def known_turns(self, node: Any, environment: dict) -> list[gast.AST] | None:
        """Literals for what a loop over an expression gives, where they are known."""
        if isinstance(node, (gast.Tuple, gast.List)):
            return node.elts if all(isinstance(item, gast.Constant) for item in node.elts) else None
        if self.function_of(node, environment) is not range:
            return None
        bounds = [known_value(self.passively(item, environment)) for item in node.args]
        if node.keywords or not all(type(bound) is int for bound in bounds) or len(range(*bounds)) > MOST_TURNS:
            return None
        return [gast.copy_location(constant(value), node) for value in range(*bounds)]

    def inside(self, node: Any, environment: dict) -> dict:
        """What is known where a comprehension's element is evaluated."""
        for generator in node.generators:
            if isinstance(node, gast.ListComp) or id(node) in self.facts.exhausted:
                self.run_to_the_end(generator.iter)
            value = self.one_of(self.iterate(generator.iter, environment), id(generator))
            environment = self.with_target(generator.target, value, environment)
            for test in generator.ifs:
                self.passively(test, environment)
        return environment

    def list_of_objects(self, node: Any, environment: dict) -> Abstract | None:
        """A list that stays as it is, of objects whose methods may get differentiated values later; None for every
        other."""
        if self.passive_context or not isinstance(node, gast.ListComp) or not isinstance(node.elt, gast.Call):
            return None
        kind = known_value(self.passively(node.elt.func, environment))
        if not isinstance(kind, type) or in_library(kind.__module__):
            return None
        try:
            element = self.evaluate(node.elt, self.inside(node, environment))
        except (S2SGradError, NeedsName):  # nobody asks for its derivative
            return None
        if element.active:  # where all is taken for it
            self.facts.comprehensions.add(id(node))
        else:
            for inner in gast.walk(node):
                self.facts.calls.pop(id(inner), None)
        return self.items_made(list, node, element, environment) \
            if isinstance(element, Items) and element.is_object else None

    def passive_list(self, node: gast.ListComp, otherwise: Abstract, environment: dict) -> Abstract:
        """A list that stays as it is, but may get differentiated values later: ``[[0.0] * n for _ in range(m)]``,
        ``[np.zeros(n) for _ in range(m)]``, ``[lambda v, k=k: v * k for k in ks]``; of anything but numbers, arrays,
        lists of these and such functions nothing is known."""
        plain = is_plain(node)
        makes_functions = isinstance(node.elt, gast.Lambda) and bool(late_defaults(node.elt.args))
        try:
            inside = self.inside(node, environment)
            element = self.evaluate(node.elt, inside) if makes_functions else self.passively(node.elt, inside)
        except (S2SGradError, NeedsName):  # nobody asks for its derivative
            if plain:
                raise
            return otherwise
        if element is NEVER:  # in a recursion, before it has given anything
            return self.nothing(node)
        if not plain and not makes_functions and not is_numeric(element):
            return otherwise
        return self.items_made(list, node, element, environment)

    def items_made(self, kind: type, node: Any, element: Abstract, environment: dict) -> Items:
        """What a comprehension gives: the sizes that an element does not have from outside are others in each."""
        outside = [environment[label].value for label in names_in(node) if label in environment]
        return Items(kind, None, self.given_by(node, element, outside, "each"))

    def nothing(self, node: Any) -> Abstract:
        """What a comprehension gives that never comes to an element: an empty list, or nothing ever where what it runs
        over is never there itself."""
        return NEVER if self.facts.values.get(id(node.generators[0].iter)) is NEVER else EMPTY

    def of_DictComp(self, node: Any, environment: dict) -> Abstract:
        """Over a dict whose keys are known: the dict that it makes, written out."""
        display = None if self.passive_context else self.dict_written_out(node, environment)
        if display is None:
            return self.of_open_dict(node, environment)
        self.facts.made.append(display)
        self.facts.instead[id(node)] = display
        return self.evaluate(display, environment)

    def of_open_dict(self, node: Any, environment: dict) -> Abstract:
        """Under keys that are not known before the call."""
        if self.passive_context or not names_active(node, environment):
            return self.passive_dict(node, self.of_other(node, environment), environment)
        if self.is_kept(node, [node.key, node.value], environment):
            return self.passive_dict(node, Opaque(), environment)
        inside = self.inside(node, environment)
        if self.evaluate(node.key, inside).active:
            raise self.refusal("a differentiated value is a key here", "use text or integers as keys", node.key)
        self.passively(node.key, inside)
        element = self.evaluate(node.value, inside)
        if element is NEVER:
            return NEVER if self.facts.values.get(id(node.generators[0].iter)) is NEVER else Items(dict, (), keys=())
        self.refuse_escaping(node, element)
        self.facts.comprehensions.add(id(node))
        return self.items_made(dict, node, element, environment)

    def passive_dict(self, node: Any, otherwise: Abstract, environment: dict) -> Abstract:
        """A dict that stays as it is, but may get differentiated values later."""
        element = self.passively(node.value, self.inside(node, environment))
        plain = is_plain(node.value) or is_numeric(element)  # of anything else nothing is known
        return self.items_made(dict, node, element, environment) if plain and element is not NEVER else otherwise

    def dict_written_out(self, node: Any, environment: dict) -> gast.AST | None:
        turns = self.meanings(node, environment)
        if turns is None:
            return None
        keys, values = ([replaced(part, meaning) for meaning in turns] for part in (node.key, node.value))
        return gast.copy_location(gast.Dict(keys, values), node)

    def list_written_out(self, node: Any, environment: dict) -> list[gast.AST] | None:
        """The items of a list that is made of what is in containers of known length, one by one: ``f(*(a + b for a, b
        in zip(x, y)))``; None of any other."""
        if id(node) not in self.written_lists:
            plain = self.over_lists(node, environment)
            turns = self.meanings(plain, environment) if is_read_only(node.generators[0].iter) else None
            items = turns and [replaced(node.elt, meaning) for meaning in turns]
            self.facts.listed[id(node)] = items if plain is node or not items else [
                gast.copy_location(gast.Starred(plain, gast.Load()), node)]
            self.written_lists[id(node)] = items
        return self.written_lists[id(node)]

    def over_lists(self, node: Any, environment: dict) -> Any:
        """A comprehension over lists of what objects give, ``zip(list(self), list(other))``, in place of these."""
        over = node.generators[0].iter
        parts = over.args if isinstance(over, gast.Call) else [over]
        lists = {id(part): located_at(gast.Call(self.given(list), [copy.deepcopy(part)], []), part) for part in parts
                 if isinstance(part, (gast.Name, gast.Attribute)) and self.iterated(  # type: ignore[attr-defined]
                     part, self.evaluate(part, environment)) is not None}
        if not lists:
            return node
        iterable = rebuilt(over, {"args": [lists.get(id(part), part) for part in parts]}) if isinstance(
            over, gast.Call) else lists[id(over)]
        return rebuilt(node, {"generators": [rebuilt(node.generators[0], {"iter": iterable})]})

    def meanings(self, node: Any, environment: dict) -> list[dict] | None:
        """For each turn of a comprehension over containers of known length what its variables stand for; None of any
        other."""
        generator = node.generators[0]
        if len(node.generators) > 1 or generator.ifs or any(
                isinstance(part, gast.Lambda) for part in gast.walk(node)):
            return None
        given = self.written_parts(generator.iter, environment)
        found = [dict(unpacked(generator.target, item)) for item in given or ()]
        return None if given is None or any(None in meaning for meaning in found) else found

    def written_parts(self, node: Any, environment: dict, counted: bool = False) -> list | None:
        """The expressions of what a loop over an expression gives, where it is known how many; ``counted``: also where
        only one part of a ``zip`` tells how many, and the others must have as many."""
        function = self.function_of(node, environment)
        if (function is zip or function is enumerate) and not node.keywords and node.args:
            sources = [self.written_parts(item, environment, counted) for item in node.args]
            if counted and function is zip:
                sources = self.first_of_each(node.args, sources, environment)
            if function is enumerate and sources[0] is not None:
                sources = [[constant(place) for place in range(len(sources[0]))], *sources]
            if None in sources or function is enumerate and len(node.args) > 1:
                return None
            return [gast.copy_location(tuple_of(list(parts)), node) for parts in zip(*sources)]  # type: ignore
        if in_any_order(node) is not node:
            return self.sorted_keys(node, environment)
        source = self.evaluate(node, environment)
        count = number_of_items(source)
        if isinstance(source, Numeric) and count is not None:
            return [gast.copy_location(subscript(node, constant(place)), node) for place in range(count)]
        if not isinstance(source, Items) or source.items is None or source.is_object:
            return None
        parts = self.facts.instead.get(id(node), node)
        if isinstance(parts, (gast.List, gast.Tuple)):
            return parts.elts
        return [key_expression(key) for key in source.steps] if source.kind is dict else [
            self.part(node, source, step) for step in source.steps]

    def sorted_keys(self, node: Any, environment: dict) -> list | None:
        """What ``sorted`` gives of a dict whose keys are known and texts."""
        held = self.passively(node.args[0], environment) if self.function_of(node, environment) is sorted else None
        if not isinstance(held, Items) or held.kind is not dict or held.keys is None or not all(
                isinstance(key, str) for key in held.keys):
            return None
        return [located_at(constant(key), node) for key in sorted(held.keys)]

    def first_of_each(self, nodes: list, sources: list, environment: dict, short: list | None = None) -> list:
        """The parts of a ``zip``, in which one tells how many items are taken: so many items of the others; ``short``
        gets those of which it is only known when it runs whether they have as many."""
        known = [number_of_items(self.evaluate(node, environment)) if source is None else len(source)
                 for node, source in zip(nodes, sources)]
        count = min((items for items in known if items is not None), default=None)
        return [self.first_items(node, count, environment, short) if source is None else source
                for node, source in zip(nodes, sources)]

    def first_items(self, node: Any, count: int | None, environment: dict, short: list | None) -> list | None:
        """Expressions for the first items of an array or a list of any length."""
        if count is None or not is_read_only(node) or not isinstance(node, (gast.Name, gast.Attribute, gast.Subscript)):
            return None
        value = self.evaluate(node, environment)
        indexed = isinstance(value, Numeric) and value.kind == "array" or isinstance(value, Items) and \
            value.has_places
        if indexed and number_of_items(value) is None:
            letters = letters_of([value])
            counted = isinstance(value, Items) and any(
                holds_open_list(version.value) for version in self.facts.parameters.values())
            if letters or counted or short is None:
                raise NeedsSizes(letters, counted, self.refusal(
                    "how many items this has is not known before the call, beside functions that it is run through "
                    "with", "give it as many items as there are functions, in a list that is written out", node))
            short.append(node)
        return [located_at(subscript(node, constant(index)), node) for index in range(count)] if indexed else None

    def of_SetComp(self, node: Any, environment: dict) -> Abstract:
        kept = not self.passive_context and self.is_kept(node, [node.elt], environment)
        return Opaque() if kept else self.of_other(node, environment)

    def is_kept(self, node: Any, parts: list[gast.AST], environment: dict) -> bool:
        """Whether a comprehension gives nothing differentiated, so that it stays as it is."""
        if any(functions_in(environment[label].value) for label in names_in(node) if label in environment):
            return False
        self.refuse_hidden_writes(node, environment)
        inside = self.inside(node, environment)
        values = [self.evaluate(part, inside) for part in parts]
        active = any(value.active or functions_in(value) for value in values)
        for inner in gast.walk(node):
            self.facts.calls.pop(id(inner), None)
        return not active

    def with_target(self, target: gast.AST, value: Abstract, environment: dict) -> dict:
        """What is known inside a comprehension whose target is bound to a value."""
        if isinstance(target, gast.Name):
            return {**environment, target.id: self.version(target.id, value, "bound")}
        if not isinstance(target, (gast.Tuple, gast.List)) or any(
                isinstance(item, gast.Starred) for item in target.elts):
            raise self.refusal("this target of a comprehension is not supported", "write a loop", target)
        for index, item in enumerate(target.elts):
            environment = self.with_target(item, self.element(value, index, target.elts), environment)
        return environment


def names_active(node: gast.AST, environment: dict) -> bool:
    """Whether an expression mentions what is differentiated, or functions that may read such values."""
    return any(label in environment and (environment[label].value.active or functions_in(environment[label].value))
               for label in names_in(node))


UNKNOWN = (gast.Call, gast.Attribute, gast.Lambda, gast.GeneratorExp, gast.SetComp, gast.DictComp, gast.Subscript)
"""What may give anything."""


def is_read_only(node: Any) -> bool:
    """Whether an expression is made of names and what is in them, in ``zip``, ``enumerate`` and displays too, also of
    lambdas: its parts can be evaluated again for each item."""
    if isinstance(node, (gast.Tuple, gast.List)):
        return all(isinstance(item, (gast.Constant, gast.Lambda)) or is_read_only(item) for item in node.elts)
    if is_view(node):
        return is_read_only(node.func.value)
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Name) and node.func.id in ("zip", "enumerate") and all(
            map(is_read_only, node.args))
    while isinstance(node, (gast.Attribute, gast.Subscript)) and (
            isinstance(node, gast.Attribute) or is_written_out(node.slice)):
        node = node.value
    return isinstance(node, gast.Name)


def in_any_order(node: Any) -> Any:
    """What a call of ``sorted`` sorts; the expression itself where it is no such call."""
    is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "sorted"
    return node.args[0] if is_call and len(node.args) == 1 and not node.keywords else node


def without_first(node: Any) -> gast.AST:
    """What a comprehension makes in one turn of its first loop."""
    if len(node.generators) == 1:
        return node.elt
    rest = gast.copy_location(gast.ListComp(node.elt, node.generators[1:]), node)
    return gast.copy_location(gast.Starred(rest, gast.Load()), node)


def is_written_out(index: gast.AST) -> bool:
    """Whether an index is a literal, or a slice between such."""
    if isinstance(index, gast.Slice):
        return all(part is None or is_written_out(part) for part in (index.lower, index.upper, index.step))
    return isinstance(index.operand if isinstance(index, gast.UnaryOp) else index, gast.Constant)


def has_scopes(node: gast.AST) -> bool:
    """Whether an expression binds names of its own."""
    return any(isinstance(part, (gast.Lambda, *COMPREHENSIONS)) for part in gast.walk(node))


def is_numeric(value: Abstract) -> bool:
    """Whether a value is a number, an array or a container of these, of keys, of texts and of None."""
    return isinstance(value, Numeric) or isinstance(value, Items) and not value.is_object and all(
        is_numeric(item) or is_key(item) or item == Known(None)
        for item in (value.items if value.items is not None else [value.element]))


def is_plain(node: Any) -> bool:
    """Whether a list comprehension makes numbers, names and lists of these, over ranges."""
    if not isinstance(node, gast.ListComp):
        return not any(isinstance(part, UNKNOWN) for part in gast.walk(node))
    return is_plain(node.elt) and all(
        isinstance(generator.target, gast.Name) and isinstance(generator.iter, gast.Call) and isinstance(
            generator.iter.func, gast.Name) and generator.iter.func.id == "range" for generator in node.generators)


def unpacked(target: Any, value: Any) -> Iterator[tuple[str | None, gast.AST]]:
    """What each name of a target stands for: an expression for its part of the value; None for what has no name."""
    if isinstance(target, gast.Name):
        yield target.id, value
    elif isinstance(target, (gast.Tuple, gast.List)) and isinstance(value, (gast.Tuple, gast.List)) \
            and len(target.elts) == len(value.elts):
        for part, item in zip(target.elts, value.elts):
            yield from unpacked(part, item)
    else:
        yield None, value


COMPUTED: dict[type, Any] = {gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul}
"""What is computed at once where a place that was counted meets a literal."""


class _Replaced(gast.NodeTransformer):
    def __init__(self, meaning: dict):
        self.meaning = meaning

    def visit_Name(self, node: gast.Name) -> gast.AST:
        return copy.deepcopy(self.meaning.get(node.id, node))

    def visit_BinOp(self, node: gast.BinOp) -> gast.AST:
        self.generic_visit(node)
        compute = COMPUTED.get(type(node.op))
        if compute is None or not (is_number(node.left) and is_number(node.right)):
            return node
        return located_at(constant(compute(node.left.value, node.right.value)), node)


def replaced(node: gast.AST, meaning: dict) -> gast.AST:
    """A copy of an expression with expressions for some of its names."""
    return _Replaced(meaning).visit(copy.deepcopy(node))


def as_loops(node: Any, target: str, names: Names, taken: set[str], location: Location) -> list:
    """The statements that put what a comprehension gives into a list or dict of this name.

    The comprehension's variables are its own: those that are ``taken`` get other names.
    """
    bound = {label for generator in node.generators for label in names_in(generator.target)}
    names.taken |= bound  # those of what stands for a call of zip are new
    if bound & taken:
        node = copy.deepcopy(node)
        with_variables(node, {label: names.fresh(label) for label in sorted(bound & taken)})
    put: Append | Store = Store(subscript(name(target), node.key), node.value, location) if isinstance(
        node, gast.DictComp) else Append(name(target), node.elt, location)
    body: tuple = (put,)
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = (Branch(test, body, (), location),)
        body = (Loop(pattern_of(generator.target), generator.iter, body, location),)
    empty = gast.Dict([], []) if isinstance(node, gast.DictComp) else gast.List([], gast.Load())
    return [Assign(target, empty, location), *body]


def pattern_of(target: Any) -> Pattern:
    if isinstance(target, gast.Name):
        return target.id
    return tuple(map(pattern_of, target.elts))
