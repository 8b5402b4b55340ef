"""Parses a data set of the Hugging Face Hub in several processes: python with_datasets.py rows.jsonl messages.jsonl"""

from __future__ import annotations

import json
import sys
from typing import Any

from datasets import load_dataset

from respc_parsers.qwen3 import parse_response


def parse(batch: dict[str, list[Any]]) -> dict[str, list[str]]:
    """Parse the texts of one batch; messages are JSON, because rows of a table have one type."""
    messages = parse_response(batch["text"], prefix=batch["prefix"])
    return {"message": [json.dumps(message) for message in messages]}


def main(rows: str, out: str) -> None:
    """Read rows with the keys `text` and `prefix`, and write them with their messages, in order."""
    data = load_dataset("json", data_files=rows, split="train")
    data.map(parse, batched=True, batch_size=1_000, num_proc=2).to_json(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
