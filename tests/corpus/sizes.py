"""Sizes that are known only when the program runs: what one call, one turn or one item has is another's not."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


def cut(x, k):
    return x[k:]


def cut_twice(x, k):
    return [x[k:], x[k:] ** 2]


class Part:
    def __init__(self, x, k):
        self.values = x[k:]

    def drop(self, k):
        self.values = self.values[k:]


@program(lambda: (normal(1, 5), 1))
def one_function_called_twice(x, k):
    return np.sum(cut(x, len(x) - k) * cut(x, k) ** 2)


@program(lambda: (normal(2, 5), 2))
def pairs_of_two_calls(x, k):
    a, b = cut_twice(x, len(x) - 1)
    c, d = cut_twice(x, k)
    return np.sum(a * c) + np.sum(b * d * a) + np.sum(c * d)


@program(lambda: (normal(3, 5), 1))
def objects_of_two_calls(x, k):
    short, long = Part(x, len(x) - k), Part(x, k)
    long.drop(k)
    return np.sum(short.values * long.values)


@program(lambda: (normal(4, 5), 1))
def a_function_made_here(x, k):
    def part(j):
        return x[j:] * x[-1]

    return np.sum(part(len(x) - k) * part(k))


@program(lambda: (normal(5, 4),))
def items_of_a_list(x):
    rows = [x[i:] for i in range(len(x))]
    total = np.sum(rows[-1] * rows[0])
    for a in rows:
        for b in rows:
            if len(a) == 1 or len(a) == len(b):
                total += np.sum(a * b)
    return total


@program(lambda: (normal(6, 4),))
def items_appended(x):
    rows = []
    for i in range(len(x)):
        rows.append((x[i:], x[:i + 1]))
    (first, one), (last, all_) = rows[0], rows[-1]
    return np.sum(first * last) + np.sum(one * all_) + sum(np.sum(a * last) + np.sum(b * one) for a, b in rows)


@program(lambda: (normal(7, 4),))
def items_of_a_dict(x):
    parts = {}
    for i in range(len(x)):
        parts[i] = np.exp(x[i:])
    return np.sum(parts[3] * parts[0]) + sum(np.sum(parts[key] * parts[3]) for key in parts)


@program(lambda: (normal(8, 4),))
def items_beside_each_other(x):
    rows = [x[i:] for i in range(len(x))]
    total = 0.0
    for a, b in zip(rows[::-1], rows):
        if len(a) == 1:
            total += np.sum(a * b)
    return total


def tails(x):
    for i in range(len(x)):
        yield x[len(x) - 1 - i:]


@program(lambda: (normal(9, 4),))
def turns_of_a_generator(x):
    before, total = x[:1], 0.0
    for tail in tails(x):
        total += np.sum(before[:1] * tail)
        before = tail
    return total


@program(lambda: (normal(10, 9), normal(11, 3)))
def windows(x, kernel):
    size, total = len(kernel), 0.0
    for i in range(len(x) - size + 1):
        total += np.tanh(np.dot(x[i:i + size], kernel)) + np.inner(kernel, x[i:i + size]) ** 2
    return total


@program(lambda: (np.triu(normal(12, 4, 4)) + 4.0 * np.eye(4), normal(13, 4)))
def solved_backwards(u, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.dot(u[i, i + 1:], x[i + 1:])) / u[i, i]
    return x @ x


def sum_of_squares(x):
    if len(x) == 0:
        return 0.0
    return x[0] ** 2 + sum_of_squares(x[1:])


@program(lambda: (normal(14, 5),))
def one_element_less_in_each_call(x):
    return sum_of_squares(x) + sum_of_squares(x[2:])


def halves(x):
    n = len(x) // 2
    return x[0] ** 3 if n == 0 else halves(x[:n]) * halves(x[n:]) + np.sum(x[:n] * x[-n:])


@program(lambda: (normal(15, 8),))
def divided_and_conquered(x):
    return halves(x)


def merged(x):
    n = len(x)
    if n < 2:
        return x
    a, b = merged(x[:n // 2]), merged(x[n // 2:])
    out, i, j = np.zeros(n), 0, 0
    for k in range(n):
        if j == len(b) or i < len(a) and a[i] < b[j]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


@program(lambda: (normal(16, 7),))
def sorted_by_merging(x):
    return np.sum(merged(x) * np.arange(len(x)) ** 2)


def determinant(m):
    if m.shape[0] == 1:
        return m[0, 0]
    total = 0.0
    for j in range(m.shape[1]):
        minor = np.concatenate([m[1:, :j], m[1:, j + 1:]], axis=1)
        total += (-1) ** j * m[0, j] * determinant(minor)
    return total


@program(lambda: (normal(17, 3, 3),))
def expanded_by_minors(m):
    return determinant(m)


def by_horner(c, x, n):
    return c[0] if n == 1 else c[0] + x * by_horner(c[1:], x, n - 1)


@program(lambda: (normal(18, 5), 0.7))
def polynomial_by_recursion(c, x):
    return by_horner(c, x, len(c))


@program(lambda: (normal(19, 4),))
def sorted_and_taken_apart(x):
    shortest, *others = sorted([x[i:] for i in range(len(x))], key=len)
    longest, *rest = [x[i:] * 2.0 for i in range(len(x))]
    return sum(np.sum(shortest * other) for other in others) + sum(np.sum(longest[-1:] * part) for part in rest)


@program(lambda: (normal(20, 4),), needs="activity")
def weights_in_a_list(x):
    weights = [np.arange(1.0, 2.0 + i) for i in range(len(x))]
    return np.sum(x[:1] * weights[3]) + np.sum(weights[0] * weights[3] * x)


@program(lambda: (normal(21, 4, 4) + 5.0 * np.eye(4),))
def eliminated(a):
    u = a.copy()
    n = len(u)
    for k in range(n - 1):
        u[k + 1:, k] /= u[k, k]
        u[k + 1:, k + 1:] -= np.outer(u[k + 1:, k], u[k, k + 1:])
    for i in range(n - 1):
        u[i, i:] *= u[i + 1, i:] + u[n - 1, i:]
    return np.sum(np.tril(u) ** 2) + np.sum(u[0])


@program(lambda: (normal(22, 9), 2))
def slices_by_numbers_that_change(x, k):
    total = 0.0
    first = x[k:]
    for i in range(3):
        k += 1 if i else 0
        part = x[k:] * x[-k:][-1]
        if len(part) == len(first):
            total += np.sum(part * first)
        else:
            total += np.sum(part * first[:1] ** 2)
        if i == 1:
            first = x[k:k + 1]
    return total + np.sum(first * part)


@program(lambda: (normal(23, 7), 3))
def slices_around_a_loop(x, k):
    before = x[:k]
    while k > 1:
        k -= 1
        now = x[:k]
        total = np.sum(now * before[:1])
        before = now
    return total + np.sum(before * x[:k]) + np.sum(now * x[:k + 2])


@program(lambda: (normal(24, 4), 1))
def sums_of_nothing(x, k):
    parts, total = [], 0.0
    for i in range(3):
        s = sum(parts)
        y = x[k:] * s + x[k]
        z = np.zeros_like(x)
        z[k:] = s
        total = total + np.sum(y ** 2) + np.sum(z * x) + np.sum(s)
        parts.append(x[:3] * i + 1.0)
    return total


def scaled_squares(pair):
    values, factors = pair
    return np.sum(values ** 2 * factors)


@program(lambda: (normal(25, 3, 2), normal(26, 3)))
def parts_of_unlike_sizes_in_a_list(v, m):
    pairs = []
    pair = np.zeros((0, 0)), np.zeros((0, 0))
    for i in range(3):
        if i > 0:
            pair = v * i, m[:, None] * 1.0
        pairs.append((i, pair))
        if m[0] < -1e9:
            break
    total = 0.0
    for i, pair in reversed(pairs):
        if i:
            values, factors = pair
            total += np.sum(values ** 2 * factors) * scaled_squares(pair)
    return total


# ---- arrays that have another size in each turn

@program(lambda: (normal(1, 4), 3))
def longer_in_each_turn(x, n):
    for _ in range(n):
        doubled = x * 2.0
        longer = np.zeros(len(x) + 1)
        longer[1:] = doubled
        longer[0] = doubled[0] * x[-1]
        x = longer
    return (x ** 2).sum()


@program(lambda: (normal(1, 3), 2))
def last_but_one_beside_the_last(x, n):
    for _ in range(n):
        y = x * 2.0
        x = y[1:]
    return (x * y).sum()


@program(lambda: (normal(1, 3), 2))
def names_that_move_on(x, n):
    y, k = x[:2], 0
    while k < n:
        y, x = x, x[1:]
        k += 1
    return (x * y).sum()


@program(lambda: (normal(1, 1), normal(2, 4), 2))
def spread_in_the_first_turn(x, c, n):
    squares = 0.0
    for _ in range(n):
        y = np.sin(x)
        shifted = y + 1.0
        x = shifted * c
        squares = (y * y).sum()
    return (x ** 2).sum() * squares


@program(lambda: (normal(1, 5), 4))
def shorter_until_it_ends(x, n):
    seen = x
    for _ in range(n):
        new = x[1:] * seen[0]
        sums = x + seen[:1]
        seen = x
        x = new
        if len(x) < 3:
            break
    return (x * seen[1:]).sum() + (sums * seen).sum()


@program(lambda: (normal(1, 5), np.array([0.5, 1.0, 0.25])))
def product_of_polynomials(coefficients, roots):
    for root in roots:
        longer = np.zeros(coefficients.size + 1)
        longer[:-1] += coefficients
        longer[1:] -= root * coefficients
        coefficients = longer
    return np.sum(coefficients ** 2)


@program(lambda: (normal(1, 4, 5), normal(2, 2, 3)))
def convolved_by_shape(image, kernel):
    out = np.zeros((image.shape[0] - 1, image.shape[1] - 2))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i:i + 2, j:j + 3] * kernel)
    return np.sum(out ** 2)


@program(lambda: (normal(3, 4),))
def sizes_of_each_turn(x):
    total = 0.0
    for k in range(3):
        row = np.zeros(len(x) - k)
        for i in range(len(row)):
            for j in range(row.size - i):
                row[i] += x[j] * x[i]
        total += np.sum(row ** 2)
    for i in range(len(row)):
        total += row[i]
        row[i] = total
    return total * row[0]


@program(lambda: (normal(4, 3),))
def size_where_it_grows(x):
    u, total = x.copy(), 0.0
    for _ in range(2):
        for i in range(len(u)):
            total += u[i] ** 2
            u[i] *= 0.5
        u = np.append(u, total)
    return u @ u


@program(lambda: (normal(5, 4), 2), argnums=(0,))
def swept_to_the_end(x, turns):
    u = np.zeros_like(x)
    while turns > 0:
        for i in range(1, u.shape[0]):
            u[i] = 0.5 * u[i - 1] * x[i] + x[i - 1]
        turns -= 1
    return np.mean(u ** 2) * len(u)


@program(lambda: (normal(6, 2), normal(7, 3)))
def vectors_taken_apart(p, q):
    a, b = p
    for _ in range(2):
        x, y, z = q
        q = q + 0.1 * np.array([y * z, a * x, b * x * y])
    u, _, w = np.tanh(q)
    return u * w + a * b + p[0]


@program(lambda: (normal(8, 6), np.array([0.2, 1.7, 2.4])))
def places_found(values, at):
    total = 0.0
    for x in at:
        i = max(0, min(np.searchsorted(np.arange(5.0), x) - 1, len(values) - 2))
        total += values[i] + (x - i) * (values[i + 1] - values[i])
    k = np.digitize(at, np.arange(5.0))
    return total ** 2 + np.sum(values[k] * at)


@program(lambda: (np.array([3.0, 4.0, 5.0]),))
def sizes_where_nothing_was_written(x):
    """What another way returns is no place to read the size of the array from, though it is saved."""
    u = x * 1.0
    m = np.outer(x, x)
    s = 0.0
    for row in m:
        row -= 0.5
        u[:] = np.ravel(m)[:3]
        s = s + row.sum()
    m[2] -= u
    s = s + m[2].sum()
    if s > 0.0:
        s = s * x[0]
    else:
        for i in range(2):
            m[i] += u[1]
        if m[0, 0] < m[1, 1]:
            return np.sum(m[0])
    return np.sum(np.sin(u)) + s


def spread(u, v):
    return np.sin(np.outer(u, v)).sum(axis=0) * v + u.sum()


@program(lambda: (normal(3, 5),))
def sizes_that_only_the_values_tell(x):
    """One derivative serves calls with arrays of other sizes, so long as equal ones are equal in both."""
    a, b, c = x[x > 0.0], x[x < 1.0], x[x > -0.5]
    return np.sum(spread(a, b)) * np.sum(spread(b, c)) + np.sum(spread(c, a)) + np.sum(spread(a, a) * spread(b, a))


@program(lambda: (0.7, normal(1, 4), 2))
def one_name_in_two_loops_of_a_turn(a, u, n):
    rows = [u[:2] * 1.0, u * 0.7]
    q = np.ones(2) * a
    for _ in range(n):
        for _ in range(n):
            q = np.ones(2) * a
        for _ in range(3):
            rows.append(q)
            q = np.array([0.7, q[1]])
        a += rows[1][1]
        rows[0] = q[::2]
    return a + u[0]


def leaning(x):
    first = x[:1].reshape(())
    if first > 0.0:
        return 2.0 * first
    return 3.0 * first


@program(lambda: (normal(1, 4),))
def the_size_of_a_part_in_a_helper_with_branches(x):
    return leaning(x) * leaning(-x)


def above(value, floor):
    return max(value - floor, 0.0)


@program(lambda: (positive(5, 4), positive(6, 4, 1), 1.2))
def arrays_of_one_element_chosen_from_beside_numbers(arrivals, service, floor):
    """What is chosen is a number in some turns and an array in others, as are the cotangents."""
    free, waits = 0.0, []
    for arrival, time in zip(arrivals, service):
        start = max(arrival, free)
        waits.append((start - arrival) * arrival + above(time, floor))
        free = start + time
    return np.sum(sum(waits) + free + min(above(-free, floor), service[0], floor))
