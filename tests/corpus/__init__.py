"""Small programs to differentiate, by theme: plain functions over NumPy and math that know nothing of s2sgrad.

``PROGRAMS`` lists them all. Arguments stay away from kinks and singularities unless a program says otherwise.
"""
from __future__ import annotations

from importlib import import_module
from pathlib import Path

from corpus.registry import PROGRAMS, Program, assert_same, is_of_floats, is_real_number, leaves

for _path in sorted(Path(__file__).parent.glob("*.py")):
    if _path.stem not in ("__init__", "registry"):
        import_module(f"corpus.{_path.stem}")

__all__ = ["PROGRAMS", "Program", "assert_same", "is_of_floats", "is_real_number", "leaves"]
