"""One function's derivatives: where primal, path and adjoint meet.

A :class:`Derivative` is one function for one pattern of arguments: its saving primal, and an adjoint for each branch
path, generated when the path is first met. A :class:`Session` is the work of compiling one of them, with those of the
functions that it calls.
"""
from s2sgrad.derivative.derivative import Derivative
from s2sgrad.derivative.inputs import Captured, Endless, NeedsInput, NewPlace, TooMany, must_be_known
from s2sgrad.derivative.options import ALL_ON, Options, again_otherwise
from s2sgrad.derivative.path_table import PathTable, Unwritten
from s2sgrad.derivative.programs import program_of, read
from s2sgrad.derivative.session import Session

__all__ = ["ALL_ON", "Captured", "Derivative", "Endless", "NeedsInput", "NewPlace", "Options", "PathTable", "Session",
           "TooMany", "Unwritten", "again_otherwise", "must_be_known", "program_of", "read"]
