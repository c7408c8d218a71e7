"""Options of the test suite."""
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the texts in tests/golden")
    parser.addoption("--random-programs", type=int, metavar="N", help="try N random programs, other ones each time")
