"""Program x abstract arguments -> Facts: abstract values, activity, versions of names, rules that apply.

An abstract interpretation: each statement is run once on what is known of its operands, loops to a fixpoint. Activity
is part of the abstract value. What a comparison, a printed text or a shape reads is *passive context*: nothing there
is differentiated, so nothing there has to be understood.
"""
from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.effects import MUTATING_METHODS, may_write
from s2sgrad.compiler.facts import Applied, Called, Facts, Version
from s2sgrad.compiler.indexing import index_result
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Branch,
    Evaluate,
    Leave,
    Loop,
    Pattern,
    Program,
    Verbatim,
    assigned_names,
    constant,
    names_in,
    subscript,
    tuple_of,
)
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.rules.abstract import (
    ANY,
    BOOLEAN,
    INTEGER,
    MISSING,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    broadcast,
    can_be_active,
    join,
    known_value,
    number,
    passive,
)
from s2sgrad.rules.table import ATTRIBUTES, METHODS, RULES, ZERO, Operation, Rule, result_of

OPERATORS: dict[type, Any] = {
    gast.Add: np.add, gast.Sub: np.subtract, gast.Mult: np.multiply, gast.Div: np.divide, gast.Pow: np.power,
    gast.FloorDiv: np.floor_divide, gast.Mod: np.remainder, gast.MatMult: np.matmul,
    gast.USub: np.negative, gast.UAdd: np.positive,
}
NEVER = Opaque(origin="never")
"""The value of what has not been reached yet, while a loop or a recursion is on its way to its fixpoint."""


def merge(first: Abstract, second: Abstract) -> Abstract:
    if first is NEVER:
        return second
    return first if second is NEVER else join(first, second)


class Infer:
    """One run of the analysis.

    ``outer(name)`` gives the abstract value of a name from outside (a global, a closure cell, a builtin);
    ``derivative_of(function, arguments, location)`` the derivative of a user's function for such arguments.
    """

    def __init__(self, program: Program, arguments: dict[str, Abstract], outer: Callable[[str], Abstract],
                 derivative_of: Callable[..., Any], assume_active: bool = False, named_sizes: bool = True):
        self.program = program
        self.outer = outer
        self.derivative_of = derivative_of
        self.assume_active = assume_active
        self.facts = Facts()
        self.local = assigned_names(program.body) | set(program.parameters)
        self.loops: list[Loop] = []
        self.breaks: list[list[dict]] = []
        self.continues: list[list[dict]] = []
        self.count = 0
        self.aliased: set[Version] = set()
        self.versions: list[Version] = []
        self.location: Location = program.location
        self.passive_context = 0
        self.symbols: dict[tuple, tuple[Loop, ...]] = {}
        """Sizes named by this analysis, each with the loops around the place where it was named."""
        self.named_sizes = named_sizes
        for name in program.parameters:
            self.facts.parameters[name] = self.version(name, arguments[name], "parameter")

    def run(self) -> Facts:
        self.facts.result = NEVER
        end = self.block(self.program.body, dict(self.facts.parameters))
        if end is not None:  # falls off the end: returns None
            self.facts.result = merge(self.facts.result, Known(None))
        self.check_in_place()
        return self.facts

    # ---- versions and environments

    def version(self, name: str, value: Abstract, origin: str, sources: tuple = (), exclusive: bool = False,
                unbound: bool = False) -> Version:
        self.count += 1
        version = Version(name, self.loops[-1] if self.loops else None, value, origin, self.count, sources, exclusive,
                          unbound)
        self.versions.append(version)
        return version

    def join_environments(self, environments: list[dict | None]) -> dict | None:
        reached = [environment for environment in environments if environment is not None]
        if len(reached) < 2:
            return reached[0] if reached else None
        result = {}
        for name in dict.fromkeys(name for environment in reached for name in environment):
            versions = list(dict.fromkeys(env[name] for env in reached if name in env))
            unbound = any(name not in env for env in reached) or any(version.unbound for version in versions)
            if len(versions) == 1 and unbound == versions[0].unbound:
                result[name] = versions[0]
                continue
            value = versions[0].value
            for version in versions[1:]:
                value = merge(value, version.value)
            result[name] = self.version(name, value, "joined", tuple(versions), unbound=unbound)
        return result

    # ---- statements

    def block(self, statements: tuple, environment: dict | None) -> dict | None:
        for statement in statements:
            if environment is None:
                return None
            self.location = statement.location
            self.facts.before[statement] = environment
            environment = getattr(self, f"do_{type(statement).__name__}")(statement, environment)
        return environment

    def do_Assign(self, statement: Assign, environment: dict) -> dict:
        value = self.evaluate(statement.value, environment)
        self.note_aliases(statement.value, environment)
        return self.bind(statement, statement.target, value, statement.value, environment)

    def bind(self, statement: Any, pattern: Pattern, value: Abstract, node: gast.AST | None, environment: dict) -> dict:
        if isinstance(pattern, str):
            exclusive = node is not None and self.is_fresh(node)
            version = self.version(pattern, value, "bound", exclusive=exclusive)
            self.facts.defined[statement, pattern] = version
            return {**environment, pattern: version}
        parts = node.elts if isinstance(node, (gast.Tuple, gast.List)) and len(node.elts) == len(pattern) else None
        for index, part in enumerate(pattern):
            item = self.element(value, index, len(pattern))
            environment = self.bind(statement, part, item, parts[index] if parts else None, environment)
        return environment

    def element(self, value: Abstract, index: int, count: int) -> Abstract:
        if isinstance(value, Items) and value.items is not None:
            return value.items[index] if len(value.items) == count else NEVER
        return self.element_of(value)

    def do_Augment(self, statement: Augment, environment: dict) -> dict:
        target = statement.target
        assert isinstance(target, gast.Name)
        value = self.operator(statement, type(statement.operator), {"x1": target, "x2": statement.value}, environment)
        old = environment.get(target.id)
        before = old.value if old is not None else ANY
        if isinstance(before, Numeric) and before.kind == "array" and isinstance(value, Numeric):
            value = replace(value, kind="array", shape=before.shape, dtype=before.dtype)  # an array keeps its shape
        version = self.version(target.id, value, "bound", exclusive=True)
        if old is not None and not (isinstance(before, Numeric) and before.is_number):
            version.sources.append(old)
            self.facts.in_place[statement] = (old, version)
        self.facts.defined[statement, target.id] = version
        return {**environment, target.id: version}

    def do_Evaluate(self, statement: Evaluate, environment: dict) -> dict:
        node = statement.value
        self.passively(node, environment)
        if not isinstance(node, gast.Call):
            return environment
        function = known_value(self.facts.values.get(id(node.func), Opaque()))
        touched = [*node.args, *(item.value for item in node.keywords)]
        if isinstance(node.func, gast.Attribute):
            touched.append(node.func.value)
        for part in touched:
            value = self.facts.values.get(id(part), Opaque())
            if function is not print and (isinstance(value, Items) and value.kind is list
                                          or isinstance(value, Numeric) and not value.is_number):
                raise self.refusal("a call on a line of its own may write into its arguments, which is not supported "
                                   "yet", "use what the call returns", node)
        return environment

    def do_Verbatim(self, statement: Verbatim, environment: dict) -> dict:
        return environment

    def do_Leave(self, statement: Leave, environment: dict) -> None:
        if statement.kind == "return":
            value = Known(None) if statement.value is None else self.evaluate(statement.value, environment)
            self.facts.result = merge(self.facts.result, value)
        elif statement.kind == "break":
            self.breaks[-1].append(environment)
        else:
            self.continues[-1].append(environment)

    def do_Branch(self, statement: Branch, environment: dict) -> dict | None:
        test = known_value(self.passively(statement.test, environment))
        if test is not MISSING and not isinstance(test, np.ndarray):
            self.facts.taken[statement] = bool(test)
            return self.block(statement.then if test else statement.orelse, environment)
        self.facts.taken.pop(statement, None)  # known on the first turn of a loop only
        then = self.block(statement.then, environment)
        orelse = self.block(statement.orelse, environment)
        result = self.join_environments([then, orelse])
        if result is not None:
            self.facts.after[statement] = result
        return result

    def do_Loop(self, statement: Loop, environment: dict) -> dict | None:
        changing = assigned_names(statement.body)
        if statement.target is not None:
            changing |= assigned_names((Assign(statement.target, statement.iterable, statement.location),))
            sequence = self.iterate(statement.iterable, environment)
        outer_loops = list(self.loops)
        self.loops.append(statement)
        head = dict(environment)
        for name in sorted(changing):
            before = environment.get(name)
            value = NEVER if before is None else before.value
            head[name] = self.version(name, value, "joined", (before,) if before is not None else (),
                                      unbound=before is None)
        for _ in range(20):
            self.breaks.append([])
            self.continues.append([])
            self.facts.heads[statement] = head
            turn = head
            self.location = statement.location
            if statement.target is None:
                self.passively(statement.iterable, turn)
            else:
                turn = self.bind(statement, statement.target, sequence, None, turn)
            end = self.block(statement.body, turn)
            end = self.join_environments([*self.continues.pop(), end])
            broken = self.breaks.pop()
            self.facts.turn_ends[statement] = end
            if end is None or not self.widen(head, end, changing):
                break
        self.loops = outer_loops
        done = dict(head)
        for name in changing:  # what a name is after the loop belongs to the block that the loop stands in
            version = head[name]
            done[name] = self.version(name, version.value, "joined", (version,), unbound=version.unbound)
        always = statement.target is None and known_value(self.facts.value(statement.iterable))
        finished = None if always is not MISSING and always not in (None, False, 0) else done
        result = self.join_environments([finished, *broken])
        if result is not None:
            result = {name: self.outside(version, statement) for name, version in result.items()}
            self.facts.after[statement] = result
        return result

    def at_head(self, value: Abstract, name: str) -> Abstract:
        """A loop-carried value with its unknown sizes named: unknown, but the same throughout a turn.

        A size that was named inside the loop is another one in each turn, so it can't be carried over.
        """
        loop = self.loops[-1]
        if isinstance(value, Items):
            return replace(value, items=None if value.items is None else tuple(
                self.at_head(item, f"{name}.{index}") for index, item in enumerate(value.items)),
                element=None if value.element is None else self.at_head(value.element, f"{name}.*"))
        if not isinstance(value, Numeric):
            return value
        shape = value.shape
        if shape is not None:
            shape = tuple(("size", (id(loop), name), axis) if dim is None or self.made_in(dim, loop) else dim
                          for axis, dim in enumerate(shape))
            for dim in shape:
                if isinstance(dim, tuple) and dim[0] == "size":
                    self.symbols.setdefault(dim, tuple(self.loops))
        stale = value.dim is not None and self.made_in(value.dim, loop)
        return replace(value, shape=shape, dim=None if stale else value.dim)

    def made_in(self, dim: Any, loop: Loop) -> bool:
        """Whether a size was named inside a loop."""
        while isinstance(dim, tuple):
            if dim[0] == "size":
                return loop in self.symbols.get(dim, ())
            dim = dim[1]
        return False

    def with_sizes(self, node: Any, value: Abstract) -> Abstract:
        """An array's unknown sizes named after the expression that makes it, so that they equal themselves."""
        if not isinstance(value, Numeric) or not value.shape or None not in value.shape or not self.named_sizes:
            return value
        shape = []
        for axis, dim in enumerate(value.shape):
            if dim is None:
                dim = ("size", id(node), axis)
                self.symbols[dim] = tuple(self.loops)
            shape.append(dim)
        return replace(value, shape=tuple(shape))

    def outside(self, version: Version, loop: Loop) -> Version:
        """The version, or one that stands for it outside the loop that makes it."""
        if version.loop is not loop:
            return version
        return self.version(version.name, version.value, "joined", (version,), unbound=version.unbound)

    def widen(self, head: dict, end: dict, changing: set[str]) -> bool:
        """Join what the end of a turn knows into the head; whether that changed anything."""
        changed = False
        for name in changing:
            if name not in end or end[name] is head[name]:
                continue
            value = self.at_head(merge(head[name].value, end[name].value), name)
            if value != head[name].value:
                head[name].value = value
                changed = True
            if end[name] not in head[name].sources:
                head[name].sources.append(end[name])
        return changed

    # ---- in-place updates

    def note_aliases(self, node: gast.AST, environment: dict) -> None:
        """Whatever an assigned value may share memory with has a second name from now on."""
        if isinstance(node, gast.Name):
            if node.id in environment:
                self.aliased.add(environment[node.id])
        elif isinstance(node, (gast.Tuple, gast.List, gast.IfExp, gast.BoolOp, gast.Starred)) \
                or not self.is_fresh(node):
            for child in gast.iter_child_nodes(node):
                self.note_aliases(child, environment)

    def is_fresh(self, node: gast.AST) -> bool:
        """Whether an expression's value is memory that nothing else can reach."""
        applied = self.facts.applied.get(id(node))
        if applied is not None:
            return applied.operation.rule.sharing == "fresh"
        value = self.facts.values.get(id(node))
        return isinstance(value, Numeric) and value.is_number or isinstance(node, (gast.Compare, gast.Constant))

    def check_in_place(self) -> None:
        """An in-place update of an array is right only if the array has just the one name."""
        if not self.facts.in_place:
            return
        parent: dict[Version, Version] = {}

        def root(version: Version) -> Version:
            while version in parent:
                version = parent[version]
            return version

        for version in self.versions:
            for source in version.sources:
                first, second = root(version), root(source)
                if first is not second:
                    parent[first] = second
        written = {root(old): statement for statement, (old, _) in self.facts.in_place.items()}
        for version in self.versions:
            statement = written.get(root(version))
            if statement is None:
                continue
            self.facts.rewritten.add(version)
            joined = version.origin == "joined"
            if version in self.aliased or not (version.exclusive or joined):
                self.location = statement.location
                raise self.refusal(
                    f"{version.name} may be an array that has another name, and this line writes into it",
                    f"write {version.name} = {version.name} + ... to make a new array")

    # ---- expressions

    def passively(self, node: gast.AST, environment: dict) -> Abstract:
        """The value of an expression of which no derivative will be asked."""
        self.passive_context += 1
        try:
            return passive(self.evaluate(node, environment))
        finally:
            self.passive_context -= 1

    def evaluate(self, node: gast.AST, environment: dict) -> Abstract:
        method = getattr(self, f"of_{type(node).__name__}", None)
        value = method(node, environment) if method else self.of_other(node, environment)
        if self.assume_active and isinstance(value, Numeric) and value.dtype is not None and value.dtype.kind == "f" \
                and value.value is MISSING and not self.passive_context:
            value = replace(value, active=True)
        if not isinstance(node, gast.Name):
            value = self.with_sizes(node, value)
            applied = self.facts.applied.get(id(node))
            if applied is not None:
                applied.operation.result = value
        self.facts.values[id(node)] = value
        return value

    def of_Constant(self, node: gast.Constant, environment: dict) -> Abstract:
        return number(node.value) if type(node.value) in (bool, int, float, complex) else Known(node.value)

    def of_Name(self, node: gast.Name, environment: dict) -> Abstract:
        if node.id in environment:
            return environment[node.id].value
        if node.id in self.local:
            return NEVER  # not bound yet on any path that reaches this place
        return self.captured(node.id).value

    def captured(self, name: str) -> Version:
        if name not in self.facts.captured:
            loops, self.loops = self.loops, []
            self.facts.captured[name] = self.version(name, self.outer(name), "captured")
            self.loops = loops
        return self.facts.captured[name]

    def of_Tuple(self, node: gast.Tuple, environment: dict) -> Abstract:
        kind = tuple if isinstance(node, gast.Tuple) else list
        if any(isinstance(item, gast.Starred) for item in node.elts):
            return self.of_other(node, environment)
        return Items(kind, tuple(self.evaluate(item, environment) for item in node.elts))

    of_List = of_Tuple

    def of_Slice(self, node: gast.Slice, environment: dict) -> Abstract:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.passively(part, environment)
        return Opaque()

    def of_JoinedStr(self, node: gast.JoinedStr, environment: dict) -> Abstract:
        return Opaque()

    def of_other(self, node: gast.AST, environment: dict) -> Abstract:
        """A comprehension, lambda, dict, ...: kept whole where it is passive."""
        if not self.passive_context:
            for name in names_in(node):
                if name in environment and environment[name].value.active:
                    what = "comprehension" if "Comp" in type(node).__name__ or isinstance(node, gast.GeneratorExp) \
                        else type(node).__name__.lower()
                    raise self.refusal(f"a {what} over {name}, which is differentiated, is not supported yet",
                                       "write a loop, or whole-array operations", node)
        return Opaque()

    def of_BinOp(self, node: gast.BinOp, environment: dict) -> Abstract:
        return self.operator(node, type(node.op), {"x1": node.left, "x2": node.right}, environment)

    def of_UnaryOp(self, node: gast.UnaryOp, environment: dict) -> Abstract:
        if isinstance(node.op, gast.Not):
            value = known_value(self.passively(node.operand, environment))
            return BOOLEAN if value is MISSING or isinstance(value, np.ndarray) else number(not value)
        if isinstance(node.op, gast.Invert):
            return self.passively(node.operand, environment)
        return self.operator(node, type(node.op), {"x": node.operand}, environment)

    def operator(self, node: Any, operator: type, nodes: dict[str, gast.AST], environment: dict) -> Abstract:
        operands = {name: self.evaluate(operand, environment) for name, operand in nodes.items()}
        if any(value is NEVER for value in operands.values()):
            return NEVER
        folded = self.fold(operator, operands)
        if folded is not None:
            return folded
        if any(isinstance(value, (Items, Known)) for value in operands.values()):
            if any(value.active for value in operands.values()) and not self.passive_context:
                raise self.refusal("arithmetic on a list or tuple of differentiated values is not supported yet",
                                   "make an array of it with np.array", node)
            return Opaque()
        if operator not in OPERATORS:  # << >> & | ^
            return BOOLEAN if all(value == BOOLEAN for value in operands.values()) else passive(ANY)
        return self.apply(node, RULES[OPERATORS[operator]], nodes, operands)

    def fold(self, operator: type, operands: dict[str, Abstract]) -> Abstract | None:
        """Integer arithmetic on numbers known now (an axis, an exponent)."""
        values = [known_value(value) for value in operands.values()]
        if not all(type(value) is int and abs(value) < 2 ** 31 for value in values):
            return None
        if operator in (gast.Div, gast.Pow, gast.MatMult) or operator not in OPERATORS:
            if not (operator is gast.Pow and 0 <= values[1] < 64):
                return None
        if operator in (gast.FloorDiv, gast.Mod) and values[1] == 0:
            return None
        return number(int(OPERATORS[operator](*(np.array(value, dtype=object) for value in values))))

    def of_Compare(self, node: gast.Compare, environment: dict) -> Abstract:
        values = [self.passively(part, environment) for part in (node.left, *node.comparators)]
        if len(node.ops) == 1:
            folded = self.compare(node.ops[0], *values)
            if folded is not None:
                return number(folded)
            if isinstance(node.ops[0], (gast.Is, gast.IsNot, gast.In, gast.NotIn)):
                return BOOLEAN
        if all(isinstance(value, Numeric) for value in values):
            shape = broadcast(*(value.shape for value in values))
            if shape == ():
                return Numeric("scalar", np.dtype(bool), ())
            return Numeric("array" if shape else "any", np.dtype(bool), shape)
        return Opaque()

    def compare(self, operator: gast.AST, left: Abstract, right: Abstract) -> bool | None:
        """The outcome of a comparison that is known now: ``mode == "mean"``, ``bias is not None``."""
        negated = isinstance(operator, (gast.IsNot, gast.NotEq, gast.NotIn))
        if isinstance(operator, (gast.Is, gast.IsNot)):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, Known) and one.value is None:
                    if isinstance(other, Known):
                        return (other.value is None) != negated
                    if isinstance(other, (Numeric, Items)):
                        return negated
            return None
        plain = (str, int, bool, type(None), float)
        values = known_value(left), known_value(right)
        if not all(type(value) in plain for value in values):
            return None
        if isinstance(operator, (gast.Eq, gast.NotEq)):
            return (values[0] == values[1]) != negated
        orders = {gast.Lt: "__lt__", gast.LtE: "__le__", gast.Gt: "__gt__", gast.GtE: "__ge__"}
        if type(operator) in orders and not any(isinstance(value, (str, type(None))) for value in values):
            return getattr(float(values[0]), orders[type(operator)])(float(values[1]))
        return None

    def of_BoolOp(self, node: gast.BoolOp, environment: dict) -> Abstract:
        stop = isinstance(node.op, gast.Or)
        result: Abstract = NEVER
        for index, part in enumerate(node.values):
            value = self.evaluate(part, environment)
            known = known_value(value)
            last = index == len(node.values) - 1
            if known is not MISSING and not last and not isinstance(known, np.ndarray):
                if bool(known) == stop:
                    return merge(result, value)
                continue
            result = merge(result, value)
        return result

    def of_IfExp(self, node: gast.IfExp, environment: dict) -> Abstract:
        test = known_value(self.passively(node.test, environment))
        if test is not MISSING and not isinstance(test, np.ndarray):
            self.facts.taken[id(node)] = bool(test)
            return self.evaluate(node.body if test else node.orelse, environment)
        self.facts.taken.pop(id(node), None)
        return merge(self.evaluate(node.body, environment), self.evaluate(node.orelse, environment))

    def of_Attribute(self, node: gast.Attribute, environment: dict) -> Abstract:
        base = self.evaluate(node.value, environment)
        if base is NEVER:
            return NEVER
        if isinstance(base, Known):
            if isinstance(base.value, types.ModuleType):
                return self.module_attribute(base.value, node.attr)
            return Opaque()
        if isinstance(base, Opaque) and base.active:
            base = replace(ANY, active=True)
        if isinstance(base, Numeric) and node.attr in ATTRIBUTES:
            rule = ATTRIBUTES[node.attr]
            return self.apply(node, rule, {rule.parameters[0].name: node.value}, {rule.parameters[0].name: base})
        if base.active and not self.passive_context:
            raise self.refusal(f"the attribute .{node.attr} of a differentiated value has no rule",
                               "use the NumPy function of that name", node)
        return Opaque()

    def module_attribute(self, module: types.ModuleType, attribute: str) -> Abstract:
        value = getattr(module, attribute, MISSING)
        if value is MISSING:
            return Opaque()
        if type(value) in (int, float) and module.__name__.split(".")[0] in ("numpy", "math", "scipy"):
            return number(value)
        if callable(value) or isinstance(value, types.ModuleType) or value is None:
            return Known(value)
        return Opaque()

    def of_Subscript(self, node: gast.Subscript, environment: dict) -> Abstract:
        base = self.evaluate(node.value, environment)
        index = self.passively(node.slice, environment)
        if base is NEVER:
            return NEVER
        if isinstance(base, Opaque) and base.active:
            base = replace(ANY, active=True)
        if isinstance(base, Items):
            position = known_value(index)
            if base.items is None:
                result = base.element
            elif type(position) is int:
                result = base.items[position] if -len(base.items) <= position < len(base.items) else NEVER
            else:
                result = self.element_of(base)
            if result.active and not self.passive_context and type(position) is not int:
                raise self.refusal("an element of a list of differentiated values is chosen by an index that is not "
                                   "written out", "make an array of the list with np.array or np.stack", node)
            return result
        if not isinstance(base, Numeric):
            return Opaque()
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        described = []
        for part in parts:
            bounds = None
            if isinstance(part, gast.Slice):
                values = [number_or_none(part.lower, self.facts), number_or_none(part.upper, self.facts),
                          number_or_none(part.step, self.facts)]
                bounds = tuple(values)
            described.append((self.facts.values.get(id(part), Opaque()), bounds))
        if len(parts) == 1 and isinstance(index, Items):
            result, kind = Numeric("any", base.dtype, None), "fancy"
        else:
            result, kind = index_result(base, described)
        self.facts.index_kinds[id(node)] = kind
        return replace(result, active=base.active)

    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        if isinstance(node.func, gast.Attribute):
            receiver = self.evaluate(node.func.value, environment)
            if receiver is NEVER:
                return NEVER
            if isinstance(receiver, Opaque) and receiver.active:
                receiver = replace(ANY, active=True)
            if isinstance(receiver, Numeric):
                return self.method(node, receiver, environment)
            if isinstance(receiver, Items) and node.func.attr in MUTATING_METHODS:
                raise self.refusal(f".{node.func.attr}() writes into the list, which is not supported yet",
                                   "build a new list", node)
            if receiver.active and not self.passive_context:
                raise self.refusal(f".{node.func.attr}() of a list or tuple of differentiated values is not supported "
                                   "yet", "make an array of it with np.array", node)
        function = known_value(self.evaluate(node.func, environment))
        starred = any(isinstance(item, gast.Starred) for item in node.args) or any(k.arg is None for k in node.keywords)
        arguments = [self.evaluate(item.value if isinstance(item, gast.Starred) else item, environment)
                     for item in node.args]
        keywords = {item.arg or "**": self.evaluate(item.value, environment) for item in node.keywords}
        values = [*arguments, *keywords.values()]
        if any(value is NEVER for value in values):
            return NEVER
        active = any(value.active for value in values) and not self.passive_context
        if starred:
            if active:
                raise self.refusal("* and ** arguments with differentiated values are not supported yet",
                                   "write the arguments out", node)
            return Opaque()
        if function is divmod and active and len(arguments) == 2:
            return self.divmod(node, arguments, environment)
        rule = rule_for(function)
        if rule is not None:
            return self.apply_call(node, rule, list(node.args), arguments, node.keywords, keywords)
        if not active:
            self.refuse_writes(node, function, values)
            return self.passive_call(function, arguments)
        if isinstance(function, (types.FunctionType, types.MethodType)) or hasattr(function, "__s2sgrad__"):
            return self.user_call(node, function, arguments, keywords)
        raise self.no_rule(node, function)

    def passive_call(self, function: Any, arguments: list[Abstract]) -> Abstract:
        if function is isinstance and len(arguments) == 2 and isinstance(arguments[0], Numeric):
            python = arguments[0].dtype.type(0).item() if arguments[0].dtype is not None else None
            if arguments[0].kind == "python" and isinstance(arguments[1], Known):
                return number(isinstance(python, arguments[1].value))
            if arguments[0].kind == "array" and isinstance(arguments[1], Known):
                return number(issubclass(np.ndarray, arguments[1].value))
        if function in (range, enumerate, zip, reversed):
            return Opaque()
        return Opaque()

    def refuse_writes(self, node: gast.Call, function: Any, values: list[Abstract]) -> None:
        """A passive call stays as it is; but what it writes into may have been saved by reference."""
        writable = any(isinstance(value, (Items, Opaque)) or isinstance(value, Numeric) and not value.is_number
                       for value in values)
        given = {item.arg: item.value for item in node.keywords}
        writes = isinstance(given.get("out", constant(None)), gast.Name) or may_write(function)
        if writable and writes:
            raise self.refusal("this call may write into its arguments, which is not supported yet",
                               "let it return a new array instead", node)

    def method(self, node: gast.Call, receiver: Numeric, environment: dict) -> Abstract:
        attribute = node.func.attr
        rule = METHODS.get(attribute)
        arguments = [self.evaluate(item, environment) for item in node.args]
        keywords = {item.arg or "**": self.evaluate(item.value, environment) for item in node.keywords}
        values = [receiver, *arguments, *keywords.values()]
        if any(value is NEVER for value in values):
            return NEVER
        if attribute in MUTATING_METHODS and not receiver.is_number:
            raise self.refusal(f".{attribute}() may write into the array, which is not supported yet",
                               "use the NumPy function that returns a new array", node)
        if rule is None or "**" in keywords or any(isinstance(item, gast.Starred) for item in node.args):
            if any(value.active for value in values) and not self.passive_context:
                raise self.refusal(f"the method .{attribute}() has no derivative rule",
                                   "use the NumPy function of that name, or add a rule with s2sgrad.rule", node)
            return Opaque()
        return self.apply_call(node, rule, [node.func.value, *node.args], [receiver, *arguments], node.keywords,
                               keywords)

    def apply_call(self, node: gast.Call, rule: Rule, nodes: list, values: list, keyword_nodes: list,
                   keywords: dict) -> Abstract:
        pairs = list(zip(nodes, values))
        try:
            bound = rule.bind(pairs, {item.arg: (item.value, keywords[item.arg]) for item in keyword_nodes})
        except TypeError as error:
            if "out" in keywords or any(value.active for value in (*values, *keywords.values())) \
                    and not self.passive_context:
                raise self.refusal(f"{rule.name} can't be differentiated here: {error}",
                                   "leave that argument out, or add a rule with s2sgrad.rule", node) from None
            return Opaque()
        operand_nodes, operands = {}, {}
        for name, pair in bound.items():
            if isinstance(pair, list):  # several positional arguments gathered under one parameter
                operand_nodes[name] = tuple_of([item for item, _ in pair])
                operands[name] = Items(tuple, tuple(value for _, value in pair))
                self.facts.values[id(operand_nodes[name])] = operands[name]
            else:
                operand_nodes[name], operands[name] = pair
        return self.apply(node, rule, operand_nodes, operands)

    def apply(self, node: Any, rule: Rule, nodes: dict[str, gast.AST], operands: dict[str, Abstract]) -> Abstract:
        """The result of a rule: passive if the rule is constant or none of its operands is active."""
        operation = Operation(rule, {name: as_numeric(passive(value)) for name, value in operands.items()})
        result = result_of(operation)
        operation.operands = {name: as_numeric(value) for name, value in operands.items()}
        active = any(value.active for value in operands.values()) and not rule.constant and not self.passive_context
        operation.result = result
        applied = Applied(operation, nodes)
        self.facts.applied[id(node)] = applied
        if not active:
            return result
        applied.nodes = {name: self.written_out(operand, operands[name]) for name, operand in nodes.items()}
        for name, _, operand, value in applied.active_operands():
            if isinstance(value, Items):
                raise self.refusal(f"{rule.name} takes a list of differentiated values only where it is written out",
                                   "write the list in the call", operand)
            if name not in rule.partials and can_be_active(value):
                raise self.refusal(f"{rule.name} has no derivative with respect to {name}",
                                   "keep that argument constant, or add a rule with s2sgrad.rule", operand)
        if isinstance(result, Items):
            if any(can_be_active(item) for item in result.items or (result.element,)):
                raise self.refusal(f"{rule.name} gives several results", "use the parts' own functions", node)
            return result
        active = any(rule.partials.get(name) is not ZERO and can_be_active(value)
                     for name, _, _, value in applied.active_operands())
        if isinstance(result, Numeric):
            return replace(result, active=active and can_be_active(result))
        return Opaque(active)

    def written_out(self, node: gast.AST, value: Abstract) -> gast.AST:
        """A list under a name as the list of its items, ``[name[0], name[1]]``, where their number is known."""
        if not (isinstance(node, gast.Name) and isinstance(value, Items) and value.items is not None and value.active):
            return node
        items = []
        for index, item in enumerate(value.items):
            place = constant(index)
            part = gast.copy_location(subscript(node, place), node)
            self.facts.values[id(place)] = number(index)
            self.facts.values[id(part)] = item
            items.append(part)
        display = gast.copy_location(tuple_of(items), node)
        self.facts.values[id(display)] = value
        return display

    def divmod(self, node: gast.Call, arguments: list[Abstract], environment: dict) -> Abstract:
        """The pair of quotient and rest; only the rest carries a derivative."""
        nodes = dict(zip(("x1", "x2"), node.args))
        quotient = self.apply(node, RULES[np.floor_divide], nodes, dict(zip(nodes, arguments)))
        rest = self.apply(node, RULES[np.remainder], nodes, dict(zip(nodes, arguments)))
        del self.facts.applied[id(node)]
        return Items(tuple, (quotient, rest))

    def user_call(self, node: gast.Call, function: Any, arguments: list, keywords: dict) -> Abstract:
        """A call of a function of the user's with active arguments: it gets a primal and an adjoint of its own."""
        try:
            bound = inspect.signature(function).bind(*range(len(arguments)), **{name: name for name in keywords})
        except (TypeError, ValueError) as error:
            raise self.refusal(f"this call does not fit the function's parameters: {error}", "", node) from None
        if isinstance(function, types.MethodType):
            raise self.refusal("methods are not supported yet", "call a function", node)
        names = list(inspect.signature(function).parameters)
        nodes: list[gast.AST | None] = []
        values: dict[str, Abstract | None] = {}
        keyword_nodes = {item.arg: item.value for item in node.keywords}
        for name in names:
            key = bound.arguments.get(name, MISSING)
            if key is MISSING:
                nodes.append(None)
                values[name] = None
            elif isinstance(key, int):
                nodes.append(node.args[key])
                values[name] = arguments[key]
            else:
                nodes.append(keyword_nodes[key])
                values[name] = keywords[key]
        derivative, result = self.derivative_of(function, values, self.node_location(node))
        active = [index for index, name in enumerate(names) if values[name] is not None and values[name].active]
        self.facts.calls[id(node)] = Called(derivative, nodes, active)
        return result

    # ---- loops over sequences

    def iterate(self, node: gast.AST, environment: dict) -> Abstract:
        """What a loop's target is bound to; the parts of ``zip``, ``enumerate`` and ``reversed`` are looked into."""
        if isinstance(node, gast.Call) and not node.keywords:
            function = known_value(self.evaluate(node.func, environment))
            if function is range:
                for item in node.args:
                    self.passively(item, environment)
                self.facts.values[id(node)] = Opaque()
                return INTEGER
            if function in (enumerate, zip, reversed) and node.args:
                self.facts.values[id(node)] = Opaque()
                parts = [self.iterate(item, environment) for item in node.args]
                if function is reversed:
                    return parts[0]
                if function is enumerate:
                    self.facts.values[id(node)] = Opaque()
                    return Items(tuple, (INTEGER, parts[0]))
                return Items(tuple, tuple(parts))
        value = self.evaluate(node, environment)
        self.note_aliases(node, environment)
        return self.element_of(value)

    def element_of(self, value: Abstract) -> Abstract:
        if value is NEVER:
            return NEVER
        if isinstance(value, Items):
            if value.items is None:
                return value.element
            result: Abstract = NEVER
            for item in value.items:
                result = merge(result, item)
            return result
        if isinstance(value, Numeric):
            if value.shape:
                rest = value.shape[1:]
                return Numeric("array" if rest else "scalar", value.dtype, rest, value.active)
            return Numeric("any", value.dtype, None, value.active)
        return Opaque(value.active)

    # ---- refusals

    def node_location(self, node: Any) -> Location:
        if getattr(node, "lineno", None) is None or not isinstance(node, gast.AST):
            return self.location
        return Location(self.location.filename, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
                        self.location.function)

    def refusal(self, reason: str, remedy: str, node: Any = None) -> UnsupportedError:
        return UnsupportedError(reason, remedy, self.location if node is None else self.node_location(node))

    def no_rule(self, node: gast.Call, function: Any) -> UnsupportedError:
        if function is MISSING:
            return self.refusal("the function called here is not known before the call", "call it by its name", node)
        module = getattr(function, "__module__", None) or ""
        label = getattr(function, "__name__", repr(function))
        if module and module != "builtins":
            label = f"{module}.{label}"
        return self.refusal(f"{label} has no derivative rule and no Python source", "add one with s2sgrad.rule", node)


def rule_for(function: Any) -> Rule | None:
    try:
        return RULES.get(function)
    except TypeError:
        return None


def as_numeric(value: Abstract) -> Abstract:
    """Where arithmetic succeeds on a value of unknown type, it is a number or an array."""
    return replace(ANY, active=value.active) if isinstance(value, Opaque) else value


def number_or_none(node: gast.AST | None, facts: Facts) -> Any:
    return None if node is None else known_value(facts.value(node))
