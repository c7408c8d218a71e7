"""Decorated functions called again and again, which takes a shorter way than the first call, and what hooks, graphs run
twice, indices and booleans do. What the programs print with PyTorch is recorded with the others."""
from __future__ import annotations

import threading
import warnings

from torch_decorated import decorated, gradients
from torch_programs import attempt, program


@program
def called_again_with_hooks(torch) -> None:
    f = decorated(torch)(lambda x, w: (x * w).tanh().sum())
    x, w = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
    for _ in range(3):
        f(x, w).backward()
    print(w.grad, w.grad._version)
    with w.register_hook(lambda grad: grad * 2):
        f(x, w).backward()
    print(w.grad)
    f(x, w).backward()
    print(w.grad)
    handle = w.register_post_accumulate_grad_hook(lambda tensor: print("added", tensor.grad))
    f(x, w).backward()
    handle.remove()
    f(x, w).backward()
    gradients(w)
    z = f(x, w)
    z.register_hook(lambda grad: print("root", grad))
    z.backward()
    z = f(x, w)
    z.retain_grad()
    z.backward()
    print(z.grad)
    gradients(w)


@program
def called_again_with_its_graph_kept(torch) -> None:
    f = decorated(torch)(lambda x: (x.exp() * x).sum())
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    for _ in range(3):
        z = f(x)
        z.backward(retain_graph=True)
        z.backward()
        attempt(lambda z=z: z.backward())
        gradients(x)
    z = f(x)
    attempt(lambda: torch.autograd.grad(z, x))
    attempt(lambda: torch.autograd.grad(z, x))
    g, = torch.autograd.grad(f(x), x, create_graph=True)
    f(x).backward()
    g.sum().backward()
    gradients(x)


@program
def called_again_after_writes(torch) -> None:
    f = decorated(torch)(lambda x, y: (x * y).sum())
    x, y = torch.tensor([1.0, -1.0], requires_grad=True), torch.ones(2)
    for _ in range(2):
        f(x, y)
    z = f(x, y)
    y.add_(1)
    attempt(z.backward)
    z = f(x, y)
    y.data.add_(1)
    attempt(z.backward)
    z = f(x, y)
    y.detach().add_(1)
    attempt(z.backward)
    with torch.no_grad():
        print(f(x, y).requires_grad)
    z = f(x, y)
    with torch.no_grad():
        x += 1
    z.backward()
    gradients(x)
    g = decorated(torch)(lambda x: x.exp())
    for _ in range(2):
        z = g(x)
    z.add_(1)
    attempt(lambda: z.sum().backward())
    z = g(x)
    y = z * 3
    z.mul_(2)
    attempt(lambda: y.sum().backward())
    f(x, x.grad if x.grad is not None else torch.ones(2)).backward()
    z = f(x, x.grad)  # reads what the next pass adds to
    f(x, torch.ones(2)).backward()
    attempt(z.backward)
    print(x.grad, x.grad._version)


@program
def called_again_with_other_shapes(torch) -> None:
    f = decorated(torch)(lambda x, y: (x * y).sum())
    for size in (2, 3, 2, 1, 3, 2):
        x, y = torch.arange(size, dtype=torch.float32).requires_grad_(), torch.full((size,), 2.0)
        f(x, y).backward()
        gradients(x)
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    for _ in range(3):
        f(x, y).backward()
    gradients(x)
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    for _ in range(2):
        z = f(x, y)
        z.backward()
        print(z.dtype, x.grad.dtype, y.grad)


@program
def called_again_with_one_tensor_twice(torch) -> None:
    f = decorated(torch)(lambda x, y: (x * y * y).sum())
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        f(x, x).backward()
    gradients(x)
    y = x.detach()
    for _ in range(3):
        f(x, y).backward()
        f(y, x).backward()
    gradients(x)
    view = x[:]
    for _ in range(2):
        f(x, view).backward()
    gradients(x)
    y = x * 1
    for _ in range(2):
        part = y[:1]
        y.mul_(2)
        f(y, part).backward(retain_graph=True)
    gradients(x)


@program
def called_again_for_arrays(torch) -> None:
    f = decorated(torch)(lambda x: x * 2)
    x = torch.tensor([1.0], requires_grad=True)
    for _ in range(3):
        z = f(x)
        z.backward()
    print(z, x.grad)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        z = f(x)
        attempt(z.backward)
        z.backward(torch.tensor([1.0, 10.0]))
    gradients(x)
    z = f(x)
    z.add_(1)
    z.sum().backward()
    gradients(x)
    same = decorated(torch)(lambda x: x)
    print(same(x) is x, same(x) is x)
    either = decorated(torch)(lambda x: x if x.sum() > 0 else -x)
    for sign in (1.0, -1.0, 1.0, -1.0):
        x = torch.tensor([sign], requires_grad=True)
        either(x).backward()
        gradients(x)
    chosen = decorated(torch)(lambda x: torch.where(x > 1, 1, 2.0) * x)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        z = chosen(x)
        z.sum().backward()
        print(z.dtype, x.grad)


@program
def called_again_in_graphs(torch) -> None:
    f = decorated(torch)(lambda x: (x * x).sum())
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        f(x * 3).backward()
    gradients(x)
    doubled = x * 2
    leaf = doubled.grad_fn.next_functions[0][0]
    leaf.register_hook(lambda *given: print("reached", len(given)))
    f(x).backward()
    gradients(x)
    leaf.register_prehook(lambda given: (given[0] * 0,))
    f(x).backward()
    (f(x) + f(doubled)).backward()
    gradients(x)
    del leaf, doubled
    f(x).backward()
    gradients(x)
    x.grad = torch.ones(2)
    kept = x.grad
    f(x).backward()
    print(kept, x.grad is kept)


@program
def called_again_in_other_modes(torch) -> None:
    f = decorated(torch)(lambda x: (x * x).sum())
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    f(x), f(x)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor * 10, lambda tensor: tensor / 10):
        z = f(x)
    z.backward()
    gradients(x)
    with torch.inference_mode():
        print(f(x).requires_grad)
    with torch.no_grad(), torch.enable_grad():
        print(f(x).requires_grad)
    for flag in (False, True):
        print(f(x.requires_grad_(flag)).requires_grad)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            f(x).backward()
    gradients(x)


@program
def called_again_from_threads(torch) -> None:
    f = decorated(torch)(lambda x, w: (x * w).sum())
    found = []

    def work(number: int) -> None:
        w = torch.ones(3, requires_grad=True)
        for _ in range(50):
            f(torch.full((3,), float(number)), w).backward()
        found.append((number, w.grad.tolist()))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(found))


@program
def called_again_with_other_captures(torch) -> None:
    w, k = torch.ones(2, requires_grad=True), 2.0
    x = torch.tensor([1.0, 2.0])

    @decorated(torch)
    def f(x):
        return (x * w * k).sum()

    for _ in range(3):
        f(x).backward()
    gradients(w)
    k = 3.0
    f(x).backward()
    gradients(w)
    w = torch.zeros(2, requires_grad=True)
    f(x).backward()
    f(x).backward()
    gradients(w)
    w = torch.zeros(2)
    print(f(x).requires_grad)
    w = torch.zeros(1, requires_grad=True)
    f(x).backward()
    f(x).backward()
    gradients(w)


# ---- eager tensors

@program
def graphs_that_saved_shapes_run_twice(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    square = torch.ones(2, 2, requires_grad=True)
    for compute in (lambda: x.mean(), lambda: x[0], lambda: x[:1].sum(), lambda: x.view(2, 1).sum(),
                    lambda: x[None].sum(), lambda: torch.cat([x, x]).sum(), lambda: x.repeat(2).sum(),
                    lambda: square.trace(), lambda: x.expand(3, 2).sum(), lambda: x.unbind()[0], lambda: x.diff().sum(),
                    lambda: x.exp().sum(), lambda: x[torch.tensor([0])].sum(), lambda: (x * 2).sum(), lambda: x.max()):
        z = compute()
        z.backward()
        attempt(z.backward)
    gradients(x, square)


@program
def hooks_give_something_else(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def of_tensor(result) -> None:
        y = x * 2
        y.register_hook(lambda grad: result)
        y.sum().backward()

    def of_node(result, before: bool) -> None:
        node = (y := x * 2).grad_fn
        if before:
            node.register_prehook(lambda given: result)
        else:
            node.register_hook(lambda given, taken: result)
        y.sum().backward()

    for result in ("a", torch.ones(3), torch.ones(()), torch.ones(2, dtype=torch.float64), torch.full((2,), 5.0)):
        attempt(lambda result=result: of_tensor(result))
    for result in (torch.ones(2), (torch.ones(2),), (torch.ones(2), None), (torch.ones(3), None), 1, (None, None)):
        attempt(lambda result=result: of_node(result, False))
        attempt(lambda result=result: of_node(result, True))
    gradients(x)
    z = x.sum()
    z.grad_fn.register_hook(lambda given, taken: print(given, taken))
    z.backward()


@program
def indices_in_lists_and_masks(torch) -> None:
    x = torch.arange(12.0).reshape(3, 4)
    i = torch.tensor([0, 2])
    for index in ([[0, 1], [1, 2]], [slice(0, 2), 1], [0, None], [i, i], [0, 1], torch.tensor([True, False]),
                  (slice(None), torch.tensor([True, False, True])), torch.ones(2, 4) > 0):
        attempt(lambda index=index: x[index])
    attempt(lambda: x.__setitem__(i, torch.ones(3, 4)))
    attempt(lambda: x.__setitem__((i, i), torch.ones(3)))
    attempt(lambda: torch.tensor(1.0).flip(0))
    attempt(lambda: torch.tensor(1.0).flip(1))
    attempt(lambda: x.clone().index_copy_(0, i, torch.ones(2, 4)))
    attempt(lambda: x.index_copy(0, i, torch.ones(3, 4)))
    attempt(lambda: x.index_copy(0, torch.tensor([5]), torch.ones(1, 4)))
    attempt(lambda: x.index_copy(0, i, torch.ones(2, 4, dtype=torch.float64)))


@program
def booleans_in_arithmetic(torch) -> None:
    b, i, f = torch.tensor([True, False]), torch.tensor([1, 2]), torch.tensor([1.0, 2.0])
    for compute in (lambda: b - True, lambda: i - True, lambda: True - f, lambda: 1 - b, lambda: b - i, lambda: b - b,
                    lambda: f - b, lambda: torch.sub(f, True), lambda: f.sub_(True), lambda: b ** b, lambda: b // b,
                    lambda: b % b, lambda: b // True, lambda: b // 1, lambda: torch.fmod(b, b), lambda: b * i):
        attempt(compute)
    for compute in (lambda: torch.where(b, 1, 2.0), lambda: torch.where(b, 1, 2), lambda: torch.where(b, i, 2.5),
                    lambda: torch.where(b, f.double(), 2.0)):
        print(compute().dtype)


@program
def flags_that_are_empty(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    one = torch.tensor(1.0)
    attempt(lambda: torch.autograd.backward([]))
    attempt(lambda: torch.autograd.grad(x.sum(), []))
    attempt(lambda: torch.autograd.grad(x.sum(), x, [one, one]))
    attempt(lambda: torch.autograd.grad([x.sum(), x.sum()], x, [None]))
    attempt(lambda: x.sum().backward(inputs=[torch.ones(1)]))
    attempt(lambda: x.sum().backward(inputs=[]))
    attempt(lambda: torch.autograd.functional.jacobian(lambda x: torch.ones(2), x.detach(), strict=True))

    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            sign = a.sign()
            ctx.mark_non_differentiable(sign)
            return a.clone(), sign, 3

        @staticmethod
        def backward(ctx, g, of_sign, of_number):
            return g

    copy, sign, number = Pair.apply(x)
    print(copy.requires_grad, sign.requires_grad, number)
    copy.sum().backward()
    gradients(x)


@program
def what_does_not_fit(torch) -> None:
    x, empty = torch.arange(6.0).reshape(2, 3), torch.zeros(0, 3)
    for compute in (
            lambda: torch.tensor([[1, 2], [3]]), lambda: torch.tensor([[1], [2, 3]]), lambda: torch.tensor([[1], 2]),
            lambda: torch.tensor([[[1, 2], [3]], [[1, 2], [3, 4]]]), lambda: torch.tensor([1, [2]]),
            lambda: torch.tensor([1, None]), lambda: torch.tensor([{}]), lambda: empty.max(0), lambda: empty.min(0),
            lambda: empty.argmax(), lambda: empty.argmin(0), lambda: x.view(-1, -1), lambda: x.permute(0, 0),
            lambda: x.permute(0, 1, 2), lambda: x.size(5), lambda: torch.tensor(1.0).size(0), lambda: x.stride(-3),
            lambda: x.gather(1, torch.tensor([[0, 5]])), lambda: x.gather(1, torch.tensor([[-1]])),
            lambda: x.index_select(0, torch.tensor([5])), lambda: x.index_select(0, torch.tensor([-1])),
            lambda: x.scatter(1, torch.tensor([[7]]), 1.0),
            lambda: x.scatter_add(0, torch.tensor([[-1]]), torch.ones(1, 1))):
        attempt(compute)
