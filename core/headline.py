"""One line that says what a call does, for lists, the mirror and notifications."""

from __future__ import annotations

import json
import posixpath
from typing import Any, cast

NICKNAMES = {"execute_bash": "bash", "str_replace_editor": "edit", "submit": "submit"}
"""Short names under which the tools are shown."""


def nickname(tool: str) -> str:
    """A tool's short name; unknown tools keep their own."""
    return NICKNAMES.get(tool, tool)


def headline(tool: str, arguments: str) -> str:
    """What the call does, on one line; `arguments` is the JSON text the model wrote.

    Text is as the model wrote it: clean it (`core.text`) before it is shown.
    """
    try:
        parsed: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return _first_line(arguments)
    if not isinstance(parsed, dict):
        return _first_line(arguments)
    fields = cast(dict[str, Any], parsed)
    if tool == "execute_bash":
        return _first_line(str(fields.get("command", "")))
    if tool == "str_replace_editor":
        return _edit(fields)
    return "" if not fields else _first_line(json.dumps(fields, ensure_ascii=False))


def whole_line(tool: str, arguments: str) -> str:
    """The same, but with all lines of a command, for where somebody decides about it."""
    try:
        parsed: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return headline(tool, arguments)
    if tool != "execute_bash" or not isinstance(parsed, dict):
        return headline(tool, arguments)
    command = str(cast(dict[str, Any], parsed).get("command", ""))
    return " ↵ ".join(line.strip() for line in command.strip().split("\n"))


def _edit(fields: dict[str, Any]) -> str:
    command = str(fields.get("command", ""))
    path = str(fields.get("path", ""))
    shown = posixpath.relpath(path, "/testbed") if path.startswith("/testbed/") else path
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
