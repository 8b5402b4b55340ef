"""Parsing many texts: rows read from a file and written to another, in order, by several processes."""

from respc.corpora.errors import CorpusError
from respc.corpora.json_texts import json_text
from respc.corpora.parsers import ParserCode, ParserNotFoundError, find_parser
from respc.corpora.progress import shown_progress
from respc.corpora.reading import RowReader, open_rows
from respc.corpora.resuming import ResumePoint, cut_off, resume_point
from respc.corpora.rows import CorpusJob, RowKeys, require_anchor
from respc.corpora.running import CorpusRun
from respc.corpora.writing import OutputForm, RowWriter, open_output, output_form, require_output_form

__all__ = [
    "CorpusError",
    "CorpusJob",
    "CorpusRun",
    "OutputForm",
    "ParserCode",
    "ParserNotFoundError",
    "ResumePoint",
    "RowKeys",
    "RowReader",
    "RowWriter",
    "cut_off",
    "find_parser",
    "json_text",
    "open_output",
    "open_rows",
    "output_form",
    "require_anchor",
    "require_output_form",
    "resume_point",
    "shown_progress",
]
