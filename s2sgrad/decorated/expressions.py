"""Expressions of a function that tensors are given to, written in NumPy's terms."""
from __future__ import annotations

import ast
import builtins
import operator
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.containers import is_integer
from s2sgrad.decorated import spoken
from s2sgrad.decorated.calling import Calling
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
    has_own_attributes,
    join,
    list_of,
    steps_of,
)
from s2sgrad.decorated.operating import NeedsNumber
from s2sgrad.decorated.spoken import ATTRIBUTES, OF_THE_GRAPH, Spoken
from s2sgrad.extending import stop_gradient
from s2sgrad.shim.dtypes import Size
from s2sgrad.shim.indexing import consumed, is_advanced, is_one_block, plain_index, stands_for_tuple, taken_by
from s2sgrad.shim.tensor import Tensor, new_tensor

OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.USub: operator.neg,
    ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other, ast.LShift: operator.lshift, ast.RShift: operator.rshift}


class Expressions(Calling):
    """All expressions but calls."""

    def of_Constant(self, node: ast.Constant, env: dict) -> Spoken:
        return node, constant(node.value)

    def of_JoinedStr(self, node: ast.JoinedStr, env: dict) -> Spoken:
        values = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                made, value = self.plain(part.value, env)
                if value.holds_tensors:
                    raise self.refusal("the text of a tensor is not that of its array",
                                       "give it x.item() or x.tolist()", part)
                wanted = part.format_spec and self.expression(part.format_spec, env)[0]
                part = ast.FormattedValue(self.shown(made, value), part.conversion, wanted)
            values.append(part)
        return ast.JoinedStr(values), Meaning(OTHER)

    def of_Name(self, node: ast.Name, env: dict) -> Spoken:
        if node.id in env:
            value = env[node.id]
            return self.placed(node, value)
        return self.from_outside(node, self.outer(node.id))

    def from_outside(self, node: Any, path: Path) -> Spoken:
        """A value from outside: tensors become parameters."""
        value = self.read(path)
        return self.placed(node, value)

    def placed(self, node: Any, value: Meaning) -> Spoken:
        path = value.path
        if path is None:
            return node, value
        if value.kind in (TENSOR, NUMBER) or value.kind == ITEMS or value.is_array:
            return self.lifted(path), value
        if value.known and not isinstance(path.root, str) and not path.steps and isinstance(
                path.root.holder, dict) and self.sees(path):
            return node, value
        if value.known:
            if value.example is None or type(value.example) in (bool, str):
                return ast.Constant(value.example), value
            return self.given(path.label, value.example), value
        return self.lifted(path), value

    def of_Attribute(self, node: ast.Attribute, env: dict) -> Spoken:
        base, value = self.plain(node.value, env)
        if value.kind in (TENSOR, MIXED):
            return self.tensor_attribute(node, base, value)
        fields = getattr(value.form or type(value.example), "_fields", ())
        if value.kind == ITEMS and node.attr in fields:
            place = fields.index(node.attr)
            part = base.elts[place] if isinstance(base, ast.Tuple) else \
                ast.Attribute(base, node.attr, ast.Load()) if value.form is None else \
                ast.Subscript(base, ast.Constant(place), ast.Load())
            return part, value.parts[place]
        if value.path is not None and value.known and (
                not isinstance(value.example, types.ModuleType) or has_own_attributes(value.example)):
            found = getattr(type(value.example), node.attr, None)
            if isinstance(found, property):
                raise self.refusal(f"{node.attr} is computed where it is read", "call a method that computes it", node)
            return self.from_outside(ast.Attribute(base, node.attr, ast.Load()), value.path.to(True, node.attr))
        if value.known and not has_own_attributes(value.example) and hasattr(value.example, node.attr):
            return ast.Attribute(base, node.attr, ast.Load()), constant(getattr(value.example, node.attr))
        if value.holds_tensors:
            raise self.refusal(f".{node.attr} of a container of tensors is not supported here", "name its parts", node)
        return ast.Attribute(base, node.attr, ast.Load()), Meaning(OTHER)

    def tensor_attribute(self, node: ast.Attribute, base: Any, value: Meaning) -> Spoken:
        if node.attr in OF_THE_GRAPH:
            raise self.refusal(f".{node.attr} belongs to the graph, and this function is one node of it",
                               "ask for it outside", node)
        if value.kind == TENSOR and node.attr in ATTRIBUTES:
            return ATTRIBUTES[node.attr](self, base, value)
        if value.kind == TENSOR and isinstance(getattr(Tensor, node.attr, None), property):
            return self.traced(node, lambda tensor: getattr(tensor, node.attr), [base], [value])
        raise self.refusal(f"the attribute .{node.attr} of a tensor is not supported here", "use a function of tensors",
                           node)

    def of_BinOp(self, node: ast.BinOp, env: dict) -> Spoken:
        pairs = [self.plain(side, env) for side in (node.left, node.right)]
        return self.operator(node, type(node.op), pairs, lambda *nodes: ast.BinOp(nodes[0], node.op, nodes[1]))

    def of_UnaryOp(self, node: ast.UnaryOp, env: dict) -> Spoken:
        pair = self.plain(node.operand, env)
        if isinstance(node.op, ast.Not):
            truth = pair[1].truth
            return ast.UnaryOp(node.op, pair[0]), spoken.number(False) if truth is None else constant(not truth)
        return self.operator(node, type(node.op), [pair], lambda operand: ast.UnaryOp(node.op, operand))

    def of_Compare(self, node: ast.Compare, env: dict) -> Spoken:
        pairs = [self.plain(side, env) for side in (node.left, *node.comparators)]
        pairs = [(self.uncut(made), value) for made, value in pairs]
        values = [value for _, value in pairs]
        if len(node.ops) > 1:
            if any(value.holds_tensors for value in values):
                raise self.refusal("a chain of comparisons of tensors is not supported here",
                                   "write it as two, with and between", node)
            return ast.Compare(pairs[0][0], node.ops, [part for part, _ in pairs[1:]]), spoken.number(False)
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self.identity(node, pairs)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and values[0].known and values[1].is_settled \
                and isinstance(values[1].example, dict):
            found = (values[0].example in steps_of(values[1])) is isinstance(node.ops[0], ast.In)
            return ast.Constant(found), constant(found)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and any(value.holds_tensors for value in values):
            raise self.refusal("a search for tensors is not supported here", "compare one by one", node)
        return self.operator(node, type(node.ops[0]), pairs,
                             lambda first, second: ast.Compare(first, node.ops, [second]))

    def uncut(self, made: ast.expr) -> ast.expr:
        """``x.item()`` for ``stop_gradient(x).item()`` in a comparison, through which no derivative leads anyway, and
        ``x[0]`` for ``detached(x)[0]``."""
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) \
                and self.objects.get(made.func.id) in (stop_gradient, spoken.detached):
            return made.args[0]
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute):
            return ast.Call(ast.Attribute(self.uncut(made.func.value), made.func.attr, made.func.ctx), made.args,
                            made.keywords)
        if isinstance(made, ast.Subscript):
            return ast.Subscript(self.uncut(made.value), made.slice, made.ctx)
        return made

    def identity(self, node: ast.Compare, pairs: list[Spoken]) -> Spoken:
        (first, one), (second, other) = pairs
        if one.holds_tensors or other.holds_tensors:
            sides = [value for value in (one, other) if not value.holds_tensors]
            if len(sides) != 1 or MIXED in (one.kind, other.kind):
                raise self.refusal("whether two tensors are the same object is not known here", "compare their values",
                                   node)
            found = isinstance(node.ops[0], ast.IsNot)
            return ast.Constant(found), constant(found)
        made = ast.Compare(first, node.ops, [second])
        if one.known and other.known:
            found = (one.example is other.example) is isinstance(node.ops[0], ast.Is)
            return ast.Constant(found), constant(found)
        return made, spoken.number(False)

    def operator(self, node: Any, kind: type, pairs: list[Spoken], rebuild: Callable) -> Spoken:
        nodes, values = [part for part, _ in pairs], [value for _, value in pairs]
        function = OPERATORS[kind]
        if not any(value.kind in (TENSOR, MIXED) for value in values):
            if any(value.holds_tensors for value in values):
                return self.containers(node, kind, values, rebuild(*nodes))
            return rebuild(*nodes), self.evaluated(function, values)
        if kind is ast.Invert and values[0].kind == TENSOR:
            return rebuild(*nodes), self.made(lambda: ~values[0].example, False, node)
        if kind is ast.FloorDiv and self.any_live(values) is not False and self.recording:
            raise self.refusal("x // y has no derivative", "detach its operands", node)
        return self.traced(node, function, nodes, values)

    def containers(self, node: Any, kind: type, values: list[Meaning], made: Any) -> Spoken:
        """``[x] + [y]`` and ``[x] * n``."""
        first, *rest = values
        if kind is ast.Add and {value.kind for value in values} <= {ITEMS, LIST}:
            second = rest[0]
            if first.kind == second.kind == ITEMS and type(first.example) is type(second.example):
                parts = (*first.parts, *second.parts)
                return made, Meaning(ITEMS, first.example + second.example, live=self.any_live(parts), parts=parts)
            return made, list_of((*first.parts, *second.parts))
        raise self.refusal("what this does with a container of tensors is not supported here",
                           "build the container one item after another", node)

    def of_Tuple(self, node: Any, env: dict) -> Spoken:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return self.of_other(node, env)
        pairs = [self.expression(item, env) for item in node.elts]
        parts = tuple(value for _, value in pairs)
        kind = tuple if isinstance(node, ast.Tuple) else list
        known = all(part.known for part in parts)
        made = ast.copy_location(type(node)([part for part, _ in pairs], ast.Load()), node)
        return made, Meaning(ITEMS, kind(part.example for part in parts), known, self.any_live(parts), parts)

    of_List = of_Tuple

    def of_Dict(self, node: ast.Dict, env: dict) -> Spoken:
        if any(key is None for key in node.keys):
            return self.of_other(node, env)
        keys = [self.expression(key, env) for key in node.keys]
        pairs = [self.expression(item, env) for item in node.values]
        made = ast.Dict([key for key, _ in keys], [part for part, _ in pairs])
        parts = tuple(value for _, value in pairs)
        if not all(key.known for _, key in keys):
            return self.of_other(node, env)
        return made, Meaning(ITEMS, dict(zip([key.example for _, key in keys], [part.example for part in parts])),
                             live=self.any_live(parts), parts=parts)

    def of_Subscript(self, node: ast.Subscript, env: dict) -> Spoken:
        base, value = self.plain(node.value, env)
        index, place = self.index(node.slice, env)
        made = ast.Subscript(base, index, ast.Load())
        if value.kind == TENSOR:
            return self.tensor_item(node, made, value, place)
        if value.kind == ITEMS:
            return self.container_item(node, made, value, place)
        if value.kind == LIST and value.parts:
            return made, value if isinstance(node.slice, ast.Slice) else value.parts[0]
        if value.kind == MIXED:
            raise self.refusal("this may be a number or a tensor, which this tells apart",
                               "start with a tensor: torch.tensor(1.0)", node)
        if place.holds_tensors:
            raise self.refusal("a tensor chooses an item here", "use x.item()", node)
        return made, self.evaluated(operator.getitem, [value, place])

    def index(self, node: Any, env: dict) -> Spoken:
        """An index: of a slice the bounds."""
        if isinstance(node, ast.Slice):
            bounds = [None if part is None else self.plain(part, env) for part in (node.lower, node.upper, node.step)]
            values = [None if bound is None else bound[1] for bound in bounds]
            if any(value is not None and value.holds_tensors for value in values):
                raise self.refusal("a tensor bounds a slice here", "use x.item()", node)
            known = all(value is None or value.known for value in values)
            example = slice(*(None if value is None else value.example for value in values))
            return ast.Slice(*(None if bound is None else bound[0] for bound in bounds)), Meaning(OTHER, example, known)
        if isinstance(node, ast.List):
            listed, value = self.plain(node, env)
            return ast.Call(self.numpy("array"), [listed], []), value
        if isinstance(node, ast.Tuple):
            pairs = [self.index(part, env) for part in node.elts]
            parts = tuple(value for _, value in pairs)
            return ast.Tuple([part for part, _ in pairs], ast.Load()), Meaning(
                ITEMS, tuple(part.example for part in parts), all(part.known for part in parts), parts=parts)
        return self.plain(node, env)

    def tensor_item(self, node: Any, made: Any, value: Meaning, place: Meaning) -> Spoken:
        parts = place.parts if isinstance(node.slice, ast.Tuple) else (place,)
        for part in parts:
            if part.kind == OTHER and isinstance(part.example, slice) and (part.example.step or 1) < 0:
                raise self.refusal("a tensor has no slices with negative steps", "use flip", node)
            if part.kind == MIXED or part.kind == OTHER and not part.known and not isinstance(part.example, slice):
                raise self.refusal("what this index is, is not known before the call", "use an int or a tensor", node)
        self.check_index(node, place, value)
        made = self.item_of(made, place.example, value)
        last = max((abs(part.example) for part in parts if type(part.example) is int), default=1)
        made_value = self.made(lambda: self.living(value)[place.example], value.live, node, last + 1)
        if not self.recording and value.live is not False:
            return self.calls(stop_gradient, made), replace(made_value, live=False, node=None)
        return made, made_value

    def check_index(self, node: Any, place: Meaning, value: Meaning) -> None:
        if value.kind == TENSOR and stands_for_tuple(place.example):
            raise self.refusal("PyTorch takes this list of indices for a tuple", "write a tuple", node)
        parts = place.parts if isinstance(node.slice, ast.Tuple) else (place,)
        if value.kind == TENSOR and any(part.kind == TENSOR and part.array[0] == np.uint8 for part in parts):
            raise self.refusal("PyTorch takes these bytes for flags", "convert them with .bool() or .long()", node)

    def item_of(self, made: ast.Subscript, index: Any, value: Meaning) -> ast.Subscript:
        """An item of a tensor as NumPy gives it. What it would take for something between two arrays is left out, an
        ellipsis that stands for no dimension; where it would count the index's numbers among its arrays there are two
        steps."""
        if not isinstance(made.slice, ast.Tuple) or not isinstance(index, tuple):
            return made
        parts, nodes = plain_index(index), made.slice.elts
        if is_advanced(parts) and any(part is Ellipsis for part in index) and consumed(
                parts) == value.example._array.ndim:
            nodes = [node for node, part in zip(nodes, parts) if part is not Ellipsis]
            parts = tuple(part for part in parts if part is not Ellipsis)
            made = ast.Subscript(made.value, ast.Tuple(nodes, ast.Load()), made.ctx)
        if is_one_block(parts):
            return made
        first: list[ast.expr] = []
        rest: list[ast.expr] = []
        for node, part in zip(nodes, parts):
            if is_integer(part):
                first.append(node)
                continue
            rest.append(node)
            if part is Ellipsis:
                first.append(node)
            elif part is not None:
                first += [ast.Slice(None, None, None)] * taken_by(part)
        part_of = ast.Subscript(made.value, ast.Tuple(first, ast.Load()), ast.Load())
        return ast.Subscript(part_of, ast.Tuple(rest, ast.Load()), made.ctx)

    def container_item(self, node: Any, made: Any, value: Meaning, place: Meaning) -> Spoken:
        if isinstance(node.slice, ast.Slice) and place.known and not isinstance(value.example, dict):
            parts = value.parts[place.example]
            return made, Meaning(ITEMS, value.example[place.example], live=self.any_live(parts), parts=parts,
                                 form=Size if value.form is Size else None)
        if place.kind == NUMBER and not place.known and value.path is not None and place.path is not None:
            raise NeedsNumber(place.path)
        if not place.known:
            if isinstance(node.slice, ast.Slice) or not value.parts:
                raise self.refusal("which part this is, is not known before the call", "write the index out", node)
            found = value.parts[0]
            for part in value.parts[1:]:
                found = join(found, replace(part, path=None))
            return made, replace(found, path=None)
        steps = steps_of(value)
        key = place.example
        if type(key) is int and not isinstance(value.example, dict):
            key = key % len(steps) if steps and -len(steps) <= key < len(steps) else key
        if key not in steps:
            raise self.refusal("there is no such part", "look for it with in", node)
        if isinstance(made.value, ast.Tuple) and value.form is not None:
            made = made.value.elts[steps.index(key)]
        part = value.parts[steps.index(key)]
        return self.placed(made, part) if part.is_object else (made, replace(part, path=None))

    def test(self, node: Any, env: dict) -> tuple[Any, bool | None]:
        """A test, and its outcome where that is known."""
        made, value = self.plain(node, env)
        return made, value.truth

    def of_IfExp(self, node: ast.IfExp, env: dict) -> Spoken:
        test, outcome = self.test(node.test, env)
        if outcome is not None:
            return self.expression(node.body if outcome else node.orelse, env)
        self.unsure = True
        (first, one), (second, other) = (self.expression(part, env) for part in (node.body, node.orelse))
        return ast.IfExp(test, first, second), replace(join(one, other), path=None)

    def of_BoolOp(self, node: ast.BoolOp, env: dict) -> Spoken:
        stop = isinstance(node.op, ast.Or)
        kept: list[Spoken] = []
        for part in node.values:
            made, value = self.plain(part, env)
            if value.truth is not None:
                if value.truth is stop:
                    kept.append((made, value))
                    break
                if part is not node.values[-1]:
                    continue
            kept.append((made, value))
        found = kept[0][1]
        for _, value in kept[1:]:
            found = join(found, value)
        return (kept[0] if len(kept) == 1 else (
            ast.BoolOp(node.op, [part for part, _ in kept]), replace(found, path=None, known=False)))

    def of_ListComp(self, node: ast.ListComp, env: dict) -> Spoken:
        inner = dict(env)
        generators = []
        for item in node.generators:
            iterable, element = self.iterated(item.iter, inner)
            self.bind(item.target, element, inner)
            if element is NO_ITEM:
                return ast.List([], ast.Load()), Meaning(ITEMS, [])
            tests = [self.plain(test, inner)[0] for test in item.ifs]
            generators.append(ast.comprehension(item.target, iterable, tests, 0))
        made, value = self.plain(node.elt, inner)
        value = replace(value, path=None, known=False)
        count = self.count(node, env)
        return ast.ListComp(made, generators), list_of((value,)) if count is None else Meaning(
            ITEMS, [value.example] * count, live=value.live, parts=(value,) * count)

    def count(self, node: ast.ListComp, env: dict) -> int | None:
        """How many items a list comprehension has; None where that is not known."""
        first, *more = node.generators
        if more or first.ifs or not isinstance(first.iter, (ast.Name, ast.Attribute, ast.Subscript)):
            return None
        _, value = self.plain(first.iter, env)
        return len(value.parts) if value.is_settled else None

    def iterated(self, node: Any, env: dict) -> Spoken:
        """What a loop runs over, and what its target is bound to."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in env \
                and not node.keywords and node.args:
            function = getattr(builtins, node.func.id, None)
            if function in (enumerate, zip, reversed):
                pairs = [self.iterated(item, env) for item in node.args]
                values = tuple(value for _, value in pairs)
                made = ast.Call(node.func, [part for part, _ in pairs], [])
                ast.fix_missing_locations(ast.copy_location(made, node))
                if any(value is NO_ITEM for value in values):
                    return made, NO_ITEM
                if function is reversed:
                    return made, values[0]
                parts = (spoken.number(0), values[0]) if function is enumerate else values
                return made, Meaning(ITEMS, tuple(part.example for part in parts), live=self.any_live(parts),
                                     parts=parts)
            if function is range:
                return self.expression(node, env)[0], spoken.number(0)
        made, value = self.plain(node, env)
        return made, self.element(node, value)

    def element(self, node: Any, value: Meaning) -> Meaning:
        if value.kind == TENSOR:
            array = value.example._array
            if not array.ndim:
                raise self.refusal("a tensor without dimensions can't be run through", "reshape it to one", node)
            example = new_tensor(array[0, ...] if len(array) else np.zeros(array.shape[1:], array.dtype))
            node_name = "UnbindBackward0" if value.live is not False else None
            return Meaning(TENSOR, example, live=value.live, node=node_name)
        if value.kind in (ITEMS, LIST):
            parts = value.parts if not isinstance(value.example, dict) else tuple(map(constant, steps_of(value)))
            if not parts:
                just_made = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
                return NO_ITEM if value.is_settled or just_made else Meaning(OTHER)
            found = replace(parts[0], path=None)
            for part in parts[1:]:
                found = join(found, replace(part, path=None))
            return found
        if value.kind == OTHER and isinstance(value.example, range):
            return spoken.number(0)
        if value.kind == MIXED:
            raise self.refusal("this may be a number or a tensor, which this tells apart",
                               "start with a tensor: torch.tensor(1.0)", node)
        return Meaning(OTHER)

    def bind(self, target: Any, value: Meaning, env: dict) -> None:
        if isinstance(target, ast.Name):
            env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = [place for place, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
            if starred:
                self.bind_starred(target, starred[0], value, env)
            elif value.kind == ITEMS and len(value.parts) == len(target.elts):
                for part, item in zip(target.elts, value.parts):
                    self.bind(part, item, env)
            elif value.kind in (TENSOR, LIST):
                element = self.element(target, value)
                for part in target.elts:
                    self.bind(part, element, env)
            else:
                for part in target.elts:
                    self.bind(part, Meaning(OTHER), env)
        else:
            raise self.refusal("this target is not supported in a decorated function", "assign to names", target)

    def bind_starred(self, target: Any, place: int, value: Meaning, env: dict) -> None:
        """``a, *b, c = value``: the starred name is a list."""
        after = len(target.elts) - place - 1
        if value.is_settled and len(value.parts) >= place + after:
            end = len(value.parts) - after
            taken = tuple(replace(item, path=None) for item in value.parts[place:end])
            items = [*value.parts[:place], Meaning(ITEMS, [item.example for item in taken],
                                                   live=self.any_live(taken), parts=taken), *value.parts[end:]]
        elif value.kind in (TENSOR, ITEMS, LIST):
            element = self.element(target, value)
            items = [element] * place + [list_of((element,))] + [element] * after
        else:
            items = [Meaning(OTHER)] * len(target.elts)
        for part, item in zip(target.elts, items):
            self.bind(part.value if isinstance(part, ast.Starred) else part, replace(item, path=None), env)

    def of_other(self, node: Any, env: dict) -> Spoken:
        """Anything else: it stays as it is, where it has nothing to do with tensors."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        for name in sorted(names & env.keys()):
            if env[name].holds_tensors or env[name].path is not None and env[name].kind != OTHER:
                raise self.refusal(f"{name} is a tensor, and this is not supported of tensors",
                                   "write it with plain operations", node)
        for name in sorted(names - env.keys()):
            path = self.outer_or_none(name)
            if path is not None and (self.read(path).holds_tensors or not self.sees(path)):
                raise self.refusal(f"{name} is from outside, and this is not supported of it",
                                   "give it a name of the function's own", node)
        return node, Meaning(OTHER)

    def outer_or_none(self, name: str) -> Path | None:
        raise NotImplementedError
