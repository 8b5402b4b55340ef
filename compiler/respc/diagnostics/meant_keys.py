"""Keys that the language does not know where they stand: it may know them elsewhere, or by another name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.diagnostics.fixes import AddMember, Fix, Remove, RenameKey
from respc.diagnostics.misspelt import closest, is_certain
from respc.diagnostics.wording import listed, member

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LONGEST_SHOWN: Final = 60
_PATTERN_WORDS: Final = ("regex", "regexp", "re", "match")
_OTHER_NAMES: Final = {
    "start": "open",
    "begin": "open",
    "opener": "open",
    "prefix": "open",
    "end": "close",
    "stop": "close",
    "closer": "close",
    "suffix": "close",
    "until": "close",
    "parser": "content",
    "content_parser": "content",
    "args": "content_args",
    "repeat": "repeats",
    "multiple": "repeats",
    "iterator": "repeats",
    "separator": "join",
}
"""What other formats call a key."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Keys that are known at another level.

    Attributes:
        keys: those.
        where: where they belong, as a sentence goes on after "it belongs".
        holder: the key of the object that they belong into, where that stands beside them.
    """

    keys: Collection[str]
    where: str
    holder: str | None = None


@dataclass(frozen=True, slots=True)
class Meant:
    """What an unknown key was perhaps meant for: its help, and the fix where that is certain."""

    help: str
    fix: Fix | None = None


def meant_by(
    key: str,
    known: Collection[str],
    members: Mapping[str, Any],
    pointer: str,
    *,
    elsewhere: Collection[Elsewhere] = (),
    owner: str = "a field has the keys",
    changes: str = "`{}` counts",
    is_safe: bool = True,
) -> Meant:
    """Say what an unknown key was perhaps meant for.

    Args:
        key: as it is written.
        known: the keys that the object may have.
        members: the object.
        pointer: where the member is.
        elsewhere: what is known at other levels.
        owner: how the list of the known keys begins.
        changes: what is different once the key counts, with a place for it.
        is_safe: whether there is no message that changes, because the template is refused as it is.
    """
    for level in elsewhere:
        if key in level.keys:
            move = _move(key, members, pointer, level, changes.format(key), is_safe=is_safe)
            return Meant(f"it belongs {level.where}{_moved(key, members[key], level.holder)}", move)
    meant = known_name(key, known)
    if meant is None:
        return Meant(f"{owner} {listed(known)}")
    fix = _rename(key, meant, members, pointer, changes.format(meant), is_safe=is_safe)
    return Meant(f"did you mean `{meant}`?", fix)


def known_name(key: str, known: Collection[str]) -> str | None:
    """Give the known key that another one was perhaps meant for: by what else it is called, or misspelt."""
    for renamed in (_written_as_pattern(key), _OTHER_NAMES.get(key)):
        if renamed in known:
            return renamed
    return closest(key, known)


def _written_as_pattern(key: str) -> str | None:
    """Write the key of a pattern, such as `open_regex`, as templates do."""
    stem, _, last = key.rpartition("_")
    return f"{_OTHER_NAMES.get(stem, stem)}_pattern" if last in _PATTERN_WORDS else None


def _rename(
    key: str, meant: str, members: Mapping[str, Any], pointer: str, changes: str, *, is_safe: bool
) -> Fix | None:
    """Give a key another name, unless it is not certain which, or that one, or the other way to write it, is there."""
    rival = meant.removesuffix("_pattern") if meant.endswith("_pattern") else f"{meant}_pattern"
    is_renamed = _written_as_pattern(key) == meant
    if meant in members or rival in members or not (is_renamed or is_certain(key, meant)):
        return None
    return Fix(changes, (RenameKey(pointer, meant),), is_safe)


def _moved(key: str, value: object, holder: str | None) -> str:
    if holder is None:
        return ""
    written = member(key, value)
    return f": {json.dumps(holder)}: {{{written if len(written) <= _LONGEST_SHOWN else f'{json.dumps(key)}: …'}}}"


def _move(
    key: str, members: Mapping[str, Any], pointer: str, level: Elsewhere, changes: str, *, is_safe: bool
) -> Fix | None:
    """Move a member into the object beside it where it belongs."""
    if level.holder is None:
        return None
    around, place = pointer.rpartition("/")[0], Remove(pointer)
    beside = members.get(level.holder)
    if level.holder not in members:
        return Fix(changes, (place, AddMember(around, level.holder, {key: members[key]})), is_safe)
    if isinstance(beside, dict) and key not in beside:
        return Fix(changes, (place, AddMember(f"{around}/{level.holder}", key, members[key])), is_safe)
    return None
