"""Functions that outlive the call that makes them: closures made in loops, in methods, in other closures, by decorators
that are applied inside."""
from __future__ import annotations

import functools

import numpy as np

import s2sgrad
from corpus.registry import normal, program


def make(a):
    def inner(x):
        return a * x
    return inner


def square(a):
    return lambda x: a * x ** 2


def line(a):
    def through(b):
        def inner(x):
            return a * x + b
        return inner
    return through


def compose(f, g):
    return lambda x: f(g(x))


def compose_all(*functions):
    def composed(x):
        for f in functions:
            x = f(x)
        return x
    return composed


def curry(f):
    return lambda a: lambda b: f(a, b)


def product(a, b):
    return a * b + a ** 2


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args):
        return 2.0 * f(*args)
    return wrapper


def scaled_by(k):
    def decorator(f):
        def wrapper(x):
            return k * f(x)
        return wrapper
    return decorator


def plain(x):
    return x ** 2


def both(w):
    def f(t):
        return w * t

    def g(t):
        return f(t) ** 2
    return f, g


def by_name(w):
    def f(t):
        return w * t

    def g(t):
        return f(t) ** 2
    return {"f": f, "g": g}


def to_the(a):
    def inner(x, k=2.0):
        return a * x ** k
    return inner


@program(lambda: (normal(1, 3), 1.5, 0.5))
def twice_nested(x, a, b):
    return np.sum(line(a)(b)(x) ** 2)


@program(lambda: (normal(1, 3), 1.5, 0.5))
def one_maker_for_two(x, a, b):
    through = line(a)
    f, g = through(b), through(b * b)
    return np.sum(f(x) * g(x))


@program(lambda: (normal(1, 3), 1.5))
def composed(x, a):
    h = compose_all(make(a), np.sin, lambda t: t * a, square(a))
    return np.sum(compose(h, make(a))(x))


@program(lambda: (normal(1, 3), 1.5))
def curried(x, a):
    return np.sum(curry(product)(a)(x))


@program(lambda: (normal(1, 3), normal(2, 3)))
def made_in_a_comprehension(x, ws):
    fs = [make(w) for w in ws]
    return sum(np.sum(f(x)) for f in fs)


@program(lambda: (normal(1, 3), 1.5))
def made_for_numbers(x, a):
    fs = [make(a * k) for k in range(1, 4)]
    return sum(np.sum(f(x) ** 2) for f in fs)


@program(lambda: (normal(1, 3), normal(2, 3)))
def made_and_appended(x, ws):
    fs = []
    for w in ws:
        fs.append(square(w))
    total = 0.0
    while fs:
        f = fs.pop()
        total = total + np.sum(f(x))
    return total


@program(lambda: (normal(1, 3), normal(2, 3)))
def made_in_each_turn(x, ws):
    for w in ws:
        f = make(w)
        x = np.sin(f(x))
    return np.sum(x)


@program(lambda: (normal(1, 3), 1.5, 3))
def made_in_the_first_turn(x, a, n):
    f = None
    for _ in range(n):
        if f is None:
            f = make(a)
        x = f(x)
    return np.sum(x)


@program(lambda: (normal(1, 3), 1.5))
def passive_ones_among_them(x, a):
    total = 0.0
    for k in range(3):
        f = compose(make(2.0 * k), make(a))
        g = make(0.5 * k)
        total = total + np.sum(f(x)) + np.sum(g(x)) * a
    return total


@program(lambda: (normal(1, 3), 1.5))
def decorated_inside(x, a):
    @doubled
    def f(t):
        return a * t ** 2

    @scaled_by(a)
    @doubled
    def g(t):
        return t ** 3
    return np.sum(f(x) * g(x))


@program(lambda: (normal(1, 3), 1.5))
def decorators_called(x, a):
    f = doubled(make(a))
    g = scaled_by(a)(plain)
    return np.sum(f(x) + g(x))


@program(lambda: (normal(1, 3), 1.5))
def makers_inside(x, a):
    def make_here(b):
        def inner(t):
            return a * b * t
        return inner
    make_there = lambda b: lambda t: a + b * t  # noqa: E731
    f, g, h = make_here(2.0), make_here(a), make_there(a)
    return np.sum(f(x) * g(x) * h(x))


@program(lambda: (normal(1, 2), 1.5))
def several_are_returned(x, a):
    f, g = both(a)
    named = by_name(a * a)
    return np.sum(f(x) * g(x)) + np.sum(named["f"](x) * named["g"](x))


class Rate:
    def __init__(self, rate):
        self.rate = rate

    def updater(self):
        def updated(p, g):
            return p - self.rate * g
        return updated


@program(lambda: (Rate(0.1), normal(1, 3)))
def made_by_a_method(o, p):
    for _ in range(3):
        updated = o.updater()
        p = updated(p, 2.0 * p)
    return np.sum(o.updater()(p, p) ** 2)


class Holder:
    def __init__(self, f):
        self.f = f

    def run(self, x):
        return self.f(x)


@program(lambda: (normal(1, 3), 1.5))
def kept_in_objects_and_dicts(x, a):
    total = 0.0
    for k in range(3):
        holder = Holder(make(a * k + 1.0))
        named = {"f": make(a), "g": square(a)}
        total = total + np.sum(holder.run(x) * holder.f(x)) + np.sum(named["f"](x) * named["g"](x))
    return total


@program(lambda: (normal(1, 3), 1.5))
def handed_on(x, a):
    total = 0.0
    for k in range(3):
        f = make(a * k + 1.0)
        if f(1.0) > 1.0 and callable(f):
            total = total + sum(map(f, x)) + functools.reduce(lambda p, q: p + f(q), x, 0.0) + min(x, key=f)
    return total


@program(lambda: (normal(1, 3), 1.5))
def defaults_of_made_functions(x, a):
    for _ in range(2):
        f = to_the(a)
        x = np.abs(f(x))
    return np.sum(x) + np.sum(f(x, 3.0)) + np.sum(f(x=x, k=1.0))


@program(lambda: (normal(1, 3), 1.5))
def differentiated_inside(x, a):
    total = 0.0
    for _ in range(2):
        f = make(a)
        total = total + s2sgrad.grad(lambda y: np.sum(f(y) ** 2))(x)[0]  # noqa: B023
    return total


@program(lambda: (normal(1, 3), 1.5, True))
def chosen_from_numpy(x, a, flag):
    f = np.sum if flag else np.mean
    g = np.sum if a > 1.0 else np.linalg.norm
    return f(x * a) ** 2 + g(x) * a


@program(lambda: (normal(1, 3), -1.5))
def chosen_by_its_name_and_called_inside(x, a):
    scaled = lambda v: v * a  # noqa: E731
    if a > 0.0:
        step = scaled
    else:
        def step(v):
            return v * v
    return functools.reduce(lambda total, v: total * 0.5 + step(v), list(x), a)


def holder(a):
    def put(i, v):
        a[i] += v

    def get():
        return a
    return put, get


def recorder():
    values = []

    def push(v):
        values.append(v)

    def total():
        return sum(values)
    return push, total


def chain(*functions):
    def chained(x):
        for function in functions:
            x = function(x)
        return x
    return chained


def twice(function):
    for place in range(2):
        function(place, 1.5)


@program(lambda: (normal(1, 3),))
def functions_that_share_an_array(x):
    u = 2.0 * x
    put, get = holder(u)
    before = np.sum(u * u)
    put(0, -0.6)
    twice(put)
    put(1, x[2])
    return before + np.sum(get() ** 2)


@program(lambda: (normal(1, 3),))
def functions_in_a_dict_that_share_an_array(x):
    u = 2.0 * x
    table = dict(zip(("put", "get"), holder(u)))
    before = np.sum(u * u)
    table["put"](0, 3.0)
    return before + table["get"]()[0] * x[1]


@program(lambda: (normal(1, 3),))
def functions_that_share_a_list(x):
    push, total = recorder()
    push(1.0)
    for v in x:
        push(v * v)
    return total() ** 2


@program(lambda: (normal(1, 3),))
def chained_without_anything_differentiated(x):
    squash = chain(np.sin, np.cos, lambda t: t * t)
    return np.sum(squash(x))


@program(lambda: (normal(1, 3),))
def second_names_that_functions_have(x):
    p = 1.0 * x
    q = p

    def g():
        q[0] = 3.0 * x[1]
    g()
    return np.sum(p ** 2)


def bent(w):
    def bow(y):
        return np.sin(w * y)
    return bow


@program(lambda: (normal(91, 3),))
def asked_for_their_names(x):
    found = [bent(v) for v in x]
    names = [found[0].__name__, (lambda y: y).__name__]
    scaled = functools.partial(np.multiply, x[0])
    named = bent(x[1]) if isinstance(scaled, str) or hasattr(scaled, "shape") else scaled
    return found[1](named(2.0)) * len("".join(names))


def tally(total):
    calls = 0

    def add(v):
        nonlocal total, calls
        calls += 1
        total = total + v
        return total
    return add, lambda: total * calls


@program(lambda: (np.array([0.7, 1.3, 0.4]),))
def asked_what_they_add_up(x):
    """What functions made elsewhere change, where no derivative of what they give is asked for."""
    add, total = tally(x[1])
    product = x[0]
    if add(x[2]) < 3.0:
        product = product * 1.1
    product = product * x[int(add(x[0]) > 5.0)]
    return product + total() ** 2
