"""The graph that operations on tensors leave behind: a node for each, linked to those that its operands came from.

Node classes look like PyTorch's: named after the operation, of module ``builtins``, printed as any object is.
"""
from __future__ import annotations

import itertools
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from traceback import extract_stack, format_list
from typing import Any

import numpy as np

from s2sgrad.shim.adjoints import OneRule
from s2sgrad.shim.dtypes import of_numpy
from s2sgrad.shim.state import state
from s2sgrad.shim.versions import GENERATED, PACKAGE, Place, Version, described, users_line

serial = itertools.count(1).__next__

FREED = ("Trying to backward through the graph a second time (or directly access saved tensors after they have already "
         "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
         "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
         "saved tensors after calling backward.")

SUFFIX = re.compile(r"Backward(0$|(?=[1-9]?$))")
"""What messages leave away of a node's name."""
NO_EDGE: tuple[None, int] = (None, 0)


class RemovableHandle:
    """What removes a hook again."""

    def __init__(self, hooks: dict[int, Callable]):
        self.hooks = hooks
        self.id = serial()

    def remove(self) -> None:
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.remove()


def add_hook(hooks: dict[int, Callable], hook: Callable) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def traceback() -> str:
    """Where in the user's own code we are, with all the calls that led there."""
    frames = extract_stack()
    while len(frames) > 1 and frames[-1].filename.startswith((PACKAGE, GENERATED)):
        frames.pop()
    return "".join(format_list(frames))


def made_here() -> dict[str, Any]:
    """What the ``metadata`` of a node hold that is watched."""
    return {"traceback_": traceback()}


class Hooks:
    """What is called while a node runs."""

    def __init__(self) -> None:
        self.tensors: dict[int, OrderedDict[int, Callable]] = {}
        """By the number of an output, what is called with its cotangent."""
        self.retaining: dict[int, Any] = {}
        """By the number of an output, a reference to the tensor that keeps its cotangent."""
        self.before: OrderedDict[int, Callable] = OrderedDict()
        self.after: OrderedDict[int, Callable] = OrderedDict()


class Node:
    """One operation of the backward pass.

    Attributes
    ----------
    sources
        Where the operands came from: for each the node and which of that node's outputs it was, or the leaf that it is,
        or None.
    outputs
        Shape and dtype of each result of the operation: what cotangents of them must have.
    sequence
        Nodes are numbered as they are made, so that any node has a higher number than those that it leads to.
    place
        The user's line that made it.
    """

    __slots__ = ("sources", "outputs", "sequence", "hooks", "place", "_metadata", "__weakref__")
    wants_zeros = True
    """For results that nobody has used it takes zeros, not None."""
    shown: tuple[int | None, ...] | None = None
    """The operands that PyTorch's node has edges for, in its order; None for all."""
    way: Any = None
    """What the node of a compiled function has in common with others; it may know a shorter way of doing a pass."""

    def __init__(self, sources: tuple, outputs: tuple[tuple[tuple[int, ...], np.dtype], ...]):
        self.sources = sources
        self.outputs = outputs
        self.sequence = serial()
        self.hooks: Hooks | None = None
        self.place: Place | None = users_line()
        self._metadata: dict | None = made_here() if state.now.anomaly else None

    @property
    def edges(self) -> tuple:
        """For each operand a node and the number of an output. Those of leaves are made when somebody asks: they are
        not needed to add to a ``.grad``."""
        for source in self.sources:
            if source.__class__ is not tuple:
                break
        else:
            return self.sources
        from s2sgrad.shim.tensor import accumulator

        self.sources = tuple([
            NO_EDGE if source is None else source if source.__class__ is tuple else
            (accumulator(source, self.sequence), 0) for source in self.sources])
        return self.sources

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        """Cotangents of the operands, for those of the results: all are arrays, or None."""
        raise NotImplementedError

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        """The same with tensors, whose operations are recorded."""
        raise NotImplementedError

    def release(self) -> None:
        """Forget what was saved."""

    # ---- what users see

    @property
    def next_functions(self) -> tuple:
        edges = self.edges
        if self.shown is None:
            return edges
        return tuple([NO_EDGE if place is None else edges[place] for place in self.shown])

    @property
    def metadata(self) -> dict:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        return self.sequence

    def with_hooks(self) -> Hooks:
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(grad_inputs, grad_outputs)`` is called after the node ran, and may give other ``grad_inputs``."""
        return add_hook(self.with_hooks().after, hook)

    def register_prehook(self, hook: Callable) -> RemovableHandle:
        """``hook(grad_outputs)`` is called before the node runs, and may give other ``grad_outputs``."""
        return add_hook(self.with_hooks().before, hook)


SAVED = {"_saved_self": 0, "_saved_other": 1, "_saved_result": -1}
"""By PyTorch's names of what nodes saved, the number of the operand; -1 is the result."""


class OperationNode(Node):
    """An operation with a one-rule adjoint.

    Attributes
    ----------
    versions
        Of each tensor that is saved the version, and its count.
    """

    __slots__ = ("rule", "saved", "versions", "is_packed")

    def __init__(self, sources: tuple, outputs: tuple, rule: OneRule, saved: tuple, versions: tuple, place: Place):
        self.sources = sources
        self.outputs = outputs
        self.sequence = serial()
        self.hooks = None
        self._metadata = None
        self.rule = rule
        self.saved: tuple | None = saved
        self.versions = versions
        self.is_packed = False
        self.place = place

    def checked(self) -> tuple:
        """What was saved. Raises RuntimeError where it is freed, or was written into."""
        saved = self.saved
        if saved is None:
            raise RuntimeError(FREED)
        for version, count in self.versions:
            if version.count != count:
                self.refuse(self.versions.index((version, count)))
        if not self.is_packed:
            return saved
        from s2sgrad.shim.packing import unpacked

        return unpacked(saved)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        """``_saved_self``, ``_saved_other`` and ``_saved_result``: what was saved, in its place in the graph."""
        source = SAVED.get(name)
        if source is None or source not in self.rule.sources:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        from s2sgrad.shim.recorded import saved_tensor

        array = self.checked()[self.rule.sources.index(source)]
        operand = None if source < 0 else self.sources[source]
        if getattr(operand, "_array", None) is array:  # a leaf, which is kept itself
            return operand
        return saved_tensor(self, source, array)

    def watch(self) -> None:
        """Do what the modes ask for that few use."""
        now = state.now
        if now.anomaly:
            self._metadata = made_here()
        if now.packing is not None and self.saved:
            self.pack(now.packing)

    def pack(self, hooks: tuple[Callable, Callable]) -> None:
        """Hand what was saved of tensors to hooks; what they keep is theirs to look after."""
        from s2sgrad.shim.packing import Packed
        from s2sgrad.shim.recorded import saved_tensor
        from s2sgrad.shim.tensor import new_tensor

        assert self.saved is not None
        self.saved = tuple([item if source is None else Packed(
            saved_tensor(self, source, item) if source >= 0 else new_tensor(item), hooks)
                            for item, source in zip(self.saved, self.rule.sources)])
        self.versions = ()
        self.is_packed = True

    def refuse(self, number: int) -> None:
        version, count = self.versions[number]
        source = [item for item in self.rule.sources if item is not None][number]
        assert self.saved is not None
        saved = self.saved[self.rule.sources.index(source)]
        node, output = (self, -1 - source) if source < 0 else self.edges[source]
        raise RuntimeError(changed_in_place(saved, node, output, version, count, self.place))

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        return state.now.quiet.run(self.rule.adjoint, *cotangents, *self.checked())

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        from s2sgrad.shim.recorded import run_adjoint

        return run_adjoint(self, cotangents, self.checked())

    def release(self) -> None:
        if self.saved and (self.rule.is_freed or holds_array(self.saved)):
            self.saved = None


def holds_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or type(value) in (tuple, list) and any(map(holds_array, value))


def changed_in_place(array: np.ndarray, node: Node | None, output: int, version: Version, expected: int,
                     saved_at: Place | None) -> str:
    """PyTorch's message, with both of the user's lines."""
    kind = of_numpy(array.dtype).legacy
    origin = ""
    if node is not None and not isinstance(node, AccumulateGrad):
        origin = f", which is output {output} of {SUFFIX.sub('', node.name())},"
    lines = ""
    if saved_at is not None and version.place is not None:
        lines = f" It was saved at {described(saved_at)} and changed at {described(version.place)}"
    return ("one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[torch.{kind} {list(array.shape)}]{origin} is at version {version.count}; expected version {expected} "
            f"instead.{lines}")


class AccumulateGrad(Node):
    """Where the cotangent of a leaf goes: into its ``.grad``."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any):
        array = variable._array
        self.sources = ()
        self.outputs = ((array.shape, array.dtype),)
        self.sequence = -serial()
        """The last to run: by then all has come together."""
        self.hooks = None
        self.place = self._metadata = None
        self.variable = variable

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"


AccumulateGrad.__module__ = "builtins"


_classes: dict[tuple, type] = {}


def node_class(name: str, base: type = OperationNode, shown: tuple[int | None, ...] | None = None) -> type:
    """The class of nodes with a name, which show edges of these operands."""
    key = base, name, shown
    if key not in _classes:
        _classes[key] = type(name, (base,), {"__slots__": (), "__module__": "builtins", "shown": shown})
    return _classes[key]

