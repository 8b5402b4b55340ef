"""All that a model would generate by a chat template: the texts that a response template has to read back.

They are made once for a chat template, and any number of response templates can be tried on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.verifying.cuts import Asked, Cut, Turn, prefilled, turn
from respc.verifying.features import CONTEXTS, FEATURES, MODES, Context, Feature, Mode
from respc.verifying.writing import UNKNOWN_END, ShapedTemplate, ends_of_turns, shaped

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
        ends: what ends a turn.
        generations: the texts.
        absences: what it does not write.
    """

    template: ShapedTemplate
    ends: tuple[str, ...]
    generations: list[Generation]
    absences: list[Absence]


def writings(
    template: ChatTemplate,
    ends: Sequence[str] = (),
    *,
    features: Sequence[Feature] = FEATURES,
    contexts: Sequence[Context] = CONTEXTS,
    modes: Sequence[Mode] = MODES,
    tools: Sequence[dict[str, Any]] | None = None,
) -> Writings:
    """Write all messages by a chat template, and cut out what a model would generate.

    Args:
        template: the chat template.
        ends: the tokens that end a generation; where none is known, what ends a turn is looked for.
        features: the messages.
        contexts: what comes before them.
        modes: what the chat template is asked for.
        tools: what prompts name; None for those of the features.
    """
    if "eos_token" not in template.given:
        template.given["eos_token"] = UNKNOWN_END
        ends = [*ends, UNKNOWN_END]
    written = shaped(template)
    if tools is not None:
        written = ShapedTemplate(template, written.shape, tools)
    found = ends_of_turns(written, ends)
    made = Writings(written, found, [], [])
    seen: set[tuple[int, str, str, str]] = set()
    for case in _cases(written, features, contexts, modes):
        for generation in _written(made, case):
            key = (id(case.feature), case.context.name, generation.cut.prefix, generation.text)
            if key not in seen:
                seen.add(key)
                made.generations.append(generation)
    return made


def _cases(
    written: ShapedTemplate, features: Sequence[Feature], contexts: Sequence[Context], modes: Sequence[Mode]
) -> Iterator[Case]:
    names = written.template.names
    # A mode that the template does not look at is no other one.
    heeded = [mode for mode in modes if not mode.options or not names.isdisjoint(mode.options)]
    for feature in features:
        for context in contexts:
            if feature.has_calls and not context.with_tools:
                continue
            for mode in heeded:
                yield Case(feature, context, mode, written.tools if context.with_tools else None)


def _written(made: Writings, case: Case) -> Iterator[Generation]:
    """Yield the texts of a case, or note that there are none."""
    cutting = prefilled if case.feature.prefill else turn
    try:
        turned = cutting(made.template, case.asked, made.ends)
    except NotRenderedError as error:
        reason = str(error)
        made.absences.append(Absence(case, reason, refused=not reason.endswith(_LEFT_OUT)))
        return
    yield from _generations(case, turned)


_LEFT_OUT: Final = ("is left out", "is not written", "is written otherwise")


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
    return Cut(prefix, before + behind, len(before), cut.manner, turn_at)
