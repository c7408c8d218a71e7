"""The rule table as docs/rules.md shows it line by line: parameters, formulas, what they save, and conventions."""
from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from rule_calls import BY_LABEL, Call
from rule_cases import CASES
from rule_kinks import KINKS, SCIPY_KINKS
from scipy_cases import SCIPY_CASES

from s2sgrad.rules.abstract import MISSING
from s2sgrad.rules.table import ZERO, NeedsValue, Rule

ALL_CASES = {**CASES, **SCIPY_CASES}


def lines() -> str:
    rows = [row for name in sorted(BY_LABEL) if BY_LABEL[name].partials for row in rows_of(name)]
    return "\n".join(["| function | in | formula | saves |", "|---|---|---|---|", *rows])


def conventions() -> str:
    """Where functions are not smooth: what a cotangent of ones gives."""
    rows = [f"| `{call}` | {', '.join(f'`{shown(value)}`' for value in gradients)} |"
            for call, gradients in {**KINKS, **SCIPY_KINKS}.items()]
    return "\n".join(["| call | gradients |", "|---|---|", *rows])


def shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(np.asarray(value).tolist())


def rows_of(name: str) -> Iterable[str]:
    rule, title = BY_LABEL[name], f"`{name}({parameters(BY_LABEL[name])})`"
    for parameter, formula in rule.partials.items():
        if formula is ZERO:
            yield f"| {title} | `{parameter}` | 0 | |"
        else:
            texts = texts_of(name, parameter)
            saved = ", ".join(dict.fromkeys(item for text in texts for item in saves(rule, text)))
            shown = " + ".join(f"`{text}`" for text in texts).replace("|", "\\|")
            yield f"| {title} | `{parameter}` | {shown or 'as written for the call'} | {saved} |"
        title = ""


def parameters(rule: Rule) -> str:
    parts = []
    for parameter in rule.parameters:
        if parameter.keyword_only and "*" not in parts:
            parts.append("*")
        star = "*" if rule.variadic.startswith("*") and parameter.name == rule.variadic[1:] else ""
        parts.append(star + parameter.name + ("" if parameter.default is MISSING else f"={parameter.default!r}"))
    return ", ".join(parts)


def texts_of(name: str, parameter: str) -> list[str]:
    """The formula for the first call that differentiates in the parameter, of several results one for each; none where
    no call tells."""
    dtypes = (np.float64, np.complex128) if BY_LABEL[name].complex else (np.float64,)
    for dtype, case in itertools.product(dtypes, ALL_CASES.get(name, ())):
        try:
            with np.errstate(all="ignore"):
                call = Call(name, case, dtype)
        except TypeError:  # not every case is for complex numbers
            continue
        for found, path, _ in call.leaves():
            if found == parameter:
                try:
                    text = call.rule.partials[parameter](call.operation("known"), path)
                except NeedsValue:
                    continue
                texts = [each for each in ([text] if isinstance(text, str) else text) if each != ZERO]
                if texts:
                    return texts
    return []


def saves(rule: Rule, text: str) -> list[str]:
    """The operands and results that a formula mentions."""
    names = [parameter.name for parameter in rule.parameters]
    whole, sizes = {}, {}
    tree = ast.parse("\n".join(part.strip() for part in text.split(";")))
    inside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in (
        "shape", "size", "ndim")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and (node.id in names or node.id.partition("_")[0] == "y" or any(
                node.id.startswith(f"{name}_") and node.id[len(name) + 1:].replace("_", "").isdigit()
                for name in names)):
            (sizes if id(node) in inside else whole)[node.id] = None
    return [f"`{name}`" for name in whole] + [f"shape of `{name}`" for name in sizes if name not in whole]
