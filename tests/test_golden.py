"""Primal and adjoint of each function of ``golden/functions.py`` as text, and run: golden files judge style alone."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from golden.functions import SHOWN

import s2sgrad
from s2sgrad.judge import compare, cotangent_like
from s2sgrad.runtime import held

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize("function, args, argnums", SHOWN, ids=[entry[0].__name__ for entry in SHOWN])
def test_text(function, args, argnums, request) -> None:
    text = s2sgrad.source(function, *args, argnums=argnums)
    file = FOLDER / f"{function.__name__}.txt"
    if request.config.getoption("--update-golden"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("function, args, argnums", SHOWN, ids=[entry[0].__name__ for entry in SHOWN])
def test_gradient(function, args, argnums) -> None:
    value, pullback = s2sgrad.vjp(function, *held(args))
    np.testing.assert_equal(value, function(*held(args)))
    numbers = argnums or tuple(range(len(args)))
    cotangent = cotangent_like(value)
    pulled = pullback(cotangent)
    compare(tuple(pulled[number] for number in numbers), function, args, numbers, cotangent)


def test_every_file_has_its_function() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == {function.__name__ for function, _, _ in SHOWN}


