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
def sources(engine: Engine, wheels: Path) -> Path:
    """The folder with the Python files of the engine."""
    return sources_or_skip(engine, wheels)


@pytest.fixture(scope="session")
def vllm_sources(wheels: Path) -> Path:
    """The folder with the Python files of vLLM."""
    return sources_or_skip(ENGINES[0], wheels)


@pytest.fixture(scope="session")
def wheels(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheels."""
    cache = getattr(pytestconfig, "cache", None)
    kept = tmp_path_factory.getbasetemp() if cache is None else cache.mkdir("engine_wheels")
    return wheels_folder(kept)


def sources_or_skip(engine: Engine, wheels: Path) -> Path:
    try:
        return sources_of(engine, wheels)
    except NoWheelError as error:
        pytest.skip(f"the wheel of {engine.name} {engine.version} cannot be fetched: {error}")


@pytest.fixture(scope="session")
def copy(engine: Engine, sources: Path) -> Copy:
    """The engine's copy of the interpreter."""
    return Copy(loaded_copy(engine, sources))
