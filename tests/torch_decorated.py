"""Programs with functions that s2sgrad compiles and PyTorch runs as ever: what they print is recorded with the others.

``decorated(torch)`` is the decorator, where the package has one. No program shows the inside of a decorated function's
graph, which is one node here.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from torch_programs import PROGRAMS, attempt, program

scale = None
"""A captured input; programs set it."""


def decorated(torch: Any) -> Callable:
    return getattr(torch, "differentiable", lambda function: function)


def gradients(*tensors: Any) -> None:
    """Print and clear them."""
    for tensor in tensors:
        print(tensor.grad)
        tensor.grad = None


def rounded(*tensors: Any) -> None:
    """Print gradients of which single precision leaves few digits."""
    for tensor in tensors:
        print([round(item, 2) + 0.0 for item in tensor.grad.reshape(-1).tolist()])


# ---- control flow

@program
def decorated_tutorials(torch) -> None:
    @decorated(torch)
    def f(x):
        return x ** 2 * torch.exp(x)

    @decorated(torch)
    def abs(x):
        if x.data[0] > 0:
            return x
        else:
            return -x

    @decorated(torch)
    def product(x):
        result = 1
        for ii in x:
            if ii.item() > 0:
                result = ii * result
        return result

    @decorated(torch)
    def doubled(x):
        y = x * 2
        while y.data.norm() < 1000:
            y = y * 2
        return y

    x = torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_()
    y = f(x)
    print(y)
    y.backward(torch.ones(y.size()))
    gradients(x)
    for start in (1.0, -1.0):
        x = torch.full((1,), start, requires_grad=True)
        y = abs(x)
        print(y, y is x, y.is_leaf, y.requires_grad)
        y.backward()
        gradients(x)
    x = torch.arange(-2, 4, dtype=torch.float32).requires_grad_()
    y = product(x)
    print(y)
    y.backward()
    gradients(x)
    print(product(torch.tensor([-1.0, -2.0], requires_grad=True)))
    x = torch.tensor([0.5, -0.25, 1.5], requires_grad=True)
    y = doubled(x)
    print(y)
    y.backward(torch.tensor([0.1, 1.0, 0.0001]))
    gradients(x)


@program
def decorated_branches(torch) -> None:
    @decorated(torch)
    def piecewise(x, mode="sum", clip=None):
        y = x * 3
        if mode == "sum":
            y = y.sum()
        elif mode == "mean":
            y = y.mean()
        if clip is not None and y.item() > clip:
            return y * 0 + clip
        if y > 1:
            y = y.log()
        return y

    x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    for options in ({}, {"mode": "mean"}, {"mode": "mean", "clip": 2.0}, {"clip": 100}):
        y = piecewise(x, **options)
        print(f"{y.item():.5f}", y.requires_grad)  # the last digit of a logarithm depends on the machine
        y.backward()
        gradients(x)
    y = piecewise(-x, "sum")
    y.backward()
    gradients(x)


@program
def decorated_loops(torch) -> None:
    @decorated(torch)
    def newton(a, steps):
        x = a * 0 + 1.0
        for i in range(steps):
            if (x * x - a).abs().max() < 1e-6:
                break
            if i % 2 == 1 and i > 100:
                continue
            x = (x + a / x) / 2
        return x

    @decorated(torch)
    def nested(x, n):
        total = torch.zeros(3)
        for i in range(n):
            for row in x:
                if row.sum() < 0:
                    continue
                total = total + row * (i + 1)
        return total, n

    a = torch.tensor([2.0, 9.0], requires_grad=True)
    y = newton(a, 20)
    print(y.detach())
    y.sum().backward()
    gradients(a)
    x = torch.tensor([[1.0, 2, 3], [-1, -2, -3], [0.5, 0.25, 0]], requires_grad=True)
    y, n = nested(x, 3)
    print(y, n)
    (y ** 2).sum().backward()
    gradients(x)


@program
def decorated_accumulations(torch) -> None:
    @decorated(torch)
    def total(x):
        loss = 0
        count = 0
        for item in x:
            loss += (item ** 2).sum()
            count += 1
        return loss / count

    @decorated(torch)
    def summed(xs):
        return sum([x.sum() for x in xs])

    x = torch.tensor([[1.0, 2], [3, 4], [5, 6]], requires_grad=True)
    y = total(x)
    print(y.item())
    y.backward()
    gradients(x)
    z = torch.tensor([[1.0, 1]], requires_grad=True)
    y = summed([x, z])
    print(y.item())
    y.backward()
    gradients(x, z)


# ---- captured tensors

@program
def decorated_captures(torch) -> None:
    global scale
    scale = torch.tensor([1.0, 2.0], requires_grad=True)
    offset = torch.tensor(0.5, requires_grad=True)
    constant = torch.tensor([3.0, 4.0])

    @decorated(torch)
    def f(x):
        return (x * scale + offset * constant).sum()

    x = torch.tensor([1.0, -1.0], requires_grad=True)
    y = f(x)
    print(y.item())
    y.backward()
    gradients(x, scale, offset)
    print(constant.grad, f(torch.ones(2)).requires_grad)
    scale = torch.tensor([5.0, 6.0])
    y = f(x)
    y.backward()
    gradients(x, offset)
    with torch.no_grad():
        print(f(x))
    offset = torch.tensor(1.0)
    print(f(torch.ones(2)))


@program
def decorated_objects(torch) -> None:
    class Layer:
        def __init__(self, size, out):
            self.weight = (torch.arange(size * out).reshape(size, out) / 10).requires_grad_()
            self.bias = torch.zeros(out, requires_grad=True)
            self.gain = 2.0

        def __call__(self, x):
            return x @ self.weight * self.gain + self.bias

        def parameters(self):
            return [self.weight, self.bias]

    class Network:
        def __init__(self):
            self.first, self.second = Layer(3, 4), Layer(4, 1)

        @decorated(torch)
        def forward(self, x):
            return self.second(torch.tanh(self.first(x))).sum()

    network = Network()
    y = network.forward(torch.tensor([[0.1, 0.2, 0.3], [1.0, 0.0, -1.0]]))
    print(y)
    y.backward()
    parameters = [*network.first.parameters(), *network.second.parameters()]
    rounded(*parameters)
    for parameter in parameters:
        parameter.grad = None
    network.first.gain = 1.0
    network.forward(torch.ones(1, 3)).backward()
    gradients(*network.first.parameters(), *network.second.parameters())
    network.first.weight.requires_grad_(False)
    network.forward(torch.ones(1, 3)).backward()
    gradients(*network.first.parameters(), *network.second.parameters())


class Pair(NamedTuple):
    left: Any
    right: Any


@program
def decorated_containers(torch) -> None:
    @decorated(torch)
    def f(params, pair):
        h = torch.tanh(params["w"][0] * pair[0]) + params["b"]
        return {"h": h, "parts": (h.sum(), pair[1] * 2)}

    @decorated(torch)
    def states(x, n):
        found = []
        h = x
        for _ in range(n):
            h = torch.sin(h) * 2
            found.append(h)
        return torch.stack(found), found[-1]

    @decorated(torch)
    def named(x):
        values, places = x.max(0)
        return values * 2, places, x.sort().values, x.min(1)

    w, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    found = f({"w": [w, 1], "b": b}, (x, torch.ones(1)))
    print(found["h"].detach(), found["parts"][0].item(), found["parts"][1], found["parts"][1].requires_grad)
    (found["parts"][0] + found["h"].prod()).backward()
    gradients(w, b, x)
    stacked, last = states(x, 3)
    print(stacked.shape, last.detach())
    (stacked.sum() + last[0]).backward()
    gradients(x)
    x = torch.tensor([[1.0, 5, 2], [4, 3, 6]], requires_grad=True)
    values, places, ordered, smallest = named(x)
    print(values.tolist(), places, ordered.tolist(), smallest.values.tolist(), smallest.indices, smallest[1].dtype)
    ((values * torch.tensor([1.0, 2, 3])).sum() + ordered[0, 0] * 5 + smallest.values.sum()).backward()
    gradients(x)


# ---- one graph

@program
def decorated_in_a_graph(torch) -> None:
    @decorated(torch)
    def inner(x, y):
        return torch.exp(x) * y

    @decorated(torch)
    def outer(x):
        z = inner(x, x * 2)
        return z + inner(x.detach(), x)

    x = torch.tensor([0.5, -1.0], requires_grad=True)
    z = outer(x * 3)
    w = inner(z, x).sum()
    seen = []
    z.register_hook(lambda g: seen.append(g.clone()))
    z.retain_grad()
    x.register_hook(lambda g: g * 2)
    w.backward(retain_graph=True)
    print(seen, z.grad)
    gradients(x)
    w.backward()
    gradients(x)
    attempt(lambda: w.backward())
    print(torch.autograd.grad(outer(x).sum(), x))
    attempt(lambda: torch.autograd.grad(outer(x).sum(), w))
    print(torch.autograd.grad(outer(x).sum(), [x, z], allow_unused=True)[1])


@program
def decorated_twice_differentiated(torch) -> None:
    @decorated(torch)
    def energy(x, k):
        total = 0.0
        for _ in range(2):
            total = total + (torch.sin(x) * x ** 2).sum() * k
        return total

    @decorated(torch)
    def path(x):
        if x.sum() > 0:
            return (x ** 3).sum(), x * 2
        return (x ** 4).sum(), x * 3

    x = torch.tensor([0.5, 1.0, -2.0], requires_grad=True)
    k = torch.tensor(1.5, requires_grad=True)
    first, = torch.autograd.grad(energy(x, k), x, create_graph=True)
    print(first.requires_grad)
    second = torch.autograd.grad((first ** 2).sum(), [x, k], create_graph=True)
    print(second[0].round(decimals=2).detach(), second[1].round(decimals=2).detach())
    first, = torch.autograd.grad(path(x + 3)[0], x, create_graph=True)
    second, = torch.autograd.grad((first ** 2).sum(), x, create_graph=True)
    print(torch.autograd.grad(second.sum(), x))
    for sign in (1, -1):
        value, linear = path(x * sign + 2 * sign)
        g, = torch.autograd.grad(value, x, create_graph=True)
        print(torch.autograd.grad(g.sum(), x, retain_graph=True))
        h, = torch.autograd.grad(linear.sum(), x, create_graph=True)
        print(h, h.requires_grad)


@program
def decorated_versions(torch) -> None:
    @decorated(torch)
    def f(x, y):
        return torch.exp(x) * y

    @decorated(torch)
    def linear(x):
        return x * 3

    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a = x * 1
    z = f(a, y)
    a.add_(1)
    z.sum().backward()
    gradients(y)
    a = x * 1
    z = f(x, a)
    a.mul_(2)
    attempt(lambda: z.sum().backward())
    z = linear(a)
    z.add_(1)
    a.add_(5)
    z.sum().backward()
    gradients(x)
    z = f(x, y)
    with torch.no_grad():
        y += 1
    attempt(lambda: z.sum().backward())
    z = f(x, y)
    z.mul_(2)
    z.sum().backward()
    gradients(x, y)


@program
def decorated_flags(torch) -> None:
    @decorated(torch)
    def parts(x, y):
        with torch.no_grad():
            s = x.norm()
        return x.detach(), s, y * 2, x > 0, x.data * y, (x * 2).detach(), x.size(0)

    @decorated(torch)
    def enabled(x):
        with torch.no_grad():
            a = x * 2
            with torch.enable_grad():
                b = x * 3
        return a, b, torch.ones(2) * 4

    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    for item in parts(x, y)[:-1]:
        print(item, item.requires_grad, item.is_leaf)
    print(parts(x, y)[-1], parts(y, x)[4].requires_grad)
    a, b, c = enabled(x)
    print(a.requires_grad, b.requires_grad, c.requires_grad)
    b.sum().backward()
    gradients(x)
    torch.set_grad_enabled(False)
    print(parts(x, y)[2].requires_grad, enabled(x)[1].requires_grad)
    torch.set_grad_enabled(True)
    d = parts(x, y)[0]
    with torch.no_grad():
        d += 1
    print(x)


@program
def decorated_views(torch) -> None:
    @decorated(torch)
    def corner(x):
        return x[0], x.T, x.reshape(-1) * 2

    x = torch.ones(2, 3, requires_grad=True)
    row, turned, flat = corner(x)
    print(row.detach(), turned.shape, flat.detach())
    (row.sum() + turned[2, 1] * 4 + flat[0]).backward()
    gradients(x)
    with torch.no_grad():
        x.add_(1)
    print(row.tolist(), turned[0].tolist(), flat.tolist())


@program
def decorated_writes(torch) -> None:
    @decorated(torch)
    def filled(x):
        y = torch.zeros(4)
        y[0] = x[0] * 2
        y[1:3] = x * x
        y *= 3
        y += x.sum()
        y[3] = 1.0
        return y

    @decorated(torch)
    def diffused(u, c, steps):
        v = u.clone()
        for _ in range(steps):
            v[1:-1] += c * (v[2:] - 2 * v[1:-1] + v[:-2])
        return v

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = filled(x)
    print(y.tolist())
    (y * torch.tensor([1.0, 2, 3, 4])).sum().backward()
    gradients(x)
    u, c = torch.tensor([0.0, 1, 0, 0, 2], requires_grad=True), torch.tensor(0.1, requires_grad=True)
    v = diffused(u, c, 3)
    print(v.tolist(), u)
    (v ** 2).sum().backward()
    gradients(u, c)


@program
def decorated_numbers_and_arrays(torch) -> None:
    @decorated(torch)
    def f(x, n, flag, k=2.0, *, shift=1):
        y = x * n + shift
        if flag:
            y = y ** k
        return y / len(x) + x.size(0) * math.sqrt(k) + x.numel()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for arguments, options in (((3, True), {}), ((2.5, False), {}), ((3, True, 3), {"shift": 0}), ((-1, True, 2), {})):
        y = f(x, *arguments, **options)
        print(y)
        y.sum().backward()
        gradients(x)
    d = x.double()
    print(f(d, 2, True).dtype, f(x, np.float64(2), True).dtype, f(x, torch.tensor(2.0).double(), False).dtype)
    i = torch.arange(3)
    g = decorated(torch)(lambda x, i: (x[i[:2]] * i[1:]).sum() + (i * 2).sum() + i.sum() / 2)
    y = g(x, i)
    print(y.item(), y.dtype)
    y.backward()
    gradients(x)


@program
def decorated_models(torch) -> None:
    @decorated(torch)
    def mlp(x, w1, b1, w2, b2, target):
        h = torch.relu(x @ w1 + b1)
        out = torch.sigmoid(h @ w2 + b2)
        return ((out - target) ** 2).mean()

    @decorated(torch)
    def rnn(xs, w, u, h):
        for x in xs:
            h = torch.tanh(x @ w + h @ u)
        return h

    @decorated(torch)
    def attention(q, k, v):
        weights = torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), -1)
        return weights @ v

    def made(*shape):
        count = math.prod(shape)
        return torch.sin(torch.arange(count) * 1.7 + 0.3).reshape(shape).requires_grad_()

    arguments = [made(4, 3), made(3, 5), made(5), made(5, 1), made(1)]
    loss = mlp(*arguments, torch.ones(4, 1))
    print(loss)
    loss.backward()
    rounded(*arguments)
    arguments = [made(6, 2, 3), made(3, 4), made(4, 4), torch.zeros(2, 4)]
    h = rnn(*arguments)
    print(h.sum())
    (h ** 2).sum().backward()
    rounded(*arguments[:3])
    arguments = [made(3, 4), made(5, 4), made(5, 2)]
    out = attention(*arguments)
    print(out)
    out.std().backward()
    rounded(*arguments)


__all__ = ["PROGRAMS"]
