"""Ways in which a number or an array comes to be, and uses that are made of it: each way goes with each use.

Defects lie where two mechanisms meet that were never seen together. A way binds ``b`` from the array ``x`` and the
integer ``k``, which is 2; a use returns a number made of ``b``.
"""
from __future__ import annotations

HEADER = """
import functools
import itertools
import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

CALLS = []
OUTER = 1.0
Pair = namedtuple("Pair", "x y")


class Box:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v * 2


class Doubled(Box):
    def __init__(self, v):
        super().__init__(v)
        self.n = None

    @property
    def perhaps(self):
        return self.v if np.sum(self.v) > -9 else None


class Chooser:
    def __init__(self, x, k):
        self.x, self.k, self.best = x, k, None

    def pick(self):
        for i in range(self.k - 1):
            if self.best is None or self.x[i] > self.best:
                self.best = self.x[i]
        return self.best


@dataclass
class Point:
    x: float
    y: float

    def norm(self):
        return self.x ** 2 + self.y ** 2


def counted():
    CALLS.append(1)
    return len(CALLS)


def helper(v, w):
    return v * w + v


def perhaps(v, k):
    if k:
        return v


def again(v, k):
    return v if k == 0 else again(v * 1.5, k - 1)


def given(v):
    yield from (w for w in v)


def noted(v):
    global OUTER
    OUTER = v
    return OUTER


def put(v):
    v[0] = 2.0
    return v


def twice(v):
    return v * 2


def same(v):
    return v
"""

WAYS_TO_A_NUMBER = (
    "b = x[0] if k else counted()",
    "b = None\nif k: b = x[0]",
    "b = x[0] if k else 'a'",
    "table = {'a': x[0], 'n': 'name'}\nb = table['a' if k else 'n']",
    "b = None\nfor value in x[:k]:\n    if b is None or value > -9: b = value",
    "b = perhaps(x[0], k)",
    "box = Box(None)\nif k: box.v = x[0]\nb = box.v",
    "items = [None, 1.0]\nif k: items[0] = x[0]\nb = items[0]",
    "b = 0\nif k: b = x[0]",
    "b = k and x[0]",
    "b = False\nif k: b = x[0]",
    "for b in x[:k - 1]: pass",
    "try:\n    b = x[0] / (k - 2 or 1)\nexcept ZeroDivisionError:\n    b = 2.0",
    "try:\n    b = x[k + 7]\nexcept IndexError:\n    b = x[0]",
    "table = {'a': x[0], 'b': x[1]}\nb = table[['a', 'b'][k - 2]]",
    "b = x[k - 2]",
    "b = [x[0], 1.0][k - 2]",
    "items = [x[0]]\nb = items.pop()",
    "b = x[0] if k else x",
    "b = np.array(x[0])",
    "b = x[:1].reshape(())",
    "b = np.array(x[0]) if k else 1.0",
    "b = float(x[0])",
    "b = x[0].item()",
    "b = x.tolist()[0]",
    "b = sum(x[:1].tolist())",
    "b = again(x[0], k)",
    "b = None\ndef bind():\n    nonlocal b\n    b = x[0]\nbind()",
    "b = next(value for value in x)",
    "b = max(x[0], -9.0)",
    "if (b := x[0]) is None: b = 3.0",
    "b, *others = x",
    "[b] = [value for value in x[:1]]",
    "b = Doubled(x[0]).perhaps",
    "b = 0.0\nwhile b < 0.4: b = b + x[0]",
    "b = (x[0] + 0j).real",
    "b = int(x[1]) * x[0]",
    "items = [1, x[0]]\nb = items[k - 1]",
    "items = [None, x[0]]\nb = items[k - 1]",
    "items = ['a', x[0]]\nb = items[k - 1]",
    "for label, b in [('a', 1.0), ('b', x[0])]: pass",
    "for label, b in {'a': 1, 'b': x[0]}.items(): pass",
    "for label, b in zip(['p'], x): pass",
    "for label, b in {'a': None, 'b': x[0]}.items(): pass",
    "for b in given(x): break",
    "b = [*given(x)][0]",
    "b = functools.partial(helper, x[0])(0.0)",
    "b = noted(x[0])",
    "b = Box(x[0]).get() / 2",
    "b = (lambda q: q[0] if k else None)(x)",
    "def chosen(q):\n    if k: return q[0]\n    return 'none'\nb = chosen(x)",
    "b = (x[0] if k > 1 else None) if k else 1",
    "b = {}.get('a', x[0])",
    "made = Doubled(x[0])\nb = made.v",
    "b = Chooser(x, k).pick()",
    "b = np.zeros(2)\nb[k - 2] = x[0]\nb = b[0]",
    "items = []\nfor value in x: items.append(value)\nb = items[0]",
    "items = [None] * 3\nfor place, value in enumerate(x): items[place] = value\nb = items[0]",
    "b = sorted([x[0], 9.0, 8.0])[0]",
    "b = functools.reduce(lambda first, second: first + second, [x[0], 0.0])",
    "match k:\n    case 2: b = x[0]\n    case _: b = None",
)

USES_OF_A_NUMBER = (
    "u = np.zeros(3); u[0] = b; return u.sum()",
    "u = np.zeros(3); u[:] = b; return u.sum()",
    "u = np.zeros(3); u[1:] += b; return u.sum()",
    "u = np.ones(3); u *= b; return u.sum()",
    "u = np.zeros(3); u.fill(b); return u.sum()",
    "u = np.zeros(3); np.copyto(u, b); return u.sum()",
    "u = np.zeros(3); np.put(u, 0, b); return u.sum()",
    "u = np.zeros(3); np.add.at(u, 0, b); return u.sum()",
    "u = np.zeros(3); u[[0, 2]] = b; return u.sum()",
    "u = np.zeros(3); u[u == 0] = b; return u.sum()",
    "u = np.zeros(3); np.multiply(b, 2.0, out=u); return u.sum()",
    "u = np.zeros((2, 2)); u[0] = [b, 1.0]; return u.sum()",
    "u = np.zeros((2, 2)); u[:, 0] = b, 2 * b; return u.sum()",
    "u = np.zeros(3); u[0], u[1] = b, b * b; return u.sum()",
    "l = [b, 1.0]; l[1] = b; return l[0] * l[1]",
    "l = [0.0]; l[0] += b; return l[0]",
    "d = {}; d['a'] = b; return d['a'] * 2",
    "d = {'a': 0.0}; d['a'] += b; return d['a']",
    "s = 0.0\nfor v in [b, 1.0]:\n    s += v * v\nreturn s",
    "s = 0.0\nfor i, v in enumerate((b, 1.0)):\n    s += v * i + v\nreturn s",
    "s = 0.0\nfor v, w in zip([b, 1.0], [2.0, b]):\n    s += v * w\nreturn s",
    "p, q = b, 1.0; return p * q",
    "p, *q = b, 1.0, b; return p * q[1]",
    "return sorted([b, -9.0])[1] * 2",
    "return min(b, 9.0) * max([b, -9.0])",
    "return functools.reduce(lambda p, q: p * q, [b, 2.0, b])",
    "return sum(v * v for v in [b, 1.0])",
    "return sum(map(lambda v: v * 2, [b, 1.0]))",
    "return sum(filter(lambda v: v > -9, [b, 1.0]))",
    "return b if b is not None else 0.0",
    "return (b or 1.0) * 2",
    "return (b and 2.0 * b)",
    "b += 1.0; return b * b",
    "b = -b; return b * b",
    "b = b ** 2; return b",
    "return 2.0 ** b",
    "return b % 0.37",
    "return b // 0.37 + b",
    "return (lambda v=b: v * 2)()",
    "def g(v): return v * b\nreturn g(b)",
    "def g(): return b * 2\nreturn g()",
    "o = Box(b); return o.v * 2",
    "o = Box(1.0); o.v = b; return o.v * o.get()",
    "o = Box(1.0); o.v += b; return o.get()",
    "o = Point(b, 1.0); return o.x * o.y + o.norm()",
    "o = Pair(b, 1.0); return o.x * 2 + sum(o)",
    "o = Pair(b, 1.0)._replace(y=b); return o.x * o.y",
    "return helper(b, 2.0)",
    "return helper(v=b, w=b)",
    "return helper(*[b, 2.0])",
    "return helper(**{'v': b, 'w': 2.0})",
    "return functools.partial(helper, b)(2.0)",
    "s = f'{b}'; return b * len(s) * 0 + b",
    "print(end=''); return b * 1.0",
    "assert b is not None; return b * 2",
    "try:\n    s = b * 2\nexcept TypeError:\n    s = 0.0\nreturn s",
    "match b:\n    case None: return 0.0\n    case v: return v * 2",
    "if isinstance(b, float): return b * 2\nreturn 0.0",
    "if b is None: return 0.0\nreturn b * b",
    "while b is not None and b > 0.1: b = b * 0.5\nreturn b",
    "c = b; b = 2.0; return c * b",
    "l = []; l.append(b); l.extend([b, 1.0]); return l[0] * l[1] + l[-1]",
    "l = [b] * 3; return l[0] * l[2]",
    "l = [b] + [1.0]; return l[0] * 2",
    "l = [v for v in (b, 1.0) if v is not None]; return l[0] * 2",
    "t = (b, (1.0, b)); return t[1][1] * t[0]",
    "d = {'a': b, 'c': 1.0}; return sum(d.values())",
    "d = {'a': b}; d.update(c=b); return d['a'] * d['c']",
    "d = {key: v for key, v in [('a', b)]}; return d['a'] * 2",
    "return {'a': b}.get('a', 1.0) * 2",
    "return np.array([w for w in (b, 1.0)]).sum()",
    "return np.array([[b, 1.0], [b, 2.0]]).T[0].sum()",
    "return (np.array([b, 1.0]) * x[:2]).sum()",
    "return np.array([b, 1.0]) @ np.array([[b, 0.0], [1.0, 2.0]]) @ x[:2]",
    "return np.exp(np.array([b, x[1]])).sum() * b",
    "return np.stack([x[:2], np.array([b, 1.0])]).sum()",
    "return np.concatenate([x, [b]]).sum()",
    "return np.array([b, 1.0, 2.0])[k - 2]",
    "q = np.array([b, 1.0]); q[0] *= 2; return q.sum()",
    "q = np.array([b, 1.0]); q[:] = q[::-1] * b; return q[0]",
    "l = [np.array([b, 1.0])]; l[0][1] = b; return l[0].prod()",
    "return sum([np.array([b, 1.0]), np.array([2.0, b])])[0]",
    "return math.sqrt(b) * math.pow(b, 2.0) + math.atan2(b, 1.0)",
    "return math.dist([b, 1.0], [0.0, 0.0])",
    "return np.complex128(b).real",
    "return complex(b, 1.0).real * 2",
    "return float(b) ** 2",
    "return np.float64(b) ** 2",
    "return np.asarray(b) ** 2 + 0.0",
    "return np.sum(b) * np.mean(b)",
    "return np.max(b) + np.prod(b)",
    "return np.array([b]).item() * 2",
    "return np.array(b).tolist() * 2",
    "return (b > 0) * b",
    "return np.where(b > 0, [b, 1.0], [2.0, b]).sum()",
    "return np.select([np.array([True, False])], [np.array([b, 1.0])], b).sum()",
    "return np.dot(b, b) + np.multiply(b, 2.0)",
    "return np.linalg.norm(np.array([b, 1.0]))",
    "return np.add(*[b, 2.0]) + np.hypot(*(b, 1.0))",
    "return np.add.reduce(np.array([b, 2.0]))",
    "return np.interp(0.5, [0.0, 1.0], [b, 2.0])",
    "return np.polyval(np.array([b, 1.0]), b)",
    "return [v for v in [b]][0] * 2",
    "return next(iter([b, 1.0])) * 2",
    "return [*map(np.sin, [b, 1.0])][0]",
    "return (b, 1.0)[0] * 2",
    "return dict(a=b)['a'] * 2",
    "return list((b, 1.0))[0] * 2",
    "return tuple([b, 1.0])[0] * 2",
    "return [b, 1.0][::-1][1] * 2",
    "return [b, 1.0].pop(0) * 2",
    "return max([b, -9.0], key=lambda v: v) * 2",
    "return max(b, -9.0, key=abs) * 0 + b",
    "return sum(sorted([b, 1.0], key=lambda v: -v))",
    "return sum([[b], [1.0]], [])[0] * 2",
    "return list(itertools.accumulate([b, 2.0]))[-1]",
    "return list(itertools.chain([b], [1.0]))[0] * 2",
    "return np.array([b, 1.0]).sum()",
    "return np.array([[b, 1.0], [2.0, b]]).sum()",
    "return np.asarray([b, 1.0]).sum()",
    "return np.array((b, 1.0)).sum()",
    "return np.array([b]*2).sum()",
    "return np.array([v for v in [b, 1.0]]).sum()",
    "return np.array(b).sum()",
    "return np.float64(b) * 2",
    "return float(b) * 2",
    "return np.stack([b, 1.0]).sum()",
    "return np.hstack([b, 1.0]).sum()",
    "return np.sum([b, 1.0])",
    "return np.mean([b, 1.0])",
    "return np.max([b, -9.0])",
    "return sum([b, 1.0])",
    "return max(b, -9.0)",
    "return np.full(2, b).sum()",
    "return np.where([True, False], b, 1.0).sum()",
    "return np.zeros(2).sum() + b",
    "return (np.ones(2) * b).sum()",
    "return np.dot([b, 1.0], [2.0, b])",
    "return np.linalg.norm([b, 1.0])",
    "return np.array({'a': b}['a']).sum()",
    "return np.array([b, x[1]]).sum()",
    "return np.append([1.0], b).sum()",
    "return np.concatenate([[b], [1.0]]).sum()",
    "return np.diag([b, b]).sum()",
    "return np.broadcast_to(b, 3).sum()",
    "return math.sin(b)",
    "return math.hypot(b, 1.0)",
    "return np.polyval([b, 1.0], 2.0)",
    "return np.interp(b, [-9, 9], [1.0, 2.0])",
    "return np.clip(b, -9, 9)",
    "return round(b, 3) * 0 + b",
    "return abs(b)",
    "return divmod(b, 100)[1]",
    "return b if b > -9 else 0.0",
    "return [b, 1.0][0]",
    "return np.outer([b, 1.0], [1.0, 2.0]).sum()",
    "return np.array([1.0, 2.0]) @ [b, 1.0]",
    "return np.repeat(b, 3).sum()",
    "return np.tile([b], 2).sum()",
    "return np.linspace(b, 1.0, 3).sum()",
    "return np.linspace(0.0, b, 3).sum()",
    "return np.arange(2) @ np.array([1.0, b])",
    "return np.block([[b, 1.0]]).sum()",
    "return np.insert([1.0], 0, b).sum()",
    "return np.array(list(map(lambda v: v, [b, 1.0]))).sum()",
    "return np.prod([b, 2.0])",
    "return np.vdot([b], [2.0])",
    "return np.average([b, 1.0], weights=[1.0, 3.0])",
    "return np.cumsum([b, 1.0]).sum()",
    "return np.sort([b, -9.0]).sum()",
    "return np.array([np.sin(b), 1.0]).sum()",
    "return np.maximum.reduce([b, -9.0])",
    "return np.add.reduce([b, 1.0])",
    "return (lambda q: q * 2)(b)",
    "return np.array([b, 1.0], dtype=float).sum()",
    "return np.asarray(b, dtype=float) * 2",
    "return np.array([b, 1.0]).mean()",
    "return np.array([[b]])[0, 0]",
    "return np.atleast_1d(b).sum()",
    "return np.ravel(b).sum()",
    "return np.reshape(b, 1).sum()",
    "return np.expand_dims(b, 0).sum()",
    "return np.copy(b) * 1.0",
    "return np.square(b)",
    "return np.stack([np.array([b]), np.array([1.0])]).sum()",
    "return np.vstack([b, 1.0]).sum()",
    "return np.column_stack([[b], [1.0]]).sum()",
    "return np.einsum('i,i', [b, 1.0], [1.0, 2.0])",
    "return np.trapezoid([b, 1.0])",
    "return np.diff([b, 1.0]).sum()",
    "return np.kron([b, 1.0], [1.0, 2.0]).sum()",
    "return np.cross([b, 1.0, 2.0], [1.0, 0.0, 0.5]).sum()",
    "return np.var([b, 1.0])",
    "return np.std([b, 1.0])",
    "return np.median([b, 1.0, 7.0])",
    "return np.full_like(np.ones(2), b).sum()",
    "return np.logaddexp(b, 0.0)",
    "return np.power(b, 2.0)",
    "return pow(b, 2)",
    "return math.fsum([b, 1.0])",
    "return math.prod([b, 2.0])",
    "return np.where(b > -9, b, 0.0) * 1.0",
    "return np.select([b > -9], [b], 0.0) * 1.0",
    "return np.choose(0, [b, 1.0]) * 1.0",
    "return np.piecewise(np.array([b, 1.0]), [[True, False]], [lambda q: q * 2, 0.0]).sum()",
    "return np.convolve([b, 1.0], [1.0, 2.0]).sum()",
    "return np.tensordot([b, 1.0], [1.0, 2.0], 1) * 1.0",
    "return np.matmul([b, 1.0], [1.0, 2.0])",
    "return np.chosen([b, 1.0], [1.0, 2.0])",
    "return np.triu([[b, b], [b, b]]).sum()",
    "return np.flip([b, 1.0])[1]",
    "return np.roll([b, 1.0], 1)[1]",
    "return np.pad([b], 1).sum()",
    "return np.split(np.array([b, 1.0]), 2)[0].sum()",
    "return np.take([b, 1.0], [0]).sum()",
    "return np.linalg.det([[b, 1.0], [2.0, 9.0]])",
    "return np.linalg.solve([[b, 1.0], [2.0, 9.0]], [1.0, 2.0]).sum()",
)

WAYS_TO_AN_ARRAY = (
    "b = x * 1.0",
    "b = x",
    "b = x[:2]",
    "b = x[::-1]",
    "b = (x * 2)[1:]",
    "b = None\nif k: b = x * 2",
    "b = None\nif k: b = x",
    "b = x[:k]",
    "b = x[x > -9]",
    "b = x[x > 0]",
    "b = x\nfor place in range(k): b = np.append(b, x[place])",
    "b = x * 1.0\nwhile len(b) > 2: b = b[:-1]",
    "b = np.zeros(3)\nfor place in range(3): b[place] = x[place]",
    "b = np.empty(3)\nb[:] = x",
    "table = {'a': x * 2, 'n': 'name'}\nb = table['a' if k else 'n']",
    "table = {'a': x * 2}\nb = table['a']",
    "table = {'a': x}\nb = table['a']",
    "items = [x * 2, x]\nb = items[k - 2]",
    "items = [None, x * 2]\nb = items[k - 1]",
    "items = [x, x * 2]\nb = items.pop()",
    "matrix = np.outer(x, x)\nb = matrix[0]",
    "matrix = np.outer(x, x)\nb = matrix[:, 1]",
    "matrix = np.outer(x, x)\nb = np.diag(matrix)",
    "matrix = np.outer(x, x)\nb = matrix.T[0]",
    "b = np.outer(x, x).reshape(-1)",
    "b = np.outer(x, x).ravel()[:3]",
    "for b in np.outer(x, x): pass",
    "b = perhaps(x * 2, k)",
    "b = twice(x)",
    "b = same(x)",
    "box = Box(x * 2)\nb = box.v",
    "box = Box(None)\nif k: box.v = x * 2\nb = box.v",
    "b = Box(x).get()",
    "b = np.array([value * 2 for value in x])",
    "b = [value * 2 for value in x]",
    "b = tuple(value * 2 for value in x)",
    "b = x.tolist()",
    "b = np.array(list(given(x)))",
    "try:\n    b = x[[k + 9]]\nexcept IndexError:\n    b = x * 2",
    "b = np.where(x > 0, x, 0.0)",
    "b = x * 2 if k > 1 else x",
    "b = x if k > 1 else x * 2",
    "b = x[:2] if k > 1 else x[1:]",
    "b = x if k > 1 else 0.0",
    "b = 0.0\nfor place in range(k): b = b + x",
    "b = 1\nfor place in range(k): b = b * x",
    "b = np.asarray(x)",
    "b = np.array(x, dtype=float)",
    "b = x.astype(float)",
    "b = np.stack([x, x * 2])[1]",
    "b = np.concatenate([x, x])[1:4]",
    "b = np.split(np.append(x, x), 2)[1]",
    "other, b = np.stack([x, x * 2])",
    "other, *b = x",
    "b = np.sort(x)",
    "b = np.cumsum(x)",
    "b = np.empty(3)\nnp.multiply(x, 2.0, out=b)",
    "b = np.empty(3)\nnp.copyto(b, x)",
    "b = np.zeros(3)\nb.flat[:] = x",
    "b = None\ndef bind():\n    nonlocal b\n    b = x * 2\nbind()",
    "b = (lambda q: q[:2])(x)",
    "b = again(x, k)",
    "for label, b in zip('ab', np.outer(x, x)): pass",
    "for label, b in {'a': x, 'b': x * 2}.items(): pass",
    "other = b = x * 2",
    "other = x * 2\nb = other",
    "other = x * 2\nb = other[:]",
    "matrix = np.zeros((2, 3))\nmatrix[1] = x\nb = matrix[1]",
    "b = sum([x, x])",
    "b = np.einsum('i,j->j', x, x)",
    "b = np.eye(3) @ x",
)

USES_OF_AN_ARRAY = (
    "return b.sum()",
    "return np.sum(b * b)",
    "return b @ b",
    "return b[0] * b[-1]",
    "return sum(b)",
    "return max(b) * min(b)",
    "return sum(v * v for v in b)",
    "s = 0.0\nfor v in b: s += v * v\nreturn s",
    "s = 0.0\nfor i in range(len(b)): s += b[i] * i\nreturn s",
    "s = 0.0\nfor i, v in enumerate(b): s = s + v * (i + 1) ** 2\nreturn s",
    "b[0] = 2.0; return np.sum(b * b)",
    "b[0] *= 2.0; return np.sum(b * b)",
    "b[1:] += b[:-1].copy(); return np.sum(b * b)",
    "b += 1.0; return np.sum(b * b)",
    "b *= b; return np.sum(b * x[0])",
    "b = b * 2; b[0] = 0.5; return np.sum(b * b)",
    "c = b; c[0] = 3.0; return np.sum(b * b)",
    "c = b.copy(); c[0] = b[1] * 2; return np.sum(b * c)",
    "c = b[1:]; c *= 2.0; return np.sum(b * b)",
    "c = b[:]; c += 1.0; return np.sum(b * b)",
    "b[:] = b[::-1].copy(); return b[0] * 3 + np.sum(b * b)",
    "b[b > 0] = 1.5; return np.sum(b * b * b)",
    "b[[0, 0]] += 1.0; return np.sum(b * b)",
    "np.add.at(b, [0, 0], b[1]); return np.sum(b * b)",
    "b.fill(2.0); return np.sum(b * x[0])",
    "b.sort(); return b[0] * 2 + b[-1]",
    "for i in range(len(b)): b[i] = b[i] ** 2\nreturn np.sum(b)",
    "for i in range(1, len(b)): b[i] += b[i - 1] * 0.5\nreturn np.sum(b * b)",
    "for v in b: v = v * 2\nreturn np.sum(b * v)",
    "l = [b, b * 2]; l[0][0] = 1.0; return np.sum(l[0] * l[1])",
    "l = [b]; l.append(b * b); return np.sum(l[0] * l[-1])",
    "d = {'p': b}; d['p'][0] = 2.0; return np.sum(d['p'] * b)",
    "d = {'p': b}; d['p'] = d['p'] * b; return np.sum(d['p'])",
    "o = Box(b); o.v[0] = 2.0; return np.sum(o.v * o.v)",
    "o = Box(b); o.v = o.v * 2; return np.sum(o.v * b)",
    "o = Box(b); o.v += 1.0; return np.sum(o.v * o.v)",
    "put(b); return np.sum(b * b)",
    "c = put(b); return np.sum(c * b)",
    "return np.sum(twice(b) * b)",
    "return np.sum(same(b) * b)",
    "m = np.outer(b, b); m[0] = b; return np.sum(m * m)",
    "m = np.stack([b, b]); m[0] *= 2; return np.sum(m * m)",
    "m = np.zeros((2, len(b))); m[0] = b; m[1] = m[0] * b; return np.sum(m)",
    "return np.sum(np.concatenate([b, b * b]))",
    "return np.sum(np.append(b, b[0]) ** 2)",
    "return np.linalg.norm(b)",
    "return np.mean(b) + np.var(b)",
    "return np.max(b) * np.argmax(b) + np.max(b)",
    "return np.prod(b)",
    "return np.sum(np.cumsum(b) * b)",
    "return np.sum(np.diff(b) ** 2)",
    "return np.dot(b, np.arange(len(b)))",
    "return np.sum(np.where(b > 0, b, b * b))",
    "return np.sum(np.clip(b, -0.5, 0.9) * b)",
    "return np.sum(b.reshape(-1, 1) * b)",
    "return np.sum(b[None] * b[:, None])",
    "return np.sum(np.roll(b, 1) * b)",
    "return np.sum(np.flip(b) * np.arange(len(b)))",
    "return np.sum(np.array(b) * np.asarray(b))",
    "return np.sum(np.array([v * 2 for v in b]) * b)",
    "p, *q = b; return p * sum(q)",
    "p, q = b[0], b[1]; return p * q",
    "return b.mean() * b.size",
    "return float(b[0]) * 2",
    "return b.tolist()[0] * 2",
    "return np.sum(np.exp(b) / np.sum(np.exp(b)) * np.arange(len(b)))",
    "if b[0] > 0.1: b = b * 3\nreturn np.sum(b * b)",
    "while b[0] < 2: b = b * 1.5\nreturn np.sum(b)",
    "try:\n    s = b[7]\nexcept IndexError:\n    s = b[0]\nreturn s * 2",
    "c = b\nfor i in range(2): c = c + b * c\nreturn np.sum(c)",
    "c, e = b, b * 2\nfor i in range(3): c, e = e, c\nreturn np.sum(c * e * e)",
    "c, e = b.copy(), b * 2\nfor i in range(3):\n    e[1:] = c[:-1] * 2\n    c, e = e, c\nreturn np.sum(c * e * e)",
    "h = []\nfor i in range(3):\n    b = b * 0.9\n    h.append(b)\nreturn np.sum(h[0] * h[-1])",
    "h = []\nfor i in range(3):\n    b[0] *= 0.9\n    h.append(b.copy())\nreturn np.sum(h[0] * h[-1])",
    "h = []\nfor i in range(3):\n    b[0] *= 0.9\n    h.append(b[0])\nreturn h[0] * h[-1]",
    "def g(): b[0] = 2.0\ng(); return np.sum(b * b)",
    "def g(v): return np.sum(v * b)\nreturn g(b) + g(b * 2)",
    "scaled = lambda v: v * b; return np.sum(scaled(b))",
    "b = b / np.sum(b); return np.sum(b * np.arange(len(b)))",
    "return np.sum([v ** 2 for v in b if v > 0])",
    "return np.interp(0.3, [0.0, 1.0, 2.0], b[:3])",
    "return np.polyval(b, 0.5)",
    "del x; return np.sum(b * b)",
    "x[0] = 9.0; return np.sum(b * b)",
    "x *= 2; return np.sum(b * b)",
    "x = x * 0; return np.sum(b * b)",
    "b.T[0] = 2.0; return np.sum(b * b)",
    "b.reshape(-1)[0] = 2.0; return np.sum(b * b)",
    "b.flat[0] = 2.0; return np.sum(b * b)",
    "b[..., 0] = 2.0; return np.sum(b * b)",
    "assert len(b) > 0; return np.sum(b * b) if len(b) else 0.0",
)
