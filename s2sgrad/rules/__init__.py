from s2sgrad.rules import arithmetic, elementwise, reductions
