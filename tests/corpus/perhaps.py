"""Names that are None first, and a container of differentiated values later."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4, 3),))
def best_pair(m):
    best = None
    for row in m:
        v = (row ** 2).sum()
        if best is None or v < best[0]:
            best = (v, row)
    return best[0] * best[1].sum()


@program(lambda: (normal(1, 4, 3),))
def best_unpacked(m):
    best = None
    for row in m:
        v = (row ** 2).sum()
        if best is None or v < best[0]:
            best = v, row
    v, row = best
    return v * row.sum()


@program(lambda: (normal(1, 4, 3),))
def best_under_keys(m):
    best = None
    for row in m:
        v = (row ** 2).sum()
        if best is None or v < best["v"]:
            best = {"v": v, "row": row}
    return best["v"] * best["row"].sum()


@program(lambda: (normal(1, 4),))
def best_in_a_list(x):
    best = None
    for v in x:
        if not best or v > best[0]:
            best = [v, v * v]
    return best[0] * best[1]


@program(lambda: (normal(1, 4),))
def state_under_keys(x):
    state = None
    for v in x:
        if state is None:
            state = {"h": 0.0, "c": 1.0}
        state["h"] = state["h"] + v
        state["c"] = state["c"] * state["h"]
    return state["h"] * state["c"]


@program(lambda: (normal(1, 4),))
def list_that_grows(x):
    history = None
    for v in x:
        if history is None:
            history = []
        history.append(v * 2.0)
    return history[0] * history[-1] * len(history)


class Point:
    def __init__(self, x):
        self.x = x


@program(lambda: (normal(1, 4),))
def an_object(x):
    p = None
    for v in x:
        if p is None or v > p.x:
            p = Point(v)
        else:
            p.x = p.x * v
    return p.x ** 2


class Best:
    def __init__(self):
        self.best = None

    def offer(self, v, row):
        if self.best is None or v > self.best[0]:
            self.best = (v, row)


@program(lambda: (normal(1, 4, 3),))
def in_an_attribute(m):
    b = Best()
    for row in m:
        b.offer((row ** 2).sum(), row)
    return b.best[0] * b.best[1].sum()


@program(lambda: (normal(1, 4),))
def inside_a_dict(x):
    d = {"best": None, "n": 0}
    for v in x:
        if d["best"] is None or v > d["best"][0]:
            d["best"] = (v, v * v)
    return d["best"][0] * d["best"][1]


@program(lambda: (normal(1, 4),))
def inside_a_tuple(x):
    best = None
    for v in x:
        if best is None or v > best[1][0]:
            best = ("a", (v, v * v))
    return best[1][1]


def cell(x, state=None):
    if state is None:
        h, c = np.zeros(3), np.ones(3)
    else:
        h, c = state
    h = np.tanh(h + x)
    return h, (h, c * h)


@program(lambda: (normal(1, 4, 3),))
def handed_to_a_cell(m):
    state = None
    total = 0.0
    for row in m:
        y, state = cell(row, state)
        total = total + (y ** 2).sum()
    return total * state[1].sum()


@program(lambda: (normal(1, 4, 3),))
def handed_to_a_cell_from_an_arm(m):
    if len(m) > 0:
        state = None
    total = 0.0
    for row in m:
        y, state = cell(row, state)
        total = total + (y ** 2).sum()
    return total * state[1].sum()


def first_above(m, bound):
    for row in m:
        if row[0] > bound:
            return row * 2.0, row[0]
    return None


@program(lambda: (normal(1, 4, 3),))
def returned_by_a_function(m):
    total = 0.0
    for bound in (0.0, 100.0, -3.0):
        hit = first_above(m, bound)
        if hit is None:
            total = total + m[0, 1]
            continue
        row, v = hit
        total = total + (row * v).sum()
    return total


@program(lambda: (normal(1, 4), 0.0))
def found(x, bound):
    pair = None
    for i, v in enumerate(x):
        if v > bound:
            pair = (i, v)
            break
    if pair is None:
        return x.sum()
    i, v = pair
    return v * x[i - 1]


@program(lambda: (normal(1, 4), 50.0))
def not_found(x, bound):
    return found(x, bound) ** 2


@program(lambda: (normal(1, 4), 50.0), argnums=(0,))
def nothing_returned(x, bound):
    pair = None
    for v in x:
        if v > bound:
            pair = (v, v * x[0])
    return pair


@program(lambda: (normal(1, 4), 0.0), argnums=(0,))
def something_returned(x, bound):
    return nothing_returned(x, bound)


@program(lambda: (normal(1, 3, 3),))
def forgotten_now_and_then(m):
    total = 0.0
    best = None
    for row in m:
        for v in row:
            if best is None or v > best[0]:
                best = (v, v ** 2)
        total = total + best[0] * best[1]
        if row[0] > 0:
            best = None
    return total


@program(lambda: (normal(1, 4),))
def by_turns(x):
    pair = None
    total = 0.0
    for v in x:
        if isinstance(pair, tuple):
            total = total + pair[0] * v * pair[1]
            pair = None
        else:
            pair = (v, 1.0)
    return total


@program(lambda: (normal(1, 4),))
def chosen_by_an_expression(x):
    best = None
    for v in x:
        b = best or (1.0, 2.0)
        best = (v, v * v) if best is None else (best[0] + v, b[1] * v)
    return best[0] * best[1]


@program(lambda: (normal(1, 4),))
def kept_in_a_list_before_there_is_one(x):
    last, history = None, []
    for v in x:
        history.append(last)
        last = v, v * v
    return sum(pair[1] * pair[0] for pair in history[1:])


@program(lambda: (normal(1, 4, 3),))
def kept_in_a_list_and_asked_for(m):
    best, found = None, []
    for row in m:
        found.append(best)
        if best is None or row.sum() > best["sum"]:
            best = {"row": row * 2.0, "sum": row.sum()}
    total = 0.0
    for one in found:
        if one is not None:
            total = total + (one["row"] ** 2).sum() * one["sum"]
        else:
            total = total + m[0, 0]
    return total * found[-1]["row"][0]


class Extreme:
    def __init__(self, row, value):
        self.row, self.value = row, value


def firsts(m):
    first, found = None, []
    for row in m:
        found.append((first, row ** 2))
        first = Extreme(row * row[0], row[1])
    return found


@program(lambda: (normal(2, 4, 3),))
def kept_in_a_list_that_a_function_gives(m):
    total = 0.0
    for first, row in firsts(m):
        if first is not None:
            total = total + (first.row * row).sum() * first.value
    return total


@program(lambda: (normal(2, 4, 3),))
def kept_under_keys_and_taken_out(m):
    kept, last = {}, None
    for i in range(len(m)):
        kept[i] = last
        last = m[i] ** 2, m[i, 0]
    total = 0.0
    for i in range(3, -1, -1):
        pair = kept.pop(i)
        if pair is None:
            break
        total = total + i * (pair[0] * pair[1]).sum()
    return total


@program(lambda: (normal(1, 4),))
def put_in_place_of_others_in_a_list(x):
    slots, last = [None] * len(x), None
    for i in range(len(x)):
        slots[i] = last
        last = x[i], x[i] ** 2
    for i in range(len(x)):
        last = slots[i]
        slots[i] = (x[i], x[0]) if last is None or x[i] > 0 else None
    total = 0.0
    while slots:
        one = slots.pop()
        total = total * x[1] + (x[0] if one is None else one[0] * one[1])
    return total


@program(lambda: (normal(1, 4),))
def put_under_the_same_keys(x):
    kept, last = {}, None
    for i in range(len(x)):
        kept[i % 3] = last
        last = {"scaled": x * x[i], "pair": [x[i], x[i] * 2]}
    return sum((one["scaled"] ** 2).sum() * one["pair"][1] for one in kept.values() if one is not None)


@program(lambda: (normal(1, 4),))
def between_nones_in_a_list(x):
    history = [None, (x[0], x[1] ** 2)]
    history.extend([history[1], None] * 2)
    current = None
    for _v in x:
        history.append(current)
        current = history[1]
    return sum([one[0] * one[1] for one in history[::2] + history[1:] if one])


@program(lambda: (1.4, 0.8))
def an_option_that_is_left_out(x, y):
    return corrected(x) * corrected(y)


def corrected(speed, correction=None):
    return correction(speed) if speed > 1.5 else speed ** 2


class Arrow:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __mul__(self, other):
        if isinstance(other, Arrow):
            return self.x * other.x + self.y * other.y
        return Arrow(self.x * other, self.y * other)


class Disc:
    def __init__(self, radius):
        self.radius = radius

    def distance(self, direction):
        if direction.x < 0:
            return None
        for distance in sorted((direction.x, self.radius * 2)):
            if distance > 0.1:
                return distance
        return None


@program(lambda: (0.7, 1.2))
def an_operand_that_is_none_or_a_number(x, y):
    direction = Arrow(x, y)
    hit = direction * Disc(y).distance(direction)
    return hit * direction + hit.y


@program(lambda: ([0.3, 0.1, 0.5, 0.4],))
def cheapest_in_a_table(xs):
    n = len(xs)
    table, choices = [[None] * n for _ in range(n)], {i: {} for i in range(n)}
    for i in range(n):
        table[i][i] = xs[i]
    for gap in range(1, n):
        for i in range(n - gap):
            best, j = None, i + gap
            for k in range(i, j):
                cost = table[i][k] + table[k + 1][j] + xs[i] * xs[j]
                if best is None or cost < best:
                    best = cost
            table[i][j] = choices[i][j] = best
    return table[0][n - 1] * choices[0][1]


@program(lambda: (np.array([0.7, 1.2]), 2))
def a_number_or_none_beside_constants(x, count):
    bound = None
    if count > 1:
        bound = x[0]
    label = x[1] if count else "none"
    return max(bound, -9.0) * np.array([[bound, 1.0], [label, 2.0]]).sum() + np.stack([label, 2.0]).prod() + sum(
        [label, 1.0]) * np.piecewise(x, [[True, False]], [np.sin, 0.3]).sum()


@program(lambda: ([[1.5, 3.0, 9.0], [2.0, 1.7, 7.0], [8.0, 1.1, 1.9]],))
def tables_of_none_that_smallest_sums_fill(lengths):
    count = len(lengths)
    tables = [lengths]
    for k in range(count):
        table = [[None] * count for _ in range(count)]
        for i in range(count):
            for j in range(count):
                table[i][j] = min(tables[k][i][j], tables[k][i][k] + tables[k][k][j])
        tables.append(table)
    return sum(sum(row) for row in tables[count])


def as_written(x):
    if x > 0.5:
        return x * 2.0
    return "2.5"


@program(lambda: (0.7,))
def made_of_a_number_or_a_text(x):
    number, text = as_written(x), as_written(x - 0.5)
    total = float(number) * float(text) + np.complex128(number).real * np.complex128(text).real
    return total ** 2 + np.array(number, dtype=float) * complex(text).real
