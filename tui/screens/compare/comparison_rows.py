"""The list with a comparison: facts, calls, what the user did, files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.text import Text
from textual.events import Resize
from typing_extensions import override

from sandbox_tui.sessions.relations.aligned_calls import Pair
from sandbox_tui.sessions.relations.compare import Comparison
from sandbox_tui.tui.format.compared.comparison import Divergence
from sandbox_tui.tui.format.compared.facts import Fact
from sandbox_tui.tui.screens.compare.draw_rows import draw_row, is_wide, takes_two_lines
from sandbox_tui.tui.screens.compare.row_kinds import (
    Heading,
    Row,
    differs,
    key_of,
    opens,
    rows_of,
    text_of,
)
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.block_list import BlockList

_ABOVE = 3
"""Rows kept visible above the selected one."""


class ComparisonRows(BlockList):
    """Shows a comparison.

    Attributes:
        rows: what is shown.
        hides_equal: whether calls that are equal are left out.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.hides_equal = False
        self.following = False

    def show(self, found: Comparison, figures: Sequence[Fact]) -> None:
        """Show a comparison; the cursor goes to the diverging calls, otherwise to the first row."""
        self.rows = rows_of(found, figures, hide_equal=self.hides_equal)
        self.reset()
        self.action_first()
        self.go_to_divergence()

    def update(self, found: Comparison, figures: Sequence[Fact]) -> None:
        """Show a comparison that has changed; cursor and view stay on their rows."""
        chosen, at = key_of(self.current), self.cursor
        first = self.block_at(self.scroll_offset.y)
        top = self.rows[first] if first >= 0 else None
        into = self.scroll_offset.y - self._tops[max(0, first)]
        self.rows = rows_of(found, figures, hide_equal=self.hides_equal)
        self.reset()
        keys = [key_of(row) for row in self.rows]
        self.cursor = keys.index(chosen) if chosen in keys and chosen else min(at, len(keys) - 1)
        if (key := key_of(top)) is not None and key in keys:
            y = self._tops[keys.index(key)] + into
            self.scroll_to(y=y, animate=False, force=True, immediate=True)
        self.following = False

    def update_facts(self, figures: Sequence[Fact]) -> None:
        """Redraw the facts, such as the time of a running session."""
        named = {fact.name: fact for fact in figures}
        for at, row in enumerate(self.rows):
            new = named.get(row.name, row) if isinstance(row, Fact) else row
            if new != row:
                self.rows[at] = new
                self.changed(at, at)

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def next_difference(self, direction: int) -> bool:
        """Go to the next row that differs between the sides; False if there is none."""
        at = self.difference_from_here(direction)
        if at is not None:
            self.go_to(at)
        return at is not None

    def difference_from_here(self, direction: int) -> int | None:
        """Return the index of the next row that differs between the sides; None if there is
        none."""
        return self._next(direction, differs)

    @property
    def place_among_differences(self) -> tuple[int, int] | None:
        """Which of how many differences the cursor is on, from 1; None if it is on none."""
        if not differs(self.current):
            return None
        before = sum(differs(row) for row in self.rows[: self.cursor])
        return before + 1, before + sum(differs(row) for row in self.rows[self.cursor :])

    def find(self, words: str, direction: int) -> bool:
        """Go to the next row that contains the words, beginning again at the other end; False if
        there is none."""
        count = len(self.rows)
        return self._find(words, (self.cursor + direction * n for n in range(1, count + 1)))

    def find_from(self, words: str, start: int) -> bool:
        """Go to the first row from `start` on that contains the words, beginning again at the top;
        False if there is none."""
        return self._find(words, range(start, start + len(self.rows)))

    def place_among_matches(self, words: str) -> tuple[int, int]:
        """Return which of how many rows that contain the words the cursor is on, from 1; 0 if it is
        on none of them."""
        lowered = words.lower()
        places = [at for at, row in enumerate(self.rows) if lowered in text_of(row).lower()]
        which = places.index(self.cursor) + 1 if self.cursor in places else 0
        return which, len(places)

    def _find(self, words: str, places: Iterable[int]) -> bool:
        lowered = words.lower()
        for place in places:
            at = place % len(self.rows)
            if lowered in text_of(self.rows[at]).lower():
                self.go_to(at)
                return True
        return False

    def _next(self, direction: int, wanted: Callable[[Row], bool]) -> int | None:
        at = self.cursor + direction
        while 0 <= at < len(self.rows):
            if wanted(self.rows[at]):
                return at
            at += direction
        return None

    @property
    def divergence_at(self) -> int | None:
        """Index of the calls at which the sessions diverge; None if they do not."""
        marks = (n for n, row in enumerate(self.rows) if isinstance(row, Divergence))
        mark = next(marks, None)
        return None if mark is None else mark + 1

    def go_to_divergence(self) -> None:
        """Go to the calls at which the sessions diverge, otherwise to the first row that opens."""
        at = self.divergence_at
        if at is None:
            at = next((n for n, row in enumerate(self.rows) if opens(row)), 0)
        self.go_to(at)

    @override
    def on_resize(self, event: Resize) -> None:
        """Keep the row under the cursor in view: other widths take other heights."""
        self.call_after_refresh(self.show_block, self.cursor)

    def go_to(self, index: int) -> None:
        """Select a row, keeping some rows above it visible."""
        self.cursor = index
        self.following = False
        self.show_block(max(0, index - _ABOVE))
        self.show_block(index)

    @override
    def block_count(self) -> int:
        return len(self.rows)

    @override
    def block_height(self, index: int, width: int) -> int:
        row = self.rows[index]
        if isinstance(row, Pair):
            return 1 if is_wide(width) or not takes_two_lines(row) else 2
        if isinstance(row, (Heading, Divergence)):
            return len(self.draw_block(index, width))
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        return draw_row(self.rows[index], width, palette_of(self))
