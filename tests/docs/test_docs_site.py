"""The documentation builds as a site, without warnings, and needs nothing from other servers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

PROJECT: Final = TESTS.parent
LOADED: Final = re.compile(r'<(?:script|img|iframe)\b[^>]*\bsrc="([^"]*)"|<link\b([^>]*)>')
TITLES: Final = {
    path.stem: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").replace("`", "")
    for path in sorted((PROJECT / "docs").glob("*.md"))
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Proxies lead nowhere, so that whoever asks a server fails."""
    folder = tmp_path_factory.mktemp("site")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=PROJECT,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def text_of(site: Path, page: str) -> str:
    path = site / "index.html" if page == "index" else site / page / "index.html"
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", TITLES)
def test_every_page_is_in_the_site_and_in_its_menu(site: Path, page: str) -> None:
    heading = re.search(r"<h1[^>]*>(.*?)(?:<a |</h1>)", text_of(site, page))
    assert heading is not None
    assert re.sub(r"<[^>]+>", "", heading[1]) == TITLES[page]
    link = 'href="."' if page == "index" else f'href="{page}/"'
    assert link in text_of(site, "index")


@pytest.mark.parametrize("page", TITLES)
def test_a_page_loads_nothing_from_other_servers(site: Path, page: str) -> None:
    for source, link in LOADED.findall(text_of(site, page)):
        address = source or (link if 'rel="canonical"' not in link else "")
        assert "//" not in address


def test_sections_of_the_readme_are_in_the_site_with_their_figure(site: Path) -> None:
    benchmarks = text_of(site, "benchmarks")
    assert "README.md#" not in benchmarks
    assert "<td>glm (closers that end with the text, tags)</td>" in benchmarks
    assert '<img alt="Cost against length" src="results/cost.svg"' in benchmarks
    figure = PROJECT / "benchmarks" / "results" / "cost.svg"
    assert (site / "benchmarks" / "results" / "cost.svg").read_bytes() == figure.read_bytes()
    differences = text_of(site, "differences")
    assert "README.md#" not in differences
    assert "<code>ParserStateError</code>" in differences


def test_no_source_of_the_site_is_published(site: Path) -> None:
    assert not list(site.rglob("*.py*"))
