"""The lock under which programs are compiled, and what belongs to libraries is loaded."""
from __future__ import annotations

import gc
import importlib
import sys
import threading


class Compiling:
    """Lets one thread compile at a time; compiled code runs without it.

    What a compilation makes lives as long as it or longer, so that looking for garbage meanwhile, which takes a
    twentieth of the time, waits for its end.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.depth = 0
        self.collecting = False
        """Whether garbage was looked for when the outermost block began."""

    def __enter__(self) -> None:
        self.lock.acquire()
        self.depth += 1
        if self.depth == 1:
            self.collecting = gc.isenabled()
            gc.disable()

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collecting:
            gc.enable()
        self.lock.release()


COMPILING = Compiling()


def load(later: dict[str, tuple[str, ...]], package: str) -> None:
    """Import the modules of a package that go with libraries which the user has imported by now, each once."""
    if sys.modules.keys().isdisjoint(tuple(later)):
        return
    with COMPILING:  # one thread loads them
        for library in [library for library in later if library in sys.modules]:
            for module in later.pop(library):
                importlib.import_module(f"{package}.{module}")
