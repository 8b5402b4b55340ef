"""The server of the documentation's examples, for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from forms.server_of_tests import running_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forms.server_of_tests import Served


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """The server, which runs in a thread."""
    with running_server() as server:
        yield server
