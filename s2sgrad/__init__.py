"""Source-to-source automatic differentiation of plain Python functions over NumPy.

PyTorch's names (``tensor``, ``no_grad``, ...) are loaded when one of them is first used.
"""
import gc
from typing import Any

from s2sgrad import errors
from s2sgrad.checking import check_grads
from s2sgrad.extending import checkpoint, custom_rule, rule, stop_gradient
from s2sgrad.jacobians import (
    elementwise_grad,
    gauss_newton_product,
    hessian,
    hessian_diagonal,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
)
from s2sgrad.reports import paths, saved, source
from s2sgrad.surgery import adjoint_of
from s2sgrad.transforms import check_grad, differentiable, grad, jvp, value_and_grad, vjp

__all__ = [
    "adjoint_of", "check_grad", "check_grads", "checkpoint", "custom_rule", "differentiable", "elementwise_grad",
    "errors", "gauss_newton_product", "grad", "hessian", "hessian_diagonal", "hvp", "jacfwd", "jacobian", "jacrev",
    "jvp", "paths", "rule", "saved", "source", "stop_gradient", "value_and_grad", "vjp",
]
__version__ = "0.1.0"

gc.collect(1)  # what was loaded stays: it is looked through now, and not in the midst of one of the first compilations


def __getattr__(name: str) -> Any:
    """PyTorch's names, found when they are first asked for: without tensors the package loads faster."""
    if not name.startswith("__"):
        import importlib

        manners = importlib.import_module("s2sgrad.manners")
        if name in manners.NAMES:
            return manners.NAMES[name]
    raise AttributeError(f"module 's2sgrad' has no attribute {name!r}")


def __dir__() -> list[str]:
    import importlib

    return sorted({*globals(), *importlib.import_module("s2sgrad.manners").NAMES})
