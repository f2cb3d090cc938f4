"""Entries of the palette for the modes of the run that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.screen import Screen

from sandbox_tui.core.events.types import Mode
from sandbox_tui.tui.screens.cockpit.live.choose_mode import MODES
from sandbox_tui.tui.screens.cockpit.live.steering_actions import SteeringActions
from sandbox_tui.tui.screens.palette.entry import Entry

OTHER_WORDS: dict[Mode, str] = {
    "auto": "automatic yolo unattended",
    "ask": "policy confirm permission",
    "step": "manual single",
}
"""Other words for the modes."""


def mode_entries(below: Screen[object]) -> Sequence[Entry]:
    """Return an entry for each mode of the live run that a screen shows, if any."""
    if not isinstance(below, SteeringActions):
        return ()
    off, now = below.why_unavailable("mode", ()), below.mode
    return [
        Entry(
            "Actions",
            f"mode_{mode}",
            f"Mode: {mode}",
            about,
            partial(below.take_mode, mode),
            off or ("it is the mode now" if mode == now else ""),
            OTHER_WORDS[mode],
            for_typed=True,
        )
        for mode, (_, about) in MODES.items()
    ]
