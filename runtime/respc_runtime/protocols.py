"""What all compiled parsers and their modules have in common, for code that chooses one of them at run time.

A module's own classes say more: which fields its events and messages have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, overload

if TYPE_CHECKING:
    from respc_runtime.batches import Texts, Tools
    from respc_runtime.collecting import Parsed
    from respc_runtime.forms import CallForm, TextForm
    from respc_runtime.tools import PreparedTools

AnyEvent: TypeAlias = Mapping[str, Any]
"""An event of some parser, with at least ``type``."""
AnyMessage: TypeAlias = Mapping[str, Any]
"""The message of some parser."""


class CompiledParser(Protocol):
    """Parses one generation while it is written: a `ResponseParser` or a `ServingParser`."""

    def __init__(self, prefix: str, *, tools: Tools | None = None) -> None: ...

    @property
    def initial_events(self) -> Sequence[AnyEvent]:
        """What the prefix already wrote of the message."""
        ...

    @property
    def anchor_found(self) -> bool | None:
        """Whether the prefix has a start anchor; None for an empty one."""
        ...

    def feed(self, text: str, /) -> Sequence[AnyEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        ...

    def finalize(self) -> tuple[AnyMessage, Sequence[AnyEvent]]:
        """End the generation and give its message, with the events of what was still open."""
        ...

    def finish(self, text: str, /) -> AnyMessage:
        """Take all that is still to come at once, and give the message without events."""
        ...


class CompiledServingParser(CompiledParser, Protocol):
    """The same with events for serving engines: a `ServingParser`."""

    parameters: Any
    """The parameters of tools, by the tools' names."""

    @property
    def calls(self) -> dict[str, CallForm]:
        """What is known of the values of fields of calls before their regions end."""
        ...

    @property
    def texts(self) -> dict[str, TextForm]:
        """What is known of the values of fields of text before their regions end."""
        ...

    @property
    def input_text(self) -> str:
        """What the parser was given: the prefix after its start anchor, then the chunks."""
        ...


class CompiledModule(Protocol):
    """A module that was compiled from a template."""

    __name__: str

    @overload
    def parse_response(
        self,
        text: str,
        *,
        prefix: str,
        tools: Tools | None = None,
        errors: Literal["raise"] = "raise",
    ) -> AnyMessage: ...
    @overload
    def parse_response(
        self,
        text: Texts,
        *,
        prefix: str | Texts,
        tools: Tools | None = None,
        errors: Literal["raise"] = "raise",
    ) -> Sequence[AnyMessage]: ...
    @overload
    def parse_response(
        self,
        text: str,
        *,
        prefix: str,
        tools: Tools | None = None,
        errors: Literal["collect"],
    ) -> Parsed[Any]: ...
    @overload
    def parse_response(
        self,
        text: Texts,
        *,
        prefix: str | Texts,
        tools: Tools | None = None,
        errors: Literal["collect"],
    ) -> Sequence[Parsed[Any]]: ...

    @property
    def ResponseParser(self) -> type[CompiledParser]:  # noqa: N802
        """Parses a generation while it is written."""
        ...

    def prepare_tools(self, tools: Iterable[Any], /) -> PreparedTools:
        """Read tools once for many generations."""
        ...


class ServingModule(CompiledModule, Protocol):
    """A module with both parsers, as the ready-made ones are."""

    @property
    def ServingParser(self) -> type[CompiledServingParser]:  # noqa: N802
        """Parses a generation while it is written, with events for serving engines."""
        ...
