"""SciPy's distributions of several variables."""
from __future__ import annotations

import functools
from collections.abc import Callable

from scipy import special, stats

from s2sgrad.rules import table
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names={"stats": stats, "special": special})


# ---- the normal distribution: of the covariance SciPy reads the lower triangle

def normal_bar(part: int, density: bool) -> Callable[[Operation], str]:
    step = f"bars = normal_bars({'g * y' if density else 'g'}, x, mean, cov); "
    return lambda op: f"{step}bars[{part}]"


def normal_dots(factor: str) -> dict[str, str]:
    """The tangents in the point, the mean and the covariance."""
    return {"x": f"{factor}normal_point_dot(t, y, x, mean, cov)",
            "mean": f"{factor}-normal_point_dot(t, y, x, mean, cov)",
            "cov": f"{factor}normal_spread_dot(t, y, x, mean, cov)"}


for method, factor in (("logpdf", ""), ("pdf", "y * ")):
    bars = {name: normal_bar(part, method == "pdf") for part, name in enumerate(("x", "mean", "cov"))}
    general(f"scipy.stats.multivariate_normal.{method}(x, mean=None, cov=1)", **bars, tangent=normal_dots(factor))
general("scipy.stats.multivariate_normal.entropy(mean=None, cov=1)", mean=table.ZERO,
        cov="normal_entropy_bar(g, mean, cov)", tangent={"cov": "normal_entropy_dot(t, y, mean, cov)"})


# ---- Dirichlet's: of the shares in x the last may be left out

def dirichlet_point(op: Operation) -> str:
    g = "g * y" if op.rule.title == "pdf" else "g"
    return f"dirichlet_point_bar({g}, x, alpha)"


SLOPE = "special.digamma(np.sum(alpha)) - special.digamma(alpha)"


def dirichlet_shape(op: Operation) -> str:
    g = "g * y" if op.rule.title == "pdf" else "g"
    return f"np.sum({g}) * ({SLOPE}) + dirichlet_logarithms({g}, x, alpha)"


for method, factor in (("logpdf", ""), ("pdf", "y * ")):
    general(f"scipy.stats.dirichlet.{method}(x, alpha)", x=dirichlet_point, alpha=dirichlet_shape, tangent={
        "x": f"{factor}dirichlet_point_dot(t, x, alpha)",
        "alpha": f"{factor}(np.sum(t * ({SLOPE})) + dirichlet_shape_dot(t, x, alpha))"})
