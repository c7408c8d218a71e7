"""PyTorch's manners on the same rules: tensors, their graph, and what is done with them.

Importing any part fills the tables, which put the operations on the Tensor.
"""
from s2sgrad.shim import (
    arithmetic,
    arrangements,
    conversion,
    creation,
    draws,
    elementwise,
    engine,
    indexing,
    joining,
    linalg,
    moves,
    order,
    placing,
    printing,
    products,
    reductions,
    saving,
    shapes,
    slopes,
    special,
    written,
)

__all__ = ["arithmetic", "arrangements", "conversion", "creation", "draws", "elementwise", "engine", "indexing",
           "joining", "linalg", "moves", "order", "placing", "printing", "products", "reductions", "saving", "shapes",
           "slopes", "special", "written"]
