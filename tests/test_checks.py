"""A test that tries many things tells of each that failed."""
from __future__ import annotations

import pytest
from checks import Checks


def positive(number: float) -> float:
    assert number > 0.0, f"{number} is not positive"
    return number


def refused(number: float) -> None:
    with pytest.raises(AssertionError):
        positive(number)


def test_all_that_failed_is_told_of() -> None:
    found = []
    with pytest.raises(AssertionError) as caught, Checks() as checks:
        for number in (-1.0, 2.0, -3.0):
            found.append(checks.run(f"the sign of {number}", positive, number))
        checks.run("the root", lambda: 1 / 0)
        checks.run("a refusal", refused, 1.0)
    assert found == [None, 2.0, None]
    message = str(caught.value)
    assert message.startswith("4 of the checks failed")
    for told in ("the sign of -1.0: AssertionError: -1.0 is not positive", "the sign of -3.0: AssertionError: -3.0 is",
                 "the root: ZeroDivisionError: division by zero", "a refusal: Failed: DID NOT RAISE"):
        assert told in message
    assert "-1.0 is not positive" in str(caught.value.__cause__)


def test_what_ends_the_test_is_not_hidden() -> None:
    with pytest.raises(KeyError), Checks() as checks:
        checks.run("the sign of -1.0", positive, -1.0)
        raise KeyError
