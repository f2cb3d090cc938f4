"""The model's tools. A new one is one new file and a place in `DEFAULT_TOOLS`."""

from __future__ import annotations

from .base import Tool
from .bash import ExecuteBash
from .editor import StrReplaceEditor
from .submit import Submit

DEFAULT_TOOLS: tuple[Tool, ...] = (StrReplaceEditor(), ExecuteBash(), Submit())
"""In the order in which the reference sends them."""


def command_docs(tools: tuple[Tool, ...] = DEFAULT_TOOLS) -> str:
    """The tools as text, for prompt packs that want them in the prompt as well."""
    blocks: list[str] = []
    for tool in tools:
        schema = tool.schema
        lines = [f"{schema['name']}: {schema['description']}"]
        for name, field in schema["parameters"]["properties"].items():
            lines.append(f"  {name}: {field.get('description', '')}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
