"""Puts sections of the README into pages of the site, so that nothing is written twice.

A paragraph that is only a link to a section of the README, ``[…](../README.md#benchmarks)``, becomes the text of that
section. Where the pages are read as plain files, it is a link that works.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PROJECT: Final = Path(__file__).parent.parent
# What the README's sections show or link to outside docs/.
FIGURES: Final = ("benchmarks/results/cost.svg", "benchmarks/results/figures.json")

_LINK: Final = re.compile(r"^\[[^\]]+\]\(\.\./README\.md#([\w-]+)\)$", re.MULTILINE)
_HEADING: Final = re.compile(r"^## (.+)\n", re.MULTILINE)
_LINK_TO_PAGE: Final = re.compile(r"\]\(docs/")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the figures to the site."""
    for name in FIGURES:
        files.append(File.generated(config, name, abs_src_path=str(PROJECT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the README's sections in the place of the links to them."""
    sections = readme_sections()

    def section(link: re.Match[str]) -> str:
        if link[1] not in sections:
            raise PluginError(f"{page.file.src_uri}: the README has no section #{link[1]}")
        return sections[link[1]]

    return _LINK.sub(section, markdown)


def readme_sections() -> dict[str, str]:
    """Give the text of each section of the README by the anchor of its heading."""
    _, *parts = _HEADING.split((PROJECT / "README.md").read_text(encoding="utf-8"))
    headings, texts = parts[::2], parts[1::2]
    return {
        re.sub(r"\W+", "-", heading.lower()).strip("-"): _LINK_TO_PAGE.sub("](", text.strip())
        for heading, text in zip(headings, texts, strict=True)
    }
