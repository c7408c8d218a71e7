# %%
import torch

# %%
x = torch.ones(2,2,requires_grad=True)
print(x)

# %%
y = x+2

# %%
y.requires_grad

# %%
y.grad_fn

# %%
z = y * y * 3
out = z.mean()
print(z,'\n',out)

# %%
out.backward()

# %%
print(x.grad)

# %%
h = torch.tensor([
    [1,2],
    [3,4]],
    dtype=torch.float,
)
h.norm()

# %%
grad = 4*torch.ones(4,4,dtype=torch.float)
b = torch.ones(4,4, requires_grad=True)
c = (b*b).mean()
print(b,c)

# %%
c.backward(grad)

# %%
print(b.grad)

# %%
print(x.requires_grad)
print((x ** 2).requires_grad)

with torch.no_grad():
    q=x**2
    print(q.requires_grad)
    print(x.requires_grad)

print(q.requires_grad)
