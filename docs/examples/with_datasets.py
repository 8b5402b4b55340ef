"""Parses JSON lines with the library datasets: python with_datasets.py rows.jsonl messages.jsonl"""

from __future__ import annotations

import json
import sys
from typing import Any

from datasets import load_dataset

from respc_parsers.qwen3 import parse_response


def parse(batch: dict[str, list[Any]]) -> dict[str, list[str]]:
    """Parse the texts of one batch; messages are JSON, because rows of a table have one type."""
    texts, prefixes = batch["text"], batch["prefix"]
    try:
        messages = parse_response(texts, prefix=prefixes)
    except Exception:  # one of the texts cannot be parsed: the others are not to fail with it
        outcomes = [parse_one(text, prefix) for text, prefix in zip(texts, prefixes, strict=True)]
    else:
        outcomes = [(json.dumps(message), "") for message in messages]
    return {"message": [message for message, _ in outcomes], "error": [error for _, error in outcomes]}


def parse_one(text: str, prefix: str) -> tuple[str, str]:
    """Give the message of one text, and what went wrong."""
    try:
        return json.dumps(parse_response(text, prefix=prefix)), ""
    except Exception as error:
        return "null", f"{type(error).__name__}: {error}"


def main(rows: str, out: str) -> None:
    """Read rows with the keys `text` and `prefix`, and write them with their messages, in order."""
    data = load_dataset("json", data_files=rows, split="train")
    data.map(parse, batched=True, batch_size=1_000, num_proc=2).to_json(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
