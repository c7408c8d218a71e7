"""Programs in which tensors change their place in the graph, are asked for gradients on their way, or are handed to
operations of the user's own by name; and what decorated functions make of arguments with names."""
from __future__ import annotations

import copy
import pickle
from typing import Any

from torch_decorated import decorated
from torch_programs import program


def told(compute: Any) -> None:
    try:
        print(compute())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).strip().splitlines()[0][:60]}")


@program
def kept_gradients_of_what_is_written_into(torch) -> None:
    x = torch.arange(1.0, 4.0, requires_grad=True)
    y = x * 2
    y.retain_grad()
    view = y[0]
    view.mul_(3)
    y.sum().backward()
    print(y.grad, x.grad, y.retains_grad)
    y = x * 2
    view = y[0:1]
    view.retain_grad()
    y.mul_(3)
    (view * view).sum().backward()
    print(view.grad)
    y = x * 2
    y.retain_grad()
    alias = y.view(3)
    y.mul_(2)
    (y * alias).sum().backward()
    print(y.grad)


@program
def hooks_before_and_after_a_write(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    calls: list[Any] = []
    y = x * 2
    y.register_hook(lambda g: calls.append(("before", g.tolist())))
    y.mul_(3)
    y.register_hook(lambda g: calls.append(("after", g.tolist())))
    y.sum().backward()
    print(calls)
    calls.clear()
    y = x * 2
    handle = y.register_hook(lambda g: g * 100)
    y.add_(1)
    handle.remove()
    x.grad = None
    y.sum().backward()
    print(x.grad)


@program
def backward_into_chosen_tensors(torch) -> None:
    x = torch.arange(3.0, requires_grad=True)
    y = x * 2
    (y * y).sum().backward(inputs=[y])
    print(y.grad, x.grad, y.retains_grad)
    calls: list[str] = []
    x.register_hook(lambda g: calls.append("hook"))
    x.register_post_accumulate_grad_hook(lambda tensor: calls.append("after"))
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward(inputs=[y, x])
    print(y.grad, x.grad, calls)
    told(lambda: x.sum().backward(inputs=[torch.ones(2)]))
    told(lambda: torch.autograd.grad(torch.ones(2), x))


@program
def leaves_that_are_views(torch) -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    told(lambda: x.add_(1))
    told(lambda: x[0].add_(1))
    told(lambda: x.__setitem__(0, 1.0))
    (x * x).sum().backward()
    print(x.grad, x.is_leaf)
    with torch.no_grad():
        x -= 0.5 * x.grad
    print(x, x.requires_grad)


@program
def functions_with_named_arguments(torch) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, power=2):
            ctx.save_for_backward(x, w)
            ctx.power = power
            return w * x ** power

        @staticmethod
        def backward(ctx, grad):
            x, w = ctx.saved_tensors
            print(ctx.needs_input_grad)
            bars = grad * w * ctx.power * x ** (ctx.power - 1), grad * x ** ctx.power, None
            return bars[:len(ctx.needs_input_grad)]

    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    for call in (lambda: Scaled.apply(x, w=w), lambda: Scaled.apply(w=w, x=x, power=3)):
        x.grad = w.grad = None
        call().sum().backward()
        print(x.grad, w.grad)
    told(lambda: Scaled.apply(x, w, more=1))

    class Second(torch.autograd.Function):
        @staticmethod
        def forward(x, scale=2.0):
            return x * scale

        @staticmethod
        def setup_context(ctx, inputs, output):
            print(len(inputs), inputs[1])

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    Second.apply(x).sum().backward()
    Second.apply(x, scale=5.0).sum().backward()


@program
def functions_that_take_none_for_zeros(torch) -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            print(first, second)
            return first * 2 if second is None else second * 3

    x = torch.ones(2, requires_grad=True)
    one, other = Both.apply(x)
    one.sum().backward()
    other = Both.apply(x)[1]
    other.sum().backward()
    print(x.grad)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, number):
            return x * number

        @staticmethod
        def backward(ctx, grad):
            return grad * 3, grad

    told(lambda: Wrong.apply(x, 3).sum().backward())


@program
def links_of_operations_with_numbers(torch) -> None:
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    for value in (x ** 2, 2 - x, x ** w, 2 ** x, x % 2, x.masked_fill(x > 5, 0), torch.where(x > 0, x, w),
                  torch.where(x > 0, x, 0.0), x.add(w, alpha=2), x.sub(w, alpha=3), x.lerp(w, 0.5), x.clamp(min=w),
                  x + 1, x / 2, x.index_fill(0, torch.tensor([0]), 1.0), x.masked_fill(x > 5, w.sum())):
        print(type(value.grad_fn).__name__, [type(node).__name__ for node, _ in value.grad_fn.next_functions])


@program
def symmetric_matrices(torch) -> None:
    a = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], requires_grad=True)
    weights = torch.arange(9.0).reshape(3, 3)

    def cholesky(m):
        return (torch.linalg.cholesky(m) * weights).sum()

    def values(m):
        return (torch.linalg.eigvalsh(m) * weights[0]).sum()

    def vectors(m):
        return (torch.linalg.eigh(m)[1] ** 2 * weights ** 2).sum()

    def all_singular(m):
        return (torch.linalg.svd(m[:2])[1] * weights[0, :2]).sum() + (torch.linalg.svd(m)[0] ** 2 * weights).sum()

    for function in (cholesky, values, vectors, all_singular):
        for run in (function, decorated(torch)(function)):
            gradient, = torch.autograd.grad(run(a), a)
            print([[round(value, 3) + 0.0 for value in row] for row in gradient.tolist()])
    print(torch.linalg.eigh(torch.eye(2)))
    print(torch.linalg.slogdet(torch.eye(2)))


@program
def numbers_among_indices(torch) -> None:
    q, places = torch.arange(24.0).reshape(2, 3, 4).clone().requires_grad_(), torch.tensor([1, 2])
    weights = torch.arange(6.0)

    def between(tensor, index):
        return tensor[0, :, index]

    def behind(tensor, index):
        return tensor[1, ..., index, :]

    def written(tensor, index):
        found = tensor * 2
        found[1, :, index] = found[0, :, index + 1]
        return found[1]

    for function in (between, behind, written):
        for run in (function, decorated(torch)(function)):
            found = run(q, places)
            gradient, = torch.autograd.grad((found.reshape(-1)[:6] * weights).sum(), q)
            print(found.shape, found.reshape(-1)[:6].tolist(), gradient.reshape(-1).tolist())
    print(q[torch.tensor([True, False]), 0].shape, q[:, [0, 2], 1].shape, q[0, [1], :, None].shape)


@program
def named_arguments_in_decorated_functions(torch) -> None:
    x, z = torch.tensor([[1.0, 2.0]], requires_grad=True), torch.tensor([[3.0, 4.0]], requires_grad=True)
    for function in (lambda a, b: torch.cat((a, b), axis=1), lambda a, b: torch.cat((a, b), dim=-1),
                     lambda a, b: torch.stack([a, b], axis=1), lambda a, b: a.max(axis=1)[0] + b.sum(axis=1)):
        found = decorated(torch)(function)(x, z)
        print(found.tolist(), found.shape)
    rows = torch.arange(6.0).reshape(3, 2).requires_grad_()
    choose = decorated(torch)(lambda tensor, index: tensor.index_select(0, index))
    for index in ([2, 0], [-1], [0, -3]):
        told(lambda index=index: choose(rows, torch.tensor(index)).tolist())
        told(lambda index=index: rows.index_select(0, torch.tensor(index)).tolist())


@program
def functions_checked_that_hide_their_gradient(torch) -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    told(lambda: torch.autograd.gradcheck(lambda t: t.detach() * 2, x))
    told(lambda: torch.autograd.gradcheck(lambda t: torch.ones(2, dtype=torch.float64), x))
    told(lambda: torch.autograd.gradcheck(lambda t: t.detach() * 2, x, raise_exception=False))


@program
def other_dtypes_of_numbers_in_decorated_functions(torch) -> None:
    @decorated(torch)
    def f(x, i):
        return x.sum() * (i / 2).sum() + torch.zeros(2).sum() + torch.tensor(1.5)

    x, i = torch.ones(2, requires_grad=True), torch.arange(3)
    try:
        for kind in (torch.float32, torch.float64, torch.float64, torch.float32):
            torch.set_default_dtype(kind)
            print(f(x, i).dtype, torch.autograd.grad(f(x, i), x)[0].dtype)
    finally:
        torch.set_default_dtype(torch.float32)


@program
def views_that_are_unclear_after_a_write(torch) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

    def unrecorded():
        whole = x * 1
        with torch.no_grad():
            return whole, whole[1:]

    whole, view = unrecorded()
    told(lambda: view.mul_(2))
    whole.add_(1)
    told(lambda: view * 2)
    told(lambda: view.grad_fn)
    print(view, (view > 3).tolist(), view.tolist(), view.detach())
    with torch.no_grad():
        print(view * 2)
    for place in (0, 1):
        pair = unrecorded()
        with torch.no_grad():
            pair[place].mul_(2)
        told(lambda pair=pair: pair[1] * 2)
    plain = torch.ones(3)
    with torch.no_grad():
        view = plain[:2]
    plain.mul_(2)
    print(view * 2)
    plain.mul_(x)
    told(lambda: view * 2)


@program
def functions_that_return_what_they_got(torch) -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Rest(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[1:]

        @staticmethod
        def backward(ctx, g):
            return torch.cat([torch.zeros(1), g * 3])

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for function in (Same, Rest):
        for given in (x, x * 1, (x * 1)[:]):
            found = function.apply(given)
            print(found._is_view(), found._version)
            (found * found).sum().backward()
            print(x.grad)
            x.grad = None
            told(lambda found=found: found.mul_(2))
            print(found, given)
            with torch.no_grad():
                given.add_(1)
                print(found * 2)
            told(lambda found=found: found * 2)
            told(lambda found=found: found.sum().backward())
        found = function.apply(x * 1).clone()
        found.mul_(2)
        found.sum().backward()
        print(found, x.grad)
        x.grad = None


@program
def stars_of_decorated_functions(torch) -> None:
    def curve(t, *p):
        return p[0] * torch.exp(-p[1] * t) + sum(p[2:])

    @decorated(torch)
    def residual(t, given):
        return ((curve(t, *given) - 1) ** 2).sum()

    @decorated(torch)
    def apart(t, given):
        scale, *rest, shift = given
        return (scale * t * len(rest) + sum(rest) + shift).sum()

    t = torch.linspace(0, 1, 5)
    whole = decorated(torch)(curve)
    for count in (2, 3, 5, 3):
        several = [torch.tensor(0.5 * place + 1, requires_grad=True) for place in range(count)]
        whole(t, *several).sum().backward()
        print([item.grad for item in several])
        for function in (residual, apart):
            for given in (torch.linspace(1, 2, count, requires_grad=True), several):
                function(t, given).backward()
                print(given.grad if isinstance(given, torch.Tensor) else [item.grad for item in given])


@program
def parameters_with_stars(torch) -> None:
    def scaled(x, *, by, plus=1):
        return x * by + plus

    @decorated(torch)
    def handed_on(x, *factors, **words):
        for factor in factors:
            x = torch.tanh(x * factor)
        return scaled(x, **words) * words.get("twice", 1), len(factors)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([0.5, 0.25], requires_grad=True)
    for factors, words in (((), {"by": 2}), ((y,), {"by": y, "plus": x}), ((y, x), {"by": x}),
                           ((x, x, y), {"by": 0.5})):
        result, count = handed_on(x, *factors, **words)
        result.sum().backward()
        print(result.detach(), count, x.grad, y.grad)

    @decorated(torch)
    def expanded(x):
        return x.expand(3, *x.shape).sum(0) * x

    expanded(x).sum().backward()
    print(x.grad)


@program
def copies_that_share_memory(torch) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    held = {"whole": x, "row": x[1], "flipped": x.t()[1:], "again": x, "outside": x.detach()}
    other = copy.deepcopy(held)
    other["row"][0] = 50
    print(other, x, other["whole"] is other["again"], other["flipped"].stride())
    weight = torch.ones(2, requires_grad=True)
    weight.label = ["weight"]
    weight.sum().backward()
    first, second = copy.deepcopy([weight, weight.data])
    second[0] = 7
    print(first, first.grad, first.label, first.label is weight.label, weight)
    result = copy.copy(weight * 2)
    print(result, result.is_leaf, copy.copy(weight).label is weight.label, pickle.loads(pickle.dumps(weight)).label)
    (result * 3).sum().backward()
    print(result.grad, weight.grad)


@program
def what_views_without_a_node_say(torch) -> None:
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 2
    with torch.no_grad():
        views = [x[0], x.view(4), y.t(), y[:1].view(2), x.detach()[0], x.clone()]
    print([(view.requires_grad, view.is_leaf, view.grad_fn) for view in views], views[1])

    def flagged(tensor: Any, value: Any) -> Any:
        tensor.requires_grad = value
        return tensor

    for tensor, value in [(y, True), (y, False), (x, 1), (torch.ones(1), None), (torch.ones(1), True)]:
        told(lambda: flagged(tensor, value))  # noqa: B023
    told(lambda: torch.nn.functional.glu(torch.ones(3, 4), 0))


@program
def sizes_and_texts_in_decorated_functions(torch) -> None:
    def noted(*given: Any, size: Any = None) -> None:
        print(given, size)

    @decorated(torch)
    def described(x, n):
        shape = x.shape
        for place, size in enumerate(shape):
            print(place, size)
        print(f"{shape} {x.dtype} {n:>4d} {x.mean().item():.3f} {n=} {x.sum().item()!r:>{n}}")
        noted(shape, size=x.size())
        noted(shape[1:])
        named = 2 if str(shape) == "torch.Size([2, 3])" and isinstance(shape, tuple) else 3
        return x.reshape(shape) * len(shape) * max(shape) * named, torch.zeros(x.shape)

    x = torch.ones(2, 3, requires_grad=True)
    print([item.detach() for item in described(x, 5)])
    print(torch.tensor([1, 2]) & x.long().sum().numpy()[()], x.long().sum().numpy()[()] | torch.tensor([1, 9]))
