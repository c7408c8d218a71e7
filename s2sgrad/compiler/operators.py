"""Operators, comparisons, and what chooses between values."""
from __future__ import annotations

import copy
import functools
import operator
from collections import Counter
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import counters, objects
from s2sgrad.compiler.displays import Displays
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.equivalents import repeated
from s2sgrad.compiler.evaluation import NeedsName, plain_truth
from s2sgrad.compiler.kinds import classes_compared
from s2sgrad.compiler.nodes import attribute, call, located_at, walk
from s2sgrad.compiler.program import Augment
from s2sgrad.compiler.structures import new_container
from s2sgrad.compiler.texts import filled_in, is_in
from s2sgrad.compiler.versions import asks_for_version, outcome
from s2sgrad.errors import S2SGradError
from s2sgrad.rules.abstract import (
    ANY,
    BOOLEAN,
    INTEGER,
    KEY,
    MISSING,
    NEVER,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    is_a_number,
    is_key,
    join,
    known_value,
    number,
    passive,
)
from s2sgrad.rules.dims import Dim, add_dims, broadcast
from s2sgrad.rules.refused import is_sparse, made_of_sparse
from s2sgrad.rules.table import RULES, NeedsValue
from s2sgrad.runtime import sparse_product

OPERATORS: dict[type, Any] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.Pow: operator.pow, gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.MatMult: operator.matmul,
    gast.USub: operator.neg, gast.UAdd: operator.pos,
}


class Operators(Displays):
    """Expressions with an operator."""

    def of_BinOp(self, node: gast.BinOp, environment: dict) -> Abstract:
        return self.operator(node, type(node.op), {"x1": node.left, "x2": node.right}, environment)

    def of_UnaryOp(self, node: gast.UnaryOp, environment: dict) -> Abstract:
        if isinstance(node.op, gast.Not):
            value = self.test(node.operand, environment)
            return BOOLEAN if value is MISSING or isinstance(value, np.ndarray) else number(not value)
        if isinstance(node.op, gast.Invert):
            value = self.passively(node.operand, environment)
            if objects.has_operator(value, gast.Invert):
                return self.operator(node, gast.Invert, {"x": node.operand}, environment)
            return inverted(value)
        if isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant) \
                and type(node.operand.value) in (int, float):
            return number(-node.operand.value)
        return self.operator(node, type(node.op), {"x": node.operand}, environment)

    def operator(self, node: Any, kind: type, nodes: dict[str, gast.AST], environment: dict) -> Abstract:
        operands = {name: self.evaluate(operand, environment) for name, operand in nodes.items()}
        kinds = set(map(type, operands.values()))
        if Opaque in kinds and NEVER in operands.values():
            return NEVER
        if not [value for value in operands.values() if type(value) is Numeric and value.value is MISSING]:
            folded = self.fold(kind, operands) if kind is not gast.Div else fraction(*nodes.values())
            if folded is not None:
                return folded
        if kind is gast.Mod and isinstance(known_value(operands["x1"]), str):  # "..." % x
            self.calmly(nodes["x2"], operands["x2"], objects.TEXT)
            self.refuse_to_fill(nodes["x2"], operands["x2"])
            text = filled_in(known_value(operands["x1"]), known_value(operands["x2"]))
            return self.text_of(node, environment) if text is None else Known(text)
        if (Items in kinds or Known in kinds) and any(objects.has_operator(value, kind) for value in operands.values()):
            return self.object_operator(node, kind, nodes, list(operands.values()), environment)
        if kind in OPERATORS and (kinds == {Numeric} or takes_for_array(*operands.values()) and not repeats(
                kind, *operands.values())):
            if Items in kinds and any(isinstance(value, Items) and value.active for value in operands.values()):
                return self.of_array(node, nodes, operands, environment)
            result = self.apply(node, RULES[OPERATORS[kind]], nodes, operands)
            size = size_of(kind, *operands.values()) if kind is gast.Add or kind is gast.Sub else None
            return result if size is None else replace(result, dim=size)  # type: ignore[type-var]
        if kind in counters.UNARY and getattr(operands.get("x"), "kind", None) is Counter and operands["x"].active:
            return self.spelled_call(node, counters.UNARY[kind], [nodes["x"]], environment)
        if isinstance(node, gast.BinOp) and kind in (gast.Mult, *counters.OPERATORS):
            lists = self.lists(node, kind, environment, *operands.values())
            if lists is not None:
                return lists
        if kind is gast.Add and all(map(is_key, operands.values())):
            parts = [known_value(value) for value in operands.values()]
            return Known("".join(parts)) if all(type(part) is str for part in parts) else KEY
        if any(isinstance(value, (Items, Known)) for value in operands.values()):
            if any(value.active for value in operands.values()) and not self.passive_context:
                for value in operands.values():
                    held = value.kind if isinstance(value, Items) else type(known_value(value))
                    if isinstance(value, (Items, Known)) and held not in (list, tuple):
                        raise self.refusal(f"what arithmetic does with a {held.__name__} is not known",
                                           "make a number or an array of it first", node)
                raise self.refusal("arithmetic on a list or tuple of differentiated values is not supported yet",
                                   "make an array of it with np.array", node)
            return Opaque()
        if kind not in OPERATORS:
            return bits_of(kind, *operands.values())
        if not any(value.active for value in operands.values()):
            made = made_of_sparse(operands.values())
            if made is not None:
                return made
        product = self.sparse_product(node, kind, nodes, operands)
        if product is not None:
            return self.respelled(node, product, environment)
        return self.apply(node, RULES[OPERATORS[kind]], nodes, operands)

    def augmented(self, statement: Augment, environment: dict) -> Abstract:
        """What ``x += y`` leaves under the name, or in the place, ``x``."""
        operands = {"x1": statement.target, "x2": statement.value}
        value = self.operator(statement, type(statement.operator), operands, environment)
        if not self.facts.tells:
            return value
        made = gast.BinOp(statement.target, statement.operator, statement.value)
        return self.told(gast.copy_location(made, statement.value), value, environment)

    def sparse_product(self, node: Any, kind: type, nodes: dict[str, gast.AST], operands: dict[str, Abstract]
                       ) -> gast.AST | None:
        """``sparse_product(S, x)`` for ``S @ x``, and for ``S * x`` of a matrix that means the same by it, where ``S``
        is sparse and ``x`` an array; of ``x @ S`` the same of what is turned."""
        first, second = operands.get("x1"), operands.get("x2")
        if kind is gast.MatMult and is_sparse(second) and isinstance(first, Numeric):
            turned = call(self.given(sparse_product), attribute(nodes["x2"], "T"), attribute(nodes["x1"], "T"))
            return self.one_for(node, attribute(turned, "T"))
        multiplies = kind is gast.MatMult or kind is gast.Mult and is_sparse(first) \
            and first.kind.__name__.endswith("_matrix")  # type: ignore[union-attr]
        if multiplies and is_sparse(first) and isinstance(second, Numeric) and second.rank in (1, 2):
            return self.one_for(node, call(self.given(sparse_product), nodes["x1"], nodes["x2"]))
        return None

    def one_for(self, node: Any, made: gast.AST) -> gast.AST:
        """The expression that a node stands for, the same one each time."""
        return self.facts.simpler.setdefault(id(node), located_at(made, node))  # type: ignore[return-value]

    def of_array(self, node: Any, nodes: dict[str, gast.AST], operands: dict[str, Abstract], environment: dict
                 ) -> Abstract:
        """``x * [a, b]``, with differentiated values in the list that NumPy makes an array of."""
        if not isinstance(node, gast.BinOp):
            raise self.refusal("arithmetic on a list or tuple of differentiated values is not supported yet",
                               "make an array of it with np.array", nodes["x2"])
        sides = [call(self.given(np.array), side) if isinstance(operands[name], Items) else side
                 for name, side in nodes.items()]
        return self.respelled(node, gast.copy_location(gast.BinOp(sides[0], node.op, sides[1]), node), environment)

    def object_operator(self, node: Any, kind: type, nodes: dict[str, gast.AST], values: list[Abstract],
                        environment: dict) -> Abstract:
        """What the method gives that Python calls for an operator between objects."""
        for call_ in objects.operator_calls(node, kind, nodes, values, self.outer):
            value = self.respelled(node, call_, environment)
            if known_value(value) is not NotImplemented:
                return value
        self.facts.spelled.pop(id(node), None)
        if any(value.active for value in values) and not self.passive_context:
            held = next(objects.kind_of(value) for value in values if objects.has_operator(value, kind))
            raise self.refusal(f"what this operator does with a {held.__name__} is not known",
                               "call a method that does it", node)
        return Opaque()

    def lists(self, node: gast.BinOp, kind: type, environment: dict, *operands: Abstract) -> Abstract | None:
        """``[x] + [y]``, ``[x] * n``, ``params | others``: None where it is something else."""
        if kind in counters.OPERATORS and all(isinstance(value, Items) and value.kind is Counter for value in operands):
            if not any(value.active for value in operands):
                return None
            return self.spelled_call(node, counters.OPERATORS[kind], [node.left, node.right], environment)
        if kind is gast.BitOr:
            merged: dict = {}
            both = [self.merge_dict(merged, side, value) for side, value in zip((node.left, node.right), operands)]
            if not all(isinstance(value, Items) and value.is_dict for value in operands):
                return None
            side, made = next(((part, value.kind) for part, value in zip((node.left, node.right), operands)
                               if not value.is_dict), (node.left, dict))
            if all(both) and made is dict:
                return self.displayed(node, merged)
            if self.facts.simpler.get(id(node)) is None:
                self.facts.simpler[id(node)] = located_at(new_container(
                    made, gast.Dict([None, None], [node.left, node.right]), self.given, copy.deepcopy(side)), node)
            return self.respelled(node, self.facts.simpler[id(node)], environment)
        if kind is gast.Add:
            first, second = operands
            if not (isinstance(first, Items) and isinstance(second, Items) and first.kind is second.kind
                    and first.kind in (list, tuple)):
                return None
            if first.items is None or second.items is None:
                return Items(first.kind, None, join(first.any_item, second.any_item))
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
                if not (count.is_number and count.dtype is not None and count.dtype.kind in "iub"):
                    return None  # a list of floats times an array is an array
                return self.repeated(node, one, environment) if one.active else Items(one.kind, None, one.any_item)
        return None

    def refuse_to_fill(self, node: gast.AST, value: Abstract) -> None:
        """A text is filled with items of a dict: which of them does not show."""
        if isinstance(value, Items) and value.is_default:
            raise self.refusal("this text may ask a defaultdict for what it has not, and so make it",
                               "hand it a dict: dict(d)", node)

    def spelled_call(self, node: gast.AST, function: Any, given: list, environment: dict) -> Abstract:
        """What a function of ours gives that does the same."""
        form = id(node), function
        if form not in self.facts.simpler:
            self.facts.simpler[form] = located_at(call(self.given(function), *given), node)
        return self.respelled(node, self.facts.simpler[form], environment)

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
        """Integer arithmetic on numbers known now (an axis, an exponent), and the sign of other numbers (-np.inf)."""
        values = []
        if kind is gast.USub and type(known_value(operands["x"])) is float:
            return number(-known_value(operands["x"])) if getattr(operands["x"], "kind", None) == "python" else None
        for operand in operands.values():
            value = known_value(operand)
            if type(value) is not int or abs(value) >= 2 ** 31:
                return None
            if getattr(operand, "kind", None) != "python":
                return None  # np.int64(2) is not 2 to an array of float32
            values.append(value)
        if kind in (gast.Pow, gast.MatMult) or kind not in OPERATORS:
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
                if getattr(value, "view", None) != "keys" and not any(
                        isinstance(item, (gast.In, gast.NotIn)) for item in node.ops):
                    self.refuse_view(node, value)
            compared = self.compared(node, values, environment)
            if compared is not None:
                return compared
        if len(node.ops) == 1:
            if isinstance(node.comparators[0], gast.Set):
                values[1] = Items(tuple, tuple(self.passively(item, environment) for item in node.comparators[0].elts))
            folded = self.compare(node.ops[0], *values)
            if folded is None and asks_for_version(node):
                folded = outcome(node, functools.partial(self.passively, environment=environment))
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

    def compared(self, node: gast.Compare, values: list[Abstract], environment: dict) -> Abstract | None:
        """What the method of a user's class gives that a comparison calls, where that is differentiated: no truth."""
        parts = [node.left, *node.comparators]
        for place, kind in enumerate(map(type, node.ops)):
            if kind not in objects.COMPARED:
                continue
            first, second = objects.COMPARED[kind]
            pair, held = parts[place:place + 2], values[place:place + 2]
            for call_ in (*objects.special_calls(node, held[0], first, pair, self.outer),
                          *objects.special_calls(node, held[1], second, pair[::-1], self.outer)):
                given = self.differentiated(call_, environment)
                if given is None:
                    continue
                if self.passive_context:
                    return passive(given)
                if len(node.ops) > 1:
                    raise self.refusal("a comparison of objects gives a differentiated value here, and is one of "
                                       "several", "compare them one by one", node)
                return self.respelled(node, call_, environment)
        return None

    def differentiated(self, node: gast.Call, environment: dict) -> Abstract | None:
        """What a call of a method gives, where that is differentiated, as far as its text tells."""
        context, self.passive_context = self.passive_context, 0
        try:
            value = self.evaluate(node, environment)
            return value if value.active else None
        except (S2SGradError, NeedsName, NeedsValue):
            return None
        finally:
            self.passive_context = context
            for part in walk(node):
                self.facts.calls.pop(id(part), None)

    def compare(self, operator: gast.AST, left: Abstract, right: Abstract) -> bool | None:
        """The outcome of a comparison that is known now: ``mode == "mean"``, ``bias is not None``, ``"w" in name``."""
        of_classes = classes_compared(operator, left, right)
        if of_classes is not None:
            return of_classes
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
        if isinstance(operator, (gast.In, gast.NotIn)):
            there = is_in(left, right)
            return None if there is None else there != negated
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
        self.facts.choices.add(id(node))
        stop = isinstance(node.op, gast.Or)
        result: Abstract = NEVER
        for index, part in enumerate(node.values):
            value = self.calmly(part, self.evaluate(part, environment), objects.TRUTH)
            known = plain_truth(value)
            last = index == len(node.values) - 1
            if known is not MISSING and not last and not isinstance(known, np.ndarray):
                if bool(known) == stop:
                    return join(result, value)
                continue
            result = join(result, value)
        return result

    def of_IfExp(self, node: gast.IfExp, environment: dict) -> Abstract:
        self.facts.choices.add(id(node))
        test = self.test(node.test, environment)
        if test is not MISSING and not isinstance(test, np.ndarray):
            self.facts.taken[id(node)] = bool(test)
            return self.evaluate(node.body if test else node.orelse, environment)
        self.facts.taken.pop(id(node), None)
        return join(self.evaluate(node.body, environment), self.evaluate(node.orelse, environment))


def takes_for_array(*values: Abstract) -> bool:
    """Whether of two operands NumPy has one, and makes an array of the other, a list."""
    for one, other in zip(values, values[::-1]):
        if isinstance(one, Items) and one.has_places and isinstance(other, Numeric):
            real = other.dtype is not None and other.dtype.kind in "fc"
            numpys = other.active and other.kind != "python"
            return numpys or other.kind == "array" or other.kind == "scalar" and real
    return False


def repeats(kind: type, *values: Abstract) -> bool:
    """Whether an operator is that which repeats a list, or complains of a number that is no integer."""
    return kind is gast.Mult and any(map(is_a_number, values))


def inverted(value: Abstract) -> Abstract:
    """What is known of ``~value``."""
    if not isinstance(value, Numeric):
        return value
    known = value.value
    if type(known) in (int, bool):
        return number(~int(known))
    whole = value.kind == "python" and value.dtype is not None and value.dtype.kind in "bi"
    return INTEGER if whole else Numeric(value.kind, value.dtype, value.shape)


def bits_of(kind: type, *values: Abstract) -> Abstract:
    """What is known of ``a << b``, ``a & b`` and their kin."""
    shifts = kind is gast.LShift or kind is gast.RShift
    if not shifts and all(isinstance(value, Numeric) and value.dtype == bool for value in values) and any(
            value.kind == "array" for value in values):  # type: ignore[union-attr]
        shape = broadcast(*(value.shape for value in values))  # type: ignore[union-attr]
        return Numeric("array" if shape else "any", np.dtype(bool), shape)
    if not all(isinstance(value, Numeric) and value.is_number for value in values):
        return passive(ANY)
    if not all(isinstance(value, Numeric) and value.kind == "python" for value in values):
        return Numeric("number", None, ())
    flags = not shifts and all(passive(value).dtype == bool for value in values)  # type: ignore[union-attr]
    return BOOLEAN if flags else INTEGER


def fraction(numerator: gast.AST, denominator: gast.AST) -> Abstract | None:
    """What is known of ``1 / 3`` and ``-1 / 3``; None of a quotient of anything else than integers written out."""
    over, under = written_integer(numerator), written_integer(denominator)
    return number(over / under) if over is not None and under else None


def written_integer(node: gast.AST) -> int | None:
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        positive = written_integer(node.operand)
        return None if positive is None else -positive
    return node.value if isinstance(node, gast.Constant) and type(node.value) is int else None


def size_of(kind: type, *values: Abstract) -> Dim:
    """``n + 1``, ``n - 1`` or ``n - 2`` of a size ``n`` that has a name, and is 2 at least; None of all else: what
    might be negative is no size."""
    if all(getattr(value, "dim", None) is None for value in values) or len(values) != 2:
        return None
    literals, sizes = [], []
    for value, sign in zip(values, (1, 1 if kind is gast.Add else -1)):
        literal = known_value(value)
        if type(literal) is int:
            literals.append(sign * literal)
        elif sign > 0 and isinstance(value, Numeric) and value.kind == "python":
            sizes.append(value.dim)
    found = add_dims((*sizes, *literals)) if len(sizes) == len(literals) == 1 else None
    return found if isinstance(found, str) or isinstance(found, tuple) and found[2] <= 2 else None
