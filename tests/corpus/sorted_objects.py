"""Objects and lists that are sorted, and changed afterwards; objects told by their places."""
from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corpus.registry import normal, positive, program


@dataclass
class Particle:
    x: float
    mass: float = 1.0

    def energy(self):
        return 0.5 * self.mass * self.x ** 2


def weighted(particles):
    return sum(p.energy() * (i + 1) for i, p in enumerate(particles))


@program(lambda: (positive(1, 4),))
def changed_after_sorting(x):
    particles = [Particle(v) for v in x]
    particles.sort(key=lambda p: p.x)
    for i, p in enumerate(particles):
        p.mass = 1.0 + i * p.x
    return weighted(particles)


@program(lambda: (positive(1, 5),), needs="shapes")
def changed_in_a_sorted_list(x):
    particles = sorted((Particle(v) for v in x), key=lambda p: p.x, reverse=True)
    particles = sorted(particles, key=Particle.energy)[:3]
    for p in particles:
        p.x *= 2.0
    particles.pop(0)
    particles.reverse()
    particles[0].x += particles[1].x ** 2
    return weighted(particles)


@program(lambda: (positive(1, 5),))
def rows_sorted_and_changed(x):
    rows = [[v, v * 2.0] for v in x]
    rows.sort(key=lambda row: -row[0])
    rows[0][1] = rows[1][0]
    for row in rows:
        row[0] *= 2.0
    return sum(row[0] * row[1] * (i + 1) for i, row in enumerate(rows))


@program(lambda: (positive(1, 5),))
def population(x):
    particles = [Particle(v) for v in x]
    for _ in range(3):
        particles.sort(key=lambda p: p.energy())
        for i in range(len(particles)):
            particles[i].x = particles[i].x * 0.9 + 0.1
        particles[0].x = 0.5 * (particles[1].x + particles[2].x)
    return weighted(particles)


@program(lambda: ([Particle(0.5, 1.0), Particle(1.5, 2.0), Particle(0.2, 3.0)],))
def largest_by_its_place(particles):
    i = max(range(len(particles)), key=lambda i: particles[i].x)
    particles[i].x *= 0.5
    j = int(np.argmin([p.x for p in particles]))
    particles[j].mass += particles[i].x
    return weighted(particles)


@program(lambda: (positive(1, 4),), needs="shapes")
def nearest_by_their_places(x):
    particles = [Particle(v) for v in x]
    for i in range(len(particles)):
        j = min((k for k in range(len(particles)) if k != i), key=lambda k: abs(particles[k].x - particles[i].x))
        particles[i].mass += particles[j].x
    return weighted(particles)


class Noted:
    def __init__(self, x):
        self.x = x

    def __neg__(self):
        return Noted(-self.x)

    def __iadd__(self, other):
        self.x += other.x
        return self

    def __repr__(self):
        return f"Noted({self.x:.3f})"


@program(lambda: (positive(1, 2),), needs="shapes")
def printed_with_operators(x):
    a = Noted(x[0])
    a += Noted(x[1])
    print(a, -a, f"{a}", "%s" % a)  # noqa: UP031
    return a.x ** 2


@program(lambda: (positive(1, 4), 0.7))
def records_sorted_and_their_arrays_written(x, k):
    records = [{"u": np.array([v, v * k]), "key": v} for v in x]
    records.sort(key=lambda record: record["key"])
    for record in records:
        record["u"][1] += k * record["key"]
        record["u"] *= k
    return sum(np.sum(record["u"] ** 2) * (i + 1) for i, record in enumerate(records))


class Added:
    def __init__(self, size):
        self.size = size

    def __lt__(self, other):
        return self.size ** 2 < other.size ** 2

    def __iadd__(self, other):
        self.size += other.size
        return self


@program(lambda: (normal(1, 4),))
def chosen_of_what_is_added_to(x):
    items = [Added(v) for v in x]
    largest = max(items)
    total = Added(x[0] * x[1])
    for item in sorted(items):
        total += item
    return largest.size * total.size ** 2


@dataclass(order=True)
class Score:
    value: float
    seen: int = 1

    def __post_init__(self):
        self.value = self.value * 2.0

    def add(self, v):
        self.value += v
        self.seen += 1
        return self


@program(lambda: (normal(1, 4),))
def dataclasses_with_an_order_of_their_own(x):
    best, worst = max(Score(v) for v in x), min([Score(v * v) for v in x])
    print(best.add(x[0]), f"{worst}")  # noqa: T201
    return best.value * sorted(Score(v) for v in x)[1].value + worst.value * best.seen


@dataclass(frozen=True)
class Body:
    mass: float
    x: np.ndarray

    def moved(self, step):
        return replace(self, x=self.x + step)


@program(lambda: ([Body(1.0, normal(1, 2)), Body(2.0, normal(2, 2))], 0.3))
def bodies_replaced_under_one_name(bodies, rate):
    for _ in range(2):
        centre = sum(body.mass * body.x for body in bodies) / sum(body.mass for body in bodies)
        bodies = [body.moved(rate * (centre - body.x) ** 3) for body in bodies]
    bodies = [replace(body, mass=body.mass * rate) for body in bodies]
    return [body.x * body.mass for body in bodies]


class Counted:
    def __init__(self, w):
        self.w = w
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x @ self.w


class CountedTwice(Counted):
    def __init__(self, w, gain=1.5):
        super().__init__(w)
        self.gain = gain


@program(lambda: (normal(1, 3), 0.7))
def a_child_that_is_called_in_a_try(x, k):
    model = CountedTwice(np.full(3, k))
    try:
        y = model(x)
    except ZeroDivisionError:
        y = 0.0
    return y * model.gain
