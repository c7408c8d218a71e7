"""Optimisers, as ``torch.optim`` has them."""
from s2sgrad.optim.lbfgs import LBFGS
from s2sgrad.optim.optimizer import SGD, Adam, AdamW, Optimizer

__all__ = ["LBFGS", "SGD", "Adam", "AdamW", "Optimizer"]
