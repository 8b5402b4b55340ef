"""Parses a corpus on every machine of a Ray cluster: python with_ray.py rows.jsonl messages"""

from __future__ import annotations

import json
import sys
from typing import Any

import ray

from respc_parsers.qwen3 import parse_response


def parse(batch: dict[str, Any]) -> dict[str, Any]:
    """Parse the texts of one batch; messages are JSON, because rows of a table have one type."""
    messages = parse_response(list(batch["text"]), prefix=list(batch["prefix"]))
    return batch | {"message": [json.dumps(message) for message in messages]}


def main(rows: str, out: str) -> None:
    """Read rows with the keys `text` and `prefix`, and write them with their messages."""
    ray.data.read_json(rows, lines=True).map_batches(parse, batch_size=1_000).write_json(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
