"""Functions are found exactly, or not at all."""
from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import json
import linecache
import os
from pathlib import Path

import pytest

from s2sgrad.compiler.locate import locate
from s2sgrad.errors import SourceError


def text_of(function) -> str:
    return ast.unparse(locate(function).node)


def keep(function):
    return function


def wrapping(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


first, second, third = lambda x: x + 1, lambda x: x + 2, lambda x: x * 3
inner = (lambda a: (lambda b: a + b))(1)
in_a_call = list(filter(callable, [lambda x: -x, lambda y: y]))


@keep
@functools.partial(
    keep,
)
def decorated(x,
              y=lambda z: z):
    def nested(z):
        return z * x
    return nested


if len(os.sep) == 1:
    def chosen(x):
        return x + 10
else:
    def chosen(x):
        return x + 20


class Methods:
    def method(self, x):
        return self, x


def test_lambdas_on_one_line() -> None:
    assert [text_of(function) for function in (first, second, third)] == [
        "lambda x: x + 1", "lambda x: x + 2", "lambda x: x * 3"]
    assert text_of(inner) == "lambda b: a + b"
    assert [text_of(function) for function in in_a_call] == ["lambda x: -x", "lambda y: y"]
    assert text_of(decorated.__defaults__[0]) == "lambda z: z"


def test_functions() -> None:
    assert text_of(decorated).startswith("@keep\n")
    assert text_of(decorated(1)) == "def nested(z):\n    return z * x"
    assert text_of(chosen) == "def chosen(x):\n    return x + 10"
    assert text_of(Methods.method).startswith("def method(self, x)")
    assert "wrapper" in text_of(wrapping(chosen))
    located = locate(chosen)
    assert located.filename == __file__
    assert located.node.lineno == chosen.__code__.co_firstlineno


def test_the_standard_library() -> None:
    found = 0
    for module in (json.decoder, inspect, functools):
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                node = locate(function).node
                names = [item.arg for item in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                code = function.__code__
                assert names == list(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])
                found += 1
    assert found > 80


def test_text_that_only_linecache_knows() -> None:
    text = "def cell(x):\n    return x + 1\n"
    name = "<ipython-input-7-abc>"
    namespace: dict = {}
    exec(compile(text, name, "exec"), namespace)
    with pytest.raises(SourceError, match="put the function in a file or a notebook cell"):
        locate(namespace["cell"])
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    assert text_of(namespace["cell"]) == text.strip()


def load(file: Path):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_that_was_edited(tmp_path: Path) -> None:
    file = tmp_path / "edited.py"
    file.write_text("def f(x):\n    return x + known\n\n\ndef g(x):\n    return x\n")
    module = load(file)
    file.write_text("def f(x):\n    return x * other\n\n")
    os.utime(file, (1, 1))
    with pytest.raises(SourceError, match="was edited after f was imported: import it again"):
        locate(module.f)
    with pytest.raises(SourceError, match="no longer holds g at line 5"):
        locate(module.g)
    file.write_text("def f(x:\n")
    os.utime(file, (2, 2))
    with pytest.raises(SourceError, match="does not parse"):
        locate(module.f)


@pytest.mark.parametrize("before, after", [
    ("return 2.0 * x", "return 3.0 * x"), ("return 1 * x", "return 1.0 * x"), ("return 0.0", "return -0.0"),
    ("return x + x", "return x * x"), ("y = x; return y", "y = -x; return y"), ("return k * x", "return k / x"),
    ("return [v + 1 for v in x]", "return [v + 2 for v in x]"), ("return x > 0", "return x >= 0"),
])
def test_every_edit_of_a_file_is_seen(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "edited.py"
    text = "def outer(k):\n    def f(x):\n        k\n        {}\n    return f\n"
    file.write_text(text.format(before))
    f = load(file).outer(2.0)
    for time in (1, 2):  # an edit somewhere else
        file.write_text(text.format(before) + "\n" * time)
        os.utime(file, (time, time))
        assert before.partition(";")[0] in text_of(f)
    file.write_text(text.format(after))
    os.utime(file, (3, 3))
    with pytest.raises(SourceError, match="was edited after outer.<locals>.f was imported: import it again"):
        locate(f)


def test_code_that_a_tool_rewrote(tmp_path: Path) -> None:
    text = "def f(x):\n    return x * 2.0\n"
    file = tmp_path / "rewritten.py"
    file.write_text(text)
    namespace: dict = {}
    exec(compile(text.replace("x * 2.0", "traced(x) * 2.0"), file, "exec"), namespace)
    with pytest.warns(UserWarning, match="was edited after f was imported: its gradient is that of the text"):
        assert text_of(namespace["f"]) == text.strip()


@pytest.mark.parametrize("thing", [len, 3, functools.partial(chosen, 1)])
def test_what_has_no_source(thing) -> None:
    with pytest.raises(SourceError, match="not a Python function"):
        locate(thing)
