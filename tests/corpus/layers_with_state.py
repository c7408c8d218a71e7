"""Networks whose layers keep what they were given and gave, in attributes that may not be there before."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from corpus.registry import normal, positive, program


class Dense:
    def __init__(self, weights, bias):
        self.weights, self.bias = weights, bias

    def forward(self, x):
        self.x = x
        self.out = np.tanh(x @ self.weights + self.bias)
        return self.out

    def __call__(self, x):
        return self.forward(x)

    def double_what_it_got(self):
        self.x = self.x * 2.0


class Linear:
    def __init__(self, weights):
        self.weights = weights
        self.x = None

    def __call__(self, x):
        self.x = x
        return x @ self.weights


class Relu:
    def __init__(self):
        self.name = "relu"

    def __call__(self, x):
        self.mask = x > 0.0
        return x * self.mask


class Network:
    def __init__(self, layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Recorded:
    def __init__(self, *layers):
        self.layers = list(layers)
        self.history = [0.5]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
            self.history.append(np.sum(x))
        return x


def dense():
    return [Dense(normal(1, 3, 3), normal(2, 3)), Dense(normal(3, 3, 3), normal(4, 3))]


def linear():
    return [Linear(normal(1, 3, 3)), Linear(normal(2, 3, 3))]


@program(lambda: (Network(dense()), normal(7, 5, 3)))
def layers_that_keep_what_they_got(network, x):
    return np.sum(network.forward(x) ** 2)


@program(lambda: (Network(dense()), normal(7, 5, 3)))
def layers_that_are_called(network, x):
    return np.sum(network(x) ** 2)


@program(lambda: (dense(), normal(7, 5, 3)))
def layers_in_a_list(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return np.sum(x ** 2)


@program(lambda: (dense(), normal(7, 5, 3)))
def kept_values_are_read(layers, x):
    for layer in layers:
        x = layer(x)
    return np.sum(x ** 2) + sum(np.sum(layer.out) for layer in layers) + np.sum(layers[0].x * layers[0].weights[0])


@program(lambda: (dense(), normal(7, 5, 3)))
def kept_values_are_changed(layers, x):
    for layer in layers:
        x = layer(x)
    layers[1].double_what_it_got()
    return np.sum(x * layers[1].x) + np.sum(layers[0].out ** 2)


@program(lambda: (dense(), normal(7, 5, 3)))
def numbered_layers(layers, x):
    for index, layer in enumerate(layers):
        x = layer(x)
        if index == 0:
            x = x * 2.0
    return np.sum(x ** 2)


@program(lambda: (Network(dense()), normal(7, 5, 3)))
def network_that_is_called_twice(network, x):
    y = network(x)
    return np.sum(y * network(y)) + np.sum(network.layers[0].x)


@program(lambda: (Network(linear()), normal(7, 5, 3)))
def attributes_that_are_none_before(network, x):
    return np.sum(network(x) ** 2) + np.sum(network.layers[1].x)


@program(lambda: (Network(linear()), normal(7, 5, 3)), argnums=(1,))
def network_that_is_not_differentiated(network, x):
    return np.sum(network(x) ** 2) + np.sum(network.layers[0].x)


@program(lambda: (linear(), normal(7, 5, 3)), argnums=(1,))
def layers_that_are_not_differentiated(layers, x):
    for layer in layers:
        x = layer(x)
    return np.sum(x ** 2) + np.sum(layers[0].x)


@program(lambda: (tuple(linear()), normal(7, 5, 3)))
def layers_in_a_tuple(layers, x):
    for layer in layers:
        x = layer(x)
    return np.sum(x ** 2) + np.sum(layers[0].x)


@program(lambda: (dict(zip("ab", linear())), normal(7, 5, 3)))
def layers_in_a_dict(layers, x):
    for layer in layers.values():
        x = layer(x)
    return np.sum(x ** 2) + np.sum(layers["a"].x)


@program(lambda: (Network([Linear(normal(1, 3, 3)), Relu(), Linear(normal(2, 3, 3)), Relu()]), normal(7, 5, 3)))
def layers_of_several_classes(network, x):
    return np.sum(network(x) ** 2)


@program(lambda: (Recorded(*linear()), normal(7, 5, 3)))
def values_put_into_a_list(network, x):
    y = network(x)
    return np.sum(y ** 2) + network.history[-1] * network.history[0]


@program(lambda: (normal(1, 3, 3), normal(2, 3, 3), normal(7, 5, 3)))
def network_made_here(first, second, x):
    network = Network([Linear(first), Linear(second)])
    return np.sum(network(x) ** 2) + np.sum(network.layers[1].x)


@program(lambda: ([normal(1, 3, 3), normal(2, 3, 3)], normal(7, 5, 3)))
def layers_made_in_a_comprehension(weights, x):
    layers = [Linear(w) for w in weights]
    for layer in layers:
        x = layer(x)
    return np.sum(x ** 2) + np.sum(layers[0].x ** 2)


class Perceptron:
    def __init__(self, first, second):
        self.first = Linear(first)
        self.activation = Relu()
        self.second = Linear(second)

    def __call__(self, x):
        return self.second(self.activation(self.first(x)))

    def loss(self, x, y):
        self.error = self(x) - y
        return np.mean(self.error ** 2)


@program(lambda: (Perceptron(normal(1, 3, 3), normal(2, 3, 2)), normal(7, 5, 3), normal(8, 5, 2)))
def layers_called_in_one_expression(network, x, y):
    return network.loss(x, y) + np.sum(network.first.x)


class Normalised:
    def __init__(self, gain, shift):
        self.gain, self.shift = gain, shift
        self.running = np.zeros(3)

    def __call__(self, x):
        mean = x.mean(axis=0)
        self.running = 0.9 * self.running + 0.1 * mean
        return (x - mean) / np.sqrt(x.var(axis=0) + 1e-5) * self.gain + self.shift


@program(lambda: (Network([Linear(normal(1, 3, 3)), Normalised(positive(1, 3), normal(2, 3)),
                           Linear(normal(2, 3, 3)), Normalised(positive(3, 3), normal(4, 3))]), normal(7, 5, 3)))
def running_means(network, x):
    y = network(x)
    return np.sum(y ** 3) + np.sum(network.layers[1].running ** 2)


class Cell:
    def __init__(self, w, u, h):
        self.w, self.u, self.h = w, u, h

    def step(self, x):
        self.h = np.tanh(self.w @ self.h + self.u @ x)
        return self.h


@dataclass
class Stack:
    cells: list = field(default_factory=list)

    def step(self, x):
        for cell in self.cells:
            x = cell.step(x)
        return x


def cells():
    return Stack([Cell(normal(1, 3, 3), normal(2, 3, 3), normal(3, 3)),
                  Cell(normal(4, 3, 3), normal(5, 3, 3), normal(6, 3))])


@program(lambda: (cells(), normal(7, 4, 3)))
def cells_over_a_sequence(stack, xs):
    total = 0.0
    for x in xs:
        total = total + np.sum(stack.step(x) ** 2)
    return total


@program(lambda: (cells(), normal(7, 4, 3)))
def cells_in_a_comprehension(stack, xs):
    outs = [stack.step(x) for x in xs]
    return np.sum(np.stack(outs) ** 2) + np.sum(stack.cells[0].h)


class Module:
    def __call__(self, *args):
        return self.forward(*args)


class Affine(Module):
    def __init__(self, n, m, seed):
        self.w = normal(seed, n, m)
        self.b = np.zeros(m)

    def forward(self, x):
        self.cache = x
        return x @ self.w + self.b


class Sigmoid(Module):
    def __init__(self):
        self.name = "sigmoid"

    def forward(self, x):
        self.y = 1.0 / (1.0 + np.exp(-x))
        return self.y


class Sequential(Module):
    def __init__(self, *modules):
        self.modules = modules

    def forward(self, x):
        for module in self.modules:
            x = module(x)
        return x


@program(lambda: (Sequential(Affine(3, 4, 1), Sigmoid(), Sequential(Affine(4, 2, 2), Sigmoid())), normal(7, 5, 3)))
def modules_in_modules(model, x):
    return np.sum(model(x) ** 2) + np.sum(model.modules[1].y)


# ---- objects made of the caller's arrays


class Particle:
    def __init__(self, x, v):
        self.x, self.v = x, v

    def step(self, dt):
        self.x = self.x + dt * self.v
        self.v = self.v - dt * np.sin(self.x)

    def kick(self, dt):
        self.v -= dt * np.sin(self.x)
        self.x += dt * self.v

    def set_place(self, x):
        self.x = x


def vectors(seed):
    return [normal(seed, 2), normal(seed + 1, 2), normal(seed + 2, 2)]


@program(lambda: (vectors(1), vectors(4), 0.1))
def particles_made_of_lists(xs, vs, dt):
    ps = [Particle(x, v) for x, v in zip(xs, vs)]
    for p in ps:
        p.step(dt)
    return sum(np.sum(p.x ** 2) for p in ps) + np.sum(xs[0])


@program(lambda: (normal(1, 3, 2), normal(2, 3, 2), 0.1))
def particles_made_of_rows(xs, vs, dt):
    ps = [Particle(x, v) for x, v in zip(xs, vs)]
    for _ in range(3):
        for p in ps:
            p.step(dt)
    return sum(np.sum(p.x ** 2) for p in ps) + np.sum(xs * vs)


@program(lambda: ([(normal(1, 2), normal(2, 2)), (normal(3, 2), normal(4, 2))], 0.1))
def particles_made_of_pairs(pairs, dt):
    ps = [Particle(x, v) for x, v in pairs]
    for p in ps:
        p.step(dt)
    return sum(np.sum(p.x ** 2) for p in ps)


@program(lambda: (vectors(1), vectors(4), 0.1))
def particles_made_of_copies(xs, vs, dt):
    ps = [Particle(x.copy(), v.copy()) for x, v in zip(xs, vs)]
    for p in ps:
        p.kick(dt)
    return sum(np.sum(p.x ** 2) for p in ps) + np.sum(xs[0])


@program(lambda: (normal(1, 2), normal(2, 2), 0.1))
def particles_that_share_arrays(x, v, dt):
    ps = [Particle(x, v), Particle(x, v)]
    ps[0].step(dt)
    for p in ps:
        p.step(dt)
    return sum(np.sum(p.x ** 2 * p.v) for p in ps)


@program(lambda: ([Particle(normal(1, 2), normal(2, 2)), Particle(normal(3, 2), normal(4, 2))], 0.1))
def particles_made_of_particles(ps, dt):
    qs = [Particle(p.x, p.v) for p in ps]
    for q in qs:
        q.step(dt)
    for p in ps:
        p.step(0.2)
    return sum(np.sum(p.x ** 2) for p in qs) + sum(np.sum(p.x ** 3) for p in ps)


@program(lambda: ([Particle(normal(1, 2), normal(2, 2)), Particle(normal(3, 2), normal(4, 2))], normal(5, 2)))
def particles_that_get_one_array(ps, y):
    for p in ps:
        p.set_place(y)
    for p in ps:
        p.step(0.1)
    return sum(np.sum(p.x ** 2 * p.v) for p in ps)


@program(lambda: (vectors(1), normal(4, 2)))
def particles_that_are_returned(xs, v):
    ps = [Particle(x, v) for x in xs]
    for p in ps:
        p.step(0.1)
    return ps


class System:
    def __init__(self, xs, vs):
        self.ps = [Particle(x, v) for x, v in zip(xs, vs)]

    def step(self, dt):
        for p in self.ps:
            p.step(dt)

    def energy(self):
        return sum(np.sum(p.v ** 2) for p in self.ps)


@program(lambda: (normal(1, 3), normal(2, 3), 0.1))
def system_made_here(xs, vs, dt):
    system = System(xs, vs)
    for _ in range(3):
        system.step(dt)
    return system.energy()


@program(lambda: (System(vectors(1), vectors(4)), 0.1))
def system_that_is_given(system, dt):
    for _ in range(3):
        system.step(dt)
    return system.energy()


class Scaled:
    def __init__(self, scales):
        self.scales = scales

    def outputs(self, x):
        found = []
        for scale in self.scales:
            x = np.tanh(scale * x)
            found.append(x)
        return np.stack(found)


class Held:
    def __init__(self, items):
        self.items = items

    def squares(self):
        return sum(item ** 2 for item in self.items)


@program(lambda: (Scaled([normal(1, 2), normal(2, 2)]), normal(3, 2)))
def scales_that_are_others_later(model, x):
    before = model.outputs(x)
    model.scales = [2 * scale for scale in model.scales]
    return np.sum(before * model.outputs(x))


@program(lambda: (Scaled([normal(1, 2), normal(2, 2)]), normal(3, 2)))
def scales_one_by_one(model, x):
    found = []
    for _ in range(2):
        found.append(np.sum(model.outputs(x)))
        model.scales[0] = model.scales[0] * x
    return sum(found)


@program(lambda: (0.7,))
def list_in_an_object_goes_on(x):
    items = [x]
    held = Held(items)
    before = held.squares()
    items.append(x ** 3)
    return before * held.squares()


class Counted:
    made = 0

    def __init__(self):
        self.number = Counted.made
        Counted.made += 1

    def __call__(self, x):
        self.last = x
        return self.forward(x)


class Weighted(Counted):
    def __init__(self, weights):
        super().__init__()
        self.weights = weights

    def forward(self, x):
        return x @ self.weights * (1.0 + self.number)


class Bent(Counted):
    def __init__(self, bend):
        super().__init__()
        self.bend = bend

    def forward(self, x):
        return self.bend(x) + self.number


class Piled:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __iter__(self):
        return iter(self.layers)


@program(lambda: (normal(51, 3),))
def unlike_layers_that_are_counted(x):
    Counted.made = 2
    net = Piled(Weighted(np.outer(x, x)), Bent(np.tanh), Weighted(x[:, None]))
    y = x
    for layer in net:
        y = layer(y)
    print(Counted.made, [layer.number for layer in net])
    return np.sum(y) * Counted.made + sum(np.sum(layer.last ** 2) for layer in net)


class Adagrad:
    def __init__(self, rate):
        self.rate, self.squares = rate, None

    def update(self, weights, slopes):
        if self.squares is None:
            self.squares = np.zeros(np.shape(weights))
        self.squares += slopes * slopes
        return weights - self.rate * slopes / np.sqrt(self.squares + 0.1)


class Trained:
    def __init__(self, weights, optimiser):
        self.weights, self.optimiser = weights, optimiser

    def backward(self, x, error):
        weights = self.weights
        self.weights = self.optimiser.update(weights, x.T @ error)
        return error @ weights.T


@program(lambda: (normal(1, 3, 4), Trained(normal(2, 4, 2), Adagrad(0.3))))
def by_an_optimiser_that_adds_in_place(x, layer):
    total = 0.0
    for _ in range(2):
        total += np.sum(layer.backward(x, np.tanh(x @ layer.weights)))
    return total + np.sum(layer.weights ** 2)
