"""The column with the state in tiles of one line: of one width on a narrow screen, so that nothing
behind it moves when a run comes to a long state."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len, set_cell_size
from rich.text import Text

MIN_WIDTH_WITH_FIGURES = 56
"""Minimum width at which a one-line tile shows time and step."""

MIN_STATE_WIDTH = 13
"""Cells of the state from `MIN_WIDTH_WITH_FIGURES` on, so that most changes move nothing."""

NARROW_STATE_WIDTH = 11
"""Cells of the state in a narrower tile, for the same reason."""

WHOLE_STATES_WIDTH = 76
"""Width of a tile from which the column is as wide as the longest state."""

SHORT: Mapping[str, str] = {
    "model unavailable": "no model",
    "waits for you": "waits",
    "sandbox lost": "no sandbox",
}
"""Shorter words for parts of states."""


def state_in_column(words: str, longest: int, width: int) -> str:
    """Return a state in the cells of its column.

    Args:
        words: the state with its sign.
        longest: cells of the longest state of the tiles shown.
        width: cells of the tile.
    """
    least = MIN_STATE_WIDTH if width >= MIN_WIDTH_WITH_FIGURES else NARROW_STATE_WIDTH
    if width >= WHOLE_STATES_WIDTH:
        return set_cell_size(words, max(least, longest))
    for long, short in SHORT.items():
        words = words.replace(long, short)
    column = Text(words)
    column.truncate(MIN_STATE_WIDTH, overflow="ellipsis")
    cells = max(least, min(longest, MIN_STATE_WIDTH), cell_len(column.plain))
    return set_cell_size(column.plain, cells)
