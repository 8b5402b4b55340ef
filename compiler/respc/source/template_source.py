"""A response template with the text it came from, and the ways to load one."""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from respc.diagnostics.model import Diagnostic, diagnose
from respc.diagnostics.wording import quoted
from respc.errors import InvalidTemplateError
from respc.source.json_faults import faults_in
from respc.source.json_reader import JsonDocument, JsonError, offset_in_string, read_json
from respc.source.plain_values import PlainValueError, digest_of, plain_copy
from respc.source.pointers import pointer_keys
from respc.source.reading import (
    STDIN_NAME,
    SourceFileError,
    TooLargeError,
    kind_of,
    read_file,
    read_stream,
    standard_input,
)
from respc.source.sizes import MAX_BYTES, excess_of
from respc.source.spans import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.source.spans import Span

CONFIG_FILE: Final = "tokenizer_config.json"
TEMPLATE_FILE: Final = "response_template.json"
CONFIG_KEY: Final = "response_template"
OLDER_KEY: Final = "response_schema"
DICT_NAME: Final = "<template>"

_SMALLER: Final = "leave out what the message does not need, or give the template in a file of its own"


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
    if len(text) > MAX_BYTES:
        raise _too_large(name, f"there are more than {MAX_BYTES:,} characters: no template is as large", None)
    document = _document(SourceText(name, text))
    value = document.value
    for key in pointer_keys(root):
        if not _has_key(value, key):
            raise _no_template(document)
        value = value[key]
    return _located(document, value, root)


def read_template(source: str | os.PathLike[str], stdin: BinaryIO | None = None) -> TemplateSource:
    """Read a template from a JSON file, a tokenizer config, a folder with either, or ``-`` (standard input).

    Raises SourceFileError when nothing can be read, TemplateSourceError when what was read holds no template.
    """
    given = os.fspath(source)
    if given == "-":
        stream = standard_input() if stdin is None else stdin
        return _from_document(_read_document(STDIN_NAME, lambda: read_stream(stream)))
    if not given:
        raise SourceFileError(given, "the path is empty")
    if kind_of(given) == stat.S_IFDIR:
        return _from_folder(given)
    return _from_document(_read_file_document(given))


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
    has_template = kind_of(template, missing_allowed=True) is not None
    if kind_of(config, missing_allowed=True) is not None:
        document = _read_file_document(config)
        if not has_template or _has_key(document.value, CONFIG_KEY):
            return _from_document(document)
    if not has_template:
        raise SourceFileError(given, f"the folder has neither a {CONFIG_FILE} nor a {TEMPLATE_FILE}")
    return _from_document(_read_file_document(template))


def _from_document(document: JsonDocument) -> TemplateSource:
    name, value = document.source.name, document.value
    root = ""
    if not _has_key(value, "fields"):
        if _is_schema(value):
            raise _older_schema(document, "")
        if _has_key(value, CONFIG_KEY):
            value, root = value[CONFIG_KEY], "/" + CONFIG_KEY
        elif (
            Path(name).name == CONFIG_FILE
            or _has_key(value, "tokenizer_class")
            or _has_key(value, "chat_template")
            or _has_key(value, OLDER_KEY)
        ):
            raise _no_template(document)
    return _located(document, value, root)


def _is_schema(value: object) -> bool:
    """Tell whether a document is a response schema, the form before response templates."""
    is_response = _has_key(value, "properties") or _has_key(value, "x-regex")
    return is_response and not (_has_key(value, CONFIG_KEY) or _has_key(value, OLDER_KEY))


def _older_schema(document: JsonDocument, pointer: str) -> TemplateSourceError:
    place = document.places[pointer]
    diagnostic = diagnose(
        "older-response-schema",
        "this is a response schema, the form before response templates, which transformers reads no more",
        span=place.key or place.value,
        label=f"no part of it counts: what does is the key `{CONFIG_KEY}`" if pointer else None,
        help="write it as a response template: each property is a field, and the groups of its `x-regex` become what "
        "opens and closes the regions",
    )
    return TemplateSourceError((diagnostic,), document.source.name, document.source)


def _no_template(document: JsonDocument) -> TemplateSourceError:
    if _has_key(document.value, OLDER_KEY):
        return _older_schema(document, f"/{OLDER_KEY}")
    diagnostic = diagnose(
        "no-template-in-config",
        f"this tokenizer config has no key `{CONFIG_KEY}`",
        span=document.places[""].value,
        help=f"add the key `{CONFIG_KEY}` with the template as its value, or give the file of the template",
    )
    return TemplateSourceError((diagnostic,), document.source.name, document.source)


def _has_key(value: object, key: str) -> bool:
    return isinstance(value, dict) and key in cast("dict[str, object]", value)


def _read_file_document(path: str) -> JsonDocument:
    return _read_document(path, lambda: read_file(path))


def _read_document(name: str, read: Callable[[], bytes]) -> JsonDocument:
    try:
        data = read()
    except TooLargeError as error:
        raise _too_large(name, f"{error}: no template is as large", None) from None
    return _document(SourceText(name, _decode(name, data)))


def _too_large(name: str, message: str, document: JsonDocument | None, root: str = "") -> TemplateSourceError:
    span = None if document is None else document.places[root].value
    diagnostic = diagnose("template-too-large", message, span=span, help=_SMALLER)
    return TemplateSourceError((diagnostic,), name, None if document is None else document.source)


def _located(document: JsonDocument, value: Any, root: str) -> TemplateSource:
    """Make the template that stands at a pointer of a document; TemplateSourceError where it is too large."""
    name = document.source.name
    if (excess := excess_of(value)) is not None:
        raise _too_large(name, excess, document, root)
    return TemplateSource(name, value, root, document, digest_of(value))


def _document(source: SourceText) -> JsonDocument:
    try:
        return read_json(source)
    except JsonError as error:
        found = faults_in(source, error)
        diagnostics = tuple(
            diagnose(each.slug, each.message, span=each.span, help=each.hint) for each in found
        )
        raise TemplateSourceError(diagnostics, source.name, source) from None


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
