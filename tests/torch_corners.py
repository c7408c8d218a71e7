"""More programs, of what users come upon in corners: errors, hooks for what is saved, results that nobody uses."""
from __future__ import annotations

import copy
import pickle

from torch_decorated import decorated, gradients
from torch_programs import attempt, program


@program
def decorated_results_that_nobody_uses(torch) -> None:
    """The others' cotangents are zeros only where they are added up: an infinite derivative makes no NaN of them."""
    @decorated(torch)
    def several(x):
        return x ** 2, (torch.sqrt(x - 1), {"a": (x - 1).log(), "b": x.sum() / 0})

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for given in (x, x * 3):
        first, (second, named) = several(given)
        first.sum().backward(retain_graph=True)
        gradients(x)
        second[1].backward(retain_graph=True)
        gradients(x)
        (first.sum() + named["a"][1]).backward()
        gradients(x)
    print(torch.autograd.grad(several(x)[0].sum(), x, create_graph=True)[0].detach())


@program
def decorated_functions_that_fail(torch) -> None:
    @decorated(torch)
    def always(x):
        raise ValueError("no")

    @decorated(torch)
    def read(x):
        return x * x.item()

    @decorated(torch)
    def asked(x):
        if x:
            return x * 2
        return x

    @decorated(torch)
    def chosen(x):
        return x * 2 if x > 0 else x

    @decorated(torch)
    def repeated(x):
        while not x:
            x = x + 1
        return x

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for function in (always, read, asked, chosen, repeated):
        attempt(lambda function=function: function(x))
        attempt(lambda function=function: function(x[:1]).tolist())


@program
def hooks_that_write(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda tensor: tensor.add_(1), lambda kept: kept):
        attempt(lambda: x * x)
    with hooks(lambda tensor: tensor.numpy().copy(), lambda kept: torch.from_numpy(kept * 2)):
        y = (x * 3).exp()
    y.sum().backward()
    gradients(x)
    with torch.no_grad():
        print((x * 2).numpy(), x.detach().numpy())
        attempt(lambda: x.numpy().shape)
    attempt(lambda: x.numpy())


@program
def gradients_of_what_requires_none(torch) -> None:
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2)
    for compute in (
            lambda: torch.autograd.grad(w.sum(), w), lambda: torch.autograd.grad(x * 2, w),
            lambda: torch.autograd.grad((x * 2).sum(), w), lambda: (x * 2).sum().backward(inputs=w),
            lambda: (x * 2).sum().backward(inputs=[x, w])):
        attempt(compute)


@program
def functions_links(torch) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, by, other):
            ctx.by = by
            result = x * by
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            assert len(ctx.saved_tensors) == 1
            return g * ctx.by, None, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    print([name(node) for node, _ in Scaled.apply(x * 1, 3, torch.ones(2)).grad_fn.next_functions])
    y = Scaled.apply(x, 2, None)
    print([name(node) for node, _ in y.grad_fn.next_functions])
    y.add_(1)
    message = str(caught(lambda: y.sum().backward()))
    print("output 0 of Scaled, is at" in message)
    y = x ** x
    y.add_(1)
    print("output 0 of Pow1, is at" in str(caught(lambda: y.sum().backward())))


def name(node) -> str:
    return type(node).__name__


def caught(function) -> Exception | None:
    try:
        function()
    except Exception as error:
        return error
    return None


@program
def random_numbers_in_place(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.uniform_(3, 3)
    print(y, y._version)
    (y * x).sum().backward()
    gradients(x)
    y = (x * 1).normal_(2, 0)
    print(y, torch.ones(2).uniform_(1, 1))
    attempt(lambda: x.uniform_())


@program
def far_out(torch) -> None:
    x = torch.tensor([3.0, 5.0, -2.0], requires_grad=True)
    y = torch.erfc(x)
    print(y)
    y.sum().backward()
    gradients(x)


@program
def names_of_classes(torch) -> None:
    x = torch.ones(2, 3)
    for kind in (torch.Tensor, torch.Size, torch.dtype):
        print(str(kind).split(".")[-1], kind.__name__, kind.__module__.replace("s2sgrad", "torch") != "s2sgrad.shim")
    print(pickle.loads(pickle.dumps(x.shape)), copy.deepcopy(x.shape), type(copy.copy(x.shape)) is torch.Size)


@program
def saved_by_name(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    print(y.grad_fn._saved_self, y.grad_fn._saved_other.is_leaf, x.exp().grad_fn._saved_result.requires_grad)
    attempt(lambda: y.grad_fn._saved_other.add_(1))
    attempt(lambda: (x + 1).grad_fn._saved_self)
    y.sum().backward()
    attempt(lambda: y.grad_fn._saved_self)


@program
def hooks_refused(torch) -> None:
    graph = torch.autograd.graph
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def hooked():
        with graph.saved_tensors_hooks(lambda tensor: tensor, lambda kept: kept):
            return x * x

    def inside():
        with graph.saved_tensors_hooks(lambda tensor: tensor, lambda kept: kept), \
                graph.disable_saved_tensors_hooks("not here"):
            return x

    with graph.disable_saved_tensors_hooks("not now"):
        attempt(hooked)
    attempt(inside)
    print(hooked().requires_grad)


@program
def parameters(torch) -> None:
    Parameter, utils = torch.nn.Parameter, torch.nn.utils
    data = torch.tensor([3.0, 4.0])
    p = Parameter(data)
    data.add_(1)
    print(p.data, p.requires_grad, p.is_leaf, isinstance(p, Parameter), isinstance(p, torch.Tensor))
    print(isinstance(torch.ones(1), Parameter), Parameter(torch.ones(1), requires_grad=False).requires_grad)
    print(Parameter(p * 2).is_leaf)

    def made():
        found = [Parameter(torch.tensor([3.0, 4.0])), Parameter(torch.tensor([[12.0]])), Parameter(torch.ones(1))]
        (found[0] ** 2 / 2).sum().backward()
        (found[1] ** 2 / 2).sum().backward()
        return found

    for given in ((1.0,), (100.0,), (2.0, 1), (2.0, float("inf"))):
        found = made()
        print(utils.clip_grad_norm_(found, *given))
        gradients(*found)
    found = made()
    utils.clip_grad_value_(found, 3.5)
    gradients(*found)
    found = made()
    print(utils.clip_grad_norm_(found[0], 1.0), utils.clip_grad_norm_([], 1.0))
    found[1].grad.fill_(float("inf"))
    attempt(lambda: utils.clip_grad_norm_(found, 1.0, error_if_nonfinite=True))
    attempt(lambda: utils.clip_grad_norm_(iter(found), 1.0))
    gradients(*found)


@program
def options_of_optimisers(torch) -> None:
    optim = torch.optim
    for make in (lambda p: optim.SGD(p, lr=0.1, foreach=False, weight_decay=0.1),
                 lambda p: optim.Adam(p, lr=0.1, fused=None, decoupled_weight_decay=True, weight_decay=0.1),
                 lambda p: optim.AdamW(p, lr=0.1), lambda p: optim.AdamW(p, 0.1, (0.8, 0.9), 1e-6, 0.3, True)):
        p = torch.tensor([1.0, -2.0], requires_grad=True)
        optimizer = make([p])
        for _ in range(3):
            optimizer.zero_grad()
            (p ** 4).sum().backward()
            optimizer.step()
        print(p.detach(), optimizer)
    print(optim.SGD([p], lr=0.1).state_dict())


@program
def inference_asked_for(torch) -> None:
    print(torch.is_inference_mode_enabled())
    with torch.inference_mode():
        print(torch.is_inference_mode_enabled(), torch.is_grad_enabled())
        with torch.inference_mode(False):
            print(torch.is_inference_mode_enabled())
        print(torch.is_inference_mode_enabled())
    print(torch.is_inference_mode_enabled(), torch.arange(6.0)[2:][1:].storage_offset())
