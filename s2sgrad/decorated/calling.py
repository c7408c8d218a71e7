"""Calls in a function that tensors are given to."""
from __future__ import annotations

import ast
import inspect
import math
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.compiler.targets import target_of
from s2sgrad.decorated import spoken
from s2sgrad.decorated.meanings import (
    ITEMS,
    LIST,
    MIXED,
    NUMBER,
    OTHER,
    TENSOR,
    Meaning,
    constant,
    has_own_attributes,
    join,
    list_of,
    meaning_of,
    steps_of,
)
from s2sgrad.decorated.operating import NeedsNumber, Operating
from s2sgrad.decorated.spoken import DENIED, METHODS, OF_THE_GRAPH, SPOKEN_FUNCTIONS, Call, Spoken
from s2sgrad.decorated.tracing import is_own
from s2sgrad.extending import stop_gradient
from s2sgrad.marking import Marked
from s2sgrad.shim.tensor import Tensor, new_tensor

PURE = {len, float, int, bool, abs, min, max, sum, round, isinstance, tuple, list, dict, range, str, type, divmod, pow,
        hasattr, getattr, callable, sorted, any, all}
"""Builtins that give the same for the same, and change nothing."""


GATHERING = {sum, min, max, list, tuple, sorted, any, all}
"""Those that take all that a generator expression gives, for which a list does as well."""
TELLING = {str, type, isinstance}
"""Those that tell classes apart."""


class Calling(Operating):
    """Calls of methods, of functions for tensors, of NumPy's, and of the user's."""

    def of_Call(self, node: ast.Call, env: dict) -> Spoken:
        if any(isinstance(item, ast.Starred) for item in node.args) or any(item.arg is None for item in node.keywords):
            spread = self.without_stars(node, env)
            return self.of_other(node, env) if spread is None else self.of_Call(spread, env)
        if isinstance(node.func, ast.Attribute):
            base, value = self.plain(node.func.value, env)
            if value.kind in (TENSOR, MIXED):
                return self.method_call(node, base, value, env)
            if value.kind in (ITEMS, LIST) and value.path is None or value.kind == LIST:
                return self.container_call(node, base, value, env)
            if value.kind == ITEMS:
                return self.container_call(node, base, value, env)
        func, callee = self.expression(node.func, env)
        named = self.named_attribute(node, callee, env)
        if named is not None:
            return named
        gathers = callee.known and isinstance(callee.example, types.BuiltinFunctionType | type) \
            and callee.example in GATHERING
        pairs = [self.plain(ast.copy_location(ast.ListComp(item.elt, item.generators), item)
                            if gathers and isinstance(item, ast.GeneratorExp) else item, env) for item in node.args]
        keywords = {str(item.arg): self.plain(item.value, env) for item in node.keywords}
        nodes, values = [part for part, _ in pairs], [value for _, value in pairs]
        everything = [*values, *(value for _, value in keywords.values())]
        touched = any(value.holds_tensors for value in everything)
        rebuilt = ast.Call(func, nodes, [ast.keyword(label, part) for label, (part, _) in keywords.items()])
        if not (callee.known and isinstance(callee.example, types.BuiltinFunctionType | type)
                and callee.example in PURE - TELLING):
            rebuilt = ast.Call(func, [self.shown(*pair) for pair in pairs], [
                ast.keyword(label, self.shown(*pair)) for label, pair in keywords.items()])
        if not callee.known:
            if touched:
                raise self.refusal("the function called here is not known before the call", "call it by its name", node)
            return rebuilt, Meaning(OTHER)
        function = callee.example
        if touched and function in SPOKEN_FUNCTIONS:
            return self.spoken(SPOKEN_FUNCTIONS[function], node, Call(node, nodes, values, keywords))
        if function is isinstance and len(values) == 2 and values[1].known and values[0].kind == TENSOR:
            found = isinstance(values[0].example, values[1].example)
            return ast.Constant(found), constant(found)
        if function is sum and touched and values[0].kind in (ITEMS, LIST):
            return self.summed(node, rebuilt, values)
        if function is abs and touched:
            return self.traced(node, abs, nodes, values)
        if function in (list, tuple) and touched and values[0].kind == TENSOR:
            return rebuilt, replace(list_of((self.element(node, values[0]),)), example=function())
        if function in (list, tuple) and touched and values[0].kind in (ITEMS, LIST):
            kind = list if function is list else tuple
            return rebuilt, replace(values[0], path=None, example=kind(values[0].example))
        if is_own(function):
            return self.own_function(node, function, rebuilt, nodes, values, keywords, touched)
        plain = getattr(function, "__module__", None) or ""
        if touched and (isinstance(function, np.ufunc) or plain.partition(".")[0] == "numpy"):
            return self.numpy_call(node, function, rebuilt, values, keywords)
        target = target_of(function).function
        if isinstance(target, Marked):
            target = target.__wrapped__
        if isinstance(target, types.FunctionType) and plain.partition(".")[0] not in ("numpy", "s2sgrad", "builtins"):
            found_call = self.user_call(node, callee, nodes, values, keywords)
            if found_call is not None:
                return found_call
        if touched:
            label = getattr(function, "__name__", type(function).__name__)
            raise self.refusal(f"{label} gets a tensor here, and nothing is known of what it does with it",
                               "give it x.item(), or call it outside", node)
        if function in (min, max) and len(values) == 1 and values[0].kind == LIST and [
                part.kind for part in values[0].parts] == [NUMBER]:
            return rebuilt, replace(values[0].parts[0], known=False, path=None)
        pure = function in PURE if isinstance(function, types.BuiltinFunctionType | type) else False
        if (pure or getattr(math, getattr(function, "__name__", ""), None) is function
                or plain == "numpy") and not keywords:
            return rebuilt, self.evaluated(function, values)
        return rebuilt, Meaning(OTHER)

    def named_attribute(self, node: ast.Call, callee: Meaning, env: dict) -> Spoken | None:
        """``hasattr``, ``getattr`` and ``type`` of an object from outside."""
        asked = callee.known and any(callee.example is function for function in (hasattr, getattr, type))
        if not asked or not node.args or node.keywords:
            return None
        value = self.expression(node.args[0], env)[1]
        if not value.known or value.path is None or not has_own_attributes(value.example):
            return None
        if callee.example is type:
            return self.from_outside(node, value.path.to(True, "__class__")) if len(node.args) == 1 else None
        name = self.expression(node.args[1], env)[1] if len(node.args) > 1 else None
        if name is None or not name.known or not isinstance(name.example, str):
            return None
        there = self.read(value.path.to(None, name.example))
        if callee.example is hasattr:
            return ast.Constant(there.example), there
        if len(node.args) > 2 and not there.example:
            return self.expression(node.args[2], env)
        return self.expression(ast.copy_location(ast.Attribute(node.args[0], name.example, ast.Load()), node), env)

    def without_stars(self, node: ast.Call, env: dict) -> ast.Call | None:
        """The call with the items of its starred arguments written out; None where it isn't known how many."""
        args: list = []
        keywords: list = []
        for item in node.args:
            found = self.spread(item.value, env) if isinstance(item, ast.Starred) else {0: item}
            if found is None:
                return None
            args += found.values()
        for word in node.keywords:
            held = self.spread(word.value, env) if word.arg is None else {word.arg: word.value}
            if held is None or not all(isinstance(label, str) for label in held):
                return None
            keywords += [ast.keyword(str(label), part) for label, part in held.items()]
        return ast.fix_missing_locations(ast.copy_location(ast.Call(node.func, args, keywords), node))

    def spread(self, node: Any, env: dict) -> dict | None:
        """The items of a starred argument, as they are reached."""
        if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(item, ast.Starred) for item in node.elts):
            return dict(enumerate(node.elts))
        inner = node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        if not isinstance(inner, ast.Name):  # to reach it once more might not give the same
            return None
        _, value = self.plain(node, env)
        steps: Any = None
        if value.is_settled:
            steps = steps_of(value)
        elif value.kind == TENSOR:
            if value.path is None or not value.example._array.ndim:
                raise self.refusal("how many items a star gives here is not known before the call",
                                   "star an argument of the decorated function, or unpack the tensor by names", node)
            path = value.path.to(True, "shape").to(False, 0)
            size = self.read(path)
            if not size.known:
                raise NeedsNumber(path)
            steps = range(size.example)
        return steps if steps is None else {
            step: ast.Subscript(node, ast.Constant(step), ast.Load()) for step in steps}

    def shown(self, made: Any, value: Meaning) -> Any:
        """A value for what may tell a user its class: a Size is a tuple where only its items count."""
        return made if value.form is None or value.holds_tensors else self.calls(value.form, made)

    def spoken(self, function: Callable, node: Any, call: Call) -> Spoken:
        if any(value.kind == MIXED for value in call.values):
            raise self.refusal("this may be a number or a tensor, which this tells apart",
                               "start with a tensor: torch.tensor(1.0)", node)
        if "axis" in call.keywords:
            call.keywords["dim"] = call.keywords.pop("axis")
        try:
            made, value = function(self, call)
        except IndexError as error:
            if type(error) is not IndexError:  # what the call itself raises, and says where
                raise
            raise self.refusal("the tensors are not given by their places here", "leave their names out",
                               node) from None
        for label in call.keywords:
            if label not in call.asked:
                raise self.refusal(f"{label}= is not supported here", "leave it out, or call it outside", node)
        if value.kind == TENSOR and value.live is not False and not self.recording:
            return self.calls(stop_gradient, made), replace(value, live=False, node=None)
        return made, value

    def summed(self, node: Any, made: Any, values: list[Meaning]) -> Spoken:
        parts = values[0].parts
        if len(values) > 1 or any(part.kind != TENSOR for part in parts) or len(
                {part.array for part in parts}) > 1 or not self.recording:
            raise self.refusal("these tensors are not known to be of one dtype and number of dimensions",
                               "put tensors together that are", node)
        live = self.any_live(parts)
        tensor = Meaning(TENSOR, parts[0].example, live=live, node="AddBackward0")
        return made, tensor if values[0].kind == ITEMS else join(tensor, constant(0))

    def method_call(self, node: ast.Call, base: Any, value: Meaning, env: dict) -> Spoken:
        assert isinstance(node.func, ast.Attribute)
        label = node.func.attr
        pairs = [self.plain(item, env) for item in node.args]
        keywords = {str(item.arg): self.plain(item.value, env) for item in node.keywords}
        call = Call(node, [base, *(part for part, _ in pairs)], [value, *(part for _, part in pairs)], keywords)
        if label in OF_THE_GRAPH:
            raise self.refusal(f".{label} belongs to the graph, and this function is one node of it",
                               "ask for it outside", node)
        if label in METHODS:
            return self.spoken(METHODS[label], node, call)
        if label in DENIED:
            raise self.refusal(f"what .{label}() does depends on sizes", DENIED[label], node)
        function = getattr(Tensor, label, None)
        if function is None:
            raise self.refusal(f"tensors have no method {label}", "see dir(Tensor)", node)
        if label.endswith("_") and not label.startswith("_"):
            raise self.refusal(f".{label}() writes into a tensor, which is not supported here",
                               "write x += y, x[i] = y, or use the method that gives a new tensor", node)
        return self.traced(node, function, call.nodes, call.values, keywords)

    def own_function(self, node: ast.Call, function: Any, made: Any, nodes: list, values: list[Meaning],
                     keywords: dict, touched: bool) -> Spoken:
        """A function of this package: of tensors, or one that makes tensors."""
        label = getattr(function, "__name__", "")
        if touched and writes(function, values, keywords):
            remedy = "call it outside" if label.endswith("_norm") else "bind what it gives: x = relu(x)"
            raise self.refusal(f"{label} writes into a tensor, which is not supported here", remedy, node)
        if touched and label in METHODS and values[0].kind == TENSOR:
            return self.spoken(METHODS[label], node, Call(node, nodes, values, keywords))
        if label in DENIED:
            raise self.refusal(f"what {label} does depends on sizes", DENIED[label], node)
        if isinstance(function, type) or label in ("set_grad_enabled", "manual_seed", "backward", "grad", "apply"):
            raise self.refusal(f"{label} is not supported in a decorated function", "call it outside", node)
        like = label.endswith("_like") and values and values[0].kind == TENSOR and not any(
            value.holds_tensors for value in (*values[1:], *(value for _, value in keywords.values())))
        if touched and not like:
            return self.traced(node, function, nodes, values, keywords)
        if "requires_grad" in keywords:
            raise self.refusal("a leaf made in a decorated function could never be asked for its gradient",
                               "make it outside", node)
        return self.creation(node, function, made, nodes, values, keywords)

    def creation(self, node: ast.Call, function: Any, made: Any, nodes: list, values: list[Meaning],
                 keywords: dict) -> Spoken:
        """A new tensor: it is made as ever, and its array taken."""
        from s2sgrad.shim.creation import default_generator

        unknown = [value for value in (*values, *(value for _, value in keywords.values()))
                   if value.kind == OTHER and not value.known and not value.is_array]
        if unknown:
            raise self.refusal("what this makes is not known before the call", "write its sizes and dtype out", node)
        if values and values[0].kind == TENSOR:
            made = ast.Call(made.func, [self.calls(new_tensor, self.calls(stop_gradient, nodes[0])), *nodes[1:]],
                            made.keywords)
        before = default_generator.numpy.bit_generator.state
        try:
            found = self.example(lambda: function(*(value.example for value in values), **{
                label: value.example for label, (_, value) in keywords.items()}), node)
        finally:
            default_generator.numpy.bit_generator.state = before
        if not isinstance(found, Tensor):
            return made, replace(meaning_of(found), known=False)
        spelled = spoken.new(self, Call(node, nodes, values, keywords), function, found)
        return spelled or ast.Attribute(made, "_array", ast.Load()), Meaning(TENSOR, new_tensor(found._array))

    def numpy_call(self, node: ast.Call, function: Any, made: Any, values: list[Meaning], keywords: dict) -> Spoken:
        """A function of NumPy's, as it is: what it gives of arrays is a tensor."""
        if any(value.kind not in (TENSOR, NUMBER, OTHER, ITEMS) for value in values) or not self.recording:
            raise self.refusal("what this does with tensors is not known", "use a function of tensors", node)

        def array(value: Meaning) -> Any:
            if value.kind == TENSOR:
                return value.example._array
            return [array(part) for part in value.parts] if value.kind == ITEMS else value.example

        found = self.example(lambda: function(*map(array, values), **{
            label: array(value) for label, (_, value) in keywords.items()}), node)
        if not isinstance(found, (np.ndarray, np.generic)):
            raise self.refusal("what this does with tensors is not known", "use a function of tensors", node)
        found = np.asarray(found)
        live = self.any_live(values) if found.dtype.kind == "f" else False
        label = getattr(function, "__name__", "numpy")
        return made, Meaning(TENSOR, new_tensor(found), live=live, node=f"{label.capitalize()}Backward0")

    def user_call(self, node: ast.Call, callee: Meaning, nodes: list, values: list[Meaning], keywords: dict
                  ) -> Spoken | None:
        raise NotImplementedError

    def container_call(self, node: ast.Call, base: Any, value: Meaning, env: dict) -> Spoken:
        """A method of a container."""
        assert isinstance(node.func, ast.Attribute)
        label = node.func.attr
        if value.kind == ITEMS and isinstance(value.example, dict) and label in ("items", "keys", "values") \
                and not node.args:
            made = ast.Call(ast.Attribute(base, label, ast.Load()), [], [])
            steps = [constant(step) for step in steps_of(value)]
            parts = {"values": value.parts, "keys": tuple(steps), "items": tuple(
                Meaning(ITEMS, (step.example, part.example), live=part.live, parts=(step, part))
                for step, part in zip(steps, value.parts))}[label]
            return made, Meaning(ITEMS, tuple(part.example for part in parts), live=value.live, parts=parts)
        if value.is_settled and isinstance(value.example, dict) and label == "get" and len(node.args) in (1, 2) \
                and not node.keywords:
            key, *default = node.args
            if isinstance(key, ast.Constant):
                item: Any = ast.Subscript(node.func.value, key, ast.Load()) if key.value in steps_of(value) else \
                    default[0] if default else ast.Constant(None)
                return self.expression(ast.fix_missing_locations(ast.copy_location(item, node)), env)
        if not value.holds_tensors:
            return self.of_other(node, env)
        raise self.refusal(f".{label}() of a container of tensors is not supported here",
                           "append on a line of its own, or build a new container", node)


def writes(function: Any, values: list[Meaning], keywords: dict) -> bool:
    """Whether a function of tensors is told to write into what it gets: with ``inplace=True``, by its name, or in
    training with running means."""
    label = getattr(function, "__name__", "")
    if label.endswith("_") and not label.startswith("_"):
        return True
    parameters = inspect.signature(function).parameters if isinstance(function, types.FunctionType) else {}
    places = {name: place for place, name in enumerate(parameters)}

    def told(name: str) -> Any:
        if name not in places:
            return None
        given = keywords[name][1] if name in keywords else values[places[name]] if len(values) > places[name] else None
        return parameters[name].default if given is None else True if not given.known else given.example

    if told("inplace") not in (None, False):
        return True
    trains = told("training" if "training" in places else "use_input_stats")
    return trains not in (None, False) and any(told(name) is not None for name in ("running_mean", "running_var"))
