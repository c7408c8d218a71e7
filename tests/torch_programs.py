"""Programs on tensors, by area: what they print with PyTorch is recorded in ``torch_printed.json``.

A program is a function of the package; ``attempt`` prints an exception as far as it must agree.
"""
from __future__ import annotations

import copy
import io
import pickle
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable] = {}


def program(function: Callable) -> Callable:
    PROGRAMS[function.__name__] = function
    return function


def attempt(function: Callable) -> Any:
    """The result; of an exception the type and how its message begins, and of warnings the same."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(function())
        except Exception as error:
            print(f"{type(error).__name__}: {str(error).strip()[:50]}")
    for item in caught:
        print(f"{item.category.__name__}: {str(item.message)[:50]}")


# ---- creation

@program
def tensors_of_values(torch) -> None:
    print(torch.tensor([1, 2]), torch.tensor([1.0, 2]), torch.tensor(3), torch.tensor(2.5), torch.tensor([True, False]))
    print(torch.tensor([[1, 2], [3, 4]], dtype=torch.float64), torch.tensor([1, 2], dtype=float), torch.tensor([]))
    print(torch.tensor(np.array([1.0, 2.0])), torch.tensor(np.float64(2)), torch.tensor([np.float32(1)]))
    print(torch.tensor([torch.tensor(1.0), torch.tensor(2.0)]), torch.tensor((1, 2.5)), torch.tensor([1.5], dtype=torch.int32))
    print(torch.tensor([1.0], requires_grad=True), torch.tensor(range(3)))
    attempt(lambda: torch.tensor([1], requires_grad=True))
    attempt(lambda: torch.tensor("a"))


@program
def filled_tensors(torch) -> None:
    print(torch.ones(2), torch.zeros(2, 3), torch.ones((2, 2), dtype=torch.int64), torch.full((2,), 3.5), torch.full((2,), 3))
    print(torch.eye(2), torch.eye(2, 3), torch.zeros(0), torch.ones(2, 0), torch.ones(()), torch.zeros([2]))
    x = torch.ones(2, 2, dtype=torch.float64)
    print(torch.zeros_like(x), torch.ones_like(x, dtype=torch.int32), torch.full_like(x, 2), x.new_zeros(2), x.new_ones((1, 2)))
    print(torch.ones(2, requires_grad=True), torch.zeros(x.size()), torch.ones(x.shape[0]))


@program
def ranges(torch) -> None:
    print(torch.arange(4), torch.arange(1, 4), torch.arange(0, 1, 0.25), torch.arange(3.0), torch.arange(-2, 4, dtype=torch.float32))
    print(torch.linspace(0, 1, 5), torch.arange(5, 0, -2), torch.linspace(-1, 1, 3, dtype=torch.float64), torch.logspace(0, 2, 3))


@program
def shapes_of_random_tensors(torch) -> None:
    torch.manual_seed(0)
    a = torch.rand(2, 3)
    torch.manual_seed(0)
    print(torch.equal(a, torch.rand(2, 3)), a.shape, a.dtype, torch.randn(2).shape, torch.randint(0, 5, (2, 2)).dtype)
    print(torch.randn(2, requires_grad=True).requires_grad, torch.rand_like(a).shape, torch.randperm(4).sort()[0], torch.rand(()).dim())
    print(((a >= 0) & (a < 1)).all(), torch.randint(3, (4,)).max() < 3, torch.randn(2, 2, dtype=torch.float64).dtype)


@program
def old_names(torch) -> None:
    print(torch.FloatTensor([0.1, 1.0]), torch.Tensor([1, 2]), torch.LongTensor([1, 2]), torch.DoubleTensor([1.0]))
    print(torch.Tensor(2, 3).shape, torch.FloatTensor(2).dtype, torch.ones(2).type(), torch.ones(2, dtype=torch.int64).type())
    print(isinstance(torch.ones(1), torch.Tensor), isinstance(torch.ones(1), torch.FloatTensor), torch.is_tensor(1))
    v = torch.autograd.Variable(torch.ones(2), requires_grad=True)
    print(v, isinstance(v, torch.autograd.Variable), type(v) is torch.Tensor, torch.autograd.Variable(torch.ones(1)).requires_grad)


@program
def default_dtype(torch) -> None:
    print(torch.get_default_dtype())
    torch.set_default_dtype(torch.float64)
    try:
        print(torch.tensor(1.5).dtype, torch.ones(1).dtype, torch.tensor([1.0]), torch.arange(2) / 2, torch.ones(1).float())
    finally:
        torch.set_default_dtype(torch.float32)
    attempt(lambda: torch.set_default_dtype(torch.int64))


@program
def dtypes(torch) -> None:
    print(torch.float32, torch.float, torch.double, torch.long, torch.int, torch.bool, torch.float is torch.float32)
    print(torch.float32.is_floating_point, torch.int64.is_floating_point, torch.float64.itemsize, torch.float32 == torch.float64)
    print(torch.ones(1).dtype == torch.float32, torch.ones(2).double().dtype, torch.tensor([1.7, -1.7]).int(), torch.tensor([0.0, 2.0]).bool())


@program
def promotion(torch) -> None:
    f, d, i, b = torch.ones(2), torch.ones(2).double(), torch.arange(2), torch.tensor([True, False])
    zero_d, zero_i = torch.tensor(2.0).double(), torch.tensor(3)
    print(f + d, f + i, i + b, d + i, f + zero_d, i + zero_d, i + zero_i, f + zero_i, b + 1, b + 1.0, b * b, i * 2.0, i / i, i // 2)
    print((f * np.float64(3)).dtype, (f * np.float32(3)).dtype, (np.float64(3) * f).dtype, (i * np.int64(3)).dtype, (d * 2).dtype)
    print((zero_d * zero_i).dtype, (torch.tensor(1.0) * torch.tensor(2.0).double()).dtype, (i.int() + i).dtype, torch.where(b, 1, f).dtype)
    print((torch.tensor([1], dtype=torch.uint8) + torch.tensor([1], dtype=torch.int8)).dtype, (i ** 2).dtype, (i ** 0.5).dtype, (2.0 ** i).dtype)


@program
def gradients_have_their_leafs_dtype(torch) -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.float64, requires_grad=True)
    (x * y * 2).sum().backward()
    print(x.grad, y.grad)
    s = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    (x * s).sum().backward()
    print(s.grad, x.grad)


# ---- leaves and flags

@program
def flags(torch) -> None:
    x = torch.ones(2)
    y = torch.ones(2, requires_grad=True)
    z = x * y
    print(x.requires_grad, y.requires_grad, z.requires_grad, x.is_leaf, y.is_leaf, z.is_leaf, (x * 2).is_leaf)
    print(x.grad_fn, y.grad_fn, z.grad_fn.name(), x.requires_grad_() is x, x.requires_grad, z.output_nr)
    attempt(lambda: setattr(z, "requires_grad", False))
    attempt(lambda: torch.arange(2).requires_grad_())
    attempt(lambda: setattr(torch.arange(2), "requires_grad", True))
    attempt(lambda: x.requires_grad())
    attempt(lambda: z.grad)
    print(x.grad)


@program
def accumulation(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    grad = x.grad
    (x * 3).sum().backward()
    print(x.grad, grad is x.grad)
    given = torch.ones(2)
    y = torch.ones(2, requires_grad=True)
    y.grad = given
    (y * 2).backward(torch.tensor([1.0, 2.0]))
    print(y.grad is given, given)
    y.grad = None
    gradient = torch.ones(2)
    (y + 0).backward(gradient)
    gradient.mul_(5)
    print(y.grad)
    y.grad.zero_()
    print(y.grad)
    attempt(lambda: setattr(y, "grad", torch.ones(3)))
    attempt(lambda: setattr(y, "grad", 3))
    attempt(lambda: setattr(y, "grad", torch.ones(2).double()))
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (a + b).sum().backward()
    a.grad[0] = 7
    print(a.grad, b.grad)


@program
def what_backward_takes(torch) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    attempt(lambda: (x * 2).backward())
    attempt(lambda: (x * 2).backward(torch.ones(2)))
    attempt(lambda: (x * 2).sum().backward(torch.ones(1)))
    attempt(lambda: (x * 2).sum().backward(3.0))
    attempt(lambda: torch.ones(1).backward())
    attempt(lambda: (x * 2)[:1].backward())
    attempt(lambda: (x * 2).sum().backward(torch.tensor(2.0)))
    attempt(lambda: x.sum().backward(gradient=torch.tensor(2.0), retain_graph=True))
    print(x.grad)
    y = torch.tensor(2.0, requires_grad=True)
    y.backward()
    print(y.grad)
    (x * 2).sum().backward(inputs=[x])
    z = x * 2
    (z * z).sum().backward(inputs=z)
    print(x.grad)
    attempt(lambda: (x * 2).sum().backward(inputs=[]))


@program
def buffers(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    attempt(lambda: y.backward())
    z = (x + 1).sum()
    z.backward()
    attempt(lambda: z.backward())
    shared = x.exp()
    a, b = shared.sum(), (shared * 2).sum()
    a.backward()
    attempt(lambda: b.backward())
    print(x.grad)


# ---- the graph

@program
def links(torch) -> None:
    x, w, b = torch.ones(1), torch.rand(1, requires_grad=True), torch.rand(1, requires_grad=True)
    y = w * x
    z = y + b
    print(z.grad_fn, y.grad_fn.next_functions, z.grad_fn.next_functions)
    print(z.grad_fn.next_functions[0][0] == y.grad_fn, y.grad_fn is y.grad_fn, z.grad_fn.next_functions[1][0].variable is b)
    again = b * 2
    print(again.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[1][0], type(z.grad_fn).__name__, type(z.grad_fn).__module__)
    print(z.grad_fn.name(), z.grad_fn.metadata, (x + 1).grad_fn, isinstance(z.grad_fn.next_functions, tuple))


@program
def names_of_nodes(torch) -> None:
    x, v = torch.rand(3, 3, requires_grad=True), torch.rand(3, requires_grad=True)
    results = [x + 1, x - 1, 1 - x, x * 2, x / 2, x ** 2, 2 ** x, x ** x, -x, x @ x, x @ v, v @ v, x.sum(), x.sum(0), x.mean(), x.mean(0), x.max(),
               x.norm(), x.exp(), x.log(), x.t(), x.T, x.view(9), x.reshape(9), x[0], x[0:1], x[None], x.clone(), x.std(), x.prod(), x.abs(), x.relu(),
               x.sigmoid(), x.tanh(), x.sqrt(), x.clamp(0, 1), torch.stack([v, v]), torch.cat([v, v]), x.cumsum(0), x.unsqueeze(0), x.squeeze(),
               x.expand(2, 3, 3), x.permute(1, 0), x.softmax(0), x.double(), x.detach().requires_grad_() * 1, x.masked_fill(x > 1, 0.0)]
    print(" ".join(type(item.grad_fn).__name__ for item in results))
    second, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
    print(second.grad_fn.name())


@program
def several_results(torch) -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    rows = x.unbind()
    print(rows[1], rows[1].output_nr, rows[0].grad_fn is rows[1].grad_fn, rows[1].grad_fn.next_functions)
    rows[1].sum().backward()
    print(x.grad)
    values, indices = x.max(1)
    (values * 2).sum().backward()
    print(x.grad, indices, indices.requires_grad)
    first, *rest = x.split(1)
    (first.sum() * 2 + rest[0].prod()).backward()
    print(x.grad)


@program
def a_root_that_is_a_leaf(torch) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    print(torch.autograd.grad(x, x), torch.autograd.grad(x * 2, x, create_graph=True))


@program
def a_value_used_often(torch) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(5):
        y = y * x + y
    y.backward()
    print(x.grad)
    z = torch.tensor([1.0, 2.0], requires_grad=True)
    total = sum(z[i] * z[j] for i in range(2) for j in range(2))
    total.backward()
    print(z.grad)


# ---- modes

@program
def no_grad_everywhere(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        print(y.requires_grad, torch.is_grad_enabled(), torch.ones(1, requires_grad=True).requires_grad, x.requires_grad)
        with torch.enable_grad():
            print((x * 2).requires_grad)
        print((x * 2).requires_grad)

    @torch.no_grad()
    def with_parentheses(x):
        "docs"
        return x * 2

    @torch.no_grad
    def without(x):
        return x * 2

    @torch.enable_grad()
    def enabled(x):
        return x * 2

    print(with_parentheses(x).requires_grad, with_parentheses.__name__, with_parentheses.__doc__, without(x).requires_grad)
    with torch.no_grad():
        print(enabled(x).requires_grad)
    print((x * 2).requires_grad)


@program
def grad_mode_is_restored(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    try:
        with torch.no_grad():
            raise KeyError
    except KeyError:
        print(torch.is_grad_enabled())
    manager = torch.no_grad()
    with manager:
        pass
    with manager:
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
    mode = torch.set_grad_enabled(False)
    print((x * 2).requires_grad, repr(mode).rpartition(".")[2])
    torch.set_grad_enabled(True)
    print((x * 2).requires_grad)
    with torch.set_grad_enabled(False):
        print((x * 2).requires_grad)
    print((x * 2).requires_grad)

    @torch.set_grad_enabled(False)
    def decorated(x):
        return x * 2

    print(decorated(x).requires_grad, torch.is_grad_enabled())
    with torch.inference_mode():
        print((x * 2).requires_grad)


@program
def grad_mode_in_generators(torch) -> None:
    x = torch.ones(2, requires_grad=True)

    @torch.no_grad()
    def turns(count):
        for _ in range(count):
            sent = yield (x * 2).requires_grad
            print("sent", sent, torch.is_grad_enabled())
        return "done"

    generator = turns(2)
    print(next(generator), torch.is_grad_enabled())
    print(generator.send(5), torch.is_grad_enabled())
    try:
        generator.send(6)
    except StopIteration as stop:
        print(stop.value)
    generator = turns(3)
    next(generator)
    attempt(lambda: generator.throw(KeyError("thrown")))
    print(torch.is_grad_enabled())


@program
def grad_mode_of_threads(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    found = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: found.append((x * 2).requires_grad))
        thread.start()
        thread.join()
    print(found)


# ---- outside the graph

@program
def detached(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    d = y.detach()
    print(d, d.requires_grad, d.is_leaf, y.data, y.data.requires_grad, x.data is x.data)
    d[0] = 5
    print(y, y.detach_() is y, y, y.is_leaf)
    z = x.clone()
    print(z, z.detach().clone())
    attempt(lambda: (x * 2)[0].detach_())
    x.data = torch.tensor([3.0, 4.0])
    print(x)
    x.data[0] = 7
    x.data.mul_(2)
    print(x, x._version)


@program
def writing_into_data_goes_unnoticed(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    x.data.mul_(10)
    y.backward()
    print(x.grad)
    z = (x * x).sum()
    x.detach().mul_(10)
    attempt(lambda: z.backward())


# ---- writing into tensors

@program
def in_place(torch) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    print(y.add_(1), y.mul_(3), y._version, y.sub_(1), y.div_(2), y.pow_(2), y._version)
    y += 1
    y *= 2
    y.sum().backward()
    print(x.grad)
    z = torch.ones(3)
    z.mul_(x)
    print(z)
    z.sum().backward()
    print(x.grad)
    w = x * 1
    w.neg_().exp_()
    w.sum().backward()
    print(x.grad)
    print(torch.zeros(2).fill_(3), torch.ones(2).zero_(), torch.ones(2).copy_(torch.tensor([1, 2])), torch.ones(2).clamp_(0, 0.5))


@program
def in_place_on_leaves(torch) -> None:
    x = torch.ones(3, requires_grad=True)
    attempt(lambda: x.add_(1))
    attempt(lambda: x[0].add_(1))
    attempt(lambda: x.__setitem__(0, 1.0))
    with torch.no_grad():
        x.add_(1)
        x[0] = 5
        x -= 0.5
    print(x, x._version, x.is_leaf)
    x.grad = torch.ones(3)
    x.grad.zero_()
    print(x.grad)
    view = x.view(3)
    attempt(lambda: view.mul_(2))


@program
def versions(torch) -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = y.exp()
    print(y._version, z._version)
    y.add_(1)
    z.sum().backward()
    z = y.exp()
    z.add_(1)
    attempt(lambda: z.sum().backward())
    a = x * 2
    b = a * a
    a[0] = 1
    print(a._version, a.detach()._version, a.data._version, a.view(3)._version)
    attempt(lambda: b.sum().backward())
    w = torch.ones(3, requires_grad=True)
    loss = (w * x).sum()
    with torch.no_grad():
        w -= 0.1
    attempt(lambda: loss.backward())
    s = (x * 2).sum()
    print(s.backward())


@program
def what_does_not_fit(torch) -> None:
    attempt(lambda: torch.ones(2).add_(torch.ones(3)))
    attempt(lambda: torch.ones(2).add_(torch.ones(3, 2)))
    attempt(lambda: torch.arange(2).add_(1.5))
    attempt(lambda: torch.arange(2).mul_(torch.ones(2)))
    attempt(lambda: torch.arange(2).div_(2))
    attempt(lambda: torch.ones(2) + torch.ones(3))
    attempt(lambda: torch.ones(2, 3) @ torch.ones(2, 3))
    attempt(lambda: torch.ones(2) @ torch.ones(3))
    attempt(lambda: torch.ones(2, 2) @ torch.ones(2, 2).double())
    attempt(lambda: torch.ones(2, 3).view(4))
    attempt(lambda: torch.ones(2, 3).t().view(6))
    attempt(lambda: torch.ones(2, 3).sum(2))
    attempt(lambda: torch.arange(3).mean())
    attempt(lambda: torch.ones(2)[5])
    attempt(lambda: torch.ones(2)[torch.tensor([0, 5])])
    attempt(lambda: torch.ones(2)[0, 0])
    attempt(lambda: torch.tensor(1.0)[0])
    attempt(lambda: torch.cat([torch.ones(2, 2), torch.ones(3, 3)]))
    attempt(lambda: torch.stack([torch.ones(2), torch.ones(3)]))
    attempt(lambda: torch.ones(2).expand(3))
    attempt(lambda: torch.ones(2).foo)
    attempt(lambda: torch.ones(2) + "a")
    attempt(lambda: torch.ones(3)[::-1])
    attempt(lambda: torch.mv(torch.ones(2), torch.ones(2)))
    attempt(lambda: torch.dot(torch.ones(2, 2), torch.ones(2)))
    attempt(lambda: torch.exp(2.0))
    attempt(lambda: torch.arange(3) // 0)
    attempt(lambda: torch.arange(3) % 0)
    attempt(lambda: torch.arange(3) ** -1)
    attempt(lambda: (torch.ones(2, requires_grad=True) // 2).sum().backward())


# ---- views

@program
def writing_through_views(torch) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 2
    y[0] = 7
    y[1, 1] *= 3
    y.view(6)[5] = x.sum()
    print(y)
    (y * torch.arange(6.0).reshape(2, 3)).sum().backward()
    print(x.grad)
    base = x * 1
    view = base[0]
    base.mul_(4)
    print(view, view.grad_fn is not None, base.grad_fn.name())
    view.sum().backward()
    print(x.grad)
    z = torch.zeros(3)
    part = z[1:]
    part.mul_(0).add_(x[0, 1:])
    print(z, z.requires_grad, z.grad_fn.name(), part)
    z.sum().backward()
    print(x.grad)


@program
def views_of_what_came_to_require_a_gradient(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    buffer = torch.zeros(2, 2)
    view = buffer[0]
    other = buffer.view(4)
    buffer[0] = x * 2
    print(view.requires_grad, other.requires_grad)
    (x * view + other[:2]).sum().backward()
    print(x.grad)
    d = torch.zeros(2)
    part = d[:1]
    d.mul_(x)
    (x.double() * part).sum().backward()
    print(x.grad)


@program
def views_share_memory(torch) -> None:
    x = torch.zeros(2, 3)
    x.view(6)[0] = 1
    x.t()[1, 1] = 2
    x[1][2] = 3
    x.reshape(-1)[2] = 4
    x.flatten().fill_(0)
    x[:, :1].add_(10)
    print(x, x._version)
    y = x.T.reshape(6)
    y.zero_()
    print(x, x.unsqueeze(0)[0, 0, 0], x.expand(1, 2, 3).shape, x.diagonal())
    attempt(lambda: torch.ones(1).expand(3).add_(1))
    attempt(lambda: torch.ones(2, 2, requires_grad=True).mul(1).unbind()[0].add_(1))


@program
def assignment(torch) -> None:
    x = torch.zeros(3, 3)
    x[0] = 1
    x[1] = torch.tensor([1, 2, 3])
    x[2, 1:] = torch.tensor([[7.0, 8.0]])
    x[x > 6] = -1
    x[[0, 2], [0, 0]] = torch.tensor([5.0, 6.0])
    x[..., -1] += 2
    print(x)
    attempt(lambda: x.__setitem__(0, torch.ones(2)))
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.zeros(4)
    y[1:3] = v * 2
    y[torch.tensor([3, 0])] = v
    y[y > 100] = v[0]
    y[3] = v[1] ** 2
    print(y)
    y.sum().backward()
    print(v.grad)


# ---- autograd.grad

@program
def gradients_without_grad(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    print(torch.autograd.grad((x * y).sum(), x), torch.autograd.grad((x * y).sum(), [x, y]), x.grad)
    print(torch.autograd.grad(x * y, x, torch.tensor([1.0, 10.0])), torch.autograd.grad([x.sum(), (x * y).sum()], (x, y)))
    attempt(lambda: torch.autograd.grad(x.sum(), [x, y]))
    attempt(lambda: torch.autograd.grad(x.sum(), [x, y], allow_unused=True))
    attempt(lambda: torch.autograd.grad(x.sum(), [x, y], materialize_grads=True))
    attempt(lambda: torch.autograd.grad(x.sum(), x, only_inputs=False))
    attempt(lambda: torch.autograd.grad(x.sum(), torch.ones(2)))
    attempt(lambda: torch.autograd.grad(x * 2, x))
    attempt(lambda: torch.autograd.grad(x * 2, x, torch.ones(3)))
    attempt(lambda: torch.autograd.grad(x * 2, x, torch.eye(2), is_grads_batched=True))
    attempt(lambda: torch.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True))
    z = x * y
    w = (z * z).sum()
    print(torch.autograd.grad(w, z, retain_graph=True), torch.autograd.grad(w, [z, x]))
    attempt(lambda: torch.autograd.grad(w, x))


@program
def gradients_of_gradients(torch) -> None:
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    first, = torch.autograd.grad((x ** 3 + x.exp()).sum(), x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x, create_graph=True)
    third, = torch.autograd.grad(second.sum(), x, create_graph=True)
    fourth, = torch.autograd.grad(third.sum(), x)
    print(first.detach(), second.detach(), third.detach(), fourth, first.requires_grad, fourth.requires_grad)
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    penalty = (torch.autograd.grad((y.sin() * x).sum(), y, create_graph=True)[0] ** 2).sum()
    penalty.backward()
    print(y.grad, x.grad)
    z = torch.tensor(2.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (z ** 3).backward(create_graph=True)
    print(z.grad.detach(), z.grad.requires_grad)
    z.grad.backward()
    print(z.grad.detach())


@program
def backward_of_several(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.backward([x.sum(), x * 2], [None, torch.tensor([1.0, 10.0])])
    print(x.grad)
    torch.autograd.backward(x.sum())
    print(x.grad)
    attempt(lambda: torch.autograd.backward([x.sum(), x.sum()], [torch.tensor(1.0)]))


# ---- hooks

@program
def hooks_of_tensors(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: print("y", grad))
    handle = y.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: print("x", grad))
    y.sum().backward(retain_graph=True)
    print(x.grad)
    handle.remove()
    y.sum().backward()
    print(x.grad)
    attempt(lambda: torch.ones(1).register_hook(print))
    z = (x * 3)
    z.retain_grad()
    (z * z).sum().backward()
    print(z.grad, z.retains_grad, x.retains_grad)
    attempt(lambda: torch.ones(1).retain_grad())
    w = torch.ones(2, requires_grad=True)
    w.register_hook(lambda grad: grad + 1)
    w.register_post_accumulate_grad_hook(lambda leaf: print("done", leaf.grad))
    (w * 2 + w).sum().backward()


@program
def hooks_of_nodes(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.grad_fn.register_hook(lambda inputs, outputs: print("after", inputs, outputs))
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 3,))
    y.sum().backward()
    print(x.grad)


# ---- functions of the user's own

def cube_of(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            print("forward", torch.is_grad_enabled(), ctx.needs_input_grad)
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, grad_output):
            x, = ctx.saved_tensors
            return grad_output * 3 * x ** 2

    return Cube


@program
def own_functions(torch) -> None:
    cube = cube_of(torch)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = cube.apply(x)
    print(y, str(y.grad_fn).partition("Cube")[2].partition(" at")[0], y.grad_fn.next_functions)
    y.sum().backward()
    print(x.grad)
    attempt(lambda: y.sum().backward())
    print(cube.apply(torch.ones(1)), cube.apply(x.detach()).requires_grad)
    attempt(lambda: cube())
    first, = torch.autograd.grad(cube.apply(x).sum(), x, create_graph=True)
    print(first.detach(), torch.autograd.grad(first.sum(), x))
    z = cube.apply(x)
    with torch.no_grad():
        x.add_(1)
    attempt(lambda: z.sum().backward())


@program
def own_functions_of_several(torch) -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, power, label="none"):
            ctx.power = power
            ctx.save_for_backward(x, y)
            ctx.mark_non_differentiable(kept := (x > 1))
            return x * y, x ** power, kept

        @staticmethod
        def backward(ctx, first, second, third):
            print(first, second, third, ctx.needs_input_grad)
            x, y = ctx.saved_tensors
            return first * y + second * ctx.power * x ** (ctx.power - 1), None, None, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0])
    a, b, kept = Both.apply(x, y, 2, "label")
    print(a.requires_grad, b.requires_grad, kept.requires_grad, kept, a.grad_fn is b.grad_fn)
    a.sum().backward()
    print(x.grad)


@program
def own_functions_that_are_wrong(torch) -> None:
    def made(result, forward=lambda ctx, x: x * 2):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def backward(ctx, grad_output):
                return result(grad_output)

        Wrong.forward = staticmethod(forward)
        return Wrong

    x = torch.ones(2, requires_grad=True)
    attempt(lambda: made(lambda g: (g, g)).apply(x).sum().backward())
    attempt(lambda: made(lambda g: torch.ones(3)).apply(x).sum().backward())
    attempt(lambda: made(lambda g: 3.0).apply(x).sum().backward())
    attempt(lambda: made(lambda g: None).apply(x).sum().backward())
    attempt(lambda: made(lambda g: torch.ones(4, 2)).apply(x).sum().backward())
    print(x.grad)
    attempt(lambda: made(lambda g: (g, None)).apply(x).sum().backward())

    class Empty(torch.autograd.Function):
        pass

    attempt(lambda: Empty.apply(x))


@program
def own_functions_once(torch) -> None:
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad_output):
            x, = ctx.saved_tensors
            return grad_output * 2 * x

    x = torch.tensor(3.0, requires_grad=True)
    Once.apply(x).backward()
    print(x.grad)
    first, = torch.autograd.grad(Once.apply(x), x, create_graph=True)
    attempt(lambda: first.backward())


@program
def own_functions_that_write(torch) -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    x = torch.ones(2, requires_grad=True)
    y = x * 3
    z = Doubled.apply(y)
    print(z is y, y, y._version)
    (y * torch.tensor([1.0, 10.0])).sum().backward()
    print(x.grad)
    attempt(lambda: Doubled.apply(x))

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 5

    x = torch.ones(2, requires_grad=True)
    y = Same.apply(x)
    print(y is x, y.is_leaf)
    y.sum().backward()
    print(x.grad)


@program
def own_functions_with_a_context_apart(torch) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.factor = inputs
            ctx.set_materialize_grads(False)

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.factor, None

    x = torch.ones(2, requires_grad=True)
    Scaled.apply(x, 3.0).sum().backward()
    print(x.grad)


# ---- as Python values

@program
def python_values(torch) -> None:
    x = torch.tensor([1.5])
    print(x.item(), float(x), int(x), bool(x), x.tolist(), torch.tensor(3).item(), [1, 2, 3][torch.tensor(1)], len(torch.ones(3, 2)))
    print(f"{torch.tensor(2.5):.3f}", f"{torch.tensor([1.0])}", 1.5 in x, torch.ones(2, 2).tolist(), range(3)[torch.tensor(2)])
    attempt(lambda: bool(torch.ones(2)))
    attempt(lambda: float(torch.ones(2)))
    attempt(lambda: torch.ones(2).item())
    attempt(lambda: len(torch.tensor(1.0)))
    attempt(lambda: list(torch.tensor(1.0)))
    attempt(lambda: bool(torch.ones(0)))
    attempt(lambda: [1, 2][torch.tensor(1.0)])
    print([i.item() for i in torch.arange(3)], x in [x], hash(x) == hash(x), x == x, {x: 1}[x])
    a, b = torch.tensor([1.0, 2.0])
    print(a, b, max(a, b), sum(torch.ones(3)), sorted([b, a]))


@program
def arrays(torch) -> None:
    array = np.array([1.0, 2.0])
    x = torch.from_numpy(array)
    x[0] = 5
    array[1] = 6
    print(x, array, x.numpy() is array or np.shares_memory(x.numpy(), array), torch.as_tensor(array).dtype)
    y = torch.ones(2, requires_grad=True)
    attempt(lambda: y.numpy())
    attempt(lambda: np.asarray(y))
    print(y.detach().numpy(), np.asarray(torch.ones(2)), np.sum(torch.ones(2).numpy()), torch.tensor(array).dtype)
    attempt(lambda: torch.from_numpy([1]))
    attempt(lambda: torch.from_numpy(np.array(["a"])))
    attempt(lambda: np.ones(2) * y)
    print(torch.tensor([1.0, 2.0]).numpy().dtype, torch.arange(3).numpy())


@program
def copies(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    y = copy.deepcopy(x)
    y.data[0] = 9
    print(y, y.grad, x, y.is_leaf)
    attempt(lambda: copy.deepcopy(x * 2))
    buffer = io.BytesIO()
    pickle.dump(torch.tensor([[1, 2]]), buffer)
    buffer.seek(0)
    print(pickle.load(buffer), pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(torch.float32)))
    shared = copy.deepcopy([x, x])
    print(shared[0] is shared[1], copy.copy(x) is x, pickle.loads(pickle.dumps(torch.Size([1, 2]))))


@program
def sizes(torch) -> None:
    size = torch.ones(2, 3).size()
    print(size, size[0], size[-1], size[:1], size + (1,), size == (2, 3), tuple(size), size.numel(), torch.Size([1, 2]), len(size), *size)
    a, b = size
    print(a, b, torch.tensor(1.0).shape, torch.ones(2, 3).shape[1], isinstance(size, tuple), torch.zeros(2, 3).size(-1))


# ---- printing

@program
def printing(torch) -> None:
    print(torch.tensor(1.0), torch.tensor(1), torch.tensor(1.23456), torch.tensor(True), torch.tensor([1.5, 2.25]), torch.tensor([]))
    print(torch.tensor([0.0001, 1.0]), torch.tensor([1e-5]), torch.tensor([1e9]), torch.tensor([1.0, 2000.5]), torch.tensor([1.0, 2000.0]))
    print(torch.tensor([100000.0, 1.0]), torch.tensor([float("nan"), 1.0]), torch.tensor([float("inf"), 1.5]), torch.tensor([-1.0, 1.0]))
    print(torch.tensor([[1, -2], [3, 40]]), torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]]), torch.tensor([-0.0, 0.0]), torch.tensor([1e-8, 0.0]))
    print(torch.arange(30), torch.arange(30.0), torch.arange(30) / 7, torch.ones(2, dtype=torch.int32), torch.ones(2).double())
    print(torch.arange(2000), torch.arange(2000.0).reshape(40, 50), torch.zeros(1001), torch.zeros(2, 0), torch.zeros(0, dtype=torch.int64))
    print(torch.arange(3000.0).reshape(10, 10, 30) / 3)
    print(torch.tensor([float("nan")] * 3), torch.tensor([float("inf"), -float("inf"), 2.0]), torch.tensor(float("nan")), torch.tensor(1e10))
    print(torch.tensor([123456.789]), torch.tensor([0.1, 0.22, 0.333]), torch.tensor([1.0, 0.5]), torch.tensor([12345678.0]), torch.tensor(-3.5))


@program
def printing_of_what_has_a_gradient(torch) -> None:
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    print(x, x * 1.5, x.sum(), (x * 2).reshape(2, 6), x[0], x.double() * 2, x.exp())
    print((x + 0.123456).reshape(2, 6) * 100, torch.linspace(0, 1, 10).requires_grad_() * 2, torch.zeros(0, requires_grad=True))
    print([x[0], 1], (x[0][:2], {"a": x[0, 0]}), f"{x[0]}", str(x[0, 0]), repr(x[0, 0] * 2))
    print(torch.linspace(0, 1, 12).requires_grad_() * 2, (torch.ones(2, 8) * 0.33).requires_grad_() + 1)


@program
def print_options(torch) -> None:
    try:
        torch.set_printoptions(precision=2)
        print(torch.tensor([1.23456, 2.0]))
        torch.set_printoptions(threshold=5, edgeitems=2)
        print(torch.arange(10), torch.arange(36).reshape(6, 6))
        torch.set_printoptions(profile="default")
        torch.set_printoptions(linewidth=40)
        print(torch.arange(20), torch.ones(3, requires_grad=True) * 2.5)
        torch.set_printoptions(profile="default", sci_mode=True)
        print(torch.tensor([1.5, 2.0]), torch.tensor([1.0]))
        torch.set_printoptions(profile="default", sci_mode=False)
        print(torch.tensor([1e-6, 2000.0]))
    finally:
        torch.set_printoptions(profile="default")
    print(torch.tensor([1.23456, 2.0]))


@program
def printing_of_pairs(torch) -> None:
    x = torch.tensor([[3.0, 1.0], [2.0, 5.0]])
    print(x.max(0), x.sort(), x.topk(1), x.min(1).indices)


# ---- control flow

@program
def control_flow(torch) -> None:
    def loop(x):
        result = 1
        for item in x:
            if item.item() > 0:
                result = item * result
        return result

    x = torch.arange(-2, 4, dtype=torch.float32).requires_grad_()
    loop(x).backward()
    print(x.grad)
    y = torch.tensor([0.5, 1.0], requires_grad=True)
    z = y * 2
    while z.data.norm() < 100:
        z = z * 2
    z.backward(torch.tensor([0.1, 1.0]))
    print(y.grad, z)
    start = w = torch.tensor(1.0, requires_grad=True)
    for _ in range(2000):
        w = w * 1.0001
    print(torch.autograd.grad(w, start))


@program
def a_deep_graph(torch) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y + x * 0.001
    y.backward()
    print(round(x.grad.item(), 3))


@program
def gradient_descent(torch) -> None:
    w = torch.tensor([0.0, 0.0], requires_grad=True)
    inputs = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]])
    targets = inputs @ torch.tensor([0.5, -0.25])
    for _ in range(50):
        loss = ((inputs @ w - targets) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
            w.grad.zero_()
    print(w, loss)
