"""The command, as it is typed."""
from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from s2sgrad.__main__ import main

MODEL = '''\
import numpy as np


def loss(w, x, scale=1.0):
    y = np.tanh(x @ w) * scale
    if y.sum() > 0:
        return (y ** 2).sum()
    return -y.sum()


def broken(x):
    return eval("x * x")


def fails(x):
    return 1 / (x - x)


def leaves(x):
    raise SystemExit(3)


def total(*xs):
    return sum(xs)


class Net:
    w = 2.0

    def loss(self, x):
        return np.sum(x * self.w)


net = Net()
value = 3
'''


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "model.py").write_text(MODEL)
    return f"{tmp_path / 'model.py'}:"


def run(capsys, *argv: str) -> tuple[int, str, str]:
    status = main(["show", *argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_arguments_that_the_module_makes(model, capsys) -> None:
    status, out, err = run(capsys, model + "Net.loss", "Net()", "value * np.ones(2)")
    assert (status, err) == (0, "")
    assert "def loss_primal(self, x):" in out


def test_path_of_the_arguments(model, capsys) -> None:
    status, out, err = run(capsys, model + "loss", "np.ones(2)", "x=np.ones((3, 2))")
    assert (status, err) == (0, "")
    assert "def loss_primal(w, x, scale=1.0):" in out
    assert "# path 0: line 6 true: if y.sum() > 0:" in out
    assert "def loss_adjoint_0(saved):" in out
    assert "\033" not in out


def test_all_paths_and_the_general_adjoint(model, capsys) -> None:
    _, out, _ = run(capsys, model + "loss", "np.ones(2)", "np.ones((3, 2))", "--paths")
    assert out.count("def loss_adjoint_") == 2
    _, out, _ = run(capsys, model + "loss", "np.ones(2)", "np.ones((3, 2))", "--general")
    assert "def loss_adjoint(saved, taken_6):" in out


@pytest.mark.parametrize("words", [
    ("--forward", "{model}loss", "w=np.ones(2)", "x=np.ones((3, 2))"),
    ("{model}loss", "--forward", "np.ones(2)", "np.ones((3, 2))"),
    ("{model}loss", "np.ones(2)", "--forward", "np.ones((3, 2))"),
    ("{model}loss", "-np.ones(2)", "--forward", "-np.ones((3, 2))", "-1.0"),
])
def test_options_may_stand_between_the_arguments(model, capsys, words) -> None:
    status, out, err = run(capsys, *(word.format(model=model) for word in words))
    assert (status, err) == (0, "")
    assert "def loss_tangent(" in out


def test_an_unknown_option_is_named(model, capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["show", model + "loss", "np.ones(2)", "--pahts"])
    assert stopped.value.code == 2
    assert "unrecognized arguments: --pahts" in capsys.readouterr().err


def test_shapes_without_a_call(model, capsys) -> None:
    status, out, _ = run(capsys, model + "loss", "--shape", "w=float64[m]", "--shape", "x=float64[n,m]", "--paths")
    assert status == 0
    assert "w_bar" in out and "x_bar" in out


def test_integers_beside_shapes_are_known_where_they_must_be(tmp_path, capsys) -> None:
    file = tmp_path / "counting.py"
    file.write_text("import numpy as np\n\ndef f(x, k=1, axis=0):\n    total = 0.0\n    for i in range(k):\n"
                    "        total += np.sum(np.max(x, axis=axis)) ** 2 * i\n    return total\n", encoding="utf-8")
    status, out, _ = run(capsys, f"{file}:f", "--shape", "x=float64[n,m]")
    assert status == 0
    assert "reversed(range(k))" in out and "axis=0" in out
    status, general, _ = run(capsys, f"{file}:f", "np.ones((2, 3))", "k=2")
    assert status == 0
    assert general == out


def test_sizes_that_the_code_must_know(tmp_path, capsys) -> None:
    file = tmp_path / "spread.py"
    file.write_text(textwrap.dedent("""
        import numpy as np

        def curve(t, a, b):
            return a * np.exp(-b * t)

        def residual(p, t):
            return curve(t, *p).sum()

        def weighted(p):
            return sum(c * f(p[0]) for c, f in zip(p, [np.sin, np.cos]))
        """))
    t = ["--shape", "t=float64[m]"]
    for name, more in (("residual", t), ("weighted", [])):
        status, out, _ = run(capsys, f"{file}:{name}", "--shape", "p=float64[2]", *more)
        assert status == 0 and "p_bar" in out
        status, _, error = run(capsys, f"{file}:{name}", "--shape", "p=float64[n]", *more)
        assert status != 0 and "not known before" in error


@pytest.mark.parametrize("stage, words", [
    ("parse", "def loss("), ("desugar", "def loss("), ("primal", "def loss_primal("),
    ("reverse", "def loss_adjoint_0("),
])
def test_after_each_pass(model, capsys, stage, words) -> None:
    status, out, _ = run(capsys, model + "loss", "np.ones(2)", "np.ones((3, 2))", "--after", stage)
    assert status == 0
    assert out.startswith(words)


def test_saved_json_and_output_file(model, capsys, tmp_path) -> None:
    arguments = (model + "loss", "np.ones(2)", "np.ones((3, 2))")
    _, out, _ = run(capsys, *arguments, "--saved")
    assert "needed by" in out
    _, out, _ = run(capsys, *arguments, "--saved", "--json")
    assert {row["name"] for row in json.loads(out)["saved"]} >= {"w", "x"}
    file = tmp_path / "out.json"
    _, out, _ = run(capsys, *arguments, "--json", "-o", str(file))
    assert out == ""
    found = json.loads(file.read_text())
    assert found["adjoints"][0]["conditions"] == [{"line": 6, "text": "if y.sum() > 0:", "outcome": "true"}]


@pytest.mark.parametrize("arguments, words", [
    (["nothing.py:f"], "no file nothing.py"),
    (["no_such_module_here:f"], "no module no_such_module_here"),
    (["loss"], "does not name a function"),
    (["{}missing"], "has no missing"),
    (["{}value"], "can't be differentiated"),
    (["{}loss"], "missing a required argument: 'w'"),
    (["{}loss", "np.ones("], "is not a value"),
    (["{}loss", "w=1.0", "2.0"], "comes after a named argument"),
    (["{}broken", "1.0"], "what eval reads and writes"),
    (["{}fails", "1.0"], "raised ZeroDivisionError"),
    (["{}loss", "--shape", "q=float64[n]"], "there is no parameter q"),
    (["{}loss", "--shape", "w=float99[n]", "--shape", "x=float64[n,m]"], "no dtype float99"),
    (["{}loss", "--shape", "w=float64[n]", "--saved"], "--saved needs a call"),
    (["{}loss", "w=1.0", "w=2.0"], "names w once more"),
    ([".:f"], "no module . (a file needs its .py)"),
    (["{}los"], "has no los: did you mean loss?"),
    (["{}loss", ""], "'' is not a value"),
    (["{}loss", "exit(3)"], "is not a value"),
    (["{}leaves", "1.0"], "leaves raised SystemExit: 3"),
    (["{}total", "--shape", "xs=float64[n]"], "give values instead of --shape"),
    (["{}loss", "--shape", "w=float64[n]", "--shape", "w=float64[m]"], "w has a --shape already"),
    (["{}loss", "1.0", "--shape", "w=float64[m]"], "w has a value already"),
])
def test_mistakes(model, capsys, arguments, words) -> None:
    status, out, err = run(capsys, *[argument.format(model) for argument in arguments])
    assert status == 1
    assert out == ""
    assert err.startswith("s2sgrad: ")
    assert words in err
    assert "Traceback" not in err
    assert err.count("\n") <= 2


def test_the_methods_of_an_object_without_a_call(model, capsys) -> None:
    status, out, _ = run(capsys, model + "net.loss", "--shape", "x=float64[n]")
    assert status == 0 and "return np.full(x.shape, w_1)," in out


def test_a_file_in_a_package_imports_from_it(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    inner = tmp_path / "shown" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    (inner / "scale.py").write_text("FACTOR = 2.0\n")
    (inner / "part.py").write_text("from .scale import FACTOR\n\n\ndef f(x):\n    return x * x * FACTOR\n")
    status, out, _ = run(capsys, f"{inner / 'part.py'}:f", "2.0")
    assert status == 0 and "def f_primal(x):" in out


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_an_exception_is_told_with_the_users_line(model, capsys) -> None:
    _, _, err = run(capsys, model + "fails", "2.0")
    first, second = err.splitlines()
    assert "fails raised ZeroDivisionError: " in first
    assert second.endswith("model.py:16: return 1 / (x - x)")


def test_the_output_goes_nowhere(model, capsys, tmp_path) -> None:
    for place in ("", str(tmp_path), str(tmp_path / "none" / "out")):
        status, out, err = run(capsys, model + "net.loss", "1.0", "-o", place)
        assert (status, out) == (1, "") and "cannot write" in err


def test_a_refusal_has_its_place_in_one_line_and_its_reason_in_another(tmp_path, capsys) -> None:
    (tmp_path / "refused.py").write_text("def f(x):\n    y = x * x\n    return y + eval('x')\n")
    status, _, err = run(capsys, f"{tmp_path / 'refused.py'}:f", "2.0")
    place, reason = err.splitlines()
    assert status == 1
    assert place == f"s2sgrad: {tmp_path / 'refused.py'}:3: in f: eval('x')"
    assert reason.startswith("what eval reads and writes")


def test_an_exception_of_several_lines_is_told_in_one(tmp_path, capsys) -> None:
    (tmp_path / "wordy.py").write_text("def f(x):\n    raise ValueError('one\\ntwo\\n  three')\n    return x\n")
    status, _, err = run(capsys, f"{tmp_path / 'wordy.py'}:f", "2.0")
    assert status == 1
    assert err.splitlines()[0].endswith("raised ValueError: one two three") and err.count("\n") <= 2


def test_as_a_process(model) -> None:
    command = [sys.executable, "-m", "s2sgrad"]
    done = subprocess.run([*command, "show", model + "loss", "np.ones(2)", "np.ones((3, 2))"], capture_output=True,
                          text=True, check=True)
    assert "def loss_adjoint_0" in done.stdout
    done = subprocess.run([*command, "show"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "s2sgrad show: error: the following arguments are required: FILE_OR_MODULE:FUNCTION",
        "s2sgrad show --help tells how it is used"]
    done = subprocess.run([*command, "show", "--help"], capture_output=True, text=True, check=True)
    assert "examples:" in done.stdout


def test_a_module_that_ends_the_interpreter(tmp_path, capsys) -> None:
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    status, out, err = run(capsys, f"{tmp_path / 'leaves.py'}:f")
    assert (status, out) == (1, "")
    assert err.endswith("can't be imported: SystemExit: 3\n")


def test_what_the_users_code_prints_is_no_part_of_the_answer(tmp_path, capsys) -> None:
    (tmp_path / "prints.py").write_text("print('loading')\ndef f(x):\n    print('running')\n    return x * x\n")
    _, out, err = run(capsys, f"{tmp_path / 'prints.py'}:f", "2.0", "--json")
    assert json.loads(out)["function"] == "f"
    assert "loading" in err and "running" in err


def test_saved_leaves_out_what_this_path_does_not_save(tmp_path, capsys) -> None:
    (tmp_path / "arms.py").write_text("def f(x, w):\n    if x > 0:\n        return x * w\n    y = x + w\n"
                                      "    return y * y\n")
    target = f"{tmp_path / 'arms.py'}:f"
    _, out, _ = run(capsys, target, "1.0", "2.0", "--saved")
    assert [line.split()[0] for line in out.splitlines()[1:-1]] == ["x", "w"]
    _, out, _ = run(capsys, target, "-1.0", "2.0", "--saved")
    assert "y" in [line.split()[0] for line in out.splitlines()[1:-1]]


def test_after_a_pass_as_json(model, capsys) -> None:
    for stage in ("parse", "desugar", "primal"):
        _, out, _ = run(capsys, model + "loss", "np.ones(2)", "np.ones((3, 2))", "--after", stage, "--json")
        found = json.loads(out)
        assert found["after"] == stage and found["program"].startswith("def loss")


def test_standard_output_that_takes_nothing(model, tmp_path) -> None:
    command = shlex.join([sys.executable, "-m", "s2sgrad", "show", model + "loss", "np.ones(2)", "np.ones((3, 2))"])
    for sink, status, words in ((">&-", 1, "standard output is closed"), ("| true", 0, ""),
                                *([("> /dev/full", 1, "cannot write")] if Path("/dev/full").exists() else [])):
        done = subprocess.run(f"{command} {sink}", shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert words in done.stderr and "Traceback" not in done.stderr


def test_letters_that_the_output_can_not_show(tmp_path) -> None:
    (tmp_path / "letters.py").write_text("def f(x):\n    größe = x * x\n    return größe\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "s2sgrad", "show", f"{tmp_path / 'letters.py'}:f", "2.0"],
                          capture_output=True, text=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "gr\\xf6" in done.stdout
