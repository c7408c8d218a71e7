"""Classes of values that nothing changes once they are made.

They are dataclasses, and the type checker takes them for frozen ones. Python does not: that would make setting their
attributes the first time slow, and making a value take four times as long. A compilation makes hundreds of them.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:
    def dataclass_transform(**_: Any) -> Callable:
        return lambda function: function

Class = TypeVar("Class", bound=type)


@overload
def frozen(class_: Class) -> Class: ...
@overload
def frozen(*, eq: bool = True, slots: bool = False) -> Callable[[Class], Class]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(class_: Any = None, *, eq: bool = True, slots: bool = False) -> Any:
    """Like ``dataclass(frozen=True)``; ``eq`` as there: without it a value equals itself alone."""
    def made(class_: Any) -> Any:
        hashed = eq and vars(class_).get("__hash__") is None  # as where there is only an __eq__
        return dataclass(eq=eq, slots=slots, unsafe_hash=hashed)(class_)

    return made if class_ is None else made(class_)
