"""Derivatives of gradients by way of slopes, where a gradient's own text can't be differentiated.

Second derivatives may be taken in any order: what a cotangent of ``grad(f)(x)`` gives, or a tangent of ``x``, is the
gradient of the slope ``jvp(f, (x,), (x_dot,))[1]`` along it. So the gradient keeps copies of its arguments, and the
function is run again.
"""
from __future__ import annotations

import contextlib
import functools
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from s2sgrad.by_elements import gradient_by_elements
from s2sgrad.compiler.again import Differentiated, differentiated
from s2sgrad.compiler.closed import holds_made_functions
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.emit import Text, compile_text
from s2sgrad.compiler.fused import ManyPaths
from s2sgrad.compiler.infer import Infer
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.recalled import stays
from s2sgrad.compiler.running_again import runs_alike
from s2sgrad.compiler.structures import static_leaves
from s2sgrad.containers import contents, dict_text, instance, is_instance
from s2sgrad.derivative import Derivative, PathTable, Session, program_of
from s2sgrad.entries import entries_of
from s2sgrad.errors import UnsupportedError
from s2sgrad.given import Given, Own, stub_of, tuple_text
from s2sgrad.rules.abstract import ANY, Abstract, Function, Items, Known, Numeric, activated, passive
from s2sgrad.subjects import written_around
from s2sgrad.transforms import grad, jvp, value_and_grad


def by_slopes(definition: Definition, whole: bool) -> tuple[Definition, Own | None] | None:
    """What the compiler takes for a gradient that is differentiated in this way: a function with a derivative of its
    own, which another calls where it is the ``whole`` that is differentiated. None for what takes names from around it,
    or arguments that can't be given by their places."""
    if definition.gradient or definition.hidden or program_of(definition).keyword_only or definition.extra \
            or definition.keys:
        return None
    function = definition.function
    gradient = differentiated(definition, program_of(definition).parameters)
    if gradient.mode.seeds != "one" or program_of(gradient.definition).keyword_only:
        return None
    if whole:
        return Definition(written_around(function)), None
    own = entries_of(function).once("slopes", lambda: Own(
        stub_of(function), functools.partial(Sloped, gradient, function), False))
    return definition, own


class Sloped(Given):
    """The derivative of such a gradient.

    Attributes
    ----------
    gradient
        What it is of.
    """

    def __init__(self, gradient: Differentiated, called: types.FunctionType, definition: Definition, session: Session):
        super().__init__(called, definition, session)
        self.gradient = gradient
        self.reversed: dict[tuple, tuple[Any, list[tuple]]] = {}
        """By parameters and places of the result that have cotangents, what computes those of the parameters."""

    # ---- what it gives

    def analyse(self, arguments: dict[str, Abstract]) -> None:
        if any(isinstance(known, Function) or holds_made_functions(known) for known in arguments.values()):
            raise UnsupportedError(f"{self.gradient.label} gets a function that is made here, and is run again for a "
                                   "derivative of its gradient", "define the function at module level", self.location)
        inner = Session(self.session.captured, self.session.options, False, False, again=True,
                        changing=self.session.outside.changing)
        inner.outside, inner.missed = self.session.outside, self.session.missed
        wanted = self.gradient.wanted
        derivative, value = inner.derivative_of(self.gradient.definition, [
            activated(passive(known)) if label in wanted else passive(known) for label, known in arguments.items()])
        self.check_rerun(derivative)
        program = program_of(self.definition)
        self.facts = Infer(program, arguments, self.session.outside.outer(self.function), self.session.derivative_of,
                           program_of=program_of).run()
        forms = [bar_form(arguments[label]) for label in wanted]
        bars: Abstract = forms[0] if self.gradient.mode.bare else Items(tuple, tuple(forms))
        number = activated(passive(value)) if isinstance(value, Numeric) else ANY
        self.facts.result = Items(tuple, (number, bars)) if self.gradient.mode.value else bars
        self.facts.handed_on = {False: frozenset(), True: frozenset()}
        self.program, self.modules, self.leaves = program, {}, static_leaves(self.facts.result)
        self.wanted = [label for label in self.parameters if arguments[label].active]

    def check_rerun(self, derivative: Derivative) -> None:
        if derivative.facts.written or runs_alike(derivative) is not None:
            raise UnsupportedError(f"{self.gradient.label} is run again for a derivative of its gradient, and may do "
                                   "something else then", "let it print, draw and store nothing", self.location)

    # ---- what is written

    def checks(self) -> list[str]:
        """A line that refuses arguments which a first run would use up."""
        unknown = [label for label, version in self.facts.parameters.items() if not stays(version.value)]
        return [f"{self.give('must_last', functools.partial(must_last, self.gradient.label))}("
                f"{', '.join(unknown)})"] if unknown else []

    def prepare(self, seeds: tuple | None, ones: bool) -> None:
        if not self.prepared:
            self.prepared = True
            self.start()

    def foresee(self) -> bool:
        return False

    def finish(self) -> None:
        if self.primal_text is None:
            name, value = self.local(f"{self.name}_primal", "value")
            self.primal_text = self.write(name, self.header(), [
                *self.checks(), f"{value} = {self.function_name}({self.passed()})",
                f"return {value}, 0, {tuple_text(self.saved_arguments())}"])
            self.primal_cell.cell_contents = self.made(self.primal_text, name)

    def made(self, text: Text, name: str) -> Any:
        """A function of this text, for whoever calls it: one that can be differentiated itself, or that is not."""
        if self.session.again:
            return self.readable_own(text, name, *self.defaults())
        return self.compile_own(text, name)

    def saved_form(self) -> Abstract:
        return Items(tuple, tuple(version.value for version in self.facts.parameters.values()))

    def texts(self) -> list[Text]:
        assert self.primal_text is not None
        return [self.primal_text, *self.given_texts()]

    def adjoints(self, active: tuple[int, ...], places: tuple) -> PathTable:
        wanted = tuple(self.parameters[index] for index in active)
        if (wanted, places) not in self.reversed:  # what is refused is so before anything runs
            self.reversed[wanted, places] = self.reverse(wanted, places)
        return super().adjoints(active, places)

    def reverse(self, wanted: tuple[str, ...], seeds: tuple) -> tuple[Any, list[tuple]]:
        """What computes the cotangents of some parameters, and what it takes besides all of them: the parts of tangents
        for the parameters of the gradient, and last the value's cotangent where there is one."""
        mode = self.gradient.mode
        prefix = (1,) if mode.value else ()
        at = {label: prefix if mode.bare else (*prefix, place) for place, label in enumerate(self.gradient.wanted)}
        moving = {label: part for label, part in at.items() if any(seed[:len(part)] == part for seed in seeds)}
        scaled = mode.value and (0,) in seeds
        slope = self.slope(tuple(moving), scaled)
        found = self.gradient_of(slope, wanted, False, moving, scaled)
        return found, [*moving.items(), *([(None, (0,))] if scaled else [])]

    def gradient_of(self, slope: types.FunctionType, wanted: tuple[str, ...], with_value: bool, moving: Iterable[str],
                    scaled: bool) -> Any:
        """The gradient of a slope: where nobody differentiates it again, one that is compiled here and now, but for one
        of so many paths that it can't be."""
        holomorphic = self.gradient.mode.holomorphic
        mode = Mode("one", with_value and self.gradient.mode.value, with_value and self.gradient.mode.bare, holomorphic)
        values = {label: passive(version.value) for label, version in self.facts.parameters.items()}
        given = [*(passive(bar_form(values[label])) for label in moving), *([ANY] * scaled), *values.values()]
        first = len(given) - len(values)
        places = tuple(first + self.parameters.index(label) for label in wanted)
        if self.session.options.elements:
            if not self.session.again:  # what is refused is so before anything runs
                self.session.try_forwards(Definition(slope), given)
            return gradient_by_elements(slope, places, mode)
        if not self.session.again:
            with contextlib.suppress(ManyPaths):
                return self.session.written_out(Differentiated(Definition(slope), slope.__name__, wanted, mode), given)
        make = value_and_grad if mode.value else grad
        return make(slope, places[0] if mode.bare else places, holomorphic=holomorphic)

    def adjoint_text(self, wanted: tuple[str, ...], seeds: tuple) -> tuple[str, Text]:
        name, path, saved, *bars = self.local(f"{self.name}_adjoint", "path", "saved", *["result_bar"] * len(seeds))
        found = dict(zip(seeds, bars))
        function, parts = self.reversed[wanted, seeds]
        values = self.facts.parameters
        given = [found[at] if label is None else self.assembled(bar_form(values[label].value), at, found)
                 for label, at in parts]
        first = [path] if self.session.again else []
        return name, self.write(name, ", ".join([*first, saved, *bars]), [
            f"{tuple_text(self.parameters)[1:-1]} = {saved}",
            f"return {self.give(f'{self.name}_slopes', function)}({', '.join([*given, *self.parameters])})"])

    def assembled(self, form: Abstract, at: tuple, found: dict[tuple, str]) -> str:
        """The text of a tangent formed like a gradient, out of the cotangents of its parts."""
        if at in found or not isinstance(form, Items):
            return found.get(at, "None")
        parts = [self.assembled(form.at(step), (*at, step), found) for step in form.steps]
        if form.kind is tuple:
            return tuple_text(parts)
        if form.kind is list:
            return f"[{', '.join(parts)}]"
        if form.is_deque:
            limit = "" if form.kind.limit is None else f", {form.kind.limit}"  # type: ignore[attr-defined]
            return f"{self.give('deque', deque)}([{', '.join(parts)}]{limit})"
        if form.is_dict:
            items = f"{{{', '.join(f'{key!r}: {part}' for key, part in zip(form.steps, parts))}}}"
            return items if form.kind is dict else dict_text(form.kind, items, lambda value: self.give("kind", value))
        kind = self.give(form.kind.__name__, form.kind)
        if issubclass(form.kind, tuple):
            return f"{kind}({', '.join(parts)})"
        named = [f"{key}={part}" for key, part in zip(form.steps, parts)]
        return f"{self.give('instance', instance)}({', '.join([kind, *named])})"

    def write_tangent(self, helpers: Any, names: Names, careful: bool) -> None:
        header = self.start_tangent()
        moving = tuple(header.parameters)
        slopes = self.give(f"{self.name}_slopes", self.gradient_of(
            self.slope(moving, False), self.gradient.wanted, True, moving, False))
        self.tangent_text = self.write(header.name, self.header(header.parameters.values(), header.by_keyword), [
            *self.checks(), f"return {self.function_name}({self.passed()}), "
            f"{slopes}({', '.join([*header.parameters.values(), *self.parameters])})"])
        self.tangent_cell.cell_contents = self.made(self.tangent_text, header.name)

    def slope(self, moving: tuple[str, ...], scaled: bool) -> types.FunctionType:
        """A function of tangents of these parameters, a cotangent of the value where that is ``scaled``, and the
        arguments: the slope of the value, to which the product of the two is added."""
        names = Names({*self.parameters, "jvp"})
        called = self.gradient.label if self.gradient.label.isidentifier() else "function"
        label, function, value, slope, bar = map(names.fresh, (
            f"{called}_slope", called, "value", "slope", "value_bar"))
        dots = {each: names.fresh(f"{each}_dot") for each in moving}
        along = [dots.get(each, "None") for each in self.parameters]
        lines = [f"{value}, {slope} = jvp({function}, {tuple_text(self.parameters)}, {tuple_text(along)})"] if moving \
            else [f"{value} = {function}({', '.join(self.parameters)})"]
        terms = [*([slope] if moving else []), *([f"{bar} * {value}"] if scaled else [])]
        given = ", ".join([*dots.values(), *([bar] if scaled else []), *self.parameters])
        text = "\n    ".join([f"def {label}({given}):", *lines, f"return {' + '.join(terms)}"]) + "\n"
        outside = {"__name__": "s2sgrad.written", "jvp": jvp, function: self.gradient.definition.function}
        return compile_text(text, label, outside, {})


def must_last(label: str, *values: Any) -> None:
    """Raises UnsupportedError where an iterator is, or is in, one of the arguments of a function that is run again."""
    for value in values:
        held = contents(value)
        if held is not None:
            must_last(label, *held.parts)
        elif isinstance(value, Iterator) and not is_instance(value):
            raise UnsupportedError(f"{label} gets an iterator, and is run again for a derivative of its gradient",
                                   "give it a list")


def bar_form(value: Abstract) -> Abstract:
    """What is known of the cotangent that a gradient gives of an argument."""
    value = passive(value)
    if isinstance(value, Items):
        if value.optional or value.late or value.views:
            raise UnsupportedError("what may be None, or lack attributes, has no known gradient", "give it these")
        if value.items is None:
            return Items(value.kind, None, bar_form(value.element), keys=value.keys)
        return Items(value.kind, tuple(map(bar_form, value.items)), keys=value.keys)
    moves = activated(value)
    if not moves.active:
        return Known(None)
    if not isinstance(value, Numeric):
        return ANY
    return Numeric("number" if value.is_number else value.kind, value.dtype, value.shape, True)
