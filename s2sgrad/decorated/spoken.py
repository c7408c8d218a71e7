"""Operations on tensors that are written in NumPy's terms by hand: what asks for shapes, what leaves the graph, what
takes lists or gives places. All others are traced.

A function here takes the translation and the call: its operands' expressions and their meanings.
"""
from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sgrad.decorated.meanings import ITEMS, LIST, NUMBER, TENSOR, Meaning, constant
from s2sgrad.extending import stop_gradient
from s2sgrad.nn import functional
from s2sgrad.rules.abstract import passive
from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.shim.dtypes import Size
from s2sgrad.shim.names import FUNCTIONS
from s2sgrad.shim.shapes import axis_of
from s2sgrad.shim.tensor import Tensor


def detached(value: Any) -> Any:
    """The same memory, but another array: what is not the tensor itself."""
    return value[...] if type(value) is np.ndarray else value


RULES[detached] = Rule("detached", detached, (Parameter("value"),), constant=True, complex=True,
                       result=lambda operation: passive(operation["value"]), sharing="view")


def from_the_front(index: Any) -> Any:
    """Places to select, none of which NumPy is to count from the end."""
    if (index < 0).any():
        raise IndexError("index out of range in self")
    return np.atleast_1d(index)


RULES[from_the_front] = Rule("from_the_front", from_the_front, (Parameter("index"),), constant=True)


@dataclass(frozen=True)
class Call:
    """A call of a method or function of tensors."""

    node: Any
    nodes: list[Any]
    values: list[Meaning]
    keywords: dict[str, tuple[Any, Meaning]]
    asked: set[str] = field(default_factory=set)
    """The names of arguments that were asked for: any other must not be passed over."""

    @property
    def tensor(self) -> Any:
        return self.nodes[0]

    @property
    def example(self) -> Tensor:
        found: Tensor = self.values[0].example
        return found

    def given(self, place: int, label: str) -> tuple[Any, Meaning] | None:
        """An argument's expression and meaning; None where the call gives none."""
        self.asked.add(label)
        if label in self.keywords:
            return self.keywords[label]
        return (self.nodes[place], self.values[place]) if place < len(self.nodes) else None


Spoken = tuple[Any, Meaning]
METHODS: dict[str, Callable[[Any, Call], Spoken]] = {}
ATTRIBUTES: dict[str, Callable[[Any, Any, Meaning], Spoken]] = {}


def method(*names: str) -> Callable:
    def named(function: Callable) -> Callable:
        METHODS.update(dict.fromkeys(names, function))
        return function
    return named


def of_attribute(*names: str) -> Callable:
    def named(function: Callable) -> Callable:
        ATTRIBUTES.update(dict.fromkeys(names, function))
        return function
    return named


def attribute(node: Any, name: str) -> ast.expr:
    return ast.Attribute(node, name, ast.Load())


def numpy_call(work: Any, name: str, *nodes: Any, **keywords: Any) -> ast.expr:
    return ast.Call(work.numpy(name), list(nodes), [
        ast.keyword(label, ast.Constant(value)) for label, value in keywords.items()])


def number(example: Any) -> Meaning:
    return Meaning(NUMBER, example)


def named(work: Any, call: Call) -> Any:
    """The tensor's expression, which is written twice."""
    if not isinstance(call.tensor, ast.Name):
        raise work.refusal("this reads its tensor twice, and that is an expression here", "give it a name before",
                           call.node)
    return call.tensor


# ---- out of the graph

@method("detach")
def detach(work: Any, call: Call) -> Spoken:
    return data(work, call.tensor, call.values[0])


@of_attribute("data")
def data(work: Any, node: Any, value: Meaning) -> Spoken:
    return work.calls(detached, node), Meaning(TENSOR, value.example, live=False)


@method("item", "__float__", "__int__", "__bool__")
def item(work: Any, call: Call) -> Spoken:
    node = call.tensor
    if call.values[0].live is not False:
        node = work.calls(stop_gradient, node)
    example = call.example._array
    return ast.Call(attribute(node, "item"), [], []), number(example.reshape(-1)[0].item() if example.size else 0.0)


# ---- shapes

@of_attribute("shape")
def shape(work: Any, node: Any, value: Meaning) -> Spoken:
    sizes = tuple(value.example._array.shape)
    return attribute(node, "shape"), Meaning(ITEMS, sizes, parts=tuple(map(number, sizes)), form=Size)


@method("size")
def size(work: Any, call: Call) -> Spoken:
    node, whole = shape(work, call.tensor, call.values[0])
    given = call.given(1, "dim")
    if given is None:
        return node, whole
    return ast.Subscript(node, given[0], ast.Load()), whole.parts[work.value_of(given[1], call.node)]


@method("dim", "ndimension")
def dim(work: Any, call: Call) -> Spoken:
    return ndim(work, call.tensor, call.values[0])


@of_attribute("ndim")
def ndim(work: Any, node: Any, value: Meaning) -> Spoken:
    count = value.example._array.ndim
    return ast.Constant(count), constant(count)


@method("numel", "nelement")
def numel(work: Any, call: Call) -> Spoken:
    return attribute(call.tensor, "size"), number(call.example._array.size)


@of_attribute("device")
def device(work: Any, node: Any, value: Meaning) -> Spoken:
    return work.given("device", value.example.device), constant(value.example.device)


@of_attribute("dtype")
def dtype(work: Any, node: Any, value: Meaning) -> Spoken:
    return work.given("dtype", value.example.dtype), constant(value.example.dtype)


@of_attribute("T")
def transposed(work: Any, node: Any, value: Meaning) -> Spoken:
    return attribute(node, "T"), work.made(lambda: work.living(value).T, value.live)


@method("is_floating_point")
def is_floating_point(work: Any, call: Call) -> Spoken:
    found = call.example.is_floating_point()
    return ast.Constant(found), constant(found)


# ---- the same elements in another shape

def sizes_of(work: Any, call: Call, label: str) -> tuple[list[Any], list[int]]:
    """The expressions and examples of the sizes that a call gives, one by one or in a tuple."""
    nodes, values = call.nodes[1:], call.values[1:]
    if label in call.keywords:
        nodes, values = ([part] for part in call.given(1, label) or ())  # type: ignore[assignment]
    if len(values) == 1 and values[0].kind == ITEMS:
        node, parts = nodes[0], values[0].parts
        sizes = [part.example for part in parts]
        if isinstance(node, (ast.Tuple, ast.List)):
            return list(node.elts), sizes
        return [ast.Subscript(node, ast.Constant(place), ast.Load()) for place in range(len(parts))], sizes
    if any(value.kind != NUMBER for value in values):
        raise work.refusal("what shape this gives is not known before the call", "write the sizes out", call.node)
    return nodes, [value.example for value in values]


def reshaped(work: Any, call: Call, sizes: Any, compute: Callable[[Tensor], Tensor], name: str = "reshape") -> Spoken:
    value = call.values[0]
    return ast.Call(work.numpy(name), [call.tensor, sizes], []), work.made(
        lambda: compute(work.living(value)), value.live, call.node)


@method("view", "reshape")
def view(work: Any, call: Call) -> Spoken:
    nodes, sizes = sizes_of(work, call, "shape")
    return reshaped(work, call, ast.Tuple(nodes, ast.Load()), lambda tensor: tensor.reshape(sizes))


@method("view_as", "reshape_as")
def view_as(work: Any, call: Call) -> Spoken:
    return reshaped(work, call, attribute(call.nodes[1], "shape"),
                    lambda tensor: tensor.reshape(call.values[1].example._array.shape))


@method("ravel")
def ravel(work: Any, call: Call) -> Spoken:
    return reshaped(work, call, ast.UnaryOp(ast.USub(), ast.Constant(1)), lambda tensor: tensor.ravel())


@method("flatten")
def flatten(work: Any, call: Call) -> Spoken:
    ndim_ = call.example._array.ndim
    first, last = (default if found is None else axis_of(work.value_of(found[1], call.node), ndim_)
                   for found, default in ((call.given(1, "start_dim"), 0), (call.given(2, "end_dim"), ndim_ - 1)))
    if first == last and ndim_:
        return call.tensor, call.values[0]
    minus = ast.UnaryOp(ast.USub(), ast.Constant(1))
    sizes: Any = minus
    if (first, last) != (0, ndim_ - 1) and ndim_:
        node = attribute(named(work, call), "shape")
        sizes = ast.Tuple([*(ast.Subscript(node, ast.Constant(axis), ast.Load()) for axis in range(first)), minus,
                           *(ast.Subscript(node, ast.Constant(axis), ast.Load()) for axis in range(last + 1, ndim_))],
                          ast.Load())
    return reshaped(work, call, sizes, lambda tensor: tensor.flatten(first, last) if ndim_ else tensor.reshape(-1))


@method("expand", "broadcast_to")
def expand(work: Any, call: Call) -> Spoken:
    nodes, sizes = sizes_of(work, call, "size")
    lead = len(sizes) - call.example._array.ndim
    for place, given in enumerate(sizes):
        if given == -1 and place >= lead:
            nodes = [*nodes[:place], ast.Subscript(attribute(named(work, call), "shape"), ast.Constant(place - lead),
                                                   ast.Load()), *nodes[place + 1:]]
    return reshaped(work, call, ast.Tuple(nodes, ast.Load()), lambda tensor: tensor.expand(sizes), "broadcast_to")


@method("expand_as")
def expand_as(work: Any, call: Call) -> Spoken:
    return reshaped(work, call, attribute(call.nodes[1], "shape"),
                    lambda tensor: tensor.expand_as(call.values[1].example), "broadcast_to")


@method("squeeze")
def squeeze(work: Any, call: Call) -> Spoken:
    """Of dimensions that have one element now: NumPy raises where they have more later."""
    given, array = call.given(1, "dim"), call.example._array
    dims = () if given is None else work.value_of(given[1], call.node)
    axes = [axis_of(axis, array.ndim) for axis in (dims if isinstance(dims, (tuple, list)) else (dims,))]
    if given is None or any(array.shape[axis] != 1 for axis in axes):
        raise work.refusal("whether this leaves a dimension out depends on its size",
                           "give dim=, of dimensions that have one element", call.node)
    axis = axes[0] if len(axes) == 1 else tuple(axes)
    return numpy_call(work, "squeeze", call.tensor, axis=axis), work.made(
        lambda: work.living(call.values[0]).squeeze(dims), call.values[0].live)


@method("clone")
def clone(work: Any, call: Call) -> Spoken:
    value = call.values[0]
    return numpy_call(work, "copy", call.tensor), work.made(lambda: work.living(value).clone(), value.live)


# ---- elements chosen

def chosen(work: Any, call: Call, made: Any, compute: Callable[[Tensor], Tensor]) -> Spoken:
    value = call.values[0]
    return made, work.made(lambda: compute(work.living(value)), value.live, call.node)


@method("index_select")
def index_select(work: Any, call: Call) -> Spoken:
    axis, (index, places) = work.known(call, 1, "dim"), call.given(2, "index") or (None, None)
    if not call.example.ndim:
        raise work.refusal("a tensor without dimensions has none to choose along", "leave this out", call.node)
    index = work.calls(from_the_front, index)
    return chosen(work, call, numpy_call(work, "take", call.tensor, index, axis=axis_of(axis, call.example.ndim)),
                  lambda tensor: tensor.index_select(axis, places.example))


@method("take")
def take(work: Any, call: Call) -> Spoken:
    return chosen(work, call, numpy_call(work, "take", call.tensor, call.nodes[1]),
                  lambda tensor: tensor.take(call.values[1].example))


@method("masked_select")
def masked_select(work: Any, call: Call) -> Spoken:
    mask = call.values[1].example
    if mask._array.ndim != call.example._array.ndim:
        raise work.refusal("a mask with other dimensions than its tensor is not supported here",
                           "expand one of them", call.node)
    return chosen(work, call, ast.Subscript(call.tensor, call.nodes[1], ast.Load()),
                  lambda tensor: tensor.masked_select(mask))


@method("unbind")
def unbind(work: Any, call: Call) -> Spoken:
    given = call.given(1, "dim")
    if given is not None and axis_of(work.value_of(given[1], call.node), call.example._array.ndim):
        raise work.refusal("rows along this dimension are not supported here", "transpose, and run through it",
                           call.node)
    element = work.element(call.node, call.values[0])
    return ast.Call(ast.Name("tuple", ast.Load()), [call.tensor], []), Meaning(
        LIST, [], live=element.live, parts=(element,), form=tuple)


def size_along(tensor: ast.expr, axis: int) -> ast.expr:
    return ast.Subscript(attribute(tensor, "shape"), ast.Constant(axis), ast.Load())


def pieces(work: Any, call: Call, step: ast.expr, axis: int, count: int) -> Spoken:
    """Pieces of so many elements, as slices."""
    tensor, start = named(work, call), ast.Name(work.fresh("start"), ast.Load())
    cut: ast.expr = ast.Slice(start, ast.BinOp(start, ast.Add(), step), None)
    if axis:
        cut = ast.Tuple([*[ast.Slice(None, None, None)] * axis, cut], ast.Load())
    starts = ast.Call(ast.Name("range", ast.Load()), [ast.Constant(0), size_along(tensor, axis), step], [])
    made = ast.ListComp(ast.Subscript(tensor, cut, ast.Load()), [
        ast.comprehension(ast.Name(start.id, ast.Store()), starts, [], 0)])
    live = call.values[0].live
    part = work.part(work.living(call.values[0]).split(count, axis)[0], live)
    return made, Meaning(LIST, [], live=live, parts=(part,), form=tuple)


@method("split")
def split(work: Any, call: Call) -> Spoken:
    found, given = call.given(1, "split_size_or_sections"), call.given(2, "dim")
    axis = 0 if given is None else axis_of(work.value_of(given[1], call.node), call.example._array.ndim)
    if found is None or found[1].kind != NUMBER:
        raise work.refusal("pieces of several sizes are not supported here", "slice it", call.node)
    return pieces(work, call, found[0], axis, found[1].example)


def extremum(name: str) -> Callable[[Any, Call], Spoken]:
    """``max(dim)`` and ``min(dim)``: the values and where they are; with no dimension, or another tensor, traced."""
    def spoken(work: Any, call: Call) -> Spoken:
        function = getattr(Tensor, name)
        given = call.given(1, "dim")
        if given is None or given[1].kind == TENSOR:
            call.asked.update(call.keywords)
            return work.traced(call.node, function, call.nodes, call.values, call.keywords)  # type: ignore[no-any-return]
        axis = axis_of(work.value_of(given[1], call.node), call.example.ndim)
        kept = call.given(2, "keepdim")
        keepdim = kept is not None and bool(work.value_of(kept[1], call.node))
        if not call.example.ndim:
            raise work.refusal("a tensor without dimensions has none to choose along", "leave dim out", call.node)
        tensor = named(work, call)
        places = numpy_call(work, f"arg{name}", tensor, axis=axis, keepdims=True)
        values: Any = numpy_call(work, "take_along_axis", tensor, places, axis=axis)
        if not keepdim:
            values = numpy_call(work, "squeeze", values, axis=axis)
            places = numpy_call(work, f"arg{name}", tensor, axis=axis)
        live = call.values[0].live
        pair = work.example(lambda: function(work.living(call.values[0]), axis, keepdim), call.node)
        parts = work.part(pair[0], live), work.part(pair[1], False)
        return ast.Tuple([values, places], ast.Load()), Meaning(
            ITEMS, tuple(part.example for part in parts), live=live, parts=parts, form=type(pair))

    return spoken


METHODS.update(max=extremum("max"), min=extremum("min"))


@method("sort")
def sort(work: Any, call: Call) -> Spoken:
    axis_given, descending = call.given(1, "dim"), call.given(2, "descending")
    call.given(3, "stable")  # as it always is
    axis = axis_of(-1 if axis_given is None else work.value_of(axis_given[1], call.node), call.example.ndim)
    if not call.example.ndim:
        raise work.refusal("a tensor without dimensions has none to sort along", "leave it as it is", call.node)
    tensor = named(work, call)
    turned = descending is not None and bool(work.value_of(descending[1], call.node))
    keys = numpy_call(work, "flip", tensor, axis=axis) if turned else tensor
    places: Any = numpy_call(work, "argsort", keys, axis=axis, kind="stable")
    if turned:
        last = ast.BinOp(size_along(tensor, axis), ast.Sub(), ast.Constant(1))
        places = numpy_call(work, "flip", ast.BinOp(last, ast.Sub(), places), axis=axis)
    live = call.values[0].live
    pair = work.example(lambda: work.living(call.values[0]).sort(axis, turned), call.node)
    parts = work.part(pair[0], live), work.part(pair[1], False)
    return ast.Tuple([numpy_call(work, "take_along_axis", tensor, places, axis=axis), places], ast.Load()), Meaning(
        ITEMS, tuple(part.example for part in parts), live=live, parts=parts, form=type(pair))


# ---- lists of tensors

def joined(numpy_name: str, torch_name: str) -> Callable[[Any, Call], Spoken]:
    """``cat`` and ``stack``: of tensors of one dtype and number of dimensions."""
    function = FUNCTIONS[torch_name]

    def spoken(work: Any, call: Call) -> Spoken:
        items = call.values[0]
        parts = items.parts
        if items.kind not in (ITEMS, LIST) or not parts or any(part.kind != TENSOR for part in parts) or len(
                {part.array for part in parts}) > 1:
            raise work.refusal("these tensors are not known to be of one dtype and number of dimensions",
                               "convert them first", call.node)
        given = call.given(1, "dim")
        dim = 0 if given is None else work.value_of(given[1], call.node)
        live = work.any_live(parts)
        made = work.made(lambda: function([work.living(part) for part in parts], dim), live, call.node)
        axis = axis_of(dim, made.example.ndim)
        return numpy_call(work, numpy_name, call.tensor, **({"axis": axis} if axis else {})), made

    return spoken


def contracted(torch_name: str) -> Callable[[Any, Call], Spoken]:
    """``tensordot`` and ``inner``, which PyTorch puts together from others."""
    def spoken(work: Any, call: Call) -> Spoken:
        first, second = call.values[:2]
        if first.example._array.dtype != second.example._array.dtype:
            raise work.refusal("these tensors are not of one dtype", "convert one of them", call.node)
        given = call.given(2, "dims") if torch_name == "tensordot" else None
        more = () if given is None else (work.value_of(given[1], call.node),)
        nodes = [*call.nodes[:2], *([] if given is None else [given[0]])]
        made = work.made(lambda: FUNCTIONS[torch_name](work.living(first), work.living(second), *more),
                         work.any_live((first, second)), call.node)
        return numpy_call(work, torch_name, *nodes), made

    return spoken


SPOKEN_FUNCTIONS = {FUNCTIONS[name]: contracted(name) for name in ("tensordot", "inner")}
SPOKEN_FUNCTIONS |= {FUNCTIONS["cat"]: joined("concatenate", "cat"), FUNCTIONS["stack"]: joined("stack", "stack")}


def linear(work: Any, call: Call) -> Spoken:
    """In one expression, whatever the number of dimensions."""
    given, weight = call.given(2, "bias"), call.nodes[1]
    values = [*call.values[:2], *([] if given is None or given[1].example is None else [given[1]])]
    if len({value.array[0] for value in values}) > 1:
        raise work.refusal("these tensors are not of one dtype", "convert one of them", call.node)
    made: Any = ast.BinOp(call.tensor, ast.MatMult(), attribute(weight, "T"))
    if len(values) > 2 and given is not None:
        made = ast.BinOp(made, ast.Add(), given[0])
    return made, work.made(lambda: functional.linear(*map(work.living, values)), work.any_live(values), call.node)


SPOKEN_FUNCTIONS[functional.linear] = linear

# ---- what Python does with tensors

def length(work: Any, call: Call) -> Spoken:
    if call.values[0].kind != TENSOR:
        return ast.Call(ast.Name("len", ast.Load()), call.nodes, []), number(len(call.values[0].example))
    if not call.example.ndim:
        raise work.refusal("a tensor without dimensions has no length", "ask for its numel()", call.node)
    return ast.Call(ast.Name("len", ast.Load()), call.nodes, []), number(len(call.example))


def converted(kind: Any) -> Callable[[Any, Call], Spoken]:
    def spoken(work: Any, call: Call) -> Spoken:
        node, value = item(work, call)
        return ast.Call(ast.Name(kind.__name__, ast.Load()), [node], []), number(kind(value.example))

    return spoken


SPOKEN_FUNCTIONS.update({builtins.len: length, builtins.float: converted(float), builtins.int: converted(int),
                         builtins.bool: converted(bool)})

# ---- new tensors

NEW = {FUNCTIONS[name]: name for name in ("zeros", "ones", "empty", "eye", "arange", "tensor", "full")}
LIKE = {FUNCTIONS[name]: name for name in ("zeros_like", "ones_like", "empty_like")}


def kind_of(work: Any, example: Tensor) -> ast.expr:
    return ast.Attribute(work.given("np", np), example._array.dtype.name if example.dtype.name != "bool" else "bool_",
                         ast.Load())


def sizes(nodes: list, values: list[Meaning]) -> Any:
    """Those that a call gives one by one, or in a container."""
    return nodes[0] if len(nodes) == 1 and values[0].kind == ITEMS else ast.Tuple(nodes, ast.Load())


def new_of_kind(name: str) -> Callable:
    """``x.new_zeros(2, 3)`` and its kin."""
    def made(work: Any, call: Call) -> Spoken:
        nodes, values = call.nodes[1:], call.values[1:]
        example = work.example(lambda: getattr(call.example, f"new_{name}")(*(value.example for value in values)),
                               call.node)
        return ast.Call(work.numpy(name), [sizes(nodes, values)], [ast.keyword("dtype", kind_of(work, example))]), \
            work.part(example, False)
    return made


METHODS.update({f"new_{name}": new_of_kind(name) for name in ("zeros", "ones", "empty")})


def new(work: Any, call: Call, function: Any, example: Tensor) -> Any:
    """NumPy's way to make what a call makes, where it has one; None elsewhere."""
    kind = kind_of(work, example)
    if function in LIKE and not set(call.keywords) - {"dtype"} and len(call.nodes) == 1:
        return ast.Call(work.numpy(LIKE[function]), call.nodes,
                        [ast.keyword("dtype", kind)] if call.keywords else [])
    name, nodes = NEW.get(function), call.nodes
    if name is None or set(call.keywords) - {"dtype"} or any(value.holds_tensors for value in call.values):
        return None
    if name in ("zeros", "ones", "empty"):
        nodes = [sizes(nodes, call.values)]
    elif name == "tensor":
        name = "array"
        refuses = "dtype" in call.keywords and example._array.dtype.kind in "iu"  # numbers that PyTorch takes
        if refuses or not all(value.kind in (NUMBER, ITEMS) for value in call.values):
            return None
    elif name == "full":
        nodes = nodes[:2]
    return ast.Call(work.numpy(name), nodes, [ast.keyword("dtype", kind)])


DENIED = {
    "sum_to_size": "sum over the dimensions", "narrow": "slice it", "unflatten": "reshape with the sizes written out",
    "broadcast_tensors": "expand with the sizes written out",
}
"""Methods and functions of which a size decides what they do, and what to write instead."""
OF_THE_GRAPH = {"grad", "grad_fn", "requires_grad", "is_leaf", "backward", "register_hook", "retain_grad",
                "retains_grad", "requires_grad_", "detach_", "register_post_accumulate_grad_hook", "output_nr",
                "_version"}
"""What a compiled function knows nothing of."""
__all__ = ["ATTRIBUTES", "DENIED", "METHODS", "OF_THE_GRAPH", "SPOKEN_FUNCTIONS", "Call", "detached", "new"]
