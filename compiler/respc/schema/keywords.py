"""What the schema is put together from."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def reference(definition: str, description: str | None = None) -> Schema:
    """Refer to a definition, with a description of what it is in this place."""
    target: Schema = {"$ref": f"#/$defs/{definition}"}
    return target if description is None else {"description": description, **target}


def advised(advice: Schema, description: str, *, otherwise: str = "", **annotations: Any) -> Schema:
    """Tell an editor what belongs here, and accept anything: the interpreter looks at the value late or never.

    Args:
        advice: what belongs here.
        description: what it is.
        otherwise: what comes of anything else, at which an editor then warns; empty where nothing does.
        annotations: more of what is said of it.
    """
    return {
        "description": description,
        **annotations,
        "anyOf": [advice, warned(otherwise) if otherwise else True],
    }


def warned(otherwise: str) -> Schema:
    """Accept anything, with a warning: `deprecationMessage` is of VS Code, and validators pass over it."""
    return {"deprecated": True, "deprecationMessage": otherwise}


def flag(description: str, default: bool) -> Schema:
    """Describe what is read by its truth: true or false is meant, and anything is taken."""
    return advised(
        {"type": "boolean"},
        description,
        otherwise="It is read by its truth: write true or false.",
        default=default,
    )


def with_key(key: str, condition: Schema) -> Schema:
    """Demand a key whose value meets a condition."""
    return {"required": [key], "properties": {key: condition}}
