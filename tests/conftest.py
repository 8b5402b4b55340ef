"""Options of the test suite."""

from __future__ import annotations

import gc
import random
import signal
from importlib import import_module
from typing import TYPE_CHECKING, Any

import black
import pytest
from hypothesis import HealthCheck, settings

from support.goldens import Goldens
from support.sweeps import mark_what_is_left_to_longer_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long an example takes says what else the machine does, and nothing of what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

_regex: Any = import_module("regex._main")
_shrink_cache = _regex._shrink_cache


def _shrink_cache_in_peace(*caches: Any) -> None:
    """Leave the random state of the process alone.

    When its cache is full, `regex` throws patterns out at random. Hypothesis guards the random state: it would say of
    a strategy in which a pattern is compiled just then that it uses the module `random`.
    """
    state = random.getstate()
    try:
        _shrink_cache(*caches)
    finally:
        random.setstate(state)


_regex._shrink_cache = _shrink_cache_in_peace

_format = black.format_str
_formatted: dict[tuple[str, str], str] = {}


def _format_once(source: str, *, mode: black.Mode) -> str:
    """Format a module once per process: many tests compile the same one, and this takes longer than all else."""
    key = source, mode.get_cache_key()
    if key not in _formatted:
        _formatted[key] = _format(source, mode=mode)
    return _formatted[key]


black.format_str = _format_once


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Put into the background by a shell: the processes that tests start would ignore Ctrl-C too, which tests send them.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write what the compiler gives now into tests/goldens instead of comparing with it",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Have processes that share the tests take them in long runs, unless the command says how they do.

    Tests that follow each other need the same templates compiled and the same fixtures, which each process makes for
    itself. By turns, as pytest-xdist deals tests out, all processes would make all of them.
    """
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tell what is swept before pytest takes out what is long."""
    mark_what_is_left_to_longer_runs(items)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep what is collected out of the rounds of the garbage collector: it stays as long as the process does.

    Tests and what they import are some million objects. Whoever asks for a collection, as all that measures does,
    would have it go through them each time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        _keep_what_is_there()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Do the same with what the tests of a file leave behind: modules, and all that is known of patterns."""
    try:
        return (yield)
    finally:
        if nextitem is not None and nextitem.path != item.path:
            _keep_what_is_there()


def _keep_what_is_there() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture
def goldens(request: pytest.FixtureRequest) -> Goldens:
    """Compares texts with files of tests/goldens, or with --update-goldens writes them."""
    return Goldens(update=request.config.getoption("--update-goldens"))
