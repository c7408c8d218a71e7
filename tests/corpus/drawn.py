"""Random numbers that generators give: their shapes and dtypes are those that NumPy gives them."""
from __future__ import annotations

import random

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 3), normal(2, 3)))
def arrays_of_all_kinds(mu, sigma):
    rng = np.random.default_rng(1)
    n = len(mu)
    z = rng.standard_normal((5, n))
    y = mu + sigma * z + rng.uniform(size=n) * rng.random((1, n)) + rng.normal(0.0, 1.0, (5, 1))
    y = y * rng.exponential(2.0, size=5)[:, None] + rng.poisson(3.0, size=(5, 3)) - rng.beta(1.0, 2.0, n)
    return np.sum(np.tanh(y))


@program(lambda: (normal(1, 3), 0.3))
def numbers_of_all_kinds(w, k):
    rng = np.random.default_rng(1)
    return np.sum(w * rng.normal() + k * rng.uniform(0.0, 1.0) * rng.integers(2, 9) + rng.random() ** k) * (
        rng.poisson(3.0) + rng.standard_normal() * k)


@program(lambda: (normal(1, 3),))
def drawn_by_the_hidden_generator(w):
    np.random.seed(1)
    x, y = np.random.randn(5, 3), np.random.normal(0.0, 1.0, 5)
    places = np.random.randint(0, 5, size=4)
    return np.sum(((x @ w - y) * np.random.rand())[places] ** 2) + np.random.uniform(size=(3,)) @ w


def of_a_generator(w, rng):
    batch = rng.randint(0, 4, 6)
    order = rng.permutation(len(w))
    noise = rng.normal(0.0, 0.1, size=w.shape)
    return np.sum((w + noise)[order][batch] ** 2) + np.sum(w * rng.normal(np.zeros(4), 1.0)) + rng.choice(4, 2) @ w[:2]


@program(lambda: (normal(1, 4), 3))
def drawn_by_an_argument(w, seed):
    return of_a_generator(w, np.random.RandomState(seed))


@program(lambda: (normal(1, 3).astype(np.float32),))
def drawn_in_single_precision(w):
    rng = np.random.default_rng(2)
    z = rng.standard_normal((4, 3), dtype=np.float32)
    u = rng.random(3, "float32")
    return np.sum(z * w) + np.sum(u * w)


@program(lambda: (normal(1, 3), 1.5))
def drawn_around_arrays(w, scale):
    rng = np.random.default_rng(3)
    means = np.array([[0.0], [10.0]])
    x = rng.normal(means, [1.0, 2.0, 3.0])
    y = rng.normal(loc=means, scale=np.ones(3), size=None)
    flat = rng.normal(size=())
    return np.sum(x * w) + np.sum(y * w * scale) + flat * scale


def initialised(rng, sizes):
    return [(rng.normal(size=(a, b)) * np.sqrt(2.0 / a), np.zeros(b)) for a, b in zip(sizes[:-1], sizes[1:])]


@program(lambda: (normal(1, 4, 3),))
def network_made_inside(x):
    layers = initialised(np.random.default_rng(0), [3, 5, 1])
    for w, b in layers:
        x = np.tanh(x @ w + b)
    return x.mean()


@program(lambda: (normal(1, 4),))
def chosen_and_ordered(w):
    rng = np.random.default_rng(5)
    x = np.arange(4.0)
    kept = rng.choice(x, size=2)
    part = rng.permutation(x)
    mask = rng.random(4) < 0.5
    dropped = w * mask / 0.5
    return np.sum(dropped * part) + np.sum(kept) * w[0] + rng.choice(["a", "b"]).count("a") * w[1]


@program(lambda: (normal(1, 4), 0.3))
def moved_and_scaled(w, scale):
    rng = np.random.default_rng(2)
    alone = rng.normal(w[0], scale) + rng.uniform(w[1], 5.0) * rng.exponential(scale) + rng.lognormal(scale, scale)
    together = rng.normal(loc=w, scale=scale, size=(3, 4)) * rng.uniform(w, 4.0) + rng.exponential(w ** 2)
    older = np.random.RandomState(3)
    return alone + np.sum(together ** 2) + np.sum(older.normal(w, scale) * older.uniform(-scale, high=scale, size=4))


def resampled(data, statistic, rng, count):
    found = np.empty(count)
    for place in range(count):
        found[place] = statistic(rng.choice(data, size=len(data), replace=True))
    return found


@program(lambda: (normal(1, 5), normal(2, 3, 2)))
def bootstrapped(data, rows):
    rng = np.random.default_rng(4)
    means = resampled(data, np.mean, rng, 6)
    some = rng.choice(rows, 2) * np.array([[1.0, 2.0], [3.0, 4.0]])
    turned = rng.permutation(rows) * np.arange(6.0).reshape(3, 2)
    return means.std() + np.sum(some ** 2) + np.sum(turned) * rng.choice([data[0], data[1]])


class Trained:
    def __init__(self, n):
        self.weights = np.random.RandomState(3).randn(n)
        self.bias = np.random.default_rng(4).standard_normal(n)

    def step(self, slope):
        self.weights -= 0.1 * slope
        self.bias *= slope


@program(lambda: (normal(40, 3),))
def drawn_arrays_that_are_written_into(x):
    np.random.seed(5)
    start = np.random.randn(3)
    start -= x
    table = {"scale": np.random.uniform(1.0, 2.0, 3)}
    table["scale"] *= x
    model = Trained(3)
    for _ in range(2):
        model.step(np.sin(x) * model.weights)
    return np.sum(start ** 2 * table["scale"]) + np.sum(model.weights * model.bias)


@program(lambda: (normal(1, 4), 0.3))
def moved_and_scaled_otherwise(w, scale):
    rng, older = np.random.default_rng(2), np.random.RandomState(3)
    alone = rng.laplace(w[0], scale) + older.logistic(w[1], scale) * rng.gumbel(scale) + older.rayleigh(scale)
    together = rng.laplace(w, scale, size=(3, 4)) * older.gumbel(w, w ** 2) + rng.logistic(w) + rng.gamma(2.0, w ** 2)
    return alone * rng.gamma(1.5, scale) + np.sum(together ** 2) + np.sum(rng.multivariate_normal(w, np.eye(4)) ** 2)


@program(lambda: (0.7, 0.3))
def drawn_by_pythons_generator(mu, sigma):
    random.seed(4)
    total = random.gauss(mu, sigma) * random.normalvariate(sigma, mu) + random.uniform(-mu, sigma)
    for _ in range(3):
        if random.random() < 0.5:
            total += random.expovariate(mu) * random.choice([1.0, mu, sigma])
        else:
            total += random.lognormvariate(mu, sigma) * random.randint(1, 4)
    return total + sum(random.sample([mu, sigma, 3.0], 2)) + sum(random.choices([mu, 2.0], weights=[1, 2], k=3))


@program(lambda: (0.7, 0.3))
def drawn_by_one_of_pythons_generators(mu, sigma):
    rng = random.Random(5)
    return rng.gauss(mu, sigma) ** 2 + rng.weibullvariate(mu, 1.0 + sigma) * rng.paretovariate(2.0 + mu) * rng.random()


@program(lambda: (normal(1, 3, 3), 0.4))
def spins_that_are_flipped(couplings, field):
    np.random.seed(3)
    random.seed(3)
    spins = np.random.choice([-1, 1], size=(3, 3))
    charges = [random.choice([-1, 1]) for _ in range(3)]
    energy = 0.0
    for _ in range(4):
        i, j = np.random.randint(0, 3, 2)
        spins[i, j] *= -1
        charges[i] *= -1
        energy += np.sum(couplings * spins * np.roll(spins, 1, 0)) + field * spins.sum() * charges[j]
    order = np.random.choice(3, size=3, replace=False)
    order[0] = order[1]
    return energy * np.sum(couplings[order])


@program(lambda: (normal(31, 4),))
def extrema_of_other_draws(x):
    """What is written alike is not the same."""
    rng = np.random.default_rng(5)
    gap = np.max(x * rng.gumbel(size=4)) - np.max(x * rng.gumbel(size=4))
    return gap * (np.min(x + rng.random()) - np.min(x * rng.random()))


@program(lambda: (normal(32, 4),))
def elements_of_other_draws(x):
    rng = np.random.default_rng(7)
    u = 1.5 * x
    for i in range(3):
        u[int(rng.random() * 4)] = u[int(rng.random() * 4)] + x[i] ** 2
    u[rng.permutation(4)[0]] = x[1] * u[1] + u[rng.permutation(4)[0]]
    return np.sum(u * u)
