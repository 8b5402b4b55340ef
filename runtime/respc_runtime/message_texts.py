"""The texts of a message: which fields go into which, and the deltas of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from respc_runtime.argument_text import compact_json
from respc_runtime.json_bodies import can_be_encoded
from respc_runtime.streamed_text import TextStream

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from respc_runtime.call_deltas import Delta
    from respc_runtime.forms import TextForm
    from respc_runtime.json_bodies import JsonValue
    from respc_runtime.message_regions import OpenRegion

TextKey: TypeAlias = Literal["content", "reasoning", "reasoning_content"]
"""A key of a message that has text."""
TextKeys: TypeAlias = TextKey | tuple[TextKey, ...]

OPENAI_TEXTS: Final[dict[str, TextKeys]] = {
    "content": "content",
    "reasoning_content": "reasoning_content",
    "thinking": "reasoning_content",
}
"""The fields whose text goes out, with the key of a message that each becomes."""
CONTENT: Final = ("content",)
TARGETS: Final[tuple[tuple[str, ...], ...]] = (
    CONTENT,
    ("reasoning",),
    ("reasoning_content",),
    ("reasoning", "reasoning_content"),
    ("reasoning_content", "reasoning"),
)
"""The keys that a text can become."""

# Raw text among content.
RAW_TEXT_FORM: Final[TextForm] = {"join": "\n", "strip": True}
# Structured content, as JSON text.
WHOLE_TEXT_FORM: Final[TextForm] = {"join": "\n", "strip": False}


def checked_keys(texts: Mapping[str, TextKeys]) -> dict[str, tuple[str, ...]]:
    """Give the keys of a message that each field becomes.

    Raises:
        ValueError: there are no such keys, or two fields share some of them and not all.
    """
    fields: dict[str, tuple[str, ...]] = {}
    owners: dict[str, tuple[str, tuple[str, ...]]] = {}
    for field, given in texts.items():
        keys: tuple[str, ...] = (given,) if isinstance(given, str) else given
        if keys not in TARGETS:
            raise ValueError(
                f"`texts` has {given!r} for the field {field!r}: text becomes 'content', 'reasoning' or "
                "'reasoning_content', or both of these, as ('reasoning', 'reasoning_content')"
            )
        fields[field] = keys
        for key in keys:
            other, others = owners.setdefault(key, (field, keys))
            if set(others) != set(keys):
                raise ValueError(
                    f"`texts` has {key!r} for the fields {other!r} and {field!r}, but another key for one of them "
                    "alone: fields that share a key have to share all of them"
                )
            fields[field] = others
    return fields


OPENAI_KEYS: Final = checked_keys(OPENAI_TEXTS)


class MessageTexts:
    """Gives the deltas of the texts of a message.

    Args:
        texts: the fields whose text goes out, with what it becomes; None for `OPENAI_TEXTS`.
        forms: what is known of the text of fields before their regions end.
        keeps_prefill: whether text that the prompt has goes out.

    Attributes:
        fields: the fields whose text goes out.
        content: what goes out as content.

    Raises:
        ValueError: `texts` has a key that no text becomes.
    """

    __slots__ = ("_forms", "_keeps_prefill", "_streams", "content", "fields")

    def __init__(
        self, texts: Mapping[str, TextKeys] | None, forms: Mapping[str, TextForm], *, keeps_prefill: bool
    ) -> None:
        keys_of_fields = OPENAI_KEYS if texts is None else checked_keys(texts)
        streams: dict[tuple[str, ...], TextStream] = {}
        self.fields: dict[str, TextStream] = {}
        for field, keys in keys_of_fields.items():
            if keys not in streams:
                streams[keys] = TextStream(keys)
            self.fields[field] = streams[keys]
        self.content = streams.pop(CONTENT) if CONTENT in streams else TextStream(CONTENT)
        self._streams = (*streams.values(), self.content)
        self._forms = forms
        self._keeps_prefill = keeps_prefill

    def goes_out_in_pieces(self, field: str) -> bool:
        """Tell whether the text of a field goes out before its region ends."""
        return field in self.fields and field in self._forms

    def add(self, region: OpenRegion, text: str, place: int, of_prompt: bool, deltas: list[Delta]) -> None:
        """Let a piece of a region's text out that stands at a place of the input."""
        stream = self.fields[region.field]
        if not region.is_streamed:
            region.is_streamed = True
            form = self._forms[region.field]
            own_blanks = region.is_implicit and not (form["join"] or "").strip()
            stream.open(form, place, own_blanks=own_blanks)
        sent = stream.take(text)
        if of_prompt and not self._keeps_prefill:
            stream.begin_after_prompt(place + len(text))
        elif sent:
            deltas.append(stream.delta(sent))

    def close(
        self, region: OpenRegion, value: JsonValue, place: int, of_prompt: bool, deltas: list[Delta]
    ) -> None:
        """End a region at a place of the input, and let its text out if it had none in pieces."""
        stream = self.fields[region.field]
        if region.is_streamed:
            stream.close(place)
        elif value is not None:
            text = value if isinstance(value, str) and can_be_encoded(value) else compact_json(value)
            form = self._forms.get(region.field, WHOLE_TEXT_FORM)
            is_kept = self._keeps_prefill or not of_prompt
            self._add_whole(stream, text, {**form, "strip": False}, deltas, is_kept=is_kept)

    def add_raw(self, text: str, deltas: list[Delta]) -> None:
        """Let raw text out as content."""
        self._add_whole(self.content, text, RAW_TEXT_FORM, deltas)

    def add_defaults(self, message: Mapping[str, Any], seen: Container[str], deltas: list[Delta]) -> None:
        """Let text out that the template has for fields without a region."""
        for field, stream in self.fields.items():
            value = message.get(field)
            if field not in seen and isinstance(value, str):
                self._add_whole(stream, value, self._forms.get(field, WHOLE_TEXT_FORM), deltas)

    def finish(self, deltas: list[Delta]) -> None:
        """Let out what is left at the end."""
        deltas += [stream.delta(left) for stream in self._streams if (left := stream.finish())]

    def whole(self, input_text: str) -> dict[str, Any]:
        """Give what the message has of them, beside all of the parser's input."""
        texts: dict[str, Any] = {"content": self.content.text(input_text) or None}
        for stream in self._streams[:-1]:
            if text := stream.text(input_text):
                texts.update(stream.delta(text))
        return texts

    def _add_whole(
        self, stream: TextStream, text: str, form: TextForm, deltas: list[Delta], *, is_kept: bool = True
    ) -> None:
        if sent := stream.add_whole(text, form, is_kept=is_kept):
            deltas.append(stream.delta(sent))
