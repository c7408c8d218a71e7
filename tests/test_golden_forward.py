"""Tangent functions as text: the style of forward mode; whether they are right is tested over the corpus."""
from __future__ import annotations

from pathlib import Path

import pytest
from golden.functions import SHOWN

import s2sgrad

FOLDER = Path(__file__).parent / "golden" / "forward"
CHOSEN = ("absolute", "broadcast", "dense", "diffuse", "helper_called", "layered", "newton", "positives", "rolled_out",
          "solved", "statistics", "tried", "walls")
ENTRIES = [entry for entry in SHOWN if entry[0].__name__ in CHOSEN]


@pytest.mark.parametrize("function, args, argnums", ENTRIES, ids=[entry[0].__name__ for entry in ENTRIES])
def test_text(function, args, argnums, request) -> None:
    text = s2sgrad.source(function, *args, argnums=argnums, mode="forward")
    file = FOLDER / f"{function.__name__}.txt"
    if request.config.getoption("--update-golden"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_every_file_has_its_function() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(CHOSEN) == {entry[0].__name__ for entry in ENTRIES}
