"""Short texts are searched at once, long ones place by place: half of the tests here take short ones for long."""

from __future__ import annotations

from zlib import crc32

import pytest


@pytest.fixture(autouse=True)
def how_long_texts_are(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every text for a long one in every other test."""
    if crc32(request.node.name.encode()) % 2:
        monkeypatch.setattr("respc_runtime.searches.SHORT_TEXT", 0)
