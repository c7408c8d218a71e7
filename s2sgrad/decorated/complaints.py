"""What PyTorch says where NumPy raises: the operation that failed in a primal is called again, eagerly."""
from __future__ import annotations

import ast
import functools
import linecache
import os
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from s2sgrad.decorated.tracing import is_own
from s2sgrad.extending import stop_gradient
from s2sgrad.shim import linalg
from s2sgrad.shim.names import FUNCTIONS
from s2sgrad.shim.operations import translated_error
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor
from s2sgrad.shim.versions import GENERATED, PACKAGE

NUMPY = os.path.dirname(np.__file__) + os.sep
RENAMED = {"concatenate": "cat", "dot": "matmul"}
OPERATORS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.Mod: "mod", ast.FloorDiv: "floordiv", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq",
    ast.NotEq: "ne"}


COMPLAINED = ValueError, IndexError, np.linalg.LinAlgError
"""What NumPy raises and eager tensors do not."""


def complain(error: Exception) -> None:
    """Raise what eager tensors raise in place of NumPy's exception, if it is NumPy's."""
    found = complaint(error)
    if found is not None:
        raise found from error


def complaint(error: Exception) -> Exception | None:
    """The exception that eager tensors raise in place of NumPy's; None where it isn't NumPy that raised."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    while frames and frames[-1][0].f_code.co_filename.startswith((NUMPY, PACKAGE, "<__array_function__")):
        frames.pop()
    if not frames:
        return None
    frame, line = frames[-1]
    if not frame.f_code.co_filename.startswith(GENERATED):
        return None
    statement = parsed(linecache.getline(frame.f_code.co_filename, line).strip())
    if statement is None or isinstance(statement, (ast.Raise, ast.Assert)):
        return None
    recording, state.now.recording = state.now.recording, False
    try:
        for attempt in attempts(statement, frame):
            try:
                attempt()
            except (TypeError, AttributeError):  # not what eager tensors have
                continue
            except Exception as found:
                return found
    finally:
        state.now.recording = recording
    return translated_error(error)


def parsed(line: str) -> ast.stmt | None:
    """A line of a text; of a compound statement its head."""
    for text in (line, f"{line} pass", f"if True: pass\n{line} pass"):
        try:
            return ast.parse(text).body[-1]
        except SyntaxError:
            continue
    return None


def attempts(statement: ast.stmt, frame: types.FrameType) -> Iterator[Callable[[], Any]]:
    """The operations in a statement, innermost first, as calls of what eager tensors have."""
    for node in innermost_first(statement):
        parts = operands(node)
        if parts is None or not all(is_plain(part, frame) for part in parts[1]):
            continue
        name, nodes, keywords = parts
        try:
            values = [evaluated(part, frame) for part in nodes]
            named = {label: evaluated(part, frame) for label, part in keywords.items()}
        except Exception:  # what is not an operation of arrays
            continue
        if any(isinstance(item, Tensor) for value in values for item in (value if type(value) is list else [value])):
            yield functools.partial(called, name, values, named)


def called(name: str, values: list, named: dict[str, Any]) -> Any:
    function = getattr(values[0], name, None) if isinstance(values[0], Tensor) else None
    if function is not None:
        return function(*values[1:], **named)
    function = FUNCTIONS.get(name) or getattr(linalg, name, None)
    return None if function is None else function(*values, **named)


def innermost_first(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield from innermost_first(child)
    yield node


def operands(node: ast.AST) -> tuple[str, list, dict[str, ast.expr]] | None:
    """The name that an operation has for tensors, its operands, and its keywords."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return f"__{OPERATORS[type(node.op)]}__", [node.left, node.right], {}
    if isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        return f"__{OPERATORS[type(node.op)]}__", [node.target, node.value], {}
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
        return f"__{OPERATORS[type(node.ops[0])]}__", [node.left, *node.comparators], {}
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        return "__bool__", [node.test], {}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "__bool__", [node.operand], {}
    if isinstance(node, ast.Subscript):
        return "__getitem__", [node.value, node.slice], {}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        keywords = {item.arg: item.value for item in node.keywords if item.arg is not None}
        outside = isinstance(node.func.value, (ast.Name, ast.Attribute)) and ast.unparse(node.func.value).startswith(
            ("np", "numpy"))
        name = RENAMED.get(node.func.attr, node.func.attr)
        return name, [*node.args] if outside else [node.func.value, *node.args], keywords
    return None


def is_plain(node: ast.AST, frame: types.FrameType) -> bool:
    """Whether an expression may be evaluated a second time: it calls nothing but methods, and functions of NumPy's and
    of this package."""
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    found = {**frame.f_globals, **frame.f_locals}
    known = [found.get(func.id) if isinstance(func, ast.Name) else func for func in calls]
    return all(isinstance(func, ast.Attribute) or func is stop_gradient or is_own(func) for func in known) \
        and not any(isinstance(part, (ast.NamedExpr, ast.Yield, ast.Await, ast.Lambda)) for part in ast.walk(node))


def evaluated(node: ast.expr, frame: types.FrameType) -> Any:
    """An operand: an array as a tensor."""
    expression = ast.fix_missing_locations(ast.Expression(loaded(node)))
    value = eval(compile(expression, GENERATED + "operand>", "eval"), frame.f_globals, frame.f_locals)
    return as_tensors(value)


def loaded(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def as_tensors(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return new_tensor(np.asarray(value))
    return type(value)(map(as_tensors, value)) if type(value) in (tuple, list) else value
