"""What is known of the values in a function that tensors are given to, while it is written in NumPy's terms.

Each value has an *example*: what it was in the call that led to the translation. Of an example nothing may show in the
text but what the key of the call holds, too: dtypes, numbers of dimensions, and constants.
"""
from __future__ import annotations

import enum
import types
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sgrad.containers import contents, in_library, is_instance, with_parts
from s2sgrad.shim.devices import device
from s2sgrad.shim.dtypes import dtype
from s2sgrad.shim.tensor import Tensor, new_tensor, requires
from s2sgrad.signature import Place, Same

NUMBERS = (bool, int, float)
TENSOR, SHAPELESS, NUMBER, MIXED = "tensor", "shapeless", "number", "mixed"
ITEMS, LIST, OTHER, UNCLEAR = "items", "list", "other", "unclear"


@dataclass(frozen=True)
class Path:
    """How a value from outside is reached: from an argument or an outer variable through attributes and items.

    Attributes
    ----------
    root
        The name of a parameter, or the place of a global or a closure cell.
    steps
        ``(True, name)`` for an attribute, ``(False, key)`` for an item, ``(None, name)`` for whether there is such an
        attribute.
    """

    root: str | Place
    steps: tuple[tuple[bool | None, Any], ...] = ()

    def to(self, attribute: bool | None, step: Any) -> Path:
        return replace(self, steps=(*self.steps, (attribute, step)))

    @property
    def before(self) -> Path:
        """How that is reached of which this is an attribute or an item."""
        return replace(self, steps=self.steps[:-1])

    def read(self, arguments: dict[str, Any]) -> Any:
        """The value now. Raises LookupError, AttributeError or NameError where there is none."""
        value = self.root.read() if isinstance(self.root, Place) else arguments[self.root]
        for attribute, step in self.steps:
            value = hasattr(value, step) if attribute is None else getattr(value, step) if attribute else value[step]
        return value

    @property
    def label(self) -> str:
        """A name for it: ``self_w``."""
        first = self.root.name if isinstance(self.root, Place) else self.root
        parts = [first, *(str(step) for _, step in self.steps)]
        return "_".join(part if part.isidentifier() else "".join(filter(str.isalnum, part)) for part in parts)


@dataclass(frozen=True)
class Meaning:
    """What is known of a value.

    Attributes
    ----------
    kind
        ``tensor`` (of a known dtype and number of dimensions), ``shapeless`` (a tensor of which these are not known),
        ``number``, ``mixed`` (a tensor or a number), ``items`` (a container with a meaning for each part), ``list``
        (one of any length), ``other`` (what operations on tensors have nothing to do with), or ``unclear`` (what may
        be several of these).
    example
        A tensor, a number, a container, anything.
    known
        The example is the value, in every call with the same key.
    live
        Whether it requires a gradient; None where that depends on the way that a call takes.
    parts
        Of ``items`` the parts, of a ``list`` what each item is, of what is ``mixed`` the number and the tensor.
    path
        How it is reached from outside.
    node
        What PyTorch calls the node that made it.
    form
        Of ``items`` and numbers the class that users see, where arrays have another, and formulas plain numbers.
    """

    kind: str
    example: Any = None
    known: bool = False
    live: bool | None = False
    parts: tuple[Meaning, ...] = ()
    path: Path | None = None
    node: str | None = None
    form: type | None = None

    @property
    def array(self) -> tuple[np.dtype, int]:
        """Of a tensor the dtype and the number of dimensions."""
        return self.example._array.dtype, self.example._array.ndim

    def signature(self) -> Hashable:
        """All that a text may depend on."""
        if self.kind == TENSOR:
            what: Any = self.array
        elif self.kind == ITEMS:
            what = type(self.example), *steps_of(self)
        elif self.known:
            what = identity(self.example) if self.kind == OTHER else (type(self.example), self.example)
        elif self.kind == NUMBER:
            what = type(self.example)
        else:
            what = None
        return self.kind, what, self.known, self.live, self.path, self.node, self.form, tuple(
            part.signature() for part in self.parts)

    @property
    def holds_tensors(self) -> bool:
        return self.kind in (TENSOR, SHAPELESS, MIXED) or any(part.holds_tensors for part in self.parts)

    @property
    def is_settled(self) -> bool:
        """Of ``items``: that nothing in the function can put more in or take some out. A list may be known under
        another name."""
        return self.kind == ITEMS and (isinstance(self.example, tuple) or self.path is not None
                                       or isinstance(self.example, dict) and self.holds_tensors)

    @property
    def is_fixed(self) -> bool:
        """Whether a text may say what a function or an operator gives for it."""
        return self.known and not self.holds_tensors and (
            all(part.is_fixed for part in self.parts) if self.kind == ITEMS else is_fixed(self.example))

    @property
    def asks_objects(self) -> bool:
        """Whether it is an object of a user's class, or holds one."""
        return any(part.asks_objects for part in self.parts) if self.parts else \
            self.kind == OTHER and is_instance(self.example) and not isinstance(self.example, enum.Enum)

    @property
    def truth(self) -> bool | None:
        """Whether it counts as true, in every call with the same key; None where that may change."""
        if self.is_fixed:
            return bool(self.example)
        asked = hasattr(type(self.example), "__bool__") or hasattr(type(self.example), "__len__")
        return True if self.known and not self.holds_tensors and not asked else None

    @property
    def is_unclear(self) -> bool:
        return self.kind == UNCLEAR or any(part.is_unclear for part in self.parts)

    @property
    def is_object(self) -> bool:
        """Whether it is one object from outside in every call with the same key, wherever it is put."""
        return self.kind == OTHER and self.known and self.path is not None

    @property
    def is_array(self) -> bool:
        return self.kind == OTHER and type(self.example) is np.ndarray


FIXED = (bool, int, float, complex, str, bytes, type(None), type(...), range, types.FunctionType,
         types.BuiltinFunctionType, types.MethodType, types.ModuleType, np.ufunc, np.finfo, np.iinfo, dtype, device)


def is_fixed(value: Any) -> bool:
    """Whether what functions and operators give for a value is the same whenever they are called, as long as it is this
    one: it is no set, no generator and no object of a user's class."""
    if type(value) in (tuple, frozenset):
        return all(map(is_fixed, value))
    if type(value) is slice:
        return all(map(is_fixed, (value.start, value.stop, value.step)))
    return type(value) in FIXED or isinstance(value, (type, enum.Enum, np.generic, np.dtype))


def has_own_attributes(value: Any) -> bool:
    """Whether users put other values into its attributes: of their objects, their classes and their modules."""
    if isinstance(value, types.ModuleType):
        return not in_library(value.__name__)
    return is_instance(value) or isinstance(value, type) and not in_library(value.__module__)


NOTHING = Meaning(OTHER, None, True)
NO_ITEM = Meaning(OTHER)
"""That of an item of a container that is empty in every call with the same key."""


def constant(value: Any) -> Meaning:
    """The meaning of a value that the text may depend on."""
    return Meaning(NUMBER if type(value) in NUMBERS else OTHER, value, True)


def meaning_of(value: Any, path: Path | None = None, by_value: bool = False) -> Meaning:
    """The meaning of a value from outside, of which the key holds :func:`feature`."""
    if isinstance(value, Tensor):
        example = new_tensor(value._array)
        return Meaning(TENSOR, example, live=requires(value), path=path)
    if type(value) in (int, float) or isinstance(value, (np.number, np.bool_)):
        if not isinstance(value, np.generic):
            return Meaning(NUMBER, value, by_value, path=path)
        return Meaning(NUMBER, value.item(), by_value, path=path, form=type(value))
    if type(value) is np.ndarray:
        return Meaning(OTHER, value, False, path=path)
    if type(value) in (tuple, list, dict):
        held = contents(value)
        if held is not None:
            parts = tuple(meaning_of(part, None if path is None else path.to(False, step), by_value)
                          for step, part in zip(held.steps, held.parts))
            return Meaning(ITEMS, value, False, any(part.live for part in parts), parts, path)
    return Meaning(NUMBER if type(value) is bool else OTHER, value, True, path=path)


def feature(value: Any, by_value: bool = False) -> Hashable:
    """The part of a key for a value from outside."""
    kind = value.__class__
    if kind is Tensor:
        return value._array.dtype, value._array.ndim, requires(value)
    if kind is np.ndarray:
        return kind, value.dtype, value.ndim
    if kind is float or kind is int:
        return (kind, value) if by_value else kind
    if kind in (bool, str, type(None)):
        return kind, value
    if kind is tuple or kind is list:
        return (kind, *[feature(item, by_value) for item in value])
    if kind is dict:
        return (kind, *value, *[feature(item, by_value) for item in value.values()])
    if isinstance(value, np.generic):
        return (kind, value.item()) if by_value else kind
    return kind, identity(value)


def identity(value: Any) -> Hashable:
    """An object as itself alone. A method is an object of its own each time that it is read."""
    return (Same(value.__self__), Same(value.__func__)) if value.__class__ is types.MethodType else Same(value)


def join(first: Meaning, second: Meaning) -> Meaning:
    """What is known of a value that is the first or the second."""
    if first is second or first.signature() == second.signature():
        return first
    live = first.live if first.live is second.live else None
    node = first.node or second.node
    if None not in (first.node, second.node) and first.node != second.node:
        node = ""  # neither
    if {first.kind, second.kind} <= {TENSOR, SHAPELESS}:
        same = first.kind == second.kind == TENSOR and first.array == second.array
        return Meaning(TENSOR if same else SHAPELESS, first.example, live=live, node=node)
    if first.kind == second.kind == NUMBER:
        same = type(first.example) is type(second.example)
        example = first.example if same or type(first.example) is float else second.example
        return Meaning(NUMBER, example) if same or bool not in (type(first.example), type(second.example)) \
            else Meaning(UNCLEAR)
    if {first.kind, second.kind} <= {NUMBER, TENSOR, MIXED}:
        number, tensor = (either(side) for side in zip(split(first), split(second)))
        if number.kind == UNCLEAR or tensor.kind != TENSOR:
            return Meaning(UNCLEAR, live=live)
        return Meaning(MIXED, tensor.example, live=tensor.live, parts=(number, tensor), node=node)
    if first.kind == second.kind == ITEMS and type(first.example) is type(second.example) \
            and len(first.parts) == len(second.parts) and steps_of(first) == steps_of(second):
        parts = tuple(map(join, first.parts, second.parts))
        return Meaning(ITEMS, first.example, live=live, parts=parts)
    if {first.kind, second.kind} <= {ITEMS, LIST} and all(
            isinstance(side.example, list) for side in (first, second)):
        return list_of((*first.parts, *second.parts))
    if first.kind == second.kind == OTHER and not first.holds_tensors:
        return Meaning(OTHER, first.example if type(first.example) is type(second.example) else None)
    return Meaning(UNCLEAR, live=live or None)


def split(value: Meaning) -> tuple[Meaning | None, Meaning | None]:
    """The number and the tensor that a value may be."""
    if value.kind == MIXED:
        return value.parts[0], value.parts[1]
    return (value, None) if value.kind == NUMBER else (None, value)


def either(pair: tuple[Meaning | None, Meaning | None]) -> Meaning:
    first, second = pair
    if first is None or second is None:
        found = first or second
        assert found is not None
        return found
    return join(first, second)


def list_of(parts: tuple[Meaning, ...]) -> Meaning:
    """A list of any length, of what its items are."""
    element = parts[0] if parts else None
    for part in parts[1:]:
        assert element is not None
        element = join(element, part)
    return Meaning(LIST, [], live=element.live if element else False, parts=() if element is None else (element,))


def steps_of(value: Meaning) -> tuple:
    """What leads to each part of a container."""
    held = contents(value.example)
    return () if held is None else held.steps


def arrays_of(value: Any) -> Any:
    """A value from outside as compiled code gets it: arrays in place of tensors."""
    if value.__class__ is Tensor:
        return value._array
    if value.__class__ in (tuple, list, dict):
        return with_parts(value, arrays_of)
    if isinstance(value, np.generic):  # whose dtype counts for tensors no more than a Python number's
        return value.item()
    return value


def holds_plain_array(value: Any) -> bool:
    """Whether a value from outside is or has an array that is no tensor's: nobody counts what is written into that."""
    if value.__class__ is Tensor:
        return False
    held = contents(value, any_keys=True)
    return isinstance(value, np.ndarray) if held is None else any(map(holds_plain_array, held.parts))
