"""Text inputs of one row."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.events import Blur, Paste, Resize
from textual.message import Message
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.format.one_line import BREAK
from sandbox_tui.tui.keys.key_names import writes


class OneLineInput(Input):
    """An `Input` that keeps all lines of a pasted text; Textual would keep the first one only.

    Without the focus, it shows the beginning of its text.
    """

    @on(Blur)
    @on(Resize)
    @on(Input.Changed)
    def _show_part_later(self) -> None:
        self.call_after_refresh(self._show_part)

    def _show_part(self) -> None:
        if not self.has_focus:
            self.scroll_to(x=self.shown_from, animate=False, force=True, immediate=True)

    @property
    def shown_from(self) -> float:
        """The first column of the text that is shown without the focus."""
        return 0

    @override
    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Return whether a key is typed here; Textual knows no character of `slash`."""
        return writes(key) or super().check_consume_key(key, character)

    def on_paste(self, event: Paste) -> None:
        """Insert all lines as one."""
        lines = event.text.strip("\r\n").splitlines()
        if len(lines) < 2:
            return
        event.prevent_default()
        event.stop()
        self.replace(self.on_one_line(lines), *self.selection)

    def on_one_line(self, lines: Sequence[str]) -> str:
        """Return the pasted lines as they are inserted: with a blank between them."""
        words = (line.strip() for line in lines)
        return sanitize(" ".join(word for word in words if word), newlines=False)


class NameInput(OneLineInput):
    """A line input for a name that may be a long path: without the focus, it shows the end."""

    @property
    @override
    def shown_from(self) -> float:
        return self.max_scroll_x


class LineInput(OneLineInput):
    """A line input for bars that draw the border themselves."""

    DEFAULT_CSS = """
    LineInput {
        border: none; height: 1; padding: 0; background: transparent; width: 1fr;
        &:focus { border: none; background: transparent; }
    }
    """


class ProseLine(LineInput):
    """A line input that keeps all lines of a pasted text: each line break is shown as ␊."""

    _has_pasted_lines = False

    class PastedLines(Message):
        """Several lines were pasted."""

    def with_pasted_lines(self, text: str) -> str:
        """Return the text, with the line breaks that were pasted in place of their signs."""
        return text.replace(BREAK, "\n") if self._has_pasted_lines else text

    @override
    def on_one_line(self, lines: Sequence[str]) -> str:
        self._has_pasted_lines = True
        self.post_message(self.PastedLines())
        return sanitize("\n".join(lines), newlines=False)
