# %%
from __future__ import print_function
import torch as t

# %%
import numpy as np

# %%
a = t.randn(3, 4, requires_grad=True)
# or
a = t.randn(3, 4).requires_grad_()
# or
a = t.randn(3, 4)
a.requires_grad=True
a

# %%
b = t.zeros(3, 4).requires_grad_()
b

# %%
c = a.add(b)  # or c = a + b
c

# %%
d = c.sum()
d.backward()

# %%
d
d.requires_grad
d

# %%
a.grad

# %%
a.requires_grad, b.requires_grad, c.requires_grad

# %%
a.is_leaf, b.is_leaf, c.is_leaf

# %%
c.grad is None

# %%
def f(x):
    # return np.power(x, 2) * np.exp(x)
    return x ** 2 * t.exp(x)

def grad_f(x):
    # return 2 * x * np.exp(x) + f(x)
    return 2 * x * t.exp(x) + f(x)

# %%
x = t.randn(3, 4, requires_grad=True)
y = f(x)
y

# %%
y.backward(t.ones(y.size()))
x.grad

# %%
grad_f(x)

# %%
x = t.ones(1)
b = t.rand(1, requires_grad=True)
w = t.rand(1, requires_grad=True)
y = w * x  # equal to y = w.mul(x)
z = y + b  # equal to z = y.add(b)

# %%
x.requires_grad, b.requires_grad, w.requires_grad

# %%
y.requires_grad

# %%
x.is_leaf, w.is_leaf, b.is_leaf

# %%
y.is_leaf, z.is_leaf

# %%
z.grad_fn

# %%
z.grad_fn.next_functions

# %%
z.grad_fn.next_functions[0][0] == y.grad_fn

# %%
y.grad_fn.next_functions

# %%
w.grad_fn, x.grad_fn

# %%
z.backward(retain_graph=True)
w.grad

# %%
z.backward()
w.grad

# %%
def abs(x):
    if x.data[0] > 0: return x
    else: return -x

x = t.ones(1, requires_grad=True)
y = abs(x)
y.backward()
x.grad

# %%
x = -1 * t.ones(1)
x = x.requires_grad_()
y = abs(x)
y.backward()
print(x.grad)

# %%
y

# %%
x

# %%
x.requires_grad

# %%
def f(x):
    result = 1
    for ii in x:
        if ii.item() > 0:
            result = ii * result
    return result

x = t.arange(-2, 4, dtype=t.float32).requires_grad_()
y = f(x)  # y = x[3] * x[4] * x[5]
y.backward()
x.grad

# %%
x = t.ones(1, requires_grad=True)
w = t.rand(1, requires_grad=True)
y = x * w
x.requires_grad, w.requires_grad, y.requires_grad

# %%
t.set_grad_enabled(False)
x = t.ones(1)
w = t.rand(1, requires_grad=True)
y = x * w
x.requires_grad, w.requires_grad, y.requires_grad

# %%
t.set_grad_enabled(True)
