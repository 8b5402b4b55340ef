"""What is known of a format before there are tools: its spelling, proved, and what may not be in its free texts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, cast

import regex

from respc.analysis import analyse
from respc.api import load
from respc.chat_templates import ChatTemplate, Limits, call_in_child
from respc.codegen.forms import calls_of
from respc.errors import refusal
from respc.families import families, family_template
from respc.grammars.building import build_tool
from respc.grammars.errors import GrammarError
from respc.grammars.examples import examples_of_chat_template
from respc.grammars.exclusions import UnboundedError, exclusions_of, reasoning_regions
from respc.grammars.learning import NotLearnedError, learn
from respc.grammars.proving import NotProvedError, proved, read_back
from respc.grammars.sample_values import sample_arguments
from respc.grammars.spelling import Spelling
from respc.grammars.writing import write_calls
from respc.patterns import parse_pattern
from respc.patterns.beginnings import texts_before_all
from respc.source import template_from_dict
from respc_runtime.tools import prepare_tools

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from respc.chat_templates import ChatTemplateSource
    from respc.grammars.building import Exclusions, Tool
    from respc.grammars.learning import Example
    from respc.grammars.nodes import Rules
    from respc.grammars.schemas import Values
    from respc.ir import ParserIR, Region
    from respc.source import TemplateSource
    from respc.verifying.reading import Parser

_LIMITS: Final = Limits()
_MOST_TOOLS: Final = 4_096


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
    _tools: dict[str, Rules] = field(default_factory=dict[str, "Rules"], repr=False, compare=False)

    def rules_of(self, tool: Tool, listed: Any) -> Rules:
        """Write the calls of a tool, and make sure that they come back.

        Args:
            tool: the tool.
            listed: the same as the request has it.

        Raises:
            GrammarError: they do not, or its schema cannot be held to.
        """
        key = json.dumps(listed, sort_keys=False)
        known = self._tools.get(key)
        if known is not None:
            return known
        made = build_tool(self.spelling, self.exclusions, tool, key)
        self._try_tool(tool, listed, made.values)
        if len(self._tools) >= _MOST_TOOLS:
            self._tools.clear()
        self._tools[key] = made.rules
        return made.rules

    def _try_tool(self, tool: Tool, listed: Any, values: Values) -> None:
        prepared = prepare_tools([listed])
        samples = [sample_arguments(values, fullest=fullest) for fullest in (True, False)]
        calls = [(tool.name, each) for each in (samples if samples[0] != samples[1] else samples[:1])]
        together = [calls] if self.spelling.calls.separator is not None else [[call] for call in calls]
        for some in together:
            try:
                text = write_calls(some, self.spelling.calls)
                read_back(self.parser, text, self.spelling.prefix, some, {}, prepared)
            except (NotProvedError, KeyError) as error:
                reason = f"a call of `{tool.name}` does not come back: {error}"
                raise GrammarError("grammar-tool", reason, tool.path) from error


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
        exclusions = exclusions_of(analysis.ir, calls, spelling.calls.arguments.style)
        parser = _parser_of(template, read.digest)
        proof = proved(spelling, parser)
    except UnboundedError as error:
        raise GrammarError("grammar-format", str(error)) from error
    except NotProvedError as error:
        raise GrammarError("grammar-not-read-back", str(error)) from error
    exclusions = replace(exclusions, not_first=proof.not_first)
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
