"""The Jinja environment that chat templates are written for: the one of transformers 5.24.0, without transformers."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from respc.chat_templates.errors import ChatTemplateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.parser import Parser
    from jinja2.runtime import Macro
    from jinja2.sandbox import SandboxedEnvironment

_OLDEST_JINJA: Final = (3, 1, 6)
"""In older versions there are known ways out of the sandbox."""


class _Generation(Extension):
    """The tag that training reads the model's own text by: a block of its own, whose text is written as it is."""

    tags = {"generation"}  # noqa: RUF012  # as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        """Read the tag and what is in it."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        # A block with a scope of its own, as it is in transformers: what is set in it is not known behind it.
        return nodes.CallBlock(self.call_method("_written"), [], [], body).set_lineno(line)

    def _written(self, caller: Macro) -> str:
        return str(caller())


class _Dict:
    """`dict` without the attributes of the class, which lead out of the sandbox."""

    def __call__(self, *arguments: Any, **named: Any) -> dict[Any, Any]:
        return dict(*arguments, **named)

    def fromkeys(self, *arguments: Any) -> dict[Any, Any]:
        """Make a dict of keys that have one value."""
        return dict.fromkeys(*arguments)


class _Namespace(Namespace):
    """A namespace that takes no name with an underscore in front."""

    def __init__(*arguments: Any, **named: Any) -> None:  # so that an attribute can be called `self`
        self, *rest = arguments
        attributes = dict(*rest, **named)
        for name in attributes:
            _require_plain_name(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _require_plain_name(name)
        super().__setitem__(name, value)


def _require_plain_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace takes no attribute with an underscore in front, as {name!r} is")


def _refuse(message: str) -> None:
    raise TemplateError(message)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON without the escapes that Jinja's own filter has for HTML."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _strftime_now(form: str) -> str:
    return datetime.now().strftime(form)


def chat_environment(
    sandbox: type[SandboxedEnvironment] = ImmutableSandboxedEnvironment,
    strftime_now: Callable[[str], str] = _strftime_now,
) -> SandboxedEnvironment:
    """Make the environment.

    Args:
        sandbox: the class of it; that of transformers lets no template change a list or a dict.
        strftime_now: writes the time.

    Raises:
        ChatTemplateError: the installed Jinja is too old to run what others wrote.
    """
    _require_safe_jinja()
    environment = sandbox(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols])
    environment.filters["tojson"] = _to_json
    known: dict[str, Any] = {
        "raise_exception": _refuse,
        "strftime_now": strftime_now,
        "dict": _Dict(),
        "namespace": _Namespace,
    }
    environment.globals.update(known)
    return environment


@cache
def usual_environment() -> SandboxedEnvironment:
    """Give the environment as transformers has it; all chat templates share one."""
    return chat_environment()


def _require_safe_jinja() -> None:
    version = jinja2.__version__
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdigit())
    if numbers < _OLDEST_JINJA:
        oldest = ".".join(map(str, _OLDEST_JINJA))
        raise ChatTemplateError(
            f"chat templates need Jinja {oldest}, and {version} is installed: pip install -U jinja2"
        )
