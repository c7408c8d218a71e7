"""What a primal and an adjoint are made of: a function's own code, for one number of further arguments."""
from __future__ import annotations

import inspect
import types
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from s2sgrad.compiling import load
from s2sgrad.signature import signature_of

if TYPE_CHECKING:
    from s2sgrad.compiler.outer_variables import OuterVariables

OWN = "__s2sgrad_own__"
"""The attribute of functions with a derivative of their own (see ``given.py``)."""

ALIKE = "__s2sgrad_alike__"
"""The attribute of functions and classes of libraries that are differentiated as another function, in Python."""

LATER: dict[str, tuple[str, ...]] = {"scipy.integrate": ("integration", "quadrature", "trajectories"),
                                     "scipy.interpolate": ("splines",)}
"""Libraries that need not be there, and what gives their functions one once the user has imported them."""


def own_derivative(function: Any) -> Any:
    """What the compiler takes for a function with a derivative of its own; None for others."""
    load(LATER, "s2sgrad")
    return noted(function, OWN)


def alike(function: Any) -> Any:
    """The Python function that is differentiated in the place of a library's, or of its class; None for others."""
    load(LATER, "s2sgrad")
    inherited = hasattr(type(function), ALIKE) or isinstance(function, type) and ALIKE not in vars(function)
    return None if inherited else noted(function, ALIKE)


def noted(function: Any, label: str) -> Any:
    """An attribute that says what a function is taken for; None where it is another's, of which ``functools.wraps``
    copied it."""
    found = getattr(function, label, None)
    wrapped = None if found is None else getattr(function, "__wrapped__", None)
    return None if wrapped is not None and getattr(wrapped, label, None) is found else found


@dataclass(frozen=True)
class Definition:
    """A function as one call sees it.

    Attributes
    ----------
    extra
        How many arguments ``*args`` takes.
    keys
        The keywords that ``**kwargs`` takes.
    syntax
        Of a function defined inside ``function``, its syntax tree.
    hidden
        Further parameters, for what functions take from around them.
    made
        Of an ``__init__`` that a call of its class runs, the class: the function then makes the object and returns it.
    gradient
        Of a gradient of a function that is defined inside: ``grad`` or ``value_and_grad``, ``argnums``, ``has_aux`` and
        ``holomorphic``; of a gradient of that, too, and so on.
    collected
        Of a generator that is run through: the list of what it yields is returned.
    plain
        A ``defaultdict`` is taken for the dict that does the same.
    outer
        Outer variables that the last of the parameters holds (see ``outer_variables.py``).
    """

    function: types.FunctionType
    extra: int = 0
    keys: tuple[str, ...] = ()
    syntax: Any = None
    hidden: tuple[str, ...] = ()
    made: type | None = None
    gradient: tuple[tuple, ...] = ()
    collected: bool = False
    plain: bool = False
    outer: OuterVariables | None = None

    @property
    def manner(self) -> tuple:
        """How the call sees it: all but the function."""
        return self.extra, self.keys, self.syntax, self.hidden, self.made, self.gradient, self.collected, self.plain, \
            self.outer

    @property
    def own(self) -> Any:
        return own_derivative(self.function) if self.syntax is None else None

    def signature(self) -> inspect.Signature:
        if self.syntax is not None:
            return written_signature(self.syntax.args)
        signature = signature_of(self.function)
        return signature if self.made is None else signature.replace(parameters=list(signature.parameters.values())[1:])

    def defaults(self) -> list[Any]:
        """For each parameter of the program its default, ``inspect.Parameter.empty`` where it has none."""
        found: list[Any] = []
        for item in self.signature().parameters.values():
            if item.kind is item.VAR_POSITIONAL:
                found += [item.empty] * self.extra
            elif item.kind is item.VAR_KEYWORD:
                found += [item.empty] * len(self.keys)
            else:
                found.append(item.default)
        return found + [inspect.Parameter.empty] * len(self.hidden)

    def fitting(self, positional: list, keywords: dict[str, Any]) -> tuple[Definition, list]:
        """The definition as a call sees it, and for each parameter the argument, None where the default serves.

        Raises TypeError, with Python's reason, where the call does not fit.
        """
        signature = self.signature()
        bound = signature.bind(*positional, **keywords).arguments
        arguments: list[Any] = []
        extra, keys = 0, ()  # type: int, tuple[str, ...]
        for name, item in signature.parameters.items():
            if item.kind is item.VAR_POSITIONAL:
                arguments += bound.get(name, ())
                extra = len(bound.get(name, ()))
            elif item.kind is item.VAR_KEYWORD:
                arguments += bound.get(name, {}).values()
                keys = tuple(bound.get(name, {}))
            elif self.syntax is not None and name not in bound:
                arguments.append(item.default)
            else:
                arguments.append(bound.get(name))
        return replace(self, extra=extra, keys=keys), arguments

    def with_hidden(self, hidden: tuple[str, ...]) -> Definition:
        return replace(self, hidden=hidden)


def written_signature(spec: Any) -> inspect.Signature:
    """The parameters of a syntax tree; their defaults are expressions."""
    kinds = inspect.Parameter
    positional = [*spec.posonlyargs, *spec.args]
    given = [kinds.empty] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
    found = [kinds(item.id, kinds.POSITIONAL_ONLY if index < len(spec.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD,
                   default=default) for index, (item, default) in enumerate(zip(positional, given))]
    if spec.vararg is not None:
        found.append(kinds(spec.vararg.id, kinds.VAR_POSITIONAL))
    found += [kinds(item.id, kinds.KEYWORD_ONLY, default=kinds.empty if default is None else default)
              for item, default in zip(spec.kwonlyargs, spec.kw_defaults)]
    if spec.kwarg is not None:
        found.append(kinds(spec.kwarg.id, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def is_variadic(function: types.FunctionType) -> bool:
    return bool(function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
