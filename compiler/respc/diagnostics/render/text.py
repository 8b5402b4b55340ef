"""For people: a headline, the place in the source with the line underlined, and how to fix it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text

from respc.diagnostics.codes import Severity
from respc.diagnostics.explanations import explanation_of
from respc.diagnostics.model import by_place
from respc.diagnostics.render.excerpt import NARROWEST, excerpt
from respc.diagnostics.render.wrapping import wrapped
from respc.diagnostics.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from respc.diagnostics.model import Diagnostic
    from respc.source.spans import SourceText, Span

_SEVERITY_STYLES: Final = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.NOTE: "bold cyan",
}
_FRAME_STYLE: Final = "bold blue"


def print_text(
    console: Console,
    diagnostics: Iterable[Diagnostic],
    name: str,
    source: SourceText | None = None,
    *,
    unsafe_fixes: bool = False,
) -> None:
    """Print the findings about a template in the order of its text, with an empty line between them.

    Args:
        console: where.
        diagnostics: the findings.
        name: what the template is called.
        source: the text that their spans are places in; without it, only the places are named.
        unsafe_fixes: whether what has only an unsafe fix is marked with ``[*]``, too.
    """
    explained: set[str] = set()
    for number, diagnostic in enumerate(by_place(diagnostics)):
        if number:
            console.out("")
        code = diagnostic.code.code
        # Once is enough, however often the same is found.
        why = None if code in explained else explanation_of(code).why
        explained.add(code)
        shown = render_text(
            diagnostic,
            name,
            source,
            why=why,
            marked=diagnostic.is_fixed(unsafe=unsafe_fixes),
            width=console.width,
            wraps=console.is_terminal,
            encoding=console.encoding,
        )
        # What is still wider, such as a long path, is left to the terminal.
        console.print(shown, soft_wrap=True, highlight=False)


def render_text(
    diagnostic: Diagnostic,
    name: str,
    source: SourceText | None,
    *,
    why: str | None = None,
    marked: bool = False,
    width: int = 80,
    wraps: bool = False,
    encoding: str = "utf-8",
) -> Text:
    """Return one finding as styled text of several lines.

    Args:
        diagnostic: the finding.
        name: what the template is called.
        source: its text, if there is one.
        why: why it matters.
        marked: whether ``[*]`` says that it has a fix.
        width: how wide the terminal is.
        wraps: whether sentences are broken at that width, as for a terminal; a file or a pipe has a line for each.
        encoding: what the terminal can show.
    """
    span = diagnostic.span
    page = _Page(Text(), width if wraps else None, encoding)
    margin = " " * (1 if span is None else len(str(span.line)))
    style = _SEVERITY_STYLES[diagnostic.severity]
    kind = f"{diagnostic.severity.value}[{diagnostic.code.code}]"
    mark = " [*]" if marked else ""
    page.append(kind, style)
    page.append(mark, "bold green")
    page.append_sentence(f": {diagnostic.message}", "bold", start=len(kind + mark), indent=4)
    page.append(f"\n{margin}--> ", _FRAME_STYLE)
    page.append(visible(_location(diagnostic, name), encoding))
    remarks = [("why", why), ("help", diagnostic.help), *(("note", note) for note in diagnostic.notes)]
    if span is not None and source is not None and span.line <= source.line_count:
        _append_excerpt(page, diagnostic.label, span, source, style, width=width)
        if any(remark is not None for _, remark in remarks):
            page.append(f"\n{margin} |", _FRAME_STYLE)
    for kind, remark in remarks:
        if remark is None:
            continue
        lead = f"{margin} = "
        page.append(f"\n{lead}", _FRAME_STYLE)
        page.append(f"{kind}: ", "bold")
        start = len(f"{lead}{kind}: ")
        page.append_sentence(remark, "", start=start, indent=start)
    return page.text


@dataclass(frozen=True, slots=True)
class _Page:
    """What a finding is written on; ``width`` is None where no line is broken."""

    text: Text
    width: int | None
    encoding: str

    def append(self, shown: str, style: str = "") -> None:
        """Write what stands as it is."""
        self.text.append(shown, style)

    def append_sentence(self, sentence: str, style: str, *, start: int, indent: int) -> None:
        """Write from a column on, and at the indent where the line is full."""
        shown = visible(sentence, self.encoding)
        if self.width is not None:
            lines = wrapped("x" * (start - indent) + shown, max(self.width - indent, NARROWEST))
            shown = f"\n{' ' * indent}".join(lines)[start - indent :]
        self.text.append(shown, style)


def _append_excerpt(
    page: _Page, label: str | None, span: Span, source: SourceText, style: str, *, width: int
) -> None:
    number = str(span.line)
    margin = " " * len(number)
    room = width - len(number) - 3
    piece = excerpt(source.line(span.line), span, room, page.encoding)
    page.append(f"\n{margin} |\n{number} | ", _FRAME_STYLE)
    page.append(piece.text)
    underline = " " * piece.offset + "^" * piece.width
    shown = "" if label is None else visible(label, page.encoding)
    fits = page.width is None or cell_len(f"{underline} {shown}") <= room
    lines = [f"{underline} {shown}".rstrip()] if fits else [underline, *_below(shown, piece.offset, room)]
    for line in lines:
        page.append(f"\n{margin} | ", _FRAME_STYLE)
        page.append(line, style)


def _below(label: str, offset: int, room: int) -> list[str]:
    """Break a label that has no place beside the carets, and put it below them, or as far to the left as it needs."""
    room = max(room, NARROWEST)
    indent = min(offset, max(room - cell_len(label), room // 3))
    return [" " * indent + line for line in wrapped(label, room - indent)]


def _location(diagnostic: Diagnostic, name: str) -> str:
    span = diagnostic.span
    if span is not None:
        return f"{name}:{span.line}:{span.column}"
    return f"{name} at {diagnostic.pointer}" if diagnostic.pointer else name
