"""Calls of ``map``, ``sorted``, ``functools.reduce`` and the like over differentiated values, as what they stand for:
comprehensions, displays, calls of the functions in ``equivalents.py``."""
from __future__ import annotations

import copy
import inspect
import itertools
import operator
import string
import types
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.definitions import alike
from s2sgrad.compiler.drawing import drawing
from s2sgrad.compiler.endless import Endless
from s2sgrad.compiler.equivalents import (
    BY_KEY,
    BY_KEY_OR_DEFAULT,
    BY_PAIRS,
    CHOOSERS,
    CHOSEN,
    CONSUMERS,
    ENDLESS,
    EQUIVALENTS,
    ITERATORS,
    JOINED,
    OF_TWO,
    OR_DEFAULT,
    VECTORIZED,
    WITH,
    accumulated_from,
    from_items,
    itself,
    pairs_of_equal_length,
    together_longest,
    transposed,
    with_axes,
    with_number,
    with_piece,
)
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.nodes import Names, call, constant, is_starred, located_at, name, tuple_of
from s2sgrad.compiler.outer_changes import is_noticed
from s2sgrad.containers import has_quiet_hash
from s2sgrad.rules.abstract import ANY, MISSING, Abstract, Function, Items, Numeric, known_value
from s2sgrad.rules.draws import draws
from s2sgrad.rules.table import RULES

LEAST_AXES: dict[int, Any] = {0: None, 1: np.atleast_1d, 2: np.atleast_2d}
EACH_ALONE = (np.atleast_1d, np.atleast_2d, np.atleast_3d)
"""What takes several arrays and gives one for each."""
OTHERWISE = (np.power, np.arctan2)
"""Of these NumPy 2 gives something else than from row to row where the processor takes several elements at once."""


class Functional(Endless):
    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.ends: dict[int, gast.AST] = {}
        """By the calls of what never ends, how many items of it are asked for."""

    def equivalent(self, node: gast.Call, function: Any, environment: dict) -> Abstract | None:
        """What a call gives that is made of simpler calls; None where it is none, or nothing in it is
        differentiated."""
        if self.passive_context or not has_quiet_hash(function):
            return None
        if function in CONSUMERS:
            self.run_through(node)
        if function is dict or function is np.piecewise:  # what they stand for depends on what they get
            for item in node.args:
                self.evaluate(item, environment)
        simpler = self.of_compared(node, function, environment) or self.of_joined(
            node, function, environment) or self.simpler(node, function)
        if simpler is None or not self.over_active(node, function, environment):
            return None
        given = [self.passively(item.value if isinstance(item, gast.Starred) else item, environment)
                 for item in (*node.args, *(item.value for item in node.keywords))]
        self.refuse_writes(node, function, given)  # type: ignore[attr-defined]
        for item, value in zip((*node.args, *(item.value for item in node.keywords)), given):
            if isinstance(item, gast.Call) and (isinstance(value, Function) or callable(known_value(value))):
                self.name_acting(item)  # type: ignore[attr-defined]
        value = self.evaluate(simpler, environment)
        stays = not value.active and not (isinstance(value, Items) and value.items == ())  # of a list, empty so far
        if stays and function not in (map, filter):
            return None
        if any(function is iterator for iterator in ITERATORS) and id(node) not in self.facts.consumed:
            label = getattr(function, "__name__", "")
            raise self.refusal(f"what {label} gives can be run through once only, and gets a name here",
                               f"make a list of it, list({label}(...))", node)
        if function in ITERATORS and function not in ENDLESS:
            self.refuse_endless(node, environment)
        if not stays:  # as ``map(len, rows)`` does, and ``filter(close, range(n))``
            self.facts.spelled[id(node)] = simpler
        return value

    def of_compared(self, node: gast.Call, function: Any, environment: dict) -> gast.AST | None:
        """``min(pairs)`` as one by a key, which is what Python compares; None of what are no tuples, and no objects
        whose class says how they compare."""
        if function not in BY_KEY or not node.args or node.keywords or is_starred(node):
            return None
        items = node.args[0] if len(node.args) == 1 else None
        item = self.evaluate(node.args[0], environment) if items is None else self.iterate(  # type: ignore[attr-defined]
            items, environment)
        if not isinstance(item, Items) or item.kind is not tuple and not is_ordered(item):
            return None
        if id(node) not in self.facts.simpler:
            key = gast.keyword("key", self.given(itself))
            whole = gast.List(node.args, gast.Load()) if items is None else items
            self.facts.simpler[id(node)] = located_at(gast.Call(self.given(BY_KEY[function]), [whole], [key]),
                                                      node)
        return self.facts.simpler[id(node)]

    def of_joined(self, node: gast.Call, function: Any, environment: dict) -> gast.AST | None:
        """``sum(lists, [])`` as the items of all lists. With a list that has a name, it may be that list itself."""
        given = [*node.args, *(item.value for item in node.keywords if item.arg == "start")]
        if function is not sum or len(given) != 2 or is_starred(node):
            return None
        item = self.iterate(given[0], environment)  # type: ignore[attr-defined]
        if not isinstance(item, Items) or item.kind not in JOINED:
            return None
        display, joined = JOINED[item.kind]
        if not isinstance(given[1], display):
            if not item.active:
                return None
            raise self.refusal(f"sum joins these, or gives the {item.kind.__name__} that it starts with",
                               "[item for items in lists for item in items]", node)
        if id(node) not in self.facts.simpler:
            self.facts.simpler[id(node)] = located_at(call(self.given(joined), *given), node)
        return self.facts.simpler[id(node)]

    def over_active(self, node: gast.Call, function: Any, environment: dict) -> bool:
        """Whether what is run through is differentiated, or what a function makes of it."""
        by_name = node.keywords if function in WITH or alike(function) is not None or self.drawn_otherwise(
            node, function) is not None else []
        if function in OR_DEFAULT:
            by_name = [item for item in node.keywords if item.arg == "default"]
        made_of = node.func.args if isinstance(node.func, gast.Call) else []  # the function in np.vectorize(f)(x)
        given = [*node.args, *made_of, *(item.value for item in by_name)]
        values = [self.evaluate(item.value if isinstance(item, gast.Starred) else item, environment) for item in given]
        return any(value.active for value in values) or function is not sorted and function not in BY_KEY and \
            self.closes_over_active(values, environment)

    def run_through(self, node: gast.Call) -> None:
        """The arguments of a call are run through at once."""
        self.facts.consumed.update(id(item.value if isinstance(item, gast.Starred) else item) for item in node.args)

    def note_ends(self, node: gast.Call, function: Any, environment: dict) -> None:
        """Note how many items of ``itertools.cycle`` and ``repeat`` may be asked for: no more than there are of what
        ``zip`` or ``map`` runs along beside them, and as many as ``islice`` wants."""
        items = node.args[1:] if function is map else node.args
        endless = [item for item in items if isinstance(item, gast.Call) and len(item.args) == 1 and not item.keywords
                   and self.function_of(item, environment) in ENDLESS]
        if not endless:
            return
        if function is itertools.islice:
            count = items[1] if len(items) == 2 and isinstance(items[1], (gast.Constant, gast.Name)) else None
        else:
            beside = next((item for item in items if item not in endless and self.has_length(item, environment)), None)
            count = None if beside is None else call(self.given(len), copy.deepcopy(beside))
        if count is not None:
            self.ends.update((id(item), self.ends.get(id(item), located_at(count, item))) for item in endless)

    def has_length(self, node: Any, environment: dict) -> bool:
        """Whether ``len`` tells how much there is, and evaluating it twice changes nothing."""
        if self.function_of(node, environment) is range:
            return all(isinstance(item, (gast.Constant, gast.Name)) for item in node.args)
        if not all(isinstance(part, (gast.Name, gast.Attribute, gast.Subscript, gast.Constant, gast.Slice, gast.Load))
                   for part in gast.walk(node)):
            return False
        return isinstance(self.evaluate(node, environment), (Items, Numeric))

    def simpler(self, node: gast.Call, function: Any) -> gast.AST | None:
        """The expression that a call stands for; the same one for the same call."""
        if id(node) not in self.facts.simpler:
            made = self.make_simpler(node, function)
            self.facts.simpler[id(node)] = made if made is None else gast.copy_location(made, node)
        return self.facts.simpler[id(node)]

    def make_simpler(self, node: gast.Call, function: Any) -> gast.AST | None:
        args, keywords = node.args, {item.arg for item in node.keywords}
        if function is zip and len(args) == 1 and isinstance(args[0], gast.Starred) and not keywords:
            rows = self.facts.values.get(id(args[0].value))
            return None if isinstance(rows, Items) and rows.is_object else call(self.given(transposed), args[0].value)
        if any(isinstance(item, gast.Starred) for item in args) or None in keywords:
            return None
        drawn = self.drawn_otherwise(node, function)
        if drawn is not None:
            return drawn
        vectorized = self.vectorized(node, function)
        if vectorized is not None and not keywords and len(args) in VECTORIZED:
            return gast.Call(self.given(VECTORIZED[len(args)]), [vectorized[0], *args], vectorized[1])
        if function is np.array and keywords & {"copy", "ndmin"}:
            return self.made_array(node)
        if function is np.fromiter and keywords <= {"dtype", "count"}:
            return gast.Call(self.given(from_items), args, node.keywords)
        if function is np.einsum and len(args) > 1:
            return self.sum_by_letters(node)
        if function in WITH and not keywords.isdisjoint(WITH[function]):
            return self.with_keyword(node, function)
        if function in EACH_ALONE and len(args) > 1 and not keywords:
            return tuple_of([gast.copy_location(call(node.func, item), item) for item in args])
        if is_ufunc_method(function) and function.__name__ in BY_PAIRS:
            return gast.Call(self.given(BY_PAIRS[function.__name__]), [self.given(function.__self__), *args],
                             node.keywords)
        other = alike(function)
        if other is not None:
            return gast.Call(self.given(other), node.args, node.keywords)
        if function in BY_KEY and keywords == {"key"}:
            items = args[0] if len(args) == 1 else gast.copy_location(gast.List(args, gast.Load()), node)
            return gast.Call(self.given(BY_KEY[function]), [items], node.keywords)
        if function in OR_DEFAULT and "default" in keywords <= {"key", "default"} and len(args) == 1:
            items = call(self.given(list), args[0]) if not isinstance(args[0], gast.ListComp) else args[0]
            other = (OR_DEFAULT if len(keywords) == 1 else BY_KEY_OR_DEFAULT)[function]
            return gast.Call(self.given(other), [gast.copy_location(items, args[0])], node.keywords)
        if function is zip and len(args) == 2 and getattr(node.keywords[0].value if keywords else None, "value", None) \
                is True:  # strict=True, where no statement in front can compare the lengths
            return gast.Call(self.given(pairs_of_equal_length), args, [])
        if function in (zip, reversed, enumerate) and not keywords:
            return self.gathered(node, {zip: len(args), enumerate: 2}.get(function))
        if function is dict and len(args) == 1 and not keywords:
            return self.pairs(args[0])
        if function is map and len(args) >= 2 and not keywords:
            return self.comprehension(args[0], args[1:], None)
        if function is filter and len(args) == 2:
            return self.comprehension(None, args[1:], args[0])
        if getattr(function, "__name__", "") == "chain" and function in ITERATORS and not keywords:
            return gast.List([gast.copy_location(gast.Starred(item, gast.Load()), item) for item in args], gast.Load())
        if function is itertools.accumulate and len(args) == 1:
            args = [args[0], self.given(operator.add)]
        if function is itertools.accumulate and keywords == {"initial"}:
            return gast.Call(self.given(accumulated_from), args, node.keywords)
        if function is itertools.zip_longest and keywords == {"fillvalue"} and len(args) == 2:
            return gast.Call(self.given(together_longest), args, node.keywords)
        if function in CHOOSERS and len(args) == 2 and not keywords:
            chosen = CHOSEN.get(getattr(args[1], "value", None))
            return None if chosen is None else gast.Call(self.given(chosen), [args[0], node.func], [])
        if function is itertools.product and len(args) == 1 and keywords == {"repeat"} and isinstance(
                args[0], gast.Name) and getattr(node.keywords[0].value, "value", None) in (2, 3):
            count = node.keywords[0].value.value
            same = [gast.copy_location(name(args[0].id), args[0]) for _ in range(count)]
            return gast.Call(self.given(EQUIVALENTS[function, count]), same, [])
        if function in OF_TWO and (len(args) > 1 or "y" in keywords) and keywords <= {
                "y", "rowvar", "bias", "ddof", "dtype"}:
            return gast.Call(self.given(OF_TWO[function]), args, node.keywords)
        if function is np.piecewise and len(args) == 3 and not keywords:
            return self.by_pieces(*args)
        if function in ENDLESS and id(node) in self.ends:
            return call(self.given(ENDLESS[function]), args[0], self.ends[id(node)])
        found = EQUIVALENTS.get((function, len(args)))
        if found is None or not keywords <= {"key", "reverse"} or keywords and function is not sorted:
            return None
        return gast.Call(self.given(found), args, node.keywords)

    def drawn_otherwise(self, node: gast.Call, function: Any) -> gast.AST | None:
        """``normal(rng, mean, size=n)`` for ``rng.normal(mean, size=n)``, what draws the same in Python."""
        if not isinstance(node.func, gast.Attribute):
            return None
        generator, label, args = node.func.value, node.func.attr, node.args
        if label == "__func__" and args:  # of np.random, whose functions are methods
            generator, label, args = args[0], getattr(function, "__name__", ""), args[1:]
        holder = self.facts.values.get(id(generator), ANY)
        if not draws(function, holder):
            return None
        found = drawing(label, getattr(holder, "kind", None) or type(known_value(holder)) if function is MISSING
                        else function)
        if found is None:
            return None
        try:
            inspect.signature(found).bind(generator, *args, **{item.arg: item.value for item in node.keywords})
        except TypeError:  # of what only one of them takes, as an axis
            return None
        return gast.Call(self.given(found), [generator, *args], node.keywords)

    def vectorized(self, node: gast.Call, function: Any) -> tuple[gast.AST, list] | None:
        """The function of which ``np.vectorize`` has made what is called, of one element or of one of each, and what
        says that its results are made floats."""
        floats = [gast.keyword("otype", self.given(float))]
        if isinstance(function, np.vectorize):
            kinds: list = [*map(np.dtype, function.otypes or ())]
            plain = kinds in ([], [float]) and not function.excluded and function.signature is None
            self.refuse_first_run(node, function.pyfunc, bool(kinds))
            return (self.given(function.pyfunc), floats if kinds else []) if plain else None
        made = node.func
        if not isinstance(made, gast.Call) or known_value(self.facts.values.get(id(made.func))) is not np.vectorize \
                or len(made.args) != 1 or {item.arg for item in made.keywords} - {"otypes"}:
            return None
        given: Any = made.keywords[0].value if made.keywords else None
        kind = given.elts[0] if isinstance(given, (gast.List, gast.Tuple)) and len(given.elts) == 1 else given
        plain = kind is None or getattr(kind, "value", None) == "d" or known_value(
            self.facts.values.get(id(kind))) in (float, np.float64)
        self.refuse_first_run(node, known_value(self.facts.values.get(id(made.args[0]))), bool(made.keywords))
        return (made.args[0], floats if made.keywords else []) if plain else None

    def refuse_first_run(self, node: gast.Call, function: Any, has_types: bool) -> None:
        """``np.vectorize`` runs a function once more, to see of what type its results are."""
        if not has_types and callable(function) and is_noticed(function):
            raise self.refusal("np.vectorize runs its function once more, which changes, prints or draws something",
                               "give it otypes=[float]", node)

    def made_array(self, node: gast.Call) -> gast.AST | None:
        """``np.array`` with ``copy=None``, which copies where it must, or with a least number of axes."""
        given = {item.arg: getattr(item.value, "value", MISSING) for item in node.keywords}
        copies, axes = given.get("copy", True), given.get("ndmin", 0)
        if copies not in (None, True) or type(axes) is not int:
            return None
        rest = [item for item in node.keywords if item.arg not in ("copy", "ndmin")]
        made = gast.Call(self.given(np.array if copies else np.asarray), node.args, rest)
        if axes in LEAST_AXES:
            return made if axes == 0 else call(self.given(LEAST_AXES[axes]), gast.copy_location(made, node))
        return call(self.given(with_axes), gast.copy_location(made, node), constant(axes))

    def with_keyword(self, node: gast.Call, function: Any) -> gast.AST | None:
        """A call with a keyword that makes another function of it, unless it is None or False."""
        given = {item.arg: getattr(item.value, "value", MISSING) for item in node.keywords}
        without = {label for label, value in given.items()
                   if value is None or value is False and label in WITH[function]}
        others = [other.get(given[label]) if isinstance(other, dict) else other
                  for label, other in WITH[function].items() if label in given.keys() - without]
        if given.get("retstep", True) is MISSING or None in others:
            return None  # nobody knows what it gives, or it gives what the function itself does
        rest = [item for item in node.keywords if item.arg not in {"retstep", *without}]
        return gast.Call(self.given(others[-1]) if others else node.func, node.args, rest)

    def sum_by_letters(self, node: gast.Call) -> gast.AST | None:
        """``np.einsum("ab,b->a", a, b)`` for ``np.einsum(a, [0, 1], b, [1], [0])``, with the numbers written out."""
        operands, lists = node.args[::2], node.args[1::2]
        if len(node.args) % 2:
            operands, lists = operands[:-1], [*lists, operands[-1]]
        numbers = [axes_written(item) for item in lists]
        if None in numbers:
            return None
        used = sorted({number for axes in numbers for number in axes or () if number is not ...})
        letters = {**dict(zip(used, string.ascii_lowercase + string.ascii_uppercase)), ...: "..."}
        texts = ["".join(letters[number] for number in axes or ()) for axes in numbers]
        text = ",".join(texts[:len(operands)]) + "".join(f"->{result}" for result in texts[len(operands):])
        return gast.Call(node.func, [constant(text), *operands], node.keywords)

    def by_pieces(self, x: gast.AST, conditions: gast.AST, functions: gast.AST) -> gast.AST | None:
        """``np.piecewise`` with its conditions and functions written out: one piece after another is set."""
        lists = (gast.List, gast.Tuple)
        if not isinstance(conditions, lists) or not isinstance(functions, lists) \
                or not 0 <= len(functions.elts) - len(conditions.elts) <= 1:
            return None
        for part in (x, *conditions.elts):
            if not isinstance(part, gast.Name):
                raise NeedsName(part, self.refusal("np.piecewise needs its array and conditions several times",
                                                   "give them names on lines before", part))
        result: gast.AST = call(self.given(np.zeros_like), x)
        tests: list = list(conditions.elts)
        if len(functions.elts) > len(tests):
            anywhere = tests[0]
            for test in tests[1:]:
                anywhere = call(self.given(np.logical_or), anywhere, test)
            tests.append(call(self.given(np.logical_not), anywhere))  # a condition may be a list
        for test, function in zip(tests, functions.elts):
            value = self.facts.values.get(id(function))
            if isinstance(value, Numeric):
                result = call(self.given(with_number), result, test, function)
            else:
                result = call(self.given(with_piece), result, x, test, function)
        return result

    def gathered(self, node: gast.Call, count: int | None) -> gast.AST:
        """``[(a, b) for a, b in zip(xs, ys)]``: what an iterator gives, in a list. ``count``: how many make a tuple."""
        fresh = Names(self.program.names)
        labels = [fresh.fresh("item") for _ in range(count or 1)]
        targets: list = [gast.Name(label, gast.Store(), None, None) for label in labels]
        items = list(map(name, labels))
        target = targets[0] if count is None else gast.Tuple(targets, gast.Store())
        item = items[0] if count is None else gast.Tuple(items, gast.Load())
        source = gast.copy_location(gast.Call(node.func, node.args, node.keywords), node)  # this is run through
        return gast.ListComp(item, [gast.comprehension(target, source, [], 0)])

    def pairs(self, source: gast.AST) -> gast.AST | None:
        """``{key: value for key, value in zip(keys, values)}`` for ``dict(zip(keys, values))``."""
        if not isinstance(source, gast.Call) or known_value(self.facts.values.get(id(source.func))) is not zip \
                or len(source.args) != 2:
            return None
        fresh = Names(self.program.names)
        key, value = fresh.fresh("key"), fresh.fresh("value")
        target = gast.Tuple([gast.Name(label, gast.Store(), None, None) for label in (key, value)], gast.Store())
        return gast.DictComp(name(key), name(value), [gast.comprehension(target, source, [], 0)])

    def comprehension(self, function: gast.AST | None, sequences: list, test: gast.AST | None) -> gast.AST:
        """``[function(item) for item in items if test(item)]``."""
        called = function if function is not None else test
        labels = parameters(called)
        if labels is None or len(labels) != len(sequences):
            fresh = Names(self.program.names)
            labels = [fresh.fresh("item") for _ in sequences]
        targets: list = [gast.Name(label, gast.Store(), None, None) for label in labels]
        target = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
        source = sequences[0] if len(sequences) == 1 else gast.copy_location(
            call(self.given(zip), *sequences), sequences[0])

        def applied(part: Any) -> gast.AST:
            return part.body if parameters(part) == labels else gast.copy_location(
                call(part, *map(name, labels)), part)

        if test is None:
            return gast.ListComp(applied(function), [gast.comprehension(target, source, [], 0)])
        plain = isinstance(test, gast.Constant) and test.value is None
        condition = name(labels[0]) if plain else applied(test)
        return gast.ListComp(name(labels[0]), [gast.comprehension(target, source, [condition], 0)])


def is_ordered(value: Items) -> bool:
    """Whether something is an object whose class says which of two is less."""
    return value.is_object and any("__lt__" in vars(kind) or "__gt__" in vars(kind)
                                   for kind in value.kind.__mro__ if kind is not object)


def is_ufunc_method(function: Any) -> bool:
    """Whether this is a method of a ufunc that has a derivative, without a rule of its own."""
    ufunc = function.__self__ if type(function) is types.BuiltinMethodType and function not in RULES else None
    return isinstance(ufunc, np.ufunc) and ufunc not in OTHERWISE and ufunc in RULES and bool(RULES[ufunc].partials)


def axes_written(node: Any) -> list | None:
    """The numbers in a list that is written out, and the ellipsis; None where it holds anything else."""
    items = node.elts if isinstance(node, (gast.List, gast.Tuple)) else [None]
    values = [getattr(item, "value", None) if isinstance(item, gast.Constant) else
              ... if isinstance(item, gast.Name) and item.id == "Ellipsis" else None for item in items]
    return values if all(value is ... or type(value) is int for value in values) else None


def parameters(node: Any) -> list[str] | None:
    """The parameters of a lambda that has nothing but plain ones; None for everything else."""
    if not isinstance(node, gast.Lambda):
        return None
    spec = node.args
    plain = not (spec.posonlyargs or spec.kwonlyargs or spec.vararg or spec.kwarg or spec.defaults)
    return [item.id for item in spec.args] if plain else None
