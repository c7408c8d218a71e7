"""for loops over ranges, rows, lists, pairs."""
# ruff: noqa: B007, RET504, SIM113
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (1.1, 5))
def power_by_multiplication(x, n):
    result = 1.0
    for _ in range(n):
        result = result * x
    return result


@program(lambda: (np.arange(-2.0, 4.0),), known=lambda: (np.array([0.0, 0.0, 0.0, 6.0, 3.0, 2.0]),))
def product_of_the_positive(x):
    # the element 0 is at a jump: there the result depends on the condition alone
    result = 1
    for xi in x:
        if xi > 0:
            result = xi * result
    return result


@program(lambda: (0.7,))
def start_and_stop(x):
    total = x
    for k in range(2, 6):
        total = total * x + math.sin(k * x)
    return total


@program(lambda: (0.7, np.array([1.0, -2.0, 0.5, 3.0])))
def horner_backwards(x, coefficients):
    value = 0.0
    for k in range(len(coefficients) - 1, -1, -1):
        value = value * x + coefficients[k]
    return value


@program(lambda: (0.7,))
def step_of_three(x):
    total = 0.0
    for k in range(1, 11, 3):
        total += x**k / k
    return total


@program(lambda: (0.7, 0))
def zero_trips(x, n):
    y = x * x
    for _ in range(n):
        y = y * 100.0 + x
    return y + x


@program(lambda: (normal(1, 4, 3), normal(2, 3)))
def rows_of_a_matrix(table, weights):
    total = 0.0
    for row in table:
        total = total + np.tanh(row @ weights) ** 2
    return total


@program(lambda: (normal(3, 6),))
def elements_of_a_vector(x):
    running = 1.0
    total = 0.0
    for element in x:
        running = 0.5 * running * element + 1.0
        total = total + running
    return total


@program(lambda: (0.4, 1.3, -0.8))
def list_of_values(x, y, z):
    total = 1.0
    for factor in [x, y * x, z]:
        total = total * factor + factor
    return total


@program(lambda: (0.4, 1.3))
def tuple_of_constants(x, y):
    total = x
    for weight in (0.5, 1.5, 2.5):
        total = total + weight * y
        y = y * x
    return total


@program(lambda: (normal(4, 4),))
def enumerated(x):
    total = 0.0
    for position, element in enumerate(x):
        total += (position + 1) * element**2
    return total


@program(lambda: (normal(5, 4), 2))
def enumerated_from(x, first):
    total = 0.0
    for k, element in enumerate(x, first):
        total += math.sin(k) * element**k
    return total


@program(lambda: (normal(6, 3), normal(7, 5)))
def zip_of_unequal_lengths(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total = total * a + a * b
    return total


@program(lambda: (normal(8, 3, 2), normal(9, 3), 0.3))
def zip_with_enumerate(points, weights, shift):
    total = 0.0
    for k, (point, weight) in enumerate(zip(points, weights)):
        total += weight * np.sum(point * point) * (k + shift)
    return total


@program(lambda: (normal(10, 4),))
def reversed_vector(x):
    value = 0.0
    for element in reversed(x):
        value = 0.5 * value * value + element
    return value


@program(lambda: (0.9,))
def reversed_range(x):
    value = 1.0
    for k in reversed(range(1, 6)):
        value = 1.0 + x / k * value
    return value


@program(lambda: (normal(11, 3, 4),))
def nested_loops(a):
    total = 0.0
    for i in range(a.shape[0]):
        row_total = 0.0
        for j in range(a.shape[1]):
            row_total += a[i, j] ** 2 * (j + 1)
        total += row_total * row_total
    return total


@program(lambda: (normal(12, 5),))
def inner_range_depends_on_outer(x):
    total = 0.0
    for i in range(x.size):
        for j in range(i):
            total += x[i] * x[j] ** 2
    return total


@program(lambda: (0.8, 4))
def value_defined_in_loop_and_used_after(x, n):
    for k in range(n):
        last = x * (k + 1)
        x = math.sin(last)
    return last * x + k


@program(lambda: (0.8, 6))
def two_step_recurrence(x, n):
    before, now = x, 1.0
    for _ in range(n):
        before, now = now, x * now + 0.5 * before
    return now


@program(lambda: (normal(13, 6),))
def set_in_one_turn_used_in_the_next(x):
    total = 0.0
    for k in range(len(x)):
        if k > 0:
            total += previous * x[k]  # noqa: F821
        previous = x[k] ** 2  # noqa: F841
    return total


@program(lambda: (normal(14, 6), 0.3))
def branch_in_a_loop(x, threshold):
    total = 0.0
    for element in x:
        if element > threshold:
            total += element**2
        elif element < -threshold:
            total -= element * threshold
        else:
            total *= element
    return total


@program(lambda: (normal(15, 3, 3), normal(16, 3), 4))
def matrix_power(a, x, n):
    for _ in range(n):
        x = np.tanh(a @ x)
    return x


@program(lambda: (0.3, 5))
def loop_variable_overwritten(x, n):
    total = 0.0
    for k in range(n):
        k = k * 2 + 1
        total += x**k / k
    return total


@program(lambda: (0.3, 5))
def passive_and_active_carried(x, n):
    factorial = 1
    sign = 1.0
    total = 0.0
    for k in range(n):
        total += sign * x ** (2 * k + 1) / factorial
        factorial *= (2 * k + 2) * (2 * k + 3)
        sign = -sign
    return total


@program(lambda: (normal(17, 3), 3))
def accumulated_array(x, n):
    total = np.zeros(3)
    for k in range(n):
        total = total + np.sin(x * k) * total.shape[0]
        x = x * total
    return total


@program(lambda: (normal(18, 4),))
def active_after_the_first_turn(x):
    weight = 1.0
    total = 0.0
    for element in x:
        total += weight * element
        weight = element * weight
    return total


@program(lambda: (positive(19, 2, 3, 2),))
def rows_of_rows(block):
    total = 1.0
    for matrix in block:
        for row in matrix:
            first, second = row
            total = total * first / second
    return total


@program(lambda: (0.5, 4))
def ends_with_the_same_value(x, n):
    # nothing is carried from turn to turn
    for _ in range(n):
        y = x * x
    return y


@program(lambda: (0.5, [1, 3, 2]))
def list_argument(x, exponents):
    total = 0.0
    for exponent in exponents:
        total += x**exponent
    return total


@program(lambda: (normal(20, 4, 2),))
def unpacked_rows(points):
    area = 0.0
    x0, y0 = points[-1]
    for x1, y1 in points:
        area += x0 * y1 - x1 * y0
        x0, y0 = x1, y1
    return 0.5 * area


@program(lambda: (np.zeros(0), 1.5))
def no_elements(x, y):
    total = y
    for element in x:
        total = total * element
    return total * y


@program(lambda: (0.6, 1.3, 0.8))
def list_indexed_and_run_over(x, y, z):
    parts = [y * z, z * x]
    total = parts[0] * y
    for part in parts:
        total = total + part * part
    return total * x * parts[1]


@program(lambda: (0.7, normal(80, 3, 3)))
def target_bound_anew_in_another_shape(x, m):
    for v in m:
        v = np.maximum(np.ones(2), x) * x
    return v[0] * v[1]


@program(lambda: (normal(81, 3), normal(82, 4, 3)))
def targets_of_several_shapes(x, m):
    for i, (v, k) in enumerate(zip(m, m)):
        if k[0] > 5.0:
            continue
        v = v.sum() * x[:2] if i % 2 else v * x
        if v[0] > 100.0:
            break
    return v[0] * v[-1]


@program(lambda: (normal(83, 3), 2), needs="shapes")
def numbers_that_become_arrays(x, n):
    for v in x:
        total = 1.0
        for _ in range(n):
            total = total + x[1:] * v
            v += x[:2]
    return (total * v).sum()


@program(lambda: (normal(84, 3), 1.5))
def target_that_becomes_a_number(x, y):
    for row in np.outer(x, x):
        row = row.sum() * y
        if row > 0.5:
            row = row * y
    return row * row


@program(lambda: (0.6, normal(85, 3)))
def left_by_return_alone(x, y):
    y = np.array([1.3, x, x]) * y
    while True:
        w = x * np.ones(2)
        g = 1.0
        for _ in range(2):
            g -= y[1:] + w.min()
        if x <= 0.3:
            return (g * g).sum() + np.minimum(w, x).min()
        x = x * 0.7


@program(lambda: (2.0, 0.1, 1.0, 5))
def the_same_in_some_turns(a, b, x, n):
    for i in range(n):
        for j in range(i):
            if j % 2:
                x = x * (a / b)
            elif x > 3:
                return x * a / b
    return x


@program(lambda: (2.0, 0.0, 1.0))
def divided_in_no_turn(a, b, x):
    for _ in range(int(b)):
        x = x * (a / b)
    return a * x


@program(lambda: (normal(71, 3), normal(72, 3), 0.3))
def the_same_but_for_an_index(x, y, a):
    pairs = [{"x": x[i], "y": y[i]} for i in range(3)]
    total = 0.0
    for i in range(3):
        total += np.sin(pairs[i]["x"] * pairs[i]["y"]) * (pairs[0]["x"] * a)
    return total


@program(lambda: (normal(73, 5), normal(74, 4, 2)))
def over_parts(x, m):
    total = 0.0
    for v in x[1:]:
        total += v ** 2 * x[0]
        x = x + v
    for k, v in enumerate(reversed(x[2:])):
        total = total * v + k
    for v in x[::-1]:
        total = total + np.sin(v * total)
    for (a, b), v in zip(m[1:], x[:3]):
        total += a * b * v
    part = m[1:]
    m = m * 2.0
    for row in part:
        total += np.sum(row ** 2) * m[0, 0]
    return total


@program(lambda: (normal(75, 4),))
def sines_and_cosines(t):
    c, s = np.cos(t), np.sin(t)
    total = np.sum(c * s)
    t = t * 2.0
    total += np.sum(np.sin(t) * c)
    if total > -10.0:
        c = np.cos(t)
        c *= s
        total = total + np.sum(np.sin(t) * c)
    for v in t:
        if v > 0:
            total += np.cos(v)
            continue
        total *= np.sin(v)
    return total


@program(lambda: (normal(76, 4),))
def the_last_element(x):
    for v in x:
        pass
    return v * 2.0  # noqa: B007


@program(lambda: (np.array([0.1, 0.2, 0.9, 0.4]),))
def the_first_large_one_or_another(x):
    for i, v in enumerate(x):
        if v > 0.3:
            break
    else:
        v = x[0]
    for a, b in zip(x[1:], x):
        if a * b > 9.0:
            return a
    return 3.0 * v + a + i * b


@program(lambda: (positive(3, 4),))
def written_under_the_loop_in_an_arm(x):
    a = x * 1.0
    for i, v in enumerate(a):
        if i > 2:
            break
        a[i] = v * v
    return a.sum()


@program(lambda: (positive(3, 3),))
def items_written_under_the_loop_in_an_arm(x):
    items = [x[0], x[1] * x[2], np.sin(x[2])]
    b = x[0]
    for v, z in zip(items, x * 1.0):
        items[1] *= x[1]
        if z > 100.0:
            continue
        b = b + v * z
    return b * sum(items)


@program(lambda: (normal(31, 3), normal(32, 3, 3)))
def targets_with_a_name_twice(x, m):
    total = 0.0
    rows = [(x[0], x[1]), (x[2], x[1])]
    for _, _, weight in m:
        total += weight
    for i, i in enumerate(x):
        total += i * x[1]
    for a, (b, a) in zip(x, m[:, :2]):
        total = total * 0.5 + a * b
    for c, c in rows:
        total = total * c + c
    for value, value in {"a": x[0], "b": total}.items():
        total += value * value
    return total * _ + sum([s * t for s, (t, s) in zip(x, m[:, :2])])


@program(lambda: (normal(33, 3), normal(34, 3, 3)))
def targets_with_the_name_of_what_the_loop_runs_over(x, m):
    b = np.cos(x)
    a = b * 1.0
    for b, t in zip(m, b):  # noqa: B020
        a[0] += t * b[1]
    for a in a:  # noqa: B020
        t = t * a
    return t + np.sum(b)


@program(lambda: (normal(35, 6), normal(36, 4, 4), normal(37, 4)))
def elements_of_turns(x, m, w):
    """What each turn reads and writes of arrays, and what more than one does."""
    total, pair = 0.0, np.cos(x[:2])
    for i in range(-2, 2):
        total += np.sin(pair[i])
    for i in range(4):
        for j in range(2, 4):
            total += m[i, j] ** 2
        total *= 0.9 + 0.1 * w[i]
    out, history, grid = np.zeros(4), np.zeros((4, 2)), np.zeros((4, 4))
    for i in range(3, -1, -1):
        out[i] = w[i] ** 2
        history[i] = out[i], out[3]
    for i in range(4):
        grid[i, 0] = w[i]
        grid[i] = grid[i] * x[1:5] + m[i]
        if i > 2:
            total -= x[i] * w[i]
        else:
            total -= w[i] if i == 1 else x[i] ** 2
    for _ in range(2):
        inner = np.zeros(4)
        for i in range(4):
            inner[i] = w[i] * total
        total += 0.01 * np.sum(inner ** 2)
    return total + np.sum(history ** 2) + np.sum(np.sin(grid)) + np.sum(out[1:] ** 3)
