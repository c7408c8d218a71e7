"""The command: ``s2sgrad show FILE_OR_MODULE:FUNCTION [ARGUMENT ...]`` prints the code that computes a gradient."""
from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import importlib
import importlib.util
import io
import json
import os
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from s2sgrad import __version__, reports
from s2sgrad.compiled import Compiled
from s2sgrad.compiler.emit import Text
from s2sgrad.compiler.evaluation import NeedsSizes
from s2sgrad.compiler.origins import explain
from s2sgrad.containers import holds_floats, is_instance
from s2sgrad.derivative import program_of
from s2sgrad.entry import pullback_entry, report_entry, tangent_entry
from s2sgrad.errors import S2SGradError
from s2sgrad.rules.abstract import Abstract, Numeric, with_dims
from s2sgrad.signature import Letters
from s2sgrad.subjects import subject_of

PASSES = ("parse", "desugar", "primal", "reverse")
PATH_LIMIT = 256
SIZE = "size"
"""What the letter for a size starts with that is given as a number."""

EXAMPLES = """\
examples:
  s2sgrad show model.py:loss 'np.ones(3)' 2.0        the path that these arguments take
  s2sgrad show model.py:loss 'w=np.ones(3)' --saved  ... and what it saves
  s2sgrad show model.py:loss --shape 'x=float64[n,m]' --shape 'w=float64[m]'
  s2sgrad show model.py:loss 'np.ones(3)' --forward  the tangent function
  s2sgrad show package.module:f 0.5 --paths          one adjoint for each path of the function
"""


class Reader(argparse.ArgumentParser):
    """One that says what is wrong in one line, and where to read on in another."""

    def error(self, message: str) -> Any:
        self.exit(2, f"{self.prog}: error: {message}\n{self.prog} --help tells how it is used\n")


def parser() -> argparse.ArgumentParser:
    top = Reader(prog="s2sgrad", description="Shows the gradient code that s2sgrad generates.",
                                  epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=f"s2sgrad {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    show = commands.add_parser("show", help="print primal and adjoint of a function",
                               description="Prints primal and adjoint of a function.", epilog=EXAMPLES,
                               formatter_class=argparse.RawDescriptionHelpFormatter)
    show.add_argument("target", metavar="FILE_OR_MODULE:FUNCTION", help="model.py:loss or package.module:loss")
    show.add_argument("arguments", nargs="*", default=[], metavar="ARGUMENT",
                      help="Python literals and numpy expressions, which may use names of the module: "
                           "Model(np.ones(3)); name=value names a parameter")
    show.add_argument("--shape", action="append", default=[], metavar="NAME=DTYPE[DIMS]",
                      help="a parameter by its type, float64[n,m] (letters, or sizes), float, int: nothing is run")
    which = show.add_mutually_exclusive_group()
    which.add_argument("--paths", action="store_true", help="one adjoint for each path of the function")
    which.add_argument("--general", action="store_true", help="the adjoint that serves all paths")
    which.add_argument("--forward", action="store_true", help="the tangent function instead (forward mode)")
    which.add_argument("--after", choices=PASSES, metavar="PASS",
                       help=f"the Program after a pass: {', '.join(PASSES)}")
    which.add_argument("--saved", action="store_true", help="the table of saved buffers (runs the function)")
    show.add_argument("--json", action="store_true", help="the same as JSON: one object, with the texts as strings "
                                                          "(docs/command.md)")
    show.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")
    return top


def read_options(argv: list[str] | None) -> argparse.Namespace:
    """The options, which may stand before, between and after the function's arguments.

    argparse takes one run of positional words only, and words that begin with a dash for options: what it leaves over
    are further arguments, ``-np.ones(3)`` among them, in the order in which they were written.
    """
    reader = parser()
    options, further = reader.parse_known_args(argv)
    unknown = [word for word in further if word.startswith("--")]
    if unknown:
        reader.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.arguments += further
    return options


def main(argv: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    options = read_options(argv)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the user's code prints is no part of the answer
            text = show(options)
    except (S2SGradError, CommandError) as error:
        print(f"s2sgrad: {in_two_lines(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # as shells count it
        return 130
    if options.output is not None:
        try:
            Path(options.output).write_text(text, encoding="utf-8")
        except OSError as error:
            print(f"s2sgrad: cannot write {options.output or repr('')}: {error.strerror}", file=sys.stderr)
            return 1
        return 0
    return write(text, colour=not options.json and not os.environ.get("NO_COLOR"))


def in_two_lines(error: Exception) -> str:
    """What is wrong in one line, and before it, in another, where that is in the user's text."""
    if not isinstance(error, S2SGradError):
        return "\n".join(map(in_one_line, (str(error), *getattr(error, "notes", ())[:1])))
    if error.location is None:
        return in_one_line(error.sentence())
    return f"{in_one_line(f'{error.place()}: {error.location.words()}')}\n{in_one_line(error.sentence())}"


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def write(text: str, colour: bool) -> int:
    """Write to standard output, in colour where that is a terminal; the exit status."""
    if sys.stdout is None:
        print("s2sgrad: standard output is closed", file=sys.stderr)
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # the user's lines may hold what the terminal can't show
    try:
        sys.stdout.write(coloured(text) if colour and sys.stdout.isatty() else text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        leave_unwritten()
    except OSError as error:
        print(f"s2sgrad: cannot write: {error.strerror}", file=sys.stderr)
        leave_unwritten()
        return 1
    return 0


def leave_unwritten() -> None:
    """Send what standard output still holds nowhere, else the interpreter fails at it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class CommandError(Exception):
    """What was typed can't be done; the message is all that the user needs."""


class Raised(CommandError):
    """The user's own code raised an exception."""

    def __init__(self, target: str, error: BaseException):
        super().__init__(f"{target} raised {type(error).__name__}: {error}".removesuffix(": "))
        self.notes = getattr(error, "__notes__", [])
        """Where it was: from Python 3.11 on what was run says so."""


def show(options: argparse.Namespace) -> str:
    module, found = find(options.target)
    positional, named = evaluate_arguments(options.arguments, vars(module))
    subject = subject_of(found)
    if options.shape and subject.definition is None:
        raise CommandError(f"{options.target} takes any number of arguments, or has a rule: give values instead of "
                           "--shape")
    function = subject.fitting(tuple(positional), named)
    entry = tangent_entry(function, None) if options.forward else pullback_entry(function)
    if options.after == "parse":
        return after(options, function, Text(program_of(function.definition), comments=False))
    path = None
    if options.shape:
        if options.saved:
            raise CommandError("--saved needs a call: give values instead of --shape")
        compiled = compiled_for(entry, positional, named, options.shape)
        if not options.forward and reports.is_gradient(compiled):
            compiled = compiled_for(report_entry(function, compiled.table.wanted), positional, named, options.shape)
    else:
        try:
            entry.signature.bind(*positional, **named)
        except TypeError as error:
            raise CommandError(f"{options.target}: {error}; the parameters are "
                               f"{', '.join(entry.parameters) or 'none'}") from None
        try:
            if options.forward:
                compiled = entry.compiled_for(tuple(positional), named)
            else:
                compiled, _, path, _ = reports.run(function, tuple(positional), named)
        except S2SGradError:
            raise
        except (Exception, SystemExit) as error:
            explain(error, "running")
            raise Raised(options.target, error) from None
    return report(options, function, compiled, path, positional, named)


def after(options: argparse.Namespace, function: Any, text: Text) -> str:
    """What ``--after`` prints of a pass that leaves one text."""
    if options.json:
        return json.dumps({"function": function.name, "after": options.after, "program": str(text)}, indent=2) + "\n"
    return str(text)


def report(options: argparse.Namespace, function: Any, compiled: Compiled, path: int | None, positional: list,
           named: dict) -> str:
    derivative = compiled.derivative
    if options.forward:
        text = reports.tangent_source(derivative)
        return json.dumps({"function": function.name, "tangent": text}, indent=2) + "\n" if options.json else text
    if options.saved:
        rows = reports.saved(function, *positional, **named)
        if options.json:
            return json.dumps({"saved": [asdict(row) for row in rows], "bytes": rows.bytes}, indent=2) + "\n"
        return f"{rows}\n"
    if options.after == "desugar":
        return after(options, function, Text(derivative.program, comments=False))
    if options.after == "primal":
        return after(options, function, derivative.primal_text)
    primal = str(derivative.primal_text)
    table = compiled.table
    adjoints: dict[Any, str] = {}
    total = derivative.paths.total
    if options.general or (path is None and total > 1 and not options.paths):
        table.general_adjoint()
        adjoints["general"] = str(table.texts["general"])
    elif options.paths:
        if total > PATH_LIMIT:
            raise CommandError(f"{function.name} has {total} branch paths, too many to print: use --general")
        for each in range(total):
            adjoints[each] = str(table.text(each))
    else:
        adjoints[path or 0] = str(table.text(path or 0))
    if options.json:
        return json.dumps({
            "function": function.name, "paths": total, "path": path, "primal": primal,
            "adjoints": [{"path": key, "source": text, "conditions": [] if key == "general" else [
                {"line": line, "text": words, "outcome": outcome}
                for line, words, outcome in reports.conditions(derivative, key)]} for key, text in adjoints.items()],
        }, indent=2) + "\n"
    if options.after == "reverse":
        return "\n".join(adjoints.values())
    parts = [primal]
    for key, text in adjoints.items():
        conditions = [] if key == "general" else reports.conditions(derivative, key)
        parts.append("".join(f"# path {key}: line {line} {outcome}: {words}\n" for line, words, outcome in conditions)
                     + text)
    for callee in reports.run_by(derivative):
        parts.append(str(callee.texts()[0]))
    return "\n".join(parts)


def find(target: str) -> tuple[ModuleType, Any]:
    """The module and the function that ``FILE_OR_MODULE:FUNCTION`` names."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise CommandError(f"{target} does not name a function: write FILE.py:FUNCTION or MODULE:FUNCTION")
    try:
        module = load_file(place) if place.endswith(".py") else load_module(place)
    except CommandError:
        raise
    except (Exception, SystemExit) as error:
        raise CommandError(f"{place} can't be imported: {type(error).__name__}: {error}") from None
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            close = difflib.get_close_matches(part, dir(value), 1)
            raise CommandError(f"{place} has no {name}" + (f": did you mean {close[0]}?" if close else ""))
        value = getattr(value, part)
    return module, value


def load_file(path: str) -> Any:
    file = Path(path)
    if not file.is_file():
        raise CommandError(f"no file {path}")
    names = [file.stem]
    folder = file.resolve().parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.insert(0, folder.name)
        folder = folder.parent
    if len(names) > 1 and file.stem.isidentifier():  # it may import from its package
        sys.path.insert(0, str(folder))
        return importlib.import_module(".".join(names))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(file.stem, module)
    sys.path.insert(0, str(file.resolve().parent))
    spec.loader.exec_module(module)
    return module


def load_module(name: str) -> Any:
    if not all(part.isidentifier() for part in name.split(".")):
        raise CommandError(f"no module {name} (a file needs its .py)")
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise CommandError(f"no module {name} (a file needs its .py)") from None
        raise


def evaluate_arguments(texts: list[str], module: dict[str, Any]) -> tuple[list, dict[str, Any]]:
    """Values of arguments as typed: Python expressions that may use ``np``, and the names of the function's module."""
    positional: list = []
    named: dict[str, Any] = {}
    for text in texts:
        name, value_text = None, text
        match = re.match(r"([A-Za-z_]\w*)=(?!=)(.*)", text, re.S)
        if match:
            name, value_text = match.groups()
        try:
            ast.parse(value_text.strip(), mode="eval")
            value = eval(value_text.strip(), {"np": np, "numpy": np, **module})
        except (Exception, SystemExit) as error:
            reason = error.msg if isinstance(error, SyntaxError) else error
            raise CommandError(f"{text or repr('')} is not a value: {reason}") from None
        if name is None:
            if named:
                raise CommandError(f"{text} comes after a named argument: name it too")
            positional.append(value)
        elif name in named:
            raise CommandError(f"{text} names {name} once more")
        else:
            named[name] = value
    return positional, named


def abstract_arguments(entry: Any, positional: list, named: dict[str, Any], shapes: list[str]) -> dict[str, Abstract]:
    """Abstract values of all parameters: from ``--shape``, from values given, from defaults."""
    letters = Letters()
    result: dict[str, Abstract] = {}
    try:
        values = entry.signature.bind_partial(*positional, **named)
    except TypeError as error:
        raise CommandError(str(error)) from None
    given = set(values.arguments)
    values.apply_defaults()
    values.arguments.update(entry.bound)
    for text in shapes:
        name, _, described = text.partition("=")
        if name not in entry.parameters:
            raise CommandError(f"--shape {text}: there is no parameter {name}; the parameters are "
                               f"{', '.join(entry.parameters)}")
        if name in given or name in result:
            raise CommandError(f"--shape {text}: {name} has a {'value' if name in given else '--shape'} already")
        result[name] = parse_shape(text, described)
    for name in entry.parameters:
        if name in result:
            continue
        if name not in values.arguments:
            raise CommandError(f"{name} has neither a value nor a --shape")
        value = values.arguments[name]
        own = name in entry.bound
        abstract = letters.describe(value, name, name in entry.by_value or own and is_instance(value))
        if holds_floats(value) and not own:
            abstract = replace(abstract, active=True)
        result[name] = abstract
    return {name: result[name] for name in entry.parameters}


def compiled_for(entry: Any, positional: list, named: dict[str, Any], shapes: list[str]) -> Any:
    """The code for what is known of the arguments: where it must know sizes, for those that were given as numbers."""
    sizes: dict[str, int] = {}

    def described() -> dict[str, Abstract]:
        arguments = abstract_arguments(entry, positional, named, shapes)
        return {name: with_dims(value, lambda dim: sizes.get(dim, dim)) for name, value in arguments.items()}

    while True:
        try:
            return entry.compile_abstract(described)
        except NeedsSizes as need:
            sizes = {letter: int(letter[len(SIZE):]) for letter in need.letters if letter[len(SIZE):].isdigit()}
            if not sizes:
                raise need.refusal from None


def parse_shape(text: str, described: str) -> Abstract:
    match = re.fullmatch(r"\s*([a-z]+\d*)\s*(?:\[([^\]]*)\])?\s*", described)
    if match is None:
        raise CommandError(f"--shape {text}: write NAME=DTYPE[DIMS], x=float64[n,m] say")
    label, dims_text = match.groups()
    try:
        dtype = np.dtype(label)
    except TypeError:
        raise CommandError(f"--shape {text}: no dtype {label}") from None
    active = dtype.kind in "fc"
    if dims_text is None:
        kind = "python" if label in ("float", "complex", "int", "bool") else "scalar"
        return Numeric(kind, dtype, (), active)
    dims: list[Any] = []
    for part in filter(None, (piece.strip() for piece in dims_text.split(","))):
        if part.isdigit():
            dims.append(1 if part == "1" else f"{SIZE}{part}")
        elif part.isidentifier():
            dims.append(part)
        else:
            raise CommandError(f"--shape {text}: {part} is neither a letter nor a size")
    return Numeric("array", dtype, tuple(dims), active)


def coloured(text: str) -> str:
    """Comments dim, ``def`` lines bold."""
    lines = []
    for line in text.splitlines():
        code, hash_, comment = line.partition("  # ") if not line.startswith("#") else ("", "", line)
        if code.startswith("def "):
            code = f"\033[1m{code}\033[0m"
        lines.append(f"{code}\033[2m{hash_}{comment}\033[0m" if comment else code)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
