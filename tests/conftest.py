"""Options of the test suite."""

from __future__ import annotations

from importlib import import_module
from random import Random

import pytest

from support.goldens import Goldens

# When its cache is full, `regex` throws patterns out by the random state of the process, which hypothesis guards: it
# would say of a strategy in which a pattern is compiled just then that it uses the module `random`.
import_module("regex._regex_core").random = Random(0)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write what the compiler gives now into tests/goldens instead of comparing with it",
    )


@pytest.fixture
def goldens(request: pytest.FixtureRequest) -> Goldens:
    """Compares texts with files of tests/goldens, or with --update-goldens writes them."""
    return Goldens(update=request.config.getoption("--update-goldens"))
