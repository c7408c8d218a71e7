"""The adjoint's expressions for values of the primal and their sizes; what must be saved for them is asked for."""
from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.captures import mask_of
from s2sgrad.compiler.computed import Computed
from s2sgrad.compiler.costs import Costs
from s2sgrad.compiler.facts import Applied, Version
from s2sgrad.compiler.filled import Filled
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.measures import at_the_end, binding_of, comes_before, is_bound_always, measure_of
from s2sgrad.compiler.nodes import attribute, call, constant, name, names_in
from s2sgrad.compiler.program import Augment, Evaluate, Store
from s2sgrad.compiler.structures import accessed
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.rules.abstract import (
    FLOAT,
    INTEGER,
    MISSING,
    Abstract,
    Items,
    Known,
    Numeric,
    item_at,
    known_value,
    passive,
)
from s2sgrad.signature import has_value, place_of

AT = {gast.Add: "add", gast.Sub: "subtract"}


class SavedValues(Costs):
    """The part of the operands that gives values of the primal."""

    has_run = True
    """Whether all of it has run where they are asked for."""

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
            written = type(literal) is float and isinstance(node, gast.BinOp) and id(node) not in self.facts.spelled
            return node if written else constant(literal)  # 1 / 3, but no call of a method
        if isinstance(node, gast.Name) and id(node) not in self.facts.passing:
            environment = self.facts.before[statement]
            if node.id in environment:
                return self.version(environment[node.id], statement.location)
            if isinstance(known, Known):
                return self.helpers.outer(node.id)
            if node.id not in self.facts.captured:
                return node  # a variable with no value on this way: the line raises that
            if not has_value(place_of(self.program.owner, node.id)):  # which may never be read, but would be saved
                raise UnsupportedError(f"{node.id} is not defined", "define or import it at module level",
                                       statement.location)
            return self.version(self.facts.captured[node.id], statement.location)
        if isinstance(node, gast.Attribute) and node.attr == "T" and isinstance(known, Numeric) and known.rank == 1:
            return self.value(node.value, statement)  # which a vector is itself
        if isinstance(node, (gast.Slice, gast.Tuple, gast.Starred)) or self.is_lasting_item(node, statement):
            return self.rebuild(node, statement)
        if id(node) in self.whole:
            return self.version(self.facts.defined[self.whole[id(node)]], statement.location)
        element = self.filled_element(node, statement)
        if element is not None:
            return element
        if isinstance(node, gast.List) and all(isinstance(item, gast.Constant) for item in node.elts):
            return node
        if self.is_cheap(node) or self.is_scaling(node, statement) or self.is_there_still(node, statement) \
                or self.is_measure(node, statement):
            return self.rebuild(node, statement)
        node = self.met_first(node, statement)
        variable = self.captures.part(node, self.wanted(node), self.saved_by(node, statement), known, statement)
        self.remember(variable, passive(known))
        return name(variable)

    def filled_element(self, node: gast.AST, statement: Any) -> gast.AST | None:
        """An element of an array that loops fill, or what a statement stores there, read in the array where it still is
        in the end; None of anything else."""
        known = self.facts.values.get(id(node))
        if not isinstance(known, Numeric) or not known.is_number:
            return None
        target: Any = node
        stored = isinstance(statement, Store) and statement.value is node
        if stored:
            target = statement.target
            array = self.facts.values.get(id(getattr(target, "value", None)))
            if known.kind != "scalar" or not isinstance(array, Numeric) or array.dtype != known.dtype or known.mixed:
                return None
        if not isinstance(target, gast.Subscript) or not isinstance(target.value, gast.Name) or not all(
                self.is_basic(index) and self.is_at_hand(index, statement)
                for index in (target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice])):
            return None
        if self.filled is None:  # what is saved already is a copy where that was found out to be needed
            fragile = self.all_fragile() if self.captures.saved is None else ()
            self.filled = Filled(self.program, self.facts, fragile)
        version = self.filled.at_the_end(target, statement, stored)
        if version is None or self.captures.saved is not None and not self.captures.has("version", version):
            return None
        return gast.Subscript(self.version(version, statement.location), self.value(target.slice, statement),
                              gast.Load())

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

    def size(self, node: gast.AST, statement: Any) -> gast.AST:
        """The number of elements that a primal expression's value had."""
        known = self.facts.values.get(id(node), MISSING)
        if isinstance(known, Numeric) and known.shape == ():
            return constant(1)
        twin = self.twin(known, self.subject(node, statement), node=node)
        if twin is not None:
            there = self.version(twin, statement.location)
            self.captures.sized.update(dict.fromkeys(names_in(there), twin.value.shape))  # type: ignore[attr-defined]
            return attribute(there, "size")
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
        self.remember(variable, shape_known(known))
        return name(variable)

    def is_kept(self, node: gast.AST, statement: Any) -> bool:
        """Whether a value may as well be saved of which the shape is asked for: it is saved already, or has a name and
        is not made anew in each turn of this loop. Not where an earlier adjoint had the shape saved alone."""
        subject = self.subject(node, statement)
        if subject is None:
            node = self.met_first(node, statement)
            if self.captures.saved is not None and self.captures.has("shape", id(node)):
                return False
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

    def computed(self, function: Any, operand: gast.AST, statement: Any) -> gast.AST | None:
        """What the primal computes by a function of an expression's value; None where it does not, or would have to
        copy it to save it."""
        return self.found(self.in_primal.find(function, operand, statement), statement)

    def mean(self, variance: Applied, statement: Any) -> gast.AST | None:
        """The mean that a variance is taken about; None where the primal computes none that it can save."""
        return self.found(self.in_primal.mean(variance, statement), statement)

    def deviations(self, variance: Applied, statement: Any) -> gast.AST | None:
        """The differences from that mean, where they are saved anyway."""
        found = self.in_primal.difference(variance, statement)
        return self.found(found, statement) if found is not None and self.captures.has(*self.key(*found)) else None

    @property
    def in_primal(self) -> Computed:
        if self.calls is None:
            self.calls = Computed(self.program, self.facts, self.has_run)
        return self.calls

    def found(self, found: tuple[gast.AST, Any] | None, statement: Any) -> gast.AST | None:
        """The value of an expression of another statement, None where the primal would have to copy it to save it."""
        if found is None:
            return None
        if self.captures.saved is not None:  # as it is, or copied
            return self.value(*found) if self.captures.has(*self.key(*found)) else None
        version = self.subject(*found)
        if version is not None and version in self.all_fragile() and not version.value.is_number:
            return None
        return self.value(*found)

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

    def test(self, node: gast.AST, statement: Any) -> gast.AST | None:
        """A comparison of numbers that the adjoint has anyway, to be made again; None where it is something else."""
        if not isinstance(node, gast.Compare) or not all(map(self.is_at_hand, (node.left, *node.comparators),
                                                             itertools.repeat(statement))):
            return None
        return gast.Compare(self.value(node.left, statement), node.ops,
                            [self.value(item, statement) for item in node.comparators])

    def of_shape(self, binding: Version, now: Version) -> Version | None:
        """What is saved, or costs nothing to save, of the same shape as an array that was bound, and is there whenever
        that is, as it is ``now``."""
        if binding.loop is None or binding.loop in self.loops:
            for capture in self.captures.table.values():
                if capture.kind == "version" and capture.block is binding.loop and binding_of(
                        capture.subject) is binding and self.captures.has("version", capture.subject) and (
                            comes_before(capture.subject, now) or self.is_always_saved(capture.subject, binding.loop)):
                    return capture.subject
        if self.captures.has("version", binding):  # but may be None for want of it
            return self.twin(binding.value, node=self.source_of(binding))
        return self.twin(binding.value, binding)

    def is_always_saved(self, version: Version, loop: Any) -> bool:
        """Whether what is saved of a version is never None for want of it, in a turn of a loop or in the function."""
        return is_bound_always(version, loop.body, self.facts) if loop is not None else version in at_the_end(
            self.program, self.facts)

    def measured(self, node: Any, statement: Any) -> gast.AST:
        """The length or shape of an array, read of one that is saved anyway, or before the loops around."""
        array = node.value if isinstance(node, gast.Attribute) else node.args[0]
        now = self.facts.before[statement][array.id]
        binding = binding_of(now)
        assert binding is not None
        there = self.of_shape(binding, now)
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

    def shape_at_first(self, version: Version, path: tuple, value: Numeric) -> gast.AST:
        """The shape of an array in a container that a caller gave, and goes on with: of the container nothing else is
        saved then, which would be a copy."""
        first = self.program.body[0]
        key = version, (*path, "shape")
        known = shape_known(value)
        if key not in self.captures.same:
            made = self.captures.same[key] = attribute(accessed(name(version.name), version.value, path), "shape")
            self.facts.made.append(made)
            self.facts.values[id(made)] = known
        last = path[-1] if isinstance(path[-1], str) and path[-1].isidentifier() else f"{version.name}_part"
        variable = self.captures.part(self.captures.same[key], f"{last}_shape", None, known, first)
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

    def item(self, version: Version, path: tuple, location: Location) -> gast.AST:
        whole = self.version(version, location)
        holders = optional_holders(version.value, path)
        item = self.perhaps_late(accessed(whole, version.value, path), version.value, path, holders)
        if path and (version.unbound or self.left_at) and () not in holders:  # what is not bound yet is saved as None
            holders.insert(0, ())
        for holder in reversed(holders):  # where that is None nothing reads the item
            held = self.perhaps_late(accessed(whole, version.value, holder), version.value, holder)
            item = gast.IfExp(is_there(held), item, constant(0.0))
        return item

    def perhaps_late(self, item: Any, value: Abstract, path: tuple, known: Collection[tuple] = ()) -> Any:
        """What is in a container, and None where an object on the way to it has no such attribute yet; ``known``: the
        places of which somebody else asks whether there is anything."""
        late = [end for end in range(len(path)) if path[end] in getattr(item_at(value, path[:end]), "late", ())]
        if not late:
            return item
        way, inner = path[:late[0] + 1], path[late[0] + 1:]
        for _ in inner:
            item = item.value
        held = call(self.helpers.builtin("getattr"), item.value, constant(item.attr), constant(None))
        if not inner:
            return held
        found = item_at(value, way)
        item = self.perhaps_late(accessed(held, found, inner), found, inner)
        return item if way in known else gast.IfExp(is_there(held), item, constant(None))


def is_there(held: gast.AST) -> gast.Compare:
    return gast.Compare(held, [gast.IsNot()], [constant(None)])


def shape_known(value: Abstract) -> Items:
    """What is known of an array's shape."""
    return Items(tuple, tuple([Numeric("python", np.dtype(int), (), dim=dim) for dim in value.shape])) \
        if isinstance(value, Numeric) and value.shape is not None else Items(tuple, None, FLOAT)


def optional_holders(value: Abstract, path: tuple) -> list[tuple]:
    """The places on the way to an item where there may be None instead of a container."""
    return [path[:end] for end in range(len(path)) if getattr(item_at(value, path[:end]), "optional", False)]


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
