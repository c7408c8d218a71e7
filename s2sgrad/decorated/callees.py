"""What a translated function takes from outside, and the functions that it calls."""
from __future__ import annotations

import ast
import builtins
import inspect
import types
from dataclasses import dataclass, field, replace
from typing import Any

from s2sgrad.compiler.targets import target_of
from s2sgrad.decorated.expressions import Expressions
from s2sgrad.decorated.meanings import (
    ITEMS,
    NUMBER,
    OTHER,
    Meaning,
    Path,
    constant,
    is_fixed,
)
from s2sgrad.decorated.operating import NeedsRead, Spoken
from s2sgrad.marking import Marked
from s2sgrad.signature import Place, place_of, signature_of


@dataclass
class Translated:
    """A function in NumPy's terms.

    Attributes
    ----------
    function
        The function over arrays.
    paths
        What its parameters are; of a function that is called those after the arguments of the call.
    passed
        Of a function that is called: which of the arguments are passed.
    result
        What it gives.
    read
        The functions whose texts were looked into, with their code and defaults.
    """

    function: types.FunctionType
    paths: list[Path]
    passed: list[str]
    result: Meaning
    read: dict[types.FunctionType, tuple]


@dataclass
class Work:
    """One translation: the function that is called, and those that it calls.

    ``meanings`` holds what is known of each value from outside that the key of the call holds.
    """

    meanings: dict[Path, Meaning]
    running: list[Any] = field(default_factory=list)
    done: dict[Any, Translated] = field(default_factory=dict)
    read: dict[types.FunctionType, tuple] = field(default_factory=dict)


class Callees(Expressions):
    """The part of a translation that knows of other functions and of what is outside of this one."""

    def __init__(self, function: types.FunctionType, arguments: dict[str, Meaning], work: Work):
        super().__init__()
        self.function = function
        self.work = work
        self.arguments = arguments
        self.lifts: dict[Path, str] = {}

    # ---- what comes from outside

    def outer(self, name: str) -> Path:
        return Path(place_of(self.function, name))

    def outer_or_none(self, name: str) -> Path | None:
        path = self.outer(name)
        try:
            path.read({})
        except NameError:
            return None
        return path

    def read(self, path: Path) -> Meaning:
        if path not in self.work.meanings:
            raise NeedsRead(path)
        return self.work.meanings[path]

    def lifted(self, path: Path) -> ast.expr:
        if path not in self.lifts:
            label, number = path.label, 0
            own = not path.steps  # its name in the user's function
            while label in self.lifts.values() or label in self.objects or not own and label in self.taken:
                number += 1
                label = f"{path.label}_{number}"
                own = False
            self.taken.add(label)
            self.lifts[path] = label
        return ast.Name(self.lifts[path], ast.Load())

    def sees(self, path: Path) -> bool:
        return not isinstance(path.root, str) and not path.steps and path.root.holder in (
            self.function.__globals__, builtins.__dict__)

    # ---- functions that are called

    def user_call(self, node: ast.Call, callee: Meaning, nodes: list, values: list[Meaning], keywords: dict
                  ) -> Spoken | None:
        target = target_of(callee.example)
        inner = target.function.__wrapped__ if isinstance(target.function, Marked) else target.function
        if target.keywords or not isinstance(inner, types.FunctionType):
            return None
        added = [self.added(callee.path, steps, value) for steps, value in target.positional]
        try:
            bound = signature_of(inner).bind(*added, *zip(nodes, values), **keywords)
        except TypeError as error:
            raise self.refusal(f"this call does not fit the function's parameters: {error}",
                               "call it with those that it has", node) from None
        given: dict[str, Any] = dict(bound.arguments)
        arguments: dict[str, Meaning] = {}
        for name, item in signature_of(inner).parameters.items():
            if item.kind is item.VAR_POSITIONAL:
                given[name] = self.together(given.get(name, ()))
            elif item.kind is item.VAR_KEYWORD:
                given[name] = self.together(given.get(name, {}))
            arguments[name] = given[name][1] if name in given else self.default(inner, item)
        if not any(value.holds_tensors for value in arguments.values()) and not target.positional \
                and not self.reads_tensors(inner):
            return None
        if not self.recording and any(value.live is not False for value in arguments.values()):
            raise self.refusal("a call under no_grad of a function that gets tensors is not supported here",
                               "give it detached tensors, outside of the block", node)
        arguments = {name: value if name not in given or self.is_constant(value)
                     or value.path is not None and value.kind == OTHER
                     else replace(value, path=None) for name, value in arguments.items()}
        made = self.called(node, inner, arguments)
        passed = [given[name][0] for name in made.passed]
        call = ast.Call(self.given(made.function.__name__, made.function),
                        [*passed, *(self.lifted(path) for path in made.paths)], [])
        return call, made.result

    def default(self, function: types.FunctionType, item: inspect.Parameter) -> Meaning:
        """What a parameter is that a call does not give. What is no number may be written into between calls."""
        if is_fixed(item.default):
            return constant(item.default)
        if item.kind is item.KEYWORD_ONLY:
            return self.read(Path(Place(function, "__kwdefaults__")).to(False, item.name))
        names = function.__code__.co_varnames[:function.__code__.co_argcount]
        return self.read(Path(Place(function, "__defaults__")).to(False, names.index(item.name) - len(names)))

    def together(self, items: tuple[Spoken, ...] | dict[str, Spoken]) -> Spoken:
        """What ``*`` and ``**`` parameters take, in one container."""
        pairs = tuple(items.values()) if isinstance(items, dict) else items
        nodes, parts = [made for made, _ in pairs], tuple(replace(value, path=None) for _, value in pairs)
        examples = [value.example for value in parts]
        made = ast.Dict([ast.Constant(key) for key in items], nodes) if isinstance(items, dict) \
            else ast.Tuple(nodes, ast.Load())
        return made, Meaning(ITEMS, dict(zip(items, examples)) if isinstance(items, dict) else tuple(examples),
                             all(value.known for value in parts), any(value.live for value in parts), parts)

    def is_constant(self, value: Meaning) -> bool:
        """Whether a value is in the text, and no argument."""
        return value.known and not value.holds_tensors and value.kind in (OTHER, NUMBER)

    def added(self, path: Path | None, steps: tuple, value: Any) -> Spoken:
        """An argument that a callable adds: the object of a method, or one that is called itself."""
        if path is None:
            return None, constant(value)
        if steps == ("__self__",) and path.steps and self.is_at(path.before, value):
            return self.placed(None, self.read(path.before))
        for step in steps:
            path = path.to(type(step) is str, step if type(step) is str else step[0])
        return self.placed(None, self.read(path))

    def is_at(self, path: Path, value: Any) -> bool:
        """Whether an object is known to be reached so."""
        return path in self.work.meanings and self.work.meanings[path].example is value

    def reads_tensors(self, function: types.FunctionType) -> bool:
        """Whether a function names a tensor that is outside of it."""
        code = function.__code__
        for name in (*code.co_names, *code.co_freevars):
            path = Path(place_of(function, name))
            try:
                path.read({})
            except NameError:
                continue
            if self.read(path).holds_tensors:
                return True
        return False

    def called(self, node: Any, function: types.FunctionType, arguments: dict[str, Meaning]) -> Translated:
        raise NotImplementedError
