"""Operations that have a form that writes into their first operand: ``x.lerp_(...)``, ``torch.relu_(x)``."""
from __future__ import annotations

from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import FUNCTIONS, method, named
from s2sgrad.shim.tensor import Tensor

for name in ("lerp", "addcmul", "addcdiv", "cumsum", "cumprod", "logical_not", "tril", "triu", "nan_to_num", "copysign",
             "ldexp", "put", "renorm", "float_power", "xlogy", "logit", "addmm", "addmv", "addr", "addbmm", "baddbmm"):
    method(named(lambda self, *given, function=FUNCTIONS[name], **more: in_place(
        self, lambda old: function(old, *given, **more)), f"{name}_"))

for name in ("abs", "acos", "asin", "atan", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "cos", "cosh", "erf",
             "erfc", "exp", "exp2", "expm1", "floor", "frac", "log", "log10", "log1p", "log2", "neg", "reciprocal",
             "relu", "round", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"):
    FUNCTIONS[f"{name}_"] = named(lambda input, *given, label=f"{name}_", **more: getattr(Tensor, label)(
        input, *given, **more), f"{name}_")
