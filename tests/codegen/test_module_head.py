"""What stands above the code of a module: its header, its public names, and types that its messages keep to."""

from __future__ import annotations

import types
from typing import Any, Final, Literal, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from respc.source.plain_values import digest_of
from respc_runtime.errors import ResponseError
from support.goldens import ACCEPTED, FILES, cases_in, compiled_now
from support.modules import module_of
from support.oracle import compiled
from support.templates import (
    corpus_cases,
    corpus_template,
    own_corpus_names,
    own_names,
    own_samples,
    own_template,
)

CASES = cases_in(ACCEPTED)
MODULES = [(case, file) for case in CASES for file in FILES if (case.folder / file).exists()]
TEMPLATES: Final = {
    **{name: (own_template(name), own_samples(name)) for name in own_names()},
    **{name: (corpus_template(name), corpus_cases(name)) for name in own_corpus_names()},
}

EVENTS: Final = ("RegionChunk", "RegionClose", "RegionOpen")
# Edges of words stay with `regex`, so that the outcome depends on the chunks.
NEVER_STABLE: Final = {"anchored_by_pattern", "end_anchors"}
PUBLIC: Final = {"Event", "Field", "Message", "ResponseParser", "parse_response", "prepare_tools", *EVENTS}


@pytest.mark.parametrize(("case", "file"), MODULES, ids=str)
def test_header_says_what_the_module_was_made_of(case: Any, file: str) -> None:
    first, second, third, *_ = compiled_now(case, file).source.splitlines()
    name = case.template_path.name
    assert first == f"# Compiled by respc from {name}. Do not edit: change the template and compile it again."
    assert second == f"# Template sha256: {digest_of(case.source.template)}"
    assert third.startswith("# ABI of respc_runtime: ") is (file != "standalone.py")


@pytest.mark.parametrize(("case", "file"), MODULES, ids=str)
def test_public_names_are_listed_in_order_and_are_there(case: Any, file: str) -> None:
    source = compiled_now(case, file).source
    assert len(source.split("\nEvent: TypeAlias = ")) == 2
    module = module_of(source, f"head_of_{case}_{file[:-3]}")
    also = {
        "expected.py": set() if str(case) in NEVER_STABLE else {"ServingParser"},
        "serving.py": {"RegionMalformed", "TextOutside"},
        "standalone.py": set() if str(case) in NEVER_STABLE else {"ServingParser"},
    }
    assert module.__all__ == sorted(PUBLIC | also[file])
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize("name", TEMPLATES)
def test_types_name_the_fields_and_the_keys_of_a_message(name: str) -> None:
    template, _ = TEMPLATES[name]
    module = compiled(template)
    fields, defaults = template["fields"], template.get("defaults", {})
    assert get_args(module.Field) == tuple(fields)
    assert get_args(get_type_hints(module.RegionOpen, vars(module))["field"]) == tuple(fields)
    message = module.Message
    # No TypedDict has a key without a name; and where one is no identifier, no key is said to be always there.
    named = {key for key in {**defaults, **fields} if key}
    assert message.__required_keys__ | message.__optional_keys__ == named
    assert message.__required_keys__ <= {*defaults}
    if all(key.isidentifier() and not key.startswith("__") for key in named) and "class" not in named:
        assert message.__required_keys__ == {*defaults}


@pytest.mark.parametrize("name", TEMPLATES)
def test_messages_are_of_their_type(name: str) -> None:
    template, generations = TEMPLATES[name]
    module = compiled(template)
    hints = get_type_hints(module.Message, vars(module))
    seen = 0
    for made in generations:
        try:
            message = module.parse_response(made["text"], prefix=made["prefix"], tools=made["tools"])
        except ResponseError:
            continue
        seen += 1
        for key, value in message.items():
            if key:
                assert is_of(value, hints[key]), (made["id"], key, value, hints[key])
        assert module.Message.__required_keys__ <= message.keys()
    assert seen


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("text", str),
        ("int", int),
        ("float", float),
        ("bool", bool),
        ("json", Any),
        ("kv-lines", dict[str, Any]),
        ("xml-inline", dict[str, Any]),
        ("python-call-list", list[dict[str, Any]]),
    ],
)
def test_type_of_a_content_parser(content: str, hint: Any) -> None:
    arguments = {"tag_pattern": "(?P<key>a)=(?P<value>b)"} if content == "xml-inline" else {}
    field = {"open": "<", "close": ">", "content": content, "content_args": arguments}
    template = {"start_anchor": "@", "fields": {"one": field, "all": {**field, "open": "[", "repeats": True}}}
    module = compiled(template)
    hints = get_type_hints(module.Message, vars(module))
    assert hints == {"one": hint, "all": list[hint]}


def is_of(value: Any, hint: Any) -> bool:
    """Tell whether a value is of a type, as strictly as a type checker would."""
    if hint is Any:
        return True
    if is_typeddict(hint):
        hints = get_type_hints(hint)
        return (
            type(value) is dict
            and hint.__required_keys__ <= value.keys()
            and all(is_of(item, hints[key]) for key, item in value.items())
        )
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(is_of(value, each) for each in arguments)
    if origin is Literal:
        return value in arguments
    if origin is list:
        return type(value) is list and all(is_of(item, arguments[0]) for item in value)
    if origin is dict:
        return type(value) is dict and all(is_of(item, arguments[1]) for item in value.values())
    return value is None if hint in (None, type(None)) else type(value) is hint


class Pair(TypedDict, total=False):
    """An example of a message."""

    one: int
    all: list[str | None]


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        (1, int, True),
        (True, int, False),
        (1, float, False),
        ("a", str | None, True),
        (None, str | None, True),
        (1, str | None, False),
        ({"one": 1, "all": ["a", None]}, Pair, True),
        ({"one": 1, "all": [1]}, Pair, False),
        ({"a": 1}, dict[str, Any], True),
        ([{"a": 1}], list[dict[str, int]], True),
        ([{"a": "b"}], list[dict[str, int]], False),
        ("a", Literal["b"], False),
    ],
)
def test_is_of(value: Any, hint: Any, expected: bool) -> None:
    assert is_of(value, hint) is expected
