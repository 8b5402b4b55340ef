"""What is looked at to find the tags of a body grows as the body does, whatever it is made of."""

from __future__ import annotations

from contextlib import suppress

import pytest

from support.counted_work import Counter
from support.hostile_texts import FILLINGS, examples, repeat
from support.tag_finding import finder, planned

MOST_GROWTH = 2.2
SMALL = 200
LENGTHS = (2_000, 4_000)

PATTERNS = {
    "text": r"<p=(?P<key>[^>]+)>\s*(?P<value>.*?)\s*</p>",
    "newlines": r"<p[= ](?P<key>[^<>\n]+)>\n?(?P<value>.*?)(?:\n?</p>(?:\s*</f>)?|\n?(?=<p[= ]))",
    "blanks": r"<p=(?P<key>[^<>\n]+)>(?P<value>.*?)(?:\s*</p>|\s*(?=<p=))",
    "key first": r"<k>(?P<key>[^<]+)</k>\s*<v>(?P<value>.*?)(?:</v>|\n?(?=<k>))",
    "several ways": r"<p=(?P<key>[^<>\n]+)>(?:<!\[(?P<value>.*?)\]>|(?P<value>.*?))(?:</p>|\n?(?=<p=))",
    "an attribute": r'<p\b[^>]*?\bn="(?P<key>[^"]+)"[^>]*?>(?P<value>.*?)</p>',
    "wrapped": r'<p n="(?P<key>[^"]+)">(?:<!\[)?(?P<value>.*?)(?:\]>)?</p>',
    "with its marks": r"<p=(?P<key>[^<>]+) s=(?:f>(?P<value>.*?)(?:</p>|\n?(?=<p=))|(?P<value>t>.*?</p>))",
}


def bodies(pattern: str) -> dict[str, str]:
    """Write what tags are made of over and over, alone or inside a value."""
    made: dict[str, str] = dict(FILLINGS)
    for tag in examples(pattern):
        for start, end in ((0, None), (0, -1), (0, len(tag) // 2), (len(tag) // 2, None)):
            made |= {
                repr(tag[start:end]): tag[start:end],
                f"{tag[start:end]!r} and a blank": f"{tag[start:end]}\n",
            }
            made |= {f"{tag[start:end]!r} and a word": f"{tag[start:end]} x"}
    return {what: text for what, text in made.items() if text}


@pytest.mark.parametrize("strict", [False, True], ids=["lenient", "strict"])
@pytest.mark.parametrize("what", PATTERNS)
def test_work_doubles_with_the_body(what: str, strict: bool) -> None:
    pattern = PATTERNS[what]
    counter = Counter()
    find = finder(planned(pattern), strict=strict, counter=counter)

    def work(body: str) -> int:
        counter.characters = 0
        with suppress(ValueError):  # what was looked at until then counts as well
            find(body)
        return counter.characters

    beginnings = ["", *(tag[: len(tag) * 2 // 3] for tag in examples(pattern)), *examples(pattern)]
    for beginning in dict.fromkeys(beginnings):
        for name, text in bodies(pattern).items():
            once, twice = (work(repeat(text, beginning)(length)) for length in LENGTHS)
            assert twice <= MOST_GROWTH * max(once, SMALL), (beginning, name)
