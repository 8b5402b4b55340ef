"""`respc.infer` and `respc.verify`: what is given to them, and that they fit together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc.chat_templates import ChatTemplateError, ChatTemplateSource, Limits
from support.small_chat_template import CHAT_TEMPLATE

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = {"eos_token": "<|end|>"}


@pytest.fixture(scope="module")
def inference() -> respc.Inference:
    return respc.infer(CHAT_TEMPLATE, given=GIVEN)


def test_what_is_inferred_is_verified(inference: respc.Inference) -> None:
    assert inference.clean
    again = respc.verify(inference.template, CHAT_TEMPLATE, given=GIVEN)
    assert again.counts() == inference.verification.counts()
    errors = [each for each in respc.check_template(inference.template) if each.severity.value == "error"]
    assert errors == []


def test_each_part_of_the_template_is_explained_by_what_was_seen(inference: respc.Inference) -> None:
    fields = inference.template["fields"]
    explained = {(seen.field, seen.key) for seen in inference.observations}
    assert ("", "start_anchor") in explained
    for name, field in fields.items():
        delimiters = {key for key in field if key.startswith(("open", "close"))}
        assert {(name, key) for key in delimiters} <= explained
    for seen in inference.observations:
        assert seen.what
        part = fields[seen.field] if seen.field else inference.template
        assert json.loads(json.dumps(part[seen.key])) == seen.value or seen.value in str(part[seen.key])


@pytest.mark.parametrize("kind", ["path", "folder", "names", "source"])
def test_a_chat_template_can_be_given_in_any_form(
    kind: str, inference: respc.Inference, tmp_path: Path
) -> None:
    file = tmp_path / "chat_template.jinja"
    file.write_text(CHAT_TEMPLATE, encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(GIVEN), encoding="utf-8")
    forms: dict[str, Any] = {
        "path": file,
        "folder": tmp_path,
        "names": {"default": CHAT_TEMPLATE},
        "source": ChatTemplateSource("x", {"default": CHAT_TEMPLATE}, dict(GIVEN), ("<|end|>",)),
    }
    made = respc.infer(forms[kind], given=GIVEN if kind == "names" else None)
    assert made.template == inference.template


def test_an_inference_survives_json(inference: respc.Inference) -> None:
    written = json.loads(json.dumps(inference.as_json()))
    assert respc.Inference.from_json(written) == inference


def test_nothing_can_be_inferred() -> None:
    with pytest.raises(respc.InferenceError, match="<chat template>"):
        respc.infer("{{ bos_token }}")
    assert issubclass(respc.InferenceError, ChatTemplateError)


def test_a_chat_template_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChatTemplateError, match=r"gone\.jinja"):
        respc.infer(tmp_path / "gone.jinja")
    with pytest.raises(ChatTemplateError):
        respc.infer("{% if %}")


def test_the_process_is_ended_when_it_takes_too_long() -> None:
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(ChatTemplateError):
        respc.infer(endless, limits=Limits(seconds=1))
