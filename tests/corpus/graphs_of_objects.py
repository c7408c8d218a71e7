"""Objects that lead to one another: graphs of numbers, listeners, springs, states, and what has several names there."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from corpus.registry import normal, positive, program

# ---- graphs of objects

class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")
        def _backward():
            self.grad += (1 - t ** 2) * out.grad
        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()
        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)
        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()
    __radd__ = __add__
    __rmul__ = __mul__


@program(lambda: (0.3, 0.7))
def micrograd(x, y):
    a, b = Value(x), Value(y)
    c = (a * b + a).tanh() * 3.0
    c.backward()
    return a.grad * b.grad + c.data


class Node:
    """a tape"""
    def __init__(self, value):
        self.value, self.grad = value, 0.0


class Tape:
    def __init__(self):
        self.ops = []

    def mul(self, a, b):
        out = Node(a.value * b.value)
        def back():
            a.grad += b.value * out.grad
            b.grad += a.value * out.grad
        self.ops.append(back)
        return out

    def sin(self, a):
        out = Node(math.sin(a.value))
        def back():
            a.grad += math.cos(a.value) * out.grad
        self.ops.append(back)
        return out

    def backward(self, node):
        node.grad = 1.0
        for op in reversed(self.ops):
            op()


@program(lambda: (0.3, 0.7))
def tape(x, y):
    t = Tape()
    a, b = Node(x), Node(y)
    c = t.sin(t.mul(a, b))
    t.backward(c)
    return a.grad * b.grad


class Scale:
    def __init__(self, sim, s):
        self.sim, self.s = sim, s

    def __enter__(self):
        self.sim.k *= self.s
        return self

    def __exit__(self, *exc):
        self.sim.k /= self.s
        return False


class Oscillator:
    def __init__(self, k):
        self.k = k

    def f(self, x):
        return self.k * np.sin(x)


@program(lambda: (1.3, normal(1, 3)))
def manager_class(k, x):
    sim = Oscillator(k)
    with Scale(sim, 2.0) as m:
        y = sim.f(x) * m.s
    return np.sum(y + sim.f(x))


class Base:
    def __init__(self, x, **kw):
        super().__init__(**kw)
        self.x = x

    def energy(self):
        return np.sum(self.x ** 2)


class SpringMixin:
    def __init__(self, k=1.0, **kw):
        super().__init__(**kw)
        self.k = k

    def energy(self):
        return super().energy() * self.k


class DampMixin:
    def __init__(self, c=0.5, **kw):
        super().__init__(**kw)
        self.c = c

    def energy(self):
        return super().energy() + self.c


class Body(SpringMixin, DampMixin, Base):
    pass


@program(lambda: (normal(1, 3), 1.2, 0.4))
def mixins(x, k, c):
    return Body(x=x, k=k, c=c).energy()


class Wrapper:
    def __init__(self, inner, scale):
        self._inner, self.scale = inner, scale

    def __getattr__(self, name):
        return getattr(self._inner, name)


class Inner:
    def __init__(self, w):
        self.w = w

    def f(self, x):
        return self.w * x ** 2


@program(lambda: (1.3, normal(1, 3)))
def getattr_delegation(w, x):
    m = Wrapper(Inner(w), 2.0)
    return np.sum(m.f(x)) * m.scale + m.w


class Checked:
    def __init__(self, w):
        self.w = w

    def __setattr__(self, k, v):
        if k == "w":
            v = v * 2.0
        super().__setattr__(k, v)


@program(lambda: (1.3,))
def setattr_changes(w):
    c = Checked(w)
    c.w = c.w + 1
    return c.w ** 2


# ---- who holds what

class Cell:
    def __init__(self, v):
        self.v = v
        self.children = []

    def link(self, other):
        self.children.append(other)
        return other

    def total(self):
        return self.v + sum(c.total() for c in self.children)

    def scale(self, k):
        self.v = self.v * k
        for c in self.children:
            c.scale(k)


@program(lambda: (0.3, 0.8))
def shared_node(a, b):
    shared = Cell(a * b)
    root, other = Cell(a), Cell(b)
    root.link(shared)
    other.link(shared)
    root.link(other)
    root.scale(2.0)
    return root.total() * other.total()


class Counter:
    def __init__(self, x):
        self.x, self.n = x, 0

    def next(self):
        self.n += 1
        self.x = self.x * 1.1
        return self.x


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


@program(lambda: (0.3,))
def order_of_evaluation(x):
    c = Counter(x)
    holders = [c, c]
    p = Pair(b=holders[0].next(), a=holders[1].next() * c.x)
    t = (c.x, c.next(), c.x, holders[0].n)
    d = {"a": c.next(), "b": c.x * 2}
    return p.a * 3 + p.b + t[0] * t[1] + 5 * t[2] * t[3] + d["a"] - c.next() * d["b"] + c.x


@program(lambda: (0.6, 0.7))
def swap_attributes(a, b):
    p, q = Pair(a, b), Pair(b, a * b)
    ps = [p, q]
    for _ in range(3):
        ps[0].a, ps[0].b = ps[0].b, ps[0].a * p.b
        p.a, q.a = q.a, p.a
        ps = ps[::-1]
    return p.a + 2 * p.b + 3 * q.a + 4 * q.b


class Buf:
    def __init__(self, u):
        self.u = u
        self.v = u
        self.hist = []

    def add(self, k):
        self.u += k
        self.hist.append(self.u.sum())

    def replace(self, k):
        self.u = self.u + k


@program(lambda: (normal(1, 3), 0.4))
def two_names_of_an_array(x, k):
    b = Buf(x.copy())
    c = [b, Buf(b.v)]
    c[0].add(k)
    c[1].add(2 * k)
    c[0].replace(k)
    c[0].add(3 * k)
    return np.sum(b.u * b.v ** 2) + np.sum(c[1].u) + sum(b.hist) * c[1].hist[0]


class Buf2:
    def __init__(self, u):
        self.u = u
        self.v = u

    def add(self, k):
        self.u += k * self.v


@program(lambda: (0.5, 0.4))
def two_names_of_a_number(x, k):
    b = Buf2(x)
    c = [b, Buf2(b.v)]
    for o in c:
        o.add(k)
    c[0].add(3 * k)
    return b.u * b.v ** 2 + c[1].u * 7


@program(lambda: (normal(1, 4),))
def break_and_continue(x):
    a, b = Counter(x[0]), Counter(x[1])
    cs = [a, b]
    for i in range(10):
        if cs[0].next() > 1.2:
            break
        if i % 2 == 0:
            continue
        cs[1].x = cs[1].x + a.x
        a.n += 1
    return a.x * b.x + a.n


class Env:
    def __init__(self):
        self.listeners = {}
        self.sent = []

    def on(self, name, f):
        self.listeners.setdefault(name, []).append(f)

    def emit(self, name, *args):
        for f in self.listeners.get(name, []):
            f(*args)
        self.sent.append(name)


class Acc:
    def __init__(self, env, g):
        self.env, self.g, self.total = env, g, 0.0
        env.on("tick", self.tick)
        env.on("tock", lambda v: self.tock(v, scale=2.0))

    def tick(self, v):
        self.total += self.g * v

    def tock(self, v, *, scale):
        self.total -= v * scale


@program(lambda: (0.5, 0.4))
def events(x, g):
    env = Env()
    a, b = Acc(env, g), Acc(env, g * 2)
    for i in range(3):
        env.emit("tick", x * i)
    env.emit("tock", x ** 2)
    return a.total * b.total + len(env.sent)


@dataclass
class Particle:
    x: np.ndarray
    v: np.ndarray
    trail: list = field(default_factory=list)

    def push(self, f, dt):
        self.v += dt * f
        self.x += dt * self.v
        self.trail.append(self.x.copy())


class Spring:
    def __init__(self, a, b, k):
        self.a, self.b, self.k = a, b, k

    def force(self):
        return -self.k * (self.a.x - self.b.x)

    def apply(self, dt):
        f = self.force()
        self.a.push(f, dt)
        self.b.push(-f, dt)


@program(lambda: (normal(1, 2), normal(2, 2), normal(3, 2), 1.3))
def springs(p, q, r, k):
    ps = [Particle(z.copy(), np.zeros(2)) for z in (p, q, r)]
    ss = [Spring(ps[0], ps[1], k), Spring(ps[1], ps[2], 2 * k)]
    for _ in range(4):
        for s in ss:
            s.apply(0.05)
    return sum(np.sum(o.x ** 2) for o in ps) + np.sum(ps[1].trail[2])


# ---- steps by state

class Machine:
    def __init__(self, x):
        self.x = x
        self.state = self.grow
        self.n = 0

    def grow(self):
        self.x = self.x * 1.5
        if self.n > 1:
            self.state = self.shrink

    def shrink(self):
        self.x = np.sin(self.x)

    def run(self, n):
        for _ in range(n):
            self.state()
            self.n += 1
        return self.x


@program(lambda: (0.3,))
def state_methods(x):
    return Machine(x).run(5)


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)

    def __bool__(self):
        return len(self.items) > 0


@program(lambda: (0.3, 0.8))
def stack_machine(a, b):
    st = Stack()
    for tok in ["a", "b", "*", "a", "+", "sin"]:
        if tok == "a":
            st.push(a)
        elif tok == "b":
            st.push(b)
        elif tok == "sin":
            st.push(np.sin(st.pop()))
        else:
            y, x = st.pop(), st.pop()
            st.push(x * y if tok == "*" else x + y)
    return st.pop()


class Account:
    def __init__(self, balance):
        self._balance = balance
        self.n = 0

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, v):
        if v < 0:
            raise ValueError("no")
        self.n += 1
        self._balance = v

    def deposit(self, a):
        self.balance += a
        return self

    def interest(self, r):
        self.balance *= 1 + r
        return self

    def withdraw(self, a):
        if a > self.balance:
            return False
        self.balance -= a
        return True


@program(lambda: (3.0, 0.1))
def withdraw_loop(b, w):
    acc = Account(b)
    while acc.withdraw(w + 0.5):
        w = w * 1.1
    return acc.balance


class Held:
    def __init__(self, u, v):
        self.u = u
        self.v = v


def larger(u, v):
    return u if u[0] > v[0] else v


def leaned(u, rate):
    u[0] += rate * u[1]


@program(lambda: (np.array([0.5, 1.2, 0.9]), 0.7), needs="shapes")
def turns_over_names_that_they_bind_anew(x, rate):
    a = np.cos(x)
    b = np.cos(x)
    held = Held(a, x)
    a = np.array(b)
    for a in [b, a]:  # noqa: B020
        b = held.v if x[0] > 0.2 else held.v + a
        leaned(a, rate)
        a = larger(np.where(held.u > 0, b, 0.3 * x), np.where(held.u > 0, held.u, 0.3 * a))
    return x @ b + a[0]


@program(lambda: (0.7,))
def texts_that_are_known(x):
    a = Value(x)
    weights = {"w01": x, "w02": 2.0 * x}
    factor = 1.0
    if x > 100.0:
        factor = 2.0 * "abc".index("z")  # which Python would raise an error for
    b = (a * a + a) * factor * len("a-b".split("-"))
    for i in (1, 2):
        b = b * weights[f"w{i:02d}"]
    b.backward()
    return a.grad * b.data


class Matrix:
    def __init__(self, a):
        self.a = np.array(a)

    def __getitem__(self, place):
        return self.a[place]

    def __setitem__(self, place, values):
        self.a[place] = values

    def eliminated(self):
        u = Matrix(self.a)
        for k in range(2):
            for i in range(k + 1, 3):
                u[i, k] = u[i, k] / u[k, k]
                u[i, k + 1:] = u[i, k + 1:] - u[i, k] * u[k, k + 1:]
        return u


@program(lambda: (positive(1, 3, 3),))
def slices_as_arguments(a):
    u = Matrix(a).eliminated()
    return u[0, 0] * u[1, 1] * u[2, 2] + np.sum(u[2, :2] ** 2)


class Slots:
    def __init__(self, values):
        self.values = list(values)
        self.itself = self

    def __getitem__(self, place):
        return self.values[place]

    def __setitem__(self, place, v):
        self.values[place] = v


def slot():
    print("slot")
    return 1


@program(lambda: (normal(1, 3),))
def places_asked_for_once(x):
    slots = Slots(x)
    others = [slots, Slots(x * 2)]
    others[0].itself[slot()] += x[0]
    others[1].itself[slot()] *= x[0]
    return slots.values[1] * others[1].values[1]


class Child:
    def __init__(self, parent, w):
        self.parent = parent
        self.w = w

    def value(self, x):
        return np.sum(self.w * x) * self.parent.scale


class Parent:
    def __init__(self, scale):
        self.scale = scale
        self.children = [Child(self, 1.0), Child(self, scale)]
        self.method = self.value
        self.function = lambda x: self.scale * np.sum(x)

    def value(self, x):
        return sum(child.value(x) for child in self.children)


@program(lambda: (normal(1, 3), 1.5))
def changed_once_it_holds_itself(x, s):
    """In its children, and in functions that it keeps: what these read is what it has by then."""
    parent = Parent(s)
    before = parent.value(x) + parent.method(x) * parent.function(x)
    parent.scale = parent.scale * 3.0
    return before + parent.value(x) * parent.method(x) + parent.function(x) ** 2


class Kept:
    def __init__(self, k):
        self.method = self.force
        self.k = k

    def force(self, x):
        return self.k * np.sum(x ** 2)


@program(lambda: (normal(1, 3), 1.5))
def differentiated_only_once_it_holds_itself(x, s):
    kept, other = Kept(2.0), Kept(x[0])
    kept.k = s
    return kept.method(x) * other.method(x)


class Linked:
    def __init__(self, v):
        self.v = v
        self.next = None
        self.before = None


@program(lambda: (1.5, 2.0))
def linked_both_ways(x, y):
    a, b = Linked(x), Linked(y)
    a.next = b
    b.before = a
    a.v = a.v * 2.0
    return b.before.v * b.v + a.next.before.v ** 2


class Started:
    def __init__(self, k):
        self.k = k

    def start(self, c):
        self.force = lambda x: self.k * c * np.sum(x ** 2)


@program(lambda: (normal(1, 3), 1.5))
def functions_kept_by_a_method(x, s):
    system = Started(s)
    system.start(x[0])
    return system.force(x) ** 2


class Keeper:
    def __init__(self, u):
        self.u = u


@program(lambda: (np.array([0.5, 0.7, 0.9]), 0.3))
def a_view_of_what_an_object_has(x, c):
    u = x * 1.0
    keeper = Keeper(u)
    u.reshape(-1)[0] = 0.7 * c
    return keeper.u.sum() * u[0] * u[1]


class Mated:
    def __init__(self, x):
        self.x = x
        self.mate = None


@program(lambda: (np.array([0.5, 0.7, 0.9]), 1))
def its_own_mate(xs, i):
    """An object of a list that is in an attribute of itself."""
    group = [Mated(x) for x in xs]
    group[i].mate = group[i]
    return sum(one.x * one.mate.x for one in group if one.mate is not None) + group[0].x ** 2


@program(lambda: (np.array([0.5, 0.7, 0.9]), 0.3))
def mates_of_known_items(xs, c):
    group = [Mated(xs[0]), Mated(xs[1] * c)]
    one = group[1]
    one.mate = one
    total = one.mate.x * c
    for _ in range(2):
        if one.x != group[0].x:
            total = total * one.x
    return total + sum(one.x * k for k, one in enumerate(group))


class Split:
    def __init__(self, at, left, right, value):
        self.at = at
        self.left = left
        self.right = right
        self.value = value


def grown(x, y, depth):
    if depth == 0 or len(y) < 2:
        return Split(0.0, None, None, y.mean())
    at = x.mean()
    low = x <= at
    return Split(at, grown(x[low], y[low], depth - 1), grown(x[~low], y[~low], depth - 1), 0.0)


def found_in(split, v):
    if split.left is None:
        return split.value
    return found_in(split.left if v <= split.at else split.right, v)


@program(lambda: (normal(1, 5),))
def tree_whose_nodes_get_their_values_last(y):
    x = np.array([0.0, 1.0, 2.0, 4.0, 5.0])
    tree = grown(x, y, 2)
    return sum((found_in(tree, v) - 0.5) ** 2 for v in x)
