"""Ways in which a list, a dict or a named tuple comes to be, changes of it, and uses that are made of it after them.

A way binds ``b`` from the array ``x`` and the integer ``k``, which is 2, and says by what else to get at it, or at what
it was made of: ``{o}`` in uses, which return a number or what holds numbers.
"""
from __future__ import annotations

HEADER = """
import copy
import functools
import itertools
import math
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

Pair = namedtuple('Pair', 'p q')


class Step(NamedTuple):
    p: float
    q: float = 2.0


class Box:
    def __init__(self, p, q):
        self.p = p
        self.q = q

    def total(self):
        return self.p + 2 * self.q

    def grow(self, w):
        self.p = self.p * w
        return self

    def trade(self):
        self.p, self.q = self.q, self.p

    def __call__(self, v):
        return self.p * v


@dataclass
class Point:
    p: float
    q: float = 2.0
    seen: list = field(default_factory=list)

    def total(self):
        return self.p + 2 * self.q

    def grow(self, w):
        self.p *= w
        self.seen.append(self.p)
        return self

    def trade(self):
        self.p, self.q = self.q, self.p


class Holder:
    def __init__(self, items):
        self.items = items

    @property
    def inside(self):
        return self.items

    def get(self):
        return self.items

    def add(self, v):
        self.items.append(v)

    def __getitem__(self, place):
        return self.items[place]

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)


def same(v):
    return v


def make(v):
    return [v, v * 2, 1.3]


def make_dict(v):
    return {'p': v, 'q': v * 2}


def filled(x, b=None):
    b = b or []
    for v in x:
        b.append(v)
    return b


def grown(x, k, b):
    if k == 0:
        return b
    b.append(x[k])
    return grown(x, k - 1, b)


def listed(x, k):
    return [1.0] if k == 0 else [*listed(x, k - 1), x[k] * k]


def perhaps(v, k):
    if k:
        return v


def add_to(b, v):
    b.append(v)


def change_first(b, v):
    b[0] = v
    return b


def put(d, key, v):
    d[key] = v


def scaled(b, w):
    return [v * w for v in b]


def total(b):
    s = 0.0
    for i, v in enumerate(b):
        s = s + (i + 1) * v
    return s


def total_of(d):
    s = 0.0
    for i, key in enumerate(d):
        s = s + (i + 1) * d[key]
    return s


def sums(o):
    return o.p * 3 + o.q


def set_p(o, v):
    o.p = v


def times(v, w):
    return v * w


def maker(w):
    def inner(v):
        return v * w
    return inner


def counter(w):
    count = w
    def inner(v):
        nonlocal count
        count = count + v
        return count
    return inner


def applied(f, v):
    return f(v)


def composed(f, g):
    return lambda v: f(g(v))
"""

WAYS_TO_LISTS = (
    ("b = [x[0], 2.0, x[1]]", "b"),
    ("b = [x[0], x[1] * 2]\no = b", "o"),
    ("b = [v * 2 for v in x]", "b"),
    ("b = list(x)", "b"),
    ("b = x.tolist()", "b"),
    ("b = make(x[0])", "b"),
    ("b = [x[0], 1.0] if k else [2.0]", "b"),
    ("o = [x[0], 1.0]\nb = o if k else [2.0]", "o"),
    ("b = None\nif k: b = [x[0], x[1], 3.0]", "b"),
    ("o = [x[0], 1.0]\nb = perhaps(o, k)", "o"),
    ("o = [x[0], 1.0]\nb = same(o)", "o"),
    ("rows = [[x[0], x[1]], [1.0, x[2]]]\nb = rows[k - 2]", "rows[0]"),
    ("rows = [[x[0], x[1]], [1.0, x[2]]]\nb = rows[-1]", "rows[1]"),
    ("rows = [[x[0]] * 2] * 2\nb = rows[0]", "rows[1]"),
    ("rows = [[0.0] * 2 for _ in range(2)]\nrows[0][1] = x[0]\nb = rows[0]", "rows[1]"),
    ("table = {'a': [x[0], x[1]]}\nb = table['a']", "table['a']"),
    ("table = {}\nb = table.setdefault('a', [x[0], 1.0])", "table['a']"),
    ("table = {}\nfor i in range(k): table.setdefault('a', []).append(x[i])\nb = table['a']", "table['a']"),
    ("table = defaultdict(list)\nfor i, v in enumerate(x): table[i % 2].append(v)\nb = table[0]", "table[1]"),
    ("table = {'a': [x[0], x[1]]}\nb = table.get('a', [])", "table['a']"),
    ("table = {'a': [x[0], x[1]]}\nb = table.pop('a')", "b"),
    ("kept = Holder([x[0], x[1]])\nb = kept.items", "kept.items"),
    ("kept = Holder([x[0], x[1]])\nb = kept.get()", "kept.items"),
    ("kept = Holder([x[0], x[1]])\nb = kept.inside", "kept.items"),
    ("kept = Holder([])\nfor v in x: kept.add(v)\nb = kept.items", "kept.get()"),
    ("kept = Holder(None)\nkept.items = b = [x[0], 1.0]", "kept.items"),
    ("o = [x[0], 1.0, x[1]]\nb = o[:]", "o"),
    ("o = [x[0], 1.0, x[1]]\nb = o[1:]", "o"),
    ("o = [x[0], 1.0, x[1]]\nb = o[::-1]", "o"),
    ("o = [x[0], 1.0, x[1]]\nb = o.copy()", "o"),
    ("o = [x[0], 1.0, x[1]]\nb = copy.copy(o)", "o"),
    ("o = [x[0], 1.0, x[1]]\nb = copy.deepcopy(o)", "o"),
    ("o = [x[0], 1.0]\nb = o + [x[1]]", "o"),
    ("o = [x[0], 1.0]\nb = o * 2", "o"),
    ("o = [x[0], 9.0, x[1]]\nb = sorted(o)", "o"),
    ("o = (x[0], 9.0, x[1])\nb = list(reversed(o))", "o"),
    ("o = (x[0], 1.0)\nb = [*o, x[2]]", "o"),
    ("o = [v for pair in zip(x, x[1:]) for v in pair]\nb = o", "o"),
    ("first, *b = x", "b"),
    ("first, *b = [1.0, x[0], x[1]]\no = b", "o"),
    ("b, o = [x[0], 1.0], [x[1], 2.0]", "o"),
    ("(b, o), n = ([x[0], 1.0], [x[1]]), 1", "o"),
    ("b = o = [x[0], 1.0]", "o"),
    ("rows = [[x[0], 1.0], [x[1], 2.0]]\nb = rows.pop()", "rows[0]"),
    ("rows = [[x[0], 1.0], [x[1], 2.0]]\nfor b in rows: pass", "rows[-1]"),
    ("rows = [[x[0], 1.0], [x[1], 2.0]]\nfor i, b in enumerate(rows):\n    if i == k - 2: break", "rows[0]"),
    ("rows = [[x[0], 1.0], [x[1], 2.0]]\nb = next(r for r in rows if r[1] > 1)", "rows[1]"),
    ("rows = [[x[0], 1.0], [x[1], 2.0]]\nb = max(rows, key=lambda r: r[1])", "rows[1]"),
    ("rows = [[x[0], 1.0], [x[1], 2.0]]\nb = sum(rows, [])", "rows[0]"),
    ("rows = ([x[0], 1.0], [x[1], 2.0])\nb, o = rows[::-1]", "rows[1]"),
    ("rows = {'a': [x[0], 1.0], 'b': [x[1], 2.0]}\nfor name, b in rows.items(): pass", "rows['b']"),
    ("rows = {'a': [x[0], 1.0], 'b': [x[1], 2.0]}\nb = list(rows.values())[0]", "rows['a']"),
    ("if (b := [x[0], 1.0]): pass", "b"),
    ("match k:\n    case 2: b = [x[0], 1.0]\n    case _: b = []", "b"),
    ("match [x[0], 1.0, x[1]]:\n    case [o, *b]: pass\n    case _: b = []", "b"),
    ("o = [x[0], 1.0]\nmatch o:\n    case [_, _] as b: pass\n    case _: b = []", "o"),
    ("b = None\ndef bind():\n    nonlocal b\n    b = [x[0], 1.0]\nbind()", "b"),
    ("b = filled(x)", "b"),
    ("o = [1.0]\nb = filled(x, o)", "o"),
    ("o = [1.0]\nb = grown(x, k, o)", "o"),
    ("b = listed(x, k)", "b"),
    ("b = []\nfor v in x: b += [v]", "b"),
    ("b = []\nfor v in x: b = b + [v * v]", "b"),
    ("b = [0.0] * 3\nfor i in range(3): b[i] = x[i]", "b"),
    ("b = []\nwhile len(b) < k: b.append(x[len(b)])", "b"),
    ("b = []\nb.extend(v * 2 for v in x)", "b"),
    ("b = list(map(lambda v: v * v, x))", "b"),
    ("b = [x[i] for i in range(k)]\no = list(zip(b, b))", "[w for _, w in o]"),
    ("try:\n    b = [x[0] / (k - 2 or 1), 1.0]\nexcept ZeroDivisionError:\n    b = [2.0]", "b"),
    ("o = Point(x[0])\no.seen.append(x[1])\nb = o.seen", "o.seen"),
    ("o = Pair([x[0], 1.0], 2.0)\nb = o.p", "o.p"),
    ("o = Pair([x[0], 1.0], 2.0)\nb, _ = o", "o.p"),
    ("b = (lambda q: [q[0], q[1]])(x)", "b"),
    ("b = deque([x[0], 1.0, x[1]])\no = list(b)", "o"),
    ("b = list(deque([x[0], 1.0, x[1]], maxlen=2))", "b"),
    ("b = [x[0], None, 'a']\nb = b[:1] * k", "b"),
    ("queue = deque([[x[0], 1.0], [x[1], 2.0]])\nb = queue.popleft()", "queue[0]"),
    ("b = list(itertools.accumulate(x))", "b"),
    ("b = list(itertools.chain([x[0]], [1.0]))", "b"),
    ("b = (o := [x[0], 1.0])", "o"),
    ("b = [] or [x[0], 1.0]", "b"),
    ("o = []\nb = o or [x[0], 1.0]", "o"),
)
CHANGES_OF_LISTS = (
    "pass",
    "b.append(x[2] * 3)",
    "b[0] = x[1] * x[2]",
    "b[0] *= x[1]",
    "b[-1] += 1.0",
    "b[k - 1] = x[2]",
    "b += [x[2]]",
    "b = b + [x[2]]",
    "b.extend([x[2], 1.0])",
    "b.insert(0, x[2])",
    "b.pop()",
    "b.append(b.pop(0))",
    "del b[0]",
    "b.reverse()",
    "b.sort()",
    "b.sort(key=lambda v: -v)",
    "b[:] = [v * 2 for v in b]",
    "b[:1] = [x[2], 1.0]",
    "b[1:] = []",
    "b *= 2",
    "b.clear()\nb.append(x[2])",
    "b[0], b[1] = b[1], b[0]",
    "add_to(b, x[2])",
    "change_first(b, x[2])",
    "b = change_first(b, x[2])",
    "b = scaled(b, x[2])",
    "c = b\nc.append(x[2])",
    "c = b\nc[0] = c[0] * x[2]",
    "c = b\nb = [x[2]]\nc.append(1.0)",
    "c = b[:]\nc[0] = x[2]",
    "c = [b, b]\nc[0].append(x[2])",
    "c = {'r': b}\nc['r'][0] *= 2.0",
    "for i in range(len(b)): b[i] = b[i] ** 2",
    "for i, v in enumerate(b): b[i] = v * x[2]",
    "for i in range(k): b.append(b[-1] * x[2])",
    "while len(b) > 1: b[0] += b.pop()",
    "while len(b) < 6: b.append(b[0] * b[-1])",
    "if x[0] > 0: b.append(x[2])",
    "if x[0] > 0: b = [x[2], x[1]]",
    "if x[0] < 0: b.append(x[2])",
    "def g(): b.append(x[2])\ng()",
    "def g(v): b[0] = v * b[0]\ng(x[2])",
    "h = Holder(b)\nh.add(x[2])",
    "h = Holder(b)\nh.items = h.items + [1.0]",
    "try:\n    b[9] = 1.0\nexcept IndexError:\n    b[0] = x[2]",
    "c = list(b)\nb.clear()\nb.extend(c[::-1])",
    "b = b[1:] + b[:1]",
    "b = [b[-1], *b]",
    "b = tuple(b)",
    "b = sorted(b, reverse=True)",
    "p, b[0] = b[0], x[2]",
    "[b.append(v) for v in x[:2]]",
)
USES_OF_LISTS = (
    "return total(b)",
    "return total(b) + 0.3 * total({o})",
    "return b[0] * b[-1]",
    "return sum(b) * {o}[0]",
    "return sum(v * v for v in b)",
    "return np.sum(np.array(b) ** 2)",
    "return np.array(b) @ np.arange(len(b))",
    "s = 0.0\nfor v in b: s += v * v\nreturn s",
    "s = 0.0\nfor i, v in enumerate(b, 1): s += v * i\nreturn s",
    "s = 0.0\nfor v, w in zip(b, b[1:]): s += v * w\nreturn s + b[0]",
    "s = 0.0\nfor v, w in zip(b, {o}): s += v * w\nreturn s",
    "s = 0.0\nfor i in range(len(b)): s += b[i] * b[-1 - i] * (i + 1)\nreturn s",
    "return max(b) * 2 + min(b)",
    "return b[0] if len(b) > 2 else b[-1] * 2",
    "return b[0] * 2 if x[1] in b else b[-1] * 3",
    "return b[0] if b == {o} else b[-1] * 2",
    "return b[0] if b is {o} else b[-1] * 2",
    "print(len(b), b[0] > 0)\nreturn total(b)",
    "print(b)\nreturn total(b)",
    "print(f\"{b[0]:.2f} {len({o})}\")\nreturn total({o})",
    "return max(*b, 0.0)",
    "return sum([v for v in b if v > 0.6]) + 0 * x[0]",
    "h = []\nfor i in range(3):\n    h.append(list(b))\n    b[0] = b[0] * 0.5\nreturn h[0][0] * h[2][0] + total(b)",
    "h = []\nfor i in range(3):\n    h.append(b)\n    b[0] = b[0] * 0.5\nreturn h[0][0] * h[2][0] + total(b)",
    "h = []\nfor i in range(3):\n    h.append(b[0])\n    b[0] = b[0] * x[1]\nreturn sum(h)",
    "first, *rest = b\nreturn first * 2 + sum(rest)",
    "s = 0.0\nwhile b: s = s * 0.5 + b.pop()\nreturn s",
    "s = 1.0\nwhile len(b): s *= b.pop(0)\nreturn s + len({o})",
    "return total(b), b[0]",
    "return b",
    "return [b, x[0]]",
    "return {'r': b, 's': sum(b)}",
    "return np.array(b)",
    "return total(sorted(b))",
    "return total([*b, *{o}])",
    "return total(b + [x[0]])",
    "return total(b[::-1])",
    "return total(scaled(b, x[1]))",
    "return functools.reduce(lambda p, q: p * q + p, b)",
    "return sum(map(times, b, b))",
    "return np.linalg.norm(b)",
    "return np.mean(b) * len({o})",
    "c = b\nc[0] = x[2]\nreturn total(b)",
    "return total(change_first(b, x[2])) + {o}[0]",
    "return total(Holder(b)) + Holder(b)[0]",
    "return sum(Holder({o}).get())",
    "return dict(enumerate(b))[0] * 2",
    "d = {i: v for i, v in enumerate(b)}\nreturn d[0] * d[len(d) - 1]",
    "assert b, 'none'\nreturn b[0] ** 2",
    "try:\n    return b[5] * 2\nexcept IndexError:\n    return b[0] * 3",
    "x[0] = 9.0\nreturn total(b)",
    "x *= 2\nreturn total(b) * x[0]",
    "return sum(itertools.accumulate(b))",
    "return sum(v * w for v, w in itertools.product(b, b))",
    "match b:\n    case [p]: return p\n    case [p, q]: return p * 2 + q\n    case [p, *r]: return p * 3 + sum(r)",
    "b.append(0.5)\nreturn total({o})",
    "return (lambda q: q[0] * q[-1])(b)",
    "def g(): return total(b)\nb[0] = 0.5 * x[1]\nreturn g()",
)

WAYS_TO_DICTS = (
    ("b = {'p': x[0], 'q': x[1]}", "b"),
    ("b = o = {'p': x[0], 'q': 2.0}", "o"),
    ("b = dict(p=x[0], q=2.0)", "b"),
    ("b = dict(zip(['p', 'q'], x))", "b"),
    ("b = {key: v for key, v in zip('pq', x)}", "b"),
    ("b = dict([('p', x[0]), ('q', 1.0)])", "b"),
    ("b = {}\nb['p'] = x[0]\nb['q'] = x[1]", "b"),
    ("b = {}\nfor key, v in zip('pqr', x): b[key] = v", "b"),
    ("b = make_dict(x[0])", "b"),
    ("o = make_dict(x[0])\nb = dict(o)", "o"),
    ("o = make_dict(x[0])\nb = dict(o, q=x[1])", "o"),
    ("o = make_dict(x[0])\nb = {**o, 'q': x[1]}", "o"),
    ("o = make_dict(x[0])\nb = o.copy()", "o"),
    ("o = make_dict(x[0])\nb = copy.copy(o)", "o"),
    ("o = make_dict(x[0])\nb = copy.deepcopy(o)", "o"),
    ("o = make_dict(x[0])\nb = o | {'q': x[1]}", "o"),
    ("o = make_dict(x[0])\nb = same(o)", "o"),
    ("o = make_dict(x[0])\nb = o if k else {'p': 1.0, 'q': 2.0}", "o"),
    ("o = make_dict(x[0])\nb = perhaps(o, k)", "o"),
    ("b = None\nif k: b = {'p': x[0], 'q': 1.0}", "b"),
    ("b = {'p': x[0], 'q': x[1]} if k else {}", "b"),
    ("table = {'a': {'p': x[0], 'q': x[1]}}\nb = table['a']", "table['a']"),
    ("table = {}\nb = table.setdefault('a', {'p': x[0], 'q': 1.0})", "table['a']"),
    ("table = {}\nfor key in 'pq': table.setdefault('a', {})[key] = x[0]\nb = table['a']", "table['a']"),
    ("table = defaultdict(dict)\ntable['a']['p'] = x[0]\ntable['a']['q'] = x[1]\nb = table['a']", "table['a']"),
    ("rows = [{'p': x[0], 'q': 1.0}, {'p': x[1], 'q': 2.0}]\nb = rows[k - 2]", "rows[0]"),
    ("rows = [{'p': v, 'q': 1.0} for v in x]\nb = rows[-1]", "rows[2]"),
    ("rows = [{'p': v, 'q': 1.0} for v in x]\nfor b in rows: b['q'] = b['p'] * 2", "rows[0]"),
    ("rows = [{'p': x[0], 'q': 1.0}, {'p': x[1], 'q': 2.0}]\nb = rows.pop(0)", "rows[0]"),
    ("rows = [{'p': x[0], 'q': 1.0}, {'p': x[1], 'q': 2.0}]\nb, o = rows", "rows[1]"),
    ("rows = [{'p': x[0], 'q': 1.0}, {'p': x[1], 'q': 2.0}]\nb = min(rows, key=lambda r: r['q'])", "rows[0]"),
    ("rows = [{'p': x[0], 'q': 1.0}, {'p': x[1], 'q': 2.0}]\nb = next(r for r in rows if r['q'] == k)", "rows[1]"),
    ("kept = Holder({'p': x[0], 'q': 1.0})\nb = kept.items", "kept.items"),
    ("kept = Holder({'p': x[0], 'q': 1.0})\nb = kept.inside", "kept.get()"),
    ("kept = Holder({})\nkept.items['p'] = x[0]\nkept.items['q'] = 2.0\nb = kept.get()", "kept.items"),
    ("b = defaultdict(float)\nfor i, v in enumerate(x): b['pq'[i % 2]] += v", "b"),
    ("b = OrderedDict(p=x[0], q=1.0)", "b"),
    ("b = {}\nfor i, v in enumerate(x): b['pq'[i % 2]] = b.get('pq'[i % 2], 0.0) + v", "b"),
    ("b = dict.fromkeys(['p', 'q'], 0.0)\nb['p'] += x[0]", "b"),
    ("if (b := {'p': x[0], 'q': 1.0}): pass", "b"),
    ("match k:\n    case 2: b = {'p': x[0], 'q': 1.0}\n    case _: b = {}", "b"),
    ("match {'n': x[2], 'p': x[0], 'q': x[1]}:\n    case {'n': n, **b}: pass\n    case _: b = {}", "b"),
    ("b = None\ndef bind():\n    nonlocal b\n    b = {'p': x[0], 'q': 1.0}\nbind()", "b"),
    ("def collect(**kwargs): return kwargs\nb = collect(p=x[0], q=x[1])", "b"),
    ("b = Pair(x[0], x[1])._asdict()", "b"),
    ("b = (lambda q: {'p': q[0], 'q': q[1]})(x)", "b"),
    ("try:\n    b = {'p': x[0], 'q': x[7]}\nexcept IndexError:\n    b = {'p': x[1], 'q': 1.0}", "b"),
    ("b = {}\nb.update(p=x[0], q=1.0)", "b"),
    ("b = {'p': 0.0, 'q': 0.0}\nfor i in range(k): b['p'] += x[i]; b['q'] = b['p'] * 2", "b"),
)
CHANGES_OF_DICTS = (
    "pass",
    "b['p'] = x[2] * 2",
    "b['p'] *= x[2]",
    "b['n'] = x[2]",
    "b['p'], b['q'] = b['q'], b['p']",
    "b.update(p=x[2])",
    "b.update({'q': x[2], 'n': 1.0})",
    "b.update([('n', x[2])])",
    "b |= {'p': x[2]}",
    "b = b | {'p': x[2]}",
    "b = {**b, 'p': x[2]}",
    "del b['p']\nb['p'] = x[2]",
    "b['p'] = b.pop('q')\nb['q'] = x[2]",
    "b['q'] = b.pop('n', x[2])",
    "b.setdefault('n', x[2])",
    "b.setdefault('p', x[2])",
    "for key in b: b[key] *= x[2]",
    "for key in list(b): b[key] = b[key] ** 2",
    "for key, v in b.items(): b[key] = v * x[2]",
    "for i, key in enumerate(sorted(b)): b[key] += i * x[2]",
    "put(b, 'p', x[2])",
    "put(b, 'n', x[2])",
    "c = b\nc['p'] = x[2]",
    "c = b\nc['n'] = x[2] * 2",
    "c = b\nb = {'p': x[2], 'q': 1.0}\nc['p'] = 3.0",
    "c = dict(b)\nc['p'] = x[2]",
    "c = [b]\nc[0]['p'] *= 2.0",
    "if x[0] > 0: b['p'] = x[2]",
    "if x[0] < 0: b['p'] = x[2]",
    "if x[0] > 0: b = {'p': x[2], 'q': x[1]}",
    "if 'p' in b: b['p'] = b['p'] * x[2]",
    "if b.get('n') is None: b['n'] = x[2]",
    "def g(): b['p'] = x[2]\ng()",
    "def g(key, v): b[key] = v * b['p']\ng('q', x[2])",
    "h = Holder(b)\nh.items['p'] = x[2]",
    "b = {key: v * x[2] for key, v in b.items()}",
    "b = {key: b[key] for key in sorted(b, reverse=True)}",
    "last = b.popitem()\nb['q'] = last[1] * x[2]",
    "b.clear()\nb['p'] = x[2]\nb['q'] = x[1]",
    "for i in range(k): b['p'] = b['p'] * x[2] + b['q']",
    "for i in range(k): put(b, 'p', b['p'] * x[2])",
    "while b['p'] < 1: b['p'] = b['p'] * 2 + 1",
    "b['pq'[k - 1]] = x[2]",
    "b['l'] = b['p'] = x[2]",
    "b['p'] = x * 2\nb['p'] = b['p'][2]",
)
USES_OF_DICTS = (
    "return total_of(b)",
    "return total_of(b) + 0.3 * total_of({o})",
    "return b['p'] * b['q']",
    "return b['p'] * {o}['q'] + {o}['p']",
    "return sum(b.values())",
    "return sum(v * v for v in b.values())",
    "return sum(b[key] for key in sorted(b))",
    "s = 0.0\nfor key, v in b.items(): s += v * v if key == 'p' else v\nreturn s",
    "s = 0.0\nfor key in b: s = s * 0.5 + b[key]\nreturn s",
    "s = 0.0\nfor (key, v), w in zip(b.items(), {o}.values()): s += v * w\nreturn s",
    "return max(b.values()) * len(b)",
    "return b[max(b, key=b.get)] * 2",
    "return b.get('n', x[0]) * 2",
    "return b['n'] if 'n' in b else b['p']",
    "return b['p'] if b == {o} else b['q']",
    "return b['p'] if b is {o} else b['q']",
    "print(b)\nreturn b['p'] * b['q']",
    "print(list(b), len({o}))\nreturn {o}['p'] * 2",
    "print(f\"{b['p']:.3f}\")\nreturn total_of(b)",
    "return make_dict(b['p'])['q'] * b['q']",
    "h = []\nfor i in range(3):\n    h.append(dict(b))\n    b['p'] = b['p'] * x[1]\nreturn h[0]['p'] * h[-1]['p']",
    "h = []\nfor i in range(3):\n    h.append(b)\n    b['p'] = b['p'] * x[1]\nreturn h[0]['p'] * h[-1]['p']",
    "return b",
    "return [b, {o}]",
    "return {'r': b, 's': sum(b.values())}",
    "return b['p'], list(b.values())",
    "return np.array(list(b.values()))",
    "return np.array([b['p'], b['q']]) @ x[:2]",
    "return np.sum([b[key] for key in b])",
    "p, q = b['p'], b['q']\nb['p'] = 7.0\nreturn p * q * b['p']",
    "p, q, *r = b.values()\nreturn p * 2 + q + sum(r)",
    "c = b\nc['p'] = x[2]\nreturn total_of(b)",
    "match b:\n    case {'n': n}: return n * 2\n    case {'p': p}: return p * 3",
    "try:\n    return b['n'] * 2\nexcept KeyError:\n    return b['p'] * 3",
    "x[0] = 9.0\nreturn total_of(b)",
    "return total(sorted(b.values()))",
    "return Box(**{key: b[key] for key in 'pq'}).total()",
    "def g(): return total_of(b)\nb['p'] = 0.5 * x[1]\nreturn g()",
    "return total_of({**b, **{o}})",
    "return total_of({v: key for key, v in enumerate(b)}) * b['p']",
    "return (b or {'p': 1.0})['p'] ** 2",
    "return sum(1.0 for key in b if key in {o}) * b['p']",
    "b['n'] = 0.5\nreturn total_of({o})",
)

WAYS_TO_TUPLES = (
    ("b = Pair(x[0], x[1])", "b"),
    ("b = Step(x[0])", "b"),
    ("b = Step(p=x[0], q=x[1])", "b"),
    ("b = Pair(*x[:2])", "b"),
    ("o = Pair(x[0], x[1])\nb = o._replace(q=x[2])", "o"),
    ("o = Step(x[0], x[1])\nb = o._replace(p=x[2] * 2)", "o"),
    ("b = Pair(**{'p': x[0], 'q': 1.0})", "b"),
    ("o = Pair(x[0], x[1])\nb = o if k else Pair(1.0, 2.0)", "o"),
    ("b = None\nif k: b = Step(x[0], x[1])", "b"),
    ("b = Pair(0.0, 0.0)\nfor v in x: b = Pair(b.q + v, b.p)", "b"),
    ("b = Step(0.0)\nfor v in x: b = b._replace(p=b.p + v)", "b"),
    ("rows = [Pair(v, 1.0) for v in x]\nb = rows[k - 2]", "rows[1]"),
    ("rows = [Pair(v, i) for i, v in enumerate(x)]\nb = max(rows)", "rows[1]"),
    ("rows = [Pair(v, i) for i, v in enumerate(x)]\nb = sorted(rows)[0]", "rows[1]"),
    ("rows = {'a': Pair(x[0], 1.0)}\nrows['a'] = rows['a']._replace(q=x[1])\nb = rows['a']", "rows['a']"),
    ("rows = [*map(Pair, x, x[::-1])]\nb = rows[1]", "rows[0]"),
    ("b = functools.reduce(lambda pair, v: Pair(pair.q, v), x, Pair(0.0, 1.0))", "b"),
    ("kept = Holder(Pair(x[0], 1.0))\nkept.items = kept.items._replace(p=x[1])\nb = kept.items", "kept.items"),
    ("match Pair(x[0], 1.0):\n    case Pair(p, q) as b: pass\n    case _: b = None", "b"),
)
CHANGES_OF_TUPLES = (
    "pass",
    "b = b._replace(p=x[2])",
    "b = b._replace(p=b.q, q=b.p)",
    "b = Pair(b.q, b.p * x[2])",
    "if x[0] > 0: b = b._replace(q=x[2])",
    "for i in range(k): b = b._replace(p=b.p * x[2] + b.q)",
    "c = b\nb = Pair(x[2], c[0])",
    "b = Pair(*b)",
    "b = type(b)(*[v * 2 for v in b])",
    "b = Pair(*(v * w for v, w in zip(b, x)))",
    "p, q = b\nb = b._replace(p=p * q)",
)
USES_OF_TUPLES = (
    "return b.p * b.q",
    "return b[0] * b[-1] * {o}.p",
    "return sum(b)",
    "return total(b) + total({o})",
    "p, q = b\nreturn p * 2 + q",
    "return times(*b)",
    "return b",
    "return b, {o}",
    "return np.array(b) @ x[:2]",
    "return b.p if b == {o} else b.q",
    "return b.p if b > {o} else b.q",
    "return b.p * len(b)",
    "return sum(v * w for v, w in zip(b, {o}))",
    "print(b._fields, b[0] > 0)\nreturn sums(b)",
    "print(b)\nreturn sums(b)",
    "return total_of(b._asdict())",
    "return total(sorted(b))",
    "match b:\n    case (p, q): return p * 2 + q",
    "h = [b]\nfor i in range(2): h.append(h[-1]._replace(p=h[-1].p * x[1]))\nreturn h[0].p * h[-1].p",
    "x[0] = 9.0\nreturn total(b)",
    "return functools.reduce(times, b)",
    "return max(b) * min({o})",
)
