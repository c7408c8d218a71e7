"""``(y := value)``, ``xs.pop()`` and ``np.add(a, b, out=u)`` taken out of an expression: a statement before its own, in
the order of evaluation.

What Python evaluates before them, and what would notice to be evaluated after it, gets a name and goes before it
too. Where it decides whether they are evaluated at all, it becomes a branch; a comprehension with one in it becomes a
loop.
"""
from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.nodes import (
    attribute,
    call,
    change,
    constant,
    holder,
    located_at,
    name,
    names_in,
    ordered_children,
    rebuilt,
    root,
)
from s2sgrad.compiler.order import IN_ORDER
from s2sgrad.compiler.outputs import output
from s2sgrad.compiler.program import Assign, Branch, Evaluate
from s2sgrad.errors import Location

RUN_TO_THE_END = (list, tuple, deque, sum, min, max, sorted)
"""What takes all that a generator expression gives before it does anything that the expression could notice."""
KINDS = {**dict.fromkeys(("ListComp", "SetComp", "DictComp", "GeneratorExp"), "comprehension"),
         "JoinedStr": "formatted string"}


def walruses(node: Any) -> list[gast.NamedExpr]:
    """Those of an expression; a lambda's are its own."""
    found: list = []
    pending = [node]
    while pending:
        inner = pending.pop()
        if isinstance(inner, gast.NamedExpr):
            found.append(inner)
        if not isinstance(inner, gast.Lambda):
            pending.extend(gast.iter_child_nodes(inner))
    return found


def pops(node: Any) -> list[gast.Call]:
    """The calls of ``pop`` in an expression that can be taken out of it."""
    return within(node, lambda inner: popped(inner) is not None)


def within(node: Any, wanted: Callable[[Any], bool]) -> list:
    """The parts of an expression of some kind that can be taken out of it."""
    found: list = []
    pending = [node]
    while pending:
        inner = pending.pop()
        if wanted(inner):
            found.append(inner)
        if isinstance(inner, (*IN_ORDER, gast.Compare, gast.IfExp, gast.BoolOp, gast.NamedExpr)):
            pending.extend(gast.iter_child_nodes(inner))
    return found


def popped(node: Any) -> str | None:
    """The name of what a call of ``pop`` or ``popleft`` takes something out of; None for everything else."""
    is_pop = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in (
        "pop", "popleft")
    return holder(node.func.value) if is_pop else None


def bound_in(node: Any, outputs: set[int]) -> set[str]:
    """What changes where an expression is evaluated: the names that it binds, and, in the form of their syntax, the
    containers that it takes something out of and the arrays that it (``outputs``: the calls that do) writes into."""
    return {walrus.target.id for walrus in walruses(node)} | {gast.dump(call.func.value) for call in pops(node)} | {
        f"{gast.dump(output(call))} = ..." for call in within(node, lambda part: id(part) in outputs)}


class TakenOut:
    """One expression without its walruses, pops and ``outputs``, calls that write into an array: ``before`` are the
    statements that go before its own."""

    def __init__(self, local: set[str], fresh: Callable[[str], str], refusal: Callable[..., Exception],
                 location: Location, outputs: set[int], parsed: Callable[[list], tuple], meaning: Callable[[Any], Any]):
        self.outputs = outputs
        self.parsed = parsed
        self.meaning = meaning
        self.local = local
        self.fresh = fresh
        self.refusal = refusal
        self.location = location
        self.before: list = []

    def bound_in(self, node: gast.AST) -> set[str]:
        return bound_in(node, self.outputs)

    def expression(self, node: gast.AST) -> gast.AST:
        if not self.bound_in(node):
            return node
        if id(node) in self.outputs:
            return self.written(self.operands(node))
        changed = popped(node)
        if changed is not None:
            target = self.fresh("popped")
            self.assign(target, self.operands(node), (changed,) if changed in self.local else ())
            return gast.copy_location(name(target), node)
        if isinstance(node, gast.NamedExpr):
            self.assign(node.target.id, self.expression(node.value))
            return gast.copy_location(name(node.target.id), node)
        if isinstance(node, gast.IfExp):
            return self.ternary(node)
        if isinstance(node, gast.BoolOp):
            return self.boolean(node)
        if isinstance(node, gast.Compare) and any(map(self.bound_in, node.comparators[1:])):
            return self.chained(node)
        if isinstance(node, gast.ListComp):
            return self.listed(node)
        if isinstance(node, gast.Call) and len(node.args) == 1 and isinstance(node.args[0], gast.GeneratorExp):
            called = self.meaning(node.func)
            if (called is any or called is all) and len(node.args[0].generators) == 1 and not node.keywords:
                return self.decided(node.args[0], called is any)
            if any(called is known for known in RUN_TO_THE_END):
                given = node.args[0]
                return self.operands(rebuilt(node, {"args": [
                    gast.copy_location(gast.ListComp(given.elt, given.generators), given)]}))
        if not isinstance(node, (*IN_ORDER, gast.Compare, gast.Dict)):
            kind = KINDS.get(type(node).__name__, type(node).__name__.lower())
            raise self.refusal(node, f"a walrus inside a {kind} is not supported yet", "assign on a line of its own")
        return self.operands(node)

    def listed(self, node: gast.ListComp) -> gast.AST:
        """The name of the list that a loop fills."""
        target = self.fresh("items")
        put = gast.Expr(call(attribute(name(target), "append"), node.elt))
        return self.looped(node, target, gast.List([], gast.Load()), [put])

    def decided(self, node: gast.GeneratorExp, wanted: bool) -> gast.AST:
        """The name of what ``any`` (``wanted``) or ``all`` gives: a loop that ends where that is decided."""
        target = self.fresh("found")
        test = node.elt if wanted else gast.UnaryOp(gast.Not(), node.elt)
        found = gast.Assign([gast.Name(target, gast.Store(), None, None)], constant(wanted), None)
        return self.looped(node, target, constant(not wanted), [gast.If(test, [found, gast.Break()], [])])

    def looped(self, node: Any, target: str, start: gast.AST, body: list) -> gast.AST:
        """A comprehension as the loop that it is; its variables are its own, and get other names."""
        first = node.generators[0].iter
        own = {label for generator in node.generators for label in names_in(generator.target)}
        renamed = {label: self.fresh(label) for label in sorted(own)}
        for part in (*body, *(part for generator in node.generators for part in (
                generator.target, generator.iter, *generator.ifs) if part is not first)):
            for inner in gast.walk(part):
                if isinstance(inner, gast.Name):
                    inner.id = renamed.get(inner.id, inner.id)
        self.local.update(renamed.values(), [target])
        for generator in reversed(node.generators):
            for test in reversed(generator.ifs):
                body = [gast.If(test, body, [])]
            body = [gast.For(generator.target, generator.iter, body, [], None)]
        self.assign(target, start)
        self.before.extend(self.parsed([located_at(statement, node) for statement in body]))
        return gast.copy_location(name(target), node)

    def written(self, node: Any) -> gast.AST:
        """What a call gives is the array that it writes into."""
        for item in node.keywords:
            if item.arg in ("out", "where") and not isinstance(item.value, gast.Name):
                target = self.fresh({"out": "out", "where": "mask"}[item.arg])
                self.assign(target, item.value)
                item.value = gast.copy_location(name(target), item.value)
        self.before.append(Evaluate(node, self.location))
        return output(node)

    def assign(self, target: str, value: gast.AST, writes: tuple[str, ...] = ()) -> None:
        self.local.add(target)
        self.before.append(Assign(target, value, self.location, writes))

    def operands(self, node: gast.AST) -> gast.AST:
        changes: dict[str, Any] = {}
        children = ordered_children(node)
        bound = [self.bound_in(child) for _, _, child in children]
        for index, (field, place, child) in enumerate(children):
            new = self.expression(child)
            later = set().union(*bound[index + 1:])
            if later:
                new = self.settled(new, later, isinstance(node, gast.Call) and field == "func")
            if new is not child:
                change(node, field, place, new, changes)
        return rebuilt(node, changes)

    def settled(self, node: gast.AST, later: set[str], called: bool = False) -> gast.AST:
        """The expression with all that must be evaluated now under names; ``called``: it is what a call calls."""
        if isinstance(node, gast.Constant):
            return node
        if isinstance(node, gast.Name):
            if node.id not in later and (called or node.id in self.local):
                return node
        elif called and isinstance(node, gast.Subscript) and root(node) in self.local and later.isdisjoint(
                [*(gast.dump(outer) for outer in outwards(node.value)), *names_in(node)]):
            return node  # the container is the same afterwards
        elif isinstance(node, (gast.Slice, gast.Starred, gast.Attribute)) and (
                called or not isinstance(node, gast.Attribute)):
            changes: dict[str, Any] = {}
            for field, place, child in ordered_children(node):
                change(node, field, place, self.settled(child, later, called), changes)
            return rebuilt(node, changes)
        target = self.fresh("part")
        self.assign(target, node)
        return gast.copy_location(name(target), node)

    def place(self, target: Any, later: set[str]) -> Any:
        """What an in-place operator changes, with all that leads there under names: Python evaluates it first."""
        if isinstance(target, gast.Name):
            return target
        if not isinstance(target, (gast.Subscript, gast.Attribute)):
            return self.settled(target, later)
        changes: dict[str, Any] = {"value": self.place(target.value, later)}
        if isinstance(target, gast.Subscript):
            index = target.slice
            changes["slice"] = self.settled(index, later) if not isinstance(index, gast.Tuple) else rebuilt(
                index, {"elts": [self.settled(part, later) for part in index.elts]})
        return rebuilt(target, changes)

    def arm(self, node: gast.AST, target: str) -> tuple:
        """What binds a value where it is evaluated only sometimes."""
        outer, self.before = self.before, []
        self.assign(target, self.expression(node))
        arm, self.before = tuple(self.before), outer
        return arm

    def ternary(self, node: gast.IfExp) -> gast.AST:
        test = self.expression(node.test)
        if not self.bound_in(node.body) and not self.bound_in(node.orelse):
            return rebuilt(node, {"test": test})
        target = self.fresh("choice")
        self.before.append(Branch(test, self.arm(node.body, target), self.arm(node.orelse, target), self.location))
        return gast.copy_location(name(target), node)

    def boolean(self, node: gast.BoolOp) -> gast.AST:
        first = next(index for index, value in enumerate(node.values) if self.bound_in(value))
        if first == 0:
            head, rest = self.expression(node.values[0]), node.values[1:]
            if not any(map(self.bound_in, rest)):
                return rebuilt(node, {"values": [head, *rest]})
        else:
            head, rest = joined(node, node.values[:first]), node.values[first:]
        target = self.fresh("choice")
        self.assign(target, head)
        test: gast.AST = name(target)
        if isinstance(node.op, gast.Or):
            test = gast.UnaryOp(gast.Not(), test)
        self.before.append(Branch(test, self.arm(joined(node, rest), target), (), self.location))
        return gast.copy_location(name(target), node)

    def chained(self, node: gast.Compare) -> gast.AST:
        """``a < b < (c := d)``: what comes after the first comparison is evaluated only where that holds."""
        after = [set().union(*map(self.bound_in, node.comparators[place:])) for place in (0, 1)]
        left = self.settled(self.expression(node.left), after[0])
        middle = self.settled(self.expression(node.comparators[0]), after[1])
        again = gast.copy_location(gast.Name(middle.id, gast.Load(), None, None) if isinstance(middle, gast.Name)
                                   else gast.Constant(middle.value, None), middle)
        pair = [gast.copy_location(gast.Compare(left, node.ops[:1], [middle]), node),
                gast.copy_location(gast.Compare(again, node.ops[1:], node.comparators[1:]), node)]
        return self.expression(gast.copy_location(gast.BoolOp(gast.And(), pair), node))


def outwards(node: Any) -> Iterator[gast.AST]:
    """An expression, and what it is a part of."""
    yield node
    while isinstance(node, gast.Subscript):
        node = node.value
        yield node


def joined(node: gast.BoolOp, values: list) -> gast.AST:
    return values[0] if len(values) == 1 else gast.copy_location(gast.BoolOp(node.op, values), node)
