"""Adjoints run again, dividing as NumPy does, where Python's division by zero ended them.

``x[0] / n`` is a number of NumPy's, infinite where n is 0, with a warning. Its adjoint divides a cotangent by n, and
cotangents are Python's numbers where it is shorter to write and faster to run so; these raise ZeroDivisionError. The
primal ended well, so the adjoint has to. That is rare, so the adjoint that runs first is written for all other cases.
The same goes for powers that are too large for Python's numbers, as that in the slope of ``math.atan(1e200)``.
"""
from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.origins import explain
from s2sgrad.derivative import Derivative, PathTable, Unwritten
from s2sgrad.entries import is_generated
from s2sgrad.given import Given

OF_PYTHON = (ZeroDivisionError, OverflowError)
"""What Python's numbers raise where NumPy's become infinite."""


def divided(error: ArithmeticError, derivative: Derivative, adjoint: Callable, saved: Any, *seeds: Any) -> Any:
    """What an adjoint gives that raised an error; raises it where the division is the user's own, or where the adjoint
    has changed something by then."""
    session = derivative.session
    if not raised_by_generated(error) or session.large or any(
            isinstance(other, Given) for other in session.done.values()):
        explain(error)
        raise error
    return dividing(adjoint)(saved, *seeds)


def raised_by_generated(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and is_generated(trace.tb_frame.f_code)


class Dividing(dict):
    """The adjoints of a table that divide as NumPy does."""

    def __init__(self, table: PathTable):
        super().__init__()
        self.table = table

    def __missing__(self, path: int) -> Callable:
        found = self[path] = dividing(self.table[path])
        return found


def dividing(function: Callable) -> Callable:
    """A generated function that divides as NumPy does, and so do those that it calls; what is not generated runs in it
    as it is."""
    if not isinstance(function, types.FunctionType):
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    values = {label: instead_of(cell.cell_contents) for label, cell in cells.items() if has_value(cell)}
    if not is_generated(function.__code__):
        closure = tuple(types.CellType(values[label]) if label in values else cell for label, cell in cells.items())
        return types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                                  closure)
    tree = ast.parse("".join(linecache.getlines(function.__code__.co_filename)))
    names = Names({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {*cells})
    helpers = {helper.__name__: names.fresh(helper.__name__) for helper in (quotient, power, quotient_in_place)}
    values.update((helpers[helper.__name__], helper) for helper in (quotient, power, quotient_in_place))
    definition = _Divisions(helpers).visit(tree.body[0])
    header = ast.arguments([], [ast.arg(label) for label in values], None, [], [], None, [])
    outside = ast.FunctionDef("outside", header, [definition, ast.Return(ast.Name(definition.name, ast.Load()))], [])
    module = ast.fix_missing_locations(ast.Module([outside], []))
    local: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec", dont_inherit=True), function.__globals__, local)
    made: types.FunctionType = local["outside"](*values.values())
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


def instead_of(value: Any) -> Any:
    if isinstance(value, PathTable):
        return Dividing(value)
    if isinstance(value, Unwritten):
        return Later(lambda: value.table[0])
    return Later(lambda: value) if isinstance(value, types.FunctionType) and is_generated(value.__code__) else value


class Later:
    """A generated function that divides as NumPy does, made when it is first called: it may call itself."""

    def __init__(self, find: Callable[[], Callable]):
        self.find = find

    @functools.cached_property
    def made(self) -> Callable:
        return dividing(self.find())

    def __call__(self, *arguments: Any) -> Any:
        return self.made(*arguments)


def has_value(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


class _Divisions(ast.NodeTransformer):
    """Puts calls in the place of divisions and powers."""

    def __init__(self, helpers: dict[str, str]):
        self.helpers = helpers

    def call(self, helper: Callable, *operands: ast.AST) -> ast.Call:
        return ast.Call(ast.Name(self.helpers[helper.__name__], ast.Load()), list(operands), [])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Div, ast.Pow)):
            helper = quotient if isinstance(node.op, ast.Div) else power
            return ast.copy_location(self.call(helper, node.left, node.right), node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and isinstance(node.target, ast.Name):
            value = self.call(quotient_in_place, ast.Name(node.target.id, ast.Load()), node.value)
            return ast.copy_location(ast.Assign([node.target], value), node)
        return node


def quotient(a: Any, b: Any) -> Any:
    try:
        return a / b
    except OF_PYTHON:
        return np.divide(a, b)


def quotient_in_place(a: Any, b: Any) -> Any:
    try:
        a /= b
    except OF_PYTHON:
        a = np.divide(a, b)
    return a


def power(a: Any, b: Any) -> Any:
    try:
        return a ** b
    except OF_PYTHON:
        return np.power(a + 0.0, b)
