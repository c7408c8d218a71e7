"""What tensors have that PyTorch's have not, and what they owe to the rest of the package."""
from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import s2sgrad
import s2sgrad as torch
from s2sgrad.shim.nodes import OperationNode


def lines_of(code: str) -> list[str]:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_the_package_loads_no_tensors() -> None:
    code = "import sys, s2sgrad; print(any('shim' in name for name in sys.modules)); s2sgrad.ones; " \
           "print('s2sgrad.shim' in sys.modules)"
    assert lines_of(code) == ["False", "True"]


def test_names_of_the_package() -> None:
    assert "tensor" in dir(s2sgrad) and "grad" in dir(s2sgrad)
    assert s2sgrad.float is s2sgrad.float32
    with pytest.raises(AttributeError, match="module 's2sgrad' has no attribute 'nothing'"):
        s2sgrad.nothing  # noqa: B018
    from s2sgrad import tensor
    from s2sgrad.autograd import Variable

    assert isinstance(tensor(1.0), Variable)


def test_a_pickle_can_be_used_at_once() -> None:
    data = pickle.dumps(torch.tensor([1.0, 2.0], requires_grad=True))
    code = f"import pickle; x = pickle.loads({data!r}); (x * x).sum().backward(); print(x.grad.tolist())"
    assert " ".join(lines_of(code)) == "[2.0, 4.0]"


def test_an_overwritten_value_names_both_lines() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = y.exp()
    saved = "z = y.exp()"
    z.add_(1)  # changed here
    with pytest.raises(RuntimeError) as caught:
        z.sum().backward()
    message = str(caught.value)
    assert f"It was saved at {__file__}:" in message and saved in message
    assert "and changed at" in message and "z.add_(1)  # changed here" in message


def test_what_a_function_of_the_users_saved_names_both_lines() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_output):
            x, = ctx.saved_tensors
            return 2 * x * grad_output

    x = torch.ones(3, requires_grad=True) * 1
    y = Square.apply(x)
    x.add_(1)
    with pytest.raises(RuntimeError, match=r"saved at .*Square\.apply\(x\).* changed at .*x\.add_\(1\)"):
        y.sum().backward()


def test_the_adjoint_can_be_read() -> None:
    x = torch.ones(3, requires_grad=True)
    node = (x * x.exp()).grad_fn
    assert isinstance(node, OperationNode)
    assert node.rule.text == ("def mul_adjoint(g, x2, x1):\n    x1_bar = g * x2\n    x2_bar = g * x1\n"
                              "    return x1_bar, x2_bar\n")
    assert x.tanh().grad_fn.rule.text == "def tanh_adjoint(g, y):\n    return g * (1.0 - y ** 2),\n"


@pytest.mark.parametrize("text, saved", [
    ("x + 1", 0), ("x * 2", 0), ("x.sum()", 0), ("x.mean()", 0), ("x.exp()", 1), ("x.relu()", 1), ("x * x", 2),
    ("x[0]", 0), ("x.reshape(9)", 0), ("x @ c", 1), ("x * c", 1), ("c * x", 1), ("torch.cat([x, x])", 0),
])
def test_only_what_the_adjoint_reads_is_saved(text: str, saved: int) -> None:
    x = torch.ones(3, 3, requires_grad=True)
    node = eval(text, {"x": x, "c": torch.ones(3, 3), "torch": torch}).grad_fn
    assert sum(isinstance(item, np.ndarray) and item.dtype.kind == "f" for item in node.saved) == saved


def test_sizes_do_not_write_adjoints_anew() -> None:
    from s2sgrad.shim.arithmetic import power_of_numbers
    from s2sgrad.shim.indexing import SELECT

    for size in range(2, 9):
        x = torch.ones(size, requires_grad=True)
        for place in range(size):
            (x[place] ** (place + 0.5)).backward()
    assert len(SELECT.variants) <= 3 and len(power_of_numbers.variants) <= 3


def test_no_warnings_of_numpys() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.tensor([0.0, -1.0, 1e30], requires_grad=True)
        (x.log() + x / 0 + x ** 0.5 + x * x * x + torch.tensor([float("inf")]) - x.exp()).sum().backward()
        assert x.grad is not None


def test_threads_have_graphs_of_their_own() -> None:
    found = []

    def work(seed: int) -> None:
        x = torch.tensor([0.5, 1.5], requires_grad=True)
        for turn in range(20):
            y = (x * seed + turn).sin().reshape(2, 1).expand(2, 3)[0:1].sum(0).exp()
            first, = torch.autograd.grad(y.sum(), x, create_graph=True)
            (first ** 2).sum().backward()
        found.append((seed % 2, x.grad.tolist()))

    threads = [threading.Thread(target=work, args=(seed % 2,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(gradient == dict(found)[seed] for seed, gradient in found)


def test_what_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError):
        torch.ones(1).svd_lowrank()


def test_a_product_is_differentiated_twice() -> None:
    x = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
    first, = torch.autograd.grad(x.prod(), x, create_graph=True)
    assert first.tolist() == [12.0, 8.0, 6.0]
    first.sum().backward()
    assert x.grad.tolist() == [7.0, 6.0, 5.0]


def test_a_repeated_place_has_the_gradient_of_what_remained() -> None:
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.zeros(3)
    x[torch.tensor([1, 1])] = v
    assert x.tolist() == [0.0, 2.0, 0.0]
    x.sum().backward()
    assert v.grad.tolist() == [0.0, 1.0]


def test_a_hook_has_a_gradient_of_its_own() -> None:
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    a, b = x * 1, y * 1
    a.register_hook(lambda grad: [grad.mul_(7), None][1])
    (a + b).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [1.0, 1.0]


def test_every_operation_is_a_function_too() -> None:
    x = torch.tensor([0.25, 0.5])
    for name in ("exp", "log", "sin", "sqrt", "sigmoid", "relu", "abs", "tanh"):
        assert torch.equal(getattr(torch, name)(x), getattr(x, name)())
        assert torch.equal(getattr(x.clone(), f"{name}_")(), getattr(x, name)())


@pytest.mark.parametrize("of", [torch.differentiable(lambda x: (x * x).sum()), lambda x: (x * x).sum()])
def test_a_leaf_that_gets_data_of_another_shape_gets_gradients_of_the_shape_that_it_had(of) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        of(x)
    before = of(x)
    x.data = torch.tensor([3.0])
    after = of(x)
    before.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    x.grad = None
    after.backward()
    assert x.grad.tolist() == [6.0]
    node = before.grad_fn
    while node.next_functions:
        assert node.next_functions[0][0] is node.next_functions[0][0]
        node = node.next_functions[0][0]
    assert node.variable is x


def test_a_gradient_tells_how_often_it_was_added_to() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for count in range(3):
        x.sum().backward()
        assert x.grad._version == count
    z = (x * x.grad).sum()
    x.sum().backward()
    with pytest.raises(RuntimeError, match=r"saved at .*changed at .*test_tensors.py:\d+: x.sum\(\).backward\(\)"):
        z.backward()


def test_shorter_calls_say_where_tensors_were_saved_and_changed() -> None:
    f = torch.differentiable(lambda x, y: (x * y).sum())
    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    for _ in range(3):
        z = f(x, y)  # the line that saves
    y += 1  # the line that changes
    with pytest.raises(RuntimeError, match="saved at .*the line that saves.* changed at .*the line that changes"):
        z.backward()
