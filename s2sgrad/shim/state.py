"""What each thread has of its own: whether operations are recorded."""
from __future__ import annotations

import contextvars
import threading

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
    """

    recording = True
    inference = False

    def __init__(self) -> None:
        self.quiet = contextvars.Context()
        self.quiet.run(np.seterr, all="ignore")


state = State()
