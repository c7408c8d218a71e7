"""Ufuncs of one or two arguments, and their like."""
from __future__ import annotations

from s2sgrad.rules.table import elementwise

elementwise("np.exp(x)", x="y")
elementwise("np.log(x)", x="g / x")
elementwise("np.sin(x)", x="np.cos(x)")
elementwise("np.cos(x)", x="-g * np.sin(x)")
elementwise("np.tanh(x)", x="1 - y ** 2")
# sqrt at 0: infinite, as in PyTorch
elementwise("np.sqrt(x)", x="g / (2 * y)")
