"""The README and the pages lead nowhere that is not there, whatever shows them: a site, or a reader of plain files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pytest

from support.templates import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROJECT: Final = TESTS.parent
README: Final = PROJECT / "README.md"
DOCS: Final = PROJECT / "docs"
PAGES: Final = [README, *sorted(DOCS.glob("*.md"))]

CODE: Final = re.compile(r"^( *)```.*?^\1```$|`+[^`\n]+`+", re.MULTILINE | re.DOTALL)
FENCED: Final = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK: Final = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
SNIPPET: Final = re.compile(r'^ *--8<-- "([^":]+)[":]', re.MULTILINE)


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as builders of sites and GitHub both make them."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    words = (re.sub(r"[^\w\s-]", "", re.sub(r"\]\([^)]*\)", "", heading)) for heading in headings)
    return {re.sub(r"[-\s]+", "-", each.strip().lower()) for each in words}


def dead_ends(page: Path) -> Iterator[str]:
    """Give what a page links to, shows or takes in, and what is not there."""
    text = page.read_text(encoding="utf-8")
    for name in SNIPPET.findall(text):
        if not (PROJECT / name).is_file():
            yield name
    # A link may have code as its text: what is in the code is left out, the link is not.
    for target in LINK.findall(CODE.sub("code", text)):
        parts = urlsplit(target)
        if parts.scheme in ("http", "https"):
            continue
        file = (page.parent / parts.path).resolve() if parts.path else page
        inside = page.parent == PROJECT or file.is_relative_to(page.parent)
        known = file.is_file() and inside and not parts.path.startswith("/")
        if not known or (parts.fragment and parts.fragment not in anchors_of(file)):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_leads_nowhere_that_is_not_there(page: Path) -> None:
    assert not list(dead_ends(page))


def test_every_page_is_reached_from_the_readme() -> None:
    reached, left = set[str](), [README]
    while left:
        page = left.pop()
        text = CODE.sub("code", page.read_text(encoding="utf-8"))
        paths = [(page.parent / target.partition("#")[0]).resolve() for target in LINK.findall(text)]
        new = [path for path in paths if path in PAGES and path.name not in reached]
        reached |= {path.name for path in new}
        left += new
    assert {page.name for page in PAGES} - {README.name} <= reached


@pytest.mark.parametrize(
    "text",
    [
        "[a page](gone.md)",
        "[a page](other.md#nowhere)",
        "[a `name`](gone.md)",
        "[a [name]](gone.md)",
        "[below](#nowhere)",
        "[absolute](/docs/other.md)",
        "[outside of the site](../README.md)",
        "![a picture](gone.svg)",
        '--8<-- "docs/examples/gone.py"',
    ],
)
def test_a_dead_end_is_seen(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (tmp_path / "README.md").touch()
    (folder / "other.md").write_text("# Other\n\n```sh\n# nowhere\n```\n", encoding="utf-8")
    page = folder / "page.md"
    page.write_text(f"# Page\n\n{text}\n", encoding="utf-8")
    assert len(list(dead_ends(page))) == 1


def test_what_is_there_is_no_dead_end(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(
        "# Other\n\n## `open`, `close`\n\n## vLLM: by name\n", encoding="utf-8"
    )
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n[one](other.md#open-close) [two](other.md#vllm-by-name) [three](#page) `[no](link.md)`\n"
        "[four](https://example.org/x#y)\n\n```text\n[no](link.md)\n```\n",
        encoding="utf-8",
    )
    assert not list(dead_ends(page))
