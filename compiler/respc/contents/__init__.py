"""The content parsers: one file each, with its arguments, its result type, and how it is written into a module.

To add one: a function in the runtime that does the work, a file here, a line in the table below, and a golden test.
"""

from collections.abc import Mapping
from types import MappingProxyType

from respc.contents.bool import BoolContent
from respc.contents.float import FloatContent
from respc.contents.int import IntContent
from respc.contents.json import JsonContent
from respc.contents.kv_lines import KvLinesContent
from respc.contents.model import ContentParser, Expression, Writer
from respc.contents.python_call_list import PythonCallListContent
from respc.contents.text import TextContent
from respc.contents.xml_inline import XmlInlineContent

CONTENT_PARSERS: Mapping[str, ContentParser] = MappingProxyType(
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

__all__ = ["CONTENT_PARSERS", "ContentParser", "Expression", "Writer"]
