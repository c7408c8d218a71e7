# %%
import torch
from torch.autograd import Variable

# %%
x = Variable(torch.ones(2, 2), requires_grad=True)
print(x)

# %%
y = x + 2
print(y)

# %%
print(y.grad_fn)

# %%
z = y * y * 3
out = z.mean()

print(z, out)

# %%
out.backward()

# %%
print(x.grad)

# %%
x = torch.ones(3)
print(x)
x = Variable(x, requires_grad=True)
x.grad = Variable(torch.rand(3))
print(x.grad)

y = x ** 3
while y.data.norm() < 1000:
    y = y * 2

print(y)

# %%
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)

print(x.grad)
