"""Comprehensions over differentiated values: what they give, and the loops that they stand for.

``[f(x) for x in xs if test]`` becomes ``items = []``, a loop over ``xs``, and ``items.append(f(x))`` in it. A generator
expression is taken for the list of what it generates.
"""
from __future__ import annotations

import copy
from collections.abc import Callable, Container, Iterable
from typing import Any

import gast

from s2sgrad.compiler.effects import functions_in, has_effect
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import Names, constant, holder, located_at, name, names_in, subscript, walk
from s2sgrad.compiler.order import is_noticed
from s2sgrad.compiler.program import Append, Assign, Branch, Loop, Pattern, Store
from s2sgrad.compiler.scopes import COMPREHENSIONS, defaults, free_names, late_defaults
from s2sgrad.compiler.shadows import with_variables
from s2sgrad.compiler.unlike import (
    MOST_UNLIKE,
    holds_functions,
    holds_unlike,
    holds_unlike_forms,
    holds_unlike_keys,
    is_function,
)
from s2sgrad.compiler.written_items import WrittenItems, in_any_order, is_read_only, is_view, replaced
from s2sgrad.containers import in_library
from s2sgrad.errors import Location, S2SGradError
from s2sgrad.rules.abstract import NEVER, Abstract, Function, Items, Known, Numeric, Opaque, is_key, known_value

MOST_TURNS = 32
"""What makes or calls more functions is not written out."""


def spreads(parts: Iterable[Any], labels: Iterable[str] | None = None) -> bool:
    """Whether ``**options`` gives a call its keywords in some of these expressions; with ``labels``: where that is one
    of these names."""
    given = [item.value for part in parts if isinstance(part, gast.Call) for item in part.keywords if item.arg is None]
    return bool(given) if labels is None else not {*labels}.isdisjoint(getattr(value, "id", "") for value in given)


def is_key_of(node: gast.AST, labels: Container[str]) -> bool:
    """Whether an expression is one of these names, or a text that is made of nothing else: ``f"w{i}"``."""
    if isinstance(node, (gast.JoinedStr, gast.BinOp)) or isinstance(node, gast.Call) and (
            getattr(node.func, "id", "") == "str" or isinstance(node.func, gast.Attribute)
            and node.func.attr == "format" and isinstance(node.func.value, gast.Constant)):
        held = [label for label in names_in(node) if label != "str"]
        return bool(held) and all(label in labels for label in held)
    return isinstance(node, gast.Name) and node.id in labels


EMPTY = Items(list, ())
"""What a comprehension gives over a list that holds nothing so far, as in the first turn of a loop that fills it."""


class Comprehensions(WrittenItems):
    def of_ListComp(self, node: Any, environment: dict) -> Abstract:
        apart = self.with_parts_named(node, environment) or self.with_rest_named(node, environment)
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
            listed = isinstance(node, gast.ListComp) or isinstance(node, gast.GeneratorExp) and id(
                node) in self.facts.consumed
            return self.passive_list(node, value, environment) if listed else value
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
        args = [part for item in generator.iter.args for part in self.unpacked(item, environment)]  # type: ignore[attr-defined]
        before: Any = self.facts.simpler.get(id(node))
        if before is not None and len(before.generators[0].iter.args) != len(args) or any(
                isinstance(item, gast.Starred) for item in args):
            self.facts.spelled.pop(id(node), None)  # in an earlier turn of a loop there may have been as many
            return None
        if len(args) < 2:
            return None
        if before is None:
            fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
            labels = [fresh.fresh(generator.target.id) for _ in args]
            meaning = {generator.target.id: gast.Tuple([name(label) for label in labels], gast.Load())}
            target = gast.Tuple([gast.Name(label, gast.Store(), None, None) for label in labels], gast.Store())
            made = type(node)(replaced(node.elt, meaning), [gast.comprehension(target, gast.Call(
                generator.iter.func, args, []), [replaced(test, meaning) for test in generator.ifs], 0)])
            self.facts.simpler[id(node)] = located_at(made, node)
        return self.facts.simpler[id(node)]

    def with_rest_named(self, node: Any, environment: dict) -> gast.AST | None:
        """``[d for n, *others, d in rows]`` with a name for each item that ``others`` takes; None of any other, and
        where it is not known how many these are."""
        generator, targets = node.generators[0], getattr(node.generators[0].target, "elts", [])
        place = next((index for index, item in enumerate(targets) if isinstance(item, gast.Starred)), None)
        if place is None or len(node.generators) > 1 or any(map(has_scopes, (node.elt, *generator.ifs))):
            return None
        row = self.iterate(generator.iter, environment)
        if not isinstance(row, Items) or row.items is None or len(row.items) < len(targets) - 1:
            return None
        form = id(node), len(row.items)
        if form not in self.facts.simpler:
            label = targets[place].value.id
            fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
            rest = [fresh.fresh(label.strip("_") or "item") for _ in range(len(row.items) - len(targets) + 1)]
            meaning = {label: gast.List([name(item) for item in rest], gast.Load())}
            target = gast.Tuple([*targets[:place], *(gast.Name(item, gast.Store(), None, None) for item in rest),
                                 *targets[place + 1:]], gast.Store())
            self.facts.simpler[form] = located_at(type(node)(replaced(node.elt, meaning), [gast.comprehension(
                target, generator.iter, [replaced(test, meaning) for test in generator.ifs], 0)]), node)
        return self.facts.simpler[form]

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
        turns = self.written_parts(generator.iter, environment, counted=True)
        meanings = [self.named_parts(generator.target, item) for item in turns or ()]
        if not 0 < len(meanings) <= most or any(None in meaning for meaning in meanings):
            return None
        form = id(node), len(meanings)
        if form not in self.facts.simpler:
            inner = without_first(node)
            self.facts.simpler[form] = gast.copy_location(gast.List(
                [replaced(inner, meaning) for meaning in meanings], gast.Load()), node)
        return self.respelled(node, self.facts.simpler[form], environment)

    def gives_unlike_forms(self, node: Any, environment: dict,
                           unlike: Callable[[Abstract], bool] = holds_unlike_forms) -> bool:
        """Whether a loop over an expression gives differentiated things of unlike forms."""
        if is_view(node):
            held = self.evaluate(node.func.value, environment)
            return isinstance(held, Items) and held.is_dict and unlike(held)
        if isinstance(node, gast.Call):
            function = self.function_of(node, environment)
            return not node.keywords and (function is zip or function is enumerate or function is reversed) and any(
                self.gives_unlike_forms(item, environment, unlike) for item in node.args)
        if not isinstance(node, (gast.Name, gast.Attribute, gast.Subscript, gast.Tuple, gast.List)):
            return False
        value = self.evaluate(node, environment)
        return unlike(value) and not value.is_dict and not value.is_object  # type: ignore[union-attr]

    def picks_unlike_forms(self, labels: Container[str], parts: list, environment: dict) -> bool:
        """Whether one of these names is a key in some of these expressions, under which a dict has things of unlike
        forms."""
        return any(isinstance(part, gast.Subscript) and is_key_of(part.slice, labels)
                   and holder(part.value) in environment and holds_unlike_forms(
                       held := self.evaluate(part.value, environment))
                   and held.is_dict for part in parts)  # type: ignore[union-attr]

    def gives_functions(self, node: Any, environment: dict) -> bool:
        """Whether a loop over an expression gives functions, or objects of unlike classes, beside other things
        perhaps."""
        if is_view(node):
            held = self.passively(node.func.value, environment)  # type: ignore[attr-defined]
            return isinstance(held, Items) and held.is_dict and (holds_functions(held) or holds_unlike(held))
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
            and not value.is_dict and not value.is_object  # type: ignore[union-attr]

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
            if not isinstance(node, gast.GeneratorExp) or id(node) in self.facts.exhausted:
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

    def passive_list(self, node: Any, otherwise: Abstract, environment: dict) -> Abstract:
        """A list that stays as it is, but may get differentiated values later: ``[[0.0] * n for _ in range(m)]``,
        ``[np.zeros(n) for _ in range(m)]``, ``[lambda v, k=k: v * k for k in ks]``; of anything but numbers, arrays,
        lists of these and such functions nothing is known."""
        plain = is_plain(node)
        makes_functions = isinstance(node.elt, gast.Lambda) and bool(late_defaults(node.elt.args))
        try:
            inside = self.inside(node, environment)
            element = self.evaluate(node.elt, inside) if makes_functions else self.passively(node.elt, inside)
        except S2SGradError:  # nobody asks for its derivative
            if plain or self.changes_by_methods(node, environment):
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
            raise self.differentiated_key(node.key, node.key)
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

    def of_SetComp(self, node: Any, environment: dict) -> Abstract:
        if self.passive_context:
            self.passive_list(node, Opaque(), environment)  # for the calls in it, which may write all the same
        elif self.is_kept(node, [node.elt], environment):
            return Opaque()
        return self.of_other(node, environment)

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


def without_first(node: Any) -> gast.AST:
    """What a comprehension makes in one turn of its first loop."""
    if len(node.generators) == 1:
        return node.elt
    rest = gast.copy_location(gast.ListComp(node.elt, node.generators[1:]), node)
    return gast.copy_location(gast.Starred(rest, gast.Load()), node)


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


def as_loops(node: Any, target: str, names: Names, taken: set[str], location: Location, facts: Facts) -> list:
    """The statements that put what a comprehension gives into a list or dict of this name.

    The comprehension's variables are its own: those that are ``taken`` get other names.
    """
    bound = {label for generator in node.generators for label in names_in(generator.target)}
    names.taken |= bound  # those of what stands for a call of zip are new
    if bound & taken:
        node = copy.deepcopy(node)
        with_variables(node, {label: names.fresh(label) for label in sorted(bound & taken)})
    body = under_key(target, node.key, node.value, names, location, facts) if isinstance(
        node, gast.DictComp) else (Append(name(target), node.elt, location),)
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = (Branch(test, body, (), location),)
        body = (Loop(pattern_of(generator.target), generator.iter, body, location),)
    empty = gast.Dict([], []) if isinstance(node, gast.DictComp) else gast.List([], gast.Load())
    return [Assign(target, empty, location), *body]


def under_key(target: str, key: gast.AST, value: gast.AST, names: Names, location: Location, facts: Facts) -> tuple:
    """The statements that put a value into a dict of this name, under a key that Python evaluates first here."""
    if isinstance(value, (gast.Name, gast.Constant)) or not is_noticed(key, has_effect(value, facts), facts):
        return (Store(subscript(name(target), key), value, location),)
    label = names.fresh("key")
    return Assign(label, key, location), Store(subscript(name(target), name(label)), value, location)


def pattern_of(target: Any) -> Pattern:
    if isinstance(target, gast.Name):
        return target.id
    return tuple(map(pattern_of, target.elts))
