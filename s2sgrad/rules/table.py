"""The rule table and the language its lines are written in.

A line names a call with its parameters and gives, for each parameter that may be differentiated, a *formula*: the
product of the cotangent ``g`` of the result with the derivative. In a formula the parameters stand for the operands,
``y`` for the result, ``np`` and ``math`` for the modules; a name from :mod:`s2sgrad.runtime` is a helper. Steps may
go before the last expression, separated by semicolons: ``"hit = a == y; g * hit / np.sum(hit)"``. A formula of an
elementwise rule that does not mention ``g`` is the derivative itself. What a formula mentions is what gets saved; of
``a.shape``, which numbers have too, only the shape.

Where the text depends on what is known (a rank, an axis), the formula is a function that takes the
:class:`Operation` and returns the text. If the function also takes ``path``, the parameter must be a list or tuple
written out in the call: the path is the place of the active item, which the text names ``arrays_0``. With a default
of ``()`` it may be an array too; as ``*path`` it may be a list of lists too.

Of a function with several results ``y_0`` and ``g_0`` are the first and its cotangent. A tuple of formulas, one for
each result, stands for the sum of those whose result has a cotangent; a function finds the numbers of those in
``op.reached``.
"""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np

from s2sgrad.compiling import load
from s2sgrad.containers import has_quiet_hash
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import (
    ANY,
    MISSING,
    Abstract,
    Items,
    Known,
    Numeric,
    is_complex,
    is_not_complex,
    known_value,
    number,
    rank_of,
    shape_of,
)
from s2sgrad.rules.dims import Shape

ZERO = "0"
"""The formula of a parameter that may be active but has no influence to first order (a condition, a decimal count)."""


class NeedsValue(Exception):
    """A rule needs the Python value of an operand that is not known: the caller specialises on it or refuses."""

    def __init__(self, parameter: str, value: Abstract):
        super().__init__(parameter)
        self.parameter = parameter
        self.value = value
        self.location: Location | None = None


class Formula:
    """A formula as the compiler asks for it: with the operation, and the place of the operand if it is in a list."""

    def __init__(self, source: str | tuple[str, ...] | Callable[..., str | tuple[str, ...]]):
        self.source = source
        self.of_complex_alone = getattr(source, "of_complex_alone", False)
        """Whether the derivative with respect to real numbers is 0: what comes of them is passive then."""
        path = inspect.signature(source).parameters.get("path") if callable(source) else None
        self.takes_items = path is not None
        self.depths: Any = (0,)
        if path is not None:
            self.depths = (1,) if path.default is path.empty else (0, 1)
            if path.kind is path.VAR_POSITIONAL:
                self.depths = range(1000)

    @property
    def takes_nested(self) -> bool:
        """Whether it knows of lists in lists, however deep."""
        return isinstance(self.depths, range)

    def __call__(self, operation: Operation, path: tuple[int, ...] = ()) -> str | tuple[str, ...]:
        """The text, or those of which it is the sum. Raises UnsupportedError where it would be wrong: a list that the
        formula knows nothing of, or complex numbers in a rule that is not said to hold for them."""
        if len(path) not in self.depths:
            if not path:
                raise UnsupportedError(f"{operation.rule.title} takes differentiated values only in a list that is "
                                       "written out", "write the list in the call")
            raise UnsupportedError(f"{operation.rule.title} is not differentiated in a list of values",
                                   "make an array of the list with np.array")
        refuse_complex(operation)
        refuse_flag_as_axis(operation)
        refuse_layout(operation)
        try:
            text = self.text(operation, path)
        except (TypeError, ValueError, LookupError, ArithmeticError) as error:  # as axis=[0, 1] is no axis
            raise UnsupportedError(f"{operation.rule.title} has no derivative rule for such arguments ({error})",
                                   "see that the call itself runs, or write them otherwise") from error
        if isinstance(text, str):
            return text
        return tuple(text[place] for place in operation.reached if text[place] != ZERO)

    def text(self, operation: Operation, path: tuple[int, ...]) -> str | tuple[str, ...]:
        if not callable(self.source):
            return self.source
        if not self.takes_items:
            return self.source(operation)
        return self.source(operation, *path) if len(self.depths) > 2 else self.source(operation, path)


def refuse_complex(operation: Operation) -> None:
    """Raises UnsupportedError where a rule meets complex numbers that is not said to hold for them."""
    if not operation.rule.complex and any(map(holds_complex, (operation.result, *operation.operands.values()))):
        raise UnsupportedError(f"{operation.rule.title} has no derivative rule for complex numbers",
                               "compute with real and imaginary parts, np.real(z) and np.imag(z)")


def refuse_flag_as_axis(operation: Operation) -> None:
    """Raises UnsupportedError for ``axis=True``, which some of NumPy's functions take for 1, and others not at all."""
    if "axis" in operation.operands and isinstance(known_value(operation.operands["axis"]), bool):
        raise UnsupportedError(f"{operation.rule.title} gets a truth value for an axis", "write axis=1 for True, "
                               "axis=0 for False")


def refuse_layout(operation: Operation) -> None:
    """Raises UnsupportedError where the layout in memory decides where elements go."""
    order = known_value(operation.operands["order"]) if "order" in operation.operands else "C"
    if operation.rule.by_layout and order not in {*"CcFf"}:
        raise UnsupportedError(f"with order={order!r} the layout in memory decides where elements go",
                               "use order 'C' or 'F'")


def holds_complex(value: Abstract) -> bool:
    """Whether a value, or something in it, is complex."""
    if isinstance(value, Items):
        return any(map(holds_complex, value.items if value.items is not None else (value.element,)))
    return is_complex(value)


@frozen
class Parameter:
    name: str
    default: Any = MISSING
    keyword_only: bool = False


@frozen(eq=False)
class Rule:
    """One line of the table.

    Attributes
    ----------
    name
        What a temporary for the result is called.
    function
        The object that a user's name refers to.
    partials
        Formula for each differentiable parameter: :data:`ZERO`, or a text or function, made a :class:`Formula`.
    elementwise
        Operands broadcast against one another; the formula broadcasts alike and is summed back to its operand.
    spreads
        The formula may have fewer elements than its operand and broadcasts to it (the adjoint of a sum).
    constant
        No derivative anywhere: the result is passive.
    result
        The abstract result of an operation, where running the function on small samples cannot tell.
    sharing
        Whether the result may be memory of an operand: ``"fresh"``, ``"view"``, ``"read-only"`` (a view through which
        nothing can be written), ``"maybe"``, ``"alone"`` (maybe that of a variadic operand which is the only one),
        ``"array"`` (maybe that of the first operand, where that is no list), or ``"start"`` (maybe that of the operand
        of this name, which the sum of nothing is).
    names
        What else formulas may mention.
    variadic
        The parameter that gathers several positional arguments (``x.reshape(2, 3)``), as ``"*args"`` a single one too.
    each
        For parameters that may be a list of any number of values: the formula for the list of their cotangents.
    linear
        The parameters in which the map is linear, so that it is its own tangent: separately (``"x1 x2"``, a product),
        or in several at once (``"x1+x2"``), as it always is in the items of a list.
    tangent
        For other parameters the formula of what they add to the result's tangent; ``t`` is their own. Elementwise
        rules and reductions need none: theirs follows from the cotangent's.
    parts
        Of several results the numbers of those that have a derivative, or a function of the operation that gives them.
    complex
        The rule holds for complex numbers, too: see docs/complex.md for what a formula gives there.
    by_layout
        With ``order="A"`` or ``"K"`` elements go where the operand's layout in memory says, which cotangents and
        tangents need not have.
    check
        Raises UnsupportedError for operands that it does not hold for, as a rule of the user's is tried.
    """

    name: str
    function: Any
    parameters: tuple[Parameter, ...]
    partials: dict[str, Any] = field(default_factory=dict)
    elementwise: bool = False
    spreads: bool = False
    constant: bool = False
    result: Callable[[Operation], Abstract] | None = None
    sharing: str = "fresh"
    names: dict[str, Any] = field(default_factory=dict)
    variadic: str = ""
    each: dict[str, Any] = field(default_factory=dict)
    linear: str = ""
    tangent: dict[str, Any] = field(default_factory=dict)
    parts: Any = ()
    complex: bool = False
    by_layout: bool = False
    check: Callable[[Operation], None] | None = None

    def __post_init__(self) -> None:
        for formulas in (self.partials, self.tangent, self.each):
            for name, formula in formulas.items():
                if not isinstance(formula, Formula) and formula is not ZERO:
                    formulas[name] = Formula(formula)

    @property
    def title(self) -> str:
        """What messages call the function: the name that its users know."""
        return str(getattr(self.function, "__name__", None) or getattr(self.function, "name", self.name))

    @property
    def goes_to_libraries(self) -> bool:
        """Whether a library for single and double precision does the work, as LAPACK does."""
        return str(getattr(self.function, "__module__", "")).startswith(("scipy.", "numpy.linalg", "numpy.fft"))

    def takes_array(self, parameter: str) -> bool:
        """Whether what a parameter gets is taken for an array, a list too."""
        formula = self.partials.get(parameter)
        return self.elementwise or formula is not None and not getattr(formula, "takes_items", False)

    def takes_nested(self, parameter: str) -> bool:
        """Whether the formula of a parameter knows of lists in lists."""
        return getattr(self.partials.get(parameter), "takes_nested", False)

    @property
    def takes_items(self) -> bool:
        """Whether some formula knows of the items of a list that is written out."""
        return any(formula is not ZERO and formula.takes_items for formula in self.partials.values())

    @property
    def gives_view(self) -> bool:
        """Whether the result is always memory of the operand."""
        return self.sharing in ("view", "read-only")

    @property
    def linear_groups(self) -> list[list[str]]:
        """The parameters in which the map is linear, those together in which it is so at once."""
        return [group.split("+") for group in self.linear.split()]

    @functools.cached_property
    def names_taken(self) -> frozenset[str]:
        return frozenset(parameter.name for parameter in self.parameters)

    @functools.cached_property
    def places_taken(self) -> int:
        """How many positional arguments there may be."""
        return sys.maxsize if self.variadic else sum(not parameter.keyword_only for parameter in self.parameters)

    @property
    def gathers_from(self) -> int | None:
        """The number of positional arguments that are not gathered."""
        if not self.variadic:
            return None
        return [parameter.name for parameter in self.parameters].index(self.variadic.lstrip("*"))

    def bind(self, positional: list, keywords: dict[str, Any]) -> dict[str, Any]:
        """Operands by parameter name. Raises TypeError, with the reason alone, for what the rule doesn't take."""
        slots = [parameter for parameter in self.parameters if not parameter.keyword_only]
        start = self.gathers_from
        if start is not None and len(positional) > start + (not self.variadic.startswith("*")):
            positional = [*positional[:start], list(positional[start:])]
        if len(positional) > len(slots):
            raise TypeError(f"its rule takes {', '.join(slot.name for slot in slots)} by position, and no more")
        bound = {slot.name: operand for slot, operand in zip(slots, positional)}
        for name, operand in keywords.items():
            if name not in self.names_taken:
                raise TypeError(f"its rule does not take {name}=")
            if name in bound:
                raise TypeError(f"it got two values for {name}")
            bound[name] = operand
        for parameter in self.parameters:
            if parameter.default is MISSING and parameter.name not in bound:
                raise TypeError(f"its argument {parameter.name} is missing")
        return bound


class Operation:
    """One call of a function with a rule, as formulas see it: what is known of its operands and its result."""

    def __init__(self, rule: Rule, operands: dict[str, Abstract], result: Abstract = ANY,
                 reached: tuple[int, ...] = ()):
        self.rule = rule
        self.operands = operands
        self.result = result
        self.reached = reached

    def __getitem__(self, name: str) -> Abstract:
        if name in self.operands:
            return self.operands[name]
        default = next(parameter.default for parameter in self.rule.parameters if parameter.name == name)
        if isinstance(default, tuple):
            return Items(tuple, tuple(map(number, default)))
        return Known(default) if default is None or isinstance(default, str) else number(default)

    def reaching(self, parts: tuple[int, ...]) -> Operation:
        """The same operation where of several results these have cotangents."""
        return Operation(self.rule, self.operands, self.result, parts)

    @property
    def sharing(self) -> str:
        """The rule's, for these operands."""
        if self.rule.sharing == "array":
            return "fresh" if isinstance(self[self.rule.parameters[0].name], Items) else "maybe"
        if self.rule.sharing == "start":
            start, items = self["start"], self["items"]
            number = isinstance(start, Numeric) and start.is_number
            return "fresh" if number or isinstance(items, Items) and items.items else "maybe"
        if self.rule.sharing != "alone":
            return self.rule.sharing
        operands = self[self.rule.variadic]
        return "fresh" if isinstance(operands, Items) and operands.items is not None and len(
            operands.items) > 1 else "maybe"

    def lends(self, name: str) -> bool:
        """Whether the result may be memory of an operand."""
        return self.sharing != "fresh" and (self.rule.sharing != "start" or name == "start")

    @property
    def results(self) -> tuple[Abstract, ...]:
        """The only result, or each of several."""
        several = isinstance(self.result, Items) and self.result.items is not None
        return self.result.items if several else (self.result,)  # type: ignore[union-attr, return-value]

    @property
    def parts(self) -> Any:
        """The numbers of the results that have a derivative."""
        parts = self.rule.parts
        return parts(self) if callable(parts) else parts

    def item(self, name: str, path: tuple[int, ...]) -> Abstract:
        """The abstract value of the operand at a place inside a list or tuple."""
        value = self[name]
        for index in path:
            assert isinstance(value, Items) and value.items is not None
            value = value.items[index]
        return value

    def known(self, name: str) -> Any:
        """The operand's Python value; raises NeedsValue where it must first be made known."""
        value = known_value(self[name])
        if value is MISSING:
            raise NeedsValue(name, self[name])
        return value

    def if_known(self, name: str) -> Any:
        """The operand's Python value, or MISSING."""
        return known_value(self[name])

    def given(self, name: str) -> bool:
        """Whether the operand is there and isn't None."""
        return self.if_known(name) is not None

    def is_number(self, name: str) -> bool:
        value = self[name]
        return isinstance(value, Numeric) and value.is_number

    def rank(self, name: str) -> int | None:
        return rank_of(self[name])

    def dtype(self, name: str) -> np.dtype | None:
        value = self[name]
        return value.dtype if isinstance(value, Numeric) else None

    def is_double(self, name: str) -> bool:
        """Whether the operand (or ``y``, the result) is known to be of float64: NumPy's own numbers don't widen it."""
        value = self.result if name == "y" else self[name]
        return isinstance(value, Numeric) and value.dtype is not None and value.dtype == np.dtype(float)

    def is_complex(self, name: str) -> bool:
        """Whether the operand (or ``y``, the result) is known to be of complex numbers."""
        return is_complex(self.result if name == "y" else self[name])

    def is_real(self, name: str) -> bool:
        """The same of floats that are not complex, or of integers."""
        return is_not_complex(self.result if name == "y" else self[name])

    def shape(self, name: str) -> Shape:
        return shape_of(self[name])

    def axes(self, parameter: str = "axis", of: str = "a") -> tuple[int, ...] | None:
        """A reduction's axes, ascending; None for all of them. They are counted from 0 if the rank is known, else
        they come back as they were given, negative ones included."""
        axis = self.known(parameter)
        if axis is None:
            return None
        axes = axis if isinstance(axis, tuple) else (axis,)
        rank = self.rank(of)
        if rank == 0:
            return ()  # a number is reduced along 0 and -1, too
        if rank is not None:
            axes = tuple(sorted(item + rank if item < 0 else item for item in axes))
        return axes


RULES: dict[Any, Rule] = {}
"""By function object; the functions in :mod:`operator` stand for the operators."""
METHODS: dict[str, Rule] = {}
"""By name of an ndarray method; the array is the first parameter."""
ATTRIBUTES: dict[str, Rule] = {}
"""By name of an ndarray attribute; the array is the only parameter."""

OBJECTS: dict[type, Callable[[Any], Rule | None]] = {}
"""By class of objects that are called: what makes the rule of one."""

LATER: dict[str, tuple[str, ...]] = {
    "scipy.special": ("special",), "scipy.linalg": ("scipy_linalg", "scipy_matrices", "scipy_factors"),
    "scipy.stats": ("distributions", "multivariate"), "scipy.signal": ("scipy_signal", "scipy_filters"),
    "scipy.integrate": ("scipy_integrate",), "scipy.sparse.linalg": ("scipy_sparse",),
    "scipy.spatial.distance": ("scipy_distances",), "scipy.fft": ("scipy_fourier",),
    "scipy.ndimage": ("scipy_images",), "scipy.interpolate": ("scipy_interpolate",)}
"""Libraries that need not be there: each module, and the tables that are loaded once the user has imported it."""


def load_tables() -> None:
    """Fill the registry with the tables of the libraries that are imported by now."""
    load(LATER, "s2sgrad.rules")


def rule_for(function: Any) -> Rule | None:
    """The rule of any object, also of one that has no hash."""
    load_tables()
    if not has_quiet_hash(function):
        return next((rule for known, rule in RULES.items() if known is function), None) if callable(function) else None
    found = RULES.get(function)
    return rule_of_object(function) if found is None and OBJECTS else found


def rule_of_object(function: Any) -> Rule | None:
    """The rule of an object that is called, by its class."""
    make = next((OBJECTS[kind] for kind in type(function).__mro__ if kind in OBJECTS), None)
    return None if make is None else _made_for(make, function)


@functools.lru_cache(maxsize=256)
def _made_for(make: Callable[[Any], Rule | None], function: Any) -> Rule | None:
    """One rule for an object, each time the same."""
    return make(function)


def parse_signature(line: str) -> tuple[str, tuple[Parameter, ...]]:
    """``"np.sum(a, axis=None, *, keepdims=False)"`` taken apart: the callee's text and its parameters."""
    callee, _, arguments = line.partition("(")
    function = ast.parse(f"def f({arguments}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    spec = function.args
    positional = spec.posonlyargs + spec.args
    defaults = [MISSING] * (len(positional) - len(spec.defaults)) + [ast.literal_eval(d) for d in spec.defaults]
    parameters = [Parameter(argument.arg, default) for argument, default in zip(positional, defaults)]
    parameters += [
        Parameter(argument.arg, MISSING if default is None else ast.literal_eval(default), keyword_only=True)
        for argument, default in zip(spec.kwonlyargs, spec.kw_defaults)
    ]
    return callee, tuple(parameters)


class Member:
    """A method or attribute of arrays as a function, also for NumPy's scalars."""

    def __init__(self, name: str, called: bool):
        self.name = name
        self.called = called

    def __call__(self, array: Any, *args: Any, **kwargs: Any) -> Any:
        value = getattr(array, self.name)
        return value(*args, **kwargs) if self.called else value


def resolve(callee: str) -> Any:
    """The function that a table line means."""
    root, *path = callee.split(".")
    value: Any = {"np": np, "math": math, "builtins": builtins}.get(root) or sys.modules[root]
    for attribute in path:
        value = getattr(value, attribute)
    return value


def register(
    line: str,
    partials: dict[str, Any],
    *,
    name: str = "",
    method: str | bool = False,
    attribute: str | bool = False,
    aliases: tuple = (),
    **properties: Any,
) -> Rule:
    """Put a line into the table.

    Parameters
    ----------
    line
        ``"np.tanh(x)"``, or ``"ndarray.flatten(a, order='C')"`` for what is a method (or attribute) alone.
    method, attribute
        Arrays have it as a method or attribute too (True: of the same name), with the same parameters.
    aliases
        Other functions that mean the same.
    """
    callee, parameters = parse_signature(line)
    short = name or callee.split(".")[-1]
    unknown = set(partials) - {parameter.name for parameter in parameters}
    if unknown:
        raise TypeError(f"{line} has no parameter {', '.join(sorted(unknown))}")
    if callee.startswith("ndarray."):
        member = callee.split(".")[-1]
        rule = Rule(short, Member(member, not attribute), parameters, dict(partials), **properties)
        (ATTRIBUTES if attribute else METHODS)[member] = rule
        return rule
    target = resolve(callee)
    if isinstance(target, np.ufunc) and target.signature is None and target.nout == 1:
        properties["elementwise"] = True
        parameters = (*parameters, *UFUNC_PARAMETERS)
    rule = Rule(short, target, parameters, dict(partials), **properties)
    RULES[target] = rule
    for alias in aliases:
        RULES[alias] = replace(rule, function=alias)
    if method:
        METHODS[callee.split(".")[-1] if method is True else method] = rule
    if attribute:
        ATTRIBUTES[callee.split(".")[-1] if attribute is True else attribute] = rule
    return rule


UFUNC_PARAMETERS = tuple(Parameter(name, default, keyword_only=True) for name, default in {
    "dtype": None, "casting": "same_kind", "order": "K", "subok": True}.items())
PROPERTIES = ("name", "method", "attribute", "aliases", "result", "sharing", "names", "spreads",
              "variadic", "elementwise", "each", "parts", "linear", "tangent", "complex", "by_layout")


def _line(line: str, given: dict[str, Any], **properties: Any) -> Rule:
    """Parameters named like a property (``name=``) can't be formulas; none of NumPy's differentiable ones is."""
    partials = {name: formula for name, formula in given.items() if name not in PROPERTIES}
    properties.update((name, value) for name, value in given.items() if name in PROPERTIES)
    if isinstance(properties.get("result"), Numeric):
        always = properties["result"]
        properties["result"] = lambda operation: always
    return register(line, partials, **properties)


def elementwise(line: str, **given: Any) -> Rule:
    """``elementwise("np.tanh(x)", x="1 - y ** 2")``: operands broadcast, element by element."""
    return _line(line, given, elementwise=True)


def general(line: str, **given: Any) -> Rule:
    """Any other map: each formula gives the operand's cotangent in the operand's own shape."""
    return _line(line, given)


def reduction(line: str, **given: Any) -> Rule:
    """A map that sums over axes: each formula broadcasts to the operand's shape."""
    return _line(line, given, spreads=True)


def constant(line: str, **given: Any) -> Rule:
    """A function without derivative (``argmax``, comparisons, shapes), of complex numbers neither unless the line says
    so: its result is passive."""
    return _line(line, {"complex": True, **given}, constant=True)


def conjugated(op: Operation, text: str, of: str) -> str:
    """The conjugate of what a text gives, which is as complex as an operand (or ``y``): of real numbers the text."""
    return text if op.is_real(of) else f"np.conj({text})"


STRUCTURE = {"axis", "axes", "axis1", "axis2", "source", "destination", "keepdims", "dtype", "order", "ord", "shape",
             "indices_or_sections", "full_matrices", "compute_uv", "mode", "indexing", "sparse", "returned",
             "return_index", "return_inverse", "return_counts"}
"""Parameters whose values decide what the result is like: samples of them tell nothing."""

