"""Abstract values of expressions: kinds, dtypes, shapes, activity; which rule applies where.

What a comparison, a printed text or a shape reads is *passive context*: nothing there is differentiated, so nothing
there has to be understood.
"""
from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.effects import functions_in, has_effect
from s2sgrad.compiler.equivalents import repeated
from s2sgrad.compiler.facts import Applied, Facts, Version
from s2sgrad.compiler.indexing import index_result
from s2sgrad.compiler.program import (
    Handler,
    Loop,
    Names,
    Program,
    Remove,
    assigned_names,
    attribute,
    call,
    names_in,
    statements,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.program import name as variable
from s2sgrad.compiler.structures import key_expression
from s2sgrad.compiler.targets import inner_attribute, is_stored, method_with_rule
from s2sgrad.containers import in_library, is_instance, is_key
from s2sgrad.errors import Location, UnsupportedError, place_of
from s2sgrad.rules.abstract import (
    ANY,
    BOOLEAN,
    INTEGER,
    MISSING,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    broadcast,
    can_be_active,
    join,
    known_value,
    number,
    passive,
)
from s2sgrad.rules.table import (
    ATTRIBUTES,
    RULES,
    STRUCTURE,
    ZERO,
    NeedsValue,
    Operation,
    Rule,
    refuse_complex,
    result_of,
    rule_for,
)

OPERATORS: dict[type, Any] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.Pow: operator.pow, gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.MatMult: operator.matmul,
    gast.USub: operator.neg, gast.UAdd: operator.pos,
}
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


SIMPLE = {int, str}
"""What stands for a size that is known, or that is one of an argument."""

NEVER = Opaque(origin="never")
"""The value of what has not been reached yet, while a loop or a recursion is on its way to its fixpoint."""


def merge(first: Abstract, second: Abstract) -> Abstract:
    if first is NEVER:
        return second
    return first if second is NEVER else join(first, second)


class Evaluator:
    """The state of one analysis, and the evaluation of expressions without calls.

    ``outer(name)`` gives the abstract value of a name from outside (a global, a closure cell, a builtin),
    ``outer(name, holder)`` of a name in a module's dictionary;
    ``derivative_of(definition, arguments)`` the derivative of a user's function for such arguments,
    ``program_of(definition)`` its text.
    """

    def __init__(self, program: Program, arguments: dict[str, Abstract], outer: Callable[..., Abstract],
                 derivative_of: Callable[..., Any], assume_active: bool = False, named_sizes: bool = True,
                 program_of: Any = None):
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
        self.outer_reads = 0
        """In a place where outer variables that the function binds may be read: no adjoint reads these again."""
        self.symbols: dict[tuple, tuple[Loop, ...]] = {}
        """Sizes named by this analysis, each with the loops around the place where it was named."""
        self.named_sizes = named_sizes
        for name in program.parameters:
            self.facts.parameters[name] = self.version(name, arguments[name], "parameter")

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

    def passively(self, node: gast.AST, environment: dict) -> Abstract:
        """The value of an expression of which no derivative will be asked."""
        self.passive_context += 1
        try:
            return passive(self.evaluate(node, environment))
        finally:
            self.passive_context -= 1

    def evaluate(self, node: gast.AST, environment: dict) -> Abstract:
        facts, key, kind = self.facts, id(node), type(node)
        if kind is gast.Name:
            value = self.of_Name(node, environment)
        else:
            if key in facts.displays or key in facts.instead or key in facts.comprehensions:
                facts.displays.pop(key, None)  # of an earlier turn of a loop, when less was known
                facts.instead.pop(key, None)
                facts.comprehensions.discard(key)
            value = method_for(type(self), kind)(self, node, environment)
        if self.assume_active and isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind in "fc" \
                and value.value is MISSING and not self.passive_context and not self.is_from_outside(node):
            value = value.with_activity(True)
        if kind is not gast.Name:
            if type(value) is Numeric and value.shape and not {*map(type, value.shape)} <= SIMPLE:
                value = self.with_sizes(key, value)
            if key in facts.applied:
                facts.applied[key].operation.result = value
        facts.values[key] = value
        return value

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
        if node.id in environment:
            version = environment[node.id]
            if version.unbound and node.id in self.deleted:
                raise self.refusal(f"{node.id} may have been deleted on the way to this line",
                                   "leave the name alone: it ends with the function", node)
            if version.origin == "caught" and not self.passive_context:
                raise self.refusal(f"what the exception {node.id} holds is not followed",
                                   f"bind it to a name before it is raised; str({node.id}) is fine", node)
            return version.value
        if node.id in self.local:
            return NEVER  # not bound yet on any path that reaches this place
        if node.id in self.program.outer and not self.outer_reads:
            raise self.refusal(f"{node.id} is an outer variable that this function binds or changes, and is read here",
                               "pass it as an argument", node)
        return self.captured(node.id).value

    def captured(self, name: str) -> Version:
        if name not in self.facts.captured:
            loops, self.loops = self.loops, []
            given = self.facts.given if name in self.facts.given else self.program.given
            value = Known(given[name]) if name in given else \
                Opaque() if name in self.program.outer else self.outer(name)
            self.facts.captured[name] = self.version(name, value, "captured")
            self.loops = loops
        return self.facts.captured[name]

    def given(self, function: Any) -> gast.Name:
        """A name for a function that the analysis itself puts into the program."""
        label = function.__name__
        if label in self.program.names and label not in self.local and self.captured(label).value == Known(function):
            return variable(label)
        known = {**self.program.given, **self.facts.given}
        found = next((identifier for identifier, value in known.items() if value is function), None)
        if found is None:
            found = Names(self.program.names | set(known) | self.facts.reserved).fresh(label)
            self.facts.given[found] = function
        return variable(found)

    def of_Tuple(self, node: gast.Tuple, environment: dict) -> Abstract:
        kind = tuple if isinstance(node, gast.Tuple) else list
        if any(isinstance(item, gast.Starred) for item in node.elts):
            return self.with_stars(node, environment)
        return Items(kind, tuple(self.evaluate(item, environment) for item in node.elts))

    of_List = of_Tuple

    def with_stars(self, node: Any, environment: dict) -> Abstract:
        """``[*xs, y]``: the items written out, where it is known how many, else lists that are put together."""
        self.facts.consumed.update(id(item.value) for item in node.elts if isinstance(item, gast.Starred))
        values = [self.evaluate(item.value if isinstance(item, gast.Starred) else item, environment)
                  for item in node.elts]
        if self.passive_context or not any(value.active for value in values):
            return self.of_other(node, environment)
        parts: list = []
        known = True
        for item, value in zip(node.elts, values):
            if not isinstance(item, gast.Starred):
                parts.append(item)
            elif isinstance(value, Items) and value.items is not None and isinstance(item.value, gast.Name):
                parts += [self.part(item.value, value, step) for step in value.steps] if value.kind is not dict else [
                    key_expression(key) for key in value.steps]
            else:
                known = False
        if known:
            self.facts.spelled[id(node)] = gast.copy_location(type(node)(parts, node.ctx), node)
        elif id(node) not in self.facts.simpler:
            lists: list = []
            for item in node.elts:
                if isinstance(item, gast.Starred):
                    lists.append(call(self.given(list), item.value))
                elif lists and isinstance(lists[-1], gast.List):
                    lists[-1].elts.append(item)
                else:
                    lists.append(gast.List([item], gast.Load()))
            total = functools.reduce(lambda first, second: gast.BinOp(first, gast.Add(), second), lists)
            if isinstance(node, gast.Tuple):
                total = call(self.given(tuple), total)
            for part in gast.walk(total):
                if not hasattr(part, "lineno"):
                    gast.copy_location(part, node)
            self.facts.simpler[id(node)] = total
        if not known:
            self.facts.spelled[id(node)] = self.facts.simpler[id(node)]
        return self.evaluate(self.facts.spelled[id(node)], environment)

    def of_Dict(self, node: gast.Dict, environment: dict) -> Abstract:
        merged: dict = {}
        for key_node, part in zip(node.keys, node.values):
            value = self.evaluate(part, environment)
            if key_node is None:
                if not self.merge_dict(merged, part, value):
                    return self.of_other(node, environment)
                continue
            key = known_value(self.passively(key_node, environment))
            if not is_key(key):
                return self.of_other(node, environment)
            merged[key] = part, value
        return self.displayed(node, merged)

    def merge_dict(self, merged: dict, node: gast.AST, value: Abstract) -> bool:
        """Add to the expressions and values of a dict's items those of another, where they are known."""
        if not isinstance(value, Items) or value.kind is not dict or value.keys is None:
            return False
        parts = self.facts.displays.get(id(node)) or [self.part(node, value, step) for step in value.steps]
        merged.update((step, (part, value.at(step))) for step, part in zip(value.steps, parts))
        return True

    def displayed(self, node: gast.AST, merged: dict) -> Abstract:
        self.facts.displays[id(node)] = [part for part, _ in merged.values()]
        return Items(dict, tuple(value for _, value in merged.values()), keys=tuple(merged))

    def of_Slice(self, node: gast.Slice, environment: dict) -> Abstract:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.passively(part, environment)
        return Opaque()

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
        for found in objects.objects_in(value):
            for name in objects.special_names(found.kind) if names is None else names:
                if objects.may_change(found.kind, name):
                    raise self.refusal(f"{name} of {found.kind.__name__} may store something in the object, and is "
                                       "called here unnamed", "call a method that does it, on a line of its own", node)
        return value

    def test(self, node: gast.AST, environment: dict) -> Any:
        """The value of a test, where it is known."""
        return known_value(self.calmly(node, self.passively(node, environment), objects.TRUTH))

    def of_JoinedStr(self, node: gast.JoinedStr, environment: dict) -> Abstract:
        texts = []
        for part in node.values:
            known = getattr(part, "value", MISSING)
            if isinstance(part, gast.FormattedValue):
                with self.outer_names_read():
                    known = known_value(self.calmly(part.value, self.passively(part.value, environment), objects.TEXT))
                if part.conversion != -1 or part.format_spec is not None:
                    known = MISSING
            texts.append(known)
        return Known("".join(map(str, texts))) if all(type(text) in (str, int) for text in texts) else Opaque()

    def of_other(self, node: gast.AST, environment: dict) -> Abstract:
        """A comprehension, lambda, dict, ...: kept whole where it is passive."""
        if not self.passive_context:
            for name in names_in(node):
                if name in environment and (environment[name].value.active or functions_in(environment[name].value)):
                    what = "comprehension" if "Comp" in type(node).__name__ or isinstance(node, gast.GeneratorExp) \
                        else type(node).__name__.lower()
                    raise self.refusal(f"a {what} over {name}, which is differentiated, is not supported yet",
                                       "write a loop, or whole-array operations", node)
        return Opaque()

    def of_BinOp(self, node: gast.BinOp, environment: dict) -> Abstract:
        return self.operator(node, type(node.op), {"x1": node.left, "x2": node.right}, environment)

    def of_UnaryOp(self, node: gast.UnaryOp, environment: dict) -> Abstract:
        if isinstance(node.op, gast.Not):
            value = self.test(node.operand, environment)
            return BOOLEAN if value is MISSING or isinstance(value, np.ndarray) else number(not value)
        if isinstance(node.op, gast.Invert):
            return self.passively(node.operand, environment)
        if isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant) \
                and type(node.operand.value) in (int, float):
            return number(-node.operand.value)
        return self.operator(node, type(node.op), {"x": node.operand}, environment)

    def operator(self, node: Any, kind: type, nodes: dict[str, gast.AST], environment: dict) -> Abstract:
        operands = {name: self.evaluate(operand, environment) for name, operand in nodes.items()}
        kinds = set(map(type, operands.values()))
        if Opaque in kinds and NEVER in operands.values():
            return NEVER
        folded = self.fold(kind, operands)
        if folded is not None:
            return folded
        if kinds == {Numeric} and kind in OPERATORS:
            return self.apply(node, RULES[OPERATORS[kind]], nodes, operands)
        if isinstance(node, gast.BinOp) and kind in (gast.Mult, gast.Add, gast.BitOr):
            lists = self.lists(node, kind, environment, *operands.values())
            if lists is not None:
                return lists
        if kind is gast.Mod and isinstance(known_value(operands["x1"]), str):  # "..." % x
            return Opaque()
        if kind is gast.Add and all(type(known_value(value)) is str for value in operands.values()):
            return Known("".join(map(known_value, operands.values())))
        if any(isinstance(value, Items) and value.is_object for value in operands.values()):
            return self.object_operator(node, kind, nodes, list(operands.values()), environment)
        if any(isinstance(value, (Items, Known)) for value in operands.values()):
            if any(value.active for value in operands.values()) and not self.passive_context:
                for value in map(known_value, operands.values()):
                    if is_instance(value):
                        raise self.refusal(f"what arithmetic does with a {type(value).__name__} is not known",
                                           "make a number or an array of it first", node)
                raise self.refusal("arithmetic on a list or tuple of differentiated values is not supported yet",
                                   "make an array of it with np.array", node)
            return Opaque()
        if kind not in OPERATORS:
            return bits_of(*operands.values())
        return self.apply(node, RULES[OPERATORS[kind]], nodes, operands)

    def object_operator(self, node: Any, kind: type, nodes: dict[str, gast.AST], values: list[Abstract],
                        environment: dict) -> Abstract:
        """What the method gives that Python calls for an operator between objects."""
        for call_ in objects.operator_calls(node, kind, nodes, values, self.outer):
            value = self.respelled(node, call_, environment)
            if known_value(value) is not NotImplemented:
                return value
        self.facts.spelled.pop(id(node), None)
        if any(value.active for value in values) and not self.passive_context:
            kinds = [value.kind.__name__ for value in values if isinstance(value, Items) and value.is_object]
            raise self.refusal(f"what this operator does with a {kinds[0]} is not known",
                               "call a method that does it", node)
        return Opaque()

    def lists(self, node: gast.BinOp, kind: type, environment: dict, *operands: Abstract) -> Abstract | None:
        """``[x] + [y]``, ``[x] * n``, ``params | others``: None where it is something else."""
        if kind is gast.BitOr:
            merged: dict = {}
            both = [self.merge_dict(merged, side, value) for side, value in zip((node.left, node.right), operands)]
            return self.displayed(node, merged) if all(both) else None
        if kind is gast.Add:
            first, second = operands
            if not (isinstance(first, Items) and isinstance(second, Items) and first.kind is second.kind
                    and first.kind in (list, tuple)):
                return None
            if first.items is None or second.items is None:
                return Items(first.kind, None, merge(first.any_item, second.any_item))
            self.facts.displays[id(node)] = [self.part(side, value, step) for side, value in (
                (node.left, first), (node.right, second)) for step in value.steps]
            return Items(first.kind, first.items + second.items)
        for one, count in (operands, operands[::-1]):
            if isinstance(one, Items) and one.kind in (list, tuple) and isinstance(count, Numeric):
                times = known_value(count)
                if one.items is not None and type(times) is int and len(one.items) * times <= 16:
                    side = node.left if one is operands[0] else node.right
                    self.facts.displays[id(node)] = [self.part(side, one, step) for step in one.steps] * times
                    return Items(one.kind, one.items * times)
                return self.repeated(node, one, environment) if one.active else Items(one.kind, None, one.any_item)
        return None

    def repeated(self, node: gast.BinOp, items: Items, environment: dict) -> Abstract | None:
        """``[x] * n``, where it is not known how often."""
        if self.passive_context or has_effect(node.left, self.facts) or has_effect(node.right, self.facts):
            return None
        if id(node) not in self.facts.simpler:
            sides = [node.left, node.right]
            arguments = sides if self.facts.values[id(node.left)] == items else sides[::-1]
            simpler = gast.copy_location(call(self.given(repeated), *arguments), node)
            self.facts.simpler[id(node)] = simpler if items.kind is list else gast.copy_location(
                call(self.given(tuple), simpler), node)
        self.facts.spelled[id(node)] = self.facts.simpler[id(node)]
        return self.evaluate(self.facts.spelled[id(node)], environment)

    def fold(self, kind: type, operands: dict[str, Abstract]) -> Abstract | None:
        """Integer arithmetic on numbers known now (an axis, an exponent)."""
        values = []
        for operand in operands.values():
            value = known_value(operand)
            if type(value) is not int or abs(value) >= 2 ** 31:
                return None
            if getattr(operand, "kind", None) != "python":
                return None  # np.int64(2) is not 2 to an array of float32
            values.append(value)
        if kind in (gast.Div, gast.Pow, gast.MatMult) or kind not in OPERATORS:
            if not (kind is gast.Pow and 0 <= values[1] < 64):
                return None
        if kind in (gast.FloorDiv, gast.Mod) and values[1] == 0:
            return None
        return number(OPERATORS[kind](*values))

    def of_Compare(self, node: gast.Compare, environment: dict) -> Abstract:
        values = [self.passively(part, environment) for part in (node.left, *node.comparators)]
        if not all(isinstance(item, (gast.Is, gast.IsNot)) for item in node.ops):
            for value in values:
                self.calmly(node, value, objects.COMPARISONS)
        if len(node.ops) == 1:
            folded = self.compare(node.ops[0], *values)
            if folded is not None:
                return number(folded)
            if isinstance(node.ops[0], (gast.Is, gast.IsNot, gast.In, gast.NotIn)):
                return BOOLEAN
        if all(isinstance(value, Numeric) for value in values):
            shape = broadcast(*(value.shape for value in values))
            if shape == ():
                return Numeric("scalar", np.dtype(bool), ())
            return Numeric("array" if shape else "any", np.dtype(bool), shape)
        return Opaque()

    def compare(self, operator: gast.AST, left: Abstract, right: Abstract) -> bool | None:
        """The outcome of a comparison that is known now: ``mode == "mean"``, ``bias is not None``."""
        negated = isinstance(operator, (gast.IsNot, gast.NotEq, gast.NotIn))
        if isinstance(operator, (gast.Is, gast.IsNot)):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, Known) and one.value is None:
                    if isinstance(other, Known):
                        return (other.value is None) != negated
                    if isinstance(other, (Numeric, Items, Function)) and not getattr(other, "optional", False):
                        return negated
            return None
        plain = (str, int, bool, type(None), float)
        values = known_value(left), known_value(right)
        if not all(type(value) in plain for value in values):
            return None
        if isinstance(operator, (gast.Eq, gast.NotEq)):
            return (values[0] == values[1]) != negated
        orders = {gast.Lt: "__lt__", gast.LtE: "__le__", gast.Gt: "__gt__", gast.GtE: "__ge__"}
        if type(operator) in orders and not any(isinstance(value, (str, type(None))) for value in values):
            return getattr(float(values[0]), orders[type(operator)])(float(values[1]))
        return None

    def of_BoolOp(self, node: gast.BoolOp, environment: dict) -> Abstract:
        stop = isinstance(node.op, gast.Or)
        result: Abstract = NEVER
        for index, part in enumerate(node.values):
            value = self.calmly(part, self.evaluate(part, environment), objects.TRUTH)
            known = known_value(value)
            last = index == len(node.values) - 1
            if known is not MISSING and not last and not isinstance(known, np.ndarray):
                if bool(known) == stop:
                    return merge(result, value)
                continue
            result = merge(result, value)
        return result

    def of_IfExp(self, node: gast.IfExp, environment: dict) -> Abstract:
        test = self.test(node.test, environment)
        if test is not MISSING and not isinstance(test, np.ndarray):
            self.facts.taken[id(node)] = bool(test)
            return self.evaluate(node.body if test else node.orelse, environment)
        self.facts.taken.pop(id(node), None)
        return merge(self.evaluate(node.body, environment), self.evaluate(node.orelse, environment))

    def of_Attribute(self, node: gast.Attribute, environment: dict) -> Abstract:
        base = self.evaluate(node.value, environment)
        if base is NEVER:
            return NEVER
        if isinstance(base, Known):
            if isinstance(base.value, types.ModuleType):
                return self.module_attribute(base.value, node.attr)
            return self.object_attribute(base.value, node.attr)
        if isinstance(base, Opaque) and base.active:
            base = replace(ANY, active=True)
        if isinstance(base, Items) and base.items is not None:
            if base.has_field(node.attr):
                return base.at(node.attr)
            if node.attr == "__class__":
                return Known(base.kind)
            getter = objects.getter_call(node, base.kind, self.outer)
            if getter is not None:
                return self.respelled(node, getter, environment)
            if objects.is_constant_of(base.kind, node.attr):
                return self.outer(node.attr, base.kind)
        if isinstance(base, Numeric) and node.attr in ATTRIBUTES:
            rule = ATTRIBUTES[node.attr]
            return self.apply(node, rule, {rule.parameters[0].name: node.value}, {rule.parameters[0].name: base})
        if base.active and not self.passive_context:
            raise self.refusal(f"the attribute .{node.attr} of a differentiated value has no rule",
                               "use the NumPy function of that name", node)
        return Opaque()

    def module_attribute(self, module: types.ModuleType, attribute: str) -> Abstract:
        value = getattr(module, attribute, MISSING)
        if value is MISSING:
            return Opaque()
        if attribute in vars(module) and not in_library(module.__name__):
            return self.outer(attribute, vars(module))  # it may be bound to something else some day
        if type(value) in (int, float) and module.__name__.split(".")[0] in ("numpy", "math", "scipy"):
            return number(value)
        if callable(value) or isinstance(value, types.ModuleType) or value is None or rule_for(value) is not None:
            return Known(value)
        return Opaque()

    def object_attribute(self, value: Any, attribute: str) -> Abstract:
        """An attribute of an object that is known: itself a captured input."""
        if isinstance(value, np.ufunc) and attribute in ("reduce", "accumulate", "reduceat", "outer"):
            return Known(getattr(value, attribute))
        method = method_with_rule(value, attribute)
        if method is not None:
            return Known(method)
        inner = inner_attribute(value, attribute)
        if type(inner) is tuple:
            return Items(tuple, tuple(self.outer(index, inner) for index in range(len(inner))))
        if inner is not MISSING:
            return Known(inner)
        if is_stored(value, attribute):
            return self.outer(attribute, value)
        return Opaque()

    def of_Subscript(self, node: gast.Subscript, environment: dict) -> Abstract:
        base = self.evaluate(node.value, environment)
        index = self.passively(node.slice, environment)
        if base is NEVER:
            return NEVER
        if isinstance(base, Opaque) and base.active:
            self.refuse_mixture(base, node.value)
            base = replace(ANY, active=True)
        if isinstance(base, Items) and base.is_object:
            return self.object_item(node, base, environment)
        if isinstance(base, Items):
            position = known_value(index)
            if base.items is None:
                result = self.one_of(base.element, id(node))
            elif position is not MISSING:
                step = base.indexed(position)
                result = base.at(step) if step is not MISSING else NEVER
            else:
                result = self.joined(base)
            if isinstance(node.slice, gast.Slice):
                return self.sliced(node, base)
            return result
        if isinstance(base, Known) and type(base.value) is dict and known_value(index) in base.value:
            return self.outer(known_value(index), base.value)
        if not isinstance(base, Numeric):
            return self.of_indexed_object(node, base, environment)
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        described = []
        for part in parts:
            bounds = None
            if isinstance(part, gast.Slice):
                values = [number_or_none(part.lower, self.facts), number_or_none(part.upper, self.facts),
                          number_or_none(part.step, self.facts)]
                bounds = tuple(values)
            described.append((self.facts.values.get(id(part), Opaque()), bounds))
        if len(parts) == 1 and isinstance(index, Items):
            result, kind = Numeric("any", base.dtype, None), "fancy"
        else:
            result, kind = index_result(base, described)
        self.facts.index_kinds[id(node)] = kind
        return result.with_activity(base.active)

    def object_item(self, node: gast.Subscript, base: Items, environment: dict) -> Abstract:
        """``v[i]`` of an object whose class says what that is."""
        calls = objects.special_calls(node, base, "__getitem__", [node.value, node.slice], self.outer)
        if calls and not isinstance(node.slice, gast.Slice):
            return self.respelled(node, calls[0], environment)
        if base.active and not self.passive_context:
            raise self.refusal(f"what is in a {base.kind.__name__} is not known", "read its attributes", node)
        return Opaque()

    def of_indexed_object(self, node: gast.Subscript, base: Abstract, environment: dict) -> Abstract:
        """What an object gives for an index: ``np.r_[x, y]`` is a call in brackets."""
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        if self.passive_context or not any(environment[label].value.active for label in names_in(node.slice)
                                           if label in environment):
            return Opaque()
        operands = Items(tuple, tuple(self.evaluate(part, environment) for part in parts))
        bounds = [bound for part in parts if isinstance(part, gast.Slice)
                  for bound in (part.lower, part.upper, part.step) if bound is not None]
        if not operands.active and not any(self.evaluate(bound, environment).active for bound in bounds):
            return Opaque()
        rule = rule_for(known_value(base))
        if rule is None or not all(isinstance(item, Numeric) for item in operands.items or ()):
            raise self.refusal("what this object gives for a differentiated index is not known",
                               "join arrays with np.concatenate or np.stack", node)
        index = gast.copy_location(tuple_of(parts), node)
        self.facts.values[id(index)] = operands
        self.facts.made.append(index)
        return self.apply(node, rule, {"parts": index}, {"parts": operands})

    def sliced(self, node: gast.Subscript, base: Items) -> Abstract:
        """Part of a list or tuple: of known items, where it is known which."""
        bounds = [number_or_none(part, self.facts) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
        if base.items is None or MISSING in bounds:
            return Items(base.kind, None, self.joined(base))
        places = range(*slice(*bounds).indices(len(base.items)))
        self.facts.displays[id(node)] = [self.part(node.value, base, base.steps[place]) for place in places]
        kind = base.kind if base.kind is list else tuple
        return Items(kind, tuple(base.items[place] for place in places))

    def part(self, node: gast.AST, value: Items, step: Any) -> gast.AST:
        """An expression for a part of what an expression gives."""
        if value.has_field(step):
            part: Any = attribute(node, step)
        else:
            index = key_expression(step)
            for inner in gast.walk(index):
                self.facts.values[id(inner)] = literal(step)
            part = subscript(node, index)
        self.facts.values[id(part)] = value.at(step)
        self.facts.made.append(part)
        return gast.copy_location(part, node)

    def apply(self, node: Any, rule: Rule, nodes: dict[str, gast.AST], operands: dict[str, Abstract]) -> Abstract:
        """The result of a rule: passive if the rule is constant or none of its operands is active."""
        numbers, active = True, False
        for name, value in operands.items():
            active = active or value.active
            if type(value) is not Numeric:
                numbers = False
                if not is_helper(rule.function) and self.is_object(rule, value, nodes[name]):
                    return Opaque()
        operation = Operation(rule, operands)
        if active or not numbers:
            operation.operands = {name: as_numeric(passive(value)) for name, value in operands.items()}
        result = result_of(operation)
        if isinstance(result, Items) and result.items is not None:
            parts = [self.with_sizes((id(node), index), item) for index, item in enumerate(result.items)]
            result = replace(result, items=tuple(parts))
        operation.result = result
        if active:
            operation.operands = operands if numbers else {name: as_numeric(value) for name, value in operands.items()}
            if rule.constant and not self.passive_context:
                self.at_node(node, refuse_complex, operation)
        applied = Applied(operation, nodes)
        self.facts.applied[id(node)] = applied
        if not active or rule.constant or self.passive_context:
            return result
        if not numbers:
            applied.nodes = {name: self.operand(rule, operand, operands[name]) for name, operand in nodes.items()}
        smooth = False
        for name, _, operand, value in applied.active_operands():
            if isinstance(value, Items) and (rule.each is None or name not in rule.partials):
                raise self.refusal(f"{rule.title} takes a list of differentiated values only where it is written out",
                                   "write the list in the call", operand)
            if name not in rule.partials and can_be_active(value):
                raise self.refusal(f"{rule.title} has no derivative with respect to {name}",
                                   "keep that argument constant, or add a rule with s2sgrad.rule", operand)
            smooth = smooth or rule.partials.get(name) is not ZERO and (
                can_be_active(value) or isinstance(value, Items))
        if isinstance(result, Items):
            return self.several(node, operation, smooth)
        if isinstance(result, Numeric):
            return result.with_activity(smooth and can_be_active(result))
        return Opaque(smooth)

    def is_object(self, rule: Rule, value: Abstract, node: gast.AST) -> bool:
        """Whether a function gets an object of the user's, of which nothing is known then; a differentiated one is
        refused."""
        for found in objects.objects_in(value):
            if found.active and not rule.constant and not self.passive_context:
                raise self.refusal(f"what {rule.title} does with a {found.kind.__name__} is not known",
                                   "make a number or an array of it first", node)
            return True
        return False

    def at_node(self, node: Any, check: Callable[[Operation], None], operation: Operation) -> None:
        """Run a check that knows nothing of places."""
        try:
            check(operation)
        except UnsupportedError as error:
            error.location = self.node_location(node)
            raise

    def several(self, node: Any, operation: Operation, smooth: bool) -> Abstract:
        """The results of a function with several: those that its rule has a derivative for carry one."""
        rule, result = operation.rule, operation.result
        assert isinstance(result, Items)
        if result.items is None:
            if rule.parts:
                for name in STRUCTURE & set(operation.operands):
                    try:
                        operation.known(name)
                    except NeedsValue as need:
                        need.location = self.node_location(node)
                        raise
                raise self.refusal(f"how many results {rule.title} gives is not known before the call",
                                   "give it what decides that as a literal, or in an argument", node)
        elif rule.parts:
            items = [passive(item) if index not in rule.parts or not isinstance(item, Numeric) else
                     item.with_activity(smooth and can_be_active(item)) for index, item in enumerate(result.items)]
            return replace(result, items=tuple(items))
        if any(can_be_active(item) for item in result.items or (result.element,)):
            raise self.refusal(f"{rule.title} gives several results", "use the parts' own functions", node)
        return result

    def operand(self, rule: Rule, node: gast.AST, value: Abstract) -> gast.AST:
        """The expression of an operand as formulas refer to it."""
        if rule.each is None and value.active and isinstance(node, gast.Call) and isinstance(value, Items) \
                and value.items is not None:  # formulas ask for its parts, as of cho_solve(cho_factor(a), b)
            raise NeedsName(node, self.refusal(
                f"{rule.title} takes a list of differentiated values only where it is written out",
                "write the list in the call", node))
        return self.written_out(node, value)

    def written_out(self, node: gast.AST, value: Abstract) -> gast.AST:
        """A list under a name as the list of its items, ``[name[0], name[1]]``, where their number is known."""
        if isinstance(node, (gast.List, gast.Tuple)):  # [*xs, y]
            return self.facts.spelled.get(id(node), node)
        if not (isinstance(node, gast.Name) and isinstance(value, Items) and value.items is not None and value.active):
            return node
        items = [self.part(node, value, step) for step in value.steps]
        display = gast.copy_location(tuple_of(items), node)
        self.facts.values[id(display)] = value
        return display

    def refuse_mixture(self, value: Abstract, node: Any = None) -> None:
        """Raises UnsupportedError where a part is read of what may be a container of differentiated values, and may be
        something else: there is no telling what its cotangent is."""
        written = self.program.location.filename.startswith("<s2sgrad")  # whose saved values are looked at later
        if isinstance(value, Opaque) and value.holding and not self.passive_context and not written:
            what = node.id if isinstance(node, gast.Name) else "this"
            raise self.refusal(f"{what} may be a container of differentiated values, or neither that nor None",
                               "let it have one form throughout", node)

    def element(self, value: Abstract, index: int, pattern: Any) -> Abstract:
        """What a part of a target, a tuple of several, is bound to."""
        if isinstance(value, Items) and value.items is not None and not value.is_object:
            if len(value.items) != len(pattern):
                return NEVER
            if value.kind is dict and value.keys is not None:
                return literal(value.keys[index])
            return self.one_of(value.items[index], (id(pattern), index))
        return self.one_of(self.element_of(value), (id(pattern), index))

    def one_of(self, value: Abstract, tag: Any) -> Abstract:
        """An item of a list of any number of them, with names for its sizes that no other item has."""
        if isinstance(value, Items) and value.items is not None:
            return replace(value, items=tuple(self.one_of(item, tag) for item in value.items))
        if not isinstance(value, Numeric) or not value.shape:
            return value
        shape = tuple(("size", (tag, dim), 0) if isinstance(dim, tuple) and dim[0] == "each" else dim
                      for dim in value.shape)
        for dim in shape:
            if isinstance(dim, tuple) and dim[0] == "size":
                self.symbols.setdefault(dim, tuple(self.loops))
        return replace(value, shape=shape)

    def apart(self, value: Abstract, tag: Any) -> Abstract:
        """An item of a list, so that it is not taken for the item of the same list that another expression gives."""
        if isinstance(value, Items) and value.items is not None:
            return replace(value, items=tuple(self.apart(item, tag) for item in value.items))
        if not isinstance(value, Numeric) or not value.shape:
            return value
        return replace(value, shape=tuple(("each", tag, dim) if unnamed(dim) and dim is not None else dim
                                          for dim in value.shape))

    def joined(self, value: Items) -> Abstract:
        """What is known of any item of a container."""
        return value.element if value.items is None else functools.reduce(merge, value.items, NEVER)

    def element_of(self, value: Abstract) -> Abstract:
        """What is known of what a loop over a value gives."""
        if value is NEVER:
            return NEVER
        self.refuse_mixture(value)
        if isinstance(value, Items) and value.is_object:
            if value.active and not self.passive_context:
                raise self.refusal(f"what is in a {value.kind.__name__} is not known", "read its attributes")
            return Opaque()
        if isinstance(value, Items):
            if value.kind is dict:
                return functools.reduce(merge, map(literal, value.keys or ()), NEVER)
            return self.joined(value)
        if isinstance(value, Numeric):
            if value.shape:
                rest = value.shape[1:]
                return Numeric("array" if rest else "scalar", value.dtype, rest, value.active)
            return Numeric("any", value.dtype, None, value.active)
        return Opaque(value.active)

    def node_location(self, node: Any) -> Location:
        return place_of(node, self.location)

    def refusal(self, reason: str, remedy: str, node: Any = None) -> UnsupportedError:
        return UnsupportedError(reason, remedy, self.location if node is None else self.node_location(node))


@functools.cache
def method_for(kind: type[Evaluator], node: type) -> Callable[[Any, Any, dict], Abstract]:
    """What evaluates nodes of a class."""
    found: Callable[[Any, Any, dict], Abstract] = getattr(kind, f"of_{node.__name__}", kind.of_other)
    return found


def is_helper(function: Any) -> bool:
    """Whether this is a function that adjoints call, which are differentiated again: those know objects."""
    return str(getattr(function, "__module__", "")).startswith("s2sgrad.runtime")


def as_numeric(value: Abstract) -> Abstract:
    """Where arithmetic succeeds on a value of unknown type, it is a number or an array."""
    return replace(ANY, active=value.active) if isinstance(value, Opaque) else value


def unnamed(dim: Any) -> bool:
    """Whether a size is unknown, or has a name that is shared by unlike sizes."""
    return dim is None or isinstance(dim, tuple) and dim[0] == "each"


def bits_of(*values: Abstract) -> Abstract:
    """What is known of ``a << b``, ``a & b`` and their kin."""
    if not all(isinstance(value, Numeric) and value.is_number for value in values):
        return passive(ANY)
    if not all(isinstance(value, Numeric) and value.kind == "python" for value in values):
        return Numeric("number", None, ())
    return BOOLEAN if all(passive(value).dtype == bool for value in values) else INTEGER  # type: ignore[union-attr]


def literal(value: Any) -> Abstract:
    """The abstract value of something that is known now."""
    return number(value) if type(value) in (bool, int, float, complex) else Known(value)


def number_or_none(node: gast.AST | None, facts: Facts) -> Any:
    return None if node is None else known_value(facts.value(node))
