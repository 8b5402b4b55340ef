"""The documentation builds as a site, without warnings, and needs nothing from other servers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

PROJECT: Final = TESTS.parent
SOURCES: Final = ("docs", "benchmarks/results")
LOADED: Final = re.compile(r'<(?:script|img|iframe)\b[^>]*\bsrc="([^"]*)"|<link\b([^>]*)>')
TITLES: Final = {
    path.stem: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").replace("`", "")
    for path in sorted((PROJECT / "docs").glob("*.md"))
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Proxies lead nowhere, so that whoever asks a server fails."""
    folder = tmp_path_factory.mktemp("site")
    for name in SOURCES:
        shutil.copytree(PROJECT / name, folder / name)
    shutil.copy(PROJECT / "mkdocs.yml", folder)
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    result = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return folder / "build" / "site"


def text_of(site: Path, page: str) -> str:
    path = site / "index.html" if page == "index" else site / page / "index.html"
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", TITLES)
def test_every_page_is_in_the_site_and_in_its_menu(site: Path, page: str) -> None:
    heading = re.search(r"<h1[^>]*>(.*?)(?:<a |</h1>)", text_of(site, page))
    assert heading is not None
    assert re.sub(r"<[^>]+>", "", heading[1]) == TITLES[page]
    link = 'href="" class="md-nav__link' if page == "index" else f'href="./{page}/" class="md-nav__link'
    assert link in text_of(site, "index")


@pytest.mark.parametrize("page", TITLES)
def test_a_page_loads_nothing_from_other_servers(site: Path, page: str) -> None:
    for source, link in LOADED.findall(text_of(site, page)):
        address = source or (link if 'rel="canonical"' not in link else "")
        assert "//" not in address


def test_the_figure_and_the_tables_are_in_the_page_of_benchmarks(site: Path) -> None:
    benchmarks = text_of(site, "benchmarks")
    assert "<td>glm (closers that end with the text, tags)</td>" in benchmarks
    figure = (PROJECT / "benchmarks" / "results" / "cost.svg").read_text(encoding="utf-8")
    assert figure[figure.index("<svg ") :].strip() in benchmarks


def test_names_in_tables_are_not_broken(site: Path) -> None:
    assert re.search(
        r'<link rel="stylesheet" href="[./]*/stylesheets/tables\.css">', text_of(site, "families")
    )
    assert "word-break: keep-all" in (site / "stylesheets" / "tables.css").read_text(encoding="utf-8")


def test_snippets_are_put_in(site: Path) -> None:
    assert not [
        page for page in TITLES if "--8&lt;--" in text_of(site, page) or "--8<--" in text_of(site, page)
    ]
    assert "TransformersEngine" in text_of(site, "operators")


def test_no_source_of_the_site_is_published(site: Path) -> None:
    assert not list(site.rglob("*.py*"))
