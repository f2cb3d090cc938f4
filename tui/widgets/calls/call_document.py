"""A call as a document: its coloured arguments, then its observation."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.call_text import PRINTED_UNTIL_THEN, readable_arguments
from sandbox_tui.tui.widgets.calls.rows.coloured_call import coloured_call, diff_rows
from sandbox_tui.tui.widgets.preview.code import wrapped
from sandbox_tui.tui.widgets.preview.document import Document, count_of

FILES_IT_NAMES = "files it names:"
"""Comes before the files that a command names."""

MODEL_READS = "what the model reads:"
"""Comes before the observation: the panes show only what the command printed."""

WIDE = 1_000_000
"""Columns in which no line is wrapped."""


class CallDocument(Document):
    """The full text of a call.

    Args:
        item: the call, with its observation, or what it had printed, if there is any.
        preview: what a waiting call would do to the file it edits, if known.
        names: the files that the command of a waiting call names.
    """

    def __init__(self, item: CallItem, preview: EditPreview | None = None, names: str = "") -> None:
        self._item = item
        self._preview = preview
        self._names = names
        finished = item.finished
        self._label = PRINTED_UNTIL_THEN if finished is None else MODEL_READS
        printed = (item.printed or "") if finished is None else finished.observation
        self._answer = sanitize(printed.removesuffix("\n").expandtabs(8))

    @override
    def described(self, palette: Palette) -> str:
        return count_of(len(self.lines(WIDE, palette)), "line")

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        lines = self._call(max(1, width), palette)
        if self._names:
            words = f"{FILES_IT_NAMES} {self._names}"
            lines += [Text(), *wrapped(words, max(1, width), palette.dim)]
        if self._answer:
            lines += [Text(), Text(self._label, style=palette.dim)]
            lines += [Text(line, style=palette.text) for line in self._answer.split("\n")]
        return lines

    def _call(self, width: int, palette: Palette) -> list[Text]:
        """Return the call as it ran; if the user edited it, as a diff against the model's call."""
        item = self._item
        if item.decided is not None and item.decided.verdict == "edit":
            about = Text("Edited by you: - is the model's, + is yours.", style=palette.human)
            name = item.call.name
            old, new = (readable_arguments(name, x) for x in (item.call.arguments, item.arguments))
            return [about, *diff_rows(old, new, width, palette)]
        lines = coloured_call(item.call.name, item.arguments, width, palette, self._preview)
        if not any(line.plain for line in lines):  # a call without arguments, such as submit
            lines = [Text(sanitize_line(item.call.name), style=palette.tool)]
        return lines
