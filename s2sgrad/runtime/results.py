"""What a gradient is of: a single number."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.containers import described, is_complex, is_float
from s2sgrad.errors import ArgumentTypeError


def check_result(value: Any, label: str, pair: bool = False, holomorphic: bool = False) -> None:
    """A gradient is of a number, or of the first of a ``pair``, real or ``holomorphic``: raises ArgumentTypeError for
    anything else."""
    if pair:
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise not_a_pair(label, f"{len(value)} values" if isinstance(value, (tuple, list))
                             else described(value))
        value = value[0]
    if isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"{label} returned {described(value)}, and a gradient is of a single float",
                                "return the float that is compared, and compare what comes out")
    if np.shape(value) != () or not is_float(value):
        raise not_a_number(label, described(value))
    if is_complex(value) is holomorphic:
        return
    if holomorphic:
        raise ArgumentTypeError(f"{label} returned {described(value)}, and holomorphic=True is for "
                                "complex results", "leave it out")
    raise ArgumentTypeError(
        f"{label} returned {described(value)}, and a gradient is of a real number",
        "take np.real or np.abs of it, or pass holomorphic=True for the derivative of a holomorphic function")


def not_a_number(label: str, found: str) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{label} returned {found}, and a gradient is of a single float",
        "sum or average the result, or use s2sgrad.vjp, which takes a cotangent")


def not_a_pair(label: str, found: str) -> ArgumentTypeError:
    return ArgumentTypeError(f"{label} returned {found}, and has_aux=True takes a pair",
                             "return value, aux, with aux a tuple of whatever else there is")
