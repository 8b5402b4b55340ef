"""Writes the vocabulary that openai-harmony needs, from a package that brings it: ``npm pack tiktoken``, unpacked.

python -m benchmarks.vocabulary package/encoders/o200k_base.json FOLDER
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Of the published file, which openai-harmony compares as well."""
FILE = "o200k_base.tiktoken"


def rank_lines(packed: str) -> str:
    """Unpack the ranks of an encoder: each line has an offset and then tokens of that rank and the following."""
    lines = []
    for line in packed.splitlines():
        _, offset, *tokens = line.split(" ")
        lines += [(int(offset) + number, token) for number, token in enumerate(tokens)]
    return "".join(f"{token} {rank}\n" for rank, token in sorted(lines))


def main() -> None:
    """Write the file into a folder."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    packed = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["bpe_ranks"]
    content = rank_lines(packed).encode("ascii")
    if hashlib.sha256(content).hexdigest() != _SHA256:
        sys.exit(f"{sys.argv[1]} does not give the published {FILE}")
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_bytes(content)


if __name__ == "__main__":
    main()
