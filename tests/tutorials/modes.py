# %%
import torch

x = torch.tensor([1], dtype=torch.float, requires_grad=True)
with torch.no_grad():
    y = x * 2
print(y.requires_grad)

@torch.no_grad()
def doubler(x):
    return x * 2
z = doubler(x)
print(z.requires_grad)

# %%
x = torch.tensor([1], dtype=torch.float, requires_grad=True)
is_train = False
with torch.set_grad_enabled(is_train):
    y = x * 2
print(y.requires_grad)
