"""The Programs of functions, parsed once."""
from __future__ import annotations

import types
import weakref
from dataclasses import replace
from typing import Any

from s2sgrad.compiler.again import COTANGENTS, GIVES_BACK, KEPT, ORDERS, given_to
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.derived import ours_in
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.nesting import nested_too_deep
from s2sgrad.compiler.parse import parse
from s2sgrad.compiler.program import Program
from s2sgrad.compiling import COMPILING
from s2sgrad.entries import entries_of, is_generated

_programs: dict[Any, Program] = {}
read: weakref.WeakSet[types.FunctionType] = weakref.WeakSet()
"""The functions whose text was looked into since this was last cleared, under ``COMPILING``."""


def program_of(definition: Definition) -> Program:
    """The parsed body of a function; a redefined function has another code object and is parsed anew."""
    function = definition.function
    code = function.__code__
    read.add(function)
    if definition.outer is not None:
        read.update(inner for _, inner in definition.outer.inside)
    # code from two files may be equal, but messages name the file
    key = code.co_filename, code, definition.manner
    own = entries_of(function).programs
    if key in own and is_still_so(own[key], function):
        return own[key]
    # other functions may have this code, with other closure cells; but no other has generated code, and a program has
    # what that closes over
    apart = is_generated(code) or definition.outer is not None  # which names functions
    program = None if apart else _programs.get(key)
    if program is None or not is_still_so(program, function):
        with COMPILING:  # ast.parse in two threads at once may fail before Python 3.12
            try:
                program = parse(locate(function), definition)
            except RecursionError:
                refusal = nested_too_deep([function])
                if refusal is None:
                    raise
                raise refusal from None
            given = given_to(function)
            if definition.syntax is not None:
                given = {**given, **ours_in(program.names)}
            names = program.names.union(given)  # what the text does not mention may yet be put in by its name
            program = replace(program, given={**program.given, **given}, names=names, free=tuple(
                label for label in program.free if label not in given), **{
                    field: getattr(function, label) for field, label in (
                        ("kept", KEPT), ("cotangents", COTANGENTS), ("orders", ORDERS), ("gives_back", GIVES_BACK))
                    if hasattr(function, label)})
        if not apart:
            if len(_programs) > 1000:
                _programs.clear()
            _programs[key] = replace(program, owner=None)  # else it would keep the function, and what that closes over
    own[key] = replace(program, owner=function)
    return own[key]


def is_still_so(program: Program, function: types.FunctionType) -> bool:
    """Whether what makes objects in a function is what it was when its text was read."""
    return all(held(node, function) is maker for node, maker in program.makers)
