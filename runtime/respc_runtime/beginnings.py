r"""What has begun: a notation of its own in the expressions of a module.

``(?~abc)`` is what has begun to be ``abc`` and is not all of it: ``a`` or ``ab``. Of several texts it is written once:
``(?~abc|ax)``. What follows the characters of a text, from the first group or repeated character on, stands behind all
of them and says itself what it is: ``(?~ab(?:c|d))`` is ``a``, ``abc`` or ``abd``.
"""

from __future__ import annotations

from typing import Final

from respc_runtime.late_expressions import LateExpression

BEGUN: Final = "(?~"
"""What `re` and `regex` refuse; escaped, or in a class of characters, it is something else."""

ONE_CHARACTER: Final = r"\\(?:x..|u.{4}|U.{8}|[^ABZb])|\[\^?\]?(?:\\.|[^\\\]])*\]|[^\\()\[{|*+?^$]"
"""A character of an expression, or a class of them."""

_CLASSES: Final = frozenset({r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"})

_LONG_CHAIN = 3
"""A text that is longer is halved where its beginnings are written out: so `re` compares half of it at once."""


_TOKEN: Final = LateExpression(rf"(?P<character>{ONE_CHARACTER})|\(\?~|\{{[\d,]*\}}|\\?.")


def either(*expressions: str) -> str:
    """Join expressions, less the empty ones, which stand for nothing."""
    return "|".join(expression for expression in expressions if expression)


def is_character(expression: str) -> bool:
    """Tell whether an expression is a character, or a class of them."""
    token = _TOKEN.made.fullmatch(expression)
    return token is not None and token.lastgroup == "character"


def expression_tokens(expression: str) -> list[str]:
    """Take an expression apart: each character or class, and what opens, ends or repeats something."""
    return [token[0] for token in _TOKEN.made.finditer(expression)]


def first_characters(expression: str) -> list[str | None]:
    """Give the character that each alternative of an expression begins with, as it is written; None where that is not
    one alone."""
    return _first_of_alternatives(expression_tokens(expression)[::-1])


def first_character(expression: str) -> str:
    """Give the character that all begins with that an expression matches; empty where that is not one alone."""
    first, *others = set(first_characters(expression))
    if others or first is None:
        return ""
    return first if len(first) == 1 else first[1] if len(first) == 2 and not first[1].isalnum() else ""


def _first_of_alternatives(tokens: list[str]) -> list[str | None]:
    """Take tokens from the end of a list, up to the end of a group, and give what each alternative begins with."""
    found = [_first_of_one(tokens)]
    while tokens:
        token = tokens.pop()
        if token in {"(", BEGUN}:
            _first_of_alternatives(tokens)
        elif token == "|":
            found.append(_first_of_one(tokens))
        elif token == ")":
            break
    return found


def _first_of_one(tokens: list[str]) -> str | None:
    """Take the first character or group of an alternative, if it has one that `re` looks for."""
    if tokens[-3:] == [":", "?", "("] or tokens[-1:] == [BEGUN]:
        del tokens[-1 if tokens[-1] == BEGUN else -3 :]
        inner = set(_first_of_alternatives(tokens))
        first = inner.pop() if len(inner) == 1 else None
    elif tokens and is_character(tokens[-1]) and tokens[-1][0] not in ".[" and tokens[-1] not in _CLASSES:
        first = tokens.pop()
    else:
        return None
    return None if tokens and tokens[-1][0] in "*+?{" else first


def spelled_beginnings(pattern: str) -> str:
    """Write out what has begun, so that `re` and `regex` read it."""
    return _spelled_up_to("", expression_tokens(pattern)[::-1]) if BEGUN in pattern else pattern


def _spelled_up_to(ends: str, tokens: list[str]) -> str:
    """Take tokens from the end of a list, up to one of some, and write out what has begun in them."""
    written: list[str] = []
    while tokens and tokens[-1] not in ends:
        token = tokens.pop()
        if token == BEGUN:
            token = _spelled_begun(tokens)
        elif token == "(":
            token += _spelled_up_to(")", tokens) + tokens.pop()
        written.append(token)
    return "".join(written)


def _spelled_begun(tokens: list[str]) -> str:
    """Take the texts of which something has begun, and a mark that it may be nothing, and write out what it can be."""
    root, end = _Begun(), ""
    while end != ")":
        place = root
        while is_character(tokens[-1]) and tokens[-2][0] not in "*+?{":
            place.ends = True
            character = tokens.pop()
            if tokens[-1] in "|)":
                break
            place = place.step(character)
        else:
            place.step(_spelled_up_to("|)", tokens))
        end = tokens.pop()
    root.ends = tokens[-1:] == ["?"]
    if root.ends:
        tokens.pop()
    return root.written()


class _Begun:
    """What has begun, as a tree: after each step the text may end, or take another step."""

    def __init__(self) -> None:
        self.ends = False
        self.steps: dict[str, _Begun] = {}

    def step(self, written: str) -> _Begun:
        return self.steps.setdefault(written, _Begun())

    def written(self) -> str:
        """Write how a text may go on."""
        chain: list[str] = []
        place = self
        while place.ends and len(place.steps) == 1:
            chain += place.steps
            (place,) = place.steps.values()
        if chain:
            return _or_nothing(_some_of(chain, place.written()))
        parts = [step + after.written() for step, after in self.steps.items()]
        if len(parts) < 2:
            return "".join(parts)
        return f"(?:{'|'.join(parts)})" + ("?" if self.ends else "")


def _some_of(chain: list[str], rest: str) -> str:
    """Write that of a chain of steps at least the first is taken, and after the last one a rest.

    Of a long chain each half is written by itself, or the groups would be nested as deep as it is long.
    """
    if len(chain) > _LONG_CHAIN:
        half = len(chain) // 2
        first, second = chain[:half], chain[half:]
        after = _some_of(second, rest)
        after = f"(?:{after})" if len(second) > _LONG_CHAIN else after
        return f"{''.join(first)}{after}|{_some_of(first, '')}"
    written = chain[-1] + rest
    for step in reversed(chain[:-1]):
        written = step + _or_nothing(written)
    return written


def _or_nothing(written: str) -> str:
    return f"{written}?" if is_character(written) else f"(?:{written})?"
