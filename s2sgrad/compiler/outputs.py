"""Calls of NumPy's functions that write what they give into an array that they get: ``np.add(a, b, out=u)``."""
from __future__ import annotations

import types
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.defaults import by_name
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.nodes import holder

FILLING = frozenset({
    np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.amax, np.amin, np.cumsum, np.cumprod, np.clip,
    np.round, np.around, np.dot, np.einsum, np.outer, np.take, np.add.accumulate, np.multiply.accumulate, np.add.reduce,
    np.multiply.reduce, np.maximum.reduce, np.minimum.reduce, np.trace, np.nansum, np.nanprod, np.nanmean,
    np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.nancumsum, np.nancumprod,
})
"""Besides ufuncs, the functions that give the same whether or not what they write into is one of their arguments."""


def called(node: gast.Call, function: types.FunctionType, local: set[str]) -> Any:
    """The function of NumPy's that a call may write the result of into an array; None for every other."""
    if holder(node.func) in local:
        return None
    found = held(node.func, function)
    try:
        known = isinstance(found, np.ufunc) and found.nout == 1 or found in FILLING
    except TypeError:
        return None
    return found if known else None


def writes_out(node: gast.Call, function: types.FunctionType, local: set[str]) -> bool:
    """Whether a call writes into an array that it names, which then is ``out=`` alone: neither in a tuple, nor the
    last of the arguments. That of None is left out."""
    if len(node.args) < 2 and not any(item.arg == "out" for item in node.keywords):
        return False
    found = called(node, function, local)
    if found is None or any(isinstance(item, gast.Starred) for item in node.args) or any(
            item.arg is None for item in node.keywords):
        return False
    if isinstance(found, np.ufunc) and len(node.args) == found.nin + 1:
        node.keywords.append(gast.copy_location(gast.keyword("out", node.args.pop()), node))
    elif (named := by_name(node, found, None, ("out",))) is not None:
        node.args, node.keywords = named.args, named.keywords
    for item in [item for item in node.keywords if item.arg == "out"]:
        if isinstance(item.value, gast.Tuple) and len(item.value.elts) == 1:
            (item.value,) = item.value.elts
        if isinstance(item.value, gast.Constant) and item.value.value is None:
            node.keywords.remove(item)
        else:
            return True
    return False


def output(node: gast.Call) -> gast.AST:
    """The expression of the array that a call writes into."""
    return next(item.value for item in node.keywords if item.arg == "out")
