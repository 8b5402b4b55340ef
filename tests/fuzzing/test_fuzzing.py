"""Nothing but the documented errors, whatever the template and the text; the script beside goes on for longer."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings

from support.fuzzing import near_templates, streams, texts, try_stream, try_template

ASKED_FOR = os.environ.get("RESPC_EXAMPLES")
SETTINGS: dict[str, Any] = {
    "derandomize": ASKED_FOR is None,
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
}


TEXTS = texts(("<a>", "</a>", "<|b|>"))


@settings(max_examples=10, **SETTINGS)
@given(near_templates(), TEXTS)
def test_templates(template: Any, text: str) -> None:
    event(try_template(template, text))


@settings(max_examples=50, **SETTINGS)
@given(streams())
def test_streams(stream: Any) -> None:
    event(try_stream(stream))


@pytest.mark.long
@settings(max_examples=int(ASKED_FOR or 30), **SETTINGS)
@given(near_templates(), TEXTS)
def test_many_templates(template: Any, text: str) -> None:
    event(try_template(template, text))


@pytest.mark.long
@settings(max_examples=int(ASKED_FOR or 160), **SETTINGS)
@given(streams())
def test_many_streams(stream: Any) -> None:
    event(try_stream(stream))
