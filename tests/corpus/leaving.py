"""break, continue, else after a loop, and return from inside loops."""
# ruff: noqa: B007, RET504, SIM113
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, program, spread


@program(lambda: (0.7,))
def break_when_large(x):
    y = x
    for _ in range(50):
        y = y * 1.5 + x
        if y > 10.0:
            break
        y = y + 0.1
    return y


@program(lambda: (spread(1, 8),))
def skip_the_negative(x):
    total = 1.0
    for element in x:
        if element < 0.0:
            continue
        total = total * (0.5 + element)
    return total


@program(lambda: (np.array([0.3, 0.4, 0.5]), 5.0))
def else_is_reached(x, limit):
    total = 0.0
    for element in x:
        total += element**2
        if total > limit:
            break
    else:
        total = total * limit
    return total


@program(lambda: (np.array([0.3, 0.4, 0.5, 7.0]), 0.2))
def else_is_skipped(x, limit):
    total = 0.0
    for element in x:
        total += element**2
        if total > limit:
            break
    else:
        total = total * limit
    return total * limit


@program(lambda: (normal(2, 4, 4),))
def return_from_nested_loops(a):
    total = 0.0
    for row in a:
        for element in row:
            total += element**2
            if total > 3.0:
                return total * element
    return total


@program(lambda: (np.array([0.2, 0.3, 0.1]),))
def return_after_the_loop(x):
    total = 0.0
    for element in x:
        total += element
        if total > 3.0:
            return total * element
    return total * total


@program(lambda: (0.5,))
def endless_with_break(x):
    k = 0
    while True:
        x = x * (1.0 + x)
        k += 1
        if x > 5.0 or k == 100:
            break
    return x / k


@program(lambda: (1.8,))
def return_from_endless(x):
    while True:
        x = 0.5 * x + 1.0 / x
        if x * x - 2.0 < 1e-3:
            return x * x


@program(lambda: (0.6,))
def while_with_else(x):
    while x < 3.0:
        x = x * 1.4
        if x > 100.0:
            break
    else:
        x = x * x
    return x


@program(lambda: (spread(3, 4, 5), 0.9))
def break_leaves_the_inner_loop_only(a, limit):
    total = 0.0
    for row in a:
        partial = 0.0
        for element in row:
            if partial > limit:
                break
            partial += element * element
        total += partial * math.sqrt(partial + 1.0)
    return total


@program(lambda: (spread(4, 9), 4))
def continue_and_break(x, most):
    total = 0.0
    count = 0
    for element in x:
        if element < -0.5:
            continue
        if count == most:
            break
        total = total * 0.5 + element**2
        count += 1
    return total * count


@program(lambda: (0.4, 6))
def break_before_anything(x, n):
    y = x * x
    for k in range(n):
        if k >= 0:
            break
        y = y * x
    return y


@program(lambda: (spread(5, 7),))
def first_descent(x):
    for k in range(1, x.shape[0]):
        if x[k] < x[k - 1]:
            return (x[k - 1] - x[k]) ** 2
    return 0.0


@program(lambda: (0.8, 3))
def continue_in_while(x, n):
    k = 0
    total = 0.0
    while k < 2 * n:
        k += 1
        x = math.sin(x)
        if k % 2 == 0:
            continue
        total += x * k
    return total


@program(lambda: (1.3, 0.2))
def else_of_nested_loops(x, y):
    total = 0.0
    for k in range(4):
        for j in range(k):
            total += x * y * j
            if total > 1.0:
                break
        else:
            total += x**2
            continue
        break
    else:
        return y
    return total * y


@program(lambda: (spread(6, 3), 4.0))
def return_from_endless_over_arrays(x, limit):
    y = x * 1.0
    total = 0.0
    while True:
        y = np.concatenate([y, y * 1.5])
        total = total + y[0] * y[-1]
        if y.size > 10:
            if limit < 0.0:
                return total
            y = y + x[0]
            return y[1] * y[2] + total
        total = total * 1.1


@program(lambda: (np.array([1.2, 0.4, 1.7]), 1.1))
def lists_that_change_before_the_end(x, limit):
    """Behind the loops the lists are of no known length, in it they are."""
    first, s = [x[0], x[0] * x[1]], x[2]
    for i in range(3):
        w = s * x[i]
        if w > limit:
            if i > 1:
                first.append(w)
            else:
                s = first.pop()
            break
        s = s * first[1] + w
    second, t = [x[1], x[2] * x[1]], x[0]
    for v in x:
        try:
            if v * t > limit:
                raise ValueError
            t = t + v * second[0]
        except ValueError:
            if v > 1.5:
                second.append(t * v)
            else:
                t = second.pop() * v
            break
    return w + s + t * sum(second)


@program(lambda: (normal(3, 4), 0.7))
def turns_that_never_end(x, c):
    total = c * c
    for _ in range(2):
        while total > 50.0:
            raise OverflowError(total)
        for v in x[x > 3.0]:
            if v < 0.0:
                raise ValueError(v)
            return v * total
        total = total * c
    return total * x[0]


@program(lambda: (0.7, np.array([0.8, 0.9, 0.7, -5.0, 0.1])))
def returns_with_fewer_elements_than_a_turn_ends_with(x, u):
    p, total = u, x
    for i in range(3):
        for k in range(2):
            p = p[1:] * x
            total = total + p[0]
            if total > 2.0:
                return total * p[1]
        p = u * total
    return np.sum(p) * total


@program(lambda: (0.7, np.array([0.8, 0.9, 0.7, -5.0, 0.1])))
def turns_left_with_fewer_elements_than_are_there_behind(x, u):
    total = x
    for _ in range(3):
        p = u * total
        if p[0] > 0.9:
            p = p[1:] * x
            total = total + p[0]
            if total > 1.5:
                continue
            p = u * x
        total = total - np.sum(p) * x
    return total


class Shortened:
    def __init__(self, u):
        self.u = u

    def cut(self, v):
        for _ in range(2):
            self.u = self.u[:-1] * v if len(self.u) > 3 else np.array([v, v * v])
            if self.u[0] < 0.7:
                return self.u[-1]
        return v


@program(lambda: (0.9, np.array([0.8, 0.9, 0.7, -5.0, 0.1])))
def an_attribute_bound_anew_behind_a_call_that_returns_early(x, u):
    state = Shortened(u * x)
    y = state.cut(x)
    state.u = u
    return y * np.sum(state.u)


@program(lambda: (0.7, np.array([0.8, 0.9, 0.7, -5.0]), 2))
def an_array_of_another_size_where_an_inner_loop_returns(x, u, count):
    y, q, r = x, np.ones(2) * x, np.array([x, 0.4])
    for _ in range(count):
        for _ in range(3):
            r = u * x
            return np.sum(u) * y
        y = q[-1]
    return np.sum(r) * y


@program(lambda: (0.7, np.array([0.8, 0.9, 0.7, -5.0])))
def an_array_of_another_size_in_a_turn_that_returns(x, u):
    p, q = u * 1.0, np.ones(2) * x
    for v in u:
        y = q[0] * v
        q = p
        return np.sum(u * x) + y
    return np.sum(q)


@program(lambda: (0.7, np.array([0.8, -0.4, 0.3])))
def a_list_that_is_longer_where_a_loop_returns(x, u):
    parts, y, turns = [u[:2] * 1.0], x, 0
    while turns < 2:
        turns += 1
        for _ in range(2):
            if y < 0.4:
                return parts[-1][0] * y
            parts.append(np.append(u * 2, parts[-1][-1] * x))
            y += np.sin(parts[-1][-1])
        return x * 0.7 + y
    return y


@program(lambda: (0.7, np.array([0.8, -0.4, 0.3])))
def a_list_of_unlike_arrays_rotated_before_a_return(x, u):
    parts = [u[:2] * 1.0, u * 0.7]
    for _ in range(2):
        parts.append(np.sort(parts[0])[-2:])
    if x < 3:
        if x < 1:
            parts = parts[1:] + [parts[0] * x]
            return np.sum(parts[0]) * np.sum(parts[-1])
    return sum(np.sum(part) for part in parts)


@program(lambda: (0.7, np.array([0.8, -0.4, 0.3])))
def arrays_of_changing_size_where_an_inner_loop_returns(x, u):
    y, p, w, turns = x, {"p": u * x}, u[:2] * x, 0
    while turns < 2:
        turns += 1
        w = p["p"][:-1].copy()
        for _ in range(3):
            if x < 2:
                y += w[0]
                p["p"] = u[:1] * y
                return np.sum(w) + y
    return y + np.sum(w) + np.sum(p["p"])


@program(lambda: (normal(1, 3),))
def names_that_have_no_value_yet_where_it_leaves(x):
    if x.sum() < 20:
        places = [0, 2]
        total = (x[places] ** 2).sum()
    elif x.sum() < 30:
        return total
    else:
        return x[places] * x[0]
    return total


STEPS = [("centre", lambda x: x - np.mean(x)), ("scale", lambda x: 0.5 * x), ("square", np.square)]
WAVES = {"sine": np.sin, "cosine": np.cos, "none": None}


@program(lambda: (normal(3, 4), ("scale",)))
def functions_of_which_some_are_left_out(x, skipped):
    for label, step in STEPS:
        if label in skipped:
            continue
        x = step(x)
    for step in (np.sin, np.cos, np.exp):
        if step is np.cos:
            continue
        x = step(x)
    for label in ("sine", "cosine", "none", "sine"):
        if WAVES[label] is None:
            break
        x = x * WAVES[label](x)
    return x.sum()
