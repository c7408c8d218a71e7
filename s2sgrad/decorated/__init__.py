"""Functions that tensors are given to, compiled as a whole: written in NumPy's terms, and one node of the graph."""
