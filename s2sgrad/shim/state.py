"""What each thread has of its own: whether operations are recorded."""
from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

import numpy as np


class Modes:
    """Attributes
    ----------
    recording
        Operations on tensors that require a gradient make nodes.
    inference
        An ``inference_mode`` is on.
    quiet
        ``quiet.run(function, ...)`` runs a NumPy function without its warnings, which PyTorch doesn't give either; it
        costs a tenth of what ``np.errstate`` does.
    packing
        The hooks that what is saved is handed to.
    hooks_refused
        Why there may be no such hooks; empty where there may.
    anomaly
        ``"errors"`` or ``"nan"``: nodes remember where they were made, and a backward pass looks for what goes wrong.
    """

    __slots__ = ("recording", "inference", "packing", "hooks_refused", "anomaly", "quiet")

    def __init__(self) -> None:
        self.recording = True
        self.inference = False
        self.packing: tuple[Callable, Callable] | None = None
        self.hooks_refused = ""
        self.anomaly = ""
        self.quiet = contextvars.Context()
        self.quiet.run(np.seterr, all="ignore")


class State(threading.local):
    """Attributes
    ----------
    now
        The modes of this thread: one object, for what a thread has of its own takes long to find.
    """

    def __init__(self) -> None:
        self.now = Modes()


state = State()
