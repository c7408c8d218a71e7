"""Side by side with PyTorch: values, dtypes, nodes, gradients and gradients of gradients of many expressions.

PyTorch's answers are recorded; ``test_torch_itself`` asks it anew.
"""
from __future__ import annotations

import json
from functools import cache

import pytest
from torch_expressions import expressions
from torch_printed import PRINTED, printed
from torch_programs import PROGRAMS
from torch_runs import ANSWERS, answer, compared

import s2sgrad


@cache
def recorded() -> dict:
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("area, text", expressions())
def test_as_recorded(area: str, text: str) -> None:
    if area == "special":
        pytest.importorskip("scipy")
    assert not compared(text, recorded()[text], answer(s2sgrad, text))


@cache
def recorded_lines() -> dict:
    return json.loads(PRINTED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_as_recorded(name: str) -> None:
    assert printed(s2sgrad, name) == recorded_lines()[name]
