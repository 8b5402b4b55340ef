"""A deterministic generation: prose with some mathematics and code, in chunks of a token's size."""

from __future__ import annotations

import random
import re

_SENTENCE = """
the model reads a prompt and writes an answer one piece at a time while the server looks for marks in what it wrote
so that each part of the message ends up where it belongs and nothing is lost or shown twice to anyone who waits
"""
_WORDS = _SENTENCE.split()
_ASIDES = (
    "if a < b:\n    return a\n",
    "x <= 3",
    "f(x) = x^2 - 1",
    "<b>bold</b>",
    "- a point\n",
    "List<int> items;",
)
_ASIDE_RATE = 0.04


def prose(tokens: int, seed: int = 1) -> list[str]:
    """Write about so many token-sized chunks of text, with blanks in front as tokenizers have them."""
    choose = random.Random(seed)
    chunks: list[str] = []
    while len(chunks) < tokens:
        if choose.random() < _ASIDE_RATE:
            chunks += re.findall(r"\s?\S{1,5}|\s+", " " + choose.choice(_ASIDES))
        else:
            word = " " + choose.choice(_WORDS)
            chunks += [word] if len(word) < 7 or choose.random() < 0.7 else [word[:4], word[4:]]
            if choose.random() < 0.08:
                chunks.append(choose.choice([".", ",", ".\n", ".\n\n"]))
    return chunks[:tokens]


def in_tokens(text: str) -> list[str]:
    """Cut a text as a tokenizer would: short words with the blank before them; marks such as ``<think>`` whole."""
    return re.findall(r"<[^<>\s]{1,30}>|\s?[^\s<]{1,6}|\s+|<", text)
