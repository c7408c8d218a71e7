"""The tests of the rule table notice wrong formulas: each formula in turn is doubled, and its cases must fail.

Of a line that has formulas of its own for forward mode each of these is, too.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import test_forward_rules
import test_rules
from rule_calls import BY_LABEL, called
from test_rules import CASES

from s2sgrad.rules.table import ZERO, Formula, Operation, Rule

ZERO_HERE = {"np.imag": ["val"], "np.angle": ["z"], ".imag": ["val"], "scipy.stats.uniform.pdf": ["x", "loc"],
             "scipy.stats.uniform.logpdf": ["x", "loc"], "np.nan_to_num": ["posinf", "neginf"]}
"""Derivatives that are 0, or are it of real numbers, tests/test_complex_rules.py has the others, or of finite ones:
tests/test_rule_conventions.py."""
DERIVED = [name for name in CASES if name in BY_LABEL and BY_LABEL[name].partials]


class Doubled(Formula):
    """A formula that gives twice what another one gives."""

    def __init__(self, formula: Formula):
        super().__init__(formula.source)

    def __call__(self, operation: Operation, path: tuple[int, ...] = ()) -> Any:
        text = super().__call__(operation, path)
        return doubled(text) if isinstance(text, str) else tuple(map(doubled, text))


def doubled(text: str) -> str:
    *steps, last = text.split(";")
    return text if text == ZERO else ";".join([*steps, f" 2.0 * ({last.strip()})"])


def formulas_of(rule: Rule) -> dict[str, Formula]:
    return {parameter: formula for parameter, formula in rule.partials.items() if formula is not ZERO}


def tangents_of(rule: Rule) -> dict[str, Formula]:
    return {parameter: formula for parameter, formula in rule.tangent.items() if formula is not ZERO}


TOLD = [name for name in DERIVED if tangents_of(BY_LABEL[name])]


def is_noticed(name: str, parameter: str, check: Callable[[str, str], None]) -> bool:
    """Whether a case of the rule fails; those that don't differentiate in the parameter can't."""
    for case in CASES[name]:
        if not any(found == parameter for found, *_ in called(name, case).leaves()):
            continue
        try:
            check(name, case)
        except AssertionError:
            return True
    return False


@pytest.mark.parametrize("name", DERIVED)
def test_a_doubled_formula_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unnoticed = []
    for parameter, formula in formulas_of(BY_LABEL[name]).items():
        with monkeypatch.context() as patch:
            patch.setitem(BY_LABEL[name].partials, parameter, Doubled(formula))
            if not is_noticed(name, parameter, test_rules.formulas_are_right):
                unnoticed.append(parameter)
    assert unnoticed == ZERO_HERE.get(name, [])


@pytest.mark.parametrize("name", TOLD)
def test_a_doubled_tangent_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unnoticed = []
    for parameter, formula in tangents_of(BY_LABEL[name]).items():
        with monkeypatch.context() as patch:
            patch.setitem(BY_LABEL[name].tangent, parameter, Doubled(formula))
            if not is_noticed(name, parameter, test_forward_rules.tangents_are_right):
                unnoticed.append(parameter)
    assert not unnoticed


def test_there_are_hundreds() -> None:
    scipy_too = any(name.startswith("scipy.") for name in DERIVED)
    assert sum(len(formulas_of(BY_LABEL[name])) for name in DERIVED) > (900 if scipy_too else 350)
