"""Values brought to mean 0 and variance 1, and what lies beyond a tensor's edges."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES
from s2sgrad.runtime import unbroadcast
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.tensor import Tensor

# ---- layers

SCALED = ("centred = x - np.mean(x, axis=axes, keepdims=True); "
          "r = 1 / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps); h = centred * r; ")
X_BAR = "r * (b - np.mean(b, axis=axes, keepdims=True) - h * np.mean(b * h, axis=axes, keepdims=True))"


def layer(x: Any, axes: tuple[int, ...], shape: tuple[int, ...], eps: float) -> Any:
    if x.shape[-len(shape):] != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[*, {', '.join(map(str, shape))}], but got input of size{list(x.shape)}")
    centred = x - np.mean(x, axis=axes, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + x.dtype.type(eps))


PLAIN = Operation("layer_norm", rule=torch_rule(
    "layer_norm(x, axes, normalized, eps)", lambda x, axes, normalized, eps: layer(x, axes, normalized, eps),
    x=f"{SCALED}b = g; {X_BAR}"), operands="x", opaque="eps normalized", node="NativeLayerNormBackward0")
WEIGHED, SHIFTED = (Operation("layer_norm", rule=torch_rule(
    f"layer_norm(x, weight, {more}axes, normalized, eps)", function, x=f"{SCALED}b = g * weight; {X_BAR}",
    weight=f"{SCALED}unbroadcast(g * h, weight.shape)", names={"unbroadcast": unbroadcast},
    **({"bias": "unbroadcast(g, bias.shape)"} if more else {})), operands=f"x weight {more.strip(', ')}".strip(),
    opaque="eps normalized", node="NativeLayerNormBackward0") for more, function in (
        ("", lambda x, weight, axes, normalized, eps: layer(x, axes, normalized, eps) * weight),
        ("bias, ", lambda x, weight, bias, axes, normalized, eps: layer(x, axes, normalized, eps) * weight + bias)))


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then scaled and shifted."""
    if isinstance(normalized_shape, int):
        raise TypeError("layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    shape = tuple(normalized_shape)
    for name, item in (("weight", weight), ("bias", bias)):
        if item is not None and item._array.shape != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                               f"{list(item._array.shape)} and normalized_shape = {list(shape)}")
    given = {"axes": tuple(range(-len(shape), 0)), "normalized": shape, "eps": eps}
    if weight is None:
        found: Any = PLAIN.run((input,), given)
        return found if bias is None else found + bias  # type: ignore[no-any-return]
    if bias is None:
        return WEIGHED.run((input, weight), given)  # type: ignore[no-any-return]
    return SHIFTED.run((input, weight, bias), given)  # type: ignore[no-any-return]


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
             ) -> Tensor:
    """The same without the mean."""
    shape = tuple(normalized_shape)
    if input._array.shape[-len(shape):] != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[*, {', '.join(map(str, shape))}], but got input of size{list(input._array.shape)}")
    least = float(np.finfo(input._array.dtype).eps) if eps is None else eps
    found: Any = input * (input.square().mean(tuple(range(-len(shape), 0)), True) + least).rsqrt()
    return found if weight is None else found * weight  # type: ignore[no-any-return]


# ---- beyond the edges

def widths(pad: Sequence[int], ndim: int) -> list[tuple[int, int]]:
    """For each dimension what is added in front and behind: PyTorch begins with the last."""
    found = [(0, 0)] * ndim
    for place in range(0, len(pad), 2):
        found[ndim - 1 - place // 2] = pad[place], pad[place + 1]
    return found


def padded(x: Any, pad: tuple[int, ...], value: Any) -> Any:
    """With a number beyond the edges; cut off where widths are negative."""
    if len(pad) > 2 * x.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {len(pad)} and input of dimension {x.ndim}")
    given = widths(pad, x.ndim)
    for size, (front, back) in zip(x.shape, given):
        if size + front + back < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    kept = tuple(slice(max(-front, 0), size - max(-back, 0)) for size, (front, back) in zip(x.shape, given))
    more = [(max(front, 0), max(back, 0)) for front, back in given]
    return np.pad(x[kept], more, constant_values=np.asarray(value).astype(x.dtype))


PADDED = torch_rule("padded(x, pad, value)", padded, names={"padded": padded},
                    x=lambda op: f"padded(g, {tuple(-width for width in op.known('pad'))!r}, 0)")
RULES[padded] = PADDED
pad_of = Operation("constant_pad_nd", rule=PADDED, operands="x", opaque="value")
MODES: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def mirrored(name: str, count: int) -> Operation:
    label = {"reflect": "ReflectionPad", "replicate": "ReplicationPad", "circular": "CircularPad"}[name]
    return Operation(f"{name}_pad", rule=torch_rule(
        f"{name}_pad(x, sides)", lambda x, sides: np.pad(x, sides, MODES[name]),
        x=f"put_back(g, x.shape, np.pad(numbered(x.shape), sides, {MODES[name]!r}))"), operands="x",
        node=f"{label}{count}DBackward0")


MIRRORED = {(name, count): mirrored(name, count) for name in MODES for count in (1, 2, 3)}


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """More elements beyond the edges of the last dimensions: a number, or those inside once more."""
    given, ndim = tuple(pad), input._array.ndim
    if len(given) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if mode == "constant":
        return pad_of.run((input,), {"pad": given, "value": value or 0})  # type: ignore[no-any-return]
    if mode not in MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    count = len(given) // 2
    if value is not None:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if (mode, count) not in MIRRORED or ndim not in (count + 1, count + 2):
        raise NotImplementedError(f"Padding size {len(given)} is not supported for {ndim}D input tensor.")
    sides = widths(given, ndim)
    for axis, (size, widest) in enumerate(zip(input._array.shape, map(max, sides))):
        if min(sides[axis]) < 0:
            raise RuntimeError("negative widths are only supported with mode='constant'")
        if mode == "reflect" and widest >= size or mode == "circular" and widest > size:
            raise RuntimeError("Padding size should be less than the corresponding input dimension, but got: padding "
                               f"{sides[axis]} at dimension {axis} of input {list(input._array.shape)}")
    return MIRRORED[mode, count].run((input,), {"sides": tuple(sides)})  # type: ignore[no-any-return]
