"""L-BFGS: Newton's method with a Hessian guessed from the last steps."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from s2sgrad.autograd import enable_grad
from s2sgrad.optim.optimizer import Optimizer
from s2sgrad.optim.wolfe import Point, search


class LBFGS(Optimizer):
    """Each step runs up to ``max_iter`` iterations, and calls the closure as often; there is one group of tensors.

    ``line_search_fn``: None, and steps have the length ``lr``; or ``"strong_wolfe"``, and they go to where the loss and
    its slope have fallen enough.
    """

    def __init__(self, params: Iterable, lr: float = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None):
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self.tensors = self.param_groups[0]["params"]

    def gradient(self) -> np.ndarray:
        return np.concatenate([np.zeros(tensor._array.size, tensor._array.dtype) if tensor._grad is None
                               else tensor._grad._array.reshape(-1) for tensor in self.tensors])

    def move(self, length: float, direction: np.ndarray) -> None:
        start = 0
        for tensor in self.tensors:
            array = tensor._array
            array += length * direction[start:start + array.size].reshape(array.shape)
            tensor._written.bump()
            start += array.size

    def step(self, closure: Callable | None = None) -> Any:
        """Iterate. ``closure`` clears the gradients, computes the loss and its gradients, and returns the loss."""
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")
        group, state = self.param_groups[0], self.state[self.tensors[0]]
        with enable_grad():
            first = closure()
        loss, gradient = float(first), self.gradient()
        state["func_evals"] = state.get("func_evals", 0) + 1
        state.setdefault("n_iter", 0)
        evaluated = 1
        if np.abs(gradient).max() <= group["tolerance_grad"]:
            return first
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self.turn(state, gradient, group["history_size"])
            before, state["before"] = loss, gradient
            state["length"] = min(1.0, 1.0 / float(np.abs(gradient).sum())) * group["lr"] \
                if state["n_iter"] == 1 else group["lr"]
            slope = float(gradient @ state["direction"])
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is not None:
                point, tried = self.search(closure, state, Point(0.0, loss, gradient, slope),
                                           group["max_eval"] - evaluated)
                self.move(point.length, state["direction"])
                state["length"], loss, gradient = point.length, point.loss, point.gradient
            else:
                self.move(state["length"], state["direction"])
                if iteration == group["max_iter"]:
                    break
                with enable_grad():
                    loss = float(closure())
                gradient, tried = self.gradient(), 1
            evaluated += tried
            state["func_evals"] += tried
            if evaluated >= group["max_eval"] or np.abs(gradient).max() <= group["tolerance_grad"] \
                    or np.abs(state["direction"] * state["length"]).max() <= group["tolerance_change"] \
                    or abs(loss - before) < group["tolerance_change"]:
                break
        return first

    def search(self, closure: Callable, state: dict[str, Any], start: Point, most: int) -> tuple[Point, int]:
        """Find out how far to go, and leave the tensors where they are."""
        group, direction = self.param_groups[0], state["direction"]
        if group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        kept = [tensor._array.copy() for tensor in self.tensors]

        def at(length: float) -> Point:
            self.move(length, direction)
            with enable_grad():
                loss = float(closure())
            gradient = self.gradient()
            for tensor, values in zip(self.tensors, kept):
                np.copyto(tensor._array, values)
                tensor._written.bump()
            return Point(length, loss, gradient, float(gradient @ direction))

        return search(at, state["length"], start, float(np.abs(direction).max()), group["tolerance_change"], most)

    def turn(self, state: dict[str, Any], gradient: np.ndarray, most: int) -> None:
        """Choose the direction of the next step."""
        if state["n_iter"] == 1:
            state.update(direction=-gradient, changes=[], steps=[], weights=[], scale=1)
            return
        change, step = gradient - state["before"], state["direction"] * state["length"]
        bend = change @ step
        if bend > 1e-10:
            if len(state["steps"]) == most:
                for name in ("changes", "steps", "weights"):
                    state[name].pop(0)
            state["changes"].append(change)
            state["steps"].append(step)
            state["weights"].append(1 / bend)
            state["scale"] = bend / (change @ change)
        history = list(zip(state["changes"], state["steps"], state["weights"]))
        direction, shares = -gradient, []
        for change, step, weight in reversed(history):
            shares.append(step @ direction * weight)
            direction = direction - shares[-1] * change
        direction = direction * state["scale"]
        for (change, step, weight), share in zip(history, reversed(shares)):
            direction = direction + step * (share - change @ direction * weight)
        state["direction"] = direction
