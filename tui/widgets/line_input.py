"""Text inputs of one row."""

from __future__ import annotations

from textual.events import Paste
from textual.widgets import Input

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.format.one_line import BREAK


class LineInput(Input):
    """An `Input` for bars that draw the border themselves."""

    DEFAULT_CSS = """
    LineInput {
        border: none; height: 1; padding: 0; background: transparent; width: 1fr;
        &:focus { border: none; background: transparent; }
    }
    """


class ProseLine(LineInput):
    """A line input that keeps all lines of a pasted text: each line break is shown as ␊."""

    _has_pasted_lines = False

    def with_pasted_lines(self, text: str) -> str:
        """The text, with the line breaks that were pasted in place of their signs."""
        return text.replace(BREAK, "\n") if self._has_pasted_lines else text

    def on_paste(self, event: Paste) -> None:
        """Insert all lines; Textual would insert the first one only."""
        lines = event.text.strip("\r\n").splitlines()
        if len(lines) < 2:
            return
        event.prevent_default()
        event.stop()
        self._has_pasted_lines = True
        self.replace(sanitize("\n".join(lines), newlines=False), *self.selection)
