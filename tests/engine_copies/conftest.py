"""The engines' copies of the interpreter, or that they cannot be had."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.engine_amendments import Copy
from support.engine_wheels import ENGINES, Engine, NoWheelError, loaded_copy, sources_of, wheels_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session", params=ENGINES, ids=str)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine."""
    chosen: Engine = request.param
    return chosen


@pytest.fixture(scope="session")
def sources(engine: Engine, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the Python files of the engine."""
    cache = getattr(pytestconfig, "cache", None)
    kept = tmp_path_factory.getbasetemp() if cache is None else cache.mkdir("engine_wheels")
    try:
        return sources_of(engine, wheels_folder(kept))
    except NoWheelError as error:
        pytest.skip(f"the wheel of {engine.name} {engine.version} cannot be fetched: {error}")


@pytest.fixture(scope="session")
def copy(engine: Engine, sources: Path) -> Copy:
    """The engine's copy of the interpreter."""
    return Copy(loaded_copy(engine, sources))
