"""Tags cut into segments are those that `regex` finds, in every body of a few characters."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from respc.patterns import parse_pattern
from respc.scan.tags import plan_tags
from support.families import Family, families
from support.scanning import texts_of
from support.tag_finding import Pairs, by_regex, finder, planned

if TYPE_CHECKING:
    from collections.abc import Callable

CUT: dict[str, str] = {
    r"<(?P<key>[^>]+)>(?P<value>.*?)</>": "<>/",
    r"<(?P<key>[^>]+)>\s*(?P<value>.*?)\s*</>": "<>/ ",
    r"<(?P<key>[^>]+)>\n?(?P<value>.*?)\n?</>": "<>/\n",
    r"<(?P<key>a+)>(?P<value>.*?)(?:</>|>>)": "<>/a",
    r"<(?P<key>a+)>(?P<value>.*?)(?=<a|</)": "<>/a",
    r"<(?P<key>a*)(?:>(?P<value>.*?)<|/.*?>)": "<>/a",
    r"<(?P<key>.*?)>(?P<value>.*?)/": "<>/",
    r"<(?P<key>[^<]*)>(?P<value>.*?)</": "<>/",
    r"<(?P<key>a)>(?P<value>.*?)<\s*/": "<>/a ",
    r"<(?P<key>a[^>]*)>(?P<value>.*?)</a": "<>/a",
    r"<(?P<key>a(?:>|/))(?P<value>.*?)a": "<>/a",
    r"<(?P<key>a)>.*?<(?P<value>a.*?)/": "<>/a",
    r"<(?P<key>a).*?(?P<value>/?)>": "<>/a",
    r"<(?P<key>a)(?P<value>/.*?a|>.*?<)": "<>/a",
    r"a(?P<key>[ab]*)c(?P<value>.*?)b": "abc",
    r"<(?P<key>\w+)>(?P<value>.*?)/(?P<more>a)": "<>/a",
    r"<(?P<key>a)>\n?(?P<value>.*?)(?:\n?/>?|\n?(?=<a))": "<>/a\n",
    r"<(?P<key>a)>(?P<value>.*?)(?:/>(?:\s*b)?|\n?(?=<a))": "<>/ab\n",
    r"<(?P<key>a)>\s*(?P<value>.*?)(?:\s*/|\s*(?=<a)|<>)": "<>/a ",
    r"<(?P<key>a)>(?P<value>.*?)\s*(?:/>|(?=<a))": "<>/a ",
    r"<(?P<key>a)>(?P<value>.*?)(?:\n?/|\n)": "<>/a\n",
    r"<(?P<key>a)>(?P<value>.*?)(?:/a?|\n?(?=/>))": "<>/a\n",
    r"<(?P<key>a)>(?P<value>.*?\n?)/": "<>/a\n",
    r"<(?P<key>a+)(?:>(?P<value>.*?)(?:/|\n?(?=<a))|(?P<value>/.*?)>)": "<>/a\n",
    r"<(?P<key>a)>(?:b(?P<value>.*?)b|(?P<value>.*?))(?:/|(?=<a))": "<>/ab",
    r"<(?P<key>[^<>]+)>(?:/(?P<value>.*?)/>|(?P<value>.*?))(?:>>|\n?(?=<a))": "<>/a\n",
    r"<(?P<key>[^>]+)(?:>(?P<value>.*?)</|/(?P<value>.*?)>)": "<>/a",
    r"<(?P<key>[^<]+)/\s*>(?P<value>.*?)(?:<>|\n?(?=<a))": "<>/a\n",
    r"<(?P<value>a).*?(?P<value>/)(?P<key>)>": "<>/a",
    r"<a?(?P<key>[^>]*)>(?P<value>.*?)<": "<>/a",
    r"a(?P<key>b)(?:cb)?(?P<value>.*?)(?:b)?ca": "abc",
    r"<a\b[^>]*?\ba=(?P<key>a)(?P<value>)": "<a>= ",
    r"<\b[^>]*?\b/(?P<key>)[^>]*?>(?P<value>.*?)<": "<>a/",
    r"<[^>]*?/(?P<key>[^/]*)/[^>]*?>(?P<value>.*?)<": "<>a/",
    r"<a(?P<key>[^=]*?=)[^>]*>(?P<value>.*?)=": "<=>a",
    r"<(?P<key>\b.)>(?P<value>.*?)\b<": "<>a/",
    r"<a[^>/]*/[^>]*>(?P<key>)(?P<value>.*?)</": "<>/a",
    r"<\b(?P<key>.*?)>(?P<value>.*?)\b/": "<>/a",
    r"<\s+[^>]*?a(?P<key>/)[^>]*?>(?P<value>.*?)<": "<>/a ",
    r"<\s*[^>]*?(?P<key>\b)a(?P<value>/?)>": "<>/a ",
}
KEPT: dict[str, str] = {
    r"<a(?P<key>[^/]*)>(?P<value>.*?)<": "the first segment may have to end earlier",
    r"<(?P<key>a)>(?P<value>.*)<": "the value is greedy",
    r"<(?P<key>a)>(?P<value>.*?)\s*": "nothing ends the value",
    r"<a(?P<key>.{2,}?)>(?P<value>.*?)<": "a gap needs characters",
    r"(?:<|/)(?P<key>a)(?P<value>.*?)>": "it begins with several texts",
    r"<(?P<key>\w+)>(?P<value>.*?)</(?P=key)>": "it refers back",
    r"<(?P<key>a)(?:<b)?(?P<value>.*?)<": "the value may end where a part that may be missing begins",
    r"<(?P<key>a)[^>]*?=(?P<value>[^/]+)/": "what stands behind a lazy run can begin again inside its own",
    r"<a[^>]*?\s+(?P<key>a)": "what stands behind a lazy run begins with a run",
    r"<a[^>]*?/[^<]*?(?P<key>a)>": "there are two lazy runs in a segment",
    r"<a[^>]*?/(?P<key>[^=]*)a>": "what stands behind a lazy run is looked through again from each place",
    r"<(?P<key>a)>(?P<value>.*?)(?:\s*/|\n?(?=<a))": "the blanks that it leaves out differ, and are searched anew",
    r"<(?P<key>a)>\n?(?P<value>.*?)\n<": "the newline is not left out before what ends the value",
    r"<(?P<key>.*?)>(?P<value>.*?)(?:\s*/|\s*>)": "it is searched anew in each run of blanks",
    r"<(?P<key>a)(?P<key>b)>(?P<value>.*?)<": "a segment has a group twice",
    r"a(?:b[^c]*c|b)(?P<key>b?)(?P<value>.*?)c": "there is a way past a run",
}
LONGEST = {3: 8, 4: 6, 5: 6, 6: 5}


@cache
def cut(pattern: str) -> Callable[[str], Pairs]:
    """Give what finds the tags of a pattern by its segments, made once for all bodies."""
    return finder(planned(pattern))


@pytest.mark.parametrize("pattern", CUT)
def test_tags_in_every_short_body(pattern: str) -> None:
    find = cut(pattern)
    found = 0
    for body in texts_of(CUT[pattern], LONGEST[len(CUT[pattern])]):
        expected = by_regex(pattern, body)
        assert find(body) == expected, body
        found += len(expected)
    assert found


@pytest.mark.parametrize("pattern", CUT)
@given(st.data())
def test_tags_in_longer_bodies(pattern: str, data: st.DataObject) -> None:
    body = data.draw(st.text(CUT[pattern], max_size=40))
    assert cut(pattern)(body) == by_regex(pattern, body)


@pytest.mark.parametrize("pattern", KEPT)
def test_what_stays_with_regex(pattern: str) -> None:
    assert plan_tags(parse_pattern(pattern)) is None, KEPT[pattern]


def tag_pattern(family: Family) -> str | None:
    """Give the pattern of a family's tags, if it has any."""
    found = [field.get("content_args", {}).get("tag_pattern") for field in family.template["fields"].values()]
    return next(filter(None, found), None)


WITH_TAGS = [family for family in families() if tag_pattern(family)]
CALL: dict[str, Any] = {
    "function": {"name": "look_up", "arguments": {"stop": "Patras\nharbour", "day": "a < b"}}
}


@cache
def pieces_of(family: Family) -> list[str]:
    """Cut a call of a family into its tags and what is between them."""
    pattern = tag_pattern(family) or ""
    written = family.render({"tool_calls": [CALL]}, opened=False)
    openings = {
        written[tag.start() : tag.start("value")] for tag in regex.finditer(pattern, written, regex.DOTALL)
    }
    return sorted({*regex.findall(r"<[^<>]*>|\n|[^<>\n]+|.", written), *openings, "<", "\n"})


@pytest.mark.parametrize("family", WITH_TAGS, ids=str)
def test_tags_of_families_are_pairs(family: Family) -> None:
    assert planned(tag_pattern(family) or "").pairs or family.name == "minimax_m3", (
        "its closing tag repeats the key"
    )


@pytest.mark.parametrize("family", WITH_TAGS, ids=str)
@given(st.data())
def test_tags_of_families(family: Family, data: st.DataObject) -> None:
    pattern = tag_pattern(family) or ""
    body = "".join(data.draw(st.lists(st.sampled_from(pieces_of(family)), max_size=30)))
    assert cut(pattern)(body) == by_regex(pattern, body)


WAYS = {
    r"<(?P<key>a)>(?P<value>.*?)</>": "one, up to a text",
    r"<(?P<key>a)>\n?(?P<value>.*?)(?:\n?</>|\n?(?=<a))": "one, up to several",
    r"<(?P<key>a)>(?:/(?P<value>.*?)/|(?P<value>.*?))(?=<a)": "several",
}


@pytest.mark.parametrize("pattern", WAYS)
def test_a_key_and_a_value_are_pairs(pattern: str) -> None:
    assert planned(pattern).pairs


@pytest.mark.parametrize("pattern", [r"<(?P<key>.*?)>(?P<value>.*?)/", r"<(?P<key>a)>.*?<(?P<value>a.*?)/"])
def test_other_tags_are_none(pattern: str) -> None:
    assert not planned(pattern).pairs


@pytest.mark.parametrize(
    "opening",
    [
        r"a*?[[:alpha:]](?P<key>\w)",
        r"(?P<key>a*?)[[:alpha:]]",
        r"a*[[:alpha:]]*?(?P<key>\w)",
        r"\s*[[:alpha:]]*?(?P<key>\w)",
        r"a*?(?>[[:alpha:]])(?P<key>\w)",
    ],
)
def test_classes_that_cannot_be_listed_stay_with_regex(opening: str) -> None:
    assert plan_tags(parse_pattern(f"<{opening}>(?P<value>.*?)</a>")) is None
