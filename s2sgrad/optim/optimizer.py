"""What optimisers have in common; gradient descent, and Adam."""
from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from s2sgrad.autograd import enable_grad
from s2sgrad.shim.state import state as shared
from s2sgrad.shim.tensor import Tensor, new_tensor


class Optimizer:
    """Changes leaves, in groups that may have options of their own.

    Attributes
    ----------
    param_groups
        A dict for each group: its tensors under ``"params"``, and its options.
    state
        What is remembered of each tensor.
    """

    def __init__(self, params: Iterable, defaults: dict[str, Any]):
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            f"{Tensor.__name__}")
        self.defaults = defaults
        self.state: dict[Tensor, dict] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        group = dict(param_group)
        group["params"] = [group["params"]] if isinstance(group["params"], Tensor) else list(group["params"])
        known = {id(tensor) for other in self.param_groups for tensor in other["params"]}
        for tensor in group["params"]:
            if not isinstance(tensor, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is "
                                f"{type(tensor).__name__}")
            if not tensor.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if id(tensor) in known:
                raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({**self.defaults, **group})

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for tensor in group["params"]:
                if set_to_none or tensor._grad is None:
                    tensor.grad = None
                else:
                    tensor._grad = tensor._grad.detach()
                    tensor._grad.zero_()

    def step(self, closure: Callable | None = None) -> Any:
        """Change the tensors by their gradients. ``closure`` computes the loss again."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        quiet = shared.now.quiet
        for group in self.param_groups:
            for tensor in group["params"]:
                if tensor._grad is not None:
                    quiet.run(self.update, tensor, tensor._grad._array, group)
                    tensor._written.bump()
        return loss

    def update(self, tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [*([""] if number else []), f"Parameter Group {number}",
                      *(f"    {name}: {group[name]}" for name in sorted(group) if name != "params")]
        return "\n".join([*lines, ")"])

    def state_dict(self) -> dict[str, Any]:
        """All that is remembered, with tensors as numbers."""
        numbers = {id(tensor): number for number, tensor in enumerate(
            tensor for group in self.param_groups for tensor in group["params"])}
        groups = [{**group, "params": [numbers[id(tensor)] for tensor in group["params"]]}
                  for group in self.param_groups]
        return {"state": {numbers[id(tensor)]: held for tensor, held in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        saved = copy.deepcopy(state_dict)
        sizes = [[len(group["params"]) for group in groups] for groups in (self.param_groups, saved["param_groups"])]
        if len(sizes[0]) != len(sizes[1]):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if sizes[0] != sizes[1]:
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                             "group")
        tensors = [tensor for group in self.param_groups for tensor in group["params"]]
        for group, other in zip(self.param_groups, saved["param_groups"]):
            group.update({name: value for name, value in other.items() if name != "params"})
        self.state = defaultdict(dict, {tensors[number]: held for number, held in saved["state"].items()})


def checked(**options: float) -> None:
    for name, value in options.items():
        if value < 0:
            raise ValueError(f"Invalid {name.replace('lr', 'learning rate')}: {value}" if name == "lr"
                             else f"Invalid {name} value: {value}")


def unused(foreach: bool | None, differentiable: bool, fused: bool | None, **more: bool) -> dict[str, Any]:
    """Options that say how PyTorch computes a step, for which there is one way here. Raises RuntimeError where they
    would change what comes of it."""
    if differentiable:
        raise RuntimeError("differentiable=True is not supported: steps are not recorded")
    return {"foreach": foreach, **more, "differentiable": differentiable, "fused": fused}


class SGD(Optimizer):
    """Gradient descent, with momentum."""

    def __init__(self, params: Iterable, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None):
        checked(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize, **unused(foreach, differentiable, fused)})

    def update(self, tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> None:
        if group["maximize"]:
            gradient = -gradient
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * tensor._array
        momentum = group["momentum"]
        if momentum:
            state = self.state[tensor]
            held = state.get("momentum_buffer")
            if held is None:
                held = state["momentum_buffer"] = new_tensor(np.array(gradient))
            else:
                held._array *= momentum
                held._array += (1 - group["dampening"]) * gradient
            gradient = gradient + momentum * held._array if group["nesterov"] else held._array
        tensor._array -= float(group["lr"]) * gradient


class Adam(Optimizer):
    """Steps of about one size, scaled by running means of gradients and of their squares."""

    def __init__(self, params: Iterable, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None, decoupled_weight_decay: bool = False):
        checked(lr=lr, epsilon=eps, weight_decay=weight_decay)
        for number, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {number}: {beta}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "amsgrad": amsgrad, "maximize": maximize,
                                  **unused(foreach, differentiable, fused, capturable=capturable),
                                  "decoupled_weight_decay": decoupled_weight_decay})

    def update(self, tensor: Tensor, gradient: np.ndarray, group: dict[str, Any]) -> None:
        if group["maximize"]:
            gradient = -gradient
        if group["decoupled_weight_decay"]:
            tensor._array *= 1 - float(group["lr"]) * group["weight_decay"]
        elif group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * tensor._array
        state = self.state[tensor]
        if not state:
            state["step"] = new_tensor(np.zeros((), np.float32))
            for name in ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else [])):
                state[name] = new_tensor(np.zeros_like(tensor._array))
        state["step"]._array += 1
        count = float(state["step"]._array)
        (first, second), mean, squares = group["betas"], state["exp_avg"]._array, state["exp_avg_sq"]._array
        mean += (1 - first) * (gradient - mean)
        squares *= second
        squares += (1 - second) * gradient * gradient
        if group["amsgrad"]:
            squares = np.maximum(state["max_exp_avg_sq"]._array, squares, out=state["max_exp_avg_sq"]._array)
        scale = np.sqrt(squares) / (1 - second ** count) ** 0.5 + group["eps"]
        tensor._array -= float(group["lr"]) / (1 - first ** count) * mean / scale


class AdamW(Adam):
    """Adam whose weights decay by themselves, not through the gradient."""

    def __init__(self, params: Iterable, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, **options: Any):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **options)
