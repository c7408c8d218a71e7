"""Calls of decorated functions: those that tensors take part in are compiled, and are one node of the graph."""
from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from s2sgrad.compiler.emit import define
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiling import COMPILING
from s2sgrad.containers import is_instance
from s2sgrad.decorated.meanings import Path, feature, meaning_of
from s2sgrad.decorated.operating import NeedsNumber, NeedsRead
from s2sgrad.decorated.plans import Plan
from s2sgrad.decorated.ready import Ready, tuple_of
from s2sgrad.decorated.translate import translated
from s2sgrad.entries import REPLACED, defaults_of, has_changed, have_same_items, state_of
from s2sgrad.errors import UnsupportedError
from s2sgrad.marking import Marked, look_at_calls
from s2sgrad.shim.dtypes import Default
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, requires
from s2sgrad.signature import Place, place_of, signature_of, written_arguments, written_header

MISSING = LookupError, AttributeError, NameError
"""What is raised where a value from outside is not there."""
PLANS = 1024
"""So many plans of a function are remembered."""
READY = 4096
"""So many combinations of shapes are remembered."""
DEPTH = 4
"""So deep values from outside are looked into for tensors."""


class Decorated:
    """The plans of one function, by key: what is known of its arguments, and of what else it reads."""

    def __init__(self, marked: Marked):
        self.marked = weakref.ref(marked)
        self.function: Any = marked.__wrapped__
        EVERY.add(self)
        self.start()

    def start(self) -> None:
        """Look at the function as it is now, and let calls look plans up."""
        function = self.function
        self.read = {function: state_of(function)}
        """The functions whose texts were looked into, with the code and the defaults that they had then."""
        self.given_defaults = defaults_of(function)
        self.signature = signature_of(function)
        self.names = tuple(self.signature.parameters)
        self.reads: list[Path] = [Path(name) for name in self.names]
        self.by_value: set[Path] = set()
        self.plans: dict[Hashable, Plan] = {}
        """Those that something is differentiated by."""
        self.idle: dict[Hashable, Plan] = {}
        """Those of calls from which what requires a gradient could be reached, and wasn't."""
        self.is_plain = False
        """Whether the code of some plan depends on no more than shapes besides."""
        self.ready: dict[Hashable, Ready] = {}
        self.generate()

    # ---- a call

    def generate(self) -> None:
        """Write what calls run: a function with the user's own parameters that finds the plan."""
        marked = self.marked()
        if marked is None:
            return
        parameters = self.signature.parameters.values()
        objects: dict[str, Any] = {"__builtins__": {}}
        names = Names(set(self.names))

        def given(wanted: str, value: Any) -> str:
            label = names.fresh(wanted)
            objects[label] = value
            return label

        function, again = given("function", self.function), given("again", self.again)
        passed = written_arguments(parameters)
        none, plan = given("none", None), names.fresh("plan")
        found = [names.fresh(path.label) if path.root.__class__ is not str or path.steps else path.root
                 for path in self.reads]
        values = f"({''.join(label + ', ' for label in found)})"
        before = [f"        {label} = {self.written(path, given)}"
                  for label, path in zip(found, self.reads) if label != path.root]
        own = self.written_states(function, self.function, given)
        others = [text for other in self.read if other is not self.function
                  for text in self.written_states(given("other", other), other, given)]
        same, defaults = " and ".join([*own, *others]), " and ".join(own[1:])
        missing = given("Missing", (LookupError, AttributeError, NameError, ValueError))
        now, ready, key = map(names.fresh, ("now", "ready", "key"))
        lines = [f"    {now} = {given('state', state)}.now",
                 f"    if not {now}.recording:",
                 f"        return {function}({passed})" + (
                     f" if {defaults} else {again}({passed})" if defaults else "")]
        if self.is_plain:
            lines += [
                "    try:",
                *before,
                f"        {key} = {self.written_shapes(found, given)}",
                f"        {ready} = {given('find_ready', self.ready.get)}({key}) if {same} else {none}",
                f"    except {missing}:",
                f"        {key} = {ready} = {none}",
                f"    if {ready} is not {none}:",
                f"        return {ready}.run({', '.join([ready, now, *found])})",
            ]
        lines += [
            "    try:",
            *before,
            f"        {plan} = {given('find', self.plans.get)}({self.written_features(found, given)}) if {same} "
            f"else {none}",
            f"    except {missing}:",
            f"        {plan} = {none}",
            f"    if {plan} is {none}:",
            f"        return {again}({passed})",
        ]
        if self.is_plain:
            lines += [f"    if {plan}.is_plain and {key} is not {none}:",
                      f"        return {given('prepared', self.prepared)}({plan}, {key}, {tuple(found)}, {values})"]
        lines.append(f"    return {plan}.run({values})")
        label = names.fresh("call")
        text = "\n".join([f"def {label}({written_header(parameters)}):", *lines, ""])
        made = define(text, label, objects)
        made.__defaults__, made.__kwdefaults__ = self.function.__defaults__, self.function.__kwdefaults__
        made.__name__, made.__qualname__ = self.function.__name__, self.function.__qualname__
        marked.call_through(made)

    def written_states(self, label: str, function: Any, given: Callable[[str, Any], str]) -> list[str]:
        """The texts that tell whether a function has the code and the defaults that it had."""
        return [f"{label}.{attribute} is {given(attribute.strip('_'), value)}"
                for attribute, value in zip(REPLACED, self.read[function]) if value is not None]

    def written_features(self, labels: list[str], given: Callable[[str, Any], str]) -> str:
        """The text of the key of a plan, as :meth:`key` makes it."""
        kind, tensor, needs, part, none = (given(label, value) for label, value in (
            ("type", type), ("Tensor", Tensor), ("requires", requires), ("feature", feature), ("none", None)))
        return tuple_of([
            f"({label}._array.dtype, {label}._array.ndim, {label}._requires or {label}._base is not {none} and "
            f"{needs}({label})) if {kind}({label}) is {tensor} else {part}({label}, {path in self.by_value})"
            for label, path in zip(labels, self.reads)])

    def written_shapes(self, labels: list[str], given: Callable[[str, Any], str]) -> str:
        """The text of a key that tells shapes apart, too."""
        tensor, array, part = (given(label, value) for label, value in (
            ("Tensor", Tensor), ("ndarray", np.ndarray), ("feature", feature)))
        parts = {label: [f"{label}._array.shape", f"{label}._array.dtype", f"{label}._requires", f"{label}._base"]
                 for label in labels}
        flat = tuple_of([item for label in labels for item in parts[label]])
        each = tuple_of([
            f"{tuple_of(parts[label])} if {label}.__class__ is {tensor} else ({label}.shape, {label}.dtype) if "
            f"{label}.__class__ is {array} else {part}({label}, {path in self.by_value})"
            for label, path in zip(labels, self.reads)])
        tensors = " and ".join([f"{label}.__class__ is {tensor}" for label in labels])
        return f"{flat} if {tensors} else {each}"  # most often all are tensors, and a flat tuple takes less time

    def prepared(self, plan: Plan, key: Hashable, labels: tuple[str, ...], values: tuple) -> Any:
        """A call of a plan that gets ready for further ones with such shapes."""
        result = plan.run(values)
        if all(item.__class__ is not Tensor or item._base is None for item in values):
            found = plan.ready(labels, values)
            if found is not None:
                if len(self.ready) > READY:
                    self.ready.clear()
                self.ready[key] = found
        return result

    def written(self, path: Path, given: Callable[[str, Any], str]) -> str:
        """The text that reads a value."""
        text = path.root
        if isinstance(path.root, Place):
            held, label = path.root.holder, path.root.name
            text = f"{given('outer', held)}[{label!r}]" if type(held) is dict and label in held else \
                f"{given('cell', held)}.cell_contents" if type(held) is types.CellType else \
                f"{given('place', path.root)}.read()"
        for attribute, step in path.steps:
            text = f"{given('has', hasattr)}({text}, {step!r})" if attribute is None else \
                f"{text}.{step}" if attribute else f"{text}[{given('step', step)}]"
        return str(text)

    def again(self, *args: Any, **kwargs: Any) -> Any:
        """A call that no plan was found for."""
        if not have_same_items(defaults_of(self.function), self.given_defaults):  # what it gets may be the former ones
            raise UnsupportedError(f"{self.function.__name__} has got other defaults since it was decorated",
                                   "decorate it again")
        if any(map(has_changed, self.read, self.read.values())):
            self.start()
        if not state.now.recording or not self.concerns(args, kwargs):
            return self.function(*args, **kwargs)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = bound.arguments
        key = self.key(arguments)
        plan = self.plans.get(key) or self.idle.get(key)
        if plan is None:
            hooks, state.now.packing = state.now.packing, None  # what examples save is nobody's business
            try:
                with COMPILING:
                    plan = self.planned(arguments)
            except UnsupportedError as refusal:  # where in the translation it was found says nothing to its user
                raise refusal.with_traceback(None) from None
            finally:
                state.now.packing = hooks
        return plan.run([self.value(path, arguments) for path in self.reads])

    def concerns(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether something that the function may read is a tensor that requires a gradient."""
        seen: set[int] = set()
        return any(requiring(value, DEPTH, seen) for value in (*args, *kwargs.values())) \
            or requiring(self.function, DEPTH, seen)

    def value(self, path: Path, arguments: dict[str, Any]) -> Any:
        try:
            return path.read(arguments)
        except MISSING:
            return ...

    def key(self, arguments: dict[str, Any]) -> tuple:
        return tuple([feature(self.value(path, arguments), path in self.by_value) for path in self.reads])

    def planned(self, arguments: dict[str, Any]) -> Plan:
        """The plan for such arguments, made anew with more in the key as often as more turns out to matter."""
        known = len(self.reads), len(self.by_value), len(self.read)
        while True:
            meanings = {}
            for path in self.reads:
                try:
                    meanings[path] = meaning_of(path.read(arguments), path, path in self.by_value)
                except MISSING:
                    continue
            try:
                found = translated(self.function, {name: meanings[Path(name)] for name in self.names}, meanings)
                break
            except NeedsRead as need:
                need.path.read(arguments)
                self.reads.append(need.path)
            except NeedsNumber as need:
                self.by_value.add(need.path)
                if need.path not in self.reads:
                    self.reads.append(need.path)
        values = [self.value(path, arguments) for path in self.reads]
        numbers = [self.reads.index(path) for path in found.paths]
        active = tuple(label for label, number in zip(signature_of(found.function).parameters, numbers)
                       if requiring(values[number], DEPTH, set()))
        plan = Plan(found, active, self.function, values, numbers)
        plans = self.plans if active else self.idle
        if len(plans) > PLANS:
            plans.clear()
        plans[self.key(arguments)] = plan
        self.read.update(found.read)
        if known != (len(self.reads), len(self.by_value), len(self.read)) or plan.is_plain and not self.is_plain:
            self.is_plain = self.is_plain or plan.is_plain
            self.ready = {}  # whose keys may tell too little now
            self.generate()
        return plan


def requiring(value: Any, depth: int, seen: set[int]) -> bool:
    """Whether a value is, holds or reads a tensor that requires a gradient."""
    kind = value.__class__
    if kind is Tensor:
        return requires(value)
    if kind in (float, int, str, np.ndarray, type(None), bool, types.ModuleType, type) or not depth \
            or id(value) in seen:
        return False
    seen.add(id(value))
    if kind in (tuple, list):
        return any(requiring(part, depth - 1, seen) for part in value)
    if kind is dict:
        return any(requiring(part, depth - 1, seen) for part in value.values())
    if kind is Marked:
        return requiring(value.__wrapped__, depth, seen)
    if kind is types.MethodType:
        return requiring(value.__self__, depth, seen) or requiring(value.__func__, depth, seen)
    if kind is types.FunctionType:
        module = value.__globals__.get("__name__", "")
        if str(module).partition(".")[0] in ("numpy", "scipy", "s2sgrad"):
            return False
        code = value.__code__
        for name in (*code.co_names, *code.co_freevars):
            try:
                found = place_of(value, name).read()
            except NameError:
                continue
            if requiring(found, depth - 1, seen):
                return True
        return False
    return is_instance(value) and any(
        requiring(part, depth - 1, seen) for part in getattr(value, "__dict__", {}).values())


def looking(marked: Marked) -> Callable:
    """What runs when a marked function is called first."""
    reference = weakref.ref(marked)

    def call(*args: Any, **kwargs: Any) -> Any:
        called = reference()
        assert called is not None
        return Decorated(called).again(*args, **kwargs)

    return call


EVERY: weakref.WeakSet[Decorated] = weakref.WeakSet()


def start_anew() -> None:
    """Forget all plans: their texts say of which dtype integers become floats."""
    for item in list(EVERY):
        item.start()


def compile_calls() -> None:
    """From now on look at the calls of decorated functions."""
    look_at_calls(looking)
    Default.changed.append(start_anew)
