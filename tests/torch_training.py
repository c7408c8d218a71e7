"""Programs that train, and that check derivatives: what they print with PyTorch is recorded with the others."""
from __future__ import annotations

import copy

from torch_programs import attempt, program


def made(torch, *shape):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count) * 1.3 + 0.5).reshape(shape)


def numbers(tensor) -> list:
    return [round(value, 4) + 0.0 for value in tensor.detach().reshape(-1).tolist()]


def trained(torch, make, steps=6) -> None:
    F = torch.nn.functional
    x, y = made(torch, 5, 3), torch.tensor([0, 1, 1, 0, 1])
    w, b = (made(torch, 2, 3) * 0.5).requires_grad_(), torch.zeros(2, requires_grad=True)
    optimizer = make([w, b])
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(F.linear(x, w, b), y)
        loss.backward()
        optimizer.step()
    print(round(loss.item(), 4), numbers(w), numbers(b), w._version > 0)


@program
def gradient_descent(torch) -> None:
    optim = torch.optim
    trained(torch, lambda p: optim.SGD(p, 0.5))
    trained(torch, lambda p: optim.SGD(p, lr=0.2, momentum=0.9))
    trained(torch, lambda p: optim.SGD(p, lr=0.2, momentum=0.9, dampening=0.5, weight_decay=0.1))
    trained(torch, lambda p: optim.SGD(p, lr=0.2, momentum=0.9, nesterov=True))
    trained(torch, lambda p: optim.SGD(p, lr=0.1, maximize=True))
    trained(torch, lambda p: optim.SGD([{"params": p[:1], "lr": 0.1}, {"params": p[1]}], lr=0.5))
    attempt(lambda: optim.SGD([], lr=0.1))
    attempt(lambda: optim.SGD([torch.ones(1) * 2], lr=-1))
    attempt(lambda: optim.SGD([torch.ones(1, requires_grad=True) * 2], lr=0.1))
    attempt(lambda: optim.SGD([1.0], lr=0.1))
    attempt(lambda: optim.SGD(torch.ones(2), lr=0.1))
    attempt(lambda: optim.SGD([torch.ones(1)], lr=0.1, nesterov=True))


@program
def adam(torch) -> None:
    optim = torch.optim
    trained(torch, lambda p: optim.Adam(p))
    trained(torch, lambda p: optim.Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-6))
    trained(torch, lambda p: optim.Adam(p, lr=0.1, weight_decay=0.2))
    trained(torch, lambda p: optim.Adam(p, lr=0.1, amsgrad=True))
    attempt(lambda: optim.Adam([torch.ones(1)], betas=(1.0, 0.9)))


@program
def lbfgs(torch) -> None:
    for options in ({}, {"lr": 0.5, "max_iter": 7}, {"history_size": 2, "max_iter": 9}):
        x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.LBFGS([x], **options)
        calls = []

        def closure(x=x, optimizer=optimizer, calls=calls):
            optimizer.zero_grad()
            loss = ((x - torch.tensor([0.5, 2.0])) ** 2 * torch.tensor([1.0, 3.0])).sum() + (x[0] * x[1]).cos()
            loss.backward()
            calls.append(loss.item())
            return loss

        for _ in range(3):
            loss = optimizer.step(closure)
        print(round(loss.item(), 5), numbers(x), len(calls))


@program
def optimizers_keep_their_state(torch) -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    for _ in range(2):
        optimizer.zero_grad()
        (w ** 2).sum().backward()
        optimizer.step()
    saved = copy.deepcopy(optimizer.state_dict())
    print(sorted(saved), saved["state"][0]["momentum_buffer"], saved["param_groups"][0]["params"])
    v = w.detach().clone().requires_grad_()
    other = torch.optim.SGD([v], lr=0.5)
    other.load_state_dict(saved)
    for tensor, step in ((w, optimizer), (v, other)):
        step.zero_grad(set_to_none=False)
        (tensor ** 2).sum().backward()
        step.step()
    print(w, v, other.param_groups[0]["lr"])
    print(optimizer.step(lambda: (w * 0).sum()))


# ---- derivatives of functions

@program
def functional_derivatives(torch) -> None:
    f = torch.autograd.functional
    x, y = torch.tensor([0.5, -1.0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])

    def one(x):
        return (x ** 3).sum()

    def two(x, y):
        return y @ x, (x * y).sin()

    print(f.jacobian(one, x), f.jacobian(two, (x, y))[0][1].shape, f.jacobian(lambda x: x.exp(), x))
    print(f.jacobian(two, (x, y))[1][0])
    print(f.hessian(one, x))
    print(f.hessian(lambda x, y: (x @ y @ x), (x, y))[0][0], f.hessian(lambda x, y: (x @ y @ x), (x, y))[0][1].shape)
    print(f.vjp(one, x), f.vjp(two, (x, y), (torch.ones(2), y)))
    print(f.jvp(lambda x: x ** 3, x, torch.ones(2)), f.jvp(two, (x, y), (x, y)))
    print(f.hvp(one, x, torch.ones(2)), f.vhp(one, x, torch.ones(2)), f.hvp(lambda x, y: (x @ y @ x), (x, y), (x, y)))
    print(f.jacobian(lambda x, y: x * 2, (x, x)), f.jacobian(lambda x: torch.ones(2), x))
    print(f.vjp(lambda x: (x * 2).sum(), x))
    attempt(lambda: f.vjp(lambda x: x * 2, x))
    attempt(lambda: f.jvp(lambda x: x * 2, x))
    attempt(lambda: f.hvp(one, x))
    attempt(lambda: f.hessian(lambda x: x * 2, x))
    attempt(lambda: f.jacobian(lambda x, y: x * 2, (x, x), strict=True))
    attempt(lambda: f.vjp(lambda x: x ** 3, x, torch.ones(3)))
    attempt(lambda: f.jacobian(lambda x: x, 3))
    attempt(lambda: f.jacobian(lambda x: (x * 2).tolist(), x))
    z = x.clone().requires_grad_()
    found = f.jacobian(lambda x: x ** 3, z, create_graph=True)
    print(found.requires_grad, torch.autograd.grad(found.sum(), z), f.jacobian(lambda x: x ** 3, z).requires_grad)
    value, product = f.hvp(one, z, torch.ones(2), create_graph=True)
    print(torch.autograd.grad(product.sum(), z))


@program
def gradients_checked(torch) -> None:
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = torch.tensor([0.5, -1.5, 2.0], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.1, -1.0]], dtype=torch.float64, requires_grad=True)
    print(check(lambda x: x ** 2, x), check(lambda x, w: (w @ x, x.exp()), (x, w)))
    print(check(torch.nn.functional.softplus, (x,)))
    print(twice(lambda x: x ** 3, x), twice(lambda x, w: (w @ x).tanh(), (x, w)))
    print(twice(lambda x: x.sigmoid().prod(), (x,)))
    attempt(lambda: check(lambda x: x.detach() * x, (x,)))
    print(check(lambda x: x.detach() * x, (x,), raise_exception=False))
    print(twice(lambda x: x.detach() * x ** 2, (x,), raise_exception=False))
    attempt(lambda: check(lambda x: x ** 2, (x.detach(),)))
    print(x.grad, x._version)


@program
def what_optimizers_hold_and_show(torch) -> None:
    for make in (lambda p: torch.optim.SGD(p, lr=0.1), lambda p: torch.optim.SGD(p, lr=torch.tensor(0.1), momentum=0.5),
                 lambda p: torch.optim.Adam([{"params": p[:1], "lr": torch.tensor(0.5)}, {"params": p[1:]}], lr=0.1)):
        tensors = [torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)]
        optimizer = make(tensors)
        for _ in range(2):
            optimizer.zero_grad()
            (tensors[0] ** 2 * tensors[1]).sum().backward()
            optimizer.step()
        print(tensors, optimizer.state_dict()["state"])
        print([line for line in repr(optimizer).splitlines() if not any(word in line for word in (
            "foreach", "differentiable", "fused", "capturable", "decoupled"))])
    for compute in (lambda: torch.maximum(2, tensors[0]), lambda: torch.tensor([True]).round(),
                    lambda: torch.tensor([True]).floor(), lambda: torch.atan2(1.0, tensors[0])):
        try:
            print(compute())
        except (TypeError, NotImplementedError) as error:
            print(type(error).__name__)
