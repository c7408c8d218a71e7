"""Tensors from Python values, from arrays, and out of nothing."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.shim.devices import check_device
from s2sgrad.shim.dtypes import Default, numpy_dtype, of_numpy
from s2sgrad.shim.names import attached, exported, method, named
from s2sgrad.shim.shapes import listed, shape_of
from s2sgrad.shim.tensor import Tensor, check_flag, new_tensor

ONLY_FLOATS = "Only Tensors of floating point and complex dtype can require gradients"


def made(array: np.ndarray, requires_grad: bool, device: Any = None) -> Tensor:
    check_device(device)
    check_flag(requires_grad)
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError(ONLY_FLOATS)
    tensor = new_tensor(array)
    tensor._requires = requires_grad
    return tensor


def ragged(data: Any) -> Exception:
    """What PyTorch says of lists that are no array."""
    sizes, item = [], data
    while isinstance(item, (list, tuple)):
        sizes.append(len(item))
        item = item[0] if item else None

    def found(item: Any, dim: int) -> Exception | None:
        if not isinstance(item, (list, tuple)):
            return TypeError("not a sequence")
        if len(item) != sizes[dim]:
            return ValueError(f"expected sequence of length {sizes[dim]} at dim {dim} (got {len(item)})")
        if dim + 1 == len(sizes):
            return None
        return next((wrong for wrong in (found(part, dim + 1) for part in item) if wrong is not None), None)

    return found(data, 0) or TypeError("'list' object cannot be interpreted as an integer")


def array_of(data: Any, dtype: Any) -> np.ndarray:
    """A new array of Python values, nested lists of them, arrays or tensors."""
    if isinstance(data, Tensor):
        data = data._array
    elif isinstance(data, (list, tuple)):
        data = unwrapped(data)
    wanted = None if dtype is None else numpy_dtype(dtype)
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    try:
        array = np.array(data)
    except ValueError:
        raise ragged(data) from None
    if array.dtype == object:
        odd = next((item for item in array.flat if not isinstance(item, (bool, int, float))), data)
        raise RuntimeError(f"Could not infer dtype of {type(odd).__name__}")
    if isinstance(data, (np.ndarray, np.generic)):
        of_numpy(array.dtype)
        return array if wanted is None else array.astype(wanted)
    if wanted is not None:
        check_range(array, wanted)
        return array.astype(wanted)
    if array.dtype.kind == "f" and not holds_numpy(data) or not array.size:
        return array.astype(Default.numpy)
    of_numpy(array.dtype)
    return array


def check_range(array: np.ndarray, wanted: np.dtype) -> None:
    """Raises RuntimeError for numbers that integers of a dtype are too small for; negative ones count from the end."""
    if wanted.kind not in "iu" or array.dtype.kind == "b" or not array.size:
        return
    limits = np.iinfo(wanted)
    low = -limits.max if wanted.kind == "u" else limits.min
    if not ((array >= low) & (array <= limits.max)).all():
        raise RuntimeError(f"value cannot be converted to type {wanted.name} without overflow")


def unwrapped(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data._array
    return [unwrapped(item) for item in data] if isinstance(data, (list, tuple)) else data


def holds_numpy(data: Any) -> bool:
    """Whether the dtype of floats was chosen by somebody: Python's own have none."""
    if isinstance(data, (list, tuple)):
        return any(map(holds_numpy, data))
    return isinstance(data, (np.ndarray, np.generic))


@exported
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of the data."""
    if isinstance(data, Tensor):
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                      UserWarning, stacklevel=2)
    return made(array_of(data, dtype), requires_grad, device)


@exported
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares the array's memory."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    of_numpy(array.dtype)
    return new_tensor(array)


@exported
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """The tensor itself, or one that shares an array's memory where the dtype allows."""
    check_device(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype=dtype)
    if isinstance(data, np.ndarray) and (dtype is None or numpy_dtype(dtype) == data.dtype):
        return from_numpy(data)
    return new_tensor(array_of(data, dtype))


@exported
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
            ) -> Tensor:
    """``as_tensor``, or a copy."""
    found = as_tensor(obj, dtype, device)
    return made(found._array.copy() if copy else found._array, requires_grad) if requires_grad or copy else found


attached("new_tensor", lambda self, data, *, dtype=None, device=None, requires_grad=False: made(
    array_of(data, self.dtype if dtype is None else dtype), requires_grad, device))


def legacy_tensor(*given: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """``Tensor([1.0])`` has these values, ``Tensor(2, 3)`` this shape."""
    check_device(device)
    wanted = Default.numpy if dtype is None else dtype
    if not given:
        return new_tensor(np.empty(0, wanted))
    if len(given) == 1 and isinstance(given[0], Tensor):
        return given[0].detach()
    if len(given) == 1 and not isinstance(given[0], int) and not (
            isinstance(given[0], tuple) and type(given[0]) is not tuple and given[0]):
        return new_tensor(np.asarray(unwrapped(given[0]) if isinstance(given[0], (list, tuple)) else given[0]).astype(
            wanted))
    return new_tensor(np.zeros(listed(given), wanted))


class LegacyType(type):
    """``FloatTensor`` and its like: called they make tensors; ``isinstance`` asks for the dtype."""

    kind: np.dtype

    def __call__(cls, *given: Any) -> Any:
        return legacy_tensor(*given, dtype=cls.kind)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance._array.dtype == cls.kind


def legacy_type(name: str, kind: str) -> None:
    made_type = LegacyType(name, (), {"kind": np.dtype(kind), "__module__": "torch"})
    exported(made_type)


for label, kind in {"FloatTensor": "float32", "DoubleTensor": "float64", "LongTensor": "int64", "IntTensor": "int32",
                    "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8", "BoolTensor": "bool"}.items():
    legacy_type(label, kind)
exported(Tensor)


# ---- filled

def filled(name: str, value: Any) -> None:
    def function(*shape: Any, size: Any = (), dtype: Any = None, device: Any = None, requires_grad: bool = False
                 ) -> Tensor:
        kind = Default.numpy if dtype is None else numpy_dtype(dtype)
        return made(np.full(shape_of(shape or (size,)), value, kind), requires_grad, device)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        kind = input._array.dtype if dtype is None else numpy_dtype(dtype)
        return made(np.full(input._array.shape, value, kind), requires_grad, device)

    def new(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        kind = self._array.dtype if dtype is None else numpy_dtype(dtype)
        return made(np.full(shape_of(size), value, kind), requires_grad, device)

    exported(named(function, name))
    exported(named(like, f"{name}_like"))
    setattr(Tensor, f"new_{name}", named(new, f"new_{name}"))


filled("zeros", 0)
filled("ones", 1)
filled("empty", 0)  # any values are right; these are the same in every run


@exported
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    kind = array_of(fill_value, None).dtype if dtype is None else numpy_dtype(dtype)
    return made(np.full(shape_of((size,)), fill_value, kind), requires_grad, device)


@method
def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    kind = self._array.dtype if dtype is None else numpy_dtype(dtype)
    return made(np.full(shape_of((size,)), fill_value, kind), requires_grad, device)


@exported
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
              ) -> Tensor:
    kind = input._array.dtype if dtype is None else numpy_dtype(dtype)
    return made(np.full(input._array.shape, fill_value, kind), requires_grad, device)


@exported
def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    for label, size in (("n", n), ("m", m)):
        if size is not None and size < 0:
            raise RuntimeError(f"{label} must be greater or equal to 0, got {size}")
    return made(np.eye(n, m, dtype=Default.numpy if dtype is None else numpy_dtype(dtype)), requires_grad, device)


@exported
def arange(*bounds: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named_bounds: Any
           ) -> Tensor:
    """``arange(end)``, ``arange(start, end, step)``: integers where all bounds are."""
    if named_bounds:
        bounds = (*bounds, *(named_bounds[name] for name in ("start", "end", "step") if name in named_bounds))
    plain = [item.item() if isinstance(item, (Tensor, np.generic)) else item for item in bounds]
    start, end, step = (0, *plain, 1) if len(plain) == 1 else (*plain, 1)[:3]
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(item, int) for item in plain)
    kind = np.dtype(np.int64) if whole else Default.numpy
    if dtype is not None:
        kind = numpy_dtype(dtype)
    return made(np.arange(*plain).astype(kind), requires_grad, device)


@exported
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
             ) -> Tensor:
    kind = Default.numpy if dtype is None else numpy_dtype(dtype)
    return made(np.linspace(float(start), float(end), steps).astype(kind), requires_grad, device)


@exported
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    kind = Default.numpy if dtype is None else numpy_dtype(dtype)
    return made(np.logspace(float(start), float(end), steps, base=base).astype(kind), requires_grad, device)


# ---- random: NumPy's generator, so the numbers are not PyTorch's

class Generator:
    """Where random numbers come from."""

    def __init__(self, device: Any = None) -> None:
        self.manual_seed(np.random.SeedSequence().entropy)  # type: ignore[arg-type]

    def manual_seed(self, seed: int) -> Generator:
        self.seed = int(seed)
        self.numpy = np.random.default_rng(self.seed % 2 ** 128)
        return self

    def initial_seed(self) -> int:
        return self.seed


default_generator = Generator()
exported(Generator)


@exported
def manual_seed(seed: int) -> Generator:
    return default_generator.manual_seed(seed)


@exported
def initial_seed() -> int:
    return default_generator.seed


def drawn(name: str, draw: Any) -> None:
    """``draw(generator, shape, dtype)`` gives an array."""
    def function(*shape: Any, size: Any = (), generator: Generator | None = None, dtype: Any = None,
                 device: Any = None, requires_grad: bool = False) -> Tensor:
        kind = Default.numpy if dtype is None else numpy_dtype(dtype)
        source = (generator or default_generator).numpy
        return made(np.asarray(draw(source, shape_of(shape or (size,)), kind), kind), requires_grad,
                    device)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        return function(input._array.shape, dtype=input.dtype if dtype is None else dtype, requires_grad=requires_grad)

    exported(named(function, name))
    exported(named(like, f"{name}_like"))


drawn("rand", lambda source, shape, kind: source.random(shape, kind))
drawn("randn", lambda source, shape, kind: source.standard_normal(shape, kind))


@exported
def randint(*bounds: Any, low: int | None = None, high: int | None = None, size: Any = None,
            generator: Generator | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
            ) -> Tensor:
    """``randint(low, high, size)``, ``randint(high, size)``."""
    given = list(bounds) + [item for item in (low, high, size) if item is not None]
    low, high, shape = given if len(given) == 3 else (0, *given)
    kind = np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)
    source = (generator or default_generator).numpy
    return made(np.asarray(source.integers(low, high, shape_of((shape,)))).astype(kind), requires_grad, device)


@exported
def randperm(n: int, *, generator: Generator | None = None, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    kind = np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)
    return made((generator or default_generator).numpy.permutation(n).astype(kind), requires_grad, device)


@exported
def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None) -> Tensor:
    values = [item._array if isinstance(item, Tensor) else item for item in (mean, std)]
    source = (generator or default_generator).numpy
    shape: Sequence[int] = listed((size,)) if size is not None else np.broadcast_shapes(*map(np.shape, values))
    return new_tensor(np.asarray(values[0] + values[1] * source.standard_normal(shape)).astype(Default.numpy))
