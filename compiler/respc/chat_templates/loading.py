"""Reading chat templates from where models have them, with the tokens that they are given."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from respc.chat_templates.errors import ChatTemplateError, NoChatTemplateError
from respc.source.json_kinds import is_list, is_object

CONFIG_FILE: Final = "tokenizer_config.json"
TEMPLATE_FILE: Final = "chat_template.jinja"
OTHER_TEMPLATES: Final = "additional_chat_templates"
PROCESSOR_FILE: Final = "chat_template.json"
TOKENS_FILE: Final = "special_tokens_map.json"
RESPONSE_FILE: Final = "response_template.json"
GENERATION_FILE: Final = "generation_config.json"
FILES: Final = (CONFIG_FILE, TEMPLATE_FILE, PROCESSOR_FILE, TOKENS_FILE, GENERATION_FILE)
"""What is read of the folder of a model."""

_MOST_BYTES: Final = 64 << 20
"""The tokenizers of large vocabularies have some ten megabytes; what is read here is smaller."""
_MOST_CHARACTERS: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class ChatTemplateSource:
    """The chat templates of a model.

    Attributes:
        name: of the file or folder.
        texts: the templates by name: `default`, and perhaps `tool_use` and others.
        tokens: the special tokens by their role, as `eos_token`.
        ends: the tokens that end a generation, as far as is known.
    """

    name: str
    texts: dict[str, str]
    tokens: dict[str, str]
    ends: tuple[str, ...]

    def named(self, name: str) -> ChatTemplateSource:
        """Give the same with one template only.

        Raises:
            ChatTemplateError: there is none of this name.
        """
        if name not in self.texts:
            raise ChatTemplateError(
                f"{self.name}: no chat template is named {name!r}: there is {', '.join(sorted(self.texts))}"
            )
        return replace(self, texts={"default": self.texts[name]})


def chat_template_source(
    given: str | Mapping[str, str] | os.PathLike[str] | ChatTemplateSource,
) -> ChatTemplateSource:
    """Give the chat template that a caller names: by its text, by several texts with names, or by a path.

    Raises:
        ChatTemplateError: nothing can be read at the path, or it holds no chat template.
    """
    if isinstance(given, ChatTemplateSource):
        return given
    if isinstance(given, str):
        return ChatTemplateSource("<chat template>", {"default": given}, {}, ())
    if isinstance(given, Mapping):
        return ChatTemplateSource("<chat template>", dict(given), {}, ())
    return read_chat_template(os.fspath(given))


def read_chat_template(path: str) -> ChatTemplateSource:
    """Read a file of Jinja, a tokenizer config, or the folder of a model.

    Raises:
        NoChatTemplateError: there is a folder or a config, and no chat template in it.
        ChatTemplateError: nothing can be read there.
    """
    place = Path(path)
    if place.is_dir():
        return _of_folder(place)
    if place.suffix == ".json":
        return _of_config(place)
    tokens, ends = _tokens_beside(place)
    return ChatTemplateSource(path, {"default": _read_text(place)}, tokens, ends)


def _of_folder(folder: Path) -> ChatTemplateSource:
    config = folder / CONFIG_FILE
    texts = _of_value(_read_object(config).get("chat_template"), str(config)) if config.exists() else {}
    processor = folder / PROCESSOR_FILE
    if processor.exists():
        texts |= _of_value(_read_object(processor).get("chat_template"), str(processor))
    alone = folder / TEMPLATE_FILE
    if alone.exists():  # files of their own go first, as in transformers
        texts["default"] = _read_text(alone)
    others = folder / OTHER_TEMPLATES
    if others.is_dir():
        texts |= {file.stem: _read_text(file) for file in sorted(others.glob("*.jinja"))}
    if not texts:
        raise NoChatTemplateError(
            f"{folder}: the folder has no chat template, neither a {TEMPLATE_FILE} nor one in a {CONFIG_FILE}: "
            "put it there, or name the file that has it"
        )
    tokens, ends = _tokens_of(folder)
    return ChatTemplateSource(str(folder), texts, tokens, ends)


def _of_config(config: Path) -> ChatTemplateSource:
    texts = _of_value(_read_object(config).get("chat_template"), str(config))
    beside = config.parent / TEMPLATE_FILE
    if config.name in (CONFIG_FILE, RESPONSE_FILE) and beside.exists():
        texts["default"] = _read_text(beside)
    if not texts:
        raise NoChatTemplateError(
            f"{config}: there is no chat template under the key `chat_template`, nor a {TEMPLATE_FILE} beside it: "
            "put it there, or name the file that has it"
        )
    name = CONFIG_FILE if config.name == RESPONSE_FILE else config.name
    tokens, ends = _tokens_of(config.parent, name)
    return ChatTemplateSource(str(config), texts, tokens, ends)


def _of_value(value: object, place: str) -> dict[str, str]:
    """Read one template, or several with names, as configs have them."""
    if value is None:
        return {}
    if isinstance(value, str):
        return {"default": value}
    entries: list[Any] = value if is_list(value) else []
    if is_object(value):
        entries = [{"name": name, "template": text} for name, text in value.items()]
    texts: dict[str, str] = {
        entry["name"]: entry["template"]
        for entry in entries
        if is_object(entry) and isinstance(entry.get("name"), str) and isinstance(entry.get("template"), str)
    }
    if not entries or len(texts) < len(entries):
        raise ChatTemplateError(
            f"{place}: `chat_template` has to be a text, or a list of objects with a `name` and a `template`"
        )
    return texts


def _tokens_beside(file: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """Read the tokens for a file of Jinja: from the folder of a model that it is in, and from nowhere else."""
    return _tokens_of(file.parent) if file.name == TEMPLATE_FILE else ({}, ())


def _tokens_of(folder: Path, config_name: str = CONFIG_FILE) -> tuple[dict[str, str], tuple[str, ...]]:
    tokens: dict[str, str] = {}
    numbered: dict[int, str] = {}
    for name in (TOKENS_FILE, config_name):
        if (folder / name).exists():
            config = _read_object(folder / name)
            tokens |= {key: text for key, value in config.items() if (text := _token_text(key, value))}
            numbered |= _numbered(config.get("added_tokens_decoder"))
    ends = [tokens["eos_token"]] if "eos_token" in tokens else []
    if (folder / GENERATION_FILE).exists():
        numbers: Any = _read_object(folder / GENERATION_FILE).get("eos_token_id")
        for number in numbers if is_list(numbers) else [numbers]:
            if isinstance(number, int) and number in numbered and numbered[number] not in ends:
                ends.append(numbered[number])
    return tokens, tuple(ends)


def _token_text(key: str, value: object) -> str | None:
    if not key.endswith("_token"):
        return None
    if is_object(value):
        value = value.get("content")
    return value if isinstance(value, str) else None


def _numbered(decoder: object) -> dict[int, str]:
    if not is_object(decoder):
        return {}
    return {
        int(number): entry["content"]
        for number, entry in decoder.items()
        if number.isdecimal() and is_object(entry) and isinstance(entry.get("content"), str)
    }


def _read_object(path: Path) -> dict[str, Any]:
    try:
        value: Any = json.loads(_read_bytes(path))
    except ValueError as error:  # also what is no UTF-8
        raise ChatTemplateError(f"{path}: no JSON: {error}") from None
    except RecursionError:
        raise ChatTemplateError(f"{path}: no JSON that can be read: it is nested too deeply") from None
    if not is_object(value):
        raise ChatTemplateError(f"{path}: the JSON is not an object")
    return value


def _read_text(path: Path) -> str:
    try:
        text = _read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ChatTemplateError(f"{path}: not UTF-8: {error}") from None
    if len(text) > _MOST_CHARACTERS:
        raise ChatTemplateError(f"{path}: more than {_MOST_CHARACTERS:,} characters are no chat template")
    return text


def _read_bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            reason = "not a regular file" if path.exists() else "no such file or folder"
            raise ChatTemplateError(f"{path}: {reason}")
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, ChatTemplateError):
            raise
        raise ChatTemplateError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _MOST_BYTES:
        raise ChatTemplateError(f"{path}: there are more than {_MOST_BYTES:,} bytes")
    return data
