"""Programs about what the graph saves: hooks for it, functions that are run again, operations that give NaN."""
from __future__ import annotations

import warnings

from torch_decorated import decorated, gradients
from torch_programs import attempt, program


@program
def hooks_of_saved_tensors(torch) -> None:
    hooks = torch.autograd.graph.saved_tensors_hooks
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.5, 0.25], requires_grad=True)
    shapes = []

    def pack(tensor):
        shapes.append((list(tensor.shape), torch.is_grad_enabled()))
        return tensor.detach().clone()

    with hooks(pack, lambda kept: kept):
        z = (x * y).exp()
    print(shapes)
    z.sum().backward()
    gradients(x, y)
    with hooks(lambda tensor: tensor * 1, lambda kept: kept * 10):
        z = x * x
        with hooks(lambda tensor: tensor, lambda kept: kept):
            w = y * y
    (z + w).sum().backward()
    gradients(x, y)
    with hooks(lambda tensor: "no tensor", lambda kept: kept):
        z = x.exp()
    attempt(lambda: z.sum().backward())
    with torch.autograd.graph.save_on_cpu():
        (x * y).sum().backward()
    gradients(x, y)

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return 2 * g * x

    with hooks(lambda tensor: tensor.detach() + 1, lambda kept: kept - 1):
        z = Double.apply(x)
    z.sum().backward()
    gradients(x)
    a = x * 1
    with hooks(lambda tensor: tensor.detach().clone(), lambda kept: kept):
        z = a * a
    a.mul_(2)
    z.sum().backward()
    gradients(x)


@program
def functions_run_again(torch) -> None:
    from importlib import import_module

    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    x, w = torch.tensor([0.5, -1.0], requires_grad=True), torch.tensor(2.0, requires_grad=True)
    calls = []

    def f(x, k=1.0):
        calls.append(torch.is_grad_enabled())
        return (x * w).sin() * x.exp() * k

    for options in ({"use_reentrant": False}, {"use_reentrant": True}, {"use_reentrant": False, "k": 3.0}):
        z = checkpoint(f, x * 2, **options)
        print(z.requires_grad, len(calls))
        z.sum().backward()
        print(len(calls), calls[-1])
        gradients(x, w)
    z = checkpoint(f, x, use_reentrant=False).sum()
    z.backward(retain_graph=True)
    z.backward()
    gradients(x, w)
    first, = torch.autograd.grad(checkpoint(f, x, use_reentrant=False).sum(), x, create_graph=True)
    print(torch.autograd.grad(first.sum(), x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(checkpoint(f, x).grad_fn.name())
    attempt(lambda: checkpoint(f, x, use_reentrant=True, k=2.0))
    g = decorated(torch)(lambda x, w: torch.tanh(x * w) * x)
    z = checkpoint(lambda x: g(x * 2, w) + 1, x, use_reentrant=False)
    z.sum().backward()
    gradients(x, w)

    def drawn(x):
        return x * torch.rand(2)

    for reentrant in (False, True):
        z = checkpoint(drawn, x, use_reentrant=reentrant)
        z.sum().backward()
        print(torch.allclose(x.grad * x, z))
        x.grad = None


@program
def anomalies(torch) -> None:
    x = torch.tensor([0.0, 1.0], requires_grad=True)

    def wrong():
        return (x.sqrt() * 0).sum()

    def caught(function) -> None:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            try:
                function()
            except RuntimeError as error:
                print(error)
        for item in found:
            lines = str(item.message).split("\n")
            print(lines[0][:60], any("in wrong" in line for line in lines))

    def run(mode) -> None:
        with mode():
            wrong().backward()

    caught(lambda: run(torch.autograd.detect_anomaly))
    caught(lambda: run(lambda: torch.autograd.detect_anomaly(check_nan=False)))
    caught(lambda: run(lambda: torch.autograd.set_detect_anomaly(True)))
    print(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(True)
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    torch.autograd.set_detect_anomaly(False)
    y = wrong()

    def late():
        with torch.autograd.detect_anomaly():
            y.backward()

    caught(late)
    x.grad = None
    with torch.autograd.set_detect_anomaly(True):
        (x * 2).sum().backward()
    gradients(x)
