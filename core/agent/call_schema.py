"""The JSON schema that constrains a reply to one tool call, for servers with guided decoding."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sandbox_tui.core.agent.model_messages import simplest_first

Schema = Mapping[str, Any]

_DEFINITIONS = ("$defs", "definitions")
_NAMED_SCHEMAS = ("properties", "patternProperties", "dependentSchemas", *_DEFINITIONS)
"""Keywords whose values map names to schemas."""

_VALUES = ("const", "enum", "default", "examples")
"""Keywords whose values are data, not schemas."""

_DEFINED = re.compile(r"#/(?:\$defs|definitions)/")


def call_schema(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one branch per tool: an optional thought, the tool's name, its arguments.

    References resolve from the root of the whole schema, so each tool's definitions move there as
    `TOOL.NAME`. The prefix keeps them apart on servers that compare only the last part of a
    reference.

    Args:
        tools: OpenAI function objects.
    """
    definitions: dict[str, Any] = {}
    branches: list[dict[str, Any]] = []
    for tool in simplest_first(tools):
        function: Mapping[str, Any] = tool["function"]
        name: str = function["name"]
        arguments: Any = function.get("parameters") or {"type": "object", "properties": {}}
        lifted = _lifted(name, arguments)
        if lifted:
            arguments = {"$ref": f"#/$defs/{name}"}
        definitions |= lifted
        branches.append(_branch(name, arguments))
    schema: dict[str, Any] = {"anyOf": branches}
    return {**schema, "$defs": definitions} if definitions else schema


def response_format(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the schema as the `response_format` of a request.

    This is the OpenAI API's structured outputs format; llama.cpp, vLLM, SGLang, Ollama and LM
    Studio accept it too.
    """
    return {
        "type": "json_schema",
        "json_schema": {"name": "tool_call", "schema": call_schema(tools)},
    }


def _branch(name: str, arguments: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "thought": {"type": "string"},
            "name": {"const": name},
            "arguments": arguments,
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _lifted(tool: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's schema and its definitions, by name; empty if it has no references."""
    moved = _moved(tool, schema)
    if moved == schema:
        return {}
    lifted = {tool: {key: value for key, value in moved.items() if key not in _DEFINITIONS}}
    for key in _DEFINITIONS:
        defined = cast(Schema, moved.get(key) or {})
        lifted |= {f"{tool}.{name}": inner for name, inner in defined.items()}
    return lifted


def _moved(tool: str, schema: Any) -> Any:
    """Return a schema whose references point to the new positions of its parts at the root."""
    if isinstance(schema, list):
        return [_moved(tool, item) for item in cast(list[Any], schema)]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _moved_value(tool, key, value) for key, value in cast(Schema, schema).items()}


def _moved_value(tool: str, key: str, value: Any) -> Any:
    if key == "$ref" and isinstance(value, str) and value.startswith("#"):
        return _moved_reference(tool, value)
    if key in _VALUES:
        return value
    if key in _NAMED_SCHEMAS and isinstance(value, Mapping):
        return {name: _moved(tool, inner) for name, inner in cast(Schema, value).items()}
    return _moved(tool, value)


def _moved_reference(tool: str, reference: str) -> str:
    defined = _DEFINED.match(reference)
    if defined is None:  # refers to the schema itself, or to a part of it
        return f"#/$defs/{tool}{reference[1:]}"
    return f"#/$defs/{tool}.{reference[defined.end() :]}"
