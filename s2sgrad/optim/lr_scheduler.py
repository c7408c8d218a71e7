"""Learning rates that change with the epochs, as ``torch.optim.lr_scheduler`` has them.

Each rate is computed from the one before, so that several schedulers may change the same optimiser.
"""
from __future__ import annotations

import functools
import math
import warnings
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from s2sgrad.optim.optimizer import Optimizer

__all__ = ["ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "ExponentialLR",
           "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "PolynomialLR",
           "ReduceLROnPlateau", "SequentialLR", "StepLR"]

TOO_EARLY = ("Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should "
             "call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this "
             "will result in PyTorch skipping the first value of the learning rate schedule. See more details at "
             "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate")
EPOCH_GIVEN = ("The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
               "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
               "from None, the closed form is used instead of the new chainable form, where available. Please open an "
               "issue if you are unable to replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose.")
NOT_RESUMED = ("param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
               "This typically happens when:\n1. You're trying to resume training from a checkpoint but haven't "
               "properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a fresh training run (not "
               "recommended)")


def an_optimizer(optimizer: Any) -> Optimizer:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def rates(optimizer: Optimizer) -> list[float]:
    return [group["lr"] for group in optimizer.param_groups]


def watched(optimizer: Any) -> None:
    """Make an optimiser remember that it made a step."""
    if "step" in vars(optimizer):
        return
    reference, step = weakref.ref(optimizer), type(optimizer).step

    @functools.wraps(step)
    def stepped(*args: Any, **kwargs: Any) -> Any:
        optimizer = reference()
        optimizer._stepped = True  # type: ignore[union-attr]
        return step(optimizer, *args, **kwargs)  # type: ignore[arg-type]

    optimizer.step = stepped


class LRScheduler:
    """What schedulers have in common: :meth:`get_lr` gives the rates of the epoch that begins.

    Attributes
    ----------
    last_epoch
        The number of the epoch.
    base_lrs
        The rates that the optimiser had at first.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        self.optimizer = an_optimizer(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(NOT_RESUMED.format(number))
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        watched(optimizer)
        self._step_count = 0
        self._is_initial, self._get_lr_called_within_step = True, False
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Begin the next epoch."""
        if self._step_count == 1 and not getattr(self.optimizer, "_stepped", False):
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_GIVEN, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            values = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, values):
            group["lr"] = rate
        self._last_lr = rates(self.optimizer)

    def state_dict(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        vars(self).update(state_dict)


class Factors(LRScheduler):
    """Schedulers that multiply the rates by a factor that :meth:`factor` tells."""

    def factor(self) -> float:
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        told(self)
        factor = self.factor()
        return rates(self.optimizer) if factor == 1 else [rate * factor for rate in rates(self.optimizer)]


def told(scheduler: LRScheduler) -> None:
    if not scheduler._get_lr_called_within_step:
        warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                      UserWarning, stacklevel=3)


def one_each(optimizer: Optimizer, given: Any) -> list[Callable]:
    if not isinstance(given, (list, tuple)):
        return [given] * len(optimizer.param_groups)
    if len(given) != len(optimizer.param_groups):
        raise ValueError(f"Expected {len(optimizer.param_groups)} lr_lambdas, but got {len(given)}")
    return list(given)


class LambdaLR(LRScheduler):
    """The first rate times what a function of the epoch's number gives."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1):
        self.lr_lambdas = one_each(an_optimizer(optimizer), lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        told(self)
        return [base * function(self.last_epoch) for function, base in zip(self.lr_lambdas, self.base_lrs)]

    def state_dict(self) -> dict[str, Any]:
        """Without functions, but with what objects that are called hold."""
        held = [None if isinstance(function, type(one_each)) else dict(vars(function)) for function in self.lr_lambdas]
        return {**{name: value for name, value in super().state_dict().items() if name != "lr_lambdas"},
                "lr_lambdas": held}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        vars(self).update({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, held in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if held is not None:
                vars(function).update(held)


class MultiplicativeLR(LambdaLR):
    """The rate before times what a function of the epoch's number gives."""

    def get_lr(self) -> list[float]:
        told(self)
        if self._is_initial:
            return rates(self.optimizer)
        return [rate * function(self.last_epoch) for function, rate in zip(self.lr_lambdas, rates(self.optimizer))]


class StepLR(Factors):
    """Smaller by a factor every so many epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return 1 if self._is_initial or self.last_epoch % self.step_size else self.gamma

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(Factors):
    """Smaller by a factor at each of some epochs."""

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        count = self.milestones.get(self.last_epoch, 0)
        return self.gamma ** count if count else 1

    def _get_closed_form_lr(self) -> list[float]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma ** passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Smaller by a factor until some epoch."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1):
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        told(self)
        if self.last_epoch == 0:
            return [rate * self.factor for rate in rates(self.optimizer)]
        if self.last_epoch != self.total_iters:
            return rates(self.optimizer)
        return [rate * (1.0 / self.factor) for rate in rates(self.optimizer)]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * (1 if self.last_epoch >= self.total_iters else self.factor) for base in self.base_lrs]


class LinearLR(Factors):
    """From one share of the rate to another, by equal steps."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
                 total_iters: int = 5, last_epoch: int = -1):
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)

    def _get_closed_form_lr(self) -> list[float]:
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * share) for base in self.base_lrs]


class ExponentialLR(Factors):
    """Smaller by a factor every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return 1 if self._is_initial else self.gamma

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self.gamma ** self.last_epoch for base in self.base_lrs]


class PolynomialLR(Factors):
    """To zero, along a power of what is left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        left = 1.0 - self.last_epoch / self.total_iters
        return (left / (1.0 - (self.last_epoch - 1) / self.total_iters)) ** self.power  # type: ignore[no-any-return]

    def _get_closed_form_lr(self) -> list[float]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left ** self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Down to the least rate, and up again, along a cosine."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        told(self)
        now = rates(self.optimizer)
        if self._is_initial:
            return now
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return [rate + (base - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
                    for base, rate in zip(self.base_lrs, now)]
        return [(1 + math.cos(math.pi * self.last_epoch / self.T_max))
                / (1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)) * (rate - self.eta_min) + self.eta_min
                for rate in now]

    def _get_closed_form_lr(self) -> list[float]:
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
                for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down along a cosine, and at once up again, each time in more epochs."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        told(self)
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
                for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch, self.T_cur = self.last_epoch + 1, self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        else:
            self.T_cur, self.T_i = epoch, self.T_0  # type: ignore[assignment]
            while self.T_cur >= self.T_i and self.T_mult > 1:
                self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
            if self.T_mult == 1:
                self.T_cur = epoch % self.T_0  # type: ignore[assignment]
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        for group, rate in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = rate
        self._get_lr_called_within_step = False
        self._last_lr = rates(self.optimizer)


class Several(LRScheduler):
    """Schedulers that are made of others."""

    _schedulers: list[LRScheduler]

    def of_one(self, schedulers: Sequence[LRScheduler], optimizer: Any) -> Optimizer:
        """Keep them, and say whose they are; raise ValueError where that is not one optimiser, or they need more than
        the number of the epoch."""
        name = type(self).__name__
        optimizer = optimizer or schedulers[0].optimizer
        for number, scheduler in enumerate(schedulers):
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional "
                                 "kwargs to be specified when calling `step`, but got one at index "
                                 f"{number} in the given schedulers sequence.")
            if scheduler.optimizer is not optimizer:
                raise ValueError(f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                                 f"{type(scheduler).__name__} at index {number} has {scheduler.optimizer}, which is "
                                 f"different from {optimizer}.")
        self._schedulers = list(schedulers)
        return an_optimizer(optimizer)

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        vars(self).update({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for scheduler, held in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(held)


class SequentialLR(Several):
    """One scheduler after another, each from its milestone on."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: list[int],
                 last_epoch: int = -1):
        if not schedulers:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        self.optimizer = self.of_one(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                             f"number of milestones to be equal to {len(milestones)}")
        self._milestones, self.last_epoch = milestones, last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        first = self._schedulers[0]
        first._is_initial = True
        first._update_lr()
        first._is_initial = False
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(Several):
    """Several schedulers at once."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None):
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = self.of_one(schedulers, optimizer)
        self._last_lr = rates(self.optimizer)

    def step(self) -> None:  # type: ignore[override]
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = rates(self.optimizer)


class ReduceLROnPlateau(LRScheduler):
    """Smaller by a factor when a measure has not become better for some time."""

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
                 eps: float = 1e-8):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.optimizer = an_optimizer(optimizer)
        count = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)) and len(min_lr) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * count
        self.factor, self.patience, self.cooldown, self.eps, self.last_epoch = factor, patience, cooldown, eps, 0
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = 0
        self._last_lr = rates(optimizer)

    @property
    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    def is_better(self, value: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        bound = self.best * (1 + sign * self.threshold) if self.threshold_mode == "rel" \
            else self.best + sign * self.threshold
        return sign * value > sign * bound

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        if epoch is not None:
            warnings.warn(EPOCH_GIVEN, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        value = float(metrics)
        if self.is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs):
                rate = max(float(group["lr"]) * self.factor, least)
                if float(group["lr"]) - rate > self.eps:
                    group["lr"] = rate
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = rates(self.optimizer)
