"""A whole verification: in a child process, since chat templates are programs that others wrote."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

from respc.api import load
from respc.chat_templates import (
    ChatTemplate,
    ChatTemplateSource,
    Limits,
    call_in_child,
    chat_template_source,
)
from respc.verifying.features import conversations
from respc.verifying.generations import Writings, writings
from respc.verifying.outcomes import Verification
from respc.verifying.own_conversations import calls_of_tools, own_conversations
from respc.verifying.proving import prove
from respc.verifying.writing import UNKNOWN_END

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from respc.verifying.reading import Parser

_LIMITS: Final = Limits()


@dataclass(frozen=True)
class Request:
    """What is verified.

    Attributes:
        template: the response template.
        texts: the chat templates by name.
        name: what messages call the chat template.
        given: what the chat template is given beside each conversation.
        ends: the tokens that end a generation.
        messages: conversations in place of the usual ones.
        tools: tools in place of the usual ones.
        streamed: whether each text is read in chunks, too.
    """

    template: dict[str, Any]
    texts: dict[str, str]
    name: str = "<chat template>"
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    ends: list[str] = field(default_factory=list[str])
    messages: list[list[dict[str, Any]]] | None = None
    tools: list[dict[str, Any]] | None = None
    streamed: bool = False

    def writings(self) -> Writings:
        """Write all texts by the chat template; only where it may run: see `verify`."""
        template = ChatTemplate(self.texts, self.given, name=self.name)
        spoken = None
        if self.messages is not None:
            spoken = own_conversations(self.messages, with_tools=self.tools is not None)
        elif self.tools is not None:
            spoken = conversations(calls_of_tools(self.tools))
        return writings(template, self.ends, spoken=spoken, tools=self.tools)


def verify(
    template: object,
    chat_template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplateSource,
    *,
    given: Mapping[str, Any] | None = None,
    messages: Sequence[list[dict[str, Any]]] | None = None,
    tools: Sequence[dict[str, Any]] | None = None,
    streamed: bool = False,
    limits: Limits = _LIMITS,
) -> Verification:
    """Find out whether a response template reads back what a chat template writes.

    The chat template is run in a sandbox, in a process of its own.

    Args:
        template: as for `respc.compile_template`.
        chat_template: its text, as `tokenizer.chat_template` has it; or several by name; or the path of a file, a
            tokenizer config or the folder of a model.
        given: what the chat template is given beside each conversation, as `eos_token`.
        messages: conversations in place of the usual ones, each a list of messages of which the last is the model's.
        tools: tools in place of the usual ones; without `messages`, a call of each is made.
        streamed: whether each text is read in chunks, too.
        limits: what the process may take.

    Returns:
        A row for each text, and a cause for each kind of fault; it is `clean` where there is no fault.

    Raises:
        TemplateError: the response template is refused.
        ChatTemplateError: the chat template cannot be read or run, or takes too much time or memory.
        OwnConversationError: `messages` are no conversations that end with the model's message.
    """
    load(template)  # what is refused is refused here, and with all that is known of it
    request = replace(
        request_for(cast("dict[str, Any]", template), chat_template_source(chat_template), given),
        messages=None if messages is None else list(messages),
        tools=None if tools is None else list(tools),
        streamed=streamed,
    )
    return verified(request, limits)


def request_for(
    template: dict[str, Any], source: ChatTemplateSource, given: Mapping[str, Any] | None = None
) -> Request:
    """Ask for the usual conversations.

    Args:
        template: the response template.
        source: the chat template.
        given: what it is given beside, and in place of the tokens that were read with it.
    """
    tokens: dict[str, Any] = {**source.tokens, **(given or {})}
    ends = list(source.ends)
    if not source.tokens:
        # A chat template alone does not say which tokens it is given.
        tokens = {"bos_token": "", "eos_token": UNKNOWN_END, **tokens}
    named: Any = tokens.get("eos_token")
    if isinstance(named, str) and named not in ("", UNKNOWN_END, *ends):
        ends.insert(0, named)
    return Request(template, source.texts, source.name, tokens, ends)


def verified(request: Request, limits: Limits = _LIMITS) -> Verification:
    """Verify in a child process.

    Raises:
        ChatTemplateError: as `verify`.
    """
    if request.messages is not None:  # what is wrong with them is better said here
        own_conversations(request.messages, with_tools=True)
    answer = call_in_child(__name__, answer_request.__name__, [asdict(request)], limits, request.name)
    return Verification.from_json(answer)


def verified_here(request: Request) -> Verification:
    """Verify in this process: for callers that are in a child already, or trust the chat template."""
    parser = cast("Parser", load(request.template))
    return prove(request.writings(), request.template, parser, streamed=request.streamed)


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """Verify in the child; what goes between the processes is JSON."""
    return verified_here(Request(**request)).as_json()
