"""What ``torch.utils`` has."""
from s2sgrad.utils import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]
