"""What statements that store or update something make known."""
from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import counters, objects
from s2sgrad.compiler.arguments import holds_open_list
from s2sgrad.compiler.defaults import of_shared
from s2sgrad.compiler.facts import is_array_value
from s2sgrad.compiler.nodes import attribute, call, constant, located_at, name, root, root_of, subscript, tuple_of
from s2sgrad.compiler.one_of_several import OneOfSeveral
from s2sgrad.compiler.operators import takes_for_array
from s2sgrad.compiler.program import Append, Assign, Augment, Evaluate, Loop, Store, operation_of, written_name
from s2sgrad.compiler.telling import REASON, REMEDY, is_told
from s2sgrad.compiler.writers import is_of
from s2sgrad.rules.abstract import ANY, NEVER, Abstract, Items, Numeric, Opaque, holds_names, is_real, join


class Stores(OneOfSeveral):
    """The part of the analysis that is stores and in-place updates."""

    bind: Callable[..., Any]
    do_Assign: Callable[..., Any]

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
        self.stored = statement.target
        named = self.noted_down(statement, environment) or self.put_under_key(statement, environment)
        if named is None:
            named = self.by_method(statement, environment)
        if named is not None:
            return named
        whole = self.all_in_a_row(statement, environment)
        if whole is not None:
            return self.instead_of(statement, [whole], environment)
        if self.is_attribute(statement.target, environment):
            return self.set_attribute(statement, environment)
        spelled = self.spelled_index(statement.target, environment)
        if spelled is not None:
            return self.instead_of(statement, [replace(statement, target=spelled)], environment)
        named = self.in_container(statement, environment)
        if named is not None:
            return named
        held = self.evaluate(statement.target.value, environment)
        named = self.with_value_and_place_named(statement, environment) if isinstance(held, Items) else None
        if named is not None:
            return named
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

    def refuse_outer(self, label: str, target: gast.AST) -> None:
        """A call may write into part of an array that is not the function's own, which no statement here does."""
        if label not in self.local:
            raise self.refusal(f"this writes into {label}, which is not the function's own", "write into a copy",
                               target)

    def write(self, statement: Store | Augment, value: Abstract, environment: dict) -> dict:
        """A value goes into part of an array: its name stands for another version from here on."""
        target: Any = statement.target
        root = root_of(target)
        label = root.id
        old = environment.get(label)
        before = self.evaluate(root, environment)
        part = self.evaluate(target, environment)
        whole = self.evaluate(target.value, environment)
        new_key = isinstance(whole, Items) and whole.is_dict  # there need be nothing under it yet
        self.refuse_outer(label, target)
        if old is None or NEVER in (before, whole, value) or part is NEVER and not new_key:
            return environment
        if isinstance(whole, Items):
            return self.replace_item(statement, whole, part, value, environment)
        if isinstance(before, Opaque) and before.active:
            raise self.refusal(f"{label} is an array here, or something else", "start with an array, of zeros", target)
        if not isinstance(before, Numeric):
            raise self.refusal(*of_shared(self.program, label) or (
                f"{label} is not known to be a list, a dict or an array of numbers, and this line writes into it",
                "make it one of these"), target)
        if before.is_number:
            raise self.refusal(f"{label} is a number here, not an array", "make it one, with np.zeros or np.array",
                               target)
        self.refuse_function(target, value, label, environment)
        if isinstance(statement, Store) and value.active and (holds_names(value) or holds_open_list(value)):
            return self.of_array_made(statement, environment)
        if is_told(value) and not self.passive_context:
            raise self.refusal(REASON, REMEDY, target)
        self.check_flat_store(statement, part)
        active = before.active or value.active and not self.passive_context
        if value.active:
            if before.dtype is None and not self.program.is_generated:  # where it would be a cotangent
                self.facts.unsure_stores[statement] = label, is_real(value)
            elif before.dtype is not None and before.dtype.kind == "V":
                raise self.refusal(f"{label} is a structured array, which is not differentiated",
                                   "use a dict or a dataclass of arrays, one for each field", target)
            elif before.dtype is not None and before.dtype.kind not in "fc":
                lost = "lose its fraction" if before.dtype.kind in "biu" else "carry no derivative"
                raise self.refusal(f"{label} has dtype {before.dtype}: what is stored here would {lost}",
                                   f"make {label} with dtype=float", target)
            dropped = isinstance(statement, Store) and not is_real(value)  # in-place arithmetic raises there
            if before.mixed and before.dtype.kind == "c" and dropped and not self.program.is_generated:
                raise self.refusal(f"{label} may hold real numbers: what is stored here would lose its imaginary part",
                                   f"make {label} with dtype=complex", target)
        version = self.keeps_view(old, self.version(label, replace(before, active=active), "bound", (old,)))
        self.facts.in_place[statement] = (old, version)
        self.facts.defined[statement, label] = version
        return {**environment, label: version}

    def all_in_a_row(self, statement: Store, environment: dict) -> Store | None:
        """``u[...] = v`` for ``u.flat = v``, where v is a number or has the shape of u; None of any other store."""
        target: Any = statement.target
        if not isinstance(target, gast.Attribute) or target.attr != "flat":
            return None
        array, value = (self.evaluate(node, environment) for node in (target.value, statement.value))
        if not (isinstance(array, Numeric) and array.kind == "array" and isinstance(value, Numeric)):
            return None
        fits = value.shape == () or value.shape is not None and None not in value.shape and value.shape == array.shape
        everything = gast.copy_location(subscript(target.value, constant(...)), target)
        return replace(statement, target=everything) if fits else None

    def of_array_made(self, statement: Store | Augment, environment: dict) -> dict:
        """``u[i] = values`` with the array that NumPy makes of a list or a tuple."""
        made = gast.copy_location(call(self.given(np.array), statement.value), statement.value)
        return self.expand(statement, [replace(statement, value=made)], environment)

    def is_list(self, label: str, environment: dict) -> bool:
        version = environment.get(label)
        return version is not None and isinstance(version.value, Items) and version.value.is_list

    def gets_more(self, statement: Augment, environment: dict) -> bool:
        """Whether this is ``d["k"] += [v]`` or ``d["k"] |= {"a": v}``, and the list or dict is in a container."""
        if not isinstance(statement.operator, (gast.Add, gast.BitOr)) or root(statement.target) not in environment:
            return False
        held, more = self.evaluate(statement.target, environment), self.evaluate(statement.value, environment)
        if not isinstance(held, Items) or not isinstance(more, Items) or more.is_object:
            return False
        around = self.facts.value(statement.target.value) if statement.put_back else None  # type: ignore[attr-defined]
        if isinstance(around, Items) and issubclass(around.kind, tuple) and held.is_changeable:
            raise self.refusal("this raises TypeError once what is in the tuple has grown, for tuples take nothing new",
                               "let it grow under a name of its own: part = t[0]; part += ...", statement.target)
        return held.is_list if isinstance(statement.operator, gast.Add) else held.is_dict and held.kind is not Counter

    def with_more(self, statement: Augment) -> Any:
        """``d["k"].append(v)``, ``d["k"].extend(vs)`` or ``d["k"].update(more)`` for it."""
        place, value = statement.target, statement.value
        if isinstance(value, gast.List) and len(value.elts) == 1 and not isinstance(value.elts[0], gast.Starred):
            return Append(place, value.elts[0], statement.location)
        method = "extend" if isinstance(statement.operator, gast.Add) else "update"
        return Evaluate(located_at(call(attribute(place, method), value), place), statement.location,
                        (root_of(place).id,))

    def extend(self, statement: Any, label: str, node: gast.AST, environment: dict) -> dict:
        """All that another has goes into a list: what is known here is enough to write it as a loop."""
        old = environment[label]
        items = self.iterate(node, environment)
        self.refuse_itself(label, node, old.value)
        if self.comes_by_and_by(node, label):  # type: ignore[attr-defined]  # which may read how far the list has grown
            item = self.temporary((statement, "item"), "item")  # type: ignore[attr-defined]
            each = Append(located_at(name(label), node), located_at(name(item), node), statement.location)
            return self.expand(  # type: ignore[attr-defined,no-any-return]
                statement, [Loop(item, node, (each,), statement.location)], environment)
        self.as_key(node, self.facts.value(node), objects.LENGTHS)  # for which the loop does not ask
        if old.value is NEVER:
            return environment
        if items is NEVER:
            return self.unchanged(statement, node, environment)
        self.facts.extended[statement] = label, node
        element = items if old.value.items == () else join(old.value.any_item, items)
        version = self.version(label, Items(old.value.kind, None, element), "bound", (old,))
        self.facts.defined[statement, label] = version
        return {**environment, label: version}

    def do_Augment(self, statement: Augment, environment: dict) -> dict | None:
        target = self.updated = statement.target
        named = self.with_place_named(statement, target, environment)
        if named is not None:
            return named
        named = None if isinstance(target, gast.Name) else self.noted_down(
            statement, environment) or self.put_under_key(statement, environment) or self.by_method(
            statement, environment)
        if named is not None:
            return named
        if self.is_attribute(target, environment):
            return self.set_attribute(statement, environment)
        spelled = self.spelled_index(target, environment) if isinstance(target, gast.Subscript) else None
        if spelled is not None:
            return self.instead_of(statement, [replace(statement, target=spelled)], environment)
        if isinstance(target, gast.Subscript) and self.gets_more(statement, environment):
            return self.expand(statement, [self.with_more(statement)], environment)
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
                part := self.evaluate(target, environment), type(statement.operator)):
            kind = objects.kind_of(part)
            if kind is not None and objects.updates_in_place(kind, type(statement.operator)):
                return self.through_a_name(statement, target, environment)
            return self.expand(statement, [Store(target, operation_of(statement), statement.location)], environment)
        more = self.evaluate(statement.value, environment)
        if more.active and isinstance(more, Items) and not self.passive_context and takes_for_array(
                self.evaluate(target, environment), more):
            return self.of_array_made(statement, environment)
        part = self.evaluate(target, environment)
        if isinstance(statement.operator, gast.Mult) and isinstance(part, Items) and part.kind is list \
                and not is_array_value(more):  # ``xs *= 2``
            return self.rebound(statement, target, operation_of(statement), environment)
        if isinstance(target, gast.Subscript):
            return self.write(statement, self.augmented(statement, environment), environment)
        assert isinstance(target, gast.Name)
        return self.augment_name(statement, target, environment)

    def augment_name(self, statement: Augment, target: gast.Name, environment: dict) -> dict | None:
        """``x += y`` of a variable."""
        outright = [Assign(target.id, operation_of(statement), statement.location)]
        parts = self.facts.value(target), self.facts.value(statement.value)
        if isinstance(statement.operator, gast.Add) and self.is_list(target.id, environment):
            if isinstance(parts[1], Numeric):  # an array, to which the list is added
                return self.instead_of(statement, outright, environment)
            return self.extend(statement, target.id, statement.value, environment)
        if any(objects.has_operator(part, type(statement.operator)) for part in parts):
            return self.object_augment(statement, environment)
        held = environment[target.id].value if target.id in environment else None
        if isinstance(held, Items) and held.kind in (list, tuple):  # ``seen += (x,)``, and what NumPy makes of a list
            return self.instead_of(statement, outright, environment)
        if isinstance(held, Items) and (
                held.kind is Counter and isinstance(statement.operator, tuple(counters.OPERATORS))
                or isinstance(statement.operator, gast.BitOr)):
            return self.augment_dict(statement, target, held, environment)
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

    def augment_dict(self, statement: Augment, target: gast.Name, held: Items, environment: dict) -> dict | None:
        """``params |= others``, ``counts += more``."""
        if not self.is_seen_by_others(target, environment):
            return self.rebound(statement, target, operation_of(statement), environment)
        if held.kind is Counter:
            raise self.refusal(f"{target.id} is a Counter that the caller may have too, and this line changes it",
                               f"write {target.id}.update(...), .subtract(...), or {target.id} = {target.id} + ...",
                               target)
        update = located_at(call(attribute(target, "update"), statement.value), target)
        return self.expand(statement, [Evaluate(update, statement.location, (target.id,))], environment)

    def object_augment(self, statement: Augment, environment: dict) -> dict | None:
        """``v += w`` of objects, as the assignment that it is: of a sum, or of what ``__iadd__`` gives."""
        target: Any = statement.target
        value = self.facts.value(target)
        made = operation_of(statement)
        kind = objects.kind_of(value)
        in_place = kind is not None and objects.updates_in_place(kind, type(statement.operator))
        if in_place:
            label = f"__i{objects.OPERATORS[type(statement.operator)]}__"
            method = objects.found_in(kind, label)
            self.outer(label, kind)
            if not isinstance(method, types.FunctionType) or isinstance(value, Items) and not value.is_object:
                raise self.unknown_operator(target, kind)
            made = call(self.given(method), target, statement.value)
        new = Assign(target.id, gast.copy_location(made, target), statement.location)
        self.facts.made.append(made)
        self.facts.stores[statement] = new
        self.facts.before[new] = environment
        after = self.do_Assign(new, environment)
        if after is None:
            return None
        given = after[target.id].value
        if in_place and objects.kind_of(given) is None and given is not NEVER:  # it may be NotImplemented
            raise self.unknown_operator(target, kind)
        return after

    def unknown_operator(self, target: gast.Name, kind: type) -> Exception:
        return self.refusal(f"what this operator does with a {kind.__name__} is not known",
                            f"write {target.id} = {target.id} ...", target)
