"""The page about the ready-made parsers, in Markdown."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from respc.families import families

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.families import Family

_INTRODUCTION: Final = """\
# Ready-made parsers

The package `respc_parsers` has compiled parsers for formats that many models write. Each is a module with the names
that every compiled module has, and both parsers, `ResponseParser` and [`ServingParser`](serving.md#events-for-servers):

```python
from respc_parsers import smollm3

smollm3.parse_response("Hello!", prefix="")
# {'role': 'assistant', 'content': 'Hello!'}
```

The command takes the name of a parser in the place of a template: `respc check smollm3` checks it, and
`respc compile smollm3 -o my_parser.py` makes a module of your own. `respc list` prints the table.

- **reasoning starts** says who opens the reasoning: the model, in its output; the prompt, which the parser then has
  to be given as `prefix`; or nobody.
- **tokens to keep** are special tokens. A detokeniser must not drop them (`skip_special_tokens=False`), or the parser
  cannot see where a region starts and ends.
- The **models** are examples, not all that there are. Other models of the same makers can write another format:
  compare the parser's template with the model's chat template first.

"""
_HEADINGS: Final = ("parser", "format", "models", "reasoning starts", "tokens to keep")
REASONING_STARTS: Final = {"output": "in the output", "prompt": "in the prompt", "none": "never"}


def docs_page() -> str:
    """Return the page about all ready-made parsers."""
    found = tuple(families().values())
    return _INTRODUCTION + _table(found) + _limits(found) + _sources(found)


def _table(found: Sequence[Family]) -> str:
    rows = [_row(_HEADINGS), _row("---" for _ in _HEADINGS)]
    for family in found:
        cells = (
            f"`{family.name}`",
            _escaped(family.title),
            "<br>".join(map(_code, family.models)),
            REASONING_STARTS[family.reasoning],
            " ".join(map(_code, family.tokens)),
        )
        rows.append(_row(cells))
    return "\n".join(rows) + "\n"


def _limits(found: Sequence[Family]) -> str:
    lines = [f"- `{family.name}`: {family.limits}.\n" for family in found if family.limits]
    return "\n## Limits\n\n" + "".join(lines) if lines else ""


def _sources(found: Sequence[Family]) -> str:
    lines = [f"- `{family.name}`: {family.source}\n" for family in found]
    return "\n## Where the facts are from\n\n" + "".join(lines) if lines else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    # Inside backticks a bar, as most special tokens have, ends the cell in one Markdown or another.
    return f"<code>{_escaped(text)}</code>" if "|" in text else f"`{text}`"


def _escaped(text: str) -> str:
    return escape(text, quote=False).replace("|", "&#124;")
