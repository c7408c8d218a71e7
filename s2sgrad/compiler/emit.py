"""Program -> source text -> linecache -> function.

What runs is the text that the user sees: it is parsed, and compiled under a file name of its own that linecache knows,
so that tracebacks, ``inspect`` and debuggers show it. The function's globals are the user's own, live; what generated
code uses besides (NumPy where the user has no name for it, helpers, callees' primals) are its closure cells.
"""
from __future__ import annotations

import itertools
import linecache
import re
import types
import weakref
from collections.abc import Iterator
from typing import Any

import gast

from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Declare,
    Delete,
    Evaluate,
    Handler,
    Import,
    Leave,
    Loop,
    Pattern,
    Program,
    Remove,
    Store,
    Verbatim,
    pattern_expression,
)
from s2sgrad.compiler.unparse import unparse
from s2sgrad.errors import GENERATED, Location

INDENT = "    "
SYMBOLS = {gast.Add: "+=", gast.Sub: "-=", gast.Mult: "*=", gast.Div: "/=", gast.Pow: "**=", gast.Mod: "%=",
           gast.FloorDiv: "//=", gast.MatMult: "@=", gast.BitAnd: "&=", gast.BitOr: "|=", gast.BitXor: "^=",
           gast.LShift: "<<=", gast.RShift: ">>="}
WIDEST_COMMENT_COLUMN = 64
WIDEST_LINE, SHORTEST_LINE = 116, 40
"""Of lines that are broken in several; comments may stand behind longer ones."""
MOST_IN_A_LINE = 120
"""What is longer is broken wherever that may be done."""
TELLING_LETTER = re.compile("""['"()\\[\\]{},]| [+-] """)
"""What begins a text, opens or closes a bracket, or is a comma, a plus or a minus between two."""
_serial = itertools.count(1)


class Text:
    """A function's source text; ``lines[i]`` comes from the user's line ``origins[i]``."""

    def __init__(self, program: Program, comments: bool):
        self.lines: list[str] = []
        self.origins: list[Location | None] = []
        self.filename = ""
        self.whole = program.location
        """The place of what belongs to no line of the user's: the saved tuple taken apart, the results."""
        header = unparse(plain_header(program.header)) if program.header is not None else ", ".join(program.parameters)
        self.write(f"def {program.name}({header}):", 0, None)
        self.block(program.body, 1)
        if comments:
            self.comment()

    def write(self, line: str, depth: int, origin: Location | None) -> None:
        self.add(broken(INDENT * depth + line), origin)

    def add(self, lines: list[str], origin: Location | None) -> None:
        self.lines += lines
        self.origins += [origin] * len(lines)

    def write_tuple(self, before: str, items: Any, behind: str, depth: int, origin: Location | None) -> None:
        """Write a line with what may be a tuple or sum in it, in parentheses where it is so long that it must be
        broken."""
        text = unparse(items) if isinstance(items, gast.AST) else target_text(items)
        line = f"{INDENT * depth}{before}{text}{behind}"
        parts = [line]
        if len(line) <= WIDEST_LINE:
            self.add(parts, origin)
            return
        if isinstance(items, gast.Tuple) or is_sum(items) or len(text) > SHORTEST_LINE and "(" not in text:
            whole = f"{INDENT * depth}{before}({text}){behind}"
            parts = broken(whole) if len(line) > MOST_IN_A_LINE else broken_inside(whole)
        self.add(parts if len(parts) > 1 or isinstance(items, gast.Tuple) else broken(line), origin)

    def block(self, body: tuple, depth: int) -> None:
        if not body:
            self.write("pass", depth, None)
        for statement in body:
            self.statement(statement, depth)

    def statement(self, statement: Any, depth: int) -> None:
        origin = statement.location
        if isinstance(statement, Assign):
            if isinstance(statement.target, str):
                self.write_tuple(f"{statement.target} = ", statement.value, "", depth, origin)
            else:
                self.write_tuple("", statement.target, f" = {unparse(statement.value)}", depth, origin)
        elif isinstance(statement, Store):
            self.write_tuple(f"{unparse(statement.target)} = ", statement.value, "", depth, origin)
        elif isinstance(statement, Augment):
            symbol = SYMBOLS[type(statement.operator)]
            self.write_tuple(f"{unparse(statement.target)} {symbol} ", statement.value, "", depth, origin)
        elif isinstance(statement, Append):
            at_left = statement.fits and getattr(statement.place, "value", None) == 0
            change = "append(" if statement.place is None else "appendleft(" if at_left else \
                f"insert({unparse(statement.place)}, "
            self.write(f"{unparse(statement.target)}.{change}{condition(statement.value)})", depth, origin)
        elif isinstance(statement, Delete):
            self.write(f"del {unparse(statement.target)}", depth, origin)
        elif isinstance(statement, Evaluate):
            self.write(unparse(statement.value), depth, origin)
        elif isinstance(statement, (Verbatim, Import)):
            self.add(unparse(statement.node, depth).strip("\n").split("\n"), origin)  # in which there may be docstrings
        elif isinstance(statement, Declare):
            self.write(f"{statement.target}: {unparse(statement.annotation)}", depth, origin)
        elif isinstance(statement, Remove):
            self.write(f"del {', '.join(statement.targets)}", depth, origin)
        elif isinstance(statement, Context) and not statement.items:
            self.finally_(statement, depth)
        elif isinstance(statement, Context):
            managers = [gast.withitem(manager, None if target is None else pattern_expression(target))
                        for manager, target in statement.items]
            self.write(unparse(gast.With(managers, [], None), 0).strip("\n"), depth, origin)
            self.block(statement.body, depth + 1)
        elif isinstance(statement, Attempt):
            self.attempt(statement, depth)
        elif isinstance(statement, Branch):
            self.branch(statement, depth, "if")
        elif isinstance(statement, Loop):
            if statement.target is None:
                self.write(f"while {condition(statement.iterable)}:", depth, origin)
            else:
                self.write_tuple("for ", statement.target, f" in {unparse(statement.iterable)}:", depth, origin)
            self.block(statement.body, depth + 1)
        elif isinstance(statement, Leave):
            if statement.kind == "raise":
                node = gast.Raise(statement.value, statement.cause)
                self.write(unparse(node).strip("\n"), depth, origin)
            elif statement.kind != "return":
                self.write(statement.kind, depth, origin)
            else:
                value = gast.Constant(None, None) if statement.value is None else statement.value
                self.write_tuple("return ", value, "", depth, origin)

    def finally_(self, statement: Context, depth: int) -> None:
        if len(statement.body) == 1 and isinstance(statement.body[0], Attempt):
            self.attempt(statement.body[0], depth)
        else:
            self.write("try:", depth, statement.location)
            self.block(statement.body, depth + 1)
        self.write("finally:", depth, None)
        self.block(statement.final, depth + 1)

    def attempt(self, statement: Attempt, depth: int) -> None:
        self.write("try:", depth, statement.location)
        self.block(statement.body, depth + 1)
        handlers = statement.orelse
        while handlers and isinstance(handlers[0], Handler):
            handler = handlers[0]
            bare = isinstance(handler.test, gast.Constant) and handler.test.value is None
            node = gast.ExceptHandler(None if bare else handler.test, handler.target, [])
            self.write(unparse(node, 0).strip("\n"), depth, handler.location)
            self.block(handler.then, depth + 1)
            handlers = handler.orelse
        if statement.then[1:]:
            self.write("else:", depth, None)
            self.block(statement.then[1:], depth + 1)

    def branch(self, statement: Branch, depth: int, word: str) -> None:
        self.write(f"{word} {condition(statement.test)}:", depth, statement.location)
        self.block(statement.then, depth + 1)
        orelse = statement.orelse
        if len(orelse) == 1 and isinstance(orelse[0], Branch) and not isinstance(orelse[0], Attempt):
            self.branch(orelse[0], depth, "elif")
        elif orelse:
            self.write("else:", depth, None)
            self.block(orelse, depth + 1)

    def comment(self) -> None:
        """Give the first line of each group the line of the user's source that the group reverses."""
        groups = []
        previous = None
        for index, origin in enumerate(self.origins):
            if origin is None or self.lines[index].strip().startswith(("return ", "else:")):
                continue
            if origin.line != previous and origin is not self.whole:
                groups.append(index)
                previous = origin.line
        widths = [len(self.lines[index]) for index in groups if not self.lines[index].endswith((",", "("))]
        fitting = [width for width in widths if width <= WIDEST_COMMENT_COLUMN]
        column = max(fitting, default=0) + 2
        for index in groups:
            origin = self.origins[index]
            assert origin is not None
            text = origin.text()
            if origin.filename.startswith(GENERATED):  # a generated line, which has such a comment itself
                text = text.partition("  # ")[0].rstrip()
            if len(text) > 60:
                text = text[:57] + "..."
            line = self.lines[index]
            self.lines[index] = f"{line}{' ' * max(2, column - len(line))}# {origin.line}: {text}"
            if len(self.lines[index]) > WIDEST_LINE and len(line) > WIDEST_COMMENT_COLUMN or line.endswith((",", "(")):
                self.lines[index] = f"{' ' * (len(line) - len(line.lstrip()))}# {origin.line}: {text}\n{line}"
        self.origins = [origin for line, origin in zip(self.lines, self.origins) for _ in line.split("\n")]
        self.lines = [part for line in self.lines for part in line.split("\n")]

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"


def broken(line: str) -> list[str]:
    """A long line as several: what stands in its first parentheses from the next one on, if that alone makes all of
    them short enough."""
    if len(line) <= WIDEST_LINE:
        return [line]
    lines = broken_inside(line)
    opening = line.find("(") + 1
    if opening and max(map(len, lines)) > MOST_IN_A_LINE and "'" not in line[:opening] and '"' not in line[:opening]:
        margin = len(line) - len(line.lstrip()) + len(INDENT)
        hanging = [line[:opening], *broken_inside(" " * margin + line[opening:], margin)]
        if max(map(len, hanging)) <= WIDEST_LINE:
            return hanging
    return lines


def broken_inside(line: str, start: int = 0) -> list[str]:
    """A long line as several, broken behind commas and before signs in brackets: best between what stands in few of
    them, and what commas part before terms. ``start``: where it begins, if it stands in brackets itself."""
    lines: list[str] = []
    around = [start] if start else []
    while len(line) > WIDEST_LINE:
        places = [place for place in gaps(line, start, around) if SHORTEST_LINE < place[1] <= WIDEST_LINE]
        if not places:
            break
        _, end, around = max(places, key=lambda place: (place[2][-1] <= SHORTEST_LINE, *place[:2]))
        lines.append(line[:end])
        start = around[-1]
        line = " " * start + line[end + 1:]
    return [*lines, line]


def gaps(line: str, start: int, around: list[int]) -> Iterator[tuple[float, int, list[int]]]:
    """The places behind the commas and before the signs in brackets of a line that begins inside of others: minus how
    deep they are, the column, and the columns at which what is in these brackets begins."""
    opened = list(around)
    place, last = start, min(len(line) - 1, WIDEST_LINE)
    while (found := TELLING_LETTER.search(line, place, last)) is not None:
        place, letter = found.start(), found[0]
        if letter in "'\"":
            end = line.find(letter, place + 1)
            if end < 0 or line[place - 1] in "fFtT" or "\\" in line[place:end]:
                return
            place = end
        elif letter in "([{":
            opened.append(place + 1)
        elif letter in ")]}" and opened:
            opened.pop()
        elif letter == "," and opened and opened[-1] <= WIDEST_LINE - SHORTEST_LINE and line[place + 1] == " ":
            yield -len(opened), place + 1, list(opened)
        elif letter in (" + ", " - ") and opened and opened[-1] <= WIDEST_LINE - SHORTEST_LINE:
            yield -len(opened) - 0.5, place, list(opened)
        place += 1


def is_sum(node: Any) -> bool:
    return isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub))


def target_text(target: Pattern) -> str:
    return target if isinstance(target, str) else unparse(pattern_expression(target))


def condition(node: gast.AST) -> str:
    """The text of a test or an argument: a tuple stands without parentheses elsewhere, but not here."""
    return f"({unparse(node)})" if isinstance(node, gast.Tuple) else unparse(node)


def plain_header(arguments: Any) -> Any:
    """The parameters without annotations; defaults are carried by the function object, so that those which are no
    literals show as ``...``."""
    def bare(argument: gast.Name) -> gast.Name:
        return gast.Name(argument.id, gast.Param(), None, None)

    def shown(default: gast.AST | None) -> gast.AST | None:
        literal = default.operand if isinstance(default, gast.UnaryOp) else default
        return default if literal is None or isinstance(literal, gast.Constant) else gast.Constant(..., None)

    return gast.arguments(
        [bare(item) for item in arguments.args], [bare(item) for item in arguments.posonlyargs], None,
        [bare(item) for item in arguments.kwonlyargs],
        [shown(item) for item in arguments.kw_defaults], None, [shown(item) for item in arguments.defaults])


def compile_text(text: str, function_name: str, globals_: dict, cells: dict[str, types.CellType],
                 defaults: tuple | None = None, keyword_defaults: dict | None = None) -> types.FunctionType:
    """The function that a text defines, with the given globals, and cells for its free names."""
    filename = new_filename(text, function_name)
    # A function around it makes the given names free variables. The first line of that one's body is continued: it has
    # an indentation, as it must, and the text has none, so that its columns are right and its lines two too many.
    outside = f"def factory({', '.join(cells)}):\n \\\n"
    code = compile(f"{outside}{text} return {function_name}\n", filename, "exec", dont_inherit=True)
    for _ in range(2):
        code = next(item for item in code.co_consts if isinstance(item, types.CodeType))
    closure = tuple(cells[name] for name in code.co_freevars)
    code = _moved(code, -2)
    forget_with(code, filename)
    function = types.FunctionType(code, globals_, function_name, defaults, closure)
    function.__kwdefaults__ = keyword_defaults
    return function


def _moved(code: types.CodeType, lines: int) -> types.CodeType:
    """The same code, and the code inside it, so many lines further down."""
    inner = tuple(_moved(item, lines) if isinstance(item, types.CodeType) else item for item in code.co_consts)
    return code.replace(co_firstlineno=code.co_firstlineno + lines, co_consts=inner)


def define(text: str, function_name: str, globals_: dict) -> types.FunctionType:
    """The function of a name among those that a text defines, of which each has the globals to itself."""
    filename = new_filename(text, function_name)
    exec(compile(text, filename, "exec", dont_inherit=True), globals_)
    function: types.FunctionType = globals_[function_name]
    forget_with(function, filename)
    return function


def forget_with(owner: Any, filename: str) -> None:
    """Let a text go when what it was compiled for goes."""
    weakref.finalize(owner, linecache.cache.pop, filename, None).atexit = False


def new_filename(text: str, function_name: str) -> str:
    """A file name of its own for a text, under which tracebacks, ``inspect`` and debuggers find it."""
    filename = f"{GENERATED}{function_name} {next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    return filename
