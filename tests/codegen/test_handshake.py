"""A compiled module asks the runtime whether it still serves it."""

from __future__ import annotations

from types import ModuleType

import pytest

import respc
from respc_runtime import abi
from support.templates import own_template


def executed(source: str) -> ModuleType:
    module = ModuleType("my_parsers.smollm")
    exec(compile(source, "smollm.py", "exec"), module.__dict__)
    return module


@pytest.fixture(scope="module", params=["default", "serving"])
def source(request: pytest.FixtureRequest) -> str:
    return respc.compile_template(own_template("smollm"), formatted=False, events=request.param).source


def test_module_says_the_abi_it_was_compiled_for_and_is_served(source: str) -> None:
    assert f"# ABI of respc_runtime: {abi.ABI}\n" in source
    assert f"\nrequire_abi({abi.ABI}, __name__)\n" in source
    message = executed(source).parse_response("x", prefix="")
    assert message == {"role": "assistant", "content": "x"}


def test_every_abi_of_the_range_is_served(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abi, "ABI", abi.ABI + 3)
    assert executed(source).parse_response("x", prefix="")["content"] == "x"
    monkeypatch.setattr(abi, "OLDEST_ABI", abi.OLDEST_ABI - 1)
    assert executed(source).parse_response("x", prefix="")["content"] == "x"


def test_runtime_too_old_for_the_module(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abi, "ABI", abi.OLDEST_ABI - 1)
    monkeypatch.setattr(abi, "OLDEST_ABI", abi.OLDEST_ABI - 2)
    with pytest.raises(ImportError, match=r"my_parsers\.smollm .*pip install --upgrade respc"):
        executed(source)


def test_module_too_old_for_the_runtime(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abi, "OLDEST_ABI", abi.ABI + 1)
    monkeypatch.setattr(abi, "ABI", abi.ABI + 2)
    with pytest.raises(ImportError, match=r"my_parsers\.smollm .*`respc compile`"):
        executed(source)


def test_a_module_that_carried_its_stream_is_told_to_be_compiled_again() -> None:
    with pytest.raises(ImportError) as refused:
        abi.require_abi(3, "my_parsers.smollm")
    assert str(refused.value) == (
        "my_parsers.smollm was compiled for ABI 3 of respc_runtime, this one serves 4 to 6: "
        "compile its template again with `respc compile`"
    )


def test_standalone_module_asks_for_nothing() -> None:
    alone = respc.compile_template(own_template("smollm"), standalone=True, formatted=False).source
    assert "require_abi" not in alone
    assert "ABI" not in alone
    assert executed(alone).parse_response("x", prefix="")["content"] == "x"
