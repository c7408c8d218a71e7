"""The steps of a backward pass, in the order in which they run."""
from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sgrad.autograd.function import BackwardFunction
from s2sgrad.decorated.node import CompiledNode
from s2sgrad.describing.drawing import as_dot, as_html, as_svg
from s2sgrad.reports import OF_GRAPH, Saved, SavedReport, describe_slots, memory, owner
from s2sgrad.shim.nodes import AccumulateGrad, Node, OperationNode
from s2sgrad.shim.packing import Packed
from s2sgrad.shim.recorded import ProgramNode
from s2sgrad.shim.tensor import Tensor, accumulator, current_node
from s2sgrad.shim.versions import line_of


@dataclass(frozen=True)
class Step:
    """One node of the backward pass.

    Attributes
    ----------
    name
        What the node is called; of a leaf, its shape.
    filename, line, text
        The user's line that made it; empty for leaves.
    saved
        What it keeps; ``bytes`` counts memory that no step before it, and no leaf, keeps anyway.
    next
        The numbers of the steps that its cotangents go to.
    compiled, path
        Whether it is a call of a compiled function, and the branch path that the call took, in words.
    freed
        What it saved is gone: the backward pass was run.
    """

    name: str
    filename: str
    line: int
    text: str
    saved: tuple[Saved, ...]
    next: tuple[int, ...]
    compiled: bool = False
    path: str = ""
    freed: bool = False

    @property
    def bytes(self) -> int:
        return sum(item.bytes for item in self.saved)

    @property
    def place(self) -> str:
        return f"{os.path.basename(self.filename)}:{self.line}: {self.text}" if self.filename else ""


class Description(tuple):
    """The steps of a backward pass, in the order in which they run; prints as a table."""

    @property
    def bytes(self) -> int:
        return sum(step.bytes for step in self)

    def __str__(self) -> str:
        rows = [("step", "node", "next", "bytes", "saved", "made by")]
        for number, step in enumerate(self):
            kept = "freed" if step.freed else ", ".join(
                f"{item.name} {item.dtype}{list(item.shape)}" for item in step.saved)
            rows.append((str(number), step.name, " ".join(map(str, step.next)), str(step.bytes), kept, step.place))
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[5]]).rstrip() for row in rows]
        return "\n".join([*lines, f"{self.bytes} bytes besides the leaves"])

    __repr__ = __str__

    def dot(self) -> str:
        """The graph in Graphviz's language."""
        return as_dot(self)

    def svg(self) -> str:
        """The graph as a picture."""
        return as_svg(self)

    def html(self) -> str:
        """A page of its own, with the picture and the table."""
        return as_html(self)

    def _repr_html_(self) -> str:
        return as_svg(self)

    def save(self, path: Any) -> None:
        """Write what the file's name asks for: ``.svg``, ``.html``, ``.dot`` or a table."""
        ways = {".svg": self.svg, ".html": self.html, ".dot": self.dot}
        text = ways.get(os.path.splitext(str(path))[1], self.__str__)()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def describe(tensor: Tensor) -> Description:
    """The backward pass of a tensor in order: for each step the line that made it, what it saved, and how many bytes.

    Parameters
    ----------
    tensor
        What ``backward()`` would be called on.

    Returns
    -------
    Description
        Prints as a table; ``dot()``, ``svg()`` and ``html()`` draw it, ``save(path)`` writes it to a file.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"describe() takes a Tensor, not {type(tensor).__name__}: the one that backward() "
                        "would be called on")
    root = current_node(tensor)
    if root is None:
        if not tensor._requires:
            raise RuntimeError("this tensor does not require grad and does not have a grad_fn")
        root = accumulator(tensor)
    nodes = reachable(root)
    numbers = {node: number for number, node in enumerate(nodes)}
    seen = {id(owner(node.variable._array)) for node in nodes if isinstance(node, AccumulateGrad)}
    return Description(step_of(node, numbers, seen) for node in nodes)


def reachable(root: Node) -> list[Node]:
    """The nodes behind one, in the order of the backward pass."""
    found, waiting = {root: None}, [root]
    for node in waiting:
        for target, _ in node.edges:
            if target is not None and target not in found:
                found[target] = None
                waiting.append(target)
    return sorted(found, key=lambda node: -max(node.sequence, 0))  # leaves as they were found


def step_of(node: Node, numbers: dict[Node, int], seen: set[int]) -> Step:
    following = tuple(dict.fromkeys(numbers[target] for target, _ in node.edges if target is not None))
    if isinstance(node, AccumulateGrad):
        array = node.variable._array
        return Step(f"leaf {array.dtype}{list(array.shape)}", "", 0, "", (), following)
    filename, line, text = line_of(node.place) if node.place is not None else ("", 0, "")
    conditions = node.path.conditions if isinstance(node, CompiledNode) else ()
    path = "; ".join(f"{words} -> {outcome}" for _, words, outcome in conditions)
    saved = tuple(saved_by(node, line, text, seen))
    compiled = isinstance(node, CompiledNode)
    return Step(node.name(), filename, line, text, saved, following, compiled, path, is_freed(node))


def is_freed(node: Node) -> bool:
    held = node.operands if isinstance(node, ProgramNode) else getattr(node, "saved", ())
    return held is None


def saved_by(node: Node, line: int, text: str, seen: set[int]) -> Iterator[Saved]:
    """What a node keeps."""
    if is_freed(node):
        return
    if isinstance(node, CompiledNode):
        derivative = node.way.compiled.derivative
        rows: list[Saved] = []
        describe_slots(derivative, derivative.captures.layout(None), node.saved, seen, rows, "")
        yield from rows
        return
    if isinstance(node, OperationNode):
        assert node.saved is not None
        code = node.rule.adjoint.__code__
        labels = code.co_varnames[code.co_argcount - len(node.saved):code.co_argcount]
        values = list(zip(labels, node.saved))
    elif isinstance(node, BackwardFunction):
        values = [(f"saved_{number}", item[0]) for number, item in enumerate(node.saved or ()) if item is not None]
    elif isinstance(node, ProgramNode):
        values = [(f"operand_{number}", item) for number, item in enumerate(node.operands)]
    else:
        values = []
    for label, value in values:
        if isinstance(value, Packed):
            yield Saved(label, (), "packed", 0, line, text)
        elif isinstance(value, (np.ndarray, np.generic)):
            yield Saved(label, np.shape(value), str(value.dtype), memory(value, seen), line, text)


def saved_per_line(tensor: Tensor) -> SavedReport:
    """The memory that the graph behind a tensor keeps, for each line that made it do so, most of it first."""
    totals: dict[tuple[str, int, str], list[Saved]] = {}
    for step in describe(tensor):
        for item in step.saved:
            totals.setdefault((step.filename, item.line, item.text), []).append(item)
    rows = [Saved(", ".join(dict.fromkeys(item.name for item in items)), (len(items),),
                  "/".join(sorted({item.dtype for item in items})), sum(item.bytes for item in items), line, text)
            for (_, line, text), items in totals.items()]
    return GraphMemory(sorted(rows, key=lambda row: -row.bytes))


class GraphMemory(SavedReport):
    """What the lines of a program keep in memory; the shape is the number of values."""

    def __str__(self) -> str:
        return super().__str__().replace("bytes besides the arguments", "bytes besides the leaves").replace(
            "needed by", "made by")


setattr(Tensor, OF_GRAPH, saved_per_line)
