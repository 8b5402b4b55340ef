"""Why a message did not come back: which delimiter, field or argument it is about, and where in the text that shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import regex

from respc.source.json_kinds import is_list
from respc.verifying.comparing import MISSING, Difference, comparable
from respc.verifying.cuts import pieces_of
from respc.verifying.marks import MARK, find
from respc.verifying.outcomes import Finding, Kind

if TYPE_CHECKING:
    from respc.verifying.generations import Generation
    from respc.verifying.reading import Read

_LONGEST: Final = 160


@dataclass(frozen=True)
class TemplateFacts:
    """What findings say of a response template.

    Attributes:
        template: the template, which compiles.
    """

    template: dict[str, Any]

    @property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The fields by name."""
        return cast("dict[str, dict[str, Any]]", self.template.get("fields", {}))

    def delimiter(self, field: str, which: str) -> str:
        """Write an opener or a closer of a field as the template has it; "" where there is none."""
        found = self.fields.get(field, {})
        value = found.get(which, found.get(f"{which}_pattern"))
        return "" if value is None else shown(value)

    def literals(self, field: str, which: str) -> list[str]:
        """Give the literals of an opener or a closer."""
        value = self.fields.get(field, {}).get(which)
        if is_list(value):
            return [each for each in value if isinstance(each, str)]
        return [value] if isinstance(value, str) else []

    @property
    def anchor(self) -> str:
        """The start anchor, as the template has it; "" where there is none."""
        value = self.template.get("start_anchor", self.template.get("start_anchor_pattern"))
        return "" if value is None else shown(value)

    @cached_property
    def _anchor_pattern(self) -> regex.Pattern[str] | None:
        pattern = self.template.get("start_anchor_pattern")
        if isinstance(pattern, str):
            return regex.compile(pattern, regex.DOTALL)
        value: Any = self.template.get("start_anchor")
        literals = [value] if isinstance(value, str) else cast("list[str]", value or [])
        if not literals:
            return None
        return regex.compile("|".join(regex.escape(each) for each in literals))

    def anchor_end(self, prefix: str) -> int | None:
        """Return where the last match of the anchor ends; None where it has none, and 0 without an anchor."""
        pattern = self._anchor_pattern
        if pattern is None:
            return 0
        ends = [match.end() for match in pattern.finditer(prefix)]
        return ends[-1] if ends else None


def shown(value: object) -> str:
    """Write a value as JSON, and not at length."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def finding(facts: TemplateFacts, generation: Generation, read: Read, differs: Difference | None) -> Finding:
    """Say why a message did not come back.

    Args:
        facts: of the response template.
        generation: the text, and its prompt.
        read: what came of it.
        differs: the first difference; None where it cannot be read at all.
    """
    text = generation.text
    anchored = facts.anchor_end(generation.cut.prefix)
    if anchored is None:
        return Finding(Kind.ANCHOR, f"the start anchor {facts.anchor}", _of_anchor(differs, read))
    if 0 < anchored <= generation.cut.turn_at:
        detail = f"it is last found in an earlier turn; {_of_anchor(differs, read)}"
        return Finding(Kind.ANCHOR, f"the start anchor {facts.anchor}", detail)
    if read.unclosed is not None and _has_closer(facts, read.unclosed):
        at, length = _place_of_opener(facts, generation, read.unclosed)
        closer = facts.delimiter(read.unclosed, "close")
        detail = read.error or (_outcome(differs) if differs else "")
        return Finding(Kind.UNCLOSED, f"`{read.unclosed}`, whose closer is {closer}", detail, at, length)
    if differs is None:
        field = read.field or "the message"
        at = _place(text, read.excerpt) if read.excerpt else None
        return Finding(Kind.UNREADABLE, f"`{field}`", read.error or "", at)
    if differs.part == "tool_calls":
        return _of_calls(facts, generation, read, differs)
    return _of_text(facts, generation, differs)


def _of_anchor(differs: Difference | None, read: Read) -> str:
    return read.error or "" if differs is None else _outcome(differs)


def _outcome(differs: Difference) -> str:
    about = differs.part if not differs.argument else f"the argument `{differs.argument}`"
    return f"{about}: {shown(differs.wanted)} became {shown(differs.got)}"


def _has_closer(facts: TemplateFacts, field: str) -> bool:
    has_opener = bool(facts.delimiter(field, "open"))
    return has_opener and bool(facts.delimiter(field, "close"))


def _place_of_opener(facts: TemplateFacts, generation: Generation, field: str) -> tuple[int | None, int]:
    for literal in facts.literals(field, "open"):
        if (at := generation.text.rfind(literal)) >= 0:
            return at, len(literal)
    piece = next(_pieces_of_part(generation, field), None)
    return (None, 1) if piece is None else _before(generation.text, piece)


def _pieces_of_part(generation: Generation, part: str) -> Any:
    message = generation.case.feature.message
    return pieces_of({part: message[part]}) if part in message else iter(())


def _before(text: str, piece: str) -> tuple[int | None, int]:
    """Find the last mark in front of a piece, where a region ought to open; the piece itself where there is none."""
    at = find(text, piece)
    if at < 0:
        return None, 1
    marks = list(MARK.finditer(text, 0, at))
    return (at, len(piece)) if not marks else (marks[-1].start(), marks[-1].end() - marks[-1].start())


def _place(text: str, piece: str) -> int | None:
    at = find(text, piece)
    return at if at >= 0 else None


def _of_calls(facts: TemplateFacts, generation: Generation, read: Read, differs: Difference) -> Finding:
    text, detail = generation.text, _outcome(differs)
    if differs.wanted is MISSING and differs.argument is None:
        return Finding(Kind.UNEXPECTED, "`tool_calls`", detail)
    if differs.got is MISSING and differs.argument is None:
        at, length = _place_of_opener(facts, generation, "tool_calls")
        opener = facts.delimiter("tool_calls", "open") or "missing: the template has no such field"
        return Finding(Kind.NOT_FOUND, f"`tool_calls`, whose opener is {opener}", detail, at, length)
    if differs.argument is None:
        about = "the name of a call" if differs.call is not None else "the number of calls"
        return Finding(Kind.CALL, about, detail)
    at = _place(text, differs.argument) if differs.argument else None
    wanted, got = _type(differs.wanted), _type(differs.got)
    if differs.got is MISSING:
        return Finding(Kind.ARGUMENT, "an argument is missing", detail, at)
    if differs.wanted is MISSING:
        return Finding(Kind.ARGUMENT, "an argument that nobody gave", detail)
    length = len(differs.argument) or 1
    if wanted != got:
        return Finding(Kind.TYPE, f"{wanted} became {got}", detail, at, length)
    return Finding(Kind.ARGUMENT, f"a value of type {wanted}", detail, at, length)


def _type(value: object) -> str:
    names: dict[type, str] = {
        str: "string",
        bool: "boolean",
        int: "number",
        float: "number",
        dict: "object",
        list: "array",
        type(None): "null",
    }
    return names.get(type(value), type(value).__name__)


def _of_text(facts: TemplateFacts, generation: Generation, differs: Difference) -> Finding:
    detail, field = _outcome(differs), differs.part
    wanted = "" if differs.wanted is MISSING else str(differs.wanted)
    got = "" if differs.got is MISSING else str(differs.got)
    known = set(MARK.findall(wanted))
    left = [mark for mark in MARK.finditer(got) if mark[0] not in known]
    if left:
        mark = left[0][0]
        return Finding(
            Kind.MARK, f"{shown(mark)} in `{field}`", detail, _place(generation.text, mark), len(mark)
        )
    if differs.got is MISSING:
        at, length = _place_of_opener(facts, generation, field)
        opener = facts.delimiter(field, "open")
        subject = f"`{field}`, whose opener is {opener}" if opener else f"`{field}`"
        return Finding(Kind.NOT_FOUND, subject, detail, at, length)
    if differs.wanted is MISSING:
        return Finding(Kind.UNEXPECTED, f"`{field}`", detail, _place(generation.text, got))
    shared = comparable(generation.case.feature.message).get(field, "")
    at = _place(generation.text, str(shared).partition("\n")[0])
    return Finding(Kind.TEXT, f"`{field}`", detail, at)
