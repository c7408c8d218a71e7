"""The values of the primal as the adjoint has them: literals, saved names, saved parts of expressions."""
from __future__ import annotations

import builtins
import itertools
import math
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.algebra import add, is_number, simplify
from s2sgrad.compiler.calls import Calls, rule_for
from s2sgrad.compiler.captures import Captures, mask_of
from s2sgrad.compiler.facts import Facts, Version, numbers_in
from s2sgrad.compiler.measures import MEASURES, binding_of, measure_of
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Evaluate,
    Leave,
    Loop,
    Program,
    attribute,
    call,
    constant,
    name,
    names_in,
    ordered_children,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.sharing import fragile
from s2sgrad.compiler.structures import accessed, is_optional, zeros_formed
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import (
    FLOAT,
    INTEGER,
    MISSING,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    is_complex,
    is_nothing,
    is_real,
    item_at,
    join,
    known_value,
    may_be_container,
    passive,
    rank_of,
    slice_bounds,
    with_numbers,
)
from s2sgrad.rules.table import METHODS, Rule

MODULES = {"np": np, "math": math}
TURNS = ("T", "mT")
WRITTEN = (gast.Name, gast.Attribute, gast.Subscript, gast.Slice, gast.BinOp, gast.UnaryOp, gast.Tuple)
"""Kinds of expressions of which the second in a statement gives what the first does."""
TURNING = ("transpose", "swapaxes", "moveaxis", "reshape", "ravel", "flip", "squeeze", "expand_dims", "unbroadcast")
"""Functions that give all of an array, or sums of it, and never what can't be written into."""


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


class Operands:
    """Gives the adjoint's expression for a value of the primal, capturing what has to be saved for it.

    Also the adjoint's own evaluator: what is known of expressions made of saved values and cotangents.
    """

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
        self.perhaps = False
        """Whether what zeros are made like may have no value, so that nothing reads them."""
        self.fragile: set[Version] | None = None
        """The versions that are saved as copies, once that was asked."""
        self.counted: set[Version] = set()
        """Of the loops around: the targets that the reversed loop counts by itself."""

    @property
    def block(self) -> Loop | None:
        return self.loops[-1] if self.loops else None

    # ---- what is known of the adjoint's variables

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

    def gives_the_same(self, new: gast.AST, node: gast.AST) -> None:
        """Note that a new expression has the value of another one."""
        self.evaluator.memory[id(new)] = new, self.evaluate(node)

    def is_fresh(self, node: gast.AST) -> bool:
        """Whether the expression makes new memory (numbers, which nothing can write into, count as new)."""
        if isinstance(node, gast.Call):
            rule = self.rule(node)
            return rule is not None and (rule.sharing == "fresh" or self.turns_new_memory(node, rule))
        return isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant))

    def turns_new_memory(self, node: gast.Call, rule: Rule) -> bool:
        """Whether a call gives all of an array that has just been made and has no name, with its axes in another order,
        or summed over some: ``np.transpose(x @ y, (0, 2, 1))``."""
        if rule.title == "einsum":  # of one array it may be a view
            return len(node.args) > 2
        if rule.title not in TURNING:
            return False
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

    # ---- saved values

    def has(self, version: Version) -> bool:
        """Whether what a statement binds is at hand under its name, when it has run."""
        return True

    def version(self, version: Version, location: Location) -> gast.AST:
        variable = self.captures.version(version, location)
        if self.known.get(variable) is not self.saved.get(version, MISSING):
            self.remember(variable, passive(version.value))
            self.saved[version] = self.known[variable]
        return name(variable)

    def value(self, node: gast.AST, statement: Any) -> gast.AST:
        """The value that a primal expression had when its statement ran."""
        known = self.facts.values.get(id(node), MISSING)
        if isinstance(node, gast.Constant):
            return node
        if self.is_of_a_module(node):
            if not any(map(self.helpers.is_hidden, names_in(node))):
                return node  # np.pi
            if isinstance(known, Known):  # of a module that the function imports itself
                return self.helpers.inject(("object", id(known.value)), node.attr, known.value)
        literal = known_value(known) if isinstance(known, (Numeric, Known)) else MISSING
        if type(literal) in (int, float, bool) and isinstance(known, Numeric) or type(literal) is str:
            return node if type(literal) is float and isinstance(node, gast.BinOp) else constant(literal)  # 1 / 3
        if isinstance(node, gast.Name) and id(node) not in self.facts.passing:
            environment = self.facts.before[statement]
            if node.id in environment:
                return self.version(environment[node.id], statement.location)
            if isinstance(known, Known):
                return self.helpers.outer(node.id)
            return self.version(self.facts.captured[node.id], statement.location)
        if isinstance(node, (gast.Slice, gast.Tuple, gast.Starred)) or self.is_lasting_item(node, statement):
            return self.rebuild(node, statement)
        if id(node) in self.whole:
            return self.version(self.facts.defined[self.whole[id(node)]], statement.location)
        if self.is_cheap(node) or self.is_scaling(node) or self.is_there_still(node, statement) \
                or self.is_measure(node, statement):
            return self.rebuild(node, statement)
        node = self.met_first(node, statement)
        variable = self.captures.part(node, self.wanted(node), self.block, known, statement)
        self.remember(variable, passive(known))
        return name(variable)

    def is_of_a_module(self, node: gast.AST) -> bool:
        """Whether an expression is a constant or function of a module: ``np.pi``."""
        known = self.facts.values.get(id(node))
        return isinstance(node, gast.Attribute) and isinstance(known, (Numeric, Known)) \
            and known_value(known) is not MISSING and isinstance(
                getattr(self.facts.values[id(node.value)], "value", None), types.ModuleType)

    def met_first(self, node: gast.AST, statement: Any) -> gast.AST:
        """The first of the expressions of a statement that are written alike, as in ``x[i] * x[i]``: saved once."""
        part = isinstance(node, gast.Subscript)
        if not part and self.facts.passing:
            return node  # a call in the statement may change what is read
        written = self.written(node, part)
        return node if written is None else self.captures.same.setdefault((statement, written), node)

    def written(self, node: gast.AST, part: bool) -> Any:
        """What is alike for expressions that are written alike, of which evaluating one more does nothing; None for any
        other. ``part``: of something, and not what is computed of attributes, which calls may change."""
        if id(node) in self.facts.passing:
            return None
        if isinstance(node, gast.Attribute) and not part and not isinstance(
                self.facts.values.get(id(node.value)), Numeric):
            return None
        if isinstance(node, gast.Constant):
            return type(node.value), node.value
        applied = self.facts.applied.get(id(node))
        if isinstance(node, gast.Call):
            if part or applied is None or not applied.operation.rule.elementwise or node.keywords:
                return None
        elif not isinstance(node, WRITTEN):
            return None
        parts = []
        for field, _, child in ordered_children(node):
            if field == "func" and isinstance(self.facts.values.get(id(child)), Known):  # and no method
                found = id(applied.operation.rule)
            else:
                found = self.written(child, part)
            if found is None:
                return None
            parts.append((field, found))
        word = getattr(node, "id", None) or getattr(node, "attr", None) or type(getattr(node, "op", None))
        return type(node), word, *parts

    def twin(self, value: Abstract, subject: Version | None = None, same_dtype: bool = False,
             node: gast.AST | None = None) -> Version | None:
        """A parameter of the same shape, if possible one that the value is made of: it costs no memory to ask for it.

        None where the subject itself is as cheap.
        """
        source = node if subject is None else self.source_of(subject)
        if subject is not None and (subject.origin in ("parameter", "captured")
                                    or self.captures.has("version", subject)):
            return None
        if not isinstance(value, Numeric) or not value.shape or None in value.shape:
            return None
        twins = [version for version in self.facts.parameters.values()
                 if isinstance(version.value, Numeric) and version.value.kind == "array"
                 and version.value.shape == value.shape and version not in self.facts.rewritten
                 and (not same_dtype or (value.dtype is not None and value.kind == "array"
                                         and version.value.dtype == value.dtype))]
        made_of = set() if source is None else set(names_in(source))
        return min(twins, key=lambda version: version.name not in made_of, default=None)

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

    def size(self, node: gast.AST, statement: Any) -> gast.AST:
        """The number of elements that a primal expression's value had."""
        known = self.facts.values.get(id(node), MISSING)
        if isinstance(known, Numeric) and known.shape == ():
            return constant(1)
        twin = self.twin(known, self.subject(node, statement), node=node)
        if twin is not None:
            return attribute(self.version(twin, statement.location), "size")
        if isinstance(node, gast.Name) or self.is_lasting_item(node, statement):
            saved = self.value(node, statement)
            return attribute(saved, "size") if isinstance(known, Numeric) and known.kind == "array" else call(
                self.helpers.numpy("size"), saved)
        variable = self.captures.measure("size", self.met_first(node, statement), self.wanted(node), self.block, known,
                                         statement)
        self.remember(variable, INTEGER)
        return name(variable)

    def length(self, node: gast.AST, statement: Any) -> gast.AST:
        """The number of items that a primal list had."""
        known = self.facts.values[id(node)]
        if isinstance(known, Items) and known.items is not None:
            return constant(len(known.items))
        variable = self.captures.measure("len", node, self.wanted(node), self.block, known, statement)
        self.remember(variable, INTEGER)
        return name(variable)

    def shape(self, node: gast.AST, statement: Any) -> gast.AST:
        """The shape that a primal expression's value had."""
        known = self.facts.values.get(id(node), MISSING)
        if isinstance(known, Numeric) and known.shape == ():
            return gast.Tuple([], gast.Load())
        twin = self.twin(known, self.subject(node, statement), node=node)
        if twin is not None:
            return attribute(self.version(twin, statement.location), "shape")
        if self.is_kept(node, statement):
            saved = self.value(node, statement)
            if isinstance(known, Numeric) and known.kind == "array":
                return attribute(saved, "shape")
            return call(self.helpers.numpy("shape"), saved)
        variable = self.captures.measure("shape", self.met_first(node, statement), self.wanted(node), self.block, known,
                                         statement)
        shape = Items(tuple, tuple(Numeric("python", np.dtype(int), (), dim=dim) for dim in known.shape)) \
            if isinstance(known, Numeric) and known.shape is not None else Items(tuple, None, FLOAT)
        self.remember(variable, shape)
        return name(variable)

    def is_kept(self, node: gast.AST, statement: Any) -> bool:
        """Whether a value may as well be saved of which the shape is asked for: it is saved already, or has a name and
        is not made anew in each turn of this loop."""
        subject = self.subject(node, statement)
        if subject is None:
            node = self.met_first(node, statement)
            return self.is_lasting_item(node, statement) or self.is_there_still(node, statement) \
                or self.captures.has("part", id(node))
        return subject.loop is None or subject.loop is not self.block or self.captures.has("version", subject)

    def mask(self, node: gast.AST, wanted: str, formula: tuple, shape: Any, statement: Any) -> gast.AST | None:
        """The mask that the primal made for a formula; None where what it compares is at hand."""
        captures = self.captures
        # a mask that nothing read is not saved: asked for again, it is as little read, and must not be made instead
        if captures.saved is None or not captures.has("mask", mask_of(node, formula[0])):
            if all(isinstance(operand, gast.Constant) or self.is_saved(operand, statement)
                   for operand in formula[1].values()):
                return None
        names = {operand: self.wanted(operand) for operand in formula[1].values()}
        variable = captures.mask(node, wanted, (*formula, names), self.block, Known(None), statement)
        self.remember(variable, Numeric("array", np.dtype(bool), shape))
        return name(variable)

    def is_saved(self, node: gast.AST, statement: Any) -> bool:
        version = self.subject(node, statement)
        return self.captures.has(*self.key(node, statement)) or (
            version is not None and version.origin in ("parameter", "captured"))

    def wanted(self, node: gast.AST) -> str:
        applied = self.facts.applied.get(id(node))
        if applied is not None:
            return applied.operation.rule.name
        if isinstance(node, gast.Name):
            return node.id
        if isinstance(node, gast.Subscript):
            inner = node.value
            return f"{inner.id}_part" if isinstance(inner, gast.Name) else "part"
        if isinstance(node, gast.Attribute):
            return node.attr
        if isinstance(node, gast.Compare):
            return "condition"
        return "value"

    def is_cheap(self, node: gast.AST) -> bool:
        """Whether computing a passive expression again costs no more than saving it: integers, slices, signs."""
        if isinstance(node, gast.Constant):
            return True
        known = self.facts.values.get(id(node))
        if known is not None and known.active:
            return False
        if isinstance(node, gast.Name):
            return isinstance(known, Known) or known is not None and slice_bounds(known) is not None \
                or isinstance(known, Numeric) and (known.is_number or known.kind != "any")
        if isinstance(node, gast.Attribute):
            return self.is_of_a_module(node)
        if isinstance(node, gast.Slice):
            return all(part is None or self.is_cheap(part) for part in (node.lower, node.upper, node.step))
        if isinstance(node, gast.Tuple):
            return all(self.is_cheap(item) for item in node.elts)
        number = isinstance(known, Numeric) and known.is_number
        if isinstance(node, gast.UnaryOp):
            return number and self.is_cheap(node.operand)
        if isinstance(node, gast.BinOp):
            return number and self.is_cheap(node.left) and self.is_cheap(node.right)
        return False

    def is_scaling(self, node: gast.AST) -> bool:
        """Whether an expression is ``-x``, ``2 * x`` or ``x / 2``, whose factor mostly melts into those around it; or a
        product of two differentiated numbers, which its own reversal asks for anyway; or ``x.T``, a view."""
        if isinstance(node, gast.Attribute):
            return node.attr in TURNS and isinstance(node.value, gast.Name) and isinstance(
                self.facts.values.get(id(node.value)), Numeric)
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, gast.USub) and self.is_named_number(node.operand)
        if not isinstance(node, gast.BinOp) or not isinstance(node.op, (gast.Mult, gast.Div)):
            return False
        sides = node.left, node.right
        if all(isinstance(side, gast.Name) for side in sides):
            return isinstance(node.op, gast.Mult) and all(
                isinstance(value, Numeric) and value.is_number and value.active
                for value in (self.facts.values[id(side)] for side in sides))
        named, literal = sides if isinstance(node.op, gast.Div) or isinstance(node.left, gast.Name) else sides[::-1]
        return self.is_named_number(named) and isinstance(literal, gast.Constant)

    def is_named_number(self, node: gast.AST) -> bool:
        """Whether a name stands for a number or an array, whose operators are NumPy's."""
        return isinstance(node, gast.Name) and isinstance(self.facts.values.get(id(node)), Numeric)

    def test(self, node: gast.AST, statement: Any) -> gast.AST | None:
        """A comparison of numbers that the adjoint has anyway, to be made again; None where it is something else."""
        if not isinstance(node, gast.Compare) or not all(map(self.is_at_hand, (node.left, *node.comparators),
                                                             itertools.repeat(statement))):
            return None
        return gast.Compare(self.value(node.left, statement), node.ops,
                            [self.value(item, statement) for item in node.comparators])

    def is_at_hand(self, node: gast.AST, statement: Any) -> bool:
        if isinstance(node, gast.Constant):
            return True
        if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Slice)) and self.is_cheap(node):
            return all(self.is_at_hand(part, statement) for _, _, part in ordered_children(node))
        if not isinstance(node, gast.Name):
            return False
        value = self.facts.values.get(id(node))
        version = self.subject(node, statement)
        if not isinstance(value, Numeric) or not value.is_number or version is None:
            return False
        if type(value.value) in (int, float, bool):  # a literal that a caller gave
            return True
        return version in self.counted or self.captures.has("version", version) or (
            version.origin in ("parameter", "captured") and self.captures.saved is None)

    def is_item(self, node: gast.AST) -> bool:
        """Whether an expression picks a part of a container."""
        if not isinstance(node, (gast.Subscript, gast.Attribute)):
            return False
        base = self.facts.values.get(id(node.value))
        if not isinstance(base, Items):
            return False
        return base.has_field(node.attr) if isinstance(node, gast.Attribute) else not (
            base.is_object or isinstance(node.slice, gast.Slice))

    def is_lasting_item(self, node: gast.AST, statement: Any) -> bool:
        """The same of a container that stays as it is, so that the adjoint finds the part where it was."""
        if not self.is_item(node):
            return False
        root: Any = node
        while isinstance(root, (gast.Subscript, gast.Attribute)):
            root = root.value
        if not isinstance(root, gast.Name):
            return True
        value = self.facts.values.get(id(root))
        if self.facts.called and isinstance(value, Items) and (value.is_object or self.facts.stored):
            return False  # the caller goes on with it
        return self.subject(root, statement) not in self.facts.reshaped

    def is_there_still(self, node: gast.AST, statement: Any) -> bool:
        """Whether an expression is a part or the length of an array that the adjoint has as it was: ``x[i]``."""
        known = self.facts.values.get(id(node))
        if not isinstance(known, Numeric) or self.captures.saved is not None and self.captures.has(
                "part", id(self.met_first(node, statement))):
            return False
        if isinstance(node, gast.Attribute):
            return node.attr in MEASURES and self.is_steady(node.value, statement)
        if isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords:
            function = self.facts.values.get(id(node.func))
            return isinstance(function, Known) and function.value is len and self.is_steady(node.args[0], statement)
        if not isinstance(node, gast.Subscript) or not self.is_steady(node.value, statement, bool(self.loops)):
            return False
        return all(self.is_basic(index) and (known.active or self.is_at_hand(index, statement))
                   for index in (node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]))

    def is_basic(self, index: gast.AST) -> bool:
        """Whether an index is one of numbers and bounds that cost nothing, which choose without copying."""
        value = self.facts.values.get(id(index))
        return self.is_cheap(index) and (not isinstance(value, Numeric) or value.is_number)

    def is_steady(self, node: gast.AST, statement: Any, made_here: bool = False) -> bool:
        """Whether a name is an array's that nothing writes into, and that is saved anyway or costs no memory to ask
        for; or (``made_here``) that the function itself made, once."""
        version = self.subject(node, statement) if isinstance(node, gast.Name) else None
        value = version.value if version is not None else None
        if version is None or not isinstance(value, Numeric) or value.kind != "array" or version.unbound:
            return False
        if not self.captures.has("version", version) and (self.facts.called or version.origin != "parameter" and not (
                made_here and version.origin == "bound" and version.loop is None)):
            return False
        if self.fragile is None:
            self.fragile = set().union(*fragile(self.program, self.facts, True, self.facts.called))
        return version not in self.fragile

    def is_measure(self, node: gast.AST, statement: Any) -> bool:
        """Whether a loop asks for the length or shape of an array that it at most writes into, and reckons with it:
        ``u.shape[0] - 1``."""
        if isinstance(node, gast.BinOp):
            known = self.facts.values.get(id(node))
            return isinstance(known, Numeric) and known.is_number and not known.active and all(
                self.is_cheap(side) or self.is_item(side) and self.is_measure(side.value, statement)
                or self.is_measure(side, statement) for side in (node.left, node.right))
        if isinstance(node, gast.Call):
            function = self.facts.values.get(id(node.func))
            return isinstance(function, Known) and function.value is len and len(node.args) == 1 \
                and self.steady_before(node.args[0], statement) is not None
        return isinstance(node, gast.Attribute) and node.attr in MEASURES \
            and self.steady_before(node.value, statement) is not None

    def steady_before(self, node: gast.AST, statement: Any) -> Loop | None:
        """The outermost loop around a statement, itself included, before which a name stood for the array that it
        stands for here; None where there is none."""
        version = self.facts.before[statement].get(node.id) if isinstance(node, gast.Name) else None
        binding = binding_of(version)
        if version is None or binding is None:
            return None
        around = [*self.loops, statement] if isinstance(statement, Loop) else self.loops
        return next((loop for loop in around
                     if binding_of(self.facts.before[loop].get(version.name)) is binding), None)

    def of_shape(self, binding: Version) -> Version | None:
        """What is saved, or costs nothing to save, of the same shape as an array that was bound."""
        if binding.loop is None or binding.loop in self.loops:
            for capture in self.captures.table.values():
                if capture.kind == "version" and capture.block is binding.loop and binding_of(
                        capture.subject) is binding and self.captures.has("version", capture.subject):
                    return capture.subject
        return self.twin(binding.value, binding)

    def measured(self, node: Any, statement: Any) -> gast.AST:
        """The length or shape of an array, read of one that is saved anyway, or before the loops around."""
        array = node.value if isinstance(node, gast.Attribute) else node.args[0]
        binding = binding_of(self.facts.before[statement][array.id])
        assert binding is not None
        there = self.of_shape(binding)
        if there is not None:
            return measure_of(self.version(there, statement.location), node, self.helpers.builtin("len"))
        kind = node.attr if isinstance(node, gast.Attribute) else "len"
        known = self.facts.values[id(node)]
        if (binding, kind) not in self.captures.same:
            made = self.captures.same[binding, kind] = measure_of(
                name(array.id), node, self.helpers.builtin("len"))
            self.facts.made.append(made)
            self.facts.values[id(made)] = known
        loop = self.steady_before(array, statement)
        block = next((outer for outer, inner in zip((None, *self.loops), self.loops) if inner is loop), self.block)
        variable = self.captures.part(self.captures.same[binding, kind], f"{array.id}_{kind}", block, known, loop)
        self.remember(variable, known)
        return name(variable)

    def rebuild(self, node: gast.AST, statement: Any) -> gast.AST:
        """A cheap expression over saved values."""
        if isinstance(node, gast.Slice):
            parts = (node.lower, node.upper, node.step)
            return gast.Slice(*(None if part is None else self.value(part, statement) for part in parts))
        if isinstance(node, gast.Tuple):
            return gast.Tuple([self.value(item, statement) for item in node.elts], gast.Load())
        if isinstance(node, gast.Starred):
            return gast.Starred(self.value(node.value, statement), gast.Load())
        if isinstance(node, gast.Subscript):
            return gast.Subscript(self.value(node.value, statement), self.value(node.slice, statement), gast.Load())
        if isinstance(node, (gast.Attribute, gast.Call)):
            whole = node.value if isinstance(node, gast.Attribute) else node.args[0]
            if self.is_measure(node, statement) and not self.is_steady(whole, statement):
                return self.measured(node, statement)
            return measure_of(self.value(whole, statement), node, self.helpers.builtin("len"))
        if isinstance(node, gast.UnaryOp):
            return gast.UnaryOp(node.op, self.value(node.operand, statement))
        assert isinstance(node, gast.BinOp)
        return gast.BinOp(self.value(node.left, statement), node.op, self.value(node.right, statement))

    # ---- shapes and zeros of cotangents

    def item(self, version: Version, path: tuple, location: Location) -> gast.AST:
        whole = self.version(version, location)
        item = self.perhaps_late(accessed(whole, version.value, path), version.value, path)
        holders = optional_holders(version.value, path)
        if path and (version.unbound or self.perhaps) and () not in holders:  # what is not bound yet is saved as None
            holders.insert(0, ())
        for holder in reversed(holders):  # where that is None nothing reads the item
            there = gast.Compare(accessed(whole, version.value, holder), [gast.IsNot()], [constant(None)])
            item = gast.IfExp(there, item, constant(0.0))
        return item

    def perhaps_late(self, item: Any, value: Abstract, path: tuple) -> gast.AST:
        """What is in a container, and None where an object on the way to it has no such attribute yet."""
        late = [end for end in range(len(path)) if path[end] in getattr(item_at(value, path[:end]), "late", ())]
        if not late:
            return item
        for _ in path[late[0] + 1:]:
            item = item.value
        return call(self.helpers.builtin("getattr"), item.value, constant(item.attr), constant(None))

    def zeros(self, version: Version, path: tuple = (),
              of_shape: Callable[[Numeric], str | None] = lambda value: None) -> gast.AST:
        """Zeros for the cotangent of a version, or of what is in it where a path leads. ``of_shape`` gives the variable
        of an array of the same shape that is there anyway, so that none need be saved for its shape."""
        value = item_at(version.value, path)
        if isinstance(value, Items) and value.items is not None and value.keys is None and all(
                isinstance(item, Numeric) for item in value.items):
            return gast.List([self.zeros(version, (*path, step)) for step in value.steps], gast.Load())
        if may_be_container(value):
            self.captures.shapes.add(version)
            return self.zeros_of(self.item(version, path, self.location), value)
        if path and (isinstance(version.value, Known) or is_nothing(value)):  # of which nothing reads an item
            return constant(0.0)
        if isinstance(value, Opaque) and value.besides is not None and value.besides.is_number:
            return constant(0j if is_complex(value.besides) else 0.0)
        if isinstance(value, Numeric) and value.is_number:
            return constant(0j if is_complex(value) else 0.0)
        twin = self.twin(value, None if path else version, same_dtype=True)
        dtype = value.dtype if isinstance(value, Numeric) and value.kind == "array" else None
        plain = dtype is not None and dtype.kind in "fc" and not self.is_uncertain(value)
        there = of_shape(value) if twin is None and plain and not self.costs_nothing(version) else None
        if there is not None:
            return self.zeros_shaped(attribute(name(there), "shape"), dtype)
        like = self.version(twin, self.location) if twin is not None else self.item(version, path, self.location)
        if twin is None:
            self.captures.shapes.add(version)
        if plain:
            shape = call(self.helpers.numpy("shape"), like) if twin is None and self.perhaps_missing(version, path) \
                else attribute(like, "shape")  # what is not bound yet is saved as None, and has no cotangent to sum
            return self.zeros_shaped(shape, dtype)
        return call(self.helpers.numpy("zeros_like"), like, *self.wider(value))

    def perhaps_missing(self, version: Version, path: tuple) -> bool:
        """Whether what is saved of a version, or of what is in it, may be None: it was not bound yet."""
        return version.unbound or self.perhaps and version.origin != "parameter" or bool(
            optional_holders(version.value, path))

    def zeros_shaped(self, shape: gast.AST, dtype: Any) -> gast.AST:
        """``np.zeros(x.shape)``: ``np.zeros_like(x)`` takes five times as long."""
        return call(self.helpers.numpy("zeros"), shape, *(
            [] if dtype == np.float64 else [self.helpers.numpy(dtype.name)]))

    def costs_nothing(self, version: Version) -> bool:
        """Whether a version is saved anyway, or costs no memory to save, as what the caller has."""
        return self.captures.has("version", version) or not self.facts.called and (
            version.origin in ("parameter", "captured"))

    def zeros_of(self, node: gast.AST, value: Abstract) -> gast.AST:
        """Zeros in the form of a container, or of what may be in one: also where it is None, if it may be."""
        form = [zeros_formed(value, self.helpers)] if is_optional(value) else []
        return call(self.helpers.helper("zeros_of"), node, *form)

    def is_uncertain(self, value: Abstract) -> bool:
        """Whether a value may be real or complex."""
        return isinstance(value, Numeric) and (
            value.mixed and is_complex(value) or value.dtype is None and not value.real and self.facts.has_complex)

    def wider(self, value: Abstract) -> list[gast.AST]:
        """The dtype of arrays made like what may be real, for cotangents that may be complex."""
        return [self.helpers.builtin("complex")] if self.is_uncertain(value) else []

    def zeros_of_shape(self, shape: gast.AST, value: Abstract) -> gast.AST:
        dtype = [self.helpers.builtin("complex")] if is_complex(value) else []
        return call(self.helpers.numpy("zeros"), shape, *dtype)

    def sum(self, node: gast.AST, **keywords: gast.AST) -> gast.AST:
        """``node.sum(...)``, which takes half the time of ``np.sum(node, ...)``, where it is known to be an array."""
        value = self.evaluate(node)
        if isinstance(value, Numeric) and value.kind == "array":
            return call(attribute(node, "sum"), **keywords)
        return call(self.helpers.numpy("sum"), node, **keywords)

    def turned(self, expression: gast.AST, way: str) -> gast.AST:
        """``expression.T`` or ``.mT``; of products of matrices and of vectors the product of what is turned, which is
        new memory in the order of rows."""
        if rank_of(self.evaluate(expression)) == 2:
            if isinstance(expression, gast.Attribute) and expression.attr in TURNS:
                return expression.value
            if isinstance(expression, gast.UnaryOp) and isinstance(expression.op, gast.USub):
                return gast.UnaryOp(expression.op, self.turned(expression.operand, way))
            if isinstance(expression, gast.BinOp) and isinstance(expression.op, gast.MatMult) and all(
                    rank_of(self.evaluate(side)) == 2 for side in (expression.left, expression.right)):
                left, right = expression.left, self.turned(expression.right, way)
                if isinstance(left, gast.UnaryOp) and isinstance(left.op, gast.USub):  # the sign stays in front
                    left, right = left.operand, gast.UnaryOp(left.op, right)
                return gast.BinOp(right, expression.op, self.turned(left, way))
            if isinstance(expression, gast.Call) and len(expression.args) == 2 and not expression.keywords \
                    and known_value(self.evaluate(expression.func)) is np.outer:
                return call(expression.func, *expression.args[::-1])
        return simplify(attribute(expression, way))

    def spread(self, expression: gast.AST, version: Version, path: tuple, owned: bool = False) -> gast.AST:
        """A cotangent that broadcasts to its subject, in the subject's shape."""
        value = item_at(version.value, path)
        twin = self.twin(value, None if path else version, same_dtype=owned)
        subject = self.version(twin, self.location) if twin is not None else self.item(version, path, self.location)
        outgrown = self.may_outgrow(expression, value)
        if owned and is_double_array(value) and self.is_double(expression) and not (
                twin is None and self.perhaps_missing(version, path)):
            shape = attribute(subject, "shape")
            return call(self.helpers.numpy("ones"), shape) if is_number(expression, 1) else call(
                self.helpers.numpy("full"), shape, expression)
        if owned and not outgrown:
            return call(self.helpers.numpy("full_like"), subject, expression, *self.wider(value))
        expression = self.widened(expression, value)
        if outgrown:
            whole = self.over(expression, value, call(self.helpers.numpy("shape"), subject))
            return call(self.helpers.numpy("array"), whole) if owned else whole
        shape = attribute(subject, "shape") if isinstance(value, Numeric) and value.kind == "array" \
            and not isinstance(subject, gast.IfExp) else call(self.helpers.numpy("shape"), subject)
        spread = call(self.helpers.numpy("broadcast_to"), expression, shape)
        # a number, not an array that can't be written into: += is to make a new one
        return subscript(spread, tuple_of([])) if isinstance(value, Numeric) and value.is_number else spread

    def is_double(self, expression: gast.AST) -> bool:
        """Whether a cotangent is known to be a number in double precision."""
        known = self.evaluate(expression)
        return isinstance(known, Numeric) and known.shape == () and known.dtype == np.float64

    def over(self, expression: gast.AST, value: Abstract, shape: gast.AST) -> gast.AST:
        """A cotangent that broadcasts to a value, in the shape of that."""
        if self.may_outgrow(expression, value):
            return call(self.helpers.helper("spread_over"), expression, shape)
        return call(self.helpers.numpy("broadcast_to"), expression, shape)

    def may_outgrow(self, expression: gast.AST, value: Abstract) -> bool:
        """Whether a cotangent may have axes that its subject lacks, a constant number in the place of an array."""
        known = self.evaluate(expression)
        return isinstance(value, Numeric) and value.grown is not None and not (
            isinstance(known, Numeric) and known.shape == ())

    def widened(self, expression: gast.AST, value: Abstract) -> gast.AST:
        """A cotangent that may be real, as a complex number or array, where what it belongs to may be complex."""
        plain = not (is_complex(value) or self.is_uncertain(value)) or is_complex(self.evaluate(expression))
        return expression if plain else add(expression, constant(0j))

    def cotangents_of(self, value: Abstract) -> Abstract:
        """What is known of the cotangents of a value: of those in a container, less."""
        return self.kept(value) if isinstance(value, Items) else value

    def kept(self, value: Abstract) -> Abstract:
        """What is known of a cotangent that was kept in a container: its dtype only beside no single precision, and
        that of a real number, which may have been in one container with complex ones, beside no complex number."""
        if not (self.facts.has_single or self.facts.has_complex):
            return value
        return with_numbers(value, lambda found: found if is_complex(found) and not self.facts.has_single
                            else replace(found, dtype=None))

    def cast(self, expression: gast.AST, value: Abstract) -> gast.AST:
        """A cotangent in the dtype of what it belongs to, as the adjoint of a function that is called takes it: only
        what is in double precision may come in single precision, too."""
        if isinstance(value, Items) and self.facts.has_complex:
            numbers = list(numbers_in(value))
            return call(self.helpers.helper("real_parts"), expression) if any(map(is_real, numbers)) and not any(
                map(is_complex, numbers)) else expression
        found = self.evaluate(expression)
        known = isinstance(found, Numeric) and found.dtype is not None
        if self.facts.uniform or not isinstance(value, Numeric) or value.dtype is None or is_number(expression) or (
                found.dtype == value.dtype if known else value.dtype.itemsize >= 8 * (1 + is_complex(value))):
            return self.widened(expression, value)
        if value.is_number:
            return call(self.helpers.builtin("float") if value.kind == "python" and not is_complex(value)
                        else self.helpers.numpy(value.dtype.name), expression)
        dtype = self.helpers.numpy(value.dtype.name)
        return call(attribute(expression, "astype"), dtype) if known else call(
            self.helpers.numpy("asarray"), expression, dtype)

    def sum_of(self, first: gast.AST, second: gast.AST, value: Abstract) -> gast.AST:
        """The sum of two cotangents of a value: of a list they are lists."""
        return self.added(first, second) if may_be_container(value) else add(first, second)

    def copy(self, expression: gast.AST, known: Abstract | None = None) -> gast.AST:
        if may_be_container(known):
            return call(self.helpers.helper("held"), expression)
        value = self.evaluate(expression)
        if isinstance(value, Numeric) and value.kind == "array" and value.shape:
            return call(attribute(expression, "copy"))
        return self.new_array(expression)  # the cotangent of an array of rank 0 may be a number

    def as_number(self, expression: gast.AST) -> gast.AST:
        """The cotangent of a number, which an array without axes may be, as one that nothing else changes."""
        value = self.evaluate(expression)
        if isinstance(value, Numeric) and value.is_number:
            return expression
        if isinstance(value, Numeric) and value.kind == "array" and value.shape == ():
            return subscript(expression, tuple_of([]))
        return call(self.helpers.helper("held"), expression)

    def new_array(self, expression: gast.AST) -> gast.AST:
        return call(self.helpers.numpy("array"), expression)

    def add_at(self, target: gast.AST, index: gast.AST, value: gast.AST, location: Location) -> Evaluate:
        arguments = target, index_object(index, self.helpers), value
        return Evaluate(call(self.helpers.numpy("add", "at"), *arguments), location)

    def add_items(self, target: gast.AST, index: gast.AST, value: gast.AST, location: Location) -> Evaluate:
        return Evaluate(call(self.helpers.helper("add_items"), target, index_object(index, self.helpers), value),
                        location)

    def added(self, first: gast.AST, second: gast.AST) -> gast.AST:
        """The sum of two lists of cotangents."""
        return call(self.helpers.helper("added"), first, second)

    def settled(self, version: Version, path: tuple) -> Abstract:
        """What is known of a cotangent behind a join: its subject's shape, and its dtype if there is only one."""
        value = item_at(version.value, path)
        if isinstance(value, Items):
            return self.cotangents_of(passive(value))
        if not isinstance(value, Numeric):
            return Numeric()
        known = self.facts.uniform or self.facts.one_precision and (value.kind == "array" or is_real(value))
        return Numeric(value.kind, value.dtype if known else None, value.shape)

    location: Location


def optional_holders(value: Abstract, path: tuple) -> list[tuple]:
    """The places on the way to an item where there may be None instead of a container."""
    return [path[:end] for end in range(len(path)) if getattr(item_at(value, path[:end]), "optional", False)]


AT = {gast.Add: "add", gast.Sub: "subtract"}


def updated_at(statement: Augment, helpers: Helpers) -> Evaluate:
    """``np.add.at`` as the call that it is."""
    target: Any = statement.target
    at = helpers.numpy(AT[type(statement.operator)], "at")
    return Evaluate(call(at, target.value, index_object(target.slice, helpers), statement.value), statement.location)


def index_object(index: gast.AST, helpers: Any) -> gast.AST:
    """An index as an argument: slices are only syntax inside brackets."""
    if isinstance(index, gast.Slice):
        parts = [part if part is not None else constant(None) for part in (index.lower, index.upper, index.step)]
        return call(helpers.builtin("slice"), *parts)
    if isinstance(index, gast.Tuple):
        return gast.Tuple([index_object(item, helpers) for item in index.elts], gast.Load())
    return index


class Helpers:
    """Names of what generated code uses from outside: NumPy, the runtime's helpers, callees' primals and adjoints.

    Each gets a name that collides with nothing in the program; NumPy has the user's alias where there is one.
    """

    def __init__(self, names: Any, outer: Any, local: set[str]):
        self.names = names
        self.local = local
        self.outer_value = outer
        self.objects: dict[str, Any] = {}
        """Generated name -> what it stands for."""
        self.by_key: dict[Any, str] = {}

    def outer(self, identifier: str) -> gast.Name:
        return name(identifier)

    def inject(self, key: Any, wanted: str, value: Any) -> gast.Name:
        if key not in self.by_key:
            there = self.objects.get(wanted, MISSING) is value  # a generated text that is differentiated again has it
            self.by_key[key] = wanted if there else self.names.fresh(wanted, pin=True)
            self.objects[self.by_key[key]] = value
        return name(self.by_key[key])

    def alias(self, identifier: str, module: Any) -> None:
        """The user's own name for a module or a class."""
        self.by_key.setdefault(id(module), identifier)

    def imported(self, identifier: str, module: Any) -> None:
        """The same, of a module that the function begins with importing: its adjoints have it too."""
        self.alias(identifier, module)
        self.objects[identifier] = module

    def is_hidden(self, identifier: str) -> bool:
        """Whether a name means something in the function alone."""
        return identifier in self.local and identifier not in self.objects

    def module(self, label: str) -> gast.Name:
        module = MODULES[label]
        if id(module) not in self.by_key and label in self.names.taken and label not in self.local:
            found = self.outer_value(label)  # functions defined inside may read it where this one does not
            if isinstance(found, Known) and found.value is module:
                self.alias(label, module)
        return self.inject(id(module), label, module)

    def named(self, identifier: str, value: Any) -> gast.Name:
        """What a rule gives its formulas; a module by the user's own name for it."""
        return self.inject(id(value) if isinstance(value, types.ModuleType) else ("name", id(value)), identifier, value)

    def numpy(self, *path: str) -> gast.AST:
        return attribute(self.module("np"), *path)

    def helper(self, label: str) -> gast.Name:
        return self.inject(("helper", label), label, getattr(runtime, label))

    def callable(self, node: gast.AST) -> gast.AST:
        """A call of a method's function, of which nothing is saved, under the function's name."""
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Constant):
            return node
        function = node.func.value
        injected = self.inject(("object", id(function)), function.__name__, function)
        return gast.copy_location(gast.Call(injected, node.args, node.keywords), node)

    def builtin(self, label: str) -> gast.Name:
        """A builtin, under another name where the user's code has taken its own."""
        key = ("builtin", label)
        if key not in self.by_key:
            free = label not in self.local and self.objects.get(label, getattr(builtins, label)) is getattr(
                builtins, label)
            self.by_key[key] = label if free else self.names.fresh(f"builtin_{label}", pin=True)
            self.names.pinned.add(label)
            self.objects[self.by_key[key]] = getattr(builtins, label)
        return name(self.by_key[key])

    def value(self, identifier: str, holder: dict | None = None) -> Abstract:
        """What a name in generated code stands for (the evaluator's view)."""
        if holder is None and identifier in self.objects:
            return Known(self.objects[identifier])
        return self.outer_value(identifier, holder)


def guards(statement: Any, helpers: Helpers, variable: Callable[[], str]) -> tuple[list, list]:
    """What stands before and behind a statement that is taken for one never reached, to tell if it is: a result that is
    returned is computed first, under the name ``variable``."""
    place = f"{statement.location.filename}:{statement.location.line}"
    tells = Evaluate(call(helpers.helper("unreached"), constant(place)), statement.location)
    if isinstance(statement, Leave):
        return [Assign(variable(), statement.value, statement.location), tells], []
    return [], [tells]


def is_double_array(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.kind == "array" and value.dtype == np.float64
