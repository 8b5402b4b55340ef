"""Options of the test suite."""

from __future__ import annotations

import pytest

from support.goldens import Goldens


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
