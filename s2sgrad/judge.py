"""An independent judge of derivatives: it runs a function, never its source, and knows nothing of the compiler.

The slope of a function along one direction is found twice, by methods that fail differently:

* central differences, extrapolated to step zero, with an estimate of their error (Ridders 1982);
* where the function accepts complex numbers, the imaginary part of one evaluation at an imaginary step, which is free
  of cancellation (Squire & Trapp 1998), but silently wrong for functions that are not analytic (``abs``, ``vdot``).

The second is believed only where the first confirms it, and its error is then how far the two are apart. It is not
asked where arguments or results are complex themselves: a complex argument z = x + iy moves in x and in y, each for
itself, and its gradient is df/dx - i df/dy, where f is the real part of what the result is contracted to.

References
----------
C. J. F. Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Advances in Engineering Software 4 (1982) 75-76.
W. Squire, G. Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 40 (1998) 110-112.
"""
from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2sgrad.containers import at, container, contents, is_complex, is_float, leaves, replaced, with_parts
from s2sgrad.errors import ArgumentError, ArgumentTypeError

Vector = NDArray[Any]

FIRST_STEPS = (0.1, 0.01, 1e-3, 1e-4)
"""Where a tableau starts, relative to the argument: long steps lose least to rounding, short ones evade kinks."""
SHRINK = 1.4
LEVELS = 10
GOOD_ENOUGH = 1e-10
"""With a relative error estimate like this, no other tableau is tried."""
IMAGINARY_STEP = 1e-20
KINK_RATIO = 8.0
NOISE = 100.0
"""Rounding errors of whole computations are taken for so many units in the last place."""
SAFETY = 4.0
"""An error estimate may be exceeded by this factor."""
USELESS = 0.1
"""A tolerance above this part of the derivative decides nothing."""
MOST_ENTRIES = 500
DIRECTIONS = 4


class UnjudgedWarning(UserWarning):
    """Some entries of a gradient could not be judged: the function has a kink, a jump or noise there."""


class Slope(NamedTuple):
    """A derivative along one direction, with the estimate of its absolute error; NaN and inf where there is none.

    At a kink ``value`` is the mean of the slopes on both sides and ``spread`` half of their difference.
    """

    value: float
    error: float
    spread: float = 0.0


@dataclass(frozen=True)
class Estimate:
    """A numerical gradient with the estimate of its absolute error: two float64 arrays of the argument's shape.

    Where the function has a kink, the error is half the difference of the slopes on both sides. For a complex argument
    the value is complex.
    """

    value: NDArray[Any]
    error: NDArray[np.float64]


def numerical_gradient(
    function: Callable[..., Any], args: Sequence[Any], argnum: int = 0, cotangent: Any = None
) -> Estimate:
    """The gradient of ``sum(cotangent * function(*args))``, or of its real part, in one argument, by evaluations of
    ``function`` alone.

    Parameters
    ----------
    function
        Returns a number, an array, or nested tuples, lists and dicts of these. It gets fresh copies, so it may write
        into its arguments.
    args
        Arguments to differentiate at; single and half precision are widened to double where the function permits.
    argnum
        Which argument: a float or complex number, Python's or NumPy's, or an array of them, of any shape, empty ones
        too.
    cotangent
        Weights, structured like the result; None stands for :func:`cotangent_like` of it.

    Raises
    ------
    ArgumentError
        ``argnum`` is out of range, the cotangent doesn't fit, or two calls of the function gave different results.
    ArgumentTypeError
        The argument is not of floats.
    """
    experiment = _Experiment(function, args, argnum, cotangent)
    slopes = [experiment.slope(axis) for axis in _axes(experiment.size, range(experiment.size))]
    values = np.array([slope.value for slope in slopes], dtype=np.float64)
    errors = np.array([slope.error + slope.spread for slope in slopes], dtype=np.float64)
    if experiment.is_complex:
        values = values[:len(values) // 2] - 1j * values[len(values) // 2:]
        errors = errors[:len(errors) // 2] + errors[len(errors) // 2:]
    return Estimate(values.reshape(experiment.shape), errors.reshape(experiment.shape))


def cotangent_like(value: Any) -> Any:
    """The weights that a result is contracted with: 1 for a real number, else fixed pseudo-random ones.

    The weights are between 0.5 and 1.5 in size, of both signs, with the structure, shapes and dtypes of ``value``;
    leaves that are not of floats have the weight None.
    """
    if _is_float(value) and np.ndim(value) == 0 and not is_complex(value):
        return type(value)(1.0) if not isinstance(value, np.ndarray) else np.ones((), value.dtype)
    return _random_like(value, np.random.default_rng(1982))


def weighted(cotangent: Any, value: Any) -> Any:
    """``sum(cotangent * value)`` over all numbers of a result; complex where there are complex ones."""
    return np.dot(_weights(cotangent, value), _flat(value)).item()


def compare(
    gradients: Any,
    function: Callable[..., Any],
    args: Sequence[Any],
    argnums: int | tuple[int, ...] = 0,
    cotangent: Any = None,
    most_entries: int = MOST_ENTRIES,
) -> None:
    """Judge gradients of ``sum(cotangent * function(*args))``: silent where they are right.

    An entry may differ from the numerical one by half of the digits of the coarsest dtype involved, by rounding errors
    relative to the largest entry and to the size of the result, and by what the error estimate of the numerical one
    allows. At a kink everything between the slopes on both sides passes. Of arguments with more than ``most_entries``
    entries so many are judged, the first and the last among them, and besides a few random directions that involve
    all of them; with ``most_entries=0`` nothing but one such direction, which takes the least time.

    Parameters
    ----------
    gradients
        One gradient where ``argnums`` is an integer, else a tuple of them.
    function, args, cotangent
        As for :func:`numerical_gradient`.

    Raises
    ------
    AssertionError
        A gradient is wrong, names the worst entry; or it differs from its argument in shape or dtype.
    ArgumentError, ArgumentTypeError
        As for :func:`numerical_gradient`.

    Warns
    -----
    UnjudgedWarning
        Entries at which the function has a kink, a jump or noise, so that the numerical derivative decides nothing.
    """
    if isinstance(argnums, int):
        argnums, gradients = (argnums,), (gradients,)
    if not isinstance(gradients, tuple) or len(gradients) != len(argnums):
        raise AssertionError(f"{_title(function)}: gradients of {len(argnums)} arguments must be a tuple of so many")
    entries: list[_Entry] = []
    for argnum, gradient in zip(argnums, gradients):
        label = f"gradient of {_title(function)} in {_parameter(function, argnum)}"
        _check_number(args, argnum)
        for path, part, argument in _leaves(label, gradient, args[argnum]):
            place = label + "".join(f"[{step!r}]" for step in path)
            if path and not is_float(argument):
                if part is not None:
                    raise AssertionError(f"{place} is {part!r}, and its argument a {type(argument).__name__}")
                continue
            experiment = _Experiment(function, args, argnum, cotangent, path)
            _check_form(place, part, argument)
            entries.extend(_judged(experiment, part, place, most_entries))
    wrong = [entry for entry in entries if not entry.right]
    if wrong:
        worst = max(wrong, key=lambda entry: entry.excess)
        raise AssertionError(f"{worst}\n{len(wrong)} of the {len(entries)} slopes that were judged are wrong")
    unjudged = [entry for entry in entries if not entry.decisive]
    if unjudged:
        warnings.warn(f"{len(unjudged)} of {len(entries)} slopes could not be judged (a kink, a jump or noise), "
                      f"the first: {unjudged[0]}", UnjudgedWarning, stacklevel=2)


# ---------------------------------------------------------------------------- the verdict on one slope


@dataclass(frozen=True)
class _Entry:
    """One slope, ours beside the numerical one."""

    label: str
    place: str
    ours: float
    numerical: Slope
    tolerance: float
    scale: float

    @property
    def right(self) -> bool:
        if not np.isfinite(self.numerical.value):
            return True  # nothing to compare with, see decisive
        return bool(abs(self.ours - self.numerical.value) <= self.tolerance)

    @property
    def decisive(self) -> bool:
        return bool(np.isfinite(self.numerical.value)
                    and self.tolerance <= USELESS * max(abs(self.numerical.value), self.scale))

    @property
    def excess(self) -> float:
        """How many times the tolerance is exceeded; inf for a gradient that is no number."""
        distance = abs(self.ours - self.numerical.value)
        return distance / max(self.tolerance, np.finfo(float).tiny) if np.isfinite(distance) else np.inf

    def __str__(self) -> str:
        size = max(abs(self.numerical.value), np.finfo(float).tiny)
        return (f"{self.label}{self.place}: ours {self.ours:.12g}, numerically {self.numerical.value:.12g} "
                f"(relative error {abs(self.ours - self.numerical.value) / size:.2g}, "
                f"tolerance {self.tolerance / size:.2g})")


def _judged(experiment: _Experiment, gradient: Any, label: str, most_entries: int) -> Iterator[_Entry]:
    """The verdicts on one gradient: at every entry, or at some entries and along some directions."""
    size = experiment.size
    ours = _coordinates(np.conj(gradient))
    rng = np.random.default_rng(1998)
    if size <= most_entries:
        indices = np.arange(size)
    elif most_entries == 0:
        indices = np.arange(0)
    else:
        inner = rng.choice(np.arange(1, size - 1), max(0, most_entries - 2), replace=False)
        indices = np.array([0, *sorted(inner), size - 1])
    directions = list(_axes(size, indices))
    places = [experiment.place(index) for index in indices]
    values = [float(ours[index]) for index in indices]
    if size > most_entries:
        for number in range(DIRECTIONS if most_entries else 1):
            direction = rng.choice((-1.0, 1.0), size) / np.sqrt(size)
            directions.append(direction)
            places.append(f" along random direction {number}")
            values.append(float(ours @ direction))
    slopes = [experiment.slope(direction) for direction in directions]
    largest = max((abs(slope.value) for slope in slopes if slope.error + slope.spread <= USELESS * abs(slope.value)),
                  default=0.0)
    # slopes may be small, or zero, as sums of terms that cancel: those are as large as the mean slope from the origin
    terms = max(largest, experiment.result_size / experiment.unit)
    # half precision has too few digits to lose some of them to rounding
    half_of_the_digits = float(np.sqrt(experiment.precision))

    def tolerances() -> list[float]:
        rounding = min(NOISE * experiment.precision, 0.1 * half_of_the_digits) * terms
        return [half_of_the_digits * abs(slope.value) + rounding + SAFETY * slope.error + slope.spread
                for slope in slopes]

    tolerated = tolerances()
    if any(abs(value - slope.value) > tolerance for value, slope, tolerance in zip(values, slopes, tolerated)):
        # at a minimum of 0 only the slopes around tell how large the terms are
        terms = max(terms, experiment.unit * max(map(experiment.bend, directions)))
        tolerated = tolerances()
    scale = max(largest, half_of_the_digits * terms)
    for place, value, slope, tolerance in zip(places, values, slopes, tolerated):
        yield _Entry(label, place, value, slope, tolerance, scale)


def _check_number(args: Sequence[Any], argnum: int) -> None:
    if not 0 <= argnum < len(args):
        raise ArgumentError(f"argnum {argnum} is out of range", f"the call has {len(args)} arguments")


def _leaves(label: str, gradient: Any, argument: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any, Any]]:
    """Each number and array in an argument with its place and its gradient; AssertionError for another structure."""
    held, found = contents(argument), contents(gradient)
    if held is None:
        yield path, gradient, argument
        return
    if gradient is None and not any(is_float(leaf) for _, leaf in leaves(argument)):
        return
    if found is None or (found.kind, found.steps) != (held.kind, held.steps):
        raise AssertionError(f"{label} is structured unlike its argument: {gradient!r}")
    for step, part, inner in zip(held.steps, found.parts, held.parts):
        yield from _leaves(label, part, inner, (*path, step))


def _check_form(label: str, gradient: Any, argument: Any) -> None:
    """Raises AssertionError for a gradient that isn't of the argument's shape and dtype."""
    if not isinstance(gradient, (float, complex, np.inexact, np.ndarray)):
        raise AssertionError(f"{label} is a {type(gradient).__name__}, and its argument a {type(argument).__name__}")
    if np.shape(gradient) != np.shape(argument):
        raise AssertionError(f"{label} has shape {np.shape(gradient)}, and its argument {np.shape(argument)}")
    found, expected = np.asarray(gradient).dtype, np.asarray(argument).dtype
    if found != expected:
        raise AssertionError(f"{label} has dtype {found}, and its argument {expected}")


def _title(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _parameter(function: Callable[..., Any], argnum: int) -> str:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if argnum < len(parameters) and parameters[argnum].kind is not inspect.Parameter.VAR_POSITIONAL:
        return parameters[argnum].name
    return f"argument {argnum}"


def _subscript(index: Sequence[Any]) -> str:
    return f"[{', '.join(str(int(item)) for item in index)}]" if len(index) else ""


# ---------------------------------------------------------------------------- slopes


class _Experiment:
    """A function at a point, with one argument to move and weights on the result."""

    def __init__(self, function: Callable[..., Any], args: Sequence[Any], argnum: int, cotangent: Any,
                 path: tuple = ()):
        _check_number(args, argnum)
        if not _is_float(at(args[argnum], path)):
            raise ArgumentTypeError(f"{_parameter(function, argnum)} is of type {type(args[argnum]).__name__} and not "
                                    "of floats", "only floats and arrays of floats have a gradient")
        self.function = function
        self.argnum = argnum
        self.path = path
        self.shape = np.shape(at(args[argnum], path))
        self.is_complex = is_complex(at(args[argnum], path))
        self.size = int(np.prod(self.shape)) * (2 if self.is_complex else 1)

        given = function(*map(_copied, args))
        centre = _flat(given)
        again = _flat(function(*map(_copied, args)))
        if not np.array_equal(again, centre, equal_nan=True):
            raise ArgumentError(f"two calls of {_title(function)} gave different results",
                                "a function with random or remembered parts cannot be judged")
        self.takes_complex = not self.is_complex and not np.iscomplexobj(centre)
        # of the gradient under judgement, which mixes what the arguments hold; the widened ones below are finer
        self.precision = max(_rounding_unit(list(args)), _rounding_unit(given))
        weights = cotangent_like(given) if cotangent is None else cotangent
        self.weights = _wide(np.array(_weights(weights, given)))
        self.args, result = self.widened(args, given)
        self.centre = _flat(result)
        self.point = np.asarray(at(self.args[argnum], path))
        largest = float(np.max(np.abs(self.point), initial=0.0))
        self.unit = largest if np.isfinite(largest) and largest > 0.0 else 1.0
        self.rounding = max(_rounding_unit(result), _rounding_unit(self.point))
        self.result_size = float(np.abs(self.weights) @ np.where(self.weights != 0.0, np.abs(self.centre), 0.0))

    def widened(self, args: Sequence[Any], given: Any) -> tuple[list[Any], Any]:
        """The arguments in double precision and the result, if the function takes them so and means the same."""
        wide = [_widened(argument) for argument in args]
        try:
            result = self.run(wide)
        except Exception:
            return list(args), given
        loose = np.sqrt(self.precision)
        found, expected = _flat(result), _flat(given)
        if found.shape == expected.shape and np.allclose(found, expected, rtol=loose, atol=loose, equal_nan=True):
            return wide, result
        return list(args), given

    def run(self, args: Sequence[Any]) -> Any:
        """The result. The function may spoil its arguments, and complain about nothing."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self.function(*map(_copied, args))

    def at(self, distance: complex, direction: Vector) -> Vector:
        """The result at a distance from the point; NaN where there is none, or one of another shape."""
        offset = distance * direction
        if self.is_complex:
            offset = offset[:self.size // 2] + 1j * offset[self.size // 2:]
        offset = offset.reshape(self.shape)
        dtype = np.result_type(self.point.dtype, np.complex64) if isinstance(distance, complex) else self.point.dtype
        moved = (self.point + offset).astype(dtype)
        args = list(self.args)
        old = at(args[self.argnum], self.path)
        new = moved if isinstance(old, np.ndarray) else _like_scalar(old, moved)
        args[self.argnum] = replaced(args[self.argnum], self.path, new)
        try:
            result = _flat(self.run(args))
        except Exception:
            return np.full_like(self.centre, np.nan)
        return result if result.shape == self.centre.shape else np.full_like(self.centre, np.nan)

    def contract(self, vector: Vector) -> float:
        """The real part of the weighted sum, in which entries without weight don't count even where they are NaN."""
        weighted = self.weights != 0.0
        return float(np.real(self.weights[weighted] @ vector[weighted]))

    def place(self, index: int) -> str:
        """What follows the argument's name in the name of a coordinate of it."""
        count = max(1, self.size // 2) if self.is_complex else self.size
        part = "" if not self.is_complex else ".imag" if index >= count else ".real"
        return _subscript(np.unravel_index(index % count, self.shape)) + part

    def slope(self, direction: Vector) -> Slope:
        """The derivative along a direction."""
        best, shortest = Slope(np.nan, np.inf), self.unit
        for first in self.first_steps(direction):
            found, step = self.extrapolated(direction, first)
            if found.error < best.error:
                best, shortest = found, step
            if best.error <= max(GOOD_ENOUGH * abs(best.value), NOISE * self.noise(shortest)):
                break
        best = self.refined(best, direction)
        return best._replace(spread=self.half_jump(direction, shortest))

    def bend(self, direction: Vector) -> float:
        """The size of the second derivative along a direction, 0 where there is none."""
        step = FIRST_STEPS[0] * self.unit / float(np.max(np.abs(direction)))
        found = self.contract(self.at(step, direction) - 2.0 * self.centre + self.at(-step, direction)) / step**2
        return abs(found) if np.isfinite(found) else 0.0

    def first_steps(self, direction: Vector) -> list[float]:
        """Lengths at which tableaux start, in the order in which they are tried."""
        if np.count_nonzero(direction) > 1:
            unit = self.unit / float(np.max(np.abs(direction)))
            return [first * unit for first in FIRST_STEPS]
        own = float(np.abs(_coordinates(self.point)[direction != 0.0][0]))
        unit = max(own, 0.1 * self.unit)
        steps = [first * unit for first in FIRST_STEPS]
        # an entry so small beside the others may have a domain border or a kink as near as its own size
        if 0.0 < own < 0.01 * unit:
            steps += [first * own for first in FIRST_STEPS[:2]]
        return steps

    def noise(self, step: float) -> float:
        """What the rounding of the result alone contributes to a difference quotient."""
        return self.rounding * self.result_size / step

    def extrapolated(self, direction: Vector, step: float) -> tuple[Slope, float]:
        """Ridders' method: a Neville tableau of central differences. Returns the slope and the shortest step."""
        best, shortest = Slope(np.nan, np.inf), step
        previous: list[float] = []
        for level in range(LEVELS):
            # entries that the step doesn't change cancel exactly, however large
            difference = self.contract(self.at(step, direction) - self.at(-step, direction)) / (2.0 * step)
            row = [difference]
            factor = SHRINK**2
            for column in range(level):
                row.append((row[column] * factor - previous[column]) / (factor - 1.0))
                factor *= SHRINK**2
                error = max(abs(row[-1] - row[-2]), abs(row[-1] - previous[column])) + self.noise(step)
                # two quotients of a function with steps may agree by chance: three are asked for
                if column and error < best.error:
                    best, shortest = Slope(row[-1], error), step
            # higher orders that get worse: rounding has taken over
            if level and abs(row[-1] - previous[-1]) >= 2.0 * best.error + self.noise(step):
                break
            if best.error <= GOOD_ENOUGH * abs(best.value):
                break
            previous = row
            step /= SHRINK
        return best, shortest

    def refined(self, slope: Slope, direction: Vector) -> Slope:
        """The complex step's slope where it confirms the one from differences."""
        if not self.takes_complex or not np.isfinite(slope.error):
            return slope
        step = IMAGINARY_STEP * self.unit
        result = self.at(complex(0.0, step), direction)
        if not np.iscomplexobj(result):
            self.takes_complex = not np.any(np.isnan(result))
            return slope
        value = self.contract(result.imag) / step
        distance = abs(value - slope.value)
        if not distance <= slope.error:
            return slope
        return Slope(value, distance + self.rounding * abs(value))

    def half_jump(self, direction: Vector, step: float) -> float:
        """Half the difference of the slopes on both sides; 0 unless there is a kink right here."""
        long, short = (self.contract(self.at(size, direction) - 2.0 * self.centre + self.at(-size, direction)) / size
                       for size in (step, step / KINK_RATIO))
        # where the function is smooth the difference shrinks like the step
        is_kink = abs(short) > 0.5 * abs(long) and abs(short) > NOISE * self.noise(step / KINK_RATIO)
        return 0.5 * abs(short) if is_kink else 0.0


def _axes(size: int, indices: Any) -> Iterator[Vector]:
    for index in indices:
        axis = np.zeros(size)
        axis[index] = 1.0
        yield axis


# ---------------------------------------------------------------------------- values of all kinds


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, complex, np.inexact)) or isinstance(value, np.ndarray) and value.dtype.kind in "fc"


def _children(value: Any) -> list[Any] | None:
    """What a container holds; None for a leaf."""
    held = contents(value)
    return None if held is None else held.parts


def _arrays(value: Any) -> Iterator[Vector]:
    """Every number of a nested value, as arrays."""
    children = _children(value)
    if children is not None:
        for child in children:
            yield from _arrays(child)
    elif isinstance(value, (bool, int, float, complex, np.number, np.bool_, np.ndarray)):
        yield np.asarray(value)


def _flat(value: Any) -> Vector:
    """All numbers of a result in one vector, of float64 or complex128."""
    parts = [_wide(item).ravel() for item in _arrays(value)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _wide(array: Vector) -> Vector:
    """In double precision: longdouble would make the whole vector longdouble, and gains nothing here."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _coordinates(value: Any) -> Vector:
    """What can move on its own in a number or an array: of complex ones all real parts, then all imaginary parts."""
    flat = np.ravel(value)
    return _wide(np.concatenate([flat.real, flat.imag]) if np.iscomplexobj(flat) else flat)


def _weights(cotangent: Any, value: Any) -> list[complex]:
    """The cotangent laid out like ``_flat(value)``, zero for everything that is not of floats."""
    children = _children(value)
    if children is not None:
        given = [None] * len(children) if cotangent is None else _children(cotangent)
        if given is None or len(given) != len(children):
            raise ArgumentError("the cotangent is structured unlike the result", "give it the structure of the result")
        return [weight for pair in zip(given, children) for weight in _weights(*pair)]
    size = sum(item.size for item in _arrays(value))
    if cotangent is None or not _is_float(value):
        return [0.0] * size
    if np.shape(cotangent) != np.shape(value):
        raise ArgumentError(f"the cotangent has shape {np.shape(cotangent)} and the result {np.shape(value)}",
                            "give it the shape of the result")
    return list(np.ravel(cotangent))


def _random_like(value: Any, rng: np.random.Generator) -> Any:
    held = contents(value)
    if held is not None:
        return container(held.kind, held.keys, [_random_like(item, rng) for item in held.parts])
    if not _is_float(value):
        return None
    numbers = rng.uniform(0.5, 1.5, np.shape(value)) * rng.choice((-1.0, 1.0), np.shape(value))
    if is_complex(value):
        numbers = numbers * np.exp(1j * rng.uniform(0.0, 1.5, np.shape(value)))
    if isinstance(value, np.ndarray):
        return np.asarray(numbers).astype(value.dtype)
    return type(value)(numbers)


def _copied(value: Any) -> Any:
    """A value of which the function may write into every array and container."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    return with_parts(value, _copied)


def _widened(value: Any) -> Any:
    """A copy with every float in double precision."""
    if isinstance(value, np.ndarray):
        return _wide(value) if value.dtype.kind in "fc" else value.copy(order="K")
    if isinstance(value, np.inexact):
        return np.complex128(value) if is_complex(value) else np.float64(value)
    return with_parts(value, _widened)


def _like_scalar(scalar: Any, moved: Vector) -> Any:
    """The moved number as a scalar of the kind it was: Python's or NumPy's."""
    number = moved[()]
    return number if isinstance(scalar, np.generic) else number.item()


def _rounding_unit(value: Any) -> float:
    """The coarsest machine precision among the floats of a value; that of double precision at least."""
    return max((float(np.finfo(item.dtype).eps) for item in _arrays(value) if item.dtype.kind in "fc"
                and np.finfo(item.dtype).bits <= 64), default=float(np.finfo(float).eps))
