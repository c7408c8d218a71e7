"""Tutorials run cell by cell, as a notebook does: on PyTorch to record its answers, on s2sgrad to compare.

``python tests/tutorial_runs.py``, where PyTorch is installed, records the answers anew.
"""
from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "tutorials"
ANSWERS = FOLDER / "answers.json"
NAMES = sorted(file.stem for file in FOLDER.glob("*.py"))


def cells_of(name: str) -> list[str]:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return [cell for cell in text.split("# %%\n") if cell.strip()]


def numbers(seed: int):
    """Numbers that look random and are the same everywhere, between 0 and 1."""
    state = seed
    while True:
        state = (1103515245 * state + 12345) % 2 ** 31
        yield state / 2 ** 31


def drawn(module: Any, stream: Any, scale: float, shift: float):
    """A stand-in for ``rand`` and ``randn``."""
    def function(*size: int, requires_grad: bool = False) -> Any:
        count = 1
        for item in size:
            count *= item
        values = [scale * (next(stream) - shift) for _ in range(count)]
        made = module.tensor(values).reshape(size)
        return made.requires_grad_() if requires_grad else made

    return function


def shown(text: str) -> str:
    """Addresses and the place of classes are no part of the answer."""
    return re.sub(r"0x[0-9a-f]+", "0x", text).replace("torch.autograd.", "autograd.").replace(
        "s2sgrad.autograd.", "autograd.")


def decorated(tree: ast.Module, cell: str, filename: str) -> None:
    """Decorate the functions of a cell, whose text is then found where tracebacks look."""
    linecache.cache[filename] = (len(cell), None, cell.splitlines(True), filename)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            node.decorator_list = [ast.copy_location(ast.Name("differentiable", ast.Load()), node)]


def run(name: str, package: str, decorate: Callable | None = None) -> list[str]:
    """What each cell prints, with the value of its last expression as IPython shows it; with the functions decorated.
    """
    import importlib

    from IPython.lib.pretty import pretty

    module = importlib.import_module(package)
    stream = numbers(7)
    saved = {label: vars(module).get(label) for label in ("rand", "randn")}
    module.rand, module.randn = drawn(module, stream, 1, 0), drawn(module, stream, 4, 0.5)  # type: ignore[attr-defined]
    outputs = []
    namespace: dict[str, Any] = {"__name__": "tutorial", "differentiable": decorate}
    try:
        for number, cell in enumerate(cells_of(name)):
            cell = re.sub(r"^import torch\b(?! as)", f"import {package} as torch", cell, flags=re.M)
            cell = re.sub(r"^import torch as", f"import {package} as", cell, flags=re.M)
            cell = re.sub(r"^from torch\b", f"from {package}", cell, flags=re.M)
            out = io.StringIO()
            tree = ast.parse(cell)
            filename = f"<tutorial {name} {number}>"
            if decorate is not None:
                decorated(tree, cell, filename)
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    exec(compile(tree, filename, "exec"), namespace)
                    value = None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), namespace)
                    if value is not None:
                        print(pretty(value))
                except RuntimeError as error:
                    print(f"{type(error).__name__}: {error}")
            said = [f"{item.category.__name__}: {str(item.message).partition(' See github')[0]}" for item in caught]
            outputs.append(shown(out.getvalue() + "".join(line + "\n" for line in said)))
    finally:
        for label, value in saved.items():
            if value is None:
                delattr(module, label)
            else:
                setattr(module, label, value)
    return outputs


if __name__ == "__main__":
    ANSWERS.write_text(json.dumps({name: run(name, "torch") for name in NAMES}, indent=1, ensure_ascii=False) + "\n",
                       encoding="utf-8")
