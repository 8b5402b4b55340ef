"""The rules that decide whether the interpreter would load a template, in the order in which it checks them.

It stops at the first; here all are found, so that an author fixes a template once. Source of the rules: the loading of
response templates in transformers 5.24.0.
"""

from __future__ import annotations

from typing import Any

from respc.diagnostics import Diagnostic, quoted
from respc.diagnostics.findings import Findings
from respc.diagnostics.meant_keys import Elsewhere, meant_by
from respc.frontend.delimiter_rules import check_delimiter
from respc.frontend.field_rules import (
    FIELD_KEYS,
    TEMPLATE_KEYS,
    check_field,
    misspells_opener,
    unknown_keys,
)
from respc.frontend.sizes import check_sizes
from respc.source import TemplateSource, child_pointer
from respc.source.json_kinds import is_object, json_kind

_OPENERS = ("open", "open_pattern")
_OF_FIELDS = (Elsewhere(FIELD_KEYS, 'into a field, as in "fields": {"content": {…}}'),)

_SCHEMA_HELP = "name the schema in the settings of your editor, not here; `respc schema` prints it"


def check_shape(source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find everything for which the interpreter refuses a template."""
    findings = Findings(source)
    template = source.template
    if not is_object(template):
        findings.add(
            "template-not-object",
            f"the template is {json_kind(template)}, not an object",
            "",
            help='write {"start_anchor": …, "fields": {…}}',
        )
        return findings.all()
    check_sizes(template, findings)
    if findings.all():  # every other rule takes time by what is too large
        return findings.all()
    _check_top_level(template, findings)
    if _check_fields(template, findings):
        _check_anchor(template, findings)
    return findings.all()


def _check_top_level(template: dict[str, Any], findings: Findings) -> None:
    version = template.get("version", 1)
    if version != 1:
        findings.add(
            "unsupported-version",
            f"version {quoted(version)} is not known",
            "/version",
            help='write "version": 1, or leave it out',
        )
    for key in unknown_keys(template, TEMPLATE_KEYS):
        place = child_pointer("", key)
        meant = meant_by(
            key, TEMPLATE_KEYS, template, place, elsewhere=_OF_FIELDS, owner="a template has the keys"
        )
        findings.add(
            "unknown-template-key",
            f"a template has no key {quoted(key)}",
            place,
            at_key=True,
            help=_SCHEMA_HELP if key == "$schema" else meant.help,
            fix=None if key == "$schema" else meant.fix,
        )
    defaults = template.get("defaults", {})
    if not isinstance(defaults, dict):
        findings.add(
            "defaults-not-object",
            f"'defaults' is {json_kind(defaults)}, not an object",
            "/defaults",
            help='write "defaults": {"role": "assistant"}, or leave it out',
        )


def _check_fields(template: dict[str, Any], findings: Findings) -> bool:
    """Check every field; False when there are none to speak of."""
    example = 'write "fields": {"content": {"content": "text"}} at least'
    if "fields" not in template:
        findings.add("fields-missing", "the template has no 'fields'", "", help=example)
        return False
    fields = template["fields"]
    if not is_object(fields):
        findings.add(
            "fields-not-object", f"'fields' is {json_kind(fields)}, not an object", "/fields", help=example
        )
        return False
    if not fields:
        findings.add("fields-empty", "'fields' is empty", "/fields", help=example)
        return False
    for name, field in fields.items():
        check_field(name, field, child_pointer("/fields", name), findings)
    _check_implicit(fields, findings)
    return True


def _check_implicit(fields: dict[str, Any], findings: Findings) -> None:
    implicit = [
        name
        for name, field in fields.items()
        if is_object(field) and not any(key in field for key in _OPENERS) and not misspells_opener(field)
    ]
    for name in implicit[1:]:
        findings.add(
            "several-implicit-fields",
            f"{quoted(name)} has no opener, and neither has {quoted(implicit[0])}: "
            "only one field can take the text that no region claims",
            child_pointer("/fields", name),
            at_key=True,
            help="give it an 'open' or an 'open_pattern'",
        )


def _check_anchor(template: dict[str, Any], findings: Findings) -> None:
    if "start_anchor" not in template and "start_anchor_pattern" not in template:
        findings.add(
            "no-start-anchor",
            "the template does not say where the assistant's message starts in the prompt",
            "",
            help='add "start_anchor" with what the chat template writes there, such as "<|im_start|>assistant\\n"',
        )
        return
    check_delimiter(template, "", ("start_anchor", "start_anchor_pattern"), findings)
