"""Containers of numbers and arrays (tuples, lists, dicts, named tuples, dataclasses, objects): their parts, others like
them.

A container has parts in a fixed order and, unless it is a plain tuple or list, a key for each of them: a dict's own
keys, the names of a named tuple's or a dataclass's fields, of an object's attributes.
"""
from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import inspect
import itertools
import sys
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

LEAVES = {int, float, bool, str, type(None), np.ndarray, np.float64}
"""Classes of most of what holds nothing else."""
CONSTANTS = LEAVES - {np.ndarray}
"""Those of what nobody can change, either."""
HASHED_BY_PARTS = (tuple, frozenset, slice, types.GenericAlias, types.MappingProxyType, weakref.ref)
KEYS = (str, int, bool, float, type(None))
"""Types of the keys that a dict may have to be looked into (or tuples of these)."""

HEAP_TYPE = 1 << 9
"""The flag of types that are made while Python runs (``Py_TPFLAGS_HEAPTYPE``)."""
NOT_INSTANCES = (np.ndarray, np.generic, type, types.ModuleType, BaseException, tuple, list, dict, set, frozenset, str,
                 bytes, int, float, complex)
LIBRARIES = {"numpy", "scipy", "s2sgrad", "pandas", "matplotlib"}
"""Packages whose source is not read. The last two have nothing that could be differentiated, and thousands of functions
that would all be looked into for what they change."""
OF_TUPLES = ("__init__", "__getattribute__", "__len__", "__getitem__", "__iter__", "__contains__", "__eq__", "__ne__",
             "__lt__", "__le__", "__gt__", "__ge__", "__hash__")
NOT_OF_TUPLES = ("__bool__", "__getattr__", "__reversed__", "__array__", "__array_ufunc__", "__array_priority__")
OF_NAMED_TUPLES = ("__new__", "_replace", "_make", "_asdict", "_fields")
"""Special methods, and others, by which a tuple with names is a tuple to Python and NumPy."""


OF_ALL = frozenset(vars(object))
"""What every class has."""


class Deque(deque):
    """What stands for ``deque`` where kinds of containers are told apart: a class for each ``maxlen``. Nothing is made
    of them."""

    limit: int | None = None


@functools.cache
def deque_of(limit: int | None) -> type[Deque]:
    """The kind of deques with this ``maxlen``."""
    return type("deque", (Deque,), {"limit": limit})


LISTS = (list, Deque)
"""Kinds of what grows and shrinks, and has its items in places."""


class Default(defaultdict):
    """What stands for ``defaultdict`` where kinds of containers are told apart: a class for each factory. Nothing is
    made of them."""

    factory: Any = None


def default_of(factory: Any) -> type[Default]:
    """The kind of the defaultdicts with this factory: the same for functions that one lambda makes again and again."""
    is_plain = type(factory) is types.FunctionType and factory.__closure__ is None and not (
        factory.__defaults__ or factory.__kwdefaults__)
    return _default_of(_first_of.setdefault(id(factory.__code__), factory) if is_plain else factory)


_first_of: dict[int, types.FunctionType] = {}
"""For the code of factories that read nothing around them, the first function that has it."""


@functools.lru_cache(maxsize=256)
def _default_of(factory: Any) -> type[Default]:
    return type("defaultdict", (Default,), {"factory": factory})


class Variables(dict):
    """Outer variables by their names, as a dict that reads and binds them: ``places`` has for each what does that. One
    that was made like it, as of their tangents, has none."""

    places: Mapping[Any, Any] = types.MappingProxyType({})

    def __getitem__(self, label: Any) -> Any:
        return self.places[label].read() if label in self.places else dict.__getitem__(self, label)

    def __setitem__(self, label: Any, value: Any) -> None:
        if label in self.places:
            self.places[label].bind(value)
        dict.__setitem__(self, label, value)


DICTS = (dict, OrderedDict, Counter, defaultdict, Variables)
"""Classes of what has its items under keys."""


def kind_of(value: Any) -> type:
    """The class of a value, where it is a deque or a defaultdict the kind that it is told apart by."""
    kind = type(value)
    return default_of(value.default_factory) if kind is defaultdict else deque_of(
        value.maxlen) if kind is deque else kind


def class_of(kind: type) -> type:
    """The class of the values of a kind."""
    return deque if issubclass(kind, Deque) else defaultdict if issubclass(kind, Default) else kind


class Contents(NamedTuple):
    """What a container holds: its kind, a key for each part (None: they are counted), and the parts."""

    kind: type
    keys: tuple | None
    parts: list

    @property
    def steps(self) -> tuple:
        """What leads to each part: its key, or its number where parts are counted."""
        return tuple(range(len(self.parts))) if self.keys is None else self.keys

    @property
    def is_dict(self) -> bool:
        return issubclass(self.kind, dict)


def contents(value: Any, any_keys: bool = False) -> Contents | None:
    """What a container holds; None for everything else, and unless ``any_keys`` for a dict with keys of other types."""
    kind = type(value)
    if kind in LEAVES:
        return None
    if kind is tuple or kind is list:
        return Contents(kind, None, list(value))
    if kind is deque:
        return Contents(deque_of(value.maxlen), None, list(value))
    if kind in DICTS:
        if kind is defaultdict and not has_quiet_hash(value.default_factory):
            return None
        return Contents(kind_of(value), tuple(value), list(value.values())) if any_keys or all(
            map(is_key, value)) else None
    if is_known_by_attributes(kind) and kind.__getattribute__ is object.__getattribute__ and not is_dataclass(kind):
        own = attributes_apart(value)
        if own is not None:
            parts = list(own.values())
            return None if holds_itself(value, parts) else Contents(kind, tuple(own), parts)
    if isinstance(value, tuple) and is_named_tuple(kind):
        return None if not is_plain_tuple(kind) else Contents(kind, field_names(kind), list(value))
    if is_dataclass(kind):
        names = field_names(kind)
        missing = object()
        parts = [getattr(value, name, missing) for name in names]
        return None if any(part is missing for part in parts) else Contents(kind, names, parts)
    if is_instance(value) and is_open(kind):
        own = own_attributes(value)
        if own is not None:
            parts = list(own.values())
            return None if holds_itself(value, parts) else Contents(kind, tuple(own), parts)
        names = attributes(value)
        if not any(is_computed(kind, name) for name in names):
            parts = [getattr(value, name) for name in names]
            return None if holds_itself(value, parts) else Contents(kind, names, parts)
    return None


class Bars(types.SimpleNamespace):
    """The cotangents of an object's attributes; for one that the object has not yet there is none."""

    def __getattr__(self, label: str) -> float:
        if label.startswith("__"):
            raise AttributeError(label)
        return 0.0

    def __getitem__(self, place: int) -> Any:
        """Of a named tuple's, which is read by numbers, too."""
        return list(vars(self).values())[place]

    def __setitem__(self, place: int, bar: Any) -> None:
        setattr(self, list(vars(self))[place], bar)


NAMESPACES = (types.SimpleNamespace, Bars)


def plainly(value: Any, label: str, default: Any = None) -> Any:
    """An attribute of a function, or of an object that is called as one, which is not made to compute it."""
    return default if hasattr(type(value), "__getattr__") else getattr(value, label, default)


def is_instance(value: Any) -> bool:
    """Whether a value is an object of a class of the user's, with attributes to be read and methods to be called."""
    kind = type(value)
    if kind in LEAVES:
        return False
    return kind in NAMESPACES or bool(kind.__flags__ & HEAP_TYPE) and not is_known_otherwise(kind) and (
        not in_library(kind.__module__) or kind.__module__ == "builtins")  # of a namespace without a name, by exec


@functools.lru_cache(maxsize=256)
def is_known_otherwise(kind: type) -> bool:
    """Whether a class is derived from one of Python's or NumPy's that says what its objects are, or says itself that
    they are of another class."""
    return issubclass(kind, NOT_INSTANCES) or any("__class__" in vars(base) for base in kind.__mro__[:-1])


def is_object(value: Any) -> bool:
    """The same of an object that is no named tuple and no dataclass: a container only where one asks for its
    attributes, because it is differentiated."""
    return is_instance(value) and not is_dataclass(type(value))


def is_dataclass(kind: type) -> bool:
    """What ``dataclasses.is_dataclass`` says of a class, in a third of the time."""
    return hasattr(kind, "__dataclass_fields__")


@functools.lru_cache(maxsize=1024)
def in_library(module: Any) -> bool:
    """Whether a module belongs to a library whose source is not read; compiled types may name none."""
    if not isinstance(module, str):
        return True
    root = module.split(".")[0]
    return root in LIBRARIES or root in sys.stdlib_module_names and root != "__main__"


def is_open(kind: type) -> bool:
    """Whether all that an object of the user's class is, is its attributes: what it inherits is Python code, reading an
    attribute runs none of it, and another object with the same attributes is as good."""
    if kind in NAMESPACES:
        return True
    return kind.__getattribute__ is object.__getattribute__ and _is_python(kind.__mro__)


@functools.lru_cache(maxsize=256)
def is_known_by_attributes(kind: type) -> bool:
    """Whether a class of the user's has objects that are what they have in their dict, as most have: no slots, no
    tuples, no C code."""
    return bool(kind.__flags__ & HEAP_TYPE and kind.__dictoffset__) and not _slots(kind) and not is_known_otherwise(
        kind) and not in_library(kind.__module__) and _is_python(kind.__mro__)


@functools.lru_cache(maxsize=256)
def _is_python(bases: tuple[type, ...]) -> bool:
    """Whether all classes that one is derived from are Python code, and none makes members of an enumeration."""
    return enum.Enum not in bases and all(base is object or base.__flags__ & HEAP_TYPE for base in bases)


def own_attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object whose class has no slots and no say in any of them; None of others."""
    kind = type(value)
    return None if not kind.__dictoffset__ or _slots(kind) else attributes_apart(value)


def attributes_apart(value: Any) -> dict[str, Any] | None:
    """The attributes of an object that has them all in a dict, if the class has nothing under their names."""
    own: dict[str, Any] = object.__getattribute__(value, "__dict__")
    for base in type(value).__mro__:
        if base is not object and not base.__dict__.keys().isdisjoint(own):
            return None
    return own if OF_ALL.isdisjoint(own) else None


def attributes(value: Any) -> tuple[str, ...]:
    """The names of the attributes that an object has itself: those in slots, and those in its ``__dict__``."""
    own = object.__getattribute__(value, "__dict__") if type(value).__dictoffset__ else ()
    return tuple([name for name in dict.fromkeys((*_slots(type(value)), *own))
                  if name not in ("__dict__", "__weakref__") and hasattr(value, name)])


@functools.lru_cache(maxsize=256)
def _slots(kind: type) -> tuple[str, ...]:
    slots = [getattr(base, "__dict__", {}).get("__slots__", ()) for base in reversed(kind.__mro__)]
    return tuple(name for names in slots for name in ([names] if isinstance(names, str) else names))


def is_computed(kind: type, name: str) -> bool:
    """Whether the class has a say in what an attribute is, whatever the object has under that name."""
    for base in kind.__mro__:  # to ask the class itself might run a descriptor
        if name in base.__dict__:
            found = base.__dict__[name]
            return hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)
    return False


def holds_itself(value: Any, parts: list) -> bool:
    """Whether an object is reached again from its own attributes (a node that knows its parent): it has no end then."""
    pending = [part for part in parts if type(part) not in LEAVES]
    seen: set[int] = set()
    while pending:
        found = pending.pop()
        if found is value:
            return True
        if id(found) in seen:
            continue
        seen.add(id(found))
        held: Iterable = ()
        if isinstance(found, (tuple, list, deque)):
            held = found
        elif isinstance(found, dict):
            held = found.values()
        elif is_instance(found) and is_open(type(found)):
            own = own_attributes(found)
            held = [getattr(found, name) for name in attributes(found)] if own is None else own.values()
        inside = [part for part in held if type(part) not in LEAVES]
        pending += [] if are_flat(inside) else inside
    return False


def are_flat(values: Collection) -> bool:
    """Whether values are all tuples, or lists, or dicts, of nothing but numbers, texts and arrays: the records of a
    history, of which there may be thousands."""
    kinds = set(map(type, values))
    if len(kinds) != 1 or kinds.isdisjoint((tuple, list, dict)):
        return False
    rows = map(dict.values, values) if kinds == {dict} else values
    return LEAVES.issuperset(map(type, itertools.chain.from_iterable(rows)))


def has_quiet_hash(value: Any) -> bool:
    """Whether a value may be looked up in a table: it has a hash, and to ask for that runs no code of the user's, which
    might count how often it is asked."""
    kind = type(value)
    return type(kind.__hash__) is types.WrapperDescriptorType and not issubclass(kind, HASHED_BY_PARTS)


def is_key(key: Any) -> bool:
    return all(map(is_key, key)) if type(key) is tuple else type(key) in KEYS


def is_member(value: Any) -> bool:
    """Whether a value is a member of an enumeration, and no number."""
    return isinstance(value, enum.Enum) and not isinstance(value, (int, float, complex))


def missing_in(kind: type, label: Any) -> str:
    """What objects of a class are said not to have all."""
    cached = type(inspect.getattr_static(kind, str(label), None)) is functools.cached_property
    return f"{'value of the cached property' if cached else 'attribute'} {label}"


def is_named_tuple(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple)


def is_plain_tuple(kind: Any) -> bool:
    """Whether a named tuple is nothing but the tuple of its fields, in the class itself or in one derived from it:
    these may have methods, properties and operators of their own, but no other length, items, truth or order."""
    made = next(base for base in kind.__mro__ if "_fields" in vars(base))
    return type(kind) is type and all(getattr(kind, name) is getattr(tuple, name) for name in OF_TUPLES) \
        and not any(hasattr(kind, name) for name in NOT_OF_TUPLES) \
        and all(_holder(kind, name) is made for name in (*OF_NAMED_TUPLES, *made._fields))


def _holder(kind: type, name: str) -> type | None:
    """The class in which a name is found."""
    return next((base for base in kind.__mro__ if name in vars(base)), None)


@functools.lru_cache(maxsize=256)
def field_names(kind: type) -> tuple[str, ...]:
    """The names of a named tuple's or a dataclass's fields."""
    fields: tuple[str, ...] | None = getattr(kind, "_fields", None)
    return fields if fields is not None else tuple(item.name for item in dataclasses.fields(kind))


def container(kind: type, keys: Sequence | None, parts: Sequence) -> Any:
    """A container of this kind with these parts. Of an object no code of the user's is run to make it."""
    if kind is tuple or kind is list:
        return kind(parts)
    if issubclass(kind, Deque):
        return deque(parts, kind.limit)
    if keys is not None and issubclass(kind, dict):
        return dict_of(kind, dict(zip(keys, parts)))
    if is_named_tuple(kind):
        return kind(*parts)
    return instance(kind, **dict(zip(keys or (), parts)))


def dict_of(kind: type, items: dict) -> Any:
    """A dict of this kind that holds these items."""
    if kind is dict:
        return items
    made: Any = kind
    return defaultdict(made.factory, items) if issubclass(kind, Default) else made(items)


def dict_text(kind: type, items: str, give: Callable[[Any], str]) -> str:
    """The text of :func:`dict_of`, where ``give`` has names for a class and a factory."""
    factory = ""
    if issubclass(kind, Default):  # one that is made inside a function has no name outside
        factory = f"{give(kind.factory if callable(kind.factory) else None)}, "
    return f"{give(class_of(kind))}({factory}{items})"


def instance(kind: type, /, **parts: Any) -> Any:
    """An object of a class with these values in its attributes, made without its ``__init__``."""
    made: Any = kind() if kind in NAMESPACES else object.__new__(kind)
    for name, part in parts.items():
        object.__setattr__(made, name, part)
    return made


def leaves(value: Any, path: tuple = ()) -> list[tuple[tuple, Any]]:
    """What is in a container that is none itself, each with the steps that lead there."""
    held = contents(value)
    if held is None:
        return [(path, value)]
    return [leaf for step, part in zip(held.steps, held.parts) for leaf in leaves(part, (*path, step))]


def at(value: Any, path: tuple) -> Any:
    """What is found at a place in a container."""
    for step in path:
        held = contents(value)
        assert held is not None
        value = held.parts[held.steps.index(step)]
    return value


def with_parts(value: Any, function: Callable[[Any], Any], any_keys: bool = False) -> Any:
    """A container of the same kind with the function of each part; the value itself where it is no container.

    Of a dataclass all attributes come along.
    """
    held = contents(value, any_keys)
    if held is None:
        return value
    parts = [function(part) for part in held.parts]
    if not is_dataclass(held.kind):
        return container(held.kind, held.keys, parts)
    made = copy.copy(value)
    for name, part in zip(held.steps, parts):
        object.__setattr__(made, name, part)
    return made


def replaced(value: Any, path: tuple, new: Any) -> Any:
    """The same container with something else at one place."""
    if not path:
        return new
    held = contents(value)
    assert held is not None
    number = itertools.count()
    place = held.steps.index(path[0])
    return with_parts(value, lambda part: replaced(part, path[1:], new) if next(number) == place else part)


def holds_objects(value: Any) -> bool:
    """Whether something is an object, or a container with one in it."""
    held = contents(value)
    return held is not None and (is_object(value) or any(map(holds_objects, held.parts)))


def holds_numbers(value: Any) -> bool:
    """Whether something is a number or an array of numbers, or a container with one in it."""
    return any(isinstance(leaf, (int, float, complex)) or isinstance(leaf, (np.ndarray, np.generic))
               and leaf.dtype.kind in "biufc" for _, leaf in leaves(value))


def is_integer(value: Any) -> bool:
    """Whether something is an integer, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_float(value: Any) -> bool:
    """Whether something has a gradient: a float or complex number, or a plain array of them."""
    if type(value) is np.ndarray:
        return bool(value.dtype.kind in "fc")
    return isinstance(value, (float, complex, np.inexact))


def is_complex(value: Any) -> bool:
    """Whether something is a complex number, or an array of them."""
    return np.iscomplexobj(value) if isinstance(value, (np.ndarray, np.generic)) else isinstance(value, complex)


def hides_floats(value: Any) -> bool:
    """Whether something is an object with floats in it that is no container: no gradient could be like it."""
    return contents(value) is None and is_instance(value) and any(
        is_float(getattr(value, name)) for name in attributes(value))


def holds_floats(value: Any) -> bool:
    """Whether something has a gradient, or is a container of something that has."""
    return bool(floats_in(value))


def floats_in(value: Any) -> list[Any]:
    """What has a gradient in a container, or is it itself."""
    return [leaf for _, leaf in leaves(value) if is_float(leaf)]


def described(value: Any) -> str:
    if value is None:
        return "None"
    kind = "array" if type(value) is np.ndarray else type(value).__name__
    name = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    return f"{name} of shape {value.shape} and dtype {value.dtype}" if isinstance(value, np.ndarray) else name
