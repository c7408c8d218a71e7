"""Random numbers that tensors say how to draw, and that are written into tensors: nothing is differentiated through
them."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.shim.creation import default_generator
from s2sgrad.shim.inplace import check_writable, write
from s2sgrad.shim.names import both, method
from s2sgrad.shim.operations import Operation
from s2sgrad.shim.shapes import OVER
from s2sgrad.shim.tensor import Tensor, new_tensor


def zeros_behind(name: str, node: str = "") -> Operation:
    """What is put over a tensor, whose gradient is zeros then."""
    return Operation(name, rule=OVER, operands="x1 x2", shown=(0,),
                     node=node or f"{name.rstrip('_').capitalize()}Backward0")


def source_of(generator: Any) -> Any:
    return (generator or default_generator).numpy


def drawn(operation: Operation, input: Tensor, numbers: Any) -> Tensor:
    return operation.run((input, new_tensor(numbers.astype(input._array.dtype))))  # type: ignore[no-any-return]


# ---- written into a tensor

def filled_by(name: str, draw: Any, node: str = "", **defaults: Any) -> None:
    operation = zeros_behind(name, node)

    def function(self: Tensor, *given: Any, generator: Any = None, **named: Any) -> Tensor:
        check_writable(self)
        options = {**defaults, **dict(zip(defaults, given)), **named}
        if len(given) > len(defaults) or len(options) > len(defaults):
            raise TypeError(f"{name}() received an invalid combination of arguments")
        return write(self, drawn(operation, self, draw(source_of(generator), *options.values(), self._array.shape)))

    function.__name__ = name
    method(function)


def whole_numbers(source: Any, low: Any, high: Any, shape: tuple) -> Any:
    if high is None:
        low, high = 0, low
    return source.integers(low, 1 << 24 if high is None else high, shape)


filled_by("uniform_", lambda source, low, high, shape: source.uniform(low, high, shape), **{"from": 0, "to": 1})
filled_by("normal_", lambda source, mean, std, shape: source.normal(mean, std, shape), mean=0, std=1)
filled_by("exponential_", lambda source, rate, shape: source.exponential(1 / rate, shape), lambd=1)
filled_by("random_", whole_numbers, **{"from": None, "to": None})
filled_by("bernoulli_", lambda source, p, shape: source.random(shape) < (p._array if isinstance(p, Tensor) else p),
          "BernoulliBackward2", p=0.5)

# ---- of which a tensor holds the probabilities

BERNOULLI, POISSON = zeros_behind("bernoulli"), zeros_behind("poisson")


@both
def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Ones with the probabilities that a tensor holds, zeros else."""
    shares = input._array if p is None else p
    if not np.all((shares >= 0) & (shares <= 1)):  # type: ignore[operator]
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                           "improved?  If so, please report an enhancement request to PyTorch.)")
    return drawn(BERNOULLI, input, source_of(generator).random(input._array.shape) < shares)


@both
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Whole numbers that are in the mean what a tensor holds."""
    if (input._array < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return drawn(POISSON, input, source_of(generator).poisson(input._array))


@both
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Numbers of places, of each row as likely as its element says."""
    rows = np.atleast_2d(input._array).astype(float)
    if input._array.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > rows.shape[1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not np.isfinite(rows).all() or (rows < 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (rows.sum(1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    source = source_of(generator)
    if replacement:
        found = np.stack([source.choice(row.size, num_samples, p=row / row.sum()) for row in rows])
    else:  # the first that comes of waiting times with these rates
        with np.errstate(divide="ignore"):
            found = np.argsort(source.exponential(size=rows.shape) / rows, axis=1, kind="stable")[:, :num_samples]
    return new_tensor(found.astype(np.int64).reshape(*input._array.shape[:-1], num_samples))
