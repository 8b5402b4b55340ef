"""``xml-inline``: shallow tags, found by a pattern with the groups ``key`` and ``value``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import regex

from respc.contents.arguments import Flag, PlainArgument, ValueParser
from respc.contents.model import (
    BodyPattern,
    ContentParser,
    Expression,
    ReadContent,
    Wanted,
    WriteExample,
    Writer,
    no_object,
)
from respc.contents.nested import read_value_parser, working, write_value, write_value_example
from respc.ir import Content, Fault, Origin
from respc.patterns import parse_pattern, pattern_facts
from respc.patterns.parse import place_of_error
from respc.patterns.samples import samples
from respc.patterns.trials import group_in, is_between
from respc.source.json_kinds import json_kind

if TYPE_CHECKING:
    from respc.scan.tags import TagPlan

_TAG_PATTERN = r"<parameter=(?P<key>[^>]+)>\n?(?P<value>.*?)\n?</parameter>"


@dataclass(frozen=True, slots=True)
class XmlInlineArguments:
    """How tags are read.

    Attributes:
        tag_pattern: finds a tag.
        groups: the names of its groups.
        sure_groups: those that take part in every match.
        value: how values are read, None for as they are.
        merge_duplicates: whether the values of one key become a list.
        tags: how tags are found by their segments, where a pass found that.
    """

    tag_pattern: str
    groups: frozenset[str]
    sure_groups: frozenset[str]
    value: Content | Fault | None
    merge_duplicates: bool
    tags: TagPlan | None = None


class XmlInlineContent(ContentParser[XmlInlineArguments | Fault]):
    """A dict of the tags that the pattern finds, later ones over earlier ones unless they are merged."""

    name = "xml-inline"
    makes = "An object made of shallow tags, which a pattern finds."
    result = "dict[str, Any]"
    takes = (
        PlainArgument(
            "tag_pattern",
            "Finds a tag, with the groups `key` and `value`; `xml-inline` does not work without it. "
            "A regular expression of the Python module `regex` in which `.` matches line breaks, too.",
            {"type": "string"},
            {"examples": [_TAG_PATTERN]},
        ),
        ValueParser(),
        Flag(
            "merge_duplicates",
            "Whether the values of a key that is there twice become a list; else the last one counts.",
            False,
        ),
    )
    examples = (
        {"tag_pattern": _TAG_PATTERN, "value_parser": {"name": "json", "args": {"allow_non_json": True}}},
    )

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> XmlInlineArguments | Fault:
        """Understand ``tag_pattern``, ``value_parser`` and ``merge_duplicates``."""
        if fault := no_object(arguments):
            return fault
        tag_pattern = arguments.get("tag_pattern")
        if tag_pattern is None:
            return Fault(ValueError, "xml-inline needs the argument 'tag_pattern'", "missing-tag-pattern")
        if not isinstance(tag_pattern, str):
            reason = f"'tag_pattern' is {json_kind(tag_pattern)}, not a string"
            return Fault(TypeError, reason, at="/tag_pattern")
        try:
            groups = regex.compile(tag_pattern, regex.DOTALL).groupindex
        except regex.error as error:
            reason = f"'tag_pattern' is no regular expression: {getattr(error, 'msg', error)}"
            place = place_of_error(error, tag_pattern)
            return Fault(Exception, reason, "invalid-tag-pattern", "/tag_pattern", place)
        return XmlInlineArguments(
            tag_pattern,
            frozenset(groups),
            pattern_facts(parse_pattern(tag_pattern)).sure_groups,
            read_value_parser(arguments, origin, read_content),
            bool(arguments.get("merge_duplicates", False)),
        )

    def write(
        self, arguments: XmlInlineArguments | Fault, operand: str, name: str, writer: Writer
    ) -> Expression:
        """Write a function that loops over the tags."""
        if isinstance(arguments, Fault):
            return writer.fault(arguments)
        pairs = arguments.tags is not None and arguments.tags.pairs
        if arguments.tags is not None:
            tags = writer.tags(f"{name}_tag", arguments.tags, merged=arguments.merge_duplicates)
        else:
            found = f"{writer.pattern(f'{name}_tag', arguments.tag_pattern)}.finditer(body)"
            checks = "key" in arguments.groups
            tags = writer.checked(found, merged=arguments.merge_duplicates) if checks else found
        values: dict[str, object] = {
            "arguments": arguments,
            "tag": "key, text" if pairs else "tag",
            "key": "key" if pairs else 'tag["key"]',
            "tags": tags,
        }
        if pairs:
            values["value"] = write_value(arguments.value, "text", name, writer).code
            values["key_fault"] = None
        elif "key" in arguments.groups:
            value = 'tag["value"]' if "value" in arguments.groups else '""'
            values["value"] = write_value(arguments.value, value, name, writer).code
            values["key_fault"] = (
                writer.fault(
                    Fault(ValueError, "the group 'key' of the tag pattern took no part in the match")
                ).code
                if "key" not in arguments.sure_groups
                else None
            )
        else:
            values["value"] = None
            values["key_fault"] = writer.fault(Fault(ValueError, "the tag pattern has no group 'key'")).code
        function = writer.function(name, "xml_inline", "dict[str, Any]", values)
        return Expression(f"{function}(parser, {operand})", "dict[str, Any]")

    def write_example(
        self, arguments: XmlInlineArguments | Fault, wanted: Wanted, write_inner: WriteExample
    ) -> str:
        """Write a tag for each pair."""
        if isinstance(arguments, Fault):
            return wanted.prose
        tree = parse_pattern(arguments.tag_pattern)
        tags = (
            samples(
                tree, {"key": key, "value": write_value_example(arguments.value, key, value, write_inner)}
            )
            for key, value in wanted.pairs.items()
        )
        return "\n".join(each[0] for each in tags if each)

    def can_hide(self, arguments: XmlInlineArguments | Fault, text: str) -> bool:
        """Tell whether a text can stand in a value."""
        if isinstance(arguments, Fault) or "value" not in arguments.groups:
            return False
        tags = samples(parse_pattern(arguments.tag_pattern), {"value": f"a{text}a"})
        return any(text in (group_in(arguments.tag_pattern, tag, "value") or "") for tag in tags)

    def can_read(self, arguments: XmlInlineArguments | Fault) -> bool:
        """Tell whether tags have a key, and the value parser can work."""
        if isinstance(arguments, Fault):
            return False
        return "key" in arguments.groups and not isinstance(arguments.value, Fault)

    def reads_anything(self, arguments: XmlInlineArguments | Fault) -> bool:
        """Say yes: text that is no tag is passed over."""
        return self.can_read(arguments)

    def drops(self, arguments: XmlInlineArguments | Fault, text: str) -> bool:
        """Tell whether a text between two tags is no part of one."""
        if isinstance(arguments, Fault) or not self.can_read(arguments):
            return False
        pattern = arguments.tag_pattern
        tags = samples(parse_pattern(pattern))
        return any(is_between(pattern, tag, f"\n{text}\n", tag) for tag in tags)

    def value_content(self, arguments: XmlInlineArguments | Fault) -> Content | None:
        """Give what ``value_parser`` names."""
        return None if isinstance(arguments, Fault) else working(arguments.value)

    def patterns(self, arguments: XmlInlineArguments | Fault) -> tuple[BodyPattern, ...]:
        """Give the pattern of the tags."""
        if isinstance(arguments, Fault):
            return ()
        return (BodyPattern("tag_pattern", arguments.tag_pattern, in_segments=arguments.tags is not None),)
