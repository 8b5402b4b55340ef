"""What the schema is put together from."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def reference(definition: str, description: str | None = None) -> Schema:
    """Refer to a definition, with a description of what it is in this place."""
    target: Schema = {"$ref": f"#/$defs/{definition}"}
    return target if description is None else {"description": description, **target}


def advised(advice: Schema, description: str, **annotations: Any) -> Schema:
    """Tell an editor what belongs here, and accept anything: the interpreter looks at the value late or never."""
    return {"description": description, **annotations, "anyOf": [advice, True]}


def flag(description: str, default: bool) -> Schema:
    """Describe what is read by its truth: true or false is meant, and anything is taken."""
    return advised({"type": "boolean"}, description, default=default)


def with_key(key: str, condition: Schema) -> Schema:
    """Demand a key whose value meets a condition."""
    return {"required": [key], "properties": {key: condition}}
