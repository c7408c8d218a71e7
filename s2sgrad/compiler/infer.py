"""Program x abstract arguments -> Facts: abstract values, activity, versions of names, rules that apply.

An abstract interpretation: each statement is run once on what is known of its operands, loops to a fixpoint. Activity
is part of the abstract value. Expressions are evaluated in ``evaluate.py`` and ``calls.py``.
"""
from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.changes import called_alone
from s2sgrad.compiler.counts import count_given
from s2sgrad.compiler.effects import functions_in, has_effect
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.facts import Called, Facts, Version
from s2sgrad.compiler.handed_back import without_what_is_given_back
from s2sgrad.compiler.inferred_loops import Loops
from s2sgrad.compiler.late import late_stores
from s2sgrad.compiler.layouts import layout
from s2sgrad.compiler.nodes import names_in, root, walk
from s2sgrad.compiler.program import Assign, Branch, Declare, Evaluate, Leave, Pattern, Rest, Verbatim, written_name
from s2sgrad.compiler.respell import can_be_spelled
from s2sgrad.compiler.scopes import read_names
from s2sgrad.rules.abstract import MISSING, NEVER, Abstract, Items, Known, Numeric, join


def is_method(node: gast.AST) -> bool:
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)


class Infer(Loops):
    """One run of the analysis."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.analysed: dict[Assign, tuple[list[tuple[gast.Name, Abstract, Abstract | None]], Version]] = {}
        """Assignments in loops, with the values that they read and what they bind."""
        self.spells_out = bool(self.places)
        """Whether statements are written with the places and views that names or attributes in them stand for."""

    def run(self) -> Facts:
        self.facts.result = NEVER
        end = self.block(self.program.body, dict(self.facts.parameters))
        if end is not None:  # falls off the end: returns None
            self.facts.result = join(self.facts.result, Known(None))
            self.leaves_with(end)
        for refusal in self.without_value.values():
            raise refusal
        self.told_at_the_start()
        self.check_kept_views()
        if not self.facts.turns and not self.facts.written_out:  # else what was looked at is not in the program yet
            versions = [self.facts.before[statement][written_name(statement)] for statement in self.facts.backs]
            views = {version.view for version in versions if version.view is not None}
            self.facts.respelled.update(can_be_spelled(views, self.program, self.facts) if views else {})
        return self.facts

    def told_at_the_start(self) -> None:
        """What has an attribute at some ends of the function only, and not at its start, is told there to lack it."""
        stores = [store for label, ends in self.facts.ends.items() if len(ends) > 1 for store in late_stores(
            {label: self.facts.parameters[label]}, [{label: end} for end in ends], self.program.location)]
        if stores:
            first = self.program.body[0]
            self.facts.written_out[first] = [*stores, *self.facts.written_out.get(first, [first])]

    def leaves_with(self, environment: dict) -> None:
        """No function leaves with what another left that always raises."""
        for name in self.facts.parameters:
            if name in environment and environment[name].value is not NEVER:
                self.facts.ends.setdefault(name, {})[environment[name]] = None

    def join_environments(self, environments: list[dict | None]) -> dict | None:
        reached = [environment for environment in environments if environment is not None]
        if len(reached) < 2:
            return reached[0] if reached else None
        result = {}
        for name in dict.fromkeys(itertools.chain(*reached)):
            found = dict.fromkeys([environment.get(name) for environment in reached])
            versions = [version for version in found if version is not None]
            unbound = len(versions) < len(found) or any(version.unbound for version in versions)
            if len(versions) == 1 and unbound == versions[0].unbound:
                result[name] = versions[0]
                continue
            value = versions[0].value
            for version in versions[1:]:
                value = join(value, version.value)
            result[name] = self.version(name, value, "joined", tuple(versions), unbound=unbound)
        return result

    def block(self, statements: tuple, environment: dict | None) -> dict | None:
        for statement in statements:
            if environment is None:
                return None
            self.location = statement.location
            self.facts.before[statement] = environment
            self.facts.written_out.pop(statement, None)  # of an earlier turn of a loop around it
            spelled = self.spelled_out(statement, environment) if self.spells_out else None
            if spelled is not None:
                others = spelled if isinstance(spelled, list) else [spelled]
                environment = self.expand(statement, others, environment, True)
                del self.expanded[statement]  # in a later turn it may stand for something else
                continue
            again = self.as_before(statement, environment) if statement in self.analysed else None
            if again is not None:
                environment = again
                continue
            try:
                environment = getattr(self, f"do_{type(statement).__name__}")(statement, environment)
            except NeedsName as need:
                environment = self.named_before(statement, need, environment)
        return environment

    def do_Assign(self, statement: Assign, environment: dict) -> dict | None:
        if isinstance(statement.value, gast.GeneratorExp) and isinstance(statement.target, str) \
                and not self.local.isdisjoint(read_names(statement.value)):
            raise self.refusal("a generator expression reads its names only when it is run through",
                               "write a list, [...] instead of (...); for next(), iter([...])", statement.value)
        first = self.next_value(statement, environment)
        if first is None and self.is_itself(statement, environment):
            first = []
        if first is None:
            first = self.checked_copy(statement, environment)
        if first is not None:
            return self.expand(statement, first, environment)
        changed = self.container_call(statement, environment) if statement.writes and is_method(
            statement.value) else None
        if changed is not None:
            return changed
        if not isinstance(statement.target, str) or statement.target in self.program.collected:
            self.facts.consumed.add(id(statement.value))
        if statement.target in self.program.collected:  # whoever asked for it was looked at before
            self.run_to_the_end(statement.value)
        value = self.whole(statement.value, environment)
        if value is NEVER and self.program.is_generated and id(statement.value) in self.facts.callees:
            return None  # a recursion of which no end has been met yet
        called = self.facts.call_of(statement.value)
        if called is not None:
            plain = without_what_is_given_back(statement, called, self.program, self.facts, self.temporary)
            if plain is not None:
                return self.expand(statement, plain, environment)
            environment = self.after_call(statement, called, environment)
        over = self.iterated(statement.value, value) if isinstance(statement.target, tuple) else None
        if over is not None:
            return self.expand(statement, [replace(statement, value=over)], environment)
        pieces = self.pieces_of(statement, statement.target, environment) if self.places and isinstance(
            statement.target, tuple) else None
        if pieces is not None:
            return self.expand(statement, pieces, environment)
        indices = self.computed_indices_of(statement) if self.places else []
        if indices:
            return self.expand(statement, self.named_in_turn(statement, "value", indices, []), environment)
        if self.has_open_rest(statement.target, value):
            return self.without_rest(statement, environment)
        after = self.bind(statement, statement.target, value, statement.value, environment)
        if self.loops and type(value) is Numeric and isinstance(statement.target, str):
            self.note_analysed(statement, environment, after)
        return after

    def is_itself(self, statement: Assign, environment: dict) -> bool:
        """Whether a name is bound to what it stands for, by a ternary of which is known what it takes:
        ``out = np.zeros(n) if out is None else out``."""
        node = statement.value
        if not isinstance(node, gast.IfExp) or statement.target not in names_in(node):
            return False
        self.passively(node, environment)
        taken = self.facts.decided(node)
        return isinstance(taken, gast.Name) and taken.id == statement.target and not has_effect(node.test, self.facts)

    def note_analysed(self, statement: Assign, environment: dict, after: dict) -> None:
        """Note what an assignment of a number or an array that computes with nothing else was analysed with: at the
        next turn of the loop it need not be again if that is the same."""
        inside = walk(statement.value)
        read = [part for part in inside if type(part) is gast.Name and part.id in environment]
        made = after[statement.target]
        if made.view is None and not statement.writes and not (
                self.facts.calls and any(id(part) in self.facts.calls for part in inside)) and all(
                type(environment[part.id].value) in (Numeric, Known) for part in read):
            self.analysed[statement] = [(part, environment[part.id].value, self.facts.values.get(id(part)))
                                        for part in read], made

    def as_before(self, statement: Any, environment: dict) -> dict | None:
        """What is known after an assignment that was analysed before with the same; None if it was not the same."""
        read, made = self.analysed.pop(statement)
        for node, value, noted in read:
            if node.id not in environment or self.of_Name(node, environment) != value or self.facts.values.get(
                    id(node)) is not noted:  # a look ahead, from before a loop, may have found another
                return None
        self.analysed[statement] = read, made
        if not made.value.is_number:
            made.layout = layout(statement.value, self.facts, environment)
        return {**environment, made.name: made}

    def whole(self, node: gast.AST, environment: dict) -> Abstract:
        """The value of an expression that a statement consists of."""
        self.whole_call = node
        value = self.evaluate(node, environment)
        self.whole_call = None
        return value

    def after_call(self, statement: Any, called: Called, environment: dict) -> dict:
        """The arrays that a call writes into: their names stand for other versions from here on."""
        for parameter, label in called.written.items():
            old = environment.get(label)
            if old is None:
                continue
            facts = called.derivative.facts
            value: Abstract = self.given_by(
                statement.value, facts.end(parameter), [version.value for version in facts.parameters.values()]) \
                if parameter in facts.stored else replace(
                    old.value, active=any(version.value.active for version in facts.ends.get(parameter, ())))
            kept = [found for found in functions_in(value) if found not in functions_in(old.value)]
            if kept:  # what they read is the callee's
                self.let_outlive(kept, "this call keeps a function that reads names from around it")
            version = self.keeps_view(old, self.version(label, value, "bound", (old,)))
            version.places = facts.stored.get(parameter)
            self.facts.in_place[statement, label] = (old, version)
            self.facts.defined[statement, label] = version
            environment = {**environment, label: version}
        return environment

    def bind(self, statement: Any, pattern: Pattern, value: Abstract, node: gast.AST | None, environment: dict,
             before: dict | None = None) -> dict:
        """``before``: the environment that the value was evaluated in, if some of its parts have been bound since."""
        before = environment if before is None else before
        if isinstance(pattern, str):
            version = self.version(pattern, value, "bound")
            if isinstance(value, Numeric) and not value.is_number:
                version.view = self.view(node, before)
                version.layout = layout(node, self.facts, before) if node is not None else None
            elif isinstance(value, Items) and value.items is None and not isinstance(node, gast.Name):
                version.count = count_given(node, self.facts, before)
            if self.places and node is not None and version.view is None:
                self.note_part(version, node, before)
            if self.places and node is not None and isinstance(value, Items) and not isinstance(node, gast.Name):
                self.note_held(version, node, before)
            self.facts.defined[statement, pattern] = version
            return {**environment, pattern: version}
        if isinstance(pattern, Rest):
            return self.bind(statement, pattern.name, value, None, environment)
        if any(isinstance(part, Rest) for part in pattern):
            value = self.with_rest(statement, pattern, value)
        parts = node.elts if isinstance(node, (gast.Tuple, gast.List)) and len(node.elts) == len(pattern) \
            else self.rows_of(node, value, len(pattern), before) or self.parts_of(node, value)
        for index, part in enumerate(pattern):
            item = self.element(value, index, pattern)
            environment = self.bind(statement, part, item, parts[index] if parts else None, environment, before)
        return environment

    def do_Evaluate(self, statement: Evaluate, environment: dict) -> dict:
        node = statement.value
        named = self.set_by_name(statement, environment)
        if named is None:
            named = self.put_under_key(statement, environment)
        if named is not None:
            return named
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "extend":
            named = self.with_place_named(statement, node.func.value, environment, "value")
            if named is None:
                named = self.in_attribute(statement, node.func.value, environment, "value")
            if named is None and isinstance(node.func.value, gast.Subscript) and root(node.func.value) in environment \
                    and isinstance(self.evaluate(node.func.value, environment), Items):
                named = self.through_a_name(statement, node.func.value, environment, "value")
            if named is not None:
                return named
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "extend" \
                and isinstance(node.func.value, gast.Name) and self.is_list(node.func.value.id, environment) \
                and len(node.args) == 1 and not node.keywords:
            return self.extend(statement, node.func.value.id, node.args[0], environment)
        self.facts.stores.pop(statement, None)
        changed = self.container_call(statement, environment) if statement.writes else None
        if changed is None and isinstance(node, gast.Call):
            changed = self.items_added(statement, environment) or self.shuffled_list(statement, environment)
        if changed is not None:
            return changed
        store = self.as_store(node, statement.location, environment) if isinstance(node, gast.Call) else None
        if store is not None:
            self.facts.made.append(store.target)
            self.facts.stores[statement] = store
            self.facts.before[store] = environment
            return self.do_Store(store, environment)
        if isinstance(node, gast.Call) and self.shuffles(node, environment):
            raise self.refusal("what is shuffled here is not known to be a list or an array of this function's own",
                               "shuffle the numbers of its items, places = list(range(n))", node)
        return super().do_Evaluate(statement, environment)

    def do_Verbatim(self, statement: Verbatim, environment: dict) -> dict:
        node = statement.node
        if isinstance(node, gast.Assert):
            self.refuse_hidden_writes(node, environment)
            with self.outer_names_read():
                self.test(node.test, environment)
                if node.msg is not None:
                    self.calmly(node.msg, self.passively(node.msg, environment), objects.TEXT)
        target = node.targets[0] if isinstance(node, (gast.Assign, gast.Delete)) else getattr(node, "target", None)
        if isinstance(node, gast.Expr) or isinstance(target, (gast.Subscript, gast.Attribute)):
            self.check_record(statement, environment)
        elif isinstance(node, (gast.Assign, gast.AugAssign)):  # of an outer variable
            with self.outer_names_read():
                value = self.evaluate(node.value, environment)
            self.note_bound(statement, target, value, environment)
        return environment

    def do_Declare(self, statement: Declare, environment: dict) -> dict:
        return environment

    def do_Leave(self, statement: Leave, environment: dict) -> None:
        if statement.kind == "return" and self.gives_nothing(statement.value, environment):
            alone = called_alone(statement.value, statement.location)
            self.instead_of(statement, [alone, Leave("return", None, statement.location)], environment)
        elif statement.kind == "return":
            value = Known(None) if statement.value is None else self.whole(statement.value, environment)
            called = self.facts.call_of(statement.value)
            if called is not None and called.written:  # what it writes belongs to the end, whatever it returns
                self.on_two_lines(statement, "value", environment)
                return
            if functions_in(value):
                self.let_outlive(functions_in(value))
            self.facts.result = join(self.facts.result, value)
            self.leaves_with(environment)
        elif statement.kind == "raise":
            for part in (statement.value, statement.cause):
                if part is not None:
                    self.passively(part, environment)
        elif statement.kind == "break":
            self.breaks[-1].append(environment)
        else:
            self.continues[-1].append(environment)

    def do_Branch(self, statement: Branch, environment: dict) -> dict | None:
        with self.outer_names_read():
            test = self.test(statement.test, environment)
        if test is not MISSING and not isinstance(test, np.ndarray):
            self.facts.taken[statement] = bool(test)
            return self.block(statement.then if test else statement.orelse, environment)
        self.facts.taken.pop(statement, None)  # known on the first turn of a loop only
        self.note_new_key(statement)
        then = self.block(statement.then, environment)
        orelse = self.block(statement.orelse, environment)
        late = late_stores(environment, [then, orelse], statement.location)
        if late:
            return self.expand(statement, [*late, replace(statement)], environment, True)
        result = self.join_environments([then, orelse])
        if result is not None:
            self.facts.after[statement] = result
        return result

