"""The file that a waiting call inserts into, if its content is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandbox_tui.core.base.defaults import WORKING_DIR
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.base.tool_names import EDITOR
from sandbox_tui.core.events.run_state import CallItem, FileState, Item
from sandbox_tui.tui.widgets.files.file_versions import present
from sandbox_tui.tui.widgets.preview.document import decode

GetBlob = Callable[[str], bytes | None]
"""Returns content by digest, or None if it was not kept."""


def edited_file(item: Item | None, files: Mapping[str, FileState], get_blob: GetBlob) -> str | None:
    """Return the content of the file that a waiting call inserts into.

    Returns:
        None for other calls, or if the content was not kept or is not text.
    """
    if not isinstance(item, CallItem) or item.status != "waiting" or item.call.name != EDITOR:
        return None
    try:
        fields = parse_arguments(item.arguments)
    except ArgumentsError:
        return None
    if fields.get("command") != "insert":
        return None
    path = str(fields.get("path", ""))
    file = files.get(path if path.startswith("/") else f"{WORKING_DIR}/{path}")
    digest = present(file) if file is not None else None
    data = get_blob(digest) if digest is not None else None
    return None if data is None else decode(data)
