"""Random functions over tensors: what the decorated function gives must be what the plain one gives, gradients and
gradients of gradients included."""
from __future__ import annotations

import math
import random
import warnings
from typing import Any

import s2sgrad as torch
from s2sgrad.errors import UnsupportedError

UNARY = ["{} * 2", "1 - {}", "-{}", "{}.tanh()", "{}.sin()", "{} ** 2", "{}.abs()", "{}.clone()", "{}.relu()", "{} / 3",
         "{}.clamp(-1, 1)", "{}.flip(0)", "{}.cumsum(0)", "{}.softmax(0)", "{}.sigmoid()", "torch.exp({} * 0.3)",
         "{}.sum(0, keepdim=True)", "{} - {}.mean()", "{}.detach() * {}", "{}.norm() * {}", "k * {}", "{} * n",
         "{} / {}.size(0)", "{}.max(0).values", "{}.sort(0)[0]", "torch.where({} > 0, {}, {} * 0.5)", "{}.data + {}",
         "{}.masked_fill({} > 0.5, 0.25)", "{}.var(0, keepdim=True)", "{}.std(-1)", "{}.mean(-1, keepdim=True)",
         "{}.log_softmax(-1)", "{}.logsumexp(0)", "torch.add({}, {}, alpha=2)", "{}.lerp({}, 0.25)", "{}.div(0.3)",
         "{}.roll(1, 0)", "F.layer_norm({}, (3,))", "F.pad({}, (1, 0))", "F.pad({}, (1, 1), value=0.5)",
         "{}.repeat_interleave(2, 0)", "{}.diff(dim=0)", "{}.clamp(min=-0.5)", "{}.square().sqrt()", "{}.prod(0)",
         "{}.amax(-1)", "{}.norm(dim=0)", "{}.median()", "F.leaky_relu({})", "F.softplus({})", "{}.nan_to_num()",
         "{}.logit()", "2 / ({} * {} + 1)", "{} % 0.7", "{}.float().double()", "{}.expand_as({})", "{}.tril()"]
BINARY = ["{} + {}", "{} * {}", "{} - {}", "torch.maximum({}, {})", "torch.where({} > 0, {}, {})",
          "torch.stack([{}, {}])[0]", "torch.cat([{}, {}])[:3]", "{} * {}.sum()", "scaled({}, {})",
          "{} * held.gain + {}", "torch.cat(({}, {}), axis=-1)", "torch.stack([{}, {}], dim=1)", "{} @ {}", "{} @ {}.T",
          "torch.hypot({}, {})", "torch.outer({}[0], {}[0])", "F.mse_loss({}, {})", "{}.where({} > 0, {})",
          "torch.einsum('ij,ij->i', {}, {})", "torch.logaddexp({}, {})", "F.linear({}, {})", "{}.atan2({})",
          "{}.minimum({})", "torch.tensordot({}, {}, 1)", "torch.lerp({}, {}, {})"]
VIEWS = ["{}[0]", "{}[1:]", "{}.T", "{}[None]", "{}.unsqueeze(0)", "{}[-1]", "{}.reshape(-1)", "{}[..., 0]",
         "{}.flatten()", "{}[[0, 0, 1]]", "{}[0, :, places]", "{}[:, places]", "{}[None, places, 0]", "{}[{} > 0]",
         "{}.index_select(0, places)", "{}[..., None]", "{}.permute(1, 0)", "{}.expand(2, 3, 3)", "{}[1:, 0]",
         "{}.unflatten(0, (1, 3))", "{}.diagonal()", "{}.movedim(0, -1)", "{}.squeeze(0)", "{}[places, ..., 0]"]
TESTS = ["{}.sum() > 0", "{}.norm().item() < 2", "n > 1", "{}.data.max() > 1", "flag", "{}.mean() < {}.max()"]
WRITES = ["{} += 1", "{} *= 2", "{}[0] = 0.5", "{}[1:] *= 3", "{}[0] += {}.sum()", "{} -= {}", "{}[{} > 1] = 0.0",
          "{}[places] = {}[:2]", "{}[0, :, places] = 0.5", "{}[:, 0] = {}[:, 1]", "{} /= 2", "{}[-1] -= {}[0]"]


class Writer:
    """A function's body, written without being run."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = ["x", "w", "outer"]
        self.count = 0

    def pick(self) -> str:
        return self.random.choice(self.names[-5:] if self.random.random() < 0.6 else self.names)

    def filled(self, template: str) -> str:
        first, rest = self.pick(), template
        while "{}" in rest:
            rest = rest.replace("{}", first, 1)
            first = self.pick() if self.random.random() < 0.5 else first
        return rest

    def body(self, length: int, indent: str) -> None:
        for _ in range(length):
            self.statement(indent)

    def statement(self, indent: str) -> None:
        kind = self.random.random()
        if kind < 0.6:
            template = self.random.choice(UNARY if kind < 0.3 else BINARY if kind < 0.5 else VIEWS)
            text = self.filled(template)
            if self.random.random() < 0.25 and len(self.names) > 3:
                target = self.random.choice(self.names[3:])
            else:
                target = f"a{self.count}"
                self.count += 1
            self.lines.append(f"{indent}{target} = {text}")
            if target not in self.names:
                self.names.append(target)
        elif kind < 0.72 and len(self.names) > 3:
            template = self.random.choice(WRITES)
            held, self.names = self.names, self.names[3:]
            self.lines.append(f"{indent}{self.filled(template)}")
            self.names = held
        elif kind < 0.84:
            self.lines.append(f"{indent}if {self.filled(self.random.choice(TESTS))}:")
            self.block(indent)
            if self.random.random() < 0.6:
                self.lines.append(f"{indent}else:")
                self.block(indent)
        elif kind < 0.94:
            turns = self.random.choice(["for i in range(n)", "for row in x", "for i, row in enumerate(w)"])
            self.lines.append(f"{indent}{turns}:")
            if "row" in turns:
                self.names.append("row")
            self.block(indent)
            if self.random.random() < 0.3:
                word = self.random.choice(["break", "continue"])
                self.lines.append(f"{indent}    if {self.filled(self.random.choice(TESTS))}:\n{indent}        {word}")
        else:
            self.lines.append(f"{indent}with torch.no_grad():")
            self.block(indent)

    def block(self, indent: str) -> None:
        """What is bound first in a block may not be bound behind it."""
        before = list(self.names)
        if len(indent) > 8:
            inner = f"{before[-1]} = {before[-1]} * 1.5" if len(before) > 3 else "pass"
            self.lines.append(f"{indent}    {inner}")
        else:
            self.body(self.random.randint(1, 2), indent + "    ")
        self.names = before

    def write(self) -> str:
        self.body(self.random.randint(3, 7), "    ")
        results = [self.pick() for _ in range(self.random.randint(1, 2))]
        return "\n".join(["def f(x, w, n, flag, k=0.5):", *self.lines, f"    return {', '.join(results)}", ""])


HEADER = """import types

import s2sgrad as torch
import s2sgrad.nn.functional as F

places = torch.tensor([2, 0])
outer = torch.tensor([[0.3, -0.2, 0.4]], requires_grad=True)
held = types.SimpleNamespace(gain=torch.tensor(1.5, requires_grad=True))


def scaled(x, y):
    if x.sum() > y.sum():
        return x * y
    return x - y


"""


def outcome(function: Any, module: Any, arguments: tuple) -> list[Any]:
    """Results, flags and gradients, as far as the function gets."""
    x = torch.tensor([[0.5, -1.0, 0.75], [1.25, 0.25, -0.5], [0.1, 2.0, -1.5]], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([[1.0, 0.5, -0.25], [-0.75, 0.3, 1.0], [0.6, -0.2, 0.9]], dtype=torch.float64, requires_grad=True)
    leaves = [x, w, module.outer, module.held.gain]
    found: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = function(x, w, *arguments)
        except UnsupportedError:
            raise
        except Exception as error:
            return [type(error).__name__]
        results = results if isinstance(results, tuple) else (results,)
        found += [(list(item.shape), item.dtype, [round(value, 6) for value in item.reshape(-1).tolist()])
                  for item in results]
        total = sum((item * (torch.arange(item.numel()).reshape(item.shape) * 0.25 + 0.5)).sum() for item in results)
        if not total.requires_grad:
            return found
        try:
            first = torch.autograd.grad(total, leaves, create_graph=True, allow_unused=True)
        except RuntimeError as error:  # eager: what was saved was written into
            return [type(error).__name__]
        found += [None if item is None else numbers(item) for item in first]
        squares = [(item ** 2).sum() for item in first if item is not None and item.requires_grad]
        if squares:
            try:
                second = torch.autograd.grad(sum(squares[1:], squares[0]), leaves, allow_unused=True)
            except UnsupportedError:
                found.append("refused")
                return found
            found += [None if item is None else numbers(item) for item in second]
    return found


def agree(first: Any, second: Any) -> bool:
    """Whether two outcomes do, but for flags, and for zeros where the other has nothing."""
    if isinstance(first, float) and isinstance(second, float):
        return first == second or math.isnan(first) and math.isnan(second) or math.isclose(
            first, second, rel_tol=1e-5, abs_tol=2e-5)
    if first is None or second is None:
        return not any(first or second or ())
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(agree, first, second))
    return bool(first == second)


def numbers(tensor: Any) -> list[float]:
    return [round(value, 5) for value in tensor.reshape(-1).tolist()]
