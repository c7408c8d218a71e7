"""What is known of the variables and expressions of an adjoint."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad import runtime
from s2sgrad.compiler.algebra import literal
from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.computed import Computed
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.program import Append, Assign, Loop, Program, expressions_in, statements
from s2sgrad.rules.abstract import Abstract, Numeric, join, known_value, rank_of
from s2sgrad.rules.dims import Shape
from s2sgrad.rules.table import METHODS, Rule, rule_for

TURNING = ("transpose", "swapaxes", "moveaxis", "reshape", "ravel", "flip", "squeeze", "expand_dims", "unbroadcast",
           "real")
"""Functions that give all of an array, or sums of it, or its real part, and never what can't be written into."""


class Remembering(Calls):
    """An evaluator that evaluates each expression of an adjoint once, as long as its variables stand for the same."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.memory: dict[int, tuple[gast.AST, Abstract]] = {}

    def evaluate(self, node: gast.AST, environment: dict) -> Abstract:
        kind = type(node)
        if kind is gast.Name and node.id in environment:
            value = self.facts.values[id(node)] = environment[node.id].value
            return value
        if kind is gast.Name or kind is gast.Constant:
            return super().evaluate(node, environment)
        remembered = self.memory.get(id(node))
        if remembered is None:
            remembered = self.memory[id(node)] = node, super().evaluate(node, environment)
        return remembered[1]


class AdjointValues:
    """The part of the operands that knows what the adjoint's variables stand for."""

    def __init__(self, program: Program, facts: Facts, captures: Captures, helpers: Helpers):
        self.program = program
        self.facts = facts
        self.captures = captures
        self.helpers = helpers
        self.loops: list[Loop] = []
        self.known: dict[str, Version] = {}
        self.saved: dict[Version, Version] = {}
        """For versions of the primal, what was last remembered of the variables with their saved values."""
        self.unsteady: set[str] = set()
        """Variables of which other things are known at other places."""
        self.evaluator = Remembering(Program("adjoint", (), (), program.location), {}, helpers.value, None,
                                     named_sizes=False)
        self.whole: dict[int, tuple[Assign, str]] = {}
        """For the values that assignments bind to names, the assignment and the name."""
        self.sources: dict[Version, gast.AST] = {}
        self.left_at: list[dict] = []
        """The environments in which control may have left from where zeros are carried back, too: what they are made
        like may have no value there, so that nothing reads them, or one of another shape."""
        self.fragile: set[Version] | None = None
        """The versions that are saved as copies, once that was asked."""
        self.calls: Computed | None = None
        """The calls in the primal, once that was asked."""
        self.filled: Any = None
        """Which elements of arrays are still there in the end, once that was asked."""
        self.counted: set[Version] = set()
        """Of the loops around: the targets that the reversed loop counts by itself."""

    @property
    def block(self) -> Loop | None:
        return self.loops[-1] if self.loops else None

    def remember(self, variable: str, value: Abstract) -> None:
        old = self.known.get(variable)
        if old is not None and old.value == value:
            return
        if old is not None:
            self.evaluator.memory.clear()
            self.unsteady.add(variable)
        self.known[variable] = Version(variable, None, value, "bound", 0)

    def know(self, known: dict[str, Version]) -> None:
        """Go on where this is known of the variables: at the start of an arm, or behind one."""
        if any(label in known and known[label].value != version.value
               for label, version in self.known.items() - known.items()):
            self.evaluator.memory.clear()
        self.known = known

    def know_either(self, first: dict[str, Version], second: dict[str, Version]) -> None:
        """Go on behind two arms, at the ends of which this is known."""
        known = {**first, **second}
        for label, version in first.items():
            other = known[label]
            if other is not version and other.value != version.value:
                self.unsteady.add(label)
                known[label] = Version(label, None, join(version.value, other.value), "bound", 0)
        self.know(known)

    def evaluate(self, expression: gast.AST) -> Abstract:
        return self.evaluator.evaluate(expression, self.known)

    def note(self, expression: gast.AST, value: Abstract) -> Abstract:
        """Note what is known of a new expression, so that it need not be evaluated."""
        if not isinstance(expression, gast.Name):
            self.evaluator.memory.setdefault(id(expression), (expression, value))
        return value

    def dtype_and_shape(self, node: gast.AST) -> tuple[Any, Shape]:
        value = self.evaluate(node)  # one that is mixed may be an integer after all
        return (None if value.mixed else value.dtype, value.shape) if isinstance(value, Numeric) else (None, None)

    def gives_the_same(self, new: gast.AST, node: gast.AST) -> None:
        """Note that a new expression has the value of another one."""
        self.evaluator.memory[id(new)] = new, self.evaluate(node)

    def is_fresh(self, node: gast.AST) -> bool:
        """Whether the expression makes new memory (numbers, which nothing can write into, count as new)."""
        if isinstance(node, gast.Call):
            rule = self.rule(node)
            return rule is not None and (rule.sharing == "fresh" or self.turns_new_memory(node, rule))
        if isinstance(node, gast.Subscript):
            return is_reversed(node.slice) and isinstance(node.value, gast.Call) and self.is_fresh(node.value)
        return isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant))

    def turns_new_memory(self, node: gast.Call, rule: Rule) -> bool:
        """Whether a call gives all of an array that has just been made and has no name, with its axes in another order,
        or summed over some: ``np.transpose(x @ y, (0, 2, 1))``."""
        if rule.title == "einsum":  # of one array it may be a view
            return len(node.args) > 2
        if rule.title not in TURNING or rule.title == "unbroadcast" and not rank_of(self.evaluate(node)):
            return False  # sums over all axes are numbers, into which nothing can be stored
        method = isinstance(node.func, gast.Attribute) and isinstance(self.evaluate(node.func.value), Numeric)
        return self.is_fresh(node.func.value if method else node.args[0])  # type: ignore[attr-defined]

    def rule(self, node: gast.Call) -> Rule | None:
        """That of the function or method which an expression of the adjoint calls, where it has one."""
        method = node.func.attr if isinstance(node.func, gast.Attribute) else ""
        if method in METHODS and isinstance(self.evaluate(node.func.value), Numeric):
            return METHODS[method]
        return rule_for(known_value(self.evaluate(node.func)))

    def is_temporary(self, identifier: str) -> bool:
        return identifier not in self.program.names

    def is_of_terms(self, node: gast.AST) -> bool:
        """Whether an expression is the cotangents of the terms of a sum: the sum's for each of them."""
        return isinstance(node, gast.Call) and known_value(self.evaluate(node.func)) is runtime.summed_bars

    def is_only_summed(self, label: str) -> bool:
        """Whether a list is made empty, appended to and summed up once, and nothing else becomes of it or its items."""
        makers = [statement for statement, defined in self.facts.defined if defined == label]
        if not all(isinstance(maker, Append) and maker.place is None or isinstance(maker, Assign)
                   and maker.target == label and isinstance(maker.value, gast.List) and not maker.value.elts
                   for maker in makers) or not makers:
            return False
        sums = 0
        for statement in statements(self.program.body):
            for part in expressions_in(statement):
                mentioned = names_in(part).count(label)
                if not mentioned or isinstance(statement, Append) and part is statement.target:
                    continue
                asked = [self.asks(node, label) for node in gast.walk(part)]
                sums += asked.count(sum)
                if mentioned != asked.count(sum) + asked.count(len):
                    return False
        return sums == 1

    def asks(self, node: gast.AST, label: str) -> Any:
        """``sum`` or ``len``, where an expression is a call of this of what has a name; else None."""
        if not (isinstance(node, gast.Call) and node.args and isinstance(node.args[0], gast.Name)
                and node.args[0].id == label):
            return None
        function = known_value(self.facts.values.get(id(node.func)))
        return next((known for known in (sum, len) if function is known), None)

    def source_of(self, version: Version | None) -> gast.AST | None:
        """The expression that a version was bound to."""
        if not self.sources:
            self.sources.update((found, statement.value) for (statement, _), found in self.facts.defined.items()
                                if isinstance(statement, Assign))
        return self.sources.get(version)

    def subject(self, node: gast.AST, statement: Any) -> Version | None:
        """The version that an expression is, or is assigned to."""
        if isinstance(node, gast.Name):
            return None if id(node) in self.facts.passing else \
                self.facts.before[statement].get(node.id) or self.facts.captured.get(node.id)
        return self.facts.defined[self.whole[id(node)]] if id(node) in self.whole else None

    def key(self, node: gast.AST, statement: Any) -> tuple[str, Any]:
        """What the captures know the value of an expression under."""
        subject = self.subject(node, statement)
        return ("version", subject) if subject is not None else ("part", id(node))


def is_reversed(index: gast.AST) -> bool:
    """Whether an index gives all elements of an array, backwards along some axes: ``::-1``."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return all(isinstance(part, gast.Slice) and part.lower is None is part.upper and (
        part.step is None or literal(part.step) == -1) for part in parts)
