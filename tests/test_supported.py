"""The list of supported functions in docs/rules.md is the table's; ``--update-golden`` rewrites it."""
from __future__ import annotations

import operator
from pathlib import Path

import pytest
from rule_calls import BY_LABEL, PREFIXES, label
from scipy_cases import SCIPY_CASES

from s2sgrad.rules.table import ATTRIBUTES, METHODS, RULES

DOCUMENT = Path(__file__).parent.parent / "docs" / "rules.md"
START, END = "<!-- generated: tests/test_supported.py -->", "<!-- end of the generated list -->"
NEWER = ["math.cbrt", "math.exp2", "np.astype", "np.cumulative_prod", "np.cumulative_sum", "np.linalg.eig",
         "np.linalg.eigvals"]
"""Functions that not every supported Python and NumPy has, or has with real numbers."""
OLDER = "np.trapz"
"""Another name that newer ones don't have."""
SCIPY_CONSTANTS = ["scipy.special.gammasgn"]
"""SciPy's functions without a derivative; like those with one (SCIPY_CASES) listed also where there is no SciPy."""


def supported() -> str:
    """The table's functions by kind: those with a derivative, and those that have none anywhere."""
    lists: dict[str, list[str]] = {}
    lines = {**{name: bool(rule.partials) or not rule.constant for name, rule in BY_LABEL.items()},
             **dict.fromkeys([*NEWER, *SCIPY_CASES], True), **dict.fromkeys(SCIPY_CONSTANTS, False)}
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
                          ("np.", "NumPy"), ("math.", "math"),
                          (".", "methods and attributes"), ("scipy.special.", "SciPy, special functions"),
                          ("scipy.linalg.", "SciPy, linear algebra"), ("scipy.stats.", "SciPy, statistics")):
        if name.startswith(prefix):
            return title
    return "built-in"


def test_the_list_is_up_to_date(request: pytest.FixtureRequest) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    current = f"{before}{START}\n\n{supported()}\n\n{END}{after}"
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(current, encoding="utf-8")
    else:
        assert text == current, "python -m pytest tests/test_supported.py --update-golden"
