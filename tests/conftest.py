"""Options of the test suite, and what keeps thousands of tests in one process fast."""
import gc
import os
import zlib
from collections.abc import Iterator

import pytest
from checks import Sampled

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Set before NumPy is imported: each core has a process of the suite, and its matrices are small. Threads that wait for
one another make a triangular system of three equations a hundred times slower."""
YOUNG = 20_000
"""So many objects come before the collector looks at the youngest: compiling makes many that last, and few cycles."""

pytest.register_assert_rewrite("checked_again", "checked_gradients", "checked_programs", "checked_tangents",
                               "corpus.registry")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the texts in tests/golden")
    parser.addoption("--random-programs", type=int, metavar="N", help="try N random programs, other ones each time")
    parser.addoption("--thorough", action="store_true", help="run all cases of which else only a sample is run")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sampled(n): one case in n is run, always the same ones; all with --thorough")


def is_sampled(config: pytest.Config, one_in: int, name: str) -> bool:
    """Chosen by the name: what is tried does not depend on how many other cases there are."""
    return bool(config.getoption("--thorough")) or zlib.crc32(name.encode()) % one_in == 0


@pytest.fixture(scope="session")
def sampled(request: pytest.FixtureRequest) -> Sampled:
    """Of checks in a test what the marker is of tests."""
    return lambda one_in, name: is_sampled(request.config, one_in, name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each program of the corpus has its value, gradients and tangents judged; what else is known of all of them is
    tried for some."""
    left_out = [item for item in items if (mark := item.get_closest_marker("sampled")) is not None
                and not is_sampled(config, mark.args[0], item.name)]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def pytest_collection_finish() -> None:
    """What is collected stays to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


@pytest.fixture(autouse=True, scope="module")
def let_go_of_what_was_compiled() -> Iterator[None]:
    """The programs of the corpus stay, and with them all that was compiled for one file of tests would: gigabytes in
    the end. What is left is kept from the collector, which else looks at all of it again and again."""
    from corpus import PROGRAMS  # after the threads were forbidden

    from s2sgrad.entries import entries_of
    yield
    for program in PROGRAMS:
        entries_of(program.function).kept.clear()
    gc.collect()
    gc.freeze()
