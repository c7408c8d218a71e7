"""What must hold of the second derivatives of a program of the corpus."""
from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from along_tangents import product
from corpus import assert_same, leaves
from corpus_runs import Tried

import s2sgrad
from s2sgrad.containers import contents, is_complex, with_parts
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import compare, cotangent_like
from s2sgrad.runtime import held
from s2sgrad.transforms import push_forward

REFUSED = set((Path(__file__).parent / "refused_twice.txt").read_text(encoding="utf-8").split())
"""Programs whose gradient is refused a gradient: written arguments, the caller's containers, recursion, objects that
methods change."""


def gradients_of_gradients(tried: Tried, forwards: bool) -> None:
    """Right by reverse mode over itself, and by forward mode over it if that is asked for; or refused if that is known
    of the program."""
    program = tried.program
    gradient = s2sgrad.grad(program.function, argnums=program.argnums)
    holds_complex = any(map(is_complex, leaves(program.args())))
    with_value = s2sgrad.value_and_grad(program.function, argnums=program.argnums)

    def plain(*args: Any) -> Any:
        if any(is_complex(leaf) for leaf in leaves(args)) and not holds_complex:
            raise TypeError("for the judge's complex step the gradient would be compiled once more")
        return with_value(*held(args))[1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            value, pullback = s2sgrad.vjp(gradient, *program.args())
        except UnsupportedError:
            if program.name not in REFUSED:
                raise
            return
        assert program.name not in REFUSED, "refused no more: take it out of tests/refused_twice.txt"
        cotangent = cotangent_like(value)
        pulled = pullback(cotangent)
        assert_same_gradient(tried, in_one_form(value), in_one_form(tried.first.gradients))
        compare(tuple(pulled[argnum] for argnum in program.argnums), plain, program.args(), program.argnums, cotangent,
                most_entries=0)
        if forwards:
            same, tangent = push_forward(gradient, program.args(), tried.tangents)
            assert_same(same, value)
            backwards = sum(product(pulled[argnum], tried.tangents[argnum]) for argnum in program.argnums)
            distance = abs(product(cotangent, tangent) - backwards)
            assert distance < tried.tolerance(1e-8, 1e-4) * max(1.0, abs(backwards))


def assert_same_gradient(tried: Tried, found: Any, expected: Any) -> None:
    """To the last bit, but where the gradient alone gathers outer products, or knows that shapes agree, so that
    ``np.vdot`` may add in another order, or has a callee's adjoint add to a cotangent that there is."""
    program = tried.program
    try:
        assert_same(found, expected)
    except AssertionError:
        text = s2sgrad.source(program.function, *program.args(), argnums=program.argnums)
        added_to = re.search(r"\b(\w+_bar)\b.* = \w+_adjoint\S*\(.*\b\1\b", text)
        if ".T @ np.array(" not in text and "np.vdot(" not in text and added_to is None:
            raise
        for one, other in zip(leaves(found), leaves(expected), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, strict=True)


def in_one_form(value: Any) -> Any:
    """The same with ``float`` for ``np.float64``, which is one, and None for an empty list: gradients have the one in
    objects that a loop runs over, and the other where the loop was written out."""
    if isinstance(value, np.float64):
        return float(value)
    if isinstance(value, list) and not value:
        return None
    return value if contents(value) is None else with_parts(value, in_one_form)
