"""Programs as tutorials and posts about autograd have them: layers in a loop, what nodes saved, the order of hooks, and
what is said where sizes, dtypes or arguments don't fit."""
from __future__ import annotations

import math

from torch_decorated import decorated, gradients
from torch_places import told
from torch_programs import program


@program
def derivatives_where_something_is_infinite(torch) -> None:
    @decorated(torch)
    def compiled(a, b):
        return torch.logaddexp(a, b)

    for function in (torch.logaddexp, torch.logaddexp2, torch.atan2, compiled):
        for pair in ((math.inf, 1.0), (1.0, math.inf), (-math.inf, 1.0), (math.inf, math.inf), (0.0, 0.0), (2.0, 1.5)):
            x, y = (torch.tensor(item, requires_grad=True) for item in pair)
            print(pair, torch.autograd.grad(function(x, y), (x, y)))


@program
def what_is_saved_of_leaves(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    print((x ** 2).grad_fn._saved_self is x, (y * x).grad_fn._saved_other is x, y.grad_fn._saved_result is y)
    print(y.grad_fn.next_functions[0][0].variable is x, torch.equal(y, y.grad_fn._saved_result))
    z = x ** 2
    with torch.no_grad():
        x.add_(1)
    told(lambda: z.grad_fn._saved_self)


@program
def functions_that_run_twice(torch) -> None:
    class Tripled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, reads):
            ctx.save_for_backward(x)
            ctx.reads = reads
            return x * 3

        @staticmethod
        def backward(ctx, g):
            print("called")
            return (g * 3 if not ctx.reads or ctx.saved_tensors else g), None

    x = torch.ones(2, requires_grad=True)
    for reads in (False, True):
        y = Tripled.apply(x, reads)
        y.backward(torch.ones(2))
        told(lambda y=y: y.backward(torch.ones(2)))
        gradients(x)


@program
def the_order_of_hooks(torch) -> None:
    calls: list[str] = []

    def noting(name):
        return lambda *given: calls.append(name)

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y.sum()
    handle = y.register_hook(noting("first of y"))
    y.register_hook(noting("second of y"))
    x.register_hook(noting("x"))
    x.register_post_accumulate_grad_hook(noting("after x"))
    y.grad_fn.register_hook(noting("after the node"))
    y.grad_fn.register_prehook(noting("before the node"))
    for run in (lambda: z.backward(retain_graph=True), handle.remove, lambda: z.backward(retain_graph=True),
                lambda: torch.autograd.grad(z, x, retain_graph=True),
                lambda: torch.autograd.grad(z, y, retain_graph=True), lambda: y.backward(torch.ones(2))):
        run()
        print(calls)
        calls.clear()
    print(type(handle).__name__, list(reversed(torch.arange(3))), reversed(torch.arange(3)), reversed(torch.tensor(1)))


@program
def sizes_and_dtypes_that_do_not_fit(torch) -> None:
    functional = torch.autograd.functional
    one, other = torch.ones(2), torch.ones(2, dtype=torch.float64)
    square, stack = torch.ones(2, 2), torch.ones(2, 2, 2)
    for compute in (
            lambda: one @ other, lambda: torch.dot(one, other), lambda: square @ other,
            lambda: square @ square.double(), lambda: stack @ stack.double(), lambda: torch.ones(3)[[0, 1], [0, 1, 2]],
            lambda: square[torch.tensor([[0, 1]]), torch.tensor([0, 1, 0])],
            lambda: torch.eye(-1), lambda: torch.eye(2, -1), lambda: torch.rand(-1), lambda: torch.randint(3, (-1,)),
            lambda: torch.slogdet(square + torch.eye(2)), lambda: torch.linalg.slogdet(square + torch.eye(2)),
            lambda: functional.jacobian(lambda x: x, (one, 5)), lambda: functional.jacobian(lambda x: (x, 5), one),
            lambda: functional.jacobian(lambda x: 5, one), lambda: functional.jvp(lambda x, y: x, (one, one), (
                one, torch.ones(3))),
            lambda: functional.hessian(lambda x: x.sum(), one, strict=True)):
        told(compute)


def layers(torch, *sizes):
    return [(torch.full(pair, 0.25, requires_grad=True), torch.zeros(pair[1], requires_grad=True))
            for pair in zip(sizes, sizes[1:])]


@program
def decorated_layers_in_a_loop(torch) -> None:
    """What comes behind the loop has other sizes than its first turn."""
    @decorated(torch)
    def network(x, parameters):
        for weights, bias in parameters[:-1]:
            x = torch.tanh(x @ weights + bias)
        weights, bias = parameters[-1]
        return x @ weights + bias

    @decorated(torch)
    def with_linear(x, parameters):
        for weights, bias in parameters[:-1]:
            x = torch.relu(torch.nn.functional.linear(x, weights.T, bias))
        x = torch.nn.functional.linear(x, parameters[-1][0].T, parameters[-1][1])
        return torch.cat([x, x * 2], 1).std()

    @decorated(torch)
    def penalized(x, weights):
        penalty = sum(item.pow(2).sum() for item in weights)
        for item in weights:
            x = x @ item
        return x.mean() + 0.5 * penalty

    for sizes in ((2, 3, 1), (2, 5, 3, 2), (2, 1)):
        parameters = layers(torch, *sizes)
        y = network(torch.ones(4, 2), parameters)
        y.pow(2).mean().backward()
        print(y.shape, [[item.grad.sum() for item in pair] for pair in parameters])
        weights = [pair[0] for pair in parameters]
        penalized(torch.ones(4, 2), weights).backward()
        with_linear(torch.arange(8.0).reshape(4, 2), parameters).backward()
        print([item.grad.sum() for item in weights])


@program
def decorated_sizes_that_change(torch) -> None:
    @decorated(torch)
    def shrinking(x):
        turns = 0
        while x.numel() > 2:
            x = x[:-1] * x[1:]
            turns += 1
        return x @ torch.ones(2), turns

    @decorated(torch)
    def fitting(x, w):
        if x.shape[1] == w.shape[0]:
            return x @ w
        return x @ w.T

    @decorated(torch)
    def either(x):
        if x.shape[0] > 3:
            return x[3] * x[:2]
        return x * 2 if x.shape[0] < 2 else x[1] + x

    @decorated(torch)
    def after_a_loop(x, w):
        for _ in range(2):
            x = x * 2
        return x @ w

    x = torch.tensor([1.0, 2.0, 3.0, -1.0], requires_grad=True)
    y, turns = shrinking(x)
    y.backward()
    print(y.detach(), turns)
    gradients(x)
    x = torch.ones(2, 3, requires_grad=True)
    for shape in ((3, 4), (4, 3)):
        fitting(x, torch.arange(12.0).reshape(shape)).sum().backward()
        gradients(x)
    for size in (2, 5, 1):
        x = torch.arange(1.0, 1.0 + size, requires_grad=True)
        y = either(x)
        y.sum().backward()
        print(y.detach())
        gradients(x)
    x = torch.ones(2, 3)
    print(after_a_loop(x.requires_grad_(), torch.ones(3, 2)).detach())
    told(lambda: after_a_loop(x, torch.ones(2, 2)))


@program
def decorated_writes_into_new_tensors(torch) -> None:
    @decorated(torch)
    def written(x):
        like, other, more, empty = torch.zeros_like(x), x.new_zeros(2), x.new_ones((2, 2)), torch.empty(3)
        like[0] = x[1]
        like[1:] = x[1:] * 2
        other[1] = x[2] ** 2
        more[0] += x[:2]
        empty[:] = x * x
        double = torch.ones_like(x, dtype=torch.float64)
        double[1] = x[0].double()
        return like, other, more, empty, double

    x = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
    found = written(x)
    for item in found:
        print(item.detach())
    sum((item ** 2).sum() for item in found).backward()
    gradients(x)


@program
def decorated_generator_expressions(torch) -> None:
    @decorated(torch)
    def gathered(x):
        parts = tuple(x[i] * i for i in range(3))
        listed = list(item * 2 for item in parts)  # noqa: C400
        largest = max(item.item() for item in x)
        if any(item.item() < 0 for item in x):
            return torch.stack(parts) * largest
        return torch.stack(listed) + min(item.item() for item in x)

    for sign in (1, -1):
        x = torch.tensor([2.0, 3.0, 4.0 * sign], requires_grad=True)
        y = gathered(x)
        y.prod().backward() if sign > 0 else y.sum().backward()
        print(y.detach())
        gradients(x)


@program
def decorated_parts_that_nobody_reads(torch) -> None:
    """A second derivative has no NaN from a part whose derivative is infinite."""
    @decorated(torch)
    def first_of_two(x, y):
        pair = x.exp(), x.sqrt()
        return pair[0] * y

    @decorated(torch)
    def named(x, y):
        parts = {"a": x * x, "b": x.log()}
        return (parts["a"] * y).sum(), parts["a"] * 2

    x, y = torch.tensor([0.0, 1.0], requires_grad=True), torch.tensor([2.0, math.inf], requires_grad=True)
    for function in (first_of_two, lambda x, y: named(x, y)[0]):
        for wanted in (x, y):
            slope, = torch.autograd.grad(function(x, y).sum(), wanted, create_graph=True)
            print(torch.autograd.grad(slope.sum(), x))


ELLIPSES = (lambda x, i, m: x[:, i, ..., m], lambda x, i, m: x[:, i, ..., i], lambda x, i, m: x[i, ..., i],
            lambda x, i, m: x[i, i, ..., 0], lambda x, i, m: x[:, None, i, ..., i], lambda x, i, m: x[0, ..., i, 1])


@program
def ellipses_for_no_dimension(torch) -> None:
    @decorated(torch)
    def first(x, i, m):
        return x[:, i, ..., m], x[:, i, ..., i], x[i, ..., i], x[i, i, ..., 0]

    @decorated(torch)
    def second(x, i, m):
        y = x * 2
        y[:, i, ..., i] = x[:, 0, :] * 3
        return x[:, None, i, ..., i], x[0, ..., i, 1], y

    x = torch.arange(12.0).reshape(3, 2, 2).requires_grad_()
    i, m = torch.tensor([1, 0]), torch.tensor([True, False])
    for compute in (lambda: [function(x, i, m) for function in ELLIPSES],
                    lambda: first(x, i, m), lambda: second(x, i, m)):
        found = compute()
        print([tuple(item.shape) for item in found])
        sum((item ** 2).sum() for item in found).backward()
        gradients(x)


@program
def decorated_parameters_bound_anew_on_one_way(torch) -> None:
    """Nothing reads them before the ways meet."""
    def helper(x, flag=True, times=3):
        if x.sum() > 0:
            flag, times = False, 5
        return x * times if flag else -x * times

    @decorated(torch)
    def either(x, y):
        if y[0] > 0:
            x = y * 2
        return (torch.where(y > x, x, y) * x).sum()

    @decorated(torch)
    def settings(x, k, flag=True, scale=2.0):
        if x.sum() > 0:
            flag, scale, k = False, 3.0, 7
        y = x * scale + k
        return y * 2 if flag else -y

    @decorated(torch)
    def called(x):
        return helper(x) + helper(x * 2, False) + helper(-x, times=1)

    @decorated(torch)
    def in_a_loop(x, y, n):
        for i in range(n):
            x = y * i
        return (x * 2).sum()

    for sign in (1.0, -1.0):
        x, y = torch.tensor([0.5, -1.2, 2.0], requires_grad=True), torch.tensor([sign, 0.3, -0.7], requires_grad=True)
        for found in (either(x, y), settings(x * sign, 1).sum(), settings(y, 4, False, 5).sum(), called(y).sum()):
            found.backward()
            gradients(x, y)
        print([in_a_loop(x, y, n).detach() for n in (0, 3)])
