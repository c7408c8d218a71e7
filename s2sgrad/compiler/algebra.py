"""Expressions put together from formulas: substitution, and the simplifications that a person would make unasked."""
from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable

import gast
import numpy as np

from s2sgrad.compiler.nodes import PARTS, binary, constant, names_in, node_of, tuple_of
from s2sgrad.compiler.trees import to_gast
from s2sgrad.rules.abstract import goes_round

ROW = constant(None)
COLUMN = tuple_of([gast.Slice(None, None, None), ROW])
"""The indices that make a row and a column of a vector."""


SIMPLER = {gast.BinOp, gast.UnaryOp, gast.Subscript}
"""What may be written in a simpler way."""
ARITHMETIC = {gast.BinOp, gast.UnaryOp, gast.Constant}
"""What makes an operator simpler, being one of its operands."""


@functools.lru_cache(maxsize=4096)
def template(text: str) -> tuple[tuple[tuple[str, gast.AST, str], ...], gast.AST]:
    """A formula's text taken apart: its steps, as name, expression and text of both, and its last expression."""
    body = to_gast(ast.parse("\n".join(part.strip() for part in text.split(";"))).body)
    steps = tuple((step.targets[0].id, step.value, f"{step.targets[0].id} = {gast.dump(step.value)}")
                  for step in body[:-1])
    return steps, body[-1].value


def mentions(node: gast.AST, identifier: str) -> int:
    """How often an expression mentions a name."""
    if isinstance(node, gast.Name):
        return node.id == identifier
    return names_in(node).count(identifier)


def mentions_only(node: gast.AST, identifier: str) -> bool:
    """Whether an expression is this name."""
    return isinstance(node, gast.Name) and node.id == identifier


def is_number(node: gast.AST, value: object = None) -> bool:
    if not isinstance(node, gast.Constant) or type(node.value) not in (int, float):
        return False
    return value is None or node.value == value


def is_zero(node: gast.AST) -> bool:
    """Whether an expression is 0 or a product with it, as the derivative of ``0 * x`` is."""
    kind = type(node)
    if kind is gast.BinOp:
        return type(node.op) is gast.Mult and (is_zero(node.left) or is_zero(node.right))
    if kind is gast.UnaryOp:
        return type(node.op) is gast.USub and is_zero(node.operand)
    return kind is gast.Constant and is_number(node, 0)


def literal(node: object) -> int | None:
    """The whole number that is written out, maybe with a sign."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        number = literal(node.operand)
        return None if number is None else -number
    return node.value if isinstance(node, gast.Constant) and type(node.value) is int else None


def substitute(node: gast.AST, resolve: Callable[[gast.AST], gast.AST | None], plainly: bool = False) -> gast.AST:
    """A copy of an expression with the parts that ``resolve`` knows replaced, simplified where that makes 1s; or
    ``plainly`` replaced, in a line that is written already: its 1s may make floats of integers."""
    kind = type(node)
    if kind is gast.Constant:
        return node
    replacement = resolve(node)
    if replacement is not None:
        return replacement
    if kind is gast.BinOp:  # as most are
        copy = binary(substitute(node.left, resolve, plainly), node.op, substitute(node.right, resolve, plainly))
        return copy if plainly else simplify(copy)
    inner, parts = PARTS[kind], []
    for field in kind._fields:
        value = getattr(node, field, None)
        if field in inner:
            if type(value) is list:
                value = [substitute(item, resolve, plainly) if isinstance(item, gast.AST) else item for item in value]
            elif isinstance(value, gast.AST):
                value = substitute(value, resolve, plainly)
        parts.append(value)
    copy = node_of(kind, *parts)
    return simplify(copy) if kind in SIMPLER and not plainly else copy


def simplify(node: gast.AST) -> gast.AST:
    """``1 * x`` and ``--x`` are x, ``-1 * x`` is -x; products and signs of literals are computed, and moved out of an
    index, where they may meet others."""
    kind = type(node)
    if kind is gast.BinOp and type(node.left) not in ARITHMETIC and type(node.right) not in ARITHMETIC:
        return node
    if kind is gast.UnaryOp and isinstance(node.op, gast.USub):
        if isinstance(node.operand, gast.UnaryOp) and isinstance(node.operand.op, gast.USub):
            return node.operand.operand
        if is_number(node.operand):
            return constant(-node.operand.value)
        if isinstance(node.operand, gast.BinOp) and isinstance(node.operand.op, (gast.Mult, gast.Div)):
            inner = node.operand
            return gast.BinOp(simplify(gast.UnaryOp(gast.USub(), inner.left)), inner.op, inner.right)
    if kind is gast.Subscript:
        inner = node.value
        if isinstance(inner, gast.UnaryOp) and isinstance(inner.op, gast.USub):
            return gast.UnaryOp(inner.op, gast.Subscript(inner.operand, node.slice, node.ctx))
        if isinstance(inner, gast.BinOp) and isinstance(inner.op, gast.Mult):
            if is_number(inner.right):
                return gast.BinOp(simplify(gast.Subscript(inner.left, node.slice, node.ctx)), inner.op, inner.right)
            if is_number(inner.left):
                return gast.BinOp(inner.left, inner.op, simplify(gast.Subscript(inner.right, node.slice, node.ctx)))
    if kind is not gast.BinOp:
        return node
    if isinstance(node.op, gast.Mult):
        left, right = node.left, node.right
        if is_number(right) and isinstance(left, gast.BinOp) and isinstance(left.op, gast.Mult) \
                and is_number(left.right):
            return simplify(gast.BinOp(left.left, gast.Mult(), constant(left.right.value * right.value)))
        if is_number(right) and type(right.value) is float and isinstance(left, gast.BinOp) \
                and isinstance(left.op, gast.Mult) and is_number(left.left, 1):
            return gast.BinOp(right, gast.Mult(), left.right)  # 1.0 * n * 2.0
        for one, other in ((left, right), (right, left)):
            if is_number(one) and isinstance(other, gast.BinOp) and isinstance(other.op, gast.Mult) and is_number(
                    other.left) and is_a_power_of_two(one.value, other.left.value):  # 2.0 * x * 3.0: no digit is lost
                factor = one.value * other.left.value  # if 1.0, it makes a float of an integer
                return gast.BinOp(constant(factor), gast.Mult(), other.right)
        if is_number(right) and isinstance(left, gast.BinOp) and isinstance(left.op, gast.Div) and is_number(left.left):
            return gast.BinOp(constant(left.left.value * right.value), gast.Div(), left.right)  # 1 / n * 2
        if isinstance(right, gast.UnaryOp) and isinstance(right.op, gast.USub):
            minus = factors_out_minus(left)
            if minus is not None:
                return simplify(gast.BinOp(minus, gast.Mult(), right.operand))
        if is_number(left) and is_number(right):
            return constant(left.value * right.value)
        for one, other in ((left, right), (right, left)):
            if is_number(one, 1):
                return other
            if is_number(one, -1):
                return simplify(gast.UnaryOp(gast.USub(), other))
        if isinstance(right, gast.BinOp) and isinstance(right.op, gast.Div) and is_number(right.left, 1):
            return gast.BinOp(left, gast.Div(), right.right)  # a * (1 / b)
    if isinstance(node.op, gast.MatMult) and isinstance(node.right, gast.UnaryOp) and isinstance(
            node.right.op, gast.USub):
        minus = factors_out_minus(node.left)
        if minus is not None:
            return gast.BinOp(minus, node.op, node.right.operand)
    if isinstance(node.op, (gast.Pow, gast.Div)) and is_number(node.right, 1):
        return node.left
    if isinstance(node.op, gast.Div) and is_number(node.left) and is_number(node.right) \
            and is_a_power_of_two(node.right.value):
        return constant(node.left.value / node.right.value)
    if isinstance(node.op, (gast.Mult, gast.Div)) and is_number(node.right) and isinstance(node.left, gast.BinOp):
        return scaled_once(node.left, node) or node
    return node


def scaled_once(inner: gast.BinOp, node: gast.BinOp) -> gast.AST | None:
    """One literal for two, of which one is a power of two so that no digit is lost: ``0.5 * x`` for ``x / 4 * 2.0``,
    ``1.0 * x`` for ``x / 2 * 2.0`` (x may be an integer), ``x / s`` for ``x / (2.0 * s) * 2.0``."""
    last, divides = node.right.value, isinstance(node.op, gast.Div)
    if isinstance(inner.op, gast.Div) and is_number(inner.right):
        first = inner.right.value
        if not divides:
            return ratio_of(inner.left, last, first)
        return gast.BinOp(inner.left, inner.op, constant(first * last)) if is_a_power_of_two(first, last) else None
    if isinstance(inner.op, gast.Mult) and divides:
        if is_number(inner.left):
            return ratio_of(inner.right, inner.left.value, last)
        return ratio_of(inner.left, inner.right.value, last) if is_number(inner.right) else None
    divisor = inner.right
    if not divides and isinstance(inner.op, gast.Div) and isinstance(divisor, gast.BinOp) and isinstance(
            divisor.op, gast.Mult) and is_number(divisor.left):
        first = divisor.left.value
        if last in (first, -first) and is_a_power_of_two(first):
            left = inner.left if last == first else simplify(gast.UnaryOp(gast.USub(), inner.left))
            return gast.BinOp(left, inner.op, divisor.right)
        if is_a_power_of_two(last):
            return gast.BinOp(inner.left, inner.op, gast.BinOp(constant(first / last), divisor.op, divisor.right))
    return None


def ratio_of(node: gast.AST, factor: float, divisor: float) -> gast.AST | None:
    """``node * factor / divisor`` with one literal; None where that would round otherwise."""
    if is_a_power_of_two(divisor):
        return gast.BinOp(constant(factor / divisor), gast.Mult(), node)
    return gast.BinOp(node, gast.Div(), constant(divisor / factor)) if is_a_power_of_two(factor) else None


def without_ones(node: gast.AST, known: Callable[[gast.AST], tuple]) -> gast.AST:
    """``x`` for ``1.0 * x`` where x is a float anyway, or whole and divided; ``y / x`` for ``1.0 / x * y``, and with a
    minus sign before the one that has fewer elements; ``y`` for ``y / x * x``. ``known``: dtype and shape of an
    expression."""
    if not isinstance(node, gast.BinOp) or type(node.left) not in ARITHMETIC or not isinstance(
            node.op, (gast.Mult, gast.Div)):
        return node
    left, divides = node.left, isinstance(node.op, gast.Div)
    if is_one(left) and not divides:
        return without_one(node, known, "fc")
    if not divides and undoes(left, node.right):
        dtype, shape = known(node)
        if dtype is not None and shape is not None and None not in shape and known(left.left) == (dtype, shape):
            return left.left
    if isinstance(left, gast.BinOp) and is_one(left.left):
        if divides and isinstance(left.op, gast.Mult):
            left = without_one(left, known, "fci")
        elif not divides and isinstance(left.op, gast.Div):
            sign, below, above = left.left.value, known(left.right), known(node.right)
            if sign > 0 or has_negatives(above[0]) and not (below[1] == () != above[1]):
                return gast.BinOp(signed(node.right, sign), left.op, left.right)
            return gast.BinOp(node.right, left.op, signed(left.right, sign)) if has_negatives(below[0]) else node
    left = without_ones(left, known)
    return node if left is node.left else gast.BinOp(left, node.op, node.right)


def undoes(quotient: gast.AST, factor: gast.AST) -> bool:
    """Whether a quotient is multiplied by what it is divided by, which has a name."""
    return isinstance(quotient, gast.BinOp) and isinstance(quotient.op, gast.Div) and isinstance(
        quotient.right, gast.Name) and isinstance(factor, gast.Name) and quotient.right.id == factor.id


def without_one(node: gast.BinOp, known: Callable[[gast.AST], tuple], kinds: str) -> gast.AST:
    """``x`` for ``1.0 * x``, ``-x`` for ``-1.0 * x``, if x has a dtype of these kinds."""
    dtype, _ = known(node.right)
    return signed(node.right, node.left.value) if has_negatives(dtype) and dtype.kind in kinds else node


def has_negatives(dtype: np.dtype | None) -> bool:
    """Whether ``-x`` of an array of this dtype is known to be what it is of floats."""
    return dtype is not None and not goes_round(dtype)


def signed(node: gast.AST, sign: float) -> gast.AST:
    return node if sign > 0 else simplify(gast.UnaryOp(gast.USub(), node))


def is_one(node: gast.AST) -> bool:
    return is_number(node, 1) or is_number(node, -1)


def is_a_power_of_two(*values: float) -> bool:
    """Whether one of some numbers is, or one part of it."""
    return any(value and abs(math.frexp(value)[0]) == 0.5 for value in values)


def summed(node: gast.AST, total: Callable[[gast.AST], gast.AST]) -> gast.AST:
    """``total(node)`` for a linear ``total``: the minus sign of ``-x`` moves to the sum, which has fewer elements."""
    minus = factors_out_minus(node)
    return total(node) if minus is None else gast.UnaryOp(gast.USub(), total(minus))


def without_axes(node: gast.AST, axes: tuple[int, ...], rank: int,
                 dropped: Callable[[gast.AST], gast.AST | None]) -> gast.AST | None:
    """``np.sum(x, axis=1)`` for ``np.sum(x, axis=1, keepdims=True)[:, 0]``, also behind a minus sign and with factors
    that are known without these axes (``dropped``); else None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = without_axes(node.operand, axes, rank, dropped)
        return None if inner is None else gast.UnaryOp(node.op, inner)
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        inner = without_axes(node.left, axes, rank, dropped)
        factor = None if inner is None else dropped(node.right)
        return None if factor is None else gast.BinOp(inner, node.op, factor)
    if not (isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "sum"):
        return None
    keywords = {item.arg: item.value for item in node.keywords}
    if set(keywords) != {"axis", "keepdims"}:
        return None
    along = keywords["axis"].elts if isinstance(keywords["axis"], gast.Tuple) else [keywords["axis"]]
    if not all(isinstance(item, gast.Constant) for item in (keywords["keepdims"], *along)):
        return None
    if keywords["keepdims"].value is not True or {*axes} != {item.value % rank for item in along}:
        return None
    return gast.Call(node.func, node.args, [item for item in node.keywords if item.arg == "axis"])


def add(left: gast.AST, right: gast.AST) -> gast.AST:
    """The sum; a literal factor that both have is taken out."""
    if is_number(left) and is_number(right):
        return constant(left.value + right.value)
    together = added_once(left, right)
    if together is not None:
        return together
    (first, rest), (second, other) = literal_factor(left), literal_factor(right)
    if rest is not None and other is not None and abs(first) == abs(second) != 1:
        total = gast.BinOp(rest, gast.Add() if first == second else gast.Sub(), other)
        return gast.BinOp(constant(first), gast.Mult(), total)
    minus = factors_out_minus(right)
    if minus is None and (less := factors_out_minus(left)) is not None:
        return gast.BinOp(right, gast.Sub(), less)
    operator, right = (gast.Add(), right) if minus is None else (gast.Sub(), minus)
    if have_one_divisor(left, right):
        return gast.BinOp(gast.BinOp(left.left, operator, right.left), left.op, left.right)
    if have_one_factor(left, right):
        total = add(left.left, right.left if minus is None else simplify(gast.UnaryOp(gast.USub(), right.left)))
        return gast.BinOp(total, left.op, left.right)
    return gast.BinOp(left, operator, right)


def added_once(left: gast.AST, right: gast.AST) -> gast.AST | None:
    """``2 * a * b`` for ``a * b + a * b``, ``4 * x`` for ``2 * x + 2 * x``, ``1.0 * x`` for ``0.5 * x + x * 0.5`` (x
    may be an integer); None of what is not the same but for literals of which no digit is lost."""
    if same(left, right):
        return twice(left)
    (first, rest), (second, other) = literal_factor(left), literal_factor(right)
    total = first + second
    exact = first == second or all(float(factor).is_integer() for factor in (first, second))
    if rest is None or other is None or not total or not exact or not same(rest, other):
        return None
    return rest if total == 1 and type(total) is int else gast.BinOp(constant(total), gast.Mult(), rest)


def have_one_divisor(left: gast.AST, right: gast.AST) -> bool:
    """Whether two expressions are quotients with the same divisor: one division is enough for their sum."""
    return all(isinstance(node, gast.BinOp) and isinstance(node.op, gast.Div) for node in (left, right)) and same(
        left.right, right.right)


def have_one_factor(left: gast.AST, right: gast.AST) -> bool:
    """Whether two expressions are products of several parts with the same last factor: one product is enough then."""
    return all(isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult) and isinstance(node.left, gast.BinOp)
               and isinstance(node.left.op, (gast.Mult, gast.Div)) for node in (left, right)) \
        and isinstance(left.right, gast.Name) and same(left.right, right.right)


def literal_factor(node: gast.AST) -> tuple[float, gast.AST | None]:
    """``2.0`` and ``a * b`` for ``a * 2.0 * b``; ``-1`` for a minus sign, 1 where there is nothing to take out."""
    if is_number(node):
        return node.value, None
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        factor, rest = literal_factor(node.operand)
        return -factor, rest
    if not (isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult)):
        return 1, node
    (first, left), (second, right) = literal_factor(node.left), literal_factor(node.right)
    if left is None or right is None:
        return first * second, right if left is None else left
    return first * second, node if first * second == 1 else gast.BinOp(left, node.op, right)


def same(left: object, right: object) -> bool:
    """Whether two expressions are written alike."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, gast.AST):
        return all(same(getattr(left, field, None), getattr(right, field, None)) for field in left._fields)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def twice(node: gast.AST) -> gast.AST:
    """``2 * a * b`` for ``a * b + a * b``."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        if is_number(node.right) and isinstance(node.op, gast.Mult) and not is_number(node.left):
            return gast.BinOp(constant(2 * node.right.value), node.op, node.left)
        return gast.BinOp(twice(node.left), node.op, node.right)
    if is_number(node):
        return constant(2 * node.value)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return gast.BinOp(constant(-2), gast.Mult(), node.operand)
    return gast.BinOp(constant(2), gast.Mult(), node)


def is_trivial(node: gast.AST) -> bool:
    """Whether an expression may be written twice: a name or a literal."""
    return isinstance(node, (gast.Name, gast.Constant))


def outer_factors(node: gast.AST) -> tuple[gast.AST, gast.AST] | None:
    """The vectors of which an expression is the outer product, as formulas spell it: ``np.outer(a, b)`` and
    ``a[:, None].dot(b[None])``."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute) or node.keywords:
        return None
    if node.func.attr == "outer" and len(node.args) == 2:
        return node.args[0], node.args[1]
    column, row = node.func.value, node.args[-1] if node.args else None
    if node.func.attr == "dot" and isinstance(column, gast.Subscript) and isinstance(row, gast.Subscript) \
            and same(column.slice, COLUMN) and same(row.slice, ROW):
        return column.value, row.value
    return None


def sign_and_rest(node: gast.AST) -> tuple[gast.operator, gast.AST]:
    """The operator by which an expression is added to another, and what is behind that: ``-`` and ``x`` of ``-x``."""
    minus = factors_out_minus(node)
    return (gast.Add(), node) if minus is None else (gast.Sub(), minus)


def factors_out_minus(node: gast.AST) -> gast.AST | None:
    """``x`` where the expression is ``-x`` or a product or quotient that starts with a minus sign, ``x + y`` where it
    is ``-x - y``."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return node.operand
    if is_number(node) and node.value < 0:
        return constant(-node.value)
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div, gast.MatMult)):
        left = factors_out_minus(node.left)
        if left is not None:
            return gast.BinOp(left, node.op, node.right)
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Sub):
        left = factors_out_minus(node.left)
        return None if left is None else gast.BinOp(left, gast.Add(), node.right)
    return None


def unsigned(node: gast.AST) -> gast.AST:
    """The expression without the minus sign that it starts with."""
    minus = factors_out_minus(node)
    return node if minus is None else minus
