"""Finding the operation whose backward pass goes wrong."""
from __future__ import annotations

import warnings
from typing import Any

from s2sgrad.shim.state import state

SLOW = ("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
        "debugging.")


class set_detect_anomaly:  # noqa: N801 - PyTorch's name
    """Sets anomaly detection on or off: at once as a function, for its block as a context manager.

    While it is on, nodes remember where they were made, and a backward pass that raises, or gives NaN, tells of the
    operation that did it and where it was called.
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self.before = state.now.anomaly
        state.now.anomaly = "nan" if mode and check_nan else "errors" if mode else ""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        state.now.anomaly = self.before


class detect_anomaly(set_detect_anomaly):  # noqa: N801
    """Context-manager that turns anomaly detection on."""

    def __init__(self, check_nan: bool = True):
        self.check_nan = check_nan
        warnings.warn(SLOW, UserWarning, stacklevel=2)

    def __enter__(self) -> None:
        super().__init__(True, self.check_nan)


def is_anomaly_enabled() -> bool:
    return bool(state.now.anomaly)


def is_anomaly_check_nan_enabled() -> bool:
    return state.now.anomaly == "nan"
