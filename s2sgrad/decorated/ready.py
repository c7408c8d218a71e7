"""What runs further calls with arguments of kinds and shapes that were met before: no question is asked twice."""
from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.emit import define
from s2sgrad.compiler.nodes import Names
from s2sgrad.decorated.complaints import COMPLAINED, complain
from s2sgrad.decorated.meanings import MIXED
from s2sgrad.decorated.node import Way
from s2sgrad.shim.nodes import serial
from s2sgrad.shim.tensor import Tensor, source_of
from s2sgrad.shim.versions import is_ours, users_line

if TYPE_CHECKING:
    from s2sgrad.decorated.plans import Plan


class OfNumbers(dict):
    """By the class of a number, the shapes and dtypes of the results of what gives one."""

    def __missing__(self, kind: type) -> tuple:
        found = self[kind] = ((), np.dtype(kind)),
        return found


OF_NUMBERS = OfNumbers()


class Ready:
    """The code for arguments of certain shapes.

    Attributes
    ----------
    run
        ``run(ready, now, ...)`` is what a call runs, with this thread's modes and all values that its key was made of.
    ways
        By branch path, those that were taken.
    changed
        Tells whether something that the function captures has become something else; None where there is no such.
    """

    __slots__ = ("run", "compiled", "primal", "ways", "changed")

    def __init__(self, run: Callable, compiled: Compiled, ways: dict[int, Way], changed: Callable[[], bool] | None):
        self.run = run
        self.compiled = compiled
        self.primal = compiled.primal
        self.ways = ways
        self.changed = changed


def runner(plan: Plan, labels: Sequence[str], values: Sequence[Any]) -> Callable:
    """What calls of a plan run, written for what its arguments are: :meth:`Plan.run` in less time."""
    names = Names(set(labels))
    objects: dict[str, Any] = {"__builtins__": {}}

    def given(wanted: str, value: Any) -> str:
        label = names.fresh(wanted)
        objects[label] = value
        return label

    now, ready, value, path, saved, way, error, caller, code, result, node = map(names.fresh, (
        "now", "ready", "value", "path", "saved", "way", "error", "caller", "code", "result", "node"))
    run = names.fresh(plan.name if plan.name.isidentifier() else "function")
    inputs = [labels[number] for number in plan.numbers]
    tensors = {number: labels[number] for number in plan.numbers if type(values[number]) is Tensor}
    arrays = {number: names.fresh(f"{label}_array") for number, label in tensors.items()}
    passed = [arrays.get(number, labels[number]) for number in plan.numbers]
    holding = [label for number, label in zip(plan.numbers, passed) if type(values[number]) is not float]
    source = given("source_of", source_of)
    none, whole, array = given("none", None), given("plan", plan), given("ndarray", np.ndarray)
    others = [f"{one} is {other}" for one, other in itertools.combinations(holding, 2)]
    slowly = [*others, f"{ready}.changed is not {none} and {ready}.changed()", f"{now}.packing is not {none}",
              f"{now}.anomaly"]
    taken = " or ".join([f"{value}.base is not {none}", *(f"{value} is {label}" for label in holding)])
    odd = f"{value}.__class__ is {array} and ({taken})"
    if plan.result.kind == MIXED:
        odd = f"{odd} or not {given('isinstance', isinstance)}({value}, {given('numbers', (np.generic, np.ndarray))})"
    sources = [f"{source}({label}) if {label}._accumulator is not {none} else {label} if {label}._node is {none} else "
               f"({label}._node, {label}._number)"
               if number in tensors and values[number]._requires else none
               for number, label in zip(plan.numbers, inputs)]
    version = names.fresh("version")
    guards = [f"(({version} := {label}._memory or {label}._written), {version}.count, {arrays[number]}, {place})"
              for place, (number, label) in enumerate(zip(plan.numbers, inputs)) if number in tensors]
    lines = [
        f"def {run}({', '.join([ready, now, *labels])}):",
        *(f"    {arrays[number]} = {label}._array" for number, label in tensors.items()),
        f"    if {' or '.join(slowly)}:",
        f"        return {whole}.run({tuple_of(labels)})",
        "    try:",
        f"        {value}, {path}, {saved} = {now}.quiet.run({', '.join([f'{ready}.primal', *passed])})",
        f"    except {given('complained', COMPLAINED)} as {error}:",
        f"        {given('complain', complain)}({error})",
        "        raise",
        f"    {way} = {ready}.ways.get({path})",
        f"    if {way} is {none} or not {way}.is_plain or {odd}:",
        f"        return {whole}.finished({tuple_of(inputs)}, {tuple_of(passed)}, {ready}.compiled, {path}, {saved}, "
        f"{value})",
        f"    {caller} = {given('frame', sys._getframe)}(2)",
        f"    {code} = {caller}.f_code",  # as users_line, without a call
        f"    {result} = {given('new', object.__new__)}({given('Tensor', Tensor)})",
        f"    {node} = {way}.kind()",  # as Way.node, without its questions
        f"    {node}.sources = {tuple_of(sources)}",
        f"    {node}.sequence = {given('serial', serial)}()",
        f"    {node}.hooks = {node}._metadata = {none}",
        f"    {node}.way = {way}",
        f"    {node}.arguments = {tuple_of(passed)}",
        f"    {node}.saved = {saved}",
        f"    {node}.guards = {tuple_of(guards)} if {saved} else ()",
        f"    {node}.is_packed = False",
        f"    {node}.place = {given('users_line', users_line)}(3) if {given('ours', is_ours)}[{code}.co_filename] else "
        f"({code}, {caller}.f_lasti)",
        f"    if {value}.__class__ is {array}:",
        f"        {result}._array = {value}",
        f"        {node}.outputs = ({value}.shape, {value}.dtype),",
        f"        if {saved}:",  # perhaps in there
        f"            {node}.guards += ({result}._written, 0, {value}, -1),",
        "    else:",
        f"        {result}._array = {given('asarray', np.asarray)}({value})",
        f"        {node}.outputs = {given('of_numbers', OF_NUMBERS)}[{value}.__class__]",
        f"    {result}._node = {node}",
        f"    {result}._requires = True",
        f"    return {result}",
        "",
    ]
    return define("\n".join(lines), run, objects)


def tuple_of(parts: Sequence[str]) -> str:
    return f"({''.join(part + ', ' for part in parts)})"
