"""Where PyTorch is installed: what is recorded of it is true, and random programs agree with it."""
from __future__ import annotations

import json

import pytest
from random_tensors import Writer, differ
from torch_expressions import expressions
from torch_printed import PRINTED, printed
from torch_programs import PROGRAMS
from torch_runs import ANSWERS, answer, differences
from tutorial_runs import ANSWERS as TUTORIALS
from tutorial_runs import NAMES, run

import s2sgrad

torch = pytest.importorskip("torch")


def test_expressions_are_recorded_truly() -> None:
    recorded = json.loads(ANSWERS.read_text(encoding="utf-8"))
    for _, text in expressions():
        assert not differences(answer(torch, text), recorded[text]), text


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_recorded_truly(name: str) -> None:
    assert printed(torch, name) == json.loads(PRINTED.read_text(encoding="utf-8"))[name]


@pytest.mark.parametrize("name", NAMES)
def test_tutorials_are_recorded_truly(name: str) -> None:
    pytest.importorskip("IPython")
    assert run(name, "torch") == json.loads(TUTORIALS.read_text(encoding="utf-8"))[name]


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_random_programs_agree(first: int) -> None:
    for seed in range(first, first + 100):
        text = Writer(seed).write(8)
        assert not differ(torch, s2sgrad, text), text
