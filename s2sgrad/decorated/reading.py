"""What the text of an adjoint tells: which cotangents it reads, and which of those it returns depend on them."""
from __future__ import annotations

import ast
import functools


@functools.lru_cache(maxsize=4096)
def seeds_read(text: str) -> tuple[bool, ...]:
    """For each cotangent that an adjoint takes, whether it reads it."""
    function = parsed(text)
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return tuple(argument.arg in read for argument in function.args.args[1:])


@functools.lru_cache(maxsize=4096)
def connected(text: str, given: tuple[bool, ...]) -> tuple[bool, ...]:
    """For each cotangent that an adjoint returns, whether any leads there of those that are given."""
    function = parsed(text)
    reads: dict[str, set[str]] = {}
    result: ast.expr = ast.Tuple([], ast.Load())
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            result = node.value
        for targets, value in bindings(node):
            for label in {label for target in targets for label in names(target)}:
                reads.setdefault(label, set()).update(names(value))
    seeds = {argument.arg for argument, is_given in zip(function.args.args[1:], given) if is_given}
    parts = result.elts if isinstance(result, ast.Tuple) else [result]
    return tuple(not seeds.isdisjoint(closed(names(part), reads)) for part in parts)


def parsed(text: str) -> ast.FunctionDef:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def bindings(node: ast.AST) -> list[tuple[list[ast.expr], ast.expr]]:
    """What a statement binds or writes into, and of what."""
    if isinstance(node, ast.Assign):
        return [(node.targets, node.value)]
    if isinstance(node, ast.AugAssign):
        return [([node.target], node.value)]
    if isinstance(node, ast.For):
        return [([node.target], node.iter)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # np.add.at(x_bar, index, value)
        call = node.value
        held = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        return [([*held, *call.args], ast.Tuple(call.args, ast.Load()))]
    return []


def names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def closed(labels: set[str], reads: dict[str, set[str]]) -> set[str]:
    """The names, and those that what they stand for is made of."""
    found: set[str] = set()
    waiting = list(labels)
    while waiting:
        label = waiting.pop()
        if label not in found:
            found.add(label)
            waiting += reads.get(label, ())
    return found
