"""Expressions run with PyTorch, to record its answers, and with s2sgrad, to compare.

``python tests/torch_runs.py``, where PyTorch is installed, records the answers anew.
"""
from __future__ import annotations

import importlib
import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from torch_expressions import expressions

ANSWERS = Path(__file__).parent / "torch_answers.json"
KNOWN = {
    **dict.fromkeys(("0 ** k", "(k * 0).norm()"), "second"),  # NaN in PyTorch at what has a limit
    **dict.fromkeys(("a @ q.mT", "q.matmul(q.mT)", "torch.einsum('ij,j->i', x, v)", "torch.einsum('ij,ij->', x, z)",
                     "torch.einsum('ij,kj->ik', x, z)", "torch.einsum('bij,jk->bik', q, a)",
                     "torch.einsum('i,j', v, w)", "torch.einsum('ij->ji', x)", "torch.einsum('ij->', x)",
                     "torch.einsum('ii->i', a)",
                     "x.repeat_interleave(2, 0)", "x.repeat_interleave(2)", "x.dist(z)", "torch.dist(x, z, 1)",
                     "torch.std_mean(x)", "k.aminmax()", "torch.trapezoid(x, z)", "F.glu(x)",
                     "x.scatter_reduce(0, j, z, 'sum')", "x.scatter_reduce(0, j, z, 'sum', include_self=False)",
                     "torch.scatter_reduce(x, 0, j, z, 'mean')", "torch.combinations(v)",
                     "torch.combinations(w, 2, True)", "torch.addbmm(x[:, :3], q, q.mT, beta=0.5, alpha=2)",
                     "torch.vdot(v, v)", "torch.chain_matmul(x, a, a)", "torch.einsum(x, [0, 1], v, [1], [0])",
                     "torch.einsum(x, [0, 1], z, [0, 1])", "torch.linalg.lstsq(a, v).solution",
                     "F.pixel_shuffle(a.reshape(4, 2, 2), 2)",
                     "F.scaled_dot_product_attention(q, q, q)",
                     "F.scaled_dot_product_attention(q, q, q, is_causal=True)",
                     "F.bilinear(x, z, a[None])", "torch.renorm(x, 2, 0, 1.0)", "x.renorm(1, 1, 2.0)",
                     "torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x.T)",
                     "torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x, left=False)",
                     "torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x.T, adjoint=True)",
                     "torch.linalg.solve_triangular(a, x, upper=True, left=False)", "x.scatter_reduce(0, j, z, 'prod')",
                     "k.scatter_reduce(0, j, k, 'prod')", "x.scatter_reduce(0, j, z, 'prod', include_self=False)",
                     "(w * 1).addmv_(x, v)", "(x * 1).addr_(w, v)",
                     "F.pairwise_distance(x, z)", "F.pad(q, (1, 1), mode='circular')", "torch.block_diag(x, a)"),
                    "grad_fn"),  # where PyTorch puts the operation together from others, or has one node of its own
    **dict.fromkeys(("F.nll_loss(x, torch.tensor([1, 0, 3]))", "F.nll_loss(x, torch.tensor([1, 0, 3]), p[0].detach())",
                     "F.nll_loss(x, torch.tensor([1, 0, 3]), ignore_index=3, reduction='sum')",
                     "F.binary_cross_entropy((k / 3).clamp(0, 1), b.float())", "F.softshrink(x)",
                     "F.pad(q, (1, 1), mode='reflect')", "k.scatter_reduce(0, j, k, 'amax')",
                     "x.scatter_reduce(0, j[:2], z[:2], 'amax')", "x.clone().scatter_reduce_(0, j, z, 'amax')",
                     "x.scatter_reduce(0, j, z, 'amin', include_self=False)"), "second"),
    **dict.fromkeys(("F.avg_pool1d(x, 2)", "F.avg_pool1d(q, 3, 1, 1)", "F.avg_pool1d(q, 2, ceil_mode=True)",
                     "F.avg_pool2d(q, 2)", "F.avg_pool2d(q, (2, 3), 1, (1, 1))",
                     "F.avg_pool2d(q, 2, 2, 1, count_include_pad=False)", "F.avg_pool2d(q, 2, 2, 1, True, False)",
                     "F.avg_pool2d(q, 2, ceil_mode=True)", "F.avg_pool2d(q, 2, padding=1, ceil_mode=True)",
                     "F.adaptive_avg_pool2d(q, 2)", "F.adaptive_avg_pool2d(q, (2, 3))",
                     "F.adaptive_avg_pool2d(q, (None, 1))", "F.adaptive_avg_pool1d(x, 3)",
                     "F.batch_norm(q, w.detach(), w.detach().abs())",
                     "F.leaky_relu_(x * 1, 0.2)", "F.hardtanh_(x * 1)", "F.threshold_(x * 1, 0.1, 2.0)"), "second"),
    **dict.fromkeys(("torch.vander(v)", "torch.vander(w, 2)", "torch.vander(v, increasing=True)",
                     "torch.linalg.cond(a, 1)", "torch.linalg.cond(a, 'fro')",
                     "F.batch_norm(q, None, None, None, w, True)"), "error first second grad_fn"),  # PyTorch's fail
    **dict.fromkeys(("F.avg_pool2d(q, 2, divisor_override=3)", "torch.scatter_reduce(x, 1, j, p, 'prod')",
                     "x.quantile(0.5)", "torch.quantile(x, 0.4, interpolation='lower')"), "grad_fn second"),
    # zeros of PyTorch's that depend on nothing, and what is 1e32 or 1e20 where a logarithm ends
}
"""Of some expressions what differs: the parts of an answer that are not compared."""
MORE = ("d", "sd", "e", "e2", "nc", "one")
LEAVES = ("x", "z", "p", "v", "w", "a", "q", "s", "k", *MORE)


def values(count: int, seed: int) -> list[float]:
    state, found = seed, []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2 ** 31
        found.append(round(4 * state / 2 ** 31 - 2, 3) or 0.5)
    return found


def environment(torch: Any) -> dict[str, Any]:
    def made(seed: int, *shape: int) -> Any:
        return torch.tensor(values(math.prod(shape), seed)).reshape(shape)

    found = {"x": made(1, 3, 4), "z": made(2, 3, 4), "p": made(3, 3, 4).abs() + 0.25, "v": made(4, 4), "w": made(5, 3),
             "a": made(6, 4, 4), "q": made(7, 2, 3, 4), "s": torch.tensor(0.625),
             "k": torch.tensor([[0.0, 1.0, 1.0, 2.0], [3.0, 0.0, 3.0, 1.0], [2.0, 2.0, 0.5, 0.0]])}
    found = {name: tensor.clone().detach().requires_grad_() for name, tensor in found.items()}
    found.update({"d": made(1, 3, 4).double(), "sd": torch.tensor(1.25, dtype=torch.float64), "e": torch.zeros(0),
                  "e2": torch.zeros(0, 4), "nc": made(7, 2, 3, 4).transpose(0, 2), "one": torch.tensor([2.5])})
    for name in MORE:
        found[name] = found[name].detach().requires_grad_()
    whole = torch.arange(12).reshape(3, 4) % 5
    kinds = {"i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "u8": torch.uint8}
    return {**found, "i": whole, **{name: whole.to(kind) for name, kind in kinds.items()}, "ni": -whole,
            "si": torch.tensor(3), "sb": torch.tensor(True), "ei": torch.zeros(0, dtype=torch.int64),
            "inf": math.inf, "nan": math.nan, "np": np, "b": made(8, 3, 4) > 0,
            "n": torch.tensor([3, 0, 7, 0, 2]), "j": torch.tensor([[0, 2, 1, 0], [1, 1, 0, 2], [2, 0, 2, 1]]),
            "torch": torch, "F": torch.nn.functional}


def encoded(value: Any) -> Any:
    """What JSON can hold; of a tensor all that may be seen of it but its gradient."""
    kind = type(value).__name__
    if kind == "Tensor":
        found = {"dtype": str(value.dtype), "shape": list(value.shape), "requires_grad": value.requires_grad,
                 "values": [encoded(item) for item in value.detach().clone().reshape(-1).tolist()]}
        if value.grad_fn is not None:
            found["grad_fn"] = type(value.grad_fn).__name__
        return found
    if isinstance(value, (tuple, list)) and kind != "Size":
        return [encoded(item) for item in value]
    if isinstance(value, float):
        return str(value) if not math.isfinite(value) else float(f"{value:.7g}")
    return value if isinstance(value, (bool, int, str, type(None))) else repr(value)


def tensors_in(value: Any) -> list[Any]:
    if type(value).__name__ == "Tensor":
        return [value] if value.requires_grad else []
    return [found for item in value for found in tensors_in(item)] if isinstance(value, (tuple, list)) else []


def answer(torch: Any, text: str) -> dict[str, Any]:
    """The value of an expression, its gradients with fixed weights, and gradients of those."""
    names = environment(torch)
    return answer_to(torch, lambda: eval(text, names), names)


def answer_to(torch: Any, compute: Callable[[], Any], names: dict[str, Any]) -> dict[str, Any]:
    leaves = [names[name] for name in LEAVES]
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = compute()
            found["value"] = encoded(value)
            results = tensors_in(value)
            for order in ("first", "second"):
                if not results:
                    break
                loss = sum((item.double() * torch.tensor(values(item.numel(), 11), dtype=torch.float64)
                            .reshape(item.shape)).sum() for item in results)
                gradients = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
                found[order] = {name: encoded(item.detach()) for name, item in zip(LEAVES, gradients)
                                if item is not None}
                results = [item ** 2 for item in gradients if item is not None and item.requires_grad]
        except Exception as error:
            found["error"] = [type(error).__name__, str(error).strip().split("\n")[0]]
    return found


def compared(text: str, expected: Any, found: Any) -> list[str]:
    """Where the answers to an expression disagree, but for what is known to."""
    ignored = KNOWN.get(text, "").split()
    return [line for line in differences(expected, found)
            if not any(part in line.partition(":")[0].replace("[", ".").split(".") for part in ignored)]


def differences(expected: Any, found: Any, at: str = "") -> list[str]:
    """Where two answers disagree; numbers may differ by single precision's error."""
    if at.endswith("error"):
        same = expected[0] == found[0] and expected[1][:40] == found[1][:40] if expected and found else False
        return [] if same else [f"{at}: {expected} != {found}"]
    if isinstance(expected, dict) and isinstance(found, dict):
        return [line for key in sorted({*expected, *found})
                for line in differences(expected.get(key), found.get(key), f"{at}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [line for place, pair in enumerate(zip(expected, found))
                for line in differences(*pair, f"{at}[{place}]")]
    if isinstance(expected, float) and isinstance(found, float):
        return [] if math.isclose(expected, found, rel_tol=2e-4, abs_tol=2e-5) else [f"{at}: {expected} != {found}"]
    return [] if expected == found else [f"{at}: {expected} != {found}"]


def run(package: str) -> dict[str, Any]:
    torch = importlib.import_module(package)
    return {text: answer(torch, text) for _, text in expressions()}


if __name__ == "__main__":
    found = run("torch")
    lines = ",\n".join(f"{json.dumps(text)}: {json.dumps(item)}" for text, item in found.items())
    ANSWERS.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
