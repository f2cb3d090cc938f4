"""A call as a document: its coloured arguments, then its observation."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.coloured_call import coloured_call
from sandbox_tui.tui.widgets.preview.document import Document, count_of


class CallDocument(Document):
    """The full text of a call.

    Args:
        item: the call, with its observation if there is one.
        before: content of the file that a waiting call inserts into, if known.
    """

    def __init__(self, item: CallItem, before: str | None = None) -> None:
        self._item = item
        self._before = before
        finished = item.finished
        self._answer = (
            ""
            if finished is None
            else sanitize(finished.observation.removesuffix("\n").expandtabs(8))
        )
        self.facts = count_of(self._answer.count("\n") + 1, "line") if self._answer else ""

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        item = self._item
        room = max(1, width)
        lines = coloured_call(item.call.name, item.arguments, room, palette, self._before)
        if not any(line.plain for line in lines):  # a call without arguments, such as submit
            lines = [Text(sanitize_line(item.call.name), style=palette.tool)]
        if item.decided is not None and item.decided.verdict == "edit":
            lines += [Text(), Text("Edited by you. The model wrote:", style=palette.human)]
            lines += coloured_call(item.call.name, item.call.arguments, max(1, width), palette)
        if self._answer:
            lines.append(Text())
            lines += [Text(line, style=palette.text) for line in self._answer.split("\n")]
        return lines
