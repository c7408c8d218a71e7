"""Complex numbers: in and out, in loops and branches, in arrays that change, beside real numbers."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.registry import complex_normal, normal, positive, program


@program(lambda: (complex_normal(1, 3),))
def energy_of_amplitudes(z):
    return np.sum(np.abs(z) ** 2)


@program(lambda: (complex_normal(1, 3),))
def complex_result(z):
    return z * np.conj(z[::-1]) + 2j


@program(lambda: (0.3 + 0.7j,))
def python_number(z):
    w = z * z + 1j
    return (w * w.conjugate()).real + abs(z)


@program(lambda: (np.complex128(0.3 - 0.7j), 0.5))
def scalar_and_float(z, x):
    return (np.exp(1j * x) * z).imag + x


@program(lambda: (np.complex64(0.3 - 0.7j), complex_normal(2, 3).astype(np.complex64), normal(3, 3).astype(np.float32)))
def single_precision(c, z, x):
    return np.real(np.sum(c * z * x)) + np.sum(x * np.abs(z))


@program(lambda: (normal(4, 3),))
def real_argument(x):
    w = np.exp(1j * x) * (1 + 2j)
    return np.real(w).sum() + np.angle(w * w).sum()


@program(lambda: (normal(4, 3), complex_normal(5, 3)))
def real_beside_complex(x, z):
    y = x * z
    return np.abs(y.sum()) + (x ** 2).sum()


@program(lambda: (normal(4, 3), complex_normal(5, 2, 3)))
def real_stretched(x, z):
    return np.imag(z / (x + 3.0) - x * 1j).sum() + np.real(np.sum(z, axis=0) @ x)


@program(lambda: (complex_normal(6, 3), complex_normal(7, 3, 3)))
def sesquilinear(psi, a):
    return np.vdot(psi, (a + a.conj().T) @ psi).real / np.vdot(psi, psi).real


@program(lambda: (complex_normal(6, 2, 3), complex_normal(7, 3, 2)))
def products(a, b):
    c = np.einsum("ij,jk->ik", a, b) + np.dot(a, b) * 1j
    return np.real(np.trace(c)) + np.abs(np.outer(a[0], b[:, 1])).sum() + np.imag(np.inner(a, a).sum())


@program(lambda: (-0.4 + 0.3j, 12))
def mandelbrot(c, steps):
    z = 0
    escaped = 0.0
    for _ in range(steps):
        z = z * z + c
        if abs(z) > 2.0:
            escaped = escaped + abs(z)
            break
    return abs(z) + escaped


@program(lambda: (0.5 + 0.6j, 12))
def mandelbrot_escaping(c, steps):
    z = 0.0
    for _ in range(steps):
        if np.abs(z) > 2.0:
            break
        z = z ** 2 + c
    return np.log(np.abs(z))


@program(lambda: (normal(8, 4), normal(9, 3)))
def total_becomes_complex(x, y):
    total = x[0]
    for i in range(3):
        total = total * (1.0 + 0.5j) + y[i]
    return abs(total)


@program(lambda: (complex_normal(10, 4),))
def total_may_be_real(z):
    total = 0.0
    for i in range(4):
        if i % 2:
            total = total + z[i]
        else:
            total = total + z[i].real
    return abs(total) + np.imag(total) + np.angle(total)


@program(lambda: (complex_normal(10, 8), positive(11, 8)))
def filtered(z, response):
    spectrum = np.fft.fft(z) * response
    return np.sum(np.abs(np.fft.ifft(spectrum)) ** 2 * np.arange(8))


@program(lambda: (normal(12, 9), positive(13, 5)))
def real_signal_filtered(x, response):
    smooth = np.fft.irfft(np.fft.rfft(x) * response, 9)
    return ((smooth - x) ** 2).sum()


@program(lambda: (normal(12, 9), complex_normal(13, 7)))
def transfer_function(x, response):
    spectrum = np.fft.rfft(x, n=12)
    spectrum *= response
    return np.fft.irfft(spectrum, n=12)[:9]


@program(lambda: (normal(12, 3, 5), (4, -1)))
def sizes_of_a_transform(x, sizes):
    return np.abs(np.fft.rfft2(x, sizes, (0, 1))) * np.arange(3.0)


@program(lambda: (complex_normal(14, 4, 5), positive(15, 4, 5)))
def phase_retrieval(field, magnitude):
    for _ in range(3):
        far = np.fft.fft2(field, norm="ortho")
        far = magnitude * np.exp(1j * np.angle(far))
        near = np.fft.ifft2(far, norm="ortho")
        field = 0.5 * field + 0.5 * near
    return np.sum((np.abs(np.fft.fft2(field)) - magnitude) ** 2)


@program(lambda: (normal(16, 3, 3), normal(17, 3, 3), complex_normal(18, 3), 0.3))
def quantum_evolution(re, im, psi, dt):
    h = (re + re.T) + 1j * (im - im.T)
    one = np.eye(3)
    for _ in range(3):
        psi = np.linalg.solve(one + 0.5j * dt * h, (one - 0.5j * dt * h) @ psi)
    return np.abs(psi[0]) ** 2


@program(lambda: (positive(16, 3), complex_normal(18, 3)))
def split_step(potential, psi):
    kinetic = np.exp(-0.05j * np.arange(3) ** 2)
    for _ in range(2):
        psi = psi * np.exp(-0.1j * potential)
        psi = np.fft.ifft(np.fft.fft(psi) * kinetic)
    return np.abs(psi) ** 2


@program(lambda: (normal(19, 4),))
def energies(x):
    h = np.diag(x) + 1j * np.diag(x[1:], 1) - 1j * np.diag(x[1:], -1)
    values, _ = np.linalg.eigh(h)
    return values[0] + 2.0 * values[3]


@program(lambda: (normal(23, 4, 4), complex_normal(24, 3, 3)))
def stability(a, b):
    """A real matrix that turns has complex eigenvalues, in pairs that have the same real part."""
    values = np.linalg.eigvals(a.astype(complex))
    return np.max(np.abs(values)) + np.sum(values.imag ** 2) + np.sum(np.abs(np.linalg.eigvals(b)) ** 3)


@program(lambda: (complex_normal(20, 3, 3),))
def matrices(a):
    b = a @ np.linalg.inv(a + 4.0)
    return np.abs(np.linalg.det(b + np.eye(3))) + np.linalg.norm(a, "nuc") + np.linalg.norm(a[0])


@program(lambda: (complex_normal(20, 3, 3), complex_normal(21, 3, 4)))
def spectra(a, b):
    levels = np.linalg.eigvalsh(a + np.conj(a.T), "U") ** 3 @ np.array([1.0, -2.0, 0.5])
    sizes = np.linalg.svd(b, compute_uv=False) ** 3 @ np.array([1.0, -2.0, 0.5]) + np.linalg.svd(b)[1][1] ** 2
    return (levels + sizes) / 9.0 + np.linalg.cond(a) + np.linalg.norm(b, 2)


@program(lambda: (complex_normal(20, 3), complex_normal(21, 3, 3)))
def norms_and_powers(z, a):
    lengths = np.linalg.norm(z, 1) * np.linalg.norm(z, 3) + np.linalg.norm(z, np.inf) + np.linalg.cond(a, 1)
    return (lengths + np.linalg.norm(a, 1) * np.abs(np.sinc(z) ** z).sum() + np.abs(z ** z[::-1]).sum()) / 9.0


@program(lambda: (complex_normal(21, 4), normal(22, 4)))
def stored_in_place(z, x):
    buffer = np.zeros(4, dtype=complex)
    buffer[0] = z[0] * z[1]
    buffer[1:3] = x[1:3]
    buffer[3] = 1j * x[0]
    buffer[1:] += buffer[:-1] * z[1:]
    buffer *= 0.5 - 0.5j
    return np.sum(np.abs(buffer) ** 2)


@program(lambda: (complex_normal(21, 4),), needs="shapes")
def zeros_like_it(z):
    out = np.zeros_like(z)
    for i in range(4):
        out[i] = z[i] * np.conj(z[i - 1])
    out.fill(out[2])
    out[0] = 3.0
    return out


@program(lambda: (complex_normal(23, 2, 3),))
def views_and_shapes(z):
    w = z.T.reshape(2, 3)[::-1]
    return np.concatenate([w.ravel(), z[0], np.conj(z[1])])[1:-1] * np.arange(10)


@program(lambda: (complex_normal(23, 3), normal(24, 3)))
def joined_with_real(z, x):
    both = np.concatenate([z, x])
    parts = np.stack([both[::-1], np.roll(both, 1)])
    return np.real(parts * parts[:, ::-1]).sum() + np.where(x > 0, z, x).imag.sum()


@program(lambda: (complex_normal(25, 4), 1.5))
def branch_on_magnitude(z, x):
    if np.abs(z[0]) > 10.0:
        y = z
    else:
        y = z * x
    return np.abs(y).sum()


@program(lambda: (complex_normal(25, 4), normal(26, 4)))
def one_arm_is_real(z, x):
    y = x
    if x[0] < 100.0:
        y = z + x
    return np.real(y * y).sum()


@program(lambda: ([complex_normal(27, 2), complex_normal(28, 2)], {"x": 0.5, "w": 1.0 - 0.5j}))
def containers(zs, params):
    total = params["w"]
    for z in zs:
        total = total + np.sum(z * params["x"])
    return abs(total) ** 2


@program(lambda: ([0.5 + 1j, 1.5, -0.5 - 1j],))
def mixed_list(values):
    total = 0
    for value in values:
        total = total * value + value
    return abs(total)


@program(lambda: (complex_normal(27, 3),))
def list_of_states(z):
    states = [z]
    for _ in range(3):
        states.append(states[-1] * states[0] * 1j)
    return np.real(sum(states)).sum() + np.abs(np.stack(states)).sum()


@dataclass
class Wave:
    amplitude: Any
    phase: Any


@program(lambda: (Wave(normal(29, 3), positive(30, 3)), Wave(complex_normal(31, 3), 0.5)))
def in_objects(first, second):
    made = Wave(first.amplitude * np.exp(1j * first.phase), second.phase)
    return np.abs(made.amplitude + second.amplitude * np.exp(1j * made.phase)).sum()


def rotated(z, angle):
    return z * np.exp(1j * angle)


def both_parts(z):
    return z.real, z.imag


@program(lambda: (complex_normal(32, 3), normal(33, 3)))
def calls(z, angles):
    w = rotated(z, angles)
    re, im = both_parts(rotated(w, 0.5))
    return np.sum(re * im)


@program(lambda: (complex_normal(32, 3), 0.5 - 0.5j))
def callee_is_given_real_cotangents(z, c):
    shifted = (lambda a, b: a + b)(z, c)
    return np.sum(shifted.real)


@program(lambda: (complex_normal(32, 3),), needs="shapes")
def callee_writes(z):
    def scale(u, factor):
        u *= factor
        u[0] = 1.0

    w = z + 0.0
    scale(w, 1j)
    return np.imag(np.sum(w * z))


@program(lambda: (normal(34, 3), normal(35, 3)))
def made_of_parts(re, im):
    z = re + 1j * im
    w = complex(re[0], im[1])
    return np.abs(z * w).sum() + np.complex128(re[2]).real + re.astype(complex).real.sum()


@program(lambda: (complex_normal(36, 3),))
def functions(z):
    w = np.exp(z) + np.sin(z) * np.tanh(z) + np.sqrt(z) / (2.0 + np.log(z)) + z ** 3 + z ** (0.5 + 1j) + 2.0 ** z
    return np.real(w).sum() + np.imag(np.prod(z)) + np.abs(np.cumsum(z)).sum() + np.real(np.mean(z * z))


@program(lambda: (complex_normal(37, 4),))
def unpacked(z):
    a, b, *rest = z
    pairs = [x * y for x, y in zip(rest, z)]
    return abs(a * b) + abs(sum(pairs))


@program(lambda: (complex_normal(38, 3, 2), np.array([0, 2, 0])))
def gathered(z, index):
    rows = np.take(z, index, axis=0)
    rows[np.array([0, 1]), np.array([1, 0])] += 1.0
    return np.real(rows * rows).sum() + np.abs(z[:, 0]).max()


@program(lambda: (normal(39, 4), complex_normal(40, 4)))
def real_until_the_end(x, z):
    u = np.zeros(4)
    for i in range(4):
        u[i] = x[i] * x[i - 1]
    v = u * z
    return np.abs(v - v[0] + 1.0).sum()


@program(lambda: ({"a": 0.5 + 0.5j, "b": 2.0, "c": normal(41, 3)}, ["b", "a"]))
def mixed_by_key(params, keys):
    total = np.sum(params["c"]) * 1j
    for key in keys:
        total = total * params[key]
    return abs(total + params["b"])


@program(lambda: (complex_normal(42, 3, 3), 1.0 - 0.5j))
def every_second_element(z, c):
    out = np.empty((3, 3), dtype=complex)
    for i in range(3):
        for j in range(3):
            out[i, j] = z[i, j] * c if (i + j) % 2 else z[i, j].real
    return np.abs(out.T @ out).sum()


@program(lambda: (normal(43, 6),))
def window_of_frequencies(x):
    spectrum = np.fft.fftshift(np.fft.fft(x))
    spectrum[:2] = 0.0
    spectrum[-1] *= 0.5j
    return np.abs(np.fft.ifft(np.fft.ifftshift(spectrum))) ** 2


@program(lambda: (complex_normal(44, 3), complex_normal(45, 3)))
def while_not_small(z, w):
    count = 0
    while np.linalg.norm(z) > 0.3:
        z = 0.5 * z * np.exp(1j * np.abs(w))
        count += 1
    return np.vdot(z, w).imag * count


@program(lambda: (0.5, 0.3 + 0.2j))
def newton_for_a_root(a, z):
    for _ in range(4):
        z = z - (z ** 3 - a) / (3 * z ** 2 + 0.1j)
    return z


@program(lambda: (complex_normal(46, 3),))
def outer_difference(z):
    m = np.exp(z[:, None] * z[None, :])
    return np.real(np.trace(m)) + np.max(np.abs(m), axis=0).sum() + np.var(m.real)


@program(lambda: (complex_normal(47, 4), normal(48, 4)))
def written_by_functions(z, x):
    u = z.copy()
    np.multiply(u, 2j, out=u)
    u[np.abs(u) > 3.0] = 0.5j
    np.add.at(u, [0, 0, 2], z[1:] * x[0])
    np.copyto(u[1:2], x[:1])
    return np.abs(u).sum()


@program(lambda: (complex_normal(49, 4),))
def chosen_by_size(z):
    w = z
    for _ in range(3):
        w = np.where(np.abs(w) > 1.5, w / np.abs(w), w * w)
    return np.abs(w).sum() + max(z, key=abs).imag


# ---- names that are real at first, and complex later

@program(lambda: (normal(50, 3), complex_normal(51, 1)[0]))
def real_start(psi, phase):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(psi * psi)
        psi = psi * phase
    return abs(total)


@program(lambda: (normal(52, 4), complex_normal(53, 1)[0]))
def parts_of_a_real_start(psi, phase):
    total, w = 0.0, psi * 2.0
    for k in range(3):
        total = total + np.sum(w[1:] * psi[0])
        if k == 1:
            w = w * phase
            psi = psi * phase
    return abs(total)


@program(lambda: (normal(54, 3), complex_normal(55, 2, 3)))
def real_in_one_arm(u, m):
    if u[0] > 5.0:
        u = m[0] * u
    elif u[1] > -5.0:
        w = u
    for k in range(2):
        if k:
            u = u + m.mean()
        w = u * 0.5
    return abs(w.sum()) + np.sum(np.abs(u) ** 2)


def swapped(a, b):
    for _ in range(3):
        a, b = b, np.sin(a)
    return (a + 1.0) * b


@program(lambda: (normal(56, 3), complex_normal(57, 3)))
def real_and_complex_change_places(u, z):
    p = swapped(u, z)
    q = swapped(z, u)
    return abs(p.sum()) + abs(np.vdot(q, q))


@program(lambda: (normal(58, 3), complex_normal(59, 1)[0]))
def real_start_worked_on_in_place(psi, phase):
    psi = psi.copy()
    energy = 0.0
    for k in range(3):
        if k % 2:
            psi = psi * phase
        else:
            psi[1:] *= 0.5
            psi[0] += 0.25
            psi *= 0.9
            psi[2] = energy
        energy += np.abs(psi).sum()
    return energy


@program(lambda: (normal(60, 6),))
def beside_what_an_unknown_function_gives(x):
    weights = np.fromiter((0.5, 1.0, 0.8, 0.7, 0.9, 0.6), float)
    heights = np.abs(np.fft.rfft(x * weights))
    return np.abs((heights * np.exp(1j * heights)).sum()) ** 2


@program(lambda: (normal(61, 6),))
def power_of_weighted_frames(x):
    weights = np.fromiter((0.5, 1.0, 0.5), float)
    frames = np.stack([x[i:i + 3] for i in range(4)])
    power = np.abs(np.fft.rfft(frames * weights, axis=1)) ** 2
    return np.log(power.mean(axis=0) + 0.01).sum()


@program(lambda: (normal(62, 4),))
def larger_of_what_is_not_known(x):
    heights = x * np.fromiter((0.5, 1.0, 0.8, 0.7), float)
    z = np.maximum(heights, 0.1) * (1.0 + 2.0j) + np.var(heights) * 1j
    return z.real.sum() + np.sum(z.imag ** 2)


@program(lambda: (normal(63, 4),))
def said_to_be_complex(x):
    z = np.asarray(np.fromiter((0.5j, 1.0j, 0.8, 0.7j), complex), dtype=complex) * x
    return np.abs(np.cumsum(z)).sum()


@program(lambda: (normal(64, 4),))
def elements_of_what_is_not_known(x):
    heights = x * np.fromiter((0.5, 1.0, 0.8, 0.7), float)
    i = int(np.argmax(heights))
    return np.maximum(heights, 0.1).sum() * heights[i] + np.abs(heights[i] * 1j + x[0])


def squared_by_parts(y):
    if np.iscomplexobj(y):
        return np.sum(np.real(y) ** 2) + np.sum(np.imag(y) ** 3)
    return np.sum(y ** 2)


def real_or_complex(x, n):
    c = x[0]
    doubled = 2 * x
    for k in range(n):
        c = x[k] - c if k else np.asarray(c, x.dtype if n < 5 else complex)
    return c * doubled


@program(lambda: (normal(60, 4), 3))
def real_where_it_might_be_complex(x, n):
    return squared_by_parts(real_or_complex(x, n)) + squared_by_parts(
        np.polynomial.chebyshev.chebval(x, np.ones(4)))


def weighed_in_double(y):
    weight = np.linspace(0.5, 1.0, np.size(y)).reshape(np.shape(y))
    return np.sum(weight * np.real(y) + weight * np.imag(y) ** 2)


@program(lambda: (complex_normal(2, 2, 3).astype(np.complex64),))
def sum_in_single_precision(x):
    """What a function in double precision makes of a number in single precision has a cotangent in single precision."""
    return weighed_in_double(np.einsum("ij,ij", x, x))


@program(lambda: (complex_normal(61, 3, 3), complex_normal(62, 2, 2, 2)))
def determinants(a, stack):
    singular = np.outer(a[0], a[1]) + np.outer(a[2], a[0])
    return np.abs(np.linalg.det(a)) + np.real(np.linalg.det(singular) * np.sum(np.linalg.det(stack) ** 2))


@program(lambda: (complex_normal(46, 2, 3, 3), normal(47, 3)))
def phases_of_eigenvectors(a, x):
    """The first elements are real, or the last ones."""
    values, lower = np.linalg.eigh(a)
    upper = np.linalg.eigh(a + np.diag(x), "U")[1]
    return np.real(lower[0] @ upper[1] * values[1]).sum() + np.abs(lower[1, 0] @ x) ** 2


@program(lambda: (complex_normal(48, 3, 2), complex_normal(49, 2, 3)))
def phases_of_singular_vectors(a, b):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    left, _, right = np.linalg.svd(b, False)
    return np.real(u @ left * np.conj(right.T)).sum() + np.imag(vh @ right).sum() * s[0]


@program(lambda: (complex_normal(50, 3, 3) + np.diag([3.0, 6j, -5.0]),))
def phases_of_any_eigenvectors(a):
    """The largest elements are real."""
    values, vectors = np.linalg.eig(a)
    return np.real(vectors @ np.array([1.0, 2j, 3.0]) * values).sum() + np.abs(vectors[0]).sum()


@program(lambda: (0.4, -0.3))
def powers_of_negative_floats(x, b):
    """Of a literal it is known that they are complex; of others it is said, or they turn out to be real."""
    power = (b * b) ** x
    if isinstance(power, complex):
        power = 0.0
    return abs((-8.0) ** x) + abs(complex(b) ** x) + (complex(b) ** 1.5).imag + power


def number_or_text(x, k):
    return x * 2.0 if k == 0 else "3.5"


@program(lambda: (0.3, 0))
def complex_numbers_of_a_number_or_a_text(x, k):
    return np.complex128(number_or_text(x, k)).real * x


@program(lambda: (normal(91, 3),))
def covariances_beside_complex_numbers(x):
    """Their cotangents are complex for all that is known, and go through two calls to what is real."""
    return np.real(x @ [1, 2j, 3]) - np.sum(np.cov(x, [1, 2, 4]))
