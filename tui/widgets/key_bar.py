# pyright: reportUnknownMemberType=false
"""The keys that do something now, as many as there is room for."""

from __future__ import annotations

from typing import Any

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.events import Click
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from ..palette import palette_of

LAST = ("help", "command_palette")
"""Actions whose keys stand at the right and are never left out: the ways to all the others."""


class KeyBar(Widget):
    """One line: keys of the focused widget and of the screen, the most used first.

    What does not fit is left out whole, never cut; `?` and the palette have all of it.
    """

    DEFAULT_CSS = """
    KeyBar { height: 1; dock: bottom; padding: 0 1; background: $panel; }
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int, str, Any]] = []

    def on_mount(self) -> None:
        """Follow the keys."""
        self.screen.bindings_updated_signal.subscribe(self, self._keys_changed)

    def on_unmount(self) -> None:
        """Follow them no longer."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _keys_changed(self, screen: Screen[Any]) -> None:
        if self.is_attached and screen is self.app.screen:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line (Textual's line API)."""
        width = self.content_size.width
        first, last = self._keys()
        tail = [self._words(key, what) for key, what, *_ in last]
        room = width + 2 - sum(words.cell_len + 2 for words in tail)
        line = Text(no_wrap=True)
        self._places = []
        for key, what, action, node in first:
            words = self._words(key, what)
            if line.cell_len + words.cell_len + 2 > room:
                break
            self._put(line, words, action, node)
        line.pad_right(max(0, room - line.cell_len))
        for words, (_, _, action, node) in zip(tail, last, strict=True):
            self._put(line, words, action, node)
        base = self.rich_style
        segments = [Segment(s.text, base + s.style) for s in line.render(self.app.console)]
        return Strip(segments).crop_extend(0, width, base)

    async def on_click(self, event: Click) -> None:
        """A click on a key is the key."""
        x = event.x - self.content_region.x + self.region.x
        for start, end, action, node in self._places:
            if start <= x < end:
                await self.app.run_action(action, node)
                return

    def _put(self, line: Text, words: Text, action: str, node: Any) -> None:
        start = line.cell_len
        line.append_text(words)
        self._places.append((start, line.cell_len, action, node))
        line.append("  ")

    def _words(self, key: str, what: str) -> Text:
        palette = palette_of(self)
        words = Text(no_wrap=True)
        words.append(key, style=palette.accent + Style(bold=True))
        return words.append(f" {what}", style=palette.dim)

    def _keys(self) -> tuple[list[tuple[str, str, str, Any]], list[tuple[str, str, str, Any]]]:
        """Key, words, action and node of each; those of the left and those of the right."""
        first: dict[str, tuple[str, str, str, Any]] = {}
        last: dict[str, tuple[str, str, str, Any]] = {}
        for active in self.screen.active_bindings.values():
            binding = active.binding
            name = binding.action.rpartition(".")[2]
            if not active.enabled or not (binding.show or name in LAST):
                continue
            words = "palette" if name == "command_palette" else binding.description
            side = last if name in LAST else first
            key = self.app.get_key_display(binding)
            side.setdefault(binding.action, (key, words, binding.action, active.node))
        ordered = sorted(first.values(), key=lambda known: not isinstance(known[3], Screen))
        return ordered, list(last.values())
