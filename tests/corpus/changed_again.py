"""Dicts and lists that a function changes, and its caller again: the function's adjoint must not notice."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def vector():
    return (normal(1, 3),)


def put(d, v):
    d["n"] = d["n"] * v * d["m"]
    d["m"] = d["m"] + d["n"] * v


def put_inside(p, v):
    w = p["layer"]
    w["n"] = w["n"] * v * w["m"]
    w["m"] = w["m"] + w["n"]


def put_in_two(c, d, v):
    d["own"] = d["own"] + v
    c["total"] = c["total"] * d["own"]


def push(s, v):
    s.append(s[-1] * v)
    return s[-1] * s[0]


def move(p, q, v):
    p.append(q.pop() * v)
    q.insert(0, p[-1] * p[0])
    return q[0] * v


def change_cells(rows, i, v):
    rows[i][0] = rows[i][0] * v * rows[i][1]
    rows[i][1] += rows[i - 1][0] * v


def change_arrays(state, v):
    state["u"][1:] *= state["u"][:-1] * v * state["k"]
    state["k"] = state["k"] * state["u"].sum()


def change_and_recur(state, n, v):
    if n == 0:
        return state["a"]
    state["a"] = state["a"] * v + state["b"]
    r = change_and_recur(state, n - 1, v) * state["a"]
    state["b"] = state["b"] * r * state["a"]
    return r * state["b"]


def read_inside(p, v):
    return p["d"]["a"] * v * p["d"]["a"]


@program(vector)
def a_dict_in_each_turn(x):
    d = {"n": x[0], "m": x[1]}
    for v in x:
        put(d, v)
    return d["n"] * d["m"]


@program(vector)
def a_dict_in_a_dict(x):
    p = {"layer": {"n": x[0], "m": x[1]}}
    for v in x:
        put_inside(p, v)
    return p["layer"]["n"] * p["layer"]["m"]


@program(vector)
def two_dicts(x):
    c = {"total": x[0]}
    d = {"own": 1.0}
    put_in_two(c, d, x[1])
    put_in_two(c, d, x[1] * x[1])
    return d["own"] * c["total"]


@program(vector)
def a_stack(x):
    s = [x[0]]
    t = push(s, x[1])
    u = push(s, x[2])
    s[0] = t
    return u * push(s, t)


@program(vector, needs="shapes")
def two_queues(x):
    p, q = [x[0]], [x[1], x[2]]
    t = 1.0
    for v in x:
        t = t * move(p, q, v) + q[-1]
    return t


@program(vector, needs="shapes")
def rows_of_a_table(x):
    rows = [[x[0], x[1]], [x[1], x[2]]]
    for k in range(4):
        change_cells(rows, k % 2, x[k % 3])
    return rows[0][0] * rows[1][1] + rows[0][1]


@program(vector, needs="shapes")
def arrays_in_a_dict(x):
    state = {"u": x * 1.0, "k": x[1]}
    for v in x:
        change_arrays(state, v)
    return np.sum(state["u"]) * state["k"]


@program(vector)
def by_a_function_that_calls_itself(x):
    state = {"a": x[0], "b": x[1]}
    t = change_and_recur(state, 3, x[2])
    return t * change_and_recur(state, 2, x[1]) * state["a"] * state["b"]


@program(vector)
def inside_another(x):
    d = {"a": x[0]}
    p = {"d": d}
    t = read_inside(p, x[1])
    d["a"] = x[2] * d["a"]
    return t * d["a"]


class Stack:
    def __init__(self):
        self.values = []

    def push(self, value):
        self.values.append(value)

    def pop(self):
        return self.values.pop()

    def first_and_last(self):
        values = self.values
        found = values[0] * values[-1]
        values.clear()
        values.append(found)
        values.append(found * found)
        return found


@program(lambda: (normal(21, 4),))
def a_stack_that_is_filled_again(x):
    stack = Stack()
    for i in range(4):
        stack.push(x[i] * x[0])
    a, b = stack.pop(), stack.pop()
    for i in range(3):
        stack.push(x[i] ** 2)
    return a * b


@program(lambda: (normal(22, 4),))
def a_stack_that_is_emptied(x):
    stack = Stack()
    for i in range(4):
        stack.push(x[i] * x[0])
    a = stack.pop()
    while len(stack.values):
        b = stack.pop()
    return a * b


@program(lambda: (normal(23, 5),))
def a_stack_that_is_replaced_by_two_values(x):
    stack, total = Stack(), 0.0
    for i in range(5):
        stack.push(x[i] * x[0])
    for i in range(3):
        total = total * x[i] + stack.first_and_last()
        stack.push(total)
        stack.push(3.0)
    a = stack.first_and_last()
    return total * stack.values[0] + a * sum(stack.values)


def put_first(queue, x):
    values = queue["values"]
    values.insert(0, x)


def take_first(queue):
    values = queue["values"]
    first = values[0] * values[1]
    del values[0]
    return first


@program(lambda: (normal(24, 5),))
def a_queue_in_a_dict(x):
    queue = {"values": []}
    for i in range(5):
        put_first(queue, x[i] * x[0])
    a = take_first(queue)
    queue["values"].append(4.0)
    queue["values"].append(5.0)
    b = take_first(queue)
    queue["values"][0] = 1.0
    del queue["values"][-1]
    return a * b


def put_into_pair(pair, x):
    values = pair[0]
    values.append(x)


def take_from_pair(pair):
    values = pair[0]
    first = values[0] * values[1]
    values.clear()
    values.append(first)
    values.append(first * first)
    return first


@program(lambda: (normal(25, 5),))
def a_list_in_a_tuple(x):
    pair, total = ([], 2.0), 0.0
    for i in range(5):
        put_into_pair(pair, x[i] * x[0])
    for i in range(3):
        total = total * x[i] + take_from_pair(pair)
        put_into_pair(pair, total)
        put_into_pair(pair, 3.0)
    return total * pair[0][0]


def store_in_pair(pair, x):
    pair[0][1] = x


@program(lambda: (normal(26, 2),))
def an_array_in_a_tuple(x):
    pair = (np.zeros(3), 2.0)
    store_in_pair(pair, x[0])
    store_in_pair(pair, x[1] * pair[0][1])
    return np.sum(pair[0] ** 2)


@program(lambda: (normal(27, 2),))
def an_array_in_a_tuple_in_a_tuple(x):
    pairs = ((np.zeros(3), 2.0), 1.0)
    store_in_pair(pairs[0], x[0])
    store_in_pair(pairs[0], x[1] * pairs[0][0][1])
    return np.sum(pairs[0][0] ** 2)


def scale_by_out(state, x):
    state["w"][:] = np.sin(state["w"] * x)
    return np.sum(state["w"] ** 2)


@program(lambda: (normal(28, 4),))
def an_array_in_a_dict_in_each_turn(x):
    state, total = {"w": x * 1.0}, 0.0
    for i in range(3):
        total = total * 0.5 + scale_by_out(state, x[i])
    return total + np.sum(state["w"] ** 2)


def shift(held, x):
    w = held[0]
    w += x
    return np.sum(w ** 3)


@program(lambda: (0.3 * normal(29, 4),), needs="shapes")
def an_array_in_a_list_between_calls(x):
    held = [x * 1.0, 1.0]
    a = shift(held, x[0])
    w = held[0]
    w *= 0.5
    b = shift(held, a * 0.1)
    held[0][0] = 1.0
    held[0][2] *= b
    return a * b + np.sum(held[0] ** 3)


def shift_elements(held, x):
    held[0][1:] = held[0][1:] + x * held[0][:-1]
    return np.sum(held[0] ** 3)


@program(lambda: (0.3 * normal(30, 4),))
def an_array_in_a_tuple_between_calls(x):
    held = (x * 1.0, 2.0)
    a = shift_elements(held, 0.7)
    b = shift_elements(held, 1.1) if a > 0.0 else shift_elements(held, x[1])
    return a * b + held[0][1]


def shift_inside(held, x):
    return shift(held["pair"], x) * held["pair"][0][1]


@program(lambda: (0.3 * normal(31, 4),), needs="shapes")
def an_array_further_inside(x):
    held = {"pair": [x * 1.0, 2.0]}
    total = 0.0
    for i in range(3):
        total += shift_inside(held, x[i])
    return total


class Held:
    pass


def store_inside(parts, value):
    array, numbers, table, held = parts
    array[0] = value
    numbers[0] += value ** 2
    table["a"] = value
    held.a = value * table["a"]


def store_in_first(parts, value):
    store_inside(parts[0], value)


@program(lambda: (normal(28, 2),))
def what_a_tuple_in_a_tuple_holds(x):
    held = Held()
    held.a = 1.0
    parts = ((np.zeros(2), [1.0], {"a": 2.0}, held), 1.0)
    store_in_first(parts, x[0])
    store_in_first(parts, x[1] * parts[0][0][0])
    array, numbers, table, _ = parts[0]
    return np.sum(array ** 2) * numbers[0] * table["a"] * held.a
