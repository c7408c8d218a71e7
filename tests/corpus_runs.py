"""A program of the corpus, run and differentiated for all that is checked of it: it is compiled once."""
from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from along_tangents import tangents_of
from corpus import Program, is_real_number, leaves

import s2sgrad
from s2sgrad.judge import cotangent_like


@dataclass(frozen=True)
class Run:
    """A value with its gradients, and the arguments as they were left."""

    args: tuple[Any, ...]
    value: Any
    gradients: tuple[Any, ...]


class Tried:
    """A program with what it gives when it is not differentiated, and what must be found when it is."""

    def __init__(self, program: Program):
        self.program = program
        self.left = program.args()
        self.plain = program.function(*self.left)
        self.is_number = is_real_number(self.plain)
        self.cotangent = cotangent_like(self.plain)
        self.tangents = tangents_of(program, program.args())

    def run(self) -> Run:
        """By ``value_and_grad`` where that is possible, else by ``vjp``."""
        program, args = self.program, self.program.args()
        if self.is_number:
            return Run(args, *s2sgrad.value_and_grad(program.function, argnums=program.argnums)(*args))
        value, pullback = s2sgrad.vjp(program.function, *args)
        pulled = pullback(self.cotangent)
        return Run(args, value, tuple(pulled[argnum] for argnum in program.argnums))

    @functools.cached_property
    def first(self) -> Run:
        return self.run()

    def gradient(self, argnum: int) -> Any:
        return self.first.gradients[self.program.argnums.index(argnum)]

    def tolerance(self, double: float, single: float) -> float:
        """The one for programs in double precision, or for those that anywhere have single precision."""
        parts = [*leaves(self.program.args()), *leaves(self.plain)]
        return single if any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in parts) else double
