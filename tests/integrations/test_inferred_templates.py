"""Tokenizers without a response template get one that is inferred, once, and the log says what it is worth."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc.chat_templates import InterruptedTemplateError
from respc.integrations import inferred_templates
from respc.integrations.inference_cache import VARIABLE, cache_folder
from respc.integrations.inferred_templates import NotInferredError, inferred_template
from respc.integrations.tokenizer_templates import MissingTemplateError
from support.small_chat_template import CHAT_TEMPLATE

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"type": "function", "function": {"name": "look_up", "arguments": {"place": "Tromsø"}}}
TEXT = '<think>\na\n</think>\nb\n<call>{"name": "look_up", "arguments": {"place": "Tromsø"}}</call><|end|>'
MESSAGE = {"role": "assistant", "reasoning_content": "a", "content": "b", "tool_calls": [CALL]}
LOSSY = CHAT_TEMPLATE.replace("message.tool_calls or []", "(message.tool_calls or []) | reverse")
"""Calls are written the last one first, which no parser can know."""


def tokenizer(chat_template: Any = CHAT_TEMPLATE) -> SimpleNamespace:
    return SimpleNamespace(chat_template=chat_template, eos_token="<|end|>", name_or_path="small/model")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, empty, and nothing known in this process."""
    forget()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "inferred"


def forget() -> None:
    inferred_templates._known.clear()


@pytest.fixture
def inferences(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was inferred from, in this process."""
    made: list[Any] = []
    infer = respc.infer

    def counted(source: Any, **options: Any) -> Any:
        made.append(source)
        return infer(source, **options)

    monkeypatch.setattr(respc, "infer", counted, raising=False)
    return made


def test_what_is_inferred_reads_what_the_chat_template_writes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        template = inferred_template(tokenizer())
    assert respc.parse_response(TEXT, template, prefix="<|user|>\nHi<|end|>\n<|assistant|>\n") == MESSAGE
    (record,) = caplog.records
    assert record.levelno == logging.INFO
    said = record.getMessage()
    assert "SimpleNamespace small/model" in said
    assert "tool_calls" in said
    assert "reads back all" in said


def test_what_does_not_come_back_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        inferred_template(tokenizer(LOSSY))
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "not all" in record.getMessage()
    assert "another argument" in record.getMessage()


def test_it_is_inferred_once_in_a_process(inferences: list[Any], caplog: pytest.LogCaptureFixture) -> None:
    first = inferred_template(tokenizer())
    first["fields"].clear()  # is the caller's own
    with ThreadPoolExecutor(4) as threads:
        others = list(threads.map(lambda _: inferred_template(tokenizer()), range(8)))
    assert len(inferences) == 1
    assert all(other["fields"] for other in others)
    inferred_template(SimpleNamespace(chat_template=CHAT_TEMPLATE, eos_token="</s>"))
    assert len(inferences) == 2


def test_another_process_takes_it_from_disk(inferences: list[Any], folder: Path) -> None:
    template = inferred_template(tokenizer())
    assert len(list(folder.iterdir())) == 1
    forget()
    assert inferred_template(tokenizer()) == template
    assert len(inferences) == 1


@pytest.fixture(scope="module")
def inference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str, bytes]:
    """What is inferred, and the name and the text of the file in which it is kept."""
    with pytest.MonkeyPatch.context() as environment:
        folder = tmp_path_factory.mktemp("inference")
        environment.setenv(VARIABLE, str(folder))
        forget()
        template = inferred_template(tokenizer())
        (file,) = folder.glob("inferred/*")
    return template, file.name, file.read_bytes()


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"\xff",
        b"[]",
        b'{"template": {}}',
        b'{"template": {"fields": {}}, "is_proved": 1, "summary": "", "faults": []}',
        b'{"template": {"fields": {}}, "is_proved": true, "summary": "", "faults": [1]}',
        b'{"template": {"fields": {"content": {}}}, "is_proved": true, "summary": "", "faults": []}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_inference_is_passed_over(
    written: bytes, inference: tuple[Any, str, bytes], inferences: list[Any], folder: Path
) -> None:
    template, name, good = inference
    folder.mkdir(parents=True)
    (folder / name).write_bytes(written)
    assert inferred_template(tokenizer()) == template
    assert len(inferences) == 1
    assert [file.read_bytes() for file in folder.iterdir()] == [good]


def test_the_cache_can_be_off(inferences: list[Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    inferred_template(tokenizer())
    forget()
    inferred_template(tokenizer())
    assert len(inferences) == 2
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_no_error(
    inferences: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "below"))
    inferred_template(tokenizer())
    assert len(inferences) == 1


def test_another_version_infers_anew(
    inferences: list[Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inferred_template(tokenizer())
    forget()
    monkeypatch.setattr(respc, "__version__", "0.2.0")
    inferred_template(tokenizer())
    assert len(inferences) == 2
    assert len(list(folder.iterdir())) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_the_folder_is_the_user_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "respc"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "respc"


def test_processes_that_start_at_once_agree(folder: Path) -> None:
    program = (
        "import json, sys; from types import SimpleNamespace\n"
        "from respc.integrations.inferred_templates import inferred_template\n"
        "given = json.loads(sys.stdin.read())\n"
        "print(json.dumps(inferred_template(SimpleNamespace(**given))))"
    )
    given = json.dumps({"chat_template": CHAT_TEMPLATE, "eos_token": "<|end|>"})
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1, text=True) for _ in range(3)
    ]
    printed = [process.communicate(given)[0] for process in started]
    assert len(set(printed)) == 1
    assert json.loads(printed[0])["fields"]
    assert [file.suffix for file in folder.iterdir()] == [".json"]


@pytest.mark.parametrize("chat_template", [None, {}, 7, "{{ raise_exception('no') }}", "always the same"])
def test_nothing_can_be_inferred(chat_template: Any, inferences: list[Any]) -> None:
    for _ in range(2):
        with pytest.raises(
            NotInferredError, match="SimpleNamespace small/model has no response template, and"
        ):
            inferred_template(tokenizer(chat_template))
    assert len(inferences) <= 1
    assert issubclass(NotInferredError, MissingTemplateError)


def test_what_was_ended_is_tried_again_after_a_while(
    inferences: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(inferred_templates, "monotonic", lambda: now)
    with monkeypatch.context() as patch:
        patch.setattr(inferred_templates, "InferredTemplate", SimpleNamespace(of=never_ending))
        for _ in range(2):  # a request does not wait again for what the last one waited for
            with pytest.raises(NotInferredError, match="it took more than 1 second"):
                inferred_template(tokenizer())
    assert len(inferences) == 1
    now += 601
    assert inferred_template(tokenizer())["fields"]
    assert len(inferences) == 2


def never_ending(inference: object) -> Any:
    raise InterruptedTemplateError("it took more than 1 second")


def test_so_many_are_known_at_once() -> None:
    for number in range(40):
        with pytest.raises(NotInferredError):
            inferred_template(tokenizer(f"always the same, {number}"))
    assert len(inferred_templates._known) == 32


def test_of_several_chat_templates_those_with_tools_are_used() -> None:
    plain = CHAT_TEMPLATE.replace("<call>", "<other>")
    template = inferred_template(tokenizer({"default": plain, "tool_use": CHAT_TEMPLATE}))
    assert respc.parse_response(TEXT, template, prefix="<|assistant|>\n") == MESSAGE
