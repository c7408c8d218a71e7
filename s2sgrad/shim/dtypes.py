"""PyTorch's dtypes over NumPy's, how they are promoted, and ``Size``."""
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


class dtype:  # noqa: N801 - PyTorch's name
    """A kind of element. There is one object for each, so ``is`` compares them."""

    __slots__ = ("name", "numpy", "legacy")
    __module__ = "s2sgrad"

    def __init__(self, name: str, legacy: str, numpy: Any = None):
        self.name = name
        self.numpy = np.dtype(numpy or name)
        self.legacy = legacy
        """What the class of such tensors was called when each dtype had one of its own."""

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return of_numpy, (self.numpy,)

    @property
    def spelled(self) -> str:
        """What some messages call it."""
        return self.legacy.removesuffix("Tensor").lower()

    @property
    def is_floating_point(self) -> builtins.bool:
        return self.numpy.kind == "f"

    @property
    def is_complex(self) -> builtins.bool:
        return False

    @property
    def is_signed(self) -> builtins.bool:
        return self.numpy.kind in "if"

    @property
    def itemsize(self) -> builtins.int:
        return self.numpy.itemsize


float32 = dtype("float32", "FloatTensor")
float64 = dtype("float64", "DoubleTensor")
int64 = dtype("int64", "LongTensor")
int32 = dtype("int32", "IntTensor")
int16 = dtype("int16", "ShortTensor")
int8 = dtype("int8", "CharTensor")
uint8 = dtype("uint8", "ByteTensor")
bool_ = dtype("bool", "BoolTensor")
ALL = (float32, float64, int64, int32, int16, int8, uint8, bool_)
NAMES = {**{item.name: item for item in ALL}, "float": float32, "double": float64, "long": int64, "int": int32,
         "short": int16}
"""What users call them."""
_by_numpy = {item.numpy: item for item in ALL}
_builtin = {builtins.float: float64, builtins.int: int64, builtins.bool: bool_}


def of_numpy(given: np.dtype) -> dtype:
    """Raises TypeError for what there are no tensors of."""
    found = _by_numpy.get(given)
    if found is None:
        supported = ", ".join(item.name for item in (float64, float32, int64, int32, int16, int8, uint8, bool_))
        raise TypeError(f"can't convert np.ndarray of type numpy.{given.type.__name__}. The only supported types are: "
                        f"{supported}.")
    return found


def kind_name(given: np.dtype) -> str:
    """What messages call a dtype."""
    return of_numpy(given).legacy.removesuffix("Tensor")


def numpy_dtype(given: Any) -> np.dtype:
    """The NumPy dtype that a ``dtype=`` argument means."""
    if isinstance(given, dtype):
        return given.numpy
    if given in _builtin:
        return _builtin[given].numpy
    raise TypeError(f"dtype must be a torch.dtype, but got {type(given).__name__}")


class Default:
    """The dtype of tensors made from Python floats."""

    numpy = float32.numpy
    changed: list[Callable[[], None]] = []
    """What is called where it has become another."""


def set_default_dtype(d: dtype) -> None:
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    before, Default.numpy = Default.numpy, d.numpy
    if before != d.numpy:
        for forget in Default.changed:
            forget()


def get_default_dtype() -> dtype:
    return of_numpy(Default.numpy)


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2}


def rank(given: np.dtype) -> int:
    """The category that decides promotion: bool, integer or float."""
    return _RANKS[given.kind]


def promoted(first: np.dtype, second: np.dtype) -> np.dtype:
    """The dtype of both: of two categories the higher one's, not NumPy's float64 for wide integers."""
    if first is second:
        return first
    ranks = rank(first), rank(second)
    if ranks[0] != ranks[1]:
        return first if ranks[0] > ranks[1] else second
    return np.promote_types(first, second)


def result_dtype(operands: Iterable[Any]) -> np.dtype:
    """The dtype of an operation on arrays and Python numbers: arrays without axes, and after them numbers, count only
    where they are of a higher category."""
    found: list[np.dtype | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, np.ndarray):
            place, kind = (0 if operand.ndim else 1), operand.dtype
        else:
            place = 2
            kind = Default.numpy if isinstance(operand, builtins.float) else _builtin[type(operand)].numpy
        previous = found[place]
        found[place] = kind if previous is None else promoted(previous, kind)
    result: np.dtype | None = None
    for kind in found:
        if kind is not None and (result is None or rank(kind) > rank(result)):
            result = kind
    assert result is not None
    return result


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both become."""
    return of_numpy(promoted(type1.numpy, type2.numpy))


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether a result of one dtype may be written into a tensor of another."""
    return rank(from_.numpy) <= rank(to.numpy)


class finfo:  # noqa: N801 - PyTorch's name
    """The limits of a floating-point dtype."""

    def __init__(self, type: dtype | None = None):
        found = np.finfo(numpy_dtype(type or get_default_dtype()))
        self.dtype, self.bits = of_numpy(found.dtype).name, found.bits
        self.eps, self.max, self.min, self.tiny = (builtins.float(item) for item in (
            found.eps, found.max, found.min, found.tiny))
        self.smallest_normal, self.resolution = self.tiny, builtins.float(found.resolution)


class iinfo:  # noqa: N801 - PyTorch's name
    """The limits of an integer dtype."""

    def __init__(self, type: dtype):
        found = np.iinfo(numpy_dtype(type))
        self.dtype, self.bits, self.max, self.min = of_numpy(found.dtype).name, found.bits, found.max, found.min


class Size(tuple):
    """A shape, as tensors give it."""

    __slots__ = ()
    __module__ = "s2sgrad"

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    __str__ = __repr__

    def numel(self) -> builtins.int:
        count = 1
        for size in self:
            count *= size
        return count

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __mul__(self, other: Any) -> Size:
        return Size(tuple.__mul__(self, other))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)
