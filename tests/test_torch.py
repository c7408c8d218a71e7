"""Side by side with PyTorch: values, dtypes, nodes, gradients and gradients of gradients of many expressions.

PyTorch's answers are recorded; where it is installed, it is asked anew.
"""
from __future__ import annotations

import importlib.util
import json
from functools import cache

import pytest
from torch_expressions import expressions
from torch_runs import ANSWERS, answer, compared, differences

import s2sgrad


@cache
def recorded() -> dict:
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", [text for _, text in expressions()])
def test_as_recorded(text: str) -> None:
    assert not compared(text, recorded()[text], answer(s2sgrad, text))


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("text", [text for _, text in expressions()])
def test_the_record_is_true(text: str) -> None:
    import torch

    assert not differences(answer(torch, text), recorded()[text])
