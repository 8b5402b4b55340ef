"""For people: a headline, the place in the source with the line underlined, and how to fix it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from respc.diagnostics.codes import Severity
from respc.diagnostics.explanations import explanation_of
from respc.diagnostics.model import by_place
from respc.diagnostics.render.excerpt import excerpt
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
            encoding=console.encoding,
        )
        # Soft wrapping leaves long lines to the terminal: breaking them would displace the underline.
        console.print(shown, soft_wrap=True, highlight=False)


def render_text(
    diagnostic: Diagnostic,
    name: str,
    source: SourceText | None,
    *,
    why: str | None = None,
    marked: bool = False,
    width: int = 80,
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
        encoding: what the terminal can show.
    """
    span = diagnostic.span
    margin = " " * (1 if span is None else len(str(span.line)))
    style = _SEVERITY_STYLES[diagnostic.severity]
    kind = f"{diagnostic.severity.value}[{diagnostic.code.code}]"
    mark = " [*]" if marked else ""
    shown = Text.assemble(
        (kind, style), (mark, "bold green"), (f": {visible(diagnostic.message, encoding)}", "bold")
    )
    shown.append(f"\n{margin}--> ", _FRAME_STYLE)
    shown.append(visible(_location(diagnostic, name), encoding))
    remarks = [("why", why), ("help", diagnostic.help), *(("note", note) for note in diagnostic.notes)]
    if span is not None and source is not None and span.line <= source.line_count:
        _append_excerpt(shown, diagnostic.label, span, source, style, width=width, encoding=encoding)
        if any(remark is not None for _, remark in remarks):
            shown.append(f"\n{margin} |", _FRAME_STYLE)
    for kind, remark in remarks:
        if remark is None:
            continue
        shown.append(f"\n{margin} = ", _FRAME_STYLE)
        shown.append(f"{kind}: ", "bold")
        shown.append(visible(remark, encoding))
    return shown


def _append_excerpt(
    shown: Text, label: str | None, span: Span, source: SourceText, style: str, *, width: int, encoding: str
) -> None:
    number = str(span.line)
    margin = " " * len(number)
    piece = excerpt(source.line(span.line), span, width - len(number) - 3, encoding)
    shown.append(f"\n{margin} |\n{number} | ", _FRAME_STYLE)
    shown.append(piece.text)
    shown.append(f"\n{margin} | ", _FRAME_STYLE)
    underline = " " * piece.offset + "^" * piece.width
    shown.append(underline if label is None else f"{underline} {visible(label, encoding)}", style)


def _location(diagnostic: Diagnostic, name: str) -> str:
    span = diagnostic.span
    if span is not None:
        return f"{name}:{span.line}:{span.column}"
    return f"{name} at {diagnostic.pointer}" if diagnostic.pointer else name
