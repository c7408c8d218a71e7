"""What the unparser writes parses back to the same tree, with no more parentheses than it takes."""
from __future__ import annotations

import ast
import os
import random
import warnings
from collections.abc import Iterator
from pathlib import Path

import gast
import numpy as np
import pytest

from s2sgrad.compiler.unparse import unparse

SAMPLE = int(os.environ.get("S2SGRAD_UNPARSE_FILES", "25"))
"""How many files of the standard library and of NumPy are read; the whole of both is some 2000."""


def expressions(text: str) -> Iterator[ast.expr]:
    """Expressions that may stand alone: no targets, no slices, nothing that needs a function around it."""
    tree = ast.parse(text)
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, (ast.JoinedStr, ast.Subscript))
              for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or id(node) in inside or isinstance(node, ast.Starred):
            continue
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            continue
        if not any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in ast.walk(node)):
            yield node


def files() -> list[Path]:
    found = sorted(Path(os.__file__).parent.glob("*.py")) + sorted(Path(np.__file__).parent.rglob("*.py"))
    return random.Random(1).sample(found, min(SAMPLE, len(found)))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_round_trip(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the files themselves
        nodes = list(expressions(path.read_text(encoding="utf-8", errors="replace")))
        for node in nodes:
            assert ast.dump(ast.parse(f"({unparse(node)})", mode="eval").body) == ast.dump(node)


@pytest.mark.parametrize("text", [
    "a - (b - c)", "a - b - c", "(a - b) * c", "-x ** 2", "(-x) ** 2", "2 ** -x", "(a ** b) ** c", "a ** b ** c",
    "y_bar * (1 - y ** 2)", "x[1:-1]", "x[i + 1:]", "x[:, None]", "x[::2, ...]", "x[(i, j), k]", "f(a, axis=0)",
    "f(*a, **b)", "not a and b", "not (a and b)", "a if b else c", "(a if b else c) if d else e", "lambda x: x + 1",
    "(lambda: 0)()", "a < b <= c", "(a < b) < c", "a @ b.T", "(a + b).T", "-(a * b)", "-a * b", "[x for x in y if x]",
    "{1: 2, **d}", "x,", "()", "a, b", "f((a, b))", "f(x for x in y)", "(1).real", "1.5.real", "~a & b | c ^ d << 1",
    "x[(yes := 1)]", '"it\'s"', "f'{x!r:>{w}}'", "1e999", "1j * 2", "a or b and c", "(a or b) and c", "not -x",
    "a is not b", "a not in b", "[*a, b]", "x[a:b, c]",
])
def test_text_is_kept(text: str) -> None:
    tree = gast.parse(text).body[0].value
    assert unparse(tree) == text


@pytest.mark.parametrize("value, text", [
    (-2.0, "(-2.0) ** 2"), (-2, "(-2) ** 2"), (2.0, "2.0 ** 2"), (-2j, "(-0-2j) ** 2"),
    (float("-inf"), "(-1e999) ** 2"),
])
def test_negative_literals_keep_their_value_as_a_base(value: complex, text: str) -> None:
    node = gast.BinOp(gast.Constant(value, None), gast.Pow(), gast.Constant(2, None))
    assert unparse(node) == text
    assert eval(text) == value ** 2


def test_statements_are_written_around_expressions() -> None:
    assert unparse(gast.parse("assert x[:, 0] > 1, 'low'").body[0]) == "assert x[:, 0] > 1, 'low'\n"
