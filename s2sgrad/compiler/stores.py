"""The reversal of stores into parts of arrays: ``u[index] = value``, ``u[index] += value``.

The cotangent of an array that is written into is an array of this adjoint's own, and stays one throughout. A store ends
what the part stood for: its cotangent goes to the value, and is zero from there on. What is read of it is detached,
that is copied, before the array changes again.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import is_trivial, mentions, mentions_only, same, substitute
from s2sgrad.compiler.chain import Chain
from s2sgrad.compiler.cotangents import Cotangent
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import Applied
from s2sgrad.compiler.indexing import FANCY
from s2sgrad.compiler.nodes import attribute, call, constant, is_everything, name, names_in, root, root_of, subscript
from s2sgrad.compiler.program import Assign, Augment, Store, mentioned, pattern_names, written_name
from s2sgrad.compiler.saved_values import index_object
from s2sgrad.rules.abstract import Abstract, Items, Numeric, passive, shape_of
from s2sgrad.rules.dims import Shape, not_one
from s2sgrad.rules.table import RULES, Operation


class Stores:
    def __init__(self, chain: Chain):
        self.chain = chain
        self.facts = chain.facts
        self.operands = chain.operands
        self.cotangents = chain.cotangents
        self.repeats = False
        """The store at hand may meet a place more than once; only the last value stays there."""

    def reverse(self, statement: Store | Augment) -> None:
        label = written_name(statement)
        key = (label, ())
        cotangent = self.cotangents.state.get(key)
        if cotangent is None or cotangent.zero and not cotangent.owned:
            return
        if not self.facts.in_place[statement][1].value.active:  # what was stored later may have its cotangent in there
            return
        target: Any = statement.target
        named = isinstance(target.value, gast.Name)
        if isinstance(statement, Store) and named and is_everything(target.slice):
            self.cotangents.take(key)
            if self.is_active(statement.value) and not cotangent.zero:
                self.hand_on(statement, cotangent)
            return
        if isinstance(statement, Augment) and named and self.facts.is_without_axes(target):
            self.cotangents.take(key)
            self.chain.start()
            self.chain.apply(statement, statement, self.facts.applied[id(statement)], cotangent)
            self.chain.finish(statement)
            return
        places = self.exchanged(statement)
        if places is not None:
            self.exchange(statement, key, *places)
            return
        self.repeats = self.facts.index_kinds[id(target)] == FANCY and not self.chain.all_distinct(
            target.slice, statement) and not getattr(statement, "counted", False)
        self.cotangents.own(key, statement.location, self.facts.before[statement])
        bar = name(self.cotangents.bar(key))
        part = subscript(self.chain.mirrored(target.value, bar, statement),
                         self.operands.value(target.slice, statement))
        self.cotangents.state[key] = Cotangent(bar, self.operands.evaluate(bar), True, True)
        if isinstance(statement, Store) and not self.facts.before[statement][label].value.active:
            self.store_first(statement, part)
        elif isinstance(statement, Store):
            self.store(statement, part)
        elif isinstance(statement.operator, (gast.Add, gast.Sub)):
            self.add(statement, part)
        elif isinstance(statement.operator, (gast.Mult, gast.Div)) and not self.is_active(statement.value):
            value = self.operands.value(statement.value, statement)
            self.cotangents.rescue(self.cotangents.bar(key), statement.location, written=True)
            self.cotangents.out.append(Augment(part, statement.operator, value, statement.location))
        else:
            detached = self.detached(statement, part)
            self.clear(statement, part)
            cleared = len(self.cotangents.out)
            self.chain.start()
            self.chain.apply(statement, statement, self.facts.applied[id(statement)], detached)
            self.chain.finish(statement)
            self.put_at_once(cleared)

    def exchanged(self, statement: Store | Augment) -> tuple[gast.AST, gast.AST] | None:
        """The indices of ``a[[i, j]] = a[[j, i]]``, by which two rows change places; None for other stores."""
        target, value = statement.target, statement.value
        if not (isinstance(statement, Store) and isinstance(target, gast.Subscript) and isinstance(
                value, gast.Subscript) and isinstance(target.value, gast.Name) and same(target.value, value.value)):
            return None
        pair, other = pair_in(target.slice), pair_in(value.slice)
        if pair is None or other is None or not same(pair.elts, other.elts[::-1]) or not all(
                self.is_a_place(item) for item in pair.elts):
            return None

        def with_pair(items: list[gast.AST]) -> gast.AST:
            return substitute(target.slice, lambda node: gast.List(items, gast.Load()) if node is pair else None)

        if not same(with_pair(other.elts), value.slice):
            return None
        own = [self.operands.value(item, statement) for item in pair.elts]
        return with_pair(own), with_pair(own[::-1])

    def is_a_place(self, node: gast.AST) -> bool:
        """Whether an expression is one integer, under a name or written out."""
        value = self.facts.values.get(id(node))
        return isinstance(node, (gast.Name, gast.Constant)) and isinstance(value, Numeric) and value.is_number \
            and value.dtype is not None and value.dtype.kind == "i"

    def exchange(self, statement: Store | Augment, key: tuple, here: gast.AST, there: gast.AST) -> None:
        """The rows of the cotangent change places, too."""
        self.cotangents.own(key, statement.location, self.facts.before[statement])
        bar = name(self.cotangents.bar(key))
        self.cotangents.state[key] = Cotangent(bar, self.operands.evaluate(bar), True, True)
        self.cotangents.out.append(Store(subscript(bar, here), subscript(bar, there), statement.location))

    def put_at_once(self, cleared: int) -> None:
        """``u_bar[i] = value`` for ``u_bar[i] = 0.0`` and ``u_bar[i] += value`` right after it."""
        zeros, *following = self.cotangents.out[cleared - 1:cleared + 1]
        added = following[0] if following else None
        if isinstance(added, Augment) and isinstance(added.operator, (gast.Add, gast.Sub)) and same(
                added.target, zeros.target) and not mentions(added.value, root_of(added.target).id):
            value = added.value if isinstance(added.operator, gast.Add) else gast.UnaryOp(gast.USub(), added.value)
            self.cotangents.out[cleared - 1:cleared + 1] = [Store(zeros.target, value, added.location)]

    def is_active(self, node: gast.AST) -> bool:
        return self.facts.values[id(node)].active

    def store(self, statement: Store, part: gast.Subscript) -> None:
        if not self.is_active(statement.value):
            self.clear(statement, part)
            return
        self.chain.staying = self.added_to(statement)
        if self.chain.staying is not None:
            self.add(statement, part)
            self.chain.staying = None
            return
        if self.is_element(statement) and written_name(statement) not in names_in(statement.value):
            self.hand_on(statement, Cotangent(part, self.operands.evaluate(part), True))
            self.clear(statement, part)
            return
        place = len(self.cotangents.out)
        detached = self.detached(statement, part)
        self.clear(statement, part)
        self.hand_on(statement, detached)
        self.read_in_place(place)

    def added_to(self, statement: Store) -> gast.AST | None:
        """What ``u[i] = u[i] + v`` adds to, as ``u[i] += v`` does: its cotangent stays. None for other stores."""
        target, node = statement.target, statement.value
        if self.repeats or self.facts.has_complex or not isinstance(target.value, gast.Name) or has_effect(
                target, self.facts):  # which may be another place the second time
            return None
        while isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
            if isinstance(node.op, gast.Add) and same(node.right, target):
                return self.alike(node.right, statement)
            node = node.left
        return self.alike(node, statement) if node is not statement.value and same(node, target) else None

    def alike(self, node: gast.AST, statement: Store) -> gast.AST | None:
        """A part of an array that is read, if known to have the shape of the same part that is written into."""
        values = self.facts.values[id(node)], self.facts.values[id(statement.value)]
        shapes = [value.shape for value in values if isinstance(value, Numeric)]
        return node if len(shapes) == 2 and shapes[0] is not None and shapes[0] == shapes[1] else None

    def store_first(self, statement: Store, part: gast.Subscript) -> None:
        """Nothing reads the cotangent of what the array held before, which no differentiated value had reached."""
        if not self.is_active(statement.value):
            return
        if isinstance(statement.value, gast.Name) and not self.repeats:
            self.hand_on(statement, Cotangent(part, self.operands.evaluate(part), True))
        else:
            place = len(self.cotangents.out)
            self.hand_on(statement, self.detached(statement, part, written=False))
            if not self.is_gathered(statement):
                self.read_in_place(place)

    def add(self, statement: Store | Augment, part: gast.Subscript) -> None:
        """What is added gets the part's cotangent, which stays as it is."""
        if not self.is_active(statement.value):
            return
        expression: gast.AST = part
        if isinstance(statement, Augment) and isinstance(statement.operator, gast.Sub):
            expression = gast.UnaryOp(gast.USub(), part)
        if self.is_element(statement):
            cotangent = Cotangent(expression, self.operands.evaluate(expression), True)
            self.hand_on(statement, cotangent)
            return
        place = len(self.cotangents.out)
        self.hand_on(statement, self.detached(statement, expression))
        self.read_in_place(place)

    def read_in_place(self, place: int) -> None:
        """Read the part itself, which was copied, where no statement writes into its array before the last that reads
        it, but for the zeros right behind the copy, which can wait; without a name where it is read once."""
        out = self.cotangents.out
        detached, *following = out[place:]
        if self.cotangents.again or not isinstance(detached, Assign):
            return
        copied = is_copy_of_part(detached.value)
        part = detached.value.func.value if copied else detached.value  # type: ignore[attr-defined]
        if not copied and root(part) is None:
            return
        variable, arrays = detached.target, {detached.target, root_of(part).id}
        if any(mentions(cotangent.expression, variable) for cotangent in self.cotangents.state.values()):
            return
        reads = [index for index, statement in enumerate(following) if variable in mentioned(statement)]
        if not reads:  # what was stored is a constant, or computed of some, which an analysis tells or not
            del out[place]
            return
        zeros = [following.pop(0)] if isinstance(following[0], Store) and following[0].target is part else []
        end = reads[-1] + 1 - len(zeros)
        if not all(self.leaves_alone(statement, arrays) for statement in following[:end]):
            return
        names: list = []
        if len(reads) == 1 == mentions(following[end - 1].value, variable):
            following[end - 1] = replace(following[end - 1], value=substitute(
                following[end - 1].value, lambda node: part if mentions_only(node, variable) else None, plainly=True))
        elif copied:
            names = [replace(detached, value=part)]
        else:
            return
        out[place:] = [*names, *following[:end], *zeros, *following[end:]]

    def leaves_alone(self, statement: Any, arrays: set[str]) -> bool:
        """Whether a statement writes into none of these arrays, gives none another name, and their names to no other.
        """
        if isinstance(statement, Assign):
            return not statement.writes and arrays.isdisjoint(pattern_names(statement.target)) and (
                self.operands.is_fresh(statement.value) or arrays.isdisjoint(mentioned(statement)))
        return isinstance(statement, Augment) and written_name(statement) not in arrays

    def is_element(self, statement: Store | Augment) -> bool:
        """Whether one number is stored, so that reading it makes a copy."""
        value = self.facts.values[id(statement.target)]
        return isinstance(value, Numeric) and value.is_number

    def is_gathered(self, statement: Store | Augment) -> bool:
        """Whether NumPy gives a copy of what is read there."""
        target: Any = statement.target
        index = self.facts.values.get(id(target.slice))
        return isinstance(index, Numeric) and index.kind == "array" or self.facts.array_flattened(
            target.value) is not None

    def detached(self, statement: Store | Augment, part: gast.AST, written: bool = True) -> Cotangent:
        """The part's cotangent, or what is made of it, under a name; in memory of its own, if the array's is to be
        ``written`` into."""
        new = self.is_element(statement) or self.is_gathered(statement) or not isinstance(part, gast.Subscript)
        value = call(attribute(part, "copy")) if written and not new else part
        if self.repeats:
            target: Any = statement.target
            index = index_object(self.operands.value(target.slice, statement), self.chain.helpers)
            place: Any = part.operand if isinstance(part, gast.UnaryOp) else part
            stayed = call(self.chain.helpers.helper("last_stored"), index, attribute(place.value, "shape"))
            value = call(self.chain.helpers.numpy("where"), stayed, part, constant(0.0))
        simple = isinstance(statement.value, (gast.Name, gast.Constant, gast.Subscript))
        label = f"{written_name(statement)}_part" if simple else self.operands.wanted(statement.value)
        variable = self.cotangents.names.fresh(f"{label}_bar")
        self.cotangents.assign(variable, value, statement.location)
        return Cotangent(name(variable), self.operands.evaluate(name(variable)), True, written or new)

    def clear(self, statement: Store | Augment, part: gast.Subscript) -> None:
        """The part has a new value from here on backwards, whose cotangent is zero so far."""
        self.cotangents.out.append(Store(part, constant(0.0), statement.location))

    def hand_on(self, statement: Store | Augment, cotangent: Cotangent) -> None:
        """Send the part's cotangent to the value that was stored, summed where that was spread over the part."""
        node = statement.value
        value, stored = self.facts.values[id(node)], passive(self.facts.values[id(statement.target)])
        back = isinstance(statement, Store) and statement.back  # of the view's own shape, whatever that is
        result = passive(value) if back else filled(stored, shape_of(value))
        copied = Applied(Operation(RULES[np.positive], {"x": value}, result), {"x": node})
        self.chain.start()
        own = self.chain.fit(statement, statement.target, copied, node, value, cotangent)
        if isinstance(value, Items) and not is_trivial(own.expression):  # each item takes its part of it
            variable = self.cotangents.names.fresh(f"{self.operands.wanted(node)}_bar")
            self.cotangents.assign(variable, own.expression, statement.location, own.value)
            own = replace(own, expression=name(variable))
        self.chain.expression(statement, node, {(): own})
        self.chain.finish(statement)


def filled(stored: Abstract, shape: Shape) -> Abstract:
    """A part of an array into which a value of this shape went: along axes where that is longer than 1 the part is as
    long."""
    if not (isinstance(stored, Numeric) and stored.shape and shape):
        return stored
    lead = len(stored.shape) - len(shape)
    return replace(stored, shape=stored.shape[:lead] + tuple(
        own if not_one(own) else part for part, own in zip(stored.shape[lead:], shape))) if lead >= 0 else stored


def is_copy_of_part(node: gast.AST) -> bool:
    """Whether an expression is ``u_bar[index].copy()``."""
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "copy" \
        and isinstance(node.func.value, gast.Subscript)


def pair_in(index: gast.AST) -> gast.List | None:
    """The list of two in ``[i, j]``, or in ``:, [i, j]`` beside full slices; None where there is nothing like it."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    lists = [part for part in parts if isinstance(part, gast.List) and len(part.elts) == 2]
    return lists[0] if len(lists) == 1 and all(part in lists or is_everything(part) for part in parts) else None
