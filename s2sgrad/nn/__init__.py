"""What ``torch.nn`` has, as far as it is functions: there are no modules."""
from s2sgrad.nn import functional

__all__ = ["functional"]
