"""Switches of the compiler's analyses."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from s2sgrad.frozen import frozen


@frozen
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
    elements
        On, with ``slopes``: the gradients of slopes are found by a tangent for each element (``by_elements.py``), where
        those of slopes that reverse mode is asked for are refused, too.
    mirrored
        On, without ``activity``, and in forward mode alone: the texts of tangent functions are not refused for what may
        share memory with what they write into. All that may hold a float has a tangent then, which shares memory with
        others just where the values do, so that a write is seen under every name, and in every place, that sees it in
        the function itself; and in that, of which those texts were made, no write was refused. Where it depends on how
        an array lies in memory whether another name is a view of it or a copy, it was: a tangent may lie otherwise.
        Arguments that share memory are refused by the call, if it writes into one, and tangents of them are copies.
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
    elements: bool = False
    mirrored: bool = False
    gradients: bool = False


ALL_ON = Options()


def again_otherwise(options: Options, forwards: bool, tangents: bool) -> Iterator[Options]:
    """The ways in which gradients and tangents are differentiated again where their own texts can't be, one after the
    other. ``forwards``: in forward mode; ``tangents``: there are some."""
    yield replace(options, slopes=True)
    if forwards:
        yield mirroring(options)
    if tangents:
        yield replace(options, gradients=True)
    if not forwards:
        yield replace(options, slopes=True, gradients=True, elements=True)


def mirroring(options: Options) -> Options:
    """The same for forward mode, by the last of its ways."""
    return replace(options, slopes=True, elements=True, gradients=False, mirrored=True, activity=False)
