"""How many searches a chunk costs, and what is made for a whole text: counted, not timed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import respc
from support.oracle import interpret

if TYPE_CHECKING:
    from types import ModuleType

WORDS: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {
        "calls": {"open": ["user<", "to="], "close_pattern": r"<end>\s*|(?=<calls>)"},
        "content": {"close_pattern": r"(?=<end>)|(?=to<)"},
    },
}
HIDING: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {
        "calls": {
            "open": "<call>",
            "close_pattern": r'(?=\}\s*\]\s*[^\s,}\]]|\},\s*\{\s*"[^"]+"\s*:\s*\{|<stop>)',
        },
        "content": {},
    },
}

PLAIN: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {"calls": {"open": "<call>", "close": "<end>", "repeats": True}, "content": {}},
}


class Searches:
    """The searches of a state, counted."""

    def __init__(self, state: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looks = self.scans = 0
        self._find, self._scan = state.find, state.scan
        assert state.gated
        monkeypatch.setattr(state, "find", self._look)
        monkeypatch.setattr(state, "scan", self._search)

    def _look(self, text: str, pos: int) -> Any:
        self.looks += 1
        return self._find(text, pos)

    def _search(self, text: str, pos: int) -> Any:
        self.scans += 1
        return self._scan(text, pos)

    def of(self, parser: Any, chunk: str) -> tuple[int, int]:
        """Give how often a chunk was looked at for what can begin, and how often it was searched."""
        self.looks = self.scans = 0
        parser.feed(chunk)
        return self.looks, self.scans


@pytest.fixture
def words() -> ModuleType:
    return respc.load(WORDS, name="words")


def test_a_chunk_is_searched_only_where_something_can_begin(
    words: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = words.ResponseParser("")
    parser.feed("a word, ")
    searches = Searches(words._STATES.implicit, monkeypatch)
    costs = {
        "plain": (0, 0),
        "a u b": (0, 0),
        "a us": (1, 0),
        "ual": (1, 0),
        "<div>": (1, 0),
        "x <": (1, 0),
        "div": (1, 0),
        "a user b": (1, 1),
    }
    assert {chunk: searches.of(parser, chunk) for chunk in costs} == costs


def test_a_beginning_that_a_whole_delimiter_can_hide_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    module = respc.load(HIDING, name="hiding")
    parser = module.ResponseParser("")
    parser.feed("<call>{")
    state = module._STATES.following["calls"]
    assert state.hides
    searches = Searches(state, monkeypatch)
    costs = {
        "a } b": (1, 0),
        "x }": (1, 0),
        " ] ": (1, 1),
        ", x},": (1, 1),
        ", b": (1, 0),
        "d": (0, 0),
        "e},": (1, 1),
    }
    assert {chunk: searches.of(parser, chunk) for chunk in costs} == costs


def test_a_delimiter_that_waits_is_found_once_a_chunk(
    words: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = words.ResponseParser("")
    parser.feed("user<a")
    searches = Searches(words._STATES.following["calls"], monkeypatch)
    assert searches.of(parser, "b<end>") == (1, 1)
    assert searches.of(parser, "c") == (1, 1)
    assert parser.finalize()[0] == {"calls": "ab", "content": "c"}


def test_a_whole_text_needs_no_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    module, text = respc.load(PLAIN, name="plain"), "a<call>b<end> c<call>d"
    expected = interpret(PLAIN, "", [text]).message

    def refuse() -> Any:
        raise AssertionError("a buffer is made")

    monkeypatch.setattr("respc_runtime.stream.text_buffer", refuse)
    assert module.parse_response(text, prefix="") == expected
    assert module.parse_response([text, text], prefix="b@") == [expected, expected]
    with pytest.raises(AssertionError, match="a buffer is made"):
        module.parse_response(text, prefix="@begun")
