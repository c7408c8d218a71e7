"""SciPy's special functions, in their smooth arguments; orders and degrees must be constant.

Where a formula would be the difference of nearly equal numbers, another function of the family gives it: the slope of
``exprel`` is a hypergeometric function, the slope of ``log_ndtr`` a scaled error function.
"""
from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from scipy import special

from s2sgrad import runtime
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.arithmetic import several
from s2sgrad.rules.elementwise import as_it_came, where
from s2sgrad.rules.helpers import helper
from s2sgrad.rules.reductions import over
from s2sgrad.rules.table import Operation

NAMES = {"special": special}
elementwise = functools.partial(table.elementwise, names=NAMES)
general = functools.partial(table.general, names=NAMES)


# ---- gamma and beta

def in_double(of: str) -> Callable[[Operation], Abstract]:
    """Double precision in an operand's shape."""
    def result(op: Operation) -> Abstract:
        shape = op.shape(of)
        return Numeric("any" if shape is None else "array" if shape else "scalar", np.dtype(float), shape)
    return result


def multigammaln_bar(op: Operation) -> str:
    """Digamma at half steps down, as many as the dimension says."""
    steps = ["a", *(f"a - {step / 2!r}" for step in range(1, op.known("d")))]
    return " + ".join(f"special.digamma({step})" for step in steps)


elementwise("scipy.special.gamma(z)", z="y * special.digamma(z)", complex=True)
elementwise("scipy.special.gammaln(x)", x="special.digamma(x)")
elementwise("scipy.special.loggamma(z)", z="special.digamma(z)", complex=True)
# 1 / gamma is smooth at the poles: on the left by reflection
elementwise("scipy.special.rgamma(z)", z=lambda op:
            "right = np.where(z < 0.5, 1.0 - z, z); slope = np.where(z < 0.5, special.gamma(right) * ("
            "np.cos(math.pi * z) - np.sin(math.pi * z) * special.digamma(right) / math.pi), "
            f"-y * special.digamma(right)); g * slope{as_it_came(op)}")
elementwise("scipy.special.digamma(z)", complex=True,
            z=lambda op: "special.zeta(2.0, z)" if op.is_real("z") else "digamma_slope(z)")
elementwise("scipy.special.polygamma(n, x)", x="special.polygamma(n + 1, x)")
general("scipy.special.multigammaln(a, d)", a=lambda op: f"g * ({multigammaln_bar(op)})", result=in_double("a"),
        tangent={"a": lambda op: f"t * ({multigammaln_bar(op)})"})
elementwise("scipy.special.beta(a, b)", a="y * (special.digamma(a) - special.digamma(a + b))",
            b="y * (special.digamma(b) - special.digamma(a + b))")
elementwise("scipy.special.betaln(a, b)", a="special.digamma(a) - special.digamma(a + b)",
            b="special.digamma(b) - special.digamma(a + b)")
# Gamma(z + m) / Gamma(z), which may be 0 on the left: there by the slope of 1 / Gamma(z), as above
elementwise("scipy.special.poch(z, m)", m="y * special.digamma(z + m)", z=lambda op:
            "left = z < 0.5; right = np.where(left, 1.0 - z, 1.0); lower = special.gamma(right) * ("
            "np.cos(math.pi * z) - np.sin(math.pi * z) * special.digamma(right) / math.pi); "
            "slope = y * special.digamma(z + m) + np.where(left, special.gamma(np.where(left, z + m, 1.0)) * lower, "
            f"-y * special.digamma(np.where(left, 1.0, z))); g * slope{as_it_came(op)}")
elementwise("scipy.special.zeta(x, q=None)", q="-x * special.zeta(x + 1, q)")

# incomplete ones, in the bound of the integral: the integrand there, of which the inverses' slopes are the inverses; in
# the shape by how the bound would move if the integral stayed what it is, the logarithm of x and that of x / (1 - x)

def narrowed(op: Operation, text: str) -> str:
    """A parameter in the result's precision, which SciPy would widen where it is a Python number."""
    return text if op.is_double("y") else f"np.asarray({text}, y.dtype)"


def gamma_density(at: str, times: str) -> Callable[[Operation], str]:
    return lambda op: (f"{times} np.exp(special.xlogy({narrowed(op, 'a - 1.0')}, {at}) - {at} - "
                       f"special.gammaln({narrowed(op, 'a')}))")


def beta_density(at: str, times: str) -> Callable[[Operation], str]:
    return lambda op: (f"{times} np.exp(special.xlogy({narrowed(op, 'a - 1.0')}, {at}) "
                       f"+ special.xlog1py({narrowed(op, 'b - 1.0')}, -{at}) "
                       f"- special.betaln({narrowed(op, 'a')}, {narrowed(op, 'b')}))")


def gamma_turn(sign: str) -> Callable[[Operation], str]:
    """The formula of the shape: the density of the logarithm, times the drift."""
    return lambda op: (f"{sign}g * np.exp(special.xlogy({narrowed(op, 'a')}, x) - x - "
                       f"special.gammaln({narrowed(op, 'a')})) * gamma_drift(x, a)")


def beta_turns(sign: str, other: str) -> dict[str, Callable[[Operation], str]]:
    """The formulas of both shapes: the density of the logarithm of the odds, times the drift."""
    def turn(op: Operation, sign: str, drift: str) -> str:
        a, b = narrowed(op, "a"), narrowed(op, "b")
        density = f"np.exp(special.xlogy({a}, x) + special.xlog1py({b}, -x) - special.betaln({a}, {b}))"
        return f"{sign}g * {density} * {drift}"

    return {"a": lambda op: turn(op, sign, "beta_drift(x, a, b)"),
            "b": lambda op: turn(op, other, "beta_drift(1.0 - x, b, a)")}


BETA_MOVES = {"a": "g * y * (1.0 - y) * beta_drift(y, a, b)", "b": "-g * y * (1.0 - y) * beta_drift(1.0 - y, b, a)"}

elementwise("scipy.special.gammainc(a, x)", x=gamma_density("x", "g *"), a=gamma_turn("-"))
elementwise("scipy.special.gammaincc(a, x)", x=gamma_density("x", "-g *"), a=gamma_turn(""))
elementwise("scipy.special.gammaincinv(a, p)", p=gamma_density("y", "g /"), a="g * y * gamma_drift(y, a)")
elementwise("scipy.special.gammainccinv(a, p)", p=gamma_density("y", "-g /"), a="g * y * gamma_drift(y, a)")
elementwise("scipy.special.betainc(a, b, x)", x=beta_density("x", "g *"), **beta_turns("-", ""))
elementwise("scipy.special.betaincinv(a, b, p)", p=beta_density("y", "g /"), **BETA_MOVES)
if hasattr(special, "betaincc"):  # came with SciPy 1.11
    elementwise("scipy.special.betaincc(a, b, x)", x=beta_density("x", "-g *"), **beta_turns("", "-"))
    elementwise("scipy.special.betainccinv(a, b, p)", p=beta_density("y", "-g /"), **BETA_MOVES)


def no_third(op: Operation) -> str:
    raise UnsupportedError("incomplete gamma and beta functions and their distributions have no third derivative where "
                           "a parameter of shape moves", "take differences of second ones, or keep the shape fixed")


# in the point the drifts have a formula, for the density's derivative has; at the ends they are multiplied by 0
helper(runtime.gamma_drift, elementwise=True, names=NAMES, a="g * gamma_drift_in_a(x, a)",
       x="g * (special.digamma(a) - np.log(x) - y * (a - x)) / x")
helper(runtime.beta_drift, elementwise=True, names=NAMES, a="g * beta_drift_in_a(x, a, b)",
       b="g * beta_drift_in_b(x, a, b)",
       x="slope = special.digamma(a) - special.digamma(a + b) - np.log(x) - y * (a - (a + b) * x); "
         "g * divide_or_zero(slope, x * (1.0 - x))")
helper(runtime.gamma_drift_in_a, elementwise=True, x=no_third, a=no_third)
for again in (runtime.beta_drift_in_a, runtime.beta_drift_in_b):
    helper(again, elementwise=True, x=no_third, a=no_third, b=no_third)

# ---- the error function and the normal distribution
elementwise("scipy.special.erf(x)", x="g * (2.0 / math.sqrt(math.pi)) * np.exp(-x ** 2)", complex=True)
elementwise("scipy.special.erfc(x)", x="-g * (2.0 / math.sqrt(math.pi)) * np.exp(-x ** 2)", complex=True)
elementwise("scipy.special.erfcx(x)", x="2.0 * x * y - 2.0 / math.sqrt(math.pi)", complex=True)
elementwise("scipy.special.erfi(x)", x="g * (2.0 / math.sqrt(math.pi)) * np.exp(x ** 2)", complex=True)
elementwise("scipy.special.erfinv(p)", p="g * (0.5 * math.sqrt(math.pi)) * np.exp(y ** 2)")
elementwise("scipy.special.erfcinv(p)", p="-g * (0.5 * math.sqrt(math.pi)) * np.exp(y ** 2)")
elementwise("scipy.special.dawsn(x)", x="1.0 - 2.0 * x * y", complex=True)
elementwise("scipy.special.ndtr(x)", x="g / math.sqrt(2.0 * math.pi) * np.exp(-0.5 * x ** 2)",
            complex=True)
# beyond 37 the slope is 0 but for 300 digits, and that of an infinite function's reciprocal would be NaN
elementwise("scipy.special.log_ndtr(x)", x=lambda op: "g * math.sqrt(2.0 / math.pi) / special.erfcx(-"
            f"{'np.minimum(x, 37.0)' if op.is_real('x') else 'x'} / math.sqrt(2.0))", complex=True)
elementwise("scipy.special.ndtri(p)", p="g * math.sqrt(2.0 * math.pi) * np.exp(0.5 * y ** 2)")
elementwise("scipy.special.ndtri_exp(x)", x="g * math.sqrt(2.0 * math.pi) * np.exp(x + 0.5 * y ** 2)")
elementwise("scipy.special.owens_t(h, a)",
            h="-g * np.exp(-0.5 * h ** 2) * special.erf(a * h / math.sqrt(2.0)) / math.sqrt(8.0 * math.pi)",
            a="g * np.exp(-0.5 * h ** 2 * (1.0 + a ** 2)) / (2.0 * math.pi * (1.0 + a ** 2))")

# its convolution with Cauchy's distribution, the real part of Faddeeva's function
elementwise("scipy.special.wofz(z)", z="g * (2j / math.sqrt(math.pi) - 2.0 * z * y)", complex=True)


def voigt_slope(text: str) -> str:
    return ("z = (x + 1j * gamma) / (math.sqrt(2.0) * sigma); "
            "slope = 2j / math.sqrt(math.pi) - 2.0 * z * special.wofz(z); "
            f"{text} / (2.0 * math.sqrt(math.pi) * sigma ** 2)")


elementwise("scipy.special.voigt_profile(x, sigma, gamma)", x=voigt_slope("g * np.real(slope)"),
            gamma=voigt_slope("-g * np.imag(slope)"),
            sigma=voigt_slope("-g * (math.sqrt(2.0) * np.real(z * slope) + 2.0 * math.sqrt(math.pi) * sigma * y)"))

# ---- logistic functions
elementwise("scipy.special.expit(x)", x="y * (1.0 - y)")
elementwise("scipy.special.logit(x)", x="g / (x * (1.0 - x))")
elementwise("scipy.special.log_expit(x)", x="special.expit(-x)")
if hasattr(special, "softplus"):  # came with SciPy 1.17
    elementwise("scipy.special.softplus(x)", x="special.expit(x)")

# ---- entropies: where x1 is 0 the product is 0 for all x2, also on the border of where the logarithm is defined (as
# in PyTorch), and so is its derivative in x2; within, that is differentiated again as any quotient
elementwise("scipy.special.xlogy(x1, x2)",
            x1=where("(x1 == 0.0) & (x2 <= 0.0)", "0.0", "special.xlogy(g, x2)"),
            x2=where("(x1 == 0.0) & (x2 <= 0.0)", "0.0", "g * x1 / x2"), complex=True)
elementwise("scipy.special.xlog1py(x1, x2)",
            x1=where("(x1 == 0.0) & (x2 <= -1.0)", "0.0", "special.xlog1py(g, x2)"),
            x2=where("(x1 == 0.0) & (x2 <= -1.0)", "0.0", "g * x1 / (1.0 + x2)"), complex=True)
elementwise("scipy.special.entr(x)", x="-g * (np.log(x) + 1.0)")
elementwise("scipy.special.rel_entr(x1, x2)", x1="np.log(x1 / x2) + 1.0", x2="-g * x1 / x2")
elementwise("scipy.special.kl_div(x1, x2)", x1="np.log(x1 / x2)", x2="1.0 - x1 / x2")

# ---- exponentials, powers and angles
elementwise("scipy.special.exp2(x)", x="math.log(2) * y")
elementwise("scipy.special.exp10(x)", x="math.log(10) * y")
elementwise("scipy.special.expm1(x)", x="y + 1.0", complex=True)
elementwise("scipy.special.log1p(x)", x="g / (1.0 + x)", complex=True)
elementwise("scipy.special.cbrt(x)", x="g / (3.0 * y ** 2)")
elementwise("scipy.special.cosm1(x)", x="-g * np.sin(x)")
elementwise("scipy.special.sindg(x)", x="g * (math.pi / 180) * special.cosdg(x)")
elementwise("scipy.special.cosdg(x)", x="-g * (math.pi / 180) * special.sindg(x)")
elementwise("scipy.special.tandg(x)", x="g * (math.pi / 180) * (1.0 + y ** 2)")
elementwise("scipy.special.cotdg(x)", x="-g * (math.pi / 180) * (1.0 + y ** 2)")
elementwise("scipy.special.exprel(x)", x="0.5 * special.hyp1f1(2.0, 3.0, x)")
elementwise("scipy.special.expi(x)", x="g * np.exp(x) / x", complex=True)
elementwise("scipy.special.exp1(x)", x="-g * np.exp(-x) / x", complex=True)
elementwise("scipy.special.expn(n, x)", x=where("n > 0", "-g * special.expn(np.maximum(n - 1, 0), x)",
                                               "-g * (1.0 + 1.0 / x) * np.exp(-x) / x"))
elementwise("scipy.special.spence(z)", z="-g / special.exprel(np.log(z))")
elementwise("scipy.special.wrightomega(z)", z="y / (1.0 + y)", complex=True)
elementwise("scipy.special.lambertw(z, k=0, tol=1e-08)", z="g * np.exp(-y) / (1.0 + y)", complex=True)
general("scipy.special.sici(x)", parts=(0, 1), result=several(2),
        x=("g_0 * np.sinc(x / math.pi)", "g_1 * np.cos(x) / x"),
        tangent={"x": ("t * np.sinc(x / math.pi)", "t * np.cos(x) / x")}, complex=True)
general("scipy.special.shichi(x)", parts=(0, 1), result=several(2),
        x=("g_0 * 0.5 * (special.exprel(x) + special.exprel(-x))", "g_1 * np.cosh(x) / x"),
        tangent={"x": ("t * 0.5 * (special.exprel(x) + special.exprel(-x))", "t * np.cosh(x) / x")})
general("scipy.special.fresnel(z)", parts=(0, 1), result=several(2),
        z=("g_0 * np.sin(0.5 * math.pi * z ** 2)", "g_1 * np.cos(0.5 * math.pi * z ** 2)"),
        tangent={"z": ("t * np.sin(0.5 * math.pi * z ** 2)", "t * np.cos(0.5 * math.pi * z ** 2)")}, complex=True)

# ---- hypergeometric functions, in the last parameter
elementwise("scipy.special.hyp0f1(v, z)", z="special.hyp0f1(v + 1.0, z) / v", complex=True)
elementwise("scipy.special.hyp1f1(a, b, x)", x="a / b * special.hyp1f1(a + 1.0, b + 1.0, x)", complex=True)
elementwise("scipy.special.hyp2f1(a, b, c, z)", z="a * b / c * special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)",
            complex=True)
elementwise("scipy.special.hyperu(a, b, x)", x="-g * a * special.hyperu(a + 1.0, b + 1.0, x)")


def in_precision(text: str) -> Callable[[Operation], str]:
    """A slope in the result's precision, which SciPy widens."""
    return lambda op: text if op.is_double("y") else f"g * np.asarray({text}, y.dtype){as_it_came(op)}"


# ---- elliptic integrals: the complete ones are hypergeometric functions of m
elementwise("scipy.special.ellipk(m)", m=in_precision("(math.pi / 8) * special.hyp2f1(0.5, 0.5, 2.0, m) / (1.0 - m)"))
elementwise("scipy.special.ellipkm1(p)", p=in_precision("(-math.pi / 8) * special.hyp2f1(0.5, 0.5, 2.0, 1.0 - p) / p"))
elementwise("scipy.special.ellipe(m)", m=in_precision("(-math.pi / 8) * special.hyp2f1(0.5, 1.5, 2.0, m)"))
elementwise("scipy.special.ellipkinc(phi, m)", phi="g / np.sqrt(1.0 - m * np.sin(phi) ** 2)")
elementwise("scipy.special.ellipeinc(phi, m)", phi="np.sqrt(1.0 - m * np.sin(phi) ** 2)")
JACOBI = ("y_1 * y_2", "-y_0 * y_2", "-m * y_0 * y_1", "y_2")
general("scipy.special.ellipj(u, m)", parts=(0, 1, 2, 3), result=several(4),
        u=tuple(f"unbroadcast(g_{place} * ({slope}), u.shape)" for place, slope in enumerate(JACOBI)),
        tangent={"u": tuple(f"t * ({slope})" for slope in JACOBI)})

# ---- orthogonal polynomials: of degree -1 they are 0, but for Hermite's, which must not be asked for it
elementwise("scipy.special.eval_legendre(n, x)", x="0.5 * (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, x)",
            complex=True)
elementwise("scipy.special.eval_chebyt(n, x)", x="n * special.eval_chebyu(n - 1, x)", complex=True)
elementwise("scipy.special.eval_chebyu(n, x)", x="2.0 * special.eval_gegenbauer(n - 1, 2.0, x)", complex=True)
elementwise("scipy.special.eval_gegenbauer(n, alpha, x)",
            x="2.0 * alpha * special.eval_gegenbauer(n - 1, alpha + 1.0, x)", complex=True)
elementwise("scipy.special.eval_jacobi(n, alpha, beta, x)",
            x="0.5 * (n + alpha + beta + 1.0) * special.eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)", complex=True)
elementwise("scipy.special.eval_laguerre(n, x)", x="-g * special.eval_genlaguerre(n - 1, 1.0, x)", complex=True)
elementwise("scipy.special.eval_genlaguerre(n, alpha, x)",
            x="-g * special.eval_genlaguerre(n - 1, alpha + 1.0, x)", complex=True)
elementwise("scipy.special.eval_sh_legendre(n, x)",
            x="(n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, 2.0 * x - 1.0)", complex=True)
elementwise("scipy.special.eval_sh_chebyt(n, x)", x="2.0 * n * special.eval_chebyu(n - 1, 2.0 * x - 1.0)", complex=True)
elementwise("scipy.special.eval_sh_chebyu(n, x)", x="4.0 * special.eval_gegenbauer(n - 1, 2.0, 2.0 * x - 1.0)",
            complex=True)
elementwise("scipy.special.eval_chebyc(n, x)", x="n * special.eval_chebyu(n - 1, 0.5 * x)", complex=True)
elementwise("scipy.special.eval_chebys(n, x)", x="special.eval_gegenbauer(n - 1, 2.0, 0.5 * x)", complex=True)
elementwise("scipy.special.eval_hermite(n, x)", x="2.0 * n * special.eval_hermite(np.maximum(n - 1, 0), x)")
elementwise("scipy.special.eval_hermitenorm(n, x)", x="n * special.eval_hermitenorm(np.maximum(n - 1, 0), x)")


def transform_slope(times: str, logarithm: str) -> Callable[[Operation], str]:
    """The power transform is ``log(x) * exprel(lmbda * log(x))``, which is smooth where lmbda is 0."""
    return lambda op: (f"log = {logarithm.format(narrowed(op, 'x'))}; "
                       f"{times} * 0.5 * log ** 2 * special.hyp1f1(2.0, 3.0, lmbda * log)")


elementwise("scipy.special.boxcox(x, lmbda)", x="x ** (lmbda - 1.0)", lmbda=transform_slope("g", "np.log({})"))
elementwise("scipy.special.boxcox1p(x, lmbda)", x="(1.0 + x) ** (lmbda - 1.0)",
            lmbda=transform_slope("g", "np.log1p({})"))
elementwise("scipy.special.inv_boxcox(x, lmbda)", x="y ** (1.0 - lmbda)",
            lmbda=transform_slope("-g * y ** (1.0 - lmbda)", "np.log(y)"))
elementwise("scipy.special.inv_boxcox1p(x, lmbda)", x="(1.0 + y) ** (1.0 - lmbda)",
            lmbda=transform_slope("-g * (1.0 + y) ** (1.0 - lmbda)", "np.log1p(y)"))

# losses: at the corner of Huber's both sides agree
elementwise("scipy.special.huber(delta, r)", r="np.clip(r, -delta, delta)",
            delta=where("abs(r) <= delta", "0.0", "g * (abs(r) - delta)"))
elementwise("scipy.special.pseudo_huber(delta, r)", r="g * r / np.sqrt(1.0 + (r / delta) ** 2)",
            delta="2.0 * y / delta - r ** 2 / (delta * np.sqrt(1.0 + (r / delta) ** 2))")

# ---- Bessel functions
elementwise("scipy.special.j0(x)", x="-g * special.j1(x)")
elementwise("scipy.special.j1(x)", x="0.5 * (special.j0(x) - special.jv(2.0, x))")
elementwise("scipy.special.y0(x)", x="-g * special.y1(x)")
elementwise("scipy.special.y1(x)", x="special.y0(x) - y / x")
elementwise("scipy.special.i0(x)", x="special.i1(x)")
elementwise("scipy.special.i1(x)", x="0.5 * (special.i0(x) + special.iv(2.0, x))")
elementwise("scipy.special.k0(x)", x="-g * special.k1(x)")
elementwise("scipy.special.k1(x)", x="-g * (special.k0(x) + y / x)")
elementwise("scipy.special.jv(v, z)", z="0.5 * (special.jv(v - 1.0, z) - special.jv(v + 1.0, z))", complex=True)
elementwise("scipy.special.yv(v, z)", z="0.5 * (special.yv(v - 1.0, z) - special.yv(v + 1.0, z))", complex=True)
elementwise("scipy.special.yn(n, x)", x="0.5 * (special.yv(n - 1.0, x) - special.yv(n + 1.0, x))")
elementwise("scipy.special.iv(v, z)", z="0.5 * (special.iv(v - 1.0, z) + special.iv(v + 1.0, z))", complex=True)
elementwise("scipy.special.kv(v, z)", z="-0.5 * g * (special.kv(v - 1.0, z) + special.kv(v + 1.0, z))", complex=True)
elementwise("scipy.special.kn(n, x)", x="-0.5 * g * (special.kv(n - 1.0, x) + special.kv(n + 1.0, x))")
# scaled with exp(-abs(x)), which has a kink at 0: as of abs, the mean of both slopes
elementwise("scipy.special.i0e(x)", x="special.i1e(x) - np.sign(x) * y")
elementwise("scipy.special.i1e(x)", x="0.5 * (special.i0e(x) + special.ive(2.0, x)) - np.sign(x) * y")
elementwise("scipy.special.ive(v, z)",
            z="0.5 * (special.ive(v - 1.0, z) + special.ive(v + 1.0, z)) - np.sign(z) * y")
# scaled with exp(x)
elementwise("scipy.special.k0e(x)", x="y - special.k1e(x)")
elementwise("scipy.special.k1e(x)", x="y - special.k0e(x) - y / x")
elementwise("scipy.special.kve(v, z)", z="y - 0.5 * (special.kve(v - 1.0, z) + special.kve(v + 1.0, z))", complex=True)
STRUVE = "0.5 * (special.{0}(v - 1.0, x) {1} special.{0}(v + 1.0, x) + (0.5 * x) ** v * special.rgamma(v + 1.5) / {2})"
for name, sign in (("struve", "-"), ("modstruve", "+")):
    elementwise(f"scipy.special.{name}(v, x)", x=in_precision(STRUVE.format(name, sign, "math.sqrt(math.pi)")))
general("scipy.special.airy(z)", parts=(0, 1, 2, 3), result=several(4),
        z=("g_0 * y_1", "g_1 * z * y_0", "g_2 * y_3", "g_3 * z * y_2"),
        tangent={"z": ("t * y_1", "t * z * y_0", "t * y_3", "t * z * y_2")}, complex=True)


def spherical_slope(name: str, lower: str, upper: str) -> Callable[[Operation], str]:
    """By the functions of the orders around; of the derivative itself there is none."""
    def formula(op: Operation) -> str:
        if op.known("derivative"):
            raise UnsupportedError(f"{op.rule.title} with derivative=True has no derivative rule",
                                   f"differentiate special.{op.rule.title}(n, z) twice")
        around = (f"special.{name}({order}, z)" for order in ("np.maximum(n - 1, 0)", "n + 1"))
        slope = f"({lower}n * {next(around)} {upper} (n + 1) * {next(around)}) / (2 * n + 1)"
        return in_precision(slope)(op)
    return formula


for name, lower, upper in (("spherical_jn", "", "-"), ("spherical_yn", "", "-"), ("spherical_in", "", "+"),
                           ("spherical_kn", "-", "-")):
    elementwise(f"scipy.special.{name}(n, z, derivative=False)", z=spherical_slope(name, lower, upper))


# ---- over axes

def kept(op: Operation, name: str) -> str:
    """What was reduced, with the lost axes back: counted in the result, for weights may have more than ``a``."""
    if op.known("axis") is None or op.known("keepdims") is True or op.rank("a") == 0 and not op.given("b"):
        return name
    return f"np.expand_dims({name}, {op.known('axis')!r})"


def shares(op: Operation) -> str:
    """How each element counts in a sum of exponentials."""
    return f"np.exp(a - {kept(op, 'y')})"


def logsumexp_bar(op: Operation) -> str:
    if not op.given("b"):
        return f"{kept(op, 'g')} * {shares(op)}"
    return f"unbroadcast({kept(op, 'g')} * b * {shares(op)}, a.shape)"


def weights_bar(op: Operation) -> str:
    return f"unbroadcast({kept(op, 'g')} * {shares(op)} * np.ones_like(b), b.shape)"


def logsumexp_dot(op: Operation) -> str:
    weights = "b * " if op.given("b") else ""
    return f"np.sum(t * {weights}{shares(op)}, axis={op.known('axis')!r}, keepdims={op.known('keepdims')!r})"


def weights_dot(op: Operation) -> str:
    return f"np.sum(t * {shares(op)}, axis={op.known('axis')!r}, keepdims={op.known('keepdims')!r})"


general("scipy.special.logsumexp(a, axis=None, b=None, keepdims=False)", a=logsumexp_bar, b=weights_bar,
        tangent={"a": logsumexp_dot, "b": weights_dot}, complex=True)
general("scipy.special.softmax(x, axis=None)", x=lambda op: f"y * (g - np.sum(g * y{over(op)}))",
        tangent={"x": lambda op: f"y * (t - np.sum(t * y{over(op)}))"}, complex=True)
general("scipy.special.log_softmax(x, axis=None)", x=lambda op: f"g - np.exp(y) * np.sum(g{over(op)})",
        tangent={"x": lambda op: f"t - np.sum(t * np.exp(y){over(op)})"}, complex=True)
table.constant("scipy.special.gammasgn(x)")
