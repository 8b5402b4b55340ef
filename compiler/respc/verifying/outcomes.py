"""What a verification found: a row for every text that was read, and a cause for each kind of fault."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, Final


class Outcome(str, Enum):
    """What became of a message."""

    OK = "ok"
    ABSENT = "absent"
    """The chat template does not write it."""
    AMBIGUOUS = "ambiguous"
    """Another message came back, but the chat template does not tell the two apart."""
    DIFFERS = "differs"


class Kind(str, Enum):
    """What a fault is."""

    ANCHOR = "anchor not in the prompt"
    UNCLOSED = "region never closed"
    MARK = "mark left in the content"
    TYPE = "argument type"
    ARGUMENT = "another argument"
    CALL = "another call"
    UNREADABLE = "body that cannot be read"
    NOT_FOUND = "field not found"
    UNEXPECTED = "field that nobody wrote"
    TEXT = "another text"
    CUTS = "depends on how the text is cut"
    LOST = "lost by the chat template itself"
    REFUSED = "the template refuses"
    LEFT_OUT = "left out by the chat template"


FAULTS_OF_CHAT_TEMPLATE: Final = frozenset({Kind.LOST, Kind.REFUSED, Kind.LEFT_OUT})


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a message did not come back.

    Attributes:
        kind: what the fault is.
        subject: what it is about: a field, a delimiter, an argument. Findings of one kind and subject have one cause.
        detail: what came out instead.
        at: where in the text it shows, if it does.
        length: of what shows it.
    """

    kind: Kind
    subject: str
    detail: str
    at: int | None = None
    length: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A text that was read, or a message that was not written.

    Attributes:
        feature: what of a format the message needs.
        context: what comes before it.
        mode: what the chat template was asked for.
        ending: how the text ended, and how it was streamed if it was.
        outcome: what became of it.
        kind: what the fault is, if there is one.
        detail: why, in words.
        manner: how the text was cut out of the conversation.
    """

    feature: str
    context: str
    mode: str
    ending: str
    outcome: Outcome
    kind: Kind | None = None
    detail: str = ""
    manner: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason for any number of rows.

    Attributes:
        kind: what the fault is.
        subject: the field, the delimiter or the argument that it is about.
        detail: what came out instead, in the first row.
        rows: how many rows have this cause.
        features: of these rows.
        contexts: of these rows.
        prefix: the tail of the prompt of the first row.
        text: what of the text of the first row shows it.
        caret: where in that it shows; None where it does not.
        caret_length: of what shows it.
    """

    kind: Kind
    subject: str
    detail: str
    rows: int
    features: list[str]
    contexts: list[str]
    prefix: str = ""
    text: str = ""
    caret: int | None = None
    caret_length: int = 1

    @property
    def counts(self) -> bool:
        """Whether it is a fault of the response template."""
        return self.kind not in FAULTS_OF_CHAT_TEMPLATE


@dataclass(frozen=True, slots=True)
class TokenNote:
    """What a tokenizer does to a delimiter.

    Attributes:
        delimiter: the text.
        field: the field that it is of; "" for the start anchor.
        tokens: what it becomes.
        dropped: whether decoding with `skip_special_tokens` leaves it out.
    """

    delimiter: str
    field: str
    tokens: list[str]
    dropped: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found.

    Attributes:
        rows: of all texts.
        causes: of all that is not `ok`, the faults of the response template first.
        tokens: what a tokenizer does to delimiters, if one was given.
    """

    rows: list[Row]
    causes: list[Cause] = field(default_factory=list[Cause])
    tokens: list[TokenNote] = field(default_factory=list[TokenNote])

    @property
    def clean(self) -> bool:
        """Whether all that the chat template writes is read back, and it writes something."""
        counts = self.counts()
        return counts[Outcome.DIFFERS] == 0 and counts[Outcome.OK] > 0

    def counts(self) -> Counter[Outcome]:
        """Count the rows of each outcome."""
        return Counter(row.outcome for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """Give it as JSON's own types."""
        return {
            "clean": self.clean,
            "rows": [asdict(row) for row in self.rows],
            "causes": [asdict(cause) for cause in self.causes],
            "tokens": [asdict(note) for note in self.tokens],
        }

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> Verification:
        """Take what `as_json` gave."""
        return cls(
            [_row(row) for row in written["rows"]],
            [_cause(cause) for cause in written["causes"]],
            [TokenNote(**note) for note in written["tokens"]],
        )


def _row(written: dict[str, Any]) -> Row:
    kind: Any = written["kind"]
    typed: dict[str, Any] = {
        "outcome": Outcome(written["outcome"]),
        "kind": None if kind is None else Kind(kind),
    }
    return Row(**{**written, **typed})


def _cause(written: dict[str, Any]) -> Cause:
    typed: dict[str, Any] = {"kind": Kind(written["kind"])}
    return Cause(**{**written, **typed})
