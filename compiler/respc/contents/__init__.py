"""The content parsers: one file each, with all that is known of it; everyone else asks it.

To add one: a function in the runtime that does the work, a file here, a line in the table below, and a golden test.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from respc.contents.bool import BoolContent
from respc.contents.float import FloatContent
from respc.contents.int import IntContent
from respc.contents.json import JsonContent
from respc.contents.kv_lines import KvLinesContent
from respc.contents.model import ContentParser, Expression, Writer
from respc.contents.python_call_list import PythonCallListContent
from respc.contents.text import TextContent
from respc.contents.xml_inline import XmlInlineContent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from respc.ir import Content

CONTENT_PARSERS: Mapping[str, ContentParser[Any]] = MappingProxyType(
    {
        parser.name: parser
        for parser in (
            BoolContent(),
            FloatContent(),
            IntContent(),
            JsonContent(),
            KvLinesContent(),
            PythonCallListContent(),
            TextContent(),
            XmlInlineContent(),
        )
    }
)
"""Every content parser by its name in templates."""


def parser_of(content: Content) -> ContentParser[Any]:
    """Give the content parser that reads a body."""
    return CONTENT_PARSERS[content.parser]


__all__ = ["CONTENT_PARSERS", "ContentParser", "Expression", "Writer", "parser_of"]
