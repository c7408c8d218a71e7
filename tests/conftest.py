"""Options of the test suite, and what keeps thousands of tests in one process fast."""
import gc
import zlib
from collections.abc import Iterator

import pytest
from corpus import PROGRAMS

from s2sgrad.entries import entries_of


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the texts in tests/golden")
    parser.addoption("--random-programs", type=int, metavar="N", help="try N random programs, other ones each time")
    parser.addoption("--thorough", action="store_true", help="run all cases of which else only a sample is run")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sampled(n): one case in n is run, always the same ones; all with --thorough")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each program of the corpus has its value, gradients and tangents judged, and its second derivatives; whether what
    else is known of all programs holds of it is tried for some of them."""
    if config.getoption("--thorough"):
        return
    left_out = [item for item in items if (mark := item.get_closest_marker("sampled")) is not None
                and zlib.crc32(item.name.encode()) % mark.args[0]]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


@pytest.fixture(autouse=True, scope="module")
def let_go_of_what_was_compiled() -> Iterator[None]:
    """The programs of the corpus stay, and with them all that was compiled for one file of tests would: gigabytes in
    the end. What is left is kept from the collector, which else looks at all of it again and again."""
    yield
    for program in PROGRAMS:
        entries_of(program.function).kept.clear()
    gc.collect()
    gc.freeze()
