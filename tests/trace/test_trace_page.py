"""The page: complete without its script, of a bounded size, and no text of a model or template gets out of its own."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respc.trace.deltas import change_of
from respc.trace.page import LONGEST_SHOWN, page
from respc.trace.rows import rows
from support.traces import BROKEN, CALL, OUTPUT, PROMPT, traced

HOSTILE = (
    "</script></title></style><script>alert(1)</script><img src=x onerror=alert(1)><!-- ]]> ${1} \" ' & "
    "\x1b \u202e \ud800"
)
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "section", "div", "span",
    "main", "ul", "ol", "li", "code", "pre", "button", "input", "output", "b", "script",
}  # fmt: skip


class Elements(HTMLParser):
    """Collects the elements of a page, with their attributes and their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data

    def text_of(self, tag: str, **attributes: str) -> str:
        """Return the text of the first such element, up to the next tag."""
        for (found, having), text in zip(self.found, self.texts, strict=True):
            if found == tag and all(having.get(key) == value for key, value in attributes.items()):
                return text
        raise AssertionError(f"no {tag} with {attributes}")


def hostile_page() -> str:
    template = {
        "start_anchor": "A",
        "fields": {
            HOSTILE: {"open": HOSTILE + "1", "close": HOSTILE + "2", "transform": {HOSTILE: "{content}"}},
            "calls": {"open": "<c>", "close": "</c>", "content": "json"},
            "rest": {},
        },
    }
    text = f"{HOSTILE}{HOSTILE}1{HOSTILE}{HOSTILE}2<c>{HOSTILE}</c>"
    return page(traced(text, template, prefix="", chunk_size=9, name=HOSTILE, events="serving"))


def test_hostile_text_stays_text() -> None:
    text = hostile_page()
    elements = Elements(text)
    assert {tag for tag, _ in elements.found} <= ELEMENTS
    assert [attributes for tag, attributes in elements.found if tag == "script"] == [
        {"type": "application/json", "id": "data"},
        {},
    ]
    assert not any(key.startswith("on") for _, attributes in elements.found for key in attributes)
    assert "alert(1)" in "".join(elements.texts)
    assert not {character for character in text if not character.isprintable()} - {"\n"}
    assert text.count("</script>") == 2
    json.loads(elements.text_of("script", id="data"))


@pytest.mark.parametrize("text", [OUTPUT, BROKEN, ""])
def test_nothing_comes_from_outside_and_the_policy_lets_its_own_alone_run(text: str) -> None:
    written = page(traced(text))
    for _, attributes in Elements(written).found:
        assert not {"href", "src", "srcset", "style", "action"} & set(attributes)
    style, script = (
        re.findall(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL)[-1] for tag in ("style", "script")
    )
    assert not re.search(r"url\(|@import", style)
    policy = next(having["content"] or "" for _, having in Elements(written).found if "http-equiv" in having)
    assert policy.startswith("default-src 'none'; ")
    for own in (style, script):
        digest = b64encode(sha256(own.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_the_page_is_complete_without_its_script() -> None:
    trace = traced()
    elements = Elements(page(trace))
    runs = re.findall(r'<div class="run">(.*?)</div>', page(trace), re.DOTALL)
    words = re.sub(r'<span class="spoken">.*?</span>|<.*?>', "", "".join(runs))
    shown = unescape(words)
    assert shown == trace.text
    assert '"content": "Let me see."' in elements.text_of("pre", id="message")
    assert len([tag for tag, _ in elements.found if tag == "h3"]) == len(trace.steps)
    player = next(having for _, having in elements.found if having.get("class") == "player")
    assert "hidden" in player


def test_pieces_are_cut_where_steps_differ() -> None:
    trace = traced(prefix=f"{PROMPT}<think>a", chunk_size=3)
    cuts = {trace.prompt_length, *(place for step in trace.steps for place in (step.known, step.decided))}
    for row in rows(trace):
        for piece in row.pieces:
            assert not any(piece.start < cut < piece.end for cut in cuts)
    assert "".join(piece.text for row in rows(trace) for piece in row.pieces) == trace.text


def test_a_region_is_one_row_and_text_outside_is_another() -> None:
    shown = [(row.kind, row.field) for row in rows(traced(f"{CALL}{CALL}Yes.<|im_end|><|im_end|>"))]
    assert shown == [
        ("region", "tool_calls"),
        ("region", "tool_calls"),
        ("region", "content"),
        ("closer", None),
    ]


@pytest.mark.parametrize(
    "text",
    ["word " * 100_000, CALL * 3_000, "<think>a</think>b" * 5_000, f"<think>{'</think' * 20_000}"],
    ids=["long text", "many calls", "many regions", "held back again and again"],
)
def test_the_page_stays_small_and_says_what_is_not_on_it(text: str) -> None:
    trace = traced(text)
    written = page(trace)
    assert len(written) < 2_000_000
    left_out = re.search(r"its last ([\d,]+) characters are not on this page", written)
    assert left_out is not None
    assert int(left_out[1].replace(",", "")) >= len(text) - LONGEST_SHOWN


def test_a_failure_is_said_with_what_was_there_before() -> None:
    elements = Elements(page(traced(BROKEN)))
    assert "ResponseValueError: not JSON" in elements.text_of("p", **{"class": "failure"})
    assert '"content": "One."' in elements.text_of("pre", id="message")


def made_from(before: str, change: tuple[int, int, str]) -> str:
    """Do what the script does, in its units."""
    units = before.encode("utf-16-le", "surrogatepass")
    start, end, between = change
    made = units[: 2 * start] + between.encode("utf-16-le", "surrogatepass") + units[len(units) - 2 * end :]
    return made.decode("utf-16-le", "surrogatepass")


@given(st.text("ab😀\n"), st.text("ab😀\n"))
def test_a_text_comes_back_from_what_changed(before: str, text: str) -> None:
    assert made_from(before, change_of(before, text)) == text


def test_what_changed_is_not_longer_than_what_was_added() -> None:
    assert change_of('{"a": [1]}', '{"a": [1, 2]}') == (8, 2, ", 2")


def test_the_same_trace_gives_the_same_page() -> None:
    one: Any = page(traced())
    assert one == page(traced())
