"""What a user reads who wrote what can't be differentiated: every refusal, whole, with the place that it points at."""
from __future__ import annotations

import ast
import functools
import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import TABLE, Refusal
from refusals_tensors import BODIES, WHOLE

import s2sgrad
from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.parsing import REFUSED_EXPRESSIONS, REFUSED_STATEMENTS
from s2sgrad.errors import S2SGradError
from s2sgrad.judge import numerical_gradient

X = np.array([0.5, -1.0, 2.0])
HEADER = "import functools\nimport math\n\nimport numpy as np\n\nimport s2sgrad\n\n"
PACKAGE = Path(s2sgrad.__file__).parent
DOCUMENT = Path(__file__).parent.parent / "docs" / "supported_python.md"


class Place:
    """An axis that says its number to NumPy alone."""

    def __index__(self) -> int:
        return 0


NAMES = {"X": X, "M": np.arange(9.0).reshape(3, 3), "np": np, "functools": functools, "locate": locate, "Place": Place,
         "numerical_gradient": numerical_gradient, **{name: getattr(s2sgrad, name) for name in s2sgrad.__all__}}


def carets(line: str) -> bool:
    return re.fullmatch(r" *\^+", line) is not None


def load(file: Path, program: str) -> dict[str, Any]:
    """The names of a program, and what calls of it need."""
    file.write_text(HEADER + program, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {**NAMES, **vars(module)}


def expected(refusal: Refusal, file: Path) -> str:
    """The message, put together from the program with its carets."""
    sentence = f"{refusal.reason}: {refusal.remedy}"
    lines = (HEADER + refusal.program).splitlines()
    places = [number for number, line in enumerate(lines) if carets(line)]
    if not places:
        return sentence
    (number,) = places
    line, below = lines[number - 1:number + 1]
    margin = len(line) - len(line.lstrip())
    return (f"{file}:{number}: in {refusal.function}\n    {line.strip()}\n    {below[margin:]}\n{sentence}")


@pytest.mark.parametrize("refusal", TABLE.values(), ids=TABLE)
def test_messages(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    names = load(file, "".join(line for line in refusal.program.splitlines(True) if not carets(line.rstrip())))
    with pytest.raises(S2SGradError) as caught:
        eval(refusal.call, names)
    assert str(caught.value) == expected(refusal, file)
    assert type(caught.value).__module__ == "s2sgrad.errors", "a name that no user can look up"


# ---- the table is complete

RAISERS = {"UnsupportedError", "ArgumentError", "ArgumentTypeError", "SourceError", "refusal", "refused"}
ELSEWHERE = {
    "quad is differentiated without full_output, weight and complex_func",
    "solve_ivp is differentiated without dense_output and events", "solve_ivp failed: {}",
    "the derivative of this runs its function again, which changes, prints or draws something",
    # of arguments and results, when they are there: tests/test_jacobians.py and test_jvp.py
    "argument {} of {} is or holds {}, which can be run through once, and this may take several runs",
    "the result is or holds {}, which leads back to itself, computes its attributes or lacks some",
    # of vectors in the plane, which NumPy warns of, and takes before 2.5 only: tests/test_rule_conventions.py
    "np.cross of two vectors in the plane has no derivative rule, as NumPy gives it up",
    # when the adjoint runs: tests/test_rule_conventions.py
    "a full decomposition has singular vectors that the matrix does not determine",
    # files that were edited: tests/test_locate.py
    "{} no longer holds {} at line {}: it was edited after it was imported",
    "{} was edited after {} was imported",
    "{} does not parse: it was edited after it was imported",
    # of abstract arguments only: tests/test_command.py
    "how many items this has is not known before the call, beside functions, or parts of unlike forms, that it is run "
    "through with",
    # what was refused first is told in its place: tests/test_by_elements.py
    "the tangent of {}, which returns an array, is no product with a gradient",
    "the gradient of this can't be differentiated again, for in {}, {}",
    # and in tests/test_outer_variables.py
    "{} changes by two names what it gets here",
    # before Python 3.11 only, which does not tell the columns of a function's code
    "several functions in line {} of {} could be {}",
    # before NumPy 2.5 only, where eigenvalues may be real numbers: below
    "some eigenvalues of a real matrix are complex here, and nobody knew before",
    # when a rule is given: tests/test_custom_rules.py
    "{}= of the rule of {} is {}", "the {} function of {} does not take {} arguments",
    # of SciPy's functions, in tests/test_scipy.py and test_sparse.py
    "incomplete gamma and beta functions and their distributions have no third derivative where a parameter of shape "
    "moves",
    "lstsq with lapack_driver='gelsy' has no derivative rule",
    "this product is of a sparse matrix of complex numbers",
    "{} is differentiated for single matrices only", "solve with assume_a={} has no derivative rule",
    "this function of a matrix is complex here, and has no derivative rule there",
    "solve_sylvester of real matrices beside complex numbers has no derivative rule: SciPy's result is wrong where "
    "they have complex eigenvalues",
    "what phases the vectors of two complex matrices have, their lower triangles leave open",
    "lstsq of a stack of matrices is differentiated in its solutions alone, and where b has as many axes as a",
    "{} is differentiated for square matrices only", "polar is differentiated where the orthonormal factor has no more "
    "columns than rows, or on side='left' no more rows than columns", "signals with mode={} have no derivative rule",
    "simpson with points of their own for each row has no derivative rule",
    "{} with an array for dx has no derivative rule",
    "qr with mode={} has no derivative rule for this matrix", "{} with derivative=True has no derivative rule",
    "{} with metric={} has no derivative rule", "{} with mode={} has no derivative rule",
    "{} of an even size has no derivative rule", "{}n is differentiated with norm='ortho' only",
    "solve_triangular with trans='C' has no derivative rule for complex numbers",
    "lu_solve with trans=2 has no derivative rule for complex numbers",
    "splines are differentiated in vectors of values",
    "splines are differentiated with the ends not-a-knot, natural or clamped",
    "interp1d is differentiated with kind linear, quadratic or cubic, of places in order, and beyond them with "
    "fill_value='extrapolate' alone",
    "{} is differentiated for matrices only",
    # of operations on tensors, in tests/test_decorated.py
    "{} gave {} dimensions of {} here, and {} of {} when its function was compiled",
    "{} has got other defaults since it was decorated",
    # of functions that are reloaded, in tests/test_living.py
    "{} has got other parameters or defaults since it was given to be differentiated",
    # of custom rules, in tests/test_custom_rules.py
    "the reverse function of {} gives {} for {} arguments",
    "the rule gives an array of shape {} for {}, which has shape {}",
    "the rule gives an array of shape {} for an argument of shape {}",
    "the rule gives None for {}, a {} that is differentiated",
    "a custom rule without reverse=", "{} is not a Python function",
    # of check_grad and check_grads, in tests/test_checking.py
    "check_grads got {}", "{} got no floats to differentiate in",
    "check_grads compares objects that are no dataclasses to the first order only",
    # of expressions that are longer than any table, in tests/test_api.py
    "an expression here is nested {} deep, as a sum of so many terms is, and that is more than can be looked into "
    "under Python's recursion limit",
    # of calls that can't be right, in tests/test_api.py
    "the result is {}, which has no cotangent", "{} returned {}, which has no derivative",
    "{} returned {}, which has no Jacobian",
    "argument {} of {} is {}, and a Jacobian is in a float or an array of floats", "{} got no argument {}",
    "args is {}", "modes is {}", "{} is no function",
    # of an attempt: where it fails, what was refused before it is told, and else there is a last way
    "{}: it gets an object or an iterator, which may be another by then",
    "{} is run again for a derivative of its gradient, and may do something else then",
    "{} gets a function that is made here, and is run again for a derivative of its gradient",
    "what may be None, or lack attributes, has no known gradient",
    # of what gets a name in all places that were tried
    "this argument does something, and stands before others whose parameters come first",
    # for syntax that comes with newer Pythons, and trees that the analysis should have refused
    "except* is not supported", "{} statements are not supported",
    "{} expressions of differentiated values are not supported yet",
}


def reasons(file: Path) -> list[str]:
    """The reasons of all refusals in a file of the package, with {} for what is filled in."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in RAISERS:
            texts = [text for text in map(template, node.args[:2]) if text]
            found += texts[:1]
    return found


def template(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(template(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def test_every_refusal_of_the_package_is_in_the_table() -> None:
    written = {reason for file in PACKAGE.rglob("*.py") for reason in reasons(file)}
    written |= {reason for reason, _ in (*REFUSED_STATEMENTS.values(), *REFUSED_EXPRESSIONS.values())}
    assert len(written) > 70
    assert written >= ELSEWHERE
    told = [*(refusal.reason for refusal in TABLE.values()), *BODIES, *WHOLE]
    for reason in written - ELSEWHERE:
        pattern = ".*".join(map(re.escape, reason.split("{}")))
        assert any(re.fullmatch(pattern, text) for text in told), reason


def test_the_words_in_the_documents() -> None:
    _, _, rows = DOCUMENT.read_text(encoding="utf-8").partition("| refused | with these words |\n|---|---|\n")
    words = [line.strip("| ").split(" | ")[-1] for line in rows.partition("\n\n")[0].splitlines()]
    words.remove("named, with a remedy")
    assert len(words) > 4
    for quoted in words:
        assert any(quoted in refusal.reason for refusal in TABLE.values()), quoted


# ---- a refusal leaves nothing half-done

@pytest.mark.parametrize("refusal", [refusal for refusal in TABLE.values() if refusal.call == "grad(f)(X)"
                                     and "def f" in refusal.program], ids=lambda refusal: refusal.reason[:40])
def test_twice_the_same(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    names = load(file, "".join(line for line in refusal.program.splitlines(True) if not carets(line.rstrip())))
    messages = []
    for call in ("grad(f)(X)", "grad(f)(X)", "value_and_grad(f)(X)"):
        with pytest.raises(S2SGradError) as caught:
            eval(call, names)
        messages.append(str(caught.value))
    assert set(messages) == {expected(refusal, file)}
    np.testing.assert_array_equal(X, [0.5, -1.0, 2.0])


def test_a_call_put_right(tmp_path: Path) -> None:
    names = load(tmp_path / "program.py", """
def f(x, axis, kernel=None):
    if kernel is not None:
        x = kernel(x)
    return np.max(x * x, axis=axis).sum()

def g(x):
    return helper(x).sum()
""")
    f, g = names["f"], names["g"]
    matrix = np.arange(4.0).reshape(2, 2)
    right = [[0.0, 0.0], [4.0, 6.0]]
    gradient = s2sgrad.grad(f)
    for wrong in ((matrix.astype(int), 0), (matrix, np.array(0)), (matrix, 0, np.fft.fft)):
        with pytest.raises(S2SGradError):
            gradient(*wrong)
        assert f(matrix, 0) == 13.0
        np.testing.assert_array_equal(gradient(matrix, 0), right)
    gradient = s2sgrad.grad(g)
    with pytest.raises(S2SGradError, match="helper is not defined"):
        gradient(X)
    g.__globals__["helper"] = np.sin
    np.testing.assert_allclose(gradient(X), np.cos(X))


def test_equal_code_in_two_files(tmp_path: Path) -> None:
    """Its messages name the right file, and what it calls there decides."""
    program = ("def f(x):\n    m = np.ones(3, int)\n    y = (x * m).sum()\n    return y if 0 <= g(m) < 1 else x[0]\n\n"
               "def g(m):\n    return h(m)\n\n")
    writes = load(tmp_path / "writes.py", program + "def h(m):\n    m *= 0\n    return 0.0\n")
    reads = load(tmp_path / "reads.py", program + "def h(m):\n    return 0.0 * m[0]\n")
    np.testing.assert_array_equal(s2sgrad.grad(reads["f"])(X), np.ones(3))
    with pytest.raises(S2SGradError, match=r"writes\.py:11: in f\n    return y if 0 <= g\(m\) < 1 else x\[0\]"):
        s2sgrad.grad(writes["f"])(X)


TAKEN = {
    "one element's cotangent before a slice's": """
def f(x):
    total = 0.0
    for i in range(1, len(x)):
        total = total + (x[i:i + 1] ** 2).sum()
    return total + min(x)
""",
    "ellipsis over constants": 'def f(x):\n    return (x * np.einsum("...ii->...i", np.ones((3, 3)))).sum()\n',
    "list of lists": "def f(x):\n    return (np.array([[x[0], 1.0], [x[1], x[2]]]) ** 2).sum()\n",
    "test by eval": 'def f(x):\n    return (x * x).sum() if eval("x[0] > 0") else x.sum()\n',
    "formula over a later name": """
@s2sgrad.rule(x="slope * x")
def square(x):
    return x * x

def f(x):
    return square(x).sum()

slope = 2.0
""",
}
"""Close to what is refused."""


@pytest.mark.parametrize("program", TAKEN.values(), ids=TAKEN)
def test_what_is_close_to_a_refusal(program: str, tmp_path: Path) -> None:
    s2sgrad.check_grad(load(tmp_path / "program.py", program)["f"], X)


def spectral_radius(x):
    return np.max(np.abs(np.linalg.eigvals(x)))


def test_complex_eigenvalues() -> None:
    """NumPy gives complex numbers where it must, and from 2.5 on always: then they are known to be."""
    turn = np.array([[0.0, 2.0], [-1.0, 0.0]])
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        s2sgrad.check_grad(spectral_radius, turn)
        return
    with pytest.raises(S2SGradError, match="some eigenvalues of a real matrix are complex here"):
        s2sgrad.grad(spectral_radius)(turn)


def test_plots_are_refused_where_they_are_drawn() -> None:
    """What they are drawn with is a library, whose source is none of the user's concern."""
    plt = pytest.importorskip("matplotlib.pyplot")

    def drawn(x):
        plt.plot(x)
        return x.sum()

    with pytest.raises(S2SGradError) as caught:
        s2sgrad.grad(drawn)(X)
    assert caught.value.location is not None and caught.value.location.filename == __file__
