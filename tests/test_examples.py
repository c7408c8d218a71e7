"""The examples run, and find what they look for."""
from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """What an example prints."""
    def run_example(name: str, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out
    return run_example


def number(pattern: str, text: str) -> float:
    """The number behind a text."""
    found = re.search(pattern + r"\s*(-?[\d.]+)", text)
    assert found is not None, text
    return float(found[1])


def test_every_example_has_a_test() -> None:
    tests = {name.removeprefix("test_the_example_") for name in globals()}
    assert {path.stem for path in EXAMPLES.glob("*.py")} <= tests


def test_the_example_train_digits(run) -> None:
    text = run("train_digits")
    assert "def loss_adjoint(saved):" in text
    found = re.search(r"(\d+) of the (\d+)", text)
    assert found is not None and int(found[1]) / int(found[2]) > 0.9, text


def test_the_example_eight_schools(run) -> None:
    """Eight measurements leave much open: the ranges are those of several seeds, and more."""
    text = run("eight_schools")
    assert 3.0 < number("common mean", text) < 5.5
    assert 2.5 < number("spread", text) < 5.0
    assert number("draws,", text) > 60


def test_the_example_gaussian_process(run) -> None:
    pytest.importorskip("scipy")
    text = run("gaussian_process")
    assert 0.1 < number("noise .*->", text) < 0.2
    assert number("-log likelihood .*->", text) < 10.0


def test_the_plot_of_the_gaussian_process(run, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    run("gaussian_process", "--plot", str(tmp_path / "plot.png"))
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_the_example_lorenz(run) -> None:
    pytest.importorskip("scipy")
    *_, last, true = run("lorenz").splitlines()
    found, wanted = ([float(item) for item in line.split()[-3:]] for line in (last, true))
    assert all(abs(one - other) < 0.05 for one, other in zip(found, wanted)), last


def test_the_example_two_ways(run) -> None:
    text = run("two_ways")
    assert "def scores_adjoint(saved, result_bar):" in text
    assert float(text.split()[-1]) < 1e-9
    first, *_, last = [float(line.split()[1]) for line in text.splitlines() if re.match(r" +\d+ ", line)]
    assert last < 0.5 * first


def test_the_example_heat(run) -> None:
    pytest.importorskip("scipy")
    text = run("heat")
    assert number("misfit .*->", text) < 0.001
    assert number("largest error", text) < 0.4 < number("as a guess", text)
