"""The chat templates of packages, fetched once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from chat_templates.table import ROWS
from support.chat_templates import PACKAGES, NoTemplatesError, all_templates_of, templates_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def kept(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where they are kept."""
    cache_of_pytest = getattr(pytestconfig, "cache", None)
    return (
        tmp_path_factory.getbasetemp() if cache_of_pytest is None else cache_of_pytest.mkdir("chat_templates")
    )


@pytest.fixture(scope="session")
def folders(kept: Path) -> dict[str, Path | str]:
    """The folders with the templates of the packages, or why they cannot be had."""
    found: dict[str, Path | str] = {}
    for package in PACKAGES:
        names = [row["file"] for row in ROWS if row["package"] == package.title]
        try:
            found[package.title] = templates_of(package, names, kept)
        except NoTemplatesError as error:
            found[package.title] = f"the templates of {package.name} cannot be fetched: {error}"
    return found


@pytest.fixture(scope="session")
def all_files(kept: Path) -> dict[str, list[Path] | str]:
    """All templates of the packages, not only those of the table, or why they cannot be had."""
    found: dict[str, list[Path] | str] = {}
    for package in PACKAGES:
        try:
            found[package.title] = all_templates_of(package, kept)
        except NoTemplatesError as error:
            found[package.title] = f"the templates of {package.name} cannot be fetched: {error}"
    return found
