"""What decorated functions refuse that get tensors: for each reason the body of a function.

``x`` (3, 4) and ``s`` (no axes) require a gradient, ``i`` (3) holds integers, ``b`` (3) flags; ``xs`` is a list of
``x`` twice, ``n`` is 2, ``o`` an object whose ``area`` is a property, ``t`` the module's own tensor.
"""
from __future__ import annotations

HEADER = """import contextlib

import numpy as np

import s2sgrad
import s2sgrad as torch

t = torch.ones(3)


class Holder:
    @property
    def area(self):
        return 1.0


def recursive(x, n):
    return x if n == 0 else recursive(x * 2, n - 1)


def starred(*xs):
    return xs[0]


def counted(x, *ys):
    return x * len(ys)


def multiplied(x, ys):
    for y in ys:
        x = x * y
    return x


def taken(x, d):
    return x * d.get("a", 2) + (1 if "b" in d else 3)


def words(x, **d):
    return x * len(d) + (x * d.get("a", 7) if "a" in d else 3)


def one(x):
    return x


"""
PARAMETERS = "x, s, i, b, xs, n, o"
BODIES = {
    "the text of a tensor is not that of its array": 'return x * len(f"{x}")',
    "PyTorch takes this list of indices for a tuple": "y = x * 2\ny[[[0, 1], [1, 0]]] = 1.0\nreturn y",
    "the tensors are not given by their places here": "return torch.cat(tensors=[x, x])",
    "strange= is not supported here": "return torch.cat([x, x], strange=1)",
    "PyTorch takes these bytes for flags": "return x[torch.tensor([1, 0, 1], dtype=torch.uint8)]",
    "this writes into x, which comes from outside": "y = x[0]\ny += 1\nreturn y",
    "the value of this argument must be known before the call": "return x.sum(len(x) - 2)",
    "the attribute .strange of a tensor is not supported here": "return x.strange",
    "what this does with a container of tensors is not supported here": "return xs - [1]",
    ".copy() of a container of tensors is not supported here": "return xs.copy()",
    "this call gives no dim": "return x.index_select()",
    "what this is depends on the way that the call took": "if s > 0:\n    y = x\nelse:\n    y = s\nreturn y * 2",
    ".first of a container of tensors is not supported here": "return xs.first",
    ".grad belongs to the graph, and this function is one node of it": "return x.grad",
    ".backward belongs to the graph, and this function is one node of it": "x.sum().backward()\nreturn x",
    "a search for tensors is not supported here": "return x * 2 if s in xs else x",
    "x // y has no derivative": "return x // 2",
    "this may be a number or a tensor, which this tells apart":
        "y = 1\nfor row in x:\n    y = row.sum()\nreturn y.exp()",
    "what this does with a list of tensors of any length is not supported here":
        "ys = []\nfor row in x:\n    ys.append(row)\nreturn torch.hstack(ys)",
    "print gets a tensor here, and nothing is known of what it does with it": "print(x)\nreturn x * 2",
    "these tensors are not known to be of one dtype and number of dimensions": "return torch.cat([x, i])",
    "what .narrow() does depends on sizes": "return x.narrow(0, 0, 2)",
    "what broadcast_tensors does depends on sizes": "return torch.broadcast_tensors(x, s)[1]",
    "tensors have no method strange": "return x.strange()",
    ".add_() writes into a tensor, which is not supported here": "y = x * 2\ny.add_(1)\nreturn y",
    "relu writes into a tensor, which is not supported here":
        "y = x * 2\nz = torch.nn.functional.relu(y, inplace=True)\nreturn y + z",
    "leaky_relu writes into a tensor, which is not supported here":
        "return torch.nn.functional.leaky_relu(x * 2, 0.1, True)",
    "grad is not supported in a decorated function": "return torch.autograd.grad(x.sum(), x)[0]",
    "a leaf made in a decorated function could never be asked for its gradient":
        "return x * torch.ones(4, requires_grad=True)",
    "what this makes is not known before the call": "return x * torch.full((4,), eval('2.0'))",
    "what this does with tensors is not known": "return np.array_split(x, 2)[0]",
    "a tensor chooses an item here": "return x * range(1, 4)[i[0]]",
    "there is no such part": "return xs[5]",
    "with these arguments this raises RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)":
        "return x @ x",
    "area is computed where it is read": "return x * o.area",
    "a chain of comparisons of tensors is not supported here": "return x if 0 < s < 1 else x * 2",
    "whether two tensors are the same object is not known here": "return x if x is s else x * 2",
    "what this gives depends on the sizes or the values of its tensors":
        "return torch.nn.functional.max_pool1d(x, 2, return_indices=True)[0]",
    "this draws random numbers, which its derivative would not know": "return torch.nn.functional.dropout(x)",
    "batch_norm writes into a tensor, which is not supported here":
        "return torch.nn.functional.batch_norm(x, x[0].detach(), x[1].detach(), training=True)",
    "instance_norm writes into a tensor, which is not supported here":
        "return torch.nn.functional.instance_norm(x[None], x[:, 0].detach(), x[:, 1].detach())",
    "an operation with several results is not supported under no_grad here":
        "y = x[:, :3] * 1\nwith torch.no_grad():\n    u, v = torch.linalg.eigh(y)\nreturn y",
    "the function called here is not known before the call": "return eval('one')(x)",
    "a tensor bounds a slice here": "return x[:i[1]]",
    "a tensor has no slices with negative steps": "return x[::-1]",
    "what this index is, is not known before the call": "return x[eval('0')]",
    "which part this is, is not known before the call": "return xs[:len(x) - 2][0]",
    "a tensor without dimensions can't be run through": "return [y for y in s]",
    "this target is not supported in a decorated function": "o.y = x * 2\nreturn o.y",
    "x is a tensor, and this is not supported of tensors": "f = lambda y: x * y\nreturn f(2)",
    "t is from outside, and this is not supported of it": "f = lambda y: t * y\nreturn x * 2",
    "this reads its tensor twice, and that is an expression here": "return (x * 2).max(0)[0]",
    "what shape this gives is not known before the call": "return x.reshape(eval('12'))",
    "whether this leaves a dimension out depends on its size": "return x.squeeze()",
    "a mask with other dimensions than its tensor is not supported here": "return x.masked_select(b[:, None][:, 0])",
    "rows along this dimension are not supported here": "return x.unbind(1)[0]",
    "pieces of several sizes are not supported here": "return x.split([1, 2])[0]",
    "a tensor without dimensions has none to sort along": "return s.sort()[0]",
    "a tensor without dimensions has no length": "return x * len(s)",
    "a tensor without dimensions has none to choose along": "return s.max(0)[0]",
    "these tensors are not of one dtype": "return torch.tensordot(x, x.double(), 2)",
    "this annotation is not supported here": "y: float\nreturn x * 2",
    "this writes into what comes from outside, or into a container": "xs[0] = x * 2\nreturn x",
    "what is stored here is not known to have the tensor's dtype": "y = x * 2\ny[0] = x[0].double()\nreturn y",
    "this writes into what comes from outside": "x += 1\nreturn x",
    "this writes into y, which may be known under another name": "y = s * 2\nz = y\ny += 1\nreturn z",
    "the else of a loop is not supported here": "for y in x:\n    pass\nelse:\n    return x\nreturn x * 2",
    "a cause is not supported here": "if s > 100:\n    raise ValueError('large') from None\nreturn x * 2",
    "a call under no_grad of a function that gets tensors is not supported here":
        "with torch.no_grad():\n    y = one(x)\nreturn y * 2",
    "a function that calls itself is not supported with tensors": "return recursive(x, n)",
    "this statement is not supported in a decorated function that gets tensors":
        "try:\n    y = x * 2\nfinally:\n    pass\nreturn y",
    "what is written here has another dtype or shape than the tensor": "y = x * 2\ny += x.double()\nreturn y",
    "this call does not fit the function's parameters: too many positional arguments": "return one(x, x)",
    "how many items a star gives here is not known before the call": "y = x * 2\nreturn starred(*y)",
    "this context manager is not supported in a decorated function that gets tensors":
        "with contextlib.suppress(ValueError):\n    y = x * 2\nreturn y",
}
BODIES["whether a tensor is returned here depends on the way that the call took"] = (
    "if s > 0:\n    return x * 2\nreturn [x]")
FILLED = (
    "d = {'b': 2.0}\nd['a'] = 3.0\nreturn x * d.get('a', 5.0)",
    "d = {'b': 2.0}\nd['a'] = 3.0\nreturn x * (2 if 'a' in d else 5)",
    "d = {'b': 2.0}\nd.update(a=3.0)\nreturn words(x, **d)",
    "ys = []\nys.extend([2.0, 3.0])\nfor v in ys:\n    x = x * v\nreturn x",
    "ys = []\nys[0:0] = [2.0, 3.0]\nfor v in ys:\n    x = x * v\nreturn x",
    "ys = []\nzs = ys\nzs.append(2.0)\nfor v in ys:\n    x = x * v\nreturn x",
    "ys = []\nys.extend([2.0, 3.0])\nreturn x * sum([v * s for v in ys])",
    "ys = [2.0]\nys.extend([3.0])\nreturn counted(x, *ys)",
    "ys = [x]\nzs = ys\nzs.append(x)\nreturn counted(x, *ys)",
    "ys = []\nys.insert(0, 2.0)\nreturn multiplied(x, ys)",
    "first, *ys = [1.0, 2.0]\nys.extend([5.0])\nreturn x * sum(ys) * len(ys)",
    "first, *ys = [x, x]\nys.append(x)\nreturn sum(ys) * len(ys)",
    "return taken(x, {'a': x}) + 10 * taken(x, {'b': x}) + 100 * taken(x, {'a': s})",
    "return words(x, a=x) + 10 * words(x, b=x) + 100 * words(x)",
)
"""Containers that are filled on ways that the translation may not follow: refused, or rightly computed."""
WHOLE = {
    "async code has no derivative": "async def g(x):\n    return x\n\n\n@s2sgrad.differentiable\ndef f(x, *, k=1):\n"
                                    "    return g(x)\n",
}
"""Refused as a whole."""
