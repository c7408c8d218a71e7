"""What a gradient gives of a function's value and of the parameters' cotangents."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.nodes import constant, subscript, tuple_of
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Abstract, Numeric, is_complex
from s2sgrad.runtime import not_a_number, not_a_pair


@frozen
class Mode:
    """What an entry gives.

    Attributes
    ----------
    seeds
        ``"one"``: the result is a number and its cotangent is 1 (gradients); ``"first"``: the same of a pair's first
        item, the second is passed through; ``"given"``: the cotangents are arguments of the adjoint; ``"none"``: there
        are none, it is the tangent function that is wanted.
    value
        The value is given, too.
    bare
        One cotangent is given, not a tuple of them.
    holomorphic
        The number is complex, and so is what it is differentiated in.
    copied
        Of what the caller may write into before a pullback runs, the primal gets copies; else the caller sees to it
        that nobody does.
    lent
        The parameters for which the caller can't, where nothing else is copied: the primal saves copies of their
        memory.
    """

    seeds: str
    value: bool = True
    bare: bool = False
    holomorphic: bool = False
    copied: bool = True
    lent: frozenset[str] = frozenset()

    @property
    def reads_value(self) -> bool:
        return self.value or self.seeds == "first"

    def places(self, label: str, leaves: tuple, result: Abstract) -> tuple[tuple, bool]:
        """The places of a function's result that have cotangents, of those that could; and whether it is sure that
        what has the only one is a number. Raises ArgumentTypeError for a gradient that is sure to be of none."""
        if self.seeds == "one":
            if leaves not in ((), ((),)):
                raise not_a_number(label, f"a {getattr(result, 'kind', object).__name__}")
            return leaves, self.is_its_number(result)
        if self.seeds == "first":
            if leaves and getattr(result, "items", None) is None:
                raise not_a_pair(label, "a single value" if isinstance(result, Numeric)
                                 else "what may have other lengths")
            return tuple(leaf for leaf in leaves if leaf == (0,)), self.is_its_number(self.of(result))
        return leaves, leaves == ((),) and self.is_its_number(result)

    def of(self, result: Any) -> Any:
        """What is known of the number that a gradient is of; None where a pair is none."""
        if self.seeds == "one":
            return result
        items = getattr(result, "items", None)
        return items[0] if items is not None and len(items) == 2 else None

    def is_its_number(self, value: Abstract | None) -> bool:
        """Whether a value is sure to be a number that it gives the gradient of: an integer is one, which may be what a
        branch returns in place of a float, and True and False are none."""
        return isinstance(value, Numeric) and value.is_number and is_complex(value) is self.holomorphic and (
            value.dtype is None or value.dtype.kind != "b")

    def result(self, value: gast.AST, cotangents: list[gast.AST]) -> gast.AST:
        """What a call gives, of the function's value and the cotangents."""
        gradient = cotangents[0] if self.bare else tuple_of(cotangents)
        if self.value:
            return tuple_of([value, gradient])
        return gradient if self.seeds == "one" else tuple_of([gradient, subscript(value, constant(1))])
