"""What Python finds in the class of an object: methods, properties, operators, each as the call that it is.

An object whose attributes are known is an ``Items`` of its class. ``v.norm(x)`` of such a one is looked at as
``Vector.norm(v, x)``, ``v + w`` as ``Vector.__add__(v, w)``, ``v.length`` as a call of the property's getter. What a
class holds is read as a captured input, so that a method that is replaced is seen.
"""
from __future__ import annotations

import ast
import functools
import inspect
import itertools
import math
import operator
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

import gast

from s2sgrad.compiler.effects import is_library, may_write
from s2sgrad.compiler.initializers import is_frozen, with_text, writer_of_init
from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.nodes import attribute, constant
from s2sgrad.compiler.nodes import name as name_
from s2sgrad.compiler.targets import lacking
from s2sgrad.containers import DICTS, HEAP_TYPE, NOT_INSTANCES, in_library, is_instance, is_open
from s2sgrad.errors import SourceError
from s2sgrad.marking import Marked
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, items_of, known_value

Read = Callable[[Any, Any], Abstract]
"""Gives the abstract value of what is found under a name in a holder, and makes a captured input of it."""

OPERATORS = {
    gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.Div: "truediv", gast.FloorDiv: "floordiv", gast.Mod: "mod",
    gast.Pow: "pow", gast.MatMult: "matmul", gast.LShift: "lshift", gast.RShift: "rshift", gast.BitAnd: "and",
    gast.BitOr: "or", gast.BitXor: "xor", gast.USub: "neg", gast.UAdd: "pos", gast.Invert: "invert",
}

NAMED_OPERATORS = {f"{label}_" if label in ("and", "or") else label: kind for kind, label in OPERATORS.items()}
"""By the names that they have in the module ``operator``."""

NEVER_UNNAMED = {"__init__", "__new__", "__init_subclass__", "__getattribute__", "__getattr__", "__setattr__",
                 "__delattr__", "__class_getitem__", "__subclasshook__"}
"""Special methods that no operator, statement or built-in function calls of an object that is there."""
MOST_LOOKED_AT = 32
"""So many items of a container are asked for their class."""
TRUTH = ("__bool__", "__len__")
TEXT = ("__str__", "__repr__", "__format__")
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__iter__", "__getitem__")
"""Methods that Python calls without naming them."""
ITERATED = ("__iter__", "__len__", "__length_hint__", "__getitem__", "__next__", "__reversed__")
LENGTHS = ("__len__", "__length_hint__")
KEYS = ("__index__", "__hash__", "__eq__")
ORDERED = ("__lt__", "__gt__")
OF_ARRAYS = ("__array__", "__array_ufunc__", "__array_function__")
"""Methods by which an object says what NumPy's functions make of it."""
CALLED_BY: dict[Any, tuple[str, ...]] = {sum: ("__add__", "__radd__", "__iter__"), min: ("__lt__", "__iter__"),
             max: ("__gt__", "__lt__", "__iter__"), sorted: ("__lt__", "__gt__", *ITERATED),
             **dict.fromkeys((print, str, repr, ascii, format), TEXT),
             **dict.fromkeys((id, type, callable), ()), bool: TRUTH,
             **dict.fromkeys((list, tuple, deque, enumerate, zip, iter, reversed), ITERATED),
             **dict.fromkeys((range, set, frozenset), KEYS)}
"""Those of what they get that some built-in functions may call, and no others."""
COMPARED = {gast.Lt: ("__lt__", "__gt__"), gast.LtE: ("__le__", "__ge__"), gast.Gt: ("__gt__", "__lt__"),
            gast.GtE: ("__ge__", "__le__"), gast.Eq: ("__eq__", "__eq__"), gast.NotEq: ("__ne__", "__ne__")}
"""The method of the left side that a comparison calls, and that of the right side."""
FUNCTIONS = {len: "__len__", abs: "__abs__", float: "__float__", int: "__int__", round: "__round__",
             math.trunc: "__trunc__", math.floor: "__floor__", math.ceil: "__ceil__"}
"""Functions that call a special method of their first argument."""


def found_in(kind: type, name: str) -> Any:
    """What a class holds under a name, as it holds it; MISSING where there is nothing."""
    found = inspect.getattr_static(kind, name, MISSING)
    if found is MISSING and not in_library(kind.__module__):
        lacking.add(kind)
    return unmarked(found)


def unmarked(found: Any) -> Any:
    """The function under the decorator ``differentiable``, a property of such functions; anything else as it is."""
    if type(found) is Marked:
        return found.__wrapped__
    if type(found) is property and Marked in (type(found.fget), type(found.fset)):
        return property(unmarked(found.fget), unmarked(found.fset), found.fdel)
    if type(found) is functools.cached_property and type(found.func) is Marked:
        return functools.cached_property(found.func.__wrapped__)
    return found


def function_of(found: Any) -> Any:
    """The function of a static method or a class method; anything else as it is."""
    return unmarked(getattr(found, "__func__", found))


def method_call(node: Any, receiver: gast.AST, kind: type, name: str, read: Read) -> gast.Call | None:
    """The call that ``receiver.name(...)`` is, with the arguments of a node; None for what is not a method with Python
    source."""
    if not is_method(kind, name):
        return None
    found = found_in(kind, name)
    function = function_of(found)
    read(name, kind)
    own = [] if isinstance(found, staticmethod) else [receiver]
    if isinstance(found, classmethod):
        own = [gast.copy_location(attribute(receiver, "__class__"), node)]
    return called(node, function, *own, *node.args, keywords=node.keywords)


def is_method(kind: type, name: str) -> bool:
    """Whether what a class holds under a name is a method with Python source."""
    found = found_in(kind, name)
    function = function_of(found)
    return isinstance(found, (types.FunctionType, staticmethod, classmethod)) \
        and isinstance(function, types.FunctionType) and not in_library(function.__module__ or "")


def class_of_method(kind: type, name: str) -> type:
    """The class of what an object gives under the name of a method."""
    found = found_in(kind, name)
    if isinstance(found, staticmethod):
        return types.FunctionType
    return types.MethodType if isinstance(found, (types.FunctionType, classmethod)) else types.BuiltinMethodType


def dispatcher_of(value: Abstract, name: str) -> Any:
    """The function that chooses what ``functools.singledispatchmethod`` calls; None where a name is none of those."""
    found = found_in(value.kind, name) if isinstance(value, Items) and value.is_object else None
    return found.dispatcher if type(found) is functools.singledispatchmethod and all(
        isinstance(each, types.FunctionType) for each in found.dispatcher.registry.values()) else None


def getter_call(node: Any, kind: type, read: Read) -> gast.Call | None:
    """The call that reading a property is."""
    found = found_in(kind, node.attr)
    if type(found) is not property or not isinstance(found.fget, types.FunctionType):
        return None
    read(node.attr, kind)
    return called(node, found.fget, node.value)


def is_constant_of(kind: type, name: str) -> bool:
    """Whether a class holds a plain value under a name, which its objects give as it is."""
    found = found_in(kind, name)
    return found is not MISSING and not hasattr(type(found), "__get__")


def may_change(kind: type, name: str, seen: tuple[str, ...] = ()) -> bool:
    """Whether a method may store something in its object, itself or by another of its methods."""
    found = found_in(kind, name)
    function = found.fget if type(found) is property else function_of(found)
    if name in seen or not isinstance(function, types.FunctionType) or in_library(function.__module__ or ""):
        return False
    if in_library(function.__globals__.get("__name__")):  # what a library has wrapped, as the text of a dataclass
        function = getattr(function, "__wrapped__", function)
    if may_write(function):
        return True
    try:
        tree = locate(function).node
    except SourceError:
        return False
    return any(may_change(kind, part.attr, (*seen, name)) for part in ast.walk(tree) if isinstance(part, ast.Attribute))


def called_by(function: Any) -> tuple[str, ...] | None:
    """The methods that a built-in function may call of what it gets; None where that is not known."""
    return next((names for known, names in CALLED_BY.items() if known is function), None)


def special_names(kind: type) -> tuple[str, ...]:
    """The methods that Python may call of an object that it gets, without naming them."""
    return tuple(name for name in dir(kind) if name.startswith("__") and name.endswith("__")
                 and name not in ("__init__", "__post_init__", "__new__", "__init_subclass__"))


def operator_calls(node: Any, kind: type, operands: dict[str, gast.AST], values: list[Abstract], read: Read
                   ) -> list[gast.Call]:
    """The calls that an operator makes in turn, until one gives something else than NotImplemented; none where what
    happens can't be told."""
    word = OPERATORS[kind]
    if len(values) == 1:
        return special_calls(node, values[0], f"__{word}__", list(operands.values()), read)
    left, right = values
    first = special_calls(node, left, f"__{word}__", list(operands.values()), read)
    second = special_calls(node, right, f"__r{word}__", list(operands.values())[::-1], read)
    one, other = kind_of(left), kind_of(right)
    if one is not None and other is not None:
        if one is other:
            return first
        if issubclass(other, one) and found_in(other, f"__r{word}__") is not found_in(one, f"__r{word}__"):
            return [*second, *first]
    if isinstance(left, Numeric) and other is not None and not hands_over(left, other):
        return []
    return [*first, *second]


def kind_of(value: Abstract) -> type | None:
    """The class of a container or an object, of one from outside that is not differentiated, too; None for all else."""
    if isinstance(value, Items):
        return value.kind
    return type(value.value) if isinstance(value, Known) and is_instance(value.value) else None


def has_operator(value: Abstract, kind: type) -> bool:
    """Whether a class of the user's says what an operator does with this value."""
    if isinstance(value, Items) and value.is_object:
        return True
    found = None if isinstance(value, Items) and (value.keys is None or value.is_dict) else kind_of(value)
    return found is not None and any(isinstance(
        found_in(found, f"__{side}{OPERATORS[kind]}__"), types.FunctionType) for side in ("", "r", "i"))


def comparison_of(function: Any) -> type | None:
    """The comparison that a function of ``operator`` stands for."""
    name = getattr(function, "__name__", "")
    found = next((kind for kind, (method, _) in COMPARED.items() if method == f"__{name}__"), None)
    return found if function is getattr(operator, name, None) else None


def operator_of(function: Any) -> type | None:
    """The operator that a function of ``operator`` stands for."""
    name = getattr(function, "__name__", "")
    return NAMED_OPERATORS.get(name) if function is getattr(operator, name, None) else None


def objects_or_named(values: list[Abstract]) -> bool:
    """Whether some values are objects or named tuples, or lists of such."""
    return any(isinstance(part, Items) and (part.is_object or part.is_named) for value in values
               if isinstance(value, Items) for part in (value, *items_of(value)))


def updates_in_place(kind: type, operator: type) -> bool:
    return found_in(kind, f"__i{OPERATORS[operator]}__") is not MISSING


def hands_over(value: Numeric, kind: type) -> bool:
    """Whether a number or an array leaves an operator to the object at its right."""
    if found_in(kind, "__array_ufunc__") is None:
        return True
    converted = any(found_in(kind, name) is not MISSING for name in ("__array__", "__len__", "__array_ufunc__"))
    return value.kind == "python" or value.kind in ("scalar", "number") and not converted


def special_calls(node: Any, value: Abstract, name: str, arguments: list[gast.AST], read: Read) -> list[gast.Call]:
    """The call of a special method, which Python looks up in the class."""
    kind = kind_of(value)
    found = MISSING if kind is None else found_in(kind, name)
    if not isinstance(found, types.FunctionType) or in_library(found.__module__ or ""):
        return []
    read(name, kind)
    return [called(node, found, *arguments)]


def gives_iterator(node: Any) -> bool:
    """Whether an expression is a call of an ``__iter__``: what that gives is run through as it is."""
    function = node.func if isinstance(node, gast.Call) else None
    return getattr(function, "attr", None) == "__iter__" or isinstance(function, gast.Constant) and getattr(
        function.value, "__name__", "") == "__iter__"


def called(node: gast.AST, function: types.FunctionType, *arguments: gast.AST, keywords: list | None = None
           ) -> gast.Call:
    made = gast.Call(gast.copy_location(constant(function), node), list(arguments), list(keywords or ()))
    return gast.copy_location(made, node)


def initializer(kind: Any, read: Read) -> types.FunctionType | None:
    """The ``__init__`` that makes an object of a class all that it is; None where it is another's or more goes on."""
    found = found_in(kind, "__init__") if is_plain(kind) else None
    if not isinstance(found, types.FunctionType) or in_library(found.__module__ or ""):
        return None
    read("__init__", kind)
    return found


def is_empty(kind: Any) -> bool:
    """Whether a class makes objects without attributes."""
    return is_plain(kind) and found_in(kind, "__init__") is object.__init__


def is_plain(kind: Any) -> bool:
    """Whether a call of something makes an object of a class of the user's, and then does nothing but ``__init__``."""
    return isinstance(kind, type) and bool(kind.__flags__ & HEAP_TYPE) and not issubclass(kind, NOT_INSTANCES) \
        and not in_library(kind.__module__) and is_open(kind) \
        and not is_frozen(kind) and writer_of_init(kind) is None \
        and type(kind).__call__ is type.__call__ and found_in(kind, "__new__") is object.__new__


def parent_call(node: Any, label: str, within: type | None, value: Abstract, read: Read) -> gast.AST | None:
    """``super().name(...)`` in a method of the class ``within``, whose first argument is under a name and has this
    value, as the call of what Python finds behind that class; None where that is not Python code."""
    holder, found = behind(within, value, node.func.attr)
    if found is object.__init__:
        return gast.copy_location(constant(None), node)
    function = with_text(function_of(found), holder, node)
    if not isinstance(function, types.FunctionType) or in_library(function.__module__ or ""):
        return None
    read(node.func.attr, holder)
    receiver: gast.AST = gast.copy_location(name_(label), node)
    if isinstance(found, classmethod) and not isinstance(known_value(value), type):
        receiver = gast.copy_location(attribute(receiver, "__class__"), node)
    return called(node, function, *([] if isinstance(found, staticmethod) else [receiver]), *node.args,
                  keywords=node.keywords)


def behind(within: type | None, value: Abstract, name: str) -> tuple[type, Any]:
    """Where ``super()`` finds a name in a method of a class, and what; MISSING where it finds nothing."""
    held = known_value(value)
    kind = value.kind if isinstance(value, Items) else held if isinstance(held, type) else type(held)
    lacking.add(kind)
    later = kind.__mro__[kind.__mro__.index(within) + 1:] if within in kind.__mro__ else ()
    holder = next((base for base in later if name in vars(base)), object)
    return holder, unmarked(vars(holder).get(name, MISSING)) if later else MISSING


def class_of(function: types.FunctionType) -> type | None:
    """The class in whose body a method is written, if it asks for ``super()``."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    return cells["__class__"].cell_contents if "__class__" in cells else None


def kinds_in(value: Abstract) -> Iterator[type]:
    """The classes of the objects, made here or found outside, that a value is, or that are in it."""
    yield from (found.kind for found in objects_in(value))
    yield from kinds_outside(value)


def kinds_outside(value: Abstract) -> Iterator[type]:
    """The classes of the objects found outside that a value is, or that are in it."""
    yield from map(type, first_of_each_class(known_value(value)))
    for part in items_of(value) if isinstance(value, Items) and not value.is_object else ():
        yield from kinds_outside(part)


def objects_in(value: Abstract, dicts: bool = False) -> Iterator[Items]:
    """The objects, and if asked for the ``dicts``, that a value is, or that are in the containers that it is."""
    if isinstance(value, Items) and (value.is_object or dicts and value.is_dict):
        yield value
    elif isinstance(value, Items):
        for part in value.items if value.items is not None else (value.element,):
            yield from objects_in(part, dicts)


def changes_when_read(value: Abstract) -> bool:
    """Whether a value is, or holds, what may change without a statement that says so: an object, whose methods do, or a
    dict that makes what it is asked for."""
    return isinstance(value, Items) and (
        value.is_object or value.is_default or any(map(changes_when_read, items_of(value))))


def unnamed(value: Any, attribute: str | None = None) -> list[Any]:
    """The functions of the user's that run where an object is used, without being named; or where an attribute of it
    is read that it does not hold."""
    if attribute is None:
        return [value] if isinstance(value, types.GeneratorType) else [
            types.MethodType(function, item) for item in first_of_each_class(value) for label in dir(type(item))
            if label.startswith("__") and label.endswith("__") and label not in NEVER_UNNAMED
            and is_users(function := found_in(type(item), label))]
    if not is_instance(value):
        return []
    found = found_in(type(value), attribute)
    functions = [found_in(type(value), label) for label in ("__getattribute__", "__getattr__")]
    functions.append(getattr(found, "fget", getattr(found, "func", None)))  # of a property, a cached one
    getter = inspect.getattr_static(type(found), "__get__", None)
    methods = [types.MethodType(function, value) for function in functions if is_users(function)]
    return [*methods, functools.partial(getter, found, value)] if is_users(getter) else methods


def unnamed_in_stores(value: Any, attribute: str) -> list[Any]:
    """The same where an attribute of an object is stored into, or deleted."""
    found = found_in(type(value), attribute) if is_instance(value) else None
    functions = [getattr(found, label, None) for label in ("fset", "fdel")]
    methods: list[Any] = [types.MethodType(function, value) for function in functions if is_users(function)]
    setter = inspect.getattr_static(type(found), "__set__", None)
    return [*methods, functools.partial(setter, found, value)] if is_users(setter) else methods


def own_checks(classes: Any) -> list[types.FunctionType]:
    """The functions of the user's that say, in metaclasses, what counts as an object of some class among these."""
    if isinstance(classes, tuple):
        return [function for part in classes for function in own_checks(part)]
    found = [found_in(type(classes), label) for label in ("__instancecheck__", "__subclasscheck__")]
    return [function for function in found if is_users(function)]


def functions_in(kind: type) -> Iterator[tuple[str, types.FunctionType]]:
    """The functions of the user's that a class has, each with the name that leads to it: its methods, what it inherits
    included, and what reads, stores and deletes its properties."""
    for base in kind.__mro__:
        for label, held in ([] if in_library(base.__module__) else vars(base).items()):
            found = unmarked(held)
            parts: tuple
            if type(found) is property:
                parts = found.fget, found.fset, found.fdel
            elif type(found) is functools.cached_property:
                parts = found.func,
            else:
                parts = function_of(found) if isinstance(found, (staticmethod, classmethod)) else found,
            yield from ((label, part) for part in parts if is_users(part))


def unnamed_in(kind: type) -> list[types.FunctionType]:
    """Those of them that run where an object of the class is made or used, without being named."""
    return [function for label, function in functions_in(kind) if label != "__init__" and (
        label.startswith("__") and label.endswith("__") or not is_method(kind, label))]


def first_of_each_class(value: Any) -> list[Any]:
    """The object that a value is; of a list, tuple or dict that holds objects, one of each class among the first."""
    items = value.values() if type(value) in DICTS else value if type(value) in (list, tuple, deque) else [value]
    return [*{type(item): item for item in itertools.islice(items, MOST_LOOKED_AT) if is_instance(item)}.values()]


def is_users(function: Any) -> TypeGuard[types.FunctionType]:
    """Whether this is a Python function that is read."""
    return isinstance(function, types.FunctionType) and not is_library(function)


def is_parent(node: gast.AST) -> TypeGuard[gast.Call]:
    """Whether an expression looks like ``super()`` or ``super(Model, self)``."""
    return isinstance(node, gast.Call) and not node.keywords and isinstance(node.func, gast.Name) and (
        not node.args or len(node.args) == 2 and isinstance(node.args[1], gast.Name))
