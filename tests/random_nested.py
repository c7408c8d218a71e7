"""Random functions over containers in containers, for ``test_random_nested.py``: a list of dicts, a dict of a list and
of a dict, named tuples and objects in lists, read and changed at computed places, by methods, in loops that change what
they run over.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable

from random_text import Writer

HEAD = """from collections import namedtuple

import numpy as np

K = np.array([0.5, -1.2, 0.8])
Pair = namedtuple("Pair", "a b")


class Record:
    def __init__(self, a, b=0.3):
        self.a, self.b = a, b
        self.kept = []


def first(row):
    return row["a"][0]


def f(x):
    t, u, s, i = x * 1.0, np.cos(x), 0.4, 0
    rows = [dict(a=x * 1.5, b=0.4), dict(a=np.sin(x), b=x[0])]
    d = dict(l=[x * 0.5, x + 1.0], m=dict(x=x * x, y=x - 0.5))
    pairs = [Pair(x * 0.7, 0.6), Pair(x + 0.2, x[2])]
    records = [Record(x * 0.4, x[1]), Record(np.tanh(x))]"""
ARRAYS = ("t", "t", "u", "x", "rows[{i}]['a']", "rows[-1]['a']", "d['l'][{i}]", "d['l'][-1]", "d['m']['x']",
          "pairs[{i}].a", "pairs[{i}][0]", "records[{i}].a", "sum(row['a'] for row in rows)",
          "rows[len(rows) // 2]['a']",
          "d.get('z', t)", "(t, u)[{i}]", "np.stack([row['a'] for row in rows]).sum(0)", "max(rows, key=first)['a']",
          "(d['l'] + [t])[{i}]", "list(d['m'].values())[0]", "[*d['l'], t][-1]")
NUMBERS = ("s", "t[0]", "u[-1]", "rows[{i}]['b']", "pairs[{i}].b", "0.7", "np.sum(t)", "len(rows)", "x[1]",
           "records[{i}].b", "sum(row['b'] for row in rows)", "max(row['b'] for row in rows)")
PLACES = ("0", "1", "i", "i % 2", "len(rows) - 2", "(i + 1) % 2")
TESTS = ("s > 0.2", "t[0] > u[0]", "i == 1", "len(rows) > 2", "rows[0]['b'] > 0.3", "'z' in d and s > 0.0")
LOOPS = ("for i in range(2):", "for row in rows[:]:; s = s + row['b'] * {n}",
         "for i, row in enumerate(rows[:2]):; t = t + row['a'] * {n}", "for pair in pairs:; u = u * pair.b + pair.a",
         "for k, v in d['m'].items():; s = s * 0.5 + np.sum(v) * 0.3", "for v in d['m'].values():; t = t * 0.5 + v",
         "for w in d['l'][:3]:; t = t * 0.5 + w", "for row, pair in zip(rows[:], pairs):; row['a'] = row['a'] * pair.b",
         "for j, (a, b) in enumerate(pairs):; s = s + a[j] * b", "while len(rows) > 2:; t = t + rows.pop()['a']",
         "for record in records:; record.b = record.b + {n} * 0.1", "for record in records:; record.a = {a}",
         "for (a, b), w in zip(pairs, d['l'][:2]):; u = u + a * w * b")
LINES = ("t = {a}", "u = {a}", "s = {n} * 0.5", "rows[{i}]['a'] = {a}", "rows[{i}]['b'] = {n}", "rows[{i}]['b'] += {n}",
         "rows.append(dict(a={a}, b={n}))", "t = t + rows.pop()['a']; rows.append(dict(a=t, b=s))",
         "rows.insert({i}, dict(a={a}, b={n}))", "del rows[0]; rows.append(dict(a=u * 1.0, b=s))",
         "rows[{i}].update(a={a})", "d.setdefault('z', {a}); t = t + d['z']", "d['l'].append({a})", "d['l'][{i}] = {a}",
         "d['l'] = d['l'][1:] + [{a}]", "d['m']['x'] = {a}", "d['m'] = dict(x={a}, y=u)",
         "d['m'] = {{**d['m'], 'y': {a}}}",
         "d['m'].update(x={a}, y=t)", "d = dict(d, m=dict(x=u, y={a}))", "rows.sort(key=lambda row: row['b'])",
         "rows.sort(key=first, reverse=True)", "rows.reverse()", "rows = sorted(rows, key=lambda row: -row['b'])",
         "pairs[{i}] = Pair({a}, {n})", "pairs[{i}] = pairs[{i}]._replace(b={n})",
         "pairs = [Pair(pair.a * s, pair.b) for pair in pairs]", "a, *b = d['l']; t = t + a; d['l'] = [*b, u]",
         "*a, b = rows; u = u + b['a']; rows = [*a, dict(a=t, b=s)]", "rows[0], rows[1] = rows[1], rows[0]",
         "rows[0]['a'], rows[1]['a'] = rows[1]['a'], rows[0]['a']", "row = rows[{i}]; row['a'] = {a}",
         "records[{i}].a = {a}", "records[{i}].b = {n}", "records[{i}].kept.append({a})",
         "records[0], records[1] = records[1], records[0]", "records[{i}] = Record({a}, records[{i}].b)",
         "record = records[{i}]; record.a = record.a * s; t = t + record.a",
         "e = d['m'].pop('x'); d['m']['x'] = e * {n}",
         "t, u = u, t", "i = (i + 1) % 2", "rows = [dict(row, b=row['b'] * s) for row in rows]",
         "rows[-1:] = [dict(a={a}, b={n})]", "rows.extend(dict(a=w, b=s) for w in d['l'])", "rows = rows[-2:]",
         "rows[{i}]['a'] = rows[{i}]['a'].copy(); rows[{i}]['a'][{i}] *= {n}", "x = x * 0.9")
RESULTS = ("np.sum(t * K) + s", "np.sum(rows[0]['a'] * rows[-1]['a']) + s",
           "sum(np.sum(row['a'] * K) * row['b'] for row in rows) + t[0]",
           "np.sum(d['l'][0] * t) + np.sum(d['m']['x'] * K)",
           "sum(np.sum(pair.a) * pair.b for pair in pairs) + np.sum(u)",
           "sum(record.b * np.sum(record.a * K) for record in records) + np.sum(t)")


class _Writer(Writer):
    def filled(self, text: str) -> str:
        while "{a}" in text or "{n}" in text or "{i}" in text:
            text = text.replace("{a}", self.array(), 1).replace("{n}", self.pick(*NUMBERS), 1)
            text = text.replace("{i}", self.pick(*PLACES), 1)
        return text.replace("{{", "{").replace("}}", "}")

    def array(self) -> str:
        kind = self.choose(6)
        if kind == 0:
            return f"{self.pick(*NUMBERS)} * {self.pick(*ARRAYS)}"
        if kind == 1:
            return f"{self.pick(*ARRAYS)} {self.pick('*', '+', '-')} {self.pick(*ARRAYS)}"
        return self.pick(*ARRAYS)

    def block(self, depth: int, inside: bool, most: int) -> list[str]:
        lines = [line for _ in range(1 + self.choose(most)) for line in self.statement(depth, inside)]
        return [f"    {line}" for line in lines]

    def statement(self, depth: int, inside: bool) -> list[str]:
        kind = self.choose(12) if depth < 2 else 11
        if kind == 0:
            other = ["else:", *self.block(depth + 1, inside, 2)] if self.choose(2) else []
            return [self.filled(f"if {self.pick(*TESTS)}:"), *self.block(depth + 1, inside, 2), *other]
        if kind in (1, 2):
            head, *first = self.filled(self.pick(*LOOPS)).split("; ")
            return [head, *(f"    {line}" for line in first), *self.block(depth + 1, True, 2)]
        if kind == 3 and inside:
            return [self.filled(f"if {self.pick(*TESTS)}:"), f"    {self.pick('break', 'continue')}"]
        return self.filled(self.pick(*LINES)).split("; ")


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with the function ``f(x)`` of an array of 3."""
    writer = _Writer(choose)
    return "\n".join([HEAD, *writer.block(0, False, 5), f"    return {writer.pick(*RESULTS)}", ""])
