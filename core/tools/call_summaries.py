"""One-line summaries of calls, for lists, the mirror and notifications.

Arguments are parsed as the tools parse them (`parse_arguments`), so that what the user approves is
what runs. The text is untrusted: sanitize it before showing it.
"""

from __future__ import annotations

import json
import posixpath
from typing import Any

from sandbox_tui.core.base.defaults import WORKING_DIR
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.base.tool_names import BASH, EDITOR, SHORT_NAMES


def short_name(tool: str) -> str:
    """Return a tool's short name; unknown tools keep their own."""
    return SHORT_NAMES.get(tool, tool)


def summarize_call(tool: str, arguments: str) -> str:
    """Return the call in one line.

    Args:
        tool: its name.
        arguments: the model's JSON text; shown unchanged if it is not a JSON object.
    """
    try:
        fields = parse_arguments(arguments)
    except ArgumentsError:
        return _first_line(arguments)
    if tool == BASH:
        return _first_line(str(fields.get("command", "")))
    if tool == EDITOR:
        return _edit(fields)
    return "" if not fields else _first_line(json.dumps(fields, ensure_ascii=False))


def full_command(tool: str, arguments: str) -> str:
    """Return the call with every line of a command, for approval by the user."""
    try:
        fields = parse_arguments(arguments)
    except ArgumentsError:
        return summarize_call(tool, arguments)
    if tool != BASH:
        return summarize_call(tool, arguments)
    lines = str(fields.get("command", "")).strip().split("\n")
    return " ↵ ".join(line.strip() for line in lines)


def _edit(fields: dict[str, Any]) -> str:
    command = str(fields.get("command", ""))
    path = str(fields.get("path", ""))
    shown = posixpath.relpath(path, WORKING_DIR) if path.startswith(f"{WORKING_DIR}/") else path
    count = _added_and_removed(command, fields)
    return _first_line(f"{command} {shown} {count}".rstrip())


def _added_and_removed(command: str, fields: dict[str, Any]) -> str:
    added = _lines(fields.get("file_text") if command == "create" else fields.get("new_str"))
    if command == "str_replace":
        return f"+{added} -{_lines(fields.get('old_str'))}"
    return f"+{added}" if command in ("create", "insert") else ""


def _lines(text: object) -> int:
    return len(text.splitlines()) if isinstance(text, str) else 0


def _first_line(text: str) -> str:
    lines = text.strip().split("\n", 1)
    return lines[0] + (" …" if len(lines) > 1 else "")
