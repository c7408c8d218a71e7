"""Each way in which a container, an object or a function comes to be with each use of it, after a change that is
another one for each pair: right or refused. A sample of the pairs is run, all of them with ``--thorough``."""
from __future__ import annotations

import warnings
import zlib
from pathlib import Path

import containers_and_uses as containers
import numpy as np
import objects_and_uses as objects
import pytest
from checks import Checks, Sampled
from test_ways_and_uses import functions, judge

ONE_IN = 150
X = np.array([0.55, 1.2, -0.7])
TABLES = {
    "list": (containers.WAYS_TO_LISTS, containers.CHANGES_OF_LISTS, containers.USES_OF_LISTS),
    "dict": (containers.WAYS_TO_DICTS, containers.CHANGES_OF_DICTS, containers.USES_OF_DICTS),
    "tuple": (containers.WAYS_TO_TUPLES, containers.CHANGES_OF_TUPLES, containers.USES_OF_TUPLES),
    "Box": (objects.WAYS_TO_OBJECTS, objects.CHANGES_OF_OBJECTS, objects.USES_OF_OBJECTS),
    "Point": (objects.WAYS_TO_OBJECTS, objects.CHANGES_OF_OBJECTS, objects.USES_OF_OBJECTS),
    "function": (objects.WAYS_TO_FUNCTIONS, objects.CHANGES_OF_FUNCTIONS, objects.USES_OF_FUNCTIONS),
    "arrays": (objects.WAYS_TO_ARRAYS, objects.CHANGES_OF_ARRAYS, objects.USES_OF_ARRAYS),
}
WAYS = [pytest.param(kind, way, other, id=f"{kind}-{number}")
        for kind, (ways, _, _) in TABLES.items() for number, (way, other) in enumerate(ways)]


def bodies(kind: str, way: str, other: str) -> list[str]:
    """What is made in one way, changed and used: each use once, after one of the changes."""
    _, changes, uses = TABLES[kind]
    whole = [f"{way}\n{changes[zlib.crc32((way + use).encode()) % len(changes)]}\n{use}" for use in uses]
    return [text.replace("{o}", other).replace("{C}", kind) for text in whole]


@pytest.mark.parametrize(("kind", "way", "other"), WAYS)
def test_each_use(kind: str, way: str, other: str, sampled: Sampled, tmp_path: Path) -> None:
    chosen = [body for body in bodies(kind, way, other.replace("{C}", kind)) if sampled(ONE_IN, body)]
    with Checks() as checks, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for title, function in functions(containers.HEADER, chosen, tmp_path / "program.py") if chosen else ():
            checks.run(title, judge, function, X)
