"""Putting a response template into a tokenizer config, of which everything else stays as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from respc.diagnostics.fixes import AddMember, Fix, SetValue
from respc.source.edits import Edit, apply_edits, edits_of
from respc.source.json_kinds import is_object
from respc.source.json_layout import laid_out
from respc.source.template_source import CONFIG_KEY, TemplateSource

if TYPE_CHECKING:
    from respc.source.json_reader import JsonDocument

_PLACEHOLDER: Final = "response template"
_WRITTEN_PLACEHOLDER: Final = f'"{_PLACEHOLDER}"'
_FIRST_MEMBER: Final = re.compile(r"\s*\{[ \t]*(?P<line_break>\r\n|\n|\r)(?P<indentation>[ \t]+)")
"""How a config begins that has a line for each member."""


def has_template(document: JsonDocument) -> bool:
    """Tell whether a config has a response template; one that is null is none."""
    return is_object(document.value) and document.value.get(CONFIG_KEY) is not None


def with_template(document: JsonDocument, template: dict[str, Any]) -> str:
    """Write the text of a config with a response template in it, in place of the one that it has.

    A template that is new comes last. It is laid out as the config is: on one line, or by its indentation.

    Raises:
        ValueError: the document is no object.
    """
    if not is_object(document.value):
        raise ValueError("the JSON is not an object")
    text = document.source.text
    source = TemplateSource(document.source.name, document.value, "", document, "")
    if CONFIG_KEY in document.value:
        step: AddMember | SetValue = SetValue(f"/{CONFIG_KEY}", _PLACEHOLDER)
    else:
        step = AddMember("", CONFIG_KEY, _PLACEHOLDER)
    (edit,) = edits_of(Fix("", (step,)), source)
    written = edit.text.removesuffix(_WRITTEN_PLACEHOLDER) + _laid_out_for(text, template)
    return apply_edits(text, [Edit(edit.start, edit.end, written)])


def _laid_out_for(text: str, template: dict[str, Any]) -> str:
    begun = _FIRST_MEMBER.match(text)
    if begun is None:
        return laid_out(template, on_one_line=True)
    indentation = begun["indentation"]
    return laid_out(template, step=indentation, margin=indentation).replace("\n", begun["line_break"])
