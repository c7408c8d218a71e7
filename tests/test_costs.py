"""What a store costs: of an array that loops and helpers write into, what is saved does not grow with the array."""
from __future__ import annotations

import numpy as np
import pytest

import s2sgrad


def scaled_in_place(x):
    total = 0.0
    for i in range(1, 5):
        x[i] *= x[i - 1]
        total += x[i]
    return total


def limited(u, i):
    if u[i] > 1.0:
        u[i] *= u[i - 1]
        return u[i]
    u[i] += 0.1
    return u[i] ** 2


def helper_with_two_ends(x):
    total = 0.0
    for i in range(1, 5):
        total += limited(x, i)
    return total


def slope(u, i):
    return u[i + 1] * u[i - 1] + u[i - 1:i + 2].sum()


def helper_that_reads(x):
    for i in range(1, 5):
        x[i] = slope(x, i)
    return x[:5].prod()


def cascade(u, i):
    if i == 0:
        return u[0] ** 2
    u[i] *= u[i - 1]
    return cascade(u, i - 1) + u[i] ** 2


def helper_that_calls_itself(x):
    return cascade(x, 4)


@pytest.mark.parametrize("function", [
    scaled_in_place, helper_with_two_ends, helper_that_reads, helper_that_calls_itself,
], ids=lambda function: function.__name__)
def test_what_is_saved_does_not_grow_with_the_array(function) -> None:
    x = np.linspace(0.5, 1.5, 8)
    s2sgrad.check_grad(function, x)
    longer = np.concatenate([x, np.ones(1000)])
    assert s2sgrad.saved(function, x).bytes == s2sgrad.saved(function, longer).bytes


class Record:
    def __init__(self, x):
        self.u, self.w = x * 1.0, {"v": x ** 2}

    def put(self, i, v):
        self.u[i] = v * self.u[i - 1] + v
        self.w["v"][i] *= v


def recorded_by_a_method(x):
    record = Record(x)
    for i in range(1, 5):
        record.put(i, x[0])
    return np.sum(record.u * record.w["v"]) + np.sum(record.u)


def put(d, i, v):
    d["u"][0][i] = v * d["u"][1][i - 1]


def recorded_by_a_helper(x):
    d = {"u": [x * 1.0, x]}
    for i in range(1, 5):
        put(d, i, x[i])
    return np.sum(d["u"][0] * d["u"][1])


@pytest.mark.parametrize("function", [
    recorded_by_a_method, recorded_by_a_helper,
], ids=lambda function: function.__name__)
def test_a_store_into_what_an_object_holds_copies_no_cotangent(function) -> None:
    x = np.linspace(0.5, 1.5, 8)
    assert ".copy()" not in s2sgrad.source(function, x).split("def put_adjoint")[1]
    s2sgrad.check_grad(function, x)


class Walker:
    def __init__(self, x):
        self.x = x
        self.log = []

    def energy(self):
        return np.sum(self.x ** 2)

    def step(self):
        self.log.append({"energy": self.energy(), "x": self.x.copy()})
        self.x = self.x - 0.1 * np.sin(self.x)


def walk(x, steps):
    walker = Walker(x)
    for _ in range(steps):
        walker.step()
    return np.sum(walker.x)


def test_a_log_that_no_adjoint_reads_is_copied_in_no_turn() -> None:
    """The first trial of the loop asks for an adjoint without the log's cotangent, which would read what is in it."""
    s2sgrad.check_grad(walk, np.ones(2), 3)
    assert "with_its_arrays" not in s2sgrad.source(walk, np.ones(2), 3)


class Tank:
    def __init__(self, level):
        self.level, self.log = level, []

    def step(self, inflow):
        self.level = 0.9 * self.level + np.sin(inflow)
        self.log.append(self.level)


def filled_by_a_method(x):
    tanks = [Tank(v) for v in x[:3]]
    for inflow in x:
        for tank in tanks:
            tank.step(inflow)
    return sum(sum(tank.log) for tank in tanks)


def filled_in_place(x):
    tanks = [Tank(v) for v in x[:3]]
    for inflow in x:
        for place in range(3):
            tanks[place].level = 0.9 * tanks[place].level + np.sin(inflow)
            tanks[place].log.append(tanks[place].level)
    return sum(sum(tank.log) for tank in tanks)


def fill(tank, inflow):
    tank["level"] = 0.9 * tank["level"] + np.sin(inflow)
    tank["log"].append(tank["level"])


def filled_by_a_helper(x):
    tanks = [{"level": v, "log": []} for v in x[:3]]
    for inflow in x:
        for tank in tanks:
            fill(tank, inflow)
    return sum(sum(tank["log"]) for tank in tanks)


@pytest.mark.parametrize("function", [
    filled_by_a_method, filled_in_place, filled_by_a_helper,
], ids=lambda function: function.__name__)
def test_an_object_of_a_list_that_keeps_a_log_is_copied_in_no_turn(function) -> None:
    """Its cotangent goes back to its place as it is, where it was added to zeros in the form of the whole log."""
    x = np.linspace(0.2, 0.9, 8)
    s2sgrad.check_grad(function, x)
    adjoint = s2sgrad.source(function, x).split("_adjoint(saved):")[1]
    turns = adjoint[adjoint.index("x_bar = np.zeros(x.shape)"):].split("\ndef ")[0]
    assert "zeros_of" not in turns and "added" not in turns


class Bank:
    def __init__(self, value):
        self.accounts = {"a": value, "b": value}
        self.journal = []

    def post(self, source, target, amount):
        self.accounts[source] -= amount
        self.accounts[target] += amount ** 2
        self.journal.append((source, target, amount))


def booked(x):
    bank = Bank(x[0])
    for i, amount in enumerate(x):
        bank.post("ab"[i % 2], "ba"[i % 2], amount)
    return bank.accounts["a"] ** 2 + sum(amount ** 2 for _, _, amount in bank.journal)


def test_a_dict_that_a_method_writes_into_is_copied_in_no_call() -> None:
    x = np.linspace(0.2, 0.9, 5)
    s2sgrad.check_grad(booked, x)
    assert "with_its_arrays" not in s2sgrad.source(booked, x).split("def post_primal")[1].split("\ndef ")[0]


class Network:
    def __init__(self, values):
        self.values = list(values)
        self.log = []

    def spread(self, links):
        new = [0.0] * len(self.values)
        for i, j in links:
            new[j] += self.values[i] ** 2
        self.values = new
        self.log.append(sum(new))


def spread_out(x, links):
    network = Network(x)
    for _ in range(3):
        network.spread(links)
    return sum(network.log)


def test_of_an_object_that_is_copied_the_lists_are_left_out_that_no_adjoint_reads() -> None:
    x, links = np.linspace(0.2, 0.9, 3), [(0, 1), (1, 2), (2, 0), (0, 2)]
    s2sgrad.check_grad(spread_out, x, links)
    method = s2sgrad.source(spread_out, x, links).split("def spread_primal")[1].split("\ndef ")[0]
    assert "self_before = with_its_arrays(without(self, 'log'))" in method


def slope_at(u, i):
    return u[i - 1] * u[i]


def read_by_a_helper(x):
    total = 0.0
    for i in range(1, 5):
        total += slope_at(x, i)
    return total


class Grid:
    def __init__(self, x):
        self.u, self.items = x * 1.0, [v ** 2 for v in x]

    def between(self, i):
        return self.u[i] * self.items[i - 1]


class Model:
    def __init__(self, x):
        self.grid, self.log = Grid(x), [x[0]]

    def step(self, i):
        self.log.append(self.log[-1] + self.grid.between(i))


def read_by_methods(x):
    model = Model(x)
    for i in range(1, 5):
        model.step(i)
    return sum(model.log)


def summed_from(u, i, n):
    return 0.0 if i == n else u[i] ** 2 + summed_from(u, i + 1, n)


def read_by_one_that_calls_itself(x):
    return summed_from([v ** 2 for v in x], 0, len(x))


def read_in_a_list(x):
    items = [v ** 2 for v in x]
    total = 0.0
    for i in range(1, 5):
        total += slope_at(items, i)
    return total


def over_all(grids, i):
    return sum(grid.between(i) for grid in grids)


def read_in_objects_of_a_list(x):
    grids = [Grid(x * v) for v in x]
    total = 0.0
    for i in range(1, 5):
        total += over_all(grids, i)
    return total


@pytest.mark.parametrize("function, helper", [
    (read_by_a_helper, "slope_at"), (read_by_methods, "between"), (read_in_a_list, "slope_at"),
    (read_by_one_that_calls_itself, "summed_from"), (read_in_objects_of_a_list, "over_all"),
], ids=lambda given: getattr(given, "__name__", ""))
def test_a_helper_that_reads_elements_makes_no_zeros_for_all_of_them(function, helper) -> None:
    """Its adjoint adds to the cotangent that there is; nor is a list copied for what is read of it."""
    x = np.linspace(0.5, 1.5, 8)
    s2sgrad.check_grad(function, x)
    text = s2sgrad.source(function, x)
    assert not any(made in part for part in text.split("\n\n") if part.startswith(f"def {helper}_")
                   for made in ("zeros", "with_its_arrays", "added"))
