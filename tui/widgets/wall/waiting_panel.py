"""The panel below small tiles: the chosen run, large enough to decide about its waiting call."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.keymap_overlay import consumes
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.wall.activity import Activity
from sandbox_tui.tui.widgets.wall.run_facts import status_style
from sandbox_tui.tui.widgets.wall.run_selection import next_waiting
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


class WaitingPanel(Widget):
    """Shows the run of one tile, and which other waits; call `show` after any change."""

    DEFAULT_CSS = """
    WaitingPanel {
        display: none; padding: 0 1; background: $panel; border-left: outer $role-dim;
        &.-shown { display: block; }
        &.-waiting { border-left: outer $role-human; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="wall-waiting")
        self._chosen: RunTile | None = None
        self._other: RunTile | None = None

    @property
    def lines_taken(self) -> int:
        """The lines that the panel takes now."""
        return self.outer_size.height if self.display else 0

    @property
    def _is_typing(self) -> bool:
        """Whether an input has the keys, so that they write instead of leading to a run."""
        focused = self.screen.focused
        return focused is not None and consumes(focused, "a")

    def show(self, tiles: Sequence[RunTile], chosen: RunTile | None, height: int) -> None:
        """Show the chosen run; if no call of it waits, also the next run that waits.

        Args:
            tiles: those on the wall.
            chosen: the one with the focus.
            height: lines; 0 hides the panel.
        """
        self._chosen = chosen if chosen in tiles else None
        waits = self._chosen is not None and self._chosen.kind == "waiting"
        self._other = None if waits else next_waiting(tiles, self._chosen)
        self.set_class(height > 0, "-shown")
        self.set_class(waits or self._other is not None, "-waiting")
        self.styles.height = max(1, height)
        self.refresh()

    @override
    def render(self) -> Text:
        palette = palette_of(self)
        width, height = max(2, self.content_size.width), max(1, self.content_size.height)
        lines = self._lines_about_other(width, palette)
        if self._chosen is not None and height - len(lines) > 1:
            lines += self._lines_about_chosen(self._chosen, width, height - len(lines), palette)
        for line in lines:
            fit_line(line, width)
        return Text("\n").join(lines[:height])

    def _lines_about_chosen(
        self, tile: RunTile, width: int, height: int, palette: Palette
    ) -> list[Text]:
        """Return the state of a run, and what it does, with the keys that decide about its call."""
        words = tile.status_words
        style = palette.warn if tile.silent else status_style(tile.worker, palette)
        sign, _, state = words.partition(" ")
        head = Text(f"{sign} run {tile.number} {state}", style=style, no_wrap=True)
        head.append_text(_name_of(tile, palette, width - head.cell_len))
        activity = Activity(
            tile.worker,
            width,
            height - 1,
            tile.now,
            palette,
            preview=tile.preview,
            vote=tile.vote,
            marks_said=tile.marks_said,
        )
        return [head, *activity.lines()]

    def _lines_about_other(self, width: int, palette: Palette) -> list[Text]:
        """Return which run waits that is not chosen, the key that leads there, and its call."""
        tile = self._other
        if tile is None:
            return []
        head = Text(f"◆ run {tile.number} waits for you", style=palette.human, no_wrap=True)
        if not self._is_typing:
            head.append(f"  {hint('wall.waiting')} ", style=palette.accent)
            head.append("go to it", style=palette.dim)
        head.append_text(_name_of(tile, palette, width - head.cell_len))
        pending = tile.state.pending
        if pending is None:
            return [head]
        line = Text(f"   {short_name(sanitize_line(pending.call.name))}  ", style=palette.tool)
        words = sanitize_line(summarize_call(pending.call.name, pending.arguments))
        return [head, line.append(words, style=palette.dim)]


def _name_of(tile: RunTile, palette: Palette, room: int) -> Text:
    """Return what to call a run, behind what is said of it, in at most `room` cells."""
    names = tile.names_in(room - 2)
    return Text(f"  {names}" if names else "", style=palette.text)
