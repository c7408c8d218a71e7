"""Special functions, as ``torch.special`` has them. SciPy computes most, and is loaded when one of these is called."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES
from s2sgrad.shim.elementwise import xlogy
from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import FUNCTIONS, both, method, named
from s2sgrad.shim.operations import Operation
from s2sgrad.shim.promotion import floating, promoted
from s2sgrad.shim.reductions import logsumexp
from s2sgrad.shim.tensor import Tensor

__all__ = ["digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammaln", "i0", "i0e", "i1",
           "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "ndtr", "ndtri", "polygamma", "psi",
           "round", "sinc", "softmax", "xlog1py", "xlogy"]

erf, erfc, exp2, expit, expm1, log1p, log_softmax, logit, round, sinc, softmax = (  # noqa: A001 - PyTorch's name
    FUNCTIONS[name] for name in ("erf", "erfc", "exp2", "sigmoid", "expm1", "log1p", "log_softmax", "logit", "round",
                                 "sinc", "softmax"))


@functools.cache
def of_scipy(name: str, operands: str, node: str, is_turned: bool = False) -> Operation:
    """The operation that SciPy's function of this name is; ``is_turned``: it takes the operand last. Raises ImportError
    where SciPy is missing."""
    try:
        from scipy import special
    except ImportError:
        raise ImportError(f"SciPy is needed for {name}, and not installed") from None
    from s2sgrad.rules import special as rules

    assert rules  # importing the table fills it
    function = getattr(special, name)
    own = (lambda x, n: np.asarray(function(n, x), x.dtype)) if is_turned else function
    return Operation(name, own, RULES[function], operands=operands, node=node, opaque="n" if is_turned else "")


def unary(name: str, of: str, node: str) -> Any:
    """A function of each element; ``of``: SciPy's name of it, and of what it is a function of."""
    scipy_name, operand = of.split()

    def function(input: Tensor) -> Tensor:
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return of_scipy(scipy_name, operand, node).run((floating(input),))

    return named(function, name)


def of_tensors(function: Any) -> Any:
    """The function as one of the package, too, a method, and one that writes into its argument."""
    name = function.__name__
    both(function)
    method(named(lambda self: in_place(self, function), f"{name}_"))
    return function


lgamma, digamma, erfinv, i0 = (of_tensors(unary(*line)) for line in (
    ("lgamma", "gammaln x", "LgammaBackward0"), ("digamma", "digamma z", "DigammaBackward0"),
    ("erfinv", "erfinv p", "ErfinvBackward0"), ("i0", "i0 x", "I0Backward0")))
gammaln, psi = lgamma, digamma
i0e, i1, i1e, erfcx, ndtr, ndtri, log_ndtr, entr = (unary(*line) for line in (
    ("special_i0e", "i0e x", "SpecialI0EBackward0"), ("special_i1", "i1 x", "SpecialI1Backward0"),
    ("special_i1e", "i1e x", "SpecialI1EBackward0"), ("special_erfcx", "erfcx x", "SpecialErfcxBackward0"),
    ("special_ndtr", "ndtr x", "MulBackward1"), ("special_ndtri", "ndtri p", "SpecialNdtriBackward0"),
    ("special_log_ndtr", "log_ndtr x", "SpecialLogNdtrBackward0"), ("special_entr", "entr x", "SpecialEntrBackward0")))


def polygamma(n: int, input: Tensor) -> Tensor:
    """The derivative of this order of ``digamma``."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return of_scipy("polygamma", "x", "PolygammaBackward0", True).run((floating(input),), {"n": n})


both(named(lambda n, input: polygamma(n, input), "polygamma"))
method(named(lambda self, n: polygamma(n, self), "polygamma"))


def xlog1py(input: Any, other: Any) -> Tensor:
    """``input * log1p(other)``, 0 where ``input`` is."""
    return of_scipy("xlog1py", "x1 x2", "SpecialXlog1PyBackward0").run(promoted((input, other), True))
