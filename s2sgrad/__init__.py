"""Source-to-source reverse-mode automatic differentiation of plain Python functions over NumPy."""
from s2sgrad import errors
from s2sgrad.extending import rule
from s2sgrad.reports import paths, saved, source
from s2sgrad.transforms import check_grad, differentiable, grad, jacfwd, jvp, value_and_grad, vjp

__all__ = ["check_grad", "differentiable", "errors", "grad", "jacfwd", "jvp", "paths", "rule", "saved", "source",
           "value_and_grad", "vjp"]
__version__ = "0.1.0"
