"""Proving that a response template reads back what a chat template writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from respc.verifying.causes import Occurrence, causes_of
from respc.verifying.comparing import comparable, difference, same
from respc.verifying.cuts import HISTORY, pieces_of
from respc.verifying.diagnosing import TemplateFacts, finding, shown
from respc.verifying.generations import Absence
from respc.verifying.lost import Loss, loss_in_calls, same_text
from respc.verifying.marks import MARK, find
from respc.verifying.outcomes import Finding, Kind, Outcome, Row, Verification
from respc.verifying.reading import CHUNK_SIZES, Parser, Read, Reader
from respc_runtime.tools import PreparedTools, prepare_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.verifying.generations import Case, Generation, Writings


def prove(
    written: Writings,
    template: dict[str, Any],
    parser: Parser,
    *,
    streamed: bool = False,
    until_first_fault: bool = False,
) -> Verification:
    """Read all texts of a chat template with a response template.

    Args:
        written: the texts; they may be used for many templates.
        template: the response template, for what messages say of it.
        parser: its module.
        streamed: whether each text is read in chunks, too.
        until_first_fault: whether to stop where it is known that the template is not clean.
    """
    prover = _Prover(written, TemplateFacts(template), Reader(parser))
    occurrences: list[Occurrence] = []
    for each in written.found:
        if isinstance(each, Absence):
            occurrences.append(_absent(each))
            continue
        found = list(prover.occurrences(each, streamed=streamed))
        occurrences += found
        if until_first_fault and any(each.row.outcome is Outcome.DIFFERS for each in found):
            break
    return Verification([each.row for each in occurrences], causes_of(occurrences))


@dataclass
class _Prover:
    """One response template, and what it is tried on."""

    written: Writings
    facts: TemplateFacts
    reader: Reader

    def __post_init__(self) -> None:
        self._tools: dict[int, PreparedTools | None] = {}

    def occurrences(self, generation: Generation, *, streamed: bool) -> Iterator[Occurrence]:
        """Yield what comes of a text: read at once, and in chunks."""
        tools = self._prepared(generation.case)
        read = self.reader.read(generation, tools)
        yield self._judged(generation, read, tools)
        if not streamed:
            return
        for size in CHUNK_SIZES:
            chunks = self.reader.streamed(generation, tools, size)
            ending = f"{generation.ending}, in chunks of {size}"
            if same(chunks.message, read.message):
                yield Occurrence(_row(generation, Outcome.OK, ending=ending))
                continue
            detail = f"{shown(chunks.message or chunks.error)} instead of {shown(read.message or read.error)}"
            found = Finding(Kind.CUTS, f"in chunks of {size}", detail)
            yield Occurrence(_row(generation, Outcome.DIFFERS, found, ending), found, generation)

    def _judged(self, generation: Generation, read: Read, tools: PreparedTools | None) -> Occurrence:
        differs = None
        if read.message is not None:
            wanted = comparable(generation.case.feature.message)
            differs = difference(wanted, comparable(read.message))
            if differs is None:
                return Occurrence(_row(generation, Outcome.OK))
            if same_text(self.written.template, generation, read.message):
                detail = f"{differs.part}: {shown(differs.wanted)} and {shown(differs.got)} are written alike"
                found = Finding(Kind.LOST, f"`{differs.part}`", detail)
                return Occurrence(_row(generation, Outcome.AMBIGUOUS, found), found, generation)
        explained = self.reader.explained(generation, tools)
        loss = loss_in_calls(generation) or self._disagreement(generation, explained)
        if loss is not None:
            found = Finding(Kind.LOST, loss.subject, loss.detail, loss.at, loss.length)
            return Occurrence(_row(generation, Outcome.AMBIGUOUS, found), found, generation)
        found = finding(self.facts, generation, explained, differs)
        return Occurrence(_row(generation, Outcome.DIFFERS, found), found, generation)

    def _disagreement(self, generation: Generation, read: Read) -> Loss | None:
        """Tell where the prompt and the conversation disagree, so that no template could read what is between them."""
        cut = generation.cut
        anchored = self.facts.anchor_end(cut.prefix)
        misses = anchored is None or 0 < anchored <= cut.turn_at
        if cut.manner == HISTORY and misses and self.facts.anchor_end(cut.opening):
            what = shown(cut.opening[-60:])
            return Loss(
                "the beginning of the turn",
                f"the prompt begins it with {what}, and the conversation does not",
            )
        message = generation.case.feature.message
        opened = read.opened_by_prompt
        has_opener = opened is not None and bool(self.facts.delimiter(opened, "open"))
        if has_opener and opened == read.unclosed and not message.get("reasoning_content"):
            # Of a text that the prompt begins, nothing stands in front.
            first = max(0, min(find(generation.text, piece) for piece in pieces_of(message)))
            if not MARK.search(generation.text, 0, first):
                detail = (
                    "the prompt opens it, and the conversation goes on with the message without closing it"
                )
                return Loss("the end of the reasoning", detail)
        return None

    def _prepared(self, case: Case) -> PreparedTools | None:
        if case.tools is None:
            return None
        key = id(case.tools)
        if key not in self._tools:
            self._tools[key] = prepare_tools(list(case.tools))
        return self._tools[key]


def _row(
    generation: Generation, outcome: Outcome, found: Finding | None = None, ending: str | None = None
) -> Row:
    case = generation.case
    return Row(
        case.feature.name,
        case.context.name,
        case.mode.name,
        generation.ending if ending is None else ending,
        outcome,
        None if found is None else found.kind,
        "" if found is None else found.detail,
        generation.cut.manner,
    )


def _absent(absence: Absence) -> Occurrence:
    case = absence.case
    kind = Kind.REFUSED if absence.refused else Kind.LEFT_OUT
    row = Row(case.feature.name, case.context.name, case.mode.name, "", Outcome.ABSENT, kind, absence.reason)
    # What a chat template leaves out shows in the table; why it raises an error does not.
    return Occurrence(row, Finding(kind, absence.reason, "") if absence.refused else None)
