"""Whoever comes from HIPS autograd loses nothing: each function that it differentiates has a rule here, or is refused
for a reason that is told."""
from __future__ import annotations

import builtins
import importlib
import keyword
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rule_calls import scipy

import s2sgrad
from s2sgrad.compiler.definitions import own_derivative
from s2sgrad.rules.table import RULES, rule_for

DOCUMENT = Path(__file__).parent.parent / "docs" / "coming_from_autograd.md"


def names(text: str) -> list[str]:
    return text.split()


NUMPY = names("""
abs absolute add amax amin angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh array_split astype atleast_1d
atleast_2d atleast_3d broadcast_to clip conjugate cos cosh cross cumsum deg2rad degrees diag diagonal diff divide dot
dsplit einsum exp exp2 expand_dims expm1 fabs fliplr flipud fmax fmin full gradient hsplit hypot imag inner kron
linspace log log10 log1p log2 logaddexp logaddexp2 matmul max maximum mean min minimum moveaxis multiply nan_to_num
negative outer pad partition power prod rad2deg radians ravel real real_if_close reciprocal remainder repeat reshape
roll rollaxis rot90 sin sinc sinh sort split sqrt square squeeze std subtract sum swapaxes tan tanh tensordot tile
trace transpose tril triu var vsplit where fft.fft fft.fft2 fft.fftn fft.fftshift fft.ifft fft.ifft2 fft.ifftn
fft.ifftshift fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn linalg.cholesky linalg.det linalg.eig
linalg.eigh linalg.inv linalg.norm linalg.pinv linalg.slogdet linalg.solve linalg.svd
""")
"""Of NumPy's functions those for which autograd has a derivative."""
ASKED_FOR = names("""
take take_along_axis median percentile quantile average interp nansum nanmean nanvar nanstd nanprod nanmax nanmin
nancumsum cumprod convolve correlate vdot vecdot trapezoid meshgrid delete insert append ptp cbrt float_power copysign
fmod unwrap polyval polyfit cov corrcoef searchsorted digitize block choose select piecewise apply_along_axis
heaviside i0 ediff1d histogram atleast_1d dstack hstack vstack column_stack broadcast_arrays ix_ unique lexsort
argpartition bincount linalg.qr linalg.lstsq linalg.matrix_power linalg.multi_dot linalg.eigvals linalg.eigvalsh
linalg.svdvals linalg.cond linalg.vector_norm linalg.matrix_norm linalg.tensorsolve linalg.tensorinv
linalg.matrix_rank r_ c_ add.reduce multiply.accumulate subtract.outer
""")
"""What its users have asked for."""
SCIPY = names("""
special.beta special.betainc special.betaln special.gammasgn special.polygamma special.psi special.gamma
special.gammaln special.rgamma special.multigammaln special.gammainc special.gammaincc special.j0 special.y0
special.j1 special.y1 special.jv special.yn special.i0 special.i1 special.iv special.ive special.erf special.erfc
special.erfinv special.erfcinv special.logit special.expit special.logsumexp stats.beta.cdf stats.beta.logpdf
stats.beta.pdf stats.chi2.cdf stats.chi2.logpdf stats.chi2.pdf stats.gamma.cdf stats.gamma.logpdf stats.gamma.pdf
stats.norm.pdf stats.norm.cdf stats.norm.logpdf stats.norm.logcdf stats.norm.logsf stats.norm.sf stats.poisson.cdf
stats.poisson.logpmf stats.poisson.pmf stats.t.pdf stats.t.cdf stats.t.logpdf stats.t.logcdf
stats.multivariate_normal.logpdf stats.multivariate_normal.pdf stats.multivariate_normal.entropy
stats.dirichlet.logpdf stats.dirichlet.pdf linalg.sqrtm linalg.solve_triangular linalg.solve_banded
linalg.solve_sylvester signal.convolve integrate.odeint
""")
"""The same of SciPy's."""
REFUSED = {
    "real_if_close": "is real or complex as the numbers happen to be: use np.real",
    "piecewise": "calls functions of the user's: use np.where or np.select",
    "apply_along_axis": "calls a function of the user's: write the loop",
}
"""Those that have no rule, and why."""


def found(names: list[str], root: Any) -> dict[str, Any]:
    result = {}
    for name in names:
        value = root
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is not None:  # some came with a version of NumPy
            result[name] = value
    return result


def without_rule(functions: dict[str, Any]) -> set[str]:
    return {name for name, function in functions.items()
            if rule_for(function) is None and own_derivative(function) is None}


def test_functions_of_numpy() -> None:
    assert without_rule(found([*NUMPY, *ASKED_FOR], np)) <= set(REFUSED)


@pytest.mark.skipif(scipy is None, reason="SciPy is not installed")
def test_functions_of_scipy() -> None:
    assert without_rule(found(SCIPY, scipy)) <= set(REFUSED)


def test_what_autograd_itself_says() -> None:
    """The lists above are those of the autograd that is installed."""
    core = pytest.importorskip("autograd.core", reason="autograd is not installed")
    rooms = ("numpy", "numpy.linalg", "numpy.fft", "scipy.special", "scipy.stats", "scipy.linalg", "scipy.signal",
             "scipy.integrate")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for room in rooms:
            importlib.import_module(f"autograd.{room}")
    listed = [*found(NUMPY, np).values(), *(found(SCIPY, scipy).values() if scipy else ())]
    functions = [primitive.fun for primitive in core.primitive_vjps]
    own = [function for function in functions if not str(getattr(function, "__module__", "")).startswith("autograd.")]
    assert len(own) > 150
    assert [function for function in own if function not in listed] == []


def test_refusals_are_few_and_no_longer_than_needed() -> None:
    functions = {**found(list(REFUSED), np), **(found(list(REFUSED), scipy) if scipy else {})}
    assert [name for name, function in functions.items() if function in RULES] == []


def test_every_function_of_autograd_is_named_in_the_document() -> None:
    pytest.importorskip("autograd", reason="autograd is not installed")
    text = DOCUMENT.read_text(encoding="utf-8")
    public = []
    for room in ("", ".extend", ".differential_operators", ".test_util", ".misc.optimizers", ".misc.fixed_points"):
        module = importlib.import_module(f"autograd{room}")
        public += [name for name, value in vars(module).items() if not name.startswith("_") and callable(value)
                   and str(getattr(value, "__module__", "")).startswith("autograd")]
    assert len(set(public)) > 40
    own = {"atuple", "get_name", "wraps"}  # what it imports, and a helper
    assert [name for name in {*public} - own if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("name", ["coming_from_autograd.md", "coming_from_jax.md"])
def test_every_name_here_is_there(name: str) -> None:
    """What a row gives for another library's function is a name of ours, of NumPy's or SciPy's, or Python."""
    rows = [row.strip("|").split(" | ") for row in DOCUMENT.with_name(name).read_text(encoding="utf-8").splitlines()
            if row.startswith("| `")]
    assert len(rows) > 20
    for row in rows:
        for code in re.findall(r"`([^`]+)`", row[-1]):
            called = re.match(r"([A-Za-z_][\w.]*)(\(|$)", code)
            if called is None or called[1] in (*keyword.kwlist, *vars(builtins), "pullback", "x", "saving", "tangent"):
                continue
            found: Any = {"np": np, "scipy": scipy, "s2sgrad": s2sgrad}.get(called[1].partition(".")[0])
            parts = called[1].split(".")[found is not None:]
            found = s2sgrad if found is None and parts else found
            for part in parts if found is not None else ():
                found = getattr(found, part)
