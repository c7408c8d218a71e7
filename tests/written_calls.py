"""Calls of functions in the rule table, written out as functions of their floats and arrays."""
from __future__ import annotations

import builtins
import math
import statistics
from typing import Any

import numpy as np
from corpus import leaves
from rule_calls import Call, called, floats, scipy

from s2sgrad.compiler.emit import compile_text
from s2sgrad.rules.table import ATTRIBUTES, METHODS


class Written:
    """A function that makes one call, with a parameter for each of its floats and arrays."""

    def __init__(self, name: str, case: str, dtype: type = np.float64, body: str = "return {}",
                 others: bool = True, call: Call | None = None):
        call = called(name, case, dtype) if call is None else call
        self.rule = call.rule
        self.values: list[Any] = []
        moving = {id(leaf) for *_, leaf in call.leaves()}
        self.moving: list[bool] = []
        constants: dict[str, Any] = {}

        def text(value: Any) -> str:
            if isinstance(value, (list, tuple)) and (
                    list(floats("", (), value)) or any(isinstance(item, np.ndarray) for item in leaves(value))):
                inner = ", ".join(map(text, value))
                return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
            if isinstance(value, (np.ndarray, np.generic)) or isinstance(
                    value, (float, complex)) and id(value) in moving:
                if not others and id(value) not in moving:
                    constants[f"c{len(constants)}"] = value
                    return f"c{len(constants) - 1}"
                self.values.append(value)
                self.moving.append(id(value) in moving)
                return f"p{len(self.values) - 1}"
            if isinstance(value, type):
                return f"np.{value.__name__}" if value.__module__ == "numpy" else value.__name__
            return repr(value).replace("inf", "math.inf")

        arguments = [*map(text, call.args), *(f"{key}={text(value)}" for key, value in call.kwargs.items())]
        if name.startswith("."):
            text_of_call = f"({arguments[0]}){name}"
            if name[1:] not in ATTRIBUTES or METHODS.get(name[1:]) is self.rule:
                text_of_call += f"({', '.join(arguments[1:])})"
        else:
            text_of_call = f"{name}({', '.join(arguments)})"
        parameters = ", ".join(f"p{index}" for index in range(len(self.values)))
        self.text = f"def f({parameters}):\n    {body.format(text_of_call)}\n"
        self.function = compile_text(self.text, "f", {
            "__name__": "written", "__builtins__": builtins, "np": np, "math": math, "statistics": statistics,
            "scipy": scipy, **constants}, {})
