"""What costs an adjoint nothing, or less than saving it: to compute it again, or to read it again."""
from __future__ import annotations

import types
from typing import Any

import gast

from s2sgrad.compiler.facts import Version
from s2sgrad.compiler.measures import MEASURES, binding_of
from s2sgrad.compiler.met_before import WRITTEN, MetBefore
from s2sgrad.compiler.nodes import ordered_children
from s2sgrad.compiler.program import Loop
from s2sgrad.compiler.sharing import holds_objects
from s2sgrad.rules.abstract import MISSING, Items, Known, Numeric, known_value, rank_of, slice_bounds

TURNS = ("T", "mT")


def turns_back(node: gast.Attribute, value: Any, way: str) -> bool:
    """Whether the transpose of ``node`` is what ``node`` is read of, of which this is known: that is an array, for
    other objects may have a ``T`` of their own."""
    return node.attr in TURNS and isinstance(value, Numeric) and (node.attr == way or rank_of(value) == 2)


class Costs(MetBefore):
    """The part of the operands that weighs what is saved."""

    def is_of_a_module(self, node: gast.AST) -> bool:
        """Whether an expression is a constant or function of a module: ``np.pi``."""
        known = self.facts.values.get(id(node))
        return isinstance(node, gast.Attribute) and isinstance(known, (Numeric, Known)) \
            and known_value(known) is not MISSING and isinstance(
                getattr(self.facts.values[id(node.value)], "value", None), types.ModuleType)

    def is_saved(self, node: gast.AST, statement: Any) -> bool:
        version = self.subject(node, statement)
        return self.captures.has(*self.key(node, statement)) or (
            version is not None and version.origin in ("parameter", "captured"))

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
        number = isinstance(known, Numeric) and known.is_number and id(node) not in self.facts.spelled  # for a method
        if isinstance(node, gast.UnaryOp):
            return number and self.is_cheap(node.operand)
        if isinstance(node, gast.BinOp):
            return number and self.is_cheap(node.left) and self.is_cheap(node.right)
        return False

    def is_scaling(self, node: gast.AST, statement: Any) -> bool:
        """Whether an expression is ``-x``, ``2 * x`` or ``x / 2``, whose factor mostly melts into those around it; or a
        product of two differentiated numbers, which its own reversal asks for anyway; or ``x.T``, a view."""
        if isinstance(node, gast.Attribute):
            return node.attr in TURNS and isinstance(self.facts.values.get(id(node.value)), Numeric) and (
                self.is_named_number(node.value) or self.is_there_still(node.value, statement))
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
        if isinstance(literal, gast.UnaryOp):
            literal = literal.operand
        return self.is_named_number(named) and isinstance(literal, gast.Constant)

    def is_named_number(self, node: gast.AST) -> bool:
        """Whether a name stands for a number or an array, whose operators are NumPy's."""
        return isinstance(node, gast.Name) and isinstance(self.facts.values.get(id(node)), Numeric)

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
        if self.facts.called and self.facts.changing and isinstance(value, Items) and (
                holds_objects(value) or self.facts.stored or value.items is None and not self.loops):
            return False  # the caller goes on with it: a copy of a list costs all of its items
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
        if self.captures.saved is not None and self.captures.has("version", version):
            return True  # what is saved of it is a copy where that was found out to be needed
        return version not in self.all_fragile()

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

    def saved_by(self, node: gast.AST, statement: Any) -> Loop | None:
        """The block that saves a part of an expression: the innermost loop in whose turns it may differ, or None for
        the function. What the turns of a loop have in common is what it was in the last of them."""
        return next((loop for loop in reversed(self.loops) if not self.stays(node, statement, loop)), None)

    def stays(self, node: gast.AST, statement: Any, loop: Loop) -> bool:
        """Whether an expression that is evaluated in a loop's turns gives the same in each: what it reads was there
        before, and nothing changes it."""
        if isinstance(node, gast.Constant) or self.is_of_a_module(node):
            return True
        if id(node) in self.facts.passing:
            return False
        if isinstance(node, gast.Name) or self.is_item(node):
            root: Any = node
            while isinstance(root, (gast.Subscript, gast.Attribute)):
                if isinstance(root, gast.Subscript) and not self.stays(root.slice, statement, loop):
                    return False
                root = root.value
            version = self.facts.before[statement].get(root.id) if isinstance(root, gast.Name) else None
            if version is None or self.facts.before[loop].get(version.name) is not version:
                return False
            if root is node and not isinstance(version.value, Numeric):
                return False
            if root is not node and not self.is_lasting_item(node, statement):
                return False
            return version not in self.all_fragile() or isinstance(version.value, Numeric) and version.value.is_number
        if isinstance(node, gast.Call):
            applied = self.facts.applied.get(id(node))
            return applied is not None and applied.operation.rule.elementwise and not node.keywords \
                and isinstance(self.facts.values.get(id(node.func)), Known) and all(
                    self.stays(argument, statement, loop) for argument in node.args)
        return isinstance(node, WRITTEN) and all(
            self.stays(child, statement, loop) for _, _, child in ordered_children(node))

    def costs_nothing(self, version: Version) -> bool:
        """Whether a version is saved anyway, or costs no memory to save, as what the caller has."""
        return self.captures.has("version", version) or not self.facts.called and (
            version.origin in ("parameter", "captured"))
