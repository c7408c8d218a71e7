"""Names for objects of a list, which change: the best of a swarm, neighbours, pairs, leaders, what comes before."""
from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, program


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def move(self, dt):
        self.x = self.x + dt * self.v


@dataclass
class Fish:
    x: float
    weight: float = 1.0


class Swarm:
    def __init__(self, particles):
        self.particles = particles

    def step(self, dt):
        leader = min(self.particles, key=lambda p: p.x**2)
        for p in self.particles:
            p.v = p.v + dt * (leader.x - p.x)
            p.move(dt)


def swarm(xs):
    return [Particle(x, x * 0.5) for x in xs]


def three():
    return swarm([1.2, 0.7, -0.4])


def score(p):
    return p.x**2


@program(lambda: (three(), 0.1))
def led_by_the_least(ps, dt):
    leader = min(ps, key=score)
    for p in ps:
        if p is not leader:
            p.x = p.x + dt * (leader.x - p.x)
    return sum(p.x**2 for p in ps)


@program(lambda: (three(), 0.1))
def best_so_far(ps, dt):
    best = ps[0]
    for p in ps:
        if p.x > best.x:
            best = p
        p.v = p.v + dt * best.x
    return sum(p.x * p.v for p in ps) + best.x


@program(lambda: ([Fish(1.2), Fish(-0.3), Fish(0.7)], 0.1))
def dataclasses_that_are_compared(fishes, dt):
    first, last = fishes[0], fishes[-1]
    for fish in fishes:
        if fish is not first:
            fish.x += dt * (last.x - first.x)
        last.weight *= fish.x
    return sum(fish.x**2 * fish.weight for fish in fishes)


@program(lambda: (normal(3, 4),))
def nearest_of_the_others(xs):
    ps = swarm(xs)
    for p in ps:
        nearest = min([q for q in ps if q is not p], key=lambda q: (q.x - p.x) ** 2)
        nearest.v = nearest.v + 0.1 * p.x
        p.v -= 0.1 * nearest.x**2
    return sum(p.x * p.v**2 for p in ps)


@program(lambda: (normal(3, 4),))
def an_elite(xs):
    ps = swarm(xs)
    elite = sorted(ps, key=score, reverse=True)[:2]
    mean = sum(p.x for p in elite) / len(elite)
    for p in ps:
        if p in elite:
            continue
        p.x = p.x + 0.3 * (mean - p.x) + 0.1 * elite[1].v
    return sum(p.x**2 for p in ps) + elite[0].x * mean


@program(lambda: (normal(3, 4),))
def the_closest_pair(xs):
    ps = swarm(xs)
    one = other = None
    least = 1e9
    for a, b in itertools.combinations(ps, 2):
        if (a.x - b.x) ** 2 < least:
            least = (a.x - b.x) ** 2
            one, other = a, b
    one.x = one.x + 0.5 * other.x
    other.v = other.v * one.x
    return sum(p.x**2 * p.v for p in ps)


@program(lambda: (normal(3, 4),))
def winners_and_losers(xs):
    ps = swarm(xs)
    for a, b in zip(ps, ps[1:]):
        winner, loser = (a, b) if a.x**2 < b.x**2 else (b, a)
        loser.x = loser.x + 0.5 * (winner.x - loser.x)
    return sum(p.x**2 for p in ps)


@program(lambda: (normal(3, 4),))
def of_two_lists(xs):
    hunters, prey = swarm(xs[:2]), swarm(xs[2:] + 0.3)
    hunter, target = max(hunters, key=score), max(prey, key=score)
    hunter.v = hunter.v + 0.2 * (target.x - hunter.x)
    target.v = target.v - 0.1 * hunter.x
    return sum(p.v for p in hunters) * sum(p.x * p.v for p in prey)


@program(lambda: (normal(3, 4),))
def unpacked_one_in_another(xs):
    hunters, prey = swarm(xs[:2]), swarm(xs[2:] + 0.3)
    (hunter, target), rate = (max(hunters, key=score), prey[0]), 0.1
    [other] = [prey[1]]
    hunter.v = hunter.v + 0.2 * (target.x - hunter.x)
    target.v = target.v - rate * hunter.x
    other.v *= rate
    return sum(p.v for p in hunters) * sum(p.x * p.v for p in prey)


@program(lambda: (Swarm(three()), 0.1))
def in_an_attribute(swarm, dt):
    swarm.step(dt)
    return sum(p.x**2 for p in swarm.particles)


@program(lambda: (normal(3, 2), normal(4, 3, 2)))
def arrays_in_objects(target, starts):
    ps = [Particle(start.copy(), 0.1 * start) for start in starts]
    best = ps[0]
    for p in ps:
        if np.sum((p.x - target) ** 2) < np.sum((best.x - target) ** 2):
            best = p
    for p in ps:
        p.x += p.v * (best.x - p.x)
    return np.sum((best.x - target) ** 2)


@program(lambda: (normal(3, 4),))
def names_that_mean_something_else_inside(xs):
    ps = swarm(xs)
    best = ps[0]
    double = lambda best: best * 2.0  # noqa: E731
    best.x = double(best.x) + sum([best * 2.0 for best in xs])
    for p in ps:
        p.x = p.x + best.x * p.v
    return sum(p.x * p.v for p in ps)


# ---- written out: objects in attributes of an object that the function makes, two objects handed to a function

def exchange(a, b, rate):
    if a is b:
        return 0.0
    amount = rate * (a.x - b.x)
    a.x -= amount
    b.x += amount
    return abs(amount)


@program(lambda: (np.array([0.3, -0.7, 0.9]), 0.2, np.array([1, 1, 0])))
def two_that_are_handed_on(xs, rate, others):
    ps = swarm(xs)
    moved = 0.0
    for i in range(len(ps)):
        moved += exchange(ps[i], ps[others[i]], rate)
    return moved + sum(p.x**2 for p in ps)


class Tracker:
    def __init__(self, gain):
        self.gain = gain
        self.tracks = []
        self.best = None

    def nearest(self, z):
        best, least = None, 1.0
        for track in self.tracks:
            if abs(track.x - z) < least:
                best, least = track, abs(track.x - z)
        return best

    def feed(self, z):
        track = self.nearest(z)
        if track is None:
            self.tracks.append(Particle(z, 1.0))
        else:
            self.best = track
            self.best.x = self.best.x + self.gain * (z - track.x)


@program(lambda: (np.array([0.1, 3.0, 0.3, 2.8]), 0.3))
def tracks_that_are_found_again(zs, gain):
    tracker = Tracker(gain)
    for z in zs:
        tracker.feed(z)
    return sum(track.x**2 for track in tracker.tracks) + tracker.best.x


class Shrinking:
    def __init__(self, xs):
        self.parts = swarm(xs)
        self.largest = self.parts[0]
        self.turns = 0

    def width(self):
        self.largest = max(self.parts, key=score)
        return abs(self.largest.x)


@program(lambda: (np.array([1.3, -1.7, 0.9]),))
def found_in_the_test_of_a_loop(xs):
    shrinking = Shrinking(xs)
    while shrinking.width() > 1.0 and shrinking.turns < 8:
        shrinking.largest.x *= 0.7
        shrinking.turns += 1
    return shrinking.largest.x ** 2 + sum(p.x for p in shrinking.parts)


@program(lambda: (normal(3, 4),))
def a_place_that_may_not_be_there(x):
    found = swarm(x)
    try:
        leader = found[7]
    except IndexError:
        leader = found[1]
    leader.x *= 2.0
    found[0].x += leader.x
    return sum(p.x ** 2 for p in found)


class Boxed:
    def __init__(self, x):
        self.x = x
        self.corner = np.array([0.2, 0.4])


def first_of(things):
    return things[0]


@program(lambda: (np.array([0.4, -0.3, 0.9]), 1.2))
def asked_for_behind_a_call(xs, c):
    """What a function gives is the object, the list that it was asked for, though that changes later."""
    boxes, rows = [Boxed(x) for x in xs], [[x, c] for x in xs]
    best, row = max(boxes, key=lambda box: box.x), first_of(rows)
    total = best.x * row[0] if best is boxes[-1] and row is rows[0] else c
    for box in boxes:
        total += box.x if box is first_of(boxes) else box.x * c
    boxes[0].x = boxes[0].x * c
    rows[1][0] = 3.0 * c
    return total * rows[1][0] + boxes[0].x


class Crate:
    def __init__(self, items):
        self.items = items

    def __getitem__(self, i):
        return self.items[i]

    @property
    def last(self):
        return self.items[-1]


class Ware:
    def __init__(self, x):
        self.x = x

    def grow(self, by):
        self.x += by


@program(lambda: (np.array([0.4, -0.3, 0.9]), 1.2))
def asked_for_by_brackets(xs, c):
    crate = Crate([Ware(x) for x in xs])
    ware = crate[1]
    ware.grow(c)
    last = crate.last
    last.grow(ware.x * c)
    return sum(ware.x ** 2 for ware in crate.items)


@program(lambda: (np.array([0.4, -0.3, 0.9]), 1.2))
def fewer_and_fewer(xs, c):
    """The name of a list gets lists of some of its objects, turn by turn."""
    boxes = [Boxed(x) for x in xs]
    for _ in range(2):
        for box in boxes:
            box.x *= c
            box.corner[0] += box.x
        boxes = [box for box in boxes if box.x > -0.4]
    small = [box for box in boxes if box.x < 0.8]
    small += boxes[-1:]
    boxes = small + boxes[:1]
    for i, box in enumerate(boxes):
        box.corner *= i + c
    return sum(box.x * box.corner.sum() for box in boxes)


@program(lambda: (np.array([0.4, -0.3, 0.9]), 1.2))
def places_of_dicts(xs, c):
    rows = [{"x": x, "v": xs * x} for x in xs]
    best = max(rows, key=lambda row: row["x"])
    best["x"] *= c
    rows = [row for row in rows if row["x"] > -0.5 and row is not best]
    for row in rows:
        row["v"][1:] *= c
        row["x"] += best["x"] * row["v"].sum()
    return sum(row["x"] * row["v"][0] for row in rows) + best["v"].sum() * best["x"]


@program(lambda: (np.array([0.4, -0.3, 0.9]), 1.2))
def dicts_made_by_calls(xs, c):
    rows = [dict(x=c, v=xs.copy()), dict(x=xs[0], v=xs * c)]  # noqa: C408
    for row in rows:
        tail = row["v"][1:]
        tail *= row["x"]
    return sum(row["x"] * row["v"].sum() for row in rows)


def is_better(p, best):
    return best is None or p.x > best.x


def apart_from(p, best):
    if best is None:
        return p.x ** 2
    return (p.x - best.x) ** 2


@program(lambda: (three(), 0.4))
def best_that_is_none_yet(ps, dt):
    best, total = None, 0.0
    for p in ps:
        total += apart_from(p, best)
        if is_better(p, best):
            best = p
        p.v = p.v * dt
    best.x *= 3.0
    return total + sum(p.x * p.v for p in ps)
