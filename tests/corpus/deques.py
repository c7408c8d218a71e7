"""Deques: as arguments, in objects, in other containers, as results, and changed by functions that get them."""
from __future__ import annotations

from collections import deque

import numpy as np

from corpus.registry import normal, program


class Smoother:
    """The mean of the last few values that it was given."""

    def __init__(self, length=3, w=0.8, start=()):
        self.w = w
        self.history = deque(start, maxlen=length)

    def push(self, x):
        self.history.append(self.w * x)
        return sum(self.history) / len(self.history)


class Line:
    """A delay line of two taps."""

    def __init__(self, values, gain):
        self.values = deque(values, maxlen=len(values))
        self.gain = gain

    def step(self, x):
        late = self.values[0]
        self.values.append(x + self.gain * late)
        return late + self.gain * self.values[-1] * self.values[1]


def numbers(*values, maxlen=None):
    return deque(values, maxlen)


@program(lambda: (Smoother(start=[0.3]), normal(1, 6)))
def moving_average_of_an_object(smoother, x):
    total = 0.0
    for i in range(len(x)):
        total += smoother.push(x[i]) ** 2
    return total


@program(lambda: (normal(1, 6), 0.7))
def moving_average_made_inside(x, w):
    smoother = Smoother(2, w)
    return sum([smoother.push(v) ** 2 for v in x])


@program(lambda: (Line([0.3, -0.7, 1.1], 0.4), normal(2, 5)))
def delay_line(line, x):
    total = 0.0
    for i in range(len(x)):
        total += line.step(x[i]) * (i + 1)
    return total


@program(lambda: (Line([normal(1, 2), normal(2, 2)], 0.4), normal(3, 2)))
def delay_line_of_arrays(line, x):
    for _ in range(3):
        x = line.step(x) + x
    return x


@program(lambda: (numbers(0.5, -1.2, 2.0, maxlen=3), 0.7))
def full_deque_drops_what_is_first(history, x):
    for _ in range(2):
        history.append(history[0] * x)
    return history[0] * history[1] + history[2] ** 2


@program(lambda: (numbers(0.5, -1.2, 2.0, maxlen=3), 0.7))
def full_deque_drops_what_is_last(history, x):
    history.appendleft(history[-1] * x)
    return history[0] * history[1] + history[2] ** 2


@program(lambda: (numbers(0.5, -1.2, 2.0), 0.7))
def both_ends(q, x):
    q.append(x * q.popleft())
    q.appendleft(q.pop() + x)
    q.extend([x, q[1] * x])
    q.extendleft([x ** 2, x ** 3])
    q[2] = q[2] * q[3]
    q[0] += x
    del q[-1]
    return sum(v * (i + 1) for i, v in enumerate(q))


@program(lambda: (numbers(0.5, -1.2, 2.0, 0.3, maxlen=4), 0.7, 3))
def turned_around(q, x, n):
    q.rotate(n)
    q.append(x)
    q.rotate(-1)
    q.rotate()
    q.reverse()
    return q[0] * x + q[1] * q[2] ** 2 + q[3]


@program(lambda: (numbers(normal(1, 2), normal(2, 2), normal(3, 2), maxlen=4), normal(4, 2)))
def returned_as_a_result(q, x):
    q.append(q[0] * x)
    q.append(x)
    return q


@program(lambda: (normal(1, 5),))
def made_and_returned(x):
    q = deque([], 3)
    for v in x:
        q.append(v ** 2)
    return q, deque(x, maxlen=2), deque([x[0]])


def pushed(q, v):
    q.append(v)
    return q.popleft() if len(q) > 2 else 0.0


@program(lambda: (normal(1, 6), 0.7))
def handed_to_a_function(x, w):
    q = deque()
    total = 0.0
    for v in x:
        total = total * w + pushed(q, v * w)
    return total + q[0] * q[1]


@program(lambda: ({"a": numbers(0.5, 1.5, maxlen=2), "b": [numbers(0.2), numbers(0.4)]}, 0.7))
def in_other_containers(state, x):
    state["a"].append(x * state["a"][0])
    state["b"][0].appendleft(x)
    state["b"][1].extend(state["a"])
    return state["a"][0] * state["a"][1] + state["b"][0][0] * state["b"][1][2] ** 2


@program(lambda: (numbers(0.5, -1.2, 2.0, maxlen=3), 0.7))
def one_deque_with_two_names(q, x):
    p = q
    p.append(x)
    q.append(p[-1] * x)
    return p[0] * q[1] + p[2]


@program(lambda: (numbers(0.5, -1.2, 2.0, maxlen=3), 0.7))
def copies_of_a_deque(q, x):
    p, r, s = q.copy(), deque(q), list(q)
    p.append(x)
    r.append(x ** 2)
    s.append(x ** 3)
    q.clear()
    return p[0] * p[2] + r[0] * r[3] + s[0] * s[3] + len(q)


@program(lambda: (normal(1, 4), 0.7))
def what_python_says_of_a_deque(x, w):
    q = deque([w], maxlen=3)
    q.append(w ** 2)
    known = isinstance(q, deque) and not isinstance(q, list) and type(q) is deque and q.maxlen == 3
    return np.sum(np.array(q)) * np.stack(q)[0] * x[0] if known and w in q else x[1]


@program(lambda: (numbers(0.5, -1.2, 2.0), 0.7))
def emptied_one_by_one(q, x):
    total = x
    while q:
        last = q.pop()
        total = total * x + q.popleft() * last if q else total + last
    return total


@program(lambda: (normal(1, 3), normal(2, 3), 0.3))
def memory_of_a_minimizer(x, target, rate):
    moves = deque(maxlen=2)
    for _ in range(4):
        step = -rate * (x - target)
        for s in moves:
            step = step + 0.1 * s * (s @ step)
        x = x + step
        moves.append(step)
    return x


@program(lambda: (numbers(0.5, -1.2, 2.0, 0.3), 0.7, 2))
def taken_out_of_the_middle(q, x, i):
    del q[i]
    q.insert(1, x)
    del q[-2]
    first, *rest = q
    return first * rest[0] ** 2 + len(rest)


@program(lambda: (numbers(2, 4, 7, maxlen=3), 0.7))
def places_in_a_deque(places, x):
    places.remove(4)
    places.append(9)
    return x ** len(places) * places[-1]


def squares(values):
    for v in values:
        yield v * v


def itself(q):
    return q


@program(lambda: (normal(1, 4), 0.7))
def made_of_what_runs_once(x, w):
    q = itself(deque(squares(x), 3))
    q.extend(v * w for v in x)
    pairs = itself(deque(zip(q, [w, w ** 2])))
    last = itself(deque({"a": w, "b": w * w}.values(), q.maxlen - 2))
    return q[0] * q[-1] + sum(a * b for a, b in pairs) * last[0]


@program(lambda: (normal(1, 5), 2))
def groups_of_a_given_length(x, n):
    groups = {}
    for i in range(len(x)):
        groups.setdefault(i % 2, deque(maxlen=n)).append(x[i])
    return groups[0][0] * groups[1][0] * np.mean(groups[0])


@program(lambda: (numbers(0.5, -1.2, 2.0, 0.3, 0.9, 1.4), 0.7))
def by_numbers_that_change(q, x):
    i = steps = 1
    for _ in range(3):
        q.rotate(steps)
        del q[i - 1]
        q[i] = q[i] * x
        q.append(x * q[0])
        i, steps = i + 1, steps - 3
    return sum(v * (k + 1) for k, v in enumerate(q))


@program(lambda: (normal(1, 6), 0.7))
def emptied_now_and_then(x, w):
    q = deque()
    total = 0.0
    for i in range(len(x)):
        if i % 3 == 0:
            q.clear()
        q.append(x[i] * w)
        total += q[0] * q[-1]
    return total


@program(lambda: (numbers({"a": 0.5}, {"a": 1.5}, maxlen=2), 0.7))
def dicts_in_a_deque(q, x):
    for d in q:
        d["a"] = d["a"] * x
    q.append({"a": x})
    return q[0]["a"] * q[1]["a"]


class Scale:
    def __init__(self, w):
        self.w = w
        self.seen = []

    def __call__(self, x):
        self.seen.append(x)
        return self.w * x


class Steps:
    """Notes the weights that it changes in a deque of the caller's."""

    def __init__(self, layers, log):
        self.layers = layers
        self.log = log

    def __call__(self):
        for layer in self.layers:
            self.log.appendleft(layer.w)
            layer.w = layer.w - 0.1 * layer.seen[-1] * layer.w
            self.log.rotate(1)


@program(lambda: (0.7, numbers(1.0, 2.0, 3.0)))
def objects_that_note_their_steps(x, log):
    layers = [Scale(x), Scale(x * x)]
    step = Steps(layers, log)
    y = layers[0](1.3) + layers[1](x)
    step()
    last = log.pop()
    return y * last * log[0] * log[1] + layers[0].w * layers[1](x)


def fill(pair, x):
    first, _ = pair
    first.extend(x)


@program(lambda: (normal(31, 3),))
def filled_in_a_pair(x):
    pair, other = (deque(), x[0]), (deque([1.0]), 2.0)
    items, w = pair
    items.extend(x)
    fill(other, x ** 2)
    return w * pair[0][1] * sum(pair[0]) + other[0][0] * other[0][1] * other[1]


def without_first(queue, n):
    if n > 0:
        queue.popleft()
        without_first(queue, n - 1)


@program(lambda: (0.7, 2))
def emptied_by_a_function_that_calls_itself(x, n):
    queue = deque([x, x * x, 1.5])
    without_first(queue, n)
    return x * sum(queue) * len(queue)


@program(lambda: ([0.7, 2, np.array(0.3), 1.2],))
def numbers_beside_arrays_and_integers_taken_off(queue):
    """The gradient of a float is a number, and an integer has none, whatever an item may be in another turn."""
    total = 0.0
    while len(queue) > 1:
        first = queue.pop(0)
        total = total + np.sum(first * queue[0])
    return total
