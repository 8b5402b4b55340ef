"""What `parse_response` of a compiled parser takes: one text or many, and tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, cast

from respc_runtime.errors import MissingPrefixError
from respc_runtime.message_values import MessageT
from respc_runtime.tools import PreparedTools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal, overload

    from respc_runtime.collecting import Parsed
    from respc_runtime.serving import ServingStream
    from respc_runtime.stream import Stream

Tools: TypeAlias = Sequence[dict[str, Any] | Callable[..., Any]] | PreparedTools
"""Tools as for `apply_chat_template`: JSON schemas in any of the usual shapes, and Python functions.

Or what `prepare_tools` made of them.
"""


class Texts(Protocol):
    """A list of strings, a tuple of them, or any other sequence, but no string: that is a sequence of strings, too."""

    # In a string one can only look for strings.
    def __contains__(self, value: object, /) -> bool: ...
    def __getitem__(self, index: int, /) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...


def batch_of(texts: object, prefix: str | Texts | None) -> list[tuple[str, str]]:
    """Check that what is no string is a batch, and give each of its texts its prefix.

    Raises:
        TypeError: it is no sequence of strings; says what it is, or which of them is none.
        ValueError: as `with_prefixes`.
    """
    # Of bytes, each element is a number.
    if not isinstance(texts, Sequence) or isinstance(texts, (bytes, bytearray, memoryview)):
        kind = type(cast("Any", texts)).__name__
        raise TypeError(f"text must be a str, or a sequence of them for a batch, not {kind}")
    given: Sequence[Any] = cast("Any", texts)
    for index, text in enumerate(given):
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}, at index {index} of the batch")
    return with_prefixes(given, prefix)


def with_prefixes(texts: Texts, prefix: str | Texts | None) -> list[tuple[str, str]]:
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

    What modules give is its method, which Python calls in less time than the object.

    Args:
        parser: the parser that raises what it cannot read.
        collecting: the one that gives the message beside that; older modules have none.
    """

    __slots__ = ("_collecting", "_parser")

    def __init__(
        self,
        parser: type[Stream[MessageT, Any]],
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
            prefix: str,
            tools: Tools | None = None,
            errors: Literal["raise"] = "raise",
        ) -> MessageT: ...
        @overload
        def __call__(
            self,
            text: Texts,
            *,
            prefix: str | Texts,
            tools: Tools | None = None,
            errors: Literal["raise"] = "raise",
        ) -> list[MessageT]: ...
        @overload
        def __call__(
            self,
            text: str,
            *,
            prefix: str,
            tools: Tools | None = None,
            errors: Literal["collect"],
        ) -> Parsed[MessageT]: ...
        @overload
        def __call__(
            self,
            text: Texts,
            *,
            prefix: str | Texts,
            tools: Tools | None = None,
            errors: Literal["collect"],
        ) -> list[Parsed[MessageT]]: ...

    def __call__(
        self,
        text: str | Texts,
        *,
        prefix: str | Texts | None = None,
        tools: Tools | None = None,
        errors: Literal["raise", "collect"] = "raise",
    ) -> MessageT | list[MessageT] | Parsed[MessageT] | list[Parsed[MessageT]]:
        """Parse a whole generation, or a batch of them.

        Args:
            text: what the model wrote; a list or another sequence for a batch.
            prefix: the prompt, one for each text or one for all; "" says that the text is the whole message.
            tools: casts the arguments of tool calls to the types that these declare; `prepare_tools` reads them once
                for many calls.
            errors: `raise` as the interpreter does, or `collect`: read with the care of `ServingParser`, and give the
                message and what could not be read.

        Returns:
            The message, or with `collect` a `Parsed`; for a batch a list of as many.

        Raises:
            ResponseError: a region could not be read, or a required field is missing.
            MissingPrefixError: there is no `prefix`.
            TypeError: `text` is neither a string nor a batch of them, or `tools` are none.
            ValueError: `errors` is neither.
        """
        if errors == "raise":
            if isinstance(text, str):
                return self._parser.of_text(text, prefix, tools)
            return [self._parser.of_text(each, before, tools) for each, before in batch_of(text, prefix)]
        if errors != "collect":
            raise ValueError(f"errors={errors!r} is neither 'raise' nor 'collect'")
        if self._collecting is None:
            raise TypeError(
                "this parser was compiled before it could collect errors: compile its template again"
            )
        if isinstance(text, str):
            return self._collecting(prefix, tools=tools).collect(text)
        return [
            self._collecting(before, tools=tools).collect(each) for each, before in batch_of(text, prefix)
        ]
