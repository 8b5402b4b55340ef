"""What a module will say: every choice made, every expression written. The code templates only print it.

Attributes that end in ``code`` or ``name``, and the values of `Lines`, are Python source.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HeaderPlan:
    """The comment at the top, and what the module was compiled from."""

    title: str
    digest: str
    abi: int


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """A key of the message type."""

    name: str
    key_code: str
    type_code: str


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """The message type.

    Attributes:
        as_class: whether every key can be an annotation in a class body.
        defaults: the keys that are always there.
        fields: the others.
        omits_empty_key: whether there is a field without a name, which no TypedDict can have.
    """

    as_class: bool
    defaults: tuple[KeyPlan, ...]
    fields: tuple[KeyPlan, ...]
    omits_empty_key: bool = False


@dataclass(frozen=True, slots=True)
class ConstantPlan:
    """A constant of the module."""

    name: str
    code: str
    type_code: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionPlan:
    """A function of the module that reads a body, printed by a code template of its own."""

    name: str
    template: str
    result_code: str
    values: dict[str, object]


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """How one delimiter is looked for.

    Attributes:
        kind: ``literal``, ``literals``, ``pattern`` or ``declared`` (literals that are searched as a pattern): which
            part of the code template prints it.
        comment: what it is, in words.
        action_code: what it does.
        search_code: the literal, or the name of the compiled alternation or pattern.
        length: the literal's length.
        waits: whether a match at the edge of the known text waits.
        prefixes_name: the constant of what a literal can begin with.
        longest: the length of the longest of those.
        first_code: the only character at which a pattern can begin, if there is one.
    """

    kind: str
    comment: str
    action_code: str
    search_code: str
    length: int = 0
    waits: bool = False
    prefixes_name: str = ""
    longest: int = 0
    first_code: str | None = None


@dataclass(frozen=True, slots=True)
class FinderPlan:
    """The function that looks for what ends a state.

    Attributes:
        kind: ``nothing``, ``one_literal``, ``one_pattern``, ``one_search`` or ``each``.
        waiting_code: the literals of ``one_search`` that wait at the edge, as a set, None when there are none.
        actions_name: the constant that maps the literals of ``one_search`` to what they do.
    """

    name: str
    kind: str
    watches: tuple[WatchPlan, ...]
    waiting_code: str | None = None
    actions_name: str = ""


@dataclass(frozen=True, slots=True)
class CloserPlan:
    """The method that gives a region its value.

    Attributes:
        content_code: what reads the body; None when its value is not needed and cannot fail.
        content_used: whether the transform uses the value.
        value_code: the value, in terms of ``content`` where there is a transform.
        value_type_code: its type.
        can_fail: whether an error has to be given its place.
        casts: whether the value may hold tool calls.
        store: ``set``, ``append`` or ``join``.
        join_code: what joined values have between them.
        checks_string: whether a joined value may be something else than a string.
        takes_inline: whether the value's expression takes the body itself.
        body_used: whether anything uses the body.
    """

    name: str
    key_code: str
    state_name: str
    content_code: str | None
    content_used: bool
    value_code: str
    value_type_code: str
    has_transform: bool
    can_fail: bool
    casts: bool
    store: str
    join_code: str = ""
    checks_string: bool = False
    takes_inline: bool = False
    body_used: bool = True


@dataclass(frozen=True, slots=True)
class StatePlan:
    """A state of the parser: its constant, its finder, what closes its region."""

    name: str
    number: int
    key_code: str | None
    dirty: bool
    finder_name: str
    closer_name: str
    direct: bool


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """A whole module.

    Attributes:
        left_context: 0 when consumed text may be forgotten, a number of characters, or None to keep all of it.
        direct_tests: all conditions under which a chunk goes straight out; None where none does.
        direct_states_test: whether the state is one in which that is allowed; None where each with a region is.
        kept_code: the condition under which a key of the message stays though its value is empty.
        anchor_code: an expression for the part of ``prefix`` after its anchor.
        implicit_name: the state of the implicit field, None where text outside the regions is dropped.
    """

    header: HeaderPlan
    message: MessagePlan
    field_codes: tuple[str, ...]
    constants: tuple[ConstantPlan, ...]
    functions: tuple[FunctionPlan, ...]
    states: tuple[StatePlan, ...]
    finders: tuple[FinderPlan, ...]
    closers: tuple[CloserPlan, ...]
    anchor_code: str
    defaults_code: str
    kept_code: str | None
    required_code: str | None
    implicit_name: str | None
    implicit_key_code: str | None
    implicit_may_close_empty: bool
    left_context: int | None
    direct_tests: tuple[str, ...] | None
    direct_states_test: str | None
    captures: bool
    closer_captures: bool
    casts: bool
    may_not_advance: bool
