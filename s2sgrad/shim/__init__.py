"""PyTorch's manners on the same rules: tensors, their graph, and what is done with them."""
