"""Optimisers, as ``torch.optim`` has them."""
from s2sgrad.optim import lr_scheduler
from s2sgrad.optim.lbfgs import LBFGS
from s2sgrad.optim.optimizer import SGD, Adam, AdamW, Optimizer
from s2sgrad.optim.scaled import Adadelta, Adagrad, Adamax, RMSprop

__all__ = ["LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Optimizer", "RMSprop", "lr_scheduler"]
