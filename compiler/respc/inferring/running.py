"""A whole inference: in a child process, since chat templates are programs that others wrote."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from jinja2.sandbox import SandboxedEnvironment

from respc.chat_templates import (
    ChatTemplate,
    ChatTemplateSource,
    Limits,
    call_in_child,
    chat_environment,
    chat_template_source,
)
from respc.inferring.call_formats import opened_by_separator
from respc.inferring.call_sights import find_calls
from respc.inferring.calls_json import json_calls
from respc.inferring.calls_key_tags import key_tag_calls
from respc.inferring.calls_named import named_dialect_calls, named_json_calls
from respc.inferring.calls_python import python_calls
from respc.inferring.calls_tags import tag_calls
from respc.inferring.calls_told import told_calls
from respc.inferring.candidates import Findings, candidates
from respc.inferring.choosing import choose
from respc.inferring.constants import pairs_of
from respc.inferring.content import find_content
from respc.inferring.followers import find_followers
from respc.inferring.frame import find_frame
from respc.inferring.hardening_names import without_words_of_content
from respc.inferring.inference import Inference, InferenceError
from respc.inferring.probes import Probes
from respc.inferring.reasoning import find_reasoning
from respc.inferring.report import observations
from respc.verifying import Generation, request_for, writings

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from respc.inferring.call_formats import CallFormat
    from respc.inferring.call_sights import CallSights
    from respc.verifying import Writings

_LIMITS: Final = Limits()


@dataclass(frozen=True)
class InferenceRequest:
    """What a response template is inferred from.

    Attributes:
        texts: the chat templates by name.
        name: what messages call the chat template.
        given: what the chat template is given beside each conversation.
        ends: the tokens that end a generation, as far as is known.
    """

    texts: dict[str, str]
    name: str = "<chat template>"
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    ends: list[str] = field(default_factory=list[str])


def infer(
    chat_template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplateSource,
    *,
    given: Mapping[str, Any] | None = None,
    ends: Sequence[str] = (),
    limits: Limits = _LIMITS,
) -> Inference:
    """Infer a response template from a chat template, and prove it by what the chat template writes.

    The chat template is run in a sandbox, in a process of its own. It is asked to write messages of all kinds, and what
    stands around their parts is the format.

    Args:
        chat_template: its text, as `tokenizer.chat_template` has it; or several by name; or the path of a file, a
            tokenizer config or the folder of a model.
        given: what the chat template is given beside each conversation, as `eos_token`.
        ends: the tokens that end a generation, beside those that are read with it.
        limits: what the process may take.

    Returns:
        The template with its proof; it is `clean` where all that the chat template writes is read back.

    Raises:
        InferenceError: nothing can be inferred.
        ChatTemplateError: the chat template cannot be read or run, or takes too much time or memory.
    """
    source = chat_template_source(chat_template)
    asked = request_for({}, source, given)
    request = InferenceRequest(asked.texts, asked.name, asked.given, [*dict.fromkeys([*ends, *asked.ends])])
    answer = call_in_child(__name__, answer_request.__name__, [asdict(request)], limits, request.name)
    if "nothing" in answer:
        raise InferenceError(answer["nothing"])
    return Inference.from_json(answer)


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """Infer in the child; what goes between the processes is JSON."""
    try:
        return inferred_here(InferenceRequest(**request)).as_json()
    except InferenceError as error:
        return {"nothing": str(error)}


def inferred_here(request: InferenceRequest) -> Inference:
    """Infer in this process: for callers that are in a child already, or trust the chat template.

    Raises:
        InferenceError: nothing can be inferred.
        ChatTemplateError: the chat template is no Jinja.
    """
    written = _writings(request)
    if not any(isinstance(each, Generation) for each in written.found):
        reasons = list(
            dict.fromkeys(each.reason for each in written.found if not isinstance(each, Generation))
        )
        said = f": {reasons[0].rstrip('.')}" if reasons else ""
        raise InferenceError(
            f"{request.name}: the chat template writes no message of the model{said}; nothing can be inferred: "
            "give it what it reads beside the conversation, or write the response template by hand"
        )
    findings = _findings(written)
    if not findings.frame.anchors and findings.frame.pattern is None:
        raise InferenceError(
            f"{request.name}: nothing in the prompt shows where the model's message begins; write the response "
            "template by hand"
        )
    choice = choose(written, candidates(findings))
    if choice is None:
        raise InferenceError(
            f"{request.name}: no response template that is sound was found; write it by hand"
        )
    seen = observations(findings, choice.candidate)
    return Inference(choice.candidate.template, seen, choice.verification, choice.warnings, choice.tried)


def _writings(request: InferenceRequest) -> Writings:
    """Have the chat template write all it can.

    It may change its own lists, which transformers lets none do: what the engines show to models that do let it is how
    these write.
    """
    asked = request_for({}, ChatTemplateSource(request.name, request.texts, {}, ()))
    given = {**asked.given, **request.given}
    environment = chat_environment(SandboxedEnvironment)
    template = ChatTemplate(request.texts, given, environment=environment, name=request.name)
    return writings(template, request.ends)


def _findings(written: Writings) -> Findings:
    probes = Probes(written)
    reasoning = find_reasoning(probes, pairs_of(written.template.template.sources))
    frame = find_frame(written, written.template.header, reasoning, find_followers(probes))
    sights = find_calls(probes, frame, reasoning)
    calls = tuple(told_calls(probes) if sights is None else _formats(sights, probes))
    frame, calls = opened_by_separator(frame, calls)
    content = find_content(probes, frame, reasoning)
    return Findings(
        frame, reasoning, content, tuple(without_words_of_content(each, content) for each in calls)
    )


def _formats(sights: CallSights, probes: Probes) -> Iterator[CallFormat]:
    values = [*json_calls(sights), *python_calls(sights)]
    yield from values
    if not values:  # what is a JSON value is no name with a value behind it
        yield from named_json_calls(sights)
        yield from named_dialect_calls(sights)
        yield from key_tag_calls(sights, probes)
    yield from tag_calls(sights, probes)
