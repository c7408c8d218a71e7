"""The phases of complex vectors, which a decomposition leaves open."""
from __future__ import annotations

from typing import Any

import numpy as np


def turned_eigenvectors(vectors: Any, a: Any, values: Any, lower: bool) -> Any:
    """The vectors of a Hermitian matrix, for what does not depend on their phases: they have a derivative then."""
    return vectors


def turned_singular_vectors(u: Any, vh: Any, a: Any, s: Any) -> tuple[Any, Any]:
    """The same of singular vectors, which a phase turns in pairs."""
    return u, vh


def half_phases(inner: Any, s: Any) -> Any:
    """For the columns of vectors what turns them by half of a phase."""
    return (0.5j * np.imag(np.diagonal(inner, axis1=-2, axis2=-1)) / s)[..., None, :].astype(inner.dtype)
