"""Random programs on tensors: operations, views, writes in place, detours around the graph, backward passes.

The same program runs on PyTorch and on s2sgrad; what it prints must agree.
"""
from __future__ import annotations

import random
from typing import Any

UNARY = ["{} * 2", "{} + 1", "-{}", "{}.tanh()", "{}.sin()", "{} ** 2", "{}.abs()", "{}.clone()", "{}.relu()", "{} / 3",
         "1 - {}", "{}.exp().log()", "{}.clamp(-1, 1)", "{}.flip(0)", "{}.cumsum(0)", "{}.softmax(0)", "{}.sort(0)[0]",
         "{} * 0.5 + 0.25"]
BINARY = ["{} + {}", "{} * {}", "{} - {}", "{}.maximum({})", "torch.where({} > 0, {}, {})"]
VIEWS = ["{}[0]", "{}[1:]", "{}[:, 1]", "{}.t()", "{}[0:2, 1:]", "{}.view(-1)", "{}[..., 0]", "{}[None]",
         "{}.unsqueeze(1)", "{}[-1]", "{}.transpose(0, 1)", "{}.diagonal()", "{}.detach()", "{}.unbind(0)[0]"]
WRITES = ["{}.mul_(2)", "{}.add_(1)", "{}.tanh_()", "{}.neg_()", "{}.zero_()", "{}.exp_()", "{}.clamp_(-2, 2)",
          "{}[0] = 0.5", "{} += 1", "{}[1:] *= 3", "{}.view(-1)[0] = 2.0", "{}.fill_(0.75)", "{}[{} > 0.5] = 0.25",
          "{}.t().mul_(2)"]
WRITES_OF = ["{}.add_({})", "{}.mul_({})", "{}.copy_({})", "{}[0] = {}", "{}[:1] = {}", "{}.sub_({})", "{} += {}"]


class Overlap(Exception):
    """A program that has no meaning in PyTorch."""


class Writer:
    """One program, written without being run: shapes of names are found out by running it."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = ["x", "w"]

    def pick(self, count: int) -> list[str]:
        return [self.random.choice(self.names[-5:] if self.random.random() < 0.7 else self.names) for _ in range(count)]

    def write(self, length: int) -> str:
        for number in range(length):
            kind = self.random.random()
            fresh = f"a{number}"
            if kind < 0.25:
                self.make(fresh, self.random.choice(UNARY))
            elif kind < 0.4:
                self.make(fresh, self.random.choice(BINARY))
            elif kind < 0.65:
                self.make(fresh, self.random.choice(VIEWS))
            elif kind < 0.95:
                self.lines.append(self.filled(self.random.choice(WRITES if kind < 0.83 else WRITES_OF)))
            else:
                self.lines.append(f"with torch.no_grad(): {self.filled(self.random.choice(WRITES[:6]))}")
        return "\n".join(self.lines)

    def make(self, fresh: str, template: str) -> None:
        self.lines.append(f"{fresh} = {self.filled(template)}")
        self.names.append(fresh)

    def filled(self, template: str) -> str:
        return template.format(*self.pick(template.count("{}")))


def outcome(torch: Any, text: str) -> list[str]:
    """What each line does, and the gradients at the end, as text. A line that fails is left out."""
    names: dict[str, Any] = {"torch": torch}
    names["x"] = torch.tensor([[0.5, -1.0, 0.75], [1.25, 0.25, -0.5], [0.1, 2.0, -1.5]], requires_grad=True)
    names["w"] = torch.tensor([[1.0, 0.5, -0.25], [-0.75, 0.3, 1.0], [0.6, -0.2, 0.9]], requires_grad=True)
    said = []
    for line in text.split("\n"):
        try:
            exec(line, names)
        except Exception as error:
            if "some elements of the input tensor" in str(error):  # operands overlap what is written
                raise Overlap from None
            said.append(f"{line}: {type(error).__name__}")
    total = 0
    tensors = {name: value for name, value in names.items() if type(value).__name__ == "Tensor"}
    for name, value in tensors.items():
        said.append(f"{name}: {numbers(value)} {value.requires_grad} {value.is_leaf}")
        if value.requires_grad and name not in "xw":
            weights = torch.arange(value.numel()).reshape(value.shape) * 0.25 + 0.5
            total = total + (value * weights).sum()
    if isinstance(total, torch.Tensor):
        try:
            first = torch.autograd.grad(total, [names["x"], names["w"]], create_graph=True, allow_unused=True)
            said += [f"first: {item is not None and numbers(item)}" for item in first]
            sum((item ** 2).sum() for item in first if item is not None).backward()
        except Exception as error:
            said.append(f"backward: {type(error).__name__}")
        else:
            said += [f"{name}.grad: {None if names[name].grad is None else numbers(names[name].grad)}" for name in "xw"]
    return said


def differ(torch: Any, other: Any, text: str) -> list[str]:
    """Where PyTorch and the other disagree; nothing where PyTorch refuses what the other can do."""
    try:
        expected = outcome(torch, text)
    except (Overlap, RuntimeError):  # the latter where several views of one operation were written into
        return []
    found = outcome(other, text)
    return [f"{one} != {two}" for one, two in zip(expected, found) if one != two and not close(one, two)]


def close(one: str, two: str) -> bool:
    """Whether only numbers differ, and not by more than printing them may make."""
    pairs = list(zip(one.split(), two.split()))
    if len(one.split()) != len(two.split()):
        return False
    for first, second in pairs:
        try:
            if abs(float(first) - float(second)) > 0.0015 + 1e-3 * abs(float(first)):
                return False
        except ValueError:
            if first != second:
                return False
    return True


def numbers(value: Any) -> str:
    return " ".join(f"{item:.3f}".replace("-0.000", "0.000") for item in value.detach().reshape(-1).tolist())


if __name__ == "__main__":
    import sys

    import torch

    import s2sgrad

    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        text = Writer(seed).write(8)
        found = differ(torch, s2sgrad, text)
        if found:
            print("\n   ".join([f"--- {seed}\n{text}", *found]))
