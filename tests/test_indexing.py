"""Indices that are written with literals: which choose no element in common."""
from __future__ import annotations

import gast
import numpy as np
import pytest

from s2sgrad.compiler.indexing import disjoint

INDICES = ["0", "1", "2", "-1", "-2", ":", "1:", ":1", ":-1", "1:-1", "2:", "-2:", ":2", ":-2", "-3:-1", "0:1", "3:1",
           "...", "None", "True", "::2", "1, 0", "0, 1", ":, 0", ":, 1", "1:, 0", "0, -1", "-1, -1"]


def syntax(text: str) -> gast.AST:
    """An index as the compiler has it, where a minus sign is part of a literal."""
    class Negative(gast.NodeTransformer):
        def visit_UnaryOp(self, node: gast.UnaryOp) -> gast.Constant:
            return gast.Constant(-node.operand.value, None)

    return Negative().visit(gast.parse(f"u[{text}]").body[0].value.slice)


@pytest.mark.parametrize("first", INDICES)
@pytest.mark.parametrize("second", INDICES)
def test_disjoint_indices_have_no_element_in_common(first: str, second: str) -> None:
    claimed = disjoint(syntax(first), syntax(second))
    for size in range(1, 7):
        numbers = np.arange(size * size).reshape(size, size)
        try:
            chosen, others = (set(np.ravel(eval(f"numbers[{text}]", {"numbers": numbers}))) for text in (first, second))
        except IndexError:
            continue
        assert not (claimed and chosen & others)


@pytest.mark.parametrize("first, second", [
    ("0", "1"), ("-1", "-2"), ("0", "1:"), ("-1", ":-1"), ("1:-1", "0"), ("1:-1", "-1"), (":2", "2:"), ("-2:", ":-2"),
    (":, 0", ":, 1"), ("1, 0", "0, 0"), ("0", "1, 2")])
def test_what_people_write_is_seen_to_be_disjoint(first: str, second: str) -> None:
    assert disjoint(syntax(first), syntax(second)) and disjoint(syntax(second), syntax(first))
