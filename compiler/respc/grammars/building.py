"""From a spelling and tools to a grammar."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from typing import Literal as OneOfTexts

from respc.grammars.alternatives import WholeSchema
from respc.grammars.call_parts import lead_of
from respc.grammars.errors import GrammarError
from respc.grammars.nodes import (
    EMPTY,
    START,
    Characters,
    FreeText,
    Literal,
    Node,
    Reference,
    Repeat,
    Rules,
    choice,
    factored,
    led,
    optional,
    sequence,
)
from respc.grammars.numbers import DIGIT
from respc.grammars.objects import ObjectLayout
from respc.grammars.schemas import Values
from respc.grammars.shapes import shape_of
from respc.grammars.spelling import KEY, KINDS, NAME, NUMBER, ObjectArguments
from respc.grammars.strings import has_any, raw_string
from respc.source.json_kinds import is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.grammars.alternatives import Alternative
    from respc.grammars.call_parts import CallParts
    from respc.grammars.spelling import Spelling, TagArguments

Thinking = OneOfTexts["open", "prompt", "none"]
_LETTERS_AND_DIGITS: Final = Characters((("0", "9"), ("A", "Z"), ("a", "z")))
_NO_ARGUMENTS: Final[dict[str, Any]] = {"type": "object", "properties": {}}
_A: Final = {kind: f"{'an' if kind[0] in 'aio' else 'a'} {kind}" for kind in KINDS} | {"null": "null"}
_OF_WHOLE_STRINGS: Final = ("minLength", "pattern")
_NOT_IN_NAMES: Final = re.compile(r'["\\\x00-\x1f]')


@dataclass(frozen=True)
class Exclusions:
    """Texts that may not be in what a model writes freely, because the parser takes them for something else.

    Attributes:
        arguments: in the strings of arguments.
        reasoning: in reasoning.
        content: in the text of an answer; None where nearly any text is taken for something else.
        not_first: characters that a string in a tag may not begin with.
        any_values: whether values can be written of which nothing is known; otherwise brackets could end the call.
        keeps_blanks: whether the blanks that a string in a tag begins and ends with come back.
    """

    arguments: tuple[str, ...]
    reasoning: tuple[str, ...]
    content: tuple[str, ...] | None
    any_values: bool = True
    not_first: str = ""
    keeps_blanks: bool = True


class Tool(NamedTuple):
    """A tool.

    Attributes:
        name: its name.
        parameters: the schema of its arguments.
        path: where that is in the tools, as a JSON pointer.
        listed: the whole tool, as the request has it.
        text: the same as JSON.
    """

    name: str
    parameters: dict[str, Any]
    path: str
    listed: Any
    text: str


@dataclass(frozen=True)
class Wishes:
    """What is asked of a grammar.

    Attributes:
        text: whether the model may answer with text in the place of a call.
        parallel: whether there may be several calls.
        reasoning: who opens the reasoning: the model, which need not reason, or the prompt; or there is none.
    """

    text: bool
    parallel: bool
    reasoning: Thinking


def tool_of(text: str, number: int) -> Tool:
    """Read a tool as requests have it.

    Args:
        text: the tool, as JSON.
        number: which of the request it is.

    Raises:
        GrammarError: it has no name, or a name that cannot be written.
    """
    listed: Any = json.loads(text)
    function: Any = listed.get("function", listed) if is_object(listed) else None
    name: Any = function.get("name") if is_object(function) else None
    if not is_object(function) or not isinstance(name, str) or not name or _NOT_IN_NAMES.search(name):
        raise GrammarError("grammar-tool", "a tool needs a name that can be written", f"/{number}")
    path = f"/{number}{'/function' if 'function' in listed else ''}/parameters"
    parameters: Any = function.get("parameters") or _NO_ARGUMENTS
    if not is_object(parameters):
        raise GrammarError("grammar-schema", "the parameters have to be a schema", path)
    return Tool(name, parameters, path, listed, text)


class BuiltTool(NamedTuple):
    """The calls of a tool.

    Attributes:
        rules: the rules of a call, without what all calls begin with.
        schema: that of its arguments.
    """

    rules: Rules
    schema: WholeSchema


def build_tool(parts: CallParts, tool: Tool) -> BuiltTool:
    """Write the calls of a tool.

    Args:
        parts: what is the same for all tools of the format.
        tool: the tool.

    Raises:
        GrammarError: its schema cannot be held to.
    """
    name = f"call-{sha256(tool.text.encode()).hexdigest()[:8]}"
    rules: dict[str, Node] = {name: EMPTY}  # in front of the rules that it refers to
    schema = WholeSchema(tool.parameters, tool.path)
    values = Values(parts.calls.arguments.style, parts.allowed, rules, name, schema)
    rules[name] = _ToolBuilder(parts, tool.name, schema, values).call()
    return BuiltTool(Rules(name, rules), schema)


def build(spelling: Spelling, exclusions: Exclusions, tools: Sequence[str], wishes: Wishes) -> Rules:
    """Write what a model may write, but for the calls of each tool.

    Args:
        spelling: how the format is spelled.
        exclusions: what may not be in free texts.
        tools: the names of the rules of those that may be called.
        wishes: what is asked for.

    Raises:
        GrammarError: the format has not what is asked for.
    """
    return _Builder(spelling, exclusions).grammar(tools, wishes)


class _Builder:
    def __init__(self, spelling: Spelling, exclusions: Exclusions) -> None:
        self._spelling = spelling
        self._exclusions = exclusions
        self._opening = spelling.calls.section_open + lead_of(spelling.calls)

    def grammar(self, tools: Sequence[str], wishes: Wishes) -> Rules:
        """Write the whole output."""
        calls = self._spelling.calls
        rules: dict[str, Node] = {START: self._start(wishes)}
        one = choice(*map(Reference, tools))
        if wishes.parallel and calls.separator is not None:
            rules["call"] = one
            one = Reference("call")
            one = sequence(one, Repeat(sequence(Literal(calls.separator + lead_of(calls)), one)))
        rules["calls"] = sequence(one, Literal(calls.section_close))
        return Rules(START, rules)

    def _start(self, wishes: Wishes) -> Node:
        direct = [self._calls(), *(self._answers() if wishes.text else ())]
        if wishes.reasoning == "none":
            return factored(*direct)
        reasoning = self._spelling.reasoning
        if reasoning is None:
            raise GrammarError(
                "grammar-reasoning", "the format has no reasoning in front of a call: ask for none"
            )
        thoughts = [self._before_calls(reasoning.before_call, self._exclusions.reasoning)]
        if wishes.text and reasoning.before_content is not None:
            thoughts += self._answers(reasoning.before_content)
        if wishes.reasoning == "prompt":
            return factored(*thoughts)
        if reasoning.opens is None:
            raise GrammarError("grammar-reasoning", "it is not known how a model opens its reasoning")
        return factored(*direct, *(sequence(Literal(reasoning.opens), each) for each in thoughts))

    def _calls(self) -> Node:
        return sequence(Literal(self._opening), Reference("calls"))

    def _answers(self, closing: str | None = None) -> list[Node]:
        """Write text, and text with calls behind it.

        Args:
            closing: what closes reasoning in front of it, and opens the text; None where there is no reasoning.
        """
        content, without = self._spelling.content, self._exclusions.content
        if without is None:
            reason = "nearly any text can be taken for the beginning of something else: ask for a call"
            raise GrammarError("grammar-format", reason)
        opening = self._opening.lstrip()
        if opening and not any(text in opening for text in without):
            # An engine that takes the longest text it knows would take a call for text.
            without = (*without, opening)
        closes = content.closes if content.closes.strip() else ""
        answers = [sequence(self._opens(closing, content.opens), FreeText("any", closes, without))]
        if content.before_call is not None:
            opens = content.opens if content.opens_before_call is None else content.opens_before_call
            before = self._before_calls(content.before_call, without)
            answers.append(sequence(self._opens(closing, opens), before))
        return answers

    def _opens(self, closing: str | None, opens: str) -> Node:
        """Write what opens a text, with the reasoning in front of it."""
        if closing is None:
            return Literal(opens)
        if opens != self._spelling.content.opens:
            closing = closing.removesuffix(self._spelling.content.opens) + opens
        return FreeText("any", closing, self._exclusions.reasoning)

    def _before_calls(self, gap: str, without: tuple[str, ...]) -> Node:
        """Write a free text, what closes it, and calls."""
        end = gap + self._opening.removeprefix(self._spelling.calls.dropped)
        if not end.strip():
            raise GrammarError("grammar-format", "a text and a call behind it have nothing between them")
        return sequence(FreeText("any", end, without), Reference("calls"))


class _ToolBuilder:
    def __init__(self, parts: CallParts, name: str, schema: WholeSchema, values: Values) -> None:
        self._parts = parts
        self._calls = parts.calls
        self._kinds = parts.calls.arguments.kinds
        self._styles = parts.calls.arguments.styles
        self._exclusions = parts.exclusions
        self._name = name
        self._schema = schema
        self._values = values

    def call(self) -> Node:
        """Write a call, without what all calls begin with."""
        writing = self._calls.arguments
        arguments = self._object(writing) if isinstance(writing, ObjectArguments) else self._tags(writing)
        return sequence(*self._around(self._parts.before), arguments, *self._around(self._parts.after))

    def _around(self, parts: Iterable[str | Literal]) -> list[Node]:
        """Write what stands around arguments."""
        return [self._filled(part) if isinstance(part, str) else part for part in parts]

    def _filled(self, hole: str) -> Node:
        if hole == NAME:
            return Literal(self._name)
        length = self._calls.id_length
        return Repeat(DIGIT, 1, 2) if hole == NUMBER else Repeat(_LETTERS_AND_DIGITS, length, length)

    def _object(self, writing: ObjectArguments) -> Node:
        layout = ObjectLayout(
            writing.brackets, writing.key_quotes, writing.item_separator, writing.key_separator
        )
        if not writing.styles and writing.kinds == KINDS:
            return self._values.arguments(layout)
        return self._values.arguments(layout, self._argument)

    def _argument(self, schema: Any, path: str) -> Node:
        """Write an argument, each kind in its style."""
        alternatives = self._schema.alternatives(schema, path)
        for each in alternatives:
            self._know(each)
        return choice(*map(self._of_kind, alternatives))

    def _of_kind(self, each: Alternative) -> Node:
        """Write an argument of one kind."""
        style = self._styles.get(each.kind)
        return (self._values if style is None else self._values.in_style(style)).alternative(each)

    def _know(self, each: Alternative) -> None:
        """Refuse an argument of a kind of which nobody knows how it is written."""
        if each.kind not in self._kinds:
            reason = (
                f"how an argument that is {_A[each.kind]} is written is not known in this format: give a chat template "
                "that shows it, or ask for arguments of other kinds"
            )
            raise GrammarError("grammar-argument", reason, each.path)

    def _tags(self, writing: TagArguments) -> Node:
        whole = self._schema.arguments
        declared = self._schema.declared(whole.schema, whole.path)
        items: list[Node] = []
        for key, (inner, place) in declared.properties.items():
            plain = self._parts.plain_tags.get(shape_of(inner) or "")
            if plain is not None:
                tag = led(writing.before_key + key + plain.before_value, plain.rest)
            else:
                alternatives = self._schema.alternatives(inner, place)
                tag = choice(*[self._tag(writing, key, each) for each in alternatives])
            items.append(tag if key in declared.required else optional(tag))
        return sequence(*items)

    def _tag(self, writing: TagArguments, key: str, each: Alternative) -> Node:
        """Write an argument whose value is of one kind."""
        self._know(each)
        around = writing.tags[each.kind]
        before = writing.before_key + key + around.before_value
        after = around.after_value.replace(KEY, key)
        if each.kind != "string":
            return sequence(Literal(before), self._of_kind(each), Literal(after))
        if each.constant:
            text = each.constant[0]
            if has_any(text, self._exclusions.arguments):
                raise GrammarError("grammar-schema", f"{text!r} would end the call", each.path)
            return Literal(before + text + after)
        if not self._exclusions.keeps_blanks and any(each.schema.get(key) for key in _OF_WHOLE_STRINGS):
            reason = (
                "blanks around a string do not come back in this format: ask for no length and no pattern"
            )
            raise GrammarError("grammar-schema", reason, each.path)
        without, not_first = self._exclusions.arguments, self._exclusions.not_first
        return led(before, raw_string(each.schema, each.path, after, without, not_first))
