"""What ``torch.utils.hooks`` has."""
from s2sgrad.shim.nodes import RemovableHandle

__all__ = ["RemovableHandle"]
