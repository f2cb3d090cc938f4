"""Reconstructs files from editor calls: files that it created, and later edits of them."""

from __future__ import annotations

import json
import posixpath
from typing import Any, Literal, cast

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.events.types import FileChange
from sandbox_tui.sessions.interchange.imports.base import well_formed

EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool"})
MAX_FILE_CHARACTERS = 1 << 20
"""Maximum length of a file whose content is tracked."""


class EditedFiles:
    """Tracks the editor's files: by content if it created them, otherwise by name only."""

    def __init__(self, working_dir: str) -> None:
        self._working_dir = working_dir
        self._texts: dict[str, str | None] = {}
        self.contents: list[bytes] = []

    def changes(self, tool: str, arguments: str) -> tuple[FileChange, ...]:
        """Return the changes made by a successful call."""
        if tool not in EDITORS:
            return ()
        try:
            parsed: Any = json.loads(arguments)
        except (ValueError, RecursionError):
            return ()
        if not isinstance(parsed, dict):
            return ()
        fields = cast(dict[str, Any], parsed)
        path = fields.get("path")
        if not isinstance(path, str) or not path or len(path) > 4096 or "\0" in path:
            return ()
        path = posixpath.normpath(posixpath.join(self._working_dir, well_formed(path)))
        return self._edit(path, fields)

    def _edit(self, path: str, fields: dict[str, Any]) -> tuple[FileChange, ...]:
        before = self._texts.get(path)
        old, new = fields.get("old_str") or "", fields.get("new_str") or ""
        match fields.get("command"):
            case "create":
                text = fields.get("file_text")
                after = text if isinstance(text, str) else ""
            case "str_replace" if isinstance(old, str) and isinstance(new, str):
                known = before is not None and old and before.count(old) == 1
                after = before.replace(old, new) if known and before is not None else None
            case "insert" if isinstance(new, str):
                after = _inserted(before, fields.get("insert_line"), new)
            case _:
                return ()
        if after is not None and len(after) > MAX_FILE_CHARACTERS:
            after = None
        change = "modified" if path in self._texts or before is not None else "created"
        if fields.get("command") != "create":
            change = "modified"
        self._texts[path] = after
        return (self._change(path, change, after),)

    def _change(
        self, path: str, change: Literal["created", "modified"], text: str | None
    ) -> FileChange:
        path = path.replace("\\", "\\\\")  # as `path_codec` writes it
        if text is None:
            return FileChange(path=path, change=change, kind="file", mode=0o644)
        data = well_formed(text).encode()
        self.contents.append(data)
        name = digest(data)
        return FileChange(
            path=path, change=change, kind="file", size=len(data), mode=0o644, blob=name
        )


def _inserted(before: str | None, line: Any, new: str) -> str | None:
    if before is None or not isinstance(line, int):
        return None
    lines = before.splitlines(keepends=True)
    if not 0 <= line <= len(lines):
        return None
    if line and not lines[line - 1].endswith("\n"):
        lines[line - 1] += "\n"
    new = new if new.endswith("\n") else f"{new}\n"
    return "".join([*lines[:line], new, *lines[line:]])
