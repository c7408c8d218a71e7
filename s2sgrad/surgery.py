"""Code that runs in the reverse sweep: ``with s2sgrad.adjoint_of(h) as h_bar:``."""
from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from s2sgrad.compiler.definitions import OWN, Definition
from s2sgrad.compiler.emit import Text, compile_text
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.surgery import BLOCK, Block
from s2sgrad.compiler.unparse import unparse
from s2sgrad.containers import contents, with_parts
from s2sgrad.derivative import Session
from s2sgrad.errors import UnsupportedError
from s2sgrad.given import Given, Own, tuple_text
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.runtime.custom import fitted
from s2sgrad.runtime.structures import held, zeros_of


class adjoint_of:  # noqa: N801
    """The cotangent of a value, in a block that runs in the reverse sweep: to look at it, or to change it.

    ::

        h = np.tanh(x @ w)
        with s2sgrad.adjoint_of(h) as h_bar:
            h_bar = np.clip(h_bar, -1.0, 1.0)

    When the sweep comes to where the block stands, the block runs with the cotangent of ``h`` from all that comes
    behind; what ``h_bar`` is at its end goes on. The block may read the function's names, as they were there, print,
    call what it likes, and write into ``h_bar``; names that it binds are its own. Forward mode passes it by. In a plain
    call of the function there is no cotangent: the block runs with zeros. A second derivative is that of the gradient
    as it is computed, by the block's code; it need not be symmetric then, and ``hvp`` may be its product from either
    side.

    Parameters
    ----------
    value
        The name of a number or an array.

    Raises
    ------
    UnsupportedError
        When the function is differentiated: for a list or another container, for a block that binds names of the
        function or writes into other arrays.
    """

    def __init__(self, value: Any):
        self.value = value

    def __enter__(self) -> Any:
        return zeros_within(self.value)

    def __exit__(self, *_: object) -> None:
        pass


def zeros_within(value: Any) -> Any:
    if contents(value) is not None:
        return with_parts(value, zeros_within)
    return zeros_of(value) if isinstance(value, (np.ndarray, float, complex, np.inexact)) else None


class Surgery(Given):
    """The derivative of a function that hands on its first argument, with a block of the user's for its adjoint."""

    def __init__(self, block: Block, definition: Definition, session: Session):
        super().__init__(definition.function, definition, session)
        self.block = block
        self.location = block.location

    def analyse(self, arguments: dict[str, Abstract]) -> None:
        if not isinstance(arguments[self.block.value], Numeric):
            raise UnsupportedError(f"{self.block.value} is not known to be a number or an array, as adjoint_of needs",
                                   "name one part of it", self.location)
        super().analyse(arguments)

    def finish(self) -> None:
        if self.captures.saved is not None:
            return
        super().finish()
        self.start()
        name, = self.local(f"{self.name}_primal")
        self.given_text = self.write(name, self.header(), [
            f"return {self.block.value}, 0, {tuple_text(self.saved_arguments())}"])
        made = self.readable_own if self.session.again else self.compile_own
        self.primal_cell.cell_contents = made(self.given_text, name)

    def texts(self) -> list[Text]:
        return [self.given_text, *self.given_texts()]

    def adjoint_text(self, wanted: tuple[str, ...], seeds: tuple) -> tuple[str, Text]:
        block = self.block
        taken = Names(self.own_names.taken | {block.bar})
        name, path, saved = (taken.fresh(label) for label in (f"{self.name}_adjoint", "path", "saved"))
        given = [path, saved, block.bar] if self.session.again else [saved, block.bar]
        own, fit, zeros = (self.give(function.__name__, function) for function in (held, fitted, zeros_of))
        body = unparse(block.body).rstrip("\n").split("\n")
        bars = [f"{fit}({f'the cotangent of {block.value}'!r}, {block.bar}, {label})" if label == block.value
                else f"{zeros}({label})" for label in wanted]
        return name, self.write(name, ", ".join(given), [
            f"{tuple_text(self.parameters)[1:-1]} = {saved}", f"{block.bar} = {own}({block.bar})", *body,
            f"return {tuple_text(bars)[1:-1]}"])

    def write_tangent(self, helpers: Any, names: Names, careful: bool) -> None:
        header = self.start_tangent()
        parameters = self.header(header.parameters.values(), header.by_keyword)
        value = self.block.value
        self.tangent_text = self.write(header.name, parameters, [f"return {value}, {header.parameters[value]}"])
        self.tangent_cell.cell_contents = self.compile_own(self.tangent_text, header.name)


def made_of(block: Block) -> types.FunctionType:
    """The function that is called in place of a block."""
    label = f"adjoint_of_{block.value}"
    text = f"def {label}({', '.join((block.value, *block.reads))}):\n    return {block.value}\n"
    made = compile_text(text, label, block.function.__globals__, {})
    setattr(made, OWN, Own(made, functools.partial(Surgery, block), ruled=False))
    return made


setattr(adjoint_of, BLOCK, made_of)
