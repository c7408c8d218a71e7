"""Functions that move elements about, and methods and attributes of arrays."""
from __future__ import annotations

import itertools

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 2, 3, 4),))
def transposes(x):
    return np.transpose(x, (2, 0, 1)) * np.arange(3.0) + np.sum(np.transpose(x))


@program(lambda: (normal(2, 2, 3, 4),))
def swapped_axes(x):
    return np.swapaxes(x, 0, 2) ** 2


@program(lambda: (normal(3, 3, 4),))
def reshapes(x):
    return np.reshape(x * x, (2, 6)) @ np.arange(6.0) + np.sum(np.reshape(x, -1)[::2])


@program(lambda: (normal(4, 2, 3),))
def raveled(x):
    return np.ravel(x) * np.arange(6.0)


@program(lambda: (normal(5, 1, 3, 1),))
def squeezed(x):
    return np.squeeze(x) ** 2 * np.squeeze(x, axis=0)[1, 0]


@program(lambda: (normal(6, 3), normal(7, 4)))
def expanded(x, y):
    return np.expand_dims(x, 1) * np.expand_dims(y, axis=0)


@program(lambda: (normal(8, 3), 0.7))
def broadcast_explicitly(x, s):
    return np.broadcast_to(x, (2, 3)) * np.broadcast_to(s, (2, 1))


@program(lambda: (normal(9, 2, 3), normal(10, 4, 3)))
def concatenated(x, y):
    both = np.concatenate([x, y * y, x])
    return np.sum(both**2 * np.arange(8.0)[:, np.newaxis])


@program(lambda: (normal(11, 2, 3), normal(12, 2, 1)))
def concatenated_along_the_last_axis(x, y):
    return np.concatenate((x, y, x * y), axis=-1)


@program(lambda: (normal(13, 3), normal(14, 3)))
def stacked(x, y):
    return np.stack([x, y, x * y]) @ np.stack((x, y), axis=1)


@program(lambda: (normal(15, 3), normal(16, 2, 3)))
def stacked_vertically(x, y):
    return np.sum(np.vstack([x, y, x * x]) ** 3)


@program(lambda: (normal(17, 3), normal(18, 2)))
def stacked_horizontally(x, y):
    return np.hstack([x, y * y, np.array([1.0, 2.0])]) ** 2


@program(lambda: (normal(19, 6),))
def differences(x):
    return np.diff(x) ** 2


@program(lambda: (normal(20, 3, 4),))
def differences_along_an_axis(x):
    return np.sum(np.diff(x, axis=0) ** 2) + np.sum(np.diff(x, axis=1) ** 3)


@program(lambda: (normal(21, 3, 4),))
def flipped(x):
    return x * np.flip(x) + np.flip(x, axis=1) ** 2


@program(lambda: (normal(22, 6),))
def rolled(x):
    return x * np.roll(x, 1) - np.roll(x, -2) ** 2


@program(lambda: (normal(23, 3, 4),))
def rolled_along_an_axis(x):
    return np.sum(x * np.roll(x, 1, axis=1) * np.roll(x, 2, axis=0))


@program(lambda: (normal(24, 3, 3), normal(25, 3)))
def diagonals(a, x):
    return np.diag(a) * x + np.diag(x) @ a @ x


@program(lambda: (0.4, 1.2, -0.7))
def array_of_numbers(x, y, z):
    a = np.array([[x, y], [z * x, 1.0]])
    return a @ a


@program(lambda: (normal(26, 3), 0.6))
def array_of_arrays(x, s):
    return np.sum(np.array([x, x * s, np.ones(3)]) ** 2) * s


@program(lambda: (0.6,))
def rotation(angle):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return turn @ np.array([2.0, 1.0])


@program(lambda: (normal(27, 3, 4),))
def methods_that_reduce(x):
    return x.sum() * x.mean(axis=0).sum() + x.var() + x.std(axis=1).sum() + (x * x).prod(axis=1).sum()


@program(lambda: (normal(28, 3, 4),))
def methods_that_shape(x):
    flat = x.reshape(-1)
    return flat[3] * x.T.reshape(2, 6).ravel() @ np.arange(12.0) * x.flatten()[2] + np.sum(x.transpose() @ x)


@program(lambda: (normal(29, 3, 4), normal(30, 4)))
def methods_that_copy(x, y):
    z = x.copy()
    z *= y
    return np.sum(z.astype(float) * x.dot(y)[:, np.newaxis])


@program(lambda: (normal(31, 4),))
def item_of_a_result(x):
    scale = x.max().item()
    return np.sum(x * x) * scale + x[0].item() ** 2


@program(lambda: (normal(32, 2, 3),))
def attributes(x):
    return np.sum(x.T * x.shape[0]) + x.size * x.ndim * np.sum(x * x) / x.T.shape[0]


@program(lambda: (positive(33, 4).astype(np.float32),))
def widened(x):
    return np.sum(np.log(x.astype(np.float64)) ** 2)


@program(lambda: (normal(34, 2, 3),))
def swapaxes_and_squeeze_methods(x):
    return (x.swapaxes(0, 1) ** 2).reshape((3, 1, 2)).squeeze()


@program(lambda: (normal(35, 4),))
def cumulative_and_clipped_methods(x):
    return x.cumsum() * x.clip(-0.01, 5.0)


@program(lambda: (normal(36, 3), normal(37, 2)))
def new_arrays(x, y):
    z = np.zeros((2, 3)) + x
    z = z * np.ones_like(z) + np.zeros_like(x)
    return np.sum(z * z * np.full((2, 3), 0.5)) + np.sum(y * np.linspace(0.0, 1.0, 2))


def in_rows(a):
    ones = np.ones_like(a[..., :1])
    return np.concatenate([ones, a], axis=-1)


@program(lambda: (normal(61, 4, 4), (4,)), argnums=(0,))
def a_shape_of_unknown_length(a, sizes):
    rows = in_rows(np.reshape(a, (*sizes, 4)))
    return np.sum(rows ** 3) + np.sum(np.zeros((*sizes, 1)) + a)


@program(lambda: (normal(62, 2, 6), 1), argnums=(0,))
def a_shape_cut_short(a, count):
    sizes = np.shape(a)
    b = np.reshape(a, (*sizes[:count], 3, 2))
    c = np.broadcast_to(b.sum(axis=-1)[..., None], (*sizes[:count], 3, 4))
    return np.sum(np.concatenate([b, c], axis=-1) ** 2)


@program(lambda: (normal(61, 4, 4), 1.1))
def neighbours_on_all_sides(cells, rate):
    for _ in range(2):
        around = sum(np.roll(cells, s, (0, 1)) for s in itertools.product((-1, 0, 1), repeat=2) if s != (0, 0))
        cells = cells * np.exp(-rate * (around - 0.5) ** 2)
    return np.sum(cells)


@program(lambda: (normal(5, 2, 1), positive(6, 2, 2), 0.4))
def joined_and_moved_in_place(x, p, u):
    """Of what precision the columns are is not known: what is joined of them is an array all the same."""
    root = p if u > 0.0 else p.astype(np.float32)
    sigma = x
    for i in range(2):
        sigma = np.hstack((sigma, x + root[:, i:i + 1]))
    return spread_out(sigma, u).sum()


def spread_out(sigma, u):
    for i in range(sigma.shape[1]):
        sigma[:, i:i + 1] = sigma[:, i:i + 1] * u * i
    return sigma


@program(lambda: (normal(60, 2, 3, 4), [4, 3]))
def shapes_given_with_stars(x, rest):
    shape, order = x.shape, (1, 0, 2)
    flat = np.tanh(x).reshape(shape[0], -1)
    y = flat.reshape(*shape).transpose(*order)
    return np.sum(y[0] ** 3) + np.sum(flat.reshape(2, *rest)[0, 0] ** 2)
