"""The server of the documentation's examples with an engine that writes what the last turn of a prompt names."""

from __future__ import annotations

import importlib
import itertools
import re
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from support.running_server import running
from support.templates import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

EXAMPLES: Final = TESTS.parent / "docs" / "examples"

CALL: Final = '<tool_call>\n{{"name": "{}", "arguments": {}}}\n</tool_call>'
ADD: Final = CALL.format("add", '{"a": 1, "b": "Ås"}')
TEXTS: Final = {
    "plain": "Hello, Åse! 🎉<|im_end|>",
    "reasoning": "<think>\nHm, ü.\n</think>\n\nIt is 4.<|im_end|>",
    "call": f"<think>\nI add.\n</think>\n\nOne moment.\n{ADD}<|im_end|>",
    "calls": f"{ADD}\n{CALL.format('end', '{}')}<|im_end|>",
    "malformed": "Hm.\n<tool_call>\n{oops}\n</tool_call>\nSorry.<|im_end|>",
    "cut_call": '<tool_call>\n{"name": "add", "arguments": {"a": ' + "1" * 400,
    "empty": "<|im_end|>",
    "long": "word " * 50,
    "stops": "It is 4. END and so on.",
}
FAILS: Final = "fails"
ENDLESS: Final = "endless"
AFTER_TOOL: Final = "The sum is 1Ås.<|im_end|>"


@dataclass
class Served:
    """A server that runs, with the prompts that its engine was given."""

    address: str
    module: ModuleType
    prompts: list[str] = field(default_factory=list)

    @property
    def running(self) -> int:
        """How many generations go on."""
        number: int = self.module.ENGINE.running
        return number

    def wait_until_idle(self) -> None:
        until = time.monotonic() + 10
        while self.running:
            assert time.monotonic() < until, "the generation went on without its client"
            time.sleep(0.01)

    def write(self, prompt: str) -> Iterable[str]:
        """Write what the engine says."""
        self.prompts.append(prompt)
        turn = prompt.rpartition("<|im_start|>user\n")[2]
        if "<|im_start|>tool\n" in turn:
            return [AFTER_TOOL]
        [key] = re.findall(r"#(\w+)", turn)
        if key == ENDLESS:
            return itertools.repeat("on and on. ")
        return failing() if key == FAILS else [TEXTS[key]]


def failing() -> Iterator[str]:
    yield "Hello, and "
    raise RuntimeError("the engine ran out of memory")


def example(name: str) -> ModuleType:
    """Import a module of the examples, which import one another by name."""
    if str(EXAMPLES) not in sys.path:
        sys.path.append(str(EXAMPLES))
    return importlib.import_module(name)


@contextmanager
def running_server() -> Iterator[Served]:
    module = example("server")
    served = Served("", module)
    module.ENGINE = example("server_engine").ScriptedEngine(served.write)
    with running(module.app) as served.address:
        yield served


def ask(key: str, **keys: Any) -> dict[str, Any]:
    """Give a request whose answer is one of the texts."""
    return {"model": "qwen3", "messages": [{"role": "user", "content": f"#{key}"}], **keys}
