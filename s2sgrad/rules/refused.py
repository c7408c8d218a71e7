"""What to do instead of calling a function that has no rule and will hardly get one."""
from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import Numeric, Opaque

REMEDIES = {
    "numpy.piecewise": "use np.where, or np.select",
    "numpy.apply_along_axis": "write the loop, or use the function's own axis=",
    "numpy.apply_over_axes": "call the function with axis=, one axis after another",
    "numpy.trim_zeros": "cut with a slice",
    "numpy.poly1d": "use np.polyval of its coefficients",
    **dict.fromkeys((f"numpy.polynomial.{family}" for family in (
        "Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")),
        "use the functions of its module on coefficients: np.polynomial.polynomial.polyval, chebyshev.chebval, ..."),
    "numpy.ma": "use plain arrays with np.where, or functions that take where= or pass over NaN",
    **dict.fromkeys(("numpy.matrix", "numpy.asmatrix", "numpy.bmat"), "use arrays, and @ for products"),
    "numpy.nditer": "write a loop over np.ndindex(x.shape), or np.ndenumerate(x)",
    "numpy.vectorize": "call what it makes of one function, with arrays by position: np.vectorize(f)(x)",
    "numpy.frompyfunc": "use np.vectorize, or a list comprehension",
    **{f"scipy.linalg.{name}": f"use np.linalg.{name}" for name in ("eig", "eigvals")},
    "scipy.integrate.solve_bvp": "write the steps in Python, in a loop",
    "scipy.integrate.dblquad": "integrate by scipy.integrate.quad twice, or sum over points with weights",
    "scipy.optimize": "call it on constants, and differentiate one step from what it found",
    "scipy.interpolate": "use np.interp, or write the interpolation out",
    **dict.fromkeys((f"scipy.sparse.{form}_{kind}" for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
                     for kind in ("array", "matrix")), "add up an array: np.add.at(K, (rows, columns), values)"),
    **dict.fromkeys(("scipy.sparse.diags", "scipy.sparse.diags_array", "scipy.sparse.spdiags"),
                    "make an array: np.diag(v, k)"),
    "collections.ChainMap": "merge the dicts, those that come first last: {**defaults, **given}",
    "collections.deque": "use a list: xs.append(v), xs.pop(0), xs = xs[-n:]",
    "collections.defaultdict": "use a dict: d[key] = d.get(key, 0.0) + v",
    "collections.Counter": "use a dict: d[key] = d.get(key, 0.0) + v",
    "collections.OrderedDict": "use a dict, which keeps its order",
    "math.gamma": "use scipy.special.gamma",
    "math.lgamma": "use scipy.special.gammaln",
    "builtins.set": "use a list or a tuple, or a dict: dict.fromkeys(items)",
    "builtins.frozenset": "use a tuple",
    "itertools": "write a loop, or a list comprehension",
}
"""By the name of the function, or of the module that it is in; parts of modules with an underscore are left out."""


def remedy_for(function: Any) -> str:
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return "write the loop"
    return next((REMEDIES[name] for name in names_of(function) if name in REMEDIES), "add one with s2sgrad.rule")


def do_otherwise(attribute: str) -> str:
    """The remedy for a method or an attribute of arrays that has no rule."""
    if attribute.startswith("__"):  # key=x.__getitem__
        return "write the operator that stands for it, in a lambda"
    return f"use np.{attribute}" if callable(getattr(np, attribute, None)) and attribute[0] != "_" \
        else "do the same with NumPy's functions"


def is_refused(function: Any) -> bool:
    """Whether a function has no derivative, although it may have Python source."""
    return any(name in REMEDIES for name in names_of(function))


def makes_other_arrays(function: Any) -> bool:
    """Whether a function of NumPy's gives matrices or masked arrays, which multiply and add up in other ways."""
    return function in (np.asmatrix, np.bmat) or any(name.startswith(("numpy.ma", "numpy.matrix"))
                                                     for name in names_of(function))


PLAIN_PARTS = frozenset(("shape", "ndim", "size", "nnz", "dtype", "format", "data", "indices", "indptr", "row", "col",
                         "offsets", "toarray", "diagonal", "getnnz", "nonzero", "count_nonzero"))
SPARSE_PARTS = frozenset(("T", "copy", "transpose", "conj", "asformat", "tocsr", "tocsc", "tocoo", "todia", "tolil",
                          "todok", "tobsr"))
TOTALS = frozenset(("sum", "mean", "max", "min", "trace"))


def is_sparse(value: Any) -> bool:
    """Whether something is one of SciPy's sparse matrices, or made of one."""
    return isinstance(value, Opaque) and value.kind is not None and value.kind.__module__.startswith("scipy.sparse")


def made_sparse(function: Any) -> type | None:
    """The class of what a function or class of ``scipy.sparse`` gives, as far as it is known before the call."""
    if str(getattr(function, "__module__", "")).startswith(("scipy.sparse.linalg", "scipy.sparse.csgraph")) \
            or not str(getattr(function, "__module__", "")).startswith("scipy.sparse"):
        return None
    kind = function if isinstance(function, type) else sys.modules["scipy.sparse"].csr_array
    return kind if hasattr(kind, "todense") else None


def like_its_object(value: Any, part: str, called_with: int | None = None) -> Any:
    """What is known of an attribute of an object, or of what its method gives for so many arguments: of a sparse
    matrix it may be another, or a ``np.matrix``, whose arithmetic is its own."""
    if not is_sparse(value) or part in PLAIN_PARTS or called_with == 0 and part in TOTALS:
        return Opaque()
    return Opaque(kind=value.kind if part in SPARSE_PARTS else np.matrix)


def made_of_sparse(values: Iterable[Any]) -> Any:
    """What an operator gives for these, of which none is differentiated, if some are sparse matrices or made of them;
    else None."""
    kinds = [value.kind for value in values if isinstance(value, Opaque) and value.kind not in (None, range)]
    if not kinds:
        return None
    alike = all(is_sparse(value) or isinstance(value, Numeric) and value.is_number for value in values)
    return Opaque(kind=kinds[0] if alike else np.matrix)


def public_name(function: Any) -> str:
    """What the users of a function call it, with its module, or where it is from."""
    module = str(getattr(function, "__module__", None) or "")
    label = getattr(function, "__name__", None) or f"{type(function).__name__} object"
    for name in names_of(function) if module != "builtins" else ():
        held = getattr(sys.modules.get(name.rpartition(".")[0]), label, None)
        if held is not None and getattr(held, "__wrapped__", held) is function:
            return name
    return f"{module}.{label}" if module and module != "builtins" else label


def names_of(function: Any) -> tuple[str, ...]:
    """The names that a function may have to the public, and that of the module that it is in."""
    named = function if hasattr(function, "__name__") else type(function)
    parts = [part for part in str(getattr(named, "__module__", "")).split(".") if not part.startswith("_")]
    return *(".".join([*parts[:depth], named.__name__]) for depth in (1, 2)), ".".join(parts[:2])
