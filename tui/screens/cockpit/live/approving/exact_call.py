"""The choice to allow a call of many parts exactly as it is, instead of a pattern for each part."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.events import Click
from textual.message import Message

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.themed_text import ThemedText

MAX_FIELDS = 3
"""A call of more parts is first offered as a whole: a field for each would fill the screen."""


class ExactCall(ThemedText, can_focus=True):
    """The choice; a key or a click asks for a pattern for each part.

    Args:
        parts: number of the call's parts.
    """

    DEFAULT_CSS = """
    ExactCall { margin-top: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [binding("allow_always.broader", "choose(1)")]

    class Split(Message):
        """The user wants a pattern for each part."""

    def __init__(self, parts: int, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(self._choices, id=id)
        self._parts = parts

    def _choices(self, palette: Palette) -> Text:
        lines = Text("● ", style=palette.accent)
        words = f"exactly this whole call: each of its {self._parts} parts as written"
        lines.append(f"{words}\n", style=palette.text)
        lines.append(f"{hint('allow_always.broader')} ", style=palette.accent + Style(bold=True))
        return lines.append("split it: a pattern for each part", style=palette.dim)

    def words_for(self, action: str) -> str | None:
        """The key bar's words: the key proposes a broader pattern elsewhere."""
        return "split" if action.startswith("choose") else None

    def action_choose(self, _: int) -> None:
        """Ask for a pattern for each part."""
        self.post_message(self.Split())

    def on_click(self, event: Click) -> None:
        """The last line splits the call."""
        event.stop()
        if event.y == self.size.height - 1:  # the choice above it may be wrapped
            self.post_message(self.Split())
