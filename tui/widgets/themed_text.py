"""Text drawn in the palette of the current theme."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.tui.theming.palette import Palette, palette_of


class ThemedText(Widget):
    """A widget that shows the text returned by `paint`.

    Args:
        paint: builds the text from the palette; called on every render.
    """

    DEFAULT_CSS = """
    ThemedText { height: auto; }
    """

    def __init__(self, paint: Callable[[Palette], Text], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._paint = paint

    @override
    def render(self) -> Text:
        return self._paint(palette_of(self))
