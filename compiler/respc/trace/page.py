"""A trace as a page of its own, which plays the chunks: one file, without anything from outside.

Its text is complete without a script; the script only says of what is there whether it has come yet.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from respc.corpora import json_text
from respc.diagnostics import visible
from respc.show.page_style import PAGE_STYLE
from respc.trace.deltas import change_of
from respc.trace.rows import rows
from respc.trace.told import name_of, shortened, shortened_values, summary_of, told_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2 import Template

    from respc.trace.model import Sentence, Step, Trace
    from respc.trace.rows import Piece, Row
    from respc.trace.told import Told

LONGEST_SHOWN: Final = 60_000
"""So much of the text is on the page,"""
MOST_ROWS: Final = 1_000
"""and so many regions."""
_LONGEST_CHUNK: Final = 80
_LONGEST_VALUE: Final = 2_000
_MOST_ELEMENTS: Final = 40
_COLOURS: Final = 8


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece of the text: ``spoken`` is what those hear who do not see its colour."""

    classes: str
    start: int
    end: int
    lines: tuple[str, ...]
    spoken: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the text; it is known to be unread from the step ``failed_at`` on."""

    classes: str
    name: str
    reason: str
    failed_at: int | None
    pieces: tuple[ShownPiece, ...]


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """An event of a step."""

    kind: str
    colour: int | None
    field: str
    said: str


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step of the list."""

    name: str
    chunk: str
    events: tuple[ShownEvent, ...]
    more_events: int
    held: str
    why: tuple[Sentence, ...]
    failure: str


def page(trace: Trace) -> str:
    """Write the page."""
    style, script = PAGE_STYLE + _part("page.css"), _part("page.js")
    shown = _Showing(trace)
    laid_out = rows(trace, LONGEST_SHOWN, MOST_ROWS)
    end = max((piece.end for row in laid_out for piece in row.pieces), default=0)
    return _template().render(
        title=visible(trace.title),
        summary=summary_of(trace),
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'",
        style=style,
        script=script,
        rows=[shown.row(row) for row in laid_out],
        left_out=len(trace.text) - end,
        steps=[shown.step(step) for step in trace.steps],
        message=shown.messages[-1] if trace.steps else "",
        failure=shown.failure,
        data=_in_script(shown.data()),
    )


@dataclass(frozen=True, slots=True)
class _Showing:
    trace: Trace

    @property
    def failure(self) -> str:
        """What the parser raised; empty for nothing."""
        failure = self.trace.failure
        return "" if failure is None else visible(f"{failure.error}: {failure.message}")

    def colour(self, field: str | None) -> int | None:
        """Give the number of the colour of a field."""
        return self.trace.fields.index(field) % _COLOURS if field in self.trace.fields else None

    def row(self, row: Row) -> ShownRow:
        """Decide how a row is shown."""
        colour = self.colour(row.field)
        bad = next((piece for piece in reversed(row.pieces) if piece.kind == "unread"), None)
        return ShownRow(
            classes=f"row of-{row.kind}" + ("" if colour is None else f" field-{colour}"),
            name="outside" if row.field is None else visible(row.field) or '""',
            reason=visible(row.reason),
            failed_at=None if bad is None else self._step_behind(bad.end),
            pieces=tuple(self._pieces(row)),
        )

    def _step_behind(self, place: int) -> int:
        found = (step.number for step in self.trace.steps if step.decided > place)
        return next(found, len(self.trace.steps) - 1)

    def _pieces(self, row: Row) -> Iterator[ShownPiece]:
        before: Piece | None = None
        for piece in row.pieces:
            says = {"opener": "opener ", "closer": "closer ", "unread": "unread "}.get(piece.kind, "")
            if before is not None and before.kind == piece.kind:
                says = ""
            classes = f"piece {piece.kind}" + (" prompt" if piece.from_prompt else "")
            yield ShownPiece(
                classes, piece.start, piece.end, tuple(map(visible, piece.text.split("\n"))), says
            )
            before = piece

    def step(self, step: Step) -> ShownStep:
        """Decide how a step is shown."""
        chunk = self.trace.text[step.start : step.known]
        told, more = told_of(step.events)
        failed = bool(self.failure) and step is self.trace.steps[-1]
        return ShownStep(
            name=name_of(step, self.trace),
            chunk=visible(shortened(chunk, _LONGEST_CHUNK)),
            events=tuple(map(self._event, told)),
            more_events=more,
            held="" if step.held is None else visible(shortened(step.held.text, _LONGEST_CHUNK)),
            why=() if step.held is None else tuple(map(_shown, step.held.sentences)),
            failure=self.failure if failed else "",
        )

    def _event(self, told: Told) -> ShownEvent:
        field = "" if told.field is None else visible(told.field) or '""'
        return ShownEvent(told.kind, self.colour(told.field), field, visible(told.said))

    def message(self, message: Any) -> str:
        """Give a message as lines of JSON."""
        text = json_text(shortened_values(message, _LONGEST_VALUE, _MOST_ELEMENTS), indent=2)
        return "\n".join(map(visible, text.split("\n")))

    @property
    def messages(self) -> list[str]:
        """Give the message after each step; the last one is the parser's own."""
        found = [step.message for step in self.trace.steps]
        if self.trace.message is not None:
            found[-1] = self.trace.message
        return list(map(self.message, found))

    def _places(self, step: Step) -> dict[str, Any]:
        return {
            "name": name_of(step, self.trace),
            "start": step.start,
            "decided": step.decided,
            "known": step.known,
            "field": None if step.field is None else visible(step.field) or '""',
        }

    def data(self) -> dict[str, Any]:
        """Give what the script has to know."""
        messages = self.messages
        steps = [self._places(step) for step in self.trace.steps]
        if self.trace.failure is not None and steps:
            # Nothing is held back any more: it is known that the rest is not read.
            steps[-1] |= {"decided": len(self.trace.text), "known": len(self.trace.text)}
        changes = [
            change_of(before, message) for before, message in zip(["", *messages], messages, strict=False)
        ]
        return {"steps": steps, "messages": changes}


def _shown(sentence: Sentence) -> Sentence:
    return tuple(visible(shortened(part, _LONGEST_CHUNK)) for part in sentence)


@cache
def _template() -> Template:
    # Imported here because it takes longer than all else.
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=True
    )
    return environment.from_string(_part("page.html.j2"))


@cache
def _part(name: str) -> str:
    file = files("respc.trace") / "templates" / name
    # Git may have written the line ends of the platform.
    return file.read_text(encoding="utf-8").replace("\r\n", "\n")


def _hash(text: str) -> str:
    """Name a text as a content security policy does."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}"


def _in_script(value: object) -> str:
    """Write JSON in which nothing can end a script, or begin a comment of HTML."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
