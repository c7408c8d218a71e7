"""SciPy's distributions: densities, their logarithms, distribution functions and quantiles.

The lines are of methods, ``scipy.stats.norm.logpdf``; parameters of shape are differentiated in the densities, and in
the distribution functions and quantiles by how far these move a point, ``paces``, which has a formula or is integrated.
Outside of where a distribution lives the density is 0 and its logarithm infinite, and their derivatives are 0.
"""
from __future__ import annotations

import functools
import re
from collections.abc import Callable

from scipy import special, stats

from s2sgrad.rules import table
from s2sgrad.rules.elementwise import where
from s2sgrad.rules.table import Operation

NAMES = {"stats": stats, "special": special}
elementwise = functools.partial(table.elementwise, names=NAMES)
INFINITE, ZERO, FLAT = "np.isinf(y)", "y == 0.0", "slope == 0.0"
"""What tells that a point is outside of where a distribution lives: of the density's logarithm, of the density, and in
formulas of distribution functions."""


def with_standard(op: Operation, text: str, of: str = "x", outside: str = "", inside: str = "0.5") -> str:
    """A formula after the step that it needs: ``z`` is the point for the distribution with loc=0 and scale=1, or one
    ``inside`` in place of those ``outside``, at which formulas and their derivatives are NaN."""
    place = re.compile(r"\bz\b")
    if not place.search(text):
        return text
    shifted = f"({of} - loc)" if "loc" in op.operands else of
    if outside:
        return f"z = {where(outside, inside, f'{shifted}{per_scale(op)}')(op)}; {text}"
    if "loc" not in op.operands and "scale" not in op.operands:
        return place.sub(of, text)
    return f"z = {shifted}{per_scale(op)}; {text}"


def per_scale(op: Operation) -> str:
    return " / scale" if "scale" in op.operands else ""


def scaled(op: Operation) -> str:
    return " * scale" if "scale" in op.operands else ""


class Family:
    """A distribution: its name, the parameters of its shape, whether it lives on a part of the line only, a point
    there, whatever its shape, and whether the density may be infinite at an end, which no shape moves."""

    def __init__(self, name: str, shapes: tuple[str, ...], bounded: bool, inside: str = "0.5", steep: bool = False):
        self.name = name
        self.shapes = shapes
        self.bounded = bounded
        self.inside = inside
        self.steep = steep

    def line(self, method: str, first: str = "x") -> str:
        return f"scipy.stats.{self.name}.{method}({', '.join([first, *self.shapes, 'loc=0', 'scale=1'])})"

    def call(self, op: Operation, method: str, at: str = "x") -> str:
        """Another method with the same parameters."""
        more = [f"{name}={name}" for name in ("loc", "scale") if name in op.operands]
        return f"stats.{self.name}.{method}({', '.join([at, *self.shapes, *more])})"

    def formula(self, text: Callable[[Operation], str], outside: str) -> Callable[[Operation], str]:
        """0 ``outside`` of where the distribution lives, which a density is itself."""
        def whole(op: Operation) -> str:
            guarded = where(outside, "0.0", text(op))(op) if outside == INFINITE and self.bounded else text(op)
            return with_standard(op, guarded, "x", outside if self.bounded else "", self.inside)
        return whole

    def shaped(self, slope: Callable[[Operation], str], sign: str, pace: str) -> Callable[[Operation], str]:
        """The formula of a parameter of shape that moves points backwards at that pace: the distribution function grows
        as if the point itself went forwards."""
        def whole(op: Operation) -> str:
            text = f"{sign}g * slope{scaled(op)} * ({pace})"
            steps = f"rise = {slope(op)}; slope = np.where(np.isinf(rise), 0.0, rise)" if self.steep else (
                f"slope = {slope(op)}")
            return f"{steps}; {with_standard(op, text, 'x', FLAT, self.inside)}"
        return whole

    def moved(self, slope: Callable[[Operation], str], outside: str, stretched: str = ""
              ) -> dict[str, Callable[[Operation], str]]:
        """The formulas of the point, the location and the scale, from the derivative in the point; ``stretched`` is
        what a density loses besides where the scale grows."""
        texts = {"x": lambda op: f"g * {slope(op)}", "loc": lambda op: f"-g * {slope(op)}",
                 "scale": lambda op: f"-g * (z * {slope(op)}{stretched})"}
        return {name: self.formula(text, outside) for name, text in texts.items()}


def distribution(family: Family, method: str, sign: str, paces: dict[str, str]) -> None:
    """The distribution function, whose derivative is the density, and its logarithm."""
    def slope(op: Operation) -> str:
        return family.call(op, "pdf")

    def logarithm_slope(op: Operation) -> str:
        finite = "np.where(np.isinf(y), 0.0, y)" if family.bounded else "y"  # lest infinities are subtracted
        return f"np.exp({family.call(op, 'logpdf')} - {finite})"

    for name, rise, outside in ((method, slope, ""), (f"log{method}", logarithm_slope, INFINITE)):
        shapes = {shape: family.shaped(rise, sign, pace) for shape, pace in paces.items()}
        moved = family.moved(lambda op, rise=rise: f"{sign}{rise(op)}", outside)  # type: ignore[misc]
        elementwise(family.line(name), **moved, **shapes)


def density(family: Family, score: str, paces: dict[str, str] | None = None, **shapes: str) -> None:
    """The lines of one family: the derivatives of the standard density's logarithm in ``z`` and in the shapes, and how
    far the point where the distribution function has one value moves down where a shape grows."""
    paces = paces or {}
    for method, factor, stretched, outside in (("logpdf", "", "1.0 / scale", INFINITE),
                                               ("pdf", "y * ", "y / scale", ZERO)):
        def slope(op: Operation, factor: str = factor) -> str:
            return f"{factor}({score}){per_scale(op)}"

        partials = {name: family.formula(lambda op, text=f"g * {factor}({text})": text, outside)  # type: ignore[misc]
                    for name, text in shapes.items()}
        elementwise(family.line(method), **family.moved(slope, outside, f" + {stretched}"), **partials)
    distribution(family, "cdf", "", paces)
    distribution(family, "sf", "-", paces)
    for method, sign in (("ppf", ""), ("isf", "-")):
        moved = {shape: lambda op, pace=pace: with_standard(op, f"-g{scaled(op)} * ({pace})", "y")  # type: ignore[misc]
                 for shape, pace in paces.items()}
        elementwise(family.line(method, "q"), loc="g", scale=lambda op: with_standard(op, "g * z", "y"), **moved,
                    q=lambda op, sign=sign: f"{sign}g / {family.call(op, 'pdf', 'y')}")  # type: ignore[misc]


density(Family("norm", (), bounded=False), "-z")
density(Family("laplace", (), bounded=False), "-np.sign(z)")  # at the peak 0, as of abs
density(Family("logistic", (), bounded=False), "-np.tanh(0.5 * z)")
density(Family("cauchy", (), bounded=False), "-2.0 * z / (1.0 + z ** 2)")
density(Family("t", ("df",), bounded=False), "-(df + 1.0) * z / (df + z ** 2)",
        {"df": "0.5 * z * (0.5 * beta_drift(df / (df + z ** 2), 0.5 * df, 0.5) - 1.0 / df)"},
        df="0.5 * (special.digamma(0.5 * (df + 1.0)) - special.digamma(0.5 * df) - 1.0 / df "
           "- np.log1p(z ** 2 / df) + (df + 1.0) * z ** 2 / (df * (df + z ** 2)))")
density(Family("expon", (), bounded=True), "-1.0")
density(Family("gamma", ("a",), bounded=True, steep=True), "(a - 1.0) / z - 1.0",
        {"a": "-z * gamma_drift(z, a)"}, a="special.xlogy(1.0, z) - special.digamma(a)")
density(Family("chi2", ("df",), bounded=True, steep=True), "(0.5 * df - 1.0) / z - 0.5",
        {"df": "-0.5 * z * gamma_drift(0.5 * z, 0.5 * df)"},
        df="0.5 * (special.xlogy(1.0, 0.5 * z) - special.digamma(0.5 * df))")
density(Family("beta", ("a", "b"), bounded=True, steep=True), "(a - 1.0) / z - (b - 1.0) / (1.0 - z)",
        {"a": "-z * (1.0 - z) * beta_drift(z, a, b)", "b": "z * (1.0 - z) * beta_drift(1.0 - z, b, a)"},
        a="special.xlogy(1.0, z) - special.digamma(a) + special.digamma(a + b)",
        b="special.xlog1py(1.0, -z) - special.digamma(b) + special.digamma(a + b)")
density(Family("f", ("dfn", "dfd"), bounded=True, steep=True),
        "(0.5 * dfn - 1.0) / z - 0.5 * (dfn + dfd) * dfn / (dfd + dfn * z)",
        {"dfn": "z * (1.0 / dfn - 0.5 * beta_drift(dfn * z / (dfd + dfn * z), 0.5 * dfn, 0.5 * dfd))",
         "dfd": "z * (0.5 * beta_drift(dfd / (dfd + dfn * z), 0.5 * dfd, 0.5 * dfn) - 1.0 / dfd)"},
        dfn="0.5 * (np.log(dfn / dfd) + 1.0 + special.xlogy(1.0, z) - np.log1p(dfn * z / dfd) "
            "- (dfn + dfd) * z / (dfd + dfn * z) - special.digamma(0.5 * dfn) + special.digamma(0.5 * (dfn + dfd)))",
        dfd="0.5 * ((dfn + dfd) * dfn * z / (dfd * (dfd + dfn * z)) - dfn / dfd - np.log1p(dfn * z / dfd) "
            "- special.digamma(0.5 * dfd) + special.digamma(0.5 * (dfn + dfd)))")
density(Family("uniform", (), bounded=True), "0.0 * z")
density(Family("lognorm", ("s",), bounded=True), "-(1.0 + np.log(z) / s ** 2) / z", {"s": "-special.xlogy(z, z) / s"},
        s="(np.log(z) / s) ** 2 / s - 1.0 / s")
density(Family("weibull_min", ("c",), bounded=True, steep=True), "(c - 1.0 - c * z ** c) / z",
        {"c": "special.xlogy(z, z) / c"},
        c="1.0 / c + np.log(z) * (1.0 - z ** c)")
density(Family("pareto", ("b",), bounded=True), "-(b + 1.0) / z", {"b": "special.xlogy(z, z) / b"},
        b="1.0 / b - np.log(z)")
density(Family("invgamma", ("a",), bounded=True), "(1.0 / z - a - 1.0) / z",
        {"a": "z * gamma_drift(1.0 / z, a)"}, a="-np.log(z) - special.digamma(a)")
density(Family("gumbel_r", (), bounded=False), "np.exp(-z) - 1.0")
density(Family("gumbel_l", (), bounded=False), "1.0 - np.exp(z)")
density(Family("halfnorm", (), bounded=True), "-z")
density(Family("rayleigh", (), bounded=True), "1.0 / z - z")
density(Family("maxwell", (), bounded=True), "2.0 / z - z")
density(Family("halfcauchy", (), bounded=True), "-2.0 * z / (1.0 + z ** 2)")
density(Family("truncnorm", ("a", "b"), bounded=True), "-z",
        {"a": "-np.exp(0.5 * (z ** 2 - a ** 2)) * stats.truncnorm.sf(z, a, b)",
         "b": "-np.exp(0.5 * (z ** 2 - b ** 2)) * stats.truncnorm.cdf(z, a, b)"},
        a="stats.truncnorm.pdf(a, a, b)", b="-stats.truncnorm.pdf(b, a, b)")
density(Family("vonmises", ("kappa",), bounded=False), "-kappa * np.sin(z)",
        kappa="np.cos(z) - special.i1e(kappa) / special.i0e(kappa)")
density(Family("skewnorm", ("a",), bounded=False),
        "a * math.sqrt(2.0 / math.pi) / special.erfcx(-a * z / math.sqrt(2.0)) - z",
        {"a": "-math.sqrt(2.0 / math.pi) / ((1.0 + a ** 2) * special.erfcx(-a * z / math.sqrt(2.0)))"},
        a="math.sqrt(2.0 / math.pi) * z / special.erfcx(-a * z / math.sqrt(2.0))")
density(Family("invgauss", ("mu",), bounded=True), "0.5 / z ** 2 - 0.5 / mu ** 2 - 1.5 / z",
        {"mu": "-math.sqrt(2.0 * math.pi) * z ** 1.5 / mu ** 2 * special.erfcx((z / mu + 1.0) / np.sqrt(2.0 * z))"},
        mu="(z - mu) / mu ** 3")
density(Family("powerlaw", ("a",), bounded=True), "(a - 1.0) / z", {"a": "special.xlogy(z, z) / a"},
        a="1.0 / a + np.log(z)")
density(Family("lomax", ("c",), bounded=True), "-(c + 1.0) / (1.0 + z)", {"c": "(1.0 + z) * np.log1p(z) / c"},
        c="1.0 / c - np.log1p(z)")
density(Family("genpareto", ("c",), bounded=True, inside="0.0"), "-(1.0 + c) / (1.0 + c * z)",
        {"c": "(z - (1.0 + c * z) * z / special.exprel(np.log1p(c * z))) / c"},
        c="np.log1p(c * z) / c ** 2 - (1.0 + 1.0 / c) * z / (1.0 + c * z)")
density(Family("fisk", ("c",), bounded=True, steep=True), "(c - 1.0 - 2.0 * c * z ** c / (1.0 + z ** c)) / z",
        {"c": "special.xlogy(z, z) / c"},
        c="1.0 / c + np.log(z) * (1.0 - z ** c) / (1.0 + z ** c)")

density(Family("gennorm", ("beta",), bounded=False), "-beta * np.sign(z) * np.abs(z) ** (beta - 1.0)",
        {"beta": "special.xlogy(z, np.abs(z)) / beta "
                 "+ z * gamma_drift(np.abs(z) ** beta, 1.0 / beta) / beta ** 3"},
        beta="1.0 / beta + special.digamma(1.0 / beta) / beta ** 2 - special.xlogy(np.abs(z) ** beta, np.abs(z))")
density(Family("wrapcauchy", ("c",), bounded=True), "-2.0 * c * np.sin(z) / (1.0 + c ** 2 - 2.0 * c * np.cos(z))",
        {"c": "2.0 * np.sin(z) / (1.0 - c ** 2)"},
        c="-2.0 * c / (1.0 - c ** 2) - 2.0 * (c - np.cos(z)) / (1.0 + c ** 2 - 2.0 * c * np.cos(z))")
# the exponent is log(1 - c z) / c, which is -z where c is 0
density(Family("genextreme", ("c",), bounded=True, inside="0.0"),
        "(c - 1.0 + np.exp(-z / special.exprel(np.log1p(-c * z)))) / (1.0 - c * z)",
        {"c": "(z - (1.0 - c * z) * z / special.exprel(np.log1p(-c * z))) / c"},
        c="np.expm1(-z / special.exprel(np.log1p(-c * z))) * ("
          "z / (1.0 - c * z) - z / special.exprel(np.log1p(-c * z))) / c + z / (1.0 - c * z)")


# ---- counts: of which the numbers are constant

def of_counts(line: str, **slopes: str) -> None:
    """The probabilities of a family and their logarithms, in the parameters that are smooth."""
    family = line.partition("(")[0]
    elementwise(line, **{name: where("np.isinf(y)", "0.0", f"g * ({slope})") for name, slope in slopes.items()})
    elementwise(line.replace(family, family.replace("logpmf", "pmf")), **{
        name: f"g * y * ({slope})" for name, slope in slopes.items()})


of_counts("scipy.stats.poisson.logpmf(k, mu, loc=0)", mu="(k - loc) / mu - 1.0")
of_counts("scipy.stats.binom.logpmf(k, n, p, loc=0)", p="(k - loc) / p - (n - k + loc) / (1.0 - p)")
of_counts("scipy.stats.bernoulli.logpmf(k, p, loc=0)", p="(k - loc) / p - (1.0 - k + loc) / (1.0 - p)")
of_counts("scipy.stats.geom.logpmf(k, p, loc=0)", p="1.0 / p - (k - loc - 1.0) / (1.0 - p)")
of_counts("scipy.stats.nbinom.logpmf(k, n, p, loc=0)", p="n / p - (k - loc) / (1.0 - p)",
          n="special.digamma(np.maximum(k - loc, 0) + n) - special.digamma(n) + np.log(p)")
of_counts("scipy.stats.betabinom.logpmf(k, n, a, b, loc=0)",
          a="special.digamma(np.maximum(k - loc, 0) + a) - special.digamma(n + a + b) "
            "- special.digamma(a) + special.digamma(a + b)",
          b="special.digamma(np.maximum(n - k + loc, 0) + b) - special.digamma(n + a + b) "
            "- special.digamma(b) + special.digamma(a + b)")
for method, sign in (("cdf", "-"), ("sf", "")):
    elementwise(f"scipy.stats.poisson.{method}(k, mu, loc=0)",
                mu=f"{sign}g * stats.poisson.pmf(np.floor(k - loc), mu)")
    elementwise(f"scipy.stats.binom.{method}(k, n, p, loc=0)",
                p=f"{sign}g * n * stats.binom.pmf(np.floor(k - loc), n - 1, p)")
