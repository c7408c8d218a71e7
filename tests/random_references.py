"""Random functions over arrays that names, a list and a dict hold at once, for ``test_random_references.py``: they go
in, come out, change places, and are written into under any name.

``choose(n)`` gives a number below ``n``; everything random comes from it.
"""
from __future__ import annotations

from collections.abc import Callable

from random_text import Writer

ARRAYS = ("u", "v", "best", "history[0]", "history[-1]", "fields['a']", "fields['b']")
NEW = ("{} * 1.1", "np.sin({})", "{} + x", "{}.copy()", "np.tanh({}) * x")
OTHER_LISTS = ("if len(history) > 1: history.pop(0)", "history = [w for w in history]", "history = list(history)",
               "old = history; history = old + [u]", "if len(history) > 2: v = history.pop()")
RESULTS = ("sum((w ** 2).sum() * (k + 1) for k, w in enumerate(history)) + (best * u * v).sum()",
           "(np.array(history) ** 2).sum() + (best * fields['a']).sum()")


def program(choose: Callable[[int], int]) -> str:
    """The text of a module with a function ``f(x)`` of three numbers."""
    return ReferencesWriter(choose).text()


class ReferencesWriter(Writer):
    def text(self) -> str:
        lines = ["import numpy as np", "def f(x):", "    u = x * 1.5",
                 f"    v = {self.pick('x * 0.5', 'u', 'np.cos(x)')}",
                 f"    best = {self.pick('u', 'v', 'x.copy()')}",
                 f"    history = [{self.pick('u', 'x', 'x * 1', 'u, v')}]",
                 f"    fields = {{'a': u, 'b': {self.pick('v', 'u', 'x * 2')}}}", "    total = 0.0"]
        for _ in range(3 + self.choose(5)):
            lines += self.statement(2, "    ")
        return "\n".join([*lines, f"    return total + {self.pick(*RESULTS)}"]) + "\n"

    def array(self) -> str:
        return self.pick(*ARRAYS)

    def kept(self) -> str:
        """An array that there is, or a new one."""
        return self.array() if self.choose(2) else self.pick(*NEW).format(self.array())

    def statement(self, depth: int, indent: str) -> list[str]:
        kind = self.choose(14)
        if kind == 0 and depth:
            test = f"({self.array()} ** 2).sum() > {self.pick('1.0', '3.0')}"
            return [f"{indent}if {test}:", *self.block(depth, indent)]
        if kind == 1 and depth:
            return [f"{indent}for _ in range({2 + self.choose(2)}):", *self.block(depth, indent)]
        if kind == 2 and depth:
            return [f"{indent}for w in history:", f"{indent}    w {self.pick('*= 0.9', '+= 0.1 * x', '= w * 2')}"]
        return [indent + self.simple(kind)]

    def block(self, depth: int, indent: str) -> list[str]:
        return [line for _ in range(1 + self.choose(3)) for line in self.statement(depth - 1, indent + "    ")]

    def simple(self, kind: int) -> str:
        if kind < 5:
            value = self.pick("0.9", "x[1]", self.array() + "[2]")
            return f"{self.array()}[{self.choose(3)}] {self.pick('*=', '+=', '=')} {value}"
        if kind < 7:
            return f"{self.array()} {self.pick('*=', '+=')} {self.pick('0.9', 'x', self.array())}"
        if kind < 9:
            return f"history.append({self.kept()})"
        if kind < 12:
            place = self.pick("best", "u", "v", "fields['a']", "fields['b']", "history[0]", "history[-1]")
            return f"{place} = {self.kept()}"
        if kind == 12:
            return f"u, v = {self.pick('v, u', 'best, u', 'u, history[0]')}"
        return self.pick(*OTHER_LISTS)
