"""What a model could have written: text and tool calls, the same on every machine.

Ordinary text is prose, mathematics and code in about the proportions of answers to technical questions, so
``<`` comes as often as it does there, and near misses of delimiters now and then. Dense text has ``<`` in every
fifth token or so.
"""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Kind: TypeAlias = Literal["ordinary", "dense"]
Call: TypeAlias = tuple[str, dict[str, Any]]
"""The name of a tool and its arguments."""

_SMALL_TEXT = """
the of and to a in is it that for as with be on by are this was not or from at which can if then
"""
_STEMS_TEXT = """
read write pars token stream model answer question server client prompt message region field chunk event buffer
state match search pattern delimit text line word letter number list table tree graph node edge path root leaf
branch index sort merge split count measure test compil optimis load store fetch send wait start stop open clos
cut join hold drop weather city river mountain coast island ship train road bridge harbour market garden winter
summer morning evening light colour sound music paint teach learn think reason explain compar decid choos plan
build repair design draw energy force mass speed heat pressure volume surface orbit planet star field cell
protein signal circuit memory
"""
_SMALL_WORDS = _SMALL_TEXT.split()
_STEMS = _STEMS_TEXT.split()
_ENDINGS = ("", "", "", "s", "ed", "ing", "er", "able", "ment", "ly")
_RARE_WORDS = ("café", "naïve", "Zürich", "Bjørnøya", "–", "→", "…", "“quoted”", "🙂", "天気", "π")
_ZIPF = tuple(accumulate(1 / (rank + 5) for rank in range(len(_STEMS))))

_MATHEMATICS = (
    "If $a_{n} < b$ for all $n > {n}$, then $\\sum_{{i=1}}^{{n}} x_i \\le {n}$.",
    "Let $f(x) = x^{m} - {n}$; then $f'(x) = {m}x$ and $f(x) > 0$ when $|x| > {n}$.",
    "So x < {n} and y >= {m}, hence x + y <= {n} * {m}.",
    "\\[ \\int_0^{{{n}}} e^{{-t}}\\,dt = 1 - e^{{-{n}}} < 1 \\]",
    "The probability is {m}/{n}, about 0.{n}{m}, or {m}{n} in ten thousand.",
)
_CODE = (
    "def {stem}(values, limit={n}):\n    for one in values:\n        if one < limit:\n            yield one * {m}\n",
    "for (int i = 0; i < {n}; i++) {{\n    total += {stem}[i] << {m};\n}}\n",
    'List<int> {stem} = new List<int>();\nMap<String, List<int>> index = read("{stem}.json");\n',
    '<div class="{stem}">\n  <b>{stem} {n}</b>\n  <a href="#{stem}">more</a>\n</div>\n',
    '{stem} = {{"{stem}": [{n}, {m}], "limit": None}}\nassert len({stem}) <= {n}\n',
    "SELECT {stem}, count(*) FROM {stem}s WHERE {stem} >= {n} GROUP BY {stem};\n",
    "fn {stem}(input: &str) -> Option<u{m}> {{\n    input.trim().parse().ok()\n}}\n",
)
_NEAR_MISSES = (
    " a <", " <b>", " </thin", " <tool", " List<int", " <|im", " <-", " i<", " </", " x <", " <thinking", " </tool",
    " <|chan", " <i", " <<", " </param", " <arg", " <turn",
)  # fmt: skip
_WORDS_TO_A_NEAR_MISS = 3

_TOOLS = ("get_weather", "look_up", "search_files")
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Answers from a table.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer"},
                    "hours": {"type": "array", "items": {"type": "integer"}},
                    "metric": {"type": "boolean"},
                    "note": {"type": "string"},
                },
                "required": ["city"],
            },
        },
    }
    for name in _TOOLS
]
"""The tools of the calls, as ``apply_chat_template`` takes them."""


@lru_cache(maxsize=16)
def write(kind: Kind, characters: int, seed: int = 1) -> str:
    """Write at least so many characters of text. A shorter text is a beginning of a longer one of the same seed."""
    pieces: list[str] = []
    length = 0
    paragraphs = (_ordinary if kind == "ordinary" else _dense)(random.Random(f"{kind} {seed}"))
    while length < characters:
        piece = next(paragraphs)
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces)


def write_calls(count: int, seed: int = 1) -> list[Call]:
    """Make up calls of the tools: a few short arguments and a longer one each."""
    choose = random.Random(f"calls {seed}")
    return [_call(choose) for _ in range(count)]


def _call(choose: random.Random) -> Call:
    note = " ".join(_word(choose) for _ in range(choose.randrange(2, 12)))
    return choose.choice(_TOOLS), {
        "city": choose.choice(("Bergen", "Lima", "Zürich", "Nagoya", "Accra")),
        "days": choose.randrange(1, 15),
        "hours": [choose.randrange(24) for _ in range(choose.randrange(1, 5))],
        "metric": choose.random() < 0.5,
        "note": note,
    }


def _ordinary(choose: random.Random) -> Iterator[str]:
    """Give paragraphs: mostly prose, some mathematics, some code."""
    while True:
        lot = choose.random()
        if lot < 0.70:
            yield " ".join(_sentence(choose) for _ in range(choose.randrange(2, 6))) + "\n\n"
        elif lot < 0.78:
            yield "".join(f"- {_sentence(choose)}\n" for _ in range(choose.randrange(2, 6))) + "\n"
        elif lot < 0.90:
            yield f"{_sentence(choose)} {_filled(choose, _MATHEMATICS)}\n\n"
        else:
            yield (
                "```\n" + "\n".join(_filled(choose, _CODE) for _ in range(choose.randrange(1, 4))) + "```\n\n"
            )


def _dense(choose: random.Random) -> Iterator[str]:
    """Give words with a near miss of a delimiter after every few."""
    while True:
        yield "".join(" " + _word(choose) for _ in range(_WORDS_TO_A_NEAR_MISS)) + choose.choice(_NEAR_MISSES)


def _sentence(choose: random.Random) -> str:
    words = [_word(choose) for _ in range(choose.randrange(5, 18))]
    if choose.random() < 0.4:
        words[len(words) // 2] += ","
    if choose.random() < 0.02:
        words.append(choose.choice(("`<thinks>`", "`</thin`", "a `<tool` tag", "a < b")))
    text = " ".join(words)
    return text[0].upper() + text[1:] + choose.choice("....:?")


def _word(choose: random.Random) -> str:
    lot = choose.random()
    if lot < 0.45:
        return choose.choice(_SMALL_WORDS)
    if lot < 0.46:
        return choose.choice(_RARE_WORDS)
    if lot < 0.48:
        return str(choose.randrange(10_000))
    return _stem(choose) + choose.choice(_ENDINGS)


def _stem(choose: random.Random) -> str:
    return choose.choices(_STEMS, cum_weights=_ZIPF)[0]


def _filled(choose: random.Random, patterns: tuple[str, ...]) -> str:
    fill: Callable[..., str] = choose.choice(patterns).format
    return fill(n=choose.randrange(2, 99), m=choose.randrange(2, 9), stem=_stem(choose))
