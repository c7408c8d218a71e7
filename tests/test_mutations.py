"""The tests of the rule table notice wrong formulas: each formula in turn is doubled, and its cases must fail.

Of a line that has formulas of its own for forward mode each of these is, too.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import test_complex_rules
import test_forward_rules
import test_rules
from rule_calls import BY_LABEL, called
from test_rules import CASES

from s2sgrad.derivative import ALL_ON
from s2sgrad.rules.table import ZERO, Formula, Operation, Rule

ZERO_HERE = {"np.imag": ["val"], "np.angle": ["z"], "np.sign": ["x"], ".imag": ["val"],
             "scipy.stats.uniform.pdf": ["x", "loc"], "scipy.stats.uniform.logpdf": ["x", "loc"],
             "np.nan_to_num": ["posinf", "neginf"]}
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
    assert unnoticed == [parameter for parameter in ZERO_HERE.get(name, []) if parameter in tangents_of(BY_LABEL[name])]


class OneDoubled(Formula):
    """A formula that gives twice as much for one of several results; ``has_part``: if it gives something for it."""

    def __init__(self, formula: Formula, part: int):
        super().__init__(formula.source)
        self.part = part
        self.has_part = False

    def text(self, operation: Operation, path: tuple[int, ...]) -> Any:
        found = super().text(operation, path)
        parts = [doubled(text) if part == self.part or isinstance(found, str) else text
                 for part, text in enumerate([found] if isinstance(found, str) else found)]
        self.has_part |= parts != [found] and tuple(parts) != found
        return parts[0] if isinstance(found, str) else tuple(parts)


def is_noticed_of_complex(name: str) -> bool:
    """Whether a case of the rule fails where all operands are complex."""
    for case in test_complex_rules.ALL[name]:
        try:
            test_complex_rules.formulas_are_right(name, case, "complex")
            test_complex_rules.both_modes_agree(name, case, "complex", (ALL_ON,))
        except AssertionError:
            return True
    return False


@pytest.mark.parametrize("name", [name for name in test_complex_rules.ALL if ".linalg." in name])
def test_a_doubled_formula_for_complex_matrices_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule, unnoticed = BY_LABEL[name], []
    for formulas, given in ((rule.partials, formulas_of(rule)), (rule.tangent, tangents_of(rule))):
        for parameter, formula in given.items():
            for part in rule.parts if isinstance(rule.parts, tuple) and rule.parts else (0, 1):
                changed = OneDoubled(formula, part)
                with monkeypatch.context() as patch:
                    patch.setitem(formulas, parameter, changed)
                    if not is_noticed_of_complex(name) and changed.has_part:
                        unnoticed.append((formulas is rule.tangent, parameter, part))
    assert not unnoticed


def test_there_are_hundreds() -> None:
    scipy_too = any(name.startswith("scipy.") for name in DERIVED)
    assert sum(len(formulas_of(BY_LABEL[name])) for name in DERIVED) > (900 if scipy_too else 350)
