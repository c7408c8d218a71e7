"""What Counters do, in Python: a call of one of their methods, or an operator between two, is compiled as a call of the
function here, which is compiled like one of the user's."""
from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import Any

import gast


def total(counter: Any) -> Any:
    return sum(counter.values())


def most_common(counter: Any, n: Any = None) -> Any:
    ordered = sorted(counter.items(), key=itemgetter(1), reverse=True)
    return ordered if n is None else ordered[:max(n, 0)]


def added(first: Any, second: Any) -> Any:
    result: Counter = Counter()
    for key, count in first.items():
        both = count + second[key]
        if both > 0:
            result[key] = both
    for key, count in second.items():
        if key not in first and count > 0:
            result[key] = count
    return result


def subtracted(first: Any, second: Any) -> Any:
    result: Counter = Counter()
    for key, count in first.items():
        rest = count - second[key]
        if rest > 0:
            result[key] = rest
    for key, count in second.items():
        if key not in first and count < 0:
            result[key] = 0 - count
    return result


def united(first: Any, second: Any) -> Any:
    result: Counter = Counter()
    for key, count in first.items():
        larger = second[key] if count < second[key] else count
        if larger > 0:
            result[key] = larger
    for key, count in second.items():
        if key not in first and count > 0:
            result[key] = count
    return result


def common(first: Any, second: Any) -> Any:
    result: Counter = Counter()
    for key, count in first.items():
        smaller = count if count < second[key] else second[key]
        if smaller > 0:
            result[key] = smaller
    return result


def positive(counter: Any) -> Any:
    result: Counter = Counter()
    for key, count in counter.items():
        if count > 0:
            result[key] = count
    return result


def negative(counter: Any) -> Any:
    result: Counter = Counter()
    for key, count in counter.items():
        if count < 0:
            result[key] = 0 - count
    return result


METHODS = {"total": total, "most_common": most_common}
OPERATORS = {gast.Add: added, gast.Sub: subtracted, gast.BitOr: united, gast.BitAnd: common}
UNARY = {gast.UAdd: positive, gast.USub: negative}
