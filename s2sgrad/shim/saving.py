"""Tensors, and containers of them, written to files and read again."""
from __future__ import annotations

import os
import pickle
from typing import Any

from s2sgrad.shim.conversion import rebuilt
from s2sgrad.shim.names import exported

HARMLESS = {("s2sgrad.shim.conversion", rebuilt.__name__), ("s2sgrad.shim.dtypes", "of_numpy"),
            ("s2sgrad.shim.dtypes", "Size"), ("collections", "OrderedDict"), ("collections", "defaultdict"),
            ("numpy", "ndarray"), ("numpy", "dtype"), *(
                (module, name) for module in ("numpy._core.multiarray", "numpy.core.multiarray", "numpy._core.numeric")
                for name in ("_reconstruct", "scalar", "_frombuffer"))}
"""What a file may name that runs nothing but what makes tensors and containers."""


class Weights(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in HARMLESS and (module != "numpy.dtypes" or not name.endswith("DType")):
            raise pickle.UnpicklingError(f"Weights only load failed: the file names {module}.{name}, which may run "
                                         "anything. Pass weights_only=False if you trust it")
        return super().find_class(module, name)


@exported
def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = pickle.DEFAULT_PROTOCOL) -> None:
    """Write an object to a file, given by name or opened. PyTorch can't read it."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            pickle.dump(obj, file, pickle_protocol)
    else:
        pickle.dump(obj, f, pickle_protocol)


@exported
def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool = True) -> Any:
    """Read what :func:`save` wrote. ``weights_only``: nothing but tensors, numbers, texts and containers of them."""
    reader = Weights if weights_only else pickle.Unpickler
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return reader(file).load()
    return reader(f).load()
