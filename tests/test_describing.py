"""What the graph behind a tensor tells of itself: steps, lines, memory, pictures."""
from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import s2sgrad
import s2sgrad as torch


@s2sgrad.differentiable
def dense(x, w):
    if x.sum() > 0:
        return torch.tanh(x @ w)
    return x @ w


def network():
    x, w = torch.ones(4, 3), torch.full((3, 2), 0.1, requires_grad=True)
    b = torch.zeros(2, requires_grad=True)
    h = dense(x, w) + b
    y = h.exp() * h
    return y.sum()


def test_steps_in_order() -> None:
    steps = s2sgrad.describe(network())
    assert [step.name for step in steps] == [
        "SumBackward0", "MulBackward0", "ExpBackward0", "AddBackward0", "denseBackward", "leaf float32[2]",
        "leaf float32[3, 2]"]
    assert [step.next for step in steps] == [(1,), (2, 3), (3,), (4, 5), (6,), (), ()]
    assert [step.text for step in steps[:5]] == [
        "return y.sum()", "y = h.exp() * h", "y = h.exp() * h", "h = dense(x, w) + b", "h = dense(x, w) + b"]
    assert steps[4].compiled and steps[4].path == "if x.sum() > 0: -> true"
    assert [item.name for item in steps[4].saved] == ["x", "tanh_1"]
    assert [step.bytes for step in steps] == [0, 64, 0, 0, 80, 0, 0]  # memory is counted once
    assert steps.bytes == 144
    table = str(steps).split("\n")
    assert table[0].split() == ["step", "node", "next", "bytes", "saved", "made", "by"]
    assert "tanh_1 float32[4, 2]" in table[5] and table[-1] == "144 bytes besides the leaves"


def test_what_is_freed() -> None:
    z = network()
    z.backward()
    steps = s2sgrad.describe(z)
    assert [step.freed for step in steps] == [False, True, True, False, True, False, False]
    assert steps.bytes == 0 and "freed" in str(steps)


def test_memory_per_line() -> None:
    report = s2sgrad.saved(network())
    assert [(row.text, row.bytes) for row in report] == [
        ("return torch.tanh(x @ w)", 80), ("y = h.exp() * h", 64)]
    assert report.bytes == 144 and "made by" in str(report)


def test_other_nodes() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * 1)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(3, requires_grad=True)
    y = x * 1
    y[0] = 2.0
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: 0, lambda kept: x):
        y = y.exp()
    first, = torch.autograd.grad((Double.apply(y) * x.sin()).sum(), x, create_graph=True)
    steps = s2sgrad.describe(first.sum())
    names = {step.name for step in steps}
    assert {"DoubleBackward", "torch::autograd::CopySlices", "ExpBackward0"} <= names
    assert s2sgrad.saved(first.sum()).bytes > 0 and steps.dot() and steps.svg()
    assert [step.name for step in s2sgrad.describe(x)] == ["leaf float32[3]"]


def test_pictures(tmp_path: Path) -> None:
    steps = s2sgrad.describe(network())
    picture = ElementTree.fromstring(steps.svg())
    boxes = picture.findall(".//{http://www.w3.org/2000/svg}rect")
    assert [box.get("class") for box in boxes] == ["node"] * 4 + ["compiled"] + ["leaf"] * 2
    assert len(picture.findall(".//{http://www.w3.org/2000/svg}path[@class='edge']")) == 7
    assert not {(box.get("x"), box.get("y")) for box in boxes} - {(box.get("x"), box.get("y")) for box in boxes[:7]}
    dot = steps.dot()
    assert dot.startswith("digraph backward {") and dot.count("->") == 7 + 1  # and one in the words of a path
    assert "<svg" in steps.html() and "<table>" in steps.html() and steps._repr_html_() == steps.svg()
    for name, start in (("graph.svg", "<svg"), ("graph.html", "<!DOCTYPE html>"), ("graph.dot", "digraph"),
                        ("graph.txt", "step")):
        steps.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_what_has_no_graph() -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        s2sgrad.describe(torch.ones(2))
    with pytest.raises(TypeError, match="takes a Tensor, not float"):
        s2sgrad.describe(2.0)
