"""Values brought to mean 0 and variance 1, and what lies beyond a tensor's edges."""
from __future__ import annotations

import math
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


# ---- by channels

BY_STATISTICS = "r = np.reshape(1 / np.sqrt(var + eps), along); "


def channels(x: Any, given: tuple, along: tuple[int, ...], mean: Any, var: Any, eps: float) -> Any:
    """Scaled and shifted by the weight and the bias that are given, or None."""
    weight, bias = (None if item is None else item.reshape(along) for item in given)
    found = (x - mean) / np.sqrt(var + x.dtype.type(eps))
    found = found if weight is None else found * weight
    return found if bias is None else found + bias


def by_batch(x: Any, given: tuple, axes: tuple[int, ...], along: tuple[int, ...], eps: float) -> Any:
    mean = np.mean(x, axis=axes, keepdims=True)
    return channels(x, given, along, mean, np.mean((x - mean) ** 2, axis=axes, keepdims=True), eps)


def by_channels(trains: bool, weighs: bool, shifts: bool) -> Operation:
    """With the batch's own mean and variance or given ones, with a weight and a bias or without."""
    operands = ["x", *(["weight"] if weighs else []), *(["bias"] if shifts else [])]
    before = SCALED if trains else BY_STATISTICS
    scaled = f"{before}b = g * np.reshape(weight, along); " if weighs else f"{before}b = g; "
    h = "h" if trains else "(x - np.reshape(mean, along)) * r"
    formulas = {"x": scaled + (X_BAR if trains else "r * b"), "weight": f"{before}np.sum(g * {h}, axis=axes)",
                "bias": "np.sum(g, axis=axes)"}

    def values(x: Any, *given: Any, axes: tuple, along: tuple, eps: float, mean: Any = None, var: Any = None) -> Any:
        both = (given[0] if weighs else None, given[-1] if shifts else None)
        if trains:
            return by_batch(x, both, axes, along, eps)
        return channels(x, both, along, mean.reshape(along), var.reshape(along), eps)

    more = "" if trains else ", mean, var"
    return Operation("batch_norm", rule=torch_rule(
        f"batch_norm({', '.join(operands)}, axes, along, eps{more})", values,
        **{name: formulas[name] for name in operands}), operands=" ".join(operands),
        opaque="eps" if trains else "eps mean var",
        node="NativeBatchNormBackward0", shown=(0, 1 if weighs else None, len(operands) - 1 if shifts else None))


BATCH = {(trains, weighs, shifts): by_channels(trains, weighs, shifts)
         for trains in (True, False) for weighs in (True, False) for shifts in (True, False)}


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
               bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Each channel brought to mean 0 and variance 1: its own in training, which running means remember, else those."""
    array = input._array
    count = array.shape[1] if array.ndim > 1 else 0
    if training and array.size == count:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    held = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, item in held.items():
        if item is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if item is not None and item._array.size != count:
            raise RuntimeError(f"{name} should contain {count} elements not {item._array.size}")
    axes = (0, *range(2, array.ndim))
    how: dict[str, Any] = {"axes": axes, "along": (1, -1, *[1] * (array.ndim - 2)), "eps": eps}
    if not training:
        assert running_mean is not None and running_var is not None
        how.update(mean=running_mean._array, var=running_var._array)
    elif running_mean is not None and running_var is not None:
        ratio = array.size / (array.size - count)
        for running, found in ((running_mean, array.mean(axes)), (running_var, array.var(axes) * ratio)):
            running._array *= 1 - momentum
            running._array += momentum * found
            running._written.bump()
    operands = [input, *(item for item in (weight, bias) if item is not None)]
    return BATCH[training, weight is not None, bias is not None].run(tuple(operands), how)  # type: ignore[no-any-return]


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
                  weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
                  momentum: float = 0.1, eps: float = 1e-5) -> Any:
    """The same for each member of the batch by itself."""
    shape = input._array.shape
    means, variances, weights, biases = (item if item is None else item.repeat(shape[0])  # type: ignore[attr-defined]
                                         for item in (running_mean, running_var, weight, bias))
    flat = input.reshape(1, shape[0] * shape[1], *shape[2:])
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    found = batch_norm(flat, means, variances, weights, biases, use_input_stats, momentum, eps)
    for running, item in ((running_mean, means), (running_var, variances)):
        if use_input_stats and running is not None and item is not None:
            running._array[...] = item._array.reshape(shape[0], -1).mean(0)
            running._written.bump()
    return found.reshape(*shape)


GROUPED = ("parted = np.reshape(x, (x.shape[0], groups, -1)); "
           "centred = parted - np.mean(parted, axis=-1, keepdims=True); "
           "r = 1 / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + eps); h = centred * r; ")


def grouped(x: Any, groups: int, given: tuple, eps: float) -> Any:
    parted = x.reshape(x.shape[0], groups, -1)
    found = by_batch(parted, (None, None), (-1,), (), eps).reshape(x.shape)
    weight, bias = (None if item is None else item.reshape(-1, *[1] * (x.ndim - 2)) for item in given)
    found = found if weight is None else found * weight
    return found if bias is None else found + bias


def by_groups(weighs: bool, shifts: bool) -> Operation:
    operands = ["x", *(["weight"] if weighs else []), *(["bias"] if shifts else [])]
    b = "g * np.reshape(weight, along)" if weighs else "g"
    inner = X_BAR.replace("axis=axes", "axis=-1")
    formulas = {"x": f"{GROUPED}b = np.reshape({b}, parted.shape); np.reshape({inner}, x.shape)",
                "weight": f"{GROUPED}np.sum(g * np.reshape(h, x.shape), axis=axes)", "bias": "np.sum(g, axis=axes)"}

    def values(x: Any, *given: Any, groups: int, axes: tuple, along: tuple, eps: float) -> Any:
        return grouped(x, groups, (given[0] if weighs else None, given[-1] if shifts else None), eps)

    return Operation("group_norm", rule=torch_rule(
        f"group_norm({', '.join(operands)}, groups, axes, along, eps)", values,
        **{name: formulas[name] for name in operands}), operands=" ".join(operands), opaque="eps",
        node="NativeGroupNormBackward0", shown=(0, 1 if weighs else None, len(operands) - 1 if shifts else None))


GROUPS = {(weighs, shifts): by_groups(weighs, shifts) for weighs in (True, False) for shifts in (True, False)}


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """The same for groups of channels of each member of the batch."""
    array = input._array
    if array.shape[1] % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(array.shape)} and num_groups={num_groups}")
    for name, item in (("weight", weight), ("bias", bias)):
        if item is not None and item._array.shape != (array.shape[1],):
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                               f"got {name} of shape {list(item._array.shape)} and input of shape {list(array.shape)}")
    how = {"groups": num_groups, "axes": (0, *range(2, array.ndim)), "along": (1, -1, *[1] * (array.ndim - 2)),
           "eps": eps}
    operands = [input, *(item for item in (weight, bias) if item is not None)]
    return GROUPS[weight is not None, bias is not None].run(tuple(operands), how)  # type: ignore[no-any-return]


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
