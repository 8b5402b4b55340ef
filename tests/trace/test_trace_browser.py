"""The page in a browser: it plays, goes by keys, and fits on a phone, by day and by night."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from respc.trace.page import page
from support.browser import browser, needs_browser
from support.traces import BROKEN, CALL, OUTPUT, PROMPT, traced

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from respc.trace import Trace
    from support.browser import Page

pytestmark = [needs_browser, pytest.mark.long]

PLACE = "document.getElementById('place').textContent"
MESSAGE = "document.getElementById('message').textContent"
CURRENT = "document.querySelector('.steps > .current').innerText"
WIDE: dict[str, Any] = {
    "start_anchor": "A",
    "fields": {
        "a_field_whose_name_is_longer_than_a_phone_is_wide_by_far": {
            "open_pattern": "<" + "opener" * 20 + ">|<b" + "x" * 80 + ">",
            "close": "</" + "closer" * 20 + ">",
        },
        "rest": {},
    },
}
WIDE_TEXT = "word " * 50 + "w" * 300 + "<" + "opener" * 20 + ">" + "b" * 300 + "</" + "closer" * 20 + ">"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("browser")) as page_of_browser:
        yield page_of_browser


def kept(folder: Path, trace: Trace) -> Path:
    path = folder / "trace.html"
    path.write_text(page(trace), encoding="utf-8")
    return path


def pieces(opened: Page, name: str) -> str:
    """Return the text of the pieces that have a class now."""
    found = f"[...document.querySelectorAll('.piece.{name}')]"
    spoken = "p.querySelector('.spoken')?.textContent ?? ''"
    text = opened.value(f"{found}.map(p => p.textContent.slice(({spoken}).length)).join('')")
    assert isinstance(text, str)
    return text


def test_each_step_shows_what_is_let_out_held_back_and_still_to_come(opened: Page, tmp_path: Path) -> None:
    trace = traced(prefix=f"{PROMPT}<think>So.</think>", chunk_size=3)
    path = kept(tmp_path, trace)
    for step in trace.steps:
        opened.open(path, step=step.number)
        assert pieces(opened, "held") == trace.text[step.decided : step.known]
        assert pieces(opened, "later") == trace.text[step.known :]
        assert pieces(opened, "new") == trace.text[step.start : step.known]
        said = opened.value(CURRENT)
        if step.held is not None:
            assert all(why.replace("`", "") in said.replace("\n", " ") for why in step.held.why), said
    assert opened.complaints == []


def test_a_region_is_shown_as_unread_when_that_is_known(opened: Page, tmp_path: Path) -> None:
    trace = traced(BROKEN, events="serving", chunk_size=4)
    known = next(
        step.number
        for step in trace.steps
        if any(event["type"] == "region_malformed" for event in step.events)
    )
    path = kept(tmp_path, trace)
    decorated = "getComputedStyle(document.querySelector('.piece.unread')).textDecorationStyle"
    shown = []
    for number in (known - 1, known):
        opened.open(path, step=number)
        shown.append(opened.value(decorated))
    assert shown == ["solid", "wavy"]


def test_the_message_grows(opened: Page, tmp_path: Path) -> None:
    trace = traced("Yes 😀 no." + CALL + CALL, chunk_size=3)
    path = kept(tmp_path, trace)
    shown = []
    for step in trace.steps:
        opened.open(path, step=step.number)
        shown.append(
            (
                opened.value(f"JSON.parse({MESSAGE})"),
                opened.value("document.getElementById('growing').innerText"),
            )
        )
    assert [message for message, _ in shown[:-1]] == [dict(step.message) for step in trace.steps[:-1]]
    assert shown[-1][0] == trace.message
    assert opened.value("document.getElementById('growing').hidden")
    growing = [text for _, text in shown if text.startswith("content")]
    assert growing[-1].split("\n")[-1] == "Yes 😀 no."
    assert growing == sorted(growing, key=len)


def test_keys_step_and_play(opened: Page, tmp_path: Path) -> None:
    trace = traced("Hello there", chunk_size=2)
    last = len(trace.steps)
    opened.open(kept(tmp_path, trace))
    assert opened.value(PLACE) == f"the end ({last} of {last})"
    opened.press("ArrowLeft")
    assert opened.value(PLACE) == f"chunk {last - 1} ({last - 1} of {last})"
    opened.press("ArrowRight")
    opened.press("ArrowRight")
    assert opened.value(PLACE) == f"the end ({last} of {last})"
    opened.press("Home")
    assert opened.value(PLACE) == f"chunk 1 (1 of {last})"
    opened.press("ArrowLeft")
    assert opened.value(PLACE) == f"chunk 1 (1 of {last})"
    opened.press(" ")
    opened.until(f"{PLACE} === 'chunk 3 (3 of {last})'")
    opened.press(" ")
    stopped = opened.value(PLACE)
    assert opened.value("document.getElementById('play').textContent") == "Play"
    opened.send(
        "Runtime.evaluate", expression="new Promise(done => setTimeout(done, 600))", awaitPromise=True
    )
    assert opened.value(PLACE) == stopped
    opened.press(" ")
    opened.until(f"{PLACE} === 'the end ({last} of {last})'")
    opened.until("document.getElementById('play').textContent === 'Play'")
    opened.press("End")
    assert opened.complaints == []


def test_the_keyboard_reaches_every_control_and_space_presses_the_one_it_is_on(
    opened: Page, tmp_path: Path
) -> None:
    opened.open(kept(tmp_path, traced("Hello there", chunk_size=2)))
    reached = []
    for _ in range(3):
        opened.press("Tab")
        reached.append(opened.value("document.activeElement.id"))
    assert reached == ["back", "play", "slider"]
    opened.open(kept(tmp_path, traced("Hello there", chunk_size=2)))
    opened.press("Tab")
    opened.press(" ")
    assert opened.value(PLACE) == "chunk 6 (6 of 7)"


def test_those_who_do_not_see_the_page_are_told(opened: Page, tmp_path: Path) -> None:
    opened.open(kept(tmp_path, traced(BROKEN, events="serving")))
    spoken = opened.spoken()
    for role, name in [
        ("button", "Step back"), ("button", "Play"), ("button", "Step forward"), ("slider", "Step"),
        ("region", "Text"), ("region", "Step"), ("region", "Message"),
    ]:  # fmt: skip
        assert (role, name) in spoken
    texts = [name.strip() for role, name in spoken if role == "StaticText"]
    assert {"opener", "unread", "closer"} <= set(texts)
    assert opened.value("document.getElementById('slider').getAttribute('aria-valuetext')").endswith(
        "the end, step 10 of 10"
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 375, 700, 1200])
@pytest.mark.parametrize("text", [OUTPUT, BROKEN, "wide"])
def test_nothing_is_cut_or_needs_scrolling_sideways(
    opened: Page, tmp_path: Path, text: str, width: int, dark: bool
) -> None:
    trace = traced(WIDE_TEXT, WIDE, prefix="") if text == "wide" else traced(text)
    opened.open(kept(tmp_path, trace), width=width, dark=dark, step=12)
    assert opened.value("document.documentElement.scrollWidth") <= width
    cut = opened.value(
        "[...document.querySelectorAll('.name, .run, .chip, h1, h3, .event, #message, .holding, button, #place')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth && getComputedStyle(e).display !== 'inline')"
        ".map(e => e.className || e.id || e.tagName)"
    )
    assert cut == []


CONTRASTS = """
(() => {
  const light = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const parts = (c) => c.match(/[\\d.]+/g).map(Number);
  const lightness = (c) => { const [r, g, b] = parts(c).map(light); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor, p = parts(color);
      if (p.length < 4 || p[3] > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const bad = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.disabled || e.closest("script")) continue;
    const [a, b] = [lightness(getComputedStyle(e).color), lightness(behind(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(`${e.className || e.tagName} ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return bad;
})()
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_is_dark_enough_to_read(opened: Page, tmp_path: Path, dark: bool) -> None:
    fields = {f"f{number}": {"open": f"<{number}>", "close": f"</{number}>"} for number in range(9)}
    text = "".join(f"x<{number}>y</{number}>" for number in range(9))
    trace = traced(text, {"start_anchor": "A", "fields": fields}, prefix="", events="serving")
    for shown in (trace, traced(BROKEN, events="serving"), traced(BROKEN)):
        for step in (0, len(shown.steps) // 2, len(shown.steps) - 1):
            opened.open(kept(tmp_path, shown), dark=dark, step=step)
            assert opened.value(CONTRASTS) == []


def test_day_and_night_differ(opened: Page, tmp_path: Path) -> None:
    path = kept(tmp_path, traced())
    colours = []
    for dark in (False, True):
        opened.open(path, dark=dark)
        colours.append(opened.value("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]
