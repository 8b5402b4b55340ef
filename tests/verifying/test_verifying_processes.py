"""Chat templates run in a process of their own, which is ended where they take too much."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import respc
from respc.chat_templates import ChatTemplateError, InterruptedTemplateError, Limits, call_in_child
from respc.errors import TemplateError
from support.small_chat_template import CHAT_TEMPLATE, TEMPLATE, changed, proved, written_by

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}"
    "{% endfor %}{% endfor %}{% endfor %}"
)
LARGE = (
    "{% set n = namespace(t='x' * 1000000) %}{% for a in range(30) %}{% set n.t = n.t ~ n.t %}{% endfor %}"
)


def test_the_library_gives_what_is_found_in_this_process() -> None:
    verification = respc.verify(TEMPLATE, CHAT_TEMPLATE, given={"eos_token": "", "bos_token": ""})
    assert verification.clean
    assert verification == proved(written_by(), TEMPLATE)


def test_causes_come_back_whole() -> None:
    broken = changed("fields/content/close", None)
    found = respc.verify(broken, CHAT_TEMPLATE, given={"eos_token": "", "bos_token": ""}, streamed=True)
    assert found == proved(written_by(), broken, streamed=True)
    assert not found.clean


def test_a_template_that_runs_for_ever_is_ended() -> None:
    with pytest.raises(
        InterruptedTemplateError, match=r"it took more than 1 seconds and was ended: .* --seconds"
    ):
        respc.verify(TEMPLATE, ENDLESS, limits=Limits(seconds=1))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of memory on Windows")
def test_a_template_that_takes_too_much_memory_is_ended() -> None:
    with pytest.raises(ChatTemplateError, match="it needed more than 300 MB of memory, and was ended"):
        respc.verify(TEMPLATE, LARGE, limits=Limits(megabytes=300))


def test_what_is_no_jinja_is_said() -> None:
    with pytest.raises(ChatTemplateError, match="<chat template>:1: no chat template: "):
        respc.verify(TEMPLATE, "{% nothing %}")


def test_a_response_template_that_is_refused_is_refused_here() -> None:
    with pytest.raises(TemplateError):
        respc.verify({"fields": 3}, CHAT_TEMPLATE)


def test_nothing_is_imported_from_the_folder_that_the_command_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("jinja2", "json", "resource", "regex"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken over')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert respc.verify(TEMPLATE, CHAT_TEMPLATE).clean


def test_other_faults_of_the_process_are_said() -> None:
    with pytest.raises(ChatTemplateError, match=r"it: ValueError: (?:math domain error|expected a non)"):
        call_in_child("math", "sqrt", [-1], Limits(), "it")
    with pytest.raises(
        InterruptedTemplateError, match="it: the process that ran it ended early: exit code 3"
    ):
        call_in_child("os", "_exit", [3], Limits(), "it")


@pytest.mark.parametrize("nowhere", [None, ""], ids=repr)
def test_a_python_that_does_not_know_where_it_is_starts_no_process(
    nowhere: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", nowhere)
    with pytest.raises(ChatTemplateError, match=r"it: no process can be started for it.* `sys\.executable`"):
        call_in_child("math", "sqrt", [1], Limits(), "it")
