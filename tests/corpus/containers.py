"""Lists, tuples, dicts, named tuples, dataclasses: as arguments, as results, and in between."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corpus.registry import normal, positive, program


class Layer(NamedTuple):
    weights: Any
    bias: Any


@dataclass
class Oscillator:
    mass: Any
    stiffness: Any
    name: str = "spring"
    gravity = 9.81


@dataclass(frozen=True)
class State:
    position: Any
    velocity: Any


def dense_params() -> dict:
    return {"w": normal(1, 3, 2), "b": normal(2, 2), "scale": 1.5, "steps": 3, "name": "dense"}


def layers() -> list:
    sizes = (3, 4, 5, 2)
    return [(normal(n, n, m) / 2, normal(m, m)) for n, m in zip(sizes, sizes[1:])]


# ---- arguments

@program(lambda: (dense_params(), normal(3, 4, 3)))
def dict_of_parameters(params, x):
    h = np.tanh(x @ params["w"] + params["b"])
    return (h ** 2).sum() * params["scale"]


@program(lambda: (dense_params(), normal(3, 4, 3)))
def dict_read_twice_and_passed_on(params, x):
    for _ in range(params["steps"]):
        x = x + dict_of_parameters(params, x)
    return np.sum(x * params.get("scale")) * params.get("missing", 2.0)


@program(lambda: (layers(), normal(7, 6, 3)))
def list_of_layers(params, x):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return np.sum((x @ w + b) ** 2)


@program(lambda: ([Layer(*pair) for pair in layers()], normal(7, 6, 3)))
def list_of_named_tuples(params, x):
    for layer in params:
        x = np.tanh(x @ layer.weights + layer.bias)
    return x


@program(lambda: ([{"w": 1.5, "b": 0.5}, {"w": -0.5, "b": 0.2}], normal(1, 3)))
def list_of_dicts_with_a_branch(params, x):
    for layer in params:
        if np.sum(x) > 0:
            x = np.tanh(layer["w"] * x + layer["b"])
        else:
            x = x - layer["w"]
    return np.sum(x)


@program(lambda: ([normal(1, 3), normal(2, 3), normal(3, 3)],))
def list_read_by_index(xs):
    total = 0.0
    for i in range(len(xs)):
        total += np.sum(xs[i] ** 2) * np.sum(xs[-1])
    return total + xs[0][1]


@program(lambda: ([normal(1, 3), normal(2, 4)], normal(3, 2, 3)))
def list_of_unlike_things(xs, m):
    first, second = xs
    return np.sum(m @ first) * np.sum(second ** 2) + xs[1][0] * xs[0][2]


@program(lambda: ([normal(1, 2, 3), normal(2, 3), 0.5, "relu", 3],))
def list_of_everything(args):
    w, b, scale, name, times = args
    y = w @ b * scale
    return np.sum(y ** times) if name == "relu" else 0.0


@program(lambda: ((normal(1, 3), (normal(2, 3), 2.0)),))
def nested_tuples(pair):
    x, (y, power) = pair
    return np.sum(np.abs(x) ** power * y) + pair[1][0][1]


@program(lambda: (Layer(normal(1, 3, 2), normal(2, 2)), normal(3, 4, 3)))
def named_tuple(layer, x):
    w, _ = layer
    return np.sum(np.tanh(x @ layer.weights + layer.bias) * layer[1]) + np.sum(w)


@program(lambda: (Oscillator(1.5, normal(1, 3)), 0.3))
def dataclass_argument(system, t):
    omega = np.sqrt(np.abs(system.stiffness) / system.mass)
    return np.sum(np.cos(omega * t)) * system.gravity * len(system.name)


@program(lambda: ({"a": {"w": normal(1, 2), "b": [normal(2, 2), normal(3, 2)]}, "c": (1.5, normal(4, 2))},))
def nested_everything(tree):
    total = np.sum(tree["a"]["w"] ** 2)
    for b in tree["a"]["b"]:
        total += np.sum(b * tree["a"]["w"])
    return total * tree["c"][0] + np.sum(tree["c"][1])


@program(lambda: ({"a": normal(1, 2), "b": normal(2, 2, 3)},))
def loop_over_values(params):
    penalty = 0.0
    for w in params.values():
        penalty += np.sum(w ** 2)
    return penalty + np.sum(params["a"])


@program(lambda: ({"a": normal(1, 2), "bb": normal(2, 2, 3)},))
def loop_over_items(params):
    penalty = 0.0
    for name, w in params.items():
        penalty += np.sum(np.sin(w)) * len(name)
    return penalty


@program(lambda: ({"a": normal(1, 2), "b": normal(2, 2)},))
def loop_over_keys(params):
    total = 0.0
    for key in params:
        total += np.sum(params[key] ** 2)
    for key in ("a", "b", "a"):
        total = total * np.sum(params[key]) * params["a"][0]
    return total


@program(lambda: ((normal(1, 3), normal(2, 3), normal(3, 3)), 1))
def tuple_read_by_an_argument(xs, place):
    return np.sum(xs[place] * xs[0])


@program(lambda: ([1.5, 0.5, 2.0], [0.2, 0.4, 0.6]))
def lists_of_numbers(ws, xs):
    total = 0.0
    for i, (w, x) in enumerate(zip(ws, xs)):
        total += w * x ** (i + 1)
    return total


@program(lambda: ([normal(1, 3), normal(2, 3)], normal(3, 3)), argnums=(1,))
def list_that_is_not_differentiated(data, x):
    total = 0.0
    for row in data:
        total += np.sum(row * x ** 2)
    return total


@program(lambda: ([[1.5, 0.5], [0.2, 0.4, 0.7]],))
def list_of_lists(rows):
    total = 1.0
    for row in rows:
        for value in row:
            total *= np.sin(value) + 2.0
    return total + rows[1][2] * rows[0][0]


@program(lambda: ([normal(1, 3).astype(np.float32), normal(2, 3).astype(np.float32)], np.float32(0.5)))
def list_in_single_precision(xs, scale):
    total = np.float32(0)
    for x in xs:
        total = total + np.sum(x * x) * scale
    return total


@program(lambda: ([normal(1, 3), normal(2, 3)],))
def part_of_a_list_of_one(xs):
    total = 0.0
    for x in xs[1:]:
        total += np.sum(x ** 2)
    for x in xs[5:]:
        total += np.sum(x ** 3)
    return total


@program(lambda: ([], normal(1, 3)), argnums=(1,))
def empty_list(xs, y):
    for x in xs:
        y = y * x
    return np.sum(y)


@program(lambda: ({}, normal(1, 3)), argnums=(1,))
def empty_dict(params, x):
    if "scale" in params:
        x = x * params["scale"]
    return np.sum(x ** 2)


@program(lambda: ([normal(1, 4, 2), normal(2, 4, 2)],))
def unpacked_rows_of_a_list(blocks):
    total = 0.0
    for a, b, c, d in blocks:
        total += np.sum(a * b) - np.sum(c * d)
    return total


# ---- results

@program(lambda: (normal(1, 3), 2.0))
def dict_result(x, k):
    return {"squares": x ** 2, "sum": np.sum(x) * k, "count": 3, "name": "result"}


@program(lambda: (normal(1, 3), 2.0))
def nested_result(x, k):
    return [x * k, (np.sum(x), {"k": k * k})]


@program(lambda: (normal(1, 3), 2.0))
def named_result(x, k):
    return Layer(bias=x * k, weights=np.outer(x, x))


@program(lambda: (normal(1, 3), 4))
def list_of_many_results(x, n):
    result = []
    for i in range(n):
        x = np.sin(x) * (i + 1)
        result.append(x)
    return result


@program(lambda: (layers(),))
def the_argument_itself(params):
    return params


# ---- in between

@program(lambda: (normal(1, 3), normal(2, 3, 3) / 2, 4))
def append_and_stack(x, w, n):
    states = [x]
    for _ in range(n):
        x = np.tanh(w @ x)
        states.append(x)
    return np.stack(states)


@program(lambda: (normal(1, 3), normal(2, 3, 3) / 2, 4))
def read_the_last_and_append(x, w, n):
    states = [x]
    for _ in range(n):
        states.append(np.sin(w @ states[-1]))
    return states[-1] @ states[0] + np.sum(states[1] ** 2)


@program(lambda: (normal(1, 3), normal(2, 3, 3) / 2, 4))
def append_in_branches(x, w, n):
    states = [x]
    for _ in range(n):
        previous = states[-1]
        if previous.sum() > 0.5:
            states.append(np.sin(w @ previous))
        elif previous.sum() > -0.5:
            states.append(previous * 2)
            states.append(previous * w[0, 0])
        else:
            states.append(previous + 1.0)
    return sum(states[1:]) @ states[0] * len(states)


@program(lambda: (positive(1, 6),))
def append_and_leave(x):
    kept = []
    for value in x:
        if value < 0.7:
            continue
        kept.append(np.log(value))
        if len(kept) == 4:
            break
    return np.array(kept) @ np.arange(1.0, len(kept) + 1)


@program(lambda: (positive(1, 6), 2.5))
def return_from_the_middle(x, limit):
    seen = []
    for value in x:
        seen.append(value * value)
        if sum(seen) > limit:
            return seen[-1] * seen[0]
    return sum(seen)


@program(lambda: (normal(1, 4),))
def append_of_pairs(x):
    pairs = []
    for value in x:
        pairs.append((np.sin(value), value * 2))
    total = 0.0
    for a, b in pairs:
        total += a * b
    return total + pairs[1][0]


@program(lambda: (normal(1, 3), normal(2, 3)))
def append_without_a_loop(x, y):
    parts = []
    parts.append(x * y)
    parts.append(y)
    parts.append([x, 2.0])
    return np.sum(parts[0]) * np.sum(parts[1]) + np.sum(parts[2][0])


@program(lambda: (normal(1, 3), 3))
def append_of_what_is_constant(x, n):
    steps, xs = [], []
    for i in range(n):
        steps.append(0.5 * i)
        xs.append(x * steps[i])
    return np.sum(np.stack(xs, axis=1) * np.array(steps))


@program(lambda: (normal(1, 3), normal(2, 3)))
def list_made_anew_in_every_turn(x, y):
    total = 0.0
    for i in range(3):
        parts = [x * i]
        parts.append(y)
        total += np.sum(parts[0] * parts[1]) + np.sum(np.stack(parts))
    return total


@program(lambda: (normal(1, 5),))
def list_grows_while_read(x):
    row = [x[0], x[1]]
    for i in range(2, 5):
        row.append(row[i - 1] * row[i - 2] + x[i])
    return row[-1]


@program(lambda: (normal(1, 3),))
def slots_of_a_list(x):
    xs = [x[0], x[1], x[2]]
    for _ in range(2):
        for j in range(2):
            if xs[j] < xs[j + 1]:
                larger = xs[j]
                xs[j] = xs[j + 1] * 1.5
                xs[j + 1] = larger
    return xs[0] * xs[1] ** 2 + np.sin(xs[2])


@program(lambda: (normal(1, 3), normal(2, 3)))
def slots_hold_arrays(x, y):
    pair = [x, y]
    for _ in range(3):
        pair[0] = np.sin(pair[1]) * pair[0]
        pair[1] = pair[0] + 2.0 * pair[1]
    return np.sum(pair[0] * pair[1])


@program(lambda: (normal(1, 3), 5))
def slots_by_a_running_index(x, n):
    table = [0.0] * n
    table[0] = np.sum(x)
    for i in range(1, n):
        table[i] = np.sin(table[i - 1]) + x[i % 3]
        table[0] += table[i] * 0.1
    return table[n - 1] * table[0]


@program(lambda: (normal(1, 3), normal(2, 3)))
def state_in_a_dict(x, w):
    state = {"h": x, "c": 0.0}
    for _ in range(3):
        state["c"] += np.sum(state["h"])
        state["h"] = np.tanh(state["h"] * state["c"] + w)
    return state["c"] * np.sum(state["h"])


@program(lambda: (normal(1, 3), 0.5))
def dict_gets_keys(x, k):
    cache = {}
    cache["a"] = x * k
    cache["b"] = np.sin(cache["a"])
    cache["a"] = cache["b"] * x
    return np.sum(cache["a"] * cache["b"])


@program(lambda: (normal(1, 3), normal(2, 3), 3.0))
def dict_made_in_a_branch(x, y, limit):
    if np.sum(x * x) < limit:
        parts = {"left": x * y, "right": y}
    else:
        parts = {"left": x, "right": y ** 2}
    return np.sum(parts["left"]) * np.sum(parts["right"])


@program(lambda: (normal(1, 3), normal(2, 3)))
def constructors(x, y):
    layer = Layer(x * y, bias=y)
    state = State(layer.weights, velocity=x)
    table = dict(a=state.position, b=2.0)  # noqa: C408
    pair = table["a"], layer.bias
    both = list(pair)
    copied = dict(table)
    return np.sum(both[0] * both[1]) * copied["b"] + np.sum(tuple(both)[1] * state.velocity)


@program(lambda: (State(normal(1, 3), normal(2, 3)), 0.1))
def dataclass_state(state, dt):
    for _ in range(4):
        acceleration = -np.sin(state.position)
        velocity = state.velocity + dt * acceleration
        state = State(state.position + dt * velocity, velocity)
    return np.sum(state.position ** 2) + np.sum(state.velocity)


@program(lambda: (normal(1, 4, 3),))
def list_of_rows_and_back(m):
    rows = [row * 2 for row in m]
    rows.append(rows[0] * rows[1])
    return np.concatenate(rows) @ np.hstack(rows) + np.sum(np.vstack(rows)[4])


@program(lambda: (normal(1, 3), normal(2, 3)))
def alias_of_a_list_that_is_only_read(x, y):
    xs = [x, y]
    others = xs
    a, b = others
    return np.sum(a * b * xs[0])


@program(lambda: (normal(1, 3), normal(2, 3)))
def swapped_lists(x, y):
    a, b = [x, x * 2], [y]
    for _ in range(3):
        a, b = b, a
        b.append(b[0] * 0.5)
    return np.sum(sum(a)) * np.sum(b[0])


# ---- comprehensions

@program(lambda: ([1.5, 0.5, 2.0], [0.2, 0.4, 0.6]))
def sum_of_products(ws, xs):
    return sum(w * x for w, x in zip(ws, xs))


@program(lambda: (normal(1, 5),))
def filtered(x):
    return np.array([np.sin(v) * v for v in x if v > 0 if v < 5.0])


@program(lambda: (normal(1, 3), normal(2, 2)))
def nested_comprehension(x, y):
    table = np.array([[np.sin(u) * v for u in x] for v in y])
    flat = [u * v for u in x for v in y if v > u]
    return np.sum(table) + sum(flat)


@program(lambda: (positive(1, 4),))
def generators(x):
    squares = list(v * v for v in x)  # noqa: C400
    return max(v for v in squares) + min(np.exp(-v) for v in x) + np.stack([-v for v in squares])[0]


@program(lambda: ({"a": normal(1, 2), "b": normal(2, 2, 3)},))
def penalty(params):
    return sum((w ** 2).sum() for w in params.values()) + sum(np.sum(w) for name, w in params.items() if name == "a")


@program(lambda: (normal(1, 3), normal(2, 3)))
def comprehension_with_names_of_its_own(x, y):
    v = x * 2
    scaled = [v * y for v in (x, y)]
    again = [v + 1.0 for v in scaled]
    return np.sum(v) + np.sum(scaled[0] * again[1])


@program(lambda: (normal(1, 3), 4))
def comprehension_of_calls(x, n):
    waves = [wave(x, k) for k in range(1, n)]
    return np.sum(np.stack(waves) ** 2)


def wave(x, k):
    return np.sin(k * x) / k if k > 1 else x


@program(lambda: (normal(1, 6),))
def comprehension_in_a_branch(x):
    chunks = [x[i:i + 2] for i in range(0, 6, 2)]
    return sum([np.prod(chunk) for chunk in chunks]) if len(chunks) == 3 else 0.0


@program(lambda: (normal(1, 3), normal(2, 3)))
def list_carried_through_a_loop(x, y):
    pair = [x, y]
    for i in range(3):
        pair = [np.sin(v) * (i + 1) for v in pair]
    return np.sum(pair[0] * pair[1])


@program(lambda: ({"a": normal(1, 2), "b": normal(2, 2, 3)}, 0.1))
def dict_comprehensions(params, rate):
    moved = {name: w - rate * np.sin(w) for name, w in params.items()}
    squares = {key: moved[key] ** 2 for key in moved}
    return {name: np.sum(square) for name, square in squares.items()}


@program(lambda: (normal(1, 3), normal(2, 3)))
def lists_put_together(x, y):
    xs = [x, y] + [x * y]
    for _ in range(2):
        xs.extend([x, xs[-1] * 2.0])
        xs += [np.sin(v) for v in xs[:2]]
    return sum(xs) @ ([x] + [y])[1] * len(xs)


@program(lambda: (normal(1, 3), 3))
def list_extended_by_an_array(x, n):
    xs = []
    for k in range(n):
        xs.extend(x * k)
    return np.array(xs) @ np.arange(9.0)


@program(lambda: (normal(1, 3), [normal(2, 3), normal(3, 3)]))
def lists_added_in_a_loop(x, ys):
    states = [x]
    for y in ys:
        states = states + [states[-1] * y]
    both = states + ys
    more = [v * 2 for v in x] + [1.0] + list(x)
    return sum(both) @ both[-1] + sum(more)


@program(lambda: ([normal(1, 3), normal(2, 3)], normal(3, 3)))
def pair_summed_and_changed(xs, x):
    total = 0.0
    others = [q * -0.7 for q in xs]
    for _ in range(2):
        pair = [np.sin(x), np.sin(np.stack(others).mean(axis=0))]
        total += np.sum(np.sin(sum(pair)))
        pair[0] = others[-1]
        total += np.sum(np.stack(pair) ** 2) * np.sum(pair[0])
        pair.append(x)
        total += np.sum(max(pair[0][0], pair[2][1]))
    return total + np.sum(x * sum(others))


@program(lambda: ([normal(1, 3), normal(2, 3), normal(3, 3)],))
def item_read_before_a_sum(xs):
    total = np.sum(xs[0] * xs[-1])
    mean = sum(xs) / len(xs)
    mean = mean * mean
    return total + np.sum(mean ** 2)


@program(lambda: ([normal(1, 3), normal(2, 3), normal(3, 3)], normal(4, 3)))
def item_read_before_a_sum_from_a_start(xs, x):
    others = [q * -0.7 for q in xs]
    start = x * 2.0
    total = np.sum(others[0] ** 2) + np.sum(start ** 3)
    together = sum(others, start)
    return total + np.sum(together * together)


@program(lambda: ([normal(1, 3), normal(2, 3)], normal(3, 3)))
def items_read_before_sums_in_a_loop(xs, x):
    joined = xs + [v * x for v in xs]
    total = 0.0
    for _ in range(2):
        total += np.sum(joined[-1] ** 2) * np.sum(joined[0])
        together = sum(joined)
        total += np.sum(np.sin(together) * together)
    return total


@program(lambda: ([normal(1, 3), normal(2, 3)], normal(3, 3)))
def item_of_a_dict_read_before_a_sum(xs, x):
    groups = {"a": [q * 1.5 for q in xs]}
    total = np.sum(groups["a"][0] * x)
    together = sum(groups["a"])
    return total + np.sum(together * together)


@program(lambda: ([normal(1, 3), normal(2, 3)], normal(3, 3)))
def returned_before_a_list_is_read(xs, x):
    total = 0.0
    for _ in range(2):
        if np.sum(x * x) > -1.0:
            return total + np.sum(x * x)
        total += np.sum(x)
    return total + np.sum(xs[0])


@program(lambda: ([normal(1, 3), normal(2, 3)], normal(3, 3)))
def slots_beside_the_list_they_came_from(xs, x):
    total = 0.0
    for _ in range(2):
        ys = [np.sin(x), xs[0]]
        total += np.sum(np.sin(sum(ys)))
        ys[0] = xs[-1]
        zs = list(ys)
        zs.append(x)
        total += np.sum(sum(ys) * sum(zs) * sum(xs))
    return total


@program(lambda: ({"w": normal(4, 3), "b": normal(5, 2)}, {"w": normal(6, 3), "b": normal(7, 2)}))
def averages_that_start_at_zero(params, slopes):
    averages = {key: np.zeros_like(value) for key, value in params.items()}
    params = dict(params)
    for _ in range(3):
        for key in params:
            averages[key] = 0.9 * averages[key] + 0.1 * slopes[key] * params[key]
            params[key] = params[key] - 0.1 * averages[key]
    return sum((value ** 2).sum() for value in params.values())


@program(lambda: ({"w": normal(8, 3), "b": normal(9, 2)},))
def sums_and_counts_in_dicts(params):
    totals = {key: 0.0 for key in params}
    counts = {key: 0 for key in params}
    for key, value in params.items():
        totals[key] += (value ** 2).sum()
        counts[key] += len(value)
    return sum(totals[key] / counts[key] for key in totals)


@program(lambda: ([normal(71, 3), normal(72, 3)], normal(73, 3)))
def sorted_before_one_is_put_in(xs, x):
    rows = sorted(xs, key=np.sum)
    rows.insert(0, sum(rows) * 0.3)
    last = rows.pop()
    return np.sum(rows[0] * rows[1] ** 2) + last @ x
