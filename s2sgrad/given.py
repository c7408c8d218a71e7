"""Derivatives that a user gives, or orders: custom rules, and recomputing in place of saving.

A call of such a function in a differentiated one is like that of any other: its primal gives ``(value, path, saved)``,
its adjoint takes what is saved and the cotangent. Only the texts of the two are others than the compiler's.
"""
from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from s2sgrad.compiler.again import GIVEN
from s2sgrad.compiler.definitions import ALIKE, Definition
from s2sgrad.compiler.emit import INDENT, Text, compile_text
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.infer import Infer
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.program import Program
from s2sgrad.compiler.sharing import fragile, handed_on
from s2sgrad.compiler.sheltered import Caught
from s2sgrad.compiler.tangent_state import Header
from s2sgrad.compiling import COMPILING
from s2sgrad.derivative import Derivative, PathTable, Session, program_of
from s2sgrad.errors import Location, S2SGradError, UnsupportedError
from s2sgrad.rules.abstract import ANY, Abstract, Items, Numeric, passive
from s2sgrad.rules.table import NeedsValue
from s2sgrad.runtime.custom import argument_bars, fitted, nothing_given, read_only, single_result, wrong_number
from s2sgrad.runtime.structures import held, with_its_arrays
from s2sgrad.runtime.uncaught import uncaught
from s2sgrad.signature import signature_of, written_arguments, written_header


@dataclass(frozen=True)
class Own:
    """What the compiler takes for a function with a derivative of its own.

    Attributes
    ----------
    stub
        The function that is parsed in its place.
    derivative
        Makes the derivative of it in a compilation.
    ruled
        Whether functions of the user's are its derivative: they get functions among the arguments as they are.
    """

    stub: types.FunctionType
    derivative: Callable[..., Derivative]
    ruled: bool


class Written(Text):
    """A text with no Program behind it; all of its lines belong to one place of the user's."""

    def __init__(self, lines: list[str], origin: Location):
        self.lines = lines
        self.origins = [origin] * len(lines)
        self.filename = ""
        self.whole = origin


class WrittenTable(PathTable):
    """The one adjoint of a derivative that is given: there is one path."""

    derivative: Given
    of_one_path = True

    def __missing__(self, path: int) -> Callable:
        with COMPILING:
            if path not in self:
                name, text = self.derivative.adjoint_text(self.wanted, self.seeds)
                self[path] = self.derivative.compile(text, name, helpers=self.derivative.own_helpers)
                self.texts[path] = text
            return self[path]

    def fill(self, cell: types.CellType) -> None:
        name, text = self.derivative.adjoint_text(self.wanted, self.seeds)
        cell.cell_contents = self.derivative.readable_own(text, name)


class Given(Derivative):
    """A derivative with a primal and an adjoint that are written around functions of the user's."""

    def __init__(self, called: types.FunctionType, definition: Definition, session: Session):
        super().__init__(definition, session)
        self.called_function = called
        code = called.__code__
        self.location = Location(code.co_filename, code.co_firstlineno, function=called.__qualname__)
        self.given_tables: dict[tuple, PathTable] = {}

    def start(self) -> None:
        """Names for what is called, and for what the texts bind."""
        self.own_names = Names(set(self.parameters))
        self.own_helpers = self.new_helpers(self.own_names)
        self.function_name = self.give(self.name, self.called_function)

    def start_tangent(self) -> Header:
        """The same for the tangent function: the header that it has in any case."""
        self.start()
        header = self.tangent_header
        assert header is not None
        self.own_names.taken.update([header.name, *header.parameters.values()])
        return header

    def give(self, wanted: str, value: Any) -> str:
        return self.own_helpers.inject(("given", id(value)), wanted, value).id

    def own_parameters(self) -> list[Parameter]:
        return [Parameter(label, Parameter.KEYWORD_ONLY if label in self.keyword_only
                          else Parameter.POSITIONAL_OR_KEYWORD, default=default)
                for label, default in zip(self.parameters, self.definition.defaults())]

    def passed(self) -> str:
        """The parameters as arguments of a call."""
        return written_arguments(self.own_parameters())

    def header(self, more: Iterable[str] = (), by_keyword: bool = False) -> str:
        """The parameters as the text has them, and ``more`` of them behind."""
        last = Parameter.KEYWORD_ONLY if by_keyword else Parameter.POSITIONAL_OR_KEYWORD
        return written_header([*self.own_parameters(), *(Parameter(label, last) for label in more)])

    def write(self, name: str, header: str, lines: list[str]) -> Text:
        return Written([f"def {name}({header}):", *(INDENT + line for line in lines)], self.location)

    def given_texts(self) -> list[Text]:
        """Those of the adjoints, there is one for each table."""
        for table in self.given_tables.values():
            table[0]
        return [text for table in self.given_tables.values() for text in table.texts.values()]

    def give_function(self, function: Any, role: str) -> str:
        """A name for a function of a rule: its own, where it has one."""
        label = getattr(function, "__name__", "")
        return self.give(label if label.isidentifier() else f"{self.name}_{role}", function)

    def saved_arguments(self) -> list[str]:
        """The parameters as they are saved: copies where they may be others before the adjoint reads them."""
        written, changed = fragile(self.program, self.facts, self.session.kept, self.called)
        texts = []
        for label in self.parameters:
            version = self.facts.parameters[label]
            copied: Callable | None = None
            if version in written and not (isinstance(version.value, Numeric) and version.value.is_number):
                copied = held
            elif version in changed:  # of a copy for each array a gradient that is differentiated again knows more
                copied = held if self.session.again else with_its_arrays
            texts.append(label if copied is None else f"{self.give_function(copied, 'copied')}({label})")
        return texts

    def local(self, *labels: str) -> list[str]:
        """Names for what one text binds."""
        names = Names(self.own_names.taken | self.own_names.pinned)
        return [names.fresh(label) for label in labels]

    def compile_own(self, text: Text, name: str) -> Any:
        return self.compile(text, name, *self.defaults(), helpers=self.own_helpers)

    def readable_own(self, text: Text, name: str, defaults: Any = None, keyword_defaults: Any = None
                     ) -> types.FunctionType:
        """A function of this text that can be differentiated itself."""
        made: types.FunctionType = self.compile(text, name, defaults, keyword_defaults, self.own_helpers)
        setattr(made, GIVEN, self.own_helpers.objects)
        return made

    def make_readable(self) -> None:
        """It is, as it was written."""

    def adjoints_by_name(self) -> list:
        return list(self.given_tables.values())

    def adjoint_text(self, wanted: tuple[str, ...], seeds: tuple) -> tuple[str, Text]:
        """The adjoint's name, and its text."""
        raise NotImplementedError

    def keeps(self, parameter: str) -> bool:
        """All that it gets may be saved."""
        return True

    def used_parts(self, parameter: str) -> list[tuple]:
        """Its adjoints give cotangents of whole parameters."""
        return [()]

    def adjoints(self, active: tuple[int, ...], places: tuple) -> PathTable:
        wanted = tuple(self.parameters[index] for index in active)
        key = wanted, places, False
        if key not in self.given_tables:
            self.given_tables[key] = WrittenTable(self, *key)
        return self.given_tables[key]


class Custom(Given):
    """The derivative of a function with a rule of the user's.

    Attributes
    ----------
    rule
        The functions that the user has given.
    """

    def __init__(self, rule: CustomRule, definition: Definition, session: Session):
        super().__init__(rule.function, definition, session)
        self.rule = rule

    def analyse(self, arguments: dict[str, Abstract]) -> None:
        """Nothing is differentiated in the function itself, which is looked at for what its result is alone."""
        program = program_of(self.definition)
        facts: Facts = Infer(program, arguments, self.session.outside.outer(self.function), self.session.derivative_of,
                             program_of=program_of).run()
        found = self.looked_at(arguments)
        known = ANY if found is None else found[1].result
        if isinstance(known, Items):
            raise UnsupportedError(f"{self.name} has a rule of its own, and returns several values",
                                   "return one array", self.location)
        # where that is a number, which the function itself knows as a constant, its cotangent is one
        facts.result = dataclasses.replace(known if isinstance(known, Numeric) else ANY, active=True, grown=None)
        facts.handed_on = {False: frozenset() if found is None else handed_on(*found), True: frozenset()}
        self.is_read = found is not None
        self.program = dataclasses.replace(program, location=self.location)
        self.facts, self.modules, self.leaves = facts, {}, [()]
        self.wanted = [name for name in self.parameters if arguments[name].active]

    def looked_at(self, arguments: dict[str, Abstract]) -> tuple[Program, Facts] | None:
        """The function itself and what is known of it, where its code can be read."""
        given = {label: passive(value) for label, value in arguments.items()}
        try:
            program = program_of(dataclasses.replace(self.definition, function=self.called_function))
            return program, Infer(program, given, self.session.outside.outer(self.called_function),
                                  self.session.derivative_of, program_of=program_of).run()
        except (S2SGradError, NeedsValue):
            return None

    def single(self, value: str, is_read: bool) -> str:
        """A check of the function's result. Where its code ``is_read``, it is known which arguments' memory that is;
        else it must be none's."""
        known = self.facts.handed_on[False] or ()
        others = [] if is_read else [label for label in self.parameters if label not in known]
        return f"{self.give('single_result', single_result)}({', '.join([repr(self.name), value, *others])})"

    def prepare(self, seeds: tuple | None, ones: bool) -> None:
        if self.prepared:
            return
        self.prepared = True
        if self.rule.reverse is None:
            raise UnsupportedError(f"the rule of {self.name} has no reverse=", "give it one, or use s2sgrad.jvp",
                                   self.location)
        self.start()

    def foresee(self) -> bool:
        return False

    def finish(self) -> None:
        if self.primal_text is not None:
            return
        copied = self.give("held", held)
        name, value, kept = self.local(f"{self.name}_primal", "value", "kept")
        saved = tuple_text([f"{copied}({value if self.rule.saving is None else kept})", *self.saved_arguments()])
        if self.rule.saving is None:
            first = f"{value} = {self.function_name}({self.passed()})"
        else:
            first = f"{value}, {kept} = {self.give_function(self.rule.saving, 'saving')}({self.passed()})"
        single = self.single(value, self.is_read and self.rule.saving is None)
        self.primal_text = self.write(name, self.header(), [first, f"return {single}, 0, {saved}"])
        self.primal_cell.cell_contents = self.compile_own(self.primal_text, name)

    def saved_form(self) -> Abstract:
        values = (version.value for version in self.facts.parameters.values())
        return Items(tuple, (self.facts.result if self.rule.saving is None else ANY, *values))

    def texts(self) -> list[Text]:
        assert self.primal_text is not None
        return [self.primal_text, *self.given_texts()]

    def adjoint_text(self, wanted: tuple[str, ...], seeds: tuple) -> tuple[str, Text]:
        assert self.rule.reverse is not None
        reverse = self.give_function(self.rule.on_loan.reverse, "reverse")
        check = self.give("argument_bars", argument_bars)
        name, saved, bar, bars, kept = self.local(f"{self.name}_adjoint", "saved", "result_bar", "bars",
                                                  "value" if self.rule.saving is None else "kept")
        given = [bar, kept, *([] if self.rule.saving is not None else self.parameters)]
        places = [self.parameters.index(label) for label in wanted]
        arguments = tuple_text(self.parameters)
        return name, self.write(name, f"{saved}, {bar}", [
            f"{tuple_text([kept, *self.parameters])[1:-1]} = {saved}",
            f"{bars} = {check}({self.name!r}, {reverse}({', '.join(given)}), {arguments}, {places})",
            f"return {tuple_text([f'{bars}[{place}]' for place in places])}"])

    def write_tangent(self, helpers: Any, names: Names, careful: bool) -> None:
        if self.rule.tangent is None:
            raise UnsupportedError(f"the rule of {self.name} has no tangent=",
                                   "give it one, or differentiate in reverse, with s2sgrad.vjp", self.location)
        header = self.start_tangent()
        tangent = self.give_function(self.rule.on_loan.tangent, "tangent")
        value, dot = self.local("value", "dot")
        dots = tuple_text([str(header.parameters.get(label)) for label in self.parameters])
        given = ", ".join([dots, value, *self.parameters])
        parameters = self.header(header.parameters.values(), header.by_keyword)
        first = f"{value} = {self.function_name}({self.passed()})"
        single = value if self.is_read else self.single(value, False)
        made = f"{self.give('fitted', fitted)}({f'the result of {self.name}'!r}, {tangent}({given}), {value})"
        lines = [first, f"return {single}, {made}"] if self.caught is Caught.NOTHING else [
            first, f"with {self.give('uncaught', uncaught)}:", f"{INDENT}{dot} = {made}", f"return {single}, {dot}"]
        self.tangent_text = self.write(header.name, parameters, lines)
        self.tangent_cell.cell_contents = self.compile_own(self.tangent_text, header.name)


class CustomAgain(Custom):
    """The same for gradients that are differentiated again: the texts call the function itself, whose derivative is the
    rule, and the rule's functions, which are differentiated as any others."""

    def finish(self) -> None:
        if self.primal_text is not None:
            return
        name, value, kept = self.local(f"{self.name}_primal", "value", "kept")
        lines = [f"{value} = {self.function_name}({self.passed()})"]
        if self.rule.saving is not None:
            saving = self.give_function(self.rule.saving, "saving")
            lines.append(f"{kept} = {saving}({self.passed()})[1]")
        saved = tuple_text([f"{self.give('held', held)}({value if self.rule.saving is None else kept})",
                            *self.saved_arguments()])
        self.primal_text = self.write(name, self.header(), [*lines, f"return {value}, 0, {saved}"])
        self.primal_cell.cell_contents = self.readable_own(self.primal_text, name, *self.defaults())

    def adjoint_text(self, wanted: tuple[str, ...], seeds: tuple) -> tuple[str, Text]:
        reverse = self.give_function(self.rule.reverse, "reverse")
        name, path, saved, bar, kept, found, *bars = self.local(
            f"{self.name}_adjoint", "path", "saved", "result_bar", "value" if self.rule.saving is None else "kept",
            "bars", *(f"{label}_bar" for label in self.parameters))
        given = [bar, kept, *([] if self.rule.saving is not None else self.parameters)]
        lines = [f"{tuple_text([kept, *self.parameters])[1:-1]} = {saved}",
                 f"{bar} = {self.give('held', held)}({bar})",  # which is the rule's own
                 f"{found if bars[1:] else bars[0]} = {reverse}({', '.join(given)})"]
        isinstance_, tuple_, len_ = (self.own_helpers.builtin(label).id for label in ("isinstance", "tuple", "len"))
        if bars[1:]:
            lines += [f"if not {isinstance_}({found}, {tuple_}) or {len_}({found}) != {len(bars)}:",
                      f"{INDENT}raise {self.give('wrong_number', wrong_number)}({self.name!r}, {found}, {len(bars)})",
                      f"{', '.join(bars)} = {found}"]
        else:  # it may give the cotangent itself
            lines += [f"if {isinstance_}({bars[0]}, {tuple_}):", f"{INDENT}{bars[0]}, = {bars[0]}"]
        places = [self.parameters.index(label) for label in wanted]
        for place in places:
            if isinstance(self.facts.parameters[self.parameters[place]].value, Items):
                nothing = self.give("nothing_given", nothing_given)
                lines += [f"if {bars[place]} is None:", f"{INDENT}raise {nothing}("
                          f"{f'argument {place} of {self.name}'!r}, {self.parameters[place]})"]
        checked = [self.checked(place, bars[place]) for place in places]
        return name, self.write(name, f"{path}, {saved}, {bar}", [*lines, f"return {tuple_text(checked)}"])

    def checked(self, place: int, bar: str) -> str:
        """A cotangent in its argument's shape and dtype, in new memory."""
        label = self.parameters[place]
        if isinstance(self.facts.parameters[label].value, Items):
            return f"{self.give('held', held)}({bar})"
        return f"{self.give('fitted', fitted)}({f'argument {place} of {self.name}'!r}, {bar}, {label})"


def custom(rule: CustomRule, definition: Definition, session: Session) -> Custom:
    return (CustomAgain if session.again else Custom)(rule, definition, session)


class Checkpointed(Given):
    """The derivative of a function of which nothing is saved but its arguments: the adjoint runs its primal again."""

    role = "saving"

    def __init__(self, definition: Definition, session: Session):
        super().__init__(definition.function, definition, session)

    def analyse(self, arguments: dict[str, Abstract]) -> None:
        super().analyse(arguments)
        if self.facts.written:
            raise UnsupportedError(f"{self.name} is run again by its adjoint, and writes into its arguments",
                                   "leave s2sgrad.checkpoint away, or write into a copy",
                                   next(iter(self.facts.written.values())))

    def finish(self) -> None:
        if self.captures.saved is not None:
            return
        super().finish()
        self.start()
        name, = self.local(f"{self.name}_primal")
        value = f"{self.function_name}({self.passed()})"
        if self.definition.hidden:  # what functions among the arguments read, which the function itself does not take
            value = f"{self.give(f'{self.name}_saving', self.primal)}({self.passed()})[0]"
        self.given_text = self.write(name, self.header(), [f"return {value}, 0, {tuple_text(self.saved_arguments())}"])
        self.primal_cell.cell_contents = self.compile_own(self.given_text, name)

    def adjoints(self, active: tuple[int, ...], places: tuple) -> PathTable:
        wanted = tuple(self.parameters[index] for index in active)
        self.adjoints_for(wanted, places)  # so that the primal saves what that one's adjoints read
        return super().adjoints(active, places)

    def texts(self) -> list[Text]:
        return [self.given_text, *self.given_texts(), *super().texts()]

    def adjoint_text(self, wanted: tuple[str, ...], seeds: tuple) -> tuple[str, Text]:
        adjoints = self.give(f"{self.name}_adjoints", self.tables[wanted, seeds, False])
        saving = self.give(f"{self.name}_saving", self.primal)
        name, saved, path, inner, unused, *bars = self.local(
            f"{self.name}_adjoint_again", "saved", "path", "inner", "_", *["result_bar"] * len(seeds))
        return name, self.write(name, ", ".join([saved, *bars]), [
            f"{tuple_text(self.parameters)[1:-1]} = {saved}",
            f"{unused}, {path}, {inner} = {saving}({self.passed()})",
            f"return {adjoints}[{path}]({', '.join([inner, *bars])})"])


def recomputed(definition: Definition, session: Session) -> Derivative:
    """The derivative of a function that is run again; a gradient of its gradient takes it for any other."""
    return Derivative(definition, session) if session.again else Checkpointed(definition, session)


def tuple_text(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


@dataclass(frozen=True)
class CustomRule:
    """A function, and those that the user gives for its derivative; see :func:`s2sgrad.custom_rule`."""

    function: types.FunctionType
    reverse: Callable | None
    saving: Callable | None
    tangent: Callable | None

    @functools.cached_property
    def on_loan(self) -> CustomRule:
        """The same as generated code calls it: the primal and the user read what its functions get, too."""
        return dataclasses.replace(self, reverse=on_loan(self.reverse), tangent=on_loan(self.tangent))


def on_loan(function: Callable | None) -> Callable | None:
    """A function of a rule that gets a copy of the cotangent, or of the tangents, and may only read the rest. Where it
    is differentiated itself, the compiler sees what it writes into."""
    if function is None:
        return None

    @functools.wraps(function)
    def called(bar: Any, *given: Any) -> Any:
        return function(held(bar), *map(read_only, given))
    setattr(called, ALIKE, function)
    return called


def stub_of(function: types.FunctionType) -> types.FunctionType:
    """A function with the same parameters, of which there is nothing else to know."""
    header = written_header(signature_of(function).parameters.values())
    name = function.__name__ if function.__name__.isidentifier() else "function"
    return compile_text(f"def {name}({header}):\n    return None\n", name, function.__globals__, {},
                        function.__defaults__, function.__kwdefaults__)

