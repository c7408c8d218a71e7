"""The small function that a call of a gradient runs: it computes the key, finds the compiled primal and runs it.

That is all that a cached call costs besides the arithmetic.
"""
from __future__ import annotations

import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.emit import compile_text, define
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.origins import explain
from s2sgrad.containers import holds_objects, is_object
from s2sgrad.dividing import OF_PYTHON, divided
from s2sgrad.entries import REPLACED, names_in
from s2sgrad.keys import Keys, feature_by_value, feature_of_kind, is_list
from s2sgrad.runtime import check_result
from s2sgrad.signature import feature, feature_of_items, feature_of_parts, written_header


class Calls(Keys):
    """An entry's generated function, which has the user's own parameters."""

    def specialise(self, values: tuple) -> Compiled:
        """What runs for these arguments."""
        raise NotImplementedError

    def generate(self) -> types.FunctionType:
        """The function that a call runs: key, primal, path, adjoint."""
        names = Names(set(self.parameters) | set(self.signature.parameters))
        local = {role: names.fresh(role) for role in (
            "find", "ndarray", "captured", "outer", "specialise", "compiled", "value", "path", "saved", "record",
            "check", "explain", "divided", "of_python", "error", "run", "type", "float", "function", "code")}
        objects = self.objects = {
            local["find"]: self.cache.get, local["ndarray"]: np.ndarray, local["captured"]: None,
            local["outer"]: self.function.__globals__, local["specialise"]: self.specialise,
            local["check"]: self.check_result, local["explain"]: explain, local["type"]: type, local["float"]: float,
            local["divided"]: divided, local["of_python"]: OF_PYTHON, local["function"]: self.function,
            local["code"]: self.code,
            "__builtins__": {"TypeError": TypeError, "AttributeError": AttributeError, "KeyError": KeyError,
                             "NameError": NameError, "Exception": Exception}}
        self.roles = {"captured": local["captured"], "code": local["code"]}
        features = []
        given = {name: item.name for name, item in self.visible.items()}
        for name, value in self.bound.items():
            given[name] = names.fresh(name) if name in self.signature.parameters else name
            objects[given[name]] = value
        for name, parameter in ((name, given[name]) for name in self.parameters):
            reader = names.fresh(f"feature_of_{parameter}")
            objects[reader] = feature
            self.roles[f"feature of {name}"] = reader
            kind = f"{local['type']}({parameter})"
            features.append(f"({parameter}.shape, {parameter}.dtype) if {kind} is {local['ndarray']} else "
                            f"{local['float']} if {kind} is {local['float']} else {reader}({parameter})")
        outside = [*(f"{local['outer']}[{place.name!r}]" for place in self.direct),
                   f"{local['captured']} and {local['captured']}()"]
        key = f"({', '.join([*features, *outside])})"
        if self.parameters:  # most often all are arrays, and a flat tuple takes less time to look up
            kinds = " is ".join([*(f"{local['type']}({given[name]})" for name in self.parameters), local["ndarray"]])
            parts = [f"{given[name]}.{part}" for name in self.parameters for part in ("shape", "dtype")]
            key = f"({', '.join([*parts, *outside])}) if {kinds} else {key}"
        header = written_header(self.signature.parameters.values())
        passed = ", ".join(f"{name}={given[name]}" if name in self.keyword_only else given[name]
                           for name in self.parameters)
        values = "".join(f"{given[name]}, " for name in self.parameters)
        lines = [
            f"def {local['run']}({header}):",
            "    try:",
            f"        {local['compiled']} = {local['find']}({key}) if {local['function']}.__code__ is {local['code']}"
            " else None",
            "    except (TypeError, AttributeError, KeyError, NameError):",
            f"        {local['compiled']} = None",
            f"    if {local['compiled']} is None:",
            f"        {local['compiled']} = {local['specialise']}(({values}))",
        ]
        if self.mode.seeds == "none":
            lines.append(f"    return {local['compiled']}")
        else:
            lines += [
                "    try:",
                f"        {local['value']}, {local['path']}, {local['saved']} = {local['compiled']}.primal({passed})",
                f"    except Exception as {local['error']}:",
                f"        {local['explain']}({local['error']}, 'running')",
                "        raise",
            ]
        if self.mode.seeds == "given":
            lines.append(f"    return {local['value']}, {local['path']}, {local['saved']}, {local['compiled']}")
        elif self.mode.seeds != "none":
            first = f"{local['record']}.adjoint({local['saved']})"
            again = f"{local['divided']}({local['error']}, {local['compiled']}.derivative, " \
                    f"{local['record']}.adjoint, {local['saved']})"
            lines += [
                f"    if not {local['compiled']}.single:",
                f"        {local['check']}({local['value']})",
                f"    {local['record']} = {local['compiled']}.records[{local['path']}]",
                f"    {local['record']}.calls += 1",
                "    try:",
            ]
            before = f"{local['value']}, " * self.mode.value
            behind = "[0]" * self.mode.bare
            if self.mode.seeds == "first" and not self.mode.value:
                behind += f", {local['value']}[1]"
            lines += [
                f"        return {before}{first}{behind}",
                f"    except {local['of_python']} as {local['error']}:",
                f"        return {before}{again}{behind}",
                f"    except Exception as {local['error']}:",
                f"        {local['explain']}({local['error']})",
                "        raise",
            ]
        made = define("\n".join([*lines, ""]), local["run"], objects)
        made.__defaults__, made.__kwdefaults__ = self.defaults()
        made.__name__ = self.subject.name
        made.__qualname__ = getattr(self.subject.given.value, "__qualname__", self.subject.name)
        made.__code__ = made.__code__.replace(co_name=self.subject.name)  # in messages about wrong arguments
        return made

    def key(self, values: tuple) -> tuple:
        """The key that the generated function makes of these values of all parameters."""
        captured = self.objects[self.roles["captured"]]
        outside = (*(place.holder[place.name] for place in self.direct), captured and captured())
        if values and all(type(value) is np.ndarray for value in values):
            return (*(part for value in values for part in (value.shape, value.dtype)), *outside)
        features = [(value.shape, value.dtype) if type(value) is np.ndarray else float if type(value) is float else
                    self.objects[self.roles[f"feature of {name}"]](value)
                    for name, value in zip(self.parameters, values)]
        return (*features, *outside)

    def changes(self) -> Callable[[], bool] | None:
        """What tells whether captured inputs have become something else that other code is compiled for; None where
        there are none."""
        captured = self.objects[self.roles["captured"]]
        if captured is None and not self.direct:
            return None

        def outside() -> tuple:
            return *(place.holder[place.name] for place in self.direct), captured and captured()

        before = outside()

        def changed() -> bool:
            try:
                return outside() != before
            except (TypeError, AttributeError, KeyError, NameError):
                return True

        return changed

    def defaults(self) -> tuple[tuple, dict[str, Any]]:
        """The defaults of the parameters that a call may give, as a function holds them."""
        given = [item for item in self.signature.parameters.values() if item.default is not item.empty]
        return (tuple(item.default for item in given if item.kind is not item.KEYWORD_ONLY),
                {item.name: item.default for item in given if item.kind is item.KEYWORD_ONLY})

    def read_captured(self) -> Callable[[], tuple] | None:
        """A function that gives the part of the key of those captured inputs that the call does not read itself.

        What each input is now decides how it is read: modules and functions by identity, integers and texts by value
        (they are compiled in, but for those that vary), arrays by shape and dtype. If it has become something else,
        the read fails or the key is new: either way the call is specialised anew. So it is where a function has other
        code or defaults than it had, which tools that reload modules replace, or a class other names.
        """
        parts = []
        cells = {"feature": types.CellType(feature_by_value), "feature_of_parts": types.CellType(feature_of_parts),
                 "feature_of_kind": types.CellType(feature_of_kind),
                 "feature_of_items": types.CellType(feature_of_items), "names_in": types.CellType(names_in)}
        names = Names({str(place.name) for place in self.places})

        def given(name: str, value: Any) -> str:
            label = names.fresh(f"{name}_{len(cells)}")
            cells[label] = types.CellType(value)
            return label

        for place in self.places:
            if place in self.direct:
                continue
            own = place.holder is self.function.__globals__ and place.name not in cells
            reader = place.name if own else f"{given('captured', place)}.read()"
            value = place.read()
            if type(value) is defaultdict:
                parts.append(f"{reader}.__class__")
            elif feature(value) is value:
                parts.append(reader)
            elif type(value) is np.ndarray:
                parts.append(f"{reader}.shape, {reader}.dtype")
            elif self.counted_outside and is_list(value):
                parts.append(f"feature_of_items({reader})")
            elif not is_object(value) and holds_objects(value):
                parts.append(f"feature_of_parts({reader})")
            elif place in self.varying:
                parts.append(f"feature_of_kind({reader})")
            else:
                parts.append(f"feature({reader})")
        same = []
        for function, state in self.read.items():
            reader = given("function", function)
            for label, value in zip(REPLACED, state):
                if function is self.function and (label == "__code__" or value is None):
                    continue  # the call looks at that itself
                same.append(f"{reader}.{label} is {given('before', value)}")
        same += [f"names_in({given('holder', holder)}) == {given('before', before)}"
                 for holder, before in self.lacking.items()]
        if not parts and not same:
            return None
        label = names.fresh("captured")
        text = f"def {label}():\n    return ({''.join(part + ', ' for part in parts)})"
        text += f" if {' and '.join(same)} else False\n" if same else "\n"
        return compile_text(text, label, self.function.__globals__, cells)

    def check_result(self, value: Any) -> None:
        """A gradient is of a number, real or complex as the mode says: raises ArgumentTypeError for anything else."""
        check_result(value, self.subject.label, self.mode.seeds == "first", self.mode.holomorphic)
