"""Fixes as edits of the text: what they do not change stays as it is, blanks and line breaks too."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from respc.diagnostics.fixes import AddMember, RenameKey, ReplaceText, SetValue
from respc.source.json_reader import offset_in_string
from respc.source.pointers import pointer_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.diagnostics.fixes import Fix, Step
    from respc.source.json_reader import JsonDocument
    from respc.source.spans import Span
    from respc.source.template_source import TemplateSource

_DECODER: Final = json.JSONDecoder()
_WHITE_SPACE: Final = re.compile(r"[ \t\n\r]*")
_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")
_LINE_BREAKS: Final = re.compile(r"[ \t]*(\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))*")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Edit:
    """Another text for what stands between two offsets of a text."""

    start: int
    end: int
    text: str


def edits_of(fix: Fix, source: TemplateSource) -> tuple[Edit, ...]:
    """Return the edits that make the steps of a fix in the text of a template, in the order of the text.

    Every pointer names what it names before the first step. Edits that would change nothing are left out.
    ValueError when the steps cannot be made, or not together.
    """
    if source.document is None:
        raise ValueError(f"{source.name} has no text to edit")
    editor = _Editor(source.document, source.root)
    for step in fix.steps:
        editor.make(step)
    text = source.document.source.text
    edits = _in_order(editor.all())
    return tuple(edit for edit in edits if text[edit.start : edit.end] != edit.text)


def placed_edits(fix: Fix, source: TemplateSource) -> tuple[tuple[Span, str], ...]:
    """Return the edits of a fix, as a place in the text each and what is written there instead."""
    text = source.text
    assert text is not None, "edits_of refuses what has no text"
    return tuple((text.span(edit.start, edit.end), edit.text) for edit in edits_of(fix, source))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made in it; ValueError when they overlap."""
    pieces: list[str] = []
    position = 0
    for edit in _in_order(edits):
        pieces += (text[position : edit.start], edit.text)
        position = edit.end
    return "".join(pieces) + text[position:]


def _in_order(edits: Iterable[Edit]) -> list[Edit]:
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for before, after in pairwise(ordered):
        if after.start < before.end:
            raise ValueError(f"two edits overlap at offset {after.start}")
    return ordered


@dataclass(frozen=True, slots=True)
class _Part:
    """Offsets of a member or an element; the key of an element is its index, and takes no room."""

    key: str
    start: int
    key_end: int
    value_start: int
    end: int


class _Container:
    """An object or array of a text, and what is to be changed about its parts."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end
        # A key that the object has twice stands here twice: the places of a document know only the last.
        self.parts = _parts_of(text, start)
        self.removed: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.added: list[tuple[str, str]] = []

    def part(self, key: str) -> _Part:
        """Return a part with this key."""
        return next(part for part in self.parts if part.key == key)

    def colon(self) -> str | None:
        """Return how the last member writes its colon, or None if there is no member to look at."""
        return self.colon_of(self.parts[-1]) if self.parts else None

    def colon_of(self, part: _Part) -> str:
        """Return the colon of a member with the blanks around it."""
        colon = self.text[part.key_end : part.value_start]
        return ": " if _LINE_BREAK.search(colon) else colon

    def edits(self, colon: str) -> Iterator[Edit]:
        """Give the edits for all changes; members that are added have a colon like the one given."""
        self._check_keys()
        for part in self.parts:
            if part.key in self.renamed:
                yield Edit(part.start, part.key_end, _written(self.renamed[part.key], colon))
        separator = self._separator(colon)
        added = [_written(key, colon) + colon + value for key, value in self.added]
        kept = [index for index, part in enumerate(self.parts) if part.key not in self.removed]
        if not kept:
            start, end = self.start + 1, self.end - 1
            if self.parts and added:
                start, end = self.parts[0].start, self.parts[-1].end
            yield Edit(start, end, separator.join(added))
            return
        yield Edit(self.parts[0].start, self.parts[kept[0]].start, "")
        for before, after in pairwise(kept):
            if after - before > 1:
                yield self._without(before, after)
        text = "".join(separator + member for member in added)
        yield Edit(self.parts[kept[-1]].end, self.parts[-1].end, text)

    def _check_keys(self) -> None:
        """Refuse a new key that the object would then have twice."""
        kept = dict.fromkeys(part.key for part in self.parts if part.key not in self.removed)
        keys = [self.renamed.get(key, key) for key in kept] + [key for key, _ in self.added]
        for key in (*self.renamed.values(), *(key for key, _ in self.added)):
            if keys.count(key) > 1:
                raise ValueError(f"the object would have the key {key!r} twice")

    def _without(self, before: int, after: int) -> Edit:
        """Take out all between two parts and one of the separators: the one with fewer line breaks."""
        first_break = self._break_count(before)
        last_break = self._break_count(after - 1)
        if first_break > last_break:
            return Edit(self.parts[before + 1].start, self.parts[after].start, "")
        return Edit(self.parts[before].end, self.parts[after - 1].end, "")

    def _break_count(self, index: int) -> int:
        return len(_LINE_BREAK.findall(self._separator_after(index)))

    def _separator_after(self, index: int) -> str:
        return self.text[self.parts[index].end : self.parts[index + 1].start]

    def _separator(self, colon: str) -> str:
        """Return what to write between the last member and a new one: what stands before the last."""
        if len(self.parts) > 1:
            return _LINE_BREAKS.sub(r"\1", self._separator_after(len(self.parts) - 2))
        gap = self.text[self.start + 1 : self.parts[0].start] if self.parts else ""
        if _LINE_BREAK.search(gap):
            return "," + _LINE_BREAKS.sub(r"\1", gap)
        return "," if colon == ":" else ", "


class _Editor:
    """Turns steps into edits: those that change what a container holds are gathered by container."""

    def __init__(self, document: JsonDocument, root: str) -> None:
        self._document = document
        self._text = document.source.text
        self._root = root
        self._containers: dict[str, _Container] = {}
        self._edits: list[Edit] = []

    def make(self, step: Step) -> None:
        pointer = self._root + step.pointer
        try:
            start, end = self._document.places.value_offsets(pointer)
        except KeyError:
            raise ValueError(f"the template has nothing at {step.pointer!r}") from None
        if isinstance(step, SetValue):
            self._edits.append(Edit(start, end, _written(step.value, self._colon_around(pointer))))
        elif isinstance(step, ReplaceText):
            self._edits.append(self._replacement(pointer, step))
        elif isinstance(step, AddMember):
            if self._text[start] != "{":
                raise ValueError(f"the value at {step.pointer!r} is not an object")
            container = self._container(pointer)
            container.added.append((step.key, _written(step.value, self._colon_in(pointer))))
        elif not step.pointer:
            raise ValueError("the template itself can neither be removed nor get another key")
        else:
            container = self._container(pointer.rpartition("/")[0])
            key = pointer_keys(pointer)[-1]
            if not isinstance(step, RenameKey):
                container.removed.add(key)
            elif self._text[container.start] == "{":
                container.renamed[key] = step.key
            else:
                raise ValueError(f"the element at {step.pointer!r} has no key")

    def all(self) -> Iterator[Edit]:
        """Give the edits of all steps so far."""
        yield from self._edits
        for pointer, container in tuple(self._containers.items()):
            if container.removed or container.renamed or container.added:
                yield from container.edits(self._colon_in(pointer))

    def _replacement(self, pointer: str, step: ReplaceText) -> Edit:
        if not 0 <= step.start <= step.end:
            raise ValueError(f"no range of characters: {step.start} to {step.end}")
        value_start, _ = self._document.places.value_offsets(pointer)
        try:
            first = offset_in_string(self._document, pointer, step.start)
            last = offset_in_string(self._document, pointer, step.end)
        except IndexError as error:
            raise ValueError(str(error)) from None
        # A string stands on one line, so columns differ as offsets do.
        origin = value_start - self._document.places[pointer].value.column
        return Edit(origin + first.column, origin + last.column, _written(step.text)[1:-1])

    def _container(self, pointer: str) -> _Container:
        if pointer not in self._containers:
            start, end = self._document.places.value_offsets(pointer)
            self._containers[pointer] = _Container(self._text, start, end)
        return self._containers[pointer]

    def _colon_in(self, pointer: str) -> str:
        """Return the colon that suits a member of the object at a pointer."""
        container = self._container(pointer)
        own = container.colon() if self._text[container.start] == "{" else None
        return self._colon_around(pointer) if own is None else own

    def _colon_around(self, pointer: str) -> str:
        """Return the colon in front of the value at a pointer, or of the nearest one around it."""
        keys = pointer_keys(pointer)
        while keys:
            pointer = pointer.rpartition("/")[0]
            container = self._container(pointer)
            if self._text[container.start] == "{":
                return container.colon_of(container.part(keys[-1]))
            keys = keys[:-1]
        return ": "


def _parts_of(text: str, start: int) -> list[_Part]:
    """Return the parts of the object or array that starts at an offset of a well-formed text."""
    parts: list[_Part] = []
    is_object = text[start] == "{"
    position = _skip(text, start + 1)
    while text[position] not in "}]":
        key, key_end, value_start = str(len(parts)), position, position
        if is_object:
            key, key_end = _DECODER.raw_decode(text, position)
            value_start = _skip(text, _skip(text, key_end) + 1)
        end = _DECODER.raw_decode(text, value_start)[1]
        parts.append(_Part(key, position, key_end, value_start, end))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return parts


def _skip(text: str, position: int) -> int:
    match = _WHITE_SPACE.match(text, position)
    return match.end() if match else position


def _written(value: Any, colon: str = ": ") -> str:
    """Return a value as JSON on one line, without blanks where the text around has none."""
    separators = (",", ":") if colon == ":" else None
    written = json.dumps(value, ensure_ascii=False, separators=separators)
    # UTF-8 cannot hold half of a surrogate pair.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)
