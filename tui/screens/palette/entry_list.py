"""The list of the palette: headings, and one line per entry."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.events import Click
from typing_extensions import override

from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.wrap_cells import wrap_cells
from sandbox_tui.tui.screens.palette.entry import (
    CLOSEST,
    NOT_ALL_WORDS,
    SOME_LETTERS,
    Entry,
    Group,
    Match,
)
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList

GAP = 2
"""Columns between an entry's words and the text on the right."""

INDENT, REASON_INDENT = " " * 3, " " * 5
"""What an entry begins with, and why it cannot be chosen below it."""

NARROW_SHARE = 3
"""The text on the right of a long title takes one in this many columns."""

MAX_REASON_LINES = 3
"""Maximum lines for why an entry cannot be chosen, and for a heading that says where an action
is."""


class EntryList(BlockList, can_focus=False):
    """Shows groups of entries; the cursor skips headings."""

    DEFAULT_CSS = """
    EntryList { height: 1fr; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[str | Match] = []
        self._points_at_heading = False
        self.following = False

    def show(self, groups: Sequence[Group]) -> None:
        """Show groups; the cursor goes to the first entry if that can be chosen, or others are as
        likely to be meant."""
        self._rows = []
        self._points_at_heading = False
        for heading, matches in groups:
            self._rows += [heading, *matches]
        self.following = False
        self.cursor = -1
        self.reset()
        self.cursor = self._cursor_at_first()
        self.scroll_to(y=0, animate=False, force=True, immediate=True)

    def _cursor_at_first(self) -> int:
        """Return the first row that can be chosen; -1 if what is listed first is what is meant, but
        is off, or if nothing is meant for sure."""
        is_guess = self._rows[:1] != [] and str(self._rows[0]).startswith(CLOSEST)
        for place, row in enumerate(self._rows):
            if isinstance(row, str):
                if row.startswith((NOT_ALL_WORDS, SOME_LETTERS)):
                    return -1
            elif (row.exact and row.entry.off) or (is_guess and row.entry.is_grave):
                return -1
            elif not row.entry.off:
                return place
        return -1

    def point_at_heading(self) -> None:
        """Draw the first heading like a warning until other entries are shown: it says why enter
        chooses nothing."""
        self._points_at_heading = True
        self.reset()

    def go_back_to(self, entry: Entry) -> None:
        """Put the cursor on an entry if it is still listed."""
        names = [row.entry.name if isinstance(row, Match) else "" for row in self._rows]
        if entry.name in names:
            self.cursor = names.index(entry.name)
            if self.size.height:  # otherwise there is no layout yet
                self.show_block(self.cursor)

    @property
    def current(self) -> Entry | None:
        """The entry under the cursor."""
        row = self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None
        return row.entry if isinstance(row, Match) else None

    @property
    def is_unsure(self) -> bool:
        """Whether the cursor is on no entry although some can be chosen."""
        usable = (isinstance(row, Match) and not row.entry.off for row in self._rows)
        return self.current is None and any(usable)

    @property
    def first(self) -> Entry | None:
        """The first entry, also if it cannot be chosen."""
        return next((row.entry for row in self._rows if isinstance(row, Match)), None)

    @property
    def rows(self) -> list[str]:
        """Headings and words in display order."""
        return [row if isinstance(row, str) else row.entry.words for row in self._rows]

    @property
    @override
    def shows_cursor(self) -> bool:
        return True

    @override
    def action_cursor(self, step: int) -> None:
        at = self.cursor + step
        while 0 <= at < len(self._rows) and not isinstance(self._rows[at], Match):
            at += step
        if 0 <= at < len(self._rows):
            self.cursor = at
            self.show_block(at - 1 if step < 0 else at)  # with the heading above it
            self.show_block(at)

    @override
    def action_page(self, direction: int) -> None:
        for _ in range(max(1, self.size.height - 2)):
            self.action_cursor(direction)

    @override
    def on_click(self, event: Click) -> None:
        index = self.block_clicked(event)
        if 0 <= index < len(self._rows) and isinstance(self._rows[index], Match):
            event.prevent_default()
            self.cursor = index
            self.action_choose()

    # --- drawing

    @override
    def block_count(self) -> int:
        return len(self._rows) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        if not self._rows:
            return 1
        row = self._rows[index]
        if isinstance(row, str):
            return len(_heading_lines(row, width))
        return 1 + len(_reason_lines(row.entry, width))

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._rows:
            return [Text("  No matches.", style=palette.dim)]
        row = self._rows[index]
        if isinstance(row, str):
            points = self._points_at_heading and index == 0
            style = palette.warn + Style(reverse=True) if points else palette.strong
            return [Text(f" {line} ", style, no_wrap=True) for line in _heading_lines(row, width)]
        return _lines(row, width, palette)


def _heading_lines(heading: str, width: int) -> list[str]:
    return wrap_cells(heading, max(1, width - 2), MAX_REASON_LINES)


def _reason_lines(entry: Entry, width: int) -> list[str]:
    """Return why an entry cannot be chosen, if that has no room beside its words; otherwise
    nothing."""
    needed = len(INDENT) + cell_len(entry.words) + GAP + cell_len(entry.off) + 1
    if not entry.off or needed <= width:
        return []
    return wrap_cells(entry.off, max(1, width - len(REASON_INDENT) - 1), MAX_REASON_LINES)


def _lines(match: Match, width: int, palette: Palette) -> list[Text]:
    reason = _reason_lines(match.entry, width)
    below = [Text(REASON_INDENT + line, style=palette.dim, no_wrap=True) for line in reason]
    return [_line(match, width, palette, "" if reason else match.entry.off), *below]


def _line(match: Match, width: int, palette: Palette, why: str) -> Text:
    entry = match.entry
    words = Text(entry.words, style=palette.dim if entry.off else palette.text, no_wrap=True)
    if entry.own:
        words.stylize(palette.dim, entry.own)
    for place in match.places:
        words.stylize(palette.accent + Style(bold=True), place, place + 1)
    right = Text(why or entry.detail, style=palette.dim, no_wrap=True)
    if not why:  # of a long title, more is worth seeing than of what is on the right
        fit_line(right, max(1, width // (2 if words.cell_len <= width // 2 else NARROW_SHARE)))
    line = Text(INDENT, no_wrap=True).append_text(words)
    fit_line(line, max(1, width - right.cell_len - GAP - 1))
    line.pad_right(max(0, width - 1 - right.cell_len - line.cell_len))
    return line.append_text(right)
