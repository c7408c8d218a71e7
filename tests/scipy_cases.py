"""Calls at which the rules of SciPy's functions are tried, written as in :mod:`rule_cases`."""
from __future__ import annotations

from rule_cases import PLANES, TRANSFORMS

try:
    from s2sgrad.rules.scipy_linalg import STACKS
except ImportError:  # the names are listed also where there is no SciPy
    STACKS = False

NUMBERS = ("p(3)", "p(2, 3)", "p(1, 3)", "p()", "c(0.6)", "0.6", "p(0)")
SIGNED = (*NUMBERS, "n(3)", "9 * n(2, 3)", "-0.6")
PAIRS = ("p(3), p(3)", "p(2, 1), p(3)", "p(3), p(1)", "p(2, 3), p()", "p(3), 0.4", "0.4, p(3)", "c(0.6), c(0.3)",
         "0.6, 0.3")
SECOND = ("0.4, p(3)", "2, p(2, 3)", "i(3), p(3)", "i(3), p(2, 3)", "1.5, 0.3", "3, c(0.3)", "0, p()")
"""The first of two arguments has no derivative."""


def special(names: str, cases: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {f"scipy.special.{name}": cases for name in names.split()}


def distribution(name: str, shapes: str, at: str = "p", shift: str = "") -> dict[str, tuple[str, ...]]:
    """Each method, with one argument and more of them, and points where the distribution may not live; ``shapes`` are
    the values of the parameters of shape, ``shift`` what is added to numbers."""
    middle = f", {shapes}" if shapes else ""
    cases = (f"{at}(3){middle}", f"{at}(2, 3){middle}, p(3) - 1.5, p(3) + 2.0", f"{shift}0.4{middle}, scale=1.6",
             f"{shift}c(0.3){middle}, loc=-0.5", f"{shift}0.6{middle}, -0.3, p(3) + 1.0")
    outside = (f"np.array([-1.7, -0.2, 0.6, 3.4]){middle}, -0.1, p(4) + 1.0", f"np.array([-1.7, 0.6]){middle}",
               f"-0.6{middle}, -0.3, 1.2")
    quantiles = (f"p(3){middle}", f"p(2, 3){middle}, n(3), p(3)", f"0.4{middle}, scale=1.6",
                 f"c(0.3){middle}, loc=-0.5")
    more = {"ppf": quantiles, "isf": quantiles, "pdf": (*cases, *outside), "cdf": (*cases, outside[0])}
    return {f"scipy.stats.{name}.{method}": more.get(method, cases)
            for method in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")}


RECURSIVE, TAPS = "p(2), np.array([1.0, -0.4])", "[1.0, 2.0, 0.5]"
SECTION = "np.array([[0.3, 0.2, 0.1, 1.0, -0.4, 0.1]])"

SCIPY_CASES: dict[str, tuple[str, ...]] = {
    **special("erfinv ndtri logit entr erfcinv exp1 expi gammaln loggamma k0 k1 y0 y1 k0e k1e", (*NUMBERS,)),
    **special("gamma rgamma psi", (*NUMBERS, "3 * n(3)", "-0.6")),
    **special("erf erfc erfi dawsn ndtr log_ndtr expit log_expit exp10 exp2 expm1 cosm1 sindg cosdg tandg cotdg "
              "exprel j0 j1 i0 i1 i0e i1e", (*NUMBERS, "n(3)", "2 * n(2, 3)", "-0.6")),
    **special("softplus", (*NUMBERS, "9 * n(2, 3)")),
    **special("erfcx log1p cbrt", NUMBERS),
    "scipy.special.rgamma": (*NUMBERS, "3 * n(3)", "np.array([0.0, -1.0, -4.0, 0.5, 1.0])"),
    "scipy.special.log_ndtr": (*NUMBERS, "np.array([-30.0, -5.0, 4.0, 20.0, 40.0])"),
    **special("beta betaln rel_entr kl_div xlogy xlog1py huber pseudo_huber boxcox boxcox1p", PAIRS),
    "scipy.special.boxcox": (*PAIRS, "p(3), np.zeros(3)", "p(3), 1e-9", "2.0, -3.0"),
    "scipy.special.huber": (*PAIRS, "0.5, n(6)", "p(3), n(2, 3)"),
    "scipy.special.pseudo_huber": (*PAIRS, "p(3), n(2, 3)"),
    "scipy.special.owens_t": (*PAIRS, "n(3), n(3)"),
    **special("inv_boxcox inv_boxcox1p", (*PAIRS, "p(3), 1e-9", "p(3), -0.3")),
    "scipy.special.polygamma": ("0, p(3)", "1, p(2, 3)", "2, 0.6", "i(3), p(3)", "3, c(0.6)", "1, p()"),
    "scipy.special.multigammaln": ("3 + p(3), 1", "3 + p(2, 3), 4", "3.5, 3", "c(3.5), 2", "3 + p(), 2"),
    "scipy.special.poch": (*PAIRS, "n(3), n(2, 3)", "np.array([0.0, -1.0, -2.0]), p(3)", "p(2, 3), 2", "-0.7, 1.5"),
    "scipy.special.zeta": ("2, p(3)", "3.5, p(2, 3)", "2.0, 0.6", "2.5, c(0.6)"),
    **special("gammainc gammaincc gammaincinv gammainccinv", ("0.4, p(3)", "2.5, p(2, 3)", "1, 0.3", "7.5, c(0.6)")),
    **special("betainc betaincinv betaincc betainccinv", (
        "0.4, 2.5, p(3)", "2, 1, p(2, 3)", "1.5, 0.5, 0.3", "7.5, 3.0, c(0.6)")),
    "scipy.special.hyp1f1": ("0.4, 2.5, p(3)", "1.5, 0.5, n(2, 3)", "1.5, 0.5, 0.3", "7.5, 3.0, c(0.6)"),
    **special("jv iv ive kv kve yv", SECOND),
    **special("yn kn", ("0, p(3)", "2, p(2, 3)", "1, 0.3", "3, c(0.3)")),
    "scipy.special.hyp0f1": ("0.4, p(3)", "2.5, n(2, 3)", "1.5, c(0.3)", "3.0, p()"),
    "scipy.special.hyp2f1": ("0.4, 2.5, 1.5, 0.9 * p(3)", "1.5, 0.5, 2.5, -p(2, 3)", "1.5, 0.5, 3.0, 0.3",
                             "0.5, 2.0, 1.5, c(0.6)"),
    "scipy.special.hyperu": ("0.4, 2.5, p(3)", "1.5, 0.5, p(2, 3)", "1.5, 0.5, 0.3", "2.5, 3.0, c(0.6)"),
    **special("ellipk ellipe", (*NUMBERS, "n(3) - 3.0", "np.array([0.0, 1e-9])")),
    "scipy.special.ellipkm1": (*NUMBERS, "np.array([1.0, 0.05])"),
    **special("ellipkinc ellipeinc", ("p(3), 0.4", "n(2, 3), 0.7", "0.6, 0.0", "c(0.6), 0.9", "2.5, -0.3")),
    "scipy.special.ellipj": ("n(3), 0.4", "n(2, 3), 0.7", "0.6, 0.2", "p(3), np.array([[0.2], [0.7]])"),
    **special("eval_legendre eval_chebyt eval_chebyu eval_laguerre eval_hermite eval_hermitenorm eval_sh_legendre "
              "eval_sh_chebyt eval_sh_chebyu eval_chebyc eval_chebys", (
        "3, n(3)", "i(3), n(2, 3)", "0, 0.4", "1, c(0.3)", "4, 0.6", "5, p()")),
    **special("eval_gegenbauer eval_genlaguerre", (
        "3, 1.5, n(3)", "i(3), 0.7, n(2, 3)", "0, 1.2, 0.4", "4, 0.5, c(0.3)")),
    "scipy.special.eval_jacobi": ("3, 1.5, 0.3, n(3)", "i(3), 0.7, 0.2, n(2, 3)", "0, 1.2, 0.5, 0.4",
                                  "4, 0.5, 1.0, c(0.3)"),
    **special("sici fresnel", (*NUMBERS, "3 * n(3)")),
    "scipy.special.airy": (*NUMBERS, "2 * n(3)"),
    "scipy.special.expn": ("2, p(3)", "1, p(2, 3)", "3, 0.3", "4, c(0.3)"),
    **special("spence wrightomega", (*NUMBERS, "np.array([1.0, 2.5])")),
    "scipy.special.lambertw": ("p(3)", "3 * p(2, 3)", "0.6", "c(0.6)", "-0.2 * p(3), -1", "np.zeros(2)"),
    "scipy.special.wofz": ("n(3)", "0.3"),
    "scipy.special.ndtri_exp": ("-p(3)", "-30 * p(2, 3)", "-0.6", "-c(0.3)", "-p()", "-p(0)"),
    "scipy.special.shichi": (*NUMBERS, "3 * n(3)"),
    **special("struve modstruve", (
        "0.4, p(3)", "2, 5 * p(2, 3)", "1.5, 0.3", "3, c(0.3)", "0, p()", "1, np.zeros(2)")),
    "scipy.special.voigt_profile": ("n(3), p(3), p(3)", "n(2, 3), p(3), 0.4", "0.3, 0.7, 0.2", "n(3), 0.5, 0.3"),
    **special("spherical_jn spherical_yn spherical_in spherical_kn", (
        "0, p(3)", "2, p(2, 3)", "i(3), p(3)", "1, 0.3", "3, c(0.3)")),
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
    "scipy.linalg.block_diag": ("n(2, 3)", "n(2, 3), n(1, 1)", "n(2, 2), n(2, 3), n(3, 1)",
                                "n(2), 0.5, n(2, 3), n(3)", "c(0.5), n(1)"),
    "scipy.linalg.cho_solve": (
        "(np.linalg.cholesky(s(3)), True), n(3)", "(s(3), False), n(3, 2)", "(s(3), True), n(3, 2)"),
    "scipy.linalg.lu_factor": ("m(3)", "m(1)", "np.flipud(m(4))"),
    "scipy.linalg.lu": ("m(3)", "np.flipud(m(4))", "m(2, 4)[:, ::-1]", "m(3), check_finite=False"),
    "scipy.signal.savgol_filter": ("n(7), 5, 2", "n(2, 6), 3, 1, mode='wrap'", "n(6, 2), 3, 2, 1, 0.5, 0",
                                   "n(7), 5, 2, mode='nearest'"),
    "scipy.signal.filtfilt": (f"{RECURSIVE}, n(12)", f"{RECURSIVE}, n(5, 2), axis=0, padlen=2",
                              f"{RECURSIVE}, n(6), padtype='even', padlen=3"),
    "scipy.signal.sosfiltfilt": (f"{SECTION}, n(12)", f"{SECTION}, n(2, 6), padlen=2"),
    "scipy.signal.resample": ("n(6), 4", "n(5, 2), 8", "n(2, 6), 9, axis=1"),
    "scipy.signal.detrend": ("n(5)", "n(5, 2), 0", "n(2, 5), type='constant'", "n(6), bp=[3]"),
    "scipy.signal.sosfilt": (f"{SECTION}, n(5)", f"{SECTION}, n(4, 2), axis=0"),
    "scipy.ndimage.convolve1d": (f"n(5), {TAPS}", f"n(4, 3), {TAPS}, 0, mode='nearest'", f"n(5), {TAPS}, origin=1"),
    "scipy.ndimage.correlate1d": (f"n(5), {TAPS}", "n(4, 3), [1.0, 2.0], 0, mode='mirror'",
                                  f"n(5), {TAPS}, mode='wrap'"),
    "scipy.linalg.polar": ("m(3)", "n(4, 2)", "m(3), side='left'", "n(2, 4), 'left'", "np.eye(3)", "m(1)"),
    "scipy.linalg.lu_solve": tuple(f"scipy.linalg.lu_factor(np.flipud(m(3))), n(3{more}), {trans}"
                                   for more in ("", ", 2") for trans in (0, 1)),
    "scipy.linalg.solve_banded": (
        "(1, 1), p(3, 4) + np.array([[0.0], [3.0], [0.0]]), n(4)",
        "(0, 2), p(3, 4) + np.array([[0.0], [0], [3]]), n(4, 2)",
        "(2, 1), p(4, 5) + np.array([[0.0], [3.0], [0.0], [0.0]]), n(5)"),
    "scipy.linalg.solveh_banded": (
        "p(2, 4) + np.array([[0.0], [3.0]]), n(4)", "p(2, 4) + np.array([[3.0], [0.0]]), n(4, 2), lower=True",
        "p(3, 4) + np.array([[5.0], [0.0], [0.0]]), n(4), lower=True"),
    "scipy.linalg.toeplitz": ("n(3)", "n(3), n(4)", "n(4), n(2)", "n(1)"),
    "scipy.linalg.logm": ("np.diag(np.arange(1.0, 4.0)) + 0.1 * n(3, 3)", "np.eye(2) + 0.2 * n(2, 2)"),
    **{f"scipy.linalg.{name}": ("0.3 * n(3, 3)", "n(1, 1)")
       for name in ("sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")},
    "scipy.linalg.sqrtm": ("s(3)", "3 * np.eye(2) + 0.2 * n(2, 2)"),
    "scipy.linalg.solve_continuous_lyapunov": ("m(3), n(3, 3)",),
    "scipy.linalg.eigh": (
        "s(3)", "s(3), lower=False", "s(3), s(3)", "s(3), eigvals_only=True", "s(3), s(3), eigvals_only=True", "s(1)",
        "s(3), s(3), lower=False", "s(3), driver='ev'"),
    "scipy.linalg.eigvalsh": ("s(3)", "s(3), s(3)", "s(3), lower=False"),
    "scipy.linalg.svd": ("m(3), full_matrices=False", "n(2, 4), full_matrices=False", "n(4, 2), full_matrices=False",
                         "n(2, 3), compute_uv=False", "m(3), False, lapack_driver='gesvd'"),
    "scipy.linalg.svdvals": ("n(2, 3)", "m(3)"),
    "scipy.linalg.qr": ("m(3), mode='economic'", "n(4, 2), mode='economic'", "n(2, 4), mode='economic'",
                        "m(3), mode='r'", "n(4, 2), mode='r'", "n(2, 4), mode='r'"),
    "scipy.linalg.pinv": ("n(2, 3)", "n(4, 2)", "m(3)", "n(2, 3), atol=1e-9, rtol=1e-9"),
    "scipy.linalg.lstsq": ("n(4, 2), n(4)", "n(4, 2), n(4, 3)", "n(2, 4), n(2)",
                           "n(4, 2), n(4), 1e-9, lapack_driver='gelss'"),
    **{f"scipy.signal.{name}": (
        "n(5), n(3)", "n(5), n(3), 'same'", "n(5), n(3), 'valid'", "n(3), n(5), 'valid'", "n(4), n(2), 'same'",
        "n(4, 5), n(3, 2)", "n(4, 5), n(3, 2), 'same'", "n(4, 5), n(3, 2), 'valid'", "n(3), n(4), 'same'")
       for name in ("convolve", "fftconvolve", "oaconvolve", "correlate")},
    **{f"scipy.signal.{name}": ("n(4, 5), n(3, 2)", "n(4, 5), n(3, 2), 'same'", "n(4, 5), n(3, 2), mode='valid'")
       for name in ("convolve2d", "correlate2d")},
    "scipy.signal.lfilter": ("n(3), p(2), n(6)", "n(2), p(3), n(2, 5)", "n(2), p(1), n(5, 2), 0", "n(4), p(2), n(3)",
                             "n(3), 1, n(5)", "n(2), 0.6, n(2, 4)", "0.3, p(2), n(4, 2), 0"),
    **dict.fromkeys((f"scipy.fft.{name}" for name in ("fft", "ifft", "rfft", "irfft")), TRANSFORMS),
    **dict.fromkeys((f"scipy.fft.{name}2" for name in ("fft", "ifft", "rfft", "irfft")), PLANES),
    **dict.fromkeys((f"scipy.fft.{name}n" for name in ("fft", "ifft", "rfft", "irfft")), (*PLANES, "n(2, 3, 5)")),
    **{f"scipy.fft.{name}": (
        *(f"n(5), {kind}{norm}" for kind in (1, 2, 3, 4) for norm in ("", ", norm='ortho'", ", norm='forward'")),
        "n(3, 4), axis=0", "n(4), 2, 6", "n(2, 5), 3, n=3, axis=-1", "n(1)")
       for name in ("dct", "idct", "dst", "idst")},
    **dict.fromkeys(("scipy.fftpack.dct", "scipy.fftpack.dst"), (
        *(f"n(5), {kind}{norm}" for kind in (1, 2, 3, 4) for norm in ("", ", norm='ortho'")), "n(3, 4), 2, 6, axis=0")),
    **{f"scipy.fft.{name}": ("n(4)", "n(5)", "n(3, 4), 0", "n(2, 3, 5), (0, 2)") for name in ("fftshift", "ifftshift")},
    **{f"scipy.fft.{name}": ("4, 0.5", "5, d=c(0.3)") for name in ("fftfreq", "rfftfreq")},
    **{f"scipy.fft.{name}": ("n(3, 4), norm='ortho'", "n(3, 4), 3, norm='ortho', axes=(0,)")
       for name in ("dctn", "idctn", "dstn", "idstn")},
    **{f"scipy.ndimage.{name}": (
        *(f"n(6), n({size}), mode='{mode}'" for size in (3, 2, 4)
          for mode in ("reflect", "mirror", "nearest", "constant", "wrap")),
        "n(5, 6), n(3, 2)", "n(5, 6), n(2, 3), mode='nearest'", "n(5, 6), n(3, 3), mode='constant'")
       for name in ("correlate", "convolve")},
    "scipy.ndimage.gaussian_filter": ("n(6), 0.8", "n(5, 6), (0.7, 1.2), mode='wrap'", "n(9), 0.7, mode='constant'",
                                      "n(4, 5), 0.6, truncate=2.0", "n(3), 2.0"),
    "scipy.ndimage.gaussian_filter1d": ("n(6), 0.8", "n(5, 6), 0.7, 0, mode='wrap'"),
    "scipy.ndimage.uniform_filter1d": ("n(6), 3", "n(5, 6), 5, 0, mode='wrap'", "n(6), 3, mode='constant'"),
    "scipy.ndimage.uniform_filter": (
        *("n(6)", "n(5, 6), 5", "n(5, 6), (1, 3)", "n(5, 6), [3, 1]", "n(5, 6), size=3, mode='constant'"),
    ),
    "scipy.ndimage.laplace": ("n(6)", "n(5, 6), mode='wrap'", "n(5, 4), mode='constant'"),
    "scipy.spatial.distance.cdist": (
        "n(3, 2), n(4, 2)", "n(3, 2), n(4, 2), 'sqeuclidean'", "n(3, 2), n(4, 2), metric='cityblock'",
        "n(1, 3), n(2, 3)"),
    "scipy.spatial.distance.pdist": ("n(4, 2)", "n(3, 2), 'sqeuclidean'", "n(4, 3), metric='cityblock'"),
    "scipy.spatial.distance.squareform": ("n(6)", "n(3, 3), checks=False"),
    "scipy.integrate.trapezoid": ("n(4)", "n(4), np.cumsum(p(4))", "n(2, 4), None, 0.5", "n(2, 4), dx=0.5, axis=0"),
    "scipy.integrate.cumulative_trapezoid": (
        "n(4)", "n(4), np.cumsum(p(4))", "n(2, 4), None, 0.5", "n(2, 4), dx=0.5, axis=0", "n(2, 4), initial=0",
        "n(4, 2), np.cumsum(p(4)), axis=0, initial=0"),
    "scipy.integrate.simpson": ("n(5)", "n(4)", "n(4), np.cumsum(np.arange(1.0, 5.0))", "n(2, 5), dx=0.5",
                                "n(5, 2), axis=0"),
    **{f"scipy.stats.multivariate_normal.{method}": (
        "n(3), n(3), s(3)", "n(4, 3), n(3), s(3)", "n(3), n(3), 0.7", "n(2, 3), None, s(3)", "n(3), n(3), p(3)", "n(4)",
        "0.3, 0.2, 0.7") for method in ("logpdf", "pdf")},
    "scipy.stats.multivariate_normal.entropy": ("n(3), s(3)", "None, s(2)"),
    **{f"scipy.stats.dirichlet.{method}": ("0.3 * p(2), p(3)", "0.3 * p(2, 4), p(3)") for method in ("logpdf", "pdf")},
    "scipy.linalg.norm": ("n(3)", "n(2, 3)", "n(2, 3), 'fro'", "n(2, 3), 1, axis=1", "n(3), np.inf", "n(3, 3), 2",
                          "n(2, 3), axis=0, keepdims=True"),
    **{name: cases for family in ("norm", "laplace", "logistic", "cauchy")
       for name, cases in distribution(family, "", "n").items()},
    **distribution("t", "2.5", "n"),
    **distribution("expon", ""),
    **distribution("uniform", "", "0.9 * p"),
    **distribution("lognorm", "0.7"),
    **distribution("f", "3.5, 4.5"),
    **distribution("weibull_min", "1.7"),
    **distribution("pareto", "2.5", "3.0 + p", "3.0 + "),
    **distribution("invgamma", "2.5"),
    **{name: cases for family in ("gumbel_r", "gumbel_l") for name, cases in distribution(family, "", "n").items()},
    **distribution("halfnorm", ""),
    **distribution("rayleigh", ""),
    **distribution("maxwell", ""),
    **distribution("halfcauchy", ""),
    **distribution("truncnorm", "-2.0, 3.0", "n"),
    **distribution("vonmises", "1.5", "n"),
    **distribution("skewnorm", "0.7", "n"),
    **distribution("invgauss", "0.8"),
    **distribution("powerlaw", "1.7"),
    **distribution("lomax", "2.5"),
    **distribution("genpareto", "0.3"),
    **distribution("fisk", "2.5"),
    **distribution("gennorm", "1.7", "n"),
    **distribution("wrapcauchy", "0.45"),
    **distribution("genextreme", "0.3", "n"),
    **distribution("gamma", "2.5"),
    **distribution("chi2", "3.5"),
    **distribution("beta", "2.5, 1.5"),
    "scipy.stats.poisson.logpmf": ("i(3), p(3)", "i(3), p(2, 1)", "2, 0.6", "i(2, 3), 1.5, 0", "-1, 0.6, -2"),
    "scipy.stats.poisson.pmf": ("i(3), p(3)", "i(3), p(2, 1)", "2, 0.6", "-1, 0.6"),
    "scipy.stats.bernoulli.logpmf": ("b(3) * 1, p(3)", "1, 0.6"),
    "scipy.stats.bernoulli.pmf": ("b(3) * 1, p(3)", "1, 0.6", "2, 0.4"),
    "scipy.stats.geom.logpmf": ("i(3) + 1, p(3)", "i(2, 3) + 1, 0.6"),
    "scipy.stats.geom.pmf": ("i(3) + 1, p(3)", "i(2, 3) + 1, 0.6", "0, 0.4"),
    "scipy.stats.nbinom.logpmf": ("i(3), 2.5, p(3)", "i(2, 3), p(3), 0.6", "2, 3, 0.4"),
    "scipy.stats.nbinom.pmf": ("i(3), 2.5, p(3)", "i(2, 3), p(3), 0.6", "2, 3, 0.4", "-1, 3.0, 0.4"),
    **{f"scipy.stats.betabinom.{method}": ("i(3), 4, p(3), p(3)", "i(2, 3), 3, 1.5, 0.6", "2, 3, 0.6, c(0.4)")
       for method in ("logpmf", "pmf")},
    **{f"scipy.stats.poisson.{method}": ("i(3), p(3)", "2, 0.6", "1.5, 0.6, 1", "-1, 0.6") for method in ("cdf", "sf")},
    **{f"scipy.stats.binom.{method}": ("i(3), 4, p(3)", "2, 3, 0.6", "3, 3, 0.6", "-1, 3, 0.6")
       for method in ("cdf", "sf")},
    "scipy.stats.binom.logpmf": ("i(3), 4, p(3)", "i(3), i(2, 1) + 2, p(3)", "2, 3, 0.6", "3, 4, 0.6, 1"),
    "scipy.stats.binom.pmf": ("i(3), 4, p(3)", "2, 3, 0.6", "9, 3, 0.6"),
}

SYSTEMS = ("m(2, 3), n(3)", "m(2, 3), n(2, 3, 2)", "m(3), n(2, 3, 2)", "m(2, 3), n(3, 2)", "m(2, 1, 3), n(2, 3, 1)",
           "m(1, 3), n(2, 3, 2)")
STACKED: dict[str, tuple[str, ...]] = {
    "scipy.linalg.solve": (
        *SYSTEMS, *(f"s(2, 3), n({shape}), assume_a='pos', lower={lower}" for shape in ("3", "2, 3, 2")
                    for lower in (True, False)), "s(3), n(2, 3, 2), assume_a='sym'",
        "s(2, 3), n(3), assume_a='her', lower=True", "s(2, 3), n(3), assume_a='her'"),
    "scipy.linalg.solve_triangular": (
        *SYSTEMS, *(f"m(2, 3), n({shape}), trans={trans}, lower=True, unit_diagonal={trans == 1}"
                    for shape in ("3", "2, 3, 2") for trans in (0, 1))),
    "scipy.linalg.solve_sylvester": (
        "m(2, 3), m(2, 2), n(2, 3, 2)", "m(3), m(2, 2), n(3, 2)", "m(1, 3), m(2), n(2, 3, 2)"),
    **dict.fromkeys(("scipy.linalg.inv", "scipy.linalg.det"), ("m(2, 3)", "m(2, 1, 3)")),
    **{f"scipy.linalg.{name}": ("0.3 * n(2, 3, 3)",)
       for name in ("expm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")},
    "scipy.linalg.sqrtm": ("s(2, 3)",),
    "scipy.linalg.logm": ("np.diag(np.arange(1.0, 4.0)) + 0.1 * n(2, 3, 3)",),
    "scipy.linalg.cholesky": ("s(2, 3)", "s(2, 1, 3), lower=True"),
    "scipy.linalg.cho_factor": ("s(2, 3)", "s(2, 3), lower=True"),
    "scipy.linalg.block_diag": ("n(2, 2, 3), n(2, 1, 1)", "n(2, 2, 3), n(1, 1, 1)"),
    "scipy.linalg.cho_solve": tuple(
        f"({factor}, {lower}), n({shape})" for factor in ("s(2, 3)", "s(3)") for lower in (
            "True", "np.array([False, True])") for shape in ("3", "2, 3, 2")
        if factor == "s(2, 3)" or shape != "3"),
    "scipy.linalg.lu_factor": ("m(2, 3)", "m(2, 4)[:, ::-1]"),
    "scipy.linalg.polar": ("m(2, 3)", "n(2, 2, 4), side='left'"),
    "scipy.linalg.lu_solve": tuple(f"scipy.linalg.lu_factor({a}[..., ::-1, :]), n({shape}), {trans}" for a, shape in (
        ("m(2, 3)", "3"), ("m(2, 3)", "2, 3, 2"), ("m(3)", "2, 3, 2")) for trans in (0, 1)),
    "scipy.linalg.solve_banded": tuple(
        f"(1, 1), p({stack}3, 4) + np.array([[0.0], [3.0], [0.0]]), n({shape})"
        for stack, shape in (("2, ", "4"), ("2, ", "2, 4, 2"), ("", "2, 4, 2"))),
    "scipy.linalg.solveh_banded": tuple(
        f"p({stack}2, 4) + np.array([[3.0], [0.0]]), n({shape}), lower=True"
        for stack, shape in (("2, ", "4"), ("2, ", "2, 4, 2"), ("", "2, 4, 2"))),
    "scipy.linalg.toeplitz": ("n(2, 3)", "n(2, 3), n(2, 4)", "n(3), n(2, 4)"),
    "scipy.linalg.solve_continuous_lyapunov": ("m(2, 3), n(2, 3, 3)", "m(3), n(2, 3, 3)", "m(2, 3), n(3, 3)"),
    "scipy.linalg.eigh": ("s(2, 3)", "s(2, 3), s(2, 3)", "s(3), s(2, 3)", "s(2, 3), s(3), eigvals_only=True",
                          "s(2, 3), lower=False, eigvals_only=True"),
    "scipy.linalg.eigvalsh": ("s(2, 3)", "s(2, 3), s(3), lower=False"),
    "scipy.linalg.svd": ("n(2, 3, 4), full_matrices=False", "n(2, 3, 4), compute_uv=False"),
    "scipy.linalg.svdvals": ("n(2, 3, 4)",),
    "scipy.linalg.qr": ("m(2, 3), mode='economic'", "n(2, 4, 2), mode='economic'"),
    "scipy.linalg.pinv": ("n(2, 4, 2)",),
}
if STACKS:
    for function, more in STACKED.items():
        SCIPY_CASES[function] = (*SCIPY_CASES[function], *more)
