"""Switches of the compiler's analyses."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Switches of the analyses, for tests: with all of them off the code is general, and must still be right.

    Attributes
    ----------
    activity
        Off: every floating-point value computed in the function counts as differentiated.
    recorded
        Off: every version of every differentiated name is saved, whether the adjoint reads it or not.
    shapes
        Off: no shape is known, and every broadcast is undone by the general helper.
    paths
        Off: the general adjoint serves every path.
    large
        Where an input has so many elements, adjoints write over the arrays that they don't read any more.
    attribute_views
        On: attributes that are views of others are read as these; it is tried where a function is refused otherwise.
    slopes
        On: gradients that are differentiated again are so by way of slopes (``by_slopes.py``), likewise.
    gradients
        On: tangents of numbers that are differentiated again are so by way of gradients (``at_once.py``), likewise.
    """

    activity: bool = True
    recorded: bool = True
    shapes: bool = True
    paths: bool = True
    large: int = 2 ** 14
    attribute_views: bool = False
    slopes: bool = False
    gradients: bool = False


ALL_ON = Options()
