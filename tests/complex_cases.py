"""Calls of rules with complex operands beyond those of ``rule_cases``, and those of them that are for real numbers."""
from __future__ import annotations

from scipy_cases import SCIPY_CASES

COMPLEX_CASES: dict[str, tuple[str, ...]] = {
    "np.absolute": ("3j", "-2 + 1j"),
    "abs": ("3j", "-2 + 1j", "c(0.5)"),
    "np.power": ("n(3), 2j", "1j, n(3)", "n(3), -2", "-0.5, n(3)", "n(3), 1.5 - 0.5j", "p(3), n(3)"),
    "np.arccosh": ("-1 - p(3)", "n(4)"),
    "np.arcsin": ("2 * n(4)",),
    "np.arccos": ("2 * n(4)",),
    "np.arctan": ("2 * n(4)",),
    "np.arcsinh": ("2 * n(4)",),
    "np.arctanh": ("2 * n(4)",),
    "np.sqrt": ("n(4)", "-2 + 1j"),
    "np.log": ("n(4)", "-2 + 1j"),
    "np.sign": ("n(3)", "-2 + 1j", "c(0.5)"),
    "np.angle": ("n(3), True", "-2 + 1j"),
    ".astype": ("n(3), complex", "n(3), np.complex64", "n(2, 3), np.complex128"),
    "np.array": ("[n(3), n(3)], complex", "[0.5, 1j * c(0.5)]"),
    "np.asarray": ("n(3), complex",),
    "complex": ("0.5j, 0.3", "0.5, 1j"),
    "np.linalg.det": ("np.outer(n(3), n(3))",),
    "scipy.linalg.cho_solve": ("(c(np.linalg.cholesky(s(3)).real), True), n(3)", "(m(3), False), c(p(3))"),
    "np.linalg.eigh": ("s(3), 'U'",),
    "np.linalg.eig": ("m(3)", "m(2, 3)"),
    "np.linalg.eigvalsh": ("s(3)", "s(2, 3), 'U'"),
    "np.linalg.svd": ("n(3, 4), compute_uv=False", "n(4, 3), compute_uv=False", "n(2, 4, 3), compute_uv=False"),
    "scipy.linalg.solve": tuple(f"{matrix}, n(3), assume_a={kind!r}, lower={lower}" for matrix, kind in (
        ("s(3)", "pos"), ("s(3)", "her"), ("m(3) + n(3).T", "sym")) for lower in (True, False)),
    "np.where": ("b(3), n(3), 1j", "b(3), 0.5, n(3)"),
    "sum": ("[n(3), n(3)]", "[0.5j, 0.25]", "n(3), 1j"),
}
"""By the label of a rule."""

REAL_ALONE = {("scipy.linalg.eigh", case) for case in SCIPY_CASES["scipy.linalg.eigh"]
              if case.count("s(") == 2 and "=" not in case}
"""Cases that are refused for complex numbers: of two matrices' vectors whose phases the lower triangles leave open."""

NEVER_MIXED = {"scipy.linalg.solve_sylvester"}
"""What is refused where some operands are complex and others real."""
