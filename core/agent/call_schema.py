"""The JSON schema that holds a reply to one tool call, for servers with guided decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sandbox_tui.core.agent.model_messages import simplest_first


def call_schema(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One branch per tool: an optional thought, the tool's name, its arguments.

    Args:
        tools: as OpenAI function objects.
    """
    return {"anyOf": [_branch(tool["function"]) for tool in simplest_first(tools)]}


def response_format(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The schema as a request carries it (OpenAI API, structured outputs; llama.cpp, vLLM, SGLang,
    Ollama and LM Studio take the same)."""
    return {
        "type": "json_schema",
        "json_schema": {"name": "tool_call", "schema": call_schema(tools)},
    }


def _branch(function: Mapping[str, Any]) -> dict[str, Any]:
    arguments: Any = function.get("parameters") or {"type": "object", "properties": {}}
    return {
        "type": "object",
        "properties": {
            "thought": {"type": "string"},
            "name": {"const": function["name"]},
            "arguments": arguments,
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
