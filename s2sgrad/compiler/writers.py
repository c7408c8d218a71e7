"""Calls on lines of their own that write into an array, as the stores that they are: ``u.fill(0.0)``,
``np.copyto(u, v)``, ``rng.shuffle(u)``, ``np.multiply(a, b, out=u)`` become ``u[...] = value``, ``np.sqrt(a, out=u,
where=mask)`` becomes ``u[mask] = np.sqrt(a[mask])``, ``np.add.at(u, i, v)`` a ``u[i] += v`` that counts."""
from __future__ import annotations

import copy
import random
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.equivalents import changed_alone, changed_at
from s2sgrad.compiler.layouts import layout
from s2sgrad.compiler.nodes import (
    Names,
    attribute,
    call,
    constant,
    holder,
    located_at,
    name,
    names_in,
    root_of,
    subscript,
    tuple_of,
    walk,
)
from s2sgrad.compiler.operators import takes_for_array
from s2sgrad.compiler.outputs import FILLING
from s2sgrad.compiler.program import Augment, Evaluate, Store
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import ANY, MISSING, Abstract, Items, Numeric, known_value
from s2sgrad.rules.dims import not_one
from s2sgrad.rules.draws import draws
from s2sgrad.runtime import shuffled_places

COUNTING: dict[Any, type] = {np.add: gast.Add, np.subtract: gast.Sub}
"""Ufuncs whose ``at`` is taken."""


class Writers(Calls):
    def as_store(self, node: gast.Call, location: Location, environment: dict) -> Store | Augment | None:
        """The store that does the same; None where there is none, or it would not fail where the call does."""
        if any(isinstance(item, gast.Starred) for item in node.args) or any(item.arg is None for item in node.keywords):
            return None
        operator = self.counting(node, environment)
        target, place, value = self.parts(node, environment)
        if not isinstance(target, gast.AST) or not isinstance(value, gast.AST):
            return None
        array, stored = (self.passively(part, environment) for part in (target, value))
        if isinstance(stored, Items) and takes_for_array(array, stored):
            value = located_at(call(self.given(np.array), value), value)
            stored = self.passively(value, environment)
        held = holder(target) in self.local and self.facts.is_place(target) and isinstance(
            self.facts.values.get(id(root_of(target))), Items)  # in an object, a list or a dict
        whole = isinstance(array, Numeric) and (array.kind == "array" or self.facts.array_flattened(
            target) is not None) and (held or self.facts.array_viewed(target) is not None)
        kept = is_of(array, "biufc") and is_of(stored, "biufc") and np.can_cast(
            stored.dtype, array.dtype, "same_kind") or self.shuffles(node, environment)
        numbers = isinstance(stored, Numeric)
        if operator is not None and self.program.is_generated and isinstance(array, Numeric):  # cotangents
            whole = kept = numbers = not array.is_number
        elif operator is not None and isinstance(array, Numeric) and getattr(stored, "dtype", "") is None:
            kept = is_of(array, "fc")  # ``np.add.at`` itself fails where that doesn't fit
        if not (whole and kept and numbers):
            return None
        if getattr(node.func, "attr", "") == "fill" and getattr(stored, "shape", None) != ():
            return None
        part = gast.copy_location(subscript(target, place), node)
        if operator is not None:
            return Augment(part, operator, value, location, counted=True)
        return Store(part, value, location)

    def counting(self, node: gast.Call, environment: dict) -> gast.AST | None:
        """The operator of ``np.add.at(u, i, v)``."""
        if not (isinstance(node.func, gast.Attribute) and node.func.attr == "at"):
            return None
        function = known_value(self.passively(node.func.value, environment))
        kind = COUNTING.get(function) if isinstance(function, np.ufunc) else None
        return kind() if kind is not None and len(node.args) == 3 and not node.keywords else None

    def ufunc_at(self, node: gast.Call, environment: dict) -> Any:
        """The ufunc of another ``np.multiply.at(u, i, v)``, or of ``np.exp.at(u, i)``; None where there is none."""
        if not (isinstance(node.func, gast.Attribute) and node.func.attr == "at") or node.keywords:
            return None
        function = known_value(self.passively(node.func.value, environment))
        known = isinstance(function, np.ufunc) and function.nin < 3 and function.nout == 1
        return function if known and len(node.args) == function.nin + 1 else None

    def shuffles(self, node: gast.Call, environment: dict) -> bool:
        """Whether this is ``rng.shuffle(items)``, ``np.random.shuffle(items)`` or ``random.shuffle(items)``."""
        if not (isinstance(node.func, gast.Attribute) and node.func.attr == "shuffle") or len(node.args) != 1 \
                or node.keywords:
            return False
        function, holder = self.passively(node.func, environment), self.facts.value(node.func.value)
        owner = getattr(known_value(function), "__self__", None)
        return draws(known_value(function), holder) or isinstance(owner, random.Random)

    def shuffled(self, node: gast.Call) -> gast.AST:
        """Where what stands in each place came from: the same numbers are drawn for that as for anything of a length.
        """
        return call(self.given(shuffled_places), node.func, call(self.given(len), copy.deepcopy(node.args[0])))

    def shuffled_list(self, statement: Evaluate, environment: dict) -> dict | None:
        """``rng.shuffle(rows)`` stands for ``rows = [rows[place] for place in ...]``; None for what is no list."""
        node: Any = statement.value
        if not self.shuffles(node, environment) or holder(node.args[0]) not in self.local:
            return None
        held = self.evaluate(node.args[0], environment)
        if not isinstance(held, Items) or held.kind is not list:
            return None
        if id(node) not in self.facts.simpler:
            place = Names(set(names_in(node))).fresh("place")
            item = subscript(copy.deepcopy(node.args[0]), name(place))
            self.facts.simpler[id(node)] = located_at(gast.ListComp(item, [gast.comprehension(
                gast.Name(place, gast.Store(), None, None), self.shuffled(node), [], 0)]), node)
        return self.rebound(  # type: ignore[attr-defined,no-any-return]
            statement, node.args[0], self.facts.simpler[id(node)], environment)

    def parts(self, node: gast.Call, environment: dict) -> tuple[Any, gast.AST, Any]:
        """What is written into, at which index, and the expression for what it gets."""
        everything = constant(...)
        keywords = {item.arg: item.value for item in node.keywords}
        if isinstance(node.func, gast.Attribute) and isinstance(self.passively(node.func.value, environment), Numeric):
            array = node.func.value
            if node.func.attr == "fill" and len(node.args) == 1 and not keywords:
                return array, everything, node.args[0]
            if node.func.attr in ("sort", "partition"):
                return array, everything, self.by_numpy(node.func.attr, node, array, *node.args, **keywords)
            if "out" in keywords:
                return self.filled(node, keywords, environment)
            if node.func.attr == "put" and len(node.args) == 2 and not keywords:
                return array, *self.put(array, node.args[0], node.args[1], environment)
            return None, everything, None
        if self.counting(node, environment) is not None:
            return node.args
        ufunc = self.ufunc_at(node, environment)
        if ufunc is not None:
            changed = call(self.given({1: changed_alone, 2: changed_at}[ufunc.nin]), self.given(ufunc), *node.args)
            return node.args[0], everything, located_at(changed, node)
        if self.shuffles(node, environment):
            return node.args[0], everything, located_at(subscript(node.args[0], self.shuffled(node)), node)
        function = self.function_of(node, environment)
        if function is np.copyto and keywords.keys() <= {"dst", "src"} and len(node.args) + len(keywords) == 2:
            array, value = node.args + [keywords[label] for label in ("dst", "src") if label in keywords]
            return array, everything, value
        if function is np.copyto and len(node.args) == 2 and keywords.keys() == {"where"}:
            array, value = node.args
            return array, everything, self.by_numpy("where", node, keywords["where"], value, array)
        if function is np.putmask and len(node.args) == 3 and not keywords:
            array, mask, value = node.args
            fits = self.shape(value, environment) in ((), self.shape(array, environment))
            return array, everything, self.by_numpy("where", node, mask, value, array) if fits else None
        if function is np.put and len(node.args) == 3 and not keywords:
            return node.args[0], *self.put(node.args[0], node.args[1], node.args[2], environment)
        if function is np.fill_diagonal and len(node.args) == 2 and not keywords:
            return self.diagonal(node, node.args[0], node.args[1], environment)
        if function is np.put_along_axis and len(node.args) >= 3:
            return node.args[0], *self.along_axis(node, environment)
        if function is np.place and len(node.args) == 3 and not keywords:
            array, mask, value = node.args
            if isinstance(value, (gast.List, gast.Tuple)) and len(value.elts) == 1:
                (value,) = value.elts
            whole = self.shape(array, environment)
            fits = whole is not None and None not in whole and self.shape(value, environment) == () \
                and self.shape(mask, environment) == whole
            return array, everything, self.by_numpy("where", node, mask, value, array) if fits else None
        if isinstance(function, np.ufunc) and len(node.args) == function.nin and "out" in keywords:
            if keywords.keys() <= {"out", "dtype"}:
                return keywords["out"], everything, without_out(node)
            if keywords.keys() == {"out", "where"}:
                return self.where_told(node, keywords["out"], keywords["where"], environment)
        if "out" in keywords and function in FILLING:
            return self.filled(node, keywords, environment)
        return None, everything, None

    def filled(self, node: gast.Call, keywords: dict[str, gast.AST], environment: dict) -> tuple[Any, gast.AST, Any]:
        """A function that fills an array of just the form of what it gives."""
        array = keywords["out"]
        value = without_out(node)
        given, found = self.passively(array, environment), self.passively(value, environment)
        fits = isinstance(given, Numeric) and isinstance(found, Numeric) and given.dtype is not None \
            and given.dtype == found.dtype and self.fits(value, array, environment)
        function = known_value(self.facts.values.get(id(node.func), ANY))
        if fits and (function is np.dot or function is MISSING and node.func.attr == "dot"):  # type: ignore[attr-defined]
            needs = layout(array, self.facts, environment)
            self.facts.contiguous.update(dict.fromkeys(needs or (), self.node_location(array)))
            fits = needs is not None
        return array, constant(...), value if fits else None

    def where_told(self, node: gast.Call, array: gast.AST, mask: gast.AST, environment: dict
                   ) -> tuple[Any, gast.AST, Any]:
        """A ufunc that leaves alone the elements outside a mask; the mask and the operands may be broadcast."""
        if not is_of_kind(self.passively(mask, environment), "b"):
            return array, mask, None
        mask = self.broadcast(mask, array, environment)
        chosen = [part if self.shape(part, environment) == () else gast.copy_location(subscript(
            self.broadcast(part, array, environment), mask), part) for part in node.args]
        return array, mask, gast.copy_location(gast.Call(node.func, chosen, []), node)

    def broadcast(self, part: gast.AST, array: gast.AST, environment: dict) -> gast.AST:
        """An operand in the shape of an array that the result is written into."""
        if self.fits(part, array, environment):
            return part
        shape = attribute(copy.deepcopy(array), "shape")
        return self.by_numpy("broadcast_to", part, part, shape) or gast.copy_location(call(
            self.given(np.broadcast_to), part, shape), part)

    def fits(self, value: gast.AST, array: gast.AST, environment: dict) -> bool:
        """Whether an array can only be put into another that has its shape, for nothing of it would be repeated."""
        given, whole = self.shape(value, environment), self.shape(array, environment)
        return given is not None and whole is not None and len(given) == len(whole) and all(
            not_one(dim) or dim is not None and dim == other for dim, other in zip(given, whole))

    def shape(self, node: gast.AST, environment: dict) -> Any:
        value = self.passively(node, environment)
        return value.shape if isinstance(value, Numeric) else None

    def by_numpy(self, label: str, place: gast.AST, *arguments: gast.AST, **keywords: gast.AST) -> gast.AST | None:
        """A call of a function of NumPy, where the function calls the module ``np`` or ``numpy``."""
        for module in ("np", "numpy"):
            if module not in self.local and known_value(self.captured(module).value) is np:
                new = call(attribute(name(module), label), *arguments, **keywords)
                for part in (new, new.func, new.func.value):
                    gast.copy_location(part, place)
                return new
        return None

    def put(self, array: gast.AST, index: gast.AST, value: gast.AST, environment: dict) -> tuple[gast.AST, Any]:
        """``np.put`` of a vector, of as many values as places: it would repeat, or leave out, others; to it flags are
        the places 0 and 1, which would select as an index."""
        whole = self.shape(array, environment)
        places, stored = ((len(part.elts),) if isinstance(part, gast.List) else self.shape(part, environment)
                          for part in (index, value))
        fits = whole is not None and len(whole) == 1 and (stored == () or stored is not None and stored == places
                                                          and None not in stored)
        return index, value if fits and is_of_kind(self.passively(index, environment), "iu") else None

    def diagonal(self, node: gast.AST, array: gast.AST, value: gast.AST, environment: dict
                 ) -> tuple[gast.AST, gast.AST, Any]:
        """``np.fill_diagonal`` of a matrix: with one number, as many as a square one takes, or another number of them,
        which are repeated until there are enough."""
        whole, stored = self.shape(array, environment), self.shape(value, environment)
        if whole is None or len(whole) != 2 or stored is None or self.by_numpy("diagonal", node, array) is None:
            return array, constant(...), None
        if whole[0] is not None and whole[0] == whole[1] and stored in ((), whole[:1]):
            places = [self.by_numpy("arange", node, subscript(attribute(array, "shape"), constant(0))) for _ in "ij"]
            return array, tuple_of(places), value
        if stored != ():
            if any(isinstance(part, gast.Call) for part in walk(value)):  # it is written out several times
                return array, constant(...), None

            def count() -> Any:
                """How many are taken: none of no values."""
                diagonal, size = self.by_numpy("diagonal", node, array), self.by_numpy(
                    "size", node, copy.deepcopy(value))
                return gast.copy_location(gast.BinOp(subscript(attribute(diagonal, "shape"), constant(0)), gast.Mult(),
                                                     self.by_numpy("sign", node, size)), node)

            places = [self.by_numpy("arange", node, count()) for _ in "ij"]
            return array, tuple_of(places), self.by_numpy("resize", node, value, count())
        columns = subscript(attribute(array, "shape"), constant(1))
        steps = gast.Slice(None, gast.BinOp(columns, gast.Mult(), columns), gast.BinOp(
            columns, gast.Add(), constant(1)))
        return gast.copy_location(attribute(array, "flat"), node), steps, value

    def along_axis(self, node: gast.Call, environment: dict) -> tuple[gast.AST, Any]:
        """``np.put_along_axis`` of a vector or a matrix, along an axis that is known."""
        array, index, value = node.args[:3]
        keywords = {item.arg: item.value for item in node.keywords}
        axis_node = node.args[3] if len(node.args) > 3 else keywords.get("axis")
        axis = known_value(self.passively(axis_node, environment)) if axis_node is not None else None
        whole = self.shape(array, environment)
        if whole is None or type(axis) is not int or len(whole) > 2 or not -len(whole) <= axis < len(whole):
            return constant(...), None
        if len(whole) == 1:
            return index, value
        other = 1 - axis % 2
        counted = self.by_numpy("arange", node, subscript(attribute(array, "shape"), constant(other)))
        if counted is None:
            return constant(...), None
        if other == 0:
            rows = subscript(counted, tuple_of([gast.Slice(None, None, None), constant(None)]))
            return tuple_of([rows, index]), value
        return tuple_of([index, counted]), value


def without_out(node: gast.Call) -> gast.Call:
    """The call whose result goes into the array that is given as ``out=``."""
    return gast.copy_location(gast.Call(node.func, node.args, [
        item for item in node.keywords if item.arg != "out"]), node)


def is_of(value: Abstract, kinds: str) -> bool:
    return isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind in kinds


def is_of_kind(value: Abstract, kinds: str) -> bool:
    """Whether a value is a number of such a kind, an array or a list of them."""
    if isinstance(value, Items):
        return all(is_of_kind(item, kinds) for item in (value.items if value.items is not None else (value.element,)))
    return is_of(value, kinds)
