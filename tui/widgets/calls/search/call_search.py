"""Search through the items that the list of calls shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.events.run_state import Item
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.search.call_filter import contains
from sandbox_tui.tui.widgets.word_search import has_capitals


class CallSearch:
    """The words to search for, and which of the shown items match.

    Attributes:
        words: the words, case-sensitive only if they contain capitals. Empty without a search.
        session_summary: result of a search through the whole session, which the screen runs; None
            if only the shown items are searched.
        is_on_only_match: whether that search has found nothing but the displayed event.
    """

    def __init__(self) -> None:
        self.words = ""
        self.session_summary: str | None = None
        self.is_on_only_match = False

    def start(self, words: str) -> None:
        """Start a search for these words."""
        self.words = words if has_capitals(words) else words.casefold()

    def matches(self, shown: Iterable[Item]) -> list[int]:
        """Return the places of the shown items that contain the words."""
        if not self.words:
            return []
        return [place for place, item in enumerate(shown) if contains(item, self.words)]

    def summary(self, matches: Sequence[int], cursor: int) -> str:
        """Return the number of matches, and which one the cursor is on."""
        if not self.words or self.session_summary is not None:
            return self.session_summary or ""
        if not matches:
            return "no matches"
        which = f"{matches.index(cursor) + 1} of " if cursor in matches else ""
        return f"{which}{len(matches)} found"

    def highlight(self, lines: Sequence[Text], palette: Palette) -> list[Text]:
        """Return the lines with the words highlighted."""
        if not self.words:
            return list(lines)
        style = palette.accent + Style(reverse=True)
        marked = [line.copy() for line in lines]
        for line in marked:
            line.highlight_words([self.words], style, case_sensitive=has_capitals(self.words))
        return marked


def next_match(matches: Sequence[int], cursor: int, direction: int) -> int | None:
    """Return the match after the cursor (1) or before it (-1), wrapping at the ends."""
    if not matches:
        return None
    if direction > 0:
        return next((place for place in matches if place > cursor), matches[0])
    return next((place for place in reversed(matches) if place < cursor), matches[-1])
