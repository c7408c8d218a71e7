"""What ``torch.utils`` has."""
from s2sgrad.utils import checkpoint

__all__ = ["checkpoint"]
