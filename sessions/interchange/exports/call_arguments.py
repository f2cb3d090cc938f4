"""Readable arguments of calls: a command as bash, a new file as code, an edit as a diff."""

from __future__ import annotations

import difflib
import json
import posixpath
from typing import NamedTuple

from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.sessions.interchange.exports.trajectory import parameters

MAX_COMPARED_LINES = 2000
"""Maximum number of lines for a diff, since comparing takes quadratic time. A longer edit is shown
as all lines removed and all added."""


class Readable(NamedTuple):
    """The arguments of a call in readable form.

    Attributes:
        text: empty if the call's title already says everything.
        language: info string for a Markdown fence: `bash`, `diff`, a file's suffix, or empty.
        label: text to show above, or empty.
    """

    text: str
    language: str = ""
    label: str = ""


def readable(tool: str, arguments: str) -> Readable:
    """Return the arguments of a call in readable form."""
    fields = parameters(arguments)
    if tool == BASH and set(fields) == {"command"}:
        return Readable(str(fields["command"]), "bash")
    command, path = fields.get("command"), fields.get("path")
    if tool != EDITOR or not isinstance(path, str):
        text = json.dumps(fields, indent=2, ensure_ascii=False) if fields else ""
        return Readable(text, "json")
    match command:
        case "create":
            return Readable(str(fields.get("file_text", "")), language_of(path))
        case "str_replace":
            return Readable(_difference(fields.get("old_str", ""), fields.get("new_str")), "diff")
        case "insert":
            label = f"after line {fields.get('insert_line')}:"
            return Readable(str(fields.get("new_str") or ""), language_of(path), label)
        case _:
            return Readable("")


def language_of(path: str) -> str:
    """Return the language name for a file: its suffix, if that is a plain word."""
    suffix = posixpath.splitext(path)[1].removeprefix(".").lower()
    return suffix if suffix.isascii() and suffix.isalnum() and len(suffix) < 10 else ""


def _difference(old: object, new: object) -> str:
    before, after = str(old).split("\n"), str(new or "").split("\n")
    if max(len(before), len(after)) > MAX_COMPARED_LINES:
        return "\n".join([*(f"-{line}" for line in before), *(f"+{line}" for line in after)])
    lines = difflib.unified_diff(before, after, lineterm="", n=3)
    return "\n".join(list(lines)[3:]) or "(nothing changes)"
