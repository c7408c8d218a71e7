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

from s2sgrad.compiler.unparse import unparse

STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
NUMPY = Path(np.__file__).parent
# a slow core does about 100 kB a second, from ast and from gast
SAMPLE_BYTES = 800_000
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
    for origin, node in (("ast", tree), ("gast", gast.ast_to_gast(tree))):
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
(x,)
(a, b)
(a, b)[0]
((a, b), c)
(*a, b)
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
(x,) = y
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
return (a,)
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
class A(B, metaclass=C, *D, **E):↵    x = 1↵↵    def f(self):↵        pass↵↵    def g(self):↵        pass↵↵    y = 2
a↵↵↵def f():↵    pass↵↵↵b
match a, *b:↵    case _:↵        pass
match x:↵    case 1 | -1.5 | 1 + 2j | 'a' | None | a.b:↵        pass↵    case y if y > 1:↵        pass
match x:↵    case [a, *_, (1 | 2) as b] | [[*c]]:↵        pass
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

# texts that are not those of a tree which another text stands for more shortly
REWRITTEN = {"with ((a, b)):↵    pass"}


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
    ("(((a)))", "a"), ("(a * b) + c", "a * b + c"), ("a ** (b ** c)", "a ** b ** c"), ("(a, b)", "(a, b)"),
    ("x[(:)]" if False else "x[(a, b)]", "x[a, b]"), ("x[0,]", "x[(0,)]"), ("f(((x)))", "f(x)"), ("(-1)", "-1"),
    ("a if b else (c if d else e)", "a if b else c if d else e"), ("'a' 'b'", "'ab'"), ('"a"', "'a'"),
    ("0x10", "16"), ("1e999", "1e309"), ("-1e999", "-1e309"), ("1e999j", "1e309j"), ("lambda:0", "lambda: 0"),
])
def test_shorter_text(text: str, written: str) -> None:
    assert unparse(gast.parse(text).body[0].value) == written
