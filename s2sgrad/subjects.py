"""What is differentiated: the Python function behind any callable, and the arguments that the callable adds itself."""
from __future__ import annotations

import builtins
import functools
import inspect
import math
import operator
import types
from dataclasses import field, replace
from typing import Any

import numpy as np

from s2sgrad.compiler.again import written_gradient
from s2sgrad.compiler.definitions import Definition, alike, is_variadic, own_derivative
from s2sgrad.compiler.emit import compile_text
from s2sgrad.compiler.targets import is_gradient, target_of
from s2sgrad.containers import described
from s2sgrad.derivative import program_of
from s2sgrad.entries import settled
from s2sgrad.errors import ArgumentError, ArgumentTypeError, Naming
from s2sgrad.frozen import frozen
from s2sgrad.gradients import Derived, Gradient
from s2sgrad.marking import Marked
from s2sgrad.rules.abstract import Known
from s2sgrad.rules.table import Rule, rule_for
from s2sgrad.signature import signature_of, written_arguments, written_header

MODULES = {"np": np, "np.linalg": np.linalg, "math": math, "operator": operator}
Parameter = inspect.Parameter


@frozen
class Subject:
    """A callable to differentiate.

    Attributes
    ----------
    given
        What the user passed.
    function
        The Python function that it calls in the end; something with a rule, until it is known how it is called.
    added, keywords
        Arguments that come before those of a call, and keywords for those that a call does not give.
    definition
        The function for a number of arguments; None until that is known.
    """

    given: Known
    function: Any = field(compare=False)
    added: tuple = field(compare=False)
    keywords: dict[str, Any] = field(compare=False)
    definition: Definition | None

    @property
    def name(self) -> str:
        return str(getattr(self.given.value, "__name__", None) or getattr(
            self.function, "__name__", type(self.function).__name__))

    @property
    def label(self) -> str:
        """What messages about its result call it: a gradient has the name of its function."""
        return f"a derivative of {self.name}" if isinstance(self.given.value, (Gradient, Derived)) else self.name

    def fitting(self, args: tuple, kwargs: dict[str, Any]) -> Subject:
        """The subject as a call sees it: with ``*args`` and ``**kwargs`` as so many parameters."""
        if self.definition is not None:
            return self
        if is_gradient(self.function):
            function = written_gradient(self.function, self.function.__s2sgrad__.fitting(
                (*self.added, *args), {**self.keywords, **kwargs}))
            return replace(self, function=function, definition=Definition(function))
        rule = rule_for(self.function)
        if rule is None:
            with Naming(self.name):
                definition, _ = Definition(self.function).fitting([*self.added, *args], {**self.keywords, **kwargs})
            return replace(self, definition=definition)
        keys = tuple({**self.keywords, **kwargs})
        function = written_call(self.function, len(self.added) + len(args), keys)
        return replace(self, function=function, definition=Definition(function))

    def parameters(self) -> dict[str, Parameter]:
        """The parameters that a call may give, by their names in the program."""
        assert self.definition is not None
        program = program_of(self.definition)
        result: dict[str, Parameter] = {}
        flat: list[Parameter] = []
        for item in signature_of(self.function).parameters.values():
            if item.kind is item.VAR_POSITIONAL:
                flat += [Parameter(f"{item.name}_{index}", item.POSITIONAL_ONLY)
                         for index in range(self.definition.extra)]
            elif item.kind is item.VAR_KEYWORD:
                flat += [Parameter(key, item.KEYWORD_ONLY) for key in self.definition.keys]
            else:
                flat.append(item)
        after = False
        for index, (label, item) in enumerate(zip(program.parameters, flat)):
            if index < len(self.added):
                continue
            if item.kind <= item.POSITIONAL_OR_KEYWORD and self.definition.extra:  # *args leaves it no other way
                item = item.replace(kind=item.POSITIONAL_ONLY, default=item.empty)
            if item.kind is item.POSITIONAL_ONLY:  # among **kwargs there may be one of its name
                item = item.replace(name=f"{label}_" if label in self.definition.keys else label)
            if item.name in self.keywords:
                item = item.replace(default=self.keywords[item.name])
                after = True
            if after and item.kind is item.POSITIONAL_OR_KEYWORD:
                item = item.replace(kind=item.KEYWORD_ONLY)
            result[label] = item
        return result

    def bound(self) -> dict[str, Any]:
        """The arguments that the callable gives itself, by the names of their parameters."""
        assert self.definition is not None
        return dict(zip(program_of(self.definition).parameters, self.added))


def subject_of(given: Any) -> Subject:
    """Raises ArgumentTypeError for what has neither a rule nor Python source."""
    if isinstance(given, Subject):
        return given
    if isinstance(given, Marked):
        given = given.__wrapped__
    if not callable(given):
        raise ArgumentTypeError(f"{described(given)} can't be differentiated", "pass a function")
    if isinstance(given, types.FunctionType):
        given = settled(given)
    target = target_of(given)
    function = target.function
    added = tuple(value for _, value in target.positional)
    keywords = {key: value for key, (_, value) in target.keywords.items()}
    if is_gradient(function):
        subject = Subject(Known(given), function, added, keywords, None)
        return subject.fitting((), {}) if is_fixed(function) else subject
    if own_derivative(function) is not None:
        function = written_around(function)
    other = alike(function)
    if type(other) is functools.partial:  # a Jacobian and the like
        function = written_out(other)
    rule = rule_for(function)
    python = isinstance(function, types.FunctionType)
    if not python and (rule is None or rule.constant):
        label = getattr(given, "__name__", type(given).__name__)
        raise ArgumentTypeError(f"{label} is a {type(given).__name__}, not a plain Python function",
                                "pass a function that computes the same")
    if python and (rule is None or rule.constant):
        program_of(Definition(function))  # what can't be read is refused at once
    open_ = rule is not None and not rule.constant or is_variadic(function)
    return Subject(Known(given), function, added, keywords, None if open_ else Definition(function))


def is_fixed(gradient: Any) -> bool:
    """Whether a gradient takes the same parameters in every call."""
    return hasattr(gradient.__s2sgrad__, "signature")


@functools.lru_cache(maxsize=1024)
def written_out(call: functools.partial) -> types.FunctionType:
    """A Python function that makes the call of a partial, whose arguments are a function and literals, or functions."""
    names = ["call", *(f"given_{place}" if callable(part) else repr(part) for place, part in enumerate(call.args))]
    known = {label: part for label, part in zip(names, (call.func, *call.args)) if callable(part)}
    callee, *given = names
    text = f"def derivative(*args, **kwargs):\n    return {callee}({', '.join(given)}, *args, **kwargs)\n"
    return compile_text(text, "derivative", {"__name__": "s2sgrad.written", "__builtins__": builtins, **known}, {})


@functools.lru_cache(maxsize=1024)
def written_call(function: Any, count: int, keys: tuple[str, ...]) -> types.FunctionType:
    """A Python function that makes one call of something with a rule."""
    rule = rule_for(function)
    assert rule is not None
    labels = [item.name for item in rule.parameters if not item.keyword_only]
    if rule.variadic or len(labels) < count:
        labels = [f"x{index + 1}" for index in range(count)]
    positional = labels[:count]
    header = ", ".join([*positional, *(["*"] if keys else []), *keys])
    passed = ", ".join([*positional, *(f"{key}={key}" for key in keys)])
    callee, outside = written_name(function, rule)
    text = f"def {rule.name}({header}):\n    return {callee}({passed})\n"
    return compile_text(text, rule.name, {"__name__": "s2sgrad.written", "__builtins__": builtins, **outside}, {})


@functools.lru_cache(maxsize=1024)
def written_around(function: types.FunctionType) -> types.FunctionType:
    """A Python function that calls one with a derivative of its own, with the same parameters."""
    parameters = signature_of(function).parameters.values()
    name = function.__name__ if function.__name__.isidentifier() else "function"
    text = f"def {name}({written_header(parameters)}):\n    return given_{name}({written_arguments(parameters)})\n"
    return compile_text(text, name, {"__name__": "s2sgrad.written", "__builtins__": builtins,
                                     f"given_{name}": function}, {}, function.__defaults__, function.__kwdefaults__)


def written_name(function: Any, rule: Rule) -> tuple[str, dict[str, Any]]:
    """How a function is called in a text, and the globals that the text then needs."""
    for module, found in MODULES.items():
        if getattr(found, rule.title, None) is function:
            root = module.partition(".")[0]
            return f"{module}.{rule.title}", {root: MODULES[root]}
    return "function", {"function": function}


def wanted_parameters(subject: Subject, argnums: int | tuple[int, ...]) -> tuple[str, ...]:
    """The names of the parameters that ``argnums`` counts out."""
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    names = [name for name, item in subject.parameters().items()
             if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    result = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ArgumentTypeError(f"argnums is {number!r}", "pass an integer or a tuple of integers")
        if not -len(names) <= number < len(names):
            takes = f"{len(names)} positional parameter{'s' if len(names) != 1 else ''}"
            raise ArgumentError(f"argnums {number} is out of range: {subject.name} has {takes}",
                                "count from 0")
        result.append(names[number])
    if len(set(result)) < len(result):
        raise ArgumentError(f"argnums {argnums} names a parameter twice", "name each once")
    if not result:
        raise ArgumentError("argnums is empty", "name at least one parameter")
    return tuple(result)
