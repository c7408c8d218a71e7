"""``collections.deque``: what changes one, as statements of the kinds that change lists.

To all analyses a deque is a list, with a kind for each ``maxlen``; whoever runs the code has the deque itself. What
goes in at the left is an ``Append`` with a place, what comes out there a ``pop``; what a deque that is full drops is
taken out before, by a statement of its own, so that its cotangent ends there. All else is made of these.
"""
from __future__ import annotations

import copy
from typing import Any

import gast

from s2sgrad.compiler.nodes import attribute, call, constant, located_at, name, names_in, root_of, subscript
from s2sgrad.compiler.program import Append, Assign, Branch, Evaluate, Loop
from s2sgrad.compiler.slices_of_lists import SlicesOfLists
from s2sgrad.compiler.structures import limit_of
from s2sgrad.rules.abstract import Abstract, Items


class Deques(SlicesOfLists):
    def may_drop(self, statement: Append, held: Items) -> bool:
        """Whether what goes into a deque may push something out of it; ``insert`` raises an error there."""
        return held.is_deque and limit_of(held) is not None and statement.place is None and not statement.fits

    def with_room(self, statement: Append, held: Items) -> list:
        """``q.append(value)``, with room made for it."""
        return self.put_in(statement, statement.target, statement.value, limit_of(held), False)

    def put_in(self, statement: Any, target: gast.AST, value: gast.AST, limit: int | None, at_left: bool) -> list:
        """The statements that put a value into a deque of this ``maxlen``. It is evaluated before anything is dropped.
        """
        first: list = []
        if limit is not None and not isinstance(value, (gast.Name, gast.Constant)):
            label = self.temporary((statement, "item"), "item")
            first, value = [Assign(label, value, statement.location)], located_at(name(label), value)
        if limit == 0:
            return first
        if limit is not None:
            full = gast.Compare(call(self.given(len), copy.deepcopy(target)), [gast.Eq()], [constant(limit)])
            first.append(Branch(located_at(full, target), (self.drop(statement, target, not at_left),), (),
                                statement.location))
        place = located_at(constant(0), target) if at_left else None
        return [*first, Append(target, value, statement.location, place, True)]

    def drop(self, statement: Any, target: gast.AST, at_left: bool) -> Evaluate:
        return Evaluate(taken(target, at_left), statement.location, (root_of(target).id,))

    def without_item(self, statement: Any, target: gast.AST, index: Any) -> list:
        """``del q[index]``: at an end, or turned around until it is there."""
        place = written_number(index)  # what is known otherwise may be another number in a later turn
        if place in (0, -1):
            return [self.drop(statement, target, place == 0)]
        label, count = self.temporary((statement, "place"), "place"), call(self.given(len), copy.deepcopy(target))
        number = subscript(call(self.given(range), count), index)
        turn, back = (located_at(call(attribute(copy.deepcopy(target), "rotate"), steps), target)
                      for steps in (gast.UnaryOp(gast.USub(), name(label)), name(label)))
        writes = (root_of(target).id,)
        return [Assign(label, located_at(number, target), statement.location),
                Evaluate(turn, statement.location, writes), self.drop(statement, target, True),
                Evaluate(back, statement.location, writes)]

    def refuse_itself(self, label: str, items: gast.AST, held: Abstract) -> None:
        made_first = isinstance(items, (gast.List, gast.Tuple, gast.ListComp))
        if isinstance(held, Items) and held.is_deque and not made_first and label in names_in(items):
            raise self.refusal(f"what goes into {label} here is made of {label} itself",
                               "make a list of it on a line before", items)

    # ---- methods

    def deque_popleft(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if node.args or node.keywords:
            return None
        return self.taken_from(statement, node, held, 0, environment)

    def deque_pop(self, statement: Assign | Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if node.args or node.keywords:
            return None
        return self.taken_from(statement, node, held, -1, environment)

    def deque_appendleft(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if len(node.args) != 1 or node.keywords:
            return None
        return self.expand(statement, self.put_in(
            statement, node.func.value, node.args[0], limit_of(held), True), environment)

    def deque_extendleft(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if len(node.args) != 1 or node.keywords:
            return None
        target = node.func.value
        self.refuse_itself(root_of(target).id, node.args[0], held)
        item = self.temporary((statement, "one"), "item")
        put = self.put_in(statement, target, located_at(name(item), node), limit_of(held), True)
        return self.expand(statement, [Loop(item, node.args[0], tuple(put), statement.location)], environment)

    def deque_remove(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        """Of a deque that holds nothing differentiated: which of its items equals another does not depend on it."""
        if held.active or len(node.args) != 1 or node.keywords:
            return None
        place = call(attribute(copy.deepcopy(node.func.value), "index"), node.args[0])
        return self.expand(statement, self.without_item(statement, node.func.value, located_at(place, node)),
                           environment)

    def deque_rotate(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        """``q.appendleft(q.pop())``, so many times."""
        if len(node.args) > 1 or node.keywords:
            return None
        steps = node.args[0] if node.args else located_at(constant(1), node)
        target, known = node.func.value, written_number(steps)
        if known in (1, -1):
            return self.expand(statement, [Branch(target, tuple(self.turned(statement, target, known == 1)), (),
                                                  statement.location)], environment)
        first: list = []
        if not isinstance(steps, (gast.Name, gast.Constant)):
            label = self.temporary((statement, "steps"), "steps")
            first, steps = [Assign(label, steps, statement.location)], located_at(name(label), steps)
        count = gast.BinOp(steps, gast.Mod(), call(self.given(len), copy.deepcopy(target)))
        turns = Loop(self.temporary((statement, "turn"), "turn"), located_at(call(self.given(range), count), node),
                     tuple(self.turned(statement, target, True)), statement.location)
        return self.expand(statement, [*first, Branch(target, (turns,), (), statement.location)], environment)

    def turned(self, statement: Any, target: gast.AST, to_left: bool) -> list:
        """What is at one end of a deque comes to the other."""
        label = self.temporary((statement, "end"), "item")
        place = located_at(constant(0), target) if to_left else None
        return [Assign(label, taken(target, not to_left), statement.location, (root_of(target).id,)),
                Append(target, located_at(name(label), target), statement.location, place, True)]

    def deque_reverse(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        """What is last goes to the places from the left, in turn."""
        if node.args or node.keywords:
            return None
        target, place = node.func.value, self.temporary((statement, "place"), "place")
        last, put = self.turned(statement, target, False)
        last = Assign(last.target, taken(target, False), last.location, last.writes)
        put = Append(target, put.value, put.location, located_at(name(place), target), True)
        return self.expand(statement, [self.each_place(statement, target, place, (last, put))], environment)

    def deque_clear(self, statement: Evaluate, node: Any, held: Items, environment: dict) -> dict | None:
        if node.args or node.keywords:
            return None
        target, drop = node.func.value, self.drop(statement, node.func.value, False)
        place = self.temporary((statement, "place"), "place")
        return self.expand(statement, [self.each_place(statement, target, place, (drop,))], environment)

    def each_place(self, statement: Any, target: gast.AST, place: str, body: tuple) -> Loop:
        numbers = call(self.given(range), call(self.given(len), copy.deepcopy(target)))
        return Loop(place, located_at(numbers, target), body, statement.location)


def written_number(node: Any) -> Any:
    """The integer that an expression is written as; None of any other."""
    negative = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)
    value = getattr(node.operand if negative else node, "value", None)
    return None if type(value) is not int else -value if negative else value


def taken(target: gast.AST, at_left: bool) -> Any:
    """``q.popleft()`` or ``q.pop()``."""
    return located_at(call(attribute(copy.deepcopy(target), "popleft" if at_left else "pop")), target)
