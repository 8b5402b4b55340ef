"""The table of diagnostics: a code, a slug, a severity and a title each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Severity(str, Enum):
    """How bad it is.

    An error: the interpreter refuses the template, or a field can never work. A warning: it works, but loses or mangles
    something. A note: style, speed and portability.
    """

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

    @property
    def by_default(self) -> bool:
        """Tell whether it is looked for unless something else is asked for."""
        return self.code not in _ON_REQUEST

    @property
    def can_be_let_through(self) -> bool:
        """Tell whether a module can be made in spite of it, because the interpreter loads such a template."""
        return int(self.code[-2:]) >= _FIRST_LATE


_FIRST_LATE: Final = 20
_ON_REQUEST: Final = frozenset({"RT246", "RT541"})
"""What stands on nearly every template, and is news only to some: `--extend-select` asks for it."""


def _table(severity: Severity, *rows: tuple[str, str, str]) -> tuple[Code, ...]:
    return tuple(Code(code, slug, severity, title) for code, slug, title in rows)


# In each theme, first (from x01) what the interpreter refuses, then (from x20) what only shows when text is parsed,
# then (from x40) notes, with gaps so that new rows can stand beside their kin.
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
        ("RT009", "template-too-large", "The template, or the file that it is in, is too large."),
        ("RT010", "no-template-in-config", "The tokenizer config has no response template."),
        ("RT011", "older-response-schema", "A response schema is the older form, which is read no more."),
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
    *_table(
        Severity.WARNING,
        ("RT120", "version-misread", "The version is not the number 1, but passes for it."),
        ("RT121", "flag-misread", "A flag is neither true nor false, and is read by its truth."),
    ),
    *_table(
        Severity.NOTE,
        ("RT140", "null-value", "A key whose value is null says the same as no key."),
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
        ("RT212", "unstable-delimiter", "What a delimiter leads to would depend on how the text is cut."),
        ("RT213", "delimiters-too-long", "The delimiters are too long, counted repeats written out."),
    ),
    *_table(
        Severity.WARNING,
        ("RT220", "slow-pattern", "A pattern can take time that grows faster than the text."),
        ("RT221", "unreachable-delimiter", "Another delimiter always wins where this one matches."),
        ("RT222", "equal-openers", "Two fields have the same opener, and only one of them ever opens."),
        ("RT223", "opener-equals-closer", "An opener is also the closer of the implicit field, and wins."),
        (
            "RT224",
            "unreachable-alternative",
            "An alternative of a pattern never matches, because of one before it.",
        ),
    ),
    *_table(
        Severity.ERROR,
        ("RT225", "closer-always-empty", "A closer matches nothing at every place, so that no text gets in."),
    ),
    *_table(
        Severity.WARNING,
        (
            "RT226",
            "implicit-closer-empty",
            "The closer of the implicit field can match nothing, and parsing stops.",
        ),
        ("RT227", "opener-always-matches", "An opener matches nothing at every place."),
        ("RT228", "holds-everything", "A pattern holds ordinary text back, so that nothing is streamed."),
        ("RT229", "end-or-text", "A closer that is a text or the end is missed when chunks cut the text."),
        ("RT230", "optional-tail", "The optional tail of a pattern is missed when chunks cut it."),
        (
            "RT231",
            "literals-extend",
            "A longer literal is missed when chunks cut it, because a shorter one begins it.",
        ),
        ("RT232", "word-edge", "A pattern with the edge of a word is missed when chunks cut it."),
        ("RT233", "narrow-tool-name", "The names of tools may only hold letters, digits and underscores."),
        ("RT234", "pattern-as-literal", "A literal looks like a pattern, and is matched as it is written."),
        ("RT235", "unescaped-bar", "A bar in a pattern means `or`, where a special token was perhaps meant."),
        (
            "RT236",
            "narrow-parameter-name",
            "The names of parameters may only hold letters, digits and underscores.",
        ),
        ("RT237", "closer-at-start", "A closer matches at the start of the message alone, and ends nothing."),
    ),
    *_table(
        Severity.NOTE,
        ("RT240", "pattern-left-to-regex", "A pattern is searched with the module `regex`."),
        ("RT241", "duplicate-literal", "A list has the same literal twice."),
        ("RT242", "opener-begins-another", "An opener is the beginning of another, and the longer one wins."),
        ("RT243", "zero-width-delimiter", "A delimiter can match without taking any text."),
        ("RT244", "holds-without-bound", "A pattern can hold the stream back until its end."),
        ("RT245", "leading-blanks", "Blanks in front of a delimiter delay every blank of the stream."),
        (
            "RT246",
            "standalone-regex",
            "A standalone module needs the module `regex`, for a class of characters.",
        ),
    ),
    # RT3xx: content parsers and joining
    *_table(
        Severity.ERROR,
        ("RT301", "unknown-content-parser", "There is no content parser of this name."),
        ("RT302", "content-not-string", "The name of a content parser is a string."),
        ("RT303", "join-not-string", "The text that joins regions is a string."),
        ("RT304", "join-without-repeats", "Only the regions of a field that repeats can be joined."),
        ("RT320", "content-args-not-object", "The arguments of a content parser are an object."),
        ("RT321", "content-arg-wrong-type", "An argument of a content parser has a type that raises."),
    ),
    *_table(
        Severity.WARNING,
        ("RT322", "unknown-content-arg", "A content parser does not look at this argument."),
    ),
    *_table(
        Severity.ERROR,
        ("RT323", "unknown-value-parser", "There is no content parser of this name to parse values with."),
        ("RT324", "missing-tag-pattern", "The content parser needs a pattern for its tags."),
        ("RT325", "invalid-tag-pattern", "The pattern for tags is not a valid regular expression."),
        ("RT326", "tag-without-key", "The pattern for tags has no group for the key."),
        ("RT327", "empty-separator", "A separator is not empty."),
    ),
    *_table(
        Severity.WARNING,
        ("RT328", "content-arg-misread", "An argument has the wrong type, and is read as something else."),
        ("RT329", "tag-group-optional", "A tag can match without its key or its value."),
        (
            "RT330",
            "tag-without-value",
            "The pattern for tags has no group for the value, so that values are empty.",
        ),
    ),
    *_table(
        Severity.ERROR,
        ("RT331", "join-of-no-strings", "Only strings can be joined, and the values of the field are none."),
        ("RT332", "default-clash", "The default of a field is no value that its regions can be added to."),
    ),
    *_table(
        Severity.WARNING,
        ("RT333", "join-may-fail", "Only strings can be joined, and JSON may be anything."),
        ("RT334", "default-joined", "The default of a field is joined with its regions."),
        ("RT335", "plain-value-raises", "The values in a body have to be JSON, and plain text raises."),
        ("RT336", "greedy-tag", "The value of a tag takes the tags after it in."),
        ("RT337", "narrow-value", "The values in tags may hold no blanks."),
    ),
    # RT4xx: transforms
    *_table(
        Severity.ERROR,
        ("RT401", "transform-each-not-boolean", "The flag `transform_each` is a boolean."),
        ("RT402", "transform-each-without-transform", "The flag `transform_each` needs a transform."),
        ("RT403", "mixed-placeholder", "A string of a transform mixes a placeholder with other text."),
        ("RT404", "captures-without-transform", "Captures reach the message only through a transform."),
        ("RT420", "undefined-placeholder", "A placeholder names nothing that the transform can see."),
    ),
    *_table(
        Severity.WARNING,
        ("RT421", "unsure-placeholder", "A placeholder names a group that can be missing from a match."),
    ),
    *_table(
        Severity.ERROR,
        (
            "RT422",
            "transform-each-of-no-list",
            "The elements of a list can be transformed, and the content is none.",
        ),
        ("RT423", "placeholder-into-plain", "A placeholder descends into a value that has no keys."),
    ),
    *_table(
        Severity.WARNING,
        ("RT424", "content-of-each", "With `transform_each`, `{content}` is a key of each element."),
        ("RT425", "content-unused", "The transform leaves the content out."),
        ("RT426", "not-a-placeholder", "A string of a transform looks like a placeholder, and is none."),
    ),
    # RT5xx: text that is lost
    *_table(
        Severity.WARNING,
        ("RT520", "text-overwritten", "Text after another field replaces the text before it."),
        ("RT521", "region-overwritten", "A second region of the field replaces the first."),
        ("RT522", "plain-text-lost", "Text that no field claims is lost, and no field is for plain text."),
        ("RT523", "opener-as-body", "A region whose closer is missing takes the next one into its body."),
        ("RT524", "text-outside-lost", "What a model answers without the marks of its format is lost."),
        ("RT525", "repeats-without-closer", "A field repeats, and its first region takes all that follows."),
        ("RT526", "pieces-glued", "Words grow together where pieces are trimmed and joined by nothing."),
    ),
    *_table(
        Severity.NOTE,
        ("RT540", "no-implicit-field", "Text that no field claims is lost."),
        ("RT541", "closer-in-content", "The closer of a field can stand inside its content."),
        ("RT542", "opener-spoils-body", "A region whose closer is missing spoils itself and the next one."),
        ("RT543", "call-in-reasoning", "A call that comes before the end of the reasoning is part of that."),
        ("RT544", "body-text-dropped", "Text in a body that its content parser does not know is dropped."),
    ),
    # RT6xx: what reads the message
    *_table(
        Severity.WARNING,
        ("RT620", "call-shape", "The calls do not have the shape that chat templates read."),
        ("RT621", "blanks-of-values", "The blanks around values are cut off."),
    ),
    *_table(
        Severity.NOTE,
        ("RT640", "reasoning-name", "Chat templates read the field `reasoning_content`."),
    ),
    # RT7xx: other implementations of response templates
    *_table(
        Severity.NOTE,
        ("RT740", "look-around", "A pattern looks around, which other implementations may refuse."),
        (
            "RT741",
            "back-reference",
            "A pattern refers back to a group, which other implementations may refuse.",
        ),
        ("RT742", "pattern-flags", "A pattern sets flags, which other implementations may refuse."),
        (
            "RT743",
            "atomic-or-possessive",
            "A pattern gives nothing back, which other implementations may refuse.",
        ),
        ("RT744", "regex-only", "A pattern has syntax of the module `regex` alone."),
    ),
    # RT8xx: serving engines, where a template is checked for one
    *_table(
        Severity.ERROR,
        ("RT820", "engine-field", "The engine does not take a field of this name."),
        ("RT821", "engine-default", "The engine does not take this default."),
        ("RT822", "engine-join", "The engine does not take text that is joined."),
        ("RT823", "engine-no-text", "The engine takes reasoning and content that is text, and nothing else."),
        ("RT824", "engine-content-parser", "The engine does not have this content parser."),
        ("RT825", "engine-opener", "The engine needs an opener here."),
    ),
    *_table(
        Severity.WARNING,
        (
            "RT830",
            "engine-reasoning-repeats",
            "For the engine, reasoning that repeats is never over.",
        ),
        (
            "RT831",
            "engine-reasoning-closer",
            "The engine cannot look for the end of the reasoning by its tokens.",
        ),
        (
            "RT832",
            "engine-reasoning-words",
            "The engine looks for the tokens of words, which are not always the same.",
        ),
    ),
    # RT9xx: grammars, where one is asked for
    *_table(
        Severity.ERROR,
        ("RT920", "grammar-no-calls", "A grammar of calls needs a field of calls."),
        ("RT921", "grammar-spelling", "It is not known how a model writes the calls of the format."),
        ("RT922", "grammar-not-read-back", "What the grammar would allow is not read back."),
        ("RT923", "grammar-format", "The format leaves nothing that ends a text or a call for sure."),
        ("RT924", "grammar-reasoning", "The format has not the reasoning that was asked for."),
        ("RT925", "grammar-tool", "A tool cannot be called in the format."),
        ("RT926", "grammar-schema", "A schema says what no grammar can hold a model to."),
        ("RT927", "grammar-argument", "It is not known how the format writes an argument of this kind."),
        ("RT928", "grammar-special-token", "The id of a special token is needed."),
    ),
)

_BY_NAME: Final = {name: code for code in CODES for name in (code.code, code.slug)}


def code_named(name: str) -> Code:
    """Return the row with this code (``RT101``) or slug (``template-not-object``), else KeyError."""
    return _BY_NAME[name]
