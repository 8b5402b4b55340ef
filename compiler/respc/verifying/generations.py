"""All that a model would generate by a chat template: the texts that a response template has to read back.

They are made once for a chat template, and any number of response templates can be tried on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.verifying.cuts import SEVERAL_TURNS, Asked, Cut, Turn, prefilled, turn
from respc.verifying.features import MODES, Context, Conversation, Feature, Mode, conversations
from respc.verifying.writing import UNKNOWN_END, Borders, ShapedTemplate, borders, shaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc.chat_templates import ChatTemplate

WHOLE: Final = "whole"


@dataclass(frozen=True, slots=True)
class Case:
    """A message in a conversation, in a mode.

    Attributes:
        feature: the message.
        context: what comes before it.
        mode: what the chat template is asked for.
        tools: what the prompt names.
    """

    feature: Feature
    context: Context
    mode: Mode
    tools: Sequence[dict[str, Any]] | None

    @property
    def asked(self) -> Asked:
        """What the chat template is asked to write."""
        return Asked(self.context.history, self.feature.message, self.tools, self.mode.options)


@dataclass(frozen=True, slots=True)
class Generation:
    """A text that a model would generate.

    Attributes:
        case: the message that it is.
        ending: how it ends.
        cut: how it was cut out, and the prompt.
        text: the text.
        written: the whole conversation.
    """

    case: Case
    ending: str
    cut: Cut
    text: str
    written: str


@dataclass(frozen=True, slots=True)
class Absence:
    """A message that the chat template does not write.

    Attributes:
        case: the message.
        reason: why.
        refused: whether the chat template raised an error; otherwise it left something out.
    """

    case: Case
    reason: str
    refused: bool


@dataclass(frozen=True)
class Writings:
    """What a chat template writes of all features, in all contexts and modes.

    Attributes:
        template: the chat template, and the shape of its messages.
        borders: what ends a turn, and begins one.
        found: the texts, and what it does not write, in the order of the features.
    """

    template: ShapedTemplate
    borders: Borders
    found: list[Generation | Absence]


def writings(
    template: ChatTemplate,
    ends: Sequence[str] = (),
    *,
    spoken: Sequence[Conversation] | None = None,
    modes: Sequence[Mode] = MODES,
    tools: Sequence[dict[str, Any]] | None = None,
) -> Writings:
    """Write all messages by a chat template, and cut out what a model would generate.

    Args:
        template: the chat template.
        ends: the tokens that end a generation; where none is known, what ends a turn is looked for.
        spoken: the conversations; None for all features in all contexts.
        modes: what the chat template is asked for.
        tools: what prompts name; None for those of the usual features.
    """
    if template.given.get("eos_token") == UNKNOWN_END:
        ends = [*ends, UNKNOWN_END]
    written = shaped(template)
    if tools is not None:
        written = ShapedTemplate(template, written.shape, tools)
    made = Writings(written, borders(written, ends), [])
    seen: set[tuple[int, str, str, str]] = set()
    for case in _cases(written, conversations() if spoken is None else spoken, modes):
        for each in _written(made, case):
            if isinstance(each, Generation):
                # What two modes write alike is one text.
                key = (id(case.feature), case.context.name, each.cut.prefix, each.text)
                if key in seen:
                    continue
                seen.add(key)
            made.found.append(each)
    return made


def _cases(written: ShapedTemplate, spoken: Sequence[Conversation], modes: Sequence[Mode]) -> Iterator[Case]:
    names = written.template.names
    # A mode that the template does not look at is no other one.
    heeded = [mode for mode in modes if not mode.options or not names.isdisjoint(mode.options)]
    for each in spoken:
        tools = written.tools if each.context.with_tools else None
        for mode in heeded:
            yield Case(each.feature, each.context, mode, tools)


def _written(made: Writings, case: Case) -> Iterator[Generation | Absence]:
    """Yield the texts of a case, or that there are none."""
    cutting = prefilled if case.feature.prefill else turn
    try:
        turned = cutting(made.template, case.asked, made.borders)
    except NotRenderedError as error:
        reason = str(error)
        yield Absence(case, reason, refused=not reason.endswith(_LEFT_OUT))
        return
    yield from _generations(case, turned)


_LEFT_OUT: Final = ("is left out", "is not written", "is written otherwise", SEVERAL_TURNS)


def _generations(case: Case, turned: Turn) -> Iterator[Generation]:
    for cut in turned.cuts:
        known = _without_unknown_end(cut)
        for text, ending in _endings(known):
            yield Generation(case, ending, known, text, turned.written)


def _endings(cut: Cut) -> Iterator[tuple[str, str]]:
    """Yield the text as it is, and as those have it that strip blanks, or take off what ends a turn."""
    yield cut.text, WHOLE
    stripped = cut.text.rstrip()
    if stripped != cut.text:
        yield stripped, "without blanks at the end"
    if cut.end < len(stripped):
        yield cut.text[: cut.end], "without the end of the turn"


def _without_unknown_end(cut: Cut) -> Cut:
    """Take out what stands for an unknown token, which is no text of the model's."""
    before = cut.text[: cut.end].replace(UNKNOWN_END, "")
    behind = cut.text[cut.end :].replace(UNKNOWN_END, "")
    prefix = cut.prefix.replace(UNKNOWN_END, "")
    turn_at = len(cut.prefix[: cut.turn_at].replace(UNKNOWN_END, ""))
    opening = cut.opening.replace(UNKNOWN_END, "")
    return Cut(prefix, before + behind, len(before), cut.manner, turn_at, opening)
