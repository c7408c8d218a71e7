"""PyTorch's tutorials run unchanged, and print what PyTorch prints."""
from __future__ import annotations

import json

import pytest
from tutorial_runs import ANSWERS, NAMES, cells_of, run

import s2sgrad

pytest.importorskip("IPython")


@pytest.mark.parametrize("name", NAMES)
def test_prints_what_pytorch_prints(name: str) -> None:
    answers = json.loads(ANSWERS.read_text(encoding="utf-8"))[name]
    for cell, printed, expected in zip(cells_of(name), run(name, "s2sgrad"), answers, strict=True):
        assert printed == expected, cell


@pytest.mark.parametrize("name", NAMES)
def test_prints_the_same_with_its_functions_decorated(name: str) -> None:
    answers = json.loads(ANSWERS.read_text(encoding="utf-8"))[name]
    assert run(name, "s2sgrad", s2sgrad.differentiable) == answers


def test_the_old_sum_of_a_large_gradient() -> None:
    s2sgrad.autograd.set_legacy_gradient_sum(True)
    try:
        cells = run("matrices", "s2sgrad")
    finally:
        s2sgrad.autograd.set_legacy_gradient_sum(False)
    assert cells[11] == "tensor([" + ",\n        ".join(["[8., 8., 8., 8.]"] * 4) + "])\n"
