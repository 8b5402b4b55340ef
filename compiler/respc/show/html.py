"""The state machine as a page of its own: the picture, and the table below it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from respc.show.svg import svg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.show.model import Machine, Row

_STYLE: Final = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1f2328;background:#fff}
svg{max-width:100%;height:auto}
table{border-collapse:collapse;width:100%;margin-top:1.5rem;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #d5d9de;overflow-wrap:anywhere}
tr.field>*{border-top:2px solid #8b949e}
code{font-family:ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap}
@media (prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}}
"""
_HEADINGS: Final = ("field", "", "as written", "what it becomes", "held back")


def html(machine: Machine) -> str:
    """Write the page."""
    return "".join(f"{line}\n" for line in _lines(machine))


def _lines(machine: Machine) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    yield f"<title>{escape(machine.title)}</title>"
    yield f"<style>{_STYLE}</style></head>"
    yield "<body>"
    yield f"<h1>{escape(machine.title)}</h1>"
    yield svg(machine).rstrip("\n")
    yield "<table>"
    yield f"<tr>{''.join(f'<th>{heading}</th>' for heading in _HEADINGS)}</tr>"
    yield from map(_row, machine.rows())
    yield "</table>"
    if machine.outside:
        yield f"<p>Outside the regions: {escape(machine.outside)}.</p>"
    yield "</body>"
    yield "</html>"


def _row(row: Row) -> str:
    cells = (
        f"<th>{escape(row.field)}</th>",
        f"<td>{escape(row.part)}</td>",
        f"<td><code>{escape(row.written)}</code></td>",
        f"<td>{escape(row.compiled)}</td>",
        f"<td>{escape(row.held)}</td>",
    )
    opening = '<tr class="field">' if row.field else "<tr>"
    return f"{opening}{''.join(cells)}</tr>"
