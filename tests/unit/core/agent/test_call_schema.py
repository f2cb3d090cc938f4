"""The JSON schema that restricts a reply to one call."""

from __future__ import annotations

import json
import re
from typing import Any

from sandbox_tui.core.agent.call_schema import call_schema
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS


def tool(name: str, **parameters: Any) -> dict[str, Any]:
    return {"function": {"name": name, "parameters": {"type": "object", **parameters}}}


POINT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
TREE = {
    "type": "object",
    "properties": {"leaf": {"type": "string"}, "next": {"$ref": "#"}},
    "additionalProperties": False,
}
MOVE = tool(
    "move",
    properties={"to": {"$ref": "#/$defs/Point"}, "like": {"$ref": "#/properties/to"}},
    required=["to"],
    **{"$defs": {"Point": POINT}},
)
NAME = tool(
    "name",
    properties={
        "to": {"type": "array", "items": {"$ref": "#/definitions/Point"}},
        "$ref": {"type": "string", "default": {"$ref": "#/x"}},
    },
    required=["to"],
    definitions={"Point": {"type": "string"}},
)
GROW = {"function": {"name": "grow", "parameters": TREE}}


def at(schema: dict[str, Any], reference: str) -> Any:
    """Resolve a reference."""
    found: Any = schema
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def arguments_of(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """The schema of a tool's arguments."""
    fields = [branch["properties"] for branch in schema["anyOf"]]
    (arguments,) = (one["arguments"] for one in fields if one["name"]["const"] == name)
    return at(schema, arguments["$ref"]) if "$ref" in arguments else arguments


def test_the_tools_of_the_sandbox_need_no_definitions() -> None:
    schema = call_schema([{"function": dict(one.schema)} for one in DEFAULT_TOOLS])
    assert set(schema) == {"anyOf"}
    for one in DEFAULT_TOOLS:
        assert arguments_of(schema, one.name) == one.schema["parameters"]


def test_references_within_a_tool_lead_to_where_they_did() -> None:
    schema = call_schema([MOVE, NAME, GROW])
    assert set(schema["$defs"]) == {"move", "move.Point", "name", "name.Point", "grow"}
    moved = arguments_of(schema, "move")["properties"]
    assert at(schema, moved["to"]["$ref"]) == POINT
    assert at(schema, moved["like"]["$ref"]) == moved["to"]
    named = arguments_of(schema, "name")["properties"]
    assert at(schema, named["to"]["items"]["$ref"]) == {"type": "string"}
    grown = arguments_of(schema, "grow")
    assert at(schema, grown["properties"]["next"]["$ref"]) is grown


def test_no_two_references_end_alike() -> None:
    """llama.cpp names the grammar rule of a definition by the last part of its reference."""
    found = re.findall(r'"\$ref": "(#/\$defs[^"]*)"', json.dumps(call_schema([MOVE, NAME])))
    ends = [reference.rpartition("/")[2] for reference in set(found)]
    assert sorted(ends) == ["move", "move.Point", "name", "name.Point", "to"]


def test_a_value_that_looks_like_a_reference_stays_a_value() -> None:
    properties = arguments_of(call_schema([NAME]), "name")["properties"]
    assert properties["$ref"] == {"type": "string", "default": {"$ref": "#/x"}}
