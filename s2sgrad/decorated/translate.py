"""Functions that tensors are given to, written anew in NumPy's terms: over arrays, with all that they take from outside
as parameters.

What is written is an ordinary function, which the compiler takes like one of the user's; its lines are the user's own.
"""
from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sgrad.autograd import grad_mode
from s2sgrad.compiler.again import GIVEN
from s2sgrad.compiler.emit import compile_text
from s2sgrad.compiler.locate import LOCATED, Located, locate
from s2sgrad.decorated.callees import Callees, Translated, Work
from s2sgrad.decorated.meanings import (
    ITEMS,
    LIST,
    MIXED,
    NO_ITEM,
    NUMBER,
    OTHER,
    TENSOR,
    Meaning,
    Path,
    constant,
    join,
    list_of,
)
from s2sgrad.decorated.operating import Spoken
from s2sgrad.entries import state_of
from s2sgrad.errors import Location

MOST_TURNS = 64
"""So many turns of a loop over objects are written out."""
MOST_ROUNDS = 20
"""So often a loop's body is looked at before what its names are must have settled."""


class Translation(Callees):
    """One function, for arguments of which this much is known."""

    def __init__(self, function: types.FunctionType, arguments: dict[str, Meaning], work: Work):
        super().__init__(function, arguments, work)
        located = locate(function)
        work.read[function] = state_of(function)
        self.located = located
        node = located.node
        self.location = Location(located.filename, node.lineno, node.col_offset, function=located.name)
        if isinstance(node, ast.AsyncFunctionDef):
            raise self.refusal("async code has no derivative", "write a plain function")
        self.taken = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} | set(arguments)
        self.result: Meaning | None = None
        self.left: list[list[dict]] = []
        self.counted: set[str] = set()
        self.perhaps: set[str] = set()
        """Parameters that are bound anew on one way and not on another."""

    # ---- the whole

    def run(self, top: bool) -> Translated:
        node = self.located.node
        env = dict(self.arguments)
        self.counted = self.rebound(node)
        body = node.body if isinstance(node.body, list) else [ast.copy_location(ast.Return(node.body), node.body)]
        made, end = self.block(body, env)
        if end is not None or self.result is None:  # the end of it is reached, or none: it always raises
            self.returns(constant(None))
        made = [*self.first_values(node), *made]
        used = {part.id for statement in made for part in ast.walk(statement) if isinstance(part, ast.Name)}
        self.lifts = {path: label for path, label in self.lifts.items() if label in used}  # not of net.layers in it
        passed = [name for name, value in self.arguments.items() if not top and value.path is None
                  and not self.is_constant(value)]
        labels = [*passed, *self.lifts.values()]
        name = node.name if not isinstance(node, ast.Lambda) else "function"
        spec = ast.arguments([], [ast.copy_location(ast.arg(label), node) for label in labels], None, [], [], None, [])
        tree = ast.FunctionDef(name, spec, made or [ast.copy_location(ast.Pass(), node)], [], None, None)
        if sys.version_info >= (3, 12):
            tree.type_params = []
        ast.copy_location(tree, node)
        ast.fix_missing_locations(tree)
        cells = {label: types.CellType(value) for label, value in self.objects.items()}
        function = compile_text(ast.unparse(tree) + "\n", name, self.function.__globals__, cells)
        function.__qualname__ = self.function.__qualname__
        setattr(function, LOCATED, Located(tree, self.located.filename, self.located.name))
        setattr(function, GIVEN, dict(self.objects))
        assert self.result is not None
        return Translated(function, list(self.lifts), passed, self.result, self.work.read)

    def first_values(self, node: Any) -> list[ast.stmt]:
        """What binds the parameters that keep their first value on some ways: those in the text to it; what comes from
        outside becomes a parameter here, too."""
        made: list[ast.stmt] = []
        for name in sorted(self.perhaps):
            value = self.arguments[name]
            if self.is_constant(value):
                constant, _ = self.of_Name(ast.copy_location(ast.Name(name, ast.Load()), node), self.arguments)
                made.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], constant, None), node))
            elif value.path is not None:
                self.lifted(value.path)
        return made

    def of_Name(self, node: ast.Name, env: dict) -> Spoken:
        value = self.arguments.get(node.id)
        own = env.get(node.id) is value
        if value is None or not own or not self.is_constant(value):
            return super().of_Name(node, env)
        example = value.example
        if example is None or type(example) in (bool, int, float, str):
            return ast.Constant(example), value
        return self.given(node.id, example) if node.id not in self.lifts.values() else node, value

    def returns(self, value: Meaning) -> None:
        value = replace(value, path=None) if value.kind != TENSOR else value
        self.result = value if self.result is None else join(self.result, value)
        if self.result.is_unclear:
            raise self.refusal("whether a tensor is returned here depends on the way that the call took",
                               "return the same kinds of values on all ways")

    def rebound(self, node: Any) -> set[str]:
        """The names that ``+=`` may bind anew where eager tensors without dimensions are written into: nobody else may
        have what they stand for. A name that is read otherwise than as an operand is none of them."""
        names = {part.target.id for part in ast.walk(node)
                 if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)}
        operands: set[int] = set()
        for part in ast.walk(node):
            inner: list = []
            if isinstance(part, ast.BinOp):
                inner = [part.left, part.right]
            elif isinstance(part, (ast.UnaryOp, ast.Return)):
                inner = [getattr(part, "operand", None) or getattr(part, "value", None)]
            elif isinstance(part, ast.Compare):
                inner = [part.left, *part.comparators]
            elif isinstance(part, (ast.Attribute, ast.Subscript, ast.AugAssign)):
                inner = [part.value]
            operands.update(id(item) for item in inner if isinstance(item, ast.Name))
        for part in ast.walk(node):
            if isinstance(part, ast.Return) and isinstance(part.value, ast.Tuple):
                operands.update(id(item) for item in part.value.elts if isinstance(item, ast.Name))
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and id(part) not in operands:
                names.discard(part.id)
        return names

    # ---- statements

    def block(self, body: list, env: dict | None) -> tuple[list, dict | None]:
        made: list = []
        for statement in body:
            if env is None:
                break
            self.location = replace(self.location, line=statement.lineno, column=statement.col_offset,
                                    end_line=statement.end_lineno, end_column=statement.end_col_offset)
            function: Callable | None = getattr(self, f"do_{type(statement).__name__}", None)
            if function is None:
                raise self.refusal("this statement is not supported in a decorated function that gets tensors",
                                   "move it out of the function", statement)
            found, env = function(statement, env)
            made += [ast.copy_location(item, statement) if getattr(item, "lineno", None) is None else item
                     for item in found]
        return made, env

    def do_Pass(self, node: ast.Pass, env: dict) -> tuple[list, dict | None]:
        return [node], env

    def do_Expr(self, node: ast.Expr, env: dict) -> tuple[list, dict | None]:
        if isinstance(node.value, ast.Constant):
            return [], env
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append" \
                and isinstance(call.func.value, ast.Name) and len(call.args) == 1:
            held = env.get(call.func.value.id)
            if held is not None and held.kind in (ITEMS, LIST) and isinstance(held.example, list) and held.path is None:
                item, value = self.plain(call.args[0], env)
                env = {**env, call.func.value.id: self.appended(held, replace(value, path=None, known=False))}
                return [ast.Expr(ast.fix_missing_locations(ast.copy_location(
                    ast.Call(call.func, [item], []), call)))], env
        made, _ = self.plain(call, env)
        return [ast.Expr(made)], env

    def appended(self, held: Meaning, value: Meaning) -> Meaning:
        if held.kind == ITEMS and not self.left:
            parts = (*held.parts, value)
            return Meaning(ITEMS, [*held.example, value.example], live=self.any_live(parts), parts=parts)
        return list_of((*held.parts, value))

    def do_Assign(self, node: ast.Assign, env: dict) -> tuple[list, dict | None]:
        made, value = self.expression(node.value, env)
        env = dict(env)
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                return self.store(node, target, made, value, env)
            self.bind(target, value, env)
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Name):
                self.counted.discard(target.id)
        return [ast.Assign(node.targets, made, None)], env

    def bind(self, target: Any, value: Meaning, env: dict) -> None:
        # a name bound here stands for itself from now on, whatever its value came from
        if isinstance(target, ast.Name) and value.path is not None and value.kind != OTHER:
            value = replace(value, path=None)
        super().bind(target, value, env)

    def do_AnnAssign(self, node: ast.AnnAssign, env: dict) -> tuple[list, dict | None]:
        if node.value is None or not isinstance(node.target, ast.Name):
            raise self.refusal("this annotation is not supported here", "leave it away", node)
        return self.do_Assign(ast.copy_location(ast.Assign([node.target], node.value, None), node), env)

    def store(self, node: Any, target: ast.Subscript, made: Any, value: Meaning, env: dict) -> tuple[list, dict | None]:
        """``x[i] = v``, into a tensor that was made here."""
        label = target.value.id if isinstance(target.value, ast.Name) else ""
        if label not in env:
            raise self.refusal("this writes into what comes from outside", "return it instead", target)
        held = env[label]
        if not held.holds_tensors and not value.holds_tensors:
            return [ast.Assign([self.stored(target, env)], made, None)], env
        if held.kind != TENSOR or held.path is not None or not held.example._array.ndim or not self.recording:
            raise self.refusal("this writes into what comes from outside, or into a container",
                               "build a new one, or clone it first", target)
        if value.kind not in (TENSOR, NUMBER) or value.kind == TENSOR \
                and value.example._array.dtype != held.example._array.dtype:
            raise self.refusal("what is stored here is not known to have the tensor's dtype", "convert it first",
                               target)
        live = held.live if held.live == value.live else True if True in (held.live, value.live) else None
        env[label] = replace(held, live=live, node="CopySlices")
        return [ast.Assign([self.stored(target, env)], made, None)], env

    def stored(self, target: ast.Subscript, env: dict) -> Any:
        index, place = self.index(target.slice, env)
        held = self.plain(target.value, env)[1]
        self.check_index(target, place, held)
        made = self.item_of(ast.Subscript(target.value, index, ast.Store()), place.example, held)
        return ast.fix_missing_locations(ast.copy_location(made, target))

    def do_AugAssign(self, node: ast.AugAssign, env: dict) -> tuple[list, dict | None]:
        target = node.target
        if isinstance(target, ast.Subscript):
            load = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
            made, value = self.plain(ast.copy_location(ast.BinOp(load, node.op, node.value), node), env)
            _, env_after = self.store(node, target, made, value, dict(env))
            part, _ = self.plain(node.value, env)
            return [ast.AugAssign(self.stored(target, env), node.op, part)], env_after
        if isinstance(target, ast.Attribute) or target.id not in env:
            raise self.refusal("this writes into what comes from outside", "return it instead", node)
        held = env[target.id]
        name = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        made, value = self.plain(ast.copy_location(ast.BinOp(name, node.op, node.value), node), env)
        env = {**env, target.id: replace(value, path=None)}
        if held.kind == TENSOR and held.example._array.ndim and value.kind == TENSOR:
            if held.path is not None or not self.recording:
                raise self.refusal("this writes into what comes from outside", "clone it first", node)
            if value.array != held.array or not isinstance(made, ast.BinOp):
                raise self.refusal("what is written here has another dtype or shape than the tensor",
                                   "write x = x + y", node)
            part, _ = self.plain(node.value, env)
            return [ast.AugAssign(target, node.op, part)], env
        if held.kind in (TENSOR, MIXED) and target.id not in self.counted:
            raise self.refusal(f"this writes into {target.id}, which may be known under another name",
                               f"write {target.id} = {target.id} + ...", node)
        if held.path is not None and held.kind == TENSOR:
            raise self.refusal("this writes into what comes from outside", "clone it first", node)
        return [ast.Assign([target], made, None)], env

    def do_Return(self, node: ast.Return, env: dict) -> tuple[list, dict | None]:
        if node.value is None:
            self.returns(constant(None))
            return [node], None
        made, value = self.expression(node.value, env)
        self.returns(value)
        return [ast.Return(made)], None

    def do_If(self, node: ast.If, env: dict) -> tuple[list, dict | None]:
        test, outcome = self.test(node.test, env)
        if outcome is not None:
            return self.block(node.body if outcome else node.orelse, env)
        self.unsure = True
        then, one = self.block(node.body, dict(env))
        orelse, other = self.block(node.orelse, dict(env))
        return [ast.If(test, then or [ast.copy_location(ast.Pass(), node)], orelse)], self.met(one, other)

    def do_For(self, node: ast.For, env: dict) -> tuple[list, dict | None]:
        if node.orelse:
            raise self.refusal("the else of a loop is not supported here", "write it behind the loop", node)
        turns = None if leaves_early(node.body) else self.turns(node.iter, env)
        if turns and any(map(holds_object, turns)) and all(bound(node.target, value) is not None for value in turns):
            return self.in_turn(node, turns, env)
        if self.iterated(node.iter, env)[1] is NO_ITEM:
            return [], env

        def turn(env: dict) -> tuple[Any, list, dict | None]:
            iterable, element = self.iterated(node.iter, env)
            inner = dict(env)
            self.bind(node.target, element, inner)
            body, end = self.block(node.body, inner)
            return iterable, body, end

        (iterable, body), after = self.settled(env, turn)
        return [ast.For(node.target, iterable, body, [], None)], after

    def turns(self, node: Any, env: dict) -> list[Meaning] | None:
        """What a loop over a few values from outside binds its target to, turn by turn; None of other loops."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in env \
                and node.args and not node.keywords:
            function = getattr(builtins, node.func.id, None)
            several = [self.turns(item, env) for item in node.args] if function in (enumerate, zip, reversed) else []
            if several and all(items is not None for items in several):
                if function is reversed:
                    return list(reversed(several[0] or []))
                if function is enumerate:
                    several.insert(0, [constant(number) for number in range(len(several[0] or []))])
                return [Meaning(ITEMS, tuple(part.example for part in parts), live=self.any_live(parts), parts=parts)
                        for parts in zip(*(items or [] for items in several))]
        reached = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node
        if not isinstance(reached, (ast.Name, ast.Attribute, ast.Subscript)):
            return None
        _, value = self.plain(node, env)
        few = isinstance(value.example, (tuple, list)) and len(value.parts) <= MOST_TURNS
        return list(value.parts) if value.is_settled and few else None

    def in_turn(self, node: ast.For, turns: list[Meaning], env: dict | None) -> tuple[list, dict | None]:
        """The body of a loop once for each turn."""
        made: list = []
        for value in turns:
            if env is None:
                break
            env = dict(env)
            self.bind(node.target, value, env)
            made += [ast.Assign([ast.Name(label, ast.Store())], ast.Constant(part.example) if part.path is None
                                else self.from_outside(node, part.path)[0], None)
                     for label, part in bound(node.target, value) or [] if not part.is_object]
            body, env = self.block(node.body, env)
            made += body
        return made, env

    def do_While(self, node: ast.While, env: dict) -> tuple[list, dict | None]:
        if node.orelse:
            raise self.refusal("the else of a loop is not supported here", "write it behind the loop", node)

        def turn(env: dict) -> tuple[Any, list, dict | None]:
            test, _ = self.plain(node.test, env)
            body, end = self.block(node.body, dict(env))
            return test, body, end

        (test, body), after = self.settled(env, turn)
        return [ast.While(test, body, [])], after

    def settled(self, env: dict, turn: Callable) -> tuple[tuple[Any, list], dict]:
        """A loop's body, looked at until its names stay what they are."""
        self.unsure = True
        result = self.result
        for _ in range(MOST_ROUNDS):
            self.left.append([])
            self.result = result
            header, body, end = turn(env)
            ways = [*self.left.pop(), *([end] if end is not None else [])]
            after = env
            for way in ways:
                after = self.met(after, way) or env
            if {name: value.signature() for name, value in after.items() if name in env} == {
                    name: value.signature() for name, value in env.items()}:
                return (header, body or [ast.Pass()]), after
            env = {name: after[name] for name in after}
        raise AssertionError(f"the loop in line {self.location.line} does not settle")

    def met(self, first: dict | None, second: dict | None) -> dict | None:
        """What names stand for where two ways meet."""
        if first is not None and second is not None:
            self.perhaps |= {name for name, value in self.arguments.items()
                             if (first.get(name) is value) is not (second.get(name) is value)}
        return joined(first, second)

    def do_Break(self, node: Any, env: dict) -> tuple[list, dict | None]:
        self.left[-1].append(env)
        return [node], None

    do_Continue = do_Break

    def do_Raise(self, node: ast.Raise, env: dict) -> tuple[list, dict | None]:
        made = None if node.exc is None else self.plain(node.exc, env)[0]
        if node.cause is not None:
            raise self.refusal("a cause is not supported here", "raise without it", node)
        return [ast.Raise(made, None)], None

    def do_Assert(self, node: ast.Assert, env: dict) -> tuple[list, dict | None]:
        made, _ = self.plain(node.test, env)
        message = None if node.msg is None else self.plain(node.msg, env)[0]
        return [ast.Assert(made, message)], env

    def do_With(self, node: ast.With, env: dict) -> tuple[list, dict | None]:
        """``with torch.no_grad():`` and its kin are a part of their block; others are not supported."""
        before = self.recording
        for item in node.items:
            call = item.context_expr
            function, values = (call.func, call.args) if isinstance(call, ast.Call) else (call, [])
            _, value = self.expression(function, env)
            kind = value.example if value.known else None
            given = [self.value_of(self.plain(part, env)[1], part) for part in values]
            if kind is grad_mode.set_grad_enabled and len(given) == 1:
                self.recording = bool(given[0])
            elif kind in (grad_mode.no_grad, grad_mode.inference_mode) and given in ([], [True]):
                self.recording = False
            elif kind is grad_mode.enable_grad and not given:
                self.recording = True
            else:
                raise self.refusal("this context manager is not supported in a decorated function that gets tensors",
                                   "enter it outside", node)
        try:
            return self.block(node.body, env)
        finally:
            self.recording = before

    # ---- functions that are called

    def called(self, node: Any, function: types.FunctionType, arguments: dict[str, Meaning]) -> Translated:
        key = function, tuple((name, value.signature()) for name, value in arguments.items())
        if key in self.work.running:
            raise self.refusal("a function that calls itself is not supported with tensors", "write a loop", node)
        if key not in self.work.done:
            self.work.running.append(key)
            try:
                self.work.done[key] = Translation(function, arguments, self.work).run(False)
            finally:
                self.work.running.pop()
        return self.work.done[key]


def leaves_early(body: list) -> bool:
    """Whether a turn of the loop around may end before the end of its body."""
    return any(isinstance(part, (ast.Break, ast.Continue)) for statement in body for part in ast.walk(statement))


def bound(target: ast.expr, value: Meaning) -> list[tuple[str, Meaning]] | None:
    """The names in a target, and what is bound to them: constants, and what is reached from outside; else None."""
    if isinstance(target, ast.Name):
        return [(target.id, value)] if value.path is not None or value.is_fixed and value.kind != ITEMS else None
    if not isinstance(target, (ast.Tuple, ast.List)) or value.kind != ITEMS or len(value.parts) != len(target.elts):
        return None
    found: list[tuple[str, Meaning]] = []
    for part, item in zip(target.elts, value.parts):
        inner = bound(part, item)
        if inner is None:
            return None
        found += inner
    return found


def holds_object(value: Meaning) -> bool:
    return value.is_object or any(map(holds_object, value.parts))


def joined(first: dict | None, second: dict | None) -> dict | None:
    """What names stand for where two ways meet; one that is bound on one way only keeps what it is there."""
    if first is None or second is None:
        return first if second is None else second
    found = {}
    for name in dict.fromkeys((*first, *second)):
        if name in first and name in second:
            value = join(first[name], second[name])
            same = first[name].path == second[name].path
            found[name] = value if same else replace(value, path=None)
        else:
            found[name] = first.get(name) or second[name]
    return found


def translated(function: types.FunctionType, arguments: dict[str, Meaning], meanings: dict[Path, Meaning]
               ) -> Translated:
    """The function in NumPy's terms, for arguments and outer values of which this much is known.

    Raises UnsupportedError for what can't be written in them, and NeedsRead and NeedsNumber for what the key of the
    call must hold, too.
    """
    return Translation(function, arguments, Work(meanings)).run(True)
