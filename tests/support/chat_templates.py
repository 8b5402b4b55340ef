"""The chat templates of models, out of packages that have copies of them, and what a model is trained to write by them.

A chat template writes whole conversations. What a model writes itself is what the rendering of a conversation has
behind the prompt, which is the rendering of all but the last message.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import product, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.error import URLError
from urllib.request import urlopen

from filelock import FileLock
from jinja2 import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import SandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jinja2 import Template, nodes
    from jinja2.parser import Parser

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


def _take_out(package: Package, missing: set[str], folder: Path) -> None:
    """Write the missing files into a folder, each when it is whole."""
    found = _files_of_wheel(package) if package.is_wheel else _files_of_source(package)
    for path, data in found:
        name = path.removeprefix(package.folder)
        if path.startswith(package.folder) and name in missing:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_bytes(data)
            part.replace(file)
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


def _files_of_source(package: Package) -> Iterator[tuple[str, bytes]]:
    """Yield the templates of a source archive while it is read: pip would build it, and the archives are large."""
    try:
        with (
            urlopen(_address_of_source(package), timeout=_MOST_SECONDS) as response,
            tarfile.open(fileobj=response, mode="r|gz") as archive,
        ):
            for member in archive:
                if member.isfile() and member.name.endswith(".jinja"):
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


class _Generation(Extension):
    """The tag that training reads the model's own text by; what is between is written as it is."""

    tags: Final = {"generation"}  # type: ignore[misc]  # of a class that is not final

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _refuse(message: str) -> None:
    raise TemplateError(message)


def _to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


# As transformers has it, but that templates may change their lists, and with filters that other engines have.
_ENVIRONMENT: Final = SandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
)
_ENVIRONMENT.filters["tojson"] = _to_json
_ENVIRONMENT.filters["from_json"] = _ENVIRONMENT.filters["fromjson"] = json.loads
_ENVIRONMENT.globals["raise_exception"] = _refuse
_ENVIRONMENT.globals["strftime_now"] = _NOW.strftime


@dataclass(frozen=True)
class Shape:
    """How the messages of a conversation are given to a template: what they agree on is not much.

    Attributes:
        arguments: as JSON values or as text.
        content: of a message with calls and no text: "" or None; or there is no such key.
        ids: of calls, by their number and the name of the tool.
    """

    arguments: type[dict[str, Any]] | type[str]
    content: str | None
    has_content: bool
    ids: str

    def message(self, message: dict[str, Any], first_id: int) -> dict[str, Any]:
        """Give a message this shape."""
        if message["role"] != "assistant":
            return message
        shaped = dict(message)
        if (reasoning := message.get("reasoning_content")) is not None:
            shaped["thinking"] = shaped["reasoning"] = reasoning
        if "content" not in message and self.has_content:
            shaped["content"] = self.content
        if "tool_calls" in message:
            shaped["tool_calls"] = [
                self._call(call["function"], first_id + number)
                for number, call in enumerate(message["tool_calls"])
            ]
        return shaped

    def _call(self, function: dict[str, Any], number: int) -> dict[str, Any]:
        arguments = function["arguments"]
        if self.arguments is str:
            arguments = json.dumps(arguments, ensure_ascii=False)
        name = function["name"]
        return {
            "id": self.ids.format(name=name, number=number),
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }


SHAPES: Final = [
    Shape(arguments, content, has_content, ids)
    for ids, arguments, (content, has_content) in product(
        ("calls{number:04}", "functions.{name}:{number}"),
        (dict, str),
        (("", True), (None, True), (None, False)),
    )
]


@dataclass(frozen=True)
class Generation:
    """What a model would have written.

    Attributes:
        prefix: the prompt.
        text: what comes behind it, to the end of the turn.
        end: what of it ends the turn; "" where nothing does.
    """

    prefix: str
    text: str
    end: str


class NotWrittenError(Exception):
    """A template refuses a conversation, or leaves out what is in it."""


@cache
def _compiled(source: str) -> Template:
    return _ENVIRONMENT.from_string(source)


@dataclass(frozen=True)
class ChatTemplate:
    """A chat template.

    Attributes:
        source: its text.
        given: what it is given beside the conversation, as the tokens at the beginning and at the end of a turn.
        end: what ends a turn, or several marks, of which the first that comes does, as none is in a message; None for
            the mark behind a text.
        blocks: how content is given that has reasoning in it: as a "list" of blocks, or as a "mapping" that has one;
            None where the reasoning is beside the content.
    """

    source: str
    given: dict[str, Any]
    end: str | list[str] | None = None
    blocks: Literal["list", "mapping"] | None = None

    def generations(
        self,
        history: list[dict[str, Any]],
        message: dict[str, Any],
        tools: list[dict[str, Any]],
        options: dict[str, Any],
    ) -> list[Generation]:
        """Give what a model would have written for a message, after each prompt that the template has for it.

        Raises:
            NotWrittenError: the template does not take the message in any shape, or leaves something of it out.
        """
        reasons: list[str] = []
        for shape in SHAPES:
            try:
                return self._generations(shape, history, message, tools, options)
            except NotWrittenError as error:
                reasons.append(str(error))
        # The first shape that is taken says more than those that are refused.
        raise NotWrittenError(next((reason for reason in reasons if reason.endswith(_LEFT_OUT)), reasons[0]))

    def prompt(
        self, history: list[dict[str, Any]], tools: list[dict[str, Any]], options: dict[str, Any]
    ) -> str:
        """Give the prompt for the message behind a history.

        Raises:
            NotWrittenError: the template does not take the history in any shape.
        """
        given = {**options, "add_generation_prompt": True}
        reasons = []
        for shape in SHAPES:
            try:
                return self._rendered(
                    [shape.message(self._in_blocks(each), 0) for each in history], tools, given
                )
            except NotWrittenError as error:
                reasons.append(error)
        raise reasons[0]

    def _generations(
        self,
        shape: Shape,
        history: list[dict[str, Any]],
        message: dict[str, Any],
        tools: list[dict[str, Any]],
        options: dict[str, Any],
    ) -> list[Generation]:
        conversation = [shape.message(self._in_blocks(each), 0) for each in history]
        calls_before = sum(len(each.get("tool_calls", ())) for each in history)
        last = shape.message(self._in_blocks({"role": "assistant", **message}), calls_before)
        whole = self._rendered([*conversation, last], tools, options)
        without_prompt = self._rendered(conversation, tools, options)
        prompt = self._rendered(conversation, tools, {**options, "add_generation_prompt": True})
        header = prompt.removeprefix(without_prompt) if prompt.startswith(without_prompt) else ""
        at, prompt_at = _parting(whole, prompt, header, history[-1]["content"])
        end = self._end(conversation, tools, options) if self.end is None else self.end
        text, end = _own(whole[at:], message, end)
        opening = prompt[prompt_at:].strip()
        if opening and not _MARK.search(opening) and text.startswith(message.get("reasoning_content", "\0")):
            # The history leaves out the words that open the thought, which the prompt says.
            return [Generation(prompt, text, end)]
        generation = Generation(whole[:at] if prompt_at < len(prompt) else prompt, text, end)
        if prompt[prompt_at:].strip() and _CLOSED.search(prompt) and "reasoning_content" not in message:
            # The history leaves out that nothing was thought, which the prompt says.
            return [generation, Generation(prompt, text, end)]
        return [generation]

    def _in_blocks(self, message: dict[str, Any]) -> dict[str, Any]:
        """Give a message of the model in the blocks that the template takes."""
        if self.blocks is None or message["role"] != "assistant":
            return message
        kinds = {"list": ("thinking", "thinking", "text"), "mapping": ("thoughts", "text", "response")}
        thought, key, text = kinds[self.blocks]
        blocks = []
        if "reasoning_content" in message:
            blocks.append({"type": thought, key: message["reasoning_content"]})
        if "content" in message:
            blocks.append({"type": text, "text": message["content"]})
        rest = {
            name: value for name, value in message.items() if name not in ("reasoning_content", "content")
        }
        content: Any = blocks if self.blocks == "list" else {"blocks": blocks}
        return {**rest, "content": content}

    def _rendered(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], options: dict[str, Any]
    ) -> str:
        given = {"add_generation_prompt": False, **_TOKENS, **self.given, **options}
        try:
            return _compiled(self.source).render(messages=deepcopy(messages), tools=tools or None, **given)
        except Exception as error:  # whatever a template that is not ours can raise
            raise NotWrittenError(f"{type(error).__name__}: {error}") from None

    def _end(
        self, conversation: list[dict[str, Any]], tools: list[dict[str, Any]], options: dict[str, Any]
    ) -> str:
        """Give the mark that ends a turn of plain text."""
        answer = "Words in between."
        last = self._in_blocks({"role": "assistant", "content": answer})
        whole = self._rendered([*conversation, last], tools, options)
        found = _MARK.match(whole.rpartition(answer)[2].lstrip())
        return found[0] if found else ""


_TOKENS: Final = {"bos_token": "<|the_beginning|>", "eos_token": "<|the_end|>"}
_LEFT_OUT: Final = "is left out"
_MARK: Final = re.compile(r"<[^<>\s][^<>\n]*>|\[[^\[\]\s]+\]|\[e~\[")
"""What most marks of formats look like."""
_CLOSED: Final = re.compile(r"(?:</[^<>]+>|\[/[^\[\]]+\]|<[^<>|]+\|>)\s*$")
"""A prompt that has opened and closed the reasoning, or only closes it."""


def _parting(whole: str, prompt: str, header: str, last: str) -> tuple[int, int]:
    """Return where a conversation and the prompt of its last message part, in both.

    A template can write what comes before otherwise for a prompt, as the tools in front of the last message. Then the
    text of the last message before says where to look: for the header of the prompt, or else how far both are alike.
    """
    if whole.startswith(prompt):
        return len(prompt), len(prompt)
    for written in (last, json.dumps(last)[1:-1], json.dumps(last, ensure_ascii=False)[1:-1]):
        in_whole, in_prompt = whole.rfind(written), prompt.rfind(written)
        if min(in_whole, in_prompt) >= 0:
            break
    else:
        raise NotWrittenError("the message before is left out")
    words = re.findall(rf"{_MARK.pattern}|\S+?(?=<|\[|\s|$)", header)
    while words:  # of the header as many as there are
        pattern = re.compile(r"\s*".join(map(re.escape, words)) + r"\s*")
        found, in_header = pattern.search(whole, in_whole), pattern.search(prompt, in_prompt)
        if found and in_header:
            return found.end(), in_header.end()
        words.pop()
    alike = _alike(whole[in_whole:], prompt[in_prompt:])
    if in_prompt + alike < len(prompt):
        alike -= max(_inside_mark(whole, in_whole + alike), _inside_mark(prompt, in_prompt + alike))
    return in_whole + alike, in_prompt + alike


def _own(text: str, message: dict[str, Any], end: str | list[str]) -> tuple[str, str]:
    """Return what of a rendering is a message, to the mark that ends its turn, and this mark.

    Raises:
        NotWrittenError: a text of the message is not in it, or arguments are in it as text in JSON.
    """
    if isinstance(end, list):
        place, end = min((text.find(mark), mark) for mark in end if mark in text)
        text = text[: place + len(end)]
    pieces = [message[key] for key in ("reasoning_content", "content") if key in message]
    names = [call["function"]["name"] for call in message.get("tool_calls", ())]
    for call in message.get("tool_calls", ()):
        pieces += [call["function"]["name"], *_strings_in(call["function"]["arguments"])]
    last = 0
    for piece in pieces:
        forms = (piece.strip(), json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1])
        ends = [found + len(form) for form in forms if (found := text.rfind(form)) >= 0]
        if not ends:
            raise NotWrittenError(f"{piece.splitlines()[0]!r} {_LEFT_OUT}")
        last = max(last, *ends)
    if names and '{\\"' in text.partition(names[0])[2]:
        raise NotWrittenError("arguments are written as text in JSON")
    ended = text.find(end, last) if end else -1
    return text[: ended + len(end)] if ended >= 0 else text.rstrip(), end


def _alike(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _inside_mark(text: str, at: int) -> int:
    """Return how far inside a mark a place is."""
    return next((at - mark.start() for mark in _MARK.finditer(text) if mark.start() < at < mark.end()), 0)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings_in(inner)
