"""What the integrations of serving engines share: an engine's template turned back into one that can be compiled."""

from __future__ import annotations

import logging
import marshal
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from respc.api import load
from respc.errors import TemplateError
from respc_runtime.serving import without_care

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_LOGGER: Final = logging.getLogger(__name__)
_NAME: Final = "ResponseParser"
_CACHED_TEMPLATES: Final = 128

_DEFAULTS: Final[dict[str, Any]] = {
    "content": "text",
    "content_args": {},
    "repeats": False,
    "join": None,
    "optional": True,
    "transform": None,
    "transform_each": False,
}
"""What an engine's field says where the template says nothing."""

# The engine's own adapter knows its own interpreter's events and messages, and no others.
_plain = lru_cache(maxsize=_CACHED_TEMPLATES)(without_care)
_lock = Lock()
_registered: dict[bytes, ModuleType] = {}


class CompiledParsers:
    """Stands in the module of an engine's adapter where that has the class of its interpreter.

    A call takes what that class takes. It gives a compiled parser, or where that cannot do what is asked, the
    engine's own.

    Args:
        adapter: the module.
        fitted: makes of a compiled class the one that the adapter is given.

    Attributes:
        interpreter: the engine's own class.
    """

    def __init__(self, adapter: Any, fitted: Callable[[type], type]) -> None:
        self.interpreter: Any = adapter.ResponseParser
        self._load_template: Callable[[Any], Any] = adapter.load_response_template
        self._fitted = fitted

    def __call__(
        self, response_template: Any, prefix: str | None = None, *, tools: Any = None, **options: Any
    ) -> Any:
        """Make a parser, as the engine's class does."""
        module = None if any(options.values()) else self.module_of(response_template)
        if module is None:
            return self.interpreter(response_template, prefix, tools=tools, **options)
        return self._fitted(_plain(module.ResponseParser))(prefix, tools=tools)

    def module_of(self, response_template: Any) -> ModuleType | None:
        """Give the compiled module of an engine's template; None if it can only be interpreted."""
        written = self._written(response_template)
        # One thread compiles; the others would wait for the compiler anyway.
        with _lock:
            return _registered.get(written) or _compiled(written)

    def register(self, response_template: Any, module: ModuleType) -> None:
        """Take a module that was compiled before for a template."""
        parser = getattr(module, _NAME, None)
        if not hasattr(parser, "input_text"):
            name = getattr(module, "__name__", module)
            raise ValueError(f"{name} is no module with serving events: compile it with `--events serving`")
        with _lock:
            _registered[self._written(response_template)] = module

    def _written(self, response_template: Any) -> bytes:
        return marshal.dumps(plain_template(self._load_template(response_template)), 2)


def compiled_parsers_of(
    adapter: Any, fitted: Callable[[type], type] = lambda parser: parser
) -> CompiledParsers:
    """Give what stands for the interpreter in an adapter, or could."""
    current = getattr(adapter, _NAME)
    return current if isinstance(current, CompiledParsers) else CompiledParsers(adapter, fitted)


def put_into(adapter: Any, parsers: CompiledParsers) -> None:
    """Let an adapter make compiled parsers."""
    setattr(adapter, _NAME, parsers)


def take_out_of(adapter: Any) -> None:
    """Let an adapter interpret templates again."""
    current = getattr(adapter, _NAME)
    if isinstance(current, CompiledParsers):
        setattr(adapter, _NAME, current.interpreter)


def plain_template(loaded: Any) -> dict[str, Any]:
    """Turn a template as an engine has loaded it back into the dict that it was made of, always in the same form."""
    template: dict[str, Any] = {"defaults": loaded.defaults} if loaded.defaults else {}
    template |= _delimiter("start_anchor", loaded.start_anchor_literals, loaded.start_anchor_re)
    template["fields"] = {name: _plain_field(field) for name, field in loaded.fields.items()}
    return template


def _plain_field(field: Any) -> dict[str, Any]:
    plain = _delimiter("open", field.open_literals, field.open_re)
    plain |= _delimiter("close", field.close_literals, field.close_re)
    for key, default in _DEFAULTS.items():
        value = getattr(field, key)
        if value != default:
            plain[key] = value
    return plain


def _delimiter(key: str, literals: list[str] | None, pattern: Any) -> dict[str, Any]:
    if literals is not None:
        return {key: literals[0] if len(literals) == 1 else literals}
    return {} if pattern is None else {f"{key}_pattern": pattern.pattern}


@lru_cache(maxsize=_CACHED_TEMPLATES)
def _compiled(written: bytes) -> ModuleType | None:
    template: dict[str, Any] = marshal.loads(written)
    try:
        return load_for_serving(template, f"the template with the fields {', '.join(template['fields'])}")
    except TemplateError as refused:
        _LOGGER.warning("interpreted, for it cannot be compiled: %s", refused)
        return None


def load_for_serving(template: object, name: str) -> ModuleType:
    """Compile a template so that results do not depend on the chunks, or where that cannot be, so that they do.

    Raises:
        TemplateError: it cannot be compiled at all.
    """
    try:
        return load(template, name=name, events="serving")
    except TemplateError as refused:
        reason = str(refused)
    module = load(template, name=name, events="serving", stable=False)
    _LOGGER.warning(
        "compiled so that results can depend on the chunks, for otherwise it cannot be: %s", reason
    )
    return module
