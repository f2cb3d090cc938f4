"""What a call of the editor would do to a file as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.base.json_arguments import ArgumentsError, text_argument
from sandbox_tui.core.tools.text_edits import Edit, EditError, insert, line_count, replace
from sandbox_tui.core.tools.typed_arguments import int_argument

CONTEXT_LINES = 3
"""Lines around the change."""

MAX_COMPARED_LINES = 400
"""Longer files are not compared with what `create` would put in their place."""


@dataclass(frozen=True, slots=True)
class EditedFile:
    """The file that a call of the editor names, as it is now.

    Attributes:
        data: its content; None if there is no such file or it cannot be read.
        refused: why it cannot be read; empty if it can, or if there is no such file.
    """

    data: bytes | None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class EditPreview:
    """The lines that a call of the editor would change, with those around them.

    Attributes:
        problem: why the call would fail, without a full stop; empty if it would not.
        first: number of the first line of `above`, counted from 1; 0 if the lines are unknown.
        above, below: unchanged lines around the change.
        old, new: the lines before and after the change, whole lines of the file.
    """

    problem: str = ""
    first: int = 0
    above: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def preview_edit(arguments: Mapping[str, Any], file: EditedFile) -> EditPreview | None:
    """Return what a call of the editor would do to a file; None if it does not edit, or if its
    arguments cannot be read."""
    try:
        match text_argument(arguments, "command"):
            case "create":
                return _created(text_argument(arguments, "file_text") or "", file)
            case "str_replace":
                old, new = text_argument(arguments, "old_str"), text_argument(arguments, "new_str")
                if old is None:
                    return None
                if file.data is None:
                    return EditPreview(file.refused or "there is no such file")
                edit = replace(file.data, old, new or "", "")
                return _changed(file.data, edit, old.count("\n") + 1)
            case "insert":
                line, new = int_argument(arguments, "insert_line"), arguments.get("new_str")
                if line is None or not isinstance(new, str):
                    return None
                if file.data is None:
                    return EditPreview(file.refused or "there is no such file")
                return _changed(file.data, insert(file.data, line, new), 0)
            case _:
                return None
    except EditError as error:
        return EditPreview(error.brief)
    except ArgumentsError:
        return None


def _created(text: str, file: EditedFile) -> EditPreview:
    if file.data is None:
        return EditPreview(file.refused)
    count = line_count(file.data)
    problem = "the file exists already, and create does not replace files"
    if count > MAX_COMPARED_LINES or b"\0" in file.data:
        return EditPreview(problem)
    return EditPreview(
        problem, first=1, old=_lines(file.data), new=_lines(text.encode("utf-8", "replace"))
    )


def _changed(before: bytes, edit: Edit, replaced: int) -> EditPreview:
    """Return the lines around an edit that took the place of `replaced` lines."""
    old, new = _lines(before), _lines(edit.data)
    start = edit.first - 1
    old_end = start + replaced
    new_end = len(new) - (len(old) - old_end)
    first = max(0, start - CONTEXT_LINES)
    return EditPreview(
        first=first + 1,
        above=old[first:start],
        old=old[start:old_end],
        new=new[start:new_end],
        below=old[old_end : old_end + CONTEXT_LINES],
    )


def _lines(data: bytes) -> tuple[str, ...]:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return tuple(text.removesuffix("\n").split("\n")) if text else ()
