"""Methods that use a part of what their object has, and lists whose items get their cotangents item by item."""
from __future__ import annotations

import functools

import numpy as np

from corpus.registry import normal, positive, program


class Star:
    def __init__(self, place, speed, mass):
        self.place, self.speed, self.mass = place, speed, mass

    def pull(self, others):
        total = np.zeros(2)
        for other in others:
            if other is not self:
                total = total + other.mass * (other.place - self.place)
        return total

    def kick(self, pull, dt):
        self.speed = self.speed + dt * pull

    def drift(self, dt):
        self.place = self.place + dt * self.speed

    def reflect(self):
        if self.place[0] > 0.3:
            self.place, self.speed = self.speed, self.place
        elif self.mass > 1.1:
            return

    @property
    def momentum(self):
        return self.mass * self.speed


class Cluster:
    def __init__(self, stars, scale):
        self.stars = stars
        self.scale = scale

    def step(self, dt):
        pulls = [star.pull(self.stars) for star in self.stars]
        for star, pull in zip(self.stars, pulls):
            star.kick(self.scale * pull, dt)
        for star in self.stars:
            star.drift(dt)
            star.reflect()


def stars():
    return [Star(normal(i, 2), normal(i + 5, 2), 1.0 + 0.1 * i) for i in range(3)]


@program(lambda: (normal(1, 3, 2), normal(2, 3, 2), positive(3, 3), 0.1))
def stepped(places, speeds, masses, dt):
    cluster = Cluster([Star(*parts) for parts in zip(places, speeds, masses)], 0.5)
    for _ in range(3):
        cluster.step(dt)
    return sum(np.sum(star.momentum ** 2) for star in cluster.stars) + cluster.stars[0].place[1]


@program(lambda: (Cluster(stars(), 0.5), 0.1))
def stepped_as_given(cluster, dt):
    for _ in range(3):
        cluster.step(dt)
    return sum(np.sum(star.momentum ** 2) for star in cluster.stars) + cluster.stars[0].place[1]


class Dense:
    def __init__(self, w, b, gain=None):
        self.w, self.b, self.gain, self.width = w, b, gain, len(b)

    def product(self, x):
        return x @ self.w

    def __call__(self, x, shape=np.tanh):
        def shifted(y):
            return y + self.b
        return shape(shifted(self.product(x)))

    def weight(self):
        return np.sum(self.w ** 2) / self.width


class Model:
    def __init__(self, layers, rate):
        self.layers, self.rate = layers, rate

    def forward(self, x, through=lambda layer, x: layer(x)):
        return functools.reduce(lambda x, layer: through(layer, x), self.layers, x)

    def penalty(self):
        return self.rate * sum(layer.weight() for layer in self.layers)


def dense():
    return [Dense(normal(m, m, n), normal(n, n)) for m, n in ((3, 4), (4, 2))]


@program(lambda: (Model(dense(), 0.3), normal(9, 5, 3)))
def parts_of_a_model(model, x):
    return np.sum(model.forward(x) ** 2) + model.penalty()


@program(lambda: (dense(), normal(9, 5, 3)))
def every_layer_once(layers, x):
    for layer in layers:
        x = np.tanh(x @ layer.w + layer.b)
    return np.sum(x ** 2)


@program(lambda: ([(normal(1, 3, 3), normal(2, 3)), (normal(3, 3, 3), normal(4, 3))], normal(9, 3)))
def some_layers_not(layers, x):
    for number, (w, b) in enumerate(layers):
        if number > 0 or x[0] > 5.0:
            x = np.tanh(x @ w)
        x = x + b * x[0]
    for w, _ in layers:
        if np.sum(w) > 100.0:
            break
        x = x @ w
    return np.sum(x)


@program(lambda: ([positive(1, 3), np.array(0.5), positive(2, 2)], 2.0))
def of_several_ranks(xs, y):
    for x in xs:
        y = y * np.mean(x ** 2)
    return y


@program(lambda: ([{"w": normal(1, 3), "k": 0.5}, {"w": normal(2, 3), "k": 0.25}], normal(3, 3)))
def numbers_beside_arrays(rows, x):
    for row in rows:
        x = x * row["w"] + row["k"]
    return np.sum(x ** 2)


@program(lambda: ([normal(1, 3).astype(np.float32), normal(2, 3).astype(np.float32)], normal(3, 3)))
def single_beside_double(ws, x):
    for w in ws:
        x = x * w
    return np.sum(x)


def down(ws, x):
    return np.sum(x) if not ws else np.tanh(ws[0] @ x) + down(ws[1:], x * 0.5)


@program(lambda: ([normal(1, 3), normal(2, 3)], normal(3, 3)))
def lists_handed_down(ws, x):
    total = down(ws, x)
    for w in ws:
        total += np.sum(w * x)
    return total


@program(lambda: ([normal(1, 3), normal(2, 3)],))
def two_items_in_turn(us):
    us = list(us)
    for _ in range(3):
        us[0], us[1] = us[1] * us[0], np.sin(us[0])
    return np.sum(us[0] * us[1])


class Normal:
    def __init__(self, mean=None, factor=None):
        self.mean, self.factor = mean, factor

    def check(self):
        if self.mean is None or self.factor is None:
            raise ValueError("mean and factor are needed")

    def points(self):
        self.check()
        return self.mean + self.factor


@program(lambda: (normal(4, 3), normal(5, 3, 3)))
def a_method_of_which_nothing_is_left(mean, factor):
    drawn = Normal(mean, factor)
    return np.sum(drawn.points() ** 3)
