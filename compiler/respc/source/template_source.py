"""A response template with the text it came from, and the ways to load one."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from respc.diagnostics.model import Diagnostic, diagnose
from respc.diagnostics.wording import quoted
from respc.errors import InvalidTemplateError
from respc.source.json_reader import JsonDocument, JsonError, offset_in_string, read_json
from respc.source.plain_values import PlainValueError, digest_of, plain_copy
from respc.source.pointers import pointer_keys
from respc.source.spans import SourceText

if TYPE_CHECKING:
    from respc.source.spans import Span

CONFIG_FILE: Final = "tokenizer_config.json"
TEMPLATE_FILE: Final = "response_template.json"
CONFIG_KEY: Final = "response_template"
STDIN_NAME: Final = "<stdin>"
DICT_NAME: Final = "<template>"


class SourceFileError(OSError):
    """A file or folder that a template cannot be read from, for the reason given."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class TemplateSourceError(InvalidTemplateError):
    """A text or value that holds no template."""


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """A response template as read, not yet checked.

    ``name`` is what messages show, ``root`` the JSON pointer of the template inside its document,
    ``document`` the document it was read from (None for a template handed in by Python code), ``digest`` the
    same for the same template wherever it came from.
    """

    name: str
    template: Any
    root: str
    document: JsonDocument | None
    digest: str

    @property
    def text(self) -> SourceText | None:
        """The text of the document, if there is one."""
        return None if self.document is None else self.document.source

    @property
    def chat_template(self) -> str | None:
        """The chat template of the tokenizer config that the template stands in, if there is one."""
        if self.document is None or not _has_key(self.document.value, "chat_template"):
            return None
        chat_template = self.document.value["chat_template"]
        return chat_template if isinstance(chat_template, str) else None

    def span_of(self, pointer: str, *, key: bool = False) -> Span | None:
        """Return the place of the value at ``pointer`` (inside the template), or with ``key`` of its key.

        Falls back to the nearest enclosing value, and from a key to its value; None without text.
        """
        if self.document is None:
            return None
        place = self.document.places.nearest(self.root + pointer)
        return place.key if key and place.key is not None else place.value

    def span_in_string(self, pointer: str, index: int, end: int | None = None) -> Span | None:
        """Return the place of the characters ``index`` up to ``end`` (or of one) of a string.

        Falls back to ``span_of(pointer)`` where there is no such character; None without text.
        """
        if self.document is None:
            return None
        try:
            return offset_in_string(self.document, self.root + pointer, index, end)
        except (KeyError, ValueError, IndexError):
            return self.span_of(pointer)


def template_from_dict(template: object, name: str = DICT_NAME) -> TemplateSource:
    """Return a template handed in by Python code, copied; TemplateSourceError when JSON cannot hold it."""
    try:
        plain = plain_copy(template)
    except PlainValueError as error:
        raise TemplateSourceError((diagnose(error.slug, error.message, error.pointer),), name) from None
    return TemplateSource(name, plain, "", None, digest_of(plain))


def template_from_text(name: str, text: str, root: str = "") -> TemplateSource:
    """Read the template at the pointer ``root`` of a JSON text; TemplateSourceError when there is none."""
    document = _document(SourceText(name, text))
    value = document.value
    for key in pointer_keys(root):
        if not _has_key(value, key):
            raise _no_template(document)
        value = value[key]
    return TemplateSource(name, value, root, document, digest_of(value))


def read_template(source: str | os.PathLike[str], stdin: BinaryIO | None = None) -> TemplateSource:
    """Read a template from a JSON file, a tokenizer config, a folder with either, or ``-`` (standard input).

    Raises SourceFileError when nothing can be read, TemplateSourceError when what was read holds no template.
    """
    given = os.fspath(source)
    if given == "-":
        return _from_document(_read_document(STDIN_NAME, _read_stream(stdin or sys.stdin.buffer)))
    if not given:
        raise SourceFileError(given, "the path is empty")
    if _kind(given) == stat.S_IFDIR:
        return _from_folder(given)
    return _from_document(_read_document(given, _read_file(given)))


def duplicate_key_warnings(source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Return a warning for each key that an object of the template, or of what encloses it, has twice."""
    if source.document is None:
        return ()
    warnings: list[Diagnostic] = []
    for pointer, span in source.document.duplicates:
        if (pointer + "/").startswith(source.root + "/"):
            message = f"the key {quoted(pointer_keys(pointer)[-1])} is in this object already"
            label, advice = "this one wins", "remove one of them"
            relative = pointer[len(source.root) :]
            warnings.append(diagnose("duplicate-key", message, relative, span, label=label, help=advice))
    return tuple(warnings)


def _from_folder(given: str) -> TemplateSource:
    config, template = str(Path(given) / CONFIG_FILE), str(Path(given) / TEMPLATE_FILE)
    has_template = _kind(template, missing_allowed=True) is not None
    if _kind(config, missing_allowed=True) is not None:
        document = _read_document(config, _read_file(config))
        if not has_template or _has_key(document.value, CONFIG_KEY):
            return _from_document(document)
    if not has_template:
        raise SourceFileError(given, f"the folder has neither a {CONFIG_FILE} nor a {TEMPLATE_FILE}")
    return _from_document(_read_document(template, _read_file(template)))


def _from_document(document: JsonDocument) -> TemplateSource:
    name, value = document.source.name, document.value
    root = ""
    if not _has_key(value, "fields"):
        if _has_key(value, CONFIG_KEY):
            value, root = value[CONFIG_KEY], "/" + CONFIG_KEY
        elif (
            Path(name).name == CONFIG_FILE
            or _has_key(value, "tokenizer_class")
            or _has_key(value, "chat_template")
        ):
            raise _no_template(document)
    return TemplateSource(name, value, root, document, digest_of(value))


def _no_template(document: JsonDocument) -> TemplateSourceError:
    diagnostic = diagnose(
        "no-template-in-config",
        f"this tokenizer config has no key `{CONFIG_KEY}`",
        span=document.places[""].value,
        help=f"add the key `{CONFIG_KEY}` with the template as its value, or give the file of the template",
    )
    return TemplateSourceError((diagnostic,), document.source.name, document.source)


def _has_key(value: object, key: str) -> bool:
    return isinstance(value, dict) and key in cast("dict[str, object]", value)


def _kind(path: str, *, missing_allowed: bool = False) -> int | None:
    """Return the type bits of what is at ``path``, or None if there is nothing and that is allowed."""
    try:
        return stat.S_IFMT(Path(path).stat().st_mode)
    except FileNotFoundError:
        if missing_allowed:
            return None
        raise SourceFileError(path, "no such file or folder") from None
    except OSError as error:
        raise SourceFileError(path, error.strerror or str(error)) from error
    except ValueError as error:  # a NUL in the path
        raise SourceFileError(path, str(error)) from error


def _read_file(path: str) -> bytes:
    # Opening a pipe or a device could wait for ever.
    if _kind(path) != stat.S_IFREG:
        raise SourceFileError(path, "not a regular file (use `-` to read standard input)")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SourceFileError(path, error.strerror or str(error)) from error


def _read_stream(stream: BinaryIO) -> bytes:
    try:
        return stream.read()
    except OSError as error:
        raise SourceFileError(STDIN_NAME, error.strerror or str(error)) from error


def _read_document(name: str, data: bytes) -> JsonDocument:
    return _document(SourceText(name, _decode(name, data)))


def _document(source: SourceText) -> JsonDocument:
    try:
        return read_json(source)
    except JsonError as error:
        diagnostic = diagnose(error.slug, error.message, span=error.span, help=error.hint)
        raise TemplateSourceError((diagnostic,), source.name, source) from None


def _decode(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _bad_encoding(name, data, error.start) from None
    if data.startswith(codecs.BOM_UTF8):
        source = SourceText(name, text)
        message = "the file starts with a UTF-8 byte order mark, which JSON does not allow"
        advice = "save it as UTF-8 without a byte order mark"
        diagnostic = diagnose("byte-order-mark", message, span=source.span(0, 1), help=advice)
        raise TemplateSourceError((diagnostic,), name, source)
    return text


def _bad_encoding(name: str, data: bytes, start: int) -> TemplateSourceError:
    source = SourceText(name, data.decode("utf-8", errors="replace"))
    place = len(data[:start].decode("utf-8"))
    message = f"byte 0x{data[start]:02X} at offset {start} is not valid UTF-8"
    advice = "save the file as UTF-8"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        advice = "the file looks like UTF-16: save it as UTF-8"
    diagnostic = diagnose("invalid-encoding", message, span=source.span(place, place + 1), help=advice)
    return TemplateSourceError((diagnostic,), name, source)
