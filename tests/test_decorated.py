"""Decorated functions that get tensors: side by side with PyTorch's recorded answers to what they compute, what they
refuse, and what their nodes tell."""
from __future__ import annotations

import importlib.util
import json
import re
import types
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_decorated
from refusals_tensors import BODIES, FILLED, HEADER, PARAMETERS, WHOLE
from torch_expressions import expressions
from torch_runs import ANSWERS, answer_to, compared, environment

import s2sgrad
import s2sgrad as torch
from s2sgrad.decorated.eager import Form
from s2sgrad.errors import UnsupportedError

NAMES = ["x", "z", "p", "v", "w", "a", "q", "s", "k", "i", "b", "n", "j", "d", "sd", "e", "e2", "nc", "one", "i8",
         "i16", "i32", "u8", "ni", "si", "sb", "ei"]
TEXTS = [text for _, text in expressions()]
OF_SCIPY = {text for area, text in expressions() if area == "special"}


def loaded(file: Path, text: str) -> types.ModuleType:
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def passes_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each backward pass is done as those are that have been done often."""
    monkeypatch.setattr("s2sgrad.decorated.node.PASSES", 0)


# ---- every expression, in a function of its own

OTHER_NODES = {"F.dropout2d(q[None], training=False)", "torch.linalg.lu(a)"}
"""What is the view of an argument, and what has several nodes of one name."""
REFUSED = """
x.scatter_reduce(0, j, z, 'some')
x.select_scatter(w, 0, 1)
x.clone().scatter_reduce_(0, j, z, 'amax')
x.clone().masked_scatter_(b, z)
x.masked_scatter(b, z[0, :1])
x.diagonal_scatter(v)
x.masked_scatter(i, z)
x.masked_scatter(b, d)
torch.combinations(x)
p.polygamma(2)
torch.polygamma(1, p)
torch.polygamma(-1, p)
p.clone().lgamma_()
x // 0.5
x.float_power(2) if hasattr(x, 'float_power') else x.double() ** 2
torch.equal(x, x)
torch.allclose(x, x + 1e-9)
torch.linalg.inv(x)
torch.gradient(x)
torch.gradient(x, dim=1, spacing=0.5, edge_order=2)
torch.gradient(i)
torch.gradient(x, spacing=[0.5, 2])
torch.gradient(x, dim=5)
torch.gradient(x, dim=-1, spacing=(torch.tensor([0.0, 1.0, 2.5, 3.0]),), edge_order=2)[0]
torch.gradient(q, spacing=(s,), dim=2)[0]
torch.gradient(x.exp(), dim=(1, 0), spacing=(v, w), edge_order=2)[1]
torch.gradient(x, spacing=(w, v))[1]
torch.gradient(x, edge_order=3)
torch.meshgrid(v, w, indexing='ij')[0]
torch.meshgrid(v, w, indexing='xy')[1]
x[:, None].squeeze()
x.squeeze(0)
x[None].squeeze((0, 1))
x.unflatten(1, (2, 2))
x.sum_to_size(1, 4)
x.sum_to_size(3, 1)
q.sum_to_size(4)
torch.squeeze(x)
torch.broadcast_tensors(v, x)[0]
x.stride()
x.T.stride()
x.is_contiguous()
x.T.is_contiguous()
x.type()
x.unbind(1)[2]
x.narrow(1, 1, 2)
x.split([1, 3], 1)[1]
x.chunk(2)[0]
x.chunk(3, 1)[2]
torch.chunk(v, 2)[1]
torch.cat([x, i])
sum(x)
F.gelu(x, approximate='no')
F.mse_loss(x, z, reduction='some')
F.cross_entropy(x, torch.tensor([0, 5, 1]))
F.cross_entropy(x, torch.tensor([0, 1]))
F.nll_loss(x, i[:, 0] * 1.0)
F.binary_cross_entropy(x * 9, p)
F.binary_cross_entropy(x, v)
F.binary_cross_entropy_with_logits(x, v)
F.one_hot(n, 2)
F.one_hot(-n)
F.one_hot(x)
~x
+b
abs(b)
x & 1
x | b
i & 1.5
i.frac()
b.positive()
i.hypot(i)
torch.maximum(x, 1.0)
x.bitwise_not()
i.add(i, alpha=2.5)
x.add('a')
torch.allclose(x, d)
x.isclose(d)
torch.is_nonzero(s)
torch.is_nonzero(x)
x.is_nonzero()
e2.amax(0)
e2.norm(p=inf)
torch.cat([e, x])
e2.chunk(2)
s.sum((0, -1))
s.max(0)
s.max(-1)
b.argmax()
b.argmax(0)
torch.quantile(i, 0.5)
torch.quantile(x, 2.0)
x.kthvalue(9)
i.softmax(0)
x.cummax(2)
torch.unique(i, return_counts=True)
torch.unique(i, return_inverse=True)
torch.unique(i, True, True, True)
torch.unique(k, sorted=False).sort().values
torch.unique_consecutive(n, return_counts=True)
k.unique(return_inverse=True)[1]
torch.searchsorted(v.detach().sort().values, s.detach())
torch.std_mean(x)
torch.linalg.solve(a, v[None])
torch.linalg.solve(a, x)
torch.linalg.svdvals(v)
torch.linalg.vector_norm(i)
x[None].stride()
torch.empty(2, 0, 3).stride()
v.mT
x.flatten(1, 0)
x.unflatten(1, (3, 2))
torch.atleast_2d(s, v)[0]
v.tril()
x.flip(0, 0)
x.roll((1,), (0, 1))
v.unfold(0, 5, 1)
x.unfold(2, 1, 1)
v.unfold(0, 2, 0)
x.tensor_split(2)
torch.tensor_split(x, 3, 1)
torch.tensor_split(v, (1, 3))
x.hsplit(2)
x.vsplit(3)
torch.hsplit(x, 2)
x.chunk(0)
torch.cat([])
torch.cat(x)
torch.cat([x, 1])
torch.meshgrid(x, v, indexing='ij')
x[::0]
x[s]
x[u8[:, 0] % 3]
x.index_select(0, j)
x.index_select(0, torch.tensor([0.0]))
s.index_select(0, torch.tensor([0]))
x.gather(1, j.float())
x.take(torch.tensor([12]))
x.masked_select(i)
x.masked_fill(i, 1)
x.masked_fill(b, v)
torch.where(x, x, z)
torch.where(i, x, z)
torch.where(b, x)
torch.where(True, x, z)
x.scatter(0, j, i)
x.scatter_add(0, j, i)
x.scatter_add(0, j, d)
x.index_add(0, torch.tensor([3]), z[:1])
x.index_add(0, torch.tensor([0, 1]), z)
s.sort()
x.topk(-1)
x.clone().zero_()
x.clone().fill_(2)
x.clone().fill_(s)
x.clone().tril_()
x.clone().triu_(1)
x.clone().atan2_(z)
x.clone().hypot_(z)
x.clone().nan_to_num_()
F.gelu(x, 'tanh')
F.layer_norm(x, (3,))
F.layer_norm(x, 4)
F.layer_norm(x, (4,), w)
F.pad(v, (1, 1), 'reflect')
F.pad(x, (1,))
F.pad(x, (1, 1, 1, 1, 1, 1))
F.pad(s, (1, 1))
F.pad(x, (-3, -3))
torch.nn.functional.pad(x, (1, 1), mode='x')
F.embedding(n, x)
F.mse_loss(i, i)
F.cross_entropy(x, torch.tensor([1, 0, 3]), weight=w.detach())
F.cross_entropy(x, torch.tensor([1.0, 0, 3]))
F.cross_entropy(x, z.softmax(1), ignore_index=1)
F.cross_entropy(x, torch.tensor([1, 0, 3], dtype=torch.int32))
F.nll_loss(x, torch.tensor([1, 0, 3]), weight=w.detach())
F.binary_cross_entropy(x.sigmoid(), i)
F.binary_cross_entropy(x.sigmoid(), b.double())
F.binary_cross_entropy_with_logits(x, b)
F.binary_cross_entropy_with_logits(x, i)
torch.tensor(300, dtype=torch.uint8)
torch.tensor([1, 300], dtype=torch.int8)
torch.tensor(1e10, dtype=torch.int32)
torch.tensor(float('nan'), dtype=torch.int64)
F.conv1d(q, q.mT)
F.conv1d(q, q.double())
F.conv1d(q, q[:, :2])
F.conv1d(q, q, padding='x')
F.conv2d(q[None], a.reshape(4, 4, 1, 1))
F.conv2d(x, a.reshape(4, 4, 1, 1))
F.conv2d(q[None], a.reshape(4, 2, 2, 1), w)
F.conv2d(q[None], q[None], stride=0)
F.conv2d(q[None], q[None], padding=-1)
F.conv2d(i[None, None], a.reshape(4, 1, 2, 2))
F.conv2d(q[None], q[None], groups=2)
F.conv2d(q[:, None], a[None, None])
F.conv3d(q[None, None], q[:, None, :1, :2, :2])
F.conv_transpose2d(q[None], a.reshape(4, 1, 2, 2))
F.conv_transpose2d(q[None], a.reshape(2, 2, 2, 2), output_padding=1)
F.max_pool1d(k, 2, return_indices=True)
F.max_pool1d(x, 9)
F.max_pool2d(k[None], 2, 1, return_indices=True)
F.max_pool2d(q, 5)
F.max_pool2d(q, 2, padding=2)
F.max_pool2d(x, 2)
F.avg_pool2d(q, 7)
F.unfold(q, 5)
F.fold(q[0].T, (2, 3), (2, 2))
F.interpolate(q)
F.batch_norm(x, None, None)
F.batch_norm(x[:1], None, None, training=True)
F.batch_norm(q, v, v)
F.batch_norm(q, None, None, v, training=True)
F.group_norm(q, 2)
F.group_norm(q, 1, v)
F.pixel_shuffle(q, 2)
F.relu_(x * 1)
F.elu_(x * 1)
F.leaky_relu_(x * 1, 0.2)
F.hardtanh_(x * 1)
F.selu_(x * 1)
F.threshold_(x * 1, 0.1, 2.0)
torch.matrix_exp(x)
x.put(torch.tensor([20]), w[:1])
x.put(torch.tensor([0]), v)
x.clone().put_(torch.tensor([2, 3]), v[:2])
torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x.T)
torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x, left=False)
torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x.T, adjoint=True)
torch.linalg.lu(a, pivot=False)
torch.relu_(x * 1)
torch.exp_(x * 1)
torch.sigmoid_(x * 1)
torch.sqrt_(p * 1)
torch.clamp_(x * 1, 0, 1)
torch.neg_(x * 1)
torch.exp_(x)
(x * 1).copysign_(z)
(w * 1).addmv_(x, v)
(x * 1).addr_(w, v)
(x[:, :3] * 1).addmm_(x, z.T)
(x * 1).xlogy_(p)
(x / 9).abs().logit_(0.1)
torch.bernoulli(x)
torch.bernoulli(b.float())
(x * 1).bernoulli_(0.0)
torch.bernoulli(x.sigmoid() * 0)
torch.multinomial(b.float(), 5)
torch.multinomial(-p, 1)
torch.multinomial(p * 0, 1)
torch.multinomial(torch.tensor([0.0, 1.0]), 1)
torch.multinomial(torch.tensor([0.0, 1.0]), 3, replacement=True)
torch.poisson(x)
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    text = "".join(f"@s2sgrad.differentiable\ndef f{number}({', '.join(NAMES)}):\n    return {text}\n\n\n"
                   for number, text in enumerate(TEXTS))
    return loaded(tmp_path_factory.mktemp("decorated") / "decorated_expressions.py",
                  "import numpy as np\nimport s2sgrad\nimport s2sgrad as torch\nimport s2sgrad.nn.functional as F\n"
                  "inf, nan = float('inf'), float('nan')\n\n\n" + text)


@cache
def recorded() -> dict:
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(len(TEXTS)), ids=TEXTS)
def test_expressions(number: int, functions: types.ModuleType) -> None:
    text, function = TEXTS[number], getattr(functions, f"f{number}")
    if text in OF_SCIPY:
        pytest.importorskip("scipy")
    names = environment(s2sgrad)
    found = answer_to(s2sgrad, lambda: function(*(names[name] for name in NAMES)), names)
    if text in REFUSED.split("\n"):
        assert found["error"][0] in {"UnsupportedError", recorded()[text].get("error", [""])[0]}
        return
    lines = compared(text, without_zeros(recorded()[text]), without_zeros(found))
    if text == "torch.linalg.slogdet(a)":  # PyTorch gives the sign a gradient, too
        lines = [line for line in lines if not line.startswith(".value[0]")]
    if text in OTHER_NODES:
        lines = [line for line in lines if "grad_fn" not in line]
    assert not lines


def without_zeros(answer: dict[str, Any]) -> dict[str, Any]:
    """Where a second derivative is zero everywhere, it is nothing to some and zeros to others."""
    second = {name: item for name, item in answer.get("second", {}).items()
              if any(isinstance(value, str) or abs(value) > 2e-5 for value in item["values"])}
    return {key: item for key, item in {**answer, "second": second or None}.items() if item is not None}


# ---- numbers that decide what an operation does

DECIDING = """
x.norm(p); F.smooth_l1_loss(x, z, beta=p); F.pairwise_distance(x, z, p); torch.cdist(x, z, p); torch.dist(x, z, p)
torch.linalg.vector_norm(x, p); torch.quantile(x, p / 2); F.pad(x, (1, 1), 'constant', p); torch.add(x, z, alpha=p)
torch.sub(x, z, alpha=p); torch.addmm(x, x[:, :3], x, beta=p); F.dropout(x, p)
F.interpolate(x[None], scale_factor=p + 1); F.dropout2d(x[None], p)
F.scaled_dot_product_attention(x, z, x, None, p); F.scaled_dot_product_attention(x, z, x, scale=p)
torch.copysign(x, p); torch.renorm(x, p, 0, 1.0); F.cross_entropy(x, n, label_smoothing=p / 2); x.clamp(-p, p)
F.softplus(x, 1.0, p); F.group_norm(x, 2, eps=p); torch.lerp(x, z, p); x.pow(p); x.logit(p); F.elu(x, p)
"""


@pytest.mark.parametrize("text", DECIDING.replace("\n", ";").strip(";").split(";"))
def test_numbers_that_decide(text: str, tmp_path: Path) -> None:
    """Whatever the first call was given, others get what they would without the decorator."""
    module = loaded(tmp_path / "deciding.py", "import s2sgrad as torch\nimport s2sgrad.nn.functional as F\n\n\n"
                    f"def f(x, z, n, p):\n    return {text.strip()}\n")

    def outcome(function: Any, number: float) -> Any:
        torch.manual_seed(1)
        x, z = (values.detach().double().requires_grad_() for values in map(environment(s2sgrad).get, ("x", "z")))
        try:
            value = function(x, z, torch.tensor([0, 1, 2]), number)
            found = torch.autograd.grad((value * value).sum(), [x, z], allow_unused=True)
        except UnsupportedError:
            return None
        except (RuntimeError, ValueError) as error:
            return type(error)
        return [0.0 if item is None else item.numpy() for item in (value.detach(), *found)]

    for numbers in ((1.0, 0.5, 2.0), (2.0, 1.0, 0.5), (0.0, 0.5, 1.0)):
        function = s2sgrad.differentiable(module.f)
        for number in numbers:
            found, expected = outcome(function, number), outcome(module.f, number)
            if isinstance(found, list):
                assert isinstance(expected, list)
                for one, other in zip(found, expected):
                    np.testing.assert_allclose(np.nan_to_num(one), np.nan_to_num(other), rtol=1e-10, atol=1e-12)
            else:
                assert found in (None, expected)


# ---- random functions

@pytest.mark.parametrize("seed", range(60))
def test_random_functions(seed: int, tmp_path: Path) -> None:
    module = loaded(tmp_path / f"random_{seed}.py", random_decorated.HEADER + random_decorated.Writer(seed).write())
    function = s2sgrad.differentiable(module.f)
    for rest in ((2, True), (3, False), (0, True)):
        expected = random_decorated.outcome(module.f, module, rest)
        try:
            found = random_decorated.outcome(function, module, rest)
        except UnsupportedError:
            continue
        if type(expected[0]) is str:  # it raises
            continue
        refused = "refused" in found
        if refused:
            found = found[:found.index("refused")]
        count = min(len(found), len(expected))
        assert random_decorated.agree(expected[:count], found[:count])
        assert not any(any(item or ()) for item in (*expected[count:], *found[count:])) or refused


# ---- what is refused

def arguments() -> dict[str, Any]:
    x = (torch.arange(12.0).reshape(3, 4) / 10).requires_grad_()
    return {"x": x, "s": torch.tensor(0.5, requires_grad=True), "i": torch.tensor([0, 2, 1]),
            "b": torch.tensor([True, False, True]), "xs": [x, x], "n": 2}


@pytest.mark.parametrize("reason", BODIES)
def test_refused(reason: str, tmp_path: Path) -> None:
    body = "".join(f"    {line}\n" for line in BODIES[reason].split("\n"))
    module = loaded(tmp_path / "program.py", f"{HEADER}@s2sgrad.differentiable\ndef f({PARAMETERS}):\n{body}")
    for _ in range(2):
        with pytest.raises(UnsupportedError) as caught:
            module.f(**arguments(), o=module.Holder())
        assert caught.value.reason == reason
        assert caught.value.remedy
        text = str(caught.value)
        assert text.startswith(str(tmp_path / "program.py")) and "^" in text, text


@pytest.mark.parametrize("body", FILLED)
def test_containers_filled_by_other_ways(body: str, tmp_path: Path) -> None:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    module = loaded(tmp_path / "program.py", f"{HEADER}@s2sgrad.differentiable\ndef f({PARAMETERS}):\n{lines}")
    given = {**arguments(), "o": module.Holder()}
    try:
        found = module.f(**given)
    except UnsupportedError:
        return
    assert torch.equal(found, module.f.__wrapped__(**given))


@pytest.mark.parametrize("reason", WHOLE)
def test_refused_as_a_whole(reason: str, tmp_path: Path) -> None:
    module = loaded(tmp_path / "program.py", HEADER + WHOLE[reason])
    with pytest.raises(UnsupportedError, match=re.escape(reason)):
        module.f(torch.ones(2, requires_grad=True))


# ---- what the node tells

@s2sgrad.differentiable
def chosen(x, w):
    if x.sum() > 0:
        return torch.tanh(x * w)
    return x - w


def test_the_node() -> None:
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    y, z = chosen(x, w), chosen(-x, w)
    assert y.grad_fn.name() == "chosenBackward" and type(y.grad_fn).__module__ == "builtins"
    assert y.grad_fn is y.grad_fn
    assert [node.variable for node, _ in y.grad_fn.next_functions] == [x, w]
    assert z.grad_fn.next_functions[0][0].name() == "NegBackward0"
    assert re.search(r"# \d+: return torch.tanh\(x \* w\)", y.grad_fn.source) and "tanh_1 ** 2" in y.grad_fn.source
    assert "tanh" not in z.grad_fn.source
    assert y.grad_fn.path.conditions[0][1:] == ("if x.sum() > 0:", "true")
    assert z.grad_fn.path.conditions[0][2] == "false"
    assert str(y.grad_fn.path).startswith("path 0: 0 calls (0 from the cache)")  # its adjoint has not run yet


def test_one_node_and_sizes_that_do_not_recompile(monkeypatch: pytest.MonkeyPatch) -> None:
    from s2sgrad.derivative import derivative

    chosen(torch.ones(2, requires_grad=True), torch.ones(2)).sum().backward()
    compiled = []
    compile_text = derivative.compile_text
    monkeypatch.setattr(derivative, "compile_text", lambda *args: compiled.append(args[1]) or compile_text(*args))
    for size in (3, 7, 100):
        chosen(torch.ones(size, requires_grad=True), torch.ones(size)).sum().backward()
    assert not compiled


def test_the_plain_function_runs_where_nothing_is_differentiated() -> None:
    calls = []

    @s2sgrad.differentiable
    def f(x):
        calls.append(type(x).__name__)  # a side effect that the compiler would refuse
        return x * 2

    assert f(3.0) == 6.0
    f(torch.ones(2))
    with torch.no_grad():
        f(torch.ones(2, requires_grad=True))
    assert calls == ["float", "Tensor", "Tensor"]


def test_sizes_that_broadcast_later() -> None:
    import s2sgrad.nn.functional as F

    @s2sgrad.differentiable
    def f(x, y):
        z = y.sum(1, keepdim=True) * torch.ones(1, x.shape[1]) if x.shape == y.shape else y
        return F.mse_loss(x, z) + F.mse_loss(z, x, reduction="sum")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for shape in ((3, 4), (3, 1), (1, 4)):
            x = torch.linspace(0, 1, 12).reshape(3, 4).requires_grad_()
            y = torch.linspace(2, 1, shape[0] * shape[1]).reshape(shape).requires_grad_()
            found = torch.autograd.grad(f(x, y), (x, y))
            for one, other in zip(found, torch.autograd.grad(f.__wrapped__(x, y), (x, y))):
                assert one.shape == other.shape and torch.allclose(one, other, rtol=1e-4)


def test_results_of_several_shapes() -> None:
    @s2sgrad.differentiable
    def f(x):
        y = x
        for _ in range(2):
            y = x.sum() if x[0] > 1 else x * 2
        if x[0] > 0:
            return y, x[None]
        return x.sum(), x

    for start, shapes in ((2.0, [(), (1, 2)]), (0.5, [(2,), (1, 2)]), (-1.0, [(), (2,)])):
        x = torch.tensor([start, 1.0], requires_grad=True)
        found = f(x)
        assert [tuple(item.shape) for item in found] == shapes and all(item.requires_grad for item in found)
        expected, = torch.autograd.grad(sum(item.sum() for item in f.__wrapped__(x)), x)
        sum(item.sum() for item in found).backward()
        assert torch.equal(x.grad, expected)


def test_the_graph_may_be_freed_and_kept() -> None:
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = chosen(x, w).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_errors_name_both_lines() -> None:
    x, w = torch.ones(2, requires_grad=True) * 1, torch.ones(2, requires_grad=True)
    y = chosen(x, w)
    x.mul_(2)
    with pytest.raises(RuntimeError, match=r"saved at .*y = chosen\(x, w\) and changed at .*x\.mul_\(2\)"):
        y.sum().backward()


def test_numpy_functions() -> None:
    import numpy as np

    @s2sgrad.differentiable
    def dense(x, w):
        return np.tanh(x @ w).sum()

    x, w = torch.ones(2, 3).requires_grad_(), torch.full((3, 1), 0.1).requires_grad_()
    y = dense(x, w)
    assert isinstance(y, torch.Tensor) and y.dtype is torch.float32
    y.backward()
    expected, = torch.autograd.grad(torch.tanh(x @ w).sum(), w)
    assert torch.allclose(w.grad, expected)


def test_its_gradient_functions_remain() -> None:
    import numpy as np

    @s2sgrad.differentiable
    def f(x):
        return (x * x).sum()

    np.testing.assert_array_equal(s2sgrad.grad(f)(np.ones(2)), [2, 2])
    assert f.paths() and "def f_adjoint" in f.source(np.ones(2))
    assert s2sgrad.grad(lambda x: f(x) * 2)(np.ones(1)) == 4


def test_threads() -> None:
    import threading

    found: list[Any] = []

    def work(number: int) -> None:
        x = torch.full((number + 1,), 0.5, requires_grad=True)
        for _ in range(50):
            chosen(x, torch.ones(number + 1)).sum().backward()
        found.append((number, x.grad[0].item()))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({round(value, 4) for _, value in found}) == 1 and len(found) == 4


def test_warnings_of_numpy_stay_silent() -> None:
    @s2sgrad.differentiable
    def f(x):
        return torch.log(x).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(torch.zeros(2, requires_grad=True)).backward()


def test_tensors_that_share_an_array_are_told_apart() -> None:
    @torch.differentiable
    def both(first: torch.Tensor, second: torch.Tensor) -> tuple:
        return first * 2, second

    x = torch.ones(3, requires_grad=True)
    doubled, same = both(x.detach(), x)
    assert same is x and not doubled.requires_grad
    doubled, same = both(x, x.detach())
    assert doubled.requires_grad and not same.requires_grad


class Cell:
    def __init__(self) -> None:
        self.gain = torch.ones(3, requires_grad=True)
        self.turns = 2

    @s2sgrad.differentiable
    def run(self, x: Any, power: float = 2.0, *, shift: Any = None) -> Any:
        for _ in range(self.turns):
            x = x * self.gain + abs(x) ** power
        return x.sum()


def test_later_calls_find_their_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    cell, offset = Cell(), torch.ones(3, requires_grad=True)

    @s2sgrad.differentiable
    def around(x: Any, n: int = 2) -> Any:
        return (x * offset).sum() * len([n])

    x = torch.tensor([1.0, 2.0, 3.0])
    calls = [lambda: cell.run(x), lambda: cell.run(x, 3.0, shift=None), lambda: around(x), lambda: around(n=2, x=x)]
    first = [call().item() for call in calls]
    monkeypatch.setattr("s2sgrad.decorated.plans.Plan.__init__", None)
    monkeypatch.setattr("s2sgrad.decorated.calls.Decorated.key", None)  # what a call without a plan asks for
    assert [call().item() for call in calls] == first
    offset.requires_grad_(False)
    assert not around(x).requires_grad  # the plain function
    with pytest.raises(TypeError, match=r"around\(\) missing 1 required positional argument"):
        around()


STATEFUL = """
import types

settings = types.ModuleType("settings")
settings.steep, settings.rate, settings.act = False, 2.0, None


class Model:
    gain, wide = 2.0, False

    def __init__(self):
        self.n, self.on, self.held, self.names = 1, False, {}, {"a"}

    def __len__(self):
        return self.n

    def __bool__(self):
        return self.on

    def __contains__(self, key):
        return key in self.held

    def __eq__(self, other):
        return self.n == other

    def __lt__(self, other):
        return self.n < other

    def __str__(self):
        return f"model {self.n}"

    __hash__ = None


class Other(Model):
    pass


model = Model()
"""
STATES = {
    "2.0 if hasattr(model, 'bias') else 1.0": "model.bias = 3.0",
    "getattr(model, 'bias', 1.0)": "model.bias = 3.0",
    "len(model)": "model.n = 2",
    "2.0 if model else 1.0": "model.on = True",
    "2.0 if not model else 1.0": "model.on = True",
    "2.0 if bool(model) else 1.0": "model.on = True",
    "2.0 if 'key' in model else 1.0": "model.held['key'] = 1",
    "2.0 if 'b' in model.names else 1.0": "model.names.add('b')",
    "2.0 if len(model.names) > 1 else 1.0": "model.names.add('b')",
    "2.0 if model == 2 else 1.0": "model.n = 2",
    "2.0 if model != 2 else 1.0": "model.n = 2",
    "2.0 if model < 2 else 1.0": "model.n = 2",
    "2.0 if str(model) == 'model 2' else 1.0": "model.n = 2",
    "2.0 if isinstance(model, Other) else 1.0": "model.__class__ = Other",
    "2.0 if type(model) is Other else 1.0": "model.__class__ = Other",
    "type(model).gain": "Model.gain = 3.0",
    "2.0 if type(model).wide else 1.0": "Model.wide = True",
    "2.0 if settings.steep else 1.0": "settings.steep = True",
    "settings.rate": "settings.rate = 3.0",
    "2.0 if settings.act is not None else 1.0": "settings.act = len",
}


@pytest.mark.parametrize("given", [False, True], ids=["outside", "given"])
@pytest.mark.parametrize("factor", STATES)
def test_what_objects_say_between_calls(factor: str, given: bool, tmp_path: Path) -> None:
    """The class, the attributes and the special methods of objects, and what modules of the user's hold."""
    file = tmp_path / "stateful.py"
    module = loaded(file, f"{STATEFUL}\n\ndef f(x{', model' if given else ''}):\n    return (x * ({factor})).sum()\n")
    decorated, x = s2sgrad.differentiable(module.f), torch.tensor([1.0, 2.0], requires_grad=True)
    more = (module.model,) if given else ()

    def gradient() -> list:
        return torch.autograd.grad(decorated(x, *more), x)[0].tolist()

    for change in ("", STATES[factor], "model.bias = 4.0; del model.bias"):
        exec(change, module.__dict__)
        expected = [float(module.f(np.ones(1), *more))] * 2
        assert gradient() == gradient() == expected, change


class Layer:
    def __init__(self, *weights: float):
        self.w = torch.tensor(weights, requires_grad=True)

    def __call__(self, x: Any) -> Any:
        return x * self.w


class Stack:
    def __init__(self) -> None:
        self.layers, self.heads, self.head = [Layer(1.0, 2.0), Layer(0.5, 3.0)], {"one": Layer(2.0, 2.0)}, "one"
        self.scales = 2.0, torch.tensor([0.5, 1.5])

    def run(self, x: Any) -> Any:
        for number, layer in enumerate(self.layers):
            x = layer(x) if number else layer(x) + 1.0
        for name, head in self.heads.items():
            x = x + len(name) * head(x)
        for layer, scale in zip(reversed(self.layers), self.scales):
            x = layer(x) * scale
        return x * self.heads[self.head].w + self.layers[-1](x)


def test_objects_with_tensors_in_containers() -> None:
    stack, x = Stack(), torch.tensor([1.0, 2.0], requires_grad=True)
    decorated, given = s2sgrad.differentiable(stack.run), s2sgrad.differentiable(Stack.run)

    def add() -> None:
        stack.layers.append(Layer(1.5, 0.5))

    def exchange() -> None:
        stack.heads["three"] = Layer(0.1, 0.2)
        stack.head = "three"

    for change in (lambda: None, add, exchange, stack.layers.reverse, lambda: stack.layers[0].w.data.mul_(2.0)):
        change()
        tensors = [x, *(layer.w for layer in (*stack.layers, *stack.heads.values()))]
        expected = torch.autograd.grad(stack.run(x).sum(), tensors)
        for result in (decorated(x), decorated(x), given(stack, x)):
            for found, right in zip(torch.autograd.grad(result.sum(), tensors), expected):
                np.testing.assert_allclose(found.numpy(), right.numpy(), rtol=1e-6)


def test_defaults_that_are_written_into() -> None:
    def helper(x: Any, w: Any = torch.ones(2), *, held: dict = {"k": 1.0}) -> Any:  # noqa: B006, B008
        return x * w * held["k"]

    @s2sgrad.differentiable
    def f(x: Any) -> Any:
        return helper(x).sum() + helper(x, held={"k": 3.0}).sum()

    x = torch.ones(2, requires_grad=True)
    assert torch.autograd.grad(f(x), x)[0].tolist() == [4.0, 4.0]
    helper.__kwdefaults__["held"]["k"] = 2.0
    assert torch.autograd.grad(f(x), x)[0].tolist() == [5.0, 5.0]
    helper.__defaults__[0].mul_(2.0)
    assert torch.autograd.grad(f(x), x)[0].tolist() == [10.0, 10.0]


def test_a_function_with_new_code_is_compiled_anew() -> None:
    def f(x: Any) -> Any:
        return x * 2

    def g(x: Any) -> Any:
        return x * 3

    decorated, x = s2sgrad.differentiable(f), torch.ones(2, requires_grad=True)
    assert decorated(x).tolist() == [2.0, 2.0]
    f.__code__ = g.__code__
    assert decorated(x).tolist() == [3.0, 3.0]


def test_functions_called_with_new_code_or_defaults_are_compiled_anew() -> None:
    def helper(x: Any, rate: float = 2.0) -> Any:
        return x * rate

    def other(x: Any, rate: float = 2.0) -> Any:
        return x * rate + x

    @s2sgrad.differentiable
    def f(x: Any) -> Any:
        return helper(x).sum()

    x = torch.ones(2, requires_grad=True)

    def gradient() -> list:
        return torch.autograd.grad(f(x), x)[0].tolist()

    assert gradient() == gradient() == [2.0, 2.0]
    helper.__defaults__ = (4.0,)
    assert gradient() == gradient() == [4.0, 4.0]
    helper.__code__ = other.__code__
    assert gradient() == gradient() == [5.0, 5.0]


def test_a_function_with_new_defaults_is_refused() -> None:
    def f(x: Any, rate: float = 2.0, *, scale: float = 1.0) -> Any:
        return x * rate * scale

    decorated, x = s2sgrad.differentiable(f), torch.ones(2, requires_grad=True)
    assert decorated(x).tolist() == [2.0, 2.0]
    f.__defaults__ = (float("2"),)
    assert decorated(x).tolist() == [2.0, 2.0]
    for label, value in (("__defaults__", (3.0,)), ("__kwdefaults__", {"scale": 3.0})):
        before = getattr(f, label)
        setattr(f, label, value)
        for _ in range(2):
            with pytest.raises(UnsupportedError, match="f has got other defaults since it was decorated"):
                decorated(x)
            with torch.no_grad(), pytest.raises(UnsupportedError, match="decorate it again"):
                decorated(x)
        assert s2sgrad.differentiable(f)(x).tolist() == [value[0] if label == "__defaults__" else 6.0] * 2
        setattr(f, label, before)
        assert decorated(x).tolist() == [2.0, 2.0]


def test_numbers_of_numpy_keep_their_classes() -> None:
    @s2sgrad.differentiable
    def f(x: Any, rate: Any) -> Any:
        return (x * rate if isinstance(rate, float) and type(rate) is float else x * 10).sum()

    x = torch.ones(2, requires_grad=True)
    for rate, expected in ((np.float32(3.0), 10.0), (2.0, 2.0), (np.float64(4.0), 10.0), (0.5, 0.5)):
        assert torch.autograd.grad(f(x, rate), x)[0].tolist() == [expected] * 2


@pytest.mark.parametrize("size", [3, 2 ** 14])
def test_what_is_retained_gives_the_same_again(size: int) -> None:
    """An adjoint for the cotangent 1 leaves what is saved alone, though a gradient's may write over large arrays."""
    @s2sgrad.differentiable
    def f(x: Any, w: Any) -> Any:
        return ((x * w).tanh() ** 2).sum()

    x, w = (torch.linspace(low, 1, size, requires_grad=True) for low in (-1, 0))
    y = f(x, w)
    found = []
    for _ in range(3):
        x.grad = w.grad = None
        y.backward(retain_graph=True)
        found.append([x.grad.tolist(), w.grad.tolist()])
    assert found[0] == found[1] == found[2]
    y = f(x, w)
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_passes_that_are_done_often_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2sgrad.decorated.node.PASSES", 2)

    @s2sgrad.differentiable
    def f(x: Any, w: Any) -> Any:
        return ((x @ w).tanh() * x[0]).mean()

    w = torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()
    x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    found = []
    for number in range(6):
        x.grad = w.grad = None
        y = f(x, w)
        if number == 4:
            y.backward(torch.tensor(2.0))
            x.grad, w.grad = x.grad / 2, w.grad / 2
        else:
            y.backward()
        found.append([x.grad, w.grad])
    for pair in found[1:]:
        for one, other in zip(found[0], pair):
            assert torch.allclose(one, other, rtol=1e-6) and one.dtype == other.dtype


def test_gradients_handed_out_are_nobody_elses() -> None:
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).sum()
    first, second = torch.autograd.grad(y, (x, x), retain_graph=True)
    first += 1
    assert second.tolist() == [2.0, 2.0, 2.0]
    again, = torch.autograd.grad(y, x, retain_graph=True)
    assert again.tolist() == [2.0, 2.0, 2.0]
    seed = torch.ones(3)
    for kept in (x * 1, x + 0):
        given, = torch.autograd.grad(kept, x, seed)
        given += 1
        assert seed.tolist() == [1.0, 1.0, 1.0]
    z = x.exp()
    bar, = torch.autograd.grad(z, z, seed)
    bar += 1
    assert seed.tolist() == [1.0, 1.0, 1.0]


def test_an_operation_that_gives_another_kind_of_array_than_before_is_refused() -> None:
    form = Form(np.dtype("float64"), 1)
    assert form.checked("topk", [1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(UnsupportedError, match="topk gave 2 dimensions of float64 here, and 1 of float64 when"):
        form.checked("topk", np.ones((2, 2)))
    with pytest.raises(UnsupportedError, match="topk gave 1 dimensions of int64 here"):
        form.checked("topk", np.arange(2))
