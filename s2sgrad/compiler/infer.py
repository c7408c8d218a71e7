"""Program x abstract arguments -> Facts: abstract values, activity, versions of names, rules that apply.

An abstract interpretation: each statement is run once on what is known of its operands, loops to a fixpoint. Activity
is part of the abstract value. Expressions are evaluated in ``evaluate.py`` and ``calls.py``.
"""
from __future__ import annotations

import itertools
import types
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.changes import called_alone
from s2sgrad.compiler.chosen import Chosen
from s2sgrad.compiler.effects import functions_in, has_effect
from s2sgrad.compiler.evaluation import NeedsName, plain_truth
from s2sgrad.compiler.facts import Called, Facts, Version, written_arrays
from s2sgrad.compiler.handed_back import without_what_is_given_back
from s2sgrad.compiler.late import late_stores
from s2sgrad.compiler.layouts import layout, layout_of
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Declare,
    Evaluate,
    Leave,
    Loop,
    Pattern,
    Rest,
    Store,
    Verbatim,
    assigned_names,
    attribute,
    call,
    leaves,
    located_at,
    names_in,
    rebound_names,
    root,
    root_of,
    statements,
    subscript,
    tuple_of,
    walk,
    written_name,
)
from s2sgrad.compiler.respell import can_be_spelled
from s2sgrad.compiler.scopes import read_names
from s2sgrad.compiler.telling import REASON, REMEDY, is_told
from s2sgrad.compiler.writers import is_of
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import (
    ANY,
    MISSING,
    NEVER,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    holds_names,
    is_real,
    join,
    levels,
)

MOST_DEEPER = 5
"""So often the containers that a loop makes may turn out to be nested deeper than its turns before had it."""


def deepest(environment: dict[str, Version], names: set[str]) -> int:
    """How deep containers are nested under these names."""
    return max((levels(environment[name].value) for name in names), default=0)


def is_method(node: gast.AST) -> bool:
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)


class Infer(Chosen):
    """One run of the analysis."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.analysed: dict[Assign, tuple[list[tuple[gast.Name, Abstract]], Version]] = {}
        """Assignments in loops, with the values that they read and what they bind."""
        self.spells_out = bool(self.places)
        """Whether statements are written with the places and views that names or attributes in them stand for."""

    def run(self) -> Facts:
        self.facts.result = NEVER
        end = self.block(self.program.body, dict(self.facts.parameters))
        if end is not None:  # falls off the end: returns None
            self.facts.result = join(self.facts.result, Known(None))
            self.leaves_with(end)
        self.told_at_the_start()
        self.check_named_views()
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
        for name in self.facts.parameters:
            if name in environment:
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
                               "write a list: [...] instead of (...)", statement.value)
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
            self.analysed[statement] = [(part, environment[part.id].value) for part in read], made

    def as_before(self, statement: Any, environment: dict) -> dict | None:
        """What is known after an assignment that was analysed before with the same; None if it was not the same."""
        read, made = self.analysed.pop(statement)
        for node, value in read:
            if node.id not in environment or self.of_Name(node, environment) != value:
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
                statement.value, facts.end(parameter), map(self.facts.value, filter(None, called.arguments))) \
                if parameter in facts.stored else replace(
                    old.value, active=any(version.value.active for version in facts.ends.get(parameter, ())))
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
            if self.places and node is not None and version.view is None:
                self.note_part(version, node, before)
            if self.held and node is not None and isinstance(value, Items) and not isinstance(node, gast.Name):
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

    def with_one_index(self, statement: Any, environment: dict) -> Any:
        """``m[i][j] = value``, where ``m`` is an array and ``i`` an integer, as ``m[i, j] = value``; one into another
        view (``u[1:][0]``, ``u.T[0]``) as it is."""
        self.facts.stores.pop(statement, None)
        target, indices = statement.target, []
        if self.evaluate(target.value, environment) is NEVER:
            return None
        while isinstance(target, gast.Subscript):
            parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
            indices.append((parts, [self.passively(part, environment) for part in parts]))
            target = target.value
        indices.reverse()
        array = self.facts.values[id(target)]
        last = [value for part, value in zip(*indices[-1]) if not isinstance(part, gast.Slice)]
        integers = [value for _, values in indices[:-1] for value in values] + last
        if not isinstance(target, gast.Name) or not isinstance(array, Numeric) or not all(
                isinstance(value, Numeric) and value.is_number and is_of(value, "iu") for value in integers):
            if self.view(statement.target.value, environment) is not None:
                return statement
            reshaped = self.facts.applied.get(id(statement.target.value))
            if reshaped is not None and reshaped.operation.rule.name in ("ravel", "reshape"):
                raise self.refusal("whether this is a view of the array, into which the line writes, or a copy of it "
                                   "is not known before the call", "write u = u.copy() before it, or use u.flat",
                                   statement.target)
            raise self.refusal("a write into a part of a part is not supported yet",
                               "write into an array under a name of its own, with one index: u[i, j] = ...",
                               statement.target)
        index = gast.copy_location(tuple_of([part for parts, _ in indices for part in parts]), statement.target)
        new = replace(statement, target=gast.copy_location(subscript(target, index), statement.target))
        self.facts.made.append(new.target)
        self.facts.stores[statement] = new
        self.facts.before[new] = environment
        return new

    def do_Store(self, statement: Store, environment: dict) -> dict:
        named = self.put_under_key(statement, environment)
        if named is None:
            named = self.by_method(statement, environment)
        if named is not None:
            return named
        if self.is_attribute(statement.target, environment):
            return self.set_attribute(statement, environment)
        spelled = self.spelled_index(statement.target, environment)
        if spelled is not None:
            return self.instead_of(statement, [replace(statement, target=spelled)], environment)
        named = self.in_container(statement, environment)
        if named is not None:
            return named
        held = self.evaluate(statement.target.value, environment)
        if isinstance(held, Items) and held.kind is list and isinstance(statement.target.slice, gast.Slice):
            return self.replace_slice(statement, environment)
        if not isinstance(statement.target.value, gast.Name) and not isinstance(held, Items):
            new = self.with_one_index(statement, environment)
            if new is not statement:
                return environment if new is None else self.do_Store(new, environment)
        back = self.written_back(statement, environment)
        if back is not None:
            return self.do_Store(back, self.do_Store(replace(statement, paired=written_name(back)), environment))
        value = self.evaluate(statement.value, environment)
        return self.write(statement, value, environment)

    def write(self, statement: Store | Augment, value: Abstract, environment: dict) -> dict:
        """A value goes into part of an array: its name stands for another version from here on."""
        target: Any = statement.target
        root = root_of(target)
        label = root.id
        old = environment.get(label)
        before = self.evaluate(root, environment)
        part = self.evaluate(target, environment)
        whole = self.evaluate(target.value, environment)
        new_key = isinstance(whole, Items) and whole.kind is dict  # there need be nothing under it yet
        if old is None or NEVER in (before, whole, value) or part is NEVER and not new_key:
            return environment
        if isinstance(whole, Items):
            return self.replace_item(statement, whole, part, value, environment)
        if isinstance(before, Opaque) and before.active:
            raise self.refusal(f"{label} is an array here, or something else", "start with an array, of zeros", target)
        if not isinstance(before, Numeric):
            raise self.refusal("writes into lists and other containers are not supported yet",
                               "build a new list, or use an array", target)
        if before.is_number:
            raise self.refusal(f"{label} is a number here, not an array", "make it one, with np.zeros or np.array",
                               target)
        if isinstance(statement, Store) and value.active and holds_names(value):  # NumPy makes an array of it
            made = gast.copy_location(call(self.given(np.array), statement.value), statement.value)
            return self.expand(statement, [replace(statement, value=made)], environment)
        if is_told(value) and not self.passive_context:
            raise self.refusal(REASON, REMEDY, target)
        self.check_flat_store(statement, part)
        active = before.active or value.active and not self.passive_context
        if value.active:
            written = before.dtype is None and self.program.is_generated  # a cotangent
            if not written and (before.dtype is None or before.dtype.kind not in "fc"):
                holds = "is not known to hold floats" if before.dtype is None else f"has dtype {before.dtype}"
                raise self.refusal(f"{label} {holds}: what is stored here would lose its fraction",
                                   f"make {label} with dtype=float", target)
            dropped = isinstance(statement, Store) and not is_real(value)  # in-place arithmetic raises there
            if before.mixed and before.dtype.kind == "c" and dropped and not self.program.is_generated:
                raise self.refusal(f"{label} may hold real numbers: what is stored here would lose its imaginary part",
                                   f"make {label} with dtype=complex", target)
        version = self.keeps_view(old, self.version(label, replace(before, active=active), "bound", (old,)))
        self.facts.in_place[statement] = (old, version)
        self.facts.defined[statement, label] = version
        return {**environment, label: version}

    def is_list(self, label: str, environment: dict) -> bool:
        version = environment.get(label)
        return version is not None and isinstance(version.value, Items) and version.value.kind is list

    def is_longer_list(self, statement: Augment, environment: dict) -> bool:
        """Whether this is ``d["k"] += [v]``, which makes a list longer that is in a container."""
        if not isinstance(statement.operator, gast.Add) or root(statement.target) not in environment:
            return False
        held, more = self.evaluate(statement.target, environment), self.evaluate(statement.value, environment)
        return isinstance(held, Items) and held.kind is list and isinstance(more, Items) and not more.is_object

    def lengthened(self, statement: Augment) -> Any:
        """``d["k"].append(v)`` or ``d["k"].extend(vs)`` for it."""
        place, value = statement.target, statement.value
        if isinstance(value, gast.List) and len(value.elts) == 1 and not isinstance(value.elts[0], gast.Starred):
            return Append(place, value.elts[0], statement.location)
        return Evaluate(located_at(call(attribute(place, "extend"), value), place), statement.location,
                        (root_of(place).id,))

    def extend(self, statement: Any, label: str, node: gast.AST, environment: dict) -> dict:
        """All that another has goes into a list: what is known here is enough to write it as a loop."""
        old = environment[label]
        items = self.iterate(node, environment)
        if items is NEVER or old.value is NEVER:
            return environment
        self.facts.extended[statement] = label, node
        version = self.version(label, Items(list, None, join(old.value.any_item, items)), "bound", (old,))
        self.facts.defined[statement, label] = version
        return {**environment, label: version}

    def do_Evaluate(self, statement: Evaluate, environment: dict) -> dict:
        node = statement.value
        named = self.set_by_name(statement, environment)
        if named is None:
            named = self.put_under_key(statement, environment)
        if named is not None:
            return named
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "extend":
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
            changed = self.items_added(statement, environment)
        if changed is not None:
            return changed
        store = self.as_store(node, statement.location, environment) if isinstance(node, gast.Call) else None
        if store is not None:
            self.facts.made.append(store.target)
            self.facts.stores[statement] = store
            self.facts.before[store] = environment
            return self.do_Store(store, environment)
        return super().do_Evaluate(statement, environment)

    def do_Augment(self, statement: Augment, environment: dict) -> dict | None:
        target = statement.target
        operands = {"x1": target, "x2": statement.value}
        named = None if isinstance(target, gast.Name) else self.by_method(statement, environment)
        if named is not None:
            return named
        if self.is_attribute(target, environment):
            return self.set_attribute(statement, environment)
        spelled = self.spelled_index(target, environment) if isinstance(target, gast.Subscript) else None
        if spelled is not None:
            return self.instead_of(statement, [replace(statement, target=spelled)], environment)
        if isinstance(target, gast.Subscript) and self.is_longer_list(statement, environment):
            return self.expand(statement, [self.lengthened(statement)], environment)
        named = self.in_container(statement, environment) if isinstance(target, gast.Subscript) else None
        if named is not None:
            return named
        if isinstance(target, gast.Subscript) and not isinstance(target.value, gast.Name) \
                and not isinstance(self.evaluate(target.value, environment), Items):
            new = self.with_one_index(statement, environment)
            if new is not statement:
                return environment if new is None else self.do_Augment(new, environment)
        back = self.written_back(statement, environment)
        if back is not None:
            return self.do_Store(back, self.do_Augment(replace(statement, paired=written_name(back)), environment))
        if isinstance(target, gast.Subscript) and objects.has_operator(
                self.evaluate(target, environment), type(statement.operator)):
            made = gast.copy_location(gast.BinOp(target, statement.operator, statement.value), target)
            return self.expand(statement, [Store(target, made, statement.location)], environment)
        if isinstance(target, gast.Subscript):
            return self.write(statement, self.augmented(statement, environment), environment)
        assert isinstance(target, gast.Name)
        if isinstance(statement.operator, gast.Add) and self.is_list(target.id, environment):
            if isinstance(self.evaluate(statement.value, environment), Numeric):  # an array, to which the list is added
                total = gast.copy_location(gast.BinOp(target, statement.operator, statement.value), target)
                return self.instead_of(statement, [Assign(target.id, total, statement.location)], environment)
            return self.extend(statement, target.id, statement.value, environment)
        if any(objects.has_operator(self.evaluate(part, environment), type(statement.operator))
               for part in operands.values()):
            return self.object_augment(statement, environment)
        held = environment[target.id].value if target.id in environment else None
        if isinstance(held, Items) and isinstance(statement.operator, (gast.Add, gast.BitOr)):
            merged = gast.copy_location(gast.BinOp(target, statement.operator, statement.value), target)
            if isinstance(statement.operator, gast.BitOr):  # ``params |= others``
                if self.is_seen_by_others(target, environment):
                    update = located_at(call(attribute(target, "update"), statement.value), target)
                    return self.expand(statement, [Evaluate(update, statement.location, (target.id,))], environment)
                return self.rebound(statement, target, merged, environment)
            if held.kind is tuple:  # ``seen += (x,)``
                return self.instead_of(statement, [Assign(target.id, merged, statement.location)], environment)
        value = self.augmented(statement, environment)
        old = environment.get(target.id)
        before = old.value if old is not None else ANY
        if isinstance(before, Numeric) and before.kind == "array" and isinstance(value, Numeric):
            value = replace(value, kind="array", shape=before.shape, dtype=before.dtype)  # an array keeps its shape
        version = self.version(target.id, value, "bound")
        if old is not None and not (isinstance(before, Numeric) and before.is_number):
            self.keeps_view(old, version).sources.append(old)
            self.facts.in_place[statement] = (old, version)
        self.facts.defined[statement, target.id] = version
        return {**environment, target.id: version}

    def object_augment(self, statement: Augment, environment: dict) -> dict | None:
        """``v += w`` of objects, as the assignment that it is: of a sum, or of what ``__iadd__`` gives."""
        target: Any = statement.target
        value = self.facts.value(target)
        made: gast.AST = gast.BinOp(target, statement.operator, statement.value)
        in_place = isinstance(value, Items) and objects.updates_in_place(value.kind, type(statement.operator))
        if in_place:
            label = f"__i{objects.OPERATORS[type(statement.operator)]}__"
            method = objects.found_in(value.kind, label)
            self.outer(label, value.kind)
            if not isinstance(method, types.FunctionType) or not value.is_object:
                raise self.unknown_operator(target, value.kind)
            made = call(self.given(method), target, statement.value)
        new = Assign(target.id, gast.copy_location(made, target), statement.location)
        self.facts.made.append(made)
        self.facts.stores[statement] = new
        self.facts.before[new] = environment
        after = self.do_Assign(new, environment)
        if after is None:
            return None
        given = after[target.id].value
        if in_place and not isinstance(given, Items) and given is not NEVER:  # it may be NotImplemented
            raise self.unknown_operator(target, value.kind)
        return after

    def unknown_operator(self, target: gast.Name, kind: type) -> Exception:
        return self.refusal(f"what this operator does with a {kind.__name__} is not known",
                            f"write {target.id} = {target.id} ...", target)

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
            if value.active:
                raise self.refusal("a differentiated value is assigned to an outer variable, which is a hidden result",
                                   "return the value instead", node)
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

    def do_Loop(self, statement: Loop, environment: dict) -> dict | None:
        for table in (self.facts.rows, self.facts.turns):  # of an earlier turn of a loop around this one
            table.pop(statement, None)
        rows = self.rows(statement, environment)
        if rows is not None:
            self.facts.rows[statement] = rows
        in_place = self.in_place_of_yield(statement, environment)
        if in_place is not None:
            return self.expand(statement, in_place, environment)
        asked = self.asking_object(statement, environment)
        if asked is not None:
            return self.expand(statement, asked, environment)
        linked = self.along_links(statement, environment)
        if linked is not None:
            return self.expand(statement, linked, environment, True)
        by_names = self.by_names(statement, environment)
        copied = self.over_a_copy(statement, environment)
        try:
            if by_names is not None:
                return self.all_turns_done(statement, environment, self.expand(
                    statement, by_names, environment, True))
        except UnsupportedError:
            if copied is None:
                raise
        if copied is not None:
            return self.expand(statement, copied, environment, True)
        by_keys = self.by_keys(statement, environment)
        if by_keys is not None:
            return self.expand(statement, by_keys, environment, True)
        by_numbers = self.by_numbers(statement, environment)
        if by_numbers is not None:
            return self.expand(statement, by_numbers, environment, True)
        items = self.written_out_turns(statement, environment)
        if items is not None:
            self.facts.turns[statement] = items
            reached: dict | None = environment
            for item in items:
                if reached is not None:
                    value = self.evaluate(item, reached)
                    reached = self.block(statement.body, self.bind(statement, statement.target, value, item, reached))
            return reached
        changing = assigned_names(statement.body)
        if statement.target is not None:
            changing |= assigned_names((Assign(statement.target, statement.iterable, statement.location),))
        outer_loops = list(self.loops)
        self.loops.append(statement)
        head = dict(environment)
        for name in sorted(changing):
            head[name] = self.at_start(name, environment)
        settled = False
        depths = [deepest(head, changing)]
        for _ in range(20):
            if len(depths) > MOST_DEEPER:
                raise self.ever_deeper()
            self.breaks.append([])
            self.continues.append([])
            self.facts.heads[statement] = head
            turn = head
            self.location = statement.location
            if statement.target is None:
                with self.outer_names_read():
                    self.test(statement.iterable, turn)
            else:
                self.loops = outer_loops
                if leaves(statement.body).isdisjoint(("break", "return")) and not any(
                        isinstance(part, Leave) and part.kind == "raise" for part in statements(statement.body)):
                    self.run_to_the_end(statement.iterable)
                sequence = self.iterate(statement.iterable, {**environment, **written_arrays(statement, head)})
                self.loops = [*outer_loops, statement]
                turn = self.bind(statement, statement.target, self.one_of(sequence, id(statement)), None, turn)
            end = self.block(statement.body, turn)
            continued, broken = self.continues.pop(), self.breaks.pop()
            late = late_stores(environment, [head, *continued, end, *broken], statement.location)
            if late:
                self.loops = outer_loops
                return self.expand(statement, [*late, replace(statement)], environment, True)
            end = self.join_environments([*continued, end])
            self.facts.turn_ends[statement] = end
            found = self.changed_besides(environment, end, head) - changing
            for name in sorted(found):
                head[name] = self.at_start(name, environment)
            changing |= found
            if end is None or not self.widen(head, end, changing) and not found:
                # names may have been spelled out that stand for something else in a later turn
                if settled or not self.has_respelled(statement.body):
                    break
                settled = True
            depth = deepest(head, changing)
            depths += [depth] * (depth > depths[-1])
        else:
            raise self.ever_deeper()
        self.loops = outer_loops
        for name in changing:  # what earlier rounds met at the end of a turn is of no meaning any more
            head[name].sources[:] = [each[name] for each in (environment, end or {})
                                     if each.get(name, head[name]) is not head[name]]
        if statement.target is not None:
            self.check_grown(statement, environment, head)
            self.check_turns(statement, environment)
            self.check_iterators(statement, environment)
            self.check_views(statement, environment, changing)
        done = dict(head)
        for name in changing:  # what a name is after the loop belongs to the block that the loop stands in
            version = head[name]
            done[name] = self.version(name, version.value, "joined", (version,), unbound=version.unbound)
        always = statement.target is None and plain_truth(self.facts.value(statement.iterable))
        finished = None if always is not MISSING and always not in (None, False, 0) else done
        result = self.join_environments([finished, *broken])
        if result is not None:
            result = {name: self.outside(version, statement) for name, version in result.items()}
            self.facts.after[statement] = result
        else:
            self.facts.beyond[statement] = done
        return result

    def ever_deeper(self) -> UnsupportedError:
        return self.refusal("each turn of this loop puts containers into others, deeper than the turn before",
                            "put them side by side, into a list")

    def check_grown(self, statement: Loop, environment: dict, head: dict) -> None:
        """The list that a loop runs over is looked at before its turns, which may put differentiated values there."""
        rebound = rebound_names(statement)
        for node in self.run_along(statement.iterable, environment):
            if not isinstance(node, gast.Name) or node.id not in assigned_names(statement.body) - rebound:
                continue
            before, turn = environment.get(node.id), head.get(node.id)
            if before is not None and turn is not None and isinstance(turn.value, Items) and turn.value.active \
                    and not before.value.active:
                raise self.refusal(f"the turns of this loop put differentiated values into {node.id}, over "
                                   "which it runs",
                                   "count the turns in a while loop, with an index into the list", node)

    def run_along(self, node: Any, environment: dict) -> list:
        """What a loop over ``zip``, ``enumerate`` and ``reversed`` runs along."""
        if isinstance(node, gast.Call) and any(
                self.function_of(node, environment) is one for one in (enumerate, reversed, zip)):
            return [part for item in node.args for part in self.run_along(item, environment)]
        return [node]

    def at_start(self, name: str, environment: dict) -> Version:
        """What a name is at the start of a turn, as far as what was before the loop tells."""
        before = environment.get(name)
        value = NEVER if before is None else before.value
        version: Version = self.version(name, value, "joined", (before,) if before is not None else (),
                                        unbound=before is None or before.unbound)
        return version

    def changed_besides(self, environment: dict, end: dict | None, head: dict) -> set[str]:
        """The names of what a turn changes: objects by their methods, too, and what functions write into."""
        return {name for name, version in (end or {}).items() if name in environment and version is not head[name]}

    def at_head(self, value: Abstract, name: str, kind: str = "size") -> Abstract:
        """A loop-carried value with its unknown sizes named: unknown, but the same throughout a turn.

        A size that was named inside the loop is another one in each turn, so it can't be carried over; and where the
        turns put the items into a list, it is another one in each of them (``kind``).
        """
        loop = self.loops[-1]
        if isinstance(value, Items):
            return replace(value, items=None if value.items is None else tuple(
                self.at_head(item, f"{name}.{index}", kind) for index, item in enumerate(value.items)),
                element=None if value.element is None else self.at_head(value.element, f"{name}.*", "each"))
        if not isinstance(value, Numeric):
            return value
        shape = value.shape
        if shape is not None:
            shape = tuple((kind, (id(loop), name), axis) if dim is None or self.made_in(dim, loop) else dim
                          for axis, dim in enumerate(shape))
            self.note_sizes(shape)
        kept = None if value.dim is not None and self.made_in(value.dim, loop) else value.dim
        return value if shape == value.shape and kept == value.dim else replace(value, shape=shape, dim=kept)

    def made_in(self, dim: Any, loop: Loop) -> bool:
        """Whether a size was named inside a loop."""
        while isinstance(dim, tuple):
            if dim[0] == "size":
                return loop in self.symbols.get(dim, ())
            dim = dim[1]
        return False

    def outside(self, version: Version, loop: Loop) -> Version:
        """The version, or one that stands for it outside the loop that makes it."""
        if version.loop is not loop:
            return version
        return self.version(version.name, version.value, "joined", (version,), unbound=version.unbound)

    def widen(self, head: dict, end: dict, changing: set[str]) -> bool:
        """Join what the end of a turn knows into the head; whether that changed anything."""
        changed = False
        for name in changing:
            if (name not in end or end[name].unbound) and not head[name].unbound:  # deleted in this turn
                head[name].unbound = changed = True
            if name not in end or end[name] is head[name]:
                continue
            if head[name].view is not None and end[name].view is not head[name].view:
                head[name].view = None
                changed = True
            value = self.at_head(join(head[name].value, end[name].value), name)
            if value != head[name].value:
                head[name].value = value
                changed = True
            if end[name] not in head[name].sources:
                before = layout_of(head[name], set())
                head[name].sources.append(end[name])
                changed = changed or layout_of(head[name], set()) != before
        return changed
