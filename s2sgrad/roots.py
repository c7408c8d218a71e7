"""Powers of negative floats that are no whole numbers: complex in Python, where NumPy has NaN. The rules take them for
real, so that what is generated is looked at when it runs, where there are such powers."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from s2sgrad.containers import contents, is_complex
from s2sgrad.errors import Location, UnsupportedError


def of_real_roots(adjoint: Callable, root: Location) -> Callable:
    """An adjoint that raises UnsupportedError where a root turns out to be complex: its cotangents are then, too."""
    @functools.wraps(adjoint)
    def checked(*given: Any) -> Any:
        try:
            bars = adjoint(*given)
        except TypeError as error:  # it asks whether the root is positive
            if "complex" in str(error):
                raise refusal(root) from error
            raise
        for bar in bars:
            if type(bar) is not float:  # which takes less time to ask here
                check(bar, root)
        return bars
    return checked


def of_real_tangents(tangent: Callable, root: Location) -> Callable:
    """The same of a tangent function."""
    @functools.wraps(tangent)
    def checked(*given: Any, **named: Any) -> Any:
        found = tangent(*given, **named)
        check(found, root)
        return found
    return checked


def check(value: Any, root: Location) -> None:
    inside = contents(value, any_keys=True)
    if inside is None and is_complex(value):
        raise refusal(root)
    for part in () if inside is None else inside.parts:
        check(part, root)


def refusal(root: Location) -> UnsupportedError:
    return UnsupportedError("a power of a negative number is complex here, and was taken for a real one",
                            "say so, complex(b) ** 0.5, or take it of what is not negative", root)
