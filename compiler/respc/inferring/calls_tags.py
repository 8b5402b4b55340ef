"""Calls whose arguments are tags, each with a key and a value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.inferring.call_formats import (
    FUNCTION,
    CallFormat,
    call_transform,
    has_id,
    name_pattern,
    pattern_with_ids,
)
from respc.inferring.envelope import Span, envelope_of
from respc.inferring.probes import (
    FIRST_KEY,
    FIRST_NAME,
    FIRST_VALUE,
    SECOND_KEY,
    SECOND_NAME,
    SECOND_VALUE,
    TYPED,
    typed_call,
)
from respc.inferring.tokens import common_beginning, common_end, lenient
from respc.verifying.features import call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.call_sights import CallSights
    from respc.inferring.probes import Probes

_ODD_VALUE: Final = "wvalue <b> & {c}\nvaluew"
"""A value that has what tags are made of: some templates write it in another way."""


@dataclass(frozen=True, slots=True)
class _Tag:
    """What an argument is made of, beside key and value.

    Attributes:
        open: in front of the key.
        middle: between key and value.
        close: behind the value.
        behind_name: between the name of the tool and the first argument.
    """

    open: str
    middle: str
    close: str
    behind_name: str


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What stands around the key and the value of an argument.

    Attributes:
        before: between the name of the tool, or the argument before, and the key.
        middle: between key and value.
        behind: behind the value.
    """

    before: str
    middle: str
    behind: str


@dataclass(frozen=True, slots=True)
class _OddForm:
    """The marks around a value that has signs which tags are made of."""

    open: str
    close: str


def tag_calls(sights: CallSights, probes: Probes) -> Iterator[CallFormat]:
    """Yield the ways to read calls with a tag for each argument.

    Args:
        sights: calls as they are written.
        probes: of the chat template.
    """
    tag = _tag(sights)
    own = _call_span(sights.one, FIRST_NAME, FIRST_VALUE, "" if tag is None else tag.close)
    if tag is None or own is None:
        return
    first = second = None
    if sights.pair is not None:
        first = _call_span(sights.pair, FIRST_NAME, FIRST_VALUE, tag.close)
        second = _call_span(sights.pair, SECOND_NAME, SECOND_VALUE, tag.close)
    envelope = envelope_of(sights.one, own, sights.pair, first, second)
    head = name_pattern(tag.behind_name or tag.open or "<", envelope.open) + pattern_with_ids(tag.behind_name)
    call_id = "{id}" if has_id(envelope.open, tag.behind_name) else None
    for args in _content_args(tag, probes):
        yield CallFormat(
            "a tag for each argument",
            sights.sight,
            envelope,
            head,
            "",
            "",
            "",
            "xml-inline",
            call_transform(dict(FUNCTION), call_id),
            args,
        )


def _tag(sights: CallSights) -> _Tag | None:
    """Take a call with one argument and one with two apart."""
    one, full = sights.one, sights.full
    if full is None:
        return None
    first = _pieces(one, FIRST_NAME, FIRST_KEY, FIRST_VALUE)
    both = _pieces(full, FIRST_NAME, FIRST_KEY, FIRST_VALUE)
    other = both and _pieces(both.behind, "", SECOND_KEY, SECOND_VALUE)
    if first is None or other is None:
        return None
    behind_name, between = first.before, other.before
    alone = ""
    if sights.empty is not None and FIRST_NAME in sights.empty:
        alone = sights.empty[sights.empty.rindex(FIRST_NAME) + len(FIRST_NAME) :]
    own = len(common_beginning(behind_name, alone))
    opener = common_end(behind_name[own:], between)
    closer = common_beginning(first.behind, between[: len(between) - len(opener)])
    return _Tag(opener, first.middle, closer, behind_name[: len(behind_name) - len(opener)])


def _pieces(text: str, name: str, key: str, value: str) -> _Pieces | None:
    at = text.find(name)
    key_at = text.find(key, at)
    value_at = text.find(value, key_at)
    if min(at, key_at, value_at) < 0:
        return None
    at = text.rindex(name, 0, key_at) if name else 0
    return _Pieces(
        text[at + len(name) : key_at], text[key_at + len(key) : value_at], text[value_at + len(value) :]
    )


def _call_span(text: str, name: str, value: str, close: str) -> Span | None:
    """Find a call, from its name to the end of its argument."""
    value_at = text.find(value)
    at = text.rfind(name, 0, max(0, value_at))
    if min(at, value_at) < 0:
        return None
    end = value_at + len(value)
    return Span(at, end + len(close) if text.startswith(close, end) else end)


def _content_args(tag: _Tag, probes: Probes) -> Iterator[dict[str, Any]]:
    """Yield what the content parser may be given."""
    middles = [tag.middle, *_typed_middles(probes)]
    quoted = tag.middle.endswith('"') and tag.close.startswith('"')
    if quoted and any(not middle.endswith('"') for middle in middles):
        bare = _Tag(tag.open, tag.middle[:-1], tag.close[1:], tag.behind_name)
        middles = [bare.middle, *middles[1:]]
        parser = {"name": "json", "args": {"allow_non_json": True}}
        yield {"tag_pattern": _tag_pattern(bare, middles, None), "value_parser": parser}
        return
    odd = _odd_form(tag, probes)
    yield {"tag_pattern": _tag_pattern(tag, middles, odd)}


def _typed_middles(probes: Probes) -> list[str]:
    """Give what stands between key and value of arguments that are no strings."""
    found: list[str] = []
    for kind, value in TYPED.items():
        sight = probes.first("types", {"tool_calls": [typed_call(kind)]})
        if sight is None:
            continue
        at = sight.turn.find(f"k{kind}")
        for form in (json.dumps(value), str(value)):
            end = sight.turn.find(form, at)
            if 0 <= at < end:
                found.append(sight.turn[at + len(kind) + 1 : end])
                break
    return found


def _odd_form(tag: _Tag, probes: Probes) -> _OddForm | None:
    """Find marks that only stand around values with signs that tags are made of."""
    sight = probes.first("strings", {"tool_calls": [call(FIRST_NAME, **{FIRST_KEY: _ODD_VALUE})]})
    if sight is None:
        return None
    pieces = _pieces(sight.turn, FIRST_NAME, FIRST_KEY, _ODD_VALUE)
    if pieces is None or not pieces.middle.startswith(tag.middle):
        return None
    opener = pieces.middle[len(tag.middle) :].strip()
    at = pieces.behind.find(tag.close.strip())
    closer = pieces.behind[:at].strip() if at > 0 else ""
    return _OddForm(opener, closer) if opener and closer else None


def _tag_pattern(tag: _Tag, middles: list[str], odd: _OddForm | None) -> str:
    middle = _middle_pattern(middles)
    before, after = _blank(tag.middle[len(tag.middle.rstrip()) :]), _blank(tag.close[: _indent(tag.close)])
    key = rf"{lenient(tag.open)}(?P<key>[^<>{_stops(tag)}]+){middle}"
    closer = lenient(tag.close) or rf"(?={lenient(tag.open)}|$)"
    value = rf"{before}(?P<value>.*?){after}{closer}"
    if odd is None:
        return key + value
    in_marks = rf"\s*{lenient(odd.open)}(?P<value>.*?){lenient(odd.close)}\s*{closer}"
    return f"{key}(?:{in_marks}|{value})"


def _stops(tag: _Tag) -> str:
    """Give the sign that ends a key."""
    sign = tag.middle.strip()[:1]
    return r"\n" + (sign if sign in "\"'=:" and sign else "")


def _middle_pattern(middles: list[str]) -> str:
    shared = [middle.rstrip() for middle in dict.fromkeys(middles)]
    if len(set(shared)) == 1:
        return lenient(shared[0])
    begin, end = common_beginning(*shared), common_end(*shared)
    return lenient(begin) + r"[^<>]*?" + lenient(end)


def _blank(text: str) -> str:
    return r"\n?" if "\n" in text else r"\s*" if text else ""


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
