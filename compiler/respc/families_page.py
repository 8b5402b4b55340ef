"""The page about the ready-made parsers, in Markdown."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from respc.diagnostics import listed
from respc.engines import ENGINES, template_for_engine
from respc.errors import TemplateError
from respc.families import families, family_template
from respc.source import pointer_keys
from respc_parsers import model_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.engines import Engine
    from respc.families import Family
    from respc_parsers import ModelRow

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
- The **models** are examples, not all that there are: more are [below](#by-the-name-of-a-model).

But for the [limits](#limits) named below, their templates lose no text, take tool names with hyphens and dots, and
`respc check --strict` has nothing to say about them. Messages that are written as each family's models write them come
back equal, at once and in any chunking. What is written otherwise, [careful
parsers](serving.md#with-more-care-than-the-interpreter) read or report.

"""
_BY_NAME: Final = """
## By the name of a model

`for_model` imports the parser for a model by its name on the Hugging Face Hub, and `respc list --model NAME` shows it:

```python
from respc_parsers import for_model

for_model("Qwen/Qwen3-8B").parse_response("Hello!", prefix="")
# {'role': 'assistant', 'content': 'Hello!'}
```

It goes by this table alone, the first row that fits, in any case of letters:

- `*` stands for words between hyphens that say nothing of the format: sizes, dates, `Instruct`, `Chat`, `Base`, `it`.
  A name with any other word, such as that of a model which somebody has trained further, has no parser by its name.
- Words that say how the weights are stored (`GGUF`, `AWQ`, `FP8`, `4bit`, and so on) may follow every pattern.
- A model of an owner who is not in the table, as a quantised copy, and a path go by the part behind the last slash,
  unless rows of several owners fit and name different parsers.
- A version that is not in the table has no parser, whatever is near it: makers change the format from one to the next.
  `for_model` raises a `KeyError` that names the nearest rows. Compare the parser's template with the model's chat
  template before you take one of those.

What a row was **checked against** says how much to trust it: a chat template is what the model was trained to write,
and its renderings come back equal in the project's tests; after "documentation only", look for yourself first.

"""
_IN_ENGINES: Final = """
## In serving engines

The adapters of {engines} take less than the interpreter, and none of these
templates as it is. `respc engine-template NAME --for vllm` writes
[what they take](serving_engines.md#templates-that-engines-take), and says what is different:

- **yes**: the reasoning, if there is any, is called `thinking`, and nothing is between two regions of text.
- **by literals**: besides, literals close the reasoning, so that structured outputs begin behind it. What is no
  literal, such as a call that begins in reasoning which was not closed, ends it no more.
- **by a pattern**: a pattern closes the reasoning, as before: there are no literals for it, or they are words.
- **no**: the engine has no place for the field, or no content parser for it, and only `--drop` leaves it out.

"""
_CHAT_TEMPLATES: Final = """
## Checked against chat templates

"""
_HEADINGS: Final = ("parser", "format", "models", "reasoning starts", "tokens to keep")
REASONING_STARTS: Final = {"output": "in the output", "prompt": "in the prompt", "none": "never"}


def docs_page() -> str:
    """Return the page about all ready-made parsers."""
    found = tuple(families().values())
    by_name = _BY_NAME + _models(model_rows())
    in_engines = _in_engines(found)
    return (
        _INTRODUCTION
        + _table(found)
        + by_name
        + in_engines
        + _chat_templates(found)
        + _limits(found)
        + _sources(found)
    )


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


def _models(rows: Sequence[ModelRow]) -> str:
    lines = [_row(("model", "parser", "checked against")), _row("---" for _ in range(3))]
    lines += [_row((_code(row.pattern), f"`{row.family}`", _escaped(row.checked))) for row in rows]
    return "\n".join(lines) + "\n"


def _in_engines(found: Sequence[Family]) -> str:
    engines = tuple(ENGINES.values())
    alike: dict[tuple[str, ...], list[str]] = {}
    for family in found:
        taken = tuple(_taken(family, engine) for engine in engines)
        alike.setdefault(taken, []).append(f"`{family.name}`")
    lines = [_row([*(engine.title for engine in engines), "parsers"]), _row("---" for _ in (*engines, ""))]
    lines += [_row((*taken, " ".join(names))) for taken, names in sorted(alike.items())]
    named = " and ".join(f"{engine.title} {engine.version}" for engine in engines)
    return _IN_ENGINES.format(engines=named) + "\n".join(lines) + "\n"


def _taken(family: Family, engine: Engine) -> str:
    """Say how an engine takes the template of a family."""
    template = family_template(family.name)
    try:
        made = template_for_engine(template, engine)
    except TemplateError as refused:
        fields = dict.fromkeys(pointer_keys(each.pointer)[1] for each in refused.diagnostics)
        return f"no: {listed(fields)}"
    slug = "engine-reasoning-closer"
    if any(each.code.slug == slug for each in made.left):
        return "by a pattern"
    return "by literals" if any(each.code.slug == slug for each in made.changes) else "yes"


def _chat_templates(found: Sequence[Family]) -> str:
    without: dict[str, list[str]] = {}
    for family in found:
        if family.chat_template:
            without.setdefault(family.chat_template, []).append(f"`{family.name}`")
    groups = "; ".join(f"{', '.join(names)} ({why})" for why, names in without.items())
    but = f" but these: {groups}" if groups else ""
    return _CHAT_TEMPLATES + f"The tests read what chat templates write with every parser{but}.\n"


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
