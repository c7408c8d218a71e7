"""Side by side with PyTorch: values, dtypes, nodes, gradients and gradients of gradients of many expressions.

PyTorch's answers are recorded; where it is installed, it is asked anew.
"""
from __future__ import annotations

import importlib.util
import json
from functools import cache

import pytest
from random_tensors import Writer, differ
from torch_expressions import expressions
from torch_printed import PRINTED, printed
from torch_programs import PROGRAMS
from torch_runs import ANSWERS, answer, compared, differences

import s2sgrad

with_pytorch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


@cache
def recorded() -> dict:
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", [text for _, text in expressions()])
def test_as_recorded(text: str) -> None:
    assert not compared(text, recorded()[text], answer(s2sgrad, text))


@with_pytorch
@pytest.mark.parametrize("text", [text for _, text in expressions()])
def test_the_record_is_true(text: str) -> None:
    import torch

    assert not differences(answer(torch, text), recorded()[text])


@cache
def recorded_lines() -> dict:
    return json.loads(PRINTED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_as_recorded(name: str) -> None:
    assert printed(s2sgrad, name) == recorded_lines()[name]


@with_pytorch
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_record_of_programs_is_true(name: str) -> None:
    import torch

    assert printed(torch, name) == recorded_lines()[name]


@with_pytorch
@pytest.mark.parametrize("first", range(0, 300, 30))
def test_random_programs_agree(first: int) -> None:
    import torch

    for seed in range(first, first + 30):
        text = Writer(seed).write(8)
        assert not differ(torch, s2sgrad, text), text
