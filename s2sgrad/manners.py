"""All that a user of ``import s2sgrad as torch`` finds on the package besides its functional interface."""
from __future__ import annotations

import math

from s2sgrad import autograd
from s2sgrad.shim import arithmetic, creation, dtypes, elementwise, indexing, joining, printing, products, reductions
from s2sgrad.shim.names import FUNCTIONS

NAMES = {
    **FUNCTIONS, **dtypes.NAMES, "autograd": autograd, "Size": dtypes.Size, "dtype": dtypes.dtype,
    "set_default_dtype": dtypes.set_default_dtype, "get_default_dtype": dtypes.get_default_dtype,
    "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan,
}
TABLES = arithmetic, creation, elementwise, indexing, joining, printing, products, reductions
