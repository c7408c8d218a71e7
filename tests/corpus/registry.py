"""What a program of the corpus is, and the decorator that enters one."""
from __future__ import annotations

import dataclasses
import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Function = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """A function to differentiate and arguments to do it at.

    Attributes
    ----------
    name
        ``module.function``.
    args
        Makes the same arguments, in fresh memory, at every call.
    argnums
        The arguments to differentiate in.
    known
        The gradients by hand, for the few programs that are meant to be differentiated at a jump, where finite
        differences don't exist.
    needs
        The analyses without each of which the program is refused.
    """

    name: str
    function: Function
    args: Callable[[], tuple[Any, ...]]
    argnums: tuple[int, ...]
    known: Callable[[], tuple[Any, ...]] | None = None
    needs: tuple[str, ...] = ()


PROGRAMS: list[Program] = []


def program(
    args: Callable[[], tuple[Any, ...]],
    argnums: tuple[int, ...] | None = None,
    known: Callable[[], tuple[Any, ...]] | None = None,
    needs: str | tuple[str, ...] = (),
) -> Callable[[Function], Function]:
    """Enter the decorated function into the corpus and leave it as it is; ``argnums=None`` is every float argument."""

    def enter(function: Function) -> Function:
        chosen = argnums
        if chosen is None:
            chosen = tuple(index for index, value in enumerate(args()) if holds_floats(value))
        theme = function.__module__.rpartition(".")[2]
        needed = (needs,) if isinstance(needs, str) else needs
        PROGRAMS.append(Program(f"{theme}.{function.__name__}", function, args, chosen, known, needed))
        return function

    return enter


def leaves(value: Any) -> list[Any]:
    """What is in a container that is none itself, in order; a value that is no container alone."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, (tuple, list, deque)):
        return [leaf for part in value for leaf in leaves(part)]
    if dataclasses.is_dataclass(value):
        return [leaf for item in dataclasses.fields(value) for leaf in leaves(getattr(value, item.name))]
    if is_object(value):
        return [leaf for part in attributes(value).values() for leaf in leaves(part)]
    return [value]


def is_object(value: Any) -> bool:
    """Whether something is an object of a class of the corpus."""
    return isinstance(value, types.SimpleNamespace) or type(value).__module__.startswith("corpus.")


def attributes(value: Any) -> dict[str, Any]:
    """All attributes of an object, those in slots too."""
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ()) if hasattr(value, name)]
    return {**{name: getattr(value, name) for name in slots}, **getattr(value, "__dict__", {})}


def is_of_floats(value: Any) -> bool:
    return isinstance(value, (float, complex, np.inexact)) or isinstance(value, np.ndarray) and value.dtype.kind in "fc"


def is_real_number(value: Any) -> bool:
    """Whether something is a single float, of which a function has a gradient."""
    return is_of_floats(value) and np.ndim(value) == 0 and not np.iscomplexobj(value)


def holds_floats(value: Any) -> bool:
    return any(map(is_of_floats, leaves(value)))


def normal(seed: int, *shape: int) -> NDArray[np.float64]:
    """Normally distributed numbers, none of them close to zero, where many functions have a kink."""
    numbers = np.random.default_rng(seed).normal(size=shape)
    return numbers + 0.05 * np.sign(numbers)


def complex_normal(seed: int, *shape: int) -> NDArray[np.complex128]:
    """Complex numbers, neither part of which is close to zero."""
    return normal(seed, *shape) + 1j * normal(seed + 1000, *shape)


def positive(seed: int, *shape: int) -> NDArray[np.float64]:
    """Numbers between 0.5 and 2."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, size=shape)


def spread(seed: int, *shape: int) -> NDArray[np.float64]:
    """Numbers of both signs in random order, none closer than 0.1 to another: no ties for maxima and the like."""
    size = int(np.prod(shape))
    numbers = (np.arange(size) - 0.45 * size) * 0.25 + 0.06
    return np.random.default_rng(seed).permutation(numbers).reshape(shape)


def assert_same(found: Any, expected: Any) -> None:
    """Equal in structure, type, dtype, shape and value, to the last bit."""
    assert type(found) is type(expected)
    if isinstance(expected, (tuple, list, deque)):
        assert len(found) == len(expected)
        assert getattr(found, "maxlen", None) == getattr(expected, "maxlen", None)
        for one, other in zip(found, expected):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        factories = [getattr(getattr(each, "default_factory", None), "__name__", None) for each in (found, expected)]
        assert factories[0] == factories[1]
        assert_same(list(found.values()), list(expected.values()))
    elif dataclasses.is_dataclass(expected):
        assert_same(vars(found), vars(expected))
    elif is_object(expected):
        assert_same(attributes(found), attributes(expected))
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected, strict=True)
    else:
        np.testing.assert_equal(found, expected)
