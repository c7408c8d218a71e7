"""All that a user of ``import s2sgrad as torch`` finds on the package besides its functional interface."""
from __future__ import annotations

import math

from s2sgrad import autograd, nn, optim, utils
from s2sgrad.autograd import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from s2sgrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from s2sgrad.autograd.grad_mode import is_inference_mode_enabled
from s2sgrad.decorated.calls import compile_calls
from s2sgrad.describing import describe
from s2sgrad.shim import dtypes, linalg, special
from s2sgrad.shim.devices import cuda, device
from s2sgrad.shim.dtypes import (
    Size,
    can_cast,
    dtype,
    finfo,
    get_default_dtype,
    iinfo,
    promote_types,
    set_default_dtype,
)
from s2sgrad.shim.names import FUNCTIONS

compile_calls()
NAMES = {
    **FUNCTIONS, **dtypes.NAMES, "autograd": autograd, "nn": nn, "optim": optim, "utils": utils, "linalg": linalg,
    "special": special, "inverse": linalg.inv, "Size": Size, "dtype": dtype, "device": device, "cuda": cuda,
    "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan,
    **{item.__name__: item for item in (enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled,
                                        is_anomaly_enabled, is_anomaly_check_nan_enabled, is_inference_mode_enabled,
                                        get_default_dtype,
                                        set_default_dtype, describe, finfo, iinfo, promote_types, can_cast)},
}
