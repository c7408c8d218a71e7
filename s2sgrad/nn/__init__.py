"""What ``torch.nn`` has, as far as it is functions: there are no modules."""
from s2sgrad.nn import functional, utils
from s2sgrad.nn.parameter import Parameter

__all__ = ["Parameter", "functional", "utils"]
