"""What a trace says: what a parser made of one output, chunk by chunk, with every place. Frozen, and plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from respc.diagnostics import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

MarkKind: TypeAlias = Literal["opener", "body", "closer", "outside", "unread"]
StepKind: TypeAlias = Literal["prompt", "chunks", "end"]
Sentence: TypeAlias = "tuple[str, ...]"
"""Plain words and what is quoted, in turn."""

_MOST_TEXTS: Final = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of the text, and what it was taken for.

    Attributes:
        kind: a delimiter, the body of a region, text outside of all regions, or text that could not be read.
        field: whose region it is; None outside.
        start: where it begins in the text.
        end: where it ends.
        reason: why it is outside or unread.
    """

    kind: MarkKind
    field: str | None
    start: int
    end: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A delimiter that may have begun where text is held back.

    Attributes:
        field: the field it opens or closes.
        opens: whether it is the opener.
        texts: the longer literals that it can still be; of a pattern, the alternatives that may match.
        is_pattern: whether it is a pattern.
        is_whole: whether it is there already, and only its end is not known.
    """

    field: str
    opens: bool
    texts: tuple[str, ...]
    is_pattern: bool
    is_whole: bool

    @property
    def sentence(self) -> Sentence:
        """Say what the held text has to do with it; the text itself is the subject."""
        name = (f"the {'opener' if self.opens else 'closer'} of ", self.field)
        if not self.texts:
            return ("is " + name[0], name[1], ", which counts when more text comes")
        written = [part for text in self.texts[:_MOST_TEXTS] for part in (" or ", text)][1:]
        more = len(self.texts) - _MOST_TEXTS
        rest = f" or {more} more" if more > 0 else ""
        if self.is_whole:
            verb = ", and may go on: " if self.is_pattern else ", and may become "
            return ("is " + name[0], name[1], verb, *written, rest)
        if self.is_pattern:
            return ("may begin " + name[0], name[1], ", ", *written, rest)
        return ("may become ", *written, f"{rest}, {name[0]}", name[1], "")


@dataclass(frozen=True, slots=True)
class Held:
    """Text that is held back while it is not decided.

    Attributes:
        start: where it begins in the text.
        end: where it ends: with what is known.
        text: the text itself.
        suspects: the delimiters that may have begun.
        care: what a careful parser waits for besides; empty for nothing.
    """

    start: int
    end: int
    text: str
    suspects: tuple[Suspect, ...]
    care: Sentence = ()

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Say why it is held back; it is the subject of each sentence."""
        said = tuple(suspect.sentence for suspect in self.suspects)
        return (*said, self.care) if self.care else said or (("is not decided before more text comes",),)

    @property
    def why(self) -> tuple[str, ...]:
        """Give the same with what is quoted in backquotes."""
        return tuple(
            "".join(quoted(part) if number % 2 else part for number, part in enumerate(sentence))
            for sentence in self.sentences
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of the parser, which takes no more after it."""

    error: str
    message: str
    field: str | None
    position: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """What one chunk led to, or several that were taken together.

    Attributes:
        number: from 0 on.
        kind: the end of the prompt, chunks of the generation, or its end.
        chunks: how many chunks.
        start: where the new text begins.
        known: where the known text ends.
        decided: where the text ends that nothing can change any more.
        held: what is held back behind that.
        events: what was told.
        field: the field whose region is open afterwards; None for none.
        message: what is in the message so far: the regions that ended.
    """

    number: int
    kind: StepKind
    chunks: int
    start: int
    known: int
    decided: int
    held: Held | None
    events: tuple[Mapping[str, Any], ...]
    field: str | None
    message: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trace:
    """What a parser made of one output.

    Attributes:
        title: the name of the template.
        events_form: the form of the events, as `respc compile --events` has it.
        text: all that the parser saw: what of the prompt is a part of the message, then the generation.
        prompt_length: how many characters of it the prompt wrote.
        passed_length: how many characters of the prompt, in front of those, are no part of the message.
        chunk_count: how many chunks the generation came in.
        fields: the fields of the template, in its order.
        marks: every character of the text once, in its order.
        steps: what each chunk led to.
        message: the message; None where the parser raised.
        failure: what it raised.
    """

    title: str
    events_form: str
    text: str
    prompt_length: int
    passed_length: int
    chunk_count: int
    fields: tuple[str, ...]
    marks: tuple[Mark, ...]
    steps: tuple[Step, ...]
    message: Mapping[str, Any] | None
    failure: Failure | None
