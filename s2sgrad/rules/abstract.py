"""Abstract values: what is known of a value before the function runs; how two of them are joined."""
from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import types
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Union

import numpy as np

from s2sgrad.containers import LISTS, Default, Deque, is_member, missing_in
from s2sgrad.frozen import frozen
from s2sgrad.rules.dims import Dim, Shape, join_dims, lasting


class _Missing:
    """The absence of a value (None is a value)."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()


NUMBERS = ("python", "scalar", "number")


@dataclass(slots=True, eq=False)
class Numeric:
    """A number or an array. It never changes; that it is not ``frozen`` saves two thirds of the time to make it.

    Attributes
    ----------
    kind
        ``"python"`` (bool, int, float, complex), ``"scalar"`` (a NumPy scalar), ``"number"`` (either), ``"array"`` (an
        ndarray, 0-d ones too) or ``"any"`` of these.
    dtype
        The NumPy dtype (of a Python number the one that NumPy gives it), or None where unknown.
    shape
        ``()`` for numbers.
    active
        Whether a differentiated input may influence the value smoothly.
    value
        The value of a number that is known now, else MISSING.
    dim
        The dimension that an integer is, where it is one (``x.shape[0]``).
    origin
        The input whose value this is, untouched: it can be made known by specialising on it.
    mixed
        Whether what counts as complex may be real, or what counts as a float Python's integer: on another path, or in
        the first turn of a loop.
    real
        Of an unknown dtype, whether it is at least known to be none of complex numbers.
    grown
        Of an unknown shape, the one that it has unless it is a number on which no differentiated input has an
        influence: ``total = 0.0`` to which a loop adds arrays. No cotangent of such a number goes anywhere, so that all
        its cotangents may have this shape.
    """

    kind: str = "any"
    dtype: np.dtype | None = None
    shape: Shape = None
    active: bool = False
    value: Any = MISSING
    dim: Dim = None
    origin: str | None = None
    mixed: bool = False
    real: bool = False
    grown: Shape = None
    _counterpart: Numeric | None = field(default=None, init=False, repr=False)
    """The same value with the other activity, once it was asked for: tables find what is the same object at once."""

    def __eq__(self, other: object) -> bool:
        # a dtype equals None, which stands for float64 in NumPy and for an unknown dtype here
        return self is other or isinstance(other, Numeric) and (
            self.dtype is other.dtype or self.dtype is not None is not other.dtype and self.dtype == other.dtype) \
            and self.kind == other.kind and self.shape == other.shape and self.active == other.active \
            and (self.value is other.value or self.value == other.value) and self.dim == other.dim \
            and self.origin == other.origin and self.mixed == other.mixed and self.real == other.real \
            and self.grown == other.grown

    def __hash__(self) -> int:
        return hash((self.kind, self.dtype, self.shape, self.value))

    @property
    def is_number(self) -> bool:
        """Known to be immutable: a Python number or a NumPy scalar."""
        return self.kind in NUMBERS

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def with_activity(self, active: bool) -> Numeric:
        """The same value, active or not: written out, for this is done to every value of every expression."""
        if active == self.active:
            return self
        if self._counterpart is None:
            self._counterpart = Numeric(self.kind, self.dtype, self.shape, active, self.value, self.dim, self.origin,
                                        self.mixed, self.real, self.grown)
        return self._counterpart

    @property
    def cotangent_shape(self) -> Shape:
        """The shape of its cotangents."""
        return self.shape if self.shape is not None else self.grown

    def part(self, kind: str, shape: Shape) -> Numeric:
        """A part of it, or a number or array of such numbers."""
        return Numeric(kind, self.dtype, shape, real=self.real)


@frozen(slots=True)
class Viewed:
    """An attribute of an object that is a view of an array in another: its name, the expression of the view as text and
    as a tree (of ``self``), and the attributes that this reads."""

    label: str
    text: str
    reads: tuple[str, ...]
    node: Any = field(compare=False)


@frozen(slots=True)
class Items:
    """A container: of known ``items``, or (a tuple or list, ``items`` None) of any number of ``element``.

    ``keys`` are a dict's keys or the names of the fields of a named tuple or dataclass, of the attributes of an object,
    one for each item. A dict in which a value under some key changed has its keys, and in place of items an
    ``element``, too; one that got a value under a key which is not known (``keys`` None) has the ``element`` alone.

    ``optional``: it may be None; whatever takes it apart fails then. ``late``: the names of attributes that it may not
    have yet; one that it surely has not is ``UNSET``. ``views``: the attributes that it has besides, which are views of
    arrays in others. ``view``: the method of a dict whose view this is a list for.
    """

    kind: type
    items: tuple | None
    element: Any = None
    origin: str | None = None
    keys: tuple | None = None
    optional: bool = False
    late: frozenset = frozenset()
    views: tuple[Viewed, ...] = ()
    view: str | None = None

    @property
    def active(self) -> bool:
        if self.items is None:
            return self.element.active
        return any(item.active for item in self.items)

    @property
    def steps(self) -> tuple:
        """What leads to each item: its key, or its number where items are counted."""
        return self.keys if self.keys is not None else tuple(range(len(self.items or ())))

    def at(self, step: Any) -> Abstract:
        """The item that a step leads to."""
        return self.items[self.steps.index(step)] if self.items is not None and step in self.steps else self.any_item

    @property
    def any_item(self) -> Abstract:
        """What is known of each item."""
        if self.items is None:
            return self.element
        return functools.reduce(join, self.items) if self.items else Opaque()

    def indexed(self, index: Any) -> Any:
        """The step that stands for ``container[index]``, MISSING where that is an error or is not known."""
        if self.is_dict:
            return index if self.items is not None and index in self.steps else MISSING
        if isinstance(index, (bool, np.integer)):  # (a, b)[flag]
            index = int(index)
        if self.items is None or not issubclass(self.kind, (tuple, *LISTS)) or type(index) is not int \
                or not -len(self.items) <= index < len(self.items):
            return MISSING
        return self.steps[index]

    def lacks(self, index: Any) -> bool:
        """Whether ``container[index]`` is an error; not of an object of which only its class knows what index it is."""
        return self.items is not None and self.indexed(index) is MISSING and (
            not self.items or self.is_dict or isinstance(index, (int, np.integer)))

    def step(self, part: Any) -> Any:
        """The same of an index, or of the name of an attribute."""
        return part if isinstance(part, str) and self.has_field(part) else self.indexed(part)

    @property
    def is_open(self) -> bool:
        """Whether this is a dict of which the keys are not known."""
        return self.is_dict and self.keys is None

    @property
    def is_named(self) -> bool:
        """Whether this is a named tuple."""
        return self.keys is not None and issubclass(self.kind, tuple)

    @property
    def is_object(self) -> bool:
        """Whether the parts are attributes, and nothing else is known of what is in it."""
        return not issubclass(self.kind, (tuple, *LISTS, dict))

    @property
    def is_list(self) -> bool:
        """Whether this is a list or a deque."""
        return issubclass(self.kind, LISTS)

    @property
    def is_dict(self) -> bool:
        """Whether this is a dict, a defaultdict, a Counter or an OrderedDict."""
        return issubclass(self.kind, dict)

    @property
    def makes_items(self) -> bool:
        """Whether this is a dict in which something is found under keys that it has not."""
        return self.kind is Counter or self.is_default

    @property
    def is_default(self) -> bool:
        """Whether this is a dict that makes what is asked for and is not there."""
        return issubclass(self.kind, Default) and self.kind.factory is not None

    @property
    def is_deque(self) -> bool:
        return issubclass(self.kind, Deque)

    @property
    def has_places(self) -> bool:
        """Whether this is a tuple whose items have no names, a list or a deque."""
        return self.kind is tuple or self.is_list

    @property
    def is_changeable(self) -> bool:
        """Whether this is a list, a deque or a dict of any kind."""
        return self.is_dict or self.is_list

    def has_field(self, name: str) -> bool:
        """Whether an attribute of this name gives an item."""
        return self.keys is not None and not self.is_dict and name in self.keys


BY_EQUALITY = (str, bytes, int, float, complex, tuple, slice, range, np.dtype, types.MethodType,
               types.BuiltinMethodType)


@frozen(slots=True)
class Known:
    """A Python object that is known now: a function, a module, None, a string, a slice, a dtype, the user's object.

    Two are the same if the objects are; literals and bound methods, which are made anew, if they are equal.
    """

    value: Any
    origin: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self.origin == other.origin and (self.value is other.value or (
            type(self.value) is type(other.value) and isinstance(self.value, BY_EQUALITY)
            and self.value == other.value))

    def __hash__(self) -> int:
        if isinstance(self.value, BY_EQUALITY) and not isinstance(self.value, slice):
            return hash(self.value)
        return hash(type(self.value)) if isinstance(self.value, slice) else id(self.value)

    @property
    def active(self) -> bool:
        return False


@frozen(slots=True)
class Opaque:
    """Anything else. It is active only where a join mixed an active number with something else.

    ``holding``: it may be a container of active numbers. ``steady``: it is a key or a text, into which nothing can be
    put. ``kind``: the class of an array that is not NumPy's, where nothing tells what arithmetic does with it, or of a
    generator of random numbers, ``range``, ``Enum`` of a member of an enumeration, or ``BaseException`` of what may be
    an exception that was caught. ``besides``: what it is where it is not None, a number or an array; whatever computes
    with it fails on None. ``lacking``: of an object or a dict that has some attributes or keys on some ways only, one
    of these; of an object of one of several classes, which. ``bounds``: of a slice, its start, stop and step: each an
    integer, None, or MISSING where that is not known. ``told``: it is a text of differentiated
    values, or was made of one (see ``compiler/telling.py``).
    """

    active: bool = False
    origin: str | None = None
    holding: bool = False
    steady: bool = False
    kind: type | None = None
    besides: Numeric | None = None
    lacking: str | None = None
    bounds: tuple | None = None
    told: bool = False


RANGE = Opaque(kind=range)


@frozen(slots=True)
class Function:
    """A function that is defined inside the one looked at, or was handed to it.

    Attributes
    ----------
    owner
        The function of the module's in which it is defined: globals and closure cells are that one's.
    syntax
        Its syntax tree.
    homes
        Each name that it takes from around it, and the name under which the function looked at has that.
    gradient
        Of a gradient of such a function: ``grad`` or ``value_and_grad``, ``argnums``, ``has_aux`` and ``holomorphic``;
        of a gradient of that, too, and so on.
    """

    owner: Any
    syntax: Any
    homes: tuple[tuple[str, str], ...]
    gradient: tuple[tuple, ...] = ()

    @property
    def active(self) -> bool:
        return False


Abstract = Union[Numeric, Items, Known, Opaque, Function]

ANY = Numeric()
SEVERAL = Items(tuple, None, ANY)
"""Results of which nobody knows how many there are, or whether there is only one."""
KEY = Opaque(steady=True)
"""A key of a dict, or a text."""
ONE_OF_SOME = Opaque(steady=True, kind=enum.Enum)
"""A member of an enumeration."""
NEVER = Opaque(origin="never")
"""The value of what has not been reached yet, while a loop or a recursion is on its way to its fixpoint."""
UNSET = Known(MISSING)
"""An attribute that is not there yet: reading it fails. Beside a value it is taken for None, which whoever reads the
value does not meet."""
BOOLEAN = Numeric("python", np.dtype(bool), ())
INTEGER = Numeric("python", np.dtype(int), ())
FLOAT = Numeric("python", np.dtype(float), ())
COMPLEX = Numeric("python", np.dtype(complex), ())


def number(value: Any) -> Numeric:
    """The abstract value of a Python number that is written in the source."""
    return _number(value) if value else _number.__wrapped__(value)  # 0.0 and -0.0 are equal


@functools.lru_cache(maxsize=1024, typed=True)
def _number(value: Any) -> Numeric:
    return Numeric("python", np.dtype(type(value)), (), value=value)


def passive(value: Abstract) -> Abstract:
    """The same value, cut off from the differentiated inputs."""
    if isinstance(value, Numeric):
        return value.with_activity(False)
    if isinstance(value, Opaque):
        return replace(value, active=False, besides=value.besides and value.besides.with_activity(False)) \
            if value.active else value
    if isinstance(value, Items) and value.active:
        if value.items is None:
            return replace(value, element=passive(value.element))
        return replace(value, items=tuple(passive(item) for item in value.items))
    return value


def with_numbers(value: Abstract, change: Callable[[Numeric], Numeric]) -> Abstract:
    """The value with every number and every array in it changed."""
    if isinstance(value, Items):
        return replace(value, items=None if value.items is None else tuple(
            with_numbers(item, change) for item in value.items),
            element=None if value.element is None else with_numbers(value.element, change))
    return change(value) if isinstance(value, Numeric) else value


def known_value(value: Abstract) -> Any:
    """The Python value behind an abstract one, MISSING where it is not known (tuples of known items are known)."""
    if isinstance(value, (Known, Numeric)):
        return value.value
    if isinstance(value, Items) and value.items is not None and not value.optional:
        items = [known_value(item) for item in value.items]
        if value.kind in (tuple, list) and not any(item is MISSING for item in items):
            return value.kind(items)
    return MISSING


def is_key(value: Abstract) -> bool:
    """Whether a value is known to be a key or a text."""
    return isinstance(value, Known) and isinstance(value.value, (str, bytes)) \
        or isinstance(value, Opaque) and value.steady


def is_one_of_some(value: Abstract) -> bool:
    """Whether a value is a member of an enumeration, which is as good as a key."""
    return isinstance(value, Known) and is_member(value.value) or value == ONE_OF_SOME


def is_a_number(value: Abstract | None) -> bool:
    """Whether a value is known to be a number, and no array."""
    return isinstance(value, Numeric) and value.is_number


def is_whole(value: Abstract) -> bool:
    """Whether a value is an integer that is not differentiated, which may be a key, too."""
    return isinstance(value, Numeric) and value.is_number and not value.active and value.dtype is not None \
        and value.dtype.kind in "iu"


def slice_bounds(value: Abstract) -> tuple | None:
    """Start, stop and step of a slice, as far as they are known; None of what may be something else."""
    if isinstance(value, Opaque):
        return value.bounds
    found = known_value(value)
    return tuple(part if part is None or type(part) is int else MISSING
                 for part in (found.start, found.stop, found.step)) if type(found) is slice else None


def slice_of(*arguments: Abstract) -> Opaque:
    """What is known of ``slice(*arguments)``."""
    known = [known_value(value) for value in arguments]
    given = [part if part is None or type(part) is int else MISSING for part in known]
    start, stop, step = (None, *given, None) if len(given) == 1 else (*given, None)[:3]
    return Opaque(bounds=(start, stop, step))


def items_of(value: Items) -> tuple:
    """What is known of the items of a container, or of all that it may hold."""
    return value.items if value.items is not None else (value.element,)


def is_changeable(value: Any) -> bool:
    """Whether a value is a list, a deque or a dict."""
    return isinstance(value, Items) and value.is_changeable


def may_hold(value: Any, kind: type) -> bool:
    """Whether a value may be a container of a kind, or hold one."""
    if isinstance(value, Items):
        return issubclass(value.kind, kind) or any(may_hold(item, kind) for item in items_of(value))
    return not isinstance(value, Numeric) and not is_key(value)


def without_defaults(value: Abstract) -> Abstract:
    """What is known of a value from outside: nobody looks into a defaultdict there, which changes when it is read."""
    if not isinstance(value, Items):
        return value
    return Opaque() if value.is_default else replace(
        value, items=None if value.items is None else tuple(map(without_defaults, value.items)),
        element=None if value.element is None else without_defaults(value.element))


def activated(value: Abstract) -> Abstract:
    """The same value with every float and complex number in it differentiated; what may be one is. What may be a number
    or an array has then no shape that all its cotangents may have."""
    return with_numbers(value, lambda found: replace(found, active=True, grown=None) if found.dtype is None
                        or found.dtype.kind in "fc" else found)


def item_at(value: Abstract, path: tuple) -> Abstract:
    """What is known of what is found at a place in a container."""
    for step in path:
        if not isinstance(value, Items):
            return ANY
        value = value.at(step)
    return value


def with_dims(value: Abstract, change: Callable[[Dim], Dim]) -> Abstract:
    """The value with every dimension of the arrays in it, and those that numbers in it are, changed."""
    def changed(found: Numeric) -> Numeric:
        shape = found.shape and tuple(map(change, found.shape))
        dim = None if found.dim is None else change(found.dim)
        grown = found.grown and lasting(tuple(map(change, found.grown)))
        return found if shape == found.shape and dim == found.dim and grown == found.grown else replace(
            found, shape=shape, dim=dim, grown=grown)

    return with_numbers(value, changed)


def grown(*values: Numeric) -> Shape:
    """The shape of values of unlike shapes that are all arrays of it, or constant numbers (see ``Numeric.grown``)."""
    shapes = {value.cotangent_shape for value in values if value.shape != () or value.active}
    return lasting(shapes.pop()) if len(shapes) == 1 else None


def rank_of(value: Abstract) -> int | None:
    shape = shape_of(value)
    return None if shape is None else len(shape)


def shape_of(value: Abstract) -> Shape:
    """The shape of an array, or of what NumPy makes of a list that is written out."""
    if isinstance(value, Items) and value.has_places and value.items:
        inside = {shape_of(item) for item in value.items}
        shape = inside.pop()
        return None if inside or shape is None else (len(value.items), *shape)
    return value.shape if isinstance(value, Numeric) else None


def can_be_active(value: Abstract) -> bool:
    """Whether the value can carry a derivative at all: floats and complex numbers do, integers and flags don't."""
    return isinstance(value, Numeric) and (value.dtype is None or value.dtype.kind in "fc")


def join_dtypes(first: Numeric, second: Numeric) -> np.dtype | None:
    """Of a Python integer and a floating-point number or array (``total = 0``, then a sum) the latter's: none is lost.
    What may be complex counts as complex, of which a real number is one."""
    if first.dtype is None or second.dtype is None:
        return None
    if first.dtype == second.dtype:
        return first.dtype
    for one, other in ((first, second), (second, first)):
        if one.kind == "python" and one.dtype == np.dtype(int) and other.dtype.kind == "f" and (
                other.is_number or other.kind == "array" and other.dtype == np.dtype(float)):
            return other.dtype
    return common_complex(first, second)


def common_complex(*values: Numeric) -> np.dtype | None:
    """The dtype of values of which some may be complex and all are numbers; None where all are real."""
    dtypes = [value.dtype for value in values if value.dtype is not None]
    if all(dtype.kind != "c" for dtype in dtypes) or any(dtype.kind not in "biufc" for dtype in dtypes):
        return None
    strong = [value.dtype for value in values if value.kind != "python"] or dtypes
    return np.result_type(*strong, np.complex64)


def is_complex(value: Abstract) -> bool:
    """Whether the value is known to be of complex numbers."""
    return isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind == "c"


def holds_mixed(value: Abstract) -> bool:
    """Whether a value, or what it holds, counts as complex and may be real."""
    return value.mixed if isinstance(value, Numeric) else isinstance(value, Items) and any(
        holds_mixed(item) for item in items_of(value))


def may_be_whole(value: Abstract) -> bool:
    """Whether a value is an integer or a truth value, or may be one."""
    return not isinstance(value, Numeric) or value.dtype is None or value.dtype.kind in "biu" \
        or value.mixed and value.dtype.kind == "f"


def may_go_round(value: Abstract) -> bool:
    """Whether a value may be of truth values or of integers of few bits or without signs, which have no negatives."""
    return not isinstance(value, Numeric) or value.dtype is None or goes_round(value.dtype)


def goes_round(dtype: np.dtype) -> bool:
    return dtype.kind in "bu" or dtype.kind == "i" and dtype.itemsize < 8


def is_real(value: Abstract) -> bool:
    """Whether the value is known to be of floats that are not complex."""
    return isinstance(value, Numeric) and (value.real if value.dtype is None else value.dtype.kind == "f")


def is_not_complex(value: Abstract) -> bool:
    """The same, or of integers."""
    return isinstance(value, Numeric) and (value.real if value.dtype is None else value.dtype.kind != "c")


def may_be_complex(value: Abstract) -> bool:
    """Whether a value may be of complex numbers for all that is known."""
    return not is_not_complex(value)


def is_nothing(value: Abstract) -> bool:
    """Whether a value is None, or an attribute that is not there yet."""
    return isinstance(value, Known) and (value.value is None or value.value is MISSING)


def besides_none(value: Abstract) -> Any:
    """The number or array that a value is where it is not None, as far as that is the same wherever it is read; MISSING
    of None itself, None where it may be something else."""
    if is_nothing(value):
        return MISSING
    if isinstance(value, Opaque):
        return value.besides
    if not isinstance(value, Numeric):
        return None
    shape = None if value.shape is None else tuple(dim if isinstance(dim, (int, str)) else None for dim in value.shape)
    return Numeric(value.kind, value.dtype, shape, value.active, mixed=value.mixed, real=value.real)


def may_be_container(value: Abstract | None) -> bool:
    """Whether a value is a container, or may be one that holds differentiated values: the sum of two cotangents of it
    is no ``+`` then."""
    return isinstance(value, Items) or isinstance(value, Opaque) and value.holding


def as_numeric(value: Abstract) -> Abstract:
    """Where arithmetic succeeds on a value of unknown type, it is a number or an array."""
    if not isinstance(value, Opaque):
        return value
    return (ANY if value.besides is None else value.besides).with_activity(value.active)


def join(first: Abstract, second: Abstract) -> Abstract:
    """What is known of a value that is the first or the second."""
    if first == second or second is NEVER:
        return first
    if first is NEVER:
        return second
    active = first.active or second.active
    if isinstance(first, Numeric) and isinstance(second, Numeric):
        if first.shape is None or second.shape is None or len(first.shape) != len(second.shape):
            shape = None
        else:
            shape = tuple(map(join_dims, first.shape, second.shape))
        either = "number" if first.is_number and second.is_number else "any"
        dtype = join_dtypes(first, second)
        return Numeric(
            first.kind if first.kind == second.kind else either,
            dtype,
            shape,
            active,
            first.value if type(first.value) is type(second.value) and first.value == second.value else MISSING,
            join_dims(first.dim, second.dim),
            mixed=dtype is not None and dtype.kind in "fc" and (
                first.mixed or second.mixed or first.dtype is None or second.dtype is None
                or first.dtype.kind != second.dtype.kind),
            real=dtype is None and is_not_complex(first) and is_not_complex(second),
            grown=grown(first, second) if shape is None else None,
        )
    for one, other in ((first, second), (second, first)):
        if is_nothing(one) and isinstance(other, Items):
            return replace(other, optional=True, origin=None)
        if is_nothing(one) and is_nothing(other):
            return Known(None)
    if isinstance(first, Items) and isinstance(second, Items) and first.kind is second.kind:
        if first.optional or second.optional:
            found = join(replace(first, optional=False), replace(second, optional=False))
            return replace(found, optional=True) if isinstance(found, Items) else found
        if first.active != second.active and getattr(first.kind, "is_function", False):
            return Opaque(active, holding=active)  # one that stays as it is is no object (see ``compiler/closed.py``)
        if first.views != second.views:
            unlike = {view.label for view in {*first.views} ^ {*second.views}}
            return Opaque(active, holding=active, lacking=f"attribute {min(unlike)}")
        if first.items is not None and second.items is not None and len(first.items) == len(second.items) \
                and first.keys == second.keys:
            return Items(first.kind, tuple(map(join, first.items, second.items)), keys=first.keys,
                         late=first.late | second.late, views=first.views, view=first.view or second.view)
        if first.keys != second.keys and not first.is_dict:
            lacking = set(first.steps) ^ set(second.steps)
            if not lacking and None not in (first.items, second.items):  # set in another order
                joined = tuple(join(first.at(key), second.at(key)) for key in first.steps)
                return Items(first.kind, joined, keys=first.keys, late=first.late | second.late, views=first.views)
            return Opaque(active, holding=active, lacking=missing_in(
                first.kind, min(lacking, key=str)) if lacking else None)
        elements = [item for side in (first, second) for item in
                    (side.items if side.items is not None else (side.element,))]
        element = functools.reduce(join_items, elements) if elements else Opaque()
        if first.keys != second.keys and not (first.is_open or second.is_open) and isinstance(element, Opaque) \
                and not is_key(element):
            lacking = set(first.steps) ^ set(second.steps)
            return Opaque(active, holding=active, lacking=f"key {min(lacking, key=str)!r}" if lacking else None)
        return Items(first.kind, None, element, keys=first.keys if first.keys == second.keys else None,
                     view=first.view or second.view)
    if isinstance(first, Known) and isinstance(second, Known) and first.value is second.value:
        return Known(first.value)
    told = any(isinstance(value, Opaque) and value.told for value in (first, second))
    if all(map(is_one_of_some, (first, second))):
        return ONE_OF_SOME
    if all(is_key(value) or is_one_of_some(value) for value in (first, second)):
        return Opaque(steady=True, told=True) if told else KEY
    if is_key(first) and (is_key(second) or is_whole(second)) or is_key(second) and is_whole(first):
        return Opaque(steady=True, told=True) if told else KEY
    bounds = [slice_bounds(value) for value in (first, second)]
    if None not in bounds:
        return Opaque(bounds=tuple(one if one == other else MISSING for one, other in zip(*bounds)))  # type: ignore
    besides = [besides_none(value) for value in (first, second)]
    if None not in besides:
        parts = [part for part in besides if part is not MISSING]
        return Opaque(active, besides=functools.reduce(join, parts))  # type: ignore[arg-type]
    closes = any(isinstance(value, Function) and value.homes for value in (first, second))
    holding = any(value.active if isinstance(value, Items) else isinstance(value, Opaque) and value.holding
                  for value in (first, second))
    missed = [value.lacking for value in (first, second) if isinstance(value, Opaque) and value.lacking]
    kinds = [value.kind.__name__ for value in (first, second) if isinstance(value, Items) and value.is_object]
    missed += [f"class {' or '.join(kinds)}"] if len(kinds) == 2 else []
    caught = any(isinstance(value, Opaque) and value.kind is BaseException for value in (first, second))
    return Opaque(active or closes, holding=holding, kind=BaseException if caught else None,
                  lacking=missed[0] if missed else None, told=told)


def join_items(first: Abstract, second: Abstract) -> Abstract:
    """What is known of an item of a list that is the first or the second: of objects of which some lack attributes that
    the others may lack as well what they have together."""
    if isinstance(first, Items) and isinstance(second, Items) and first.late | second.late >= {
            *(first.keys or ())} ^ {*(second.keys or ())}:
        first, second = completed(first, second), completed(second, first)
    return join(first, second)


def completed(value: Items, other: Items) -> Items:
    """An object that may have the attributes of another of its class, too, where the class has none of that name."""
    more = tuple(label for label in other.steps if label not in value.steps)
    if value.kind is not other.kind or not value.is_object or not more or None in (value.items, other.items) \
            or dataclasses.is_dataclass(value.kind) or any(
                inspect.getattr_static(value.kind, label, MISSING) is not MISSING for label in ("__getattr__", *more)):
        return value
    return replace(value, items=(*(value.items or ()), *(UNSET for _ in more)), keys=(*value.steps, *more),
                   late=value.late.union(more))


def holds_names(value: Abstract) -> bool:
    """Whether a value is a named tuple, or holds one."""
    if not isinstance(value, Items):
        return False
    return value.is_named or any(map(holds_names, value.items if value.items is not None else (value.element,)))


def levels(value: Abstract) -> int:
    """How deep the containers in a value are nested."""
    if not isinstance(value, Items):
        return 0
    return 1 + max(map(levels, value.items if value.items is not None else (value.element,)), default=0)
