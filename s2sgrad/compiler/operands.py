"""What the adjoint has: values of the primal, and zeros, sums and spreads of cotangents."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import add, is_number
from s2sgrad.compiler.costs import turns_back
from s2sgrad.compiler.facts import Version, numbers_in
from s2sgrad.compiler.leading_back import holds_its_kind
from s2sgrad.compiler.measures import binding_of
from s2sgrad.compiler.nodes import attribute, call, constant, name, subscript, tuple_of
from s2sgrad.compiler.program import Evaluate
from s2sgrad.compiler.saved_values import SavedValues, index_object, optional_holders
from s2sgrad.compiler.structures import is_optional, zeros_formed
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import (
    NEVER,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    is_a_number,
    is_complex,
    is_nothing,
    is_real,
    item_at,
    known_value,
    may_be_container,
    passive,
    rank_of,
    with_numbers,
)


class Operands(SavedValues):
    """Gives the adjoint's expression for a value of the primal, capturing what has to be saved for it.

    Also the adjoint's own evaluator: what is known of expressions made of saved values and cotangents.
    """

    def zeros(self, version: Version, path: tuple = (),
              of_shape: Callable[[Numeric], str | None] = lambda value: None) -> gast.AST:
        """Zeros for the cotangent of a version, or of what is in it where a path leads. ``of_shape`` gives the variable
        of an array of the same shape that is there anyway, so that none need be saved for its shape."""
        if path and version.value is NEVER:  # not bound yet
            return constant(0.0)
        value = item_at(version.value, path)
        alike = self.is_alike_where_left(version, path, value)
        if alike and isinstance(value, Items) and value.items is not None and value.keys is None and all(
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
        twin = self.twin(value, None if path else version, same_dtype=True) if alike else None
        dtype = value.dtype if isinstance(value, Numeric) and value.kind == "array" else None
        plain = dtype is not None and dtype.kind in "fc" and not self.is_uncertain(value)
        there = of_shape(value) if not self.left_at and twin is None and plain and not self.costs_nothing(
            version) else None
        if there is not None:
            return self.zeros_shaped(attribute(name(there), "shape"), dtype)
        if twin is None and plain and self.is_lent(version, path):
            return self.zeros_shaped(self.shape_at_first(version, path, value), dtype)
        version = version if path else self.first_of(version)
        like = self.version(twin, self.location) if twin is not None else self.item(version, path, self.location)
        if twin is None:
            self.captures.shapes.add(version)
        if plain:
            shape = call(self.helpers.numpy("shape"), like) if twin is None and self.perhaps_missing(version, path) \
                else attribute(like, "shape")  # what is not bound yet is saved as None, and has no cotangent to sum
            return self.zeros_shaped(shape, dtype)
        if not self.is_uncertain(value) and not (
                isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind not in "biu"):
            return self.zeros_of(like, value)  # of integers or texts, maybe, and what is added to these zeros is not
        return call(self.helpers.numpy("zeros_like"), like, *self.wider(value))

    def first_of(self, version: Version) -> Version:
        """The array of the same shape that a name was bound to, of one that was written into since: one will do for all
        that it was in between. What is saved anyway will do as it is; what the turns of a loop that is over bound is
        saved for each of these."""
        binding = binding_of(version)
        same = binding is not None and (binding.loop is None or binding.loop in self.loops) and all(
            binding_of(environment.get(version.name)) is binding for environment in self.left_at)
        return binding if same and not self.captures.has("version", version) else version  # type: ignore[return-value]

    def is_alike_where_left(self, version: Version, path: tuple, value: Abstract) -> bool:
        """Whether what has this value has the same shape, or as many items, wherever control may have left
        (``left_at``)."""
        return all(has_form_of(item_at(environment[version.name].value, path), value)
                   for environment in self.left_at if version.name in environment)

    def is_lent(self, version: Version, path: tuple) -> bool:
        """Whether something in a container is there that a caller gave, of which nothing is saved so far, and there is
        a statement before which its shape can be."""
        return bool(path and self.program.body) and self.facts.called and version.origin == "parameter" \
            and not self.costs_nothing(version) and not self.perhaps_missing(version, path)

    def perhaps_missing(self, version: Version, path: tuple) -> bool:
        """Whether what is saved of a version, or of what is in it, may be None: it was not bound yet."""
        return version.unbound or bool(self.left_at) and version.origin != "parameter" or bool(
            optional_holders(version.value, path))

    def zeros_shaped(self, shape: gast.AST, dtype: Any) -> gast.AST:
        """``np.zeros(x.shape)``: ``np.zeros_like(x)`` takes five times as long."""
        return call(self.helpers.numpy("zeros"), shape, *(
            [] if dtype == np.float64 else [self.helpers.numpy(dtype.name)]))

    def zeros_of(self, node: gast.AST, value: Abstract) -> gast.AST:
        """Zeros in the form of a container, or of what may be in one: also where it is None or holds itself, if it may.
        """
        knotted = holds_its_kind(value)
        form = [zeros_formed(value, self.helpers, knotted)] if knotted or is_optional(value) else []
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
        if isinstance(expression, gast.Attribute) and turns_back(
                expression, self.evaluate(expression.value), way):
            return expression.value
        if rank_of(self.evaluate(expression)) == 2:
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
        return attribute(expression, way)

    def spread(self, expression: gast.AST, version: Version, path: tuple, owned: bool = False) -> gast.AST:
        """A cotangent that broadcasts to its subject, in the subject's shape."""
        value = item_at(version.value, path)
        twin = self.twin(value, None if path else version, same_dtype=owned)
        double = owned and is_double_array(value) and self.is_double(expression)
        outgrown = self.may_outgrow(expression, value)
        lent = twin is None and (double or not owned and not outgrown) and isinstance(value, Numeric) \
            and value.kind == "array" and self.is_lent(version, path)
        subject = None if lent else self.version(twin, self.location) if twin is not None else self.item(
            version, path, self.location)
        if double and not (twin is None and self.perhaps_missing(version, path)):
            shape = self.shape_at_first(version, path, value) if lent else attribute(subject, "shape")
            return call(self.helpers.numpy("ones"), shape) if is_number(expression, 1) else call(
                self.helpers.numpy("full"), shape, expression)
        if owned and not outgrown:
            return call(self.helpers.numpy("full_like"), subject, expression, *self.wider(value))
        expression = self.widened(expression, value)
        if outgrown:
            whole = self.over(expression, value, call(self.helpers.numpy("shape"), subject))
            return call(self.helpers.numpy("array"), whole) if owned else whole
        if lent:
            shape = self.shape_at_first(version, path, value)
        elif isinstance(value, Numeric) and value.kind == "array" and not isinstance(subject, gast.IfExp):
            shape = attribute(subject, "shape")
        else:
            shape = call(self.helpers.numpy("shape"), subject)
        spread = call(self.helpers.numpy("broadcast_to"), expression, shape)
        # of what may be a number one, not an array that can't be written into: += is to make a new one
        return spread if isinstance(value, Numeric) and value.kind == "array" else subscript(spread, tuple_of([]))

    def is_double(self, expression: gast.AST) -> bool:
        """Whether a cotangent is known to be a number in double precision."""
        known = self.evaluate(expression)
        return isinstance(known, Numeric) and known.shape == () and known.dtype == np.float64 and not known.mixed

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

    def handed_over(self, value: Abstract) -> Abstract:
        """What is known of the cotangent that a caller hands over: of a number in double precision beside single not
        whether it is one of Python's, which take the dtype of what they meet."""
        if self.facts.has_single and is_a_number(value) and value.dtype == np.float64:
            return replace(value, kind="number")
        return self.cotangents_of(value)

    def kept(self, value: Abstract) -> Abstract:
        """What is known of a cotangent that was kept in a container: its dtype only beside no single precision, and
        that of a real number, which may have been in one container with complex ones, beside no complex number."""
        if not (self.facts.has_single or self.facts.has_complex):
            return value
        return with_numbers(value, lambda found: found if is_complex(found) and not self.facts.has_single
                            else replace(found, dtype=None))

    def cast(self, expression: gast.AST, value: Abstract) -> gast.AST:
        """A cotangent in the dtype of what it belongs to, as the adjoint of a function that is called takes it: what is
        in double precision may come as a number that is written out, too."""
        if isinstance(value, Items) and self.facts.has_complex:
            numbers = list(numbers_in(value))
            return call(self.helpers.helper("real_parts"), expression) if any(map(is_real, numbers)) and not any(
                map(is_complex, numbers)) else expression
        if is_a_number(value) and not self.is_fresh(expression):  # what the callee gives of it is added to in place
            expression = self.as_number(expression)
        if self.facts.uniform or not isinstance(value, Numeric) or value.dtype is None:
            return self.widened(expression, value)
        found = self.evaluate(expression)
        known = isinstance(found, Numeric) and found.dtype is not None
        if is_number(expression) or not known and not self.facts.has_single:
            fits = value.dtype in (float, complex)
        else:
            fits = known and found.dtype == value.dtype
        if fits:
            return self.widened(expression, value)
        if value.is_number:
            return call(self.helpers.builtin("float") if value.kind == "python" and not is_complex(value)
                        else self.helpers.numpy(value.dtype.name), expression)
        dtype = self.helpers.numpy(value.dtype.name)
        return call(attribute(expression, "astype"), dtype) if known and found.kind == "array" else call(
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
        return call(self.helpers.helper("unbroadcast"), expression, tuple_of([]))

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


def is_double_array(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.kind == "array" and value.dtype == np.float64


def has_form_of(other: Abstract, value: Abstract) -> bool:
    """Whether a value is known to have the shape of another, or a container as many items."""
    if isinstance(value, Items):
        return isinstance(other, Items) and None not in (value.items, other.items) and other.steps == value.steps
    return isinstance(value, Numeric) and isinstance(other, Numeric) and other.shape == value.shape
