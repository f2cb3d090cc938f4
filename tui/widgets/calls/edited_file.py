"""What a waiting call of the editor would do to its file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import msgspec

from sandbox_tui.core.base.defaults import WORKING_DIR
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.base.path_codec import path_to_text
from sandbox_tui.core.base.tool_names import EDITOR
from sandbox_tui.core.events.run_state import CallItem, FileState, Item
from sandbox_tui.core.tools.edit_preview import EditedFile, EditPreview, preview_edit
from sandbox_tui.tui.widgets.files.file_versions import present

GetBlob = Callable[[str], bytes | None]
"""Returns content by digest, or None if it was not kept."""

EDITS = ("create", "str_replace", "insert")
"""The commands of the editor that change a file."""


class EditedFiles:
    """Previews of waiting calls: with the file as it was last read, or as recorded.

    Args:
        get_blob: returns recorded content by digest.

    Attributes:
        read: the number of a waiting call, and its file as it was last read in the sandbox.
    """

    def __init__(self, get_blob: GetBlob) -> None:
        self._get_blob = get_blob
        self.read: tuple[int, EditedFile] | None = None
        self._known: tuple[CallItem, EditedFile, EditPreview | None] | None = None

    def preview(self, item: Item | None, files: Mapping[str, FileState]) -> EditPreview | None:
        """Return what a waiting call would do to its file; None for other calls, or if the file is
        not known.

        Args:
            item: the call.
            files: the recorded files.
        """
        path = edited_path(item)
        if path is None or not isinstance(item, CallItem):
            return None
        if self.read is not None and self.read[0] == item.call.number:
            file = self.read[1]
        else:
            file = self._recorded(path, files)
        if file is None:
            return None
        if self._known is None or self._known[0] is not item or self._known[1] != file:
            self._known = item, file, preview_edit(parse_arguments(item.arguments), file)
        return self._known[2]

    def problem_with(self, item: CallItem, arguments: str, files: Mapping[str, FileState]) -> str:
        """Return why a waiting call would fail with other arguments; empty if that is not known.

        Args:
            item: the call.
            arguments: JSON text.
            files: the recorded files.
        """
        call = msgspec.structs.replace(item.call, arguments=arguments)
        changed = dataclasses.replace(item, call=call)
        path = edited_path(changed)
        if path is None:
            return ""
        is_read = self.read is not None and self.read[0] == item.call.number
        if self.read is not None and is_read and path == edited_path(item):
            file = self.read[1]
        else:
            file = self._recorded(path, files)
        found = None if file is None else preview_edit(parse_arguments(arguments), file)
        return "" if found is None else found.problem

    def _recorded(self, path: str, files: Mapping[str, FileState]) -> EditedFile | None:
        file = files.get(path)
        digest = present(file) if file is not None else None
        data = self._get_blob(digest) if digest is not None else None
        return None if data is None else EditedFile(data)


def edited_path(item: Item | None) -> str | None:
    """Return the path of the file that a waiting call edits, in the encoding of `path_codec`; None
    for other calls."""
    if not isinstance(item, CallItem) or item.status != "waiting" or item.call.name != EDITOR:
        return None
    try:
        fields = parse_arguments(item.arguments)
    except ArgumentsError:
        return None
    path = fields.get("path")
    if fields.get("command") not in EDITS or not isinstance(path, str) or "\0" in path:
        return None
    path = path_to_text(path.encode("utf-8", "replace"))
    return path if path.startswith("/") else f"{WORKING_DIR}/{path}"
