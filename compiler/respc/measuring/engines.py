"""The two parsers, each ready for use as a server would have it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from respc.api import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.measuring.samples import Sample
    from respc.source import TemplateSource

INTERPRETER_VERSION: Final = "5.24.0"
"""The version of transformers whose interpreter is compiled after: others read some templates in another way."""

_INTERPRETER: Final = "transformers.utils.chat_parsing"
"""Named in a string: the compiler itself never imports it, and works where it is not installed."""


class OtherInterpreterError(Exception):
    """Another version of transformers is installed than the one to compare with."""

    def __init__(self, version: str) -> None:
        super().__init__(
            f"transformers {version} is installed, and its interpreter can read a template in another way than that of "
            f"{INTERPRETER_VERSION}, which is compared with: pip install transformers=={INTERPRETER_VERSION}"
        )


class Parser(Protocol):
    """What streams."""

    @property
    def initial_events(self) -> list[Any]:
        """The events of the prefix."""
        ...

    def feed(self, text: str, /) -> list[Any]:
        """Take a chunk."""
        ...

    def finalize(self) -> tuple[Any, list[Any]]:
        """End the stream."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """One way to parse.

    Attributes:
        name: what tables call it.
        open: begins a stream after a sample's prefix.
        whole: parses a sample at once.
    """

    name: str
    open: Callable[[Sample], Parser]
    whole: Callable[[Sample], Any]


def compiled_engine(source: TemplateSource) -> Engine:
    """Compile a template.

    Raises:
        TemplateError: it is refused.
    """
    module = load(source.template, name=source.name)
    return Engine(
        "compiled",
        lambda sample: cast("Parser", module.ResponseParser(sample.prefix, tools=sample.tools)),
        lambda sample: module.parse_response(sample.text, prefix=sample.prefix, tools=sample.tools),
    )


def interpreter_engine(source: TemplateSource) -> Engine:
    """Load a template into the interpreter, once, as a server would that minds the time.

    Raises:
        ImportError: transformers is not installed.
        OtherInterpreterError: another version of it is.
    """
    version = str(import_module("transformers").__version__)
    if version != INTERPRETER_VERSION:
        raise OtherInterpreterError(version)
    package: Any = import_module(_INTERPRETER)
    loader: Any = import_module(f"{_INTERPRETER}.response_templates")
    loaded = loader.load_response_template(deepcopy(source.template))
    return Engine(
        "interpreter",
        lambda sample: cast("Parser", package.ResponseParser(loaded, sample.prefix, tools=sample.tools)),
        lambda sample: package.parse_response(sample.text, loaded, prefix=sample.prefix, tools=sample.tools),
    )
