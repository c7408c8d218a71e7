"""One function for one pattern of arguments: its program, taken apart as far as need be, and what is known of it."""
from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2sgrad.compiler.again import ORDERS
from s2sgrad.compiler.aliases import check_writes
from s2sgrad.compiler.attempts import Caught, HalfDone, Managed, changed_in_one_go, check_attempts, constants_set
from s2sgrad.compiler.by_number import by_number
from s2sgrad.compiler.by_place import by_place
from s2sgrad.compiler.by_row import by_row
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.desugar import desugar
from s2sgrad.compiler.emit import Text
from s2sgrad.compiler.evaluation import COMPLETES, TURNS
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.flows import Mixed, NeedsPlaces, SharesMemory
from s2sgrad.compiler.infer import Infer
from s2sgrad.compiler.placed import may_change_something, without_numbered_names, writes_under_other_names
from s2sgrad.compiler.program import Loop, Program, statements
from s2sgrad.compiler.structures import static_leaves
from s2sgrad.compiler.viewed_attributes import InferViews
from s2sgrad.derivative.inputs import needed
from s2sgrad.derivative.programs import program_of
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Known, levels, with_numbers
from s2sgrad.rules.table import NeedsValue

if TYPE_CHECKING:
    from s2sgrad.derivative.session import Session


MOST_ROUNDS = 100
"""So deep an expression may be nested; each round of desugaring takes a level off."""


class Understood:
    """The part of a derivative that is the analysis of its function."""

    definition: Definition
    function: Any
    session: Session
    name: str
    parameters: list[str]
    wanted: list[str]
    """The parameters to differentiate in."""
    modules: dict[str, Any]
    missed: set[str]
    """What was not demanded of the analyses of its program so far, and would have made a difference."""
    gives_view = False
    """As it was written, its result is, or has in it, a view of a dict."""
    in_one_go: Mapping[Caught, frozenset[str]] = dict.fromkeys(Caught, frozenset())
    """The parameters of which it changes nothing where it raises what is caught."""
    set_only: Mapping[Caught | None, frozenset[str]] = dict.fromkeys((*Caught, None), frozenset())
    """Those of which it changes no more there, or with None anywhere, than attributes that are not differentiated."""
    mirrored = False
    """What it writes into is not checked (``Options.mirrored``)."""

    @property
    def is_known(self) -> bool:
        """Whether some round of its analysis has come to its end."""
        return hasattr(self, "facts")

    def effects(self) -> tuple | None:
        """What its calls do to the arguments, as far as that is known by now; None where nothing is."""
        if not self.is_known:
            return None
        facts = self.facts
        return ({parameter: (facts.end(parameter), facts.stored.get(parameter)) for parameter in facts.written},
                facts.hidden, facts.holds, facts.knotted, facts.doubled)

    def depth(self) -> int:
        """How deep the containers are nested that it leaves in its arguments."""
        return max((levels(self.facts.end(parameter)) for parameter in self.facts.written), default=0)

    def analyse(self, arguments: dict[str, Abstract]) -> None:
        try:
            self.look_into(arguments)
        except UnsupportedError:
            plain = replace(self.definition, plain=True)
            if self.definition.plain or not program_of(plain).stands_in:
                raise
            self.definition = plain
            self.look_into(arguments)

    def look_into(self, arguments: dict[str, Abstract]) -> None:
        if not self.session.options.shapes:
            arguments = {name: _shapeless(value) for name, value in arguments.items()}
        self.program, self.facts = self.understood(arguments)
        self.in_one_go = {caught: changed_in_one_go(self.program, self.facts, caught) for caught in Caught}
        self.set_only = {caught: constants_set(self.program, self.facts, caught) for caught in (*Caught, None)}
        self.leaves = static_leaves(self.facts.result)
        self.wanted = [name for name in self.parameters if arguments[name].active]

    def understood(self, arguments: dict[str, Abstract]) -> tuple[Program, Facts]:
        """The program taken apart: as it stands; where that is refused, with names for what is in containers spelled
        out, then with loops over objects written out turn by turn, with numbers for rows of an array, and for arrays,
        of which it is not known which name stands for which, all this once more with calls of several objects written
        out, and last without the objects that it makes; or as one that needs no check."""
        program = program_of(self.definition)
        try:
            return self.told_apart(program, arguments)
        except UnsupportedError as refusal:
            if self.session.options.mirrored and hasattr(self.function, ORDERS):
                self.mirrored = True
                return self.taken_apart(program, arguments)
            if isinstance(refusal, HalfDone):
                from s2sgrad.compiler.one_by_one import one_by_one  # which most programs never need

                plain = one_by_one(program, functools.partial(self.inferred, arguments=arguments))
                if plain is not None:
                    try:
                        return self.told_apart(plain, arguments)
                    except UnsupportedError as other:
                        if not isinstance(refusal, Managed) and not isinstance(other, HalfDone):
                            raise
            found = self.without_calls(program, arguments)
            if found is not None:
                return found
            from s2sgrad.compiler.dissolve import dissolved  # which most programs never need

            plain = None if len(self.session.running) > 1 else dissolved(
                program, arguments, self.session.outside.outer, program_of, functools.partial(
                    self.inferred, arguments=arguments), refusal)
            if plain is None:
                raise
            with contextlib.suppress(UnsupportedError):
                return self.told_apart(plain, arguments)
            raise

    def without_calls(self, program: Program, arguments: dict[str, Abstract]) -> tuple[Program, Facts] | None:
        """The same with calls that get several objects written out; None where that is of no use."""
        from s2sgrad.compiler.written_out import written_out  # which most programs never need

        with contextlib.suppress(UnsupportedError):
            plain = None if len(self.session.running) > 1 else written_out(
                program, arguments, self.session.outside.outer, program_of, functools.partial(
                    self.inferred, arguments=arguments))
            if plain is not None:
                return self.told_apart(plain, arguments)
        return None

    def told_apart(self, program: Program, arguments: dict[str, Abstract]) -> tuple[Program, Facts]:
        try:
            return self.spelled_out(program, arguments)
        except SharesMemory as error:
            objects = (by_place, by_place)  # there may be two lists of them
            for ways in ((by_place,),) if isinstance(error, Mixed) else ((by_row, by_number, *objects), objects):
                found = self.numbered(program, arguments, error, ways)
                if found is not None:
                    return found
            raise

    def numbered(self, program: Program, arguments: dict[str, Abstract], error: SharesMemory,
                 ways: tuple) -> tuple[Program, Facts] | None:
        """The program with numbers for what it was refused for, by one way after another; None where none will do."""
        labels = error.labels
        facts: Facts | None = getattr(error, "facts", None)
        for way in ways:
            try:
                facts = self.inferred(program, arguments) if facts is None else facts
                plain = way(program, facts, labels)
                if plain is not None and lines_of(plain) != lines_of(program):
                    program, facts = plain, None
                    return self.spelled_out(plain, arguments)
            except SharesMemory as other:
                labels = other.labels
            except UnsupportedError:
                pass
        return None

    def spelled_out(self, program: Program, arguments: dict[str, Abstract]) -> tuple[Program, Facts]:
        held: frozenset[str] = frozenset()
        self.missed: set[str] = set()
        try:
            return self.taken_apart(program, arguments)
        except UnsupportedError as error:
            refusal = error
        spelled = isinstance(refusal, NeedsPlaces) or writes_under_other_names(program)
        if spelled:
            found = getattr(refusal, "parts", held)
            for _ in range(MOST_ROUNDS):
                held |= found
                try:
                    return self.taken_apart(program, arguments, True, held)
                except NeedsPlaces as error:
                    found = error.parts & self.missed
                    if found <= held:
                        break
                except UnsupportedError as error:
                    refusal = error
                    break
        if any(isinstance(part, Loop) and part.target is not None and may_change_something(part)
               for part in statements(program.body)):
            for others in ((), (TURNS,), (COMPLETES,)):
                if self.missed.issuperset(others) and (others or not spelled):
                    with contextlib.suppress(UnsupportedError):
                        return self.taken_apart(program, arguments, True, held.union(others))
        raise refusal

    def inferred(self, program: Program, arguments: dict[str, Abstract], own: frozenset[str] = frozenset(),
                 **options: Any) -> Facts:
        """What is known of a program; ``own``: the names that the user knows, where places are to be spelled out."""
        session = self.session
        run = InferViews if session.options.attribute_views else Infer
        facts: Facts = run(program, arguments, session.outside.outer(self.function), session.derivative_of,
                           not session.options.activity, session.options.shapes, program_of, places=own,
                           **options).run()
        return facts

    def taken_apart(self, program: Program, arguments: dict[str, Abstract], places: bool = False,
                    demanded: frozenset[str] = frozenset()) -> tuple[Program, Facts]:
        """The program without nested control flow, and what is known of it. ``places``: names for what is in
        containers are spelled out; ``demanded``: what else is done only where a program is refused without it."""
        own = program.names

        def infer(program: Program) -> Facts:
            facts = self.inferred(program, arguments, own if places else frozenset(), demanded=demanded,
                                  missed=self.missed, noting=self.session.outside.noting)
            self.gives_view = self.gives_view or facts.gives_view
            return facts

        self.modules: dict[str, Any] = {}
        try:
            facts = infer(program)
            for _ in range(MOST_ROUNDS):  # an expression taken apart may hold another
                self.modules.update({identifier: version.value.value for identifier, version in facts.captured.items()
                                     if isinstance(version.value, Known)
                                     and isinstance(version.value.value, (types.ModuleType, type))})
                plain = desugar(program, facts)
                if plain is program and places:
                    plain = without_numbered_names(program, own)
                if plain is program:  # which names share memory can be told now
                    check_writes(program, facts, own, self.mirrored)
                    if not facts.respelled and not facts.tests:
                        break
                    plain = desugar(program, facts)
                    if plain is program:
                        if facts.conflict is not None:
                            raise facts.conflict
                        break
                contiguous = facts.contiguous
                program, facts = plain, infer(plain)
                facts.contiguous.update(contiguous)
            else:  # what is left is not checked, and must not be reversed
                raise AssertionError(f"{self.name} is still not taken apart")
            if not self.mirrored:
                check_attempts(program, facts)
        except NeedsValue as need:
            raise needed(need) from None
        finally:
            self.session.missed |= self.missed
        names = program.names.union(facts.given, facts.captured)  # what was inlined mentions others than its own text
        if names != program.names or not facts.given.keys() <= program.given.keys():  # found in the last round
            program = replace(program, given={**program.given, **facts.given}, names=names)
        return program, facts


def lines_of(program: Program) -> list[str]:
    return Text(program, comments=False).lines


def _shapeless(value: Abstract) -> Abstract:
    return with_numbers(value, lambda found: replace(found, shape=None) if found.kind == "array" else found)
