"""Each analysis changes what is generated: tests/checked_gradients.py has the programs of the corpus without them. How
often they look at what is nested."""
from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
from checked_gradients import SWITCHED_OFF
from corpus import PROGRAMS

import s2sgrad
from s2sgrad.derivative import Options
from s2sgrad.derivative.understood import Understood
from s2sgrad.entry import pullback_entry


def test_switches_make_a_difference() -> None:
    """A switch that changes no text would test nothing."""
    for analysis, options in SWITCHED_OFF.items():
        changed = 0
        for program in [program for program in PROGRAMS if not program.needs][:60]:
            texts = []
            for each in (Options(), options):
                entry = pullback_entry(program.function, None, each)
                _, path, _, compiled = entry.call(*program.args())
                compiled.table[path]
                texts.append(str(compiled.derivative.primal_text) + "".join(map(str, compiled.table.texts.values())))
            changed += texts[0] != texts[1]
        assert changed, analysis


def nested(depth: int, first: str, last: str = "", inside: str = "t = np.sin(t) * x[0]") -> str:
    """The text of a function of blocks in blocks: how each begins, and what is behind it."""
    lines = [line for level in range(depth) for line in indented(first.replace("#", str(level)), level)]
    lines += indented(inside, depth)
    lines += [line for level in reversed(range(depth)) for line in indented(last, level) if last]
    return "\n    ".join(["def f(x):", "t = x[1]", *lines, "return t"]) + "\n"


def indented(text: str, level: int) -> list[str]:
    return [" " * level + line for line in text.splitlines()]


def piped(depth: int) -> str:
    lines = [f"g{level + 1} = (v * x[0] for v in g{level})" for level in range(depth)]
    return "\n    ".join(["def f(x):", "g0 = x", *lines, f"return sum(g{depth})"]) + "\n"


DEEP: dict[str, tuple[Callable[[int], str], Any]] = {
    "loops": (lambda depth: nested(depth, "k# = 0\nwhile k# < 1:\n k# += 1"), s2sgrad.grad),
    "loops, twice": (lambda depth: nested(depth, "for k# in range(1):"), s2sgrad.hessian),
    "finally": (lambda depth: nested(depth, "try:\n t = t * x[0]", "finally:\n t = t * x[1]"), s2sgrad.grad),
    "indices": (lambda depth: nested(0, "", inside=f"a = {'(' * depth}x[0]{', x[1])' * depth}\nt = a{'[0]' * depth}"),
                s2sgrad.grad),
    "generators": (piped, s2sgrad.grad)}


@pytest.mark.parametrize(("text", "differentiate"), DEEP.values(), ids=DEEP)
def test_what_is_nested_is_looked_at_as_often_as_it_is_deep(text: Callable[[int], str], differentiate: Any) -> None:
    """Or that often squared, and not twice as often at each level."""
    def calls(depth: int) -> int:
        name, space = f"<nested {depth}>", {"np": np, "__name__": "nested"}
        written = text(depth)
        linecache.cache[name] = len(written), None, written.splitlines(True), name
        exec(compile(written, name, "exec"), space)
        count = 0

        def counted(frame: FrameType, event: str, arg: Any) -> None:
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            differentiate(space["f"])(np.array([0.5, 0.7]))
        finally:
            sys.setprofile(before)
        return count

    calls(2)
    assert calls(10) < 7 * calls(5)


def views_in_a_list(x):
    u, m = x * 1.0, np.outer(x, x)
    views = [u, m[0]]
    for _ in range(3):
        left, right = u[:-1], u[1:]
        views.append(m[1])
        left += right * 0.1
        views[-1] *= 0.5
    return sum(np.sum(view * view) for view in views)


def test_no_way_is_tried_that_would_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def taken_apart(self: Any, program: Any, arguments: Any, places: bool = False,
                    demanded: frozenset = frozenset()) -> Any:
        tried.append((program, places, demanded))
        return taken(self, program, arguments, places, demanded)

    taken = Understood.taken_apart
    monkeypatch.setattr(Understood, "taken_apart", taken_apart)
    with pytest.raises(s2sgrad.errors.UnsupportedError, match="may share memory"):
        s2sgrad.grad(views_in_a_list)(np.array([0.5, 0.7, 0.9]))
    assert len(tried) == len(set(tried)) <= 4
