"""Texts of differentiated values, and what else tells of them in a way that nobody follows back, as a hash does.

Such a value is ``told``, and so is what is made of it: parts of the text, what a pattern finds in it. A number that
comes out of it depends on what is differentiated, and no derivative goes that way. Integers and truth values have none,
as those that are computed, and a text with a few digits of a number stands for the number rounded: their derivative is
zero.
"""
from __future__ import annotations

import ast
import decimal
import fractions
import json
import re
import string
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.made_functions import reads_active
from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.texts import literal_spec
from s2sgrad.containers import DICTS
from s2sgrad.rules.abstract import KEY, MISSING, Abstract, Items, Known, Numeric, Opaque, items_of, known_value
from s2sgrad.runtime import stop_gradient

TEXTS = (str, repr, ascii, format, hash, np.array2string, np.array_repr, np.array_str, np.format_float_positional,
         np.format_float_scientific)
"""Functions that give texts of what they get, or a number that stands for it."""
TOLD = Opaque(told=True)
TOLD_TEXT = replace(KEY, told=True)
EXCEPTION = Opaque(kind=BaseException, told=True)
"""An exception that was caught, which may hold differentiated values."""
OF_EXCEPTIONS = ("__class__", "__cause__", "__context__", "__traceback__")
"""Attributes in which it has none, but in other exceptions."""
READERS = (float, complex, np.float64, np.float32, np.array, np.asarray, np.fromstring, np.fromfile, np.load,
           np.loadtxt, np.genfromtxt, json.load, json.loads, ast.literal_eval, decimal.Decimal, fractions.Fraction)
"""What makes numbers of texts."""
ARRANGING = (zip, enumerate, list, tuple, deque, *DICTS, set, frozenset, reversed, sorted, iter, next, min, max)
"""What gives the items of what it gets; of these it is known what they are."""
AS_THEY_ARE = (gast.Name, gast.Constant, gast.Tuple, gast.List, gast.Dict, gast.IfExp, gast.NamedExpr, gast.Starred,
               gast.Lambda, gast.Slice)
"""Expressions that compute nothing of their parts."""
MOST_DIGITS = 14
"""A text of more digits tells exactly which number it is of."""
CONVERSION = re.compile(r"%(?:\(\w+\))?[-+ #0-9]*(?:\.(\d+))?([a-zA-Z%])")
PRECISION = re.compile(r"\.(\d+)[eEfFgGn%]?$")

REASON = "this reads a number out of what was made of differentiated values by a text, hash or exception, which is " \
    "not followed"
REMEDY = "compute with the value itself, or with s2sgrad.stop_gradient of it"


def is_told(value: Abstract | None) -> bool:
    """Whether a value tells of differentiated ones, or holds what does."""
    if isinstance(value, Opaque):
        return value.told
    return isinstance(value, Items) and any(is_told(item) for item in items_of(value))


def is_number_told(value: Abstract) -> bool:
    """Whether a value may be, or hold, a number that tells of differentiated ones."""
    if isinstance(value, Opaque):
        return value.told and not value.steady
    return isinstance(value, Items) and any(is_number_told(item) for item in items_of(value))


def tells_of(node: gast.AST, environment: dict) -> bool:
    """Whether something differentiated is read in an expression, or what tells of it."""
    versions = [environment[label] for label in names_in(node) if label in environment]
    return reads_active(node, environment) or any(
        version.origin == "caught" or is_told(version.value) for version in versions)


def is_rounding(spec: Any) -> bool:
    """Whether a format leaves out digits: ``.3f``."""
    if not isinstance(spec, str):
        return False
    found = PRECISION.search(spec)
    return spec[-1:] in ("d", "b", "o", "x", "X", "c") or found is not None and int(found[1]) <= MOST_DIGITS


def rounds_all(template: str) -> bool:
    """Whether all that a text for ``%`` takes is rounded."""
    return all(kind in "dibouxXc%" or digits and kind in "eEfFgG" and int(digits) <= MOST_DIGITS
               for digits, kind in CONVERSION.findall(template))


def rounds_each(template: str) -> bool:
    """Whether all that a text for ``.format`` takes is rounded."""
    try:
        return all(field is None or is_rounding(spec) for _, field, spec, _ in string.Formatter().parse(template))
    except ValueError:
        return False


def tells(node: Any, facts: Facts, environment: dict) -> bool:
    """Whether a text, or a hash, that an expression gives tells of something differentiated, digit by digit."""
    given = (*node.args, *(item.value for item in node.keywords)) if isinstance(node, gast.Call) else \
        [part.value for part in node.values if isinstance(part, gast.FormattedValue)
         and not is_rounding(literal_spec(part.format_spec))] if isinstance(node, gast.JoinedStr) else (node.right,)
    return not leaves_out_digits(node, facts) and any(
        tells_of(item, environment) and not is_whole(facts.values.get(id(item))) and not is_stopped(item, facts)
        for item in given)


def is_stopped(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression is ``stop_gradient`` of something: what is made of it is a constant."""
    return isinstance(node, gast.Call) and known_value(facts.values.get(id(node.func), TOLD)) is stop_gradient


def is_whole(value: Abstract | None) -> bool:
    """Whether something is no number that may change with what is differentiated: a shape, a count."""
    if isinstance(value, Numeric):
        return not value.active and (value.value is not MISSING or value.dtype is not None
                                     and value.dtype.kind in "biuSU")
    return isinstance(value, Known) or isinstance(value, Items) and all(map(is_whole, items_of(value)))


def leaves_out_digits(node: Any, facts: Facts) -> bool:
    """Whether a text stands for rounded numbers: ``"%.3f" % x``, ``"{:.3f}".format(x)``, ``format(x, ".3f")``."""
    if isinstance(node, gast.BinOp):
        template = known_value(facts.value(node.left))
        return isinstance(template, str) and rounds_all(template)
    if not isinstance(node, gast.Call):
        return False
    if isinstance(node.func, gast.Attribute):
        template = known_value(facts.value(node.func.value))
        if isinstance(template, str):
            return node.func.attr == "format" and rounds_each(template)
    return known_value(facts.value(node.func)) is format and len(node.args) == 2 and is_rounding(
        known_value(facts.value(node.args[1])))


def is_made_of_told(node: Any, value: Abstract, facts: Facts, environment: dict) -> bool:
    """Whether an expression, of which ``value`` is known, computes it of what tells of differentiated values."""
    if isinstance(node, AS_THEY_ARE) or facts.callee_of(node) is not None:
        return False
    if isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
        return any(is_told(environment[label].value) for label in names_in(node) if label in environment)
    if isinstance(node, (gast.Subscript, gast.Attribute)):
        return is_direct(facts.values.get(id(node.value)))
    if not isinstance(node, gast.Call):
        return any(is_told(facts.values.get(id(part))) for part in gast.iter_child_nodes(node))
    receiver = facts.values.get(id(node.func.value)) if isinstance(node.func, gast.Attribute) else None
    if is_direct(receiver):
        return True
    arranged = isinstance(value, Items) and any(
        known_value(facts.values.get(id(node.func), TOLD)) is known for known in ARRANGING)
    return any(map(is_direct if arranged else is_told, (
        facts.values.get(id(item)) for item in (*node.args, *(item.value for item in node.keywords)))))


def goes_away(node: Any, facts: Facts) -> bool:
    """Whether a text of differentiated values goes where it is not seen any more: a method of something unknown gets
    it, or it is a key."""
    if isinstance(node, gast.Subscript):
        return is_told(facts.values.get(id(node.slice)))
    if not isinstance(node, gast.Call) or facts.callee_of(node) is not None or not any(
            is_told(facts.values.get(id(item))) for item in (*node.args, *(item.value for item in node.keywords))):
        return False
    function = known_value(facts.values.get(id(node.func), TOLD))
    if function is not MISSING:
        return any(function is kept for kept in (*DICTS, zip, set, frozenset))
    receiver = facts.values.get(id(node.func.value)) if isinstance(node.func, gast.Attribute) else None
    held = known_value(receiver) if receiver is not None else MISSING
    steady = isinstance(receiver, Opaque) and receiver.steady
    return not (steady or isinstance(held, (str, re.Pattern)) or type(held).__module__ == "logging")


def writes_texts(node: gast.AST, environment: dict) -> bool:
    """Whether texts of differentiated values may go somewhere in what is kept whole."""
    return tells_of(node, environment) and any(
        isinstance(part, gast.JoinedStr) or isinstance(part, gast.Call) and isinstance(part.func, gast.Name)
        and part.func.id in ("str", "repr", "format") for part in gast.walk(node))


def numbers_read_in(node: gast.AST) -> list[gast.AST]:
    """Where numbers are made of what may be texts in what is kept whole."""
    return [part for part in gast.walk(node) if isinstance(part, gast.Call) and any(
        isinstance(inner, gast.Name) and inner.id in ("float", "complex") for inner in (part.func, *part.args))]


def reads_number(function: Any, values: Iterable[Abstract]) -> bool:
    """Whether a function makes a number of what may be a text, a file or the like."""
    return any(function is reader for reader in READERS) and any(
        isinstance(value, Opaque) and value.origin is None and value.besides is None or isinstance(value, Items)
        and value.kind is list and isinstance(value.element, Opaque) for value in values)


def is_exception(value: Abstract | None) -> bool:
    return isinstance(value, Opaque) and value.kind is BaseException


def is_direct(value: Abstract | None) -> bool:
    return isinstance(value, Opaque) and value.told


def marked(value: Abstract) -> Abstract | None:
    """What an expression gives that is made of what tells of differentiated values; None where it is a number that may
    change with them."""
    if isinstance(value, Numeric):
        return value if is_whole(value) else None
    if isinstance(value, Opaque):
        return replace(value, told=True)
    if isinstance(value, Items):
        items = [marked(item) for item in items_of(value)]
        if None in items:
            return None
        return replace(value, element=items[0]) if value.items is None else replace(value, items=tuple(items))
    return value
