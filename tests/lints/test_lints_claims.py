"""What a finding says happens, happens in the interpreter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest
import regex

from lints import cases_of_contents, cases_of_transforms
from lints.building import CLOSER, found, only, parsed, plain, rows, tagged, value_at
from lints.cases_of_delimiters import EMPTY, LOSERS, SPELLING
from lints.cases_of_messages import LOST
from lints.cases_of_streams import ENDS_OF_TURN, HOLDS
from lints.streaming import (
    BODY,
    Stage,
    alone,
    is_pattern_too,
    opened,
    stage_of,
    streamed,
    texts_of,
    values_of,
)
from respc.diagnostics import Severity
from respc.patterns.trials import ORDINARY, matched_samples
from support.oracle import refused_by_interpreter

if TYPE_CHECKING:
    from lints.building import Template

RAISES: Final = re.compile(r"raises (\w+) ")
QUOTED: Final = re.compile("`([^`]*)`")
BODIES: Final = {
    "text": "a",
    "int": "1",
    "float": "1.5",
    "bool": "true",
    "json": '{"name": 1}',
    "kv-lines": "k: v",
    "xml-inline": "<p=k>v</p><k=v>",
    "python-call-list": "[f(a=1)]",
}


def label_of(template: Template, slug: str) -> str:
    label = only(template, slug).label
    assert label is not None
    return label


def region_of(template: Template, body: str | None = None) -> str:
    """Return the text of one region of the field ``a``."""
    field = template["fields"]["a"]
    inside = BODIES[field.get("content", "text")] if body is None else body
    if field.get("content") == "json" and field.get("transform_each") and body is None:
        inside = f"[{inside}]"
    return texts_of(field, "open")[0] + inside + "".join(texts_of(field, "close")[:1])


LATE: Final = [
    row
    for row in (*cases_of_contents.ROWS, *cases_of_transforms.ROWS)
    if only(row[1], row[0]).severity is Severity.ERROR
]


@rows(LATE)
def test_one_region_raises_the_class_of_the_label(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    assert refused_by_interpreter(triggering) is None
    match = RAISES.match(label_of(triggering, slug))
    assert match is not None
    assert streamed(triggering, region_of(triggering)).error == match[1]
    assert streamed(triggering, "no region").error is None


@pytest.mark.parametrize(
    ("slug", "template", "body", "error"),
    [
        ("join-may-fail", parsed("json", repeats=True, join=""), "1", "ValueError"),
        (
            "join-may-fail",
            parsed("json", repeats=True, join="", transform="{content.a}"),
            '{"a": []}',
            "ValueError",
        ),
        (
            "content-of-each",
            parsed("json", transform="{content}", transform_each=True),
            '[{"a": 1}]',
            "KeyError",
        ),
    ],
)
def test_a_body_raises_where_a_warning_says_that_some_do(
    slug: str, template: Template, body: str, error: str
) -> None:
    assert (RAISES.match(label_of(template, slug)) or [None, None])[1] == error
    assert streamed(template, region_of(template, body)).error == error


@rows(cases_of_transforms.TRANSFORMS, "unsure-placeholder")
def test_a_group_without_part_in_the_match_raises(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    def errors_of(template: Template) -> set[str | None]:
        field = template["fields"]["a"]
        return {streamed(template, text + BODY).error for text in texts_of(field, "open")}

    assert "KeyError" in errors_of(triggering)
    assert errors_of(near_miss) == {None}


@rows(cases_of_contents.TAGGED, "tag-group-optional")
def test_a_tag_without_a_group_raises_or_is_null(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    def results_of(template: Template) -> list[Any]:
        pattern = template["fields"]["a"]["content_args"]["tag_pattern"]
        traces = [streamed(template, region_of(template, tag)) for tag in matched_samples(pattern)]
        return [trace.error or (values_of(trace, "a") == [{"a": None}] and "null") for trace in traces]

    expected = "ValueError" if "raises ValueError at" in label_of(triggering, slug) else "null"
    assert expected in results_of(triggering)
    assert not any(results_of(near_miss))


@rows(LOSERS, "unreachable-delimiter", "equal-openers", "opener-equals-closer")
def test_the_loser_never_opens_or_closes(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    pointer = only(triggering, slug).pointer
    _, _, loser, side, *_ = pointer.split("/")
    value = value_at(triggering, pointer)
    field = triggering["fields"][loser]
    for text in (
        [value] if "/open/" in pointer or "/close/" in pointer else texts_of(field, side.partition("_")[0])
    ):
        trace = streamed(triggering, f"start{text}body</a></b>")
        if loser == "content":
            assert opened(trace)[:2] == ["content", "a"]
        else:
            assert loser not in opened(trace)
            rival = next(name for name in triggering["fields"] if name not in (loser, "content"))
            assert rival in opened(trace)


@rows(LOSERS, "unreachable-delimiter", "equal-openers")
def test_what_is_near_opens(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    field = near_miss["fields"].get("b")
    if field is None:  # the implicit field is what loses
        text = texts_of(near_miss["fields"]["content"], "close")[0]
        assert opened(streamed(near_miss, f"start{text}")) == ["content"]
        return
    # One of the rivals looks behind, for an `x`.
    starts = [before + text for before in ("", "x") for text in texts_of(field, "open")]
    assert any("b" in opened(streamed(near_miss, f"{start}body")) for start in starts)


@rows(LOSERS, "unreachable-alternative")
def test_the_alternative_stays_in_the_text(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    message = only(triggering, slug).message
    (text,) = QUOTED.findall(message)
    shorter = QUOTED.findall(label_of(triggering, slug))[0]
    pointer = only(triggering, slug).pointer
    if pointer.startswith("/start_anchor"):
        return
    stage = stage_of(triggering, pointer)
    trace = streamed(triggering, stage.before + text + stage.behind)
    values = [value for name in ("a", "content") for value in values_of(trace, name)]
    assert any(value.startswith(text.removeprefix(shorter)) for value in values)


@rows(EMPTY, "closer-always-empty")
def test_no_text_gets_in(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    trace = streamed(triggering, "start<a>body</a>rest")
    if "a" in triggering["fields"]:
        assert set(values_of(trace, "a")) == {""}
    else:
        assert trace.message == {}


@rows(EMPTY, "implicit-closer-empty")
def test_parsing_stops_and_the_rest_is_lost(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    before = (QUOTED.findall(label_of(triggering, slug)) or [""])[0]
    text = f"zz{before}zzrest"
    assert "rest" not in str(streamed(triggering, text).message)
    assert "rest" in str(streamed(near_miss, text).message)


@rows(EMPTY, "opener-always-matches")
def test_the_field_opens_at_once(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    assert opened(streamed(triggering, "start"))[0] == "a"
    assert opened(streamed(near_miss, "start")) == ["content"]


@rows(EMPTY, "zero-width-delimiter")
def test_a_match_takes_no_text(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    pattern = value_at(triggering, only(triggering, slug).pointer)
    matches = regex.finditer(pattern, "zz<a>\nxyz", regex.DOTALL)
    assert any(match.end() == match.start() for match in matches)


def is_held(template: Template, stage: Stage, text: str, after: str) -> bool:
    """Return whether nothing is given out for a text while the stream is open."""
    trace = streamed(template, stage.before + text, *after)
    return not any(event["type"] == "region_chunk" for events in trace.feeds[1:] for event in events)


@rows(HOLDS, "holds-everything")
def test_ordinary_text_is_held(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    pointer = only(triggering, slug).pointer
    assert QUOTED.findall(label_of(triggering, slug)) == [ORDINARY]

    def start_of(template: Template) -> Stage:
        opens = "open" in pointer
        return Stage("" if opens else texts_of(template["fields"]["a"], "open")[0], "")

    assert is_held(triggering, start_of(triggering), "", ORDINARY)
    assert not is_held(near_miss, start_of(near_miss), "", ORDINARY)


@rows(HOLDS, "holds-without-bound")
def test_text_after_the_beginning_is_held(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    (after,) = QUOTED.findall(label_of(triggering, slug))
    stage = stage_of(triggering, only(triggering, slug).pointer)
    assert is_held(triggering, stage, plain(after), ORDINARY * 20)
    # What is near holds at most until the text cannot become a match any more.
    assert not is_held(near_miss, stage, plain(after), f"{ORDINARY * 20}> .")


@rows(ENDS_OF_TURN)
def test_nothing_is_waited_for_behind_the_end_of_the_turn(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    (after,) = QUOTED.findall(label_of(triggering, slug))
    assert is_held(triggering, stage_of(triggering, CLOSER), plain(after), ORDINARY * 20)
    for text in matched_samples(near_miss["fields"]["a"]["close_pattern"]):
        trace = streamed(near_miss, f"early<a>{BODY}", f"{text}{ORDINARY}")
        if ORDINARY in str(trace.message):
            # This closer is another one, which something can follow.
            assert not is_held(near_miss, stage_of(near_miss, CLOSER), text, ORDINARY)
        else:
            assert trace.message == {"a": BODY, "content": "early"}


@rows(HOLDS, "leading-blanks")
def test_a_blank_is_held(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    stage = stage_of(triggering, only(triggering, slug).pointer)
    before = stage.before or "word"
    assert streamed(triggering, before, " ").feeds[1] == []
    assert streamed(near_miss, before, " ").feeds[1] != []


@rows(LOST, "text-overwritten")
def test_the_text_before_is_replaced(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    def message_of(template: Template) -> str:
        field = template["fields"]["a"]
        region = texts_of(field, "open")[0] + BODY + "".join(texts_of(field, "close")[:1])
        return str((streamed(template, f"early\n{region}late").message or {}).get("content"))

    assert message_of(triggering) == "late"
    assert "early" in message_of(near_miss)


@rows(LOST, "region-overwritten")
def test_the_first_region_is_replaced(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    name = only(triggering, slug).pointer.rpartition("/")[2]
    body = BODIES[triggering["fields"][name].get("content", "text")]
    opener = texts_of(triggering["fields"][name], "open")[0]
    trace = streamed(triggering, f"{opener}{body}</a>", f"between{opener}{body}</a>")
    assert len(values_of(trace, name)) == 2
    assert trace.message is not None
    assert trace.message[name] == values_of(trace, name)[1]


@rows(LOST, "plain-text-lost", "no-implicit-field")
def test_plain_text_is_lost(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    assert streamed(triggering, "plain").message == {}
    if refused_by_interpreter(near_miss) is None and any(
        "open" not in field for field in near_miss["fields"].values()
    ):
        assert "plain" in str(streamed(near_miss, "plain").message)


@rows(SPELLING, "pattern-as-literal")
def test_a_literal_matches_itself_and_not_what_the_pattern_would(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    pointer = only(triggering, slug).pointer
    literal = value_at(triggering, pointer)
    assert is_pattern_too(literal)
    template, place_ = alone("close", literal, is_pattern=False)
    stage = stage_of(template, place_)
    assert values_of(streamed(template, f"{stage.before}{literal}tail"), "a") == [BODY]
    for text in matched_samples(literal):
        if literal not in text:
            assert values_of(streamed(template, f"{stage.before}{text}tail"), "a") == [
                f"{BODY}{text}tail".strip()
            ]


@pytest.mark.parametrize("text", ["<", "im_end", ">"])
def test_a_bar_means_one_of_three(text: str) -> None:
    template, _ = alone("close", "<|im_end|>", is_pattern=True)
    assert found(template, "unescaped-bar")
    assert values_of(streamed(template, f"\ue000body{text}tail"), "a") == [BODY]
    fixed, _ = alone("close", r"<\|im_end\|>", is_pattern=True)
    assert values_of(streamed(fixed, f"\ue000body{text}tail"), "a") == [f"{BODY}{text}tail"]


def test_a_flag_is_read_by_its_truth() -> None:
    assert streamed(tagged(repeats="no"), "<a>x</a>").message == {"a": ["x"]}
    assert streamed(tagged(optional=None), "x").error == "ValueError"
