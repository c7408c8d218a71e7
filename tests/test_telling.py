"""Numbers that come back out of texts, hashes and files that differentiated values were written to: refused, for their
derivative would be lost; texts that are printed, kept, cut to a few digits or counted in are no such thing."""
from __future__ import annotations

import numpy as np
import pytest
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import compare

HEADER = """import ast, decimal, functools, io, json, re
import numpy as np
import s2sgrad

LAST, NOTES, FILE = ["0.0"], {}, io.StringIO()

class Note:
    def __init__(self, v):
        self.text = str(v)
        self.file = io.StringIO()

    def put(self, v):
        self.file.write(repr(v))

    def get(self):
        return float(self.file.getvalue())

class Named:
    def __init__(self, v):
        self.v = v

    def __format__(self, spec):
        return format(self.v, spec)

def parsed(text):
    return float(text)

def written(v):
    return f"{v:.17g}"

def note(v):
    FILE.seek(0)
    print(v, file=FILE)

def noted():
    return float(FILE.getvalue())

def last(v):
    last.value = float(v)
    return v

def texts(x):
    yield str(x[0])
    yield str(x[1])

"""
REFUSED = {
    "str": "return float(str(x[0])) * x[1]",
    "repr": "t = repr(x[0])\n    return float(t) * x[1]",
    "formatted": 'return float(f"{x[0]}") * x[1]',
    "formatted with all digits": 'return float(f"{x[0]:.17g}") * x[1]',
    "format": 'return float("{}".format(x[0])) * x[1]',
    "percent": 'return float("%r" % x[0]) * x[1]',
    "percent of a tuple": 'return float("%.17g" % (x[0],)) * x[1]',
    "in a list": 't = [str(x[0]), "1"]\n    return float(t[0]) * x[1]',
    "in a dict": 't = {"a": str(x[0])}\n    return float(t["a"]) * x[1]',
    "key of a dict": "d = {}\n    d[str(x[0])] = 2.0\n    t = 0.0\n    for k, v in d.items():\n"
                     "        t += float(k) * v\n"
                     "    return t * x[1]",
    "key of another": "d = {}\n    d[str(x[0])] = x[1]\n    return sum(float(k) * v for k, v in d.items())",
    "key of a zip": "d = dict(zip([str(x[0])], [1.0]))\n    return sum(float(k) for k in d.keys()) * x[1]",
    "key set by default": "d = {}\n    d.setdefault(str(x[0]), []).append(1.0)\n"
                          "    return sum(float(k) for k in d) * x[1]",
    "in a set": "s = set()\n    s.add(str(x[0]))\n    return sum(float(k) for k in s) * x[1]",
    "split": 't = f"{x[0]!r},{x[1]!r}"\n    a, b = t.split(",")\n    return float(a) * float(b) * x[1]',
    "split in a comprehension": 't = f"{x[0]!r} {x[1]!r}"\n    return sum([float(v) for v in t.split()]) * x[1]',
    "split and mapped": 't = f"{x[0]!r} {x[1]!r}"\n    return sum(map(float, t.split())) * x[1]',
    "joined": 't = " ".join(str(v) for v in x)\n    return sum([float(v) for v in t.split()]) * x[1]',
    "part of a text": "return float((' ' + str(x[0])).strip()[:12]) * x[1]",
    "chosen": 't = str(x[0]) if x[0] > 0 else "0.5"\n    return float(t) * x[1]',
    "in a loop": 't = "0.5"\n    for v in x:\n        t = str(float(t) * v)\n    return float(t)',
    "made longer": 't = ""\n    t += str(x[0])\n    return float(t) * x[1]',
    "by a pattern": 'm = re.match("(.*)", str(x[0]))\n    return float(m.group(1)) * x[1]',
    "by json": 't = "[%r]" % x[0]\n    return json.loads(t)[0] * x[1]',
    "by json, added": 't = 0.0\n    t += json.loads("[%r]" % x[0])[0]\n    return t * x[1]',
    "by json, returned": 'return json.loads("[%r]" % x[0])[0]',
    "literal": "return (np.array(ast.literal_eval(str(x.tolist()))) * x).sum()",
    "decimal": "return float(decimal.Decimal(str(x[0]))) * x[1]",
    "array of texts": "return (np.array([str(v) for v in x], dtype=float) * x).sum()",
    "array of a text": 't = np.array2string(x, separator=",")\n    return (np.fromstring(t[1:-1], sep=",") * x).sum()',
    "stored in an array": "y = np.zeros(2)\n    y[0] = str(x[0])\n    return (y * x).sum()",
    "complex": "return complex(str(x[0])).real * x[1]",
    "hash": "return hash(x[0]) * 1e-20 * x[1]",
    "functions": "return parsed(written(x[0])) * x[1]",
    "object": "return float(Note(x[0]).text) * x[1]",
    "format of an object": 'return float(f"{Named(x[0])}") * x[1]',
    "inner function": "t = ''\n    def keep(v):\n        nonlocal t\n        t = str(v)\n    keep(x[0])\n"
                      "    return float(t) * x[1]",
    "generator": "return sum(map(float, texts(x))) * x[1]",
    "list of a generator": "return sum([float(t) for t in list(texts(x))]) * x[1]",
    "exception": "try:\n        raise ValueError(str(x[0]))\n    except ValueError as e:\n"
                 "        return float(str(e)) * x[1]",
    "file": "f = io.StringIO()\n    f.write(str(x[0]))\n    return float(f.getvalue()) * x[1]",
    "file, printed": "f = io.StringIO()\n    print(x[0], file=f)\n    return float(f.getvalue()) * x[1]",
    "file in a comprehension": "f = io.StringIO()\n    n = [f.write(str(v)) for v in x[:1]]\n"
                               "    return float(f.getvalue()) * x[1]",
    "file in an object": "n = Note(x[0])\n    n.put(x[0])\n    return n.get() * x[1]",
    "file outside": "note(x[0])\n    return noted() * x[1]",
    "file outside, of a number": "note(float(x[0]))\n    y = noted()\n    return y * x[1]",
    "list outside": "LAST[0] = str(float(x[0]))\n    return float(LAST[0]) * x[1]",
    "dict outside": 'NOTES["v"] = f"{x[0]}"\n    return float(NOTES["v"]) * x[1]',
    "attribute of a function": "y = last(x[1])\n    return last.value * y",
    "attribute by its name": 'y = last(x[1])\n    return getattr(last, "value", 1.0) * y',
    "shape times a value": 'name = f"{x.shape[0] * x[0]}"\n    return float(name) * x[1]',
    "bytes": "return (np.frombuffer(x.tobytes()) * x).sum()",
    "integers of the same memory": "return (x.view(np.int64).view(np.float64) * x).sum()",
}
RIGHT = {
    "of a constant": 'y = float(str(s2sgrad.stop_gradient(x[0])) or f"{s2sgrad.stop_gradient(x[1])}")\n'
                     "    return x[0] * x[1] + 0.0 * y",
    "printed": 't = f"{x[0]}"\n    print(t, str(x[1]), "%r" % x[0])\n    return (x * x).sum()',
    "few digits": 'y = float(f"{x[0]:.3f}") + float("%.2f" % x[0]) + float("{:.4f}".format(x[0]))\n'
                  '    return x[0] * x[1] * (y + float(format(x[0], ".3e")))',
    "whole numbers": "return x[0] * x[1] ** int(str(x[1])[0])",
    "compared": 'return x[0] * x[1] if str(x[0]).startswith("0") else x[0]',
    "keys that are not read": 'log = {}\n    for i, v in enumerate(x):\n        log[f"{i} {v}"] = v * v\n'
                              '    return sum(log.values())',
    "a text beside": 't = f"{x[0]}"\n    a, b = (float(v) for v in "0.5,0.25".split(","))\n    print(t)\n'
                     '    return a * x[0] * b * x[1]',
    "shapes and counts": 'name = f"{x.shape}_{len(x)}_{x.ndim}"\n'
                         '    return x[0] * x[1] ** float(name.split("_")[1])',
    "file that is only written": "f = io.StringIO()\n    for v in x:\n        print(v, file=f)\n"
                                 "    return (x * x).sum()",
}


def program(body: str) -> str:
    return f"{HEADER}def f(x):\n    {body}\n"


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_no_number_out_of_a_text(body: str) -> None:
    with compiled(program(body)) as f, pytest.raises(UnsupportedError):
        s2sgrad.grad(f)(np.array([0.7, 1.3]))


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_texts_that_tell_nothing(body: str, capsys: pytest.CaptureFixture[str]) -> None:
    point = np.array([0.7, 1.3])
    with compiled(program(body)) as f:
        plain, said = f(point), capsys.readouterr().out
        value, gradient = s2sgrad.value_and_grad(f)(point)
        assert (value, capsys.readouterr().out) == (plain, said)
        compare((gradient,), f, (point,), (0,), 1.0)
