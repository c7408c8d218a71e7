"""Descent whose steps are scaled by what each element's gradients were so far."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sgrad.optim.optimizer import Optimizer, checked, unused
from s2sgrad.shim.tensor import Tensor, new_tensor


def decayed(tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> np.ndarray:
    """The gradient of what is made smaller, with that of the weights' squares."""
    gradient = -gradient if group["maximize"] else gradient
    return gradient + group["weight_decay"] * tensor._array if group["weight_decay"] else gradient


def remembered(state: dict[str, Any], tensor: Tensor, **first: float) -> None:
    """What is remembered of a tensor, from the first step on."""
    if not state:
        state["step"] = new_tensor(np.zeros((), np.float32))
        state.update((name, new_tensor(np.full_like(tensor._array, value))) for name, value in first.items())


class RMSprop(Optimizer):
    """Steps over the root of a running mean of the gradients' squares."""

    def __init__(self, params: Iterable, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False,
                 foreach: bool | None = None, maximize: bool = False, differentiable: bool = False):
        checked(lr=lr, epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        options = unused(foreach, differentiable, None, capturable=capturable)
        del options["fused"]
        super().__init__(params, {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                                  "weight_decay": weight_decay, "maximize": maximize, **options})

    def update(self, tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> None:
        gradient, share = decayed(tensor, gradient, group), group["alpha"]
        state = self.state[tensor]
        remembered(state, tensor, square_avg=0, **({"momentum_buffer": 0} if group["momentum"] else {}),
                   **({"grad_avg": 0} if group["centered"] else {}))
        state["step"]._array += 1
        squares = state["square_avg"]._array
        squares *= share
        squares += (1 - share) * gradient * gradient
        if group["centered"]:
            mean = state["grad_avg"]._array
            mean += (1 - share) * (gradient - mean)
            squares = squares - mean * mean
        step = gradient / (np.sqrt(squares) + group["eps"])
        if group["momentum"]:
            held = state["momentum_buffer"]._array
            held *= group["momentum"]
            held += step
            step = held
        tensor._array -= float(group["lr"]) * step


class Adagrad(Optimizer):
    """Steps over the root of the sum of the gradients' squares."""

    def __init__(self, params: Iterable, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False, fused: bool | None = None):
        checked(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay,
                initial_accumulator_value=initial_accumulator_value, epsilon=eps)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "maximize": maximize,
                                  **unused(foreach, differentiable, fused)})
        for group in self.param_groups:
            for tensor in group["params"]:
                remembered(self.state[tensor], tensor, sum=group["initial_accumulator_value"])

    def update(self, tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> None:
        gradient = decayed(tensor, gradient, group)
        state = self.state[tensor]
        remembered(state, tensor, sum=group["initial_accumulator_value"])
        state["step"]._array += 1
        rate = float(group["lr"]) / (1 + (float(state["step"]._array) - 1) * group["lr_decay"])
        total = state["sum"]._array
        total += gradient * gradient
        tensor._array -= rate * gradient / (np.sqrt(total) + group["eps"])


class Adadelta(Optimizer):
    """Steps as large as the last ones were, in proportion to the gradients."""

    def __init__(self, params: Iterable, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6,
                 weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False,
                 maximize: bool = False, differentiable: bool = False):
        checked(lr=lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        checked(epsilon=eps, weight_decay=weight_decay)
        options = unused(foreach, differentiable, None, capturable=capturable)
        del options["fused"]
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize, **options})

    def update(self, tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> None:
        gradient, share, eps = decayed(tensor, gradient, group), group["rho"], group["eps"]
        state = self.state[tensor]
        remembered(state, tensor, square_avg=0, acc_delta=0)
        state["step"]._array += 1
        squares, steps = state["square_avg"]._array, state["acc_delta"]._array
        squares *= share
        squares += (1 - share) * gradient * gradient
        step = np.sqrt(steps + eps) / np.sqrt(squares + eps) * gradient
        steps *= share
        steps += (1 - share) * step * step
        tensor._array -= float(group["lr"]) * step


class Adamax(Optimizer):
    """Adam with the largest of the gradients in place of the mean of their squares."""

    def __init__(self, params: Iterable, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
                 differentiable: bool = False, capturable: bool = False):
        checked(lr=lr, epsilon=eps, weight_decay=weight_decay)
        for number, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {number}: {beta}")
        options = unused(foreach, differentiable, None, capturable=capturable)
        del options["fused"]
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize, **options})

    def update(self, tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> None:
        gradient, (first, second) = decayed(tensor, gradient, group), group["betas"]
        state = self.state[tensor]
        remembered(state, tensor, exp_avg=0, exp_inf=0)
        state["step"]._array += 1
        mean, largest = state["exp_avg"]._array, state["exp_inf"]._array
        mean += (1 - first) * (gradient - mean)
        np.maximum(largest * second, np.abs(gradient) + group["eps"], out=largest)
        tensor._array -= float(group["lr"]) / (1 - first ** float(state["step"]._array)) * mean / largest
