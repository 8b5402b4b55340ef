"""Reading response templates, with a line and a column for every key and value."""

from respc.source.json_places import Place, Places
from respc.source.json_reader import MAX_DEPTH, JsonDocument, JsonError, offset_in_string, read_json
from respc.source.pointers import child_pointer, pointer_keys
from respc.source.spans import SourceText, Span
from respc.source.template_source import (
    SourceFileError,
    TemplateSource,
    TemplateSourceError,
    duplicate_key_warnings,
    read_template,
    template_from_dict,
)

__all__ = [
    "MAX_DEPTH",
    "JsonDocument",
    "JsonError",
    "Place",
    "Places",
    "SourceFileError",
    "SourceText",
    "Span",
    "TemplateSource",
    "TemplateSourceError",
    "child_pointer",
    "duplicate_key_warnings",
    "offset_in_string",
    "pointer_keys",
    "read_json",
    "read_template",
    "template_from_dict",
]
