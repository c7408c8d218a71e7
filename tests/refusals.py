"""Every refusal that the compiler and the public functions can give: a program, a call of it, and what its user reads.

In a program the carets stand below the code that the message points at, as the message itself shows it; where there are
none the message names no place.
"""
from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    program: str
    reason: str
    remedy: str
    call: str = "grad(f)(X)"
    function: str = "f"
    """The function that the message says the carets are in."""


def in_body(line: str, carets: str, *rest: str, result: str = "x.sum()") -> str:
    """A program whose ``f`` has ``line``, with carets below it, for its body."""
    return "\n".join(["def f(x):", f"    {line}", f"    {carets}", *(f"    {more}" for more in rest),
                      f"    return {result}", ""])


ASYNC = ("async code has no derivative", "write a plain function")
STARS = ("how many arguments * or ** gives this call is not known before it",
         "write the arguments out, or hand on the list or dict itself: f(values)")
GENERATOR = ("a generator has no derivative", "return the values instead")
ELSEWHERE = ("a walrus is not supported in this place", "assign on a line of its own")
MANAGED = ("give it constants; or let it be a @contextmanager function with one yield that gets all that it changes as "
           "arguments, and return behind the block")
SWALLOW = ("this context manager may swallow exceptions, which is not supported",
           "catch them with try and except; write managers that catch none into the with statement, as calls of what "
           "makes them")
DELETED = ("y may have been deleted on the way to this line", "leave the name alone: it ends with the function")
DECORATED = ("a decorator of a function defined inside which calls itself, or one that a library has, is not supported "
             "yet", "define the function at module level")
CHANGING_FUNCTION = ("a function that this call gets may change what it gets or what is around it, which is not "
                     "followed here", "call it in a loop before, and let this use what it gave")
WRITING_CALL = ("this call may write into its arguments, which is not supported yet",
                "call it on a line of its own, or let it return a new array")
KEEPING = ("a call on a line of its own may put a differentiated value where nobody follows it",
           "make it outside the function, of what has_aux=True returns")
WHOLE = "write a loop, or whole-array operations"
KNOWN = "write it as a literal, or pass an int as an argument of its own"
WITHOUT = "leave that argument out, or add a rule with s2sgrad.rule"
STRUCTURE = "pass what has the result's structure, with a cotangent for each part"
NOT_KNOWN = ("the function called here is not known before the call",
             "call it by its name; one of several where it is chosen, f(x) if first else g(x)")
COPIED = "write {} = {} before it, or use one name for both if the other is to change as well"
BY_PLACE = "use one name for the object: its place in one list, objects[i].h = v, with a number that tells which"
NO_RULE = "has no derivative rule and no Python source"
ADD_ONE = "add one with s2sgrad.rule"
AS_ARRAY = "make an array of the list with np.array"
def in_turns(name: str) -> tuple[str, str]:
    return (f"this loop changes {name}, which what it runs over reads from turn to turn",
            "run through a list that is made before, or write its computation into the loop")


A_FLOAT = "sum or average the result, or use s2sgrad.vjp, which takes a cotangent"
A_PAIR = "return value, aux, with aux a tuple of whatever else there is"
PARTS = "compute with real and imaginary parts, np.real(z) and np.imag(z)"
PHASES = ("differentiate what no phase changes, and in reverse mode: np.abs(v), v / v[k], v @ np.conj(v.T) of some of "
          "the vectors v")
NORMS = "use the Frobenius or nuclear norm, or an ord of 1, 2, inf or one of these with a minus"
SQUARE = "def f(x):\n    return (x * x).sum()\n"

STATEMENTS = {
    "stack of managers": Refusal("""
import contextlib

def f(x):
    with contextlib.ExitStack() as stack:
         ^^^^^^^^^^^^^^^^^^^^^^
        stack.enter_context(np.errstate(all="ignore"))
        y = x * x
    return y.sum()
""", *SWALLOW),
    "manager under a name": Refusal("""
import contextlib

def f(x):
    quiet = np.errstate(all="ignore") if len(x) > 2 else contextlib.nullcontext()
    with quiet:
         ^^^^^
        y = x * x
    return y.sum()
""", *SWALLOW),
    "async function": Refusal("""
async def f(x):
^^^^^^^^^^^^^^^
    return x.sum()
""", *ASYNC),
    "walrus in a comprehension": Refusal(
        in_body("y = {(k := i) for i in range(3)}", "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^"),
        "a walrus inside a comprehension is not supported yet", "assign on a line of its own"),
    "walrus in a formatted string": Refusal(
        in_body('y = f"{(k := 2)} {k}"', "    ^^^^^^^^^^^^^^^^^"),
        "a walrus inside a formatted string is not supported yet", "assign on a line of its own"),
    "walrus in what an assert says": Refusal(in_body("assert x.size > 2, (k := 2)", "                    ^^^^^^"),
                                             *ELSEWHERE),
    "walrus for its own target": Refusal(in_body("x += (x := x * 2.0)", "^^^^^^^^^^^^^^^^^^^"), *ELSEWHERE),
    "yield": Refusal(in_body("yield x", "^^^^^^^"), *GENERATOR),
    "yield from": Refusal(in_body("yield from x", "^^^^^^^^^^^^"), *GENERATOR),
    "class": Refusal(in_body("class Scale:", "^^^^^^^^^^^^", "    pass"),
                     "a class cannot be defined inside a differentiated function", "define it at module level"),
    "decorated function inside": Refusal("""
def f(x):
    @functools.cache
    def g(y):
    ^^^^^^^^^
        return x * y
    return g(2.0).sum() * g.cache_info().currsize
""", *DECORATED),
    "function inside with a default": Refusal("""
def f(x):
    def g(y, scale=x):
    ^^^^^^^^^^^^^^^^^^
        yield y * scale
    return sum(g(2.0)).sum()
""", "a default that is not a literal is not supported here: in a generator, a function that calls itself, or for a "
     "positional-only parameter", "leave the default out, and give the value at each call"),
    "decorated function inside that calls itself": Refusal("""
def twice(g):
    return lambda y: g(g(y))

def f(x):
    @twice
    def g(y):
    ^^^^^^^^^
        return y if y.sum() > 3.0 else g(y + 1.0)
    return g(x).sum()
""", *DECORATED),
    "function that is returned": Refusal("""
def multiplied(w):
    def g(n):
        return w if n == 0 else w * g(n - 1)
    return g
    ^^^^^^^^

def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    for _ in range(2):
        x = multiplied(x)(2)
    return x.sum()
""", "a function that reads names from around it is returned, which is not supported yet",
        "call it here, or define it where it is called", function="multiplied"),
    "function that is returned and reads what changes": Refusal("""
def multiplied(w):
    g = lambda y: w * y
        ^^^^^^^^^^^^^^^
    w = 2.0 * w
    return g

def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    for _ in range(2):
        x = multiplied(x)(2.0)
    return x.sum()
""", "w is bound anew behind a function that reads it, and is returned, kept or handed on",
        "let it get w as an argument where it is called", function="multiplied"),
    "function that leaves": Refusal("""
def f(x):
^^^^^^^^^
    def g(y):
        return x * y
    return g
""", "a function that reads names from around it leaves the differentiated one", "return what it gives",
        call="vjp(f, X)"),
    "function that is made and looked at": Refusal("""
def made(w):
    return lambda y: w * y

def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    for _ in range(2):
        g = made(x)
        x = g(2.0) if isinstance(g, type(f)) else g(3.0)
                      ^^^^^^^^^^^^^^^^^^^^^^
    return x.sum()
""", "what isinstance makes of a function that is made here is not known",
        "leave the question out, or define the function in the module"),
    "what a partial holds": Refusal("""
def f(x):
    p = functools.partial(np.multiply, x)
    return np.sum(p(2.0) * p.args[0])
                           ^^^^^^
""", "what .args of a function that is made here gives is not known",
        "write it out, or define the function in the module"),
    "functions beside numbers": Refusal("""
def made(w):
    return lambda y: w * y

def f(x):
    kept = [k * 0.5 for k in range(int(X[2]))]
    for _ in range(2):
        kept.append(made(x))
                    ^^^^^^^
    return x.sum()
""".replace("X[2]", "2"), "a function that is made here goes into a list or dict with other values",
        "give the functions a list of their own"),
    "function that is made of *args": Refusal("""
def chain(*functions):
    def chained(y):
        for g in functions:
            y = g(y)
        return y
    return chained

def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    k = len(x)
    h = chain(lambda y: k * y, np.sin)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return h(x).sum()
""", "chain makes a function of its *args, and gets nothing differentiated",
        "give it the functions one by one"),
    "function that is made in an expression": Refusal("""
def made(w):
    return lambda y: w * y

def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    for _ in range(2):
        x = x if -9.0 < made(x)(2.0).sum() < 1.0 else x * 2.0
                        ^^^^^^^
    return x.sum()
""", "a function that is made here is called in the middle of an expression", "give it a name before"),
    "containers of unknown depth": Refusal("""
def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    def build(i):
    ^^^^^^^^^^^^^
        return (x[i], [build(j) for j in (2 * i + 1, 2 * i + 2) if j < len(x)])
    return build(0)[0]
""", "build calls itself, and puts what that gives into what it returns: a container of unknown depth",
        "return what is computed from it, put all into one list, or make it of objects of a class",
        function="f.build"),
    "functions in a list": Refusal("""
def first(functions, y):
    return sum(functions[0](y))

def f(x):
    def g(t):
        yield t * x
    return first([g], 2.0).sum()
           ^^^^^^^^^^^^^^^
""", "these functions can't be handed on in a list or tuple", "hand each on as an argument of its own"),
    "function inside that writes outside": Refusal("""
def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    y = x * 2.0
    def g():
        y[0] = 1.0
        return 1.0
    return max(*y, g())
                   ^^^
""", "this call writes into its arguments, and is part of an expression", "write it on a line of its own"),
    "function that a call gives in a generator": Refusal("""
def told(function):
    print("told")
    return function

def f(x):
    return next(told(np.sin)(v) for v in x)
                ^^^^^^^^^^^^
""", "what this calls does something besides", "give it a name before"),
    "callback that writes": Refusal("""
def f(x):
    seen = [0.0]
    def key(item):
        seen[0] = item
        return -item
    order = sorted([1.0, 2.0], key=key)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return x.sum() * order[0] * seen[0]
""", *CHANGING_FUNCTION),
    "function inside that binds outside": Refusal("""
def f(x):
    total = x * 2.0
    def g():
        nonlocal total
        ^^^^^^^^^^^^^^
        for total in x:
            pass
        return 1.0
    return total.sum() * g()
""", "a function defined inside binds an outer variable, which is not supported", "return the value instead"),
    "ever new functions": Refusal("""
def f(x, n):
^^^^^^^^^^^^
    def repeated(function, k):
        if k == 0:
            return function(x)
        return repeated(lambda t: function(t) * x, k - 1)
    return repeated(np.sin, n).sum()
""", "f calls itself with ever new functions or constants, each of them compiled",
        "hand on the same function, and counts as arguments", call="grad(f)(X, 3)"),
    "long chain of functions": Refusal("""
def f0(x):
    return np.sin(x)
""" + "".join(f"""
def f{i}(x):
    return f{i - 1}(x) * 1.01
""" for i in range(1, 80)) + """
def f(x):
^^^^^^^^^
    return f79(x).sum()
""", "the functions that f calls call others, and these again others, deeper than can be looked into under Python's "
     "recursion limit", "raise it: sys.setrecursionlimit(10000)"),
    "dict without a name beside a call": Refusal("""
def taken(items):
    items.append(2.0)
    return items

def f(x):
    d, rows, total = {"a": x, "b": x * x}, [x], 0.0
    for row, v in zip(taken(rows), dict(d).values()):
                                   ^^^^^^^
        total = total + (row * v).sum()
    return total
""", "this loop runs over a dict without a name, beside a call that changes something",
        "give the dict a name before the loop"),
    "a merged dict that a comparison may not come to": Refusal("""
OPTIONS = {"scale": 2.0}

def total(v, scale, shift):
    return v.sum() * scale + shift

def f(x):
    return x.sum() if 0 < x[0] < total(x, **(OPTIONS | {"shift": x[1]})) else x[1]
                                             ^^^^^^^^^^^^^^^^^^^^^^^^^
""", "this is made in the middle of an expression", "give it a name before"),
    "the attributes of a dataclass": Refusal("""
import dataclasses

@dataclasses.dataclass
class Params:
    w: float
    b: float = 0.5

def line(x, w, b):
    return (w * x).sum() + b

def f(params, x):
    return line(x, **vars(params))
                     ^^^^^^^^^^^^
""", "a Params may have more attributes than its fields, of all of which this is a dict",
        "write dataclasses.asdict(...), a dict of the fields", call="grad(f)(Params(0.7), X)"),
    "attributes that change under a loop over them": Refusal("""
class Model:
    def __init__(self, a, b):
        self.a, self.b = a, b

def f(x):
    model, total = Model(x[0], x[1]), 0.1
    other = model
    for _, value in vars(model).items():
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        total = total * 0.5 + value
        other.b = total
    return total * model.b
""", "this loop changes model, over which it runs",
        "loop over a list of what is in it, made on a line before: items = list(d.items())"),
    "generator under a name": Refusal("""
def f(x):
    a = 2.0
    parts = (a * k for k in range(3))
            ^^^^^^^^^^^^^^^^^^^^^^^^^
    a = x
    return next(parts).sum() + sum(parts).sum()
""", "a generator expression reads its names only when it is run through",
        "write a list, [...] instead of (...); for next(), iter([...])"),
    "async function inside": Refusal(in_body("async def square(y):", "^^^^^^^^^^^^^^^^^^^^", "    return y * y"),
                                     *ASYNC),
    "with what swallows": Refusal("""
import contextlib

def f(x):
    with contextlib.suppress(ValueError) as nothing:
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        x = np.log(x)
    return x.sum()
""", *SWALLOW),
    "with what catches": Refusal("""
import contextlib

@contextlib.contextmanager
def quiet():
    try:
        yield
    except ValueError:
        pass

def f(x):
    with np.errstate(divide="ignore"), quiet():
                                       ^^^^^^^
        x = np.log(x * x)
    return x.sum()
""", *SWALLOW),
    "with an unknown object": Refusal("""
def f(x, manager):
    with manager as n:
         ^^^^^^^
        x = x * n
    return x.sum()
""", *SWALLOW, call="grad(f)(X, object())"),
    "list indexed by a slice that is not known to be one": Refusal("""
import functools

def f(xs, table):
    return sum(x.sum() for x in xs[functools.reduce(lambda first, second: second, table)])
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "this list is indexed by a slice that was not known to be one", "write its bounds in the brackets: xs[start:stop]",
        call="grad(f)([X, X], [slice(0, 1)])"),
    "part of a list by a slice that has no name": Refusal("""
def first(table):
    return table[0]

def f(xs, table):
    return sum(x.sum() for x in xs[slice(first(table), 2)])
                                ^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "which part of a list this is is not known before the call", "give the slice a name",
        call="grad(f)([X, X], [0])"),
    "with a differentiated value": Refusal("""
import contextlib

def f(x):
    with contextlib.nullcontext(x * 2.0) as y:
                                ^^^^^^^
        return y.sum()
""", "a context manager that gets a differentiated value is not supported", MANAGED),
    "a state that is a number at first": Refusal("""
def step(x, state):
^^^^^^^^^^^^^^^^^^^
    return (x, x) if isinstance(state, float) else (x * x, x)

def f(x):
    state = 0.0
    for _ in range(3):
        state = step(x, state)
    return x.sum()
""", "state may be a container of differentiated values, or something else",
        "start with a container of the same form, of zeros", function="step"),
    "one of two classes": Refusal("""
class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r ** 2

class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2

def f(x):
    shapes = []
    for v in x:
        shapes.append(Circle(v) if v > 0.0 else Square(v))
    return sum(shape.area() for shape in shapes)
               ^^^^^
""", "shape may be an object of class Circle or Square",
        "call its methods where it is made; keep the objects of each class in a list of their own, or make one class, "
        "whose methods look at an attribute"),
    "a part of what may be something else": Refusal("""
def f(x):
    state = 0.0
    for _ in range(3):
        state = (x, x) if state == 0.0 else (state[0] * x, x)
                                             ^^^^^
    return (state[0] * state[1]).sum()
""", "state may be a container of differentiated values, or neither that nor None",
        "let it have one form throughout; take one of several objects by its place in a list, objects[i].h"),
    "one of several functions": Refusal("""
def chosen(w):
    if w > 0.0:
        return lambda y: w * y
    return lambda y: y - w

def f(x):
    g = chosen(x[0])
    return g(x).sum() + g(2.0)
           ^
""", "g may be one of several functions that hold differentiated values",
        "make one function, which chooses when it is called; keep unlike ones in lists of their own"),
    "an attribute that is set in a loop": Refusal("""
from dataclasses import dataclass

@dataclass
class Best:
    gain: float

def f(x):
    best = Best(2.0)
    for i, v in enumerate(np.tanh(x)):
        if i == 0:
            best.value = v
            ^^^^
        elif v > best.value:
            best.value = v
    return best.value
""", "best has the attribute value on some ways to this line only",
                                                  "set it on all of them, to None for example: in __init__, by its "
                                                  "name, or before the loop"),
    "a cached property that is asked for in a loop": Refusal("""
import functools

class Model:
    def __init__(self, w):
        self.w = w
    @functools.cached_property
    def norm(self):
        return (self.w ** 2).sum()

def f(x):
    model = Model(x)
    total = 0.0
    for k in range(3):
        total = total + model.norm * k
                        ^^^^^
    return total
""", "model has the value of the cached property norm on some ways to this line only",
        "ask for it on all of them, or before the loop"),
    "a key that is set in a loop": Refusal("""
def f(x):
    states = [{"mode": "train"} for _ in range(2)]
    for state in states:
        if state["mode"] == "train":
            state["mean"] = x.mean()
            ^^^^^
    return x.sum() + states[0]["mean"]
""", "state has the key 'mean' on some ways to this line only",
                                           "set it on all of them, to what it is to begin with: where the dict is "
                                           "made, or before the loop"),
    "an array or None, written into": Refusal("""
def f(x):
    y = None
    for v in x:
        if y is None:
            y = np.zeros(3)
        y[0] += v
        ^^^^
    return y.sum()
""", "y is an array here, or something else", "start with an array, of zeros"),
    "a cached property of what is picked by it": Refusal("""
import functools

class Lazy:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def norm(self):
        return np.sqrt(np.sum(self.x ** 2))

def f(x):
    return max([Lazy(x), Lazy(x * 2.0)], key=lambda item: item.norm).norm
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "the cached property norm is stored in the object when it is first asked for, and this is one of several",
     "make it a property, or set it in __init__"),
    "an array that a try block writes into": Refusal("""
def f(x):
    x = x * 1.0
    try:
        with np.errstate(all="raise"):
            x /= x[0]
            ^^^^^^^^^
    except FloatingPointError:
        x[0] = 1.0
    return x.sum()
""", "x may be read after an exception that this try block catches, and nothing tells whether this line ran before it",
                                                     "move the line out of the try block, or bind x in the handler"),
    "items that a try block asks for one by one": Refusal("""
class Bad(Exception):
    pass

def checked(v):
    if v > 1.0:
        raise Bad
    return v * v

def f(x):
    values = [x[0]]
    try:
        values.extend(checked(v) for v in x)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    except Bad:
        pass
    return sum(values)
""", "values may be read after an exception that this try block catches, and nothing tells whether this line ran "
     "before it", "move the line out of the try block, or bind values in the handler"),
    "an argument that a try block writes into": Refusal("""
def f(x):
    y = x
    try:
        y += np.linalg.inv(x)
        ^^^^^^^^^^^^^^^^^^^^^
    except Exception:
        return 0.0
    return 1.0
""", "x may be read after an exception that this try block catches, and nothing tells whether this line ran before it",
                                                        "move the line out of the try block, or bind x in the handler"),
    "values without end": Refusal("""
from itertools import count, islice

def f(x):
    return sum(islice((x[0] ** k for k in count()), 4))
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "this may give values without end, and not all of them are asked for here",
                                  "let it count with range, or write a loop that computes them"),
    "a container that a class has": Refusal("""
class Basis:
    table = {0: np.ones(3)}

    def put(self, v):
        self.table[0] = v
        ^^^^^^^^^^

def f(x):
    b = Basis()
    b.put(x)
    return x.sum()
""", "this writes into table, a dict that all objects of Basis share",
        "make it in __init__, so that each has its own, or put numbers and copies into Basis.table, which nothing "
        "else in the call reads",
        function="Basis.put"),
    "an array that a class has": Refusal("""
class Layer:
    scale = np.ones(3)

def f(x):
    first, second = Layer(), Layer()
    first.scale *= x
    ^^^^^^^^^^^
    return (second.scale * x).sum()
""", "this writes into scale, an array that all objects of Layer share",
                                          "give each its own in __init__: self.scale = self.scale.copy()"),
    "a list that a class has": Refusal("""
class Layer:
    seen = []

    def note(self, value):
        self.seen.append(value)
        ^^^^^^^^^

def f(x):
    first, second = Layer(), Layer()
    first.note(x[0])
    second.note(x[1])
    return sum(first.seen)
""", "this writes into seen, a list that all objects of Layer share",
        "make it in __init__, so that each has its own, or put numbers and copies into Layer.seen, which nothing "
        "else in the call reads",
        function="Layer.note"),
    "an array that a class has, under a name": Refusal("""
class Layer:
    scale = np.ones(3)

def f(x):
    first, second = Layer(), Layer()
    scale = first.scale
    first.scale = x * 2.0
    scale += x
    ^^^^^^^^^^
    return (second.scale * x).sum()
""", "scale may be an array that the caller has too, and this line writes into it",
                                                      "write scale = scale + ... to make a new array"),
    "what an exception holds": Refusal("""
def f(x):
    try:
        raise ValueError(x * x)
    except ValueError as error:
        return error.args[0].sum()
               ^^^^^^^^^^
""", "what the exception error holds is not followed",
                                       "bind it to a name before it is raised; its class and its text are fine"),
    "a name that may not be bound": Refusal("""
def f(x):
    for k in range(3):
        try:
            y = y * x[k]
            ^^^^^^^^^^^^
        except UnboundLocalError:
            y = x[k]
    return y
""", "y may not be bound here, which a handler might catch", "bind it before, or catch another kind of exception"),
    "the name of an exception": Refusal("""
def f(x):
    try:
        y = 1.0 / x[0]
    except ZeroDivisionError as x:
        y = 1.0
    return x * y
           ^
""", "x may have been deleted on the way to this line", "leave the name alone: it ends with the function"),
    "finally that is left": Refusal("""
def f(x):
    for _ in range(3):
        try:
            x = x * x
        finally:
            break
            ^^^^^
    return x.sum()
""", "a finally block that control may leave is not supported", "leave behind the try statement"),
    "a walrus in except": Refusal("""
def f(x):
    try:
        return x.sum()
    except (kind := ValueError):
            ^^^^^^^^^^^^^^^^^^
        return 0.0
""", "a walrus is not supported in this place", "assign on a line of its own"),
    "del of what a call gives": Refusal(in_body("y = [1.0, 2.0]; del list(y)[0]", "                ^^^^^^^^^^^^^^"),
                                    "del of anything but names or one item is not supported yet",
                                    "build a new object; of an attribute, set it to None"),
    "del on one path": Refusal("""
def f(x):
    y = x * 2.0
    if x[0] > 0.0:
        del y
    if x[0] <= 0.0:
        x = y * y
            ^
    return x.sum()
""", *DELETED),
    "del in a loop": Refusal("""
def f(x):
    y = x
    for k in range(3):
        x = x * y
                ^
        if k == 2:
            del y
    return x.sum()
""", *DELETED),
    "global": Refusal("""
peek = lambda: total

def f(x):
    global total
    peek()
    total = x.sum()
    return total
           ^^^^^
""", "total is an outer variable that this function changes by what is differentiated, and is read here",
        "pass it as an argument"),
    "global of what a global is computed of": Refusal("""
FIRST, SECOND = {"a": 0.0}, {"b": 0.0}

peek = lambda: SECOND

def f(x):
    peek()
    FIRST["a"] = float(x.sum())
    SECOND["b"] = FIRST["a"] * 2.0
    return x.sum() * SECOND["b"]
                     ^^^^^^
""", "SECOND is an outer variable that this function changes by what is differentiated, and is read here",
        "pass it as an argument"),
    "bound global of what a global is computed of": Refusal("""
FIRST = SECOND = 1.0

peek = lambda: SECOND

def f(x):
    global FIRST, SECOND
    peek()
    FIRST = float(x.sum())
    SECOND = FIRST * 2.0
    return x.sum() * SECOND
                     ^^^^^^
""", "SECOND is an outer variable that this function changes by what is differentiated, and is read here",
        "pass it as an argument"),
    "nonlocal": Refusal("""
def outer():
    total = np.zeros(3)
    peek = lambda: total
    def f(x):
        nonlocal total
        peek()
        total += x
        ^^^^^^^^^^
        return x.sum()
    return f
""", "this writes into total, which is not the function's own", "write total = total + ...", call="grad(outer())(X)"),
    "global that is read": Refusal("""
LAST = [1.0]

peek = lambda: LAST

def f(x):
    peek()
    LAST[0] = float(x[0])
    return (x * LAST[0]).sum()
                ^^^^
""", "LAST is an outer variable that this function changes by what is differentiated, and is read here",
                                    "pass it as an argument"),
    "global that changes and gets another name": Refusal("""
ROWS = [np.ones(3)]

peek = lambda: ROWS

def f(x):
    peek()
    ROWS.append(2.0 * ROWS[-1])
    rows = ROWS
    ^^^^^^^^^^^
    return (x * rows[-1]).sum()
""", "this gives another name to what changes outside of the function", "make a copy"),
    "global that gets other functions and is called": Refusal("""
class Net:
    def __init__(self):
        self.hooks = []

    def __call__(self, x):
        for hook in self.hooks:
            x = hook(x)
        return x

net = Net()

def f(x):
    net.hooks = [np.sin] if x[0] > 0.0 else [np.cos]
    return net(x).sum()
           ^^^^^^
""", "what net does is not known, as this function changes it", "change net before the call, or make it an argument"),
    "attribute that is read by a method which writes": Refusal("""
class Counted:
    def __init__(self):
        self.n = 1

    def __getattribute__(self, name):
        if name == "rate":
            self.n += 1
        return object.__getattribute__(self, name)


counted = Counted()
counted.rate = 2.0


def f(x):
    return (x * counted.rate * counted.n).sum()
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "__getattribute__ of Counted may store something in the object, and is called here unnamed",
                                                             "pass the attributes as arguments"),
    "global that a loop binds": Refusal("""
def f(x):
    global k
    for k in range(3):
        ^
        x = x * 2.0
    return x.sum()
""", "an outer variable is bound here with others, or by a loop, an import or del",
                                        "assign it on a line of its own"),
    "global that a helper reads": Refusal("""
LAST = [1.0]

def helper(x):
    return x * LAST[0]

peek = lambda: LAST

def f(x):
    peek()
    LAST[0] = float(x[0])
    ^^^^^^^^^^^^^^^^^^^^^
    return helper(x).sum()
""", "this function binds or changes LAST, which is read elsewhere in the same call",
        "pass it as an argument and return it"),
    "class pattern": Refusal("""
def f(x):
    kind = tuple
    match x.shape:
        case kind():
             ^^^^^^
            x = x * 2.0
    return x.sum()
""", "which class this pattern means, or which attributes, is not known", "write if/elif instead"),
    "alternatives that bind": Refusal("""
def f(x):
    match x.shape:
        case (2, n) | (3, n):
             ^^^^^^^^^^^^^^^
            x = x * 2.0
    return x.sum()
""", "alternatives that bind names are not supported yet", "write a case for each"),
    "loop that stores": Refusal(in_body("for x[0] in range(3):", "    ^^^^", "    pass"),
                                "a loop that writes into an array's elements is not supported yet",
                                "loop over a name, and store it in the body"),
    "store into a part of what is computed": Refusal(
        in_body("(x + 1.0)[1] = x", "^^^^^^^^^^^^"),
        "a write into a part of what is computed here is not supported yet",
        "give what this writes into a name before"),
    "functions that a comprehension makes": Refusal("""
def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    v = 5.0
    functions = [lambda y: y * v for v in x]
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return functions[0](v)
""", "functions that a comprehension makes read v, a variable of its own",
        "write the functions out, or a function that makes one: [make(1.0), make(2.0)]"),
    "generator with a name": Refusal("""
def g(x):
    yield x

def f(x):
    values = g(x)
             ^^^^
    return sum(values).sum() + sum(values)
""", "what g gives can be run through once only, and gets a name here",
        "make a list of it, list(g(...)); iter(list(g(...))) where next asks it"),
    "two iterators that count side by side": Refusal("""
class Countdown:
    def __init__(self, values):
        self.values = values
        self.left = len(values)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.values[self.left]

def f(x):
    return sum(v * w for v, w in zip(Countdown(x), Countdown(x)))
                                     ^^^^^^^^^^^^
""", "__iter__ does more than to give values, and does that between the turns of the loop",
        "write a loop over it alone, or let it return a list"),
    "generator with a manager": Refusal("""
import threading

LOCK = threading.Lock()

def g(x):
    with LOCK:
        for v in x:
            yield v

def f(x):
    y = 0.0
    for v in g(x):
             ^^^^
        y += v * v
    return y
""", "g does more than to give values, and does that between the turns of the loop",
        "write a loop over it alone, or let it return a list"),
    "generator that draws": Refusal("""
R = np.random.default_rng(1)

def g(x):
    with np.errstate(over="ignore"):
        for v in x:
            yield v * R.normal()

def f(x):
    y = 0.0
    for v in g(x):
             ^^^^
        y += v * R.normal()
    return y
""", "g does more than to give values, and does that between the turns of the loop",
        "write a loop over it alone, or let it return a list"),
    "loop in turn with a map that prints": Refusal("""
def noisy(y):
    print("here")
    return y * y

def f(x):
    y = 0.0
    for v in map(noisy, x):
             ^^^^^^^^^^^^^
        if v > 9.0:
            break
        y += v
    return y
""", "what this runs over does something besides giving values, in turn with the loop",
        "run through a list that is made before, or write its computation into the loop"),
    "zip that may not ask for all": Refusal("""
def noisy(y):
    print("here")
    return y * y

def f(x):
    return sum([a * b for a, b in zip(x[:1], map(noisy, x))])
                                             ^^^^^^^^^^^^^
""", "this does something besides giving values, each time that it is asked for the next one",
        "make a list of it on a line before"),
    "sum that starts before": Refusal("""
def noisy(y):
    print("here")
    return y * y

def f(x):
    return sum((noisy(v) for v in x), noisy(x[0]))
               ^^^^^^^^^^^^^^^^^^^^^
""", "this does something besides giving values, each time that it is asked for the next one",
        "make a list of it on a line before"),
    "list that is read while it is filled": Refusal("""
def f(x):
    last = [x[0]]
    last.extend(v * last[-1] for v in x)
               ^^^^^^^^^^^^^^^^^^^^^^^^^
    return sum(last)
""", "this loop changes last, which what it runs over reads from turn to turn",
        "run through a list that is made before, or write its computation into the loop"),
    "dict that is read while it is filled": Refusal("""
def f(x):
    d = {"a": x[0]}
    d.update((k, v * len(d)) for k, v in zip("bc", x))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return d["c"]
""", "this reads d from turn to turn, and d changes meanwhile", "make a dict of it on a line before"),
    "loop in turn with draws": Refusal("""
R = np.random.default_rng(1)

def f(x):
    y = 0.0
    for v in (w * R.normal() for w in x):
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        y += v * R.normal()
    return y
""", "what this runs over does something besides giving values, in turn with the loop",
        "run through a list that is made before, or write its computation into the loop"),
    "generator without end": Refusal("""
def g(x):
    while True:
        yield x
        x = x * 0.5

def f(x):
    return sum(v * y for v, y in zip(x, g(x))).sum()
                                        ^^^^
""", "g may give values without end, and not all of them are asked for here",
                                     "write a loop over it, for value in ..., or let it count its turns with range"),
    "loop that changes what is looked at in each turn": Refusal("""
def f(x):
    xs, total = [x[0], x[1], x[2]], 0.0
    for y in map(lambda v: v * v, xs):
             ^^^^^^^^^^^^^^^^^^^^^^^^
        total += y
        xs[2] = total
    return total
""", *in_turns("xs")),
    "generator expression that is handed on": Refusal("""
def g(values):
    return sum(values) + sum(values, 1.0)

def f(x):
    return g(v * v for v in x)
            ^^^^^^^^^^^^^^^^^^
""", "what a generator expression gives can be run through once only, and may be run through more often here",
        "write a list: [...] instead of (...)"),
    "zip with a name": Refusal("""
def f(x):
    pairs = zip(x, x)
            ^^^^^^^^^
    return sum(v for v, _ in pairs) + sum(w for _, w in pairs)
""", "what zip gives can be run through once only, and gets a name here", "make a list of it, list(zip(...))"),
    "loop that changes what a generator expression reads": Refusal("""
def f(x):
    scale, total = 1.0, 0.0
    for y in (v * scale for v in [1.0, 2.0]):
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        total += y
        scale = x[0]
    return total
""", *in_turns("scale")),
    "loop that puts differentiated values beside others": Refusal("""
def f(x):
    weights, total = [1.0, 2.0], 0.0
    for w, v in zip(weights, x):
                    ^^^^^^^
        total += w * v
        weights[1] = v
    return total
""", "the turns of this loop put differentiated values into weights, over which it runs",
        "count the turns in a while loop, with an index into the list"),
    "loop that writes into what its generator reads": Refusal("""
def g(u):
    yield from (u[i] for i in range(2))

def f(x):
    u, total = x * 2.0, 0.0
    for y in g(u):
    ^^^^^^^^^^^^^
        total += y
        u[1] = total
    return total
""", "this loop changes u, which the generator that it runs over reads or has given",
                                                             "loop over a list of what it gives: list(...)"),
    "store into a global of unknown type": Refusal("""
STATE = memoryview(bytearray(3))

def f(x):
    STATE[0] = 1
    ^^^^^^^^
    return x.sum()
""", "this writes into STATE, which is not the function's own", "return the value instead"),
    "differentiated value in a global": Refusal("""
STATE = np.zeros(3)

peek = lambda: STATE

def f(x):
    peek()
    for i in range(3):
        STATE[i] = x[i]
    return (x * STATE).sum()
                ^^^^^
""", "STATE is an outer variable that this function changes by what is differentiated, and is read here",
                                            "pass it as an argument"),
    **{f"put into a global: {title}": Refusal(f"""
STATES = []

class Point:
    def __init__(self, place):
        self.place = place

peek = lambda: STATES

def f(x):
    peek()
    STATES.append({value})
                  {"^" * len(value)}
    return x.sum()
""", "what is differentiated in this object or function is put into STATES, which is an outer variable",
                                              "put numbers and arrays there, or return it")
       for title, value in (("object", "Point(x[0])"), ("function", "lambda: x[0]"))},
    "function that a global stands for": Refusal("""
scaled = lambda v: v

def f(x):
    global scaled
    scaled = lambda v: v * x[0]
             ^^^^^^^^^^^^^^^^^^
    return scaled(0.5)
""", "what is differentiated in this object or function is put into scaled, which is an outer variable",
                                                 "put numbers and arrays there, or return it"),
    "array of two names in a global": Refusal("""
STATES = []

peek = lambda: STATES

def f(x):
    peek()
    mask = x > 0.0
    STATES.append(mask)
                  ^^^^
    return x[mask].sum()
""", "what is put into STATES here has another name, too, and may be written into", "put a copy there"),
    "store into a number": Refusal("""
def f(x):
    y = 0.0
    y[0] = x[0]
    ^^^^
    return x.sum()
""", "y is a number here, not an array", "make it one, with np.zeros or np.array"),
    "store into integers": Refusal("""
def f(x):
    y = np.zeros(3, dtype=int)
    y[0] = x[0]
    ^^^^
    return y.sum() * x.sum()
""", "y has dtype int64: what is stored here would lose its fraction", "make y with dtype=float"),
    "store into an array of objects": Refusal("""
def f(x):
    y = np.empty(2, dtype=object)
    y[0] = x
    ^^^^
    return y[0].sum()
""", "y has dtype object: what is stored here would carry no derivative", "make y with dtype=float"),
    "store into an array that may be real": Refusal("""
def f(x):
    y = x * 2.0
    for k in range(3):
        y[0] = x[1] * 1j
        ^^^^
        y = y + 1j
    return abs(y.sum())
""", "y may hold real numbers: what is stored here would lose its imaginary part", "make y with dtype=complex"),
    "store into an array that turns out to hold integers": Refusal("""
class Start:
    counts = np.arange(3)
def f(x, start):
    y = np.array(start.counts)
    y[0] = x[0]
    ^^^^^^^^^^^
    return y.sum()
""", "y has dtype int64: what is stored here would lose its fraction", "make y with dtype=float",
                                                                  "grad(f)(X, Start())"),
    "shuffled from outside": Refusal("""
ORDER = [0, 1, 2]
peek = lambda: ORDER

def f(x):
    peek()
    np.random.shuffle(ORDER)
    ^^^^^^^^^^^^^^^^^^^^^^^^
    return x[ORDER[0]]
""", "what is shuffled here is not known to be a list or an array of this function's own",
        "shuffle the numbers of its items, places = list(range(n))"),
    "store in an order that is not told": Refusal("""
def f(x, places):
    y = np.zeros(3)
    y[places] = x
    ^^^^^^^^^^^^^
    return y.sum()
""", "some elements are stored twice here, in an order that NumPy does not tell",
                                                  "use an index of one axis, in an array of its own",
                                                  "grad(f)(X, np.array([1, 1, 0])[::-1])"),
    "complex numbers of which nothing was known": Refusal("""
def f(x):
    z = np.roots([1.0, 2.0, 3.0, -1.0])[:x.size] * x[:3]
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return np.nanvar(z)
""", "there are complex numbers here that were not known to be complex, as they come from a function without a rule",
                                                  "say so: np.asarray(z, dtype=complex) of what it gives"),
    "attribute of a function": Refusal(in_body("f.total = x", "          ^"),
                                       "what is put into f here has another name, too, and may be written into",
                                       "put a copy there"),
    "starred tuple": Refusal(in_body("first, *(y, z) = 1, 2, 3", "       ^^^^^^^"),
                             "this assignment target is not supported yet", "unpack by index instead"),
    "starred target": Refusal(
        in_body("a, *b = sorted(x) if x[0] > 0 else x", "^" * 36, "x = x * a"),
        "a starred target takes apart differentiated values, and how many is not known", "unpack by index instead"),
}
"""Refused by their form alone, whatever the arguments are."""
if sys.version_info >= (3, 11):
    STATEMENTS["except*"] = Refusal(
        in_body("try:", "^^^^", "    x = x * 2.0", "except* ValueError:", "    pass"),
        "except* is not supported", "catch single exceptions, with except")
if sys.version_info >= (3, 12):
    STATEMENTS["type alias"] = Refusal(in_body("type Vector = np.ndarray", "^^^^^^^^^^^^^^^^^^^^^^^^"),
                                       "TypeAlias statements are not supported", "write it another way")

WRITES = {
    "default that is changed by its name": Refusal("""
W = np.ones(3)
def scaled(v, w=W):
    return v * w
def f(x):
    y = scaled(x)
    W[0] += 1.0
    ^^^^^^^^^^^
    return y.sum() + scaled(x).sum()
""", "this function binds or changes W, which is a default of scaled, too",
        "give it to scaled as an argument, or let that read it by its name"),
    "remembers what it gave, and notes something": Refusal("""
import functools
CALLS = []
@functools.lru_cache(maxsize=None)
def squared(a):
    CALLS.append("squared")
    return a ** 2
def f(x):
    return squared(x[0]) + squared(x[0]) * squared(x[1])
           ^^^^^^^^^^^^^
""", "squared remembers what it gave, is run anew for differentiated values, and may do something else then",
        "let it print, draw and change nothing, and read nothing that changes; leave functools.lru_cache out"),
    "array that a function remembers": Refusal("""
@functools.lru_cache(maxsize=None)
def zeros(n):
    return np.zeros(n)

def f(x):
    y = zeros(3)
    y[:] = x
    ^^^^^^^^
    return (y * zeros(3)).sum()
""", "y may be an array that the caller has too, and this line writes into it", COPIED.format("y", "y.copy()")),
    "array that a function remembers, in an object": Refusal("""
@functools.lru_cache(maxsize=None)
def zeros(n):
    return np.zeros(n)

class Fluid:
    def __init__(self, height, bed):
        self.height = height
        self.bed = bed

def f(x):
    fluid = Fluid(zeros(3), x)
    fluid.height[:] = x
    ^^^^^^^^^^^^^^^^^^^
    return (fluid.height * zeros(3)).sum()
""", "fluid.height may be an array that the caller has too, and this line writes into it",
        COPIED.format("fluid.height", "fluid.height.copy()")),
    "array that a function remembers, in a dict": Refusal("""
@functools.lru_cache(maxsize=None)
def zeros(n):
    return np.zeros(n)

def f(x):
    fluid = {"height": zeros(3), "bed": x}
    fluid["height"][:] = x
    ^^^^^^^^^^^^^^^^^^^^^^
    return (fluid["height"] * zeros(3)).sum()
""", "fluid['height'] may be an array that the caller has too, and this line writes into it",
        COPIED.format("fluid['height']", "fluid['height'].copy()")),
    "objects of unlike classes on some way": Refusal("""
class Spring:
    def __init__(self, x):
        self.x = x

    def energy(self):
        return (self.x ** 2).sum()

class Well:
    def __init__(self, depth):
        self.depth = depth

    def energy(self):
        return self.depth.sum()

def f(x):
    parts = [Spring(x), Well(x)]
    return x[0] * {float(sum(part.energy() for part in parts if part.energy() > 0.0)) for i in range(2)}.pop()
                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "this runs over objects of unlike classes", "write a loop over a list with a name"),
    "array of an object under another name": Refusal("""
class Fluid:
    def __init__(self, height, bed):
        self.height = height
        self.bed = bed

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    y = 2.0 * x
    fluid = Fluid(y if x[0] > 0.0 else 3.0 * x, x)
    fluid.height[1:] += x[:-1]
    ^^^^^^^^^^^^^^^^^^^^^^^^^^
    return (fluid.height * y).sum()
""", "y may share memory with fluid.height, into which this line writes, and is read after it",
        COPIED.format("fluid.height", "fluid.height.copy()")),
    "array in two objects that methods write into": Refusal("""
class Net:
    def __init__(self, w):
        self.w = w
        self.x = None

    def forward(self, x):
        self.x = x
        return self.w * x

    def update(self, rate):
        self.w -= rate * self.x

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    w = np.sin(x)
    net, other = Net(w), Net(w)
    y = net.forward(x)
    net.update(0.1)
    ^^^^^^^^^^^^^^^
    return (other.w * y).sum()
""", "other may share memory with net, into which this line writes, and is read after it",
        BY_PLACE),
    "row that is unpacked and put into a list": Refusal("""
def f(x):
    y, z = np.stack([x, 2.0 * x])
    rows = [y, z.copy()]
    rows[0] *= z
    ^^^^^^^^^^^^
    return (rows[1] * y).sum()
""", "rows may hold an array that this line writes into in more than one place, or one that the caller has too",
        "put a new array into each place, a copy for example"),
    "view of what a mask picks": Refusal("""
def f(x):
    y = x[x > 0.0]
    z = np.asarray(y)
    z[0] = 2.0
    ^^^^^^^^^^
    return (y * z).sum()
""", "y may share memory with z, into which this line writes, and is read after it",
        COPIED.format("z", "z.copy()")),
    "view of what lists of places pick, exchanged": Refusal("""
def f(x):
    v = 2.0 * x
    y, z = x[[0, 1]], v[[0, 1]]
    y, z = z, y
    w = np.asarray(y)
    w[0] = 2.0
    ^^^^^^^^^^
    return (y * w).sum() * z.sum()
""", "y may share memory with w, into which this line writes, and is read after it",
        COPIED.format("w", "w.copy()")),
    "array that is put back with a view of it": Refusal("""
def f(x):
    pool = [np.sin(x), np.cos(x)]
    for _ in range(3):
        y = pool.pop(0)
        y *= x
        ^^^^^^
        pool.append(y)
        pool.append(y[::-1])
    return sum(v.sum() for v in pool)
""", "pool may share memory with y, into which this line writes, and is read after it",
        "write y = y * ... to make a new array"),
    "arguments that overlap": Refusal("""
def f(u, v):
    u *= v
    ^^^^^^
    return u.sum()
""", "u and v share memory and line 10 writes into u", "they have no separate gradients; pass a copy of one",
                                      "grad(f)(M, M.T)"),
    "argument that overlaps itself": Refusal("""
def f(u):
    u *= 2.0
    ^^^^^^^^
    return u.sum()
""", "elements of u overlap one another and line 10 writes into them", "pass a copy",
                                             "grad(f)(np.lib.stride_tricks.as_strided(X.copy(), (2, 2), (8, 8)))"),
    "argument that would be copied": Refusal("""
def f(u):
    v = u * 2.0
    v.ravel()[1] = 1.0
    ^^^^^^^^^^^^^^^^^^
    return v.sum()
""", "u is not contiguous, and line 11 writes through what would be a copy of it, or of what is made of it",
                                             "pass np.ascontiguousarray of it", "grad(f)(M.T)"),
    "copy or view": Refusal("""
def f(x):
    u = np.outer(x, x).T
    u.ravel()[1] = 1.0
    ^^^^^^^^^^^^
    return u.sum()
""", "whether this is a view of the array, into which the line writes, or a copy of it is not known before the call",
                            "write u = u.copy() before it, or use u.flat"),
    "argument of a function that would be copied": Refusal("""
def first(u):
    v = u * 2.0
    v.ravel()[1] = 1.0
    return v[0, 0]

def f(u):
    return first(u.T)
                 ^^^
""", "first writes through a reshaped u, and whether what it gets here is contiguous is not known before the call",
                                                           "give it a copy", "grad(f)(M)"),
    "recursion that writes through what may be a copy": Refusal("""
def f(u, n):
    if n == 0:
        return u.sum()
    v = u * 2.0
    v.ravel()[1] = 1.0
    ^^^^^^^^^^^^^^^^^^
    return f(v, n - 1)
""", "f calls itself, and writes through a reshaped argument", "write into the array itself", "grad(f)(M, 3)"),
    "elements in a row, of which one may come twice": Refusal("""
def f(u, places):
    u.flat[places] = 1.0
    ^^^^^^^^^^^^^^
    return u.sum()
""", "which elements are written through .flat, .ravel() or .reshape(-1) is not known before the call, nor whether one "
     "comes twice", "index the array itself: u[i, j] = ...", "grad(f)(M, np.array([1, 1]))"),
    "elements in a row under an index that gives them axes": Refusal("""
def f(u):
    u.ravel()[:, None] *= u[0]
    ^^^^^^^^^^^^^^^^^^
    return u.sum()
""", "elements are written through .flat, .ravel() or .reshape(-1) by one number, slice or mask",
     "index the array itself: u[i, j] = ...", "grad(f)(M)"),
    "elements in a row that take what fits": Refusal("""
def f(u, v):
    u.flat[:2] = v
    ^^^^^^^^^^
    return u.sum()
""", ".flat repeats values, or leaves some out, until they fit, and whether these fit is not known before the call",
                                                     "write into u.reshape(-1), or one number", "grad(f)(M, X)"),
    "all elements in a row": Refusal("""
def f(u, v):
    u.flat = v
    ^^^^^^
    return u.sum()
""", "a write into .flat of an array takes some values more than once, or leaves some out, where they do not fit, and "
     "is not supported", "write u[...] = np.reshape(v, u.shape)", "grad(f)(M, X)"),
    "array that a solver may have exchanged": Refusal("""
def solve(u, v):
    while u[0] > 1.0:
        v[:] = 0.5 * u
        u, v = v, u
    return u

def f(x):
    y, buffer = x * 2.0, np.zeros_like(x)
    z = solve(y, buffer)
        ^^^^^^^^^^^^^^^^
    return np.sum(z * y)
""", "solve writes into u under another name, or binds u anew, and y, which it gets, is read after this call",
                                                       "let u be the name of that array throughout solve"),
    "bits of numbers": Refusal(in_body("y = x.view(np.int64)", "    ^^^^^^^^^^^^^^^^"),
                               "an array's bits, or its memory as another class, have no derivative",
                               "look at those of s2sgrad.stop_gradient(...)"),
    "item of one of two lists": Refusal("""
def f(x):
    small, large = [], []
    for v in x:
        some = small if v < 1.0 else large
        some.append(v)
        ^^^^^^^^^^^^^^
    return sum(small) - sum(large)
""", "large may share memory with some, into which this line writes, and is read after it",
        "write into each under its own name, in the branches of an if"),
    "variable around a function that a try block calls": Refusal("""
def f(x):
    best = 1.0

    def improve(v):
        nonlocal best
        best = best + v
        if best > 3.0:
            raise ValueError
        return best

    total = 0.0
    for v in x:
        try:
            total += improve(v)
            ^^^^^^^^^^^^^^^^^^^
        except ValueError:
            total -= 1.0
    return total + best
""", "what this line changes may be read after an exception that this try block catches, and nothing tells whether "
     "this line ran before it", "move the line out of the try block, or let what it calls return that, y = g(y)"),
    "generator that raises between the turns of a loop": Refusal("""
def counts(n):
    for i in range(3):
        if i == n:
            raise ValueError
        yield i + 1

def f(x):
    total = x[0]
    for _ in range(3):
        try:
            for v in counts(2):
            ^^^^^^^^^^^^^^^^^^
                total = total * v
        except ValueError:
            break
        total = total * 0.9
    return total
""", "what this line changes may be read after an exception that this try block catches, and nothing tells whether "
     "this line ran before it", "move the line out of the try block, or let what it calls return that, y = g(y)"),
    "attribute of a function made here": Refusal("""
def f(x):
    square = lambda v: v * v
    square.calls = 0
    ^^^^^^^^^^^^
    return square(x).sum()
""", "attributes of a function that is made here are not followed",
        "keep it in a variable, with nonlocal, or in an object"),
    "number that a function remembers by": Refusal("""
import functools

def f(x):
    @functools.lru_cache(maxsize=None)
     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    def square(v):
        return v * v
    return square(x[0])
""", "a differentiated value is a key here", "leave functools.lru_cache(maxsize=None) out", function="f.square"),
    "method that changes what a loop runs over": Refusal("""
class Scaled:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return self.k * x

class Squared(Scaled):
    def __call__(self, x):
        return self.k * x * x

class Weights:
    def __init__(self, values):
        self.values = values

    def move(self):
        self.values[1] = 5.0 * self.values[0]

def f(x, given):
    layers, weights = [Scaled(x[0]), Squared(x[1])], Weights(given)
    for layer, w in zip(layers, weights.values):
        x = layer(x) * w
        weights.move()
        ^^^^^^^^^^^^^^
    return x.sum() + sum(given)
""", "weights may hold a container that the caller has too, and this line writes into it",
        "let a loop count, and read each item in it, for i in range(len(u)): v = u[i]; or make it of copies of what "
        "the caller has", call="grad(f, argnums=(0, 1))(X, [0.5, 0.25])"),
    "one of two context managers": Refusal("""
import contextlib

@contextlib.contextmanager
def announced():
    print("begins")
    yield

def f(x):
    with announced() if x[0] > 0.0 else contextlib.nullcontext():
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        y = x * x
    return y.sum()
""", "which context manager this is, is not known before the call", "write a with statement into each branch of an if"),
    "method open": Refusal("""
def f(x, path):
    with path.open() as file:
         ^^^^^^^^^^^
        y = x * len(file.read())
    return y.sum()
""", SWALLOW[0], "call the function open: open(path, ...)", call="grad(f)(X, object())"),
    "second name that a function takes from around it": Refusal("""
def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    p = x * 1.0
    q = p
    def g():
        q[0] = 3.0 * x[1]
    g()
    ^^^
    return np.sum(p**2)
""", "p may share memory with q, into which this line writes, and is read after it", COPIED.format("q", "q.copy()")),
    "function that writes under another name": Refusal("""
def fill(y):
    z = y
    if y[0] > 0.0:
        z = y.copy()
    z[0] = 1.0

def f(x):
    y = x * 2.0
    fill(y)
    ^^^^^^^
    return y.sum()
""", "fill writes into y under another name, or binds y anew, and y, which it gets, is read after this call",
                                                       "let y be the name of that array throughout fill"),
    "function that writes into what may be a number": Refusal("""
def fill(y):
    y[0] = 1.0

def f(x):
    y = x * 2.0
    fill(y if x[0] > 9.0 else 1.0)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return y.sum()
""", "fill writes into y, and what it gets here has no name of its own, or may be a number",
                                                "give it a whole array that has a name in this function"),
    "array that a call may put another in the place of": Refusal("""
def scale(d):
    d["x"] = d["x"] * 2.0
    return 1.0

def f(x):
    d = {"x": x * 1.0}
    d["x"][1:] += scale(d)
                  ^^^^^^^^
    return d["x"].sum()
""", "this call writes into its arguments, and is part of an expression", "write it on a line of its own"),
    "array that a closure may put another in the place of": Refusal("""
def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    d = {"x": x * 1.0}
    def scale():
        d["x"] = d["x"] * 2.0
        return 1.0
    d["x"] += scale()
              ^^^^^^^
    return d["x"].sum()
""", "this call writes into its arguments, and is part of an expression", "write it on a line of its own"),
    "comprehension that writes": Refusal("""
def f(x):
    m = np.ones(3)
    nothing = [row.fill(5.0) for row in [m]]
               ^^^^^^^^^^^^^
    return (x * m).sum()
""", *WRITING_CALL),
    "method that changes its object, handed to map": Refusal("""
class Log:
    def __init__(self):
        self.items = []

    def note(self, v):
        self.items.append(v)
        return v

def f(x):
    log = Log()
    print(list(map(log.note, x)))
               ^^^^^^^^^^^^^^^^
    return sum(log.items)
""", *CHANGING_FUNCTION),
    "function of the module that writes into what max gives it": Refusal("""
def doubled(v):
    v *= 2.0
    return v.sum()

def f(x):
    rows = [x * 1.0, x * x]
    largest = max(rows, key=doubled)
              ^^^^^^^^^^^^^^^^^^^^^^
    return (largest * rows[0]).sum()
""", *CHANGING_FUNCTION),
    "function that changes what map gives it": Refusal("""
class Log:
    def __init__(self):
        self.items = []

    def note(self, v):
        self.items.append(v)

def noted(log, v):
    log.note(v)
    return v

def f(x):
    log = Log()
    print(list(map(noted, [log], x)))
               ^^^^^^^^^^^^^^^^^^^^
    return sum(log.items)
""", *CHANGING_FUNCTION),
    "method that changes its object and gives a text, in a set that nobody reads": Refusal("""
import json

class Cell:
    def __init__(self, v):
        self.v = v

    def told(self, w):
        self.v = self.v * w
        return json.dumps({"v": float(self.v)}, sort_keys=True)

def f(x):
    cells = [Cell(v) for v in x]
    print({cell.told(x[0]) for cell in cells})
           ^^^^^^^^^^^^^^^
    return sum(cell.v for cell in cells)
""", *WRITING_CALL),
    "flags as places of np.put": Refusal("""
def f(x):
    m = x * 2.0
    np.put(m, x > 0.0, x)
    ^^^^^^^^^^^^^^^^^^^^^
    return m.sum()
""", WRITING_CALL[0], "index the array itself, u[i, j] = values, as many as there are places"),
    "lambda that writes": Refusal("""
def f(x):
    m = np.ones(3)
    nothing = (lambda: np.add.at(m, [0, 0], 1.0))()
                       ^^^^^^^^^^^^^^^^^^^^^^^^^
    return (x * m).sum()
""", *WRITING_CALL, function="f.<lambda>"),
    "ufunc's method that writes": Refusal("""
def f(x):
    m = np.ones(3)
    nothing = np.add.at(m, [0, 0], 1.0)
              ^^^^^^^^^^^^^^^^^^^^^^^^^
    return (x * m).sum()
""", *WRITING_CALL),
    "function that writes into one of two that overlap": Refusal("""
def fill(y, z):
    y[:] = z

def f(x):
    y = x * 2.0
    fill(y, y[::-1])
    ^^^^^^^^^^^^^^^^
    return y.sum()
""", "y may share memory with y, into which this call writes, and is given to it too", "give it a copy of one"),
    "one list that a function gives twice": Refusal("""
def twice(x):
    values = [x[0], 2.0 * x[0]]
    return values, values

def f(x):
    a, b = twice(x)
    a[0] = x[0] ** 2
    ^^^^^^^^^^^^^^^^
    return b[0] * b[1]
""", "b may share memory with a, into which this line writes, and is read after it", COPIED.format("a", "a.copy()")),
    "what is popped, and came in under a name for one of two": Refusal("""
def f(x):
    first, second = {"p": x[0]}, {"p": x[0]}
    chosen = first if x[0] > 0.0 else second
    chosen["n"] = x[1]
    ^^^^^^^^^^^^^^^^^^
    return first.pop("n", x[0]) * 3.0
""", "first may share memory with chosen, into which this line writes, and is read after it",
        "write into each under its own name, in the branches of an if"),
    "dict that max gives under another name, beside an object": Refusal("""
class Report:
    def total(self, x):
        first, second = {"n": x[0], "m": x[1]}, {"n": x[2]}
        longest = max([first, second], key=len)
        longest["n"] = x[1] * x[2]
        ^^^^^^^^^^^^^^^^^^^^^^^^^^
        return first["n"] * 2.0

def f(x):
    return Report().total(x)
""", "first may share memory with longest, into which this line writes, and is read after it",
        "write into each under its own name, in the branches of an if", function="Report.total"),
    "array that a loop runs over whose name it binds": Refusal("""
def f(x):
    b = np.cos(x)
    a = b
    total = 0.0
    for b in b:
        a[...] = x
        ^^^^^^^^^^
        total += b
    return total
""", "what a loop runs over, or an expression began with, may share memory with a, into which this line writes, and is "
     "read after it",
        "let a loop count, and read each item in it, for i in range(len(u)): v = u[i]; give an expression lines of its "
        "own"),
    "list in a list that a function gives": Refusal("""
def nested(x):
    values = [x[0], 2.0 * x[0]]
    return [values], values

def f(x):
    (a,), b = nested(x)
    b.append(x[0] ** 2)
    ^^^^^^^^^^^^^^^^^^^
    return a[0] * a[-1]
""", "a may share memory with b, into which this line writes, and is read after it", COPIED.format("b", "b.copy()")),
    "view that one arm alone binds": Refusal("""
def f(x):
    u = x * 1.0
    if x[0] > 1e3:
        v = u[1:]
    u[:-1] = 2.0
    ^^^^^^^^^^^^
    return np.sum(v * x[1:])
""", "v may share memory with u, into which this line writes, and is read after it", COPIED.format("u", "u.copy()")),
    "one list that is repeated": Refusal("""
def f(x):
    a, b = [[x[0]]] * 2
    a[0] = x[0] ** 2
    ^^^^^^^^^^^^^^^^
    return b[0] * x[1]
""", "b may share memory with a, into which this line writes, and is read after it", COPIED.format("a", "a.copy()")),
    "one object that a method gives twice": Refusal("""
class Pair:
    def __init__(self, v):
        self.v = v

    def both(self):
        return self, self

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    a, b = Pair(x[0]).both()
    a.v = x[0] ** 2
    ^^^^^^^^^^^^^^^
    return b.v * x[1]
""", "b may share memory with a, into which this line writes, and is read after it", BY_PLACE),
    "object of a dataclass that is compared": Refusal("""
from dataclasses import dataclass

@dataclass
class Point:
    h: float

def f(x):
    p = Point(x[0])
    q = Point(p).h
    while q.h < 1.0:
        q.h = q.h * 2.0 + 1.0
        ^^^^^^^^^^^^^^^^^^^^^
    return q.h if q == p else x[1]
""", "p may share memory with q, into which this line writes, and is read after it", BY_PLACE),
    "in-place on two names": Refusal("""
def f(x):
    y = x * 2.0
    z = np.atleast_1d(y)
    y -= 1.0
    ^^^^^^^^
    return (y * z).sum()
""", "z may share memory with y, into which this line writes, and is read after it",
                                           "write y = y - ... to make a new array"),
    "view that is one in the first turn only": Refusal("""
def f(x):
    u = x * 1.0
    v = u[1:]
    for _ in range(3):
        v += 0.5
        ^^^^^^^^
        v = v * 0.9
    return (u ** 2).sum() * v.sum()
""", "u may share memory with v, into which this line writes, and is read after it",
                                                       "write into u itself, by an index"),
    "list with another name": Refusal("""
def f(x):
    xs = [x * 1.0, x * 2.0]
    k = xs
    xs[:] = [x * 3.0, x]
    ^^^^^^^^^^^^^^^^^^^^
    return (k[0] ** 2).sum()
""", "k may share memory with xs, into which this line writes, and is read after it",
                                               COPIED.format("xs", "xs.copy()")),
    "list in a list twice": Refusal("""
def f(x):
    k = [x * 1.0, x * 2.0]
    xs = [k, k]
    xs[0].reverse()
    ^^^^^^^^^^^^^^^
    return (xs[1][0] ** 2).sum()
""", "xs may hold a container that this line writes into in more than one place, or one that the caller has too",
                                    "put a new container into each place, a copy for example"),
    "argument that a call which writes gives back": Refusal("""
def swept(source, target):
    target[1:] = source[:-1] ** 2
    return source

def f(x):
    m = np.outer(x, x)
    u = x * 2.0
    v = swept(u, m[1])
    v *= 2.0
    ^^^^^^^^
    return m.sum() * u.sum()
""", "u may share memory with v, into which this line writes, and is read after it",
                                                     "write v = v * ... to make a new array"),
    "another name on one path": Refusal("""
def f(x):
    u = x * 1.0
    v = u[::-1] if x[0] > 0.0 else x * 2.0
    v[0] = 1.0
    ^^^^^^^^^^
    return (v * u).sum()
""", "u may share memory with v, into which this line writes, and is read after it",
                                         "write into u itself, by an index"),
    "what a function has from elsewhere": Refusal("""
TABLE = np.ones(5)

def looked_up(n):
    return TABLE[:n]

def f(x):
    u = looked_up(3)
    u[0] = x[0]
    ^^^^^^^^^^^
    return u.sum()
""", "u may be an array that the caller has too, and this line writes into it", COPIED.format("u", "u.copy()")),
    "resize": Refusal(in_body("x.resize(1)", "^^^^^^^^^^^"),
                         ".resize() may write into the array, which is not supported yet",
                         "use the NumPy function that returns a new array"),
    "function that writes": Refusal("""
def fill(y):
    y[0] = 1
    return 0.0

def f(x):
    y = np.zeros(3, dtype=int)
    return x.sum() if 0 < fill(y) < 1 else x[0]
                          ^^^^^^^
""", *WRITING_CALL),
    "NumPy function that writes": Refusal(in_body("np.copyto(np.ones(3), 1.0)", "^^^^^^^^^^^^^^^^^^^^^^^^^^"),
                                          WRITING_CALL[0], "write u[...] = values"),
    "out by its place": Refusal("""
def f(x):
    m = np.ones(3)
    y = (x * m).sum()
    z = np.modf(np.zeros(3), m, m)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^
    return y + z.sum()
""", *WRITING_CALL),
    "out of a method": Refusal("""
def f(x):
    m = np.ones(3)
    y = (x * m).sum()
    z = m.cumsum(0, None, m)
        ^^^^^^^^^^^^^^^^^^^^
    return y + z.sum()
""", "cumsum can't be differentiated here: its rule does not take out=", WITHOUT),
    "out in a tuple": Refusal("""
def f(x):
    m = np.ones(3)
    y = (x * m).sum()
    z = np.modf(m, out=(m, m))
        ^^^^^^^^^^^^^^^^^^^^^^
    return y
""", "modf can't be differentiated here: its rule does not take out=",
                              "leave that argument out, or add a rule with s2sgrad.rule"),
    "out by name": Refusal("""
def f(x):
    m = np.ones(3)
    y = np.concatenate([np.ones(3)], out=m)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return (x * m).sum()
""", "concatenate can't be differentiated here: its rule does not take out=", WITHOUT),
    "call on a line of its own": Refusal(
        in_body("np.testing.print_assert_equal('x', x, x)", "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"),
        "a call on a line of its own may write into its arguments, which is not supported yet",
        "use what the call returns"),
    "block that is left with what it wrote into its manager": Refusal("""
class Timed:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.done = True


def f(x):
    try:
        with Timed() as timed:
             ^^^^^^^
            timed.total = x.sum()
            raise KeyError
    except KeyError:
        return timed.total
""", "what this block writes into the object that it enters is not followed",
        "let control leave the block by its end, and return behind it"),
    "key that changes an object": Refusal("""
class Sum:
    def __init__(self):
        self.total = 0.0

    def push(self, v):
        self.total += v
        return self.total


def f(x):
    seen = Sum()
    best = max(x, key=lambda v: seen.push(v))
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return seen.total * best
""", *CHANGING_FUNCTION),
    "generator that keeps what it is sent": Refusal("""
def summed():
    total = 0.0
    while True:
        v = yield total
        total = total + v


def f(x):
    sums = summed()
    next(sums)
    if sums.send(x[0]) > 9.0:
       ^^^^^^^^^^^^^^^
        return x[1]
    return sums.send(0.0) * x[0]
""", "what is called here is not known before the call, and may keep what it is told",
   "write a class, with what it keeps in attributes, and a method"),
    "key that changes what a function made elsewhere holds": Refusal("""
def tally(total):
    def push(v):
        nonlocal total
        total = total + v
        return total
    return push


def f(x):
    push = tally(x[0])
    best = max(x, key=push)
           ^^^^^^^^^^^^^^^^
    return push(best)
""", *CHANGING_FUNCTION),
    "any over methods that change their objects": Refusal("""
class Cell:
    def __init__(self, value):
        self.value = value

    def grow(self, rate):
        self.value = self.value * rate
        return self.value > 1.0


class Tissue:
    def __init__(self, cells):
        self.cells = cells


def f(x):
    tissue = Tissue([Cell(v) for v in x])
    if any(cell.grow(x[0]) for cell in tissue.cells):
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        return tissue.cells[0].value
    return tissue.cells[1].value
""", *WRITING_CALL),
    "key that is an object which changes": Refusal("""
class Score:
    def __init__(self):
        self.total = 0.0

    def __call__(self, v):
        self.total += v
        return self.total


def f(x):
    score = Score()
    best = max(x, key=score)
           ^^^^^^^^^^^^^^^^^
    return score(best)
""", *CHANGING_FUNCTION),
    "all over comparisons that change their object": Refusal("""
class Limit:
    def __init__(self, value):
        self.value = value

    def __gt__(self, other):
        self.value = self.value + other
        return True


def f(x):
    limit = Limit(x[0])
    if all(limit > v for v in x):
          ^^^^^^^^^^^^^^^^^^^^^^
        return limit.value
    return x[1]
""", *WRITING_CALL),
    "setattr of one of several": Refusal("""
class Node:
    def __init__(self):
        self.left = self.right = 1.0


def f(x):
    node = Node()
    setattr(node, "left" if x[0] < 0 else "right", x[1])
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return node.left * node.right
""", WRITING_CALL[0], 'write the attribute with a dot, in a branch for each: if side == "left": node.left = v'),
    "object.__setattr__": Refusal("""
class Box:
    pass


def f(x):
    try:
        len(x)
    except TypeError:
        raise
    box = Box()
    object.__setattr__(box, "kept", x[0])
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return box.kept * x[0]
""", *KEEPING),
    "list in an attribute that is given, too": Refusal("""
class Account:
    def __init__(self):
        self.log = []

def f(x, account, log):
    account.log.append(x[1])
    ^^^^^^^^^^^^^^^^^^^^^^^^
    return log[0] * x[0]

def both(account):
    return account, account.log
""", "account and log share memory and line 14 writes into account",
                                              "they have no separate gradients; pass a copy of one",
                                              call="grad(f)(X, *both(Account()))"),
    "array in two places of an object": Refusal("""
class Recorder:
    def __init__(self, w):
        self.w = w
        self.history = []

    def record(self):
        self.history.append(self.w)

    def shift(self, x):
        self.w += x

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    recorder = Recorder(x * 1.0)
    recorder.record()
    recorder.shift(x)
    ^^^^^^^^^^^^^^^^^
    return (recorder.history[0] ** 2).sum()
""", "recorder may be a container that the caller has too, and this line writes into it",
                                            BY_PLACE),
    "try that a method is half done in": Refusal("""
class Counter:
    def __init__(self, x):
        self.x = x
        self.count = 0

    def step(self):
        self.x = self.x + 1.0
        self.x = self.x / self.count

def f(x):
    counter = Counter(x)
    try:
        counter.step()
        ^^^^^^^^^^^^^^
        y = x / counter.x
    except ZeroDivisionError:
        y = x * counter.x
    return y.sum()
""", "counter may be read after an exception that this try block catches, and nothing tells whether this line ran "
     "before it", "move the line out of the try block, or bind counter in the handler"),
    "list in an attribute": Refusal("""
class Account:
    def __init__(self, money):
        self.money = money
        self.log = []

    def pay(self, value):
        self.log.append(value)
        self.log.remove(value)
        ^^^^^^^^^^^^^^^^^^^^^^


def f(x):
    account = Account(x[0])
    account.pay(x[1])
    return account.log[0]
""", ".remove() writes into the container, which is not supported here",
                            "store a new one in the attribute: self.xs = self.xs + [x]", function="Account.pay"),
    "__setitem__": Refusal("""
def f(x):
    kept = {}
    dict.__setitem__(kept, "x", x[0])
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return kept["x"] * x[0]
""", *KEEPING),
    "function that keeps in a list": Refusal("""
KEPT = [1.0]


def keep(value):
    KEPT.append(value)


def also(value):
    keep(value)


peek = lambda: KEPT

def f(x):
    peek()
    also(2.0 * x[0])
    ^^^^^^^^^^^^^^^^
    return KEPT[-1] * x[0]
""", "this call may put a differentiated value into KEPT, which is read elsewhere",
         "pass it as an argument and return it"),
    "function that changes what is read elsewhere": Refusal("""
SCALES = np.ones(2)


def grow(n):
    SCALES[0] *= n
    return n


def f(x):
    scales = SCALES
    y = x[0] * scales[0]
    count = grow(3)
            ^^^^^^^
    return y * count * scales[0] * x[1]
""", "this call changes SCALES, which is read elsewhere in the same call", "pass it as an argument and return it"),
    "function that keeps in a global": Refusal("""
kept = 1.0


def keep(value):
    global kept
    kept = value


peek = lambda: kept

def f(x):
    peek()
    keep(2.0 * x[0])
    ^^^^^^^^^^^^^^^^
    return kept * x[0]
""", "this call may put a differentiated value into kept, which is read elsewhere",
         "pass it as an argument and return it"),
    "test that keeps in a global": Refusal("""
kept = 1.0


def keep(value):
    global kept
    kept = value
    return value


peek = lambda: kept

def f(x):
    peek()
    if keep(2.0 * x[0]) > 0.0:
       ^^^^^^^^^^^^^^^^
        return kept * x[0]
    return x[1]
""", "this call may put a differentiated value into kept, which is read elsewhere",
         "pass it as an argument and return it"),
    "key that keeps in a global": Refusal("""
kept = 1.0


def keep(value):
    global kept
    kept = value
    return value


peek = lambda: kept

def f(x):
    peek()
    k = max(range(2), key=lambda i: keep(x[i]))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return kept * x[k]
""", "this call may put a differentiated value into kept, which is read elsewhere",
         "pass it as an argument and return it"),
    "call that keeps in a default": Refusal("""
def keep(value, log=[0.5]):
    log.append(value)
    return log


def f(x):
    if keep(2.0 * x[0])[-1] > 0.0:
       ^^^^^^^^^^^^^^^^
        return sum(keep(1.0)) * x[0]
    return x[1]
""", "this call may put a differentiated value into a default of keep, which is read elsewhere",
         "pass it as an argument and return it"),
    "memo of a model from outside": Refusal("""
class Model:
    def __init__(self):
        self.memo = {}

    def feature(self, x, k):
        if k not in self.memo:
            self.memo[k] = np.sin(k * x)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        return self.memo[k]


MODEL = Model()


peek = lambda: MODEL

def f(x):
    peek()
    return np.sum(MODEL.feature(x, 1) * MODEL.feature(x, 1))
""", "this function binds or changes memo, which is read elsewhere in the same call",
         "make the Model an argument of what is differentiated, grad(Model.loss, 1)(model, x) say, in place of "
         "grad(model.loss)(x)", function="Model.feature"),
    "exec": Refusal(in_body('exec("x *= 2.0")', "^^^^^^^^^^^^^^^^"),
                    "what exec reads and writes can't be seen before the call", "write the code out"),
    "eval": Refusal(in_body('y = eval("x * 2.0")', "    ^^^^^^^^^^^^^^^"),
                    "what eval reads and writes can't be seen before the call", "write the code out"),
    "locals": Refusal(in_body('y = locals()["x"]', "    ^^^^^^^^"),
                      "what locals reads and writes can't be seen before the call", "write the code out"),
}
"""What may change values that the adjoint reads, or reads values unseen."""

LISTS = {
    "set comprehension": Refusal(in_body("y = {v * v for v in x}", "    ^^^^^^^^^^^^^^^^^^"),
                                 "a comprehension over x, which is differentiated, is not supported yet", WHOLE),
    "starred comprehension": Refusal(
        in_body("y = [v for v, *_ in [list(x)]]", "           ^^^^^"),
        "this target of a comprehension is not supported", "write a loop"),
    "first run of np.vectorize": Refusal("""
def squared(a):
    print(a)
    return a * a
def f(x):
    return np.sum(np.vectorize(squared)(x))
                  ^^^^^^^^^^^^^^^^^^^^^^^^
""", "np.vectorize runs its function once more, which changes, prints or draws something",
        "give it otypes=[float]"),
    "piecewise that may not be reached": Refusal("""
def f(x):
    y = {float(np.piecewise(2 * x, [x > 0], [np.sin])[0]) for i in range(2)}
                            ^^^^^
    return y.pop() * x[0]
""", "np.piecewise needs its array and conditions several times", "give them names on lines before"),
    "list of unknown length": Refusal("""
def f(x):
    parts = [x[:1]]
    if x[0] > 0:
        parts = [x[:1], x[1:]]
    return np.block(parts).sum()
                    ^^^^^
""", "block takes a list of differentiated values only where it is written out", "write the list in the call"),
    "append to what is no list": Refusal("""
from collections import UserList

def f(x):
    parts = UserList()
    parts.append(x)
                 ^
    return x.sum()
""", "parts is not known to be a list, and a differentiated value is appended to it",
        "make it one in this function, parts = []"),
    "append to a default": Refusal("""
def noted(v, log=[]):
    log.append(float(v))
               ^^^^^^^^
    return v * 2.0

def f(x):
    return noted(x[0]) * noted(x[1])
""", "this changes log, which may be the list that is its default, one for all calls",
        "pass one, or change a list of the module by its name", function="noted"),
    "item of a default": Refusal("""
def counted(v, calls={"n": 0}):
    calls["n"] += 1
    ^^^^^^^^^^
    return v * 2.0

def f(x):
    return counted(x[0])
""", "this changes calls, which may be the dict that is its default, one for all calls",
        "pass one, or change a dict of the module by its name", function="counted"),
    "append to what is no list, in an object": Refusal("""
from collections import UserList

class Window:
    def __init__(self):
        self.values = UserList()

def f(x):
    window = Window()
    window.values.append(x[0])
                         ^^^^
    return window.values[0]
""", "this is not known to be a list, and a differentiated value is appended to it",
        "make it one, not another container"),
    "item of a defaultdict that a condition may make": Refusal("""
from collections import defaultdict

def f(x):
    sums = defaultdict(float)
    if x[0] > 0.0 and sums["all"] < 1.0:
                      ^^^^^^^^^^^
        sums["some"] += x[1]
    return sums["some"] * len(sums)
""", "an item of a defaultdict is made when it is first asked for, and whether that is here is not known before the "
     "call", "ask for it on a line of its own before, or with d.get(key, 0.0), which makes none"),
    "defaultdict whose factory reads names elsewhere": Refusal("""
from collections import defaultdict

def f(sums):
    return sums["b"]
           ^^^^^^^^^

def g(x):
    first = x[0]
    sums = defaultdict(lambda: first)
    sums["a"] = x[1]
    return f(sums)
""", "what this defaultdict makes depends on names of the function in which it is made",
        "make what is missing there, or let its function read nothing around it", call="grad(g)(X)"),
    "dict of a class of its own": Refusal("""
class Params(dict):
    pass

def f(p):
    return p["a"] ** 2
""", "argument p of f is a Params, of a class derived from dict, and has no gradient", "pass a plain dict: dict(...)",
        call="grad(f)(Params(a=1.0))"),
    "end of an OrderedDict that is computed": Refusal("""
from collections import OrderedDict

def f(x):
    parts = OrderedDict(a=x[0], b=x[1])
    parts.move_to_end("a", last=x[0] > 0.0)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return sum(parts.values())
""", "at which end of the dict this is done is not known before the call", "write last=True or last=False"),
    "Counter of arrays": Refusal("""
from collections import Counter

def f(x):
    sums = Counter()
    sums.update({"a": x})
                ^^^^^^^^
    return sums["a"].sum()
""", "these counts are not known to be numbers", "add them one by one: c[key] += v"),
    "Counter of the caller": Refusal("""
from collections import Counter

def f(counts, x):
    counts += Counter({"a": x})
    ^^^^^^
    return counts["a"]
""", "counts is a Counter that the caller may have too, and this line changes it",
        "write counts.update(...), .subtract(...), or counts = counts + ...",
        call="s2sgrad.grad(f, 1)(Counter(a=1.0), 0.5)"),
    "object that hands an array to what writes into it": Refusal("""
def doubled(u):
    u *= 2.0
    return u.sum()

class Stepping:
    def __init__(self, step):
        self.step = step

    def __call__(self, u):
        return self.step(u)

STEPPING = Stepping(doubled)

def f(x):
    u = x * 2.0
    assert STEPPING(u) != 0.0
           ^^^^^^^^^^^
    return u.sum()
""", *WRITING_CALL),
    "defaultdict that an object holds": Refusal("""
from collections import defaultdict

class Held:
    def __init__(self, d):
        self.d = d

def f(x, d):
    held = Held(d).d
    return held["a"] * x[0] + held["none"] + len(held)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "held may be a container that the caller has too, and this line writes into it",
                                             "write held = held.copy() before it, or use one name for both if the "
                                             "other is to change as well",
                                             call="grad(f)(X, defaultdict(float, a=0.5))"),
    "text that may ask a defaultdict": Refusal("""
from collections import defaultdict

def f(x):
    sums = defaultdict(float, a=x[0])
    print("%(a).3f %(b).3f" % sums)
                              ^^^^
    return sums["a"]
""", "this text may ask a defaultdict for what it has not, and so make it", "hand it a dict: dict(d)"),
    "slice of a deque": Refusal("""
from collections import deque

def f(x):
    last = deque(x, 3)
    return sum(last[1:])
               ^^^^^^^^
""", "a deque has no slices", "make a list of it: list(q)[1:]"),
    "deque that gets what it holds": Refusal("""
from collections import deque

def f(x):
    last = deque(x, 3)
    last.extend(v * v for v in last)
               ^^^^^^^^^^^^^^^^^^^^^
    return last[0]
""", "what goes into last here is made of last itself", "make a list of it on a line before"),
    "deque that keeps nothing": Refusal("""
from collections import deque

def f(x):
    last = deque([v * v for v in x], maxlen=0)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return x.sum() + len(last)
""", "this deque keeps nothing of what it gets", "make it without: deque(maxlen=0)"),
    "deque of a length that is computed": Refusal("""
from collections import deque

def f(x):
    last = deque(x, int(x[0]))
           ^^^^^^^^^^^^^^^^^^^
    return last[0]
""", "the maxlen of this deque is not known before the call", "write the number out"),
    "append to a global": Refusal("""
seen = []

peek = lambda: seen

def f(x):
    peek()
    seen.append(x)
                ^
    return x.sum()
""", "what is put into seen here has another name, too, and may be written into", "put a copy there"),
    "argument with something in it twice": Refusal("""
def f(x, parts):
    parts[0].append(x)
    ^^^^^^^^^^^^^^^^^^
    return x.sum()
""", "something in parts is there twice and line 10 writes into parts",
        "they have no separate gradients; pass a copy of one", call="grad(f)(X, [[X]] * 2)"),
    "append seen by one of two": Refusal("""
def f(x):
    parts, others = [x], [x]
    chosen = parts if x.sum() > 0.0 else others
    chosen.append(x)
    ^^^^^^^^^^^^^^^^
    return sum(parts).sum()
""", "parts may share memory with chosen, into which this line writes, and is read after it",
        COPIED.format("chosen", "chosen.copy()")),
    "array in a list": Refusal("""
def f(x):
    u = x * 2.0
    parts = [u, u[::-1]]
    u[0] = 1.0
    ^^^^^^^^^^
    return sum(parts).sum()
""", "parts may share memory with u, into which this line writes, and is read after it",
        COPIED.format("u", "u.copy()")),
    "array and its view in two places": Refusal("""
def f(x):
    u = x * 2.0
    y = [u, u[::-1]]
    y[0] += 1.0
    ^^^^^^^^^^^
    return sum(y).sum()
""", "y may hold an array that this line writes into in more than one place, or one that the caller has too",
        "put a new array into each place, a copy for example"),
    "items of a tuple": Refusal("""
def f(x):
    y = (x, x)
    y[0] = x
    ^^^^
    return sum(y).sum()
""", "writes into tuples, into several items at once and into objects are not supported",
        "build a new container"),
    "list that grows in its place in a tuple": Refusal("""
def f(x):
    y = ([x], x)
    y[0] += [x]
    ^^^^
    return sum(y[0]).sum()
""", "this raises TypeError once what is in the tuple has grown, for tuples take nothing new",
        "let it grow under a name of its own: part = t[0]; part += ..."),
    "list unpacked one in another": Refusal("""
def f(x):
    rows = [[1.0, x[0]], [2.0, x[1]]]
    pair = rows[0], rows[1]
    (first, second), rate = pair, 1.0
    first[0] = rate * x[2]
    ^^^^^^^^^^^^^^^^^^^^^^
    return rows[0][0] * x[0] + second[0]
""", "rows may share memory with first, into which this line writes, and is read after it",
        "write first = first.copy() before it, or use one name for both if the other is to change as well"),
    "function as a key": Refusal("""
def f(x):
    def g(t):
        return t * x[0]
    weights = {}
    weights[g] = 0.5
    ^^^^^^^^^^
    return sum(w * h(2.0) for h, w in weights.items())
""", "a differentiated value is a key here", "use text or integers as keys"),
    "function in an array": Refusal("""
def f(x):
    def g(t):
        return t * x[0]
    return np.array([g, np.sin])[0](2.0)
                    ^^^^^^^^^^^
""", "a function that reads a differentiated value is put into an array",
        "keep functions in a list, a tuple or a dict"),
    "function stored in an array": Refusal("""
def f(x):
    functions = np.empty(2, dtype=object)
    functions[0] = lambda t: t * x[0]
    ^^^^^^^^^^^^
    return functions[0](2.0)
""", "a function that reads a differentiated value is put into functions",
        "keep functions in a list, a tuple or a dict"),
    "function added to a set": Refusal("""
def f(x):
    def g(t):
        return t * x[0]
    functions = set()
    functions.add(g)
    ^^^^^^^^^^^^^^^^
    return sum(h(2.0) for h in functions)
""", "what is called here is not known before the call, and may keep what it is told",
        "write a class, with what it keeps in attributes, and a method"),
    "one of a set of functions": Refusal("""
def f(x):
    def g(t):
        return t * x[0]
    return next(iter({g}))(2.0)
                     ^^^
""", "a set over g, which is differentiated, is not supported yet",
        "write a loop, or whole-array operations"),
    "writing function over unpacked arrays": Refusal("""
def fill(row, value):
    row[:] = value

def f(x):
    y = x * 1.0
    print(list(map(fill, *zip((y, 2.0)))))
               ^^^^^^^^^^^^^^^^^^^^^^^^^
    return y.sum()
""", *CHANGING_FUNCTION),
    "differentiated key": Refusal("""
def f(x):
    y = {}
    for v in x:
        y[v] = v
        ^^^^
    return sum(y.values())
""", "a differentiated value is a key here", "use text or integers as keys"),
    "key that counts as differentiated": Refusal("""
def f(x):
    rows = [{"t": i, "v": v} for i, v in enumerate(x)]
    for row in rows:
        row["twice"] = row["v"] * 2.0
    by_time = {row["t"]: row for row in rows}
               ^^^^^^^^
    return by_time[1]["twice"]
""", "this key comes from a dict that gets keys on the way, of which all values count as one, differentiated",
        "make that dict with all its keys, or keep this one elsewhere"),
    "differentiated key of a comprehension": Refusal("""
def f(x):
    y = {v: v for v in x}
         ^
    return sum(y.values())
""", "a differentiated value is a key here", "use text or integers as keys"),
    "key with an effect": Refusal("""
def label(i):
    return str(i)

def f(x, keys):
    y = dict(zip(keys, x))
    while 9.0 > y.get(label(0), 0.0) > 1.0:
                      ^^^^^^^^
        y["0"] = y["0"] * 0.5
    return y["0"]
""", "whether there is something under this key is looked up first",
        "give the key and the default names on lines before", call="grad(f)(X, [1, 2])"),
    "item of an object": Refusal("""
import collections

def f(x):
    state = collections.UserList([x])
            ^^^^^^^^^^^^^^^^^^^^^^^^^
    return x.sum()
""", f"collections.UserList {NO_RULE}", ADD_ONE),
    "store into what is unknown": Refusal("""
def f(x, table):
    table = table if x[0] > 0 else None
    table[0] = 1.0
    ^^^^^^^^
    return x.sum()
""", "table is not known to be a list, a dict or an array of numbers, and this line writes into it",
        "make it one of these", call="grad(f)(X, object())"),
    "part of a part": Refusal("""
def f(x, k):
    return ([x] + [x, x])[k].sum()
           ^^^^^^^^^^^^^^^^^
""", "a part of a list that has no name of its own is not supported yet", "give the list a name",
        call="grad(f)(X, 0)"),
    "pop": Refusal(in_body("y = [x, x]", "", "y[0] += y.pop()", "        ^^^^^^^", result="y[0].sum()"
                           ).replace("    \n", ""), ".pop() writes into the container, which is not supported here",
                   "call it on a line of its own, or build a new container"),
    "pop in what an assert says": Refusal(
        in_body("y = [1.0, 2.0]", "", "assert len(y) == 2, y.pop()", "                    ^^^^^^^").replace(
            "    \n", ""), *WRITING_CALL),
    "pop in a formatted string": Refusal(in_body("y = [1.0, 2.0]", "", 'z = f"{y.pop()}"', "       ^^^^^^^").replace(
        "    \n", ""), *WRITING_CALL),
    "list in two places": Refusal("""
def f(x):
    rows = [[0.0, 0.0]] * 2
    rows[0][1] = x[0]
    ^^^^^^^^^^^^^^^^^
    return rows[1][1] * x[1]
""", "rows may hold a container that this line writes into in more than one place, or one that the caller has too",
        "put a new container into each place, a copy for example"),
    "list in each item of a comprehension": Refusal("""
def f(x):
    row = [0.0]
    rows = [(row, i) for i in range(3)]
    rows[0][0].append(x[0])
    ^^^^^^^^^^^^^^^^^^^^^^^
    return sum(rows[1][0])
""", "rows may hold a container that this line writes into in more than one place, or one that the caller has too",
        "put a new container into each place, a copy for example"),
    "list in each item of a comprehension, and a call": Refusal("""
def put(row, v):
    row[0].append(v)

def f(x):
    row = [0.0]
    rows = [[row] for _ in range(3)]
    put(rows[0], x[0])
    ^^^^^^^^^^^^^^^^^^
    return sum(rows[1][0])
""", "rows[...] may be a container that the caller has too, and this line writes into it",
        BY_PLACE),
    "list of an object sorted in a loop, one of which has a name": Refusal("""
class World:
    def __init__(self, balls):
        self.balls = balls
        self.first = balls[0]

class Ball:
    def __init__(self, x):
        self.x = x

def f(x):
    world = World([Ball(v) for v in x])
    largest = max(world.balls, key=lambda ball: ball.x)
    for _ in range(2):
        world.balls.sort(key=lambda ball: ball.x)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    largest.x = 2.0
    return sum(ball.x for ball in world.balls)
""", "world.balls may be a container that the caller has too, and this line writes into it",
        COPIED.format("world.balls", "world.balls.copy()")),
    "list turned round that is in each item": Refusal("""
def f(x):
    row = [1.0, 2.0]
    rows = [[row] for _ in range(2)]
    rows[0][0].reverse()
    ^^^^^^^^^^^^^^^^^^^^
    return rows[1][0][1] * x[1]
""", "rows may hold a container that this line writes into in more than one place, or one that the caller has too",
        "put a new container into each place, a copy for example"),
    "array in each object of a comprehension": Refusal("""
class Box:
    def __init__(self, u):
        self.u = u

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    u = np.zeros(2)
    boxes = [Box(u) for _ in range(3)]
    boxes[0].u[0] += x[0]
    ^^^^^^^^^^^^^^^^^^^^^
    return sum(boxes[1].u)
""", "boxes[...].u may be an array that the caller has too, and this line writes into it",
        COPIED.format("boxes[...].u", "boxes[...].u.copy()")),
    "slice of a list": Refusal("""
def f(x, i):
    y = [x, x, x]
    y[i:2] = [x]
    ^^^^^^
    return sum(y).sum()
""", "which items of the list are replaced is not known before the call",
        "build a new list, xs[:i] + ys + xs[j:]", call="grad(f)(X, 1)"),
    "list cut at a step": Refusal("""
def f(x):
    y = [x, x, x]
    y[::int(abs(x[1]))] = [x, x, x]
    ^^^^^^^^^^^^^^^^^^^
    return sum(y).sum()
""", "a list is cut at a step", "store the items one by one, for i in range(a, len(xs), n): xs[i] = ..."),
    "list in a list that moves": Refusal("""
def f(x):
    y = [[x], [x * 2.0]]
    z = y[1]
    y.insert(0, [x])
    y[2].append(x)
    ^^^^^^^^^^^^^^
    return z[0].sum()
""", "z may share memory with y, into which this line writes, and is read after it",
                                            COPIED.format("y", "copy.deepcopy(y)")),
    "array of objects": Refusal(in_body("y = np.array([x[0], None])", "    ^^^^^^^^^^^^^^^^^^^^^^", result="y[0]"),
                                "this gives an array of dtype object, which carries no derivative",
                                "make one of floats, or keep the values in a list"),
    "dtype that is not known": Refusal("""
def f(x):
    letter = "if"[len(str(x[0])) % 2]
    y = x.astype(np.dtype(letter + "8"))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return np.sum(y)
""", "nothing tells before the call of which dtype this is, and one of whole numbers would have no derivative",
        "write the dtype out, or take that of an array: dtype=x.dtype"),
    "array of strings": Refusal(in_body("y = x.astype(str)", "    ^^^^^^^^^^^^^", result="float(y[0])"),
                                "this gives an array of dtype <U32, which carries no derivative",
                                "make one of floats, or keep the values in a list"),
    "array of dicts": Refusal(in_body("y = np.array([{'a': x[0]}])", "             ^^^^^^^^^^^^^", result="y[0]['a']"),
                              "what array does with a dict is not known", "make a number or an array of it first"),
    "named tuple with a length": Refusal("""
from typing import NamedTuple

class Pair(NamedTuple):
    first: object
    second: object
    def __len__(self):
        return 7

def f(x):
    return x.sum() * len(Pair(x, x))
                         ^^^^^^^^^^
""", "Pair is derived from tuple, and what it changes is not looked into",
        "make it a class of its own, with what it holds in attributes"),
    "named tuple in a stack": Refusal("""
from typing import NamedTuple

class Pair(NamedTuple):
    first: object
    second: object

def f(x):
    return np.stack([Pair(v, v) for v in x]).sum()
                    ^^^^^^^^^^^^^^^^^^^^^^^
""", "stack is not differentiated in a named tuple here",
        "make a list of its fields: [pair.first, pair.second]"),
    "iterator with a name": Refusal("""
def f(x):
    y = map(np.sin, x)
        ^^^^^^^^^^^^^^
    return sum(y) * sum(y, 1.0)
""", "what map gives can be run through once only, and gets a name here",
        "make a list of it, list(map(...))"),
    "fields": Refusal("""
from typing import NamedTuple

class Pair(NamedTuple):
    first: object
    second: object

def f(x):
    return Pair(x).first.sum()
           ^^^^^^^
""", "this call does not fit the fields of Pair: missing a required argument: 'second'",
        "call it with those that it has"),
    "arithmetic": Refusal(in_body("y = -(x, x)", "    ^^^^^^^"),
                          "arithmetic on a list or tuple of differentiated values is not supported yet",
                          "make an array of it with np.array"),
    "list-times-number": Refusal(in_body("y = [x[0], x[1]] * x[0]", "    ^^^^^^^^^^^^^^^^^^^"),
                                 "arithmetic on a list or tuple of differentiated values is not supported yet",
                                 "make an array of it with np.array"),
    "method": Refusal("""
class Part:
    def __init__(self, x):
        self.x = x

def f(x):
    parts = [Part(x), Part(x[1:])]
    place = parts.index(parts[1])
            ^^^^^^^^^^^^^^^^^^^^^
    return parts[0].x.sum() * place
""", ".index() of a list or tuple of differentiated values is not supported yet",
                      "compare the items in a loop"),
    "array for a list": Refusal("""
def f(x):
    return 2.0 * np.stack(x).sum()
                 ^^^^^^^^^^^
""", "stack takes differentiated values only in a list that is written out", "write the list in the call",
        call="grad(f)(M)"),
    "list for an array": Refusal(in_body("y = np.tanh([x[0], None])", "    ^^^^^^^^^^^^^^^^^^^^^", result="y.sum()"),
                                 "tanh is not differentiated in a list of values", AS_ARRAY),
    "list in a list": Refusal("""
def f(x):
    parts = [[x[0], x[1]], x]
    return np.concatenate(parts).sum()
           ^^^^^^^^^^^^^^^^^^^^^
""", "concatenate is not differentiated in a list of values", AS_ARRAY),
}

CALLS = {
    "the last of several": Refusal("""
def f(x):
    last = np.cos
    for g in (np.sin, lambda v: v * x):
        last = last if x[0] > 9.0 else g
    return last(x).sum()
           ^^^^^^^
""", *NOT_KNOWN),
    "stars": Refusal("""
def g(x, *y):
    return (x * y[0]).sum()

def f(x, n):
    more = [x * k for k in range(n)]
    return g(x, *more)
           ^^^^^^^^^^^
""", *STARS, call="grad(f)(X, 2)"),
    "a list that grows while it is run through": Refusal("""
def f(x):
    queue, t = [1.0], 0.0
    for v in queue:
             ^^^^^
        t += v * v
        if len(queue) < 4:
            queue.append(v * x[0])
    return t
""", "the turns of this loop put differentiated values into queue, over which it runs",
        "count the turns in a while loop, with an index into the list"),
    "an iterator with a name": Refusal("""
def g(values):
    return sum(values) + sum(values, 1.0)

def f(x):
    values = iter(x)
             ^^^^^^^
    return g(values)
""", "how far an iterator has come is not followed",
        "write a loop over what it runs through, or count: items[i]; i += 1"),
    "stars beside others in a loop": Refusal("""
def f(x, n):
    rows, t = [x * k for k in range(n)], 0.0
    for v, p, q in zip(x, *rows):
                          ^^^^^
        t += v * p * q
    return t
""", *STARS, call="grad(f)(X, 2)"),
    "two stars": Refusal("""
def g(x, **options):
    return x.sum() * options["scale"]

def f(x, options):
    return g(x, **options)
           ^^^^^^^^^^^^^^^
""", *STARS, call="grad(f)(X, {Place: 2.0})"),
    "gradient of what is not known": Refusal("""
def pick(x):
    return [g, h][len(x) % 2]

def g(x):
    return (x * x).sum()

def h(x):
    return (x * x * x).sum()

def f(x):
    dg = s2sgrad.grad(pick(x))
    return dg(x).sum()
           ^^^^^
""", "the function whose gradient is called here is not known before the call", "give grad a function by its name"),
    "gradient in what is not there": Refusal("""
def f(x):
    return s2sgrad.grad(lambda t: (x * t).sum(), 1)(x).sum()
""", "argnums 1 is out of range: there are 1 positional parameters", "count from 0"),
    "draws that have no derivative": Refusal("""
def f(x):
    rng = np.random.default_rng(3)
    return np.sum(x * rng.poisson(np.exp(x)))
                      ^^^^^^^^^^^^^^^^^^^^^^
""", "what .poisson() draws depends on differentiated values otherwise than by a move and a scale, and has no "
        "derivative here", "give it constants, s2sgrad.stop_gradient(p), or draw standard numbers and compute with "
        "these"),
    "pullback of what draws random numbers": Refusal("""
def g(x):
    return (x * np.random.normal(size=2)).sum()

def f(x):
    value, pullback = s2sgrad.vjp(g, x)
                      ^^^^^^^^^^^^^^^^^
    return pullback(1.0)[0].sum()
""", "a pullback that is differentiated runs its function again: this one may do something else then",
        "let it print, draw and store nothing"),
    "pullback of what writes into its argument": Refusal("""
def g(x):
    x *= 2.0
    return x.sum()

def f(x):
    u = x * 1.0
    value, pullback = s2sgrad.vjp(g, u)
                      ^^^^^^^^^^^^^^^^^
    return pullback(1.0)[0].sum()
""", "a pullback that is differentiated runs its function again, and this one writes into its arguments",
        "write into a copy"),
    "Jacobian of what writes into its argument": Refusal("""
def g(x):
    x *= 2.0
    return x ** 2

def f(x):
    u = x * 1.0
    matrix = s2sgrad.jacrev(g)(u)
             ^^^^^^^^^^^^^^^^^^^^
    return matrix.sum()
""", "a Jacobian that is differentiated runs its function again and again, and this one writes into its arguments",
        "write into a copy"),
    "Hessian of what prints": Refusal("""
def g(x):
    print("called")
    return (x ** 3).sum()

def f(x):
    return s2sgrad.hessian(g)(x).sum()
           ^^^^^^^^^^^^^^^^^^^^^
""", "a Jacobian that is differentiated runs its function again and again: this one may do something else then",
        "let it print, draw and store nothing"),
    "check inside": Refusal("""
def f(x):
    y = s2sgrad.check_grad(np.sin, x)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return x.sum()
""", "check_grad gets differentiated values, and can't be differentiated itself",
        "use what grad or value_and_grad makes"),
    "primals of any number": Refusal("""
def f(x):
    parts = [v for v in x]
    return s2sgrad.jvp(np.hypot, parts, parts)[1]
                                 ^^^^^
""", "how many arguments these are is not known before the call", "write the tuple out"),
    "tangent's shape inside": Refusal("""
def f(x):
    return s2sgrad.jvp(np.sin, (x,), (x[:2],))[1].sum()
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "an argument has shape (3,), its tangent (2,)", "pass a tangent of its shape"),
    "pullback with an argument by name": Refusal("""
def f(x):
    value, pullback = s2sgrad.vjp(np.sin, x=x)
                      ^^^^^^^^^^^^^^^^^^^^^^^^
    return value.sum()
""", "vjp gets arguments by name here, and is differentiated itself", "give them by position"),
    "tangent of an integer": Refusal("""
def f(x):
    return s2sgrad.jvp(lambda t, n: (t ** n).sum(), (x, 2), (x, 1))[1]
                                                                ^
""", "only floats have a tangent", "pass None for what is none"),
    "tangents fewer than arguments": Refusal("""
def f(x):
    return s2sgrad.jvp(lambda t, n: (t ** n).sum(), (x, 2), (x,))[1]
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "there are 2 primals and 1 tangents", "pass a tangent for each argument, None where there is none"),
    "gradient with a loss beside an inner function": Refusal("""
def loss(y):
    return y.sum()

def f(x):
    return s2sgrad.gauss_newton_product(lambda t: t * x, loss)(x, x).sum()
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "gauss_newton_product gets a function beside one that is defined inside", "define it at module level"),
    "options that a derivative does not have": Refusal("""
def f(x):
    return s2sgrad.hessian(lambda t: (t * x).sum(), order=2)(x).sum()
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "this call does not fit hessian: got an unexpected keyword argument 'order'", "see its documentation"),
    "gradient of what may be an array": Refusal("""
def g(x, times):
^^^^^^^^^^^^^^^^
    total = None
    for _ in range(times):
        print("once more")
        total = x.sum()
    return total

def f(x):
    return s2sgrad.grad(g)(x, len(x)).sum()
""", "g may return what is no number, and its gradient is differentiated",
                                                  "start with a number or an array of zeros, not with None",
                                                  function="g"),
    "gradient of a recursion with effects": Refusal("""
def g(x, n):
    print(n)
    ^^^^^^^^
    return x.sum() if n == 0 else x[0] * g(x, n - 1)

def f(x):
    return s2sgrad.grad(g)(x, len(x)).sum()
""", "g calls itself, and for a gradient of its gradient runs again: this line may do something else then, or change "
     "what it was given", "write a loop", function="g"),
    "gradient of a recursion over an iterator": Refusal("""
def g(x, steps, n):
    for step in steps:
        x = x * step
        break
    return x.sum() if n == 0 else g(x, steps, n - 1)

def f(x):
    return s2sgrad.grad(g)(x, iter([1.0, 2.0, 3.0, 4.0]), len(x)).sum()
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "g gets an iterator, and is run again for a derivative of its gradient", "give it a list"),
    "method kept of a name that is bound anew": Refusal("""
class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return (self.k * x ** 2).sum()


def f(x):
    try:
        len(x)
    except TypeError:
        raise
    spring = Spring(x)
    energy = spring.energy
             ^^^^^^^^^^^^^
    spring = Spring(2.0 * x)
    return energy(x) * spring.energy(x)
""", "spring is bound anew behind a method of it that is kept", "give the other object another name"),
    "method kept of an object without a name": Refusal("""
class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return (self.k * x ** 2).sum()


def f(x):
    slope = s2sgrad.grad(Spring(x).energy)
                         ^^^^^^^^^^^^^^^^
    return slope(x).sum()
""", "a method is kept of an object that has no name of its own",
                                       "give the object a name, and take the method from that"),
    "object in arithmetic": Refusal("""
class Metres:
    pass

unit = Metres()

def f(x):
    return (x * unit).sum()
            ^^^^^^^^
""", "what arithmetic does with a Metres is not known", "make a number or an array of it first"),
    "function in arithmetic": Refusal("""
def f(x):
    return (x * np.sin).sum()
            ^^^^^^^^^^
""", "what arithmetic does with a ufunc is not known", "make a number or an array of it first"),
    "attribute": Refusal(in_body("y = x.strides", "    ^^^^^^^^^"),
                         "the attribute .strides of a differentiated value has no rule",
                         "do the same with NumPy's functions"),
    "method of arrays": Refusal(in_body("y = x.ptp()", "    ^^^^^^^"),
                                "the method .ptp() has no derivative rule",
                                "use np.ptp"),
    "method that NumPy has no function for": Refusal(
        in_body("y = x.getfield(float)", "    ^^^^^^^^^^^^^^^^^"), "the method .getfield() has no derivative rule",
        "do the same with NumPy's functions"),
    "different elements in no order": Refusal(
        in_body("y = np.unique(x, sorted=False)", "    ^^^^^^^^^^^^^^^^^^^^^^^^^^", result="y.sum()"),
        "unique can't be differentiated here: its rule does not take sorted=", WITHOUT),
    "some elements alone": Refusal(
        in_body("y = np.exp(x, where=x > 0)", "    ^^^^^^^^^^^^^^^^^^^^^^", result="y.sum()"),
        "exp can't be differentiated here: its rule does not take where=",
        "say what the other elements are, out=, or choose with np.where"),
    "powers of powers": Refusal(
        in_body("y = np.power.reduce(x)", "    ^^^^^^^^^^^^^^^^^^", result="y.sum()"),
        "reduce has no derivative rule and no Python source", "write the loop"),
    "keyword": Refusal(in_body("y = np.nanvar(x, mean=x[0])", "    ^^^^^^^^^^^^^^^^^^^^^^^"),
                       "nanvar can't be differentiated here: its rule does not take mean=", WITHOUT),
    "too many arguments": Refusal(in_body('y = np.ravel(x, "C", 0)', "    ^^^^^^^^^^^^^^^^^^^"),
                                  "ravel can't be differentiated here: its rule takes a, order by position, and no "
                                  "more", WITHOUT),
    "missing argument": Refusal(in_body("y = np.add(x)", "    ^^^^^^^^^"),
                                "add can't be differentiated here: its argument x2 is missing",
                                "give each argument once"),
    "argument given twice": Refusal(in_body("y = np.sum(x, a=x)", "    ^^^^^^^^^^^^^^"),
                                    "sum can't be differentiated here: it got two values for a",
                                    "give each argument once"),
    "parameter without a formula": Refusal(
        in_body("y = np.arange(x[0])", "              ^^^^"), "arange has no derivative with respect to start",
        "keep that argument constant, or add a rule with s2sgrad.rule"),
    "wrong arguments": Refusal("""
def g(x, y):
    return (x * y).sum()

def f(x):
    return g(x, 1.0, 2.0)
           ^^^^^^^^^^^^^^
""", "this call does not fit the function's parameters: too many positional arguments",
        "call it with those that it has"),
    "what a module does not have": Refusal(
        in_body("y = np.frobnicate(x)", "    ^^^^^^^^^^^^^^^^"), "numpy has no frobnicate",
        "look for another spelling of the name"),
    "undefined": Refusal(in_body("y = frobnicate(x)", "    ^^^^^^^^^^^^^"), "frobnicate is not defined",
                         "define or import it at module level"),
    "undefined where it need not be read": Refusal("""
def f(x):
    if x[0] > 9.0:
        return x[0] * frobnicate
        ^^^^^^^^^^^^^^^^^^^^^^^^
    return x[0]
""", "frobnicate is not defined", "define or import it at module level"),
    "list of what may be an array": Refusal("""
def f(x):
    y = x if x[0] < 9.0 else None
    z = list(y)
        ^^^^^^^
    return z[0] * 2.0
""", "what list runs through is not known before the call: an array, or something else",
        "write list([v for v in values])"),
    "no rule": Refusal(in_body("y = np.nextafter(x, 2.0)", "    ^^^^^^^^^^^^^^^^^^^^"), f"numpy.nextafter {NO_RULE}",
                       ADD_ONE),
    "no rule, and source that is refused": Refusal(
        in_body("y = np.lib.stride_tricks.as_strided(x)", "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"),
        "numpy.lib.stride_tricks.as_strided has no derivative rule, and in its source the attribute "
        ".__array_interface__ of a differentiated value has no rule", ADD_ONE),
    "no rule, in a callee": Refusal("""
def g(x):
    return np.nextafter(x, x[:1])
           ^^^^^^^^^^^^^^^^^^^^^^

def f(x):
    return g(x)
""", f"numpy.nextafter {NO_RULE}", ADD_ONE, function="g"),
    "partial": Refusal("""
table = functools.partial(np.nextafter, [1.0, 2.0])

def f(x):
    return table(x).sum()
           ^^^^^^^^
""", f"numpy.nextafter {NO_RULE}", ADD_ONE),
    "no source": Refusal("""
g = eval("lambda x: x.sum()")

def f(x):
    return 2.0 * g(x)
                 ^^^^
""", "the source of <lambda> can't be read (<string>)", "put the function in a file or a notebook cell"),
    "call in brackets": Refusal(in_body("y = np.ogrid[0:x[0]:3j]", "    ^^^^^^^^^^^^^^^^^^^", result="y.sum()"),
                                "what this object gives for a differentiated index is not known",
                                "join arrays with np.concatenate or np.stack"),
    "directions in brackets": Refusal(in_body("y = np.r_['0,2', x]", "    ^^^^^^^^^^^^^^^", result="y.sum()"),
                                  "what this object gives for a differentiated index is not known",
                                  "join arrays with np.concatenate or np.stack"),
    "unknown number of results": Refusal("""
def f(x, options):
    a, b = np.gradient(np.tensordot(x, x, options["axes"]))
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return (a * b).sum()
""", "how many results gradient gives is not known before the call",
                                         "give it what decides that as a literal, or in an argument",
                                         call='grad(f)(M, {"axes": 1})'),
    "rule of a function with two results": Refusal("""
@s2sgrad.rule(x="1.0")
def twice(x):
    return x, x

def f(x):
    a, b = twice(x)
           ^^^^^^^^
    return (a * b).sum()
""", "twice gives several results", "use the parts' own functions"),
    "rule of a function that is not elementwise": Refusal("""
@s2sgrad.rule(x="2.0 * x")
def energy(x):
    return np.sum(x ** 2)

def f(x):
    return np.sum(energy(x) * x)
                  ^^^^^^^^^
""", "energy does not work element by element, as its rule says",
                                                  "say elementwise=False, and let each formula give the cotangent of "
                                                  "an argument"),
    "rule of a function that nobody can try": Refusal("""
@s2sgrad.rule(x="2.0 * x")
def energy(x):
    return x * x * np.ones(7)

def f(x):
    return np.sum(energy(x) * x)
                  ^^^^^^^^^
""", "energy can't be run on samples, to see whether it works element by element",
                                              "say elementwise=True in its rule, or elementwise=False"),
    "name in a formula": Refusal("""
@s2sgrad.rule(x="slope * 2.0")
def double(x):
    return 2.0 * x

def f(x):
    return double(x).sum()
           ^^^^^^^^^
""", "the rule of double mentions slope, which is not defined", "give it to s2sgrad.rule in names"),
}

FORMULAS = {
    "object made by more than an __init__": Refusal("""
class Scaled:
    def __new__(cls, value):
        made = object.__new__(cls)
        made.double = 2.0 * value
        return made

def f(x):
    return Scaled(x).double.sum()
           ^^^^^^^^^
""", "objects of Scaled are made by more than an __init__, which is not followed",
        "do it in __init__, without __new__ and a metaclass, or let a function make them"),
    "zip that is strict where it may not be called": Refusal("""
def f(x):
    return 0.0 if x[0] > 9 else sum(a * b for a, b, _ in zip(x, x[1:], x, strict=True))
                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "zip with strict= is not supported in this place",
        "write it into a statement of its own, or a loop, or compare the lengths before: assert len(a) == len(b)"),
    "lists joined with one that has a name": Refusal("""
def f(x):
    found = [x[0]]
    found = sum([[v] for v in x], found)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return found[1]
""", "sum joins these, or gives the list that it starts with", "[item for items in lists for item in items]"),
    "largest of objects": Refusal("""
class Part:
    def __init__(self, size):
        self.size = size

def f(x):
    return max([Part(v) for v in x]).size
               ^^^^^^^^^^^^^^^^^^^^
""", "what max does with a Part is not known", "tell what it compares: key=lambda item: item.x"),
    "function of singledispatch, of either class": Refusal("""
class Square:
    def __init__(self, side):
        self.side = side

class Circle:
    def __init__(self, radius):
        self.radius = radius

@functools.singledispatch
def area(shape):
    return shape.side ** 2

@area.register
def _(shape: Circle):
    return 3.0 * shape.radius ** 2

def f(x):
    shape = Square(x[0]) if x[1] > 0.0 else Circle(x[2])
    return area(shape)
           ^^^^^^^^^^^
""", "which of its functions area calls here is not known before the call",
        "call that one itself, or let all that it may get be of one class"),
    "generator that is sent values": Refusal("""
def averaged():
    total, count, mean = 0.0, 0, None
    while True:
        total += yield mean
        count += 1
        mean = total / count

def f(x):
    means = averaged()
    next(means)
    s = 0.0
    for v in x:
        s += means.send(v) ** 2
             ^^^^^^^^^^^^^
    return s
""", "what a generator makes of what is sent to it is not followed",
        "write a class, with what the generator keeps in attributes, and a method"),
    "function that a test picks by its name": Refusal("""
def f(x):
    kept = []
    keep = getattr(kept, "append" if x.sum() > 0.0 else "extend")
    keep(x[0])
    ^^^^^^^^^^
    return x.sum()
""", "the function called here is not known before the call, and may put a differentiated value where nobody follows "
        "it", "call it by its name"),
    "method that is read by its name": Refusal("""
def f(x):
    u = x * 2.0
    getattr(u, "sort")()
    ^^^^^^^^^^^^^^^^^^^^
    return u[0]
""", "the function called here is not known before the call, and may put a differentiated value where nobody follows "
        "it", "call it by its name"),
    "no copy, written into by a function": Refusal("""
import numpy as np

def clamp(u):
    w = np.array(u, copy=False)
        ^^^^^^^^^^^^^^^^^^^^^^^
    w[w > 1.0] = 1.0

def f(x):
    u = x * 2.0
    clamp(u)
    return (u * u).sum()
""", "array can't be differentiated here: its rule does not take copy=", WITHOUT, function="clamp"),
    "functions that share a list": Refusal("""
def recorder():
    values = []

    def push(v):
        values.append(v)

    def total():
        return sum(values)

    return push, total

def f(x):
    try:
        x = x + 1.0
    except ValueError:
        pass
    push, total = recorder()
    push(x[0] * x[1])
    ^^^^^^^^^^^^^^^^^
    return total() ** 2
""", "push changes what it has from around it, and was made here",
        "keep that in an object, and let a method change it"),
    "number out of a text": Refusal("""
def f(x):
    told = f"{x[0]:.17g}"
    return float(told) * x[1]
           ^^^^^^^^^^^
""", "this reads a number out of what was made of differentiated values by a text, hash or exception, which is not "
        "followed", "compute with the value itself, or with s2sgrad.stop_gradient of it"),
    "axis": Refusal("""
def f(x, options):
    return x.sum() + np.max(x, axis=options["axis"]).sum()
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "the value of axis must be known before the call", KNOWN, call='grad(f)(M, {"axis": 0})'),
    "axis that is an object": Refusal("""
def f(x, place):
    return np.sum(np.max(x, axis=place))
                  ^^^^^^^^^^^^^^^^^^^^^
""", "the value of axis must be known before the call", KNOWN, call="grad(f)(M, Place())"),
    "matrix norm": Refusal(in_body("y = np.linalg.norm(x, 3)", "    ^^^^^^^^^^^^^^^^^^^^", result="2.0 * y"),
                           "the matrix norm with ord=3 has no derivative rule", NORMS, call="grad(f)(M)"),
    "norms of matrices": Refusal(in_body("y = np.linalg.matrix_norm(x, ord=4)",
                                         "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^", result="2.0 * y"),
                                 "the matrix norm with ord=4 has no derivative rule", NORMS, call="grad(f)(M)"),
    "condition": Refusal(in_body("y = np.linalg.cond(x, 3)", "    ^^^^^^^^^^^^^^^^^^^^", result="2.0 * y"),
                         "the condition number with p=3 has no derivative rule", NORMS,
                         call="grad(f)(M)"),
    "complete decomposition": Refusal(in_body('q, r = np.linalg.qr(x, mode="complete")',
                                              "       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^", result="(q @ r).sum()"),
                                      "qr with mode='complete' has no derivative rule",
                                      "use mode='reduced' or mode='r'", call="grad(f)(M)"),
    "a flag as axis": Refusal(in_body("y = np.sort(x, axis=True)", "    ^^^^^^^^^^^^^^^^^^^^^", result="y.sum()"),
                              "sort gets a truth value for an axis", "write axis=1 for True, axis=0 for False",
                              call="grad(f)(M)"),
    "padding": Refusal("""
def f(x):
    mode = "median"
    y = np.pad(x, 1, mode)
        ^^^^^^^^^^^^^^^^^^
    return y.sum()
""", "pad with 'median' has no derivative rule",
                "write 'median' in the call, or use another mode, as 'mean'"),
    "an axis twice": Refusal(in_body("y = np.fft.rfftn(x, axes=(0, -2))", "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
                                     result="np.abs(y).sum()"),
                             "rfftn goes along one axis twice, and cuts or pads it in between",
                             "transform along one axis after the other, with two calls", call="grad(f)(M)"),
    "no axis": Refusal(in_body("y = np.sum(x, axis=[0])", "    ^^^^^^^^^^^^^^^^^^^", result="2.0 * y"),
                       "sum has no derivative rule for such arguments ('<' not supported between instances of 'list' "
                       "and 'int')", "see that the call itself runs, or write them otherwise"),
    "padding forwards": Refusal("""
def f(x):
    mode = "median"
    y = np.pad(x, 1, mode)
        ^^^^^^^^^^^^^^^^^^
    return y.sum()
""", "pad with 'median' has no derivative rule",
                "write 'median' in the call, or use another mode, as 'mean'", call="jvp(f, (X,), (X,))"),
    "ellipsis": Refusal("""
def f(m):
    y = m if m[0, 0] > 0.0 else m[0]
    return np.sum(np.einsum("...i->...", y))
                  ^^^^^^^^^^^^^^^^^^^^^^^^^
""", "einsum with an ellipsis is differentiated only where it is known how many axes the operands have",
                         "name the axes", call="grad(f)(M)"),
    "leading zeros": Refusal("""
def f(x):
    return np.polymul(x, [1.0, 2.0]).sum()
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "np.polymul leaves out leading coefficients that are 0, and one of what is differentiated is",
                             "use np.convolve, which keeps them", call="grad(f)(np.array([0.0, 1.0]))"),
    "points that leave coefficients open": Refusal("""
import warnings
warnings.simplefilter("ignore")

def f(x):
    return np.polyfit(x, [1.0, 2.0, 3.0], 2).sum()
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "np.polyfit got too few points here, or too much alike, to tell all coefficients, and has no derivative there",
                                                   "lower deg", call="grad(f)(np.array([0.5, 0.5, 1.0]))"),
    "order": Refusal(in_body('y = x.ravel("K")', "    ^^^^^^^^^^^^", result="y.sum()"),
                     "with order='K' the layout in memory decides where elements go", "use order 'C' or 'F'",
                     call="grad(f)(M)"),
    "complex": Refusal("""
def f(x):
    z = np.exp(x * 1j)
    return np.maximum(z, x).real.sum()
           ^^^^^^^^^^^^^^^^
""", "maximum has no derivative rule for complex numbers", PARTS),
    "complex, without shapes": Refusal("""
def f(x):
    z = np.exp(x * 1j)[x > 0.0]
    return np.nanmax(z)
           ^^^^^^^^^^^^
""", "nanmax has no derivative rule for complex numbers", PARTS),
    "complex, in place": Refusal("""
def f(x):
    total = x[0]
    total *= 1j
    total %= 2.0
    ^^^^^^^^^^^^
    return abs(total)
""", "mod has no derivative rule for complex numbers", PARTS),
    "complex, in a list": Refusal("""
def f(x):
    return abs(math.fsum([x[0] * 1j, 1.0]))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "fsum has no derivative rule for complex numbers", PARTS),
    "part of complex numbers updated": Refusal("""
def f(x):
    u = x * 1j
    u.imag *= 2.0
    ^^^^^^
    return np.abs(u).sum()
""", "a write into .imag of an array is not supported", "write into the array itself, u[:] = x + 1j * y"),
    "part of complex numbers stored": Refusal("""
def f(x):
    u = x * 1j
    u.real = x
    ^^^^^^
    return np.abs(u).sum()
""", "a write into .real of an array is not supported", "write into the array itself, u[:] = x + 1j * y"),
    "complex maximum": Refusal("""
def f(x):
    return np.maximum(x * 1j, 2j).imag.sum()
           ^^^^^^^^^^^^^^^^^^^^^^
""", "maximum has no derivative rule for complex numbers", PARTS),
    "phases left open": Refusal("""
def f(x):
    values, vectors = np.linalg.eigh(np.diag(x) + 0j)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return np.sum(vectors.imag) + values[0]
""", "the result depends on the phases of complex vectors, which LAPACK leaves open here", PHASES),
    "phases left open, forwards": Refusal("""
def f(x):
    u, s, vh = np.linalg.svd(np.diag([1.0, 2.0, 3.0]) + 1j * x * np.tri(3), full_matrices=False)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return np.abs(u[0, 1]) + s[0]
""", "forward mode depends on the phases of complex vectors, which LAPACK leaves open here", PHASES,
                                          call="jvp(f, (0.0,), (1.0,))"),
    "a holomorphic function of real numbers": Refusal("""
def f(x):
^^^^^^^^^
    print(end="")
    return np.sum(x * x * 1j)

def h(x):
    return np.real(grad(f, holomorphic=True)(x)).sum()

grad = s2sgrad.grad
""", "f is differentiated with holomorphic=True in what may be real", "make it complex, or leave holomorphic out",
                                                      call="grad(h)(X)"),
}
"""What a rule's formula finds when the adjoint is written."""

ARGUMENTS = {
    "integer": Refusal(SQUARE, "argument x of f is an int, and only floats have a gradient",
                       "pass a float, or an array with dtype=float", call="grad(f)(3)"),
    "integers": Refusal(SQUARE, "argument x of f is an array of shape (3,) and dtype bool, and only floats have a "
                        "gradient", "pass a float, or an array with dtype=float", call="grad(f)(X > 0)"),
    "complex result of grad": Refusal(
        SQUARE, "f returned a complex128, and a gradient is of a real number", "take np.real or np.abs of it, or pass "
        "holomorphic=True for the derivative of a holomorphic function", call="grad(f)(1j * X)"),
    "holomorphic in a real argument": Refusal(
        SQUARE, "argument x of f is an array of shape (3,) and dtype float64, and holomorphic=True is for complex "
        "arguments", "make it complex, or leave holomorphic out", call="grad(f, holomorphic=True)(X)"),
    "holomorphic with a real result": Refusal(
        "def f(x):\n    return np.abs(x).sum()\n", "f returned a float64, and holomorphic=True is for complex results",
        "leave it out", call="value_and_grad(f, holomorphic=True)(1j * X)"),
    "Jacobian in a complex argument": Refusal(
        "def f(x):\n    return x.real * x.imag\n", "the argument of f is an array of shape (3,) and dtype complex128, "
        "and only a holomorphic function has a Jacobian there",
        "pass holomorphic=True if it is one, or take real and imaginary parts", call="jacfwd(f)(1j * X)"),
    "Jacobian of a complex result": Refusal(
        "def f(x):\n    return x * 1j\n", "the result of f is an array of shape (3,) and dtype complex128, and only a "
        "holomorphic function has a Jacobian there",
        "pass holomorphic=True if it is one, or take real and imaginary parts", call="jacrev(f)(X)"),
    "holomorphic Jacobian of what is real": Refusal(
        "def f(x):\n    return x * x\n", "the argument of f is an array of shape (3,) and dtype float64, and "
        "holomorphic=True is for complex numbers", "make it complex, or leave holomorphic out",
        call="jacobian(f, holomorphic=True)(X)"),
    "objects": Refusal(SQUARE, "argument x of f is an array of dtype object, which has no gradient",
                       "pass a plain float array, np.asarray(x, dtype=float)", call="grad(f)(X.astype(object))"),
    "subclass": Refusal(SQUARE, "argument x of f is a MaskedArray, which has no gradient",
                        "pass a plain float array, np.asarray(x, dtype=float)", call="grad(f)(np.ma.array(X))"),
    "container of integers": Refusal(
        'def f(params):\n    return params["n"] * 2.0\n',
        "argument params of f holds no floats, and only floats have a gradient",
        "put floats into it, or leave it out of argnums", call='grad(f)({"n": 2})'),
    "no container": Refusal(SQUARE, "argument x of f is a str, which has no gradient",
                            "pass a float, or an array with dtype=float", call='grad(f)("x")'),
    "array result": Refusal(in_body("y = x * 2.0", "", result="y").replace("    \n", ""),
                            "f returned an array of shape (3,) and dtype float64, and a gradient is of a single float",
                            A_FLOAT),
    "tuple result": Refusal("def f(x):\n    return x.sum(), x\n",
                            "f returned a tuple, and a gradient is of a single float", A_FLOAT),
    "no result": Refusal("def f(x):\n    pass\n", "f returned None, and a gradient is of a single float", A_FLOAT),
    "no pair": Refusal(SQUARE, "f returned a single value, and has_aux=True takes a pair", A_PAIR,
                       call="grad(f, has_aux=True)(X)"),
    "three values": Refusal("def f(x):\n    return x.sum(), x, x\n",
                            "f returned 3 values, and has_aux=True takes a pair", A_PAIR,
                            call="value_and_grad(f, has_aux=True)(X)"),
    "sometimes a pair": Refusal("""
def f(x):
    return [x.sum(), x] if x[0] > 0 else [x.sum(), x, x]
""", "f returned what may have other lengths, and has_aux=True takes a pair", A_PAIR, call="grad(f, has_aux=True)(X)"),
    "argnums": Refusal(SQUARE, "argnums is [0]", "pass an integer or a tuple of integers", call="grad(f, [0])"),
    "argnums out of range": Refusal(SQUARE, "argnums 2 is out of range: f has 1 positional parameter", "count from 0",
                                    call="grad(f, 2)"),
    "argnums twice": Refusal(SQUARE, "argnums (0, -1) names a parameter twice", "name each once",
                             call="grad(f, (0, -1))"),
    "argnums empty": Refusal(SQUARE, "argnums is empty", "name at least one parameter", call="grad(f, ())"),
    "no function": Refusal("", "an int can't be differentiated", "pass a function", call="grad(3)"),
    "NumPy function": Refusal("", "floor is a ufunc, not a plain Python function",
                              "pass a function that computes the same", call="grad(np.floor)"),
    "vectorized function": Refusal(SQUARE, "f is a vectorize, not a plain Python function",
                                   "pass a function that computes the same", call="differentiable(np.vectorize(f))"),
    "no source": Refusal('f = eval("lambda x: x")', "the source of <lambda> can't be read (<string>)",
                         "put the function in a file or a notebook cell"),
    "no Python function": Refusal("", "len is not a Python function, so it has no source",
                                  "wrap it in one, or give it a rule", call="locate(len)"),
    "cotangent of a pair": Refusal("def f(x):\n    return x.sum(), x\n", "the result has 2 parts, the cotangent has 3",
                                   STRUCTURE, call="vjp(f, X)[1]((1.0, X, X))"),
    "cotangent of a dict": Refusal('def f(x):\n    return {"a": x, "b": x}\n',
                                   "the cotangent has nothing under 'b', as the result has", STRUCTURE,
                                   call='vjp(f, X)[1]({"a": X, "c": X})'),
    "what a property chooses": Refusal("""
class Part:
    def __init__(self, x):
        self.x = x

class Group:
    def __init__(self, xs):
        self.parts = [Part(v) for v in xs]
        self.chosen = self.parts[0]

    @property
    def leader(self):
        return self.chosen

    @leader.setter
    def leader(self, part):
        self.chosen = part

def f(x):
    group = Group([x[0], x[1]])
    k = int(x[2] > 0)
    group.leader = group.parts[k]
    group.leader.x += 0.3
    ^^^^^^^^^^^^
    return group.leader.x
""", "where group holds what is changed here is not known",
                                       "change it by the place that it has there, as group.parts[i]"),
    "cotangent of what is no field": Refusal("""
from dataclasses import dataclass

@dataclass
class Best:
    x: float

def f(x):
    best = Best(x[0])
    best.value = x[1]
    return best
""", "value of the result is no field of its dataclass", "declare it there, or return it beside the object",
                                             call="(lambda best, pull: pull(best))(*vjp(f, X))"),
    "no cotangent of a pair": Refusal("def f(x):\n    return x.sum(), x\n",
                                      "the result has 2 parts, the cotangent is a float",
                                      STRUCTURE, call="vjp(f, X)[1](1.0)"),
    "cotangent's shape": Refusal(SQUARE, "the result has shape (), its cotangent (3,)",
                                 "pass a cotangent of the result's shape", call="vjp(f, X)[1](X)"),
    "a Jacobian's argument by name only": Refusal("""
def f(x, *, s=1.0):
    return x ** 2 * s
""", "s can be given by name only, and a Jacobian takes arguments by position", "differentiate a lambda that gives it",
        call="s2sgrad.jacobian(f)(X, s=2.0)"),
    "cotangent that is missing": Refusal("def f(x):\n    return 2.0 * x\n", "the cotangent is None",
                                         "pass real numbers", call="vjp(f, X)[1](None)"),
    "gradient of a gradient": Refusal(SQUARE, "a derivative of f returned an array of shape (3,) and dtype float64, "
                                      "and a gradient is of a single float", "sum or average the result, or use "
                                      "s2sgrad.vjp, which takes a cotangent", call="grad(grad(f))(X)"),
    "cotangent's type": Refusal(SQUARE, "the cotangent is a str", "pass real numbers", call='vjp(f, X)[1]("1")'),
    "random": Refusal("def f(x):\n    return x.sum() * np.random.rand()\n", "two calls of f gave different results",
                      "a function with random or remembered parts cannot be judged", call="check_grad(f, X)"),
    "argument not given": Refusal("def f(x, y=1.0):\n    return x * y\n", "argnum 1 is out of range",
                                  "the call has 1 arguments", call="check_grad(f, X, argnums=1)"),
    "not of floats": Refusal("def f(x, n):\n    return x * n\n", "n is of type int and not of floats",
                             "only floats and arrays of floats have a gradient",
                             call="check_grad(f, X, 2, argnums=-1)"),
    "weights of a pair": Refusal("def f(x):\n    return x.sum(), x\n", "the cotangent is structured unlike the result",
                                 "give it the structure of the result", call="numerical_gradient(f, [X], 0, 1.0)"),
    "weights' shape": Refusal(SQUARE, "the cotangent has shape (3,) and the result ()",
                              "give it the shape of the result", call="numerical_gradient(f, [X], 0, X)"),
    "rule for no function": Refusal("", "3 is not a function", "pass what is to get the rule", call="rule(3)"),
    "rule without formulas": Refusal(SQUARE, "a rule without formulas",
                                     "give a formula for a parameter, or say constant=True", call="rule(f)"),
    "rule's parameter": Refusal(SQUARE, "f has no parameter z", "it has x", call='rule(f, z="1.0")'),
    "rule's formula": Refusal(SQUARE, "the formula for x is not an expression: 'y = 3'", 'write it as text, x="2 * x"',
                              call='rule(f, x="y = 3")'),
    "rule's formula, no text": Refusal(SQUARE, "the formula for x is not an expression: 2.0",
                                       'write it as text, x="2 * x"', call="rule(f, x=2.0)"),
    "rule's names": Refusal("def f(g):\n    return g\n", "the parameter g of f has a meaning of its own in formulas",
                            "give it another name", call='rule(f, g="1.0")'),
}
"""Calls of the public functions that can't be right."""

STRUCTURED = "pass what has its structure, with None for what is no float"
FORWARD = {
    "store in an object": Refusal("""
class Point:
    def __init__(self, x):
        self.x = x

def f(x):
    p = Point(0.0)
    p.x += np.ones(3)
    ^^^^^^^^^^^^^^^^^
    p.x = p.x + x
    return p.x.sum()
""", "a change of this is not differentiated forwards yet", "write it as an assignment, a.b = a.b + c",
                                  call="jvp(f, (X,), (X,))"),
    "user's rule": Refusal("""
@s2sgrad.rule(x="g / (1.0 + x)", elementwise=False)
def my_log(x):
    return np.log1p(x)

def f(x):
    return my_log(x * x).sum()
           ^^^^^^^^^^^^^
""", "my_log has no derivative forwards in x", "differentiate in reverse, with s2sgrad.vjp", call="jvp(f, (X,), (X,))"),
    "complex": Refusal(in_body("y = np.maximum(x * 1j, x)", "    ^^^^^^^^^^^^^^^^^^^^^", result="y.real.sum()"),
                       "maximum has no derivative rule for complex numbers", PARTS, call="jvp(f, (X,), (X,))"),
    "no tuple": Refusal(SQUARE, "primals is an array of shape (3,) and dtype float64",
                        "pass a tuple, with an item for each argument", call="jvp(f, X, X)"),
    "number of tangents": Refusal(SQUARE, "there are 1 primals and 2 tangents",
                                  "pass a tangent for each argument, None where there is none",
                                  call="jvp(f, (X,), (X, X))"),
    "shape": Refusal(SQUARE, "x has shape (3,), its tangent (2,)", "pass a tangent of its shape",
                     call="jvp(f, (X,), (X[1:],))"),
    "type": Refusal(SQUARE, "the tangent of x is a str", "pass real numbers", call='jvp(f, (X,), ("1",))'),
    "of an integer": Refusal("def f(x, n):\n    return x * n\n", "n is an int, and only floats have a tangent",
                             "pass None for it", call="jvp(f, (X, 2), (X, 0))"),
    "structure": Refusal("def f(p):\n    return p[0] * p[1]\n", "p has the parts [0, 1], its tangent has the parts [0]",
                         STRUCTURED, call="jvp(f, ((X, X),), ((X,),))"),
    "no structure": Refusal("def f(p):\n    return p[0] * p[1]\n",
                            "p has the parts [0, 1], its tangent is an array of shape (3,) and dtype float64",
                            STRUCTURED, call="jvp(f, ((X, X),), (X,))"),
    "mode": Refusal(SQUARE, "mode is 'backward'", 'pass "reverse" or "forward"',
                    call='source(f, X, mode="backward")'),
    "Jacobian in two arguments": Refusal(SQUARE, "argnums is (0, 1)",
                                         "pass an integer, and call jacfwd for each argument",
                                         call="jacfwd(f, (0, 1))"),
    "Jacobian of a pair": Refusal("def f(x):\n    return x, x\n",
                                  "f returned a tuple, and a Jacobian is of one array",
                                  "join what it returns with np.concatenate, or use s2sgrad.jvp", call="jacfwd(f)(X)"),
}
"""What forward mode alone refuses, and calls of its functions that can't be right."""

POINT = """
class Point:
    def __init__(self, x):
        self.x = x

    def __mul__(self, other):
        return Point(self.x * other)

"""
POINTED = "grad(f)(Point(X))"
OBJECTS = {
    "an iterator on some ways": Refusal("""
class Countdown:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        if len(self.values):
            return self
        return Countdown([0.0])

    def __next__(self):
        raise StopIteration

def f(x):
    return sum(v for v in Countdown(x))
                          ^^^^^^^^^^^^
""", "Countdown.__iter__ gives an object of Countdown, and what the __next__ of that does is not followed",
        "write __iter__ with yield, or let it return iter(items)"),
    "operator that the class lacks": Refusal(POINT + """
def f(p):
    return (2.0 - p).x.sum()
            ^^^^^^^
""", "what this operator does with a Point is not known", "call a method that does it", call=POINTED),
    "comparisons that give objects, in a row": Refusal("""
class Soft:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return Soft(1.0 / (1.0 + np.exp(self.x - other)))

    def __gt__(self, other):
        return Soft(1.0 / (1.0 + np.exp(other - self.x)))

def f(x):
    return (0.0 < Soft(x[0]) < 1.0).x
            ^^^^^^^^^^^^^^^^^^^^^^
""", "a comparison of objects gives a differentiated value here, and is one of several", "compare them one by one"),
    "in-place operator that may not be": Refusal(POINT + """
Point.__iadd__ = lambda self, other: NotImplemented

def f(p):
    p += 2.0
    ^
    return p.x.sum()
""", "what this operator does with a Point is not known", "write p = p ...", call=POINTED),
    "in-place operator of a class": Refusal(POINT + """
Point.__iadd__ = np.multiply

def f(p):
    p += 2.0
    ^
    return p.x.sum()
""", "what this operator does with a Point is not known", "write p = p ...", call=POINTED),
    "item of an object": Refusal(POINT + """
def f(p):
    return p[0].sum()
           ^^^^
""", "what is in a Point is not known", "read its attributes", call=POINTED),
    "loop over an object": Refusal(POINT + """
def f(p):
    total = 0.0
    for x in p:
    ^^^^^^^^^^
        total = total + x
    return total
""", "what is in a Point is not known", "read its attributes", call=POINTED),
    "NumPy function of an object": Refusal(POINT + """
def f(p):
    return np.sum(p)
                  ^
""", "what sum does with a Point is not known", "make a number or an array of it first", call=POINTED),
    "attribute bound by a loop": Refusal(POINT + """
def f(p):
    for p.x in range(3):
        ^^^
        pass
    return p.x
""", "a loop that binds an attribute is not supported yet", "loop over a name, and store it in the body", call=POINTED),
    "field of a named tuple, in place": Refusal("""
from typing import NamedTuple

class Pair(NamedTuple):
    u: np.ndarray

def f(x):
    pair = Pair(x * x)
    pair.u += x
    ^^^^^^
    return pair.u.sum()
""", "a write into a part of a part is not supported yet",
        "write into an array under a name of its own, with one index: u[i, j] = ..."),
    "attribute of a frozen object, in place": Refusal("""
from dataclasses import dataclass

@dataclass(frozen=True)
class Frozen:
    u: np.ndarray

def f(p):
    p.u *= 2.0
    ^^^
    return p.u.sum()
""", "what Frozen does when .u is set is not known", "call a method that does it", call="grad(f)(Frozen(X))"),
    "property that is set": Refusal(POINT + """
Point.half = property(lambda self: self.x / 2.0, print)

def f(p):
    p.half = p.x
    ^^^^^^
    return p.x.sum()
""", "what Point does when .half is set is not known", "call a method that does it", call=POINTED),
    "attribute set on one way": Refusal("""
from dataclasses import dataclass

@dataclass
class Point:
    x: float

def mark(p):
    if p.x[0] > 0:
        p.y = p.x

def f(p):
    mark(p)
    ^^^^^^^
    return p.x.sum()
""", "mark leaves p with other attributes on some ways than on others",
        "set all attributes of p before", call=POINTED),
    "object that gets another's name": Refusal("""
from dataclasses import dataclass

@dataclass
class Point:
    x: float

def mark(p):
    if p.x[0] > 0.0:
        p.x = p.x * 2.0
        p = Point(p.x)
    return p.x

def f(p):
    return mark(p).sum()
           ^^^^^^^
""", "mark changes p, and binds it to something else as well", "give that another name than p", call=POINTED),
    "captured object that changes": Refusal(POINT + """
def move(p, x):
    p.x = x
          ^

POINT = Point(1.0)

peek = lambda: POINT

def f(x):
    peek()
    move(POINT, x)
    return POINT.x.sum()
""", "what is put into p here has another name, too, and may be written into", "put a copy there", function="move"),
    "captured object that is an argument, too": Refusal(POINT + """
def move(p, x):
    p.x = x
    ^^^

POINT = Point(1.0)

peek = lambda: POINT

def f(x, point):
    peek()
    move(POINT, x)
    return point.x.sum()
""", "this writes into an object whose attributes are not known", "give the object to the function as an argument",
        "grad(f)(X, POINT)", "move"),
    "one of two objects": Refusal(POINT + """
def f(x):
    p, other = Point(x), Point(x)
    q = p if x.sum() > 0.0 else other
    p.x = x * 2.0
    ^^^^^^^^^^^^^
    return q.x.sum()
""", "q may share memory with p, into which this line writes, and is read after it", BY_PLACE),
    "name without a value in a function defined inside": Refusal("""
def f(x):
    def scaled(y):
        return y * scale if y.sum() > 100.0 else y

    found = scaled(x)
            ^^^^^^^^^
    scale = x.max()
    return (found * scaled(x)).sum()
""", "scale, which the function reads that is called here, has no value yet", "give it one before"),
    "name that has a value on some ways only in a function defined inside": Refusal("""
def f(x):
    if x.sum() > 5.0:
        scale = x.max()

    def scaled(y):
        return y * scale if x.sum() > 5.0 else y

    return scaled(x).sum()
           ^^^^^^^^^
""", "scale may have no value yet, and the function that is called here reads it on some ways only",
        "give it one in any case: scale = 0.0"),
    "function that is made on some ways only, read by one that is defined inside": Refusal("""
def f(x):
    chosen = np.tanh
    if x.sum() > 5.0:
        scaled = lambda v: v * x.max()
        chosen = scaled
    step = lambda total, v: total * 0.5 + chosen(v)
    return step(x.min(), x.max())
           ^^^^^^^^^^^^^^^^^^^^^^
""", "the function that is called here reads another one, which is there on some ways only",
        "define that in any case, before the branch"),
    "objects under keys that a call gives": Refusal("""
class Particle:
    def __init__(self, x):
        self.x = x

def drawn(rng):
    return rng.integers(3)

def f(x):
    rng = np.random.default_rng(7)
    particles = [Particle(v) for v in x]
    before = {}
    for one, other in zip(particles, particles[1:]):
        before[drawn(rng)] = one
    for p in particles:
        p.x *= 2.0
        ^^^^^^^^^^
    return sum(key * p.x for key, p in before.items())
""", "before may share memory with p, into which this line writes, and is read after it", BY_PLACE),
    "tree whose nodes insert into themselves": Refusal("""
class Node:
    def __init__(self, v):
        self.v = v
        self.left = None
        self.right = None

    def insert(self, v):
        if v < self.v:
            if self.left is None:
                self.left = Node(v)
            else:
                self.left.insert(v)
        elif self.right is None:
            self.right = Node(v)
        else:
            self.right.insert(v)

def f(x):
    root = Node(x[0])
    for v in x[1:]:
        root.insert(v)
        ^^^^^^^^^^^^^^
    return root.v
""", "each turn of this loop puts containers into others, deeper than the turn before",
                                                       "put them side by side, into a list"),
    "tree whose nodes make others": Refusal("""
class Part:
    def __init__(self, low, high):
        self.low = low
        self.high = high
        self.mass = 0.0
        self.parts = []

    def add(self, place, mass):
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        self.mass = self.mass + mass
        if self.high - self.low < 0.5:
            return
        if not self.parts:
            middle = (self.low + self.high) / 2
            self.parts = [Part(self.low, middle), Part(middle, self.high)]
        self.parts[int(place > (self.low + self.high) / 2)].add(place, mass)

def f(x):
    whole = Part(0.0, 2.0)
    for place, mass in zip([0.1, 1.5, 0.7], x):
        whole.add(place, mass)
    return whole.mass
""", "add calls itself, and puts objects or containers into what it gets, ever deeper",
                                            "put them side by side into one list, with numbers that tell where each "
                                            "belongs", function="Part.add"),
    "one of several functions that change an object": Refusal("""
class Turtle:
    def __init__(self):
        self.place = 0.0

    def forward(self, d):
        self.place = self.place + d

def f(x):
    turtle = Turtle()
    commands = [lambda: turtle.forward(x[0]), lambda: turtle.forward(x[1])]
    commands[int(x[2])]()
    ^^^^^^^^^^^^^^^^^^^^^
    return turtle.place
""", "which function is called here is not known before the call, and what it may write into is not followed",
        "choose by if which to call, by its name"),
    "linked list that grows": Refusal("""
class Node:
    def __init__(self, x, following):
        self.x = x
        self.following = following

def f(x):
    node = None
    for v in np.tanh(x):
        node = Node(v, node)
        ^^^^^^^^^^^^^^^^^^^^
    return node.x
""", "each turn of this loop puts containers into others, deeper than the turn before",
        "put them side by side, into a list"),
    "attribute that one of two classes has": Refusal("""
class Branch:
    def __init__(self, left, right):
        self.left, self.right = left, right

class Leaf:
    def __init__(self, x):
        self.x = x

def f(x):
    total = 0.0
    for node in (Branch(x, x), Leaf(x)):
        total = total + np.sum(node.x)
                               ^^^^^^
    return total
""", "an object of Branch comes here, of which no attribute x is known",
        "set self.x in its __init__, to something that this line can take"),
    "attribute of a dataclass that is no field": Refusal("""
import dataclasses

@dataclasses.dataclass
class Spring:
    stiffness: float
    length: float

    def __post_init__(self):
        self.energy = self.stiffness * self.length ** 2

def f(spring):
    return 2.0 * spring.energy
                 ^^^^^^^^^^^^^
""", "an object of Spring comes here, of which no attribute energy is known",
        "make it a field of the dataclass: energy: float = field(init=False)", call="grad(f)(Spring(1.0, 2.0))"),
    "method of what an object from a library gives": Refusal("""
import datetime

def f(x, day):
    return day.timetuple().count(x)
           ^^^^^^^^^^^^^^^^^^^^^^^^
""", "of what object this is the method count is not known before the call",
        "give the object as an argument, or do the same with NumPy's functions",
        call="grad(f)(X, datetime.date(2001, 2, 3))"),
    "method that remembers what it gave": Refusal("""
class Model:
    def __init__(self, w):
        self.w = w

    @functools.cache
    def norm(self):
        return np.sum(self.w ** 2)

def f(x):
    return Model(x).norm()
           ^^^^^^^^^^^^^^^
""", "the method norm of Model remembers what it gave, which is not followed where the object is differentiated",
        "leave functools.lru_cache out"),
    "method that a library made": Refusal("""
class Model:
    def __init__(self, w):
        self.w = w

    def norm(self, power):
        return np.sum(self.w ** power)

    square = functools.partialmethod(norm, 2)

def f(x):
    return Model(x).square()
           ^^^^^^^^^^^^^^^^^
""", "square of Model is a partialmethod, which is not followed where the object is differentiated",
        "make it a plain method"),
    "new attribute of one of several": Refusal(POINT + """
def f(x):
    points = [Point(v) for v in np.tanh(x)]
    for point in points:
        point.y = 2.0 * point.x
        ^^^^^^^
    return points[0].y
""", "this gives one of several objects an attribute y, which they do not have yet",
        "set it in __init__, for all of them and by its name: self.y = None"),
    "object given twice": Refusal(POINT + """
def f(p, q):
    p.x = q.x * 2.0
    ^^^^^^^^^^^^^^^
    return q.x.sum()
""", "p and q share memory and line 18 writes into p", "they have no separate gradients; pass a copy of one",
        call="(lambda p: grad(f)(p, p))(Point(X))"),
    "array that is there twice": Refusal(POINT + """
def f(p):
    p.x *= 2.0
    ^^^^^^^^^^
    return p.x.sum() * p.y.sum()
""", "something in p is there twice and line 18 writes into p", "they have no separate gradients; pass a copy of one",
        call="(lambda p: (setattr(p, 'y', X), grad(f)(p)))(Point(X))"),
    "constructor that binds self": Refusal("""
class Point:
    def __init__(self, x):
    ^^^^^^^^^^^^^^^^^^^^^^
        self = x

def f(x):
    return Point(x).x
""", "__init__ binds self anew", "give the other object another name", function="Point.__init__"),
    "method called unnamed": Refusal(POINT + """
def get_size(self):
    self.asked = True
    return 1

Point.__len__ = get_size

def f(p):
    if p:
       ^
        return p.x.sum()
    return 0.0
""", "__len__ of Point may store something in the object, and is called here unnamed",
        "call a method that does it, on a line of its own", call=POINTED),
    "object that leads back to itself": Refusal("""
class Node:
    def __init__(self, x):
        self.x, self.parts = x, [self]

def f(node):
    return node.x.sum()
""", "argument node of f has a Node in it that leads back to itself, or computes its attributes, and has no gradient",
        "pass its arrays as arguments of their own", call="grad(f)(Node(X))"),
}
"""Objects of the user's classes."""

SURGERY = {
    "adjoint of an expression": Refusal("""
def f(x):
    with s2sgrad.adjoint_of(2 * x) as x_bar:
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        print(x_bar)
    return x.sum()
""", "adjoint_of takes the name of a value, and its cotangent must get a name",
        "write it alone: with s2sgrad.adjoint_of(h) as h_bar:"),
    "adjoint of a list": Refusal("""
def f(x):
    h = [x, 2 * x]
    with s2sgrad.adjoint_of(h) as h_bar:
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        print(h_bar)
    return h[0].sum()
""", "h is not known to be a number or an array, as adjoint_of needs", "name one part of it"),
    "block of adjoint_of that is left": Refusal("""
def f(x):
    h = 2 * x
    with s2sgrad.adjoint_of(h) as h_bar:
        return h_bar
        ^^^^^^^^^^^^
    return h.sum()
""", "control leaves the block of adjoint_of, which runs when the function has ended", "let the block end by itself"),
    "block of adjoint_of that writes elsewhere": Refusal("""
def f(x):
    h = 2 * x
    with s2sgrad.adjoint_of(h) as h_bar:
        x[0] = h_bar[0]
        ^^^^
    return h.sum()
""", "the block of adjoint_of writes into something else than h_bar", "give h_bar a new value, or write into it"),
    "block of adjoint_of that binds a name of the function": Refusal("""
def f(x):
    h = 2 * x
    ^
    with s2sgrad.adjoint_of(h) as h_bar:
        h = h_bar
    return h.sum()
""", "h is bound by a block of adjoint_of, which runs when the function has ended", "give it another name there"),
}
"""Blocks that run in the reverse sweep."""

FOREIGN = {
    "what makes a masked array": Refusal("""
def f(x):
    return (x * np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])).sum()
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "MaskedArray makes an array whose arithmetic is its own", "use plain arrays"),
    "what makes a matrix": Refusal("""
def f(x):
    return (x * np.asmatrix(np.eye(3))).sum()
                ^^^^^^^^^^^^^^^^^^^^^^
""", "asmatrix makes an array whose arithmetic is its own", "use plain arrays"),
    "captured masked array": Refusal("""
M = np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])

def f(x):
    return np.sum(x * M)
""", "M is or holds a MaskedArray, whose arithmetic is its own",
     "make a plain array of it, with np.asarray, before the call"),
    "number of a class with other arithmetic": Refusal("""
TWO = type("Fivefold", (float,), {"__rmul__": lambda self, other: 5.0 * other})(2.0)

def f(x):
    return np.sum(x) * TWO
""", "TWO is or holds a Fivefold, whose arithmetic is its own",
     "make a plain number of it, with float, before the call"),
    "captured array of another library": Refusal("""
S = type("Matrix", (), {"__module__": "numpy.other", "__array_priority__": 1.0})()

def f(x):
    return np.sum(x @ S)
                      ^
""", "what arithmetic does with a Matrix is not known", "make a number or an array of it first"),
}
"""Arrays that are not NumPy's plain ones."""

CUSTOM = {
    "rule without reverse": Refusal("""
@s2sgrad.custom_rule(tangent=lambda dots, y, x: 2 * x * dots[0])
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
def square(x):
    return x ** 2

def f(x):
    return square(x).sum()
""", "the rule of square has no reverse=", "give it one, or use s2sgrad.jvp", function="square"),
    "rule without tangent": Refusal("""
@s2sgrad.custom_rule(reverse=lambda g, y, x: 2 * x * g)
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
def square(x):
    return x ** 2

def f(x):
    return square(x).sum()
""", "the rule of square has no tangent=", "give it one, or differentiate in reverse, with s2sgrad.vjp",
        function="square", call="jvp(f, (X,), (X,))"),
    "function that reads differentiated values, for a rule": Refusal("""
def reverse(bar, value, function, x):
    return None, bar

@s2sgrad.custom_rule(reverse=reverse)
def applied(function, x):
    return function(x)

def f(x):
    return applied(lambda s: s * x, x).sum()
                   ^^^^^^^^^^^^^^^
""", "this function reads differentiated values, of which the rule of applied knows nothing",
        "pass them as arguments, too"),
    "rule of what returns several values at run time": Refusal("""
@s2sgrad.custom_rule(reverse=lambda g, y, x: 2 * x * g)
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
def both(x):
    return eval("x ** 2, x")

def f(x):
    return both(x)[0].sum()
""", "both has a rule of its own, and returns a tuple", "let it return one array or number", function="both"),
    "rule of several results": Refusal("""
@s2sgrad.custom_rule(reverse=lambda g, y, x: 2 * x * g)
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
def both(x):
    return x ** 2, x

def f(x):
    return both(x)[0].sum()
""", "both has a rule of its own, and returns several values", "return one array", function="both"),
    "rule of what hands its argument on, which is written into": Refusal("""
@s2sgrad.custom_rule(reverse=lambda g, y, x: -g)
def reversed_gradient(x):
    return x

def f(x):
    z = x * 2.0
    y = reversed_gradient(z)
    y[0] = 5.0
    ^^^^^^^^^^
    return (y * z).sum()
""", "z may share memory with y, into which this line writes, and is read after it", COPIED.format("y", "y.copy()")),
    "rule of what hands its argument on unseen": Refusal("""
@s2sgrad.custom_rule(reverse=lambda g, y, x: -g)
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
def reversed_gradient(x):
    return eval("x[::-1]")

def f(x):
    return reversed_gradient(x).sum()
""", "reversed_gradient has a rule of its own, and returns an argument, or a view of one", "let it return a copy",
        function="reversed_gradient"),
    "checkpoint of a function defined inside": Refusal("""
def f(x):
    def inner(t):
        return t * x
    return s2sgrad.checkpoint(inner)(x).sum()
           ^^^^^^^^^^^^^^^^^^^^^^^^^
""", "checkpoint gets a function that is defined inside",
        "define it at module level, with what it reads from around it as arguments"),
    "checkpoint that writes": Refusal("""
@s2sgrad.checkpoint
def doubled(x):
    x *= 2.0
    ^^^^^^^^
    return x.sum()

def f(x):
    y = x + 1.0
    s = doubled(y)
    return s
""", "doubled is run again by its adjoint, and writes into its arguments",
        "leave s2sgrad.checkpoint away, or write into a copy", function="doubled"),
}
"""Derivatives of the user's."""

LIVING = {
    "name of an attribute": Refusal("""
class Model:
    def __init__(self, w):
        self.w = w

def f(model, label):
    return (getattr(model, label) ** 2).sum()
            ^^^^^^^^^^^^^^^^^^^^^
""", "which attribute getattr reads is not known before the call",
        'write it with a dot, or loop over the names: for name in ("w", "b")',
        call='grad(f)(Model(X), np.array("w"))'),
    "method of super() with a name": Refusal("""
class Base:
    def __init__(self, w):
        self.w = w
    def scaled(self, c):
        return self.w * c

class Model(Base):
    def total(self):
        scaled = super().scaled
                 ^^^^^^^^^^^^^^
        return scaled(2.0).sum()

def f(model):
    try:
        len(model)
    except TypeError:
        pass
    return model.total()
""", "what super().scaled is can't be told here", "call the method where it is looked up, super().scaled(...)",
        call="grad(f)(Model(X))", function="Model.total"),
    "super() with a name": Refusal("""
class Base:
    def __init__(self, w):
        self.w = w
    @property
    def total(self):
        return self.w.sum()

class Model(Base):
    def doubled(self):
        parent = super()
                 ^^^^^^^
        return parent.total * 2.0

def f(model):
    return model.doubled()
""", "what super() gives is not followed", "call its method here, super().name(...)",
        call="grad(f)(Model(X))", function="Model.doubled"),
    "attributes of what has no name": Refusal("""
class Model:
    def __init__(self, w):
        self.w = w
    def itself(self):
        print("asked")
        return self

def f(model):
    return vars(model.itself())["w"].sum()
           ^^^^^^^^^^^^^^^^^^^^
""", "the object whose attributes are asked for here has no name", "give it one on a line before",
        call="grad(f)(Model(X))"),
    "cached property in a branch of an expression": Refusal("""
class Model:
    def __init__(self, w):
        self.w = w
    @functools.cached_property
    def norm(self):
        return (self.w ** 2).sum()

def f(model):
    return 2.0 * (model.norm if model.w[0] > 0.0 else 1.0)
                  ^^^^^^^^^^
""", "the cached property .norm may be asked for here for the first time",
        "ask for it on a line of its own before: value = obj.norm", call="grad(f)(Model(X))"),
    "method that writes, with a name": Refusal("""
def f(x):
    u = 2.0 * x
    fill = u.fill
           ^^^^^^
    fill(1.0)
    return x.sum() * u[0]
""", "a method that writes into u is handed on here", "call it where it stands: .fill(...)"),
    "context manager that writes": Refusal("""
import contextlib

@contextlib.contextmanager
def noted(log):
    log.append("in")
    yield

LOG = []

def f(x):
    with noted(LOG):
         ^^^^^^^^^^
        y = x * x
    return y.sum() * len(LOG)
""", "this context manager may write into what it gets, which is not supported",
        "do that on lines of its own, before and behind the block; or give it a list or dict that this function makes, "
        "and only prints or returns"),
    "dict of an object with a name": Refusal("""
class Model:
    def __init__(self, w):
        self.w = w

def f(model):
    d = vars(model)
        ^^^^^^^^^^^
    model.w = model.w * 2.0
    return d["w"].sum()
""", "the attributes of an object are kept here in the dict in which it has them itself",
        "make another: dict(vars(model))", call="grad(f)(Model(X))"),
    "deep copy of a container": Refusal("""
import copy

def f(x):
    d = copy.deepcopy({"a": x, "seen": {1, 2}})
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return d["a"].sum()
""", "what copy.deepcopy makes of everything in this container is not known",
        "copy its parts: {name: part.copy() for name, part in params.items()}"),
    "deep copy of an array that is there twice": Refusal("""
import copy

def f(x):
    d = copy.deepcopy({"a": x, "b": x})
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    d["a"] *= 2.0
    return d["b"].sum()
""", "an array, list or object is in there twice, and is one in the copy, too",
        "copy the parts: {name: part.copy() for name, part in params.items()}"),
    "call that gets an array twice": Refusal("""
def swept(source, target):
    target[1:] = source[:-1] ** 2

def f(x):
    u = np.zeros((2, 3))
    u[:] = x
    for k in range(2):
        swept(u[k], u[k * k])
        ^^^^^^^^^^^^^^^^^^^^^
    return u.sum()
""", "an array that this call gets shares memory with another, into which it writes", "give it a copy of one"),
    "function made inside that changes what it was made with": Refusal("""
def f(x):
    def make(scale):
        total = 0.0

        def add(v):
            nonlocal total
            total = total + v
            return total * scale
        return add
    add = make(x[0])
    first = add(x[1])
            ^^^^^^^^^
    return first * add(x[2])
""", "add changes what it has from around it, and was made here",
        "keep that in an object, and let a method change it"),
    "object whose class only the call tells": Refusal("""
import pickle

def f(x, text):
    model = pickle.loads(text)
    return model.predict(x).sum()
           ^^^^^^^^^^^^^^^^
""", "what model is, and what its .predict() does, is not known before the call",
        "make model before, and give it as an argument, or take one of several objects by its place in a list: "
        "objects[i].predict()", call="grad(f)(X, b'')"),
    "attribute that other attributes are views of": Refusal("""
class Grid:
    def __init__(self, u):
        self.u = np.sin(u)
        self.inner = self.u[1:-1]

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    grid = Grid(x)
    grid.inner *= 2.0
    grid.u = grid.u * 3.0
    ^^^^^^
    return (grid.u * grid.inner[0]).sum()
""", "inner is a view of u, and u gets something else here", "write into it: u[:] = ..."),
    "descriptor that gives nothing for the class": Refusal("""
class Doubled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        setattr(instance, self.name, value * 2.0)

class Model:
    w = Doubled()

    def __init__(self, w):
        self.w = w
        ^^^^^^

def f(x):
    return Model(x).w.sum()
""", "what Model does when .w is set is not known", "call a method that does it", function="Model.__init__"),
    "view in an attribute that gets something else": Refusal("""
class Grid:
    def __init__(self, u):
        self.u = np.sin(u)
        self.inner = self.u[1:-1]

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    grid = Grid(x)
    grid.inner *= 2.0
    grid.inner = grid.inner * 3.0
    ^^^^^^^^^^
    return (grid.u * grid.inner[0]).sum()
""", "inner is a view of u, and inner gets something else here", "write into it: inner[:] = ..."),
    "view in an attribute of an object without a name": Refusal("""
class Grid:
    def __init__(self, u):
        self.width = 1
        self.u = np.sin(u)
        self.inner = self.u[self.width:]

def shown(grid):
    print("")
    return grid

def f(x):
    try:
        len(x)
    except TypeError:
        raise
    grid = Grid(x)
    grid.inner *= 3.0
    while 0.0 < shown(grid).inner.sum() < 1.0:
                ^^^^^^^^^^^^^^^^^
        grid.inner += 1.0
    return grid.u.sum()
""", "inner is a view of another attribute, and the object has no name here", "give it one on a line before"),
    "deep copy in the middle of an expression": Refusal("""
import copy

def f(x):
    d = {"a": x * 2.0, "b": x * 3.0}
    s = [*np.sin(x), copy.deepcopy(d)]
                     ^^^^^^^^^^^^^^^^
    return (s[-1]["a"] * s[0]).sum()
""", "whether an array is in there twice is looked up before this",
        "copy what has a name, and give the copy one, on lines before"),
    "copy of a number or an array": Refusal("""
import copy

def f(x, axis):
    return np.sum(copy.copy(x.sum(axis=axis)))
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "whether copy.copy gets a number or an array is not known before the call",
        "write np.copy(x) of an array, and a number as it is", call="grad(f)(X, 0)"),
    "next of what has a name": Refusal("""
def f(x):
    values = (v * v for v in [1.0, 2.0])
    return next(values, x).sum()
           ^^^^^^^^^^^^^^^
""", "next is asked for what has a name, or may not be asked here", "write a loop, or next(...) on a line of its own"),
    "dict that changes under a loop": Refusal("""
def f(x):
    d = {"a": x, "b": 2.0 * x}
    s = 0.0
    for v, w in zip(d.values(), x):
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        x = x * 2.0
        d["b"] = v * w
        s = s + (d["b"] ** 2).sum()
    return s
""", "this loop changes d, over which it runs",
        "loop over a list of what is in it, made on a line before: items = list(d.items())"),
    "list that is turned round under a loop": Refusal("""
def f(x):
    s = 0.0
    xs = [x[0], x[1]]
    for u in xs:
        s = s * 2.0 + u
        xs.reverse()
        ^^^^^^^^^^^^
    return s
""", "this loop changes xs, over which it runs", "run over a copy: list(...)"),
    "function that is remembered for one that reads what changes": Refusal("""
import functools

@functools.lru_cache(None)
def twice(g, n):
    return g(n) * 2.0

def f(x):
    scale = x[0]
    def scaled(n):
        return scale * n
    first = twice(scaled, 3)
            ^^^^^^^^^^^^^^^^
    scale = x[1]
    return first + twice(scaled, 3)
""", "twice remembers what it gave for a function or an object, which may change meanwhile, and is run anew for "
        "differentiated values", "leave functools.lru_cache out; give it numbers and texts"),
    "power of a negative float": Refusal("""
def f(b):
    return abs(b ** 1.5) + (b * b)
               ^
""", "a power of a negative number is complex here, and was taken for a real one",
        "say so, complex(b) ** 0.5, or take it of what is not negative", "[grad(f)(0.4), grad(f)(-0.4)]"),
    "real part of a power of a negative float": Refusal("""
def f(b):
    return (b ** 0.5).real
            ^
""", "a power of a negative number is complex here, and was taken for a real one",
        "say so, complex(b) ** 0.5, or take it of what is not negative", "grad(f)(-0.4)"),
    "list that holds itself": Refusal("""
def f(x):
    parts = [x]
    parts.append([parts, x])
                 ^^^^^^^^^^
    return sum(parts[0])
""", "this puts into parts what parts is, or is in", "put a copy there, or the place that it has, a number or a key"),
    "defaults that the call changes": Refusal("""
def scaled(x, rate=2.0):
    return x * rate

def f(x):
    y = scaled(x)
    scaled.__defaults__ = (3.0,)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    return scaled(y).sum()
""", "this changes what scaled computes when it is called",
        "give it what changes as an argument, or call another function"),
    "view of a dict that a method gives": Refusal("""
class Net:
    def __init__(self, x):
        self.weights = {"a": x, "b": x * x}

    def parameters(self):
        return self.weights.values()

def f(x):
    net = Net(x)
    values = net.parameters()
    ^^^^^^^^^^^^^^^^^^^^^^^^^
    net.weights["a"] = x * 3.0
    return sum(v.sum() for v in values)
""", "this is a view of what is in net, which changes", "make a list of it: list(d.values())"),
    "view of a dict as a result": Refusal("""
def f(x):
^^^^^^^^^
    return {"a": x, "b": x * x}.values()
""", "a view of a dict leaves the differentiated one", "return a list: list(d.values())", call="vjp(f, X)"),
    "view of a dict that changes": Refusal("""
def f(x):
    d = {"a": x[0], "b": x[1]}
    values = d.values()
    ^^^^^^^^^^^^^^^^^^^
    d["a"] = x[2]
    return sum(values)
""", "this is a view of d, which changes", "make a list of it: list(d.values())"),
    "views of dicts in a comprehension": Refusal("""
def f(x):
    ds = [{"a": x[0]}, {"a": x[1]}]
    values = [d.values() for d in ds]
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ds[0]["a"] = x[2]
    return sum(map(sum, values))
""", "this is a view of what is in ds, which changes", "make a list of it: list(d.values())"),
    "view of a dict in a sum of lists": Refusal("""
def f(x):
    d = {"a": x[0], "b": x[1]}
    values = [d.values()] + [x]
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    d["a"] = x[2]
    return sum(values[0])
""", "this is a view of d, which changes", "make a list of it: list(d.values())"),
    "view of a dict for a call that changes it": Refusal("""
def g(values, d, x):
    d["a"] = x * 2.0
    return sum(values)

def f(x):
    d = {"a": x[0], "b": x[1]}
    return g(d=d, x=x[2], values=d.values()) * 2.0
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "this is a view of d, which changes", "make a list of it: list(d.values())"),
    "view of a dict that changes under another name": Refusal("""
def f(x):
    d = {"a": x[0], "b": x[1]}
    again = d
    values = d.values()
    ^^^^^^^^^^^^^^^^^^^
    d = {"a": x[2], "b": x[2]}
    again["b"] = x[2]
    return sum(values) * d["a"]
""", "this is a view of d, which changes", "make a list of it: list(d.values())"),
    "iterator over a dict that changes": Refusal("""
def f(x):
    d = {"a": x[0], "b": x[1]}
    values = iter(d.values())
    ^^^^^^^^^^^^^^^^^^^^^^^^^
    first = next(values)
    d["b"] = x[2]
    return first * next(values)
""", "this is a view of d, which changes", "make a list of it: list(d.values())"),
    "backwards over a list that gets shorter": Refusal("""
def f(x):
    items = [v * v for v in x]
    s = 0.0
    for v in reversed(items):
    ^^^^^^^^^^^^^^^^^^^^^^^^
        s = s + v * v
        items.pop()
    return s
""", "this loop runs backwards over items, which it makes longer or shorter",
        "loop over a list of its own: items[::-1]"),
    **{f"objects that count how often they are used: {title}": Refusal(f"""
class Counting:
    def __init__(self, size, place=0):
        self.size, self.place, self.times = size, place, 1.0

    def __lt__(self, other):
        self.times += 1.0
        return self.size < other.size

    def __index__(self):
        self.times += 1.0
        return self.place

def f(x):
    items = [Counting(v) for v in x]
    found = {line}
            {" " * line.index(marked)}{"^" * len(marked)}
    return x[0] * items[0].times
""", f"{method} of Counting may store something in the object, and is called here unnamed",
        "call a method that does it, on a line of its own")
       for title, line, marked, method in (
        ("sorted", "sorted(items)[0].size", "sorted(items)", "__lt__"),
        ("the least one", "min(items).size", "min(items)", "__lt__"),
        ("the least one of three", "min(items[0], items[1])", "min(items[0], items[1])", "__lt__"),
        ("by a key", "max(range(3), key=lambda i: items[i])", "max(range(3), key=lambda i: items[i])", "__lt__"),
        ("index", "x[items[0]]", "items[0]", "__index__"),
        ("slice", "x[:items[0]]", "items[0]", "__index__"),
        ("range", "range(items[0])", "range(items[0])", "__index__"))},
    **{f"objects whose methods change what is outside: {title}": Refusal(f"""
TIMES = np.ones(3)

class Counting:
    def {method}(self):
        TIMES[:] += 1.0
        return 1

    def __iter__(self):
        return iter((1.0,))

ITEM = Counting()

def f(x):
    total = 0.0
    items = {{"a": x[0]}}
    found = [x[1]]
    {line}
    {" " * line.index(marked)}{"^" * len(marked)}
    return total + x[0] * TIMES[0]
""", f"{method} of Counting changes what is outside of it, and may be called more or less often here than in plain "
     "Python", "let a method do it that is called by its name, on a line of its own")
       for title, line, marked, method in (
        ("index", "total = x[ITEM]", "ITEM", "__index__"),
        ("loop", "for i in range(ITEM): total += x[i]", "ITEM", "__index__"),
        ("key", "items[Counting()] = x[1]", "Counting()", "__hash__"),
        ("display", "items = {ITEM: x[0]}", "ITEM", "__hash__"),
        ("default", "total = items.get(ITEM, x[0])", "ITEM", "__hash__"),
        ("hint", "found.extend(ITEM)", "ITEM", "__length_hint__"))},
    "object that is found outside as well": Refusal("""
class Layer:
    def __init__(self):
        self.last = 0.0

    def __call__(self, x):
        y = x.sum()
        self.last = y
        ^^^^^^^^^^^^^
        return y ** 2

LAYER = Layer()

def f(x, layers):
    return LAYER(x) * layers[0].last
""", "layers is also found outside, as last, which is changed here", "pass a copy, or change layers",
        "grad(f)(X, [LAYER])", "Layer.__call__"),
    "object outside under an index that is not known": Refusal("""
class Layer:
    def __init__(self):
        self.parts = [np.zeros(2), np.zeros(2)]

    def note(self, x, i):
        self.parts[i].imag.flat[0] = x[0]
        ^^^^^^^^^^^^^^^^^^^^^^^
        return x.sum()

LAYER = Layer()

def f(x):
    return LAYER.note(x, 0 if x[0] > 0 else 1)
""", "what this writes into is not known before the call", "give the object to the function as an argument",
        function="Layer.note"),
    "object that is told when it goes": Refusal("""
class Guard:
    def __init__(self, values):
        self.values = values

    def __del__(self):
        self.values[0] = 5.0

def f(x):
    values = x * 2.0
    guard = Guard(values)
            ^^^^^^^^^^^^^
    del guard
    return (values ** 2).sum()
""", "when Python calls __del__ of Guard, and what it changes then, is not followed",
        "let a method do it that is called by its name, or make the object outside"),
    "object that NumPy asks what to do": Refusal("""
class Seven:
    def __array_ufunc__(self, function, method, *given, **more):
        return np.float64(7.0)

SEVEN = Seven()

def f(x):
    return np.multiply(x, SEVEN) * x[0]
                          ^^^^^
""", "what arithmetic does with a Seven is not known", "make a number or an array of it first"),
    **{f"function whose text can't be read: {title}": Refusal(f"""
HOME = {{"W": np.ones(3)}}
exec("def bump(v):\\n    {body}\\n    return 2.0\\n", HOME)
bump, W = HOME["bump"], HOME["W"]

def f(x):
    first = (W * x).sum()
    double = bump(W)
             ^^^^^^^
    return first * (W * x).sum() * double
""", "the source of bump can't be read (<string>)", "put the function in a file or a notebook cell")
       for title, body in (("argument", "v[0] = 3.0"), ("global", "W[0] = 3.0"), ("method", "v.fill(3.0)"),
                           ("call", "np = __import__('numpy'); np.add(v, 1.0, out=v)"))},
    **{f"view of a dict that is told apart from a list: {title}": Refusal(f"""
def items_of(d):
    return d.items()

def f(x):
    d = {{"a": x[0], "b": x[1]}}
    values = d.{method}()
    found = {line}
            {" " * line.index(marked)}{"^" * len(marked)}
    return x[2] if found else x[0]
""", f"what .{method}() gives is a list here, and no view of the dict, which this line would tell",
        f"make a list of it, list(d.{method}())")
       for title, method, line, marked in (
        ("its class", "values", "isinstance(values, list)", "isinstance(values, list)"),
        ("type", "keys", "type(values) is list", "type(values)"),
        ("attributes", "items", 'hasattr(values, "append")', 'hasattr(values, "append")'),
        ("comparison", "values", "values == [x[0], x[1]]", "values == [x[0], x[1]]"),
        ("text", "items", "str(values)", "str(values)"),
        ("of a function", "items", "isinstance(items_of(d), list)", "isinstance(items_of(d), list)"))},
    **{f"view of a dict in {title} that changes": Refusal(f"""
class Bag:
    pass

def f(x):
    d, bag, views = {{"a": x[0]}}, Bag(), []
    {line}
    {"^" * len(line)}
    d["b"] = x[1]
    return sum({found})
""", "this is a view of d, which changes", "make a list of it: list(d.values())")
       for title, line, found in (("a list", "views = [d.values()]", "views[0]"),
                                  ("a list that grew", "views.append(d.values())", "views[0]"),
                                  ("an attribute", "bag.views = d.values()", "bag.views"))},
    "view of a dict that is no sequence": Refusal("""
def f(x):
    d = {"a": x[0], "b": x[1]}
    match d.values():
        case [first, _]:
             ^^^^^^^^^^
            return first
    return x[2]
""", "what .values() gives is a list here, and no view of the dict, which this line would tell",
        "make a list of it, list(d.values())"),
    "array of a manager that writes into it": Refusal("""
import contextlib

@contextlib.contextmanager
def lent(n):
    weights = np.arange(1.0, n + 1)
    yield weights
    weights *= 3.0

def f(x):
    with lent(3) as weights:
        part = weights[:]
        total = np.sum(x * x * part)
    return total + np.sum(x * part)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
""", "part is what a manager gave, or may share memory with it, and is read behind the block, at the end of which the "
        "manager may write into it", "read it in the block, or behind it a copy, np.array(part)"),
    "structured array": Refusal("""
def f(x):
    u = np.zeros(3, dtype=[("a", float), ("b", float)])
    u["a"] = x
    ^^^^^^
    return u["a"].sum()
""", "u is a structured array, which is not differentiated",
        "use a dict or a dataclass of arrays, one for each field"),
    "named tuple made inside": Refusal("""
import collections

def f(x):
    Point = collections.namedtuple("Point", "x y")
    p = Point(x[0], x[1])
        ^^^^^^^^^^^^^^^^^
    return p.x * p.y
""", NOT_KNOWN[0], "define the class at module level"),
    "vectorized function with a signature under a name": Refusal("""
def f(x):
    bent = np.vectorize(np.sum, signature="(n)->()")
    return bent(x).sum()
           ^^^^^^^
""", NOT_KNOWN[0], "call np.vectorize(f)(x) where it is needed, or make it outside of the function"),
    "vectorized function of one of two": Refusal("""
def f(x):
    def bent(v): return v * x[0]
    bents = np.vectorize(bent)
            ^^^^^^^^^^^^^^^^^^
    def bent(v): return v
    return bents(x).sum()
""", "numpy.vectorize has no derivative rule",
        "call what it makes of one function, with arrays by position: np.vectorize(f)(x)"),
    "iterator of a function that does more than to give": Refusal("""
def loudly(x):
    return map(lambda v: print(v) or v * 2, x)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

def f(x):
    total = 0.0
    for v in loudly(x):
        total += v * v
    return total
""", *in_turns("items"), function="loudly"),
    "derivative in an object that a library made, differentiated again": Refusal("""
import pickle

class Model:
    def __init__(self):
        self.w = 2.0

def loss(model, x):
^^^^^^^^^^^^^^^^^^^
    return (model.w * x).sum()

SAVED = b""

def f(x):
    return s2sgrad.grad(loss)(pickle.loads(SAVED), x).w * x[0]
""", "a derivative in this is differentiated again, and nothing tells what numbers it holds",
        "differentiate in an object that the function gets as an argument, and in no copy of it; leave sets out of "
        "what is differentiated in", function="loss"),
    "lists with lists in a heap": Refusal("""
import heapq

def f(x):
    heap = [[v, [i]] for i, v in enumerate(x)]
    heapq.heapify(heap)
    ^^^^^^^^^^^^^^^^^^^
    return heap[0][0]
""", "heapq.heapify is not followed here: item may share memory with heap, into which this line writes, and is read "
        "after it", "keep numbers in the heap, or tuples with them"),
}
"""Objects, containers and generators as people use them."""

TABLE = {f"{title}: {name}": refusal for title, rows in {
    "statement": STATEMENTS, "write": WRITES, "list": LISTS, "call": CALLS, "formula": FORMULAS, "argument": ARGUMENTS,
    "object": OBJECTS, "forward": FORWARD, "surgery": SURGERY, "custom": CUSTOM, "foreign": FOREIGN, "living": LIVING,
}.items() for name, refusal in rows.items()}
