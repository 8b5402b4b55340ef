"""What was inferred from chat templates, kept on disk, so that the next process need not infer it again.

Each is a file of JSON in the user's cache folder, named after all that it depends on: what the chat template is and is
given, and the code that inferred. A file is written in one step, so that processes that start at once do each other no
harm. What is read is as good as a file that anyone wrote: it is looked at before it is used.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from respc.chat_templates import ChatTemplateSource
    from respc.inferring import Inference

VARIABLE: Final = "RESPC_CACHE"
"""Names the folder, or says `off`."""

_OFF: Final = ("0", "off", "false", "no")
_PACKAGES: Final = ("respc", "respc_runtime")
"""What infers, and what an inference is proved with: another version may say something else."""
_MOST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class InferredTemplate:
    """A response template that was inferred, and what it is worth.

    Attributes:
        template: the response template.
        is_proved: whether it reads back all that the chat template writes.
        summary: what became of that, in a line.
        faults: the kinds of fault of what does not come back.
    """

    template: dict[str, Any]
    is_proved: bool
    summary: str
    faults: tuple[str, ...]

    @classmethod
    def of(cls, inference: Inference) -> InferredTemplate:
        """Take what is needed of an inference."""
        from respc.verifying.report import summary

        verification = inference.verification
        faults = dict.fromkeys(cause.kind.value for cause in verification.causes if cause.counts)
        return cls(inference.template, inference.clean, summary(verification), tuple(faults))


def kept(source: ChatTemplateSource) -> InferredTemplate | None:
    """Give what was inferred before; None where nothing was, or what is there cannot be used."""
    file = _file_of(source)
    if file is None:
        return None
    try:
        with file.open("rb") as stream:
            written: Any = json.loads(stream.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return _checked(written)


def keep(source: ChatTemplateSource, inferred: InferredTemplate) -> None:
    """Keep what was inferred; where that cannot be done, it is inferred again the next time."""
    file = _file_of(source)
    if file is None:
        return
    written = {
        "template": inferred.template,
        "is_proved": inferred.is_proved,
        "summary": inferred.summary,
        "faults": list(inferred.faults),
    }
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(file, json.dumps(written).encode("ascii"))


def cache_folder() -> Path | None:
    """Give the folder; None where nothing is to be kept, or the system names no place for it."""
    asked = os.environ.get(VARIABLE, "").strip()
    if asked.lower() in _OFF:
        return None
    if asked:
        return Path(asked)
    try:
        return _folder_of_user() / "respc"
    except RuntimeError:  # nobody is at home
        return None


def _folder_of_user() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = os.environ.get("XDG_CACHE_HOME", "")
    # A relative path is to be passed over, by the specification of this variable.
    return Path(named) if Path(named).is_absolute() else Path.home() / ".cache"


def _file_of(source: ChatTemplateSource) -> Path | None:
    folder = cache_folder()
    if folder is None:
        return None
    key = [respc.__version__, _code_digest(), source.texts, source.tokens, list(source.ends)]
    digest = sha256(json.dumps(key, sort_keys=True).encode("ascii")).hexdigest()
    return folder / "inferred" / f"{digest}.json"


@cache
def _code_digest() -> str:
    """Give the digest of the code that infers: between releases, versions have one number."""
    digest = sha256()
    for package in _PACKAGES:
        for folder in import_module(package).__path__:
            for file in sorted(Path(folder).rglob("*.py")):
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _checked(written: Any) -> InferredTemplate | None:
    """Take what is well formed, and a template that can be compiled."""
    if not is_object(written) or not is_object(template := written.get("template")):
        return None
    is_proved, summary, faults = (written.get(key) for key in ("is_proved", "summary", "faults"))
    if not (isinstance(is_proved, bool) and isinstance(summary, str) and is_list(faults)):
        return None
    if not all(isinstance(fault, str) for fault in faults):
        return None
    if any(finding.severity.value == "error" for finding in respc.check_template(template)):
        return None
    return InferredTemplate(template, is_proved, summary, tuple(faults))


def _write(file: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
