# pyright: reportUnknownMemberType=false
"""Text that is drawn in the palette in force, whichever that is when it is drawn."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.widget import Widget

from ..palette import Palette, palette_of


class Painted(Widget):
    """Shows what `paint` makes of the palette.

    Args:
        paint: gives the text; called whenever the widget is drawn.
    """

    DEFAULT_CSS = """
    Painted { height: auto; }
    """

    def __init__(self, paint: Callable[[Palette], Text], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._paint = paint

    def render(self) -> Text:
        """The text, in this moment's colours."""
        return self._paint(palette_of(self))
