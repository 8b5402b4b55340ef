"""What is left of a template without what is refused, so that one run finds the faults of all the rest too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from respc.diagnostics.meant_keys import known_name
from respc.frontend.field_rules import FIELD_KEYS, TEMPLATE_KEYS, is_misplaced_or_misspelt
from respc.source import TemplateSource, pointer_keys
from respc.source.json_kinds import is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.diagnostics import Diagnostic

_ANCHORS = ("start_anchor", "start_anchor_pattern")
_ANY_ANCHOR = "<"
_TOO_LARGE = ("template-too-large", "delimiters-too-long")


def _says_nothing_else(error: Diagnostic) -> bool:
    """Tell whether the error is about a key that no other key was meant by: without it all is as it was."""
    key = pointer_keys(error.pointer)[-1] if error.pointer else ""
    if error.code.slug == "unknown-template-key":
        return key not in FIELD_KEYS and known_name(key, TEMPLATE_KEYS) is None
    return error.code.slug == "unknown-field-key" and not is_misplaced_or_misspelt(key)


def sound_part(source: TemplateSource, errors: Sequence[Diagnostic]) -> TemplateSource | None:
    """Leave out the fields and the keys that have errors.

    Args:
        source: the template as written.
        errors: what `check_shape` found in it.

    Returns:
        A template without errors, whose values are where they were; None where nothing is left to speak of, and where
        it is too large to be looked at.
    """
    template = source.template
    if any(error.code.slug in _TOO_LARGE for error in errors):
        return None
    if not is_object(template) or not is_object(template.get("fields")):
        return None
    places = [pointer_keys(error.pointer) for error in errors if not _says_nothing_else(error)]
    unsound_fields = {place[1] for place in places if place[:1] == ("fields",) and len(place) > 1}
    unsound_keys = {place[0] for place in places if place} - {"fields"}
    if unsound_keys.intersection(_ANCHORS):
        unsound_keys.update(_ANCHORS)
    fields = {name: field for name, field in template["fields"].items() if name not in unsound_fields}
    if not fields:
        return None
    sound: dict[str, Any] = {key: value for key, value in template.items() if key not in unsound_keys}
    sound["fields"] = fields
    if not any(key in sound for key in _ANCHORS):
        sound["start_anchor"] = _ANY_ANCHOR
    return replace(source, template=sound)
