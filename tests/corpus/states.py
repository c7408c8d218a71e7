"""Objects that change: attributes that are written, objects that are made, methods that keep state."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program

# ---- physics


class Body:
    count = 0

    def __init__(self, position, velocity, mass=1.0):
        self.position = position
        self.velocity = velocity
        self.mass = mass
        self.steps = 0

    @property
    def energy(self):
        return 0.5 * self.mass * np.sum(self.velocity ** 2) + np.sum(self.position ** 2)

    def kick(self, force, dt):
        self.velocity = self.velocity + force / self.mass * dt

    def drift(self, dt):
        self.position = self.position + self.velocity * dt
        self.steps += 1

    def drift_in_place(self, dt):
        self.position += self.velocity * dt
        self.steps += 1

    def leapfrog(self, dt, turns):
        for _ in range(turns):
            self.kick(-self.position, 0.5 * dt)
            self.drift(dt)
            self.kick(-self.position, 0.5 * dt)
        return self.energy


class Charged(Body):
    def __init__(self, position, velocity, charge):
        super().__init__(position, velocity, mass=2.0)
        self.charge = charge

    def kick(self, force, dt):
        super().kick(force * self.charge, dt)
        self.charge *= 0.9


def body() -> Body:
    return Body(normal(1, 3), normal(2, 3), 1.3)


@program(lambda: (Body(0.7, -0.4, 1.5), 0.1))
def numbers_that_move(body, dt):
    for _ in range(4):
        body.velocity -= dt * body.position
        body.position += dt * body.velocity
        body.steps += 1
    return body.position ** 2 + body.velocity * body.steps


@program(lambda: (body(), 0.1))
def arrays_that_move(body, dt):
    for _ in range(3):
        body.velocity -= dt * body.position ** 2
        body.position += dt * body.velocity
    return np.sum(body.position * body.velocity)


program(lambda: (body(), 0.1, 3))(Body.leapfrog)


@program(lambda: (Charged(normal(1, 2), normal(2, 2), 0.8), 0.1))
def overridden_method_that_writes(body, dt):
    energy = body.leapfrog(dt, 3)
    return energy * body.charge + body.steps * dt


@program(lambda: (body(), 0.1))
def methods_that_write_in_place(body, dt):
    before = body.energy
    for _ in range(3):
        body.drift_in_place(dt)
        body.kick(np.sin(body.position), dt)
    return body.energy - before * body.position[0]


@program(lambda: (normal(1, 2), normal(2, 2), 0.3))
def object_made_here(x, v, dt):
    body = Body(x * 2.0, v * 1.0)
    for k in range(3):
        body.kick(-body.position, dt)
        body.drift(dt)
        if k == 1:
            body.mass = body.mass * 1.5 + dt
    return body.energy + x[0]


@program(lambda: (normal(1, 2), 0.3))
def object_made_in_each_turn(x, dt):
    total = 0.0
    for k in range(3):
        body = Charged(x * k, x + dt, dt)
        body.kick(x, dt)
        total = total + body.energy * body.charge
        x = x + 0.1 * body.velocity
    return total


@program(lambda: (Body(0.7, -0.4, 1.5), Body(0.3, 0.2, 0.5), 0.1))
def two_bodies(first, second, dt):
    for _ in range(3):
        gap = first.position - second.position
        first.kick(-gap, dt)
        second.kick(gap, dt)
        first.drift(dt)
        second.drift(dt)
    return first.position * second.velocity + first.energy


@program(lambda: (Body(0.7, -0.4, 1.5), 0.1), argnums=(1,))
def passive_object_that_gets_active(body, dt):
    body.kick(np.sin(dt), dt)
    body.drift(dt)
    return body.position * body.velocity


@program(lambda: (Body(0.7, -0.4, 1.5), 0.5))
def written_on_one_way(body, t):
    if body.position > t:
        body.velocity = body.velocity * t
        body.mass = 2.0
    else:
        body.position = t
    body.drift(t)
    while body.position > 0.2:
        body.position -= 0.3 * t * body.mass
    return body.position * body.mass * body.velocity


@program(lambda: (body(), 0.5))
def left_early(body, t):
    for k in range(5):
        body.drift(t)
        if k == 2:
            return body.energy
        body.position = np.sin(body.position)
    return np.sum(body.velocity)


# ---- recurrent cells and optimisers


class Cell:
    def __init__(self, w, u, h):
        self.w = w
        self.u = u
        self.h = h
        self.c = np.zeros(2)
        self.history = 0

    def __call__(self, x):
        self.h = np.tanh(self.w @ x + self.u @ self.h)
        self.c = self.c * 0.5 + self.h
        self.history += 1
        return self.h

    def reset(self):
        self.h = np.zeros_like(self.h)

    def peek(self, x):
        return np.sum(self.w @ x * self.c)


def cell() -> Cell:
    return Cell(normal(1, 2, 3), normal(2, 2, 2), normal(3, 2))


@program(lambda: (cell(), normal(4, 5, 3)))
def cell_over_a_sequence(cell, xs):
    total = 0.0
    for x in xs:
        y = cell(x)
        total = total + np.sum(y ** 2) + cell.peek(x)
    cell.reset()
    last = cell(xs[0])
    return total + np.sum(last * cell.c) * cell.history


program(lambda: (normal(4, 3),))(cell().peek)
program(lambda: (cell(), normal(4, 3)), argnums=(0, 1))(Cell.__call__)


class Momentum:
    def __init__(self, rate, decay):
        self.rate = rate
        self.decay = decay
        self.velocity = 0.0
        self.turn = 0

    def step(self, x, gradient):
        self.turn += 1
        self.velocity = self.decay * self.velocity - self.rate / np.sqrt(self.turn) * gradient
        return x + self.velocity


@program(lambda: (normal(1, 3), 0.1, 0.9))
def unrolled_optimiser(x, rate, decay):
    optimiser = Momentum(rate, decay)
    for _ in range(4):
        x = optimiser.step(x, 2.0 * x + np.cos(x))
    return np.sum(x ** 2) + np.sum(optimiser.velocity)


@program(lambda: (Momentum(0.1, 0.9), 0.7))
def number_that_becomes_an_array(optimiser, x):
    y = optimiser.step(x * np.ones(2), np.array([1.0, 2.0]) * x)
    return np.sum(y) * np.sum(optimiser.velocity)


# ---- objects in objects, arrays in objects


class Tank:
    def __init__(self, levels, body):
        self.levels = levels
        self.body = body
        self.log = {"loss": 0.0, "count": 0}

    def fill(self, value):
        self.levels[1:] *= value
        self.levels[0] = value ** 2


def tank() -> Tank:
    return Tank(positive(1, 4), Body(0.7, -0.4, 1.5))


@program(lambda: (tank(), 0.6))
def stores_into_arrays_of_objects(tank, x):
    first = tank.levels[2] * x
    tank.levels[1:3] = np.exp(tank.levels[:2]) * x
    tank.levels[-1] += first
    for i in range(1, len(tank.levels)):
        tank.levels[i] = tank.levels[i] * tank.levels[i - 1] + x
    return tank.levels


@program(lambda: (tank(), 0.6))
def objects_in_objects(tank, x):
    tank.body.position = tank.body.position * x
    tank.body.velocity += np.sin(tank.body.position)
    tank.body.steps += 1
    tank.log["loss"] = x * tank.body.velocity
    tank.log["count"] += 1
    return tank.log["loss"] * tank.log["count"] + tank.levels[0] * tank.body.steps


@program(lambda: (tank(), 0.6), needs="shapes")
def method_that_stores_into_an_array(tank, x):
    tank.fill(x)
    tank.fill(tank.levels[2])
    return np.sum(tank.levels ** 2)


@program(lambda: (tank(), 0.6))
def other_object_under_the_attribute(tank, x):
    tank.body = Body(x, tank.body.velocity * 2.0)
    tank.body.position *= 3.0
    return tank.body.energy * tank.levels[1]


class Empty:
    pass


@program(lambda: (0.7, 1.2))
def attributes_set_from_outside(x, y):
    memo = Empty()
    memo.x = x * y
    memo.pair = (memo.x, y)
    memo.x, memo.z = memo.pair[1], memo.x
    first, memo.x = memo.x, memo.z * 2.0
    return memo.x * first + memo.pair[0] * memo.z


class Checked:
    def __init__(self, x, clip=None):
        if clip is not None:
            x = np.clip(x, -clip, clip)
        self.x = x
        self.square = self.x * self.x
        if clip is None:
            return
        self.x = self.x * clip


@program(lambda: (normal(1, 4), 0.8))
def constructor_with_branches(x, c):
    return Checked(x).square * Checked(x, c).x + Checked(np.sin(x), clip=c).square


class Dual:
    """Forward mode by hand."""

    def __init__(self, value, slope=0.0):
        self.value = value
        self.slope = slope

    @staticmethod
    def of(other):
        return other if isinstance(other, Dual) else Dual(other)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        other = Dual.of(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    __rmul__ = __mul__

    def sin(self):
        return Dual(np.sin(self.value), np.cos(self.value) * self.slope)


@program(lambda: (0.7, 1.2))
def forward_mode_by_hand(x, y):
    a = Dual(x, 1.0)
    b = 2.0 * a * a + a.sin() * y + 1.0
    for _ in range(2):
        b += a * b
    return b.slope * b.value


# ---- calls that write, inside expressions; objects without a name


class Stack:
    def __init__(self, cells, head):
        self.first, self.second = cells
        self.head = head
        self.loss = 0.0

    def __call__(self, x):
        h = self.first(x)
        y = self.second(np.concatenate((h, np.ones(1))))
        self.loss = self.loss + np.sum(y ** 2)
        return self.head @ y

    def train(self, xs):
        for x in xs:
            self(x)
        return self.loss


program(lambda: (Stack((cell(), cell()), normal(7, 2, 2)), normal(4, 5, 3)))(Stack.train)


@program(lambda: (cell(), normal(4, 5, 3)))
def calls_that_write_inside_expressions(cell, xs):
    total = 0.0
    for x in xs:
        total += np.sum(cell(x) ** 2) * cell.c[0]
        if np.sum(cell(x)) > 0.0:
            total = total * 0.5
    return total + cell(xs[0])[1]


@program(lambda: (normal(1, 2), 0.3))
def objects_without_a_name(x, dt):
    return Body(x, dt * x).leapfrog(dt, 2) + Charged(x, x, dt).energy


class Counter:
    def __init__(self, start):
        self.__count = start
        self.__private = 2.0

    def tick(self, by):
        self.__count += by * self.__private
        return self.__count


@program(lambda: (Counter(0.5), 0.3))
def private_names(counter, x):
    return counter.tick(x) * counter.tick(x * x)
