"""Chat templates are written as transformers writes them, without transformers."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from jinja2 import TemplateSyntaxError
from transformers.utils import chat_template_utils

from respc.chat_templates import ChatTemplate, NotRenderedError, environment
from respc.verifying.features import CONTEXTS, FEATURES, MODES, TOOLS
from respc.verifying.shapes import SHAPES
from support.chat_templates import PACKAGES

if TYPE_CHECKING:
    from pathlib import Path

TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi <b>&'\"", "name": None},
    {"role": "assistant", "content": None, "reasoning": "Hm.", "tool_calls": [{"name": "f"}]},
    {"role": "assistant", "thinking": "So.", "content": [{"type": "image", "image": object()}]},
]
SMALL = {
    "no escapes of HTML": "{{ messages[0].content | tojson }} {{ messages[0].content }}",
    "options of tojson": "{{ {'b': 1, 'a': [1, 'é']} | tojson(indent=2, sort_keys=true, ensure_ascii=true) }}",
    "separators of tojson": "{{ {'b': 1, 'a': 2} | tojson(separators=(',', ':')) }}",
    "keys without a value": "{{ messages[0].name is defined }} {{ messages[1].content is defined }}",
    "reasoning by all names": "{% for m in messages %}{{ m.thinking }}|{{ m.reasoning_content }}|{{ m.reasoning }}\n"
    "{% endfor %}",
    "what is not JSON": "{{ messages[2].content[0].image }}",
    "blocks are trimmed": "  {% if true %}\n  a\n  {% endif %}\nb\n",
    "breaks and continues": "{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}"
    "{% if i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "a generation has a scope": "{% set x = 1 %}{% generation %}{% set x = 2 %}{{ x }}{% endgeneration %}{{ x }}",
    "a namespace": "{% set n = namespace(a=1, self=3) %}{% set n.a = 2 %}{{ n.a }}{{ n.self }}",
    "a namespace of a dict": "{% set n = namespace({'a': 1}) %}{{ n.a }}",
    "an underscore in a namespace": "{% set n = namespace(_a=1) %}",
    "an underscore set in a namespace": "{% set n = namespace() %}{% set n._a = 1 %}",
    "dict": "{{ dict(a=1) }} {{ dict.fromkeys('ab') }}",
    "dict has no class": "{{ dict.__class__ }}",
    "an exception": "{{ raise_exception('no!') }}",
    "no change of a list": "{% set a = [1] %}{{ a.append(2) }}",
    "no way out": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "no tools": "{{ tools is none }} {{ documents is none }} {{ nothing is defined }}",
    "the prompt": "{{ add_generation_prompt }}{{ bos_token }}{{ enable_thinking }}",
    "an undefined attribute": "{{ nothing.at.all }}",
    "a large range": "{% for i in range(999999999) %}{% endfor %}",
    "an autoescape": "{{ '<' ~ messages[0].content }}",
    "the year": "{{ strftime_now('%Y') | length }}",
    "no such filter": "{{ 1 | no_such_filter }}",
}


class _NoTimePasses:
    @staticmethod
    def now() -> datetime:
        return datetime(2026, 3, 4, 5, 6, 7)


def ours(
    source: str, messages: list[dict[str, Any]], tools: Any, prompt: bool, options: dict[str, Any]
) -> str:
    try:
        template = ChatTemplate(source, TOKENS)
        return template.render(messages, tools, prompt=prompt, options=options)
    except NotRenderedError as error:
        return f"refused: {str(error).partition(':')[0]}"
    except ValueError:
        return "refused: TemplateSyntaxError"


def theirs(
    source: str, messages: list[dict[str, Any]], tools: Any, prompt: bool, options: dict[str, Any]
) -> str:
    # What `apply_chat_template` does around the rendering.
    normal = chat_template_utils._normalize_chat_messages(messages)
    try:
        ((text,), _) = chat_template_utils.render_jinja_template(
            [normal],
            tools=tools,
            chat_template=source,
            add_generation_prompt=prompt,
            **TOKENS,
            **options,
        )
    except Exception as error:
        kind = TemplateSyntaxError if isinstance(error, TemplateSyntaxError) else type(error)
        return f"refused: {kind.__name__}"
    return str(text)


@pytest.mark.parametrize("name", SMALL)
def test_a_small_template_is_written_as_by_transformers(name: str) -> None:
    for messages in (MESSAGES, MESSAGES[:1]):
        given = (SMALL[name], messages, None, True, {"enable_thinking": False})
        assert ours(*given) == theirs(*given)


def test_the_small_templates_tell_environments_apart() -> None:
    """Otherwise two that refuse everything would be alike."""
    written = {name: ours(source, MESSAGES, None, True, {}) for name, source in SMALL.items()}
    refused = {name for name, text in written.items() if text.startswith("refused")}
    assert 6 <= len(refused) <= 14
    assert written["a generation has a scope"] == "21"
    assert written["blocks are trimmed"] == "  a\nb"


def test_a_jinja_with_known_ways_out_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment.jinja2, "__version__", "3.1.5")
    with pytest.raises(ValueError, match=r"need Jinja 3\.1\.6, and 3\.1\.5 is installed: pip install"):
        environment.chat_environment()


@pytest.mark.long
@pytest.mark.parametrize("title", [package.title for package in PACKAGES])
def test_the_templates_of_models_are_written_as_by_transformers(
    title: str, all_files: dict[str, list[Path] | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (environment, chat_template_utils):  # some templates write the time
        monkeypatch.setattr(module, "datetime", _NoTimePasses)
    files = all_files[title]
    if isinstance(files, str):
        pytest.skip(files)
    compared = 0
    for file in files:
        source = file.read_text(encoding="utf-8")
        for number, feature in enumerate(FEATURES[::3]):
            context = CONTEXTS[number % len(CONTEXTS)]
            mode = MODES[number % len(MODES)]
            message = {"role": "assistant", **feature.message}
            shape = SHAPES[number % len(SHAPES)]
            messages = shape.conversation([*context.history, message])
            tools = TOOLS if context.with_tools else None
            given = (source, messages, tools, number % 2 == 0, mode.options)
            written = theirs(*given)
            assert ours(*given) == written, (file.name, feature.name, json.dumps(messages)[:200])
            compared += not written.startswith("refused")
    assert compared > len(files)
