"""What each thread has of its own: whether operations are recorded."""
from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

import numpy as np


class State(threading.local):
    """Attributes
    ----------
    recording
        Operations on tensors that require a gradient make nodes.
    inference
        Results are inference tensors, which are never recorded.
    quiet
        ``quiet.run(function, ...)`` runs a NumPy function without its warnings, which PyTorch doesn't give either; it
        costs a tenth of what ``np.errstate`` does.
    packing
        The hooks that what is saved is handed to.
    anomaly
        ``"errors"`` or ``"nan"``: nodes remember where they were made, and a backward pass looks for what goes wrong.
    """

    recording = True
    inference = False
    packing: tuple[Callable, Callable] | None = None
    anomaly = ""

    def __init__(self) -> None:
        self.quiet = contextvars.Context()
        self.quiet.run(np.seterr, all="ignore")


state = State()
