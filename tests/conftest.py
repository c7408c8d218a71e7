"""Options of the test suite, and what keeps thousands of tests in one process fast."""
import gc
from collections.abc import Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the texts in tests/golden")
    parser.addoption("--random-programs", type=int, metavar="N", help="try N random programs, other ones each time")


@pytest.fixture(autouse=True, scope="module")
def keep_what_was_compiled() -> Iterator[None]:
    """Compiled code lives as long as the functions do: the collector need not look at all of it again and again."""
    yield
    gc.collect()
    gc.freeze()
