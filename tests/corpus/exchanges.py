"""Buffers that change places in a container or an object, and are written into."""
from __future__ import annotations

from corpus.registry import normal, program


class Wave:
    def __init__(self, u, c):
        self.u = u
        self.new = u * 0.0
        self.c = c

    def step(self):
        self.new[1:-1] = self.u[1:-1] + self.c * (self.u[2:] * self.u[:-2])
        self.u, self.new = self.new, self.u


@program(lambda: (normal(1, 5), 0.3))
def attributes_in_a_method(x, c):
    w = Wave(x * 1.0, c)
    for _ in range(3):
        w.step()
    return (w.u ** 2).sum() + w.new[1]


@program(lambda: (Wave(normal(1, 5), 0.3),))
def attributes_of_an_argument(w):
    for _ in range(3):
        w.step()
    return (w.u ** 2).sum() + w.new[1]


@program(lambda: (normal(1, 5), 0.3))
def attributes_now_and_then(x, c):
    w = Wave(x * 1.0, c)
    for k in range(4):
        w.new[1:-1] = w.u[1:-1] * w.u[2:]
        if k % 2 == 0:
            w.u, w.new = w.new, w.u
        w.u[0] *= w.new[3]
    return (w.u ** 2).sum() + w.new[1]


@program(lambda: (normal(1, 5), 0.3))
def items_of_a_list(x, c):
    buffers = [x * 1.0, x * 0.0]
    for _ in range(3):
        buffers[1][1:-1] = buffers[0][1:-1] + c * buffers[0][2:]
        buffers[0], buffers[1] = buffers[1], buffers[0]
    return (buffers[0] ** 2).sum() + buffers[1][2]


@program(lambda: (normal(1, 5), 0.3))
def three_in_turn(x, c):
    levels = [x * 1.0, x * 1.1, x * 0.0]
    for _ in range(4):
        levels[2][1:-1] = 2 * levels[1][1:-1] - levels[0][1:-1] + c * levels[1][2:] * levels[1][:-2]
        levels[0], levels[1], levels[2] = levels[1], levels[2], levels[0]
        levels[0] *= 0.9
    return (levels[0] * levels[1]).sum() + levels[2][2]


@program(lambda: (normal(1, 5), 0.3))
def items_by_places_that_run(x, c):
    buffers = [x * 1.0, x * x, x * 0.5]
    for i in range(3):
        j = (i + 1) % 3
        buffers[i][1:] += c * buffers[j][:-1] ** 2
        buffers[i], buffers[j] = buffers[j], buffers[i]
    return (buffers[0] * buffers[1]).sum() + buffers[2][3]


@program(lambda: (normal(1, 5), 0.3))
def values_of_a_dict(x, c):
    s = {"u": x * 1.0, "v": x * 0.0, "steps": 0}
    for _ in range(3):
        s["v"][1:] = s["u"][:-1] ** 2 + c
        s["u"], s["v"] = s["v"], s["u"]
        s["steps"] += 1
        if s["u"][1] > 0.5:
            break
    return (s["u"] ** 2).sum() * s["steps"] + s["v"][1]


@program(lambda: (normal(1, 3, 4),), needs="shapes")
def rows_that_are_views(m):
    m = m * 1.0
    m[0], m[1] = m[1], m[0]
    m[:, 2], m[:, 3] = m[:, 3] * 2.0, m[:, 2]
    return (m * m[0, 0]).sum() + m[1] @ m[2]


@program(lambda: (normal(1, 3, 4),))
def rows_by_places(m):
    m = m * 1.0
    m[[0, 1]] = m[[1, 0]]
    m[[0, 2]] *= m[[1, 1]]
    m[1], m[2] = m[2].copy(), m[1].copy()
    return (m ** 2 * m[0, 0]).sum()


class Body:
    def __init__(self, place):
        self.place = place


@program(lambda: ({"bodies": [Body(normal(1, 2)), Body(normal(2, 2))]}, normal(3, 2)))
def objects_in_a_list_of_a_dict_that_are_moved_then(system, step):
    system["bodies"][0], system["bodies"][1] = system["bodies"][1], system["bodies"][0]
    for body in system["bodies"]:
        body.place = body.place * 0.5 + step
    return (system["bodies"][0].place * step).sum()


class System:
    def __init__(self, bodies):
        self.bodies = bodies


@program(lambda: (System([Body(normal(1, 2)), Body(normal(2, 2))]), normal(3, 2)))
def objects_in_a_list_of_an_object_that_are_moved_then(system, step):
    system.bodies[0], system.bodies[1] = system.bodies[1], system.bodies[0]
    for body in system.bodies:
        body.place = body.place * 0.5 + step
    return (system.bodies[0].place * step).sum()


class Rows:
    def __init__(self, rows):
        self.rows = rows


def poked(rows, step):
    rows[0][1:] *= step[1:]
    rows[1] = rows[0] * step


@program(lambda: (Rows([normal(1, 3), normal(2, 3)]), normal(3, 3)))
def rows_of_an_object_written_into_and_put_by_a_function(table, step):
    poked(table.rows, step)
    for row in table.rows:
        step = step + row
    return (step * table.rows[1]).sum()


def matrix():
    return [[0.4, 1.2, 0.5], [1.3, 3.5, 0.7], [-2.5, 0.7, 2.9]]


@program(lambda: (matrix(), [1.0, 2.0, 0.5]))
def rows_of_an_argument(a, b):
    n = len(b)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot] = a[pivot], a[i]
        b[i], b[pivot] = b[pivot], b[i]
        for k in range(i + 1, n):
            factor = a[k][i] / a[i][i]
            for j in range(i, n):
                a[k][j] -= factor * a[i][j]
            b[k] -= factor * b[i]
    return b[2] / a[2][2]


class Table:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def exchange(self, i, j):
        self.rows[i], self.rows[j] = self.rows[j], self.rows[i]

    def determinant(self):
        found = 1.0
        for i in range(len(self.rows)):
            pivot = max(range(i, len(self.rows)), key=lambda k: abs(self.rows[k][i]))
            if pivot != i:
                self.exchange(i, pivot)
                found = -found
            for k in range(i + 1, len(self.rows)):
                factor = self.rows[k][i] / self.rows[i][i]
                for j in range(i, len(self.rows)):
                    self.rows[k][j] -= factor * self.rows[i][j]
            found *= self.rows[i][i]
        return found


@program(lambda: (matrix(),))
def rows_of_an_object(a):
    return Table(a).determinant()


@program(lambda: (matrix(),))
def at_places_that_a_generator_picks(a):
    a = [row[:] for row in a]
    for _ in range(2):
        p, q = max(((i, j) for i in range(3) for j in range(i + 1, 3)), key=lambda place: abs(a[place[0]][place[1]]))
        for k in range(3):
            a[k][p], a[k][q] = 0.6 * a[k][p] + 0.8 * a[k][q], 0.6 * a[k][q] - 0.8 * a[k][p]
    return a[0][0] * a[1][1]


@program(lambda: (normal(1, 4),))
def one_is_missing(x):
    s = {"a": x * 1.0, "b": x * x}
    try:
        first = s["a"]
        s["a"] = s["b"]
        s["b"] = s["c"]
        s["c"] = first
    except KeyError:
        pass
    return (s["a"] ** 2).sum() + (s["b"] ** 3).sum()
