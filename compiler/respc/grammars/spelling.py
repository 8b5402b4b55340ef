"""How a format is spelled: one way to write calls and what is around them, of all the ways that a parser reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, TypeAlias

from respc.source.json_kinds import is_list

NAME: Final = "\ue000"
"""Stands in a text for the name of the tool."""
NUMBER: Final = "\ue001"
"""Stands in a text for a number that counts the calls."""
ID: Final = "\ue002"
"""Stands in a text for an id that the model makes up."""
KEY: Final = "\ue003"
"""Stands in a text for the name of an argument."""
HOLES: Final = (NAME, NUMBER, ID)

KINDS: Final = ("string", "integer", "number", "boolean", "null", "object", "array")


@dataclass(frozen=True, slots=True)
class ValueStyle:
    """How a value is written.

    Attributes:
        quotes: what stands around a string.
        escapes: whether strings have the escapes of JSON; otherwise all is as it is, up to the quote.
        key_quotes: what stands around a key.
        item_separator: between the items of a list or an object.
        key_separator: between a key and its value.
        words: how true, false and null are written; "" for null where there is none in such values.
        either_quotes: whether a string with quotes in it can be in the other ones, as Python writes it.
    """

    quotes: tuple[str, str] = ('"', '"')
    escapes: bool = True
    key_quotes: tuple[str, str] = ('"', '"')
    item_separator: str = ", "
    key_separator: str = ": "
    words: tuple[str, str, str] = ("true", "false", "null")
    either_quotes: bool = False


AS_JSON: Final = ValueStyle()
AS_PYTHON: Final = ValueStyle(
    ("'", "'"), key_quotes=("'", "'"), words=("True", "False", "None"), either_quotes=True
)
"""What `repr` writes."""


@dataclass(frozen=True, slots=True)
class ObjectArguments:
    """Arguments that are written as one object.

    Attributes:
        style: how their values are written.
        brackets: what stands around all of them.
        key_quotes: what stands around the name of an argument.
        item_separator: between arguments.
        key_separator: between the name of an argument and its value.
        styles: by the kind of an argument, how its value is written where that is in another style.
        kinds: the kinds of arguments whose writing is known.
    """

    style: ValueStyle
    brackets: tuple[str, str] = ("{", "}")
    key_quotes: tuple[str, str] = ('"', '"')
    item_separator: str = ", "
    key_separator: str = ": "
    styles: dict[str, ValueStyle] = field(default_factory=dict[str, ValueStyle], hash=False)
    kinds: tuple[str, ...] = KINDS

    def without(self, kind: str) -> ObjectArguments:
        """Forget how arguments of a kind are written."""
        return replace(self, kinds=tuple(each for each in self.kinds if each != kind))


@dataclass(frozen=True, slots=True)
class TagWriting:
    """What stands around the value of an argument, and between it and the name."""

    before_value: str
    after_value: str


@dataclass(frozen=True, slots=True)
class TagArguments:
    """Arguments that are written in tags: strings as they are, everything else as a value.

    Attributes:
        style: how values are written that are no strings.
        before_key: what stands before the name of an argument.
        tags: by the kind of the value, what stands around it.
        styles: by the kind of the value, how it is written where that is in another style.
    """

    style: ValueStyle
    before_key: str
    tags: dict[str, TagWriting] = field(hash=False)
    styles: dict[str, ValueStyle] = field(default_factory=dict[str, ValueStyle], hash=False)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of arguments whose writing is known."""
        return tuple(self.tags)

    def without(self, kind: str) -> TagArguments:
        """Forget how arguments of a kind are written."""
        return replace(self, tags={name: tag for name, tag in self.tags.items() if name != kind})


Arguments: TypeAlias = ObjectArguments | TagArguments


def style_of(arguments: Arguments, kind: str) -> ValueStyle:
    """Give the style of arguments of a kind."""
    return arguments.styles.get(kind, arguments.style)


def styles_of(arguments: Arguments) -> set[ValueStyle]:
    """List the styles of arguments."""
    return {style_of(arguments, kind) for kind in arguments.kinds}


@dataclass(frozen=True, slots=True)
class Calls:
    """How calls are written: ``section_open before arguments after (separator before arguments after)* section_close``.

    Texts have holes for the name of the tool and the like.

    Attributes:
        arguments: how arguments are written.
        separator: between calls; None where a message has one call at most.
        id_length: how many letters and digits an id has.
        dropped: blanks that calls begin a turn with, which they do not have behind a text or reasoning.
    """

    arguments: Arguments
    section_open: str
    before: str
    after: str
    separator: str | None
    section_close: str
    id_length: int = 0
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """How reasoning is written.

    Attributes:
        opens: what opens it, where the prompt does not.
        before_call: what closes it if a call is next.
        before_content: what closes it if text is next; None where that is not known.
    """

    opens: str | None
    before_call: str
    before_content: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """How the text of an answer is written.

    Attributes:
        opens: what stands in front of it.
        closes: what stands behind it, at the end of the message.
        before_call: what stands behind it if a call is next; None where no message has both.
        opens_before_call: what stands in front of it if a call is next; None where that is the same.
    """

    opens: str = ""
    closes: str = ""
    before_call: str | None = None
    opens_before_call: str | None = None


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a format is spelled.

    Attributes:
        calls: how calls are written.
        content: how text is written.
        reasoning: how reasoning is written; None where there is none.
        prefix: a prompt behind which a message is written so, and one that opens the reasoning, if there is any.
    """

    calls: Calls
    content: Content
    reasoning: Reasoning | None
    prefix: str
    opened_prefix: str | None

    def as_json(self) -> dict[str, Any]:
        """Give it as JSON's own types, without what is so in most formats."""
        written = asdict(self)
        arguments = written["calls"]["arguments"]
        for style in (arguments["style"], *arguments["styles"].values()):
            if not style["either_quotes"]:
                del style["either_quotes"]
        content = written["content"]
        if content["opens_before_call"] is None:
            del content["opens_before_call"]
        if not written["calls"]["dropped"]:
            del written["calls"]["dropped"]
        if not arguments["styles"]:
            del arguments["styles"]
        if arguments.get("kinds") == KINDS:
            del arguments["kinds"]
        return written

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> Spelling:
        """Take what `as_json` gave."""
        calls = dict(written["calls"])
        arguments = dict(calls.pop("arguments"))
        reasoning = written["reasoning"]
        return cls(
            calls=Calls(arguments=_arguments(arguments), **calls),
            content=Content(**written["content"]),
            reasoning=None if reasoning is None else Reasoning(**reasoning),
            prefix=written["prefix"],
            opened_prefix=written["opened_prefix"],
        )


def without_null(arguments: Arguments, kind: str) -> Arguments:
    """Let no null be in values of a kind."""
    style = style_of(arguments, kind)
    changed = replace(style, words=(*style.words[:2], ""))
    return replace(arguments, styles={**arguments.styles, kind: changed})


def _arguments(written: dict[str, Any]) -> Arguments:
    style = _style(written.pop("style"))
    styles = {kind: _style(each) for kind, each in written.pop("styles", {}).items()}
    if "tags" in written:
        tags = {kind: TagWriting(**tag) for kind, tag in written.pop("tags").items()}
        return TagArguments(style=style, tags=tags, styles=styles, **written)
    return ObjectArguments(style=style, styles=styles, **_with_tuples(written))


def _style(written: dict[str, Any]) -> ValueStyle:
    return ValueStyle(**_with_tuples(written))


def _with_tuples(written: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if is_list(value) else value for key, value in written.items()}
