"""What a comprehension or a loop runs through, as expressions one by one, where it is known how many there are; and
what a comprehension makes of them."""
from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import Any

import gast

from s2sgrad.compiler.algebra import is_number
from s2sgrad.compiler.arguments import holds_open_list, letters_of
from s2sgrad.compiler.deep_copies import DeepCopies
from s2sgrad.compiler.evaluation import MOST_ARGUMENTS, NeedsName, NeedsSizes, number_of_items, plain_truth
from s2sgrad.compiler.nodes import constant, located_at, rebuilt, subscript, tuple_of
from s2sgrad.compiler.structures import key_expression
from s2sgrad.rules.abstract import MISSING, Items, Numeric, known_value

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


class WrittenItems(DeepCopies):
    """The items of lists, dicts and arrays, written out."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.written_lists: dict[int, list[gast.AST] | None] = {}
        """For comprehensions that were looked at for their items, these."""

    def dict_written_out(self, node: Any, environment: dict) -> gast.AST | None:
        turns = self.meanings(node, environment)
        if turns is None:
            return None
        computed = self.computed_again(node.generators[0].iter, environment)
        if computed is not None:
            raise NeedsName(computed, self.refusal("this is made in the middle of an expression",
                                                   "give it a name before", computed))
        keys, values = ([replaced(part, meaning) for meaning in turns] for part in (node.key, node.value))
        return gast.copy_location(gast.Dict(keys, values), node)

    def computed_again(self, node: Any, environment: dict) -> gast.AST | None:
        """The part of what a comprehension runs over that would be computed for each item, were these written out."""
        over = in_any_order(node)
        if isinstance(over, gast.Call) and self.function_of(over, environment) in (zip, enumerate):
            return next((part for item in over.args if (part := self.computed_again(item, environment))), None)
        views = isinstance(over, gast.Call) and isinstance(over.func, gast.Attribute) and over.func.attr == "keys"
        held = over.func.value if views or is_view(over) else over
        calls = [part for part in gast.walk(held) if isinstance(part, gast.Call)]
        return held if any(self.function_of(part, environment) is not vars for part in calls) else None

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
        if len(node.generators) > 1 or any(isinstance(part, gast.Lambda) for part in gast.walk(node)) \
                or generator.ifs and not is_read_only(in_any_order(generator.iter)):
            return None
        given = self.written_parts(generator.iter, environment)
        found = [self.named_parts(generator.target, item) for item in given or ()]
        if given is None or any(None in meaning for meaning in found):
            return None
        for test in generator.ifs:  # as of the keys: what is not known before the call, and may change, is none
            passes = [plain_truth(self.passively(replaced(test, meaning), environment)) for meaning in found]
            if MISSING in passes or any(isinstance(part, gast.NamedExpr) for part in gast.walk(test)):
                return None
            found = [meaning for meaning, truth in zip(found, passes) if truth]
        return found

    def named_parts(self, target: Any, item: gast.AST) -> dict:
        """For each name of a target, what it stands for in the turn of an item."""
        return dict(unpacked(target, self.as_display(target, item)))

    def as_display(self, target: Any, item: gast.AST) -> gast.AST:
        """An item as a display of its parts, as far as a target has names for them and it is known how many there
        are."""
        targets, held = getattr(target, "elts", ()), self.facts.values.get(id(item))
        if isinstance(item, (gast.Tuple, gast.List)):
            parts = item.elts
        elif isinstance(held, Items) and held.items is not None and issubclass(held.kind, (tuple, list)):
            parts = [self.part(item, held, step) for step in held.steps]
        else:
            return item
        return tuple_of(list(map(self.as_display, targets, parts))) if len(targets) == len(parts) else item

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
        text = known_value(source)
        if isinstance(text, str) and len(text) <= MOST_ARGUMENTS:
            return [located_at(constant(letter), node) for letter in text]
        count = number_of_items(source)
        if isinstance(source, Numeric) and count is not None:
            return [gast.copy_location(subscript(node, constant(place)), node) for place in range(count)]
        if not isinstance(source, Items) or source.items is None or source.is_object:
            return None
        parts = self.facts.instead.get(id(node), node)
        if isinstance(parts, (gast.List, gast.Tuple)):
            return parts.elts
        return [key_expression(key) for key in source.steps] if source.is_dict else [
            self.part(node, source, step) for step in source.steps]

    def sorted_keys(self, node: Any, environment: dict) -> list | None:
        """What ``sorted`` gives of a dict whose keys are known and texts."""
        held = self.passively(node.args[0], environment) if self.function_of(node, environment) is sorted else None
        if not isinstance(held, Items) or not held.is_dict or held.keys is None or not all(
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
            value.has_places and value.view is None
        if indexed and number_of_items(value) is None:
            letters = letters_of([value])
            counted = isinstance(value, Items) and any(
                holds_open_list(version.value) for version in self.facts.parameters.values())
            if letters or counted or short is None:
                raise NeedsSizes(letters, counted, self.refusal(
                    "how many items this has is not known before the call, beside functions, or parts of unlike forms, "
                    "that it is run through with", "give it as many items as there are of those, in a list that is "
                    "written out", node))
            short.append(node)
        return [located_at(subscript(node, constant(index)), node) for index in range(count)] if indexed else None


def is_view(node: gast.AST) -> bool:
    """Whether an expression is ``d.values()`` or ``d.items()``."""
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in (
        "values", "items") and not node.args and not node.keywords


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


def is_written_out(index: gast.AST) -> bool:
    """Whether an index is a literal, or a slice between such."""
    if isinstance(index, gast.Slice):
        return all(part is None or is_written_out(part) for part in (index.lower, index.upper, index.step))
    return isinstance(index.operand if isinstance(index, gast.UnaryOp) else index, gast.Constant)


def unpacked(target: Any, value: Any) -> Iterator[tuple[str | None, gast.AST]]:
    """What each name of a target, a comprehension's or a loop's, stands for: an expression for its part of the value;
    None for what has no name."""
    label, parts = getattr(target, "id", target), getattr(target, "elts", target)
    if isinstance(label, str):
        yield label, value
    elif isinstance(parts, (tuple, list)) and isinstance(value, (gast.Tuple, gast.List)) \
            and len(parts) == len(value.elts):
        for part, item in zip(parts, value.elts):
            yield from unpacked(part, item)
    else:
        yield None, value


def replaced(node: gast.AST, meaning: dict) -> gast.AST:
    """A copy of an expression with expressions for some of its names."""
    return _Replaced(meaning).visit(copy.deepcopy(node))
