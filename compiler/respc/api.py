"""The compiler as a library."""

from __future__ import annotations

import linecache
import marshal
from abc import ABC
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import finalize

from respc.analysis import check_source
from respc.diagnostics import Policy
from respc.driver import Compilation, compile_source
from respc.engines import EngineTemplate, Wishes, check_for_engine, engine_named, template_for_engine
from respc.errors import TemplateError
from respc.fixing import FixedTemplate, fix_values
from respc.options import Options
from respc.source import template_from_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import overload

    from respc.diagnostics import Diagnostic
    from respc.source import TemplateSource
    from respc_runtime.batches import ParseResponse, Texts, Tools
    from respc_runtime.collecting import Parsed
    from respc_runtime.events import Event
    from respc_runtime.stream import Stream
    from respc_runtime.tools import PreparedTools

_CACHED_TEMPLATES = 128
_MARSHAL_WITHOUT_REFERENCES = 2
"""With references, equal values are not always written in the same way."""


def compile_template(
    template: object,
    *,
    name: str = "<template>",
    standalone: bool = False,
    passes: Collection[str] | None = None,
    formatted: bool = True,
    events: str = "default",
    stable: bool | None = None,
    strict_bodies: bool = False,
    closers_in_strings: bool = False,
) -> Compilation:
    """Compile a response template to the source of a Python module.

    Args:
        template: as in a tokenizer's config: dicts, lists, strings, numbers, booleans and None.
        name: what the module and messages call it.
        standalone: whether the module carries the parts of the runtime that it uses, instead of importing them.
        passes: the optimisations to run, of `respc.PASSES`; None for all of them.
        formatted: whether black formats the module, which takes longer than all else.
        events: ``"default"``, or ``"serving"``: with places, and an event for a region that cannot be read.
        stable: whether the outcome may not depend on how a text is cut into chunks; None: with serving events.
        strict_bodies: whether a body of tags or lines that is not that and nothing else is an error, as it is with
            serving events; the interpreter passes over what it cannot read.
        closers_in_strings: whether a closer in a string of a JSON body is a part of that, if a later one ends it, as it
            is with serving events; for the interpreter the first closer ends the region.

    Raises:
        TemplateError: the template is refused; also a ValueError or a TypeError, as the interpreter raises.
    """
    options = Options.of(
        events=events,
        stable=stable,
        standalone=standalone,
        passes=passes,
        formatted=formatted,
        strict_bodies=strict_bodies,
        closers_in_strings=closers_in_strings,
    )
    return compile_source(template_from_dict(template, name), options)


def check_template(
    template: object, *, name: str = "<template>", engine: str | None = None
) -> tuple[Diagnostic, ...]:
    """Find what `respc check` finds in a response template.

    Args:
        template: as for `compile_template`.
        name: what messages call it.
        engine: the serving engine that it is checked for, ``"vllm"`` or ``"sglang"``; None for none.

    Returns:
        Every finding, in the order of the rules; empty when all is well. What a finding's `fix` does is safe if its
        `is_safe` says so: then every message stays as it is.

    Raises:
        ValueError: there is no such engine.
    """
    find = _finding(engine)
    try:
        return find(template_from_dict(template, name))
    except TemplateError as refused:  # not a value that JSON can hold
        return refused.diagnostics


def fix_template(
    template: object, *, unsafe_fixes: bool = False, name: str = "<template>", engine: str | None = None
) -> FixedTemplate:
    """Make the fixes of what `check_template` finds, as `respc check --fix` does in a file.

    Args:
        template: as for `compile_template`; it is left as it is.
        unsafe_fixes: whether fixes are made, too, that change messages.
        name: what messages call it.
        engine: as for `check_template`.

    Returns:
        The template then, what was fixed, and what is left.

    Raises:
        TemplateError: it holds what JSON cannot.
        ValueError: there is no such engine.
    """
    return fix_values(template_from_dict(template, name), _finding(engine), unsafe_fixes=unsafe_fixes)


def _finding(engine: str | None) -> Callable[[TemplateSource], tuple[Diagnostic, ...]]:
    """Choose the rules, for an engine or for none."""
    policy = Policy()
    if engine is None:
        return lambda source: policy.applied_to(check_source(source))
    served_by = engine_named(engine)
    return lambda source: policy.applied_to(check_for_engine(source, served_by))


def engine_template(
    template: object,
    *,
    engine: str,
    name: str = "<template>",
    drop: Collection[str] = (),
    keep_closer: bool = False,
) -> EngineTemplate:
    """Make of a response template the one that the adapter of a serving engine takes.

    Args:
        template: as for `compile_template`.
        engine: ``"vllm"`` or ``"sglang"``.
        name: what messages call it.
        drop: fields to leave out; their text is then what the other fields make of it.
        keep_closer: whether a pattern that closes the reasoning stays, though the engine looks for tokens.

    Returns:
        The template, and what was changed.

    Raises:
        TemplateError: the template is refused, or the engine refuses what no change fixes; has all of that.
        ValueError: there is no such engine.
    """
    served_by = engine_named(engine)
    return template_for_engine(
        template_from_dict(template, name), served_by, Wishes(frozenset(drop), keep_closer)
    )


class LoadedModule(ModuleType):
    """A module that was compiled in memory: what type checkers know of it, and other names, of which they do not.

    It fits `respc_runtime.protocols.CompiledModule`.
    """

    if TYPE_CHECKING:
        parse_response: ParseResponse[dict[str, Any]]
        ResponseParser: type[Stream[dict[str, Any], Any]]

        # As a variable it is bound to the module by pyright, and has no parameter left.
        def prepare_tools(self, tools: Iterable[Any], /) -> PreparedTools:
            """Read tools once for many generations."""
            ...


def load(
    template: object,
    *,
    name: str = "<template>",
    passes: Collection[str] | None = None,
    events: str = "default",
    stable: bool | None = None,
    strict_bodies: bool = False,
    closers_in_strings: bool = False,
) -> LoadedModule:
    """Compile a response template and give its module, without a file.

    The module has the same names as a compiled file. Its source is kept for tracebacks.

    Args:
        template: as for `compile_template`.
        name: what the module and messages call it.
        passes: as for `compile_template`.
        events: as for `compile_template`.
        stable: as for `compile_template`.
        strict_bodies: as for `compile_template`.
        closers_in_strings: as for `compile_template`.

    Raises:
        TemplateError: as `compile_template`.
    """
    options = Options.of(
        events=events,
        stable=stable,
        passes=passes,
        formatted=False,
        only_refusals=True,
        strict_bodies=strict_bodies,
        closers_in_strings=closers_in_strings,
    )
    compilation = compile_source(template_from_dict(template, name), options)
    module = LoadedModule(f"respc_{compilation.digest[:12]}", "Compiled in memory from a response template.")
    # Named by the source, not the template: other passes make another module, whose tracebacks need their own lines.
    file = f"<respc {compilation.title} {sha256(compilation.source.encode()).hexdigest()[:12]}>"
    module.__file__ = file
    lines = compilation.source.splitlines(keepends=True)
    # Without a time of change, linecache takes the lines as they are and never looks for a file.
    linecache.cache[file] = (len(compilation.source), None, lines, file)
    exec(compile(compilation.source, file, "exec", dont_inherit=True), module.__dict__)
    # The lines go with the parser that tracebacks could be about.
    finalize(module.ResponseParser, linecache.cache.pop, file, None)
    return module


class _Compiled:
    """A template of the cache, compiled when it is first needed, by one thread."""

    __slots__ = ("_lock", "_module", "_written")

    def __init__(self, written: bytes) -> None:
        self._written = written
        self._lock = Lock()
        self._module: LoadedModule | None = None

    def module(self) -> LoadedModule:
        """Give the module."""
        with self._lock:
            if self._module is None:
                module = load(marshal.loads(self._written))
                ResponseParser.register(module.ResponseParser)
                self._module = module
            return self._module


_cached = lru_cache(maxsize=_CACHED_TEMPLATES)(_Compiled)
_cache_lock = Lock()


def _module(template: object) -> LoadedModule:
    written = _written(template)
    # Two threads that miss at once would otherwise get an entry each.
    with _cache_lock:
        compiled = _cached(written)
    return compiled.module()


def _written(template: Any) -> bytes:
    """Write everything that a template says, types and order included: a changed dict is another template."""
    try:
        return marshal.dumps(template, _MARSHAL_WITHOUT_REFERENCES)
    except ValueError:  # a subclass of a type that JSON has, or nothing that JSON has
        return marshal.dumps(template_from_dict(template).template, _MARSHAL_WITHOUT_REFERENCES)


class ResponseParser(ABC):
    """A streaming parser for a template, compiled the first time that the template is seen.

    The call gives an instance of the compiled class, which counts as an instance of this one.

    Args:
        response_template: as for `compile_template`.
        prefix: the prompt that the model continued; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare.
    """

    initial_events: list[Event]

    if TYPE_CHECKING:  # without a prefix there is a MissingPrefixError, always

        @overload
        def __new__(cls, response_template: object, prefix: str, *, tools: None = None) -> ResponseParser: ...
        @overload
        def __new__(
            cls, response_template: object, prefix: str, *, tools: Tools | None = None
        ) -> ResponseParser: ...

    def __new__(
        cls, response_template: object, prefix: Any = None, *, tools: Tools | None = None
    ) -> ResponseParser:
        """Compile the template, or take it from the cache, and make its parser."""
        parser = _module(response_template).ResponseParser(prefix, tools=tools)
        return cast("ResponseParser", parser)

    # Not marked as abstract: a type checker would then refuse the call that gives a parser.
    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        raise NotImplementedError

    def finalize(self) -> tuple[dict[str, Any], list[Event]]:
        """End the generation and give its message, with the events of what was still open."""
        raise NotImplementedError


if TYPE_CHECKING:

    @overload
    def parse_response(
        text: str,
        response_template: object,
        *,
        prefix: str,
        tools: Tools | None = None,
        errors: Literal["raise"] = "raise",
    ) -> dict[str, Any]: ...
    @overload
    def parse_response(
        text: Texts,
        response_template: object,
        *,
        prefix: str | Texts,
        tools: Tools | None = None,
        errors: Literal["raise"] = "raise",
    ) -> list[dict[str, Any]]: ...
    @overload
    def parse_response(
        text: str,
        response_template: object,
        *,
        prefix: str,
        tools: Tools | None = None,
        errors: Literal["collect"],
    ) -> Parsed[dict[str, Any]]: ...
    @overload
    def parse_response(
        text: Texts,
        response_template: object,
        *,
        prefix: str | Texts,
        tools: Tools | None = None,
        errors: Literal["collect"],
    ) -> list[Parsed[dict[str, Any]]]: ...


def parse_response(
    text: str | Texts,
    response_template: object,
    *,
    prefix: str | Texts | None = None,
    tools: Tools | None = None,
    errors: Literal["raise", "collect"] = "raise",
) -> Any:
    """Parse a whole generation, or a batch of them, by a template.

    Args:
        text: what the model wrote; a list or another sequence for a batch.
        response_template: as for `compile_template`; compiled the first time that it is seen.
        prefix: the prompt, one for each text or one for all; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare.
        errors: `raise` where something cannot be read, as the interpreter does; or `collect`: give each message in a
            `respc_runtime.collecting.Parsed`, beside a list of what was not read.

    Returns:
        The message as a dict, or a list of as many.
    """
    # The overloads say which calls give what; here is any of them.
    parse = cast("Callable[..., Any]", _module(response_template).parse_response)
    return parse(text, prefix=prefix, tools=tools, errors=errors)
