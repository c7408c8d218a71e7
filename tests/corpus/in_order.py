"""The order of evaluation: targets are assigned from left to right, what stands before a call is read before it."""
from __future__ import annotations

import functools

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def index_moves_on(x):
    u = x * 1.0
    i = 0
    u[i], i = u[i] * 2.0, i + 1
    u[i], i = u[i] * u[0], i + 1
    i, u[i] = i + 1, x[i] ** 2
    return (u ** 2).sum() * i


@program(lambda: (normal(1, 4),))
def index_in_a_chain(x):
    u = x * 1.0
    i = 0
    u[i] = i = 2
    i = u[i] = 1
    return (u ** 2).sum() * i


@program(lambda: (normal(1, 4),))
def index_beside_a_rest(x):
    u = x * 1.0
    i, rest = 1, [2]
    u[i], *rest, i = x[0] ** 2, x[1], x[2], 3
    u[rest.index(x[1])], *rest = x[3], 1, 2
    return (u ** 2).sum() * rest[1] * i


@program(lambda: (normal(1, 4),))
def index_in_nested_targets(x):
    u = x * 1.0
    i = j = 0
    (u[i], (i, u[j])), j = (x[1], (2, x[2] ** 2)), 3
    u[i] *= x[j]
    return (u ** 2).sum()


@program(lambda: (normal(1, 4),))
def index_in_a_loop(x):
    u = [0.0, 0.0, 0.0, 0.0, 0.0]
    i = 0
    for v in x:
        u[i], i = v * u[i - 1] + v, i + 1
    return sum(u) * i


class Counter:
    def __init__(self):
        self.count = 1

    def up(self):
        self.count += 1


ALL_CALLS = Counter()
LEVEL = 1.0


def counted_globally(v):
    ALL_CALLS.count += 1
    return v * v


def raised(v):
    global LEVEL
    LEVEL += 1.0
    return v * v


def noisy(rng, v):
    return v * v + rng.normal() if v > 0 else v


@program(lambda: (np.array([1.0, 3.0, 2.5]),))
def globals_read_before_a_call_that_changes_them(x):
    global LEVEL
    LEVEL, ALL_CALLS.count = 1.0, 1
    return x[0] * LEVEL - raised(x[1]) * LEVEL + x[0] * ALL_CALLS.count - 2.0 * counted_globally(x[1])


@program(lambda: (np.array([1.0, 3.0, 2.5]), 4))
def drawn_between_calls_that_draw(x, seed):
    rng = np.random.default_rng(seed)
    return noisy(rng, x[0]) + 10.0 * rng.normal() - 2.0 * noisy(rng, x[1]) * rng.normal() + noisy(rng, x[2])


def pick(rng, n=3):
    return int(rng.integers(n))


class Particle:
    def __init__(self, x):
        self.x = x


@program(lambda: (normal(1, 3), 1.3))
def drawn_places(x, c):
    rng = np.random.default_rng(0)
    u = x * 1.0
    u[pick(rng)] *= c + pick(rng)
    u[pick(rng):] *= x[0]
    m = np.outer(u, x)
    m[pick(rng), pick(rng)] *= c
    m[:, pick(rng)] -= x
    return np.sum(m * np.arange(9.0).reshape(3, 3)) + np.sum(u * np.arange(3.0))


@program(lambda: (normal(1, 3), 1.3))
def drawn_places_in_containers(x, c):
    rng = np.random.default_rng(0)
    numbers, lists, named = [v * 2.0 for v in x], [[v, c] for v in x], {"a": c, "b": x[0]}
    numbers[pick(rng)] *= c
    lists[pick(rng)].append(x[0])
    lists[pick(rng)].extend([c, x[1]])
    last = lists[pick(rng)].pop()
    del lists[pick(rng)][pick(rng, 1)]
    lists[pick(rng)] = [c, pick(rng) * x[0]]
    del lists[pick(rng)][pick(rng, 1)]
    named["ab"[pick(rng, 2)]] += x[2]
    return last * sum(v * (k + 1) for k, v in enumerate(numbers)) + named["a"] + sum(
        sum(row) * (k + 1) for k, row in enumerate(lists)) * named["b"]


@program(lambda: ({"a": 1.0, "c": 2.0}, normal(1, 3), "a"))
def drawn_defaults(given, x, key):
    rng = np.random.default_rng(0)
    d = dict(given)
    first = d.setdefault(key, sum(v * v for v in x))
    last = d.pop("b", noisy(rng, x[0]))
    for label in ("p", "q", "p"):
        d.setdefault(label, noisy(rng, x[1]))
        other = d.pop(label + "r", noisy(rng, x[2]))
        d[label] += other
    return first * last + sum(d.values())


def label_behind(rng, label):
    rng.normal()
    return label


def spread(a, b, c=0.0):
    return a + 2.0 * b + 3.0 * c


@program(lambda: (normal(1, 3),))
def drawn_keys_and_values(x):
    rng = np.random.default_rng(0)
    numbers = iter(range(4))
    d = {pick(rng, 5): noisy(rng, x[0]), 5 + pick(rng, 5): noisy(rng, x[1])}
    e = {next(numbers): x[next(numbers)], next(numbers): x[next(numbers) - 1]}
    first = spread(**{label_behind(rng, "c"): x[0], "a": noisy(rng, x[1]), "b": x[2]})
    twice = spread(**{"a": noisy(rng, x[0]), "b": noisy(rng, x[1]), "a": noisy(rng, x[2])})  # noqa: F601, PIE804
    return sum(k * v for k, v in d.items()) + e[0] * e[2] + first * twice


@program(lambda: (normal(1, 3),))
def drawn_beside_walruses(x):
    rng = np.random.default_rng(0)
    u, i = x * 1.0, 0
    u[pick(rng)] += (v := noisy(rng, x[0])) * v
    u[i] *= (i := pick(rng)) + x[1]
    d = {pick(rng, 5): (w := x[2]), 5 + (k := pick(rng)): noisy(rng, w)}
    return np.sum(u * np.arange(3.0)) * v + sum(j * y for j, y in d.items()) * (i + k)


@program(lambda: (normal(1, 3),))
def drawn_by_calls_with_stars(x):
    rng = np.random.default_rng(0)
    ys = [x[0]]
    ys.extend([x[pick(rng)], noisy(rng, x[0]), x[pick(rng)] if noisy(rng, x[1]) > 0 else x[2]])
    return noisy(*(rng, x[0])[:2]) + 2.0 * noisy(rng, x[1]) + sum(y * (k + 1) for k, y in enumerate(ys))


@program(lambda: (normal(1, 3), 3))
def drawn_beside_what_is_known(x, n):
    rng = np.random.default_rng(0)
    u, d = x * 1.0, {"a": x[0]}
    u[int(noisy(rng, x[0]) > 0)] = x[pick(rng)]
    first = d.setdefault(label_behind(rng, "a"), noisy(rng, x[1]))
    last = d.pop(label_behind(rng, "b"), noisy(rng, x[2]))
    return (u[pick(rng)] if n > 2 else x[0]) * noisy(rng, x[1]) + first * last * noisy(rng, x[2])


@program(lambda: (normal(1, 3), 1.3))
def drawn_objects(x, c):
    rng = np.random.default_rng(0)
    particles = [Particle(v) for v in x]
    particles[pick(rng)].x *= c
    particles[pick(rng)].x += x[0]
    return sum(p.x * (k + 1) for k, p in enumerate(particles))


class Moving(Particle):
    def step(self, c):
        self.x = self.x * c
        return self.x


@program(lambda: (normal(1, 3), 1.3))
def drawn_objects_that_change(x, c):
    rng = np.random.default_rng(0)
    moving = [Moving(v) for v in x]
    moving[pick(rng)].step(c)
    total = moving[pick(rng)].step(c) * moving[pick(rng)].x
    for _ in range(3):
        total += moving[pick(rng)].step(x[1])
    return total + sum(p.x * (k + 1) for k, p in enumerate(moving))


@program(lambda: (normal(1, 3), 1.3))
def drawn_functions_and_numbers(x, c):
    rng = np.random.default_rng(1)
    functions, filled = {0: np.sin, 1: squared, 2: np.exp}, [c, x[0]]
    for k in functions:
        c += functions[(k + pick(rng)) % 3](x[k]) * (k + 1)
        filled.insert(pick(rng, 2), x[k] * pick(rng))
    return c * sum(v * (k + 1) for k, v in enumerate(filled))


def squared(v):
    return v * v


@program(lambda: (normal(1, 3), 1.3))
def defaults_before_arguments(x, c):
    moving = Moving(x)
    return np.sum(moving.x * (lambda v, w=moving.x: v * w)(moving.step(c)) + moving.x)


def told(x):
    print("told")
    return x * 2.0


@program(lambda: (normal(1, 4), normal(2, 4)))
def what_a_method_is_of(x, y):
    rng = np.random.default_rng(5)
    us = [x * y, x / (1.0 + y ** 2)]
    drawn = rng.choice(x, size=3).mean() - rng.normal(y, 2.0).std()
    return us[0].dot(told(us[1])) + (x / (2.0 + y ** 2)).dot(told(y)) * drawn


class Talking:
    """What Python asks without naming it prints."""

    def __init__(self, v):
        self.v = v

    def __setitem__(self, place, v):
        self.v = self.v + v * (place + 1)

    def __len__(self):
        print("length")
        return 2

    def __bool__(self):
        print("truth")
        return True

    def __lt__(self, other):
        print("less")
        return False

    def __contains__(self, other):
        print("inside")
        return other > 0


def place():
    print("place")
    return 1


@program(lambda: (normal(1, 4), 1.3))
def unnamed_calls_that_print(x, c):
    talking = Talking(x[0])
    talking[place()] = told(x[1])
    total = (1.0 if talking else 2.0) * told(c) + len(talking) * c * place()
    if isinstance(functools.reduce(lambda p, q: told(p) * q, [c, x[0], 2.0]), float):  # known before the call
        total *= 2.0
    total += (2.0 if talking < 1.0 else 3.0) * told(x[2]) * (1.5 if 0.5 in talking else 2.5) * told(x[3])
    return total * talking.v


@program(lambda: (["b", "c", "b"], normal(1, 3)), argnums=(1,))
def dicts_told_of_themselves(words, x):
    counts = {"a": 1.0, "b": x[0]}
    for word, v in zip(words, x):
        counts[word] = counts.get(word, 0.0) + v ** 2
    counts.update({"a": counts["b"] * x[1]}, b=counts["a"] + x[2], c=counts["b"] ** 2)
    return counts["a"] * counts["b"] + counts["c"] * x[0]


def weighed(u, k, v=1.0, w=1.0):
    return u[k] * v / w


@program(lambda: (normal(1, 5), 1.3))
def drawn_arguments(x, c):
    rng = np.random.default_rng(7)
    total = weighed(x, rng.integers(5), c * rng.normal())
    total += weighed(w=rng.uniform(1.0, 2.0), v=c * rng.normal(), k=rng.integers(5), u=x)
    try:
        total *= weighed(x, w=x[9], k=rng.integers(5))
    except IndexError:
        total *= rng.normal()
    return total * weighed(x, v=rng.normal(), k=rng.integers(5))


class Boxed:
    def __init__(self, v):
        self.v = v

    def __getitem__(self, place):
        return self.v * (place + 1)

    def __setitem__(self, place, v):
        self.v = self.v + v * (place + 1)

    def itself(self):
        print("itself")
        return self


@program(lambda: (normal(1, 3), {"a": 1.3, "b": 0.7}))
def asked_in_turn(x, known):
    """What ``next`` runs through is there before its default, and what is written into before its place; iterators over
    dicts that are not differentiated count as others do."""
    total = next((v for v in (told(x[0]), told(x[1])) if v > 5), told(x[2])) * next(iter([told(x[1])]), told(1.0))
    boxed = Boxed(x[2])
    boxed.itself()[place()] *= told(x[1])
    values = iter(known.values())
    total += next(values) * boxed.v * x[0]
    values = iter(x)
    return total * next(values) * next(values)


def grown(xs, v):
    xs.append(v)
    return v * 2.0


@program(lambda: (normal(1, 3), {"n": 1.0}))
def places_that_move_on(x, table):
    """What an index reads, and a list's length, come before what changes them; a default is computed in any case."""
    xs = [x[0], x[1]]
    xs.insert(len(xs) % 2, grown(xs, x[2]))
    xs[len(xs) - 2] *= grown(xs, x[0])
    xs[-1] *= grown(xs, x[1])
    total = 0.0
    for i, v in enumerate(xs):
        total += v * (i + 1) + len(xs) * grown(xs[:1], v)
    count = [0]

    def stepped(v):
        count[0] += 1
        return v * 2.0

    u = x.copy()
    u[count[0]] += stepped(x[1])
    u[count[0]] *= stepped(x[2])
    try:
        total *= table.get("n", xs[9])
    except IndexError:
        total *= 3.0
    return total * u[0] * u[1] + table.get("n", Boxed(x[0])[place()])


@program(lambda: (normal(1, 3),))
def values_taken_out_of_a_dict(x):
    """A dict that is changed later, beside a variable that an inner function changes."""
    count, d = 0.5, {"a": x[0], "b": x[1] * 2.0}

    def counted(v):
        nonlocal count
        count = count + v
        return v

    first, *rest = d.values()
    d.update(a=x[1], b=x[0])
    return first * sum(rest) * counted(x[2]) * count * d["a"]


class Turning:
    def __init__(self, weights):
        self.weights, self.turn = weights, 0

    def turned(self):
        self.turn += 1
        return self.weights

    @property
    def gain(self):
        self.turn = (self.turn + 1) % 3
        return self.weights * 2.0


@program(lambda: (normal(1, 3),))
def places_that_move_while_more_is_asked_of_what_comes(x):
    turning, u = Turning(np.outer(x, x)), x * 1.0
    u[turning.turn] += turning.turned().T.copy()[0, 1] * turning.weights.T.sum()
    u[turning.turn] *= turning.gain.T.sum() * turning.weights[0].mean()
    return np.sum(u ** 2 * [1.0, 2.0, 3.0]) * turning.turn


def weighted(a, b=0.5, w=1.0):
    return a * b + w * 0.1


@program(lambda: (normal(1, 3),))
def items_read_before_what_does_something_beside_them(x):
    """They are read before the call, and stay where they are."""
    u, d = x * 1.0, {"a": x[0]}
    u[1:] = weighted(u[0], w=u[2], b=told(0.3))
    u[0] = weighted(w=u[2], a=u[1], b=told(2.0)) * d.get("b", u[1])
    d = {**d, "b": d.get("b", u[-1])}
    return np.sum(u ** 2) * d["b"]


@program(lambda: (normal(1, 3),))
def totals_read_before_a_comprehension_adds_to_them(x):
    u, d, turning, total = x * 1.0, {"a": x[0]}, Turning(np.outer(x, x)), x[1]

    def added(v):
        nonlocal total
        total += v
        u[0] += v
        d["a"] *= v
        return v
    u[0] += sum([added(v) for v in (x[1], 2.0)])
    d["a"] += max(added(v) for v in (x[2], 0.5))
    total += sum(added(v) for v in x)
    turning.turn += len([turning.turned() for _ in x])
    return np.sum(u ** 2) * d["a"] * total * turning.turn
