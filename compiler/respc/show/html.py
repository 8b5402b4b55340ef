"""The state machine as a page of its own: the picture, and the table below it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from respc.show.breaks import pieces_of
from respc.show.model import with_blanks_shown
from respc.show.page_style import PAGE_STYLE
from respc.show.svg import svg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.show.model import Machine, Row

# No name is broken while there is room for it; patterns are broken between tokens.
_STYLE: Final = """
h1{margin-bottom:1rem}
figure{margin:0 0 1.5rem;overflow-x:auto}
figure svg{display:block;max-width:100%;min-width:42rem;height:auto}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);
overflow-wrap:break-word}
th,.part{white-space:nowrap}
thead th{color:var(--muted);font-weight:600}
tbody tr:first-child>*{border-top:2px solid var(--strong)}
.part,.nothing{color:var(--muted)}
td code{white-space:pre-wrap}
.written{min-width:14rem}
.written code{overflow-wrap:anywhere}
.outside{color:var(--muted)}
@media (max-width:48rem){
table,tbody,tr,th,td{display:block}
thead{display:none}
th,.part{white-space:normal;overflow-wrap:anywhere}
tbody{border-top:2px solid var(--strong);padding:.5rem 0}
tbody tr:first-child>*{border-top:0}
th,td{border:0;padding:.125rem 0;overflow-wrap:anywhere}
.part{margin-top:.5rem;font-weight:600}
.written{min-width:0}
td[data-heading]::before{content:attr(data-heading) ": ";color:var(--muted)}
}
"""
_HEADINGS: Final = ("field", "part", "as written", "what it becomes", "held back")


def html(machine: Machine) -> str:
    """Write the page."""
    return "".join(f"{line}\n" for line in _lines(machine))


def _lines(machine: Machine) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(machine.title)}</title>"
    yield f"<style>{PAGE_STYLE}{_STYLE}</style></head>"
    yield "<body>"
    yield f"<h1>{escape(machine.title)}</h1>"
    yield '<figure tabindex="0" aria-label="The state machine">'
    yield svg(machine, titled=False).rstrip("\n")
    yield "</figure>"
    yield '<div class="table"><table>'
    headings = "".join(f'<th scope="col">{heading}</th>' for heading in _HEADINGS)
    yield f"<thead><tr>{headings}</tr></thead>"
    for number, row in enumerate(machine.rows()):
        if row.field or not number:
            yield f"{'</tbody>' if number else ''}<tbody>"
        yield _row(row)
    yield "</tbody></table></div>"
    if machine.outside:
        yield f'<p class="outside">Outside the regions: {escape(machine.outside)}.</p>'
    yield "</body>"
    yield "</html>"


def _row(row: Row) -> str:
    written = f"<code>{_breakable(row.written)}</code>" if row.is_text else escape(row.written)
    cells = (
        f'<th scope="row">{escape(row.field)}</th>',
        f'<td class="part">{escape(row.part)}</td>',
        f'<td class="written">{written}</td>',
        _cell("what it becomes", row.compiled),
        _cell("held back", row.held),
    )
    return f"<tr>{''.join(cells)}</tr>"


def _cell(heading: str, text: str) -> str:
    return f'<td data-heading="{heading}">{_with_code(text)}</td>' if text else "<td></td>"


def _breakable(text: str) -> str:
    """Let lines end where delimiters begin, which nobody sees where they do not."""
    return "<wbr>".join(map(escape, pieces_of(text)))


def _with_code(text: str) -> str:
    """Set what is quoted in backquotes as code, unless it has backquotes of its own."""
    if "``" in text or text.count("`") % 2:
        return escape(text)
    parts = text.split("`")
    return "".join(
        f"<code>{_breakable(with_blanks_shown(part))}</code>" if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )
