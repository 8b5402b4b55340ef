"""Compiles a template, and traces a text with it."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from respc.analysis import analyse
from respc.driver import compile_source
from respc.options import Options
from respc.source import template_from_dict
from respc.trace.chunks import chunk_ends
from respc.trace.recording import Recording
from respc_runtime.errors import MissingAnchorError

if TYPE_CHECKING:
    from respc.source import TemplateSource
    from respc.trace.model import Trace
    from respc_runtime.batches import Tools


def trace_response(
    text: str,
    response_template: object,
    *,
    prefix: str = "",
    tools: Tools | None = None,
    events: str = "default",
    chunk_size: int | None = None,
    chunks: int | None = None,
    any_prefix: bool = False,
    name: str = "<template>",
) -> Trace:
    """Trace what a parser makes of a whole generation.

    Args:
        text: what the model wrote.
        response_template: as for `compile_template`.
        prefix: the prompt; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare.
        events: ``"default"``, or ``"serving"``: by the careful parser, which tells of text outside and of what could
            not be read.
        chunk_size: the characters of a chunk; None for about as many as a token has.
        chunks: into how many chunks the text is cut, in place of their size.
        any_prefix: whether a prompt without start anchor is taken for a part of the message.
        name: what the trace calls the template.

    Raises:
        TemplateError: as `compile_template`.
        MissingAnchorError: the prompt has no start anchor.
        ValueError: both a size and a number of chunks are given, or one is not positive.
    """
    return trace_source(
        template_from_dict(response_template, name),
        text,
        prefix=prefix,
        tools=tools,
        events=events,
        chunk_size=chunk_size,
        chunks=chunks,
        any_prefix=any_prefix,
    )


def trace_source(
    source: TemplateSource,
    text: str,
    *,
    prefix: str = "",
    tools: Tools | None = None,
    events: str = "default",
    chunk_size: int | None = None,
    chunks: int | None = None,
    any_prefix: bool = False,
) -> Trace:
    """Trace a text with a template that was read; all else is as for `trace_response`."""
    ends = chunk_ends(len(text), size=chunk_size, number=chunks)
    options = Options.of(events=events, formatted=False, only_refusals=True)
    compiled = compile_source(source, options)
    ir = analyse(source, only_refusals=True).ir
    assert ir is not None, "a template that compiles has an intermediate representation"
    module = ModuleType("respc_traced")
    exec(compile(compiled.source, f"<respc {compiled.title}>", "exec", dont_inherit=True), module.__dict__)
    recording = Recording(ir, module, prefix, tools)
    if recording.anchor_found is False and not any_prefix:
        raise MissingAnchorError
    return recording.of(text, ends, title=compiled.title, events_form=events)
