"""Calls at which the rules of SciPy's functions are tried, written as in :mod:`rule_cases`."""
from __future__ import annotations

NUMBERS = ("p(3)", "p(2, 3)", "p(1, 3)", "p()", "c(0.6)", "0.6", "p(0)")
SIGNED = (*NUMBERS, "n(3)", "9 * n(2, 3)", "-0.6")
PAIRS = ("p(3), p(3)", "p(2, 1), p(3)", "p(3), p(1)", "p(2, 3), p()", "p(3), 0.4", "0.4, p(3)", "c(0.6), c(0.3)",
         "0.6, 0.3")
SECOND = ("0.4, p(3)", "2, p(2, 3)", "i(3), p(3)", "i(3), p(2, 3)", "1.5, 0.3", "3, c(0.3)", "0, p()")
"""The first of two arguments has no derivative."""


def special(names: str, cases: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {f"scipy.special.{name}": cases for name in names.split()}


def distribution(name: str, shapes: str, at: str = "p") -> dict[str, tuple[str, ...]]:
    """Each method, with one argument and more of them; ``shapes`` are the values of the parameters of shape."""
    middle = f", {shapes}" if shapes else ""
    cases = (f"{at}(3){middle}", f"{at}(2, 3){middle}, p(3) - 1.5, p(3) + 2.0", f"0.4{middle}, scale=1.6",
             f"c(0.3){middle}, loc=-0.5", f"0.6{middle}, -0.3, p(3) + 1.0")
    quantiles = (f"p(3){middle}", f"p(2, 3){middle}, n(3), p(3)", f"0.4{middle}, scale=1.6",
                 f"c(0.3){middle}, loc=-0.5")
    return {f"scipy.stats.{name}.{method}": quantiles if method == "ppf" else cases
            for method in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf")}


SCIPY_CASES: dict[str, tuple[str, ...]] = {
    **special("erfinv ndtri logit entr erfcinv exp1 expi gammaln loggamma k0 k1 y0 y1 k0e k1e", (*NUMBERS,)),
    **special("gamma rgamma psi", (*NUMBERS, "3 * n(3)", "-0.6")),
    **special("erf erfc erfi dawsn ndtr log_ndtr expit log_expit exp10 exp2 expm1 cosm1 sindg cosdg tandg cotdg "
              "exprel j0 j1 i0 i1 i0e i1e", (*NUMBERS, "n(3)", "2 * n(2, 3)", "-0.6")),
    **special("softplus", (*NUMBERS, "9 * n(2, 3)")),
    **special("erfcx log1p cbrt", NUMBERS),
    "scipy.special.rgamma": (*NUMBERS, "3 * n(3)", "np.array([0.0, -1.0, -4.0, 0.5, 1.0])"),
    "scipy.special.log_ndtr": (*NUMBERS, "np.array([-30.0, -5.0, 4.0, 20.0])"),
    **special("beta betaln rel_entr kl_div xlogy xlog1py huber pseudo_huber boxcox boxcox1p", PAIRS),
    "scipy.special.boxcox": (*PAIRS, "p(3), np.zeros(3)", "p(3), 1e-9", "2.0, -3.0"),
    "scipy.special.huber": (*PAIRS, "0.5, n(6)", "p(3), n(2, 3)"),
    "scipy.special.pseudo_huber": (*PAIRS, "p(3), n(2, 3)"),
    "scipy.special.owens_t": (*PAIRS, "n(3), n(3)"),
    **special("inv_boxcox inv_boxcox1p", (*PAIRS, "p(3), 1e-9", "p(3), -0.3")),
    "scipy.special.polygamma": ("0, p(3)", "1, p(2, 3)", "2, 0.6", "i(3), p(3)", "3, c(0.6)", "1, p()"),
    "scipy.special.multigammaln": ("3 + p(3), 1", "3 + p(2, 3), 4", "3.5, 3", "c(3.5), 2", "3 + p(), 2"),
    "scipy.special.zeta": ("2, p(3)", "3.5, p(2, 3)", "2.0, 0.6", "2.5, c(0.6)"),
    **special("gammainc gammaincc gammaincinv gammainccinv", ("0.4, p(3)", "2.5, p(2, 3)", "1, 0.3", "7.5, c(0.6)")),
    **special("betainc betaincinv", ("0.4, 2.5, p(3)", "2, 1, p(2, 3)", "1.5, 0.5, 0.3", "7.5, 3.0, c(0.6)")),
    "scipy.special.hyp1f1": ("0.4, 2.5, p(3)", "1.5, 0.5, n(2, 3)", "1.5, 0.5, 0.3", "7.5, 3.0, c(0.6)"),
    **special("jv iv ive kv kve yv", SECOND),
    **special("yn kn", ("0, p(3)", "2, p(2, 3)", "1, 0.3", "3, c(0.3)")),
    "scipy.special.logsumexp": (
        "n(3)", "n(2, 3)", "n(2, 3), axis=1", "n(2, 3), axis=0, keepdims=True", "n(2, 3, 4), (0, 2)",
        "n(2, 3, 4), axis=(-1, 0)", "n(2, 3), keepdims=True", "n(3), b=p(3)", "n(3), b=p(2, 3)", "n(2, 3), b=p(3)",
        "n(2, 3), 1, p(3)", "n(3), axis=0, b=p(2, 3)", "n(2, 3), axis=-1, b=p(2, 1), keepdims=True", "n(3), b=0.5",
        "n(1, 3), axis=1"),
    **special("softmax log_softmax", (
        "n(3)", "n(2, 3)", "n(2, 3), axis=1", "n(2, 3), axis=-1", "n(2, 3, 4), (0, 2)", "n(1, 3), axis=0")),
    "scipy.linalg.solve": (
        "m(3), n(3)", "m(3), n(3, 2)", "m(1), n(1)", "s(3), n(3), assume_a='sym'", "s(3), n(3, 2), assume_a='pos'",
        "s(3), n(3), assume_a='pos', lower=True", "s(3), n(3, 2), assume_a='sym', lower=True", "s(3), n(3)",
        "m(3), n(3), assume_a='gen', check_finite=False"),
    "scipy.linalg.solve_triangular": tuple(
        f"m(3), n(3{more}), trans={trans}, lower={lower}, unit_diagonal={unit}"
        for more in ("", ", 2") for trans in (0, 1, "'T'") for lower in (True, False) for unit in (True, False)),
    "scipy.linalg.solve_sylvester": ("m(3), m(2), n(3, 2)", "m(2), m(2), n(2, 2)"),
    "scipy.linalg.inv": ("m(3)", "m(1)"),
    "scipy.linalg.det": ("m(3)", "m(1)"),
    "scipy.linalg.expm": ("n(3, 3)", "s(2)", "n(1, 1)", "np.zeros((2, 2))"),
    "scipy.linalg.cholesky": ("s(3)", "s(3), lower=True", "s(3), True", "s(1)"),
    "scipy.linalg.cho_factor": ("s(3)", "s(3), lower=True", "s(1)"),
    "scipy.linalg.block_diag": ("n(2, 3)", "n(2, 3), n(1, 1)", "n(2, 2), n(2, 3), n(3, 1)"),
    "scipy.linalg.norm": ("n(3)", "n(2, 3)", "n(2, 3), 'fro'", "n(2, 3), 1, axis=1", "n(3), np.inf", "n(3, 3), 2",
                          "n(2, 3), axis=0, keepdims=True"),
    **{name: cases for family in ("norm", "laplace", "logistic", "cauchy")
       for name, cases in distribution(family, "", "n").items()},
    **distribution("t", "2.5", "n"),
    **distribution("expon", ""),
    **distribution("gamma", "2.5"),
    **distribution("chi2", "3.5"),
    **distribution("beta", "2.5, 1.5"),
    "scipy.stats.poisson.logpmf": ("i(3), p(3)", "i(3), p(2, 1)", "2, 0.6", "i(2, 3), 1.5, 0", "-1, 0.6, -2"),
    "scipy.stats.poisson.pmf": ("i(3), p(3)", "i(3), p(2, 1)", "2, 0.6", "-1, 0.6"),
    "scipy.stats.binom.logpmf": ("i(3), 4, p(3)", "i(3), i(2, 1) + 2, p(3)", "2, 3, 0.6", "3, 4, 0.6, 1"),
    "scipy.stats.binom.pmf": ("i(3), 4, p(3)", "2, 3, 0.6", "9, 3, 0.6"),
}
