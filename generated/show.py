"""Shows what a compiled parser makes of a sample: the events while it is streamed, then the message.

python generated/show.py smollm_parser.py generated/smollm3_sample.txt
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path


def main(module_file: str, sample_file: str) -> None:
    """Stream a sample in chunks of a word through the parser in a module's file."""
    name = Path(module_file).stem
    specification = importlib.util.spec_from_file_location(name, module_file)
    if specification is None or specification.loader is None:
        sys.exit(f"{module_file} is no Python module")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)

    text = Path(sample_file).read_text(encoding="utf-8")
    parser = module.ResponseParser(prefix="")
    for chunk in re.findall(r"\s*\S+|\s+$", text):
        for event in parser.feed(chunk):
            print(json.dumps(event))
    message, events = parser.finalize()
    for event in events:
        print(json.dumps(event))
    print(json.dumps(message, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
