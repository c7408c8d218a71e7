"""if, elif, else, conditional expressions, and, or, not, comparisons."""
# ruff: noqa: SIM102, RET504
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, program


@program(lambda: (np.array([-0.7, 1.0, 2.0]),))
def abs(x):
    if x[0] > 0:
        return x
    else:
        return -x


@program(lambda: (0.9, -0.3))
def join_after(x, y):
    if x > y:
        z = x * x
        w = 2.0
    else:
        z = y * y * y
        w = x
    return z * w + y


@program(lambda: (-0.9, -0.3))
def join_after_other_arm(x, y):
    if x > y:
        z = x * x
        w = 2.0
    else:
        z = y * y * y
        w = x
    return z * w + y


@program(lambda: (1.4,))
def name_on_one_path_only(x):
    result = x
    if x > 1.0:
        extra = x * x
        result = result * extra
    if x > 1.2:
        result = result + extra
    return result


@program(lambda: (0.35,))
def ladder(x):
    if x < 0.0:
        y = -x
    elif x < 0.25:
        y = x * x
    elif x < 0.5:
        y = math.sin(x)
    elif x < 0.75:
        y = 1.0
    else:
        y = math.exp(x)
    return y * x


@program(lambda: (0.65,))
def arm_with_a_constant(x):
    if x < 0.5:
        y = math.sin(x)
    elif x < 0.75:
        y = 1.5
    else:
        y = math.exp(x)
    return y * x


@program(lambda: (0.4, 1.6))
def nested(x, y):
    if x > 0.0:
        if y > 1.0:
            if x * y > 0.5:
                z = x**2 * y
            else:
                z = x
        else:
            z = y
        z = z * x
    else:
        z = x - y
    return z + y


@program(lambda: (normal(1, 4), 0.5))
def guard_clauses(x, limit):
    size = np.sum(x * x)
    if size == 0.0:
        return size
    if size < limit:
        return np.sqrt(size)
    if limit < 0.0:
        return limit
    return limit * (2.0 * np.sqrt(size) - limit)


@program(lambda: (0.9,))
def every_arm_returns(x):
    if x > 2.0:
        return x**3
    elif x > 0.5:
        return x**2 + x
    else:
        return 0.0


@program(lambda: (0.3,))
def constant_arm_is_taken(x):
    if x > 0.5:
        return x * x
    return 0.25


@program(lambda: (0.8, 0.4))
def one_armed(x, y):
    if x > y:
        x = x * y
    if x > y:
        x = x * 100.0
    return x + y


@program(lambda: (1.2, -0.7))
def conditional_expression(x, y):
    a = x * y if x > 0.0 else y
    b = x if y > 0.0 else y**2 if y < -0.5 else 3.0
    return a * b


@program(lambda: (1.2, 0.0, 0.6), argnums=(0, 2))
def or_picks_a_value(x, y, z):
    first = y or x * x
    second = x * z or y
    return first * second


@program(lambda: (1.2, 0.6))
def and_picks_a_value(x, y):
    both = x and y * x
    none = 0.0 and x  # noqa: SIM223
    return both * both + none + y


@program(lambda: (0.7, 1.1))
def not_and_combined_conditions(x, y):
    if not x > y and (y > 1.0 or x < 0.0):
        return x * y**2
    return x + y


@program(lambda: (0.2, 0.5, 0.9))
def chained_comparison(low, x, high):
    if low < x < high:
        return (x - low) / (high - low)
    elif low <= x:
        return high
    return low * x


@program(lambda: (normal(2, 3, 3), normal(3, 3)))
def branch_on_a_reduction(a, x):
    y = a @ x
    if np.sum(y) > 0.0:
        y = y / np.sum(y * y)
    else:
        y = y * np.sum(x)
    return y


@program(lambda: (normal(4, 5),))
def branch_on_all_and_any(x):
    if np.all(x > -10.0) and np.any(x > 0.0):
        x = np.exp(x)
    if (x < 0.0).any():
        x = -x
    return np.sum(x * x)


@program(lambda: (1.5, 0.5))
def pass_in_an_arm(x, y):
    if x > y:
        pass
    else:
        x = y
    if x < y:
        y = x * x
    elif x > 1.0:
        pass
    return x * y


@program(lambda: (2.3,))
def arms_of_different_kinds(x):
    if x > 1.0:
        y = x * np.ones(3)
    else:
        y = x
    return np.sum(y * y)


@program(lambda: (0.8, -1.1))
def swap_into_order(x, y):
    if x > y:
        x, y = y, x
    return y**3 - x**2


@program(lambda: (1.3,))
def huber(x):
    size = -x if x < 0.0 else x
    return 0.5 * x**2 if size <= 1.0 else size - 0.5


@program(lambda: (0.4, 0.2))
def is_and_is_not(x, y):
    other = None
    if x > y:
        other = x * y
    if other is not None:
        return other * x
    return y


@program(lambda: (0.6, normal(5, 3)))
def condition_held_in_a_name(x, v):
    small = x < 1.0
    positive_sum = bool(v.sum() > 0.0)
    if small:
        v = v * x
    if positive_sum == small:
        v = v + x
    return v


@program(lambda: (normal(61, 4),))
def method_of_a_ternary(x):
    return np.sum(np.where(x > 0, x, 0.0)) if x.sum() > 100 else -(x if x[0] > 100 else x * 2.0).sum()


@program(lambda: (normal(62, 4), 0.7))
def method_of_a_call(x, y):
    return doubled(x, y).clip(-1.0, 1.5).sum() * doubled(y, y)


def doubled(x, y):
    return x * y if y > 0 else x


@program(lambda: (normal(63, 3), normal(64, 2, 3)))
def maximum_of_expressions(x, m):
    return np.maximum(x, m[1]).sum() * np.minimum(x[::-1], m[0]).sum()


@program(lambda: (1.2, 0.3))
def nested_and_or(x, y):
    return ((x and y) or y) * (x or (y and (x or y)))


@program(lambda: (0.5, 1.5))
def array_bound_in_the_first_turn(x, y):
    for i in range(3):
        if i == 0 or y > 100.0:
            v = np.outer(np.array([1.0, x]), np.ones(2))
        y = y * v[1, -1]
    return y


@program(lambda: (0.4, 1.2, normal(60, 3)))
def returned_before_it_is_bound_anew(x, y, u):
    if y > 1.0:
        if u.sum() * x > 100.0:
            return u.sum()
        w = u * x
    else:
        u = u[:2] * y
        w = u
    return u.sum() * x + (w * w).sum()


@program(lambda: (0.4, 0.3, normal(61, 3)), argnums=(0, 1, 2))
def number_bound_to_an_array(x, y, u):
    for v in u:
        if v > -9.0:
            break
    else:
        x = u
    return x * v if y > 0.0 else y


def product_and_sum_of_turns(x, doubled):
    if doubled:
        x = x * 2.0
    total = 0.0
    other = 0.0
    for v in x:
        total = total + np.exp(v) * v
        other = other * np.sin(v) + v
    return total, other


@program(lambda: (normal(62, 3),))
def decided_before_what_all_paths_end_with(x):
    first, _ = product_and_sum_of_turns(x, True)
    _, second = product_and_sum_of_turns(x, x[0] > 9.0)
    third, fourth = product_and_sum_of_turns(np.sin(x), x[0] < 9.0)
    return first * second + third * fourth


@program(lambda: (np.array([0.3, -0.4, 0.5]), 0.8))
def a_number_that_might_have_become_an_array(x, y):
    """Its cotangent starts as zeros of an unknown shape, and is a number's by the time that others are added to it."""
    s, t = y, x[0]
    for _ in range(2):
        r = s * t
        t = s
        s = s + r
    if x[1] > 0:
        s = s + x
    total = 0.0
    for w in x:
        total = total + np.sum(s * w)
    return total


def between_two_branches(a, b):
    b = a + b
    if np.sum(a) > 0.2:
        a = np.sin(a) + b
    if np.sum(a) > 0.2:
        a = a * b
    return a - b


@program(lambda: (0.4, normal(1, 3)), argnums=(0, 1))
def a_number_that_a_branch_makes_an_array(x, u):
    return between_two_branches(0.5, u * x).sum() + between_two_branches(0.1, u * x).sum()


@program(lambda: ([0.7], 0.4))
def nothing_is_left_of_a_branch(xs, y):
    d, best, stack = {"a": y}, None, []
    if not stack:
        if best is not None:
            y = y + best
    d["b"] = xs[-1] if xs else y
    return sum(d.values()) * y
