"""The table of diagnostics: a code, a slug, a severity and a title each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Severity(str, Enum):
    """How bad it is: an error refuses the template, a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding."""

    code: str
    slug: str
    severity: Severity
    title: str


def _table(severity: Severity, *rows: tuple[str, str, str]) -> tuple[Code, ...]:
    return tuple(Code(code, slug, severity, title) for code, slug, title in rows)


# In each theme, what refuses a template comes first (from x01) and what only shows when text is parsed later
# (from x20), with gaps so that new rows can stand beside their kin.
CODES: Final[tuple[Code, ...]] = (
    # RT0xx: reading the template
    *_table(
        Severity.ERROR,
        ("RT001", "invalid-json", "The text is not valid JSON."),
        ("RT002", "invalid-encoding", "The file is not valid UTF-8."),
        ("RT003", "byte-order-mark", "The file starts with a byte order mark, which JSON does not allow."),
        ("RT005", "nesting-too-deep", "Objects and arrays are nested too deep."),
        ("RT006", "integer-too-long", "An integer has more digits than Python converts."),
        ("RT007", "value-not-json", "The template holds a value that JSON cannot hold."),
        ("RT008", "cyclic-value", "The template holds a list or dict that holds itself."),
        ("RT009", "template-too-large", "The template holds too many values."),
        ("RT010", "no-template-in-config", "The tokenizer config has no response template."),
    ),
    *_table(
        Severity.WARNING,
        ("RT020", "duplicate-key", "An object has the same key twice, and the later one wins."),
    ),
    *_table(
        Severity.NOTE,
        ("RT040", "not-formatted", "The module is too large to be formatted."),
    ),
    # RT1xx: the shape of the template and its fields
    *_table(
        Severity.ERROR,
        ("RT101", "template-not-object", "A response template is an object."),
        ("RT102", "unsupported-version", "The version of the response template language is not known."),
        ("RT103", "unknown-template-key", "The response template has a key that the language does not know."),
        ("RT104", "defaults-not-object", "The defaults are an object."),
        ("RT105", "fields-missing", "A response template has fields."),
        ("RT106", "fields-not-object", "The fields are an object from field names to fields."),
        ("RT107", "fields-empty", "A response template has at least one field."),
        ("RT108", "field-not-object", "A field is an object."),
        ("RT109", "unknown-field-key", "The field has a key that the language does not know."),
    ),
    # RT2xx: delimiters and the start anchor
    *_table(
        Severity.ERROR,
        ("RT201", "literal-and-pattern", "A delimiter is given both as literals and as a pattern."),
        ("RT202", "literal-wrong-type", "A literal delimiter is a string or a list of strings."),
        ("RT203", "literal-list-empty", "A list of literals holds at least one."),
        ("RT204", "literal-not-string", "A list of literals holds only strings."),
        ("RT205", "literal-empty", "A literal is not empty."),
        ("RT206", "pattern-not-string", "A pattern is a string."),
        ("RT207", "invalid-pattern", "A pattern is not a valid regular expression."),
        ("RT208", "no-start-anchor", "A response template has a start anchor."),
        ("RT209", "both-start-anchors", "The start anchor is given both as literals and as a pattern."),
        ("RT210", "several-implicit-fields", "At most one field is implicit, that is, has no opener."),
        ("RT211", "never-ending", "An opener and its closer can match nothing at the same place, for ever."),
    ),
    *_table(
        Severity.WARNING,
        ("RT220", "slow-pattern", "A pattern can take time that grows faster than the text."),
    ),
    *_table(
        Severity.NOTE,
        ("RT240", "pattern-left-to-regex", "A pattern is searched with the module `regex`."),
    ),
    # RT3xx: content parsers and joining
    *_table(
        Severity.ERROR,
        ("RT301", "unknown-content-parser", "There is no content parser of this name."),
        ("RT302", "content-not-string", "The name of a content parser is a string."),
        ("RT303", "join-not-string", "The text that joins regions is a string."),
        ("RT304", "join-without-repeats", "Only the regions of a field that repeats can be joined."),
    ),
    *_table(
        Severity.WARNING,
        ("RT320", "content-args-not-object", "The arguments of a content parser are an object."),
        ("RT321", "content-arg-wrong-type", "An argument of a content parser has the wrong type."),
        ("RT323", "unknown-value-parser", "There is no content parser of this name to parse values with."),
        ("RT324", "missing-tag-pattern", "The content parser needs a pattern for its tags."),
        ("RT325", "invalid-tag-pattern", "The pattern for tags is not a valid regular expression."),
        ("RT327", "empty-separator", "A separator is not empty."),
    ),
    # RT4xx: transforms
    *_table(
        Severity.ERROR,
        ("RT401", "transform-each-not-boolean", "The flag `transform_each` is a boolean."),
        ("RT402", "transform-each-without-transform", "The flag `transform_each` needs a transform."),
        ("RT403", "mixed-placeholder", "A string of a transform mixes a placeholder with other text."),
        ("RT404", "captures-without-transform", "Captures reach the message only through a transform."),
    ),
    *_table(
        Severity.WARNING,
        ("RT420", "undefined-placeholder", "A placeholder names nothing that the transform can see."),
    ),
)

_BY_NAME: Final = {name: code for code in CODES for name in (code.code, code.slug)}


def code_named(name: str) -> Code:
    """Return the row with this code (``RT101``) or slug (``template-not-object``), else KeyError."""
    return _BY_NAME[name]
