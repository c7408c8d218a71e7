"""Programs with layers of networks, optimisers and the rates of their steps; and what is said of what is no tensor."""
from __future__ import annotations

import numpy as np
from torch_programs import attempt, program


@program
def no_tensors(torch) -> None:
    F = torch.nn.functional
    x, q = torch.ones(3, 4), torch.ones(2, 3, 4)
    for function in (
            lambda: torch.exp(1.0), lambda: torch.exp([1.0]), lambda: torch.exp(np.ones(2)),
            lambda: torch.exp(np.float64(1)),
            lambda: torch.cat([1.0]), lambda: torch.cat([x, 1.0]), lambda: torch.cat(1.0), lambda: torch.stack([x, 2]),
            lambda: torch.sum([1.0]), lambda: torch.mm(x, [1]), lambda: torch.dot(x[0], 1.0),
            lambda: torch.reshape([1], (1,)),
            lambda: torch.gather(x, 0, [1]), lambda: torch.masked_select(x, [True]), lambda: torch.allclose(x, 1.0),
            lambda: torch.zeros_like(1.0), lambda: torch.linalg.inv([[1.0]]), lambda: torch.linalg.solve(x, [1.0]),
            lambda: torch.meshgrid(1.0, 2.0), lambda: torch.sort([1.0]), lambda: torch.numel(1.0),
            lambda: F.cross_entropy(x, [1, 2, 3]), lambda: F.nll_loss(x, [1]), lambda: F.kl_div(x, [1.0]),
            lambda: F.soft_margin_loss(x, 1.0), lambda: F.relu(1.0), lambda: F.gelu([1.0]), lambda: F.linear(x, [1.0]),
            lambda: F.layer_norm([1.0], (1,)), lambda: F.max_pool2d([1], 2), lambda: F.batch_norm([1.0], None, None),
            lambda: F.conv_transpose2d(q, 1.0), lambda: F.unfold([1], 1), lambda: F.bilinear(x, x, [1]),
            lambda: torch.sum(input=1.0), lambda: torch.logcumsumexp([1.0], 0), lambda: torch.multinomial([1.0], 1)):
        attempt(function)


def trained_at(torch, make, steps=9) -> None:
    """Print the rates of two groups, with the optimiser's steps between."""
    x, y = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([{"params": [x], "lr": 0.4}, {"params": [y]}], lr=1.0)
    scheduler = make(torch.optim.lr_scheduler, optimizer)
    rates = []
    for step in range(steps):
        rates.append([round(group["lr"], 6) for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step(*([1 / (1 + step // 3)] if "Plateau" in type(scheduler).__name__ else []))
    print(type(scheduler).__name__, rates, scheduler.last_epoch if hasattr(scheduler, "last_epoch") else "")


@program
def schedulers(torch) -> None:
    for make in (
            lambda s, o: s.LambdaLR(o, lambda epoch: 0.9 ** epoch), lambda s, o: s.MultiplicativeLR(o,
                    lambda epoch: 0.9),
            lambda s, o: s.StepLR(o, 3, 0.5), lambda s, o: s.MultiStepLR(o, [2, 5, 5], 0.3),
            lambda s, o: s.ConstantLR(o, 0.5, 3),
            lambda s, o: s.LinearLR(o, 0.5, 0.1, 6), lambda s, o: s.ExponentialLR(o, 0.8),
            lambda s, o: s.PolynomialLR(o, 6, 2.0),
            lambda s, o: s.CosineAnnealingLR(o, 4, 0.1), lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 2, 0.05),
            lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)], [4]),
            lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)]),
            lambda s, o: s.ReduceLROnPlateau(o, "min", 0.5, 1, min_lr=0.01)):
        trained_at(torch, make)
    schedule = torch.optim.lr_scheduler
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    for function in (
            lambda: schedule.ConstantLR(optimizer, 2.0), lambda: schedule.LinearLR(optimizer, 0.0),
            lambda: schedule.StepLR(None, 1), lambda: schedule.ExponentialLR(optimizer, 0.5, 3),
            lambda: schedule.SequentialLR(optimizer, [], []), lambda: schedule.ChainedScheduler([]),
            lambda: schedule.SequentialLR(optimizer, [schedule.ReduceLROnPlateau(optimizer)], []),
            lambda: schedule.ReduceLROnPlateau(optimizer, "other"),
            lambda: schedule.CosineAnnealingWarmRestarts(optimizer, 0)):
        attempt(function)


@program
def scaled_steps(torch) -> None:
    optim = torch.optim
    for make in (
            lambda p: optim.RMSprop(p, 0.1),
            lambda p: optim.RMSprop(p, 0.02, 0.9, weight_decay=0.1, momentum=0.5, centered=True),
            lambda p: optim.Adagrad(p, 0.5), lambda p: optim.Adagrad(p, 0.1, 0.3, 0.1, 2.0, maximize=True),
            lambda p: optim.Adadelta(p), lambda p: optim.Adadelta(p, 0.5, 0.3, 0.1, 0.1),
            lambda p: optim.Adamax(p, 0.1),
            lambda p: optim.Adamax(p, 0.1, (0.5, 0.7), weight_decay=0.1)):
        p = torch.tensor([[0.5, -1.0], [2.0, 0.1]], requires_grad=True)
        optimizer = make([p])
        for _ in range(5):
            optimizer.zero_grad()
            (p ** 4 + p).sum().backward()
            optimizer.step()
        print([round(item, 4) for item in p.detach().reshape(-1).tolist()], sorted(optimizer.state_dict()["state"][0]))
    for function in (lambda: optim.RMSprop([p], -1), lambda: optim.Adagrad([p], lr_decay=-1),
                     lambda: optim.Adadelta([p], rho=2), lambda: optim.Adamax([p], betas=(1.0, 0.9))):
        attempt(function)


@program
def steps_of_running_means(torch) -> None:
    F = torch.nn.functional
    x = torch.sin(torch.arange(24.0)).reshape(2, 3, 4)
    for name, options in (("batch_norm", {"training": True}), ("batch_norm", {"training": True, "momentum": 0.5}),
                          ("batch_norm", {}), ("instance_norm", {"momentum": 0.9}),
                          ("instance_norm", {"use_input_stats": False})):
        mean, var = torch.zeros(3), torch.ones(3)
        getattr(F, name)(x, mean, var, **options)
        print([round(item, 4) for item in [*mean.tolist(), *var.tolist()]])
    y = torch.ones(1, 2, 4, requires_grad=True)  # more zeros behind a convolution than it has steps
    w = torch.sin(torch.arange(12.0)).reshape(2, 2, 3).requires_grad_()
    z = F.conv_transpose1d(y, w, torch.tensor([1.0, 2.0]), padding=1, output_padding=1, dilation=2)
    first = torch.autograd.grad((z * z).sum(), [y, w], create_graph=True)
    second = torch.autograd.grad(sum((item * item).sum() for item in first), [y, w])
    print(z.shape, *([round(item, 2) for item in part.reshape(-1).tolist()] for part in (*first, *second)))
    attempt(lambda: F.conv_transpose1d(y[:, :, :1], w[:, :, :1], padding=2))
    attempt(lambda: F.interpolate(y, (2, 3)))
    print(F.avg_pool2d(y, 2, ceil_mode=True, stride=3, divisor_override=3).detach())
