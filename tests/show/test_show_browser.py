"""The page of the state machine in a browser: no word is broken, and nothing but the picture scrolls sideways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from respc.analysis import analyse
from respc.families import family_template
from respc.show import machine_of
from respc.show.html import html
from respc.source import template_from_dict
from support.browser import browser, needs_browser
from support.templates import own_names, own_template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from respc.source import TemplateSource
    from support.browser import Page

pytestmark = [needs_browser, pytest.mark.long]

BROKEN_WORDS = """
[...document.querySelectorAll("h1, th, td, .outside")].flatMap((cell) => {
  const broken = [];
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    for (const word of node.textContent.matchAll(/[\\\\w]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (tops.size > 1) broken.push(word[0]);
    }
  }
  return broken;
})
""".replace("\\\\", "\\")
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


def kept(folder: Path, source: TemplateSource) -> Path:
    ir = analyse(source).ir
    assert ir is not None
    path = folder / "show.html"
    path.write_text(html(machine_of(ir, source.name)), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [375, 700, 1200])
@pytest.mark.parametrize("name", ["smollm3", "gpt_oss", "inkling", "llama3_1"])
def test_no_word_is_broken(opened: Page, tmp_path: Path, name: str, width: int) -> None:
    opened.open(kept(tmp_path, family_template(name)), width=width)
    assert opened.value(BROKEN_WORDS) == []
    assert opened.value(SIDEWAYS) == 0
    assert opened.complaints == []


@pytest.mark.parametrize("width", [375, 1200])
@pytest.mark.parametrize("name", own_names())
def test_nothing_needs_scrolling_sideways(opened: Page, tmp_path: Path, name: str, width: int) -> None:
    opened.open(kept(tmp_path, template_from_dict(own_template(name), f"{name}.json")), width=width)
    assert opened.value(SIDEWAYS) == 0


def test_names_that_are_wider_than_a_phone_are_broken_rather_than_cut(opened: Page, tmp_path: Path) -> None:
    long: dict[str, Any] = {"open": "<" + "o" * 99 + ">", "close_pattern": "<" + "c" * 99 + ">+"}
    template = {"start_anchor": "A" * 99, "fields": {"name_" * 20: long, "rest": {}}}
    opened.open(kept(tmp_path, template_from_dict(template, "wide.json")), width=375)
    assert opened.value(SIDEWAYS) == 0
    cut = "[...document.querySelectorAll('th, td, .table')].filter((e) => e.scrollWidth > e.clientWidth + 1).length"
    assert opened.value(cut) == 0
