"""Imports run one way: a room knows only the rooms below it."""
from __future__ import annotations

import ast
from pathlib import Path

import pytest

import s2sgrad

PACKAGE = Path(s2sgrad.__file__).parent
FLOORS = [
    {"frozen"},
    {"errors", "marking", "compiling"}, {"gradients"}, {"containers"}, {"runtime", "judge", "carried", "roots"},
    {"rules"},
    {"entries", "signature"},
    {"compiler"},
    {"derivative"}, {"compiled", "given", "memory", "subjects"}, {"dividing", "keys"}, {"calling"},
    {"outer_arguments"}, {"entry", "tangents"}, {"siblings", "sweeps"}, {"reports"},
    {"transforms", "extending"}, {"by_elements"}, {"within", "at_once", "by_slopes"},
    {"checking", "jacobians", "integration", "surgery"}, {"quadrature", "splines", "trajectories"}, {"shim"},
    {"autograd", "nn"},
    {"optim", "utils"}, {"decorated"}, {"describing"},
    {"manners"},
    {"__init__", "__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
PASSES = {"parse", "desugar", "reverse", "forward", "primal", "emit", "infer"}
EVERY_FILE = sorted(PACKAGE.rglob("*.py"))


def imported(file: Path) -> list[str]:
    """The modules of the package that a file imports, without the package's name."""
    found: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [item.name for item in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            if node.module in ("s2sgrad", "s2sgrad.compiler", "s2sgrad.rules"):
                found += [f"{node.module}.{item.name}" for item in node.names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "import_module":
            found += [item.value for item in node.args if isinstance(item, ast.Constant)]
    return [name.removeprefix("s2sgrad.") for name in found if name.startswith("s2sgrad.")]


@pytest.mark.parametrize("file", EVERY_FILE, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_run_downwards(file: Path) -> None:
    room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for name in imported(file):
        target = name.split(".")[0]
        if target != room and target in LEVEL:
            assert LEVEL[target] < LEVEL[room], f"{room} imports {name}"


def test_no_pass_knows_another() -> None:
    allowed = {("chain", "infer"), ("operands", "infer")}
    for name in PASSES:
        for target in imported(PACKAGE / "compiler" / f"{name}.py"):
            other = target.removeprefix("compiler.").split(".")[0]
            if target.startswith("compiler.") and other != name and (name, other) not in allowed:
                assert other not in PASSES, f"{name} imports {other}"


def test_every_room_is_listed() -> None:
    rooms = {file.relative_to(PACKAGE).parts[0].removesuffix(".py") for file in EVERY_FILE}
    assert rooms == set(LEVEL)
