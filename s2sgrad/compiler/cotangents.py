"""The cotangents alive at a point of the reverse sweep, and the statements that bind and add them.

A cotangent belongs to a name at a place in the program (there a name has one value), or to an item of a tuple under a
name. It is an expression, most often a variable of its own (``x_bar``). Three facts go with it: its abstract value;
whether it is *full*, that is has its subject's shape, or only broadcasts to it (the adjoint of a sum before it is
spread); whether it is *owned*, that is memory that this adjoint made and nothing else refers to: only owned arrays are
added into in place.
"""
from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import (
    add,
    added_once,
    factors_out_minus,
    have_one_divisor,
    is_trivial,
    is_zero,
    mentions,
    mentions_only,
    outer_factors,
    same,
    sign_and_rest,
    substitute,
    unsigned,
    without_ones,
)
from s2sgrad.compiler.facts import Version
from s2sgrad.compiler.freed import is_update
from s2sgrad.compiler.indexing import disjoint
from s2sgrad.compiler.nodes import Names, name, names_in, subscript
from s2sgrad.compiler.program import Assign, Augment, Store, mentioned
from s2sgrad.compiler.structures import accessed, label
from s2sgrad.compiler.walrus import pops
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Numeric, is_a_number, is_real, item_at, may_be_container, passive

MOST_NAMES = 8
"""Sums that mention more are written in two lines."""
Key = "tuple[str, tuple]"
"""A name, and the steps to a place inside the container under that name (none for the name itself)."""


@dataclass(slots=True, eq=False)
class Cotangent:
    """The expression of a cotangent, and what is known of it; another state of it is another object."""

    expression: gast.AST
    value: Abstract
    full: bool = True
    owned: bool = False
    zero: bool = False
    """Known to hold zeros: whoever reads it may act as if it weren't there."""
    stored: tuple[gast.AST, ...] = ()
    """Of an array of zeros but for some elements, the indices of these."""
    each: gast.AST | None = None
    """Of a list of numbers that nothing but a sum reads, the cotangent that all of them have."""


@dataclass(slots=True, eq=False)
class Contribution:
    """What the reversal of one use adds to a cotangent: to all of it, or (``index`` given) to some elements."""

    key: Any
    cotangent: Cotangent
    index: gast.AST | None = None
    repeats: bool = False
    """The index may name an element more than once."""
    inside: tuple = ()
    """The steps to a place in the element of a list that the index chooses."""
    view: gast.AST | None = None
    """What the index is one into, where that is a view of the cotangent."""
    alone: bool = False
    """Of an item of a list over which a loop runs, from the first to the last: the turn is about no other item."""


class Cotangents:
    again = False
    """Whether the adjoint is differentiated again: then an array is written into as a whole by no sum, which could be
    taken for memory of another's; but for those whose dtype a sum might widen."""

    def __init__(self, names: Names, tools: Any):
        self.names = names
        self.tools = tools
        self.state: dict[Any, Cotangent] = {}
        self.out: list = []
        self.bars: dict[Any, str] = {}
        self.unread: list[gast.AST] = []
        """The expressions of cotangents that are consumed, and in no statement yet."""
        self.free: Collection[str] = ()
        """The variables whose memory the contributions at hand may write over."""

    def bar(self, key: Any) -> str:
        """The variable that holds a cotangent: ``x_bar``, ``pair_0_bar``."""
        if key not in self.bars:
            identifier, path = key
            self.bars[key] = self.names.fresh("_".join([identifier, *map(label, path), "bar"]), pin=True)
        return self.bars[key]

    # ---- emission

    def assign(self, target: str, value: gast.AST, location: Location, known: Abstract | None = None) -> None:
        """Bind a variable; a cotangent that still refers to its old value moves to a variable of its own first.

        ``known``: what is known of the value, where evaluating its expression does not tell.
        """
        self.unread.append(value)
        self.rescue(target, location)
        self.unread.pop()
        self.out.append(Assign(target, value, location))
        self.tools.remember(target, self.tools.cotangents_of(self.tools.evaluate(value) if known is None else known))

    @contextmanager
    def reading(self, *expressions: gast.AST) -> Iterator[None]:
        """While these are still to be read, nothing that they mention is bound anew by what gets out of another's way.
        """
        count = len(self.unread)
        self.unread += expressions
        yield
        del self.unread[count:]

    def rescue(self, target: str, location: Location, written: bool = False) -> None:
        """Move cotangents that refer to a variable out of its way; ``written``: its memory will be written into."""
        for key, cotangent in list(self.state.items()):
            expression = cotangent.expression
            if type(expression) is gast.Name and expression.id != target:
                continue  # as most
            if self.bars.get(key) != target and mentions(expression, target):
                self.materialise(key, location, written)

    def materialise(self, key: Any, location: Location, copied: bool) -> None:
        """Give a cotangent its own variable, or a new one where that is still to be read, and its own memory if
        ``copied``."""
        cotangent = self.state[key]
        variable = self.bar(key)
        if any(mentions(value, variable) for value in self.unread):
            variable = self.names.fresh(variable)
        expression = cotangent.expression
        if copied and not self.tools.is_fresh(expression) and not is_a_number(cotangent.value):
            expression = self.tools.copy(expression, cotangent.value)
        self.assign(variable, expression, location)
        owned = self.tools.is_fresh(expression) or cotangent.owned and expression is cotangent.expression and not copied
        self.state[key] = replace(cotangent, expression=name(variable), owned=owned, each=None)

    def is_bound(self, key: Any, cotangent: Cotangent) -> bool:
        return isinstance(cotangent.expression, gast.Name) and cotangent.expression.id == self.bar(key)

    # ---- reading

    def is_nonzero(self, key: Any) -> bool:
        """Whether there is a cotangent that isn't known to be zero."""
        found = self.state.get(key)
        return found is not None and not found.zero

    def take(self, key: Any) -> Cotangent | None:
        """The cotangent, consumed: an overwrite ends here what the name stood for. None where there is none."""
        cotangent = self.state.get(key)
        if cotangent is None or cotangent.zero:
            return None
        return self.state.pop(key)

    # ---- adding

    def contribute(self, contributions: list[Contribution], location: Location, environment: dict,
                   free: Collection[str] = ()) -> None:
        """Add what the reversal of one statement gives, ordered so that no line overwrites what a later one reads.

        ``free``: the variables of numbers, and of arrays of this adjoint's own, that only these contributions read.
        """
        if any(is_zero(new.cotangent.expression) for new in contributions):
            contributions = self.without_zeros(contributions)
        remaining = self.whole_first(self.combine(contributions, environment))
        self.free = free
        while remaining:
            for candidate in remaining:
                variable, written = self.bars.get(candidate.key), self.written(candidate)
                if not any(mentions(other.cotangent.expression, target) for other in remaining for target in written
                           if other is not candidate or candidate.index is not None and target == variable):
                    break
            else:  # a cycle: one value gets a variable of its own before its old one is bound anew
                if self.exchange(remaining, location):
                    break
                self.free = ()
                targets = set().union(*map(self.written, remaining))
                place = next(index for index, other in enumerate(remaining) if any(
                    mentions(other.cotangent.expression, target) for target in targets))
                blocked = remaining[place]
                fresh = self.names.fresh(self.bar(blocked.key))
                self.assign(fresh, blocked.cotangent.expression, location)
                remaining[place] = replace(blocked, cotangent=replace(blocked.cotangent, expression=name(fresh)))
                continue
            with self.reading(*[other.cotangent.expression for other in remaining]):
                self.add(candidate, location, environment)
            remaining.remove(candidate)
        self.free = ()

    def written(self, contribution: Contribution) -> set[str]:
        """The variables that adding a contribution binds anew or writes into: of a part also the former name of memory
        that its cotangent takes over."""
        old = self.state.get(contribution.key) if contribution.index is not None else None
        former = {old.expression.id} if old and old.owned and isinstance(old.expression, gast.Name) else set()
        return former | {self.bars[contribution.key]} if contribution.key in self.bars else former

    def exchange(self, contributions: list[Contribution], location: Location) -> bool:
        """``u_bar, v_bar = v_bar, u_bar`` where each of these cotangents is under the name of another; whether they
        are."""
        targets = [self.bar(new.key) for new in contributions]
        values = [new.cotangent.expression for new in contributions]
        if any(new.index is not None or self.is_nonzero(new.key) for new in contributions) or sorted(targets) != sorted(
                value.id if isinstance(value, gast.Name) else "" for value in values):
            return False
        known = [self.tools.evaluate(value) for value in values]
        for new in contributions:
            self.state.pop(new.key, None)
        for target in targets:
            self.rescue(target, location)
        self.out.append(Assign(tuple(targets), gast.Tuple(values, gast.Load()), location))
        for new, target, value in zip(contributions, targets, known):
            self.tools.remember(target, value)
            self.state[new.key] = replace(new.cotangent, expression=name(target))
        return True

    def without_zeros(self, contributions: list[Contribution]) -> list[Contribution]:
        """All but the zeros that are added to something; one that is alone still tells what a value depends on."""
        others = {new.key for new in contributions if new.index is None and not is_zero(new.cotangent.expression)}
        return [new for new in contributions if not is_zero(new.cotangent.expression) or not (
            new.key in others or self.is_nonzero(new.key))]

    def combine(self, contributions: list[Contribution], environment: dict) -> list[Contribution]:
        """Sum those for one place, and those for one name where one would overwrite what the other reads."""
        if len({new.key for new in contributions}) == len(contributions):
            return list(contributions)
        result: list[Contribution] = []
        for new in self.added_alike(contributions, environment):
            variable = self.bars.get(new.key)
            for place, old in enumerate(result):
                if old.key != new.key:
                    continue
                if self.at_one_place(old, new, environment) and (
                        old.index is not None
                        or have_one_divisor(old.cotangent.expression, unsigned(new.cotangent.expression))
                        or variable is not None and (mentions(new.cotangent.expression, variable)
                                                     or mentions(old.cotangent.expression, variable))):
                    result[place] = self.together(old, new, environment)
                    break
            else:
                result.append(new)
        return result

    def added_alike(self, contributions: list[Contribution], environment: dict) -> list[Contribution]:
        """Those of which two are written alike added up."""
        result: list[Contribution] = []
        for new in contributions:
            place = next((place for place, old in enumerate(result) if self.at_one_place(old, new, environment)
                          and added_once(new.cotangent.expression, old.cotangent.expression) is not None), None)
            if place is None:
                result.append(new)
            else:
                result[place] = self.together(result[place], new, environment)
        return result

    def together(self, old: Contribution, new: Contribution, environment: dict) -> Contribution:
        """The sum of two contributions for one place."""
        if old.index is None:
            return Contribution(new.key, self.sum(new.key, old.cotangent, new.cotangent, environment))
        expression = self.total(old.cotangent.expression, new.cotangent.expression)
        return replace(old, cotangent=Cotangent(
            expression, self.tools.evaluate(expression), old.cotangent.full or new.cotangent.full))

    def at_one_place(self, old: Contribution, new: Contribution, environment: dict) -> bool:
        """Whether two contributions are for all of one cotangent, or for the same elements."""
        if old.key != new.key or old.index is None or new.index is None:
            return old.key == new.key and old.index is new.index
        return not old.repeats and not new.repeats and same([old.index, old.view], [new.index, new.view]) \
            and not isinstance(self.subject(new.key, environment), Items)

    def whole_first(self, contributions: list[Contribution]) -> list[Contribution]:
        """What is for all of an array before what is for parts of it, so that these need no zeros to be added to."""
        if len(contributions) < 2 or all(new.index is None for new in contributions):
            return contributions
        parts: dict[Any, int] = {}
        result: list[Contribution] = []
        for new in contributions:
            if new.index is not None and not self.is_nonzero(new.key):
                parts.setdefault(new.key, len(result))
            if new.index is None and new.key in parts:
                place = parts[new.key]
                result.insert(place, new)
                parts = {key: other + (other >= place) for key, other in parts.items()}
            else:
                result.append(new)
        return result

    def subject(self, key: Any, environment: dict) -> Abstract | None:
        """What is known of the value that a cotangent belongs to."""
        return item_at(environment[key[0]].value, key[1]) if key[0] in environment else None

    def is_of_a_number(self, key: Any, environment: dict) -> bool:
        """Whether a cotangent belongs to a number: what is added to it in place must not be an array without axes."""
        value = self.subject(key, environment)
        return is_a_number(value) and not has_grown(value)

    def sum(self, key: Any, first: Cotangent, second: Cotangent, environment: dict) -> Cotangent:
        if may_be_container(self.subject(key, environment)):
            return Cotangent(self.tools.added(first.expression, second.expression), first.value, True, True)
        if not (first.full or second.full) and not (shape_known(first) and shape_known(second)):
            first = self.fill(key, first, environment)
        expression = self.total(first.expression, second.expression)
        return Cotangent(expression, self.tools.evaluate(expression), first.full or second.full,
                         self.tools.is_fresh(expression))  # 0.5 * r + 0.5 * r is r

    def total(self, first: gast.AST, second: gast.AST) -> gast.AST:
        return without_ones(add(first, second), self.tools.dtype_and_shape)

    def fill(self, key: Any, cotangent: Cotangent, environment: dict) -> Cotangent:
        """The cotangent in its subject's full shape."""
        if cotangent.full:
            return cotangent
        expression = self.tools.spread(cotangent.expression, environment[key[0]], key[1])
        return Cotangent(expression, self.tools.evaluate(expression), True, False)

    def add(self, contribution: Contribution, location: Location, environment: dict) -> None:
        if contribution.index is not None:
            self.add_at(contribution, location, environment)
            return
        key, new = contribution.key, contribution.cotangent
        old = self.state.get(key)
        if old is not None and old.zero:
            old = None
        variable = self.bar(key)
        if may_be_container(self.subject(key, environment)):
            self.add_list(key, old, new, location, environment)
            return
        if old is None:
            fresh = self.tools.is_fresh(new.expression)
            lazy = isinstance(new.expression, (gast.Name, gast.Constant)) or self.tools.is_temporary(key[0])
            self.state.pop(key, None)
            if isinstance(new.expression, gast.Name) and new.expression.id == variable:
                self.state[key] = new
            elif lazy:
                self.state[key] = Cotangent(new.expression, new.value, new.full, fresh or new.owned, new.zero)
            elif variable in self.free and is_update(new.expression, variable, self.tools) and not self.again:
                self.rescue(variable, location, written=True)
                self.out.append(Augment(name(variable), new.expression.op, new.expression.right, location))
                self.state[key] = Cotangent(name(variable), self.tools.evaluate(name(variable)), new.full, True)
            else:
                self.assign(variable, new.expression, location, new.value)
                self.state[key] = Cotangent(name(variable), new.value, new.full, fresh or new.owned, new.zero)
            return
        subject = self.subject(key, environment)
        number = is_a_number(subject)
        if (self.is_bound(key, old) and old.full and (old.owned or number and is_a_number(old.value))
                and (new.full or shape_known(new)) and not (self.again and is_double(subject))
                and not has_grown(subject)):  # beside the cotangents of an array there is a number's
            self.rescue(variable, location, written=True)
            if self.is_just_bound(key, new, location, number):
                new = self.sum(key, replace(old, expression=self.out.pop().value), new, environment)
                self.assign(variable, new.expression, location)
                self.state[key] = Cotangent(name(variable), new.value, True, old.owned)
                return
            operator, value = sign_and_rest(new.expression)
            self.out.append(Augment(name(variable), operator, value, location, outer=self.is_outer(value)))
            if number and self.tools.facts.has_complex:  # a complex number may have come to a real one
                self.tools.remember(variable, self.tools.evaluate(add(old.expression, new.expression)))
            self.state[key] = Cotangent(name(variable), self.tools.evaluate(name(variable)), True, True)
            return
        total = self.sum(key, old, new, environment)
        self.assign(variable, total.expression, location)
        self.state[key] = Cotangent(name(variable), total.value, total.full, total.owned)

    def is_just_bound(self, key: Any, new: Cotangent, location: Location, number: bool) -> bool:
        """Whether the last line binds a ``number`` to which something is added that came for the same line of the
        user's, or an array that is ``-x``, and can be one with that: nothing refers to it yet."""
        last, variable = self.out[-1] if self.out else None, self.bar(key)
        if not isinstance(last, Assign) or last.target != variable or pops(last.value):
            return False
        if last.location.line != location.line if number else not isinstance(last.value, gast.UnaryOp):
            return False
        if any(mentions(other.expression, variable) for other in (
                new, *(other for at, other in self.state.items() if at != key))):
            return False
        if number:
            return len(names_in(last.value, new.expression)) <= MOST_NAMES
        dtypes = {dtype for dtype, _ in map(self.tools.dtype_and_shape, (last.value, new.expression))}
        return isinstance(last.value.operand, gast.Name) \
            and len(dtypes) == 1 and None not in dtypes and factors_out_minus(new.expression) is None

    def is_outer(self, value: gast.AST) -> bool:
        """Whether an expression in a loop is the outer product of what are known to be vectors."""
        found = outer_factors(value) if self.tools.loops and not self.again else None
        return found is not None and all(is_a_vector(self.tools.evaluate(vector)) for vector in found)

    def add_list(self, key: Any, old: Cotangent | None, new: Cotangent, location: Location, environment: dict) -> None:
        """Add to the cotangent of a list of any number of values, which is a list itself."""
        variable = self.bar(key)
        if old is None and self.is_one_for_each(key, new.expression, environment):
            terms: Any = new.expression
            each = terms.args[0]
            if not is_trivial(each):
                item = self.names.fresh(f"{key[0]}_item_bar")
                self.assign(item, each, location)
                terms = gast.Call(terms.func, [each := name(item), *terms.args[1:]], [])
            self.state[key] = replace(new, expression=terms, each=each)
            return
        total = new if old is None else self.sum(key, old, new, environment)
        self.state.pop(key, None)
        if not isinstance(total.expression, gast.Name):
            self.assign(variable, total.expression, location, total.value)
            total = replace(total, expression=name(variable))
        self.state[key] = total

    def is_one_for_each(self, key: Any, node: Any, environment: dict) -> bool:
        """Whether all items of a list of numbers have one cotangent: it was made for a sum."""
        subject: Any = self.subject(key, environment)
        return not key[1] and self.tools.is_of_terms(node) and not has_grown(subject.any_item) and all(
            is_a_number(value) and is_real(value) for value in (subject.any_item, self.tools.evaluate(node.args[0]))
        ) and self.tools.is_only_summed(key[0])

    def add_item(self, contribution: Contribution, subject: Items, location: Location, environment: dict) -> None:
        """``xs_bar[index] += value``, in a list of cotangents that this adjoint owns with all that is in it."""
        key, index, value = contribution.key, contribution.index, contribution.cotangent.expression
        assert index is not None
        self.own(key, location, environment)
        variable = self.bar(key)
        if isinstance(index, gast.Slice):
            self.out.append(self.tools.add_items(name(variable), index, value, location))
        elif contribution.inside and isinstance(contribution.inside[-1], gast.Slice) and isinstance(
                item_at(subject.any_item, contribution.inside[:-1]), Items):  # of a list in the container
            *around, part = contribution.inside
            items = accessed(subscript(name(variable), index), subject.any_item, tuple(around))
            self.out.append(self.tools.add_items(items, part, value, location))
        else:
            element = subject.any_item
            target = accessed(subscript(name(variable), index), element, contribution.inside)
            part = item_at(element, contribution.inside)
            alone = contribution.alone and subject.kind in (list, tuple)
            item = (element, contribution.inside, alone) if self.is_whole(contribution.cotangent, part) else None
            if may_be_container(part):
                self.out.append(Store(target, self.tools.added(target, value), location, item=item))
            elif self.tools.facts.has_complex and not is_real(part):  # beside complex arrays there may be real ones
                self.out.append(Store(target, add(target, value), location))
            else:
                self.out.append(Augment(target, *sign_and_rest(value), location, item=item))
        self.state[key] = Cotangent(name(variable), passive(subject), True, True)

    def is_whole(self, cotangent: Cotangent, subject: Abstract) -> bool:
        """Whether a cotangent has its subject's shape and dtype, and is memory that nobody else has."""
        if isinstance(subject, Items) and subject.is_list:
            return isinstance(cotangent.value, Items) and cotangent.full and cotangent.owned
        if not isinstance(subject, Numeric) or not cotangent.full:
            return False
        dtype, _ = self.tools.dtype_and_shape(cotangent.expression)
        if dtype is None or dtype != subject.dtype:
            return False
        if subject.is_number:
            return is_a_number(cotangent.value)
        return bool(subject.shape) and (cotangent.owned or self.tools.is_fresh(cotangent.expression))

    def add_at(self, contribution: Contribution, location: Location, environment: dict) -> None:
        """``x_bar[index] += value``, into an array that this adjoint owns."""
        key, index = contribution.key, contribution.index
        assert index is not None
        subject = self.subject(key, environment)
        if isinstance(subject, Items):
            self.add_item(contribution, subject, location, environment)
            return
        fresh = key not in self.state or self.state[key].zero and not self.state[key].owned
        self.own(key, location, environment)
        variable, stored = self.bar(key), self.state[key].stored
        value = contribution.cotangent.expression
        array = name(variable) if contribution.view is None else contribution.view
        target = subscript(array, index)
        if contribution.repeats:
            self.out.append(self.tools.add_at(array, index, value, location))
        elif fresh or stored and contribution.view is None and all(disjoint(index, other) for other in stored):
            # zeros until here
            self.out.append(Store(target, value, location))
        else:
            self.out.append(Augment(target, *sign_and_rest(value), location))
        known = (fresh or stored) and contribution.view is None and not contribution.repeats
        self.state[key] = Cotangent(name(variable), self.state[key].value, True, True,
                                    stored=(*stored, index) if known else ())

    def own(self, key: Any, location: Location, environment: dict) -> None:
        """See to it that a cotangent is a full array of this adjoint's own, in its own variable."""
        variable = self.bar(key)
        old = self.state.get(key)
        subject = environment[key[0]]
        known = subject_value(subject, key[1])
        no_axes = isinstance(known, Numeric) and known.kind == "array" and known.shape == ()
        if old is not None and old.full and old.owned and self.is_bound(key, old) and not no_axes \
                and self.tools.widened(old.expression, known) is old.expression:
            self.rescue(variable, location, written=True)
            return
        if old is None or old.zero and not old.owned:
            expression = self.tools.zeros(subject, key[1], self.of_shape)
        elif old.full and old.owned and isinstance(old.expression, gast.Name):
            expression = old.expression  # its former name has no more use for it
        elif old.full and not no_axes and not self.tools.is_fresh(old.expression):
            expression = self.tools.copy(old.expression, known)
        elif old.full:
            expression = old.expression
        else:
            expression = self.tools.spread(old.expression, subject, key[1], owned=True)
        expression = self.tools.widened(expression, known)
        if no_axes and old is not None:  # arithmetic gives numbers; this is a copy, too
            expression = self.tools.new_array(expression)
        place = self.bound_just_now(key, expression)
        if place is None:
            self.assign(variable, expression, location)
        else:  # x_bar = y_bar[1:].copy()
            bound = self.out[place]
            self.out[place] = replace(bound, value=substitute(
                expression, lambda node: bound.value if mentions_only(node, variable) else None))
            self.tools.remember(variable, self.tools.cotangents_of(self.tools.evaluate(expression)))
        self.state[key] = Cotangent(name(variable), self.tools.evaluate(name(variable)), True, True)

    def of_shape(self, known: Numeric) -> str | None:
        """The variable of a cotangent that is an array of a shape known to be this one."""
        if not known.shape or None in known.shape:
            return None
        return next((cotangent.expression.id for key, cotangent in self.state.items()
                     if cotangent.full and self.is_bound(key, cotangent) and isinstance(cotangent.value, Numeric)
                     and cotangent.value.kind == "array" and cotangent.value.shape == known.shape), None)

    def bound_just_now(self, key: Any, expression: gast.AST) -> int | None:
        """Where the variable was bound of which an expression makes a copy, or which it spreads, if nothing has read it
        since and nothing been written into."""
        variable = self.bar(key)
        if mentions(expression, variable) != 1 or any(
                mentions(other.expression, variable) for place, other in self.state.items() if place != key):
            return None
        for place in range(len(self.out) - 1, -1, -1):
            statement = self.out[place]
            if not isinstance(statement, Assign) or statement.writes:
                return None
            if statement.target == variable:
                return None if pops(statement.value) else place
            if variable in mentioned(statement):
                return None
        return None

    def owned(self, key: Any, cotangent: Cotangent, location: Location, environment: dict) -> Cotangent:
        """A cotangent that was taken, in memory of this adjoint's own."""
        self.state[key] = cotangent
        self.own(key, location, environment)
        return self.state.pop(key)

    # ---- joins

    def settled_form(self, key: Any, cotangent: Cotangent, environment: dict) -> gast.AST:
        """What is in a cotangent's variable, as a join or a turn expects it: of a number a number, and as complex as
        its value may be."""
        expression = cotangent.expression
        if self.is_of_a_number(key, environment):
            number = self.tools.as_number(expression)
            if number is not expression:
                return number
        if isinstance(cotangent.value, Numeric) and not is_a_number(cotangent.value):
            return self.tools.widened(expression, subject_value(environment[key[0]], key[1]))
        return expression

    def is_settled(self, key: Any, state: dict, environment: dict) -> bool:
        """Whether ``settle`` finds nothing to be done for a cotangent."""
        cotangent = state.get(key)
        return cotangent is not None and cotangent.full and self.is_bound(key, cotangent) \
            and self.settled_form(key, cotangent, environment) is cotangent.expression

    def settle(self, keys: list, location: Location, environment: dict) -> None:
        """Bind each of these cotangents, zeros where there is none, to its variable: what a join or a turn expects."""
        bindings: list[tuple[Any, gast.AST, bool]] = []
        for key in keys:
            old = self.state.get(key)
            if old is None:
                bindings.append((key, self.tools.zeros(environment[key[0]], key[1], self.of_shape), True))
            elif not (self.is_bound(key, old) and old.full):
                full = self.fill(key, old, environment).expression
                if not self.tools.is_fresh(full) and self.is_of_a_number(key, environment):
                    full = self.tools.as_number(full)
                bindings.append((key, full, self.tools.is_fresh(full) or old.owned and full is old.expression))
            else:
                form = self.settled_form(key, old, environment)
                if form is not old.expression:
                    bindings.append((key, form, True))
        for key, _, _ in bindings:
            self.state.pop(key, None)
        targets = [self.bar(key) for key, _, _ in bindings]
        crossing = any(mentions(value, target) for key, value, _ in bindings for target in targets
                       if target != self.bar(key))
        values = [value for _, value, _ in bindings]
        if crossing:
            with self.reading(*values):
                for target in targets:
                    self.rescue(target, location)
            self.out.append(Assign(tuple(targets), gast.Tuple(values, gast.Load()), location))
        for place, (key, value, owned) in enumerate(bindings):
            variable = self.bar(key)
            settled = self.tools.settled(environment[key[0]], key[1])
            if not crossing:
                with self.reading(*values[place:]):
                    self.assign(variable, value, location, settled)
            self.tools.remember(variable, settled)
            self.state[key] = Cotangent(name(variable), settled, True, owned)


def shape_known(cotangent: Cotangent) -> bool:
    return isinstance(cotangent.value, Numeric) and cotangent.value.shape is not None


def is_double(value: Abstract | None) -> bool:
    """Whether a value is known to be an array of double precision."""
    return isinstance(value, Numeric) and value.kind == "array" and value.dtype is not None and value.dtype == float


def is_a_vector(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.kind == "array" and value.rank == 1


def has_grown(value: Abstract | None) -> bool:
    """Whether a value may be a constant number in the place of an array."""
    return isinstance(value, Numeric) and value.grown is not None


def subject_value(version: Version, path: tuple) -> Abstract:
    """What is known of a cotangent of a name's value, or of an item of it: what is known of that value."""
    return passive(item_at(version.value, path))
