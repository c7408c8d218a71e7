"""The rule tables, one for each area; importing the package fills the registry."""
from s2sgrad.rules import arithmetic, constants, creation, elementwise, linalg, python, reductions, shapes

__all__ = ["arithmetic", "constants", "creation", "elementwise", "linalg", "python", "reductions", "shapes"]
