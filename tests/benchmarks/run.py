"""Writes the benchmark table: ``python tests/benchmarks/run.py [--quick] [--markdown FILE]``."""
from __future__ import annotations

import argparse
import importlib.util
import platform
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # a script finds only what lies beside it, not the package that it belongs to
    sys.path[0] = str(Path(__file__).resolve().parents[2])

# the package comes before NumPy, whose threads it limits
from tests.benchmarks import contestants, measure
from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.measure import Effort
from tests.benchmarks.simulations import SIMULATIONS

HEADINGS = (
    "value and gradient of",
    "by hand",
    "ours / by hand",
    "ours / rewritten",
    "ours / primal",
    "autograd / ours",
    "autograd / by hand",
    "saved by hand",
    "saved: ours / by hand",
)


def main(command_line: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description="Compares s2sgrad's gradients with others.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, for a first look")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to this file too")
    options = parser.parse_args(command_line)
    effort = measure.QUICK if options.quick else measure.THOROUGH

    problems: list[str] = []
    rows = []
    cases = (*CASES, *SIMULATIONS)
    for number, case in enumerate(cases, start=1):
        tell(f"{number}/{len(cases)}  {case.title}")
        rows.append(row_of(case, effort, problems))
    tell("fixed costs")
    notes = fixed_costs(effort, problems)
    tell("")

    report = "\n".join([*table(HEADINGS, rows), "", *notes, "", *surroundings()]) + "\n"
    print(report, end="")
    if options.markdown:
        options.markdown.write_text(report, encoding="utf-8")
    if problems:
        sys.exit("\n" + "\n".join(problems))


def tell(progress: str) -> None:
    """Shows how far it is, in one line that the next one replaces; nothing where nobody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{progress}", end="", file=sys.stderr, flush=True)


def row_of(case: Case, effort: Effort, problems: list[str]) -> list[str]:
    arguments = case.arguments()
    calls: dict[str, Callable[[], Any]] = {
        "by hand": partial(case.by_hand, *arguments),
        "rewritten": partial(case.rewritten, *arguments),
        "primal": partial(case.function, *arguments),
    }
    saved = None
    try:
        calls["ours"] = partial(contestants.ours(case), *arguments)
        calls["ours"]()
        saved = contestants.saved_bytes(case)
    except Exception as error:  # one case that fails leaves the others their rows
        calls.pop("ours", None)
        problems.append(f"{case.title}: {type(error).__name__}: {error}")
    if case.for_autograd and importlib.util.find_spec("autograd"):
        calls["autograd"] = partial(contestants.autograd(case), *arguments)

    times = measure.interleaved(calls, effort)
    saved_by_hand = contestants.saved_bytes_by_hand(case)
    return [
        case.title,
        duration(times.seconds("by hand")),
        ratio(times.ratio("ours", "by hand")),
        ratio(times.ratio("ours", "rewritten")),
        ratio(times.ratio("ours", "primal")),
        ratio(times.ratio("autograd", "ours")),
        ratio(times.ratio("autograd", "by hand")),
        size(saved_by_hand),
        ratio(None if saved is None else saved / saved_by_hand),
    ]


def fixed_costs(effort: Effort, problems: list[str]) -> list[str]:
    """What a call and a compilation cost whatever the function, a sentence each."""
    notes = []
    try:
        times = measure.fixed_cost(effort)
        notes.append(
            f"- A cached call costs {duration(times.seconds('ours'))} before it computes anything: "
            f"{ratio(times.ratio('ours', 'three operations'))} times three additions of 3-element arrays."
        )
    except Exception as error:
        problems.append(f"fixed cost of a call: {type(error).__name__}: {error}")
    try:
        times = measure.cold_start(effort)
        for name in ("thirty_lines", "other_lines"):
            notes.append(
                f"- Compiling 30 lines and one path (`{name}`) takes {duration(times.seconds(f'{name}, next'))}: "
                f"{ratio(times.ratio(f'{name}, next', 'import numpy'))} times `import numpy`, or "
                f"{ratio(times.ratio(f'{name}, first', 'import numpy'))} as the first function of a process.")
        notes.append(f"- `import s2sgrad` after NumPy takes {duration(times.seconds('import s2sgrad'))}.")
    except Exception as error:
        problems.append(f"cost of compiling: {type(error).__name__}: {error}")
    return notes


def surroundings() -> list[str]:
    import numpy

    lines = [
        f"Medians of ratios within short rounds, one thread; Python {platform.python_version()}, "
        f"NumPy {numpy.__version__}, {platform.system()} on {platform.machine()}."
    ]
    if not importlib.util.find_spec("autograd"):
        lines.append("HIPS autograd isn't installed, so its columns are empty.")
    return lines


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table that is also aligned as plain text, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = (
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join([first, *others])} |"

    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return [line(headings), line(rule), *map(line, rows)]


def ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if value < 99.5 else f"{value:.0f}"


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def size(count: int) -> str:
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.1f} KiB" if count < 1024**2 else f"{count / 1024**2:.1f} MiB"


if __name__ == "__main__":
    main()
