"""The list of supported functions in docs/rules.md is the table's; ``--update-golden`` rewrites it."""
from __future__ import annotations

import operator
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rule_calls import BY_LABEL, PREFIXES, label, scipy
from rule_lines import conventions, lines
from scipy_cases import SCIPY_CASES
from unsupported_names import BY_SOURCE, NUMPY, SCIPY_SPECIAL, names

from s2sgrad.compiler.effects import NEW, WRITERS
from s2sgrad.compiler.equivalents import EQUIVALENTS
from s2sgrad.rules.table import ATTRIBUTES, METHODS, RULES, rule_for

DOCUMENT = Path(__file__).parent.parent / "docs" / "rules.md"
START, END = "<!-- generated: tests/test_supported.py -->", "<!-- end of the generated list -->"
START_WITHOUT = "<!-- generated: tests/unsupported_names.py -->"
END_WITHOUT = "<!-- end of the names without a line -->"
START_KINKS, END_KINKS = "<!-- generated: tests/rule_kinks.py -->", "<!-- end of the conventions -->"
START_LINES, END_LINES = "<!-- generated: tests/rule_lines.py -->", "<!-- end of the lines -->"
NEWER = ["math.cbrt", "math.exp2", "math.sumprod", "np.astype", "np.cumulative_prod", "np.cumulative_sum",
         "np.linalg.eig", "np.linalg.eigvals", "np.matvec", "np.vecmat"]
"""Functions that not every supported Python and NumPy has, or has with real numbers."""
SPARSE = ["scipy.sparse.linalg.spsolve"]
"""Functions of matrices that are no arrays."""
OLDER = "np.trapz"
"""Another name that newer ones don't have."""
SCIPY_CONSTANTS = ["scipy.special.gammasgn"]
"""SciPy's functions without a derivative; like those with one (SCIPY_CASES) listed also where there is no SciPy."""


def supported() -> str:
    """The table's functions by kind: those with a derivative, and those that have none anywhere."""
    lists: dict[str, list[str]] = {}
    lines = {**{name: bool(rule.partials) or not rule.constant for name, rule in BY_LABEL.items()},
             **dict.fromkeys([*NEWER, *SCIPY_CASES, *SPARSE], True), **dict.fromkeys(SCIPY_CONSTANTS, False)}
    for name, derived in lines.items():
        refuses = name in BY_LABEL and not (BY_LABEL[name].partials or BY_LABEL[name].constant)
        if not refuses:
            lists.setdefault(f"{kind(name)}{'' if derived else ', constant'}", []).append(name)
    lists["the same as methods and attributes"] = [
        f".{member}" for members in (METHODS, ATTRIBUTES) for member, rule in members.items() if rule in RULES.values()]
    named = [label(rule) for rule in RULES.values() if getattr(rule.function, "__module__", "") in PREFIXES]
    lists["other names"] = [name for name in named if name not in (*lines, OLDER)]
    lists["operators"] = [f"operator.{function.__name__}" for function in RULES
                          if getattr(function, "__module__", "") == operator.add.__module__]
    rows = [f"| {title} | {' '.join(f'`{name}`' for name in sorted(names))} |" for title, names in lists.items()]
    return "\n".join(["| kind | functions |", "|---|---|", *sorted(rows)])


def kind(name: str) -> str:
    for prefix, title in (("np.linalg.", "NumPy, linear algebra"), ("np.fft.", "NumPy, Fourier transforms"),
                          ("scipy.signal.", "SciPy, signals"), ("scipy.integrate.", "SciPy, integrals"),
                          ("scipy.spatial.", "SciPy, distances"), ("scipy.ndimage.", "SciPy, images"),
                          ("scipy.fft.", "SciPy, Fourier transforms"),
                          ("np.", "NumPy"), ("math.", "math"), ("bisect.", "bisect"),
                          ("statistics.", "statistics"),
                          ("scipy.sparse.", "SciPy, sparse matrices"), (".", "methods and attributes"),
                          ("scipy.special.", "SciPy, special functions"),
                          ("scipy.linalg.", "SciPy, linear algebra"), ("scipy.stats.", "SciPy, statistics")):
        if name.startswith(prefix):
            return title
    return "built-in"


def unsupported() -> str:
    """The functions without a line of their own, by the reason."""
    rows = [f"| differentiated by their own source | {in_code(BY_SOURCE)} |"]
    rows += [f"| {reason} | {in_code(f'{prefix}{name}' for name in sorted(text.split()))} |"
             for prefix, lists in (("np.", NUMPY), ("scipy.special.", SCIPY_SPECIAL)) for reason, text in lists.items()]
    return "\n".join(["| why | functions |", "|---|---|", *rows])


def in_code(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


def check(request: pytest.FixtureRequest, *parts: tuple[str, str, str]) -> None:
    """The document has these texts between these marks, or gets them."""
    text = current = DOCUMENT.read_text(encoding="utf-8")
    for start, end, new in parts:
        current = between(current, start, end, new)
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(current, encoding="utf-8")
    else:
        assert text == current, "python -m pytest tests/test_supported.py --update-golden"


def between(text: str, start: str, end: str, new: str) -> str:
    """A text with other lines between two marks."""
    before, rest = text.split(start)
    return f"{before}{start}\n\n{new}\n\n{end}{rest.split(end)[1]}"


def test_the_lists_are_up_to_date(request: pytest.FixtureRequest) -> None:
    check(request, (START, END, supported()), (START_WITHOUT, END_WITHOUT, unsupported()),
          (START_KINKS, END_KINKS, conventions()))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.5.0" or scipy is None or np.lib.NumpyVersion(
    scipy.__version__) < "1.18.0", reason="the lines are those of the newest libraries")
@pytest.mark.filterwarnings("ignore")
def test_the_table_line_by_line(request: pytest.FixtureRequest) -> None:
    check(request, (START_LINES, END_LINES, lines()))


def handled(function: Any) -> bool:
    """Whether there is a line for a function, or it is known what it does."""
    return rule_for(function) is not None or any(function is known for known in NEW) or function in WRITERS \
        or any(function is other for other, _ in EQUIVALENTS)


MEASURED = (2, 5)
"""The newest NumPy whose names were gone through."""


def test_every_function_of_numpy_has_a_line_or_a_reason() -> None:
    reasons = names()
    missing = []
    for module, prefix in ((np, "np."), (np.linalg, "np.linalg."), (np.fft, "np.fft.")):
        for name in module.__all__:
            function = getattr(module, name, None)
            if callable(function) and not isinstance(function, type):
                full = f"{prefix}{name}"
                told = full in reasons or full in BY_SOURCE or full in NEWER
                if not handled(function) and not told:
                    missing.append(full)
                assert not (full in reasons and rule_for(function) is not None), f"{full} has a line"
    assert tuple(map(int, np.__version__.split(".")[:2])) > MEASURED or not missing


def test_functions_of_scipy_that_have_a_reason_have_no_line() -> None:
    special = pytest.importorskip("scipy.special")
    for name in names():
        if name.startswith("scipy.special."):
            assert rule_for(getattr(special, name.rpartition(".")[2], None)) is None
