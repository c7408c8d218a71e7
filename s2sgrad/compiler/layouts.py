"""Which arrays are contiguous: ``u.ravel()`` is a view of them, and a copy of others.

What an argument's layout is, its caller knows: a layout is the set of the parameters that must be contiguous for an
array to be so, None where that is not known.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable

import gast
import numpy as np

from s2sgrad.compiler.facts import Facts, Version, is_array, is_folded
from s2sgrad.compiler.indexing import BASIC
from s2sgrad.rules.abstract import Items, Numeric, is_a_number, known_value
from s2sgrad.rules.table import METHODS

MAKERS = (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.arange, np.linspace)
ALIKE = {np.array: "object", np.zeros_like: "a", np.ones_like: "a", np.empty_like: "a", np.full_like: "a"}
"""Functions whose results have the layout of an argument."""
ROW_BY_ROW = (np.outer, np.matmul, operator.matmul, np.dot, np.kron, np.diag, np.diagflat, np.repeat, np.tile,
              np.linalg.inv, np.linalg.solve, np.linalg.cholesky)
"""Functions that lay out a matrix row by row, whatever the layout of what it is made of."""
JOINING = (np.concatenate, np.stack, np.vstack, np.hstack)
ALWAYS: frozenset[str] = frozenset()


def flattened(node: gast.Call, facts: Facts, environment: dict[str, Version]) -> frozenset[str] | None:
    """Of a call that makes a vector of an array, the layout that makes it a view; None of every other, and where it is
    one of any layout."""
    applied = facts.applied.get(id(node))
    if applied is None or applied.operation.rule.name not in ("ravel", "reshape") or is_folded(applied) \
            or applied.operation.if_known("order") != "C":
        return None
    value = applied.operation.result
    if not isinstance(value, Numeric) or value.rank != 1:
        return None
    return layout(applied.nodes["a"], facts, environment)


def layout(node: gast.AST, facts: Facts, environment: dict[str, Version]) -> frozenset[str] | None:
    """The layout of the array that an expression gives."""
    value = facts.values.get(id(node))
    if not isinstance(value, Numeric) or value.kind != "array":
        return None
    if isinstance(node, gast.Name):
        return layout_of(environment[node.id], set()) if node.id in environment else None
    if isinstance(node, gast.Subscript):
        return layout(node.value, facts, environment) if is_block(node, facts) else None
    if isinstance(node, gast.Compare):
        return of_arrays((node.left, *node.comparators), facts, environment)
    applied = facts.applied.get(id(node))
    if applied is None:
        return None
    operation = applied.operation
    function = operation.rule.function
    order = operation.if_known("order") if "order" in operation.operands else "C"
    if function is np.copy or operation.rule is METHODS["copy"]:
        return ALWAYS if order == "C" else layout(applied.nodes["a"], facts, environment) if order == "K" else None
    if order != "C":
        return None
    if function in MAKERS or operation.rule is METHODS["flatten"] or (
            function is np.array and "order" in operation.operands):
        return ALWAYS
    if function in ROW_BY_ROW and value.rank == 2:
        return ALWAYS
    if function in JOINING and value.rank != 1:
        parts = next(iter(applied.nodes.values()))
        return of_arrays(parts.elts, facts, environment) if isinstance(parts, (gast.List, gast.Tuple)) else None
    if operation.rule.name in ("ravel", "reshape"):
        return layout(applied.nodes["a"], facts, environment)
    if function in ALIKE:
        given = applied.nodes[ALIKE[function]]
        if isinstance(facts.values.get(id(given)), Items):
            return ALWAYS
        return layout(given, facts, environment)
    if not (is_ufunc(function) or function is np.where or function in JOINING):
        return None
    return ALWAYS if value.rank == 1 else of_arrays(applied.nodes.values(), facts, environment)


def of_arrays(nodes: Iterable[gast.AST], facts: Facts, environment: dict[str, Version]) -> frozenset[str] | None:
    """The layout of what goes from element to element of some arrays, and of numbers."""
    return together([layout(node, facts, environment) for node in nodes if not is_a_number(facts.values.get(id(node)))])


def is_ufunc(function: object) -> bool:
    """Whether a function is a ufunc, or an operator that is one on arrays, which goes from element to element."""
    if isinstance(function, np.ufunc):
        return function.signature is None
    label = getattr(function, "__name__", "")
    return getattr(operator, label, None) is function and function is not operator.matmul


def is_block(node: gast.Subscript, facts: Facts) -> bool:
    """Whether an index takes neighbouring elements of an array: integers, then at most one slice, of every element."""
    parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
    if not parts:  # x[()]
        return False
    *first, last = parts
    sliced = isinstance(last, gast.Slice) and (last.step is None or known_value(facts.value(last.step)) == 1)
    return facts.index_kinds.get(id(node)) == BASIC and all(
        is_a_number(facts.values.get(id(part))) for part in first) and (
        sliced or is_a_number(facts.values.get(id(last))))


def layout_of(version: Version, seen: set[Version]) -> frozenset[str] | None:
    """The layout of the array that a name stands for."""
    if version in seen:
        return ALWAYS
    seen.add(version)
    if not is_array(version):
        return None
    if version.origin == "parameter":
        return frozenset([version.name])
    if version.sources:
        return together([layout_of(source, seen) for source in version.sources])
    return version.layout


def together(layouts: list[frozenset[str] | None]) -> frozenset[str] | None:
    """The layout of what all of these decide."""
    return None if None in layouts else ALWAYS.union(*(found for found in layouts if found is not None))
