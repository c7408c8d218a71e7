"""Syntax tree -> source text, for the expressions of generated code.

astunparse as it stands writes ``x[(:, 0)]`` for ``x[:, 0]``, parenthesises everything, and ``Constant(-2.0) ** 2``
comes out of every unparser as -4. Here each expression is written with the parentheses that it needs and no others.
Statements, of which the compiler keeps only a few as they are, are left to astunparse, around these expressions.
f-strings are left to the standard library.
"""
from __future__ import annotations

import ast
import io
import warnings
from typing import Any

import gast

with warnings.catch_warnings():  # it names node classes that newer Pythons deprecate
    warnings.simplefilter("ignore", DeprecationWarning)
    import astunparse

# binding strength, from Python's grammar; an operand that binds more loosely than its place gets parentheses
TUPLE, TERNARY, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, SIGN, POWER, AWAIT, ATOM = range(16)

BINARY: dict[type, tuple[str, int]] = {
    gast.Add: ("+", SUM), gast.Sub: ("-", SUM), gast.Mult: ("*", PRODUCT), gast.Div: ("/", PRODUCT),
    gast.FloorDiv: ("//", PRODUCT), gast.Mod: ("%", PRODUCT), gast.MatMult: ("@", PRODUCT), gast.Pow: ("**", POWER),
    gast.LShift: ("<<", SHIFT), gast.RShift: (">>", SHIFT), gast.BitOr: ("|", BITOR), gast.BitXor: ("^", BITXOR),
    gast.BitAnd: ("&", BITAND),
}
UNARY: dict[type, tuple[str, int]] = {
    gast.USub: ("-", SIGN), gast.UAdd: ("+", SIGN), gast.Invert: ("~", SIGN), gast.Not: ("not ", NOT),
}
COMPARISONS: dict[type, str] = {
    gast.Eq: "==", gast.NotEq: "!=", gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Is: "is",
    gast.IsNot: "is not", gast.In: "in", gast.NotIn: "not in",
}
BOOLEAN: dict[type, tuple[str, int]] = {gast.And: (" and ", AND), gast.Or: (" or ", OR)}
TABLES: tuple[dict[type, Any], ...] = (BINARY, UNARY, COMPARISONS, BOOLEAN)
for table in TABLES:  # the standard library's nodes are written alike
    for kind in list(table):
        twin = getattr(ast, kind.__name__, None)
        if twin is not None:
            table[twin] = table[kind]


def unparse(node: Any) -> str:
    """The text of an expression, without parentheses around it, or of a statement, which ends with a newline."""
    if isinstance(node, (gast.stmt, ast.stmt, gast.Module, ast.Module)):
        return _statement(node)
    if isinstance(node, (gast.arguments, ast.arguments)):
        return arguments(node)
    return _text(node, TUPLE)


def _statement(node: Any) -> str:
    stream = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        Statements(node, stream)
    return stream.getvalue().lstrip("\n").rstrip() + "\n"


def _text(node: Any, place: int) -> str:
    """An expression as it stands at a place that binds so strongly."""
    text, strength = WRITERS[type(node).__name__](node)
    return f"({text})" if strength < place else text


def _name(node: Any) -> tuple[str, int]:
    return node.id, ATOM


def _constant(node: Any) -> tuple[str, int]:
    value = node.value
    if value is ...:
        return "...", ATOM
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        text = repr(value)
        if "inf" in text:
            text = text.replace("inf", "1e999")
        if text == "nan":
            return "(1e999 - 1e999)", ATOM
        return text, SIGN if text.startswith("-") else ATOM
    if isinstance(value, complex):
        text = repr(value).replace("inf", "1e999")
        if "nan" in text:
            return "(1e999j - 1e999j)", ATOM
        return text, ATOM if text.startswith("(") else SIGN if text.startswith("-") else ATOM
    return repr(value), ATOM


def _binary(node: Any) -> tuple[str, int]:
    symbol, strength = BINARY[type(node.op)]
    if strength == POWER:  # binds its base tighter, and to the right; a sign may stand in its exponent
        return f"{_text(node.left, AWAIT)} ** {_text(node.right, SIGN)}", POWER
    return f"{_text(node.left, strength)} {symbol} {_text(node.right, strength + 1)}", strength


def _unary(node: Any) -> tuple[str, int]:
    symbol, strength = UNARY[type(node.op)]
    return symbol + _text(node.operand, strength), strength


def _boolean(node: Any) -> tuple[str, int]:
    symbol, strength = BOOLEAN[type(node.op)]
    return symbol.join(_text(value, strength + 1) for value in node.values), strength


def _compare(node: Any) -> tuple[str, int]:
    parts = [_text(node.left, COMPARE + 1)]
    for operator, right in zip(node.ops, node.comparators):
        parts += [COMPARISONS[type(operator)], _text(right, COMPARE + 1)]
    return " ".join(parts), COMPARE


def _ternary(node: Any) -> tuple[str, int]:
    return f"{_text(node.body, OR)} if {_text(node.test, OR)} else {_text(node.orelse, TERNARY)}", TERNARY


def _tuple(node: Any) -> tuple[str, int]:
    if not node.elts:
        return "()", ATOM
    text = ", ".join(_text(item, TERNARY) for item in node.elts)
    return (f"{text}," if len(node.elts) == 1 else text), TUPLE


def _list(node: Any) -> tuple[str, int]:
    return f"[{', '.join(_text(item, TERNARY) for item in node.elts)}]", ATOM


def _set(node: Any) -> tuple[str, int]:
    if not node.elts:
        return "{*()}", ATOM
    return f"{{{', '.join(_text(item, TERNARY) for item in node.elts)}}}", ATOM


def _dict(node: Any) -> tuple[str, int]:
    items = [f"**{_text(value, BITOR)}" if key is None else f"{_text(key, TERNARY)}: {_text(value, TERNARY)}"
             for key, value in zip(node.keys, node.values)]
    return f"{{{', '.join(items)}}}", ATOM


def _starred(node: Any) -> tuple[str, int]:
    return f"*{_text(node.value, BITOR)}", ATOM


def _attribute(node: Any) -> tuple[str, int]:
    value = _text(node.value, ATOM)
    if isinstance(getattr(node.value, "value", None), int) and value.isdigit():
        value = f"({value})"  # 1.real is no expression
    return f"{value}.{node.attr}", ATOM


def _call(node: Any) -> tuple[str, int]:
    only = len(node.args) == 1 and not node.keywords and type(node.args[0]).__name__ == "GeneratorExp"
    if only:
        return f"{_text(node.func, ATOM)}{_text(node.args[0], ATOM)}", ATOM
    parts = [_text(item, TERNARY) for item in node.args]
    for item in node.keywords:
        parts.append(f"**{_text(item.value, TERNARY)}" if item.arg is None
                     else f"{item.arg}={_text(item.value, TERNARY)}")
    return f"{_text(node.func, ATOM)}({', '.join(parts)})", ATOM


def _subscript(node: Any) -> tuple[str, int]:
    index = node.slice
    if type(index).__name__ == "Tuple" and index.elts and not any(
            type(item).__name__ == "Starred" for item in index.elts):
        inner = _tuple(index)[0]
    else:
        inner = _text(index, TERNARY)
    return f"{_text(node.value, ATOM)}[{inner}]", ATOM


def _slice(node: Any) -> tuple[str, int]:
    lower = "" if node.lower is None else _text(node.lower, TERNARY)
    upper = "" if node.upper is None else _text(node.upper, TERNARY)
    space = " " if upper and not lower.isalnum() and lower and " " in lower else ""
    step = "" if node.step is None else f":{_text(node.step, TERNARY)}"
    gap = " " if space and upper else ""
    return f"{lower}{space}:{gap}{upper}{step}", ATOM


def _lambda(node: Any) -> tuple[str, int]:
    parameters = arguments(node.args)
    return f"lambda{' ' if parameters else ''}{parameters}: {_text(node.body, TERNARY)}", TERNARY


def _walrus(node: Any) -> tuple[str, int]:
    return f"({_text(node.target, ATOM)} := {_text(node.value, TERNARY)})", ATOM


def _yield(node: Any) -> tuple[str, int]:
    return ("(yield)" if node.value is None else f"(yield {_text(node.value, TUPLE)})"), ATOM


def _yield_from(node: Any) -> tuple[str, int]:
    return f"(yield from {_text(node.value, TERNARY)})", ATOM


def _await(node: Any) -> tuple[str, int]:
    return f"await {_text(node.value, ATOM)}", AWAIT


def _generators(node: Any) -> str:
    parts = []
    for item in node.generators:
        parts.append(f"{'async ' if item.is_async else ''}for {_text(item.target, TUPLE)} in {_text(item.iter, OR)}")
        parts += [f"if {_text(test, OR)}" for test in item.ifs]
    return " ".join(parts)


def _list_comprehension(node: Any) -> tuple[str, int]:
    return f"[{_text(node.elt, TERNARY)} {_generators(node)}]", ATOM


def _set_comprehension(node: Any) -> tuple[str, int]:
    return f"{{{_text(node.elt, TERNARY)} {_generators(node)}}}", ATOM


def _dict_comprehension(node: Any) -> tuple[str, int]:
    return f"{{{_text(node.key, TERNARY)}: {_text(node.value, TERNARY)} {_generators(node)}}}", ATOM


def _generator(node: Any) -> tuple[str, int]:
    return f"({_text(node.elt, TERNARY)} {_generators(node)})", ATOM


def _format_string(node: Any) -> tuple[str, int]:
    plain = gast.gast_to_ast(node) if type(node).__module__.startswith("gast") else node
    return ast.unparse(ast.fix_missing_locations(plain)), ATOM


WRITERS = {
    "Name": _name, "Constant": _constant, "BinOp": _binary, "UnaryOp": _unary, "BoolOp": _boolean,
    "Compare": _compare, "IfExp": _ternary, "Tuple": _tuple, "List": _list, "Set": _set, "Dict": _dict,
    "Starred": _starred, "Attribute": _attribute, "Call": _call, "Subscript": _subscript, "Slice": _slice,
    "Lambda": _lambda, "NamedExpr": _walrus, "Yield": _yield, "YieldFrom": _yield_from, "Await": _await,
    "ListComp": _list_comprehension, "SetComp": _set_comprehension, "DictComp": _dict_comprehension,
    "GeneratorExp": _generator, "JoinedStr": _format_string, "TemplateStr": _format_string,
}


def arguments(node: Any) -> str:
    """A parameter list, as between the parentheses of a ``def``; annotations are left out."""
    def label(item: Any) -> str:
        return item.arg if isinstance(item, ast.arg) else item.id

    positional = [*node.posonlyargs, *node.args]
    defaults = [None] * (len(positional) - len(node.defaults)) + list(node.defaults)
    parts = []
    for index, (item, default) in enumerate(zip(positional, defaults)):
        parts.append(label(item) if default is None else f"{label(item)}={_text(default, TERNARY)}")
        if index + 1 == len(node.posonlyargs):
            parts.append("/")
    if node.vararg is not None:
        parts.append(f"*{label(node.vararg)}")
    elif node.kwonlyargs:
        parts.append("*")
    for item, default in zip(node.kwonlyargs, node.kw_defaults):
        parts.append(label(item) if default is None else f"{label(item)}={_text(default, TERNARY)}")
    if node.kwarg is not None:
        parts.append(f"**{label(node.kwarg)}")
    return ", ".join(parts)


class Statements(astunparse.Unparser):
    """astunparse's statements around the expressions written here."""

    def dispatch(self, tree: Any) -> None:
        if type(tree).__name__ in WRITERS:
            self.write(_text(tree, TERNARY))
        else:
            super().dispatch(tree)
