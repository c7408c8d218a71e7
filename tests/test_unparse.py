"""What unparse writes is read back as the same tree: over the standard library and NumPy, and for exact small texts.

The suite takes a fixed sample of the files; S2SGRAD_ALL_SOURCES=1 takes them all (minutes).
"""
from __future__ import annotations

import ast
import math
import os
import sys
import sysconfig
import warnings
import zlib
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest

from s2sgrad.compiler.trees import to_gast
from s2sgrad.compiler.unparse import unparse

STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
NUMPY = Path(np.__file__).parent
# a slow core does about 100 kB a second, from ast and from gast
SAMPLE_BYTES = 1_000_000
LARGEST_IN_SAMPLE = 40_000


def sources(root: Path, budget: int | None) -> list[Path]:
    """The files below a folder; with a budget, some of them: of all sizes, and the same ones every time."""
    files = [path for path in root.rglob("*.py") if "site-packages" not in path.relative_to(root).parts]
    files.sort(key=lambda path: (zlib.crc32(path.relative_to(root).as_posix().encode()), path))
    if budget is None:
        return files
    chosen = []
    for path in files:
        size = path.stat().st_size
        if 0 < size <= min(LARGEST_IN_SAMPLE, budget):
            chosen.append(path)
            budget -= size
    return chosen


def parse_quietly(text: str | bytes) -> ast.Module:
    """Sources may hold what the parser warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def mistakes(path: Path) -> list[str]:
    try:
        tree = parse_quietly(path.read_bytes())
    except (SyntaxError, ValueError):
        return []  # sources of other versions, and such as tests of the parser itself need
    expected = ast.dump(tree)
    found = []
    translated = gast.ast_to_gast(tree)
    if gast.dump(to_gast(tree)) != gast.dump(translated):
        found.append(f"{path}: gast's own translation is another")
    for origin, node in (("ast", tree), ("gast", translated)):
        text = unparse(node)
        try:
            same = ast.dump(ast.parse(text)) == expected
        except SyntaxError as error:
            found.append(f"{path}: from {origin}: {error.text!r}: {error}")
        else:
            if not same:
                found.append(f"{path}: from {origin}: another tree")
    return found


@pytest.mark.parametrize("root", [STANDARD_LIBRARY, NUMPY], ids=["standard library", "NumPy"])
def test_files_read_back_as_the_same_tree(root: Path) -> None:
    budget = None if os.environ.get("S2SGRAD_ALL_SOURCES") else SAMPLE_BYTES // 2
    files = sources(root, budget)
    assert files
    assert [mistake for path in files for mistake in mistakes(path)] == []


EXPRESSIONS = """
y_bar * (1 - y ** 2)
a - (b - c)
a - b - c
a * b + c
a * (b + c)
a / (b * c)
a // b % c
a @ b @ c
a @ (b @ c)
a | b ^ c & d << e
((a | b) ^ c) & d
-x ** 2
(-x) ** 2
2 ** -x
a ** b ** c
(a ** b) ** c
-x * y
-(x * y)
--x
~x + +y
not a
not a == b
(not a) == b
not (a and b)
a and b or c
a and (b or c)
(a and b) and c
a < b <= c != d
(a < b) < c
a is not b
a not in b
(a in b) in c
a == (b and c)
a if b else c
a if b else c if d else e
(a if b else c) if d else e
a if (b if c else d) else e
(a if b else c) + d
lambda: x
lambda x: x
lambda x, /, y=1, *z, w, **v: x + y
lambda *, w=None: w
(lambda x: x)(1)
(lambda: x) if a else lambda: y
[lambda: x, y]
(x := 1)
f(x := 1)
f(y=(x := 1))
[x := 1, x]
a + (x := 1)
await x
await x ** 2
(await x)[0]
await (await x)
-await x
(yield)
(yield x)
(yield x, y)
(yield from x)
f((yield))
()
x,
a, b
(a, b)[0]
(a, b), c
*a, b
[*a, *b]
{*a, b}
{**a, b: c}
{}
{*()}
[]
x[0]
x[-1]
x[:]
x[1:-1]
x[i + 1:]
x[:, 0]
x[:,]
x[(0,)]
x[()]
x[...]
x[..., None, ::2]
x[a:b:c, d]
x[(a, b):c]
x[(y := 1)]
x[a if b else c]
f()
f(a, axis=0)
f(*a, b, c=d, **e)
f(x for x in y)
f((x for x in y), z)
f((a, b))
f(a)(b).c[d]
a.b.c
(a + b).c
(-a).b
(1).real
1.5.real
1j.real
True.real
'a'.join
[x for x in y]
[(a, b) for a, b in c]
[x for x in a or b if c if d]
[x for x in (a if b else c)]
[x for x in y if (lambda: x)]
[y for x in a for y in x]
[x async for x in y]
{x for x in y}
{a: b for a, b in c}
(x for x in y)
1
1.0
1e+300
1e-05
2j
'a'
"it's"
'\\n\\t\\x00'
u'a'
b'\\xff'
None
...
f'{x}'
f'{x!r:>{width}} {{}}' + 'a'
""".strip().splitlines()

STATEMENTS = """
a, b = b, a
x, = y
a = b = c, d
(a, b), c = d
[a, b] = c
*a, b = c
x = yield
x = yield y, z
x += 1
x **= yield
x: int
x: int = 1
(x): int = 1
x.y: int = a, b
x[0] = 1
return
return a, b
return a,
return (yield)
return a, *b
a, b
yield x
await x
(x := 1)
del a, b[0], c.d
del (a, b)
assert a, b
assert (a, b)
raise
raise A
raise A from b
import a.b as c, d
from . import a
from ..a import b as c, d
from a import *
global a, b
nonlocal a
pass
break
continue
for a, b in c, d:↵    pass
for a in (yield):↵    pass
for x.y in [1]:↵    pass↵else:↵    break
async for a in b:↵    pass
while x := f():↵    pass↵else:↵    pass
while (a, b):↵    pass
if a:↵    pass
if x := f():↵    pass↵elif b:↵    pass↵elif c:↵    pass↵else:↵    pass
if a:↵    pass↵else:↵    if b:↵        pass↵    pass
with a:↵    pass
with a as b, c as (d, e), f:↵    pass
with ((a, b)):↵    pass
with (a, b) as c:↵    pass
with (yield):↵    pass
async with a as b:↵    pass
try:↵    pass↵except:↵    pass
try:↵    pass↵except (A, B) as e:↵    pass↵except C:↵    pass↵else:↵    pass↵finally:↵    pass
def f():↵    pass
def f(a, /, b: int = 1, *c: int, d, e=2, **g: int) -> (a, b):↵    return a
def f(*, a):↵    pass
def f():↵    \"\"\"Doc, with a \\\\backslash.↵↵    More.↵    \"\"\"↵    'no doc'
def f():↵    'ends in "'↵    pass
async def f():↵    pass
@a.b(c)↵@d↵def f():↵    pass
class A:↵    pass
class A(B, *D, metaclass=C, **E):↵    x = 1↵↵    def f(self):↵        pass↵↵    def g(self):↵        pass↵↵    y = 2
a↵↵↵def f():↵    pass↵↵↵b
match a, *b:↵    case _:↵        pass
match x:↵    case 1 | -1.5 | 1 + 2j | 'a' | None | a.b:↵        pass↵    case y if y > 1:↵        pass
match x:↵    case [a, *_, 1 | 2 as b] | [[*c]]:↵        pass
match x:↵    case {1: a, 'b': [c], **d}:↵        pass↵    case {**e}:↵        pass↵    case {}:↵        pass
match x:↵    case A() | B.C(1, y=2, z=D()) as e:↵        pass↵    case (1 as a) | (2 as a):↵        pass
""".strip().replace('\\"', '"').splitlines()

if sys.version_info >= (3, 11):
    EXPRESSIONS += ["x[*a]", "x[*a, 1:2]"]
    STATEMENTS += ["def f(*a: *B):↵    pass", "try:↵    pass↵except* A as e:↵    pass"]
else:
    EXPRESSIONS += ["x[(*a,)]", "x[(*a, b)]"]
if sys.version_info >= (3, 12):
    STATEMENTS += [
        "type A = b", "type A[T: (int, str), *Ts, **P] = (T, P)", "def f[T: int](x: T) -> T:↵    pass",
        "class A[*Ts](B):↵    pass",
    ]
if sys.version_info >= (3, 13):
    STATEMENTS += ["type A[T: int = bool, *Ts = *B, **P = [int]] = T"]


@pytest.mark.parametrize("parse", [ast.parse, gast.parse], ids=["ast", "gast"])
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression_is_written_as_it_was(text: str, parse: Any) -> None:
    assert unparse(parse(text).body[0].value) == text


@pytest.mark.parametrize("parse", [ast.parse, gast.parse], ids=["ast", "gast"])
@pytest.mark.parametrize("text", [text.replace("↵", "\n") for text in STATEMENTS])
def test_statement_is_written_as_it_was(text: str, parse: Any) -> None:
    assert unparse(parse(text)) == text + "\n"
    assert unparse(parse(text).body) == text + "\n"


@pytest.mark.parametrize("text, written", [
    ("(((a)))", "a"), ("(a * b) + c", "a * b + c"), ("a ** (b ** c)", "a ** b ** c"),
    ("(a, b)", "a, b"), ("(a,)", "a,"),
    ("x[(a, b)]", "x[a, b]"), ("x[0,]", "x[(0,)]"), ("f(((x)))", "f(x)"), ("(-1)", "-1"),
    ("a if b else (c if d else e)", "a if b else c if d else e"), ("'a' 'b'", "'ab'"), ('"a"', "'a'"),
    ("0x10", "16"), ("1e999", "1e309"), ("-1e999", "-1e309"), ("1e999j", "1e309j"), ("lambda:0", "lambda: 0"),
])
def test_shorter_text(text: str, written: str) -> None:
    assert unparse(gast.parse(text).body[0].value) == written


def constant(value: Any) -> gast.Constant:
    return gast.Constant(value, None)


def exactly(value: Any) -> Any:
    """Something to compare that tells types and signs of zeros apart, but no nan from another."""
    if isinstance(value, complex):
        return complex, exactly(value.real), exactly(value.imag)
    if isinstance(value, float):
        return "nan" if math.isnan(value) else (math.copysign(1.0, value), value)
    return type(value), value


@pytest.mark.parametrize("build", [ast.Constant, constant], ids=["ast", "gast"])
@pytest.mark.parametrize("value", [
    0, -1, 10 ** 40, True, 0.0, -0.0, 2.5, -2.0, 1e300, 5e-324, math.inf, -math.inf, math.nan,
    1j, -1j, 0j, complex(0.0, -1.0), complex(-0.0, 1.0), complex(-0.0, -1.0), complex(-0.0, 0.0), -0j, 1 + 2j,
    complex(-1.5, -2.0), complex(1.0, 0.0), complex(1.0, -0.0), complex(math.inf, -math.inf), complex(math.nan, 1.0),
    complex(1.0, math.nan), complex(0.0, math.inf), "it's", "\ud800\n\"", b"\x00'", None, ..., (), (1, -2.0), ("a",),
    frozenset({1}),
], ids=repr)
def test_constant_evaluates_to_itself(value: Any, build: Any) -> None:
    assert exactly(eval(unparse(build(value)))) == exactly(value)
    [alone] = eval(unparse(gast.List([build(value)], gast.Load())))
    assert exactly(alone) == exactly(value)


def test_integer_of_more_digits_than_python_converts() -> None:
    for value in (10 ** 5000, -10 ** 5000):
        assert eval(unparse(constant(value))) == value


@pytest.mark.parametrize("value", [2.0, -2.0, -2, -1.5, -2j, 1 + 2j, complex(-1, -2), math.inf, -math.inf])
@pytest.mark.parametrize("name, symbol", [("Pow", "**"), ("Mult", "*"), ("Sub", "-")])
def test_constant_as_an_operand(value: Any, name: str, symbol: str) -> None:
    operator = getattr(gast, name)()
    two = constant(2)
    assert eval(unparse(gast.BinOp(constant(value), operator, two))) == eval(f"value {symbol} 2", {"value": value})
    assert eval(unparse(gast.BinOp(two, operator, constant(value)))) == eval(f"2 {symbol} value", {"value": value})
    assert eval(unparse(gast.UnaryOp(gast.USub(), constant(value)))) == -value


@pytest.mark.parametrize("tree, text", [
    (gast.BinOp(constant(-2.0), gast.Pow(), constant(2)), "(-2.0) ** 2"),
    (gast.BinOp(constant(2), gast.Pow(), constant(-2.0)), "2 ** -2.0"),
    (gast.BinOp(constant(-2.0), gast.Mult(), constant(-3)), "-2.0 * -3"),
    (gast.BinOp(constant(1), gast.Sub(), constant(-1)), "1 - -1"),
    (gast.UnaryOp(gast.USub(), constant(-2)), "--2"),
    (gast.Attribute(constant(-2), "real", gast.Load()), "(-2).real"),
    (gast.Attribute(constant(-2.0), "real", gast.Load()), "(-2.0).real"),
    (gast.Subscript(constant(-2), constant(0), gast.Load()), "(-2)[0]"),
    (gast.Await(constant(-2)), "await (-2)"),
    (constant(np.float64(2.5)), "2.5"),
])
def test_trees_that_no_text_is_parsed_to(tree: Any, text: str) -> None:
    assert unparse(tree) == text


def test_parts_of_statements() -> None:
    function = gast.parse("def f(a, *, b=1): return f(c=d)").body[0]
    assert unparse(function.args) == "a, *, b=1"
    assert unparse(function.body[0].value.keywords[0]) == "c=d"
    assert unparse(ast.parse("with a as b: pass").body[0].items[0]) == "a as b"
    assert unparse(ast.parse("a, b", mode="eval")) == "a, b"
    assert unparse([]) == ""


def test_indent() -> None:
    tree = gast.parse("if a:\n    b")
    assert unparse(tree, indent=1) == unparse(tree.body, indent=1) == "    if a:\n        b\n"
    assert unparse(tree.body[0], indent=2) == "        if a:\n            b\n"


def test_f_string_around_a_lambda() -> None:
    text = "f'{(lambda x: x)(1)}'"
    assert unparse(gast.parse(text).body[0].value) == text


def test_unknown_nodes_are_refused() -> None:
    with pytest.raises(TypeError, match="no source text for Load"):
        unparse(gast.Load())
