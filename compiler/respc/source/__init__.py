"""Reading response templates, with a line and a column for every key and value."""

from respc.source.config_members import has_template, with_template
from respc.source.edits import Edit, apply_edits, edits_of, placed_edits
from respc.source.json_layout import laid_out
from respc.source.json_places import Place, Places
from respc.source.json_reader import MAX_DEPTH, JsonDocument, JsonError, offset_in_string, read_json
from respc.source.pointers import child_pointer, pointer_keys, value_at
from respc.source.reading import SourceFileError, is_standard_input, standard_input
from respc.source.spans import SourceText, Span
from respc.source.template_source import (
    CONFIG_FILE,
    TEMPLATE_FILE,
    TemplateSource,
    TemplateSourceError,
    duplicate_key_warnings,
    read_template,
    template_from_dict,
    template_from_text,
)

__all__ = [
    "CONFIG_FILE",
    "MAX_DEPTH",
    "TEMPLATE_FILE",
    "Edit",
    "JsonDocument",
    "JsonError",
    "Place",
    "Places",
    "SourceFileError",
    "SourceText",
    "Span",
    "TemplateSource",
    "TemplateSourceError",
    "apply_edits",
    "child_pointer",
    "duplicate_key_warnings",
    "edits_of",
    "has_template",
    "is_standard_input",
    "laid_out",
    "offset_in_string",
    "placed_edits",
    "pointer_keys",
    "read_json",
    "read_template",
    "standard_input",
    "template_from_dict",
    "template_from_text",
    "value_at",
    "with_template",
]
