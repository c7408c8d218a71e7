"""Programs as people write them: training by hand and with optimisers, operations of their own, hooks, masks, writes,
what goes wrong; their functions decorated, too. What they print with PyTorch is recorded with the others."""
from __future__ import annotations

import copy
import io
import pickle
import threading
import warnings
from typing import Any

import numpy as np
from torch_decorated import decorated
from torch_programs import attempt, program


def said(compute: Any) -> None:
    """The type of what is raised and the words that matter: refusals say where, and more."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            print(compute())
    except Exception as error:
        words = str(error).split("this raises ")[-1].partition(": ")[2] if "this raises" in str(error) else str(error)
        print(f"{type(error).__name__}: {words.strip().splitlines()[0][:45]}")


# ---- training

@program
def line_fitted_by_hand(torch) -> None:
    inputs = torch.linspace(-1, 1, 20).reshape(-1, 1)
    wanted = 3 * inputs + 0.5
    weight, bias = torch.zeros(1, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
    for epoch in range(50):
        loss = ((inputs @ weight + bias - wanted) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            weight -= 0.3 * weight.grad
            bias -= 0.3 * bias.grad
            weight.grad.zero_()
            bias.grad.zero_()
        if epoch % 10 == 0:
            print(f"epoch {epoch}: loss {loss.item():.3f}")
    print(f"{weight.item():.2f} {bias.item():.2f}", weight._version)


@program
def line_fitted_by_a_decorated_loss(torch) -> None:
    inputs = torch.linspace(-1, 1, 20).reshape(-1, 1)
    wanted = 3 * inputs + 0.5
    weight, bias = torch.zeros(1, 1, requires_grad=True), torch.zeros(1, requires_grad=True)

    @decorated(torch)
    def loss_of(batch, target):
        return ((batch @ weight + bias - target) ** 2).mean()

    optimizer = torch.optim.SGD([weight, bias], lr=0.3, momentum=0.5)
    for epoch in range(30):
        optimizer.zero_grad()
        loss = loss_of(inputs, wanted)
        loss.backward()
        optimizer.step()
        if epoch % 10 == 0:
            print(f"epoch {epoch}: loss {loss.item():.3f}")
    print(f"{weight.item():.2f} {bias.item():.2f}")


@program
def classifier_of_two_layers(torch) -> None:
    F = torch.nn.functional
    inputs, classes = torch.arange(12.0).reshape(4, 3) / 10, torch.tensor([0, 1, 2, 1])
    first = (torch.arange(15.0).reshape(3, 5) / 15 - 0.5).requires_grad_()
    second = (torch.arange(15.0).reshape(5, 3) / 15 - 0.5).requires_grad_()

    def logits_of(batch):
        return F.leaky_relu(batch @ first, 0.1) @ second

    for run in (logits_of, decorated(torch)(logits_of)):
        for _ in range(3):
            loss = F.cross_entropy(run(inputs), classes)
            first.grad = second.grad = None
            loss.backward()
            for parameter in (first, second):
                parameter.data -= 0.1 * parameter.grad
            print(round(loss.item(), 3))
    print(logits_of(inputs).argmax(dim=1), (logits_of(inputs).argmax(1) == classes).float().mean())


class Layer:
    def __init__(self, torch, inputs: int, outputs: int):
        self.weight = (torch.arange(float(inputs * outputs)).reshape(outputs, inputs) / 10 - 0.2).requires_grad_()
        self.bias = torch.zeros(outputs, requires_grad=True)
        self.torch = torch

    def __call__(self, x):
        return self.torch.nn.functional.linear(x, self.weight, self.bias)


@program
def layers_that_are_objects(torch) -> None:
    layers = [Layer(torch, 3, 4), Layer(torch, 4, 2)]
    out = layers[1](torch.relu(layers[0](torch.ones(2, 3))))
    out.sum().backward()
    parameters = [item for layer in layers for item in (layer.weight, layer.bias)]
    print([round(item.grad.norm().item(), 3) for item in parameters], sum(item.numel() for item in parameters))


@program
def searches_along_lines(torch) -> None:
    x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], lr=1, max_iter=8, line_search_fn="strong_wolfe")
    calls = []

    def closure():
        calls.append(1)
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss

    for _ in range(5):
        print(round(optimizer.step(closure).item(), 4), len(calls), [round(item, 3) for item in x.tolist()])
    attempt(lambda: torch.optim.LBFGS([x], line_search_fn="other").step(closure))


@program
def penalty_of_a_gradient(torch) -> None:
    weights = torch.tensor([1.0, 2.0], requires_grad=True)

    def loss(weights):
        return (weights ** 3).sum()

    for function in (loss, decorated(torch)(loss)):
        weights.grad = None
        gradient, = torch.autograd.grad(function(weights), weights, create_graph=True)
        ((gradient.norm() - 1) ** 2).backward()
        print(weights.grad)


# ---- operations of one's own

@program
def rounding_with_a_straight_gradient(torch) -> None:
    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return torch.round(x)

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    x = torch.tensor([0.2, 1.7, -2.5], requires_grad=True)
    (Round.apply(x) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    print(x.grad)
    attempt(lambda: Round()(x))
    x.grad = None
    (x + (torch.round(x) - x).detach()).sum().backward()
    print(x.grad)


@program
def two_results_of_ones_own(torch) -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, factor=2):
            ctx.save_for_backward(a, b)
            ctx.factor = factor
            return a * b * factor, a + b

        @staticmethod
        def backward(ctx, first, second):
            a, b = ctx.saved_tensors
            print(ctx.needs_input_grad)
            return first * b * ctx.factor + second, first * a * ctx.factor + second, None

    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
    product, total = Both.apply(a, b, 3)
    (product + total).backward()
    print(product, total, a.grad, torch.autograd.grad(Both.apply(a, b)[0], a))


# ---- writes, masks, indices

@program
def writes_into_clones(torch) -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x.clone()
    row = y[0]
    row *= 10
    y.view(-1)[4] = 100
    print(y, row)
    y.sum().backward()
    print(x.grad)
    a = torch.zeros(3, 3)
    a.fill_diagonal_(5)
    a[1, :] = torch.tensor([1.0, 2.0, 3.0])
    a[:, 2] += 1
    a.t()[0, 1] = 9
    print(a, a.stride(), a.t().is_contiguous())
    attempt(lambda: a.t().view(9))
    attempt(lambda: a.copy_(torch.ones(4, 5)))
    print(torch.ones(3).addcmul_(torch.ones(3), torch.arange(3.0)), torch.ones(2).lerp_(torch.zeros(2), 0.25))
    print(torch.tensor([1.26, 2.5]).round_(), torch.arange(3.0).cumsum_(0))


@program
def masks_and_indices(torch) -> None:
    x = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], requires_grad=True)
    x[x > 0].sum().backward()
    print(x.grad, x[x > 0], x.masked_fill(x < 0, 0.0), torch.where(x > 0), ~(x > 0), (x > 0) & (x < 4))
    rows = torch.tensor([0, 1, 1])
    print(x[rows], x[rows, torch.tensor([1, 1, 0])], x[:, rows], x[..., -1], x[1, None], x.gather(1, rows[:2, None]))
    for index in (5, (0, 9), (0, 0, 0), torch.tensor([7]), torch.tensor([0.5]), 1.0, slice(None, None, -1)):
        attempt(lambda index=index: x[index])
    attempt(lambda: -torch.tensor([True]))
    attempt(lambda: torch.tensor([True]) - torch.tensor([True]))


@program
def indices_in_decorated_functions(torch) -> None:
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    rows = torch.tensor([0, 2, 2])

    @decorated(torch)
    def picked(x, rows, column):
        kept = x[rows]
        return (kept[kept > 2] ** 2).sum() + x[-1, column] * x[:, column].sum() + x.masked_fill(x < 5, 0.0).mean()

    for column in (1, 3):
        x.grad = None
        result = picked(x, rows, column)
        result.backward()
        print(result.item(), x.grad)


# ---- graphs

@program
def hooks_see_gradients(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen: list = []
    handle = x.register_hook(lambda gradient: seen.append(gradient.clone()))
    y = x * 3
    y.register_hook(lambda gradient: gradient * 10)
    y.retain_grad()
    y.sum().backward()
    print(seen, x.grad, y.grad)
    handle.remove()
    z = x * 2
    z.grad_fn.register_hook(lambda inputs, outputs: print("node", inputs, outputs))
    z.sum().backward()
    x.register_post_accumulate_grad_hook(lambda leaf: print("leaf", leaf.grad))
    (x * 1.0).sum().backward()
    print(len(seen))


@program
def gradients_kept_and_added(torch) -> None:
    x = torch.ones(2, requires_grad=True)
    gradient = torch.tensor([1.0, 2.0])
    x.backward(gradient)
    kept = x.grad
    (x * 2).sum().backward()
    print(kept is x.grad, x.grad, gradient)
    x.grad = None
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (a + b).backward(gradient)
    a.grad += 1
    print(a.grad, b.grad, gradient, kept)
    y = (a * b).sum()
    first, second = torch.autograd.grad(y, (a, b), retain_graph=True)
    first += 1
    print(first, second, torch.autograd.grad(y, (a, b)))


@program
def saved_values_changed(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    part = y.detach()
    part[0] = 100
    y.sum().backward()
    print(x.grad)
    z = x.exp()
    z.detach().zero_()
    attempt(lambda: z.sum().backward())
    w = x.exp()
    w.data.zero_()
    w.sum().backward()
    print(x.grad)

    def doubled():
        y = x * 2
        y[1] = 7.0
        y *= 3
        y.sum().backward()
        return x.grad

    attempt(doubled)


@program
def flags_of_grad(torch) -> None:
    x, unused = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(3.0, requires_grad=True)
    y = (x ** 3).sum()
    attempt(lambda: torch.autograd.grad(y, unused, retain_graph=True))
    attempt(lambda: torch.autograd.grad(y, [x, unused], allow_unused=True, retain_graph=True))
    attempt(lambda: torch.autograd.grad(y, [x, unused], materialize_grads=True, retain_graph=True))
    attempt(lambda: torch.autograd.grad(x ** 2, x))
    attempt(lambda: torch.autograd.grad(x * 2, x, torch.eye(2), is_grads_batched=True))
    attempt(lambda: torch.autograd.grad([x.sum(), (x * 2).sum()], [x]))
    attempt(lambda: torch.autograd.grad(x.detach().sum(), x))


@program
def threads_have_modes_of_their_own(torch) -> None:
    x = torch.ones(3, requires_grad=True)
    found: list = []

    def work() -> None:
        found.append(torch.is_grad_enabled())
        (x * 2).sum().backward()

    with torch.no_grad():
        for _ in range(2):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    print(found, x.grad)


# ---- in and out

@program
def written_and_read_again(torch) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    file = io.BytesIO()
    torch.save({"weights": [x, torch.arange(3)], "step": 3}, file)
    file.seek(0)
    print(torch.load(file))
    print(copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x * 2)))
    attempt(lambda: copy.deepcopy(x * 2))
    file = io.BytesIO(pickle.dumps(threading.Thread))
    print("refused" if refused(lambda: torch.load(file)) else "loaded")


def refused(call: Any) -> bool:
    try:
        call()
    except Exception:
        return True
    return False


@program
def arrays_and_tensors(torch) -> None:
    array = np.arange(4.0)
    tensor = torch.from_numpy(array)
    array[0] = 9
    tensor.mul_(2)
    print(tensor, array, np.sum(array), tensor.numpy(), len(tensor), tensor.tolist(), float(tensor[1]))
    x = torch.ones(3, requires_grad=True)
    attempt(lambda: x.numpy())
    attempt(lambda: np.asarray(x))
    attempt(lambda: float(tensor))
    attempt(lambda: [1, 2, 3][torch.tensor(1)])
    attempt(lambda: np.zeros(torch.tensor(3)).shape)
    attempt(lambda: torch.ones(3) + [1, 2, 3])


@program
def kinds_of_elements(torch) -> None:
    print(torch.result_type(torch.arange(3), 1.5), torch.promote_types(torch.int32, torch.float32))
    print(torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64))
    print(torch.finfo(torch.float32).eps, torch.iinfo(torch.int32).max, torch.finfo(torch.float64).max)
    print(torch.ones(2).new_full((2,), 3), torch.ones(1, dtype=torch.int64).new_full((1,), 3))
    attempt(lambda: torch.ones(2, -1))
    attempt(lambda: torch.arange(0, 3, -1))
    attempt(lambda: torch.tensor([]).max())


# ---- functions of elements, and losses

@program
def more_activations(torch) -> None:
    F = torch.nn.functional
    for function in (lambda a: F.leaky_relu(a, 0.1), F.elu, F.silu, F.hardtanh, F.logsigmoid, F.softsign, F.relu6,
                     lambda a: F.softmin(a, 0), lambda a: F.normalize(a, dim=0), torch.erf, torch.erfc,
                     lambda a: torch.logit(a.sigmoid()), lambda a: torch.xlogy(a, a.abs() + 1),
                     lambda a: torch.nan_to_num(a / a), lambda a: F.dropout(a, 0.5, training=False)):
        x = torch.tensor([0.0, -1.0, 2.0, 0.7], requires_grad=True)
        y = function(x)
        first, = torch.autograd.grad(y.sum(), x, create_graph=True)
        print(y.detach() + 0.0, first.detach() + 0.0)
    for function in (F.elu, F.silu, F.logsigmoid, F.softsign, torch.erf, lambda a: torch.logit(a.sigmoid() * 0.9)):
        x = torch.tensor([-1.0, 2.0, 0.7], dtype=torch.float64, requires_grad=True)
        first, = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        print(torch.autograd.grad(first.sum(), x)[0])


@program
def more_losses(torch) -> None:
    F = torch.nn.functional
    x, target = torch.tensor([0.0, -1.0, 2.5], requires_grad=True), torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    for loss in (F.l1_loss, F.smooth_l1_loss, F.huber_loss, lambda a, b: F.smooth_l1_loss(a, b, beta=0.7),
                 lambda a, b: F.huber_loss(a, b, delta=0.7, reduction="sum"),
                 lambda a, b: F.l1_loss(a, b, reduction="none").prod()):
        value = loss(x, target)
        print(value.detach(), torch.autograd.grad(value, (x, target)))
    attempt(lambda: F.huber_loss(x, target, delta=-1))


@program
def equations(torch) -> None:
    a, b = torch.arange(6.0).reshape(2, 3).requires_grad_(), torch.arange(12.0).reshape(3, 4)
    square = torch.arange(9.0).reshape(3, 3).requires_grad_()
    for equation, operands in (("...j,jk->...k", (a, b)), ("bij,bjk->bik", (a[None], b[None])), ("ij,jk", (a, b)),
                               ("ii->i", (square,)), ("ii", (square,)), ("...ij->...ji", (a,)),
                               ("... i , i j -> ... j", (a, b))):
        y = torch.einsum(equation, *operands)
        print(y.detach(), torch.autograd.grad((y * y).sum(), [item for item in operands if item.requires_grad]))
    for equation, operands in (("ij,jk->ik", (a, a)), ("ij,ij", (a,)), ("ij->j", (a[None],))):
        attempt(lambda equation=equation, operands=operands: torch.einsum(equation, *operands))


# ---- what goes wrong

@program
def products_that_do_not_fit(torch) -> None:
    a, b, v = torch.ones(2, 3), torch.ones(4, 5), torch.ones(4)
    for call in (lambda: a @ b, lambda: a + b, lambda: torch.mm(a, v), lambda: a @ v, lambda: v @ torch.ones(3),
                 lambda: torch.bmm(a, b), lambda: a.mm(torch.ones(3, 2, 2)), lambda: torch.outer(a, v),
                 lambda: torch.addmm(v, a, b), lambda: torch.where(a > 0, a, b)):
        attempt(call)


def wrong(torch, function: Any, good: tuple, bad: tuple) -> None:
    """What a decorated function says at its first call, and when it is compiled already."""
    said(lambda: decorated(torch)(function)(*bad))
    compiled = decorated(torch)(function)
    compiled(*good)
    said(lambda: compiled(*bad))


@program
def wrong_sizes_in_decorated_functions(torch) -> None:
    def ones(*shape):
        return torch.ones(*shape, requires_grad=True)

    def product(a, b):
        t = a * 2
        return (t @ b).sum()

    def total(a, b):
        return (a.tanh() + b).sum()

    def chosen(a, b):
        return torch.where(a > 0, a, b).sum()

    def joined(a, b):
        return torch.stack([a, b]).sum()

    def in_a_loop(a, b):
        for _ in range(2):
            a = a * b
        return a.sum()

    def element(a, place):
        return a[place] * 2

    def loss(a, b):
        return torch.nn.functional.mse_loss(a, b)

    def solved(a, b):
        return torch.linalg.solve(a, b).sum()

    wrong(torch, product, (ones(2, 3), ones(3, 2)), (ones(2, 3), ones(4, 5)))
    wrong(torch, product, (ones(2, 3), ones(3)), (ones(2, 3), ones(4)))
    for function in (total, chosen, joined, in_a_loop, loss):
        wrong(torch, function, (ones(2, 3), ones(2, 3)), (ones(2, 3), ones(4, 5)))
    wrong(torch, element, (ones(3), 1), (ones(3), 7))
    wrong(torch, solved, (torch.eye(2).requires_grad_(), ones(2)), (torch.zeros(2, 2).requires_grad_(), ones(2)))


@program
def errors_of_ones_own_in_decorated_functions(torch) -> None:
    @decorated(torch)
    def checked(x):
        if x.sum().item() > 3:
            raise ValueError("more than three")
        return x * 2

    print(checked(torch.ones(2, requires_grad=True)))
    attempt(lambda: checked(torch.ones(4, requires_grad=True)))
