"""Running a function in a child process that may take only so much time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from respc.chat_templates.errors import ChatTemplateError, InterruptedTemplateError

_CHILD: Final = Path(__file__).with_name("child.py")
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may take.

    Attributes:
        seconds: of the clock.
        megabytes: of memory; there is no such limit on Windows.
    """

    seconds: float = 60.0
    megabytes: int = 1024


def call_in_child(module: str, function: str, arguments: list[Any], limits: Limits, what: str) -> Any:
    """Call a function of a module in a process of its own.

    Args:
        module: where the function is.
        function: its name.
        arguments: what JSON can hold.
        limits: what the process may take.
        what: what messages call it that is run.

    Returns:
        What the function gives, which JSON has to hold.

    Raises:
        InterruptedTemplateError: the process took too long, ended early, or could not be started.
        ChatTemplateError: the function raised one, or needed too much memory.
    """
    if not sys.executable:  # where Python is embedded in another program
        raise ChatTemplateError(
            f"{what}: no process can be started for it, since `sys.executable` does not say where Python is: set it"
        )
    request = {
        "path": [entry for entry in sys.path if entry],
        "bytes": limits.megabytes * _MEGABYTE,
        "module": module,
        "function": function,
        "arguments": arguments,
    }
    command = [sys.executable, "-I", "-X", "utf8", str(_CHILD)]
    try:
        ended = subprocess.run(
            command,
            input=json.dumps(request).encode("ascii"),
            capture_output=True,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InterruptedTemplateError(
            f"{what}: it took more than {limits.seconds:g} seconds and was ended: the template runs for too long, or "
            "give it more with --seconds"
        ) from None
    except OSError as error:
        raise InterruptedTemplateError(f"{what}: no process can be started for it: {error}") from None
    return _value(ended, limits, what)


def _value(ended: subprocess.CompletedProcess[bytes], limits: Limits, what: str) -> Any:
    too_much = f"{what}: it needed more than {limits.megabytes} MB of memory, and was ended"
    try:
        answer: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        if said and said[-1].startswith("MemoryError"):
            raise ChatTemplateError(too_much) from None
        reason = said[-1] if said else f"exit code {ended.returncode}"
        raise InterruptedTemplateError(f"{what}: the process that ran it ended early: {reason}") from None
    if "memory" in answer:
        raise ChatTemplateError(too_much)
    if "error" in answer:
        if ChatTemplateError.__name__ in answer["kinds"]:
            raise ChatTemplateError(answer["error"])
        raise ChatTemplateError(f"{what}: {answer['kinds'][0]}: {answer['error']}")
    return answer["value"]
