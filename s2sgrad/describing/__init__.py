"""The backward pass of a tensor told: its steps in order, the lines that made them, what they keep in memory."""
from s2sgrad.describing.steps import Description, describe

__all__ = ["Description", "describe"]
