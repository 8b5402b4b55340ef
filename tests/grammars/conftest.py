"""The engines, out of their wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from chat_templates.conftest import folders, kept
from support.engine_wheels import NoWheelError, wheels_folder
from support.grammar_engines import Engine, grammar_engines

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["folders", "kept"]


@pytest.fixture(scope="session")
def engines(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Engine]:
    """Both engines, by name."""
    cache = getattr(pytestconfig, "cache", None)
    folder: Path = tmp_path_factory.getbasetemp() if cache is None else cache.mkdir("engine_wheels")
    try:
        return {engine.name: engine for engine in grammar_engines(wheels_folder(folder))}
    except NoWheelError as error:
        pytest.skip(f"the wheels of the engines cannot be fetched: {error}")


@pytest.fixture(params=["xgrammar", "llguidance"])
def engine(request: pytest.FixtureRequest, engines: dict[str, Engine]) -> Engine:
    """Each engine."""
    return engines[request.param]
