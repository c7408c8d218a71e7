"""A call of a function in the rule table: its operands, what is known of them, and its formulas run as they stand."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import numpy as np

from s2sgrad import runtime
from s2sgrad.rules.abstract import SEVERAL, Abstract, Items, Known, Numeric, number, passive
from s2sgrad.rules.results import result_of
from s2sgrad.rules.table import ATTRIBUTES, METHODS, RULES, ZERO, Member, Operation, Rule, load_tables

try:
    import scipy.fft
    import scipy.integrate
    import scipy.linalg
    import scipy.ndimage
    import scipy.signal
    import scipy.spatial.distance
    import scipy.special
    import scipy.stats
except ImportError:
    scipy = None  # type: ignore[assignment]
load_tables()

ALWAYS = itertools.repeat(True)
HELPERS = {name: getattr(runtime, name) for name in dir(runtime) if not name.startswith("_")}
FACTS = ("known", "ranks", "unknown")
"""How much the compiler knows of the operands: sizes, only how many there are, or nothing."""


def label(rule: Rule) -> str:
    """What a rule is called in the table of cases."""
    for names in (METHODS, ATTRIBUTES):
        for name, other in names.items():
            if other is rule and rule not in RULES.values():
                return f".{name}"
    function = rule.function
    if is_of_scipy(function):
        return scipy_label(function)
    if isinstance(function, np.ufunc):
        return f"np.{function.__name__}"
    if is_ufunc_method(function):
        return f"np.{function.__self__.__name__}.{function.__name__}"
    return PREFIXES[function.__module__] + function.__name__


def is_of_scipy(function: Any) -> bool:
    if isinstance(function, np.ufunc):
        return getattr(np, function.__name__, None) is not function
    return str(getattr(function, "__module__", "")).startswith("scipy.")


def scipy_label(function: Any) -> str:
    """The public name; a method of a distribution is called by that of the distribution."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, np.ufunc) or owner is None:
        parts = ["scipy", "special"] if isinstance(function, np.ufunc) else function.__module__.split(".")
        return ".".join([*(part for part in parts if not part.startswith("_")), function.__name__])
    label = getattr(owner, "name", None) or type(owner).__name__.removesuffix("_gen")
    return f"scipy.stats.{label}.{function.__name__}"


def is_ufunc_method(function: Any) -> bool:
    return isinstance(getattr(function, "__self__", None), np.ufunc)


PREFIXES = {"numpy": "np.", "numpy.linalg": "np.linalg.", "numpy.fft": "np.fft.",
            "numpy.lib.stride_tricks": "np.lib.stride_tricks.", "builtins": "", "math": "math.", "_bisect": "bisect.",
            "statistics": "statistics."}


def is_of_the_table(rule: Rule) -> bool:
    """Not what a user or another test has added, nor what is known of the runtime's helpers."""
    function = rule.function
    if str(getattr(function, "__module__", "")).startswith("scipy.sparse"):
        return False  # tests/test_sparse.py tries these: what they get has no text
    own = isinstance(function, (np.ufunc, Member)) or is_ufunc_method(function) or is_of_scipy(function)
    return own or getattr(function, "__module__", None) in PREFIXES


# aliases share their line's formulas
LINES = {
    id(rule.partials): rule
    for rule in reversed([*RULES.values(), *METHODS.values(), *ATTRIBUTES.values()])
    if is_of_the_table(rule)
}
BY_LABEL = {label(rule): rule for rule in reversed(LINES.values())}
DIFFERENTIABLE = {name: rule for name, rule in BY_LABEL.items() if rule.partials}


def builders(dtype: type, which: Iterator[bool] = ALWAYS) -> dict[str, Any]:
    """What makes operands; ``which`` of them are complex where the dtype is."""
    rng = np.random.default_rng(7)

    def mixed(first: Any, second: Callable[[], Any]) -> Any:
        if np.dtype(dtype).kind != "c":
            return np.asarray(first, dtype)
        return np.asarray(first + 1j * second(), dtype) if next(which) else np.asarray(first, dtype(0).real.dtype)

    def normal(*shape: int) -> Any:
        return mixed(rng.normal(size=shape), lambda: rng.normal(size=shape))

    return {
        "np": np,
        "scipy": scipy,
        "n": normal,
        "p": lambda *shape: mixed(rng.uniform(0.2, 0.9, size=shape), lambda: rng.uniform(0.2, 0.9, size=shape)),
        "m": lambda *shape: mixed(rng.normal(size=(*shape, shape[-1])) + 3 * np.eye(shape[-1]),
                                  lambda: rng.normal(size=(*shape, shape[-1]))),
        "l": lambda *shape: mixed(np.where(np.arange(np.prod(shape)).reshape(shape) % 5 == 1, np.nan, rng.uniform(
            0.2, 0.9, size=shape)), lambda: rng.uniform(0.2, 0.9, size=shape)),
        "s": lambda *shape: symmetric(normal(*shape, shape[-1])) if np.dtype(dtype).kind == "c" else
        symmetric(rng.normal(size=(*shape, shape[-1]))).astype(dtype),
        "r": lambda *shape: np.asarray(rng.normal(size=(*shape, shape[-1])) + 9 * np.diag(np.arange(shape[-1])), dtype),
        "b": lambda *shape: rng.uniform(size=shape) < 0.5,
        "i": lambda *shape: rng.integers(0, 3, size=shape),
        "c": lambda value: mixed(value, lambda: 0.4)[()],
        "call": lambda *args, **kwargs: (args, kwargs),
    }


def symmetric(m: Any) -> Any:
    return m @ m.mT.conj() + np.eye(m.shape[-1], dtype=m.dtype)


NO_STACKS = ("scipy.linalg.lstsq", "scipy.linalg.block_diag")
"""Those that ask how many axes there are anyway."""


def is_stacked() -> bool:
    return scipy is not None and np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"


class Call:
    """One call of a rule's function: its operands, and its result."""

    def __init__(self, name: str, arguments: str, dtype: type = np.float64,
                 which: Iterator[bool] = ALWAYS):
        self.rule = BY_LABEL[name]
        self.args, self.kwargs = eval(f"call({arguments})", builders(dtype, which))
        self.bound = self.rule.bind(list(self.args), self.kwargs)
        self.operations: dict[str, tuple[Operation, dict[str, int]]] = {}
        places = [parameter.name for parameter in self.rule.parameters]
        name = self.rule.variadic
        self.gathered = bool(name) and len(self.args) > places.index(name.lstrip("*")) + (not name.startswith("*"))
        self.y = self.value(self.bound)
        self.several = isinstance(self.y, (tuple, list))
        known = Operation(self.rule, {name: abstract(value, "known", {}, False) for name, value in self.bound.items()})
        self.parts = [index for index in range(len(self.y)) if index in known.parts] if self.several else []
        self.g: Any = list(map(weights, self.y)) if self.several else weights(self.y)

    def value(self, bound: dict[str, Any]) -> Any:
        """The function at other operands."""
        args: list[Any] = []
        kwargs = {}
        for index, parameter in enumerate(self.rule.parameters):
            if parameter.name not in bound:
                continue
            operand = bound[parameter.name]
            if parameter.name == self.rule.variadic.lstrip("*") and self.gathered:
                args += operand
            elif parameter.keyword_only or index > len(args):
                kwargs[parameter.name] = operand
            else:
                args.append(operand)
        return self.rule.function(*args, **kwargs)

    def weighed(self, y: Any) -> Any:
        """The result; of several, those that may be differentiated, with their cotangents, as a number."""
        return sum(np.sum(self.g[part] * y[part]) for part in self.parts) if self.several else y

    @property
    def weight(self) -> Any:
        """The cotangent of what :meth:`weighed` gives."""
        return 1.0 if self.several else self.g

    def leaves(self) -> Iterator[tuple[str, tuple[int, ...], Any]]:
        """Parameter, place and value of each operand to differentiate."""
        for parameter, formula in self.rule.partials.items():
            if parameter in self.bound and formula is not ZERO:
                yield from floats(parameter, (), self.bound[parameter])

    def moved(self, parameter: str, path: tuple[int, ...], leaf: Any) -> Any:
        """The function where one leaf has another value."""
        return self.value({**self.bound, parameter: replaced(self.bound[parameter], path, leaf)})

    def with_operand(self, parameter: str, path: tuple[int, ...], leaf: Any) -> Call:
        """The same call of one other operand."""
        other = copy.copy(self)
        other.bound = {**self.bound, parameter: replaced(self.bound[parameter], path, leaf)}
        other.operations = {}
        other.y = other.value(other.bound)
        return other

    def operation(self, facts: str) -> Operation:
        """The call as formulas see it, who are told so much; ``sizes`` are then those that its letters stand for."""
        if facts not in self.operations:
            self.operations[facts] = self.abstracted(facts)
        operation, self.sizes = self.operations[facts]
        return operation

    def abstracted(self, facts: str) -> tuple[Operation, dict[str, int]]:
        letters: dict[int, str] = {}
        operands = {
            name: abstract(value, facts, letters, name in self.rule.partials) for name, value in self.bound.items()
        }
        operation = Operation(self.rule, {name: passive(value) for name, value in operands.items()})
        result = result_of(operation)
        operation.operands, operation.result = operands, result
        return operation.reaching(tuple(self.parts)), {letter: size for size, letter in letters.items()}

    def facts(self) -> list[str]:
        """Those with which the compiler takes the call: it must know how many results there are, and, where SciPy takes
        no stacks of matrices, that there are none."""
        name = label(self.rule)
        single = name.startswith("scipy.linalg.") if not is_stacked() else name in NO_STACKS
        enough = FACTS[:2] if single else FACTS
        return [facts for facts in enough if self.operation(facts).result != SEVERAL]

    def cotangent(self, parameter: str, path: tuple[int, ...], leaf: Any, facts: str = "known") -> Any:
        """The formula's text, run."""
        formula = self.rule.partials[parameter]
        text = formula(self.operation(facts), path)
        if text == ZERO:
            return np.zeros_like(leaf)
        found = self.run(text) if isinstance(text, str) else sum(map(self.run, text), np.zeros_like(leaf))
        if self.rule.elementwise:
            found = runtime.unbroadcast(np.broadcast_to(found, np.shape(self.y)), np.shape(leaf))
        elif self.rule.spreads:
            found = np.broadcast_to(found, np.shape(leaf))
        # as the chain rule does
        return np.real(found) if np.iscomplexobj(found) and not np.iscomplexobj(leaf) else found

    def run(self, text: str) -> Any:
        names: dict[str, Any] = {**HELPERS, "np": np, "math": math, "shape_of": np.shape, "g": self.g, "y": self.y,
                                 **self.rule.names}
        for part in range(len(self.y)) if self.several else ():
            names.update({f"y_{part}": self.y[part], f"g_{part}": self.g[part]})
        for parameter in self.rule.parameters:
            names[parameter.name] = self.bound.get(parameter.name, parameter.default)
            names.update(places(parameter.name, names[parameter.name]))
        steps, last, scales = compiled(text)
        exec(steps, names)
        value = eval(last, names)
        return self.g * value if scales and self.rule.elementwise and not self.several else value


@functools.lru_cache(maxsize=8)
def called(name: str, arguments: str, dtype: type = np.float64) -> Call:
    """The same call for all that is tried of it, one thing after the other."""
    return Call(name, arguments, dtype)


@functools.cache
def compiled(text: str) -> tuple[CodeType, CodeType, bool]:
    """The steps of a formula, its value, and whether it is a factor, as it doesn't mention ``g``."""
    tree = ShapesOfNumbers().visit(ast.parse("\n".join(part.strip() for part in text.split(";"))))
    factor = not any(isinstance(node, ast.Name) and node.id == "g" for node in ast.walk(tree))
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    return (compile(ast.fix_missing_locations(tree), "formula", "exec"),
            compile(ast.fix_missing_locations(ast.Expression(last.value)), "formula", "eval"), factor)


def weights(y: Any) -> Any:
    """A cotangent for a number or an array."""
    if not isinstance(y, (np.ndarray, np.generic)):
        return 1.5 + 0.5j if isinstance(y, complex) else 1.5
    rng = np.random.default_rng(8)
    found = rng.normal(size=y.shape) + 2
    found = (found + 1j * rng.normal(size=y.shape) if y.dtype.kind == "c" else found).astype(y.dtype)
    if y.dtype == float and not isinstance(y, np.ndarray):
        return float(found)  # a literal, most often
    return found if isinstance(y, np.ndarray) else found[()]


class ShapesOfNumbers(ast.NodeTransformer):
    """``a.shape`` of Python numbers too, as the compiler gives it."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == "shape" and isinstance(node.value, ast.Name):
            return ast.Call(ast.Name("shape_of", ast.Load()), [node.value], [])
        return node


def floats(name: str, path: tuple[int, ...], value: Any) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from floats(name, (*path, index), item)
    elif isinstance(value, (float, complex, np.inexact)) or isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        yield name, path, value


def places(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The names of the items of a list: ``arrays_0``."""
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield f"{name}_{index}", item
            yield from places(f"{name}_{index}", item)


def replaced(value: Any, path: tuple[int, ...], leaf: Any) -> Any:
    if not path:
        return leaf
    return type(value)(replaced(item, path[1:], leaf) if index == path[0] else item for index, item in enumerate(value))


def abstract(value: Any, facts: str, letters: dict[int, str], active: bool) -> Abstract:
    """What the compiler would know of an operand."""
    if isinstance(value, (list, tuple)):
        return Items(type(value), tuple(abstract(item, facts, letters, active) for item in value))
    if isinstance(value, (float, complex)) and not isinstance(value, np.generic) and not active:
        return number(value)
    if isinstance(value, (float, complex, np.ndarray, np.generic)):
        array = np.asarray(value)
        active = active and array.dtype.kind in "fc"
        if facts == "unknown":
            return Numeric(active=active)
        shape = (
            tuple(size if size == 1 else letters.setdefault(size, "abcdefgh"[len(letters)]) for size in array.shape)
            if facts == "known"
            else (None,) * array.ndim
        )
        kind = "array" if isinstance(value, np.ndarray) else "scalar" if isinstance(value, np.generic) else "python"
        return Numeric(kind, array.dtype, shape, active)
    return number(value) if isinstance(value, (bool, int)) else Known(value)
