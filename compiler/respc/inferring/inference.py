"""What `respc infer` gives: a response template, what it was read from, and the proof."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from respc.chat_templates import ChatTemplateError
from respc.verifying import Verification


class InferenceError(ChatTemplateError):
    """Nothing can be inferred from a chat template; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a part of the template was read from.

    Attributes:
        field: the field of the response template; "" for its start anchor.
        key: what of it, as `open` or `close_pattern`.
        value: what the response template says there.
        what: what was seen, a sentence.
        feature: what the message had that showed it.
        context: what came before that message.
        excerpt: the piece of the rendering that it is about, exactly; "" where it is not in it.
        rendering: how the chat template writes that message; its end, where it is long.
    """

    field: str
    key: str
    value: str
    what: str
    feature: str
    context: str
    excerpt: str
    rendering: str


@dataclass(frozen=True, slots=True)
class TemplateWarning:
    """What `respc check` says of the template.

    Attributes:
        code: of the finding, as `RT230`.
        message: what it says.
        path: the JSON pointer to what it is about.
    """

    code: str
    message: str
    path: str


@dataclass(frozen=True, slots=True)
class Inference:
    """A response template that was inferred from a chat template.

    Attributes:
        template: the response template.
        observations: what its parts were read from.
        verification: what became of all that the chat template writes.
        warnings: what `respc check` says of it, but for notes.
        tried: how many candidates were tried.
    """

    template: dict[str, Any]
    observations: tuple[Observation, ...]
    verification: Verification
    warnings: tuple[TemplateWarning, ...]
    tried: int

    @property
    def clean(self) -> bool:
        """Whether all that the chat template writes is read back."""
        return self.verification.clean

    def as_json(self) -> dict[str, Any]:
        """Give it as JSON's own types."""
        return {
            "template": self.template,
            "clean": self.clean,
            "observations": [asdict(each) for each in self.observations],
            "verification": self.verification.as_json(),
            "warnings": [asdict(each) for each in self.warnings],
            "tried": self.tried,
        }

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> Inference:
        """Take what `as_json` gave."""
        return cls(
            written["template"],
            tuple(Observation(**each) for each in written["observations"]),
            Verification.from_json(written["verification"]),
            tuple(TemplateWarning(**each) for each in written["warnings"]),
            written["tried"],
        )
