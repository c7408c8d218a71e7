"""Entries whose functions get the outer variables that they change as one more argument: it is read at each call, and
the function that a call runs knows nothing of it."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from s2sgrad.calling import Calls
from s2sgrad.compiler.again import GRADIENT
from s2sgrad.compiler.outer_variables import OuterVariables
from s2sgrad.containers import Variables
from s2sgrad.derivative import program_of
from s2sgrad.errors import UnsupportedError
from s2sgrad.signature import Place, feature, has_value, place_of


class OuterArguments(Calls):
    """
    Attributes
    ----------
    outer
        Where the variables are found, by name; none where the function reads what is outside itself.
    """

    outer: Mapping[str, Place] = MappingProxyType({})

    @property
    def innermost(self) -> Any:
        """The function that a gradient is of, or a gradient of that."""
        function = self.function
        while hasattr(function, GRADIENT):
            function = getattr(function, GRADIENT).function
        return function

    def take_along(self, variables: OuterVariables) -> None:
        """Give the function these variables as its last argument."""
        self.outer = dict(variables.places)
        self.understand(replace(self.definition, hidden=(variables.name,), outer=variables))
        self.roles[f"feature of {variables.name}"] = variables.name
        self.objects[variables.name] = feature
        self.changing = {}
        self.opened.add(variables.name)
        self.by_parts.add(variables.name)
        self.tell_apart(variables.name)

    def leave_outside(self) -> None:
        """Take that back."""
        self.outer = {}
        for labels in (self.opened, self.by_parts, self.by_value, self.counted):
            labels.difference_update(self.definition.hidden)
        self.understand(replace(self.definition, hidden=(), outer=None))

    def understand(self, definition: Any) -> None:
        self.definition = definition
        self.program = program_of(definition)
        self.parameters = list(self.program.parameters)
        self.keyword_only = self.program.keyword_only
        self.forget_places(self.own_places())

    def is_stale(self) -> bool:
        """Whether a name stands for another function by now than the one that is defined inside."""
        variables = self.definition.outer
        return variables is not None and any(
            not has_value(place := place_of(self.innermost, label)) or place.read() is not inner
            for label, inner in variables.inside)

    def with_outer(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call with what the outer variables are now."""
        if not self.outer:
            return arguments
        return {**arguments, self.definition.hidden[0]: {
            label: place.read() for label, place in self.outer.items() if has_value(place)}}

    def features_outside(self) -> tuple | None:
        """What a key holds of the outer variables; None where it has become wrong."""
        held: Any = self.with_outer({})[self.definition.hidden[0]]
        found = self.objects[self.roles[f"feature of {self.definition.hidden[0]}"]](held)
        return None if self.is_stale() else found

    def read_captured(self) -> Callable[[], tuple] | None:
        others = super().read_captured()
        if not self.outer:
            return others
        return lambda: (self.features_outside(), others and others())

    def lent(self, run: Callable, guarded: Callable[[Callable], Callable]) -> Callable:
        """A primal or a tangent function as a call runs it: the checks of what a call gives see what the variables are,
        and the text itself reads and binds them."""
        if not self.outer:
            return guarded(run)
        label, = self.definition.hidden
        places = dict(self.outer)

        def live(*args: Any, **kwargs: Any) -> Any:
            variables = Variables(kwargs[label])
            variables.places = places
            result = run(*args, **{**kwargs, label: variables})
            kwargs[label].update(variables)  # what is put there now must not be saved as it is
            return result

        checked = guarded(live)

        def with_outer(*args: Any, **kwargs: Any) -> Any:
            try:
                return checked(*args, **self.with_outer(kwargs))
            except UnsupportedError as refusal:  # which knows the parameter's name alone
                names = " or ".join(self.outer)
                raise UnsupportedError(re.sub(rf"\b{label}\b", names, refusal.reason), refusal.remedy,
                                       refusal.location) from None
        return with_outer
