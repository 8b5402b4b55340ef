"""A chat template, ready to write conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from jinja2 import meta

from respc.chat_templates.conversations import plain_value, prepared_messages
from respc.chat_templates.environment import usual_environment
from respc.chat_templates.errors import ChatTemplateError, NotRenderedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment

    from respc.chat_templates.loading import ChatTemplateSource

_LONGEST_REASON: Final = 200


class ChatTemplate:
    """A chat template: each conversation is written once, however often it is asked for.

    Args:
        source: its text, or its texts by name.
        given: what it is given beside the conversation, as `bos_token` and `eos_token`.
        environment: what runs it; None for the one of transformers.
        keeps_none: whether messages keep keys that have no value, as other engines give them to templates.
        name: what messages call it.

    Raises:
        ChatTemplateError: a text is no Jinja, or there is neither one text nor a default one.
    """

    def __init__(
        self,
        source: str | Mapping[str, str],
        given: Mapping[str, Any] | None = None,
        *,
        environment: SandboxedEnvironment | None = None,
        keeps_none: bool = False,
        name: str = "<chat template>",
    ) -> None:
        self.name = name
        self.given = dict(given or {})
        self.sources = {"default": source} if isinstance(source, str) else dict(source)
        if not {"default", "tool_use"} & self.sources.keys():
            raise ChatTemplateError(
                f"{name}: there is neither a template `default` nor `tool_use`: choose one of "
                f"{', '.join(sorted(self.sources))}"
            )
        self._keeps_none = keeps_none
        self._environment = usual_environment() if environment is None else environment
        self._templates = {each: self._compiled(each, text) for each, text in self.sources.items()}
        self._written: dict[str, str | NotRenderedError] = {}

    @classmethod
    def from_source(cls, source: ChatTemplateSource, given: Mapping[str, Any] | None = None) -> ChatTemplate:
        """Take what was read from files.

        Args:
            source: the texts, and the tokens that they are given.
            given: what they are given beside, and in place of these.

        Raises:
            ChatTemplateError: as for the class.
        """
        return cls(source.texts, {**source.tokens, **(given or {})}, name=source.name)

    @property
    def names(self) -> frozenset[str]:
        """The names of what the templates read and do not set, as `enable_thinking`."""
        found: set[str] = set()
        for text in self.sources.values():
            found |= meta.find_undeclared_variables(self._environment.parse(text))
        return frozenset(found)

    def render(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        *,
        prompt: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> str:
        """Write a conversation, as `apply_chat_template` with `tokenize=False` does.

        Args:
            messages: the conversation.
            tools: their JSON schemas.
            prompt: whether the beginning of the model's turn follows.
            options: what the template is given beside, as `enable_thinking`.

        Raises:
            NotRenderedError: the template refuses it.
        """
        given = {**self.given, **(options or {})}
        key = json.dumps([messages, tools, prompt, given], default=repr)
        written = self._written.get(key)
        if written is None:
            written = self._written[key] = self._render(messages, tools, prompt, given)
        if isinstance(written, NotRenderedError):
            raise NotRenderedError(*written.args)
        return written

    def _render(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
        prompt: bool,
        given: dict[str, Any],
    ) -> str | NotRenderedError:
        try:
            return self._chosen(tools).render(
                messages=prepared_messages(messages, keep_none=self._keeps_none),
                tools=plain_value(tools),
                documents=None,
                add_generation_prompt=prompt,
                **given,
            )
        except MemoryError:
            raise
        except Exception as error:  # whatever a template that is not ours can raise
            reason = " ".join(str(error).split())
            return NotRenderedError(f"{type(error).__name__}: {reason[:_LONGEST_REASON]}")

    def _chosen(self, tools: list[dict[str, Any]] | None) -> Template:
        """Choose as transformers does: `tool_use` where there are tools."""
        if "default" not in self._templates or (tools is not None and "tool_use" in self._templates):
            return self._templates["tool_use"]
        return self._templates["default"]

    def _compiled(self, name: str, text: str) -> Template:
        try:
            return self._environment.from_string(text)
        except MemoryError:
            raise
        except Exception as error:  # TemplateSyntaxError, and what the compiler of Jinja stumbles over
            place = f":{line}" if (line := getattr(error, "lineno", None)) else ""
            called = self.name if len(self.sources) == 1 else f"{self.name} ({name})"
            raise ChatTemplateError(f"{called}{place}: no chat template: {error}") from None
