"""What each code means, at length: why it matters, a template that shows it, and the template fixed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from respc.diagnostics.codes import CODES, code_named

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.resources.abc import Traversable

    from respc.diagnostics.codes import Code

_NARROWEST_TITLE: Final = 24
_FENCED: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# By the first digit of the codes.
_THEMES: Final = {
    "0": "Reading the template",
    "1": "The shape of the template and its fields",
    "2": "Delimiters and the start anchor",
    "3": "Content parsers and joining",
    "4": "Transforms",
    "5": "Text that is lost",
    "6": "What reads the message",
    "7": "Other implementations",
    "8": "Serving engines",
    "9": "Grammars",
}

_INTRODUCTION: Final = """\
# What `respc` finds

`respc check` reads a response template and says what is wrong with it, where, and how to fix it. Every kind of
finding has a code and a slug; either names it on the command line, and so do the beginning of a code, such as `RT5`,
and a severity.
This page is what `respc explain --all` prints, `respc explain RT101` prints one section of it, and
`respc explain --list` a line for each code.

- An **error** is a template that the interpreter refuses, or a field that can never work.
- A **warning** is a template that works, but loses or mangles something.
- A **note** is about style, speed and portability.

The first digit of a code is its theme. The last two digits say when it shows: from 01 the interpreter refuses the
template, from 20 the fault shows only when text is parsed, and from 40 the finding is a note. Those that begin with 8
are found only where a template is checked for a serving engine, with `--for`: an error is what the engine refuses, and
a warning what it does wrongly without saying so. Those that begin with 9 say why `respc grammar` gives no grammar.
`RT246` and `RT541` are looked for on request, with
`--extend-select`, or where `--error` or `--select` names them.

Findings are in the order of the text. Lines and columns count from 1, and columns count characters.
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a code.

    Attributes:
        code: the row of the table.
        why: why it matters to those who use the template, on one line.
        triggering: a template that has the fault.
        fixed: the same template without it.
        text: the whole explanation, in Markdown.
        is_json: whether both templates are given as the text of a file, and not sketched in words or in Python.
    """

    code: Code
    why: str
    triggering: str
    fixed: str
    text: str
    is_json: bool


def explanation_of(name: str) -> Explanation:
    """Return the explanation of the code with this code or slug; KeyError when the table has none."""
    return _read(code_named(name))


@cache
def _read(code: Code) -> Explanation:
    # Git may have written the line ends of the platform.
    text = _file_of(code).read_text(encoding="utf-8").replace("\r\n", "\n")
    (language, triggering), (fixed_language, fixed) = _FENCED.findall(text)
    why = " ".join(text.partition("\n\n")[0].split())
    return Explanation(code, why, triggering, fixed, text, language == fixed_language == "json")


def link_to(code: Code, documentation: str | None = None) -> str | None:
    """Return where a code is explained.

    Args:
        code: the row of the table.
        documentation: where the page of all codes is published; None for the file that came with the compiler.

    Returns:
        A URL; None where that file is in an archive.
    """
    if documentation is not None:
        return f"{documentation}#{code.code.lower()}-{code.slug}"
    file = _file_of(code)
    return file.as_uri() if isinstance(file, Path) else None


def _file_of(code: Code) -> Traversable:
    return files("respc.diagnostics") / "explained" / f"{code.code}.md"


def short_list(width: int | None = None) -> str:
    """Return a line for each code, with what is only looked for on request marked; more lines where a width is full."""
    from respc.diagnostics.render.wrapping import wrapped

    slugs = max(len(code.slug) for code in CODES)
    lines: list[str] = []
    for code in CODES:
        title = code.title if code.by_default else f"(on request) {code.title}"
        lead = f"{code.code}  {code.severity.value:7}  {code.slug:{slugs}}  "
        room = len(title) if width is None else max(width - len(lead), _NARROWEST_TITLE)
        rest = f"\n{' ' * len(lead)}".join(wrapped(title, room))
        lines.append(f"{lead}{rest}\n")
    return "".join(lines)


def docs_page() -> str:
    """Return the page about all codes, in Markdown."""
    parts = [_INTRODUCTION]
    for digit, codes in groupby(CODES, key=lambda code: code.code[2]):
        parts.append(f"## {_THEMES[digit]}\n\n{_table(codes)}")
    parts += map(_section, CODES)
    return "\n".join(parts)


def _table(codes: Iterable[Code]) -> str:
    lines = ["| code | slug | severity | title |", "| --- | --- | --- | --- |"]
    for code in codes:
        link = f"[{code.code}](#{code.code.lower()}-{code.slug})"
        lines.append(f"| {link} | `{code.slug}` | {code.severity.value} | {code.title} |")
    return "\n".join(lines) + "\n"


def _section(code: Code) -> str:
    title = f"**{code.severity.value.capitalize()}.** {code.title}"
    return f"## {code.code} {code.slug}\n\n{title}\n\n{explanation_of(code.code).text.strip()}\n"
