"""Indices that are written with literals: which choose no element in common."""
from __future__ import annotations

import gast
import numpy as np
import pytest

import s2sgrad
from s2sgrad.compiler.indexing import disjoint
from s2sgrad.errors import UnsupportedError

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


def looked_up(xs, table, at):
    return xs[table.lookup(at)] * 2.0


class Table:
    def __init__(self, **places):
        self.places = places

    def __getattr__(self, label):
        return self.places.get if label == "lookup" else getattr(self.places, label)


def test_an_index_that_may_be_a_slice_is_looked_at() -> None:
    """A list that is indexed by what nobody looks into: an item has another cotangent than a part of the list."""
    xs, table = [1.0, 2.0, 3.0], Table(one=1, part=slice(0, 2))
    assert s2sgrad.grad(looked_up)(xs, table, "one") == [0.0, 2.0, 0.0]
    with pytest.raises(UnsupportedError, match="indexed by a slice that was not known to be one"):
        s2sgrad.grad(looked_up)(xs, table, "part")


def chosen(x, index):
    return np.sum(x[index] ** 2)


def test_an_argument_may_be_an_index_of_any_kind() -> None:
    x = np.arange(4.0)
    gradient = s2sgrad.grad(chosen)
    for index in (slice(1, 3), np.array([0, 3, 3]), 2, [1, 1], slice(None), x > 1, (slice(1, 2),), None, ...,
                  (np.array([1, 1]),), slice(-1, None)):
        expected = np.zeros(4)
        np.add.at(expected, index, 2.0 * x[index])
        np.testing.assert_array_equal(gradient(x, index), expected)
