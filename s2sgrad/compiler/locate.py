"""Function object -> its syntax tree, exactly, with file and lines.

``inspect.getsource`` guesses where several functions share a line. Here a function at the margin is parsed by itself;
for any other the whole file is parsed (once per version of its text), candidates are found by the function's first line
and name, and ties are settled by comparing what each candidate would compile to.
"""
from __future__ import annotations
import __future__

import ast
import contextlib
import dis
import functools
import linecache
import operator
import threading
import types
import warnings
from collections import OrderedDict
from collections.abc import Iterator

from s2sgrad.carried import arrived
from s2sgrad.errors import SourceError
from s2sgrad.frozen import frozen

FILES_KEPT = 64
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FUTURE = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag
                                        for name in __future__.all_feature_names))
SILENT = {"PUSH_NULL", "PRECALL", "EXTENDED_ARG", "COPY_FREE_VARS", "CACHE"}
REMEDY = "put the function in a file or a notebook cell"
LOCATED = "__s2sgrad_located__"
"""The attribute of a function that was written of another one: what is located of it, with that one's lines."""


@frozen
class Located:
    """A function's syntax tree; its line numbers and columns are those of the user's file."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    filename: str
    name: str


class _File:
    """One version of one file's text, and its syntax tree."""

    def __init__(self, text: str, filename: str):
        self.text = text
        self.filename = filename
        self.cut_out: dict[int, str] = {}
        """The texts of functions at the margin by their first lines, which they begin with empty lines to be in."""

    @functools.cached_property
    def tree(self) -> ast.Module:
        return parsed(self.text, self.filename)

    def functions(self, line: int, name: str) -> list:
        """The functions and lambdas of that name, or of any, that start in a line."""
        alone = self.alone(line, name)
        return alone if alone is not None else functions_in(self.tree, line)

    def alone(self, line: int, name: str) -> list | None:
        """A function at the margin, parsed by itself: a large file would take longer than all the rest.

        It ends before the next line with text at the margin. Where that line is inside a string or a bracket, what is
        cut off doesn't parse, and the whole file is asked (None).
        """
        lines = self.text.split("\n")
        if not lines[line - 1:line] or not lines[line - 1].startswith(("def ", "@")):
            return None
        end, headed = line, lines[line - 1].startswith("def ")
        while end < len(lines) and (not headed or lines[end][:1] in " \t\f\r#)]}"):
            headed = headed or lines[end].startswith("def ")
            end += 1
        text = "\n".join(lines[line - 1:end])
        try:
            tree = parsed("\n" * (line - 1) + text, self.filename)
        except SyntaxError:
            return None
        found = tree.body[0] if len(tree.body) == 1 else None
        if not isinstance(found, ast.FunctionDef) or found.name != name:
            return None
        # parameters of types put another function around it, and the code of a class says in which line that starts
        if line > 1 and not getattr(found, "type_params", None) and "class " not in text:
            self.cut_out[line] = text
        return [found]


def parsed(text: str, filename: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the user's own text, which Python has reported already
        return ast.parse(text, filename)


def functions_in(tree: ast.AST, line: int) -> list:
    """The functions and lambdas that start in a line (which for a decorated one is its first decorator's)."""
    found: list = []
    pending: list[ast.AST] = [tree]
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
            if first is not None and last is not None:
                for decorator in getattr(node, "decorator_list", []):
                    first = min(first, decorator.lineno)
                if first == line and isinstance(node, (*FUNCTIONS, ast.Lambda)):
                    found.append(node)
                if not first <= line <= last:
                    continue
            pending.append(node)
    return found


_files: OrderedDict[str, _File] = OrderedDict()
_lock = threading.Lock()


def locate(function: types.FunctionType) -> Located:
    """The syntax tree of a function or lambda.

    Raises
    ------
    SourceError
        If the function has no Python source that can be read, or the source no longer holds it.
    """
    if hasattr(function, LOCATED):
        own: Located = getattr(function, LOCATED)
        return own
    code = getattr(function, "__code__", None)
    name = getattr(function, "__qualname__", repr(function))
    if not isinstance(code, types.CodeType):
        raise SourceError(f"{name} is not a Python function, so it has no source", "wrap it in one, or give it a rule")
    filename = code.co_filename
    file = _file(filename, function) or _arrived(function)
    if file is None:
        raise unread(name, filename)
    try:
        candidates = _candidates(file, code)
    except SyntaxError:
        raise SourceError(f"{filename} does not parse: it was edited after it was imported",
                          "import it again") from None
    if len(candidates) > 1:
        candidates = _by_position(candidates, code) or candidates
    if len(candidates) > 1:
        same = [node for node in candidates if _same_code(node, function)]
        candidates = same or candidates
        if len({ast.dump(node) for node in candidates}) > 1:
            raise SourceError(f"several functions in line {code.co_firstlineno} of {filename} could be {name}",
                              "write them on lines of their own")
    no_file = filename.startswith("<")  # what is compiled by exec may go under the name of a text that is known
    if not candidates and no_file:
        raise unread(name, filename)
    if not candidates:
        raise SourceError(f"{filename} no longer holds {name} at line {code.co_firstlineno}: it was edited after it "
                          "was imported", "import it again")
    node = candidates[0]
    text = None if code.co_freevars else file.cut_out.get(code.co_firstlineno)
    if not _still_fits(node, function, name, text):
        raise unread(name, filename) if no_file else SourceError(
            f"{filename} was edited after {name} was imported", "import it again")
    return Located(node, file.filename, name.rsplit("<locals>.", 1)[-1])


def unread(name: str, filename: str) -> SourceError:
    return SourceError(f"the source of {name} can't be read ({filename})", REMEDY)


def _file(filename: str, function: types.FunctionType) -> _File | None:
    linecache.checkcache(filename)
    text = "".join(linecache.getlines(filename, function.__globals__))
    return _kept(filename, text) if text else None


def _arrived(function: types.FunctionType) -> _File | None:
    """The text that came along with a function that was sent by value, if the function is in it."""
    for filename, text in arrived().items():
        file = _kept(filename, text)
        with contextlib.suppress(SyntaxError):
            for node in _candidates(file, function.__code__):
                found = _compiled(node, function)
                if found is not None and _same_work(found, function.__code__):
                    return file
    return None


def _candidates(file: _File, code: types.CodeType) -> list:
    """The functions in a file that may have this code, by where they start, name and parameters. Raises SyntaxError."""
    wanted = ast.Lambda if code.co_name == "<lambda>" else FUNCTIONS
    return [node for node in file.functions(code.co_firstlineno, code.co_name)
            if isinstance(node, wanted) and getattr(node, "name", "<lambda>") == code.co_name
            and _parameters(node) == _code_parameters(code)]


def _kept(filename: str, text: str) -> _File:
    with _lock:
        known = _files.get(filename)
        if known is not None and known.text == text:
            _files.move_to_end(filename)
            return known
        file = _files[filename] = _File(text, filename)
        while len(_files) > FILES_KEPT:
            _files.popitem(last=False)
    return file


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[str, ...]:
    spec = node.args
    return tuple(item.arg for item in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs))


def _code_parameters(code: types.CodeType) -> tuple[str, ...]:
    return code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _by_position(candidates: list, code: types.CodeType) -> list:
    """The candidates within which the code's own positions lie (Python 3.11 and later know columns)."""
    if not hasattr(code, "co_positions"):
        return []
    places = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None
              and (line, column) != (code.co_firstlineno, 0)]
    if not places:
        return []
    inside = []
    for node in candidates:
        body = node.body if isinstance(node, ast.Lambda) else node
        if all((body.lineno, body.col_offset) <= place <= (body.end_lineno, body.end_col_offset) for place in places):
            inside.append(node)
    return inside


def _compiled(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
              function: types.FunctionType) -> types.CodeType | None:
    """What a candidate compiles to, with the free variables that the function has, where the modules that it uses are
    imported (calls of what they hold compile to something of their own)."""
    code = function.__code__
    spec = node.args
    nothing = ast.copy_location(ast.Constant(None), node)  # for defaults, which may hold functions of their own
    arguments = ast.arguments(spec.posonlyargs, spec.args, spec.vararg, spec.kwonlyargs,
                              [None if item is None else nothing for item in spec.kw_defaults], spec.kwarg,
                              [nothing for _ in spec.defaults])
    body: ast.stmt
    if isinstance(node, ast.Lambda):
        body = ast.Return(ast.copy_location(ast.Lambda(arguments, node.body), node))
    else:
        kind = type(node)
        body = kind(name=node.name, args=arguments, body=node.body, decorator_list=[], returns=None,
                    **({"type_params": []} if "type_params" in node._fields else {}))
    own = code.co_name in code.co_freevars or isinstance(node, ast.Lambda)
    known = ast.Pass() if own else ast.Global([code.co_name])
    factory = ast.parse(f"{_imports(function)}\ndef factory({', '.join(code.co_freevars)}): pass")
    factory.body[-1].body = [ast.copy_location(known, node), ast.copy_location(body, node)]  # type: ignore[attr-defined]
    try:
        found = compile(factory, "<candidate>", "exec", code.co_flags & FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    for _ in range(2):
        found = next(item for item in found.co_consts if isinstance(item, types.CodeType))
    return found


def _compiled_alone(text: str, function: types.FunctionType) -> types.CodeType | None:
    """The same of the text of a function without free variables, which takes half the time."""
    code = function.__code__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            whole = compile(_imports(function) + text, "<candidate>", "exec", code.co_flags & FUTURE, dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
    return next(item for item in whole.co_consts if isinstance(item, types.CodeType) and item.co_name == code.co_name)


def _imports(function: types.FunctionType) -> str:
    """The statements that import the modules which a function uses; test runners add names that are none."""
    return "".join(f"import {item};" for item in function.__code__.co_names
                   if item.isidentifier() and isinstance(function.__globals__.get(item), types.ModuleType))


def _same_code(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, function: types.FunctionType) -> bool:
    found = _compiled(node, function)
    return found is not None and _shape(found) == _shape(function.__code__)


def _shape(code: types.CodeType) -> tuple:
    names = {*code.co_names, *code.co_freevars, *code.co_cellvars}
    constants = [repr(item) for item in code.co_consts if not isinstance(item, types.CodeType)]
    return names, sorted(constants), code.co_varnames


def _still_fits(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, function: types.FunctionType,
                name: str, text: str | None) -> bool:
    """Whether a function's text still compiles to its code. ``text``: that text, where it is one by itself.

    Test runners rewrite assert statements, which adds names that start with @: then the names of the text must all be
    in the code. Other tools that rewrite code add names too, as an edit may have taken some away: that is a warning.
    """
    found, code = _compiled(node, function) if text is None else _compiled_alone(text, function), function.__code__
    if found is None or _same_work(found, code):
        return True
    mine, theirs = _names(found), _names(code)
    if "__class__" in theirs or any(item.startswith("__") and not item.endswith("__") for item in mine):
        return True  # methods with super(), or with private names, compile to something else outside their class
    if mine < theirs and not any(item.startswith("@") for item in theirs):
        warnings.warn(f"{code.co_filename} was edited after {name} was imported: its gradient is that of the text in "
                      "the file; import it again", stacklevel=3)
    return mine < theirs


def _names(code: types.CodeType) -> set[str]:
    return {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}


def _plain(code: types.CodeType) -> tuple:
    """A code object's bytes, and what they refer to but for constants."""
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars


def _same_work(first: types.CodeType, second: types.CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand."""
    if _names(first) != _names(second):
        return False
    if _plain(first) == _plain(second):  # as they mostly are, and much faster than step by step
        return _same_constant(first.co_consts, second.co_consts)
    steps, others = list(_steps(first)), list(_steps(second))
    return len(steps) == len(others) and all(map(_same_constant, steps, others))


def _steps(code: types.CodeType) -> Iterator[tuple]:
    """A code object's instructions, alike for calls of what the module imports and of what it does not."""
    for step in dis.get_instructions(code):
        if step.opname not in SILENT:
            jumps = step.opcode in dis.hasjrel or step.opcode in dis.hasjabs
            yield "LOAD_ATTR" if step.opname == "LOAD_METHOD" else step.opname, None if jumps else step.argval


def _same_constant(first: object, second: object) -> bool:
    if isinstance(first, types.CodeType) and isinstance(second, types.CodeType):
        return _same_work(first, second)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(_same_constant, first, second))
    if isinstance(first, str) and isinstance(second, str):
        return first == second or "<locals>" in first  # before Python 3.11 the name of a function inside
    return type(first) is type(second) and (first == second and str(first) == str(second)
                                            or isinstance(first, frozenset) and first == second or first != first)
