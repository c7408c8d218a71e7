"""A program of the corpus, run and differentiated for all that is checked of it: it is compiled once."""
from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from along_tangents import tangents_of
from corpus import Program, is_real_number, leaves

import s2sgrad
from s2sgrad.judge import cotangent_like


@dataclass(frozen=True)
class Run:
    """A value with its gradients, the arguments as they were left, and what was printed."""

    args: tuple[Any, ...]
    value: Any
    gradients: tuple[Any, ...]
    printed: str


def with_printed(run: Callable[[], Any]) -> tuple[Any, str]:
    """What a run gives, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        given = run()
    return given, printed.getvalue()


class Tried:
    """A program with what it gives when it is not differentiated, and what must be found when it is."""

    def __init__(self, program: Program):
        self.program = program
        self.left = program.args()
        self.plain, self.printed = with_printed(lambda: program.function(*self.left))
        self.is_number = is_real_number(self.plain)
        self.cotangent = cotangent_like(self.plain)
        self.tangents = tangents_of(program, program.args())

    def run(self) -> Run:
        """By ``value_and_grad`` where that is possible, else by ``vjp``."""
        program, args = self.program, self.program.args()
        if self.is_number:
            (value, gradients), printed = with_printed(
                lambda: s2sgrad.value_and_grad(program.function, argnums=program.argnums)(*args))
            return Run(args, value, gradients, printed)
        (value, pullback), printed = with_printed(lambda: s2sgrad.vjp(program.function, *args))
        pulled = pullback(self.cotangent)
        return Run(args, value, tuple(pulled[argnum] for argnum in program.argnums), printed)

    @functools.cached_property
    def first(self) -> Run:
        return self.run()

    def gradient(self, argnum: int) -> Any:
        return self.first.gradients[self.program.argnums.index(argnum)]

    def tolerance(self, double: float, single: float) -> float:
        """The one for programs in double precision, or for those that anywhere have single precision."""
        parts = [*leaves(self.program.args()), *leaves(self.plain)]
        return single if any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in parts) else double
