"""The end of what the running call of a run has printed."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.terminal.latest_lines import latest_lines

MAX_BYTES = 8 * 1024
"""Bytes that are kept: more than a tile shows, little enough for hundreds of runs."""


class LatestOutput:
    """Keeps the end of the output of the call or command that runs; `note` every event."""

    def __init__(self) -> None:
        self._data = b""

    def note(self, event: e.AnyEvent) -> None:
        """Keep what was printed; forget it when something else begins to run."""
        match event:
            case e.TerminalOutput(terminal=name, data=data) if name == MIRROR:
                self._data = (self._data + data[-MAX_BYTES:])[-MAX_BYTES:]
            case e.CallStarted() | e.HumanCommandStarted():
                self._data = b""
            case _:
                pass

    def lines(self, most: int) -> list[str]:
        """Return the last lines that are not blank, at most so many."""
        return latest_lines(self._data, most) if most > 0 else []
