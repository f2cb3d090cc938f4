"""`str_replace_editor`: views and edits files, byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from typing_extensions import override

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, text_argument
from sandbox_tui.core.base.path_codec import path_to_text, text_to_path
from sandbox_tui.core.sandboxes.base import FileEntry, Sandbox
from sandbox_tui.core.tools.base import Observation, ReadOnlyCalls, Tool, ToolContext
from sandbox_tui.core.tools.file_type import binary_kind
from sandbox_tui.core.tools.text_edits import Edit, EditError, insert, line_count, replace
from sandbox_tui.core.tools.truncation import (
    HeadAndTail,
    TruncatedText,
    truncate_ends,
    truncate_middle,
)
from sandbox_tui.core.tools.typed_arguments import (
    int_argument,
    int_list_argument,
    missing_arguments,
)

SNIPPET_LINES = 4
"""Lines shown before and after an edit."""

MAX_INLINE_BYTES = 1 << 20
COUNT_CHUNK_BYTES = 64 << 10
"""Bytes per chunk when counting lines."""

MAX_LISTED_ENTRIES = 300
"""Maximum number of entries shown of a directory."""

T = TypeVar("T")

_HEADER = "Execution output of [str_replace_editor]:\n"


class StrReplaceEditor(Tool, ReadOnlyCalls):
    """Views and edits files. Commands and parameters match the reference."""

    name = "str_replace_editor"
    schema: Mapping[str, Any] = {
        "name": "str_replace_editor",
        "description": (
            "View, create and edit files in the sandbox. view shows a text file with line "
            "numbers, or the files of a directory two levels deep; create makes a new file and "
            "refuses to replace one that exists; str_replace replaces old_str, which must occur "
            "exactly once, with new_str; insert puts new_str after line insert_line. Edits change "
            "nothing else in the file. Long output is cut in the middle."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "enum": ["view", "create", "str_replace", "insert"],
                    "description": "What to do.",
                },
                "path": {"type": "string", "description": "Absolute path of a file or directory."},
                "file_text": {"type": "string", "description": "create: content of the file."},
                "old_str": {"type": "string", "description": "str_replace: text to replace."},
                "new_str": {"type": "string", "description": "str_replace, insert: the new text."},
                "insert_line": {
                    "type": "integer",
                    "description": "insert: the line after which new_str goes, 0 for the start.",
                },
                "view_range": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "view: first and last line, counted from 1; -1 is the end.",
                },
            },
            "required": ["command", "path"],
        },
    }

    @override
    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> Observation:
        try:
            answer = await self._answer(arguments, context)
        except (ArgumentsError, EditError, FileRefused) as error:
            words = truncate_middle(
                str(error), max_lines=context.max_lines, max_chars=context.max_chars
            )
            return Observation(text=f"{_HEADER}Error: {words.text}", ok=False)
        return answer

    @override
    def only_reads(self, arguments: str) -> bool:
        try:
            return parse_arguments(arguments).get("command") == "view"
        except ArgumentsError:
            return True

    async def _answer(self, arguments: Mapping[str, Any], context: ToolContext) -> Observation:
        command, raw_path = text_argument(arguments, "command"), text_argument(arguments, "path")
        if not command or not raw_path:
            raise missing_arguments(arguments, "command", "path")
        path = await _path(context.sandbox, raw_path)
        match command:
            case "view":
                return await _view(
                    path, raw_path, int_list_argument(arguments, "view_range"), context
                )
            case "create":
                content = text_argument(arguments, "file_text")
                if content is None:
                    raise missing_arguments(arguments, "file_text", use="create")
                return await _create(path, raw_path, content, context)
            case "str_replace":
                old, new = text_argument(arguments, "old_str"), text_argument(arguments, "new_str")
                if old is None:
                    raise missing_arguments(arguments, "old_str", use="str_replace")
                data = await context.sandbox.read_file(path)
                edit = await _in_thread_if_large(
                    data, lambda: replace(data, old, new or "", raw_path)
                )
                return await _save(path, raw_path, edit, context)
            case "insert":
                line, new = (
                    int_argument(arguments, "insert_line"),
                    text_argument(arguments, "new_str"),
                )
                if line is None or new is None:
                    raise missing_arguments(arguments, "insert_line", "new_str", use="insert")
                data = await context.sandbox.read_file(path)
                edit = await _in_thread_if_large(data, lambda: insert(data, line, new))
                return await _save(path, raw_path, edit, context)
            case _:
                raise ArgumentsError(
                    f"unknown command {command[:80]!r}. "
                    "It is one of view, create, str_replace, insert."
                )


async def _path(sandbox: Sandbox, raw_path: str) -> str:
    """Return the path that the model named, decoded with `path_codec`.

    A name that is not UTF-8 can only be written in the form that listings show.
    """
    if "\0" in raw_path or raw_path.startswith("~"):
        raise ArgumentsError("path must be an absolute path, such as /testbed/notes.txt.")
    path = path_to_text(raw_path.encode("utf-8"))
    if "\\x" not in raw_path or path_to_text(text_to_path(raw_path)) != raw_path:
        return path
    if await sandbox.stat(path) is None and await sandbox.stat(raw_path) is not None:
        return raw_path
    return path


async def _view(
    path: str, raw_path: str, lines: list[int] | None, context: ToolContext
) -> Observation:
    entry = await context.sandbox.stat(path)
    if entry is None:
        raise ArgumentsError(f"Path not found: {raw_path}")
    if entry.kind == "dir":
        if lines is not None:
            raise ArgumentsError("view_range is for files; this is a directory.")
        return await _view_directory(entry, raw_path, context)
    data = await context.sandbox.read_file(path)
    return await _in_thread_if_large(data, lambda: _view_file(data, raw_path, lines, context))


async def _in_thread_if_large(data: bytes, work: Callable[[], T]) -> T:
    """Process a file's content, in a thread if it is large, so that other runs are not blocked."""
    return work() if len(data) < MAX_INLINE_BYTES else await asyncio.to_thread(work)


def _view_file(
    data: bytes, raw_path: str, lines: list[int] | None, context: ToolContext
) -> Observation:
    if kind := binary_kind(data):
        raise ArgumentsError(
            f"{raw_path} is a binary file ({kind}, {len(data)} bytes). Look at it with "
            "execute_bash, for example with `xxd | head`, or a program of your own."
        )
    return _view_lines(data, raw_path, lines, context)


def _view_lines(
    data: bytes, raw_path: str, lines: list[int] | None, context: ToolContext
) -> Observation:
    if not data:
        return Observation(text=f"{_HEADER}(empty file: {raw_path})")
    first, last, note = _range(lines, _count_lines(data))
    shown = _shown(data, first, last, context.max_lines, context.max_chars)
    heading = f"Here's the result of running `cat -n` on {raw_path}:\n"
    return Observation(text=f"{_HEADER}{heading}{shown.text}{note}", truncated=shown.truncated)


async def _view_directory(entry: FileEntry, raw_path: str, context: ToolContext) -> Observation:
    root = entry.path.rstrip(b"/").removesuffix(b"/.")
    # the trailing slash follows a link to a directory
    listing = await context.sandbox.list_files(path_to_text(root + b"/"))
    rows: list[str] = []
    for entry in sorted(listing.entries.values(), key=lambda entry: entry.path):
        inner = entry.path[len(root) + 1 :].split(b"/")
        if len(inner) <= 2 and not any(part.startswith(b".") for part in inner):
            rows.append(_row(entry))
    more = (
        f"\n[... {len(rows) - MAX_LISTED_ENTRIES} more left out ...]"
        if len(rows) > MAX_LISTED_ENTRIES
        else ""
    )
    if not listing.complete:
        more += "\n[There are too many files below to list them all; look into subdirectories.]"
    heading = (
        f"Here's the files and directories up to 2 levels deep in {raw_path}, excluding hidden:"
    )
    body = "\n".join(rows[:MAX_LISTED_ENTRIES]) or "(nothing)"
    return Observation(text=f"{_HEADER}{heading}\n{body}{more}", truncated=bool(more))


def _row(entry: FileEntry) -> str:
    name = path_to_text(entry.path)
    if entry.kind == "dir":
        return f"{name}/"
    return f"{name}  ({entry.size} bytes)" if entry.kind == "file" else f"{name}  ({entry.kind})"


async def _create(path: str, raw_path: str, content: str, context: ToolContext) -> Observation:
    if raw_path.endswith("/"):
        raise ArgumentsError(f"{raw_path} names a directory; give the path of a file.")
    await _refuse_existing(context.sandbox, path, raw_path)
    data = content.encode("utf-8")
    await context.sandbox.write_file(path, data, exclusive=True)
    count = line_count(data)
    plural = "" if count == 1 else "s"
    return Observation(
        text=f"{_HEADER}File created at {raw_path}: {count} line{plural}, {len(data)} bytes."
    )


async def _refuse_existing(sandbox: Sandbox, path: str, raw_path: str) -> None:
    entry = await sandbox.stat(path)
    if entry is None:
        return
    if entry.kind == "dir":
        raise ArgumentsError(f"{raw_path} is a directory.")
    raise ArgumentsError(
        f"{raw_path} exists already and create does not replace files. Change it with str_replace, "
        "or remove it first with execute_bash."
    )


async def _save(path: str, raw_path: str, edit: Edit, context: ToolContext) -> Observation:
    await context.sandbox.write_file(path, edit.data)
    first = max(1, edit.first - SNIPPET_LINES)
    last = min(_count_lines(edit.data), edit.last + SNIPPET_LINES)
    most = min(80, context.max_lines)
    shown = await _in_thread_if_large(
        edit.data, lambda: _shown(edit.data, first, last, most, context.max_chars)
    )
    return Observation(
        text=(
            f"{_HEADER}The file {raw_path} has been edited. Here's the result of running `cat -n` "
            f"on a snippet of it:\n{shown.text}"
        ),
        truncated=shown.truncated,
    )


def _shown(data: bytes, first: int, last: int, max_lines: int, max_chars: int) -> TruncatedText:
    """Return the numbered lines of a file, truncated; only the lines shown are decoded."""
    count = last - first + 1
    if count <= max_lines:
        text = _numbered(_lines(data, first, last), first)
        return truncate_middle(text, max_lines=max_lines, max_chars=max_chars)
    head, tail = (max_lines + 1) // 2, max_lines // 2
    above = _numbered(_lines(data, first, first + head - 1), first)
    below = _numbered(_lines(data, last - tail + 1, last), last - tail + 1)
    if not tail:
        below = _numbered(_lines(data, last, last), last)
    ends = HeadAndTail(above, below, count - head - max(1, tail))
    return truncate_ends(ends, max_lines=max_lines, max_chars=max_chars)


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n"))


def _lines(data: bytes, first: int, last: int) -> list[str]:
    """Return the lines `first` to `last`, counted from 1."""
    start, end = _after_line(data, first - 1), _after_line(data, last)
    decoded = data[start:end].removesuffix(b"\n").decode("utf-8", "replace")
    return [line.removesuffix("\r") for line in decoded.split("\n")]


def _after_line(data: bytes, number: int) -> int:
    """Return the offset at which the line with this number ends."""
    at = 0
    while at < len(data):
        end = at + COUNT_CHUNK_BYTES
        breaks = data.count(b"\n", at, end)
        if breaks >= number:
            part = data[at:end]
            return at + len(part) - len(part.split(b"\n", number)[-1])
        number -= breaks
        at = end
    return len(data)


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first))


def _range(lines: list[int] | None, total: int) -> tuple[int, int, str]:
    """Return the first and last line to show, and a note if the range extends beyond the file."""
    if lines is None:
        return 1, total, ""
    if len(lines) != 2:
        raise ArgumentsError("view_range must be two numbers: first and last line.")
    first, last = lines
    if not 1 <= first <= total:
        raise ArgumentsError(f"view_range must begin between 1 and {total}, the file's lines.")
    if last == -1:
        return first, total, ""
    if last < first:
        raise ArgumentsError("view_range must not end before it begins.")
    note = f"\n[The file ends at line {total}.]" if last > total else ""
    return first, min(last, total), note
