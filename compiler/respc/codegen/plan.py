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
class StepPlan:
    """One step of a matcher.

    Attributes:
        kind: ``here``, ``run``, ``behind``, ``last``, ``gap``, ``value``, ``echoed``, ``group_start``, ``group_end`` or
            ``ahead``: which part of the code template prints it.
        text_code: the text of ``here``, ``behind``, ``last`` and ``gap``.
        length: its length.
        low: how many characters a ``run`` or a ``gap`` must have.
        run_code: what matches a run.
        wake_code: when text that ran out in this step has to be looked at again.
        may_run_out: whether a run that reaches the end of the text has to wait for what follows it.
        bounded: whether a run may not be longer than some number.
        end_name: of a ``run``, the variable that keeps where it ended.
        notes_growth: whether a ``run`` or ``last`` notes what tells whether more text could make the match longer.
        variable: a part of the names of a group's variables.
        value_end_code: where a ``value`` ends, if its text was ``found``.
        back: how many characters before the place a group ends.
        key_variable: a part of the names of the variables of the group that ends an ``echoed`` value,
        marks_code: and what finds every text that could end one.
        retry_code: where the next attempt begins after a mismatch here.
        memo_number: of a step that attempts from several places would take over the same text, its number.
    """

    kind: str
    text_code: str = ""
    length: int = 0
    low: int = 0
    run_code: str = ""
    wake_code: str = "None"
    may_run_out: bool = False
    bounded: bool = False
    end_name: str = ""
    notes_growth: bool = False
    variable: str = ""
    value_end_code: str = "found"
    retry_code: str = ""
    memo_number: int | None = None
    back: int = 0
    key_variable: str = ""
    marks_code: str = ""


@dataclass(frozen=True, slots=True)
class MatcherPlan:
    """A function that matches one alternative of a pattern at a place.

    Attributes:
        head_length: how much of it stands there already.
        outcome_code: what a match is called.
        end_code: the variable that ends up at the end of the match.
        groups_code: its named groups, in terms of the variables of the steps.
        wake_code: when a match that ends with the text has to be looked at again.
    """

    name: str
    head_length: int
    steps: tuple[StepPlan, ...]
    outcome_code: str
    end_code: str
    groups_code: str
    wake_code: str


@dataclass(frozen=True, slots=True)
class SeekerPlan:
    """A function that looks for one delimiter.

    Attributes:
        comment: what the delimiter is, in words.
        code: the expression that it returns.
        action_code: what the delimiter does.
        steady: whether what it finds holds good for later places of the text.
    """

    name: str
    comment: str
    code: str
    action_code: str
    steady: bool
    matchers: tuple[MatcherPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class HoldPlan:
    """The function that tells how much of a chunk goes out, where no delimiter can be whole in it.

    Attributes:
        first_code: the one character at which a delimiter can have begun.
        whole_code: the condition under which one may be whole.
        begun_code: all that one looks like before it is whole.
        after_blanks_code: the same of those before which blanks are held back as well, and empty text.
        before_newline: whether a newline at the end is held back.
    """

    name: str
    first_code: str
    whole_code: str
    begun_code: str
    after_blanks_code: str
    before_newline: bool


@dataclass(frozen=True, slots=True)
class FinderPlan:
    """The function that looks for what ends a state.

    Attributes:
        kind: ``nothing``, ``one_literal``, ``one_search``, ``by_head`` or ``each``: which code template prints it.
        seekers: of the last two, the delimiters in the order that decides a tie.
        seekers_name: the constant that lists them.
        search_code: the literal, the name of the compiled alternation, or the function that looks for heads.
        length: of the literal.
        action_code: what the literal does, or the constant that maps literals to what they do.
        literals_name: the constant that lists the literals of ``one_search``.
        waits_code: the condition under which a match that ends with the text waits; None for never, empty for always.
        heads_name: of ``by_head``, the constant that holds what the delimiters begin with,
        heads_code: and what it is.
        hold: the short look at chunks, where there is one.
    """

    name: str
    kind: str
    seekers: tuple[SeekerPlan, ...] = ()
    seekers_name: str = ""
    search_code: str = ""
    length: int = 0
    action_code: str = ""
    literals_name: str = ""
    waits_code: str | None = None
    heads_name: str = ""
    heads_code: str = ""
    hold: HoldPlan | None = None


@dataclass(frozen=True, slots=True)
class DirectPlan:
    """The way of chunks in which no delimiter can begin.

    Attributes:
        tests: all conditions on the chunk.
        states_test: whether the open region is one with this way; None where each is.
        end_tests: conditions on the end of the chunk, which some states hold back.
        lets_out: whether there are such regions.
        drops: whether there is such a way outside the regions, where text is dropped.
    """

    tests: tuple[str, ...]
    states_test: str | None
    end_tests: tuple[str, ...]
    lets_out: bool
    drops: bool


@dataclass(frozen=True, slots=True)
class CloserPlan:
    """The method that gives a region its value and puts it into the message.

    Attributes:
        content_code: what reads the body; None when its value is not needed and cannot fail.
        content_used: whether the transform uses the value.
        value_code: the value, in terms of ``content`` where there is a transform.
        value_type_code: its type.
        can_fail: whether it can raise.
        casts: whether the value may hold tool calls.
        store: ``set``, ``append`` or ``join``.
        join_code: what joined values have between them.
        checks_string: whether a joined value may be something else than a string.
        grows: whether what values are joined to is a string.
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
    grows: bool = True


@dataclass(frozen=True, slots=True)
class StatePlan:
    """A state of the parser: its constant, its finder, what closes its region."""

    name: str
    number: int
    key_code: str | None
    dirty: bool
    finder_name: str
    hold_name: str


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """A whole module.

    Attributes:
        left_context: 0 when consumed text may be forgotten, a number of characters, or None to keep all of it.
        wakes: whether text can be held back until something stands in it.
        direct: the way of chunks in which no delimiter can begin.
        not_empty_code: the condition under which a value is not empty.
        kept_code: the condition under which a key of the message stays though its value is empty.
        anchor_code: an expression for the part of ``prefix`` after its anchor.
        implicit_name: the state of the implicit field, None where text outside the regions is dropped.
        whole_text: whether a whole text can be parsed without a stream.
        can_fail: whether there is a region that can raise.
        serving: whether events say where their delimiters stand, and a region that cannot be read is one.
        calls_code: of serving modules, what is known of calls before their regions end,
        texts_code: and how regions of plain text become text.
    """

    header: HeaderPlan
    message: MessagePlan
    field_codes: tuple[str, ...]
    constants: tuple[ConstantPlan, ...]
    matchers: tuple[MatcherPlan, ...]
    functions: tuple[FunctionPlan, ...]
    states: tuple[StatePlan, ...]
    finders: tuple[FinderPlan, ...]
    closers: tuple[CloserPlan, ...]
    anchor_code: str
    defaults_code: str
    kept_code: str | None
    not_empty_code: str
    required_code: str | None
    implicit_name: str | None
    implicit_key_code: str | None
    implicit_may_close_empty: bool
    left_context: int | None
    direct: DirectPlan | None
    captures: bool
    closer_captures: bool
    wakes: bool
    casts: bool
    may_not_advance: bool
    whole_text: bool
    can_fail: bool
    serving: bool
    calls_code: str
    texts_code: str
