"""Syntax tree -> source text, as one would have written it by hand.

astunparse as it stands puts everything in parentheses, writes ``x[(:, 0)]`` for ``x[:, 0]`` and knows nothing of the
syntax since 3.8. Its subclass here knows how tightly everything binds, and writes a parenthesis only where the text
would otherwise be read back as another tree. Trees may come from :mod:`gast` or from :mod:`ast`; what gast does
differently is that parameters and the names of exceptions are ``Name`` nodes.
"""
from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterable
from typing import Any

import gast
from astunparse.unparser import INFSTR, Unparser

# How tightly an expression binds, and what the place of a subexpression asks for: looser ones get parentheses there.
# At NAMED, and only there, ``x := y`` stands without them.
(YIELD, TUPLE, NAMED, TEST, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, UNARY, POWER, AWAIT,
 ATOM) = range(18)


def classes(*names: str) -> tuple[Any, ...]:
    """The classes of these names, ast's and gast's."""
    return tuple(getattr(module, name) for module in (ast, gast) for name in names)


def by_class(table: dict[str, Any]) -> dict[type, Any]:
    return {kind: value for name, value in table.items() for kind in classes(name)}


# text, own level, levels of the left and of the right operand
BINARY = by_class({name: (f" {Unparser.binop[name]} ", level, level, level + 1) for name, level in {
    "BitOr": BITOR, "BitXor": BITXOR, "BitAnd": BITAND, "LShift": SHIFT, "RShift": SHIFT, "Add": SUM, "Sub": SUM,
    "Mult": PRODUCT, "MatMult": PRODUCT, "Div": PRODUCT, "FloorDiv": PRODUCT, "Mod": PRODUCT,
}.items()} | {"Pow": (" ** ", POWER, AWAIT, UNARY)})
UNARIES = by_class({"Not": ("not ", NOT), "USub": ("-", UNARY), "UAdd": ("+", UNARY), "Invert": ("~", UNARY)})
BOOLEANS = by_class({"And": (" and ", AND), "Or": (" or ", OR)})
COMPARISONS = by_class({name: f" {symbol} " for name, symbol in Unparser.cmpops.items()})
TYPE_PARAMETER_STARS = {"TypeVar": "", "TypeVarTuple": "*", "ParamSpec": "**"}

DEFINITIONS = classes("FunctionDef", "AsyncFunctionDef", "ClassDef")
CONSTANTS, NAMES, TUPLES, SLICES = classes("Constant"), classes("Name"), classes("Tuple"), classes("Slice")
EXPRESSION_STATEMENTS, IFS, GENERATORS = classes("Expr"), classes("If"), classes("GeneratorExp")
STARS = classes("Starred")
STARS_IN_SUBSCRIPTS = sys.version_info >= (3, 11)


def unparse(node: Any, indent: int = 0) -> str:
    """The source text of a gast or ast node.

    An expression is written as after ``return``: a tuple without parentheses, ``(yield)`` and ``(x := y)`` with them.
    Statements, alone, in a list or in a module, are whole lines, ``indent`` levels to the right.
    """
    if type(node) is gast.Name:
        return node.id
    writer = Writer(indent)
    writer.dispatch(node)
    text = "".join(writer.pieces)
    # every statement begins with a new line; parameters, patterns and the like are no lines of their own
    return text[1:] + "\n" if text.startswith("\n") else text


class Methods(dict):
    """Node class -> the writer's method for it, looked up once."""

    def __missing__(self, kind: type) -> Callable:
        method = getattr(Writer, f"_{kind.__name__}", None)
        if method is None:
            raise TypeError(f"no source text for {kind.__name__}")
        self[kind] = method
        return method


METHODS = Methods()


def binds(own: int) -> Callable:
    """For the method of an expression: parentheses around all it writes where the place asks for more than ``own``."""
    def decorate(method: Callable) -> Callable:
        def write(self: Writer, t: Any, level: int = TUPLE) -> None:
            if level > own:
                self.write("(")
            method(self, t)
            if level > own:
                self.write(")")
        return write
    return decorate


class Writer(Unparser):
    """One method per node class, as astunparse has it: ``_Name`` appends the text of a ``Name`` to ``pieces``.

    Methods of expressions take besides the level that their place asks for. Those of astunparse that remain, all of
    them for statements, call ``dispatch``: the right level there is TUPLE.
    """

    def __init__(self, indent: int = 0):
        # astunparse's own constructor writes at once, to a file
        self.pieces: list[str] = []
        self.write = self.pieces.append
        self.future_imports: list[str] = []
        self._indent = indent

    def dispatch(self, tree: Any) -> None:
        if isinstance(tree, list):
            self.body(tree)
        else:
            METHODS[tree.__class__](self, tree)

    def expression(self, node: Any, level: int) -> None:
        METHODS[node.__class__](self, node, level)

    def after(self, text: str, node: Any, level: int) -> None:
        """The node after a text; neither if there is no node."""
        if node is not None:
            self.write(text)
            METHODS[node.__class__](self, node, level)

    def joined(self, nodes: Iterable[Any], level: int, separator: str = ", ") -> None:
        text = ""
        for node in nodes:
            self.write(text)
            METHODS[node.__class__](self, node, level)
            text = separator

    def bracketed(self, brackets: str, nodes: Iterable[Any], level: int) -> None:
        self.write(brackets[0])
        self.joined(nodes, level)
        self.write(brackets[1])

    # ---- statements

    def fill(self, text: str = "") -> None:
        self.write("\n" + "    " * self._indent + text)

    def body(self, statements: list, documented: bool = False) -> None:
        """Statements below each other, blank lines around definitions; ``documented``: the first may be a docstring."""
        previous = None
        for statement in statements:
            if previous is not None and (isinstance(statement, DEFINITIONS) or isinstance(previous, DEFINITIONS)):
                self.write("\n" if self._indent else "\n\n")
            if documented and previous is None and is_docstring(statement):
                self.fill(docstring_text(statement.value.value))
            else:
                METHODS[statement.__class__](self, statement)
            previous = statement

    def block(self, statements: list, documented: bool = False) -> None:
        self.enter()
        self.body(statements, documented)
        self.leave()

    def clause(self, word: str, statements: list) -> None:
        if statements:
            self.fill(word)
            self.block(statements)

    def line(self, word: str, node: Any, level: int) -> None:
        self.fill(word)
        METHODS[node.__class__](self, node, level)

    def _Module(self, t: Any) -> None:
        self.body(t.body, documented=True)

    def _Expr(self, t: Any) -> None:
        self.line("", t.value, YIELD)

    def _Assign(self, t: Any) -> None:
        self.fill()
        for target in t.targets:
            METHODS[target.__class__](self, target, TUPLE)
            self.write(" = ")
        METHODS[t.value.__class__](self, t.value, YIELD)

    def _AugAssign(self, t: Any) -> None:
        self.line("", t.target, ATOM)
        self.after(f"{BINARY[t.op.__class__][0].rstrip()}= ", t.value, YIELD)

    def _AnnAssign(self, t: Any) -> None:
        # a name that is not simple stood in parentheses: annotated as an attribute is, it doesn't become local
        self.line("" if t.simple or not isinstance(t.target, NAMES) else "(", t.target, ATOM)
        if not t.simple and isinstance(t.target, NAMES):
            self.write(")")
        self.after(": ", t.annotation, TEST)
        self.after(" = ", t.value, YIELD)

    def _TypeAlias(self, t: Any) -> None:
        self.line("type ", t.name, ATOM)
        self.type_parameters(t)
        self.after(" = ", t.value, TEST)

    def _Delete(self, t: Any) -> None:
        self.fill("del ")
        self.joined(t.targets, TEST)

    def _Assert(self, t: Any) -> None:
        self.line("assert ", t.test, TEST)
        self.after(", ", t.msg, TEST)

    def _Raise(self, t: Any) -> None:
        self.fill("raise")
        self.after(" ", t.exc, TEST)
        self.after(" from ", t.cause, TEST)

    def _If(self, t: Any, word: str = "if ") -> None:
        self.line(word, t.test, NAMED)
        self.block(t.body)
        if len(t.orelse) == 1 and isinstance(t.orelse[0], IFS):
            self._If(t.orelse[0], "elif ")
        else:
            self.clause("else", t.orelse)

    def _While(self, t: Any) -> None:
        self.line("while ", t.test, NAMED)
        self.block(t.body)
        self.clause("else", t.orelse)

    def _generic_With(self, t: Any, async_: bool = False) -> None:
        self.fill("async with " if async_ else "with ")
        first = t.items[0]
        if len(t.items) == 1 and first.optional_vars is None and isinstance(first.context_expr, TUPLES):
            # with only its own parentheses, the tuple would read as several context managers
            self.bracketed("()", [first.context_expr], TEST)
        else:
            self.joined(t.items, TEST)
        self.block(t.body)

    def _withitem(self, t: Any, level: int = TEST) -> None:
        self.expression(t.context_expr, TEST)
        self.after(" as ", t.optional_vars, TEST)

    def _Try(self, t: Any, word: str = "except") -> None:
        self.clause("try", t.body)
        for handler in t.handlers:
            self._ExceptHandler(handler, word)
        self.clause("else", t.orelse)
        self.clause("finally", t.finalbody)

    def _TryStar(self, t: Any) -> None:
        self._Try(t, "except*")

    def _ExceptHandler(self, t: Any, word: str = "except") -> None:
        self.fill(word)
        self.after(" ", t.type, TEST)
        if t.name is not None:
            self.write(f" as {t.name if isinstance(t.name, str) else t.name.id}")
        self.block(t.body)

    def _FunctionDef(self, t: Any, word: str = "def") -> None:
        self.heading(t, word)
        self.write("(")
        self._arguments(t.args)
        self.write(")")
        self.after(" -> ", t.returns, TEST)
        self.block(t.body, documented=True)

    def _AsyncFunctionDef(self, t: Any) -> None:
        self._FunctionDef(t, "async def")

    def _ClassDef(self, t: Any) -> None:
        self.heading(t, "class")
        if t.bases or t.keywords:
            self.bracketed("()", [*t.bases, *t.keywords], NAMED)
        self.block(t.body, documented=True)

    def heading(self, t: Any, word: str) -> None:
        for decorator in t.decorator_list:
            self.line("@", decorator, NAMED)
        self.fill(f"{word} {t.name}")
        self.type_parameters(t)

    def type_parameters(self, t: Any) -> None:
        if getattr(t, "type_params", None):
            self.bracketed("[]", t.type_params, TEST)

    def _TypeVar(self, t: Any, level: int = TEST) -> None:
        self.write(TYPE_PARAMETER_STARS[t.__class__.__name__] + t.name)
        self.after(": ", getattr(t, "bound", None), TEST)
        self.after(" = ", getattr(t, "default_value", None), TEST)

    _TypeVarTuple = _ParamSpec = _TypeVar

    def _arguments(self, t: Any) -> None:
        positional = [*t.posonlyargs, *t.args]
        defaults = [None] * (len(positional) - len(t.defaults)) + t.defaults
        parameters = [("", *pair) for pair in zip(positional, defaults)]
        if t.posonlyargs:
            parameters.insert(len(t.posonlyargs), ("/", None, None))
        if t.vararg is not None or t.kwonlyargs:
            parameters.append(("*", t.vararg, None))
        parameters += [("", *pair) for pair in zip(t.kwonlyargs, t.kw_defaults)]
        if t.kwarg is not None:
            parameters.append(("**", t.kwarg, None))
        for index, (stars, parameter, default) in enumerate(parameters):
            self.write(f", {stars}" if index else stars)
            if parameter is not None:
                self._arg(parameter)
                self.after(" = " if parameter.annotation is not None else "=", default, TEST)

    def _arg(self, t: Any) -> None:
        self.write(t.arg if isinstance(t, ast.arg) else t.id)
        self.after(": ", t.annotation, TEST)

    # ---- expressions

    def _Expression(self, t: Any) -> None:
        self.dispatch(t.body)

    def _Name(self, t: Any, level: int = TUPLE) -> None:
        self.write(t.id)

    def _Constant(self, t: Any, level: int = TUPLE) -> None:
        text = constant_text(t.value)
        if text[0] == "-" and level > UNARY:
            text = f"({text})"
        elif text[0] in "'\"" and getattr(t, "kind", None) == "u":
            text = f"u{text}"
        self.write(text)

    def _JoinedStr(self, t: Any, level: int = TUPLE) -> None:
        # what may stand between the quotes is another matter in every version of Python
        self.write(ast.unparse(gast.gast_to_ast(t) if type(t).__module__.startswith("gast") else t))

    _FormattedValue = _TemplateStr = _Interpolation = _JoinedStr

    def _NamedExpr(self, t: Any, level: int = TUPLE) -> None:
        self.after("" if level == NAMED else "(", t.target, ATOM)
        self.after(" := ", t.value, TEST)
        self.write("" if level == NAMED else ")")

    def _BinOp(self, t: Any, level: int = TUPLE) -> None:
        text, own, left_level, right_level = BINARY[t.op.__class__]
        left, right = t.left, t.right
        if text == " @ " and isinstance(left, (ast.BinOp, gast.BinOp)) and BINARY[left.op.__class__][0] != text:
            left_level = right_level  # (a * b) @ c: not everybody knows which goes first
        if level > own:
            self.write("(")
        METHODS[left.__class__](self, left, left_level)
        self.write(text)
        METHODS[right.__class__](self, right, right_level)
        if level > own:
            self.write(")")

    def _UnaryOp(self, t: Any, level: int = TUPLE) -> None:
        text, own = UNARIES[t.op.__class__]
        self.after(f"({text}" if level > own else text, t.operand, own)
        if level > own:
            self.write(")")

    def _BoolOp(self, t: Any, level: int = TUPLE) -> None:
        text, own = BOOLEANS[t.op.__class__]
        self.write("(" if level > own else "")
        self.joined(t.values, own + 1, text)
        self.write(")" if level > own else "")

    @binds(COMPARE)
    def _Compare(self, t: Any) -> None:
        self.expression(t.left, BITOR)
        for operator, comparator in zip(t.ops, t.comparators):
            self.after(COMPARISONS[operator.__class__], comparator, BITOR)

    @binds(TEST)
    def _IfExp(self, t: Any) -> None:
        self.expression(t.body, OR)
        self.after(" if ", t.test, OR)
        self.after(" else ", t.orelse, TEST)

    @binds(TEST)
    def _Lambda(self, t: Any) -> None:
        parameters = t.args
        named = parameters.posonlyargs or parameters.args or parameters.kwonlyargs
        self.write("lambda " if named or parameters.vararg or parameters.kwarg else "lambda")
        self._arguments(parameters)
        self.after(": ", t.body, TEST)

    @binds(AWAIT)
    def _Await(self, t: Any) -> None:
        self.after("await ", t.value, ATOM)

    @binds(YIELD)
    def _Yield(self, t: Any) -> None:
        self.write("yield")
        self.after(" ", t.value, TUPLE)

    @binds(YIELD)
    def _YieldFrom(self, t: Any) -> None:
        self.after("yield from ", t.value, TEST)

    def _Attribute(self, t: Any, level: int = TUPLE) -> None:
        value = t.value
        if isinstance(value, CONSTANTS) and type(value.value) is int and value.value >= 0:
            self.bracketed("()", [value], TEST)  # else the point would belong to the number
        else:
            METHODS[value.__class__](self, value, ATOM)
        self.write(f".{t.attr}")

    def _Call(self, t: Any, level: int = TUPLE) -> None:
        METHODS[t.func.__class__](self, t.func, ATOM)
        if len(t.args) == 1 and not t.keywords and isinstance(t.args[0], GENERATORS):
            self.expression(t.args[0], ATOM)  # its parentheses serve as those of the call
        else:
            self.bracketed("()", [*t.args, *t.keywords], NAMED)

    def _keyword(self, t: Any, level: int = TEST) -> None:
        self.after("**" if t.arg is None else f"{t.arg}=", t.value, TEST)

    def _Starred(self, t: Any, level: int = TUPLE) -> None:
        self.after("*", t.value, BITOR)

    def _Subscript(self, t: Any, level: int = TUPLE) -> None:
        METHODS[t.value.__class__](self, t.value, ATOM)
        index = t.slice
        if isinstance(index, TUPLES) and is_bare_index(index.elts):
            self.bracketed("[]", index.elts, TEST)
            if len(index.elts) == 1 and isinstance(index.elts[0], SLICES):
                self.pieces[-1] = ",]"
        else:
            self.bracketed("[]", [index], TEST)

    def _Slice(self, t: Any, level: int = TUPLE) -> None:
        self.after("", t.lower, TEST)
        self.write(":")
        self.after("", t.upper, TEST)
        self.after(":", t.step, TEST)

    def _Tuple(self, t: Any, level: int = TUPLE) -> None:
        if level <= TUPLE and t.elts:
            self.joined(t.elts, TEST)
            self.write("," if len(t.elts) == 1 else "")
        else:
            self.bracketed(["(", ",)" if len(t.elts) == 1 else ")"], t.elts, TEST)

    def _List(self, t: Any, level: int = TUPLE) -> None:
        self.bracketed("[]", t.elts, NAMED)

    def _Set(self, t: Any, level: int = TUPLE) -> None:
        # the empty set has no display of its own
        self.bracketed("{}" if t.elts else ["{*()", "}"], t.elts, NAMED)

    def _Dict(self, t: Any, level: int = TUPLE) -> None:
        self.write("{")
        for index, (key, value) in enumerate(zip(t.keys, t.values)):
            self.write(", " if index else "")
            if key is None:
                self.after("**", value, BITOR)
            else:
                self.item(key, value)
        self.write("}")

    def item(self, key: Any, value: Any) -> None:
        self.expression(key, TEST)
        self.after(": ", value, TEST)

    def _ListComp(self, t: Any, level: int = TUPLE, brackets: str = "[]") -> None:
        self.after(brackets[0], t.elt, NAMED)
        self.joined(t.generators, TUPLE, "")
        self.write(brackets[1])

    def _SetComp(self, t: Any, level: int = TUPLE) -> None:
        self._ListComp(t, level, "{}")

    def _GeneratorExp(self, t: Any, level: int = TUPLE) -> None:
        self._ListComp(t, level, "()")

    def _DictComp(self, t: Any, level: int = TUPLE) -> None:
        self.write("{")
        self.item(t.key, t.value)
        self.joined(t.generators, TUPLE, "")
        self.write("}")

    def _comprehension(self, t: Any, level: int = TUPLE) -> None:
        self.after(" async for " if t.is_async else " for ", t.target, TUPLE)
        self.after(" in ", t.iter, OR)
        for condition in t.ifs:
            self.after(" if ", condition, OR)

    # ---- patterns

    def _Match(self, t: Any) -> None:
        self.line("match ", t.subject, TUPLE)
        self.block(t.cases)

    def _match_case(self, t: Any) -> None:
        self.line("case ", t.pattern, TEST)
        self.after(" if ", t.guard, NAMED)
        self.block(t.body)

    def _MatchValue(self, t: Any, level: int = TEST) -> None:
        self.expression(t.value, TEST)

    def _MatchSingleton(self, t: Any, level: int = TEST) -> None:
        self.write(repr(t.value))

    def _MatchSequence(self, t: Any, level: int = TEST) -> None:
        self.bracketed("[]", t.patterns, TEST)

    def _MatchStar(self, t: Any, level: int = TEST) -> None:
        self.write(f"*{t.name or '_'}")

    def _MatchMapping(self, t: Any, level: int = TEST) -> None:
        rest = [] if t.rest is None else [gast.MatchAs(None, t.rest)]
        self._Dict(gast.Dict(t.keys + [None] * len(rest), t.patterns + rest))

    def _MatchClass(self, t: Any, level: int = TEST) -> None:
        self.expression(t.cls, ATOM)
        self.bracketed("()", [*t.patterns, *map(gast.keyword, t.kwd_attrs, t.kwd_patterns)], TEST)

    def _MatchAs(self, t: Any, level: int = TEST) -> None:
        if t.pattern is None:
            self.write(t.name or "_")
        else:
            self.after("(" if level > TEST else "", t.pattern, BITOR)
            self.write(f" as {t.name})" if level > TEST else f" as {t.name}")

    @binds(BITOR)
    def _MatchOr(self, t: Any) -> None:
        self.joined(t.patterns, BITOR + 1, " | ")


def is_docstring(statement: Any) -> bool:
    value = getattr(statement, "value", None)
    return (isinstance(statement, EXPRESSION_STATEMENTS) and isinstance(value, CONSTANTS)
            and isinstance(value.value, str) and getattr(value, "kind", None) is None)


def is_bare_index(elements: list) -> bool:
    """Whether a tuple of indices goes without parentheses: with a slice it must, with a star it may since 3.11."""
    starred = any(isinstance(element, STARS) for element in elements)
    return (STARS_IN_SUBSCRIPTS or not starred) and (
        len(elements) > 1 or starred or any(isinstance(element, SLICES) for element in elements))


def docstring_text(text: str) -> str:
    """Between triple quotes where it can be read there, as an ordinary string where it can't."""
    readable = text.replace("\n", "").replace("\t", "").isprintable()
    if not readable or '"""' in text or text.endswith('"'):
        return repr(text)
    return '"""' + text.replace("\\", "\\\\") + '"""'


def constant_text(value: Any) -> str:
    """An expression of exactly this value; all but a minus sign in front binds as tightly as an atom."""
    if value is Ellipsis:
        return "..."
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return int.__repr__(value)
        except ValueError:  # more digits than Python converts
            return hex(value)
    if isinstance(value, float):
        # a literal is infinite where it overflows, and nan never
        return f"({INFSTR} - {INFSTR})" if math.isnan(value) else float.__repr__(value).replace("inf", INFSTR)
    if isinstance(value, complex):
        return complex_text(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(constant_text, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def complex_text(value: complex) -> str:
    """A sum of two literals loses the signs of zeros, and a product makes two nans of one: then it is a call."""
    real, imaginary = constant_text(value.real), constant_text(value.imag)
    literal = imaginary.removeprefix("-").removesuffix(".0") + "j"
    if real == "0.0" and imaginary[0] not in "-(":
        return literal
    if real == "-0.0" and imaginary[0] == "-":
        return f"-{literal}"
    if value.real and value.imag and value == value:
        return f"({real} {'-' if value.imag < 0 else '+'} {literal})"
    return f"complex({real}, {imaginary})"
