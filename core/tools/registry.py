"""The tools available to runs, by name. A new tool is one file.

This package's tools are listed in `DEFAULT_TOOLS`. Others are added with `register`, or by a
package with an entry point in the group `sandbox_tui.tools`. A run requests tools by name; a
resumed or forked run looks them up by the same names.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.metadata import entry_points

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.tool_names import ENTRY_POINTS
from sandbox_tui.core.tools.base import ReadOnlyCalls, Tool
from sandbox_tui.core.tools.bash import ExecuteBash
from sandbox_tui.core.tools.editor import StrReplaceEditor
from sandbox_tui.core.tools.submit import Submit

DEFAULT_TOOLS: tuple[Tool, ...] = (StrReplaceEditor(), ExecuteBash(), Submit())
"""The default tools, in the reference's order."""

_registered: dict[str, Tool] = {tool.name: tool for tool in DEFAULT_TOOLS}


def register(tool: Tool) -> None:
    """Add a tool, replacing any other with the same name."""
    _registered[tool.name] = tool


def find_tool(name: str) -> Tool | None:
    """Return the tool with this name, or None."""
    return _registered.get(name) or _installed(name)


@functools.cache
def _installed(name: str) -> Tool | None:
    for point in entry_points(group=ENTRY_POINTS, name=name):
        found = point.load()
        return found() if isinstance(found, type) else found
    return None


def tools_named(names: Sequence[str] | None) -> tuple[Tool, ...]:
    """Return the tools with these names, in this order; None for the default ones.

    Raises:
        ConfigError: a name is unknown.
    """
    if names is None:
        return DEFAULT_TOOLS
    found: list[Tool] = []
    for name in names:
        tool = find_tool(name)
        if tool is None:
            known = ", ".join(_registered)
            raise ConfigError(f"There is no tool named {name!r}. The tools are: {known}.")
        found.append(tool)
    return tuple(found)


def may_change_sandbox(name: str, arguments: str) -> bool:
    """Return whether a call may change anything; True for an unknown tool.

    Args:
        name: the tool's name.
        arguments: JSON text.
    """
    tool = find_tool(name)
    return not (isinstance(tool, ReadOnlyCalls) and tool.only_reads(arguments))


def command_docs(tools: Sequence[Tool] = DEFAULT_TOOLS) -> str:
    """Return the tools as text, for prompt packs that describe them in the prompt."""
    blocks: list[str] = []
    for tool in tools:
        schema = tool.schema
        lines = [f"{schema['name']}: {schema['description']}"]
        for name, field in schema["parameters"]["properties"].items():
            lines.append(f"  {name}: {field.get('description', '')}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
