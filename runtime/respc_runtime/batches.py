"""What `parse_response` of a compiled parser takes: one text or many, and tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from respc_runtime.collecting import MessageT
from respc_runtime.errors import MissingPrefixError
from respc_runtime.prefixes import whole_text
from respc_runtime.tools import PreparedTools

if TYPE_CHECKING:
    from typing import Literal, overload

    from respc_runtime.collecting import Parsed
    from respc_runtime.serving import ServingStream
    from respc_runtime.stream import Stream

Tools: TypeAlias = Sequence[dict[str, Any] | Callable[..., Any]] | PreparedTools
"""Tools as for `apply_chat_template`: JSON schemas in any of the usual shapes, and Python functions.

Or what `prepare_tools` made of them.
"""


def with_prefixes(texts: Sequence[str], prefix: str | Sequence[str] | None) -> list[tuple[str, str]]:
    """Give each text of a batch its prefix.

    Args:
        texts: the generations.
        prefix: the prompt of all of them, or as many prompts; empty when the texts are whole messages.

    Raises:
        ValueError: no prefix was given, or there are not as many as texts.
    """
    if prefix is None:
        raise MissingPrefixError
    if not prefix:
        prefix = ""
    if isinstance(prefix, str):
        return [(text, prefix) for text in texts]
    if len(prefix) != len(texts):
        raise ValueError(
            f"{len(texts)} texts, but {len(prefix)} prefixes: give one for all, or as many as texts"
        )
    return list(zip(texts, prefix, strict=True))


class ParseResponse(Generic[MessageT]):
    """Parses a whole generation, or a batch of them.

    Args:
        parser: the parser that raises what it cannot read.
        collecting: the one that gives the message beside that; older modules have none.
    """

    __slots__ = ("_collecting", "_parser")

    def __init__(
        self,
        parser: Callable[..., Stream[MessageT, Any]],
        collecting: Callable[..., ServingStream[MessageT, Any]] | None = None,
    ) -> None:
        self._parser = parser
        self._collecting = collecting

    if TYPE_CHECKING:  # at run time, each overload would be kept for ever

        @overload
        def __call__(
            self,
            text: str,
            *,
            prefix: str | None = None,
            tools: Tools | None = None,
            errors: Literal["raise"] = "raise",
        ) -> MessageT: ...
        @overload
        def __call__(
            self,
            text: list[str],
            *,
            prefix: str | Sequence[str] | None = None,
            tools: Tools | None = None,
            errors: Literal["raise"] = "raise",
        ) -> list[MessageT]: ...
        @overload
        def __call__(
            self,
            text: str,
            *,
            prefix: str | None = None,
            tools: Tools | None = None,
            errors: Literal["collect"],
        ) -> Parsed[MessageT]: ...
        @overload
        def __call__(
            self,
            text: list[str],
            *,
            prefix: str | Sequence[str] | None = None,
            tools: Tools | None = None,
            errors: Literal["collect"],
        ) -> list[Parsed[MessageT]]: ...

    def __call__(
        self,
        text: str | list[str],
        *,
        prefix: str | Sequence[str] | None = None,
        tools: Tools | None = None,
        errors: Literal["raise", "collect"] = "raise",
    ) -> MessageT | list[MessageT] | Parsed[MessageT] | list[Parsed[MessageT]]:
        """Parse a whole generation, or a batch of them.

        Args:
            text: what the model wrote; a list for a batch.
            prefix: the prompt, one for each text or one for all; "" says that the text is the whole message.
            tools: casts the arguments of tool calls to the types that these declare; `prepare_tools` reads them once
                for many calls.
            errors: `raise` as the interpreter does, or `collect`: read with the care of `ServingParser`, and give the
                message and what could not be read.

        Returns:
            The message, or with `collect` a `Parsed`; for a batch a list of as many.

        Raises:
            ResponseError: a region could not be read, or a required field is missing.
            ValueError: `errors` is neither.
        """
        if errors == "collect":
            if self._collecting is None:
                raise TypeError(
                    "this parser was compiled before it could collect errors: compile its template again"
                )
            if not isinstance(text, list):
                return self._collecting(prefix, tools=tools).collect(whole_text(text))
            return [
                self._collecting(before, tools=tools).collect(whole_text(each))
                for each, before in with_prefixes(text, prefix)
            ]
        if errors != "raise":
            raise ValueError(f"errors={errors!r} is neither 'raise' nor 'collect'")
        if not isinstance(text, list):
            return self._parser(prefix, tools=tools).finish(whole_text(text))
        return [
            self._parser(before, tools=tools).finish(whole_text(each))
            for each, before in with_prefixes(text, prefix)
        ]
