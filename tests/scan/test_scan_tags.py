"""Tags cut into segments are those that `regex` finds, in every body of a few characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from respc.codegen.module_writer import ModuleWriter
from respc.patterns import parse_pattern
from respc.scan.tags import plan_tags
from respc_runtime import character_classes, patterns, states, tags
from support.scanning import texts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from respc.scan.tags import TagPlan

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
}
KEPT: dict[str, str] = {
    r"<a(?P<key>[^/]*)>(?P<value>.*?)<": "the first segment may have to end earlier",
    r"<(?P<key>a)>(?P<value>.*)<": "the value is greedy",
    r"<(?P<key>a)>(?P<value>.*?)\s*": "nothing ends the value",
    r"<a(?P<key>.{2,}?)>(?P<value>.*?)<": "a gap needs characters",
    r"(?:<|/)(?P<key>a)(?P<value>.*?)>": "it begins with several texts",
    r"<(?P<key>\w+)>(?P<value>.*?)</(?P=key)>": "it refers back",
    r"<a?(?P<key>[^>]*)>(?P<value>.*?)<": "the key may begin with what is optional before",
    r"a(?:b[^c]*c|b)(?P<key>b?)(?P<value>.*?)c": "there is a way past a run",
}
LONGEST = {3: 8, 4: 6, 5: 5}

Pairs = list[tuple[str | None, str | None]]


def finder(plan: TagPlan) -> Callable[[str], Pairs]:
    """Evaluate what a module says to find tags."""
    writer = ModuleWriter()
    call = writer.tags("tag", plan)
    names = {
        name: value
        for part in (character_classes, patterns, states, tags)
        for name, value in vars(part).items()
    }
    for constant in writer.constants:
        names[constant.name] = eval(constant.code, names)
    code = compile(call, "tags", "eval")

    def find(body: str) -> Pairs:
        found: Iterator[Any] = eval(code, names, {"body": body})
        return [(each["key"], each["value"]) if isinstance(each, dict) else each for each in found]

    return find


def by_regex(pattern: str, body: str) -> Pairs:
    return [match.group("key", "value") for match in regex.finditer(pattern, body, regex.DOTALL)]


@pytest.mark.parametrize("pattern", CUT)
def test_tags_in_every_short_body(pattern: str) -> None:
    plan = plan_tags(parse_pattern(pattern))
    assert plan is not None
    find = finder(plan)
    found = 0
    for body in texts_of(CUT[pattern], LONGEST[len(CUT[pattern])]):
        expected = by_regex(pattern, body)
        assert find(body) == expected, body
        found += len(expected)
    assert found


@pytest.mark.parametrize("pattern", CUT)
@given(st.data())
def test_tags_in_longer_bodies(pattern: str, data: st.DataObject) -> None:
    plan = plan_tags(parse_pattern(pattern))
    assert plan is not None
    body = data.draw(st.text(CUT[pattern], max_size=40))
    assert finder(plan)(body) == by_regex(pattern, body)


@pytest.mark.parametrize("pattern", KEPT)
def test_what_stays_with_regex(pattern: str) -> None:
    assert plan_tags(parse_pattern(pattern)) is None, KEPT[pattern]
