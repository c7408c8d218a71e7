"""One function for one pattern of arguments: its saving primal, and where its adjoints come from."""
from __future__ import annotations

import functools
import itertools
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gast

from s2sgrad.compiler.again import COTANGENTS, GIVEN, KEPT, ORDERS, Differentiated
from s2sgrad.compiler.beginnings import Beginning
from s2sgrad.compiler.by_turn import by_turn
from s2sgrad.compiler.captures import Captures, NotSaved
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.emit import Text, compile_text
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.first_items import with_first_items
from s2sgrad.compiler.forward import Forward
from s2sgrad.compiler.functions_unread import Generated, holds_functions_alone, without_functions
from s2sgrad.compiler.fused import Fusion, in_turn, returns_in_attempt
from s2sgrad.compiler.gathered import gathered
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import Names, call, constant, name, names_in
from s2sgrad.compiler.one_buffer import with_one_buffer
from s2sgrad.compiler.one_name import with_one_name
from s2sgrad.compiler.origins import note_origins
from s2sgrad.compiler.own_lists import changes_containers
from s2sgrad.compiler.paths import Paths
from s2sgrad.compiler.primal import Primal
from s2sgrad.compiler.program import (
    Assign,
    Context,
    Import,
    Leave,
    Program,
    assigned_names,
    pattern_names,
    read_names,
    statements,
)
from s2sgrad.compiler.reuse import reused, saved_alone
from s2sgrad.compiler.reverse import Reverse
from s2sgrad.compiler.saving import saved_form, saves_memory
from s2sgrad.compiler.sharing import fragile, hands_on, holds_memory, later_contents, may_be_written, overwritten
from s2sgrad.compiler.sheltered import Caught, caught_calls
from s2sgrad.compiler.shifts import without_shifts
from s2sgrad.compiler.slopes import at_once
from s2sgrad.compiler.sweep import Wanted
from s2sgrad.compiler.tangent_state import Header, header_of
from s2sgrad.compiler.turns import Turns
from s2sgrad.compiler.used_parts import used_parts
from s2sgrad.derivative.inputs import needed
from s2sgrad.derivative.path_table import PathTable, note_mentioned
from s2sgrad.derivative.programs import program_of
from s2sgrad.derivative.understood import Understood
from s2sgrad.errors import ensure
from s2sgrad.rules.abstract import Abstract, Items, Known
from s2sgrad.rules.table import NeedsValue

if TYPE_CHECKING:
    from s2sgrad.derivative.session import Session

NAMELESS = "function"
"""What a lambda is called that no name calls."""

def tell_apart(root: Derivative) -> None:
    """Give labels of their own to the derivatives that call one another: one function may have several, each for other
    arguments."""
    involved: list[Derivative] = [root]
    for derivative in involved:
        for called in derivative.facts.calls.values():
            whole = getattr(called.derivative, "whole", called.derivative)
            if whole not in involved:
                involved.append(whole)
    labels = {derivative.label for derivative in involved if derivative.prepared}
    for derivative in involved:
        if not derivative.prepared:
            numbers = itertools.chain(("",), (f"_{number}" for number in itertools.count(2)))
            derivative.label = next(label for number in numbers if (label := derivative.name + number) not in labels)
            labels.add(derivative.label)


class Derivative(Understood):
    """One function for one pattern of arguments.

    Attributes
    ----------
    primal
        The saving primal: ``(value, path id, saved)``.
    tables
        For each choice of parameters and results, the adjoints by path id.
    """

    facts: Facts
    """What the last round of its analysis has found: of a function that calls itself there may be several."""
    role = "primal"
    """What the saving primal is called."""

    def __init__(self, definition: Definition, session: Session):
        self.definition = definition
        self.function = definition.function
        self.session = session
        self.program = program_of(definition)
        session.outside.note_bound(self.program)
        self.name = self.program.name if self.program.name.isidentifier() else NAMELESS
        if self.name.startswith("__") or self.name == "_":  # __call__
            self.name = self.name.strip("_") or NAMELESS
        self.label = self.name
        """The same in the names of generated functions, with a number where others have that name already."""
        self.parameters = list(self.program.parameters)
        self.keyword_only = self.program.keyword_only
        self.primal_cell = types.CellType()
        self.primal_program: Program | None = None
        self.primal_text: Text | None = None
        self.tables: dict[Any, PathTable] = {}
        self.prepared = False
        self.foreseen: set[tuple] = set()
        """The choices of parameters and results for which the primal saves all that their adjoints read."""
        self.settled = False
        """Analysed for good: no recursion that it takes part in is still being looked into."""
        self.called = False
        """Whether a function of the same compilation calls this one, itself included."""
        self.only: tuple | None = None
        """The adjoint of a function with one path, and what it was written for: there the general one is the path's."""
        self.involved: list[Any] = [self]
        """It and all whose adjoints its own call, once it is built."""
        self.leaves: list[tuple] = []
        self.tangent_header: Header | None = None
        self.tangent_cell = types.CellType()
        self.tangent_program: Program | None = None
        self.tangent_text: Text | None = None
        self.tangent_orders: dict[str, int] = {}
        self.caught = Caught.NOTHING
        """What handlers around calls of it may catch of what its tangent function raises."""
        self.tangent_raises = True
        """Whether that may raise errors that those handlers must let through."""

    @functools.cached_property
    def paths(self) -> Paths:
        """The numbers of its branch paths; callers ask for them, once it is analysed."""
        return Paths(self.program)

    # ---- analysis

    def called_by(self, name: str) -> None:
        """Name a lambda after the first name that it is called by."""
        if self.name == NAMELESS:
            self.name = self.label = name

    @property
    def built(self) -> tuple:
        """What must be built where this is called."""
        return self,

    # ---- building

    def build(self, seeds: tuple | None = None, ones: bool = False) -> None:
        """Find out what must be saved, by writing the general adjoints of this function and of those it calls, then
        write and compile the primals.

        ``seeds`` and ``ones``: the places of the result that have cotangents, and whether those are 1.
        """
        tell_apart(self)
        outside = self.session.outside
        self.session.changing = self.session.kept or bool(outside.changing or outside.noting or outside.noted) or any(
            changes_containers(derivative.program, derivative.facts) for derivative in self.session.done.values())
        self.prepare(seeds, ones)
        involved = [self]
        for derivative in involved:
            for other in (other for called in derivative.facts.calls.values() for other in called.derivative.built):
                if other not in involved:
                    other.prepare(None, False)
                    involved.append(other)
        while any(derivative.foresee() for derivative in involved):  # an adjoint may ask for more of another
            pass
        while any(derivative.expose() for derivative in involved):
            pass
        for derivative in involved:
            derivative.finish()
        self.involved = involved
        if self.session.again:
            self.leave_functions_out()
            for derivative in involved:
                derivative.make_readable()
            self.complete()

    def leave_functions_out(self) -> None:
        """Give nothing in the place of functions that the primals only hand on to one another."""
        own = [derivative for derivative in self.involved if isinstance(derivative, Derivative)
               and derivative.primal_program is not None]
        wholes = {derivative: getattr(derivative, "whole", derivative) for derivative in self.involved}
        cells = {id(derivative.primal_cell): own.index(whole) for derivative, whole in wholes.items() if whole in own}
        generated = [Generated(derivative.primal_program, derivative.helpers.objects, derivative.facts.parameters)
                     for derivative in own]
        for place, program in without_functions(generated, cells).items():
            own[place].write_primal(program)

    def make_readable(self) -> None:
        """Let the function's primal be differentiated itself."""
        self.reveal(self.primal)

    def complete(self) -> None:
        """Write the adjoints that others call by their names; these may ask for more of them."""
        while any(adjoint.complete() for derivative in self.involved for adjoint in derivative.adjoints_by_name()):
            pass

    def adjoints_by_name(self) -> list:
        """What holds its adjoints for callers that call them by their names."""
        return list(self.tables.values())

    def build_tangent(self) -> None:
        """Write and compile the tangent functions of this function and of those it calls."""
        involved = [self]
        for derivative in involved:
            involved += {called.derivative: None for called in derivative.facts.calls.values()
                         if called.derivative not in involved}
        tell_apart(self)
        careful = any(derivative.facts.rewritten or derivative.facts.written or derivative.facts.entangled
                      for derivative in involved)
        outputs = []
        for derivative in involved:  # those that call one another need each other's headers
            names = Names(derivative.program.names)
            helpers = derivative.new_helpers(names)
            derivative.tangent_header = header_of(derivative.program, derivative.facts, names,
                                                  f"{derivative.label}_tangent")
            outputs.append((derivative, helpers, names))
        for derivative in involved:  # a caller may come again with more
            involved += [other for other, caught in caught_calls(
                derivative.program.body, derivative.facts, derivative.caught) if other.is_caught(caught)]
        for derivative, helpers, names in reversed(outputs):
            derivative.write_tangent(helpers, names, careful)
        own = [derivative for derivative in involved if derivative.tangent_program is not None]
        if any(holds_functions_alone(version.value) for each in own for version in each.facts.parameters.values()):
            generated = [Generated(derivative.tangent_program, derivative.tangent_helpers.objects,
                                   derivative.facts.parameters) for derivative in own]
            cells = {id(derivative.tangent_cell): place for place, derivative in enumerate(own)}
            for place, program in without_functions(generated, cells).items():
                own[place].compile_tangent(program)

    def is_caught(self, caught: Caught) -> bool:
        """Note what handlers around a call of it may catch; whether that is more than was known."""
        before, self.caught = self.caught, max(self.caught, caught)
        return self.caught > before

    def write_tangent(self, helpers: Helpers, names: Names, careful: bool) -> None:
        assert self.tangent_header is not None
        try:
            writer = Forward(self.program, self.facts, helpers, names, self.tangent_header, careful, self.caught)
            program = writer.run()
        except NeedsValue as need:
            raise needed(need) from None
        self.tangent_raises = writer.shelter.may_raise(program.body)
        self.tangent_helpers, self.tangent_orders = helpers, writer.orders(program)
        self.compile_tangent(program)

    def compile_tangent(self, program: Program) -> None:
        self.tangent_program = program
        self.tangent_text = Text(program, comments=False)
        made = self.compile(self.tangent_text, program.name, *self.defaults(), helpers=self.tangent_helpers)
        self.reveal_tangent(made)
        self.tangent_cell.cell_contents = made

    def reveal_tangent(self, made: Any) -> None:
        """Note what has to be known of a tangent function when it is differentiated itself."""
        setattr(made, GIVEN, self.tangent_helpers.objects)
        setattr(made, ORDERS, self.tangent_orders)

    def with_tangents_among(self, parameters: tuple[str, ...], wanted: tuple[str, ...]) -> types.FunctionType:
        """The tangent function with these parameters: its own, and where they stand that are none of those, in their
        order, the tangents of those that are wanted; others start as zeros."""
        assert self.tangent_header is not None and self.tangent_program is not None
        dots = self.tangent_header.parameters
        zeros = [Assign(dot, call(self.tangent_helpers.helper("zero_tangent"), name(label)), self.program.location)
                 for label, dot in dots.items() if label not in wanted]  # what moves is written into these
        moving = iter(wanted)
        labels = tuple(label if label in self.parameters else dots[next(moving)] for label in parameters)
        header = gast.arguments([gast.Name(label, gast.Param(), None, None) for label in labels], [], None, [], [],
                                None, [])
        program = replace(self.tangent_program, parameters=labels, header=header,
                          body=(*zeros, *self.tangent_program.body))
        made: types.FunctionType = self.compile(Text(program, comments=False), program.name,
                                                helpers=self.tangent_helpers)
        self.reveal_tangent(made)
        return made

    def prepare(self, seeds: tuple | None, ones: bool) -> None:
        """Write the general adjoint, which notes what it reads."""
        if self.prepared:
            return
        self.prepared = True
        if self.session.options.activity:
            without_shifts(self.program, self.facts)
        self.names = Names(self.program.names)
        self.helpers = self.new_helpers(self.names)
        self.captures = Captures(self.names, "_" in self.program.parameters or "_" in self.program.names
                                 and "_" in read_names(self.program.body))
        self.captures.lent = self.lent_by_managers()
        self.beginnings: dict[tuple, Beginning | None] = {}
        self.turns = Turns(shared=not (self.session.large or self.session.again))
        self.saved_name = self.names.fresh("saved")
        self.facts.called, self.facts.changing = self.called, self.session.changing
        everything = (*self.leaves, *self.facts.exits())
        handed = (key for key, table in self.tables.items() if table.mentioned and not {*key[1]} <= {*everything})
        try:  # the first caller may hand in cotangents to be added to: of these the others need no shape
            key: tuple[Any, Any, Any] = (tuple(self.wanted), seeds, ones) if seeds is not None else next(
                handed, (self.parts_of(self.wanted), everything, ones))
            label = "" if self.paths.total == 1 else "general"
            unwritten = self.captures.snapshot()
            runs = self.paths.total == 1
            first, decisions = self.write_adjoint(None, *key, label, runs)
            if self.captures.pruned:  # others can have the names that were taken in vain
                self.captures.restore(unwritten)
                self.names.taken |= set(self.helpers.objects)  # which keep theirs
                self.turns.forget()
                self.captures.elsewhere.clear()
                self.captures.contents.clear()
                first, decisions = self.write_adjoint(None, *key, label, runs)
        except NeedsValue as need:
            raise needed(need) from None
        self.foreseen.add(key)
        self.first = key, first, decisions

    def lent_by_managers(self) -> dict[Version, Context]:
        """What managers give that may write into it where their blocks end, and whatever may be the same memory."""
        found: dict[Version, Context] = {}
        for block, manager in self.facts.managing:
            labels = [label for other, target in block.items if other is manager and target is not None
                      for label in pattern_names(target)]
            given = {self.facts.defined[block, label] for label in labels}
            later_contents(given, self.facts)
            found.update(dict.fromkeys(given, block))
        return found

    def new_helpers(self, names: Names) -> Helpers:
        """The names that a generated function has for what it uses from outside."""
        local = assigned_names(self.program.body) | set(self.program.parameters)
        helpers = Helpers(names, self.session.outside.outer(self.function), local)
        for identifier, module in self.modules.items():
            helpers.alias(identifier, module)
        helpers.objects.update(self.program.given)
        for identifier, module in modules_first(self.program, self.facts).items():
            helpers.imported(identifier, module)
        return helpers

    def foresee(self) -> bool:
        """Write the general adjoints for the cotangents that callers have, as far as they are known by now; whether
        there were any."""
        missing = [key for key, table in self.tables.items()
                   if key not in self.foreseen and table.mentioned is not False]
        for key in missing:
            self.foreseen.add(key)
            wanted, seeds, ones = key
            try:
                self.write_adjoint(None, wanted, seeds, ones, "general", False)
            except NeedsValue as need:
                raise needed(need) from None
        return bool(missing)

    def expose(self) -> bool:
        """Tell the functions called of arrays that they have, in objects or in what they hand on, and that are written
        into here; whether that was new."""
        facts = self.facts
        written, changed = fragile(self.program, facts, self.session.kept, self.called)
        labels = {version.name for version in written}  # other names of what is written into, and objects with it, too
        having = [called.derivative.facts for called in facts.calls.values() if any(
            node is not None and (parameter in called.derivative.facts.stored or holds_memory(facts.values[id(node)]))
            and (facts.exposed or not labels.isdisjoint(names_in(node)))
            for parameter, node in zip(called.derivative.parameters, called.arguments))]
        new = [other for other in having if not other.exposed]
        for other in new:
            other.exposed = True
        lent = [(called.derivative.facts, parameter) for called in facts.calls.values()
                for parameter, node in zip(called.derivative.parameters, called.arguments)
                if node is not None and parameter not in (*called.written, *called.derivative.facts.lent)
                and may_be_written(facts.values[id(node)]) and not (labels | facts.lent).isdisjoint(names_in(node))
                and hands_on(called, parameter)]
        for other, parameter in lent:
            other.lent.add(parameter)
        ends = overwritten(self.program, facts, written | changed)
        back = [called.derivative.facts for key, called in facts.calls.items()
                if key in ends and not called.derivative.facts.given_back]
        for other in back:
            other.given_back = True
        return bool(new or lent or back)

    def finish(self) -> None:
        """Write and compile the primal, which saves what the adjoints read."""
        if self.captures.saved is not None:
            return
        key, first, decisions = self.first
        if not self.session.options.recorded:
            for version in self.facts.defined.values():
                if version.value.active and (version.loop is None or ("buffer", version.loop) in self.captures.table):
                    self.captures.contents.add(self.captures.version(version, self.program.location))
        elif self.paths.total == 1 and not self.called and not decisions:
            self.only = key, first
        self.captures.freeze()
        writer = Primal(self.program, self.facts, self.captures, self.helpers, self.names, self.paths,
                        self.session.kept, self.called, self.session.again)
        primal = writer.run(self.unused(f"{self.label}_{self.role}"))
        self.absent = frozenset(writer.needs.nones)
        if self.program.kept and not self.session.again:
            buffers = {capture.name for capture in self.captures.table.values() if capture.kind == "buffer"}
            primal = with_one_buffer(primal, self.program.kept, buffers, set(writer.needs.copies.values()))
        self.write_primal(primal)
        for called in self.facts.calls.values():
            ensure(called.derivative.facts.written.keys() == called.written.keys(), "a call was taken for another")

    def write_primal(self, program: Program) -> None:
        self.primal_program = program
        self.primal_text = Text(program, comments=False)
        self.primal = self.compile(self.primal_text, program.name, *self.defaults())
        self.primal_cell.cell_contents = self.primal

    def saved_form(self) -> Abstract:
        """What is known of the tuple that the primal saves."""
        return Items(tuple, tuple(saved_form(capture, self.facts) for capture in self.captures.layout(None)))

    def keeps(self, parameter: str) -> bool:
        """Whether what the primal saves may be memory of an argument; asked once it is known what adjoints read."""
        return self.session.again or not self.session.options.recorded or saves_memory(
            self.facts.parameters[parameter], self.captures, self.facts)

    def texts(self) -> list[Text]:
        """Those of its primal and its adjoints."""
        assert self.primal_text is not None
        return [self.primal_text, *(text for table in self.tables.values() for text in table.texts.values())]

    def fused(self, gradient: Differentiated, seeds: tuple, ones: bool = True, sure: bool = True
              ) -> types.FunctionType:
        """Primal and adjoints in one function, which can be differentiated itself; see ``compiler/fused.py``. The
        cotangents of its result, where they are not ``ones``, are its last parameters. Where it is not ``sure`` that
        the result is a number, it checks that."""
        wanted = gradient.wanted
        assert self.primal_program is not None

        def adjoint_of(path: int | None) -> tuple[Program, dict[str, Any]]:
            known = None if path is None else self.paths.decisions(path)
            try:
                return self.write_adjoint(known, wanted, seeds, ones, "")
            except NotSaved:  # what this path's adjoint would read, the general one does without
                return self.write_adjoint(None, wanted, seeds, ones, "")

        options = [constant(gradient.label), constant(gradient.mode.seeds == "first"),
                   constant(gradient.mode.holomorphic)]
        check = None if sure else lambda value: call(self.helpers.helper("check_result"), value, *options)
        label = self.unused(f"{self.name}_gradient")
        if returns_in_attempt(self.primal_program):
            table = self.table(wanted, seeds, ones)
            called = (self.helpers.inject(("primal", id(self)), f"{self.name}_primal", self.primal_cell),
                      self.helpers.inject(("adjoint", id(table)), f"{self.name}_adjoint", table.by_name()))
            program = in_turn(self.primal_program, label, Names(self.names.taken), called,
                              (0 if ones else len(seeds), len(wanted)), gradient.mode.result, check)
            self.complete()
            return self.readable(program, *self.defaults())
        ends = [statement for statement in statements(self.program.body)
                if isinstance(statement, Leave) and statement.kind == "return" and statement.value is not None]
        unread = frozenset(statement.location for statement in ends
                           if sure and not gradient.mode.reads_value and not has_effect(statement.value, self.facts))
        fusion = Fusion(self.paths, adjoint_of, self.names, self.captures.unused, gradient.mode.result, unread, check)
        program = fusion.run(self.primal_program, self.absent, label)
        self.complete()  # a path's adjoint may ask for others than the general one
        made = self.readable(program, *self.defaults())
        setattr(made, COTANGENTS, self.program.cotangents.union(*map(self.cotangents_in, fusion.adjoints)))
        return made

    def cotangents_in(self, adjoint: Program) -> frozenset[str]:
        """The names for cotangents in an adjoint: all that it binds but what was saved for it."""
        assert self.primal_program is not None
        own = {*adjoint.parameters, *assigned_names(adjoint.body)}
        return frozenset(own - assigned_names(self.primal_program.body) - {*self.primal_program.parameters} - {
            capture.name for capture in self.captures.table.values()})

    def defaults(self) -> tuple[Any, Any]:
        """Of the function's own parameters; calls of a function defined inside, and of one with more parameters than
        it names, give all arguments."""
        if self.definition.syntax is not None:
            return None, None
        return None if self.definition.extra else self.function.__defaults__, self.function.__kwdefaults__

    def readable(self, program: Program, defaults: Any = None, keyword_defaults: Any = None,
                 helpers: Helpers | None = None) -> types.FunctionType:
        """A generated function that can be differentiated itself."""
        made: types.FunctionType = self.compile(Text(program, comments=True), program.name, defaults, keyword_defaults,
                                                helpers)
        self.reveal(made, helpers)
        return made

    def reveal(self, made: Any, helpers: Helpers | None = None) -> None:
        """Note what has to be known of a generated function when it is differentiated itself."""
        setattr(made, GIVEN, (self.helpers if helpers is None else helpers).objects)
        setattr(made, COTANGENTS, self.program.cotangents)
        setattr(made, ORDERS, self.program.orders)
        setattr(made, KEPT, self.program.kept.union(
            capture.name for capture in self.captures.table.values() if capture.kind in ("buffer", "saved")))

    def unused(self, wanted: str) -> str:
        return Names(self.names.taken | set(self.helpers.objects)).fresh(wanted)

    def compile(self, text: Text, name: str, defaults: Any = None, keyword_defaults: Any = None,
                helpers: Helpers | None = None) -> Any:
        objects = (self.helpers if helpers is None else helpers).objects
        cells = {key: value if isinstance(value, types.CellType) else types.CellType(value)
                 for key, value in objects.items()}
        code = self.function.__code__
        if self.function.__closure__ is not None:
            cells.update(zip(code.co_freevars, self.function.__closure__))
        function = compile_text(str(text), name, self.function.__globals__, cells, defaults, keyword_defaults)
        note_origins(text, function)
        return function

    def write_adjoint(self, known: dict | None, wanted: tuple[Wanted, ...], seeds: tuple, ones: bool,
                      label: str, runs: bool = True, left_alone: frozenset[str] = frozenset()
                      ) -> tuple[Program, dict[str, Any]]:
        """An adjoint as a Program, and the decisions that it takes as arguments, by their names. ``runs``: it is not
        only written to note what it reads, and becomes what an expert would leave of it. ``left_alone``: the arguments
        that it would else write into, and copies here."""
        key = wanted, seeds, ones
        names = Names(self.names.taken)
        captures_names, self.captures.names = self.captures.names, names
        helper_names, self.helpers.names = self.helpers.names, names
        sweep = Reverse(self.program, self.facts, self.captures, self.helpers, names, known, wanted, seeds, ones,
                        self.turns)
        name = f"{self.label}_adjoint" if label in ("", "general") else f"{self.label}_adjoint_{label}"
        sweep.again = sweep.cotangents.again = self.session.again
        sweep.left_alone = left_alone
        self.captures.start()
        try:
            beginning = self.beginnings.get(key) if known is not None else None
            if beginning is not None and not beginning.fits(self.names.taken, self.captures):
                beginning = None
            program = sweep.run(lambda: names.fresh(name), self.saved_name, beginning)
            if known is None:
                self.beginnings[key] = sweep.beginning
                note_mentioned(program, {} if self.session.again else self.helpers.adjoints)
            if runs and not self.session.again:
                program = with_one_name(program)
                program = program if self.session.large else with_first_items(program, sweep.operands)
            if runs and self.session.sizes and not self.session.large:
                program = at_once(program, sweep.operands, self.session.sizes, names.fresh)
            if runs:
                program = gathered(program, sweep.operands, names.fresh)
            if runs and not self.session.again:
                program = by_turn(program, sweep.operands)
            if runs and self.session.large:
                once = ones and self.session.once  # others may be run again with the same saved values
                saved = saved_alone(self.program, self.facts, self.captures) if once else set()
                program = reused(program, sweep.operands, saved)
        except NotSaved:
            self.foreseen.discard(key)
            self.turns.forget()  # loops that were reversed here may read what is not saved
            raise
        finally:
            self.captures.names, self.helpers.names = captures_names, helper_names
            # names of saved values and helpers stay theirs in every adjoint
            self.names.taken |= {capture.name for capture in self.captures.table.values()} | set(self.helpers.objects)
            self.names.taken.update(self.captures.elsewhere)
            captures_names.pinned |= set(self.helpers.objects)  # also in one that asked for this one on its way
        return program, sweep.decisions

    def adjoints(self, active: tuple[int, ...], places: tuple) -> PathTable:
        """The adjoints by path id, for a caller that has cotangents of these places of the result. Of containers of
        known parts they return the cotangents of those parts that the function uses, one beside the other."""
        return self.adjoints_for(self.parts_of([self.parameters[index] for index in active]), places)

    def parts_of(self, parameters: list[str]) -> tuple[Wanted, ...]:
        """What the adjoint returns for these parameters when another function calls this one."""
        values = {label: self.facts.parameters[label].value for label in parameters}
        return tuple(label if part == () and getattr(values[label], "items", None) is not None else (label, part)
                     for label in parameters for part in self.used_parts(label))

    def used_parts(self, parameter: str) -> list[tuple]:
        """The places in a parameter for which the adjoint has cotangents when another function calls this one."""
        return used_parts(parameter, self.program, self.facts)

    def adjoints_for(self, wanted: tuple[Wanted, ...], places: tuple) -> PathTable:
        key = wanted, places, False
        if self.prepared and self.captures.saved is not None and key not in self.foreseen:
            self.foreseen.add(key)  # for where it calls itself
            self.write_adjoint(None, *key, "general", False)  # the primal is written: does it save enough?
        return self.table(*key)

    def table(self, wanted: tuple[Wanted, ...], seeds: tuple, ones: bool) -> PathTable:
        key = (wanted, seeds, ones)
        if key not in self.tables:
            self.tables[key] = PathTable(self, wanted, seeds, ones)
        return self.tables[key]


def modules_first(program: Program, facts: Facts) -> dict[str, types.ModuleType]:
    """The modules that a function begins with importing, by the names that they have throughout."""
    found: dict[str, types.ModuleType] = {}
    for statement in program.body:
        if not isinstance(statement, Import):
            break
        for target in statement.targets:
            value = facts.defined[statement, target].value
            if isinstance(value, Known) and isinstance(value.value, types.ModuleType) \
                    and sum(target in assigned_names((other,)) for other in program.body) == 1:
                found[target] = value.value
    return found


