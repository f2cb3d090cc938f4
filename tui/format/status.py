"""The status of a run as sign, words and colour, shared by everything that shows runs."""

from __future__ import annotations

from typing import NamedTuple

from sandbox_tui.core.events.run_state import RunStatus


class StatusWords(NamedTuple):
    """How a status is shown.

    Attributes:
        sign: one column.
        words: one to three words.
        role: the palette's colour.
    """

    sign: str
    words: str
    role: str


STATUS_WORDS: dict[RunStatus, StatusWords] = {
    "starting": StatusWords("◌", "starting", "dim"),
    "running": StatusWords("●", "running", "good"),
    "paused": StatusWords("‖", "paused", "warn"),
    "frozen": StatusWords("‖", "frozen", "warn"),
    "waiting": StatusWords("◆", "waits for you", "warn"),
    "awaiting_input": StatusWords("◆", "waits for input", "warn"),
    "finished": StatusWords("✓", "submitted", "good"),
    "failed": StatusWords("✗", "ended", "bad"),
}
