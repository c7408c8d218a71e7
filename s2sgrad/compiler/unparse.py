"""Syntax tree -> source text."""
from __future__ import annotations

import ast
from typing import Any

import gast


def unparse(node: Any) -> str:
    """The text of an expression or statement."""
    return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(node)))
