"""What a whole schema allows: kinds of values, all references followed. Building and trying both ask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from respc.grammars.apart import are_apart
from respc.grammars.errors import GrammarError
from respc.grammars.merging import Member, merged
from respc.grammars.schema_reading import (
    UNSUPPORTED,
    Declared,
    asks_of,
    declared_of,
    in_pointer,
    is_one_of,
    kinds_of,
    not_one,
    only_kind_of,
    properties_of,
    refuse_beside,
    required_names,
    values_of,
)
from respc.grammars.spelling import KINDS
from respc.grammars.writing import kind_of
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEEPEST: Final = 32
"""So many references and `allOf` may be read one within another."""


class Alternative(NamedTuple):
    """One kind of value that a schema allows.

    Attributes:
        kind: as schemas name it.
        schema: what is asked of values of this kind.
        path: where that is, as a JSON pointer.
        constant: the only value, in a list; empty where there are more.
    """

    kind: str
    schema: dict[str, Any]
    path: str
    constant: tuple[Any, ...] = ()


class Target(NamedTuple):
    """What a reference leads to, which is no reference.

    Attributes:
        pointer: the last reference on the way there.
        schema: what is there.
        path: where that is, as a JSON pointer.
    """

    pointer: str
    schema: Any
    path: str


class WholeSchema:
    """A whole schema, which references point into.

    Args:
        root: the schema; it is not changed as long as this is used.
        path: where it is, as a JSON pointer.
    """

    def __init__(self, root: Any, path: str) -> None:
        self._root = root
        self._path = path
        # By the schema and its place.
        self._alternatives: dict[tuple[int, str], list[Alternative]] = {}
        self._declared: dict[tuple[int, str], Declared] = {}
        self._targets: dict[str, Target] = {}
        self._followed: set[str] = set()
        """What the references point at that are being followed, and where the `allOf` are that are being read."""
        self._kept: list[Any] = []
        """Schemas that are not in the whole one: while they are there, no other has their place."""

    @cached_property
    def arguments(self) -> Alternative:
        """The schema of all arguments, references followed.

        Raises:
            GrammarError: arguments are not always an object.
        """
        found = self.alternatives(self._root, self._path)
        if len(found) != 1 or found[0].kind != "object":
            raise GrammarError("grammar-schema", "arguments have to be an object", self._path)
        # Arguments that are not declared are none that a tool takes.
        schema = found[0].schema
        if schema.get("properties"):
            return found[0]
        return found[0]._replace(schema={"additionalProperties": False, **schema, "properties": {}})

    def alternatives(self, schema: Any, path: str) -> list[Alternative]:
        """List the kinds of values that a schema allows.

        Raises:
            GrammarError: it allows none, or says what no grammar can hold a model to.
        """
        place = (id(schema), path)
        found = self._alternatives.get(place)
        if found is None:
            found = self._alternatives[place] = self._read(schema, path)
        return found

    def declared(self, schema: dict[str, Any], path: str) -> Declared:
        """List what an object declares."""
        place = (id(schema), path)
        found = self._declared.get(place)
        if found is None:
            found = self._declared[place] = declared_of(schema, path)
        return found

    def target(self, pointer: str, path: str) -> Target:
        """Follow a reference, and those that it leads to.

        Args:
            pointer: the reference.
            path: where it is.

        Raises:
            GrammarError: it leads nowhere, or back to itself.
        """
        passed: dict[str, None] = {}
        at, place = pointer, path
        while at not in self._targets:
            if at in passed:
                raise _leading_back(pointer, path)
            passed[at] = None
            schema, place = self._pointed(at, place)
            if is_object(schema) and isinstance(further := schema.get("$ref"), str):
                refuse_beside(schema, "$ref", place)
                if "type" in schema:
                    raise not_one("`type` beside `$ref`", place)
                at = further
            else:
                self._targets[at] = Target(at, schema, place)
        found = self._targets[at]
        self._targets.update(dict.fromkeys(passed, found))
        return found

    def _read(self, schema: Any, path: str) -> list[Alternative]:
        if schema is True or schema == {}:
            return [Alternative(kind, {}, path) for kind in KINDS if kind != "integer"]
        if not is_object(schema):
            raise GrammarError("grammar-schema", "no value fits this schema", path)
        if (kind := only_kind_of(schema)) is not None:
            return [Alternative(kind, schema, path)]
        if isinstance(pointer := schema.get("$ref"), str):
            refuse_beside(schema, "$ref", path)
            found = self._followed_to(self.target(pointer, path), path)
            hold_to_type(schema, found, "$ref", path)
            return found
        if places := choices_of(schema, path):
            found = self._of_choices(schema, path, [self.alternatives(*place) for place in places])
        elif schema.get("allOf") is not None:
            found = [self._merged(schema, path)]
        else:
            found = _leaves(schema, path)
        if schema.get("nullable") is True and all(each.kind != "null" for each in found):
            found.append(Alternative("null", {}, path))
        return found

    def _of_choices(
        self, schema: dict[str, Any], path: str, branches: list[list[Alternative]]
    ) -> list[Alternative]:
        """List the kinds of values of a choice, of which each branch has some."""
        if "oneOf" in schema and not are_apart(branches, self._constants):
            reason = "`oneOf` of schemas that one value can fit together cannot be held to: use `anyOf`"
            raise GrammarError("grammar-schema", reason, f"{path}/oneOf")
        # What several references lead to is there once: each list would be twice as long as those in it.
        found = [*{id(each): each for branch in branches for each in branch}.values()]
        hold_to_type(schema, found, "a choice", path)
        return found

    def _constants(self, each: Alternative) -> dict[str, list[Any]]:
        """List the values of the properties of an object that have to be there and are constant."""
        declared = self.declared(each.schema, each.path)
        listed = {key: self._listed(*declared.properties[key]) for key in declared.required}
        return {key: values for key, values in listed.items() if values is not None}

    def _listed(self, schema: Any, path: str) -> list[Any] | None:
        """Give the values that a schema lists, or one that it refers to; None where it lists none."""
        while is_object(schema):
            if (key := next((key for key in ("const", "enum") if key in schema), None)) is not None:
                return values_of(schema, key, path)
            if isinstance(pointer := schema.get("$ref"), str):
                _, schema, path = self.target(pointer, path)
            elif is_list(listed := schema.get("allOf")) and len(listed) == 1:
                schema, path = listed[0], f"{path}/allOf/0"
            else:
                return None
        return None

    def _merged(self, schema: dict[str, Any], path: str) -> Alternative:
        """Give the objects that all schemas of `allOf` allow, and what is asked for beside that."""
        place = f"{path}/allOf"
        if place in self._followed or len(self._followed) > _DEEPEST:
            raise GrammarError("grammar-schema", "`allOf` is in itself, or too deep in others", place)
        self._followed.add(place)
        places = [(each, f"{place}/{number}") for number, each in enumerate(schema["allOf"])]
        beside = {key: value for key, value in schema.items() if key not in ("allOf", "nullable")}
        self._kept.append(beside)
        asking = [each for each in (*places, (beside, path)) if asks_for_something(each[0])]
        members = [self._member(*each) for each in asking]
        self._followed.remove(place)
        made = merged(members, path)
        self._declared[id(made.schema), path] = made.declared
        return Alternative("object", made.schema, path)

    def _member(self, schema: Any, path: str) -> Member:
        found = self.alternatives(schema, path)
        if len(found) != 1 or found[0].kind != "object" or found[0].constant:
            raise not_one("`allOf` of schemas that are not all plain objects", path)
        each = found[0]
        declared = self._declared.get((id(each.schema), each.path))
        if declared is None:
            declared = Declared(properties_of(each.schema, each.path), required_names(each.schema, each.path))
        return Member(each.schema, each.path, declared.properties, declared.required)

    def _followed_to(self, target: Target, path: str) -> list[Alternative]:
        if target.pointer in self._followed:
            raise _leading_back(target.pointer, path)
        self._followed.add(target.pointer)
        found = self.alternatives(target.schema, target.path)
        self._followed.remove(target.pointer)
        return found

    def _pointed(self, pointer: str, path: str) -> tuple[Any, str]:
        """Give what a reference points at, and where that is."""
        target: Any = self._root
        for written in pointer.removeprefix("#").split("/")[1:] if pointer.startswith("#") else ("",):
            key = written.replace("~1", "/").replace("~0", "~")
            if not is_object(target) or key not in target:
                raise GrammarError("grammar-schema", f"the reference {pointer} leads nowhere", f"{path}/$ref")
            target = target[key]
        return target, self._path + pointer[1:]


def choices_of(schema: dict[str, Any], path: str) -> list[tuple[Any, str]]:
    """List the schemas of which one has to fit, and where they are; empty where there is no choice."""
    for key in ("anyOf", "oneOf", "allOf"):
        listed: Any = schema.get(key)
        if listed is None:
            continue
        if not is_list(listed) or not listed:
            raise GrammarError("grammar-schema", f"`{key}` has to be a list of schemas", f"{path}/{key}")
        if key == "allOf" and (len(listed) > 1 or asks_of(schema) - {"allOf"}):
            return []  # they are objects, of which one is made
        refuse_beside(schema, key, path)
        return [(each, f"{path}/{key}/{number}") for number, each in enumerate(listed)]
    return []


def hold_to_type(schema: dict[str, Any], found: Iterable[Alternative], beside: str, path: str) -> None:
    """Make sure that the type of a schema says no more than what stands beside it.

    Raises:
        GrammarError: it does.
    """
    if "type" in schema:
        kinds = kinds_of(schema, path)
        if not all(is_one_of(each.kind, kinds) for each in found):
            raise not_one(f"a `type` beside {beside} of other types", path)


def asks_for_something(schema: Any) -> bool:
    """Tell whether not all values fit a schema."""
    if is_object(schema):
        return "type" in schema or bool(asks_of(schema))
    return schema is not True


def _leading_back(pointer: str, path: str) -> GrammarError:
    return GrammarError("grammar-schema", f"the reference {pointer} leads back to itself", path)


def _leaves(schema: dict[str, Any], path: str) -> list[Alternative]:
    """List the kinds of a schema that is no choice of others."""
    if schema.get("$ref") is not None:
        raise GrammarError("grammar-schema", "`$ref` has to be a text", f"{path}/$ref")
    kinds = kinds_of(schema, path)
    for key in schema:
        if key in UNSUPPORTED and schema[key] not in (False, None):
            reason = f"`{key}` cannot be held to by a grammar: leave it out, and check the arguments"
            raise GrammarError("grammar-schema", reason, f"{path}/{in_pointer(key)}")
    for key in ("enum", "const"):
        if key in schema:
            fitting = [
                Alternative(kind, {}, path, (each,))
                for each in values_of(schema, key, path)
                if is_one_of(kind := kind_of(each), kinds)
            ]
            if not fitting:
                raise GrammarError("grammar-schema", "no value fits this schema", f"{path}/{key}")
            return fitting
    return [Alternative(kind, schema, path) for kind in kinds]
