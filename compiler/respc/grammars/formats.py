"""What is known of a format before there are tools: its spelling, proved, and what may not be in its free texts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import regex

from respc.analysis import analyse
from respc.api import load
from respc.chat_templates import ChatTemplate, Limits, call_in_child
from respc.codegen.forms import calls_of
from respc.errors import refusal
from respc.families import families, family_template
from respc.grammars.building import Tool, build_tool, tool_of
from respc.grammars.call_parts import CallParts
from respc.grammars.errors import GrammarError
from respc.grammars.examples import examples_of_chat_template
from respc.grammars.exclusions import UnboundedError, exclusions_of, reasoning_regions
from respc.grammars.learning import NotLearnedError, learn
from respc.grammars.proving import NotProvedError, proved, read_back
from respc.grammars.sample_values import sample_arguments
from respc.grammars.spelling import Spelling, styles_of
from respc.grammars.writing import write_calls
from respc.patterns import parse_pattern
from respc.patterns.beginnings import texts_before_all
from respc.source import template_from_dict
from respc_runtime.tools import prepare_tools

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from respc.chat_templates import ChatTemplateSource
    from respc.grammars.building import Exclusions
    from respc.grammars.learning import Example
    from respc.grammars.notations import Notation, Written
    from respc.grammars.proving import Call
    from respc.ir import ParserIR, Region
    from respc.source import TemplateSource
    from respc.verifying.reading import Parser

_LIMITS: Final = Limits()
_MOST_TOOLS: Final = 4_096
_MOST_TOGETHER: Final = 32
"""Of so many tools are calls parsed at once: the numbers that count calls have two digits."""


class KnownTool(NamedTuple):
    """A tool whose calls come back.

    Attributes:
        name: its name.
        rule: the name of the rule of its calls.
        written: the rules of its calls.
    """

    name: str
    rule: str
    written: Written


@dataclass(frozen=True)
class Format:
    """What is known of a format.

    Attributes:
        spelling: how it is spelled.
        exclusions: what may not be in free texts.
        gaps: what is not in its grammars, and why.
        parser: the module of the response template.
    """

    spelling: Spelling
    exclusions: Exclusions
    gaps: tuple[str, ...]
    parser: Parser
    _tools: dict[tuple[Notation, str], KnownTool] = field(
        default_factory=dict[tuple["Notation", str], "KnownTool"], repr=False, compare=False
    )

    @cached_property
    def _parts(self) -> dict[bool, CallParts]:
        return {
            apart: CallParts(self.spelling.calls, self.exclusions, apart=apart) for apart in (False, True)
        }

    def tool(self, text: str, number: int, notation: Notation) -> KnownTool | Tool:
        """Give what is known of a tool, or the tool itself where it is new.

        Args:
            text: the tool as the request has it, as JSON.
            number: which of the request it is.
            notation: how grammars are written.

        Raises:
            GrammarError: as `tool_of`.
        """
        return self._tools.get((notation, text)) or tool_of(text, number)

    def known_tools(self, tools: Sequence[KnownTool | Tool], notation: Notation) -> list[KnownTool]:
        """Write the calls of those tools that are new, and make sure that they come back.

        Raises:
            GrammarError: they do not, or a schema cannot be held to.
        """
        new = {each.text: each for each in tools if isinstance(each, Tool)}
        trials = [self._trial(each, notation) for each in new.values()]
        for some in _batches(trials):
            self._prove(some)
        made = {each.tool.text: each.written for each in trials}
        if len(self._tools) + len(made) > _MOST_TOOLS:
            self._tools.clear()
        self._tools.update({(notation, text): each for text, each in made.items()})
        return [made[each.text] if isinstance(each, Tool) else each for each in tools]

    def _trial(self, tool: Tool, notation: Notation) -> _Trial:
        built = build_tool(self._parts[notation.has_lexer], tool)
        written = KnownTool(tool.name, built.rules.name, notation.written(built.rules))
        fullest, least = sample_arguments(built.schema)
        samples = (fullest, least) if fullest != least else (fullest,)
        return _Trial(tool, written, tuple([(tool.name, each) for each in samples]))

    def _prove(self, trials: Sequence[_Trial]) -> None:
        """Parse the calls of tools, all at once where the format has several calls."""
        calls = [call for each in trials for call in each.calls]
        tools = prepare_tools([each.tool.listed for each in trials])
        together = [calls] if self.spelling.calls.separator is not None else [[call] for call in calls]
        try:
            for some in together:
                text = write_calls(some, self.spelling.calls)
                read_back(self.parser, text, self.spelling.prefix, some, {}, tools)
        except (NotProvedError, KeyError) as error:
            if len(trials) == 1:
                tool = trials[0].tool
                reason = f"a call of `{tool.name}` does not come back: {error}"
                raise GrammarError("grammar-tool", reason, tool.path) from error
            for each in trials:
                self._prove([each])


class _Trial(NamedTuple):
    """A tool that is not proved yet.

    Attributes:
        tool: the tool.
        written: what is known of it once it is proved.
        calls: those that have to come back: with all that can be there, and with what has to be.
    """

    tool: Tool
    written: KnownTool
    calls: tuple[Call, ...]


def _batches(trials: Sequence[_Trial]) -> Iterator[list[_Trial]]:
    """Put tools together that are proved at once: in each batch a name is that of one tool."""
    batch: dict[str, _Trial] = {}
    for each in trials:
        if each.tool.name in batch or len(batch) == _MOST_TOGETHER:
            yield [*batch.values()]
            batch = {}
        batch[each.tool.name] = each
    if batch:
        yield [*batch.values()]


def format_of(
    template: dict[str, Any],
    source: ChatTemplateSource | None,
    spelling: Spelling | None,
    limits: Limits = _LIMITS,
) -> Format:
    """Find out what is known of a format.

    Args:
        template: the response template.
        source: a chat template that writes it.
        spelling: how it is spelled, if that is known.
        limits: what the process may take in which the chat template runs.

    Raises:
        TemplateError: the response template is refused.
        GrammarError: there is no sound grammar.
        ChatTemplateError: the chat template cannot be run.
    """
    read = template_from_dict(template, "<template>")
    analysis = analyse(read, only_refusals=True)
    if analysis.ir is None:
        raise refusal(analysis.findings, read.name, read.text)
    calls = _calls_region(analysis.ir)
    if spelling is None and source is not None:
        spelling = _spelling_of_chat_template(template, source, limits)
    if spelling is None:
        spelling = spelling_of_family(read.digest)
    if spelling is None:
        raise GrammarError(
            "grammar-spelling",
            "a response template does not say how calls are spelled: give the chat template",
        )
    try:
        exclusions = exclusions_of(analysis.ir, calls, styles_of(spelling.calls.arguments))
        parser = _parser_of(template, read.digest)
        proof = proved(spelling, parser)
    except UnboundedError as error:
        raise GrammarError("grammar-format", str(error)) from error
    except NotProvedError as error:
        raise GrammarError("grammar-not-read-back", str(error)) from error
    exclusions = replace(exclusions, not_first=proof.not_first, keeps_blanks=proof.keeps_blanks)
    return Format(proof.spelling, exclusions, proof.gaps, parser)


def _parser_of(template: dict[str, Any], digest: str) -> Parser:
    """Give the module of a template, which is compiled if it is not ready-made."""
    name = _families_by_digest().get(digest)
    return cast("Parser", load(template) if name is None else import_module(f"respc_parsers.{name}"))


def _calls_region(ir: ParserIR) -> Region:
    regions = calls_of(ir)
    if not regions:
        raise GrammarError("grammar-no-calls", "the response template has no field `tool_calls`")
    return regions[0]


def _spelling_of_chat_template(
    template: dict[str, Any], source: ChatTemplateSource, limits: Limits
) -> Spelling:
    from respc.verifying.running import request_for

    request = request_for(template, source)
    arguments = [template, request.texts, request.name, request.given, request.ends]
    answer = call_in_child(__name__, answer_spelling.__name__, arguments, limits, source.name)
    if "error" in answer:
        raise GrammarError("grammar-spelling", f"{source.name}: {answer['error']}")
    return Spelling.from_json(answer)


def answer_spelling(
    template: dict[str, Any], texts: dict[str, str], name: str, given: dict[str, Any], ends: list[str]
) -> dict[str, Any]:
    """Learn a spelling in the child process that runs the chat template; what goes between the two is JSON."""
    ir = analyse(template_from_dict(template, name), only_refusals=True).ir
    assert ir is not None, "it was compiled before"
    try:
        examples = examples_of_chat_template(ChatTemplate(texts, given, name=name), ends)
        return learn_spelling(examples, ir).as_json()
    except NotLearnedError as error:
        return {"error": str(error)}


def learn_spelling(examples: Sequence[Example], ir: ParserIR) -> Spelling:
    """Learn the spelling of what a template reads, up to what ends a turn: there an engine stops by itself.

    Raises:
        NotLearnedError: the examples do not show it.
        GrammarError: the template reads no calls.
    """
    closers = [parse_pattern(region.closer.pattern) for region in ir.regions if region.closer]
    ends = {text for closer in closers for text in texts_before_all(closer)}
    turns = [replace(each, text=_turn(each.text, ends)) for each in examples]
    return learn(turns, _calls_region(ir).content, _closing_of_reasoning(ir))


def _turn(text: str, ends: Collection[str]) -> str:
    """Take off what ends a turn."""
    stripped = text.rstrip()
    end = next((end for end in sorted(ends, key=len, reverse=True) if stripped.endswith(end)), None)
    return text if end is None else stripped.removesuffix(end)


def _closing_of_reasoning(ir: ParserIR) -> regex.Pattern[str] | None:
    closers = [region.closer.pattern for region in reasoning_regions(ir) if region.closer]
    return regex.compile("|".join(f"(?:{each})" for each in closers), regex.DOTALL) if closers else None


def is_ready_made(template: TemplateSource) -> bool:
    """Tell whether a template is one of the ready-made, whose spelling is known."""
    return spelling_of_family(template.digest) is not None


def spelling_of_family(digest: str) -> Spelling | None:
    """Give the spelling of the ready-made template with this sha256; None if there is none."""
    name = _families_by_digest().get(digest)
    return None if name is None else family_spelling(name)


def family_spelling(name: str) -> Spelling | None:
    """Read the spelling of a family; None if there is none."""
    file = files("respc_parsers") / "spellings" / f"{name}.json"
    return Spelling.from_json(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


@cache
def _families_by_digest() -> dict[str, str]:
    return {family_template(name).digest: name for name in families()}
