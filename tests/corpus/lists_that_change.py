"""Lists and dicts that change, in stacks, queues, tables and groups; functions over functions; starred names."""
from __future__ import annotations

import functools
import itertools
import operator

import numpy as np

from corpus.registry import normal, positive, program


def arguments() -> tuple:
    return np.array([0.7, -0.4, 1.3]), 0.8


# ---- one change at a time

@program(arguments)
def pop_stack(x, k):
    s = [x[0]]
    s.append(x[1] * k)
    s.append(x[2])
    a = s.pop()
    b = s.pop()
    return a * b * s[0]


@program(arguments)
def stack_machine(x, k):
    s = []
    for v in x:
        s.append(v * k)
        if len(s) > 1:
            s.append(s.pop() * s.pop() + 1.0)
    return s[-1]


@program(arguments)
def moving_window(x, k):
    q = []
    t = 0.0
    for v in x:
        q.append(v * k)
        if len(q) > 2:
            q.pop(0)
        t += sum(q) ** 2
    return t


@program(arguments)
def search_with_a_stack_of_places(x, k):
    s = [0]
    t = 0.0
    while s:
        i = s.pop()
        t += x[i] ** 2 * k
        if i == 0:
            s.append(1)
            s.append(2)
    return t


@program(arguments)
def inserted_in_front(x, k):
    s = [x[0]]
    for v in x:
        s.insert(0, v * k)
    return s[0] * s[1] + s[-1]


@program(arguments)
def reversed_list(x, k):
    s = [v * k for v in x]
    s.reverse()
    return s[0] * 2 + s[1] * s[2]


@program(arguments)
def sorted_list(x, k):
    s = sorted([v * k for v in x])
    return s[0] * 2 + s[1] * s[2] ** 2


@program(arguments)
def sorted_array(x, k):
    s = sorted(x)
    return s[0] * 2 + s[1] * s[2] ** 2 * k


@program(arguments)
def sorted_key(x, k):
    s = sorted(x, key=lambda v: -v)
    return s[0] * 2 + s[1] * s[2] ** 2 * k


@program(arguments)
def list_sort(x, k):
    s = [v * k for v in x]
    s.sort()
    return s[0] * 2 + s[1] * s[2] ** 2


@program(arguments)
def map_list(x, k):
    s = list(map(lambda v: v * v * k, x))  # noqa: C417
    return s[0] * 2 + sum(s)


@program(arguments)
def filter_list(x, k):
    s = list(filter(lambda v: v > 0, x))
    return sum(s) * k


@program(arguments)
def min_key(x, k):
    return min([x[0] * k, x[1], x[2]], key=lambda v: v * v)


@program(arguments)
def max_key(x, k):
    xs = [v * k for v in x]
    return max(xs, key=abs) * xs[0]


@program(arguments)
def accumulate(x, k):
    s = list(itertools.accumulate(x))
    return s[1] * s[2] * k


@program(arguments)
def accumulate_mul(x, k):
    s = list(itertools.accumulate([v * k for v in x], lambda a, b: a * b))
    return s[1] + s[2]


@program(arguments)
def chain(x, k):
    t = 0.0
    for v in itertools.chain(x, [k, x[0]]):
        t += v * v
    return t


@program(arguments)
def product(x, k):
    t = 0.0
    for a, b in itertools.product(x, x):
        t += a * b * k
    return t


if hasattr(itertools, "pairwise"):
    @program(arguments)
    def pairwise(x, k):
        t = 0.0
        for a, b in itertools.pairwise(x):
            t += a * b * k
        return t


@program(arguments)
def islice(x, k):
    t = 0.0
    for a in itertools.islice(x, 2):
        t += a * a * k
    return t


@program(arguments)
def reduce_list(x, k):
    return functools.reduce(lambda a, b: a * b + k, [v * 2 for v in x])


@program(arguments)
def reduce_array(x, k):
    return functools.reduce(operator.mul, x) * k


@program(arguments)
def reduce_start(x, k):
    return functools.reduce(lambda a, b: a * b + b, x, k)


@program(arguments)
def star_display(x, k):
    xs = [v * k for v in x]
    ys = [*xs, k, *x]
    return sum(ys) * ys[2] * ys[3]


@program(arguments)
def star_display_known(x, k):
    xs = (x[0], x[1])
    ys = [*xs, k]
    return ys[0] * ys[1] * ys[2]


@program(arguments)
def tuple_times(x, k):
    t = (x[0],) * 3
    return t[0] * t[1] * t[2] * k


@program(arguments)
def list_times(x, k):
    t = [k, x[0]] * 2
    return t[0] * t[1] * t[2] * t[3]


@program(arguments)
def repeated_unknown_times(x, k):
    t = [x[0] * k] * len(x)
    return sum(t) * t[0]


@program(arguments, needs="shapes")
def nested_store(x, k):
    rows = [[x[0], x[1]], [x[2], k]]
    rows[0][0] = x[1] * k
    rows[1][0] += 2 * rows[0][0]
    return rows[0][0] * rows[1][0] * rows[0][1]


@program(arguments)
def nested_dict(x, k):
    p = {"layer": {"w": x, "b": k}}
    p["layer"]["w"] = p["layer"]["w"] * k
    return np.sum(p["layer"]["w"] ** 2)


@program(arguments)
def dict_update(x, k):
    d = {"a": x, "b": k}
    d.update({"b": k * 2, "c": x[0]})
    d.update(a=x * 2)
    return np.sum(d["a"]) * d["b"] * d["c"]


@program(arguments)
def dict_pop(x, k):
    d = {"a": x, "b": k}
    b = d.pop("b")
    z = d.pop("zz", 1.0)
    return np.sum(d["a"]) * b * z * len(d)


@program(arguments)
def dict_del(x, k):
    d = {"a": x, "b": k}
    del d["b"]
    return sum(np.sum(v) for v in d.values()) * k


@program(arguments)
def dict_setdefault(x, k):
    d = {"a": x}
    b = d.setdefault("b", k)
    c = d.setdefault("a", k)
    return np.sum(d["a"]) * b * d["b"] * np.sum(c)


@program(arguments)
def dict_star(x, k):
    d = {"a": x, "b": k}
    e = {**d, "b": x[0], "c": k}
    return np.sum(e["a"]) * e["b"] * e["c"]


@program(arguments)
def dict_or(x, k):
    d = {"a": x, "b": k}
    e = d | {"b": x[0]}
    e |= {"c": k}
    return np.sum(e["a"]) * e["b"] * e["c"]


@program(arguments)
def dict_of_lists_branch(x, k):
    g = {"pos": [], "neg": []}
    for v in x:
        if v > 0:
            g["pos"].append(v * k)
        else:
            g["neg"].append(v)
    return sum(g["pos"]) * 2 + sum(g["neg"]) ** 2


@program(arguments)
def table_of_lists(x, k):
    n = len(x)
    T = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            T[i][j] = x[i] * k + (T[i - 1][j] if i > 0 else 0.0) + (T[i][j - 1] ** 2 if j > 0 else 0.0)
    return T[n - 1][n - 1]


@program(arguments)
def slice_assign(x, k):
    xs = [v * k for v in x]
    xs[1:2] = [x[0], k, k * k]
    xs[:1] = []
    return sum(xs) * xs[0] * xs[-1]


@program(arguments)
def list_clear(x, k):
    xs = [v * k for v in x]
    t = sum(xs)
    xs.clear()
    xs.append(t * k)
    return xs[0]


@program(arguments)
def del_item(x, k):
    xs = [v * k for v in x]
    del xs[0]
    del xs[-1]
    return xs[0] * x[0]


@program(arguments)
def del_slice(x, k):
    xs = [v * k for v in x] + [k]
    del xs[1:3]
    return xs[0] * xs[1]


# ---- stacks, queues, tables

@program(arguments)
def rows_built(x, k):
    rows = []
    for v in x:
        row = []
        for u in x:
            row.append(u * v)
        rows.append(row)
    for i in range(3):
        for j in range(i):
            rows[i][j] = rows[i][j] * k + rows[j][i]
            rows[j][i] += rows[i][j] ** 2
    return rows[2][0] * rows[0][2] + rows[1][0]


@program(arguments)
def pop_row(x, k):
    rows = [[x[0], k], [x[1]], [x[2]]]
    t = 1.0
    while rows:
        row = rows.pop()
        t = t * sum(row)
    return t


@program(arguments)
def pop_inner(x, k):
    rows = [[x[0], k], [x[1], x[2]]]
    t = 0.0
    for i in range(2):
        t += rows[i].pop() ** 2
        rows[i].append(t * k)
        rows[i].insert(0, k)
    return t + rows[0][1] * rows[1][0] + rows[1][2]


@program(arguments)
def pop_arrays(x, k):
    s = [x, x * k]
    t = 0.0
    n = 0
    while s:
        v = s.pop()
        t += np.sum(v ** 2)
        n += 1
        if n < 5:
            s.append(np.sin(v) * k)
            s.insert(1, v + 1.0)
    return t


@program(arguments)
def pop_tuples(x, k):
    s = [(0, x[0]), (1, x[1])]
    t = 0.0
    while s:
        i, v = s.pop()
        t += v ** 2 * (i + 1)
        if i < 4:
            s.append((i + 2, v * k))
    return t


@program(arguments)
def pop_index(x, k):
    s = [v * k for v in x] + [k, k * k]
    t = 0.0
    for i in range(2):
        t += s.pop(i) * s.pop(i - 2) * (i + 1)
    return t


@program(arguments)
def pop_static(x, k):
    s = [x, k, x[0], x[1]]
    a = s.pop(1)
    b = s.pop(0)
    s.insert(0, a * 2)
    s.insert(-1, k ** 2)
    return np.sum(b) * s[0] * s[1] * s[2] + s[3]


@program(arguments)
def pop_static_loop(x, k):
    s = [x[0], x[1], k]
    for _ in range(4):
        v = s.pop(0)
        s.append(v * s[0])
        s.insert(1, s.pop())
    return s[0] * s[1] + s[2]


@program(arguments)
def pop_cond(x, k):
    s = [v * k for v in x]
    a = s.pop() if x[0] > 0 else s.pop(0)
    b = s and s.pop()
    return a * b ** 2 + s[0]


@program(arguments)
def pop_order(x, k):
    s = [v * k for v in x]
    return s[-1] * s.pop() + s[-1] ** 2 * len(s)


@program(arguments)
def pop_in_test(x, k):
    s = [v * k for v in x]
    t = 0.0
    while s and s.pop() > -5:
        t += sum(s)
    return t


@program(arguments)
def pop_aug(x, k):
    s = [v * k for v in x]
    t = 0.0
    while len(s) > 0:
        t += s.pop() * x[len(s)]
    return t


@program(arguments, needs="shapes")
def pop_dict_lists(x, k):
    g = {"a": [x[0], x[1]], "b": [k]}
    g["b"].append(g["a"].pop() * k)
    g["a"][0] *= 3.0
    return g["b"][1] * g["a"][0] + g["b"][0]


@program(arguments)
def break_out(x, k):
    s = [x[0]]
    t = 0.0
    while True:
        if not s:
            break
        v = s.pop()
        if v > 3:
            return t * v
        t += v
        if len(s) < 3:
            s.append(v * k + 0.5)
            s.append(v * 1.2 + x[1])
        if t > 10:
            break
    return t * k


@program(arguments)
def window_arrays(x, k):
    q = []
    t = 0.0
    for i in range(6):
        q.append(np.roll(x, i) * k)
        if len(q) > 2:
            old = q.pop(0)
            t += np.sum(old * q[0])
    return t + np.sum(np.stack(q))


@program(arguments)
def bfs_append_in_loop(x, k):
    q = [x[0]]
    t = 0.0
    for v in q:
        t += v ** 2
        if len(q) < 5:
            q.append(v * k)
    return t


@program(arguments)
def clear_loop(x, k):
    buf = []
    t = 0.0
    for v in x:
        buf.append(v * k)
        if len(buf) == 2:
            t += buf[0] * buf[1]
            buf.clear()
    return t + sum(buf)


@program(arguments)
def reverse_loop(x, k):
    s = [v * k for v in x]
    for _ in range(3):
        s.reverse()
        s[0] = s[1] * s[0]
        s.reverse()
        s[0] += 0.5 * s[2]
    return s[0] * s[1] + s[2]


@program(arguments)
def kept_path(x, k):
    s = [x[0], x[1], x[2]]
    for _ in range(2):
        if s[0] > 0.3:
            s.append(s.pop(0) * k)
        else:
            s.insert(0, s.pop() + 1.0)
    return s[0] * s[1] ** 2 * s[2]


# ---- functional pipelines, priority queues, dicts

@program(arguments)
def nested_map(x, k):
    return sum(map(lambda a: a * sum(map(lambda b: a * b * k, x)), x))  # noqa: C417


@program(arguments)
def map_two(x, k):
    return sum(map(operator.mul, x, [k, k * 2, 1.0]))


@program(arguments)
def map_user(x, k):
    def g(v):
        return v * k
    return max(map(g, x)) + min(map(g, x)) ** 2


@program(arguments)
def filter_pairs(x, k):
    ps = [(v, v * k) for v in x]
    return sum(a * b for a, b in filter(lambda p: p[0] > 0, ps))


@program(arguments)
def sorted_pairs(x, k):
    ps = sorted(((v * k, i) for i, v in enumerate(x)), reverse=True)
    t = 0.0
    for v, i in ps:
        t = t * 0.5 + v * (i + 1)
    return t


@program(arguments)
def priority_queue(x, k):
    q = [(v * k, i) for i, v in enumerate(x)]
    t = 1.0
    steps = 0
    while q:
        q.sort()
        c, i = q.pop(0)
        t = t * (1 + c * c)
        steps += 1
        if steps < 4:
            q.append((c + 0.7 * x[i], i))
    return t


@program(arguments)
def priority_sorted(x, k):
    q = [v * k for v in x]
    t = 0.0
    for _ in range(3):
        q = sorted(q)
        smallest = q.pop(0)
        t += smallest ** 2
        q.append(smallest + 1.1)
    return t + q[-1]


@program(arguments)
def argsort_python(x, k):
    order = sorted(range(len(x)), key=lambda i: x[i] * k)
    t = 0.0
    for n, i in enumerate(order):
        t += x[i] * (n + 1) * k
    return t


@program(arguments)
def best_index(x, k):
    i = max(range(len(x)), key=lambda j: x[j] * k)
    return x[i] ** 2 * k


@program(arguments)
def sort_lambda_method(x, k):
    rows = [{"v": v, "w": v * k} for v in x]
    rows.sort(key=lambda r: r["w"], reverse=True)
    return rows[0]["v"] * rows[1]["w"] ** 2


@program(arguments)
def sort_arrays(x, k):
    rows = [x * k, x + 1.0, x ** 2]
    rows.sort(key=np.sum)
    return np.sum(rows[0] * rows[1]) + rows[2][0]


@program(arguments)
def chained_three(x, k):
    return sum(v * v for v in itertools.chain([k], x, (x[0], k)))


@program(arguments)
def accum_loop(x, k):
    t = 0.0
    for s in itertools.accumulate(x * k):
        t += s ** 2
    return t


@program(arguments)
def reduce_arrays(x, k):
    ms = [np.outer(x, x) * k, np.eye(3) * 2, np.outer(x, x + 1)]
    return np.sum(functools.reduce(np.matmul, [m * 1.0 for m in ms]))


@program(arguments)
def any_active(x, k):
    xs = [v * k for v in x]
    while any(v > 0.3 for v in xs) and len(xs) < 9:
        xs = [v * 0.5 for v in xs]
    return sum(xs)


@program(arguments)
def pipeline(x, k):
    ordered = sorted(x * k, key=lambda v: -v)
    return functools.reduce(lambda a, b: a + b, map(lambda v: v ** 2, filter(lambda v: v > -1, ordered)))  # noqa: C417


@program(arguments)
def zip_map(x, k):
    t = 0.0
    for a, b in zip(map(np.sin, x), sorted(x)):
        t += a * b * k
    return t


@program(arguments)
def dict_loop(x, k):
    d = {"a": x, "b": k}
    for _ in range(3):
        d.update(a=d["a"] * d["b"], b=d["b"] + 0.1)
        d |= {"a": np.sin(d["a"])}
    return np.sum(d["a"])


@program(arguments)
def dict_pop_loop(x, k):
    d = {"a": x, "b": k}
    for _ in range(3):
        b = d.pop("b")
        d["b"] = b * 1.5 + np.sum(d["a"])
    return d["b"]


@program(arguments)
def dict_pop_items(x, k):
    d = {"a": x, "b": x * k}
    t = 0.0
    for key in ("a", "b"):
        t += np.sum(d[key] ** 2)
    v = d.pop("a")
    for key in d:
        t += np.sum(d[key] * v)
    return t


@program(arguments)
def dict_nested_pop(x, k):
    d = {"p": {"w": x, "b": k}, "q": k}
    b = d["p"].pop("b")
    d["p"].update(w=d["p"]["w"] * b)
    d["p"].setdefault("c", k)
    del d["q"]
    return np.sum(d["p"]["w"]) * d["p"]["c"] * len(d) * len(d["p"])


@program(arguments)
def new_key_after_dynamic(x, k):
    d = {"a": x}
    d["b"] = x * k
    t = 0.0
    for key in d:
        t += np.sum(d[key] ** 2)
    return t


@program(arguments)
def star_call(x, k):
    def g(a, b, c):
        return a * b + c
    xs = (x[0], x[1])
    return g(*xs, k) + g(*[x[1], x[2]], *(k,))


@program(arguments)
def star_tuple_unknown(x, k):
    xs = [v * k for v in x]
    t = (*xs, k, *xs[1:])
    return t[0] * t[3] + t[-1]


@program(arguments)
def star_args_copy(x, k):
    ys = [*x]
    ys.append(k)
    zs = [*ys]
    zs[0] = k * 3
    return ys[0] * zs[0] + sum(zs)


@program(arguments)
def times_arrays(x, k):
    t = [x * k, x] * 3
    t[0] = x ** 2
    return np.sum(t[0] * t[2]) + np.sum(t[5])


@program(arguments, needs="shapes")
def times_left(x, k):
    n = len(x)
    t = n * [x[0] * k] + [k]
    t[1] *= 2
    return sum(t) * t[1]


@program(arguments)
def slice_ins(x, k):
    xs = [v * k for v in x]
    xs[1:1] = [k, x[0]]
    xs[-1:] = (x[1], x[2])
    xs[:2] = x
    return xs[0] * xs[1] + sum(xs) ** 2


@program(arguments)
def slice_nested(x, k):
    d = {"q": [v * k for v in x]}
    d["q"][1:] = [k]
    d["q"].reverse()
    d["q"].sort(key=lambda v: -v)
    del d["q"][0]
    d["q"].insert(0, x[0])
    return d["q"][0] * d["q"][1]


# ---- starred targets

@program(arguments)
def star_first(x, k):
    a, *rest = x
    return a * rest[0] * k + rest[-1]


@program(arguments)
def star_mid(x, k):
    xs = [v * k for v in x]
    first, *middle, last = xs
    return first * last + sum(middle)


@program(arguments)
def star_last(x, k):
    *init, last = [v * k for v in x]
    return last * sum(init)


@program(arguments)
def star_self(x, k):
    xs = [v * k for v in x]
    t = 0.0
    while xs:
        first, *xs = xs
        t += first ** 2 * (1 + sum(xs))
    return t


@program(arguments)
def star_self_array(x, k):
    first, *x = x
    return first * x[0] * k * x[1]


@program(arguments)
def star_pairs(x, k):
    ps = [(v, v * k) for v in x]
    (a, b), *rest, (c, d) = ps
    return a * b * c * d * rest[0][1]


@program(arguments)
def star_two(x, k):
    a, *r = x * k
    b, *s = [v * 2 for v in r]
    c, *u = s
    return a * b * c + len(u)


@program(arguments)
def star_matrix(x, k):
    m = np.outer(x, x + k)
    top, *rows = m
    return np.sum(top * rows[0] * rows[1])


# ---- arrays in containers

@program(arguments)
def item_array(x, k):
    y = [x * k, x + 1.0]
    y[0] += 1.0
    y[0] *= y[1]
    y[1] -= x[0] * k
    return np.sum(y[0] * y[1])


@program(arguments)
def item_array_loop(x, k):
    acc = [np.zeros(3), np.zeros(3)]
    for i in range(4):
        acc[i % 2] += np.sin(x * i) * k
    return np.sum(acc[0] * acc[1])


@program(arguments)
def item_array_named(x, k):
    z = x * k
    y = [z, x * 2]
    y[0] += 1.0
    return np.sum(y[0] * y[1]) * k


@program(arguments)
def dict_array(x, k):
    g = {"w": np.zeros(3), "b": 0.0}
    for v in x:
        g["w"] += v * x
        g["b"] += v * k
    g["w"] *= g["b"]
    return np.sum(g["w"])


@program(arguments)
def nested_array(x, k):
    g = {"l": {"w": x * 2.0}}
    g["l"]["w"] += k * x
    return np.sum(g["l"]["w"] ** 2)


@program(arguments)
def comp_array(x, k):
    ys = [x * v for v in x]
    for i in range(3):
        ys[i] += k * ys[i - 1]
    return np.sum(ys[0] * ys[2])


# ---- lists that meet themselves

@program(arguments)
def extended_by_itself(x, k):
    xs = [x[0] * k, k]
    xs.extend(xs)
    xs += xs
    return sum(xs) * xs[3]


@program(arguments, needs="shapes")
def stack_of_lists(x, k):
    stack = [[0, x[0]]]
    t = 0.0
    while stack:
        node = stack.pop()
        node[1] = node[1] * k
        t += node[1] ** 2
        if node[0] < 3:
            stack.append([node[0] + 1, node[1] + x[1]])
    return t


@program(arguments)
def copies_of_a_list(x, k):
    xs = [v * k for v in x]
    ys = xs.copy()
    zs = list(xs)
    ws = xs[:]
    xs.pop()
    xs[0] = k
    ys.append(k)
    zs.insert(0, ws.pop(0))
    return sum(xs) * sum(ys) + sum(zs) ** 2 + ws[0]


@program(arguments)
def popped_array_written_into(x, k):
    s = [x * 1.0, x * k]
    v = s.pop()
    v += 1.0
    v[0] *= k
    s.append(v)
    return np.sum(s[0] * s[1])


# ---- groups under running keys

@program(arguments)
def groups(x, k):
    g = {"pos": [], "neg": []}
    for v in x:
        g["pos" if v > 0 else "neg"].append(v * k)
    return sum(g["pos"]) * 2 + sum(g["neg"]) ** 2


@program(arguments)
def groups_values(x, k):
    labels = ["a", "b", "a"]
    g = {"a": [], "b": [k]}
    for v, name in zip(x, labels):
        g[name].append(v * k)
    return sum(sum(vs) ** 2 for vs in g.values())


@program(arguments)
def totals(x, k):
    labels = ["a", "b", "a"]
    g = {"a": 0.0, "b": 1.0}
    for v, name in zip(x, labels):
        g[name] += v * k
        g["a"] *= 1.5
    return g["a"] * g["b"] ** 2


@program(arguments)
def totals_int_keys(x, k):
    g = {0: 0.0, 1: k}
    for i, v in enumerate(x):
        g[i % 2] += v * g[(i + 1) % 2]
    return g[0] * g[1]


@program(arguments, needs="shapes")
def groups_pop(x, k):
    g = {"a": [x[0], x[1]], "b": [k]}
    t = 0.0
    for name in ("a", "b", "a"):
        t += g[name].pop() ** 2
        g["b"].append(t)
        g[name].insert(0, t * k)
    return t + sum(g["a"]) * sum(g["b"])


@program(arguments)
def list_of_lists_dyn(x, k):
    b = [[], [k]]
    for i, v in enumerate(x):
        b[i % 2].append(v * k)
    return sum(b[0]) * sum(b[1])


@program(arguments)
def groups_read_before(x, k):
    g = {"a": [x[0]], "b": [k]}
    t = g["a"][0] * g["b"][0]
    for i in range(3):
        key = "a" if i < 2 else "b"
        t += g[key][-1] ** 2
        g[key].append(t * 0.5)
    t += g["a"][-1]
    return t * g["b"][1]


@program(arguments)
def dyn_dict_items(x, k):
    g = {"a": 0.0, "b": k}
    for i, v in enumerate(x):
        g["ab"[i % 2]] += v
    t = 0.0
    for name, v in g.items():
        t += v ** 2 * len(name)
    h = dict(g)
    h["a"] = h["b"] * 2
    return t * h["a"] * g.get("a") + len(h)


@program(arguments)
def both_reads(x, k):
    d = {"a": [v * k for v in x], "b": [v + 0.5 for v in x]}
    t = 0.0
    for key in ("a", "b"):
        t += sum(d[key]) ** 2
    return t + d["a"][0] * d["b"][1] + sum(d["a"])


@program(lambda: (positive(401, 4),))
def grown_list_as_an_array(x):
    out = []
    for v in x:
        out.append(v * v)
    return np.var(out) + np.mean(out[-2:]) + np.max(out) + np.dot(out, x) + np.std(out, ddof=1) + np.linalg.norm(out)


@program(lambda: (normal(402, 4),))
def grown_list_of_rows_as_an_array(x):
    rows = []
    for v in x:
        rows.append(np.array([v, v * v]))
    return np.sum(rows, axis=0) @ np.array([1.0, 2.0]) + np.mean(rows) + np.cov(rows).sum() + np.vstack(rows).sum()


@program(lambda: (positive(403, 5), 0.3))
def moving_average_measured(x, a):
    s, out = x[0], []
    for v in x:
        s = a * v + (1 - a) * s
        out.append(s)
    return np.var(out) + np.median(out) + np.prod(out)


def sum_of_squares(values):
    total = 0.0
    for value in values:
        total = total + value * value
    return total


@program(lambda: (1.7, 3))
def powers_from_an_integer_on(x, n):
    powers, power = [], 1
    for _ in range(n):
        powers.append(power)
        power = power * x
    return sum_of_squares(powers)


@program(lambda: (1.7, 3))
def powers_grown_from_an_integer(x, n):
    powers = [1]
    for _ in range(n):
        powers.append(powers[-1] * x)
    return sum_of_squares(powers) + sum_of_squares(powers[1:])


# ---- items that are worked on in their places

@program(lambda: (np.array([0.7, -0.4, 1.3]),))
def tails_in_place(x):
    tails = [x[start:] * 1.0 for start in range(3)]
    tails[1] *= x[1:]
    tails[-1] += tails[0][0] * x[0]
    return sum((tail ** 2).sum() for tail in tails)


@program(lambda: ([np.array([0.7, -0.4, 1.3]), np.array([0.2, 0.9, -0.6])], np.array([1.1, 0.3, 0.5])))
def a_sum_in_place(xs, y):
    held = [np.sin(sum(xs)), y * 2.0]
    held[0] *= y
    held[-1] -= held[0]
    return np.sum(held[0] * held[1])


# ---- lists of numbers

@program(arguments)
def places_in_an_order(x, k):
    order = [*range(len(x)), 0]
    order[0], order[2] = order[2], order[0]
    ranked = sorted(range(len(x)), key=lambda place: x[place])
    ranked[0] = 1
    todo = sorted(range(len(x)))
    todo.remove(ranked[1])
    todo[0] = order[-1]
    first = sum(x[i] * (n + k) for n, i in enumerate(order))
    return first + sum(x[i] ** 2 * (n + 1) for n, i in enumerate(ranked)) + x[todo[0]] * x[todo[1]]


@program(lambda: (np.array([0.7, 0.4, 1.3]), 0.6))
def taken_out_by_value(x, k):
    """Also calls that change nothing: of a key that is not there, of a list with nothing to add."""
    parts = [v * k for v in x]
    parts.remove(max(parts))
    parts.remove(x[1] * k)
    parts.extend([])
    named = {"a": x * k, "b": parts}
    named.pop("c", None)
    named.pop("d", k)
    named["b"].append(named.pop("c", k * k))
    return sum(parts) * parts[0] + named["a"] @ x


@program(lambda: (normal(1, 5),))
def sums_of_what_the_last_turn_left(x):
    kept = []
    for epoch in range(3):
        losses = [epoch * v * v for v in x]
        if epoch == 1:
            kept = []
        for v in x:
            kept.append(v ** 3)
    return sum(losses) / len(losses) + sum(kept)


def doubled(values):
    values *= 2


@program(lambda: (0.7, [0.3, 0.5], 3))
def repeated_in_place(x, given, n):
    weights, found, own = [1.0], {"rows": [x]}, list(given)
    for _ in range(2):
        weights *= 2
    doubled(own)
    found["rows"] *= n
    found["rows"][0] *= x
    return x * sum(weights) + sum(found["rows"]) * own[2]


@program(lambda: (normal(1, 3),))
def item_becomes_its_sum(x):
    rows = [v * v for v in x]
    rows[0] = x * 2
    rows[0] = rows[0].sum()
    return rows[0]


def repeat(items, n):
    items *= n
    return items


@program(lambda: ([0.5, -1.2], normal(1, 2), 2))
def lists_in_place_of_which_more_come(b, x, n):
    rows, weights, pair = [x[0], x[1]], [0.0, 1.0], (x[1],)
    for i in range(2):
        rows *= n
        rows[i] = rows[-1] * x[0]
    weights *= 4
    weights[3] += x[1]
    pair *= 2
    b = list(b)
    c = repeat(b, n)
    b[-1] *= 3.0
    weights *= np.append(x, [c[0], b[1], *rows[:4]])
    return np.sum(weights) * sum(rows) * pair[1] * sum(v * v for v in b)


@program(lambda: (normal(1, 5), [1, 1, 1, 1, 1, 1, 1]))
def marks_in_a_list_at_steps(x, marks):
    prime, marks = [True] * 20, list(marks)
    for p in range(2, 5):
        prime[p * p::p] = [False] * len(prime[p * p::p])
        marks[::p] = [p] * len(marks[::p])
    return sum(x[p % len(x)] ** 2 for p in range(20) if prime[p]) * x[0] + sum(m * v for m, v in zip(marks, x))


@program(lambda: (normal(1, 5), 2))
def items_deleted_at_steps(x, n):
    squares, rows, turns = [v * v for v in x], {"a": [x * i for i in range(4)]}, 0.0
    del rows["a"][1::n]
    while len(squares) > 1:
        turns += sum(v * (i + 1) for i, v in enumerate(squares))
        del squares[::-n]
    return turns + squares[0] + np.sum(rows["a"][1] * rows["a"][-1]) * len(rows["a"])
